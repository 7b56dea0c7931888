/* imm.c: which immediates an instruction can encode.
 *
 * Takes a range of a row and a value, says whether it fits, and describes the
 * range for messages. Ranges that are an interval with a step, or a short list,
 * are rows of a table; only the bitmask immediate needs an algorithm.
 * Does not: know instructions.
 */
#include "isa/isa.h"

#include <assert.h>
#include <string.h>

struct range_row {
    int64_t lo, hi, step;       /* lo, lo + step, … hi */
    const char *describe;
};

static const struct range_row ranges[RANGE_COUNT] = {
    [RANGE_NONE] = { 0, -1, 1, "nothing" },
    [RANGE_U1] = { 0, 1, 1, "between 0 and 1" },
    [RANGE_U2] = { 0, 3, 1, "between 0 and 3" },
    [RANGE_U3] = { 0, 7, 1, "between 0 and 7" },
    [RANGE_U4] = { 0, 15, 1, "between 0 and 15" },
    [RANGE_U5] = { 0, 31, 1, "between 0 and 31" },
    [RANGE_U6] = { 0, 63, 1, "between 0 and 63" },
    [RANGE_U12] = { 0, 4095, 1, "between 0 and 4095" },
    [RANGE_U12_SHIFT12] = { 0, 4095 * 4096, 4096, "a multiple of 4096 between 0 and 16773120" },
    [RANGE_U16] = { 0, 65535, 1, "between 0 and 65535" },
    [RANGE_SHIFT16_X] = { 0, 48, 16, "0, 16, 32 or 48" },
    [RANGE_SHIFT16_W] = { 0, 16, 16, "0 or 16" },
    [RANGE_LOGICAL_X] = { 0, -1, 1, "a 64-bit bitmask: a rotated run of ones, repeated" },
    [RANGE_LOGICAL_W] = { 0, -1, 1, "a 32-bit bitmask: a rotated run of ones, repeated" },
    [RANGE_LSL_8] = { 0, 7, 1, "between 0 and 7" },
    [RANGE_LSL_16] = { 0, 15, 1, "between 0 and 15" },
    [RANGE_LSL_32] = { 0, 31, 1, "between 0 and 31" },
    [RANGE_LSL_64] = { 0, 63, 1, "between 0 and 63" },
    [RANGE_LSR_8] = { 1, 8, 1, "between 1 and 8" },
    [RANGE_LSR_16] = { 1, 16, 1, "between 1 and 16" },
    [RANGE_LSR_32] = { 1, 32, 1, "between 1 and 32" },
    [RANGE_LSR_64] = { 1, 64, 1, "between 1 and 64" },
    [RANGE_SHIFT_32] = { 1, 31, 1, "between 1 and 31" },
    [RANGE_SHIFT_64] = { 1, 63, 1, "between 1 and 63" },
    [RANGE_LSL_EXT] = { 0, 4, 1, "between 0 and 4" },
    [RANGE_WIDTH_X] = { 1, 64, 1, "between 1 and 64" },
    [RANGE_WIDTH_W] = { 1, 32, 1, "between 1 and 32" },
    [RANGE_U8] = { 0, 255, 1, "between 0 and 255" },
    [RANGE_SHIFT8_H] = { 0, 8, 8, "0 or 8" },
    [RANGE_SHIFT8_S] = { 0, 24, 8, "0, 8, 16 or 24" },
    [RANGE_MSL] = { 8, 16, 8, "8 or 16" },
    [RANGE_BYTE_MASK_64] = { 0, -1, 1, "eight bytes of 0x00 or 0xff" },
    [RANGE_OFF_B] = { 0, 4095, 1, "between 0 and 4095" },
    [RANGE_OFF_H] = { 0, 4095 * 2, 2, "a multiple of 2 between 0 and 8190" },
    [RANGE_OFF_W] = { 0, 4095 * 4, 4, "a multiple of 4 between 0 and 16380" },
    [RANGE_OFF_X] = { 0, 4095 * 8, 8, "a multiple of 8 between 0 and 32760" },
    [RANGE_OFF_Q] = { 0, 4095 * 16, 16, "a multiple of 16 between 0 and 65520" },
    [RANGE_S9] = { -256, 255, 1, "between -256 and 255" },
    [RANGE_PAIR_W] = { -64 * 4, 63 * 4, 4, "a multiple of 4 between -256 and 252" },
    [RANGE_PAIR_X] = { -64 * 8, 63 * 8, 8, "a multiple of 8 between -512 and 504" },
    [RANGE_PAIR_Q] = { -64 * 16, 63 * 16, 16, "a multiple of 16 between -1024 and 1008" },
    [RANGE_INDEX_SHIFT_0] = { 0, 0, 1, "0" },
    [RANGE_INDEX_SHIFT_1] = { 0, 1, 1, "0 or 1" },
    [RANGE_INDEX_SHIFT_2] = { 0, 2, 2, "0 or 2" },
    [RANGE_INDEX_SHIFT_3] = { 0, 3, 3, "0 or 3" },
    [RANGE_INDEX_SHIFT_4] = { 0, 4, 4, "0 or 4" },
    [RANGE_EXACT_1] = { 1, 1, 1, "1" },
    [RANGE_EXACT_2] = { 2, 2, 1, "2" },
    [RANGE_EXACT_4] = { 4, 4, 1, "4" },
    [RANGE_EXACT_8] = { 8, 8, 1, "8" },
    [RANGE_EXACT_16] = { 16, 16, 1, "16" },
    [RANGE_EXACT_24] = { 24, 24, 1, "24" },
    [RANGE_EXACT_32] = { 32, 32, 1, "32" },
    [RANGE_EXACT_48] = { 48, 48, 1, "48" },
    [RANGE_EXACT_64] = { 64, 64, 1, "64" },
    [RANGE_NZCV] = { 0, 15, 1, "between 0 and 15" },
};

/* Arm ARM, DecodeBitMasks: an element of 2, 4, … bits, repeated, that is a
 * rotated run of ones, neither empty nor full. */
bool imm_is_logical(uint64_t value, int bits)
{
    assert(bits == 32 || bits == 64);
    if (bits == 32) {
        if (value >> 32 != 0)
            return false;
        value |= value << 32;
    }
    int size = 64;
    while (size > 2 && (value >> (size / 2) & (~0ull >> (64 - size / 2)))
                           == (value & (~0ull >> (64 - size / 2))))
        size /= 2;
    uint64_t ones = ~0ull >> (64 - size), element = value & ones;
    if (element == 0 || element == ones)
        return false;
    /* A rotated run has exactly two places where neighbouring bits differ. */
    uint64_t rotated = (element >> 1 | element << (size - 1)) & ones;
    return __builtin_popcountll(element ^ rotated) == 2;
}

static bool is_byte_mask(uint64_t value)
{
    return value == (value & 0x0101010101010101u) * 0xff;
}

bool imm_fits(enum imm_range range, int64_t value)
{
    assert(range < RANGE_COUNT);
    switch (range) {
    case RANGE_LOGICAL_X:
        return imm_is_logical((uint64_t)value, 64);
    case RANGE_LOGICAL_W:
        return imm_is_logical((uint64_t)value, 32);
    case RANGE_BYTE_MASK_64:
        return is_byte_mask((uint64_t)value);
    default:
        break;
    }
    const struct range_row *row = &ranges[range];
    return value >= row->lo && value <= row->hi && (value - row->lo) % row->step == 0;
}

const char *imm_describe(enum imm_range range)
{
    assert(range < RANGE_COUNT);
    return ranges[range].describe;
}
