/* unwind_dwarf.c: call frame information for ELF and Mach-O.
 *
 * Takes the unwind kinds that code/frame.c left on its instructions. Gives
 * `.cfi_` lines that are right after every single instruction, in the epilogue
 * as well, so that a profiler or a debugger can stop anywhere.
 *
 * What the unwinder knows follows the text, what is true follows the control
 * flow. So the frame's state at the start of every block is found along the
 * edges first; where a block begins, whatever differs from the end of the text
 * before it is written. Nothing is remembered or restored by name, and code
 * after a return needs no special case.
 *
 * For Mach-O, clang also makes compact unwind of these lines, which is right in
 * the body of a function only. It does not where a line says what that form
 * cannot, and so all frames need one that says so; most restore a register.
 *
 * The frame's address (CFA) is counted from sp, and from x29 only while a
 * frame of variable size exists (AADWARF64 4.1: x29 is 29, d8 is 72; the
 * assemblers know the names).
 */
#include <assert.h>
#include <string.h>

#include "target/row.h"

enum bank { BANK_GENERAL, BANK_VECTOR, BANK_COUNT };
enum { REGISTERS = 32, SAVED_BYTES = 8 };

struct frame_state {
    bool is_known;
    bool from_fp;               /* CFA = x29 + cfa, otherwise sp + cfa */
    bool is_signed;
    int64_t cfa;
    int64_t fp_cfa;             /* CFA = x29 + fp_cfa once x29 was set */
    int64_t saved[BANK_COUNT][REGISTERS];       /* from the CFA, negative; 0: not saved */
};

struct unwinder {
    const char *toggled;
    bool is_variable, saves_nothing;
    struct frame_state now;                     /* as the text says so far */
    struct frame_state *at_block;               /* as is true, by block id */
};

/* -- what one instruction does -- */

struct save_row { bool is_save, moves_sp; enum bank bank; int count; };

static const struct save_row save_rows[UNWIND_RESTORE_SP + 1] = {
    [UNWIND_SAVE_FPLR] = {true, false, BANK_GENERAL, 2},
    [UNWIND_SAVE_FPLR_X] = {true, true, BANK_GENERAL, 2},
    [UNWIND_SAVE_REG] = {true, false, BANK_GENERAL, 1},
    [UNWIND_SAVE_REG_PAIR] = {true, false, BANK_GENERAL, 2},
    [UNWIND_SAVE_REG_PAIR_X] = {true, true, BANK_GENERAL, 2},
    [UNWIND_SAVE_FREG] = {true, false, BANK_VECTOR, 1},
    [UNWIND_SAVE_FREG_PAIR] = {true, false, BANK_VECTOR, 2},
    [UNWIND_SAVE_FREG_PAIR_X] = {true, true, BANK_VECTOR, 2},
};

static void save_registers(struct frame_state *s, const struct mach_insn *i)
{
    const struct save_row *row = &save_rows[i->unwind.kind];
    const bool is_fplr = i->unwind.kind == UNWIND_SAVE_FPLR || i->unwind.kind == UNWIND_SAVE_FPLR_X;
    const int first = is_fplr ? REG_FRAME : i->unwind.reg;
    const int64_t from_sp = row->moves_sp ? 0 : i->unwind.n;

    assert(!s->from_fp && first + row->count <= REGISTERS);
    if (row->moves_sp)
        s->cfa += i->unwind.n;
    for (int k = 0; k < row->count; k++)
        s->saved[row->bank][first + k] = from_sp + k * SAVED_BYTES - s->cfa;
}

static void restore_registers(struct frame_state *s, const struct mach_insn *i)
{
    const struct save_row *row = &save_rows[i->unwind.kind];
    const bool is_fplr = i->unwind.kind == UNWIND_SAVE_FPLR || i->unwind.kind == UNWIND_SAVE_FPLR_X;
    const int first = is_fplr ? REG_FRAME : i->unwind.reg;

    for (int k = 0; k < row->count; k++)
        s->saved[row->bank][first + k] = 0;
    if (row->moves_sp)
        s->cfa -= i->unwind.n;
}

static void step(struct frame_state *s, const struct mach_insn *i, bool is_variable)
{
    const bool is_leaving = i->part == PART_EPILOGUE;

    if (insns[i->insn].flags & IS_RETURN) {
        s->is_signed = false;
        return;
    }
    if (save_rows[i->unwind.kind].is_save) {
        if (is_leaving)
            restore_registers(s, i);
        else
            save_registers(s, i);
        return;
    }
    switch (i->unwind.kind) {
    case UNWIND_ALLOC:
        s->cfa += is_leaving ? -i->unwind.n : i->unwind.n;
        break;
    case UNWIND_SET_FP:
    case UNWIND_ADD_FP:
    case UNWIND_RESTORE_SP:
        if (is_leaving && s->from_fp) {
            s->from_fp = false;
            s->cfa = s->fp_cfa + i->unwind.n;
        } else if (!is_leaving) {
            s->fp_cfa = s->cfa - i->unwind.n;
            s->from_fp = is_variable;
            s->cfa = is_variable ? s->fp_cfa : s->cfa;
        }
        break;
    default:
        break;
    }
}

