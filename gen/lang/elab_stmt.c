/* elab_stmt.c: blocks, branches, returns, and the statements that need no file
 * of their own.
 *
 * Static conditions choose here, so that what is not chosen is never looked at.
 * A `return` inside an expanded function assigns the results of the call; what
 * follows a branch that returned goes into the other branch, so that no jump is
 * needed. Where that would need the same statements twice, or a way out of a
 * loop, the form is refused as `unsupported`.
 *
 * `e->end` is where control goes on; after a branch that returned it stands
 * inside the branch that did not.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

/* -- blocks -- */

static enum flow elab_statement(struct elab *e, const struct node *n);

static bool is_simple(const struct node *n)
{
    return n->kind == N_LET || n->kind == N_VAR || n->kind == N_ASSIGN || n->kind == N_CALL_STMT ||
           n->kind == N_RETURN;
}

/* The algebra belongs to the last statement that the written one became. */
static void attach(struct stmt *first, const char *algebra)
{
    if (first == NULL || algebra == NULL)
        return;
    while (first->next != NULL)
        first = first->next;
    first->algebra = algebra;
}

/* Does control leave at N whatever its conditions are? */
static bool always_ends(const struct node *n)
{
    if (n == NULL || n->kind == N_RETURN)
        return n != NULL;
    if (n->kind == N_IF)
        return always_ends(n->body) && always_ends(n->other);
    if (n->kind != N_BLOCK || n->list == NULL)
        return false;
    for (n = n->list; n->next != NULL;)
        n = n->next;
    return always_ends(n);
}

enum flow elab_statements(struct elab *e, const struct node *first)
{
    enum flow flow = FLOW_OPEN;
    const struct node *previous = NULL;

    for (const struct node *n = first; n != NULL && !e->exhausted; previous = n, n = n->next) {
        struct stmt **mark = e->end;

        if (flow == FLOW_CLOSED) {
            if (always_ends(previous)) {
                error_at(n->loc, RULE_UNUSED, "this is never reached");
                note_at(previous->loc, "control does not go past this");
            }
            break;
        }
        if (enter(e, n->loc))
            flow = elab_statement(e, n);
        leave(e);
        if (is_simple(n))
            attach(*mark, n->algebra);
    }
    return flow;
}

enum flow elab_block(struct elab *e, const struct node *block)
{
    const int facts = e->facts.n;
    enum flow flow;

    scope_push(e);
    flow = elab_statements(e, block->kind == N_BLOCK ? block->list : block);
    scope_pop(e);
    e->facts.n = facts;
    return flow;
}

/* -- branches -- */

struct branch { struct stmt **end; enum flow flow; bool returned; };

static struct branch elab_branch(struct elab *e, struct stmt **list, const struct node *body,
                                 struct expr *holds)
{
    const int facts = e->facts.n, returns = e->frame != NULL ? e->frame->returns : 0;
    struct branch b;

    e->end = list;
    add_fact(e, holds);
    b.flow = body != NULL ? elab_block(e, body) : FLOW_OPEN;
    b.end = e->end;
    b.returned = e->frame != NULL && e->frame->returns != returns;
    e->facts.n = facts;
    return b;
}

/* Where an expanded function goes on after a choice. */
static enum flow join_in_frame(struct elab *e, const struct node *n, const struct branch *a,
                               const struct branch *b, struct stmt **after)
{
    e->end = after;
    if (a->flow == FLOW_CLOSED && b->flow == FLOW_CLOSED)
        return FLOW_CLOSED;
    if (!a->returned && !b->returned)
        return FLOW_OPEN;
    if (a->flow == FLOW_OPEN && b->flow == FLOW_OPEN) {
        error_at(n->loc, RULE_UNSUPPORTED,
                 "'%s' returns on some paths through this and goes on after others: "
                 "kgen expands a function only where its returns end an if/else chain",
                 e->frame->fn->name);
        return FLOW_CLOSED;
    }
    e->end = a->flow == FLOW_OPEN ? a->end : b->end;
    return FLOW_OPEN;
}

static enum flow elab_run_time_if(struct elab *e, const struct node *n, struct expr *condition)
{
    struct stmt *s = emit(e, S_IF, n->loc);
    struct stmt **after = e->end;
    struct branch a, b;
    enum flow flow;

    s->cond = condition;
    a = elab_branch(e, &s->body, n->body, condition);
    b = elab_branch(e, &s->other, n->other, make_not(condition));
    if (e->frame != NULL) {
        flow = join_in_frame(e, n, &a, &b, after);
    } else {
        e->end = after;
        flow = a.flow == FLOW_CLOSED && b.flow == FLOW_CLOSED ? FLOW_CLOSED : FLOW_OPEN;
    }
    if (a.flow == FLOW_CLOSED && flow == FLOW_OPEN)
        add_fact(e, make_not(condition));
    if (b.flow == FLOW_CLOSED && flow == FLOW_OPEN)
        add_fact(e, condition);
    return flow;
}

