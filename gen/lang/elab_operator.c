/* elab_operator.c: operators and `as`.
 *
 * Both operands have one type, and that is the type of the result; a literal
 * takes the type of the other operand. Operators are lane-wise on vectors.
 * `+` with a carry and `-` with a borrow become E_ADC and E_SBC here; with a
 * second result they are statements (elab_assign.c).
 *
 * Refuses what no instruction does: 64-bit lanes multiplied, vectors shifted by
 * a count that is not a constant, division by anything but a constant power of
 * two. The count of a scalar shift that is not a constant is proved to be in
 * range later (check_bounds).
 */
#include "lang/elab.h"

#include <assert.h>

/* -- what an operator does to which types: one row each -- */

struct operator_row {
    bool vectors;               /* lane-wise */
    bool signed_ok;             /* also on i32, where it does not look at the sign */
    bool is_shift, is_division;
};

static const struct operator_row operators[] = {
    [BIN_ADD] = {true, true, false, false},
    [BIN_SUB] = {true, true, false, false},
    [BIN_MUL] = {true, true, false, false},
    [BIN_DIV] = {false, false, false, true},
    [BIN_MOD] = {false, false, false, true},
    [BIN_AND] = {true, true, false, false},
    [BIN_OR]  = {true, true, false, false},
    [BIN_XOR] = {true, true, false, false},
    [BIN_SHL] = {true, true, true, false},
    [BIN_SHR] = {true, false, true, false},
    [BIN_ROL] = {true, false, true, false},
    [BIN_ROR] = {true, false, true, false},
};

static struct item two_types(const struct node *n, const struct item *a, const struct item *b)
{
    error_at(n->loc, RULE_TYPE, "'%s' needs two values of one type, these are %s and %s",
             op_text[n->op], item_text(a), item_text(b));
    return item_error(n->loc);
}

/* -- constants -- */

static uint64_t wrap_to(uint64_t n, enum value_type t)
{
    const int bits = value_types[t].bits;

    n = low_bits(n, bits);
    if (t == TYPE_I32 && n >> 31 != 0)
        n |= UINT64_MAX << 32;
    return n;
}

static struct item fold(const struct node *n, const struct item *a, const struct item *b)
{
    const bool is_comparison = n->op >= BIN_EQ && n->op <= BIN_GE;
    enum value_type type = a->type != TYPE_VOID ? a->type : b->type;
    struct item result;
    const char *complaint;
    uint64_t number;

    if (operators[is_comparison ? BIN_ADD : n->op].is_shift)
        type = a->type;
    else if (a->type != TYPE_VOID && b->type != TYPE_VOID &&
             canonical_type(a->type) != canonical_type(b->type))
        return two_types(n, a, b);
    if (a->constant.kind != CONSTANT_INTEGER || b->constant.kind != CONSTANT_INTEGER)
        return two_types(n, a, b);
    complaint = static_binary(n->op, a->constant.u.number, b->constant.u.number, &number);
    if (complaint != NULL) {
        error_at(n->loc, RULE_STATIC, "%s", complaint);
        return item_error(n->loc);
    }
    result = item_integer(type != TYPE_VOID && !is_comparison ? wrap_to(number, type) : number,
                          n->loc);
    result.type = is_comparison ? TYPE_VOID : type;
    return result;
}

/* -- shifts and rotates -- */

static struct item shift_by_constant(const struct node *n, struct expr *a, uint64_t count)
{
    const int bits = value_types[a->type].lane_bits;
    struct expr *amount;

    if (count >= (uint64_t)bits) {
        error_at(n->b->loc, type_is_vector(a->type) ? RULE_IMMEDIATE : RULE_RANGE,
                 "%s is shifted by 0 to %d, not by %llu", value_types[a->type].name, bits - 1,
                 (unsigned long long)count);
        return item_error(n->loc);
    }
    if (count == 0)
        return item_value(a);
    amount = make_const(a->type == TYPE_U32 || a->type == TYPE_I32 ? TYPE_U32 : TYPE_U64, count,
                        n->b->loc);
    return item_value(make_binary(n->op, a, amount, n->loc));
}

