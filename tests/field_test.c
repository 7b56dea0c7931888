/* field_test.c: inputs that went wrong in the field, by number.
 *
 * Public bug reports on assembly of this kind come down to eighteen inputs; each
 * is a test here, or a row of `elsewhere` that names the test which has it. The
 * kernels are tests/kernels/field.def and frames.def, run from the objects of all
 * three platforms.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/text.h"
#include "harness/objects.h"
#include "harness/unwind.h"
#include "suites.h"
#include "tool/compile.h"

enum { INPUTS = 18 };

/* A test that is not here, and words that the file must have for it to be there. */
static const struct { int number; const char *input, *file, *words; } elsewhere[] = {
    { 5, "two modules in one shared object, tables hidden", "tests/platforms_test.sh", "link_elf" },
    { 7, "COFF: an aligned loop head inside a function with saved registers", "tests/unwind_test.c",
      "every_instruction_of_every_function_unwinds" },
    { 11, "an indirect call to every export with BTI on", "tests/run/call.c", "guard_branches" },
    { 12, "notes although the guard is false", "tests/platforms_test.sh", "check_false_guard" },
    { 13, "no blocks of vpaes and AES", "tests/vpaes_test.c", "no_blocks_touch_nothing" },
    { 18, "all modules in one file, no label in the symbol table", "tests/platforms_test.sh",
      "together" },
};

static const int here[] = { 1, 2, 3, 4, 6, 7, 8, 9, 10, 13, 14, 15, 16, 17 };

static const char *file_text(const char *path)
{
    struct text t = { 0 };
    ck_assert_msg(text_read_file(&t, path), "%s", path);
    text_add(&t, "");
    return t.at;
}

START_TEST(every_number_has_a_test)
{
    bool has[INPUTS + 1] = { false };
    for (int i = 0; i < COUNT(here); i++)
        has[here[i]] = true;
    for (int i = 0; i < COUNT(elsewhere); i++) {
        has[elsewhere[i].number] = true;
        ck_assert_msg(strstr(file_text(elsewhere[i].file), elsewhere[i].words) != NULL,
                      "input %d (%s) is not in %s", elsewhere[i].number, elsewhere[i].input,
                      elsewhere[i].file);
    }
    for (int n = 1; n <= INPUTS; n++)
        ck_assert_msg(has[n], "input %d", n);
}
END_TEST

/* -- objects -- */

static const char *built(const char *module, int platform, const char *ending)
{
    const char *build = getenv("BUILD");
    return mem_format("%s/field/%s-%s.%s", build ? build : "build", module, platforms[platform],
                      ending);
}

static void build(void)
{
    ck_assert_int_eq(system("tests/field_build.sh"), 0);
}

static struct emulator *load(const char *module, int platform, enum table_place place)
{
    char why[256];
    struct emulator *e = emulator_new(built(module, platform, "o"), place, why, sizeof why);
    ck_assert_msg(e != NULL, "%s", why);
    return e;
}

static void fill(uint8_t *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)(37 * i + 11);
}

/* The lines of one function in the emitted file. */
static const char *function_text(const char *module, int platform, const char *name)
{
    const char *text = file_text(built(module, platform, "S"));
    const char *symbol = mem_format("\n%s%s:\n", platform == 1 ? "_" : "", name);
    const char *start = strstr(text, symbol);
    ck_assert_msg(start != NULL, "%s", name);
    const char *end = strstr(start, "\tret\n");
    ck_assert_ptr_nonnull(end);
    return mem_string_n(start, (size_t)(end - start));
}

/* -- 1, 8: callee-saved vector registers -- */

static unsigned saved_vectors(const char *text)
{
    unsigned saved = 0;
    for (int n = 8; n <= 15; n++)
        if (strstr(text, mem_format("\tstp\td%d, ", n)) ||
            strstr(text, mem_format("\tstr\td%d, ", n)) ||
            strstr(text, mem_format(" d%d, [sp", n)))
            saved |= 1u << n;
    return saved;
}

START_TEST(input_1_as_many_d_registers_as_needed)
{
    ck_assert_uint_eq(saved_vectors(function_text("frames", _i, "frames_vector_24")), 0);
    unsigned saved = saved_vectors(function_text("frames", _i, "frames_vector_28"));
    ck_assert_int_eq(__builtin_popcount(saved), 4);
}
END_TEST

/* Memory in which each word holds its own address. */
static bool read_address(void *context, uint64_t address, uint64_t *word)
{
    (void)context;
    *word = address;
    return true;
}

