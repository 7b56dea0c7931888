/* elab_builtin.c: what looks like a call but is part of the language: select,
 * mask, same, declassify, load, store, fail, hex, and building vectors and
 * flags: u32x4(a, b, c, d), carry(x).
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

typedef struct item builtin_fn(struct elab *e, const struct node *n, enum value_type want);

static struct item wrong_use(const struct node *n, const char *usage)
{
    error_at(n->loc, RULE_TYPE, "%s", usage);
    return item_error(n->loc);
}

static int argument_count(const struct node *n)
{
    int count = 0;

    for (const struct node *a = n->list; a != NULL; a = a->next)
        count++;
    return count;
}

/* -- flags -- */

static struct item builtin_mask(struct elab *e, const struct node *n, enum value_type want)
{
    struct item flag;
    struct expr *x;

    if (argument_count(n) != 1)
        return wrong_use(n, "mask takes one flag: mask(c)");
    flag = elab_expr(e, n->list, TYPE_VOID);
    if (flag.kind == ITEM_ERROR)
        return flag;
    if (flag.kind != ITEM_VALUE || !type_is_flag(flag.expr->type)) {
        error_at(flag.loc, RULE_TYPE, "mask takes a carry or a borrow, this is %s", item_text(&flag));
        return item_error(n->loc);
    }
    x = make_expr(E_MASK, want == TYPE_U32 ? TYPE_U32 : TYPE_U64, n->loc);
    x->a = flag.expr;
    return item_value(x);
}

/* carry(x), borrow(x): x is 0, 1 or all ones. */
struct item elab_flag_builtin(struct elab *e, const struct node *n, enum value_type flag)
{
    struct expr *value, *x;

    if (argument_count(n) != 1)
        return wrong_use(n, "a flag is made of one value: carry(x)");
    value = elab_value(e, n->list, TYPE_VOID);
    if (value == NULL)
        return item_error(n->loc);
    if (value->type != TYPE_U32 && value->type != TYPE_U64) {
        error_at(value->loc, RULE_TYPE, "a %s is made of u32 or u64, this is %s",
                 value_types[flag].name, value_types[value->type].name);
        return item_error(n->loc);
    }
    x = make_expr(E_TO_FLAG, flag, n->loc);
    x->a = value;
    return item_value(x);
}

/* -- choices -- */

static bool is_mask_for(const struct item *it, enum value_type type)
{
    return it->kind == ITEM_VALUE && it->expr->type != TYPE_BOOL &&
           (type_is_flag(it->expr->type) ||
            (value_types[it->expr->type].bits == value_types[type].bits &&
             type_is_vector(it->expr->type) == type_is_vector(type)));
}

/* The type of the two values, and both as it; false after a message. */
static bool alternatives(struct elab *e, struct item *a, struct item *b, enum value_type want,
                         const struct node *n, struct expr **x, struct expr **y)
{
    enum value_type type = want;

    if (a->kind == ITEM_MEMORY)
        *a = load_whole(e, a);
    if (b->kind == ITEM_MEMORY)
        *b = load_whole(e, b);
    if (b->kind == ITEM_VALUE)
        type = b->expr->type;
    if (a->kind == ITEM_VALUE)
        type = a->expr->type;
    if (a->kind == ITEM_ERROR || b->kind == ITEM_ERROR)
        return false;
    if (!type_is_vector(type) && !type_is_scalar(type)) {
        error_at(n->loc, RULE_TYPE, "select chooses between two scalars or two vectors");
        return false;
    }
    *x = coerce(e, *a, type);
    *y = coerce(e, *b, type);
    return *x != NULL && *y != NULL;
}

static struct item builtin_select(struct elab *e, const struct node *n, enum value_type want)
{
    const struct node *choice = n->list;
    struct item c, a, b;
    struct stmt **mark;
    struct expr *x;

