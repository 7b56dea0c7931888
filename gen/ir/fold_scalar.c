/* fold_scalar.c: identities of scalar operations (and of lane-wise ones where
 * the identity holds for vectors too).
 *
 * Constants move to the right and outward, so that addresses end as base +
 * index + constant and equal sums look equal. A negative constant is a
 * subtraction, because that is how the machine has it.
 */
#include <assert.h>

#include "ir/pass.h"

static int width(enum value_type t) { return is_wide(t) ? 64 : 32; }

static uint64_t ones(enum value_type t) { return t == TYPE_U32 ? UINT32_MAX : UINT64_MAX; }

static uint64_t mask_below(int bits) { return ((uint64_t)1 << bits) - 1; }

static int log2_exact(uint64_t x)
{
    int k = 0;
    if (x == 0 || (x & (x - 1)) != 0)
        return -1;
    while ((uint64_t)1 << k != x)
        k++;
    return k;
}

/* Is V an instruction OP with a constant right operand? */
static struct ir_inst *by_constant(struct ir_value *v, enum ir_op op, uint64_t *c)
{
    struct ir_inst *i = v->def;
    return i && i->op == op && ir_const_of(ir_resolve(i->args[1]), c) ? i : NULL;
}

static struct ir_value *left(struct ir_inst *i) { return ir_resolve(i->args[0]); }

/* x + c, written as a subtraction when c is negative. */
static struct ir_value *plus(struct folder *w, enum value_type type, struct ir_value *x, uint64_t c)
{
    enum value_type of = type == TYPE_ADDR ? TYPE_U64 : type;
    bool negative = type == TYPE_U32 ? (int32_t)c < 0 : (int64_t)c < 0;

    c &= ones(type);
    if (c == 0)
        return x;
    if (negative)
        return fold_new(w, IR_sub, type, x, fold_const(w, of, 0 - c, 0));
    return fold_new(w, IR_add, type, x, fold_const(w, of, c, 0));
}

/* V as x + *c. */
static struct ir_value *split_sum(struct ir_value *v, uint64_t *c)
{
    struct ir_inst *i = by_constant(v, IR_add, c);

    if (i)
        return left(i);
    i = by_constant(v, IR_sub, c);
    if (i) {
        *c = 0 - *c;
        return left(i);
    }
    return NULL;
}

/* A sum that goes round a loop and is used behind it: what it was made of, taken
 * instead, would have to live beside it all through the loop. */
static bool goes_round(const struct folder *w, const struct ir_value *sum, const struct ir_inst *use)
{
    return sum->id < w->use_limit && w->on_edge[sum->id] && sum->def && sum->def->block != use->block;
}

static struct ir_value *fold_sum(struct folder *w, struct ir_inst *i)
{
    struct ir_value *a = i->args[0], *b = i->args[1], *x;
    uint64_t c, d;
    bool subtract = i->op == IR_sub;

    if (ir_const_of(b, &c)) {
        if (subtract)
            c = 0 - c;
        if ((x = split_sum(a, &d)) != NULL && !goes_round(w, a, i))
            return plus(w, i->type, x, c + d);
        bool negative = i->type == TYPE_U32 ? (int32_t)c < 0 : (int64_t)c < 0;
        if ((c & ones(i->type)) == 0)
            return a;
        return negative != subtract ? plus(w, i->type, a, c) : NULL;
    }
    if (subtract && a == b)
        return fold_const(w, i->type == TYPE_ADDR ? TYPE_U64 : i->type, 0, 0);
    /* constants outward */
    if ((x = split_sum(a, &c)) != NULL && fold_used_once(w, a))
        return plus(w, i->type, fold_new(w, i->op, i->type, x, b), c);
    if ((x = split_sum(b, &c)) != NULL && fold_used_once(w, b))
        return plus(w, i->type, fold_new(w, i->op, i->type, a, x), subtract ? 0 - c : c);
    return NULL;
}

static struct ir_value *fold_and(struct folder *w, struct ir_inst *i)
{
    struct ir_value *a = i->args[0];
    struct ir_inst *inner;
    uint64_t c, d;

