/* unwind_compact.c: unwind by Mach-O compact unwind.
 *
 * From Apple's mach-o/compact_unwind_encoding.h. In an object, an entry of
 * __LD,__compact_unwind is a function's address, its length, the encoding, and
 * two pointers for exception handlers. An encoding is right in the body of a
 * function only; where it must be right at each instruction it says "use the
 * DWARF" instead. Kernels need the frameless form with an empty frame and that
 * one; the others are there so that a kernel with a wrong one is found.
 */
#include "harness/unwind.h"

#define MODE_MASK       0x0f000000u
#define MODE_FRAMELESS  COMPACT_NO_FRAME
#define MODE_DWARF      COMPACT_DWARF
#define MODE_FRAME      0x04000000u

enum { ENTRY_SIZE = 32 };

/* Pairs in the order in which they are pushed: bit, first register. */
static const struct { uint32_t bit; int reg; bool is_vector; } pairs[] = {
    { 0x001, 19, false }, { 0x002, 21, false }, { 0x004, 23, false }, { 0x008, 25, false },
    { 0x010, 27, false }, { 0x100, 8, true },   { 0x200, 10, true },  { 0x400, 12, true },
    { 0x800, 14, true },
};

/* Each pair lies below the one before; `at` is the end of the first. */
static bool restore_pairs(struct unwind_step *s, uint32_t encoding, uint64_t at)
{
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        if ((encoding & pairs[i].bit) == 0)
            continue;
        bool (*restore)(struct unwind_step *, int, uint64_t) =
            pairs[i].is_vector ? unwind_restore_d : unwind_restore_x;
        if (!restore(s, pairs[i].reg, at - 8) || !restore(s, pairs[i].reg + 1, at - 16))
            return false;
        at -= 16;
    }
    return true;
}

static bool apply(struct unwind_step *s, uint32_t encoding)
{
    struct emulated_registers *r = s->registers;
    uint64_t top;
    switch (encoding & MODE_MASK) {
    case MODE_DWARF:
        return unwind_dwarf(s);
    case MODE_FRAMELESS:
        /* The system's unwinder reads such registers from `sp + size` on, above where
         * assemblers put them (LLVM libunwind, CompactUnwinder.hpp). */
        if ((encoding & 0xfff) != 0)
            return unwind_complain(s, "saved registers in a frameless encoding");
        r->sp += (encoding >> 12 & 0xfff) * 16;
        return true;
    case MODE_FRAME:
        top = r->x[29];
        if (!restore_pairs(s, encoding, top) || !unwind_restore_x(s, 30, top + 8) ||
            !unwind_restore_x(s, 29, top))
            return false;
        r->sp = top + 16;
        return true;
    default:
        return unwind_complain(s, "a compact encoding of no known mode");
    }
}

bool unwind_compact_encoding(const struct object_file *o, int section, uint64_t offset,
                             uint32_t *encoding)
{
    int at = unwind_section(o, "__LD,__compact_unwind");
    for (int i = 0; at >= 0 && i < o->reference_count; i++) {
        const struct object_section *table = &o->sections[at];
        const struct object_reference *r = &o->references[i];
        if (r->section != at || r->to_section != section || r->offset % ENTRY_SIZE != 0 ||
            r->offset + ENTRY_SIZE > table->size)
            continue;
        struct unwind_bytes b = { table->bytes + r->offset + 8, table->bytes + table->size, false };
        uint64_t length = unwind_take(&b, 4);
        *encoding = (uint32_t)unwind_take(&b, 4);
        if (offset - r->to_offset < length)
            return true;
    }
    return false;
}

bool unwind_compact(struct unwind_step *s)
{
    uint32_t encoding;
    return unwind_compact_encoding(s->object, s->section, s->offset, &encoding)
               ? apply(s, encoding) : unwind_dwarf(s);
}
