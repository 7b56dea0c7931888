/* mean_vec.c: Advanced SIMD arithmetic, logic, comparisons and shifts.
 *
 * Written from Arm ARM C7.2. Whatever only moves bytes (widening with zeros,
 * the halves of a register, pairs of neighbours) is a permutation, so that the
 * symbolic domain sees through it. Permutations themselves: mean_permute.c.
 */
#include "isa/mean.h"

static val two(struct machine *m, const struct decoded *d, enum lane_op op, val a, val b)
{
    return lanes(m, op, bits_of(d, 0), lane_of(d, 0), a, b);
}

/* -- logic -- */

static val bitwise(struct machine *m, const struct decoded *d, enum lane_op op, val a, val b)
{
    return lanes(m, op, bits_of(d, 0), 64, a, b);
}

static val inverse(struct machine *m, const struct decoded *d, val a)
{
    return bitwise(m, d, LANE_NOT, a, 0);
}

#define BITWISE(name, op, b)                                                           \
    MEANING(name) { write(m, d, 0, bitwise(m, d, op, read(m, d, 1), b)); }

BITWISE(v_and, LANE_AND, read(m, d, 2))
BITWISE(v_orr, LANE_OR, read(m, d, 2))
BITWISE(v_eor, LANE_XOR, read(m, d, 2))
BITWISE(v_bic, LANE_AND, inverse(m, d, read(m, d, 2)))
BITWISE(v_orn, LANE_OR, inverse(m, d, read(m, d, 2)))

MEANING(v_not) { write(m, d, 0, inverse(m, d, read(m, d, 1))); }
MEANING(v_mov) { write(m, d, 0, read(m, d, 1)); }

/* Where MASK has ones A, where zeros B. */
static void choose_bits(struct machine *m, const struct decoded *d, val mask, val a, val b)
{
    val differ = bitwise(m, d, LANE_XOR, a, b);
    write(m, d, 0, bitwise(m, d, LANE_XOR, b, bitwise(m, d, LANE_AND, differ, mask)));
}

MEANING(bsl) { choose_bits(m, d, read(m, d, 0), read(m, d, 1), read(m, d, 2)); }
MEANING(bit) { choose_bits(m, d, read(m, d, 2), read(m, d, 1), read(m, d, 0)); }
MEANING(bif) { choose_bits(m, d, read(m, d, 2), read(m, d, 0), read(m, d, 1)); }

/* -- immediates -- */

/* V in every lane of operand 0. */
static val splat(struct machine *m, const struct decoded *d, uint64_t v)
{
    int width = bits_of(d, 0), lane = lane_of(d, 0);
    uint64_t words[2];
    if (lane < 64)
        v &= (1ull << lane) - 1;
    for (int n = lane; n < 64; n *= 2)
        v |= v << n;
    words[0] = v;
    words[1] = width == 128 ? v : 0;
    return m->domain->constant(m->domain, width, words);
}

/* The byte of operand 1 shifted by operand 2, when the row has one. */
static uint64_t byte_imm(const struct decoded *d)
{
    return (uint64_t)operand_imm(d, 1) << (row_of(d)->operand_count > 2 ? imm(d, 2) : 0);
}

/* "msl": ones move in from below. */
static uint64_t byte_imm_msl(const struct decoded *d)
{
    return byte_imm(d) | ((1ull << imm(d, 2)) - 1);
}

MEANING(movi)     { write(m, d, 0, splat(m, d, byte_imm(d))); }
MEANING(mvni)     { write(m, d, 0, splat(m, d, ~byte_imm(d))); }
MEANING(movi_msl) { write(m, d, 0, splat(m, d, byte_imm_msl(d))); }
MEANING(mvni_msl) { write(m, d, 0, splat(m, d, ~byte_imm_msl(d))); }

MEANING(orr_byte)
{
    write(m, d, 0, bitwise(m, d, LANE_OR, read(m, d, 0), splat(m, d, byte_imm(d))));
}

MEANING(bic_byte)
{
    write(m, d, 0, bitwise(m, d, LANE_AND, read(m, d, 0), splat(m, d, ~byte_imm(d))));
}

/* -- arithmetic and comparisons -- */

#define BINARY(name, op)                                                               \
    MEANING(name) { write(m, d, 0, two(m, d, op, read(m, d, 1), read(m, d, 2))); }
