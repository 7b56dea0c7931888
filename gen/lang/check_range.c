/* check_range.c: one access, shift, divisor, stored value or call, proved.
 *
 * Takes an expression or statement in the state before it runs. Reports
 * `out-of-bounds` when an access is not provably inside its extent (the field
 * for STRUCT.field, else the whole object), `range` for a shift by as much as
 * the width or a divisor that may be 0, `value-set` for a value that may leave
 * the set its field or parameter declares, `uninitialised` for a field with a
 * value set that an `out` struct may not have yet, `extent` for an array that may
 * be shorter than a callee reads.
 *
 * Assumes of the caller what a contract says: sums in an extent do not wrap and
 * no object is larger than 2^63 - 1 bytes.
 */
#include "lang/bounds.h"

#include <string.h>

#include "base/text.h"

bool may_report(const struct bounds *b)
{
    return b->guessing == 0 && !b->silent;
}

bool may_refuse(struct bounds *b, struct loc loc)
{
    for (int i = 0; i < b->refused.n; i++)
        if (b->refused.at[i].file == loc.file && b->refused.at[i].line == loc.line &&
            b->refused.at[i].col == loc.col)
            return false;
    return may_report(b);
}

void refuse(struct bounds *b, struct loc loc)
{
    vec_push(&b->refused, loc);
}

static const char *set_text(const struct value_set *set)
{
    struct text t = { 0 };
    const bool list = set->n > 1 || set->at[0].lo == set->at[0].hi;

    for (int i = 0; i < set->n; i++) {
        const struct value_range r = set->at[i];
        text_add(&t, i > 0 ? ", " : list ? "{" : "");
        text_format(&t, r.lo == r.hi ? "%llu" : "%llu..=%llu", (unsigned long long)r.lo,
                    (unsigned long long)r.hi);
    }
    return mem_format("%s%s", t.at, list ? "}" : "");
}

/* A plain variable wraps only when it is scaled to bytes: not worth a word. */
static const char *wrap_text(struct form whole)
{
    return whole.n > 1 || whole.constant != 0 ? ", which may wrap around," : "";
}

static const char *value_text(struct bounds *b, struct form v)
{
    struct form whole;

    if (range_may_wrap(&b->r, range_normal(&b->r, v), &whole))
        return mem_format("%s%s", range_text(&b->r, whole), wrap_text(whole));
    const char *least = range_least(&b->r, v), *most = range_most(&b->r, v);
    return strcmp(least, most) == 0 ? least : mem_format("%s .. %s", least, most);
}

/* -- accesses -- */

/* The bytes that an access must stay in. */
struct home { struct form from, to; const char *name; struct loc loc; uint64_t unit; };

static struct home home_of(struct bounds *b, const struct access *a, int bytes)
{
    const struct object *o = a->object;
    const struct field *fd = access_field(a, bytes);

    if (fd != NULL) {
        const uint64_t unit = (uint64_t)type_bytes(fd->element);
        const wide from = (wide)fd->offset;
        return (struct home){ form_constant(from), form_constant(from + (wide)(fd->count * unit)),
                              mem_format("%s.%s", o->name, fd->name), fd->loc, unit };
    }
    const struct form size = o->kind == OBJECT_TABLE ? form_constant((wide)o->size)
                                                     : b->extent[o->id];
    const uint64_t unit = o->layout == NULL ? (uint64_t)type_bytes(o->element) : 1;
    return (struct home){ form_constant(0), size, o->name, o->loc, unit };
}

static struct form in_units(struct form f, uint64_t unit)
{
    struct form q = form_constant(f.constant / (wide)unit);

    for (int i = 0; i < f.n; i++)
        q = form_add(q, form_scale(form_symbol(f.terms[i].symbol), f.terms[i].factor / (wide)unit));
    return q;
}

static void report_outside(struct bounds *b, const struct home *h, struct form offset, int bytes,
                           struct loc loc)
{
    const struct form at = form_sub(offset, h->from), size = form_sub(h->to, h->from);
    const wide unit = (wide)h->unit;

    refuse(b, loc);
    if ((uint64_t)bytes == h->unit && range_proves_multiple(&b->r, at, unit) &&
        range_proves_multiple(&b->r, size, unit)) {
        const struct form index = in_units(range_normal(&b->r, at), h->unit);
        const struct form count = in_units(range_normal(&b->r, size), h->unit);
        error_at(loc, RULE_OUT_OF_BOUNDS,
                 "index %s of '%s' is not provably below its length, %s", value_text(b, index),
                 h->name, range_text(&b->r, count));
    } else {
        struct form whole;
        const bool wraps = range_may_wrap(&b->r, range_normal(&b->r, at), &whole);
        error_at(loc, RULE_OUT_OF_BOUNDS,
                 "bytes %s .. %s%s of '%s' are not provably inside its %s bytes",
                 wraps ? range_text(&b->r, whole) : range_least(&b->r, at),
                 wraps ? range_text(&b->r, form_plus(whole, bytes - 1))
                       : range_most(&b->r, form_plus(at, bytes - 1)),
                 wraps ? wrap_text(whole) : "", h->name, range_text(&b->r, size));
    }
    note_at(h->loc, "'%s' is declared here", h->name);
}

