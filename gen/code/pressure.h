/* pressure.h: how many registers an order of instructions needs, while the
 * order is being made.
 *
 * A register that copies were merged into is defined several times: it has as
 * many lives, which follow each other in every order that the dependences
 * allow. Each is counted from its definition to its last use.
 */
#ifndef KGEN_CODE_PRESSURE_H
#define KGEN_CODE_PRESSURE_H

#include "code/depend.h"

/* From one definition, or from before the stretch, to the last use. */
struct life {
    enum reg_class class;
    int uses;                   /* instructions of the stretch that read it */
    bool outlives;              /* needed behind the stretch as well */
};

struct lives {
    VEC(struct life) at;
    VEC(int) list;              /* of node k, as indices of `at`: what it reads, then what it defines */
    struct mentions { int first, reads, defs; } *of;     /* by node: its part of the list */
    int before[CLASS_COUNT];    /* alive in front of the stretch */
};

/* BEFORE and AFTER: what is live around the stretch, by vreg id. */
struct lives lives_of(const struct mach_func *f, const struct depend *d,
                      const struct bitset *before, const struct bitset *after);

struct pressure {
    const struct lives *lives;
    int now[CLASS_COUNT], peak[CLASS_COUNT];
    int *uses_left;             /* by life */
};

struct pressure pressure_new(const struct lives *l);
void pressure_restart(struct pressure *p);
/* How many registers of a class more are in use behind the node than before it. */
int pressure_change(const struct pressure *p, int node, enum reg_class class);
void pressure_place(struct pressure *p, int node);

#endif
