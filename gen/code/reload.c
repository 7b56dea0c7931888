/* reload.c: make a value again instead of keeping it.
 *
 * A constant, or a load of a table or of an input that the function never
 * writes, whose address is still at hand, may be repeated before its uses.
 * This is no spill: nothing is stored. Done when colouring failed, for the
 * cheapest value that is alive at the peak but not used there, before every use;
 * and for values that only pass through a loop whose order would need more
 * registers, once in each block that uses them.
 */
#include <assert.h>

#include "code/liveness.h"
#include "code/passes.h"

struct candidate { struct vreg *reg; struct mach_insn *def; int defs, cost; bool used_here; };

static int loop_weight(const struct mach_insn *i)
{
    int w = 1;
    for (int d = 0; d < i->block->loop_depth && d < 4; d++)
        w *= 10;
    return w;
}

static void survey(struct mach_func *f, struct candidate *c, const struct mach_insn *where)
{
    struct reg_list l;
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            insn_defs(i, &l);
            for (int j = 0; j < l.n; j++) {
                c[l.at[j]->id].defs++;
                c[l.at[j]->id].def = i;
            }
            insn_uses(i, &l);
            for (int j = 0; j < l.n; j++) {
                c[l.at[j]->id].cost += loop_weight(i);
                c[l.at[j]->id].used_here |= i == where;
            }
        }
}

/* Does nothing in this function write what the load reads? */
static bool memory_stays(const struct mach_func *f, const struct object *o)
{
    if (o == NULL)
        return false;
    if (o->kind == OBJECT_TABLE)
        return true;
    if (o->kind != OBJECT_PARAM || o->direction != DIR_IN)
        return false;
    for (int k = 0; k < f->func->objects.n; k++) {
        const struct object *other = f->func->objects.at[k];
        if (other->kind == OBJECT_PARAM && other->direction != DIR_IN
            && objects_may_be_same(f->func, o, other))
            return false;
    }
    return true;
}

/* An address that is the same wherever it is alive: one definition, or the
 * pair adrp, add that forms the tables' address in the entry block. */
static bool address_stays(const struct candidate *c, const struct vreg *base)
{
    const struct candidate *b = &c[base->id];
    return !base->is_fixed
           && (b->defs == 1 || (b->def != NULL && b->def->insn == INSN_add_x_lo12));
}

static bool is_constant(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    return row->timing_class == TIME_V_MOVE_IMM
           || (row->timing_class == TIME_MOVE_IMM && row->op[0].role == ROLE_DEF);
}

/* A load of two, as a load of one of them. */
static const struct { enum insn two, one, unscaled; } single_rows[] = {
    { INSN_ldp_q, INSN_ldr_q, INSN_ldur_q }, { INSN_ldp_d, INSN_ldr_d, INSN_ldur_d },
    { INSN_ldp_x, INSN_ldr_x, INSN_ldur_x }, { INSN_ldp_w, INSN_ldr_w, INSN_ldur_w },
};

/* The part of DEF that defines V, as an instruction of its own with target TO; NULL
 * when no single load reaches it. */
static struct mach_insn *make_again(const struct mach_insn *def, const struct vreg *v,
                                    struct vreg *to)
{
    struct mach_insn *again = NULL;
    int which = 0;
    for (int k = 0; k < COUNT(single_rows); k++) {
        if (def->insn != single_rows[k].two)
            continue;
        which = def->op[1].reg == v;
        int64_t offset = def->op[3].imm + which * row_of(def)->access / 2;
        bool scaled = imm_fits((enum imm_range)insns[single_rows[k].one].op[2].range, offset);
        if (!scaled && !imm_fits(RANGE_S9, offset))
            return NULL;
        again = MAKE(scaled ? single_rows[k].one : single_rows[k].unscaled, op_reg(to),
                     def->op[2], op_imm(offset));
    }
    if (again == NULL) {
        again = insn_new(def->insn, def->op, row_of(def)->operand_count);
        again->op[0].reg = to;
    }
    again->mem = def->mem;
    again->mem.disp += which * type_bytes(def->mem.type);
    again->mem_count = def->mem_count > 0 ? 1 : 0;
    again->loc = def->loc;
    return again;
}

