/* generate_expr.c: random expressions and public conditions.
 *
 * Takes a type and a depth; gives text of exactly that type, from names in
 * scope, memory, tables and literals. A literal is only ever the right operand
 * of an operator, so that its type is never open.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "random/build.h"

/* -- leaves -- */

void add_converted(struct text *t, const char *x, enum value_type from, enum value_type to)
{
    const bool from_vector = type_is_vector(from), to_vector = type_is_vector(to);

    if (from == to)
        text_add(t, x);
    else if (from_vector && to_vector && value_types[from].bits == value_types[to].bits)
        text_format(t, "(%s as %s)", x, type_name(to));
    else if (from == TYPE_I32 && to != TYPE_U32)
        add_converted(t, mem_format("(%s as u32)", x), TYPE_U32, to);
    else if (!from_vector && !to_vector)
        text_format(t, "(%s as %s)", x, type_name(to));
    else if (from_vector && !to_vector)
        text_format(t, "(%s as %s)[0]", x,
                    to == TYPE_U64  ? (is_wide(from) ? "u64x2" : "u64x1")
                    : is_wide(from) ? "u32x4"
                                    : "u32x2");
    else if (!from_vector)
        text_format(t, "%s(%s as %s)", type_name(to), x,
                    value_types[to].lane_bits == 64 ? "u64" : "u32");
    else /* 64 to 128 bits or back: through a scalar */
        text_format(t, "(%s((%s as %s)[0]) as %s)", is_wide(to) ? "u64x2" : "u64x1", x,
                    is_wide(from) ? "u64x2" : "u64x1", type_name(to));
}

static int pick_name(struct gen *g, bool (*is_wanted)(const struct name *, enum value_type),
                     enum value_type type)
{
    int found[MAX_NAMES], n = 0;

    for (int i = 0; i < g->name_count; i++)
        if (is_wanted(&g->names[i], type))
            found[n++] = i;
    if (n == 0)
        return -1;
    /* Half of the time a recent one: values then meet each other. */
    return found[chance(g, 50) ? n - 1 - below(g, n < 3 ? n : 3) : below(g, n)];
}

static bool has_type(const struct name *n, enum value_type type) { return n->type == type; }
static bool is_any(const struct name *n, enum value_type type)
{
    (void)type;
    return !type_is_flag(n->type);
}

bool add_name_of(struct gen *g, struct text *t, enum value_type type)
{
    const int i = pick_name(g, has_type, type);

    if (i < 0)
        return false;
    g->names[i].used = true;
    text_add(t, g->names[i].text);
    return true;
}

static bool add_bundle_element(struct gen *g, struct text *t, enum value_type type)
{
    for (int i = 0; i < g->bundle_count; i++)
        if (g->bundles[i].type == type) {
            text_format(t, "%s[%d]", g->bundles[i].text, below(g, g->bundles[i].count));
            return true;
        }
    return false;
}

static void add_converted_name(struct gen *g, struct text *t, enum value_type type)
{
    const int i = pick_name(g, is_any, type);

    g->names[i].used = true;
    add_converted(t, g->names[i].text, g->names[i].type, type);
}

void add_leaf(struct gen *g, struct text *t, enum value_type type)
{
    if (chance(g, 25) && add_load(g, t, type))
        return;
    if (chance(g, 10) && add_table_entry(g, t, type))
        return;
    if (chance(g, 15) && add_bundle_element(g, t, type))
        return;
    if (chance(g, 80) && add_name_of(g, t, type))
        return;
    add_converted_name(g, t, type);
}

static uint64_t edge(struct gen *g, int bits)
{
    const uint64_t all = bits == 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;

    switch (below(g, 6)) {
    case 0: return 1;
    case 1: return all;
    case 2: return (uint64_t)1 << (bits - 1);
    case 3: return ((uint64_t)1 << below(g, bits)) - 1;
    case 4: return random_next(g) & all;
    default: return (uint64_t)below(g, bits == 8 ? 256 : 4096);
    }
}

void add_constant(struct gen *g, struct text *t, enum value_type type)
{
    const uint64_t v = edge(g, value_types[type].lane_bits);

    text_format(t, v < 10 ? "%" PRIu64 : "0x%" PRIx64, v);
}

/* -- operators -- */

static void add_binary(struct gen *g, struct text *t, enum value_type type, int depth)
{
    static const char *const ops[] = { "+", "-", "^", "&", "|", "*" };
    const bool multiplies = !(type_is_vector(type) && value_types[type].lane_bits == 64);
    const char *op = ops[below(g, multiplies ? COUNT(ops) : COUNT(ops) - 1)];

    char *left = expr(g, type, depth - 1), *right = chance(g, 25) ? NULL : expr(g, type, depth - 1);

    text_format(t, "(%s %s ", left, op);
    /* x ^ x and the like would only make everything 0. */
    if (right == NULL || strcmp(left, right) == 0)
        add_constant(g, t, type);
    else
        text_add(t, right);
    text_add(t, ")");
}

static void add_shift(struct gen *g, struct text *t, enum value_type type, int depth)
{
    static const char *const ops[] = { "<<", ">>", "<<<", ">>>" };
    const int bits = value_types[type].lane_bits;

    text_add(t, "(");
    add_expr(g, t, type, depth - 1);
    text_format(t, " %s ", ops[below(g, COUNT(ops))]);
    if (!type_is_vector(type) && chance(g, 15)) {
        text_add(t, "(");
        add_leaf(g, t, type);
        text_format(t, " & %d)", bits - 1);
    } else {
        text_format(t, "%d", below(g, bits));
    }
    text_add(t, ")");
}

