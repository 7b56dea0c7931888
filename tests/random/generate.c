/* generate.c: a module, its helpers and its export.
 *
 * Takes a seed; every choice is drawn from it in order, so that a seed is a
 * program. See build.h for how a program stays valid.
 */
#include "random/generate.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "core/core.h"
#include "random/build.h"

/* -- random numbers: splitmix64, Steele et al. 2014 -- */

uint64_t random_next(struct gen *g)
{
    uint64_t z = g->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int below(struct gen *g, int n)
{
    assert(n > 0);
    return (int)(random_next(g) >> 33) % n;
}

bool chance(struct gen *g, int percent) { return below(g, 100) < percent; }

/* -- types -- */

const char *type_name(enum value_type t) { return value_types[t].name; }
bool is_wide(enum value_type t) { return value_types[t].bits == 128; }

enum value_type in_register(enum value_type memory)
{
    return memory == TYPE_U8 || memory == TYPE_U16 ? TYPE_U32 : memory;
}

enum value_type random_scalar(struct gen *g) { return chance(g, 65) ? TYPE_U64 : TYPE_U32; }

enum value_type random_vector(struct gen *g)
{
    static const enum value_type types[] = { TYPE_U8X16, TYPE_U16X8, TYPE_U32X4, TYPE_U64X2,
                                             TYPE_U8X16, TYPE_U32X4, TYPE_U64X2, TYPE_U32X4,
                                             TYPE_U8X8,  TYPE_U16X4, TYPE_U32X2, TYPE_U64X1 };

    return types[below(g, COUNT(types))];
}

enum value_type random_type(struct gen *g)
{
    return g->vectors && chance(g, 50) ? random_vector(g) : random_scalar(g);
}

static enum value_type random_element(struct gen *g)
{
    static const enum value_type scalars[] = { TYPE_U64, TYPE_U64, TYPE_U64,
                                               TYPE_U32, TYPE_U8,  TYPE_U16 };

    return g->vectors && chance(g, 50) ? random_vector(g) : scalars[below(g, COUNT(scalars))];
}

/* -- writing -- */

void line(struct gen *g, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    text_format(g->out, "%*s%s\n", 4 * g->depth, "", mem_format_list(fmt, args));
    va_end(args);
}

void make_name(struct gen *g, char out[NAME_MAX_LENGTH], const char *stem)
{
    snprintf(out, NAME_MAX_LENGTH, "%s%d", stem, g->next++);
}

struct name *add_name(struct gen *g, const char *text, enum value_type type, bool is_variable)
{
    struct name *n = &g->names[g->name_count++];

    assert(g->name_count <= MAX_NAMES);
    *n = (struct name){ .type = type, .is_variable = is_variable, .level = g->level };
    snprintf(n->text, sizeof n->text, "%s", text);
    return n;
}

struct name *find_name(struct gen *g, const char *text)
{
    for (int i = g->name_count; i-- > 0;)
        if (strcmp(g->names[i].text, text) == 0)
            return &g->names[i];
    return NULL;
}

void open_block(struct gen *g)
{
    g->level++;
    g->depth++;
}

void close_block(struct gen *g)
{
    int first = g->name_count;

    while (first > 0 && g->names[first - 1].level == g->level)
        first--;
    for (int i = first; i < g->name_count; i++) {
        const struct name *n = &g->names[i];

        if (!n->used && strcmp(n->text, "s") != 0 && strcmp(n->text, "sv") != 0)
            fold_into_s(g, n->text, n->type);
    }
    g->name_count = first;
    g->level--;
    g->depth--;
}

/* -- accumulators: what everything ends in -- */

static void declare_accumulators(struct gen *g)
{
    struct text t = { 0 };

    add_constant(g, &t, TYPE_U64);
    line(g, "var s: u64 = %s;", t.at);
    add_name(g, "s", TYPE_U64, true);
    if (g->vectors) {
        t.n = 0;
        add_constant(g, &t, TYPE_U8X16);
        line(g, "var sv: u8x16 = %s;", t.at);
        add_name(g, "sv", TYPE_U8X16, true);
    }
}

/* All that the function made, as one u64. */
static const char *final_value(const struct gen *g)
{
    return g->vectors ? "(s ^ (sv as u64x2)[0] ^ (sv as u64x2)[1])" : "s";
}

static void declare_bundle(struct gen *g)
{
    struct bundle *b = &g->bundles[g->bundle_count];
    struct text t = { 0 };
    struct bundle made = { .type = random_type(g), .count = 2 + below(g, 3) };

    make_name(g, made.text, "q");
    for (int i = 0; i < made.count; i++)
        text_format(&t, "%s%s", i > 0 ? ", " : "", expr(g, made.type, 1));
    line(g, "var %s: %s[%d] = [%s];", made.text, type_name(made.type), made.count, t.at);
    *b = made;
    g->bundle_count++;
}

static void fold_bundles(struct gen *g)
{
    for (int i = 0; i < g->bundle_count; i++)
        for (int k = 0; k < g->bundles[i].count; k++)
            fold_into_s(g, mem_format("%s[%d]", g->bundles[i].text, k), g->bundles[i].type);
    g->bundle_count = 0;
}

/* -- tables and helpers -- */

static void add_table(struct gen *g)
{
    static const enum value_type elements[] = { TYPE_U64,   TYPE_U32,   TYPE_U8,
                                                TYPE_U8X16, TYPE_U32X4, TYPE_U64X2 };
    struct table *table = &g->tables[g->table_count];
    struct text t = { 0 };

    *table = (struct table){ .element = elements[below(g, g->vectors ? COUNT(elements) : 3)],
                             .count = 1 << (1 + below(g, 4)) };
    make_name(g, table->text, "tb");
    for (int i = 0; i < table->count; i++) {
        const bool is_vector = type_is_vector(table->element);

        text_add(&t, i > 0 ? is_vector ? ",\n    " : ", " : "");
        text_add(&t, is_vector ? "[" : "");
        for (int k = 0; k < value_types[table->element].lanes; k++) {
            text_add(&t, k > 0 ? ", " : "");
            add_constant(g, &t, table->element);
        }
        text_add(&t, is_vector ? "]" : "");
    }
    line(g, "table %s: %s[%d]%s = [%s];", table->text, type_name(table->element), table->count,
         chance(g, 20) ? " align 64" : "", t.at);
    g->table_count++;
}

static void add_helper_params(struct gen *g, struct helper *h, struct text *t)
{
    if (h->has_static)
        text_add(t, "static amount: u64");
    for (int i = 0; i < h->param_count; i++) {
        char name[NAME_MAX_LENGTH];

        h->params[i] = random_type(g);
        make_name(g, name, "a");
        text_format(t, "%s%s: %s%s", i > 0 || h->has_static ? ", " : "", name,
                    h->is_local ? "secret " : "", type_name(h->params[i]));
        add_name(g, name, h->params[i], false);
    }
}

static void helper_body(struct gen *g, struct helper *h)
{
    const int statements = 1 + below(g, 3);

    declare_accumulators(g);
    if (h->has_static)
        line(g, "s = s <<< amount;");
    if (!h->is_straight && chance(g, 30))
        line(g, "if (declassify(s) & 3) == 1 { return %s; }", h->result_count == 1 ? "7" : "3, 4");
    for (int i = 0; i < statements; i++)
        body_statement(g);
    struct text second = { 0 }, first = { 0 };
    if (h->result_count == 2)
        add_expr(g, &second, h->results[1], 1);
    close_block(g);
    g->depth++;
    add_converted(&first, final_value(g), TYPE_U64, h->results[0]);
    line(g, "return %s%s%s;", first.at, second.n ? ", " : "", second.n ? second.at : "");
    g->depth--;
    line(g, "}\n");
}

static void add_helper(struct gen *g)
{
    struct helper h = { .is_local = chance(g, 40),
                        .is_straight = chance(g, 60),
                        .param_count = 1 + below(g, 3),
                        .result_count = 1 + below(g, 2) };
    struct text params = { 0 }, results = { 0 };
    const uint32_t all = g->features;

    make_name(g, h.text, "fn");
    h.has_static = !h.is_local && chance(g, 30);
    g->level = 1;
    add_helper_params(g, &h, &params);
    for (int i = 0; i < h.result_count; i++) {
        h.results[i] = random_type(g);
        text_format(&results, "%s%s", i > 0 ? ", " : "", type_name(h.results[i]));
    }
    line(g, h.result_count == 1 ? "%s fn %s(%s) -> %s {" : "%s fn %s(%s) -> (%s) {",
         h.is_local ? "local" : "inline", h.text, params.at ? params.at : "", results.at);
    g->depth++;
    g->straight_only = h.is_straight;
    h.features = g->features = h.is_local ? 1u << FEAT_BASE : all;
    helper_body(g, &h);
    g->features = all;
    g->straight_only = false;
    g->name_count = g->level = 0;
    g->helpers[g->helper_count++] = h;
}

/* -- the export's parameters -- */

static bool same_shape(const struct array *a, const struct array *b)
{
    return a->element == b->element && a->factor == b->factor && a->extra == b->extra &&
           (a->factor == 0 || a->count == b->count);
}

static void add_array(struct gen *g)
{
    static const enum direction directions[] = { DIR_IN, DIR_IN, DIR_OUT, DIR_INOUT };
    static const int constants[] = { 1, 2, 4, 8, 16, 5, 24 };
    struct array *a = &g->arrays[g->array_count];

    if (g->array_count > 0 && chance(g, 50)) {
        *a = g->arrays[g->array_count - 1];
    } else {
        *a = (struct array){ .element = random_element(g),
                             .count = below(g, g->count_count > 0 ? g->count_count : 1) };
        if (g->count_count > 0 && chance(g, 75)) {
            a->factor = 1 << (a->element == TYPE_U8 ? 2 + below(g, 3)
                              : chance(g, 70)       ? 0
                                                    : 1 + below(g, 2));
            a->extra = chance(g, 60) ? 0 : 1 + below(g, 4);
        } else {
            a->extra = (a->element == TYPE_U8 ? 4 : 1) * constants[below(g, COUNT(constants))];
        }
    }
    a->direction = g->array_count == 0 ? DIR_OUT : directions[below(g, COUNT(directions))];
    a->touched = false;
    a->group = g->array_count;
    for (int i = 0; i < g->array_count; i++)
        if (same_shape(&g->arrays[i], a))
            a->group = g->arrays[i].group;
    make_name(g, a->text, "p");
    g->array_count++;
}

static void add_array_params(struct gen *g, struct text *t)
{
    static const char *const words[] = {
        [DIR_IN] = "in", [DIR_OUT] = "out", [DIR_INOUT] = "inout"
    };
    const int count = 1 + below(g, 4);

    for (int i = 0; i < count; i++) {
        add_array(g);
        const struct array *a = &g->arrays[i];
        text_format(t, "%s%s: %s %s[", i > 0 ? ", " : "", a->text, words[a->direction],
                    type_name(a->element));
        if (a->factor > 1)
            text_format(t, "%d * ", a->factor);
        if (a->factor > 0)
            text_format(t, "%s", g->counts[a->count]);
        if (a->factor == 0 || a->extra > 0)
            text_format(t, "%s%d", a->factor > 0 ? " + " : "", a->extra);
        text_add(t, "]");
    }
}

static void add_scalar_params(struct gen *g, struct text *t)
{
    /* Eight arguments in all, one of them perhaps an i32. */
    const int room = 8 - g->array_count - g->count_count - g->has_struct - 1;
    const int count = below(g, room < 2 ? room + 1 : 3);

    for (int i = 0; i < g->count_count; i++) {
        text_format(t, ", %s: %s", g->counts[i], i == 0 ? "u64" : "u32");
        if (i == 0 ? g->is_bounded : chance(g, 50))
            text_format(t, " in 0..=%d", RANDOM_COUNT_MAX);
        add_name(g, g->counts[i], i == 0 ? TYPE_U64 : TYPE_U32, false);
    }
    for (int i = 0; i < count; i++) {
        const enum value_type type = random_scalar(g);
        char name[NAME_MAX_LENGTH];

        make_name(g, name, "y");
        text_format(t, ", %s: %s%s", name, chance(g, 70) ? "secret " : "", type_name(type));
        add_name(g, name, type, false);
    }
    if (chance(g, 20)) {
        make_name(g, g->condition_on, "e");
        text_format(t, ", %s: i32", g->condition_on);
        add_name(g, g->condition_on, TYPE_I32, false);
    }
    if (g->has_struct)
        text_add(t, ", key: in SCHEDULE");
}

static void add_clauses(struct gen *g, struct text *t)
{
    static const char *const names[FEAT_COUNT] = { NULL, "aes", "sha2", "sha512", "sha3" };
    const char *word = " requires ";

    if (g->noalias && g->array_count > 1) {
        text_add(t, " noalias(");
        for (int i = 0; i < g->array_count; i++)
            text_format(t, "%s%s", i > 0 ? ", " : "", g->arrays[i].text);
        text_add(t, ")");
    }
    for (int i = 1; i < FEAT_COUNT; i++)
        if (g->features >> i & 1) {
            text_format(t, "%s%s", word, names[i]);
            word = ", ";
        }
    if (g->features >> FEAT_SHA3 & 1)
        text_add(t, chance(g, 50) ? " fuse eor3" : chance(g, 50) ? " fuse eor3, bcax" : "");
    if (chance(g, 50))
        text_format(t, " tune \"%s\"", core_at(below(g, core_count()))->name);
    if (chance(g, 15))
        text_add(t, " wipe");
    if (g->vectors && chance(g, 15))
        text_add(t, " variant v2 { requires sha3; fuse eor3, bcax; tune \"neoverse-v2\"; }");
}

/* -- the export's body -- */

/* A stack array, every element set before it is used. */
static void add_stack_array(struct gen *g)
{
    struct array *a = &g->arrays[g->array_count];
    struct array made = {
        .element = random_element(g), .direction = DIR_VALUE, .group = -1, .touched = true
    };
    char *extent;

    if (g->is_bounded && chance(g, 50)) {
        made.factor = 1;
        made.extra = 1 + below(g, 3);
        extent = mem_format("%s + %d", g->counts[0], made.extra);
    } else {
        made.extra = 4 << below(g, 3);
        extent = mem_format("%d", made.extra);
    }
    make_name(g, made.text, "st");
    line(g, "stack %s: %s[%s];", made.text, type_name(made.element), extent);
    char *value = expr(g, in_register(made.element), 1);
    line(g, "for e in 0..%s { %s[e] = %s; }", extent, made.text, value);
    *a = made;
    g->array_count++;
}

static void early_return(struct gen *g)
{
    struct text condition = { 0 };

    add_condition(g, &condition);
    if (g->result == TYPE_VOID) {
        line(g, "if %s { return; }", condition.at);
        return;
    }
    line(g, "if %s { return %s; }", condition.at, expr(g, g->result, 1));
}

static void top_statement(struct gen *g)
{
    const int way = below(g, 100);

    if (way < 10)
        carry_loop(g);
    else if (way < 16)
        multiply_loop(g);
    else if (way < 20)
        early_return(g);
    else if (way < 26 && g->has_struct)
        struct_loop(g);
    else if (way < 30 && g->array_count < MAX_ARRAYS)
        add_stack_array(g);
    else if (way < 60)
        loop_statement(g);
    else
        body_statement(g);
}

static void touch_everything(struct gen *g)
{
    for (int i = 0; i < g->array_count; i++)
        if (!g->arrays[i].touched)
            touch_array(g, i);
    if (g->has_struct)
        fold_into_s(g, "key.k[0]", TYPE_U64);
}

static bool is_parameter_to_write(const struct gen *g, int array)
{
    return g->arrays[array].direction == DIR_OUT || g->arrays[array].direction == DIR_INOUT;
}

/* A function without a result leaves its accumulators in memory. */
static void finish_export(struct gen *g)
{
    const struct array *a = &g->arrays[random_array(g, is_parameter_to_write)];
    struct text value = { 0 };

    if (g->result != TYPE_VOID) {
        add_converted(&value, final_value(g), TYPE_U64, g->result);
        line(g, "return %s;", value.at);
        return;
    }
    add_converted(&value, final_value(g), TYPE_U64, in_register(a->element));
    if (a->factor == 0)
        line(g, "%s[%d] = %s;", a->text, a->extra - 1, value.at);
    else
        line(g, "for e in 0..%s { %s[e] = %s; }", g->counts[a->count], a->text, value.at);
}

static void export_body(struct gen *g)
{
    const int statements = 2 + below(g, 6);

    g->depth = 1;
    declare_accumulators(g);
    if (chance(g, 25))
        declare_bundle(g);
    if (chance(g, 20))
        add_stack_array(g);
    for (int i = 0; i < statements; i++)
        top_statement(g);
    fold_bundles(g);
    touch_everything(g);
    close_block(g);
    g->depth = 1;
    finish_export(g);
    g->depth = 0;
    line(g, "}");
}

static void add_export(struct gen *g, int number)
{
    static const enum value_type results[] = { TYPE_U64, TYPE_U64, TYPE_U32, TYPE_VOID };
    struct text params = { 0 }, clauses = { 0 };

    g->level = 1;
    g->result = results[below(g, COUNT(results))];
    add_array_params(g, &params);
    add_scalar_params(g, &params);
    add_clauses(g, &clauses);
    for (int i = 0; i < g->array_count; i++) {
        bool has_twin = false;
        for (int k = 0; k < g->array_count; k++)
            has_twin |= k != i && g->arrays[k].group == g->arrays[i].group;
        g->writer[i] = NOT_WRITTEN;
        if (g->noalias || !has_twin)
            g->arrays[i].group = -1;
    }
    line(g, "export fn k%d(%s)%s%s%s {", number, params.at, g->result != TYPE_VOID ? " -> " : "",
         g->result != TYPE_VOID ? type_name(g->result) : "", clauses.n ? clauses.at : "");
    export_body(g);
}

void random_program(struct text *out, uint64_t seed, int number)
{
    struct gen *g = NEW(struct gen);

    g->out = out;
    g->state = seed;
    g->vectors = chance(g, 55);
    g->noalias = chance(g, 40);
    g->features = 1u << FEAT_BASE;
    for (int i = 1; i < FEAT_COUNT; i++)
        if (g->vectors && chance(g, 35))
            g->features |= 1u << i;
    line(g, "module \"m%d\";\n", number);
    for (int n = below(g, MAX_TABLES); n > 0; n--)
        add_table(g);
    g->has_struct = chance(g, 15);
    if (g->has_struct)
        line(g, "struct SCHEDULE size 72 align 8 { k: u64[8]; rounds: public u32 in {2, 4, 6}; }");
    for (int n = below(g, MAX_HELPERS); n > 0; n--)
        add_helper(g);
    g->count_count = chance(g, 90) ? 1 + chance(g, 30) : 0;
    g->is_bounded = g->count_count > 0 && chance(g, 50);
    strcpy(g->counts[0], "n");
    strcpy(g->counts[1], "m");
    add_export(g, number);
}
