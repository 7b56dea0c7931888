/* trial.c: runs test blocks; see trial.h.
 *
 * Takes the module's code and the texts of its platforms. A test is one list
 * of steps over named buffers; every run of it starts from fresh buffers and
 * stops at its first failure, and a test that failed is not run again, so that
 * one mistake gives one message.
 *
 * Does not: know registers (trial_call.c), or whether code equals its source
 * for other inputs (prove.c).
 */
#include "verify/trial.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "verify/trial_run.h"

/* -- messages -- */

static void add_positions(struct text *t, const struct trial_run *r)
{
    const struct trial_memory *m = r->memory;
    for (int i = 0; i < m->place_count; i++)
        text_format(t, "%s%s at %d", i == 0 ? "; " : ", ", m->places[i].name,
                    (int)(m->places[i].base % 16));
    if (m->place_count > 0)
        text_add(t, " modulo 16");
}

static const char *describe(const struct trial_run *r)
{
    struct text t = { 0 };
    if (r->text == NULL)
        return "this is the source itself, before any code was made of it";
    text_format(&t, "in the code for %s, %s%s%s", target_name(r->text->file->target),
                r->text->file->name, r->variant[0] ? ", variant " : "", r->variant);
    add_positions(&t, r);
    return t.at;
}

void trial_fail(struct trial_run *r, struct loc where, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    const char *message = mem_format_list(fmt, args);
    va_end(args);
    assert(!r->failed);
    r->failed = true;
    error_at(where, RULE_EXPECT, "%s", message);
    note_at((struct loc){ 0 }, "%s", describe(r));
}

char *trial_number(uint64_t n, int bits)
{
    if (n < 10)
        return mem_format("%" PRIu64, n);
    return mem_format("0x%0*" PRIx64, bits / 4, n);
}

/* -- buffers -- */

struct trial_buffer *trial_find(struct trial_run *r, const struct object *o)
{
    for (int i = 0; i < r->buffers.n; i++)
        if (r->buffers.at[i].object == o)
            return &r->buffers.at[i];
    assert(false && "elaboration knows every buffer of a test");
    return NULL;
}

static void add_buffer(struct trial_run *r, const struct test_step *s)
{
    struct trial_buffer *from = s->expected.buffer ? trial_find(r, s->expected.buffer) : NULL;
    const uint8_t *bytes = from ? from->bytes : s->expected.bytes;
    struct trial_buffer b = { .object = s->buffer, .size = s->buffer->size };
    b.bytes = mem_alloc(b.size + 1);
    b.known = mem_alloc(b.size + 1);
    if (bytes) {
        uint64_t given = from ? from->size : s->expected.size;
        assert(given <= b.size);
        memcpy(b.bytes, bytes, given);
        memset(b.known, 1, given);
    }
    vec_push(&r->buffers, b);
}

/* -- expectations -- */

/* One element as it is written in a test: a number, or the bytes of a vector. */
static char *element_text(enum value_type type, const uint8_t *bytes, int size)
{
    uint64_t n = 0;
    struct text t = { 0 };
    if (!type_is_vector(type)) {
        for (int i = size - 1; i >= 0; i--)
            n = n << 8 | bytes[i];
        return trial_number(n, 8 * size);
    }
    for (int i = 0; i < size; i++)
        text_format(&t, "%02x", bytes[i]);
    return t.at;
}

static void report_difference(struct trial_run *r, const struct test_step *s,
                              const struct trial_buffer *b, const uint8_t *expected, uint64_t byte)
{
    enum value_type type = s->expected.element != TYPE_VOID ? s->expected.element : TYPE_U8;
    uint64_t size = (uint64_t)type_bytes(type), start = byte / size * size, at = s->offset + start;
    if (!b->known[s->offset + byte]) {
        trial_fail(r, s->loc, "%s[%" PRIu64 "] was never written, expected %s", s->buffer->name,
                   at / size, element_text(type, expected + start, (int)size));
    } else {
        trial_fail(r, s->loc, "%s[%" PRIu64 "] is %s, expected %s", s->buffer->name, at / size,
                   element_text(type, b->bytes + at, (int)size),
                   element_text(type, expected + start, (int)size));
    }
    note_at((struct loc){ 0 }, "the first byte that differs is byte %" PRIu64 " of %s",
            s->offset + byte, s->buffer->name);
}

