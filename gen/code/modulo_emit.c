/* modulo_emit.c: a pipelined loop as blocks.
 *
 *     prologue   stage 0 of the first iteration; goes on to the kernel if there is
 *                a second one
 *     kernel     stage 1 of an iteration among stage 0 of the next one, which
 *                decides whether yet another one follows
 *     epilogue   stage 1 of the last iteration
 *
 * So no iteration is begun that the loop would not have begun. Without anything
 * in stage 1 the block is only put in order.
 */
#include "code/modulo.h"

static struct mach_insn *copy_of(const struct mach_insn *i)
{
    struct mach_insn *copy = insn_new(i->insn, i->op, row_of(i)->operand_count);
    *copy = *i;
    copy->prev = copy->next = NULL;
    copy->block = NULL;
    return copy;
}

/* Takes a new block from the end of the layout to place TO. */
static void move_last_block(struct mach_func *f, int to)
{
    struct mach_block *b = f->blocks.at[f->blocks.n - 1];
    for (int k = f->blocks.n - 1; k > to; k--)
        f->blocks.at[k] = f->blocks.at[k - 1];
    f->blocks.at[to] = b;
}

static void retarget(struct mach_insn *i, const struct mach_block *from, struct mach_block *to)
{
    for (int k = 0; k < row_of(i)->operand_count; k++)
        if (i->op[k].label == from)
            i->op[k].label = to;
}

static void retarget_block(const struct mach_block *b, const struct mach_block *from,
                           struct mach_block *to)
{
    for (struct mach_insn *i = b->first; i != NULL; i = i->next)
        if (insn_is_branch(i))
            retarget(i, from, to);
}

static struct mach_block *add_block(struct mach_func *f, const struct mach_block *like, int place)
{
    struct mach_block *b = block_new(f);
    b->loop_depth = like->loop_depth;
    b->loop = like->loop;
    move_last_block(f, place);
    return b;
}

/* The block in front of the loop tells how deep prologue and epilogue are. */
static struct mach_block *preheader_of(const struct mach_block *b)
{
    return b->preds.at[b->preds.at[0] == b];
}

static void append_stage(const struct loop_graph *g, const struct kernel *k, struct mach_block *to,
                         bool late)
{
    for (int p = 0; p < g->n; p++)
        if (k->late[k->at[p]] == late)
            insn_append(to, copy_of(g->node[k->at[p]].insn));
}

static void put_in_order(const struct loop_graph *g, const struct kernel *k)
{
    struct mach_insn *jump = g->block->last;
    for (int p = 0; p < g->n; p++) {
        insn_remove(g->node[k->at[p]].insn);
        insn_before(jump, g->node[k->at[p]].insn);
        g->node[k->at[p]].insn->is_late = k->late[k->at[p]];
    }
}

static const struct loop_order *order_of(const struct loop_graph *g, const struct kernel *k)
{
    struct loop_order *o = NEW(struct loop_order);
    *o = (struct loop_order){ k->interval, g->bound, 0 };
    for (int node = 0; node < g->n; node++)
        o->late += k->late[node];
    return o;
}

bool emit_kernel(const struct loop_graph *g, const struct kernel *k)
{
    struct mach_func *f = g->f;
    struct mach_block *kernel = g->block, *before = preheader_of(kernel);
    struct mach_block *behind = kernel->succs.at[kernel->succs.at[0] == kernel];
    put_in_order(g, k);
    kernel->ordered = order_of(g, k);
    if (kernel->ordered->late == 0)
        return false;
    struct mach_block *prologue = add_block(f, before, kernel->id);
    struct mach_block *epilogue = add_block(f, before, kernel->id + 2);
    for (int b = 0; b < f->blocks.n; b++)
        if (f->blocks.at[b] != kernel)
            retarget_block(f->blocks.at[b], kernel, prologue);
    append_stage(g, k, prologue, false);
    insn_append(prologue, copy_of(kernel->last));
    append_stage(g, k, epilogue, true);
    retarget_block(prologue, behind, epilogue);
    retarget_block(kernel, behind, epilogue);
    struct mach_insn *jump = copy_of(kernel->last);
    jump->op[0].label = behind;
    insn_append(epilogue, jump);
    blocks_link(f);
    return true;
}
