/* elab_build.c: nodes of the typed tree, variables, objects, statements.
 *
 * Everything that makes a node goes through here, so that small facts hold
 * everywhere: constants are folded in address arithmetic, usize is u64, a
 * conversion to the type a value has already is no conversion.
 *
 * Order of evaluation: an expression is evaluated where the statement that
 * holds it stands. When an operand needs statements of its own (an expanded
 * function, a choice), the operands before it are settled: assigned to
 * temporaries in front of those statements, unless they cannot change.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

enum {
    DEPTH_LIMIT = 1000,         /* of nested syntax, through expansions */
};

/* -- items -- */

struct item item_error(struct loc loc)
{
    return (struct item){.kind = ITEM_ERROR, .loc = loc};
}

struct item item_constant(struct constant c, struct loc loc)
{
    return (struct item){.kind = ITEM_CONSTANT, .loc = loc, .constant = constant_share(c)};
}

struct item item_integer(uint64_t n, struct loc loc)
{
    return item_constant(constant_integer(n), loc);
}

struct item item_value(struct expr *x)
{
    assert(x != NULL);
    return (struct item){.kind = ITEM_VALUE, .loc = x->loc, .expr = x};
}

static const char *memory_text(const struct memory *m)
{
    if (m->layout != NULL)
        return mem_format("the struct '%s'", m->name);
    if (!m->is_array)
        return mem_format("the table '%s'", m->name);
    return mem_format("the array '%s' of %s", m->name, value_types[m->element].name);
}

const char *item_text(const struct item *it)
{
    switch (it->kind) {
    case ITEM_CONSTANT:
        return it->type != TYPE_VOID ? value_types[it->type].name : constant_text(&it->constant);
    case ITEM_VALUE:
        return it->expr->type == TYPE_BOOL ? "a condition" : value_types[it->expr->type].name;
    case ITEM_LIST:
        return mem_format(it->is_tuple ? "%d values" : "an array of %d registers", it->n);
    case ITEM_MEMORY:
        return memory_text(&it->memory);
    case ITEM_NOTHING:
        return "nothing";
    default:
        return "an error";
    }
}

/* -- expressions -- */

struct expr *make_expr(enum expr_kind kind, enum value_type type, struct loc loc)
{
    struct expr *x = NEW(struct expr);

    x->kind = kind;
    x->type = canonical_type(type);
    x->loc = loc;
    return x;
}

struct expr *make_const(enum value_type type, uint64_t n, struct loc loc)
{
    struct expr *x = make_expr(E_CONST, type, loc);
    const int lane = value_types[type].lane_bits, bits = value_types[type].bits;

    for (int at = 0; at < bits; at += lane)
        x->value[at / 64] |= low_bits(n, lane) << (at % 64);
    return x;
}

struct expr *make_var_expr(struct var *v, struct loc loc)
{
    struct expr *x = make_expr(E_VAR, v->type, loc);

    x->var = v;
    return x;
}

bool is_constant_expr(const struct expr *x)
{
    return x->kind == E_CONST;
}

struct expr *make_binary(enum op op, struct expr *a, struct expr *b, struct loc loc)
{
    struct expr *x = make_expr(E_BINARY, a->type, loc);

    x->op = op;
    x->a = a;
    x->b = b;
    return x;
}

struct expr *make_convert(struct expr *a, enum value_type type, struct loc loc)
{
    struct expr *x;

    type = canonical_type(type);
    if (a->type == type)
        return a;
    if (a->kind == E_CONST && type_is_scalar(type) && type_is_scalar(a->type))
        return make_const(type, a->value[0], loc);
    x = make_expr(E_CONVERT, type, loc);
    if (a->kind == E_CONST && value_types[type].bits == value_types[a->type].bits) {
        x->kind = E_CONST;
        memcpy(x->value, a->value, sizeof x->value);
        return x;
    }
    x->a = a;
    return x;
}

struct expr *make_not(struct expr *condition)
{
    struct expr *x = make_expr(E_LOGIC, TYPE_BOOL, condition->loc);

    x->op = UN_LOGIC_NOT;
    x->a = condition;
    return x;
}

struct expr *scale(struct expr *a, uint64_t k)
{
    if (k == 1)
        return a;
    if (is_constant_expr(a))
        return make_const(TYPE_U64, a->value[0] * k, a->loc);
    return make_binary(BIN_MUL, a, make_const(TYPE_U64, k, a->loc), a->loc);
}

struct expr *add_u64(struct expr *a, struct expr *b)
{
    if (a == NULL || (is_constant_expr(a) && a->value[0] == 0))
        return b;
    if (b == NULL || (is_constant_expr(b) && b->value[0] == 0))
        return a;
    if (is_constant_expr(a) && is_constant_expr(b))
        return make_const(TYPE_U64, a->value[0] + b->value[0], b->loc);
    return make_binary(BIN_ADD, a, b, b->loc);
}

