/* formula.c: expressions over public parameters, as C would write them.
 *
 * Extents, preconditions and value sets reach the header and the comment over
 * a kernel in this form. Takes typed expressions; what cannot occur in such a
 * place (instructions, flags, vectors) is printed by the tree's own printer.
 */
#include <inttypes.h>

#include "target/row.h"

enum { ATOM = 100, UNARY = 90 };

/* C11 6.5.5 to 6.5.14, larger binds tighter. */
static int precedence(enum op op)
{
    static const uint8_t of_op[] = {
        [BIN_MUL] = 80, [BIN_DIV] = 80, [BIN_MOD] = 80,
        [BIN_ADD] = 70, [BIN_SUB] = 70,
        [BIN_SHL] = 60, [BIN_SHR] = 60, [BIN_ROL] = 60, [BIN_ROR] = 60,
        [BIN_LT] = 50, [BIN_LE] = 50, [BIN_GT] = 50, [BIN_GE] = 50,
        [BIN_EQ] = 45, [BIN_NE] = 45,
        [BIN_AND] = 40, [BIN_XOR] = 35, [BIN_OR] = 30,
        [BIN_LOGIC_AND] = 25, [BIN_LOGIC_OR] = 20,
        [UN_NOT] = UNARY, [UN_NEG] = UNARY, [UN_LOGIC_NOT] = UNARY,
    };

    return of_op[op];
}

static void add_at(struct text *out, const struct expr *e, int outer);

static void add_operator(struct text *out, const struct expr *e, int outer)
{
    const int own = precedence(e->op);

    if (own < outer)
        text_add(out, "(");
    if (own == UNARY) {
        text_add(out, op_text[e->op]);
        add_at(out, e->a, own);
    } else {
        add_at(out, e->a, own);
        text_format(out, " %s ", op_text[e->op]);
        add_at(out, e->b, own + 1);
    }
    if (own < outer)
        text_add(out, ")");
}

static void add_load(struct text *out, const struct expr *e)
{
    const struct object *object = e->access.object;
    const struct expr *offset = e->access.offset;
    const struct struct_type *layout = object->layout;

    for (int i = 0; layout && offset && offset->kind == E_CONST && i < layout->field_count; i++)
        if (layout->fields[i].offset == offset->value[0] && !layout->fields[i].is_array) {
            text_format(out, "%s->%s", object->name, layout->fields[i].name);
            return;
        }
    tree_print_expr(out, e);
}

static void add_at(struct text *out, const struct expr *e, int outer)
{
    switch (e->kind) {
    case E_CONST:
        if (e->type == TYPE_I32)
            text_format(out, "%" PRId32, (int32_t)(uint32_t)e->value[0]);
        else
            text_format(out, "%" PRIu64, e->value[0]);
        return;
    case E_VAR:
        text_add(out, e->var->name);
        return;
    case E_CONVERT:
    case E_DECLASSIFY:
        add_at(out, e->a, outer);       /* between widths of parameters: no change of value */
        return;
    case E_UNARY:
    case E_BINARY:
    case E_COMPARE:
    case E_LOGIC:
        add_operator(out, e, outer);
        return;
    case E_LOAD:
        add_load(out, e);
        return;
    case E_SAME:
        text_format(out, "%s == %s", e->object_a->name, e->object_b->name);
        return;
    default:
        tree_print_expr(out, e);
        return;
    }
}

void add_formula(struct text *out, const struct expr *e)
{
    add_at(out, e, 0);
}

void add_value_set(struct text *out, const struct value_set *set)
{
    if (set->n == 1 && set->at[0].lo != set->at[0].hi) {
        text_format(out, "%" PRIu64 " to %" PRIu64, set->at[0].lo, set->at[0].hi);
        return;
    }
    for (int i = 0; i < set->n; i++) {
        const struct value_range *r = &set->at[i];

        text_add(out, i == 0 ? "" : i == set->n - 1 ? " or " : ", ");
        if (r->lo == r->hi)
            text_format(out, "%" PRIu64, r->lo);
        else
            text_format(out, "%" PRIu64 " to %" PRIu64, r->lo, r->hi);
    }
}
