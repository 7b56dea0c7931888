/* runs.c: registers that an instruction wants consecutive (ld1/st1 lists, tbl).
 *
 * Gives every register at most one run. An instruction whose registers already
 * stand side by side in one run (as for a second tbl of the same table) adds
 * nothing; otherwise those that are in another run, or twice in this one, or
 * fixed, are replaced by copies.
 */
#include <assert.h>

#include "code/liveness.h"
#include "code/passes.h"

static int index_in(const struct run *r, const struct vreg *v)
{
    for (int k = 0; k < r->n; k++)
        if (r->at[k] == v)
            return k;
    return -1;
}

/* The run of V; registers made since the table was, are in none. */
static int run_of(const struct runs *runs, const struct vreg *v, int known)
{
    return v->id < known ? runs->run_of[v->id] : -1;
}

static bool already_holds(const struct runs *runs, struct vreg *const *v, int n, int known)
{
    int r = run_of(runs, v[0], known);
    if (r < 0)
        return false;
    const struct run *run = &runs->of.at[r];
    int at = index_in(run, v[0]);
    for (int k = 1; k < n; k++)
        if (at + k >= run->n || run->at[at + k] != v[k])
            return false;
    return true;
}

static struct vreg *copied(struct mach_func *f, struct mach_insn *i, int operand)
{
    struct vreg *old = i->op[operand].reg, *new = vreg_like(f, old);
    if (row_of(i)->op[operand].role == ROLE_DEF) {
        struct mach_insn *c = copy_new(f, old, new);
        insn_after(i, c);
    } else {
        struct mach_insn *c = copy_new(f, new, old);
        insn_before(i, c);
    }
    i->op[operand].reg = new;
    return new;
}

struct run_table { struct runs *runs; VEC(int) of; };

static void grow(struct run_table *t, int n)
{
    while (t->of.n < n)
        vec_push(&t->of, -1);
    t->runs->run_of = t->of.at;
}

static void add_run(struct mach_func *f, struct run_table *t, struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    struct vreg *v[4];
    struct run run = { .n = row->run_length };
    for (int k = 0; k < run.n; k++)
        v[k] = i->op[row->run_first + k].reg;
    if (already_holds(t->runs, v, run.n, t->of.n))
        return;
    for (int k = 0; k < run.n; k++) {
        bool twice = false;
        for (int j = 0; j < k; j++)
            twice |= v[j] == v[k];
        if (twice || v[k]->is_fixed || run_of(t->runs, v[k], t->of.n) >= 0)
            run.at[k] = copied(f, i, row->run_first + k);
        else
            run.at[k] = v[k];
    }
    grow(t, f->vregs.n);
    for (int k = 0; k < run.n; k++)
        t->of.at[run.at[k]->id] = t->runs->of.n;
    vec_push(&t->runs->of, run);
}

struct runs *find_runs(struct mach_func *f)
{
    struct run_table t = { NEW(struct runs), { 0 } };
    grow(&t, f->vregs.n);
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first, *next; i != NULL; i = next) {
            next = i->next;
            if (row_of(i)->run_length > 1)
                add_run(f, &t, i);
        }
    grow(&t, f->vregs.n);
    return t.runs;
}