    if (a == i->args[1])
        return a;
    if (!ir_const_of(i->args[1], &c))
        return NULL;
    if (c == 0)
        return i->args[1];
    if (c == ones(i->type))
        return a;
    if ((inner = by_constant(a, IR_and, &d)) != NULL)
        return fold_new(w, IR_and, i->type, left(inner), fold_const(w, i->args[1]->type, c & d, 0));
    if ((inner = by_constant(a, IR_shr, &d)) != NULL && d < 64 && (ones(i->type) >> d & ~c) == 0)
        return a;
    return NULL;
}

static struct ir_value *fold_or_xor(struct folder *w, struct ir_inst *i)
{
    struct ir_value *a = i->args[0];
    struct ir_inst *inner;
    uint64_t c, d;

    if (a == i->args[1])
        return i->op == IR_or ? a : fold_const(w, i->type, 0, 0);
    if (!ir_const_of(i->args[1], &c))
        return NULL;
    if (c == 0)
        return a;
    if (i->op == IR_or && c == ones(i->type))
        return i->args[1];
    if ((inner = by_constant(a, i->op, &d)) != NULL)
        return fold_new(w, i->op, i->type, left(inner),
                        fold_const(w, i->type, i->op == IR_or ? c | d : c ^ d, 0));
    if (i->op == IR_xor && c == ones(i->type))
        return fold_new(w, IR_not, i->type, a, NULL);
    return NULL;
}

static struct ir_value *fold_mul(struct folder *w, struct ir_inst *i)
{
    struct ir_inst *inner;
    uint64_t c, d;
    int k;

    if (!ir_const_of(i->args[1], &c))
        return NULL;
    if (c == 0)
        return i->args[1];
    if (c == 1)
        return i->args[0];
    k = log2_exact(c);
    if (k > 0)
        return fold_new(w, IR_shl, i->type, i->args[0], fold_const(w, TYPE_U32, (uint64_t)k, 0));
    if ((inner = by_constant(i->args[0], IR_mul, &d)) != NULL)
        return fold_new(w, IR_mul, i->type, left(inner), fold_const(w, i->type, c * d, 0));
    return NULL;
}

static struct ir_value *fold_udiv(struct folder *w, struct ir_inst *i)
{
    uint64_t c;
    int k;

    if (!ir_const_of(i->args[1], &c))
        return NULL;
    k = log2_exact(c);
    if (k == 0)
        return i->args[0];
    if (k > 0)
        return fold_new(w, IR_shr, i->type, i->args[0], fold_const(w, TYPE_U32, (uint64_t)k, 0));
    return NULL;
}

static struct ir_value *fold_shift(struct folder *w, struct ir_inst *i)
{
    struct ir_value *a = i->args[0], *x;
    struct ir_inst *inner;
    uint64_t k, d;
    uint64_t bits = (uint64_t)width(i->type);

    if (!ir_const_of(i->args[1], &k))
        return NULL;
    if (k == 0)
        return a;
    if (i->op == IR_ror) {
        if ((inner = by_constant(a, IR_ror, &d)) != NULL)
            return fold_new(w, IR_ror, i->type, left(inner),
                            fold_const(w, TYPE_U32, (k + d) % bits, 0));
        return NULL;
    }
    if (k >= bits)
        return fold_const(w, i->type, 0, 0);
    if ((inner = by_constant(a, i->op, &d)) != NULL) {
        if (k + d >= bits)
            return fold_const(w, i->type, 0, 0);
        return fold_new(w, i->op, i->type, left(inner), fold_const(w, TYPE_U32, k + d, 0));
    }
    /* (x >> k) << k and the reverse clear bits */
    inner = by_constant(a, i->op == IR_shl ? IR_shr : IR_shl, &d);
    if (inner && d == k) {
        uint64_t mask = i->op == IR_shl ? ones(i->type) << k & ones(i->type) : ones(i->type) >> k;
        return fold_new(w, IR_and, i->type, left(inner), fold_const(w, i->type, mask, 0));
    }
    /* (x + c) << k is (x << k) + (c << k) */
    if (i->op == IR_shl && fold_used_once(w, a) && (x = split_sum(a, &d)) != NULL)
        return plus(w, i->type, fold_new(w, IR_shl, i->type, x, i->args[1]), d << k);
    return NULL;
}

