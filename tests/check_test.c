/* check_test.c: claims about the rules that need more than one message.
 *
 * Each source is parsed, elaborated and checked; a claim is about which rules
 * fire, and how often. tests/rules has the exact messages; here are the cases
 * beside them: what is close to an error and is none, and what looks right and
 * is wrong.
 */
#include <string.h>

#include "base/diag.h"
#include "lang/check.h"
#include "suites.h"

static struct program *checked(const char *body)
{
    const char *text = mem_format("module \"m\";\n%s", body);

    diag_reset();
    struct node *decls = parse_text("test.def", text, strlen(text));
    return error_count() == 0 ? check_program(decls) : NULL;
}

static int fired(enum rule rule)
{
    const char *at = diag_messages()->n > 0 ? diag_messages()->at : "";
    const char *tag = mem_format("[%s]\n", rules[rule].name);
    int n = 0;

    for (; (at = strstr(at, tag)) != NULL; at += strlen(tag))
        n++;
    return n;
}

static void silent(const char *body)
{
    ck_assert_msg(checked(body) != NULL, "%s\n%s", body, diag_messages()->at);
}

/* Exactly one error, of this rule. */
static void fires(enum rule rule, const char *body)
{
    ck_assert_msg(checked(body) == NULL, "accepted:\n%s", body);
    ck_assert_msg(fired(rule) == 1 && error_count() == 1, "%s\n%s", body, diag_messages()->at);
}

/* -- flags -- */

START_TEST(carry_survives_a_loop_without_flags)
{
    silent("export fn f(r: out u64[n], a: in u64[n], n: u64 in 1..=9) -> u64 {\n"
           "    var c: carry; var low: u64; low, c = a[0] + 1; r[0] = low;\n"
           "    for i in 1..n { r[i] = select(c, a[i], r[0]); }\n"
           "    return c as u64;\n}\n");
}
END_TEST

START_TEST(a_comparison_after_the_last_use_is_fine)
{
    silent("export fn f(r: out u64[1], a: in u64[1], n: u64) {\n"
           "    var c: carry; var x: u64; x, c = a[0] + 1;\n"
           "    r[0] = x + (c as u64);\n"
           "    if n < 3 { r[0] = 0; }\n}\n");
}
END_TEST

START_TEST(a_comparison_before_the_last_use_is_not)
{
    fires(RULE_CARRY_LOST, "export fn f(r: out u64[1], a: in u64[1], n: u64) {\n"
           "    var c: carry; var x: u64; x, c = a[0] + 1;\n"
           "    if n < 3 { x = 0; }\n"
           "    r[0] = x + (c as u64);\n}\n");
}
END_TEST

START_TEST(a_flag_brought_back_ends_the_other)
{
    fires(RULE_CARRY_LOST, "export fn f(a: in u64[2]) -> u64 {\n"
           "    var c: carry; var x: u64; x, c = a[0] + 1;\n"
           "    let kept = c as u64;\n"
           "    var d: borrow; x, d = x - a[1];\n"
           "    c = carry(kept);\n"
           "    return x + (c as u64) + (d as u64);\n}\n");
}
END_TEST

/* -- secrets -- */

START_TEST(a_stack_array_is_as_secret_as_what_it_holds)
{
    silent("table t: u32[4] = [1, 2, 3, 4];\n"
           "export fn f(n: u64) -> u32 {\n"
           "    stack s: u64[1]; s[0] = n & 3; return t[s[0]& 3];\n}\n");
    fires(RULE_SECRET_ADDRESS, "table t: u32[4] = [1, 2, 3, 4];\n"
           "export fn f(a: in u64[1]) -> u32 {\n"
           "    stack s: u64[1]; s[0] = a[0]; return t[s[0] & 3];\n}\n");
}
END_TEST

START_TEST(a_secret_is_followed_through_a_loop)
{
    fires(RULE_SECRET_BRANCH, "export fn f(a: in u64[1]) -> u64 {\n"
           "    var x: u64 = 0; var y: u64 = 0;\n"
           "    for _ in 0..4 { x = y; y = a[0]; }\n"
           "    if x == 0 { return 1; }\n    return 0;\n}\n");
}
END_TEST