#define UNARY(name, op)                                                                \
    MEANING(name) { write(m, d, 0, two(m, d, op, read(m, d, 1), 0)); }

BINARY(v_add, LANE_ADD)
BINARY(v_sub, LANE_SUB)
BINARY(v_mul, LANE_MUL)
BINARY(umax, LANE_UMAX)
BINARY(umin, LANE_UMIN)
BINARY(smax, LANE_SMAX)
BINARY(smin, LANE_SMIN)
BINARY(cmeq, LANE_EQ)
BINARY(cmgt, LANE_GT_S)
BINARY(cmge, LANE_GE_S)
BINARY(cmhi, LANE_GT_U)
BINARY(cmhs, LANE_GE_U)
BINARY(cmtst, LANE_TEST)
BINARY(pmul, LANE_PMUL)
BINARY(ushl, LANE_USHL)
BINARY(sshl, LANE_SSHL)
UNARY(v_neg, LANE_NEG)
UNARY(v_abs, LANE_ABS)
UNARY(v_rbit, LANE_RBIT)
UNARY(cnt, LANE_CNT)

#define AGAINST_ZERO(name, op)                                                         \
    MEANING(name) { write(m, d, 0, two(m, d, op, read(m, d, 1), splat(m, d, 0))); }
#define ZERO_AGAINST(name, op)                                                         \
    MEANING(name) { write(m, d, 0, two(m, d, op, splat(m, d, 0), read(m, d, 1))); }

AGAINST_ZERO(cmeq_zero, LANE_EQ)
AGAINST_ZERO(cmgt_zero, LANE_GT_S)
AGAINST_ZERO(cmge_zero, LANE_GE_S)
ZERO_AGAINST(cmle_zero, LANE_GE_S)
ZERO_AGAINST(cmlt_zero, LANE_GT_S)

static val v_product(struct machine *m, const struct decoded *d, val b)
{
    return two(m, d, LANE_MUL, read(m, d, 1), b);
}

static val accumulate(struct machine *m, const struct decoded *d, enum lane_op op, val addend)
{
    return two(m, d, op, read(m, d, 0), addend);
}

MEANING(mla) { write(m, d, 0, accumulate(m, d, LANE_ADD, v_product(m, d, read(m, d, 2)))); }
MEANING(mls) { write(m, d, 0, accumulate(m, d, LANE_SUB, v_product(m, d, read(m, d, 2)))); }

/* -- moves of lanes that arithmetic needs -- */

/* Lane LANE number i * STEP + FIRST of A for each of the result's BYTES / (size
 * of TO) lanes, zero-extended to TO bits. */
static val spread(struct machine *m, val a, int source_bits, int lane, int first, int step,
                  int result_bits, int to)
{
    uint8_t from[16];
    int lane_bytes = lane / 8, to_bytes = to / 8;
    for (int i = 0; i < result_bits / 8; i++) {
        int within = i % to_bytes, element = first + step * (i / to_bytes);
        from[i] = within < lane_bytes ? (uint8_t)(element * lane_bytes + within) : PERMUTE_ZERO;
    }
    return m->domain->permute(m->domain, result_bits / 8, 1, source_bits / 8, &a, from);
}

/* The same, sign-extended: the lane into the upper part, then down. */
static val spread_signed(struct machine *m, val a, int source_bits, int lane, int first, int step,
                         int result_bits, int to)
{
    uint8_t from[16];
    int lane_bytes = lane / 8, to_bytes = to / 8, gap = to_bytes - lane_bytes;
    for (int i = 0; i < result_bits / 8; i++) {
        int within = i % to_bytes - gap, element = first + step * (i / to_bytes);
        from[i] = within >= 0 ? (uint8_t)(element * lane_bytes + within) : PERMUTE_ZERO;
    }
    val high = m->domain->permute(m->domain, result_bits / 8, 1, source_bits / 8, &a, from);
    return shift(m, SHIFT_ASR, result_bits, to, high, to - lane);
}

typedef val spread_fn(struct machine *, val, int, int, int, int, int, int);

