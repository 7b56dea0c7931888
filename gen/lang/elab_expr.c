/* elab_expr.c: what an expression means, and whether it fits where it stands.
 *
 * Takes syntax; gives an item: a constant known now, one run-time value, a list
 * (an array of registers, or several results), or memory. `want` says what
 * type the context would take and decides only what the expression leaves
 * open: the type of a choice between literals, the form of `dup`.
 *
 * Holds: coerce() is the only way from an item to a value of a type. A literal
 * takes the type it is asked for when it fits, in every lane of a vector; two
 * different types never meet silently, but usize and u64 are one.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

/* -- literals and types -- */

bool number_fits(uint64_t n, enum value_type t)
{
    const int bits = value_types[t].lane_bits;
    const uint64_t negatives = bits >= 64 ? UINT64_MAX : UINT64_MAX << (bits - 1);

    if (bits >= 64)
        return true;
    if (type_is_flag(t))
        return n <= 1;
    if (t == TYPE_I32)
        return n <= INT32_MAX || n >= negatives;
    return n >> bits == 0 || n >= negatives;
}

static void wrong_type(const struct item *it, enum value_type type)
{
    error_at(it->loc, RULE_TYPE, "%s is needed here, this is %s", value_types[type].name,
             item_text(it));
    if (it->kind == ITEM_VALUE && type_is_flag(it->expr->type) && type_is_scalar(type))
        note_at(it->loc, "'as %s' makes it 0 or 1", value_types[type].name);
    else if (it->kind == ITEM_VALUE && type_is_vector(type) && type_is_scalar(it->expr->type))
        note_at(it->loc, "'%s(x)' puts a scalar into every lane", value_types[type].name);
    else if (it->kind == ITEM_VALUE && type_is_vector(type) && type_is_vector(it->expr->type) &&
             value_types[type].bits == value_types[it->expr->type].bits)
        note_at(it->loc, "'as %s' reads the same bits so", value_types[type].name);
}

/* A list of numbers as the lanes of a vector; hex("…") gives its bytes. */
static struct expr *vector_of_list(const struct item *it, enum value_type type)
{
    const struct list *l = it->constant.u.list;
    const int lane = l->is_bytes ? 8 : value_types[type].lane_bits;
    const int lanes = value_types[type].bits / lane;
    struct expr *x = make_expr(E_CONST, type, it->loc);

    if (l->n != lanes) {
        error_at(it->loc, RULE_TYPE, "%s has %d lanes, this is %s", value_types[type].name, lanes,
                 constant_text(&it->constant));
        return NULL;
    }
    for (int i = 0; i < lanes; i++) {
        const struct constant *c = &l->at[i];
        const int at = i * lane;

        if (c->kind != CONSTANT_INTEGER || (lane == value_types[type].lane_bits &&
                                            !number_fits(c->u.number, type))) {
            error_at(it->loc, RULE_TYPE, "%s does not fit lane %d of %s", constant_text(c), i,
                     value_types[type].name);
            return NULL;
        }
        x->value[at / 64] |= low_bits(c->u.number, lane) << (at % 64);
    }
    return x;
}

/* u8 and u16 typed constants stand for one lane, or for a u32 that holds them. */
static bool constant_has_type(const struct item *it, enum value_type type)
{
    if (it->type == TYPE_VOID || canonical_type(it->type) == canonical_type(type))
        return true;
    if (type_is_vector(type))
        return value_types[it->type].bits == value_types[type].lane_bits;
    return register_type(it->type) == TYPE_U32 && register_type(type) == TYPE_U32;
}

