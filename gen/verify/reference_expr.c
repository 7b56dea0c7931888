/* reference_expr.c: expressions of the reference walk, each as plainly as the
 * language defines it (lang/tree.h, enum expr_kind). */
#include "verify/reference_walk.h"

#include <assert.h>

#include "verify/apply.h"

val walk_constant(struct walk *w, int width, uint64_t v)
{
    return w->domain->constant(w->domain, width, (uint64_t[2]){ v, 0 });
}

val walk_not_flag(struct walk *w, val c)
{
    return w->domain->lanes(w->domain, LANE_XOR, 1, 1, c, walk_constant(w, 1, 1));
}

uint64_t walk_base(struct walk *w, const struct object *o)
{
    return o->kind == OBJECT_TABLE ? w->run->tables + o->table_offset : w->bases[o->id];
}

uint64_t walk_size(struct walk *w, const struct object *o)
{
    return o->kind == OBJECT_TABLE ? o->size : w->sizes[o->id];
}

uint64_t walk_address(struct walk *w, const struct access *a, int bytes, struct loc where)
{
    uint64_t offset = walk_number(w, a->offset), size = walk_size(w, a->object);
    if (!w->stopped && (offset > size || size - offset < (uint64_t)bytes))
        walk_fault(w, where, "an access outside its object");
    return walk_base(w, a->object) + offset;
}

static val walk_load(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int bits = value_types[e->mem].bits, width = value_types[e->type].bits;
    uint64_t address = walk_address(w, &e->access, bits / 8, e->loc);
    if (w->stopped)
        return 0;
    val v = d->load(d, walk_constant(w, 64, address), bits / 8);
    return bits < width ? d->field(d, width, v, 0, bits, false) : v;
}

/* Shift and rotate: a constant amount moves bits, another one is read modulo
 * the width (and was proved to be below it). */
static val walk_shift(struct walk *w, const struct expr *e, val a)
{
    static const enum lane_op variable[] = {
        [BIN_SHL] = LANE_LSLV, [BIN_SHR] = LANE_LSRV, [BIN_ROR] = LANE_RORV };
    struct domain *d = w->domain;
    int width = value_types[e->type].bits, lane = value_types[e->type].lane_bits;
    if (e->b->kind == E_CONST) {
        int n = (int)e->b->value[0];
        switch (e->op) {
        case BIN_SHL: return d->shift(d, SHIFT_LSL, width, lane, a, n);
        case BIN_SHR: return d->shift(d, SHIFT_LSR, width, lane, a, n);
        case BIN_ROL: return d->shift(d, SHIFT_ROR, width, lane, a, (lane - n) % lane);
        default:      return d->shift(d, SHIFT_ROR, width, lane, a, n);
        }
    }
    val b = walk_expr(w, e->b);
    if (w->stopped)
        return 0;
    b = d->field(d, width, b, 0, width < 64 ? 32 : value_types[e->b->type].bits, false);
    if (e->op == BIN_ROL)
        return d->lanes(d, LANE_RORV, width, lane, a, d->lanes(d, LANE_NEG, width, lane, b, 0));
    return d->lanes(d, variable[e->op], width, lane, a, b);
}

static int power_of_two(const struct expr *e)
{
    assert(e->kind == E_CONST && e->value[0] && !(e->value[0] & (e->value[0] - 1)));
    return __builtin_ctzll(e->value[0]);
}

static val walk_binary(struct walk *w, const struct expr *e)
{
    static const enum lane_op plain[] = {
        [BIN_ADD] = LANE_ADD, [BIN_SUB] = LANE_SUB, [BIN_MUL] = LANE_MUL,
        [BIN_AND] = LANE_AND, [BIN_OR] = LANE_OR, [BIN_XOR] = LANE_XOR };
    struct domain *d = w->domain;
    int width = value_types[e->type].bits, lane = value_types[e->type].lane_bits;
    val a = walk_expr(w, e->a);
    if (w->stopped)
        return 0;
    switch (e->op) {
    case BIN_SHL: case BIN_SHR: case BIN_ROL: case BIN_ROR:
        return walk_shift(w, e, a);
    case BIN_DIV:
        return d->shift(d, SHIFT_LSR, width, lane, a, power_of_two(e->b));
    case BIN_MOD:
        return d->lanes(d, LANE_AND, width, lane, a,
                        walk_constant(w, width, e->b->value[0] - 1));
    default: {
        val b = walk_expr(w, e->b);
        return w->stopped ? 0 : d->lanes(d, plain[e->op], width, lane, a, b);
    }
    }
}

