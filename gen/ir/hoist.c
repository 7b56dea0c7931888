/* hoist.c: move what does not change out of loops.
 *
 * Takes IR in which loops have preheaders; moves computations whose operands
 * come from outside a loop to its preheader, inner loops first, as long as
 * registers last: besides what the loop itself needs at its worst place, every
 * hoisted value takes one register all through it. What does not fit stays: a
 * load that stays is a reload, not a spill.
 *
 * Moved are pure operations, constants that take a register, and loads of
 * memory that nothing writes; of the loads only tables may be read when the
 * loop would not have read them. Flags never move.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/broken.h"
#include "ir/pass.h"

/* Up to how many live values of a class are hoisted. 32 vector registers; 28
 * general ones (x18, x29 and x30 are taken), of which a few stay for constants
 * that no immediate holds. What one cheap instruction computes anew is not
 * worth one of the last ones. */
enum { LIMIT_VECTOR = 32, LIMIT_GENERAL = 26, LIMIT_CHEAP = 20 };

struct candidate { struct ir_inst *inst; int uses; int order; };

struct hoisting {
    struct ir_func *f;
    struct flow flow;
    struct constant_memory constant;
    struct ir_block *header, *preheader;
    VEC(struct candidate) found;
    uint8_t *is_candidate;          /* by value id */
    int *reads;                     /* by value id: uses that are not arguments of edges */
};

/* -- what may move -- */

static int *count_reads(const struct ir_func *f)
{
    int *n = ir_use_counts(f);

    for (int k = 0; k < f->blocks.n; k++)
        for (int e = 0; e < ir_edge_count(f->blocks.at[k]); e++)
            for (int a = 0; a < f->blocks.at[k]->edge[e].to->param_count; a++)
                n[f->blocks.at[k]->edge[e].args[a]->id]--;
    return n;
}

static bool is_cheap_constant(const struct ir_inst *i)
{
    uint64_t v = i->value[0];
    return is_scalar_ir(i->type) && (v <= 0xffff ||
                                     (i->type == TYPE_U32 ? (uint32_t)~v : ~v) <= 0xffff);
}

static bool is_outside(const struct hoisting *h, const struct ir_value *v)
{
    const struct ir_block *home = v->def ? v->def->block : v->block;
    return !ir_in_loop(&h->flow, home, h->header) || h->is_candidate[v->id];
}

/* Is B on every way through the loop, from its entry to any of its exits? */
static bool always_runs(const struct hoisting *h, const struct ir_block *b)
{
    for (int k = 0; k < h->flow.n; k++) {
        const struct ir_block *from = h->flow.order[k];
        if (!ir_in_loop(&h->flow, from, h->header))
            continue;
        bool leaves = from->term == IR_RETURN;
        for (int e = 0; e < ir_edge_count(from); e++)
            leaves |= !ir_in_loop(&h->flow, from->edge[e].to, h->header) ||
                from->edge[e].to == h->header;
        if (leaves && !ir_dominates(&h->flow, b, from))
            return false;
    }
    return true;
}

/* A sum with a constant that only starts a variable of an inner loop: kept
 * outside, it would have to be copied each time, which costs the same. */
static bool gains_nothing(const struct hoisting *h, const struct ir_inst *i)
{
    uint64_t c;
    return (i->op == IR_add || i->op == IR_sub) && is_scalar_ir(i->type) &&
        ir_const_of(i->args[1], &c) &&
           i->result[0]->id < h->f->values.n && h->reads[i->result[0]->id] == 0;
}

static bool may_move(const struct hoisting *h, const struct ir_inst *i)
{
    if (i->op == IR_load) {
        if (!i->mem.object ||
            (!ir_is_constant(&h->constant, i->mem.object) && !is_broken(BROKEN_HOISTING)))
            return false;
        bool anywhere = i->mem.object->kind == OBJECT_TABLE && i->args[0]->def &&
                        i->args[0]->def->op == IR_table;
        if (!anywhere && !always_runs(h, i->block))
            return false;
    } else if (ir_ops[i->op].effect != EFFECT_PURE || ir_writes_flags(i->op) || i->op == IR_param ||
               ir_ops[i->op].results != 1 || i->op == IR_udiv) {
        return false;
    }
    if ((i->op == IR_const && is_cheap_constant(i)) || gains_nothing(h, i))
        return false;
    for (int k = 0; k < i->arg_count; k++) {
        const struct ir_inst *arg = i->args[k]->def;
        bool cheap = arg && arg->op == IR_const && is_cheap_constant(arg);
        if (i->args[k]->type == TYPE_CARRY || (!is_outside(h, i->args[k]) && !cheap))
            return false;
    }
    return true;
}

static void collect(struct hoisting *h)
{
    for (int k = 0; k < h->flow.n; k++) {
        struct ir_block *b = h->flow.order[k];
        if (!ir_in_loop(&h->flow, b, h->header))
            continue;
        for (struct ir_inst *i = b->first; i; i = i->next) {
            if (!may_move(h, i))
                continue;
            h->is_candidate[i->result[0]->id] = 1;
            *vec_add(&h->found) = (struct candidate){ i, 0, h->found.n - 1 };
        }
    }
}

