/* select_vec.c: lane-wise vector operations.
 *
 * Rows are chosen by the arrangement of the type; bitwise operations have one
 * arrangement for each register size. Patterns: bic, orn, eor3, bcax, mla, mls,
 * usra, rotates (rev16, rev32, rev64 when the amount is half a lane, otherwise
 * shl and sri). Does not: move lanes (select_lane.c).
 */
#include "code/select.h"

#include <assert.h>

/* By arrangement: 16b 8h 4s 2d 8b 4h 2s 1d, in the order of the value types. */
enum { ARRANGEMENTS = 8 };
static int arrangement(enum value_type t)
{
    assert(type_is_vector(t));
    return (int)t - (int)TYPE_U8X16;
}
static bool is_full(enum value_type t) { return value_types[t].bits == 128; }

#define EVERY(m) { INSN_##m##_16b, INSN_##m##_8h, INSN_##m##_4s, INSN_##m##_2d,           \
                   INSN_##m##_8b, INSN_##m##_4h, INSN_##m##_2s, INSN_##m##_d }
#define TO_WORDS(m) { INSN_##m##_16b, INSN_##m##_8h, INSN_##m##_4s, INSN_NONE,            \
                      INSN_##m##_8b, INSN_##m##_4h, INSN_##m##_2s, INSN_NONE }

static const enum insn add_rows[ARRANGEMENTS] = EVERY(add), sub_rows[ARRANGEMENTS] = EVERY(sub),
    neg_rows[ARRANGEMENTS] = EVERY(neg), shl_rows[ARRANGEMENTS] = EVERY(shl),
    ushr_rows[ARRANGEMENTS] = EVERY(ushr), sri_rows[ARRANGEMENTS] = EVERY(sri),
    usra_rows[ARRANGEMENTS] = EVERY(usra), mul_rows[ARRANGEMENTS] = TO_WORDS(mul),
    mla_rows[ARRANGEMENTS] = TO_WORDS(mla), mls_rows[ARRANGEMENTS] = TO_WORDS(mls);

static_assert(TYPE_U64X1 - TYPE_U8X16 == ARRANGEMENTS - 1, "one row entry per vector type");

static void put3(struct selector *s, enum insn insn, struct vreg *to, struct ir_value *a,
                 struct ir_value *b)
{
    assert(insn != INSN_NONE);
    put(s, insn, op_reg(to), op_reg(sel_use(s, a)), op_reg(sel_use(s, b)));
}

/* Bits stay what they are when a vector is read as another type. */
static struct ir_value *through_bits(const struct selector *s, struct ir_value *v)
{
    for (struct ir_inst *d; (d = sel_match(s, v, IR_bits)) != NULL;)
        v = d->args[0];
    return v;
}

static struct ir_inst *match_bitwise(const struct selector *s, struct ir_value *v, enum ir_op op)
{
    return sel_match(s, through_bits(s, v), op);
}

static bool is_ones(const struct ir_value *v)
{
    const struct ir_inst *d = v->def;
    if (d != NULL && d->op == IR_bits)
        return is_ones(d->args[0]);
    return d != NULL && d->op == IR_const && d->value[0] == ~0ull
           && (!is_full(v->type) || d->value[1] == ~0ull);
}

/* The inner value of a NOT, in either spelling. */
static struct ir_value *match_not(const struct selector *s, struct ir_value *v)
{
    struct ir_inst *d = match_bitwise(s, v, IR_not);
    if (d != NULL)
        return d->args[0];
    d = match_bitwise(s, v, IR_xor);
    if (d == NULL)
        return NULL;
    return is_ones(d->args[1]) ? d->args[0] : is_ones(d->args[0]) ? d->args[1] : NULL;
}

/* -- logic -- */

static bool fuses(const struct selector *s, enum fuse which)
{
    return s->f->variant != NULL && (s->f->variant->fuse & which) != 0
           && (s->f->variant->features & 1u << FEAT_SHA3) != 0;
}

