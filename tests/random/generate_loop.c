/* generate_loop.c: loops, conditions, and what only a loop can hold.
 *
 * A woven body is straight, but for an inner loop at its start over a value of
 * its own; the accumulators change behind it. Which arrays of a group a loop
 * stores to is decided before its body is written, because that limits what the
 * body may read (generate_memory.c).
 */
#include <string.h>

#include "random/build.h"

/* -- headers -- */

static const char *random_shape(struct gen *g, bool *is_woven)
{
    static const char *const unrolled[] = { "unroll 2, 1", "unroll 4, 1",    "unroll 8, 4, 1",
                                            "unroll 3, 1", "unroll 5, 2, 1", "unroll 4, 2, 1",
                                            "unroll 1" };
    static const char *const woven[] = { "weave 2, 1", "weave 4, 1", "weave 4, 2, 1", "weave 3, 1",
                                         "weave 3, 2, 1" };
    const int way = below(g, 100);

    *is_woven = way >= 75;
    return way < 35   ? ""
           : way < 75 ? unrolled[below(g, COUNT(unrolled))]
                      : woven[below(g, COUNT(woven))];
}

/* Opens a loop over a count; false when there is no count. */
static bool symbolic_loop(struct gen *g, struct index *x, struct text *range)
{
    if (g->count_count == 0)
        return false;
    x->count = below(g, g->count_count);
    x->is_narrow = x->count == 1;
    if (chance(g, 15))
        x->unit = 2;
    else if (chance(g, 10))
        x->first = 1;
    else if (chance(g, 10))
        x->step = 2;
    text_format(range,
                x->unit == 2    ? "0..%s / 2"
                : x->first == 1 ? "1..%s"
                                : "0..%s",
                g->counts[x->count]);
    return true;
}

static void open_loop(struct gen *g, struct index *x, const char *range, const char *shape)
{
    line(g, "for %s in %s%s%s%s {", x->text, range, x->step == 2 ? " step 2" : "",
         shape[0] ? " " : "", shape);
    open_block(g);
    g->indices[g->index_count++] = *x;
    add_name(g, x->text, x->is_narrow ? TYPE_U32 : TYPE_U64, false)->used = true;
}

static void close_loop(struct gen *g)
{
    close_block(g);
    g->index_count--;
    line(g, "}");
}

/* -- what is in a body -- */

/* Behaves the same, written in another order for some widths. */
static void width_statement(struct gen *g)
{
    struct text a = { 0 }, b = { 0 };

    add_leaf(g, &a, TYPE_U64);
    add_leaf(g, &b, TYPE_U64);
    line(g, "static if width > %d { s = s + (%s ^ %s); } else { s = (%s ^ %s) + s; }",
         1 + below(g, 3), a.at, b.at, b.at, a.at);
    find_name(g, "s")->used = false;
}

/* A value of the iteration's own that passes through an inner loop. */
static void inner_chain(struct gen *g, const struct index *x)
{
    const enum value_type type = g->vectors && chance(g, 50) ? random_vector(g) : TYPE_U64;
    struct text start = { 0 };
    char name[NAME_MAX_LENGTH], index[NAME_MAX_LENGTH];

    make_name(g, name, "z");
    make_name(g, index, "j");
    if (!add_table_entry(g, &start, type))
        add_converted(&start, x->text, x->is_narrow ? TYPE_U32 : TYPE_U64, type);
    line(g, "var %s: %s = %s;", name, type_name(type), start.at);
    line(g, "for %s in 0..%d { %s = (%s + 5) ^ (%s <<< 3); }", index, 1 + below(g, 4), name, name,
         name);
    add_name(g, name, type, true);
}

static bool could_store(const struct gen *g, int array)
{
    return g->arrays[array].direction != DIR_IN;
}

