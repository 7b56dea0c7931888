/* object.c: read an object file, and relocate it: what does not depend on the
 * format. See object.h.
 */
#include "harness/object_formats.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* -- bytes of the file -- */

void read_fail(struct object_bytes *b, const char *failure)
{
    if (!b->failed)
        b->failure = failure;
    b->failed = true;
}

static uint64_t read_little(struct object_bytes *b, uint64_t offset, int size)
{
    if (offset > b->n || b->n - offset < (uint64_t)size) {
        read_fail(b, "an offset outside the file");
        return 0;
    }
    uint64_t v = 0;
    for (int i = size - 1; i >= 0; i--)
        v = v << 8 | b->at[offset + (uint64_t)i];
    return v;
}

uint8_t read_8(struct object_bytes *b, uint64_t offset)
{
    return (uint8_t)read_little(b, offset, 1);
}
uint16_t read_16(struct object_bytes *b, uint64_t offset)
{
    return (uint16_t)read_little(b, offset, 2);
}
uint32_t read_32(struct object_bytes *b, uint64_t offset)
{
    return (uint32_t)read_little(b, offset, 4);
}
uint64_t read_64(struct object_bytes *b, uint64_t offset) { return read_little(b, offset, 8); }

void read_name(struct object_bytes *b, uint64_t offset, size_t limit, char *name, size_t size)
{
    size_t n = 0;
    while (n < limit && n + 1 < size) {
        name[n] = (char)read_8(b, offset + n);
        if (name[n] == 0)
            return;
        n++;
    }
    name[n] = 0;
    if (n < limit)
        read_fail(b, "a name that is too long");
}

/* -- growing lists -- */

/* Makes room for one more: the capacity is the next power of two. */
static void *grow(void *at, int count, size_t size)
{
    if (count != 0 && (count & (count - 1)) != 0)
        return at;
    at = realloc(at, size * (size_t)(count == 0 ? 1 : 2 * count));
    assert(at != NULL);
    return at;
}

struct object_section *add_section(struct object_file *o)
{
    o->sections = grow(o->sections, o->section_count, sizeof *o->sections);
    struct object_section *s = &o->sections[o->section_count++];
    *s = (struct object_section){ .use = SECTION_OTHER, .align = 1 };
    return s;
}

struct object_symbol *add_symbol(struct object_file *o)
{
    o->symbols = grow(o->symbols, o->symbol_count, sizeof *o->symbols);
    struct object_symbol *s = &o->symbols[o->symbol_count++];
    *s = (struct object_symbol){ .section = -1 };
    return s;
}

struct object_relocation *add_relocation(struct object_file *o)
{
    o->relocations = grow(o->relocations, o->relocation_count, sizeof *o->relocations);
    struct object_relocation *r = &o->relocations[o->relocation_count++];
    *r = (struct object_relocation){ .symbol = -1 };
    return r;
}

bool is_unwind_section(const struct object_section *s)
{
    static const char *const names[] = { ".eh_frame", "__TEXT,__eh_frame", "__LD,__compact_unwind",
                                         ".pdata" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(s->name, names[i]) == 0)
            return true;
    return false;
}

void add_reference(struct object_bytes *b, struct object_file *o, struct object_reference r)
{
    if (r.to_section < 0 || r.to_section >= o->section_count)
        read_fail(b, "an unwind table that refers to no section");
    o->references = grow(o->references, o->reference_count, sizeof *o->references);
    o->references[o->reference_count++] = r;
}

void take_section_bytes(struct object_bytes *b, struct object_section *s, uint64_t offset)
{
    if (s->size == 0)
        return;
    if (offset > b->n || b->n - offset < s->size) {
        read_fail(b, "a section outside the file");
        s->size = 0;
        return;
    }
    s->bytes = malloc(s->size);
    assert(s->bytes != NULL);
    memcpy(s->bytes, b->at + offset, s->size);
}

/* -- the file -- */

static bool read_whole_file(const char *path, uint8_t **at, size_t *n)
{
    FILE *f = fopen(path, "rb");
    if (f == NULL)
        return false;
    size_t cap = 0;
    *at = NULL;
    *n = 0;
    for (;;) {
        if (*n == cap) {
            cap = cap ? 2 * cap : 4096;
            *at = realloc(*at, cap);
            assert(*at != NULL);
        }
        size_t got = fread(*at + *n, 1, cap - *n, f);
        if (got == 0)
            break;
        *n += got;
    }
    bool ok = !ferror(f);
    fclose(f);
    return ok;
}

static const struct { uint32_t magic, mask; enum object_format format;
                      void (*read)(struct object_bytes *, struct object_file *); } readers[] = {
    { 0x464c457f, 0xffffffff, OBJECT_ELF,   read_elf },     /* 7f 'E' 'L' 'F' */
    { 0xfeedfacf, 0xffffffff, OBJECT_MACHO, read_macho },   /* MH_MAGIC_64 */
    { 0x0000aa64, 0x0000ffff, OBJECT_COFF,  read_coff },    /* IMAGE_FILE_MACHINE_ARM64 */
};

static bool is_chkstk(const struct object_file *o, const struct object_symbol *s)
{
    return o->format == OBJECT_COFF && s->section < 0 && strcmp(s->name, "__chkstk") == 0;
}

