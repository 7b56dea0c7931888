/* modulo_order.c: in which order a round of a kernel runs.
 *
 * Takes stages. Gives an order that keeps the edges that remain inside a round, by
 * list scheduling on the core's pipeline: of what is ready, what would issue first;
 * of those, what has the longest way to go, counted across the back edge. A round
 * begins in the state in which the one before it left the core, so it is ordered
 * some times over; and once more with a preference for short operations, which have to
 * wait behind long ones where results are written in order. When registers run short,
 * what takes fewest of them goes first: from a limit on that starts where registers
 * end and is lowered until it fits. A core that reorders is taken as one in order.
 */
#include "code/modulo_registers.h"

#include <assert.h>
#include <limits.h>

enum { PASSES = 2, HEADROOM = 2, LIMIT_STEP = 2, MOST_ATTEMPTS = 6 };

struct orderer {
    const struct loop_graph *g;
    const struct kernel *k;     /* the stages */
    struct pipeline *pipeline;
    int *height, *waits, *ready;
    int ready_count, count, last;
    struct pipeline_state *state;
    struct kernel_pressure pressure;
    int limit[CLASS_COUNT];
    bool short_first;           /* prefers what is written soon */
};

/* -- heights -- */

/* Cycles to the end of the longest chain, by node, when a round takes ROUND. */
static void find_heights(struct orderer *o, int round)
{
    const struct loop_graph *g = o->g;
    bool changed = true;
    for (int n = 0; n < g->n; n++)
        o->height[n] = 0;
    /* Chains through many rounds grow for ever when ROUND is too small. */
    for (int turn = 0; changed && turn < g->n; turn++) {
        changed = false;
        for (int e = g->edge.n - 1; e >= 0; e--) {
            const struct loop_edge *edge = &g->edge.at[e];
            int through = o->height[edge->to] + edge->latency
                          - round * kernel_distance(o->k, edge);
            if (edge->kind == DEPEND_TRUE && through > o->height[edge->from]) {
                o->height[edge->from] = through;
                changed = true;
            }
        }
    }
}

/* -- choosing -- */

static bool is_tight(const struct orderer *o)
{
    return o->pressure.now[CLASS_GENERAL] >= o->limit[CLASS_GENERAL]
           || o->pressure.now[CLASS_VECTOR] >= o->limit[CLASS_VECTOR];
}

/* How many registers NODE takes of the classes that are short; 0 when it frees some. */
static int demand(const struct orderer *o, int node)
{
    int sum = 0;
    for (int class = 0; class < CLASS_FLAGS; class++)
        if (o->pressure.now[class] >= o->limit[class])
            sum += kernel_pressure_change(&o->pressure, node, (enum reg_class)class);
    return sum > 0 ? sum : 0;
}

struct rank { int demand, cycle, latency, height, node; };

static bool is_better(const struct rank *a, const struct rank *b)
{
    if (a->demand != b->demand)
        return a->demand < b->demand;
    if (a->demand > 0)
        return a->node < b->node;
    if (a->cycle != b->cycle)
        return a->cycle < b->cycle;
    if (a->latency != b->latency)
        return a->latency < b->latency;
    if (a->height != b->height)
        return a->height > b->height;
    return a->node < b->node;
}

/* The tail waits for everything else. */
static bool may_come(const struct orderer *o, int node)
{
    int body = o->g->n - o->g->tail;
    return node < body || o->count >= body;
}

static int choose(const struct orderer *o)
{
    bool tight = is_tight(o);
    struct rank best = { 0 };
    int chosen = -1;
    for (int r = 0; r < o->ready_count; r++) {
        int node = o->ready[r];
        if (!may_come(o, node))
            continue;
        struct rank rank = { tight ? demand(o, node) : 0,
                             pipeline_earliest(o->pipeline, o->state, node),
                             o->short_first ? o->g->node[node].latency : 0, o->height[node],
                             node };
        if (o->count > 0
            && meets_erratum(o->g->f->core, o->g->node[o->last].insn, o->g->node[node].insn))
            rank.cycle++;
        if (chosen < 0 || is_better(&rank, &best)) {
            best = rank;
            chosen = r;
        }
    }
    assert(chosen >= 0);
    return chosen;
}

