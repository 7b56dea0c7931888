/* object_macho.c: read a Mach-O object for arm64 (mach-o/loader.h, nlist.h,
 * reloc.h and arm64/reloc.h of Apple's cctools describe the layout).
 *
 * All sections of an object stand in one unnamed segment. Symbol values are
 * addresses in it; they are turned into offsets from their section.
 */
#include "harness/object_formats.h"

#include <stdio.h>
#include <string.h>

enum {
    CPU_TYPE_ARM64 = 0x0100000c, MH_OBJECT = 1,
    LC_SYMTAB = 0x2, LC_SEGMENT_64 = 0x19,
    HEADER_SIZE = 32, SEGMENT_SIZE = 72, SECTION_SIZE = 80, NLIST_SIZE = 16,
    N_STAB = 0xe0, N_TYPE = 0x0e, N_SECT = 0x0e, N_EXT = 0x01,
    ARM64_RELOC_UNSIGNED = 0, ARM64_RELOC_SUBTRACTOR = 1, ARM64_RELOC_BRANCH26 = 2,
    ARM64_RELOC_PAGE21 = 3, ARM64_RELOC_PAGEOFF12 = 4,
    MAX_SECTIONS = 64
};

/* What of a section header is needed again once all of them are read. */
struct macho_section { uint64_t address, relocations; uint32_t relocation_count; };

static const struct { const char *segment, *section; enum section_use use; } uses[] = {
    { "__TEXT", "__text",  SECTION_CODE },
    { "__TEXT", "__const", SECTION_TABLES },
};

static void read_section(struct object_bytes *b, struct object_file *o, uint64_t header,
                         struct macho_section *m)
{
    char section[17], segment[17];
    read_name(b, header, 16, section, sizeof section);
    read_name(b, header + 16, 16, segment, sizeof segment);
    struct object_section *s = add_section(o);
    snprintf(s->name, sizeof s->name, "%s,%s", segment, section);
    m->address = s->origin = read_64(b, header + 32);
    s->size = read_64(b, header + 40);
    s->align = (uint64_t)1 << (read_32(b, header + 52) & 31);
    m->relocations = read_32(b, header + 56);
    m->relocation_count = read_32(b, header + 60);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (strcmp(segment, uses[i].segment) == 0 && strcmp(section, uses[i].section) == 0)
            s->use = uses[i].use;
    }
    take_section_bytes(b, s, read_32(b, header + 48));
}

static void read_symbols(struct object_bytes *b, struct object_file *o, uint64_t command,
                         const struct macho_section *m)
{
    uint64_t at = read_32(b, command + 8), names = read_32(b, command + 16);
    uint32_t count = read_32(b, command + 12);
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        uint64_t entry = at + (uint64_t)i * NLIST_SIZE;
        struct object_symbol *s = add_symbol(o);
        char name[sizeof s->name + 1];
        read_name(b, names + read_32(b, entry), sizeof name, name, sizeof name);
        memcpy(s->name, name[0] == '_' ? name + 1 : name, sizeof s->name);
        s->name[sizeof s->name - 1] = 0;
        uint8_t type = read_8(b, entry + 4);
        int section = read_8(b, entry + 5) - 1;
        s->is_global = (type & N_EXT) != 0;
        if ((type & N_STAB) != 0 || (type & N_TYPE) != N_SECT)
            continue;
        if (section < 0 || section >= o->section_count) {
            read_fail(b, "a symbol in no section");
            return;
        }
        s->section = section;
        s->offset = read_64(b, entry + 8) - m[section].address;
    }
}

static const struct { uint32_t type; enum relocation_kind kind; } kinds[] = {
    { ARM64_RELOC_BRANCH26,  RELOC_BRANCH_26 },
    { ARM64_RELOC_PAGE21,    RELOC_PAGE_21 },
    { ARM64_RELOC_PAGEOFF12, RELOC_PAGE_OFFSET_12 },
};

