/* check_inplace.c: does using one array as input and output change the result?
 *
 * Takes every access to arrays that may be the same, in the order in which they
 * were seen, each with its place among loops and conditions and the facts that
 * held there. Reports `in-place` at a read of one array when an earlier write to
 * the other may have been to the same bytes: with two arrays the old value is
 * read, with one the new.
 *
 * A write W comes before a read R when it is above it in the text (with equal
 * numbers of all common iterations), or anywhere in an earlier iteration of a
 * loop around both. In the second case the symbols that belong to W's iteration
 * are renamed; those that do not depend on the iteration stay. The bytes differ
 * when one range provably ends before the other begins. Accesses that stand at a
 * constant distance in one place of the control flow are compared as one first.
 */
#include "lang/bounds.h"

#include <assert.h>

enum { PAIR_COST = 200 };       /* of comparing two accesses, in units of range.spent */

/* -- recording -- */

static bool has_twin(const struct func *f, const struct object *o)
{
    if (o->kind != OBJECT_PARAM)
        return false;
    for (int i = 0; i < f->objects.n; i++)
        if (f->objects.at[i] != o && objects_may_be_same(f, o, f->objects.at[i]))
            return true;
    return false;
}

void record_access(struct bounds *b, const struct object *o, struct form offset, struct form size,
                   bool is_write, struct loc loc)
{
    if (!may_report(b) || !has_twin(b->f, o))
        return;
    struct event e = { loc, o, is_write, offset, size, b->frame, NULL, b->r.path.n, b->events.n };

    e.facts = NEW_ARRAY(struct fact, b->r.path.n + 1);
    for (int i = 0; i < b->r.path.n; i++)
        e.facts[i] = b->r.path.at[i];
    vec_push(&b->events, e);
}

/* -- frames -- */

/* The innermost frame around both, and the two just inside it (or NULL). */
static const struct frame *common_frame(const struct event *w, const struct event *r,
                                        const struct frame **in_w, const struct frame **in_r)
{
    const struct frame *x = w->frame, *y = r->frame;

    *in_w = *in_r = NULL;
    while (x != y) {
        const int dx = x == NULL ? 0 : x->depth, dy = y == NULL ? 0 : y->depth;

        if (dx >= dy) {
            *in_w = x;
            x = x->up;
        }
        if (dy >= dx) {
            *in_r = y;
            y = y->up;
        }
    }
    return x;
}

static bool is_loop(const struct frame *f)
{
    return f->stmt->kind == S_FOR || f->stmt->kind == S_WHILE;
}

/* -- renaming what belongs to an iteration -- */

struct renaming { int *to; int n; };    /* by symbol; itself when it does not vary */

struct earlier { const struct frame *loop; const struct renaming *names; };

struct cluster { struct event hull; VEC(int) members; };        /* members: indices of events */

/* SYMBOLS, FACTS: as many as the accesses know of. What is renamed makes new
 * ones, which belong to no iteration: to rename those again for the next loop
 * would double them with every loop. */
struct pairs {
    VEC(struct cluster) clusters;
    VEC(struct earlier) earlier;
    int symbols, facts;
};

static bool form_varies(const struct renaming *names, const struct form *f)
{
    for (int i = 0; i < f->n; i++)
        if (f->terms[i].symbol < names->n && names->to[f->terms[i].symbol] != f->terms[i].symbol)
            return true;
    return false;
}

static struct renaming rename_iteration(struct bounds *b, int first, int symbols)
{
    struct range *r = &b->r;
    struct renaming names = { NULL, symbols };

    names.to = NEW_ARRAY(int, names.n + 1);
    for (int i = 0; i < names.n; i++) {
        const struct symbol *s = &r->symbols.at[i];
        const struct value_set *set = s->set;
        const bool varies = i >= first &&
            (s->kind != SYMBOL_DERIVED ||
             form_varies(&names, &s->a) || form_varies(&names, &s->b) ||
             (s->version > 0 && b->version_birth.at[s->version] >= first));

        names.to[i] = i;
        if (varies) {
            names.to[i] = range_symbol(r, s->kind == SYMBOL_COUNT ? SYMBOL_COUNT : SYMBOL_BASE,
                                       s->text, s->lo, s->hi);
            if (set != NULL)
                range_restrict(r, names.to[i], set);
        }
    }
    return names;
}

