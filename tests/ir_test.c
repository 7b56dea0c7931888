/* ir_test.c: shape/ and ir/, by running what they make (harness/ir_eval.h).
 *
 * Sources are small kernels; each is checked, shaped, lowered and improved, and
 * then interpreted on bytes and compared with plain C. Counts of executed
 * operations show that the loops have the form they should.
 */
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "harness/fips197.h"
#include "harness/ir_eval.h"
#include "harness/vpaes_schedule.h"
#include "ir/pass.h"
#include "suites.h"

enum { WORDS = 80 };

static void end_run(void)
{
    mem_release();
    diag_reset();
}

/* -- compiling -- */

static struct module *check_text(const char *text)
{
    struct program *p = check_program(parse_text("k.def", text, strlen(text)));

    if (error_count() != 0)
        ck_abort_msg("%s", diag_messages()->at);
    return p->modules.at[0];
}

static struct func *func_named(struct module *m, const char *name)
{
    for (int k = 0; k < m->funcs.n; k++)
        if (strcmp(m->funcs.at[k]->name, name) == 0)
            return m->funcs.at[k];
    ck_abort_msg("no function %s", name);
    return NULL;
}

static struct ir_func *compile(struct module *m, const char *name)
{
    for (int k = 0; k < m->funcs.n; k++)
        if (m->funcs.at[k]->kind == FN_LOCAL)
            ir_from_func(m->funcs.at[k], &m->funcs.at[k]->variants[0]);
    return ir_from_func(func_named(m, name), NULL);
}

/* The last function of a module. */
static struct ir_func *compile_text(const char *text)
{
    struct module *m = check_text(text);
    return compile(m, m->funcs.at[m->funcs.n - 1]->name);
}

static struct ir_word pointer(const void *p) { return (struct ir_word){ { (uint64_t)(uintptr_t)p,
                                                                         0 } }; }
static struct ir_word number(uint64_t n) { return (struct ir_word){ { n, 0 } }; }

static int count_ops(const struct ir_func *f, enum ir_op op, int least_depth)
{
    int n = 0;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next)
            n += i->op == op && f->blocks.at[k]->loop_depth >= least_depth;
    return n;
}

static int count_loops(const struct ir_func *f)
{
    int n = 0;
    for (int k = 0; k < f->blocks.n; k++)
        n += f->blocks.at[k]->loop == f->blocks.at[k];
    return n;
}

/* A sequence that is the same in every run. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

static void fill(uint64_t *words, int n, uint64_t seed)
{
    static const uint64_t edges[] = { 0, 1, (uint64_t)1 << 63, UINT64_MAX };
    for (int k = 0; k < n; k++) {
        uint64_t r = next_random(&seed);
        words[k] = r & 64 ? r : edges[r & 3];
    }
}

/* -- carries -- */

#define ADD_AND_SUB                                                                       \
    "module \"m\";\n"                                                                     \
    "export fn add(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) -> u64 {\n"         \
    "    var c: carry = 0;\n"                                                             \
    "    for i in 0..n unroll 8, 4, 1 { r[i], c = a[i] + b[i] + c; }\n"                   \
    "    return c as u64;\n"                                                              \
    "}\n"                                                                                 \
    "export fn sub(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) -> u64 {\n"         \
    "    var c: borrow = 0;\n"                                                            \
    "    for i in 0..n unroll 8, 4, 1 { r[i], c = a[i] - b[i] - c; }\n"                   \
    "    return c as u64;\n"                                                              \
    "}\n"

static uint64_t plain_sum(uint64_t *r, const uint64_t *a, const uint64_t *b, int n, bool subtract)
{
    unsigned c = 0;
    for (int k = 0; k < n; k++) {
        unsigned __int128 x = subtract ? (unsigned __int128)a[k] - b[k] - c
                                       : (unsigned __int128)a[k] + b[k] + c;
        r[k] = (uint64_t)x;
        c = (unsigned)(x >> 64) & 1;
    }
    return c;
}

