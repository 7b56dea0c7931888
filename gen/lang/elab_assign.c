/* elab_assign.c: let, var, assignment, and the forms with two results.
 *
 * A declaration makes one variable for each register: `var s: u8x16[8]` is the
 * variables s[0] … s[7]. A `let` of an integer known now stays a constant and
 * takes its type where it is used.
 *
 * Several places are assigned at once: every value is taken before the first
 * place changes. `r, c = a + b + c` and its kin become S_CARRY, `lo, hi = a * b`
 * becomes S_MUL; a place in memory gets the value through a temporary.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

static bool is_ignored_name(const char *name)
{
    return strcmp(name, "_") == 0;
}

/* -- lists -- */

static bool wrong_count(const struct item *list, int64_t n)
{
    error_at(list->loc, RULE_TYPE, "an array of %lld registers is needed here, this is %s",
             (long long)n, item_text(list));
    return false;
}

/* Element I of an array in memory, as a value. */
static bool memory_part(const struct item *list, int64_t n, int64_t i, struct item *out)
{
    const struct memory *m = &list->memory;
    const uint64_t size = m->layout == NULL ? (uint64_t)type_bytes(m->element) : 1;
    struct expr *x;

    if (m->layout != NULL || !m->is_array || !is_constant_expr(m->extent) ||
        m->extent->value[0] != (uint64_t)n * size)
        return wrong_count(list, n);
    x = make_expr(E_LOAD, register_type(m->element), list->loc);
    x->mem = m->element;
    x->access.object = m->object;
    x->access.field = m->field;
    x->access.offset = add_u64(m->offset, make_const(TYPE_U64, (uint64_t)i * size, list->loc));
    *out = item_value(x);
    return true;
}

bool list_part(struct elab *e, const struct item *list, int64_t n, int64_t i, struct item *out)
{
    (void)e;
    if (list->kind == ITEM_ERROR)
        return false;
    if (list->kind == ITEM_LIST && list->n == n) {
        *out = list->at[i];
        return true;
    }
    if (list->kind == ITEM_CONSTANT && list->constant.kind == CONSTANT_LIST &&
        list->constant.u.list->n == n) {
        *out = item_constant(list->constant.u.list->at[i], list->loc);
        return true;
    }
    return list->kind == ITEM_MEMORY ? memory_part(list, n, i, out) : wrong_count(list, n);
}

/* -- new names -- */

static struct item declare_var(struct elab *e, const char *name, enum value_type type,
                               const struct node *binding, bool is_variable)
{
    struct var *v = make_var(e, name, type, binding->name_loc);

    v->is_mutable = is_variable;
    return item_value(make_var_expr(v, binding->name_loc));
}

static void bind(struct elab *e, const struct node *binding, struct item it, bool is_variable)
{
    struct binding *b = scope_bind(e, binding->name, binding->name_loc, it);

    b->is_variable = is_variable;
    b->why_not = "bound by 'let'";
}

/* A variable that was declared with a value. */
static struct item initialised(struct elab *e, const char *name, const struct node *binding,
                               struct expr *value, bool is_variable, struct loc where)
{
    struct item it = declare_var(e, name, value->type, binding, is_variable);

    emit_assign(e, it.expr->var, value, where);
    return it;
}

static struct item array_item(const struct node *binding, int64_t n)
{
    return (struct item){.kind = ITEM_LIST, .loc = binding->name_loc, .n = (int)n,
                         .at = NEW_ARRAY(struct item, n + 1)};
}

static const char *element_name(const char *name, int64_t i)
{
    return mem_format("%s[%lld]", name, (long long)i);
}

