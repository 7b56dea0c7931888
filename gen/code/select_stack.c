/* select_stack.c: stack arrays whose extent is known only at run time.
 *
 * The entry block moves sp down for the arrays of fixed size and keeps their
 * addresses; then it computes each other extent from the parameters, rounds it up
 * to 16 bytes (sp stays aligned, AAPCS64 6.4.5.1), moves sp down and keeps the
 * address. frame.c sets x29 before all this, and restores sp from it. Frames that
 * may have a page and more are made in the same way, whatever their extents are:
 * Windows commits stack pages one at a time, and has __chkstk touch them in order
 * ("Prolog and epilog": x15 is the size / 16, and is kept; x16, x17 and the flags
 * are not). To the allocator that is a call like any other, so that no parameter
 * stays in these registers. A subroutine without saved registers may touch the end
 * of its frame first; its page and that of its caller count together.
 */
#include "code/select.h"

#include "code/passes.h"

#include <assert.h>

/* Leaves room in a page for all saved registers: x19 to x30, d8 to d15. */
enum { SMALL_STACK = 4096 - 8 * (12 + 8) - 16 };
static_assert(STACK_LIMIT / 16 <= 65535, "the size / 16 fits a movz");

/* -- the extent as code: a 32-bit value has zeros above -- */

static struct vreg *put_extent(struct selector *s, const struct expr *e);

static struct vreg *put_parameter(struct selector *s, const struct var *v)
{
    int k = 0;
    while (k < s->ir->func->param_count && s->ir->func->params[k].var != v)
        k++;
    assert(k < s->ir->func->param_count && "check_stack() lets no other variable pass");
    return sel_param(s, k);
}

static struct vreg *put_low_word(struct selector *s, struct vreg *from)
{
    struct vreg *to = sel_temp(s, CLASS_GENERAL, NULL);
    put(s, INSN_mov_w, op_reg(to), op_reg(from));
    return to;
}

static struct vreg *put_extent_binary(struct selector *s, const struct expr *e)
{
    struct vreg *a = put_extent(s, e->a), *to = sel_temp(s, CLASS_GENERAL, NULL);
    bool constant = e->b->kind == E_CONST;
    uint64_t n = e->b->value[0];
    bool power = constant && n != 0 && (n & (n - 1)) == 0;
    int64_t log2 = power ? __builtin_ctzll(n) : 0;
    if (constant && (e->op == BIN_ADD || e->op == BIN_SUB))
        put_add_imm(s, to, a, e->op == BIN_ADD ? (int64_t)n : -(int64_t)n);
    else if (power && (e->op == BIN_MUL || e->op == BIN_DIV))
        put(s, e->op == BIN_MUL ? INSN_lsl_x_imm : INSN_lsr_x_imm, op_reg(to), op_reg(a),
            op_imm(log2));
    else if (power && e->op == BIN_MOD && n > 1)
        put(s, INSN_and_x_imm, op_reg(to), op_reg(a), op_imm((int64_t)(n - 1)));
    else {
        static const struct { enum op op; enum insn insn; } rows[] = {
            { BIN_ADD, INSN_add_x }, { BIN_SUB, INSN_sub_x }, { BIN_MUL, INSN_mul_x },
            { BIN_AND, INSN_and_x }, { BIN_OR, INSN_orr_x }, { BIN_XOR, INSN_eor_x },
            { BIN_SHL, INSN_lsl_x }, { BIN_SHR, INSN_lsr_x },
        };
        struct vreg *b = put_extent(s, e->b);
        int k = 0;
        while (k < COUNT(rows) && rows[k].op != e->op)
            k++;
        assert(k < COUNT(rows) && "check_stack() lets no other pass");
        put(s, rows[k].insn, op_reg(to), op_reg(a), op_reg(b));
    }
    return type_is_w(e->type) ? put_low_word(s, to) : to;
}

static struct vreg *put_extent(struct selector *s, const struct expr *e)
{
    struct vreg *to;
    switch (e->kind) {
    case E_CONST:
        to = sel_temp(s, CLASS_GENERAL, NULL);
        put_const_general(s, to, e->value[0], false);
        return to;
    case E_VAR:
        to = put_parameter(s, e->var);
        return type_is_w(e->type) ? put_low_word(s, to) : to;
    case E_CONVERT:
        to = put_extent(s, e->a);
        return type_is_w(e->type) && !type_is_w(e->a->type) ? put_low_word(s, to) : to;
    default:
        assert(e->kind == E_BINARY);
        return put_extent_binary(s, e);
    }
}

