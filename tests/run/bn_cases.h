/* bn_cases.h: the numbers that bn.c adds and subtracts.
 *
 * The program under test and the oracle walk the same list: every length from
 * 0 to 70 limbs, limbs from {0, 1, 2^63, 2^64 - 1}; all combinations up to
 * three limbs, carries that ripple through everything, and for the rest as
 * many pseudo-random choices as keep the run short.
 */
#ifndef KGEN_TESTS_RUN_BN_CASES_H
#define KGEN_TESTS_RUN_BN_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BN_MAX_LIMBS = 70 };

struct bn_case {
    size_t n;
    uint64_t index;             /* among those of this length */
    uint64_t a[BN_MAX_LIMBS], b[BN_MAX_LIMBS];
};

/* What the oracle writes for a case: little-endian 64-bit words, n for each
 * number, then the carry or borrow. */
enum bn_result { BN_SUM, BN_DIFFERENCE, BN_DOUBLE, BN_RESULTS };    /* a + b, a - b, a + a */

/* The first case, and then the next one; false after the last. */
bool bn_first_case(struct bn_case *c);
bool bn_next_case(struct bn_case *c);

#endif
