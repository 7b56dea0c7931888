/* modulo_kernel.c: orders of a round, copied and measured. */
#include "code/modulo.h"

/* Iterations over which a pipeline is watched; the first half is the way into the steady
 * state. In order that is short; a first look is shorter still, and may be wrong by
 * hundredths of a cycle. A core that reorders drifts through its window. */
enum { WATCHED_ROUNDS = 4, GLIMPSED_ROUNDS = 2, GLIMPSE_ERROR = 200, REORDERED_ROUNDS = 8 };
/* Of what its ports take at least, a part in so many. */
enum { WORKED_AHEAD = 10 };

/* Hundredths of a cycle: more than avoiding the erratum can cost. */
enum { ERRATUM_COST = 1000 };

struct kernel kernel_new(const struct loop_graph *g)
{
    return (struct kernel){ NEW_ARRAY(int, g->n), NEW_ARRAY(bool, g->n), 0 };
}

void kernel_copy(const struct loop_graph *g, struct kernel *to, const struct kernel *from)
{
    for (int k = 0; k < g->n; k++) {
        to->at[k] = from->at[k];
        to->late[k] = from->late[k];
    }
    to->interval = from->interval;
}

int kernel_distance(const struct kernel *k, const struct loop_edge *e)
{
    return e->distance + k->late[e->to] - k->late[e->from];
}

static int interval_on(const struct loop_graph *g, const struct kernel *k, int j, int rounds)
{
    return pipeline_interval(g->pipeline[j], k->at, g->n, rounds);
}

/* On the J-th pipeline, when it leaves REST of the most that it may be. */
static int measure_on(const struct loop_graph *g, const struct kernel *k, int j, int rest)
{
    if (!g->core[j]->in_order)
        return interval_on(g, k, j, REORDERED_ROUNDS);
    int glimpse = interval_on(g, k, j, GLIMPSED_ROUNDS) - GLIMPSE_ERROR;
    return glimpse > rest ? glimpse : interval_on(g, k, j, WATCHED_ROUNDS);
}

/* A core that reorders seems to take less in a few rounds: its window works ahead. */
static int least_on(const struct loop_graph *g, int j)
{
    return g->core[j]->in_order ? g->least[j] : g->least[j] - g->least[j] / WORKED_AHEAD;
}

bool kernel_measure(const struct loop_graph *g, struct kernel *k, int most)
{
    k->interval = 0;
    for (int p = 1; p < g->n; p++)
        if (meets_erratum(g->f->core, g->node[k->at[p - 1]].insn, g->node[k->at[p]].insn))
            k->interval += ERRATUM_COST;
    int others = 0;             /* what the pipelines to come take at least */
    for (int j = 0; j < g->pipelines; j++)
        others += least_on(g, j);
    for (int j = 0; j < g->pipelines && k->interval + others <= most; j++) {
        others -= least_on(g, j);
        k->interval += measure_on(g, k, j, most - k->interval - others);
    }
    return k->interval + others <= most;
}
