/* fold_constant.c: operations all of whose operands are known.
 *
 * Scalars of 32 and 64 bits; for vectors the operations that kernels use to
 * write constants: splat, build, logic, lane-wise add and shifts, bits, lane.
 */
#include <assert.h>
#include <string.h>

#include "ir/pass.h"

static bool scalar_result(enum ir_op op, int bits, uint64_t a, uint64_t b, uint64_t *out)
{
    switch (op) {
    case IR_add: *out = a + b; return true;
    case IR_sub: *out = a - b; return true;
    case IR_mul: *out = a * b; return true;
    case IR_and: *out = a & b; return true;
    case IR_or:  *out = a | b; return true;
    case IR_xor: *out = a ^ b; return true;
    case IR_not: *out = ~a; return true;
    case IR_neg: *out = 0 - a; return true;
    case IR_udiv: *out = b ? a / b : 0; return true;     /* Arm ARM C6.2 UDIV: x / 0 = 0 */
    case IR_mulhigh: *out = (uint64_t)(((unsigned __int128)a * b) >> 64); return true;
    case IR_shl: *out = b < (uint64_t)bits ? a << b : 0; return true;
    case IR_shr: *out = b < (uint64_t)bits ? a >> b : 0; return true;
    case IR_ror:
        b %= (uint64_t)bits;
        *out = b ? a >> b | a << ((uint64_t)bits - b) : a;
        return true;
    case IR_zext: case IR_trunc: *out = a; return true;
    default: return false;
    }
}

static uint64_t mask_of(int bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }

static uint64_t get_lane(const uint64_t *v, int bits, int lane)
{
    int at = bits * lane;
    return v[at / 64] >> (at % 64) & mask_of(bits);
}

static void set_lane(uint64_t *v, int bits, int lane, uint64_t x)
{
    int at = bits * lane;
    v[at / 64] &= ~(mask_of(bits) << (at % 64));
    v[at / 64] |= (x & mask_of(bits)) << (at % 64);
}

static const uint64_t *vector_const(const struct ir_value *v)
{
    return v->def && v->def->op == IR_const ? v->def->value : NULL;
}

static struct ir_value *fold_lanes(struct folder *w, struct ir_inst *i)
{
    int bits = value_types[i->type].lane_bits, lanes = value_types[i->type].lanes;
    const uint64_t *a = vector_const(i->args[0]);
    const uint64_t *b = i->arg_count > 1 ? vector_const(i->args[1]) : a;
    bool shift = i->op == IR_shl || i->op == IR_shr || i->op == IR_ror;
    uint64_t out[2] = { 0, 0 };

    if (!a || !b)
        return NULL;
    for (int k = 0; k < lanes; k++) {
        uint64_t r;
        if (!scalar_result(i->op, bits, get_lane(a, bits, k), shift ? b[0] : get_lane(b, bits, k), &r))
            return NULL;
        set_lane(out, bits, k, r);
    }
    return fold_const(w, i->type, out[0], out[1]);
}

static struct ir_value *fold_build(struct folder *w, struct ir_inst *i)
{
    int bits = value_types[i->type].lane_bits, lanes = value_types[i->type].lanes;
    uint64_t out[2] = { 0, 0 }, x;

    for (int k = 0; k < lanes; k++) {
        if (!ir_const_of(i->args[i->op == IR_splat ? 0 : k], &x))
            return NULL;
        set_lane(out, bits, k, x);
    }
    return fold_const(w, i->type, out[0], out[1]);
}

struct ir_value *fold_constant(struct folder *w, struct ir_inst *i)
{
    uint64_t a, b = 0, out;

    if (i->arg_count == 0 || i->op == IR_load || i->op == IR_insn)
        return NULL;
    if (i->op == IR_build || i->op == IR_splat)
        return fold_build(w, i);
    if (i->op == IR_bits) {
        const uint64_t *v = vector_const(i->args[0]);
        return v ? fold_const(w, i->type, v[0], v[1]) : NULL;
    }
    if (i->op == IR_lane) {
        const uint64_t *v = vector_const(i->args[0]);
        int bits = value_types[i->args[0]->type].lane_bits;
        return v ? fold_const(w, i->type, get_lane(v, bits, (int)i->imm), 0) : NULL;
    }
    if (i->arg_count > 2)
        return NULL;
    if (type_is_vector(i->type))
        return fold_lanes(w, i);
    if (!is_scalar_ir(i->type) || i->type == TYPE_ADDR || !ir_const_of(i->args[0], &a) ||
        (i->arg_count == 2 && !ir_const_of(i->args[1], &b)))
        return NULL;
    if (!scalar_result(i->op, is_wide(i->type) ? 64 : 32, a, b, &out) || ir_ops[i->op].results != 1)
        return NULL;
    return fold_const(w, i->type, out, 0);
}
