/* pipeline_write_back.c: what writing results in order costs an iteration at least.
 *
 * In order, an operation of latency l behind one of latency L issues L - l cycles
 * after it or later. Two things follow, whatever the order of the instructions:
 *
 * Beside: when operations of latency L or more are issued one a cycle, none of them is
 * in the cycle before one with l + 2 <= L: those cycles are lost to them. So loads and
 * stores on Cortex-A53 cost vector code a cycle each.
 *
 * Between: when what asks for some ports is issued one a cycle and has L or more, or l
 * or less, each change from long to short leaves L - l - 1 cycles empty; and a chain
 * through the iterations makes them change. So do AES and eor on Cortex-A55.
 *
 * An operand that is written over ends a chain as well: who else reads it comes before.
 * What retires early is not written in order. Does not: see where both happen at once.
 */
#include "code/pipeline_steps.h"

#include <string.h>

enum { TURNS = 120 };           /* as in pipeline_bound.c */

struct body {
    struct pipeline *p;
    const int *order;
    int n;
    uint32_t ports;             /* that are looked at … */
    int latency;                /* … and from where on it is long */
};

static const struct step *step_at(const struct body *b, int k)
{
    return step_after(b->p, k > 0 ? b->order[k - 1] : -1, b->order[k]);
}

static uint32_t ports_of(const struct step *t)
{
    uint32_t ports = 0;
    for (int u = 0; u < t->uses; u++)
        ports |= t->use[u].ports;
    return ports;
}

/* The second of a pair is no operation of its own, and asks for no port. */
static bool is_within(const struct step *t, uint32_t ports)
{
    return t->uses > 0 && !t->retires_early && (ports_of(t) & ~ports) == 0;
}

static bool is_long(const struct body *b, const struct step *t)
{
    return is_within(t, b->ports) && t->latency >= b->latency;
}

static bool is_short(const struct body *b, const struct step *t)
{
    return is_within(t, b->ports) && t->latency < b->latency;
}

static bool is_one_a_cycle(const struct body *b)
{
    bool first = true;
    for (int k = 0; k < b->n; k++)
        if (is_within(step_at(b, k), b->ports))
            first &= step_at(b, k)->first_in_cycle;
    return first || __builtin_popcount(b->ports) == 1;
}

/* -- beside -- */

/* Cycles that what needs PORT, and is short enough, keeps from the long ones. */
static int lost_beside(const struct body *b, uint32_t port)
{
    int lost = 0;
    for (int k = 0; k < b->n; k++) {
        const struct step *t = step_at(b, k);
        if (!is_within(t, port) || t->first_write + 2 > b->latency)
            continue;
        /* All slots of its own cycle as well, and nothing on that port in the next. */
        lost += t->uops >= b->p->core->issue_width && t->use[0].busy > 1 ? 2 : 1;
    }
    return lost;
}

static int bound_beside(const struct body *b)
{
    int all = 0, lost = 0;
    for (int k = 0; k < b->n; k++)
        all += is_long(b, step_at(b, k));
    for (int port = 0; port < b->p->core->port_count; port++) {
        const int here = lost_beside(b, 1u << port);
        lost = here > lost ? here : lost;
    }
    return 100 * (all + lost);
}

/* -- between -- */

/* Of chains, by register: the most changes in one that ends where it is written, or
 * where it is read, and whether something long wrote it. */
struct chains { int *written, *read, *by_long; };

static int largest(int a, int b) { return a > b ? a : b; }

static void count_changes(const struct body *b, const struct chains *c)
{
    for (int k = 0; k < b->n; k++) {
        const struct step *t = step_at(b, k);
        int sum = 0;
        bool after_long = false;
        for (int r = 0; r < t->reads; r++) {
            const int slot = t->read[r].slot;
            sum = largest(sum, c->written[slot] + (is_short(b, t) && c->by_long[slot]));
            if (t->read[r].destroys)
                sum = largest(sum, c->read[slot]);
            after_long |= c->by_long[slot];
        }
        for (int r = 0; r < t->reads; r++)
            c->read[t->read[r].slot] = largest(sum, c->read[t->read[r].slot]);
        for (int w = 0; w < t->writes; w++) {
            const int slot = t->write[w].slot;
            c->written[slot] = c->read[slot] = sum;
            c->by_long[slot] = is_long(b, t) || (t->uses == 0 && after_long);
        }
    }
}

static int most_of(const int *changes, int n)
{
    int most = 0;
    for (int k = 0; k < n; k++)
        most = changes[k] > most ? changes[k] : most;
    return most;
}

/* Hundredths, in an iteration. */
static int changes_in_chain(const struct body *b)
{
    const int slots = b->p->slots;
    const struct chains c = { b->p->time, b->p->origin, b->p->network };
    int half = 0;
    memset(c.written, 0, sizeof *c.written * (size_t)slots);
    memset(c.read, 0, sizeof *c.read * (size_t)slots);
    memset(c.by_long, 0, sizeof *c.by_long * (size_t)slots);
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        count_changes(b, &c);
        if (turn == TURNS - 1)
            half = most_of(c.written, slots);
    }
    return 100 * (most_of(c.written, slots) - half) / TURNS;
}

static int bound_between(const struct body *b)
{
    int all = 0, longest = 0;
    for (int k = 0; k < b->n; k++) {
        const struct step *t = step_at(b, k);
        all += is_within(t, b->ports);
        if (is_short(b, t) && t->first_write > longest)
            longest = t->first_write;
    }
    const int empty = b->latency - longest - 1;
    return longest > 0 && empty > 0 ? 100 * all + empty * changes_in_chain(b) : 0;
}

/* -- both -- */

/* Has something before the K-th the same ports and latency? */
static bool is_known(const struct body *b, int k)
{
    for (int j = 0; j < k; j++) {
        const struct step *t = step_at(b, j);
        if (is_within(t, b->ports) && ports_of(t) == b->ports && t->latency == b->latency)
            return true;
    }
    return false;
}

int bound_write_back(struct pipeline *p, const int *order, int n)
{
    struct body b = { .p = p, .order = order, .n = n };
    int most = 0;
    for (int k = 0; k < n && p->core->in_order; k++) {
        const struct step *t = step_at(&b, k);
        b.ports = ports_of(t);
        b.latency = t->latency;
        if (!is_within(t, b.ports) || is_known(&b, k) || !is_one_a_cycle(&b))
            continue;
        const int beside = bound_beside(&b), between = bound_between(&b);
        most = beside > most ? beside : most;
        most = between > most ? between : most;
    }
    return most;
}
