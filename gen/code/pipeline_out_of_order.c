/* pipeline_out_of_order.c: an out-of-order core, cycle by cycle.
 *
 * A cycle: what is done leaves the window, oldest first; of what is ready, the
 * instruction that is oldest, or that more wait for, takes ports as long as there are
 * any; new ones enter, in order, as many micro-operations as the core dispatches, when
 * the window and the buffers have room. Registers are renamed, so that only a use
 * waits for its definition. Stores wait until the loads and stores before them issue.
 *
 * Of several free ports the next in turn is taken, as llvm-mca does: from the
 * highest down, and round again when all had one. A core that chose better would be
 * faster; the figures compared with are llvm-mca's.
 *
 * Everything that waits is in a list by what it waits for: for an instruction (of
 * whose users it is then), for a cycle (a calendar), or for ports (queues, one for each
 * pattern of port uses, by key).
 */
#include "code/pipeline_steps.h"

#include <assert.h>
#include <limits.h>
#include <string.h>

enum {
    ENTRIES = 512,              /* in flight: more than any window has */
    CALENDAR = 64,              /* cycles ahead: more than any latency */
    MAX_PATTERNS = 64,
    MAX_GROUPS = 24,
    NONE = -1
};

/* What goes first has the least key: older by so many places is worth a number. */
#define OLDER ((int64_t)1 << 32)

struct entry {
    const struct step *step;
    int64_t key;
    int number;                 /* in program order, from 0 */
    int dispatched, ready, issued;      /* cycles; issued: NONE before */
    int waits;                  /* producers not issued */
    int users;                  /* head of a list of reads, 2^3 a step */
    int next, previous;         /* in a queue or the calendar */
    int last_producer;          /* who made it wait longest: number */
    int8_t port;
    bool counted;               /* it is in a queue */
};

/* Ports that instructions ask for together, and whose turn it is. */
struct group { uint32_t ports, turn, passed; };

/* What is ready and uses the same ports. */
struct queue {
    const struct step *like;
    uint32_t ports;             /* of its only use; 0: it has none, or several */
    int8_t group[STEP_USES];    /* by use; NONE: it asks for one port */
    int head, tail;
};

struct window {
    struct entry entry[ENTRIES];
    int next_user[ENTRIES * STEP_READS];
    int turn;                   /* entries after which they are used again, less 1: 2^n - 1 */
    struct queue queue[MAX_PATTERNS];
    uint64_t queued;            /* queues that are not empty */
    int calendar[CALENDAR];
    uint64_t due;               /* its days that are not empty */
    int port_free[CORE_MAX_PORTS];
    uint32_t free;              /* ports free in this cycle */
    uint32_t busy;              /* ports that are not, in the next */
    uint32_t groups_with[CORE_MAX_PORTS];       /* a bit each */
    struct group group[MAX_GROUPS];
    int groups;
    int buffered[32];
    int oldest, youngest;       /* in flight: [oldest, youngest) */
    int in_window;              /* micro-operations */
    int cycle;
    int last_load, last_store;  /* numbers */
};

struct window *window_new(const struct core *core)
{
    struct window *w = NEW(struct window);
    /* One more than are in flight: events look at the one before. */
    while (w->turn < core->window + 1)
        w->turn = 2 * w->turn + 1;
    assert(w->turn < ENTRIES);
    return w;
}

static int place_of(const struct window *w, int number) { return number & w->turn; }

static struct entry *entry_of(struct window *w, int number)
{
    return &w->entry[place_of(w, number)];
}

/* -- ports -- */

static int find_group(struct window *w, uint32_t ports)
{
    int g = 0;
    if ((ports & (ports - 1)) == 0)
        return NONE;
    while (g < w->groups && w->group[g].ports != ports)
        g++;
    assert(g < MAX_GROUPS);
    if (g == w->groups)
        w->group[w->groups++].ports = ports;
    return g;
}

void find_port_groups(struct pipeline *p)
{
    struct window *w = p->window;
    w->groups = 0;
    assert(p->patterns <= MAX_PATTERNS);
    for (int pattern = 0; pattern < p->patterns; pattern++) {
        const struct step *t = p->like[pattern];
        struct queue *q = &w->queue[pattern];
        q->like = t;
        q->ports = t->uses == 1 ? t->use[0].ports : 0;
        for (int u = 0; u < t->uses; u++)
            q->group[u] = (int8_t)find_group(w, t->use[u].ports);
    }
    for (int port = 0; port < p->core->port_count; port++) {
        w->groups_with[port] = 0;
        for (int g = 0; g < w->groups; g++)
            w->groups_with[port] |= (w->group[g].ports >> port & 1) << g;
    }
}

