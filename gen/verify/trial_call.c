/* trial_call.c: one call of a test, on the source or on emitted code.
 *
 * Takes the arguments of the step and the buffers as they are; gives the
 * buffers as the call leaves them. Memory of a call is placed anew each time:
 * exactly the bytes of each parameter's extent exist, at the position that is
 * tried, and a byte that nobody wrote cannot be read.
 *
 * Registers hold garbage but for the arguments, also the upper halves of
 * 32-bit ones (AAPCS64 6.8.2, C.9). Afterwards x19-x29, sp and the low halves
 * of v8-v15 must be what they were (AAPCS64 6.1.1, 6.1.2); x18 is never touched
 * (the executor refuses it).
 */
#include "verify/trial_run.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "target/row.h"
#include "verify/exec.h"
#include "verify/reference.h"

enum { STACK_BYTES = STACK_LIMIT + (1 << 12), STEP_LIMIT = 100000000 };

static const uint64_t place_stride = 0x10000000000, stack_top = 0x7ffff0000000,
                      tables_at = 0x400000;

/* -- memory -- */

static void store_and_note(struct domain *domain, val address, int bytes, val v)
{
    struct trial_memory *m = (struct trial_memory *)domain; /* its first member */
    m->store(domain, address, bytes, v);
    if (domain->fault || m->bytes.last_hit >= m->place_count)
        return;
    struct trial_place *p = &m->places[m->bytes.last_hit];
    uint64_t at = byte_bits(&m->bytes, address).v[0] - p->base;
    memset(p->stored + at, 1, (size_t)bytes);
}

void trial_memory_init(struct trial_memory *m)
{
    byte_domain_init(&m->bytes);
    m->store = m->bytes.domain.store;
    m->bytes.domain.store = store_and_note;
    m->stack = mem_alloc(STACK_BYTES);
    m->stack_known = mem_alloc(STACK_BYTES);
}

/* The places keep their memory from call to call. */
static void place_resize(struct trial_place *p, uint64_t size)
{
    p->size = size;
    if (p->capacity < size + 1) {
        p->capacity = 2 * size + 64;
        p->bytes = mem_alloc(p->capacity);
        p->known = mem_alloc(p->capacity);
        p->stored = mem_alloc(p->capacity);
    }
    memset(p->stored, 0, p->capacity);
}

struct call {
    struct trial_run *run;
    const struct test_step *step;
    const struct func *func;
    int place_of[MAX_TRIAL_ARGS];  /* of each memory argument */
    uint64_t size[MAX_TRIAL_ARGS]; /* of each memory argument: the extent */
    struct reference_arg args[MAX_TRIAL_ARGS];
};

static const struct test_value *argument(const struct call *c, int i) { return &c->step->args[i]; }
static const struct object *object_of(const struct call *c, int i)
{
    return c->func->params[i].object;
}

static uint64_t given_size(struct call *c, int i)
{
    const struct test_value *v = argument(c, i);
    return v->buffer ? trial_find(c->run, v->buffer)->size : v->size;
}

/* -- the contract: what elaboration leaves to check -- */

static void set_scalars(struct call *c)
{
    for (int i = 0; i < c->func->param_count; i++) {
        const struct param *p = &c->func->params[i];
        if (!p->object)
            c->args[i].value = byte_value(&c->run->memory->bytes, value_types[p->var->type].bits,
                                          (struct bits){ { argument(c, i)->number, 0 } });
    }
}

static struct reference_run contract_run(const struct call *c)
{
    return (struct reference_run){ .domain = &c->run->memory->bytes.domain,
                                   .func = c->func,
                                   .args = c->args };
}

static bool check_sizes(struct call *c)
{
    struct reference_run run = contract_run(c);
    for (int i = 0; i < c->func->param_count; i++) {
        const struct param *p = &c->func->params[i];
        if (!p->object)
            continue;
        if (!reference_number(&run, p->object->extent, &c->size[i])) {
            trial_fail(c->run, c->step->loc, "the extent of '%s' cannot be computed", p->name);
            return false;
        }
        if (c->size[i] > given_size(c, i)) {
            trial_fail(c->run, c->step->loc,
                       "'%s' has %" PRIu64 " bytes here, the call needs %" PRIu64, p->name,
                       given_size(c, i), c->size[i]);
            return false;
        }
    }
    return true;
}

