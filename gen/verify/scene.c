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
        val junk = term_input(32, "the upper half of argument", i, INPUT_ANYTHING);
        s->passed[i] = term_cat(64, (struct piece[]){ { v, 0, 32 }, { junk, 0, 32 } }, 2);
    }
}

/* -- memory -- */

static struct reference_run precondition_run(const struct scene *s, struct term_domain *d)
{
    term_domain_init(d, s->memory, NULL);
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

static void fill(struct region *r, const char *name, uint64_t offset, int element, uint64_t count,
                 enum input_kind kind)
{
    if (count > 0)
        cells_fill(r, (struct filling){ .name = name, .kind = kind, .offset = offset, .count = count,
                                        .element = element });
}

/* Byte arrays are mostly read 16 bytes at a time: one symbol for each 16. */
static void fill_bytes(struct region *r, const char *name, uint64_t size, enum input_kind kind)
{
    uint64_t whole = size / 16;
    fill(r, mem_format("16 bytes of %s, ", name), 0, 16, whole, kind);
    fill(r, mem_format("the end of %s, ", name), whole * 16, 1, size % 16, kind);
}

/* Fields stand in the order of their offsets (lang/layout.c). */
static void fill_padding(struct region *r, const struct param *p)
{
    const struct struct_type *t = p->object->layout;
    const char *name = mem_format("padding of %s", p->name);
    uint64_t end = 0;
    for (int i = 0; i < t->field_count; i++) {
        const struct field *f = &t->fields[i];
        fill(r, name, end, 1, f->offset - end, INPUT_ANYTHING);
        end = f->offset + f->count * (uint64_t)type_bytes(f->element);
    }
    fill(r, name, end, 1, r->window - end, INPUT_ANYTHING);
}

static void fill_number(struct region *r, uint64_t offset, int bytes, uint64_t v)
{
    uint8_t *at = NEW_ARRAY(uint8_t, bytes);
    for (int i = 0; i < bytes; i++)
        at[i] = (uint8_t)(v >> 8 * i);
    cells_fill(r, (struct filling){ .bytes = at, .offset = offset, .count = 1, .element = bytes });
}

static void fill_struct(const struct scene *s, struct region *r, const struct param *p)
{
    const struct struct_type *t = p->object->layout;
    fill_padding(r, p);
    for (int i = 0; i < t->field_count; i++) {
        const struct field *f = &t->fields[i];
        int element = type_bytes(f->element);
        uint64_t known;
        if (chosen_value(s, p, f, &known))
            fill_number(r, f->offset, element, known);
        else
            fill(r, mem_format("%s.%s", p->name, f->name), f->offset, element, f->count,
                 f->secret ? INPUT_SECRET : INPUT_PUBLIC);
    }
}

/* In the second layout nothing is aligned better than all that may lie there say. */
static uint64_t class_base(const struct scene *s, int class)
{
    const struct func *f = s->cases->func;
    uint64_t align = 1;
    for (int i = 0; i < f->objects.n; i++)
        if (s->class_of[i] == class && f->objects.at[i]->align > align)
            align = f->objects.at[i]->align;
    return array_base[s->layout] + array_stride * (uint64_t)class + (s->layout == LAYOUT_PLAIN ? 0 : align);
}

static struct region *class_region(const struct scene *s, const struct object *o, uint64_t size)
{
    uint64_t base = class_base(s, s->class_of[o->id]);
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
    uint64_t base = class_base(s, s->class_of[o->id]);
    int element = o->layout ? 0 : type_bytes(o->element);
    enum input_kind kind = o->secret ? INPUT_SECRET : INPUT_PUBLIC;
    if (r && o->layout)
        fill_struct(s, r, p);
    else if (r && element == 1)
        fill_bytes(r, p->name, size, kind);
    else if (r)
        fill(r, p->name, 0, element, size / (uint64_t)element, kind);
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
    uint64_t whole = size / VECTOR_BYTES;
    if (!r)
        return;
    cells_fill(r, (struct filling){ .bytes = text->bytes.at, .count = whole, .element = VECTOR_BYTES });
    cells_fill(r, (struct filling){ .bytes = text->bytes.at + whole * VECTOR_BYTES,
                                    .offset = whole * VECTOR_BYTES, .element = 1,
                                    .count = size - whole * VECTOR_BYTES });
}

/* What lies between arguments is as unknown as their upper halves. */
static void place_stack_arguments(const struct scene *s, const struct emitted *text)
{
    const struct func *f = s->cases->func;
    uint64_t bytes = abi_stack_bytes(f, text->packs_arguments);
    if (bytes == 0)
        return;
    struct region *r = cells_add(s->memory, "the caller's arguments", s->stack_top, bytes, REGION_READ);
    fill(r, "between arguments", 0, 1, bytes, INPUT_ANYTHING);
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
    s->stack_size = STACK_BYTES + f->stack_depth;
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
                      : term_input(64, "entry x", i, INPUT_ANYTHING);
    for (int i = 0; i < COUNT(m->v); i++)
        m->v[i] = term_input(128, "entry v", i, INPUT_ANYTHING);
    for (int i = 0; i < FLAG_COUNT; i++)
        m->flag[i] = term_input(1, "entry flag", i, INPUT_ANYTHING);
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
    return t.n ? t.at : mem_string("any arguments");
}