START_TEST(carry_and_borrow_thread_through_every_length)
{
    struct module *m = check_text(ADD_AND_SUB);

    for (int subtract = 0; subtract < 2; subtract++) {
        struct ir_func *f = compile(m, subtract ? "sub" : "add");
        for (int n = 0; n <= 70; n++) {
            uint64_t a[WORDS], b[WORDS], r[WORDS] = { 0 }, expected[WORDS] = { 0 };
            fill(a, WORDS, 1 + (uint64_t)n);
            fill(b, WORDS, 1000 + (uint64_t)n);
            struct ir_word args[] = { pointer(r), pointer(a), pointer(b), number((uint64_t)n) };
            struct ir_run run = ir_eval(f, args, NULL);
            ck_assert_uint_eq(run.result, plain_sum(expected, a, b, n, subtract));
            ck_assert_mem_eq(r, expected, sizeof r);
        }
    }
}
END_TEST

START_TEST(in_place_sums_are_right)
{
    struct ir_func *f = compile(check_text(ADD_AND_SUB), "add");

    for (int which = 0; which < 3; which++) {
        uint64_t a[WORDS], b[WORDS], expected[WORDS];
        fill(a, WORDS, 5);
        fill(b, WORDS, 6);
        const uint64_t *right = which == 2 ? a : b;
        uint64_t carry = plain_sum(expected, a, right, 61, false);
        uint64_t *r = which == 1 ? b : a;
        struct ir_word args[] = { pointer(r), pointer(a), pointer(right), number(61) };
        ck_assert_uint_eq(ir_eval(f, args, NULL).result, carry);
        ck_assert_mem_eq(r, expected, 61 * sizeof *r);
    }
}
END_TEST

START_TEST(the_main_loop_takes_eight_limbs_and_the_carry_stays_a_flag)
{
    struct ir_func *f = compile(check_text(ADD_AND_SUB), "add");
    uint64_t a[64] = { 0 }, b[64] = { 0 }, r[64];
    struct ir_word args[] = { pointer(r), pointer(a), pointer(b), number(64) };
    struct ir_run run = ir_eval(f, args, NULL);

    ck_assert_int_eq(count_loops(f), 2);
    ck_assert_int_eq(run.executed[IR_adcs], 64);
    ck_assert_int_eq(run.executed[IR_load], 128);
    ck_assert_int_eq(run.executed[IR_store], 64);
    ck_assert_int_eq(run.executed[IR_add], 3 * 8);      /* one advance a pointer and pass */
    ck_assert_int_eq(run.executed[IR_sub], 8);
    ck_assert_int_eq(run.executed[IR_cset], 1);
    ck_assert_int_eq(run.branches, 1 + 8 + 1 + 1);
}
END_TEST

START_TEST(a_remainder_of_half_the_width_is_one_bit_test)
{
    struct ir_func *f = compile(check_text(ADD_AND_SUB), "add");
    int tests = 0;

    for (int k = 0; k < f->blocks.n; k++)
        tests += f->blocks.at[k]->term == IR_BRANCH && f->blocks.at[k]->cond == IR_BIT_SET;
    ck_assert_int_eq(tests, 1);
}
END_TEST

/* -- loops -- */

static void check_doubled(const char *text, int most)
{
    struct ir_func *f = compile_text(text);

    for (int n = 0; n <= most; n++) {
        uint64_t a[WORDS], r[WORDS] = { 0 };
        fill(a, WORDS, 77);
        struct ir_word args[] = { pointer(r), pointer(a), number((uint64_t)n) };
        ir_eval(f, args, NULL);
        for (int k = 0; k < WORDS; k++)
            ck_assert_uint_eq(r[k], k < n ? a[k] + a[k] + (uint64_t)k : 0);
    }
}