static struct expr *coerce_constant(struct item it, enum value_type type)
{
    if (it.constant.kind == CONSTANT_LIST) {
        if (type_is_vector(type))
            return vector_of_list(&it, type);
        wrong_type(&it, type);
        return NULL;
    }
    if (!constant_has_type(&it, type)) {
        wrong_type(&it, type);
        return NULL;
    }
    if (!number_fits(it.constant.u.number, type)) {
        error_at(it.loc, RULE_TYPE, "%s does not fit %s", constant_text(&it.constant),
                 type_is_vector(type) ? mem_format("a lane of %s", value_types[type].name)
                                      : value_types[type].name);
        return NULL;
    }
    return make_const(register_type(type),
                      type == TYPE_U8 || type == TYPE_U16
                          ? low_bits(it.constant.u.number, value_types[type].bits)
                          : it.constant.u.number, it.loc);
}

struct expr *coerce(struct elab *e, struct item it, enum value_type type)
{
    type = canonical_type(type);
    if (it.kind == ITEM_MEMORY)
        it = load_whole(e, &it);
    if (it.kind == ITEM_ERROR)
        return NULL;
    if (it.kind == ITEM_CONSTANT)
        return coerce_constant(it, type);
    if (it.kind == ITEM_VALUE && it.expr->type == register_type(type))
        return it.expr;
    wrong_type(&it, type);
    return NULL;
}

struct expr *elab_value(struct elab *e, const struct node *n, enum value_type type)
{
    struct item it = elab_expr(e, n, type);

    if (type != TYPE_VOID)
        return coerce(e, it, type);
    if (it.kind == ITEM_MEMORY)
        it = load_whole(e, &it);
    if (it.kind == ITEM_CONSTANT && it.type != TYPE_VOID)
        return coerce(e, it, it.type);
    if (it.kind == ITEM_VALUE && it.expr->type != TYPE_BOOL)
        return it.expr;
    if (it.kind == ITEM_CONSTANT && it.constant.kind == CONSTANT_INTEGER)
        error_at(it.loc, RULE_TYPE,
                 "the type of this number is open here: write '%s as u64' or another type",
                 constant_text(&it.constant));
    else if (it.kind != ITEM_ERROR)
        error_at(it.loc, RULE_TYPE, "a value is needed here, this is %s", item_text(&it));
    return NULL;
}

bool elab_static(struct elab *e, const struct node *n, const char *what, uint64_t *out)
{
    const struct item it = elab_expr(e, n, TYPE_VOID);

    if (it.kind == ITEM_CONSTANT && it.constant.kind == CONSTANT_INTEGER) {
        *out = it.constant.u.number;
        return true;
    }
    if (it.kind == ITEM_CONSTANT)
        error_at(it.loc, RULE_TYPE, "%s is an integer, this is %s", what, item_text(&it));
    else if (it.kind != ITEM_ERROR)
        error_at(it.loc, RULE_STATIC,
                 "%s must be known when kgen runs; this is computed by the kernel",
                 what);
    return false;
}

struct expr *elab_condition(struct elab *e, const struct node *n, bool *known, bool *is_true)
{
    const struct item it = elab_expr(e, n, TYPE_BOOL);

    *known = false;
    if (it.kind == ITEM_CONSTANT && it.constant.kind == CONSTANT_INTEGER) {
        *known = true;
        *is_true = it.constant.u.number != 0;
        return NULL;
    }
    if (it.kind == ITEM_VALUE && it.expr->type == TYPE_BOOL)
        return it.expr;
    if (it.kind == ITEM_VALUE && type_is_flag(it.expr->type))
        error_at(it.loc, RULE_TYPE, "a condition is needed here, this is %s: write '… as u64 != 0'",
                 item_text(&it));
    else if (it.kind != ITEM_ERROR)
        error_at(it.loc, RULE_TYPE, "a condition is needed here, this is %s", item_text(&it));
    return NULL;
}

/* -- names -- */

/* The same meaning, seen from the place of its use. */
static struct item at_place(const struct item *it, struct loc where)
{
    struct item seen = *it;

    seen.loc = where;
    if (it->kind == ITEM_VALUE && it->expr->kind == E_VAR) {
        seen.expr = make_var_expr(it->expr->var, where);
    } else if (it->kind == ITEM_LIST) {
        seen.at = NEW_ARRAY(struct item, it->n + 1);
        for (int i = 0; i < it->n; i++)
            seen.at[i] = at_place(&it->at[i], where);
    }
    return seen;
}

