/* generate_memory.c: accesses to arrays, stack arrays and tables.
 *
 * An index is proved by its form: factor * i + k in an array of factor * n
 * elements where i goes to n, a literal or a loop's index below a constant
 * extent, or something modulo it.
 *
 * Holds, for arrays that may be the same (a group): a loop that stores to the
 * group does so at the index of the outermost loop alone, each iteration to
 * elements of its own, and reads of the group in that loop are of this or of
 * later iterations' elements. After a store only the array that was written is
 * read. (The rule in-place.)
 */
#include <string.h>

#include "random/build.h"

static int element_bytes(const struct array *a) { return type_bytes(a->element); }

static bool is_limited(const struct gen *g, const struct array *a)
{
    return a->group >= 0 && g->stored_here[a->group];
}

static void add_offset(struct text *t, const struct index *i, int factor, int k)
{
    const char *form = i->is_narrow && (factor != 1 || k != 0) ? "(%s as u64)" : "%s";
    char *name = mem_format(form[0] == '(' ? "(%s as u64)" : "%s", i->text);

    if (factor != 1)
        text_format(t, "%d * ", factor);
    text_add(t, name);
    if (k > 0)
        text_format(t, " + %d", k);
}

/* -- indices -- */

/* F * i + k with the index of a loop to n. */
static bool symbolic_index(struct gen *g, struct text *t, const struct array *a,
                           enum access_kind kind, int width)
{
    for (int i = 0; i < g->index_count; i++) {
        const struct index *x = &g->indices[i];
        const int factor = a->factor * x->unit;
        const int room = factor + (kind == ACCESS_READ ? a->extra : 0) - width + 1;

        if (a->factor == 0 || x->count != a->count || room <= 0 || (is_limited(g, a) && i > 0))
            continue;
        if (x->first > 0 && !is_limited(g, a) && chance(g, 30)) {
            text_format(t, "%d * ((%s as u64) - 1) + %d", factor, x->text, below(g, room));
            return true;
        }
        add_offset(t, x, factor, below(g, room));
        return true;
    }
    return false;
}

/* w * i + k with the index of a loop to a constant. */
static bool constant_index(struct gen *g, struct text *t, const struct array *a,
                           enum access_kind kind, int width)
{
    for (int i = 0; i < g->index_count; i++) {
        const struct index *x = &g->indices[i];
        const int room = a->extra - width * x->constant + 1;

        if (x->count >= 0 || a->factor > 0 || room <= 0)
            continue;
        if (is_limited(g, a) && (i > 0 || width > 1 || a->element == TYPE_U8))
            continue;
        add_offset(t, x, width, is_limited(g, a) && kind == ACCESS_WRITE ? 0 : below(g, room));
        return true;
    }
    return false;
}

static bool is_power_of_two(int n) { return n > 0 && (n & (n - 1)) == 0; }

static bool wrapped_index(struct gen *g, struct text *t, const struct array *a, int width)
{
    if (a->factor > 0 || width > 1 || !is_power_of_two(a->extra) || is_limited(g, a))
        return false;
    if (g->index_count > 0)
        text_format(t, chance(g, 50) ? "%s %% %d" : "(%s + 3) %% %d",
                    g->indices[g->index_count - 1].text, a->extra);
    else if (g->count_count > 0)
        text_format(t, "%s %% %d", g->counts[below(g, g->count_count)], a->extra);
    else
        return false;
    return true;
}

static bool literal_index(struct gen *g, struct text *t, const struct array *a, int width)
{
    if (is_limited(g, a) || a->extra < width)
        return false;
    text_format(t, "%d", below(g, a->extra - width + 1));
    return true;
}

bool add_index(struct gen *g, struct text *t, const struct array *a, enum access_kind kind,
               int bytes)
{
    const int width = bytes / element_bytes(a);

    if (chance(g, 70) &&
        (symbolic_index(g, t, a, kind, width) || constant_index(g, t, a, kind, width)))
        return true;
    if (chance(g, 40) && wrapped_index(g, t, a, width))
        return true;
    return literal_index(g, t, a, width) || symbolic_index(g, t, a, kind, width) ||
           constant_index(g, t, a, kind, width);
}

/* -- loads -- */

static bool can_read(const struct gen *g, int array)
{
    const struct array *a = &g->arrays[array];
    const int writer = a->group < 0 ? NOT_WRITTEN : g->writer[a->group];

    return writer == NOT_WRITTEN || writer == array;
}

