/* secrets.c: which values may hold a secret.
 *
 * Takes finished IR; sets ir_value.secret, for `wipe` and the listing. What a
 * load gives is as secret as its field or object, a parameter as it is declared,
 * every other value when an operand is. `declassify` left no trace here, so a
 * value may be called secret that is not any more: wiping it costs nothing
 * that matters. Rules about secrets are checked on the tree, not here.
 */
#include "ir/pass.h"
#include "shape/shape.h"

static bool load_is_secret(const struct ir_inst *i)
{
    const struct object *o = i->mem.object;

    if (!o || o->kind == OBJECT_TABLE)
        return false;
    if (!o->layout)
        return o->secret;
    for (int k = 0; k < o->layout->field_count; k++) {
        const struct field *d = &o->layout->fields[k];
        if (i->mem.key == KEY_CONSTANT && !d->is_array && (int64_t)d->offset == i->mem.disp)
            return d->secret;
    }
    return true;
}

static bool inst_is_secret(const struct ir_func *f, const struct ir_inst *i)
{
    bool secret = i->op == IR_call && f->func->kind == FN_EXPORT;

    if (i->op == IR_load)
        return load_is_secret(i);
    if (i->op == IR_param && i->imm >= f->func->param_count)
        return false;           /* lifted: an entry of a table */
    if (i->op == IR_param && !f->func->params[i->imm].object)
        return f->func->params[i->imm].secret;
    for (int k = 0; k < i->arg_count; k++)
        secret |= i->args[k]->secret;
    return secret;
}

static bool mark_edges(const struct ir_block *b)
{
    bool changed = false;

    for (int e = 0; e < ir_edge_count(b); e++) {
        for (int k = 0; k < b->edge[e].to->param_count; k++) {
            struct ir_value *p = b->edge[e].to->params[k];
            if (b->edge[e].args[k]->secret && !p->secret) {
                p->secret = true;
                changed = true;
            }
        }
    }
    return changed;
}

void ir_find_secrets(struct ir_func *f)
{
    bool changed = true;

    while (changed) {
        changed = false;
        for (int k = 0; k < f->blocks.n; k++) {
            const struct ir_block *b = f->blocks.at[k];
            for (const struct ir_inst *i = b->first; i; i = i->next)
                for (int r = 0; r < ir_result_count(i); r++)
                    if (!ir_result(i, r)->secret && inst_is_secret(f, i))
                        changed = ir_result(i, r)->secret = true;
            changed |= mark_edges(b);
        }
    }
}