START_TEST(public_memory_takes_no_secret)
{
    fires(RULE_TYPE, "export fn f(r: out public u64[1], a: in u64[1]) { r[0] = a[0]; }\n");
    silent("export fn f(r: out public u64[1], a: in u64[1]) { r[0] = declassify(a[0]); }\n");
}
END_TEST

/* -- bounds -- */

START_TEST(a_sum_may_not_wrap_into_bounds)
{
    fires(RULE_OUT_OF_BOUNDS, "export fn f(r: out u64[4], n: u64) { if n + 1 < 4 { r[n] = 0; } }\n");
    silent("export fn f(r: out u64[4], n: u64) { if n < 3 { r[n + 1] = 0; } }\n");
}
END_TEST

START_TEST(thirty_two_bits_wrap_where_they_are_written)
{
    fires(RULE_OUT_OF_BOUNDS, "export fn f(r: out u64[n], n: u64, k: u32) {\n"
           "    if (k as u64) < n { r[(k - 1) as u64] = 0; }\n}\n");
    silent("export fn f(r: out u64[n], n: u64, k: u32) {\n"
           "    if (k as u64) < n { if k != 0 { r[(k - 1) as u64] = 0; } }\n}\n");
}
END_TEST

START_TEST(a_count_that_goes_down_stays_below_its_start)
{
    silent("export fn f(r: out u64[n], n: u64) {\n"
           "    var k = n;\n"
           "    while k != 0 { k = k - 1; r[k] = 0; }\n}\n");
    fires(RULE_OUT_OF_BOUNDS, "export fn f(r: out u64[n], n: u64) {\n"
           "    var k = n;\n"
           "    while k != 0 { r[k] = 0; k = k - 1; }\n}\n");
}
END_TEST

START_TEST(a_variable_of_two_values_is_one_of_them)
{
    silent("export fn f(r: out u64[15], k: u32) {\n"
           "    var last: u64 = 10;\n"
           "    if k == 1 { last = 14; }\n"
           "    for i in 0..last + 1 { r[last - i] = 0; }\n}\n");
    fires(RULE_OUT_OF_BOUNDS, "export fn f(r: out u64[14], k: u32) {\n"
           "    var last: u64 = 10;\n"
           "    if k == 1 { last = 14; }\n"
           "    for i in 0..last + 1 { r[last - i] = 0; }\n}\n");
}
END_TEST

START_TEST(memory_may_change_between_two_reads)
{
    fires(RULE_OUT_OF_BOUNDS, "struct s { at: public u64; }\n"
           "export fn f(r: out u64[8], p: inout s) {\n"
           "    if p.at < 8 { p.at = p.at + 1; r[p.at] = 0; }\n}\n");
    silent("struct s { at: public u64; }\n"
           "export fn f(r: out u64[8], p: inout s) {\n"
           "    if p.at < 8 { r[p.at] = 0; p.at = p.at + 1; }\n}\n");
}
END_TEST

START_TEST(widths_must_end_in_one_unless_they_divide)
{
    fires(RULE_EXTENT, "export fn f(r: out u64[n], n: u64) { for i in 0..n unroll 4 { r[i] = 0; } }\n");
    silent("export fn f(r: out u64[n], n: u64) where n % 4 == 0 {\n"
           "    for i in 0..n unroll 4 { r[i] = 0; }\n}\n");
}
END_TEST

START_TEST(a_callees_precondition_is_shown_by_the_caller)
{
    const char *callee = "local fn g(r: out u64[4], k: u64 in 0..=4, n: u64 in 1..=4) where k + n <= 4 {\n"
                         "    for i in 0..n { r[k + i] = 0; }\n}\n";

    silent(mem_format("%sexport fn f(r: out u64[4], k: u64) { if k < 3 { g(r, k, 2); } }\n", callee));
    fires(RULE_EXTENT,
          mem_format("%sexport fn f(r: out u64[4], k: u64) { if k < 4 { g(r, k, 2); } }\n", callee));
    fires(RULE_VALUE_SET,
          mem_format("%sexport fn f(r: out u64[4], k: u64) { if k < 4 { g(r, 0, k); } }\n", callee));
}
END_TEST

