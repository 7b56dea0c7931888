/* trial_test.c: test blocks find what is wrong with code, and say so.
 *
 * The source of a small module is compiled for its tree and its tests; the code
 * that is run is either the compiler's or written here by hand, with one fault.
 */
#include <check.h>
#include <string.h>

#include "suites.h"
#include "tool/compile.h"
#include "verify/trial.h"

static struct compilation compiled;
static const char *compiled_source;

static void compile(const char *source)
{
    struct compile_options o = { .style = style_find("plain") };
    memset(&compiled, 0, sizeof compiled);
    compiled_source = source;
    diag_reset();
    bool ok = compile_program(&compiled, parse_text("t.def", source, strlen(source)), &o);
    ck_assert_msg(ok, "%s", ok ? "" : diag_messages()->at);
}

static const char *said(void) { return diag_messages()->n ? diag_messages()->at : ""; }

/* Runs the tests on the compiler's code for every platform. */
static struct trial_report run_compiled(bool expected)
{
    struct trial_report report = { 0 };
    struct module_text texts[8];
    for (int i = 0; i < target_count(); i++) {
        struct text *t = NEW(struct text);
        emit_module(t, compiled.modules.at[0], target_at(i), style_find("plain"));
        texts[i] = (struct module_text){ target_at(i), "t.S", t };
    }
    bool ok = trial_module(compiled.modules.at[0], texts, target_count(), &report);
    ck_assert_msg(ok == expected, "%s", said());
    return report;
}

/* The same on lines of assembly in place of the compiler's. */
static bool run_by_hand(const char *lines)
{
    struct trial_report report = { 0 };
    struct text t = { 0 };
    text_add(&t, lines);
    struct module_text file = { target_find("linux"), "t.S", &t };
    return trial_module(compiled.modules.at[0], &file, 1, &report);
}

static void refuses(const char *lines, const char *message)
{
    compile(compiled_source);
    ck_assert_msg(!run_by_hand(lines), "not noticed: %s", message);
    ck_assert_msg(strstr(said(), message) != NULL, "expected:\n%s\nsaid:\n%s", message, said());
}

static void accepts(const char *lines)
{
    compile(compiled_source);
    ck_assert_msg(run_by_hand(lines), "%s", said());
}

/* -- messages -- */

START_TEST(a_wrong_result_is_shown_with_the_right_one)
{
    compile("module \"t\";\n"
            "export fn f(x: u64) -> u64 { return x + 1; }\n"
            "test \"one more\" {\n"
            "    expect f(0x10) == 0x12;\n"
            "}\n");
    run_compiled(false);
    ck_assert_str_eq(
        said(),
        "t.def:4:5: error: 'f' returns 0x0000000000000011, expected 0x0000000000000012 [expect]\n"
        "    4 |     expect f(0x10) == 0x12;\n"
        "      |     ^~~~~~~~~~~~~~~~~~~~~~~\n"
        "note: this is the source itself, before any code was made of it\n");
}
END_TEST

static const char copy[] = "module \"t\";\n"
                           "export fn f(r: out u64[n], a: in u64[n], n: u32) {\n"
                           "    for i in 0..n { r[i] = a[i]; }\n"
                           "}\n"
                           "test \"three\" {\n"
                           "    let r: u64[3];\n"
                           "    f(r, [1, 2, 3], 3);\n"
                           "    expect r == [1, 2, 3];\n"
                           "}\n";

static const char copy_right[] = "f:\n cbz w2, .Lend\n"
                                 ".Lloop:\n ldr x3, [x1], #8\n sub w2, w2, #1\n str x3, [x0], #8\n"
                                 " cbnz w2, .Lloop\n.Lend:\n ret\n";

START_TEST(a_wrong_element_is_shown_with_platform_and_positions)
{
    compile(copy);
    accepts(copy_right);
    compile(copy);
    ck_assert(!run_by_hand("f:\n cbz w2, .Lend\n"
                           ".Lloop:\n ldr x3, [x1], #8\n sub w2, w2, #1\n orr x3, x3, #0x1\n"
                           " str x3, [x0], #8\n cbnz w2, .Lloop\n.Lend:\n ret\n"));
    ck_assert_str_eq(said(), "t.def:8:5: error: r[1] is 3, expected 2 [expect]\n"
                             "    8 |     expect r == [1, 2, 3];\n"
                             "      |     ^~~~~~~~~~~~~~~~~~~~~~\n"
                             "note: in the code for linux, t.S; r at 0, a at 0 modulo 16\n"
                             "note: the first byte that differs is byte 8 of r\n");
}
END_TEST

