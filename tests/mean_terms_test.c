/* mean_terms_test.c: the meanings over terms against the meanings over bytes.
 *
 * Every row runs on a machine whose registers are symbols, or constants now
 * and then, so that folding is met, too. Each term carries its value under
 * sample inputs; the byte domain run on those samples must give the same
 * registers, flags and memory. The bytes themselves are checked by mean_test.c.
 */
#include <check.h>
#include <string.h>

#include "harness/record.h"
#include "suites.h"
#include "verify/bytes.h"
#include "verify/term_domain.h"
#include "verify/exec.h"

enum { EXAMPLES_PER_ROW = 12 };
#define WINDOW 0x10000u

/* No ck_assert() in what runs a million times: Check logs each of them. */

struct both {
    struct term_domain terms;
    struct machine symbolic, entry;
    struct byte_domain bytes;
    struct machine concrete;
};

/* Branches and divisions need known values. */
static bool needs_constants(const struct phys_insn *insn)
{
    return (insns[insn->insn].flags & IS_BRANCH) != 0 || insns[insn->insn].timing_class == TIME_DIV;
}

static bool is_address(const struct phys_insn *insn, int reg)
{
    const struct insn_row *row = &insns[insn->insn];
    if (!insn_is_memory(insn))
        return false;
    for (int i = 0; i < row->operand_count; i++)
        if (operand_is_general(row->op[i].kind) && insn->op[i].reg == reg)
            return true;
    return false;
}

static val symbol_or(struct dice *dice, int width, struct bits constant, bool must_be_constant)
{
    if (must_be_constant || roll_below(dice, 4) == 0)
        return term_constant(width, constant);
    return term_input(width, "r", term_count(), INPUT_SECRET);      /* a new one */
}

static void enter_symbolic(struct dice *dice, struct both *b, const struct phys_insn *insn,
                           const struct record *r)
{
    bool all = needs_constants(insn);
    struct machine *m = &b->symbolic;
    for (int i = 0; i < COUNT(m->x); i++)
        m->x[i] = symbol_or(dice, 64, (struct bits){ { r->x[i], 0 } }, all || is_address(insn, i));
    for (int i = 0; i < COUNT(m->v); i++)
        m->v[i] = symbol_or(dice, 128, (struct bits){ { r->v[i][0], r->v[i][1] } }, all);
    for (int i = 0; i < FLAG_COUNT; i++)
        m->flag[i] = symbol_or(dice, 1, (struct bits){ { r->nzcv >> (31 - i) & 1, 0 } }, all);
    m->sp = symbol_or(dice, 64, (struct bits){ { r->sp, 0 } }, true);
    b->entry = *m;
}

/* -- the same, with the values of one sample -- */

static struct bits sample(val term, int i) { return term_get(term)->sample[i]; }

static void enter_concrete(struct both *b, int i)
{
    struct machine *m = &b->concrete;
    for (int n = 0; n < COUNT(m->x); n++)
        m->x[n] = byte_value(&b->bytes, 64, sample(b->entry.x[n], i));
    for (int n = 0; n < COUNT(m->v); n++)
        m->v[n] = byte_value(&b->bytes, 128, sample(b->entry.v[n], i));
    for (int n = 0; n < FLAG_COUNT; n++)
        m->flag[n] = byte_value(&b->bytes, 1, sample(b->entry.flag[n], i));
    m->sp = byte_value(&b->bytes, 64, sample(b->entry.sp, i));
}

static void expect_same(const struct both *b, val term, val concrete, int i, int width,
                        const struct phys_insn *insn)
{
    struct text t = { 0 };
    if (term_get(term)->width == width
        && bits_equal(sample(term, i), byte_bits(&b->bytes, concrete)))
        return;
    insn_print(&t, insn);
    text_add(&t, ": ");
    term_print(&t, term, 4);
    ck_abort_msg("%s: %s", insns[insn->insn].name, t.at);
}

