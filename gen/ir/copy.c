/* copy.c: a second copy of a function's IR.
 *
 * Most passes do not ask which variant of a function they improve: their work is
 * done once, and what they leave is copied for each variant but the last. Takes
 * IR between passes, blocks numbered in layout order; gives its equal, which
 * shares nothing with it that a pass changes. Values and blocks keep their ids. A
 * value that nothing defines any more keeps its id and type only.
 */
#include <assert.h>
#include <string.h>

#include "ir/pass.h"

struct copying { struct ir_func *to; };

static void *copy_of(const void *from, size_t size)
{
    void *to = mem_alloc(size);

    if (size > 0)
        memcpy(to, from, size);
    return to;
}

static struct ir_block *block_for(const struct copying *c, const struct ir_block *b)
{
    return b ? c->to->blocks.at[b->id] : NULL;
}

static struct ir_value *value_for(const struct copying *c, const struct ir_value *v)
{
    return v ? c->to->values.at[v->id] : NULL;
}

static struct ir_value **values_for(const struct copying *c, struct ir_value *const *v, int n)
{
    struct ir_value **to = NEW_ARRAY(struct ir_value *, n);

    for (int k = 0; k < n; k++)
        to[k] = value_for(c, v[k]);
    return to;
}

/* A value of the original and its copy, once what defines the copy is known. */
static void define(const struct copying *c, const struct ir_value *v, struct ir_inst *def,
                   struct ir_block *param_of)
{
    struct ir_value *to = value_for(c, v);

    assert(!v->stands_for);
    *to = *v;
    to->def = def;
    to->block = param_of;
}

static void copy_inst(const struct copying *c, struct ir_block *b, const struct ir_inst *i)
{
    struct ir_inst *to = copy_of(i, sizeof *i);

    to->args = values_for(c, i->args, i->arg_count);
    to->result[0] = value_for(c, i->result[0]);
    to->result[1] = value_for(c, i->result[1]);
    to->results = values_for(c, i->results, i->result_count);
    for (int k = 0; k < ir_result_count(i); k++)
        define(c, ir_result(i, k), to, NULL);
    ir_append(b, to);
}

static void copy_block(const struct copying *c, const struct ir_block *b)
{
    struct ir_block *to = block_for(c, b);

    *to = *b;
    to->first = to->last = NULL;
    to->params = values_for(c, b->params, b->param_count);
    for (int k = 0; k < b->param_count; k++)
        define(c, b->params[k], NULL, to);
    for (const struct ir_inst *i = b->first; i; i = i->next)
        copy_inst(c, to, i);
    to->a = value_for(c, b->a);
    to->b = value_for(c, b->b);
    to->results = values_for(c, b->results, b->result_count);
    for (int e = 0; e < ir_edge_count(b); e++) {
        to->edge[e].to = block_for(c, b->edge[e].to);
        to->edge[e].args = values_for(c, b->edge[e].args, b->edge[e].to->param_count);
    }
    to->loop = block_for(c, b->loop);
    memset(&to->preds, 0, sizeof to->preds);
    for (int k = 0; k < b->preds.n; k++)
        vec_push(&to->preds, block_for(c, b->preds.at[k]));
}

struct ir_func *ir_copy(const struct ir_func *f)
{
    struct copying c = { copy_of(f, sizeof *f) };

    assert(f->lifted.n == 0);
    c.to->values.at = NEW_ARRAY(struct ir_value *, f->values.n + 1);
    c.to->values.cap = f->values.n + 1;
    for (int k = 0; k < f->values.n; k++) {
        struct ir_value *v = c.to->values.at[k] = NEW(struct ir_value);
        *v = (struct ir_value){ .id = k, .type = f->values.at[k]->type, .name = "" };
    }
    c.to->blocks.at = NEW_ARRAY(struct ir_block *, f->blocks.n + 1);
    c.to->blocks.cap = f->blocks.n + 1;
    for (int k = 0; k < f->blocks.n; k++) {
        assert(f->blocks.at[k]->id == k);
        c.to->blocks.at[k] = NEW(struct ir_block);
    }
    for (int k = 0; k < f->blocks.n; k++)
        copy_block(&c, f->blocks.at[k]);
    return c.to;
}
