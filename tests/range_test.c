/* range_test.c: what range.h proves is true, and it proves what kernels need.
 *
 * Soundness is tried on random systems over a small domain, where every
 * assignment can be enumerated: nothing may be proved that one of them refutes.
 * Completeness is one claim a shape of question that bounds of kernels need.
 */
#include "lang/range.h"
#include "suites.h"

#include <limits.h>

static struct range r;

static void start(void)
{
    r = (struct range){ 0 };
}

static struct form sym(const char *name, wide lo, wide hi)
{
    return form_symbol(range_symbol(&r, SYMBOL_BASE, name, lo, hi));
}

static void at_least(struct form a, struct form b)
{
    range_assume(&r, FACT_GE, form_sub(a, b));
}

/* q = floor(x / k), as range_value.c defines it. */
static struct form quotient_of(struct form x, wide k)
{
    const struct form q = sym("q", 0, (wide)1 << 64);
    const struct form rest = form_sub(x, form_scale(q, k));

    range_always(&r, rest);
    range_always(&r, form_plus(form_scale(rest, -1), k - 1));
    return q;
}

START_TEST(an_index_below_its_count_is_inside)
{
    start();
    const struct form n = sym("n", 0, INT64_MAX), i = sym("i", 0, INT64_MAX);

    at_least(n, form_plus(i, 1));
    ck_assert(range_proves(&r, form_sub(form_scale(n, 8), form_plus(form_scale(i, 8), 8))));
    ck_assert(!range_proves(&r, form_sub(form_scale(n, 8), form_plus(form_scale(i, 8), 9))));
}
END_TEST

START_TEST(whole_blocks_and_the_rest_make_the_length)
{
    start();
    const struct form n = sym("n", 0, INT64_MAX), j = sym("j", 0, INT64_MAX);
    const struct form q = quotient_of(n, 32);

    /* j < n % 32 implies 32 * (n / 32) + j < n */
    at_least(form_sub(n, form_scale(q, 32)), form_plus(j, 1));
    ck_assert(range_proves(&r, form_sub(n, form_plus(form_add(form_scale(q, 32), j), 1))));
    ck_assert(range_proves(&r, form_plus(form_scale(j, -1), 30)));
    ck_assert(!range_proves(&r, form_plus(form_scale(j, -1), 29)));
}
END_TEST

START_TEST(an_equality_decides_a_quotient)
{
    start();
    const struct form bits = sym("bits", 0, UINT32_MAX);
    const struct form bytes = quotient_of(bits, 8);

    ck_assert(!range_proves(&r, form_plus(bytes, -32)));
    const struct range_marks m = range_mark(&r);
    range_assume(&r, FACT_EQ, form_plus(bits, -256));
    ck_assert(range_proves(&r, form_plus(bytes, -32)));
    ck_assert(!range_proves(&r, form_plus(bytes, -33)));
    range_release(&r, m);
    ck_assert(!range_proves(&r, form_plus(bytes, -32)));
}
END_TEST

START_TEST(a_value_set_is_tried_value_by_value)
{
    struct value_range sizes[] = { { 128, 128 }, { 192, 192 }, { 256, 256 } };
    struct value_range rounds[] = { { 9, 9 }, { 11, 11 }, { 13, 13 } };
    struct value_range wrong[] = { { 9, 9 }, { 11, 12 } };
    const struct value_set of_bits = { sizes, 3 }, of_rounds = { rounds, 3 }, not = { wrong, 2 };

    start();
    const int bits = range_symbol(&r, SYMBOL_BASE, "bits", 0, UINT32_MAX);
    range_restrict(&r, bits, &of_bits);
    const struct form v = form_plus(quotient_of(form_symbol(bits), 32), 5);
    ck_assert(range_proves_in(&r, v, &of_rounds));
    ck_assert(!range_proves_in(&r, v, &not));
    ck_assert(!range_proves_in(&r, form_plus(v, 1), &of_rounds));
}
END_TEST

START_TEST(a_disequality_has_two_sides)
{
    start();
    const struct form x = sym("x", 0, 2);

    range_assume(&r, FACT_NE, form_plus(x, -1));
    range_assume(&r, FACT_NE, x);
    ck_assert(range_proves(&r, form_plus(x, -2)));
}
END_TEST

