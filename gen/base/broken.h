/* broken.h: passes that are wrong on purpose, to see that verification notices.
 *
 * Only a build with KGEN_BREAKABLE has them (`make broken`, tests/broken_test.sh):
 * there the variable KGEN_BREAK names one pass. In every other build is_broken()
 * is the constant false.
 */
#ifndef KGEN_BASE_BROKEN_H
#define KGEN_BASE_BROKEN_H

#include <stdbool.h>

/* The pass, and what it then does wrong. */
#define BREAKABLE_PASSES(B)                                                    \
    B(SCHEDULER, "scheduler", "forgets who waits for a store")                 \
    B(PIPELINING, "pipelining", "forgets what the next iteration must wait for")  \
    B(ALLOCATOR, "allocator", "overlooks one interference in eleven")           \
    B(PAIRING,   "pairing",   "joins accesses that are not neighbours")         \
    B(HOISTING,  "hoisting",  "moves loads of what the loop writes")            \
    B(UNROLLING, "unrolling", "gives every copy the first index")               \
    B(EMISSION,  "emission",  "writes a neighbouring register")

enum breakable_pass {
#define BREAKABLE_ENUM(id, name, how) BROKEN_##id,
    BREAKABLE_PASSES(BREAKABLE_ENUM)
#undef BREAKABLE_ENUM
    BREAKABLE_COUNT
};

#ifdef KGEN_BREAKABLE
bool is_broken(enum breakable_pass pass);
#else
static inline bool is_broken(enum breakable_pass pass)
{
    (void)pass;
    return false;
}
#endif

#endif
