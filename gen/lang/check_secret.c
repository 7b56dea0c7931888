/* check_secret.c: where secrets go, and where they must not.
 *
 * Takes a finished function whose memory and parameters say what is secret.
 * Gives var.secret, expr.secret and, for stack arrays, object.secret, as the
 * least fixed point: a value is secret when anything it is computed from is.
 * Then reports a secret that decides control (`secret-branch`), reaches an
 * address or an extent (`secret-address`) or an operation whose time depends on its operands
 * (`secret-time`), and one that is stored where the declaration says public.
 *
 * Holds: conditions are public, so nothing leaks through control and variables
 * need no path to be taken into account. E_DECLASSIFY ends a secret. Returning
 * one is allowed.
 * Does not: track single elements; a stack array is secret as a whole.
 */
#include "lang/check.h"

#include <assert.h>

enum { LONGEST_TRAIL = 64 };            /* steps from a use to its origin: a guard against cycles */

struct cause { struct loc loc; const struct expr *from; };

struct secrets {
    struct func *f;
    struct cause *cause;        /* by variable: what made it secret */
    bool changed;
};

/* -- what memory holds -- */

static bool field_is_secret(const struct object *o, const struct field *fd)
{
    return o->secret && fd->secret;
}

/* Some byte that the access may touch is declared so. */
static bool may_touch(const struct access *a, enum value_type mem, bool secret)
{
    const struct object *o = a->object;
    const struct field *fd = access_field(a, type_bytes(mem));

    if (o->kind == OBJECT_TABLE)
        return !secret;
    if (fd != NULL)
        return field_is_secret(o, fd) == secret;
    if (o->layout == NULL)
        return o->secret == secret;
    for (int i = 0; i < o->layout->field_count; i++)
        if (field_is_secret(o, &o->layout->fields[i]) == secret)
            return true;
    return false;
}

/* -- propagation -- */

static bool expr_secrecy(struct expr *e)
{
    struct expr *child;
    bool secret = e->kind == E_LOAD && may_touch(&e->access, e->mem, true);

    for each_child(child, e)
        secret = expr_secrecy(child) || secret;
    if (e->kind == E_VAR)
        secret = e->var->secret;
    e->secret = secret && e->kind != E_DECLASSIFY;
    return e->secret;
}

static void taint(struct secrets *s, struct var *v, struct loc loc, const struct expr *from)
{
    if (v == NULL || v->secret)
        return;
    v->secret = true;
    s->cause[v->id] = (struct cause){ loc, from };
    s->changed = true;
}

static bool returns_secret(const struct stmt *s, int i)
{
    struct stmt *body;

    for (; s != NULL; s = s->next) {
        if (s->kind == S_RETURN && i < s->value_count && s->values[i]->secret)
            return true;
        for each_body(body, s)
            if (returns_secret(body, i))
                return true;
    }
    return false;
}

static void propagate_call(struct secrets *s, struct stmt *call)
{
    for (int i = 0; i < call->result_count; i++)
        if (call->results[i] != NULL && returns_secret(call->callee->body, i))
            taint(s, call->results[i], call->loc, NULL);
    for (int i = 0; i < call->arg_count; i++) {
        struct object *o = call->args[i].object;
        const struct object *p = call->callee->params[i].object;

        if (o != NULL && o->kind == OBJECT_STACK && !o->secret && p->direction != DIR_IN &&
            p->secret)
            o->secret = s->changed = true;
    }
}

static void propagate_list(struct secrets *s, struct stmt *list)
{
    for (; list != NULL; list = list->next) {
        const struct expr *from = NULL;
        struct object *o = list->kind == S_STORE ? list->access.object : NULL;
        struct expr *x;
        struct var *v;
        struct stmt *body;

        for each_expr(x, list)
            if (expr_secrecy(x))
                from = x;
        if (from != NULL && list->kind != S_CALL)
            for each_result(v, list)
                taint(s, v, list->loc, from);
        if (o != NULL && o->kind == OBJECT_STACK && !o->secret && list->value->secret)
            o->secret = s->changed = true;
        if (list->kind == S_CALL)
            propagate_call(s, list);
        for each_body(body, list)
            propagate_list(s, body);
    }
}

static void propagate(struct secrets *s)
{
    struct func *f = s->f;

    for (int i = 0; i < f->vars.n; i++)
        f->vars.at[i]->secret = false;
    for (int i = 0; i < f->objects.n; i++)
        if (f->objects.at[i]->kind == OBJECT_STACK)
            f->objects.at[i]->secret = false;
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var != NULL)
            f->params[i].var->secret = f->params[i].secret;
    do {
        s->changed = false;
        propagate_list(s, f->body);
    } while (s->changed);
}

/* -- messages -- */

/* The variable or load that makes E secret. */
static const struct expr *secret_leaf(const struct expr *e)
{
    const struct expr *child;

    for each_child(child, e)
        if (child->secret)
            return secret_leaf(child);
    return e;
}

static bool is_param(const struct func *f, const struct var *v)
{
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var == v)
            return true;
    return false;
}

static void note_memory(const struct access *a, enum value_type mem)
{
    const struct field *fd = access_field(a, type_bytes(mem));
    const struct object *o = a->object;

    if (fd != NULL)
        note_at(fd->loc, "field '%s' is secret because it is not declared public", fd->name);
    else if (o->kind == OBJECT_STACK)
        note_at(o->loc, "'%s' holds secrets: some are stored into it", o->name);
    else
        note_at(o->loc, "'%s' is secret because it is not declared public", o->name);
}

/* Where the secret in E comes from: the last variable with a name, and memory
 * or the parameter it started in. */
