/* run.h: one random program, compiled and run in every way.
 *
 * The plain meaning is the walk of the typed tree over bytes; the executor runs
 * the text that was emitted for one of the platforms. What they agree on is
 * kept with the ELF text, so that Unicorn can run the same calls on machine
 * code (batch.c assembles many programs at once).
 */
#ifndef KGEN_TESTS_RANDOM_RUN_H
#define KGEN_TESTS_RANDOM_RUN_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

/* Not Check's assertion: this runs in processes of its own. */
static inline void require(bool holds, const char *what)
{
    if (!holds) {
        fprintf(stderr, "random programs: %s\n", what);
        abort();
    }
}

enum { RANDOM_ARGS = 8 };

/* A call and all that it must do. Lives until batch_free(). */
struct random_call {
    uint64_t seed;
    char function[32];
    int arg_count;
    struct { int buffer; uint64_t number; } args[RANDOM_ARGS];     /* buffer: -1 for a number */
    int buffer_count;
    struct random_buffer {
        uint64_t size, align;
        bool is_written;
        uint8_t *before, *after;
    } buffers[RANDOM_ARGS];
    uint64_t result, result_mask;
};

struct batch {
    FILE *assembly;             /* the ELF texts, one after the other */
    struct random_call *calls;
    int call_count, call_cap;
};

enum random_outcome {
    RANDOM_EQUAL,
    RANDOM_TOO_MANY_REGISTERS,  /* refused by the rule `registers`, which is no fault */
    RANDOM_REFUSED,             /* by any other rule: the generator or the checker is wrong */
    RANDOM_DIFFERENT
};

/* Compiles the program of a seed and runs a few calls; the batch (or NULL) takes
 * the first. When something is wrong the report gets it with the program, made
 * shorter while the fault stays. Each of these takes and releases the arena. */
enum random_outcome random_run(uint64_t seed, int number, struct batch *batch, FILE *report);
/* The same for a given source; the report may be NULL. */
enum random_outcome random_check(const char *source, uint64_t seed, struct batch *batch,
                                 FILE *report);
/* The program of a seed, to be freed. */
char *random_source(uint64_t seed, int number);
/* Leaves out lines as long as the outcome is RANDOM_DIFFERENT. */
void random_minimise(char *source, uint64_t seed);

/* Assembles the texts and runs every call in Unicorn; the number of calls that
 * did something else. */
int batch_run(struct batch *batch, const char *path, FILE *report);
void batch_begin(struct batch *batch, const char *path);
void batch_free(struct batch *batch);

#endif
