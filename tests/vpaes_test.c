/* vpaes_test.c: the modules vpaes-armv8 and aesv8-armv8 of all three object
 * formats, run in Unicorn between missing pages, against libcrypto.
 *
 * run/modes.c does the same for the ELF output in more ways per case; here the
 * point is that Mach-O and COFF objects do what the ELF one does, that tables
 * are found at the end of a page, that secrets change no address, and that a
 * schedule leaves nothing of the key behind.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/objects.h"
#include "harness/vpaes_expected.h"
#include "harness/vpaes_schedule.h"
#include "suites.h"

/* The upper half of a 32-bit argument is the caller's garbage. Apple's callers
 * extend, which makes no difference to a callee that does not rely on it. */
static const uint64_t poison = 0xbad0bad000000000;

/* -- modules -- */

static const struct { const char *name, *prefix; } modules[] = {
    { "vpaes-armv8", "vpaes" }, { "aesv8-armv8", "aes_hw" }
};
enum { MODULES = sizeof modules / sizeof *modules, RUNS = MODULES * PLATFORM_COUNT };

static const char *prefix;      /* of the functions of the module that was loaded last */

static struct emulator *load_run(int run, enum table_place place)
{
    prefix = modules[run / PLATFORM_COUNT].prefix;
    return load_module(modules[run / PLATFORM_COUNT].name, run % PLATFORM_COUNT, place);
}

static struct call_report call_named(struct emulator *e, const char *function,
                                     const uint64_t *arguments, int count)
{
    char name[64];
    snprintf(name, sizeof name, "%s_%s", prefix, function);
    return emulator_call(e, name, arguments, count);
}

/* -- calls -- */

struct call {
    struct call_report report;
    uint8_t out[16 * VPAES_MAX_BLOCKS], ivec[16];
};

static struct call_report set_key(struct emulator *e, const struct vpaes_case *c, uint64_t key,
                                  enum buffer_edge edge, unsigned skew)
{
    size_t bytes = (size_t)c->bits / 8;
    uint64_t user_key = emulator_buffer(e, c->key, bytes, BUFFER_READ_ONLY, edge, skew);
    uint64_t arguments[3] = { user_key, poison | (uint64_t)c->bits, key };
    const char *function = vpaes_decrypts(c->mode) ? "set_decrypt_key" : "set_encrypt_key";
    struct call_report r = call_named(e, function, arguments, 3);
    ck_assert_msg(r.fault[0] == 0, "a schedule of %d bits: %s", c->bits, r.fault);
    ck_assert_uint_eq((uint32_t)r.result, 0);
    return r;
}

static struct call_report call_mode(struct emulator *e, const struct vpaes_case *c, uint64_t src,
                                    uint64_t dst, uint64_t key, uint64_t ivec)
{
    uint64_t encrypt = poison | !vpaes_decrypts(c->mode), length = 16 * c->blocks;
    uint64_t ecb[] = { src, dst, length, key, encrypt };
    uint64_t cbc[] = { src, dst, length, key, ivec, encrypt };
    uint64_t ctr[] = { src, dst, c->blocks, key, ivec };
    switch (c->mode) {
    case VPAES_ECB_ENCRYPT: case VPAES_ECB_DECRYPT:
        return call_named(e, "ecb_encrypt", ecb, 5);
    case VPAES_CBC_ENCRYPT: case VPAES_CBC_DECRYPT:
        return call_named(e, "cbc_encrypt", cbc, 6);
    default:
        return call_named(e, "ctr32_encrypt_blocks", ctr, 5);
    }
}

/* The schedule and the call; all places depend on WAY. */
static struct call run_case(struct emulator *e, const struct vpaes_case *c, unsigned way)
{
    struct call call = { .out = { 0 } };
    size_t bytes = 16 * c->blocks;
    bool in_place = way & 1;
    enum buffer_edge edge = way & 2 ? EDGE_START : EDGE_END;
    emulator_reset(e);
    uint64_t key = emulator_buffer(e, NULL, AES_KEY_SIZE, BUFFER_READ_WRITE, edge, way % 4 * 4);
    set_key(e, c, key, EDGE_END, way / 4 % 16);
    uint64_t src = emulator_buffer(e, c->in, bytes, in_place ? BUFFER_READ_WRITE : BUFFER_READ_ONLY,
                                   edge, way % 16);
    uint64_t dst =
        in_place ? src : emulator_buffer(e, NULL, bytes, BUFFER_READ_WRITE, edge, way / 16 % 16);
    enum buffer_access chained =
        c->mode != VPAES_CTR && bytes > 0 ? BUFFER_READ_WRITE : BUFFER_READ_ONLY;
    uint64_t ivec = emulator_buffer(e, c->ivec, 16, chained, edge, way / 4 % 16);
    call.report = call_mode(e, c, src, dst, key, ivec);
    emulator_read(e, dst, call.out, bytes);
    emulator_read(e, ivec, call.ivec, 16);
    return call;
}

