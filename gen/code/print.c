/* print.c: machine code as stable text, for --dump and tests.
 *
 * Before allocation a register is %12 (with x or w, or a vector's arrangement
 * behind it), afterwards what the assembler calls it. The template of the row is the only thing
 * that knows how an instruction looks. Blocks are b0, b1 … in layout order.
 */
#include <string.h>

#include "code/build.h"

static void print_fixed(struct text *out, const struct mach_func *f, const struct vreg *v,
                        enum operand_kind kind)
{
    bool is_w = kind == OP_W || kind == OP_W_SP;
    if (v == f->stack_pointer)
        text_add(out, is_w ? "wsp" : "sp");
    else if (v->assigned == REG_ZERO)
        text_add(out, is_w ? "wzr" : "xzr");
    else
        text_format(out, "%c%d", is_w ? 'w' : 'x', v->assigned);
}

static const char *const arrangements[OP_KIND_COUNT] = {
    [OP_8B] = ".8b", [OP_16B] = ".16b", [OP_4H] = ".4h", [OP_8H] = ".8h", [OP_2S] = ".2s",
    [OP_4S] = ".4s", [OP_1D] = ".1d", [OP_2D] = ".2d", [OP_1Q] = ".1q",
    [OP_B_LANE] = ".b", [OP_H_LANE] = ".h", [OP_S_LANE] = ".s", [OP_D_LANE] = ".d",
};
static const char scalar_letters[OP_KIND_COUNT] = {
    [OP_B] = 'b', [OP_H] = 'h', [OP_S] = 's', [OP_D] = 'd', [OP_Q] = 'q',
};

static void print_vreg(struct text *out, const struct mach_func *f, const struct vreg *v,
                       enum operand_kind kind)
{
    if (v == NULL)
        text_add(out, "?");
    else if (v->class == CLASS_GENERAL && v->is_assigned)
        print_fixed(out, f, v, kind);
    else if (v->class == CLASS_GENERAL)
        text_format(out, "%%%c%d", kind == OP_W || kind == OP_W_SP ? 'w' : 'x', v->id);
    else {
        const char *mark = v->is_assigned ? "" : "%";
        int n = v->is_assigned ? v->assigned : v->id;
        if (scalar_letters[kind] != 0)
            text_format(out, "%s%c%d", mark, scalar_letters[kind], n);
        else
            text_format(out, "%sv%d%s", mark, n,
                        arrangements[kind] != NULL ? arrangements[kind] : "");
    }
}

static void print_operand(struct text *out, const struct mach_func *f, const struct mach_insn *i,
                          int k)
{
    const struct operand_spec *spec = &row_of(i)->op[k];
    const struct mach_operand *op = &i->op[k];
    switch (spec->kind) {
    case OP_IMM:
        if (spec->range == RANGE_U12_SHIFT12)
            text_format(out, "%lld", (long long)op->imm >> 12);
        else if (spec->range == RANGE_LOGICAL_X || spec->range == RANGE_LOGICAL_W
                 || spec->range == RANGE_BYTE_MASK_64)
            text_format(out, "0x%llx", (unsigned long long)op->imm);
        else
            text_format(out, "%lld", (long long)op->imm);
        if (op->stack != NULL)
            text_format(out, "+%s", op->stack->name);
        break;
    case OP_COND: text_add(out, cond_names[op->imm & 15]); break;
    case OP_LABEL: text_format(out, "b%d", op->label->id); break;
    case OP_SYMBOL:
        text_add(out, op->callee != NULL ? op->callee->name : op->symbol != NULL ? op->symbol
                                                                                  : "tables");
        break;
    default:
        print_vreg(out, f, op->reg, (enum operand_kind)spec->kind);
        if (op->tied != NULL) {
            text_add(out, "=");
            print_vreg(out, f, op->tied, (enum operand_kind)spec->kind);
        }
    }
}

/* A part in <> is left out when the immediate in it is 0. */
static bool part_is_zero(const struct mach_insn *i, const char *part)
{
    for (; *part != '>' && *part != '\0'; part++)
        if (*part == '%') {
            const struct mach_operand *op = &i->op[part[1] - '0'];
            return op->imm == 0 && op->stack == NULL;
        }
    return true;
}

