/* exec_test.c: the executor and the byte domain on small programs. */
#include <check.h>
#include <string.h>

#include "suites.h"
#include "verify/apply.h"
#include "verify/bytes.h"
#include "verify/term_domain.h"
#include "verify/exec.h"

struct run {
    struct byte_domain bytes;
    struct machine machine;
    struct code code;
};

#define BUFFER_BASE 0x10010u
#define STACK_TOP   0x7fff0000u

static uint8_t buffer[32], stack[256];

/* One line each: "label:" or an instruction. */
static void read_code(struct code *code, const char *const *lines)
{
    for (uint32_t n = 0; lines[n] != NULL; n++) {
        struct phys_insn insn;
        size_t length = strlen(lines[n]);
        if (lines[n][length - 1] == ':') {
            code_add_label(code, mem_string_n(lines[n], length - 1));
            continue;
        }
        const char *wrong = insn_read(lines[n], &insn);
        ck_assert_msg(wrong == NULL, "%s: %s", lines[n], wrong);
        code_add(code, &insn, n + 1);
    }
}

static struct run *prepare(const char *const *lines)
{
    struct run *r = NEW(struct run);
    byte_domain_init(&r->bytes);
    for (int i = 0; i < COUNT(buffer); i++)
        buffer[i] = (uint8_t)i;
    byte_domain_add(&r->bytes, "a", BUFFER_BASE, sizeof buffer, BYTES_READ_WRITE, buffer);
    byte_domain_add(&r->bytes, "stack", STACK_TOP - sizeof stack, sizeof stack, BYTES_READ_WRITE, stack);
    byte_region_undefine(&r->bytes.regions.at[1]);
    byte_domain_add(&r->bytes, "table", 0x55ff8, 16, BYTES_READ_ONLY, NULL)->bytes[15] = 0x80;
    r->machine.domain = &r->bytes.domain;
    machine_add_symbol(&r->machine, "table", 0x55ff8);
    machine_poison(&r->machine, 42);
    r->machine.sp = byte_value(&r->bytes, 64, (struct bits){ { STACK_TOP, 0 } });
    read_code(&r->code, lines);
    return r;
}

static void set_x(struct run *r, int reg, uint64_t v)
{
    r->machine.x[reg] = byte_value(&r->bytes, 64, (struct bits){ { v, 0 } });
}

static uint64_t get_x(const struct run *r, int reg)
{
    return byte_bits(&r->bytes, r->machine.x[reg]).v[0];
}

static bool run(struct run *r)
{
    ck_assert_ptr_null(code_link(&r->code));
    return exec_run(&r->machine, &r->code, "f", 100000);
}

#define PROGRAM(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void expect_fault(const char *const *lines, const char *fault)
{
    struct run *r = prepare(lines);
    set_x(r, 0, BUFFER_BASE);
    ck_assert(!run(r));
    ck_assert_str_eq(r->machine.fault, fault);
}

/* -- control -- */

START_TEST(a_loop_runs_to_its_end)
{
    struct run *r = prepare(PROGRAM("f:", "movz x1, #0x2710", "movz x2, #0x0", ".Lloop:",
                                    "add x2, x2, x1", "sub x1, x1, #1", "cbnz x1, .Lloop",
                                    "mov x0, x2", "ret"));
    ck_assert(run(r));
    ck_assert_uint_eq(get_x(r, 0), 10000ull * 10001 / 2);
    ck_assert_uint_eq(r->machine.steps, 2 + 3 * 10000 + 2);
}
END_TEST

START_TEST(values_survive_a_long_run)
{
    struct run *r = prepare(PROGRAM("f:", "movz x1, #0x1000", ".Lloop:", "sub x1, x1, #1",
                                    "cbnz x1, .Lloop", "ret"));
    uint64_t before[31];
    for (int i = 0; i < 30; i++)
        before[i] = get_x(r, i);
    struct bits v7 = byte_bits(&r->bytes, r->machine.v[7]);
    ck_assert(run(r));
    for (int i = 2; i < 30; i++)
        ck_assert_uint_eq(get_x(r, i), before[i]);
    ck_assert(bits_equal(byte_bits(&r->bytes, r->machine.v[7]), v7));
    ck_assert_uint_eq(get_x(r, 30), EXEC_CALLER);
    ck_assert_int_lt(r->bytes.values.n, 10000);
}
END_TEST

