/* program.c: modules, what they declare, and the order of everything.
 *
 * Takes the chain of declarations that the parser read; gives the program. All
 * names of a module are known before anything is elaborated, so order does not
 * matter: a struct, table, static value or function is made when it is first
 * needed, and something that is needed to make itself is reported.
 *
 * The tables of a module become one read-only object, in declared order.
 */
#include "lang/elab.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum { TABLES_LIMIT = 1 << 20, NODE_BUDGET = 1000 * 1000 };

/* -- names of a module -- */

static unsigned name_hash(const char *name)
{
    unsigned h = 5381;

    for (; *name != '\0'; name++)
        h = h * 33 ^ (unsigned char)*name;
    return h;
}

static int map_slot(const struct name_map *m, const char *name)
{
    int i = (int)(name_hash(name) & (unsigned)(m->cap - 1));

    while (m->at[i] != NULL && m->at[i]->name != name)
        i = (i + 1) & (m->cap - 1);
    return i;
}

struct entity *unit_find(const struct unit *u, const char *name)
{
    return u->map.cap == 0 ? NULL : u->map.at[map_slot(&u->map, name)];
}

static void map_add(struct name_map *m, struct entity *e)
{
    if ((m->n + 1) * 2 > m->cap) {
        const struct name_map old = *m;

        m->cap = old.cap == 0 ? 64 : old.cap * 2;
        m->at = NEW_ARRAY(struct entity *, m->cap);
        for (int i = 0; i < old.cap; i++)
            if (old.at[i] != NULL)
                m->at[map_slot(m, old.at[i]->name)] = old.at[i];
    }
    m->at[map_slot(m, e->name)] = e;
    m->n++;
}

static struct entity *declare(struct unit *u, const struct node *n, enum entity_kind kind,
                              const char *name, struct loc loc)
{
    const struct entity *before = unit_find(u, name);
    struct entity *e = NEW(struct entity);

    *e = (struct entity){.kind = kind, .name = name, .loc = loc, .node = n, .unit = u};
    if (before != NULL) {
        error_at(loc, RULE_NAME, "'%s' is declared twice in module \"%s\"", name, u->module->name);
        note_at(before->loc, "first declared here");
        return e;
    }
    vec_push(&u->entities, e);
    map_add(&u->map, e);
    return e;
}

static void declare_static(struct unit *u, const struct node *n)
{
    struct entity *first = NULL;
    int position = 0;

    for (const struct node *b = n->list; b != NULL; b = b->next) {
        struct entity *e;

        if (strcmp(b->name, "_") == 0 && n->list->next != NULL) {
            position++;
            continue;
        }
        e = declare(u, n, ENTITY_STATIC, b->name, b->name_loc);
        if (first == NULL)
            first = e;
        e->group = first;
        e->position = position++;
    }
}

static void declare_node(struct unit *u, const struct node *n)
{
    switch (n->kind) {
    case N_STRUCT:
        declare(u, n, ENTITY_STRUCT, n->name, n->name_loc);
        break;
    case N_TABLE:
        declare(u, n, ENTITY_TABLE, n->name, n->name_loc);
        break;
    case N_FUNCTION:
        declare(u, n, ENTITY_FUNCTION, n->name, n->name_loc);
        break;
    case N_STATIC_LET:
        declare_static(u, n);
        break;
    case N_TEST:
        vec_push(&u->tests, n);
        break;
    default:
        assert(0 && "a declaration");
        break;
    }
}

/* -- static values -- */

static bool being_made(struct entity *e, struct loc use)
{
    if (e->progress != PROGRESS_UNDER_WAY)
        return false;
    error_at(use, RULE_STATIC, "'%s' is needed to compute itself", e->name);
    note_at(e->loc, "'%s' is declared here", e->name);
    return true;
}

static bool convert_binding(struct entity *e, const struct node *binding, struct constant *value)
{
    struct static_type type;

    return binding->type == NULL || (static_type_of(e->unit, binding->type, &type) &&
                                     static_convert(&type, value, binding->loc));
}

