/* modulo_test.c: loops that are ordered as something that repeats.
 *
 * Small kernels with one loop: the bound of the interval, the edges across
 * iterations, what becomes of the loop's blocks, and that the emitted text of a
 * pipelined loop still computes what it should for few and many iterations, run
 * by the executor on every core's order. Machine code of random programs with
 * random tunes is run by random_test.c.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "code/modulo.h"
#include "lang/parse.h"
#include "suites.h"
#include "tool/compile.h"
#include "verify/module.h"

static void end_run(void)
{
    mem_release();
    diag_reset();
}

/* The loop of the only kernel, as selection and pairing leave it. */
static struct loop_graph *graph_for(const char *text, const char *core)
{
    diag_reset();
    struct program *p = check_program(parse_text("k.def", text, strlen(text)));
    if (error_count() != 0)
        ck_abort_msg("%s", diag_messages()->at);
    struct func *source = p->modules.at[0]->funcs.at[0];
    struct mach_func *f = select_func(ir_from_func(source, &source->variants[0]), core_find(core));
    pair_accesses(f);
    for (int k = 0; k < f->blocks.n; k++) {
        struct loop_graph *g = loop_graph_of(f, f->blocks.at[k], liveness_of(f));
        if (g != NULL)
            return g;
    }
    return NULL;
}

static int bound(const char *text, const char *core) { return graph_for(text, core)->bound; }

/* -- the interval's bound -- */

static const char one_chain[] =
    "module \"t\";\n"
    "export fn f(r: inout u8x16[1], k: in u8x16[1], n: u64) {\n"
    "    var a = r[0]; let key = k[0];\n"
    "    for i in 0..n { a = (tbl(tbl(a ^ key, key) ^ key, key) ^ tbl(a, key)) + key; }\n"
    "    r[0] = a;\n"
    "}\n";

START_TEST(resources_and_recurrences_bound_the_interval)
{
    struct loop_graph *g = graph_for(one_chain, "cortex-a53");

    ck_assert_ptr_nonnull(g);
    /* eor, tbl, eor, tbl, eor, add: six that take six cycles each. One more makes
     * seven on the one port there is for them. */
    ck_assert_int_eq(recurrence_interval(g, 0), 3600);
    ck_assert_int_eq(recurrence_interval(g, 3500), 3600);
    ck_assert_int_eq(recurrence_interval(g, 3700), 3700);
    ck_assert_int_eq(resource_interval(g, core_find("cortex-a53"), PAIRS_JOINED), 700);
    ck_assert_int_eq(g->bound, 3600);
    /* Two cycles for each of the six. */
    ck_assert_int_eq(bound(one_chain, "neoverse-v2"), 1200);
}
END_TEST

/* -- memory across iterations -- */

static bool stores_before_next_load(const char *text)
{
    struct loop_graph *g = graph_for(text, "cortex-a53");
    ck_assert_ptr_nonnull(g);
    for (int k = 0; k < g->edge.n; k++) {
        const struct loop_edge *e = &g->edge.at[k];
        if (e->distance == 1 && (insns[g->node[e->from].insn->insn].flags & IS_STORE) != 0
            && (insns[g->node[e->to].insn->insn].flags & IS_LOAD) != 0)
            return true;
    }
    return false;
}

/* Each iteration has its own element, of an array that may be the same. */
START_TEST(elements_of_different_iterations_are_apart)
{
    ck_assert(!stores_before_next_load(
        "module \"t\";\n"
        "export fn f(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) {\n"
        "    for i in 0..n { r[i] = (a[i] ^ (a[i] << 3)) + (b[i] ^ (b[i] >> 5)) * 7; }\n"
        "}\n"));
}
END_TEST

