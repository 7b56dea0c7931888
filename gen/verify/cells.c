/* cells.c: see cells.h.
 *
 * Holds: the pages of the initial contents never change once a copy was made, so
 * that two memories with one pointer for a page hold the same there.
 */
#include "verify/cells.h"

#include <string.h>

#include "verify/term_store.h"

struct contents {
    uint64_t window;
    struct page **pages;        /* NULL: nobody met one of its cells yet */
    VEC(struct filling) fillings;
};

static uint64_t page_count(uint64_t window) { return (window + PAGE_CELLS - 1) / PAGE_CELLS; }

uint64_t cells_pages(const struct region *r) { return page_count(r->window); }

struct region *cells_add(struct cells *m, const char *name, uint64_t base, uint64_t size, int access)
{
    struct region *r = vec_add(&m->regions);
    uint64_t window = size < REGION_WINDOW ? size : REGION_WINDOW;
    struct contents *initial = NEW(struct contents);
    *initial = (struct contents){ .window = window,
                                  .pages = NEW_ARRAY(struct page *, page_count(window) + 1) };
    *r = (struct region){ .name = name, .base = base, .size = size, .window = window,
                          .access = access, .initial = initial,
                          .own = NEW_ARRAY(struct page *, page_count(window) + 1) };
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

/* -- the initial contents -- */

void cells_fill(struct region *r, struct filling filling)
{
    vec_push(&r->initial->fillings, filling);
}

static val known_element(const struct filling *f, uint64_t index)
{
    const uint8_t *bytes = f->bytes + index * (uint64_t)f->element;
    struct bits v = { { 0, 0 } };
    for (int i = 0; i < f->element; i++)
        v.v[i / 8] |= (uint64_t)bytes[i] << i % 8 * 8;
    return term_constant(f->element * 8, v);
}

/* The elements of one filling that have bytes from `first` on, within a page. */
static void fill_page(struct page *page, uint64_t first, const struct filling *f)
{
    uint64_t size = (uint64_t)f->element, end = f->offset + size * f->count;
    uint64_t at = f->offset > first ? f->offset : first;
    uint64_t to = end < first + PAGE_CELLS ? end : first + PAGE_CELLS;
    int name = at < to && !f->bytes ? term_name(f->name) : 0;
    while (at < to) {
        uint64_t index = (at - f->offset) / size, byte = (at - f->offset) % size;
        int64_t shown = f->count == 1 ? NO_INDEX : (int64_t)index;
        val v = f->bytes ? known_element(f, index) : term_symbol(f->element * 8, name, shown, f->kind);
        for (; byte < size && at < to; byte++, at++)
            page->at[at - first] = (struct cell){ v, (uint8_t)byte };
    }
}

static struct page *initial_page(struct contents *c, uint64_t number)
{
    if (!c->pages[number]) {
        c->pages[number] = NEW(struct page);
        for (int i = 0; i < c->fillings.n; i++)
            fill_page(c->pages[number], number * PAGE_CELLS, &c->fillings.at[i]);
    }
    return c->pages[number];
}

void cells_set(struct cells *m, uint64_t address, int bytes, val v)
{
    struct region *r = cells_find(m, address);
    assert(r && r->window >= address - r->base + (uint64_t)bytes);
    for (int i = 0; i < bytes; i++) {
        uint64_t at = address - r->base + (uint64_t)i;
        initial_page(r->initial, at / PAGE_CELLS)->at[at % PAGE_CELLS] = (struct cell){ v, (uint8_t)i };
    }
}

void cells_settle(struct cells *m)
{
    for (int i = 0; i < m->regions.n; i++)
        for (uint64_t k = 0; k < cells_pages(&m->regions.at[i]); k++)
            initial_page(m->regions.at[i].initial, k);
}

/* -- copies -- */

const struct page *cells_page(const struct region *r, uint64_t number)
{
    return r->own[number] ? r->own[number] : initial_page(r->initial, number);
}

const struct cell *cells_at(const struct region *r, uint64_t offset)
{
    return &cells_page(r, offset / PAGE_CELLS)->at[offset % PAGE_CELLS];
}

static struct cell *cell_to_write(struct region *r, uint64_t offset)
{
    struct page **own = &r->own[offset / PAGE_CELLS];
    if (!*own) {
        *own = NEW(struct page);
        **own = *initial_page(r->initial, offset / PAGE_CELLS);
    }
    return &(*own)->at[offset % PAGE_CELLS];
}

struct cells *cells_copy(const struct cells *m)
{
    struct cells *copy = NEW(struct cells);
    for (int i = 0; i < m->regions.n; i++) {
        struct region *r = vec_add(&copy->regions);
        *r = m->regions.at[i];
        r->own = NEW_ARRAY(struct page *, cells_pages(r) + 1);
        for (uint64_t k = 0; k < cells_pages(r); k++)
            if (m->regions.at[i].own[k]) {
                r->own[k] = NEW(struct page);
                *r->own[k] = *m->regions.at[i].own[k];
            }
    }
    return copy;
}

/* -- accesses -- */

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

/* The term that was stored here as these bytes, all in one page, or 0. */
static val whole_term(const struct region *r, uint64_t offset, int bytes)
{
    const struct cell *c = cells_at(r, offset);
    if (!c->term || offset % PAGE_CELLS + (uint64_t)bytes > PAGE_CELLS ||
        term_get(c->term)->width != bytes * 8)
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
    val whole = r ? whole_term(r, address - r->base, bytes) : 0;
    if (whole)
        return whole;
    int n = 0;
    for (int i = 0; r && i < bytes; i++) {
        const struct cell *c = cells_at(r, address - r->base + (uint64_t)i);
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
    for (int i = 0; i < bytes; i++)
        *cell_to_write(r, address - r->base + (uint64_t)i) = (struct cell){ v, (uint8_t)i };
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