    if (argument_count(n) != 3)
        return wrong_use(n, "select takes a flag or mask and two values: select(c, a, b)");
    c = elab_expr(e, choice, want);
    mark = e->end;
    a = elab_expr(e, choice->next, want);
    settle(e, mark, &c);
    mark = e->end;
    b = elab_expr(e, choice->next->next, a.kind == ITEM_VALUE ? a.expr->type : want);
    settle(e, mark, &c);
    settle(e, mark, &a);
    x = make_expr(E_SELECT, TYPE_VOID, n->loc);
    if (!alternatives(e, &a, &b, want, n, &x->b, &x->c) || c.kind == ITEM_ERROR)
        return item_error(n->loc);
    x->type = x->b->type;
    if (!is_mask_for(&c, x->type)) {
        error_at(c.loc, RULE_TYPE,
                 "select between values of %s needs a flag or a mask of that size, this is %s",
                 value_types[x->type].name, item_text(&c));
        return item_error(n->loc);
    }
    x->a = type_is_vector(x->type) && type_is_vector(c.expr->type)
               ? make_convert(c.expr, x->type, c.loc) : c.expr;
    return item_value(x);
}

static struct item builtin_same(struct elab *e, const struct node *n, enum value_type want)
{
    struct item *items;
    const struct object *a, *b;
    struct expr *x;
    int count;

    (void)want;
    items = elab_arguments(e, n->list, TYPE_VOID, &count);
    if (count != 2)
        return wrong_use(n, "same takes two arrays: same(a, b)");
    for (int i = 0; i < 2; i++) {
        if (items[i].kind == ITEM_ERROR)
            return item_error(n->loc);
        if (items[i].kind != ITEM_MEMORY) {
            error_at(items[i].loc, RULE_TYPE, "same compares arrays, this is %s",
                     item_text(&items[i]));
            return item_error(n->loc);
        }
    }
    a = items[0].memory.object;
    b = items[1].memory.object;
    if (a == b || !may_be_same_here(e, a, b))
        return item_integer(a == b, n->loc);
    x = make_expr(E_SAME, TYPE_BOOL, n->loc);
    x->object_a = items[0].memory.object;
    x->object_b = items[1].memory.object;
    return item_value(x);
}

static struct item builtin_declassify(struct elab *e, const struct node *n, enum value_type want)
{
    struct expr *value, *x;

    if (argument_count(n) != 1)
        return wrong_use(n, "declassify takes one value: declassify(x)");
    value = elab_value(e, n->list, want == TYPE_BOOL ? TYPE_VOID : want);
    if (value == NULL)
        return item_error(n->loc);
    x = make_expr(E_DECLASSIFY, value->type, n->loc);
    x->a = value;
    return item_value(x);
}

/* -- memory, static -- */

static struct item builtin_load(struct elab *e, const struct node *n, enum value_type want)
{
    (void)want;
    return elab_load(e, n);
}

static struct item builtin_store(struct elab *e, const struct node *n, enum value_type want)
{
    (void)e;
    (void)want;
    return wrong_use(n, "store is a statement, it gives nothing");
}

static struct item builtin_fail(struct elab *e, const struct node *n, enum value_type want)
{
    (void)e;
    (void)want;
    if (argument_count(n) != 1 || n->list->kind != N_STRING)
        return wrong_use(n, "fail takes one string: what is wrong");
    error_at(n->loc, RULE_STATIC, "%s", n->list->text);
    return item_error(n->loc);
}

static struct item builtin_hex(struct elab *e, const struct node *n, enum value_type want)
{
    struct constant bytes;

    (void)e;
    (void)want;
    if (argument_count(n) != 1 || n->list->kind != N_STRING ||
        !constant_from_hex(n->list->text, &bytes))
        return wrong_use(n, "hex takes one string of pairs of hexadecimal digits");
    return item_constant(bytes, n->loc);
}

