/* unwind_seh.c: what the Windows unwinder is told about a frame.
 *
 * Takes the unwind kinds that code/frame.c left on its instructions; gives one
 * `.seh_` line for each instruction of the prologue and of every epilogue. The
 * unwinder counts instructions: one without its line shifts all others, and no
 * assembler notices. So an instruction of these parts that changes nothing
 * gets `.seh_nop`, and the return stays outside (the end code stands for it).
 *
 * The kinds are those of Microsoft's "ARM64 exception handling", in its order
 * and with its limits; frame.c keeps to them on every platform. A function
 * without a prologue needs no description: its caller is where x30 says.
 */
#include <assert.h>

#include "target/row.h"

struct unwinder { bool in_prologue, in_epilogue; };

/* How a kind is written: with a register of this prefix, with an amount. */
struct seh_row { const char *directive; char reg; bool amount; };

static const struct seh_row seh_rows[] = {
    [UNWIND_NONE] = {"nop", 0, false},
    [UNWIND_ALLOC] = {"stackalloc", 0, true},
    [UNWIND_SAVE_FPLR] = {"save_fplr", 0, true},
    [UNWIND_SAVE_FPLR_X] = {"save_fplr_x", 0, true},
    [UNWIND_SAVE_REG] = {"save_reg", 'x', true},
    [UNWIND_SAVE_REG_PAIR] = {"save_regp", 'x', true},
    [UNWIND_SAVE_REG_PAIR_X] = {"save_regp_x", 'x', true},
    [UNWIND_SAVE_FREG] = {"save_freg", 'd', true},
    [UNWIND_SAVE_FREG_PAIR] = {"save_fregp", 'd', true},
    [UNWIND_SAVE_FREG_PAIR_X] = {"save_fregp_x", 'd', true},
    [UNWIND_SET_FP] = {"set_fp", 0, false},
    [UNWIND_ADD_FP] = {"add_fp", 0, true},
    [UNWIND_NOP] = {"nop", 0, false},
    [UNWIND_SIGN_LR] = {"pac_sign_lr", 0, false},
    [UNWIND_RESTORE_SP] = {"set_fp", 0, false},
};
static_assert(COUNT(seh_rows) == UNWIND_RESTORE_SP + 1, "each unwind kind has a directive");

static bool seh_is_needed(const struct mach_func *f)
{
    for (int i = 0; i < f->blocks.n; i++)
        for (const struct mach_insn *m = f->blocks.at[i]->first; m; m = m->next)
            if (m->part == PART_PROLOGUE)
                return true;
    return false;
}

static struct unwinder *seh_begin(const struct mach_func *f, bool signs, const char *toggled)
{
    struct unwinder *u = NEW(struct unwinder);

    (void)f, (void)signs, (void)toggled;        /* the style's own lines say it */
    u->in_prologue = true;
    return u;
}

static void seh_signing(struct text *out, struct unwinder *u)
{
    (void)out, (void)u;
}

static void leave_prologue(struct text *out, struct unwinder *u)
{
    if (u->in_prologue)
        text_add(out, "\t.seh_endprologue\n");
    u->in_prologue = false;
}

static void leave_epilogue(struct text *out, struct unwinder *u)
{
    if (u->in_epilogue)
        text_add(out, "\t.seh_endepilogue\n");
    u->in_epilogue = false;
}

static void seh_block(struct text *out, struct unwinder *u, const struct mach_block *b)
{
    /* Control never enters or leaves in the middle of a prologue. */
    if (b->first && b->first->part != PART_PROLOGUE)
        leave_prologue(out, u);
    leave_epilogue(out, u);
}

static void seh_before(struct text *out, struct unwinder *u, const struct mach_insn *i)
{
    const bool returns = insns[i->insn].flags & IS_RETURN;

    if (i->part != PART_PROLOGUE)
        leave_prologue(out, u);
    if (i->part != PART_EPILOGUE || returns)
        leave_epilogue(out, u);
    else if (!u->in_epilogue) {
        text_add(out, "\t.seh_startepilogue\n");
        u->in_epilogue = true;
    }
}

static void seh_after(struct text *out, struct unwinder *u, const struct mach_insn *i)
{
    const struct seh_row *row = &seh_rows[i->unwind.kind];

    if (!u->in_prologue && !u->in_epilogue)
        return;
    if (i->unwind.kind == UNWIND_RESTORE_SP && i->unwind.n != 0)
        row = &seh_rows[UNWIND_ADD_FP];
    text_format(out, "\t.seh_%s", row->directive);
    if (row->reg)
        text_format(out, "\t%c%d,", row->reg, i->unwind.reg);
    if (row->amount)
        text_format(out, "%c%d", row->reg ? ' ' : '\t', (int)i->unwind.n);
    text_add(out, "\n");
}

const struct unwind_format describe_seh = {
    .is_needed = seh_is_needed,
    .begin = seh_begin,
    .before_label = "\t.seh_proc\t$\n",
    .after_label = "",
    .end = "\t.seh_endproc\n",
    .signing = seh_signing,
    .block = seh_block,
    .before = seh_before,
    .after = seh_after,
};
