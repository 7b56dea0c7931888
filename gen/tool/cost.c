/* cost.c: what each loop costs on each core, by kgen's model.
 *
 * Takes compiled code and runs every innermost loop (loops.h) on the pipeline of
 * each core. Prints a table a loop, the variants of a function beside each other;
 * with --mca the loops as assembly that llvm-mca reads, a region each; with --lines a
 * line a loop and core, for scripts.
 *
 * Does not: count what happens around a loop, or guess what a branch does.
 */
#include <stdio.h>
#include <string.h>

#include "tool/loops.h"
#include "tool/options.h"

/* -- which loops -- */

static bool is_wanted(const struct mach_func *f, const char *kernel)
{
    return kernel == NULL || strcmp(f->name, kernel) == 0 || strcmp(f->func->name, kernel) == 0;
}

static struct loop_list loops_of(const struct code_module *m, const char *kernel)
{
    struct loop_list list = { 0 };
    for (int k = 0; k < m->funcs.n; k++)
        if (is_wanted(m->funcs.at[k], kernel))
            loops_find(&list, m->funcs.at[k]);
    return list;
}

/* The same loop of another variant. */
static bool is_variant(const struct loop *a, const struct loop *b)
{
    return strcmp(a->f->func->name, b->f->func->name) == 0 && a->f != b->f && a->loc.line == b->loc.line
           && a->steps == b->steps && (a->header == NULL) == (b->header == NULL);
}

/* -- the table of a loop -- */

enum { MOST_VARIANTS = 4 };

struct row_of_variants { const struct loop *at[MOST_VARIANTS]; int n; };

static const char *variant_of(const struct loop *l)
{
    const struct variant *v = l->f->variant;
    return v != NULL && v->name != NULL && v->name[0] != '\0' ? v->name : "base";
}

static void print_hundredths(struct text *out, int n)
{
    text_format(out, "%d.%02d", n / 100, n % 100);
}

/* Right-aligned behind COLUMN, WIDTH wide. */
static void print_number(struct text *out, int n, int width)
{
    struct text number = { 0 };
    print_hundredths(&number, n);
    text_format(out, "%*s", width, number.at);
}

static void print_counted(struct text *out, int n, const char *what)
{
    text_format(out, "%d %s%s", n, what, n == 1 ? "" : "s");
}

static void print_counts(struct text *out, const struct loop *l)
{
    print_counted(out, l->n, "instruction");
    if (l->bytes > 0) {
        text_add(out, ", ");
        print_counted(out, l->bytes, "byte");
    }
}

enum { FIRST_COLUMN = 16, VARIANT_COLUMNS = 54 };

static void print_cost(struct text *out, const struct loop *l, const struct loop_cost *c)
{
    const char *set_by;
    const int least = loop_least(c, &set_by);

    print_number(out, c->cycles, 9);
    print_number(out, (c->cycles + l->steps / 2) / l->steps, 9);
    if (l->bytes > 0)
        print_number(out, (c->cycles + l->bytes / 2) / l->bytes, 9);
    else
        text_format(out, "%9s", "-");
    print_number(out, least, 9);
    text_format(out, "  %s", set_by);
}

static void print_heading(struct text *out, const struct row_of_variants *r)
{
    const struct loop *l = r->at[0];
    text_format(out, "%s, %s:%d: ", l->f->func->name, source_name(l->loc.file), l->loc.line);
    if (l->header == NULL)
        text_add(out, "straight code");
    else
        print_counted(out, l->steps, "step");
    if (l->header != NULL && l->bytes > 0 && l->bytes % l->steps == 0) {
        text_add(out, " of ");
        print_counted(out, l->bytes / l->steps, "byte");
    }
    text_add(out, "\n");
    for (int k = 0; k < r->n; k++) {
        text_column(out, FIRST_COLUMN + k * VARIANT_COLUMNS);
        text_format(out, " %s: ", variant_of(r->at[k]));
        print_counts(out, r->at[k]);
    }
    text_add(out, "\n");
    for (int k = 0; k < r->n; k++) {
        text_column(out, FIRST_COLUMN + k * VARIANT_COLUMNS);
        text_format(out, "%9s%9s%9s%9s  %s", "cycles", "a step", "a byte", "bound", "set by");
    }
    text_add(out, "\n");
}

static void print_remarks(struct text *out, const struct loop *l)
{
    if (l->calls)
        text_add(out, "  (it calls: what it calls is not counted)\n");
    if (l->branches)
        text_add(out, "  (it branches: counted as if every block ran)\n");
}