/* Arm's flags of a - b: is it zero, and is a less? */
static val less(struct walk *w, int width, val a, val b, bool is_signed)
{
    struct domain *d = w->domain;
    val one = walk_constant(w, 1, 1), minus_b = d->lanes(d, LANE_NOT, width, width, b, 0);
    if (!is_signed)
        return walk_not_flag(w, d->carry(d, width, a, minus_b, one));
    val sum = d->add_carry(d, width, a, minus_b, one);
    return d->lanes(d, LANE_XOR, 1, 1, d->field(d, 1, sum, width - 1, 1, false),
                    d->overflow(d, width, a, minus_b, one));
}

/* A condition, not two numbers: of what was declassified only the outcome may be
 * asked for (term_domain.h). */
static val walk_compare(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int width = value_types[e->a->type].bits;
    val a = walk_expr(w, e->a), b = walk_expr(w, e->b);
    if (w->stopped)
        return 0;
    bool is_signed = e->a->type == TYPE_I32;
    val equal = d->is_zero(d, width, d->lanes(d, LANE_SUB, width, width, a, b));
    switch (e->op) {
    case BIN_EQ: return equal;
    case BIN_NE: return walk_not_flag(w, equal);
    case BIN_LT: return less(w, width, a, b, is_signed);
    case BIN_GE: return walk_not_flag(w, less(w, width, a, b, is_signed));
    default: {
        val at_most = d->lanes(d, LANE_OR, 1, 1, less(w, width, a, b, is_signed), equal);
        return e->op == BIN_LE ? at_most : walk_not_flag(w, at_most);
    }
    }
}

static val walk_condition(struct walk *w, const struct expr *e)
{
    bool truth = false;
    if (e->kind == E_COMPARE)
        return walk_compare(w, e);
    if (e->kind == E_SAME) {
        truth = walk_base(w, e->object_a) == walk_base(w, e->object_b);
    } else if (e->op == UN_LOGIC_NOT) {
        truth = !walk_number(w, e->a);
    } else {
        bool a = walk_number(w, e->a);
        truth = (e->op == BIN_LOGIC_AND) == a && !w->stopped ? walk_number(w, e->b) : a;
    }
    return walk_constant(w, 1, truth);
}

static val walk_convert(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    val a = walk_expr(w, e->a);
    int from = value_types[e->a->type].bits, to = value_types[e->type].bits;
    if (w->stopped || from == to)
        return a;
    return d->field(d, to, a, 0, from < to ? from : to, false);
}

/* b where the mask is one, else c: c ^ ((b ^ c) & mask). */
static val walk_select(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int width = value_types[e->type].bits;
    val a = walk_expr(w, e->a), b = walk_expr(w, e->b), c = walk_expr(w, e->c);
    if (w->stopped)
        return 0;
    if (type_is_flag(e->a->type))
        return d->choose(d, width, a, b, c);
    val differ = d->lanes(d, LANE_XOR, width, width, b, c);
    return d->lanes(d, LANE_XOR, width, width, c, d->lanes(d, LANE_AND, width, width, differ, a));
}

static val walk_flag_value(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int width = value_types[e->type].bits;
    val a = walk_expr(w, e->a);
    if (w->stopped)
        return 0;
    if (e->kind == E_TO_FLAG)
        return walk_not_flag(w, d->is_zero(d, value_types[e->a->type].bits, a));
    if (e->kind == E_FROM_FLAG)
        return d->field(d, width, a, 0, 1, false);
    val all = d->lanes(d, LANE_NOT, width, width, walk_constant(w, width, 0), 0);
    return d->choose(d, width, a, all, walk_constant(w, width, 0));
}

