/* prove_case.h: one case of a proof: both sides run from one scene, and compared.
 * Not for users of prove.h. */
#ifndef KGEN_VERIFY_PROVE_CASE_H
#define KGEN_VERIFY_PROVE_CASE_H

#include "verify/exec.h"
#include "verify/scene.h"

struct run {
    const struct scene *scene;
    struct reference_run reference;
    struct term_domain reference_domain, code_domain;
    struct machine machine, entry;
    int assignment;             /* where the source declassifies: which secrets are followed */
    char *difference, *source, *emitted;        /* as in struct proof */
};

/* The whole run of a scene; .difference is set when something differs. */
void prove_case(struct run *r, const struct emitted *text, const char *label);
/* Only its beginning, for a scene with a huge count. */
void prove_prefix(struct run *r, const struct emitted *text, const char *label);

#endif
