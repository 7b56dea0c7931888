/* share.c: one load for several branches.
 *
 * Takes IR after hoisting: the loops of one chain (a woven loop, its
 * remainders), and the two sides of an `if`, each load the tables they need in
 * front. Equal loads of tables and equal vector constants that are made in
 * several places, none of which dominates the others, are made once, in the
 * block that dominates them all.
 *
 * Holds: no loop gets more values to keep than it has registers. A value lives
 * from the shared place to its uses, through every loop on the way; the ones
 * used most are shared first. Code gets smaller; what runs stays the same, or
 * shrinks, but for the few loads of a branch that is not taken.
 */
#include <stdlib.h>
#include <string.h>

#include "ir/pass.h"

enum { VECTOR_REGISTERS = 32, RESERVE = 1 };

struct group { struct ir_inst **at; int n, order; struct ir_block *top; };

struct sharing {
    struct ir_func *f;
    struct flow flow;
    VEC(struct group) groups;
    uint8_t **reaches;          /* [from][to], by block id */
    int *peak;                  /* vectors alive at the worst place of a loop, by its header's id */
};

static bool can_be_shared(const struct ir_inst *i)
{
    if (!type_is_vector(i->type))
        return false;
    return i->op == IR_const || (i->op == IR_load && i->mem.object &&
                                 i->mem.object->kind == OBJECT_TABLE &&
                                 i->args[0]->def && i->args[0]->def->op == IR_table);
}

static bool are_equal(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a->op != b->op || a->type != b->type)
        return false;
    if (a->op == IR_const)
        return a->value[0] == b->value[0] && a->value[1] == b->value[1];
    return a->mem.type == b->mem.type && a->imm + a->args[0]->def->imm == b->imm + b->args[0]->def->imm;
}

static void add_to_group(struct sharing *s, struct ir_inst *i)
{
    for (int k = 0; k < s->groups.n; k++) {
        struct group *g = &s->groups.at[k];
        if (!are_equal(g->at[0], i))
            continue;
        g->at = mem_grow(g->at, sizeof *g->at * (size_t)g->n, sizeof *g->at * (size_t)(g->n + 1));
        g->at[g->n++] = i;
        g->top = ir_common_dominator(&s->flow, g->top, i->block);
        return;
    }
    struct group *g = vec_add(&s->groups);
    *g = (struct group){ .at = NEW_ARRAY(struct ir_inst *, 1), .n = 1, .order = s->groups.n,
                        .top = i->block };
    g->at[0] = i;
}

static void find_groups(struct sharing *s)
{
    for (int k = 0; k < s->flow.n; k++)
        for (struct ir_inst *i = s->flow.order[k]->first; i; i = i->next)
            if (can_be_shared(i) && s->flow.order[k]->loop_depth == 0)
                add_to_group(s, i);
}

/* -- what it costs the loops on the way -- */

static void find_reach(struct sharing *s)
{
    int n = s->flow.n;

    s->reaches = NEW_ARRAY(uint8_t *, n);
    for (int k = 0; k < n; k++)
        s->reaches[k] = NEW_ARRAY(uint8_t, n);
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = n - 1; k >= 0; k--) {
            const struct ir_block *b = s->flow.order[k];
            uint8_t *own = s->reaches[b->id];
            for (int e = 0; e < ir_edge_count(b); e++) {
                const struct ir_block *to = b->edge[e].to;
                for (int x = 0; x < n; x++) {
                    uint8_t now = own[x] | s->reaches[to->id][x] | (x == to->id);
                    changed |= now != own[x];
                    own[x] = now;
                }
            }
        }
    }
}

static void find_peaks(struct sharing *s)
{
    struct liveness l = ir_liveness(s->f);
    uint8_t *none = NEW_ARRAY(uint8_t, s->f->values.n + 1);

    s->peak = NEW_ARRAY(int, s->flow.n);
    for (int k = 0; k < s->flow.n; k++) {
        struct pressure here = { 0, 0 };
        const struct ir_block *b = s->flow.order[k];
        if (!b->loop)
            continue;
        ir_peak_pressure(s->f, &l, b, none, &here);
        for (const struct ir_block *h = b->loop; h; h = s->flow.outer[h->id])
            if (here.vectors > s->peak[h->id])
                s->peak[h->id] = here.vectors;
    }
}

/* Would the shared value live through the loop of HEADER, which it does not now? */
static bool is_new_in(const struct sharing *s, const struct group *g, const struct ir_block *header)
{
    bool on_the_way = false;

    if (header->loop != header || !ir_dominates(&s->flow, g->top, header))
        return false;
    for (int k = 0; k < g->n; k++) {
        if (ir_dominates(&s->flow, g->at[k]->block, header))
            return false;
        on_the_way |= s->reaches[header->id][g->at[k]->block->id];
    }
    return on_the_way;
}

static bool fits(struct sharing *s, const struct group *g)
{
    for (int k = 0; k < s->flow.n; k++)
        if (is_new_in(s, g, s->flow.order[k]) &&
            s->peak[s->flow.order[k]->id] + RESERVE >= VECTOR_REGISTERS)
            return false;
    for (int k = 0; k < s->flow.n; k++)
        s->peak[s->flow.order[k]->id] += is_new_in(s, g, s->flow.order[k]);
    return true;
}

/* -- sharing -- */

static struct ir_inst *first_of_group_in(const struct group *g, const struct ir_block *b)
{
    for (struct ir_inst *i = b->first; i; i = i->next)
        for (int k = 0; k < g->n; k++)
            if (g->at[k] == i)
                return i;
    return NULL;
}

static void place(struct sharing *s, const struct group *g)
{
    struct ir_inst *keep = first_of_group_in(g, g->top);

    if (!keep) {
        keep = g->at[0];
        ir_unlink(keep);
        if (keep->op == IR_load) {
            struct ir_inst *table = ir_new_inst(s->f, IR_table, TYPE_ADDR, 0, keep->loc);
            table->imm = keep->args[0]->def->imm;
            table->result[0]->name = keep->args[0]->name;
            ir_append(g->top, table);
            keep->args[0] = table->result[0];
        }
        ir_append(g->top, keep);
    }
    for (int k = 0; k < g->n; k++)
        if (g->at[k] != keep)
            ir_replace(g->at[k]->result[0], keep->result[0]);
}

static int larger_first(const void *x, const void *y)
{
    const struct group *a = x, *b = y;
    return a->n != b->n ? b->n - a->n : a->order - b->order;
}

void ir_share(struct ir_func *f)
{
    struct sharing s = { .f = f, .flow = ir_flow(f) };

    find_groups(&s);
    sort_array(s.groups.at, s.groups.n, sizeof *s.groups.at, larger_first);
    if (s.groups.n == 0 || s.groups.at[0].n < 2)
        return;
    find_reach(&s);
    find_peaks(&s);
    for (int k = 0; k < s.groups.n && s.groups.at[k].n > 1; k++)
        if (s.groups.at[k].top->loop_depth == 0 && fits(&s, &s.groups.at[k]))
            place(&s, &s.groups.at[k]);
    ir_settle(f);
    (void)ir_remove_dead(f);
}
