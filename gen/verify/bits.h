/* bits.h: the operations of domain.h on known bits: pure functions.
 *
 * The byte domain (bytes.c) is these functions over a table of values; the
 * term domain (term*.c) uses them to fold constants and to re-evaluate every
 * rewrite of its normaliser on values. Bits above `width` are zero on entry
 * and on return.
 */
#ifndef KGEN_VERIFY_BITS_H
#define KGEN_VERIFY_BITS_H

#include "verify/domain.h"

struct bits { uint64_t v[2]; };         /* v[0] is the low half */

struct bits bits_lanes(enum lane_op op, int width, int lane, struct bits a, struct bits b);
struct bits bits_shift(enum shift_op op, int width, int lane, struct bits a, int amount);
struct bits bits_widen_multiply(enum wide_op op, int width, int lane, struct bits a, struct bits b);
struct bits bits_permute(int result_bytes, int source_count, int source_bytes,
                         const struct bits *source, const uint8_t *from);
struct bits bits_table(int result_bytes, int count, const struct bits *tables, struct bits index,
                       struct bits otherwise);
struct bits bits_field(int width, struct bits a, int lo, int n, bool is_signed);
struct bits bits_insert(int width, struct bits a, struct bits b, int lo, int n);
bool bits_carry(int width, struct bits a, struct bits b, bool c);
bool bits_overflow(int width, struct bits a, struct bits b, bool c);
struct bits bits_add_carry(int width, struct bits a, struct bits b, bool c);
struct bits bits_multiply_high(bool is_signed, struct bits a, struct bits b);
struct bits bits_crypto(enum crypto_op op, struct bits a, struct bits b, struct bits c);
static inline bool bits_is_zero(struct bits a) { return (a.v[0] | a.v[1]) == 0; }
static inline bool bits_equal(struct bits a, struct bits b) { return a.v[0] == b.v[0] && a.v[1] == b.v[1]; }

#endif
