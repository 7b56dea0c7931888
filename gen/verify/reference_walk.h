/* reference_walk.h: the state of one walk, shared by reference.c (statements)
 * and reference_expr.c (expressions). */
#ifndef KGEN_VERIFY_REFERENCE_WALK_H
#define KGEN_VERIFY_REFERENCE_WALK_H

#include "verify/reference.h"

struct walk {
    struct domain *domain;
    struct reference_run *run;
    const struct func *func;
    val *vars;                  /* by variable id; 0: not set yet */
    uint64_t *bases, *sizes;    /* by object id: address and bytes */
    uint64_t stack;
    val results[16];
    int result_count;
    bool returned, stopped;
};

void walk_enter(struct walk *w);
void walk_body(struct walk *w);
void walk_stmts(struct walk *w, const struct stmt *s);

val walk_expr(struct walk *w, const struct expr *e);
uint64_t walk_number(struct walk *w, const struct expr *e);
uint64_t walk_base(struct walk *w, const struct object *o);
uint64_t walk_size(struct walk *w, const struct object *o);
/* The address of `bytes` bytes; a fault when they are not all inside the object. */
uint64_t walk_address(struct walk *w, const struct access *a, int bytes, struct loc where);
val walk_constant(struct walk *w, int width, uint64_t v);
val walk_not_flag(struct walk *w, val c);
void walk_fault(struct walk *w, struct loc where, const char *what);

#endif
