/* modulo_graph.c: what orders the instructions of a loop, across iterations too.
 *
 * Takes a block whose last two instructions decide whether it runs again. Gives
 * its instructions as nodes, and edges of distance 0 (inside an iteration) and 1
 * (to the next one), both from depend.c, which sees the body twice.
 * Does not: take loops with calls or with physical registers.
 */
#include "base/broken.h"
#include "code/modulo.h"

#include <assert.h>
#include <limits.h>

/* The branch that decides, when the block ends in one and a jump and one of the
 * two goes back to its start. */
static struct mach_insn *back_branch(const struct mach_block *b)
{
    struct mach_insn *jump = b->last, *branch = jump != NULL ? jump->prev : NULL;
    if (branch == NULL || jump->insn != INSN_b || !insn_is_branch(branch) || b->succs.n != 2)
        return NULL;
    return b->succs.at[0] == b || b->succs.at[1] == b ? branch : NULL;
}

static bool is_movable(const struct mach_func *f, const struct mach_insn *i)
{
    struct reg_list l;
    if (i->insn == INSN_NONE || (row_of(i)->flags & (IS_CALL | IS_RETURN)) != 0)
        return false;
    insn_uses(i, &l);
    for (int k = 0; k < l.n; k++)
        if (l.at[k]->is_fixed)
            return false;
    insn_defs(i, &l);
    for (int k = 0; k < l.n; k++)
        if (l.at[k]->is_fixed)
            return false;
    return f->stack_pointer == NULL || row_of(i)->operand_count == 0
           || row_of(i)->op[0].role != ROLE_DEF || i->op[0].reg != f->stack_pointer;
}

static void add_nodes(struct loop_graph *g, const struct depend *d)
{
    g->node = NEW_ARRAY(struct loop_node, g->n);
    for (int k = 0; k < g->n; k++) {
        g->node[k].insn = d->node[k].insn;
        g->node[k].partner = -1;
        g->node[k].latency = core_timing(g->f->core, d->node[k].insn->insn)->latency;
    }
}

static void add_edges(struct loop_graph *g, const struct depend *d)
{
    for (int k = 0; k < g->n; k++)
        for (int e = 0; e < d->node[k].out.n; e++) {
            const struct depend_edge *from = &d->node[k].out.at[e];
            struct loop_edge edge = { k, from->to % g->n, from->latency, from->to / g->n,
                                      from->kind };
            if (edge.kind != DEPEND_TRUE)
                edge.latency = 0;
            if (edge.from == edge.to && edge.kind != DEPEND_TRUE)
                continue;
            if (edge.distance == 1 && is_broken(BROKEN_PIPELINING))
                continue;
            vec_push(&g->node[edge.from].out, g->edge.n);
            vec_push(&g->node[edge.to].in, g->edge.n);
            vec_push(&g->edge, edge);
        }
}

static void mark_early(struct loop_graph *g, int node)
{
    if (g->node[node].is_early)
        return;
    g->node[node].is_early = true;
    for (int k = 0; k < g->node[node].in.n; k++) {
        const struct loop_edge *e = &g->edge.at[g->node[node].in.at[k]];
        if (e->distance == 0)
            mark_early(g, e->from);
    }
}

/* -- registers -- */

static bool has(const struct reg_list *l, const struct vreg *v)
{
    for (int k = 0; k < l->n; k++)
        if (l->at[k] == v)
            return true;
    return false;
}

static void add_life(struct loop_graph *g, int node, const struct vreg *v, bool leaves)
{
    struct loop_life life = { .node = node, .reg = v, .leaves = leaves };
    for (int k = 0; k < g->node[node].out.n; k++) {
        int edge = g->node[node].out.at[k];
        const struct loop_edge *e = &g->edge.at[edge];
        struct reg_list uses;
        insn_uses(g->node[e->to].insn, &uses);
        if (e->kind != DEPEND_TRUE || !has(&uses, v))
            continue;
        vec_push(&life.edges, edge);
        vec_push(&g->node[e->to].used, ((struct loop_use){ g->life.n, edge }));
    }
    vec_push(&g->node[node].made, g->life.n);
    vec_push(&g->life, life);
}

static const struct mach_block *exit_of(const struct mach_block *b)
{
    return b->succs.at[b->succs.at[0] == b];
}

/* Does an instruction behind NODE define V again, in the same iteration? */
static bool is_redefined(const struct loop_graph *g, int node, const struct vreg *v)
{
    struct reg_list defs;
    for (int k = node + 1; k < g->n; k++) {
        insn_defs(g->node[k].insn, &defs);
        if (has(&defs, v))
            return true;
    }
    return false;
}

