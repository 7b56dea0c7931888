/* select_branch.c: how blocks end, and which flags must survive there.
 *
 * A comparison that ends a block becomes cbz/cbnz (with zero), tbz/tbnz (one
 * bit) or cmp and b.cond. While a carry is alive across the branch nothing may write
 * NZCV: equality is then decided by cbz/cbnz of a difference; ordered comparisons
 * were refused by the rule carry-lost.
 */
#include "code/select.h"

#include <assert.h>

/* -- flags alive at the end of a block -- */

static bool edge_carries_flag(const struct ir_edge *e)
{
    for (int p = 0; p < e->to->param_count; p++)
        if (type_is_flag(e->to->params[p]->type))
            return true;
    return false;
}

static bool inst_defines_flag(const struct ir_inst *i)
{
    for (int r = 0; r < 2; r++)
        if (i->result[r] != NULL && type_is_flag(i->result[r]->type))
            return true;
    return i->op == IR_call;
}

static bool inst_uses_flag(const struct ir_inst *i)
{
    for (int a = 0; a < i->arg_count; a++)
        if (type_is_flag(i->args[a]->type))
            return true;
    return false;
}

static bool flag_live_in(const struct ir_block *b, bool live)
{
    for (const struct ir_inst *i = b->last; i != NULL; i = i->prev) {
        if (inst_defines_flag(i))
            live = false;
        if (inst_uses_flag(i))
            live = true;
    }
    for (int p = 0; p < b->param_count; p++)
        if (type_is_flag(b->params[p]->type))
            live = false;
    return live;
}

void find_live_flags(struct selector *s)
{
    bool *live_in = NEW_ARRAY(bool, s->ir->blocks.n);
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = s->ir->blocks.n - 1; k >= 0; k--) {
            const struct ir_block *b = s->ir->blocks.at[k];
            bool out = false;
            int edges = b->term == IR_BRANCH ? 2 : b->term == IR_JUMP ? 1 : 0;
            for (int e = 0; e < edges; e++)
                out |= edge_carries_flag(&b->edge[e]) || live_in[b->edge[e].to->id];
            bool in = flag_live_in(b, out);
            changed |= in != live_in[k] || out != s->flag_live_out[k];
            live_in[k] = in;
            s->flag_live_out[k] = out;
        }
    }
}

/* -- edges -- */

/* The copies that an edge needs; shared registers need none. */
static int edge_copies(struct selector *s, const struct ir_edge *e, struct parallel_copy *out)
{
    int n = 0;
    if (s->edges_in[e->to->id] == 1)
        return 0;
    for (int p = 0; p < e->to->param_count; p++) {
        struct ir_value *v = e->to->params[p];
        if (type_is_flag(v->type) || s->uses[v->id] == 0)
            continue;
        out[n++] = (struct parallel_copy){ .to = sel_use(s, v), .from = e->args[p] };
    }
    return n;
}

static void put_jump(struct selector *s, struct mach_block *to)
{
    put(s, INSN_b, op_label(to));
}

/* Where a branch goes that takes edge E: its block, or a new one for the copies. */
static struct mach_block *edge_target(struct selector *s, const struct ir_edge *e)
{
    struct parallel_copy *copies = NEW_ARRAY(struct parallel_copy, e->to->param_count + 1);
    struct mach_block *to = s->block[e->to->id];
    int n = edge_copies(s, e, copies);
    if (n == 0)
        return to;
    struct mach_block *between = block_new(s->f);
    between->loop_depth = s->block[s->here->id]->loop_depth;
    between->loop = s->block[s->here->id]->loop;
    if (e->to->loop_depth < between->loop_depth) {
        between->loop_depth = to->loop_depth;
        between->loop = to->loop;
    }
    assert(s->first == NULL);
    put_parallel(s, copies, n);
    put_jump(s, to);
    for (struct mach_insn *i = s->first, *next; i != NULL; i = next) {
        next = i->next;
        insn_append(between, i);
    }
    s->first = s->last = NULL;
    return between;
}

/* -- conditions -- */

static const enum cond cond_of[] = {
    [IR_EQ] = COND_EQ, [IR_NE] = COND_NE, [IR_ULT] = COND_LO, [IR_ULE] = COND_LS,
    [IR_UGT] = COND_HI, [IR_UGE] = COND_HS, [IR_SLT] = COND_LT, [IR_SLE] = COND_LE,
    [IR_SGT] = COND_GT, [IR_SGE] = COND_GE,
};

