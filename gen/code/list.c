/* list.c: see list.h.
 *
 * Pairs that the core fuses stay adjacent: aesmc follows its aese. Ties are broken by
 * program order, so that the result is the same on every machine. Does not: know
 * whether a stretch is in a loop.
 */
#include "code/list.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

/* Registers left to allocation's constraints. */
enum { HEADROOM = 2 };

/* -- pressure -- */

static bool is_tight(const struct list *l)
{
    return l->pressure.now[CLASS_GENERAL] >= l->limit[CLASS_GENERAL]
           || l->pressure.now[CLASS_VECTOR] >= l->limit[CLASS_VECTOR];
}

/* How many registers it takes of the classes that are short; 0 when it frees some. */
static int demand(const struct list *l, int node)
{
    int sum = 0;
    for (int class = 0; class < CLASS_FLAGS; class++)
        if (l->pressure.now[class] >= l->limit[class])
            sum += pressure_change(&l->pressure, node, (enum reg_class)class);
    return sum > 0 ? sum : 0;
}

/* -- one cycle -- */

static_assert(CORE_MAX_PORTS <= 32, "a bit for each port");

static void find_free_ports(struct list *l)
{
    l->free_ports = 0;
    for (int p = 0; p < l->f->core->port_count; p++)
        if (l->port_free[p] <= l->cycle)
            l->free_ports |= 1u << p;
}

/* An instruction of several micro-operations needs as many slots, or a whole cycle. */
static bool can_issue(const struct list *l, int node)
{
    const struct timing *t = l->timing[node];
    if (l->in_order && !(t->flags & RETIRES_EARLY) && l->cycle + t->latency < l->written)
        return false;
    return l->earliest[node] <= l->cycle && (t->ports == 0 || (t->ports & l->free_ports) != 0)
           && (t->uops <= l->slots || l->slots == l->f->core->issue_width);
}

static bool comes_too_early(const struct list *l, const struct mach_insn *i)
{
    return l->count > 0
           && meets_erratum(l->f->core, l->d.node[l->order[l->count - 1]].insn, i);
}

/* What is ready stands in this order. */
static bool stands_before(const struct list *l, int a, int b)
{
    int order = l->d.node[b].height - l->d.node[a].height;
    if (l->priority == SHORTEST_BEFORE)
        order = l->depth[a] - l->depth[b];
    if (l->priority == SOONEST_WRITTEN && l->timing[a]->latency != l->timing[b]->latency)
        order = l->timing[a]->latency - l->timing[b]->latency;
    return order != 0 ? order < 0 : a < b;
}

static void add_ready(struct list *l, int node)
{
    int at = l->ready_count++;
    for (; at > 0 && stands_before(l, node, l->ready[at - 1]); at--)
        l->ready[at] = l->ready[at - 1];
    l->ready[at] = node;
}

static void remove_ready(struct list *l, int r)
{
    memmove(&l->ready[r], &l->ready[r + 1], sizeof *l->ready * (size_t)(--l->ready_count - r));
}

/* The best of what is ready and within the window, as an index into l->ready: the
 * first that meets no erratum, or else the first. -1 when all must wait, and
 * *SOONEST is the first cycle in which that may change. */
static int choose(const struct list *l, int end, int *soonest)
{
    int first = -1;
    *soonest = INT_MAX;
    for (int r = 0; r < l->ready_count; r++) {
        int k = l->ready[r], earliest = l->earliest[k];
        if (k >= end)
            continue;
        if (earliest > l->cycle) {
            *soonest = earliest < *soonest ? earliest : *soonest;
            continue;
        }
        if (!can_issue(l, k)) {
            *soonest = l->cycle + 1;
            continue;
        }
        if (!comes_too_early(l, l->d.node[k].insn))
            return r;
        first = first < 0 ? r : first;
    }
    return first;
}

/* The first cycle for NODE by what it waits for and by what is written before it. */
static int first_cycle(const struct list *l, int node)
{
    const struct timing *t = l->timing[node];
    int cycle = l->earliest[node] > l->cycle ? l->earliest[node] : l->cycle;
    if (l->in_order && !(t->flags & RETIRES_EARLY) && cycle < l->written - t->latency)
        cycle = l->written - t->latency;
    return cycle;
}