/* The turn passes a port that was taken. */
static void pass(struct group *g, uint32_t port)
{
    if (port > g->turn) {
        g->passed |= port;
        return;
    }
    g->turn &= ~port;
    if (g->turn != 0)
        return;
    g->turn = g->ports ^ g->passed;
    g->passed = 0;
}

static uint32_t highest(uint32_t ports) { return 1u << (31 - __builtin_clz(ports)); }

static uint32_t next_in_turn(struct group *g, uint32_t free)
{
    if ((free & g->turn) == 0) {
        g->turn = g->ports ^ g->passed;
        g->passed = 0;
        if ((free & g->turn) == 0)
            g->turn = g->ports;
    }
    const uint32_t port = highest(free & g->turn);
    g->turn &= port | (port - 1);
    return port;
}

static void find_free_ports(struct window *w, uint32_t all)
{
    for (uint32_t busy = w->busy; busy != 0; busy &= busy - 1) {
        const int port = __builtin_ctz(busy);
        if (w->port_free[port] <= w->cycle)
            w->busy &= ~(1u << port);
    }
    w->free = all & ~w->busy;
}

/* Has every use a port of its own? */
static bool has_ports(const struct window *w, const struct queue *q)
{
    uint32_t taken = 0;
    if (q->ports != 0)
        return (q->ports & w->free) != 0;
    for (int k = 0; k < q->like->uses; k++) {
        const uint32_t free = w->free & q->like->use[k].ports & ~taken;
        if (free == 0)
            return false;
        taken |= highest(free);
    }
    return true;
}

static int take_port(struct window *w, const struct port_use *u, int group)
{
    const uint32_t free = w->free & u->ports;
    const uint32_t port = group == NONE ? highest(free) : next_in_turn(&w->group[group], free);
    const int number = __builtin_ctz(port);
    for (uint32_t with = w->groups_with[number]; with != 0; with &= with - 1)
        pass(&w->group[__builtin_ctz(with)], port);
    w->port_free[number] = w->cycle + u->busy;
    w->busy |= port;
    w->free &= ~port;
    return number;
}

/* -- queues of what is ready, by key -- */

static void unlink_entry(struct window *w, struct entry *e)
{
    struct queue *q = &w->queue[e->step->pattern];
    if (e->previous != NONE)
        entry_of(w, e->previous)->next = e->next;
    else
        q->head = e->next;
    if (e->next != NONE)
        entry_of(w, e->next)->previous = e->previous;
    else
        q->tail = e->previous;
    if (q->head == NONE)
        w->queued &= ~(1ull << e->step->pattern);
}

/* Behind the last that goes before it, searched from BEHIND. */
static void link_entry(struct window *w, struct entry *e, int behind)
{
    struct queue *q = &w->queue[e->step->pattern];
    while (behind != NONE && e->key < entry_of(w, behind)->key)
        behind = entry_of(w, behind)->previous;
    e->previous = behind;
    e->next = behind != NONE ? entry_of(w, behind)->next : q->head;
    if (behind != NONE)
        entry_of(w, behind)->next = e->number;
    else
        q->head = e->number;
    if (e->next != NONE)
        entry_of(w, e->next)->previous = e->number;
    else
        q->tail = e->number;
    w->queued |= 1ull << e->step->pattern;
}

static void enqueue(struct window *w, struct entry *e)
{
    e->counted = true;
    link_entry(w, e, w->queue[e->step->pattern].tail);
}

/* One more waits for it: it goes further in front. */
static void promote(struct window *w, struct entry *e)
{
    e->key -= OLDER;
    if (!e->counted || e->previous == NONE || e->key > entry_of(w, e->previous)->key)
        return;
    const int behind = e->previous;
    unlink_entry(w, e);
    link_entry(w, e, behind);
}

static void wait_until(struct window *w, struct entry *e, int cycle)
{
    const int day = cycle % CALENDAR;
    if (cycle <= w->cycle) {
        enqueue(w, e);
        return;
    }
    assert(cycle - w->cycle < CALENDAR);
    e->next = (w->due >> day & 1) != 0 ? w->calendar[day] : NONE;
    w->calendar[day] = e->number;
    w->due |= 1ull << day;
}

static void take_from_calendar(struct window *w)
{
    const int day = w->cycle % CALENDAR;
    if ((w->due >> day & 1) == 0)
        return;
    w->due &= ~(1ull << day);
    for (int number = w->calendar[day]; number != NONE;) {
        struct entry *e = entry_of(w, number);
        number = e->next;
        enqueue(w, e);
    }
}

/* -- dependences -- */

/* When WRITER's result in SLOT reaches a read, WRITER having issued. */
static int arrival(const struct entry *writer, const struct step_read *r)
{
    const struct step *t = writer->step;
    int latency = 0;
    for (int k = 0; k < t->writes; k++)
        if (t->write[k].slot == r->slot) {
            latency = t->write[k].latency - r->early[t->write[k].network];
            break;
        }
    return writer->issued + (latency > 0 ? latency : 0);
}

