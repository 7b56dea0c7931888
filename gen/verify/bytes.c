/* bytes.c: the byte domain, domain.h's operations on known bits.
 *
 * Takes values by number into one growing table; every operation is bits.h's.
 * recycle() keeps the table small in long runs. Gives faults instead of reads
 * or writes outside the regions.
 * Does not: know machine code.
 */
#include "verify/bytes.h"

#include <assert.h>
#include <inttypes.h>

static struct byte_domain *of(struct domain *d)
{
    return (struct byte_domain *)d;     /* its first member */
}

val byte_value(struct byte_domain *d, int width, struct bits bits)
{
    vec_push(&d->values, ((struct byte_value){ bits, width }));
    return (val)(d->values.n - 1);
}

struct bits byte_bits(const struct byte_domain *d, val v)
{
    assert(v != 0 && v < (val)d->values.n);
    return d->values.at[v].bits;
}

/* An operand of exactly WIDTH bits. */
static struct bits known(struct domain *d, val v, int width)
{
    assert(v != 0 && of(d)->values.at[v].width == width);
    (void)width;
    return byte_bits(of(d), v);
}

static val make(struct domain *d, int width, struct bits bits)
{
    return byte_value(of(d), width, bits);
}

/* -- operations -- */

static val bytes_constant(struct domain *d, int bits, const uint64_t v[2])
{
    return make(d, bits, (struct bits){ { v[0], bits > 64 ? v[1] : 0 } });
}

static val bytes_lanes(struct domain *d, enum lane_op op, int width, int lane, val a, val b)
{
    const struct bits none = { { 0, 0 } };
    return make(d, width, bits_lanes(op, width, lane, known(d, a, width),
                                     b == 0 ? none : known(d, b, width)));
}

static val bytes_shift(struct domain *d, enum shift_op op, int width, int lane, val a, int amount)
{
    return make(d, width, bits_shift(op, width, lane, known(d, a, width), amount));
}

static val bytes_widen_multiply(struct domain *d, enum wide_op op, int width, int lane, val a, val b)
{
    return make(d, width, bits_widen_multiply(op, width, lane, known(d, a, width / 2),
                                              known(d, b, width / 2)));
}

static val bytes_permute(struct domain *d, int result_bytes, int source_count, int source_bytes,
                         const val *source, const uint8_t *from)
{
    struct bits sources[16];
    assert(source_count <= COUNT(sources));
    for (int i = 0; i < source_count; i++)
        sources[i] = known(d, source[i], 8 * source_bytes);
    return make(d, 8 * result_bytes,
                bits_permute(result_bytes, source_count, source_bytes, sources, from));
}

static val bytes_table(struct domain *d, int result_bytes, int count, const val *tables, val index,
                       val otherwise)
{
    struct bits sources[4], rest = { { 0, 0 } };
    assert(count <= COUNT(sources));
    for (int i = 0; i < count; i++)
        sources[i] = known(d, tables[i], 128);
    if (otherwise != 0)
        rest = known(d, otherwise, 8 * result_bytes);
    return make(d, 8 * result_bytes,
                bits_table(result_bytes, count, sources, known(d, index, 8 * result_bytes), rest));
}

static val bytes_field(struct domain *d, int width, val a, int lo, int n, bool is_signed)
{
    assert(lo + n <= of(d)->values.at[a].width);
    return make(d, width, bits_field(width, byte_bits(of(d), a), lo, n, is_signed));
}

static val bytes_insert(struct domain *d, int width, val a, val b, int lo, int n)
{
    assert(n <= of(d)->values.at[b].width);
    return make(d, width, bits_insert(width, known(d, a, width), byte_bits(of(d), b), lo, n));
}

static bool flag_of(struct domain *d, val c)
{
    return known(d, c, 1).v[0] != 0;
}

static val bytes_carry(struct domain *d, int width, val a, val b, val c)
{
    bool carry = bits_carry(width, known(d, a, width), known(d, b, width), flag_of(d, c));
    return make(d, 1, (struct bits){ { carry, 0 } });
}

static val bytes_overflow(struct domain *d, int width, val a, val b, val c)
{
    bool overflow = bits_overflow(width, known(d, a, width), known(d, b, width), flag_of(d, c));
    return make(d, 1, (struct bits){ { overflow, 0 } });
}

static val bytes_is_zero(struct domain *d, int width, val a)
{
    return make(d, 1, (struct bits){ { bits_is_zero(known(d, a, width)), 0 } });
}

static val bytes_add_carry(struct domain *d, int width, val a, val b, val c)
{
    return make(d, width,
                bits_add_carry(width, known(d, a, width), known(d, b, width), flag_of(d, c)));
}

static val bytes_multiply_high(struct domain *d, bool is_signed, val a, val b)
{
    return make(d, 64, bits_multiply_high(is_signed, known(d, a, 64), known(d, b, 64)));
}

static val bytes_choose(struct domain *d, int width, val c, val a, val b)
{
    struct bits yes = known(d, a, width), no = known(d, b, width);
    return make(d, width, flag_of(d, c) ? yes : no);
}

static val bytes_crypto(struct domain *d, enum crypto_op op, val a, val b, val c)
{
    const struct bits none = { { 0, 0 } };
    int width = op == CRYPTO_SHA1H ? 32 : 128;
    return make(d, width, bits_crypto(op, known(d, a, width), b == 0 ? none : byte_bits(of(d), b),
                                      c == 0 ? none : byte_bits(of(d), c)));
}

