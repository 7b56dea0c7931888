/* blocks.c: fewer blocks.
 *
 * A block whose only predecessor only jumps to it becomes its end; an empty
 * block that only jumps is passed by. Preheaders (the block from which a loop
 * is entered) stay, also when empty: hoisting needs them, and an empty one
 * costs nothing in the layout.
 */
#include <assert.h>

#include "ir/pass.h"

static void append_block(struct ir_block *to, struct ir_block *b)
{
    for (int k = 0; k < b->param_count; k++)
        ir_replace(b->params[k], to->edge[0].args[k]);
    for (struct ir_inst *i = b->first, *next; i; i = next) {
        next = i->next;
        ir_unlink(i);
        ir_append(to, i);
    }
    to->term = b->term;
    to->cond = b->cond;
    to->a = b->a;
    to->b = b->b;
    to->edge[0] = b->edge[0];
    to->edge[1] = b->edge[1];
    to->results = b->results;
    to->result_count = b->result_count;
    to->loc = b->loc;
}

/* Joins B with the blocks that follow it and nothing else. */
static bool absorb(struct ir_block *b)
{
    bool changed = false;

    while (b->term == IR_JUMP && b->edge[0].to != b && b->edge[0].to->preds.n == 1 &&
           b->edge[0].to->id != 0) {
        struct ir_block *next = b->edge[0].to;
        append_block(b, next);
        for (int e = 0; e < ir_edge_count(b); e++) {
            struct ir_block *to = b->edge[e].to;
            for (int p = 0; p < to->preds.n; p++)
                if (to->preds.at[p] == next)
                    to->preds.at[p] = b;
        }
        next->preds.n = 0;
        next->term = IR_RETURN;         /* unreachable from here on */
        next->result_count = 0;
        changed = true;
    }
    return changed;
}

static bool is_preheader(const struct ir_block *b)
{
    const struct ir_block *to = b->edge[0].to;
    return to->loop == to && b->loop != to;
}

static bool same_args(const struct ir_edge *a, const struct ir_edge *b, int n)
{
    for (int k = 0; k < n; k++)
        if (ir_resolve(a->args[k]) != ir_resolve(b->args[k]))
            return false;
    return true;
}

/* Sends the edge of FROM that enters the empty block B to where B jumps. */
static bool bypass(struct ir_block *from, int e, struct ir_block *b)
{
    struct ir_edge *edge = &from->edge[e], *other = &from->edge[!e];
    struct ir_block *to = b->edge[0].to;
    struct ir_edge direct = { to, NEW_ARRAY(struct ir_value *, to->param_count) };

    for (int k = 0; k < to->param_count; k++) {
        struct ir_value *v = ir_resolve(b->edge[0].args[k]);
        direct.args[k] = v->block == b && !v->def ? edge->args[v->index] : v;
    }
    if (from->term == IR_BRANCH && other->to == to) {
        if (!same_args(&direct, other, to->param_count))
            return false;       /* one edge of the two must tell the paths apart */
        from->term = IR_JUMP;
        from->edge[0] = direct;
        from->a = from->b = NULL;
        return true;
    }
    *edge = direct;
    return true;
}

/* Are B's parameters read by its own jump only? Then B can be passed by. */
static bool params_stay_inside(const struct ir_block *b, const int *uses)
{
    for (int k = 0; k < b->param_count; k++) {
        int own = 0;
        for (int a = 0; a < b->edge[0].to->param_count; a++)
            own += ir_resolve(b->edge[0].args[a]) == b->params[k];
        if (own != uses[b->params[k]->id])
            return false;
    }
    return true;
}

static bool pass_by(struct ir_func *f)
{
    bool changed = false;
    int *uses = NULL;

    for (int k = 1; k < f->blocks.n; k++) {
        struct ir_block *b = f->blocks.at[k];
        if (b->first || b->term != IR_JUMP || b->edge[0].to == b || is_preheader(b))
            continue;
        if (!uses && b->param_count > 0)
            uses = ir_use_counts(f);
        if (!params_stay_inside(b, uses))
            continue;
        for (int p = 0; p < f->blocks.n; p++) {
            struct ir_block *from = f->blocks.at[p];
            for (int e = 0; e < ir_edge_count(from); e++)
                if (from != b && from->edge[e].to == b)
                    changed |= bypass(from, e, b);
        }
        if (changed)
            return true;
    }
    return changed;
}

bool ir_clean_blocks(struct ir_func *f)
{
    bool changed = false;

    (void)ir_flow(f);
    while (pass_by(f)) {
        (void)ir_flow(f);
        changed = true;
    }
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->preds.n > 0 || k == 0)
            changed |= absorb(f->blocks.at[k]);
    if (changed) {
        ir_settle(f);
        (void)ir_flow(f);
    }
    return changed;
}
