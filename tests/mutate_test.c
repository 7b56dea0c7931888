/* mutate_test.c: every single-instruction change of emitted code is noticed.
 *
 * Takes the emitted text of each kernel, read back; makes mutants of every line
 * of it, one change each: a wrong register, operands exchanged, an instruction
 * dropped, a wrong immediate, a wrong condition, a branch to elsewhere, the flags
 * lost, neighbours that depend on each other exchanged. The proof of the kernel,
 * kept (harness/kept_proof.h), must find a difference in each.
 *
 * A mutant may compute the same (a pointer moved on that nothing reads any more,
 * a guard that another one implies, a register cleared that held no secret).
 * What survives is proved again, with counts three times as large; what survives
 * that too is equal to its source, and is listed. Few may be.
 *
 * KGEN_MUTANTS=N changes every N-th line only. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/kept_proof.h"
#include "lang/ast.h"
#include "suites.h"
#include "target/row.h"
#include "tool/compile.h"
#include "verify/module.h"

enum { LEAST_MUTANTS = 2000, DEEPER = 3, MOST_EQUAL_PERCENT = 2, MOST_TERMS = 300000 };

/* A mutant that the usual cases do not tell from the original: one line of it, or two. */
struct survivor { int line, changed; struct decoded becomes[2]; };

struct mutation {
    struct emitted *text;
    struct kept_proof proof;
    struct mem_mark before_proof;
    struct mach_func *code;
    const struct func *source;
    VEC(struct survivor) survivors;
    int made, same, seen;       /* mutants; those that compute the same; lines looked at */
    int stride;                 /* every stride-th line is changed */
};

static char *line_text(const struct decoded *d)
{
    struct text t = { 0 };
    insn_print(&t, &d->insn);
    for (size_t i = 0; i < t.n; i++)
        t.at[i] = t.at[i] == '\t' ? ' ' : t.at[i];
    return t.at;
}

static void begin_proof(struct mutation *m, int depth)
{
    m->proof = kept_proof_of(m->source, m->text, function_symbol(m->code), depth);
}

/* Tries the mutant that the text now is in lines `at` to `at + changed - 1`. */
static void try_mutant(struct mutation *m, int at, int changed)
{
    struct mem_mark mark = mem_mark();
    bool differs = kept_proof_differs(&m->proof, m->text, at, at + changed - 1);
    mem_release_to(mark);
    m->made++;
    if (!differs) {
        struct survivor s = { .line = at, .changed = changed };
        for (int i = 0; i < changed; i++)
            s.becomes[i] = m->text->code.lines.at[at + i];
        vec_push(&m->survivors, s);
    }
}

static void try_changed(struct mutation *m, int at, const struct phys_insn *changed)
{
    struct decoded *d = &m->text->code.lines.at[at];
    if (insn_complaint(changed))
        return;                 /* no assembler would take it */
    struct decoded original = *d;
    d->insn = *changed;
    if (strcmp(line_text(&original), line_text(d)) != 0)
        try_mutant(m, at, 1);
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
    try_mutant(m, at, 1);
    *d = original;
}

/* A branch goes to the next label instead, or to the one before. */
static void wrong_target(struct mutation *m, int at)
{
    const struct code *code = &m->text->code;
    struct decoded *d = &m->text->code.lines.at[at], original = *d;
    if (d->target < 0 || (row_of(d)->flags & IS_CALL))
        return;
    int next = -1, before = -1;
    for (int i = 0; i < code->labels.n; i++) {
        int line = code->labels.at[i].line;
        if (line > original.target && (next < 0 || line < next))
            next = line;
        if (line < original.target && line > before)
            before = line;
    }
    for (int i = 0; i < 2; i++) {
        d->target = i ? before : next;
        if (d->target >= 0)
            try_mutant(m, at, 1);
    }
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
    try_mutant(m, at, 2);
    *a = first;
    *b = second;
}