static void check_cases(int run, enum table_place place, int step)
{
    static struct vpaes_case c;
    struct emulator *e = load_run(run, place);
    for (int i = 0; i < vpaes_case_count(); i += step) {
        uint8_t expected[16 * VPAES_MAX_BLOCKS], left[16];
        vpaes_case_at(i, &c);
        vpaes_expect(&c, expected, left);
        struct call call = run_case(e, &c, (unsigned)i);
        ck_assert_msg(call.report.fault[0] == 0, "case %d, %s, %zu blocks: %s", i,
                      vpaes_mode_name(c.mode), c.blocks, call.report.fault);
        ck_assert_msg(memcmp(call.out, expected, 16 * c.blocks) == 0 &&
                          memcmp(call.ivec, left, 16) == 0,
                      "case %d, %s, %d bits, %zu blocks: wrong result", i, vpaes_mode_name(c.mode),
                      c.bits, c.blocks);
    }
    emulator_free(e);
}

START_TEST(every_case_equals_libcrypto)
{
    check_cases(_i, TABLES_MIDDLE, 1);
}
END_TEST

START_TEST(tables_at_the_end_of_a_page_are_found)
{
    check_cases(_i, TABLES_PAGE_END, 11);
}
END_TEST

/* encrypt and decrypt of one block: one undoes the other, and ECB has shown what
 * the first gives. */
START_TEST(single_blocks_equal_ecb)
{
    static struct vpaes_case c;
    struct emulator *e = load_run(_i, TABLES_MIDDLE);
    for (int i = 0; i < vpaes_case_count(); i++) {
        uint8_t expected[16 * VPAES_MAX_BLOCKS], left[16], got[16];
        vpaes_case_at(i, &c);
        if (c.blocks != 1 || (c.mode != VPAES_ECB_ENCRYPT && c.mode != VPAES_ECB_DECRYPT))
            continue;
        vpaes_expect(&c, expected, left);
        emulator_reset(e);
        enum buffer_edge edge = i & 1 ? EDGE_START : EDGE_END;
        unsigned skew = (unsigned)i % 16;
        uint64_t key =
            emulator_buffer(e, NULL, AES_KEY_SIZE, BUFFER_READ_WRITE, edge, skew % 4 * 4);
        set_key(e, &c, key, edge, skew);
        uint64_t src = emulator_buffer(e, c.in, 16, BUFFER_READ_WRITE, edge, skew);
        uint64_t apart = emulator_buffer(e, NULL, 16, BUFFER_READ_WRITE, edge, 15 - skew);
        uint64_t dst = i & 2 ? src : apart;
        uint64_t arguments[3] = { src, dst, key };
        const char *function = vpaes_decrypts(c.mode) ? "decrypt" : "encrypt";
        struct call_report r = call_named(e, function, arguments, 3);
        ck_assert_msg(r.fault[0] == 0, "case %d: %s", i, r.fault);
        emulator_read(e, dst, got, 16);
        ck_assert_mem_eq(got, expected, 16);
    }
    emulator_free(e);
}
END_TEST

/* -- secrets -- */

static void fill(uint8_t *at, size_t n, unsigned seed)
{
    for (size_t i = 0; i < n; i++) {
        seed = seed * 1103515245u + 12345u;     /* ISO C 7.22.2.2's example */
        at[i] = (uint8_t)(seed >> 16);
    }
}

START_TEST(keys_and_blocks_do_not_show_in_the_trace)
{
    static struct vpaes_case c;
    struct emulator *e = load_run(_i, TABLES_MIDDLE);
    for (int mode = 0; mode < VPAES_MODES; mode++) {
        for (c.bits = 128; c.bits <= 256; c.bits += 64) {
            struct call first = { .out = { 0 } };
            c.mode = (enum vpaes_mode)mode;
            c.blocks = 13;      /* a pass of the loops of every width */
            for (unsigned i = 0; i < 4; i++) {
                fill(c.key, sizeof c.key, 3 * i);
                fill(c.in, sizeof c.in, 3 * i + 1);
                fill(c.ivec, sizeof c.ivec, 3 * i + 2);
                struct call now = run_case(e, &c, 0);
                ck_assert_str_eq(now.report.fault, "");
                if (i == 0)
                    first = now;
                ck_assert_uint_eq(now.report.pc_trace, first.report.pc_trace);
                ck_assert_uint_eq(now.report.access_trace, first.report.access_trace);
                ck_assert_mem_ne(i == 0 ? c.ivec : now.out, first.out, 16);
            }
        }
    }
    emulator_free(e);
}
END_TEST

/* What a call leaves where anyone may look: registers and the stack below sp. */
struct remains {
    struct emulated_registers registers;
    uint8_t stack[1024];
    uint64_t pc_trace, access_trace;
};

