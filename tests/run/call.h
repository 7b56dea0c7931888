/* call.h: calls that are watched, and buffers between pages that do not exist.
 *
 * For the programs of this directory, which run the emitted ELF code under
 * qemu-user. A violation is described in a text; a run counts what it checked.
 */
#ifndef KGEN_TESTS_RUN_CALL_H
#define KGEN_TESTS_RUN_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What call.S found after the call, in its order. */
struct call_seen {
    uint64_t x18_to_x29[12];
    uint64_t sp_before, sp_after;
    uint64_t d8_to_d15[8];
};

struct call_result {
    uint64_t value;             /* x0 */
    char fault[96];             /* empty: every promise was kept */
};

typedef void (*any_function)(void);

/* Calls with up to eight arguments. A wild access ends the call, not the run, and
 * so does a call into the section `kernels` that does not meet a branch target:
 * its pages are guarded (BTI). */
struct call_result call_watched(any_function function, const uint64_t *arguments, int count);

/* A buffer that ends (or begins) where its mapping does. */
enum guard_edge { GUARD_START, GUARD_END, GUARD_EDGES };
struct guarded { uint8_t *pages, *pattern; size_t size; };

/* Room for up to `most` bytes. Ends the program when memory cannot be had. */
struct guarded guarded_new(size_t most);
/* Where n bytes stand that leave `skew` bytes to that edge. All of the pages is
 * filled with a pattern. */
uint8_t *guarded_place(const struct guarded *g, size_t n, enum guard_edge edge, unsigned skew);
/* Is the pattern whole everywhere but in the n bytes at p? */
bool guarded_intact(const struct guarded *g, const uint8_t *p, size_t n);

/* Counts a check; when it fails, prints the message and ends the program. */
void check(bool holds, const char *format, ...) __attribute__((format(printf, 2, 3)));
unsigned long checks_passed(void);

/* The next `n` bytes of the file that the oracle wrote. */
void expected_open(const char *path);
void expected_read(void *at, size_t n);
void expected_end(void);        /* nothing may be left */

#endif
