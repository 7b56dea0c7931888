/* harness_test.c: the emulator refuses what it must refuse.
 *
 * Every function of harness/faults.S breaks one promise to its caller; each
 * must be reported as what it is, in all three object formats. The functions
 * that break none must pass.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/objects.h"
#include "suites.h"

static const struct { const char *function, *complaint; } faults[] = {
    { "breaks_x18", "x18 is not what it was" },
    { "breaks_x19", "x19 is not what it was" },
    { "breaks_x20", "x20 is not what it was" },
    { "breaks_x21", "x21 is not what it was" },
    { "breaks_x22", "x22 is not what it was" },
    { "breaks_x23", "x23 is not what it was" },
    { "breaks_x24", "x24 is not what it was" },
    { "breaks_x25", "x25 is not what it was" },
    { "breaks_x26", "x26 is not what it was" },
    { "breaks_x27", "x27 is not what it was" },
    { "breaks_x28", "x28 is not what it was" },
    { "breaks_x29", "x29 is not what it was" },
    { "breaks_d8",  "d8 is not what it was" },
    { "breaks_d9",  "d9 is not what it was" },
    { "breaks_d10", "d10 is not what it was" },
    { "breaks_d11", "d11 is not what it was" },
    { "breaks_d12", "d12 is not what it was" },
    { "breaks_d13", "d13 is not what it was" },
    { "breaks_d14", "d14 is not what it was" },
    { "breaks_d15", "d15 is not what it was" },
    { "breaks_sp",  "sp is not what it was" },
    { "misaligns_sp", "sp is not a multiple of 16" },
    { "stores_below_sp", "an access below sp" },
    { "stores_to_caller", "an access to the caller's stack" },
    { "returns_elsewhere", "a jump to" },
    { "returns_signed", "exception" },
    { "authenticates_elsewhere", "exception" },
    { "never_returns", "no return" },
    { "missing", "there is no function" },
};

/* What shows only with a buffer that touches a missing page at that edge … */
static const struct { const char *function, *complaint; enum buffer_edge edge; } leaks[] = {
    { "stores_before", "a store to", EDGE_START },
    { "stores_after",  "a store to", EDGE_END },
    { "loads_before",  "a load from", EDGE_START },
    { "loads_after",   "a load from", EDGE_END },
    /* … and at the other one, by the bytes around it. */
    { "stores_before", "a store beside a buffer", EDGE_END },
    { "stores_after",  "a store beside a buffer", EDGE_START },
};

static struct call_report call_with_buffer(struct emulator *e, const char *function,
                                           enum buffer_edge edge, enum buffer_access access)
{
    enum { SIZE = 24 };
    emulator_reset(e);
    uint64_t arguments[2] = { emulator_buffer(e, NULL, SIZE, access, edge, 0), SIZE };
    return emulator_call(e, function, arguments, 2);
}

START_TEST(every_fault_is_reported)
{
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        struct call_report r = call_with_buffer(e, faults[i].function, EDGE_END, BUFFER_READ_WRITE);
        ck_assert_msg(strstr(r.fault, faults[i].complaint) != NULL, "%s: '%s' instead of '%s'",
                      faults[i].function, r.fault, faults[i].complaint);
    }
    emulator_free(e);
}
END_TEST

START_TEST(every_access_outside_a_buffer_is_reported)
{
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    for (size_t i = 0; i < sizeof leaks / sizeof *leaks; i++) {
        struct call_report r =
            call_with_buffer(e, leaks[i].function, leaks[i].edge, BUFFER_READ_WRITE);
        ck_assert_msg(strstr(r.fault, leaks[i].complaint) != NULL, "%s: '%s' instead of '%s'",
                      leaks[i].function, r.fault, leaks[i].complaint);
    }
    emulator_free(e);
}
END_TEST

START_TEST(the_guard_page_is_that_of_windows)
{
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    struct call_report r = call_with_buffer(e, "skips_guard_page", EDGE_END, BUFFER_READ_WRITE);
    if (strcmp(platforms[_i], "win") == 0)
        ck_assert_msg(strstr(r.fault, "an access below the guard page") != NULL, "'%s'", r.fault);
    else
        ck_assert_str_eq(r.fault, "");
    emulator_free(e);
}
END_TEST

START_TEST(a_sound_function_passes)
{
    static const char *const sound[] = { "sound", "breaks_half_of_d8" };
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    for (size_t i = 0; i < sizeof sound / sizeof *sound; i++) {
        struct call_report r = call_with_buffer(e, sound[i], EDGE_END, BUFFER_READ_WRITE);
        ck_assert_str_eq(r.fault, "");
    }
    emulator_free(e);
}
END_TEST

START_TEST(a_call_reads_writes_and_counts)
{
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    uint64_t word = 41;
    uint64_t at = emulator_buffer(e, &word, sizeof word, BUFFER_READ_WRITE, EDGE_END, 0);
    struct call_report r = emulator_call(e, "sound", &at, 1);
    ck_assert_str_eq(r.fault, "");
    ck_assert_uint_eq(r.result, 42);
    ck_assert_uint_eq(r.instructions, 13);
    ck_assert_uint_eq(r.stack_bytes, 32);
    emulator_read(e, at, &word, sizeof word);
    ck_assert_uint_eq(word, 42);
    size_t executed;
    const uint32_t *words = emulator_executed(e, &executed);
    ck_assert_uint_eq(executed, 13);
    ck_assert_uint_eq(words[12], 0xd65f03c0);   /* ret */
    emulator_free(e);
}
END_TEST

