/* core_test.c: the core tables against what llvm-mca says of single instructions.
 *
 * bench/llvm22-instructions.tsv has, for each core, the micro-operations, latency and
 * reciprocal throughput of many instructions. The tables must say the same of each,
 * and each that stands in an output must be among them.
 */
#include <check.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "suites.h"

enum { CORES = 6, LEAST_ROWS = 600 };

static const char *const core_names[CORES] = {
    "cortex-a53", "cortex-a55", "cortex-a72", "neoverse-n1", "neoverse-v2", "apple-m1",
};

struct said { int uops, latency, throughput; };     /* throughput: hundredths of a cycle */

static bool compared[INSN_COUNT];
static struct said said[INSN_COUNT][CORES];

static enum insn row_named(const char *name)
{
    for (int i = 1; i < INSN_COUNT; i++)
        if (strcmp(insns[i].name, name) == 0)
            return (enum insn)i;
    return INSN_NONE;
}

static void read_line(char *line)
{
    const enum insn insn = row_named(strtok(line, "\t"));
    ck_assert_msg(insn != INSN_NONE, "%s", line);
    strtok(NULL, "\t");
    for (int c = 0; c < CORES; c++) {
        int whole, part;
        struct said *s = &said[insn][c];
        const char *figures = strtok(NULL, "\t\n");
        ck_assert_ptr_nonnull(figures);
        ck_assert_int_eq(sscanf(figures, "%d/%d/%d.%d", &s->uops, &s->latency, &whole, &part), 4);
        s->throughput = 100 * whole + part;
    }
    compared[insn] = true;
}

static void read_facts(void)
{
    FILE *file = fopen("bench/llvm22-instructions.tsv", "r");
    char line[512];
    int rows = 0;
    ck_assert_ptr_nonnull(file);
    while (fgets(line, sizeof line, file) != NULL)
        if (line[0] != '#' && strncmp(line, "row\t", 4) != 0) {
            read_line(line);
            rows++;
        }
    fclose(file);
    ck_assert_int_ge(rows, LEAST_ROWS);
}

/* Rounded as it is printed. */
static int busy(int cycles, uint32_t ports)
{
    const int n = __builtin_popcount(ports);
    return n == 0 ? 0 : (100 * cycles + n / 2) / n;
}

static struct said tables_say(const struct core *core, enum insn insn)
{
    const struct timing *t = core_timing(core, insn);
    struct said s = { t->uops, t->latency, busy(t->busy, t->ports) };
    if (t->second_latency > s.latency)
        s.latency = t->second_latency;
    for (int k = 0; k < CORE_MAX_USES - 1; k++)
        if (busy(t->also[k].busy, t->also[k].ports) > s.throughput)
            s.throughput = busy(t->also[k].busy, t->also[k].ports);
    if ((insns[insn].flags & BASE_WRITEBACK) != 0) {
        const struct writeback w = core_writeback(core, t);
        s.uops += w.uops;
        if (w.latency > s.latency)
            s.latency = w.latency;
        if (busy(w.busy, w.ports) > s.throughput)
            s.throughput = busy(w.busy, w.ports);
    }
    if (s.throughput == 0)
        s.throughput = (100 * s.uops + core->issue_width / 2) / core->issue_width;
    return s;
}

START_TEST(tables_say_what_llvm_says)
{
    const struct core *core = core_find(core_names[_i]);
    read_facts();
    for (int i = 1; i < INSN_COUNT; i++) {
        const struct said *l = &said[i][_i];
        if (!compared[i])
            continue;
        const struct said ours = tables_say(core, (enum insn)i);
        ck_assert_msg(ours.uops == l->uops && ours.latency == l->latency
                          && ours.throughput == l->throughput,
                      "%s, %s: %d/%d/%d, LLVM %d/%d/%d", core->name, insns[i].name, ours.uops,
                      ours.latency, ours.throughput, l->uops, l->latency, l->throughput);
    }
}
END_TEST

static void expect_compared(const char *path)
{
    FILE *file = fopen(path, "r");
    char line[512];
    int read = 0;
    ck_assert_msg(file != NULL, "%s", path);
    while (fgets(line, sizeof line, file) != NULL) {
        struct phys_insn insn;
        line[strcspn(line, "\n")] = '\0';
        char *comment = strstr(line, "//");
        if (comment != NULL)
            *comment = '\0';
        for (size_t n = strlen(line); n > 0 && line[n - 1] <= ' '; n--)
            line[n - 1] = '\0';
        if (line[0] != '\t' || line[1] == '.' || line[1] == '\0')
            continue;
        if (insn_read(line + 1, &insn) != NULL)
            continue;
        read++;
        ck_assert_msg(compared[insn.insn] || insns[insn.insn].timing_class == TIME_HINT,
                      "no row of bench/llvm22-instructions.tsv: %s", line + 1);
    }
    fclose(file);
    ck_assert_int_gt(read, 50);
}

START_TEST(every_instruction_of_the_outputs_is_compared)
{
    glob_t outputs;
    read_facts();
    ck_assert_int_eq(glob("out/*-linux.S", 0, NULL, &outputs), 0);
    for (size_t k = 0; k < outputs.gl_pathc; k++)
        expect_compared(outputs.gl_pathv[k]);
    globfree(&outputs);
}
END_TEST

Suite *core_suite(void)
{
    Suite *suite = suite_create("core");
    TCase *t = tcase_create("core");
    tcase_add_loop_test(t, tables_say_what_llvm_says, 0, CORES);
    tcase_add_test(t, every_instruction_of_the_outputs_is_compared);
    suite_add_tcase(suite, t);
    return suite;
}
