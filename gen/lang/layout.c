/* layout.c: structs and value sets.
 *
 * Takes an N_STRUCT; gives its fields with offsets in declared order. A field
 * is aligned to its element as C aligns it, but for vectors, which C knows as
 * bytes (alignment 1). Where size and align are stated they are checked, and a
 * stated size may be larger than the fields need.
 *
 * Holds: fields do not overlap and lie inside the size; every field is secret
 * unless it says public; a value set is sorted, its ranges disjoint.
 */
#include "lang/elab.h"

#include <assert.h>
#include <stdlib.h>

enum { STRUCT_SIZE_LIMIT = 1 << 24 };

uint64_t natural_align(enum value_type t)
{
    return type_is_vector(t) ? 1 : (uint64_t)type_bytes(t);
}

static uint64_t round_up(uint64_t n, uint64_t align)
{
    return (n + align - 1) / align * align;
}

static bool is_power_of_two(uint64_t n)
{
    return n != 0 && (n & (n - 1)) == 0;
}

bool check_align(struct loc where, uint64_t align, uint64_t least)
{
    if (is_power_of_two(align) && align >= least && align <= 4096)
        return true;
    error_at(where, RULE_EXTENT, "an alignment of %llu: it must be a power of two from %llu to 4096",
             (unsigned long long)align, (unsigned long long)least);
    return false;
}

/* -- value sets -- */

static bool add_range(struct unit *u, const struct node *n, enum value_type type,
                      struct value_set *out)
{
    const int bits = value_types[type].bits;
    uint64_t lo, hi;

    if (n->kind == N_RANGE) {
        if (!static_number(u, n->a, &lo) || !static_number(u, n->b, &hi))
            return false;
        if (!n->is_inclusive && hi == 0) {
            error_at(n->loc, RULE_VALUE_SET, "this range has no values");
            return false;
        }
        hi -= n->is_inclusive ? 0 : 1;
    } else {
        if (!static_number(u, n, &lo))
            return false;
        hi = lo;
    }
    if (lo > hi) {
        error_at(n->loc, RULE_VALUE_SET, "this range has no values");
        return false;
    }
    if (low_bits(hi, bits) != hi) {
        error_at(n->loc, RULE_VALUE_SET, "%llu is no value of type %s", (unsigned long long)hi,
                 value_types[type].name);
        return false;
    }
    out->at = mem_grow(out->at, sizeof *out->at * (size_t)out->n,
                       sizeof *out->at * (size_t)(out->n + 1));
    out->at[out->n++] = (struct value_range){lo, hi};
    return true;
}

static int by_low_end(const void *a, const void *b)
{
    const struct value_range *x = a, *y = b;

    return x->lo < y->lo ? -1 : x->lo > y->lo;
}

static void merge_ranges(struct value_set *s)
{
    int kept = 0;

    sort_array(s->at, s->n, sizeof *s->at, by_low_end);
    for (int i = 1; i < s->n; i++) {
        struct value_range *last = &s->at[kept];

        if (last->hi == UINT64_MAX || s->at[i].lo <= last->hi + 1)
            last->hi = s->at[i].hi > last->hi ? s->at[i].hi : last->hi;
        else
            s->at[++kept] = s->at[i];
    }
    s->n = kept + 1;
}

bool make_value_set(struct unit *u, const struct node *set, enum value_type type,
                    struct value_set *out)
{
    *out = (struct value_set){0};
    if (type_is_vector(type) || !type_is_scalar(type)) {
        error_at(set->loc, RULE_TYPE, "only scalars have a value set");
        return false;
    }
    if (set->kind == N_SET) {
        for (const struct node *n = set->list; n != NULL; n = n->next)
            if (!add_range(u, n, type, out))
                return false;
    } else if (!add_range(u, set, type, out)) {
        return false;
    }
    if (out->n == 0) {
        error_at(set->loc, RULE_VALUE_SET, "this set has no values");
        return false;
    }
    merge_ranges(out);
    return true;
}