START_TEST(a_call_returns_behind_itself)
{
    struct run *r = prepare(PROGRAM("g:", "add x0, x0, #1", "ret",
                                    "f:", "paciasp", "stp x29, x30, [sp, #-16]!", "movz x0, #0x5",
                                    "bl g", "bl g", "ldp x29, x30, [sp], #16", "autiasp", "ret"));
    ck_assert(run(r));
    ck_assert_uint_eq(get_x(r, 0), 7);
    ck_assert_uint_eq(byte_bits(&r->bytes, r->machine.sp).v[0], STACK_TOP);
}
END_TEST

START_TEST(a_signed_return_address_is_no_address)
{
    struct run *r = prepare(PROGRAM("f:", "paciasp", "ret"));
    ck_assert(!run(r));
    ck_assert_ptr_nonnull(strstr(r->machine.fault, "which no call left in x30"));
    r = prepare(PROGRAM("f:", "paciasp", "sub sp, sp, #16", "autiasp", "ret"));
    ck_assert(!run(r));
    ck_assert_ptr_nonnull(strstr(r->machine.fault, "which no call left in x30"));
    r = prepare(PROGRAM("f:", "paciasp", "autibsp", "ret"));
    ck_assert(!run(r));
}
END_TEST

START_TEST(control_faults)
{
    expect_fault(PROGRAM("f:", "nop"), "runs past the last instruction");
    expect_fault(PROGRAM("f:", ".Lx:", "b .Lx"), "line 3: 'b .Lx': more than 100000 instructions");
    expect_fault(PROGRAM("f:", "bl memcpy", "ret"),
                 "line 2: 'bl memcpy': a call of 'memcpy', which is not in this text");
    expect_fault(PROGRAM("f:", "movz x30, #0x10", "ret"),
                 "line 3: 'ret': a return to 0x10, which no call left in x30");
    expect_fault(PROGRAM("g:", "ret"), "no label 'f'");
}
END_TEST

START_TEST(linking_finds_what_is_wrong)
{
    struct run *r = prepare(PROGRAM("f:", "b .Lnowhere"));
    ck_assert_str_eq(code_link(&r->code), "line 2: no label '.Lnowhere'");
    r = prepare(PROGRAM("f:", "ret", "f:", "ret"));
    ck_assert_str_eq(code_link(&r->code), "label 'f' is defined twice");
}
END_TEST

START_TEST(the_platform_register_traps)
{
    struct run *r = prepare(PROGRAM("f:", "mov x1, x0", "ret"));
    r->code.lines.at[0].insn.op[1].reg = 18;
    ck_assert(!run(r));
    ck_assert_str_eq(r->machine.fault, "line 2: 'mov_x': x18 is read");
    r = prepare(PROGRAM("f:", "mov x1, x0", "ret"));
    r->code.lines.at[0].insn.op[0].reg = 18;
    ck_assert(!run(r));
    ck_assert_str_eq(r->machine.fault, "line 2: 'mov_x': x18 is written");
}
END_TEST

/* -- addresses and memory -- */

START_TEST(a_symbol_is_a_page_and_an_offset)
{
    static const char *const spellings[][2] = {
        { "adrp x3, table", "add x3, x3, :lo12:table" },
        { "adrp x3, table@PAGE", "add x3, x3, table@PAGEOFF" },
    };
    for (int i = 0; i < COUNT(spellings); i++) {
        struct run *r = prepare(PROGRAM("f:", spellings[i][0], spellings[i][1], "ldr q4, [x3]", "ret"));
        ck_assert_msg(run(r), "%s", r->machine.fault);
        ck_assert_uint_eq(get_x(r, 3), 0x55ff8);
        ck_assert_uint_eq(byte_bits(&r->bytes, r->machine.v[4]).v[1], 0x80ull << 56);
    }
    expect_fault(PROGRAM("f:", "adrp x3, tablet", "ret"), "line 2: 'adrp x3, tablet': no object 'tablet'");
}
END_TEST

