/* elab_func.c: functions: parameters, clauses, bodies.
 *
 * Takes an N_FUNCTION; gives a struct func. Value parameters are bound first,
 * since extents and preconditions may name any of them; then memory, then
 * clauses, then the body. A register array is one parameter for each register.
 *
 * Holds: every extent is an expression over value parameters; may_be_same is
 * symmetric and says which parameters may be one array: those of one extent
 * expression and element of which at least one is written, unless noalias says
 * otherwise, and any two that are only read.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

#include "core/core.h"
#include "lang/check.h"

enum {
    NODE_BUDGET = 250 * 1000,
    EXPORT_ARGUMENTS = 16,      /* eight in registers, the others on the stack */
};

void start_elab(struct elab *e, struct unit *u, struct func *f)
{
    *e = (struct elab){.unit = u, .func = f, .budget = NODE_BUDGET, .exhausted = u->exhausted};
    e->end = &f->body;
    scope_push(e);
}

/* -- types of parameters, results and variables -- */

bool value_shape(struct elab *e, const struct node *type, struct shape_of *out)
{
    struct type_use t;
    uint64_t count;

    if (!type_use_of(e->unit, type, &t))
        return false;
    *out = (struct shape_of){t.value, -1};
    if (t.layout != NULL) {
        error_at(type->loc, RULE_TYPE, "struct %s is memory: it is passed by 'in', 'out' or 'inout'",
                 t.layout->name);
        return false;
    }
    if (t.value == TYPE_U8 || t.value == TYPE_U16) {
        error_at(type->loc, RULE_TYPE, "%s lives in memory only: a register holds it as u32",
                 value_types[t.value].name);
        return false;
    }
    if (t.extent == NULL)
        return true;
    if (!elab_static(e, t.extent, "the extent of an array of registers", &count))
        return false;
    if (count == 0 || count > 64) {
        error_at(t.extent->loc, RULE_EXTENT, "an array of %llu registers", (unsigned long long)count);
        return false;
    }
    out->count = (int64_t)count;
    return true;
}

struct expr *declared_extent(struct elab *e, const struct type_use *t)
{
    struct stmt **mark = e->end;
    struct item n;
    struct expr *count;

    if (t->layout != NULL)
        return make_const(TYPE_U64, t->layout->size, t->layout->loc);
    n = elab_expr(e, t->extent, TYPE_U64);
    if (n.kind == ITEM_ERROR)
        return NULL;
    if (n.kind == ITEM_VALUE && n.expr->type == TYPE_U32)
        count = make_convert(n.expr, TYPE_U64, n.loc);
    else
        count = coerce(e, n, TYPE_U64);
    if (count == NULL)
        return NULL;
    if (*mark != NULL || !is_stable(count)) {
        error_at(t->extent->loc, RULE_EXTENT, "an extent is an expression over parameters");
        return NULL;
    }
    return scale(count, (uint64_t)type_bytes(t->value));
}

struct item make_results(struct elab *e, const struct entity *fn)
{
    const struct node *list = fn->node->function->results;
    struct item all = {.kind = ITEM_LIST, .loc = fn->loc, .is_tuple = true};
    int count = 0;

    for (const struct node *t = list; t != NULL; t = t->next)
        count++;
    if (count == 0)
        return (struct item){.kind = ITEM_NOTHING, .loc = fn->loc};
    all.at = NEW_ARRAY(struct item, count);
    for (const struct node *t = list; t != NULL; t = t->next) {
        struct item *it = &all.at[all.n++];
        struct shape_of shape;

        if (!value_shape(e, t, &shape))
            return item_error(fn->loc);
        if (shape.count < 0) {
            *it = item_value(make_var_expr(make_var(e, "", shape.type, fn->loc), fn->loc));
            continue;
        }
        *it = (struct item){.kind = ITEM_LIST, .loc = fn->loc, .n = (int)shape.count,
                            .at = NEW_ARRAY(struct item, shape.count)};
        for (int i = 0; i < it->n; i++)
            it->at[i] = item_value(make_var_expr(make_var(e, "", shape.type, fn->loc), fn->loc));
    }
    return count == 1 ? all.at[0] : all;
}

/* -- parameters -- */

static struct param *add_param(struct func *f, const struct param_node *p)
{
    struct param *all = NEW_ARRAY(struct param, f->param_count + 1);

