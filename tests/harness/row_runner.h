/* row_runner.h: single instructions run by an emulator on given registers.
 *
 * Assembles many instructions into one program; runs one of them on an array of
 * records, each a whole register file that the instruction then changes. The
 * harness around the instruction keeps itself in x18, which no row uses.
 * The program runs under qemu-user, whose stores cost an order of magnitude
 * less than Unicorn's; it shares the records with the test.
 */
#ifndef KGEN_TESTS_HARNESS_ROW_RUNNER_H
#define KGEN_TESTS_HARNESS_ROW_RUNNER_H

#include <stdint.h>

#include "base/mem.h"
#include "harness/record.h"

enum { RECORDS = 128 };
#define SHARED_BASE 0x10000000u         /* where the program sees struct shared */
#define WINDOW_BASE (SHARED_BASE + RECORDS * sizeof(struct record))

struct shared {
    struct record records[RECORDS];     /* in and out */
    uint8_t windows[RECORDS][WINDOW_BYTES];     /* memory of each record */
};

struct row_runner {
    struct shared *shared;
    int requests, answers;              /* pipes to and from the program */
    int process;
    VEC(struct phys_insn) insns;
};

/* Assembles and starts the program; a failing step fails the test. */
struct row_runner *row_runner_new(const struct phys_insn *list, int n);
/* Runs instruction number N of the list on all records. */
void row_runner_run(struct row_runner *r, int n);
void row_runner_free(struct row_runner *r);

#endif