/* An upper bound of a scalar, from the few operations that indices are made of. */
static uint64_t most_of(const struct ir_value *v, int depth)
{
    const struct ir_inst *i = v->def;
    uint64_t limit = ones(v->type), a, c;

    if (!i || depth == 0)
        return limit;
    if (i->op == IR_const)
        return i->value[0];
    if (i->op == IR_cset)
        return 1;
    if (i->op == IR_load)
        return type_bytes(i->mem.type) < 4 ? mask_below(8 * type_bytes(i->mem.type)) : limit;
    if (i->arg_count == 0 || !is_scalar_ir(ir_resolve(i->args[0])->type))
        return limit;
    a = most_of(ir_resolve(i->args[0]), depth - 1);
    if (i->op == IR_zext || i->op == IR_trunc)
        return a < limit ? a : limit;
    if (i->arg_count != 2)
        return limit;
    c = most_of(ir_resolve(i->args[1]), depth - 1);
    switch (i->op) {
    case IR_and: return a < c ? a : c;
    case IR_add: return a <= limit - c ? a + c : limit;
    case IR_shr: return ir_const_of(ir_resolve(i->args[1]), &c) && c < 64 ? a >> c : a;
    case IR_shl: return ir_const_of(ir_resolve(i->args[1]), &c) && c < 64 && a <= limit >> c
        ? a << c : limit;
    default: return limit;
    }
}

enum { RANGE_DEPTH = 6 };

/* Widening moves before a sum or a shift that cannot wrap, where it meets the
 * address arithmetic that the rules above know. */
static struct ir_value *widen_first(struct folder *w, struct ir_inst *inner)
{
    struct ir_value *x, *wide;
    uint64_t c, most;

    if ((inner->op != IR_add && inner->op != IR_shl) || !ir_const_of(ir_resolve(inner->args[1]), &c))
        return NULL;
    x = left(inner);
    most = most_of(x, RANGE_DEPTH);
    if (inner->op == IR_add ? most > UINT32_MAX - c : c >= 32 || most > UINT32_MAX >> c)
        return NULL;
    wide = fold_new(w, IR_zext, TYPE_U64, x, NULL);
    return fold_new(w, inner->op, TYPE_U64, wide,
                    fold_const(w, inner->op == IR_add ? TYPE_U64 : TYPE_U32, c, 0));
}

static struct ir_value *fold_width(struct folder *w, struct ir_inst *i)
{
    struct ir_inst *inner = i->args[0]->def;

    if (i->args[0]->type == i->type)
        return i->args[0];
    if (!inner)
        return NULL;
    if (i->op == IR_trunc && inner->op == IR_zext)
        return left(inner);
    if (i->op == IR_zext && inner->op == IR_trunc && most_of(left(inner), RANGE_DEPTH) <= UINT32_MAX &&
        left(inner)->type == TYPE_U64)
        return left(inner);
    if (i->op == IR_zext && inner->op == IR_trunc && left(inner)->type == TYPE_U64)
        return fold_new(w, IR_and, TYPE_U64, left(inner), fold_const(w, TYPE_U64, UINT32_MAX, 0));
    return i->op == IR_zext ? widen_first(w, inner) : NULL;
}

static struct ir_value *fold_involution(struct ir_inst *i)
{
    struct ir_inst *inner = i->args[0]->def;
    return inner && inner->op == i->op && inner->type == i->type ? left(inner) : NULL;
}

/* The constant goes right, where the other rules look. */
static void constant_right(struct ir_inst *i)
{
    struct ir_value *a = i->args[0], *b = i->args[1];

    if (a->def && a->def->op == IR_const && !(b->def && b->def->op == IR_const)) {
        i->args[0] = b;
        i->args[1] = a;
    }
}

struct ir_value *fold_scalar(struct folder *w, struct ir_inst *i)
{
    if (i->arg_count >= 2 && ir_commutes(i->op) && ir_ops[i->op].effect == EFFECT_PURE)
        constant_right(i);
    if (i->op == IR_not || i->op == IR_neg)
        return fold_involution(i);
    if (!is_scalar_ir(i->type))
        return NULL;
    switch (i->op) {
    case IR_add: case IR_sub: return fold_sum(w, i);
    case IR_and:  return fold_and(w, i);
    case IR_or: case IR_xor: return fold_or_xor(w, i);
    case IR_mul:  return fold_mul(w, i);
    case IR_udiv: return fold_udiv(w, i);
    case IR_shl: case IR_shr: case IR_ror: return fold_shift(w, i);
    case IR_zext: case IR_trunc: return fold_width(w, i);
    default: return NULL;
    }
}
