/* pipeline_test.c: the pipeline model against llvm-mca 22, and against itself.
 *
 * Short loops that show one thing each, with the cycles that llvm-mca-22 counts for
 * 100 turns on each core (-mtriple=aarch64 -mattr=+aes,+sha2,+sha3 -iterations=100),
 * recorded here. The loops of the modules are compared by tests/bench_test.sh.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "code/build.h"
#include "code/pipeline.h"
#include "suites.h"

enum { TURNS = 100, MOST = 16, CORES = 6 };

static const char *const core_names[CORES] = {
    "cortex-a53", "cortex-a55", "cortex-a72", "neoverse-n1", "neoverse-v2", "apple-m1",
};

static void end_run(void) { mem_release(); }

/* -- from text -- */

static struct mach_operand operand(struct mach_func *f, const struct phys_insn *i, int k)
{
    const enum operand_kind kind = (enum operand_kind)insns[i->insn].op[k].kind;
    if (operand_is_general(kind))
        return op_reg(vreg_fixed(f, CLASS_GENERAL, i->op[k].reg));
    if (operand_is_vector(kind))
        return op_reg(vreg_fixed(f, CLASS_VECTOR, i->op[k].reg));
    return op_imm(i->op[k].imm);
}

static int read_code(const char *text, struct mach_insn *code[MOST])
{
    struct mach_func *f = NEW(struct mach_func);
    int n = 0;
    for (char *line = strtok(mem_string(text), "\n"); line != NULL; line = strtok(NULL, "\n")) {
        struct phys_insn phys;
        struct mach_operand op[MAX_OPERANDS];
        const char *wrong = insn_read(line, &phys);
        ck_assert_msg(wrong == NULL && n < MOST, "%s", line);
        const int operands = insns[phys.insn].operand_count;
        for (int k = 0; k < operands; k++)
            op[k] = operand(f, &phys, k);
        code[n++] = insn_new(phys.insn, op, operands);
    }
    return n;
}

static struct pipeline *loaded(const char *core, bool fused, const char *text, int *n)
{
    struct mach_insn *code[MOST];
    struct pipeline *p = pipeline_new(core_find(core), fused);
    *n = read_code(text, code);
    pipeline_load(p, code, *n);
    return p;
}

static int cycles_on(const char *core, bool fused, const char *text)
{
    int n;
    struct pipeline *p = loaded(core, fused, text, &n);
    return pipeline_run(p, NULL, n, TURNS, NULL);
}

/* -- what llvm-mca counts -- */

static const struct { const char *shows, *code; int cycles[CORES]; } loops[] = {
    { "integer results are forwarded",
      "add\tx0, x0, x9\nadd\tx0, x0, x9",
      { 203, 203, 203, 203, 203, 403 } },
    { "a shifted operand is needed earlier",
      "add\tx0, x9, x0, lsl #3",
      { 202, 202, 203, 103, 103, 203 } },
    { "flags are not forwarded",
      "adcs\tx0, x9, x8\nadcs\tx1, x9, x8",
      { 601, 601, 203, 203, 203, 203 } },
    { "loads to an address",
      "add\tx0, x0, #8\nldr\tx0, [x0]",
      { 701, 601, 503, 503, 503, 503 } },
    { "results are written in order",
      "eor\tv0.16b, v1.16b, v2.16b\nadd\tx0, x9, #1\ncbnz\tx9, .L0",
      { 502, 301, 105, 104, 54, 54 } },
    { "an updated base waits for what is older",
      "ldr\tx1, [x0], #8\neor\tv0.16b, v1.16b, v2.16b",
      { 701, 301, 106, 106, 106, 106 } },
    { "a store retires early",
      "mul\tx1, x8, x9\nstr\tx8, [x7]",
      { 104, 104, 107, 304, 54, 107 } },
    { "wide vector operations begin a cycle",
      "ushr\tv0.16b, v8.16b, #4\ntbl\tv1.16b, {v8.16b}, v9.16b\nushr\tv2.16b, v8.16b, #4\ntbl\tv3.16b, {v8.16b}, v9.16b",
      { 406, 603, 408, 204, 138, 138 } },
    { "table look-ups keep ports busy",
      "tbl\tv0.16b, {v8.16b}, v9.16b\ntbl\tv1.16b, {v8.16b}, v9.16b\neor\tv2.16b, v8.16b, v9.16b",
      { 306, 501, 356, 154, 104, 104 } },
    { "aese and aesmc",
      "aese\tv0.16b, v9.16b\naesmc\tv0.16b, v0.16b",
      { 1201, 801, 403, 403, 403, 403 } },
    { "independent AES",
      "aese\tv0.16b, v9.16b\naesmc\tv0.16b, v0.16b\naese\tv1.16b, v9.16b\naesmc\tv1.16b, v1.16b\naese\tv2.16b, v9.16b\naesmc\tv2.16b, v2.16b\naese\tv3.16b, v9.16b\naesmc\tv3.16b, v3.16b",
      { 2806, 2004, 805, 804, 404, 804 } },
    { "an accumulator comes late",
      "madd\tx0, x9, x8, x0",
      { 203, 203, 305, 403, 104, 503 } },
    { "pairs of loads",
      "ldp\tx1, x2, [x0]\nldp\tq1, q2, [x0, #32]\nstp\tq3, q4, [x7]",
      { 504, 801, 406, 408, 158, 206 } },
    { "more micro-operations than slots",
      "ldp\tx1, x2, [x0], #16\nadd\tx3, x8, x9",
      { 401, 501, 205, 205, 106, 106 } },
    { "a chain beside much work",
      "eor\tv0.16b, v0.16b, v9.16b\nadd\tv1.4s, v8.4s, v9.4s\nadd\tv2.4s, v8.4s, v9.4s\nadd\tv3.4s, v8.4s, v9.4s\nadd\tv4.4s, v8.4s, v9.4s\next\tv5.16b, v8.16b, v9.16b, #8",
      { 606, 802, 305, 304, 203, 204 } },
    { "counting down",
      "sub\tx0, x0, #1\ncbnz\tx0, .L0",
      { 302, 302, 104, 104, 104, 103 } },
};

