/* cells.h: memory of the term domain.
 *
 * Named regions at fixed addresses; every byte is a cell (term, which byte of
 * it). A load of bytes that were stored as one term gives that term back. An
 * access that is not wholly inside one region, or not permitted there, is a
 * fault: guard zones are simply addresses that no region covers.
 *
 * Cells come a page at a time, when one of them is first met: what a region
 * holds at the start is described (cells_fill), and copies share the pages that
 * they have not written to. So a huge array costs what is touched of it.
 */
#ifndef KGEN_VERIFY_CELLS_H
#define KGEN_VERIFY_CELLS_H

#include "base/mem.h"
#include "verify/term.h"

struct cell { val term; uint8_t byte; };

enum { PAGE_CELLS = 64 };
struct page { struct cell at[PAGE_CELLS]; };

enum region_access { REGION_NONE = 0, REGION_READ = 1, REGION_WRITE = 2 };

/* `count` elements of `element` (at most 16) bytes each from an offset on: the
 * symbols NAME[0], NAME[1] … (NAME, when there is one), or known bytes. */
struct filling {
    const char *name;
    enum input_kind kind;
    const uint8_t *bytes;       /* NULL: symbols */
    uint64_t offset, count;
    int element;
};

struct region {
    const char *name;
    uint64_t base, size;
    uint64_t window;            /* bytes from the base that have cells: a huge array has only its first */
    int access;                 /* enum region_access bits */
    struct contents *initial;   /* shared by all copies */
    struct page **own;          /* those written to here; NULL: as in the beginning */
};

enum { REGION_WINDOW = 1 << 16 };

/* One store, in the order of the run. */
struct store_record { uint64_t address; int bytes; val value; };

struct cells {
    VEC(struct region) regions;
    VEC(struct store_record) stores;
    const char *fault;          /* the first one, or NULL */
    uint64_t fault_address;
    bool is_beyond;             /* it was inside a huge array, past the window */
};

/* Adds a region; its cells have no term yet (reading one is a fault). */
struct region *cells_add(struct cells *m, const char *name, uint64_t base, uint64_t size, int access);
struct region *cells_find(struct cells *m, uint64_t address);
/* The initial contents: what is described later lies over what was before. */
void cells_fill(struct region *r, struct filling filling);
/* Sets bytes at an address without the permission check, after all fillings. */
void cells_set(struct cells *m, uint64_t address, int bytes, val v);
/* Makes all pages now: for a memory that lives longer than what will meet them. */
void cells_settle(struct cells *m);
/* A memory that begins as this one is now. */
struct cells *cells_copy(const struct cells *m);
/* The cell of one byte; the page of many, which is the same pointer in two copies
 * as long as neither wrote to it. */
const struct cell *cells_at(const struct region *r, uint64_t offset);
const struct page *cells_page(const struct region *r, uint64_t page);
uint64_t cells_pages(const struct region *r);

val cells_load(struct cells *m, uint64_t address, int bytes);
void cells_store(struct cells *m, uint64_t address, int bytes, val v);
/* "byte 24 of r (24 bytes)": where an address is, for messages. */
const char *cells_describe(const struct cells *m, uint64_t address);
/* The 8-bit term of one byte. */
val cell_value(const struct cell *c);

#endif
