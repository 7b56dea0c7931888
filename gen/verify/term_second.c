/* term_second.c: bitwise functions in one form, whatever they were made from.
 *
 * The normal forms of term.h do not distribute AND over XOR, move a piece through
 * an XOR, or write an OR by others: in most code both sides are made alike, and
 * the terms stay small. Where they differ and yet have the same samples, both are
 * built again from below, with every bitwise function as a polynomial modulo 2:
 * a sum of products of atoms, each product with the mask of bits in which it
 * counts. An atom is an operand that is no bitwise function, moved by some bits,
 * or one flag in every bit. Equal functions have equal polynomials.
 *
 * Does not: know arithmetic beyond term.h. A function of too many products or
 * atoms stays as it is.
 */
#include "verify/term_second.h"

#include <stdlib.h>

#include "verify/term_store.h"

/* MOST_WORK: products looked at in all of one second look, some milliseconds. */
enum { MOST_ATOMS = 64, MOST_PRODUCTS = 128, MOST_READ = 2000, MOST_WORK = 4000000 };

/* -- polynomials -- */

struct atom { val term; int moved; bool is_everywhere; };       /* the last: a flag in every bit */
struct product { uint64_t atoms; struct bits mask; };
struct polynomial { struct product *at; int n, cap; };

struct look {
    struct atom atoms[MOST_ATOMS];
    int atom_count, width;
    int terms_read;
    bool gives_up;
};

static long work_left;

static struct bits moved(struct bits v, int by)
{
    return by >= 0 ? by > 127 ? ones(0) : bits_left(v, by)
                   : -by > 127 ? ones(0) : bits_field(128, v, -by, 128 + by, false);
}

/* Adds modulo 2. */
static void add_product(struct look *l, struct polynomial *p, uint64_t atoms, struct bits mask)
{
    int i = 0;
    while (i < p->n && p->at[i].atoms != atoms)
        i++;
    work_left -= i + 1;
    if (i == MOST_PRODUCTS || l->gives_up || work_left < 0) {
        l->gives_up = true;
        return;
    }
    if (i == p->n)
        vec_push(p, ((struct product){ atoms, { { 0, 0 } } }));
    p->at[i].mask = bits_xor(p->at[i].mask, mask);
    if (bits_is_zero(p->at[i].mask))
        p->at[i] = p->at[--p->n];
}

static void add_all(struct look *l, struct polynomial *p, const struct polynomial *q, struct bits mask)
{
    for (int i = 0; i < q->n; i++)
        add_product(l, p, q->at[i].atoms, bits_and(q->at[i].mask, mask));
}

static struct polynomial *multiply(struct look *l, const struct polynomial *p, const struct polynomial *q)
{
    struct polynomial *r = NEW(struct polynomial);
    for (int i = 0; i < p->n && !l->gives_up; i++)
        for (int k = 0; k < q->n; k++) {
            struct bits mask = bits_and(p->at[i].mask, q->at[k].mask);
            if (!bits_is_zero(mask))
                add_product(l, r, p->at[i].atoms | q->at[k].atoms, mask);
        }
    return r;
}

static uint64_t atom_of(struct look *l, struct atom a)
{
    int i = 0;
    while (i < l->atom_count && (l->atoms[i].term != a.term || l->atoms[i].moved != a.moved ||
                                 l->atoms[i].is_everywhere != a.is_everywhere))
        i++;
    if (i == MOST_ATOMS) {
        l->gives_up = true;
        return 0;
    }
    l->atoms[i] = a;
    l->atom_count += i == l->atom_count;
    return 1ull << i;
}

/* -- from terms -- */

static val canonical(val t);
static struct polynomial *read_term(struct look *l, val t, int by);

/* A flag in every bit of the result. */
static struct polynomial *read_flag(struct look *l, val c);

static struct polynomial *constant_polynomial(struct look *l, struct bits v)
{
    struct polynomial *p = NEW(struct polynomial);
    if (!bits_is_zero(v))
        add_product(l, p, 0, v);
    return p;
}

/* XOR, AND or OR of operands that `read` reads; OR is a ^ b ^ ab. */
typedef struct polynomial *read_fn(struct look *l, val t, int by);

static struct polynomial *read_logic(struct look *l, const struct term *t, int by, read_fn *read,
                                     struct bits range, struct bits constant)
{
    struct polynomial *p = constant_polynomial(l, t->op == TERM_AND ? range
                                                  : t->op == TERM_XOR ? constant : ones(0));
    for (int i = 0; i < t->count && !l->gives_up; i++) {
        const struct polynomial *q = read(l, t->of.arg[i], by);
        struct polynomial *product = t->op == TERM_XOR ? NULL : multiply(l, p, q);
        if (t->op == TERM_AND) {
            p = product;
            continue;
        }
        add_all(l, p, q, ones(128));
        if (product)
            add_all(l, p, product, ones(128));
    }
    return p;
}

