/* names.c: symbols and file names, before a platform spells them.
 *
 * Exports have names of their own; subroutines and tables carry the module's.
 * lang/symbols.c has seen that no two of a program are one, and labels carry the
 * symbol of their function.
 */
#include <string.h>

#include "target/row.h"

static const char *prefix_of(const struct module *m)
{
    return m->prefix ? m->prefix : "";
}

const char *function_symbol(const struct mach_func *f)
{
    const struct module *m = f->func->module;

    if (f->func->kind == FN_EXPORT)
        return mem_format("%s%s", prefix_of(m), f->name);
    return mem_format("%s%s_%s", prefix_of(m), module_identifier(m), f->name);
}

const char *tables_symbol(const struct module *m)
{
    return mem_format("%s%s_tables", prefix_of(m), module_identifier(m));
}

char *emit_file_name(const struct module *m, const struct target *t, const struct style *s)
{
    (void)s;                    /* every library names these files alike */
    return mem_format("%s-%s.S", m->name, t->file_suffix);
}

void add_template(struct text *out, const char *template, const char *symbol)
{
    const char *dollar;

    while ((dollar = strchr(template, '$'))) {
        text_add_n(out, template, (size_t)(dollar - template));
        text_add(out, symbol);
        template = dollar + 1;
    }
    text_add(out, template);
}

char *target_symbol(const struct target *t, const struct mach_func *f)
{
    return mem_format("%s%s", t->symbol, function_symbol(f));
}