/* The arrays that the loop will store to: at most two. */
static int choose_stores(struct gen *g, int stores[2])
{
    int n = 0;

    for (int i = 0; i < 2; i++) {
        const int array = random_array(g, could_store);
        const int group = array < 0 ? -1 : g->arrays[array].group;

        if (array < 0 || chance(g, 30) || (group >= 0 && (g->level > 1 || g->index_count > 0)))
            continue;
        if (group >= 0) {
            touch_twins(g, array);
            g->stored_here[group] = true;
        }
        stores[n++] = array;
    }
    return n;
}

static void loop_body(struct gen *g, const int *stores, int store_count)
{
    const int statements = 1 + below(g, 3);

    for (int i = 0; i < statements; i++)
        body_statement(g);
    if (chance(g, 15))
        width_statement(g);
    for (int i = 0; i < store_count; i++)
        if (can_store(g, stores[i]))
            store_statement(g, stores[i]);
}

void loop_statement(struct gen *g)
{
    struct index x = { .count = -1, .unit = 1, .step = 1 };
    struct text range = { 0 };
    int stores[2];
    const int store_count = choose_stores(g, stores);
    const bool was_straight = g->straight_only;
    bool is_woven;
    const char *shape = random_shape(g, &is_woven);

    make_name(g, x.text, "at");
    if (chance(g, 30) || !symbolic_loop(g, &x, &range)) {
        x.constant = 1 + below(g, 8);
        text_format(&range, "0..%d", x.constant);
    }
    open_loop(g, &x, range.at, shape);
    g->straight_only = is_woven;
    if (is_woven && chance(g, 30))
        inner_chain(g, &x);
    loop_body(g, stores, store_count);
    close_loop(g);
    g->straight_only = was_straight;
    for (int i = 0; i < store_count; i++)
        if (g->arrays[stores[i]].group >= 0)
            g->stored_here[g->arrays[stores[i]].group] = false;
}

/* -- chains of carries -- */

static bool is_stored_words(const struct gen *g, int array)
{
    const struct array *a = &g->arrays[array];

    return a->element == TYPE_U64 && a->factor > 0 && a->direction != DIR_IN &&
           (a->group < 0 || g->level == 1);
}

/* Opens a loop whose index suits the array; -1: any. */
static void open_word_loop(struct gen *g, int array)
{
    struct index x = { .count = array >= 0 ? g->arrays[array].count : below(g, g->count_count),
                       .unit = 1,
                       .step = 1 };
    bool is_woven;

    x.is_narrow = x.count == 1;
    make_name(g, x.text, "at");
    open_loop(g, &x, mem_format("0..%s", g->counts[x.count]), random_shape(g, &is_woven));
    g->straight_only = true;
}

static int begin_word_store(struct gen *g)
{
    const int array = random_array(g, is_stored_words);

    if (array >= 0 && g->arrays[array].group >= 0) {
        touch_twins(g, array);
        g->stored_here[g->arrays[array].group] = true;
    }
    return array;
}

static void end_word_store(struct gen *g, int array)
{
    if (array >= 0 && g->arrays[array].group >= 0)
        g->stored_here[g->arrays[array].group] = false;
}

void carry_loop(struct gen *g)
{
    const bool subtract = chance(g, 50);
    const char *op = subtract ? "-" : "+";
    struct text place = { 0 };
    char flag[NAME_MAX_LENGTH];

    if (g->count_count == 0)
        return;
    const int array = begin_word_store(g);
    make_name(g, flag, "c");
    line(g, chance(g, 70) ? "var %s: %s = 0;" : "var %s: %s = %s(s & 1);", flag,
         subtract ? "borrow" : "carry", subtract ? "borrow" : "carry");
    g->flags_live = true;
    open_word_loop(g, array);
    if (chance(g, 40))
        straight_statement(g);
    char *a = operand(g, TYPE_U64), *b = operand(g, TYPE_U64);
    if (array < 0 || !add_index(g, &place, &g->arrays[array], ACCESS_WRITE, 8)) {
        line(g, "s, %s = s %s %s %s %s;", flag, op, b, op, flag);
        find_name(g, "s")->used = false;
        line(g, "s = s ^ %s;", a);
    } else {
        line(g, "%s[%s], %s = %s %s %s %s %s;", g->arrays[array].text, place.at, flag, a, op, b, op,
             flag);
        note_store(g, array);
    }
    close_loop(g);
    g->flags_live = g->straight_only = false;
    line(g, "s = s + (%s as u64);", flag);
    end_word_store(g, array);
}