static void read_relocations(struct object_bytes *b, struct object_file *o, int section,
                             const struct macho_section *m)
{
    for (uint32_t i = 0; i < m->relocation_count && !b->failed; i++) {
        uint64_t entry = m->relocations + (uint64_t)i * 8;
        uint32_t packed = read_32(b, entry + 4);    /* symbol:24 pcrel:1 length:2 extern:1 type:4 */
        size_t k = 0;
        while (k < sizeof kinds / sizeof *kinds && kinds[k].type != packed >> 28)
            k++;
        if (k == sizeof kinds / sizeof *kinds || (packed >> 27 & 1) == 0) {
            read_fail(b, "a relocation that no kernel should need");
            return;
        }
        struct object_relocation *r = add_relocation(o);
        r->kind = kinds[k].kind;
        r->section = section;
        r->offset = read_32(b, entry);
        r->symbol = (int)(packed & 0xffffff);
    }
}

/* A function's address: a number in the object's own address space, of the
 * section or the symbol that the relocation names; or, after a SUBTRACTOR, its
 * distance from a symbol in the table, to which the field's own place is added
 * (DW_EH_PE_pcrel). */
static void read_references(struct object_bytes *b, struct object_file *o, int section,
                            const struct macho_section *m)
{
    const struct object_section *s = &o->sections[section];
    const struct object_symbol *from = NULL;
    for (uint32_t i = 0; i < m->relocation_count && !b->failed; i++) {
        uint64_t entry = m->relocations + (uint64_t)i * 8, offset = read_32(b, entry), field = 0;
        uint32_t packed = read_32(b, entry + 4), number = packed & 0xffffff, type = packed >> 28;
        bool is_symbol = packed >> 27 & 1;
        if (type > ARM64_RELOC_SUBTRACTOR || offset > s->size || s->size - offset < 8 ||
            number >= (uint32_t)(is_symbol ? o->symbol_count : o->section_count + 1) ||
            (!is_symbol && (number == 0 || type == ARM64_RELOC_SUBTRACTOR))) {
            read_fail(b, "a relocation that no unwind table should need");
            return;
        }
        if (type == ARM64_RELOC_SUBTRACTOR) {
            from = &o->symbols[number];
            continue;
        }
        for (int k = 7; k >= 0; k--)
            field = field << 8 | s->bytes[offset + (uint64_t)k];
        if (from != NULL)
            field += offset - from->offset;
        struct object_reference r = { .section = section, .offset = offset };
        r.to_section = is_symbol ? o->symbols[number].section : (int)number - 1;
        if (r.to_section >= 0)
            r.to_offset = is_symbol ? o->symbols[number].offset + field
                                    : field - o->sections[r.to_section].origin;
        from = NULL;
        add_reference(b, o, r);
    }
}

void read_macho(struct object_bytes *b, struct object_file *o)
{
    if (read_32(b, 4) != CPU_TYPE_ARM64 || read_32(b, 12) != MH_OBJECT) {
        read_fail(b, "not a Mach-O object for arm64");
        return;
    }
    struct macho_section m[MAX_SECTIONS];
    uint32_t commands = read_32(b, 16);
    uint64_t symbols = 0, at = HEADER_SIZE;
    for (uint32_t i = 0; i < commands && !b->failed; i++) {
        uint32_t command = read_32(b, at);
        if (command == LC_SEGMENT_64) {
            uint32_t count = read_32(b, at + 64);
            for (uint32_t k = 0; k < count && !b->failed; k++) {
                if (o->section_count == MAX_SECTIONS) {
                    read_fail(b, "more sections than an object of ours has");
                    return;
                }
                read_section(b, o, at + SEGMENT_SIZE + (uint64_t)k * SECTION_SIZE,
                             &m[o->section_count]);
            }
        } else if (command == LC_SYMTAB) {
            symbols = at;
        }
        uint32_t size = read_32(b, at + 4);
        if (size < 8)
            read_fail(b, "a load command that is too short");
        at += size;
    }
    if (symbols != 0)
        read_symbols(b, o, symbols, m);
    for (int i = 0; i < o->section_count && !b->failed; i++) {
        if (o->sections[i].use != SECTION_OTHER)
            read_relocations(b, o, i, &m[i]);
        else if (is_unwind_section(&o->sections[i]))
            read_references(b, o, i, &m[i]);
    }
}
