/* term_store.c: the table of terms, constants, inputs, and sample values.
 *
 * Terms are numbered from 1 in the order in which they are made, which is the
 * order that sorted operands use: a run of the same kernel gives the same
 * numbers, and a dump is stable. A term's samples are computed here, once,
 * from its arguments' samples and the pure functions of bits.h; the files that
 * rewrite compare against them (term_expect).
 */
#include "verify/term_store.h"

enum { CHUNK = 1 << 10, FIRST_SLOTS = 1 << 12 };

struct memo { struct term_key key; val result; };

static struct {
    struct arena arena;
    struct term **chunks;               /* of CHUNK terms each; term 0 is none */
    int chunk_count;
    int count;                          /* terms, with term 0 */
    val *slots;                         /* open addressing, a power of two */
    size_t slot_count;
    struct { const char *at[128]; int n; } names;       /* of inputs, each once */
    struct memo *memos;                 /* open addressing, a power of two */
    size_t memo_count, memo_slots;
} store;

void term_reset(void)
{
    arena_release(&store.arena);
    memset(&store, 0, sizeof store);
    store.count = 1;
    store.slot_count = FIRST_SLOTS;
    store.slots = arena_alloc(&store.arena, sizeof *store.slots * store.slot_count);
    store.memo_slots = FIRST_SLOTS;
    store.memos = arena_alloc(&store.arena, sizeof *store.memos * store.memo_slots);
}

static struct term *term_at(val t) { return &store.chunks[t / CHUNK][t % CHUNK]; }

/* Room for one more term. Chunks stay where they are, so pointers to terms do too. */
static struct term *add_term(void)
{
    int chunk = store.count / CHUNK;
    if (chunk == store.chunk_count) {
        struct term **chunks = arena_alloc(&store.arena, sizeof *chunks * (size_t)(chunk + 1));
        if (chunk > 0)
            memcpy(chunks, store.chunks, sizeof *chunks * (size_t)chunk);
        chunks[chunk] = arena_alloc(&store.arena, sizeof **chunks * CHUNK);
        store.chunks = chunks;
        store.chunk_count++;
    }
    return term_at((val)store.count++);
}

const struct term *term_get(val t)
{
    assert(t > 0 && t < (val)store.count);
    return term_at(t);
}

int term_count(void) { return store.count - 1; }

static uint64_t mix(uint64_t h, uint64_t x)
{
    h = (h ^ x) * 0x9e3779b97f4a7c15ull;
    return h ^ h >> 29;
}

static size_t operand_bytes(const struct term *t)
{
    switch (t->op) {
    case TERM_CAT: return t->count * sizeof *t->of.piece;
    case TERM_SUM: return t->count * sizeof *t->of.addend;
    default:       return t->count * sizeof *t->of.arg;
    }
}

static uint64_t hash_term(const struct term *t)
{
    uint64_t h = mix(0, (uint64_t)t->op | (uint64_t)t->sub << 8 | (uint64_t)t->width << 16 |
                            (uint64_t)t->lane << 24 | (uint64_t)t->count << 32);
    h = mix(mix(mix(mix(h, (uint64_t)t->imm), t->constant.v[0]), t->constant.v[1]),
            (uint64_t)t->index);
    for (int i = 0; i < t->count; i++) {
        if (t->op == TERM_CAT)
            h = mix(h, (uint64_t)t->of.piece[i].term << 32 | (uint64_t)t->of.piece[i].lo << 16 |
                           t->of.piece[i].n);
        else if (t->op == TERM_SUM)
            h = mix(mix(h, t->of.addend[i].term), t->of.addend[i].factor);
        else
            h = mix(h, t->of.arg[i]);
    }
    return h;
}

static bool same_operands(const struct term *a, const struct term *b)
{
    for (int i = 0; i < a->count; i++) {
        if (a->op == TERM_CAT) {
            const struct piece *p = &a->of.piece[i], *q = &b->of.piece[i];
            if (p->term != q->term || p->lo != q->lo || p->n != q->n)
                return false;
        } else if (a->op == TERM_SUM) {
            if (a->of.addend[i].term != b->of.addend[i].term ||
                a->of.addend[i].factor != b->of.addend[i].factor)
                return false;
        } else if (a->of.arg[i] != b->of.arg[i]) {
            return false;
        }
    }
    return true;
}

static bool same_term(const struct term *a, const struct term *b)
{
    return a->op == b->op && a->sub == b->sub && a->width == b->width && a->lane == b->lane &&
           a->count == b->count && a->imm == b->imm && a->index == b->index &&
           bits_equal(a->constant, b->constant) && same_operands(a, b);
}

