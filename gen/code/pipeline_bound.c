/* pipeline_bound.c: what an iteration takes at least, and what sets that.
 *
 * Ports: of every set of ports, what can issue nowhere else, over how many they
 * are. Slots: the micro-operations over the width. Recurrence: the rate at which
 * results would come if nothing but registers were waited for; on an in-order core what
 * writes over an operand does not issue before the others that read it. In-order
 * write-back: pipeline_write_back.c.
 */
#include "code/pipeline_steps.h"

#include <string.h>

enum {
    MOST_SETS = 256,
    TURNS = 120                 /* many divisors: whatever period the longest cycle has */
};

static int rounded_up(int a, int b) { return (a + b - 1) / b; }

/* Unions of what instructions ask for; more than those cannot be the tightest. */
static int find_sets(const struct pipeline *p, const int *order, int n, uint32_t *sets)
{
    int count = 0;
    for (int k = 0; k < n; k++) {
        const struct step *t = step_after(p, k > 0 ? order[k - 1] : -1, order[k]);
        for (int u = 0; u < t->uses; u++) {
            const int before = count;
            bool known = false;
            for (int s = 0; s < before; s++)
                known |= sets[s] == t->use[u].ports;
            if (known || count == MOST_SETS)
                continue;
            sets[count++] = t->use[u].ports;
            for (int s = 0; s < before && count < MOST_SETS; s++)
                sets[count++] = sets[s] | t->use[u].ports;
        }
    }
    return count;
}

static int busy_within(const struct pipeline *p, const int *order, int n, uint32_t set)
{
    int busy = 0;
    for (int k = 0; k < n; k++) {
        const struct step *t = step_after(p, k > 0 ? order[k - 1] : -1, order[k]);
        for (int u = 0; u < t->uses; u++)
            if ((t->use[u].ports & ~set) == 0)
                busy += t->use[u].busy;
    }
    return busy;
}

static void bound_ports(struct pipeline_bound *b, const struct pipeline *p, const int *order, int n)
{
    uint32_t sets[MOST_SETS];
    const int count = find_sets(p, order, n, sets);
    for (int s = 0; s < count; s++) {
        const int least = rounded_up(100 * busy_within(p, order, n, sets[s]),
                                     __builtin_popcount(sets[s]));
        if (least > b->ports) {
            b->ports = least;
            b->of_ports = sets[s];
        }
    }
}

/* By register: when it is there, from which network, and when it is read last. */
struct arrivals { int *time, *network, *read; };

/* When what it reads is there. */
static int operands_cycle(const struct pipeline *p, const struct arrivals *a, const struct step *t)
{
    int at = 0;
    for (int r = 0; r < t->reads; r++) {
        const int slot = t->read[r].slot;
        const int there = a->time[slot] - t->read[r].early[a->network[slot]];
        at = there > at ? there : at;
        if (p->core->in_order && t->read[r].destroys && a->read[slot] > at)
            at = a->read[slot];
    }
    return at;
}

static void arrive(struct arrivals *a, const struct step *t, int at)
{
    for (int r = 0; r < t->reads; r++)
        if (at > a->read[t->read[r].slot])
            a->read[t->read[r].slot] = at;
    for (int w = 0; w < t->writes; w++) {
        const int slot = t->write[w].slot;
        a->time[slot] = at + t->write[w].latency;
        a->network[slot] = t->write[w].network;
        a->read[slot] = at;
    }
}

/* One turn; the second of a pair goes with the first. The latest that anything issues. */
static int turn_cycle(const struct pipeline *p, struct arrivals *a, const int *order, int n)
{
    int at = 0, latest = 0;
    for (int k = 0; k < n; k++) {
        const int last = k > 0 ? order[k - 1] : -1;
        const struct step *t = step_after(p, last, order[k]);
        if (!are_pair(p, last, order[k]))
            at = operands_cycle(p, a, t);
        arrive(a, t, at);
        latest = at > latest ? at : latest;
    }
    return latest;
}

static int bound_recurrence(struct pipeline *p, const int *order, int n)
{
    struct arrivals a = { p->time, p->network, p->origin };
    int half = 0, latest = 0;
    memset(a.time, 0, sizeof *a.time * (size_t)p->slots);
    memset(a.network, 0, sizeof *a.network * (size_t)p->slots);
    memset(a.read, 0, sizeof *a.read * (size_t)p->slots);
    for (int turn = 0; turn < 2 * TURNS; turn++) {
        const int cycle = turn_cycle(p, &a, order, n);
        latest = cycle > latest ? cycle : latest;
        if (turn == TURNS - 1)
            half = latest;
    }
    return rounded_up(100 * (latest - half), TURNS);
}

struct pipeline_bound pipeline_bound(struct pipeline *p, const int *order, int n)
{
    struct pipeline_bound b = { 0 };
    int uops = 0;
    if (order == NULL)
        order = p->identity;
    bound_ports(&b, p, order, n);
    for (int k = 0; k < n; k++)
        uops += step_after(p, k > 0 ? order[k - 1] : -1, order[k])->uops;
    b.slots = rounded_up(100 * uops, p->core->issue_width);
    b.recurrence = bound_recurrence(p, order, n);
    b.write_back = bound_write_back(p, order, n);
    return b;
}
