/* unwind.h: from a stopped function to its caller, by the object's own tables.
 *
 * Takes an object file that an emulator has placed, and the registers before
 * some instruction of it. Gives the registers as they will be in the caller
 * after the return: what an exception handler, a debugger or a profiler would
 * find. Each format has its decoder, written from its specification and not
 * from kgen's writer: DWARF call frame information (ELF, Mach-O), compact
 * unwind (Mach-O), ARM64 exception data (COFF).
 *
 * Holds: a table that is missing, says something impossible or uses what
 * kernels never need is a complaint, never a guess.
 */
#ifndef KGEN_TESTS_HARNESS_UNWIND_H
#define KGEN_TESTS_HARNESS_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/emulator.h"

/* Where a step happens: memory to read, and where to complain. */
struct unwind_step {
    const struct object_file *object;
    int section;                /* of pc */
    uint64_t offset;            /* of pc in it */
    struct emulated_registers *registers;
    bool (*read)(void *context, uint64_t address, uint64_t *word);
    void *context;
    char *why;                  /* empty until something is wrong */
    size_t why_size;
};

/* One frame up. False: s->why says what is wrong. */
bool unwind(struct unwind_step *s);

/* What Mach-O's compact unwind says about the code there; false: nothing. With an empty
 * frame there is nothing to say; a section's DWARF offset is left to the linker. */
#define COMPACT_NO_FRAME    0x02000000u
#define COMPACT_DWARF       0x03000000u
bool unwind_compact_encoding(const struct object_file *o, int section, uint64_t offset,
                             uint32_t *encoding);

/* -- for the decoders -- */

bool unwind_dwarf(struct unwind_step *s);
bool unwind_compact(struct unwind_step *s);
bool unwind_seh(struct unwind_step *s);

bool unwind_complain(struct unwind_step *s, const char *what);
/* The word at an address becomes the register. */
bool unwind_restore_x(struct unwind_step *s, int n, uint64_t address);
bool unwind_restore_d(struct unwind_step *s, int n, uint64_t address);
/* x30 is signed here: takes the signature off, and complains if there is none. */
bool unwind_authenticate(struct unwind_step *s);
/* The section of that name, or -1. */
int unwind_section(const struct object_file *o, const char *name);

/* Little-endian bytes of a table; past the end, zeros and `failed`. */
struct unwind_bytes { const uint8_t *at, *end; bool failed; };
uint64_t unwind_take(struct unwind_bytes *b, int size);

#endif