static bool reads_nothing_that_changes(const struct expr *x)
{
    if (x == NULL)
        return true;
    if (x->kind == E_LOAD || (x->kind == E_VAR && x->var->is_mutable))
        return false;
    for (int i = 0; i < x->arg_count; i++)
        if (!reads_nothing_that_changes(x->args[i]))
            return false;
    return reads_nothing_that_changes(x->a) && reads_nothing_that_changes(x->b) &&
           reads_nothing_that_changes(x->c);
}

bool is_stable(const struct expr *x)
{
    return reads_nothing_that_changes(x);
}

/* -- variables, objects -- */

struct var *make_var(struct elab *e, const char *name, enum value_type type, struct loc loc)
{
    struct var *v = NEW(struct var);

    v->name = name;
    v->loc = loc;
    v->id = e->func->vars.n;
    v->type = register_type(type);
    vec_push(&e->func->vars, v);
    vec_push(&e->bound, NULL);
    return v;
}

struct object *make_object(struct elab *e, enum object_kind kind, const char *name, struct loc loc)
{
    struct object *o = NEW(struct object);

    o->kind = kind;
    o->name = name;
    o->loc = loc;
    o->id = e->func->objects.n;
    o->secret = true;
    o->align = 1;
    o->param = -1;
    vec_push(&e->func->objects, o);
    return o;
}

/* -- statements -- */

struct stmt *emit(struct elab *e, enum stmt_kind kind, struct loc loc)
{
    struct stmt *s = NEW(struct stmt);

    s->kind = kind;
    s->loc = loc;
    *e->end = s;
    e->end = &s->next;
    return s;
}

void emit_assign(struct elab *e, struct var *v, struct expr *value, struct loc loc)
{
    struct stmt *s = emit(e, S_ASSIGN, loc);

    assert(v->type == value->type);
    s->var = v;
    s->value = value;
    if (!v->is_mutable && is_stable(value))
        e->bound.at[v->id] = value;
}

struct stmt **list_end(struct stmt **list)
{
    while (*list != NULL)
        list = &(*list)->next;
    return list;
}

struct expr *save_at(struct elab *e, struct stmt **mark, struct expr *value)
{
    struct var *v = make_var(e, "", value->type, value->loc);
    struct stmt *s = NEW(struct stmt);

    s->kind = S_ASSIGN;
    s->loc = value->loc;
    s->var = v;
    s->value = value;
    s->next = *mark;
    *mark = s;
    if (e->end == mark)
        e->end = &s->next;
    if (is_stable(value))
        e->bound.at[v->id] = value;
    return make_var_expr(v, value->loc);
}

/* What cannot change means the same wherever it is evaluated. */
static bool needs_saving(const struct expr *x)
{
    return !is_stable(x);
}

/* A condition has no variable to be kept in: what it compares is kept. */
static struct expr *settle_condition(struct elab *e, struct stmt **mark, struct expr *x)
{
    struct expr *kept = NEW(struct expr);

    *kept = *x;
    for (int i = 0; i < 2; i++) {
        struct expr **part = i == 0 ? &kept->a : &kept->b;

        if (*part != NULL && (*part)->type == TYPE_BOOL)
            *part = settle_condition(e, mark, *part);
        else if (*part != NULL && needs_saving(*part))
            *part = save_at(e, mark, *part);
    }
    return kept;
}

void settle(struct elab *e, struct stmt **mark, struct item *it)
{
    if (*mark == NULL)
        return;
    if (it->kind == ITEM_VALUE && it->expr->type == TYPE_BOOL)
        it->expr = settle_condition(e, mark, it->expr);
    else if (it->kind == ITEM_VALUE && needs_saving(it->expr))
        it->expr = save_at(e, mark, it->expr);
    for (int i = it->kind == ITEM_LIST ? it->n - 1 : -1; i >= 0; i--)
        settle(e, mark, &it->at[i]);
}

/* -- limits -- */

bool enter(struct elab *e, struct loc where)
{
    const char *complaint = NULL;

    e->depth++;
    if (e->exhausted)
        return false;
    if (--e->unit->budget < 0)
        complaint = "the module expands to more than a million nodes";
    else if (--e->budget < 0)
        complaint = "the function expands to more than a quarter million nodes";
    else if (e->depth > DEPTH_LIMIT)
        complaint = "this is nested too deeply, counting the functions it is expanded in";
    if (complaint == NULL)
        return true;
    error_at(where, RULE_UNSUPPORTED, "%s", complaint);
    e->exhausted = e->unit->exhausted = true;
    return false;
}

void leave(struct elab *e)
{
    e->depth--;
}
