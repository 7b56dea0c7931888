/* pressure.c: counts the registers in use while an order is being made.
 *
 * Takes the dependence graph of a stretch and what is live around it; gives,
 * as nodes are placed one after the other, how many registers of each class
 * are in use and what was the most. Does not: know which registers exist.
 */
#include "code/pressure.h"

#include <assert.h>

/* -- the lives of a stretch -- */

struct finder {
    struct lives l;
    int *present;               /* by vreg id: index of its life now, plus 1; 0: it has none */
};

static int start_life(struct finder *f, const struct vreg *v)
{
    struct life life = { .class = v->class };
    vec_push(&f->l.at, life);
    f->present[v->id] = f->l.at.n;
    return f->l.at.n - 1;
}

static bool is_listed(const struct lives *l, const struct mentions *m, int life)
{
    for (int k = m->first; k < l->list.n; k++)
        if (l->list.at[k] == life)
            return true;
    return false;
}

static void list_mentions(struct finder *f, struct mentions *m, const struct mach_insn *i)
{
    struct reg_list l;
    m->first = f->l.list.n;
    insn_uses(i, &l);
    for (int k = 0; k < l.n; k++) {
        int life = f->present[l.at[k]->id] - 1;
        assert(life >= 0);
        if (is_listed(&f->l, m, life))
            continue;
        vec_push(&f->l.list, life);
        f->l.at.at[life].uses++;
        m->reads++;
    }
    insn_defs(i, &l);
    for (int k = 0; k < l.n; k++) {
        int life = start_life(f, l.at[k]);
        vec_push(&f->l.list, life);
        m->defs++;
    }
}

struct lives lives_of(const struct mach_func *f, const struct depend *d,
                      const struct bitset *before, const struct bitset *after)
{
    struct finder w = { .present = NEW_ARRAY(int, f->vregs.n) };
    w.l.of = NEW_ARRAY(struct mentions, d->n);
    for (int v = bitset_next(before, 0); v >= 0; v = bitset_next(before, v + 1)) {
        start_life(&w, f->vregs.at[v]);
        w.l.before[f->vregs.at[v]->class]++;
    }
    for (int k = 0; k < d->n; k++)
        list_mentions(&w, &w.l.of[k], d->node[k].insn);
    for (int v = bitset_next(after, 0); v >= 0; v = bitset_next(after, v + 1))
        if (w.present[v] != 0)
            w.l.at.at[w.present[v] - 1].outlives = true;
    return w.l;
}

/* -- counting -- */

struct pressure pressure_new(const struct lives *l)
{
    struct pressure p = { .lives = l, .uses_left = NEW_ARRAY(int, l->at.n) };
    pressure_restart(&p);
    return p;
}

void pressure_restart(struct pressure *p)
{
    for (int class = 0; class < CLASS_COUNT; class++)
        p->now[class] = p->peak[class] = p->lives->before[class];
    for (int k = 0; k < p->lives->at.n; k++)
        p->uses_left[k] = p->lives->at.at[k].uses;
}

static bool is_over(const struct pressure *p, int life)
{
    return p->uses_left[life] == 0 && !p->lives->at.at[life].outlives;
}

int pressure_change(const struct pressure *p, int node, enum reg_class class)
{
    const struct mentions *m = &p->lives->of[node];
    int change = 0;
    for (int k = 0; k < m->reads + m->defs; k++) {
        int index = p->lives->list.at[m->first + k];
        const struct life *life = &p->lives->at.at[index];
        if (life->class != class)
            continue;
        if (k >= m->reads)
            change += !is_over(p, index);
        else
            change -= p->uses_left[index] == 1 && !life->outlives;
    }
    return change;
}

void pressure_place(struct pressure *p, int node)
{
    const struct mentions *m = &p->lives->of[node];
    const int *life = &p->lives->list.at[m->first];
    for (int k = 0; k < m->reads; k++) {
        p->uses_left[life[k]]--;
        p->now[p->lives->at.at[life[k]].class] -= is_over(p, life[k]);
    }
    for (int k = m->reads; k < m->reads + m->defs; k++) {
        enum reg_class class = p->lives->at.at[life[k]].class;
        if (++p->now[class] > p->peak[class])
            p->peak[class] = p->now[class];
    }
    for (int k = m->reads; k < m->reads + m->defs; k++)
        p->now[p->lives->at.at[life[k]].class] -= is_over(p, life[k]);
}