START_TEST(cycles_are_those_of_llvm_mca)
{
    for (int c = 0; c < CORES; c++) {
        const int cycles = cycles_on(core_names[c], false, loops[_i].code);
        ck_assert_msg(cycles == loops[_i].cycles[c], "%s, %s: %d, not %d", loops[_i].shows,
                      core_names[c], cycles, loops[_i].cycles[c]);
    }
}
END_TEST

/* -- what it does not know -- */

static const char four_pairs[] =
    "aese\tv0.16b, v9.16b\naesmc\tv0.16b, v0.16b\naese\tv1.16b, v9.16b\naesmc\tv1.16b, v1.16b\n"
    "aese\tv2.16b, v9.16b\naesmc\tv2.16b, v2.16b\naese\tv3.16b, v9.16b\naesmc\tv3.16b, v3.16b";

START_TEST(a_joined_pair_takes_the_port_of_one)
{
    for (int c = 0; c < CORES; c++)
        ck_assert_int_lt(cycles_on(core_names[c], true, four_pairs),
                         cycles_on(core_names[c], false, four_pairs) * 3 / 4);
}
END_TEST

START_TEST(a_pair_apart_is_not_joined)
{
    const char *apart = "aese\tv0.16b, v9.16b\nadd\tx1, x2, x3\naesmc\tv0.16b, v0.16b";
    const char *moved = "aese\tv0.16b, v9.16b\naesmc\tv1.16b, v0.16b\nadd\tx1, x2, x3";
    for (int c = 0; c < CORES; c++) {
        ck_assert_int_eq(cycles_on(core_names[c], true, apart), cycles_on(core_names[c], false, apart));
        ck_assert_int_eq(cycles_on(core_names[c], true, moved), cycles_on(core_names[c], false, moved));
    }
}
END_TEST

/* -- against itself -- */

START_TEST(one_instruction_after_the_other_is_a_run)
{
    for (int c = 0; c < CORES && core_find(core_names[c])->in_order; c++) {
        struct pipeline_event events[MOST];
        int n, first = 0;
        struct pipeline *p = loaded(core_names[c], false, loops[_i].code, &n);
        struct pipeline_state *s = mem_alloc(pipeline_state_size(p));
        pipeline_run(p, NULL, n, 1, events);
        pipeline_start(p, s);
        for (int k = 0; k < n; k++) {
            const int earliest = pipeline_earliest(p, s, k);
            ck_assert_int_eq(pipeline_issue(p, s, k), earliest);
            if (k == 0)
                first = earliest;
            ck_assert_int_eq(earliest - first, events[k].cycle);
        }
    }
}
END_TEST

START_TEST(no_loop_is_faster_than_its_bound)
{
    for (int c = 0; c < CORES; c++) {
        int n;
        struct pipeline *p = loaded(core_names[c], false, loops[_i].code, &n);
        const struct pipeline_bound b = pipeline_bound(p, NULL, n);
        const int interval = pipeline_interval(p, NULL, n, TURNS);
        ck_assert_int_ge(interval + 1, b.ports);
        ck_assert_int_ge(interval + 1, b.slots);
        ck_assert_int_ge(interval + 1, b.recurrence);
        ck_assert_int_ge(interval + 1, b.write_back);
    }
}
END_TEST

static struct pipeline_bound bound_of(const char *core, bool fused, const char *text)
{
    int n;
    struct pipeline *p = loaded(core, fused, text, &n);
    return pipeline_bound(p, NULL, n);
}

START_TEST(a_load_beside_vector_code_costs_it_a_cycle_in_order)
{
    static const char code[] =
        "eor\tv0.16b, v8.16b, v9.16b\neor\tv1.16b, v8.16b, v9.16b\nldr\tq2, [x0]";

    ck_assert_int_eq(bound_of("cortex-a53", false, code).ports, 200);
    ck_assert_int_eq(bound_of("cortex-a53", false, code).write_back, 300);
    /* Out of order nothing waits to be written. */
    ck_assert_int_eq(bound_of("cortex-a72", false, code).write_back, 0);
}
END_TEST

