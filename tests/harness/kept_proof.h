/* kept_proof.h: a proof that is kept, to be tried on many texts.
 *
 * What the source does in each case is run once; so is the code, to see which
 * lines a case executes. A text that differs from it in some lines differs in
 * the cases that execute one of them, or in none: only those are run, the
 * shortest first, and with the same checks as a whole proof.
 */
#ifndef KGEN_TESTS_HARNESS_KEPT_PROOF_H
#define KGEN_TESTS_HARNESS_KEPT_PROOF_H

#include "verify/prove_case.h"

struct kept_case {
    struct expectation expected;        /* on one way */
    const struct scene *scene;          /* in the expected layout, or another one */
    bool is_prefix;                     /* expected is of no use then */
    uint8_t *covered;                   /* by line */
    uint64_t steps;
};

struct kept_proof {
    const struct func *func;
    const char *label;
    struct case_set *cases;
    VEC(struct kept_case) at;           /* the shortest first */
    uint64_t runs;                      /* of mutants */
};

/* Proves and keeps; counts go `depth` times as far as usual. The text must be
 * equal to its source. Begins a new term store: the kept proof made before is of
 * no use any more. */
struct kept_proof kept_proof_of(const struct func *f, const struct emitted *text, const char *label,
                                int depth);
/* Is the line executed in some case? */
bool kept_proof_reaches(const struct kept_proof *k, int line);
/* Does the text, changed in lines `first` to `last`, differ from the source? */
bool kept_proof_differs(struct kept_proof *k, const struct emitted *text, int first, int last);

#endif