static void compare(const struct both *b, const struct phys_insn *insn, int i)
{
    const struct machine *s = &b->symbolic, *c = &b->concrete;
    for (int n = 0; n < COUNT(s->x); n++)
        expect_same(b, s->x[n], c->x[n], i, 64, insn);
    for (int n = 0; n < COUNT(s->v); n++)
        expect_same(b, s->v[n], c->v[n], i, 128, insn);
    for (int n = 0; n < FLAG_COUNT; n++)
        expect_same(b, s->flag[n], c->flag[n], i, 1, insn);
    expect_same(b, s->sp, c->sp, i, 64, insn);
    if (s->next != c->next)
        ck_abort_msg("%s: branches differ", insns[insn->insn].name);
    const struct region *cells = &b->terms.memory->regions.at[0];
    for (int n = 0; n < WINDOW_BYTES; n++)
        if (sample(cell_value(cells_at(cells, (uint64_t)n)), i).v[0] != b->bytes.regions.at[0].bytes[n])
            ck_abort_msg("%s: memory differs", insns[insn->insn].name);
}

static void run_row(struct machine *m, const struct phys_insn *insn)
{
    const struct decoded d = { *insn, 2, 0 };
    m->next = 1;
    m->fault = NULL;
    insns[insn->insn].meaning(m, &d);
    if (m->fault != NULL || m->domain->fault != NULL)
        ck_abort_msg("%s: %s", insns[insn->insn].name,
                     m->fault != NULL ? m->fault : m->domain->fault);
}

/* Memory: one symbol for each 16 bytes. */
static void fill_window(struct both *b, val *contents)
{
    cells_add(b->terms.memory, "window", WINDOW, WINDOW_BYTES, REGION_READ | REGION_WRITE);
    for (int i = 0; i < WINDOW_BYTES / 16; i++) {
        contents[i] = term_input(128, "m", i, INPUT_SECRET);
        cells_set(b->terms.memory, WINDOW + 16u * (uint64_t)i, 16, contents[i]);
    }
}

static void run_example(struct dice *dice, enum insn row)
{
    static struct both b;
    static struct cells memory;
    struct record record;
    struct phys_insn insn = roll_runnable(dice, row);
    val contents[WINDOW_BYTES / 16];
    roll_record(dice, &record);
    if (insn_is_memory(&insn))
        record_aim(dice, &insn, &record, WINDOW);
    memset(&b, 0, sizeof b);
    memset(&memory, 0, sizeof memory);
    term_domain_init(&b.terms, &memory, NULL);
    b.symbolic.domain = &b.terms.domain;
    fill_window(&b, contents);
    enter_symbolic(dice, &b, &insn, &record);
    run_row(&b.symbolic, &insn);
    byte_domain_init(&b.bytes);
    b.concrete.domain = &b.bytes.domain;
    byte_domain_add(&b.bytes, "window", WINDOW, WINDOW_BYTES, BYTES_READ_WRITE, NULL);
    for (int i = 0; i < SAMPLES; i++) {
        for (int k = 0; k < WINDOW_BYTES; k++)
            b.bytes.regions.at[0].bytes[k] = (uint8_t)(sample(contents[k / 16], i).v[k % 16 / 8]
                                                       >> 8 * (k % 8));
        enter_concrete(&b, i);
        run_row(&b.concrete, &insn);
        compare(&b, &insn, i);
    }
}

START_TEST(every_row_means_the_same_over_terms)
{
    struct dice dice = { 11 };
    for (int row = 1; row < INSN_COUNT; row++) {
        if (row % 64 == 1) {
            mem_release();
            term_reset();
        }
        for (int i = 0; i < EXAMPLES_PER_ROW && row_runs_alone(&insns[row]); i++)
            run_example(&dice, (enum insn)row);
    }
}
END_TEST

Suite *mean_terms_suite(void)
{
    Suite *suite = suite_create("meanings over terms");
    TCase *rows = tcase_create("rows");
    tcase_set_timeout(rows, 120);
    tcase_add_test(rows, every_row_means_the_same_over_terms);
    suite_add_tcase(suite, rows);
    return suite;
}
