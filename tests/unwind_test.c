/* unwind_test.c: unwinding from every instruction of every function.
 *
 * Each object that unwind_build.sh makes is loaded into the emulator, its
 * functions are called, and before each instruction the object's own tables
 * (harness/unwind.h) are followed up to the caller, through subroutines, too.
 * The caller's sp, pc, x19 to x29 and d8 to d15 must come out exactly, and a
 * return address must be signed where the tables say so and nowhere else. An
 * instruction that no call reached is a failure.
 *
 * The same is then asked of tables with one line missing: it must be noticed.
 */
#include <assert.h>
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/calls.h"
#include "harness/unwind.h"
#include "suites.h"

/* At most so many times in a call is one instruction looked at. */
enum { MOST_FRAMES = 4, MOST_VISITS = 3, MOST_CODE = 1 << 16 };

struct watch {
    struct emulator *emulator;
    uint64_t base;                      /* of the code */
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
        memset(w->visits, 0, sizeof w->visits);
    uint64_t line = (emulator_pc(e) - w->base) / 4;
    assert(line < MOST_CODE / 4);       /* Check would write a message each time */
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

/* The first fault in any function, or an empty report. */
static struct call_report unwind_object(const char *path, const char *module)
{
    char why[256];
    struct emulator *e = emulator_new(path, TABLES_MIDDLE, why, sizeof why);
    ck_assert_msg(e != NULL, "%s", why);
    uint64_t size;
    struct watch w = { .emulator = e, .base = code_base(emulator_object(e), &size) };
    struct call_report report = { .fault = "" };
    emulator_watch(e, see, &w);
    const struct module *m = calls_module(module);
    for (int i = 0; i < m->funcs.n; i++)
        for (int v = 0; v < m->funcs.at[i]->variant_count && report.fault[0] == 0; v++)
            if (m->funcs.at[i]->kind == FN_EXPORT)
                report = make_calls(e, m->funcs.at[i], calls_symbol(m->funcs.at[i], v));
    for (uint64_t at = 0; at < size && report.fault[0] == 0; at += 4)
        if (!w.reached[at / 4] && !is_padding(emulator_object(e), w.base + at))
            snprintf(report.fault, sizeof report.fault, "no call reaches 0x%llx of the code",
                     (unsigned long long)at);
    emulator_free(e);
    return report;
}

/* -- all objects -- */

static void object_path(char *path, size_t n, const char *directory, const char *file)
{
    const char *build = getenv("BUILD");
    snprintf(path, n, "%s/unwind/%s%s%s", build ? build : "build", directory, file ? "/" : "",
             file ? file : "");
}

static void build_objects(void)
{
    ck_assert_int_eq(system("tests/unwind_build.sh"), 0);
}

/* Calls VISIT for each line of a file that the script wrote. */
static int each_line(const char *name, void (*visit)(const char *line))
{
    char path[512], line[64];
    int n = 0;
    object_path(path, sizeof path, name, NULL);
    FILE *f = fopen(path, "r");
    ck_assert_msg(f != NULL, "%s", path);
    while (fgets(line, sizeof line, f) != NULL) {
        line[strcspn(line, "\n")] = 0;
        visit(line);
        n++;
    }
    ck_assert(!ferror(f) && fclose(f) == 0);
    return n;
}

static void unwind_variant(const char *variant)
{
    char directory[512], path[1024], module[128];
    int objects = 0;
    object_path(directory, sizeof directory, variant, NULL);
    DIR *d = opendir(directory);
    ck_assert_ptr_nonnull(d);
    for (const struct dirent *entry; (entry = readdir(d)) != NULL;) {
        const char *dot = strrchr(entry->d_name, '.');
        if (dot == NULL || strcmp(dot, ".o") != 0)
            continue;
        snprintf(module, sizeof module, "%.*s", (int)(dot - entry->d_name), entry->d_name);
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        struct call_report r = unwind_object(path, module);
        ck_assert_msg(r.fault[0] == 0, "%s, %s: %s", variant, module, r.fault);
        objects++;
    }
    closedir(d);
    ck_assert_int_ge(objects, 1);
}

START_TEST(every_instruction_of_every_function_unwinds)
{
    ck_assert_int_ge(each_line("variants", unwind_variant), 23);
}
END_TEST

static void notice(const char *name)
{
    char file[128], path[512];
    snprintf(file, sizeof file, "%s.o", name);
    object_path(path, sizeof path, "broken", file);
    struct call_report r = unwind_object(path, "frames");
    ck_assert_msg(strstr(r.fault, "not unwound") != NULL, "%s: '%s'", name, r.fault);
}

START_TEST(a_missing_line_is_noticed)
{
    ck_assert_int_ge(each_line("broken/list", notice), 20);
}
END_TEST

/* Memory in which each word holds its own address. */
static bool read_address(void *context, uint64_t address, uint64_t *word)
{
    (void)context;
    *word = address;
    return true;
}

/* From where so many instructions of a function have made x29 and sp what they are. */
static bool unwinds_from(const struct object_file *o, const char *name, int instructions,
                         struct emulated_registers *r, char *why, size_t n)
{
    struct unwind_step step = { .object = o, .registers = r, .read = read_address, .why = why,
                                .why_size = n };
    const struct object_symbol *f = object_symbol(o, name);
    ck_assert_ptr_nonnull(f);
    r->pc = o->sections[f->section].address + f->offset + 4 * (uint64_t)instructions;
    return unwind(&step);
}

static void read_compact(const char *file)
{
    enum { SP = 0x10000, FRAME = SP + 144, CALLER = SP + 160 };
    char path[512], why[256] = "";
    object_path(path, sizeof path, file, NULL);
    struct emulator *e = emulator_new(path, TABLES_MIDDLE, why, sizeof why);
    ck_assert_msg(e != NULL, "%s", why);
    const struct object_file *o = emulator_object(e);
    struct emulated_registers r = { .sp = SP };
    r.x[29] = FRAME;
    ck_assert_msg(unwinds_from(o, "compact_frame", 11, &r, why, sizeof why), "%s", why);
    ck_assert_uint_eq(r.sp, CALLER);
    ck_assert_uint_eq(r.pc, CALLER - 8);
    ck_assert_uint_eq(r.x[29], CALLER - 16);
    for (int i = 19; i <= 28; i++)
        ck_assert_uint_eq(r.x[i], CALLER - 24 - 8 * (uint64_t)(i - 19));
    for (int i = 8; i <= 15; i++)
        ck_assert_uint_eq(r.d[i], CALLER - 104 - 8 * (uint64_t)(i - 8));
    r = (struct emulated_registers){ .sp = SP };
    ck_assert_msg(unwinds_from(o, "compact_frameless", 1, &r, why, sizeof why), "%s", why);
    ck_assert_uint_eq(r.sp, SP + 4080);
    ck_assert(!unwinds_from(o, "compact_saves_frameless", 1, &r, why, sizeof why));
    ck_assert_ptr_nonnull(strstr(why, "saved registers"));
    emulator_free(e);
}

START_TEST(compact_encodings_are_read_as_they_are_made)
{
    ck_assert_int_ge(each_line("compact", read_compact), 1);
}
END_TEST

/* `sub sp, sp, #n`; `stp` of x or d registers that moves sp (Arm ARM C6.2, C7.2). */
static bool makes_frame(uint32_t w)
{
    return (w & 0xff8003ff) == 0xd10003ff || (w & 0xffc003e0) == 0xa98003e0 ||
           (w & 0xffc003e0) == 0x6d8003e0;
}

/* Up to the next symbol. */
static bool has_frame(const struct object_file *o, const struct object_symbol *f)
{
    const struct object_section *s = &o->sections[f->section];
    uint64_t end = s->size;
    for (int i = 0; i < o->symbol_count; i++)
        if (o->symbols[i].section == f->section && o->symbols[i].offset > f->offset &&
            o->symbols[i].offset < end)
            end = o->symbols[i].offset;
    for (uint64_t at = f->offset; at + 4 <= end; at += 4) {
        uint32_t w;
        memcpy(&w, s->bytes + at, sizeof w);
        if (makes_frame(w))
            return true;
    }
    return false;
}

/* What has no frame needs no DWARF, and nothing else does without. */
static int check_encodings(const char *variant, const char *module)
{
    char path[512], file[64], why[256];
    int compact = 0;
    snprintf(file, sizeof file, "%s.o", module);
    object_path(path, sizeof path, variant, file);
    struct object_file *o = object_read(path, why, sizeof why);
    ck_assert_msg(o != NULL, "%s", why);
    for (int i = 0; i < o->symbol_count; i++) {
        const struct object_symbol *f = &o->symbols[i];
        uint32_t encoding, expected;
        if (f->section < 0 || o->sections[f->section].use != SECTION_CODE ||
            strncmp(f->name, "ltmp", 4) == 0)
            continue;
        expected = has_frame(o, f) ? COMPACT_DWARF : COMPACT_NO_FRAME;
        ck_assert_msg(unwind_compact_encoding(o, f->section, f->offset, &encoding), "%s", f->name);
        ck_assert_msg(encoding == expected, "%s: 0x%x", f->name, encoding);
        compact += expected == COMPACT_NO_FRAME;
    }
    object_free(o);
    return compact;
}

START_TEST(functions_without_a_frame_have_compact_unwind_alone)
{
    static const struct { const char *variant, *module; } objects[] = {
        { "macho", "frames" }, { "macho-pac", "frames" }, { "macho-product", "bn-armv8" },
        { "macho-product", "aesv8-armv8" }, { "macho-product-pac", "vpaes-armv8" },
    };
    for (size_t i = 0; i < sizeof objects / sizeof *objects; i++)
        ck_assert_int_gt(check_encodings(objects[i].variant, objects[i].module), 0);
}
END_TEST

Suite *unwind_suite(void)
{
    Suite *suite = suite_create("unwind");
    TCase *tests = tcase_create("tables");
    tcase_add_unchecked_fixture(tests, build_objects, NULL);
    tcase_add_test(tests, every_instruction_of_every_function_unwinds);
    tcase_add_test(tests, a_missing_line_is_noticed);
    tcase_add_test(tests, compact_encodings_are_read_as_they_are_made);
    tcase_add_test(tests, functions_without_a_frame_have_compact_unwind_alone);
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    return suite;
}