static struct form renamed(const struct renaming *names, struct form f)
{
    struct form to = { f.constant, 0, NULL };

    if (names == NULL || f.n <= 0)
        return f;
    for (int i = 0; i < f.n; i++) {
        const int s = f.terms[i].symbol;
        to = form_add(to, form_scale(form_symbol(s < names->n ? names->to[s] : s),
                                     f.terms[i].factor));
    }
    return to;
}

/* -- under the facts of both -- */

static void assume_renamed(struct range *r, const struct fact *f, const struct renaming *names)
{
    if (f->kind == FACT_WHEN) {
        struct guard *guards = NEW_ARRAY(struct guard, f->guard_count);
        for (int i = 0; i < f->guard_count; i++) {
            guards[i] = f->guards[i];
            if (names != NULL && guards[i].selector < names->n)
                guards[i].selector = names->to[guards[i].selector];
        }
        range_assume_when(r, guards, f->guard_count, renamed(names, f->form));
        return;
    }
    if (f->kind != FACT_ANY) {
        range_assume(r, f->kind, renamed(names, f->form));
        return;
    }
    struct fact *any = NEW_ARRAY(struct fact, f->any_count);
    for (int i = 0; i < f->any_count; i++)
        any[i] = (struct fact){ .kind = f->any[i].kind, .form = renamed(names, f->any[i].form) };
    range_assume_any(r, any, f->any_count);
}

static void assume_facts(struct bounds *b, const struct event *e, const struct renaming *names)
{
    for (int i = 0; i < e->fact_count; i++)
        assume_renamed(&b->r, &e->facts[i], names);
}

/* Under the facts of both accesses, and `order` >= 0: are the bytes different? */
static bool are_apart(struct bounds *b, const struct pairs *p, const struct event *w,
                      const struct event *r, const struct renaming *names, struct form order)
{
    const struct range_marks m = range_mark(&b->r);
    const struct form at = renamed(names, w->offset), size = renamed(names, w->size);

    b->r.spent += PAIR_COST;
    assume_facts(b, r, NULL);
    assume_facts(b, w, names);
    for (int i = 0; names != NULL && i < p->facts; i++)
        if (form_varies(names, &b->r.always.at[i]))
            range_assume(&b->r, FACT_GE, renamed(names, b->r.always.at[i]));
    range_assume(&b->r, FACT_GE, order);
    const bool apart =
        range_proves(&b->r, form_sub(r->offset, form_add(at, size))) ||
        range_proves(&b->r, form_sub(at, form_add(r->offset, r->size)));
    range_release(&b->r, m);
    return apart;
}

/* The symbols of an earlier iteration of LOOP; made once. */
static const struct renaming *earlier_iteration(struct bounds *b, struct pairs *p,
                                                const struct frame *loop)
{
    for (int i = 0; i < p->earlier.n; i++)
        if (p->earlier.at[i].loop == loop)
            return p->earlier.at[i].names;
    struct renaming *names = NEW(struct renaming);
    *names = rename_iteration(b, loop->first_symbol, p->symbols);
    vec_push(&p->earlier, ((struct earlier){ loop, names }));
    return names;
}

/* -- one pair -- */

/* W in an earlier iteration of any loop around both. */
static bool clash_across(struct bounds *b, struct pairs *p, const struct event *w,
                         const struct event *r)
{
    const struct frame *in_w, *in_r;

    for (const struct frame *f = common_frame(w, r, &in_w, &in_r); f != NULL; f = f->up) {
        if (!is_loop(f))
            continue;
        const struct renaming *names = earlier_iteration(b, p, f);
        const struct form before = form_sub(f->count, renamed(names, f->count));
        if (!are_apart(b, p, w, r, names, form_plus(before, -1)))
            return true;
    }
    return false;
}