static void note_origin(const struct secrets *s, const struct expr *e)
{
    bool named = false;

    for (int step = 0; step < LONGEST_TRAIL; step++) {
        const struct expr *leaf = secret_leaf(e);

        if (leaf->kind == E_LOAD) {
            note_memory(&leaf->access, leaf->mem);
            return;
        }
        if (leaf->kind != E_VAR)
            return;
        if (is_param(s->f, leaf->var)) {
            note_at(leaf->var->loc, "parameter '%s' is declared secret", leaf->var->name);
            return;
        }
        const struct cause *c = &s->cause[leaf->var->id];
        if (!named && leaf->var->name != NULL && leaf->var->name[0] != '\0') {
            note_at(c->loc, "'%s' gets a secret value here", leaf->var->name);
            named = true;
        }
        if (c->from == NULL)
            return;
        e = c->from;
    }
}

static void refuse(const struct secrets *s, const struct expr *e, enum rule rule, const char *what)
{
    if (!e->secret)
        return;
    error_at(e->loc, rule, "%s", what);
    note_origin(s, e);
}

static void refuse_address(const struct secrets *s, const struct access *a)
{
    if (!a->offset->secret)
        return;
    error_at(a->offset->loc, RULE_SECRET_ADDRESS, "a secret decides which part of '%s' is accessed",
             a->object->name);
    note_origin(s, a->offset);
}

static void check_expr(const struct secrets *s, const struct expr *e)
{
    struct expr *child;

    for each_child(child, e)
        check_expr(s, child);
    if (e->kind == E_LOAD)
        refuse_address(s, &e->access);
    if (!e->secret)
        return;
    if (e->kind == E_INSN && insns[e->insn].timing_rule == NOT_DIT) {
        error_at(e->loc, RULE_SECRET_TIME, "the time that '%s' takes depends on a secret",
                 insns[e->insn].mnemonic);
        note_origin(s, e);
    }
    if (e->kind == E_BINARY && (e->op == BIN_DIV || e->op == BIN_MOD)) {
        error_at(e->loc, RULE_SECRET_TIME, "'%s' is for public values; this one is secret",
                 op_text[e->op]);
        note_origin(s, e);
    }
}

static void check_store(const struct secrets *s, const struct stmt *st)
{
    const struct object *o = st->access.object;
    const struct field *fd = access_field(&st->access, type_bytes(st->mem));

    refuse_address(s, &st->access);
    if (!st->value->secret || o->kind == OBJECT_STACK || !may_touch(&st->access, st->mem, false))
        return;
    error_at(st->value->loc, RULE_TYPE, "a secret is stored into public '%s%s%s'", o->name,
             fd != NULL ? "." : "", fd != NULL ? fd->name : "");
    note_at(fd != NULL ? fd->loc : o->loc, "'%s' is declared public here",
            fd != NULL ? fd->name : o->name);
    note_origin(s, st->value);
}

static void check_call(const struct secrets *s, const struct stmt *call)
{
    for (int i = 0; i < call->arg_count; i++) {
        const struct param *p = &call->callee->params[i];
        const struct expr *value = call->args[i].value;
        const struct object *o = call->args[i].object;

        if (value != NULL && value->secret && !p->secret) {
            error_at(value->loc, RULE_TYPE, "a secret is passed as public parameter '%s'", p->name);
            note_at(p->loc, "'%s' is declared here; mark it secret", p->name);
            note_origin(s, value);
        } else if (o != NULL && o->secret && !p->object->secret) {
            error_at(call->loc, RULE_TYPE, "secret memory '%s' is passed as public parameter '%s'",
                     o->name, p->name);
            note_at(p->loc, "'%s' is declared here", p->name);
        } else if (o != NULL && !o->secret && p->object->secret && p->object->direction != DIR_IN) {
            error_at(call->loc, RULE_TYPE, "'%s' may store secrets into public '%s'",
                     call->callee->name, o->name);
            note_at(p->loc, "through parameter '%s'", p->name);
        }
    }
}

static void check_list(const struct secrets *s, const struct stmt *list)
{
    for (; list != NULL; list = list->next) {
        struct expr *x;
        struct stmt *body;

        for each_expr(x, list)
            check_expr(s, x);
        if (list->kind == S_STORE)
            check_store(s, list);
        if (list->kind == S_CALL)
            check_call(s, list);
        if (list->cond != NULL)
            refuse(s, list->cond, RULE_SECRET_BRANCH, "a secret decides this condition");
        if (list->kind == S_FOR) {
            refuse(s, list->lo, RULE_SECRET_BRANCH, "a secret decides where this loop starts");
            refuse(s, list->hi, RULE_SECRET_BRANCH, "a secret decides how often this loop runs");
        }
        for each_body(body, list)
            check_list(s, body);
    }
}

static void check_extent(const struct secrets *s, const struct object *o)
{
    if (o == NULL || o->extent == NULL || !expr_secrecy(o->extent))
        return;
    error_at(o->loc, RULE_SECRET_ADDRESS, "a secret decides the length of '%s'", o->name);
    note_origin(s, o->extent);
}

static void check_extents(const struct secrets *s)
{
    for (int i = 0; i < s->f->param_count; i++)
        check_extent(s, s->f->params[i].object);
    for (int i = 0; i < s->f->objects.n; i++)
        if (s->f->objects.at[i]->kind == OBJECT_STACK)
            check_extent(s, s->f->objects.at[i]);
}

void check_secrets(struct func *f)
{
    struct secrets s = { .f = f, .cause = NEW_ARRAY(struct cause, f->vars.n + 1) };

    propagate(&s);
    check_extents(&s);
    check_list(&s, f->body);
}