/* h:r[i] = x * y + r[i] + h, as in a row of a schoolbook product. */
void multiply_loop(struct gen *g)
{
    char h[NAME_MAX_LENGTH];
    struct text place = { 0 };

    if (g->count_count == 0)
        return;
    const int array = begin_word_store(g), number = g->next++;
    make_name(g, h, "h");
    line(g, "var %s: u64 = %s;", h, expr(g, TYPE_U64, 1));
    open_word_loop(g, array);
    char *a = expr(g, TYPE_U64, 1), *b = expr(g, TYPE_U64, 1), *c = operand(g, TYPE_U64);
    line(g, "let lo%d, hi%d = %s * %s;", number, number, a, b);
    line(g, "let p%d, ca%d = lo%d + %s;", number, number, number, h);
    line(g, "%s = hi%d + ca%d;", h, number, number);
    line(g, "let q%d, cb%d = p%d + %s;", number, number, number, c);
    line(g, "%s = %s + cb%d;", h, h, number);
    if (array >= 0 && add_index(g, &place, &g->arrays[array], ACCESS_WRITE, 8)) {
        line(g, "%s[%s] = q%d;", g->arrays[array].text, place.at, number);
        note_store(g, array);
    } else {
        fold_into_s(g, mem_format("q%d", number), TYPE_U64);
    }
    close_loop(g);
    g->straight_only = false;
    add_name(g, h, TYPE_U64, true);
    end_word_store(g, array);
}

/* -- other control -- */

void while_statement(struct gen *g)
{
    const int limit = below(g, 3);
    char k[NAME_MAX_LENGTH];
    const int statements = 1 + below(g, 2);

    make_name(g, k, "k");
    if (g->count_count > 0 && chance(g, 70))
        line(g, "var %s: %s = %s;", k, g->count_count > 1 ? "u32" : "u64",
             g->counts[g->count_count - 1]);
    else
        line(g, "var %s: u64 = %d;", k, below(g, 12));
    line(g, "while %s > %d {", k, limit);
    open_block(g);
    for (int i = 0; i < statements; i++)
        straight_statement(g);
    close_block(g);
    g->depth++;
    line(g, "%s = %s - %d;", k, k, 1 + below(g, limit + 1));
    g->depth--;
    line(g, "}");
}

static void arm(struct gen *g)
{
    const int statements = 1 + below(g, 2);

    open_block(g);
    for (int i = 0; i < statements; i++)
        body_statement(g);
    close_block(g);
}

void if_statement(struct gen *g)
{
    struct text condition = { 0 };

    add_condition(g, &condition);
    line(g, "if %s {", condition.at);
    arm(g);
    if (chance(g, 50)) {
        line(g, "} else {");
        arm(g);
    }
    line(g, "}");
    /* What one arm set may have been used in the other only. */
    for (int i = 0; i < g->name_count; i++)
        g->names[i].used = g->names[i].used && !g->names[i].changed;
}

void struct_loop(struct gen *g)
{
    struct index x = { .count = -1, .unit = 1, .step = 1, .constant = 6, .is_narrow = true };
    bool is_woven;
    const char *shape = random_shape(g, &is_woven);

    make_name(g, x.text, "r");
    open_loop(g, &x, "0..key.rounds", is_woven ? "" : shape);
    fold_into_s(g, mem_format("key.k[%s%s]", x.text, chance(g, 30) ? " + 1" : ""), TYPE_U64);
    body_statement(g);
    close_loop(g);
}