static struct item entity_item(struct elab *e, struct entity *named, struct loc where)
{
    struct constant c;
    struct item it;
    struct object *o;

    switch (named->kind) {
    case ENTITY_STATIC:
        return entity_value(named, where, &c) ? item_constant(c, where) : item_error(where);
    case ENTITY_TABLE:
        o = entity_table(named, where);
        if (o == NULL)
            return item_error(where);
        it = (struct item){.kind = ITEM_MEMORY, .loc = where, .memory = whole_table(named, o)};
        return it;
    default:
        error_at(where, RULE_TYPE, "'%s' is a %s, not a value", named->name,
                 named->kind == ENTITY_STRUCT ? "struct" : "function");
        note_at(named->loc, "'%s' is declared here", named->name);
        (void)e;
        return item_error(where);
    }
}

static struct item elab_name(struct elab *e, const struct node *n)
{
    const struct binding *b = scope_find(e, n->name);
    struct entity *named;

    if (b != NULL)
        return at_place(&b->item, n->loc);
    named = unit_find(e->unit, n->name);
    if (named != NULL)
        return entity_item(e, named, n->loc);
    unknown_name(e, n->loc, n->name, "name");
    return item_error(n->loc);
}

/* -- lists -- */

static void settle_all(struct elab *e, struct stmt **mark, struct item *items, int n)
{
    if (*mark != NULL)
        for (int i = 0; i < n; i++)
            settle(e, mark, &items[i]);
}

/* A list of nothing but untyped constants is a constant itself. */
static struct item list_item(struct item *items, int n, bool is_tuple, struct loc where)
{
    struct item list = {.kind = ITEM_LIST, .loc = where, .at = items, .n = n, .is_tuple = is_tuple};
    struct constant c;

    for (int i = 0; i < n; i++) {
        if (items[i].kind == ITEM_ERROR)
            return item_error(where);
        if (items[i].kind == ITEM_NOTHING) {
            error_at(items[i].loc, RULE_TYPE, "this call gives nothing");
            return item_error(where);
        }
    }
    for (int i = 0; i < n; i++)
        if (items[i].kind != ITEM_CONSTANT || items[i].type != TYPE_VOID)
            return list;
    c = constant_list(n);
    c.u.list->is_tuple = is_tuple;
    for (int i = 0; i < n; i++)
        c.u.list->at[i] = items[i].constant;
    return item_constant(c, where);
}

struct item *elab_arguments(struct elab *e, const struct node *list, enum value_type want, int *n)
{
    struct item *items;
    int count = 0;

    for (const struct node *a = list; a != NULL; a = a->next)
        count++;
    items = NEW_ARRAY(struct item, count + 1);
    *n = 0;
    for (const struct node *a = list; a != NULL; a = a->next) {
        struct stmt **mark = e->end;

        items[*n] = elab_expr(e, a, want);
        settle_all(e, mark, items, *n);
        (*n)++;
    }
    return items;
}

static struct item elab_list(struct elab *e, const struct node *n, enum value_type want)
{
    int count;
    struct item *items = elab_arguments(e, n->list, want, &count);

    if (count > STATIC_LIST_LIMIT) {
        error_at(n->loc, RULE_STATIC, "a list of more than 65536 elements");
        return item_error(n->loc);
    }
    return list_item(items, count, n->kind == N_TUPLE, n->loc);
}

static struct item elab_comprehension(struct elab *e, const struct node *n, enum value_type want)
{
    struct domain_items d;
    struct item *items;

    if (!elab_domain(e, n->a, NULL, &d))
        return item_error(n->loc);
    items = NEW_ARRAY(struct item, d.count + 1);
    for (int i = 0; i < d.count; i++) {
        struct stmt **mark = e->end;

        scope_push(e);
        scope_bind(e, n->name, n->name_loc, domain_item(&d, i, n->a->loc));
        items[i] = elab_expr(e, n->b, want);
        scope_pop(e);
        settle_all(e, mark, items, i);
        if (items[i].kind == ITEM_ERROR)
            return item_error(n->loc);
    }
    return list_item(items, d.count, false, n->loc);
}