static struct form check_access(struct bounds *b, const struct access *a, int bytes, struct loc loc)
{
    const struct home h = home_of(b, a, bytes);
    const struct form offset = value_of(b, a->offset);

    if (!may_refuse(b, loc))
        return offset;
    if (!range_proves(&b->r, form_sub(offset, h.from)) ||
        !range_proves(&b->r, form_plus(form_sub(h.to, offset), -bytes)))
        report_outside(b, &h, offset, bytes, loc);      /* and not again at this place */
    return offset;
}

/* Whoever reads a field relies on its value set: it must have been set. */
static void check_field_is_set(struct bounds *b, const struct expr *e)
{
    const struct field *fd = access_field(&e->access, type_bytes(e->mem));

    for (int i = 0; i < b->fields.n && may_report(b); i++) {
        const struct set_field *s = &b->fields.at[i];

        if (s->object != e->access.object || s->field != fd ||
            range_proves(&b->r, form_plus(b->now.value[s->slot], -1)))
            continue;
        error_at(e->loc, RULE_UNINITIALISED, "'%s.%s' is read before it is set", s->object->name,
                 fd->name);
        note_at(s->object->loc, "'%s' is 'out': it holds nothing on entry", s->object->name);
    }
}

/* -- operators -- */

static void check_shift(struct bounds *b, const struct expr *e)
{
    const struct form by = value_of(b, e->b);
    const int width = type_is_vector(e->type) ? value_types[e->type].lane_bits
                                              : value_types[e->type].bits;

    if (!may_refuse(b, e->b->loc) || range_proves(&b->r, form_plus(form_scale(by, -1), width - 1)))
        return;
    refuse(b, e->b->loc);
    error_at(e->b->loc, RULE_RANGE, "a shift by %s is not provably below the width, %d",
             value_text(b, by), width);
}

static void check_divisor(struct bounds *b, const struct expr *e)
{
    const struct form by = value_of(b, e->b);

    if (may_report(b) && !range_proves(&b->r, form_plus(by, -1)))
        error_at(e->b->loc, RULE_RANGE, "this divisor may be 0");
}

void check_ranges(struct bounds *b, const struct expr *e)
{
    struct expr *child;

    for each_child(child, e)
        check_ranges(b, child);
    if (e->kind == E_LOAD) {
        const int bytes = type_bytes(e->mem);
        const struct form offset = check_access(b, &e->access, bytes, e->loc);
        record_access(b, e->access.object, offset, form_constant(bytes), false, e->loc);
        check_field_is_set(b, e);
    } else if (e->kind == E_BINARY && (e->op == BIN_SHL || e->op == BIN_SHR)) {
        check_shift(b, e);
    } else if (e->kind == E_BINARY && (e->op == BIN_DIV || e->op == BIN_MOD)) {
        check_divisor(b, e);
    }
}

/* -- stores -- */

static void check_member(struct bounds *b, struct form v, const struct value_set *set,
                         struct loc loc, const char *name, struct loc declared)
{
    if (set->n == 0 || !may_refuse(b, loc) || range_proves_in(&b->r, v, set))
        return;
    refuse(b, loc);
    error_at(loc, RULE_VALUE_SET, "%s is not provably in %s, the values of '%s'", value_text(b, v),
             set_text(set), name);
    note_at(declared, "'%s' is declared here", name);
}

/* A store by bytes into a struct must not touch a field with a value set. */
static void check_overlap(struct bounds *b, const struct stmt *s, struct form offset)
{
    const struct struct_type *layout = s->access.object->layout;
    const int bytes = type_bytes(s->mem);

    for (int i = 0; i < layout->field_count && may_report(b); i++) {
        const struct field *fd = &layout->fields[i];
        const wide from = (wide)fd->offset;
        const wide to = from + (wide)fd->count * type_bytes(fd->element);

        if (fd->set.n == 0 || range_proves(&b->r, form_plus(offset, -to)) ||
            range_proves(&b->r, form_plus(form_scale(offset, -1), from - bytes)))
            continue;
        error_at(s->loc, RULE_VALUE_SET, "this store may overwrite part of '%s.%s'",
                 s->access.object->name, fd->name);
        note_at(fd->loc, "its values must stay in %s", set_text(&fd->set));
    }
}