START_TEST(what_the_next_iteration_reads_is_written_before)
{
    ck_assert(stores_before_next_load(
        "module \"t\";\n"
        "export fn f(r: inout u64[n + 1], n: u64) {\n"
        "    for i in 0..n { r[i + 1] = ((r[i] ^ (r[i] << 3)) + (r[i] >> 5)) * 7; }\n"
        "}\n"));
    ck_assert(stores_before_next_load(
        "module \"t\";\n"
        "export fn f(r: inout u64[2], a: in u64[n], n: u64) {\n"
        "    for i in 0..n { r[0] = (r[1] ^ (a[i] << 3)) + a[i]; r[1] = (r[0] ^ a[i]) * 7; }\n"
        "}\n"));
}
END_TEST

/* -- what becomes of a loop -- */

static const char woven[] =
    "module \"t\";\n"
    "export fn f(r: inout u8x16[3], k: in u8x16[n], n: u64) {\n"
    "    var a = r[0]; var b = r[1]; var c = r[2];\n"
    "    for i in 0..n {\n"
    "        let t = k[i];\n"
    "        a = tbl(tbl(t, a & 15) ^ (a >> 4), tbl(t, a)) ^ a;\n"
    "        b = tbl(tbl(t, b & 15) ^ (b >> 4), tbl(t, b)) ^ b;\n"
    "        c = tbl(tbl(t, c & 15) ^ (c >> 4), tbl(t, c)) ^ c;\n"
    "    }\n"
    "    r[0] = a; r[1] = b; r[2] = c;\n"
    "}\n";

static const char add_words[] =
    "module \"t\";\n"
    "export fn f(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) -> u64 {\n"
    "    var c: carry = 0;\n"
    "    for i in 0..n unroll 4, 1 { r[i], c = a[i] + b[i] + c; }\n"
    "    return c as u64;\n"
    "}\n";

static const char running[] =
    "module \"t\";\n"
    "export fn f(r: inout u64[n + 1], n: u64) -> u64 {\n"
    "    var s: u64 = 1;\n"
    "    for i in 0..n {\n"
    "        r[i + 1] = ((r[i] ^ (r[i] << 3)) + (s >> 5)) * 7;\n"
    "        s = s * 5 + r[i + 1];\n"
    "    }\n"
    "    return s;\n"
    "}\n";

static struct mach_func *scheduled_for(const char *text, const char *core)
{
    struct mach_func *f = graph_for(text, core)->f;
    schedule_func(f);
    mach_check(f);
    return f;
}

static const struct mach_block *ordered_loop(const struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->ordered != NULL)
            return f->blocks.at[k];
    return NULL;
}

static int length(const struct mach_block *b)
{
    int n = 0;
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next)
        n++;
    return n;
}

/* What runs late in the kernel stands once more in front of it or behind it. */
START_TEST(a_pipelined_loop_has_a_prologue_and_an_epilogue)
{
    struct mach_func *f = scheduled_for(woven, "cortex-a53");
    const struct mach_block *kernel = ordered_loop(f);
    int all = 0;

    ck_assert_ptr_nonnull(kernel);
    ck_assert_int_gt(kernel->ordered->late, 0);
    ck_assert_int_ge(kernel->ordered->interval, kernel->ordered->bound);
    for (int k = 0; k < f->blocks.n; k++)
        all += length(f->blocks.at[k]);
    ck_assert_int_ge(all, 2 * (length(kernel) - 2));
    ck_assert_int_eq(kernel->preds.n, 2);
}
END_TEST

/* Where the code should stay small, and where that is all the same to the core. */
START_TEST(the_default_keeps_one_stage)
{
    static const char *const cores[] = { "generic", "cortex-a72" };

    for (int k = 0; k < COUNT(cores); k++) {
        const struct mach_block *kernel = ordered_loop(scheduled_for(woven, cores[k]));
        ck_assert(kernel == NULL || kernel->ordered->late == 0);
        end_run();
    }
}
END_TEST

/* -- what it computes -- */

static struct text compiled(const char *source, const char *core, int effort, bool *proved)
{
    struct compile_options o = { .style = style_find("plain"), .core = core_find(core),
                                 .effort = effort };
    struct compilation c = { 0 };
    vec_push(&o.targets, target_at(0));
    diag_reset();
    ck_assert(compile_program(&c, parse_text("k.def", source, strlen(source)), &o));
    const struct module_text *texts = compile_texts(c.modules.at[0], &o);
    *proved = verify_module(c.modules.at[0], texts, 1, NULL);
    return *texts[0].text;
}