#define DOUBLED(loop)                                                                     \
    "module \"m\";\n"                                                                     \
    "export fn f(r: out u64[n], a: in u64[n], n: u64) {\n"                                \
    "    for i in 0..n " loop " { r[i] = a[i] + a[i] + i; }\n"                            \
    "}\n"

START_TEST(every_list_of_widths_means_the_same)
{
    check_doubled(DOUBLED(""), 20);
    check_doubled(DOUBLED("unroll 4, 1"), 20);
    check_doubled(DOUBLED("unroll 8, 2, 1"), 40);
    check_doubled(DOUBLED("unroll 3, 2, 1"), 20);
    check_doubled(DOUBLED("unroll 5, 1"), 20);
}
END_TEST

START_TEST(widths_that_are_no_powers_with_a_carry_use_division)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: out u64[n], a: in u64[n], n: u64) -> u64 {\n"
        "    var c: carry = 0;\n"
        "    for i in 0..n unroll 3, 2, 1 { r[i], c = a[i] + a[i] + c; }\n"
        "    return c as u64;\n"
        "}\n");

    for (int n = 0; n <= 20; n++) {
        uint64_t a[WORDS], r[WORDS], expected[WORDS];
        fill(a, WORDS, 3 + (uint64_t)n);
        struct ir_word args[] = { pointer(r), pointer(a), number((uint64_t)n) };
        ck_assert_uint_eq(ir_eval(f, args, NULL).result, plain_sum(expected, a, a, n, false));
        ck_assert_mem_eq(r, expected, (size_t)n * sizeof *r);
    }
    ck_assert_int_gt(count_ops(f, IR_udiv, 0), 0);
}
END_TEST

START_TEST(a_step_visits_every_kth_index)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: out u64[n], n: u64) {\n"
        "    for i in 0..n { r[i] = 0; }\n"
        "    for i in 0..n step 3 { r[i] = i + 1; }\n"
        "}\n");

    for (int n = 0; n <= 20; n++) {
        uint64_t r[WORDS];
        struct ir_word args[] = { pointer(r), number((uint64_t)n) };
        ir_eval(f, args, NULL);
        for (int k = 0; k < n; k++)
            ck_assert_uint_eq(r[k], k % 3 == 0 ? (uint64_t)k + 1 : 0);
    }
}
END_TEST

START_TEST(bounds_in_the_wrong_order_run_nothing)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: inout u64[1], lo: u64, hi: u64) {\n"
        "    for i in lo..hi { r[0] = r[0] + 1; }\n"
        "}\n");
    uint64_t r[1] = { 0 };
    struct ir_word args[] = { pointer(r), number(5), number(3) };

    ir_eval(f, args, NULL);
    ck_assert_uint_eq(r[0], 0);
    args[2] = number(9);
    ir_eval(f, args, NULL);
    ck_assert_uint_eq(r[0], 4);
}
END_TEST

START_TEST(a_short_loop_of_known_count_has_no_branch)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: out u64[4], a: in u64[4]) {\n"
        "    for i in 0..4 unroll 4 { r[i] = a[i]; }\n"
        "}\n");

    ck_assert_int_eq(f->blocks.n, 1);
    ck_assert_int_eq(count_ops(f, IR_store, 0), 4);
    ck_assert_int_eq(count_ops(f, IR_add, 0), 0);
}
END_TEST

START_TEST(nested_loops_and_while_and_return)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(a: in u64[n * 3], n: u64, most: u64) -> u64 {\n"
        "    var sum: u64 = 0;\n"
        "    var k: u64 = 0;\n"
        "    while k < 3 { k = k + 1; sum = sum + k; }\n"
        "    for i in 0..n {\n"
        "        for j in 0..3 { sum = sum + (declassify(a[i * 3 + j])); }\n"
        "        if i == most { return sum; }\n"
        "    }\n"
        "    return sum + 1000;\n"
        "}\n");
    uint64_t a[15];

    for (int k = 0; k < 15; k++)
        a[k] = (uint64_t)k;
    for (uint64_t most = 0; most < 6; most++) {
        uint64_t expected = 6;
        for (uint64_t k = 0; k < 15 && k < 3 * (most + 1); k++)
            expected += k;
        struct ir_word args[] = { pointer(a), number(5), number(most) };
        ck_assert_uint_eq(ir_eval(f, args, NULL).result, most < 5 ? expected : expected + 1000);
    }
}
END_TEST

