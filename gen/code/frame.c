/* frame.c: prologue, epilogue, and where stack arrays are.
 *
 * Takes allocated code. Gives the final code: callee-saved registers that are
 * written are saved in the entry block and restored before the only return; a
 * leaf function that saves nothing and has no stack array keeps its returns as
 * they are.
 *
 * From high to low addresses: saved registers (x29 and x30 lowest, so that x29 points at a
 * frame record, AAPCS64 6.4.6), arrays of fixed size, arrays of variable size, sp.
 * Order and forms are those that Windows can describe (ARM64 exception
 * handling: one instruction, one code). Signing the link register and
 * `bti` are the emitter's.
 *
 * Where sp moves behind the prologue (select_stack.c), because an extent is a
 * parameter or the frame has a page and more, x29 leads back.
 */
#include "code/passes.h"

#include <assert.h>

enum { MOST_SAVED = 40, PAGE = 4096 };

enum save_kind { SAVE_LINK, SAVE_PAIR, SAVE_ONE };
struct save { enum save_kind kind; enum reg_class class; reg_number reg; int32_t offset; };
struct save_area { struct save at[MOST_SAVED]; int n; int32_t size; };

static bool has_calls(const struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            if ((row_of(i)->flags & IS_CALL) != 0)
                return true;
    return false;
}

/* -- layout -- */

static void add_save(struct save_area *a, enum save_kind kind, enum reg_class class, reg_number reg)
{
    assert(a->n < MOST_SAVED);
    a->at[a->n++] = (struct save){ kind, class, reg, a->size };
    a->size += kind == SAVE_ONE ? 8 : 16;
}

/* Pairs of neighbours first, so that they stay 16 bytes apart. */
static void add_saves(struct save_area *a, enum reg_class class, uint32_t mask)
{
    uint32_t single = 0;
    for (reg_number r = 0; r < 32; r++) {
        if ((mask >> r & 1) == 0)
            continue;
        if (r < 31 && (mask >> (r + 1) & 1) != 0) {
            add_save(a, SAVE_PAIR, class, r);
            r++;
        } else {
            single |= 1u << r;
        }
    }
    for (reg_number r = 0; r < 32; r++)
        if ((single >> r & 1) != 0)
            add_save(a, SAVE_ONE, class, r);
}

static struct save_area lay_out_saves(struct mach_func *f)
{
    struct save_area a = { .n = 0 };
    if (!f->frame.is_leaf)
        add_save(&a, SAVE_LINK, CLASS_GENERAL, REG_FRAME);
    add_saves(&a, CLASS_GENERAL, f->frame.saved_general);
    add_saves(&a, CLASS_VECTOR, f->frame.saved_vector);
    a.size = (a.size + 15) / 16 * 16;
    return a;
}

int64_t lay_out_fixed_arrays(const struct func *f, int64_t *offset)
{
    int64_t at = 0;
    for (int k = 0; k < f->objects.n; k++) {
        const struct object *o = f->objects.at[k];
        offset[k] = -1;
        if (o->kind != OBJECT_STACK || o->extent->kind != E_CONST)
            continue;
        offset[k] = at;
        at += ((int64_t)o->extent->value[0] + 15) / 16 * 16;
    }
    return at;
}

static int32_t lay_out_objects(struct mach_func *f)
{
    f->frame.object_offset = NEW_ARRAY(int64_t, f->func->objects.n + 1);
    return (int32_t)lay_out_fixed_arrays(f->func, f->frame.object_offset);
}

/* ABOVE: bytes between the register that arguments on the stack are found by
 * (x29 where sp moves, otherwise sp) and the caller's sp. */
static void place_operands(struct mach_func *f, int32_t above)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            for (int op = 0; op < row_of(i)->operand_count; op++)
                if (i->op[op].stack != NULL) {
                    i->op[op].imm += f->frame.object_offset[i->op[op].stack->id];
                    i->op[op].stack = NULL;
                } else if (i->op[op].is_incoming) {
                    i->op[op].imm += above;
                    i->op[op].is_incoming = false;
                }
}

/* -- code -- */