static val walk_with_carry(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int width = value_types[e->type].bits;
    val a = walk_expr(w, e->a), b = walk_expr(w, e->b), c = walk_expr(w, e->c);
    if (w->stopped)
        return 0;
    if (e->kind == E_SBC) {
        b = d->lanes(d, LANE_NOT, width, width, b, 0);
        c = walk_not_flag(w, c);
    }
    return d->add_carry(d, width, a, b, c);
}

static val walk_build(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int bytes = type_bytes(e->type), lane = value_types[e->type].lane_bits / 8;
    val source[16];
    uint8_t from[16];
    int count = e->kind == E_SPLAT ? 1 : e->arg_count;
    for (int i = 0; i < count; i++) {
        val v = walk_expr(w, e->kind == E_SPLAT ? e->a : e->args[i]);
        if (w->stopped)
            return 0;
        source[i] = d->field(d, lane * 8, v, 0, lane * 8, false);
    }
    for (int i = 0; i < bytes; i++)
        from[i] = (uint8_t)((e->kind == E_SPLAT ? 0 : i / lane * lane) + i % lane);
    return d->permute(d, bytes, count, lane, source, from);
}

/* A vector of 64 bits is the low half of its register, the rest is zero. */
static val walk_operand(struct walk *w, const struct expr *e)
{
    val v = walk_expr(w, e);
    int bits = value_types[e->type].bits;
    if (w->stopped || !type_is_vector(e->type) || bits == 128)
        return v;
    return w->domain->field(w->domain, 128, v, 0, bits, false);
}

/* What the row writes may be narrower than the type (a scalar in a vector
 * register) or wider (a lane of a vector of 64 bits). */
static val walk_insn(struct walk *w, const struct expr *e)
{
    val args[MAX_OPERANDS];
    int bits = operand_bits((enum operand_kind)insns[e->insn].op[0].kind), width = value_types[e->type].bits;
    for (int i = 0; i < e->arg_count; i++)
        args[i] = walk_operand(w, e->args[i]);
    if (w->stopped)
        return 0;
    val v = apply_insn(w->domain, e->insn, args, e->arg_count);
    return bits == width ? v : w->domain->field(w->domain, width, v, 0, bits < width ? bits : width, false);
}

val walk_expr(struct walk *w, const struct expr *e)
{
    struct domain *d = w->domain;
    int width = value_types[e->type].bits, lane = value_types[e->type].lane_bits;
    val a;
    if (w->stopped)
        return 0;
    w->run->expressions++;
    switch (e->kind) {
    case E_CONST:      return d->constant(d, width, e->value);
    case E_VAR:
        if (!w->vars[e->var->id])
            walk_fault(w, e->loc, "a value is read before it is set");
        return w->vars[e->var->id];
    case E_LOAD:       return walk_load(w, e);
    case E_UNARY:
        a = walk_expr(w, e->a);
        return w->stopped ? 0 : d->lanes(d, e->op == UN_NOT ? LANE_NOT : LANE_NEG, width, lane, a, 0);
    case E_BINARY:     return walk_binary(w, e);
    case E_COMPARE: case E_LOGIC: case E_SAME: return walk_condition(w, e);
    case E_CONVERT:    return walk_convert(w, e);
    case E_INSN:       return walk_insn(w, e);
    case E_SELECT:     return walk_select(w, e);
    case E_FROM_FLAG: case E_MASK: case E_TO_FLAG: return walk_flag_value(w, e);
    case E_ADC: case E_SBC: return walk_with_carry(w, e);
    case E_BUILD: case E_SPLAT: return walk_build(w, e);
    case E_LANE:
        a = walk_expr(w, e->a);
        lane = value_types[e->a->type].lane_bits;
        return w->stopped ? 0 : d->field(d, width, a, e->lane * lane, lane, false);
    case E_DECLASSIFY:
        a = walk_expr(w, e->a);
        if (!w->stopped && d->declassify)
            d->declassify(d, a);
        return a;
    case E_ADDRESS:    break;           /* made by shape/, never in a reference */
    }
    assert(0 && "an expression kind of a source tree");
    return 0;
}