/* -- the frame -- */

/* Windows touches the pages that sp will pass by 16 * x15. */
static void put_probe(struct selector *s, struct vreg *size)
{
    struct mach_insn *call = put(s, INSN_bl, op_label(NULL));
    struct vreg **x15 = NEW_ARRAY(struct vreg *, 1);
    call->op[0].symbol = "__chkstk";
    x15[0] = size;
    call->uses = call->defs = x15;
    call->use_count = call->def_count = 1;
    call->clobbers[CLASS_GENERAL] = 1u << 16 | 1u << 17 | 1u << REG_LINK;
    call->probes_stack = true;
}

void choose_frame(struct selector *s)
{
    struct frame *frame = &s->f->frame;
    const struct func *f = s->ir->func;
    frame->is_variable = frame->is_large = f->stack_bytes > 0 && f->stack_depth > SMALL_STACK;
    for (int k = 0; k < f->objects.n; k++)
        frame->is_variable |= f->objects.at[k]->kind == OBJECT_STACK
                              && f->objects.at[k]->extent->kind != E_CONST;
}

static void put_fixed_objects(struct selector *s, int64_t bytes)
{
    struct vreg *sp = vreg_sp(s->f), *x15 = vreg_fixed(s->f, CLASS_GENERAL, 15);
    if (bytes == 0)
        return;
    if (s->f->frame.is_large) {
        put(s, INSN_movz_x, op_reg(x15), op_imm(bytes / 16), op_imm(0));
        put_probe(s, x15);
        put(s, INSN_sub_x_uxtx, op_reg(sp), op_reg(sp), op_reg(x15), op_imm(4));
    } else {
        put(s, INSN_sub_x_imm, op_reg(sp), op_reg(sp), op_imm(bytes));
    }
}

static void put_variable_object(struct selector *s, struct object *o, struct vreg *to)
{
    struct vreg *sp = vreg_sp(s->f), *bytes = put_extent(s, o->extent);
    struct vreg *rounded = sel_temp(s, CLASS_GENERAL, NULL);
    struct vreg *x15 = vreg_fixed(s->f, CLASS_GENERAL, 15);
    put(s, INSN_add_x_imm, op_reg(rounded), op_reg(bytes), op_imm(15));
    if (s->f->frame.is_large) {
        put(s, INSN_lsr_x_imm, op_reg(x15), op_reg(rounded), op_imm(4));
        put_probe(s, x15);
        put(s, INSN_sub_x_uxtx, op_reg(sp), op_reg(sp), op_reg(x15), op_imm(4));
    } else {
        put(s, INSN_and_x_imm, op_reg(rounded), op_reg(rounded), op_imm(-16));
        put(s, INSN_sub_x_uxtx, op_reg(sp), op_reg(sp), op_reg(rounded), op_imm(0));
    }
    put(s, INSN_mov_x_sp, op_reg(to), op_reg(sp));
}

/* Values of IR_stack for object K, wherever they stand, share its address. */
static void put_object_addresses(struct selector *s, int k, bool variable, int64_t offset)
{
    struct object *o = s->ir->func->objects.at[k];
    struct vreg *address = NULL;
    if (o->kind != OBJECT_STACK || (o->extent->kind != E_CONST) != variable)
        return;
    for (int b = 0; b < s->ir->blocks.n; b++)
        for (const struct ir_inst *i = s->ir->blocks.at[b]->first; i != NULL; i = i->next) {
            struct vreg *to = i->op == IR_stack && i->imm == k ? sel_wanted(s, i->result[0]) : NULL;
            if (to == NULL)
                continue;
            if (address != NULL)
                put_copy(s, to, address);
            else if (variable)
                put_variable_object(s, o, to);
            else
                put_add_imm(s, to, vreg_sp(s->f), offset);
            address = address != NULL ? address : to;
        }
}

void put_variable_stack(struct selector *s)
{
    if (!s->f->frame.is_variable)
        return;
    int n = s->ir->func->objects.n;
    int64_t *offset = NEW_ARRAY(int64_t, n + 1);
    put_fixed_objects(s, lay_out_fixed_arrays(s->ir->func, offset));
    for (int k = 0; k < n; k++)
        put_object_addresses(s, k, false, offset[k]);
    for (int k = 0; k < n; k++)
        put_object_addresses(s, k, true, 0);
}