static void expect_buffer(struct trial_run *r, const struct test_step *s)
{
    const struct trial_buffer *b = trial_find(r, s->buffer);
    const struct trial_buffer *other = s->expected.buffer ? trial_find(r, s->expected.buffer)
                                                          : NULL;
    const uint8_t *expected = other ? other->bytes : s->expected.bytes;
    uint64_t size = other ? other->size : s->expected.size;
    assert(s->offset + size <= b->size);
    for (uint64_t i = 0; i < size; i++)
        if (!b->known[s->offset + i] || b->bytes[s->offset + i] != expected[i]) {
            report_difference(r, s, b, expected, i);
            return;
        }
}

/* -- runs -- */

static void run_once(struct trial_run *r, const struct test *test)
{
    r->buffers.n = 0;
    r->memory->place_count = 0;
    for (const struct test_step *s = test->steps; s && !r->failed; s = s->next) {
        switch (s->kind) {
        case TEST_BUFFER: add_buffer(r, s); break;
        case TEST_CALL: trial_call(r, s); break;
        case TEST_EXPECT_BUFFER: expect_buffer(r, s); break;
        }
    }
}

/* In place wherever the calls of the test allow it: every such pair of parameters. */
static void run_shared(struct trial_run *r, const struct test *test)
{
    for (int pair = 0; pair < MAX_TRIAL_ARGS * MAX_TRIAL_ARGS; pair++) {
        if (!r->shareable[pair])
            continue;
        r->shared_out = pair / MAX_TRIAL_ARGS;
        r->shared_in = pair % MAX_TRIAL_ARGS;
        for (r->position = 0; r->position < POSITIONS && !r->failed; r->position++)
            run_once(r, test);
    }
}

static void run_text(struct trial_run *r, const struct test *test)
{
    r->shared_out = r->shared_in = -1;
    memset(r->shareable, 0, sizeof r->shareable);
    for (r->position = 0; r->position < POSITIONS && !r->failed; r->position++)
        run_once(r, test);
    if (!r->failed)
        run_shared(r, test);
}

/* Does the test call something of which the variant has code of its own? */
static bool concerns(const struct test *test, const struct code_module *m, const char *variant)
{
    for (const struct test_step *s = test->steps; s; s = s->next)
        for (int i = 0; s->kind == TEST_CALL && i < m->funcs.n; i++)
            if (trial_is_code_of(m->funcs.at[i], s->callee) &&
                strcmp(m->funcs.at[i]->variant->name, variant) == 0)
                return true;
    return false;
}

struct variant_names {
    VEC(const char *) at;
};

static struct variant_names variants_of(const struct code_module *m)
{
    struct variant_names names = { 0 };
    for (int i = 0; i < m->funcs.n; i++) {
        bool seen = false;
        for (int k = 0; k < names.at.n; k++)
            seen |= strcmp(names.at.at[k], m->funcs.at[i]->variant->name) == 0;
        if (!seen)
            vec_push(&names.at, m->funcs.at[i]->variant->name);
    }
    return names;
}

static bool run_on_all(struct trial_run *r, const struct test *test, const struct trial_text *texts,
                       int count)
{
    const struct variant_names variants = variants_of(r->code);
    r->failed = false;
    r->text = NULL;
    r->variant = "";
    r->position = 0;
    r->shared_out = r->shared_in = -1;
    run_once(r, test);
    for (int i = 0; i < count && !r->failed; i++)
        for (int v = 0; v < variants.at.n && !r->failed; v++) {
            r->text = &texts[i];
            r->variant = variants.at.at[v];
            if (concerns(test, r->code, r->variant))
                run_text(r, test);
        }
    return !r->failed;
}

static bool read_back(struct trial_text *out, const struct code_module *m,
                      const struct module_text *file)
{
    out->file = file;
    out->emitted = text_read(file->text->at, file->text->n);
    out->emitted.packs_arguments = target_packs_arguments(file->target);
    if (!out->emitted.complaint)
        return true;
    error_at(m->module->loc, RULE_NOT_EQUAL, "%s:%" PRIu32 ": cannot be read back: %s", file->name,
             out->emitted.line, out->emitted.complaint);
    return false;
}

bool trial_module(const struct code_module *m, const struct module_text *texts, int count,
                  struct trial_report *report)
{
    struct trial_text *read = NEW_ARRAY(struct trial_text, count + 1);
    struct trial_run r = { .module = m->module,
                           .code = m,
                           .report = report,
                           .memory = NEW(struct trial_memory),
                           .statement_limit = STATEMENT_LIMIT };
    bool all = true;
    for (int i = 0; i < count; i++)
        if (!read_back(&read[i], m, &texts[i]))
            return false;
    trial_memory_init(r.memory);
    for (const struct test *t = m->module->tests; t && !too_many_errors(); t = t->next) {
        report->tests++;
        all &= run_on_all(&r, t, read, count);
    }
    return all;
}
