/* term_test.c: normal forms of the term domain.
 *
 * Two kinds of claim: forms that must meet (a false alarm of `verify` is a
 * missing one here) and forms that must stay apart (a false proof). Random
 * towers of operations rely on term_expect, which asserts at every step that a
 * rewrite kept the value. */
#include <check.h>

#include "suites.h"
#include "verify/term_second.h"
#include "verify/term_store.h"

static val x, y, z, flag, v, w;

static void fresh(void)
{
    term_reset();
    x = term_input(64, "x", NO_INDEX, INPUT_SECRET);
    y = term_input(64, "y", NO_INDEX, INPUT_SECRET);
    z = term_input(64, "z", NO_INDEX, INPUT_SECRET);
    flag = term_input(1, "c", NO_INDEX, INPUT_SECRET);
    v = term_input(128, "v", NO_INDEX, INPUT_SECRET);
    w = term_input(128, "w", NO_INDEX, INPUT_SECRET);
}

static val number(int width, uint64_t n) { return term_constant(width, (struct bits){ { n, 0 } }); }
static val add(val a, val b) { return term_lanes(LANE_ADD, 64, 64, a, b); }
static val sub(val a, val b) { return term_lanes(LANE_SUB, 64, 64, a, b); }
static val shl(val a, int n) { return term_shift(SHIFT_LSL, 64, 64, a, n); }
static val shr(val a, int n) { return term_shift(SHIFT_LSR, 64, 64, a, n); }

START_TEST(xor_is_flat_and_modulo_two)
{
    val a = term_xor(64, term_xor(64, x, y), z), b = term_xor(64, y, term_xor(64, z, x));
    ck_assert_uint_eq(a, b);
    ck_assert_uint_eq(term_xor(64, a, y), term_xor(64, x, z));
    ck_assert_uint_eq(term_xor(64, x, x), number(64, 0));
    ck_assert_uint_eq(term_not(64, term_not(64, x)), x);
}
END_TEST

/* term_expect has compared each of them with its value; equal ones still meet. */
START_TEST(an_xor_without_end_is_no_accident)
{
    val sum[2] = { x, x };
    for (int k = 0; k < 2; k++)
        for (int i = 0; i < 5000; i++)
            sum[k] = term_xor(64, sum[k], term_input(64, "many", i, INPUT_SECRET));
    ck_assert_uint_eq(sum[0], sum[1]);
    ck_assert_uint_ne(sum[0], term_xor(64, sum[0], x));
}
END_TEST

START_TEST(subtraction_is_addition_of_the_complement)
{
    val minus = term_add_carry(64, x, term_not(64, y), number(1, 1));
    ck_assert_uint_eq(sub(x, y), minus);
    ck_assert_uint_eq(add(sub(x, y), y), x);
    ck_assert_uint_eq(sub(number(64, ~0ull), x), term_not(64, x));
    val masked = term_xor(64, x, number(64, 0x5a));
    ck_assert_uint_eq(add(y, term_not(64, masked)), sub(sub(y, masked), number(64, 1)));
}
END_TEST

START_TEST(shifted_operands_are_coefficients)
{
    val eight = term_lanes(LANE_MUL, 64, 64, x, number(64, 8));
    ck_assert_uint_eq(eight, shl(x, 3));
    ck_assert_uint_eq(add(shl(x, 3), x), term_lanes(LANE_MUL, 64, 64, x, number(64, 9)));
    ck_assert_uint_eq(add(x, x), shl(x, 1));
}
END_TEST

START_TEST(rotation_by_two_shifts_is_a_rotation)
{
    val r = term_shift(SHIFT_ROR, 64, 64, x, 40);
    ck_assert_uint_eq(term_or(64, shl(x, 24), shr(x, 40)), r);
    ck_assert_uint_eq(term_xor(64, shl(x, 24), shr(x, 40)), r);
    ck_assert_uint_eq(add(shl(x, 24), shr(x, 40)), r);
}
END_TEST

