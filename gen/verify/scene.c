/* scene.c: see scene.h. */
#include "verify/scene.h"

#include <assert.h>
#include <string.h>

/* So far apart that the largest prefix (2^54 vectors) of one array ends before the
 * next begins; no processor has such addresses, and no kernel may care. */
static const uint64_t array_base[LAYOUT_COUNT] = { 1ull << 60, (1ull << 60) + 0x73510000 };
static const uint64_t array_stride = 1ull << 59;
static const uint64_t tables_base[LAYOUT_COUNT] = { 0x400000, 0x7f5a12340000 };
static const uint64_t stack_base[LAYOUT_COUNT] = { 0x7ffff0000000, 0xfffff7770 };
enum { STACK_BYTES = 1 << 11, PAGE = 4096, VECTOR_BYTES = 16 };   /* STACK: beside stack arrays */

/* False for what has no choice: it is symbolic. */
static bool chosen_value(const struct scene *s, const struct param *p, const struct field *f,
                         uint64_t *out)
{
    for (int i = 0; i < s->cases->choices.n; i++) {
        const struct choice *c = &s->cases->choices.at[i];
        if (c->param == p && c->field == f) {
            *out = s->chosen[i];
            return true;
        }
    }
    return false;
}

static val number(int width, uint64_t v) { return term_constant(width, (struct bits){ { v, 0 } }); }

/* -- scalars -- */

/* The value, and the register it comes in: a 32-bit argument's upper half is
 * whatever the caller left there (AAPCS64 6.8.2, C.9). */
static void set_scalar(struct scene *s, int i, const struct param *p)
{
    int width = value_types[p->type].bits;
    uint64_t known;
    val v = chosen_value(s, p, NULL, &known)
                ? number(width, known)
                : term_input(width, p->name, NO_INDEX, p->secret ? INPUT_SECRET : INPUT_PUBLIC);
    s->args[i].value = v;
    s->passed[i] = v;
    if (width == 32) {
        val junk = term_input(32, "the upper half of argument", i, INPUT_PUBLIC);
        s->passed[i] = term_cat(64, (struct piece[]){ { v, 0, 32 }, { junk, 0, 32 } }, 2);
    }
}

/* -- memory -- */

static struct reference_run precondition_run(const struct scene *s, struct term_domain *d)
{
    term_domain_init(d, s->memory);
    return (struct reference_run){ .domain = &d->domain, .func = s->cases->func, .args = s->args };
}

static bool preconditions_hold(const struct scene *s)
{
    struct term_domain d;
    struct reference_run run = precondition_run(s, &d);
    const struct func *f = s->cases->func;
    for (int i = 0; i < f->where_count; i++) {
        uint64_t truth;
        if (!reference_number(&run, f->where[i], &truth) || !truth)
            return false;
    }
    return true;
}

static bool object_size(const struct scene *s, const struct object *o, uint64_t *size)
{
    struct term_domain d;
    struct reference_run run = precondition_run(s, &d);
    return reference_number(&run, o->extent, size);
}

static int access_of(const struct object *o)
{
    return o->direction == DIR_IN ? REGION_READ : REGION_READ | REGION_WRITE;
}

/* Symbols for `count` elements from an offset; elements of up to 16 bytes. */
static void fill(const struct scene *s, struct region *r, const char *name, uint64_t offset,
                 int element, uint64_t count, enum input_kind kind)
{
    for (uint64_t i = 0; i < count && offset + (uint64_t)element <= r->window; i++) {
        int64_t index = count == 1 ? NO_INDEX : (int64_t)i;
        cells_set(s->memory, r->base + offset, element, term_input(element * 8, name, index, kind));
        offset += (uint64_t)element;
    }
}

/* Byte arrays are mostly read 16 bytes at a time: one symbol for each 16. */
static void fill_bytes(const struct scene *s, struct region *r, const char *name, uint64_t size)
{
    uint64_t whole = size / 16;
    fill(s, r, mem_format("16 bytes of %s, ", name), 0, 16, whole, INPUT_SECRET);
    if (whole * 16 < r->window)
        fill(s, r, mem_format("the end of %s, ", name), whole * 16, 1, size % 16, INPUT_SECRET);
}

static void fill_struct(const struct scene *s, struct region *r, const struct param *p)
{
    const struct struct_type *t = p->object->layout;
    fill(s, r, mem_format("padding of %s", p->name), 0, 1, r->window, INPUT_PUBLIC);
    for (int i = 0; i < t->field_count; i++) {
        const struct field *f = &t->fields[i];
        int element = type_bytes(f->element);
        char *name = mem_format("%s.%s", p->name, f->name);
        uint64_t known;
        if (chosen_value(s, p, f, &known))
            cells_set(s->memory, r->base + f->offset, element, number(element * 8, known));
        else
            fill(s, r, name, f->offset, element, f->count, f->secret ? INPUT_SECRET : INPUT_PUBLIC);
    }
}

/* Public arrays must be known numbers: what they hold may decide addresses. */
static void fill_public(const struct scene *s, struct region *r)
{
    uint64_t v = 0x243f6a8885a308d3;            /* pi, so that nothing is special about it */
    for (uint64_t i = 0; i < r->window; i++, v = v << 7 | v >> 57)
        cells_set(s->memory, r->base + i, 1, number(8, v & 0xff));
}

static struct region *class_region(const struct scene *s, const struct object *o, uint64_t size)
{
    uint64_t base = array_base[s->layout] + array_stride * (uint64_t)s->class_of[o->id];
    for (int i = 0; i < s->memory->regions.n; i++) {
        struct region *r = &s->memory->regions.at[i];
        if (r->base == base) {
            r->access |= access_of(o);
            r->name = mem_format("%s = %s", r->name, o->name);
            return NULL;
        }
    }
    return cells_add(s->memory, o->name, base, size, access_of(o));
}