/* W above R, in one iteration of all loops around both. */
static bool clash_above(struct bounds *b, const struct pairs *p, const struct event *w,
                        const struct event *r)
{
    const struct frame *in_w, *in_r;
    const struct form gap = form_sub(r->offset, w->offset);
    struct form order = form_constant(0);

    if (w->order > r->order)
        return false;
    if (gap.n == 0 && w->size.n == 0 && r->size.n == 0 &&
        (gap.constant >= w->size.constant || -gap.constant >= r->size.constant))
        return false;
    (void)common_frame(w, r, &in_w, &in_r);
    if (in_w != NULL && in_r != NULL && in_w->stmt == in_r->stmt) {
        if (!is_loop(in_w))                     /* the sides of an `if` exclude each other */
            return false;
        /* the arms of a loop run one after the other */
        order = form_plus(form_sub(in_r->index, in_w->index), -1);
    }
    return !are_apart(b, p, w, r, NULL, order);
}

/* -- clusters: accesses of one place in the control flow, side by side -- */

/* All of A's members as one access: the first of them when that is early
 * (writes), the last when it is late (reads). */
static bool join(struct cluster *c, const struct event *e)
{
    struct event *hull = &c->hull;
    const struct form gap = form_sub(e->offset, hull->offset);

    if (hull->object != e->object || hull->is_write != e->is_write || hull->frame != e->frame ||
        gap.n != 0 || hull->size.n != 0 || e->size.n != 0)
        return false;
    const wide end = hull->size.constant, other = gap.constant + e->size.constant;
    const wide from = gap.constant < 0 ? gap.constant : 0, to = other > end ? other : end;
    hull->offset = form_plus(hull->offset, from);
    hull->size = form_constant(to - from);
    /* The facts of the first hold for all: later ones only add to them. */
    if (!e->is_write)
        hull->order = e->order;
    return true;
}

static void make_clusters(struct bounds *b, struct pairs *p)
{
    for (int i = 0; i < b->events.n; i++) {
        const struct event *e = &b->events.at[i];
        bool joined = false;

        for (int k = p->clusters.n; k-- > 0 && !joined;)
            if (join(&p->clusters.at[k], e)) {
                vec_push(&p->clusters.at[k].members, i);
                joined = true;
            }
        if (!joined) {
            struct cluster *c = vec_add(&p->clusters);
            *c = (struct cluster){ .hull = *e };
            vec_push(&c->members, i);
        }
    }
}

static void report_clash(const struct event *w, const struct event *r)
{
    error_at(r->loc, RULE_IN_PLACE,
             "'%s' may be '%s', and this part of it may be overwritten already", r->object->name,
             w->object->name);
    note_at(w->loc, "'%s' is written here", w->object->name);
}

/* Members are looked at only when the hulls may clash. */
static void compare_clusters(struct bounds *b, struct pairs *p, const struct cluster *writes,
                             const struct cluster *reads)
{
    const bool above = clash_above(b, p, &writes->hull, &reads->hull);
    const bool across = clash_across(b, p, &writes->hull, &reads->hull);

    for (int i = 0; i < reads->members.n && (above || across); i++)
        for (int k = 0; k < writes->members.n; k++) {
            const struct event *r = &b->events.at[reads->members.at[i]];
            const struct event *w = &b->events.at[writes->members.at[k]];

            if (range_is_exhausted(&b->r))
                return;
            if (!may_refuse(b, r->loc))
                break;
            if ((above && clash_above(b, p, w, r)) || (across && clash_across(b, p, w, r))) {
                refuse(b, r->loc);
                report_clash(w, r);
                break;
            }
        }
}

void check_in_place(struct bounds *b)
{
    struct pairs p = { .symbols = b->r.symbols.n, .facts = b->r.always.n };

    /* What held at the end of the function says nothing about earlier places. */
    range_release(&b->r, (struct range_marks){ 0, 0 });
    b->refused.n = 0;
    b->r.spent = 0;
    make_clusters(b, &p);
    for (int i = 0; i < p.clusters.n; i++)
        for (int k = 0; k < p.clusters.n && !range_is_exhausted(&b->r); k++) {
            const struct event *r = &p.clusters.at[i].hull, *w = &p.clusters.at[k].hull;

            if (!r->is_write && w->is_write && r->object != w->object &&
                objects_may_be_same(b->f, r->object, w->object))
                compare_clusters(b, &p, &p.clusters.at[k], &p.clusters.at[i]);
        }
    if (range_is_exhausted(&b->r))
        error_at(b->f->loc, RULE_IN_PLACE,
                 "'%s' accesses arrays that may be the same too often for a proof; see 'noalias'",
                 b->f->name);
}
