/* fold.c: rewrite single instructions by local rules.
 *
 * Takes any IR; replaces an instruction by an existing value or a simpler one
 * where its operands allow. The rules are in fold_constant.c (all operands
 * known), fold_scalar.c, fold_vector.c and fold_flags.c; conditions of branches
 * are here. What a rule leaves unused, dead.c removes. A rule never adds an
 * operation without making another one unused.
 */
#include <assert.h>

#include "ir/pass.h"

struct ir_value *fold_const(struct folder *w, enum value_type type, uint64_t lo, uint64_t hi)
{
    struct ir_inst *c = ir_new_inst(w->f, IR_const, type, 0, w->at->loc);

    c->value[0] = type == TYPE_U32 ? (uint32_t)lo : lo;
    c->value[1] = value_types[type].bits == 128 ? hi : 0;
    ir_insert_before(w->at, c);
    return c->result[0];
}

struct ir_value *fold_new(struct folder *w, enum ir_op op, enum value_type type,
                          struct ir_value *a, struct ir_value *b)
{
    struct ir_inst *i = ir_new_inst(w->f, op, type, ir_ops[op].args, w->at->loc);

    i->args[0] = a;
    if (i->arg_count > 1)
        i->args[1] = b;
    i->algebra = w->at->algebra;
    ir_insert_before(w->at, i);
    return i->result[0];
}

bool fold_used_once(const struct folder *w, const struct ir_value *v)
{
    return v->id >= w->use_limit || w->uses[v->id] <= 1;
}

static void fold_inst(struct folder *w, struct ir_inst *i)
{
    typedef struct ir_value *rule(struct folder *, struct ir_inst *);
    static rule *const rules_in_order[] = { fold_constant, fold_scalar, fold_vector, fold_flags };

    for (int k = 0; k < i->arg_count; k++)
        i->args[k] = ir_resolve(i->args[k]);
    w->at = i;
    for (int r = 0; r < COUNT(rules_in_order); r++) {
        if (ir_ops[i->op].effect == EFFECT_CALL || ir_ops[i->op].results == 0)
            return;
        struct ir_value *v = rules_in_order[r](w, i);
        if (!v)
            continue;
        ir_replace(i->result[0], v);
        w->changed = true;
        return;
    }
}

/* Addresses of accesses: a constant that was added goes into the offset. Not
 * when the sum is what a pointer becomes for the next iteration or loop: then
 * the old pointer would have to live beside the new one. */
static void fold_address(struct folder *w, struct ir_inst *i)
{
    uint64_t c;

    if (i->op != IR_load && i->op != IR_store)
        return;
    struct ir_inst *sum = i->args[0]->def;
    if (!sum || (sum->op != IR_add && sum->op != IR_sub) || !ir_const_of(ir_resolve(sum->args[1]), &c))
        return;
    int64_t offset = i->imm + (int64_t)(sum->op == IR_add ? c : 0 - c);
    if (i->args[0]->id < w->use_limit && w->on_edge[i->args[0]->id])
        return;
    if (offset < -256 || offset > 32760)        /* LDUR, LDR (immediate): Arm ARM C6.2 */
        return;
    i->imm = offset;
    i->args[0] = ir_resolve(sum->args[0]);
    w->changed = true;
}

/* -- branches -- */

static bool condition_holds(enum ir_cond cond, enum value_type type, uint64_t a, uint64_t b)
{
    int64_t x = is_wide(type) ? (int64_t)a : (int32_t)a, y = is_wide(type) ? (int64_t)b : (int32_t)b;

    switch (cond) {
    case IR_EQ:  return a == b;
    case IR_NE:  return a != b;
    case IR_ULT: return a < b;
    case IR_ULE: return a <= b;
    case IR_UGT: return a > b;
    case IR_UGE: return a >= b;
    case IR_SLT: return x < y;
    case IR_SLE: return x <= y;
    case IR_SGT: return x > y;
    case IR_SGE: return x >= y;
    case IR_BIT_SET: return (a >> (b & 63)) & 1;
    default: return !((a >> (b & 63)) & 1);
    }
}

static enum ir_cond exchange(enum ir_cond cond)
{
    switch (cond) {
    case IR_ULT: return IR_UGT;
    case IR_ULE: return IR_UGE;
    case IR_UGT: return IR_ULT;
    case IR_UGE: return IR_ULE;
    case IR_SLT: return IR_SGT;
    case IR_SLE: return IR_SGE;
    case IR_SGT: return IR_SLT;
    case IR_SGE: return IR_SLE;
    default: return cond;
    }
}

