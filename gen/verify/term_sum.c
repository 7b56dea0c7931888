/* term_sum.c: sums, products, carries in normal form.
 *
 * A sum is, for every lane, a constant plus terms with coefficients modulo
 * 2^lane. NOT b counts as -b - 1, a constant left shift as a coefficient, so
 * that a - b, a + ~b + 1 and madd or shifted-operand forms are one term. A sum
 * that turns out to be a single term, a shift or a complement takes the normal
 * form of that.
 *
 * A carry is C(a, b, c) with a and b sorted. Subtraction passes NOT b; constants
 * move into b; C(c, ~0, 0) = c for an extended flag.
 */
#include "verify/term_store.h"

struct sum {
    int width, lane;
    struct bits constant;
    VEC(struct addend) at;
};

static uint64_t lane_mask(int lane) { return lane == 64 ? ~0ull : (1ull << lane) - 1; }

static struct bits splat(int width, int lane, uint64_t v)
{
    struct bits r = { { 0, 0 } };
    for (int at = 0; at < width; at += lane)
        r = bits_or(r, bits_left((struct bits){ { v & lane_mask(lane), 0 } }, at));
    return r;
}

static struct bits scaled(int width, int lane, struct bits v, uint64_t factor)
{
    return bits_lanes(LANE_MUL, width, lane, v, splat(width, lane, factor));
}

/* Is t = rest + (y << k), with the rest below bit k? The sum in whose place a
 * concatenation stands. Not where y is a sum itself: a rotated sum stays one
 * addend, or the sums of a loop that rotates would double in every round. */
static bool is_sum_apart(val t, int lane, val *rest, val *y, int *k)
{
    struct term term = *term_get(t);
    if (term.op != TERM_CAT || lane != term.width || term.count < 2)
        return false;
    struct piece top = term.of.piece[term.count - 1];
    const struct term *shifted = term_get(top.term);
    if (top.lo != 0 || shifted->width != lane || shifted->op == TERM_CONST || shifted->op == TERM_SUM)
        return false;
    *y = top.term;
    *k = lane - top.n;
    *rest = term_field(lane, t, 0, *k, false);
    return true;
}

/* Of XOR(x, k) and its complement one is the atom of sums: the one whose constant
 * has no top bit in any lane. */
static bool is_complement(const struct term *t, int width, int lane)
{
    for (int top = lane - 1; top < width; top += lane)
        if (t->op != TERM_XOR || !bit_at(t->constant, top))
            return false;
    return true;
}

/* The number of zeros at the low end of a concatenation; 0 when it has none. */
static int low_zeros(const struct term *t)
{
    struct bits low;
    bool has = t->op == TERM_CAT && t->count > 1 && term_is_constant(t->of.piece[0].term, &low) &&
               bits_is_zero(low);
    return has ? t->of.piece[0].n : 0;
}

/* Constant pieces of a concatenation are a constant addend. */
static bool has_constant_piece(const struct term *t, struct bits *constant)
{
    *constant = (struct bits){ { 0, 0 } };
    for (int i = 0, at = 0; t->op == TERM_CAT && i < t->count; at += t->of.piece[i++].n) {
        struct bits part;
        if (term_is_constant(t->of.piece[i].term, &part))
            *constant = bits_or(*constant, bits_left(part, at));
    }
    return !bits_is_zero(*constant);
}

/* Is t some y shifted left by k in every lane? k > 0. */
static bool is_left_shift(val t, int lane, val *y, int *k)
{
    const struct term *term = term_get(t);
    if (term->op != TERM_CAT || term->of.piece[0].term == 0)
        return false;
    struct bits low;
    if (!term_is_constant(term->of.piece[0].term, &low) || !bits_is_zero(low) || term->count < 2)
        return false;
    *y = term->of.piece[1].term;
    *k = term->of.piece[0].n;
    return *k < lane && term_get(*y)->width == term->width &&
           term_shift(SHIFT_LSL, term->width, lane, *y, *k) == t;
}

