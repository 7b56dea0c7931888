/* term_move.c: bits that only move: concatenations.
 *
 * Constant shifts, byte permutations, bit fields, inserts, sign extension and
 * tables with a constant index all become TERM_CAT: pieces (term, lowest bit,
 * count), lowest first. A piece of a concatenation is resolved into its pieces,
 * neighbours that continue each other are joined, constants are joined, a
 * piece that is a whole term of the whole width is that term. So moving bits
 * twice and moving them once is the same term.
 *
 * Does not: move a piece through XOR or a sum; a term taken apart and put
 * together again is whole, which is what kernels do.
 */
#include "verify/term_store.h"

enum { MAX_PIECES = 128 };

struct pieces { struct piece at[MAX_PIECES]; int n; };

static struct bits constant_bits(val t) { return term_get(t)->constant; }
static bool is_constant(val t) { return term_get(t)->op == TERM_CONST; }

static struct bits low_bits(struct bits v, int lo, int n)
{
    return bits_field(128, v, lo, n, false);
}

/* Two constant pieces as one. */
static struct piece join_constants(struct piece low, struct piece high)
{
    int n = low.n + high.n;
    struct bits v = low_bits(constant_bits(low.term), low.lo, low.n);
    struct bits w = low_bits(constant_bits(high.term), high.lo, high.n);
    v = bits_or(v, bits_left(w, low.n));
    return (struct piece){ term_constant(n, v), 0, (uint16_t)n };
}

static void append(struct pieces *out, struct piece p)
{
    if (p.n == 0)
        return;
    if (is_constant(p.term))
        p = (struct piece){ term_constant(p.n, low_bits(constant_bits(p.term), p.lo, p.n)), 0, p.n };
    struct piece *last = out->n ? &out->at[out->n - 1] : NULL;
    if (last && is_constant(last->term) && is_constant(p.term)) {
        *last = join_constants(*last, p);
    } else if (last && last->term == p.term && last->lo + last->n == p.lo) {
        last->n = (uint16_t)(last->n + p.n);
    } else {
        assert(out->n < MAX_PIECES);
        out->at[out->n++] = p;
    }
}

/* Appends bits lo .. lo+n-1 of t, seen through concatenations. */
static void append_piece(struct pieces *out, val t, int lo, int n)
{
    const struct term *term = term_get(t);
    assert(lo >= 0 && lo + n <= term->width);
    if (term->op != TERM_CAT) {
        append(out, (struct piece){ t, (uint16_t)lo, (uint16_t)n });
        return;
    }
    for (int i = 0, at = 0; i < term->count && n > 0; i++) {
        struct piece p = term_get(t)->of.piece[i];
        int skip = lo > at ? lo - at : 0;
        at += p.n;
        if (skip >= p.n)
            continue;
        int take = p.n - skip < n ? p.n - skip : n;
        append(out, (struct piece){ p.term, (uint16_t)(p.lo + skip), (uint16_t)take });
        n -= take;
        lo += take;
    }
}

/* One flag in every bit is the mask of that flag, a choice of ones or zero. */
static bool is_repeated_flag(const struct pieces *p)
{
    if (p->n < 2 || term_get(p->at[0].term)->width != 1)
        return false;
    for (int i = 1; i < p->n; i++)
        if (p->at[i].term != p->at[0].term)
            return false;
    return true;
}

static val finish(int width, const struct pieces *p)
{
    if (p->n == 1 && p->at[0].lo == 0 && p->at[0].n == term_get(p->at[0].term)->width)
        return p->at[0].term;
    if (is_repeated_flag(p))
        return term_choose(width, p->at[0].term, term_ones(width), term_zero(width));
    return term_intern(&(struct term){ .op = TERM_CAT, .width = (uint8_t)width,
                                       .count = (uint16_t)p->n,
                                       .of.piece = (struct piece *)p->at });
}

val term_cat(int width, const struct piece *pieces, int n)
{
    struct pieces out = { .n = 0 };
    int total = 0;
    for (int i = 0; i < n; i++) {
        append_piece(&out, pieces[i].term, pieces[i].lo, pieces[i].n);
        total += pieces[i].n;
    }
    assert(total <= width);
    if (total < width)
        append(&out, (struct piece){ term_zero(width - total), 0, (uint16_t)(width - total) });
    return finish(width, &out);
}

/* -- what the domain calls -- */

val term_field(int width, val a, int lo, int n, bool is_signed)
{
    struct piece p[MAX_PIECES] = { { a, (uint16_t)lo, (uint16_t)n } };
    int count = 1;
    if (is_signed)
        for (int i = n; i < width; i++)
            p[count++] = (struct piece){ a, (uint16_t)(lo + n - 1), 1 };
    val r = term_cat(width, p, count);
    for (int s = 0; s < SAMPLES; s++)
        term_expect(r, s, bits_field(width, term_get(a)->sample[s], lo, n, is_signed));
    return r;
}