static bool check_same(struct call *c)
{
    for (int i = 0; i < c->func->param_count; i++)
        for (int k = 0; k < i; k++) {
            const struct object *a = object_of(c, i), *b = object_of(c, k);
            if (a && b && argument(c, i)->buffer &&
                argument(c, i)->buffer == argument(c, k)->buffer &&
                !objects_may_be_same(c->func, a, b)) {
                trial_fail(c->run, c->step->loc, "'%s' and '%s' of '%s' may not be the same array",
                           b->name, a->name, c->func->name);
                return false;
            }
        }
    return true;
}

/* -- placing -- */

static bool is_in(const struct call *c, int i) { return object_of(c, i)->direction == DIR_IN; }

/* May this call be made with parameter `in` in the array of parameter `out`,
 * although the test gives two arrays? Then every byte of the output that the
 * call stores must be the same; what it does not store is not looked at. */
static bool may_share(struct call *c, int out, int in)
{
    const struct func *f = c->func;
    if (out < 0 || out >= f->param_count || in >= f->param_count || !object_of(c, out) ||
        !object_of(c, in) || object_of(c, out)->direction != DIR_OUT || !is_in(c, in) ||
        c->size[out] != c->size[in] || !objects_may_be_same(f, object_of(c, out), object_of(c, in)))
        return false;
    const struct object *a = argument(c, out)->buffer, *b = argument(c, in)->buffer;
    for (int i = 0; i < f->param_count; i++) {
        const struct object *other = object_of(c, i) ? argument(c, i)->buffer : NULL;
        if (i != out && other && other == a)
            return false; /* the output's own contents are read, too */
        if (i != in && other && other == b &&
            !objects_may_be_same(f, object_of(c, out), object_of(c, i)))
            return false;
    }
    return true;
}

static void note_shareable(struct call *c)
{
    for (int out = 0; out < c->func->param_count; out++)
        for (int in = 0; in < c->func->param_count; in++)
            if (may_share(c, out, in))
                c->run->shareable[MAX_TRIAL_ARGS * out + in] = true;
}

/* The place of an earlier argument with the same memory, or a new one. */
static int find_place(struct call *c, int i)
{
    struct trial_memory *m = c->run->memory;
    for (int k = 0; k < i; k++)
        if (object_of(c, k) && argument(c, i)->buffer &&
            argument(c, i)->buffer == argument(c, k)->buffer)
            return c->place_of[k];
    struct trial_place *p = &m->places[m->place_count];
    uint64_t size = c->size[i];
    for (int k = i + 1; k < c->func->param_count; k++)
        if (object_of(c, k) && argument(c, i)->buffer &&
            argument(c, i)->buffer == argument(c, k)->buffer && c->size[k] > size)
            size = c->size[k];
    p->name = c->func->params[i].name;
    p->align = 1;
    p->is_written = false;
    p->args = 0;
    place_resize(p, size);
    return m->place_count++;
}

static void fill_place(struct call *c, int i)
{
    struct trial_place *p = &c->run->memory->places[c->place_of[i]];
    const struct test_value *v = argument(c, i);
    const struct trial_buffer *b = v->buffer ? trial_find(c->run, v->buffer) : NULL;
    memcpy(p->bytes, b ? b->bytes : v->bytes, c->size[i]);
    if (b)
        memcpy(p->known, b->known, c->size[i]);
    else
        memset(p->known, 1, c->size[i]);
}

static void join(struct call *c, int i)
{
    struct trial_place *p = &c->run->memory->places[c->place_of[i]];
    p->align = object_of(c, i)->align > p->align ? object_of(c, i)->align : p->align;
    p->is_written |= !is_in(c, i);
    p->args++;
}

static void place_arguments(struct call *c)
{
    struct trial_run *r = c->run;
    struct trial_memory *m = r->memory;
    bool shares = may_share(c, r->shared_out, r->shared_in);
    m->place_count = 0;
    note_shareable(c);
    for (int i = 0; i < c->func->param_count; i++) {
        if (!object_of(c, i) || (shares && i == r->shared_out))
            continue;
        c->place_of[i] = find_place(c, i);
        fill_place(c, i);
        join(c, i);
    }
    if (shares) {
        c->place_of[r->shared_out] = c->place_of[r->shared_in];
        join(c, r->shared_out);
    }
    for (int k = 0; k < m->place_count; k++) {
        struct trial_place *p = &m->places[k];
        /* An odd factor goes through all positions, each array in another order. */
        uint64_t position = (uint64_t)(r->position * (2 * k + 1)) % POSITIONS;
        p->base = place_stride * (uint64_t)(k + 1) + position * p->align;
    }
}

