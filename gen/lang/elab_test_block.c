/* elab_test_block.c: test blocks.
 *
 * Takes an N_TEST; gives the steps of a test with every byte known: buffers,
 * calls of exports, and what must be in a buffer afterwards. Everything in a
 * test is static but the calls. Loops and conditions are expanded here.
 *
 * Holds: each argument fits its parameter: numbers are in the declared type and
 * value set, memory has the extent that the other arguments give it, and the
 * preconditions hold, so that a test never runs a kernel outside its contract.
 * An expectation about constants alone is decided here.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

enum { TEST_STEP_LIMIT = 20000, TEST_BUFFER_LIMIT = 1 << 24 };

struct test_walk { struct elab e; struct test_step **end; int steps; };

static void walk(struct test_walk *w, const struct node *first);

static struct test_step *add_step(struct test_walk *w, enum test_step_kind kind, struct loc loc)
{
    struct test_step *s = NEW(struct test_step);

    s->kind = kind;
    s->loc = loc;
    *w->end = s;
    w->end = &s->next;
    if (++w->steps == TEST_STEP_LIMIT + 1)
        error_at(loc, RULE_UNSUPPORTED, "a test of more than %d steps", (int)TEST_STEP_LIMIT);
    return s;
}

/* -- numbers of a call: extents and preconditions -- */

struct call_values { const struct func *callee; const uint64_t *numbers; };

static bool evaluate(const struct expr *x, const struct call_values *v, uint64_t *out)
{
    uint64_t a, b = 0;

    switch (x->kind) {
    case E_CONST:
        *out = x->value[0];
        return true;
    case E_VAR:
        for (int i = 0; i < v->callee->param_count; i++) {
            if (v->callee->params[i].var == x->var) {
                *out = v->numbers[i];
                return true;
            }
        }
        return false;
    case E_CONVERT:
        if (!evaluate(x->a, v, &a))
            return false;
        *out = low_bits(a, value_types[x->type].bits);
        return true;
    case E_BINARY:
    case E_COMPARE:
        if (!evaluate(x->a, v, &a) || !evaluate(x->b, v, &b) ||
            static_binary(x->op, a, b, out) != NULL)
            return false;
        if (x->kind == E_BINARY)
            *out = low_bits(*out, value_types[x->type].bits);
        return true;
    case E_LOGIC:
        if (!evaluate(x->a, v, &a) || (x->b != NULL && !evaluate(x->b, v, &b)))
            return false;
        *out = x->op == UN_LOGIC_NOT ? a == 0
             : x->op == BIN_LOGIC_AND ? a != 0 && b != 0 : a != 0 || b != 0;
        return true;
    default:
        return false;
    }
}

/* -- buffers -- */

static bool fixed_extent(struct elab *e, const struct type_use *t, uint64_t *bytes)
{
    uint64_t count;

    if (t->layout != NULL) {
        *bytes = t->layout->size;
        return true;
    }
    if (!elab_static(e, t->extent, "the extent of a buffer", &count))
        return false;
    if (count > TEST_BUFFER_LIMIT) {
        error_at(t->extent->loc, RULE_EXTENT, "a buffer of %llu elements", (unsigned long long)count);
        return false;
    }
    *bytes = count * (uint64_t)type_bytes(t->value);
    return true;
}

static void declare_buffer(struct test_walk *w, const struct node *n, const struct type_use *t)
{
    struct elab *e = &w->e;
    const struct node *b = n->list;
    struct object *o = make_object(e, OBJECT_STACK, b->name, b->name_loc);
    struct item it = {.kind = ITEM_MEMORY, .loc = b->name_loc}, value;
    struct test_step *s;

    o->element = t->layout != NULL ? TYPE_VOID : canonical_type(t->value);
    o->layout = t->layout;
    if (!fixed_extent(e, t, &o->size))
        return;
    o->extent = make_const(TYPE_U64, o->size, b->name_loc);
    s = add_step(w, TEST_BUFFER, n->loc);
    s->buffer = o;
    s->expected = (struct test_value){.size = o->size, .is_memory = true, .element = o->element};
    if (n->a != NULL) {
        const enum value_type element = t->layout != NULL ? TYPE_U8 : o->element;
        struct object contents = {.name = b->name, .element = element};

        value = elab_expr(e, n->a, TYPE_VOID);
        if (value.kind == ITEM_CONSTANT &&
            constant_to_bytes(&value.constant, element, o->size, n->a, &contents))
            s->expected.bytes = contents.bytes;
        else if (value.kind != ITEM_CONSTANT && value.kind != ITEM_ERROR)
            error_at(n->a->loc, RULE_STATIC, "a buffer is filled with constants, this is %s",
                     item_text(&value));
    }
    it.memory = whole_object(o);
    scope_bind(e, b->name, b->name_loc, it);
}

