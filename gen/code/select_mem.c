/* select_mem.c: loads, stores and addresses.
 *
 * An access is a base register and a constant, or a base and an index register
 * (shifted by the access's size, or a 32-bit index extended). Constants that do
 * not fit are added to the base first. Tables are one object: its address is
 * formed once, in the entry block, and table k is an offset from it, so that no
 * relocation has an addend (an `adrp` and a `:lo12:t+80` may disagree about the page).
 * Does not: pair or post-index (pair.c).
 */
#include "code/select.h"

#include <assert.h>

struct access_rows { enum insn scaled, unscaled, index, uxtw; enum imm_range range; int log2; };

#define ACCESS(m, um, s, R, l) { INSN_##m##_##s, INSN_##um##_##s, INSN_##m##_##s##_index, \
                                 INSN_##m##_##s##_uxtw, RANGE_OFF_##R, l }

/* By size of a scalar, then d and q. */
static const struct access_rows load_rows[6] = {
    ACCESS(ldrb, ldurb, w, B, 0), ACCESS(ldrh, ldurh, w, H, 1), ACCESS(ldr, ldur, w, W, 2),
    ACCESS(ldr, ldur, x, X, 3), ACCESS(ldr, ldur, d, X, 3), ACCESS(ldr, ldur, q, Q, 4),
};
static const struct access_rows store_rows[6] = {
    ACCESS(strb, sturb, w, B, 0), ACCESS(strh, sturh, w, H, 1), ACCESS(str, stur, w, W, 2),
    ACCESS(str, stur, x, X, 3), ACCESS(str, stur, d, X, 3), ACCESS(str, stur, q, Q, 4),
};

static int row_number(enum value_type mem)
{
    int bytes = type_bytes(mem);
    if (type_is_vector(mem))
        return bytes == 16 ? 5 : 4;
    return bytes == 1 ? 0 : bytes == 2 ? 1 : bytes == 4 ? 2 : 3;
}

struct address {
    struct vreg *base, *index;
    bool is_uxtw;
    int shift;
    int64_t offset;
};

struct vreg *sel_tables(struct selector *s)
{
    if (s->tables == NULL) {
        s->tables = vreg_new(s->f, CLASS_GENERAL);
        s->tables->name = "tables";
        s->tables->loc = s->ir->func->loc;
    }
    return s->tables;
}

static bool offset_fits(const struct access_rows *rows, int64_t offset)
{
    return imm_fits(rows->range, offset) || imm_fits(RANGE_S9, offset);
}

/* base + index, when a register offset can carry it. */
static bool match_index(struct selector *s, const struct access_rows *rows, struct ir_value *v,
                        struct address *out)
{
    struct ir_inst *sum = sel_match(s, v, IR_add);
    uint64_t n;
    if (sum == NULL || sel_const(sum->args[1], &n) || sel_const(sum->args[0], &n))
        return false;
    struct ir_value *index = sum->args[1];
    struct ir_inst *shift = sel_match(s, index, IR_shl);
    out->shift = 0;
    if (shift != NULL && sel_const(shift->args[1], &n) && n == (uint64_t)rows->log2) {
        out->shift = rows->log2;
        index = shift->args[0];
    }
    struct ir_inst *extended = sel_match(s, index, IR_zext);
    out->is_uxtw = extended != NULL && !s->clean[extended->args[0]->id];
    out->base = sel_use(s, sum->args[0]);
    out->index = sel_use(s, out->is_uxtw ? extended->args[0] : index);
    return true;
}

static struct address find_address(struct selector *s, const struct access_rows *rows,
                                   struct ir_value *v, int64_t offset)
{
    struct address a = { .offset = offset };
    uint64_t n;
    if (v->def != NULL && v->def->op == IR_table) {
        a.base = sel_tables(s);
        a.offset += v->def->imm;
    } else {
        struct ir_inst *sum = sel_match(s, v, IR_add);
        if (sum != NULL && sel_const(sum->args[1], &n) && offset_fits(rows, offset + (int64_t)n)) {
            a.offset += (int64_t)n;
            v = sum->args[0];
        }
        if (a.offset == 0 && match_index(s, rows, v, &a))
            return a;
        a.base = sel_use(s, v);
    }
    if (!offset_fits(rows, a.offset)) {
        struct vreg *near = sel_temp(s, CLASS_GENERAL, NULL);
        put_add_imm(s, near, a.base, a.offset);
        a.base = near;
        a.offset = 0;
    }
    return a;
}

static void put_access(struct selector *s, const struct access_rows *rows, struct vreg *moved,
                       const struct address *a, const struct mem_ref *mem)
{
    struct mach_insn *made;
    enum insn by_register = a->is_uxtw ? rows->uxtw : rows->index;
    if (a->index != NULL && rows->log2 == 0)
        made = put(s, by_register, op_reg(moved), op_reg(a->base), op_reg(a->index));
    else if (a->index != NULL)
        made = put(s, by_register, op_reg(moved), op_reg(a->base), op_reg(a->index),
                   op_imm(a->shift));
    else
        made = put(s, imm_fits(rows->range, a->offset) ? rows->scaled : rows->unscaled,
                   op_reg(moved), op_reg(a->base), op_imm(a->offset));
    made->mem = *mem;
    made->mem_count = 1;
}

void select_load(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    const struct access_rows *rows = &load_rows[row_number(i->mem.type)];
    struct address a = find_address(s, rows, i->args[0], i->imm);
    if (i->mem.object != NULL
        && (i->mem.object->kind == OBJECT_TABLE
            || (i->mem.object->kind == OBJECT_PARAM && i->mem.object->direction == DIR_IN)))
        to->reload = i;
    put_access(s, rows, to, &a, &i->mem);
}

void select_store(struct selector *s, struct ir_inst *i)
{
    const struct access_rows *rows = &store_rows[row_number(i->mem.type)];
    struct vreg *value = type_is_vector(i->mem.type) ? sel_use(s, i->args[1])
                                                     : sel_use_or_zero(s, i->args[1]);
    struct address a = find_address(s, rows, i->args[0], i->imm);
    put_access(s, rows, value, &a, &i->mem);
}

void select_address(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    if (i->op == IR_table) {
        if (i->imm == 0)
            put_copy(s, to, sel_tables(s));
        else
            put_add_imm(s, to, sel_tables(s), i->imm);
        return;
    }
    struct object *object = s->ir->func->objects.at[i->imm];
    assert(object->kind == OBJECT_STACK);
    if (s->f->frame.is_variable)
        return;                 /* select_stack.c forms it in the entry block */
    struct mach_operand offset = { .stack = object };
    put(s, INSN_add_x_imm, op_reg(to), op_reg(vreg_sp(s->f)), offset);
}
