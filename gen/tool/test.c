/* test.c: `kgen test`: runs the test blocks of every module.
 *
 * Takes a source; compiles it, writes each platform's text into memory and runs
 * the tests on what can be read back from it (verify/trial.c). Prints one line
 * a module; failures are messages like any other, and make the status 1.
 */
#include <inttypes.h>
#include <stdio.h>

#include "tool/options.h"
#include "verify/trial.h"

static void add_summary(struct text *out, const struct code_module *m,
                        const struct compile_options *o, const struct trial_report *report)
{
    if (report->tests == 0) {
        text_format(out, "%s: no tests\n", m->module->name);
        return;
    }
    text_format(out, "%s: %d %s passed on ", m->module->name, report->tests,
                report->tests == 1 ? "test" : "tests");
    for (int i = 0; i < o->targets.n; i++)
        text_format(out, "%s%s", i == 0 ? "" : ", ", target_name(o->targets.at[i]));
    text_format(out, " (%" PRIu64 " calls)\n", report->calls);
}

static enum status test_module(const struct code_module *m, const struct compile_options *o)
{
    struct module_text *texts = NEW_ARRAY(struct module_text, o->targets.n + 1);
    struct trial_report report = { 0 };
    struct text summary = { 0 };

    for (int i = 0; i < o->targets.n; i++) {
        struct text *text = NEW(struct text);

        emit_module(text, m, o->targets.at[i], o->style);
        texts[i] = (struct module_text){ .target = o->targets.at[i],
                                         .text = text,
                                         .name = emit_file_name(m->module, o->targets.at[i],
                                                                o->style) };
    }
    if (!trial_module(m, texts, o->targets.n, &report))
        return STATUS_INPUT;
    add_summary(&summary, m, o, &report);
    return print_text(&summary);
}

enum status run_test(struct command_line *line)
{
    struct compilation c = { 0 };
    enum status status = compile_source(&c, line, line->operands.at[0]);

    if (status != STATUS_DONE)
        return status;
    for (int i = 0; i < c.modules.n; i++) {
        const enum status one = test_module(c.modules.at[i], &line->compile);

        status = one != STATUS_DONE ? one : status;
    }
    return status;
}