/* A name for a number or a list. */
static void declare_constant(struct test_walk *w, const struct node *n)
{
    struct elab *e = &w->e;
    const struct node *b = n->list;
    struct item it;
    struct static_type type;

    if (n->a == NULL) {
        error_at(n->loc, RULE_TYPE, "'%s' needs a value, or the type of a buffer: u64[4]", b->name);
        return;
    }
    it = elab_expr(e, n->a, TYPE_VOID);
    if (it.kind != ITEM_CONSTANT) {
        if (it.kind != ITEM_ERROR)
            error_at(n->a->loc, RULE_STATIC, "a test names constants and buffers, this is %s",
                     item_text(&it));
        it = item_error(n->loc);
    } else if (b->type != NULL && (!static_type_of(e->unit, b->type, &type) ||
                                   !static_convert(&type, &it.constant, b->loc))) {
        it = item_error(n->loc);
    }
    scope_bind(e, b->name, b->name_loc, it);
}

static void declare(struct test_walk *w, const struct node *n)
{
    const struct node *b = n->list;
    struct type_use t = {0};

    if (b->next != NULL) {
        error_at(n->loc, RULE_UNSUPPORTED, "a test declares one name at a time");
        return;
    }
    if (b->type != NULL && !type_use_of(w->e.unit, b->type, &t))
        return;
    if (t.layout != NULL || t.extent != NULL)
        declare_buffer(w, n, &t);
    else
        declare_constant(w, n);
}

/* -- arguments -- */

static bool number_argument(const struct param *p, const struct item *it, struct test_value *out)
{
    if (it->kind != ITEM_CONSTANT || it->constant.kind != CONSTANT_INTEGER ||
        !number_fits(it->constant.u.number, p->type)) {
        if (it->kind != ITEM_ERROR)
            error_at(it->loc, RULE_TYPE, "'%s' is %s, this is %s", p->name,
                     value_types[p->type].name, item_text(it));
        return false;
    }
    out->element = p->type;
    out->number = low_bits(it->constant.u.number, value_types[p->type].bits);
    if (value_set_has(&p->set, out->number))
        return true;
    error_at(it->loc, RULE_VALUE_SET, "%s is not in the value set of '%s'",
             constant_text(&it->constant), p->name);
    note_at(p->loc, "'%s' is declared here", p->name);
    return false;
}

static bool buffer_fits(const struct object *o, const struct item *it, uint64_t need)
{
    const struct object *buffer = it->memory.object;
    const bool same = o->layout != NULL ? o->layout == buffer->layout : o->element == buffer->element;

    if (!same && buffer->element != TYPE_U8) {
        error_at(it->loc, RULE_TYPE, "'%s' is of %s, this is %s", o->name,
                 o->layout != NULL ? o->layout->name : value_types[o->element].name, item_text(it));
        return false;
    }
    if (buffer->size < need) {
        error_at(it->loc, RULE_EXTENT, "'%s' takes %llu bytes here, '%s' has %llu", o->name,
                 (unsigned long long)need, buffer->name, (unsigned long long)buffer->size);
        return false;
    }
    return true;
}