START_TEST(input_8_all_saved_d_registers_are_in_the_tables)
{
    enum { BODY = 64, SP = 0x10000 };
    struct emulator *e = load("frames", _i, TABLES_MIDDLE);
    const struct object_file *o = emulator_object(e);
    const struct object_symbol *f = object_symbol(o, "frames_vector_28");
    unsigned saved = saved_vectors(function_text("frames", _i, "frames_vector_28")), restored = 0;
    struct emulated_registers r = { .sp = SP };
    char why[128] = "";
    struct unwind_step step = { .object = o, .registers = &r, .read = read_address, .why = why,
                                .why_size = sizeof why };
    r.pc = o->sections[f->section].address + f->offset + BODY;
    ck_assert_msg(unwind(&step), "%s", why);
    for (int n = 0; n < 32; n++)
        if (r.d[n] >= SP && r.d[n] < r.sp)
            restored |= 1u << n;
    ck_assert_uint_eq(restored, saved);
    emulator_free(e);
}
END_TEST

/* -- 2: upper halves -- */

START_TEST(input_2_the_upper_half_of_a_count_is_garbage)
{
    struct emulator *e = load("field", _i, TABLES_MIDDLE);
    for (uint64_t n = 0; n < 6; n++) {
        uint64_t words[6] = { 1, 2, 3, 4, 5, ~(uint64_t)0 }, got[6];
        emulator_reset(e);
        uint64_t arguments[2] = {
            emulator_buffer(e, words, 8 * n, BUFFER_READ_WRITE, EDGE_END, 0),
            (uint64_t)0xdeadbeef << 32 | n
        };
        struct call_report r = emulator_call(e, "field_count", arguments, 2);
        ck_assert_str_eq(r.fault, "");
        ck_assert_uint_eq((uint32_t)r.result, n + 1);
        emulator_read(e, arguments[0], got, 8 * n);
        for (uint64_t i = 0; i < n; i++)
            ck_assert_uint_eq(got[i], words[i] + 1);
    }
    emulator_free(e);
}
END_TEST

/* -- 3, 15, 16, 17: refused sources -- */

static void refused(const char *source, const char *message)
{
    ck_assert_msg(!compile_text("t.def", source, strlen(source)), "accepted: %s", source);
    ck_assert_msg(strstr(diag_messages()->at, message) != NULL, "no '%s' in\n%s", message,
                  diag_messages()->at);
}

START_TEST(input_3_registers)
{
    refused("module \"t\"; export fn f(x: u64) -> u64 { return add(x, x18); }", "[name]");
    /* Thirty words that are all needed at once, and cannot be read again. */
    refused("module \"t\";\nexport fn f(r: inout u64[29], n: u64) {\n"
            "    var v: u64[29] = [static for i in 0..29: r[i]];\n"
            "    for k in 0..n { static for i in 0..29 { v[i] = v[i] + v[(i + 1) % 29]; } }\n"
            "    static for i in 0..29 { r[i] = v[i]; }\n}\n",
            "general values are live here, 28 registers exist [registers]");
    ck_assert_msg(strstr(diag_messages()->at, "'v[") != NULL, "%s", diag_messages()->at);
}
END_TEST

/* An edited file that uses x18 is not what its source says. */
START_TEST(input_3_x18_in_a_text)
{
    const char *kgen = getenv("KGEN"), *edited = built("edited", 0, "S");
    const char *text = file_text(built("field", 0, "S"));
    const char *at = strstr(text, "\tadd\tx");
    struct text t = { 0 };
    ck_assert_ptr_nonnull(at);
    text_add_n(&t, text, (size_t)(at - text));
    text_add(&t, "\tmov\tx18, xzr\n");
    text_add(&t, at);
    ck_assert_int_eq(text_write_file(&t, edited), WRITE_DONE);
    const char *command = mem_format("%s verify tests/kernels/field.def --text %s 2>%s.said",
                                     kgen ? kgen : "build/kgen", edited, edited);
    ck_assert_int_ne(system(command), 0);
    ck_assert_msg(strstr(file_text(mem_format("%s.said", edited)), "x18") != NULL, "%s",
                  file_text(mem_format("%s.said", edited)));
}
END_TEST

START_TEST(input_15_lanes_of_another_width)
{
    refused("module \"t\"; export fn f(r: out u32x4[1], a: in u32x4[1], b: in u64x2[1]) {\n"
            "    r[0] = a[0] + b[0]; }", "[type]");
}
END_TEST

