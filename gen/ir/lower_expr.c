/* lower_expr.c: from the tree to SSA, expressions, conditions and addresses.
 *
 * Gives one IR operation for one operation of the tree; folding is fold.c's.
 * An address is a base and a constant: the base of an object, plus the
 * variable part of its offset, or a pointer that shape/ made.
 */
#include <assert.h>

#include "ir/lower.h"
#include "shape/shape.h"

struct ir_value *lower_const(struct lowering *l, enum value_type type, uint64_t lo, uint64_t hi,
                             struct loc loc)
{
    struct ir_inst *i = ir_new_inst(l->out, IR_const, type, 0, loc);

    i->value[0] = type == TYPE_U32 ? (uint32_t)lo : lo;
    i->value[1] = hi;
    ir_append(l->block, i);
    return i->result[0];
}

struct ir_value *lower_op(struct lowering *l, enum ir_op op, enum value_type type, struct loc loc,
                          struct ir_value *a, struct ir_value *b, struct ir_value *c)
{
    struct ir_value *args[3] = { a, b, c };
    struct ir_inst *i = ir_new_inst(l->out, op, type, ir_ops[op].args, loc);

    for (int k = 0; k < i->arg_count; k++) {
        assert(args[k]);
        i->args[k] = args[k];
    }
    i->algebra = l->algebra;
    ir_append(l->block, i);
    return i->result[0];
}

/* -- addresses -- */

struct ir_value *lower_object(struct lowering *l, const struct object *o, struct loc loc)
{
    struct ir_value *v;

    if (o->kind == OBJECT_PARAM)
        return l->param[o->param];
    v = lower_op(l, o->kind == OBJECT_STACK ? IR_stack : IR_table, TYPE_ADDR, loc, NULL, NULL, NULL);
    v->def->imm = o->kind == OBJECT_STACK ? o->id : (int64_t)o->table_offset;
    v->name = o->name;
    return v;
}

struct ir_value *lower_address(struct lowering *l, const struct access *a, int64_t *offset,
                               struct loc loc)
{
    struct ir_value *base, *variable;

    *offset = 0;
    if (a->offset && a->offset->kind == E_CONST)
        *offset = (int64_t)a->offset->value[0];
    if (a->pointer) {
        assert(!a->offset || a->offset->kind == E_CONST);
        base = l->now[a->pointer->id];
        assert(base);
        return base;
    }
    base = lower_object(l, a->object, loc);
    if (!a->offset || a->offset->kind == E_CONST)
        return base;
    variable = lower_expr(l, a->offset);
    if (variable->type == TYPE_U32)
        variable = lower_op(l, IR_zext, TYPE_U64, loc, variable, NULL, NULL);
    return lower_op(l, IR_add, TYPE_ADDR, loc, base, variable, NULL);
}

struct mem_ref lower_mem_ref(const struct access *a, int64_t offset, enum value_type mem)
{
    struct mem_ref m = { .object = a->object, .type = mem, .align = (int64_t)a->object->align };

    m.key = a->key;
    m.disp = a->key ? (int64_t)a->disp : offset;
    if (!a->pointer && (!a->offset || a->offset->kind == E_CONST)) {
        m.key = KEY_CONSTANT;
        m.disp = offset;
    }
    return m;
}

static struct ir_value *lower_load(struct lowering *l, const struct expr *e)
{
    int64_t offset;
    struct ir_value *base = lower_address(l, &e->access, &offset, e->loc);
    struct ir_value *v = lower_op(l, IR_load, ir_type(e->type), e->loc, base, NULL, NULL);

    v->def->imm = offset;
    v->def->mem = lower_mem_ref(&e->access, offset, e->mem);
    return v;
}

/* -- operators -- */

static struct ir_value *amount(struct lowering *l, const struct expr *b)
{
    return lower_expr(l, b);
}

static int width_of(enum value_type t) { return value_types[t].lane_bits; }

static struct ir_value *lower_rotate(struct lowering *l, const struct expr *e, bool left)
{
    enum value_type type = ir_type(e->type);
    struct ir_value *a = lower_expr(l, e->a), *by;
    int width = width_of(type);