bool value_set_has(const struct value_set *s, uint64_t v)
{
    if (s->n == 0)
        return true;
    for (int i = 0; i < s->n; i++)
        if (v >= s->at[i].lo && v <= s->at[i].hi)
            return true;
    return false;
}

/* -- structs -- */

static bool make_field(struct unit *u, const struct node *n, struct field *f)
{
    struct type_use t;

    if (!type_use_of(u, n->type, &t))
        return false;
    if (t.layout != NULL || type_is_flag(t.value)) {
        error_at(n->type->loc, RULE_TYPE, "a field is a scalar, a vector or an array of them");
        return false;
    }
    *f = (struct field){.name = n->name, .loc = n->name_loc, .element = t.value, .count = 1,
                        .secret = n->secrecy != MARK_PUBLIC, .is_array = t.extent != NULL};
    if (t.extent != NULL) {
        if (!static_number(u, t.extent, &f->count))
            return false;
        if (f->count == 0 || f->count > STRUCT_SIZE_LIMIT) {
            error_at(t.extent->loc, RULE_EXTENT, "a field of %llu elements",
                     (unsigned long long)f->count);
            return false;
        }
    }
    return n->a == NULL || make_value_set(u, n->a, f->element, &f->set);
}

static bool add_field(struct unit *u, struct struct_type *s, const struct node *n)
{
    struct field *f = &s->fields[s->field_count];
    uint64_t align;

    if (!make_field(u, n, f))
        return false;
    for (int i = 0; i < s->field_count; i++) {
        if (s->fields[i].name == f->name) {
            error_at(f->loc, RULE_NAME, "'%s' is declared twice in this struct", f->name);
            note_at(s->fields[i].loc, "first declared here");
            return false;
        }
    }
    align = natural_align(f->element);
    f->offset = round_up(s->size, align);
    s->size = f->offset + f->count * (uint64_t)type_bytes(f->element);
    if (align > s->align)
        s->align = align;
    s->field_count++;
    if (s->size > STRUCT_SIZE_LIMIT) {
        error_at(f->loc, RULE_EXTENT, "the struct is larger than 16 MiB");
        return false;
    }
    return true;
}

static bool check_stated(struct unit *u, struct struct_type *s, const struct node *n)
{
    const uint64_t needed = s->size, natural = s->align;
    uint64_t align = natural, size;

    if (n->b != NULL) {
        if (!static_number(u, n->b, &align) || !check_align(n->b->loc, align, natural))
            return false;
    }
    s->align = align;
    size = round_up(needed, align);
    if (n->a != NULL) {
        const uint64_t computed = size;

        if (!static_number(u, n->a, &size))
            return false;
        if (size < needed || size % align != 0 || size > STRUCT_SIZE_LIMIT) {
            error_at(n->a->loc, RULE_EXTENT,
                     "the size is stated as %llu, but the fields take %llu bytes",
                     (unsigned long long)size, (unsigned long long)computed);
            return false;
        }
    }
    s->size = size;
    return true;
}

bool make_layout(struct entity *e)
{
    const struct node *n = e->node;
    struct struct_type *s = NEW(struct struct_type);
    int fields = 0;

    assert(n->kind == N_STRUCT);
    s->name = n->name;
    s->doc = n->doc;
    s->loc = n->loc;
    s->is_extern = n->is_extern;
    s->align = 1;
    for (const struct node *f = n->list; f != NULL; f = f->next)
        fields++;
    s->fields = NEW_ARRAY(struct field, fields > 0 ? fields : 1);
    for (const struct node *f = n->list; f != NULL; f = f->next)
        if (!add_field(e->unit, s, f))
            return false;
    if (s->field_count == 0) {
        error_at(n->loc, RULE_EXTENT, "struct '%s' has no fields", n->name);
        return false;
    }
    if (!check_stated(e->unit, s, n))
        return false;
    e->layout = s;
    return true;
}