static bool memory_argument(const struct param *p, const struct node *n, const struct item *it,
                            uint64_t need, struct test_value *out)
{
    const struct object *o = p->object;
    struct object contents = {.name = o->name, .element = o->layout != NULL ? TYPE_U8 : o->element};

    *out = (struct test_value){.is_memory = true, .size = need, .element = o->element};
    if (it->kind == ITEM_MEMORY && it->memory.object->kind == OBJECT_STACK &&
        it->memory.offset == NULL) {
        out->buffer = it->memory.object;
        return buffer_fits(o, it, need);
    }
    if (it->kind != ITEM_CONSTANT) {
        if (it->kind != ITEM_ERROR)
            error_at(it->loc, RULE_TYPE, "'%s' is memory: a buffer or a list, this is %s", p->name,
                     item_text(it));
        return false;
    }
    if (o->direction != DIR_IN) {
        error_at(it->loc, RULE_TYPE, "'%s' is written: it needs a buffer with a name", p->name);
        return false;
    }
    if (!constant_to_bytes(&it->constant, contents.element, need, n, &contents))
        return false;
    out->bytes = contents.bytes;
    return true;
}

static bool preconditions_hold(const struct func *callee, const struct call_values *v,
                               struct loc where)
{
    for (int i = 0; i < callee->where_count; i++) {
        uint64_t holds;

        if (evaluate(callee->where[i], v, &holds) && holds == 0) {
            error_at(where, RULE_VALUE_SET, "this call breaks a precondition of '%s'", callee->name);
            note_at(callee->where[i]->loc, "it is stated here");
            return false;
        }
    }
    return true;
}

static bool call_arguments(struct test_walk *w, const struct node *call, struct test_step *s)
{
    const struct func *callee = s->callee;
    uint64_t *numbers = NEW_ARRAY(uint64_t, callee->param_count + 1);
    const struct call_values values = {callee, numbers};
    const struct node *n = call->list;
    struct item *items;
    int given;

    items = elab_arguments(&w->e, call->list, TYPE_VOID, &given);
    if (given != callee->param_count) {
        error_at(call->loc, RULE_TYPE, "'%s' takes %d argument%s, not %d", callee->name,
                 callee->param_count, callee->param_count == 1 ? "" : "s", given);
        return false;
    }
    s->args = NEW_ARRAY(struct test_value, given + 1);
    s->arg_count = given;
    for (int i = 0; i < given; i++) {
        if (callee->params[i].object == NULL) {
            if (!number_argument(&callee->params[i], &items[i], &s->args[i]))
                return false;
            numbers[i] = s->args[i].number;
        }
    }
    if (!preconditions_hold(callee, &values, call->loc))
        return false;
    for (int i = 0; i < given; i++, n = n->next) {
        uint64_t need;

        if (callee->params[i].object == NULL)
            continue;
        if (!evaluate(callee->params[i].object->extent, &values, &need)) {
            error_at(n->loc, RULE_UNSUPPORTED, "the extent of '%s' is not known in a test",
                     callee->params[i].name);
            return false;
        }
        if (!memory_argument(&callee->params[i], n, &items[i], need, &s->args[i]))
            return false;
    }
    return true;
}

/* -- calls -- */

static struct entity *called_export(struct test_walk *w, const struct node *n)
{
    struct entity *fn = n->kind == N_CALL ? unit_find(w->e.unit, n->name) : NULL;

    return fn != NULL && fn->kind == ENTITY_FUNCTION && fn->node->function->kind == FN_EXPORT ? fn
        : NULL;
}

static void add_call(struct test_walk *w, struct entity *fn, const struct node *call,
                     const struct node *expected, struct loc where)
{
    struct test_step *s = add_step(w, TEST_CALL, where);
    struct item it;

    s->callee = fn->func;
    if (!call_arguments(w, call, s) || expected == NULL)
        return;
    if (fn->func->result_count == 0) {
        error_at(call->loc, RULE_TYPE, "'%s' returns nothing", fn->name);
        return;
    }
    it = elab_expr(&w->e, expected, TYPE_VOID);
    s->expects_result = true;
    s->expected.element = fn->func->results[0];
    if (it.kind == ITEM_CONSTANT && it.constant.kind == CONSTANT_INTEGER &&
        number_fits(it.constant.u.number, fn->func->results[0]))
        s->expected.number = low_bits(it.constant.u.number, value_types[fn->func->results[0]].bits);
    else if (it.kind != ITEM_ERROR)
        error_at(expected->loc, RULE_TYPE, "'%s' returns %s, this is %s", fn->name,
                 value_types[fn->func->results[0]].name, item_text(&it));
}

