/* range.c: between which values does a public expression lie?
 *
 * Takes an expression of the original tree (every variable in it that is
 * assigned once is looked through), gives an interval that holds on every run.
 * Facts come from types, declared value sets and the bounds of loops around;
 * conditions passed on the way are not used, so an interval may be wider than
 * what bounds/ can prove. Used to leave out guards, never to prove an access.
 */
#include <assert.h>

#include "shape/pass.h"

enum { LOOK_THROUGH = 12 };             /* nested definitions: beyond this the type's range will do */

static struct span range_at(const struct shape *sh, const struct expr *e, bool *exact, int depth);

static struct span type_range(enum value_type t)
{
    int bits = value_types[t].bits;
    return (struct span){ 0, bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1 };
}

static struct span set_range(const struct value_set *set, struct span limit)
{
    if (set->n == 0)
        return limit;
    uint64_t lo = set->at[0].lo, hi = set->at[set->n - 1].hi;
    return (struct span){ lo > limit.lo ? lo : limit.lo, hi < limit.hi ? hi : limit.hi };
}

static const struct param *param_of(const struct func *f, const struct var *v)
{
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var == v)
            return &f->params[i];
    return NULL;
}

static struct span var_range(const struct shape *sh, const struct expr *e, int depth)
{
    struct var *v = e->var;
    struct span limit = type_range(e->type);
    const struct param *p;

    if (v->id >= sh->original->vars.n)
        return limit;
    if (sh->index_range[v->id].lo <= sh->index_range[v->id].hi)
        return sh->index_range[v->id];
    p = param_of(sh->original, v);
    if (p && sh->assignments[v->id] == 0)
        return set_range(&p->set, limit);
    if (!p && sh->only_value[v->id] && depth < LOOK_THROUGH) {
        bool ignored = true;    /* a wrap inside the definition is not one of this variable */
        return range_at(sh, sh->only_value[v->id], &ignored, depth + 1);
    }
    return limit;
}

static struct span load_range(const struct expr *e)
{
    struct span limit = type_range(e->mem);
    const struct struct_type *layout = e->access.object->layout;
    uint64_t offset;

    if (!layout || !e->access.offset || !is_const(e->access.offset, &offset))
        return limit;
    for (int i = 0; i < layout->field_count; i++)
        if (layout->fields[i].offset == offset && layout->fields[i].element == e->mem)
            return set_range(&layout->fields[i].set, limit);
    return limit;
}

static struct span wrapped(enum value_type t, bool *exact)
{
    *exact = false;
    return type_range(t);
}

static struct span binary_range(const struct shape *sh, const struct expr *e, bool *exact, int depth)
{
    struct span a = range_at(sh, e->a, exact, depth + 1), b = range_at(sh, e->b, exact, depth + 1);
    struct span limit = type_range(e->type);
    uint64_t top;

    switch (e->op) {
    case BIN_ADD:
        if (__builtin_add_overflow(a.hi, b.hi, &top) || top > limit.hi)
            return wrapped(e->type, exact);
        return (struct span){ a.lo + b.lo, top };
    case BIN_SUB:
        if (a.lo < b.hi)
            return wrapped(e->type, exact);
        return (struct span){ a.lo - b.hi, a.hi - b.lo };
    case BIN_MUL:
        if (__builtin_mul_overflow(a.hi, b.hi, &top) || top > limit.hi)
            return wrapped(e->type, exact);
        return (struct span){ a.lo * b.lo, top };
    case BIN_DIV:
        return b.lo == 0 ? limit : (struct span){ a.lo / b.hi, a.hi / b.lo };
    case BIN_MOD:
        if (b.lo == 0)
            return limit;
        return a.hi < b.lo ? a : (struct span){ 0, b.hi - 1 };
    case BIN_AND:
        return (struct span){ 0, a.hi < b.hi ? a.hi : b.hi };
    case BIN_SHR:
        if (b.lo != b.hi || b.lo > 63)
            return (struct span){ 0, a.hi };
        return (struct span){ a.lo >> b.lo, a.hi >> b.lo };
    case BIN_SHL:
        if (b.lo != b.hi || b.lo > 63 || a.hi > limit.hi >> b.lo)
            return wrapped(e->type, exact);
        return (struct span){ a.lo << b.lo, a.hi << b.lo };
    default:
        return wrapped(e->type, exact);
    }
}

