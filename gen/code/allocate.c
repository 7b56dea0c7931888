/* allocate.c: virtual registers to physical ones.
 *
 * Takes scheduled code in two-address form. Gives every register an assignment
 * and removes the copies that became empty. For each class the fewest
 * callee-saved registers that suffice are used: colouring is tried with none of
 * them, then one, and so on. When all fail, the code is scheduled for fewer
 * registers; when that does not help, values that can be made again are
 * given up one by one (reload.c); when there is none left, the error
 * `registers` lists what is alive. Never stores a register to memory.
 *
 * Holds afterwards: f->written names every physical register that is written;
 * a local function's convention is complete.
 */
#include "code/colour.h"

#include <assert.h>

enum { MOST_RELOADS = 64 };

/* -- what colouring needs to know -- */

static void copy_add(struct colouring *c, const struct vreg *v, struct mach_insn *i)
{
    struct copies *l = &c->copies[v->id];
    if (!v->is_fixed)
        vec_push(l, i);
}

static void survey(struct colouring *c)
{
    int n = 0;
    struct reg_list l;
    for (int k = 0; k < c->f->blocks.n; k++)
        for (struct mach_insn *i = c->f->blocks.at[k]->first; i != NULL; i = i->next) {
            insn_defs(i, &l);
            for (int j = 0; j < l.n; j++) {
                int v = l.at[j]->id;
                if (!c->exists[v])
                    c->position[v] = n;
                c->exists[v] = true;
            }
            insn_uses(i, &l);
            for (int j = 0; j < l.n; j++)
                c->exists[l.at[j]->id] = true;
            if (insn_is_copy(i)) {
                copy_add(c, i->op[0].reg, i);
                copy_add(c, i->op[1].reg, i);
            }
            n++;
        }
}

static struct colouring colouring_for(const struct mach_func *f, const struct runs *runs)
{
    struct colouring c = { .f = f, .runs = runs };
    c.graph = interference_lists(f, liveness_of(f));
    c.exists = NEW_ARRAY(bool, f->vregs.n);
    c.position = NEW_ARRAY(int, f->vregs.n);
    c.node = NEW_ARRAY(struct graph_node, f->vregs.n);
    c.colour = NEW_ARRAY(int8_t, f->vregs.n);
    c.copies = NEW_ARRAY(struct copies, f->vregs.n);
    survey(&c);
    return c;
}

/* -- one class -- */

/* All caller-saved registers and the first N callee-saved ones. */
static uint32_t with_saved(enum reg_class class, int n)
{
    uint32_t saved = callee_saved(class), mask = allocatable(class) & ~saved;
    for (int r = 0; r < 32 && n > 0; r++)
        if ((saved >> r & 1) != 0) {
            mask |= 1u << r;
            n--;
        }
    return mask;
}

static bool allocate_class(struct colouring *c, enum reg_class class)
{
    int most = __builtin_popcount(callee_saved(class));
    c->class = class;
    find_nodes(c);
    for (int saved = 0; saved <= most; saved++) {
        c->allowed = with_saved(class, saved);
        for (int order = 0; order < ORDER_COUNT; order++)
            if (colour_class(c, (enum colour_order)order))
                return true;
    }
    return false;
}

/* Neighbours in the graph have different registers, fixed ones included. */
static void check_assignment(const struct colouring *c)
{
    for (int v = 0; v < c->graph->n; v++)
        for (int k = 0; k < c->graph->of[v].n; k++) {
            const struct vreg *a = c->f->vregs.at[v], *b = c->f->vregs.at[c->graph->of[v].at[k]];
            assert(a->class != c->class || !a->is_assigned || !b->is_assigned
                   || a->assigned != b->assigned);
            (void)a, (void)b;
        }
}