/* -- expectations about buffers -- */

struct part { struct object *buffer; uint64_t offset, size; enum value_type element; };

static bool buffer_part(const struct item *it, struct part *out)
{
    if (it->kind == ITEM_MEMORY) {
        *out = (struct part){it->memory.object,
                             it->memory.offset != NULL ? it->memory.offset->value[0] : 0,
                             it->memory.extent->value[0],
                             it->memory.layout != NULL ? TYPE_U8 : it->memory.element};
        return true;
    }
    if (it->kind == ITEM_VALUE && it->expr->kind == E_LOAD &&
        is_constant_expr(it->expr->access.offset)) {
        *out = (struct part){it->expr->access.object, it->expr->access.offset->value[0],
                             (uint64_t)type_bytes(it->expr->mem), it->expr->mem};
        return true;
    }
    return false;
}

/* What a table holds is known now. */
static void expect_table(const struct node *n, const struct part *p, const struct item *it)
{
    struct object contents = {.name = p->buffer->name, .element = p->element};

    if (it->kind != ITEM_CONSTANT) {
        if (it->kind != ITEM_ERROR)
            error_at(n->b->loc, RULE_TYPE, "a table is compared with a list, this is %s",
                     item_text(it));
        return;
    }
    if (!constant_to_bytes(&it->constant, p->element, p->size, n->b, &contents))
        return;
    for (uint64_t i = 0; i < p->size; i++) {
        if (contents.bytes[i] != p->buffer->bytes[p->offset + i]) {
            error_at(n->loc, RULE_STATIC, "byte %llu of '%s' is %u, not %u",
                     (unsigned long long)(p->offset + i), p->buffer->name,
                     p->buffer->bytes[p->offset + i], contents.bytes[i]);
            return;
        }
    }
}

static void expect_buffer(struct test_walk *w, const struct node *n, const struct part *p)
{
    struct test_step *s;
    struct item it = elab_expr(&w->e, n->b, TYPE_VOID);
    struct object contents = {.name = p->buffer->name, .element = p->element};
    struct part other;

    if (p->offset > p->buffer->size || p->size > p->buffer->size - p->offset) {
        error_at(n->a->loc, RULE_OUT_OF_BOUNDS, "'%s' has %llu bytes", p->buffer->name,
                 (unsigned long long)p->buffer->size);
        return;
    }
    if (p->buffer->kind == OBJECT_TABLE) {
        expect_table(n, p, &it);
        return;
    }
    s = add_step(w, TEST_EXPECT_BUFFER, n->loc);
    s->buffer = p->buffer;
    s->offset = p->offset;
    s->expected = (struct test_value){.is_memory = true, .size = p->size, .element = p->element};
    if (it.kind == ITEM_CONSTANT) {
        if (constant_to_bytes(&it.constant, p->element, p->size, n->b, &contents))
            s->expected.bytes = contents.bytes;
        return;
    }
    if (buffer_part(&it, &other) && other.buffer->kind == OBJECT_STACK && other.offset == 0 &&
        other.size == other.buffer->size &&
        other.size == p->size)
        s->expected.buffer = other.buffer;
    else if (it.kind != ITEM_ERROR)
        error_at(n->b->loc, RULE_TYPE,
                 "a buffer is compared with a list or a buffer of its size, this is %s",
                 item_text(&it));
}

static bool constants_equal(const struct constant *a, const struct constant *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == CONSTANT_INTEGER)
        return a->u.number == b->u.number;
    if (a->u.list->n != b->u.list->n)
        return false;
    for (int i = 0; i < a->u.list->n; i++)
        if (!constants_equal(&a->u.list->at[i], &b->u.list->at[i]))
            return false;
    return true;
}