static void mutate_line(struct mutation *m, int at)
{
    dropped(m, at);
    swapped_neighbours(m, at);
    wrong_target(m, at);
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

/* -- what survives -- */

/* "'nop'", "'b.ne .L7' to line 30", "exchanged with 'add x1, x2, x3'". */
static void describe(struct text *out, const struct mutation *m, const struct survivor *s)
{
    const struct decoded *was = &m->text->code.lines.at[s->line];
    if (s->changed == 2) {
        text_format(out, "exchanged with '%s'", line_text(was + 1));
        return;
    }
    text_format(out, "'%s'", line_text(&s->becomes[0]));
    if (s->becomes[0].target != was->target && s->becomes[0].target >= 0)
        text_format(out, " to line %u", m->text->code.lines.at[s->becomes[0].target].line);
}

static bool survives_deeply(struct mutation *m, const struct survivor *s)
{
    struct decoded *at = &m->text->code.lines.at[s->line], original[2] = { at[0], at[s->changed - 1] };
    struct mem_mark mark = mem_mark();
    memcpy(at, s->becomes, sizeof *at * (size_t)s->changed);
    bool differs = kept_proof_differs(&m->proof, m->text, s->line, s->line + s->changed - 1);
    memcpy(at, original, sizeof *at * (size_t)s->changed);
    mem_release_to(mark);
    return !differs;
}

/* Proves each survivor with larger counts; those of one line are listed together. */
static void try_survivors(struct mutation *m)
{
    if (m->survivors.n > 0)
        begin_proof(m, DEEPER);
    int line = -1;
    for (int i = 0; i < m->survivors.n; i++) {
        const struct survivor *s = &m->survivors.at[i];
        const struct decoded *was = &m->text->code.lines.at[s->line];
        struct text what = { 0 };
        if (!survives_deeply(m, s))
            continue;
        describe(&what, m, s);
        if (s->line != line)
            printf("%s%s, line %u: '%s' may be ", line < 0 ? "" : "\n", m->proof.label, was->line,
                   line_text(was));
        printf("%s%s", s->line != line ? "" : ", ", what.at);
        line = s->line;
        m->same++;
    }
    if (line >= 0)
        printf("\n");
}

/* -- kernels -- */

/* The code behind a chain of conditions of which one holds always: nothing else. */
static void count_unreached(struct mutation *m, int at)
{
    const struct decoded *d = &m->text->code.lines.at[at];
    printf("%s, line %u: '%s' is reached in no case\n", m->proof.label, d->line, line_text(d));
    ck_assert(row_of(d)->flags & IS_RETURN);
}

static void mutate_function(struct mutation *total, struct emitted *text, struct mach_func *f,
                            int start, int end)
{
    struct mutation *m = total;
    struct mem_mark mark = mem_mark();
    m->text = text;
    m->code = f;
    m->source = source_of(f);
    m->survivors.n = m->survivors.cap = 0;
    begin_proof(m, 1);
    for (int at = start; at < end; at++) {
        if (!kept_proof_reaches(&m->proof, at))
            count_unreached(m, at);
        else if (m->seen++ % m->stride == 0)
            mutate_line(m, at);
        if (term_count() > MOST_TERMS)
            begin_proof(m, 1);
    }
    try_survivors(m);
    mem_release_to(mark);
}

static void mutate_module(struct mutation *total, const struct code_module *module)
{
    const struct target *linux = target_find("linux");
    struct text file = { 0 };
    emit_module(&file, module, linux, style_find("plain"));
    struct emitted text = text_read(file.at, file.n);
    ck_assert_msg(!text.complaint, "line %u: %s", text.line, text.complaint);
    for (int i = 0; i < module->funcs.n; i++) {
        struct mach_func *f = module->funcs.at[i];
        int start = code_find(&text.code, function_symbol(f));
        int made = total->made, same = total->same;
        clock_t begin = clock();
        if (f->func->kind != FN_EXPORT)
            continue;
        mutate_function(total, &text, f, start, function_end(&text, module, start));
        if (getenv("KGEN_VERBOSE"))
            printf("%s: %d mutants, %d compute the same, %.1f s\n", f->name, total->made - made,
                   total->same - same, (double)(clock() - begin) / CLOCKS_PER_SEC);
    }
}

START_TEST(every_mutant_is_caught)
{
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    const char *stride = getenv("KGEN_MUTANTS");
    struct mutation total = { .stride = stride && atoi(stride) > 1 ? atoi(stride) : 1 };
    vec_push(&o.targets, target_find("linux"));
    diag_reset();
    ck_assert(compile_program(&c, parse_file("kernels.def"), &o));
    for (int i = 0; i < c.modules.n; i++)
        mutate_module(&total, c.modules.at[i]);
    printf("mutants: %d made, %d caught, %d compute the same\n", total.made, total.made - total.same,
           total.same);
    ck_assert_int_le(total.same * 100, total.made * MOST_EQUAL_PERCENT);
    ck_assert_int_ge(total.made, total.stride == 1 ? LEAST_MUTANTS : 1);
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
