/* cells.c: see cells.h; and the term domain, which is term.h's constructors
 * with this memory behind load and store. */
#include "verify/cells.h"

#include <string.h>

#include "verify/term_store.h"

struct region *cells_add(struct cells *m, const char *name, uint64_t base, uint64_t size, int access)
{
    struct region *r = vec_add(&m->regions);
    uint64_t window = size < REGION_WINDOW ? size : REGION_WINDOW;
    *r = (struct region){ .name = name, .base = base, .size = size, .window = window,
                          .access = access, .cells = NEW_ARRAY(struct cell, window + 1) };
    return r;
}

struct region *cells_find(struct cells *m, uint64_t address)
{
    for (int i = 0; i < m->regions.n; i++) {
        struct region *r = &m->regions.at[i];
        if (address - r->base < r->size)
            return r;
    }
    return NULL;
}

static void put(struct region *r, uint64_t address, int bytes, val v, bool written)
{
    for (int i = 0; i < bytes; i++)
        r->cells[address - r->base + (uint64_t)i] = (struct cell){ v, (uint8_t)i, written };
}

void cells_set(struct cells *m, uint64_t address, int bytes, val v)
{
    struct region *r = cells_find(m, address);
    assert(r && r->window >= address - r->base + (uint64_t)bytes);
    put(r, address, bytes, v, false);
}

struct cells *cells_copy(const struct cells *m)
{
    struct cells *copy = NEW(struct cells);
    for (int i = 0; i < m->regions.n; i++) {
        const struct region *r = &m->regions.at[i];
        struct region *to = cells_add(copy, r->name, r->base, r->size, r->access);
        memcpy(to->cells, r->cells, sizeof *r->cells * r->window);
        for (uint64_t k = 0; k < r->window; k++)
            to->cells[k].written = false;
    }
    return copy;
}

static struct region *permitted(struct cells *m, uint64_t address, int bytes, int access)
{
    struct region *r = cells_find(m, address);
    if (r && (r->access & access) && r->window >= address - r->base + (uint64_t)bytes)
        return r;
    if (!m->fault) {
        m->fault = !r ? "an access outside every object"
                   : !(r->access & access) ? "an access that the object does not permit"
                                           : r->window < r->size ? "an access beyond the prefix that is run"
                                         : "an access past the end of an object";
        m->fault_address = address;
        m->is_beyond = r && (r->access & access) && r->window < r->size;
    }
    return NULL;
}

/* One more byte for an access that has N pieces so far; gives how many it has
 * then. What is read as it was stored is one piece. */
static int add_byte(struct piece *p, int n, const struct cell *c)
{
    if (n > 0 && p[n - 1].term == c->term && p[n - 1].lo + p[n - 1].n == c->byte * 8) {
        p[n - 1].n = (uint16_t)(p[n - 1].n + 8);
        return n;
    }
    p[n] = (struct piece){ c->term, (uint16_t)(c->byte * 8), 8 };
    return n + 1;
}

/* The term that was stored here as these bytes, or 0. */
static val whole_term(const struct cell *c, int bytes)
{
    if (!c->term || term_get(c->term)->width != bytes * 8)
        return 0;
    for (int i = 0; i < bytes; i++)
        if (c[i].term != c->term || c[i].byte != i)
            return 0;
    return c->term;
}

val cells_load(struct cells *m, uint64_t address, int bytes)
{
    struct piece p[64];
    struct region *r = permitted(m, address, bytes, REGION_READ);
    val whole = r ? whole_term(&r->cells[address - r->base], bytes) : 0;
    if (whole)
        return whole;
    int n = 0;
    for (int i = 0; r && i < bytes; i++) {
        const struct cell *c = &r->cells[address - r->base + (uint64_t)i];
        if (!c->term) {
            m->fault = m->fault ? m->fault : "a read of memory that was never written";
            m->fault_address = address + (uint64_t)i;
            r = NULL;
        } else {
            n = add_byte(p, n, c);
        }
    }
    if (r && n == 1 && p[0].lo == 0 && term_get(p[0].term)->width == bytes * 8)
        return p[0].term;
    return r ? term_cat(bytes * 8, p, n) : term_zero(bytes * 8);
}

