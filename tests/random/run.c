/* run.c: compiles a random program and compares its emitted code with its
 * source; see run.h.
 */
#include "random/run.h"

#include <inttypes.h>
#include <string.h>

#include "random/generate.h"
#include "tool/compile.h"
#include "verify/reference.h"
#include "verify/trial_run.h"

enum { CALLS = 3, STATEMENTS = 20000 /* in one call */ };

/* What a seed's calls are made of. */
struct subject {
    uint64_t seed, state;
    struct code_module *code;
    const struct func *func;
    struct trial_text text;
    struct trial_run run;
    struct test_step step;
    struct test_value args[RANDOM_ARGS];
    struct object buffers[RANDOM_ARGS];
    int buffer_of[RANDOM_ARGS];
    uint8_t *before[RANDOM_ARGS], *expected[RANDOM_ARGS];
    uint64_t expected_result;
    bool is_long; /* with large counts it would run for too long */
};

/* splitmix64, Steele et al. 2014 */
static uint64_t next_random(struct subject *s)
{
    uint64_t z = s->state += 0x9e3779b97f4a7c15u;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t below(struct subject *s, uint64_t n) { return next_random(s) % n; }

static uint64_t edge_word(struct subject *s)
{
    static const uint64_t edges[] = {
        0, 1, (uint64_t)1 << 63, ~(uint64_t)0, 0x80000000, 0xffffffff
    };

    return below(s, 3) == 0 ? edges[below(s, COUNT(edges))] : next_random(s);
}

/* -- choosing arguments -- */

static uint64_t number_for(struct subject *s, const struct param *p)
{
    if (strcmp(p->name, "n") == 0 || strcmp(p->name, "m") == 0)
        return s->is_long         ? below(s, 4)
               : below(s, 4) == 0 ? below(s, 6)
                                  : below(s, RANDOM_COUNT_MAX + 1);
    if (p->type == TYPE_I32)
        return (uint32_t)below(s, 13) - 6;
    return value_types[p->type].bits == 32 ? edge_word(s) & 0xffffffff : edge_word(s);
}

static void choose_numbers(struct subject *s)
{
    for (int i = 0; i < s->func->param_count; i++) {
        const struct param *p = &s->func->params[i];

        s->args[i] = (struct test_value){ .element = p->type, .is_memory = p->object != NULL };
        if (p->object == NULL)
            s->args[i].number = number_for(s, p) &
                                (value_types[p->type].bits == 32 ? 0xffffffff : ~0ull);
    }
}

static uint64_t size_of(struct subject *s, const struct object *o)
{
    struct byte_domain *d = &s->run.memory->bytes;
    struct reference_arg args[RANDOM_ARGS] = { { 0 } };
    struct reference_run run = { .domain = &d->domain, .func = s->func, .args = args };
    uint64_t size = 0;

    for (int i = 0; i < s->func->param_count; i++)
        if (s->func->params[i].var != NULL)
            args[i].value = byte_value(d, value_types[s->func->params[i].var->type].bits,
                                       (struct bits){ { s->args[i].number, 0 } });
    require(reference_number(&run, o->extent, &size), "an extent that is not known");
    return size;
}

/* May parameter I be the array of parameter K and of all that share it? */
static bool may_join(const struct subject *s, int i, int k)
{
    for (int j = 0; j < i; j++) {
        const struct object *o = s->func->params[j].object;

        if (o != NULL && s->buffer_of[j] == s->buffer_of[k] &&
            !objects_may_be_same(s->func, o, s->func->params[i].object))
            return false;
    }
    return s->func->params[k].object != NULL;
}

static void fill_struct(struct subject *s, const struct struct_type *t, uint8_t *bytes)
{
    for (int i = 0; t != NULL && i < t->field_count; i++) {
        const struct field *f = &t->fields[i];

        if (f->set.n == 0)
            continue;
        const uint64_t v = f->set.at[below(s, (uint64_t)f->set.n)].lo;
        for (int k = 0; k < type_bytes(f->element); k++)
            bytes[f->offset + (uint64_t)k] = (uint8_t)(v >> 8 * k);
    }
}

static int new_buffer(struct subject *s, int i, int count)
{
    const struct object *o = s->func->params[i].object;
    const uint64_t size = size_of(s, o);

    s->buffers[count] = (struct object){ .name = o->name, .size = size, .align = o->align };
    s->before[count] = mem_alloc(size + 8);
    for (uint64_t k = 0; k < size; k += 8) {
        const uint64_t word = edge_word(s);
        memcpy(s->before[count] + k, &word, 8);
    }
    fill_struct(s, o->layout, s->before[count]);
    return count;
}

static int choose_buffers(struct subject *s)
{
    int count = 0;

    for (int i = 0; i < s->func->param_count; i++) {
        int shared = -1;

        s->buffer_of[i] = -1;
        if (s->func->params[i].object == NULL)
            continue;
        for (int k = 0; k < i && shared < 0; k++)
            if (may_join(s, i, k) && below(s, 2) == 0)
                shared = k;
        s->buffer_of[i] = shared >= 0 ? s->buffer_of[shared] : new_buffer(s, i, count++);
        s->args[i].buffer = &s->buffers[s->buffer_of[i]];
    }
    return count;
}

/* -- one call -- */

static void fresh_buffers(struct subject *s, int count)
{
    s->run.buffers.n = 0;
    for (int i = 0; i < count; i++) {
        struct trial_buffer b = { .object = &s->buffers[i], .size = s->buffers[i].size };

        b.bytes = mem_alloc(b.size + 8);
        b.known = mem_alloc(b.size + 8);
        memcpy(b.bytes, s->before[i], b.size);
        memset(b.known, 1, b.size);
        vec_push(&s->run.buffers, b);
    }
}

static bool call(struct subject *s, const struct trial_text *text, int count)
{
    s->run.text = text;
    s->run.failed = s->run.limited = false;
    s->run.shared_out = s->run.shared_in = -1;
    fresh_buffers(s, count);
    trial_call(&s->run, &s->step);
    return !s->run.failed;
}

static void keep_expected(struct subject *s, int count)
{
    for (int i = 0; i < count; i++)
        s->expected[i] = s->run.buffers.at[i].bytes;
    s->expected_result = s->run.result;
}

static bool compare(const struct subject *s, int count, struct text *why)
{
    if (s->func->result_count > 0 && s->run.result != s->expected_result) {
        text_format(why, "the result is 0x%" PRIx64 ", expected 0x%" PRIx64 "\n", s->run.result,
                    s->expected_result);
        return false;
    }
    for (int i = 0; i < count; i++)
        for (uint64_t k = 0; k < s->buffers[i].size; k++)
            if (s->run.buffers.at[i].bytes[k] != s->expected[i][k]) {
                text_format(why, "byte %" PRIu64 " of %s is 0x%02x, expected 0x%02x\n", k,
                            s->buffers[i].name, s->run.buffers.at[i].bytes[k], s->expected[i][k]);
                return false;
            }
    return true;
}

static void describe_call(const struct subject *s, struct text *why)
{
    text_format(why, "call with");
    for (int i = 0; i < s->func->param_count; i++)
        if (s->func->params[i].object != NULL)
            text_format(why, " %s = %s,", s->func->params[i].name, s->args[i].buffer->name);
        else
            text_format(why, " %s = 0x%" PRIx64 ",", s->func->params[i].name, s->args[i].number);
    text_format(why, " %s%s%s at position %d\n",
                s->run.text ? target_name(s->run.text->file->target) : "source",
                s->run.variant[0] ? ", variant " : "", s->run.variant, s->run.position);
}

/* -- keeping what Unicorn runs again -- */

static uint8_t *keep_bytes(const uint8_t *bytes, uint64_t size)
{
    uint8_t *kept = malloc(size + 1);

    require(kept != NULL, "out of memory");
    memcpy(kept, bytes, size);
    return kept;
}

static void keep_call(const struct subject *s, struct batch *b, int count)
{
    if (b->call_count == b->call_cap) {
        b->call_cap = b->call_cap ? 2 * b->call_cap : 64;
        b->calls = realloc(b->calls, sizeof *b->calls * (size_t)b->call_cap);
        require(b->calls != NULL, "out of memory");
    }
    struct random_call *c = &b->calls[b->call_count++];
    *c = (struct random_call){ .seed = s->seed,
                               .arg_count = s->func->param_count,
                               .buffer_count = count,
                               .result = s->expected_result };
    snprintf(c->function, sizeof c->function, "%s%s%s", s->func->name, s->run.variant[0] ? "_" : "",
             s->run.variant);
    if (s->func->result_count > 0)
        c->result_mask = value_types[s->func->results[0]].bits == 64 ? ~0ull : 0xffffffff;
    for (int i = 0; i < c->arg_count; i++) {
        const struct object *o = s->func->params[i].object;

        c->args[i].buffer = s->buffer_of[i];
        c->args[i].number = s->args[i].number;
        if (o == NULL && value_types[s->func->params[i].type].bits == 32)
            c->args[i].number |= 0xdeadbeef00000000;
        if (o != NULL)
            c->buffers[c->args[i].buffer].is_written |= o->direction != DIR_IN;
    }
    for (int i = 0; i < count; i++) {
        c->buffers[i].size = s->buffers[i].size;
        c->buffers[i].align = s->buffers[i].align;
        c->buffers[i].before = keep_bytes(s->before[i], s->buffers[i].size);
        c->buffers[i].after = keep_bytes(s->expected[i], s->buffers[i].size);
    }
}

/* -- one program -- */

static bool run_call(struct subject *s, int position, struct batch *batch, struct text *why)
{
    choose_numbers(s);
    const int count = choose_buffers(s);

    s->run.position = position;
    s->run.variant = below(s, 2) == 0
                         ? ""
                         : s->func->variants[below(s, (uint64_t)s->func->variant_count)].name;
    if (!call(s, NULL, count) && s->run.limited) {
        s->is_long = true;
        return true;
    }
    if (s->run.failed) {
        text_add(why, "the source cannot be run\n");
        return false;
    }
    keep_expected(s, count);
    if (!call(s, &s->text, count) || !compare(s, count, why)) {
        describe_call(s, why);
        return false;
    }
    if (batch != NULL)
        keep_call(s, batch, count);
    return true;
}

static const struct func *export_of(const struct module *m)
{
    for (int i = 0; i < m->funcs.n; i++)
        if (m->funcs.at[i]->kind == FN_EXPORT)
            return m->funcs.at[i];
    return NULL;
}

/* One call of a program is enough for Unicorn. */
static struct batch *keep_texts(const struct text *elf, struct batch *batch)
{
    require(fwrite(elf->at, 1, elf->n, batch->assembly) == elf->n, "the texts cannot be written");
    return NULL;
}

static bool run_program(uint64_t seed, struct code_module *code, struct batch *batch,
                        struct text *why)
{
    struct text elf = { 0 }, other = { 0 };
    const struct target *target = target_at((int)(seed % (uint64_t)target_count()));
    const struct style *style = style_find("plain");
    struct module_text file = { target, "random.S", &other };
    struct trial_report report = { 0 };
    struct subject s = {
        .seed = seed, .state = ~seed, .code = code, .func = export_of(code->module)
    };

    emit_module(&elf, code, target_find("linux"), style);
    emit_module(&other, code, target, style);
    s.text = (struct trial_text){ &file, text_read(other.at, other.n) };
    if (s.text.emitted.complaint != NULL) {
        text_format(why, "line %" PRIu32 ": cannot be read back: %s\n", s.text.emitted.line,
                    s.text.emitted.complaint);
        return false;
    }
    s.run = (struct trial_run){ .module = code->module,
                                .code = code,
                                .report = &report,
                                .memory = NEW(struct trial_memory),
                                .statement_limit = STATEMENTS };
    s.step = (struct test_step){ .kind = TEST_CALL,
                                 .args = s.args,
                                 .arg_count = s.func->param_count,
                                 .callee = (struct func *)(uintptr_t)s.func };
    trial_memory_init(s.run.memory);
    for (int i = 0; i < CALLS; i++) {
        const int kept = batch != NULL ? batch->call_count : 0;

        if (!run_call(&s, (int)below(&s, POSITIONS), batch, why))
            return false;
        if (batch != NULL && batch->call_count > kept)
            batch = keep_texts(&elf, batch);
    }
    return true;
}

static bool only_registers(void)
{
    const char *at = diag_messages()->n != 0 ? diag_messages()->at : "";
    bool any = false;

    for (; (at = strstr(at, " error: ")) != NULL; at++) {
        const size_t length = strcspn(at, "\n");
        if (length < 12 || memcmp(at + length - 12, " [registers]", 12) != 0)
            return false;
        any = true;
    }
    return any;
}

enum random_outcome random_check(const char *source, uint64_t seed, struct batch *batch,
                                 FILE *report)
{
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    struct text problem = { 0 };
    enum random_outcome outcome = RANDOM_EQUAL;

    mem_release();
    diag_reset();
    if (!compile_program(&c, parse_text("random.def", source, strlen(source)), &o))
        outcome = only_registers() ? RANDOM_TOO_MANY_REGISTERS : RANDOM_REFUSED;
    else if (c.modules.n != 1 || export_of(c.modules.at[0]->module) == NULL)
        outcome = RANDOM_REFUSED;
    else if (!run_program(seed, c.modules.at[0], batch, &problem))
        outcome = RANDOM_DIFFERENT;
    if (report != NULL && (outcome == RANDOM_REFUSED || outcome == RANDOM_DIFFERENT))
        fprintf(report, "%s%s", problem.n ? problem.at : "",
                diag_messages()->n ? diag_messages()->at : "");
    return outcome;
}

char *random_source(uint64_t seed, int number)
{
    struct text t = { 0 };

    mem_release();
    random_program(&t, seed, number);
    char *kept = malloc(t.n + 1);
    require(kept != NULL, "out of memory");
    memcpy(kept, t.at, t.n + 1);
    return kept;
}

enum random_outcome random_run(uint64_t seed, int number, struct batch *batch, FILE *report)
{
    char *source = random_source(seed, number);
    const enum random_outcome outcome = random_check(source, seed, batch, NULL);

    if (outcome == RANDOM_REFUSED || outcome == RANDOM_DIFFERENT) {
        if (outcome == RANDOM_DIFFERENT)
            random_minimise(source, seed);
        fprintf(report, "seed %" PRIu64 ", shortened:\n%s", seed, source);
        random_check(source, seed, NULL, report);
    }
    free(source);
    return outcome;
}
