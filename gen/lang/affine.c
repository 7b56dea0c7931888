/* affine.c: expressions as sums of multiples, and structural comparison.
 *
 * Takes a scalar expression; gives constant + sum(factor * atom) in wrapping
 * 64-bit arithmetic, with the terms in a stable order that depends on nothing
 * but the expression (kinds, numbers of variables, constants).
 *
 * Holds: evaluating the form gives the expression's value for every assignment
 * of its atoms; equal atoms are merged and no factor is zero. Arithmetic in 32
 * bits wraps at 32 bits, so it is looked through only where the expression
 * itself is 32 bits wide, and then the form holds modulo 2^32.
 * Does not: know ranges, see through variables, or relate n/k*k to n (bounds
 * do); two loads of one place are equal here although memory may have changed.
 */
#include "lang/tree.h"

#include <assert.h>

/* -- structural order and equality -- */

static int order_u64(uint64_t a, uint64_t b)
{
    return a < b ? -1 : a > b;
}

static int order_expr(const struct expr *a, const struct expr *b);

static int order_object(const struct object *a, const struct object *b)
{
    int o;

    if (a == b)
        return 0;
    if (a == NULL || b == NULL)
        return a == NULL ? -1 : 1;
    o = order_u64(a->kind, b->kind);
    return o != 0 ? o : order_u64((uint64_t)a->id, (uint64_t)b->id);
}

static int order_var(const struct var *a, const struct var *b)
{
    if (a == b)
        return 0;
    if (a == NULL || b == NULL)
        return a == NULL ? -1 : 1;
    return order_u64((uint64_t)a->id, (uint64_t)b->id);
}

static int order_access(const struct access *a, const struct access *b)
{
    int o = order_object(a->object, b->object);

    if (o == 0)
        o = order_var(a->pointer, b->pointer);
    if (o == 0)
        o = order_u64((uint64_t)a->key, (uint64_t)b->key);
    if (o == 0)
        o = order_u64(a->disp, b->disp);
    return o != 0 ? o : order_expr(a->offset, b->offset);
}

/* What kind and type do not decide yet: everything a node holds itself. */
static int order_node(const struct expr *a, const struct expr *b)
{
    int o = order_u64(a->op, b->op);

    if (o == 0)
        o = order_u64(a->value[0], b->value[0]);
    if (o == 0)
        o = order_u64(a->value[1], b->value[1]);
    if (o == 0)
        o = order_var(a->var, b->var);
    if (o == 0)
        o = order_u64(a->mem, b->mem);
    if (o == 0)
        o = order_u64(a->insn, b->insn);
    if (o == 0)
        o = order_u64((uint64_t)a->lane, (uint64_t)b->lane);
    if (o == 0)
        o = order_object(a->object_a, b->object_a);
    if (o == 0)
        o = order_object(a->object_b, b->object_b);
    return o != 0 ? o : order_u64((uint64_t)a->arg_count, (uint64_t)b->arg_count);
}

static int order_expr(const struct expr *a, const struct expr *b)
{
    int o;

    if (a == b)
        return 0;
    if (a == NULL || b == NULL)
        return a == NULL ? -1 : 1;
    o = order_u64(a->kind, b->kind);
    if (o == 0)
        o = order_u64(a->type, b->type);
    if (o == 0)
        o = order_node(a, b);
    if (o == 0)
        o = order_access(&a->access, &b->access);
    if (o == 0)
        o = order_expr(a->a, b->a);
    if (o == 0)
        o = order_expr(a->b, b->b);
    if (o == 0)
        o = order_expr(a->c, b->c);
    for (int i = 0; o == 0 && i < a->arg_count; i++)
        o = order_expr(a->args[i], b->args[i]);
    return o;
}

bool expr_equal(const struct expr *a, const struct expr *b)
{
    return order_expr(a, b) == 0;
}

/* -- linear forms -- */

struct sum { int64_t constant; VEC(struct affine_term) terms; };

static int64_t wrap_add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

static int64_t wrap_mul(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a * (uint64_t)b);
}

/* Terms stay sorted; a factor that becomes 0 goes away. */
static void add_atom(struct sum *s, const struct expr *atom, int64_t factor)
{
    int i = 0;

    while (i < s->terms.n && order_expr(s->terms.at[i].atom, atom) < 0)
        i++;
    if (i < s->terms.n && order_expr(s->terms.at[i].atom, atom) == 0) {
        s->terms.at[i].factor = wrap_add(s->terms.at[i].factor, factor);
        if (s->terms.at[i].factor == 0) {
            for (int j = i; j + 1 < s->terms.n; j++)
                s->terms.at[j] = s->terms.at[j + 1];
            s->terms.n--;
        }
        return;
    }
    (void)vec_add(&s->terms);
    for (int j = s->terms.n - 1; j > i; j--)
        s->terms.at[j] = s->terms.at[j - 1];
    s->terms.at[i] = (struct affine_term){(struct expr *)(uintptr_t)atom, factor};
}

static bool is_const(const struct expr *e)
{
    return e->kind == E_CONST && e->value[1] == 0;
}

/* A conversion that keeps the number: of one width, or a constant that widens. */
static bool keeps_value(const struct expr *e)
{
    return e->kind == E_CONVERT && type_is_scalar(e->type) && type_is_scalar(e->a->type) &&
           (value_types[e->type].bits == value_types[e->a->type].bits ||
            (value_types[e->type].bits > value_types[e->a->type].bits && is_const(e->a)));
}

static void add_scaled(struct sum *s, const struct expr *e, int64_t factor)
{
    if (factor == 0)
        return;
    if (is_const(e)) {
        s->constant = wrap_add(s->constant, wrap_mul(factor, (int64_t)e->value[0]));
    } else if (keeps_value(e)) {
        add_scaled(s, e->a, factor);
    } else if (e->kind == E_UNARY && e->op == UN_NEG) {
        add_scaled(s, e->a, wrap_mul(factor, -1));
    } else if (e->kind == E_BINARY && (e->op == BIN_ADD || e->op == BIN_SUB)) {
        add_scaled(s, e->a, factor);
        add_scaled(s, e->b, e->op == BIN_ADD ? factor : wrap_mul(factor, -1));
    } else if (e->kind == E_BINARY && e->op == BIN_MUL && is_const(e->b)) {
        add_scaled(s, e->a, wrap_mul(factor, (int64_t)e->b->value[0]));
    } else if (e->kind == E_BINARY && e->op == BIN_MUL && is_const(e->a)) {
        add_scaled(s, e->b, wrap_mul(factor, (int64_t)e->a->value[0]));
    } else if (e->kind == E_BINARY && e->op == BIN_SHL && is_const(e->b) && e->b->value[0] < 64) {
        add_scaled(s, e->a, wrap_mul(factor, (int64_t)(UINT64_C(1) << e->b->value[0])));
    } else {
        add_atom(s, e, factor);
    }
}

struct affine affine_of(const struct expr *e)
{
    struct sum s = {0};

    assert(!type_is_vector(e->type));
    add_scaled(&s, e, 1);
    return (struct affine){s.constant, s.terms.at, s.terms.n};
}

bool affine_equal_terms(const struct affine *a, const struct affine *b)
{
    if (a->n != b->n)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->terms[i].factor != b->terms[i].factor ||
            !expr_equal(a->terms[i].atom, b->terms[i].atom))
            return false;
    return true;
}
