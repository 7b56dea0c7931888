/* trial_run.h: one run of one test, shared by trial.c (its steps) and
 * trial_call.c (a call). Private to the two. */
#ifndef KGEN_VERIFY_TRIAL_RUN_H
#define KGEN_VERIFY_TRIAL_RUN_H

#include <string.h>

#include "lang/tree.h"
#include "verify/abi.h"
#include "verify/bytes.h"
#include "verify/trial.h"
#include "verify/text_read.h"

/* The walk of the source keeps every value that it makes, so it has a limit. */
enum { MAX_TRIAL_ARGS = MAX_ARGUMENTS, POSITIONS = 16, STATEMENT_LIMIT = 1000000 };

/* A named buffer of the test. */
struct trial_buffer {
    const struct object *object;
    uint64_t size;
    uint8_t *bytes, *known;     /* known: set by the test or stored by a call */
};

/* Memory of one call: one buffer, or several arguments that share it. */
struct trial_place {
    const char *name;
    uint64_t size, base, align;
    uint8_t *bytes, *known, *stored;
    uint64_t capacity;          /* of the three */
    bool is_written;            /* some parameter of it is no `in` */
    int args;                   /* how many arguments it serves */
};

struct trial_text {
    const struct module_text *file;
    struct emitted emitted;
};

/* The domain, and which bytes were stored during a call. */
struct trial_memory {
    struct byte_domain bytes;   /* first: domain.h's functions cast to it */
    void (*store)(struct domain *, val address, int bytes, val v);
    struct trial_place places[MAX_TRIAL_ARGS];
    int place_count;
    uint8_t *stack, *stack_known;
};

struct trial_run {
    const struct module *module;
    const struct code_module *code;
    const struct trial_text *text;      /* NULL: the source itself is run */
    const char *variant;
    int position;                       /* 0 .. POSITIONS - 1 */
    int shared_out, shared_in;          /* parameters made one array; -1: as the test says */
    /* [MAX_TRIAL_ARGS * out + in]: some call allowed that pair */
    bool shareable[MAX_TRIAL_ARGS * MAX_TRIAL_ARGS];
    uint64_t statement_limit;
    bool failed, limited;               /* limited: because of that limit */
    uint64_t result;                    /* of the last call */

    struct trial_memory *memory;
    VEC(struct trial_buffer) buffers;
    struct trial_report *report;
};

void trial_memory_init(struct trial_memory *m);
/* One TEST_CALL step: contract, call, result, and what the ABI asks for. */
void trial_call(struct trial_run *r, const struct test_step *s);

/* Code is made of a shaped copy of the tree: the name tells which function it is. */
static inline bool trial_is_code_of(const struct mach_func *code, const struct func *source)
{
    return strcmp(code->func->name, source->name) == 0;
}

struct trial_buffer *trial_find(struct trial_run *r, const struct object *o);
/* Reports; the run is over then. */
void trial_fail(struct trial_run *r, struct loc where, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* A number of that many bits, as messages show it. */
char *trial_number(uint64_t n, int bits);

#endif