static bool is_plain_load(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    int base = insn_base_operand(i);
    return (row->flags & IS_LOAD) != 0 && (row->flags & (BASE_WRITEBACK | REGISTER_RUN)) == 0
           && base >= 1 && row->op[0].role == ROLE_DEF && row->op[base + 1].kind == OP_IMM;
}

static bool can_repeat(const struct mach_func *f, const struct candidate *all,
                       const struct candidate *c)
{
    if (c->defs != 1 || c->reg->is_fixed || c->used_here)
        return false;
    const struct mach_insn *i = c->def;
    if (is_constant(i))
        return true;
    return c->reg->reload != NULL && is_plain_load(i) && memory_stays(f, i->mem.object)
           && address_stays(all, i->op[insn_base_operand(i)].reg)
           && make_again(i, c->reg, c->reg) != NULL;
}

/* Takes V out of what DEF defines. */
static void drop_definition(struct mach_insn *def, const struct vreg *v)
{
    for (int k = 0; k < COUNT(single_rows); k++)
        if (def->insn == single_rows[k].two) {
            struct vreg *other = def->op[def->op[0].reg == v].reg;
            struct mach_insn *rest = make_again(def, other, other);
            if (rest == NULL)
                return;         /* the pair stays; V's half is dead */
            insn_before(def, rest);
        }
    insn_remove(def);
}

enum sharing { ONCE_A_USE, ONCE_A_BLOCK };

static void repeat_before_uses(struct mach_func *f, struct vreg *v, struct mach_insn *def,
                               enum sharing sharing)
{
    for (int k = 0; k < f->blocks.n; k++) {
        struct vreg *new = NULL;
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            if (!insn_reads(i, v))
                continue;
            if (new == NULL || sharing == ONCE_A_USE) {
                new = vreg_like(f, v);
                insn_before(i, make_again(def, v, new));
                f->reload_count++;
            }
            insn_rename_uses(i, v, new);
        }
    }
    drop_definition(def, v);
}

static struct candidate *candidates(struct mach_func *f, const struct mach_insn *where)
{
    struct candidate *all = NEW_ARRAY(struct candidate, f->vregs.n);
    for (int k = 0; k < f->vregs.n; k++)
        all[k].reg = f->vregs.at[k];
    survey(f, all, where);
    return all;
}

bool reload_one(struct mach_func *f, enum reg_class class, struct mach_insn *where)
{
    const struct liveness *l = liveness_of(f);
    struct bitset live = bitset_new(l->vregs);
    struct candidate *all = candidates(f, where), *best = NULL;
    bitset_copy(&live, &l->out[where->block->id]);
    for (struct mach_insn *i = where->block->last; i != where; i = i->prev)
        liveness_step(&live, i);
    for (int v = bitset_next(&live, 0); v >= 0; v = bitset_next(&live, v + 1)) {
        struct candidate *c = &all[v];
        if (c->reg->class == class && can_repeat(f, all, c)
            && (best == NULL || c->cost < best->cost))
            best = c;
    }
    if (best == NULL)
        return false;
    repeat_before_uses(f, best->reg, best->def, ONCE_A_USE);
    return true;
}

/* Does V pass through the loop LOOP (one block) without being used there? */
static bool only_passes(const struct liveness *l, const struct mach_block *loop,
                        const struct vreg *v)
{
    if (v->id >= l->vregs || !bitset_has(&l->in[loop->id], v->id)
        || !bitset_has(&l->out[loop->id], v->id))
        return false;
    for (const struct mach_insn *i = loop->first; i != NULL; i = i->next)
        if (insn_reads(i, v))
            return false;
    return true;
}

bool reload_around(struct mach_func *f, enum reg_class class, const struct mach_block *loop)
{
    const struct liveness *l = liveness_of(f);
    struct candidate *all = candidates(f, NULL), *best = NULL;
    for (int v = 0; v < l->vregs; v++) {
        struct candidate *c = &all[v];
        if (c->reg->class == class && c->def != NULL && only_passes(l, loop, c->reg)
            && can_repeat(f, all, c) && (best == NULL || c->cost < best->cost))
            best = c;
    }
    if (best == NULL)
        return false;
    repeat_before_uses(f, best->reg, best->def, ONCE_A_BLOCK);
    return true;
}