START_TEST(a_chain_of_long_and_short_leaves_cycles_empty)
{
    /* On Cortex-A55 aese takes 4, eor 1: two cycles between them. */
    const struct pipeline_bound b =
        bound_of("cortex-a55", false, "aese\tv0.16b, v9.16b\neor\tv0.16b, v0.16b, v8.16b");

    ck_assert_int_eq(b.ports, 200);
    ck_assert_int_eq(b.write_back, 400);
}
END_TEST

START_TEST(who_reads_an_operand_comes_before_what_writes_over_it)
{
    /* v1 is read by the eor, which waits for v2, before the aese destroys it. */
    const struct pipeline_bound b = bound_of(
        "cortex-a53", false,
        "eor\tv2.16b, v2.16b, v1.16b\naese\tv1.16b, v9.16b\neor\tv2.16b, v2.16b, v8.16b");

    ck_assert_int_eq(b.recurrence, 1200);
    ck_assert_int_eq(bound_of("cortex-a53", false,
                              "eor\tv2.16b, v2.16b, v1.16b\naese\tv1.16b, v2.16b").recurrence,
                     1200);
}
END_TEST

START_TEST(a_chain_goes_through_a_joined_pair)
{
    static const char code[] = "eor\tv0.16b, v0.16b, v8.16b\naese\tv0.16b, v9.16b\n"
                               "aesmc\tv0.16b, v0.16b";

    ck_assert_int_eq(bound_of("cortex-a53", true, code).recurrence, 1200);
    ck_assert_int_eq(bound_of("cortex-a53", false, code).recurrence, 1800);
}
END_TEST

START_TEST(events_say_what_was_waited_for)
{
    struct pipeline_event events[MOST];
    int n;
    struct pipeline *p = loaded("cortex-a53", false,
                                "ldr\tx1, [x0]\nadd\tx2, x1, x3\nadd\tx4, x3, x3", &n);
    pipeline_run(p, NULL, n, 1, events);
    ck_assert_int_eq(events[1].wait, WAIT_OPERAND);
    ck_assert_int_eq(events[1].on, 0);
    ck_assert_int_eq(events[1].cycle, 4);
    ck_assert_int_eq(events[2].cycle, 4);
    p = loaded("cortex-a53", false, "eor\tv0.16b, v1.16b, v2.16b\nadd\tx2, x1, x3", &n);
    pipeline_run(p, NULL, n, 1, events);
    ck_assert_int_eq(events[1].wait, WAIT_WRITE_BACK);
    p = loaded("neoverse-n1", false, "aese\tv0.16b, v9.16b\naese\tv1.16b, v9.16b", &n);
    pipeline_run(p, NULL, n, 1, events);
    ck_assert_int_eq(events[1].wait, WAIT_PORT);
    ck_assert_str_eq(core_find("neoverse-n1")->port_names[events[1].port], "VEC0");
}
END_TEST

START_TEST(an_order_is_an_argument)
{
    static const int order[] = { 0, 2, 1, 3 };
    int n;
    struct pipeline *p = loaded("cortex-a53", false,
                                "ldr\tx1, [x0]\nadd\tx2, x1, x3\n"
                                "ldr\tx4, [x0]\nadd\tx5, x4, x3", &n);
    const int as_loaded = pipeline_run(p, NULL, n, TURNS, NULL);
    ck_assert_int_lt(pipeline_run(p, order, n, TURNS, NULL), as_loaded);
    ck_assert_int_eq(pipeline_run(p, NULL, n, TURNS, NULL), as_loaded);
}
END_TEST

Suite *pipeline_suite(void)
{
    const int n = sizeof loops / sizeof *loops;
    Suite *suite = suite_create("pipeline");
    TCase *t = tcase_create("pipeline");
    tcase_add_checked_fixture(t, NULL, end_run);
    tcase_add_loop_test(t, cycles_are_those_of_llvm_mca, 0, n);
    tcase_add_test(t, a_joined_pair_takes_the_port_of_one);
    tcase_add_test(t, a_pair_apart_is_not_joined);
    tcase_add_loop_test(t, one_instruction_after_the_other_is_a_run, 0, n);
    tcase_add_loop_test(t, no_loop_is_faster_than_its_bound, 0, n);
    tcase_add_test(t, a_load_beside_vector_code_costs_it_a_cycle_in_order);
    tcase_add_test(t, a_chain_of_long_and_short_leaves_cycles_empty);
    tcase_add_test(t, who_reads_an_operand_comes_before_what_writes_over_it);
    tcase_add_test(t, a_chain_goes_through_a_joined_pair);
    tcase_add_test(t, events_say_what_was_waited_for);
    tcase_add_test(t, an_order_is_an_argument);
    suite_add_tcase(suite, t);
    return suite;
}
