/* module.c: see module.h. */
#include "verify/module.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "verify/prove.h"
#include "verify/review.h"
#include "verify/same.h"

static bool read_back(const struct code_module *m, const struct module_text *file, struct emitted *out)
{
    *out = text_read(file->text->at, file->text->n);
    out->packs_arguments = target_packs_arguments(file->target);
    if (!out->complaint)
        return true;
    error_at(m->module->loc, RULE_NOT_EQUAL, "%s:%" PRIu32 ": cannot be read back: %s", file->name,
             out->line, out->complaint);
    return false;
}

/* The emitted tables are the source's, byte for byte. */
static bool check_tables(const struct code_module *m, const struct module_text *file,
                         const struct emitted *text)
{
    for (int i = 0; i < m->module->tables.n; i++) {
        const struct object *o = m->module->tables.at[i];
        if (o->table_offset + o->size > (uint64_t)text->bytes.n ||
            memcmp(text->bytes.at + o->table_offset, o->bytes, o->size) != 0) {
            error_at(o->loc, RULE_NOT_EQUAL, "%s: the bytes of table '%s' are not those of its definition",
                     file->name, o->name);
            return false;
        }
    }
    return true;
}

const struct func *source_of(const struct mach_func *f)
{
    const struct module *m = f->func->module;
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->name == f->func->name)
            return m->funcs.at[i];
    assert(0 && "compiled code has a source");
    return NULL;
}

static void report_line(struct text *report, const char *name, const struct func *source,
                        const struct proof *p)
{
    if (!report)
        return;
    text_format(report, "%s: equal to its source, constant-time and in bounds in %d cases", name,
                p->cases);
    if (p->longest)
        text_format(report, ", counts to %" PRIu64, p->longest);
    if (p->partitions > 1)
        text_format(report, ", %d ways to share arrays", p->partitions);
    if (p->prefixes)
        text_format(report, ", %d prefixes of huge counts", p->prefixes);
    if (p->ways)
        text_format(report, ", %d more ways through public values", p->ways);
    if (p->is_sampled)
        text_add(report, ", a public value of many bits only for a few of its values");
    text_format(report, " (%" PRIu64 " instructions, %d terms)\n", p->steps, p->terms);
    review_declassified(report, source);
}

static void report_difference(const struct mach_func *f, const struct module_text *file,
                              const char *label, const struct proof *p)
{
    error_at(f->func->loc, RULE_NOT_EQUAL, "%s: '%s' is not what its source says: %s", file->name,
             label, p->difference);
    if (p->source && p->emitted) {
        note_at((struct loc){ 0 }, "there, the source has %s", p->source);
        note_at((struct loc){ 0 }, "and the emitted code %s", p->emitted);
    }
    if (p->is_doubtful)
        note_at((struct loc){ 0 }, "no value that was tried tells them apart: they may be equal in a way "
                "that is not known here");
}

/* One file on trial. */
struct hearing {
    const struct module_text *file;
    const struct emitted *text;
    uint8_t *covered;           /* by line of the text: did it run in some case? */
    bool names_file;            /* in the report, too */
    struct text *report;
};

/* The functions that one source gave, together. */
static bool verify_source(const struct hearing *h, const struct mach_func *const *funcs, int count)
{
    const char **labels = NEW_ARRAY(const char *, count);
    struct proof *proofs = NEW_ARRAY(struct proof, count);
    bool all = true;
    for (int i = 0; i < count; i++)
        labels[i] = target_symbol(h->file->target, funcs[i]);
    prove_variants(source_of(funcs[0]), h->text, labels, count, proofs);
    for (int i = 0; i < count; i++) {
        const char *name = funcs[i]->name;
        if (proofs[i].difference)
            report_difference(funcs[i], h->file, labels[i], &proofs[i]);
        else
            report_line(h->report, h->names_file ? mem_format("%s in %s", name, h->file->name) : name,
                        source_of(funcs[i]), &proofs[i]);
        all &= proofs[i].difference == NULL;
        for (int k = 0; k < h->text->code.lines.n; k++)
            h->covered[k] |= proofs[i].covered[k];
    }
    return all;
}

typedef VEC(const struct mach_func *) mach_list;

/* Every function of the list; variants stand beside each other in it. */
static bool verify_list(const struct hearing *h, const mach_list *list)
{
    bool all = true;
    for (int i = 0, n; i < list->n; i += n) {
        for (n = 1; i + n < list->n && source_of(list->at[i + n]) == source_of(list->at[i]); n++)
            ;
        all &= verify_source(h, &list->at[i], n);
    }
    return all;
}

/* Instructions that ran in no case of any function: nothing is proved of them. */
static void report_unreached(const struct hearing *h)
{
    struct text lines = { 0 };
    int n = 0;
    for (int k = 0; k < h->text->code.lines.n; k++)
        if (!h->covered[k])
            text_format(&lines, "%s%" PRIu32, n++ ? ", " : "", h->text->code.lines.at[k].line);
    if (h->report && n > 0)
        text_format(h->report, "%s: no case reaches the instruction%s in line%s %s\n", h->file->name,
                    n > 1 ? "s" : "", n > 1 ? "s" : "", lines.at);
}

static struct hearing hear(const struct module_text *file, const struct emitted *text,
                           struct text *report)
{
    return (struct hearing){ .file = file, .text = text, .report = report,
                             .covered = NEW_ARRAY(uint8_t, text->code.lines.n + 1) };
}

/* What is the same code as in the first file is proved there; the rest (where a
 * platform passes arguments or makes frames in a way of its own) here. */
static bool verify_other(const struct code_module *m, const struct module_text *files, int which,
                         const struct emitted *first, const struct emitted *other,
                         struct text *report)
{
    const struct module_text *file = &files[which];
    mach_list different = { 0 };
    if (!same_tables(first, other)) {
        error_at(m->module->loc, RULE_NOT_EQUAL, "%s: the read-only data are not those of %s",
                 file->name, files[0].name);
        return false;
    }
    for (int i = 0; i < m->funcs.n && !same_code(first, other); i++) {
        const struct mach_func *f = m->funcs.at[i];
        if (f->func->kind == FN_EXPORT &&
            !same_function(first, target_symbol(files[0].target, f), other,
                           target_symbol(file->target, f)))
            vec_push(&different, f);
    }
    struct hearing h = hear(file, other, report);
    h.names_file = true;
    return verify_list(&h, &different);
}

bool verify_module(const struct code_module *m, const struct module_text *texts, int count,
                   struct text *report)
{
    struct emitted first, other;
    if (count == 0)
        return true;
    if (!read_back(m, &texts[0], &first) || !check_tables(m, &texts[0], &first))
        return false;
    mach_list exports = { 0 };
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->func->kind == FN_EXPORT)
            vec_push(&exports, m->funcs.at[i]);
    struct hearing h = hear(&texts[0], &first, report);
    bool all = verify_list(&h, &exports);
    report_unreached(&h);
    for (int i = 1; i < count; i++) {
        const struct mem_mark mark = mem_mark();
        const int complaints = complaint_count();
        if (!read_back(m, &texts[i], &other))
            return false;
        all &= verify_other(m, texts, i, &first, &other, report);
        if (!report && complaint_count() == complaints)
            mem_release_to(mark);
    }
    return all;
}