/* let x: T = it */
static struct item typed_item(struct elab *e, const struct node *binding, struct item *it,
                              const struct shape_of *shape, bool is_variable, struct loc where)
{
    struct item array;
    struct expr *x;

    if (shape->count < 0) {
        x = coerce(e, *it, shape->type);
        if (x == NULL)
            return item_error(where);
        if (!is_variable && it->kind == ITEM_CONSTANT && type_is_scalar(shape->type)) {
            it->type = canonical_type(shape->type);
            return *it;
        }
        return initialised(e, binding->name, binding, x, is_variable, where);
    }
    array = array_item(binding, shape->count);
    for (int i = 0; i < array.n; i++) {
        struct item part;

        if (!list_part(e, it, shape->count, i, &part) ||
            (x = coerce(e, part, shape->type)) == NULL)
            return item_error(where);
        array.at[i] = initialised(e, element_name(binding->name, i), binding, x, is_variable, where);
    }
    return array;
}

/* let x = it: the type is the value's. */
static struct item untyped_item(struct elab *e, const char *name, const struct node *binding,
                                struct item *it, bool is_variable, struct loc where)
{
    struct item array;

    switch (it->kind) {
    case ITEM_MEMORY:
        *it = load_whole(e, it);
        if (it->kind == ITEM_ERROR)
            return *it;
        return initialised(e, name, binding, it->expr, is_variable, where);
    case ITEM_CONSTANT:
        if (!is_variable)
            return *it;
        if (it->type != TYPE_VOID)
            return initialised(e, name, binding, coerce(e, *it, it->type), is_variable, where);
        error_at(binding->loc, RULE_TYPE,
                 "the type of '%s' is open: write 'var %s: u64' or another type",
                 binding->name, binding->name);
        return item_error(where);
    case ITEM_VALUE:
        if (it->expr->type != TYPE_BOOL)
            return initialised(e, name, binding, it->expr, is_variable, where);
        error_at(it->loc, RULE_TYPE, "a condition is not a value: 'if c { 1 } else { 0 }' makes one");
        return item_error(where);
    case ITEM_LIST:
        array = array_item(binding, it->n);
        array.is_tuple = it->is_tuple;
        for (int i = 0; i < it->n; i++)
            array.at[i] = untyped_item(e, element_name(name, i), binding, &it->at[i], is_variable,
                                       where);
        return array;
    case ITEM_NOTHING:
        error_at(it->loc, RULE_TYPE, "this gives nothing that '%s' could be", binding->name);
        return item_error(where);
    default:
        return item_error(where);
    }
}

/* The results of a call that are bound to `_` are ignored variables. */
static void ignore(const struct item *it)
{
    if (it->kind == ITEM_VALUE && it->expr->kind == E_VAR && it->expr->var->name[0] == '\0')
        it->expr->var->ignored = true;
    for (int i = 0; it->kind == ITEM_LIST && i < it->n; i++)
        ignore(&it->at[i]);
}

static void bind_new(struct elab *e, const struct node *binding, struct item *it, bool is_variable,
                     struct loc where)
{
    struct shape_of shape;
    struct item bound;

    if (is_ignored_name(binding->name)) {
        ignore(it);
        return;
    }
    if (binding->type != NULL) {
        if (!value_shape(e, binding->type, &shape))
            bound = item_error(where);
        else
            bound = it->kind == ITEM_ERROR ? *it : typed_item(e, binding, it, &shape, is_variable,
                                                              where);
    } else {
        bound = untyped_item(e, binding->name, binding, it, is_variable, where);
    }
    bind(e, binding, bound, is_variable);
}

/* var x: T; */
static void bind_unset(struct elab *e, const struct node *binding)
{
    struct shape_of shape;
    struct item it;

    if (binding->type == NULL) {
        error_at(binding->loc, RULE_TYPE, "'%s' needs a type or a value", binding->name);
        it = item_error(binding->loc);
    } else if (!value_shape(e, binding->type, &shape)) {
        it = item_error(binding->loc);
    } else if (shape.count < 0) {
        it = declare_var(e, binding->name, shape.type, binding, true);
    } else {
        it = array_item(binding, shape.count);
        for (int i = 0; i < it.n; i++)
            it.at[i] = declare_var(e, element_name(binding->name, i), shape.type, binding, true);
    }
    bind(e, binding, it, true);
}

/* -- several values at once -- */

