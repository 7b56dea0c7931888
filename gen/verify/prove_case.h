/* prove_case.h: one case of a proof: what the source does in it, and whether the
 * code does the same. Not for users of prove.h.
 */
#ifndef KGEN_VERIFY_PROVE_CASE_H
#define KGEN_VERIFY_PROVE_CASE_H

#include "verify/exec.h"
#include "verify/scene.h"

/* What the source does in one case, on one way through what it declassifies. */
struct expectation {
    const struct scene *scene;
    struct ways *ways;
    struct term_domain domain;          /* with the memory as the source leaves it */
    struct reference_run reference;
    uint64_t prefix_part;               /* for a huge count: it ran one such part of its limit; 0: whole */
};

struct finding {
    char *difference, *source, *emitted;        /* as in struct proof */
    bool is_doubtful;
    uint64_t steps;                             /* instructions executed */
};

/* Runs the source. False when it cannot be run, which .difference says, or when
 * this way turned out to be none (ways->begins_again). */
bool expect_case(struct expectation *e, struct finding *f);
/* Runs the code and compares. SCENE is the case as expected, in the same layout or
 * in another one: nothing depends on where things lie. COVERED (may be NULL): a
 * byte for each line of the text, set where it was executed. */
void check_case(const struct expectation *e, const struct scene *scene, const struct emitted *text,
                const char *label, uint8_t *covered, struct finding *f);

/* The first instructions of a case with a huge count. */
void check_prefix(const struct scene *scene, const struct emitted *text, const char *label,
                  uint8_t *covered, struct finding *f);

#endif