    if (e->b->kind == E_CONST) {
        uint64_t k = e->b->value[0] % (uint64_t)width;
        by = lower_const(l, TYPE_U32, left ? ((uint64_t)width - k) % (uint64_t)width : k, 0, e->loc);
        return lower_op(l, IR_ror, type, e->loc, a, by, NULL);
    }
    by = amount(l, e->b);
    if (left) {
        by = lower_op(l, IR_neg, by->type, e->loc, by, NULL, NULL);
        by = lower_op(l, IR_and, by->type, e->loc, by,
                      lower_const(l, by->type, (uint64_t)width - 1, 0, e->loc), NULL);
    }
    return lower_op(l, IR_ror, type, e->loc, a, by, NULL);
}

static struct ir_value *lower_division(struct lowering *l, const struct expr *e)
{
    enum value_type type = ir_type(e->type);
    uint64_t by = e->b->kind == E_CONST ? e->b->value[0] : 0;
    struct ir_value *a = lower_expr(l, e->a), *quotient;
    uint64_t k = 0;

    if (by != 0 && (by & (by - 1)) == 0) {
        while ((uint64_t)1 << k < by)
            k++;
        if (e->op == BIN_MOD)
            return lower_op(l, IR_and, type, e->loc, a, lower_const(l, type, by - 1, 0, e->loc), NULL);
        return lower_op(l, IR_shr, type, e->loc, a, lower_const(l, TYPE_U32, k, 0, e->loc), NULL);
    }
    struct ir_value *b = lower_expr(l, e->b);
    quotient = lower_op(l, IR_udiv, type, e->loc, a, b, NULL);
    if (e->op == BIN_DIV)
        return quotient;
    quotient = lower_op(l, IR_mul, type, e->loc, quotient, b, NULL);
    return lower_op(l, IR_sub, type, e->loc, a, quotient, NULL);
}

static struct ir_value *lower_binary(struct lowering *l, const struct expr *e)
{
    static const enum ir_op ops[] = {
        [BIN_ADD] = IR_add, [BIN_SUB] = IR_sub, [BIN_MUL] = IR_mul, [BIN_AND] = IR_and,
        [BIN_OR] = IR_or, [BIN_XOR] = IR_xor, [BIN_SHL] = IR_shl, [BIN_SHR] = IR_shr,
    };
    enum value_type type = ir_type(e->type);
    struct ir_value *a, *b;

    switch (e->op) {
    case BIN_ROL: return lower_rotate(l, e, true);
    case BIN_ROR: return lower_rotate(l, e, false);
    case BIN_DIV: case BIN_MOD: return lower_division(l, e);
    default: break;
    }
    assert(e->op < COUNT(ops) && (ops[e->op] || e->op == BIN_ADD));
    a = lower_expr(l, e->a);
    b = lower_expr(l, e->b);
    if (a->type == TYPE_ADDR)
        type = TYPE_ADDR;
    return lower_op(l, ops[e->op], type, e->loc, a, b, NULL);
}

static struct ir_value *lower_convert(struct lowering *l, const struct expr *e)
{
    enum value_type type = ir_type(e->type);
    struct ir_value *a = lower_expr(l, e->a);
    int bits = value_types[e->type].bits;

    if (type_is_vector(type))
        return a->type == type ? a : lower_op(l, IR_bits, type, e->loc, a, NULL, NULL);
    if (type == TYPE_U64 && a->type == TYPE_U32)
        return lower_op(l, IR_zext, type, e->loc, a, NULL, NULL);
    if (type == TYPE_U32 && is_wide(a->type))
        a = lower_op(l, IR_trunc, type, e->loc, a, NULL, NULL);
    if (bits < 32 && bits < value_types[e->a->type].bits)
        a = lower_op(l, IR_and, type, e->loc, a,
                     lower_const(l, type, ((uint64_t)1 << bits) - 1, 0, e->loc), NULL);
    return a;
}

/* -- flags and choices -- */

static struct ir_value *flag_op(struct lowering *l, enum ir_op op, const struct expr *e,
                                const struct expr *flag, enum value_type type)
{
    struct ir_value *v = lower_op(l, op, type, e->loc, lower_expr(l, flag), NULL, NULL);
    v->def->imm = flag->type == TYPE_BORROW;
    return v;
}

