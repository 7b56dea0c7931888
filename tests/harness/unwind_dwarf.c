/* unwind_dwarf.c: unwind by call frame information in .eh_frame.
 *
 * From the DWARF 4 standard, section 6.4, the LSB's description of .eh_frame,
 * and AADWARF64 (register numbers: x0 to x30 are 0 to 30, sp 31, d0 to d31 are
 * 64 to 95; DW_CFA_AARCH64_negate_ra_state; 'B' in the augmentation).
 *
 * Does not: know expressions, personalities or 64-bit DWARF; a kernel has none.
 */
#include "harness/unwind.h"

#include <string.h>

enum {
    REG_SP = 31, REG_D0 = 64, REG_COUNT = 96, RETURN_COLUMN = 30,
    PCREL_ABSPTR = 0x10, PCREL_SDATA4 = 0x1b, MAX_REMEMBERED = 4
};

struct rule { bool is_saved; int64_t offset; };     /* from the CFA */

struct row {
    uint64_t cfa_register;
    int64_t cfa_offset;
    struct rule rules[REG_COUNT];
    bool is_signed;
};

struct cie {
    uint64_t code_align;
    int64_t data_align;
    uint8_t encoding;
    struct unwind_bytes code;
};

struct frame {
    struct unwind_step *step;
    struct cie cie;
    struct row row, initial, remembered[MAX_REMEMBERED];
    int remembered_count;
    uint64_t at;                /* of the row, from the function's start */
};

static uint64_t take_uleb(struct unwind_bytes *b)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = unwind_take(b, 1);
        v |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    } while ((byte & 0x80) != 0 && !b->failed);
    return v;
}

static int64_t take_sleb(struct unwind_bytes *b)
{
    uint64_t v = 0, byte;
    unsigned shift = 0;
    do {
        byte = unwind_take(b, 1);
        v |= shift < 64 ? (byte & 0x7f) << shift : 0;
        shift += 7;
    } while ((byte & 0x80) != 0 && !b->failed);
    if (shift < 64 && (byte & 0x40) != 0)
        v |= ~(uint64_t)0 << shift;
    return (int64_t)v;
}

/* -- instructions (DWARF 4, 6.4.2 and 7.23) -- */

static bool set_rule(struct frame *f, uint64_t reg, struct rule rule)
{
    if (reg >= REG_COUNT)
        return unwind_complain(f->step, "CFI of a register that does not exist");
    f->row.rules[reg] = rule;
    return true;
}

static bool restore_rule(struct frame *f, uint64_t reg)
{
    return set_rule(f, reg, reg < REG_COUNT ? f->initial.rules[reg] : (struct rule){ 0 });
}

static bool save_at(struct frame *f, uint64_t reg, int64_t factored)
{
    return set_rule(f, reg, (struct rule){ true, factored * f->cie.data_align });
}

static bool remember(struct frame *f)
{
    if (f->remembered_count == MAX_REMEMBERED)
        return unwind_complain(f->step, "CFI that remembers too much");
    f->remembered[f->remembered_count++] = f->row;
    return true;
}

static bool recall(struct frame *f)
{
    if (f->remembered_count == 0)
        return unwind_complain(f->step, "CFI that restores what it never remembered");
    f->row = f->remembered[--f->remembered_count];
    return true;
}

static void define_cfa(struct frame *f, uint64_t reg, int64_t offset)
{
    f->row.cfa_register = reg;
    f->row.cfa_offset = offset;
}

