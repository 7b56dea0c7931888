/* check_bounds.c: walks a function so that every access can be proved.
 *
 * Takes a finished function; steps through it once with the value of every
 * integer variable that matters (one that reaches an address, a condition, a
 * loop bound, a shift or a value set) as a form over symbols. Conditions add
 * facts for the statements they guard, and for what follows when the other side
 * returns. Where two sides meet, a variable keeps its value or becomes a symbol
 * with the hull of both.
 *
 * A loop is walked with its iteration number t as a symbol. A variable that the
 * body changes is guessed to be start + step * t, or at least to go only up or
 * only down; check_loop.c tests each guess by walking the body silently until
 * what is left holds from one iteration to the next. Only then is the body
 * walked with messages.
 *
 * Does not: track the contents of memory beyond equal loads of unwritten
 * memory and declared value sets.
 */
#include "lang/bounds.h"
#include "lang/bounds_walk.h"

#include <assert.h>
#include <string.h>

/* -- which variables matter -- */

struct needs { struct func *f; struct bits vars; bool changed; };

static void needs_expr(struct needs *n, const struct expr *e, bool value)
{
    struct expr *child;

    if (e->kind == E_VAR && value && type_is_scalar(e->type) && !bits_has(&n->vars, e->var->id)) {
        bits_set(&n->vars, e->var->id);
        n->changed = true;
    }
    for each_child(child, e) {
        const bool address = e->kind == E_LOAD;
        const bool amount = e->kind == E_BINARY && child == e->b &&
                            (e->op == BIN_SHL || e->op == BIN_SHR || e->op == BIN_DIV ||
                             e->op == BIN_MOD);
        needs_expr(n, child, value || address || amount);
    }
}

static bool keeps_value_set(const struct stmt *s)
{
    return s->kind == S_STORE && s->access.object->layout != NULL;
}

static void needs_list(struct needs *n, const struct stmt *s);

static void needs_stmt(struct needs *n, const struct stmt *s)
{
    struct stmt *body;
    struct expr *x;
    struct var *v;
    bool wanted = keeps_value_set(s) || s->kind == S_CALL || s->kind == S_FOR || s->cond != NULL;

    for each_body(body, s)
        needs_list(n, body);
    for each_result(v, s)
        wanted = wanted || (v != NULL && s->kind == S_ASSIGN && bits_has(&n->vars, v->id));
    for each_expr(x, s)
        needs_expr(n, x, wanted || x == s->access.offset);
}

/* Last first: what a statement needs is mostly set above it. */
static void needs_list(struct needs *n, const struct stmt *s)
{
    VEC(const struct stmt *) list = { 0 };

    for (; s != NULL; s = s->next)
        vec_push(&list, s);
    for (int i = list.n; i-- > 0;)
        needs_stmt(n, list.at[i]);
}

static void number_slots(struct bounds *b)
{
    struct func *f = b->f;
    struct needs n = { f, bits_new(f->vars.n), false };

    for (int i = 0; i < f->objects.n; i++)
        if (f->objects.at[i]->extent != NULL)
            needs_expr(&n, f->objects.at[i]->extent, true);
    for (int i = 0; i < f->where_count; i++)
        needs_expr(&n, f->where[i], true);
    do {
        n.changed = false;
        needs_list(&n, f->body);
    } while (n.changed);
    b->slot = NEW_ARRAY(int, f->vars.n + 1);
    for (int i = 0; i < f->vars.n; i++)
        b->slot[i] = bits_has(&n.vars, i) || b->question != NULL ? b->slot_count++ : -1;
}

/* -- state -- */

struct state state_copy(const struct bounds *b, const struct state *from)
{
    struct state to = { NEW_ARRAY(struct form, b->slot_count + 1),
                        NEW_ARRAY(int, b->f->objects.n + 1) };

    memcpy(to.value, from->value, sizeof *to.value * (size_t)b->slot_count);
    memcpy(to.version, from->version, sizeof *to.version * (size_t)b->f->objects.n);
    return to;
}

void set_var(struct bounds *b, const struct var *v, struct form f)
{
    if (v != NULL && b->slot[v->id] >= 0)
        b->now.value[b->slot[v->id]] = f;
}

static void forget_var(struct bounds *b, const struct var *v)
{
    if (v != NULL && type_is_scalar(v->type))
        set_var(b, v, form_symbol(range_symbol(&b->r, SYMBOL_BASE, v->name, 0,
                                               type_limit(v->type))));
}

void memory_changes(struct bounds *b, const struct object *o)
{
    for (int i = 0; i < b->f->objects.n; i++)
        if (objects_may_be_same(b->f, o, b->f->objects.at[i]))
            b->now.version[i] = new_version(b);
}

