/* steady.c: see steady.h. */
#include "code/steady.h"

#include "code/build.h"

/* Passes that are run; the later half counts. */
enum { PASSES = 8 };

struct steady steady_new(const struct core *core, const struct mach_insn *first)
{
    const struct mach_block *b = first->block;
    /* Out of order the figures to compare with, llvm-mca's, know no fused pairs. */
    struct steady s = { .pipeline = pipeline_new(core, core->in_order) };
    pipeline_load_range(s.pipeline, b->first, b->last);
    for (const struct mach_insn *i = b->first; i != first; i = i->next)
        s.first++;
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next)
        s.n++;
    s.order = NEW_ARRAY(int, s.n);
    for (int k = 0; k < s.n; k++)
        s.order[k] = k;
    return s;
}

int steady_interval(struct steady *s, const int *order, int n)
{
    for (int k = 0; k < n; k++)
        s->order[s->first + k] = s->first + order[k];
    return pipeline_interval(s->pipeline, s->order, s->n, PASSES);
}
