/* term_store.h: what the files of the term domain share: interning and the
 * constructors of single normal forms. Not for users of term.h. */
#ifndef KGEN_VERIFY_TERM_STORE_H
#define KGEN_VERIFY_TERM_STORE_H

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "verify/term.h"

/* How many times the store was begun: whoever keeps terms compares it. */
unsigned term_generation(void);
/* The term equal to *t, made when it is new; its samples are computed from its
 * arguments'. Arrays in *t are copied. */
val term_intern(struct term *t);

static inline struct bits ones(int width)
{
    struct bits b;
    b.v[0] = width >= 64 ? ~0ull : (1ull << width) - 1;
    b.v[1] = width <= 64 ? 0 : width == 128 ? ~0ull : (1ull << (width - 64)) - 1;
    return b;
}

static inline struct bits bits_and(struct bits a, struct bits b)
{
    return (struct bits){ { a.v[0] & b.v[0], a.v[1] & b.v[1] } };
}

static inline struct bits bits_or(struct bits a, struct bits b)
{
    return (struct bits){ { a.v[0] | b.v[0], a.v[1] | b.v[1] } };
}

static inline struct bits bits_xor(struct bits a, struct bits b)
{
    return (struct bits){ { a.v[0] ^ b.v[0], a.v[1] ^ b.v[1] } };
}

/* v shifted left by n bits, within 128. */
static inline struct bits bits_left(struct bits v, int n)
{
    if (n >= 64)
        return (struct bits){ { 0, n == 128 ? 0 : v.v[0] << (n - 64) } };
    return n == 0 ? v : (struct bits){ { v.v[0] << n, v.v[1] << n | v.v[0] >> (64 - n) } };
}

static inline bool bit_at(struct bits a, int i) { return a.v[i / 64] >> (i % 64) & 1; }

static inline val term_zero(int width) { return term_constant(width, (struct bits){ { 0, 0 } }); }
static inline val term_ones(int width) { return term_constant(width, ones(width)); }

/* XOR, AND, OR and NOT in normal form. */
val term_xor(int width, val a, val b);
val term_and(int width, val a, val b);
val term_or(int width, val a, val b);
val term_not(int width, val a);
/* Is t the flag c extended by zeros, or the flag repeated in every bit? Gives c. */
bool term_is_extended_flag(val t, val *c);
bool term_is_mask(val t, val *c);

/* What the operation gives on values of its operands; not for inputs. */
struct bits term_value(const struct term *t, const struct bits *operand);
/* The same operation on other operands; not for constants and inputs. */
val term_rebuild(const struct term *t, const val *operand);
/* a sum of addends in every lane */
val term_sum(int width, int lane, struct bits constant, const struct addend *at, int n);
/* Asserts that `result` has the value `expected` under sample i. */
void term_expect(val result, int i, struct bits expected);

#endif