/* -- weaving -- */

/* The same source with every loop that has widths woven instead of unrolled. */
static void weave_all(struct stmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == S_FOR && s->shape == LOOP_UNROLL)
            s->shape = LOOP_WEAVE;
        for (int k = 0; k < s->arm_count; k++)
            weave_all(s->arms[k].body);
        weave_all(s->body);
        weave_all(s->other);
    }
}

static struct ir_func *compile_woven(const char *text)
{
    struct module *m = check_text(text);
    weave_all(m->funcs.at[0]->body);
    return compile(m, m->funcs.at[0]->name);
}

/* A chained sum, an inner loop over a key, a uniform condition: every kind of
 * value that weaving tells apart. */
#define CHAINED(widths)                                                                   \
    "module \"m\";\n"                                                                     \
    "export fn f(r: out u64[n], a: in u64[n], n: u64, key: in u64[5], odd: u64) -> u64 {\n" \
    "    var last: u64 = 1;\n"                                                            \
    "    for i in 0..n unroll " widths " {\n"                                             \
    "        let x = a[i];\n"                                                             \
    "        var s: u64 = x ^ (i << 7);\n"                                                \
    "        for k in 0..5 { s = (s >>> 3) + key[k] + k; }\n"                             \
    "        if odd != 0 { s = ~s; }\n"                                                   \
    "        r[i] = s ^ last;\n"                                                          \
    "        last = x;\n"                                                                 \
    "    }\n"                                                                             \
    "    return last;\n"                                                                  \
    "}\n"

static uint64_t plain_chain(uint64_t *r, const uint64_t *a, int n, const uint64_t *key, bool odd)
{
    uint64_t last = 1;
    for (int i = 0; i < n; i++) {
        uint64_t s = a[i] ^ (uint64_t)i << 7;
        for (int k = 0; k < 5; k++)
            s = (s >> 3 | s << 61) + key[k] + (uint64_t)k;
        s = odd ? ~s : s;
        r[i] = s ^ last;
        last = a[i];
    }
    return last;
}

static void check_chain(struct ir_func *f)
{
    uint64_t key[5];

    fill(key, 5, 99);
    for (int n = 0; n <= 24; n++) {
        uint64_t a[WORDS], r[WORDS] = { 0 }, expected[WORDS] = { 0 };
        fill(a, WORDS, 9 + (uint64_t)n);
        struct ir_word args[] = { pointer(r), pointer(a), number((uint64_t)n), pointer(key),
                                  number((uint64_t)n % 2) };
        ck_assert_uint_eq(ir_eval(f, args, NULL).result, plain_chain(expected, a, n, key, n % 2));
        ck_assert_mem_eq(r, expected, sizeof r);
    }
}

START_TEST(woven_iterations_mean_the_sequential_loop)
{
    check_chain(compile_text(CHAINED("4, 2, 1")));
    check_chain(compile_woven(CHAINED("4, 2, 1")));
    check_chain(compile_woven(CHAINED("3, 2, 1")));
    check_chain(compile_woven(CHAINED("2, 1")));
    check_chain(compile_woven(CHAINED("5, 1")));
}
END_TEST

