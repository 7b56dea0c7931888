/* depend.h: the dependence graph of a stretch of straight code.
 *
 * Built once, read by every scheduler. Nodes are numbered in program order, so
 * an edge always goes from a lower number to a higher one.
 */
#ifndef KGEN_CODE_DEPEND_H
#define KGEN_CODE_DEPEND_H

#include "code/passes.h"

enum dependence { DEPEND_TRUE, DEPEND_ANTI, DEPEND_OUTPUT, DEPEND_MEMORY };

struct depend_edge {
    int to;
    int latency;                /* cycles from issue to issue */
    enum dependence kind;
};

struct depend_node {
    struct mach_insn *insn;
    VEC(struct depend_edge) out;
    int in;                     /* edges that arrive */
    int height;                 /* critical path: cycles from its issue to the end */
};

struct depend {
    struct depend_node *node;
    int n;
};

/* The instructions from FIRST to LAST, both included, of one block. */
struct depend depend_of(const struct mach_func *f, struct mach_insn *first, struct mach_insn *last);
/* The same instructions, a loop's body, twice: nodes from N on are the next iteration's. */
struct depend depend_of_loop(const struct mach_func *f, struct mach_insn *first,
                             struct mach_insn *last);
/* Cortex-A53 erratum 835769: B, a 64-bit multiply-accumulate, right behind A, an access. */
bool meets_erratum(const struct core *core, const struct mach_insn *a, const struct mach_insn *b);
/* Cycles from A's issue until B can use register V (NULL: the flags). */
int true_latency(const struct core *core, const struct mach_insn *a, const struct mach_insn *b,
                 const struct vreg *v);
/* Are A and B, right behind it, one unit for the core: aese and aesmc? */
bool are_fused(const struct core *core, const struct mach_insn *a, const struct mach_insn *b);

#endif