/* -- samples -- */

static struct bits sample_of(val t, int i) { return t ? term_get(t)->sample[i] : ones(0); }

static struct bits sample_input(const struct term *t, int i)
{
    uint64_t r = mix(mix(mix(0x6b67656e, (uint64_t)t->imm), (uint64_t)t->index), (uint64_t)i);
    struct bits edge[] = { { { 0, 0 } }, { { 1, 0 } }, ones(t->width),
                           bits_xor(ones(t->width), ones(t->width - 1)) };
    if (i == 1)
        return edge[r % COUNT(edge)];
    if (i == 2)
        return edge[0];
    return bits_and((struct bits){ { mix(r, 1), mix(r, 2) } }, ones(t->width));
}

static struct bits sample_cat(const struct term *t, int s)
{
    struct bits sum = { { 0, 0 } };
    for (int i = 0, at = 0; i < t->count; at += t->of.piece[i++].n) {
        const struct piece *p = &t->of.piece[i];
        struct bits part = bits_field(t->width, sample_of(p->term, s), p->lo, p->n, false);
        sum = bits_or(sum, bits_left(part, at));
    }
    return sum;
}

/* Lanes of 1 bit (flags) have no lane operation of their own: AND is add's and
 * XOR's replacement there, and sums of flags are never made. */
static struct bits sample_sum(const struct term *t, int s)
{
    struct bits sum = t->constant;
    for (int i = 0; i < t->count; i++) {
        struct bits factor = { { 0, 0 } };
        for (int at = 0; at < t->width; at += t->lane)
            factor = bits_or(factor, bits_left((struct bits){ { t->of.addend[i].factor, 0 } }, at));
        struct bits product = bits_lanes(LANE_MUL, t->width, t->lane, factor,
                                         sample_of(t->of.addend[i].term, s));
        sum = bits_lanes(LANE_ADD, t->width, t->lane, sum, product);
    }
    return sum;
}

static struct bits sample_logic(const struct term *t, int s)
{
    struct bits r = t->op == TERM_AND ? ones(t->width) : t->constant;
    for (int i = 0; i < t->count; i++) {
        struct bits x = sample_of(t->of.arg[i], s);
        r = t->op == TERM_AND ? bits_and(r, x) : t->op == TERM_OR ? bits_or(r, x) : bits_xor(r, x);
    }
    return r;
}

static struct bits sample_table(const struct term *t, int s)
{
    struct bits tables[4];
    for (int i = 0; i < t->count - 2; i++)
        tables[i] = sample_of(t->of.arg[i], s);
    return bits_table(t->width / 8, t->count - 2, tables, sample_of(t->of.arg[t->count - 2], s),
                      sample_of(t->of.arg[t->count - 1], s));
}

static struct bits sample_term(const struct term *t, int s)
{
    struct bits a = { { 0, 0 } }, b = a, c = a;
    if (t->op >= TERM_LANES && t->op != TERM_TABLE) {
        a = t->count > 0 ? sample_of(t->of.arg[0], s) : a;
        b = t->count > 1 ? sample_of(t->of.arg[1], s) : b;
        c = t->count > 2 ? sample_of(t->of.arg[2], s) : c;
    }
    int n = t->imm;             /* the operands' width, where the result's differs */
    switch ((enum term_op)t->op) {
    case TERM_CONST:    return t->constant;
    case TERM_INPUT:    return sample_input(t, s);
    case TERM_CAT:      return sample_cat(t, s);
    case TERM_XOR: case TERM_AND: case TERM_OR: return sample_logic(t, s);
    case TERM_SUM:      return sample_sum(t, s);
    case TERM_LANES:    return bits_lanes((enum lane_op)t->sub, t->width, t->lane, a, b);
    case TERM_WIDE:     return bits_widen_multiply((enum wide_op)t->sub, t->width, t->lane, a, b);
    case TERM_TABLE:    return sample_table(t, s);
    case TERM_CARRY:    return (struct bits){ { bits_carry(n, a, b, c.v[0]), 0 } };
    case TERM_OVERFLOW: return (struct bits){ { bits_overflow(n, a, b, c.v[0]), 0 } };
    case TERM_IS_ZERO:  return (struct bits){ { bits_is_zero(a), 0 } };
    case TERM_HIGH:     return bits_multiply_high(t->sub, a, b);
    case TERM_CHOOSE:   return a.v[0] ? b : c;
    case TERM_CRYPTO:   return bits_crypto((enum crypto_op)t->sub, a, b, c);
    }
    assert(0 && "a term operation");
    return a;
}