void cells_store(struct cells *m, uint64_t address, int bytes, val v)
{
    struct region *r = permitted(m, address, bytes, REGION_WRITE);
    assert(term_get(v)->width == bytes * 8);
    if (!r)
        return;
    put(r, address, bytes, v, true);
    vec_push(&m->stores, ((struct store_record){ address, bytes, v }));
}

const char *cells_describe(const struct cells *m, uint64_t address)
{
    enum { NEAR = 256 };
    for (int i = 0; i < m->regions.n; i++) {
        const struct region *r = &m->regions.at[i];
        if (address - r->base < r->size + NEAR)
            return mem_format("byte %llu of %s (%llu bytes)", (unsigned long long)(address - r->base),
                              r->name, (unsigned long long)r->size);
        if (r->base - address <= NEAR)
            return mem_format("%llu bytes before %s", (unsigned long long)(r->base - address), r->name);
    }
    return mem_format("address 0x%llx", (unsigned long long)address);
}

val cell_value(const struct cell *c)
{
    return term_cat(8, &(struct piece){ c->term, (uint16_t)(c->byte * 8), 8 }, 1);
}

/* -- the domain -- */

static val on_constant(struct domain *d, int bits, const uint64_t v[2])
{
    (void)d;
    return term_constant(bits, (struct bits){ { v[0], bits > 64 ? v[1] : 0 } });
}

/* Division takes as long as its operands say: a secret must not reach it. */
static val on_lanes(struct domain *d, enum lane_op op, int width, int lane, val a, val b)
{
    if ((op == LANE_UDIV || op == LANE_SDIV) && (d->is_secret(d, a) || d->is_secret(d, b)))
        d->fault = "a division depends on a secret";
    struct term_key key = TERM_KEY(TERM_LANES, op, width, lane, 0, a, b, 0);
    val known_result = term_recall(key);
    return known_result ? known_result : term_remember(key, term_lanes(op, width, lane, a, b));
}

static val on_shift(struct domain *d, enum shift_op op, int width, int lane, val a, int amount)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CAT, op, width, lane, amount, a, 0, 0);
    val known = term_recall(key);
    return known ? known : term_remember(key, term_shift(op, width, lane, a, amount));
}

static val on_widen(struct domain *d, enum wide_op op, int width, int lane, val a, val b)
{
    (void)d;
    return term_widen_multiply(op, width, lane, a, b);
}

static val on_permute(struct domain *d, int bytes, int count, int source_bytes, const val *source,
                      const uint8_t *from)
{
    (void)d;
    return term_permute(bytes, count, source_bytes, source, from);
}

static val on_table(struct domain *d, int bytes, int count, const val *tables, val index, val otherwise)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_TABLE, 0, bytes, 0, 0, tables[0], index, otherwise);
    if (count > 1)
        return term_table(bytes, count, tables, index, otherwise);
    val known = term_recall(key);
    return known ? known : term_remember(key, term_table(bytes, count, tables, index, otherwise));
}

static val on_field(struct domain *d, int width, val a, int lo, int n, bool is_signed)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_INPUT, is_signed, width, lo, n, a, 0, 0);
    val known = term_recall(key);
    return known ? known : term_remember(key, term_field(width, a, lo, n, is_signed));
}

static val on_insert(struct domain *d, int width, val a, val b, int lo, int n)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CONST, 0, width, lo, n, a, b, 0);
    val known = term_recall(key);
    return known ? known : term_remember(key, term_insert(width, a, b, lo, n));
}

static val on_carry(struct domain *d, int width, val a, val b, val c)
{
    (void)d;
    return term_carry(width, a, b, c);
}

static val on_overflow(struct domain *d, int width, val a, val b, val c)
{
    (void)d;
    return term_overflow(width, a, b, c);
}

