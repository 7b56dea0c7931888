/* static_code.c: static functions and expressions, names resolved once.
 *
 * Takes the syntax tree of a static function, or of an expression that the
 * compiler must know; gives a tree of struct code in which every local name is
 * a slot of the frame and every other name an entity of the module.
 *
 * Holds: a name is a slot from its declaration to the end of its block, and
 * slots of blocks that do not overlap are shared. Reports unknown names, things
 * that do not exist in static code (memory, instructions, flags), and
 * assignments to what cannot be assigned.
 * Does not: check types, which static code has only where it declares them.
 */
#include "lang/static_code.h"

#include <assert.h>
#include <string.h>

struct local { const char *name; struct loc loc; int slot,
              level; bool is_variable; struct static_type type; };

struct translator {
    struct unit *unit;
    VEC(struct local) locals;
    int level;                  /* of blocks */
    int slots, most;
    struct entity *fn;          /* NULL: an expression on its own */
    bool failed;
};

static struct code *translate(struct translator *t, const struct node *n);
static struct code *translate_block(struct translator *t, const struct node *block);

static struct code *new_code(enum code_kind kind, struct loc loc)
{
    struct code *c = NEW(struct code);

    c->kind = kind;
    c->loc = loc;
    return c;
}

static struct code *fail(struct translator *t)
{
    t->failed = true;
    return NULL;
}

/* -- names -- */

static struct local *find_local(struct translator *t, const char *name)
{
    for (int i = t->locals.n - 1; i >= 0; i--)
        if (t->locals.at[i].name == name)
            return &t->locals.at[i];
    return NULL;
}

static struct local *declare(struct translator *t, const char *name, struct loc loc, bool is_variable)
{
    struct local *l = find_local(t, name);

    if (strcmp(name, "_") != 0 && l != NULL && l->level == t->level) {
        error_at(loc, RULE_NAME, "'%s' is declared twice in this block", name);
        note_at(l->loc, "first declared here");
        t->failed = true;
    }
    l = vec_add(&t->locals);
    *l = (struct local){.name = name, .loc = loc, .slot = t->slots++, .level = t->level,
                        .is_variable = is_variable};
    if (t->slots > t->most)
        t->most = t->slots;
    return l;
}

static void open_block(struct translator *t)
{
    t->level++;
}

static void close_block(struct translator *t)
{
    while (t->locals.n > 0 && t->locals.at[t->locals.n - 1].level == t->level) {
        t->locals.n--;
        t->slots--;
    }
    t->level--;
}

static struct code *translate_name(struct translator *t, const struct node *n)
{
    const struct local *l = find_local(t, n->name);
    struct entity *e;
    struct code *c;

    if (l != NULL) {
        c = new_code(CODE_SLOT, n->loc);
        c->slot = l->slot;
        return c;
    }
    e = unit_find(t->unit, n->name);
    if (e == NULL) {
        unknown_entity(t->unit, n->loc, n->name, "name");
        return fail(t);
    }
    if (e->kind != ENTITY_STATIC && e->kind != ENTITY_TABLE) {
        error_at(n->loc, RULE_STATIC, "'%s' is not a value that static code can use", n->name);
        note_at(e->loc, "'%s' is declared here", n->name);
        return fail(t);
    }
    c = new_code(CODE_ENTITY, n->loc);
    c->entity = e;
    return c;
}

/* -- types -- */

static bool scalar_or_vector(const struct node *type, struct static_type *out)
{
    const enum value_type v = value_type_named(type->name);

    if (v == TYPE_VOID || type_is_flag(v)) {
        error_at(type->loc, RULE_STATIC, "'%s' is not a type of static code", type->name);
        return false;
    }
    *out = (struct static_type){.bits = value_types[v].lane_bits,
                                .lanes = type_is_vector(v) ? value_types[v].lanes : 0,
                                .is_array = type->a != NULL};
    return true;
}

static bool count_in_limit(uint64_t count, struct loc where)
{
    if (count <= STATIC_LIST_LIMIT)
        return true;
    error_at(where, RULE_STATIC, "an array of %llu elements: static code can hold %d",
             (unsigned long long)count, (int)STATIC_LIST_LIMIT);
    return false;
}

/* An extent may name parameters and locals: it is translated, not evaluated. */
static void translate_type(struct translator *t, const struct node *type, struct static_type *out,
                           struct code **count)
{
    *count = NULL;
    if (type == NULL)
        return;
    if (!scalar_or_vector(type, out)) {
        t->failed = true;
    } else if (out->is_array) {
        *count = translate(t, type->a);
        if (*count != NULL && (*count)->kind == CODE_CONSTANT &&
            (*count)->constant.kind == CONSTANT_INTEGER) {
            out->count = (*count)->constant.u.number;
            t->failed |= !count_in_limit(out->count, type->a->loc);
            *count = NULL;
        }
    }
}