void check_written(struct bounds *b, const struct stmt *s)
{
    const int bytes = type_bytes(s->mem);
    const struct field *fd = access_field(&s->access, bytes);
    const struct form offset = check_access(b, &s->access, bytes, s->loc);

    if (fd != NULL && fd->element == s->mem && fd->set.n > 0) {
        struct form v = value_of(b, s->value);
        if (type_limit(s->mem) < type_limit(s->value->type))
            v = form_sub(v, form_scale(quotient(b, v, type_limit(s->mem) + 1),
                                       type_limit(s->mem) + 1));
        check_member(b, v, &fd->set, s->value->loc, fd->name, fd->loc);
    } else if (s->access.object->layout != NULL && (fd == NULL || fd->set.n > 0)) {
        check_overlap(b, s, offset);
    }
    record_access(b, s->access.object, offset, form_constant(bytes), true, s->loc);
}

/* -- calls -- */

/* The callee's state on entry: its parameters are the values of the arguments. */
static struct bounds callee_view(const struct bounds *b, const struct stmt *s)
{
    const struct func *callee = s->callee;
    struct bounds view = *b;

    view.slot = NEW_ARRAY(int, callee->vars.n + 1);
    view.now.value = NEW_ARRAY(struct form, s->arg_count + 1);
    for (int i = 0; i < callee->vars.n; i++)
        view.slot[i] = -1;
    return view;
}

static void check_argument_memory(struct bounds *b, struct bounds *view, const struct stmt *s,
                                  int i)
{
    const struct object *o = s->args[i].object;
    const struct object *p = s->callee->params[i].object;
    const struct form has = o->kind == OBJECT_TABLE ? form_constant((wide)o->size)
                                                    : b->extent[o->id];

    view->wrap = WRAP_IGNORED;
    const struct form needs = value_of(view, p->extent);
    view->wrap = b->wrap;
    if (may_report(b) && !range_proves(&view->r, form_sub(has, needs))) {
        error_at(s->loc, RULE_EXTENT, "'%s' has %s bytes, '%s' of '%s' needs %s", o->name,
                 range_text(&view->r, has), p->name, s->callee->name, range_text(&view->r, needs));
        note_at(p->loc, "'%s' is declared here", p->name);
    }
    if (p->direction != DIR_OUT)
        record_access(view, o, form_constant(0), has, false, s->loc);
}

/* Two arrays that may be one are given only where the callee allows for it. */
static void check_aliases(const struct bounds *b, const struct stmt *s)
{
    for (int i = 0; i < s->arg_count && may_report(b); i++)
        for (int k = 0; k < i; k++) {
            const struct object *p = s->callee->params[i].object, *q = s->callee->params[k].object;

            if (p == NULL || q == NULL || (p->direction == DIR_IN && q->direction == DIR_IN) ||
                !objects_may_be_same(b->f, s->args[i].object, s->args[k].object) ||
                objects_may_be_same(s->callee, p, q))
                continue;
            error_at(s->loc, RULE_IN_PLACE, "'%s' and '%s' may be the same array here", p->name,
                     q->name);
            note_at(p->loc, "'%s' of '%s' may not be '%s'", p->name, s->callee->name, q->name);
        }
}

void check_called(struct bounds *b, const struct stmt *s)
{
    struct bounds view = callee_view(b, s);

    for (int i = 0; i < s->arg_count; i++) {
        const struct param *p = &s->callee->params[i];

        if (s->args[i].value == NULL || p->var == NULL || !type_is_scalar(p->type))
            continue;
        const struct form v = value_of(b, s->args[i].value);
        view.r = b->r;
        view.slot[p->var->id] = i;
        view.now.value[i] = v;
        check_member(b, v, &p->set, s->args[i].value->loc, p->name, p->loc);
    }
    view.r = b->r;
    for (int i = 0; i < s->arg_count; i++)
        if (s->args[i].object != NULL)
            check_argument_memory(b, &view, s, i);
    for (int i = 0; i < s->callee->where_count; i++)
        if (!condition_holds(&view, s->callee->where[i]) && may_report(b)) {
            error_at(s->loc, RULE_EXTENT, "what '%s' requires is not provable here",
                     s->callee->name);
            note_at(s->callee->where[i]->loc, "its precondition");
        }
    b->r = view.r;
    b->events = view.events;
    check_aliases(b, s);
    for (int i = 0; i < s->arg_count; i++)
        if (s->args[i].object != NULL && s->callee->params[i].object->direction != DIR_IN)
            record_access(b, s->args[i].object, form_constant(0), b->extent[s->args[i].object->id],
                          true, s->loc);
}