START_TEST(a_store_to_a_read_only_buffer_is_reported)
{
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    struct call_report r = call_with_buffer(e, "sound", EDGE_END, BUFFER_READ_ONLY);
    ck_assert_msg(strstr(r.fault, "a store to") != NULL, "'%s'", r.fault);
    emulator_free(e);
}
END_TEST

START_TEST(traces_tell_calls_apart)
{
    struct emulator *e = load_module("faults", _i, TABLES_MIDDLE);
    struct call_report a = call_with_buffer(e, "sound", EDGE_END, BUFFER_READ_WRITE);
    struct call_report same = call_with_buffer(e, "sound", EDGE_END, BUFFER_READ_WRITE);
    struct call_report moved = call_with_buffer(e, "sound", EDGE_START, BUFFER_READ_WRITE);
    struct call_report other =
        call_with_buffer(e, "breaks_half_of_d8", EDGE_END, BUFFER_READ_WRITE);
    ck_assert_uint_eq(a.pc_trace, same.pc_trace);
    ck_assert_uint_eq(a.access_trace, same.access_trace);
    ck_assert_uint_eq(a.pc_trace, moved.pc_trace);
    ck_assert_uint_ne(a.access_trace, moved.access_trace);
    ck_assert_uint_ne(a.pc_trace, other.pc_trace);
    emulator_free(e);
}
END_TEST

START_TEST(a_broken_object_gives_a_message)
{
    char path[] = "/tmp/kgen-object-XXXXXX", why[256];
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    /* an ELF header whose section table lies far outside */
    static const uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1, [16] = 1, [18] = 183,
                                     [40] = 0xff, [41] = 0xff, [42] = 0xff, [60] = 4, [62] = 1 };
    ck_assert_int_eq(write(fd, elf, sizeof elf), sizeof elf);
    close(fd);
    ck_assert_ptr_null(emulator_new(path, TABLES_MIDDLE, why, sizeof why));
    ck_assert_msg(strstr(why, "outside the file") != NULL, "%s", why);
    remove(path);
    ck_assert_ptr_null(emulator_new(path, TABLES_MIDDLE, why, sizeof why));
    ck_assert_msg(strstr(why, "cannot be read") != NULL, "%s", why);
}
END_TEST

/* Writes n bytes to the path and reads them as an object. */
static struct object_file *read_bytes(const char *path, const uint8_t *at, size_t n)
{
    char why[256];
    FILE *f = fopen(path, "wb");
    ck_assert(f != NULL && fwrite(at, 1, n, f) == n && fclose(f) == 0);
    struct object_file *o = object_read(path, why, sizeof why);
    ck_assert_msg((o == NULL) == (why[0] != 0), "'%s'", why);
    return o;
}

/* Cut short at every length, and with every byte changed: no crash, no hang,
 * and a message when it is refused. */
START_TEST(a_damaged_object_is_read_or_refused)
{
    const char *build = getenv("BUILD");
    char path[512], damaged[] = "/tmp/kgen-object-XXXXXX", why[256];
    uint8_t bytes[8192];
    snprintf(path, sizeof path, "%s/objects/faults-%s.o", build ? build : "build", platforms[_i]);
    FILE *f = fopen(path, "rb");
    ck_assert_ptr_nonnull(f);
    size_t n = fread(bytes, 1, sizeof bytes, f), refused = 0;
    fclose(f);
    ck_assert(n > 1000 && n < sizeof bytes);
    int fd = mkstemp(damaged);
    ck_assert_int_ge(fd, 0);
    close(fd);
    for (size_t i = 0; i < n; i++) {
        struct object_file *cut = read_bytes(damaged, bytes, i);
        refused += cut == NULL;
        object_free(cut);
        bytes[i] ^= 0xff;
        struct object_file *changed = read_bytes(damaged, bytes, n);
        if (changed != NULL)
            object_relocate(changed, why, sizeof why);
        object_free(changed);
        bytes[i] ^= 0xff;
    }
    ck_assert_uint_gt(refused, n / 4);
    remove(damaged);
}
END_TEST

Suite *harness_suite(void)
{
    Suite *suite = suite_create("harness");
    TCase *tests = tcase_create("emulator");
    tcase_add_loop_test(tests, every_fault_is_reported, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, every_access_outside_a_buffer_is_reported, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, the_guard_page_is_that_of_windows, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, a_sound_function_passes, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, a_call_reads_writes_and_counts, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, a_store_to_a_read_only_buffer_is_reported, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, traces_tell_calls_apart, 0, PLATFORM_COUNT);
    tcase_add_test(tests, a_broken_object_gives_a_message);
    tcase_add_loop_test(tests, a_damaged_object_is_read_or_refused, 0, PLATFORM_COUNT);
    tcase_set_timeout(tests, 60);
    suite_add_tcase(suite, tests);
    return suite;
}