struct writer { struct mach_func *f; struct mach_insn *before; enum mach_part part; };

static void add(struct writer *w, struct mach_insn *i, enum unwind_kind kind, uint8_t reg,
                int32_t n)
{
    i->part = w->part;
    i->unwind.kind = kind;
    i->unwind.reg = reg;
    i->unwind.n = n;
    insn_before(w->before, i);
}

static void move_sp(struct writer *w, bool down, int32_t n)
{
    struct vreg *sp = vreg_sp(w->f);
    enum insn insn = down ? INSN_sub_x_imm : INSN_add_x_imm;
    if (n != 0)
        add(w, MAKE(insn, op_reg(sp), op_reg(sp), op_imm(n)), UNWIND_ALLOC, 0, n);
}

/* Row and unwind kind of one save: [vector][restore][pre- or post-indexed]. */
static const enum insn pair_rows[2][2][2] = {
    { { INSN_stp_x, INSN_stp_x_pre }, { INSN_ldp_x, INSN_ldp_x_post } },
    { { INSN_stp_d, INSN_stp_d_pre }, { INSN_ldp_d, INSN_ldp_d_post } },
};
static const enum insn one_rows[2][2] = {
    { INSN_str_x, INSN_ldr_x }, { INSN_str_d, INSN_ldr_d },
};

static enum unwind_kind unwind_of(const struct save *s, bool moves_sp)
{
    if (s->kind == SAVE_LINK)
        return moves_sp ? UNWIND_SAVE_FPLR_X : UNWIND_SAVE_FPLR;
    if (s->kind == SAVE_ONE)
        return s->class == CLASS_VECTOR ? UNWIND_SAVE_FREG : UNWIND_SAVE_REG;
    if (s->class == CLASS_VECTOR)
        return moves_sp ? UNWIND_SAVE_FREG_PAIR_X : UNWIND_SAVE_FREG_PAIR;
    return moves_sp ? UNWIND_SAVE_REG_PAIR_X : UNWIND_SAVE_REG_PAIR;
}

/* MOVES_SP: the size of the whole area when this one allocates or frees it, else 0. */
static void write_save(struct writer *w, const struct save *s, bool restore, int32_t moves_sp)
{
    bool vector = s->class == CLASS_VECTOR, moves = moves_sp != 0;
    struct vreg *sp = vreg_sp(w->f), *a = vreg_fixed(w->f, s->class, s->reg);
    int32_t n = moves ? moves_sp : s->offset;
    struct mach_insn *i;
    if (s->kind == SAVE_ONE) {
        i = MAKE(one_rows[vector][restore], op_reg(a), op_reg(sp), op_imm(s->offset));
    } else {
        struct vreg *b = vreg_fixed(w->f, s->class, (reg_number)(s->reg + 1));
        i = MAKE(pair_rows[vector][restore][moves], op_reg(a), op_reg(b), op_reg(sp),
                 op_imm(moves && !restore ? -n : n));
    }
    add(w, i, unwind_of(s, moves), s->reg, n);
}

/* Can the first save also move sp? There is no code for a single register that does. */
static bool first_moves_sp(const struct save_area *a)
{
    return a->n > 0 && a->at[0].kind != SAVE_ONE;
}

static void write_prologue(struct mach_func *f, const struct save_area *a, int32_t locals)
{
    struct writer w = { f, f->blocks.at[0]->first, PART_PROLOGUE };
    bool moves = first_moves_sp(a);
    if (!moves)
        move_sp(&w, true, a->size);
    for (int k = 0; k < a->n; k++)
        write_save(&w, &a->at[k], false, k == 0 && moves ? a->size : 0);
    if (!f->frame.is_leaf)
        add(&w, MAKE(INSN_mov_x_sp, op_reg(vreg_fixed(f, CLASS_GENERAL, REG_FRAME)),
                     op_reg(vreg_sp(f))), UNWIND_SET_FP, 0, 0);
    if (!f->frame.is_variable)
        move_sp(&w, true, locals);
}