START_TEST(woven_iterations_share_inner_loops_and_uniform_loads)
{
    struct ir_func *apart = compile_text(CHAINED("4, 1"));
    struct ir_func *woven = compile_woven(CHAINED("4, 1"));
    uint64_t key[5] = { 0 }, a[4] = { 0 }, r[4];
    struct ir_word args[] = { pointer(r), pointer(a), number(4), pointer(key), number(0) };

    ck_assert_int_eq(ir_eval(apart, args, NULL).executed[IR_load], 4 + 4 * 5);
    ck_assert_int_eq(ir_eval(woven, args, NULL).executed[IR_load], 4 + 5);
    ck_assert_int_eq(ir_eval(woven, args, NULL).executed[IR_ror], 4 * 5);
}
END_TEST

/* -- improving -- */

START_TEST(constants_fold_and_equal_computations_are_made_once)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(n: u64) -> u64 {\n"
        "    let x = n / 4 * 4;\n"
        "    let y = (n + 3 + 5 - 8) * 8;\n"
        "    let z = (n ^ 0) * 4 * 2;\n"
        "    return (x ^ y ^ z) | 0;\n"
        "}\n");

    /* y and z are one value, and cancel */
    ck_assert_int_eq(count_ops(f, IR_and, 0), 1);
    ck_assert_int_eq(count_ops(f, IR_shl, 0) + count_ops(f, IR_mul, 0) + count_ops(f, IR_xor, 0), 0);
    struct ir_word args[] = { number(1239) };
    ck_assert_uint_eq(ir_eval(f, args, NULL).result, 1236);
}
END_TEST

START_TEST(a_condition_is_tested_once_on_a_path)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: out u64[2], n: u64) {\n"
        "    r[0] = 0;\n"
        "    r[1] = 0;\n"
        "    if n == 3 {\n"
        "        r[0] = 1;\n"
        "        if n == 3 { r[1] = 2; }\n"
        "        if n != 3 { r[1] = 3; }\n"
        "    }\n"
        "}\n");
    int branches = 0;

    for (int k = 0; k < f->blocks.n; k++)
        branches += f->blocks.at[k]->term == IR_BRANCH;
    ck_assert_int_eq(branches, 1);
}
END_TEST

START_TEST(a_load_is_repeated_only_after_a_store_that_may_touch_it)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: out u64[2], a: in u64[2]) {\n"
        "    r[0] = a[0] + a[1];\n"
        "    r[1] = a[1] + a[1];\n"
        "}\n");

    ck_assert_int_eq(count_ops(f, IR_load, 0), 2);
}
END_TEST

START_TEST(chains_of_xor_are_balanced)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(a: u64, b: u64, c: u64, d: u64) -> u64 {\n"
        "    let late = ((a * b) * c) * d;\n"
        "    return late ^ a ^ b ^ c;\n"
        "}\n");
    const struct ir_block *b = f->blocks.at[0];
    const struct ir_inst *last = b->results[0]->def;

    ck_assert_int_eq(count_ops(f, IR_xor, 0), 3);
    ck_assert_int_eq(last->op, IR_xor);
    ck_assert(last->args[0]->def->op == IR_mul || last->args[1]->def->op == IR_mul);
}
END_TEST

START_TEST(tables_are_read_once_before_the_loop)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "table t: u8x16[2] = [[static for n in 0..16: n], [static for n in 0..16: 15 - n]];\n"
        "export fn f(r: out u8x16[n], a: in u8x16[n], n: u64) {\n"
        "    for i in 0..n { r[i] = tbl(t[0], a[i] & 0x0f) ^ tbl(t[1], a[i] >> 4); }\n"
        "}\n");

    ck_assert_int_eq(count_ops(f, IR_load, 0), 3);
    ck_assert_int_eq(count_ops(f, IR_load, 1), 1);
    ck_assert_int_eq(count_ops(f, IR_table, 0), 1);
}
END_TEST

