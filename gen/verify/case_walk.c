/* case_walk.c: see case_walk.h.
 *
 * Takes the values of all choices and the partitions; gives their product, or a
 * part of it where that is large, and then the prefixes: each choice in turn has
 * its huge values and the others their first.
 */
#include "verify/case_walk.h"

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

static struct coverage coverage_of(const struct case_walk *w)
{
    int product = w->cases->partition_count, running = 0;
    for (int i = 0; i < w->cases->choices.n && product <= FULL_PRODUCT; i++)
        product *= w->cases->choices.at[i].values.n;
    for (int i = 0; i < w->cases->choices.n; i++)
        running += !is_representative(&w->cases->choices.at[i], w->at[i]);
    return (struct coverage){ .is_wanted = product <= FULL_PRODUCT || running <= 1,
                              .all_partitions = product <= FULL_PRODUCT || running == 0,
                              .all_layouts = running == 0 };
}

static void first_values(struct case_walk *w)
{
    for (int i = 0; i < w->cases->choices.n; i++) {
        w->at[i] = 0;
        w->values[i] = w->cases->choices.at[i].values.at[0];
    }
}

struct case_walk case_walk_begin(const struct case_set *cases)
{
    struct case_walk w = { .cases = cases, .at = NEW_ARRAY(int, cases->choices.n + 1),
                           .values = NEW_ARRAY(uint64_t, cases->choices.n + 1) };
    first_values(&w);
    return w;
}

/* The next values, like an odometer. */
static bool advance(struct case_walk *w)
{
    for (int i = w->cases->choices.n - 1; i >= 0; i--) {
        const struct choice *c = &w->cases->choices.at[i];
        if (++w->at[i] < c->values.n) {
            w->values[i] = c->values.at[w->at[i]];
            return true;
        }
        w->at[i] = 0;
        w->values[i] = c->values.at[0];
    }
    return false;
}

static const uint8_t *partition(const struct case_walk *w, int k)
{
    return &w->cases->partitions.at[k * w->cases->func->objects.n];
}

static bool next_whole(struct case_walk *w, struct one_case *out)
{
    while (!w->is_over) {
        const struct coverage wanted = coverage_of(w);
        const int k = w->partition, last = w->cases->partition_count - 1;
        if (k > last || !wanted.is_wanted) {
            w->is_over = !advance(w);
            w->partition = 0;
            continue;
        }
        w->partition++;
        if (k != 0 && k != last && !wanted.all_partitions)
            continue;
        *out = (struct one_case){ .chosen = w->values, .class_of = partition(w, k), .size = SCENE_WHOLE,
                                  .layouts = wanted.all_layouts && k == last ? LAYOUT_COUNT : 1 };
        return true;
    }
    return false;
}

static bool next_prefix(struct case_walk *w, struct one_case *out)
{
    uint64_t large[4];
    int n = 0;
    for (; w->choice < w->cases->choices.n; w->choice++, w->large = 0) {
        cases_large(&w->cases->choices.at[w->choice], large, &n);
        if (w->large < n)
            break;
    }
    if (w->choice == w->cases->choices.n)
        return false;
    first_values(w);
    w->values[w->choice] = large[w->large++];
    *out = (struct one_case){ .chosen = w->values, .size = SCENE_PREFIX, .layouts = 1,
                              .class_of = partition(w, w->cases->partition_count - 1) };
    return true;
}

bool case_walk_next(struct case_walk *w, struct one_case *out)
{
    return next_whole(w, out) || next_prefix(w, out);
}