static int list_length(const struct node *n)
{
    int count = 0;

    for (; n != NULL; n = n->next)
        count++;
    return count;
}

/* The values of `a, b, … = it`; NULL after a message. */
static struct item *spread(struct item *it, int n, struct loc where)
{
    struct item *parts;

    if (n == 1)
        return it;
    if (it->kind == ITEM_LIST && it->n == n)
        return it->at;
    if (it->kind == ITEM_CONSTANT && it->constant.kind == CONSTANT_LIST &&
        it->constant.u.list->n == n) {
        parts = NEW_ARRAY(struct item, n);
        for (int i = 0; i < n; i++)
            parts[i] = item_constant(it->constant.u.list->at[i], it->loc);
        return parts;
    }
    if (it->kind != ITEM_ERROR)
        error_at(where, RULE_TYPE, "%d names need as many values, this is %s", n, item_text(it));
    return NULL;
}

void elab_declare(struct elab *e, const struct node *n)
{
    const int count = list_length(n->list);
    const bool is_variable = n->kind == N_VAR;
    struct place *places = NEW_ARRAY(struct place, count);
    enum value_type want = TYPE_VOID;
    struct item value, *parts;
    int i = 0;

    if (n->a == NULL) {
        for (const struct node *b = n->list; b != NULL; b = b->next)
            bind_unset(e, b);
        return;
    }
    for (const struct node *b = n->list; b != NULL; b = b->next)
        places[i++] = (struct place){.kind = is_ignored_name(b->name) ? PLACE_IGNORED : PLACE_NEW,
                                     .loc = b->loc, .binding = b, .is_variable = is_variable};
    if (elab_carry_form(e, places, count, n->a, n->loc))
        return;
    if (count == 1 && n->list->type != NULL)
        want = register_type(value_type_named(n->list->type->name));
    value = elab_expr(e, n->a, want);
    parts = spread(&value, count, n->loc);
    i = 0;
    for (const struct node *b = n->list; b != NULL; b = b->next, i++) {
        struct item none = item_error(n->loc);

        bind_new(e, b, parts != NULL ? &parts[i] : &none, is_variable, n->loc);
    }
}

/* -- assignment -- */

struct pair { struct place *place; struct expr *value; };
struct pairs { VEC(struct pair) all; };

/* Places and values that belong together, arrays opened; false after a message. */
static bool pair_up(struct elab *e, struct place *p, struct item *it, struct pairs *out)
{
    struct expr *x;

    if (p->kind == PLACE_ERROR || it->kind == ITEM_ERROR)
        return false;
    if (p->kind == PLACE_IGNORED) {
        ignore(it);
        return true;
    }
    if (p->kind == PLACE_LIST) {
        for (int i = 0; i < p->n; i++) {
            struct item part;

            if (!list_part(e, it, p->n, i, &part) || !pair_up(e, &p->at[i], &part, out))
                return false;
        }
        return true;
    }
    x = coerce(e, *it, p->kind == PLACE_MEMORY ? p->mem : p->type);
    if (x == NULL)
        return false;
    vec_push(&out->all, ((struct pair){p, x}));
    return true;
}

static void put(struct elab *e, const struct place *p, struct expr *value, struct loc where)
{
    struct stmt *s;

    if (p->kind == PLACE_VAR) {
        emit_assign(e, p->var, value, where);
        return;
    }
    assert(p->kind == PLACE_MEMORY);
    s = emit(e, S_STORE, where);
    s->access = p->access;
    s->mem = p->mem;
    s->value = value;
}

static bool mentions(const struct expr *x, const struct var *v)
{
    if (x == NULL)
        return false;
    if (x->kind == E_VAR && x->var == v)
        return true;
    if (mentions(x->a, v) || mentions(x->b, v) || mentions(x->c, v) || mentions(x->access.offset, v))
        return true;
    for (int i = 0; i < x->arg_count; i++)
        if (mentions(x->args[i], v))
            return true;
    return false;
}