static struct polynomial *read_pieces(struct look *l, const struct term *t, int by)
{
    struct polynomial *p = NEW(struct polynomial);
    for (int i = 0, at = by; i < t->count && !l->gives_up; at += t->of.piece[i++].n) {
        struct piece piece = t->of.piece[i];
        add_all(l, p, read_term(l, piece.term, at - piece.lo), moved(ones(piece.n), at));
    }
    return p;
}

/* c ? a : b is b ^ c (a ^ b). */
static struct polynomial *read_choice(struct look *l, const struct term *t, int by)
{
    struct polynomial *b = read_term(l, t->of.arg[2], by), *differ = read_term(l, t->of.arg[1], by);
    add_all(l, differ, b, ones(128));
    add_all(l, b, multiply(l, differ, read_flag(l, t->of.arg[0])), ones(128));
    return b;
}

static bool is_bitwise(const struct term *t)
{
    return t->op == TERM_XOR || t->op == TERM_AND || t->op == TERM_OR || t->op == TERM_CAT ||
           t->op == TERM_CHOOSE || t->op == TERM_CONST;
}

static struct polynomial *one_atom(struct look *l, struct atom a, struct bits range)
{
    struct polynomial *p = NEW(struct polynomial);
    uint64_t atom = atom_of(l, a);
    if (!bits_is_zero(range))
        add_product(l, p, atom, range);
    return p;
}

static struct polynomial *read_flag_moved(struct look *l, val c, int by)
{
    (void)by;
    return read_flag(l, c);
}

static struct polynomial *read_flag(struct look *l, val c)
{
    const struct term *t = term_get(c);
    if (t->op == TERM_CONST)
        return constant_polynomial(l, t->constant.v[0] ? ones(l->width) : ones(0));
    if (t->op == TERM_XOR || t->op == TERM_AND || t->op == TERM_OR)
        return read_logic(l, t, 0, read_flag_moved, ones(l->width),
                          t->constant.v[0] ? ones(l->width) : ones(0));
    if (t->op != TERM_CAT && t->op != TERM_CHOOSE)
        c = canonical(c);
    return one_atom(l, (struct atom){ .term = c, .is_everywhere = true }, ones(l->width));
}

/* Bits of t, moved up by `by`. */
static struct polynomial *read_term(struct look *l, val t, int by)
{
    const struct term *term = term_get(t);
    struct bits range = bits_and(moved(ones(term->width), by), ones(l->width));
    struct polynomial *p = NEW(struct polynomial);
    l->gives_up |= ++l->terms_read > MOST_READ;
    if (l->gives_up)
        return p;
    if (!is_bitwise(term)) {
        val same = canonical(t);
        if (same != t && is_bitwise(term_get(same)))
            return read_term(l, same, by);
        t = same;
    }
    switch (term_get(t)->op) {
    case TERM_CONST: return constant_polynomial(l, bits_and(moved(term->constant, by), range));
    case TERM_XOR: case TERM_AND: case TERM_OR:
        if (term->width == 1)
            break;
        return read_logic(l, term, by, read_term, range, bits_and(moved(term->constant, by), range));
    case TERM_CAT:   return read_pieces(l, term, by);
    case TERM_CHOOSE:
        if (term->width == 1)
            break;
        return read_choice(l, term, by);
    default: break;
    }
    if (term->width > 1)
        return one_atom(l, (struct atom){ .term = t, .moved = by }, range);
    add_all(l, p, read_flag(l, t), range);
    return p;
}

/* -- to terms -- */

static const struct look *sorting;      /* qsort() passes nothing of ours */

static int by_atoms(const void *a, const void *b)
{
    const struct product *p = a, *q = b;
    for (int i = 0; i < sorting->atom_count; i++) {
        int x = p->atoms >> i & 1, y = q->atoms >> i & 1;
        if (x != y)
            return y - x;
    }
    return 0;
}

static int by_term(const void *a, const void *b)
{
    const struct atom *x = a, *y = b;
    if (x->term != y->term)
        return x->term < y->term ? -1 : 1;
    return x->moved != y->moved ? x->moved - y->moved : x->is_everywhere - y->is_everywhere;
}

/* Atoms in the order of their terms: what does not depend on how they were found. */
static void sort_look(struct look *l, struct polynomial *p)
{
    struct atom found[MOST_ATOMS];
    uint64_t bit[MOST_ATOMS];
    memcpy(found, l->atoms, sizeof found);
    sort_array(l->atoms, l->atom_count, sizeof *l->atoms, by_term);
    for (int i = 0; i < l->atom_count; i++)
        for (int k = 0; k < l->atom_count; k++)
            if (by_term(&found[i], &l->atoms[k]) == 0)
                bit[i] = 1ull << k;
    for (int i = 0; i < p->n; i++) {
        uint64_t atoms = 0;
        for (int k = 0; k < l->atom_count; k++)
            atoms |= p->at[i].atoms >> k & 1 ? bit[k] : 0;
        p->at[i].atoms = atoms;
    }
    sorting = l;
    sort_array(p->at, p->n, sizeof *p->at, by_atoms);
}