/* -- domains of static loops: a range known now, or the elements of a list -- */

static bool range_domain(struct elab *e, const struct node *n, const struct node *step,
                         struct domain_items *out)
{
    uint64_t lo, hi, by = 1, count;

    if (!elab_static(e, n->a, "the start of a static range", &lo) ||
        !elab_static(e, n->b, "the end of a static range", &hi) ||
        (step != NULL && !elab_static(e, step, "a step", &by)))
        return false;
    if (by == 0 || (n->is_inclusive && hi == UINT64_MAX)) {
        error_at(by == 0 ? step->loc : n->loc, RULE_RANGE,
                 by == 0 ? "a step of 0" : "this range ends at the largest number");
        return false;
    }
    hi += n->is_inclusive;
    count = hi <= lo ? 0 : (hi - lo - 1) / by + 1;
    if (count > STATIC_LIST_LIMIT) {
        error_at(n->loc, RULE_STATIC, "a static range of more than 65536 numbers");
        return false;
    }
    *out = (struct domain_items){.lo = lo, .step = by, .count = (int)count};
    return true;
}

bool elab_domain(struct elab *e, const struct node *n, const struct node *step,
                 struct domain_items *out)
{
    if (n->kind == N_RANGE)
        return range_domain(e, n, step, out);
    *out = (struct domain_items){.list = elab_expr(e, n, TYPE_VOID)};
    if (out->list.kind == ITEM_CONSTANT && out->list.constant.kind == CONSTANT_LIST) {
        out->count = out->list.constant.u.list->n;
        return true;
    }
    if (out->list.kind == ITEM_LIST) {
        out->count = out->list.n;
        return true;
    }
    if (out->list.kind != ITEM_ERROR)
        error_at(n->loc, RULE_TYPE, "a static loop goes over a range or a list, this is %s",
                 item_text(&out->list));
    return false;
}

struct item domain_item(const struct domain_items *d, int i, struct loc where)
{
    if (d->list.kind == ITEM_CONSTANT)
        return item_constant(d->list.constant.u.list->at[i], where);
    if (d->list.kind == ITEM_LIST)
        return d->list.at[i];
    return item_integer(d->lo + (uint64_t)i * d->step, where);
}

/* -- choices -- */

/* The type both arms can have; VOID after a message. */
static enum value_type common_type(const struct item *a, const struct item *b, enum value_type want)
{
    const struct item *both[2] = {a, b};

    for (int i = 0; i < 2; i++) {
        if (both[i]->kind == ITEM_VALUE)
            return both[i]->expr->type;
        if (both[i]->kind == ITEM_CONSTANT && both[i]->type != TYPE_VOID)
            return both[i]->type;
    }
    if (want == TYPE_VOID || want == TYPE_BOOL) {
        error_at(a->loc, RULE_TYPE,
                 "the type of this choice is open: write '… as u64' or another type");
        return TYPE_VOID;
    }
    return want;
}

struct arms { struct stmt **end[2]; };

static void assign_arm(struct elab *e, struct stmt **end, struct var *v, struct expr *value)
{
    e->end = list_end(end);
    emit_assign(e, v, value, value->loc);
}

static struct item join_values(struct elab *e, struct arms *arms, struct item *a, struct item *b,
                               enum value_type want)
{
    enum value_type type;
    struct expr *x, *y;
    struct var *v;

