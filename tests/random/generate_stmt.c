/* generate_stmt.c: statements without control flow, and which comes next.
 *
 * A flag lives from the statement that makes it to the next one or two; what
 * stands between is made while `flags_live` says so.
 */
#include <string.h>

#include "random/build.h"

/* -- declaring and changing -- */

static void let_statement(struct gen *g)
{
    const enum value_type type = random_type(g);
    char *value = expr(g, type, 3), name[NAME_MAX_LENGTH];

    make_name(g, name, "x");
    line(g, "let %s: %s = %s;", name, type_name(type), value);
    add_name(g, name, type, false);
}

static void var_statement(struct gen *g)
{
    const enum value_type type = random_type(g);
    char *value = expr(g, type, 2), name[NAME_MAX_LENGTH];

    make_name(g, name, "v");
    line(g, "var %s: %s = %s;", name, type_name(type), value);
    add_name(g, name, type, true);
}

/* v = v op …: what it was is used. */
static void update_statement(struct gen *g)
{
    static const char *const ops[] = { "+", "^", "-", "+", "^" };
    int found[MAX_NAMES], n = 0;

    for (int i = 0; i < g->name_count; i++)
        if (g->names[i].is_variable)
            found[n++] = i;
    if (n == 0)
        return;
    struct name *v = &g->names[found[below(g, n)]];
    char *value = expr(g, v->type, 3);

    line(g, "%s = %s %s %s;", v->text, v->text, ops[below(g, COUNT(ops))], value);
    v->used = false;
    v->changed = true;
}

void fold_into_s(struct gen *g, const char *text, enum value_type type)
{
    struct text t = { 0 };
    struct name *s = find_name(g, "s"), *v = find_name(g, "sv");

    if (type_is_vector(type) && is_wide(type) && v != NULL) {
        add_converted(&t, text, type, TYPE_U8X16);
        line(g, "sv = sv ^ %s;", t.at);
        v->used = false;
        return;
    }
    add_converted(&t, text, type, TYPE_U64);
    line(g, "s = s %s %s;", chance(g, 50) ? "^" : "+", t.at);
    s->used = false;
}

/* -- flags -- */

/* An operand of a sum with a flag: no sum itself, because parentheses do not
 * tell `(a + b) + c` from `a + b + c`. */
char *operand(struct gen *g, enum value_type type)
{
    struct text t = { 0 };

    if (chance(g, 60)) {
        add_leaf(g, &t, type);
    } else {
        text_add(&t, "(");
        add_leaf(g, &t, type);
        text_format(&t, " %s %s)", chance(g, 50) ? "<<<" : ">>", chance(g, 50) ? "3" : "17");
    }
    return t.at;
}

static void sum_with_flag(struct gen *g, enum value_type type, bool subtract)
{
    const char *op = subtract ? "-" : "+";
    char sum[NAME_MAX_LENGTH], flag[NAME_MAX_LENGTH];
    char *a = operand(g, type), *b = operand(g, type);
    const int links = below(g, 3);

    make_name(g, sum, "t");
    make_name(g, flag, "c");
    line(g, "let %s, %s = %s %s %s;", sum, flag, a, op, b);
    add_name(g, sum, type, false);
    g->flags_live = true;
    for (int i = 0; i < links; i++) {
        char next_sum[NAME_MAX_LENGTH], next_flag[NAME_MAX_LENGTH];

        a = operand(g, type);
        b = operand(g, type);
        make_name(g, next_sum, "t");
        make_name(g, next_flag, "c");
        line(g, "let %s, %s = %s %s %s %s %s;", next_sum, next_flag, a, op, b, op, flag);
        add_name(g, next_sum, type, false);
        strcpy(flag, next_flag);
    }
    make_name(g, sum, "f");
    switch (below(g, 5)) {
    case 0: line(g, "let %s: %s = %s as %s;", sum, type_name(type), flag, type_name(type)); break;
    case 1: line(g, "let %s: %s = mask(%s);", sum, type_name(type), flag); break;
    case 2:
        a = operand(g, type);
        b = operand(g, type);
        line(g, "let %s: %s = select(%s, %s, %s);", sum, type_name(type), flag, a, b);
        break;
    case 3:
        a = operand(g, type);
        line(g, "let %s: %s = %s %s %s;", sum, type_name(type), a, op, flag);
        break;
    default:
        a = operand(g, type);
        b = operand(g, type);
        line(g, "let %s: %s = %s %s %s %s %s;", sum, type_name(type), a, op, b, op, flag);
        break;
    }
    add_name(g, sum, type, false);
    g->flags_live = false;
}