/* The lanes of operand N from lane FIRST on, each STEP apart, in lanes of operand 0. */
static val extended(struct machine *m, const struct decoded *d, int n, spread_fn *how, int first,
                    int step)
{
    return how(m, read(m, d, n), bits_of(d, n), lane_of(d, n), first, step, bits_of(d, 0),
               lane_of(d, 0));
}

/* Where the upper half of a 128-bit operand begins, in its lanes. */
static int upper(const struct decoded *d, int n)
{
    return 64 / lane_of(d, n);
}

/* -- pairwise and across -- */

/* The even or odd lanes of a followed by those of b. */
static val every_second(struct machine *m, const struct decoded *d, int odd)
{
    int bytes = bits_of(d, 0) / 8, lane_bytes = lane_of(d, 0) / 8, half = bytes / 2;
    uint8_t from[16];
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)(i / half * bytes + (i % half / lane_bytes * 2 + odd) * lane_bytes
                            + i % lane_bytes);
    const val sources[2] = { read(m, d, 1), read(m, d, 2) };
    return m->domain->permute(m->domain, bytes, 2, bytes, sources, from);
}

MEANING(addp)
{
    write(m, d, 0, two(m, d, LANE_ADD, every_second(m, d, 0), every_second(m, d, 1)));
}

MEANING(addp_d)
{
    val a = read(m, d, 1);
    write(m, d, 0, add(m, 64, field(m, 64, a, 0, 64), field(m, 64, a, 64, 64)));
}

/* Folds all lanes of A into the lowest: the upper half onto the lower, again. */
static val fold(struct machine *m, enum lane_op op, val a, int width, int lane)
{
    for (; width > lane; width /= 2)
        a = lanes(m, op, width / 2, lane, field(m, width / 2, a, 0, width / 2),
                  field(m, width / 2, a, width / 2, width / 2));
    return a;
}

#define ACROSS(name, op)                                                               \
    MEANING(name) { write(m, d, 0, fold(m, op, read(m, d, 1), bits_of(d, 1), lane_of(d, 1))); }

ACROSS(addv, LANE_ADD)
ACROSS(umaxv, LANE_UMAX)
ACROSS(uminv, LANE_UMIN)
ACROSS(smaxv, LANE_SMAX)
ACROSS(sminv, LANE_SMIN)

/* Neighbours of operand 1 added in lanes of twice the width. */
static val pairs_long(struct machine *m, const struct decoded *d, spread_fn *how)
{
    int width = bits_of(d, 1), lane = lane_of(d, 1);
    val a = read(m, d, 1);
    return lanes(m, LANE_ADD, width, 2 * lane, how(m, a, width, lane, 0, 2, width, 2 * lane),
                 how(m, a, width, lane, 1, 2, width, 2 * lane));
}

MEANING(uaddlp) { write(m, d, 0, pairs_long(m, d, spread)); }
MEANING(saddlp) { write(m, d, 0, pairs_long(m, d, spread_signed)); }
MEANING(uadalp) { write(m, d, 0, accumulate(m, d, LANE_ADD, pairs_long(m, d, spread))); }
MEANING(sadalp) { write(m, d, 0, accumulate(m, d, LANE_ADD, pairs_long(m, d, spread_signed))); }

MEANING(uaddlv)
{
    write(m, d, 0, fold(m, LANE_ADD, pairs_long(m, d, spread), bits_of(d, 1), 2 * lane_of(d, 1)));
}

MEANING(saddlv)
{
    write(m, d, 0,
          fold(m, LANE_ADD, pairs_long(m, d, spread_signed), bits_of(d, 1), 2 * lane_of(d, 1)));
}

/* -- shifts by an immediate -- */

static val shift_lanes(struct machine *m, const struct decoded *d, enum shift_op op)
{
    return shift(m, op, bits_of(d, 0), lane_of(d, 0), read(m, d, 1), imm(d, 2));
}

MEANING(shl)  { write(m, d, 0, shift_lanes(m, d, SHIFT_LSL)); }
MEANING(ushr) { write(m, d, 0, shift_lanes(m, d, SHIFT_LSR)); }
MEANING(sshr) { write(m, d, 0, shift_lanes(m, d, SHIFT_ASR)); }
MEANING(usra) { write(m, d, 0, accumulate(m, d, LANE_ADD, shift_lanes(m, d, SHIFT_LSR))); }
MEANING(ssra) { write(m, d, 0, accumulate(m, d, LANE_ADD, shift_lanes(m, d, SHIFT_ASR))); }

