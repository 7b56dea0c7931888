/* unwound.c: see unwound.h. */
#include "harness/unwound.h"

#include <assert.h>
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/unwind.h"

/* At most so many times in a call is one instruction looked at. */
enum { MOST_FRAMES = 4, MOST_VISITS = 3, MOST_CODE = 1 << 19 };

struct watch {
    struct emulator *emulator;
    uint64_t base, lines;               /* of the code */
    uint8_t visits[MOST_CODE / 4];      /* in this call */
    bool reached[MOST_CODE / 4];        /* in any */
};

/* -- one instruction -- */

static bool read_stack(void *context, uint64_t address, uint64_t *word)
{
    return emulator_stack_word(context, address, word);
}

static bool equals(const struct emulated_registers *r, const struct emulated_registers *caller,
                   char *why, size_t n)
{
    const struct { const char *name; uint64_t is, was; } plain[] = {
        { "pc", r->pc, caller->pc }, { "sp", r->sp, caller->sp }
    };
    for (int i = 0; i < 2; i++)
        if (plain[i].is != plain[i].was)
            snprintf(why, n, "the caller's %s", plain[i].name);
    for (int i = 19; i <= 30; i++)
        if (r->x[i] != caller->x[i])
            snprintf(why, n, "the caller's x%d", i);
    for (int i = 8; i <= 15; i++)
        if (r->d[i] != caller->d[i])
            snprintf(why, n, "the caller's d%d", i);
    return why[0] == 0;
}

/* Frame by frame to where the test called from. */
static bool unwinds(struct emulator *e, struct emulated_registers r, char *why, size_t n)
{
    const struct emulated_registers *caller = emulator_caller(e);
    for (int frames = 0; r.pc != caller->pc; frames++) {
        struct unwind_step step = { .object = emulator_object(e), .registers = &r,
                                    .read = read_stack, .context = e, .why = why, .why_size = n };
        if (frames == MOST_FRAMES)
            snprintf(why, n, "more frames than calls");
        if (why[0] != 0 || !unwind(&step))
            return false;
    }
    return equals(&r, caller, why, n);
}

static bool see(void *context, struct emulator *e, char *why, size_t n)
{
    struct watch *w = context;
    struct emulated_registers now;
    char what[128] = "";
    size_t executed;
    emulator_executed(e, &executed);
    if (executed == 1)
        memset(w->visits, 0, w->lines);
    uint64_t line = (emulator_pc(e) - w->base) / 4;
    assert(line < w->lines);            /* Check would write a message each time */
    w->reached[line] = true;
    if (w->visits[line]++ >= MOST_VISITS)
        return true;
    emulator_registers(e, &now);
    if (unwinds(e, now, what, sizeof what))
        return true;
    snprintf(why, n, "not unwound at 0x%llx of the code: %s", (unsigned long long)(4 * line), what);
    return false;
}

/* -- one object -- */

static uint64_t code_base(const struct object_file *o, uint64_t *size)
{
    for (int i = 0; i < o->section_count; i++)
        if (o->sections[i].use == SECTION_CODE && o->sections[i].size != 0) {
            *size = o->sections[i].size;
            return o->sections[i].address;
        }
    ck_abort_msg("no code");
    return 0;
}

static bool is_padding(const struct object_file *o, uint64_t at)
{
    for (int i = 0; i < o->section_count; i++) {
        const struct object_section *s = &o->sections[i];
        if (s->use == SECTION_CODE && at - s->address < s->size)
            return memcmp(s->bytes + (at - s->address), "\x1f\x20\x03\xd5", 4) == 0;   /* nop */
    }
    return false;
}

/* An instruction that no call reached is a fault, too. */
static void miss(const struct watch *w, uint64_t size, struct call_report *report)
{
    for (uint64_t at = 0; at < size && report->fault[0] == 0; at += 4)
        if (!w->reached[at / 4] && !is_padding(emulator_object(w->emulator), w->base + at))
            snprintf(report->fault, sizeof report->fault, "no call reaches 0x%llx of the code",
                     (unsigned long long)at);
}

static struct call_report call_module(struct emulator *e, const struct module *m)
{
    struct call_report report = { .fault = "" };
    for (int i = 0; i < m->funcs.n; i++)
        for (int v = 0; v < m->funcs.at[i]->variant_count && report.fault[0] == 0; v++)
            if (m->funcs.at[i]->kind == FN_EXPORT)
                report = make_calls(e, m->funcs.at[i], calls_symbol(m->funcs.at[i], v));
    return report;
}

struct call_report unwind_calls(const char *path, const struct module *const *modules, int count,
                                enum coverage coverage)
{
    static struct watch w;
    char why[256];
    uint64_t size;
    struct call_report report = { .fault = "" };
    struct emulator *e = emulator_new(path, TABLES_MIDDLE, why, sizeof why);
    ck_assert_msg(e != NULL, "%s", why);
    w = (struct watch){ .emulator = e, .base = code_base(emulator_object(e), &size) };
    ck_assert_uint_le(size, MOST_CODE);
    w.lines = size / 4;
    emulator_watch(e, see, &w);
    for (int i = 0; i < count && report.fault[0] == 0; i++)
        report = call_module(e, modules[i]);
    if (coverage == COVER_EVERYTHING)
        miss(&w, size, &report);
    emulator_free(e);
    return report;
}
