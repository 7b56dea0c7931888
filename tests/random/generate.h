/* generate.h: random kernels, as source text.
 *
 * A seed gives one module with one export `kNUMBER` and what it uses: tables, an
 * extern struct, inline and local functions. Every program is well typed, in
 * bounds and constant-time by construction, uses every value that it makes, and
 * reads nothing that it did not set, so that kgen has no reason to refuse it
 * but too few registers.
 */
#ifndef KGEN_TESTS_RANDOM_GENERATE_H
#define KGEN_TESTS_RANDOM_GENERATE_H

#include <stdint.h>

#include "base/text.h"

/* Counts that decide extents are at most this. */
enum { RANDOM_COUNT_MAX = 40 };

void random_program(struct text *out, uint64_t seed, int number);

#endif
