/* elab_memory.c: arrays, structs, fields, tables: every access to memory.
 *
 * An access is an object and a byte offset of 64 bits. `r[i]` has the offset
 * i * size, a field adds where it lies, load() and store() take bytes. An index
 * of 32 bits is extended, never wrapped. Whether the access lies inside the
 * extent is proved later (check_bounds), on exactly this offset.
 *
 * Arrays of registers and constant lists are indexed here too, by constants.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

struct memory whole_object(struct object *o)
{
    return (struct memory){.object = o, .element = o->element, .layout = o->layout,
                           .extent = o->extent, .is_array = o->layout == NULL,
                           .is_writable = o->kind == OBJECT_STACK ||
                                          (o->kind == OBJECT_PARAM && o->direction != DIR_IN),
                           .name = o->name};
}

struct memory whole_table(struct entity *t, struct object *o)
{
    struct memory m = whole_object(o);

    m.is_array = t->table_count > 0;
    return m;
}

/* -- loads -- */

static struct expr *make_load(const struct memory *m, struct expr *offset, enum value_type mem,
                              struct loc loc)
{
    struct expr *x = make_expr(E_LOAD, register_type(mem), loc);

    x->mem = mem;
    x->access.object = m->object;
    x->access.offset = offset != NULL ? offset : make_const(TYPE_U64, 0, loc);
    x->access.field = m->field;
    return x;
}

struct item load_whole(struct elab *e, const struct item *it)
{
    const struct memory *m = &it->memory;

    (void)e;
    if (m->is_array || m->layout != NULL) {
        error_at(it->loc, RULE_TYPE, "a value is needed here, this is %s", item_text(it));
        return item_error(it->loc);
    }
    return item_value(make_load(m, m->offset, m->element, it->loc));
}

/* i * size as 64 bits; NULL after a message. */
static struct expr *element_offset(struct elab *e, const struct memory *m, const struct node *index,
                                   struct item *it)
{
    const uint64_t size = (uint64_t)type_bytes(m->element);
    struct expr *i;

    if (it->kind == ITEM_CONSTANT && it->constant.kind == CONSTANT_INTEGER) {
        const uint64_t n = it->constant.u.number;

        if (n > UINT64_MAX / size) {
            error_at(index->loc, RULE_OUT_OF_BOUNDS, "index %s of '%s'", constant_text(&it->constant),
                     m->name);
            return NULL;
        }
        i = make_const(TYPE_U64, n, index->loc);
    } else if (it->kind == ITEM_VALUE && (it->expr->type == TYPE_U32 || it->expr->type == TYPE_U64)) {
        i = make_convert(it->expr, TYPE_U64, index->loc);
    } else {
        if (it->kind != ITEM_ERROR)
            error_at(index->loc, RULE_TYPE, "an index is u32 or u64, this is %s", item_text(it));
        return NULL;
    }
    (void)e;
    return add_u64(m->offset, scale(i, size));
}

/* -- fields -- */

static const struct field *find_field(const struct struct_type *s, const struct node *n)
{
    int nearest = -1, distance = 3;

    for (int i = 0; i < s->field_count; i++) {
        const int d = edit_distance(n->name, s->fields[i].name);

        if (s->fields[i].name == n->name)
            return &s->fields[i];
        if (d < distance && d < (int)strlen(n->name)) {
            nearest = i;
            distance = d;
        }
    }
    error_at(n->name_loc, RULE_NAME, "struct %s has no field '%s'", s->name, n->name);
    if (nearest >= 0)
        note_at(s->fields[nearest].loc, "did you mean '%s'?", s->fields[nearest].name);
    else
        note_at(s->loc, "struct %s is declared here", s->name);
    return NULL;
}

/* The memory of a field; false after a message. */
static bool field_memory(struct elab *e, const struct node *n, struct memory *out)
{
    const struct item base = elab_expr(e, n->a, TYPE_VOID);
    const struct field *f;
    struct expr *at;

    if (base.kind == ITEM_ERROR)
        return false;
    if (base.kind != ITEM_MEMORY || base.memory.layout == NULL) {
        error_at(n->loc, RULE_TYPE, "'.%s' is for a struct, this is %s", n->name, item_text(&base));
        return false;
    }
    f = find_field(base.memory.layout, n);
    if (f == NULL)
        return false;
    at = make_const(TYPE_U64, f->offset, n->loc);
    *out = base.memory;
    out->offset = add_u64(base.memory.offset, at);
    out->element = f->element;
    out->layout = NULL;
    out->extent = make_const(TYPE_U64, f->count * (uint64_t)type_bytes(f->element), n->loc);
    out->is_array = f->is_array;
    out->field = f;
    out->name = mem_format("%s.%s", base.memory.name, f->name);
    return true;
}

