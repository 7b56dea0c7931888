/* mutate_test.c: every single-instruction change of emitted code is noticed.
 *
 * Takes the emitted text of each kernel, read back; makes mutants of it, one
 * change each: a wrong register, operands exchanged, an instruction dropped, a
 * wrong immediate, a wrong condition, the flags lost, neighbours that depend on
 * each other exchanged. prove_func() must find a difference in each.
 *
 * A run changes every so manieth line that USUAL_LINES come together, spread over
 * all kernels; KGEN_MUTANTS=all changes each line.
 *
 * A mutant may compute the same (a pointer moved on that nothing reads any more,
 * a guard that another one implies, a register cleared that held no secret).
 * What survives is proved again, with counts three times as large; what survives
 * that too is equal to its source, and is listed. Few may be. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "lang/ast.h"
#include "suites.h"
#include "target/row.h"
#include "tool/compile.h"
#include "verify/module.h"
#include "verify/prove.h"

enum { LEAST_MUTANTS = 2000, USUAL_LINES = 300, DEEPER = 3, MOST_EQUAL_PERCENT = 2 };

struct mutation {
    struct emitted *text;
    const struct func *func;
    const char *label;
    int made, same;
    int line, stride;           /* every stride-th line of all kernels is changed */
};

static char *line_text(const struct decoded *d)
{
    struct text t = { 0 };
    insn_print(&t, &d->insn);
    return t.at;
}

/* Proves the mutant that the text now is, and counts it. */
static void try_mutant(struct mutation *m, const struct decoded *before, const char *becomes)
{
    struct mem_mark mark = mem_mark();
    struct proof p = prove_func(m->func, m->text, m->label);
    m->made++;
    if (!p.difference)
        p = prove_func_deeply(m->func, m->text, m->label, DEEPER);
    if (!p.difference) {
        printf("%s: '%s' -> '%s' computes the same in %d cases\n", m->label, line_text(before), becomes,
               p.cases);
        m->same++;
    }
    mem_release_to(mark);
}

static void try_changed(struct mutation *m, int at, const struct phys_insn *changed)
{
    struct decoded *d = &m->text->code.lines.at[at];
    if (insn_complaint(changed))
        return;                 /* no assembler would take it */
    struct decoded original = *d;
    d->insn = *changed;
    char *becomes = line_text(d);
    if (strcmp(line_text(&original), becomes) != 0)
        try_mutant(m, &original, becomes);
    *d = original;
}

/* -- kinds of change -- */

static void wrong_registers(struct mutation *m, int at)
{
    static const int distance[] = { 1, 2, 7 };
    const struct phys_insn *insn = &m->text->code.lines.at[at].insn;
    const struct insn_row *row = &insns[insn->insn];
    for (int n = 0; n < row->operand_count * COUNT(distance); n++) {
        int which = n / COUNT(distance);
        enum operand_kind kind = (enum operand_kind)row->op[which].kind;
        struct phys_insn changed = *insn;
        if ((!operand_is_general(kind) && !operand_is_vector(kind)) || (row->flags & REGISTER_RUN))
            continue;
        changed.op[which].reg = (reg_number)((insn->op[which].reg + distance[n % COUNT(distance)]) % 31);
        try_changed(m, at, &changed);
    }
}

static void swapped_operands(struct mutation *m, int at)
{
    const struct phys_insn *insn = &m->text->code.lines.at[at].insn;
    const struct insn_row *row = &insns[insn->insn];
    for (int n = 0; n + 1 < row->operand_count; n++) {
        struct phys_insn changed = *insn;
        bool both_read = row->op[n].role == ROLE_USE && row->op[n + 1].role == ROLE_USE;
        if (!both_read || row->op[n].kind != row->op[n + 1].kind || (row->flags & COMMUTES))
            continue;
        changed.op[n] = insn->op[n + 1];
        changed.op[n + 1] = insn->op[n];
        try_changed(m, at, &changed);
    }
}

static void wrong_immediates(struct mutation *m, int at)
{
    const struct phys_insn *insn = &m->text->code.lines.at[at].insn;
    const struct insn_row *row = &insns[insn->insn];
    static const int64_t delta[] = { 1, -1, 8, -8, 16, -16 };
    for (int n = 0; n < row->operand_count; n++) {
        struct phys_insn changed = *insn;
        if (row->op[n].kind == OP_COND) {
            changed.op[n].imm ^= 1;
            try_changed(m, at, &changed);
        }
        for (int i = 0; row->op[n].kind == OP_IMM && i < COUNT(delta); i++) {
            changed.op[n].imm = insn->op[n].imm + delta[i];
            if (!imm_fits((enum imm_range)row->op[n].range, changed.op[n].imm))
                continue;
            try_changed(m, at, &changed);
            break;
        }
    }
}

/* adds -> add, adcs -> adc …: the row of the mnemonic without its s. */
static void lost_flags(struct mutation *m, int at)
{
    const struct phys_insn *insn = &m->text->code.lines.at[at].insn;
    const char *name = insns[insn->insn].name, *s = strchr(name, 's');
    if (!(insns[insn->insn].flags & WRITES_NZCV))
        return;
    for (; s; s = strchr(s + 1, 's')) {
        char *without = mem_format("%.*s%s", (int)(s - name), name, s + 1);
        for (int i = 1; i < INSN_COUNT; i++)
            if (strcmp(insns[i].name, without) == 0) {
                struct phys_insn changed = *insn;
                changed.insn = (enum insn)i;
                try_changed(m, at, &changed);
                return;
            }
    }
}