START_TEST(divisibility_follows_from_a_known_remainder)
{
    start();
    const struct form n = sym("n", 0, INT64_MAX);
    const struct form rest = form_sub(n, form_scale(quotient_of(n, 4), 4));

    ck_assert(!range_proves_multiple(&r, n, 4));
    range_assume(&r, FACT_EQ, rest);
    ck_assert(range_proves_multiple(&r, n, 4));
    ck_assert(!range_proves_multiple(&r, n, 8));
}
END_TEST

START_TEST(numbers_beyond_the_limit_prove_nothing)
{
    start();
    const struct form x = sym("x", 0, UINT64_MAX);
    const struct form huge = form_scale(form_scale(x, WIDE_MAX / 4), 16);

    ck_assert(form_is_unknown(&huge));
    ck_assert(!range_proves(&r, huge));
    ck_assert(!range_proves(&r, form_sub(huge, huge)));
}
END_TEST

/* -- random systems -- */

enum { SYMBOLS = 3, LIMIT = 5, FACTS = 3, SYSTEMS = 3000 };

static uint32_t seed = 1;

static int draw(int n)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)(seed >> 16) % n;
}

static struct form random_form(int first)
{
    struct form f = form_constant(draw(13) - 6);

    for (int i = 0; i < SYMBOLS; i++)
        f = form_add(f, form_scale(form_symbol(first + i), draw(7) - 3));
    return f;
}

static long value_at(struct form f, int first, const int *x)
{
    long v = (long)f.constant;

    for (int i = 0; i < f.n; i++)
        v += (long)f.terms[i].factor * x[f.terms[i].symbol - first];
    return v;
}

static bool fact_holds(const struct fact *f, int first, const int *x)
{
    const long v = value_at(f->form, first, x);

    return f->kind == FACT_GE ? v >= 0 : f->kind == FACT_EQ ? v == 0 : v != 0;
}

static bool next_assignment(int *x)
{
    for (int i = 0; i < SYMBOLS; i++) {
        if (++x[i] <= LIMIT)
            return true;
        x[i] = 0;
    }
    return false;
}

START_TEST(nothing_false_is_proved)
{
    int proved = 0, possible = 0;

    for (int n = 0; n < SYSTEMS; n++) {
        struct fact facts[FACTS];
        wide lo, hi;
        long least = LONG_MAX, most = LONG_MIN;
        int x[SYMBOLS] = { 0 };

        start();
        for (int i = 0; i < SYMBOLS; i++)
            (void)sym("x", 0, LIMIT);
        for (int i = 0; i < FACTS; i++) {
            facts[i] = (struct fact){ .kind = (enum fact_kind)draw(3), .form = random_form(0) };
            range_assume(&r, facts[i].kind, facts[i].form);
        }
        const struct form goal = random_form(0);
        const bool yes = range_proves(&r, goal);
        range_bounds(&r, goal, &lo, &hi);
        do {
            bool holds = true;
            for (int i = 0; i < FACTS; i++)
                holds = holds && fact_holds(&facts[i], 0, x);
            if (!holds)
                continue;
            least = value_at(goal, 0, x) < least ? value_at(goal, 0, x) : least;
            most = value_at(goal, 0, x) > most ? value_at(goal, 0, x) : most;
        } while (next_assignment(x));
        ck_assert_msg(!yes || least >= 0, "system %d", n);
        if (least <= most) {
            ck_assert_msg(lo <= least && most <= hi, "bounds of system %d", n);
            possible += least >= 0;
            proved += yes;
        }
    }
    /* And it is not by never saying yes. */
    ck_assert_int_gt(proved * 10, possible * 8);
}
END_TEST

Suite *range_suite(void)
{
    Suite *s = suite_create("range");
    TCase *t = tcase_create("range");

    tcase_add_test(t, an_index_below_its_count_is_inside);
    tcase_add_test(t, whole_blocks_and_the_rest_make_the_length);
    tcase_add_test(t, an_equality_decides_a_quotient);
    tcase_add_test(t, a_value_set_is_tried_value_by_value);
    tcase_add_test(t, a_disequality_has_two_sides);
    tcase_add_test(t, divisibility_follows_from_a_known_remainder);
    tcase_add_test(t, numbers_beyond_the_limit_prove_nothing);
    tcase_add_test(t, nothing_false_is_proved);
    suite_add_tcase(s, t);
    return s;
}
