/* elab_call.c: calls of functions.
 *
 * `inline` functions, and exports called from the module, are expanded: their
 * body is elaborated at the call, with parameters bound to what the call gives.
 * Arguments are evaluated once, in order. A value that cannot change is bound
 * as it is, anything else through a fresh variable; memory is bound to the
 * caller's object, so that accesses are proved against the real extent.
 *
 * `local` functions are called: S_CALL with every register of an array an
 * argument of its own. `static` functions are run.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

enum { LOCAL_DEPTH_LIMIT = 20 };

static int param_count(const struct entity *fn)
{
    int n = 0;

    for (const struct param_node *p = fn->node->function->params; p != NULL; p = p->next)
        n++;
    return n;
}

static bool count_fits(const struct entity *fn, const struct node *call)
{
    const int wanted = param_count(fn);
    int given = 0;

    for (const struct node *a = call->list; a != NULL; a = a->next)
        given++;
    if (given == wanted)
        return true;
    error_at(call->loc, RULE_TYPE, "'%s' takes %d argument%s, not %d", fn->name, wanted,
             wanted == 1 ? "" : "s", given);
    note_at(fn->loc, "'%s' is declared here", fn->name);
    return false;
}

/* -- arguments -- */

static enum value_type wanted_type(const struct param_node *p)
{
    return p->direction == DIR_VALUE ? value_type_named(p->type->name) : TYPE_VOID;
}

/* One item for each parameter; NULL after a message. */
static struct item *call_items(struct elab *e, const struct entity *fn, const struct node *call)
{
    struct item *items = NEW_ARRAY(struct item, param_count(fn) + 1);
    const struct param_node *p = fn->node->function->params;
    bool ok = true;
    int n = 0;

    if (!count_fits(fn, call))
        return NULL;
    for (const struct node *a = call->list; a != NULL; a = a->next, p = p->next) {
        struct stmt **mark = e->end;
        const enum value_type want = wanted_type(p);

        items[n] = elab_expr(e, a, type_is_flag(want) || want == TYPE_U8 || want == TYPE_U16
                                       ? TYPE_VOID : want);
        for (int i = 0; i < n; i++)
            settle(e, mark, &items[i]);
        if (items[n].kind == ITEM_NOTHING)
            error_at(a->loc, RULE_TYPE, "this call gives nothing");
        ok = ok && items[n].kind != ITEM_ERROR && items[n].kind != ITEM_NOTHING;
        n++;
    }
    return ok ? items : NULL;
}

/* -- memory arguments -- */

static bool same_kind_of_memory(const struct memory *m, const struct type_use *t)
{
    if (t->layout != NULL || m->layout != NULL)
        return t->layout == m->layout;
    return canonical_type(t->value) == m->element;
}

static bool memory_fits(struct elab *e, const struct param_node *p, const struct item *it,
                        struct type_use *t)
{
    if (!type_use_of(e->unit, p->type, t))
        return false;
    if (it->kind != ITEM_MEMORY || !same_kind_of_memory(&it->memory, t)) {
        error_at(it->loc, RULE_TYPE, "'%s' is memory of type %s, this is %s", p->name, p->type->name,
                 item_text(it));
        note_at(p->loc, "'%s' is declared here", p->name);
        return false;
    }
    if (p->direction != DIR_IN && !it->memory.is_writable) {
        error_at(it->loc, RULE_TYPE, "'%s' is written by the function, but %s cannot be written",
                 p->name, item_text(it));
        note_at(it->memory.object->loc, "'%s' is declared here", it->memory.object->name);
        return false;
    }
    if (t->layout == NULL && t->extent == NULL) {
        error_at(p->type->loc, RULE_TYPE, "memory needs an extent: %s[1] for one", p->type->name);
        return false;
    }
    return true;
}

static void too_short(const struct param_node *p, const struct item *it)
{
    error_at(it->loc, RULE_EXTENT, "'%s' is not provably as long as '%s' must be",
             it->memory.name, p->name);
    note_at(p->loc, "'%s' is declared here", p->name);
    note_at(it->memory.object->loc, "'%s' is declared here", it->memory.object->name);
}

/* -- expansion -- */

static bool can_change(const struct expr *x)
{
    return x->kind != E_CONST && !(x->kind == E_VAR && !x->var->is_mutable);
}

static struct item bound_value(struct elab *e, const struct param_node *p, const char *name,
                               struct expr *value, struct loc call)
{
    struct var *v;

    if (!can_change(value))
        return item_value(value);
    v = make_var(e, name, value->type, p->loc);
    v->ignored = true;          /* a parameter that this expansion may not need */
    emit_assign(e, v, value, call);
    return item_value(make_var_expr(v, p->loc));
}

