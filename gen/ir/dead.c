/* dead.c: remove what nothing needs.
 *
 * Needed are stores, calls, what branches and returns read, and whatever those
 * are computed from. A parameter that only feeds itself around a loop is not
 * needed, so unused inductions go away whole.
 */
#include <assert.h>

#include "ir/pass.h"

struct marking { uint8_t *needed; struct ir_value **stack; int n; };

static void need(struct marking *m, struct ir_value *v)
{
    if (!v || m->needed[v->id])
        return;
    m->needed[v->id] = 1;
    m->stack[m->n++] = v;
}

static void need_args(struct marking *m, const struct ir_inst *i)
{
    for (int k = 0; k < i->arg_count; k++)
        need(m, i->args[k]);
}

static void need_edges(struct marking *m, const struct ir_value *param)
{
    const struct ir_block *b = param->block;

    for (int p = 0; p < b->preds.n; p++)
        for (int e = 0; e < ir_edge_count(b->preds.at[p]); e++)
            if (b->preds.at[p]->edge[e].to == b)
                need(m, b->preds.at[p]->edge[e].args[param->index]);
}

static bool has_effect(const struct ir_inst *i)
{
    return ir_ops[i->op].effect == EFFECT_WRITES || ir_ops[i->op].effect == EFFECT_CALL;
}

static void mark(struct ir_func *f, struct marking *m)
{
    for (int k = 0; k < f->blocks.n; k++) {
        const struct ir_block *b = f->blocks.at[k];
        for (const struct ir_inst *i = b->first; i; i = i->next)
            if (has_effect(i))
                need_args(m, i);
        if (b->term == IR_BRANCH) {
            need(m, b->a);
            need(m, b->b);
        }
        for (int r = 0; r < b->result_count; r++)
            need(m, b->results[r]);
    }
    while (m->n > 0) {
        const struct ir_value *v = m->stack[--m->n];
        if (v->def)
            need_args(m, v->def);
        else
            need_edges(m, v);
    }
}

static bool is_needed(const struct marking *m, const struct ir_inst *i)
{
    bool needed = has_effect(i) || i->op == IR_param;

    for (int k = 0; k < ir_result_count(i); k++)
        needed |= m->needed[ir_result(i, k)->id];
    return needed;
}

static void drop_params(const struct marking *m, struct ir_func *f)
{
    /* Edges first, by the parameters as they are; then the parameters. */
    for (int k = 0; k < f->blocks.n; k++) {
        struct ir_block *from = f->blocks.at[k];
        for (int e = 0; e < ir_edge_count(from); e++) {
            const struct ir_block *to = from->edge[e].to;
            int kept = 0;
            for (int a = 0; a < to->param_count; a++)
                if (m->needed[to->params[a]->id])
                    from->edge[e].args[kept++] = from->edge[e].args[a];
        }
    }
    for (int k = 0; k < f->blocks.n; k++) {
        struct ir_block *b = f->blocks.at[k];
        int kept = 0;
        for (int a = 0; a < b->param_count; a++) {
            if (!m->needed[b->params[a]->id])
                continue;
            b->params[kept] = b->params[a];
            b->params[kept]->index = kept;
            kept++;
        }
        b->param_count = kept;
    }
}

bool ir_remove_dead(struct ir_func *f)
{
    struct marking m = { NEW_ARRAY(uint8_t, f->values.n + 1),
                         NEW_ARRAY(struct ir_value *, f->values.n + 1), 0 };
    bool changed = false;

    (void)ir_flow(f);
    mark(f, &m);
    for (int k = 0; k < f->blocks.n; k++) {
        for (struct ir_inst *i = f->blocks.at[k]->first, *next; i; i = next) {
            next = i->next;
            if (is_needed(&m, i))
                continue;
            ir_unlink(i);
            changed = true;
        }
    }
    drop_params(&m, f);
    return changed;
}
