/* term.h: symbolic values in normal form.
 *
 * A term is an operation over terms, constants and inputs, hash-consed: equal
 * normal forms are one term, so equality is `==`. The constructors are the
 * operations of domain.h; each brings its result into normal form:
 *
 *   moved bits   constant shifts, permutations, fields, inserts, constant
 *                tables, masks of whole bits: one concatenation of pieces
 *                (term, low bit, count), pieces merged, concatenations seen through
 *   XOR          flat, sorted, modulo 2, one constant; NOT is XOR with ones
 *   AND, OR      flat, sorted, idempotent; disjoint OR/XOR is concatenation
 *   sums         per lane, coefficients modulo 2^lane, one constant; NOT b is -b - 1
 *   carry        C(a, b, c), symmetric in a and b, constants normalised,
 *                C(c, ~0, 0) = c for a flag c
 *   choice       csel, masks of a flag and XOR swaps: one CHOOSE per flag
 *   AES          a function of state XOR key
 *   multiply     operands sorted, by a constant a coefficient
 *
 * What no rule covers stays an uninterpreted operation over normal forms: two
 * such terms are equal when built alike. A rule may lose a proof, never make a
 * wrong one: every term carries its value under SAMPLES assignments of the
 * inputs, and every operation asserts that its result has the value which the
 * operation gives on its operands' values, whatever rewriting went on between.
 */
#ifndef KGEN_VERIFY_TERM_H
#define KGEN_VERIFY_TERM_H

#include "base/text.h"
#include "verify/bits.h"
#include "verify/domain.h"

enum term_op {
    TERM_CONST, TERM_INPUT,
    TERM_CAT,                   /* pieces, lowest first */
    TERM_XOR, TERM_AND, TERM_OR,
    TERM_SUM,                   /* lane; coefficients and a constant */
    TERM_LANES,                 /* sub = enum lane_op, lane */
    TERM_WIDE,                  /* sub = enum wide_op, lane */
    TERM_TABLE,                 /* args: tables, index, otherwise */
    TERM_CARRY, TERM_OVERFLOW, TERM_IS_ZERO, TERM_HIGH,
    TERM_CHOOSE, TERM_CRYPTO
};

/* Assignment 0 gives an input pseudo-random bits, assignment 1 an edge word
 * (0, 1, 2^(n-1), all ones), assignment 2 zeros. */
enum { SAMPLES = 3 };

struct piece { val term; uint16_t lo, n; };     /* n bits of term from bit lo */

struct term {
    uint8_t op, sub, width, lane;
    bool secret;                /* some input in it is */
    bool is_public;             /* INPUT: whoever calls knows it */
    uint8_t depth;              /* of choices in each other; 0: no choice */
    uint16_t count;             /* arguments, pieces or addends */
    int imm;
    struct bits possible;       /* the bits that may be one */
    struct bits constant;       /* CONST; XOR: the constant operand; SUM: per-lane constant */
    struct bits sample[SAMPLES];
    union {
        val *arg;
        struct piece *piece;
        struct addend { val term; uint64_t factor; } *addend;
    } of;
    const char *name;           /* INPUT */
    int64_t index;
};

/* Starts an empty term store, in an arena of its own; every val of an older one
 * is invalid. */
void term_reset(void);
const struct term *term_get(val t);
int term_count(void);

/* Results of operations done in this store, as long as they are remembered: the
 * cases of one proof compute mostly the same. `what` is the operation with all
 * that is not an operand packed into it (TERM_KEY); 0 when it is not known. */
struct term_key { uint64_t what; val a, b, c; };
#define TERM_KEY(operation, sub, width, lane, amount, ...)                      \
    (struct term_key){ (uint64_t)(operation) << 40 | (uint64_t)(sub) << 32 |      \
                       (uint64_t)(width) << 16 | (uint64_t)(lane) << 8 |          \
                       (uint64_t)(amount), __VA_ARGS__ }
val term_recall(struct term_key key);
val term_remember(struct term_key key, val result);

val term_constant(int width, struct bits v);
/* The symbol that is called NAME, or NAME[index] ("key.rd_key[1]"): the same
 * each time, so that the cases of one proof share their terms. */
enum input_kind { INPUT_SECRET, INPUT_PUBLIC, INPUT_ANYTHING /* no secret, but nothing may depend on it */ };
enum { NO_INDEX = -1 };
val term_input(int width, const char *name, int64_t index, enum input_kind kind);
/* The same in two steps, for many symbols of one name. */
int term_name(const char *name);
val term_symbol(int width, int name, int64_t index, enum input_kind kind);
bool term_is_constant(val t, struct bits *out);

/* The operations of domain.h on terms. */
val term_lanes(enum lane_op op, int width, int lane, val a, val b);
val term_shift(enum shift_op op, int width, int lane, val a, int amount);
val term_widen_multiply(enum wide_op op, int width, int lane, val a, val b);
val term_permute(int result_bytes, int source_count, int source_bytes, const val *source,
                 const uint8_t *from);
val term_table(int result_bytes, int count, const val *tables, val index, val otherwise);
val term_field(int width, val a, int lo, int n, bool is_signed);
val term_insert(int width, val a, val b, int lo, int n);
val term_carry(int width, val a, val b, val c);
val term_overflow(int width, val a, val b, val c);
val term_is_zero(int width, val a);
val term_add_carry(int width, val a, val b, val c);
val term_multiply_high(bool is_signed, val a, val b);
val term_choose(int width, val c, val a, val b);
val term_crypto(enum crypto_op op, val a, val b, val c);
/* A width-bit term of pieces, lowest first. */
val term_cat(int width, const struct piece *pieces, int n);

/* The term that operand i of an operation is (a piece's, an addend's). */
val term_operand(const struct term *t, int i);

void term_print(struct text *out, val t, int depth);
/* While two different terms are one operation that differs in one operand, they
 * are replaced by that operand: what remains is where they part. */
void term_narrow(val *a, val *b);

#endif
