/* alive.c: which registers of finished code hold something that is still needed.
 *
 * Takes allocated code in its layout. Gives, for each instruction, the registers and
 * whether the flags are alive behind it: what a reviewer asks of a listing.
 *
 * Does not: know virtual registers; code/liveness.c does, before they are gone.
 */
#include "tool/alive.h"

#include "code/build.h"

/* The flags take the bit of xzr, which never lives. */
static const uint64_t FLAGS_ALIVE = 1ull << REG_ZERO;

static uint64_t bit_of(const struct vreg *v)
{
    return v->class < CLASS_FLAGS ? 1ull << (v->class * 32 + v->assigned) : 0;
}

static uint64_t alive_before(const struct mach_insn *i, uint64_t after)
{
    struct reg_list l;
    insn_defs(i, &l);
    for (int k = 0; k < l.n; k++)
        after &= ~bit_of(l.at[k]);
    if (insn_writes_flags(i))
        after &= ~FLAGS_ALIVE;
    if (insn_reads_flags(i))
        after |= FLAGS_ALIVE;
    insn_uses(i, &l);
    for (int k = 0; k < l.n; k++)
        after |= bit_of(l.at[k]);
    return after;
}

static uint64_t alive_at(const struct mach_block *b, const uint64_t *in, uint64_t *behind, int first)
{
    uint64_t alive = 0;
    int n = 0;
    for (int s = 0; s < b->succs.n; s++)
        alive |= in[b->succs.at[s]->id];
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next)
        n++;
    for (const struct mach_insn *i = b->last; i != NULL; i = i->prev) {
        behind[first + --n] = alive;
        alive = alive_before(i, alive);
    }
    return alive;
}

/* Behind every instruction; until nothing changes. */
uint64_t *alive_behind(struct mach_func *f)
{
    int n = 0;
    bool changed = true;
    blocks_link(f);
    for (int b = 0; b < f->blocks.n; b++)
        for (const struct mach_insn *i = f->blocks.at[b]->first; i != NULL; i = i->next)
            n++;
    uint64_t *behind = NEW_ARRAY(uint64_t, n + 1), *in = NEW_ARRAY(uint64_t, f->blocks.n + 1);
    while (changed) {
        int first = 0;
        changed = false;
        for (int b = 0; b < f->blocks.n; b++) {
            const struct mach_block *block = f->blocks.at[b];
            const uint64_t alive = alive_at(block, in, behind, first);
            changed |= in[b] != alive;
            in[b] = alive;
            for (const struct mach_insn *i = block->first; i != NULL; i = i->next)
                first++;
        }
    }
    return behind;
}

/* -- as text -- */

static void print_registers(struct text *out, char letter, uint32_t set)
{
    if (set == 0)
        return;
    text_format(out, "%s%c", out->at[out->n - 1] == ' ' ? "" : " ", letter);
    bool any = false;
    for (int r = 0; r < 32; r++) {
        int last = r;
        if ((set >> r & 1) == 0)
            continue;
        while (last < 31 && (set >> (last + 1) & 1) != 0)
            last++;
        text_format(out, last > r ? "%s%d-%d" : "%s%d", any ? "," : "", r, last);
        any = true;
        r = last;
    }
}

void alive_print(struct text *out, uint64_t alive)
{
    print_registers(out, 'x', (uint32_t)(alive & ~FLAGS_ALIVE));
    print_registers(out, 'v', (uint32_t)(alive >> 32));
    if ((alive & FLAGS_ALIVE) != 0)
        text_add(out, out->at[out->n - 1] == ' ' ? "flags" : " flags");
}