static void add_term(struct sum *s, val t, uint64_t factor)
{
    struct term term = *term_get(t);
    struct bits constant;
    val y, rest;
    int k;
    factor &= lane_mask(s->lane);
    if (term.op == TERM_CONST) {
        s->constant = bits_lanes(LANE_ADD, s->width, s->lane, s->constant,
                                 scaled(s->width, s->lane, term.constant, factor));
    } else if (term.op == TERM_SUM && term.lane == s->lane) {
        s->constant = bits_lanes(LANE_ADD, s->width, s->lane, s->constant,
                                 scaled(s->width, s->lane, term.constant, factor));
        for (int i = 0; i < term.count; i++)
            vec_push(&s->at, ((struct addend){ term.of.addend[i].term, term.of.addend[i].factor * factor }));
    } else if (is_complement(&term, s->width, s->lane)) {
        s->constant = bits_lanes(LANE_SUB, s->width, s->lane, s->constant, splat(s->width, s->lane, factor));
        add_term(s, term_not(s->width, t), 0 - factor);
    } else if (is_left_shift(t, s->lane, &y, &k)) {
        add_term(s, y, factor << k);
    } else if (s->lane == s->width && has_constant_piece(&term, &constant)) {
        s->constant = bits_lanes(LANE_ADD, s->width, s->lane, s->constant,
                                 scaled(s->width, s->lane, constant, factor));
        add_term(s, term_and(s->width, t, term_constant(s->width, bits_xor(constant, ones(s->width)))), factor);
    } else if (s->lane == s->width && low_zeros(&term) > 0) {
        k = low_zeros(&term);
        add_term(s, term_field(s->width, t, k, s->width - k, false), factor << k);
    } else if (is_sum_apart(t, s->lane, &rest, &y, &k)) {
        add_term(s, rest, factor);
        add_term(s, y, factor << k);
    } else {
        vec_push(&s->at, ((struct addend){ t, factor }));
    }
}

static void sort_addends(struct sum *s)
{
    for (int i = 1; i < s->at.n; i++)
        for (int j = i; j > 0 && s->at.at[j - 1].term > s->at.at[j].term; j--) {
            struct addend swap = s->at.at[j];
            s->at.at[j] = s->at.at[j - 1];
            s->at.at[j - 1] = swap;
        }
    int kept = 0;
    for (int i = 0; i < s->at.n; i++) {
        if (kept && s->at.at[kept - 1].term == s->at.at[i].term)
            s->at.at[kept - 1].factor += s->at.at[i].factor;
        else
            s->at.at[kept++] = s->at.at[i];
        s->at.at[kept - 1].factor &= lane_mask(s->lane);
        kept -= s->at.at[kept - 1].factor == 0;
    }
    s->at.n = kept;
}

static bool is_power_of_two(uint64_t v) { return v && (v & (v - 1)) == 0; }

/* The single-term forms; 0 when it is a real sum. */
static val sum_of_one(const struct sum *s)
{
    val t = s->at.at[0].term, c;
    uint64_t factor = s->at.at[0].factor, minus = lane_mask(s->lane);
    if (bits_is_zero(s->constant) && is_power_of_two(factor))
        return term_shift(SHIFT_LSL, s->width, s->lane, t, __builtin_ctzll(factor));
    if (factor == minus && bits_equal(s->constant, ones(s->width)))
        return term_not(s->width, t);
    if (factor == minus && s->lane == s->width && term_is_extended_flag(t, &c)) {
        if (bits_is_zero(s->constant))
            return term_choose(s->width, c, term_ones(s->width), term_zero(s->width));
        if (bits_equal(s->constant, (struct bits){ { 1, 0 } }))
            return term_field(s->width, term_not(1, c), 0, 1, false);
    }
    return 0;
}

/* Shifted operands that cannot carry into each other are a concatenation. */
static val sum_apart(const struct sum *s)
{
    struct bits used = s->constant;
    if (s->lane != s->width)
        return 0;
    for (int i = 0; i < s->at.n; i++) {
        if (!is_power_of_two(s->at.at[i].factor))
            return 0;
        val t = term_shift(SHIFT_LSL, s->width, s->lane, s->at.at[i].term, __builtin_ctzll(s->at.at[i].factor));
        struct bits may = term_get(t)->possible;
        if (!bits_is_zero(bits_and(used, may)))
            return 0;
        used = bits_or(used, may);
    }
    val r = term_constant(s->width, s->constant);
    for (int i = 0; i < s->at.n; i++)
        r = term_or(s->width, r, term_shift(SHIFT_LSL, s->width, s->lane, s->at.at[i].term,
                                            __builtin_ctzll(s->at.at[i].factor)));
    return r;
}