/* A claim about static code: true or an error, now. */
static void expect_constant(struct test_walk *w, const struct node *n, const struct item *a)
{
    struct item b = {.kind = ITEM_CONSTANT, .constant = constant_integer(1)};

    if (n->b != NULL)
        b = elab_expr(&w->e, n->b, TYPE_VOID);
    if (a->kind == ITEM_CONSTANT && b.kind == ITEM_CONSTANT) {
        if (n->b == NULL ? a->constant.kind == CONSTANT_INTEGER && a->constant.u.number != 0
                         : constants_equal(&a->constant, &b.constant))
            return;
        if (n->b == NULL)
            error_at(n->loc, RULE_STATIC, "this does not hold");
        else
            error_at(n->loc, RULE_STATIC, "this is %s, not %s", constant_text(&a->constant),
                     constant_text(&b.constant));
        return;
    }
    if (a->kind != ITEM_ERROR && b.kind != ITEM_ERROR)
        error_at(n->loc, RULE_TYPE, "a test expects something of a call, a buffer or static code");
}

static void expect(struct test_walk *w, const struct node *n)
{
    struct entity *fn = called_export(w, n->a);
    struct part part;
    struct item a;

    if (fn != NULL) {
        add_call(w, fn, n->a, n->b, n->loc);
        return;
    }
    a = elab_expr(&w->e, n->a, TYPE_VOID);
    if (n->b != NULL && buffer_part(&a, &part))
        expect_buffer(w, n, &part);
    else
        expect_constant(w, n, &a);
}

/* -- statements -- */

static void call_statement(struct test_walk *w, const struct node *n)
{
    struct entity *fn = called_export(w, n->a);

    if (fn != NULL)
        add_call(w, fn, n->a, NULL, n->loc);
    else if (strcmp(n->a->name, "fail") == 0)
        (void)elab_expr(&w->e, n->a, TYPE_VOID);
    else
        error_at(n->a->loc, RULE_TYPE, "a test calls the exports of its module");
}

static void walk_block(struct test_walk *w, const struct node *block)
{
    scope_push(&w->e);
    walk(w, block->kind == N_BLOCK ? block->list : block);
    scope_pop(&w->e);
}

static void walk_for(struct test_walk *w, const struct node *n)
{
    struct domain_items d;

    if (!elab_domain(&w->e, n->a, n->step, &d))
        return;
    for (int i = 0; i < d.count && w->steps <= TEST_STEP_LIMIT; i++) {
        scope_push(&w->e);
        scope_bind(&w->e, n->name, n->name_loc, domain_item(&d, i, n->a->loc));
        walk_block(w, n->body);
        scope_pop(&w->e);
    }
}

static void walk_if(struct test_walk *w, const struct node *n)
{
    uint64_t holds;

    if (!elab_static(&w->e, n->a, "a condition in a test", &holds))
        return;
    if (holds != 0)
        walk_block(w, n->body);
    else if (n->other != NULL)
        walk_block(w, n->other);
}

static void walk_one(struct test_walk *w, const struct node *n)
{
    switch (n->kind) {
    case N_LET:
    case N_VAR:
        declare(w, n);
        break;
    case N_STATIC_LET:
        elab_static_let(&w->e, n);
        break;
    case N_EXPECT:
        expect(w, n);
        break;
    case N_CALL_STMT:
        call_statement(w, n);
        break;
    case N_FOR:
        walk_for(w, n);
        break;
    case N_IF:
        walk_if(w, n);
        break;
    case N_BLOCK:
        walk_block(w, n);
        break;
    default:
        error_at(n->loc, RULE_UNSUPPORTED, "this does not stand in a test");
        break;
    }
}

static void walk(struct test_walk *w, const struct node *first)
{
    for (const struct node *n = first; n != NULL && w->steps <= TEST_STEP_LIMIT; n = n->next) {
        if (enter(&w->e, n->loc))
            walk_one(w, n);
        leave(&w->e);
    }
}

void elab_test_block(struct unit *u, const struct node *test, struct test *out)
{
    struct test_walk w = {.end = &out->steps};
    struct func *home = NEW(struct func);

    out->name = test->text;
    out->loc = test->loc;
    home->name = "";
    home->module = u->module;
    start_elab(&w.e, u, home);
    home->may_be_same = NEW_ARRAY(bool, 1);
    walk_block(&w, test->body);
}
