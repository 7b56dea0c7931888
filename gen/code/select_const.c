/* select_const.c: constants into registers.
 *
 * General: one movz, movn or bitmask orr when that is enough, otherwise the
 * shorter of movz+movk and movn+movk. Vector: one movi or mvni when the bytes
 * allow it (Arm ARM, AdvSIMDExpandImm), otherwise through general registers.
 * Does not: fold constants into the instructions that use them.
 */
#include "code/select.h"

#include <assert.h>

/* -- general registers -- */

static int halves_other_than(uint64_t value, bool is_w, uint64_t half)
{
    int n = 0;
    for (int k = 0; k < (is_w ? 2 : 4); k++)
        n += (value >> (16 * k) & 0xffff) != half;
    return n;
}

static void put_halves(struct selector *s, struct vreg *to, uint64_t value, bool is_w,
                       bool inverted)
{
    uint64_t filler = inverted ? 0xffff : 0;
    bool started = false;
    for (int k = 0; k < (is_w ? 2 : 4); k++) {
        uint64_t half = value >> (16 * k) & 0xffff;
        if (half == filler)
            continue;
        if (started)
            put(s, WX(is_w, movk), op_reg(to), op_imm((int64_t)half), op_imm(16 * k));
        else if (inverted)
            put(s, WX(is_w, movn), op_reg(to), op_imm((int64_t)(half ^ 0xffff)), op_imm(16 * k));
        else
            put(s, WX(is_w, movz), op_reg(to), op_imm((int64_t)half), op_imm(16 * k));
        started = true;
    }
    if (!started)
        put(s, inverted ? WX(is_w, movn) : WX(is_w, movz), op_reg(to), op_imm(0), op_imm(0));
}

void put_const_general(struct selector *s, struct vreg *to, uint64_t value, bool is_w)
{
    if (is_w)
        value &= 0xffffffffu;
    int up = halves_other_than(value, is_w, 0), down = halves_other_than(value, is_w, 0xffff);
    if (up > 1 && down > 1 && imm_is_logical(value, is_w ? 32 : 64))
        put(s, WX_(is_w, orr, imm), op_reg(to), op_reg(vreg_zero(s->f)), op_imm((int64_t)value));
    else
        put_halves(s, to, value, is_w, down < up);
}

/* -- vectors -- */

/* V as one lane of `bits` bits repeated; false when it is not. */
static bool is_repeated(const uint64_t v[2], bool is_full, int bits, uint64_t *lane)
{
    uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
    *lane = v[0] & mask;
    for (int at = 0; at < 64; at += bits)
        if ((v[0] >> at & mask) != *lane || (is_full && (v[1] >> at & mask) != *lane))
            return false;
    return true;
}

static enum insn pick(bool is_full, enum insn full, enum insn half)
{
    return is_full ? full : half;
}

/* A lane that is one byte shifted up, above zeros: *shift in bits. */
static bool is_one_byte(uint64_t lane, int bits, int *shift)
{
    for (*shift = 0; *shift < bits; *shift += 8)
        if ((lane & ~(0xffull << *shift)) == 0)
            return true;
    return false;
}

/* 0x0000XXff and 0x00XXffff: a byte with ones below it. */
static bool is_byte_over_ones(uint64_t lane, int *shift)
{
    for (*shift = 8; *shift <= 16; *shift += 8)
        if ((lane & ~(0xffull << *shift)) == (1ull << *shift) - 1)
            return true;
    return false;
}

struct vector_imm { enum insn insn; int64_t imm; int shift; bool has_shift; };

static bool words_imm(uint64_t lane, bool full, struct vector_imm *out)
{
    int shift;
    uint64_t not = lane ^ 0xffffffffu;
    if (is_one_byte(lane, 32, &shift))
        *out = (struct vector_imm){ pick(full, INSN_movi_4s_imm, INSN_movi_2s_imm),
                                    (int64_t)(lane >> shift), shift, true };
    else if (is_one_byte(not, 32, &shift))
        *out = (struct vector_imm){ pick(full, INSN_mvni_4s_imm, INSN_mvni_2s_imm),
                                    (int64_t)(not >> shift), shift, true };
    else if (is_byte_over_ones(lane, &shift))
        *out = (struct vector_imm){ pick(full, INSN_movi_4s_msl, INSN_movi_2s_msl),
                                    (int64_t)(lane >> shift), shift, true };
    else if (is_byte_over_ones(not, &shift))
        *out = (struct vector_imm){ pick(full, INSN_mvni_4s_msl, INSN_mvni_2s_msl),
                                    (int64_t)(not >> shift), shift, true };
    else
        return false;
    return true;
}