/* Those without an operand in their first byte, but the ones that advance. */
static bool run_extended(struct frame *f, struct unwind_bytes *b, uint64_t op)
{
    uint64_t reg;
    switch (op) {
    case 0x00: return true;                                             /* nop */
    case 0x05: reg = take_uleb(b); return save_at(f, reg, (int64_t)take_uleb(b));
    case 0x06: return restore_rule(f, take_uleb(b));
    case 0x08: return set_rule(f, take_uleb(b), (struct rule){ 0 });    /* same value */
    case 0x0a: return remember(f);
    case 0x0b: return recall(f);
    case 0x0c: reg = take_uleb(b); define_cfa(f, reg, (int64_t)take_uleb(b)); return true;
    case 0x0d: define_cfa(f, take_uleb(b), f->row.cfa_offset); return true;
    case 0x0e: define_cfa(f, f->row.cfa_register, (int64_t)take_uleb(b)); return true;
    case 0x11: reg = take_uleb(b); return save_at(f, reg, take_sleb(b));
    case 0x2d: f->row.is_signed = !f->row.is_signed; return true;       /* negate_ra_state */
    default: return unwind_complain(f->step, "CFI that no kernel should need");
    }
}

/* Runs until the row of `until` is complete. */
static bool run(struct frame *f, struct unwind_bytes b, uint64_t until)
{
    while (b.at < b.end && !b.failed) {
        uint64_t op = unwind_take(&b, 1), low = op & 0x3f, delta = 0;
        bool advances = true;
        switch (op) {
        case 0x02: delta = unwind_take(&b, 1); break;
        case 0x03: delta = unwind_take(&b, 2); break;
        case 0x04: delta = unwind_take(&b, 4); break;
        default: delta = low; advances = op >> 6 == 1; break;
        }
        if (advances) {
            f->at += delta * f->cie.code_align;
            if (f->at > until)
                return true;
        } else if (op >> 6 == 2) {
            if (!save_at(f, low, (int64_t)take_uleb(&b)))
                return false;
        } else if (op >> 6 == 3) {
            if (!restore_rule(f, low))
                return false;
        } else if (!run_extended(f, &b, op)) {
            return false;
        }
    }
    return !b.failed || unwind_complain(f->step, "CFI that ends too early");
}

/* -- entries -- */

static bool read_cie(struct unwind_step *s, struct unwind_bytes b, struct cie *cie)
{
    const char *augmentation;
    uint64_t version = unwind_take(&b, 1);
    augmentation = (const char *)b.at;
    while (unwind_take(&b, 1) != 0 && !b.failed)
        continue;
    cie->code_align = take_uleb(&b);
    cie->data_align = take_sleb(&b);
    uint64_t column = version == 1 ? unwind_take(&b, 1) : take_uleb(&b);
    if (b.failed || (version != 1 && version != 3) || column != RETURN_COLUMN ||
        augmentation[0] != 'z')
        return unwind_complain(s, "a CIE of another kind than kernels need");
    uint64_t size = take_uleb(&b);
    cie->code = (struct unwind_bytes){ b.at + size, b.end, size > (uint64_t)(b.end - b.at) };
    for (const char *c = augmentation + 1; *c; c++) {
        if (*c == 'R')
            cie->encoding = (uint8_t)unwind_take(&b, 1);
        else if (*c != 'B')                         /* signed with the B key */
            return unwind_complain(s, "a CIE augmentation that no kernel should need");
    }
    return (!b.failed && !cie->code.failed) || unwind_complain(s, "a CIE that ends too early");
}

/* Where the field at `offset` of the section points, as a place in the code
 * section of the step; false: in another section. */
static bool function_start(const struct unwind_step *s, int section, uint64_t offset,
                           int64_t field, uint64_t *start)
{
    const struct object_file *o = s->object;
    for (int i = 0; i < o->reference_count; i++) {
        const struct object_reference *r = &o->references[i];
        if (r->section == section && r->offset == offset) {
            *start = r->to_offset;
            return r->to_section == s->section;
        }
    }
    /* Mach-O resolves differences between sections in the object itself. */
    *start = o->sections[section].origin + offset + (uint64_t)field - o->sections[s->section].origin;
    return o->format == OBJECT_MACHO && *start < o->sections[s->section].size;
}

