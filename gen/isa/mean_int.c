/* mean_int.c: integer arithmetic, moves, bit fields, conditions and control.
 *
 * Written from Arm ARM C6.2. A carry is that of a + b + c; subtraction adds the
 * complement with c = 1, so that one normal form serves both (AddWithCarry,
 * Arm ARM shared/functions/integer).
 */
#include "isa/mean.h"

/* -- second operands: the register or immediate that follows operand N - 1 -- */

static val second_reg(struct machine *m, const struct decoded *d, int n)
{
    return read(m, d, n);
}

static val second_imm(struct machine *m, const struct decoded *d, int n)
{
    int width = bits_of(d, 0);
    uint64_t v = (uint64_t)operand_imm(d, n);
    return constant(m, width, width == 32 ? v & 0xffffffff : v);
}

static val shifted(struct machine *m, const struct decoded *d, int n, enum shift_op op)
{
    int width = bits_of(d, n);
    return shift(m, op, width, width, read(m, d, n), imm(d, n + 1));
}

static val second_lsl(struct machine *m, const struct decoded *d, int n)
{
    return shifted(m, d, n, SHIFT_LSL);
}

static val second_lsr(struct machine *m, const struct decoded *d, int n)
{
    return shifted(m, d, n, SHIFT_LSR);
}

static val second_asr(struct machine *m, const struct decoded *d, int n)
{
    return shifted(m, d, n, SHIFT_ASR);
}

static val second_ror(struct machine *m, const struct decoded *d, int n)
{
    return shifted(m, d, n, SHIFT_ROR);
}

static val second_uxtw(struct machine *m, const struct decoded *d, int n)
{
    return shift(m, SHIFT_LSL, 64, 64, field(m, 64, read(m, d, n), 0, 32), imm(d, n + 1));
}

static val second_sxtw(struct machine *m, const struct decoded *d, int n)
{
    return shift(m, SHIFT_LSL, 64, 64, field_signed(m, 64, read(m, d, n), 0, 32), imm(d, n + 1));
}

