/* bits.c: the operations of domain.h on known bits.
 *
 * Pure functions from bits to bits, in portable C (no 128-bit type). Bits above
 * a value's width are zero on entry and on return. Lane operations go through
 * one function of one lane each; whole-register moves through bit or byte
 * arrays. The cryptographic functions are in bits_crypto.c.
 */
#include "verify/bits.h"

#include <assert.h>
#include <stddef.h>

static uint64_t low_mask(int n)
{
    assert(n >= 0 && n <= 64);
    return n == 0 ? 0 : ~0ull >> (64 - n);
}

static struct bits keep(struct bits a, int width)
{
    if (width <= 64) {
        a.v[0] &= low_mask(width);
        a.v[1] = 0;
    } else {
        a.v[1] &= low_mask(width - 64);
    }
    return a;
}

static struct bits shift_right(struct bits a, int n)
{
    assert(n >= 0 && n <= 128);
    if (n == 0)
        return a;
    if (n >= 64)
        return (struct bits){ { n == 128 ? 0 : a.v[1] >> (n - 64), 0 } };
    return (struct bits){ { a.v[0] >> n | a.v[1] << (64 - n), a.v[1] >> n } };
}

static struct bits shift_left(struct bits a, int n)
{
    assert(n >= 0 && n <= 128);
    if (n == 0)
        return a;
    if (n >= 64)
        return (struct bits){ { 0, n == 128 ? 0 : a.v[0] << (n - 64) } };
    return (struct bits){ { a.v[0] << n, a.v[1] << n | a.v[0] >> (64 - n) } };
}

static uint64_t get_lane(struct bits a, int lane, int i)
{
    int at = lane * i;
    return a.v[at / 64] >> (at % 64) & low_mask(lane);
}

static void set_lane(struct bits *a, int lane, int i, uint64_t value)
{
    int at = lane * i;
    a->v[at / 64] &= ~(low_mask(lane) << (at % 64));
    a->v[at / 64] |= (value & low_mask(lane)) << (at % 64);
}

static int64_t sign_extend(uint64_t a, int bits)
{
    uint64_t sign = 1ull << (bits - 1);
    return (int64_t)((a ^ sign) - sign);
}

/* -- one lane -- */

static uint64_t reverse_bits(uint64_t a, int bits)
{
    uint64_t r = 0;
    for (int i = 0; i < bits; i++)
        r |= (a >> i & 1) << (bits - 1 - i);
    return r;
}

static uint64_t leading_zeros(uint64_t a, int bits)
{
    uint64_t n = 0;
    while (n < (uint64_t)bits && (a >> ((uint64_t)bits - 1 - n) & 1) == 0)
        n++;
    return n;
}

/* Bits after the sign that equal it. */
static uint64_t leading_signs(uint64_t a, int bits)
{
    uint64_t changes = (a ^ a >> 1) & low_mask(bits - 1);
    return leading_zeros(changes, bits - 1);
}

static uint64_t count_ones(uint64_t a)
{
    uint64_t n = 0;
    for (; a != 0; a &= a - 1)
        n++;
    return n;
}

static uint64_t one_operand(enum lane_op op, int lane, uint64_t a)
{
    switch (op) {
    case LANE_NOT:
        return ~a;
    case LANE_NEG:
        return 0 - a;
    case LANE_ABS:
        return sign_extend(a, lane) < 0 ? 0 - a : a;
    case LANE_CLZ:
        return leading_zeros(a, lane);
    case LANE_CLS:
        return leading_signs(a, lane);
    case LANE_CNT:
        return count_ones(a);
    case LANE_RBIT:
        return reverse_bits(a, lane);
    default:
        assert(0 && "not an operation of one operand");
        return 0;
    }
}

static uint64_t rotate_right(uint64_t a, int bits, int n)
{
    return n == 0 ? a : (a >> n | a << (bits - n)) & low_mask(bits);
}

static uint64_t shift_lane(enum shift_op op, int lane, uint64_t a, int n)
{
    assert(n >= 0 && n <= lane);
    switch (op) {
    case SHIFT_LSL:
        return n == 64 ? 0 : a << n;
    case SHIFT_LSR:
        return n == 64 ? 0 : a >> n;
    case SHIFT_ASR: {
        uint64_t extended = (uint64_t)sign_extend(a, lane);
        uint64_t ones = (extended >> 63) != 0 ? ~0ull : 0;
        return n == 64 ? ones : n == 0 ? extended : extended >> n | ones << (64 - n);
    }
    case SHIFT_ROR:
        return rotate_right(a, lane, n % lane);
    }
    assert(0 && "not a shift");
    return 0;
}

