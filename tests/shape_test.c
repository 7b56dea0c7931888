/* shape_test.c: what shape/ must get right where loops, flags and registers meet.
 *
 * Sources are small kernels. Each is compiled and interpreted as IR
 * (harness/ir_eval.h) against plain C; each is then compiled to text for every
 * platform, which is proved equal to its source.
 */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "harness/ir_eval.h"
#include "ir/pass.h"
#include "suites.h"
#include "tool/compile.h"
#include "verify/module.h"

static void end_run(void)
{
    mem_release();
    diag_reset();
}

/* -- compiling -- */

/* The text for every platform means what the source says. */
static void prove(const char *source)
{
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    bool holds;

    end_run();
    for (int i = 0; i < target_count(); i++)
        vec_push(&o.targets, target_at(i));
    holds = compile_program(&c, parse_text("k.def", source, strlen(source)), &o) &&
            verify_module(c.modules.at[0], compile_texts(c.modules.at[0], &o), target_count(), NULL);
    ck_assert_msg(holds, "%s", holds ? "" : diag_messages()->at);
    end_run();
}

static struct ir_func *compile(const char *source)
{
    struct program *p = check_program(parse_text("k.def", source, strlen(source)));

    if (error_count() != 0)
        ck_abort_msg("%s", diag_messages()->at);
    return ir_from_func(p->modules.at[0]->funcs.at[0], NULL);
}

static struct ir_func *compile_proved(const char *source)
{
    prove(source);
    return compile(source);
}

static struct ir_word pointer(const void *p)
{
    return (struct ir_word){ { (uint64_t)(uintptr_t)p, 0 } };
}

static struct ir_word number(uint64_t n) { return (struct ir_word){ { n, 0 } }; }

/* -- flags around loops -- */

/* Bounds that may be in the wrong order need a guard; it must not be a
 * comparison, because the carry is in the flags. */
#define SUM_OF_STEPS(signature, loop)                                                     \
    "module \"m\";\n"                                                                     \
    "export fn f(x: u64, " signature ") -> u64 {\n"                                       \
    "    var s: u64 = 0;\n"                                                               \
    "    var c: carry = carry(x & 1);\n"                                                      \
    "    for i in " loop " { s, c = s + (1 << 63) + c; }\n"                               \
    "    return s + (c as u64);\n"                                                        \
    "}\n"

static void check_guard(const char *text, uint64_t lo, uint64_t hi)
{
    struct ir_func *f = compile(text);
    uint64_t s = 0, c = 1;

    for (uint64_t i = lo; i < hi; i++) {
        unsigned __int128 sum = (unsigned __int128)s + ((uint64_t)1 << 63) + c;
        s = (uint64_t)sum;
        c = (uint64_t)(sum >> 64);
    }
    /* f(x, lo, hi), or f(x, hi) */
    struct ir_word args[] = { number(1), number(f->func->param_count == 3 ? lo : hi), number(hi) };
    ck_assert_uint_eq(ir_eval(f, args, NULL).result, s + c);
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->term == IR_BRANCH)
            ck_assert(f->blocks.at[k]->cond <= IR_NE || f->blocks.at[k]->cond >= IR_BIT_SET);
}