static int binding_count(const struct node *n)
{
    int count = 0;

    for (const struct node *b = n->list; b != NULL; b = b->next)
        count++;
    return count;
}

/* The value of a static let, one for all its names. */
static bool group_value(struct entity *first, struct loc use, struct constant *out)
{
    const struct node *n = first->node;

    if (first->progress == PROGRESS_DONE && first->group_value_known) {
        *out = first->group_value;
        return true;
    }
    if (being_made(first, use))
        return false;
    first->progress = PROGRESS_UNDER_WAY;
    if (!static_evaluate(first->unit, n->a, out)) {
        first->progress = PROGRESS_FAILED;
        return false;
    }
    first->progress = PROGRESS_NONE;
    first->group_value = constant_share(*out);
    first->group_value_known = true;
    return true;
}

static bool own_part(struct entity *e, struct constant *value)
{
    const int count = binding_count(e->node);
    const struct node *binding = e->node->list;

    if (count > 1) {
        if (value->kind != CONSTANT_LIST || value->u.list->n != count) {
            error_at(e->node->loc, RULE_TYPE, "%d names need as many values, this is %s", count,
                     constant_text(value));
            return false;
        }
        *value = value->u.list->at[e->position];
    }
    for (int i = 0; i < e->position; i++)
        binding = binding->next;
    constant_share(*value);
    return convert_binding(e, binding, value);
}

static bool table_value(struct entity *e, struct loc use, struct constant *out)
{
    if (entity_table(e, use) == NULL)
        return false;
    *out = e->value;
    return true;
}

bool entity_value(struct entity *e, struct loc use, struct constant *out)
{
    struct constant value;

    if (e->progress == PROGRESS_DONE) {
        *out = constant_share(e->value);
        return true;
    }
    if (e->progress == PROGRESS_FAILED || e->group_failed)
        return false;
    if (e->kind == ENTITY_TABLE)
        return table_value(e, use, out);
    if (being_made(e, use))
        return false;
    if ((e->group->group_failed && !e->group->group_value_known) ||
        (!e->group->group_value_known && !group_value(e->group, use, &value))) {
        e->group->group_failed = true;
        return false;
    }
    value = e->group->group_value;
    if (!own_part(e, &value)) {
        e->group_failed = true;
        return false;
    }
    e->value = constant_share(value);
    e->progress = PROGRESS_DONE;
    *out = e->value;
    return true;
}

struct struct_type *entity_layout(struct entity *e, struct loc use)
{
    if (e->progress == PROGRESS_NONE) {
        e->progress = PROGRESS_UNDER_WAY;
        e->progress = make_layout(e) ? PROGRESS_DONE : PROGRESS_FAILED;
    }
    if (e->progress == PROGRESS_UNDER_WAY)
        (void)being_made(e, use);
    return e->progress == PROGRESS_DONE ? e->layout : NULL;
}

struct static_fn *entity_code(struct entity *e)
{
    if (e->progress == PROGRESS_NONE) {
        e->progress = PROGRESS_UNDER_WAY;
        e->code = static_translate(e);
        e->progress = e->code != NULL ? PROGRESS_DONE : PROGRESS_FAILED;
    }
    return e->code;
}

/* -- tables -- */

static bool write_element(struct object *o, int at, uint64_t number, const struct node *value)
{
    const int bytes = value_types[o->element].lane_bits / 8;

    if (!number_fits(number, o->element)) {
        const struct constant c = constant_integer(number);

        error_at(value->loc, RULE_TYPE, "entry %d of '%s' is %s, which does not fit %s", at, o->name,
                 constant_text(&c), type_is_vector(o->element) ? "a lane"
                     : value_types[o->element].name);
        return false;
    }
    for (int i = 0; i < bytes; i++)
        o->bytes[at * bytes + i] = (uint8_t)(number >> (8 * i));
    return true;
}

/* hex("…") gives bytes, anything else lanes or elements. */
static bool is_bytes(const struct constant *c)
{
    if (c->kind != CONSTANT_LIST)
        return false;
    if (c->u.list->is_bytes)
        return true;
    for (int i = 0; i < c->u.list->n; i++)
        if (!is_bytes(&c->u.list->at[i]))
            return false;
    return c->u.list->n > 0;
}