/* -- fields of `out` structs that have a value set -- */

static void number_fields(struct bounds *b)
{
    for (int i = 0; i < b->f->objects.n; i++) {
        const struct object *o = b->f->objects.at[i];

        if (o->kind != OBJECT_PARAM || o->direction != DIR_OUT || o->layout == NULL)
            continue;
        for (int k = 0; k < o->layout->field_count; k++)
            if (o->layout->fields[k].set.n > 0)
                vec_push(&b->fields, ((struct set_field){ o, &o->layout->fields[k],
                                                          b->slot_count++ }));
    }
}

static bool sets_field(const struct bounds *b, const struct stmt *s, int i)
{
    const struct set_field *fd = &b->fields.at[i];

    for (int k = 0; k < s->arg_count; k++)
        if (s->args[k].object == fd->object && s->callee->params[k].object->direction != DIR_IN)
            return true;
    return s->kind == S_STORE && s->access.object == fd->object && !fd->field->is_array &&
           access_field(&s->access, type_bytes(s->mem)) == fd->field;
}

static void fields_change(struct bounds *b, const struct stmt *s)
{
    for (int i = 0; i < b->fields.n; i++)
        if (sets_field(b, s, i))
            b->now.value[b->fields.at[i].slot] = form_constant(1);
}

/* -- conditions -- */

/* Does control reach the end? Loops are taken to end. */
static bool falls_through(const struct stmt *s)
{
    for (; s != NULL; s = s->next) {
        if (s->kind == S_RETURN)
            return false;
        if (s->kind == S_IF && !falls_through(s->body) && !falls_through(s->other))
            return false;
    }
    return true;
}

/* One side, with what its condition says; its facts stay. */
static struct state walk_side(struct bounds *b, const struct stmt *s, int side,
                              const struct state *before)
{
    const struct frame frame = { b->frame, s, side, b->frame == NULL ? 1 : b->frame->depth + 1, 0,
                                 form_constant(0), form_constant(0) };
    struct frame *kept = NEW(struct frame);

    *kept = frame;
    b->now = state_copy(b, before);
    b->frame = kept;
    assume(b, s->cond, side == 0);
    bounds_list(b, side == 0 ? s->body : s->other);
    b->frame = frame.up;
    return b->now;
}

/* A side at the place where both meet: the bounds of what either changes, taken
 * while its own facts held, and what meetings inside it said. */
struct interval { wide lo, hi; };
struct side { struct state state; struct interval *at; VEC(struct fact) met; };

enum { GUARDS = 8 };            /* conditions inside each other whose meetings are kept */

static void changed_slots(const struct bounds *b, const struct stmt *s, struct bits *slots)
{
    for (; s != NULL; s = s->next) {
        struct stmt *body;
        struct var *v;

        for (int i = 0; i < b->fields.n; i++)
            if (sets_field(b, s, i))
                bits_set(slots, b->fields.at[i].slot);

        for each_result(v, s)
            if (v != NULL && b->slot[v->id] >= 0)
                bits_set(slots, b->slot[v->id]);
        for each_body(body, s)
            changed_slots(b, body, slots);
    }
}

/* Walks a side that reaches the end, and undoes its facts. */
static struct side walk_to_meeting(struct bounds *b, const struct stmt *s, int number,
                                   const struct state *before, const struct bits *changed)
{
    const struct range_marks m = range_mark(&b->r);
    struct side side = { .state = walk_side(b, s, number, before) };

    side.at = NEW_ARRAY(struct interval, b->slot_count + 1);
    for (int i = 0; i < b->slot_count; i++)
        if (bits_has(changed, i))
            range_bounds(&b->r, side.state.value[i], &side.at[i].lo, &side.at[i].hi);
    for (int i = m.path; i < b->r.path.n; i++)
        if (b->r.path.at[i].kind == FACT_WHEN)
            vec_push(&side.met, b->r.path.at[i]);
    range_release(&b->r, m);
    return side;
}

/* Which side was taken: 0 or 1. */
static int selector_symbol(struct bounds *b)
{
    static struct value_range sides[] = { { 0, 0 }, { 1, 1 } };
    static const struct value_set set = { sides, 2 };
    const int s = range_symbol(&b->r, SYMBOL_BASE, "(the side of an if)", 0, 1);

    range_restrict(&b->r, s, &set);
    return s;
}

/* x on side 0, y on side 1: linear in the selector when they differ by a number,
 * otherwise a symbol that equals one or the other. */