static void arrive(struct entry *e, int cycle, int producer)
{
    if (cycle <= e->ready)
        return;
    e->ready = cycle;
    e->last_producer = producer;
}

static void depend_on(struct window *w, struct entry *e, int read, struct entry *from)
{
    const int node = place_of(w, e->number) * STEP_READS + read;
    e->waits++;
    w->next_user[node] = from->users;
    from->users = node;
}

/* E reads what WRITER, a number or NONE, wrote last. */
static void read_from(struct window *w, struct entry *e, int read, int writer)
{
    if (writer < w->oldest)
        return;
    struct entry *from = entry_of(w, writer);
    if (from->issued != NONE) {
        arrive(e, arrival(from, &e->step->read[read]), writer);
        return;
    }
    depend_on(w, e, read, from);
    promote(w, from);
}

static void release_users(struct window *w, struct entry *from)
{
    for (int node = from->users; node != NONE;) {
        struct entry *e = &w->entry[node / STEP_READS];
        const int read = node % STEP_READS, next = w->next_user[node];
        arrive(e, read < e->step->reads ? arrival(from, &e->step->read[read]) : w->cycle,
               from->number);
        if (--e->waits == 0)
            wait_until(w, e, e->ready);
        node = next;
    }
    from->users = NONE;
}

/* A store issues no earlier than the accesses before it. */
static void follow_memory(struct window *w, struct entry *e)
{
    const struct step *t = e->step;
    if (t->stores) {
        const int before[] = { w->last_load, w->last_store };
        for (int k = 0; k < 2; k++)
            if (before[k] >= w->oldest && entry_of(w, before[k])->issued == NONE
                && t->reads + k < STEP_READS)
                depend_on(w, e, t->reads + k, entry_of(w, before[k]));
        w->last_store = e->number;
    } else if (t->loads)
        w->last_load = e->number;
}

/* -- issue -- */

static void issue(struct window *w, struct entry *e)
{
    const struct step *t = e->step;
    const int8_t *group = w->queue[t->pattern].group;
    e->issued = w->cycle;
    for (int k = t->uses - 1; k >= 0; k--)
        e->port = (int8_t)take_port(w, &t->use[k], group[k]);
    for (uint32_t b = t->buffers; b != 0; b &= b - 1)
        w->buffered[__builtin_ctz(b)]--;
    release_users(w, e);
}

static void issue_ready(struct window *w)
{
    uint64_t blocked = 0;
    for (;;) {
        struct entry *best = NULL;
        for (uint64_t left = w->queued & ~blocked; left != 0; left &= left - 1) {
            const struct queue *q = &w->queue[__builtin_ctzll(left)];
            struct entry *e = entry_of(w, q->head);
            if (best != NULL && best->key < e->key)
                continue;
            if (has_ports(w, q))
                best = e;
            else
                blocked |= left & -left;
        }
        if (best == NULL)
            return;
        unlink_entry(w, best);
        best->counted = false;
        issue(w, best);
    }
}

/* -- retirement -- */

struct feed {
    const int *order;
    struct pipeline_event *events;      /* of the iteration that starts with number `middle` */
    int middle;
    int n, all;                 /* in one iteration; in all of them */
    int next, k;                /* number of the next one; its place in the iteration */
    int slots, carry;
    bool is_full;               /* nothing enters until something leaves */
};

/* What happened to E, the K-th of its iteration; absolute cycles. */
static struct pipeline_event event_of(const struct window *w, const struct entry *e,
                                      const struct feed *f)
{
    struct pipeline_event v = { .cycle = e->issued, .port = e->port, .on = NONE };
    const int before = e->number > 0 ? w->entry[place_of(w, e->number - 1)].dispatched
                                     : e->dispatched;
    if (e->issued > e->ready) {
        v.wait = WAIT_PORT;
        v.waited = e->issued - e->ready;
    } else if (e->last_producer != NONE) {
        v.wait = WAIT_OPERAND;
        v.waited = e->ready - e->dispatched - 1;
        v.on = f->order[e->last_producer % f->n];
    } else if (e->dispatched > before) {
        v.wait = e->dispatched > before + 1 ? WAIT_WINDOW : WAIT_SLOT;
        v.waited = e->dispatched - before;
    }
    return v;
}

static bool is_done(const struct window *w, const struct entry *e)
{
    return e->issued != NONE && e->issued + e->step->latency < w->cycle;
}

static int room_of(const struct step *t) { return t->uops > 0 ? t->uops : 1; }

static void retire(struct window *w, const struct feed *f)
{
    while (w->oldest < w->youngest && is_done(w, entry_of(w, w->oldest))) {
        const struct entry *e = entry_of(w, w->oldest++);
        w->in_window -= room_of(e->step);
        if (f->events != NULL && e->number >= f->middle && e->number < f->middle + f->n)
            f->events[e->number - f->middle] = event_of(w, e, f);
    }
}