void term_expect(val result, int i, struct bits expected)
{
    assert(bits_equal(term_get(result)->sample[i], expected));
    (void)result, (void)i, (void)expected;
}

/* -- interning -- */

static void grow_slots(void)
{
    store.slot_count *= 2;
    store.slots = arena_alloc(&store.arena, sizeof *store.slots * store.slot_count);
    for (val t = 1; t < (val)store.count; t++) {
        size_t i = hash_term(term_at(t)) & (store.slot_count - 1);
        while (store.slots[i])
            i = (i + 1) & (store.slot_count - 1);
        store.slots[i] = t;
    }
}

val term_operand(const struct term *t, int i)
{
    return t->op == TERM_CAT ? t->of.piece[i].term
           : t->op == TERM_SUM ? t->of.addend[i].term : t->of.arg[i];
}

static bool any_secret(const struct term *t)
{
    for (int i = 0; i < t->count; i++)
        if (term_get(term_operand(t, i))->secret)
            return true;
    return t->secret;
}

static void keep_operands(struct term *t)
{
    size_t n = operand_bytes(t);
    if (n == 0)
        return;
    void *copy = arena_alloc(&store.arena, n);
    memcpy(copy, t->of.arg, n);
    t->of.arg = copy;
}

val term_intern(struct term *t)
{
    size_t i = hash_term(t) & (store.slot_count - 1);
    for (; store.slots[i]; i = (i + 1) & (store.slot_count - 1))
        if (same_term(term_at(store.slots[i]), t))
            return store.slots[i];
    keep_operands(t);
    t->secret = any_secret(t);
    for (int s = 0; s < SAMPLES; s++)
        t->sample[s] = sample_term(t, s);
    val made = (val)store.count;
    *add_term() = *t;
    store.slots[i] = made;
    if ((size_t)store.count * 2 > store.slot_count)
        grow_slots();
    return made;
}

/* -- operations done before -- */

static struct memo *memo_slot(struct term_key key)
{
    uint64_t h = mix(mix(key.what, (uint64_t)key.a << 32 | key.b), key.c);
    for (size_t i = h & (store.memo_slots - 1);; i = (i + 1) & (store.memo_slots - 1)) {
        struct memo *m = &store.memos[i];
        if (m->result == 0 || (m->key.what == key.what && m->key.a == key.a && m->key.b == key.b &&
                               m->key.c == key.c))
            return m;
    }
}

val term_recall(struct term_key key) { return memo_slot(key)->result; }

static void grow_memos(void)
{
    struct memo *old = store.memos;
    size_t n = store.memo_slots;
    store.memo_slots *= 2;
    store.memos = arena_alloc(&store.arena, sizeof *store.memos * store.memo_slots);
    for (size_t i = 0; i < n; i++)
        if (old[i].result)
            *memo_slot(old[i].key) = old[i];
}

val term_remember(struct term_key key, val result)
{
    *memo_slot(key) = (struct memo){ key, result };
    if (++store.memo_count * 2 > store.memo_slots)
        grow_memos();
    return result;
}

val term_constant(int width, struct bits v)
{
    return term_intern(&(struct term){ .op = TERM_CONST, .width = (uint8_t)width,
                                       .constant = bits_and(v, ones(width)) });
}

/* Names live in the store's arena: a caller's may be freed before it. */
static const char *input_name(const char *name)
{
    for (int i = 0; i < store.names.n; i++)
        if (strcmp(store.names.at[i], name) == 0)
            return store.names.at[i];
    char *copy = arena_alloc(&store.arena, strlen(name) + 1);
    strcpy(copy, name);
    assert(store.names.n < COUNT(store.names.at));
    return store.names.at[store.names.n++] = copy;
}

static int name_number(const char *kept)
{
    int i = 0;
    while (store.names.at[i] != kept)
        i++;
    return i;
}

val term_input(int width, const char *name, int64_t index, enum input_kind kind)
{
    const char *kept = input_name(name);
    return term_intern(&(struct term){ .op = TERM_INPUT, .width = (uint8_t)width,
                                       .imm = name_number(kept), .name = kept, .index = index,
                                       .secret = kind == INPUT_SECRET });
}

bool term_is_constant(val t, struct bits *out)
{
    const struct term *term = term_get(t);
    if (term->op != TERM_CONST)
        return false;
    *out = term->constant;
    return true;
}
