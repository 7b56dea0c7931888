/* mean_test.c: what the executor thinks an instruction does, against an emulator.
 *
 * Every row, in several examples (random registers and immediates), on random
 * and edge operands: all registers, sp, NZCV, memory and whether a branch was
 * taken must agree with qemu. Calls, returns, addresses of symbols and hints
 * are run as small programs in exec_test.c.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "harness/row_runner.h"
#include "suites.h"
#include "verify/bytes.h"
#include "verify/exec.h"

enum { EXAMPLES_PER_ROW = 24 };

/* -- the executor's side -- */

static uint64_t window_of(int number)
{
    return WINDOW_BASE + (uint64_t)number * WINDOW_BYTES;
}

struct simulation {
    struct byte_domain bytes;
    struct machine machine;
};

static struct bits bits_64(uint64_t v) { return (struct bits){ { v, 0 } }; }

static void enter(struct simulation *s, const struct record *r)
{
    struct machine *m = &s->machine;
    byte_domain_drop_values(&s->bytes);
    for (int i = 0; i < COUNT(m->x); i++)
        m->x[i] = byte_value(&s->bytes, 64, bits_64(r->x[i]));
    for (int i = 0; i < COUNT(m->v); i++)
        m->v[i] = byte_value(&s->bytes, 128, (struct bits){ { r->v[i][0], r->v[i][1] } });
    for (int i = 0; i < FLAG_COUNT; i++)
        m->flag[i] = byte_value(&s->bytes, 1, bits_64(r->nzcv >> (31 - i) & 1));
    m->sp = byte_value(&s->bytes, 64, bits_64(r->sp));
}

static void leave(struct simulation *s, struct record *r)
{
    struct machine *m = &s->machine;
    for (int i = 0; i < COUNT(m->x); i++)
        r->x[i] = byte_bits(&s->bytes, m->x[i]).v[0];
    for (int i = 0; i < COUNT(m->v); i++)
        memcpy(r->v[i], byte_bits(&s->bytes, m->v[i]).v, sizeof r->v[i]);
    r->nzcv = 0;
    for (int i = 0; i < FLAG_COUNT; i++)
        r->nzcv |= byte_bits(&s->bytes, m->flag[i]).v[0] << (31 - i);
    r->sp = byte_bits(&s->bytes, m->sp).v[0];
}

/* Line 1 follows the instruction, line 2 is its label. */
static void simulate(struct simulation *s, const struct phys_insn *insn, struct record *r,
                     uint8_t *window, int number)
{
    s->bytes.regions.at[0].base = window_of(number);
    s->bytes.regions.at[0].bytes = window;
    enter(s, r);
    const struct decoded d = { *insn, 2, 0 };
    s->machine.next = 1;
    insns[insn->insn].meaning(&s->machine, &d);
    /* no ck_assert() here: Check logs each of millions */
    if (s->machine.fault != NULL || s->bytes.domain.fault != NULL)
        ck_abort_msg("%s: %s", insns[insn->insn].name,
                     s->machine.fault != NULL ? s->machine.fault : s->bytes.domain.fault);
    leave(s, r);
    r->taken = s->machine.next == 2;
}

/* -- the comparison -- */

static const char *shown(const struct phys_insn *insn)
{
    struct text t = { 0 };
    insn_print(&t, insn);
    return t.at;
}

static void compare(const struct phys_insn *insn, const struct record *before,
                    const struct record *ours, const struct record *theirs)
{
    if (memcmp(ours, theirs, sizeof *ours) == 0)
        return;
    struct text t = { 0 };
    text_format(&t, "%s: '%s', nzcv %llx before\n", insns[insn->insn].name, shown(insn),
                (unsigned long long)before->nzcv >> 28);
    const uint64_t *b = (const void *)before, *o = (const void *)ours, *e = (const void *)theirs;
    for (size_t i = 0; i < sizeof *ours / 8; i++)
        if (o[i] != e[i] || b[i] != e[i])
            text_format(&t, "word %zu: before %016llx executor %016llx emulator %016llx%s\n", i,
                        (unsigned long long)b[i], (unsigned long long)o[i],
                        (unsigned long long)e[i], o[i] == e[i] ? "" : " !");
    for (int i = 0; i < insns[insn->insn].operand_count; i++)
        if (operand_is_vector(insns[insn->insn].op[i].kind))
            text_format(&t, "v%d = %016llx %016llx\n", insn->op[i].reg,
                        (unsigned long long)before->v[insn->op[i].reg][0],
                        (unsigned long long)before->v[insn->op[i].reg][1]);
    ck_abort_msg("%s", t.at);
}

static void run_example(struct dice *dice, struct row_runner *runner, int n, struct simulation *s,
                        const struct record *operands)
{
    static struct record before[RECORDS], ours[RECORDS];
    static uint8_t windows[RECORDS][WINDOW_BYTES];
    const struct phys_insn *insn = &runner->insns.at[n];
    memcpy(before, operands, sizeof before);
    for (int i = 0; i < RECORDS && insn_is_memory(insn); i++)
        record_aim(dice, insn, &before[i], window_of(i));
    memcpy(runner->shared->records, before, sizeof before);
    memcpy(windows, runner->shared->windows, sizeof windows);
    row_runner_run(runner, n);
    memcpy(ours, before, sizeof before);
    for (int i = 0; i < RECORDS; i++) {
        simulate(s, insn, &ours[i], windows[i], i);
        runner->shared->records[i].taken = runner->shared->records[i].taken != 0;
        compare(insn, &before[i], &ours[i], &runner->shared->records[i]);
    }
    ck_assert_msg(memcmp(windows, runner->shared->windows, sizeof windows) == 0, "%s: '%s': memory differs",
                  insns[insn->insn].name, shown(insn));
}

static struct row_runner *runner_of_all_rows(struct dice *dice)
{
    VEC(struct phys_insn) list = { 0 };
    for (int row = 1; row < INSN_COUNT; row++)
        for (int i = 0; i < EXAMPLES_PER_ROW && row_runs_alone(&insns[row]); i++)
            vec_push(&list, roll_runnable(dice, (enum insn)row));
    return row_runner_new(list.at, list.n);
}

START_TEST(every_row_agrees_with_the_emulator)
{
    struct dice dice = { 5 };
    struct row_runner *runner = runner_of_all_rows(&dice);
    struct simulation s = { 0 };
    byte_domain_init(&s.bytes);
    byte_domain_add(&s.bytes, "window", WINDOW_BASE, WINDOW_BYTES, BYTES_READ_WRITE, NULL);
    s.machine.domain = &s.bytes.domain;
    for (int i = 0; i < RECORDS; i++)
        for (int k = 0; k < WINDOW_BYTES; k++)
            runner->shared->windows[i][k] = (uint8_t)(roll(&dice) >> 20);
    static struct record operands[RECORDS];
    for (int n = 0; n < runner->insns.n; n++) {
        if (n % EXAMPLES_PER_ROW == 0)
            for (int i = 0; i < RECORDS; i++)
                roll_record(&dice, &operands[i]);
        run_example(&dice, runner, n, &s, operands);
    }
    row_runner_free(runner);
}
END_TEST

Suite *mean_suite(void)
{
    Suite *suite = suite_create("meanings");
    TCase *rows = tcase_create("rows");
    tcase_set_timeout(rows, 120);
    tcase_add_test(rows, every_row_agrees_with_the_emulator);
    suite_add_tcase(suite, rows);
    return suite;
}