/* When NODE would be written, if that keeps others waiting. */
static int write_cycle(const struct list *l, int node)
{
    const struct timing *t = l->timing[node];
    return t->flags & RETIRES_EARLY ? INT_MAX : first_cycle(l, node) + t->latency;
}

/* The soonest writes of what is ready: of one, and of all others. */
struct soonest { int node, write, others; };

static struct soonest soonest_writes(const struct list *l, int end)
{
    struct soonest s = { -1, INT_MAX, INT_MAX };
    for (int r = 0; r < l->ready_count; r++) {
        const int node = l->ready[r], write = node < end ? write_cycle(l, node) : INT_MAX;
        if (write < s.write) {
            s.others = s.write;
            s.write = write;
            s.node = node;
        } else if (write < s.others) {
            s.others = write;
        }
    }
    return s;
}

/* What goes first counting the cycles that it keeps others waiting; it may have to
 * be waited for. */
static int choose_undelaying(const struct list *l, int end, int *soonest)
{
    const struct soonest s = soonest_writes(l, end);
    int best = -1, least = INT_MAX, shortest = 0;
    for (int r = 0; r < l->ready_count; r++) {
        const int node = l->ready[r], latency = l->timing[node]->latency;
        if (node >= end)
            continue;
        const int others = node == s.node ? s.others : s.write, write = write_cycle(l, node);
        int cost = first_cycle(l, node) + comes_too_early(l, l->d.node[node].insn);
        if (write != INT_MAX && write > others)
            cost += write - others;
        if (cost > least || (cost == least && latency >= shortest))
            continue;
        best = r;
        least = cost;
        shortest = latency;
    }
    *soonest = l->cycle + 1;
    return best >= 0 && can_issue(l, l->ready[best]) ? best : -1;
}

/* What decides with registers short, first to last; what would have to wait counts
 * as well. */
struct merit { int demand, node; bool waits, comes_too_early; };

static bool is_better(const struct merit *x, const struct merit *y)
{
    if (x->demand != y->demand)
        return x->demand < y->demand;
    if (x->demand > 0)
        return x->node < y->node;
    if (x->waits != y->waits)
        return y->waits;
    return !x->comes_too_early && y->comes_too_early;
}

static int choose_tight(const struct list *l, int end)
{
    struct merit most = { 0 };
    int best = -1;
    for (int r = 0; r < l->ready_count; r++) {
        int k = l->ready[r];
        if (k >= end)
            continue;
        const struct merit m = { demand(l, k), k, !can_issue(l, k),
                                 comes_too_early(l, l->d.node[k].insn) };
        if (best < 0 || is_better(&m, &most)) {
            best = r;
            most = m;
        }
    }
    return best;
}

static int choose_next(const struct list *l, int end, int *soonest)
{
    if (is_tight(l))
        return choose_tight(l, end);
    return l->priority == NOTHING_DELAYED ? choose_undelaying(l, end, soonest)
                                          : choose(l, end, soonest);
}

static void start_cycle(struct list *l, int cycle)
{
    l->cycle = cycle;
    l->slots = l->f->core->issue_width;
    find_free_ports(l);
}

/* Places the R-th of what is ready. */
static void place(struct list *l, int r)
{
    int node = l->ready[r];
    struct depend_node *n = &l->d.node[node];
    const struct timing *t = l->timing[node];
    while (!can_issue(l, node))
        start_cycle(l, l->cycle + 1);
    uint32_t ports = t->ports & l->free_ports;
    if (ports != 0) {
        l->port_free[__builtin_ctz(ports)] = l->cycle + (t->busy > 0 ? t->busy : 1);
        l->free_ports &= ~(ports & -ports);
    }
    l->slots -= t->uops > 0 ? t->uops : 1;
    if (!(t->flags & RETIRES_EARLY))
        l->written = l->cycle + t->latency;
    remove_ready(l, r);
    l->order[l->count++] = node;
    l->placed[node] = true;
    while (l->first < l->d.n && l->placed[l->first])
        l->first++;
    pressure_place(&l->pressure, node);
    for (int e = 0; e < n->out.n; e++) {
        const struct depend_edge *edge = &n->out.at[e];
        if (--l->waits[edge->to] == 0)
            add_ready(l, edge->to);
        if (l->cycle + edge->latency > l->earliest[edge->to])
            l->earliest[edge->to] = l->cycle + edge->latency;
    }
}

