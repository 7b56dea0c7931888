/* search.c: deterministic local search over the order of a kernel.
 *
 * A unit (an instruction, or a fused pair) moves some places back or on, over the
 * back edge too, which changes its stage; what its edges allow is known beforehand.
 * Mostly a unit that had to wait is moved, or something else is put in front of
 * it. A move stays when the round takes no longer and the registers suffice; now
 * and then one that costs a cycle stays as well. The moves come from a generator
 * with a fixed seed and their number is given: the result is the same everywhere.
 */
#include "code/modulo_registers.h"

#include <assert.h>

/* One move in so many may make the round slower, by hundredths of a cycle. */
enum { HILL_CHANCE = 16, HILL = 50 };

/* Moves after which it is looked up again what waits, rounds for which the core runs
 * then, and how many units are tried in front of one that waits. */
enum { LOOK_EVERY = 8, LOOK_ROUNDS = 4, FILLERS = 8 };

struct searcher {
    const struct loop_graph *g;
    int stages;
    int units;
    int *first;                 /* by unit: its node */
    int *unit_of;               /* by node; -1: of the tail */
    int *at, *place;            /* unit by place in the round, and back */
    bool *late;                 /* by unit: stage 1 */
    struct kernel trial;
    struct kernel_pressure pressure;
    uint64_t random;
    struct pipeline_event *events;
    int *waiting, waiting_count;        /* units */
};

/* Marsaglia, "Xorshift RNGs", 2003. */
static int pick(struct searcher *s, int n)
{
    s->random ^= s->random << 13;
    s->random ^= s->random >> 7;
    s->random ^= s->random << 17;
    return (int)((s->random >> 32) % (uint64_t)n);
}

/* -- units -- */

static void add_units(struct searcher *s, const struct kernel *k)
{
    const struct loop_graph *g = s->g;
    for (int p = 0; p < g->n; p++) {
        int node = k->at[p];
        if (node >= g->n - g->tail) {
            s->unit_of[node] = -1;
            continue;
        }
        if (!g->node[node].is_partner) {
            s->first[s->units] = node;
            s->late[s->units] = k->late[node];
            s->at[s->units] = s->place[s->units] = s->units;
            s->units++;
        }
        s->unit_of[node] = s->units - 1;
    }
}

static struct searcher searcher_for(const struct loop_graph *g, const struct kernel *k, int stages)
{
    struct searcher s = { .g = g, .stages = stages, .random = 0x9e3779b97f4a7c15 };
    s.first = NEW_ARRAY(int, g->n);
    s.unit_of = NEW_ARRAY(int, g->n);
    s.at = NEW_ARRAY(int, g->n);
    s.place = NEW_ARRAY(int, g->n);
    s.late = NEW_ARRAY(bool, g->n);
    s.trial = kernel_new(g);
    s.pressure = kernel_pressure_new(g);
    s.events = NEW_ARRAY(struct pipeline_event, g->n);
    s.waiting = NEW_ARRAY(int, g->n);
    add_units(&s, k);
    return s;
}

static void write_trial(struct searcher *s)
{
    const struct loop_graph *g = s->g;
    struct kernel *k = &s->trial;
    int n = 0;
    for (int p = 0; p < s->units; p++)
        for (int node = s->first[s->at[p]]; node >= 0; node = g->node[node].partner) {
            k->at[n++] = node;
            k->late[node] = s->late[s->at[p]];
        }
    for (int node = g->n - g->tail; node < g->n; node++)
        k->at[n++] = node;
    assert(n == g->n);
}

/* -- how far a unit may move -- */

struct range { int back, on; };

/* Place in the order of iterations, of an iteration like any other. */
static int when(const struct searcher *s, int unit)
{
    return s->place[unit] + (s->late[unit] ? s->units : 0);
}

static void find_limits(const struct searcher *s, int unit, int *low, int *high)
{
    const struct loop_graph *g = s->g;
    for (int node = s->first[unit]; node >= 0; node = g->node[node].partner) {
        const struct loop_node *n = &g->node[node];
        for (int k = 0; k < n->in.n; k++) {
            const struct loop_edge *e = &g->edge.at[n->in.at[k]];
            int from = s->unit_of[e->from];
            if (from >= 0 && from != unit && when(s, from) - e->distance * s->units > *low)
                *low = when(s, from) - e->distance * s->units;
        }
        for (int k = 0; k < n->out.n; k++) {
            const struct loop_edge *e = &g->edge.at[n->out.at[k]];
            int to = s->unit_of[e->to];
            if (to >= 0 && to != unit && when(s, to) + e->distance * s->units < *high)
                *high = when(s, to) + e->distance * s->units;
        }
        if (n->is_early && *high > s->units)
            *high = s->units;
    }
}