static void assign(struct colouring *c)
{
    for (int v = 0; v < c->f->vregs.n; v++) {
        struct vreg *r = c->f->vregs.at[v];
        if (r->class != c->class || r->is_fixed || c->colour[v] < 0)
            continue;
        r->assigned = (reg_number)c->colour[v];
        r->is_assigned = true;
    }
    check_assignment(c);
}

/* -- afterwards -- */

static void remove_empty_copies(struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first, *next; i != NULL; i = next) {
            next = i->next;
            if (insn_is_copy(i) && i->op[0].reg->assigned == i->op[1].reg->assigned)
                insn_remove(i);
        }
}

static void find_written(struct mach_func *f)
{
    struct reg_list l;
    for (int class = 0; class < CLASS_COUNT; class++)
        f->written[class] = 0;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next) {
            if (i->insn == INSN_NONE)
                continue;
            insn_defs(i, &l);
            for (int j = 0; j < l.n; j++)
                f->written[l.at[j]->class] |= 1u << l.at[j]->assigned;
            for (int class = 0; class < CLASS_FLAGS; class++)
                f->written[class] |= i->clobbers[class];
        }
}

static void fill_places(struct vreg *const *v, int n, reg_number **numbers,
                        enum reg_class **classes)
{
    *numbers = NEW_ARRAY(reg_number, n + 1);
    *classes = NEW_ARRAY(enum reg_class, n + 1);
    for (int k = 0; k < n; k++) {
        (*numbers)[k] = v[k]->assigned;
        (*classes)[k] = v[k]->class;
    }
}

static void find_convention(struct mach_func *f)
{
    struct convention *c = &f->convention;
    const struct mach_insn *entry = f->blocks.at[0]->first;
    assert(entry->insn == INSN_NONE);
    c->param_count = entry->def_count;  /* those in registers */
    fill_places(entry->defs, entry->def_count, &c->params, &c->param_classes);
    for (int k = 0; k < f->blocks.n; k++) {
        const struct mach_insn *last = f->blocks.at[k]->last;
        if (last != NULL && (row_of(last)->flags & IS_RETURN) != 0)
            fill_places(last->uses, last->use_count, &c->results, &c->result_classes);
    }
    for (int class = 0; class < CLASS_COUNT; class++)
        c->clobbers[class] = f->written[class];
    c->clobbers[CLASS_GENERAL] |= 1u << REG_LINK;
}

static bool try_again(struct mach_func *f, enum reg_class class, int reloads)
{
    struct mach_insn *where;
    if (schedule_again(f))
        return true;
    if (f->overlaps_iterations)
        return false;
    pressure_peak(f, liveness_of(f), class, &where);
    if (reloads < MOST_RELOADS && where != NULL && reload_one(f, class, where))
        return true;
    report_registers(f, class, __builtin_popcount(allocatable(class)));
    return false;
}

/* Assigns every register, or none; gives the class that has too few of them, or
 * CLASS_COUNT. */
static enum reg_class colour(struct mach_func *f)
{
    make_clobbered(f);
    const struct runs *runs = find_runs(f);     /* may insert copies */
    const struct mem_mark mark = mem_mark();
    struct colouring c = colouring_for(f, runs);
    enum reg_class class = CLASS_GENERAL;
    while (class < CLASS_FLAGS && allocate_class(&c, class)) {
        assign(&c);
        class++;
    }
    for (int v = 0; v < f->vregs.n && class < CLASS_FLAGS; v++)
        if (!f->vregs.at[v]->is_fixed)
            f->vregs.at[v]->is_assigned = false;
    mem_release_to(mark);
    return class < CLASS_FLAGS ? class : CLASS_COUNT;
}

bool allocate_registers(struct mach_func *f)
{
    for (int reloads = 0;; reloads++) {
        enum reg_class class = colour(f);
        if (class == CLASS_COUNT)
            break;
        if (!try_again(f, class, reloads))
            return false;
    }
    remove_empty_copies(f);
    find_written(f);
    find_convention(f);
    blocks_clean(f);
    return true;
}
