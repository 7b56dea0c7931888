/* term_store.c: the table of terms, constants, inputs, and sample values.
 *
 * Terms are numbered from 1 in the order in which they are made, which is the
 * order that sorted operands use: a run of the same kernel gives the same
 * numbers, and a dump is stable. A term's samples are computed here, once,
 * from its arguments' samples and the pure functions of bits.h; the files that
 * rewrite compare against them (term_expect).
 */
#include "verify/term_store.h"

/* MEMOS: operations of one kernel, mostly; they are a third of a second-level cache. */
enum { CHUNK = 1 << 10, FIRST_SLOTS = 1 << 12, MEMOS = 1 << 16, CONSTANTS = 1 << 9 };

struct slot { uint32_t hash; val term; };
struct memo { struct term_key key; val result; };
struct known { struct bits v; int width; val term; };

static struct {
    struct arena arena;
    struct term **chunks;               /* of CHUNK terms each; term 0 is none */
    int chunk_count;
    int count;                          /* terms, with term 0 */
    struct slot *slots;                 /* open addressing, a power of two */
    size_t slot_count;
    struct { const char *at[128]; int n; } names;       /* of inputs, each once */
} store;

/* Caches: each entry the last one that belongs there. */
static unsigned generation;
static struct memo memos[MEMOS];
static struct known constants[CONSTANTS];

void term_reset(void)
{
    arena_release(&store.arena);
    memset(&store, 0, sizeof store);
    generation++;
    store.count = 1;
    store.slot_count = FIRST_SLOTS;
    store.slots = arena_alloc(&store.arena, sizeof *store.slots * store.slot_count);
    memset(memos, 0, sizeof memos);
    memset(constants, 0, sizeof constants);
}

unsigned term_generation(void) { return generation; }

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

val term_operand(const struct term *t, int i)
{
    return t->op == TERM_CAT ? t->of.piece[i].term
           : t->op == TERM_SUM ? t->of.addend[i].term : t->of.arg[i];
}

/* -- samples -- */

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

static struct bits value_of_cat(const struct term *t, const struct bits *operand)
{
    struct bits sum = { { 0, 0 } };
    for (int i = 0, at = 0; i < t->count; at += t->of.piece[i++].n) {
        const struct piece *p = &t->of.piece[i];
        struct bits part = bits_field(t->width, operand[i], p->lo, p->n, false);
        sum = bits_or(sum, bits_left(part, at));
    }
    return sum;
}

/* Lanes of 1 bit (flags) have no lane operation of their own: AND is add's and
 * XOR's replacement there, and sums of flags are never made. */
static struct bits value_of_sum(const struct term *t, const struct bits *operand)
{
    struct bits sum = t->constant;
    for (int i = 0; i < t->count; i++) {
        struct bits factor = { { 0, 0 } };
        for (int at = 0; at < t->width; at += t->lane)
            factor = bits_or(factor, bits_left((struct bits){ { t->of.addend[i].factor, 0 } }, at));
        struct bits product = bits_lanes(LANE_MUL, t->width, t->lane, factor, operand[i]);
        sum = bits_lanes(LANE_ADD, t->width, t->lane, sum, product);
    }
    return sum;
}

static struct bits value_of_logic(const struct term *t, const struct bits *operand)
{
    struct bits r = t->op == TERM_AND ? ones(t->width) : t->constant;
    for (int i = 0; i < t->count; i++) {
        struct bits x = operand[i];
        r = t->op == TERM_AND ? bits_and(r, x) : t->op == TERM_OR ? bits_or(r, x) : bits_xor(r, x);
    }
    return r;
}

struct bits term_value(const struct term *t, const struct bits *operand)
{
    struct bits none = { { 0, 0 } };
    struct bits a = t->count > 0 ? operand[0] : none, b = t->count > 1 ? operand[1] : none;
    struct bits c = t->count > 2 ? operand[2] : none;
    int n = t->imm;             /* the operands' width, where the result's differs */
    switch ((enum term_op)t->op) {
    case TERM_CONST:    return t->constant;
    case TERM_INPUT:    break;
    case TERM_CAT:      return value_of_cat(t, operand);
    case TERM_XOR: case TERM_AND: case TERM_OR: return value_of_logic(t, operand);
    case TERM_SUM:      return value_of_sum(t, operand);
    case TERM_LANES:    return bits_lanes((enum lane_op)t->sub, t->width, t->lane, a, b);
    case TERM_WIDE:     return bits_widen_multiply((enum wide_op)t->sub, t->width, t->lane, a, b);
    case TERM_TABLE:    return bits_table(t->width / 8, t->count - 2, operand, operand[t->count - 2],
                                          operand[t->count - 1]);
    case TERM_CARRY:    return (struct bits){ { bits_carry(n, a, b, c.v[0]), 0 } };
    case TERM_OVERFLOW: return (struct bits){ { bits_overflow(n, a, b, c.v[0]), 0 } };
    case TERM_IS_ZERO:  return (struct bits){ { bits_is_zero(a), 0 } };
    case TERM_HIGH:     return bits_multiply_high(t->sub, a, b);
    case TERM_CHOOSE:   return a.v[0] ? b : c;
    case TERM_CRYPTO:   return bits_crypto((enum crypto_op)t->sub, a, b, c);
    }
    assert(0 && "the value of an input follows from nothing");
    return none;
}

