/* liveness.h: which registers are live where, and which ones interfere.
 *
 * Sets are indexed by vreg id and hold general and vector registers, fixed
 * ones among them (xzr and sp never).
 */
#ifndef KGEN_CODE_LIVENESS_H
#define KGEN_CODE_LIVENESS_H

#include "code/build.h"

struct liveness {
    int vregs;                  /* ids below this are known */
    struct bitset *in, *out;    /* by block id */
};

/* blocks_link() must be current. */
struct liveness *liveness_of(const struct mach_func *f);
/* Walks backwards: LIVE holds what is live after I, and afterwards what is live before it. */
void liveness_step(struct bitset *live, const struct mach_insn *i);

/* Two registers interfere when one is defined while the other is live (unless
 * the definition copies it), or when both are defined by one instruction. */
struct interference {
    int n;
    size_t words;               /* a row */
    uint64_t *bits;             /* a row for each register, symmetric */
    struct neighbours { int *at; int n, cap; } *of;     /* or NULL */
};

/* Registers of different classes never interfere. Clobbers of calls are edges to
 * fixed registers, which make_clobbered() has made. */
/* Which registers of a set interfere with each other. */
struct interference *interference_among(const struct mach_func *f, const struct liveness *l,
                                        const struct bitset *among);
/* All registers, with neighbour lists. */
struct interference *interference_lists(const struct mach_func *f, const struct liveness *l);
void make_clobbered(struct mach_func *f);
bool interferes(const struct interference *g, int a, int b);
/* Gives A all neighbours of B, which is none; without lists. */
void interference_merge(struct interference *g, int a, int b);

/* The most registers of a class that are live at once, and after which instruction. */
int pressure_peak(const struct mach_func *f, const struct liveness *l, enum reg_class class,
                  struct mach_insn **where);

/* webs.c: one register for what a tied operand reads and writes, and for a block
 * parameter and its arguments, wherever their lives allow. */
void merge_webs(struct mach_func *f);

/* cfg.c */
void blocks_clean(struct mach_func *f);     /* no jumps to jumps, no unreachable or split blocks */
void blocks_finish(struct mach_func *f);    /* falls through where it can; sets is_target */

#endif