static struct item shift(struct elab *e, const struct node *n, struct item *a, struct item *b,
                         enum value_type want)
{
    struct expr *x;

    if (a->kind == ITEM_CONSTANT && a->type == TYPE_VOID &&
        (want == TYPE_VOID || want == TYPE_BOOL)) {
        error_at(a->loc, RULE_TYPE,
                 "the type of this number is open here: write '%s as u64' or another type",
                 constant_text(&a->constant));
        return item_error(n->loc);
    }
    x = a->kind == ITEM_CONSTANT ? coerce(e, *a, a->type != TYPE_VOID ? a->type : want) : a->expr;
    if (x == NULL)
        return item_error(n->loc);
    if (x->type == TYPE_I32 && !operators[n->op].signed_ok) {
        error_at(n->loc, RULE_TYPE, "'%s' does not look at the sign: convert to u32 first",
                 op_text[n->op]);
        return item_error(n->loc);
    }
    if (b->kind == ITEM_CONSTANT && b->constant.kind == CONSTANT_INTEGER)
        return shift_by_constant(n, x, b->constant.u.number);
    if (b->kind != ITEM_VALUE || (b->expr->type != TYPE_U32 && b->expr->type != TYPE_U64)) {
        error_at(b->loc, RULE_TYPE, "a shift count is u32 or u64, this is %s", item_text(b));
        return item_error(n->loc);
    }
    if (type_is_vector(x->type)) {
        error_at(b->loc, RULE_IMMEDIATE,
                 "vectors are shifted by a constant; 'ushl' takes a count for each lane");
        return item_error(n->loc);
    }
    return item_value(make_binary(n->op, x, b->expr, n->loc));
}

/* -- carry and borrow as operands -- */

static bool is_flag_item(const struct item *it)
{
    return it->kind == ITEM_VALUE && type_is_flag(it->expr->type);
}

static struct item with_flag(struct elab *e, const struct node *n, struct item *value,
                             struct item *flag, enum value_type want)
{
    const enum value_type needed = n->op == BIN_ADD ? TYPE_CARRY : TYPE_BORROW;
    const enum value_type type = value->kind == ITEM_VALUE ? value->expr->type : want;
    struct expr *x, *sum;

    if ((n->op != BIN_ADD && n->op != BIN_SUB) || flag->expr->type != needed) {
        error_at(n->loc, RULE_TYPE, "a carry is added and a borrow subtracted; this is '%s' with %s",
                 op_text[n->op], item_text(flag));
        return item_error(n->loc);
    }
    if (type != TYPE_U32 && type != TYPE_U64) {
        error_at(n->loc, RULE_TYPE, "a %s goes with u32 or u64, this is %s",
                 value_types[needed].name, item_text(value));
        return item_error(n->loc);
    }
    x = coerce(e, *value, type);
    if (x == NULL)
        return item_error(n->loc);
    sum = make_expr(n->op == BIN_ADD ? E_ADC : E_SBC, type, n->loc);
    sum->c = flag->expr;
    if (x->kind == E_BINARY && x->op == n->op) {
        sum->a = x->a;
        sum->b = x->b;
    } else {
        sum->a = x;
        sum->b = make_const(type, 0, n->loc);
    }
    return item_value(sum);
}

/* -- arithmetic -- */

static struct item divide(const struct node *n, struct expr *a, const struct item *b)
{
    const bool is_constant = b->kind == ITEM_CONSTANT && b->constant.kind == CONSTANT_INTEGER;
    const uint64_t k = is_constant ? b->constant.u.number : 0;

