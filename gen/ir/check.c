/* check.c: assert what the passes promise each other (ir.h).
 *
 * Every use is dominated by its definition; edges carry one argument of the
 * right type per parameter; results belong to their instruction; loops are
 * entered through a preheader; at most one flag is live at any place.
 */
#include <assert.h>
#include <limits.h>

#include "ir/pass.h"

struct checking {
    const struct ir_func *f;
    struct flow flow;
    int *place;                 /* by value id: position of its instruction in its block */
};

/* V is used by the instruction at PLACE of block B. */
static void check_use(const struct checking *c, const struct ir_value *v, const struct ir_block *b,
                      int place)
{
    const struct ir_block *home;

    assert(v && !v->stands_for);
    home = v->def ? v->def->block : v->block;
    assert(home && ir_dominates(&c->flow, home, b));
    assert(!v->def || home != b || c->place[v->id] < place);
}

static void find_places(struct checking *c)
{
    c->place = NEW_ARRAY(int, c->f->values.n + 1);
    for (int k = 0; k < c->f->blocks.n; k++) {
        int place = 0;
        for (const struct ir_inst *i = c->f->blocks.at[k]->first; i; i = i->next, place++)
            for (int r = 0; r < ir_result_count(i); r++)
                c->place[ir_result(i, r)->id] = place;
    }
}

static void check_inst(const struct checking *c, const struct ir_inst *i, const struct ir_block *b,
                       int place)
{
    const struct ir_op_row *row = &ir_ops[i->op];

    assert(i->block == b);
    assert(row->args < 0 || row->args == i->arg_count);
    for (int k = 0; k < i->arg_count; k++)
        check_use(c, i->args[k], b, place);
    for (int k = 0; k < ir_result_count(i); k++) {
        assert(ir_result(i, k)->def == i && ir_result(i, k)->index == k);
        assert(ir_result(i, k)->type == ir_type(ir_result(i, k)->type));
    }
    if (row->results >= 1 && i->op != IR_call)
        assert(i->result[0]->type == i->type);
}

static void check_end(const struct checking *c, const struct ir_block *b)
{
    for (int e = 0; e < ir_edge_count(b); e++) {
        const struct ir_block *to = b->edge[e].to;
        for (int k = 0; k < to->param_count; k++) {
            check_use(c, b->edge[e].args[k], b, INT_MAX);
            assert(b->edge[e].args[k]->type == to->params[k]->type ||
                   (is_wide(b->edge[e].args[k]->type) && is_wide(to->params[k]->type)));
        }
    }
    if (b->term == IR_BRANCH) {
        check_use(c, b->a, b, INT_MAX);
        check_use(c, b->b, b, INT_MAX);
        assert(b->edge[0].to != b->edge[1].to || b->edge[0].to->param_count > 0);
    }
    for (int k = 0; k < b->result_count; k++)
        check_use(c, b->results[k], b, INT_MAX);
}

static void check_preheader(const struct flow *w, const struct ir_block *b)
{
    int entries = 0;

    if (b->loop != b)
        return;
    for (int p = 0; p < b->preds.n; p++) {
        if (ir_dominates(w, b, b->preds.at[p]))
            continue;
        entries++;
        assert(b->preds.at[p]->term == IR_JUMP);
    }
    assert(entries == 1);
}

/* -- flags -- */

struct flags { VEC(const struct ir_value *) at; };

static struct flags find_flags(const struct ir_func *f)
{
    struct flags flags = { { 0 } };
    for (int k = 0; k < f->values.n; k++)
        if (f->values.at[k]->type == TYPE_CARRY)
            vec_push(&flags.at, f->values.at[k]);
    return flags;
}

static void check_one_flag(const struct flags *flags, const uint64_t *set)
{
    int n = 0;
    for (int k = 0; k < flags->at.n; k++)
        n += is_live(set, flags->at.at[k]);
    assert(n <= 1);
    (void)n;
}

static void check_flags(const struct ir_func *f)
{
    struct flags flags = find_flags(f);

    if (flags.at.n == 0)
        return;
    struct liveness l = ir_liveness(f);
    uint64_t *set = NEW_ARRAY(uint64_t, l.words);
    for (int k = 0; k < f->blocks.n; k++) {
        const struct ir_block *b = f->blocks.at[k];
        ir_live_before_end(&l, b, set);
        check_one_flag(&flags, set);
        for (const struct ir_inst *i = b->last; i; i = i->prev) {
            ir_live_step(set, i);
            if (ir_writes_flags(i->op) || i == b->first)
                check_one_flag(&flags, set);
        }
    }
}

void ir_check(const struct ir_func *f)
{
    struct checking c = { .f = f, .flow = ir_flow((struct ir_func *)f) };

    find_places(&c);
    for (int k = 0; k < f->blocks.n; k++) {
        const struct ir_block *b = f->blocks.at[k];
        int place = 0;
        assert(b->id == k);
        for (int p = 0; p < b->param_count; p++)
            assert(b->params[p]->block == b && !b->params[p]->def && b->params[p]->index == p);
        for (const struct ir_inst *i = b->first; i; i = i->next)
            check_inst(&c, i, b, place++);
        check_end(&c, b);
        check_preheader(&c.flow, b);
    }
    check_flags(f);
}