static bool place_sets(const struct place *p, const struct expr *x)
{
    if (p->kind == PLACE_VAR)
        return mentions(x, p->var);
    for (int i = 0; p->kind == PLACE_LIST && i < p->n; i++)
        if (place_sets(&p->at[i], x))
            return true;
    return false;
}

/* Does writing one of the first N places change what X reads? */
static bool changed_by(const struct pair *pairs, int n, const struct expr *x)
{
    for (int i = 0; i < n; i++)
        if (place_sets(pairs[i].place, x) ||
            (pairs[i].place->kind == PLACE_MEMORY && !is_stable(x)))
            return true;
    return false;
}

void assign_items(struct elab *e, struct place *places, int n, struct item *items, int item_count,
                  struct loc where)
{
    struct pairs pairs = {0};

    if (n != item_count) {
        error_at(where, RULE_TYPE, "%d places for %d values", n, item_count);
        return;
    }
    for (int i = 0; i < n; i++)
        if (!pair_up(e, &places[i], &items[i], &pairs))
            return;
    for (int i = 0; i < pairs.all.n; i++)
        if (changed_by(pairs.all.at, i, pairs.all.at[i].value))
            pairs.all.at[i].value = save_at(e, e->end, pairs.all.at[i].value);
    for (int i = 0; i < pairs.all.n; i++)
        put(e, pairs.all.at[i].place, pairs.all.at[i].value, where);
}

/* An index that this very statement changes is the index before it. */
static void keep_indices(struct elab *e, struct place *places, int n)
{
    for (int i = 0; i < n; i++) {
        bool changes = false;

        if (places[i].kind != PLACE_MEMORY)
            continue;
        for (int j = 0; j < n; j++)
            changes = changes || place_sets(&places[j], places[i].access.offset);
        if (changes)
            places[i].access.offset = save_at(e, e->end, places[i].access.offset);
    }
}

static void settle_places(struct elab *e, struct stmt **mark, struct place *places, int n)
{
    for (int i = 0; i < n; i++) {
        if (places[i].kind == PLACE_MEMORY) {
            struct item offset = item_value(places[i].access.offset);

            settle(e, mark, &offset);
            places[i].access.offset = offset.expr;
        }
    }
}

void elab_assign(struct elab *e, const struct node *n)
{
    const int count = list_length(n->list);
    struct place *places = NEW_ARRAY(struct place, count);
    struct stmt **mark;
    struct item value, *parts;
    int i = 0;

    for (const struct node *p = n->list; p != NULL; p = p->next) {
        struct stmt **before = e->end;

        places[i] = elab_place(e, p);
        settle_places(e, before, places, i);
        i++;
    }
    if (count > 1)
        keep_indices(e, places, count);
    mark = e->end;
    if (elab_carry_form(e, places, count, n->a, n->loc))
        return;
    value = elab_expr(e, n->a, count == 1 && places[0].kind != PLACE_ERROR ? places[0].type
                      : TYPE_VOID);
    settle_places(e, mark, places, count);
    parts = spread(&value, count, n->loc);
    if (parts != NULL)
        assign_items(e, places, count, parts, count, n->loc);
}

/* -- carry, borrow and double-width multiplication -- */

struct terms {
    struct item at[3];
    const struct node *node[3];
    int n, flag;                /* which one is a flag; -1: none */
};

static bool is_op(const struct node *n, enum op op)
{
    return n->kind == N_BINARY && n->op == op;
}

static bool collect_terms(struct elab *e, const struct node *value, enum value_type want,
                          struct terms *t)
{
    struct stmt **mark[3];