static bool apply(struct frame *f)
{
    struct emulated_registers *r = f->step->registers;
    const struct row *row = &f->row;
    if (row->cfa_register > REG_SP)
        return unwind_complain(f->step, "a CFA from a register that does not exist");
    uint64_t base = row->cfa_register == REG_SP ? r->sp : r->x[row->cfa_register];
    uint64_t cfa = base + (uint64_t)row->cfa_offset;
    for (int n = 0; n < REG_COUNT; n++) {
        const uint64_t at = cfa + (uint64_t)row->rules[n].offset;
        if (!row->rules[n].is_saved)
            continue;
        if (n >= REG_D0 ? !unwind_restore_d(f->step, n - REG_D0, at)
                        : !unwind_restore_x(f->step, n, at))
            return false;
    }
    r->sp = cfa;
    return !row->is_signed || unwind_authenticate(f->step);
}

static bool apply_fde(struct unwind_step *s, const struct cie *cie, struct unwind_bytes code,
                      uint64_t from_start)
{
    struct frame f = { .step = s, .cie = *cie };
    if (!run(&f, cie->code, 0))
        return false;
    f.initial = f.row;
    f.at = 0;
    return run(&f, code, from_start) && apply(&f);
}

/* The FDE at b, if it is of this pc: true when it decided, whatever came of it. */
static bool try_fde(struct unwind_step *s, int section, const struct cie *cie,
                    struct unwind_bytes b, bool *done)
{
    const struct object_section *table = &s->object->sections[section];
    uint64_t offset = (uint64_t)(b.at - table->bytes), start;
    int size = cie->encoding == PCREL_SDATA4 ? 4 : 8;
    if (cie->encoding != PCREL_SDATA4 && cie->encoding != PCREL_ABSPTR) {
        *done = unwind_complain(s, "an FDE with another encoding");
        return true;
    }
    uint64_t field = unwind_take(&b, size);
    uint64_t range = unwind_take(&b, size), augmentation = take_uleb(&b);
    int64_t from = size == 4 ? (int32_t)(uint32_t)field : (int64_t)field;
    if (!function_start(s, section, offset, from, &start) || s->offset - start >= range)
        return false;
    if (b.failed || augmentation > (uint64_t)(b.end - b.at)) {
        *done = unwind_complain(s, "an FDE that ends too early");
        return true;
    }
    b.at += augmentation;
    *done = apply_fde(s, cie, b, s->offset - start);
    return true;
}

bool unwind_dwarf(struct unwind_step *s)
{
    bool is_macho = s->object->format == OBJECT_MACHO;
    int section = unwind_section(s->object, is_macho ? "__TEXT,__eh_frame" : ".eh_frame");
    if (section < 0)
        return unwind_complain(s, "there is no .eh_frame");
    const struct object_section *table = &s->object->sections[section];
    struct unwind_bytes b = { table->bytes, table->bytes + table->size, false };
    while (b.at < b.end) {
        uint64_t length = unwind_take(&b, 4);
        if (length == 0)
            break;
        if (b.failed || length < 4 || length > (uint64_t)(b.end - b.at))
            return unwind_complain(s, ".eh_frame is cut short");
        struct unwind_bytes entry = { b.at, b.at + length, false }, back;
        uint64_t id = unwind_take(&entry, 4);
        struct cie cie = { .encoding = 0 };
        bool done;
        b.at += length;
        if (id == 0)
            continue;
        /* The id of an FDE is the distance back to its CIE. */
        if (id > (uint64_t)(entry.at - 4 - table->bytes))
            return unwind_complain(s, "an FDE without a CIE");
        back = (struct unwind_bytes){ entry.at - 4 - id, table->bytes + table->size, false };
        uint64_t cie_length = unwind_take(&back, 4);
        if (back.failed || cie_length < 4 || cie_length > (uint64_t)(back.end - back.at))
            return unwind_complain(s, "an FDE without a CIE");
        back.end = back.at + cie_length;
        if (unwind_take(&back, 4) != 0)
            return unwind_complain(s, "an FDE without a CIE");
        if (!read_cie(s, back, &cie))
            return false;
        if (try_fde(s, section, &cie, entry, &done))
            return done;
    }
    return unwind_complain(s, "no FDE covers this instruction");
}
