/* domain.h: what a value is while code runs.
 *
 * The executor runs machine code, and the reference walks the typed tree, over
 * one of several domains: bytes (a simulator), terms (a symbolic executor) and
 * labels (public or secret). A domain says what the few operations below do;
 * the meaning of every instruction (isa/mean*.c) is written once, against
 * them. They are register-wide on purpose: a 128-bit XOR is one term, not 128.
 *
 * A value has a width in bits: 1 (a flag), 8, 16, 32, 64 or 128. Lanes are
 * numbered from the low end; byte 0 is the lowest.
 */
#ifndef KGEN_VERIFY_DOMAIN_H
#define KGEN_VERIFY_DOMAIN_H

#include <stdbool.h>
#include <stdint.h>

/* Opaque; 0 is never a value. */
typedef uint32_t val;

/* Operations on all lanes of `lane` bits each. */
enum lane_op {
    /* one operand */
    LANE_NOT, LANE_NEG, LANE_ABS, LANE_CLZ, LANE_CLS, LANE_CNT, LANE_RBIT /* bits of each lane reversed */,
    /* two operands */
    LANE_ADD, LANE_SUB, LANE_MUL, LANE_AND, LANE_OR, LANE_XOR,
    LANE_UMAX, LANE_UMIN, LANE_SMAX, LANE_SMIN,
    LANE_EQ, LANE_GT_S, LANE_GE_S, LANE_GT_U, LANE_GE_U, LANE_TEST, /* all ones or zero */
    LANE_PMUL,                          /* carry-less, low half */
    LANE_UDIV, LANE_SDIV,               /* 0 when the divisor is 0; public operands */
    LANE_USHL, LANE_SSHL,               /* ushl, sshl: by the signed low byte of b */
    LANE_LSLV, LANE_LSRV, LANE_ASRV, LANE_RORV /* by b modulo the lane's width */
};

enum shift_op { SHIFT_LSL, SHIFT_LSR, SHIFT_ASR, SHIFT_ROR };

/* Both operands have `lane`-bit lanes, the result has lanes of twice that. */
enum wide_op { WIDE_UMUL, WIDE_SMUL, WIDE_PMUL };

/* Whole-register cryptographic functions; the AES ones without the key XOR. */
enum crypto_op {
    CRYPTO_AES_SUB_SHIFT,       /* ShiftRows(SubBytes(a)), FIPS 197 5.1.1, 5.1.2 */
    CRYPTO_AES_INV_SUB_SHIFT, CRYPTO_AES_MIX, CRYPTO_AES_INV_MIX,
    CRYPTO_SHA1C, CRYPTO_SHA1P, CRYPTO_SHA1M, CRYPTO_SHA1H, CRYPTO_SHA1SU0, CRYPTO_SHA1SU1,
    CRYPTO_SHA256H, CRYPTO_SHA256H2, CRYPTO_SHA256SU0, CRYPTO_SHA256SU1,
    CRYPTO_SHA512H, CRYPTO_SHA512H2, CRYPTO_SHA512SU0, CRYPTO_SHA512SU1
};

enum { PERMUTE_ZERO = 0xff };

struct domain {
    const char *name;

    val (*constant)(struct domain *, int bits, const uint64_t v[2]);

    /* lanes; width = bits in all. b is 0 for one-operand operations. */
    val (*lanes)(struct domain *, enum lane_op, int width, int lane, val a, val b);
    val (*shift)(struct domain *, enum shift_op, int width, int lane, val a, int amount);
    val (*widen_multiply)(struct domain *, enum wide_op, int width, int lane, val a, val b);

    /* Byte i of the result is byte from[i] of the concatenation source[0] (low),
     * source[1], … (each `source_bytes` long), or zero for PERMUTE_ZERO. Serves
     * ext, zip, uzp, trn, rev, dup, ins, umov, moves, truncation, zero-extension
     * by whole bytes and concatenation. */
    val (*permute)(struct domain *, int result_bytes, int source_count, int source_bytes,
                   const val *source, const uint8_t *from);
    /* tbl/tbx with a run-time index: byte i is table[index[i]], or when that is
     * out of range byte i of `otherwise` (0: zero). Tables are 16 bytes each. */
    val (*table)(struct domain *, int result_bytes, int count, const val *tables, val index,
                 val otherwise);

    /* Bits lo .. lo+n-1 of a, zero- or sign-extended to `width`. */
    val (*field)(struct domain *, int width, val a, int lo, int n, bool is_signed);
    /* a with bits lo .. lo+n-1 replaced by the low n bits of b. */
    val (*insert)(struct domain *, int width, val a, val b, int lo, int n);

    /* Flags of a + b + c (c is a 1-bit value): subtraction passes NOT b. */
    val (*carry)(struct domain *, int width, val a, val b, val c);
    val (*overflow)(struct domain *, int width, val a, val b, val c);
    val (*is_zero)(struct domain *, int width, val a);       /* 1 bit */
    /* a + b + c, with the one-bit c */
    val (*add_carry)(struct domain *, int width, val a, val b, val c);
    val (*multiply_high)(struct domain *, bool is_signed, val a, val b);   /* 64 bits */
    /* c (1 bit) ? a : b */
    val (*choose)(struct domain *, int width, val c, val a, val b);

    val (*crypto)(struct domain *, enum crypto_op, val a, val b, val c);

    /* Memory: the executor passes every access here, with its address. */
    val (*load)(struct domain *, val address, int bytes);
    void (*store)(struct domain *, val address, int bytes, val v);

    /* The number of a value that must be public: a branch condition, an
     * address, a count. False when it is not known: the run then stops with
     * the fault that the domain recorded. */
    bool (*number)(struct domain *, val a, uint64_t *out);

    /* From here on `a` is public, and number() may be asked for it and for what
     * follows from it. NULL when every value is known anyway. */
    void (*declassify)(struct domain *, val a);
    /* May `a` depend on a secret? NULL when the domain knows no secrets. */
    bool (*is_secret)(struct domain *, val a);

    /* Results of whole instructions, for a domain that keeps some: `what` is the
     * instruction, with all its arguments. 0 when it is not kept. NULL when it keeps none. */
    val (*recall)(struct domain *, int what, const val *args, int n);
    void (*remember)(struct domain *, int what, const val *args, int n, val result);

    /* Only these values are still in use; the domain may renumber them and drop
     * all others. NULL when it keeps every value. The executor calls it now and then. */
    void (*recycle)(struct domain *, val **live, int n);

    /* The stack, and the lowest byte of it that was accessed since the executor looked
     * last (NO_ADDRESS: none): what is below sp may be overwritten at any time. */
    uint64_t stack_low, stack_high, lowest;

    /* Why a load, a store or number() failed, in the arena; NULL while all is well. */
    const char *fault;
};

#define NO_ADDRESS (~(uint64_t)0)

/* For load and store of every domain. */
static inline void domain_touch(struct domain *d, uint64_t address)
{
    if (address >= d->stack_low && address < d->stack_high && address < d->lowest)
        d->lowest = address;
}

/* Said once, before code runs. */
static inline void domain_set_stack(struct domain *d, uint64_t low, uint64_t high)
{
    d->stack_low = low;
    d->stack_high = high;
    d->lowest = NO_ADDRESS;
}

#endif
