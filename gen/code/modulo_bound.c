/* modulo_bound.c: the fewest cycles an iteration can take, in any order.
 *
 * The minimum initiation interval of Rau ("Iterative modulo scheduling", 1994),
 * in hundredths of a cycle: of resources, for the issue slots and for each set of
 * ports that some instruction names, the work that can go nowhere else; of
 * recurrences, for every circle of the dependence graph its cycles over the
 * iterations it spans. Anti and output edges have no latency and bound nothing.
 */
#include "code/modulo.h"

static int rounded_up(int n, int by) { return (n + by - 1) / by; }

/* Of the instructions that name the same ports: cycles that they take of them. */
struct port_work { uint32_t ports; int cycles; };

static int collect_work(const struct loop_graph *g, const struct core *core, enum pairs pairs,
                        struct port_work *work, int *uops)
{
    int n = 0;
    for (int k = 0; k < g->n; k++) {
        const struct timing *t = core_timing(core, g->node[k].insn->insn);
        const bool is_joined = pairs == PAIRS_JOINED && g->node[k].is_partner;
        int w = 0;
        *uops += is_joined && !core->in_order ? 0 : t->uops;
        if (is_joined)          /* takes no port (pipeline.c, paired_step) */
            continue;
        while (w < n && work[w].ports != t->ports)
            w++;
        if (w == n)
            work[n++] = (struct port_work){ t->ports, 0 };
        work[w].cycles += t->busy > 0 ? t->busy : 1;
    }
    return n;
}

int resource_interval(const struct loop_graph *g, const struct core *core, enum pairs pairs)
{
    struct port_work *work = NEW_ARRAY(struct port_work, g->n);
    int uops = 0, n = collect_work(g, core, pairs, work, &uops), most = 0;
    for (int set = 0; set < n; set++) {
        int cycles = 0;
        for (int w = 0; w < n; w++)
            if (work[w].ports != 0 && (work[w].ports & ~work[set].ports) == 0)
                cycles += work[w].cycles;
        if (work[set].ports != 0)
            cycles = rounded_up(100 * cycles, __builtin_popcount(work[set].ports));
        most = cycles > most ? cycles : most;
    }
    int slots = rounded_up(100 * uops, core->issue_width);
    return slots > most ? slots : most;
}

/* Nodes that the iteration before reaches: a way that is no circle comes to each once. */
static int count_entered(const struct loop_graph *g)
{
    bool *entered = NEW_ARRAY(bool, g->n);
    int n = 0;
    for (int k = 0; k < g->edge.n; k++) {
        const struct loop_edge *e = &g->edge.at[k];
        n += e->distance > 0 && !entered[e->to];
        entered[e->to] |= e->distance > 0;
    }
    return n;
}

/* Is there a circle that takes longer than INTERVAL for each iteration it spans?
 * The longest ways from anywhere keep growing then. Edges stand in the order of where
 * they begin, so that a turn follows a way up to where it enters the next iteration. */
static bool is_too_short(const struct loop_graph *g, int *way, int entered, int interval)
{
    for (int k = 0; k < g->n; k++)
        way[k] = 0;
    for (int turn = 0; turn <= entered + 1; turn++) {
        bool grew = false;
        for (int k = 0; k < g->edge.n; k++) {
            const struct loop_edge *e = &g->edge.at[k];
            int through = way[e->from] + 100 * e->latency - interval * e->distance;
            if (e->kind == DEPEND_TRUE && through > way[e->to]) {
                way[e->to] = through;
                grew = true;
            }
        }
        if (!grew)
            return false;
    }
    return true;
}

int recurrence_interval(const struct loop_graph *g, int least)
{
    const struct mem_mark mark = mem_mark();
    int *way = NEW_ARRAY(int, g->n), entered = count_entered(g), low = least, high = least;
    if (is_too_short(g, way, entered, least))
        high += 100;
    for (int k = 0; k < g->edge.n && high > least; k++)
        high += 100 * g->edge.at[k].latency;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (is_too_short(g, way, entered, middle))
            low = middle + 1;
        else
            high = middle;
    }
    mem_release_to(mark);
    return low;
}