START_TEST(a_guard_before_a_loop_leaves_the_carry_alone)
{
    static const uint64_t wide[] = { 0, 1, 5, 6, (uint64_t)1 << 63, ((uint64_t)1 << 63) + 3,
                                     UINT64_MAX - 2, UINT64_MAX };
    static const char wide_loop[] = SUM_OF_STEPS("lo: u64, hi: u64", "lo..hi");
    static const char narrow_loop[] = SUM_OF_STEPS("lo: u32, hi: u32", "lo..hi unroll 3, 1");
    static const char from_1[] = SUM_OF_STEPS("hi: u64", "1..hi");
    static const char from_7[] = SUM_OF_STEPS("hi: u64", "7..hi unroll 2, 1");
    static const char from_5[] = SUM_OF_STEPS("hi: u32", "5..hi");
    static const uint64_t narrow[] = { 0, 1, 5, 9, 0x80000000, 0x80000001, 0xfffffffd, 0xffffffff };

    prove(SUM_OF_STEPS("lo: u64 in 0..=9, hi: u64 in 0..=9", "lo..hi"));
    prove(SUM_OF_STEPS("hi: u64 in 0..=9", "1..hi"));
    prove(SUM_OF_STEPS("hi: u64 in 0..=9", "7..hi unroll 2, 1"));
    prove(narrow_loop);
    prove(from_5);
    for (int i = 0; i < 8; i++) {
        for (int k = 0; k < 8; k++) {
            if (wide[k] <= wide[i] || wide[k] - wide[i] < 16)
                check_guard(wide_loop, wide[i], wide[k]);
            if (narrow[k] <= narrow[i] || narrow[k] - narrow[i] < 16)
                check_guard(narrow_loop, narrow[i], narrow[k]);
        }
    }
    for (uint64_t n = 0; n < 12; n++) {
        check_guard(from_1, 1, n);
        check_guard(from_7, 7, n);
        check_guard(from_5, 5, n);
    }
}
END_TEST

/* -- weaving -- */

START_TEST(a_uniform_variable_that_is_set_again_does_not_part_an_iteration)
{
    static const char *const widths[] = { "2, 1", "3, 2, 1", "4, 1" };

    for (int k = 0; k < 3; k++) {
        char source[600];
        snprintf(source, sizeof source,
                    "module \"m\";\n"
                    "export fn f(x: u64, n: u64 in 0..=9) -> u64 {\n"
                    "    var s: u64 = x;\n"
                    "    var t: u64 = 0;\n"
                    "    for i in 0..n weave %s {\n"
                                        "        t = 7;\n"
                    "        let y = t * i;\n"
                    "        t = t + x;\n"
                    "        for j in 0..2 { t = t * 3; }\n"
                    "        let z = t ^ y;\n"
                    "        t = t + 5;\n"
                    "        s = (s ^ (i + 1)) + z;\n"
                    "        let w = t << 1;\n"
                    "        t = t + w + 9;\n"
                    "        s = s + (t ^ i);\n"
                    "    }\n"
                    "    return s ^ t;\n"
                    "}\n",
                    widths[k]);
        struct ir_func *f = compile_proved(source);
        for (uint64_t n = 0; n <= 9; n++) {
            uint64_t s = 0x1234, t = 0;
            for (uint64_t i = 0; i < n; i++) {
                t = (7 + 0x1234) * 9;
                s = (s ^ (i + 1)) + (t ^ 7 * i);
                t = (t + 5) * 3 + 9;
                s += t ^ i;
            }
            struct ir_word args[] = { number(0x1234), number(n) };
            ck_assert_uint_eq(ir_eval(f, args, NULL).result, s ^ t);
        }
    }
}
END_TEST

START_TEST(each_woven_copy_makes_its_own_flags)
{
    struct ir_func *f = compile_proved(
        "module \"m\";\n"
        "export fn f(n: u64 in 0..=6, x: u64) -> u64 {\n"
        "    var s: u64 = 0;\n"
        "    for i in 0..n weave 2, 1 {\n"
        "        let t, c = x + n;\n"
        "        let u, d = i + x + c;\n"
        "        s = s + t + u + (d as u64);\n"
        "    }\n"
        "    return s;\n"
        "}\n");

    for (uint64_t k = 0; k < 2; k++)
        for (uint64_t n = 0; n <= 6; n++) {
            const uint64_t x = k ? UINT64_MAX : 5, c = x + n < x;
            uint64_t s = 0;
            for (uint64_t i = 0; i < n; i++) {
                unsigned __int128 u = (unsigned __int128)i + x + c;
                s += x + n + (uint64_t)u + (uint64_t)(u >> 64);
            }
            struct ir_word args[] = { number(n), number(x) };
            ck_assert_uint_eq(ir_eval(f, args, NULL).result, s);
        }
}
END_TEST

