/* object.h: a relocatable object file of any of the three formats, in memory.
 *
 * Takes the file of an AArch64 object (ELF64, Mach-O, COFF). Gives its
 * sections, its symbols and the few relocations that generated kernels carry:
 * pages and page offsets of tables, and branches. Sections that hold neither
 * code nor read-only tables (unwind tables, notes, debugging) are listed, but
 * their relocations are left out; what unwind tables refer to is a list of its
 * own, in the terms of the object.
 *
 * Holds: every offset was checked against the file's size, so that a broken
 * object gives a message. Does not: link. One object must be complete in
 * itself; an undefined symbol is a message too, but for __chkstk on Windows.
 */
#ifndef KGEN_TESTS_HARNESS_OBJECT_H
#define KGEN_TESTS_HARNESS_OBJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum object_format { OBJECT_ELF, OBJECT_MACHO, OBJECT_COFF };

enum section_use { SECTION_CODE, SECTION_TABLES, SECTION_OTHER };

struct object_section {
    char name[40];
    enum section_use use;
    uint64_t size, align;
    uint8_t *bytes;             /* a copy: relocation changes it. NULL when size is 0 */
    uint64_t address;           /* chosen by the caller before object_relocate() */
    uint64_t origin;            /* Mach-O: its address in the object */
};

struct object_symbol {
    char name[80];              /* as in the source: without Mach-O's leading underscore */
    int section;                /* index, or -1: undefined */
    uint64_t offset;
    bool is_global;
};

enum relocation_kind {
    RELOC_PAGE_21,              /* adrp */
    RELOC_PAGE_OFFSET_12,       /* add: the low 12 bits, unscaled */
    RELOC_BRANCH_26             /* b, bl */
};

struct object_relocation {
    enum relocation_kind kind;
    int section;                /* where the instruction stands */
    uint64_t offset;
    int symbol;
    int64_t addend;
};

/* A field of an unwind table that stands for a place in another section. */
struct object_reference { int section; uint64_t offset; int to_section; uint64_t to_offset; };

struct object_file {
    enum object_format format;
    struct object_section *sections;
    int section_count;
    struct object_symbol *symbols;
    int symbol_count;
    struct object_relocation *relocations;
    int relocation_count;
    struct object_reference *references;
    int reference_count;
    uint64_t chkstk;            /* COFF: the address of __chkstk, chosen by the caller */
};

/* NULL, and the reason in why[], when the file is not such an object. */
struct object_file *object_read(const char *path, char *why, size_t why_size);
void object_free(struct object_file *object);

const struct object_symbol *object_symbol(const struct object_file *object, const char *name);

/* Applies every relocation for the sections' addresses. False, with the reason,
 * when a target is out of range or the instruction is not of the kind. */
bool object_relocate(struct object_file *object, char *why, size_t why_size);

#endif
