/* select_int.c: scalar arithmetic and logic.
 *
 * One row of int_rows[] lists the forms of one operation; put_binary() takes
 * the best: an immediate, a shifted second operand, two registers. Single
 * purpose patterns (madd, bic, ubfx, extr …) come first. All rows here leave
 * NZCV alone unless their name says otherwise.
 */
#include "code/select.h"

#include <assert.h>

enum family { ADD, SUB, AND, ORR, EOR, BIC, ORN, EON, ADDS, SUBS, CMP, CMN, FAMILY_COUNT };
enum shift { SHIFT_NONE, SHIFT_LSL, SHIFT_LSR, SHIFT_ROR };

struct int_forms { enum insn reg, lsl, lsr, ror, imm, imm12; };

#define FORMS(m, s) .reg = INSN_##m##_##s, .lsl = INSN_##m##_##s##_lsl, .lsr = INSN_##m##_##s##_lsr
#define SUM(m, s) { FORMS(m, s), .imm = INSN_##m##_##s##_imm, .imm12 = INSN_##m##_##s##_imm12 }
#define LOGIC(m, s) { FORMS(m, s), .ror = INSN_##m##_##s##_ror, .imm = INSN_##m##_##s##_imm }
#define LOGIC_NOT(m, s) { FORMS(m, s), .ror = INSN_##m##_##s##_ror }

static const struct int_forms int_rows[FAMILY_COUNT][2] = {
    [ADD] = { SUM(add, x), SUM(add, w) },
    [SUB] = { SUM(sub, x), SUM(sub, w) },
    [ADDS] = { SUM(adds, x), SUM(adds, w) },
    [SUBS] = { SUM(subs, x), SUM(subs, w) },
    [CMP] = { SUM(cmp, x), SUM(cmp, w) },
    [CMN] = { SUM(cmn, x), SUM(cmn, w) },
    [AND] = { LOGIC(and, x), LOGIC(and, w) },
    [ORR] = { LOGIC(orr, x), LOGIC(orr, w) },
    [EOR] = { LOGIC(eor, x), LOGIC(eor, w) },
    [BIC] = { LOGIC_NOT(bic, x), LOGIC_NOT(bic, w) },
    [ORN] = { LOGIC_NOT(orn, x), LOGIC_NOT(orn, w) },
    [EON] = { LOGIC_NOT(eon, x), LOGIC_NOT(eon, w) },
};

static int width(bool is_w) { return is_w ? 32 : 64; }
static uint64_t width_mask(bool is_w) { return is_w ? 0xffffffffu : ~0ull; }

/* -- operands -- */

/* V as a register shifted by a constant that an operand can carry. */
static struct ir_value *match_shift(struct selector *s, struct ir_value *v, bool with_ror,
                                    enum shift *shift, int64_t *amount)
{
    static const struct { enum ir_op op; enum shift shift; } ways[] = {
        { IR_shl, SHIFT_LSL }, { IR_shr, SHIFT_LSR }, { IR_ror, SHIFT_ROR },
    };
    for (int k = 0; k < (with_ror ? 3 : 2); k++) {
        uint64_t n;
        struct ir_inst *d = sel_match(s, v, ways[k].op);
        if (d == NULL || !sel_const(d->args[1], &n) || n == 0 || n >= value_types[v->type].bits)
            continue;
        *shift = ways[k].shift;
        *amount = (int64_t)n;
        return d->args[0];
    }
    return NULL;
}

static struct mach_insn *put_with_def(struct selector *s, enum insn insn, struct vreg *to,
                                      struct mach_operand a, struct mach_operand b)
{
    if (to == NULL)
        return put(s, insn, a, b);
    return put(s, insn, op_reg(to), a, b);
}

static struct mach_insn *put_shifted(struct selector *s, const struct int_forms *row,
                                     enum shift shift, struct vreg *to, struct vreg *a,
                                     struct vreg *b, int64_t amount)
{
    enum insn insn = shift == SHIFT_LSL ? row->lsl : shift == SHIFT_LSR ? row->lsr : row->ror;
    if (to == NULL)
        return put(s, insn, op_reg(a), op_reg(b), op_imm(amount));
    return put(s, insn, op_reg(to), op_reg(a), op_reg(b), op_imm(amount));
}

