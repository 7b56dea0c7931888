/* calls.c: see calls.h. */
#include "harness/calls.h"

#include <check.h>
#include <string.h>

#include "base/diag.h"
#include "lang/parse.h"
#include "tool/compile.h"
#include "verify/bytes.h"
#include "verify/cases.h"
#include "verify/reference.h"

enum {
    REGISTERS = 8, MOST_ARGUMENTS = 16, MOST_PUSHED = 64, MOST_CALLS = 100, MOST_BYTES = 1 << 15
};

/* -- modules -- */

static const char *const sources[] = { "kernels.def", "tests/kernels/frames.def" };

const struct module *calls_module(const char *name)
{
    static struct program *programs[sizeof sources / sizeof *sources];
    for (size_t i = 0; i < sizeof sources / sizeof *sources; i++) {
        if (programs[i] == NULL) {
            diag_reset();
            programs[i] = compile_check(parse_file(sources[i]));
            ck_assert_ptr_nonnull(programs[i]);
        }
        for (int k = 0; k < programs[i]->modules.n; k++)
            if (strcmp(programs[i]->modules.at[k]->name, name) == 0)
                return programs[i]->modules.at[k];
    }
    ck_abort_msg("no module '%s'", name);
    return NULL;
}

const char *calls_symbol(const struct func *f, int variant)
{
    const char *name = f->variants[variant].name;
    return name[0] == 0 ? f->name : mem_format("%s_%s", f->name, name);
}

/* -- one call -- */

struct maker {
    struct emulator *e;
    const struct func *f;
    const char *symbol;
    struct case_set cases;
    uint64_t *values;                   /* of each choice */
    bool low;                           /* scalars that are no choice are as small as they get */
    struct byte_domain domain;
    struct reference_arg args[MOST_ARGUMENTS];
};

static const uint64_t *chosen(const struct maker *m, const struct param *p,
                              const struct field *field)
{
    for (int i = 0; i < m->cases.choices.n; i++)
        if (m->cases.choices.at[i].param == p && m->cases.choices.at[i].field == field)
            return &m->values[i];
    return NULL;
}

/* What is no choice is small, or large, or a pattern; the upper half of a 32-bit
 * argument is always one. */
static uint64_t scalar(const struct maker *m, int i)
{
    const struct param *p = &m->f->params[i];
    const uint64_t *choice = chosen(m, p, NULL), any = 0x9e3779b97f4a7c15u * (uint64_t)(i + 1);
    uint64_t v = m->low ? 0 : any;
    if (choice != NULL)
        v = *choice;
    else if (p->set.n > 0)
        v = m->low ? p->set.at[0].lo : p->set.at[p->set.n - 1].hi;
    return value_types[p->type].bits == 32 ? (any & ~(uint64_t)0xffffffff) | (uint32_t)v : v;
}

static uint64_t number(struct maker *m, const struct expr *e)
{
    const struct reference_run run = { .domain = &m->domain.domain, .func = m->f, .args = m->args };
    uint64_t v = 0;
    ck_assert_msg(reference_number(&run, e, &v), "%s: an extent that is no number", m->f->name);
    return v;
}

static void set_scalars(struct maker *m)
{
    for (int i = 0; i < m->f->param_count; i++) {
        const struct param *p = &m->f->params[i];
        int bits = value_types[p->type].bits;
        uint64_t v = scalar(m, i);
        if (p->object == NULL)
            m->args[i].value = byte_value(&m->domain, bits,
                                          (struct bits){ { bits == 32 ? (uint32_t)v : v, 0 } });
    }
}

/* Is it within the contract, and small? */
static bool is_legal(struct maker *m)
{
    byte_domain_drop_values(&m->domain);
    set_scalars(m);
    for (int i = 0; i < m->f->where_count; i++)
        if (number(m, m->f->where[i]) == 0)
            return false;
    for (int i = 0; i < m->f->param_count; i++)
        if (m->f->params[i].object != NULL &&
            number(m, m->f->params[i].object->extent) > MOST_BYTES)
            return false;
    return true;
}

static void set_fields(struct maker *m, const struct param *p, uint64_t at)
{
    const struct struct_type *t = p->object->layout;
    for (int i = 0; t != NULL && i < t->field_count; i++) {
        const uint64_t *v = chosen(m, p, &t->fields[i]);
        if (v != NULL)
            emulator_write(m->e, at + t->fields[i].offset, v,
                           (size_t)type_bytes(t->fields[i].element));
    }
}

static uint64_t buffer(struct maker *m, const struct param *p)
{
    uint64_t at = emulator_buffer(m->e, NULL, number(m, p->object->extent),
                                  p->object->direction == DIR_IN ? BUFFER_READ_ONLY
                                                                 : BUFFER_READ_WRITE,
                                  EDGE_END, 0);
    set_fields(m, p, at);
    return at;
}

/* Leaves an argument on the stack: in eight bytes of its own, or packed by its
 * size (AAPCS64 6.8.2; Apple, "Writing ARM64 code for Apple platforms"). Between
 * the arguments stands garbage. */
