/* carry_aes.c: loops that carry two halves of an AES state instead of their XOR.
 *
 * aese(x ^ k, 0) = aese(x, k), and either operand may die (docs/design.md 2.1).
 * Inside a block fold_vector.c uses that. Here it goes round a loop: where a
 * parameter of the header goes into an `aese` or `aesd` with a key of zeros, and
 * the next iteration's value is an XOR x ^ k that nothing else in the loop
 * reads, x and k are carried, and the XOR is taken at the top of the loop, for
 * its other uses. So no copy of the state is needed that the instruction may
 * destroy, and the number of XORs stays what it was.
 *
 * The XOR that the exit of the loop expects moves to a block on that edge.
 * Does not: look at keys other than zeros, at loops with several back edges, or
 * at loops that do one step an iteration.
 */
#include <assert.h>

#include "ir/pass.h"

struct aes_steps { VEC(const struct ir_inst *) at; };

struct carried {
    struct ir_func *f;
    const struct aes_steps *steps;      /* all of the function */
    struct ir_block *header, *latch;
    int back;                           /* which edge of the latch goes round */
    struct ir_edge *out;                /* the edge that leaves the loop there, or NULL */
    struct ir_block *exit;              /* entered by that edge only; may have to be made */
    int *uses;                          /* by value id, before anything was changed … */
    int *later_uses;                    /* … and in blocks that the exit dominates */
};

/* The only edge from inside the loop to its header; false when there are more. */
static bool find_latch(struct carried *c, const struct flow *w)
{
    int found = 0;
    for (int p = 0; p < c->header->preds.n; p++) {
        struct ir_block *from = c->header->preds.at[p];
        for (int e = 0; e < ir_edge_count(from) && ir_in_loop(w, from, c->header); e++)
            if (from->edge[e].to == c->header) {
                c->latch = from;
                c->back = e;
                c->out = from->term == IR_BRANCH ? &from->edge[!e] : NULL;
                found++;
            }
    }
    return found == 1;
}

/* Does V go into an AES step, with any key or only with one of zeros? */
static bool enters_aes(const struct aes_steps *steps, const struct ir_value *v, bool is_any_key)
{
    for (int k = 0; k < steps->at.n; k++)
        for (int a = 0; a < 2; a++) {
            const struct ir_inst *i = steps->at.at[k];
            if (i->args[a] == v && (is_any_key || ir_is_zeros(i->args[!a])))
                return true;
        }
    return false;
}

static struct aes_steps find_steps(const struct ir_func *f)
{
    struct aes_steps steps = { { 0 } };
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next)
            if (ir_is_aes_step(i))
                vec_push(&steps.at, i);
    return steps;
}

/* Does the body do more than one AES step for each parameter? Where it does one,
 * each half would go on to another register, and moves would outnumber the
 * copies that are saved. */
static bool is_unrolled(const struct carried *c, const struct flow *w)
{
    int steps = 0, carried = 0;
    for (int k = 0; k < c->steps->at.n; k++)
        steps += ir_in_loop(w, c->steps->at.at[k]->block, c->header);
    for (int k = 0; k < c->header->param_count; k++)
        carried += enters_aes(c->steps, c->header->params[k], true);
    return steps > carried;
}

static int uses_on_edge(const struct ir_edge *e, const struct ir_value *v)
{
    int n = 0;
    for (int k = 0; k < e->to->param_count; k++)
        n += e->args[k] == v;
    return n;
}

/* What the latch passes for parameter K when it may be carried in halves: an
 * XOR that is read by the edges of the latch, behind the loop, and nowhere else. */
static struct ir_inst *halves(const struct carried *c, int k)
{
    struct ir_value *next = c->latch->edge[c->back].args[k];
    if (!next->def || next->def->op != IR_xor || next->type != c->header->params[k]->type)
        return NULL;
    int going_round = uses_on_edge(&c->latch->edge[c->back], next);
    int going_out = (c->out ? uses_on_edge(c->out, next) : 0) + c->later_uses[next->id];
    return going_round == 1 && going_round + going_out == c->uses[next->id] ? next->def : NULL;
}

static void add_argument(struct ir_edge *e, struct ir_value *v)
{
    const size_t n = (size_t)e->to->param_count - 1;    /* the parameter is there already */
    e->args = mem_grow(e->args, sizeof(struct ir_value *) * n, sizeof(struct ir_value *) * (n + 1));
    e->args[n] = v;
}

static struct ir_value *zeros_at_end(struct ir_func *f, struct ir_block *b, enum value_type type)
{
    struct ir_inst *i = ir_new_inst(f, IR_const, type, 0, b->loc);
    ir_append(b, i);
    return i->result[0];
}

