/* record.h: a whole register file, filled with random and edge values, and
 * instructions that can run on it alone.
 *
 * A load or store has its base pointed into a window of memory. Calls, returns,
 * addresses of symbols and hints do not run alone.
 */
#ifndef KGEN_TESTS_HARNESS_RECORD_H
#define KGEN_TESTS_HARNESS_RECORD_H

#include <stdint.h>

#include "isa_examples.h"

enum { WINDOW_BYTES = 256 };

struct record {
    uint64_t x[31];                     /* x[18] is not run */
    uint64_t sp;
    uint64_t nzcv;                      /* bits 31..28, as in the system register */
    uint64_t taken;                     /* after a branch: did it go to its label? */
    uint64_t v[32][2];
};

bool insn_is_memory(const struct phys_insn *insn);
bool row_runs_alone(const struct insn_row *row);

/* A random legal instruction of a row whose base, if any, can be chosen freely. */
struct phys_insn roll_runnable(struct dice *dice, enum insn row);
void roll_record(struct dice *dice, struct record *r);
/* Points the base of a load or store into the window at that address. */
void record_aim(struct dice *dice, const struct phys_insn *insn, struct record *r, uint64_t window);

#endif
