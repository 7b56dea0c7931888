/* webs.c: merge copies into webs before anything is reordered.
 *
 * Takes code fresh from selection, where a tied operand names two registers
 * and block parameters are copies. Gives code in two-address form: a tied
 * operand is one register, after a copy where its old value is still needed.
 * Registers joined by a copy become one wherever their lives do not overlap;
 * doing so here lets the scheduler see the order that sharing demands,
 * instead of breaking it and paying with a mov.
 *
 * What a copy is left for is loaded a second time where it was loaded.
 *
 * Holds: no fixed register is merged (allocate.c prefers them instead).
 */
#include "code/liveness.h"

#include <assert.h>
#include <stdlib.h>

/* -- two-address form -- */

static bool dies_at(const struct bitset *live_after, const struct vreg *v)
{
    return !v->is_fixed && !bitset_has(live_after, v->id);
}

static struct vreg *tied_use(const struct mach_operand *op)
{
    return op->tied != NULL ? op->tied : op->reg;
}

/* bsl ties the mask, bit the value for 0, bif the value for 1 (Arm ARM C7.2). */
static void choose_bit_select(struct mach_insn *i, const struct bitset *live_after)
{
    bool full = i->insn == INSN_bsl_16b;
    struct vreg *to = i->op[0].reg, *mask = tied_use(&i->op[0]);
    struct vreg *yes = i->op[1].reg, *no = i->op[2].reg;
    if (dies_at(live_after, mask))
        return;
    if (dies_at(live_after, no)) {
        i->insn = full ? INSN_bit_16b : INSN_bit_8b;
        i->op[0] = op_tied(to, no);
        i->op[2] = op_reg(mask);
    } else if (dies_at(live_after, yes)) {
        i->insn = full ? INSN_bif_16b : INSN_bif_8b;
        i->op[0] = op_tied(to, yes);
        i->op[1] = op_reg(no);
        i->op[2] = op_reg(mask);
    }
}

/* aese and aesd see only state ^ key: the one that dies is tied. */
static void choose_aes_operand(struct mach_insn *i, const struct bitset *live_after)
{
    struct vreg *state = tied_use(&i->op[0]), *key = i->op[1].reg;
    if (dies_at(live_after, state) || !dies_at(live_after, key))
        return;
    i->op[0] = op_tied(i->op[0].reg, key);
    i->op[1] = op_reg(state);
}

static void choose_tied(struct mach_insn *i, const struct bitset *live_after)
{
    if (i->insn == INSN_bsl_16b || i->insn == INSN_bsl_8b)
        choose_bit_select(i, live_after);
    else if (i->insn == INSN_aese || i->insn == INSN_aesd)
        choose_aes_operand(i, live_after);
}

static void untie(struct mach_func *f, struct mach_insn *i)
{
    for (int k = 0; k < row_of(i)->operand_count; k++) {
        struct vreg *use = i->op[k].tied;
        if (use == NULL)
            continue;
        struct mach_insn *copy = copy_new(f, i->op[k].reg, use);
        copy->loc = i->loc;
        insn_before(i, copy);
        i->op[k].tied = NULL;
    }
}

static void make_two_address(struct mach_func *f, const struct liveness *l)
{
    struct bitset live = bitset_new(l->vregs);
    for (int k = 0; k < f->blocks.n; k++) {
        bitset_copy(&live, &l->out[k]);
        for (struct mach_insn *i = f->blocks.at[k]->last, *before; i != NULL; i = before) {
            before = i->prev;
            choose_tied(i, &live);
            liveness_step(&live, i);
            untie(f, i);
        }
    }
}

/* -- merging -- */

struct copy { struct mach_insn *insn; int order; };

static int compare_copies(const void *a, const void *b)
{
    const struct copy *x = a, *y = b;
    int dx = x->insn->block->loop_depth, dy = y->insn->block->loop_depth;
    return dx != dy ? dy - dx : x->order - y->order;
}

static struct vreg *find(struct vreg **into, struct vreg *v)
{
    while (into[v->id] != v)
        v = into[v->id];
    return v;
}

static void merge(struct interference *g, struct vreg **into, struct vreg *keep, struct vreg *gone)
{
    interference_merge(g, keep->id, gone->id);
    into[gone->id] = keep;
    keep->secret |= gone->secret;
    if ((keep->name == NULL || keep->name[0] == '\0') && gone->name != NULL) {
        keep->name = gone->name;
        keep->loc = gone->loc;
    }
    keep->reload = NULL;        /* no longer one definition */
}

static void rename_all(struct mach_func *f, struct vreg **into)
{
    for (int v = 0; v < f->vregs.n; v++)
        into[v] = find(into, into[v]);
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first, *next; i != NULL; i = next) {
            next = i->next;
            insn_rename_all(i, into);
            if (insn_is_copy(i) && i->op[0].reg == i->op[1].reg)
                insn_remove(i);
        }
}

/* An access of this block goes through P: its write-back could be the sum. */
static bool is_base_in_block(const struct mach_block *b, const struct vreg *p)
{
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next) {
        int base = insn_base_operand(i);
        if (base >= 0 && i->op[base].reg == p)
            return true;
    }
    return false;
}

/* No copy, but better with one register: aesmc behind its aese where the core
 * fuses them, and a pointer and its next value where that is written back. */
static bool wants_one_register(const struct mach_func *f, const struct mach_insn *i)
{
    if (i->insn == INSN_aesmc || i->insn == INSN_aesimc)
        return f->core->fuses_aes_pair;
    if (i->insn == INSN_add_x_imm || i->insn == INSN_sub_x_imm)
        return f->core->prefers_post_index && i->op[2].stack == NULL
               && !vreg_is_constant(i->op[1].reg) && !vreg_is_constant(i->op[0].reg)
               && is_base_in_block(i->block, i->op[1].reg);
    return false;
}

