/* weave.c: run K iterations of a loop side by side.
 *
 * Takes the body of one iteration, in shape; gives K iterations in which
 * varying variables exist K times and uniform ones once (vary.c), one name for
 * each of their values (version.c). Straight
 * code is copied per segment, in iteration order: all K copies of what stands
 * before an inner loop, the inner loop once with its own body woven, all K
 * copies of what follows. A carried variable threads through the copies of the
 * one segment that assigns it: copy k starts from what copy k - 1 left.
 *
 * Holds: the meaning of the sequential loop. Inner conditions are uniform, so
 * all copies take one path and share it; stores keep their order within a
 * segment, and accesses of different iterations to one place are either in one
 * segment or were refused (in-place).
 * Does not: order instructions; the scheduler does that.
 */
#include <assert.h>

#include "shape/pass.h"

struct weaving {
    struct shape *sh;
    const struct stmt *loop;
    const struct address_plan *plan;
    struct variance variance;
    struct versions versions;
    struct expr *at;
    int width, copy;
    struct var ***names;        /* [copy][var id]: the copy's own variable, or NULL */
    struct stmt_chain *out;
    VEC(struct stmt *) pending; /* varying statements of the current segment */
    struct key_map *keys;       /* of inner chains whose pointers vary, by copy */
    struct key_map uniform_keys;
};

/* -- names of the copies -- */

static struct var *name_of(struct weaving *w, struct var *v, int copy)
{
    assert(v->id < w->variance.sh->f->vars.n);
    if (!w->names[copy][v->id]) {
        struct var *own = new_var(w->sh, v->name, v->type, v->loc);
        own->secret = v->secret;
        w->names[copy][v->id] = own;
    }
    return w->names[copy][v->id];
}

static bool is_copied(const struct weaving *w, const struct var *v)
{
    return v != w->loop->index && var_set_has(&w->variance.varying, v);
}

static struct expr *read_in_copy(struct copier *c, const struct expr *e)
{
    struct weaving *w = c->self;
    uint64_t ahead = (uint64_t)w->copy * w->loop->step;

    if (e->var == w->loop->index)
        return build_constant_op(BIN_ADD, w->at ? w->at : build_read(e->var), ahead);
    if (!is_copied(w, e->var))
        return NULL;
    struct expr *own = NEW(struct expr);
    *own = *e;
    own->var = name_of(w, e->var, w->copy);
    return own;
}

static struct var *assigned_in_copy(struct copier *c, struct var *v)
{
    struct weaving *w = c->self;
    return is_copied(w, v) ? name_of(w, v, w->copy) : v;
}

static void access_in_copy(struct copier *c, struct access *a)
{
    struct weaving *w = c->self;

    for (int i = 0; a->pointer && i < w->plan->groups.n; i++) {
        const struct address_group *g = &w->plan->groups.at[i];
        if (a->pointer != g->pointer)
            continue;
        uint64_t by = (uint64_t)w->copy * w->loop->step * (uint64_t)g->form.factor;
        a->offset = build_constant_op(BIN_ADD, a->offset, by);
        a->disp += by;
        a->key = g->key + w->plan->arm;
        return;
    }
    bool copied = a->pointer && is_copied(w, a->pointer);
    if (copied)
        a->pointer = name_of(w, a->pointer, w->copy);
    a->key = key_in_copy(w->sh, copied ? &w->keys[w->copy] : &w->uniform_keys, a->key);
}

static struct copier copier_of(struct weaving *w)
{
    return (struct copier){ .sh = w->sh, .read = read_in_copy, .assigned = assigned_in_copy,
                            .access = access_in_copy, .self = w };
}

/* -- segments -- */

static void note_carried(struct walker *walk, struct var *v)
{
    struct weaving *w = walk->self;
    struct var *before;

    if (!var_set_has(&w->variance.carried, v) || w->names[w->copy][v->id])
        return;
    before = w->copy == 0 ? v : name_of(w, v, w->copy - 1);
    chain_add(w->out, build_assign(name_of(w, v, w->copy), build_read(before), w->loop->loc));
}

/* Copies the pending statements, iteration by iteration. */
static void flush(struct weaving *w)
{
    struct copier c = copier_of(w);
    struct walker threads = { .assigned = note_carried, .self = w };

    for (w->copy = 0; w->copy < w->width; w->copy++) {
        for (int i = 0; i < w->pending.n; i++)
            visit_stmt(&threads, w->pending.at[i]);
        for (int i = 0; i < w->pending.n; i++)
            chain_add(w->out, copy_stmt(&c, w->pending.at[i]));
    }
    w->copy = 0;
    w->pending.n = 0;
}