START_TEST(a_disjunction_is_taken_case_by_case)
{
    silent("export fn f(r: out u8x16[1], key: in u8[bits / 8], bits: u32) {\n"
           "    if bits == 192 || bits == 256 { r[0] = load(u8x16, key, 8); }\n}\n");
    fires(RULE_OUT_OF_BOUNDS, "export fn f(r: out u8x16[1], key: in u8[bits / 8], bits: u32) {\n"
           "    if bits == 128 || bits == 256 { r[0] = load(u8x16, key, 8); }\n}\n");
}
END_TEST

START_TEST(what_a_result_says_about_memory_is_remembered)
{
    const char *set = "struct key { rounds: public u32 in {10, 12, 14}; }\n"
                      "inline fn set(k: out key, bits: u32) -> i32 {\n"
                      "    if bits == 128 { k.rounds = 10; return 0; }\n"
                      "    if bits == 192 { k.rounds = 12; return 0; }\n"
                      "    if bits == 256 { k.rounds = 14; return 0; }\n"
                      "    return -2;\n}\n"
                      "export fn f(k: out key, bits: u32, r: out u64[15]) -> i32 {\n"
                      "    let failed = set(k, bits);\n";

    silent(mem_format("%s    if failed != 0 { return failed; }\n"
                      "    r[k.rounds] = 0; return 0;\n}\n", set));
    fires(RULE_UNINITIALISED, mem_format("%s    if failed == 0 { return failed; }\n"
                                         "    r[k.rounds] = 0; return 0;\n}\n", set));
}
END_TEST

START_TEST(an_interval_is_kept_around_a_loop)
{
    silent("struct s { buffer: u8[32]; fill: public u64 in 0..=31; }\n"
           "export fn f(st: inout s, a: in u8[n], n: u64) {\n"
           "    var fill = st.fill;\n"
           "    for i in 0..n {\n"
           "        st.buffer[fill] = a[i];\n"
           "        fill = fill + 1;\n"
           "        if fill == 32 { fill = 0; }\n    }\n"
           "    st.fill = fill;\n}\n");
    fires(RULE_OUT_OF_BOUNDS, "struct s { buffer: u8[32]; fill: public u64 in 0..=31; }\n"
           "export fn f(st: inout s, a: in u8[n], n: u64) {\n"
           "    var fill = st.fill;\n"
           "    for i in 0..n {\n"
           "        st.buffer[fill] = a[i];\n"
           "        fill = fill + 1;\n"
           "        if fill == 33 { fill = 0; }\n    }\n"
           "    st.fill = fill & 31;\n}\n");
}
END_TEST

START_TEST(many_accesses_side_by_side_are_compared_quickly)
{
    silent("export fn f(r: out u64[n], a: in u64[n], n: u64) where n % 64 == 0 {\n"
           "    for i in 0..n step 64 { static for k in 0..64 { r[i + k] = a[i + k]; } }\n}\n");
}
END_TEST

/* -- in place -- */

START_TEST(each_width_of_a_loop_reads_ahead_of_what_is_written)
{
    silent("export fn f(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) -> u64 {\n"
           "    var c: carry = 0;\n"
           "    for i in 0..n unroll 8, 4, 1 { r[i], c = a[i] + b[i] + c; }\n"
           "    return c as u64;\n}\n");
}
END_TEST

START_TEST(a_second_pass_over_the_input_is_refused)
{
    fires(RULE_IN_PLACE, "export fn f(r: out u64[n], a: in u64[n], n: u64) {\n"
           "    for k in 0..2 { for i in 0..n { r[i] = a[i] + k; } }\n}\n");
}
END_TEST

START_TEST(sides_of_a_condition_exclude_each_other)
{
    silent("export fn f(r: out u64[n], a: in u64[n], n: u64, k: u32) {\n"
           "    for i in 0..n {\n"
           "        if k == 1 { r[i] = 0; } else { r[i] = a[i]; }\n    }\n}\n");
}
END_TEST

/* -- weaves -- */

START_TEST(a_value_set_before_it_is_read_is_not_carried)
{
    silent("export fn f(r: out u8x16[n], a: in u8x16[n], n: u64, k: u64) {\n"
           "    var s: u8x16;\n"
           "    for i in 0..n weave 2, 1 {\n"
           "        s = a[i];\n"
           "        for _ in 0..k { s = rev32(s); }\n"
           "        r[i] = s;\n    }\n}\n");
}
END_TEST