/* aesmc goes right behind the aese it was waiting for, where they fuse. */
static void place_fused(struct list *l, int node)
{
    const struct depend_node *n = &l->d.node[node];
    for (int e = 0; e < n->out.n; e++) {
        int to = n->out.at[e].to, r = 0;
        if (l->waits[to] != 0 || !are_fused(l->f->core, n->insn, l->d.node[to].insn))
            continue;
        while (l->ready[r] != to)
            r++;
        place(l, r);
        return;
    }
}

static bool is_promising(const struct list *l)
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        if (l->pressure.peak[class] > l->most[class])
            return false;
    return l->cycle < l->cycles;
}

/* True when the order is complete, and one to keep. */
static bool place_all(struct list *l)
{
    l->count = l->ready_count = l->cycle = l->first = l->written = 0;
    pressure_restart(&l->pressure);
    l->slots = l->f->core->issue_width;
    for (int p = 0; p < CORE_MAX_PORTS; p++)
        l->port_free[p] = 0;
    find_free_ports(l);
    for (int k = 0; k < l->d.n; k++) {
        l->waits[k] = l->d.node[k].in;
        l->earliest[k] = 0;
        l->placed[k] = false;
        if (l->waits[k] == 0)
            add_ready(l, k);
    }
    while (l->count < l->d.n && is_promising(l)) {
        const int end = l->window > 0 ? l->first + l->window : l->d.n;
        int soonest = l->cycle + 1, r = -1;
        if (l->slots > 0)
            r = choose_next(l, end, &soonest);
        if (r < 0) {
            start_cycle(l, soonest);
            continue;
        }
        int node = l->ready[r];
        place(l, r);
        place_fused(l, node);
    }
    return l->count == l->d.n && is_promising(l);
}

/* -- the whole -- */

/* The second of a fused pair takes a slot beside the first, and no port. */
static void find_timing(struct list *l)
{
    l->second = (struct timing){ .latency = l->f->core->aes_pair_latency, .uops = 1 };
    for (int k = 0; k < l->d.n; k++)
        l->timing[k] = core_timing(l->f->core, l->d.node[k].insn->insn);
    for (int k = 0; k < l->d.n; k++) {
        const struct depend_node *n = &l->d.node[k];
        for (int e = 0; e < n->out.n; e++)
            if (n->out.at[e].kind == DEPEND_TRUE
                && are_fused(l->f->core, n->insn, l->d.node[n->out.at[e].to].insn))
                l->timing[n->out.at[e].to] = &l->second;
    }
}

static void find_depths(struct list *l)
{
    for (int k = 0; k < l->d.n; k++)
        for (int e = 0; e < l->d.node[k].out.n; e++) {
            const struct depend_edge *edge = &l->d.node[k].out.at[e];
            if (l->depth[k] + edge->latency > l->depth[edge->to])
                l->depth[edge->to] = l->depth[k] + edge->latency;
        }
}

void list_init(struct list *l, struct mach_func *f, struct mach_insn *first,
               struct mach_insn *last, const struct bitset *before, const struct bitset *after)
{
    *l = (struct list){ .f = f, .d = depend_of(f, first, last), .cycles = INT_MAX };
    for (int class = 0; class < CLASS_COUNT; class++)
        l->most[class] = INT_MAX;
    l->lives = lives_of(f, &l->d, before, after);
    l->pressure = pressure_new(&l->lives);
    l->waits = NEW_ARRAY(int, l->d.n);
    l->earliest = NEW_ARRAY(int, l->d.n);
    l->depth = NEW_ARRAY(int, l->d.n);
    l->ready = NEW_ARRAY(int, l->d.n);
    l->order = NEW_ARRAY(int, l->d.n);
    l->placed = NEW_ARRAY(bool, l->d.n);
    l->timing = NEW_ARRAY(const struct timing *, l->d.n);
    find_timing(l);
    find_depths(l);
}

bool list_try(struct list *l, const struct strategy *how, const int registers[CLASS_COUNT])
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        l->limit[class] = registers[class] - HEADROOM - how->fewer;
    l->window = how->window;
    l->in_order = l->f->core->in_order && !how->any_write_back;
    l->priority = how->priority;
    return place_all(l);
}
