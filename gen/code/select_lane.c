/* select_lane.c: scalars into lanes, lanes into scalars, instructions by name.
 *
 * Lanes go from vector to vector directly (ins, dup) when nobody else needs
 * the scalar. A vector with constant lanes starts as that constant. Calls of an
 * instruction pass through: the IR's arguments are its operands in order.
 */
#include "code/select.h"

#include <assert.h>

struct lane_rows { enum insn to_general, insert, insert_lane, dup[2], dup_lane[2]; };

static const struct lane_rows lane_rows[4] = {      /* by log2 of the lane's bytes */
    { INSN_umov_b, INSN_ins_b, INSN_ins_b_lane, { INSN_dup_8b, INSN_dup_16b },
      { INSN_dup_8b_lane, INSN_dup_16b_lane } },
    { INSN_umov_h, INSN_ins_h, INSN_ins_h_lane, { INSN_dup_4h, INSN_dup_8h },
      { INSN_dup_4h_lane, INSN_dup_8h_lane } },
    { INSN_umov_s, INSN_ins_s, INSN_ins_s_lane, { INSN_dup_2s, INSN_dup_4s },
      { INSN_dup_2s_lane, INSN_dup_4s_lane } },
    { INSN_umov_d, INSN_ins_d, INSN_ins_d_lane, { INSN_fmov_d_x, INSN_dup_2d },
      { INSN_dup_d_lane, INSN_dup_2d_lane } },
};

static const struct lane_rows *rows_for(enum value_type t)
{
    return &lane_rows[__builtin_ctz(value_types[t].lane_bits / 8u)];
}

void select_lane(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->args[0]->type;
    put(s, rows_for(t)->to_general, op_reg(to), op_reg(sel_use(s, i->args[0])), op_imm(i->imm));
}

/* V as a lane of another vector, with lanes as wide as T's, that no scalar needs. */
static struct ir_inst *match_lane(const struct selector *s, const struct ir_value *v,
                                  enum value_type t)
{
    struct ir_inst *d = sel_match(s, v, IR_lane);
    if (d == NULL || value_types[d->args[0]->type].lane_bits != value_types[t].lane_bits)
        return NULL;
    return d;
}

void select_splat(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->result[0]->type;
    bool full = value_types[t].bits == 128;
    const struct lane_rows *rows = rows_for(t);
    struct ir_inst *lane = match_lane(s, i->args[0], t);
    if (lane != NULL) {
        put(s, rows->dup_lane[full], op_reg(to), op_reg(sel_use(s, lane->args[0])),
            op_imm(lane->imm));
    } else if (rows->dup[full] == INSN_fmov_d_x && i->args[0]->secret) {
        put(s, INSN_movi_d, op_reg(to), op_imm(0));
        put(s, INSN_ins_d, op_reg(to), op_imm(0), op_reg(sel_use(s, i->args[0])));
    } else {
        put(s, rows->dup[full], op_reg(to), op_reg(sel_use_or_zero(s, i->args[0])));
    }
}

/* -- building -- */

static bool all_the_same(const struct ir_inst *i)
{
    for (int k = 1; k < i->arg_count; k++)
        if (i->args[k] != i->args[0])
            return false;
    return true;
}

/* The constant lanes as bits, the others 0. */
static void constant_lanes(const struct ir_inst *i, uint64_t bits[2])
{
    unsigned lane = value_types[i->result[0]->type].lane_bits;
    bits[0] = bits[1] = 0;
    for (int k = 0; k < i->arg_count; k++) {
        uint64_t n;
        if (!sel_const(i->args[k], &n))
            continue;
        if (lane < 64)
            n &= (1ull << lane) - 1;
        unsigned at = (unsigned)k * lane;
        bits[at / 64] |= n << (at % 64);
    }
}

static void insert_lane(struct selector *s, enum value_type t, struct vreg *to, int k,
                        struct ir_value *v)
{
    struct ir_inst *lane = match_lane(s, v, t);
    if (lane != NULL)
        put(s, rows_for(t)->insert_lane, op_reg(to), op_imm(k), op_reg(sel_use(s, lane->args[0])),
            op_imm(lane->imm));
    else
        put(s, rows_for(t)->insert, op_reg(to), op_imm(k), op_reg(sel_use_or_zero(s, v)));
}

/* Lane 0 by fmov or dup of a lane, which also clear the lanes above it. Arm does
 * not list fmov as data-independent: secrets go another way. */