struct machines { const struct core *core[16]; struct pipeline *pipeline[16]; int n; };

static void print_table(struct text *out, const struct machines *on, const struct row_of_variants *r)
{
    print_heading(out, r);
    for (int c = 0; c < on->n; c++) {
        text_format(out, "  %s", on->core[c]->name);
        for (int k = 0; k < r->n; k++) {
            const struct loop_cost cost = loop_cost(on->pipeline[c], on->core[c], r->at[k]);
            text_column(out, FIRST_COLUMN + k * VARIANT_COLUMNS);
            print_cost(out, r->at[k], &cost);
        }
        text_add(out, "\n");
    }
    print_remarks(out, r->at[0]);
    text_add(out, "\n");
}

static void print_tables(struct text *out, const struct machines *on, const struct loop_list *list)
{
    bool *printed = NEW_ARRAY(bool, list->at.n + 1);
    for (int k = 0; k < list->at.n; k++) {
        struct row_of_variants r = { .at = { &list->at.at[k] }, .n = 1 };
        if (printed[k])
            continue;
        for (int j = k + 1; j < list->at.n; j++) {
            const struct loop *l = &list->at.at[j];
            bool there = printed[j];
            for (int i = 0; i < r.n; i++)
                there |= r.at[i]->f == l->f;
            if (there || r.n == MOST_VARIANTS || !is_variant(r.at[0], l))
                continue;
            r.at[r.n++] = l;
            printed[j] = true;
        }
        print_table(out, on, &r);
    }
}

/* -- for scripts -- */

static void print_lines(struct text *out, const struct machines *on, const struct loop_list *list)
{
    for (int k = 0; k < list->at.n; k++)
        for (int c = 0; c < on->n; c++) {
            const struct loop *l = &list->at.at[k];
            const struct loop_cost cost = loop_cost(on->pipeline[c], on->core[c], l);
            text_format(out, "%s\t%s\t%s\t%d\t%d\t%d\t", l->f->func->module->name, l->name,
                        on->core[c]->name, l->n, l->steps, l->bytes);
            print_hundredths(out, cost.cycles);
            text_add(out, "\t");
            print_hundredths(out, cost.bound);
            text_format(out, "\t%s\t", cost.set_by);
            print_hundredths(out, cost.write_back);
            text_add(out, "\n");
        }
}

/* Regions for llvm-mca; it cannot look into calls, and runs a region as a loop. */
static void print_regions(struct text *out, const struct loop_list *list)
{
    for (int k = 0; k < list->at.n; k++) {
        const struct loop *l = &list->at.at[k];
        if (l->calls || l->header == NULL)
            continue;
        const int *labels = number_labels(l->f);
        text_format(out, "# LLVM-MCA-BEGIN %s/%s\n", l->f->func->module->name, l->name);
        for (int i = 0; i < l->n; i++) {
            text_add(out, "\t");
            loop_print_insn(out, l->insn[i], labels);
            text_add(out, "\n");
        }
        text_add(out, "# LLVM-MCA-END\n");
    }
}

/* -- the command -- */

/* The core that was asked for, or all that llvm-mca knows as well. */
static struct machines machines_for(const struct command_line *line)
{
    struct machines on = { .n = 0 };
    for (int c = 0; c < core_count(); c++) {
        const struct core *core = core_at(c);
        if (line->core != NULL ? core != line->core : core->mca_cpu == NULL)
            continue;
        on.core[on.n] = core;
        on.pipeline[on.n++] = pipeline_new(core, line->pairs);
    }
    return on;
}

enum status run_cost(struct command_line *line)
{
    struct compilation c = { 0 };
    struct text out = { 0 };
    struct machines on;
    const char *file, *kernel;
    int loops = 0;

    take_kernel(line, &file, &kernel);
    line->compile.whole = true;
    const enum status status = compile_source(&c, line, file);
    if (status != STATUS_DONE)
        return status;
    on = machines_for(line);
    for (int m = 0; m < c.modules.n; m++) {
        const struct loop_list list = loops_of(c.modules.at[m], kernel);
        loops += list.at.n;
        if (line->form == FORM_MCA)
            print_regions(&out, &list);
        else if (line->form == FORM_LINES)
            print_lines(&out, &on, &list);
        else if (list.at.n > 0) {
            text_format(&out, "%s\n\n", c.modules.at[m]->module->name);
            print_tables(&out, &on, &list);
        }
    }
    if (loops == 0)
        return usage_error("there is no kernel '%s'", kernel != NULL ? kernel : "");
    return print_text(&out);
}
