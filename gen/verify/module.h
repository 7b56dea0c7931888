/* module.h: proving the outputs of one module, all platforms.
 *
 * The text of the first platform is proved in full; the instructions and
 * tables decoded from every other platform's text must be the same.
 */
#ifndef KGEN_VERIFY_MODULE_H
#define KGEN_VERIFY_MODULE_H

#include "target/target.h"

struct module_text {
    const struct target *target;
    const char *name;           /* of the file, for messages */
    const struct text *text;
};

/* True when everything holds. Otherwise each difference was reported under the
 * rule not-equal, at the function's declaration. Appends one line a kernel to
 * `report` (may be NULL): what was proved, and the bound. */
bool verify_module(const struct code_module *m, const struct module_text *texts, int count,
                   struct text *report);

/* The function as it was written: code's own was shaped. */
const struct func *source_of(const struct mach_func *f);

#endif