START_TEST(a_byte_that_nobody_wrote_is_told_from_a_wrong_one)
{
    compile(copy);
    refuses("f:\n cbz w2, .Lend\n sub w2, w2, #1\n cbz w2, .Lend\n"
            ".Lloop:\n ldr x3, [x1], #8\n sub w2, w2, #1\n str x3, [x0], #8\n"
            " cbnz w2, .Lloop\n.Lend:\n ret\n",
            "r[2] was never written, expected 3");
}
END_TEST

START_TEST(vectors_are_shown_as_bytes)
{
    compile("module \"t\";\n"
            "export fn f(r: out u8x16[1], a: in u8x16[1]) { r[0] = a[0] ^ 1; }\n"
            "test \"v\" {\n"
            "    let r: u8x16[1];\n"
            "    f(r, [hex(\"000102030405060708090a0b0c0d0e0f\")]);\n"
            "    expect r == [hex(\"010003020504070609080b0a0d0c0f0f\")];\n"
            "}\n");
    run_compiled(false);
    ck_assert_ptr_nonnull(strstr(said(), "r[0] is 010003020504070609080b0a0d0c0f0e, "
                                         "expected 010003020504070609080b0a0d0c0f0f [expect]"));
    ck_assert_ptr_nonnull(strstr(said(), "the first byte that differs is byte 15 of r"));
}
END_TEST

/* -- what is wrong with code -- */

START_TEST(accesses_outside_a_buffer)
{
    compile(copy);
    refuses(
        "f:\n ldp x3, x4, [x1]\n ldp x5, x6, [x1, #16]\n stp x3, x4, [x0]\n str x5, [x0, #16]\n ret\n",
        "'f' stops: line 3: 'ldp x5, x6, [x1, #16]': an access outside every object: "
        "8 bytes at byte 24 of a (24 bytes)");
    refuses("f:\n ldur x3, [x1, #-8]\n ret\n", "8 bytes before a");
    refuses(
        "f:\n ldp x3, x4, [x1]\n ldr x5, [x1, #16]\n stp x3, x4, [x0]\n stp x5, x5, [x0, #16]\n ret\n",
        "'stp x5, x5, [x0, #16]'");
    refuses("f:\n str x3, [x1]\n ret\n", "a store to an object that is only read");
}
END_TEST

START_TEST(an_assumed_alignment)
{
    compile("module \"t\";\n"
            "export fn f(a: in u8[8]) -> u64 { return load(u64, a, 0); }\n"
            "test \"bytes\" { expect f([1, 2, 3, 4, 5, 6, 7, 8]) == 0x0807060504030201; }\n");
    run_compiled(true);
    accepts("f:\n ldr x0, [x0]\n ret\n");
    refuses("f:\n and x0, x0, #0xfffffffffffffff8\n ldr x0, [x0]\n ret\n", "before a");
    refuses("f:\n tbnz x0, #3, .Lodd\n ldr x0, [x0]\n ret\n.Lodd:\n movz x0, #0x0\n ret\n",
            "'f' returns 0, expected 0x0807060504030201");
}
END_TEST

START_TEST(the_upper_half_of_a_count)
{
    compile(copy);
    refuses("f:\n cbz x2, .Lend\n"
            ".Lloop:\n ldr x3, [x1], #8\n sub x2, x2, #1\n str x3, [x0], #8\n"
            " cbnz x2, .Lloop\n.Lend:\n ret\n",
            "an access outside every object");
}
END_TEST

START_TEST(registers_that_a_callee_keeps)
{
    compile(copy);
    refuses("f:\n movz x19, #0x0\n ldp x3, x4, [x1]\n ldr x5, [x1, #16]\n stp x3, x4, [x0]\n"
            " str x5, [x0, #16]\n ret\n",
            "'f' does not restore x19");
    refuses("f:\n movi v8.16b, #0x0\n ldp x3, x4, [x1]\n ldr x5, [x1, #16]\n stp x3, x4, [x0]\n"
            " str x5, [x0, #16]\n ret\n",
            "'f' does not restore d8");
    refuses("f:\n sub sp, sp, #16\n ldp x3, x4, [x1]\n ldr x5, [x1, #16]\n stp x3, x4, [x0]\n"
            " str x5, [x0, #16]\n ret\n",
            "'f' does not restore sp");
    refuses("f:\n mov x18, x0\n ret\n", "x18, which belongs to the platform");
}
END_TEST

START_TEST(stack_that_holds_nothing_yet)
{
    compile(copy);
    refuses("f:\n sub sp, sp, #16\n ldr x3, [sp]\n add sp, sp, #16\n ret\n",
            "a read of memory that was never written");
}
END_TEST