    if (f->param_count > 0)
        memcpy(all, f->params, sizeof *all * (size_t)f->param_count);
    f->params = all;
    all[f->param_count] = (struct param){.name = p->name, .loc = p->loc};
    return &all[f->param_count++];
}

static struct item value_param(struct elab *e, const struct param_node *p, enum value_type type,
                               const char *name)
{
    struct param *param = add_param(e->func, p);

    param->name = name;
    param->type = type;
    param->secret = p->secrecy == MARK_SECRET || (p->secrecy == MARK_NONE && type_is_vector(type));
    param->var = make_var(e, name, type, p->loc);
    if (p->set != NULL)
        (void)make_value_set(e->unit, p->set, type, &param->set);
    return item_value(make_var_expr(param->var, p->loc));
}

static void bind_value_param(struct elab *e, const struct param_node *p)
{
    struct shape_of shape;
    struct item it = item_error(p->loc);

    if (p->is_static) {
        error_at(p->loc, RULE_TYPE, "only inline functions have static parameters");
    } else if (value_shape(e, p->type, &shape)) {
        if (e->func->kind == FN_EXPORT && (shape.count >= 0 || !type_is_scalar(shape.type))) {
            error_at(p->loc, RULE_UNSUPPORTED, "an export takes scalars and memory, this is %s%s",
                     value_types[shape.type].name, shape.count >= 0 ? "[]" : "");
        } else if (e->func->kind == FN_LOCAL && type_is_flag(shape.type)) {
            error_at(p->loc, RULE_UNSUPPORTED, "a local function takes no %s",
                     value_types[shape.type].name);
        } else if (shape.count < 0) {
            it = value_param(e, p, shape.type, p->name);
        } else {
            it = (struct item){.kind = ITEM_LIST, .loc = p->loc, .n = (int)shape.count,
                               .at = NEW_ARRAY(struct item, shape.count)};
            for (int i = 0; i < it.n; i++)
                it.at[i] = value_param(e, p, shape.type, mem_format("%s[%d]", p->name, i));
        }
    }
    scope_bind(e, p->name, p->loc, it)->why_not = "a parameter";
}

static void set_object(struct elab *e, const struct param_node *p, struct object *o,
                       const struct type_use *t)
{
    uint64_t align;

    o->element = t->layout != NULL ? TYPE_VOID : canonical_type(t->value);
    o->layout = t->layout;
    o->direction = p->direction;
    o->secret = p->secrecy != MARK_PUBLIC;
    o->align = t->layout != NULL ? t->layout->align : natural_align(t->value);
    if (p->align != NULL && elab_static(e, p->align, "an alignment", &align) &&
        check_align(p->align->loc, align, o->align))
        o->align = align;
}

/* The type of a memory parameter; false after a message. */
static bool memory_type(struct elab *e, const struct param_node *p, struct type_use *t)
{
    if (!type_use_of(e->unit, p->type, t))
        return false;
    if (t->layout != NULL && t->extent != NULL)
        error_at(p->type->loc, RULE_UNSUPPORTED, "arrays of structs are not compiled yet");
    else if (t->layout == NULL && type_is_flag(t->value))
        error_at(p->type->loc, RULE_TYPE, "a %s is not kept in memory", value_types[t->value].name);
    else if (t->layout == NULL && t->extent == NULL)
        error_at(p->type->loc, RULE_TYPE, "memory needs an extent: %s[1] for one", p->type->name);
    else
        return true;
    return false;
}

static void bind_memory_param(struct elab *e, const struct param_node *p, struct param *param)
{
    struct item it = {.kind = ITEM_MEMORY, .loc = p->loc};
    struct type_use t;

    if (p->set != NULL)
        error_at(p->set->loc, RULE_UNSUPPORTED,
                 "value sets of arrays are not compiled yet; fields have them");
    if (!memory_type(e, p, &t)) {
        scope_bind(e, p->name, p->loc, item_error(p->loc));
        return;
    }
    param->object = make_object(e, OBJECT_PARAM, p->name, p->loc);
    param->object->param = (int)(param - e->func->params);
    param->secret = p->secrecy != MARK_PUBLIC;
    set_object(e, p, param->object, &t);
    param->object->extent = declared_extent(e, &t);
    it.memory = whole_object(param->object);
    scope_bind(e, p->name, p->loc, param->object->extent != NULL ? it : item_error(p->loc));
}