static const enum ir_cond swapped[] = {
    [IR_EQ] = IR_EQ, [IR_NE] = IR_NE, [IR_ULT] = IR_UGT, [IR_ULE] = IR_UGE, [IR_UGT] = IR_ULT,
    [IR_UGE] = IR_ULE, [IR_SLT] = IR_SGT, [IR_SLE] = IR_SGE, [IR_SGT] = IR_SLT, [IR_SGE] = IR_SLE,
};

static void put_zero_branch(struct selector *s, bool is_w, bool if_zero, struct vreg *a,
                            struct mach_block *to)
{
    put(s, if_zero ? WX(is_w, cbz) : WX(is_w, cbnz), op_reg(a), op_label(to));
}

/* (a & 1 << n) == 0 and != 0 as a test of one bit. */
static bool put_mask_branch(struct selector *s, bool is_w, bool if_zero, struct ir_value *a,
                            struct mach_block *to)
{
    uint64_t mask;
    struct ir_inst *and = sel_match(s, a, IR_and);
    if (and == NULL || !sel_const(and->args[1], &mask) || mask == 0 || (mask & (mask - 1)) != 0)
        return false;
    put(s, if_zero ? WX(is_w, tbz) : WX(is_w, tbnz), op_reg(sel_use(s, and->args[0])),
        op_imm(__builtin_ctzll(mask)), op_label(to));
    return true;
}

/* a == b without flags: zero of a difference. */
static void put_difference_branch(struct selector *s, bool is_w, bool if_zero, struct ir_value *a,
                                  struct ir_value *b, struct mach_block *to)
{
    struct vreg *d = sel_temp(s, CLASS_GENERAL, a);
    uint64_t n;
    if (sel_const(b, &n))
        put_sum(s, true, is_w, d, a, b);
    else
        put(s, WX(is_w, eor), op_reg(d), op_reg(sel_use(s, a)), op_reg(sel_use(s, b)));
    put_zero_branch(s, is_w, if_zero, d, to);
}

static void put_compare_branch(struct selector *s, bool is_w, enum ir_cond cond,
                               struct ir_value *a, struct ir_value *b, struct mach_block *to)
{
    struct vreg *flags = vreg_new(s->f, CLASS_FLAGS);
    put_flags_sum(s, true, is_w, NULL, a, b)->flags_out = flags;
    put(s, INSN_b_cond, op_imm(cond_of[cond]), op_label(to))->flags_in = flags;
}

static void put_branch(struct selector *s, const struct ir_block *b, struct mach_block *to)
{
    enum ir_cond cond = b->cond;
    struct ir_value *x = b->a, *y = b->b;
    bool is_w = type_is_w(x->type);
    uint64_t n;
    if (cond == IR_BIT_SET || cond == IR_BIT_CLEAR) {
        bool known = sel_const(y, &n);
        assert(known);
        put(s, cond == IR_BIT_CLEAR ? WX(is_w, tbz) : WX(is_w, tbnz), op_reg(sel_use(s, x)),
            op_imm((int64_t)n), op_label(to));
        return;
    }
    if (sel_const(x, &n) && !sel_const(y, &n)) {
        x = b->b;
        y = b->a;
        cond = swapped[cond];
    }
    bool known = sel_const(y, &n);
    /* x > 0 and x >= 1 are x != 0 for unsigned x. */
    if (known && ((cond == IR_UGT && n == 0) || (cond == IR_UGE && n == 1))) {
        cond = IR_NE;
        n = 0;
    } else if (known && ((cond == IR_ULE && n == 0) || (cond == IR_ULT && n == 1))) {
        cond = IR_EQ;
        n = 0;
    }
    bool equality = cond == IR_EQ || cond == IR_NE, if_zero = cond == IR_EQ;
    if (equality && known && n == 0) {
        if (!put_mask_branch(s, is_w, if_zero, x, to))
            put_zero_branch(s, is_w, if_zero, sel_use(s, x), to);
    } else if (equality && s->flag_live_out[b->id]) {
        put_difference_branch(s, is_w, if_zero, x, y, to);
    } else {
        assert(!s->flag_live_out[b->id]);
        put_compare_branch(s, is_w, cond, x, y, to);
    }
}

void select_terminator(struct selector *s, const struct ir_block *b)
{
    if (b->term == IR_RETURN) {
        select_return(s, b);
        return;
    }
    if (b->term == IR_JUMP) {
        struct parallel_copy *copies
            = NEW_ARRAY(struct parallel_copy, b->edge[0].to->param_count + 1);
        int n = edge_copies(s, &b->edge[0], copies);
        put_parallel(s, copies, n);
        put_jump(s, s->block[b->edge[0].to->id]);
        return;
    }
    struct mach_block *yes = edge_target(s, &b->edge[0]), *no = edge_target(s, &b->edge[1]);
    put_branch(s, b, yes);
    put_jump(s, no);
}
