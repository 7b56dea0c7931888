/* report.c: the error `registers`.
 *
 * When colouring fails and nothing can be reloaded, the answer is which values
 * are alive where most of them are: how many, the statement, and each one's
 * name with the line that defines it; values without a name are counted.
 */
#include <assert.h>
#include <stdlib.h>

#include "code/liveness.h"
#include "code/passes.h"

static const char *const class_words[] = {
    [CLASS_GENERAL] = "general", [CLASS_VECTOR] = "vector",
};

static int compare_places(const void *a, const void *b)
{
    const struct vreg *x = *(struct vreg *const *)a, *y = *(struct vreg *const *)b;
    if (x->loc.file != y->loc.file)
        return x->loc.file < y->loc.file ? -1 : 1;
    if (x->loc.line != y->loc.line)
        return x->loc.line < y->loc.line ? -1 : 1;
    if (x->loc.col != y->loc.col)
        return x->loc.col < y->loc.col ? -1 : 1;
    return x->id - y->id;
}

static bool has_name(const struct vreg *v) { return v->name != NULL && v->name[0] != '\0'; }

static bool same_place(struct loc a, struct loc b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

/* One note for each name and place; how many values it stands for. */
static void note_values(struct vreg *const *v, int n)
{
    int nameless = 0;
    for (int k = 0; k < n;) {
        int same = 1;
        if (!has_name(v[k])) {
            nameless++;
            k++;
            continue;
        }
        while (k + same < n && same_place(v[k]->loc, v[k + same]->loc) && has_name(v[k + same]))
            same++;
        if (same == 1)
            note_at(v[k]->loc, "'%s' is defined here", v[k]->name);
        else
            note_at(v[k]->loc, "'%s' and %d more are defined here", v[k]->name, same - 1);
        k += same;
    }
    if (nameless > 0)
        note_at((struct loc){ 0 }, "and %d value%s without a name", nameless,
                nameless == 1 ? "" : "s");
}

void report_registers(struct mach_func *f, enum reg_class class, int available)
{
    struct mach_insn *where;
    const struct liveness *l = liveness_of(f);
    int peak = pressure_peak(f, l, class, &where);
    assert(where != NULL);
    struct bitset live = bitset_new(l->vregs);
    bitset_copy(&live, &l->out[where->block->id]);
    for (struct mach_insn *i = where->block->last; i != where; i = i->prev)
        liveness_step(&live, i);
    struct reg_list defs;
    insn_defs(where, &defs);
    for (int k = 0; k < defs.n; k++)
        bitset_add(&live, defs.at[k]->id);
    struct vreg **values = NEW_ARRAY(struct vreg *, f->vregs.n + 1);
    int n = 0;
    for (int v = bitset_next(&live, 0); v >= 0; v = bitset_next(&live, v + 1))
        if (f->vregs.at[v]->class == class)
            values[n++] = f->vregs.at[v];
    sort_array(values, n, sizeof *values, compare_places);
    struct loc at = where->loc.file != 0 ? where->loc : f->func->loc;
    if (peak > available)
        error_at(at, RULE_REGISTERS, "%d %s values are live here, %d registers exist", peak,
                 class_words[class], available);
    else
        error_at(at, RULE_REGISTERS, "%d %s values are live here, and no assignment of %d "
                 "registers satisfies their runs and fixed places", peak, class_words[class],
                 available);
    note_values(values, n);
}