static size_t push(uint8_t *stack, size_t end, uint64_t v, size_t bytes, bool packed)
{
    size_t at = packed ? (end + bytes - 1) / bytes * bytes : (end + 7) / 8 * 8;
    ck_assert_uint_le(at + bytes, MOST_PUSHED);
    for (size_t k = 0; k < bytes; k++)
        stack[at + k] = (uint8_t)(v >> (8 * k));
    return at + bytes;
}

static struct call_report make_call(struct maker *m)
{
    uint64_t passed[REGISTERS];
    uint8_t pushed[MOST_PUSHED];
    bool packed = emulator_object(m->e)->format == OBJECT_MACHO;
    size_t end = 0;
    emulator_reset(m->e);
    memset(pushed, 0xa5, sizeof pushed);
    for (int i = 0; i < m->f->param_count; i++) {
        const struct param *p = &m->f->params[i];
        uint64_t v = p->object != NULL ? buffer(m, p) : scalar(m, i);
        if (i < REGISTERS)
            passed[i] = v;
        else
            end = push(pushed, end, v, p->object != NULL ? 8 : (size_t)type_bytes(p->type), packed);
    }
    emulator_push(m->e, pushed, end == 0 ? 0 : sizeof pushed);
    return emulator_call(m->e, m->symbol, passed,
                         m->f->param_count < REGISTERS ? m->f->param_count : REGISTERS);
}

/* -- all calls -- */

/* The next combination of values; false after the last. */
static bool advance(struct maker *m, int *at)
{
    for (int i = 0; i < m->cases.choices.n; i++) {
        const struct choice *c = &m->cases.choices.at[i];
        at[i] = (at[i] + 1) % c->values.n;
        m->values[i] = c->values.at[at[i]];
        if (at[i] != 0)
            return true;
    }
    return false;
}

static bool has_common_divisor(uint64_t a, uint64_t b)
{
    while (b != 0) {
        uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a != 1;
}

/* Of very many combinations every n-th is tried; every value of each choice is
 * among them, because no number of values shares a divisor with n. */
static uint64_t stride_of(const struct maker *m)
{
    uint64_t product = 1;
    for (int i = 0; i < m->cases.choices.n && product < UINT32_MAX; i++)
        product *= (uint64_t)m->cases.choices.at[i].values.n;
    uint64_t stride = (product + MOST_CALLS - 1) / MOST_CALLS;
    for (int i = 0; i < m->cases.choices.n; i++)
        if (has_common_divisor(stride, (uint64_t)m->cases.choices.at[i].values.n)) {
            stride++;
            i = -1;
        }
    return stride;
}

static uint64_t last_value(const struct choice *c) { return c->values.at[c->values.n - 1]; }

/* Each field outside its set, all else as small or as large as it gets. */
static struct call_report make_beyond(struct maker *m, bool large)
{
    struct call_report report = { .fault = "" };
    for (int i = 0; i < m->cases.choices.n; i++) {
        for (int k = 0; k < m->cases.choices.n; k++) {
            const struct choice *c = &m->cases.choices.at[k];
            m->values[k] = k == i ? last_value(c) + 1 : large ? last_value(c) : c->values.at[0];
        }
        if (m->cases.choices.at[i].field == NULL || !is_legal(m))
            continue;
        report = make_call(m);
        if (strncmp(report.fault, "seen: ", 6) == 0)
            return report;
    }
    return (struct call_report){ .fault = "" };
}

static struct call_report make_all(struct maker *m)
{
    int *at = NEW_ARRAY(int, m->cases.choices.n + 1);
    struct call_report report = { .fault = "" };
    uint64_t stride = stride_of(m), turn = 0;
    for (int i = 0; i < m->cases.choices.n; i++)
        m->values[i] = m->cases.choices.at[i].values.at[0];
    do {
        if (turn++ % stride == 0 && is_legal(m))
            report = make_call(m);
    } while (report.fault[0] == 0 && advance(m, at));
    for (int large = 0; large < 2 && report.fault[0] == 0; large++)
        report = make_beyond(m, large);
    return report;
}

static bool has_free_scalars(const struct maker *m)
{
    for (int i = 0; i < m->f->param_count; i++)
        if (m->f->params[i].object == NULL && chosen(m, &m->f->params[i], NULL) == NULL)
            return true;
    return false;
}

struct call_report make_calls(struct emulator *e, const struct func *f, const char *symbol)
{
    struct maker m = { .e = e, .f = f, .symbol = symbol, .cases = cases_of(f, 1) };
    ck_assert_int_le(f->param_count, MOST_ARGUMENTS);
    byte_domain_init(&m.domain);
    m.values = NEW_ARRAY(uint64_t, m.cases.choices.n + 1);
    struct call_report report = make_all(&m);
    m.low = true;
    return report.fault[0] == 0 && has_free_scalars(&m) ? make_all(&m) : report;
}