    if (!is_constant || k == 0 || (k & (k - 1)) != 0) {
        error_at(b->loc, RULE_RANGE, "a divisor is a constant power of two; '%s' divides by others",
                 "udiv");
        return item_error(n->loc);
    }
    if (k == 1)
        return item_value(n->op == BIN_DIV ? a : make_const(a->type, 0, n->loc));
    if (!number_fits(k, a->type)) {
        error_at(b->loc, RULE_TYPE, "%s does not fit %s", constant_text(&b->constant),
                 value_types[a->type].name);
        return item_error(n->loc);
    }
    return item_value(make_binary(n->op, a, make_const(a->type, k, b->loc), n->loc));
}

static bool allowed(const struct node *n, enum value_type t)
{
    const struct operator_row *row = &operators[n->op];

    if (t == TYPE_BOOL || type_is_flag(t))
        error_at(n->loc, RULE_TYPE, "'%s' is not for %s", op_text[n->op],
                 t == TYPE_BOOL ? "conditions" : value_types[t].name);
    else if (type_is_vector(t) && !row->vectors)
        error_at(n->loc, RULE_TYPE, "'%s' is not for vectors, this is %s", op_text[n->op],
                 value_types[t].name);
    else if (t == TYPE_I32 && !row->signed_ok)
        error_at(n->loc, RULE_TYPE, "'%s' does not look at the sign: convert to u32 first",
                 op_text[n->op]);
    else if (n->op == BIN_MUL && value_types[t].lane_bits == 64 && type_is_vector(t))
        error_at(n->loc, RULE_TYPE, "no instruction multiplies 64-bit lanes");
    else
        return true;
    return false;
}

static bool commutes(enum op op)
{
    return op == BIN_ADD || op == BIN_MUL || op == BIN_AND || op == BIN_OR || op == BIN_XOR;
}

/* A constant stands on the right where it may, as the instructions have it. */
static struct item arithmetic(struct elab *e, const struct node *n, struct item *a, struct item *b)
{
    const enum value_type type = a->kind == ITEM_VALUE ? a->expr->type : b->expr->type;
    struct expr *x, *y;

    if (a->kind == ITEM_VALUE && b->kind == ITEM_VALUE && a->expr->type != b->expr->type)
        return two_types(n, a, b);
    if (!allowed(n, type))
        return item_error(n->loc);
    if (operators[n->op].is_division) {
        x = coerce(e, *a, type);
        return x != NULL ? divide(n, x, b) : item_error(n->loc);
    }
    x = coerce(e, *a, type);
    y = coerce(e, *b, type);
    if (x == NULL || y == NULL)
        return item_error(n->loc);
    if (is_constant_expr(x) && commutes(n->op))
        return item_value(make_binary(n->op, y, x, n->loc));
    return item_value(make_binary(n->op, x, y, n->loc));
}

/* -- comparisons and logic -- */

static enum op mirrored(enum op op)
{
    switch (op) {
    case BIN_LT: return BIN_GT;
    case BIN_LE: return BIN_GE;
    case BIN_GT: return BIN_LT;
    case BIN_GE: return BIN_LE;
    default: return op;
    }
}

/* A constant stands on the right, as the instructions have it. */
static struct item compare(struct elab *e, const struct node *n, struct item *a, struct item *b)
{
    const enum value_type type = a->kind == ITEM_VALUE ? a->expr->type : b->expr->type;
    struct expr *x, *y, *c;

    if (a->kind == ITEM_VALUE && b->kind == ITEM_VALUE && a->expr->type != b->expr->type)
        return two_types(n, a, b);
    if (!type_is_scalar(type)) {
        error_at(n->loc, RULE_TYPE, "'%s' compares scalars, this is %s%s", op_text[n->op],
                 type == TYPE_BOOL ? "a condition" : value_types[type].name,
                 type_is_vector(type) ? "; 'cmeq' and its kin compare lanes" : "");
        return item_error(n->loc);
    }
    x = coerce(e, *a, type);
    y = coerce(e, *b, type);
    if (x == NULL || y == NULL)
        return item_error(n->loc);
    c = make_expr(E_COMPARE, TYPE_BOOL, n->loc);
    c->op = is_constant_expr(x) ? mirrored(n->op) : n->op;
    c->a = is_constant_expr(x) ? y : x;
    c->b = is_constant_expr(x) ? x : y;
    return item_value(c);
}