static bool start_with_lane_0(struct selector *s, enum value_type t, struct vreg *to,
                              struct ir_value *v)
{
    unsigned lane = value_types[t].lane_bits;
    struct ir_inst *from = match_lane(s, v, t);
    if (lane < 32 || (from == NULL && v->secret))
        return false;
    if (from != NULL)
        put(s, lane == 64 ? INSN_dup_d_lane : INSN_dup_s_lane, op_reg(to),
            op_reg(sel_use(s, from->args[0])), op_imm(from->imm));
    else
        put(s, lane == 64 ? INSN_fmov_d_x : INSN_fmov_s_w, op_reg(to),
            op_reg(sel_use_or_zero(s, v)));
    return true;
}

static bool any_constant_lane(const struct ir_inst *i)
{
    uint64_t n;
    for (int k = 0; k < i->arg_count; k++)
        if (sel_const(i->args[k], &n))
            return true;
    return false;
}

/* No lane is known: lane 0 goes everywhere first. */
static void select_all_lanes(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->result[0]->type;
    struct vreg *whole = sel_temp(s, CLASS_VECTOR, i->result[0]);
    put(s, rows_for(t)->dup[value_types[t].bits == 128], op_reg(whole),
        op_reg(sel_use(s, i->args[0])));
    for (int k = 1; k < i->arg_count; k++)
        insert_lane(s, t, whole, k, i->args[k]);
    put_copy(s, to, whole);
}

void select_build(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    enum value_type t = i->result[0]->type;
    uint64_t bits[2], n;
    if (all_the_same(i) && !sel_const(i->args[0], &n)) {
        select_splat(s, i, to);
        return;
    }
    if (i->arg_count > 1 && !any_constant_lane(i)) {
        select_all_lanes(s, i, to);
        return;
    }
    constant_lanes(i, bits);
    bool zeros = bits[0] == 0 && bits[1] == 0;
    /* The lanes are inserted one by one: the target may be read by them only before. */
    struct vreg *whole = sel_temp(s, CLASS_VECTOR, i->result[0]);
    bool lane_0 = !sel_const(i->args[0], &n) && zeros
                  && start_with_lane_0(s, t, whole, i->args[0]);
    if (!lane_0)
        put_const_vector(s, whole, t, bits);
    for (int k = lane_0 ? 1 : 0; k < i->arg_count; k++)
        if (!sel_const(i->args[k], &n))
            insert_lane(s, t, whole, k, i->args[k]);
    put_copy(s, to, whole);
}

/* -- instructions by name -- */

static bool takes_zero_register(enum operand_kind k) { return k == OP_X || k == OP_W; }

/* aese(x ^ k, 0) = aese(x, k) (docs/design.md 2.1). */
static bool select_aes_key(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    if (i->insn != INSN_aese && i->insn != INSN_aesd)
        return false;
    const struct ir_inst *key = i->args[1]->def;
    while (key != NULL && key->op == IR_bits)
        key = key->args[0]->def;
    if (key == NULL || key->op != IR_const || key->value[0] != 0 || key->value[1] != 0)
        return false;
    struct ir_inst *xor = sel_match(s, i->args[0], IR_xor);
    if (xor == NULL)
        return false;
    put(s, i->insn, op_tied(to, sel_use(s, xor->args[0])), op_reg(sel_use(s, xor->args[1])));
    return true;
}

void select_insn(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    const struct insn_row *row = &insns[i->insn];
    struct mach_operand op[MAX_OPERANDS] = { { 0 } };
    int arg = 0;
    if (select_aes_key(s, i, to))
        return;
    for (int k = 0; k < row->operand_count; k++) {
        uint64_t n = 0;
        if (row->op[k].role == ROLE_DEF) {
            op[k] = op_reg(to);
            continue;
        }
        struct ir_value *v = i->args[arg++];
        if (row->op[k].role == ROLE_TIED)
            op[k] = op_tied(to, sel_use(s, v));
        else if (row->op[k].role == ROLE_USE)
            op[k] = op_reg(takes_zero_register(row->op[k].kind) ? sel_use_or_zero(s, v)
                                                                : sel_use(s, v));
        else if (sel_const(v, &n))
            op[k] = op_imm((int64_t)n);
        else
            assert(0 && "an immediate is a constant");
    }
    assert(arg == i->arg_count);
    put_ops(s, i->insn, op, row->operand_count);
}