static enum flow elab_if(struct elab *e, const struct node *n)
{
    bool known, is_true;
    struct expr *condition = elab_condition(e, n->a, &known, &is_true);
    const struct node *chosen;

    if (known) {
        chosen = is_true ? n->body : n->other;
        return chosen != NULL ? elab_block(e, chosen) : FLOW_OPEN;
    }
    if (condition == NULL)
        return FLOW_OPEN;
    if (n->is_static) {
        error_at(n->a->loc, RULE_STATIC, "a static condition must be known when kgen runs");
        return FLOW_OPEN;
    }
    return elab_run_time_if(e, n, condition);
}

static void elab_while(struct elab *e, const struct node *n)
{
    struct stmt **mark = e->end, *s;
    bool known, is_true;
    struct expr *condition = elab_condition(e, n->a, &known, &is_true);

    if (known && is_true)
        error_at(n->a->loc, RULE_UNSUPPORTED, "a loop that never ends");
    if (condition == NULL)
        return;
    if (*mark != NULL) {
        error_at(n->a->loc, RULE_UNSUPPORTED,
                 "the condition of a while is one expression, without calls of functions or choices");
        return;
    }
    s = emit(e, S_WHILE, n->loc);
    s->cond = condition;
    e->end = &s->body;
    if (e->frame != NULL)
        e->frame->loops++;
    (void)elab_block(e, n->body);
    if (e->frame != NULL)
        e->frame->loops--;
    e->end = &s->next;
}

/* -- return -- */

/* The returned values as one item for each result; -1 after a message. */
static int returned_items(struct elab *e, const struct node *n, int wanted, enum value_type want,
                          struct item **out)
{
    int count;

    *out = elab_arguments(e, n->list, want, &count);
    if (count == 1 && wanted > 1) {
        struct item *only = *out;

        if (only->kind == ITEM_LIST && only->n == wanted) {
            *out = only->at;
            return wanted;
        }
        if (only->kind == ITEM_CONSTANT && only->constant.kind == CONSTANT_LIST &&
            only->constant.u.list->n == wanted) {
            struct item *parts = NEW_ARRAY(struct item, wanted);

            for (int i = 0; i < wanted; i++)
                parts[i] = item_constant(only->constant.u.list->at[i], only->loc);
            *out = parts;
            return wanted;
        }
    }
    if (count != wanted) {
        error_at(n->loc, RULE_TYPE, "%d value%s returned, %d declared", count,
                 count == 1 ? " is" : "s are", wanted);
        return -1;
    }
    return count;
}

static enum flow return_from_frame(struct elab *e, const struct node *n)
{
    struct frame *f = e->frame;
    const bool is_tuple = f->results.kind == ITEM_LIST && f->results.is_tuple;
    const int wanted = f->results.kind == ITEM_NOTHING ? 0 : is_tuple ? f->results.n : 1;
    struct place *places = NEW_ARRAY(struct place, wanted + 1);
    struct item *items;
    int count;

    f->returns++;
    if (f->loops > 0) {
        error_at(n->loc, RULE_UNSUPPORTED,
                 "'%s' is expanded where it is called, so it cannot return from inside a loop",
                 f->fn->name);
        return FLOW_CLOSED;
    }
    for (int i = 0; i < wanted; i++)
        places[i] = place_of_item(e, is_tuple ? &f->results.at[i] : &f->results);
    count = returned_items(e, n, wanted, wanted == 1 && places[0].kind == PLACE_VAR
                                             ? places[0].type : TYPE_VOID, &items);
    if (count > 0)
        assign_items(e, places, wanted, items, count, n->loc);
    return FLOW_CLOSED;
}

static bool flatten_result(struct elab *e, struct item *it, const struct shape_of *shape,
                           struct expr **values, int *n)
{
    if (shape->count < 0) {
        values[*n] = coerce(e, *it, shape->type);
        return values[(*n)++] != NULL;
    }
    for (int i = 0; i < shape->count; i++) {
        struct item part;

        if (!list_part(e, it, shape->count, i, &part))
            return false;
        values[*n] = coerce(e, part, shape->type);
        if (values[(*n)++] == NULL)
            return false;
    }
    return true;
}

enum flow elab_return(struct elab *e, const struct node *n)
{
    struct item *items;
    struct expr **values;
    struct stmt *s;
    int count, flat = 0;