static void write_epilogue(struct mach_func *f, struct mach_insn *ret, const struct save_area *a,
                           int32_t locals)
{
    struct writer w = { f, ret, PART_EPILOGUE };
    bool moves = first_moves_sp(a);
    if (f->frame.is_variable)
        add(&w, MAKE(INSN_mov_x_sp, op_reg(vreg_sp(f)),
                     op_reg(vreg_fixed(f, CLASS_GENERAL, REG_FRAME))), UNWIND_RESTORE_SP, 0, 0);
    else
        move_sp(&w, false, locals);
    for (int k = a->n - 1; k >= 0; k--)
        write_save(&w, &a->at[k], true, k == 0 && moves ? a->size : 0);
    if (!moves)
        move_sp(&w, false, a->size);
    ret->part = PART_EPILOGUE;
}

/* -- returns -- */

static struct mach_insn *return_of(const struct mach_block *b)
{
    return b->last != NULL && (row_of(b->last)->flags & IS_RETURN) != 0 ? b->last : NULL;
}

/* Leaves one return in the function and gives it. */
static struct mach_insn *join_returns(struct mach_func *f)
{
    struct mach_insn *only = NULL;
    int n = 0;
    for (int k = 0; k < f->blocks.n; k++)
        if (return_of(f->blocks.at[k]) != NULL) {
            only = return_of(f->blocks.at[k]);
            n++;
        }
    assert(n > 0);
    if (n == 1)
        return only;
    struct mach_block *out = block_new(f);
    struct mach_insn *ret = insn_new(INSN_ret, NULL, 0);
    ret->uses = only->uses;
    ret->use_count = only->use_count;
    ret->loc = only->loc;
    insn_append(out, ret);
    for (int k = 0; k + 1 < f->blocks.n; k++) {
        struct mach_block *b = f->blocks.at[k];
        struct mach_insn *old = return_of(b);
        if (old == NULL)
            continue;
        struct mach_insn *jump = MAKE(INSN_b, op_label(out));
        jump->loc = old->loc;
        insn_remove(old);
        insn_append(b, jump);
    }
    blocks_link(f);
    return ret;
}

static void remove_entry(struct mach_func *f)
{
    struct mach_block *entry = f->blocks.at[0];
    assert(entry->first->insn == INSN_NONE && entry->preds.n == 0);
    insn_remove(entry->first);
}

/* What the local function needs that this instruction calls, if it does. */
static uint32_t called_features(const struct mach_func *f, const struct mach_insn *i)
{
    uint32_t needed = 0;
    for (int k = 0; k < row_of(i)->operand_count; k++)
        if (i->op[k].callee != NULL)
            needed |= convention_of(i->op[k].callee, f->variant)->features;
    return needed;
}

static void count(struct mach_func *f)
{
    f->insn_count = 0;
    f->features = 1u << FEAT_BASE;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            f->insn_count++;
            f->features |= 1u << row_of(i)->feature | called_features(f, i);
        }
    f->convention.features = f->features;
}

static void find_saved(struct mach_func *f)
{
    bool keeps = f->func->kind != FN_LOCAL;
    f->frame.is_leaf = !has_calls(f) && !f->frame.is_variable;
    f->frame.saved_general = keeps ? f->written[CLASS_GENERAL] & (uint32_t)CALLEE_SAVED_GENERAL : 0;
    f->frame.saved_vector = keeps ? f->written[CLASS_VECTOR] & (uint32_t)CALLEE_SAVED_VECTOR : 0;
}

bool build_frame(struct mach_func *f)
{
    find_saved(f);
    struct save_area saves = lay_out_saves(f);
    int32_t locals = lay_out_objects(f);
    f->frame.size = saves.size + locals;
    assert(f->frame.is_large || f->frame.size < PAGE);
    place_operands(f, saves.size + (f->frame.is_variable ? 0 : locals));
    if (needs_wiping(f))
        wipe_secrets(f, join_returns(f));
    remove_entry(f);
    if (f->frame.size != 0) {
        write_epilogue(f, join_returns(f), &saves, locals);
        write_prologue(f, &saves, locals);
    }
    blocks_link(f);
    blocks_clean(f);
    blocks_finish(f);
    relax_branches(f);
    count(f);
    convention_register(f);
    return true;
}