static bool in_declared_set(struct elab *e, const struct param_node *p, enum value_type type,
                            const struct item *it)
{
    struct value_set set;

    if (p->set == NULL || it->kind != ITEM_CONSTANT)
        return true;
    if (!make_value_set(e->unit, p->set, type, &set))
        return false;
    if (value_set_has(&set, it->constant.u.number))
        return true;
    error_at(it->loc, RULE_VALUE_SET, "%s is not in the value set of '%s'",
             constant_text(&it->constant), p->name);
    note_at(p->loc, "'%s' is declared here", p->name);
    return false;
}

static bool bind_value(struct elab *e, const struct param_node *p, struct item *it, struct loc call)
{
    struct shape_of shape;
    struct item bound;
    struct expr *x;

    if (!value_shape(e, p->type, &shape))
        return false;
    if (shape.count < 0) {
        x = coerce(e, *it, shape.type);
        if (x == NULL || !in_declared_set(e, p, shape.type, it))
            return false;
        bound = *it;
        bound.type = canonical_type(shape.type);
        if (it->kind != ITEM_CONSTANT || !type_is_scalar(shape.type))
            bound = bound_value(e, p, p->name, x, call);
    } else {
        bound = (struct item){.kind = ITEM_LIST, .loc = p->loc, .n = (int)shape.count,
                              .at = NEW_ARRAY(struct item, shape.count)};
        for (int i = 0; i < bound.n; i++) {
            struct item part;

            if (!list_part(e, it, shape.count, i, &part) ||
                (x = coerce(e, part, shape.type)) == NULL)
                return false;
            bound.at[i] = bound_value(e, p, mem_format("%s[%d]", p->name, i), x, call);
        }
    }
    scope_bind(e, p->name, p->loc, bound)->why_not = "a parameter";
    return true;
}

static bool bind_static(struct elab *e, const struct param_node *p, struct item *it)
{
    struct static_type type;

    if (it->kind != ITEM_CONSTANT) {
        error_at(it->loc, RULE_STATIC, "'%s' is a static parameter: this must be known when kgen runs",
                 p->name);
        note_at(p->loc, "'%s' is declared here", p->name);
        return false;
    }
    it->type = TYPE_VOID;
    if (!static_type_of(e->unit, p->type, &type) ||
        !static_convert(&type, &it->constant, it->loc) ||
        !in_declared_set(e, p, value_type_named(p->type->name), it))
        return false;
    scope_bind(e, p->name, p->loc, *it)->why_not = "a static parameter";
    return true;
}

static bool bind_memory(struct elab *e, const struct param_node *p, const struct item *it)
{
    struct item bound = *it;
    struct type_use t;
    struct expr *need;

    if (!memory_fits(e, p, it, &t))
        return false;
    need = declared_extent(e, &t);
    if (need == NULL)
        return false;
    if (!proved_at_most(e, need, it->memory.extent)) {
        too_short(p, it);
        return false;
    }
    bound.memory.extent = need;
    bound.memory.is_array = t.layout == NULL;
    bound.memory.is_writable = p->direction != DIR_IN;
    bound.memory.name = p->name;
    scope_bind(e, p->name, p->loc, bound);
    return true;
}

/* Values before memory: extents may name any of them. */
static bool bind_all(struct elab *e, const struct entity *fn, struct item *items, struct loc call)
{
    const struct param_node *first = fn->node->function->params;
    int i = 0;

    for (const struct param_node *p = first; p != NULL; p = p->next, i++)
        if (p->is_static && !bind_static(e, p, &items[i]))
            return false;
    i = 0;
    for (const struct param_node *p = first; p != NULL; p = p->next, i++)
        if (!p->is_static && p->direction == DIR_VALUE && !bind_value(e, p, &items[i], call))
            return false;
    i = 0;
    for (const struct param_node *p = first; p != NULL; p = p->next, i++)
        if (p->direction != DIR_VALUE && !bind_memory(e, p, &items[i]))
            return false;
    return true;
}

static bool calls_itself(const struct elab *e, const struct entity *fn, const struct node *call)
{
    bool found = e->func->name == fn->name && e->func->module == fn->unit->module;

    for (const struct frame *f = e->frame; f != NULL && !found; f = f->outer)
        found = f->fn == fn;
    if (found) {
        error_at(call->loc, RULE_UNSUPPORTED,
                 "'%s' calls itself: functions are expanded or have fixed frames",
                 fn->name);
        note_at(fn->loc, "'%s' is declared here", fn->name);
    }
    return found;
}

static void results_assigned_twice(struct elab *e, struct item *results)
{
    if (results->kind == ITEM_VALUE) {
        results->expr->var->is_mutable = true;
        e->bound.at[results->expr->var->id] = NULL;
    }
    for (int i = 0; results->kind == ITEM_LIST && i < results->n; i++)
        results_assigned_twice(e, &results->at[i]);
}

/* The body, with parameters bound: everything between the call's arguments and
 * its results. */
