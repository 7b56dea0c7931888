/* modulo.h: a loop of one block, seen as something that repeats.
 *
 * A kernel is an order of the body in which some instructions are an iteration
 * ahead of the others. Node u has a place p(u) in 0 .. 2n - 1, counted from the
 * start of its own iteration, all different modulo n: iteration i runs u at
 * p(u) + i n. Nodes with p < n are of stage 0, the others of stage 1: they run in
 * the round after the one their iteration began in. An edge u -> v of distance d
 * is kept when
 *
 *     p(v) + d n > p(u).
 *
 * Anti and output edges of distance 1 are among them, so that no value outlives
 * its register's next definition and nothing is renamed. What the branch tests is
 * of stage 0, and the branch has place n - 1.
 */
#ifndef KGEN_CODE_MODULO_H
#define KGEN_CODE_MODULO_H

#include "code/depend.h"
#include "code/pipeline.h"

struct loop_edge {
    int from, to;
    int latency;                /* cycles; only of DEPEND_TRUE */
    int distance;               /* iterations: 0 or 1 */
    enum dependence kind;
};

/* A value from its definition to its last use. */
struct loop_life {
    int node;                   /* defines it */
    const struct vreg *reg;
    bool leaves;                /* somebody behind the loop reads it */
    VEC(int) edges;             /* to its uses */
};

/* Of a life, by an edge. */
struct loop_use { int life, edge; };

struct loop_node {
    struct mach_insn *insn;
    int latency;                /* cycles until its result is written */
    VEC(int) in, out;           /* edges */
    VEC(int) made;              /* lives that begin here */
    VEC(struct loop_use) used;
    int partner;                /* stands right behind it (a fused pair), or -1 */
    bool is_partner;
    bool is_early;              /* the branch needs it: stage 0 */
};

enum { MOST_JUDGES = 4 };

struct loop_graph {
    struct mach_func *f;
    struct mach_block *block;
    struct loop_node *node;     /* in program order; the last TAIL ones stay last */
    int n, tail;                /* tail: [compare,] branch */
    VEC(struct loop_edge) edge;
    VEC(struct loop_life) life;
    int held[CLASS_COUNT];      /* registers of values that no instruction here defines */
    const struct core *core[MOST_JUDGES];       /* the core, or its judges */
    struct pipeline *pipeline[MOST_JUDGES];     /* theirs, loaded with the nodes */
    int pipelines;
    int least[MOST_JUDGES];     /* hundredths of a cycle that their ports and slots take */
    int bound;                  /* of all: what the search is content with */
};

/* modulo_graph.c: NULL for a loop that cannot be put in another order. */
struct loop_graph *loop_graph_of(struct mach_func *f, struct mach_block *b,
                                 const struct liveness *l);

/* modulo_bound.c: hundredths of a cycle that an iteration takes at least; of
 * recurrences, LEAST when they take less. */
enum pairs { PAIRS_APART, PAIRS_JOINED };      /* of what the core can fuse */
int resource_interval(const struct loop_graph *g, const struct core *core, enum pairs pairs);
int recurrence_interval(const struct loop_graph *g, int least);

/* -- kernels -- */

struct kernel {
    int *at;                    /* by place in the round: node */
    bool *late;                 /* by node: stage 1 */
    int interval;               /* hundredths of a cycle that a round takes, summed over
                                   the pipelines; 0: not known */
};

struct kernel kernel_new(const struct loop_graph *g);
void kernel_copy(const struct loop_graph *g, struct kernel *to, const struct kernel *from);
/* Rounds that an edge spans: 0 keeps an order inside the round, less is impossible. */
int kernel_distance(const struct kernel *k, const struct loop_edge *e);
/* False as soon as the interval is known to be more than MOST. */
bool kernel_measure(const struct loop_graph *g, struct kernel *k, int most);

/* modulo_order.c: a quick order for the stages that K has; false when each that it
 * tries takes too many registers. */
bool order_kernel(const struct loop_graph *g, struct kernel *k);

/* search.c: moves instructions about as long as the round does not become slower;
 * across the back edge as well where STAGES is 2. */
void search_kernel(const struct loop_graph *g, struct kernel *best, int stages, int moves);

/* modulo_memo.c: the order that was found for the same loop with the same effort; false
 * when there is none. */
bool kernel_recall(const struct loop_graph *g, int effort, struct kernel *k);
void kernel_remember(const struct loop_graph *g, int effort, const struct kernel *k);

/* modulo_emit.c: puts the block in this order, with a prologue in front and an
 * epilogue behind when there are two stages; true then. */
bool emit_kernel(const struct loop_graph *g, const struct kernel *k);

#endif