static void bind_params(struct elab *e, const struct function_node *fn)
{
    int memory = 0, at = 0;

    for (const struct param_node *p = fn->params; p != NULL; p = p->next) {
        if (p->direction == DIR_VALUE) {
            bind_value_param(e, p);
        } else {
            (void)add_param(e->func, p);
            memory++;
        }
    }
    for (const struct param_node *p = fn->params; memory > 0 && p != NULL; p = p->next) {
        if (p->direction == DIR_VALUE)
            continue;
        while (e->func->params[at].var != NULL)
            at++;
        bind_memory_param(e, p, &e->func->params[at++]);
    }
}

static void check_export(const struct func *f, const struct function_node *fn)
{
    const struct node *r = fn->results;

    if (r != NULL && (r->next != NULL || f->result_count != 1 || !type_is_scalar(f->results[0])))
        error_at(r->loc, RULE_UNSUPPORTED, "an export returns nothing or one scalar");
    if (f->param_count > EXPORT_ARGUMENTS)
        error_at(f->params[EXPORT_ARGUMENTS].loc, RULE_UNSUPPORTED,
                 "an export takes at most %d arguments", (int)EXPORT_ARGUMENTS);
}

static void set_results(struct elab *e, const struct function_node *fn)
{
    struct func *f = e->func;
    int n = 0;

    for (const struct node *t = fn->results; t != NULL; t = t->next)
        n++;
    e->results = NEW_ARRAY(struct shape_of, n + 1);
    for (const struct node *t = fn->results; t != NULL; t = t->next)
        if (!value_shape(e, t, &e->results[e->result_count++]))
            return;
    for (int i = 0; i < e->result_count; i++)
        if (f->kind == FN_LOCAL && type_is_flag(e->results[i].type))
            error_at(fn->results->loc, RULE_UNSUPPORTED, "a local function returns no %s",
                     value_types[e->results[i].type].name);
    n = 0;
    for (int i = 0; i < e->result_count; i++)
        n += e->results[i].count < 0 ? 1 : (int)e->results[i].count;
    f->results = NEW_ARRAY(enum value_type, n + 1);
    for (int i = 0; i < e->result_count; i++)
        for (int64_t k = 0; k < (e->results[i].count < 0 ? 1 : e->results[i].count); k++)
            f->results[f->result_count++] = e->results[i].type;
}

/* -- clauses -- */

static uint32_t feature_bits(const struct node *names)
{
    uint32_t bits = 0;

    for (; names != NULL; names = names->next) {
        uint32_t bit = 0;

        for (int i = FEAT_BASE + 1; i < FEAT_COUNT; i++)
            if (strcmp(features[i].name, names->name) == 0)
                bit = UINT32_C(1) << i;
        if (bit == 0) {
            error_at(names->loc, RULE_NAME, "there is no CPU feature '%s'", names->name);
            for (int i = FEAT_BASE + 1; i < FEAT_COUNT; i++)
                if (edit_distance(features[i].name, names->name) <= 2)
                    note_at(names->loc, "did you mean '%s'?", features[i].name);
        }
        bits |= bit;
    }
    return bits;
}

static uint32_t fuse_bits(const struct node *names)
{
    uint32_t bits = 0;

    for (; names != NULL; names = names->next) {
        if (strcmp(names->name, "eor3") == 0)
            bits |= FUSE_EOR3;
        else if (strcmp(names->name, "bcax") == 0)
            bits |= FUSE_BCAX;
        else
            error_at(names->loc, RULE_NAME, "'%s' cannot be fused: eor3 and bcax can", names->name);
    }
    return bits;
}

static const char *tune_name(const struct node *text)
{
    if (core_find(text->text) == NULL) {
        error_at(text->loc, RULE_NAME, "there is no core '%s'", text->text);
        for (int i = 0; i < core_count(); i++)
            if (edit_distance(core_at(i)->name, text->text) <= 3)
                note_at(text->loc, "did you mean '%s'?", core_at(i)->name);
        return NULL;
    }
    return text->text;
}