/* A flag kept as a number or a mask, and brought back. */
static void kept_flag(struct gen *g, enum value_type type, bool subtract)
{
    const char *op = subtract ? "-" : "+", *flag_type = subtract ? "borrow" : "carry";
    char kept[NAME_MAX_LENGTH], flag[NAME_MAX_LENGTH], sum[NAME_MAX_LENGTH];
    char *a = operand(g, type), *b = operand(g, type);

    make_name(g, flag, "c");
    make_name(g, kept, "k");
    line(g, "let _, %s = %s %s %s;", flag, a, op, b);
    line(g, chance(g, 50) ? "let %s: %s = %s as %s;" : "let %s: %s = mask(%s);", kept,
         type_name(type), flag, type_name(type));
    add_name(g, kept, type, false);
    a = operand(g, type);
    b = operand(g, type);
    make_name(g, sum, "t");
    make_name(g, flag, "c");
    line(g, "let %s, %s = %s %s %s %s %s(%s);", sum, flag, a, op, b, op, flag_type, kept);
    find_name(g, kept)->used = true;
    add_name(g, sum, type, false);
    line(g, "s = s + (%s as u64);", flag);
    find_name(g, "s")->used = false;
}

static void mask_select(struct gen *g, enum value_type type)
{
    char mask[NAME_MAX_LENGTH], flag[NAME_MAX_LENGTH], chosen[NAME_MAX_LENGTH];
    char *a = operand(g, type), *b = operand(g, type);

    make_name(g, flag, "c");
    make_name(g, mask, "m");
    make_name(g, chosen, "x");
    line(g, "let _, %s = %s - %s;", flag, a, b);
    line(g, "let %s: %s = mask(%s);", mask, type_name(type), flag);
    a = expr(g, type, 1);
    b = expr(g, type, 1);
    line(g, "let %s: %s = select(%s, %s, %s);", chosen, type_name(type), mask, a, b);
    add_name(g, chosen, type, false);
}

void carry_statements(struct gen *g)
{
    const enum value_type type = chance(g, 75) ? TYPE_U64 : TYPE_U32;
    const bool subtract = chance(g, 50);

    if (chance(g, 60))
        sum_with_flag(g, type, subtract);
    else if (chance(g, 50))
        kept_flag(g, type, subtract);
    else
        mask_select(g, type);
}

static void multiply_statement(struct gen *g)
{
    char low[NAME_MAX_LENGTH], high[NAME_MAX_LENGTH];
    char *a = expr(g, TYPE_U64, 2), *b = expr(g, TYPE_U64, 1);

    make_name(g, low, "l");
    make_name(g, high, "h");
    line(g, "let %s, %s = %s * %s;", low, high, a, b);
    add_name(g, low, TYPE_U64, false);
    add_name(g, high, TYPE_U64, false);
}

/* -- vectors -- */

static void vector_select(struct gen *g)
{
    static const enum value_type types[] = { TYPE_U8X16, TYPE_U16X8, TYPE_U32X4, TYPE_U64X2 };
    static const char *const compares[] = { "cmeq", "cmhi", "cmhs", "cmgt" };
    const enum value_type type = types[below(g, COUNT(types))];
    char mask[NAME_MAX_LENGTH], chosen[NAME_MAX_LENGTH];
    struct text a = { 0 }, b = { 0 };

    add_leaf(g, &a, type);
    add_leaf(g, &b, type);
    make_name(g, mask, "m");
    make_name(g, chosen, "x");
    line(g, "let %s: %s = %s(%s, %s);", mask, type_name(type), compares[below(g, COUNT(compares))],
         a.at, b.at);
    char *x = expr(g, type, 1), *y = expr(g, type, 1);
    line(g, "let %s: %s = select(%s, %s, %s);", chosen, type_name(type), mask, x, y);
    add_name(g, chosen, type, false);
}

