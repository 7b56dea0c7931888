/* cells.h: memory of the term domain.
 *
 * Named regions at fixed addresses; every byte is a cell (term, which byte of
 * it). A load of bytes that were stored as one term gives that term back. An
 * access that is not wholly inside one region, or not permitted there, is a
 * fault: guard zones are simply addresses that no region covers.
 */
#ifndef KGEN_VERIFY_CELLS_H
#define KGEN_VERIFY_CELLS_H

#include "base/mem.h"
#include "verify/term.h"

struct cell { val term; uint8_t byte; bool written; };

enum region_access { REGION_NONE = 0, REGION_READ = 1, REGION_WRITE = 2 };

struct region {
    const char *name;
    uint64_t base, size;
    uint64_t window;            /* bytes from the base that have cells: a huge array has only its first */
    int access;                 /* enum region_access bits */
    struct cell *cells;
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
/* Sets bytes at an address without the permission check: the initial contents. */
void cells_set(struct cells *m, uint64_t address, int bytes, val v);
/* A copy with its own cells, `written` cleared. */
struct cells *cells_copy(const struct cells *m);

val cells_load(struct cells *m, uint64_t address, int bytes);
void cells_store(struct cells *m, uint64_t address, int bytes, val v);
/* "byte 24 of r (24 bytes)": where an address is, for messages. */
const char *cells_describe(const struct cells *m, uint64_t address);
/* The 8-bit term of one byte. */
val cell_value(const struct cell *c);

/* The term domain over this memory.
 *
 * number() gives constants; and, where the source declassified terms, the value
 * of what depends on nothing but those under one assignment of the inputs
 * (term.h, SAMPLES): then a run proves the case for the secrets that lead there. */
struct term_set { VEC(val) at; };

struct term_domain {
    struct domain domain;
    struct cells *memory;
    struct term_set *declassified;      /* shared by both runs of a case */
    int assignment;
};
void term_domain_init(struct term_domain *d, struct cells *memory);
/* Does the term depend on a secret that was not declassified? */
bool term_is_secret(const struct term_domain *d, val t);

#endif