START_TEST(memory_faults)
{
    expect_fault(PROGRAM("f:", "ldr x1, [x0, #32]", "ret"),
                 "line 2: 'ldr x1, [x0, #32]': an access outside every object: "
                 "8 bytes at byte 32 of a (32 bytes)");
    expect_fault(PROGRAM("f:", "ldr q1, [x0, #32]", "ret"),
                 "line 2: 'ldr q1, [x0, #32]': an access outside every object: "
                 "16 bytes at byte 32 of a (32 bytes)");
    expect_fault(PROGRAM("f:", "ldur x1, [x0, #25]", "ret"),
                 "line 2: 'ldur x1, [x0, #25]': an access past the end of an object: "
                 "8 bytes at byte 25 of a (32 bytes)");
    expect_fault(PROGRAM("f:", "sturb w1, [x0, #-1]", "ret"),
                 "line 2: 'sturb w1, [x0, #-1]': an access outside every object: "
                 "1 bytes at 1 bytes before a");
    expect_fault(PROGRAM("f:", "ldp q1, q2, [x0, #16]", "ret"),
                 "line 2: 'ldp q1, q2, [x0, #16]': an access outside every object: "
                 "16 bytes at byte 32 of a (32 bytes)");
    expect_fault(PROGRAM("f:", "adrp x3, table", "str x3, [x3, #4088]", "ret"),
                 "line 3: 'str x3, [x3, #4088]': a store to an object that is only read: "
                 "8 bytes at byte 0 of table (16 bytes)");
    expect_fault(PROGRAM("f:", "stp x1, x2, [sp, #-16]!", "ldr x1, [sp, #8]", "ldur x1, [sp, #-8]", "ret"),
                 "line 4: 'ldur x1, [sp, #-8]': a read of memory that was never written: "
                 "8 bytes at byte 232 of stack (256 bytes)");
    expect_fault(PROGRAM("f:", "movz x1, #0x0", "ldr x1, [x1]", "ret"),
                 "line 3: 'ldr x1, [x1]': an access outside every object: 8 bytes at address 0x0");
}
END_TEST

START_TEST(stores_reach_exactly_their_bytes)
{
    struct run *r = prepare(PROGRAM("f:", "movn x1, #0x0", "sturh w1, [x0, #3]", "strb w1, [x0, #31]", "ret"));
    set_x(r, 0, BUFFER_BASE);
    ck_assert(run(r));
    for (int i = 0; i < COUNT(buffer); i++)
        ck_assert_int_eq(buffer[i], i == 3 || i == 4 || i == 31 ? 0xff : i);
}
END_TEST

/* -- time -- */

/* x1 holds a secret, x2 a number; both are the same to the byte domain. */
static const char *fault_with_secret(const char *insn)
{
    static struct cells memory;
    struct term_domain terms;
    struct machine m = { 0 };
    struct code code = { 0 };
    term_reset();
    term_domain_init(&terms, &memory, NULL);
    m.domain = &terms.domain;
    machine_poison(&m, 3);
    m.x[1] = term_input(64, "key", NO_INDEX, INPUT_SECRET);
    read_code(&code, PROGRAM("f:", insn, ".Lx:", "ret"));
    ck_assert_ptr_null(code_link(&code));
    return exec_run(&m, &code, "f", 100) ? NULL : m.fault;
}

