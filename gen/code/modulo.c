/* modulo.c: loops of one block, with iterations that overlap where that pays.
 *
 * Takes code whose blocks have been put in order one by one. A loop that takes
 * longer than its bound (ports, issue slots, chains through iterations) is
 * ordered again as something that repeats: where the core is worth a prologue and an
 * epilogue, for several choices of what runs an iteration ahead; then by local search.
 * The quickest is kept; the order that was there, when nothing is quicker.
 *
 * Which instructions run ahead is chosen by decomposition (Gasperoni and
 * Schwiegelshohn, "Scheduling loops on parallel processors", 1992; Wang and
 * Eisenbeis, "Decomposed software pipelining", 1994): cut the order of an iteration
 * somewhere, order what then is one round without looking at the back edge, and
 * cut that order again.
 * Does not: rename registers, unroll, or overlap more than two iterations.
 */
#include "code/modulo.h"

#include <limits.h>

/* Into how many parts an order is cut, and how often again while that helps. */
enum { CUTS = 8, TURNS = 4 };

/* How much above its bound a loop is left alone: a thirtieth; a quarter where an order is
 * sought that several cores can live with. And what a prologue and an epilogue must gain. */
enum { WORTH = 30, WORTH_OF_MANY = 4, WORTH_OF_STAGES = 100 };

/* Moves times nodes that the search makes for an effort of 1: at most some milliseconds.
 * More for a core of its own than for the order without tune. */
enum { SEARCHED = 3000, SEARCHED_OVERLAPPED = 48000 };

static int effort = 1;

void schedule_start(int times)
{
    effort = times > 0 ? times : 1;
    modulo_forget();
}

/* -- stages -- */

/* All that comes before it in its iteration is of stage 0 as well, partners too. */
static void pull_early(const struct loop_graph *g, struct kernel *k, int node)
{
    if (!k->late[node])
        return;
    k->late[node] = false;
    for (int e = 0; e < g->node[node].in.n; e++) {
        const struct loop_edge *edge = &g->edge.at[g->node[node].in.at[e]];
        if (edge->distance == 0)
            pull_early(g, k, edge->from);
    }
    if (g->node[node].partner >= 0)
        pull_early(g, k, g->node[node].partner);
}

/* The first COUNT of ORDER, what the branch needs, and what those need are of stage 0. */
static void cut_order(const struct loop_graph *g, struct kernel *k, const int *order, int count)
{
    for (int node = 0; node < g->n; node++)
        k->late[node] = true;
    for (int node = 0; node < g->n; node++)
        if (g->node[node].is_early)
            pull_early(g, k, node);
    for (int p = 0; p < count; p++)
        pull_early(g, k, order[p]);
}

/* The order of one iteration. */
static void straighten(const struct loop_graph *g, const struct kernel *k, int *order)
{
    int n = 0;
    for (int late = 0; late < 2; late++)
        for (int p = 0; p < g->n; p++)
            if (k->late[k->at[p]] == (late == 1))
                order[n++] = k->at[p];
}

static void try_cuts(const struct loop_graph *g, struct kernel *best)
{
    struct kernel k = kernel_new(g);
    int *order = NEW_ARRAY(int, g->n);
    for (int turn = 0, before = 0; turn < TURNS && best->interval != before; turn++) {
        before = best->interval;
        straighten(g, best, order);
        for (int part = CUTS; part >= 0 && best->interval > g->bound; part--) {
            cut_order(g, &k, order, g->n * part / CUTS);
            if (order_kernel(g, &k) && k.interval < best->interval)
                kernel_copy(g, best, &k);
        }
    }
}

/* Without a second stage. */
static void try_one_stage(const struct loop_graph *g, struct kernel *best)
{
    struct kernel k = kernel_new(g);
    if (order_kernel(g, &k) && k.interval < best->interval)
        kernel_copy(g, best, &k);
}

/* -- one loop -- */

/* The order that scheduling of blocks found. */
struct found_order { VEC(struct mach_insn *) at; };

static struct found_order order_of(const struct mach_block *b)
{
    struct found_order found = { { 0 } };
    for (struct mach_insn *i = b->first; i != NULL; i = i->next)
        vec_push(&found.at, i);
    return found;
}

/* As a kernel of one stage. */
static struct kernel as_found(const struct loop_graph *g, const struct found_order *found)
{
    struct kernel k = kernel_new(g);
    for (int p = 0; p < g->n; p++)
        for (int node = 0; node < g->n; node++)
            if (g->node[node].insn == found->at.at[p])
                k.at[p] = node;
    kernel_measure(g, &k, INT_MAX);
    return k;
}

static void put_back(struct mach_block *b, const struct found_order *found)
{
    for (int p = 0; p < found->at.n; p++) {
        insn_remove(found->at.at[p]);
        insn_append(b, found->at.at[p]);
    }
}

static void search(const struct loop_graph *g, struct kernel *k, int stages)
{
    int nodes = g->f->core->overlaps_iterations ? SEARCHED_OVERLAPPED : SEARCHED;
    search_kernel(g, k, stages, (int)((int64_t)effort * nodes / g->n));
}

/* Iterations overlap in BEST afterwards where that pays. FOUND is where cutting starts. */
static void overlap(const struct loop_graph *g, const struct kernel *found, struct kernel *best)
{
    struct kernel k = kernel_new(g);
    kernel_copy(g, &k, found);
    try_cuts(g, &k);
    search(g, &k, 2);
    if (k.interval + best->interval / WORTH_OF_STAGES <= best->interval)
        kernel_copy(g, best, &k);
}

/* How far above its bound a loop is left alone. */
static int margin(const struct loop_graph *g)
{
    return g->bound / (g->f->core->judges != NULL ? WORTH_OF_MANY : WORTH);
}

/* A better order than FOUND, if there is one: BEST. */
static bool improve(const struct loop_graph *g, const struct kernel *found, struct kernel *best)
{
    const struct core *core = g->f->core;
    if (found->interval <= g->bound + margin(g))
        return false;
    bool overlaps = core->overlaps_iterations && !g->f->keeps_iterations;
    if (kernel_recall(g, effort, best))
        return best->interval < found->interval;
    kernel_copy(g, best, found);
    try_one_stage(g, best);
    if (overlaps)
        overlap(g, found, best);
    else
        search(g, best, 1);
    kernel_remember(g, effort, best);
    return best->interval < found->interval;
}

static bool is_loop(const struct mach_block *b)
{
    for (int s = 0; s < b->succs.n; s++)
        if (b->succs.at[s] == b)
            return true;
    return false;
}

/* Nodes are numbered as selection left them, so that the same loop is the same graph
 * in every function. */
static void pipeline_loop(struct mach_func *f, struct mach_block *b)
{
    const struct mem_mark mark = mem_mark();
    struct found_order order = order_of(b);
    restore_order(b);
    struct loop_graph *g = loop_graph_of(f, b, liveness_of(f));
    if (g != NULL) {
        struct kernel found = as_found(g, &order), best = kernel_new(g);
        if (improve(g, &found, &best)) {
            f->overlaps_iterations |= emit_kernel(g, &best);
            return;
        }
    }
    put_back(b, &order);
    mem_release_to(mark);
}

bool pipeline_loops(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++) {
        struct mach_block *b = f->blocks.at[k];
        if (is_loop(b) && b->ordered == NULL)
            pipeline_loop(f, b);
        k = b->id;
    }
    return f->overlaps_iterations;
}