static struct form met_value(struct bounds *b, int selector, struct form x, struct form y, wide lo,
                             wide hi)
{
    const struct form gap = form_sub(y, x);

    if (gap.n == 0)
        return form_add(x, form_scale(form_symbol(selector), gap.constant));
    const struct form v = form_symbol(range_symbol(&b->r, SYMBOL_BASE, "a value", lo, hi));
    range_assume_when(&b->r, &(struct guard){ selector, 0 }, 1, form_sub(v, x));
    range_assume_when(&b->r, &(struct guard){ selector, 1 }, 1, form_sub(v, y));
    return v;
}

/* What meetings inside the side said: it holds when that side was taken. */
static void keep_meetings(struct bounds *b, const struct side *side, int selector, int value)
{
    for (int i = 0; i < side->met.n; i++) {
        const struct fact *f = &side->met.at[i];
        struct guard guards[GUARDS];

        if (f->guard_count >= GUARDS)
            continue;
        guards[0] = (struct guard){ selector, value };
        for (int k = 0; k < f->guard_count; k++)
            guards[k + 1] = f->guards[k];
        range_assume_when(&b->r, guards, f->guard_count + 1, f->form);
    }
}

static void meet(struct bounds *b, const struct bits *changed, const struct side *x,
                 const struct side *y)
{
    int selector = -1;

    b->now = state_copy(b, &x->state);
    for (int i = 0; i < b->slot_count; i++) {
        const struct form *on_x = &x->state.value[i], *on_y = &y->state.value[i];

        if (form_equal(on_x, on_y))
            continue;
        if (!bits_has(changed, i) || form_is_unknown(on_x) || form_is_unknown(on_y)) {
            b->now.value[i].n = -1;
            continue;
        }
        if (selector < 0)
            selector = selector_symbol(b);
        const wide lo = x->at[i].lo < y->at[i].lo ? x->at[i].lo : y->at[i].lo;
        const wide hi = x->at[i].hi > y->at[i].hi ? x->at[i].hi : y->at[i].hi;
        b->now.value[i] = met_value(b, selector, *on_x, *on_y, lo, hi);
    }
    if (selector >= 0) {
        keep_meetings(b, x, selector, 0);
        keep_meetings(b, y, selector, 1);
    }
    for (int i = 0; i < b->f->objects.n; i++)
        if (x->state.version[i] != y->state.version[i])
            b->now.version[i] = new_version(b);
}

static void walk_if(struct bounds *b, const struct stmt *s)
{
    const struct state before = state_copy(b, &b->now);
    const bool falls[2] = { falls_through(s->body), falls_through(s->other) };

    check_condition(b, s->cond);
    if (falls[0] && falls[1]) {
        struct bits changed = bits_new(b->slot_count);

        changed_slots(b, s->body, &changed);
        changed_slots(b, s->other, &changed);
        const struct side x = walk_to_meeting(b, s, 0, &before, &changed);
        const struct side y = walk_to_meeting(b, s, 1, &before, &changed);
        meet(b, &changed, &x, &y);
        return;
    }
    /* What returns first; the facts of the other side hold from here on. */
    const int last = falls[0] ? 0 : 1;
    const struct range_marks m = range_mark(&b->r);
    walk_side(b, s, 1 - last, &before);
    range_release(&b->r, m);
    b->now = walk_side(b, s, last, &before);
}

/* -- statements -- */

void check_condition(struct bounds *b, const struct expr *cond)
{
    check_ranges(b, cond);
}

static void answer(struct bounds *b, const struct stmt *s)
{
    struct question *q = b->question;
    wide lo, hi;

    if (q == NULL || q->at != s || b->guessing > 0)
        return;
    if (q->expr != NULL) {
        range_bounds(&b->r, value_of(b, q->expr), &lo, &hi);
        q->lo = q->asked && q->lo < lo ? q->lo : lo;
        q->hi = q->asked && q->hi > hi ? q->hi : hi;
    } else {
        const struct form trips = form_sub(value_of(b, s->hi), value_of(b, s->lo));
        q->divides = (!q->asked || q->divides) &&
                     range_proves_multiple(&b->r, trips, (wide)q->divisor * (wide)s->step);
    }
    q->asked = true;
}