static int least(int a, int b) { return a < b ? a : b; }

/* Never all the way round: an iteration's unit stays behind that of the one before. */
static struct range find_range(const struct searcher *s, int unit)
{
    int now = when(s, unit), low = -1, high = 2 * s->units;
    find_limits(s, unit, &low, &high);
    struct range r = { least(now - low, s->units) - 1, least(high - now, s->units) - 1 };
    if (s->stages == 1) {
        r.back = least(r.back, s->place[unit]);
        r.on = least(r.on, s->units - 1 - s->place[unit]);
    }
    return r;
}

/* -- moves -- */

struct move { int unit, by; };

/* One place, WAY 1 or -1; past an end of the round it changes its stage. */
static void step(struct searcher *s, int unit, int way)
{
    int from = s->place[unit], to = from + way, other = way > 0 ? 0 : s->units - 1;
    if (to >= 0 && to < s->units) {
        s->at[from] = s->at[to];
        s->place[s->at[from]] = from;
    } else {
        for (int p = from; p != other; p -= way) {
            s->at[p] = s->at[p - way];
            s->place[s->at[p]] = p;
        }
        to = other;
        s->late[unit] = way > 0;
    }
    s->at[to] = unit;
    s->place[unit] = to;
}

static void make_move(struct searcher *s, struct move m)
{
    for (; m.by > 0; m.by--)
        step(s, m.unit, 1);
    for (; m.by < 0; m.by++)
        step(s, m.unit, -1);
}

static struct move move_somewhere(struct searcher *s, int unit)
{
    struct range r = find_range(s, unit);
    if (r.back + r.on <= 0)
        return (struct move){ unit, 0 };
    int by = pick(s, r.back + r.on);
    return (struct move){ unit, by < r.back ? -1 - by : by - r.back + 1 };
}

/* Puts another unit in front of one that waits, the short way or round the corner. */
static struct move fill_gap(struct searcher *s, int waiting)
{
    for (int attempt = 0; attempt < FILLERS; attempt++) {
        int unit = pick(s, s->units);
        struct range r = find_range(s, unit);
        int by = s->place[waiting] - s->place[unit];
        if (by == 0)
            continue;
        by -= by > 0;
        if (-by > r.back || by > r.on)
            by += by < 0 ? s->units : -s->units;
        if (by != 0 && -by <= r.back && by <= r.on)
            return (struct move){ unit, by };
    }
    return (struct move){ waiting, 0 };
}

static void find_waiting(struct searcher *s)
{
    struct pipeline *p = s->g->pipeline[pick(s, s->g->pipelines)];
    write_trial(s);
    pipeline_run(p, s->trial.at, s->g->n, LOOK_ROUNDS, s->events);
    s->waiting_count = 0;
    for (int k = 0; k < s->g->n; k++) {
        int unit = s->unit_of[s->trial.at[k]];
        if (unit >= 0 && s->events[k].waited > 0 && s->events[k].wait != WAIT_SLOT)
            s->waiting[s->waiting_count++] = unit;
    }
}

static struct move propose(struct searcher *s)
{
    int kind = pick(s, 4);
    if (s->waiting_count == 0 || kind == 0)
        return move_somewhere(s, pick(s, s->units));
    int waiting = s->waiting[pick(s, s->waiting_count)];
    return kind == 1 ? move_somewhere(s, waiting) : fill_gap(s, waiting);
}

/* -- the search -- */

void search_kernel(const struct loop_graph *g, struct kernel *best, int stages, int moves)
{
    const struct mem_mark mark = mem_mark();
    struct searcher s = searcher_for(g, best, stages);
    int now = best->interval;
    for (int turn = 0; turn < moves && best->interval > g->bound; turn++) {
        if (turn % LOOK_EVERY == 0)
            find_waiting(&s);
        struct move m = propose(&s);
        if (m.by == 0)
            continue;
        make_move(&s, m);
        write_trial(&s);
        int hill = now < best->interval + HILL && pick(&s, HILL_CHANCE) == 0 ? HILL : 0;
        if (!kernel_measure(g, &s.trial, now + hill) || !kernel_fits(&s.pressure, &s.trial)) {
            make_move(&s, (struct move){ m.unit, -m.by });
            continue;
        }
        now = s.trial.interval;
        if (now < best->interval && kernel_colours(g, &s.trial))
            kernel_copy(g, best, &s.trial);
    }
    mem_release_to(mark);
}