START_TEST(moved_bits_come_together_again)
{
    val low = term_field(64, x, 0, 32, false), high = term_field(64, x, 32, 32, false);
    ck_assert_uint_eq(term_insert(64, low, high, 32, 32), x);
    ck_assert_uint_eq(term_and(64, x, number(64, 0xff)), term_field(64, x, 0, 8, false));
    ck_assert_uint_eq(term_shift(SHIFT_LSR, 128, 8, term_shift(SHIFT_LSL, 128, 8, v, 4), 4),
                      term_and(128, v, (term_constant(128, (struct bits){ { 0x0f0f0f0f0f0f0f0f,
                                                                           0x0f0f0f0f0f0f0f0f } }))));
}
END_TEST

START_TEST(constant_tables_are_permutations)
{
    uint8_t rotate[16];
    struct bits index = { { 0, 0 } };
    for (int i = 0; i < 16; i++) {
        rotate[i] = (uint8_t)((i + 5) % 16);
        index.v[i / 8] |= (uint64_t)rotate[i] << (i % 8 * 8);
    }
    val by_permute = term_permute(16, 1, 16, &v, rotate);
    ck_assert_uint_eq(term_table(16, 1, &v, term_constant(128, index), 0), by_permute);
    val again = by_permute;
    for (int i = 1; i < 16; i++)
        again = term_permute(16, 1, 16, &again, rotate);
    ck_assert_uint_eq(again, v);
}
END_TEST

START_TEST(a_carry_is_symmetric_and_comes_back_from_a_register)
{
    ck_assert_uint_eq(term_carry(64, x, y, flag), term_carry(64, y, x, flag));
    val zero_or_one = term_field(64, flag, 0, 1, false), mask = term_choose(64, flag, term_ones(64), term_zero(64));
    ck_assert_uint_eq(term_carry(64, zero_or_one, term_ones(64), number(1, 0)), flag);
    ck_assert_uint_eq(term_carry(64, mask, term_ones(64), number(1, 0)), flag);
    /* subs xzr, x, #1 and subs xzr, xzr, x */
    ck_assert_uint_eq(term_carry(64, zero_or_one, term_not(64, number(64, 1)), number(1, 1)), flag);
    ck_assert_uint_eq(term_carry(64, number(64, 0), term_not(64, zero_or_one), number(1, 1)),
                      term_not(1, flag));
    ck_assert_uint_eq(term_carry(64, number(64, 0), number(64, 0), flag), number(1, 0));
    ck_assert_uint_eq(term_carry(64, number(64, 0), term_ones(64), flag), flag);
}
END_TEST

START_TEST(every_way_to_choose_is_one_choice)
{
    val chosen = term_choose(64, flag, x, y);
    val mask = term_choose(64, flag, term_ones(64), term_zero(64));
    ck_assert_uint_eq(term_or(64, term_and(64, x, mask), term_and(64, y, term_not(64, mask))), chosen);
    ck_assert_uint_eq(term_xor(64, y, term_and(64, mask, term_xor(64, x, y))), chosen);
    ck_assert_uint_eq(term_choose(64, term_not(1, flag), y, x), chosen);
    ck_assert_uint_eq(sub(number(64, 0), term_field(64, flag, 0, 1, false)), mask);
    ck_assert_uint_eq(term_field(64, flag, 0, 1, true), mask);
}
END_TEST

START_TEST(a_sum_that_is_a_concatenation_is_still_a_sum)
{
    val odd = add(shl(x, 1), number(64, 1));
    ck_assert_uint_eq(add(odd, y), add(add(x, y), add(x, number(64, 1))));
    val narrow = term_field(64, y, 0, 32, false);
    ck_assert_uint_eq(add(add(shl(x, 32), narrow), z), add(narrow, add(z, shl(x, 32))));
}
END_TEST

START_TEST(a_mask_of_a_complemented_flag_is_a_choice_of_the_flag)
{
    val none = term_zero(64), all = term_ones(64), not_flag = term_not(1, flag);
    ck_assert_uint_eq(term_field(64, not_flag, 0, 1, true), term_choose(64, flag, none, all));
    ck_assert_uint_eq(term_is_zero(64, term_choose(64, flag, none, all)), flag);
}
END_TEST

