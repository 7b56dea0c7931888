/* elab_prove.c: the few proofs that elaboration itself needs.
 *
 * An array passed to a function must have at least the bytes that the
 * function's parameter declares, for all values of the caller's parameters.
 * Both are expressions over those; they are compared as linear forms, after
 * lets are replaced by what they are and variables by constants where an
 * enclosing condition says `x == c`.
 *
 * Extents are lengths of things that exist, so they do not wrap. Anything finer
 * (accesses, shift counts, value sets) is proved on the finished tree.
 */
#include "lang/elab.h"

#include <string.h>

/* -- what holds here -- */

void add_fact(struct elab *e, struct expr *condition)
{
    if (condition == NULL)
        return;
    if (condition->kind == E_LOGIC && condition->op == BIN_LOGIC_AND) {
        add_fact(e, condition->a);
        add_fact(e, condition->b);
    } else if (is_stable(condition)) {
        vec_push(&e->facts, condition);
    }
}

static bool is_equation(const struct expr *fact)
{
    return fact->kind == E_COMPARE && fact->op == BIN_EQ && is_constant_expr(fact->b);
}

/* The constant that X must be here, or X. */
static struct expr *known_value(const struct elab *e, struct expr *x)
{
    for (int i = e->facts.n - 1; i >= 0; i--) {
        const struct expr *fact = e->facts.at[i];

        if (is_equation(fact) && expr_equal(fact->a, x))
            return make_const(x->type, fact->b->value[0], x->loc);
    }
    return x;
}

/* -- lets replaced, constants folded -- */

static struct expr *fold_binary(struct expr *x)
{
    uint64_t n;

    if (!type_is_scalar(x->type) || !is_constant_expr(x->a) || !is_constant_expr(x->b) ||
        static_binary(x->op, x->a->value[0], x->b->value[0], &n) != NULL)
        return x;
    return make_const(x->type, low_bits(n, value_types[x->type].bits), x->loc);
}

struct expr *resolve(const struct elab *e, struct expr *x)
{
    struct expr *r;

    if (x == NULL)
        return NULL;
    if (x->kind == E_VAR && e->bound.at[x->var->id] != NULL)
        return resolve(e, e->bound.at[x->var->id]);
    r = NEW(struct expr);
    *r = *x;
    r->a = resolve(e, x->a);
    r->b = resolve(e, x->b);
    r->c = resolve(e, x->c);
    if (r->kind == E_CONVERT)
        return make_convert(r->a, r->type, r->loc);
    return r->kind == E_BINARY ? fold_binary(r) : r;
}

/* The same with what the conditions around say. */
static struct expr *specialise(const struct elab *e, struct expr *x)
{
    struct expr *r, *known;

    if (x == NULL)
        return NULL;
    known = known_value(e, x);
    if (known != x)
        return known;
    r = NEW(struct expr);
    *r = *x;
    r->a = specialise(e, x->a);
    r->b = specialise(e, x->b);
    if (r->kind == E_CONVERT)
        return make_convert(r->a, r->type, r->loc);
    return r->kind == E_BINARY ? fold_binary(r) : r;
}

/* -- ranges of atoms -- */

static struct value_range type_range(enum value_type t)
{
    return (struct value_range){0, low_bits(UINT64_MAX, value_types[t].bits)};
}

static struct value_range set_range(const struct value_set *s, enum value_type t)
{
    return s == NULL || s->n == 0 ? type_range(t)
                                  : (struct value_range){s->at[0].lo, s->at[s->n - 1].hi};
}

static const struct value_set *declared_set(const struct elab *e, const struct expr *x)
{
    if (x->kind == E_LOAD && x->access.field != NULL)
        return &x->access.field->set;
    for (int i = 0; x->kind == E_VAR && i < e->func->param_count; i++)
        if (e->func->params[i].var == x->var)
            return &e->func->params[i].set;
    return NULL;
}

/* Bounds of an unsigned value, from value sets, constants and what narrows. */
static struct value_range range_of(const struct elab *e, const struct expr *x)
{
    const struct value_range whole = type_range(x->type);
    struct value_range a, b;

    if (is_constant_expr(x))
        return (struct value_range){x->value[0], x->value[0]};
    if (x->kind == E_VAR || x->kind == E_LOAD)
        return x->kind == E_LOAD && declared_set(e, x) == NULL
                   ? type_range(x->mem) : set_range(declared_set(e, x), x->type);
    if (x->kind == E_CONVERT && type_is_scalar(x->a->type)) {
        a = range_of(e, x->a);
        return a.hi <= whole.hi ? a : whole;
    }
    if (x->kind != E_BINARY || !type_is_scalar(x->type))
        return whole;
    a = range_of(e, x->a);
    b = range_of(e, x->b);
    switch (x->op) {
    case BIN_ADD:
        return a.hi + b.hi < a.hi || a.hi + b.hi > whole.hi
                   ? whole : (struct value_range){a.lo + b.lo, a.hi + b.hi};
    case BIN_SUB:
        return a.lo < b.hi ? whole : (struct value_range){a.lo - b.hi, a.hi - b.lo};
    case BIN_DIV:
        return b.lo == 0 ? whole : (struct value_range){a.lo / b.hi, a.hi / b.lo};
    case BIN_MOD:
        return b.lo == 0 ? whole : (struct value_range){0, b.hi - 1 < a.hi ? b.hi - 1 : a.hi};
    case BIN_AND:
        return (struct value_range){0, a.hi < b.hi ? a.hi : b.hi};
    case BIN_SHR:
        return b.lo != b.hi || b.lo > 63 ? whole
                                         : (struct value_range){a.lo >> b.lo, a.hi >> b.lo};
    default:
        return whole;
    }
}