struct item elab_field(struct elab *e, const struct node *n)
{
    struct memory m;

    if (!field_memory(e, n, &m))
        return item_error(n->loc);
    if (m.is_array)
        return (struct item){.kind = ITEM_MEMORY, .loc = n->loc, .memory = m};
    return item_value(make_load(&m, m.offset, m.element, n->loc));
}

/* -- indices -- */

/* Of something with N elements that exists at compile time only. */
static bool constant_index(const struct node *index, const struct item *it, const char *of, int n,
                           int *out)
{
    if (it->kind == ITEM_ERROR)
        return false;
    if (it->kind != ITEM_CONSTANT || it->constant.kind != CONSTANT_INTEGER) {
        error_at(index->loc, RULE_STATIC, "the index of %s must be known when kgen runs", of);
        return false;
    }
    if (it->constant.u.number >= (uint64_t)n) {
        error_at(index->loc, RULE_OUT_OF_BOUNDS, "index %s of %s of %d",
                 constant_text(&it->constant), of, n);
        return false;
    }
    *out = (int)it->constant.u.number;
    return true;
}

static struct item lane_of(const struct node *n, struct expr *v, const struct item *index)
{
    struct expr *x;
    int lane;

    if (!type_is_vector(v->type)) {
        error_at(n->loc, RULE_TYPE, "%s has no elements", value_types[v->type].name);
        return item_error(n->loc);
    }
    if (!constant_index(n->b, index, "a vector", value_types[v->type].lanes, &lane))
        return item_error(n->loc);
    x = make_expr(E_LANE, value_types[v->type].lane_bits == 64 ? TYPE_U64 : TYPE_U32, n->loc);
    x->a = v;
    x->lane = lane;
    return item_value(x);
}

static struct item element_of(struct elab *e, const struct node *n, struct item *base,
                              struct item *index)
{
    struct expr *offset;
    struct item it;
    int i;

    switch (base->kind) {
    case ITEM_CONSTANT:
        if (base->constant.kind != CONSTANT_LIST) {
            error_at(n->loc, RULE_TYPE, "a number has no elements");
            return item_error(n->loc);
        }
        if (!constant_index(n->b, index, "a list", base->constant.u.list->n, &i))
            return item_error(n->loc);
        return item_constant(base->constant.u.list->at[i], n->loc);
    case ITEM_LIST:
        if (!constant_index(n->b, index, "an array of registers", base->n, &i))
            return item_error(n->loc);
        return base->at[i];
    case ITEM_VALUE:
        return lane_of(n, base->expr, index);
    case ITEM_MEMORY:
        if (base->memory.layout == NULL && !base->memory.is_array) {
            it = load_whole(e, base);
            return lane_of(n, it.expr, index);
        }
        if (base->memory.layout != NULL) {
            error_at(n->loc, RULE_TYPE, "%s has fields, not elements", item_text(base));
            return item_error(n->loc);
        }
        offset = element_offset(e, &base->memory, n->b, index);
        return offset == NULL ? item_error(n->loc)
                              : item_value(make_load(&base->memory, offset, base->memory.element,
                                                     n->loc));
    case ITEM_NOTHING:
        error_at(n->loc, RULE_TYPE, "nothing has no elements");
        return item_error(n->loc);
    default:
        return item_error(n->loc);
    }
}

struct item elab_index(struct elab *e, const struct node *n)
{
    struct item base = elab_expr(e, n->a, TYPE_VOID), index;
    struct stmt **mark = e->end;

    index = elab_expr(e, n->b, TYPE_VOID);
    settle(e, mark, &base);
    return element_of(e, n, &base, &index);
}

/* -- places -- */

static struct place bad_place(struct loc loc)
{
    return (struct place){.kind = PLACE_ERROR, .loc = loc};
}

