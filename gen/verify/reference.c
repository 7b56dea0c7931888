/* reference.c: statements of the reference walk.
 *
 * Takes a typed function, arguments and a domain; gives the results and the
 * stores made through the domain. Loops run sequentially, whatever their width:
 * the body that is walked is the one elaborated for width 1 (the narrowest
 * arm), which is what `unroll` and `weave` promise to equal.
 *
 * Does not: know registers, flags in NZCV, or any order but the source's.
 */
#include "verify/reference_walk.h"

#include <assert.h>
#include <string.h>

void walk_fault(struct walk *w, struct loc where, const char *what)
{
    if (!w->run->fault) {
        w->run->fault = what;
        w->run->fault_loc = where;
    }
    w->stopped = true;
}

uint64_t walk_number(struct walk *w, const struct expr *e)
{
    uint64_t n = 0;
    val v = walk_expr(w, e);
    if (!w->stopped && !w->domain->number(w->domain, v, &n))
        walk_fault(w, e->loc, "a value that must be public is not known");
    return n;
}

static void set(struct walk *w, const struct var *v, val x)
{
    if (v)
        w->vars[v->id] = x;
}

static val zero_flag(struct walk *w) { return walk_constant(w, 1, 0); }

/* Sets the sum or difference and its carry or borrow. */
static void walk_carry(struct walk *w, const struct stmt *s)
{
    struct domain *d = w->domain;
    int width = value_types[s->a->type].bits;
    val a = walk_expr(w, s->a), b = walk_expr(w, s->b);
    val c = s->flag_in ? walk_expr(w, s->flag_in) : zero_flag(w);
    if (w->stopped)
        return;
    if (s->is_subtract) {       /* a - b - c = a + ~b + (1 - c), and a borrow is no carry */
        b = d->lanes(d, LANE_NOT, width, width, b, 0);
        c = walk_not_flag(w, c);
    }
    val sum = d->add_carry(d, width, a, b, c), out = d->carry(d, width, a, b, c);
    set(w, s->var, sum);
    set(w, s->flag, s->is_subtract ? walk_not_flag(w, out) : out);
}

static void walk_multiply(struct walk *w, const struct stmt *s)
{
    struct domain *d = w->domain;
    val a = walk_expr(w, s->a), b = walk_expr(w, s->b);
    if (w->stopped)
        return;
    set(w, s->var, d->lanes(d, LANE_MUL, 64, 64, a, b));
    set(w, s->high, d->multiply_high(d, false, a, b));
}

static void walk_store(struct walk *w, const struct stmt *s)
{
    struct domain *d = w->domain;
    val v = walk_expr(w, s->value);
    uint64_t address = walk_address(w, &s->access, type_bytes(s->mem), s->loc);
    if (w->stopped)
        return;
    int bits = value_types[s->mem].bits;
    if (bits < value_types[s->value->type].bits)
        v = d->field(d, bits, v, 0, bits, false);
    d->store(d, walk_constant(w, 64, address), bits / 8, v);
    w->run->stores++;
    if (w->run->store_limit && w->run->stores >= w->run->store_limit)
        w->stopped = w->run->limited = true;
}

static void walk_for(struct walk *w, const struct stmt *s)
{
    uint64_t lo = walk_number(w, s->lo), hi = walk_number(w, s->hi);
    const struct for_arm *arm = &s->arms[s->arm_count - 1];
    for (uint64_t i = lo; !w->stopped && i < hi; i += s->step) {
        set(w, s->index, walk_constant(w, value_types[s->index->type].bits, i));
        walk_stmts(w, arm->body);
        if (hi - i <= s->step)
            break;
    }
}

static void walk_while(struct walk *w, const struct stmt *s)
{
    while (!w->stopped && walk_number(w, s->cond))
        walk_stmts(w, s->body);
}

static void walk_return(struct walk *w, const struct stmt *s)
{
    for (int i = 0; i < s->value_count; i++)
        w->results[i] = walk_expr(w, s->values[i]);
    w->result_count = s->value_count;
    w->returned = true;
}