static bool find_vector_imm(const uint64_t v[2], bool full, struct vector_imm *out)
{
    uint64_t lane;
    int shift;
    if (is_repeated(v, full, 8, &lane)) {
        *out = (struct vector_imm){ pick(full, INSN_movi_16b, INSN_movi_8b), (int64_t)lane, 0,
                                    false };
        return true;
    }
    if (is_repeated(v, full, 16, &lane)) {
        if (is_one_byte(lane, 16, &shift)) {
            *out = (struct vector_imm){ pick(full, INSN_movi_8h_imm, INSN_movi_4h_imm),
                                        (int64_t)(lane >> shift), shift, true };
            return true;
        }
        if (is_one_byte(lane ^ 0xffff, 16, &shift)) {
            *out = (struct vector_imm){ pick(full, INSN_mvni_8h_imm, INSN_mvni_4h_imm),
                                        (int64_t)((lane ^ 0xffff) >> shift), shift, true };
            return true;
        }
    }
    if (is_repeated(v, full, 32, &lane) && words_imm(lane, full, out))
        return true;
    if (is_repeated(v, full, 64, &lane) && imm_fits(RANGE_BYTE_MASK_64, (int64_t)lane)) {
        *out = (struct vector_imm){ pick(full, INSN_movi_2d, INSN_movi_d), (int64_t)lane, 0,
                                    false };
        return true;
    }
    return false;
}

bool const_vector_is_cheap(enum value_type type, const uint64_t value[2])
{
    struct vector_imm imm;
    return find_vector_imm(value, value_types[type].bits == 128, &imm);
}

/* Through a general register: a repeated lane by dup, halves by fmov and ins. */
static void put_from_general(struct selector *s, struct vreg *to, const uint64_t v[2], bool full)
{
    uint64_t lane;
    struct vreg *g = sel_temp(s, CLASS_GENERAL, NULL);
    if (is_repeated(v, full, 16, &lane)) {
        put_const_general(s, g, lane, true);
        put(s, pick(full, INSN_dup_8h, INSN_dup_4h), op_reg(to), op_reg(g));
    } else if (is_repeated(v, full, 32, &lane)) {
        put_const_general(s, g, lane, true);
        put(s, pick(full, INSN_dup_4s, INSN_dup_2s), op_reg(to), op_reg(g));
    } else if (full && v[0] == v[1]) {
        put_const_general(s, g, v[0], false);
        put(s, INSN_dup_2d, op_reg(to), op_reg(g));
    } else {
        put_const_general(s, g, v[0], false);
        put(s, INSN_fmov_d_x, op_reg(to), op_reg(g));
        if (full && v[1] != 0) {
            struct vreg *h = sel_temp(s, CLASS_GENERAL, NULL);
            put_const_general(s, h, v[1], false);
            put(s, INSN_ins_d, op_reg(to), op_imm(1), op_reg(h));
        }
    }
}

void put_const_vector(struct selector *s, struct vreg *to, enum value_type type,
                      const uint64_t value[2])
{
    bool full = value_types[type].bits == 128;
    struct vector_imm imm;
    if (!find_vector_imm(value, full, &imm))
        put_from_general(s, to, value, full);
    else if (imm.has_shift)
        put(s, imm.insn, op_reg(to), op_imm(imm.imm), op_imm(imm.shift));
    else
        put(s, imm.insn, op_reg(to), op_imm(imm.imm));
}

void put_const(struct selector *s, struct vreg *to, const struct ir_inst *i)
{
    assert(i->op == IR_const);
    if (type_is_vector(i->type))
        put_const_vector(s, to, i->type, i->value);
    else
        put_const_general(s, to, i->value[0], type_is_w(i->type));
}