START_TEST(an_output_that_is_read_after_it_was_an_input)
{
    /* Reversing is right for two arrays and wrong in place. */
    compile("module \"t\";\n"
            "export fn f(r: out u64[2], a: in u64[2]) {\n"
            "    let x = a[0];\n    let y = a[1];\n    r[0] = y;\n    r[1] = x;\n}\n"
            "test \"two\" { let r: u64[2]; f(r, [1, 2]); expect r == [2, 1]; }\n");
    run_compiled(true);
    accepts("f:\n ldp x3, x4, [x1]\n stp x4, x3, [x0]\n ret\n");
    refuses("f:\n ldr x3, [x1, #8]\n str x3, [x0]\n ldr x3, [x1]\n str x3, [x0, #8]\n ret\n",
            "r[1] is 2, expected 1");
}
END_TEST

START_TEST(arrays_that_may_not_be_the_same)
{
    compile("module \"t\";\n"
            "export fn f(r: out u64[2], a: in u64[2]) noalias(r, a) { r[0] = a[1]; r[1] = a[0]; }\n"
            "test \"two\" { let r: u64[2] = [1, 2]; f(r, r); }\n");
    run_compiled(false);
    ck_assert_ptr_nonnull(strstr(said(), "'r' and 'a' of 'f' may not be the same array"));
}
END_TEST

/* -- what is run -- */

START_TEST(every_platform_and_position_is_run)
{
    compile(copy);
    struct trial_report report = run_compiled(true);
    ck_assert_int_eq(report.tests, 1);
    /* three platforms; as written and in place; sixteen positions each */
    ck_assert_uint_eq(report.calls, 3 * 2 * 16);
}
END_TEST

START_TEST(variants_are_run_too)
{
    compile("module \"t\";\n"
            "export fn f(r: out u8x16[1], a: in u8x16[1], b: in u8x16[1])\n"
            "    variant sha3 { requires sha3; fuse eor3; }\n"
            "{ r[0] = a[0] ^ b[0] ^ 1; }\n"
            "test \"xor\" { let r: u8x16[1] = [[static for i in 0..16: 2]];\n"
            "    f(r, r, [[static for i in 0..16: i]]);\n"
            "    expect r == [[static for i in 0..16: i ^ 3]]; }\n");
    struct trial_report report = run_compiled(true);
    ck_assert_uint_ge(report.calls, 2 * 3 * 16);
    refuses("f:\n ldr q0, [x1]\n ldr q1, [x2]\n movi v2.16b, #0x1\n eor v0.16b, v0.16b, v1.16b\n"
            " eor v0.16b, v0.16b, v2.16b\n str q0, [x0]\n ret\n"
            "f_sha3:\n ldr q0, [x1]\n str q0, [x0]\n ret\n",
            "variant sha3");
}
END_TEST

START_TEST(unreadable_text_is_an_error)
{
    compile(copy);
    refuses("f:\n frobnicate x0\n ret\n", "cannot be read back");
}
END_TEST

static void end_run(void)
{
    mem_release();
    diag_reset();
}

Suite *trial_suite(void)
{
    Suite *s = suite_create("trial");
    TCase *messages = tcase_create("messages");
    tcase_add_checked_fixture(messages, end_run, end_run);
    tcase_add_test(messages, a_wrong_result_is_shown_with_the_right_one);
    tcase_add_test(messages, a_wrong_element_is_shown_with_platform_and_positions);
    tcase_add_test(messages, a_byte_that_nobody_wrote_is_told_from_a_wrong_one);
    tcase_add_test(messages, vectors_are_shown_as_bytes);
    suite_add_tcase(s, messages);
    TCase *faults = tcase_create("faults");
    tcase_add_checked_fixture(faults, end_run, end_run);
    tcase_add_test(faults, accesses_outside_a_buffer);
    tcase_add_test(faults, an_assumed_alignment);
    tcase_add_test(faults, the_upper_half_of_a_count);
    tcase_add_test(faults, registers_that_a_callee_keeps);
    tcase_add_test(faults, stack_that_holds_nothing_yet);
    tcase_add_test(faults, an_output_that_is_read_after_it_was_an_input);
    tcase_add_test(faults, arrays_that_may_not_be_the_same);
    suite_add_tcase(s, faults);
    TCase *runs = tcase_create("runs");
    tcase_add_checked_fixture(runs, end_run, end_run);
    tcase_add_test(runs, every_platform_and_position_is_run);
    tcase_add_test(runs, variants_are_run_too);
    tcase_add_test(runs, unreadable_text_is_an_error);
    suite_add_tcase(s, runs);
    return s;
}
