/* prove.c: which cases prove a function; see prove.h.
 *
 * Takes a typed function and the text read back. Its cases run from small to
 * large, so the first difference is the smallest. All cases of a function share
 * one term store: what one block computes is one term in all.
 */
#include "verify/prove.h"

#include <string.h>

#include "verify/prove_case.h"

/* -- all cases -- */

struct odometer { const struct case_set *cases; int *at; uint64_t *values; };

static bool advance(struct odometer *o)
{
    for (int i = o->cases->choices.n - 1; i >= 0; i--) {
        const struct choice *c = &o->cases->choices.at[i];
        if (++o->at[i] < c->values.n) {
            o->values[i] = c->values.at[o->at[i]];
            return true;
        }
        o->at[i] = 0;
        o->values[i] = c->values.at[0];
    }
    return false;
}

/* Where several counts and ways to share arrays multiply to more than this,
 * only one of them at a time runs through all that it can be; the others then
 * take a few values: the first two, one in the middle, the last. */
enum { FULL_PRODUCT = 1000 };

struct coverage {
    bool is_wanted;
    bool all_partitions;        /* else the one that shares most, and the one that shares nothing */
    bool all_layouts;           /* else the plain one */
};

static bool is_representative(const struct choice *c, int at)
{
    return c->is_complete || at <= 1 || at == c->values.n / 2 || at == c->values.n - 1;
}

static struct coverage coverage_of(const struct odometer *o)
{
    int product = o->cases->partition_count, running = 0;
    for (int i = 0; i < o->cases->choices.n && product <= FULL_PRODUCT; i++)
        product *= o->cases->choices.at[i].values.n;
    for (int i = 0; i < o->cases->choices.n; i++)
        running += !is_representative(&o->cases->choices.at[i], o->at[i]);
    return (struct coverage){ .is_wanted = product <= FULL_PRODUCT || running <= 1,
                              .all_partitions = product <= FULL_PRODUCT || running == 0,
                              .all_layouts = running == 0 };
}

static struct odometer first_case(const struct case_set *cases)
{
    struct odometer o = { cases, NEW_ARRAY(int, cases->choices.n + 1),
                          NEW_ARRAY(uint64_t, cases->choices.n + 1) };
    for (int i = 0; i < cases->choices.n; i++)
        o.values[i] = cases->choices.at[i].values.at[0];
    return o;
}

static void take_difference(struct proof *p, const struct run *r)
{
    p->difference = r->difference;
    p->source = r->source;
    p->emitted = r->emitted;
}

static void count_case(struct proof *p, const struct run *r)
{
    const struct scene *s = r->scene;
    take_difference(p, r);
    p->cases++;
    p->steps += r->machine.steps;
    p->terms = term_count();
    for (int i = 0; i < s->cases->choices.n; i++)
        if (!s->cases->choices.at[i].is_complete && s->chosen[i] > p->longest &&
            s->chosen[i] <= REGION_WINDOW)
            p->longest = s->chosen[i];
}

static void prove_scene(struct proof *p, struct scene *s, const struct emitted *text,
                        const char *label)
{
    struct run r = { .scene = s };
    struct mem_mark mark = mem_mark();
    if (!p->difference && scene_build(s, text, SCENE_WHOLE)) {
        prove_case(&r, text, label);
        count_case(p, &r);
    }
    if (!p->difference)
        mem_release_to(mark);
}

/* One choice of values, in the ways to share arrays and the layouts it is wanted in. */
static void prove_values(struct proof *p, const struct odometer *o, const struct emitted *text,
                         const char *label)
{
    struct coverage wanted = coverage_of(o);
    int last = o->cases->partition_count - 1, objects = o->cases->func->objects.n;
    for (int k = 0; wanted.is_wanted && k <= last; k++)
        for (int layout = 0; layout < LAYOUT_COUNT; layout++) {
            struct scene s = { .cases = o->cases, .chosen = o->values, .layout = (enum layout)layout,
                               .class_of = &o->cases->partitions.at[k * objects] };
            bool is_few = (k == 0 || k == last) && layout == 0;
            if (is_few || (wanted.all_partitions && layout == 0) || (wanted.all_layouts && k == last))
                prove_scene(p, &s, text, label);
        }
}

static void prove_large(struct proof *p, const struct case_set *cases, const struct emitted *text,
                        const char *label)
{
    for (int i = 0; i < cases->choices.n; i++) {
        uint64_t large[4];
        int n;
        cases_large(&cases->choices.at[i], large, &n);
        for (int k = 0; k < n && !p->difference; k++) {
            struct odometer o = first_case(cases);
            struct scene s = { .cases = cases, .chosen = o.values,
                               .class_of = &cases->partitions.at[(cases->partition_count - 1) *
                                                                 cases->func->objects.n] };
            struct run r = { .scene = &s };
            struct mem_mark mark = mem_mark();
            o.values[i] = large[k];
            if (scene_build(&s, text, SCENE_PREFIX)) {
                prove_prefix(&r, text, label);
                take_difference(p, &r);
                p->prefixes++;
            }
            if (!p->difference)
                mem_release_to(mark);
        }
    }
}

struct proof prove_func_deeply(const struct func *f, const struct emitted *text, const char *label,
                               int depth)
{
    struct case_set cases = cases_of(f, depth);
    term_reset();
    struct proof p = { .partitions = cases.partition_count };
    struct odometer o = first_case(&cases);
    do
        prove_values(&p, &o, text, label);
    while (!p.difference && advance(&o));
    if (!p.difference)
        prove_large(&p, &cases, text, label);
    return p;
}

struct proof prove_func(const struct func *f, const struct emitted *text, const char *label)
{
    return prove_func_deeply(f, text, label, 1);
}