/* One meaning for each form of the second operand, which is operand N. */
#define FORM(name, form, n)                                                            \
    MEANING(name##_##form) { do_##name(m, d, second_##form(m, d, n)); }
#define REGISTER_FORM(name, n) MEANING(name) { do_##name(m, d, second_reg(m, d, n)); }
#define SHIFT_FORMS(name, n) FORM(name, lsl, n) FORM(name, lsr, n) FORM(name, asr, n)
#define ARITHMETIC_FORMS(name, n)                                                      \
    REGISTER_FORM(name, n) SHIFT_FORMS(name, n) FORM(name, imm, n)                     \
    FORM(name, uxtw, n) FORM(name, sxtw, n)
#define LOGIC_FORMS(name, n)                                                           \
    REGISTER_FORM(name, n) SHIFT_FORMS(name, n) FORM(name, ror, n)

/* -- flags -- */

static void set_result_flags(struct machine *m, int width, val result)
{
    m->flag[FLAG_N] = field(m, 1, result, width - 1, 1);
    m->flag[FLAG_Z] = m->domain->is_zero(m->domain, width, result);
}

static void set_sum_flags(struct machine *m, int width, val a, val b, val c, val result)
{
    set_result_flags(m, width, result);
    m->flag[FLAG_C] = m->domain->carry(m->domain, width, a, b, c);
    m->flag[FLAG_V] = m->domain->overflow(m->domain, width, a, b, c);
}

static void set_logic_flags(struct machine *m, int width, val result)
{
    set_result_flags(m, width, result);
    m->flag[FLAG_C] = m->flag[FLAG_V] = constant(m, 1, 0);
}

static val add_with_flags(struct machine *m, int width, val a, val b)
{
    val sum = add(m, width, a, b);
    set_sum_flags(m, width, a, b, constant(m, 1, 0), sum);
    return sum;
}

static val subtract(struct machine *m, int width, val a, val b)
{
    return lanes(m, LANE_SUB, width, width, a, b);
}

static val subtract_with_flags(struct machine *m, int width, val a, val b)
{
    val difference = subtract(m, width, a, b);
    set_sum_flags(m, width, a, complement(m, width, b), constant(m, 1, 1), difference);
    return difference;
}

/* -- add and subtract -- */

static void do_add(struct machine *m, const struct decoded *d, val b)
{
    write(m, d, 0, add(m, bits_of(d, 0), read(m, d, 1), b));
}

static void do_sub(struct machine *m, const struct decoded *d, val b)
{
    write(m, d, 0, subtract(m, bits_of(d, 0), read(m, d, 1), b));
}

static void do_adds(struct machine *m, const struct decoded *d, val b)
{
    write(m, d, 0, add_with_flags(m, bits_of(d, 0), read(m, d, 1), b));
}

static void do_subs(struct machine *m, const struct decoded *d, val b)
{
    write(m, d, 0, subtract_with_flags(m, bits_of(d, 0), read(m, d, 1), b));
}

static void do_cmp(struct machine *m, const struct decoded *d, val b)
{
    subtract_with_flags(m, bits_of(d, 0), read(m, d, 0), b);
}

static void do_cmn(struct machine *m, const struct decoded *d, val b)
{
    add_with_flags(m, bits_of(d, 0), read(m, d, 0), b);
}

static void do_neg(struct machine *m, const struct decoded *d, val b)
{
    write(m, d, 0, lanes(m, LANE_NEG, bits_of(d, 0), bits_of(d, 0), b, 0));
}

static void do_negs(struct machine *m, const struct decoded *d, val b)
{
    int width = bits_of(d, 0);
    write(m, d, 0, subtract_with_flags(m, width, constant(m, width, 0), b));
}

ARITHMETIC_FORMS(add, 2)
ARITHMETIC_FORMS(sub, 2)
ARITHMETIC_FORMS(adds, 2)
ARITHMETIC_FORMS(subs, 2)
ARITHMETIC_FORMS(cmp, 1)
ARITHMETIC_FORMS(cmn, 1)
REGISTER_FORM(neg, 1)
SHIFT_FORMS(neg, 1)
REGISTER_FORM(negs, 1)
SHIFT_FORMS(negs, 1)

/* A page and an offset in it, 4096 bytes (Arm ARM C6.2.11). */
MEANING(adrp)
{
    write(m, d, 0, constant(m, 64, exec_symbol(m, d, 1) & ~(uint64_t)4095));
}

MEANING(add_lo12)
{
    write(m, d, 0, add(m, 64, read(m, d, 1), constant(m, 64, exec_symbol(m, d, 2) & 4095)));
}

/* -- with carry -- */

static val sum_with_carry(struct machine *m, int width, val a, val b)
{
    return m->domain->add_carry(m->domain, width, a, b, m->flag[FLAG_C]);
}

static void carry_and_flags(struct machine *m, const struct decoded *d, val a, val b)
{
    int width = bits_of(d, 0);
    val sum = sum_with_carry(m, width, a, b);
    set_sum_flags(m, width, a, b, m->flag[FLAG_C], sum);
    write(m, d, 0, sum);
}

MEANING(adc)
{
    write(m, d, 0, sum_with_carry(m, bits_of(d, 0), read(m, d, 1), read(m, d, 2)));
}

MEANING(adcs)
{
    carry_and_flags(m, d, read(m, d, 1), read(m, d, 2));
}

MEANING(sbc)
{
    int width = bits_of(d, 0);
    write(m, d, 0, sum_with_carry(m, width, read(m, d, 1), complement(m, width, read(m, d, 2))));
}

MEANING(sbcs)
{
    carry_and_flags(m, d, read(m, d, 1), complement(m, bits_of(d, 0), read(m, d, 2)));
}

MEANING(ngc)
{
    int width = bits_of(d, 0);
    val zero = constant(m, width, 0);
    write(m, d, 0, sum_with_carry(m, width, zero, complement(m, width, read(m, d, 1))));
}

MEANING(ngcs)
{
    int width = bits_of(d, 0);
    carry_and_flags(m, d, constant(m, width, 0), complement(m, width, read(m, d, 1)));
}

/* -- logic -- */

static val logic(struct machine *m, const struct decoded *d, enum lane_op op, val b)
{
    int width = bits_of(d, 0);
    return lanes(m, op, width, width, read(m, d, 1), b);
}

#define LOGIC(name, op, b)                                                             \
    static void do_##name(struct machine *m, const struct decoded *d, val second)      \
    {                                                                                  \
        write(m, d, 0, logic(m, d, op, b));                                            \
    }                                                                                  \
    LOGIC_FORMS(name, 2)
#define LOGIC_AND_FLAGS(name, b)                                                       \
    static void do_##name(struct machine *m, const struct decoded *d, val second)      \
    {                                                                                  \
        val result = logic(m, d, LANE_AND, b);                                         \
        set_logic_flags(m, bits_of(d, 0), result);                                     \
        write(m, d, 0, result);                                                        \
    }                                                                                  \
    LOGIC_FORMS(name, 2)

LOGIC(and, LANE_AND, second)
LOGIC(orr, LANE_OR, second)
LOGIC(eor, LANE_XOR, second)
LOGIC(bic, LANE_AND, complement(m, bits_of(d, 0), second))
LOGIC(orn, LANE_OR, complement(m, bits_of(d, 0), second))
LOGIC(eon, LANE_XOR, complement(m, bits_of(d, 0), second))
LOGIC_AND_FLAGS(ands, second)
LOGIC_AND_FLAGS(bics, complement(m, bits_of(d, 0), second))
FORM(and, imm, 2)
FORM(orr, imm, 2)
FORM(eor, imm, 2)
FORM(ands, imm, 2)

static void do_tst(struct machine *m, const struct decoded *d, val b)
{
    int width = bits_of(d, 0);
    set_logic_flags(m, width, lanes(m, LANE_AND, width, width, read(m, d, 0), b));
}

static void do_mvn(struct machine *m, const struct decoded *d, val b)
{
    write(m, d, 0, complement(m, bits_of(d, 0), b));
}

LOGIC_FORMS(tst, 1)
FORM(tst, imm, 1)
LOGIC_FORMS(mvn, 1)

/* -- moves -- */

MEANING(mov)
{
    write(m, d, 0, read(m, d, 1));
}

MEANING(movz)
{
    write(m, d, 0, constant(m, bits_of(d, 0), (uint64_t)operand_imm(d, 1) << imm(d, 2)));
}

MEANING(movn)
{
    uint64_t v = ~((uint64_t)operand_imm(d, 1) << imm(d, 2));
    int width = bits_of(d, 0);
    write(m, d, 0, constant(m, width, width == 32 ? v & 0xffffffff : v));
}

MEANING(movk)
{
    int width = bits_of(d, 0);
    val sixteen = constant(m, width, (uint64_t)operand_imm(d, 1));
    write(m, d, 0, insert(m, width, read(m, d, 0), sixteen, imm(d, 2), 16));
}

/* -- multiply and divide -- */

static val product(struct machine *m, const struct decoded *d)
{
    int width = bits_of(d, 0);
    return lanes(m, LANE_MUL, width, width, read(m, d, 1), read(m, d, 2));
}

static val negate(struct machine *m, int width, val a)
{
    return lanes(m, LANE_NEG, width, width, a, 0);
}

MEANING(mul)   { write(m, d, 0, product(m, d)); }
MEANING(mneg)  { write(m, d, 0, negate(m, bits_of(d, 0), product(m, d))); }
MEANING(madd)  { write(m, d, 0, add(m, bits_of(d, 0), read(m, d, 3), product(m, d))); }
MEANING(msub)  { write(m, d, 0, subtract(m, bits_of(d, 0), read(m, d, 3), product(m, d))); }

MEANING(umulh)
{
    write(m, d, 0, m->domain->multiply_high(m->domain, false, read(m, d, 1), read(m, d, 2)));
}

MEANING(smulh)
{
    write(m, d, 0, m->domain->multiply_high(m->domain, true, read(m, d, 1), read(m, d, 2)));
}

static val long_product(struct machine *m, const struct decoded *d, enum wide_op op)
{
    return m->domain->widen_multiply(m->domain, op, 64, 32, read(m, d, 1), read(m, d, 2));
}

MEANING(umull_x) { write(m, d, 0, long_product(m, d, WIDE_UMUL)); }
MEANING(smull_x) { write(m, d, 0, long_product(m, d, WIDE_SMUL)); }
MEANING(umnegl)  { write(m, d, 0, negate(m, 64, long_product(m, d, WIDE_UMUL))); }
MEANING(smnegl)  { write(m, d, 0, negate(m, 64, long_product(m, d, WIDE_SMUL))); }
MEANING(umaddl)  { write(m, d, 0, add(m, 64, read(m, d, 3), long_product(m, d, WIDE_UMUL))); }
MEANING(smaddl)  { write(m, d, 0, add(m, 64, read(m, d, 3), long_product(m, d, WIDE_SMUL))); }
MEANING(umsubl)  { write(m, d, 0, subtract(m, 64, read(m, d, 3), long_product(m, d, WIDE_UMUL))); }
MEANING(smsubl)  { write(m, d, 0, subtract(m, 64, read(m, d, 3), long_product(m, d, WIDE_SMUL))); }

/* The executor has checked that both operands are public: udiv is not DIT. */
static void divide(struct machine *m, const struct decoded *d, enum lane_op op)
{
    int width = bits_of(d, 0);
    write(m, d, 0, lanes(m, op, width, width, read(m, d, 1), read(m, d, 2)));
}

MEANING(udiv) { divide(m, d, LANE_UDIV); }
MEANING(sdiv) { divide(m, d, LANE_SDIV); }

/* -- shifts and bit fields -- */

static void shift_imm(struct machine *m, const struct decoded *d, enum shift_op op)
{
    int width = bits_of(d, 0);
    write(m, d, 0, shift(m, op, width, width, read(m, d, 1), imm(d, 2)));
}

MEANING(lsl_imm) { shift_imm(m, d, SHIFT_LSL); }
MEANING(lsr_imm) { shift_imm(m, d, SHIFT_LSR); }
MEANING(asr_imm) { shift_imm(m, d, SHIFT_ASR); }
MEANING(ror_imm) { shift_imm(m, d, SHIFT_ROR); }

static void shift_variable(struct machine *m, const struct decoded *d, enum lane_op op)
{
    int width = bits_of(d, 0);
    write(m, d, 0, lanes(m, op, width, width, read(m, d, 1), read(m, d, 2)));
}

MEANING(lsl) { shift_variable(m, d, LANE_LSLV); }
MEANING(lsr) { shift_variable(m, d, LANE_LSRV); }
MEANING(asr) { shift_variable(m, d, LANE_ASRV); }
MEANING(ror) { shift_variable(m, d, LANE_RORV); }

/* The upper part of the second source below the lower part of the first. */
MEANING(extr)
{
    int width = bits_of(d, 0), lsb = imm(d, 3);
    val high = read(m, d, 1), low = read(m, d, 2);
    if (lsb != 0)
        low = insert(m, width, field(m, width, low, lsb, width - lsb), high, width - lsb, lsb);
    write(m, d, 0, low);
}

MEANING(ubfx) { write(m, d, 0, field(m, bits_of(d, 0), read(m, d, 1), imm(d, 2), imm(d, 3))); }
MEANING(sbfx) { write(m, d, 0, field_signed(m, bits_of(d, 0), read(m, d, 1), imm(d, 2), imm(d, 3))); }

MEANING(ubfiz)
{
    int width = bits_of(d, 0);
    write(m, d, 0, insert(m, width, constant(m, width, 0), read(m, d, 1), imm(d, 2), imm(d, 3)));
}

MEANING(sbfiz)
{
    int width = bits_of(d, 0);
    val extended = field_signed(m, width, read(m, d, 1), 0, imm(d, 3));
    write(m, d, 0, shift(m, SHIFT_LSL, width, width, extended, imm(d, 2)));
}

MEANING(bfi)
{
    write(m, d, 0, insert(m, bits_of(d, 0), read(m, d, 0), read(m, d, 1), imm(d, 2), imm(d, 3)));
}

MEANING(bfxil)
{
    int width = bits_of(d, 0);
    val low = field(m, width, read(m, d, 1), imm(d, 2), imm(d, 3));
    write(m, d, 0, insert(m, width, read(m, d, 0), low, 0, imm(d, 3)));
}

MEANING(uxtb) { write(m, d, 0, field(m, bits_of(d, 0), read(m, d, 1), 0, 8)); }
MEANING(uxth) { write(m, d, 0, field(m, bits_of(d, 0), read(m, d, 1), 0, 16)); }
MEANING(sxtb) { write(m, d, 0, field_signed(m, bits_of(d, 0), read(m, d, 1), 0, 8)); }
MEANING(sxth) { write(m, d, 0, field_signed(m, bits_of(d, 0), read(m, d, 1), 0, 16)); }
MEANING(sxtw) { write(m, d, 0, field_signed(m, bits_of(d, 0), read(m, d, 1), 0, 32)); }

static void one_lane(struct machine *m, const struct decoded *d, enum lane_op op)
{
    int width = bits_of(d, 0);
    write(m, d, 0, lanes(m, op, width, width, read(m, d, 1), 0));
}

MEANING(clz)  { one_lane(m, d, LANE_CLZ); }
MEANING(cls)  { one_lane(m, d, LANE_CLS); }
MEANING(rbit) { one_lane(m, d, LANE_RBIT); }

/* Bytes reversed in every group of GROUP bytes. */
static void reverse_bytes(struct machine *m, const struct decoded *d, int group)
{
    int bytes = bits_of(d, 0) / 8;
    uint8_t from[8];
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)(i / group * group + group - 1 - i % group);
    val a = read(m, d, 1);
    write(m, d, 0, m->domain->permute(m->domain, bytes, 1, bytes, &a, from));
}

MEANING(rev)   { reverse_bytes(m, d, bits_of(d, 0) / 8); }
MEANING(rev16) { reverse_bytes(m, d, 2); }
MEANING(rev32) { reverse_bytes(m, d, 4); }
