/* reduce.c: strength reduction of addresses.
 *
 * Takes the arms of one source loop (main loop and remainders), their bodies
 * in shape already. Finds the accesses whose offset is linear in the index,
 * and gives per object, factor and invariant part one pointer that starts
 * before the chain of loops, advances once per pass of each body and so
 * carries from the main loop into the remainders: an access becomes pointer +
 * constant. Usually nothing else needs the index then, and it disappears.
 *
 * Holds: two accesses with one key (struct access) overlap exactly when their
 * constants do, also across objects that may be the same array; keys are
 * shared by the pointers of one arm that have equal factor and invariant
 * part. Offsets that are not linear (r % 4, a shift by a value) keep their
 * address arithmetic.
 */
#include <assert.h>

#include "shape/pass.h"

/* Constants of one group lie this close, so that every one fits the immediate
 * of a pair access after some advance (LDP: 7-bit signed, scaled; Arm ARM
 * C6.2: at least -512 .. 504 bytes for 8-byte elements). */
enum { GROUP_REACH = 504 };

struct reduction {
    struct shape *sh;
    const struct stmt *loop;
    struct var_set varying;
    struct address_plan plan;
    bool forms_address;         /* the access at hand only forms an address */
};

static bool same_walk(const struct linear *a, const struct linear *b)
{
    return a->factor == b->factor && affine_equal_terms(&a->terms, &b->terms);
}

/* An access that this chain may move: linear, and not constant in the index. */
static bool is_candidate(struct reduction *r, const struct access *a, struct linear *form)
{
    return !a->pointer && linear_in(r->sh, a->offset, r->loop, &r->varying, form) &&
           form->factor != 0;
}

static struct address_group *find_group(struct reduction *r, const struct object *o,
                                        const struct linear *form)
{
    for (int i = 0; i < r->plan.groups.n; i++) {
        struct address_group *g = &r->plan.groups.at[i];
        if (g->object == o && same_walk(&g->form, form) &&
            form->constant - g->lowest <= GROUP_REACH && g->highest - form->constant <= GROUP_REACH)
            return g;
    }
    return NULL;
}

static int key_for(struct reduction *r, const struct linear *form)
{
    for (int i = 0; i < r->plan.groups.n; i++)
        if (same_walk(&r->plan.groups.at[i].form, form))
            return r->plan.groups.at[i].key;
    r->sh->next_key += r->loop->arm_count;
    return r->sh->next_key - r->loop->arm_count;
}

static void note_kind(struct walker *w, struct expr *e)
{
    ((struct reduction *)w->self)->forms_address = e->kind == E_ADDRESS;
}

static void collect(struct walker *w, struct access *a, bool is_store)
{
    struct reduction *r = w->self;
    struct linear form;
    struct address_group *g;

    if (!is_candidate(r, a, &form))
        return;
    g = find_group(r, a->object, &form);
    if (!g) {
        int key = key_for(r, &form);
        g = vec_add(&r->plan.groups);
        *g = (struct address_group){ .object = a->object, .form = form, .key = key };
        g->lowest = g->highest = form.constant;
        g->only_starts = true;
    }
    g->only_starts &= r->forms_address && !is_store;
    if (form.constant < g->lowest)
        g->lowest = form.constant;
    if (form.constant > g->highest)
        g->highest = form.constant;
}

static void rewrite(struct copier *c, struct access *a)
{
    struct reduction *r = c->self;
    struct linear form;

    if (!is_candidate(r, a, &form))
        return;
    struct address_group *g = find_group(r, a->object, &form);
    if (!g)
        return;                 /* no register for it: pressure.c */
    a->pointer = g->pointer;
    a->offset = build_const(TYPE_U64, (uint64_t)(form.constant - g->lowest), a->offset->loc);
    a->key = g->key;
    a->disp = (uint64_t)form.constant;
}

static void find_varying(struct reduction *r, struct for_arm *arms, int n)
{
    for (int i = 0; i < n; i++) {
        struct var_set s = assigned_in(r->sh->f->vars.n, arms[i].body);
        for (int v = 0; v < s.n; v++)
            if (s.at[v])
                var_set_add(&r->varying, r->sh->f->vars.at[v]);
    }
    var_set_add(&r->varying, r->loop->index);
}

struct address_plan reduce_arms(struct shape *sh, const struct stmt *loop, struct for_arm *arms)
{
    struct reduction r = { .sh = sh, .loop = loop };
    struct walker w = { .expr = note_kind, .access = collect, .self = &r };
    struct copier c = { .sh = sh, .access = rewrite, .self = &r };

    find_varying(&r, arms, loop->arm_count);
    for (int i = 0; i < loop->arm_count; i++)
        visit_list(&w, arms[i].body);
    limit_pointers(sh, loop, arms, &r.plan);
    for (int i = 0; i < r.plan.groups.n; i++) {
        struct address_group *g = &r.plan.groups.at[i];
        g->pointer = new_var(sh, g->object->name, TYPE_ADDR, loop->loc);
    }
    note_moving_pointers(sh, &r.plan);
    for (int i = 0; i < loop->arm_count; i++)
        arms[i].body = copy_list(&c, arms[i].body);
    reduce_cycles(sh, loop, arms, &r.plan);
    return r.plan;
}

struct stmt *reduce_start(const struct address_plan *p, struct expr *lo, struct loc loc)
{
    struct stmt_chain out;

    chain_start(&out);
    for (int i = 0; i < p->groups.n; i++) {
        const struct address_group *g = &p->groups.at[i];
        if (g->cycle) {
            chain_add(&out, build_assign(g->pointer, cycle_start(g, lo), loc));
            continue;
        }
        struct expr *offset = build_constant_op(BIN_MUL, build_convert(TYPE_U64, lo),
                                               (uint64_t)g->form.factor);
        if (g->form.rest)
            offset = build_binary(BIN_ADD, g->form.rest, offset);
        /* form.constant holds what affine_of() took out of the rest; lowest is
         * relative to the same zero, so the rest's own constant is taken off. */
        offset = build_constant_op(BIN_ADD, offset,
                                  (uint64_t)(g->lowest - g->form.terms.constant));
        struct access at = { .object = g->object, .offset = offset };
        chain_add(&out, build_assign(g->pointer, build_address(&at, loc), loc));
    }
    return out.first;
}

struct stmt *reduce_advance(const struct address_plan *p, uint64_t by, struct loc loc)
{
    struct stmt_chain out;

    chain_start(&out);
    for (int i = 0; i < p->groups.n; i++) {
        const struct address_group *g = &p->groups.at[i];
        struct expr *next = build_constant_op(BIN_ADD, build_read(g->pointer),
                                             by * (uint64_t)g->form.factor);
        chain_add(&out, build_assign(g->pointer, g->cycle ? cycle_advance(g) : next, loc));
    }
    return out.first;
}

int key_in_copy(struct shape *sh, struct key_map *m, int key)
{
    if (key <= KEY_CONSTANT)
        return key;
    for (int i = 0; i < m->rows.n; i++)
        if (m->rows.at[i].from == key)
            return m->rows.at[i].to;
    *vec_add(&m->rows) = (struct key_row){ key, sh->next_key++ };
    return vec_last(&m->rows).to;
}