    *t = (struct terms){.flag = -1};
    if (is_op(value->a, value->op)) {
        if (is_op(value->a->a, value->op)) {
            error_at(value->loc, RULE_TYPE,
                     "a sum with a carry has two values and one flag; write longer ones step by step");
            return false;
        }
        t->node[t->n++] = value->a->a;
        t->node[t->n++] = value->a->b;
    } else {
        t->node[t->n++] = value->a;
    }
    t->node[t->n++] = value->b;
    for (int i = 0; i < t->n; i++) {
        mark[i] = e->end;
        t->at[i] = elab_expr(e, t->node[i], want);
        for (int j = 0; j < i; j++)
            settle(e, mark[i], &t->at[j]);
        if (t->at[i].kind == ITEM_ERROR)
            return false;
        if (t->at[i].kind == ITEM_VALUE && type_is_flag(t->at[i].expr->type)) {
            if (t->flag >= 0) {
                error_at(value->loc, RULE_TYPE, "two flags in one sum");
                return false;
            }
            t->flag = i;
        }
    }
    return true;
}

static enum value_type place_type(struct elab *e, const struct place *p)
{
    struct shape_of shape;

    if (p->kind == PLACE_VAR || p->kind == PLACE_MEMORY)
        return p->type;
    if (p->kind == PLACE_NEW && p->binding->type != NULL && value_shape(e, p->binding->type, &shape) &&
        shape.count < 0)
        return canonical_type(shape.type);
    return TYPE_VOID;
}

static bool place_takes(struct elab *e, const struct place *p, enum value_type type)
{
    const enum value_type declared = place_type(e, p);

    if (p->kind == PLACE_ERROR || p->kind == PLACE_LIST ||
        (declared != TYPE_VOID && declared != type)) {
        if (p->kind != PLACE_ERROR)
            error_at(p->loc, RULE_TYPE, "a place for %s is needed here, this is for %s",
                     value_types[type].name,
                     p->kind == PLACE_LIST ? "an array of registers" : value_types[declared].name);
        return false;
    }
    if (p->kind == PLACE_MEMORY && type_is_flag(type)) {
        error_at(p->loc, RULE_TYPE, "a %s is not kept in memory: 'as u64' makes it a number",
                 value_types[type].name);
        return false;
    }
    return true;
}

/* The variable that takes one of the two results; NULL: nobody does. */
static struct var *result_var(struct elab *e, struct place *p, enum value_type type)
{
    if (p->kind == PLACE_IGNORED)
        return NULL;
    if (p->kind == PLACE_VAR)
        return p->var;
    if (p->kind == PLACE_MEMORY)
        return make_var(e, "", type, p->loc);
    p->var = make_var(e, p->binding->name, type, p->binding->name_loc);
    p->var->is_mutable = p->is_variable;
    return p->var;
}

static void finish_places(struct elab *e, struct place *places, struct var **vars, struct loc where)
{
    for (int i = 0; i < 2; i++) {
        if (places[i].kind == PLACE_MEMORY)
            put(e, &places[i], make_var_expr(vars[i], where), where);
        else if (places[i].kind == PLACE_NEW)
            bind(e, places[i].binding, item_value(make_var_expr(vars[i], places[i].loc)),
                 places[i].is_variable);
    }
}

/* After an error the names exist, so that no other error follows from it. */
static bool bind_errors(struct elab *e, struct place *places, int n)
{
    for (int i = 0; i < n; i++)
        if (places[i].kind == PLACE_NEW)
            bind(e, places[i].binding, item_error(places[i].loc), places[i].is_variable);
    return true;
}

static bool widening_multiply(struct elab *e, struct place *places, const struct node *value,
                              struct loc where)
{
    struct stmt **mark, **before = e->end, *s;
    struct var *vars[2];
    struct item a = elab_expr(e, value->a, TYPE_U64), b;
    struct expr *x, *y;

    mark = e->end;
    b = elab_expr(e, value->b, TYPE_U64);
    settle(e, mark, &a);
    settle_places(e, before, places, 2);
    x = coerce(e, a, TYPE_U64);
    y = coerce(e, b, TYPE_U64);
    if (x == NULL || y == NULL || !place_takes(e, &places[0], TYPE_U64) ||
        !place_takes(e, &places[1], TYPE_U64))
        return bind_errors(e, places, 2);
    vars[0] = result_var(e, &places[0], TYPE_U64);
    vars[1] = result_var(e, &places[1], TYPE_U64);
    s = emit(e, S_MUL, where);
    s->var = vars[0];
    s->high = vars[1];
    s->a = x;
    s->b = y;
    finish_places(e, places, vars, where);
    return true;
}