/* a ^ (b & ~c) */
static bool select_bcax(struct selector *s, struct vreg *to, struct ir_value *a, struct ir_value *x)
{
    struct ir_inst *and = match_bitwise(s, x, IR_and);
    if (and == NULL)
        return false;
    for (int k = 0; k < 2; k++) {
        struct ir_value *inner = match_not(s, and->args[k]);
        if (inner == NULL)
            continue;
        put(s, INSN_bcax_16b, op_reg(to), op_reg(sel_use(s, a)),
            op_reg(sel_use(s, and->args[1 - k])), op_reg(sel_use(s, inner)));
        return true;
    }
    return false;
}

/* Would x become a bcax by itself? */
static bool is_bcax(const struct selector *s, const struct ir_value *x)
{
    const struct ir_inst *xor = fuses(s, FUSE_BCAX) ? sel_match(s, x, IR_xor) : NULL;
    for (int k = 0; xor != NULL && k < 2; k++) {
        const struct ir_inst *and = sel_match(s, xor->args[k], IR_and);
        if (and != NULL && (match_not(s, and->args[0]) != NULL || match_not(s, and->args[1]) != NULL))
            return true;
    }
    return false;
}

static bool select_eor3(struct selector *s, struct vreg *to, struct ir_value *a, struct ir_value *x)
{
    struct ir_inst *xor = match_bitwise(s, x, IR_xor);
    if (xor == NULL || is_ones(xor->args[0]) || is_ones(xor->args[1]))
        return false;
    put(s, INSN_eor3_16b, op_reg(to), op_reg(sel_use(s, xor->args[0])),
        op_reg(sel_use(s, xor->args[1])), op_reg(sel_use(s, a)));
    return true;
}

static void select_xor(struct selector *s, bool full, struct vreg *to, struct ir_value *a,
                       struct ir_value *b)
{
    if (is_ones(a) || is_ones(b)) {
        put(s, full ? INSN_not_16b : INSN_not_8b, op_reg(to),
            op_reg(sel_use(s, is_ones(a) ? b : a)));
        return;
    }
    if (full && fuses(s, FUSE_BCAX) && (select_bcax(s, to, a, b) || select_bcax(s, to, b, a)))
        return;
    bool is_b_last = is_bcax(s, b);         /* better left alone: take a apart, if one */
    if (full && fuses(s, FUSE_EOR3)
        && (select_eor3(s, to, is_b_last ? b : a, is_b_last ? a : b)
            || select_eor3(s, to, is_b_last ? a : b, is_b_last ? b : a)))
        return;
    put3(s, full ? INSN_eor_16b : INSN_eor_8b, to, a, b);
}

static void select_and_or(struct selector *s, enum ir_op op, bool full, struct vreg *to,
                          struct ir_value *a, struct ir_value *b)
{
    enum insn plain = op == IR_and ? (full ? INSN_and_16b : INSN_and_8b)
                                   : (full ? INSN_orr_16b : INSN_orr_8b);
    enum insn inverted = op == IR_and ? (full ? INSN_bic_16b : INSN_bic_8b)
                                      : (full ? INSN_orn_16b : INSN_orn_8b);
    struct ir_value *inner = match_not(s, b), *other = a;
    if (inner == NULL) {
        inner = match_not(s, a);
        other = b;
    }
    if (inner != NULL)
        put3(s, inverted, to, other, inner);
    else
        put3(s, plain, to, a, b);
}

/* -- arithmetic -- */

static bool match_same(const struct selector *s, struct ir_value *v, enum ir_op op,
                       enum value_type type, struct ir_inst **out)
{
    *out = sel_match(s, v, op);
    return *out != NULL && (*out)->result[0]->type == type;
}

static bool select_accumulate(struct selector *s, enum value_type t, bool subtract, struct vreg *to,
                              struct ir_value *c, struct ir_value *x)
{
    struct ir_inst *d;
    uint64_t n;
    if (match_same(s, x, IR_mul, t, &d)) {
        put(s, (subtract ? mls_rows : mla_rows)[arrangement(t)], op_tied(to, sel_use(s, c)),
            op_reg(sel_use(s, d->args[0])), op_reg(sel_use(s, d->args[1])));
        return true;
    }
    if (!subtract && match_same(s, x, IR_shr, t, &d) && sel_const(d->args[1], &n) && n != 0) {
        put(s, usra_rows[arrangement(t)], op_tied(to, sel_use(s, c)),
            op_reg(sel_use(s, d->args[0])), op_imm((int64_t)n));
        return true;
    }
    return false;
}