static struct remains remains_of(int run, const struct vpaes_case *c)
{
    struct remains r;
    struct emulator *e = load_run(run, TABLES_MIDDLE);
    uint64_t key = emulator_buffer(e, NULL, AES_KEY_SIZE, BUFFER_READ_WRITE, EDGE_END, 0);
    struct call_report report = set_key(e, c, key, EDGE_END, 0);
    emulator_registers(e, &r.registers);
    emulator_read(e, r.registers.sp - sizeof r.stack, r.stack, sizeof r.stack);
    r.pc_trace = report.pc_trace;
    r.access_trace = report.access_trace;
    emulator_free(e);
    return r;
}

/* A new emulator has the same garbage each time: only keys differ. */
START_TEST(a_schedule_leaves_nothing_of_the_key)
{
    static struct vpaes_case c;
    for (int direction = 0; direction < 2; direction++) {
        for (c.bits = 128; c.bits <= 256; c.bits += 64) {
            c.mode = direction == 0 ? VPAES_ECB_ENCRYPT : VPAES_ECB_DECRYPT;
            fill(c.key, sizeof c.key, 1);
            struct remains first = remains_of(_i, &c);
            fill(c.key, sizeof c.key, 2);
            struct remains second = remains_of(_i, &c);
            for (int i = 0; i < 31; i++)
                ck_assert_msg(first.registers.x[i] == second.registers.x[i], "x%d tells the key",
                              i);
            for (int i = 0; i < 32; i++)
                ck_assert_msg(first.registers.d[i] == second.registers.d[i] &&
                                  first.registers.high[i] == second.registers.high[i],
                              "v%d tells the key", i);
            ck_assert_mem_eq(first.stack, second.stack, sizeof first.stack);
            ck_assert_uint_eq(first.pc_trace, second.pc_trace);
            ck_assert_uint_eq(first.access_trace, second.access_trace);
        }
    }
}
END_TEST

/* The same look at a call that does not clear its registers sees the block. */
START_TEST(what_a_call_leaves_is_seen)
{
    static struct vpaes_case c;
    struct emulated_registers r[2];
    for (unsigned i = 0; i < 2; i++) {
        struct emulator *e = load_run(_i, TABLES_MIDDLE);
        c = (struct vpaes_case){ .mode = VPAES_ECB_ENCRYPT, .bits = 128, .blocks = 1 };
        fill(c.in, 16, i);
        run_case(e, &c, 0);
        emulator_registers(e, &r[i]);
        emulator_free(e);
    }
    bool differs = false;
    for (int i = 0; i < 32; i++)
        differs |= r[0].d[i] != r[1].d[i] && r[0].high[i] != r[1].high[i];
    ck_assert(differs);
}
END_TEST

/* -- nothing to do -- */

START_TEST(no_blocks_touch_nothing)
{
    static struct vpaes_case c;
    struct emulator *e = load_run(_i, TABLES_MIDDLE);
    for (int mode = 0; mode < VPAES_MODES; mode++) {
        c = (struct vpaes_case){ .mode = (enum vpaes_mode)mode, .bits = 128 };
        emulator_reset(e);
        uint64_t key = emulator_buffer(e, NULL, AES_KEY_SIZE, BUFFER_READ_WRITE, EDGE_END, 0);
        uint64_t ivec = emulator_buffer(e, c.ivec, 16, BUFFER_READ_ONLY, EDGE_END, 0);
        set_key(e, &c, key, EDGE_END, 0);
        struct call_report r = call_mode(e, &c, 0, 0, key, ivec);
        ck_assert_msg(r.fault[0] == 0, "%s: %s", vpaes_mode_name(c.mode), r.fault);
    }
    emulator_free(e);
}
END_TEST

Suite *vpaes_suite(void)
{
    Suite *suite = suite_create("vpaes");
    TCase *results = tcase_create("results");
    tcase_add_loop_test(results, every_case_equals_libcrypto, 0, RUNS);
    tcase_add_loop_test(results, tables_at_the_end_of_a_page_are_found, 0, RUNS);
    tcase_add_loop_test(results, single_blocks_equal_ecb, 0, RUNS);
    tcase_add_loop_test(results, no_blocks_touch_nothing, 0, RUNS);
    tcase_set_timeout(results, 240);
    suite_add_tcase(suite, results);
    TCase *secrets = tcase_create("secrets");
    tcase_add_loop_test(secrets, keys_and_blocks_do_not_show_in_the_trace, 0, RUNS);
    tcase_add_loop_test(secrets, a_schedule_leaves_nothing_of_the_key, 0, RUNS);
    tcase_add_loop_test(secrets, what_a_call_leaves_is_seen, 0, RUNS);
    tcase_set_timeout(secrets, 120);
    suite_add_tcase(suite, secrets);
    return suite;
}