/* to = a OP b, in whatever form is shortest; TO is NULL for CMP and CMN. */
static struct mach_insn *put_binary(struct selector *s, enum family family, bool is_w,
                                    struct vreg *to, struct ir_value *a, struct ir_value *b)
{
    const struct int_forms *row = &int_rows[family][is_w];
    enum shift shift;
    int64_t amount;
    uint64_t n;
    if (sel_const(b, &n)) {
        n &= width_mask(is_w);
        enum imm_range range = row->imm12 != INSN_NONE ? RANGE_U12
                               : is_w ? RANGE_LOGICAL_W : RANGE_LOGICAL_X;
        if (row->imm != INSN_NONE && imm_fits(range, (int64_t)n))
            return put_with_def(s, row->imm, to, op_reg(sel_use(s, a)), op_imm((int64_t)n));
        if (row->imm12 != INSN_NONE && imm_fits(RANGE_U12_SHIFT12, (int64_t)n))
            return put_with_def(s, row->imm12, to, op_reg(sel_use(s, a)), op_imm((int64_t)n));
    }
    struct ir_value *inner = match_shift(s, b, row->ror != INSN_NONE, &shift, &amount);
    if (inner != NULL)
        return put_shifted(s, row, shift, to, sel_use_or_zero(s, a), sel_use(s, inner), amount);
    return put_with_def(s, row->reg, to, op_reg(sel_use_or_zero(s, a)),
                        op_reg(sel_use_or_zero(s, b)));
}

static bool wants_swap(struct selector *s, struct ir_value *a, struct ir_value *b, bool with_ror)
{
    enum shift shift;
    int64_t amount;
    uint64_t n;
    if (sel_const(b, &n))
        return false;
    if (sel_const(a, &n))
        return true;
    return match_shift(s, b, with_ror, &shift, &amount) == NULL
           && match_shift(s, a, with_ror, &shift, &amount) != NULL;
}

static void put_commutative(struct selector *s, enum family family, bool is_w, struct vreg *to,
                            struct ir_value *a, struct ir_value *b)
{
    bool with_ror = int_rows[family][0].ror != INSN_NONE;
    if (wants_swap(s, a, b, with_ror))
        put_binary(s, family, is_w, to, b, a);
    else
        put_binary(s, family, is_w, to, a, b);
}

void put_add_imm(struct selector *s, struct vreg *to, struct vreg *from, int64_t n)
{
    bool down = n < 0;
    uint64_t size = down ? 0 - (uint64_t)n : (uint64_t)n;
    if (size >> 24 != 0) {
        struct vreg *t = sel_temp(s, CLASS_GENERAL, NULL);
        put_const_general(s, t, (uint64_t)n, false);
        put(s, INSN_add_x, op_reg(to), op_reg(from), op_reg(t));
        return;
    }
    int64_t low = (int64_t)(size & 0xfff), high = (int64_t)(size & 0xfff000);
    if (high != 0) {
        put(s, down ? INSN_sub_x_imm12 : INSN_add_x_imm12, op_reg(to), op_reg(from), op_imm(high));
        from = to;
    }
    if (low != 0 || high == 0)
        put(s, down ? INSN_sub_x_imm : INSN_add_x_imm, op_reg(to), op_reg(from), op_imm(low));
}

/* -- add and sub -- */

/* c + a * b and c - a * b in one instruction. */
static bool select_multiply_add(struct selector *s, bool is_w, bool subtract, struct vreg *to,
                                struct ir_value *c, struct ir_value *product)
{
    struct ir_inst *m = sel_match(s, product, IR_mul);
    if (m == NULL)
        return false;
    struct ir_value *a = sel_zext_of(m->args[0]), *b = sel_zext_of(m->args[1]);
    if (!is_w && a != NULL && b != NULL)
        put(s, subtract ? INSN_umsubl_x : INSN_umaddl_x, op_reg(to), op_reg(sel_use(s, a)),
            op_reg(sel_use(s, b)), op_reg(sel_use_or_zero(s, c)));
    else
        put(s, subtract ? WX(is_w, msub) : WX(is_w, madd), op_reg(to),
            op_reg(sel_use(s, m->args[0])), op_reg(sel_use(s, m->args[1])),
            op_reg(sel_use_or_zero(s, c)));
    return true;
}

