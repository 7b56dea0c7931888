/* emulator.h: run the functions of one object file in Unicorn, and watch them.
 *
 * Takes an object file of any platform. Gives calls by name, as C makes them,
 * each checked against what every caller on every platform may rely on: x19 to
 * x29, sp and the low halves of v8 to v15 are kept; x18 is not written;
 * nothing is touched outside the buffers, the tables, and the stack between
 * the deepest sp and the caller's; nothing below sp is written; the function
 * returns to its caller. Return addresses that a function signs are really
 * signed (both keys are on), so that one that is not authenticated goes
 * nowhere. On Windows, the stack grows page by page, and __chkstk is there.
 *
 * Everything that AAPCS64 6.1 lets a callee find undefined holds garbage: the
 * free registers, the flags, the stack below sp. Pages around each buffer,
 * around code, tables and stack do not exist.
 */
#ifndef KGEN_TESTS_HARNESS_EMULATOR_H
#define KGEN_TESTS_HARNESS_EMULATOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "harness/object.h"

struct emulator;

/* Where the tables stand in their page: in the middle, or as near to its end
 * as their alignment allows (so that they go over into the next). */
enum table_place { TABLES_MIDDLE, TABLES_PAGE_END };

/* NULL, and the reason in why[], when the file cannot be loaded. */
struct emulator *emulator_new(const char *path, enum table_place place, char *why, size_t why_size);
void emulator_free(struct emulator *e);
const struct object_file *emulator_object(const struct emulator *e);

/* Removes all buffers. */
void emulator_reset(struct emulator *e);

/* Which end of the buffer touches a page that does not exist. */
enum buffer_edge { EDGE_START, EDGE_END };
enum buffer_access { BUFFER_READ_ONLY, BUFFER_READ_WRITE };

/* A buffer of n bytes, at `skew` bytes from the edge, filled from `bytes` (or
 * with garbage when NULL). Gives its address. The bytes of its pages that do
 * not belong to it are compared after each call. */
uint64_t emulator_buffer(struct emulator *e, const void *bytes, size_t n, enum buffer_access access,
                         enum buffer_edge edge, unsigned skew);
void emulator_read(struct emulator *e, uint64_t address, void *bytes, size_t n);
void emulator_write(struct emulator *e, uint64_t address, const void *bytes, size_t n);

/* Bytes that the caller leaves at its sp for the calls up to the next reset:
 * the arguments that no register takes. A multiple of 16. */
void emulator_push(struct emulator *e, const void *bytes, size_t n);

struct call_report {
    char fault[160];            /* empty: nothing to complain about */
    uint64_t result;            /* x0 */
    uint64_t instructions;      /* executed, the return included */
    uint64_t stack_bytes;       /* deepest sp below the caller's */
    uint64_t pc_trace;          /* digests: of the addresses of instructions … */
    uint64_t access_trace;      /* … and of kind, address and size of every access */
};

/* Calls the function with up to eight arguments in x0 to x7. */
struct call_report emulator_call(struct emulator *e, const char *function,
                                 const uint64_t *arguments, int argument_count);

/* -- looking on -- */

struct emulated_registers {
    uint64_t pc, sp, x[31];
    uint64_t d[32], high[32];   /* the halves of v0 to v31 */
};

/* Called before each instruction of each call. False ends the call, with why[]
 * as its fault, behind "seen: ". */
typedef bool emulator_watcher(void *context, struct emulator *e, char *why, size_t why_size);
void emulator_watch(struct emulator *e, emulator_watcher *see, void *context);
/* Now (after a call: as it returned), and in the caller; pc and x30 of the latter are where it goes on. */
void emulator_registers(const struct emulator *e, struct emulated_registers *r);
uint64_t emulator_pc(const struct emulator *e);
const struct emulated_registers *emulator_caller(const struct emulator *e);
/* The word at that address of the stack; false outside and below sp. */
bool emulator_stack_word(const struct emulator *e, uint64_t address, uint64_t *word);

/* The instructions executed by the last call, as words, in order. */
const uint32_t *emulator_executed(const struct emulator *e, size_t *count);

#endif
