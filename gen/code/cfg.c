/* cfg.c: blocks in a good order, without jumps that do nothing.
 *
 * blocks_clean() works on blocks with explicit jumps: it retargets jumps to
 * jumps, drops what cannot be reached, joins a block with its only successor,
 * and puts blocks made for an edge behind the block the edge leaves.
 * blocks_finish() is last: it removes jumps to the next block, turning
 * conditions around where that helps. Holds: the entry block stays first.
 */
#include "code/passes.h"

#include <assert.h>

static struct mach_insn *label_branch(struct mach_insn *i, int *operand)
{
    const struct insn_row *row = row_of(i);
    for (int k = 0; insn_is_branch(i) && k < row->operand_count; k++)
        if (row->op[k].kind == OP_LABEL) {
            *operand = k;
            return i;
        }
    return NULL;
}

static bool only_jumps(const struct mach_block *b)
{
    return b->first != NULL && b->first == b->last && b->first->insn == INSN_b;
}

/* Where control ends up that goes to B. */
static struct mach_block *final_target(struct mach_block *b, int blocks)
{
    for (int steps = 0; only_jumps(b) && steps <= blocks; steps++)
        b = b->first->op[0].label;
    return b;
}

static void thread_jumps(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++) {
        struct mach_block *b = f->blocks.at[k];
        if (b->loop != NULL)
            b->loop = final_target(b->loop, f->blocks.n);
        for (struct mach_insn *i = b->first; i != NULL; i = i->next) {
            int operand;
            if (label_branch(i, &operand) != NULL)
                i->op[operand].label = final_target(i->op[operand].label, f->blocks.n);
        }
        /* A condition that decides nothing. */
        struct mach_insn *last = b->last, *cond = last != NULL ? last->prev : NULL;
        int operand;
        if (cond != NULL && last->insn == INSN_b && label_branch(cond, &operand) != NULL
            && cond->op[operand].label == last->op[0].label)
            insn_remove(cond);
    }
}

static void mark_reached(struct mach_block *b, bool *reached)
{
    if (reached[b->id])
        return;
    reached[b->id] = true;
    for (int k = 0; k < b->succs.n; k++)
        mark_reached(b->succs.at[k], reached);
}

static void drop_unreached(struct mach_func *f)
{
    blocks_link(f);
    bool *reached = NEW_ARRAY(bool, f->blocks.n);
    mark_reached(f->blocks.at[0], reached);
    int kept = 0;
    for (int k = 0; k < f->blocks.n; k++)
        if (reached[k])
            f->blocks.at[kept++] = f->blocks.at[k];
    f->blocks.n = kept;
    blocks_link(f);
}

/* Appends what follows B when B is its only way in. */
static bool join_successor(struct mach_func *f, struct mach_block *b)
{
    if (b->last == NULL || b->last->insn != INSN_b)
        return false;
    struct mach_block *s = b->last->op[0].label;
    if (b->succs.n != 1 || s->preds.n != 1 || s == b || s == f->blocks.at[0])
        return false;
    insn_remove(b->last);
    for (struct mach_insn *i = s->first, *next; i != NULL; i = next) {
        next = i->next;
        insn_append(b, i);
    }
    s->first = s->last = NULL;
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->loop == s)
            f->blocks.at[k]->loop = b;
    int at = 0;
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k] != s)
            f->blocks.at[at++] = f->blocks.at[k];
    f->blocks.n = at;
    blocks_link(f);
    return true;
}

static void move_block(struct mach_func *f, int from, int to)
{
    struct mach_block *b = f->blocks.at[from];
    for (int k = from; k > to; k--)
        f->blocks.at[k] = f->blocks.at[k - 1];
    f->blocks.at[to] = b;
    blocks_link(f);
}

/* Blocks made for edges stand at the end. One on the way back to a loop's head
 * goes in front of the head, where it falls through; any other one behind the block
 * that it comes from. */
static void place_edge_blocks(struct mach_func *f)
{
    for (int k = 1; k < f->blocks.n; k++) {
        const struct mach_block *b = f->blocks.at[k];
        if (b->preds.n != 1 || b->succs.n != 1 || b->preds.at[0]->id >= b->id)
            continue;
        int from = b->preds.at[0]->id, to = b->succs.at[0]->id;
        if (to > b->id || to == 0)
            continue;
        if (to <= from)
            move_block(f, k, to);
        else if (from + 1 < k)
            move_block(f, k, from + 1);
    }
}

void blocks_clean(struct mach_func *f)
{
    thread_jumps(f);
    drop_unreached(f);
    for (int k = 0; k < f->blocks.n; k++)
        while (join_successor(f, f->blocks.at[k]))
            k = f->blocks.at[k]->id;
    place_edge_blocks(f);
}

/* -- the final layout -- */

bool branch_invert(struct mach_insn *i)
{
    static const enum insn pairs[][2] = {
        { INSN_cbz_x, INSN_cbnz_x }, { INSN_cbz_w, INSN_cbnz_w },
        { INSN_tbz_x, INSN_tbnz_x }, { INSN_tbz_w, INSN_tbnz_w },
    };
    if (i->insn == INSN_b_cond) {
        i->op[0].imm = cond_negate((enum cond)i->op[0].imm);
        return true;
    }
    for (int k = 0; k < COUNT(pairs); k++)
        for (int way = 0; way < 2; way++)
            if (i->insn == pairs[k][way]) {
                i->insn = pairs[k][1 - way];
                return true;
            }
    return false;
}

static void shorten(struct mach_block *b, const struct mach_block *next)
{
    struct mach_insn *last = b->last;
    if (last == NULL || last->insn != INSN_b)
        return;
    int operand;
    struct mach_insn *cond = last->prev != NULL ? label_branch(last->prev, &operand) : NULL;
    if (last->op[0].label != next && cond != NULL && cond->op[operand].label == next
        && branch_invert(cond)) {
        cond->op[operand].label = last->op[0].label;
        last->op[0].label = (struct mach_block *)next;
    }
    if (last->op[0].label == next)
        insn_remove(last);
}

void mark_targets(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        f->blocks.at[k]->is_target = false;
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            int operand;
            if (label_branch(i, &operand) != NULL)
                i->op[operand].label->is_target = true;
        }
}

void blocks_finish(struct mach_func *f)
{
    for (int k = 0; k + 1 < f->blocks.n; k++)
        shorten(f->blocks.at[k], f->blocks.at[k + 1]);
    blocks_link(f);
    mark_targets(f);
}