    if (a->kind == ITEM_MEMORY)
        *a = load_whole(e, a);
    if (b->kind == ITEM_MEMORY)
        *b = load_whole(e, b);
    if (a->kind == ITEM_ERROR || b->kind == ITEM_ERROR)
        return item_error(a->loc);
    type = common_type(a, b, want);
    if (type == TYPE_VOID || (x = coerce(e, *a, type)) == NULL || (y = coerce(e, *b, type)) == NULL)
        return item_error(a->loc);
    if (x->type == TYPE_BOOL) {
        error_at(a->loc, RULE_TYPE, "a condition is not a value");
        return item_error(a->loc);
    }
    v = make_var(e, "", type, a->loc);
    v->is_mutable = true;       /* assigned in both arms */
    assign_arm(e, arms->end[0], v, x);
    assign_arm(e, arms->end[1], v, y);
    return item_value(make_var_expr(v, a->loc));
}

static struct item join_arms(struct elab *e, struct arms *arms, struct item *a, struct item *b,
                             enum value_type want)
{
    struct item *joined;

    if (a->kind != ITEM_LIST || b->kind != ITEM_LIST)
        return join_values(e, arms, a, b, want);
    if (a->n != b->n) {
        error_at(b->loc, RULE_TYPE, "the two arms are arrays of %d and %d", a->n, b->n);
        return item_error(a->loc);
    }
    joined = NEW_ARRAY(struct item, a->n + 1);
    for (int i = 0; i < a->n; i++) {
        joined[i] = join_arms(e, arms, &a->at[i], &b->at[i], want);
        if (joined[i].kind == ITEM_ERROR)
            return item_error(a->loc);
    }
    return (struct item){.kind = ITEM_LIST, .loc = a->loc, .at = joined, .n = a->n,
                         .is_tuple = a->is_tuple};
}

struct item elab_if_expr(struct elab *e, const struct node *n, enum value_type want)
{
    bool known, is_true;
    struct expr *condition = elab_condition(e, n->a, &known, &is_true);
    const int facts = e->facts.n;
    struct item a, b, joined;
    struct stmt *choice;
    struct arms arms;

    if (known)
        return elab_expr(e, is_true ? n->b : n->other, want);
    if (condition == NULL)
        return item_error(n->loc);
    choice = emit(e, S_IF, n->loc);
    choice->cond = condition;
    arms = (struct arms){{&choice->body, &choice->other}};
    e->end = arms.end[0];
    add_fact(e, condition);
    a = elab_expr(e, n->b, want);
    e->facts.n = facts;
    e->end = arms.end[1];
    add_fact(e, make_not(condition));
    b = elab_expr(e, n->other, want);
    e->facts.n = facts;
    joined = join_arms(e, &arms, &a, &b, want);
    e->end = &choice->next;
    joined.loc = n->loc;
    return joined;
}

/* -- every expression -- */

static struct item elab_number(const struct node *n)
{
    if (n->is_wide) {
        error_at(n->loc, RULE_TYPE, "this number has more than 64 bits");
        return item_error(n->loc);
    }
    return item_integer(n->number, n->loc);
}

static struct item elab_node(struct elab *e, const struct node *n, enum value_type want)
{
    switch (n->kind) {
    case N_NUMBER:
        return elab_number(n);
    case N_NAME:
        return elab_name(e, n);
    case N_INDEX:
        return elab_index(e, n);
    case N_FIELD:
        return elab_field(e, n);
    case N_CALL:
        return elab_call(e, n, want);
    case N_BUILD:
        return elab_build(e, n);
    case N_UNARY:
        return elab_unary(e, n, want);
    case N_BINARY:
        return elab_binary(e, n, want);
    case N_AS:
        return elab_as(e, n);
    case N_LIST:
    case N_TUPLE:
        return elab_list(e, n, want);
    case N_COMPREHENSION:
        return elab_comprehension(e, n, want);
    case N_IF_EXPR:
        return elab_if_expr(e, n, want);
    default:
        error_at(n->loc, RULE_TYPE, "this is not a value");
        return item_error(n->loc);
    }
}

struct item elab_expr(struct elab *e, const struct node *n, enum value_type want)
{
    struct item it = enter(e, n->loc) ? elab_node(e, n, want) : item_error(n->loc);

    leave(e);
    it.loc = n->loc;
    return it;
}