static const struct { const char *name; builtin_fn *elab; } builtins[] = {
    {"select", builtin_select},
    {"mask", builtin_mask},
    {"same", builtin_same},
    {"declassify", builtin_declassify},
    {"load", builtin_load},
    {"store", builtin_store},
    {"fail", builtin_fail},
    {"hex", builtin_hex},
};

const char *builtin_name(int i)
{
    return i < COUNT(builtins) ? builtins[i].name : NULL;
}

bool is_builtin(const char *name)
{
    for (int i = 0; i < COUNT(builtins); i++)
        if (strcmp(builtins[i].name, name) == 0)
            return true;
    return false;
}

struct item elab_builtin(struct elab *e, const struct node *n, enum value_type want)
{
    for (int i = 0; i < COUNT(builtins); i++)
        if (strcmp(builtins[i].name, n->name) == 0)
            return builtins[i].elab(e, n, want);
    assert(0 && "not built in");
    return item_error(n->loc);
}

/* -- vectors of scalars -- */

static enum value_type lane_type(enum value_type vector)
{
    return value_types[vector].lane_bits == 64 ? TYPE_U64 : TYPE_U32;
}

/* A literal in a lane must fit the lane, not only the register it comes from. */
static struct expr *lane_value(struct elab *e, const struct item *it, enum value_type vector)
{
    if (it->kind == ITEM_CONSTANT && it->constant.kind == CONSTANT_INTEGER &&
        !number_fits(it->constant.u.number, vector)) {
        error_at(it->loc, RULE_TYPE, "%s does not fit a lane of %s", constant_text(&it->constant),
                 value_types[vector].name);
        return NULL;
    }
    return coerce(e, *it, lane_type(vector));
}

static struct item constant_vector(struct expr **lanes, int n, enum value_type type, struct loc loc)
{
    struct expr *x = make_expr(E_CONST, type, loc);
    const int bits = value_types[type].lane_bits;

    for (int i = 0; i < n; i++)
        x->value[i * bits / 64] |= low_bits(lanes[i]->value[0], bits) << (i * bits % 64);
    return item_value(x);
}

static struct item splat(struct expr *scalar, enum value_type type, struct loc loc)
{
    struct expr *x;

    if (is_constant_expr(scalar))
        return item_value(make_const(type, scalar->value[0], loc));
    x = make_expr(E_SPLAT, type, loc);
    x->a = scalar;
    return item_value(x);
}

static struct item build_vector(struct elab *e, const struct node *n, enum value_type type)
{
    const int lanes = value_types[type].lanes;
    bool constant = true;
    struct item *items;
    struct expr *x;
    int count;

    items = elab_arguments(e, n->list, lane_type(type), &count);
    if (count != lanes && count != 1) {
        error_at(n->loc, RULE_TYPE, "%s has %d lanes, these are %d values", value_types[type].name,
                 lanes, count);
        return item_error(n->loc);
    }
    x = make_expr(E_BUILD, type, n->loc);
    x->args = NEW_ARRAY(struct expr *, count);
    for (; x->arg_count < count; x->arg_count++) {
        x->args[x->arg_count] = lane_value(e, &items[x->arg_count], type);
        if (x->args[x->arg_count] == NULL)
            return item_error(n->loc);
        constant = constant && is_constant_expr(x->args[x->arg_count]);
    }
    if (count == 1 && lanes > 1)
        return splat(x->args[0], type, n->loc);
    return constant ? constant_vector(x->args, count, type, n->loc) : item_value(x);
}

struct item elab_build(struct elab *e, const struct node *n)
{
    struct type_use t;

    if (!type_use_of(e->unit, n->type, &t))
        return item_error(n->loc);
    if (t.layout == NULL && t.extent == NULL && type_is_flag(t.value))
        return elab_flag_builtin(e, n, t.value);
    if (t.layout == NULL && t.extent == NULL && type_is_vector(t.value))
        return build_vector(e, n, t.value);
    error_at(n->loc, RULE_TYPE, "only vectors and flags are built so; 'x as %s' converts",
             n->type->name);
    return item_error(n->loc);
}
