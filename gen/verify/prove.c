/* prove.c: proves one function in all its cases; see prove.h.
 *
 * Takes a typed function and the text read back. Its cases run from small to
 * large, so the first difference is the smallest. All cases of a function share
 * one term store: what one block computes is one term in all.
 */
#include "verify/prove.h"

#include "verify/case_walk.h"
#include "verify/prove_case.h"

struct prover {
    const struct case_set *cases;
    const struct emitted *text;
    const char *const *labels;
    struct proof *proofs;       /* of each label */
    int count;
};

static int open_proofs(const struct prover *p)
{
    int n = 0;
    for (int i = 0; i < p->count; i++)
        n += p->proofs[i].difference == NULL;
    return n;
}

/* A scene of the case; false when the case breaks a precondition. */
static bool place(struct scene *s, const struct prover *p, const struct one_case *c, int layout)
{
    *s = (struct scene){ .cases = p->cases, .chosen = c->chosen, .class_of = c->class_of,
                         .layout = (enum layout)layout };
    return scene_build(s, p->text, c->size);
}

static void take_finding(struct proof *p, const struct finding *f)
{
    p->difference = f->difference;
    p->source = f->source;
    p->emitted = f->emitted;
    p->is_doubtful = f->is_doubtful;
}

static void count_case(struct proof *p, const struct scene *s, int layouts)
{
    p->cases += layouts;
    for (int i = 0; i < s->cases->choices.n; i++)
        if (!s->cases->choices.at[i].is_complete && s->chosen[i] > p->longest &&
            s->chosen[i] <= REGION_WINDOW)
            p->longest = s->chosen[i];
}

/* One function on one way through a case, in all its layouts. */
static void check_label(struct prover *p, int label, const struct expectation *e,
                        const struct scene *const *scenes)
{
    struct proof *proof = &p->proofs[label];
    struct finding f = { 0 };
    for (int i = 0; scenes[i] && !f.difference && !e->ways->begins_again; i++)
        check_case(e, scenes[i], p->text, p->labels[label], proof->covered, &f);
    proof->steps += f.steps;
    take_finding(proof, &f);
}

static void prove_way(struct prover *p, struct expectation *e, const struct scene *const *scenes)
{
    struct finding f = { 0 };
    if (!expect_case(e, &f)) {
        for (int i = 0; i < p->count && f.difference; i++)
            if (!p->proofs[i].difference)
                take_finding(&p->proofs[i], &f);
        return;
    }
    for (int i = 0; i < p->count && !e->ways->begins_again; i++)
        if (!p->proofs[i].difference)
            check_label(p, i, e, scenes);
}

static void prove_whole(struct prover *p, const struct one_case *c, const struct scene *plain)
{
    struct scene others[LAYOUT_COUNT];
    const struct scene *scenes[LAYOUT_COUNT + 1] = { plain };
    struct expectation e = { .scene = plain, .ways = NEW(struct ways) };
    for (int i = 1; i < c->layouts && place(&others[i], p, c, i); i++)
        scenes[i] = &others[i];
    for (int i = 0; i < p->count; i++)
        if (!p->proofs[i].difference)
            count_case(&p->proofs[i], plain, c->layouts);
    int ways = 0;
    do
        prove_way(p, &e, scenes), ways++;
    while (open_proofs(p) > 0 && ways_next(e.ways));
    for (int i = 0; i < p->count; i++) {
        p->proofs[i].ways += ways - 1;
        p->proofs[i].is_sampled |= e.ways->is_sampled;
    }
}

static void prove_prefix(struct prover *p, const struct scene *s)
{
    for (int i = 0; i < p->count; i++) {
        struct finding f = { 0 };
        if (p->proofs[i].difference)
            continue;
        check_prefix(s, p->text, p->labels[i], p->proofs[i].covered, &f);
        take_finding(&p->proofs[i], &f);
        p->proofs[i].prefixes++;
    }
}

/* What a difference is told with stays in memory. */
static void prove_one(struct prover *p, const struct one_case *c)
{
    struct mem_mark mark = mem_mark();
    int before = open_proofs(p);
    struct scene s;
    if (place(&s, p, c, LAYOUT_PLAIN)) {
        if (c->size == SCENE_WHOLE)
            prove_whole(p, c, &s);
        else
            prove_prefix(p, &s);
    }
    if (open_proofs(p) == before)
        mem_release_to(mark);
}

static void prove(struct prover *p, const struct func *f, int depth)
{
    struct case_set cases = cases_of(f, depth);
    struct case_walk walk = case_walk_begin(&cases);
    struct one_case c;
    p->cases = &cases;
    for (int i = 0; i < p->count; i++)
        p->proofs[i] = (struct proof){ .partitions = cases.partition_count,
                                       .covered = NEW_ARRAY(uint8_t, p->text->code.lines.n + 1) };
    term_reset();
    while (open_proofs(p) > 0 && case_walk_next(&walk, &c))
        prove_one(p, &c);
    for (int i = 0; i < p->count; i++)
        p->proofs[i].terms = term_count();
}

void prove_variants(const struct func *f, const struct emitted *text, const char *const *labels,
                    int count, struct proof *proofs)
{
    struct prover p = { .text = text, .labels = labels, .proofs = proofs, .count = count };
    prove(&p, f, 1);
}

struct proof prove_func_deeply(const struct func *f, const struct emitted *text, const char *label,
                               int depth)
{
    struct proof proof;
    struct prover p = { .text = text, .labels = &label, .proofs = &proof, .count = 1 };
    prove(&p, f, depth);
    return proof;
}

struct proof prove_func(const struct func *f, const struct emitted *text, const char *label)
{
    return prove_func_deeply(f, text, label, 1);
}