bool constant_to_bytes(const struct constant *c, enum value_type element, uint64_t size,
                       const struct node *where, struct object *o)
{
    const int lane = is_bytes(c) ? 1 : value_types[element].lane_bits / 8;
    const int count = constant_flat_count(c);
    uint64_t *numbers;
    int n = 0;

    if (count > STATIC_LIST_LIMIT || (uint64_t)count * (uint64_t)lane != size) {
        error_at(where->loc, RULE_EXTENT, "'%s' has %llu %s, these are %d", o->name,
                 (unsigned long long)(size / (uint64_t)lane),
                 lane == 1 ? "bytes" : type_is_vector(element) ? "lanes" : "elements", count);
        return false;
    }
    numbers = NEW_ARRAY(uint64_t, count + 1);
    constant_flatten(c, numbers, &n);
    o->bytes = NEW_ARRAY(uint8_t, size + 1);
    o->size = size;
    if (lane == 1 && value_types[element].lane_bits != 8) {
        for (int i = 0; i < n; i++)
            o->bytes[i] = (uint8_t)numbers[i];
        return true;
    }
    for (int i = 0; i < n; i++)
        if (!write_element(o, i, numbers[i], where))
            return false;
    return true;
}

static bool table_shape(struct entity *e, struct object *o)
{
    const struct node *n = e->node;
    struct type_use t;
    uint64_t align;

    if (!type_use_of(e->unit, n->type, &t))
        return false;
    if (t.layout != NULL || type_is_flag(t.value)) {
        error_at(n->type->loc, RULE_TYPE, "a table holds scalars or vectors");
        return false;
    }
    o->element = canonical_type(t.value);
    if (t.extent != NULL) {
        if (!static_number(e->unit, t.extent, &e->table_count))
            return false;
        if (e->table_count == 0 || e->table_count > STATIC_LIST_LIMIT) {
            error_at(t.extent->loc, RULE_EXTENT, "a table of %llu entries",
                     (unsigned long long)e->table_count);
            return false;
        }
    }
    o->align = type_is_vector(t.value) ? 16 : (uint64_t)type_bytes(t.value);
    if (n->a != NULL) {
        if (!static_number(e->unit, n->a, &align) ||
            !check_align(n->a->loc, align, natural_align(t.value)))
            return false;
        o->align = align;
    }
    return true;
}

static bool make_table(struct entity *e)
{
    const struct node *n = e->node;
    struct object *o = NEW(struct object);
    uint64_t size;

    o->kind = OBJECT_TABLE;
    o->name = e->name;
    o->loc = e->loc;
    o->doc = n->doc;
    o->param = -1;
    if (!table_shape(e, o) || !static_evaluate(e->unit, n->b, &e->value))
        return false;
    size = (e->table_count == 0 ? 1 : e->table_count) * (uint64_t)type_bytes(o->element);
    constant_share(e->value);
    if (!constant_to_bytes(&e->value, o->element, size, n->b, o))
        return false;
    o->extent = make_const(TYPE_U64, size, e->loc);
    e->table = o;
    return true;
}

struct object *entity_table(struct entity *e, struct loc use)
{
    if (e->progress == PROGRESS_NONE) {
        e->progress = PROGRESS_UNDER_WAY;
        e->progress = make_table(e) ? PROGRESS_DONE : PROGRESS_FAILED;
    }
    if (e->progress == PROGRESS_UNDER_WAY)
        (void)being_made(e, use);
    return e->progress == PROGRESS_DONE ? e->table : NULL;
}

static void place_tables(struct unit *u)
{
    struct module *m = u->module;

    m->tables_align = 1;
    for (int i = 0; i < u->entities.n; i++) {
        struct entity *e = u->entities.at[i];
        struct object *o;

        if (e->kind != ENTITY_TABLE || (o = entity_table(e, e->loc)) == NULL)
            continue;
        o->id = m->tables.n;
        o->table_offset = (m->tables_size + o->align - 1) / o->align * o->align;
        m->tables_size = o->table_offset + o->size;
        if (o->align > m->tables_align)
            m->tables_align = o->align;
        vec_push(&m->tables, o);
        if (m->tables_size > TABLES_LIMIT) {
            error_at(e->loc, RULE_EXTENT, "the tables of a module take more than 1 MiB");
            return;
        }
    }
}