START_TEST(secrets_reach_no_time)
{
    ck_assert_str_eq(fault_with_secret("udiv x3, x2, x1"),
                     "line 2: 'udiv x3, x2, x1': the time of 'udiv' may depend on a secret");
    ck_assert_str_eq(fault_with_secret("fmov d3, x1"),
                     "line 2: 'fmov d3, x1': the time of 'fmov' may depend on a secret");
    ck_assert_ptr_nonnull(strstr(fault_with_secret("cbz x1, .Lx"), "depends on a secret"));
    ck_assert_ptr_nonnull(strstr(fault_with_secret("tbz w1, #3, .Lx"), "depends on a secret"));
    ck_assert_ptr_nonnull(strstr(fault_with_secret("ldr x2, [x1]"), "depends on a secret"));
    ck_assert_ptr_null(fault_with_secret("udiv x3, x2, x4"));
    ck_assert_ptr_null(fault_with_secret("fmov d3, x2"));
    ck_assert_ptr_null(fault_with_secret("mul x3, x1, x2"));
    ck_assert_ptr_null(fault_with_secret("cbz x2, .Lx"));
}
END_TEST

/* -- rows as functions -- */

static val number(struct run *r, int width, uint64_t v)
{
    return byte_value(&r->bytes, width, (struct bits){ { v, 0 } });
}

START_TEST(a_row_is_a_function)
{
    struct run *r = prepare(PROGRAM("f:", "ret"));
    struct domain *d = &r->bytes.domain;
    val sum[] = { number(r, 32, 0xffffffff), number(r, 32, 2) };
    ck_assert_uint_eq(byte_bits(&r->bytes, apply_insn(d, INSN_add_w, sum, 2)).v[0], 1);
    val field[] = { number(r, 64, 0xabcd), number(r, 64, 4), number(r, 64, 8) };
    ck_assert_uint_eq(byte_bits(&r->bytes, apply_insn(d, INSN_ubfx_x, field, 3)).v[0], 0xbc);
    val lane[] = { number(r, 128, 0), number(r, 32, 1), number(r, 32, 7) };
    ck_assert_uint_eq(byte_bits(&r->bytes, apply_insn(d, INSN_ins_s, lane, 3)).v[0], 7ull << 32);
    val halves[] = { number(r, 64, ~0ull), number(r, 64, ~0ull) };
    ck_assert_uint_eq(byte_bits(&r->bytes, apply_insn(d, INSN_umulh_x, halves, 2)).v[0], ~1ull);
    val same[] = { number(r, 128, 0x01020304), number(r, 128, 0x0f) };
    ck_assert_uint_eq(byte_bits(&r->bytes, apply_insn(d, INSN_tbl_16b, same, 2)).v[0], 0x0404040404040400);
}
END_TEST

START_TEST(poison_differs_everywhere_and_by_seed)
{
    struct run *r = prepare(PROGRAM("f:", "ret"));
    machine_poison(&r->machine, 1);
    uint64_t x0 = get_x(r, 0);
    for (int i = 0; i < 31; i++)
        for (int k = 0; k < i; k++)
            ck_assert_uint_ne(get_x(r, i), get_x(r, k));
    machine_poison(&r->machine, 2);
    ck_assert_uint_ne(get_x(r, 0), x0);
}
END_TEST

Suite *exec_suite(void)
{
    Suite *suite = suite_create("executor");
    TCase *control = tcase_create("control");
    tcase_add_test(control, a_loop_runs_to_its_end);
    tcase_add_test(control, values_survive_a_long_run);
    tcase_add_test(control, a_call_returns_behind_itself);
    tcase_add_test(control, a_signed_return_address_is_no_address);
    tcase_add_test(control, control_faults);
    tcase_add_test(control, linking_finds_what_is_wrong);
    tcase_add_test(control, the_platform_register_traps);
    suite_add_tcase(suite, control);
    TCase *memory = tcase_create("memory");
    tcase_add_test(memory, a_symbol_is_a_page_and_an_offset);
    tcase_add_test(memory, memory_faults);
    tcase_add_test(memory, stores_reach_exactly_their_bytes);
    suite_add_tcase(suite, memory);
    TCase *timing = tcase_create("time");
    tcase_add_test(timing, secrets_reach_no_time);
    suite_add_tcase(suite, timing);
    TCase *functions = tcase_create("rows as functions");
    tcase_add_test(functions, a_row_is_a_function);
    tcase_add_test(functions, poison_differs_everywhere_and_by_seed);
    suite_add_tcase(suite, functions);
    return suite;
}