bool proved_below_max(struct elab *e, const struct expr *x)
{
    const uint64_t max = type_range(x->type).hi;
    struct expr *resolved = resolve(e, (struct expr *)(uintptr_t)x);

    if (range_of(e, resolved).hi < max)
        return true;
    for (int i = 0; i < e->facts.n; i++) {
        const struct expr *f = e->facts.at[i];

        if (f->kind == E_COMPARE && f->op == BIN_LT && expr_equal(resolve(e, f->a), resolved))
            return true;
    }
    return false;
}

/* -- need <= have -- */

/* The least value of a difference of lengths; false when it may be negative. */
static bool never_negative(const struct elab *e, const struct affine *d)
{
    int64_t least = d->constant;

    for (int i = 0; i < d->n; i++) {
        const struct value_range r = range_of(e, d->terms[i].atom);
        const int64_t factor = d->terms[i].factor;
        const uint64_t extreme = factor > 0 ? r.lo : r.hi;
        int64_t part;

        if (extreme > INT64_MAX || __builtin_mul_overflow(factor, (int64_t)extreme, &part) ||
            __builtin_add_overflow(least, part, &least))
            return false;
    }
    return least >= 0;
}

static struct affine minus(const struct elab *e, struct expr *a, struct expr *b)
{
    struct expr *difference = make_binary(BIN_SUB, specialise(e, resolve(e, a)),
                                          specialise(e, resolve(e, b)), a->loc);

    return affine_of(difference);
}

/* big >= small, or by one more, when the fact is such a comparison. */
static bool as_order(struct expr *fact, struct expr **small, struct expr **big, int64_t *by)
{
    struct expr *f = fact;
    bool negated = false;
    enum op op;

    if (f->kind == E_LOGIC && f->op == UN_LOGIC_NOT) {
        negated = true;
        f = f->a;
    }
    if (f->kind != E_COMPARE || f->a->type == TYPE_I32)
        return false;
    op = f->op;
    if (negated)
        op = op == BIN_LT ? BIN_GE : op == BIN_LE ? BIN_GT : op == BIN_GT ? BIN_LE
             : op == BIN_GE ? BIN_LT : op == BIN_EQ ? BIN_NE : BIN_EQ;
    if (op == BIN_EQ || op == BIN_NE)
        return false;
    *small = op == BIN_LT || op == BIN_LE ? f->a : f->b;
    *big = op == BIN_LT || op == BIN_LE ? f->b : f->a;
    *by = op == BIN_LT || op == BIN_GT ? 1 : 0;
    return true;
}

/* have - need = k (big - small) + rest, where the fact says big >= small. */
static bool follows_from(const struct elab *e, struct expr *fact, struct expr *need,
                         struct expr *have)
{
    struct expr *small, *big, *left, *right;
    struct affine order, wanted, rest;
    int64_t by, k;

    if (!as_order(fact, &small, &big, &by))
        return false;
    small = make_convert(small, TYPE_U64, small->loc);
    big = make_convert(big, TYPE_U64, big->loc);
    order = minus(e, big, small);
    wanted = minus(e, have, need);
    if (order.n == 0 || wanted.n == 0 || order.terms[0].factor == 0)
        return false;
    k = wanted.terms[0].factor / order.terms[0].factor;
    if (k <= 0 || k > 1 << 16)
        return false;
    left = add_u64(have, scale(small, (uint64_t)k));
    right = add_u64(need, add_u64(scale(big, (uint64_t)k),
                                  make_const(TYPE_U64, 0 - (uint64_t)(by * k), need->loc)));
    rest = minus(e, left, right);
    return never_negative(e, &rest);
}

bool proved_at_most(struct elab *e, struct expr *need, struct expr *have)
{
    const struct affine d = minus(e, have, need);
    const struct affine itself = minus(e, need, make_const(TYPE_U64, 0, need->loc));

    if (!never_negative(e, &itself))        /* n - 1 of n = 0 */
        return false;
    if (never_negative(e, &d))
        return true;
    for (int i = 0; i < e->facts.n; i++)
        if (follows_from(e, e->facts.at[i], need, have))
            return true;
    return false;
}
