/* unwind_test.c: unwinding from every instruction of every function.
 *
 * Each object that unwind_build.sh makes is unwound (harness/unwound.h); the same is
 * then asked of tables with one line missing, which must be noticed. Random programs
 * (random/generate.h) have frames that nobody thought of.
 */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "harness/unwind.h"
#include "harness/unwound.h"
#include "lang/parse.h"
#include "random/generate.h"
#include "suites.h"
#include "tool/compile.h"

static struct call_report unwind_object(const char *path, const char *module)
{
    const struct module *m = calls_module(module);
    return unwind_calls(path, &m, 1, COVER_EVERYTHING);
}

/* -- all objects -- */

static void object_path(char *path, size_t n, const char *directory, const char *file)
{
    const char *build = getenv("BUILD");
    snprintf(path, n, "%s/unwind/%s%s%s", build ? build : "build", directory, file ? "/" : "",
             file ? file : "");
}

enum { RANDOM_PROGRAMS = 48 };

/* unwind_build.sh keeps those that registers suffice for, in one object a platform. */
static void write_random_programs(void)
{
    char path[512];
    object_path(path, sizeof path, "random", NULL);
    ck_assert_int_eq(system(mem_format("rm -rf %s; mkdir -p %s", path, path)), 0);
    for (int i = 0; i < RANDOM_PROGRAMS; i++) {
        struct text t = { 0 };
        random_program(&t, (uint64_t)i + 1, i);
        object_path(path, sizeof path, "random", mem_format("%d.def", i));
        ck_assert_int_eq(text_write_file(&t, path), WRITE_DONE);
    }
}

static void build_objects(void)
{
    write_random_programs();
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

/* -- random programs -- */

static const struct module *random_modules[RANDOM_PROGRAMS];
static int random_count;

static void read_random(const char *file)
{
    char path[512];
    object_path(path, sizeof path, "random", file);
    diag_reset();
    const struct program *p = compile_check(parse_file(mem_string(path)));
    ck_assert_ptr_nonnull(p);
    random_modules[random_count++] = p->modules.at[0];
}

static void unwind_random(const char *object)
{
    char path[512];
    object_path(path, sizeof path, "random", object);
    struct call_report r = unwind_calls(path, random_modules, random_count, COVER_SOME);
    ck_assert_msg(r.fault[0] == 0, "%s: %s", object, r.fault);
}

START_TEST(random_functions_unwind)
{
    ck_assert_int_ge(each_line("random/modules", read_random), RANDOM_PROGRAMS / 2);
    ck_assert_int_ge(each_line("random/objects", unwind_random), 3);
}
END_TEST

/* -- compact unwind -- */

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
    tcase_add_test(tests, random_functions_unwind);
    tcase_add_test(tests, compact_encodings_are_read_as_they_are_made);
    tcase_add_test(tests, functions_without_a_frame_have_compact_unwind_alone);
    tcase_set_timeout(tests, 300);
    suite_add_tcase(suite, tests);
    return suite;
}