struct copy_list { VEC(struct copy) of; };

static bool joins_two(const struct mach_func *f, const struct mach_insn *i)
{
    if (!insn_is_copy(i) && (!wants_one_register(f, i) || i->op[0].reg == i->op[1].reg))
        return false;
    return !i->op[0].reg->is_fixed && !i->op[1].reg->is_fixed;
}

/* What may become one register, innermost loops first. */
static struct copy_list find_copies(const struct mach_func *f)
{
    struct copy_list l = { { 0 } };
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            if (joins_two(f, i)) {
                struct copy c = { i, l.of.n };
                vec_push(&l.of, c);
            }
    sort_array(l.of.at, l.of.n, sizeof *l.of.at, compare_copies);
    return l;
}

static bool merge_copies(struct mach_func *f, const struct copy_list *copies)
{
    struct bitset named = bitset_new(f->vregs.n);
    for (int k = 0; k < copies->of.n; k++) {
        bitset_add(&named, copies->of.at[k].insn->op[0].reg->id);
        bitset_add(&named, copies->of.at[k].insn->op[1].reg->id);
    }
    struct interference *g = interference_among(f, liveness_of(f), &named);
    struct vreg **into = NEW_ARRAY(struct vreg *, f->vregs.n);
    bool merged = false;
    for (int k = 0; k < f->vregs.n; k++)
        into[k] = f->vregs.at[k];
    for (int k = 0; k < copies->of.n; k++) {
        struct vreg *to = find(into, copies->of.at[k].insn->op[0].reg);
        struct vreg *from = find(into, copies->of.at[k].insn->op[1].reg);
        if (to == from || interferes(g, to->id, from->id))
            continue;
        merge(g, into, from, to);
        merged = true;
    }
    rename_all(f, into);
    return merged;
}

static bool merge_round(struct mach_func *f)
{
    make_clobbered(f);
    const struct mem_mark mark = mem_mark();
    const struct copy_list copies = find_copies(f);
    bool merged = copies.of.n > 0 && merge_copies(f, &copies);
    mem_release_to(mark);
    return merged;
}

/* Pure instructions whose result nobody reads (a parameter of a loop that only
 * feeds itself, a copy of it). */
static bool is_removable(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    if (i->insn == INSN_NONE || i->def_count > 0)
        return false;
    if ((row->flags & (IS_STORE | IS_BRANCH | IS_CALL | IS_RETURN | BASE_WRITEBACK)) != 0)
        return false;
    return i->flags_out == NULL && row->operand_count > 0
           && (row->op[0].role == ROLE_DEF || row->op[0].role == ROLE_TIED);
}

static bool remove_dead(struct mach_func *f)
{
    bool removed = false;
    const struct mem_mark mark = mem_mark();
    const struct liveness *l = liveness_of(f);
    struct bitset live = bitset_new(l->vregs);
    for (int k = 0; k < f->blocks.n; k++) {
        bitset_copy(&live, &l->out[k]);
        for (struct mach_insn *i = f->blocks.at[k]->last, *before; i != NULL; i = before) {
            before = i->prev;
            bool dead = is_removable(i);
            struct reg_list defs;
            insn_defs(i, &defs);
            dead &= defs.n > 0;
            for (int d = 0; d < defs.n; d++)
                dead &= !defs.at[d]->is_fixed && !bitset_has(&live, defs.at[d]->id);
            if (dead) {
                insn_remove(i);
                removed = true;
            } else {
                liveness_step(&live, i);
            }
        }
    }
    mem_release_to(mark);
    return removed;
}

/* -- second loads -- */

/* The load in front of the copy, in its block, that gave what is copied, when
 * the target of the copy is not named between the two. */
static struct mach_insn *load_behind(const struct mach_insn *copy)
{
    for (struct mach_insn *i = copy->prev; i != NULL; i = i->prev) {
        struct reg_list defs;
        insn_defs(i, &defs);
        for (int k = 0; k < defs.n; k++)
            if (defs.at[k] == copy->op[1].reg)
                return i->insn == INSN_ldr_q || i->insn == INSN_ldur_q ? i : NULL;
        if (insn_names(i, copy->op[0].reg))
            return NULL;
    }
    return NULL;
}

/* What a loop loads and then needs twice, because an instruction writes over it,
 * is loaded twice: two loads become one ldp with their neighbours, and the
 * vector pipes, which such a loop waits for, have nothing to do with it. */
static void load_instead_of_copies(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first, *next; i != NULL; i = next) {
            next = i->next;
            if (i->block->loop_depth == 0 || !insn_is_copy(i) || i->op[0].reg->is_fixed
                || i->op[0].reg->class != CLASS_VECTOR)
                continue;
            const struct mach_insn *load = load_behind(i);
            if (load == NULL)
                continue;
            struct mach_insn *again = insn_new(load->insn, load->op, row_of(load)->operand_count);
            again->op[0].reg = i->op[0].reg;
            again->mem = load->mem;
            again->mem_count = load->mem_count;
            again->loc = i->loc;
            insn_before(load->next, again);
            insn_remove(i);
        }
}

void merge_webs(struct mach_func *f)
{
    while (remove_dead(f))
        continue;
    make_two_address(f, liveness_of(f));
    for (int rounds = 0; rounds < 4 && merge_round(f); rounds++)
        continue;
    load_instead_of_copies(f);
    blocks_clean(f);
}
