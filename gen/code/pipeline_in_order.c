/* pipeline_in_order.c: an in-order core, one instruction after the other.
 *
 * An instruction issues in the cycle in which there is a slot for it, its registers
 * are there, its ports are free, and it will not be written before something older
 * (unless it retires early). What is behind it waits as long. One of more
 * micro-operations than a cycle has slots takes those of the next cycles as well.
 */
#include "code/pipeline_steps.h"

#include <string.h>

struct pipeline_state {
    int cycle, used;            /* slots used in that cycle */
    int write_back;             /* when the youngest result is written */
    int last;                   /* the instruction issued last, or -1 */
    int port_free[CORE_MAX_PORTS];
    struct arrival { int time, network; } at[];     /* by slot */
};

size_t state_size_for(int slots)
{
    return sizeof(struct pipeline_state) + sizeof(struct arrival) * (size_t)slots;
}

size_t pipeline_state_size(const struct pipeline *p) { return state_size_for(p->slots); }

void pipeline_start(const struct pipeline *p, struct pipeline_state *s)
{
    memset(s, 0, pipeline_state_size(p));
    s->last = -1;
}

/* The first cycle with a slot, and how many of its slots are used. */
static inline int slot_cycle(const struct pipeline *p, const struct pipeline_state *s,
                      const struct step *t, int *used)
{
    const int width = p->core->issue_width;
    int cycle = s->cycle;
    *used = s->used;
    while (*used > width || (*used == width && t->uops <= width)) {
        cycle++;
        *used -= width;
    }
    if ((*used + t->uops > width && t->uops <= width) || (t->first_in_cycle && *used > 0)) {
        cycle++;
        *used = 0;
    }
    return cycle;
}

static inline int port_cycle(const struct pipeline_state *s, uint32_t ports)
{
    int free = INT32_MAX;
    for (; ports != 0; ports &= ports - 1) {
        const int at = s->port_free[__builtin_ctz(ports)];
        if (at < free)
            free = at;
    }
    return free;
}

static inline int take_port(struct pipeline_state *s, const struct port_use *u, int cycle)
{
    for (uint32_t ports = u->ports; ports != 0; ports &= ports - 1) {
        const int port = __builtin_ctz(ports);
        if (s->port_free[port] <= cycle) {
            s->port_free[port] = cycle + u->busy;
            return port;
        }
    }
    return -1;
}

/* NULL where nobody asks. */
struct delay { enum pipeline_wait why; int cycles, slot; };

static inline void hold(struct delay *d, int *cycle, int until, enum pipeline_wait why, int slot)
{
    if (until <= *cycle)
        return;
    if (d != NULL)
        *d = (struct delay){ why, until - *cycle, slot };
    *cycle = until;
}

/* When T would issue, from FIRST on, the cycle with a slot. */
static inline int issue_cycle(const struct pipeline_state *s, const struct step *t, int first,
                              struct delay *d)
{
    int cycle = first;
    for (int k = 0; k < t->reads; k++) {
        const struct arrival *a = &s->at[t->read[k].slot];
        hold(d, &cycle, a->time - t->read[k].early[a->network], WAIT_OPERAND, t->read[k].slot);
    }
    for (int k = 0; k < t->uses; k++)
        hold(d, &cycle, port_cycle(s, t->use[k].ports), WAIT_PORT, 0);
    if (!t->retires_early)
        hold(d, &cycle, s->write_back - t->first_write, WAIT_WRITE_BACK, 0);
    return cycle;
}

static inline int issue(const struct pipeline *p, struct pipeline_state *s, const struct step *t,
                        struct delay *d, int *port)
{
    int used;
    const int first = slot_cycle(p, s, t, &used);
    if (d != NULL)
        *d = (struct delay){ .why = first > s->cycle ? WAIT_SLOT : WAIT_NOTHING,
                             .cycles = first - s->cycle };
    const int cycle = issue_cycle(s, t, first, d);
    if (cycle > first)
        used = 0;
    s->cycle = cycle;
    s->used = used + t->uops;
    *port = -1;
    for (int k = t->uses - 1; k >= 0; k--)
        *port = take_port(s, &t->use[k], cycle);
    for (int k = 0; k < t->writes; k++)
        s->at[t->write[k].slot] = (struct arrival){ cycle + t->write[k].latency,
                                                    t->write[k].network };
    if (!t->retires_early)
        s->write_back = cycle + t->latency;
    return cycle;
}

int pipeline_earliest(const struct pipeline *p, const struct pipeline_state *s, int index)
{
    const struct step *t = step_after(p, s->last, index);
    int used;
    return issue_cycle(s, t, slot_cycle(p, s, t, &used), NULL);
}

int pipeline_issue(const struct pipeline *p, struct pipeline_state *s, int index)
{
    const struct step *t = step_after(p, s->last, index);
    int port;
    s->last = index;
    return issue(p, s, t, NULL, &port);
}

/* -- a whole run -- */

/* Cycles until everything issued is done; llvm-mca needs one more to retire it. */
static int done(const struct pipeline_state *s, int last_write)
{
    return (last_write > s->cycle ? last_write : s->cycle) + 1;
}

static int later(int a, int b) { return a > b ? a : b; }

/* Nobody asks what waits for what. */
static int run_iteration(struct pipeline *p, struct pipeline_state *s, int n, int last_write)
{
    int port;
    for (int k = 0; k < n; k++) {
        const int cycle = issue(p, s, p->sequence[k], NULL, &port);
        last_write = later(cycle + p->sequence[k]->latency, last_write);
    }
    return last_write;
}

static int watch_iteration(struct pipeline *p, struct pipeline_state *s, const int *order, int n,
                           int last_write, struct pipeline_event *events)
{
    int start = 0;
    for (int k = 0; k < n; k++) {
        const struct step *t = p->sequence[k];
        struct delay d;
        int port;
        const int cycle = issue(p, s, t, &d, &port);
        last_write = later(cycle + t->latency, last_write);
        if (k == 0)
            start = cycle;
        events[k] = (struct pipeline_event){
            .cycle = cycle - start, .port = (int8_t)port, .wait = d.why, .waited = d.cycles,
            .on = d.why == WAIT_OPERAND ? p->origin[d.slot] : -1,
        };
        for (int w = 0; w < t->writes; w++)
            p->origin[t->write[w].slot] = order[k];
    }
    return last_write;
}

int run_in_order(struct pipeline *p, const int *order, int n, int iterations,
                 struct pipeline_event *events)
{
    struct pipeline_state *s = p->state;
    int last_write = 0;
    pipeline_start(p, s);
    find_sequence(p, order, n);
    for (int slot = 0; slot < p->slots; slot++)
        p->origin[slot] = -1;
    for (int i = 0; i < iterations; i++) {
        if (events == NULL || i > iterations / 2)
            last_write = run_iteration(p, s, n, last_write);
        else
            last_write = watch_iteration(p, s, order, n, last_write, events);
        if (i == 0)             /* from now on the last stands in front of the first */
            p->sequence[0] = step_after(p, order[n - 1], order[0]);
        if (i == iterations / 2 - 1)
            p->half = done(s, last_write);
    }
    return done(s, last_write);
}