bool static_type_of(struct unit *unit, const struct node *type, struct static_type *out)
{
    if (!scalar_or_vector(type, out))
        return false;
    return !out->is_array || (static_number(unit, type->a, &out->count) &&
                              count_in_limit(out->count, type->a->loc));
}

/* -- expressions -- */

static int chain_length(const struct node *list)
{
    int n = 0;

    for (; list != NULL; list = list->next)
        n++;
    return n;
}

static void translate_args(struct translator *t, struct code *c, const struct node *list)
{
    c->args = NEW_ARRAY(struct code *, chain_length(list) + 1);
    for (; list != NULL; list = list->next)
        c->args[c->arg_count++] = translate(t, list);
}

static struct code *translate_call(struct translator *t, const struct node *n)
{
    struct entity *e = unit_find(t->unit, n->name);
    struct code *c;

    if (e == NULL && strcmp(n->name, "fail") == 0) {
        c = new_code(CODE_FAIL, n->loc);
        if (n->list == NULL || n->list->kind != N_STRING || n->list->next != NULL) {
            error_at(n->loc, RULE_STATIC, "fail takes one string: what is wrong");
            return fail(t);
        }
        c->text = n->list->text;
        return c;
    }
    if (e == NULL && strcmp(n->name, "hex") == 0) {
        c = new_code(CODE_CONSTANT, n->loc);
        if (n->list == NULL || n->list->kind != N_STRING || n->list->next != NULL ||
            !constant_from_hex(n->list->text, &c->constant)) {
            error_at(n->loc, RULE_STATIC, "hex takes one string of pairs of hexadecimal digits");
            return fail(t);
        }
        return c;
    }
    if (e == NULL) {
        const enum insn *rows;

        if (insns_by_mnemonic(n->name, &rows) > 0 || is_builtin(n->name)) {
            error_at(n->loc, RULE_STATIC, "'%s' is for code that runs, not for static code", n->name);
            return fail(t);
        }
        unknown_entity(t->unit, n->name_loc, n->name, "static function");
        return fail(t);
    }
    if (e->kind != ENTITY_FUNCTION || e->node->function->kind != FN_STATIC) {
        error_at(n->loc, RULE_STATIC, "'%s' is not a static function", n->name);
        note_at(e->loc, "'%s' is declared here", n->name);
        return fail(t);
    }
    c = new_code(CODE_CALL, n->loc);
    c->entity = e;
    translate_args(t, c, n->list);
    return c;
}

/* What a loop or comprehension goes over: a range, or a list. */
static void translate_domain(struct translator *t, struct code *c, const struct node *domain)
{
    if (domain->kind == N_RANGE) {
        c->is_range = true;
        c->is_inclusive = domain->is_inclusive;
        c->a = translate(t, domain->a);
        c->b = translate(t, domain->b);
    } else {
        c->a = translate(t, domain);
    }
}

static struct code *translate_comprehension(struct translator *t, const struct node *n)
{
    struct code *c = new_code(CODE_COMPREHENSION, n->loc);

    translate_domain(t, c, n->a);
    open_block(t);
    c->slot = declare(t, n->name, n->name_loc, false)->slot;
    c->c = translate(t, n->b);
    close_block(t);
    return c;
}

static struct code *translate_as(struct translator *t, const struct node *n)
{
    struct code *c = new_code(CODE_AS, n->loc);

    c->a = translate(t, n->a);
    if (!scalar_or_vector(n->type, &c->type))
        return fail(t);
    if (c->type.is_array) {
        error_at(n->type->loc, RULE_STATIC, "a value is not converted to an array");
        return fail(t);
    }
    return c;
}

static struct code *translate_number(struct translator *t, const struct node *n)
{
    struct code *c = new_code(CODE_CONSTANT, n->loc);

    if (n->is_wide) {
        error_at(n->loc, RULE_STATIC, "this number has more than 64 bits");
        return fail(t);
    }
    c->constant = constant_integer(n->number);
    return c;
}

static struct code *translate_parts(struct translator *t, const struct node *n,
                                    enum code_kind kind)
{
    struct code *c = new_code(kind, n->loc);

    c->op = n->op;
    c->a = n->a != NULL ? translate(t, n->a) : NULL;
    c->b = n->b != NULL ? translate(t, n->b) : NULL;
    c->c = n->other != NULL ? translate(t, n->other) : NULL;
    return c;
}

/* `a - b` of two constants and the like, so that `-1` is a constant. */
static struct code *fold(struct code *c)
{
    const struct constant *a, *b;
    uint64_t out;