static struct bits sample_term(const struct term *t, int s)
{
    enum { FEW = 64 };
    struct bits few[FEW], *operand = few;
    if (t->op == TERM_INPUT)
        return sample_input(t, s);
    if (t->count > FEW)
        operand = NEW_ARRAY(struct bits, t->count);
    for (int i = 0; i < t->count; i++) {
        val of = term_operand(t, i);
        operand[i] = of ? term_get(of)->sample[s] : ones(0);
    }
    return term_value(t, operand);
}

void term_expect(val result, int i, struct bits expected)
{
    assert(bits_equal(term_get(result)->sample[i], expected));
    (void)result, (void)i, (void)expected;
}

/* -- interning -- */

/* The slot of an equal term, or the empty one where it belongs. */
static struct slot *slot_of(const struct term *t, uint32_t hash)
{
    size_t i = hash & (store.slot_count - 1);
    while (store.slots[i].term &&
           (store.slots[i].hash != hash || !same_term(term_at(store.slots[i].term), t)))
        i = (i + 1) & (store.slot_count - 1);
    return &store.slots[i];
}

static void grow_slots(void)
{
    const struct slot *old = store.slots;
    size_t n = store.slot_count;
    store.slot_count *= 2;
    store.slots = arena_alloc(&store.arena, sizeof *store.slots * store.slot_count);
    for (size_t k = 0; k < n; k++) {
        size_t i = old[k].hash & (store.slot_count - 1);
        while (old[k].term && store.slots[i].term)
            i = (i + 1) & (store.slot_count - 1);
        if (old[k].term)
            store.slots[i] = old[k];
    }
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

static struct bits possible_bits(const struct term *t)
{
    struct bits sum = { { 0, 0 } };
    if (t->op == TERM_CONST)
        return t->constant;
    if (t->op != TERM_CAT)
        return ones(t->width);
    for (int i = 0, at = 0; i < t->count; at += t->of.piece[i++].n) {
        const struct term *piece = term_get(t->of.piece[i].term);
        bool is_known = piece->op == TERM_CONST;
        sum = bits_or(sum, bits_left(is_known ? piece->constant : ones(t->of.piece[i].n), at));
    }
    return sum;
}

static uint8_t choice_depth(const struct term *t)
{
    if (t->op != TERM_CHOOSE)
        return 0;
    uint8_t a = term_get(t->of.arg[1])->depth, b = term_get(t->of.arg[2])->depth;
    uint8_t most = a > b ? a : b;
    return most < UINT8_MAX ? (uint8_t)(most + 1) : most;
}

val term_intern(struct term *t)
{
    uint32_t hash = (uint32_t)hash_term(t);
    struct slot *slot = slot_of(t, hash);
    if (slot->term)
        return slot->term;
    keep_operands(t);
    t->secret = any_secret(t);
    t->possible = possible_bits(t);
    t->depth = choice_depth(t);
    for (int s = 0; s < SAMPLES; s++)
        t->sample[s] = sample_term(t, s);
    val made = (val)store.count;
    *add_term() = *t;
    *slot = (struct slot){ hash, made };
    if ((size_t)store.count * 2 > store.slot_count)
        grow_slots();
    return made;
}

/* -- operations done before -- */

static struct memo *memo_of(struct term_key key)
{
    return &memos[mix(mix(key.what, (uint64_t)key.a << 32 | key.b), key.c) & (MEMOS - 1)];
}

val term_recall(struct term_key key)
{
    const struct memo *m = memo_of(key);
    bool is_same = m->key.what == key.what && m->key.a == key.a && m->key.b == key.b && m->key.c == key.c;
    return is_same ? m->result : 0;
}

val term_remember(struct term_key key, val result)
{
    *memo_of(key) = (struct memo){ key, result };
    return result;
}

val term_constant(int width, struct bits v)
{
    v = bits_and(v, ones(width));
    uint64_t h = mix(mix((uint64_t)width, v.v[0]), v.v[1]);
    struct known *k = &constants[h & (CONSTANTS - 1)];
    if (k->term == 0 || k->width != width || !bits_equal(k->v, v))
        *k = (struct known){ v, width,
                             term_intern(&(struct term){ .op = TERM_CONST, .width = (uint8_t)width,
                                                         .constant = v }) };
    return k->term;
}

/* Names live in the store's arena: a caller's may be freed before it. */
int term_name(const char *name)
{
    for (int i = 0; i < store.names.n; i++)
        if (strcmp(store.names.at[i], name) == 0)
            return i;
    char *copy = arena_alloc(&store.arena, strlen(name) + 1);
    strcpy(copy, name);
    assert(store.names.n < COUNT(store.names.at));
    store.names.at[store.names.n] = copy;
    return store.names.n++;
}

val term_symbol(int width, int name, int64_t index, enum input_kind kind)
{
    return term_intern(&(struct term){ .op = TERM_INPUT, .width = (uint8_t)width, .imm = name,
                                       .name = store.names.at[name], .index = index,
                                       .secret = kind == INPUT_SECRET,
                                       .is_public = kind == INPUT_PUBLIC });
}

val term_input(int width, const char *name, int64_t index, enum input_kind kind)
{
    return term_symbol(width, term_name(name), index, kind);
}

bool term_is_constant(val t, struct bits *out)
{
    const struct term *term = term_get(t);
    if (term->op != TERM_CONST)
        return false;
    *out = term->constant;
    return true;
}
