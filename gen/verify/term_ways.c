/* term_ways.c: numbers of terms that are public and not known.
 *
 * Takes a term that a run must know to go on. Descends to the bits that it is
 * made of: when they are few each is decided, and the term evaluated from them;
 * else, when it is a condition, the condition itself is decided.
 *
 * Holds: every decision is noted, with 0 first; ways_next() turns the last 0 into
 * a 1 and drops what came after, so that all combinations are met, as a counter
 * meets all numbers. A run repeats the decisions of the one before it as far as
 * they are noted, because it asks for the same terms.
 * Does not: notice that two decisions exclude each other. Such a way is proved
 * in vain, or gives a false alarm; it never hides a difference.
 */
#include "verify/term_domain.h"

#include <string.h>

#include "verify/term_second.h"
#include "verify/term_store.h"

/* So that a case has 2^8 ways at most. */
enum { MOST_BITS = 6, MOST_DECISIONS = 8 };

/* -- what is public -- */

/* What one walk over a term found out: each term is looked at once. */
struct found { val term; bool known; struct bits v; };
struct visited { struct found *at; size_t n, slots; };       /* open addressing, a power of two */

static struct found *slot_of(const struct visited *seen, val t)
{
    size_t i = t & (seen->slots - 1);
    while (seen->at[i].term && seen->at[i].term != t)
        i = (i + 1) & (seen->slots - 1);
    return &seen->at[i];
}

static const struct found *find_visited(const struct visited *seen, val t)
{
    const struct found *f = seen->slots ? slot_of(seen, t) : NULL;
    return f && f->term ? f : NULL;
}

static void add_visited(struct visited *seen, val t, bool known, struct bits v)
{
    if (seen->n * 2 >= seen->slots) {
        const struct visited old = *seen;
        seen->slots = old.slots ? old.slots * 2 : 64;
        seen->at = NEW_ARRAY(struct found, seen->slots);
        for (size_t i = 0; i < old.slots; i++)
            if (old.at[i].term)
                *slot_of(seen, old.at[i].term) = old.at[i];
    }
    *slot_of(seen, t) = (struct found){ t, known, v };
    seen->n++;
}

static bool is_declassified(const struct ways *w, struct piece p)
{
    for (int i = 0; i < w->declassified.n; i++) {
        struct piece d = w->declassified.at[i];
        if (d.term == p.term && d.lo <= p.lo && d.lo + d.n >= p.lo + p.n)
            return true;
    }
    return false;
}

void ways_declassify(struct ways *w, val t)
{
    const struct term *term = term_get(t);
    if (term->op != TERM_CAT) {
        struct piece whole = { t, 0, term->width };
        if (term->op != TERM_CONST && !is_declassified(w, whole))
            vec_push(&w->declassified, whole);
        return;
    }
    for (int i = 0; i < term->count; i++) {
        struct piece p = term->of.piece[i];
        if (term_get(p.term)->op != TERM_CONST && !is_declassified(w, p))
            vec_push(&w->declassified, p);
    }
}

static bool is_public(const struct ways *w, val t, struct visited *seen);

static bool is_operand_public(const struct ways *w, const struct term *t, int i, struct visited *seen)
{
    return (t->op == TERM_CAT && is_declassified(w, t->of.piece[i])) ||
           is_public(w, term_operand(t, i), seen);
}

/* Is everything in t a constant, public or declassified? */
static bool is_public(const struct ways *w, val t, struct visited *seen)
{
    const struct term *term = term_get(t);
    const struct found *met = find_visited(seen, t);
    if (met)
        return met->known;
    bool all = term->op != TERM_INPUT || term->is_public;
    for (int i = 0; i < term->count && all; i++)
        all = is_operand_public(w, term, i, seen);
    all = all || is_declassified(w, (struct piece){ t, 0, term->width });
    add_visited(seen, t, all, ones(0));
    return all;
}

bool term_is_secret(const struct term_domain *d, val t)
{
    struct visited seen = { 0 };
    return term_get(t)->secret && !(d->ways->declassified.n > 0 && is_public(d->ways, t, &seen));
}

