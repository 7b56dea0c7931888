/* unwind.c: what the decoders of unwind tables share, and the choice between
 * them. See unwind.h.
 */
#include "harness/unwind.h"

#include <stdio.h>
#include <string.h>

bool unwind_complain(struct unwind_step *s, const char *what)
{
    if (s->why[0] == 0)
        snprintf(s->why, s->why_size, "%s+0x%llx: %s", s->object->sections[s->section].name,
                 (unsigned long long)s->offset, what);
    return false;
}

bool unwind_restore_x(struct unwind_step *s, int n, uint64_t address)
{
    if (n < 0 || n > 30)
        return unwind_complain(s, "a general register that does not exist");
    return s->read(s->context, address, &s->registers->x[n]) ||
           unwind_complain(s, "a saved register outside the stack");
}

bool unwind_restore_d(struct unwind_step *s, int n, uint64_t address)
{
    if (n < 0 || n > 31)
        return unwind_complain(s, "a vector register that does not exist");
    return s->read(s->context, address, &s->registers->d[n]) ||
           unwind_complain(s, "a saved register outside the stack");
}

/* Addresses here have fewer than 48 bits, so a signature is what stands above
 * (Arm ARM D5.1.5, with the smallest T0SZ). That it is zero by chance cannot
 * happen unnoticed: keys and stacks of the tests do not change. */
bool unwind_authenticate(struct unwind_step *s)
{
    uint64_t *lr = &s->registers->x[30];
    if (*lr >> 48 == 0)
        return unwind_complain(s, "x30 is said to be signed and is not");
    *lr &= ((uint64_t)1 << 48) - 1;
    return true;
}

int unwind_section(const struct object_file *o, const char *name)
{
    for (int i = 0; i < o->section_count; i++)
        if (strcmp(o->sections[i].name, name) == 0)
            return i;
    return -1;
}

uint64_t unwind_take(struct unwind_bytes *b, int size)
{
    if (b->end - b->at < size) {
        b->failed = true;
        return 0;
    }
    uint64_t v = 0;
    for (int i = size - 1; i >= 0; i--)
        v = v << 8 | b->at[i];
    b->at += size;
    return v;
}

/* Which tables the system's unwinder asks, by format. */
static bool (*const decoders[])(struct unwind_step *) = {
    [OBJECT_ELF] = unwind_dwarf, [OBJECT_MACHO] = unwind_compact, [OBJECT_COFF] = unwind_seh,
};

bool unwind(struct unwind_step *s)
{
    const struct object_file *o = s->object;
    s->section = -1;
    for (int i = 0; i < o->section_count; i++) {
        const struct object_section *c = &o->sections[i];
        if (c->use == SECTION_CODE && s->registers->pc - c->address < c->size)
            s->section = i;
    }
    if (s->section < 0) {
        s->section = 0;
        s->offset = s->registers->pc;
        return unwind_complain(s, "the pc is not in the object's code");
    }
    s->offset = s->registers->pc - o->sections[s->section].address;
    if (!decoders[o->format](s))
        return false;
    s->registers->pc = s->registers->x[30];
    return true;
}