/* The type of the sum: that of the first value that has one. */
static enum value_type sum_type(const struct terms *t, enum value_type want)
{
    for (int i = 0; i < t->n; i++) {
        if (i == t->flag)
            continue;
        if (t->at[i].kind == ITEM_VALUE)
            return t->at[i].expr->type;
        if (t->at[i].kind == ITEM_CONSTANT && t->at[i].type != TYPE_VOID)
            return canonical_type(t->at[i].type);
    }
    return want;
}

static bool sum_operands(struct elab *e, const struct node *value, struct terms *t,
                         enum value_type type, struct stmt *s)
{
    const enum value_type flag = value->op == BIN_ADD ? TYPE_CARRY : TYPE_BORROW;
    struct expr *operands[2] = {NULL, NULL};
    int n = 0;

    if (t->flag >= 0 && (t->at[t->flag].expr->type != flag || (value->op == BIN_SUB &&
                                                               t->flag == 0))) {
        error_at(t->node[t->flag]->loc, RULE_TYPE,
                 "a carry is added and a borrow subtracted; this is a %s",
                 value_types[t->at[t->flag].expr->type].name);
        return false;
    }
    if (t->n == 3 && t->flag < 0) {
        error_at(value->loc, RULE_TYPE, "this sum has two carries: write it in two steps");
        return false;
    }
    for (int i = 0; i < t->n; i++) {
        if (i == t->flag)
            continue;
        operands[n] = coerce(e, t->at[i], type);
        if (operands[n++] == NULL)
            return false;
    }
    s->a = operands[0];
    s->b = operands[1] != NULL ? operands[1] : make_const(type, 0, value->loc);
    s->flag_in = t->flag >= 0 ? t->at[t->flag].expr : NULL;
    s->is_subtract = value->op == BIN_SUB;
    return true;
}

static bool carry_sum(struct elab *e, struct place *places, const struct node *value,
                      struct loc where)
{
    const enum value_type flag = value->op == BIN_ADD ? TYPE_CARRY : TYPE_BORROW;
    struct stmt **before = e->end, *s, sum = {0};
    struct var *vars[2];
    struct terms t;
    enum value_type type = place_type(e, &places[0]);

    if (!collect_terms(e, value, type, &t))
        return bind_errors(e, places, 2);
    settle_places(e, before, places, 2);
    type = sum_type(&t, type);
    if (type != TYPE_U32 && type != TYPE_U64) {
        error_at(value->loc, RULE_TYPE, type == TYPE_VOID ? "the type of this sum is open"
                                                           : "a sum with a carry is of u32 or u64");
        return bind_errors(e, places, 2);
    }
    if (!sum_operands(e, value, &t, type, &sum) || !place_takes(e, &places[0], type) ||
        !place_takes(e, &places[1], flag))
        return bind_errors(e, places, 2);
    vars[0] = result_var(e, &places[0], type);
    vars[1] = result_var(e, &places[1], flag);
    s = emit(e, S_CARRY, where);
    s->var = vars[0];
    s->flag = vars[1];
    s->a = sum.a;
    s->b = sum.b;
    s->flag_in = sum.flag_in;
    s->is_subtract = sum.is_subtract;
    finish_places(e, places, vars, where);
    return true;
}

bool elab_carry_form(struct elab *e, struct place *places, int n, const struct node *value,
                     struct loc where)
{
    if (n != 2 || value->kind != N_BINARY)
        return false;
    if (value->op == BIN_MUL)
        return widening_multiply(e, places, value, where);
    if (value->op == BIN_ADD || value->op == BIN_SUB)
        return carry_sum(e, places, value, where);
    error_at(value->loc, RULE_TYPE, "'%s' has one result", op_text[value->op]);
    return bind_errors(e, places, n);
}