/* -- dispatch -- */

static bool has_room(const struct pipeline *p, const struct step *t)
{
    const struct window *w = p->window;
    if (w->in_window + room_of(t) > p->core->window && w->in_window > 0)
        return false;
    for (uint32_t b = t->buffers; b != 0; b &= b - 1) {
        const int k = __builtin_ctz(b);
        if (w->buffered[k] >= p->core->buffers[k].size)
            return false;
    }
    return true;
}

static void enter(struct pipeline *p, const struct step *t, int number)
{
    struct window *w = p->window;
    struct entry *e = entry_of(w, number);
    *e = (struct entry){
        .step = t, .number = number, .dispatched = w->cycle, .ready = w->cycle + 1,
        .issued = NONE, .key = number * (OLDER + 1), .users = NONE, .last_producer = NONE,
        .port = NONE,
    };
    w->youngest = number + 1;
    w->in_window += room_of(t);
    for (uint32_t b = t->buffers; b != 0; b &= b - 1)
        w->buffered[__builtin_ctz(b)]++;
    for (int k = 0; k < t->reads; k++)
        read_from(w, e, k, p->origin[t->read[k].slot]);
    follow_memory(w, e);
    for (int k = 0; k < t->writes; k++)
        p->origin[t->write[k].slot] = number;
    if (e->waits == 0)
        wait_until(w, e, e->ready);
}

/* An operation wider than a cycle enters in one of its own and takes the next too. */
static void dispatch(struct pipeline *p, struct feed *f)
{
    const int width = p->core->issue_width;
    f->slots = f->carry < width ? width - f->carry : 0;
    f->carry -= width - f->slots;
    f->is_full = false;
    while (f->next < f->all) {
        const struct step *t = p->sequence[f->k];
        const int needed = t->uops < width ? t->uops : width;
        if (needed > f->slots)
            return;
        f->is_full = !has_room(p, t);
        if (f->is_full)
            return;
        if (t->uops > width)
            f->carry = t->uops - width;
        f->slots -= needed;
        enter(p, t, f->next++);
        f->k = f->k + 1 == f->n ? 0 : f->k + 1;
    }
    f->is_full = true;
}

/* The next cycle in which anything can happen: a day of the calendar, or the oldest is
 * done. Most loops wait more than they work. */
static int next_cycle(struct window *w, const struct feed *f)
{
    const int cycle = w->cycle + 1;
    if (w->queued != 0 || !f->is_full || f->carry > 0 || w->oldest == w->youngest)
        return cycle;
    const int day = cycle % CALENDAR;
    const struct entry *e = entry_of(w, w->oldest);
    int next = e->issued != NONE ? e->issued + e->step->latency + 1 : INT_MAX;
    if (w->due != 0) {
        const uint64_t from_now = w->due >> day | w->due << (-day & (CALENDAR - 1));
        const int ahead = __builtin_ctzll(from_now);
        next = cycle + ahead < next ? cycle + ahead : next;
    }
    return next > cycle ? next : cycle;
}

/* -- a whole run -- */

static void start(struct pipeline *p)
{
    struct window *w = p->window;
    for (int g = 0; g < w->groups; g++) {
        w->group[g].turn = w->group[g].ports;
        w->group[g].passed = 0;
    }
    for (int k = 0; k < p->patterns; k++)
        w->queue[k].head = w->queue[k].tail = NONE;
    memset(w->buffered, 0, sizeof w->buffered);
    w->oldest = w->youngest = w->in_window = w->cycle = 0;
    w->last_load = w->last_store = NONE;
    w->queued = w->due = 0;
    w->busy = 0;
    for (int slot = 0; slot < p->slots; slot++)
        p->origin[slot] = NONE;
}

int run_out_of_order(struct pipeline *p, const int *order, int n, int iterations,
                     struct pipeline_event *events)
{
    struct window *w = p->window;
    struct feed f = { .order = order, .events = events, .middle = iterations / 2 * n, .n = n,
                      .all = n * iterations };
    const uint32_t ports = (uint32_t)((1ull << p->core->port_count) - 1);
    start(p);
    find_sequence(p, order, n);
    p->half = 0;
    for (; w->oldest < f.all; w->cycle = next_cycle(w, &f)) {
        const int before = w->oldest;
        retire(w, &f);
        if (before < f.middle && w->oldest >= f.middle)
            p->half = w->cycle;
        take_from_calendar(w);
        find_free_ports(w, ports);
        issue_ready(w);
        dispatch(p, &f);
    }
    for (int k = n - 1; events != NULL && k >= 0; k--)
        events[k].cycle -= events[0].cycle;
    return w->cycle;
}