static val finish(struct sum *s)
{
    sort_addends(s);
    if (s->at.n == 0)
        return term_constant(s->width, s->constant);
    val r = s->at.n == 1 ? sum_of_one(s) : 0;
    if (!r)
        r = sum_apart(s);
    if (r)
        return r;
    return term_intern(&(struct term){ .op = TERM_SUM, .width = (uint8_t)s->width,
                                       .lane = (uint8_t)s->lane, .count = (uint16_t)s->at.n,
                                       .constant = s->constant, .of.addend = s->at.at });
}

val term_sum(int width, int lane, struct bits constant, const struct addend *at, int n)
{
    struct sum s = { .width = width, .lane = lane, .constant = constant };
    for (int i = 0; i < n; i++)
        add_term(&s, at[i].term, at[i].factor);
    return finish(&s);
}

static val sum_of(int width, int lane, val a, uint64_t fa, val b, uint64_t fb)
{
    struct sum s = { .width = width, .lane = lane };
    add_term(&s, a, fa);
    if (b)
        add_term(&s, b, fb);
    return finish(&s);
}

val term_add_carry(int width, val a, val b, val c)
{
    struct sum s = { .width = width, .lane = width };
    add_term(&s, a, 1);
    add_term(&s, b, 1);
    add_term(&s, term_field(width, c, 0, 1, false), 1);
    val r = finish(&s);
    for (int i = 0; i < SAMPLES; i++)
        term_expect(r, i, bits_add_carry(width, term_get(a)->sample[i], term_get(b)->sample[i],
                                         term_get(c)->sample[i].v[0]));
    return r;
}

/* -- products -- */

static bool is_splat(struct bits v, int width, int lane, uint64_t *factor)
{
    *factor = v.v[0] & lane_mask(lane);
    return bits_equal(v, splat(width, lane, *factor));
}

static val product(int width, int lane, val a, val b)
{
    struct bits known;
    uint64_t factor;
    if (term_is_constant(a, &known) && is_splat(known, width, lane, &factor))
        return sum_of(width, lane, b, factor, 0, 0);
    if (term_is_constant(b, &known) && is_splat(known, width, lane, &factor))
        return sum_of(width, lane, a, factor, 0, 0);
    return term_intern(&(struct term){ .op = TERM_LANES, .sub = LANE_MUL, .width = (uint8_t)width,
                                       .lane = (uint8_t)lane, .count = 2,
                                       .of.arg = (val[]){ a < b ? a : b, a < b ? b : a } });
}

static bool lane_op_commutes(enum lane_op op)
{
    static const enum lane_op commuting[] = { LANE_UMAX, LANE_UMIN, LANE_SMAX, LANE_SMIN,
                                              LANE_EQ, LANE_TEST, LANE_PMUL };
    for (int i = 0; i < COUNT(commuting); i++)
        if (commuting[i] == op)
            return true;
    return false;
}

static val opaque_lanes(enum lane_op op, int width, int lane, val a, val b)
{
    struct bits x, y = { { 0, 0 } };
    if (term_is_constant(a, &x) && (!b || term_is_constant(b, &y)))
        return term_constant(width, bits_lanes(op, width, lane, x, y));
    if (b && lane_op_commutes(op) && b < a)
        return opaque_lanes(op, width, lane, b, a);
    return term_intern(&(struct term){ .op = TERM_LANES, .sub = (uint8_t)op, .width = (uint8_t)width,
                                       .lane = (uint8_t)lane, .count = b ? 2 : 1,
                                       .of.arg = (val[]){ a, b } });
}

/* Shifts by a value that turned out constant are moves of bits. Of another amount
 * only the bits that count are kept. */
static val variable_shift(enum lane_op op, int width, int lane, val a, val b)
{
    static const enum shift_op constant_form[] = { SHIFT_LSL, SHIFT_LSR, SHIFT_ASR, SHIFT_ROR };
    struct bits amount;
    if (lane != width)
        return opaque_lanes(op, width, lane, a, b);
    if (!term_is_constant(b, &amount))
        return opaque_lanes(op, width, lane, a, term_field(width, b, 0, __builtin_ctz((unsigned)lane), false));
    return term_shift(constant_form[op - LANE_LSLV], width, lane, a, (int)(amount.v[0] % (uint64_t)lane));
}