/* A local function walks with its own variables and objects. */
static void walk_call(struct walk *w, const struct stmt *s)
{
    struct walk inner = { .domain = w->domain, .run = w->run, .func = s->callee, .stack = w->stack };
    walk_enter(&inner);
    for (int i = 0; i < s->arg_count; i++) {
        const struct param *p = &s->callee->params[i];
        if (p->object) {
            inner.bases[p->object->id] = walk_base(w, s->args[i].object);
            inner.sizes[p->object->id] = walk_size(w, s->args[i].object);
        } else {
            inner.vars[p->var->id] = walk_expr(w, s->args[i].value);
        }
    }
    if (w->stopped)
        return;
    walk_body(&inner);
    w->stopped = inner.stopped;
    for (int i = 0; i < s->result_count && !w->stopped; i++)
        set(w, s->results[i], inner.results[i]);
}

static void walk_one(struct walk *w, const struct stmt *s)
{
    switch (s->kind) {
    case S_ASSIGN: set(w, s->var, walk_expr(w, s->value)); break;
    case S_CARRY:  walk_carry(w, s); break;
    case S_MUL:    walk_multiply(w, s); break;
    case S_STORE:  walk_store(w, s); break;
    case S_FOR:    walk_for(w, s); break;
    case S_WHILE:  walk_while(w, s); break;
    case S_IF:     walk_stmts(w, walk_number(w, s->cond) ? s->body : s->other); break;
    case S_RETURN: walk_return(w, s); break;
    case S_CALL:   walk_call(w, s); break;
    case S_REPEAT: assert(0 && "made by shape/, never in a reference"); break;
    }
}

void walk_stmts(struct walk *w, const struct stmt *s)
{
    for (; s && !w->stopped && !w->returned; s = s->next) {
        if (++w->run->steps > w->run->step_limit && w->run->step_limit) {
            w->stopped = w->run->limited = true;
            return;
        }
        walk_one(w, s);
    }
}

void walk_enter(struct walk *w)
{
    w->vars = NEW_ARRAY(val, w->func->vars.n + 1);
    w->bases = NEW_ARRAY(uint64_t, w->func->objects.n + 1);
    w->sizes = NEW_ARRAY(uint64_t, w->func->objects.n + 1);
}

/* Places stack arrays, whose extents may be parameters, then walks. */
void walk_body(struct walk *w)
{
    for (int i = 0; i < w->func->objects.n && !w->stopped; i++) {
        const struct object *o = w->func->objects.at[i];
        if (o->kind == OBJECT_PARAM && o->extent) {
            uint64_t extent = walk_number(w, o->extent);
            if (!w->stopped && extent > w->sizes[i])
                walk_fault(w, o->loc, "an array is shorter than its extent says");
        } else if (o->kind == OBJECT_STACK) {
            w->sizes[i] = walk_number(w, o->extent);
            w->stack -= (w->sizes[i] + 15) & ~15ull;
            w->run->stacked += w->sizes[i];
            w->bases[i] = w->stack;
        }
    }
    walk_stmts(w, w->func->body);
}

static struct walk start(struct reference_run *run)
{
    struct walk w = { .domain = run->domain, .run = run, .func = run->func, .stack = run->stack };
    run->fault = NULL;
    run->limited = false;
    run->stores = run->steps = run->expressions = run->stacked = 0;
    walk_enter(&w);
    for (int i = 0; i < run->func->param_count; i++) {
        const struct param *p = &run->func->params[i];
        if (p->object) {
            w.bases[p->object->id] = run->args[i].address;
            w.sizes[p->object->id] = run->args[i].size;
        } else {
            w.vars[p->var->id] = run->args[i].value;
        }
    }
    return w;
}

bool reference_number(const struct reference_run *run, const struct expr *e, uint64_t *out)
{
    struct reference_run scratch = *run;
    struct walk w = start(&scratch);
    *out = walk_number(&w, e);
    return !scratch.fault;
}

bool reference_run(struct reference_run *run)
{
    struct walk w = start(run);
    walk_body(&w);
    memcpy(run->results, w.results, sizeof run->results);
    run->result_count = w.result_count;
    return !run->fault;
}