START_TEST(different_functions_stay_apart)
{
    ck_assert_uint_ne(term_carry(64, x, y, flag), term_carry(64, x, y, number(1, 0)));
    ck_assert_uint_ne(term_carry(64, x, y, flag), term_carry(32, x, y, flag));
    ck_assert_uint_ne(sub(x, y), sub(y, x));
    ck_assert_uint_ne(term_and(64, x, y), term_or(64, x, y));
    ck_assert_uint_ne(term_lanes(LANE_ADD, 128, 32, v, w), term_lanes(LANE_ADD, 128, 64, v, w));
    ck_assert_uint_ne(term_table(16, 1, &v, w, 0), term_table(16, 1, &w, v, 0));
    ck_assert_uint_ne(term_crypto(CRYPTO_AES_MIX, v, 0, 0), term_crypto(CRYPTO_AES_INV_MIX, v, 0, 0));
    ck_assert_uint_ne(term_multiply_high(true, x, y), term_multiply_high(false, x, y));
    ck_assert_uint_ne(term_choose(64, flag, x, y), term_choose(64, flag, y, x));
}
END_TEST

/* -- a second look -- */

static bool is_same(val a, val b) { return a == b || term_second_look(&a, &b); }

START_TEST(bitwise_functions_are_the_same_however_they_are_written)
{
    val select = term_or(64, term_and(64, x, z), term_and(64, y, term_not(64, z)));
    ck_assert(is_same(select, term_xor(64, y, term_and(64, z, term_xor(64, x, y)))));
    ck_assert(is_same(term_and(64, x, term_not(64, y)), term_xor(64, x, term_and(64, x, y))));
    ck_assert(is_same(term_or(64, x, y), term_not(64, term_and(64, term_not(64, x), term_not(64, y)))));
    val moved = term_field(64, term_xor(64, x, y), 8, 16, false);
    ck_assert(is_same(moved, term_xor(64, term_field(64, x, 8, 16, false), term_field(64, y, 8, 16, false))));
    /* inside what is no bitwise function, too */
    ck_assert(is_same(add(select, z), add(term_xor(64, y, term_and(64, z, term_xor(64, x, y))), z)));
    val mask = term_choose(64, flag, term_ones(64), term_zero(64));
    ck_assert(is_same(term_and(64, mask, term_xor(64, x, y)), term_choose(64, flag, term_xor(64, x, y), term_zero(64))));
    ck_assert(is_same(shl(add(x, y), 7), add(shl(x, 7), shl(y, 7))));
}
END_TEST

START_TEST(a_second_look_keeps_different_functions_apart)
{
    ck_assert(!is_same(term_or(64, x, y), term_xor(64, x, y)));
    ck_assert(!is_same(term_and(64, x, y), term_and(64, x, z)));
    ck_assert(!is_same(term_field(64, x, 8, 16, false), term_field(64, x, 9, 16, false)));
    ck_assert(!is_same(term_choose(64, flag, x, y), term_choose(64, flag, y, x)));
    ck_assert(!is_same(add(x, y), term_xor(64, x, y)));
}
END_TEST

/* -- random towers -- */

static uint64_t random_state;

static int pick(int n)
{
    random_state = random_state * 6364136223846793005ull + 1442695040888963407ull;
    return (int)((random_state >> 33) % (uint64_t)n);
}

enum { POOL = 40 };
static val wide[POOL], narrow[POOL], flags[POOL];

static val random_wide(void)
{
    static const int lanes[] = { 8, 16, 32, 64 };
    static const enum lane_op two[] = { LANE_ADD, LANE_SUB, LANE_AND, LANE_OR, LANE_XOR, LANE_UMAX,
                                        LANE_EQ, LANE_GT_U };
    val a = wide[pick(POOL)], b = wide[pick(POOL)];
    int lane = lanes[pick(4)];
    switch (pick(6)) {
    case 0: return term_lanes(LANE_NOT, 128, 128, a, 0);
    case 1: return term_shift((enum shift_op)pick(4), 128, lane, a, 1 + pick(lane - 1));
    case 2: return term_table(16, 1, &a, b, 0);
    case 3: return term_choose(128, flags[pick(POOL)], a, b);
    case 4: return term_crypto(CRYPTO_AES_SUB_SHIFT, a, 0, 0);
    default: return term_lanes(two[pick(COUNT(two))], 128, lane, a, b);
    }
}