static struct ir_value *const_at_end(struct folder *w, struct ir_block *b, enum value_type type,
                                     uint64_t v)
{
    struct ir_inst *c = ir_new_inst(w->f, IR_const, type, 0, b->loc);
    c->value[0] = v;
    ir_append(b, c);
    return c->result[0];
}

static void take(struct ir_block *b, int edge)
{
    b->term = IR_JUMP;
    b->edge[0] = b->edge[edge];
    b->a = b->b = NULL;
}

/* x & (1 << k) against 0 is a test of bit k; so is (x >> k) & 1. */
static bool fold_bit_test(struct folder *w, struct ir_block *b)
{
    struct ir_inst *i = b->a->def;
    uint64_t mask, shift, k = 0;

    if (!i || i->op != IR_and || !ir_const_of(ir_resolve(i->args[1]), &mask) || mask == 0 ||
        (mask & (mask - 1)) != 0)
        return false;
    while ((uint64_t)1 << k < mask)
        k++;
    struct ir_value *x = ir_resolve(i->args[0]);
    if (x->def && x->def->op == IR_shr && ir_const_of(ir_resolve(x->def->args[1]), &shift) &&
        k + shift < (is_wide(x->type) ? 64U : 32U)) {
        k += shift;
        x = ir_resolve(x->def->args[0]);
    }
    b->cond = b->cond == IR_NE ? IR_BIT_SET : IR_BIT_CLEAR;
    b->a = x;
    b->b = const_at_end(w, b, TYPE_U32, k);
    return true;
}

/* Conditions against 0: what else is 0 exactly when A is? */
static bool fold_zero_test(struct folder *w, struct ir_block *b)
{
    struct ir_inst *i = b->a->def;

    if (fold_bit_test(w, b))
        return true;
    if (i && i->op == IR_zext) {
        b->a = ir_resolve(i->args[0]);
        b->b = const_at_end(w, b, TYPE_U32, 0);
        return true;
    }
    return false;
}

static bool fold_branch(struct folder *w, struct ir_block *b)
{
    uint64_t x, y;

    b->a = ir_resolve(b->a);
    b->b = ir_resolve(b->b);
    bool known_a = ir_const_of(b->a, &x), known_b = ir_const_of(b->b, &y);
    if (known_a && known_b) {
        take(b, condition_holds(b->cond, b->a->type, x, y) ? 0 : 1);
        return true;
    }
    if (b->a == b->b && b->cond < IR_BIT_SET) {
        take(b, condition_holds(b->cond, b->a->type, 0, 0) ? 0 : 1);
        return true;
    }
    if (known_a && b->cond < IR_BIT_SET) {
        struct ir_value *a = b->a;
        b->a = b->b;
        b->b = a;
        b->cond = exchange(b->cond);
        return true;
    }
    if (!known_b)
        return false;
    if ((b->cond == IR_UGT && y == 0) || (b->cond == IR_UGE && y == 1)) {
        b->cond = IR_NE;
        b->b = y == 0 ? b->b : const_at_end(w, b, b->a->type, 0);
        return true;
    }
    if ((b->cond == IR_ULT && y == 1) || (b->cond == IR_ULE && y == 0)) {
        b->cond = IR_EQ;
        b->b = y == 0 ? b->b : const_at_end(w, b, b->a->type, 0);
        return true;
    }
    if (y == 0 && (b->cond == IR_ULT || b->cond == IR_UGE)) {
        take(b, b->cond == IR_UGE ? 0 : 1);
        return true;
    }
    return y == 0 && (b->cond == IR_EQ || b->cond == IR_NE) && fold_zero_test(w, b);
}

static void note_edges(struct folder *w)
{
    w->on_edge = NEW_ARRAY(uint8_t, w->use_limit + 1);
    for (int k = 0; k < w->f->blocks.n; k++) {
        const struct ir_block *b = w->f->blocks.at[k];
        for (int e = 0; e < ir_edge_count(b); e++)
            for (int a = 0; a < b->edge[e].to->param_count; a++)
                w->on_edge[b->edge[e].args[a]->id] = 1;
    }
}

bool ir_fold(struct ir_func *f)
{
    struct flow flow = ir_flow(f);
    struct folder w = { .f = f, .uses = ir_use_counts(f), .use_limit = f->values.n };

    note_edges(&w);
    for (int k = 0; k < flow.n; k++) {
        struct ir_block *b = flow.order[k];
        for (struct ir_inst *i = b->first, *next; i; i = next) {
            next = i->next;
            fold_inst(&w, i);
            if (i->arg_count > 0)
                fold_address(&w, i);
        }
        if (b->term == IR_BRANCH)
            w.changed |= fold_branch(&w, b);
    }
    if (w.changed)
        ir_settle(f);
    return w.changed;
}
