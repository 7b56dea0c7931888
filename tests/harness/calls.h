/* calls.h: calls of any kernel, made from what its source says.
 *
 * Takes a module of kernels.def or of tests/kernels. Gives calls of its exports
 * that meet each loop width, remainder and value set (verify/cases.h), with
 * buffers of exactly the declared extents. Tests that ask something of every
 * instruction (unwinding, hardening) go through these, so that a new kernel is
 * covered when it is written.
 */
#ifndef KGEN_TESTS_HARNESS_CALLS_H
#define KGEN_TESTS_HARNESS_CALLS_H

#include "harness/emulator.h"
#include "lang/tree.h"

/* The module of that name; a failure fails the running Check test. */
const struct module *calls_module(const char *name);

/* The symbol of a variant: "f", "f_sha3". */
const char *calls_symbol(const struct func *f, int variant);

/* Makes every call; stops at the first with a fault and gives it. With each
 * public field of a struct also just outside its value set, where only what the
 * watcher says is a fault. */
struct call_report make_calls(struct emulator *e, const struct func *f, const char *symbol);

#endif
