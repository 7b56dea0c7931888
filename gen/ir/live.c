/* live.c: which values are live where.
 *
 * Backward data flow over blocks, one bit per value. An argument of an edge is
 * read at the end of the block it leaves; a parameter is defined at the start
 * of its block.
 */
#include <string.h>

#include "ir/pass.h"

static void set_bit(uint64_t *set, const struct ir_value *v)
{
    set[v->id / 64] |= (uint64_t)1 << (v->id % 64);
}

static void clear_bit(uint64_t *set, const struct ir_value *v)
{
    set[v->id / 64] &= ~((uint64_t)1 << (v->id % 64));
}

void ir_live_step(uint64_t *set, const struct ir_inst *i)
{
    for (int k = 0; k < ir_result_count(i); k++)
        clear_bit(set, ir_result(i, k));
    for (int k = 0; k < i->arg_count; k++)
        set_bit(set, i->args[k]);
}

void ir_live_before_end(const struct liveness *l, const struct ir_block *b, uint64_t *set)
{
    memcpy(set, l->out[b->id], sizeof *set * (size_t)l->words);
    for (int e = 0; e < ir_edge_count(b); e++)
        for (int k = 0; k < b->edge[e].to->param_count; k++)
            set_bit(set, b->edge[e].args[k]);
    if (b->term == IR_BRANCH) {
        set_bit(set, b->a);
        set_bit(set, b->b);
    }
    for (int k = 0; k < b->result_count; k++)
        set_bit(set, b->results[k]);
}

/* live-in of B from its live-out; true when it grew */
static bool update(struct liveness *l, const struct ir_block *b, uint64_t *scratch)
{
    for (int e = 0; e < ir_edge_count(b); e++)
        for (int w = 0; w < l->words; w++)
            l->out[b->id][w] |= l->in[b->edge[e].to->id][w];
    ir_live_before_end(l, b, scratch);
    for (const struct ir_inst *i = b->last; i; i = i->prev)
        ir_live_step(scratch, i);
    for (int k = 0; k < b->param_count; k++)
        clear_bit(scratch, b->params[k]);
    if (memcmp(scratch, l->in[b->id], sizeof *scratch * (size_t)l->words) == 0)
        return false;
    memcpy(l->in[b->id], scratch, sizeof *scratch * (size_t)l->words);
    return true;
}

struct liveness ir_liveness(const struct ir_func *f)
{
    struct liveness l = { .words = f->values.n / 64 + 1 };
    uint64_t *scratch = NEW_ARRAY(uint64_t, l.words);
    bool changed = true;

    l.in = NEW_ARRAY(uint64_t *, f->blocks.n);
    l.out = NEW_ARRAY(uint64_t *, f->blocks.n);
    for (int k = 0; k < f->blocks.n; k++) {
        l.in[k] = NEW_ARRAY(uint64_t, l.words);
        l.out[k] = NEW_ARRAY(uint64_t, l.words);
    }
    while (changed) {
        changed = false;
        for (int k = f->blocks.n - 1; k >= 0; k--)
            changed |= update(&l, f->blocks.at[k], scratch);
    }
    return l;
}

/* 1 for a value that takes a register of its class, in the field of the class. */
static struct pressure weight(const struct ir_value *x, const uint8_t *ignored)
{
    if (ignored[x->id] || x->type == TYPE_CARRY ||
        (x->def && x->def->op == IR_const && is_scalar_ir(x->type)))    /* most are immediates */
        return (struct pressure){ 0, 0 };
    return type_is_vector(x->type) ? (struct pressure){ 1, 0 } : (struct pressure){ 0, 1 };
}

static void add(struct pressure *p, struct pressure w, int times)
{
    p->vectors += times * w.vectors;
    p->general += times * w.general;
}

static void keep_most(struct pressure *peak, const struct pressure *here)
{
    peak->vectors = here->vectors > peak->vectors ? here->vectors : peak->vectors;
    peak->general = here->general > peak->general ? here->general : peak->general;
}

void ir_peak_pressure(const struct ir_func *f, const struct liveness *l, const struct ir_block *b,
                      const uint8_t *ignored, struct pressure *peak)
{
    uint64_t *set = NEW_ARRAY(uint64_t, l->words);
    struct pressure here = { 0, 0 };

    ir_live_before_end(l, b, set);
    for (int k = 0; k < f->values.n; k++)
        if (is_live(set, f->values.at[k]))
            add(&here, weight(f->values.at[k], ignored), 1);
    keep_most(peak, &here);
    for (const struct ir_inst *i = b->last; i; i = i->prev) {
        for (int k = 0; k < ir_result_count(i); k++)
            if (is_live(set, ir_result(i, k)))
                add(&here, weight(ir_result(i, k), ignored), -1);
        for (int k = 0; k < ir_result_count(i); k++)
            clear_bit(set, ir_result(i, k));
        for (int k = 0; k < i->arg_count; k++) {
            if (is_live(set, i->args[k]))
                continue;
            set_bit(set, i->args[k]);
            add(&here, weight(i->args[k], ignored), 1);
        }
        keep_most(peak, &here);
    }
}