static val random_narrow(void)
{
    static const enum lane_op two[] = { LANE_ADD, LANE_SUB, LANE_AND, LANE_OR, LANE_XOR, LANE_MUL };
    val a = narrow[pick(POOL)], b = narrow[pick(POOL)];
    int lo = pick(63);
    switch (pick(8)) {
    case 0: return term_lanes(LANE_NOT, 64, 64, a, 0);
    case 1: return term_shift((enum shift_op)pick(4), 64, 64, a, pick(64));
    case 2: return term_field(64, a, lo, 1 + pick(63 - lo), pick(2));
    case 3: return term_insert(64, a, b, lo, 1 + pick(63 - lo));
    case 4: return term_choose(64, flags[pick(POOL)], a, b);
    case 5: return term_add_carry(64, a, b, flags[pick(POOL)]);
    case 6: return term_field(64, wide[pick(POOL)], pick(2) * 64, 64, false);
    default: return term_lanes(two[pick(COUNT(two))], 64, 64, a, b);
    }
}

static val random_flag(void)
{
    val a = narrow[pick(POOL)], b = narrow[pick(POOL)], c = flags[pick(POOL)];
    switch (pick(5)) {
    case 0: return term_carry(64, a, b, c);
    case 1: return term_is_zero(64, a);
    case 2: return term_not(1, c);
    case 3: return term_field(1, a, pick(64), 1, false);
    default: return term_overflow(64, a, b, c);
    }
}

START_TEST(random_rewrites_keep_the_value)
{
    static const uint64_t edges[] = { 0, 1, ~0ull, 1ull << 63, 0xff, 0xffffffff };
    random_state = (uint64_t)_i;
    fresh();
    for (int i = 0; i < POOL; i++) {
        bool constant = pick(3) == 0;
        wide[i] = constant ? term_constant(128, (struct bits){ { edges[pick(6)], edges[pick(6)] } })
                           : term_input(128, "w", i, INPUT_SECRET);
        narrow[i] = constant ? number(64, edges[pick(6)]) : term_input(64, "n", i, INPUT_SECRET);
        flags[i] = constant ? number(1, (uint64_t)pick(2)) : term_input(1, "c", i, INPUT_SECRET);
    }
    for (int step = 0; step < 400; step++) {
        wide[pick(POOL)] = random_wide();
        narrow[pick(POOL)] = random_narrow();
        flags[pick(POOL)] = random_flag();
    }
    ck_assert_int_gt(term_count(), 300);
    for (int i = 0; i < POOL; i++) {            /* asserts that values are kept */
        term_canonical(wide[i]);
        term_canonical(narrow[i]);
    }
}
END_TEST

Suite *term_suite(void)
{
    Suite *s = suite_create("term");
    TCase *forms = tcase_create("normal forms");
    tcase_add_checked_fixture(forms, fresh, NULL);
    tcase_add_test(forms, xor_is_flat_and_modulo_two);
    tcase_add_test(forms, an_xor_without_end_is_no_accident);
    tcase_add_test(forms, subtraction_is_addition_of_the_complement);
    tcase_add_test(forms, shifted_operands_are_coefficients);
    tcase_add_test(forms, rotation_by_two_shifts_is_a_rotation);
    tcase_add_test(forms, moved_bits_come_together_again);
    tcase_add_test(forms, constant_tables_are_permutations);
    tcase_add_test(forms, a_carry_is_symmetric_and_comes_back_from_a_register);
    tcase_add_test(forms, every_way_to_choose_is_one_choice);
    tcase_add_test(forms, a_sum_that_is_a_concatenation_is_still_a_sum);
    tcase_add_test(forms, a_mask_of_a_complemented_flag_is_a_choice_of_the_flag);
    tcase_add_test(forms, different_functions_stay_apart);
    tcase_add_test(forms, bitwise_functions_are_the_same_however_they_are_written);
    tcase_add_test(forms, a_second_look_keeps_different_functions_apart);
    suite_add_tcase(s, forms);
    TCase *random = tcase_create("random towers");
    tcase_set_timeout(random, 60);
    tcase_add_loop_test(random, random_rewrites_keep_the_value, 0, 100);
    suite_add_tcase(s, random);
    return s;
}
