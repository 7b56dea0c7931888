/* modulo_kernel.c: orders of a round, copied and measured. */
#include "code/modulo.h"

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

bool kernel_measure(const struct loop_graph *g, struct kernel *k, int most)
{
    k->interval = 0;
    for (int p = 1; p < g->n; p++)
        if (meets_erratum(g->f->core, g->node[k->at[p - 1]].insn, g->node[k->at[p]].insn))
            k->interval += ERRATUM_COST;
    for (int j = 0; j < g->pipelines && k->interval <= most; j++)
        k->interval += pipeline_interval(g->pipeline[j], k->at, g->n, WATCHED_ROUNDS);
    return k->interval <= most;
}
