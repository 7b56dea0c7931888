/* objects.h: the object files that tests load, by module and platform.
 *
 * The Makefile assembles out/NAME-PLATFORM.S, and harness/faults.S for each
 * platform, into $BUILD/objects.
 */
#ifndef KGEN_TESTS_HARNESS_OBJECTS_H
#define KGEN_TESTS_HARNESS_OBJECTS_H

#include "harness/emulator.h"

enum { PLATFORM_COUNT = 3 };
extern const char *const platforms[PLATFORM_COUNT];     /* "linux", "apple", "win" */

/* Loads MODULE for a platform; a failure fails the running Check test. */
struct emulator *load_module(const char *module, int platform, enum table_place place);

#endif
