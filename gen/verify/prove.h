/* prove.h: is the emitted text equal to its source?
 *
 * For every case (cases.h) the reference and the text read back run from one
 * scene with symbolic secrets. Equal means: the same term in every byte that
 * the caller can see, the same result, nothing else written, callee-saved
 * registers and sp restored, no branch or address that depends on a secret,
 * nothing secret left on the stack or, with `wipe`, in a register.
 */
#ifndef KGEN_VERIFY_PROVE_H
#define KGEN_VERIFY_PROVE_H

#include "verify/text_read.h"
#include "lang/tree.h"

struct proof {
    int cases, partitions, prefixes;
    uint64_t longest;           /* the largest count run whole */
    uint64_t steps;             /* instructions executed in all cases */
    int terms;                  /* made in all of them */
    int ways;                   /* more runs than one a case: where declassified values decide */
    bool is_sampled;            /* some of those only for a few values of what is declassified */
    uint8_t *covered;           /* by line of the text: was it executed in some case? */
    char *difference;           /* what differs, in the first (smallest) case that does; NULL: proved */
    char *source, *emitted;     /* the two terms, where there are such */
    bool is_doubtful;           /* no sample tells those apart: perhaps a normal form is missing */
};

/* `label` is the function's symbol as the text spells it. */
struct proof prove_func(const struct func *f, const struct emitted *text, const char *label);
/* The same with counts `depth` times as large: for a doubt. */
struct proof prove_func_deeply(const struct func *f, const struct emitted *text, const char *label,
                               int depth);
/* Several functions of one text that have one source (variants): it is run once
 * for all. */
void prove_variants(const struct func *f, const struct emitted *text, const char *const *labels,
                    int count, struct proof *proofs);

#endif