static struct span range_at(const struct shape *sh, const struct expr *e, bool *exact, int depth)
{
    struct span r;

    if (type_is_vector(e->type) || depth > 4 * LOOK_THROUGH)
        return wrapped(TYPE_U64, exact);
    switch (e->kind) {
    case E_CONST:
        return (struct span){ e->value[0], e->value[0] };
    case E_VAR:
        return var_range(sh, e, depth);
    case E_LOAD:
        return load_range(e);
    case E_BINARY:
        if (e->type == TYPE_I32)
            return wrapped(e->type, exact);
        return binary_range(sh, e, exact, depth);
    case E_CONVERT:
        if (!type_is_scalar(e->a->type))
            return wrapped(e->type, exact);
        r = range_at(sh, e->a, exact, depth + 1);
        return r.hi <= type_range(e->type).hi ? r : wrapped(e->type, exact);
    case E_DECLASSIFY:
        return range_at(sh, e->a, exact, depth + 1);
    case E_FROM_FLAG:
        return (struct span){ 0, 1 };
    default:
        return wrapped(e->type, exact);
    }
}

struct span range_of(const struct shape *sh, const struct expr *e, bool *exact)
{
    bool holds = true;
    struct span r = range_at(sh, e, &holds, 0);
    if (exact)
        *exact = holds;
    return r;
}

bool known_at_most(const struct shape *sh, const struct expr *a, const struct expr *b)
{
    uint64_t multiple;

    return range_of(sh, a, NULL).hi <= range_of(sh, b, NULL).lo || expr_equal(a, b) ||
           is_rounded_down(sh, a, b, &multiple);
}

static const struct expr *definition(const struct shape *sh, const struct expr *e)
{
    for (int i = 0; i < LOOK_THROUGH && e->kind == E_VAR; i++) {
        if (e->var->id >= sh->original->vars.n || !sh->only_value[e->var->id])
            break;
        e = sh->only_value[e->var->id];
    }
    return e;
}

/* -- memory that the function may write -- */

struct memory_reads { const struct func *f; bool changing; };

static bool may_change(const struct func *f, const struct object *o)
{
    if (o->kind == OBJECT_TABLE)
        return false;
    if (o->kind == OBJECT_STACK || o->direction != DIR_IN)
        return true;
    for (int i = 0; i < f->objects.n; i++) {
        const struct object *other = f->objects.at[i];
        if (other->kind == OBJECT_PARAM && other->direction != DIR_IN &&
            objects_may_be_same(f, o, other))
            return true;
    }
    return false;
}

static void note_memory(struct walker *w, struct expr *e)
{
    struct memory_reads *m = w->self;
    if (e->kind == E_LOAD && may_change(m->f, e->access.object))
        m->changing = true;
}

bool reads_changing_memory(const struct shape *sh, struct expr *e)
{
    struct memory_reads m = { sh->original, false };
    struct walker w = { .expr = note_memory, .self = &m };
    visit_expr(&w, e);
    return m.changing;
}

struct stability { const struct shape *sh; bool holds; };

static void note_reassigned(struct walker *w, struct var *v)
{
    struct stability *s = w->self;
    if (v->id >= s->sh->original->vars.n || s->sh->assignments[v->id] > 1)
        s->holds = false;
}

/* Does E have one value wherever it stands? */
static bool is_stable(const struct shape *sh, struct expr *e)
{
    struct stability s = { sh, true };
    struct walker w = { .read = note_reassigned, .self = &s };
    visit_expr(&w, e);
    return s.holds && !reads_changing_memory(sh, e);
}

bool is_rounded_down(const struct shape *sh, const struct expr *a, const struct expr *b,
                     uint64_t *multiple)
{
    const struct expr *product = definition(sh, a), *quotient;
    uint64_t k, l;

    if (product->kind != E_BINARY || product->op != BIN_MUL || !is_const(product->b, &k))
        return false;
    quotient = definition(sh, product->a);
    if (quotient->kind != E_BINARY || quotient->op != BIN_DIV || !is_const(quotient->b, &l))
        return false;
    *multiple = k;
    return k == l && k != 0 && (k & (k - 1)) == 0 && expr_equal(quotient->a, b) &&
           is_stable(sh, quotient->a);
}
