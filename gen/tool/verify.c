/* verify.c: `kgen verify`, and the verification that `gen` does before it writes.
 *
 * Takes a compilation; emits each module for the platforms asked for, reads
 * the texts back and proves them (verify/module.h). `--text` takes a file
 * instead of what would be emitted: it is proved in full, and compared with
 * what `gen` writes now, so that an edited file and a stale one are told from
 * a good one.
 */
#include <stdio.h>
#include <string.h>

#include "tool/options.h"
#include "verify/prove.h"

bool verify_compilation(const struct compilation *c, const struct compile_options *o,
                        struct text *report)
{
    bool all = true;

    for (int i = 0; i < c->modules.n; i++) {
        const struct module_text *texts = compile_texts(c->modules.at[i], o);

        all &= verify_module(c->modules.at[i], texts, o->targets.n, report);
    }
    return all;
}

/* -- a given file -- */

/* Does the text define every export of the module, spelled as this platform does? */
static bool defines_exports(const struct emitted *text, const struct code_module *m,
                            const struct target *t)
{
    int exports = 0;

    for (int i = 0; i < m->funcs.n; i++) {
        if (m->funcs.at[i]->func->kind != FN_EXPORT)
            continue;
        if (code_find(&text->code, target_symbol(t, m->funcs.at[i])) < 0)
            return false;
        exports++;
    }
    return exports > 0;
}

/* Compares with what `gen` writes now for that platform, in any style. */
static bool is_current(const struct text *file, const struct code_module *m, const struct target *t)
{
    for (int i = 0; i < style_count(); i++) {
        struct text now = {0};

        emit_module(&now, m, t, style_at(i));
        if (now.n == file->n && memcmp(now.at, file->at, now.n) == 0)
            return true;
    }
    return false;
}

static enum status verify_as(const struct text *file, const char *path, const struct code_module *m,
                             const struct target *t)
{
    const struct module_text given = {.target = t, .name = path, .text = file};
    struct text report = {0};

    if (!verify_module(m, &given, 1, &report))
        return STATUS_INPUT;
    if (is_current(file, m, t)) {
        text_format(&report, "%s: is what gen writes\n", path);
        return print_text(&report);
    }
    text_format(&report, "%s: is equal to its source, but not what gen writes: edited, or stale\n", path);
    print_text(&report);
    return STATUS_INPUT;
}

/* The two places that tell one format from another are symbols and sections;
 * where two platforms spell symbols alike, the file that gen would write decides. */
static enum status verify_file(const struct compilation *c, const char *path)
{
    struct text file = {0};
    const struct code_module *module = NULL;
    const struct target *target = NULL;

    if (!text_read_file(&file, path)) {
        error_at((struct loc){0}, RULE_INPUT, "cannot read '%s'", path);
        return STATUS_INPUT;
    }
    text_add(&file, "");
    const struct emitted text = text_read(file.at ? file.at : "", file.n);
    for (int i = 0; i < c->modules.n; i++)
        for (int k = 0; k < target_count(); k++) {
            const struct target *t = target_at(k);

            if (!defines_exports(&text, c->modules.at[i], t) ||
                (target && !is_current(&file, c->modules.at[i], t)))
                continue;
            module = c->modules.at[i];
            target = t;
        }
    if (module)
        return verify_as(&file, path, module, target);
    error_at((struct loc){0}, RULE_NOT_EQUAL, "'%s' has not the functions of any module here%s%s", path,
             text.complaint ? ": " : "", text.complaint ? text.complaint : "");
    return STATUS_INPUT;
}

enum status run_verify(struct command_line *line)
{
    struct compilation c = {0};
    struct text report = {0};
    enum status status = compile_source(&c, line, line->operands.at[0]);

    if (status != STATUS_DONE)
        return status;
    if (line->text)
        return verify_file(&c, line->text);
    if (!verify_compilation(&c, &line->compile, &report))
        return STATUS_INPUT;
    return print_text(&report);
}
