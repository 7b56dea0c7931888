/* term_logic.c: XOR, AND, OR, NOT and choice in normal form.
 *
 * XOR is flat, sorted, without pairs, with one constant. AND and OR are flat,
 * sorted, without repeats; a constant operand is a selection of bits, hence a
 * concatenation. Operands that cannot both have a bit set are concatenated.
 * A choice among the operands is drawn to the outside, so that csel, the
 * and/or of a mask, and the XOR swap come out as one CHOOSE; but not out of many
 * choices on different flags.
 */
#include "verify/term_store.h"

enum { MAX_OPERANDS_FLAT = 4096, MOST_CHOICES = 5 };

struct operands {
    enum term_op op;
    int width;
    struct bits constant;
    VEC(val) at;
};

static struct bits combine(enum term_op op, struct bits a, struct bits b)
{
    return op == TERM_AND ? bits_and(a, b) : op == TERM_OR ? bits_or(a, b) : bits_xor(a, b);
}

/* An operation that is too long stays one operand of the next: a loop that does
 * not end as it should must not make terms without end. */
static void gather(struct operands *out, val t)
{
    const struct term *term = term_get(t);
    if (term->op == TERM_CONST) {
        out->constant = combine(out->op, out->constant, term->constant);
    } else if (term->op == out->op && out->at.n + term->count < MAX_OPERANDS_FLAT) {
        if (out->op == TERM_XOR)
            out->constant = bits_xor(out->constant, term->constant);
        for (int i = 0; i < term->count; i++)
            vec_push(&out->at, term->of.arg[i]);
    } else {
        vec_push(&out->at, t);
    }
}

/* How many of the operands from FIRST on are in order. */
static int run_length(const struct operands *o, int first)
{
    int n = 1;
    while (first + n < o->at.n && o->at.at[first + n - 1] <= o->at.at[first + n])
        n++;
    return n;
}

/* Operands are gathered from terms that are sorted themselves, so that they are
 * a few runs, mostly two: the first two are merged until one is left. */
static void merge_runs(struct operands *o)
{
    val merged[MAX_OPERANDS_FLAT];
    while (o->at.n > 0) {
        int n = 0, a = 0, a_end = run_length(o, 0), b = a_end;
        if (a_end == o->at.n)
            return;
        int b_end = a_end + run_length(o, a_end);
        while (a < a_end || b < b_end) {
            bool takes_a = b == b_end || (a < a_end && o->at.at[a] <= o->at.at[b]);
            merged[n++] = takes_a ? o->at.at[a++] : o->at.at[b++];
        }
        for (int k = 0; k < n; k++)
            o->at.at[k] = merged[k];
    }
}

/* Sorts, then removes pairs (XOR) or repeats (AND, OR). */
static void sort_operands(struct operands *o)
{
    assert(o->at.n <= MAX_OPERANDS_FLAT);
    merge_runs(o);
    int kept = 0;
    for (int i = 0; i < o->at.n; i++) {
        if (kept && o->at.at[kept - 1] == o->at.at[i])
            kept -= o->op == TERM_XOR;
        else
            o->at.at[kept++] = o->at.at[i];
    }
    o->at.n = kept;
}

/* Joins operands whose possible bits are apart, the constant included. */
static val join_apart(int width, val a, val b)
{
    struct bits pa = term_get(a)->possible;
    struct piece p[128];
    int n = 0;
    for (int i = 0; i < width;) {
        int start = i;
        bool from_a = bit_at(pa, i);
        while (i < width && bit_at(pa, i) == from_a)
            i++;
        p[n++] = (struct piece){ from_a ? a : b, (uint16_t)start, (uint16_t)(i - start) };
    }
    return term_cat(width, p, n);
}

static bool join_operands(struct operands *o)
{
    VEC(int) partial = { 0 };           /* those that have bits which are surely zero */
    struct bits common = ones(o->width);
    for (int i = 0; i < o->at.n; i++)
        if (term_get(o->at.at[i])->op == TERM_CAT) {
            vec_push(&partial, i);
            common = bits_and(common, term_get(o->at.at[i])->possible);
        }
    if (!bits_is_zero(common))
        return false;                   /* each two of them meet there */
    for (int i = 0; i < partial.n; i++)
        for (int j = i + 1; j < partial.n; j++) {
            int low = partial.at[i], high = partial.at[j];
            val a = o->at.at[low], b = o->at.at[high];
            if (!bits_is_zero(bits_and(term_get(a)->possible, term_get(b)->possible)))
                continue;
            o->at.at[low] = join_apart(o->width, a, b);
            o->at.at[high] = o->at.at[--o->at.n];
            return true;
        }
    return false;
}

static val logic(enum term_op op, int width, struct operands *o);

/* The operands with every choice on flag c replaced by its branch `which`. */
static val under(const struct operands *o, val c, int which)
{
    struct operands rest = { .op = o->op, .width = o->width, .constant = o->constant };
    for (int i = 0; i < o->at.n; i++) {
        const struct term *t = term_get(o->at.at[i]);
        bool match = t->op == TERM_CHOOSE && t->of.arg[0] == c;
        gather(&rest, match ? t->of.arg[which] : o->at.at[i]);
    }
    return logic(o->op, o->width, &rest);
}