static void map_memory(struct call *c)
{
    struct trial_memory *m = c->run->memory;
    m->bytes.regions.n = 0;
    m->bytes.last_hit = 0;
    for (int k = 0; k < m->place_count; k++) {
        const struct trial_place *p = &m->places[k];
        byte_domain_add(&m->bytes, p->name, p->base, p->size,
                        p->is_written ? BYTES_READ_WRITE : BYTES_READ_ONLY, p->bytes)
            ->defined = p->known;
    }
    memset(m->stack_known, 0, STACK_BYTES);
    byte_domain_add(&m->bytes, "the stack", stack_top - STACK_BYTES, STACK_BYTES, BYTES_READ_WRITE,
                    m->stack)
        ->defined = m->stack_known;
    for (int i = 0; i < c->func->param_count; i++)
        if (object_of(c, i)) {
            c->args[i].address = m->places[c->place_of[i]].base;
            c->args[i].size = c->size[i];
        }
}

/* What the call stored is what the buffers hold now. */
static void keep_stores(struct call *c)
{
    for (int i = 0; i < c->func->param_count; i++) {
        const struct object *o = object_of(c, i);
        if (!o || is_in(c, i) || !argument(c, i)->buffer)
            continue;
        const struct trial_place *p = &c->run->memory->places[c->place_of[i]];
        struct trial_buffer *b = trial_find(c->run, argument(c, i)->buffer);
        for (uint64_t k = 0; k < c->size[i]; k++)
            if (p->stored[k]) {
                b->bytes[k] = p->bytes[k];
                b->known[k] = 1;
            }
    }
}

/* -- running -- */

static void check_result(struct call *c, uint64_t found)
{
    const struct func *f = c->func;
    if (c->run->failed || f->result_count == 0)
        return;
    int bits = value_types[f->results[0]].bits;
    uint64_t mask = bits >= 64 ? ~0ull : (1ull << bits) - 1,
             expected = c->step->expected.number & mask;
    c->run->result = found & mask;
    if (c->step->expects_result && c->run->result != expected)
        trial_fail(c->run, c->step->loc, "'%s' returns %s, expected %s", f->name,
                   trial_number(c->run->result, bits), trial_number(expected, bits));
}

static void call_source(struct call *c)
{
    struct byte_domain *d = &c->run->memory->bytes;
    struct reference_run run = { .domain = &d->domain,
                                 .func = c->func,
                                 .args = c->args,
                                 .tables = tables_at,
                                 .stack = stack_top,
                                 .step_limit = c->run->statement_limit };
    uint8_t *tables = mem_alloc(c->run->module->tables_size + 1);
    for (int i = 0; i < c->run->module->tables.n; i++) {
        const struct object *o = c->run->module->tables.at[i];
        memcpy(tables + o->table_offset, o->bytes, o->size);
    }
    byte_domain_add(d, "the tables", tables_at, c->run->module->tables_size, BYTES_READ_ONLY,
                    tables);
    if (!reference_run(&run) || d->domain.fault) {
        trial_fail(c->run, c->step->loc, "'%s' cannot be run: %s", c->func->name,
                   run.fault ? run.fault : d->domain.fault);
        if (run.fault && run.fault_loc.file)
            note_at(run.fault_loc, "here");
        return;
    }
    if (run.limited) {
        c->run->limited = true;
        trial_fail(c->run, c->step->loc, "'%s' runs for more than %" PRIu64 " statements",
                   c->func->name, c->run->statement_limit);
        return;
    }
    check_result(c, run.result_count ? byte_bits(d, run.results[0]).v[0] : 0);
}

static void pass_argument(struct call *c, struct machine *m, int i, uint8_t *stack)
{
    struct byte_domain *d = &c->run->memory->bytes;
    struct abi_place place = abi_place(c->func, i, c->run->text->emitted.packs_arguments);
    uint64_t x = c->func->params[i].object ? c->args[i].address : argument(c, i)->number;
    for (int k = 0; place.on_stack && k < place.bytes; k++)
        stack[place.offset + (uint64_t)k] = (uint8_t)(x >> (8 * k));
    if (place.on_stack)
        return;
    if (place.bytes == 4)
        x = (byte_bits(d, m->x[place.reg]).v[0] & ~0xffffffffull) | (x & 0xffffffff);
    m->x[place.reg] = byte_value(d, 64, (struct bits){ { x, 0 } });
}