/* a + zext(b) << 0..4, when the extension would cost an instruction. */
static bool select_extended(struct selector *s, bool subtract, struct vreg *to, struct ir_value *a,
                            struct ir_value *b)
{
    uint64_t n = 0;
    struct ir_inst *shift = sel_match(s, b, IR_shl);
    if (shift != NULL && (!sel_const(shift->args[1], &n) || n > 4))
        return false;
    struct ir_inst *z = sel_match(s, shift != NULL ? shift->args[0] : b, IR_zext);
    if (z == NULL || s->clean[z->args[0]->id])
        return false;
    put(s, subtract ? INSN_sub_x_uxtw : INSN_add_x_uxtw, op_reg(to), op_reg(sel_use(s, a)),
        op_reg(sel_use(s, z->args[0])), op_imm((int64_t)n));
    return true;
}

/* a + n for a constant that fits after negation; false when neither way does. */
static bool select_add_constant(struct selector *s, bool is_w, struct vreg *to,
                                struct ir_value *a, uint64_t n)
{
    n &= width_mask(is_w);
    uint64_t minus = (0 - n) & width_mask(is_w);
    if (minus <= 4095 && n > 4095) {
        put(s, WX_(is_w, sub, imm), op_reg(to), op_reg(sel_use(s, a)), op_imm((int64_t)minus));
        return true;
    }
    if (is_w)
        return false;
    bool down = minus < n;
    if ((down ? minus : n) >> 24 != 0)
        return false;
    put_add_imm(s, to, sel_use(s, a), (int64_t)n);
    return true;
}

static void select_add(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a,
                       struct ir_value *b)
{
    uint64_t n;
    if (sel_const(a, &n)) {
        struct ir_value *t = a;
        a = b;
        b = t;
    }
    if (sel_const(b, &n) && select_add_constant(s, is_w, to, a, n))
        return;
    if (select_multiply_add(s, is_w, false, to, a, b)
        || select_multiply_add(s, is_w, false, to, b, a))
        return;
    if (!is_w && (select_extended(s, false, to, a, b) || select_extended(s, false, to, b, a)))
        return;
    put_commutative(s, ADD, is_w, to, a, b);
}

static void put_negated(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a)
{
    struct ir_inst *m = sel_match(s, a, IR_mul);
    enum shift shift;
    int64_t amount;
    struct ir_value *inner;
    if (m != NULL)
        put(s, WX(is_w, mneg), op_reg(to), op_reg(sel_use(s, m->args[0])),
            op_reg(sel_use(s, m->args[1])));
    else if ((inner = match_shift(s, a, false, &shift, &amount)) != NULL)
        put(s, shift == SHIFT_LSL ? WX_(is_w, neg, lsl) : WX_(is_w, neg, lsr), op_reg(to),
            op_reg(sel_use(s, inner)), op_imm(amount));
    else
        put(s, WX(is_w, neg), op_reg(to), op_reg(sel_use(s, a)));
}

static void select_sub(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a,
                       struct ir_value *b)
{
    uint64_t n;
    if (sel_const(a, &n) && n == 0)
        put_negated(s, is_w, to, b);
    else if (sel_const(b, &n) && select_add_constant(s, is_w, to, a, 0 - n))
        return;
    else if (!select_multiply_add(s, is_w, true, to, a, b)
             && (is_w || !select_extended(s, true, to, a, b)))
        put_binary(s, SUB, is_w, to, a, b);
}

void put_sum(struct selector *s, bool subtract, bool is_w, struct vreg *to, struct ir_value *a,
             struct ir_value *b)
{
    if (subtract)
        select_sub(s, is_w, to, a, b);
    else
        select_add(s, is_w, to, a, b);
}

struct mach_insn *put_flags_sum(struct selector *s, bool subtract, bool is_w, struct vreg *to,
                                struct ir_value *a, struct ir_value *b)
{
    enum family family = to == NULL ? (subtract ? CMP : CMN) : (subtract ? SUBS : ADDS);
    if (!subtract && wants_swap(s, a, b, false))
        return put_binary(s, family, is_w, to, b, a);
    return put_binary(s, family, is_w, to, a, b);
}

/* -- logic -- */

static bool is_all_ones(const struct ir_value *v, bool is_w)
{
    uint64_t n;
    return sel_const(v, &n) && (n & width_mask(is_w)) == width_mask(is_w);
}