struct touch { struct var_set vars; };

static void touch_var(struct walker *walk, struct var *v)
{
    var_set_add(&((struct touch *)walk->self)->vars, v);
}

/* A uniform statement may go before the pending ones unless they mention what
 * it assigns. That happens in inner control only (version.c), through which
 * nothing is carried and where a segment may end anywhere. */
static bool must_wait(const struct weaving *w, struct stmt *s)
{
    struct touch t = { { 0 } };
    struct walker all = { .read = touch_var, .assigned = touch_var, .self = &t };
    struct touch own = { { 0 } };
    struct walker targets = { .assigned = touch_var, .self = &own };

    for (int i = 0; i < w->pending.n; i++)
        visit_stmt(&all, w->pending.at[i]);
    visit_stmt(&targets, s);
    for (int v = 0; v < own.vars.n; v++)
        if (own.vars.at[v] && v < t.vars.n && t.vars.at[v])
            return true;
    return false;
}

static struct stmt *weave_list(struct weaving *w, struct stmt *list, bool outermost);

static struct stmt *weave_control(struct weaving *w, struct stmt *s)
{
    struct copier c = copier_of(w);
    struct stmt flat = *s, *shared;

    flat.body = flat.other = NULL;
    flat.next = NULL;
    shared = copy_stmt(&c, &flat);
    shared->body = weave_list(w, s->body, false);
    shared->other = weave_list(w, s->other, false);
    return shared;
}

static struct stmt *weave_list(struct weaving *w, struct stmt *list, bool outermost)
{
    struct stmt_chain out, *outer = w->out;
    struct copier c = copier_of(w);

    chain_start(&out);
    w->out = &out;
    for (struct stmt *s = list; s; s = s->next) {
        if (is_control(s)) {
            flush(w);
            chain_add(&out, weave_control(w, s));
        } else if (stmt_varies(&w->variance, s)) {
            vec_push(&w->pending, s);
        } else {
            if (must_wait(w, s)) {
                assert(!outermost);
                flush(w);
            }
            chain_add(&out, copy_stmt(&c, s));
        }
    }
    flush(w);
    w->out = outer;
    return out.first;
}

/* -- after the copies -- */

static void count_mention(struct walker *w, struct var *v)
{
    ((int *)w->self)[v->id]++;
}

/* Variables that are read after the loop, or by the next pass, hold what the
 * last copy left. */
static void leave_values(struct weaving *w, struct stmt_chain *out)
{
    int n = w->sh->original->vars.n;
    int *inside = NEW_ARRAY(int, w->sh->f->vars.n + 1);
    struct walker count = { .read = count_mention, .assigned = count_mention, .self = inside };

    visit_stmt(&count, (struct stmt *)w->loop);
    for (int v = 0; v < n; v++) {
        struct var *var = w->sh->f->vars.at[v], *last = w->names[w->width - 1][v];
        if (last && (w->sh->mentions[v] > inside[v] || var_set_has(&w->variance.carried, var)))
            chain_add(out, build_assign(var, build_read(last), w->loop->loc));
        last = latest_version(&w->versions, var);
        if (last != var && w->sh->mentions[v] > inside[v])
            chain_add(out, build_assign(var, build_read(last), w->loop->loc));
    }
}

struct stmt *weave_iterations(struct shape *sh, const struct stmt *loop, struct stmt *body,
                              const struct address_plan *p, struct expr *at, int width)
{
    struct weaving w = { .sh = sh, .loop = loop, .plan = p, .at = at, .width = width };
    struct stmt_chain out;
    int n;

    w.variance = find_variance(sh, loop, body, p);
    body = version_uniforms(sh, &w.variance, body, &w.versions);
    n = sh->f->vars.n;
    w.names = NEW_ARRAY(struct var **, width);
    w.keys = NEW_ARRAY(struct key_map, width);
    for (int k = 0; k < width; k++)
        w.names[k] = NEW_ARRAY(struct var *, n + 1);
    chain_start(&out);
    chain_add(&out, weave_list(&w, body, true));
    leave_values(&w, &out);
    return out.first;
}
