/* post_index.c: a pointer's update joins one of its accesses.
 *
 * `add p, p, #n` disappears when an earlier access of the block goes through p
 * at offset 0: that one writes back p + n, and accesses between it and the
 * place of the add reach back by n. The first such access is taken, so that
 * the value needed first is not the last one loaded.
 * Does not: touch a pointer that is used for anything else in between.
 */
#include <assert.h>

#include "code/liveness.h"
#include "code/passes.h"

struct post_row { enum insn plain, unscaled, post; };

#define ONE(m, um, s) { INSN_##m##_##s, INSN_##um##_##s, INSN_##m##_##s##_post }
#define TWO(m, s) { INSN_##m##_##s, INSN_NONE, INSN_##m##_##s##_post }

static const struct post_row post_rows[] = {
    ONE(ldr, ldur, x), ONE(ldr, ldur, w), ONE(ldrb, ldurb, w), ONE(ldrh, ldurh, w),
    ONE(ldr, ldur, d), ONE(ldr, ldur, q), ONE(str, stur, x), ONE(str, stur, w),
    ONE(strb, sturb, w), ONE(strh, sturh, w), ONE(str, stur, d), ONE(str, stur, q),
    TWO(ldp, x), TWO(ldp, w), TWO(ldp, d), TWO(ldp, q),
    TWO(stp, x), TWO(stp, w), TWO(stp, d), TWO(stp, q),
};

static const struct post_row *row_for(const struct mach_insn *i)
{
    for (int k = 0; k < COUNT(post_rows); k++)
        if (i->insn == post_rows[k].plain
            || (post_rows[k].unscaled != INSN_NONE && i->insn == post_rows[k].unscaled))
            return &post_rows[k];
    return NULL;
}

/* p += *amount; NULL when I is something else. */
static struct vreg *pointer_update(const struct mach_insn *i, int64_t *amount)
{
    if ((i->insn != INSN_add_x_imm && i->insn != INSN_sub_x_imm) || i->op[0].reg != i->op[1].reg
        || i->op[0].reg->is_fixed || i->op[2].stack != NULL)
        return NULL;
    *amount = i->insn == INSN_add_x_imm ? i->op[2].imm : -i->op[2].imm;
    return i->op[0].reg;
}

/* Is P only the base of this access, with a constant offset? */
static bool is_plain_access(const struct mach_insn *i, const struct vreg *p)
{
    const struct post_row *r = row_for(i);
    if (r == NULL)
        return false;
    int base = insn_base_operand(i);
    if (base < 0 || i->op[base].reg != p || i->op[base + 1].stack != NULL)
        return false;
    for (int k = 0; k < base; k++)
        if (i->op[k].reg == p)
            return false;
    return true;
}

static int64_t offset_of(const struct mach_insn *i) { return i->op[insn_base_operand(i) + 1].imm; }

/* The row that reaches OFFSET, of the same access; INSN_NONE when none does. */
static enum insn row_reaching(const struct mach_insn *i, int64_t offset)
{
    const struct post_row *r = row_for(i);
    int at = insn_base_operand(i) + 1;
    if (imm_fits((enum imm_range)insns[r->plain].op[at].range, offset))
        return r->plain;
    if (r->unscaled != INSN_NONE && imm_fits(RANGE_S9, offset))
        return r->unscaled;
    return INSN_NONE;
}

static bool can_write_back(const struct mach_insn *i, int64_t amount)
{
    int at = insn_base_operand(i) + 1;
    return offset_of(i) == 0
           && imm_fits((enum imm_range)insns[row_for(i)->post].op[at].range, amount);
}

/* The access that takes the update, or NULL: the first of those before UPDATE
 * that lets everything between follow. */
static struct mach_insn *find_access(struct mach_insn *update, const struct vreg *p, int64_t amount)
{
    struct mach_insn *found = NULL;
    for (struct mach_insn *i = update->prev; i != NULL; i = i->prev) {
        if (!insn_names(i, p))
            continue;
        if (!is_plain_access(i, p))
            break;
        if (can_write_back(i, amount))
            found = i;
        if (row_reaching(i, offset_of(i) - amount) == INSN_NONE)
            break;
    }
    return found;
}

static void fold(struct mach_insn *update, struct mach_insn *access, const struct vreg *p,
                 int64_t amount)
{
    int base = insn_base_operand(access);
    access->insn = row_for(access)->post;
    access->op[base + 1].imm = amount;
    for (struct mach_insn *i = access->next; i != update; i = i->next) {
        if (!insn_names(i, p))
            continue;
        int64_t offset = offset_of(i) - amount;
        i->insn = row_reaching(i, offset);
        assert(i->insn != INSN_NONE);
        i->op[insn_base_operand(i) + 1].imm = offset;
    }
    insn_remove(update);
}

void fold_pointer_updates(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first, *next; i != NULL; i = next) {
            int64_t amount;
            next = i->next;
            struct vreg *p = pointer_update(i, &amount);
            struct mach_insn *access = p != NULL ? find_access(i, p, amount) : NULL;
            if (access != NULL)
                fold(i, access, p, amount);
        }
}
