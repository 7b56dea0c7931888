/* types.c: the table of value types, and types as they are written.
 *
 * Takes an N_TYPE node and the module it stands in; gives the value type or
 * the struct it names, and leaves its extent as written (what an extent may
 * depend on differs: a register array's is static, a parameter's names other
 * parameters).
 *
 * Does not: decide where a type may be used; u8 as a variable is refused by
 * whoever declares variables.
 */
#include "lang/elab.h"

#include <string.h>

const struct value_type_row value_types[TYPE_COUNT] = {
#define TYPE_ROW(id, name, bits, lane_bits, lanes, c_name) \
    [TYPE_##id] = {name, bits, lane_bits, lanes, c_name},
    VALUE_TYPES(TYPE_ROW)
#undef TYPE_ROW
};

_Static_assert(TYPE_VOID == 0, "a zeroed type is no type");

enum value_type value_type_named(const char *name)
{
    for (int t = TYPE_VOID + 1; t < TYPE_COUNT; t++)
        if (t != TYPE_BOOL && t != TYPE_ADDR && strcmp(value_types[t].name, name) == 0)
            return (enum value_type)t;
    return TYPE_VOID;
}

enum value_type canonical_type(enum value_type t)
{
    return t == TYPE_USIZE ? TYPE_U64 : t;
}

enum value_type register_type(enum value_type t)
{
    return t == TYPE_U8 || t == TYPE_U16 ? TYPE_U32 : canonical_type(t);
}

bool type_use_of(struct unit *u, const struct node *type, struct type_use *out)
{
    struct entity *e;

    *out = (struct type_use){.extent = type->a};
    out->value = value_type_named(type->name);
    if (out->value != TYPE_VOID)
        return true;
    e = unit_find(u, type->name);
    if (e == NULL) {
        unknown_entity(u, type->loc, type->name, "type");
        return false;
    }
    if (e->kind != ENTITY_STRUCT) {
        error_at(type->loc, RULE_TYPE, "'%s' is not a type", type->name);
        note_at(e->loc, "'%s' is declared here", type->name);
        return false;
    }
    out->layout = entity_layout(e, type->loc);
    return out->layout != NULL;
}
