/* object_elf.c: read an ELF64 object (System V gABI, chapter 4; ELF for the
 * Arm 64-bit architecture, section 5.7 for relocations).
 *
 * Sections keep their numbers, symbols keep theirs: relocations name them so.
 */
#include "harness/object_formats.h"

#include <elf.h>
#include <string.h>

#define FIELD_64(type, base, name) read_64(b, (base) + offsetof(type, name))
#define FIELD_32(type, base, name) read_32(b, (base) + offsetof(type, name))
#define FIELD_16(type, base, name) read_16(b, (base) + offsetof(type, name))

static void read_sections(struct object_bytes *b, struct object_file *o, uint64_t table, int count,
                          uint64_t names)
{
    for (int i = 0; i < count && !b->failed; i++) {
        uint64_t header = table + (uint64_t)i * sizeof(Elf64_Shdr);
        struct object_section *s = add_section(o);
        read_name(b, names + FIELD_32(Elf64_Shdr, header, sh_name), sizeof s->name, s->name,
                  sizeof s->name);
        uint64_t flags = FIELD_64(Elf64_Shdr, header, sh_flags);
        uint32_t type = FIELD_32(Elf64_Shdr, header, sh_type);
        s->align = FIELD_64(Elf64_Shdr, header, sh_addralign);
        if (type != SHT_PROGBITS)
            continue;
        s->size = FIELD_64(Elf64_Shdr, header, sh_size);
        if (flags & SHF_EXECINSTR)
            s->use = SECTION_CODE;
        else if (flags == SHF_ALLOC && strncmp(s->name, ".rodata", 7) == 0)
            s->use = SECTION_TABLES;
        take_section_bytes(b, s, FIELD_64(Elf64_Shdr, header, sh_offset));
    }
}

static void read_symbols(struct object_bytes *b, struct object_file *o, uint64_t at, uint64_t size,
                         uint64_t names)
{
    for (uint64_t i = 0; i < size / sizeof(Elf64_Sym) && !b->failed; i++) {
        uint64_t entry = at + i * sizeof(Elf64_Sym);
        struct object_symbol *s = add_symbol(o);
        read_name(b, names + FIELD_32(Elf64_Sym, entry, st_name), sizeof s->name, s->name,
                  sizeof s->name);
        uint16_t section = FIELD_16(Elf64_Sym, entry, st_shndx);
        if (section != SHN_UNDEF && section < SHN_LORESERVE)
            s->section = section;
        s->offset = FIELD_64(Elf64_Sym, entry, st_value);
        s->is_global = read_8(b, entry + offsetof(Elf64_Sym, st_info)) >> 4 == STB_GLOBAL;
        if (s->section < 0)
            s->offset = 0;
    }
}

static const struct { uint32_t type; enum relocation_kind kind; } kinds[] = {
    { R_AARCH64_ADR_PREL_PG_HI21, RELOC_PAGE_21 },
    { R_AARCH64_ADD_ABS_LO12_NC,  RELOC_PAGE_OFFSET_12 },
    { R_AARCH64_CALL26,           RELOC_BRANCH_26 },
    { R_AARCH64_JUMP26,           RELOC_BRANCH_26 },
};

static void read_relocations(struct object_bytes *b, struct object_file *o, uint64_t at,
                             uint64_t size, int section)
{
    for (uint64_t i = 0; i < size / sizeof(Elf64_Rela) && !b->failed; i++) {
        uint64_t entry = at + i * sizeof(Elf64_Rela);
        uint64_t packed = FIELD_64(Elf64_Rela, entry, r_info);
        size_t k = 0;
        while (k < sizeof kinds / sizeof *kinds && kinds[k].type != (uint32_t)packed)
            k++;
        if (k == sizeof kinds / sizeof *kinds) {
            read_fail(b, "a relocation that no kernel should need");
            return;
        }
        struct object_relocation *r = add_relocation(o);
        r->kind = kinds[k].kind;
        r->section = section;
        r->offset = FIELD_64(Elf64_Rela, entry, r_offset);
        r->symbol = (int)(packed >> 32);
        r->addend = (int64_t)FIELD_64(Elf64_Rela, entry, r_addend);
    }
}