val term_insert(int width, val a, val b, int lo, int n)
{
    struct piece p[] = { { a, 0, (uint16_t)lo },
                         { b, 0, (uint16_t)n },
                         { a, (uint16_t)(lo + n), (uint16_t)(width - lo - n) } };
    val r = term_cat(width, p, COUNT(p));
    for (int s = 0; s < SAMPLES; s++)
        term_expect(r, s, bits_insert(width, term_get(a)->sample[s], term_get(b)->sample[s], lo, n));
    return r;
}

/* The pieces of one lane shifted by a constant. */
static int shift_lane(enum shift_op op, val a, int base, int lane, int amount, struct piece *p)
{
    int rest = lane - amount, n = 0;
    switch (op) {
    case SHIFT_LSL:
        p[n++] = (struct piece){ term_zero(amount ? amount : 1), 0, (uint16_t)amount };
        p[n++] = (struct piece){ a, (uint16_t)base, (uint16_t)rest };
        break;
    case SHIFT_LSR:
        p[n++] = (struct piece){ a, (uint16_t)(base + amount), (uint16_t)rest };
        p[n++] = (struct piece){ term_zero(amount ? amount : 1), 0, (uint16_t)amount };
        break;
    case SHIFT_ROR:
        p[n++] = (struct piece){ a, (uint16_t)(base + amount), (uint16_t)rest };
        p[n++] = (struct piece){ a, (uint16_t)base, (uint16_t)amount };
        break;
    case SHIFT_ASR:
        p[n++] = (struct piece){ a, (uint16_t)(base + amount), (uint16_t)rest };
        for (int i = 0; i < amount; i++)
            p[n++] = (struct piece){ a, (uint16_t)(base + lane - 1), 1 };
        break;
    }
    return n;
}

val term_shift(enum shift_op op, int width, int lane, val a, int amount)
{
    struct piece p[MAX_PIECES * 3];
    int n = 0;
    for (int base = 0; base < width; base += lane)
        n += shift_lane(op, a, base, lane, op == SHIFT_ROR ? amount % lane : amount, p + n);
    val r = term_cat(width, p, n);
    for (int s = 0; s < SAMPLES; s++)
        term_expect(r, s, bits_shift(op, width, lane, term_get(a)->sample[s], amount));
    return r;
}

val term_permute(int result_bytes, int source_count, int source_bytes, const val *source,
                 const uint8_t *from)
{
    struct piece p[16];
    for (int i = 0; i < result_bytes; i++) {
        int k = from[i] / source_bytes;
        assert(from[i] == PERMUTE_ZERO || k < source_count);
        p[i] = from[i] == PERMUTE_ZERO
                   ? (struct piece){ term_zero(8), 0, 8 }
                   : (struct piece){ source[k], (uint16_t)(from[i] % source_bytes * 8), 8 };
    }
    (void)source_count;
    return term_cat(result_bytes * 8, p, result_bytes);
}

val term_table(int result_bytes, int count, const val *tables, val index, val otherwise)
{
    struct bits constant;
    int width = result_bytes * 8;
    if (!otherwise)
        otherwise = term_zero(width);
    if (!term_is_constant(index, &constant)) {
        val args[6];
        for (int i = 0; i < count; i++)
            args[i] = tables[i];
        args[count] = index;
        args[count + 1] = otherwise;
        return term_intern(&(struct term){ .op = TERM_TABLE, .width = (uint8_t)width,
                                           .count = (uint16_t)(count + 2), .of.arg = args });
    }
    struct piece p[16];
    for (int i = 0; i < result_bytes; i++) {
        int at = (int)low_bits(constant, 8 * i, 8).v[0];
        p[i] = at < 16 * count ? (struct piece){ tables[at / 16], (uint16_t)(at % 16 * 8), 8 }
                               : (struct piece){ otherwise, (uint16_t)(8 * i), 8 };
    }
    return term_cat(width, p, result_bytes);
}

bool term_is_extended_flag(val t, val *c)
{
    const struct term *term = term_get(t);
    if (term->op != TERM_CAT || term->count != 2 || term->of.piece[0].n != 1 ||
        term_get(term->of.piece[0].term)->width != 1 || !is_constant(term->of.piece[1].term) ||
        !bits_is_zero(constant_bits(term->of.piece[1].term)))
        return false;
    *c = term->of.piece[0].term;
    return true;
}

bool term_is_mask(val t, val *c)
{
    struct term term = *term_get(t);
    if (term.op != TERM_CHOOSE)
        return false;
    val all = term_ones(term.width), none = term_zero(term.width);
    bool straight = term.of.arg[1] == all && term.of.arg[2] == none;
    bool inverted = term.of.arg[1] == none && term.of.arg[2] == all;
    if (straight || inverted)
        *c = straight ? term.of.arg[0] : term_not(1, term.of.arg[0]);
    return straight || inverted;
}