static void place(struct orderer *o, struct kernel *out, int node)
{
    const struct loop_node *n = &o->g->node[node];
    pipeline_issue(o->pipeline, o->state, node);
    kernel_pressure_place(&o->pressure, node);
    out->at[o->count++] = node;
    o->last = node;
    for (int k = 0; k < n->out.n; k++) {
        const struct loop_edge *e = &o->g->edge.at[n->out.at[k]];
        if (kernel_distance(o->k, e) == 0 && --o->waits[e->to] == 0
            && !o->g->node[e->to].is_partner)
            o->ready[o->ready_count++] = e->to;
    }
    if (n->partner >= 0)
        place(o, out, n->partner);
}

static void order_round(struct orderer *o, struct kernel *out)
{
    const struct loop_graph *g = o->g;
    o->ready_count = o->count = 0;
    kernel_pressure_start(&o->pressure, o->k);
    for (int k = 0; k < g->n; k++)
        o->waits[k] = 0;
    for (int k = 0; k < g->edge.n; k++)
        o->waits[g->edge.at[k].to] += kernel_distance(o->k, &g->edge.at[k]) == 0;
    for (int k = 0; k < g->n; k++)
        if (o->waits[k] == 0)
            o->ready[o->ready_count++] = k;
    while (o->count < g->n) {
        int r = choose(o), node = o->ready[r];
        o->ready[r] = o->ready[--o->ready_count];
        place(o, out, node);
    }
}

/* -- one set of stages -- */

static struct orderer orderer_for(const struct loop_graph *g, const struct kernel *stages,
                                  struct pipeline *pipeline)
{
    struct orderer o = { .g = g, .k = stages, .pipeline = pipeline,
                         .pressure = kernel_pressure_new(g) };
    o.height = NEW_ARRAY(int, g->n);
    o.waits = NEW_ARRAY(int, g->n);
    o.ready = NEW_ARRAY(int, g->n);
    o.state = mem_alloc(pipeline_state_size(pipeline));
    return o;
}

static void order_rounds(struct orderer *o, struct kernel *best)
{
    struct kernel next = kernel_new(o->g);
    kernel_copy(o->g, &next, o->k);
    pipeline_start(o->pipeline, o->state);
    for (int pass = 0; pass < PASSES; pass++) {
        order_round(o, &next);
        if (!kernel_pressure_fits(&o->pressure))
            continue;
        if (kernel_measure(o->g, &next, best->interval == 0 ? INT_MAX : best->interval - 1)
            && kernel_colours(o->g, &next))
            kernel_copy(o->g, best, &next);
    }
}

/* On one of the pipelines. */
static void order_on(const struct loop_graph *g, struct pipeline *pipeline,
                     const struct kernel *stages, struct kernel *best)
{
    struct orderer o = orderer_for(g, stages, pipeline);
    int known = best->interval;
    find_heights(&o, g->bound / (100 * g->pipelines) + 1);
    for (int attempt = 0; attempt < MOST_ATTEMPTS && best->interval == known; attempt++) {
        for (int class = 0; class < CLASS_FLAGS; class++)
            o.limit[class] = __builtin_popcount(allocatable((enum reg_class)class)) - HEADROOM
                             - attempt * LIMIT_STEP;
        o.short_first = false;
        order_rounds(&o, best);
        o.short_first = true;
        order_rounds(&o, best);
    }
}

bool order_kernel(const struct loop_graph *g, struct kernel *k)
{
    const struct mem_mark mark = mem_mark();
    struct kernel stages = kernel_new(g);
    kernel_copy(g, &stages, k);
    k->interval = 0;
    for (int j = 0; j < g->pipelines; j++)
        order_on(g, g->pipeline[j], &stages, k);
    mem_release_to(mark);
    return k->interval > 0;
}
