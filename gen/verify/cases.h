/* cases.h: the public inputs for which a kernel is proved.
 *
 * Control flow in a constant-time kernel depends on public values only. A case
 * fixes them all: the public scalar parameters, the public fields and arrays
 * in memory, and which array parameters are the same array. What is left is
 * secret, or public without deciding anything, and symbolic: one run proves the
 * case for every value of it.
 */
#ifndef KGEN_VERIFY_CASES_H
#define KGEN_VERIFY_CASES_H

#include "lang/tree.h"

/* A public thing with several values: a scalar parameter or a struct's field. */
struct choice {
    const struct param *param;
    const struct field *field;          /* NULL: the parameter itself */
    VEC(uint64_t) values;               /* the ones tried, ascending */
    bool is_complete;                   /* they are all that the contract allows */
};

struct case_set {
    const struct func *func;
    VEC(struct choice) choices;
    /* partitions.at[k * objects + i]: the class of object i in partition k */
    VEC(uint8_t) partitions;
    int partition_count;
    uint64_t longest;                   /* the largest count tried, for the report */
};

/* Everything that could decide a branch of f, with the values to try: each loop
 * width met and passed twice, each remainder, each constant compared and its
 * neighbours, whole value sets when they are small. `depth` (1) multiplies how
 * far counts go. */
struct case_set cases_of(const struct func *f, int depth);

/* Large counts for prefix runs: 2^31, 2^32 + r, the largest the contract allows. */
void cases_large(const struct choice *c, uint64_t out[4], int *n);

#endif
