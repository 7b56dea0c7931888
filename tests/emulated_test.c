/* emulated_test.c: the kernels of all three object formats, run in Unicorn
 * between missing pages, against libcrypto.
 *
 * run/ does the same for the ELF output on far more inputs; here the point is
 * that Mach-O and COFF objects do what the ELF ones do, that tables are found
 * at the end of a page, and that secrets change no address.
 */
#include <check.h>
#include <openssl/bn.h>
#include <string.h>

#include "harness/objects.h"
#include "suites.h"

/* -- bn -- */

enum { MAX_LIMBS = 40, MAX_BYTES = 8 * MAX_LIMBS };

static const struct { const char *function; bool is_subtract; } sums[] = {
    { "bn_add_words", false }, { "bn_sub_words", true }
};

/* The five ways in which r, a and b may be the same: which buffer each is. */
static const struct { int r, a, b; } aliasings[] = {
    { 0, 1, 2 }, { 1, 1, 2 }, { 2, 1, 2 }, { 0, 1, 1 }, { 1, 1, 1 }
};
enum { ALIASINGS = sizeof aliasings / sizeof *aliasings };

/* Words that make and stop carries, by a pattern that differs with the seed. */
static void fill_words(uint64_t *w, size_t n, unsigned seed)
{
    static const uint64_t edges[4] = { 0, 1, (uint64_t)1 << 63, ~(uint64_t)0 };
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;     /* ISO C 7.22.2.2's example */
        w[i] = edges[seed >> 16 & 3];
    }
}

/* Little-endian n-limb numbers through libcrypto; gives the carry or borrow. */
static uint64_t expected_sum(bool is_subtract, uint64_t *r, const uint64_t *a, const uint64_t *b,
                             size_t n)
{
    BIGNUM *x = BN_lebin2bn((const unsigned char *)a, (int)(8 * n), NULL);
    BIGNUM *y = BN_lebin2bn((const unsigned char *)b, (int)(8 * n), NULL);
    BIGNUM *modulus = BN_new();
    ck_assert(x != NULL && y != NULL && modulus != NULL);
    ck_assert(BN_set_bit(modulus, (int)(64 * n)));
    ck_assert(is_subtract ? BN_sub(x, x, y) : BN_add(x, x, y));
    bool carry = is_subtract ? BN_is_negative(x) : BN_cmp(x, modulus) >= 0;
    if (carry)
        ck_assert(is_subtract ? BN_add(x, x, modulus) : BN_sub(x, x, modulus));
    ck_assert_int_eq(BN_bn2lebinpad(x, (unsigned char *)r, (int)(8 * n)), (int)(8 * n));
    BN_free(x);
    BN_free(y);
    BN_free(modulus);
    return carry;
}

static void check_sum(struct emulator *e, int which, size_t n, int aliasing, enum buffer_edge edge)
{
    uint64_t words[3][MAX_LIMBS] = { { 0 } }, expected[MAX_LIMBS] = { 0 }, got[MAX_LIMBS], at[3];
    emulator_reset(e);
    for (int i = 0; i < 3; i++) {
        fill_words(words[i], n, (unsigned)(1000 * n + 10 * (size_t)aliasing + (size_t)i));
        at[i] = emulator_buffer(e, words[i], 8 * n,
                                aliasings[aliasing].r == i ? BUFFER_READ_WRITE : BUFFER_READ_ONLY,
                                edge, 0);
    }
    uint64_t arguments[4] = { at[aliasings[aliasing].r], at[aliasings[aliasing].a],
                              at[aliasings[aliasing].b], n };
    uint64_t carry = expected_sum(sums[which].is_subtract, expected, words[aliasings[aliasing].a],
                                  words[aliasings[aliasing].b], n);
    struct call_report r = emulator_call(e, sums[which].function, arguments, 4);
    ck_assert_msg(r.fault[0] == 0, "%s, %zu limbs, aliasing %d: %s", sums[which].function, n,
                  aliasing, r.fault);
    ck_assert_uint_eq(r.result, carry);
    emulator_read(e, arguments[0], got, 8 * n);
    ck_assert_mem_eq(got, expected, 8 * n);
}

START_TEST(sums_equal_those_of_libcrypto)
{
    struct emulator *e = load_module("bn-armv8", _i, TABLES_MIDDLE);
    for (int which = 0; which < 2; which++) {
        for (size_t n = 0; n <= MAX_LIMBS; n++) {
            for (int aliasing = 0; aliasing < ALIASINGS; aliasing++) {
                check_sum(e, which, n, aliasing, EDGE_START);
                check_sum(e, which, n, aliasing, EDGE_END);
            }
        }
    }
    emulator_free(e);
}
END_TEST

START_TEST(no_limbs_with_null_pointers)
{
    struct emulator *e = load_module("bn-armv8", _i, TABLES_MIDDLE);
    for (int which = 0; which < 2; which++) {
        uint64_t arguments[4] = { 0, 0, 0, 0 };
        struct call_report r = emulator_call(e, sums[which].function, arguments, 4);
        ck_assert_str_eq(r.fault, "");
        ck_assert_uint_eq(r.result, 0);
    }
    emulator_free(e);
}
END_TEST

/* The trace of a call with these numbers. */
static struct call_report traced_sum(struct emulator *e, int which, unsigned seed, size_t n)
{
    uint64_t a[MAX_LIMBS], b[MAX_LIMBS];
    fill_words(a, n, seed);
    fill_words(b, n, seed + 1);
    emulator_reset(e);
    uint64_t arguments[4] = {
        emulator_buffer(e, NULL, 8 * n, BUFFER_READ_WRITE, EDGE_END, 0),
        emulator_buffer(e, a, 8 * n, BUFFER_READ_ONLY, EDGE_END, 0),
        emulator_buffer(e, b, 8 * n, BUFFER_READ_ONLY, EDGE_END, 0), n
    };
    return emulator_call(e, sums[which].function, arguments, 4);
}

START_TEST(numbers_do_not_show_in_the_trace_of_a_sum)
{
    struct emulator *e = load_module("bn-armv8", _i, TABLES_MIDDLE);
    for (int which = 0; which < 2; which++) {
        for (size_t n = 1; n <= MAX_LIMBS; n++) {
            struct call_report x = traced_sum(e, which, 1, n), y = traced_sum(e, which, 99, n);
            ck_assert_uint_eq(x.pc_trace, y.pc_trace);
            ck_assert_uint_eq(x.access_trace, y.access_trace);
        }
    }
    emulator_free(e);
}
END_TEST

Suite *emulated_suite(void)
{
    Suite *suite = suite_create("emulated");
    TCase *bn = tcase_create("bn");
    tcase_add_loop_test(bn, sums_equal_those_of_libcrypto, 0, PLATFORM_COUNT);
    tcase_add_loop_test(bn, no_limbs_with_null_pointers, 0, PLATFORM_COUNT);
    tcase_add_loop_test(bn, numbers_do_not_show_in_the_trace_of_a_sum, 0, PLATFORM_COUNT);
    tcase_set_timeout(bn, 120);
    suite_add_tcase(suite, bn);
    return suite;
}