bool add_load(struct gen *g, struct text *t, enum value_type type)
{
    int at[MAX_ARRAYS], n = 0;

    for (int i = 0; i < g->array_count; i++)
        if (can_read(g, i) &&
            (in_register(g->arrays[i].element) == type || g->arrays[i].element == TYPE_U8))
            at[n++] = i;
    while (n > 0) {
        const int pick = below(g, n), array = at[pick];
        struct array *a = &g->arrays[array];
        const bool by_bytes = a->element == TYPE_U8 && (type != TYPE_U32 || chance(g, 50));
        struct text index = { 0 };

        at[pick] = at[--n];
        if (!add_index(g, &index, a, ACCESS_READ, by_bytes ? type_bytes(type) : element_bytes(a)))
            continue;
        if (by_bytes)
            text_format(t, "load(%s, %s, %s)", type_name(type), a->text, index.at);
        else
            text_format(t, "%s[%s]", a->text, index.at);
        a->touched = true;
        return true;
    }
    return false;
}

bool add_table_entry(struct gen *g, struct text *t, enum value_type type)
{
    for (int i = 0; i < g->table_count; i++) {
        const struct table *table = &g->tables[i];

        if (in_register(table->element) != type)
            continue;
        text_format(t, "%s[", table->text);
        if (g->index_count > 0 && is_power_of_two(table->count) && chance(g, 50))
            text_format(t, "%s %% %d]", g->indices[g->index_count - 1].text, table->count);
        else
            text_format(t, "%d]", below(g, table->count));
        return true;
    }
    return false;
}

/* -- stores -- */

bool can_store(const struct gen *g, int array)
{
    const struct array *a = &g->arrays[array];

    if (a->direction == DIR_IN)
        return false;
    if (a->group < 0)
        return true;
    return g->index_count == 0 ? g->level == 1 && !g->stored_here[a->group]
                               : g->index_count == 1 && g->stored_here[a->group];
}

void note_store(struct gen *g, int array)
{
    struct array *a = &g->arrays[array];

    a->touched = true;
    if (a->group >= 0)
        g->writer[a->group] = g->writer[a->group] == NOT_WRITTEN || g->writer[a->group] == array
                                  ? array
                                  : WRITTEN_BY_SEVERAL;
}

static enum value_type stored_type(struct gen *g, const struct array *a, bool *by_bytes)
{
    static const enum value_type bytes_as[] = { TYPE_U32, TYPE_U64, TYPE_U8X16, TYPE_U32X4,
                                                TYPE_U8X8 };

    *by_bytes = a->element == TYPE_U8 && chance(g, 60);
    return *by_bytes ? bytes_as[below(g, g->vectors ? COUNT(bytes_as) : 2)]
                     : in_register(a->element);
}

void store_statement(struct gen *g, int array)
{
    struct array *a = &g->arrays[array];
    struct text index = { 0 };
    bool by_bytes;
    const enum value_type type = stored_type(g, a, &by_bytes);

    if (!add_index(g, &index, a, ACCESS_WRITE, by_bytes ? type_bytes(type) : element_bytes(a)))
        return;
    if (g->level == 1)
        touch_twins(g, array);
    char *value = expr(g, type, 2);
    if (chance(g, 40)) {
        char name[NAME_MAX_LENGTH];
        make_name(g, name, "w");
        line(g, "let %s: %s = %s;", name, type_name(type), value);
        value = mem_string(name);
    }
    if (by_bytes)
        line(g, "store(%s, %s, %s);", a->text, index.at, value);
    else
        line(g, "%s[%s] = %s;", a->text, index.at, value);
    note_store(g, array);
}

/* -- using what was not used -- */

void touch_array(struct gen *g, int array)
{
    struct array *a = &g->arrays[array];
    char *element;

    a->touched = true;
    if (a->factor == 0) {
        element = mem_format("%s[0]", a->text);
        fold_into_s(g, element, in_register(a->element));
        return;
    }
    line(g, "for e in 0..%s {", g->counts[a->count]);
    g->depth++;
    element = mem_format(a->factor == 1  ? "%s[e]"
                         : a->count == 1 ? "%s[%d * (e as u64)]"
                                         : "%s[%d * e]",
                         a->text, a->factor);
    fold_into_s(g, element, in_register(a->element));
    g->depth--;
    line(g, "}");
}

/* Before the array is written: the others of its group that nobody read yet. */
void touch_twins(struct gen *g, int array)
{
    const int group = g->arrays[array].group;

    for (int i = 0; group >= 0 && i < g->array_count; i++)
        if (i != array && g->arrays[i].group == group && !g->arrays[i].touched && can_read(g, i))
            touch_array(g, i);
}

int random_array(struct gen *g, bool (*is_wanted)(const struct gen *, int))
{
    int found[MAX_ARRAYS], n = 0;

    for (int i = 0; i < g->array_count; i++)
        if (is_wanted(g, i))
            found[n++] = i;
    return n == 0 ? -1 : found[below(g, n)];
}
