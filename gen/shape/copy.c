/* copy.c: copy a tree with differences.
 *
 * Takes an expression or a list of statements and a struct copier; gives a
 * copy in which the copier's hooks decide what a variable reads as, which
 * variable is assigned instead, and where an access goes. Without hooks the
 * copy means the same. Objects and callees are shared, not copied. An
 * expression in which nothing differs is shared too: expressions are never
 * changed in place.
 */
#include "shape/pass.h"

static bool copy_access(struct copier *c, struct access *a)
{
    struct access before = *a;
    if (a->offset)
        a->offset = copy_expr(c, a->offset);
    if (c->access)
        c->access(c, a);
    return a->offset != before.offset || a->pointer != before.pointer || a->disp != before.disp ||
           a->key != before.key || a->object != before.object;
}

struct expr *copy_expr(struct copier *c, const struct expr *e)
{
    struct expr out;
    bool differs = false;

    if (!e)
        return NULL;
    if (e->kind == E_VAR) {
        struct expr *other = c->read ? c->read(c, e) : NULL;
        return other ? other : (struct expr *)e;
    }
    out = *e;
    out.a = copy_expr(c, e->a);
    out.b = copy_expr(c, e->b);
    out.c = copy_expr(c, e->c);
    differs = out.a != e->a || out.b != e->b || out.c != e->c;
    if (e->kind == E_LOAD || e->kind == E_ADDRESS)
        differs |= copy_access(c, &out.access);
    if (e->arg_count > 0) {
        out.args = NEW_ARRAY(struct expr *, e->arg_count);
        for (int i = 0; i < e->arg_count; i++) {
            out.args[i] = copy_expr(c, e->args[i]);
            differs |= out.args[i] != e->args[i];
        }
    }
    if (!differs)
        return (struct expr *)e;
    struct expr *copy = NEW(struct expr);
    *copy = out;
    return copy;
}

static struct var *copy_definition(struct copier *c, struct var *v)
{
    return v && c->assigned ? c->assigned(c, v) : v;
}

static void copy_operands(struct copier *c, struct stmt *to, const struct stmt *s)
{
    to->value = copy_expr(c, s->value);
    to->a = copy_expr(c, s->a);
    to->b = copy_expr(c, s->b);
    to->flag_in = copy_expr(c, s->flag_in);
    to->lo = copy_expr(c, s->lo);
    to->hi = copy_expr(c, s->hi);
    if (s->kind == S_STORE)
        copy_access(c, &to->access);
    if (s->value_count > 0) {
        to->values = NEW_ARRAY(struct expr *, s->value_count);
        for (int i = 0; i < s->value_count; i++)
            to->values[i] = copy_expr(c, s->values[i]);
    }
    if (s->arg_count > 0) {
        to->args = NEW_ARRAY(struct call_arg, s->arg_count);
        for (int i = 0; i < s->arg_count; i++) {
            to->args[i] = s->args[i];
            to->args[i].value = copy_expr(c, s->args[i].value);
        }
    }
}

struct stmt *copy_stmt(struct copier *c, const struct stmt *s)
{
    struct stmt *to = NEW(struct stmt);

    *to = *s;
    to->next = NULL;
    copy_operands(c, to, s);
    /* Operands read the values before this statement, so definitions come last;
     * the condition of a loop is read after its body. */
    if (s->kind == S_IF || s->kind == S_WHILE)
        to->cond = copy_expr(c, s->cond);
    to->var = copy_definition(c, s->var);
    to->flag = copy_definition(c, s->flag);
    to->high = copy_definition(c, s->high);
    to->index = copy_definition(c, s->index);
    to->count = copy_definition(c, s->count);
    if (s->result_count > 0) {
        to->results = NEW_ARRAY(struct var *, s->result_count);
        for (int i = 0; i < s->result_count; i++)
            to->results[i] = copy_definition(c, s->results[i]);
    }
    to->body = copy_list(c, s->body);
    to->other = copy_list(c, s->other);
    if (s->arm_count > 0) {
        to->arms = NEW_ARRAY(struct for_arm, s->arm_count);
        for (int i = 0; i < s->arm_count; i++) {
            to->arms[i].width = s->arms[i].width;
            to->arms[i].body = copy_list(c, s->arms[i].body);
        }
    }
    if (s->kind == S_REPEAT && s->cond)
        to->cond = copy_expr(c, s->cond);
    return to;
}

struct stmt *copy_list(struct copier *c, const struct stmt *s)
{
    struct stmt_chain out;

    chain_start(&out);
    for (; s; s = s->next)
        chain_add(&out, copy_stmt(c, s));
    return out.first;
}