/* requires, fuse, tune: what a variant has too. */
static bool variant_clause(struct variant *v, const struct clause_node *c)
{
    if (c->kind == CLAUSE_REQUIRES)
        v->features |= feature_bits(c->names);
    else if (c->kind == CLAUSE_FUSE)
        v->fuse |= fuse_bits(c->names);
    else if (c->kind == CLAUSE_TUNE)
        v->tune = tune_name(c->names);
    else
        return false;
    return true;
}

static void check_fuse(const struct variant *v)
{
    if (v->fuse != 0 && (v->features >> FEAT_SHA3 & 1) == 0)
        error_at(v->loc, RULE_FEATURE, "eor3 and bcax need the CPU feature %s",
                 features[FEAT_SHA3].name);
}

static void add_variant(struct func *f, const struct clause_node *c)
{
    struct variant *v = &f->variants[f->variant_count];

    *v = f->variants[0];
    v->name = c->name;
    v->loc = c->loc;
    for (int i = 1; i < f->variant_count; i++) {
        if (f->variants[i].name == c->name) {
            error_at(c->loc, RULE_NAME, "variant '%s' is declared twice", c->name);
            note_at(f->variants[i].loc, "first declared here");
        }
    }
    for (const struct clause_node *inner = c->inner; inner != NULL; inner = inner->next)
        if (!variant_clause(v, inner))
            error_at(inner->loc, RULE_UNSUPPORTED, "a variant has 'requires', 'fuse' and 'tune'");
    check_fuse(v);
    f->variant_count++;
}

static void add_where(struct elab *e, const struct clause_node *c)
{
    struct func *f = e->func;
    bool known, is_true;
    struct expr *x = elab_condition(e, c->condition, &known, &is_true);

    if (known && !is_true)
        error_at(c->loc, RULE_VALUE_SET, "this precondition never holds");
    if (x == NULL)
        return;
    if (!is_stable(x)) {
        error_at(c->condition->loc, RULE_UNSUPPORTED, "a precondition is about parameters by value");
        return;
    }
    f->where = mem_grow(f->where, sizeof *f->where * (size_t)f->where_count,
                        sizeof *f->where * (size_t)(f->where_count + 1));
    f->where[f->where_count++] = x;
    add_fact(e, x);
}

static void elab_clauses(struct elab *e, const struct function_node *fn)
{
    struct func *f = e->func;
    int variants = 1;

    for (const struct clause_node *c = fn->clauses; c != NULL; c = c->next)
        variants += c->kind == CLAUSE_VARIANT;
    f->variants = NEW_ARRAY(struct variant, variants);
    f->variants[0] = (struct variant){.name = "", .loc = f->loc, .features = 1 << FEAT_BASE};
    f->variant_count = 1;
    for (const struct clause_node *c = fn->clauses; c != NULL; c = c->next) {
        if (c->kind == CLAUSE_WIPE)
            f->wipe = true;
        else if (c->kind == CLAUSE_WHERE)
            add_where(e, c);
        else
            (void)variant_clause(&f->variants[0], c);
    }
    check_fuse(&f->variants[0]);
    for (const struct clause_node *c = fn->clauses; c != NULL; c = c->next) {
        if (c->kind == CLAUSE_VARIANT && f->kind == FN_EXPORT)
            add_variant(f, c);
        else if (c->kind == CLAUSE_VARIANT)
            error_at(c->loc, RULE_UNSUPPORTED, "only exports have variants");
    }
}

/* -- which parameters may be one array -- */

static struct object *named_object(struct elab *e, const struct node *n)
{
    const struct binding *b = scope_find(e, n->name);

    if (b == NULL)
        unknown_name(e, n->loc, n->name, "parameter");
    else if (b->item.kind == ITEM_MEMORY)
        return b->item.memory.object;
    else if (b->item.kind != ITEM_ERROR)
        error_at(n->loc, RULE_TYPE, "'%s' is not a memory parameter", n->name);
    return NULL;
}

static bool could_be_same(const struct object *a, const struct object *b)
{
    return a->kind == OBJECT_PARAM && b->kind == OBJECT_PARAM && a->extent != NULL &&
           b->extent != NULL && a->element == b->element && a->layout == b->layout &&
           expr_equal(a->extent, b->extent);
}

