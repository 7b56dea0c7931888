/* modulo_memo.c: orders of loops, for others that are the same.
 *
 * A cipher's rounds stand in several functions. Loops are the same when they have
 * the same instructions with the same edges and lives, and the same core; the order that
 * scheduling of blocks left may differ, and how many registers are held around them as
 * long as there are enough for the order that was found.
 * What is kept lasts until modulo_forget(), which a module begins with: so its
 * code does not depend on what was compiled before it.
 */
#include "code/modulo_registers.h"

#include <string.h>

/* What the search would be told. */
struct question {
    const char *core;
    bool fused, keeps_iterations;
    int effort;
};

/* Its nodes are numbered in the order of selection. */
struct known_loop {
    struct question question;
    int n, tail, edges, lives;
    enum insn *insn;            /* by node */
    struct loop_edge *edge;
    bool *leaves;               /* by life; the lives follow from the edges */
    struct kernel best;
};

static struct {
    struct arena arena;
    struct known_loop *at;
    int n, cap;
} known;

void modulo_forget(void)
{
    arena_release(&known.arena);
    memset(&known, 0, sizeof known);
}

static bool same_edge(const struct loop_edge *a, const struct loop_edge *b)
{
    return a->from == b->from && a->to == b->to && a->latency == b->latency
           && a->distance == b->distance && a->kind == b->kind;
}

static struct question question_of(const struct loop_graph *g, int effort)
{
    return (struct question){ g->f->core->name, g->f->core->fuses_aes_pair,
                              g->f->keeps_iterations, effort };
}

static bool same_question(const struct question *a, const struct question *b)
{
    return strcmp(a->core, b->core) == 0 && a->fused == b->fused
           && a->keeps_iterations == b->keeps_iterations && a->effort == b->effort;
}

static bool is_same(const struct known_loop *l, const struct loop_graph *g, int effort)
{
    struct question q = question_of(g, effort);
    if (!same_question(&l->question, &q) || l->n != g->n || l->tail != g->tail
        || l->edges != g->edge.n || l->lives != g->life.n)
        return false;
    for (int k = 0; k < g->n; k++)
        if (l->insn[k] != g->node[k].insn->insn)
            return false;
    for (int k = 0; k < g->edge.n; k++)
        if (!same_edge(&l->edge[k], &g->edge.at[k]))
            return false;
    for (int k = 0; k < g->life.n; k++)
        if (l->leaves[k] != g->life.at[k].leaves)
            return false;
    return true;
}

static bool has_registers(const struct loop_graph *g, const struct kernel *k)
{
    const struct mem_mark mark = mem_mark();
    struct kernel_pressure pressure = kernel_pressure_new(g);
    const bool fits = kernel_fits(&pressure, k) && kernel_colours(g, k);
    mem_release_to(mark);
    return fits;
}

bool kernel_recall(const struct loop_graph *g, int effort, struct kernel *k)
{
    for (int i = 0; i < known.n; i++)
        if (is_same(&known.at[i], g, effort) && has_registers(g, &known.at[i].best)) {
            kernel_copy(g, k, &known.at[i].best);
            return true;
        }
    return false;
}

static struct known_loop *add_known(void)
{
    if (known.n == known.cap) {
        int cap = known.cap > 0 ? 2 * known.cap : 8;
        struct known_loop *more = arena_alloc(&known.arena, sizeof *more * (size_t)cap);
        if (known.n > 0)
            memcpy(more, known.at, sizeof *more * (size_t)known.n);
        known.at = more;
        known.cap = cap;
    }
    return &known.at[known.n++];
}

void kernel_remember(const struct loop_graph *g, int effort, const struct kernel *k)
{
    size_t n = (size_t)g->n, edges = (size_t)g->edge.n;
    struct known_loop *l = add_known();
    *l = (struct known_loop){ .question = question_of(g, effort), .n = g->n, .tail = g->tail,
                              .edges = g->edge.n, .lives = g->life.n };
    l->leaves = arena_alloc(&known.arena, sizeof *l->leaves * (size_t)g->life.n + 1);
    for (int life = 0; life < g->life.n; life++)
        l->leaves[life] = g->life.at[life].leaves;
    l->insn = arena_alloc(&known.arena, sizeof *l->insn * n);
    l->edge = arena_alloc(&known.arena, sizeof *l->edge * edges);
    l->best.at = arena_alloc(&known.arena, sizeof *l->best.at * n);
    l->best.late = arena_alloc(&known.arena, sizeof *l->best.late * n);
    for (int node = 0; node < g->n; node++)
        l->insn[node] = g->node[node].insn->insn;
    memcpy(l->edge, g->edge.at, sizeof *l->edge * edges);
    kernel_copy(g, &l->best, k);
}