static val lanes(enum lane_op op, int width, int lane, val a, val b)
{
    switch (op) {
    case LANE_NOT: return term_not(width, a);
    case LANE_NEG: return sum_of(width, lane, a, ~0ull, 0, 0);
    case LANE_ADD: return sum_of(width, lane, a, 1, b, 1);
    case LANE_SUB: return sum_of(width, lane, a, 1, b, ~0ull);
    case LANE_MUL: return product(width, lane, a, b);
    case LANE_AND: return term_and(width, a, b);
    case LANE_OR:  return term_or(width, a, b);
    case LANE_XOR: return term_xor(width, a, b);
    case LANE_LSLV: case LANE_LSRV: case LANE_ASRV: case LANE_RORV:
        return variable_shift(op, width, lane, a, b);
    default:       return opaque_lanes(op, width, lane, a, b);
    }
}

val term_lanes(enum lane_op op, int width, int lane, val a, val b)
{
    val r = lanes(op, width, lane, a, b);
    for (int i = 0; i < SAMPLES; i++)
        term_expect(r, i, bits_lanes(op, width, lane, term_get(a)->sample[i],
                                     b ? term_get(b)->sample[i] : ones(0)));
    return r;
}

/* -- carries -- */

/* C(a, K, c) with the constant K; 0 when no rule applies. */
static val carry_constant(int width, val a, struct bits k, val c)
{
    struct bits known;
    bool c_known = term_is_constant(c, &known);
    bool zero = bits_is_zero(k), all = bits_equal(k, ones(width));
    if (c_known && known.v[0])
        return all ? term_ones(1)
                   : zero ? term_is_zero(width, term_not(width, a))
                          : term_carry(width, a, term_constant(width, bits_add_carry(width, k, ones(0), true)),
                                       term_zero(1));
    if (c_known && zero)
        return term_zero(1);
    if (c_known && all)
        return term_not(1, term_is_zero(width, a));
    if (term_is_constant(a, &known))        /* c is a flag: does it decide? */
        return bits_carry(width, known, k, false) ? term_ones(1)
               : bits_carry(width, known, k, true) ? c : term_zero(1);
    return 0;
}

static val carry(int width, val a, val b, val c)
{
    struct bits k;
    val r = 0;
    if (term_is_constant(b, &k))
        r = carry_constant(width, a, k, c);
    else if (term_is_constant(a, &k))
        r = carry_constant(width, b, k, c);
    if (r)
        return r;
    return term_intern(&(struct term){ .op = TERM_CARRY, .width = 1, .imm = width, .count = 3,
                                       .of.arg = (val[]){ a < b ? a : b, a < b ? b : a, c } });
}

val term_carry(int width, val a, val b, val c)
{
    val r = carry(width, a, b, c);
    for (int i = 0; i < SAMPLES; i++)
        term_expect(r, i, (struct bits){ { bits_carry(width, term_get(a)->sample[i], term_get(b)->sample[i],
                                                      term_get(c)->sample[i].v[0]), 0 } });
    return r;
}

val term_overflow(int width, val a, val b, val c)
{
    struct bits x, y, z;
    if (term_is_constant(a, &x) && term_is_constant(b, &y) && term_is_constant(c, &z))
        return term_constant(1, (struct bits){ { bits_overflow(width, x, y, z.v[0]), 0 } });
    return term_intern(&(struct term){ .op = TERM_OVERFLOW, .width = 1, .imm = width, .count = 3,
                                       .of.arg = (val[]){ a < b ? a : b, a < b ? b : a, c } });
}

val term_is_zero(int width, val a)
{
    struct bits x;
    val c;
    if (term_is_constant(a, &x))
        return term_constant(1, (struct bits){ { bits_is_zero(x), 0 } });
    if (term_is_extended_flag(a, &c) || term_is_mask(a, &c))
        return term_not(1, c);
    return term_intern(&(struct term){ .op = TERM_IS_ZERO, .width = 1, .imm = width, .count = 1,
                                       .of.arg = (val[]){ a } });
}

val term_multiply_high(bool is_signed, val a, val b)
{
    struct bits x, y;
    if (term_is_constant(a, &x) && term_is_constant(b, &y))
        return term_constant(64, bits_multiply_high(is_signed, x, y));
    return term_intern(&(struct term){ .op = TERM_HIGH, .sub = is_signed, .width = 64, .count = 2,
                                       .of.arg = (val[]){ a < b ? a : b, a < b ? b : a } });
}