static void select_sum(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->result[0]->type;
    struct ir_value *a = i->args[0], *b = i->args[1];
    bool subtract = i->op == IR_sub;
    if (select_accumulate(s, t, subtract, to, a, b)
        || (!subtract && select_accumulate(s, t, subtract, to, b, a)))
        return;
    put3(s, (subtract ? sub_rows : add_rows)[arrangement(t)], to, a, b);
}

/* -- shifts -- */

/* A rotate by half a lane exchanges the halves: one rev. */
static enum insn half_rotate(enum value_type t, uint64_t n)
{
    bool full = is_full(t);
    unsigned lane = value_types[t].lane_bits;
    if (n * 2 != lane)
        return INSN_NONE;
    return lane == 16 ? (full ? INSN_rev16_16b : INSN_rev16_8b)
           : lane == 32 ? (full ? INSN_rev32_8h : INSN_rev32_4h)
           : lane == 64 ? (full ? INSN_rev64_4s : INSN_rev64_2s)
                        : INSN_NONE;
}

static void select_rotate(struct selector *s, enum value_type t, struct vreg *to,
                          struct ir_value *a, uint64_t n)
{
    enum insn rev = half_rotate(t, n);
    struct vreg *from = sel_use(s, a);
    if (rev != INSN_NONE) {
        put(s, rev, op_reg(to), op_reg(from));
        return;
    }
    struct vreg *high = sel_temp(s, CLASS_VECTOR, a);
    put(s, shl_rows[arrangement(t)], op_reg(high), op_reg(from),
        op_imm(value_types[t].lane_bits - (int64_t)n));
    put(s, sri_rows[arrangement(t)], op_tied(to, high), op_reg(from), op_imm((int64_t)n));
}

/* The amount of a vector shift: a constant scalar, or one splat as a vector. */
static uint64_t shift_amount(const struct ir_value *v)
{
    const struct ir_inst *d = v->def;
    assert(d != NULL && d->op == IR_const);
    unsigned lane = value_types[v->type].lane_bits;
    return lane >= 64 ? d->value[0] : d->value[0] & ((1ull << lane) - 1);
}

static void select_shift(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->result[0]->type;
    uint64_t n = shift_amount(i->args[1]), lane = value_types[t].lane_bits;
    assert(n < lane);
    if (n == 0)
        put_copy(s, to, sel_use(s, i->args[0]));
    else if (i->op == IR_ror)
        select_rotate(s, t, to, i->args[0], n);
    else
        put(s, (i->op == IR_shl ? shl_rows : ushr_rows)[arrangement(t)], op_reg(to),
            op_reg(sel_use(s, i->args[0])), op_imm((int64_t)n));
}

/* mask ? b : c; webs.c turns bsl into bit or bif when another operand than the
 * mask dies here. */
static void select_choice(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    bool full = is_full(i->result[0]->type);
    put(s, full ? INSN_bsl_16b : INSN_bsl_8b, op_tied(to, sel_use(s, i->args[0])),
        op_reg(sel_use(s, i->args[1])), op_reg(sel_use(s, i->args[2])));
}

void select_vector(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->result[0]->type;
    bool full = is_full(t);
    switch (i->op) {
    case IR_add:
    case IR_sub: select_sum(s, i, to); break;
    case IR_mul: put3(s, mul_rows[arrangement(t)], to, i->args[0], i->args[1]); break;
    case IR_and:
    case IR_or: select_and_or(s, i->op, full, to, i->args[0], i->args[1]); break;
    case IR_xor: select_xor(s, full, to, i->args[0], i->args[1]); break;
    case IR_not:
        put(s, full ? INSN_not_16b : INSN_not_8b, op_reg(to), op_reg(sel_use(s, i->args[0])));
        break;
    case IR_neg:
        put(s, neg_rows[arrangement(t)], op_reg(to), op_reg(sel_use(s, i->args[0])));
        break;
    case IR_shl:
    case IR_shr:
    case IR_ror: select_shift(s, i, to); break;
    case IR_bsel: select_choice(s, i, to); break;
    default: assert(0 && "a vector operation");
    }
}
