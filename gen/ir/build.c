/* build.c: make and change the IR.
 *
 * Blocks, values, instructions, and the replacement of values. Holds: a
 * value's definition and its block agree; an instruction is in one block.
 */
#include <assert.h>

#include "ir/pass.h"

const struct ir_op_row ir_ops[IR_OP_COUNT] = {
#define OP(name, args, results, effect, what) [IR_##name] = { #name, args, results, EFFECT_##effect },
#include "ir/ops.def"
#undef OP
};

enum value_type ir_type(enum value_type t)
{
    switch (t) {
    case TYPE_U8: case TYPE_U16: case TYPE_U32: case TYPE_I32: return TYPE_U32;
    case TYPE_U64: case TYPE_USIZE: return TYPE_U64;
    case TYPE_CARRY: case TYPE_BORROW: return TYPE_CARRY;
    default: return t;
    }
}

struct ir_block *ir_new_block(struct ir_func *f)
{
    struct ir_block *b = NEW(struct ir_block);
    (void)f;
    b->id = -1;
    return b;
}

void ir_place_block(struct ir_func *f, struct ir_block *b)
{
    b->id = f->blocks.n;
    vec_push(&f->blocks, b);
}

static struct ir_value *new_value(struct ir_func *f, enum value_type type)
{
    struct ir_value *v = NEW(struct ir_value);
    v->id = f->values.n;
    v->type = type;
    v->name = "";
    vec_push(&f->values, v);
    return v;
}

struct ir_value *ir_add_param(struct ir_func *f, struct ir_block *b, enum value_type type)
{
    struct ir_value *v = new_value(f, type);
    v->block = b;
    v->index = b->param_count;
    b->params = mem_grow(b->params, sizeof *b->params * (size_t)b->param_count,
                         sizeof *b->params * (size_t)(b->param_count + 1));
    b->params[b->param_count++] = v;
    return v;
}

struct ir_value *ir_new_result(struct ir_func *f, struct ir_inst *i, int index, enum value_type type)
{
    struct ir_value *v = new_value(f, type);
    v->def = i;
    v->index = index;
    v->loc = i->loc;
    return v;
}

struct ir_inst *ir_new_inst(struct ir_func *f, enum ir_op op, enum value_type type, int arg_count,
                            struct loc loc)
{
    struct ir_inst *i = NEW(struct ir_inst);

    assert(ir_ops[op].args < 0 || ir_ops[op].args == arg_count);
    i->op = op;
    i->type = type;
    i->loc = loc;
    i->arg_count = arg_count;
    if (arg_count > 0)
        i->args = NEW_ARRAY(struct ir_value *, arg_count);
    if (ir_ops[op].results >= 1)
        i->result[0] = ir_new_result(f, i, 0, type);
    if (ir_ops[op].results == 2)
        i->result[1] = ir_new_result(f, i, 1, TYPE_CARRY);
    return i;
}

void ir_append(struct ir_block *b, struct ir_inst *i)
{
    i->block = b;
    i->prev = b->last;
    i->next = NULL;
    if (b->last)
        b->last->next = i;
    else
        b->first = i;
    b->last = i;
}

void ir_insert_before(struct ir_inst *where, struct ir_inst *i)
{
    struct ir_block *b = where->block;

    i->block = b;
    i->prev = where->prev;
    i->next = where;
    if (where->prev)
        where->prev->next = i;
    else
        b->first = i;
    where->prev = i;
}

void ir_insert_after(struct ir_inst *where, struct ir_inst *i)
{
    if (where->next)
        ir_insert_before(where->next, i);
    else
        ir_append(where->block, i);
}

void ir_unlink(struct ir_inst *i)
{
    struct ir_block *b = i->block;

    if (i->prev)
        i->prev->next = i->next;
    else
        b->first = i->next;
    if (i->next)
        i->next->prev = i->prev;
    else
        b->last = i->prev;
    i->prev = i->next = NULL;
    i->block = NULL;
}

struct ir_value *ir_resolve(struct ir_value *v)
{
    while (v && v->stands_for)
        v = v->stands_for;
    return v;
}

void ir_replace(struct ir_value *v, struct ir_value *by)
{
    by = ir_resolve(by);
    assert(v != by && v->type == by->type && !v->stands_for);
    if (*by->name == '\0' && !(by->def && by->def->op == IR_const))
        by->name = v->name;
    v->stands_for = by;
}

int ir_edge_count(const struct ir_block *b)
{
    return b->term == IR_RETURN ? 0 : b->term == IR_JUMP ? 1 : 2;
}

static void settle_block(struct ir_block *b)
{
    for (struct ir_inst *i = b->first; i; i = i->next)
        for (int k = 0; k < i->arg_count; k++)
            i->args[k] = ir_resolve(i->args[k]);
    b->a = ir_resolve(b->a);
    b->b = ir_resolve(b->b);
    for (int k = 0; k < b->result_count; k++)
        b->results[k] = ir_resolve(b->results[k]);
    for (int e = 0; e < ir_edge_count(b); e++)
        for (int k = 0; k < b->edge[e].to->param_count; k++)
            b->edge[e].args[k] = ir_resolve(b->edge[e].args[k]);
}

void ir_settle(struct ir_func *f)
{
    for (int i = 0; i < f->blocks.n; i++)
        settle_block(f->blocks.at[i]);
}

int ir_result_count(const struct ir_inst *i)
{
    return i->op == IR_call ? i->result_count : ir_ops[i->op].results;
}

struct ir_value *ir_result(const struct ir_inst *i, int k)
{
    return i->op == IR_call ? i->results[k] : i->result[k];
}

bool ir_const_of(const struct ir_value *v, uint64_t *value)
{
    if (!v || !v->def || v->def->op != IR_const || !is_scalar_ir(v->type))
        return false;
    *value = v->def->value[0];
    return true;
}

bool ir_is_aes_step(const struct ir_inst *i)
{
    return i->op == IR_insn && (i->insn == INSN_aese || i->insn == INSN_aesd);
}

bool ir_is_zeros(const struct ir_value *v)
{
    while (v->def && v->def->op == IR_bits)
        v = v->def->args[0];
    return v->def && v->def->op == IR_const && v->def->value[0] == 0 && v->def->value[1] == 0;
}

void ir_count_block_uses(const struct ir_block *b, int *n)
{
    for (const struct ir_inst *i = b->first; i; i = i->next)
        for (int a = 0; a < i->arg_count; a++)
            n[i->args[a]->id]++;
    if (b->term == IR_BRANCH) {
        n[b->a->id]++;
        n[b->b->id]++;
    }
    for (int r = 0; r < b->result_count; r++)
        n[b->results[r]->id]++;
    for (int e = 0; e < ir_edge_count(b); e++)
        for (int a = 0; a < b->edge[e].to->param_count; a++)
            n[b->edge[e].args[a]->id]++;
}

int *ir_use_counts(const struct ir_func *f)
{
    int *n = NEW_ARRAY(int, f->values.n + 1);

    for (int k = 0; k < f->blocks.n; k++)
        ir_count_block_uses(f->blocks.at[k], n);
    return n;
}

bool ir_writes_flags(enum ir_op op)
{
    return op == IR_flag || op == IR_adds || op == IR_adcs || op == IR_subs || op == IR_sbcs ||
           op == IR_toflag || op == IR_call;
}

bool ir_commutes(enum ir_op op)
{
    return op == IR_add || op == IR_mul || op == IR_mulhigh || op == IR_and || op == IR_or ||
           op == IR_xor || op == IR_adds || op == IR_adcs || op == IR_adc;
}