static struct ir_value *lower_to_flag(struct lowering *l, const struct expr *e)
{
    struct ir_value *v = lower_op(l, IR_toflag, TYPE_CARRY, e->loc, lower_expr(l, e->a), NULL, NULL);
    v->def->imm = e->type == TYPE_BORROW;
    return v;
}

/* A mask as wide as a vector from a flag. */
static struct ir_value *vector_mask(struct lowering *l, const struct expr *e)
{
    struct ir_value *m = flag_op(l, IR_cmask, e, e->a, TYPE_U64);
    enum value_type lanes = value_types[e->type].bits == 128 ? TYPE_U64X2 : TYPE_U64X1;

    m = lower_op(l, IR_splat, lanes, e->loc, m, NULL, NULL);
    return m->type == e->type ? m : lower_op(l, IR_bits, e->type, e->loc, m, NULL, NULL);
}

static struct ir_value *lower_select(struct lowering *l, const struct expr *e)
{
    enum value_type type = ir_type(e->type);
    bool by_flag = type_is_flag(e->a->type);
    struct ir_value *mask, *b, *c, *v;

    if (by_flag && !type_is_vector(type)) {
        struct ir_value *flag = lower_expr(l, e->a);
        b = lower_expr(l, e->b);
        c = lower_expr(l, e->c);
        v = lower_op(l, IR_csel, type, e->loc, flag, b, c);
        v->def->imm = e->a->type == TYPE_BORROW;
        return v;
    }
    mask = by_flag ? vector_mask(l, e) : lower_expr(l, e->a);
    b = lower_expr(l, e->b);
    c = lower_expr(l, e->c);
    if (type_is_vector(type)) {
        if (mask->type != type)
            mask = lower_op(l, IR_bits, type, e->loc, mask, NULL, NULL);
        return lower_op(l, IR_bsel, type, e->loc, mask, b, c);
    }
    /* ((b ^ c) & mask) ^ c: three operations, the mask dies early */
    if (mask->type != type)
        mask = lower_op(l, is_wide(type) ? IR_zext : IR_trunc, type, e->loc, mask, NULL, NULL);
    v = lower_op(l, IR_xor, type, e->loc, b, c, NULL);
    v = lower_op(l, IR_and, type, e->loc, v, mask, NULL);
    return lower_op(l, IR_xor, type, e->loc, v, c, NULL);
}

/* -- vectors and machine instructions -- */

static struct ir_value *lower_args(struct lowering *l, const struct expr *e, enum ir_op op)
{
    struct ir_value **args = NEW_ARRAY(struct ir_value *, e->arg_count);
    struct ir_inst *i;

    for (int k = 0; k < e->arg_count; k++)
        args[k] = lower_expr(l, e->args[k]);
    i = ir_new_inst(l->out, op, ir_type(e->type), e->arg_count, e->loc);
    for (int k = 0; k < e->arg_count; k++)
        i->args[k] = args[k];
    i->insn = e->insn;
    i->algebra = l->algebra;
    ir_append(l->block, i);
    return i->result[0];
}

static struct ir_value *lower_lane(struct lowering *l, const struct expr *e)
{
    struct ir_value *v = lower_op(l, IR_lane, ir_type(e->type), e->loc, lower_expr(l, e->a), NULL,
                                  NULL);
    v->def->imm = e->lane;
    return v;
}

static struct ir_value *lower_address_value(struct lowering *l, const struct expr *e)
{
    int64_t offset;
    struct ir_value *base = lower_address(l, &e->access, &offset, e->loc);

    if (offset == 0)
        return base;
    return lower_op(l, IR_add, TYPE_ADDR, e->loc, base,
                    lower_const(l, TYPE_U64, (uint64_t)offset, 0, e->loc), NULL);
}

static struct ir_value *lower_constant(struct lowering *l, const struct expr *e)
{
    if (type_is_flag(e->type)) {
        struct ir_value *v = lower_op(l, IR_flag, TYPE_CARRY, e->loc, NULL, NULL, NULL);
        v->def->imm = (e->value[0] != 0) != (e->type == TYPE_BORROW);
        return v;
    }
    return lower_const(l, ir_type(e->type), e->value[0], e->value[1], e->loc);
}

struct ir_value *lower_expr(struct lowering *l, const struct expr *e)
{
    enum value_type type = ir_type(e->type);
    struct ir_value *a, *b;