/* Bytes looked up in one to four registers. */
static void look_up(struct gen *g)
{
    char name[NAME_MAX_LENGTH];
    const int count = 1 + below(g, 4);
    struct text t = { 0 };

    make_name(g, name, "x");
    text_format(&t, "let %s: u8x16 = tbl(", name);
    for (int i = 0; i <= count; i++) {
        text_add(&t, i > 0 ? ", " : "");
        add_leaf(g, &t, TYPE_U8X16);
    }
    line(g, "%s);", t.at);
    add_name(g, name, TYPE_U8X16, false);
}

static void bundle_statement(struct gen *g)
{
    const struct bundle *b = &g->bundles[below(g, g->bundle_count)];
    struct text t = { 0 };
    const int turn = 1 + below(g, b->count - 1), at = below(g, b->count);

    if (chance(g, 40)) {
        line(g, "%s[%d] = %s[%d] + %s;", b->text, at, b->text, at, expr(g, b->type, 2));
    } else if (chance(g, 50)) {
        const char *e = expr(g, b->type, 1);
        line(g, "static for j in 0..%d { %s[j] = %s[j] ^ %s[(j + %d) %% %d] ^ %s; }", b->count,
             b->text, b->text, b->text, turn, b->count, e);
    } else if (chance(g, 50)) {
        text_format(&t, "%s = [", b->text);
        for (int i = 0; i < b->count; i++)
            text_format(&t, "%s%s[%d]", i > 0 ? ", " : "", b->text, (i + turn) % b->count);
        line(g, "%s];", t.at);
    } else {
        line(g, "%s = [static for j in 0..%d: %s[(j * %d + 1) %% %d] + %s];", b->text, b->count,
             b->text, turn, b->count, expr(g, b->type, 1));
    }
}

/* -- calls of helpers -- */

void helper_call(struct gen *g)
{
    const struct helper *h = &g->helpers[below(g, g->helper_count)];
    char results[2][NAME_MAX_LENGTH];
    struct text t = { 0 };

    if ((g->straight_only && !h->is_straight) || (h->features & ~g->features) != 0)
        return;
    text_format(&t, "%s(", h->text);
    if (h->has_static)
        text_format(&t, "%d%s", 1 + below(g, 7), h->param_count > 0 ? ", " : "");
    for (int i = 0; i < h->param_count; i++) {
        text_add(&t, i > 0 ? ", " : "");
        add_expr(g, &t, h->params[i], 1);
    }
    text_add(&t, ")");
    for (int i = 0; i < h->result_count; i++)
        make_name(g, results[i], "y");
    if (h->result_count == 1)
        line(g, "let %s = %s;", results[0], t.at);
    else
        line(g, "let %s, %s = %s;", results[0], results[1], t.at);
    for (int i = 0; i < h->result_count; i++)
        add_name(g, results[i], h->results[i], false);
}

/* -- which comes next -- */

void straight_statement(struct gen *g)
{
    const int way = below(g, 100);

    if (way < 25 || g->flags_live)
        (chance(g, 60) ? let_statement : update_statement)(g);
    else if (way < 45)
        update_statement(g);
    else if (way < 52)
        var_statement(g);
    else if (way < 56 && (g->features >> FEAT_AES & 1))
        aes_statement(g);
    else if (way < 64)
        insn_statement(g);
    else if (way < 74)
        carry_statements(g);
    else if (way < 80)
        multiply_statement(g);
    else if (way < 88 && g->vectors)
        (chance(g, 50) ? vector_select : look_up)(g);
    else if (way < 93 && g->bundle_count > 0)
        bundle_statement(g);
    else if (g->helper_count > 0)
        helper_call(g);
    else
        let_statement(g);
}

void body_statement(struct gen *g)
{
    const int way = below(g, 100), nesting = g->level;

    if (nesting > 2 || way < 65 || g->straight_only)
        straight_statement(g);
    else if (way < 80)
        loop_statement(g);
    else if (way < 92)
        if_statement(g);
    else
        while_statement(g);
}