/* Each choice that is drawn to the outside doubles what is inside. */
static bool has_few_choices(const struct operands *o)
{
    int depth = 0;
    for (int i = 0; i < o->at.n; i++)
        depth += term_get(o->at.at[i])->depth;
    return depth <= MOST_CHOICES;
}

static val first_choice(const struct operands *o)
{
    if (!has_few_choices(o))
        return 0;
    for (int i = 0; i < o->at.n; i++) {
        const struct term *t = term_get(o->at.at[i]);
        if (t->op == TERM_CHOOSE)
            return t->of.arg[0];
    }
    return 0;
}

/* AND and OR with a constant: runs of bits that are kept, and runs of the constant. */
static val with_constant(const struct operands *o, val rest)
{
    bool keep = o->op == TERM_AND;      /* AND keeps the operand where the constant is 1 */
    struct piece p[128];
    int n = 0;
    for (int i = 0; i < o->width;) {
        int start = i;
        bool one = bit_at(o->constant, i);
        while (i < o->width && bit_at(o->constant, i) == one)
            i++;
        val constant = keep ? term_zero(i - start) : term_ones(i - start);
        p[n++] = one == keep ? (struct piece){ rest, (uint16_t)start, (uint16_t)(i - start) }
                             : (struct piece){ constant, 0, (uint16_t)(i - start) };
    }
    return term_cat(o->width, p, n);
}

static val intern_flat(const struct operands *o)
{
    bool is_xor = o->op == TERM_XOR;
    if (o->at.n == 0)
        return term_constant(o->width, is_xor || o->op == TERM_OR ? o->constant : ones(o->width));
    if (o->at.n == 1 && (!is_xor || bits_is_zero(o->constant)))
        return o->at.at[0];
    return term_intern(&(struct term){ .op = (uint8_t)o->op, .width = (uint8_t)o->width,
                                       .count = (uint16_t)o->at.n,
                                       .constant = is_xor ? o->constant : (struct bits){ { 0, 0 } },
                                       .of.arg = o->at.at });
}

static val logic(enum term_op op, int width, struct operands *o)
{
    struct bits neutral = op == TERM_AND ? ones(width) : (struct bits){ { 0, 0 } };
    sort_operands(o);
    if (o->at.n == 0)
        return term_constant(width, o->constant);
    if (op != TERM_AND)
        while (join_operands(o))
            sort_operands(o);
    val c = o->at.n + !bits_equal(o->constant, neutral) > 1 ? first_choice(o) : 0;
    if (c)
        return term_choose(width, c, under(o, c, 1), under(o, c, 2));
    if (op == TERM_XOR || bits_equal(o->constant, neutral))
        return intern_flat(o);
    struct operands plain = *o;
    plain.constant = (struct bits){ { 0, 0 } };
    return with_constant(o, intern_flat(&plain));
}

static val two(enum term_op op, int width, val a, val b)
{
    struct operands o = { .op = op, .width = width,
                          .constant = op == TERM_AND ? ones(width) : (struct bits){ { 0, 0 } } };
    gather(&o, a);
    gather(&o, b);
    assert(o.at.n <= MAX_OPERANDS_FLAT);
    val r = logic(op, width, &o);
    for (int s = 0; s < SAMPLES; s++)
        term_expect(r, s, combine(op, term_get(a)->sample[s], term_get(b)->sample[s]));
    return r;
}

val term_xor(int width, val a, val b) { return two(TERM_XOR, width, a, b); }
val term_and(int width, val a, val b) { return two(TERM_AND, width, a, b); }
val term_or(int width, val a, val b) { return two(TERM_OR, width, a, b); }
val term_not(int width, val a) { return term_xor(width, a, term_ones(width)); }

/* A choice of the constants 1 and 0, either way round, is the flag extended. */
static val choose_flag(int width, val c, val a, val b)
{
    val zero = term_zero(width), one = term_constant(width, (struct bits){ { 1, 0 } });
    if (a == one && b == zero)
        return term_field(width, c, 0, 1, false);
    if (a == zero && b == one)
        return term_field(width, term_not(1, c), 0, 1, false);
    return 0;
}

val term_choose(int width, val c, val a, val b)
{
    struct bits known;
    if (term_is_constant(c, &known))
        return known.v[0] ? a : b;
    if (a == b)
        return a;
    const struct term *flag = term_get(c);
    if (flag->op == TERM_XOR && bits_equal(flag->constant, ones(1)))
        return term_choose(width, term_not(1, c), b, a);
    /* under c, a choice on c is decided */
    const struct term *then = term_get(a), *other = term_get(b);
    if (then->op == TERM_CHOOSE && then->of.arg[0] == c)
        return term_choose(width, c, then->of.arg[1], b);
    if (other->op == TERM_CHOOSE && other->of.arg[0] == c)
        return term_choose(width, c, a, other->of.arg[2]);
    val extended = choose_flag(width, c, a, b);
    if (extended)
        return extended;
    return term_intern(&(struct term){ .op = TERM_CHOOSE, .width = (uint8_t)width, .count = 3,
                                       .of.arg = (val[]){ c, a, b } });
}