    if (e->frame != NULL)
        return return_from_frame(e, n);
    count = returned_items(e, n, e->result_count, e->result_count == 1 ? e->results[0].type
                           : TYPE_VOID,
                           &items);
    if (count < 0)
        return FLOW_CLOSED;
    values = NEW_ARRAY(struct expr *, e->func->result_count + 1);
    for (int i = 0; i < count; i++)
        if (!flatten_result(e, &items[i], &e->results[i], values, &flat))
            return FLOW_CLOSED;
    s = emit(e, S_RETURN, n->loc);
    s->values = values;
    s->value_count = flat;
    return FLOW_CLOSED;
}

/* -- stack arrays, static let, calls -- */

static void elab_stack(struct elab *e, const struct node *n)
{
    struct type_use t;
    struct object *o;
    struct item it = {.kind = ITEM_MEMORY, .loc = n->name_loc};
    uint64_t align;

    if (!type_use_of(e->unit, n->type, &t))
        return;
    if (t.layout == NULL && t.extent == NULL) {
        error_at(n->type->loc, RULE_TYPE, "a stack array needs an extent: %s[n]", n->type->name);
        return;
    }
    o = make_object(e, OBJECT_STACK, n->name, n->name_loc);
    o->element = t.layout != NULL ? TYPE_VOID : canonical_type(t.value);
    o->layout = t.layout;
    o->secret = n->secrecy != MARK_PUBLIC;
    o->align = t.layout != NULL ? t.layout->align : natural_align(t.value);
    o->extent = declared_extent(e, &t);
    if (o->extent == NULL) {
        scope_bind(e, n->name, n->name_loc, item_error(n->name_loc));
        return;
    }
    o->extent = resolve(e, o->extent);
    if (n->b != NULL && elab_static(e, n->b, "an alignment", &align) &&
        check_align(n->b->loc, align, o->align))
        o->align = align;
    it.memory = whole_object(o);
    scope_bind(e, n->name, n->name_loc, it);
}

void elab_static_let(struct elab *e, const struct node *n)
{
    struct item it = elab_expr(e, n->a, TYPE_VOID);
    const bool several = n->list->next != NULL;
    int i = 0;

    if (it.kind != ITEM_CONSTANT) {
        if (it.kind != ITEM_ERROR)
            error_at(n->a->loc, RULE_STATIC, "a static let must be known when kgen runs, this is %s",
                     item_text(&it));
        it = item_error(n->loc);
    }
    for (const struct node *b = n->list; b != NULL; b = b->next, i++) {
        struct item part = it;
        struct static_type type = {0};

        if (several && it.kind == ITEM_CONSTANT) {
            if (it.constant.kind != CONSTANT_LIST || i >= it.constant.u.list->n) {
                error_at(n->loc, RULE_TYPE, "this is %s", item_text(&it));
                return;
            }
            part = item_constant(it.constant.u.list->at[i], n->a->loc);
        }
        if (part.kind == ITEM_CONSTANT && b->type != NULL &&
            (!static_type_of(e->unit, b->type, &type) ||
             !static_convert(&type, &part.constant, b->loc)))
            part = item_error(n->loc);
        part.type = TYPE_VOID;
        scope_bind(e, b->name, b->name_loc, part)->why_not = "static";
    }
}

static void elab_call_statement(struct elab *e, const struct node *n)
{
    const struct node *call = n->a;
    struct item it;

    if (unit_find(e->unit, call->name) == NULL && strcmp(call->name, "store") == 0) {
        (void)elab_store(e, call);
        return;
    }
    it = elab_expr(e, call, TYPE_VOID);
    if (it.kind != ITEM_NOTHING && it.kind != ITEM_ERROR)
        error_at(n->loc, RULE_UNUSED, "the result of '%s' is not used: 'let _ = %s(…)' says so",
                 call->name, call->name);
}

static enum flow elab_statement(struct elab *e, const struct node *n)
{
    switch (n->kind) {
    case N_BLOCK:
        return elab_block(e, n);
    case N_IF:
        return elab_if(e, n);
    case N_FOR:
        return n->is_static ? elab_static_for(e, n) : elab_for(e, n);
    case N_RETURN:
        return elab_return(e, n);
    case N_WHILE:
        elab_while(e, n);
        break;
    case N_LET:
    case N_VAR:
        elab_declare(e, n);
        break;
    case N_ASSIGN:
        elab_assign(e, n);
        break;
    case N_STACK:
        elab_stack(e, n);
        break;
    case N_STATIC_LET:
        elab_static_let(e, n);
        break;
    case N_CALL_STMT:
        elab_call_statement(e, n);
        break;
    default:
        error_at(n->loc, RULE_SYNTAX, n->kind == N_EXPECT ? "'expect' stands in test blocks"
                                                           : "this does not stand in a function");
        break;
    }
    return FLOW_OPEN;
}