static void find_lives(struct loop_graph *g, const struct liveness *l)
{
    const struct bitset *in = &l->in[g->block->id], *behind = &l->in[exit_of(g->block)->id];
    struct bitset defined = bitset_new(l->vregs);
    for (int node = 0; node < g->n; node++) {
        struct reg_list defs;
        insn_defs(g->node[node].insn, &defs);
        for (int k = 0; k < defs.n; k++) {
            const struct vreg *v = defs.at[k];
            bitset_add(&defined, v->id);
            add_life(g, node, v, bitset_has(behind, v->id) && !is_redefined(g, node, v));
        }
    }
    for (int v = bitset_next(in, 0); v >= 0; v = bitset_next(in, v + 1))
        g->held[g->f->vregs.at[v]->class] += !bitset_has(&defined, v);
}

/* -- fused pairs -- */

/* B waits for A alone, in its iteration. */
static bool waits_only_for(const struct loop_graph *g, int b, int a)
{
    for (int k = 0; k < g->node[b].in.n; k++) {
        const struct loop_edge *e = &g->edge.at[g->node[b].in.at[k]];
        if (e->distance == 0 && e->from != a)
            return false;
    }
    return true;
}

static void find_partners(struct loop_graph *g)
{
    if (!g->f->core->fuses_aes_pair)
        return;
    for (int k = 0; k < g->edge.n; k++) {
        const struct loop_edge *e = &g->edge.at[k];
        struct loop_node *a = &g->node[e->from], *b = &g->node[e->to];
        if (e->distance != 0 || e->kind != DEPEND_TRUE || !are_fused(g->f->core, a->insn, b->insn)
            || !waits_only_for(g, e->to, e->from))
            continue;
        a->partner = e->to;
        b->is_partner = true;
    }
}

/* -- the core -- */

static void add_pipeline(struct loop_graph *g, const struct core *core, struct mach_insn **code)
{
    struct pipeline *p = pipeline_new(core, true);
    pipeline_load(p, code, g->n);
    assert(g->pipelines < MOST_JUDGES);
    g->core[g->pipelines] = core;
    g->pipeline[g->pipelines++] = p;
}

static void load_pipelines(struct loop_graph *g)
{
    const struct core *core = g->f->core;
    struct mach_insn **code = NEW_ARRAY(struct mach_insn *, g->n);
    for (int k = 0; k < g->n; k++)
        code[k] = g->node[k].insn;
    if (core->judges == NULL)
        add_pipeline(g, core, code);
    for (int k = 0; core->judges != NULL && core->judges[k] != NULL; k++)
        add_pipeline(g, core->judges[k], code);
}

/* Recurrences are those of the function's own core. Where several judge, a pair counts
 * as two: what pairs gain in order would be paid for out of order (AEGIS on Cortex-A72:
 * 10 %). */
static void find_bound(struct loop_graph *g)
{
    int resource[MOST_JUDGES], least = INT_MAX;
    for (int k = 0; k < g->pipelines; k++) {
        const struct core *core = g->core[k];
        g->least[k] = resource_interval(g, core, PAIRS_JOINED);
        resource[k] = core == g->f->core && core->in_order
                          ? g->least[k] : resource_interval(g, core, PAIRS_APART);
        least = resource[k] < least ? resource[k] : least;
    }
    const int recurrence = recurrence_interval(g, least);
    for (int k = 0; k < g->pipelines; k++)
        g->bound += resource[k] > recurrence ? resource[k] : recurrence;
}

/* A shorter loop is all latency of its counter. */
enum { LEAST_NODES = 8 };

static bool can_be_ordered(const struct mach_func *f, const struct mach_block *b,
                           const struct mach_insn *branch)
{
    int n = 0;
    for (const struct mach_insn *i = b->first; branch != NULL && i != branch->next; i = i->next) {
        if (!is_movable(f, i))
            return false;
        n++;
    }
    return n >= LEAST_NODES;
}

struct loop_graph *loop_graph_of(struct mach_func *f, struct mach_block *b,
                                 const struct liveness *l)
{
    struct mach_insn *branch = back_branch(b);
    if (!can_be_ordered(f, b, branch))
        return NULL;
    struct depend d = depend_of_loop(f, b->first, branch);
    struct loop_graph *g = NEW(struct loop_graph);
    g->f = f;
    g->block = b;
    g->n = d.n / 2;
    g->tail = branch->prev != NULL && branch->insn == INSN_b_cond
              && branch->prev->flags_out == branch->flags_in ? 2 : 1;
    add_nodes(g, &d);
    add_edges(g, &d);
    for (int k = g->n - g->tail; k < g->n; k++)
        mark_early(g, k);
    find_partners(g);
    find_lives(g, l);
    load_pipelines(g);
    find_bound(g);
    return g;
}