static void bounds_stmt(struct bounds *b, const struct stmt *s)
{
    struct expr *x;
    struct var *v;

    answer(b, s);
    switch (s->kind) {
    case S_IF:
        walk_if(b, s);
        return;
    case S_FOR:
    case S_WHILE:
        bounds_loop(b, s);
        return;
    default:
        break;
    }
    assert(s->kind != S_REPEAT);        /* shape/ makes it, after this */
    for each_expr(x, s)
        check_ranges(b, x);
    if (s->kind == S_ASSIGN && b->slot[s->var->id] >= 0 && type_is_scalar(s->var->type)) {
        set_var(b, s->var, value_of(b, s->value));
        return;
    }
    if (s->kind == S_STORE) {
        check_written(b, s);
        memory_changes(b, s->access.object);
    }
    if (s->kind == S_CALL) {
        check_called(b, s);
        for (int i = 0; i < s->arg_count; i++)
            if (s->args[i].object != NULL && s->callee->params[i].object->direction != DIR_IN)
                memory_changes(b, s->args[i].object);
    }
    fields_change(b, s);
    for each_result(v, s)
        forget_var(b, v);
}

void bounds_list(struct bounds *b, const struct stmt *s)
{
    for (; s != NULL && !too_many_errors(); s = s->next) {
        bounds_stmt(b, s);
        if (s->kind == S_RETURN || (s->kind == S_IF && !falls_through(s->body) &&
                                    !falls_through(s->other)))
            return;                     /* nothing after it runs */
    }
}

/* -- a function -- */

static void enter_params(struct bounds *b)
{
    for (int i = 0; i < b->f->param_count; i++) {
        const struct param *p = &b->f->params[i];

        if (p->var == NULL || !type_is_scalar(p->type) || b->slot[p->var->id] < 0)
            continue;
        const int s = range_symbol(&b->r, SYMBOL_BASE, p->name, 0, type_limit(p->type));
        range_restrict(&b->r, s, &p->set);
        set_var(b, p->var, form_symbol(s));
    }
}

/* Extents of parameters are part of the contract: their sums do not wrap and
 * they do not exceed 2^63 - 1. Those of stack arrays are computed. */
static void enter_extents(struct bounds *b, enum object_kind kind)
{
    for (int i = 0; i < b->f->objects.n; i++) {
        const struct object *o = b->f->objects.at[i];

        if (o->kind != kind)
            continue;
        if (o->extent == NULL) {
            b->extent[i] = form_constant((wide)(o->layout != NULL ? o->layout->size : o->size));
            continue;
        }
        b->wrap = o->kind == OBJECT_PARAM ? WRAP_IGNORED : WRAP_EXACT;
        b->extent[i] = value_of(b, o->extent);
        b->wrap = WRAP_EXACT;
        if (o->kind != OBJECT_PARAM || b->extent[i].n <= 0)
            continue;
        range_assume(&b->r, FACT_GE, b->extent[i]);
        range_assume(&b->r, FACT_GE, form_plus(form_scale(b->extent[i], -1), INT64_MAX));
    }
}

static void run(struct bounds *b)
{
    new_version(b);                     /* version 0: memory on entry */
    number_slots(b);
    number_fields(b);
    b->now.value = NEW_ARRAY(struct form, b->slot_count + 1);
    b->now.version = NEW_ARRAY(int, b->f->objects.n + 1);
    for (int i = 0; i < b->slot_count; i++)
        b->now.value[i].n = -1;
    for (int i = 0; i < b->fields.n; i++)
        b->now.value[b->fields.at[i].slot] = form_constant(0);
    enter_params(b);
    b->extent = NEW_ARRAY(struct form, b->f->objects.n + 1);
    enter_extents(b, OBJECT_PARAM);
    for (int i = 0; i < b->f->where_count; i++)
        assume(b, b->f->where[i], true);
    enter_extents(b, OBJECT_STACK);
    if (b->question != NULL && b->question->at == NULL)
        range_bounds(&b->r, value_of(b, b->question->expr), &b->question->lo, &b->question->hi);
    bounds_list(b, b->f->body);
}

void check_bounds(struct func *f)
{
    struct bounds b = { .f = f };

    run(&b);
    check_in_place(&b);
}

bool expr_value_range(struct func *f, const struct stmt *at, const struct expr *e,
                      struct value_range *out)
{
    struct question q = { .at = at, .expr = e };
    struct bounds b = { .f = f, .silent = true, .question = &q };
    const wide most = type_limit(e->type);

    run(&b);
    const bool told = (q.asked || at == NULL) && (q.lo > 0 || q.hi < most);
    out->lo = told && q.lo > 0 ? (uint64_t)q.lo : 0;
    out->hi = told && q.hi < most ? (uint64_t)q.hi : (uint64_t)most;
    return told;
}

bool trip_count_divides(struct func *f, const struct stmt *loop, uint64_t k)
{
    struct question q = { .at = loop, .divisor = k };
    struct bounds b = { .f = f, .silent = true, .question = &q };

    run(&b);
    return q.asked && q.divides;
}