/* The lanes shifted in, and of the destination the bits that KEPT has set. */
static void shift_and_insert(struct machine *m, const struct decoded *d, enum shift_op op,
                             uint64_t kept)
{
    val rest = bitwise(m, d, LANE_AND, read(m, d, 0), splat(m, d, kept));
    write(m, d, 0, bitwise(m, d, LANE_OR, shift_lanes(m, d, op), rest));
}

MEANING(sli)
{
    shift_and_insert(m, d, SHIFT_LSL, (1ull << imm(d, 2)) - 1);
}

MEANING(sri)
{
    int moved = lane_of(d, 0) - imm(d, 2);
    shift_and_insert(m, d, SHIFT_LSR, ~((1ull << moved) - 1));
}

/* -- narrow and widen -- */

/* The low half of every lane of a 128-bit value, 64 bits in all. */
static val low_halves(struct machine *m, val a, int lane)
{
    uint8_t from[8];
    int half = lane / 16;
    for (int i = 0; i < 8; i++)
        from[i] = (uint8_t)(i / half * 2 * half + i % half);
    return m->domain->permute(m->domain, 8, 1, 16, &a, from);
}

static val narrowed(struct machine *m, const struct decoded *d)
{
    int n = row_of(d)->operand_count > 2 ? imm(d, 2) : 0, lane = lane_of(d, 1);
    return low_halves(m, shift(m, SHIFT_LSR, 128, lane, read(m, d, 1), n), lane);
}

static void write_upper(struct machine *m, const struct decoded *d, val half)
{
    write(m, d, 0, insert(m, 128, read(m, d, 0), half, 64, 64));
}

MEANING(shrn)  { write(m, d, 0, narrowed(m, d)); }
MEANING(xtn)   { write(m, d, 0, narrowed(m, d)); }
MEANING(shrn2) { write_upper(m, d, narrowed(m, d)); }
MEANING(xtn2)  { write_upper(m, d, narrowed(m, d)); }

static void widen_shift(struct machine *m, const struct decoded *d, spread_fn *how, int first)
{
    val a = extended(m, d, 1, how, first, 1);
    write(m, d, 0, shift(m, SHIFT_LSL, 128, lane_of(d, 0), a, imm(d, 2)));
}

MEANING(ushll)  { widen_shift(m, d, spread, 0); }
MEANING(sshll)  { widen_shift(m, d, spread_signed, 0); }
MEANING(ushll2) { widen_shift(m, d, spread, upper(d, 1)); }
MEANING(sshll2) { widen_shift(m, d, spread_signed, upper(d, 1)); }

/* -- long and wide sums; the forms in 2 read the upper halves -- */