static void enter_registers(struct call *c, struct machine *m)
{
    struct byte_domain *d = &c->run->memory->bytes;
    const struct emitted *text = &c->run->text->emitted;
    uint64_t bytes = abi_stack_bytes(c->func, text->packs_arguments);
    uint8_t *stack = mem_alloc(bytes + 1);
    memset(stack, 0xa5, bytes);
    machine_poison(m, c->run->report->calls);
    for (int i = 0; i < c->func->param_count; i++)
        pass_argument(c, m, i, stack);
    if (bytes)
        byte_domain_add(d, "the caller's arguments", stack_top, bytes, BYTES_READ_ONLY, stack);
    m->sp = byte_value(d, 64, (struct bits){ { stack_top, 0 } });
    for (int i = 0; i < text->objects.n; i++)
        machine_add_symbol(m, text->objects.at[i].name, tables_at + text->objects.at[i].offset);
}

struct saved {
    uint64_t x[31], d[32], sp;
};

static struct saved registers_of(const struct byte_domain *d, const struct machine *m)
{
    struct saved s;
    for (int i = 0; i < 31; i++)
        s.x[i] = byte_bits(d, m->x[i]).v[0];
    for (int i = 0; i < 32; i++)
        s.d[i] = byte_bits(d, m->v[i]).v[0];
    s.sp = byte_bits(d, m->sp).v[0];
    return s;
}

static const char *not_restored(const struct saved *before, const struct saved *after)
{
    for (int i = 19; i <= 29; i++)
        if (before->x[i] != after->x[i])
            return mem_format("x%d", i);
    for (int i = 8; i <= 15; i++)
        if (before->d[i] != after->d[i])
            return mem_format("d%d", i);
    return before->sp != after->sp ? "sp" : NULL;
}

/* The symbol of the variant that runs, or of the base when it has none. */
static const char *label_of(const struct call *c)
{
    const struct mach_func *found = NULL;
    for (int i = 0; i < c->run->code->funcs.n; i++) {
        const struct mach_func *f = c->run->code->funcs.at[i];
        if (trial_is_code_of(f, c->func) &&
            (!found || strcmp(f->variant->name, c->run->variant) == 0))
            found = f;
    }
    assert(found);
    return mem_format("%s%s", c->run->text->file->target->symbol, function_symbol(found));
}

static void call_code(struct call *c)
{
    struct byte_domain *d = &c->run->memory->bytes;
    const struct emitted *text = &c->run->text->emitted;
    struct machine m = { .domain = &d->domain };
    if (text->bytes.n)
        byte_domain_add(d, "the tables", tables_at, (uint64_t)text->bytes.n, BYTES_READ_ONLY,
                        text->bytes.at);
    c->run->report->calls++;
    enter_registers(c, &m);
    struct saved before = registers_of(d, &m);
    domain_set_stack(&d->domain, stack_top - STACK_BYTES, stack_top);
    bool returned = exec_run(&m, &text->code, label_of(c), STEP_LIMIT);
    domain_set_stack(&d->domain, 0, 0);
    c->run->report->steps += m.steps;
    if (!returned) {
        trial_fail(c->run, c->step->loc, "'%s' stops: %s", c->func->name, m.fault);
        return;
    }
    struct saved after = registers_of(d, &m);
    const char *lost = not_restored(&before, &after);
    if (lost)
        trial_fail(c->run, c->step->loc, "'%s' does not restore %s", c->func->name, lost);
    check_result(c, after.x[0]);
}

void trial_call(struct trial_run *r, const struct test_step *s)
{
    struct call c = { .run = r, .step = s, .func = s->callee };
    assert(c.func->param_count <= MAX_TRIAL_ARGS && c.func->param_count == s->arg_count);
    r->memory->bytes.domain.fault = NULL;
    byte_domain_drop_values(&r->memory->bytes);
    set_scalars(&c);
    if (!check_sizes(&c) || !check_same(&c))
        return;
    place_arguments(&c);
    map_memory(&c);
    if (r->text)
        call_code(&c);
    else
        call_source(&c);
    keep_stores(&c);
}
