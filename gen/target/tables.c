/* tables.c: the read-only data of a module.
 *
 * All tables are one object with one symbol, in declared order, so that code
 * forms one address and reaches each table by a plain offset. It never lies
 * in the text section: execute-only text must work. Sixteen bytes a line, in
 * the units of the table's element (little-endian, as the file demands).
 */
#include <assert.h>

#include "target/row.h"

enum { LINE_BYTES = 16 };

/* How numbers of a size are written. */
struct unit { const char *directive; int bytes; };

static const struct unit *unit_of(enum value_type element)
{
    static const struct unit units[] = {
        {".byte", 1}, {".short", 2}, {".long", 4}, {".quad", 8},
    };
    const int bytes = value_types[element].lane_bits / 8;

    for (int i = 0; i < COUNT(units); i++)
        if (units[i].bytes == bytes)
            return &units[i];
    return &units[0];
}

static void add_hex_byte(struct text *out, uint8_t byte)
{
    static const char digits[] = "0123456789abcdef";

    text_add_n(out, (const char[]){digits[byte >> 4], digits[byte & 15]}, 2);
}

static void emit_numbers(struct text *out, const struct object *table)
{
    const struct unit *unit = unit_of(table->element);

    for (uint64_t at = 0; at < table->size; at += LINE_BYTES) {
        text_format(out, "\t%s\t", unit->directive);
        for (uint64_t i = at; i < at + LINE_BYTES && i < table->size; i += (uint64_t)unit->bytes) {
            text_add(out, i == at ? "0x" : ", 0x");
            for (int k = unit->bytes; k-- > 0;)
                add_hex_byte(out, table->bytes[i + (uint64_t)k]);
        }
        text_add(out, "\n");
    }
}

static int log2_of(uint64_t n)
{
    int log2 = 0;

    while (n >> log2 > 1)
        log2++;
    return log2;
}

void emit_tables(struct text *out, const struct module *m, const struct target *t)
{
    const char *symbol = mem_format("%s%s", t->symbol, tables_symbol(m));
    uint64_t at = 0;

    if (m->tables.n == 0)
        return;
    text_add(out, "\n");
    text_add(out, t->rodata);
    add_template(out, t->table, symbol);
    text_format(out, "\t.p2align\t%d\n%s:\n", log2_of(m->tables_align), symbol);
    for (int i = 0; i < m->tables.n; i++) {
        const struct object *table = m->tables.at[i];

        text_format(out, "// %s: %s, byte %u\n", table->name, value_types[table->element].name,
                    (unsigned)table->table_offset);
        add_comment(out, "//", table->doc);
        while (at < table->table_offset) {
            text_add(out, "\t.byte\t0\n");
            at++;
        }
        emit_numbers(out, table);
        at += table->size;
    }
    add_template(out, t->table_end, symbol);
}
