/* reference.h: what a kernel means: a direct walk of its typed tree.
 *
 * Runs over any domain, so that the same walk is the interpreter of random
 * programs (bytes) and the definition that emitted code is proved against
 * (terms). It shares no code with shape/, ir/ and code/.
 */
#ifndef KGEN_VERIFY_REFERENCE_H
#define KGEN_VERIFY_REFERENCE_H

#include "lang/tree.h"
#include "verify/domain.h"

/* An argument in the order of func.params: a value, or where an array is. */
struct reference_arg {
    val value;
    uint64_t address;
    /* bytes the array really has, for the bounds check; the extent expression must not exceed it */
    uint64_t size;
};

struct reference_run {
    struct domain *domain;
    const struct func *func;
    const struct reference_arg *args;
    uint64_t tables;            /* where the module's tables lie */
    uint64_t stack;             /* free memory below this address, for stack arrays */
    uint64_t step_limit, store_limit;   /* stop after that many statements, stores; 0: never */

    /* given back */
    bool limited;               /* it was stopped by one of the limits */
    uint64_t stores, steps;     /* stores made, statements walked */
    uint64_t expressions;       /* evaluated: a measure of the instructions it takes … */
    uint64_t stacked;           /* … and bytes of stack arrays, which they may wipe */
    val results[16];
    int result_count;
    const char *fault;          /* NULL: it ran to its end */
    struct loc fault_loc;
};

/* The value of an expression over the parameters (an extent, a precondition);
 * false when it is not a known number. */
bool reference_number(const struct reference_run *run, const struct expr *e, uint64_t *out);

/* Runs the function; false with .fault set when it cannot be run (an access
 * out of bounds, an unknown branch). */
bool reference_run(struct reference_run *run);

#endif