/* One half: its parameter, set to FIRST (zeros when NULL) from outside. */
static struct ir_value *carry_half(struct carried *c, int k, bool is_first, struct ir_value *next)
{
    enum value_type type = c->header->params[k]->type;
    struct ir_value *half = ir_add_param(c->f, c->header, type);
    for (int p = 0; p < c->header->preds.n; p++) {
        struct ir_block *from = c->header->preds.at[p];
        for (int e = 0; e < ir_edge_count(from); e++) {
            if (from->edge[e].to != c->header)
                continue;
            bool goes_round = from == c->latch && e == c->back;
            add_argument(&from->edge[e], goes_round ? next
                                         : is_first ? from->edge[e].args[k]
                                                    : zeros_at_end(c->f, from, type));
        }
    }
    return half;
}

/* Puts a block on the edge that leaves the loop, for which others enter its target. */
static void make_exit_block(struct carried *c)
{
    struct ir_block *b = ir_new_block(c->f);
    b->term = IR_JUMP;
    b->edge[0] = *c->out;
    b->loc = c->latch->loc;
    *c->out = (struct ir_edge){ .to = b };
    c->out = &b->edge[0];
    ir_place_block(c->f, b);
    for (int k = c->f->blocks.n - 1; k > 0 && c->f->blocks.at[k - 1] != c->latch; k--) {
        c->f->blocks.at[k] = c->f->blocks.at[k - 1];
        c->f->blocks.at[k - 1] = b;
    }
    c->exit = b;
}

static struct ir_inst *xor_of(struct ir_func *f, const struct ir_inst *model, struct ir_value *x,
                              struct ir_value *k)
{
    struct ir_inst *i = ir_new_inst(f, IR_xor, model->type, 2, model->loc);
    i->args[0] = x;
    i->args[1] = k;
    i->algebra = model->algebra;
    return i;
}

/* The XOR goes out of the loop: nothing there reads it any more. */
static void move_out(struct carried *c, struct ir_inst *next)
{
    ir_unlink(next);
    if (!c->out || uses_on_edge(c->out, next->result[0]) + c->later_uses[next->result[0]->id] == 0)
        return;
    if (!c->exit)
        make_exit_block(c);
    if (c->exit->first)
        ir_insert_before(c->exit->first, next);
    else
        ir_append(c->exit, next);
}

static void carry(struct carried *c, int k, struct ir_inst *next)
{
    struct ir_value *x = carry_half(c, k, true, next->args[0]);
    struct ir_value *y = carry_half(c, k, false, next->args[1]);
    struct ir_inst *whole = xor_of(c->f, next, x, y);
    if (c->header->first)
        ir_insert_before(c->header->first, whole);
    else
        ir_append(c->header, whole);
    c->latch->edge[c->back].args[k] = whole->result[0];     /* nobody reads that parameter now */
    ir_replace(c->header->params[k], whole->result[0]);
    move_out(c, next);
}

static bool carry_in_loop(struct carried *c)
{
    bool changed = false;
    const int params = c->header->param_count;          /* halves are added behind */
    for (int k = 0; k < params; k++) {
        struct ir_inst *next = halves(c, k);
        if (!next || !enters_aes(c->steps, c->header->params[k], false))
            continue;
        carry(c, k, next);
        changed = true;
    }
    return changed;
}

/* The block behind the loop when no other edge enters it, and the uses of each
 * value in what it dominates. */
static void find_exit(struct carried *c, const struct flow *w)
{
    c->later_uses = NEW_ARRAY(int, c->f->values.n + 1);
    if (!c->out || c->out->to->preds.n != 1 || c->out->to->param_count != 0)
        return;
    c->exit = c->out->to;
    for (int k = 0; k < c->f->blocks.n; k++)
        if (ir_dominates(w, c->exit, c->f->blocks.at[k]))
            ir_count_block_uses(c->f->blocks.at[k], c->later_uses);
}

void ir_carry_aes(struct ir_func *f)
{
    const struct aes_steps steps = find_steps(f);
    if (steps.at.n == 0)
        return;
    struct flow w = ir_flow(f);
    for (int k = 0; k < w.n; k++) {
        struct carried c = { .f = f, .steps = &steps, .header = w.order[k] };
        if (c.header->loop != c.header || !find_latch(&c, &w) || !is_unrolled(&c, &w))
            continue;
        c.uses = ir_use_counts(f);
        find_exit(&c, &w);
        if (!carry_in_loop(&c))
            continue;
        ir_settle(f);
        w = ir_flow(f);
        k = -1;             /* what was carried in halves is no XOR any more: this ends */
    }
}