static void add_unary(struct gen *g, struct text *t, enum value_type type, int depth)
{
    text_add(t, chance(g, 60) ? "(~" : "(-");
    add_expr(g, t, type, depth - 1);
    text_add(t, ")");
}

/* -- moving between scalars and vectors -- */

static void add_lane(struct gen *g, struct text *t, enum value_type type, int depth)
{
    static const enum value_type from_32[] = { TYPE_U8X16, TYPE_U16X8, TYPE_U32X4, TYPE_U32X2,
                                               TYPE_U16X4 };
    const enum value_type vector = type == TYPE_U64 ? (chance(g, 80) ? TYPE_U64X2 : TYPE_U64X1)
                                                    : from_32[below(g, COUNT(from_32))];

    text_add(t, "(");
    add_expr(g, t, vector, depth - 1);
    text_format(t, ")[%d]", below(g, value_types[vector].lanes));
}

static void add_built(struct gen *g, struct text *t, enum value_type type, int depth)
{
    const enum value_type scalar = value_types[type].lane_bits == 64 ? TYPE_U64 : TYPE_U32;
    const int lanes = value_types[type].lanes, given = chance(g, 40) || lanes > 4 ? 1 : lanes;

    text_format(t, "%s(", type_name(type));
    for (int i = 0; i < given; i++) {
        text_add(t, i > 0 ? ", " : "");
        if (i > 0 && chance(g, 20))
            add_constant(g, t, type);
        else
            add_expr(g, t, scalar, depth - 1);
    }
    text_add(t, ")");
}

static void add_as(struct gen *g, struct text *t, enum value_type type, int depth)
{
    enum value_type from = type == TYPE_U32 ? TYPE_U64 : TYPE_U32;

    if (type_is_vector(type))
        do
            from = random_vector(g);
        while (value_types[from].bits != value_types[type].bits);
    text_add(t, "(");
    add_expr(g, t, from, depth - 1);
    text_format(t, " as %s)", type_name(type));
}

static void add_choice(struct gen *g, struct text *t, enum value_type type, int depth)
{
    text_add(t, "(if ");
    add_condition(g, t);
    text_add(t, " { ");
    add_expr(g, t, type, depth - 1);
    text_add(t, " } else { ");
    add_expr(g, t, type, depth - 1);
    text_add(t, " })");
}

void add_expr(struct gen *g, struct text *t, enum value_type type, int depth)
{
    const int way = below(g, 100);

    if (depth <= 0 || way < 15)
        add_leaf(g, t, type);
    else if (way < 60)
        add_binary(g, t, type, depth);
    else if (way < 76)
        add_shift(g, t, type, depth);
    else if (way < 82)
        add_unary(g, t, type, depth);
    else if (way < 88 && g->vectors && type_is_vector(type))
        add_built(g, t, type, depth);
    else if (way < 91 && g->vectors && !type_is_vector(type))
        add_lane(g, t, type, depth);
    else if (way < 94 && !g->flags_live && !g->straight_only)
        add_choice(g, t, type, depth);
    else
        add_as(g, t, type, depth);
}

char *expr(struct gen *g, enum value_type type, int depth)
{
    struct text t = { 0 };

    add_expr(g, &t, type, depth);
    return t.at;
}

/* -- conditions -- */

/* Are two parameters that may be one array the same one in this call? */
static bool add_sameness(struct gen *g, struct text *t)
{
    for (int i = 0; i < g->array_count; i++)
        for (int k = 0; k < i; k++)
            if (g->arrays[i].group >= 0 && g->arrays[i].group == g->arrays[k].group) {
                text_format(t, "same(%s, %s)", g->arrays[k].text, g->arrays[i].text);
                return true;
            }
    return false;
}

static void add_comparison(struct gen *g, struct text *t)
{
    static const char *const ops[] = { "==", "!=", "<", "<=", ">", ">=" };
    const char *op = ops[below(g, COUNT(ops))];
    const int way = below(g, 10);

    if (chance(g, 10) && add_sameness(g, t))
        return;
    if (way < 2 && g->condition_on[0]) {
        text_format(t, "%s %s %d", g->condition_on, op, below(g, 9) - 4);
        find_name(g, g->condition_on)->used = true;
    } else if (way < 4 && g->index_count > 0) {
        text_format(t, "%s %s %d", g->indices[g->index_count - 1].text, op, below(g, 8));
    } else if (way < 5) {
        text_add(t, "(declassify(s) & 1) == 0");
        find_name(g, "s")->used = true;
    } else if (way < 8 && g->count_count > 0) {
        const int i = below(g, g->count_count);
        text_format(t, chance(g, 50) ? "%s %s %d" : "(%s & 7) %s %d", g->counts[i], op,
                    below(g, 9));
    } else if (g->count_count > 0) {
        text_format(t, "(%s & %d) == 0", g->counts[0], 1 << below(g, 4));
    } else {
        text_add(t, "(declassify(s) >> 7 & 1) != 0");
        find_name(g, "s")->used = true;
    }
}

void add_condition(struct gen *g, struct text *t)
{
    const int way = below(g, 10);

    if (way < 7) {
        add_comparison(g, t);
        return;
    }
    text_add(t, way == 7 ? "!(" : "(");
    add_comparison(g, t);
    if (way > 7) {
        text_add(t, way == 8 ? ") && (" : ") || (");
        add_comparison(g, t);
    }
    text_add(t, ")");
}
