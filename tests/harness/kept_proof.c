/* kept_proof.c: see kept_proof.h.
 *
 * Holds: a kept case never changes, so that what a run takes of memory can be
 * released after it.
 */
#include "harness/kept_proof.h"

#include <assert.h>
#include <string.h>

#include "verify/case_walk.h"

static struct scene *scene_of(const struct kept_proof *k, const struct emitted *text,
                              const struct one_case *c, enum layout layout)
{
    struct scene *s = NEW(struct scene);
    uint64_t *chosen = NEW_ARRAY(uint64_t, k->cases->choices.n + 1);
    for (int i = 0; i < k->cases->choices.n; i++)
        chosen[i] = c->chosen[i];
    *s = (struct scene){ .cases = k->cases, .chosen = chosen, .class_of = c->class_of, .layout = layout };
    if (!scene_build(s, text, c->size))
        return NULL;
    cells_settle(s->memory);
    return s;
}

static struct ways *copy_of(const struct ways *w)
{
    struct ways *copy = NEW(struct ways);
    *copy = (struct ways){ .is_sampled = w->is_sampled, .assignment = w->assignment };
    for (int i = 0; i < w->declassified.n; i++)
        vec_push(&copy->declassified, w->declassified.at[i]);
    for (int i = 0; i < w->decisions.n; i++)
        vec_push(&copy->decisions, w->decisions.at[i]);
    return copy;
}

static struct kept_case *add_case(struct kept_proof *k, const struct emitted *text, const struct scene *s)
{
    struct kept_case *kept = vec_add(&k->at);
    *kept = (struct kept_case){ .scene = s, .covered = NEW_ARRAY(uint8_t, text->code.lines.n + 1) };
    return kept;
}

static void keep_way(struct kept_proof *k, const struct emitted *text, const struct expectation *e,
                     const struct scene *s)
{
    struct kept_case *kept = add_case(k, text, s);
    struct finding f = { 0 };
    check_case(e, s, text, k->label, kept->covered, &f);
    assert(!f.difference);
    kept->expected = *e;
    kept->expected.ways = copy_of(e->ways);
    kept->expected.domain.ways = kept->expected.ways;
    kept->steps = f.steps;
    if (e->ways->begins_again)
        k->at.n--;
}

static void keep_whole(struct kept_proof *k, const struct emitted *text, const struct one_case *c)
{
    const struct scene *plain = scene_of(k, text, c, LAYOUT_PLAIN), *other = NULL;
    struct ways ways = { 0 };
    if (plain && c->layouts > 1)
        other = scene_of(k, text, c, LAYOUT_TABLES_AT_PAGE_END);
    do {
        struct expectation e = { .scene = plain, .ways = &ways };
        struct finding f = { 0 };
        if (!plain || !expect_case(&e, &f))
            continue;
        keep_way(k, text, &e, plain);
        if (other && !ways.begins_again)
            keep_way(k, text, &e, other);
    } while (ways_next(&ways));
}

static void keep_prefix(struct kept_proof *k, const struct emitted *text, const struct one_case *c)
{
    const struct scene *s = scene_of(k, text, c, LAYOUT_PLAIN);
    struct finding f = { 0 };
    if (!s)
        return;
    struct kept_case *kept = add_case(k, text, s);
    check_prefix(s, text, k->label, kept->covered, &f);
    assert(!f.difference);
    kept->is_prefix = true;
    kept->steps = UINT64_MAX;
}

static int by_steps(const void *a, const void *b)
{
    const struct kept_case *x = a, *y = b;
    return (x->steps > y->steps) - (x->steps < y->steps);
}

struct kept_proof kept_proof_of(const struct func *f, const struct emitted *text, const char *label,
                                int depth)
{
    struct kept_proof k = { .func = f, .label = label, .cases = NEW(struct case_set) };
    struct one_case c;
    term_reset();
    *k.cases = cases_of(f, depth);
    struct case_walk walk = case_walk_begin(k.cases);
    while (case_walk_next(&walk, &c)) {
        if (c.size == SCENE_PREFIX)
            keep_prefix(&k, text, &c);
        else
            keep_whole(&k, text, &c);
    }
    sort_array(k.at.at, k.at.n, sizeof *k.at.at, by_steps);
    return k;
}

/* The way after this one among those that the code added to the source's. */
static bool next_beyond(struct ways *w, int decisions)
{
    while (w->decisions.n > decisions && vec_last(&w->decisions).outcome)
        w->decisions.n--;
    if (w->decisions.n == decisions)
        return false;
    vec_last(&w->decisions).outcome = true;
    return true;
}

/* A value of many bits decides, in this text only: it is followed for some of its
 * values, as in a whole proof. */
static bool sampled_case_differs(const struct kept_case *kept, const struct emitted *text,
                                 const char *label)
{
    struct ways ways = { .is_sampled = true };
    struct finding f = { 0 };
    do {
        struct expectation e = { .scene = kept->expected.scene, .ways = &ways };
        if (expect_case(&e, &f))
            check_case(&e, kept->scene, text, label, NULL, &f);
    } while (!f.difference && ways_next(&ways));
    return f.difference != NULL;
}

static bool case_differs(const struct kept_case *kept, const struct emitted *text, const char *label)
{
    struct expectation e = kept->expected;
    struct finding f = { 0 };
    if (kept->is_prefix) {
        check_prefix(kept->scene, text, label, NULL, &f);
        return f.difference != NULL;
    }
    const int decisions = e.ways->decisions.n;
    e.ways = copy_of(e.ways);
    do
        check_case(&e, kept->scene, text, label, NULL, &f);
    while (!f.difference && !e.ways->begins_again && next_beyond(e.ways, decisions));
    return e.ways->begins_again ? sampled_case_differs(kept, text, label) : f.difference != NULL;
}

bool kept_proof_reaches(const struct kept_proof *k, int line)
{
    for (int i = 0; i < k->at.n; i++)
        if (k->at.at[i].covered[line])
            return true;
    return false;
}

bool kept_proof_differs(struct kept_proof *k, const struct emitted *text, int first, int last)
{
    for (int i = 0; i < k->at.n; i++) {
        bool reaches = false;
        for (int line = first; line <= last; line++)
            reaches |= k->at.at[i].covered[line] != 0;
        k->runs += reaches;
        if (reaches && case_differs(&k->at.at[i], text, k->label))
            return true;
    }
    return false;
}