val term_widen_multiply(enum wide_op op, int width, int lane, val a, val b)
{
    struct bits x, y;
    if (term_is_constant(a, &x) && term_is_constant(b, &y))
        return term_constant(width, bits_widen_multiply(op, width, lane, x, y));
    if (width == 2 * lane && width <= 64 && op != WIDE_PMUL)    /* one product of two extended factors */
        return term_lanes(LANE_MUL, width, width, term_field(width, a, 0, lane, op == WIDE_SMUL),
                          term_field(width, b, 0, lane, op == WIDE_SMUL));
    return term_intern(&(struct term){ .op = TERM_WIDE, .sub = (uint8_t)op, .width = (uint8_t)width,
                                       .lane = (uint8_t)lane, .count = 2,
                                       .of.arg = (val[]){ a < b ? a : b, a < b ? b : a } });
}

val term_crypto(enum crypto_op op, val a, val b, val c)
{
    struct bits x, y = { { 0, 0 } }, z = y;
    if (term_is_constant(a, &x) && (!b || term_is_constant(b, &y)) && (!c || term_is_constant(c, &z)))
        return term_constant(term_get(a)->width, bits_crypto(op, x, y, z));
    return term_intern(&(struct term){ .op = TERM_CRYPTO, .sub = (uint8_t)op,
                                       .width = term_get(a)->width, .count = c ? 3 : b ? 2 : 1,
                                       .of.arg = (val[]){ a, b, c } });
}

/* -- any operation again -- */

static val rebuild_flat(const struct term *t, const val *operand)
{
    val r = t->op == TERM_XOR ? term_constant(t->width, t->constant) : operand[0];
    for (int i = t->op == TERM_XOR ? 0 : 1; i < t->count; i++)
        r = t->op == TERM_XOR ? term_xor(t->width, r, operand[i])
            : t->op == TERM_AND ? term_and(t->width, r, operand[i]) : term_or(t->width, r, operand[i]);
    return r;
}

static val rebuild_sum(const struct term *t, const val *operand)
{
    struct addend *at = NEW_ARRAY(struct addend, t->count + 1);
    for (int i = 0; i < t->count; i++)
        at[i] = (struct addend){ operand[i], t->of.addend[i].factor };
    return term_sum(t->width, t->lane, t->constant, at, t->count);
}

static val rebuild_pieces(const struct term *t, const val *operand)
{
    struct piece *at = NEW_ARRAY(struct piece, t->count + 1);
    for (int i = 0; i < t->count; i++)
        at[i] = (struct piece){ operand[i], t->of.piece[i].lo, t->of.piece[i].n };
    return term_cat(t->width, at, t->count);
}

val term_rebuild(const struct term *t, const val *operand)
{
    val a = t->count > 0 ? operand[0] : 0, b = t->count > 1 ? operand[1] : 0, c = t->count > 2 ? operand[2] : 0;
    switch ((enum term_op)t->op) {
    case TERM_CONST: case TERM_INPUT: break;
    case TERM_CAT:      return rebuild_pieces(t, operand);
    case TERM_XOR: case TERM_AND: case TERM_OR: return rebuild_flat(t, operand);
    case TERM_SUM:      return rebuild_sum(t, operand);
    case TERM_LANES:    return term_lanes((enum lane_op)t->sub, t->width, t->lane, a, b);
    case TERM_WIDE:     return term_widen_multiply((enum wide_op)t->sub, t->width, t->lane, a, b);
    case TERM_TABLE:    return term_table(t->width / 8, t->count - 2, operand, operand[t->count - 2],
                                          operand[t->count - 1]);
    case TERM_CARRY:    return term_carry(t->imm, a, b, c);
    case TERM_OVERFLOW: return term_overflow(t->imm, a, b, c);
    case TERM_IS_ZERO:  return term_is_zero(t->imm, a);
    case TERM_HIGH:     return term_multiply_high(t->sub, a, b);
    case TERM_CHOOSE:   return term_choose(t->width, a, b, c);
    case TERM_CRYPTO:   return term_crypto((enum crypto_op)t->sub, a, b, c);
    }
    assert(0 && "an operation");
    return 0;
}