static struct item expand(struct elab *e, struct entity *fn, struct item *items,
                          const struct node *call)
{
    struct frame frame = {.outer = e->frame, .fn = fn};
    struct stmt **mark = e->end;
    const int facts = e->facts.n;
    enum flow flow;

    if (!bind_all(e, fn, items, call->loc))
        return item_error(call->loc);
    frame.results = make_results(e, fn);
    if (frame.results.kind == ITEM_ERROR)
        return frame.results;
    e->frame = &frame;
    diag_push_expansion(call->loc, fn->name);
    flow = elab_block(e, fn->node->function->body);
    diag_pop_expansion();
    e->frame = frame.outer;
    e->facts.n = facts;
    if (flow == FLOW_OPEN && frame.results.kind != ITEM_NOTHING && !e->exhausted) {
        error_at(fn->loc, RULE_UNINITIALISED, "'%s' may end without returning a value", fn->name);
        return item_error(call->loc);
    }
    e->end = list_end(mark);
    if (frame.returns > 1)
        results_assigned_twice(e, &frame.results);
    return frame.results;
}

struct item call_inline(struct elab *e, struct entity *fn, const struct node *call)
{
    struct scope *outer = e->scope;
    struct item *items, result;

    if (calls_itself(e, fn, call))
        return item_error(call->loc);
    items = call_items(e, fn, call);
    if (items == NULL)
        return item_error(call->loc);
    e->scope = NULL;
    scope_push(e);
    result = expand(e, fn, items, call);
    e->scope = outer;
    result.loc = call->loc;
    return result;
}

/* -- subroutines -- */

/* A callee's expression over its parameters, for this call's arguments. */
static struct expr *for_call(struct expr *x, const struct func *callee, const struct call_arg *args)
{
    struct expr *r;

    if (x == NULL)
        return NULL;
    for (int i = 0; x->kind == E_VAR && i < callee->param_count; i++)
        if (callee->params[i].var == x->var)
            return args[i].value;
    r = NEW(struct expr);
    *r = *x;
    r->a = for_call(x->a, callee, args);
    r->b = for_call(x->b, callee, args);
    return r->kind == E_CONVERT ? make_convert(r->a, r->type, r->loc) : r;
}

/* The parameters p, or p[0], p[1] …, from number *AT on. */
static bool value_args(struct elab *e, const struct param_node *p, const struct func *callee,
                       struct item *it, int *at, struct call_arg *args)
{
    struct shape_of shape;
    int n;

    if (!value_shape(e, p->type, &shape))
        return false;
    n = shape.count < 0 ? 1 : (int)shape.count;
    for (int i = 0; i < n; i++, (*at)++) {
        struct item part = *it;

        if (shape.count >= 0 && !list_part(e, it, n, i, &part))
            return false;
        args[*at].value = coerce(e, part, callee->params[*at].type);
        if (args[*at].value == NULL)
            return false;
    }
    return true;
}

static bool memory_arg(struct elab *e, const struct param_node *p, const struct item *it,
                       struct call_arg *arg)
{
    struct type_use t;

    if (!memory_fits(e, p, it, &t))
        return false;
    if (it->memory.offset != NULL && !(is_constant_expr(it->memory.offset) &&
                                       it->memory.offset->value[0] == 0)) {
        error_at(it->loc, RULE_UNSUPPORTED,
                 "a part of a struct is not passed to a local function yet");
        return false;
    }
    arg->object = it->memory.object;
    return true;
}

static bool extents_fit(struct elab *e, const struct entity *fn, const struct func *callee,
                        struct item *items, const struct call_arg *args)
{
    const struct param_node *p = fn->node->function->params;

    for (int i = 0; p != NULL; p = p->next, i++) {
        const struct object *o = NULL;

        for (int k = 0; k < callee->param_count && p->direction != DIR_VALUE; k++)
            if (callee->params[k].name == p->name)
                o = callee->params[k].object;
        if (o != NULL && !proved_at_most(e, for_call(o->extent, callee, args),
                                         items[i].memory.extent)) {
            too_short(p, &items[i]);
            return false;
        }
    }
    return true;
}

/* Arrays that may be one here must be allowed to be one there. */
static bool aliasing_fits(struct elab *e, const struct func *callee, const struct call_arg *args,
                          const struct node *call)
{
    const int n = callee->objects.n;

    for (int i = 0; i < callee->param_count; i++) {
        for (int j = i + 1; j < callee->param_count; j++) {
            const struct object *a = args[i].object, *b = args[j].object;
            const struct object *x = callee->params[i].object, *y = callee->params[j].object;

            if (a == NULL || b == NULL || !may_be_same_here(e, a, b) ||
                callee->may_be_same[x->id * n + y->id] ||
                (x->direction == DIR_IN && y->direction == DIR_IN))
                continue;
            error_at(call->loc, RULE_IN_PLACE,
                     "'%s' and '%s' may be the same array, "
                     "but '%s' takes different ones for '%s' and '%s'",
                     a->name, b->name, callee->name, x->name, y->name);
            note_at(callee->loc, "'%s' is declared here", callee->name);
            return false;
        }
    }
    return true;
}