/* -- how many registers are left -- */

/* The most values of each class that live at one place of the loop, without
 * the candidates. */
static struct pressure find_peak(const struct hoisting *h)
{
    struct liveness l = ir_liveness(h->f);
    struct pressure peak = { 0, 0 };

    for (int k = 0; k < h->flow.n; k++)
        if (ir_in_loop(&h->flow, h->flow.order[k], h->header))
            ir_peak_pressure(h->f, &l, h->flow.order[k], h->is_candidate, &peak);
    return peak;
}

/* -- moving -- */

static int more_used_first(const void *x, const void *y)
{
    const struct candidate *a = x, *b = y;
    return a->uses != b->uses ? b->uses - a->uses : a->order - b->order;
}

static int in_order(const void *x, const void *y)
{
    return ((const struct candidate *)x)->order - ((const struct candidate *)y)->order;
}

static void count_uses(struct hoisting *h)
{
    int *uses = ir_use_counts(h->f);
    for (int k = 0; k < h->found.n; k++)
        h->found.at[k].uses = uses[h->found.at[k].inst->result[0]->id];
}

static bool has_room(const struct pressure *peak, const struct ir_inst *i)
{
    if (type_is_vector(i->type))
        return peak->vectors < LIMIT_VECTOR;
    bool costly = i->op == IR_load || i->op == IR_mul || i->op == IR_mulhigh;
    return peak->general < (costly ? LIMIT_GENERAL : LIMIT_CHEAP);
}

/* Keeps the most used candidates that fit; operands of one that moves move
 * with it (they come before it in order, and are candidates themselves). */
static void choose(struct hoisting *h)
{
    struct pressure peak = find_peak(h);
    int kept = 0;

    count_uses(h);
    sort_array(h->found.at, h->found.n, sizeof *h->found.at, more_used_first);
    for (int k = 0; k < h->found.n; k++) {
        bool vector = type_is_vector(h->found.at[k].inst->type);
        if (!has_room(&peak, h->found.at[k].inst)) {
            h->is_candidate[h->found.at[k].inst->result[0]->id] = 0;
            continue;
        }
        peak.vectors += vector;
        peak.general += !vector;
        h->found.at[kept++] = h->found.at[k];
    }
    h->found.n = kept;
    sort_array(h->found.at, h->found.n, sizeof *h->found.at, in_order);
}

static void move_operand_constants(struct hoisting *h, struct ir_inst *i)
{
    for (int k = 0; k < i->arg_count; k++) {
        struct ir_inst *arg = i->args[k]->def;
        if (arg && arg->op == IR_const && ir_in_loop(&h->flow, arg->block, h->header)) {
            struct ir_inst *copy = ir_new_inst(h->f, IR_const, arg->type, 0, arg->loc);
            copy->value[0] = arg->value[0];
            copy->value[1] = arg->value[1];
            ir_append(h->preheader, copy);
            i->args[k] = copy->result[0];
        }
    }
}

static void move_all(struct hoisting *h)
{
    for (int k = 0; k < h->found.n; k++) {
        struct ir_inst *i = h->found.at[k].inst;
        bool ready = true;
        for (int a = 0; a < i->arg_count; a++) {
            const struct ir_inst *arg = i->args[a]->def;
            bool constant = arg && arg->op == IR_const && is_scalar_ir(arg->type);
            ready &= constant || !ir_in_loop(&h->flow, arg ? arg->block : i->args[a]->block, h->header);
        }
        if (!ready)
            continue;
        move_operand_constants(h, i);
        ir_unlink(i);
        ir_append(h->preheader, i);
    }
}

static struct ir_block *preheader_of(const struct flow *w, const struct ir_block *header)
{
    for (int p = 0; p < header->preds.n; p++)
        if (!ir_dominates(w, header, header->preds.at[p]))
            return header->preds.at[p];
    return NULL;
}

static void hoist_loop(struct hoisting *h, struct ir_block *header)
{
    h->header = header;
    h->preheader = preheader_of(&h->flow, header);
    assert(h->preheader && h->preheader->term == IR_JUMP);
    h->found.n = 0;
    h->is_candidate = NEW_ARRAY(uint8_t, h->f->values.n + 1);
    h->reads = count_reads(h->f);
    collect(h);
    if (h->found.n == 0)
        return;
    choose(h);
    move_all(h);
}

void ir_hoist(struct ir_func *f)
{
    struct hoisting h = { .f = f, .flow = ir_flow(f) };
    int deepest = 0;

    h.constant = ir_constant_memory(f);
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->loop_depth > deepest)
            deepest = f->blocks.at[k]->loop_depth;
    for (int depth = deepest; depth > 0; depth--)
        for (int k = 0; k < f->blocks.n; k++)
            if (f->blocks.at[k]->loop == f->blocks.at[k] && f->blocks.at[k]->loop_depth == depth)
                hoist_loop(&h, f->blocks.at[k]);
}