static bool touches_control(const struct decoded *d)
{
    return (row_of(d)->flags & (IS_BRANCH | IS_CALL | IS_RETURN)) != 0;
}

/* A dropped instruction becomes one that does nothing, so that lines keep their numbers. */
static void dropped(struct mutation *m, int at)
{
    struct decoded *d = &m->text->code.lines.at[at], original = *d;
    struct phys_insn nothing = { .insn = INSN_nop };
    if (row_of(d)->timing_class == TIME_HINT)
        return;
    d->insn = nothing;
    d->target = -1;
    try_mutant(m, &original, "nothing");
    *d = original;
}

static bool writes_operand_of(const struct decoded *a, const struct decoded *b)
{
    for (int i = 0; i < row_of(a)->operand_count; i++) {
        const struct operand_spec *x = &row_of(a)->op[i];
        if (x->role != ROLE_DEF && x->role != ROLE_TIED)
            continue;
        for (int k = 0; k < row_of(b)->operand_count; k++) {
            const struct operand_spec *y = &row_of(b)->op[k];
            bool same_file = operand_is_vector((enum operand_kind)x->kind) ==
                             operand_is_vector((enum operand_kind)y->kind);
            if (y->role != ROLE_NONE && same_file && a->insn.op[i].reg == b->insn.op[k].reg)
                return true;
        }
    }
    return false;
}

static bool is_label_between(const struct code *code, int line)
{
    for (int i = 0; i < code->labels.n; i++)
        if (code->labels.at[i].line == line)
            return true;
    return false;
}

static void swapped_neighbours(struct mutation *m, int at)
{
    struct code *code = &m->text->code;
    if (at + 1 >= code->lines.n || is_label_between(code, at + 1))
        return;
    struct decoded *a = &code->lines.at[at], *b = a + 1, first = *a, second = *b;
    if (touches_control(a) || touches_control(b) || !writes_operand_of(a, b))
        return;
    *a = second;
    *b = first;
    try_mutant(m, &first, mem_format("exchanged with '%s'", line_text(&second)));
    *a = first;
    *b = second;
}

static void mutate_line(struct mutation *m, int at)
{
    dropped(m, at);
    swapped_neighbours(m, at);
    if (touches_control(&m->text->code.lines.at[at]) && row_of(&m->text->code.lines.at[at])->operand_count == 0)
        return;
    wrong_registers(m, at);
    swapped_operands(m, at);
    wrong_immediates(m, at);
    lost_flags(m, at);
}

/* The lines of one function: from its label to the next export's or the end. */
static int function_end(const struct emitted *text, const struct code_module *module, int start)
{
    int end = text->code.lines.n;
    for (int i = 0; i < module->funcs.n; i++) {
        int line = code_find(&text->code, function_symbol(module->funcs.at[i]));
        if (line > start && line < end)
            end = line;
    }
    return end;
}

static void mutate_module(struct mutation *total, const struct code_module *module, struct emitted *text)
{
    for (int i = 0; i < module->funcs.n; i++) {
        const struct mach_func *f = module->funcs.at[i];
        int start = code_find(&text->code, function_symbol(f));
        if (f->func->kind != FN_EXPORT)
            continue;
        total->text = text;
        total->func = source_of(f);
        total->label = function_symbol(f);
        ck_assert_ptr_null(prove_func(total->func, text, total->label).difference);
        for (int at = start, end = function_end(text, module, start); at < end; at++)
            if (total->line++ % total->stride == 0)
                mutate_line(total, at);
    }
}

START_TEST(every_mutant_is_caught)
{
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    const char *which = getenv("KGEN_MUTANTS");
    bool all = which && strcmp(which, "all") == 0;
    struct mutation total = { .stride = 1 };
    vec_push(&o.targets, target_find("linux"));
    diag_reset();
    ck_assert(compile_program(&c, parse_file("kernels.def"), &o));
    struct emitted *texts = NEW_ARRAY(struct emitted, c.modules.n);
    int lines = 0;
    for (int i = 0; i < c.modules.n; i++) {
        struct text file = { 0 };
        emit_module(&file, c.modules.at[i], o.targets.at[0], o.style);
        texts[i] = text_read(file.at, file.n);
        ck_assert_msg(!texts[i].complaint, "line %u: %s", texts[i].line, texts[i].complaint);
        lines += texts[i].code.lines.n;
    }
    if (!all && lines > USUAL_LINES)
        total.stride = lines / USUAL_LINES;
    for (int i = 0; i < c.modules.n; i++)
        mutate_module(&total, c.modules.at[i], &texts[i]);
    printf("mutants: %d made, %d caught, %d compute the same\n", total.made, total.made - total.same,
           total.same);
    ck_assert_int_le(total.same * 100, total.made * MOST_EQUAL_PERCENT);
    ck_assert_int_ge(total.made, LEAST_MUTANTS);
}
END_TEST

Suite *mutate_suite(void)
{
    Suite *s = suite_create("mutate");
    TCase *t = tcase_create("mutants");
    tcase_set_timeout(t, 300);
    tcase_add_test(t, every_mutant_is_caught);
    suite_add_tcase(s, t);
    return s;
}