START_TEST(branches_that_read_one_table_share_the_load)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "table t: u8x16 = [static for n in 0..16: 15 - n];\n"
        "export fn f(r: out u8x16[n], a: in u8x16[n], n: u64) {\n"
        "    for i in 0..n unroll 4, 1 { r[i] = tbl(t, a[i]); }\n"
        "}\n");
    int of_tables = 0;

    for (int k = 0; k < f->blocks.n; k++)
        for (const struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next)
            of_tables += i->op == IR_load && i->mem.object->kind == OBJECT_TABLE;
    ck_assert_int_eq(count_loops(f), 2);
    ck_assert_int_eq(of_tables, 1);
}
END_TEST

#define ROUND_ROBIN(align)                                                                \
    "module \"m\";\n"                                                                     \
    "table t: u8x16[4] align " align " =\n"                                               \
    "    [static for r in 0..4: [static for n in 0..16: 16 * r + n]];\n"                  \
    "export fn f(r: out u8x16[n], n: u64) {\n"                                            \
    "    for i in 0..n { r[i] = t[i % 4] ^ 1; }\n"                                        \
    "}\n"

START_TEST(a_small_aligned_table_is_walked_by_a_pointer_that_wraps)
{
    static const char *const sources[] = { ROUND_ROBIN("128"), ROUND_ROBIN("64") };

    for (int wraps = 1; wraps >= 0; wraps--) {
        struct module *m = check_text(sources[!wraps]);
        struct ir_func *f = compile(m, "f");
        uint8_t r[9 * 16];
        struct ir_word args[] = { pointer(r), number(9) };
        struct ir_run run = ir_eval(f, args, ir_eval_tables(m));
        for (int k = 0; k < 9 * 16; k++)
            ck_assert_int_eq(r[k], (k % 64) ^ 1);
        /* with the pointer nothing needs i: a count is left, and no shift */
        ck_assert_int_eq(run.executed[IR_shl], wraps ? 0 : 9);
        ck_assert_int_eq(count_ops(f, IR_sub, 1), wraps ? 1 : 0);
    }
}
END_TEST

START_TEST(a_local_function_takes_its_tables_from_its_caller)
{
    struct module *m = check_text(
        "module \"m\";\n"
        "table t: u8x16 = [static for n in 0..16: 15 - n];\n"
        "local fn g(x: u8x16) -> u8x16 { return tbl(t, x & 0x0f); }\n"
        "export fn f(r: out u8x16[n], a: in u8x16[n], n: u64) {\n"
        "    for i in 0..n { r[i] = g(a[i]); }\n"
        "}\n");
    struct ir_func *f = compile(m, "f");

    ck_assert_int_eq(func_named(m, "g")->ir->lifted.n, 2);
    ck_assert_int_eq(count_ops(f, IR_load, 1), 1);
    uint8_t a[32], r[32];
    for (int k = 0; k < 32; k++)
        a[k] = (uint8_t)(k * 7);
    struct ir_word args[] = { pointer(r), pointer(a), number(2) };
    ir_eval(f, args, ir_eval_tables(m));
    for (int k = 0; k < 32; k++)
        ck_assert_int_eq(r[k], 15 - (a[k] & 15));
}
END_TEST

START_TEST(accesses_of_arrays_that_may_be_the_same_conflict_only_at_equal_indices)
{
    struct ir_func *f = compile_text(
        "module \"m\";\n"
        "export fn f(r: out u64[n], a: in u64[n], n: u64) {\n"
        "    for i in 0..n unroll 2, 1 { r[i] = a[i] + 1; }\n"
        "}\n");
    int conflicts = 0, pairs = 0;

    for (int k = 0; k < f->blocks.n; k++) {
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            for (struct ir_inst *j = f->blocks.at[k]->first; j; j = j->next) {
                if (i->op != IR_store || j->op != IR_load)
                    continue;
                pairs++;
                conflicts += ir_may_alias(f->func, &i->mem, &j->mem);
            }
        }
    }
    ck_assert_int_eq(pairs, 4 + 1);
    ck_assert_int_eq(conflicts, 2 + 1);
}
END_TEST