START_TEST(input_16_a_shift_by_64)
{
    refused("module \"t\"; export fn f(x: u64, n: u64 in 0..=64) -> u64 { return x << n; }",
            "[range]");
    const char *good =
        "module \"t\"; export fn f(x: u64, n: u64 in 0..=63) -> u64 { return x << n; }";
    ck_assert_msg(compile_text("t.def", good, strlen(good)), "%s", diag_messages()->at);
}
END_TEST

START_TEST(input_17_a_counter_in_a_carry_chain)
{
    refused("module \"t\"; export fn f(r: inout u64[n], n: u64) -> u64 {\n"
            "    var c: carry = 0;\n    var i: u64 = 0;\n"
            "    while i < n { r[i], c = r[i] + r[i] + c; i = i + 1; }\n    return c as u64; }",
            "[carry-lost]");
}
END_TEST

/* -- 4, 6: far and split tables -- */

START_TEST(input_4_and_6_tables_anywhere)
{
    uint8_t got[32], expected[32];
    for (int i = 0; i < 16; i++) {
        expected[i] = (uint8_t)i;
        expected[16 + i] = (uint8_t)(80 + i);
    }
    for (int place = TABLES_MIDDLE; place <= TABLES_PAGE_END; place++) {
        struct emulator *e = load("field", _i, (enum table_place)place);
        const struct object_file *o = emulator_object(e);
        uint64_t code = 0, tables = 0;
        for (int i = 0; i < o->section_count; i++) {
            code = o->sections[i].use == SECTION_CODE ? o->sections[i].address : code;
            tables = o->sections[i].use == SECTION_TABLES && o->sections[i].size != 0
                         ? o->sections[i].address : tables;
        }
        ck_assert_uint_ge(tables - code, 2 * 1000 * 1000);
        if (place == TABLES_PAGE_END)
            ck_assert_uint_eq(tables & 0xfff, 0xff0);
        uint64_t at = emulator_buffer(e, NULL, 32, BUFFER_READ_WRITE, EDGE_END, 0);
        struct call_report r = emulator_call(e, "field_table", &at, 1);
        ck_assert_str_eq(r.fault, "");
        emulator_read(e, at, got, 32);
        ck_assert_mem_eq(got, expected, 32);
        emulator_free(e);
    }
}
END_TEST

static void far_rounds(uint64_t r[8])
{
    for (uint64_t k = 0; k < 2600; k++)
        r[k % 8] = (r[k % 8] ^ r[(k + 3) % 8]) + r[(k + 5) % 8] * (2 * k + 12345);
}

START_TEST(input_6_a_branch_over_more_than_it_reaches)
{
    struct emulator *e = load("field", _i, TABLES_MIDDLE);
    const struct object_symbol *start = object_symbol(emulator_object(e), "field_far");
    const struct object_symbol *end = object_symbol(emulator_object(e), "field_five");
    ck_assert_uint_gt(end->offset - start->offset, 1 << 15);
    for (uint64_t n = 2; n < 4; n++) {
        uint64_t words[8] = { 1, 2, 3, 4, 5, 6, 7, 8 }, got[8];
        emulator_reset(e);
        uint64_t arguments[2] = { emulator_buffer(e, words, 64, BUFFER_READ_WRITE, EDGE_END, 0), n };
        struct call_report r = emulator_call(e, "field_far", arguments, 2);
        ck_assert_str_eq(r.fault, "");
        ck_assert_uint_eq(r.result, n);
        if (n & 1)
            far_rounds(words);
        emulator_read(e, arguments[0], got, 64);
        ck_assert_mem_eq(got, words, 64);
    }
    emulator_free(e);
}
END_TEST

/* -- 7, 9: what the formats cannot bear -- */

START_TEST(input_7_no_alignment_inside_a_description)
{
    static const char *const modules[] = { "field", "frames" };
    for (int i = 0; i < COUNT(modules); i++) {
        const char *at = file_text(built(modules[i], 2, "S"));
        while ((at = strstr(at, "\t.seh_proc\t")) != NULL) {
            const char *end = strstr(at, "\t.seh_endproc\n");
            ck_assert_ptr_nonnull(end);
            ck_assert_ptr_null(strstr(mem_string_n(at, (size_t)(end - at)), ".p2align"));
            at = end;
        }
    }
}
END_TEST