    switch (e->kind) {
    case E_CONST:     return lower_constant(l, e);
    case E_VAR:       assert(l->now[e->var->id]); return l->now[e->var->id];
    case E_LOAD:      return lower_load(l, e);
    case E_UNARY:
        return lower_op(l, e->op == UN_NOT ? IR_not : IR_neg, type, e->loc, lower_expr(l, e->a),
                        NULL, NULL);
    case E_BINARY:    return lower_binary(l, e);
    case E_CONVERT:   return lower_convert(l, e);
    case E_INSN:      return lower_args(l, e, IR_insn);
    case E_SELECT:    return lower_select(l, e);
    case E_FROM_FLAG: return flag_op(l, IR_cset, e, e->a, type);
    case E_MASK:      return flag_op(l, IR_cmask, e, e->a, type);
    case E_TO_FLAG:   return lower_to_flag(l, e);
    case E_ADC: case E_SBC:
        a = lower_expr(l, e->a);
        b = lower_expr(l, e->b);
        return lower_op(l, e->kind == E_ADC ? IR_adc : IR_sbc, type, e->loc, a, b, lower_expr(l, e->c));
    case E_BUILD:     return lower_args(l, e, IR_build);
    case E_SPLAT:     return lower_op(l, IR_splat, type, e->loc, lower_expr(l, e->a), NULL, NULL);
    case E_LANE:      return lower_lane(l, e);
    case E_DECLASSIFY: return lower_expr(l, e->a);
    case E_ADDRESS:   return lower_address_value(l, e);
    case E_COMPARE: case E_LOGIC: case E_SAME: break;
    }
    assert(false && "a condition is not a value");
    return NULL;
}

/* -- conditions -- */

static enum ir_cond compare_cond(enum op op, bool is_signed)
{
    switch (op) {
    case BIN_EQ: return IR_EQ;
    case BIN_NE: return IR_NE;
    case BIN_LT: return is_signed ? IR_SLT : IR_ULT;
    case BIN_LE: return is_signed ? IR_SLE : IR_ULE;
    case BIN_GT: return is_signed ? IR_SGT : IR_UGT;
    default: assert(op == BIN_GE); return is_signed ? IR_SGE : IR_UGE;
    }
}

static void branch(struct lowering *l, enum ir_cond cond, struct ir_value *a, struct ir_value *b,
                   struct ir_block *yes, struct ir_block *no)
{
    l->block->term = IR_BRANCH;
    l->block->cond = cond;
    l->block->a = a;
    l->block->b = b;
    l->block->edge[0] = (struct ir_edge){ .to = yes };
    l->block->edge[1] = (struct ir_edge){ .to = no };
    l->block = NULL;
}

static void lower_logic(struct lowering *l, const struct expr *e, struct ir_block *yes,
                        struct ir_block *no)
{
    struct loc loc = l->block->loc;
    struct ir_block *second;

    if (e->op == UN_LOGIC_NOT) {
        lower_condition(l, e->a, no, yes);
        return;
    }
    second = ir_new_block(l->out);
    second->loc = loc;
    if (e->op == BIN_LOGIC_AND)
        lower_condition(l, e->a, second, no);
    else
        lower_condition(l, e->a, yes, second);
    ir_place_block(l->out, second);
    l->block = second;
    lower_condition(l, e->b, yes, no);
}

void lower_condition(struct lowering *l, const struct expr *cond, struct ir_block *yes,
                     struct ir_block *no)
{
    struct ir_value *a, *b;

    switch (cond->kind) {
    case E_CONST:
        lower_end(l, cond->value[0] ? yes : no);
        return;
    case E_LOGIC:
        lower_logic(l, cond, yes, no);
        return;
    case E_DECLASSIFY:
        lower_condition(l, cond->a, yes, no);
        return;
    case E_SAME:
        branch(l, IR_EQ, lower_object(l, cond->object_a, cond->loc),
               lower_object(l, cond->object_b, cond->loc), yes, no);
        return;
    case E_COMPARE:
        a = lower_expr(l, cond->a);
        b = lower_expr(l, cond->b);
        branch(l, compare_cond(cond->op, cond->a->type == TYPE_I32), a, b, yes, no);
        return;
    default:
        assert(false && "not a condition");
    }
}