/* -- what is decided -- */

static bool is_decided(const struct ways *w, val bit, bool *outcome)
{
    for (int i = 0; i < w->decisions.n; i++)
        if (w->decisions.at[i].bit == bit) {
            *outcome = w->decisions.at[i].outcome;
            return true;
        }
    return false;
}

static val bit_of(val t, int n) { return term_field(1, t, n, 1, false); }

static bool evaluate(const struct ways *w, val t, struct bits *out, struct visited *seen);

static bool evaluate_bits(const struct ways *w, struct piece p, struct bits *out)
{
    *out = ones(0);
    for (int k = 0; k < p.n; k++) {
        bool one;
        if (!is_decided(w, bit_of(p.term, p.lo + k), &one))
            return false;
        *out = bits_or(*out, bits_left((struct bits){ { one, 0 } }, k));
    }
    return true;
}

/* Each piece as a whole, or bit by bit. */
static bool evaluate_pieces(const struct ways *w, const struct term *t, struct bits *out,
                            struct visited *seen)
{
    *out = ones(0);
    for (int i = 0, at = 0; i < t->count; at += t->of.piece[i++].n) {
        struct piece p = t->of.piece[i];
        struct bits part;
        if (evaluate(w, p.term, &part, seen))
            part = bits_field(128, part, p.lo, p.n, false);
        else if (!evaluate_bits(w, p, &part))
            return false;
        *out = bits_or(*out, bits_left(part, at));
    }
    return true;
}

static bool evaluate_operands(const struct ways *w, const struct term *term, struct bits *out,
                              struct visited *seen)
{
    struct bits *operand = NEW_ARRAY(struct bits, term->count + 1);
    for (int i = 0; i < term->count; i++)
        if (!evaluate(w, term_operand(term, i), &operand[i], seen))
            return false;
    *out = term_value(term, operand);
    return true;
}

static bool evaluate(const struct ways *w, val t, struct bits *out, struct visited *seen)
{
    const struct term *term = term_get(t);
    bool known, one = false;
    const struct found *met = find_visited(seen, t);
    if (met) {
        *out = met->v;
        return met->known;
    }
    *out = term->constant;
    if (term->op == TERM_CONST)
        return true;
    if (term->width == 1 && is_decided(w, t, &one)) {
        *out = (struct bits){ { one, 0 } };
        return true;
    }
    if (term->op == TERM_INPUT)
        known = evaluate_bits(w, (struct piece){ t, 0, term->width }, out);
    else
        known = term->op == TERM_CAT ? evaluate_pieces(w, term, out, seen)
                                     : evaluate_operands(w, term, out, seen);
    add_visited(seen, t, known, *out);
    return known;
}

/* -- deciding -- */

struct unknown { VEC(val) bits; bool too_many; struct visited seen; };

static void add_unknown(struct unknown *u, val bit)
{
    for (int i = 0; i < u->bits.n; i++)
        if (u->bits.at[i] == bit)
            return;
    u->too_many |= u->bits.n >= MOST_BITS;
    if (!u->too_many)
        vec_push(&u->bits, bit);
}

/* The bits that t is made of and that are not decided. */
static void find_unknown(const struct ways *w, val t, struct unknown *u)
{
    const struct term *term = term_get(t);
    bool one;
    if (u->too_many || term->op == TERM_CONST || find_visited(&u->seen, t))
        return;
    add_visited(&u->seen, t, false, ones(0));
    if (term->op == TERM_INPUT)
        for (int k = 0; k < term->width && !u->too_many; k++) {
            val bit = bit_of(t, k);
            if (!is_decided(w, bit, &one))
                add_unknown(u, bit);
        }
    else if (term->op != TERM_CAT)
        for (int i = 0; i < term->count; i++)
            find_unknown(w, term_operand(term, i), u);
    for (int i = 0; term->op == TERM_CAT && i < term->count; i++) {
        struct piece p = term->of.piece[i];
        for (int k = 0; k < p.n && term_get(p.term)->op != TERM_CONST && !u->too_many; k++) {
            val bit = bit_of(p.term, p.lo + k);
            if (!is_decided(w, bit, &one))
                add_unknown(u, bit);
        }
    }
}