/* Proved from the text: for no iteration, one, two, three and more. */
START_TEST(every_order_is_proved)
{
    static const char *const sources[] = { woven, add_words, running, one_chain };

    for (int k = 0; k < core_count(); k++) {
        bool proved;
        compiled(sources[_i], core_at(k)->name, 1, &proved);
        ck_assert_msg(proved, "%s", core_at(k)->name);
        end_run();
    }
}
END_TEST

START_TEST(more_effort_is_no_worse_and_the_same_every_time)
{
    static const int efforts[] = { 1, 8 };
    int interval = INT32_MAX;

    for (int k = 0; k < COUNT(efforts); k++) {
        schedule_start(efforts[k]);
        const struct mach_block *kernel = ordered_loop(scheduled_for(woven, "cortex-a55"));
        ck_assert_int_le(kernel->ordered->interval, interval);
        interval = kernel->ordered->interval;
        bool proved;
        char *once = strdup(compiled(woven, "cortex-a55", efforts[k], &proved).at);
        end_run();
        ck_assert_str_eq(once, compiled(woven, "cortex-a55", efforts[k], &proved).at);
        free(once);
        end_run();
    }
    schedule_start(1);
}
END_TEST

/* -- loops that are the same -- */

START_TEST(the_same_loop_takes_over_what_was_found)
{
    schedule_start(1);
    struct loop_graph *g = graph_for(one_chain, "cortex-a53");
    struct kernel found = kernel_new(g), recalled = kernel_new(g);

    for (int p = 0; p < g->n; p++)
        found.at[p] = p;
    ck_assert(!kernel_recall(g, 1, &recalled));
    kernel_remember(g, 1, &found);
    g = graph_for(one_chain, "cortex-a53");
    ck_assert(kernel_recall(g, 1, &recalled));
    ck_assert_mem_eq(recalled.at, found.at, sizeof *found.at * (size_t)g->n);

    ck_assert(!kernel_recall(g, 2, &recalled));
    ck_assert(!kernel_recall(graph_for(one_chain, "cortex-a55"), 1, &recalled));
    ck_assert(!kernel_recall(graph_for(running, "cortex-a53"), 1, &recalled));
    schedule_start(1);
    ck_assert(!kernel_recall(g, 1, &recalled));
}
END_TEST

START_TEST(an_order_is_not_taken_over_without_registers_for_it)
{
    schedule_start(1);
    struct loop_graph *g = graph_for(one_chain, "cortex-a53");
    struct kernel k = kernel_new(g);

    for (int p = 0; p < g->n; p++)
        k.at[p] = p;
    kernel_remember(g, 1, &k);
    g->held[CLASS_VECTOR] += 4;
    ck_assert(kernel_recall(g, 1, &k));
    g->held[CLASS_VECTOR] = 32;
    ck_assert(!kernel_recall(g, 1, &k));
}
END_TEST

Suite *modulo_suite(void)
{
    Suite *s = suite_create("modulo");
    TCase *t = tcase_create("loops");

    tcase_add_checked_fixture(t, NULL, end_run);
    tcase_add_test(t, resources_and_recurrences_bound_the_interval);
    tcase_add_test(t, elements_of_different_iterations_are_apart);
    tcase_add_test(t, what_the_next_iteration_reads_is_written_before);
    tcase_add_test(t, a_pipelined_loop_has_a_prologue_and_an_epilogue);
    tcase_add_test(t, the_default_keeps_one_stage);
    tcase_add_loop_test(t, every_order_is_proved, 0, 4);
    tcase_add_test(t, more_effort_is_no_worse_and_the_same_every_time);
    tcase_add_test(t, the_same_loop_takes_over_what_was_found);
    tcase_add_test(t, an_order_is_not_taken_over_without_registers_for_it);
    suite_add_tcase(s, t);
    return s;
}