static bool bytes_number(struct domain *d, val a, uint64_t *out)
{
    *out = byte_bits(of(d), a).v[0];
    return true;
}

/* -- memory -- */

static bool contains(const struct byte_region *r, uint64_t address)
{
    return address - r->base < r->size;
}

static struct byte_region *find(struct byte_domain *d, uint64_t address)
{
    if (d->last_hit < d->regions.n && contains(&d->regions.at[d->last_hit], address))
        return &d->regions.at[d->last_hit];
    for (int i = 0; i < d->regions.n; i++) {
        if (contains(&d->regions.at[i], address)) {
            d->last_hit = i;
            return &d->regions.at[i];
        }
    }
    return NULL;
}

/* "8 bytes before r", "byte 24 of r (24 bytes)": the nearest region within a page. */
static const char *describe(const struct byte_domain *d, uint64_t address)
{
    enum { NEAR = 4096 };
    for (int i = 0; i < d->regions.n; i++) {
        const struct byte_region *r = &d->regions.at[i];
        if (address - r->base < r->size + NEAR)
            return mem_format("byte %" PRIu64 " of %s (%" PRIu64 " bytes)", address - r->base,
                              r->name, r->size);
        if (r->base - address <= NEAR)
            return mem_format("%" PRIu64 " bytes before %s", r->base - address, r->name);
    }
    return mem_format("address 0x%" PRIx64, address);
}

static void refuse(struct byte_domain *d, const char *what, int bytes, uint64_t address)
{
    if (d->domain.fault == NULL)
        d->domain.fault = mem_format("%s: %d bytes at %s", what, bytes, describe(d, address));
}

/* The region that holds the whole access, or NULL and a fault. */
static struct byte_region *reach(struct byte_domain *d, uint64_t address, int bytes)
{
    struct byte_region *r = find(d, address);
    if (r != NULL && r->size - (address - r->base) >= (uint64_t)bytes)
        return r;
    refuse(d, r == NULL ? "an access outside every object" : "an access past the end of an object",
           bytes, address);
    return NULL;
}

static val bytes_load(struct domain *domain, val address, int bytes)
{
    struct byte_domain *d = of(domain);
    uint64_t at = known(domain, address, 64).v[0];
    struct bits v = { { 0, 0 } };
    struct byte_region *r = reach(d, at, bytes);
    domain_touch(domain, at);
    for (int i = 0; r != NULL && i < bytes; i++) {
        uint64_t offset = at - r->base + (uint64_t)i;
        if (r->defined != NULL && r->defined[offset] == 0)
            refuse(d, "a read of memory that was never written", bytes, at + (uint64_t)i);
        v.v[i / 8] |= (uint64_t)r->bytes[offset] << 8 * (i % 8);
    }
    return make(domain, 8 * bytes, v);
}

static void bytes_store(struct domain *domain, val address, int bytes, val value)
{
    struct byte_domain *d = of(domain);
    uint64_t at = known(domain, address, 64).v[0];
    struct bits v = known(domain, value, 8 * bytes);
    struct byte_region *r = reach(d, at, bytes);
    domain_touch(domain, at);
    if (r != NULL && r->access == BYTES_READ_ONLY) {
        refuse(d, "a store to an object that is only read", bytes, at);
        return;
    }
    for (int i = 0; r != NULL && i < bytes; i++) {
        r->bytes[at - r->base + (uint64_t)i] = (uint8_t)(v.v[i / 8] >> 8 * (i % 8));
        if (r->defined != NULL)
            r->defined[at - r->base + (uint64_t)i] = 1;
    }
}

/* -- the domain -- */

static void bytes_recycle(struct domain *domain, val **live, int n)
{
    struct byte_domain *d = of(domain);
    struct byte_value kept[128];
    assert(n <= COUNT(kept));
    for (int i = 0; i < n; i++)
        kept[i] = d->values.at[*live[i]];
    d->values.n = 1;
    for (int i = 0; i < n; i++)
        *live[i] = byte_value(d, kept[i].width, kept[i].bits);
}

void byte_domain_drop_values(struct byte_domain *d)
{
    d->values.n = 1;
}

struct byte_region *byte_domain_add(struct byte_domain *d, const char *name, uint64_t base,
                                    uint64_t size, enum byte_access access, uint8_t *bytes)
{
    struct byte_region *r = vec_add(&d->regions);
    *r = (struct byte_region){ .name = name, .base = base, .size = size, .access = access,
                               .bytes = bytes != NULL ? bytes : mem_alloc(size + 1) };
    return r;
}

void byte_region_undefine(struct byte_region *region)
{
    region->defined = mem_alloc(region->size + 1);
}

void byte_domain_init(struct byte_domain *d)
{
    *d = (struct byte_domain){
        .domain = { .name = "bytes", .constant = bytes_constant, .lanes = bytes_lanes,
                    .shift = bytes_shift, .widen_multiply = bytes_widen_multiply,
                    .permute = bytes_permute, .table = bytes_table, .field = bytes_field,
                    .insert = bytes_insert, .carry = bytes_carry, .overflow = bytes_overflow,
                    .is_zero = bytes_is_zero, .add_carry = bytes_add_carry,
                    .multiply_high = bytes_multiply_high, .choose = bytes_choose,
                    .crypto = bytes_crypto, .load = bytes_load, .store = bytes_store,
                    .number = bytes_number, .recycle = bytes_recycle },
    };
    vec_push(&d->values, ((struct byte_value){ { { 0, 0 } }, 0 }));
}
