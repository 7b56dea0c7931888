/* params.c: take away block parameters that are not needed.
 *
 * A parameter that gets one value on every edge (or itself) is that value; two
 * parameters of one block that get equal values on every edge are one.
 */
#include <assert.h>

#include "ir/pass.h"

static struct ir_value *arg_of(const struct ir_block *from, int e, int k)
{
    return ir_resolve(from->edge[e].args[k]);
}

/* The one value that parameter K of B always has, or NULL. */
static struct ir_value *only_value(const struct ir_block *b, int k)
{
    struct ir_value *only = NULL;

    for (int p = 0; p < b->preds.n; p++) {
        const struct ir_block *from = b->preds.at[p];
        for (int e = 0; e < ir_edge_count(from); e++) {
            if (from->edge[e].to != b)
                continue;
            struct ir_value *v = arg_of(from, e, k);
            if (v == b->params[k])
                continue;
            if (only && v != only)
                return NULL;
            only = v;
        }
    }
    return only;
}

static bool always_equal(const struct ir_block *b, int j, int k)
{
    if (b->params[j]->type != b->params[k]->type)
        return false;
    for (int p = 0; p < b->preds.n; p++) {
        const struct ir_block *from = b->preds.at[p];
        for (int e = 0; e < ir_edge_count(from); e++) {
            if (from->edge[e].to != b)
                continue;
            struct ir_value *x = arg_of(from, e, j), *y = arg_of(from, e, k);
            if (x != y && !(x == b->params[j] && y == b->params[k]))
                return false;
        }
    }
    return true;
}

static void remove_param(struct ir_block *b, int k)
{
    for (int p = 0; p < b->preds.n; p++) {
        struct ir_block *from = b->preds.at[p];
        bool seen = false;
        for (int q = 0; q < p; q++)
            seen |= b->preds.at[q] == from;
        for (int e = 0; !seen && e < ir_edge_count(from); e++) {
            if (from->edge[e].to != b)
                continue;
            for (int j = k; j + 1 < b->param_count; j++)
                from->edge[e].args[j] = from->edge[e].args[j + 1];
        }
    }
    for (int j = k; j + 1 < b->param_count; j++) {
        b->params[j] = b->params[j + 1];
        b->params[j]->index = j;
    }
    b->param_count--;
}

static bool trim_block(struct ir_block *b)
{
    bool changed = false;

    for (int k = 0; k < b->param_count; k++) {
        struct ir_value *by = only_value(b, k);
        for (int j = 0; !by && j < k; j++)
            if (always_equal(b, j, k))
                by = b->params[j];
        if (!by)
            continue;
        ir_replace(b->params[k], by);
        remove_param(b, k--);
        changed = true;
    }
    return changed;
}

bool ir_trim_params(struct ir_func *f)
{
    bool changed = false, again = true;

    (void)ir_flow(f);
    while (again) {
        again = false;
        for (int k = 0; k < f->blocks.n; k++)
            again |= trim_block(f->blocks.at[k]);
        changed |= again;
    }
    if (changed)
        ir_settle(f);
    return changed;
}