static void put_not(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a)
{
    enum shift shift;
    int64_t n;
    struct ir_value *inner = match_shift(s, a, true, &shift, &n);
    if (inner == NULL)
        put(s, WX(is_w, mvn), op_reg(to), op_reg(sel_use(s, a)));
    else
        put(s, shift == SHIFT_LSL ? WX_(is_w, mvn, lsl) : shift == SHIFT_LSR
                   ? WX_(is_w, mvn, lsr) : WX_(is_w, mvn, ror),
            op_reg(to), op_reg(sel_use(s, inner)), op_imm(n));
}

/* A run of ones from bit 0: its length, or 0. */
static int low_ones(uint64_t n)
{
    return n != 0 && (n & (n + 1)) == 0 ? __builtin_popcountll(n) : 0;
}

/* (a >> n) & ones: one bit field. */
static bool select_field(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a,
                         struct ir_value *b)
{
    uint64_t mask, n;
    struct ir_inst *shift = sel_match(s, a, IR_shr);
    if (shift == NULL || !sel_const(b, &mask) || !sel_const(shift->args[1], &n) || n == 0)
        return false;
    int ones = low_ones(mask & width_mask(is_w));
    if (ones == 0 || (int)n + ones > width(is_w))
        return false;
    put(s, WX(is_w, ubfx), op_reg(to), op_reg(sel_use(s, shift->args[0])), op_imm((int64_t)n),
        op_imm(ones));
    return true;
}

static bool select_logic_not(struct selector *s, enum family family, bool is_w, struct vreg *to,
                             struct ir_value *a, struct ir_value *b)
{
    struct ir_inst *not = sel_match(s, b, IR_not);
    if (not == NULL)
        return false;
    put_binary(s, family, is_w, to, a, not->args[0]);
    return true;
}

/* shl(a, n) | shr(b, width - n) */
static bool select_extract(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a,
                           struct ir_value *b)
{
    uint64_t up, down;
    struct ir_inst *l = sel_match(s, a, IR_shl), *r = sel_match(s, b, IR_shr);
    if (l == NULL || r == NULL || !sel_const(l->args[1], &up) || !sel_const(r->args[1], &down)
        || down == 0 || up + down != (uint64_t)width(is_w))
        return false;
    struct vreg *high = sel_use(s, l->args[0]), *low = sel_use(s, r->args[0]);
    if (high == low)
        put(s, WX_(is_w, ror, imm), op_reg(to), op_reg(low), op_imm((int64_t)down));
    else
        put(s, WX(is_w, extr), op_reg(to), op_reg(high), op_reg(low), op_imm((int64_t)down));
    return true;
}

static void select_logic(struct selector *s, enum ir_op op, bool is_w, struct vreg *to,
                         struct ir_value *a, struct ir_value *b)
{
    enum family plain = op == IR_and ? AND : op == IR_or ? ORR : EOR;
    enum family inverted = op == IR_and ? BIC : op == IR_or ? ORN : EON;
    if (op == IR_and && (select_field(s, is_w, to, a, b) || select_field(s, is_w, to, b, a)))
        return;
    if (op == IR_or && (select_extract(s, is_w, to, a, b) || select_extract(s, is_w, to, b, a)))
        return;
    if (op == IR_xor && (is_all_ones(a, is_w) || is_all_ones(b, is_w))) {
        put_not(s, is_w, to, is_all_ones(a, is_w) ? b : a);
        return;
    }
    if (select_logic_not(s, inverted, is_w, to, a, b)
        || select_logic_not(s, inverted, is_w, to, b, a))
        return;
    put_commutative(s, plain, is_w, to, a, b);
}

/* -- shifts, products, choices -- */

/* (a & ones) << n and zext(a) << n: one bit field. */
static bool select_field_up(struct selector *s, bool is_w, struct vreg *to, struct ir_value *a,
                            uint64_t n)
{
    uint64_t mask;
    struct ir_inst *and = sel_match(s, a, IR_and), *z = sel_match(s, a, IR_zext);
    int ones = 0;
    struct ir_value *from = NULL;
    if (and != NULL && sel_const(and->args[1], &mask)) {
        ones = low_ones(mask & width_mask(is_w));
        from = and->args[0];
    } else if (z != NULL && !s->clean[z->args[0]->id]) {
        ones = 32;
        from = z->args[0];
    }
    if (ones == 0)
        return false;
    if (ones + (int)n > width(is_w))
        ones = width(is_w) - (int)n;
    put(s, WX(is_w, ubfiz), op_reg(to), op_reg(sel_use(s, from)), op_imm((int64_t)n), op_imm(ones));
    return true;
}