START_TEST(input_9_mach_o_atoms)
{
    static const char *const modules[] = { "field", "frames" };
    for (int i = 0; i < COUNT(modules); i++) {
        struct emulator *e = load(modules[i], 1, TABLES_MIDDLE);
        const struct object_file *o = emulator_object(e);
        bool begins = false;
        for (int k = 0; k < o->symbol_count; k++) {
            const struct object_symbol *s = &o->symbols[k];
            begins |= s->section >= 0 && o->sections[s->section].use == SECTION_TABLES &&
                      s->offset == 0 && strncmp(s->name, "ltmp", 4) != 0;
        }
        ck_assert_msg(begins, "__const of %s begins with no symbol", modules[i]);
        /* A conditional branch to another function would need a relocation. */
        for (int k = 0; k < o->relocation_count; k++) {
            const struct object_relocation *r = &o->relocations[k];
            const uint8_t *insn = o->sections[r->section].bytes + r->offset;
            if (r->kind == RELOC_BRANCH_26)
                ck_assert_msg((insn[3] & 0xfc) == 0x94, "a branch that is no bl leaves its function");
        }
        emulator_free(e);
    }
}
END_TEST

/* -- 10: early return -- */

START_TEST(input_10_an_early_return_with_signed_addresses)
{
    struct emulator *e = load("frames", _i, TABLES_MIDDLE);
    for (uint64_t n = 0; n < 5; n++) {
        emulator_reset(e);
        uint64_t arguments[3] = {
            emulator_buffer(e, NULL, 16 * n, BUFFER_READ_WRITE, EDGE_END, 0),
            emulator_buffer(e, NULL, 16 * n, BUFFER_READ_ONLY, EDGE_END, 0), n
        };
        struct call_report r = emulator_call(e, "frames_early_call", arguments, 3);
        ck_assert_str_eq(r.fault, "");
        ck_assert_int_eq((int32_t)r.result, n == 3 ? -2 : 0);
    }
    emulator_free(e);
}
END_TEST

/* -- 13, 14: no blocks, and some around the width -- */

/* What goes on through all blocks is what it was. */
START_TEST(input_13_no_blocks_of_ocb)
{
    static const char *const functions[] = { "ocb_aes_hw_encrypt", "ocb_aes_hw_decrypt" };
    struct emulator *e = load_module("ocb-armv8", _i, TABLES_MIDDLE);
    for (int i = 0; i < COUNT(functions); i++) {
        uint8_t was[16], is[16];
        const uint32_t rounds = 10;
        emulator_reset(e);
        fill(was, sizeof was);
        uint64_t arguments[8] = {
            0, 0, 0, 1, emulator_buffer(e, NULL, 244, BUFFER_READ_ONLY, EDGE_END, 0),
            emulator_buffer(e, NULL, 512, BUFFER_READ_ONLY, EDGE_END, 0),
            emulator_buffer(e, was, 16, BUFFER_READ_WRITE, EDGE_END, 0),
            emulator_buffer(e, was, 16, BUFFER_READ_WRITE, EDGE_END, 0)
        };
        emulator_write(e, arguments[4] + 240, &rounds, sizeof rounds);
        struct call_report r = emulator_call(e, functions[i], arguments, 8);
        ck_assert_str_eq(r.fault, "");
        for (int k = 6; k < 8; k++) {
            emulator_read(e, arguments[k], is, sizeof is);
            ck_assert_mem_eq(is, was, sizeof is);
        }
    }
    emulator_free(e);
}
END_TEST

START_TEST(input_13_nothing_to_do)
{
    static const struct { const char *module, *function; int arguments; } calls[] = {
        { "bn-armv8", "bn_add_words", 4 },
        { "bn-armv8", "bn_sub_words", 4 },
        { "field", "field_five", 3 },
    };
    for (int i = 0; i < COUNT(calls); i++) {
        struct emulator *e = strcmp(calls[i].module, "field") == 0
                                 ? load("field", _i, TABLES_MIDDLE)
                                 : load_module(calls[i].module, _i, TABLES_MIDDLE);
        uint64_t none[4] = { 0, 0, 0, 0 };      /* null pointers: a store would fault */
        struct call_report r = emulator_call(e, calls[i].function, none, calls[i].arguments);
        ck_assert_str_eq(r.fault, "");
        ck_assert_uint_eq(r.result, 0);
        emulator_free(e);
    }
}
END_TEST