#define LONG_SUM(name, op, how)                                                        \
    MEANING(name)                                                                      \
    {                                                                                  \
        write(m, d, 0, two(m, d, op, extended(m, d, 1, how, 0, 1),                     \
                           extended(m, d, 2, how, 0, 1)));                             \
    }                                                                                  \
    MEANING(name##2)                                                                   \
    {                                                                                  \
        write(m, d, 0, two(m, d, op, extended(m, d, 1, how, upper(d, 1), 1),           \
                           extended(m, d, 2, how, upper(d, 2), 1)));                   \
    }
#define WIDE_SUM(name, op, how)                                                        \
    MEANING(name)                                                                      \
    {                                                                                  \
        write(m, d, 0, two(m, d, op, read(m, d, 1), extended(m, d, 2, how, 0, 1)));    \
    }                                                                                  \
    MEANING(name##2)                                                                   \
    {                                                                                  \
        write(m, d, 0, two(m, d, op, read(m, d, 1), extended(m, d, 2, how, upper(d, 2), 1))); \
    }

LONG_SUM(uaddl, LANE_ADD, spread)
LONG_SUM(saddl, LANE_ADD, spread_signed)
LONG_SUM(usubl, LANE_SUB, spread)
LONG_SUM(ssubl, LANE_SUB, spread_signed)
WIDE_SUM(uaddw, LANE_ADD, spread)
WIDE_SUM(saddw, LANE_ADD, spread_signed)
WIDE_SUM(usubw, LANE_SUB, spread)
WIDE_SUM(ssubw, LANE_SUB, spread_signed)

/* -- long products -- */

enum half { LOWER, UPPER };

static val half_of(struct machine *m, const struct decoded *d, int n, enum half half)
{
    val a = read(m, d, n);
    return bits_of(d, n) == 64 ? a : field(m, 64, a, half == UPPER ? 64 : 0, 64);
}

static val product_of(struct machine *m, const struct decoded *d, enum wide_op op, enum half half,
                      val b)
{
    return m->domain->widen_multiply(m->domain, op, 128, lane_of(d, 1), half_of(m, d, 1, half), b);
}

/* The lane of operand 2 that operand 3 names, WIDTH / lane times. */
static val lane_splat(struct machine *m, const struct decoded *d, int width)
{
    return spread(m, read(m, d, 2), 128, lane_of(d, 2), imm(d, 3), 0, width, lane_of(d, 2));
}

#define LONG_PRODUCT(name, op)                                                         \
    MEANING(name) { write(m, d, 0, product_of(m, d, op, LOWER, half_of(m, d, 2, LOWER))); } \
    MEANING(name##2) { write(m, d, 0, product_of(m, d, op, UPPER, half_of(m, d, 2, UPPER))); }
#define LONG_ACCUMULATE(name, op, sum)                                                 \
    MEANING(name)                                                                      \
    {                                                                                  \
        write(m, d, 0, accumulate(m, d, sum, product_of(m, d, op, LOWER, half_of(m, d, 2, LOWER)))); \
    }                                                                                  \
    MEANING(name##2)                                                                   \
    {                                                                                  \
        write(m, d, 0, accumulate(m, d, sum, product_of(m, d, op, UPPER, half_of(m, d, 2, UPPER)))); \
    }
#define LONG_LANE(name, op)                                                            \
    MEANING(name##_lane) { write(m, d, 0, product_of(m, d, op, LOWER, lane_splat(m, d, 64))); } \
    MEANING(name##2_lane) { write(m, d, 0, product_of(m, d, op, UPPER, lane_splat(m, d, 64))); }
#define LONG_ACCUMULATE_LANE(name, op, sum)                                            \
    MEANING(name##_lane)                                                               \
    {                                                                                  \
        write(m, d, 0, accumulate(m, d, sum, product_of(m, d, op, LOWER, lane_splat(m, d, 64)))); \
    }                                                                                  \
    MEANING(name##2_lane)                                                              \
    {                                                                                  \
        write(m, d, 0, accumulate(m, d, sum, product_of(m, d, op, UPPER, lane_splat(m, d, 64)))); \
    }

LONG_PRODUCT(umull, WIDE_UMUL)
LONG_PRODUCT(smull, WIDE_SMUL)
LONG_PRODUCT(pmull, WIDE_PMUL)
LONG_ACCUMULATE(umlal, WIDE_UMUL, LANE_ADD)
LONG_ACCUMULATE(smlal, WIDE_SMUL, LANE_ADD)
LONG_ACCUMULATE(umlsl, WIDE_UMUL, LANE_SUB)
LONG_ACCUMULATE(smlsl, WIDE_SMUL, LANE_SUB)
LONG_LANE(umull, WIDE_UMUL)
LONG_LANE(smull, WIDE_SMUL)
LONG_ACCUMULATE_LANE(umlal, WIDE_UMUL, LANE_ADD)
LONG_ACCUMULATE_LANE(smlal, WIDE_SMUL, LANE_ADD)
LONG_ACCUMULATE_LANE(umlsl, WIDE_UMUL, LANE_SUB)
LONG_ACCUMULATE_LANE(smlsl, WIDE_SMUL, LANE_SUB)

/* By element, one width. */
static val lane_product(struct machine *m, const struct decoded *d)
{
    return v_product(m, d, lane_splat(m, d, bits_of(d, 0)));
}

MEANING(v_mul_lane) { write(m, d, 0, lane_product(m, d)); }
MEANING(mla_lane)   { write(m, d, 0, accumulate(m, d, LANE_ADD, lane_product(m, d))); }
MEANING(mls_lane)   { write(m, d, 0, accumulate(m, d, LANE_SUB, lane_product(m, d))); }