static void set_may_be_same(struct elab *e, const struct function_node *fn)
{
    struct func *f = e->func;
    const int n = f->objects.n;

    f->may_be_same = NEW_ARRAY(bool, n * n + 1);
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            f->may_be_same[i * n + j] = i == j || could_be_same(f->objects.at[i], f->objects.at[j]);
    for (const struct clause_node *c = fn->clauses; c != NULL; c = c->next) {
        if (c->kind != CLAUSE_NOALIAS)
            continue;
        for (const struct node *a = c->names; a != NULL; a = a->next)
            for (const struct node *b = a->next; b != NULL; b = b->next) {
                const struct object *x = named_object(e, a), *y = named_object(e, b);

                if (x != NULL && y != NULL && x != y)
                    f->may_be_same[x->id * n + y->id] = f->may_be_same[y->id * n + x->id] = false;
            }
    }
}

bool may_be_same_here(const struct elab *e, const struct object *a, const struct object *b)
{
    return a == b || (a->kind == OBJECT_PARAM && b->kind == OBJECT_PARAM &&
                      e->func->may_be_same[a->id * e->param_objects + b->id]);
}

/* The body may have declared stack arrays: they are the same as nothing else. */
static void widen_may_be_same(struct func *f, int had)
{
    const int n = f->objects.n;
    bool *all = NEW_ARRAY(bool, n * n + 1);

    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++)
            all[i * n + j] = i < had && j < had ? f->may_be_same[i * had + j] : i == j;
    f->may_be_same = all;
}

/* -- whole functions -- */

/* Exports and locals are checked as trees; of an inline function only its names
 * can tell. */
static void report_unused_params(const struct elab *e)
{
    for (int i = 0; i < e->scope->names.n; i++) {
        const struct binding *b = &e->scope->names.at[i];

        if (!b->is_used && strcmp(b->name, "_") != 0)
            error_at(b->loc, RULE_UNUSED, "parameter '%s' is never used", b->name);
    }
}

static struct func *new_func(const struct entity *fn, enum function_kind kind)
{
    struct func *f = NEW(struct func);

    f->name = fn->name;
    f->doc = fn->node->doc;
    f->loc = fn->loc;
    f->kind = kind;
    f->module = fn->unit->module;
    return f;
}

static bool elab_function(struct entity *fn, struct func *f)
{
    const struct function_node *node = fn->node->function;
    const int complaints = complaint_count();
    struct elab e;
    int params;

    start_elab(&e, fn->unit, f);
    bind_params(&e, node);
    set_results(&e, node);
    if (f->kind == FN_EXPORT)
        check_export(f, node);
    elab_clauses(&e, node);
    set_may_be_same(&e, node);
    params = e.param_objects = f->objects.n;
    (void)elab_block(&e, node->body);
    widen_may_be_same(f, params);
    if (f->kind == FN_INLINE && complaint_count() == complaints)
        report_unused_params(&e);
    return complaint_count() == complaints;
}

/* The checks need a whole tree. What is missing may have been reported long ago,
 * at a struct or a table: so nothing is checked once elaboration found anything.
 * A check leaves nothing but marks in the tree, and messages when it has some. */
static void check_when_whole(struct entity *fn)
{
    const int errors = error_count(), complaints = complaint_count();
    const struct mem_mark mark = mem_mark();

    if (fn->progress != PROGRESS_DONE || errors != fn->unit->check_errors)
        return;
    check_func(fn->func);
    fn->unit->check_errors += error_count() - errors;
    if (complaint_count() == complaints)
        mem_release_to(mark);
}

struct func *entity_func(struct entity *fn)
{
    if (fn->func != NULL)
        return fn->func;
    fn->func = new_func(fn, fn->node->function->kind);
    fn->func_under_way = true;
    fn->progress = elab_function(fn, fn->func) ? PROGRESS_DONE : PROGRESS_FAILED;
    check_when_whole(fn);
    fn->func_under_way = false;
    return fn->func;
}

/* For its messages only: callers decide what its parameters are, so what
 * depends on them (bounds, secrets) is checked where it is expanded. */
void check_inline_alone(struct entity *fn)
{
    for (const struct clause_node *c = fn->node->function->clauses; c != NULL; c = c->next)
        if (c->kind != CLAUSE_REQUIRES)
            error_at(c->loc, RULE_UNSUPPORTED,
                     "an inline function is part of its callers: only 'requires' may stand here");
    for (const struct param_node *p = fn->node->function->params; p != NULL; p = p->next)
        if (p->is_static)
            return;
    (void)elab_function(fn, new_func(fn, FN_INLINE));
}
