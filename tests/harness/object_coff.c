/* object_coff.c: read a COFF object for ARM64 (Microsoft, "PE Format": COFF
 * file header, section table, symbol table, ARM64 relocation types).
 *
 * Sections are numbered from 1 in the file and from 0 here; auxiliary symbol
 * records keep a place in the list, so that relocations find their symbol.
 */
#include "harness/object_formats.h"

#include <stdlib.h>
#include <string.h>

enum {
    HEADER_SIZE = 20, SECTION_SIZE = 40, SYMBOL_SIZE = 18, RELOCATION_SIZE = 10,
    CNT_CODE = 0x20, MEM_EXECUTE = 0x20000000, MEM_READ = 0x40000000,
    CLASS_EXTERNAL = 2,
    REL_ADDR32NB = 2, REL_BRANCH26 = 3, REL_PAGEBASE_REL21 = 4, REL_PAGEOFFSET_12A = 6
};
#define MEM_WRITE 0x80000000u

/* A name of up to eight bytes, or an offset into the string table: "/123" in
 * a section, four zero bytes and the offset in a symbol. */
static void read_section_name(struct object_bytes *b, uint64_t at, uint64_t strings,
                              struct object_section *s)
{
    char name[9];
    read_name(b, at, 8, name, sizeof name);
    if (name[0] == '/')
        read_name(b, strings + strtoul(name + 1, NULL, 10), sizeof s->name, s->name,
                  sizeof s->name);
    else
        memcpy(s->name, name, sizeof name);
}

static void read_symbol_name(struct object_bytes *b, uint64_t at, uint64_t strings,
                             struct object_symbol *s)
{
    if (read_32(b, at) == 0)
        read_name(b, strings + read_32(b, at + 4), sizeof s->name, s->name, sizeof s->name);
    else
        read_name(b, at, 8, s->name, sizeof s->name);
}

static void read_section(struct object_bytes *b, struct object_file *o, uint64_t header,
                         uint64_t strings)
{
    struct object_section *s = add_section(o);
    read_section_name(b, header, strings, s);
    uint32_t flags = read_32(b, header + 36);
    s->size = read_32(b, header + 16);
    uint32_t align = flags >> 20 & 15;              /* IMAGE_SCN_ALIGN_nBYTES: log2 + 1 */
    s->align = align ? (uint64_t)1 << (align - 1) : 1;
    if (flags & MEM_EXECUTE)
        s->use = SECTION_CODE;
    else if ((flags & MEM_READ) != 0 && (flags & MEM_WRITE) == 0 && strcmp(s->name, ".rdata") == 0)
        s->use = SECTION_TABLES;
    uint32_t at = read_32(b, header + 20);
    if (at == 0)
        s->size = 0;                                /* .bss */
    take_section_bytes(b, s, at);
}

static void read_symbols(struct object_bytes *b, struct object_file *o, uint64_t at, uint32_t count,
                         uint64_t strings)
{
    uint32_t auxiliary = 0;
    for (uint32_t i = 0; i < count && !b->failed; i++) {
        uint64_t entry = at + (uint64_t)i * SYMBOL_SIZE;
        struct object_symbol *s = add_symbol(o);
        if (auxiliary > 0) {
            auxiliary--;
            continue;
        }
        read_symbol_name(b, entry, strings, s);
        int section = (int16_t)read_16(b, entry + 12);
        if (section > 0) {
            s->section = section - 1;
            s->offset = read_32(b, entry + 8);
        }
        s->is_global = read_8(b, entry + 16) == CLASS_EXTERNAL;
        auxiliary = read_8(b, entry + 17);
    }
}

static const struct { uint16_t type; enum relocation_kind kind; } kinds[] = {
    { REL_BRANCH26,       RELOC_BRANCH_26 },
    { REL_PAGEBASE_REL21, RELOC_PAGE_21 },
    { REL_PAGEOFFSET_12A, RELOC_PAGE_OFFSET_12 },
};

static void read_relocations(struct object_bytes *b, struct object_file *o, uint64_t header,
                             int section)
{
    uint64_t at = read_32(b, header + 24);
    uint16_t count = read_16(b, header + 32);
    for (uint16_t i = 0; i < count && !b->failed; i++) {
        uint64_t entry = at + (uint64_t)i * RELOCATION_SIZE;
        uint16_t type = read_16(b, entry + 8);
        size_t k = 0;
        while (k < sizeof kinds / sizeof *kinds && kinds[k].type != type)
            k++;
        if (k == sizeof kinds / sizeof *kinds) {
            read_fail(b, "a relocation that no kernel should need");
            return;
        }
        struct object_relocation *r = add_relocation(o);
        r->kind = kinds[k].kind;
        r->section = section;
        r->offset = read_32(b, entry);
        r->symbol = (int)read_32(b, entry + 4);
    }
}

static void read_references(struct object_bytes *b, struct object_file *o, uint64_t header,
                            int section)
{
    uint64_t at = read_32(b, header + 24), bytes = read_32(b, header + 20);
    uint16_t count = read_16(b, header + 32);
    for (uint16_t i = 0; i < count && !b->failed; i++) {
        uint64_t entry = at + (uint64_t)i * RELOCATION_SIZE, offset = read_32(b, entry);
        uint32_t symbol = read_32(b, entry + 4);
        if (read_16(b, entry + 8) != REL_ADDR32NB || symbol >= (uint32_t)o->symbol_count) {
            read_fail(b, "a relocation that no unwind table should need");
            return;
        }
        add_reference(b, o, (struct object_reference){
            section, offset, o->symbols[symbol].section,
            o->symbols[symbol].offset + read_32(b, bytes + offset) });
    }
}

/* COFF keeps the addend in the instruction; ours must be 0. */
static void check_addends(struct object_bytes *b, const struct object_file *o)
{
    static const uint32_t immediate[] = { [RELOC_PAGE_21] = 0x60ffffe0,
                                          [RELOC_PAGE_OFFSET_12] = 0x003ffc00,
                                          [RELOC_BRANCH_26] = 0x03ffffff };
    for (int i = 0; i < o->relocation_count; i++) {
        const struct object_relocation *r = &o->relocations[i];
        const struct object_section *s = &o->sections[r->section];
        uint32_t insn = 0;
        for (uint64_t k = 0; k < 4 && r->offset + k < s->size; k++)
            insn |= (uint32_t)s->bytes[r->offset + k] << (8 * k);
        if (insn & immediate[r->kind])
            read_fail(b, "a symbol with an addend");
    }
}

void read_coff(struct object_bytes *b, struct object_file *o)
{
    uint16_t sections = read_16(b, 2);
    uint64_t symbols = read_32(b, 8);
    uint32_t symbol_count = read_32(b, 12);
    uint64_t strings = symbols + (uint64_t)symbol_count * SYMBOL_SIZE;
    uint64_t table = HEADER_SIZE + (uint64_t)read_16(b, 16);
    for (uint16_t i = 0; i < sections && !b->failed; i++)
        read_section(b, o, table + (uint64_t)i * SECTION_SIZE, strings);
    read_symbols(b, o, symbols, symbol_count, strings);
    for (int i = 0; i < o->section_count && !b->failed; i++) {
        if (o->sections[i].use != SECTION_OTHER)
            read_relocations(b, o, table + (uint64_t)i * SECTION_SIZE, i);
        else if (is_unwind_section(&o->sections[i]))
            read_references(b, o, table + (uint64_t)i * SECTION_SIZE, i);
    }
    check_addends(b, o);
}