/* ushl, sshl (Arm ARM C7.2): left by the signed low byte of b, right when negative. */
static uint64_t shift_by_signed(bool is_signed, int lane, uint64_t a, uint64_t b)
{
    int n = (int)sign_extend(b & 0xff, 8);
    if (n >= 0)
        return n >= lane ? 0 : a << n;
    if (n <= -lane)
        return is_signed ? shift_lane(SHIFT_ASR, lane, a, lane) : 0;
    return shift_lane(is_signed ? SHIFT_ASR : SHIFT_LSR, lane, a, -n);
}

/* The carry-less product of two lanes of at most 64 bits. */
static struct bits carryless(uint64_t a, uint64_t b, int bits)
{
    struct bits r = { { 0, 0 } }, wide = { { a, 0 } };
    for (int i = 0; i < bits; i++) {
        if ((b >> i & 1) != 0) {
            struct bits s = shift_left(wide, i);
            r.v[0] ^= s.v[0];
            r.v[1] ^= s.v[1];
        }
    }
    return r;
}

static uint64_t divide(bool is_signed, int lane, uint64_t a, uint64_t b)
{
    if (b == 0)
        return 0;
    if (!is_signed)
        return a / b;
    int64_t n = sign_extend(a, lane), d = sign_extend(b, lane);
    return d == -1 ? 0 - (uint64_t)n : (uint64_t)(n / d);
}

static uint64_t all_ones_if(bool condition)
{
    return condition ? ~0ull : 0;
}

static uint64_t compare(enum lane_op op, int lane, uint64_t a, uint64_t b)
{
    int64_t sa = sign_extend(a, lane), sb = sign_extend(b, lane);
    switch (op) {
    case LANE_UMAX: return a > b ? a : b;
    case LANE_UMIN: return a < b ? a : b;
    case LANE_SMAX: return sa > sb ? a : b;
    case LANE_SMIN: return sa < sb ? a : b;
    case LANE_EQ:   return all_ones_if(a == b);
    case LANE_GT_S: return all_ones_if(sa > sb);
    case LANE_GE_S: return all_ones_if(sa >= sb);
    case LANE_GT_U: return all_ones_if(a > b);
    case LANE_GE_U: return all_ones_if(a >= b);
    case LANE_TEST: return all_ones_if((a & b) != 0);
    default:
        assert(0 && "not a comparison");
        return 0;
    }
}

static uint64_t two_operands(enum lane_op op, int lane, uint64_t a, uint64_t b)
{
    int n = (int)(b % (uint64_t)lane);
    switch (op) {
    case LANE_ADD:  return a + b;
    case LANE_SUB:  return a - b;
    case LANE_MUL:  return a * b;
    case LANE_AND:  return a & b;
    case LANE_OR:   return a | b;
    case LANE_XOR:  return a ^ b;
    case LANE_PMUL: return carryless(a, b, lane).v[0];
    case LANE_UDIV: return divide(false, lane, a, b);
    case LANE_SDIV: return divide(true, lane, a, b);
    case LANE_USHL: return shift_by_signed(false, lane, a, b);
    case LANE_SSHL: return shift_by_signed(true, lane, a, b);
    case LANE_LSLV: return shift_lane(SHIFT_LSL, lane, a, n);
    case LANE_LSRV: return shift_lane(SHIFT_LSR, lane, a, n);
    case LANE_ASRV: return shift_lane(SHIFT_ASR, lane, a, n);
    case LANE_RORV: return shift_lane(SHIFT_ROR, lane, a, n);
    default:
        return compare(op, lane, a, b);
    }
}

/* -- all lanes -- */

/* Logic has no lanes: whole words, so that a lane may be 128 bits. */
static bool logic(enum lane_op op, int width, struct bits a, struct bits b, struct bits *r)
{
    for (int i = 0; i < 2; i++) {
        switch (op) {
        case LANE_NOT: r->v[i] = ~a.v[i]; break;
        case LANE_AND: r->v[i] = a.v[i] & b.v[i]; break;
        case LANE_OR:  r->v[i] = a.v[i] | b.v[i]; break;
        case LANE_XOR: r->v[i] = a.v[i] ^ b.v[i]; break;
        default:
            return false;
        }
    }
    *r = keep(*r, width);
    return true;
}

struct bits bits_lanes(enum lane_op op, int width, int lane, struct bits a, struct bits b)
{
    struct bits r = { { 0, 0 } };
    if (logic(op, width, a, b, &r))
        return r;
    assert(lane <= 64 && width % lane == 0);
    for (int i = 0; i < width / lane; i++) {
        uint64_t x = get_lane(a, lane, i);
        set_lane(&r, lane, i, op <= LANE_RBIT ? one_operand(op, lane, x)
                                              : two_operands(op, lane, x, get_lane(b, lane, i)));
    }
    return r;
}

struct bits bits_shift(enum shift_op op, int width, int lane, struct bits a, int amount)
{
    struct bits r = { { 0, 0 } };
    assert(lane <= 64 && width % lane == 0);
    for (int i = 0; i < width / lane; i++)
        set_lane(&r, lane, i, shift_lane(op, lane, get_lane(a, lane, i), amount));
    return r;
}

