/* trial.h: the test blocks of a module, run on the code that was emitted.
 *
 * Each test runs first on its source (the walk of reference.h), then on the
 * text of every platform and variant, read back and executed over bytes. Every
 * buffer lies between guard zones and is tried at sixteen positions modulo its
 * alignment times sixteen; where the contract lets an output be one of the
 * inputs, the calls are also made in place, although the test does not say so.
 * What the ABI leaves open holds garbage, what a callee must keep is compared.
 */
#ifndef KGEN_VERIFY_TRIAL_H
#define KGEN_VERIFY_TRIAL_H

#include "verify/module.h"

struct trial_report {
    int tests;
    uint64_t calls;             /* of emitted code */
    uint64_t steps;             /* instructions executed by them */
};

/* True when every test holds. Otherwise the first failure of each test was
 * reported under the rule expect, at the step that failed. */
bool trial_module(const struct code_module *m, const struct module_text *texts, int count,
                  struct trial_report *report);

#endif