START_TEST(printing_is_stable)
{
    struct text first = { 0 }, second = { 0 };

    ir_print(&first, compile(check_text(ADD_AND_SUB), "add"));
    char *kept = strdup(first.at);
    end_run();
    ir_print(&second, compile(check_text(ADD_AND_SUB), "add"));
    ck_assert_str_eq(kept, second.at);
    free(kept);
}
END_TEST

/* -- a whole kernel -- */

START_TEST(vpaes_encrypts_as_fips_197_says)
{
    struct program *p = check_program(parse_file("kernels/vpaes.def"));
    uint8_t key[32], block[16], expected[16], schedule[AES_KEY_SIZE];

    if (error_count() != 0)
        ck_abort_msg("%s", diag_messages()->at);
    struct module *m = p->modules.at[0];
    struct ir_func *f = compile(m, "vpaes_encrypt");
    for (int k = 0; k < 32; k++)
        key[k] = (uint8_t)(k * 5 + 1);
    for (int nk = 4; nk <= 8; nk += 2) {
        for (int k = 0; k < 16; k++)
            block[k] = (uint8_t)(k * 17);
        fips197_encrypt(key, nk, block, expected);
        vpaes_schedule(key, nk, schedule);
        struct ir_word args[] = { pointer(block), pointer(block), pointer(schedule) };
        struct ir_run run = ir_eval(f, args, ir_eval_tables(m));
        ck_assert_mem_eq(block, expected, 16);
        /* 12 look-ups a round, 2 at the start, 8 at the end */
        ck_assert_int_eq(run.executed[IR_insn], 12 * (nk + 5) + 2 + 8);
    }
}
END_TEST

Suite *ir_suite(void)
{
    Suite *s = suite_create("ir");
    TCase *shapes = tcase_create("shapes"), *improving = tcase_create("improving");

    tcase_add_checked_fixture(shapes, NULL, end_run);
    tcase_add_checked_fixture(improving, NULL, end_run);
    tcase_add_test(shapes, carry_and_borrow_thread_through_every_length);
    tcase_add_test(shapes, in_place_sums_are_right);
    tcase_add_test(shapes, the_main_loop_takes_eight_limbs_and_the_carry_stays_a_flag);
    tcase_add_test(shapes, a_remainder_of_half_the_width_is_one_bit_test);
    tcase_add_test(shapes, every_list_of_widths_means_the_same);
    tcase_add_test(shapes, widths_that_are_no_powers_with_a_carry_use_division);
    tcase_add_test(shapes, a_step_visits_every_kth_index);
    tcase_add_test(shapes, bounds_in_the_wrong_order_run_nothing);
    tcase_add_test(shapes, a_short_loop_of_known_count_has_no_branch);
    tcase_add_test(shapes, nested_loops_and_while_and_return);
    tcase_add_test(shapes, woven_iterations_mean_the_sequential_loop);
    tcase_add_test(shapes, woven_iterations_share_inner_loops_and_uniform_loads);
    tcase_add_test(improving, constants_fold_and_equal_computations_are_made_once);
    tcase_add_test(improving, a_condition_is_tested_once_on_a_path);
    tcase_add_test(improving, a_load_is_repeated_only_after_a_store_that_may_touch_it);
    tcase_add_test(improving, chains_of_xor_are_balanced);
    tcase_add_test(improving, tables_are_read_once_before_the_loop);
    tcase_add_test(improving, branches_that_read_one_table_share_the_load);
    tcase_add_test(improving, a_small_aligned_table_is_walked_by_a_pointer_that_wraps);
    tcase_add_test(improving, a_local_function_takes_its_tables_from_its_caller);
    tcase_add_test(improving, accesses_of_arrays_that_may_be_the_same_conflict_only_at_equal_indices);
    tcase_add_test(improving, printing_is_stable);
    tcase_add_test(improving, vpaes_encrypts_as_fips_197_says);
    suite_add_tcase(s, shapes);
    suite_add_tcase(s, improving);
    return s;
}