static struct item elab_logic(struct elab *e, const struct node *n)
{
    const bool is_and = n->op == BIN_LOGIC_AND;
    const int facts = e->facts.n;
    bool known, is_true;
    struct expr *a = elab_condition(e, n->a, &known, &is_true), *b, *c;
    struct stmt **mark = e->end;
    struct item left;

    if (known) {
        if (is_true != is_and)
            return item_integer(is_true, n->loc);
        b = elab_condition(e, n->b, &known, &is_true);
        return known ? item_integer(is_true, n->loc) : b != NULL ? item_value(b) : item_error(n->loc);
    }
    if (a == NULL)
        return item_error(n->loc);
    left = item_value(a);
    add_fact(e, is_and ? a : make_not(a));
    b = elab_condition(e, n->b, &known, &is_true);
    e->facts.n = facts;
    if (known)
        return is_true != is_and ? item_integer(is_true, n->loc) : left;
    if (b == NULL)
        return item_error(n->loc);
    settle(e, mark, &left);
    c = make_expr(E_LOGIC, TYPE_BOOL, n->loc);
    c->op = n->op;
    c->a = left.expr;
    c->b = b;
    return item_value(c);
}

/* -- all of them -- */

static bool is_operand(const struct node *n, const struct item *it)
{
    if (it->kind == ITEM_ERROR)
        return false;
    if (it->kind == ITEM_VALUE || it->kind == ITEM_CONSTANT)
        return true;
    error_at(it->loc, RULE_TYPE, "'%s' is not for %s", op_text[n->op], item_text(it));
    return false;
}

static enum value_type type_wanted_beside(const struct item *a, enum value_type want)
{
    return a->kind == ITEM_VALUE ? a->expr->type : want;
}

struct item elab_binary(struct elab *e, const struct node *n, enum value_type want)
{
    const bool is_comparison = n->op >= BIN_EQ && n->op <= BIN_GE;
    const bool is_shift = !is_comparison && n->op < BIN_EQ && operators[n->op].is_shift;
    struct stmt **mark;
    struct item a, b;

    if (n->op == BIN_LOGIC_AND || n->op == BIN_LOGIC_OR)
        return elab_logic(e, n);
    if (is_comparison || want == TYPE_BOOL)
        want = TYPE_VOID;
    a = elab_expr(e, n->a, want);
    mark = e->end;
    b = elab_expr(e, n->b, is_shift ? TYPE_VOID : type_wanted_beside(&a, want));
    if (a.kind == ITEM_MEMORY)
        a = load_whole(e, &a);
    if (b.kind == ITEM_MEMORY)
        b = load_whole(e, &b);
    settle(e, mark, &a);
    if (!is_operand(n, &a) || !is_operand(n, &b))
        return item_error(n->loc);
    if (a.kind == ITEM_CONSTANT && b.kind == ITEM_CONSTANT)
        return fold(n, &a, &b);
    if (is_comparison)
        return compare(e, n, &a, &b);
    if (is_shift)
        return shift(e, n, &a, &b, want);
    if (is_flag_item(&b) && !is_flag_item(&a))
        return with_flag(e, n, &a, &b, want);
    if (is_flag_item(&a) && !is_flag_item(&b) && n->op == BIN_ADD)
        return with_flag(e, n, &b, &a, want);
    return arithmetic(e, n, &a, &b);
}

struct item elab_unary(struct elab *e, const struct node *n, enum value_type want)
{
    struct item a;
    struct expr *x;
    bool known, is_true;