/* -- the state where each block begins -- */

static void flow(struct unwinder *u, const struct mach_func *f, bool signs)
{
    VEC(const struct mach_block *) todo = {0};
    int ids = 0;

    for (int i = 0; i < f->blocks.n; i++)
        if (f->blocks.at[i]->id >= ids)
            ids = f->blocks.at[i]->id + 1;
    u->at_block = NEW_ARRAY(struct frame_state, ids);
    u->at_block[f->blocks.at[0]->id] = (struct frame_state){.is_known = true, .is_signed = signs};
    vec_push(&todo, f->blocks.at[0]);
    while (todo.n > 0) {
        const struct mach_block *b = todo.at[--todo.n];
        struct frame_state s = u->at_block[b->id];

        for (const struct mach_insn *i = b->first; i; i = i->next)
            step(&s, i, u->is_variable);
        for (int k = 0; k < b->succs.n; k++) {
            struct frame_state *to = &u->at_block[b->succs.at[k]->id];

            assert(!to->is_known || (to->cfa == s.cfa && to->from_fp == s.from_fp &&
                                     memcmp(to->saved, s.saved, sizeof s.saved) == 0));
            if (!to->is_known)
                vec_push(&todo, b->succs.at[k]);
            *to = s;
        }
    }
}

/* -- writing differences -- */

static void write_cfa(struct text *out, const struct frame_state *from, const struct frame_state *to)
{
    if (from->from_fp != to->from_fp)
        text_format(out, "\t.cfi_def_cfa\t%s, %d\n", to->from_fp ? "x29" : "sp", (int)to->cfa);
    else if (from->cfa != to->cfa)
        text_format(out, "\t.cfi_def_cfa_offset\t%d\n", (int)to->cfa);
}

static void write_saved(struct text *out, const struct frame_state *from, const struct frame_state *to)
{
    for (int bank = 0; bank < BANK_COUNT; bank++)
        for (int r = 0; r < REGISTERS; r++) {
            const int64_t is = to->saved[bank][r];

            if (is == from->saved[bank][r])
                continue;
            text_format(out, "\t.cfi_%s\t%c%d", is ? "offset" : "restore",
                        bank == BANK_GENERAL ? 'x' : 'd', r);
            if (is)
                text_format(out, ", %d", (int)is);
            text_add(out, "\n");
        }
}

static void move_to(struct text *out, struct unwinder *u, const struct frame_state *to)
{
    write_cfa(out, &u->now, to);
    write_saved(out, &u->now, to);
    if (u->now.is_signed != to->is_signed)
        text_add(out, u->toggled);
    u->now = *to;
}

static bool dwarf_is_needed(const struct mach_func *f)
{
    (void)f;                    /* a leaf function is described as well: x30 is still x30 */
    return true;
}

static struct unwinder *dwarf_begin(const struct mach_func *f, bool signs, const char *toggled)
{
    struct unwinder *u = NEW(struct unwinder);

    u->toggled = toggled;
    u->is_variable = f->frame.is_variable;
    u->saves_nothing = f->frame.is_leaf && (f->frame.saved_general | f->frame.saved_vector) == 0;
    u->now.is_known = true;
    flow(u, f, signs);
    return u;
}

/* Right after the code that signs or authenticates. */
static void dwarf_signing(struct text *out, struct unwinder *u)
{
    struct frame_state to = u->now;

    to.is_signed = !to.is_signed;
    move_to(out, u, &to);
}

static void dwarf_block(struct text *out, struct unwinder *u, const struct mach_block *b)
{
    if (u->at_block[b->id].is_known)
        move_to(out, u, &u->at_block[b->id]);
}

static void dwarf_before(struct text *out, struct unwinder *u, const struct mach_insn *i)
{
    (void)out, (void)u, (void)i;
}

static void dwarf_after(struct text *out, struct unwinder *u, const struct mach_insn *i)
{
    struct frame_state to;

    if (i->unwind.kind == UNWIND_NONE && !(insns[i->insn].flags & IS_RETURN))
        return;
    to = u->now;
    step(&to, i, u->is_variable);
    move_to(out, u, &to);
    if (i->part == PART_PROLOGUE && i->unwind.kind == UNWIND_ALLOC && u->saves_nothing)
        text_add(out, "\t.cfi_same_value\tx30\n");
}

const struct unwind_format describe_dwarf = {
    .is_needed = dwarf_is_needed,
    .begin = dwarf_begin,
    .before_label = "",
    .after_label = "\t.cfi_startproc\n",
    .end = "\t.cfi_endproc\n",
    .signing = dwarf_signing,
    .block = dwarf_block,
    .before = dwarf_before,
    .after = dwarf_after,
};