static void select_shift(struct selector *s, enum ir_op op, bool is_w, struct vreg *to,
                         struct ir_value *a, struct ir_value *b)
{
    uint64_t n;
    if (!sel_const(b, &n)) {
        put(s, op == IR_shl ? WX(is_w, lsl) : op == IR_shr ? WX(is_w, lsr) : WX(is_w, ror),
            op_reg(to), op_reg(sel_use(s, a)), op_reg(sel_use(s, b)));
        return;
    }
    assert(n < (uint64_t)width(is_w));
    if (op == IR_shl && n != 0 && select_field_up(s, is_w, to, a, n))
        return;
    put(s, op == IR_shl ? WX_(is_w, lsl, imm) : op == IR_shr ? WX_(is_w, lsr, imm)
                                                             : WX_(is_w, ror, imm),
        op_reg(to), op_reg(sel_use(s, a)), op_imm((int64_t)n));
}

static void select_mul(struct selector *s, bool is_w, struct vreg *to, struct ir_value *x,
                       struct ir_value *y)
{
    struct ir_value *a = sel_zext_of(x), *b = sel_zext_of(y);
    if (!is_w && a != NULL && b != NULL)
        put(s, INSN_umull_x, op_reg(to), op_reg(sel_use(s, a)), op_reg(sel_use(s, b)));
    else
        put(s, WX(is_w, mul), op_reg(to), op_reg(sel_use(s, x)), op_reg(sel_use(s, y)));
}

/* mask ? b : c without a branch: (b & mask) | (c & ~mask). */
static void select_bitwise(struct selector *s, bool is_w, struct vreg *to, struct ir_inst *i)
{
    struct vreg *mask = sel_use(s, i->args[0]);
    struct vreg *b = sel_use_or_zero(s, i->args[1]), *c = sel_use_or_zero(s, i->args[2]);
    if (vreg_is_constant(b)) {
        put(s, WX(is_w, bic), op_reg(to), op_reg(c), op_reg(mask));
        return;
    }
    if (vreg_is_constant(c)) {
        put(s, WX(is_w, and), op_reg(to), op_reg(b), op_reg(mask));
        return;
    }
    struct vreg *yes = sel_temp(s, CLASS_GENERAL, i->result[0]);
    struct vreg *no = sel_temp(s, CLASS_GENERAL, i->result[0]);
    put(s, WX(is_w, and), op_reg(yes), op_reg(b), op_reg(mask));
    put(s, WX(is_w, bic), op_reg(no), op_reg(c), op_reg(mask));
    put(s, WX(is_w, orr), op_reg(to), op_reg(yes), op_reg(no));
}

void select_scalar(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    bool is_w = type_is_w(i->result[0]->type);
    struct ir_value *a = i->arg_count > 0 ? i->args[0] : NULL;
    struct ir_value *b = i->arg_count > 1 ? i->args[1] : NULL;
    switch (i->op) {
    case IR_add:
    case IR_sub: put_sum(s, i->op == IR_sub, is_w, to, a, b); break;
    case IR_neg: put_negated(s, is_w, to, a); break;
    case IR_and:
    case IR_or:
    case IR_xor: select_logic(s, i->op, is_w, to, a, b); break;
    case IR_not: put_not(s, is_w, to, a); break;
    case IR_shl:
    case IR_shr:
    case IR_ror: select_shift(s, i->op, is_w, to, a, b); break;
    case IR_mul: select_mul(s, is_w, to, a, b); break;
    case IR_mulhigh:
        put(s, INSN_umulh_x, op_reg(to), op_reg(sel_use(s, a)), op_reg(sel_use(s, b)));
        break;
    case IR_udiv:
        put(s, WX(is_w, udiv), op_reg(to), op_reg(sel_use(s, a)), op_reg(sel_use(s, b)));
        break;
    case IR_zext: put(s, INSN_mov_w, op_reg(to), op_reg(sel_use(s, a))); break;
    case IR_bsel: select_bitwise(s, is_w, to, i); break;
    default: assert(0 && "a scalar operation");
    }
}
