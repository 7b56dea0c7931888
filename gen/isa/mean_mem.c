/* mean_mem.c: loads and stores.
 *
 * Written from Arm ARM C6.2 and C7.2. Memory is little-endian; an access is one
 * register (or one half of a pair, one register of a list) at one address. The
 * domain decides whether the address may be accessed.
 */
#include "isa/mean.h"

static val load(struct machine *m, val address, int bytes)
{
    return m->domain->load(m->domain, address, bytes);
}

static void store(struct machine *m, val address, int bytes, val v)
{
    m->domain->store(m->domain, address, bytes, v);
}

/* A + N; the base itself when N is 0. */
static val displaced(struct machine *m, val base, int64_t n)
{
    return n == 0 ? base : add(m, 64, base, constant(m, 64, (uint64_t)n));
}

/* Where an access with an offset, post- or pre-index goes, and what the base
 * becomes. BASE is the operand before the immediate. */
static val offset_address(struct machine *m, const struct decoded *d, int base)
{
    return displaced(m, read(m, d, base), operand_imm(d, base + 1));
}

static val post_address(struct machine *m, const struct decoded *d, int base)
{
    val address = read(m, d, base);
    write(m, d, base, offset_address(m, d, base));
    return address;
}

static val pre_address(struct machine *m, const struct decoded *d, int base)
{
    val address = offset_address(m, d, base);
    write(m, d, base, address);
    return address;
}

/* Base plus register, zero-extended when it is a w, shifted when the row says so. */
static val index_address(struct machine *m, const struct decoded *d, int base)
{
    val index = read(m, d, base + 1);
    if (bits_of(d, base + 1) == 32)
        index = field(m, 64, index, 0, 32);
    if (row_of(d)->operand_count > base + 2)
        index = shift(m, SHIFT_LSL, 64, 64, index, imm(d, base + 2));
    return add(m, 64, read(m, d, base), index);
}

/* -- one register -- */

static void load_one(struct machine *m, const struct decoded *d, val address)
{
    int bytes = row_of(d)->access, width = bits_of(d, 0);
    val v = load(m, address, bytes);
    write(m, d, 0, width == 8 * bytes ? v : field(m, width, v, 0, 8 * bytes));
}

static void load_one_signed(struct machine *m, const struct decoded *d, val address)
{
    int bytes = row_of(d)->access;
    write(m, d, 0, field_signed(m, bits_of(d, 0), load(m, address, bytes), 0, 8 * bytes));
}

/* The low bytes of a register; never the base that is written back. */
static val stored(struct machine *m, const struct decoded *d, int n, int bytes)
{
    int width = bits_of(d, n);
    val v = read(m, d, n);
    return width == 8 * bytes ? v : field(m, 8 * bytes, v, 0, 8 * bytes);
}

#define ADDRESS_FORMS(name, act)                                                       \
    MEANING(name)         { act(m, d, offset_address(m, d, 1)); }                      \
    MEANING(name##_post)  { act(m, d, post_address(m, d, 1)); }                        \
    MEANING(name##_pre)   { act(m, d, pre_address(m, d, 1)); }                         \
    MEANING(name##_index) { act(m, d, index_address(m, d, 1)); }

static void store_one(struct machine *m, const struct decoded *d, val address)
{
    int bytes = row_of(d)->access;
    store(m, address, bytes, stored(m, d, 0, bytes));
}

ADDRESS_FORMS(load, load_one)
ADDRESS_FORMS(load_signed, load_one_signed)
ADDRESS_FORMS(store, store_one)

/* -- pairs -- */

static void load_two(struct machine *m, const struct decoded *d, val address)
{
    int bytes = row_of(d)->access / 2;
    val first = load(m, address, bytes), second = load(m, displaced(m, address, bytes), bytes);
    write(m, d, 0, first);
    write(m, d, 1, second);
}

static void store_two(struct machine *m, const struct decoded *d, val address)
{
    int bytes = row_of(d)->access / 2;
    store(m, address, bytes, read(m, d, 0));
    store(m, displaced(m, address, bytes), bytes, read(m, d, 1));
}

#define PAIR_FORMS(name, act)                                                          \
    MEANING(name)        { act(m, d, offset_address(m, d, 2)); }                       \
    MEANING(name##_post) { act(m, d, post_address(m, d, 2)); }                         \
    MEANING(name##_pre)  { act(m, d, pre_address(m, d, 2)); }

PAIR_FORMS(load_pair, load_two)
PAIR_FORMS(store_pair, store_two)

/* -- lists and lanes; the base follows the registers and the lane's index -- */

static val list_address(struct machine *m, const struct decoded *d, int base)
{
    return (row_of(d)->flags & BASE_WRITEBACK) != 0 ? post_address(m, d, base) : read(m, d, base);
}

static int list_length(const struct decoded *d)
{
    return row_of(d)->run_length == 0 ? 1 : row_of(d)->run_length;
}

MEANING(load_list)
{
    int n = list_length(d), bytes = row_of(d)->access / n;
    val address = list_address(m, d, n);
    for (int i = 0; i < n; i++)
        write(m, d, i, load(m, displaced(m, address, i * bytes), bytes));
}

MEANING(store_list)
{
    int n = list_length(d), bytes = row_of(d)->access / n;
    val address = list_address(m, d, n);
    for (int i = 0; i < n; i++)
        store(m, displaced(m, address, i * bytes), bytes, read(m, d, i));
}

MEANING(load_lane)
{
    int bytes = row_of(d)->access;
    val v = load(m, list_address(m, d, 2), bytes);
    write(m, d, 0, insert(m, 128, read(m, d, 0), v, 8 * bytes * imm(d, 1), 8 * bytes));
}

MEANING(store_lane)
{
    int bytes = row_of(d)->access;
    val v = field(m, 8 * bytes, read(m, d, 0), 8 * bytes * imm(d, 1), 8 * bytes);
    store(m, list_address(m, d, 2), bytes, v);
}

MEANING(load_replicate)
{
    int bytes = row_of(d)->access, result = bits_of(d, 0) / 8;
    val v = load(m, list_address(m, d, 1), bytes);
    uint8_t from[16];
    for (int i = 0; i < result; i++)
        from[i] = (uint8_t)(i % bytes);
    write(m, d, 0, m->domain->permute(m->domain, result, 1, bytes, &v, from));
}
