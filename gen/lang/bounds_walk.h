/* bounds_walk.h: what the walk over statements and the walk over loops share. */
#ifndef KGEN_LANG_BOUNDS_WALK_H
#define KGEN_LANG_BOUNDS_WALK_H

#include "lang/bounds.h"

/* A question about one statement, answered when a walk passes it: the values of
 * `expr`, or whether the loop's number of iterations is a multiple of `divisor`. */
struct question {
    const struct stmt *at;      /* NULL: on entry */
    const struct expr *expr;
    uint64_t divisor;
    bool asked, divides;
    wide lo, hi;
};

void bounds_list(struct bounds *b, const struct stmt *s);         /* check_bounds.c */
void bounds_loop(struct bounds *b, const struct stmt *s);         /* check_loop.c */
void check_condition(struct bounds *b, const struct expr *cond);

struct state state_copy(const struct bounds *b, const struct state *from);
void set_var(struct bounds *b, const struct var *v, struct form f);
void memory_changes(struct bounds *b, const struct object *o);

#endif
