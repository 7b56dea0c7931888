/* unwound.h: unwinding from every instruction that calls reach.
 *
 * Takes an object and the modules that it was made of. Loads it into the emulator,
 * calls each export (calls.h), and before each instruction follows the object's own
 * tables (unwind.h) up to the caller, through subroutines, too. The caller's sp, pc,
 * x19 to x30 and d8 to d15 must come out exactly, and a return address must be signed
 * where the tables say so and nowhere else.
 */
#ifndef KGEN_TESTS_HARNESS_UNWOUND_H
#define KGEN_TESTS_HARNESS_UNWOUND_H

#include "harness/calls.h"

/* Is an instruction that no call reaches a fault? */
enum coverage { COVER_EVERYTHING, COVER_SOME };

/* The first fault, or an empty report. */
struct call_report unwind_calls(const char *path, const struct module *const *modules, int count,
                                enum coverage coverage);

#endif