static bool local_args(struct elab *e, const struct entity *fn, const struct func *callee,
                       struct item *items, struct call_arg *args)
{
    const struct param_node *p = fn->node->function->params;
    int at = 0;

    for (int i = 0; p != NULL; p = p->next, i++) {
        if (at >= callee->param_count)
            return false;
        if (p->direction == DIR_VALUE ? !value_args(e, p, callee, &items[i], &at, args)
                                      : !memory_arg(e, p, &items[i], &args[at++]))
            return false;
    }
    return at == callee->param_count;
}

static void list_results(const struct item *it, struct var **out, int *n)
{
    if (it->kind == ITEM_VALUE)
        out[(*n)++] = it->expr->var;
    for (int i = 0; it->kind == ITEM_LIST && i < it->n; i++)
        list_results(&it->at[i], out, n);
}

struct item call_local(struct elab *e, struct entity *fn, const struct node *call)
{
    struct func *callee;
    struct call_arg *args;
    struct item *items, results;
    struct stmt *s;

    if (fn->func_under_way || calls_itself(e, fn, call)) {
        error_at(call->loc, RULE_UNSUPPORTED,
                 "'%s' calls itself: functions are expanded or have fixed frames",
                 fn->name);
        return item_error(call->loc);
    }
    if (fn->func == NULL && e->unit->func_depth == LOCAL_DEPTH_LIMIT) {
        error_at(call->loc, RULE_UNSUPPORTED, "local functions call each other more than %d deep",
                 (int)LOCAL_DEPTH_LIMIT);
        return item_error(call->loc);
    }
    e->unit->func_depth++;
    callee = entity_func(fn);
    e->unit->func_depth--;
    fn->is_used = true;
    if (fn->progress == PROGRESS_FAILED)
        return item_error(call->loc);
    items = call_items(e, fn, call);
    if (items == NULL)
        return item_error(call->loc);
    args = NEW_ARRAY(struct call_arg, callee->param_count + 1);
    if (!local_args(e, fn, callee, items, args) || !extents_fit(e, fn, callee, items, args) ||
        !aliasing_fits(e, callee, args, call))
        return item_error(call->loc);
    results = make_results(e, fn);
    if (results.kind == ITEM_ERROR)
        return results;
    s = emit(e, S_CALL, call->loc);
    s->callee = callee;
    s->args = args;
    s->arg_count = callee->param_count;
    s->results = NEW_ARRAY(struct var *, callee->result_count + 1);
    list_results(&results, s->results, &s->result_count);
    results.loc = call->loc;
    return results;
}

/* -- every call -- */

static struct item call_static(struct elab *e, struct entity *fn, const struct node *call)
{
    struct constant *args, result;
    struct item *items, it;
    int n;

    items = elab_arguments(e, call->list, TYPE_VOID, &n);
    args = NEW_ARRAY(struct constant, n + 1);
    for (int i = 0; i < n; i++) {
        if (items[i].kind != ITEM_CONSTANT) {
            if (items[i].kind != ITEM_ERROR)
                error_at(items[i].loc, RULE_STATIC,
                         "'%s' is a static function: this must be known when kgen runs", fn->name);
            return item_error(call->loc);
        }
        args[i] = items[i].constant;
    }
    if (!static_call(fn, args, n, call->loc, &result))
        return item_error(call->loc);
    it = item_constant(result, call->loc);
    if (fn->node->function->results == NULL)
        it.kind = ITEM_NOTHING;
    return it;
}

struct item elab_call(struct elab *e, const struct node *n, enum value_type want)
{
    struct entity *fn = unit_find(e->unit, n->name);
    const enum insn *rows;

    if (fn == NULL && is_builtin(n->name))
        return elab_builtin(e, n, want);
    if (fn == NULL && insns_by_mnemonic(n->name, &rows) > 0)
        return elab_insn(e, n, want);
    if (fn == NULL) {
        unknown_function(e, n->name_loc, n->name);
        return item_error(n->loc);
    }
    if (fn->kind != ENTITY_FUNCTION) {
        error_at(n->loc, RULE_TYPE, "'%s' is not a function", n->name);
        note_at(fn->loc, "'%s' is declared here", n->name);
        return item_error(n->loc);
    }
    switch (fn->node->function->kind) {
    case FN_STATIC:
        return call_static(e, fn, n);
    case FN_LOCAL:
        return call_local(e, fn, n);
    default:
        return call_inline(e, fn, n);
    }
}
