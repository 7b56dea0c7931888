/* relax.c: conditional branches that cannot reach.
 *
 * tbz and tbnz reach 32 KiB, cbz, cbnz and b.cond 1 MiB (Arm ARM C6.2). A
 * branch that may have to go further is turned around, over an unconditional
 * one. The distances keep a reserve for what the emitter adds (landing pads).
 */
#include "code/liveness.h"
#include "code/passes.h"

#include <assert.h>

enum { RESERVE = 64, INSN_BYTES = 4 };

static int64_t reach(const struct mach_insn *i)
{
    switch (i->insn) {
    case INSN_tbz_x: case INSN_tbz_w: case INSN_tbnz_x: case INSN_tbnz_w: return 1 << 15;
    case INSN_cbz_x: case INSN_cbz_w: case INSN_cbnz_x: case INSN_cbnz_w:
    case INSN_b_cond: return 1 << 20;
    default: return 1 << 27;
    }
}

static int label_operand(const struct mach_insn *i)
{
    for (int k = 0; insn_is_branch(i) && k < row_of(i)->operand_count; k++)
        if (row_of(i)->op[k].kind == OP_LABEL)
            return k;
    return -1;
}

static int64_t *find_places(const struct mach_func *f)
{
    int64_t *at = NEW_ARRAY(int64_t, f->blocks.n + 1), n = 0;
    for (int k = 0; k < f->blocks.n; k++) {
        at[k] = n;
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            n += INSN_BYTES;
    }
    return at;
}

/* Splits the block behind BRANCH, which then jumps over a far jump. */
static void go_around(struct mach_func *f, struct mach_insn *branch, int operand)
{
    struct mach_block *b = branch->block, *jump = NEW(struct mach_block);
    struct mach_block *rest = f->blocks.at[b->id + 1];
    assert(branch->next == NULL || branch->next->insn == INSN_b);
    jump->loop_depth = b->loop_depth;
    jump->loop = b->loop;
    insn_append(jump, MAKE(INSN_b, op_label(branch->op[operand].label)));
    jump->last->loc = branch->loc;
    bool is_new = branch->next != NULL;
    if (is_new) {
        /* "b.cond far; b next": the other way round already is a jump away. */
        rest = NEW(struct mach_block);
        rest->loop_depth = b->loop_depth;
        rest->loop = b->loop;
        struct mach_insn *other = branch->next;
        insn_remove(other);
        insn_append(rest, other);
    }
    branch_invert(branch);
    branch->op[operand].label = rest;
    vec_push(&f->blocks, NULL);
    if (is_new)
        vec_push(&f->blocks, NULL);
    int shift = is_new ? 2 : 1;
    for (int k = f->blocks.n - 1; k > b->id + shift; k--)
        f->blocks.at[k] = f->blocks.at[k - shift];
    f->blocks.at[b->id + 1] = jump;
    if (is_new)
        f->blocks.at[b->id + 2] = rest;
    blocks_link(f);
}

static bool relax_one(struct mach_func *f)
{
    const int64_t *at = find_places(f);
    for (int k = 0; k < f->blocks.n; k++) {
        int64_t here = at[k];
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            int operand = label_operand(i);
            if (operand >= 0) {
                int64_t distance = at[i->op[operand].label->id] - here;
                if (distance < 0)
                    distance = -distance;
                if (distance + RESERVE > reach(i)) {
                    go_around(f, i, operand);
                    return true;
                }
            }
            here += INSN_BYTES;
        }
    }
    return false;
}

void relax_branches(struct mach_func *f)
{
    bool changed = false;
    while (relax_one(f))
        changed = true;
    if (changed)
        mark_targets(f);
}