static void print_template(struct text *out, const struct mach_func *f, const struct mach_insn *i)
{
    for (const char *p = row_of(i)->print; *p != '\0'; p++) {
        if (*p == '%')
            print_operand(out, f, i, *++p - '0');
        else if (*p == '<' && part_is_zero(i, p + 1))
            p += strcspn(p, ">");
        else if (*p == '\t')
            text_column(out, 12);
        else if (*p != '<' && *p != '>')
            text_add_n(out, p, 1);
    }
}

static void print_list(struct text *out, const struct mach_func *f, const char *what,
                       struct vreg *const *list, int n)
{
    if (n == 0)
        return;
    text_format(out, " %s", what);
    for (int k = 0; k < n; k++) {
        text_add(out, k == 0 ? " " : ", ");
        print_vreg(out, f, list[k], list[k]->class == CLASS_GENERAL ? OP_X : OP_16B);
    }
}

static const char *const unwind_names[] = {
    [UNWIND_NONE] = "", [UNWIND_ALLOC] = "alloc", [UNWIND_SAVE_FPLR] = "save_fplr",
    [UNWIND_SAVE_FPLR_X] = "save_fplr_x", [UNWIND_SAVE_REG] = "save_reg",
    [UNWIND_SAVE_REG_PAIR] = "save_regp", [UNWIND_SAVE_REG_PAIR_X] = "save_regp_x",
    [UNWIND_SAVE_FREG] = "save_freg", [UNWIND_SAVE_FREG_PAIR] = "save_fregp",
    [UNWIND_SAVE_FREG_PAIR_X] = "save_fregp_x", [UNWIND_SET_FP] = "set_fp",
    [UNWIND_ADD_FP] = "add_fp", [UNWIND_NOP] = "nop", [UNWIND_SIGN_LR] = "sign_lr",
    [UNWIND_RESTORE_SP] = "restore_sp",
};

static void print_loop(struct text *out, const struct mach_block *b)
{
    const struct loop_order *o = b->ordered;
    if (b->loop_depth > 0)
        text_format(out, " (loop depth %d)", b->loop_depth);
    if (o != NULL)
        text_format(out, " (interval %d.%02d, at least %d.%02d, %s", o->interval / 100,
                    o->interval % 100, o->bound / 100, o->bound % 100,
                    o->late > 0 ? "2 stages" : "1 stage)");
    if (o != NULL && o->late > 0)
        text_format(out, ", %d instructions a round later)", o->late);
}

static void print_insn(struct text *out, const struct mach_func *f, const struct mach_insn *i)
{
    text_add(out, "    ");
    if (i->insn == INSN_NONE)
        text_add(out, "entry");
    else
        print_template(out, f, i);
    print_list(out, f, "uses", i->uses, i->use_count);
    print_list(out, f, "defines", i->defs, i->def_count);
    if (i->flags_in != NULL)
        text_format(out, " [c%d]", i->flags_in->id);
    if (i->flags_out != NULL)
        text_format(out, " [c%d =]", i->flags_out->id);
    if (i->part != PART_BODY) {
        text_column(out, 44);
        text_format(out, "// %s %s", i->part == PART_PROLOGUE ? "prologue" : "epilogue",
                    unwind_names[i->unwind.kind]);
        if (i->unwind.n != 0)
            text_format(out, " %d", i->unwind.n);
    } else if (i->algebra != NULL) {
        text_column(out, 44);
        text_format(out, "// %s", i->algebra);
    }
    text_add(out, "\n");
}

static void print_frame(struct text *out, const struct mach_func *f)
{
    if (f->frame.size == 0 && f->frame.saved_general == 0 && f->frame.saved_vector == 0)
        return;
    text_format(out, "  frame %lld%s", (long long)f->frame.size,
                f->frame.is_variable ? " and more" : "");
    for (int r = 0; r < 32; r++)
        if ((f->frame.saved_general >> r & 1) != 0)
            text_format(out, " x%d", r);
    for (int r = 0; r < 32; r++)
        if ((f->frame.saved_vector >> r & 1) != 0)
            text_format(out, " d%d", r);
    text_add(out, "\n");
}

void mach_print(struct text *out, const struct mach_func *f)
{
    text_format(out, "%s (%s)\n", f->name, f->core != NULL ? f->core->name : "no core");
    print_frame(out, f);
    for (int k = 0; k < f->blocks.n; k++) {
        const struct mach_block *b = f->blocks.at[k];
        text_format(out, "b%d:", b->id);
        print_loop(out, b);
        text_add(out, "\n");
        for (const struct mach_insn *i = b->first; i != NULL; i = i->next)
            print_insn(out, f, i);
    }
}