static struct place memory_place(const struct memory *m, struct expr *offset, struct loc loc)
{
    struct place p = {.kind = PLACE_MEMORY, .loc = loc, .type = register_type(m->element),
                      .mem = m->element};

    if (!m->is_writable) {
        error_at(loc, RULE_TYPE, "'%s' cannot be written: it is %s", m->name,
                 m->object->kind == OBJECT_TABLE ? "a table" : "an 'in' parameter");
        note_at(m->object->loc, "'%s' is declared here", m->object->name);
        return bad_place(loc);
    }
    p.access.object = m->object;
    p.access.offset = offset != NULL ? offset : make_const(TYPE_U64, 0, loc);
    p.access.field = m->field;
    return p;
}

struct place place_of_item(struct elab *e, const struct item *it)
{
    struct place p = {.loc = it->loc};

    (void)e;
    if (it->kind == ITEM_VALUE && it->expr->kind == E_VAR) {
        p.kind = PLACE_VAR;
        p.var = it->expr->var;
        p.type = p.var->type;
        return p;
    }
    if (it->kind == ITEM_LIST) {
        p.kind = PLACE_LIST;
        p.n = it->n;
        p.at = NEW_ARRAY(struct place, it->n + 1);
        for (int i = 0; i < it->n; i++)
            p.at[i] = place_of_item(e, &it->at[i]);
        return p;
    }
    if (it->kind != ITEM_ERROR)
        error_at(it->loc, RULE_TYPE, "%s cannot be assigned", item_text(it));
    return bad_place(it->loc);
}

/* The variable that a place names, indices left out; NULL: not a local name. */
static const struct binding *named_binding(struct elab *e, const struct node *n)
{
    while (n->kind == N_INDEX)
        n = n->a;
    return n->kind == N_NAME ? scope_find(e, n->name) : NULL;
}

static struct place element_place(struct elab *e, const struct node *n)
{
    struct item base = elab_expr(e, n->a, TYPE_VOID), index;
    struct expr *offset;
    int i;

    index = elab_expr(e, n->b, TYPE_VOID);
    if (base.kind == ITEM_LIST) {
        if (!constant_index(n->b, &index, "an array of registers", base.n, &i))
            return bad_place(n->loc);
        base.at[i].loc = n->loc;
        return place_of_item(e, &base.at[i]);
    }
    if (base.kind == ITEM_MEMORY && base.memory.layout == NULL && base.memory.is_array) {
        offset = element_offset(e, &base.memory, n->b, &index);
        return offset != NULL ? memory_place(&base.memory, offset, n->loc) : bad_place(n->loc);
    }
    if (base.kind == ITEM_VALUE && type_is_vector(base.expr->type))
        error_at(n->loc, RULE_TYPE, "a lane is not assigned to: 'v = ins(v, %s, x)' does it",
                 index.kind == ITEM_CONSTANT ? constant_text(&index.constant) : "i");
    else if (base.kind != ITEM_ERROR)
        error_at(n->loc, RULE_TYPE, "an element of %s cannot be assigned", item_text(&base));
    return bad_place(n->loc);
}

struct place elab_place(struct elab *e, const struct node *n)
{
    const struct binding *b = named_binding(e, n);
    struct memory m;

    if (b == NULL && n->kind == N_NAME && n->name[0] == '_' && n->name[1] == '\0')
        return (struct place){.kind = PLACE_IGNORED, .loc = n->loc};
    if (b != NULL && !b->is_variable && b->item.kind != ITEM_MEMORY) {
        if (b->item.kind != ITEM_ERROR) {
            error_at(n->loc, RULE_TYPE, "'%s' cannot be assigned: it is %s", b->name,
                     b->why_not != NULL ? b->why_not : "not a variable");
            note_at(b->loc, "'%s' is declared here", b->name);
        }
        return bad_place(n->loc);
    }
    if (n->kind == N_NAME) {
        struct item it = elab_expr(e, n, TYPE_VOID);

        return place_of_item(e, &it);
    }
    if (n->kind == N_INDEX)
        return element_place(e, n);
    if (n->kind == N_FIELD && field_memory(e, n, &m)) {
        if (!m.is_array)
            return memory_place(&m, m.offset, n->loc);
        error_at(n->loc, RULE_TYPE, "an array in memory is assigned element by element");
    } else if (n->kind != N_FIELD) {
        error_at(n->loc, RULE_TYPE, "this cannot be assigned");
    }
    return bad_place(n->loc);
}