static val term_of_atom(const struct look *l, const struct atom *a)
{
    int width = term_get(a->term)->width, low = a->moved > 0 ? a->moved : 0;
    int from = a->moved < 0 ? -a->moved : 0, n = width - from;
    if (a->is_everywhere)
        return term_choose(l->width, a->term, term_ones(l->width), term_zero(l->width));
    if (n > l->width - low)
        n = l->width - low;
    struct piece p[2] = { { term_zero(low ? low : 1), 0, (uint16_t)low },
                          { a->term, (uint16_t)from, (uint16_t)n } };
    return term_cat(l->width, p, COUNT(p));
}

static val term_of(const struct look *l, const struct polynomial *p)
{
    val sum = term_zero(l->width);
    for (int i = 0; i < p->n; i++) {
        val product = term_constant(l->width, p->at[i].mask);
        for (int k = 0; k < l->atom_count; k++)
            if (p->at[i].atoms >> k & 1)
                product = term_and(l->width, product, term_of_atom(l, &l->atoms[k]));
        sum = term_xor(l->width, sum, product);
    }
    return sum;
}

/* -- from below -- */

/* Results, for as long as the terms live. */
struct rebuilt { val from, to; };
static struct { struct arena arena; struct rebuilt *at; size_t n, slots; unsigned generation; } done;

static struct rebuilt *slot_of(val t)
{
    size_t i = t & (done.slots - 1);
    while (done.at[i].from && done.at[i].from != t)
        i = (i + 1) & (done.slots - 1);
    return &done.at[i];
}

static void remember(val from, val to)
{
    if (done.n * 2 >= done.slots) {
        const struct rebuilt *old = done.at;
        size_t n = done.slots;
        done.slots = n ? n * 2 : 1024;
        done.at = arena_alloc(&done.arena, sizeof *done.at * done.slots);
        for (size_t i = 0; i < n; i++)
            if (old[i].from)
                *slot_of(old[i].from) = old[i];
    }
    struct rebuilt *r = slot_of(from);
    done.n += r->from == 0;
    *r = (struct rebuilt){ from, to };
}

/* The same operation on the canonical operands. */
static val rebuild(const struct term *t)
{
    val *arg = NEW_ARRAY(val, t->count + 1);
    for (int i = 0; i < t->count; i++)
        arg[i] = term_operand(t, i) ? canonical(term_operand(t, i)) : 0;
    return term_rebuild(t, arg);
}

/* A sum moved up is a sum of larger coefficients; 0 when t is none. */
static val moved_sum(const struct term *t)
{
    struct bits low;
    if (t->op != TERM_CAT || t->count != 2 || !term_is_constant(t->of.piece[0].term, &low))
        return 0;
    struct piece p = t->of.piece[1];
    const struct term *sum = term_get(p.term);
    if (!bits_is_zero(low) || sum->op != TERM_SUM || p.lo != 0 || sum->width != t->width ||
        sum->lane != t->width)
        return 0;
    return term_sum(t->width, t->width, ones(0), &(struct addend){ p.term, 1ull << (t->width - p.n) }, 1);
}

static val bitwise(val t)
{
    struct look *l = NEW(struct look);
    l->width = term_get(t)->width;
    struct polynomial *p = read_term(l, t, 0);
    if (l->gives_up)
        return rebuild(term_get(t));
    sort_look(l, p);
    return term_of(l, p);
}

static val canonical(val t)
{
    const struct term *term = term_get(t);
    if (term->op == TERM_CONST || term->op == TERM_INPUT || work_left < 0)
        return t;
    if (done.slots && slot_of(t)->from)
        return slot_of(t)->to;
    val sum = moved_sum(term);
    if (sum && sum != t)
        return canonical(sum);
    struct mem_mark mark = mem_mark();
    val result = is_bitwise(term) && term->width > 1 ? bitwise(t) : rebuild(term);
    for (int s = 0; s < SAMPLES; s++)
        term_expect(result, s, term->sample[s]);
    mem_release_to(mark);
    remember(t, result);
    return result;
}

static int looks;

int term_second_looks(void) { return looks; }

val term_canonical(val t)
{
    looks++;
    if (done.generation != term_generation()) {
        arena_release(&done.arena);
        memset(&done, 0, sizeof done);
        done.generation = term_generation();
    }
    work_left = MOST_WORK;
    return canonical(t);
}

bool term_same_samples(val a, val b)
{
    for (int s = 0; s < SAMPLES; s++)
        if (!bits_equal(term_get(a)->sample[s], term_get(b)->sample[s]))
            return false;
    return true;
}

bool term_second_look(val *a, val *b)
{
    if (!term_same_samples(*a, *b))
        return false;
    *a = term_canonical(*a);
    *b = term_canonical(*b);
    return *a == *b;
}