static void check_symbols(struct object_bytes *b, const struct object_file *o)
{
    for (int i = 0; i < o->symbol_count; i++) {
        const struct object_symbol *s = &o->symbols[i];
        if (s->section >= o->section_count)
            read_fail(b, "a symbol in no section");
        else if (s->section >= 0 && s->offset > o->sections[s->section].size)
            read_fail(b, "a symbol outside its section");
    }
    for (int i = 0; i < o->relocation_count; i++) {
        const struct object_relocation *r = &o->relocations[i];
        const struct object_section *s = &o->sections[r->section];
        if (r->symbol < 0 || r->symbol >= o->symbol_count)
            read_fail(b, "a relocation without a symbol");
        else if (o->symbols[r->symbol].section < 0 && !is_chkstk(o, &o->symbols[r->symbol]))
            read_fail(b, "an undefined symbol");
        else if (s->size < 4 || r->offset > s->size - 4 || r->offset % 4 != 0)
            read_fail(b, "a relocation outside its section");
    }
}

struct object_file *object_read(const char *path, char *why, size_t why_size)
{
    uint8_t *at;
    size_t n;
    why[0] = 0;
    if (!read_whole_file(path, &at, &n)) {
        snprintf(why, why_size, "%s: cannot be read", path);
        return NULL;
    }
    struct object_bytes b = { .at = at, .n = n };
    struct object_file *o = calloc(1, sizeof *o);
    assert(o != NULL);
    uint32_t magic = read_32(&b, 0);
    size_t i = 0;
    while (i < sizeof readers / sizeof *readers && (magic & readers[i].mask) != readers[i].magic)
        i++;
    if (i == sizeof readers / sizeof *readers) {
        read_fail(&b, "not an AArch64 object");
    } else {
        o->format = readers[i].format;
        readers[i].read(&b, o);
        check_symbols(&b, o);
    }
    free(at);
    if (b.failed) {
        snprintf(why, why_size, "%s: %s", path, b.failure);
        object_free(o);
        return NULL;
    }
    return o;
}

void object_free(struct object_file *o)
{
    if (o == NULL)
        return;
    for (int i = 0; i < o->section_count; i++)
        free(o->sections[i].bytes);
    free(o->sections);
    free(o->symbols);
    free(o->relocations);
    free(o->references);
    free(o);
}

const struct object_symbol *object_symbol(const struct object_file *o, const char *name)
{
    for (int i = 0; i < o->symbol_count; i++) {
        if (o->symbols[i].section >= 0 && strcmp(o->symbols[i].name, name) == 0)
            return &o->symbols[i];
    }
    return NULL;
}

/* -- relocation -- */

static uint32_t get_insn(const struct object_section *s, uint64_t offset)
{
    const uint8_t *p = s->bytes + offset;
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static void put_insn(struct object_section *s, uint64_t offset, uint32_t insn)
{
    for (unsigned i = 0; i < 4; i++)
        s->bytes[offset + i] = (uint8_t)(insn >> (8 * i));
}

/* Arm ARM C6.2.12: adrp, immlo in bits 30..29 and immhi in 23..5. */
static const char *relocate_page(uint32_t *insn, uint64_t target, uint64_t place)
{
    if ((*insn & 0x9f000000) != 0x90000000)
        return "a page relocation on something other than adrp";
    int64_t pages = (int64_t)(target >> 12) - (int64_t)(place >> 12);
    if (pages < -(1 << 20) || pages >= 1 << 20)
        return "a page out of adrp's reach";
    *insn |= (uint32_t)(pages & 3) << 29 | (uint32_t)(pages >> 2 & 0x7ffff) << 5;
    return NULL;
}

/* Arm ARM C6.2.5: add (immediate) without shift, imm12 in bits 21..10. */
static const char *relocate_page_offset(uint32_t *insn, uint64_t target)
{
    if ((*insn & 0xffc00000) != 0x91000000)
        return "a page offset on something other than add";
    *insn |= (uint32_t)(target & 0xfff) << 10;
    return NULL;
}

/* Arm ARM C6.2.27, C6.2.34: b and bl, imm26. */
static const char *relocate_branch(uint32_t *insn, uint64_t target, uint64_t place)
{
    if ((*insn & 0x7c000000) != 0x14000000)
        return "a branch relocation on something other than b or bl";
    int64_t words = ((int64_t)target - (int64_t)place) / 4;
    if (words < -(1 << 25) || words >= 1 << 25)
        return "a branch out of reach";
    *insn |= (uint32_t)(words & 0x3ffffff);
    return NULL;
}

static uint64_t address_of(const struct object_file *o, const struct object_symbol *s)
{
    return is_chkstk(o, s) ? o->chkstk : o->sections[s->section].address + s->offset;
}

bool object_relocate(struct object_file *o, char *why, size_t why_size)
{
    for (int i = 0; i < o->relocation_count; i++) {
        const struct object_relocation *r = &o->relocations[i];
        const struct object_symbol *symbol = &o->symbols[r->symbol];
        struct object_section *s = &o->sections[r->section];
        uint64_t target = address_of(o, symbol) + (uint64_t)r->addend;
        uint64_t place = s->address + r->offset;
        uint32_t insn = get_insn(s, r->offset);
        const char *failure = NULL;
        switch (r->kind) {
        case RELOC_PAGE_21:        failure = relocate_page(&insn, target, place); break;
        case RELOC_PAGE_OFFSET_12: failure = relocate_page_offset(&insn, target); break;
        case RELOC_BRANCH_26:      failure = relocate_branch(&insn, target, place); break;
        }
        if (failure != NULL) {
            snprintf(why, why_size, "%s+0x%llx: %s", s->name, (unsigned long long)r->offset,
                     failure);
            return false;
        }
        put_insn(s, r->offset, insn);
    }
    return true;
}
