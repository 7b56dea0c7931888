/* batch.c: many programs assembled at once and run in Unicorn.
 *
 * Takes the ELF texts and calls that random_run() kept. One assembler call makes
 * one object of all of them, so that a program costs no process of its own.
 */
#include <inttypes.h>
#include <string.h>

#include "base/mem.h"
#include "harness/emulator.h"
#include "random/run.h"

void batch_begin(struct batch *b, const char *path)
{
    char *name = mem_format("%s.S", path);

    *b = (struct batch){ .assembly = fopen(name, "w") };
    require(b->assembly != NULL, mem_format("%s cannot be written", name));
}

void batch_free(struct batch *b)
{
    for (int i = 0; i < b->call_count; i++)
        for (int k = 0; k < b->calls[i].buffer_count; k++) {
            free(b->calls[i].buffers[k].before);
            free(b->calls[i].buffers[k].after);
        }
    free(b->calls);
}

/* How far from the edge of its pages: any distance that keeps the alignment. */
static unsigned skew_of(const struct random_call *c, int buffer)
{
    const uint64_t align = c->buffers[buffer].align;

    return (unsigned)((c->seed + (uint64_t)buffer * 5) % 16 / align * align);
}

static const char *compare(struct emulator *e, const struct random_call *c, const uint64_t *at)
{
    for (int i = 0; i < c->buffer_count; i++) {
        uint8_t *found = malloc(c->buffers[i].size + 1);
        const char *difference = NULL;

        require(found != NULL, "out of memory");
        emulator_read(e, at[i], found, c->buffers[i].size);
        for (uint64_t k = 0; k < c->buffers[i].size && difference == NULL; k++)
            if (found[k] != c->buffers[i].after[k])
                difference = mem_format("byte %" PRIu64 " of buffer %d is 0x%02x, not 0x%02x", k, i,
                                        found[k], c->buffers[i].after[k]);
        free(found);
        if (difference != NULL)
            return difference;
    }
    return NULL;
}

static const char *run_call(struct emulator *e, const struct random_call *c)
{
    uint64_t at[RANDOM_ARGS], arguments[RANDOM_ARGS];

    emulator_reset(e);
    for (int i = 0; i < c->buffer_count; i++)
        at[i] = emulator_buffer(e, c->buffers[i].before, c->buffers[i].size,
                                c->buffers[i].is_written ? BUFFER_READ_WRITE : BUFFER_READ_ONLY,
                                (c->seed + (uint64_t)i) % 2 ? EDGE_START : EDGE_END, skew_of(c, i));
    for (int i = 0; i < c->arg_count; i++)
        arguments[i] = c->args[i].buffer >= 0 ? at[c->args[i].buffer] : c->args[i].number;
    const struct call_report r = emulator_call(e, c->function, arguments, c->arg_count);
    if (r.fault[0])
        return mem_format("%s", r.fault);
    if ((r.result & c->result_mask) != (c->result & c->result_mask))
        return mem_format("the result is 0x%" PRIx64 ", not 0x%" PRIx64, r.result & c->result_mask,
                          c->result);
    return compare(e, c, at);
}

int batch_run(struct batch *b, const char *path, FILE *report)
{
    char why[200];
    int wrong = 0;
    const char *command = mem_format("aarch64-linux-gnu-gcc -c -o %s.o %s.S", path, path);

    require(fclose(b->assembly) == 0, "the texts cannot be written");
    require(system(command) == 0, mem_format("failed: %s", command));
    struct emulator *e = emulator_new(mem_format("%s.o", path), TABLES_MIDDLE, why, sizeof why);
    require(e != NULL, mem_format("%s.o: %s", path, why));
    for (int i = 0; i < b->call_count; i++) {
        const char *problem = run_call(e, &b->calls[i]);

        if (problem == NULL)
            continue;
        fprintf(report, "seed %" PRIu64 ", %s in Unicorn: %s\n", b->calls[i].seed,
                b->calls[i].function, problem);
        wrong++;
    }
    emulator_free(e);
    return wrong;
}