/* 64 x 64 -> 128 by halves. */
static struct bits multiply_unsigned(uint64_t a, uint64_t b)
{
    uint64_t al = a & 0xffffffff, ah = a >> 32, bl = b & 0xffffffff, bh = b >> 32;
    uint64_t low = al * bl, cross = ah * bl + (low >> 32), other = al * bh + (cross & 0xffffffff);
    return (struct bits){ { (other << 32) | (low & 0xffffffff),
                            ah * bh + (cross >> 32) + (other >> 32) } };
}

struct bits bits_widen_multiply(enum wide_op op, int width, int lane, struct bits a, struct bits b)
{
    struct bits r = { { 0, 0 } };
    if (lane == 64) {
        assert(width == 128);
        if (op == WIDE_PMUL)
            return carryless(a.v[0], b.v[0], 64);
        r = multiply_unsigned(a.v[0], b.v[0]);
        if (op == WIDE_SMUL)
            r.v[1] = bits_multiply_high(true, a, b).v[0];
        return r;
    }
    for (int i = 0; i < width / (2 * lane); i++) {
        uint64_t x = get_lane(a, lane, i), y = get_lane(b, lane, i);
        uint64_t product = op == WIDE_PMUL ? carryless(x, y, lane).v[0]
                         : op == WIDE_UMUL ? x * y
                         : (uint64_t)(sign_extend(x, lane) * sign_extend(y, lane));
        set_lane(&r, 2 * lane, i, product);
    }
    return r;
}

struct bits bits_multiply_high(bool is_signed, struct bits a, struct bits b)
{
    uint64_t high = multiply_unsigned(a.v[0], b.v[0]).v[1];
    if (is_signed) {
        high -= (a.v[0] >> 63) != 0 ? b.v[0] : 0;
        high -= (b.v[0] >> 63) != 0 ? a.v[0] : 0;
    }
    return (struct bits){ { high, 0 } };
}

/* -- bytes -- */

struct bits bits_permute(int result_bytes, int source_count, int source_bytes,
                         const struct bits *source, const uint8_t *from)
{
    struct bits r = { { 0, 0 } };
    for (int i = 0; i < result_bytes; i++) {
        if (from[i] == PERMUTE_ZERO)
            continue;
        assert(from[i] < source_count * source_bytes);
        set_lane(&r, 8, i, get_lane(source[from[i] / source_bytes], 8, from[i] % source_bytes));
    }
    return r;
}

struct bits bits_table(int result_bytes, int count, const struct bits *tables, struct bits index,
                       struct bits otherwise)
{
    struct bits r = { { 0, 0 } };
    for (int i = 0; i < result_bytes; i++) {
        uint64_t at = get_lane(index, 8, i);
        set_lane(&r, 8, i, at < 16 * (uint64_t)count ? get_lane(tables[at / 16], 8, (int)(at % 16))
                                                     : get_lane(otherwise, 8, i));
    }
    return r;
}

/* -- bit fields -- */

struct bits bits_field(int width, struct bits a, int lo, int n, bool is_signed)
{
    assert(n >= 1 && n <= width && width <= 128);
    struct bits r = keep(shift_right(a, lo), n);
    bool negative = is_signed && (shift_right(r, n - 1).v[0] & 1) != 0;
    if (negative) {
        struct bits ones = shift_left((struct bits){ { ~0ull, ~0ull } }, n);
        r.v[0] |= ones.v[0];
        r.v[1] |= ones.v[1];
    }
    return keep(r, width);
}

struct bits bits_insert(int width, struct bits a, struct bits b, int lo, int n)
{
    assert(lo >= 0 && n >= 0 && lo + n <= width);
    struct bits mask = shift_left(keep((struct bits){ { ~0ull, ~0ull } }, n), lo);
    struct bits moved = shift_left(b, lo);
    for (int i = 0; i < 2; i++)
        a.v[i] = (a.v[i] & ~mask.v[i]) | (moved.v[i] & mask.v[i]);
    return keep(a, width);
}

/* -- sums with flags; width is 32 or 64 -- */

struct bits bits_add_carry(int width, struct bits a, struct bits b, bool c)
{
    return keep((struct bits){ { a.v[0] + b.v[0] + c, 0 } }, width);
}

bool bits_carry(int width, struct bits a, struct bits b, bool c)
{
    if (width < 64)
        return (a.v[0] + b.v[0] + c) >> width != 0;
    uint64_t sum = a.v[0] + b.v[0];
    return sum < a.v[0] || (c && sum == ~0ull);
}

bool bits_overflow(int width, struct bits a, struct bits b, bool c)
{
    uint64_t sum = bits_add_carry(width, a, b, c).v[0];
    return ((a.v[0] ^ sum) & (b.v[0] ^ sum)) >> (width - 1) != 0;
}