START_TEST(a_flag_that_woven_copies_would_keep_apart_in_inner_control_is_refused)
{
    static const char text[] =
        "module \"m\";\n"
        "export fn f(a: in u64[m], r: out u64[m], m: u64, n: u64) {\n"
        "    for i in 0..m weave 2, 1 {\n"
        "        var s: u64 = a[i];\n"
        "        for k in 0..n {\n"
        "            let u, d = s + k;\n"
        "            if k == 3 { s = s + u + (d as u64); }\n"
        "        }\n"
        "        r[i] = s;\n"
        "    }\n"
        "}\n";

    (void)check_program(parse_text("k.def", text, strlen(text)));
    ck_assert_int_eq(error_count(), 1);
    ck_assert(strstr(diag_messages()->at, "k.def:7:13: error: each of 2 woven iterations has its own "
                                          "carry of 'd' here [carry-lost]") != NULL);
}
END_TEST

/* -- registers -- */

START_TEST(a_nest_with_many_arrays_keeps_registers_for_its_counts)
{
    struct ir_func *f = compile_proved(
        "module \"m\";\n"
        "export fn f(r: out u64[64 * n], a: in u64[64 * n], b: in u64[64 * n], c: in u64[64 * n],\n"
        "            d: in u64[64 * n], n: u64)\n"
        "    noalias(r, a) noalias(r, b) noalias(r, c) noalias(r, d) where n <= 1 << 20\n"
        "{\n"
        "    for i in 0..n {\n"
        "        for j in 0..8 {\n"
        "            for k in 0..8 {\n"
        "                r[i * 64 + j * 8 + k] = a[i * 64 + j * 8 + k] ^ b[i * 64 + j * 8 + k]\n"
        "                    ^ c[i * 64 + j * 8 + k] ^ d[i * 64 + j * 8 + k]\n"
        "                    ^ a[i * 64 + k * 8 + j] ^ b[i * 64 + k * 8 + j]\n"
        "                    ^ c[i * 64 + k * 8 + j] ^ d[i * 64 + k * 8 + j];\n"
        "            }\n"
        "        }\n"
        "    }\n"
        "}\n");
    static uint64_t in[4][128], r[128];
    int pointers = 0;

    for (int k = 0; k < 4; k++)
        for (int i = 0; i < 128; i++)
            in[k][i] = (uint64_t)(128 * k + i + 1) * 0x9e3779b97f4a7c15u;
    struct ir_word args[] = { pointer(r), pointer(in[0]), pointer(in[1]), pointer(in[2]),
                              pointer(in[3]), number(2) };
    ir_eval(f, args, NULL);
    for (int i = 0; i < 128; i++) {
        const int other = i / 64 * 64 + i % 8 * 8 + i % 64 / 8;
        uint64_t x = 0;
        for (int k = 0; k < 4; k++)
            x ^= in[k][i] ^ in[k][other];
        ck_assert_uint_eq(r[i], x);
    }
    for (int k = 0; k < f->blocks.n; k++)
        for (int p = 0; p < f->blocks.at[k]->param_count; p++)
            pointers += f->blocks.at[k]->loop == f->blocks.at[k] &&
                        f->blocks.at[k]->params[p]->type == TYPE_ADDR;
    ck_assert_int_ge(pointers, 9);      /* all of the innermost loop have one */
    ck_assert_int_le(pointers, 10);
}
END_TEST

Suite *shape_suite(void)
{
    Suite *s = suite_create("shape");
    TCase *t = tcase_create("loops");

    tcase_add_checked_fixture(t, NULL, end_run);
    tcase_set_timeout(t, 60);
    tcase_add_test(t, a_uniform_variable_that_is_set_again_does_not_part_an_iteration);
    tcase_add_test(t, each_woven_copy_makes_its_own_flags);
    tcase_add_test(t, a_flag_that_woven_copies_would_keep_apart_in_inner_control_is_refused);
    tcase_add_test(t, a_guard_before_a_loop_leaves_the_carry_alone);
    tcase_add_test(t, a_nest_with_many_arrays_keeps_registers_for_its_counts);
    suite_add_tcase(s, t);
    return s;
}
