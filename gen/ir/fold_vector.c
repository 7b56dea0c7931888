/* fold_vector.c: identities of vector operations.
 *
 * Logic with all zeros and all ones, x ^ x, shifts by 0, changes of lane type
 * that cancel, lanes of vectors that were just built, and what an AES round adds.
 */
#include "ir/pass.h"

static bool is_splat_of(const struct ir_value *v, uint64_t word)
{
    return v->def && v->def->op == IR_const && v->def->value[0] == word &&
           (value_types[v->type].bits < 128 || v->def->value[1] == word);
}

static struct ir_value *same_type(struct folder *w, struct ir_value *v, enum value_type type)
{
    return v->type == type ? v : fold_new(w, IR_bits, type, v, NULL);
}

static struct ir_value *fold_logic(struct folder *w, struct ir_inst *i)
{
    struct ir_value *a = i->args[0], *b = i->args[1];

    if (a == b)
        return i->op == IR_xor ? fold_const(w, i->type, 0, 0) : a;
    if (is_splat_of(b, 0))
        return i->op == IR_and ? b : a;
    if (is_splat_of(b, UINT64_MAX)) {
        if (i->op == IR_xor)
            return fold_new(w, IR_not, i->type, a, NULL);
        return i->op == IR_and ? a : b;
    }
    return NULL;
}

/* (x ^ y) ^ y, with y anywhere in a chain of two */
static struct ir_value *fold_cancel(struct ir_inst *i)
{
    for (int k = 0; k < 2; k++) {
        struct ir_inst *inner = i->args[k]->def;
        if (!inner || inner->op != IR_xor)
            continue;
        if (ir_resolve(inner->args[0]) == i->args[!k])
            return ir_resolve(inner->args[1]);
        if (ir_resolve(inner->args[1]) == i->args[!k])
            return ir_resolve(inner->args[0]);
    }
    return NULL;
}

static struct ir_value *fold_bits(struct folder *w, struct ir_inst *i)
{
    struct ir_inst *inner = i->args[0]->def;

    if (i->args[0]->type == i->type)
        return i->args[0];
    if (inner && inner->op == IR_bits)
        return same_type(w, ir_resolve(inner->args[0]), i->type);
    return NULL;
}

static struct ir_value *fold_lane(struct ir_inst *i)
{
    struct ir_inst *inner = i->args[0]->def;

    if (!inner)
        return NULL;
    if (inner->op == IR_build && ir_resolve(inner->args[i->imm])->type == i->type &&
        value_types[i->args[0]->type].lane_bits == value_types[i->type].bits)
        return ir_resolve(inner->args[i->imm]);
    if (inner->op == IR_splat && ir_resolve(inner->args[0])->type == i->type &&
        value_types[i->args[0]->type].lane_bits == value_types[i->type].bits)
        return ir_resolve(inner->args[0]);
    return NULL;
}

static struct ir_value *fold_lane_shift(struct ir_inst *i)
{
    uint64_t k;
    return ir_const_of(i->args[1], &k) && k == 0 ? i->args[0] : NULL;
}

/* aese(x ^ k, 0) = aese(x, k) (docs/design.md 2.1), also where x ^ k is wanted
 * elsewhere: then no copy of it has to be made for the instruction to destroy. */
static struct ir_value *fold_aes_key(struct folder *w, struct ir_inst *i)
{
    if (!ir_is_aes_step(i))
        return NULL;
    for (int k = 0; k < 2; k++) {
        const struct ir_inst *sum = i->args[k]->def;
        if (!sum || sum->op != IR_xor || !ir_is_zeros(i->args[!k]))
            continue;
        struct ir_inst *step = ir_new_inst(w->f, IR_insn, i->type, 2, i->loc);
        step->insn = i->insn;
        step->algebra = i->algebra;
        step->args[0] = ir_resolve(sum->args[0]);
        step->args[1] = ir_resolve(sum->args[1]);
        ir_insert_before(i, step);
        return step->result[0];
    }
    return NULL;
}

struct ir_value *fold_vector(struct folder *w, struct ir_inst *i)
{
    struct ir_value *v;

    switch (i->op) {
    case IR_lane: return fold_lane(i);
    case IR_bits: return fold_bits(w, i);
    case IR_insn: return fold_aes_key(w, i);
    default: break;
    }
    if (!type_is_vector(i->type))
        return i->op == IR_xor ? fold_cancel(i) : NULL;
    switch (i->op) {
    case IR_and: case IR_or: return fold_logic(w, i);
    case IR_xor:
        v = fold_logic(w, i);
        return v ? v : fold_cancel(i);
    case IR_add: case IR_sub: return is_splat_of(i->args[1], 0) ? i->args[0] : NULL;
    case IR_shl: case IR_shr: case IR_ror: return fold_lane_shift(i);
    case IR_bsel: return i->args[1] == i->args[2] ? i->args[1] : NULL;
    default: return NULL;
    }
}