/* -- typed accesses at a byte offset -- */

/* What load and store may look at: bytes, a struct or one of its arrays, the stack. */
static bool byte_access(struct elab *e, const struct node *memory, const struct node *at,
                        struct memory *m, struct expr **offset)
{
    struct item it = elab_expr(e, memory, TYPE_VOID), position;

    position = elab_expr(e, at, TYPE_U64);
    if (it.kind == ITEM_ERROR || position.kind == ITEM_ERROR)
        return false;
    if (it.kind != ITEM_MEMORY || !(it.memory.layout != NULL || it.memory.field != NULL ||
                                    it.memory.element == TYPE_U8 ||
                                    it.memory.object->kind == OBJECT_STACK)) {
        error_at(it.loc, RULE_TYPE,
                 "bytes are accessed in a u8 array, a struct, its arrays or a stack array, "
                 "this is %s",
                 item_text(&it));
        return false;
    }
    *m = it.memory;
    m->element = TYPE_U8;
    *offset = element_offset(e, m, at, &position);
    if (*offset == NULL)
        *offset = make_const(TYPE_U64, 0, at->loc);
    return true;
}

struct item elab_load(struct elab *e, const struct node *call)
{
    const struct node *type = call->list, *memory = type != NULL ? type->next : NULL;
    const struct node *at = memory != NULL ? memory->next : NULL;
    struct type_use t;
    struct memory m;
    struct expr *offset;

    if (at == NULL || at->next != NULL || type->kind != N_TYPE) {
        error_at(call->loc, RULE_TYPE,
                 "load takes a type, an array and a byte offset: load(u8x16, p, at)");
        return item_error(call->loc);
    }
    if (!type_use_of(e->unit, type, &t))
        return item_error(call->loc);
    if (t.extent != NULL || t.layout != NULL || type_is_flag(t.value)) {
        error_at(type->loc, RULE_TYPE, "load gives a scalar or a vector");
        return item_error(call->loc);
    }
    if (!byte_access(e, memory, at, &m, &offset))
        return item_error(call->loc);
    return item_value(make_load(&m, offset, canonical_type(t.value), call->loc));
}

/* What a value of that type occupies when stored whole. */
static bool stored_value(struct elab *e, const struct node *n, struct expr **value,
                         enum value_type *mem)
{
    struct item it = elab_expr(e, n, TYPE_VOID);

    if (it.kind == ITEM_MEMORY)
        it = load_whole(e, &it);
    if (it.kind == ITEM_CONSTANT && it.type == TYPE_VOID) {
        error_at(it.loc, RULE_TYPE, "how many bytes are stored? write '%s as u64' or another type",
                 constant_text(&it.constant));
        return false;
    }
    if (it.kind == ITEM_CONSTANT) {
        *mem = canonical_type(it.type);
        *value = coerce(e, it, register_type(it.type));
        return *value != NULL;
    }
    if (it.kind == ITEM_VALUE && (type_is_vector(it.expr->type) || type_is_scalar(it.expr->type))) {
        *mem = it.expr->type;
        *value = it.expr;
        return true;
    }
    if (it.kind != ITEM_ERROR)
        error_at(it.loc, RULE_TYPE, "a scalar or a vector is stored, this is %s", item_text(&it));
    return false;
}

bool elab_store(struct elab *e, const struct node *call)
{
    const struct node *memory = call->list, *at = memory != NULL ? memory->next : NULL;
    const struct node *value = at != NULL ? at->next : NULL;
    struct memory m;
    struct expr *offset, *x;
    struct place p;
    struct stmt *s, **mark;
    struct item position;
    enum value_type mem;

    if (value == NULL || value->next != NULL) {
        error_at(call->loc, RULE_TYPE,
                 "store takes an array, a byte offset and a value: store(p, at, v)");
        return false;
    }
    if (!byte_access(e, memory, at, &m, &offset))
        return false;
    mark = e->end;
    if (!stored_value(e, value, &x, &mem))
        return false;
    position = item_value(offset);
    settle(e, mark, &position);
    p = memory_place(&m, position.expr, call->loc);
    if (p.kind == PLACE_ERROR)
        return false;
    s = emit(e, S_STORE, call->loc);
    s->access = p.access;
    s->mem = mem;
    s->value = x;
    return true;
}
