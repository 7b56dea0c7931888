/* cycle.c: pointers that go round a small table.
 *
 * An access like t[i % 4] is not linear in the index, but its address has a
 * cycle: it advances by one entry and wraps. When the table is aligned to twice
 * the bytes of the cycle, the bit of the address that says "past the end" is
 * clear everywhere inside, so that the advance is
 *
 *     p = (p + entry) & ~cycle
 *
 * and the access needs no index, which often makes the index itself unneeded.
 *
 * Takes the arm of a plain loop of step 1, its linear accesses reduced
 * already; gives pointers in the same plan, with `cycle` set. Other loops keep
 * their address arithmetic: side by side, copies stand at different entries.
 */
#include <assert.h>

#include "shape/pass.h"

struct cycling {
    struct shape *sh;
    const struct stmt *loop;
    struct address_plan *plan;
};

static bool power_of_two(uint64_t x) { return x != 0 && (x & (x - 1)) == 0; }

/* ATOM as index % *m or index & (*m - 1), perhaps widened. */
static bool is_index_modulo(const struct stmt *loop, const struct expr *atom, uint64_t *m)
{
    uint64_t c;

    while (atom->kind == E_CONVERT && type_is_scalar(atom->a->type) &&
           value_types[atom->a->type].bits <= value_types[atom->type].bits)
        atom = atom->a;
    if (atom->kind != E_BINARY || !is_const(atom->b, &c) || atom->a->kind != E_VAR ||
        atom->a->var != loop->index)
        return false;
    *m = atom->op == BIN_MOD ? c : atom->op == BIN_AND ? c + 1 : 0;
    return power_of_two(*m);
}

/* OFFSET as *factor * (index % *m) + *constant, or false. */
static bool cyclic_in(const struct stmt *loop, const struct expr *offset, uint64_t *factor, uint64_t *m,
                      uint64_t *constant)
{
    struct affine f = affine_of(offset);
    const struct expr *atom;
    uint64_t scale = 1, k;

    if (f.n != 1 || f.constant < 0)
        return false;
    /* widening stops affine_of(): (i % 4 * 2) as u64 * 16 */
    atom = f.terms[0].atom;
    while (!is_index_modulo(loop, atom, m)) {
        if (atom->kind == E_CONVERT && type_is_scalar(atom->a->type))
            atom = atom->a;
        else if (atom->kind == E_BINARY && atom->op == BIN_MUL && is_const(atom->b, &k) && k < 256) {
            scale *= k;
            atom = atom->a;
        } else {
            return false;
        }
        if (scale > 4096)
            return false;
    }
    *factor = (uint64_t)f.terms[0].factor * scale;
    *constant = (uint64_t)f.constant;
    return power_of_two(*factor) && *factor <= 4096 && *m <= 4096 && *constant < *factor;
}

static bool can_cycle(const struct cycling *c, const struct access *a, uint64_t *factor, uint64_t *m,
                      uint64_t *constant)
{
    return !a->pointer && a->object->kind == OBJECT_TABLE && a->offset &&
           cyclic_in(c->loop, a->offset, factor, m, constant) && a->object->align >= 2 * *factor * *m;
}

static struct address_group *group_for(struct cycling *c, struct object *o, uint64_t factor, uint64_t m)
{
    for (int i = 0; i < c->plan->groups.n; i++) {
        struct address_group *g = &c->plan->groups.at[i];
        if (g->object == o && g->cycle == factor * m && g->form.factor == (int64_t)factor)
            return g;
    }
    struct address_group *g = vec_add(&c->plan->groups);
    *g = (struct address_group){ .object = o, .cycle = factor * m, .key = c->sh->next_key };
    g->form.factor = (int64_t)factor;
    c->sh->next_key += c->loop->arm_count;
    g->pointer = new_var(c->sh, o->name, TYPE_ADDR, c->loop->loc);
    return g;
}

static void rewrite(struct copier *copy, struct access *a)
{
    struct cycling *c = copy->self;
    uint64_t factor, m, constant;

    if (!can_cycle(c, a, &factor, &m, &constant))
        return;
    struct address_group *g = group_for(c, a->object, factor, m);
    a->pointer = g->pointer;
    a->offset = build_const(TYPE_U64, constant, a->offset->loc);
    a->key = g->key;
    a->disp = constant;
}

void reduce_cycles(struct shape *sh, const struct stmt *loop, struct for_arm *arms,
                   struct address_plan *plan)
{
    struct cycling c = { sh, loop, plan };
    struct copier copy = { .sh = sh, .access = rewrite, .self = &c };

    if (loop->arm_count == 1 && arms[0].width == 1 && loop->step == 1)
        arms[0].body = copy_list(&copy, arms[0].body);
}

struct expr *cycle_start(const struct address_group *g, struct expr *lo)
{
    uint64_t m = g->cycle / (uint64_t)g->form.factor;
    struct expr *entry = build_constant_op(BIN_AND, build_convert(TYPE_U64, lo), m - 1);
    struct access at = { .object = g->object,
                         .offset = build_constant_op(BIN_MUL, entry, (uint64_t)g->form.factor) };
    return build_address(&at, lo->loc);
}

struct expr *cycle_advance(const struct address_group *g)
{
    struct expr *next = build_constant_op(BIN_ADD, build_read(g->pointer), (uint64_t)g->form.factor);
    return build_constant_op(BIN_AND, next, ~g->cycle);
}