/* The flags that a condition is made of. */
static void find_conditions(const struct ways *w, val t, struct unknown *u)
{
    const struct term *term = term_get(t);
    bool one;
    if (term->op == TERM_AND || term->op == TERM_OR || term->op == TERM_XOR)
        for (int i = 0; i < term->count; i++)
            find_conditions(w, term->of.arg[i], u);
    else if (term->op != TERM_CONST && !is_decided(w, t, &one))
        add_unknown(u, t);
}

/* False when there is too much to decide. */
static bool decide_unknown(struct ways *w, val a)
{
    struct unknown bits = { 0 }, conditions = { 0 };
    find_unknown(w, a, &bits);
    if (bits.too_many && term_get(a)->width == 1)
        find_conditions(w, a, &conditions);
    const struct unknown *u = bits.too_many ? &conditions : &bits;
    if (u->bits.n == 0 || u->too_many || w->decisions.n + u->bits.n > MOST_DECISIONS)
        return false;
    for (int i = 0; i < u->bits.n; i++)
        vec_push(&w->decisions, ((struct decision){ u->bits.at[i], false }));
    return true;
}

static bool number_of(struct term_domain *d, struct ways *w, val a, uint64_t *out)
{
    struct bits v;
    if (!is_public(w, a, &(struct visited){ 0 }))
        return false;
    if (!w->is_sampled && !evaluate(w, a, &v, &(struct visited){ 0 }) && !decide_unknown(w, a)) {
        w->is_sampled = w->begins_again = true;
        d->domain.fault = "a public value of too many bits decides";
        return false;
    }
    if (w->is_sampled) {
        *out = term_get(a)->sample[w->assignment].v[0];
        return true;
    }
    bool known = evaluate(w, a, &v, &(struct visited){ 0 });
    assert(known && "all that it is made of was decided");
    (void)known;
    *out = v.v[0];
    return true;
}

/* The same where code asks for what was declassified in another form: all terms are
 * what a second look makes of them. */
static bool number_at_second_look(struct term_domain *d, struct ways *w, val a, uint64_t *out)
{
    struct ways seen = { .is_sampled = w->is_sampled, .assignment = w->assignment };
    const int decisions = w->decisions.n;
    for (int i = 0; i < w->declassified.n; i++) {
        struct piece p = w->declassified.at[i];
        ways_declassify(&seen, term_canonical(term_cat(p.n, &p, 1)));
    }
    for (int i = 0; i < decisions; i++)
        vec_push(&seen.decisions, ((struct decision){ term_canonical(w->decisions.at[i].bit),
                                                      w->decisions.at[i].outcome }));
    bool is_known = number_of(d, &seen, term_canonical(a), out);
    for (int i = decisions; i < seen.decisions.n; i++)
        vec_push(&w->decisions, seen.decisions.at[i]);
    w->is_sampled = seen.is_sampled;
    w->begins_again |= seen.begins_again;
    return is_known;
}

bool ways_number(struct term_domain *d, val a, uint64_t *out)
{
    struct ways *w = d->ways;
    if (number_of(d, w, a, out))
        return true;
    return w->declassified.n > 0 && !w->begins_again && number_at_second_look(d, w, a, out);
}

bool ways_next(struct ways *w)
{
    w->declassified.n = 0;
    if (w->begins_again) {
        w->begins_again = false;
        w->decisions.n = 0;
        return true;
    }
    if (w->is_sampled)
        return ++w->assignment < SAMPLES;
    while (w->decisions.n > 0 && vec_last(&w->decisions).outcome)
        w->decisions.n--;
    if (w->decisions.n == 0)
        return false;
    vec_last(&w->decisions).outcome = true;
    return true;
}