    if (c->a == NULL || c->a->kind != CODE_CONSTANT)
        return c;
    a = &c->a->constant;
    b = c->b != NULL && c->b->kind == CODE_CONSTANT ? &c->b->constant : NULL;
    if (a->kind != CONSTANT_INTEGER || (b != NULL && b->kind != CONSTANT_INTEGER))
        return c;
    if (c->kind == CODE_UNARY)
        out = static_unary(c->op, a->u.number);
    else if (b == NULL || static_binary(c->op, a->u.number, b->u.number, &out) != NULL)
        return c;
    c->kind = CODE_CONSTANT;
    c->constant = constant_integer(out);
    return c;
}

static struct code *translate(struct translator *t, const struct node *n)
{
    struct code *c;

    switch (n->kind) {
    case N_NUMBER:
        return translate_number(t, n);
    case N_NAME:
        return translate_name(t, n);
    case N_INDEX:
        return translate_parts(t, n, CODE_INDEX);
    case N_UNARY:
        return fold(translate_parts(t, n, CODE_UNARY));
    case N_BINARY:
        return fold(translate_parts(t, n, CODE_BINARY));
    case N_IF_EXPR:
        return translate_parts(t, n, CODE_CHOICE);
    case N_AS:
        return translate_as(t, n);
    case N_CALL:
        return translate_call(t, n);
    case N_COMPREHENSION:
        return translate_comprehension(t, n);
    case N_LIST:
    case N_TUPLE:
    case N_BUILD:
        c = new_code(CODE_LIST, n->loc);
        c->is_tuple = n->kind == N_TUPLE;
        translate_args(t, c, n->list);
        return c;
    default:
        error_at(n->loc, RULE_STATIC, "this is not possible in static code");
        return fail(t);
    }
}

struct code *translate_alone(struct unit *u, const struct node *n, int *slots)
{
    struct translator t = {.unit = u};
    struct code *c = translate(&t, n);

    *slots = t.most;
    return t.failed ? NULL : c;
}

/* -- statements -- */

static void translate_declaration(struct translator *t, const struct node *n, struct code *c)
{
    const bool is_variable = n->kind == N_VAR;

    c->is_declaration = true;
    c->a = n->a != NULL ? translate(t, n->a) : NULL;
    if (c->a == NULL && n->a == NULL && !is_variable) {
        error_at(n->loc, RULE_STATIC, "'let' needs a value");
        t->failed = true;
    }
    for (const struct node *b = n->list; b != NULL; b = b->next) {
        struct target *target = &c->targets[c->target_count++];
        struct local *l;

        translate_type(t, b->type, &target->type, &target->count);
        if (n->a == NULL && b->type == NULL) {
            error_at(b->loc, RULE_STATIC, "'%s' needs a type or a value", b->name);
            t->failed = true;
        }
        l = declare(t, b->name, b->name_loc, is_variable);
        l->type = target->type;
        target->slot = l->slot;
        target->loc = b->loc;
    }
}

/* t[i][j] names slot t and the indices i, j. */
static void translate_target(struct translator *t, const struct node *n, struct target *out)
{
    const struct node *base = n;
    struct local *l;

    out->loc = n->loc;
    out->slot = -1;
    for (; base->kind == N_INDEX; base = base->a)
        out->index_count++;
    if (base->kind != N_NAME) {
        error_at(base->loc, RULE_STATIC, "this cannot be assigned to in static code");
        t->failed = true;
        return;
    }
    if (strcmp(base->name, "_") == 0 && out->index_count == 0)
        return;
    l = find_local(t, base->name);
    if (l == NULL) {
        const struct entity *e = unit_find(t->unit, base->name);

        if (e == NULL) {
            unknown_entity(t->unit, base->loc, base->name, "name");
        } else {
            error_at(base->loc, RULE_STATIC, "'%s' is not a variable of this function", base->name);
            note_at(e->loc, "'%s' is declared here", base->name);
        }
        t->failed = true;
        return;
    }
    if (!l->is_variable) {
        error_at(base->loc, RULE_TYPE, "'%s' is not a variable: it cannot be assigned", base->name);
        note_at(l->loc, "'%s' is declared here", base->name);
        t->failed = true;
    }
    out->slot = l->slot;
    out->type = l->type;
    out->index = NEW_ARRAY(struct code *, out->index_count + 1);
    for (int i = out->index_count - 1; i >= 0; i--, n = n->a)
        out->index[i] = translate(t, n->b);
}

static struct code *translate_set(struct translator *t, const struct node *n)
{
    struct code *c = new_code(CODE_SET, n->loc);

    c->targets = NEW_ARRAY(struct target, chain_length(n->list) + 1);
    if (n->kind != N_ASSIGN) {
        translate_declaration(t, n, c);
        return c;
    }
    c->a = translate(t, n->a);
    for (const struct node *p = n->list; p != NULL; p = p->next)
        translate_target(t, p, &c->targets[c->target_count++]);
    return c;
}

static struct code *translate_for(struct translator *t, const struct node *n)
{
    struct code *c = new_code(CODE_FOR, n->loc);

