/* term_domain.c: see term_domain.h.
 *
 * The operations are term.h's constructors. What is known is computed at once;
 * everything else is remembered, because the cases of one proof, and both sides
 * of each, compute mostly the same.
 */
#include "verify/term_domain.h"

#include <string.h>

#include "verify/term_store.h"

static val on_constant(struct domain *d, int bits, const uint64_t v[2])
{
    (void)d;
    return term_constant(bits, (struct bits){ { v[0], bits > 64 ? v[1] : 0 } });
}

/* The result remembered under the key, or else computed now. */
#define REMEMBERED(key, computed)                                               \
    val known_result = term_recall(key);                                        \
    return known_result ? known_result : term_remember(key, computed)

/* Division takes as long as its operands say: a secret must not reach it. */
static val on_lanes(struct domain *d, enum lane_op op, int width, int lane, val a, val b)
{
    const struct term *x = term_get(a), *y = b ? term_get(b) : x;
    if (x->op == TERM_CONST && y->op == TERM_CONST)
        return term_constant(width, bits_lanes(op, width, lane, x->constant, b ? y->constant : ones(0)));
    if ((op == LANE_UDIV || op == LANE_SDIV) && (d->is_secret(d, a) || d->is_secret(d, b)))
        d->fault = "a division depends on a secret";
    struct term_key key = TERM_KEY(TERM_LANES, op, width, lane, 0, a, b, 0);
    REMEMBERED(key, term_lanes(op, width, lane, a, b));
}

static val on_shift(struct domain *d, enum shift_op op, int width, int lane, val a, int amount)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CAT, op, width, lane, amount, a, 0, 0);
    REMEMBERED(key, term_shift(op, width, lane, a, amount));
}

static val on_widen(struct domain *d, enum wide_op op, int width, int lane, val a, val b)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_WIDE, op, width, lane, 0, a, b, 0);
    REMEMBERED(key, term_widen_multiply(op, width, lane, a, b));
}

/* Which byte goes where is part of the key: as a constant. */
static val on_permute(struct domain *d, int bytes, int count, int source_bytes, const val *source,
                      const uint8_t *from)
{
    (void)d;
    struct bits moves = { { 0, 0 } };
    if (count > 2)
        return term_permute(bytes, count, source_bytes, source, from);
    for (int i = 0; i < bytes; i++)
        moves.v[i / 8] |= (uint64_t)from[i] << i % 8 * 8;
    struct term_key key = TERM_KEY(TERM_XOR, count, bytes, source_bytes, 0, source[0],
                                   count > 1 ? source[1] : 0, term_constant(128, moves));
    REMEMBERED(key, term_permute(bytes, count, source_bytes, source, from));
}

static val on_table(struct domain *d, int bytes, int count, const val *tables, val index, val otherwise)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_TABLE, 0, bytes, 0, 0, tables[0], index, otherwise);
    if (count > 1)
        return term_table(bytes, count, tables, index, otherwise);
    REMEMBERED(key, term_table(bytes, count, tables, index, otherwise));
}

static val on_field(struct domain *d, int width, val a, int lo, int n, bool is_signed)
{
    (void)d;
    const struct term *x = term_get(a);
    if (x->op == TERM_CONST)
        return term_constant(width, bits_field(width, x->constant, lo, n, is_signed));
    struct term_key key = TERM_KEY(TERM_INPUT, is_signed, width, lo, n, a, 0, 0);
    REMEMBERED(key, term_field(width, a, lo, n, is_signed));
}

static val on_insert(struct domain *d, int width, val a, val b, int lo, int n)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CONST, 0, width, lo, n, a, b, 0);
    REMEMBERED(key, term_insert(width, a, b, lo, n));
}

static val on_carry(struct domain *d, int width, val a, val b, val c)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CARRY, 0, width, 0, 0, a, b, c);
    REMEMBERED(key, term_carry(width, a, b, c));
}

static val on_overflow(struct domain *d, int width, val a, val b, val c)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_OVERFLOW, 0, width, 0, 0, a, b, c);
    REMEMBERED(key, term_overflow(width, a, b, c));
}

static val on_is_zero(struct domain *d, int width, val a)
{
    (void)d;
    const struct term *x = term_get(a);
    if (x->op == TERM_CONST)
        return term_constant(1, (struct bits){ { bits_is_zero(x->constant), 0 } });
    struct term_key key = TERM_KEY(TERM_IS_ZERO, 0, width, 0, 0, a, 0, 0);
    REMEMBERED(key, term_is_zero(width, a));
}

