/* case_walk.h: the cases of a proof, one after the other, small ones first. */
#ifndef KGEN_VERIFY_CASE_WALK_H
#define KGEN_VERIFY_CASE_WALK_H

#include "verify/scene.h"

struct case_walk {
    const struct case_set *cases;
    int *at;                    /* which of its values each choice has */
    uint64_t *values;           /* those */
    int partition;
    int choice, large;          /* prefixes: which choice has which of its huge values */
    bool is_over;               /* no whole case is left: prefixes follow */
};

struct one_case {
    const uint64_t *chosen;     /* the walk's own: valid until its next step */
    const uint8_t *class_of;
    int layouts;                /* in the first so many of them */
    enum scene_size size;
};

struct case_walk case_walk_begin(const struct case_set *cases);
/* False when there is none left. */
bool case_walk_next(struct case_walk *w, struct one_case *out);

#endif