static void read_references(struct object_bytes *b, struct object_file *o, uint64_t at,
                            uint64_t size, int section)
{
    for (uint64_t i = 0; i < size / sizeof(Elf64_Rela) && !b->failed; i++) {
        uint64_t entry = at + i * sizeof(Elf64_Rela);
        uint64_t packed = FIELD_64(Elf64_Rela, entry, r_info), symbol = packed >> 32;
        if ((uint32_t)packed != R_AARCH64_PREL32 || symbol >= (uint64_t)o->symbol_count) {
            read_fail(b, "a relocation that no unwind table should need");
            return;
        }
        add_reference(b, o, (struct object_reference){
            section, FIELD_64(Elf64_Rela, entry, r_offset), o->symbols[symbol].section,
            o->symbols[symbol].offset + FIELD_64(Elf64_Rela, entry, r_addend) });
    }
}

/* A table is read when the symbols are: they may stand after it. */
static void read_all_references(struct object_bytes *b, struct object_file *o, uint64_t table,
                                int count)
{
    for (int i = 0; i < count && !b->failed; i++) {
        uint64_t header = table + (uint64_t)i * sizeof(Elf64_Shdr);
        uint32_t section = FIELD_32(Elf64_Shdr, header, sh_info);
        if (FIELD_32(Elf64_Shdr, header, sh_type) == SHT_RELA && section < (uint32_t)count &&
            is_unwind_section(&o->sections[section]))
            read_references(b, o, FIELD_64(Elf64_Shdr, header, sh_offset),
                            FIELD_64(Elf64_Shdr, header, sh_size), (int)section);
    }
}

void read_elf(struct object_bytes *b, struct object_file *o)
{
    if (read_8(b, EI_CLASS) != ELFCLASS64 || read_8(b, EI_DATA) != ELFDATA2LSB ||
        FIELD_16(Elf64_Ehdr, 0, e_machine) != EM_AARCH64 ||
        FIELD_16(Elf64_Ehdr, 0, e_type) != ET_REL) {
        read_fail(b, "not a relocatable little-endian AArch64 ELF file");
        return;
    }
    uint64_t table = FIELD_64(Elf64_Ehdr, 0, e_shoff);
    int count = FIELD_16(Elf64_Ehdr, 0, e_shnum);
    uint64_t name_header = table + FIELD_16(Elf64_Ehdr, 0, e_shstrndx) * sizeof(Elf64_Shdr);
    read_sections(b, o, table, count, FIELD_64(Elf64_Shdr, name_header, sh_offset));
    for (int i = 0; i < count && !b->failed; i++) {
        uint64_t header = table + (uint64_t)i * sizeof(Elf64_Shdr);
        uint32_t type = FIELD_32(Elf64_Shdr, header, sh_type);
        uint64_t at = FIELD_64(Elf64_Shdr, header, sh_offset);
        uint64_t size = FIELD_64(Elf64_Shdr, header, sh_size);
        if (type == SHT_SYMTAB) {
            uint64_t names = table + FIELD_32(Elf64_Shdr, header, sh_link) * sizeof(Elf64_Shdr);
            read_symbols(b, o, at, size, FIELD_64(Elf64_Shdr, names, sh_offset));
        } else if (type == SHT_RELA) {
            uint32_t section = FIELD_32(Elf64_Shdr, header, sh_info);
            if (section >= (uint32_t)count)
                read_fail(b, "relocations of no section");
            else if (o->sections[section].use != SECTION_OTHER)
                read_relocations(b, o, at, size, (int)section);
        } else if (type == SHT_REL) {
            read_fail(b, "SHT_REL, which AArch64 does not use");
        }
    }
    read_all_references(b, o, table, count);
}