START_TEST(an_access_may_not_move_over_another_iterations)
{
    fires(RULE_LOOP_CARRIED, "export fn f(r: inout u8x16[n], n: u64, k: u64) where n >= 1 {\n"
           "    for i in 1..n weave 2, 1 {\n"
           "        var s = r[i - 1];\n"
           "        for _ in 0..k { s = rev32(s); }\n"
           "        r[i] = s;\n    }\n}\n");
}
END_TEST

/* -- questions of later stages -- */

static struct stmt *first_loop(struct func *f)
{
    struct stmt *s = f->body;

    while (s != NULL && s->kind != S_FOR)
        s = s->next;
    ck_assert_ptr_nonnull(s);
    return s;
}

START_TEST(ranges_are_answered_at_a_statement)
{
    struct program *p = checked("export fn f(r: out u64[n], n: u64 in 8..=256) {\n"
                                "    stack t: u64[n + 2];\n"
                                "    for i in 0..n { t[i] = 0; r[i] = t[i]; }\n}\n");
    struct value_range range;

    ck_assert_msg(p != NULL, "%s", diag_messages()->at);
    struct func *f = p->modules.at[0]->funcs.at[0];
    struct stmt *loop = first_loop(f);
    ck_assert(expr_value_range(f, NULL, f->objects.at[1]->extent, &range));
    ck_assert_uint_eq(range.lo, 80);
    ck_assert_uint_eq(range.hi, 258 * 8);
    ck_assert(expr_value_range(f, loop, loop->hi, &range));
    ck_assert_uint_eq(range.lo, 8);
    ck_assert(!trip_count_divides(f, loop, 2));
}
END_TEST

static TCase *add_case(Suite *s, const char *name)
{
    TCase *t = tcase_create(name);

    suite_add_tcase(s, t);
    return t;
}

Suite *check_suite(void)
{
    Suite *s = suite_create("check");
    TCase *t;

    t = add_case(s, "flags");
    tcase_add_test(t, carry_survives_a_loop_without_flags);
    tcase_add_test(t, a_comparison_after_the_last_use_is_fine);
    tcase_add_test(t, a_comparison_before_the_last_use_is_not);
    tcase_add_test(t, a_flag_brought_back_ends_the_other);
    t = add_case(s, "secrets");
    tcase_add_test(t, a_stack_array_is_as_secret_as_what_it_holds);
    tcase_add_test(t, a_secret_is_followed_through_a_loop);
    tcase_add_test(t, public_memory_takes_no_secret);
    t = add_case(s, "bounds");
    tcase_add_test(t, a_sum_may_not_wrap_into_bounds);
    tcase_add_test(t, thirty_two_bits_wrap_where_they_are_written);
    tcase_add_test(t, a_count_that_goes_down_stays_below_its_start);
    tcase_add_test(t, a_variable_of_two_values_is_one_of_them);
    tcase_add_test(t, memory_may_change_between_two_reads);
    tcase_add_test(t, widths_must_end_in_one_unless_they_divide);
    tcase_add_test(t, a_callees_precondition_is_shown_by_the_caller);
    tcase_add_test(t, a_disjunction_is_taken_case_by_case);
    tcase_add_test(t, what_a_result_says_about_memory_is_remembered);
    tcase_add_test(t, an_interval_is_kept_around_a_loop);
    tcase_add_test(t, many_accesses_side_by_side_are_compared_quickly);
    t = add_case(s, "in place");
    tcase_add_test(t, each_width_of_a_loop_reads_ahead_of_what_is_written);
    tcase_add_test(t, a_second_pass_over_the_input_is_refused);
    tcase_add_test(t, sides_of_a_condition_exclude_each_other);
    t = add_case(s, "weaves");
    tcase_add_test(t, a_value_set_before_it_is_read_is_not_carried);
    tcase_add_test(t, an_access_may_not_move_over_another_iterations);
    t = add_case(s, "questions");
    tcase_add_test(t, ranges_are_answered_at_a_statement);
    return s;
}