    if (n->shape != LOOP_PLAIN) {
        error_at(n->loc, RULE_STATIC, "static code has plain loops only");
        t->failed = true;
    }
    translate_domain(t, c, n->a);
    c->c = n->step != NULL ? translate(t, n->step) : NULL;
    open_block(t);
    c->slot = declare(t, n->name, n->name_loc, false)->slot;
    c->body = translate_block(t, n->body);
    close_block(t);
    return c;
}

static struct code *translate_return(struct translator *t, const struct node *n)
{
    struct code *c = new_code(CODE_RETURN, n->loc);
    const int count = chain_length(n->list), wanted = chain_length(t->fn->node->function->results);

    if (count == 1) {
        c->a = translate(t, n->list);
    } else if (count > 1) {
        c->a = new_code(CODE_LIST, n->loc);
        c->a->is_tuple = true;
        translate_args(t, c->a, n->list);
    }
    if (count != wanted && !(count == 1 && wanted > 1)) {
        error_at(n->loc, RULE_STATIC, "'%s' returns %d value%s, not %d", t->fn->name, wanted,
                 wanted == 1 ? "" : "s", count);
        t->failed = true;
    }
    return c;
}

static struct code *translate_statement(struct translator *t, const struct node *n)
{
    struct code *c;

    switch (n->kind) {
    case N_LET:
    case N_VAR:
    case N_STATIC_LET:
    case N_ASSIGN:
        return translate_set(t, n);
    case N_FOR:
        return translate_for(t, n);
    case N_RETURN:
        return translate_return(t, n);
    case N_WHILE:
    case N_IF:
        c = new_code(n->kind == N_IF ? CODE_IF : CODE_WHILE, n->loc);
        c->a = translate(t, n->a);
        c->body = translate_block(t, n->body);
        c->other = n->other != NULL ? translate_block(t, n->other) : NULL;
        return c;
    case N_CALL_STMT:
        c = new_code(CODE_DO, n->loc);
        c->a = translate(t, n->a);
        return c;
    case N_BLOCK:
        c = new_code(CODE_IF, n->loc);
        c->a = new_code(CODE_CONSTANT, n->loc);
        c->a->constant = constant_integer(1);
        c->body = translate_block(t, n);
        return c;
    default:
        error_at(n->loc, RULE_STATIC, "this is not possible in static code");
        return fail(t);
    }
}

static struct code *translate_block(struct translator *t, const struct node *block)
{
    struct code *first = NULL, **end = &first;

    open_block(t);
    for (const struct node *n = block->kind == N_BLOCK ? block->list : block; n != NULL;
         n = block->kind == N_BLOCK ? n->next : NULL) {
        struct code *c = translate_statement(t, n);

        if (c != NULL) {
            *end = c;
            end = &c->next;
        }
    }
    close_block(t);
    return first;
}

/* -- functions -- */

static void translate_params(struct translator *t, struct static_fn *f, const struct function_node *fn)
{
    int n = 0;

    for (const struct param_node *p = fn->params; p != NULL; p = p->next)
        n++;
    f->params = NEW_ARRAY(struct target, n + 1);
    for (const struct param_node *p = fn->params; p != NULL; p = p->next) {
        struct target *target = &f->params[f->param_count++];

        if (p->direction != DIR_VALUE) {
            error_at(p->loc, RULE_STATIC, "static functions take values, not memory");
            t->failed = true;
        }
        target->loc = p->loc;
        target->slot = declare(t, p->name, p->loc, false)->slot;
    }
    /* Extents may name any parameter, so they are translated after all. */
    n = 0;
    for (const struct param_node *p = fn->params; p != NULL; p = p->next, n++)
        translate_type(t, p->type, &f->params[n].type, &f->params[n].count);
}

static void translate_results(struct translator *t, struct static_fn *f, const struct node *list)
{
    f->results = NEW_ARRAY(struct static_type, chain_length(list) + 1);
    f->result_counts = NEW_ARRAY(struct code *, chain_length(list) + 1);
    for (; list != NULL; list = list->next, f->result_count++)
        translate_type(t, list, &f->results[f->result_count], &f->result_counts[f->result_count]);
}

struct static_fn *static_translate(struct entity *fn)
{
    const struct function_node *function = fn->node->function;
    struct translator t = {.unit = fn->unit, .fn = fn, .level = 1};
    struct static_fn *f = NEW(struct static_fn);

    assert(function->kind == FN_STATIC);
    f->entity = fn;
    translate_params(&t, f, function);
    translate_results(&t, f, function->results);
    if (function->clauses != NULL) {
        error_at(function->clauses->loc, RULE_STATIC, "a static function has no clauses");
        t.failed = true;
    }
    f->body = translate_block(&t, function->body);
    f->slots = t.most;
    return t.failed ? NULL : f;
}
