/* known.c: conditions that a dominating branch has decided.
 *
 * A block that is entered by one edge of one branch runs only when that edge's
 * condition holds. A branch below it on the same condition, or its opposite,
 * is a jump: `if key.rounds == 10 { … if key.rounds == 10 { … } }`.
 * Compares operands as values, so it wants value numbering done before.
 */
#include "ir/pass.h"

static enum ir_cond opposite(enum ir_cond c)
{
    static const enum ir_cond of[] = {
        [IR_EQ] = IR_NE, [IR_NE] = IR_EQ, [IR_ULT] = IR_UGE, [IR_UGE] = IR_ULT,
        [IR_ULE] = IR_UGT, [IR_UGT] = IR_ULE, [IR_SLT] = IR_SGE, [IR_SGE] = IR_SLT,
        [IR_SLE] = IR_SGT, [IR_SGT] = IR_SLE, [IR_BIT_SET] = IR_BIT_CLEAR, [IR_BIT_CLEAR] = IR_BIT_SET,
    };
    return of[c];
}

static bool same_value(const struct ir_value *a, const struct ir_value *b)
{
    uint64_t x, y;
    return a == b || (ir_const_of(a, &x) && ir_const_of(b, &y) && x == y);
}

/* Which edge of B is taken, when the edge E of FROM has been: 0, 1 or -1. */
static int implied(const struct ir_block *b, const struct ir_block *from, int e)
{
    enum ir_cond holds = e == 0 ? from->cond : opposite(from->cond);

    if (!same_value(b->a, from->a) || !same_value(b->b, from->b))
        return -1;
    if (b->cond == holds)
        return 0;
    return b->cond == opposite(holds) ? 1 : -1;
}

static int decided(const struct flow *w, const struct ir_block *b)
{
    for (const struct ir_block *d = b; d; d = w->idom[d->id]) {
        if (d->preds.n != 1 || d->preds.at[0]->term != IR_BRANCH)
            continue;
        const struct ir_block *from = d->preds.at[0];
        int edge = implied(b, from, from->edge[0].to == d ? 0 : 1);
        if (edge >= 0)
            return edge;
    }
    return -1;
}

bool ir_use_known_conditions(struct ir_func *f)
{
    struct flow w = ir_flow(f);
    bool changed = false;

    for (int k = 0; k < w.n; k++) {
        struct ir_block *b = w.order[k];
        int edge = b->term == IR_BRANCH ? decided(&w, b) : -1;
        if (edge < 0)
            continue;
        b->term = IR_JUMP;
        b->edge[0] = b->edge[edge];
        b->a = b->b = NULL;
        changed = true;
    }
    return changed;
}