static val on_add_carry(struct domain *d, int width, val a, val b, val c)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_SUM, 0, width, 0, 0, a, b, c);
    REMEMBERED(key, term_add_carry(width, a, b, c));
}

static val on_multiply_high(struct domain *d, bool is_signed, val a, val b)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_HIGH, is_signed, 64, 0, 0, a, b, 0);
    REMEMBERED(key, term_multiply_high(is_signed, a, b));
}

static val on_choose(struct domain *d, int width, val c, val a, val b)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CHOOSE, 0, width, 0, 0, c, a, b);
    REMEMBERED(key, term_choose(width, c, a, b));
}

static val on_crypto(struct domain *d, enum crypto_op op, val a, val b, val c)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CRYPTO, op, 0, 0, 0, a, b, c);
    REMEMBERED(key, term_crypto(op, a, b, c));
}

/* Instructions have few arguments; one that has more is computed again. */
static bool insn_key(int what, const val *args, int n, struct term_key *key)
{
    *key = (struct term_key)TERM_KEY(TERM_CHOOSE, 1, what, n, 0, n > 0 ? args[0] : 0,
                                     n > 1 ? args[1] : 0, n > 2 ? args[2] : 0);
    return n <= 3;
}

static val on_recall(struct domain *d, int what, const val *args, int n)
{
    struct term_key key;
    (void)d;
    return insn_key(what, args, n, &key) ? term_recall(key) : 0;
}

/* A division of secrets must be refused each time. */
static void on_remember(struct domain *d, int what, const val *args, int n, val result)
{
    struct term_key key;
    if (!d->fault && insn_key(what, args, n, &key))
        term_remember(key, result);
}

/* -- what is public -- */

static struct term_domain *of(struct domain *d) { return (struct term_domain *)d; }

static void on_declassify(struct domain *d, val a) { ways_declassify(of(d)->ways, a); }

static bool on_is_secret(struct domain *d, val a) { return term_is_secret(of(d), a); }

static bool on_number(struct domain *d, val a, uint64_t *out)
{
    const struct term *term = term_get(a);
    if (term->op == TERM_CONST) {
        *out = term->constant.v[0];
        return true;
    }
    if (ways_number(of(d), a, out))
        return true;
    if (!d->fault)
        d->fault = "a branch, an address or a count depends on a secret";
    return false;
}

/* -- memory -- */

/* A fault of the memory is the domain's, told with where it was. */
static void pass_fault(struct term_domain *t)
{
    const struct cells *m = t->memory;
    if (m->fault && !t->domain.fault)
        t->domain.fault = mem_format("%s, at %s", m->fault, cells_describe(m, m->fault_address));
}

static val on_load(struct domain *d, val address, int bytes)
{
    struct term_domain *t = of(d);
    uint64_t at;
    if (!on_number(d, address, &at))
        return term_zero(bytes * 8);
    domain_touch(d, at);
    val v = cells_load(t->memory, at, bytes);
    pass_fault(t);
    return v;
}

static void on_store(struct domain *d, val address, int bytes, val v)
{
    struct term_domain *t = of(d);
    uint64_t at;
    if (!on_number(d, address, &at))
        return;
    domain_touch(d, at);
    cells_store(t->memory, at, bytes, v);
    pass_fault(t);
}

void term_domain_init(struct term_domain *d, struct cells *memory, struct ways *ways)
{
    *d = (struct term_domain){
        .domain = { .name = "terms", .constant = on_constant, .lanes = on_lanes, .shift = on_shift,
                    .widen_multiply = on_widen, .permute = on_permute, .table = on_table,
                    .field = on_field, .insert = on_insert, .carry = on_carry,
                    .overflow = on_overflow, .is_zero = on_is_zero, .add_carry = on_add_carry,
                    .multiply_high = on_multiply_high, .choose = on_choose, .crypto = on_crypto,
                    .recall = on_recall, .remember = on_remember,
                    .load = on_load, .store = on_store, .number = on_number,
                    .declassify = on_declassify, .is_secret = on_is_secret },
        .memory = memory,
        .ways = ways ? ways : NEW(struct ways),
    };
}