START_TEST(input_14_five_at_a_time_up_to_the_end_of_memory)
{
    struct emulator *e = load("field", _i, TABLES_MIDDLE);
    for (uint64_t n = 1; n <= 12; n++) {
        uint8_t in[16 * 12], got[16 * 12];
        fill(in, sizeof in);
        emulator_reset(e);
        uint64_t arguments[3] = {
            emulator_buffer(e, in, 16 * n, BUFFER_READ_ONLY, EDGE_END, 0),
            emulator_buffer(e, NULL, 16 * n, BUFFER_READ_WRITE, EDGE_END, 0), n
        };
        struct call_report r = emulator_call(e, "field_five", arguments, 3);
        ck_assert_str_eq(r.fault, "");
        emulator_read(e, arguments[1], got, 16 * n);
        for (uint64_t i = 0; i < 16 * n; i++)
            ck_assert_uint_eq(got[i], in[i / 8 * 8 + 7 - i % 8] ^ 0x5a);
    }
    emulator_free(e);
}
END_TEST

/* -- more arguments than registers -- */

static const struct { int bytes; size_t slot, packed; } stacked[] = {
    { 4, 0, 0 }, { 4, 8, 4 }, { 8, 16, 8 }, { 4, 24, 16 }, { 8, 32, 24 }, { 4, 40, 32 },
};

/* What is pushed here, the platform's C compiler reads as the kernel does: the
 * numbers 1 to 13, with garbage between those that are on the stack. */
START_TEST(arguments_on_the_stack_are_where_c_has_them)
{
    static const struct { const char *module, *function; } both[] = {
        { "arguments", "arguments_in_c" }, { "frames", "frames_arguments" }
    };
    uint8_t pushed[48];
    memset(pushed, 0xa5, sizeof pushed);
    for (int i = 0; i < COUNT(stacked); i++) {
        uint8_t *at = pushed + (strcmp(platforms[_i], "apple") == 0 ? stacked[i].packed
                                                                    : stacked[i].slot);
        memset(at, 0, (size_t)stacked[i].bytes);
        *at = (uint8_t)(8 + i);
    }
    for (int which = 0; which < COUNT(both); which++) {
        struct emulator *e = load(both[which].module, _i, TABLES_MIDDLE);
        uint64_t got[14], in_registers[8] = { 0, 1, 2, 3, 4, 5, 6, 7 };
        in_registers[0] = emulator_buffer(e, NULL, sizeof got, BUFFER_READ_WRITE, EDGE_END, 0);
        emulator_push(e, pushed, sizeof pushed);
        struct call_report r = emulator_call(e, both[which].function, in_registers, 8);
        ck_assert_msg(r.fault[0] == 0, "%s: %s", both[which].function, r.fault);
        emulator_read(e, in_registers[0], got, sizeof got);
        for (uint64_t i = 0; i < 13; i++)
            ck_assert_msg(got[i] == i + 1, "%s: argument %d", both[which].function, (int)i + 1);
        ck_assert_uint_eq(got[13], 3);
        ck_assert_uint_eq(r.result, 1 ^ 10);
        emulator_free(e);
    }
}
END_TEST

Suite *field_suite(void)
{
    Suite *suite = suite_create("field");
    TCase *tests = tcase_create("inputs");
    tcase_add_unchecked_fixture(tests, build, NULL);
    tcase_add_test(tests, every_number_has_a_test);
    tcase_add_loop_test(tests, input_1_as_many_d_registers_as_needed, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, input_2_the_upper_half_of_a_count_is_garbage, 0, PLATFORM_COUNT);
    tcase_add_test(tests, input_3_registers);
    tcase_add_test(tests, input_3_x18_in_a_text);
    tcase_add_loop_test(tests, input_4_and_6_tables_anywhere, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, input_6_a_branch_over_more_than_it_reaches, 0, PLATFORM_COUNT);
    tcase_add_test(tests, input_7_no_alignment_inside_a_description);
    tcase_add_loop_test(tests, input_8_all_saved_d_registers_are_in_the_tables, 0, PLATFORM_COUNT);
    tcase_add_test(tests, input_9_mach_o_atoms);
    tcase_add_loop_test(tests, input_10_an_early_return_with_signed_addresses, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, input_13_nothing_to_do, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, input_13_no_blocks_of_ocb, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, input_14_five_at_a_time_up_to_the_end_of_memory, 0, PLATFORM_COUNT);
    tcase_add_loop_test(tests, arguments_on_the_stack_are_where_c_has_them, 0, PLATFORM_COUNT);
    tcase_add_test(tests, input_15_lanes_of_another_width);
    tcase_add_test(tests, input_16_a_shift_by_64);
    tcase_add_test(tests, input_17_a_counter_in_a_carry_chain);
    tcase_set_timeout(tests, 120);
    suite_add_tcase(suite, tests);
    return suite;
}