    if (n->op == UN_LOGIC_NOT) {
        x = elab_condition(e, n->a, &known, &is_true);
        return known ? item_integer(!is_true, n->loc)
                     : x != NULL ? item_value(make_not(x)) : item_error(n->loc);
    }
    a = elab_expr(e, n->a, want == TYPE_BOOL ? TYPE_VOID : want);
    if (a.kind == ITEM_MEMORY)
        a = load_whole(e, &a);
    if (!is_operand(n, &a))
        return item_error(n->loc);
    if (a.kind == ITEM_CONSTANT && a.constant.kind == CONSTANT_INTEGER) {
        struct item folded = item_integer(static_unary(n->op, a.constant.u.number), n->loc);

        folded.type = a.type;
        if (a.type != TYPE_VOID)
            folded.constant = constant_integer(wrap_to(folded.constant.u.number, a.type));
        return folded;
    }
    if (a.kind == ITEM_CONSTANT || a.expr->type == TYPE_BOOL || type_is_flag(a.expr->type)) {
        error_at(n->loc, RULE_TYPE, "'%s' is not for %s", op_text[n->op], item_text(&a));
        return item_error(n->loc);
    }
    x = make_expr(E_UNARY, a.expr->type, n->loc);
    x->op = n->op;
    x->a = a.expr;
    return item_value(x);
}

/* -- as -- */

static struct item cannot_convert(const struct node *n, const struct item *a, enum value_type to)
{
    error_at(n->loc, RULE_TYPE, "%s does not convert to %s", item_text(a), value_types[to].name);
    return item_error(n->loc);
}

static struct item constant_as(struct elab *e, const struct node *n, struct item a,
                               enum value_type to)
{
    struct expr *x;

    a.type = TYPE_VOID;
    a.loc = n->loc;
    if (a.constant.kind == CONSTANT_INTEGER && type_is_scalar(to)) {
        a.constant = constant_integer(wrap_to(a.constant.u.number, to));
        a.type = to;
        return a;
    }
    x = coerce(e, a, to);
    return x != NULL ? item_value(x) : item_error(n->loc);
}

static struct item value_as(const struct node *n, struct item *a, enum value_type to)
{
    const enum value_type from = a->expr->type;
    struct expr *x;

    if (type_is_flag(from) && (to == TYPE_U32 || to == TYPE_U64 || to == TYPE_I32)) {
        x = make_expr(E_FROM_FLAG, to, n->loc);
        x->a = a->expr;
        return item_value(x);
    }
    if (type_is_vector(from) && type_is_vector(to) && value_types[from].bits == value_types[to].bits)
        return item_value(make_convert(a->expr, to, n->loc));
    if (!type_is_scalar(from) || !type_is_scalar(to))
        return cannot_convert(n, a, to);
    if (to == TYPE_U8 || to == TYPE_U16) {
        error_at(n->loc, RULE_TYPE, "%s lives in memory only; '& 0x%x' keeps its bits in a u32",
                 value_types[to].name, to == TYPE_U8 ? 0xffu : 0xffffu);
        return item_error(n->loc);
    }
    if (from == TYPE_I32 && to == TYPE_U64) {
        error_at(n->loc, RULE_TYPE, "i32 does not convert to 64 bits: 'as u32' first, or 'sxtw'");
        return item_error(n->loc);
    }
    return item_value(make_convert(a->expr, to, n->loc));
}

struct item elab_as(struct elab *e, const struct node *n)
{
    struct type_use t;
    struct item a = elab_expr(e, n->a, TYPE_VOID);

    if (!type_use_of(e->unit, n->type, &t) || a.kind == ITEM_ERROR)
        return item_error(n->loc);
    if (t.layout != NULL || t.extent != NULL) {
        error_at(n->type->loc, RULE_TYPE, "'as' converts to a scalar or a vector");
        return item_error(n->loc);
    }
    if (a.kind == ITEM_MEMORY)
        a = load_whole(e, &a);
    if (a.kind == ITEM_CONSTANT)
        return constant_as(e, n, a, t.value);
    if (a.kind == ITEM_VALUE)
        return value_as(n, &a, canonical_type(t.value));
    return a.kind == ITEM_ERROR ? a : cannot_convert(n, &a, t.value);
}
