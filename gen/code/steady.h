/* steady.h: what a loop of one block takes when a stretch of it is reordered.
 *
 * A list scheduler counts one pass from an empty core. Of a loop what counts is the
 * steady state, where the end of one pass meets the start of the next.
 */
#ifndef KGEN_CODE_STEADY_H
#define KGEN_CODE_STEADY_H

#include "code/pipeline.h"

struct steady {
    struct pipeline *pipeline;
    int *order;                 /* of the whole block */
    int n, first;               /* the stretch begins there */
};

/* The block of FIRST, of which the stretch that begins there moves. */
struct steady steady_new(const struct core *core, const struct mach_insn *first);
/* Hundredths of a cycle for a pass with the stretch of N in ORDER. */
int steady_interval(struct steady *s, const int *order, int n);

#endif
