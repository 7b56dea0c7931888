/* walk.c: visit everything in a tree.
 *
 * Takes expressions and statements, gives each to the hooks of a struct
 * walker; and the questions that are answered by one walk: what is assigned
 * here, is this variable mentioned. Changes nothing.
 */
#include <assert.h>

#include "shape/pass.h"

static void visit_access(struct walker *w, struct access *a, bool is_store)
{
    if (w->access)
        w->access(w, a, is_store);
    if (a->pointer && w->read)
        w->read(w, a->pointer);
    if (a->offset)
        visit_expr(w, a->offset);
}

void visit_expr(struct walker *w, struct expr *e)
{
    if (!e)
        return;
    if (w->expr)
        w->expr(w, e);
    if (e->kind == E_VAR && w->read)
        w->read(w, e->var);
    if (e->kind == E_LOAD || e->kind == E_ADDRESS)
        visit_access(w, &e->access, false);
    visit_expr(w, e->a);
    visit_expr(w, e->b);
    visit_expr(w, e->c);
    for (int i = 0; i < e->arg_count; i++)
        visit_expr(w, e->args[i]);
}

static void visit_definition(struct walker *w, struct var *v)
{
    if (v && w->assigned)
        w->assigned(w, v);
}

void visit_stmt(struct walker *w, struct stmt *s)
{
    if (w->stmt)
        w->stmt(w, s);
    visit_expr(w, s->value);
    visit_expr(w, s->a);
    visit_expr(w, s->b);
    visit_expr(w, s->flag_in);
    visit_expr(w, s->lo);
    visit_expr(w, s->hi);
    visit_expr(w, s->cond);
    if (s->kind == S_STORE)
        visit_access(w, &s->access, true);
    for (int i = 0; i < s->value_count; i++)
        visit_expr(w, s->values[i]);
    for (int i = 0; i < s->arg_count; i++)
        visit_expr(w, s->args[i].value);
    if (s->kind == S_REPEAT && s->count && w->read)
        w->read(w, s->count);
    visit_definition(w, s->var);
    visit_definition(w, s->flag);
    visit_definition(w, s->high);
    visit_definition(w, s->index);
    visit_definition(w, s->count);
    for (int i = 0; i < s->result_count; i++)
        visit_definition(w, s->results[i]);
    visit_list(w, s->body);
    visit_list(w, s->other);
    for (int i = 0; i < s->arm_count; i++)
        visit_list(w, s->arms[i].body);
}

void visit_list(struct walker *w, struct stmt *s)
{
    for (; s; s = s->next)
        visit_stmt(w, s);
}

/* -- sets of variables -- */

bool var_set_has(const struct var_set *s, const struct var *v)
{
    return v->id < s->n && s->at[v->id];
}

void var_set_add(struct var_set *s, const struct var *v)
{
    if (v->id >= s->n) {
        int n = v->id + 16;
        s->at = mem_grow(s->at, (size_t)s->n, (size_t)n);
        s->n = n;
    }
    s->at[v->id] = 1;
}

static void collect_assigned(struct walker *w, struct var *v)
{
    var_set_add(w->self, v);
}

struct var_set assigned_in(int var_count, struct stmt *list)
{
    struct var_set set = { NEW_ARRAY(uint8_t, var_count + 1), var_count };
    struct walker w = { .assigned = collect_assigned, .self = &set };
    visit_list(&w, list);
    return set;
}

/* -- questions -- */

struct mention { const struct var *one; const struct var_set *any; bool found; };

static void note_read(struct walker *w, struct var *v)
{
    struct mention *m = w->self;
    if (v == m->one || (m->any && var_set_has(m->any, v)))
        m->found = true;
}

bool expr_mentions(struct expr *e, const struct var *v)
{
    struct mention m = { .one = v };
    struct walker w = { .read = note_read, .self = &m };
    visit_expr(&w, e);
    return m.found;
}

bool expr_mentions_any(struct expr *e, const struct var_set *s)
{
    struct mention m = { .any = s };
    struct walker w = { .read = note_read, .self = &m };
    visit_expr(&w, e);
    return m.found;
}

bool list_mentions(struct stmt *list, const struct var *v)
{
    struct mention m = { .one = v };
    struct walker w = { .read = note_read, .self = &m };
    visit_list(&w, list);
    return m.found;
}

static void count_stmt(struct walker *w, struct stmt *s)
{
    (void)s;
    ++*(int *)w->self;
}

int list_size(struct stmt *list)
{
    int n = 0;
    struct walker w = { .stmt = count_stmt, .self = &n };
    visit_list(&w, list);
    return n;
}
