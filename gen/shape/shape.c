/* shape.c: bring every loop of a function into shape, inner loops first.
 *
 * Takes the typed tree of one function; gives a copy without S_FOR (shape.h).
 * Gathers what is known about each variable once, then walks the statements;
 * unroll.c, weave.c and reduce.c do the work on one loop at a time.
 */
#include <assert.h>
#include <string.h>

#include "shape/pass.h"

static struct stmt *shape_list(struct shape *sh, const struct stmt *s);

struct var *new_var(struct shape *sh, const char *name, enum value_type type, struct loc loc)
{
    struct var *v = NEW(struct var);
    v->name = name;
    v->type = type;
    v->loc = loc;
    v->id = sh->f->vars.n;
    v->is_mutable = true;
    vec_push(&sh->f->vars, v);
    return v;
}

/* -- what is known about the variables of the original -- */

static void count_read(struct walker *w, struct var *v)
{
    ((struct shape *)w->self)->mentions[v->id]++;
}

static void count_assigned(struct walker *w, struct var *v)
{
    struct shape *sh = w->self;
    sh->mentions[v->id]++;
    sh->assignments[v->id]++;
}

static void note_value(struct walker *w, struct stmt *s)
{
    struct shape *sh = w->self;
    if (s->kind == S_ASSIGN)
        sh->only_value[s->var->id] = s->value;
}

static void gather_facts(struct shape *sh)
{
    int n = sh->original->vars.n;
    struct walker w = { .stmt = note_value, .read = count_read, .assigned = count_assigned,
                       .self = sh };

    sh->only_value = NEW_ARRAY(struct expr *, n + 1);
    sh->assignments = NEW_ARRAY(int, n + 1);
    sh->mentions = NEW_ARRAY(int, n + 1);
    sh->index_range = NEW_ARRAY(struct span, n + 1);
    for (int i = 0; i < n; i++)
        sh->index_range[i] = (struct span){ 1, 0 };
    visit_list(&w, sh->original->body);
    for (int i = 0; i < n; i++)
        if (sh->assignments[i] != 1)
            sh->only_value[i] = NULL;
}

/* -- statements -- */

static void enter_woven(struct shape *sh, const struct stmt *loop, const struct for_arm *arm,
                        const struct var_set *around, int copies)
{
    sh->woven = assigned_in(sh->original->vars.n, arm->body);
    var_set_add(&sh->woven, loop->index);
    for (int i = 0; i < around->n; i++)
        if (around->at[i])
            var_set_add(&sh->woven, sh->f->vars.at[i]);
    sh->copies = copies * arm->width;
}

static struct stmt *shape_loop(struct shape *sh, const struct stmt *s)
{
    struct for_arm *arms = NEW_ARRAY(struct for_arm, s->arm_count);
    struct span lo = range_of(sh, s->lo, NULL), hi = range_of(sh, s->hi, NULL);
    const struct var_set woven = sh->woven;
    const int copies = sh->copies;
    struct stmt *out;

    if (hi.hi > lo.lo)
        sh->index_range[s->index->id] = (struct span){ lo.lo, hi.hi - 1 };
    for (int i = 0; i < s->arm_count; i++) {
        arms[i].width = s->arms[i].width;
        if (s->shape == LOOP_WEAVE)
            enter_woven(sh, s, &s->arms[i], &woven, copies);
        arms[i].body = shape_list(sh, s->arms[i].body);
    }
    sh->woven = woven;
    sh->copies = copies;
    out = expand_loop(sh, s, arms);
    sh->index_range[s->index->id] = (struct span){ 1, 0 };
    return out;
}

static struct stmt *shape_stmt(struct shape *sh, const struct stmt *s)
{
    struct stmt *copy;

    if (s->kind == S_FOR)
        return shape_loop(sh, s);
    copy = NEW(struct stmt);
    *copy = *s;
    copy->next = NULL;
    copy->body = shape_list(sh, s->body);
    copy->other = shape_list(sh, s->other);
    return copy;
}

static struct stmt *shape_list(struct shape *sh, const struct stmt *s)
{
    struct stmt_chain out;

    chain_start(&out);
    for (; s; s = s->next)
        chain_add(&out, shape_stmt(sh, s));
    return out.first;
}

struct func *shape_func(struct func *f)
{
    struct func *copy = NEW(struct func);
    struct shape sh = { .original = f, .f = copy, .next_key = KEY_CONSTANT + 1,
                        .copies = 1 };

    *copy = *f;
    copy->vars.at = NEW_ARRAY(struct var *, f->vars.n + 1);
    copy->vars.cap = f->vars.n + 1;
    if (f->vars.n > 0)
        memcpy(copy->vars.at, f->vars.at, sizeof *f->vars.at * (size_t)f->vars.n);
    gather_facts(&sh);
    copy->body = shape_list(&sh, f->body);
    return copy;
}