/* -- modules -- */

static void make_layouts(struct unit *u)
{
    for (int i = 0; i < u->entities.n; i++) {
        struct entity *e = u->entities.at[i];

        if (e->kind == ENTITY_STRUCT && entity_layout(e, e->loc) != NULL)
            vec_push(&u->module->structs, e->layout);
    }
}

static void make_statics(struct unit *u)
{
    struct constant ignored;

    for (int i = 0; i < u->entities.n; i++) {
        struct entity *e = u->entities.at[i];

        if (e->kind == ENTITY_STATIC)
            (void)entity_value(e, e->loc, &ignored);
        else if (e->kind == ENTITY_FUNCTION && e->node->function->kind == FN_STATIC)
            (void)entity_code(e);
    }
}

static void make_functions(struct unit *u)
{
    for (int i = 0; i < u->entities.n && !too_many_errors(); i++) {
        struct entity *e = u->entities.at[i];

        if (e->kind != ENTITY_FUNCTION)
            continue;
        if (e->node->function->kind == FN_INLINE)
            check_inline_alone(e);
        else if (e->node->function->kind != FN_STATIC)
            (void)entity_func(e);
    }
    for (int i = 0; i < u->entities.n; i++) {
        const struct entity *e = u->entities.at[i];

        if (e->kind == ENTITY_FUNCTION && e->func != NULL &&
            (e->node->function->kind == FN_EXPORT || e->is_used))
            vec_push(&u->module->funcs, e->func);
    }
}

static void make_tests(struct unit *u)
{
    struct test **end = &u->module->tests;

    for (int i = 0; i < u->tests.n; i++) {
        struct test *t = NEW(struct test);

        elab_test_block(u, u->tests.at[i], t);
        *end = t;
        end = &t->next;
    }
}

static void elaborate_unit(struct unit *u)
{
    make_layouts(u);
    make_statics(u);
    place_tables(u);
    make_functions(u);
    if (error_count() == 0)
        make_tests(u);
}

struct units {
    VEC(struct unit *) all;
    int errors;                 /* when the last of them was done … */
    int check_errors;           /* … and those of them that did not come of elaboration */
};

static struct unit *new_unit(struct units *units, const struct node *n)
{
    struct unit *u = NEW(struct unit);

    u->budget = NODE_BUDGET;
    u->module = NEW(struct module);
    u->module->name = n->text;
    u->module->doc = n->doc;
    u->module->loc = n->loc;
    vec_push(&units->all, u);
    return u;
}

struct units *declare_program(struct node *decls)
{
    struct units *units = NEW(struct units);
    struct unit *u = NULL;

    static_reset();
    for (const struct node *n = decls; n != NULL; n = n->next) {
        if (n->kind == N_MODULE) {
            u = new_unit(units, n);
        } else if (u == NULL) {
            error_at(n->loc, RULE_NAME, "a declaration before any 'module \"NAME\";'");
            return NULL;
        } else {
            declare_node(u, n);
        }
    }
    check_outside(units->all.at, units->all.n);
    check_symbols(units->all.at, units->all.n);
    units->errors = error_count();
    return units;
}

int unit_count(const struct units *units)
{
    return units->all.n;
}

/* What was reported between two modules, their compiler found. */
struct module *elaborate_module(struct units *units, int i)
{
    struct unit *u = units->all.at[i];

    u->check_errors = units->check_errors + error_count() - units->errors;
    elaborate_unit(u);
    units->check_errors = u->check_errors;
    units->errors = error_count();
    return u->module;
}

struct program *check_program(struct node *decls)
{
    struct units *units = declare_program(decls);
    struct program *p = NEW(struct program);

    for (int i = 0; units != NULL && i < units->all.n; i++)
        vec_push(&p->modules, elaborate_module(units, i));
    return error_count() == 0 ? p : NULL;
}