static val on_is_zero(struct domain *d, int width, val a)
{
    (void)d;
    return term_is_zero(width, a);
}

static val on_add_carry(struct domain *d, int width, val a, val b, val c)
{
    (void)d;
    return term_add_carry(width, a, b, c);
}

static val on_multiply_high(struct domain *d, bool is_signed, val a, val b)
{
    (void)d;
    return term_multiply_high(is_signed, a, b);
}

static val on_choose(struct domain *d, int width, val c, val a, val b)
{
    (void)d;
    return term_choose(width, c, a, b);
}

static val on_crypto(struct domain *d, enum crypto_op op, val a, val b, val c)
{
    (void)d;
    struct term_key key = TERM_KEY(TERM_CRYPTO, op, 0, 0, 0, a, b, c);
    val known = term_recall(key);
    return known ? known : term_remember(key, term_crypto(op, a, b, c));
}

static void on_declassify(struct domain *d, val a)
{
    struct term_domain *t = (struct term_domain *)d;
    if (term_get(a)->op != TERM_CONST)
        vec_push(&t->declassified->at, a);
}

/* Is everything in t a constant or declassified? */
static bool is_public(const struct term_domain *d, val t)
{
    const struct term *term = term_get(t);
    for (int i = 0; i < d->declassified->at.n; i++)
        if (d->declassified->at.at[i] == t)
            return true;
    for (int i = 0; i < term->count; i++)
        if (!is_public(d, term_operand(term, i)))
            return false;
    return term->op != TERM_INPUT;
}

bool term_is_secret(const struct term_domain *d, val t)
{
    return term_get(t)->secret && !(d->declassified->at.n > 0 && is_public(d, t));
}

static bool on_is_secret(struct domain *d, val a)
{
    return term_is_secret((const struct term_domain *)d, a);
}

static bool on_number(struct domain *d, val a, uint64_t *out)
{
    const struct term_domain *t = (struct term_domain *)d;
    const struct term *term = term_get(a);
    if (term->op == TERM_CONST || (t->declassified->at.n > 0 && is_public(t, a))) {
        *out = term->sample[t->assignment].v[0];
        return true;
    }
    if (!d->fault)
        d->fault = "a branch, an address or a count depends on a secret";
    return false;
}

/* A fault of the memory is the domain's, told with where it was. */
static void pass_fault(struct term_domain *t)
{
    const struct cells *m = t->memory;
    if (m->fault && !t->domain.fault)
        t->domain.fault = mem_format("%s, at %s", m->fault, cells_describe(m, m->fault_address));
}

static val on_load(struct domain *d, val address, int bytes)
{
    struct term_domain *t = (struct term_domain *)d;
    uint64_t at;
    val v = on_number(d, address, &at) ? cells_load(t->memory, at, bytes) : term_zero(bytes * 8);
    pass_fault(t);
    return v;
}

static void on_store(struct domain *d, val address, int bytes, val v)
{
    struct term_domain *t = (struct term_domain *)d;
    uint64_t at;
    if (on_number(d, address, &at))
        cells_store(t->memory, at, bytes, v);
    pass_fault(t);
}

void term_domain_init(struct term_domain *d, struct cells *memory)
{
    *d = (struct term_domain){
        .domain = { .name = "terms", .constant = on_constant, .lanes = on_lanes, .shift = on_shift,
                    .widen_multiply = on_widen, .permute = on_permute, .table = on_table,
                    .field = on_field, .insert = on_insert, .carry = on_carry,
                    .overflow = on_overflow, .is_zero = on_is_zero, .add_carry = on_add_carry,
                    .multiply_high = on_multiply_high, .choose = on_choose, .crypto = on_crypto,
                    .load = on_load, .store = on_store, .number = on_number,
                    .declassify = on_declassify, .is_secret = on_is_secret },
        .memory = memory,
        .declassified = NEW(struct term_set),
    };
}