static bool place_object(struct scene *s, int i, enum scene_size limit)
{
    const struct param *p = &s->cases->func->params[i];
    const struct object *o = p->object;
    uint64_t size;
    if (!object_size(s, o, &size) || size > array_stride ||
        (limit == SCENE_WHOLE && size > REGION_WINDOW))
        return false;
    struct region *r = class_region(s, o, size);
    uint64_t base = array_base[s->layout] + array_stride * (uint64_t)s->class_of[o->id];
    if (r && o->layout)
        fill_struct(s, r, p);
    else if (r && !o->secret)
        fill_public(s, r);
    else if (r && o->element == TYPE_U8)
        fill_bytes(s, r, p->name, size);
    else if (r)
        fill(s, r, p->name, 0, type_bytes(o->element), size / (uint64_t)type_bytes(o->element),
             INPUT_SECRET);
    s->args[i].address = base;
    s->args[i].size = size;
    s->passed[i] = number(64, base);
    return true;
}

static void place_tables(struct scene *s, const struct emitted *text)
{
    uint64_t size = (uint64_t)text->bytes.n;
    s->tables = tables_base[s->layout];
    if (s->layout == LAYOUT_TABLES_AT_PAGE_END)
        s->tables += PAGE - (size & (PAGE - 1) & ~(text->align - 1));
    struct region *r = size ? cells_add(s->memory, "tables", s->tables, size, REGION_READ) : NULL;
    /* As vectors, which is how most of them are read: one term then. */
    for (uint64_t at = 0; r && at < size; at += VECTOR_BYTES) {
        struct bits v = { { 0, 0 } };
        int n = size - at < VECTOR_BYTES ? (int)(size - at) : VECTOR_BYTES;
        for (int i = 0; i < n; i++)
            v.v[i / 8] |= (uint64_t)text->bytes.at[at + (uint64_t)i] << i % 8 * 8;
        cells_set(s->memory, s->tables + at, n, term_constant(n * 8, v));
    }
}

/* What lies between arguments is as unknown as their upper halves. */
static void place_stack_arguments(const struct scene *s, const struct emitted *text)
{
    const struct func *f = s->cases->func;
    uint64_t bytes = abi_stack_bytes(f, text->packs_arguments);
    if (bytes == 0)
        return;
    struct region *r = cells_add(s->memory, "the caller's arguments", s->stack_top, bytes, REGION_READ);
    fill(s, r, "between arguments", 0, 1, bytes, INPUT_PUBLIC);
    for (int i = 0; i < f->param_count; i++) {
        struct abi_place place = abi_place(f, i, text->packs_arguments);
        if (place.on_stack)
            cells_set(s->memory, r->base + place.offset, place.bytes,
                      place.bytes == 8 ? s->passed[i] : s->args[i].value);
    }
}

bool scene_build(struct scene *s, const struct emitted *text, enum scene_size size)
{
    const struct func *f = s->cases->func;
    assert(f->param_count <= MAX_ARGS);
    s->memory = NEW(struct cells);
    for (int i = 0; i < f->param_count; i++)
        if (!f->params[i].object)
            set_scalar(s, i, &f->params[i]);
    if (!preconditions_hold(s))
        return false;
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].object && !place_object(s, i, size))
            return false;
    place_tables(s, text);
    s->stack_size = STACK_BYTES;
    for (int i = 0; i < f->objects.n; i++) {
        uint64_t bytes;
        if (f->objects.at[i]->kind == OBJECT_STACK && object_size(s, f->objects.at[i], &bytes))
            s->stack_size += bytes < REGION_WINDOW / 2 ? bytes : 0;
    }
    s->stack_top = stack_base[s->layout];
    cells_add(s->memory, "the stack", s->stack_top - s->stack_size, s->stack_size,
              REGION_READ | REGION_WRITE);
    place_stack_arguments(s, text);
    return true;
}

/* -- registers -- */

void scene_enter(const struct scene *s, const struct emitted *text, struct machine *m)
{
    const struct func *f = s->cases->func;
    for (int i = 0; i < COUNT(m->x); i++)
        m->x[i] = i < f->param_count && !abi_place(f, i, text->packs_arguments).on_stack
                      ? s->passed[i]
                      : term_input(64, "entry x", i, INPUT_PUBLIC);
    for (int i = 0; i < COUNT(m->v); i++)
        m->v[i] = term_input(128, "entry v", i, INPUT_PUBLIC);
    for (int i = 0; i < FLAG_COUNT; i++)
        m->flag[i] = term_input(1, "entry flag", i, INPUT_PUBLIC);
    m->sp = number(64, s->stack_top);
    for (int i = 0; i < text->objects.n; i++)
        machine_add_symbol(m, text->objects.at[i].name, s->tables + text->objects.at[i].offset);
}

char *scene_describe(const struct scene *s)
{
    struct text t = { 0 };
    const char *comma = "";
    for (int i = 0; i < s->cases->choices.n; i++) {
        const struct choice *c = &s->cases->choices.at[i];
        text_format(&t, "%s%s%s%s = %llu", comma, c->param->name, c->field ? "." : "",
                    c->field ? c->field->name : "", (unsigned long long)s->chosen[i]);
        comma = ", ";
    }
    const struct func *f = s->cases->func;
    for (int i = 0; i < f->objects.n; i++)
        for (int k = 0; k < i; k++)
            if (s->class_of[i] == s->class_of[k]) {
                text_format(&t, "%s%s is %s", comma, f->objects.at[i]->name, f->objects.at[k]->name);
                comma = ", ";
                break;
            }
    return t.n ? t.at : mem_string("no arguments");
}
