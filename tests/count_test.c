/* count_test.c: how many instructions the kernels execute, counted in Unicorn.
 *
 * The figures are those the project promises, and where it promises none, those
 * of the assembly that these modules replace. They hold for all three object
 * formats.
 */
#include <capstone/capstone.h>
#include <check.h>
#include <string.h>

#include "harness/objects.h"
#include "harness/vpaes_schedule.h"
#include "suites.h"

enum { MAX_LIMBS = 160 };

static const char *const bn_functions[] = { "bn_add_words", "bn_sub_words" };
enum { BN_FUNCTIONS = 2 };

static struct call_report call_bn(struct emulator *e, const char *function, size_t n)
{
    uint64_t a[MAX_LIMBS], b[MAX_LIMBS];
    for (size_t i = 0; i < n; i++) {
        a[i] = i % 3 == 0 ? ~(uint64_t)0 : i;
        b[i] = i % 2 == 0 ? 1 : ~(uint64_t)0;
    }
    emulator_reset(e);
    uint64_t arguments[4] = {
        emulator_buffer(e, NULL, 8 * n, BUFFER_READ_WRITE, EDGE_END, 0),
        emulator_buffer(e, a, 8 * n, BUFFER_READ_ONLY, EDGE_END, 0),
        emulator_buffer(e, b, 8 * n, BUFFER_READ_ONLY, EDGE_END, 0),
        n
    };
    struct call_report r = emulator_call(e, function, arguments, 4);
    ck_assert_msg(r.fault[0] == 0, "%s, %zu limbs: %s", function, n, r.fault);
    return r;
}

START_TEST(bn_executes_at_most_195_instructions_for_64_limbs)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("bn-armv8", p, TABLES_MIDDLE);
        uint64_t n = call_bn(e, bn_functions[_i], 64).instructions;
        ck_assert_msg(n <= 195, "%s, %s: %llu", platforms[p], bn_functions[_i],
                      (unsigned long long)n);
        emulator_free(e);
    }
}
END_TEST

/* Four pairs of ldp, eight adcs, four stp, one sub, one cbnz: 8 + 8 + 4 + 2. */
START_TEST(bn_main_loop_has_22_instructions_for_8_limbs)
{
    struct emulator *e = load_module("bn-armv8", 0, TABLES_MIDDLE);
    uint64_t before = call_bn(e, bn_functions[_i], 16).instructions;
    for (size_t n = 24; n <= MAX_LIMBS; n += 8) {
        uint64_t now = call_bn(e, bn_functions[_i], n).instructions;
        ck_assert_msg(now - before <= 22, "%s: %llu instructions from %zu to %zu limbs",
                      bn_functions[_i], (unsigned long long)(now - before), n - 8, n);
        before = now;
    }
    emulator_free(e);
}
END_TEST

struct flag_use { bool reads, writes; char text[64]; };

static struct flag_use flag_use_of(csh capstone, uint32_t word)
{
    struct flag_use use = { 0 };
    uint8_t bytes[4] = { (uint8_t)word, (uint8_t)(word >> 8), (uint8_t)(word >> 16),
                         (uint8_t)(word >> 24) };
    cs_insn *insn;
    ck_assert_uint_eq(cs_disasm(capstone, bytes, sizeof bytes, 0, 1, &insn), 1);
    for (int i = 0; i < insn->detail->regs_read_count; i++)
        use.reads |= insn->detail->regs_read[i] == ARM64_REG_NZCV;
    for (int i = 0; i < insn->detail->regs_write_count; i++)
        use.writes |= insn->detail->regs_write[i] == ARM64_REG_NZCV;
    snprintf(use.text, sizeof use.text, "%.30s %.30s", insn->mnemonic, insn->op_str);
    cs_free(insn, 1);
    return use;
}

/* From the first instruction that takes a carry to the last, whoever writes the
 * flags takes the carry too. */
START_TEST(bn_keeps_the_carry_in_the_flag)
{
    csh capstone;
    ck_assert_int_eq(cs_open(CS_ARCH_ARM64, CS_MODE_LITTLE_ENDIAN, &capstone), CS_ERR_OK);
    ck_assert_int_eq(cs_option(capstone, CS_OPT_DETAIL, CS_OPT_ON), CS_ERR_OK);
    struct emulator *e = load_module("bn-armv8", 0, TABLES_MIDDLE);
    for (size_t n = 1; n <= 40; n++) {
        call_bn(e, bn_functions[_i], n);
        size_t count, readers = 0, last = 0;
        const uint32_t *words = emulator_executed(e, &count);
        for (size_t k = 0; k < count; k++) {
            if (flag_use_of(capstone, words[k]).reads)
                last = k;
        }
        for (size_t k = 0; k <= last; k++) {
            struct flag_use use = flag_use_of(capstone, words[k]);
            readers += use.reads;
            ck_assert_msg(readers == 0 || use.reads || !use.writes,
                          "%s, %zu limbs: '%s' stands inside the chain", bn_functions[_i], n,
                          use.text);
        }
        /* The first limb may be an adds; and the result is one reader more. */
        ck_assert_uint_ge(readers, n);
    }
    emulator_free(e);
    cs_close(&capstone);
}
END_TEST

/* -- vpaes -- */

enum { MAX_BLOCKS = 512 };
static uint8_t blocks[16 * MAX_BLOCKS];

static const struct mode { const char *function; int enc; } modes[] = {
    { "vpaes_ecb_encrypt", 1 }, { "vpaes_ecb_encrypt", 0 },
    { "vpaes_cbc_encrypt", 1 }, { "vpaes_cbc_encrypt", 0 }, { "vpaes_ctr32_encrypt_blocks", 1 }
};
enum { ECB_ENCRYPT, ECB_DECRYPT, CBC_ENCRYPT, CBC_DECRYPT, CTR, MODES };

static uint64_t key_buffer(struct emulator *e, int nk)
{
    uint8_t key[AES_KEY_SIZE] = { 1, 2, 3 };
    key[AES_KEY_ROUNDS] = (uint8_t)(nk + 5);
    return emulator_buffer(e, key, sizeof key, BUFFER_READ_WRITE, EDGE_END, 0);
}

static struct call_report sound(struct call_report r, const char *function)
{
    ck_assert_msg(r.fault[0] == 0, "%s: %s", function, r.fault);
    return r;
}

static struct call_report call_block(struct emulator *e, const char *function, int nk)
{
    emulator_reset(e);
    uint64_t arguments[3] = {
        emulator_buffer(e, blocks, 16, BUFFER_READ_ONLY, EDGE_END, 0),
        emulator_buffer(e, NULL, 16, BUFFER_READ_WRITE, EDGE_END, 0), key_buffer(e, nk)
    };
    return sound(emulator_call(e, function, arguments, 3), function);
}

static struct call_report call_schedule(struct emulator *e, const char *function, int nk)
{
    uint8_t user_key[32] = { 1, 2, 3 };
    emulator_reset(e);
    uint64_t arguments[3] = {
        emulator_buffer(e, user_key, 4 * (size_t)nk, BUFFER_READ_ONLY, EDGE_END, 0),
        32 * (uint64_t)nk, key_buffer(e, nk)
    };
    return sound(emulator_call(e, function, arguments, 3), function);
}

static struct call_report call_mode(struct emulator *e, int mode, int nk, size_t n)
{
    uint8_t ivec[16] = { 0 };
    emulator_reset(e);
    uint64_t src = emulator_buffer(e, blocks, 16 * n, BUFFER_READ_ONLY, EDGE_END, 0);
    uint64_t dst = emulator_buffer(e, NULL, 16 * n, BUFFER_READ_WRITE, EDGE_END, 0);
    uint64_t iv = emulator_buffer(e, ivec, 16, BUFFER_READ_WRITE, EDGE_END, 0);
    uint64_t enc = (uint64_t)modes[mode].enc, key = key_buffer(e, nk);
    uint64_t ecb[] = { src, dst, 16 * n, key, enc }, cbc[] = { src, dst, 16 * n, key, iv, enc };
    uint64_t ctr[] = { src, dst, n, key, iv };
    const uint64_t *arguments = mode == CTR ? ctr : mode >= CBC_ENCRYPT ? cbc : ecb;
    int count = mode == CBC_ENCRYPT || mode == CBC_DECRYPT ? 6 : 5;
    return sound(emulator_call(e, modes[mode].function, arguments, count), modes[mode].function);
}

/* One block; what is replaced needs as many, but 513 for the last. */
static const struct { const char *function; int nk; uint64_t most; } block_limits[] = {
    { "vpaes_encrypt", 4, 337 }, { "vpaes_encrypt", 6, 401 }, { "vpaes_encrypt", 8, 465 },
    { "vpaes_decrypt", 4, 373 }, { "vpaes_decrypt", 6, 443 }, { "vpaes_decrypt", 8, 514 },
};
enum { BLOCK_LIMITS = sizeof block_limits / sizeof *block_limits };

START_TEST(vpaes_executes_few_instructions_for_one_block)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("vpaes-armv8", p, TABLES_MIDDLE);
        int nk = block_limits[_i].nk;
        struct call_report r = call_block(e, block_limits[_i].function, nk);
        ck_assert_msg(r.instructions <= block_limits[_i].most, "%s, %s, AES-%d: %llu", platforms[p],
                      block_limits[_i].function, 32 * nk, (unsigned long long)r.instructions);
        emulator_free(e);
    }
}
END_TEST

/* AES-128; in brackets what is replaced needs. */
static const struct { int mode; size_t n; uint64_t most; } mode_limits[] = {
    { CTR, 512, 140000 },           /* 149,281 */
    { CBC_DECRYPT, 512, 167000 },   /* 170,272 */
    { CBC_ENCRYPT, 512, 167956 },   /* 167,956 */
    { CTR, 1, 359 },                /* 359 */
    { CTR, 2, 616 },                /* 616 */
    { CTR, 8, 2365 },               /* 2,365 */
};
enum { MODE_LIMITS = sizeof mode_limits / sizeof *mode_limits };

START_TEST(vpaes_executes_few_instructions_for_many_blocks)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("vpaes-armv8", p, TABLES_MIDDLE);
        struct call_report r = call_mode(e, mode_limits[_i].mode, 4, mode_limits[_i].n);
        ck_assert_msg(r.instructions <= mode_limits[_i].most, "%s, %s, %zu blocks: %llu",
                      platforms[p], modes[mode_limits[_i].mode].function, mode_limits[_i].n,
                      (unsigned long long)r.instructions);
        emulator_free(e);
    }
}
END_TEST

/* -- what a round is made of -- */

struct make_up { uint64_t vector, tbl, moves, stack, all; };

/* Arm ARM C4.1.66: op0 = x111 is Advanced SIMD; TBL has bits 29..24 001110 and
 * 15..10 0xx000 with bits 23..21 zero; MOV is ORR of a register with itself.
 * C4.1.4: loads and stores have op0 = x1x0, their base in bits 9..5. */
static struct make_up make_up_of(const struct emulator *e)
{
    struct make_up m = { 0 };
    size_t count;
    const uint32_t *words = emulator_executed(e, &count);
    for (size_t k = 0; k < count; k++) {
        uint32_t w = words[k];
        bool is_memory = (w >> 25 & 5) == 4;
        m.vector += (w >> 25 & 7) == 7;
        m.tbl += (w & 0xffe09c00) == 0x4e000000;
        m.moves += (w & 0xffe0fc00) == 0x4ea01c00 && (w >> 16 & 31) == (w >> 5 & 31);
        m.stack += is_memory && (w >> 5 & 31) == 31;
    }
    m.all = count;
    return m;
}

/* Two more rounds of one pass of WIDTH blocks, nothing else: AES-192 less AES-128. */
static struct make_up two_rounds(int mode, size_t width)
{
    struct emulator *e = load_module("vpaes-armv8", 0, TABLES_MIDDLE);
    call_mode(e, mode, 4, width);
    struct make_up few = make_up_of(e);
    call_mode(e, mode, 6, width);
    struct make_up more = make_up_of(e);
    emulator_free(e);
    return (struct make_up){ more.vector - few.vector, more.tbl - few.tbl, more.moves - few.moves,
                             more.stack - few.stack, more.all - few.all };
}

/* Of encryption: 12 tbl, 11 eor, and, ushr. Of decryption: 16 tbl, 13 eor, and,
 * ushr. The rest is shared by the blocks: two loads (or a pair), a pointer that
 * goes round, the count. */
static const struct { int mode; uint64_t width, vector, tbl; } rounds[] = {
    { CTR, 1, 25, 12 },         { CTR, 2, 25, 12 },         { CTR, 4, 25, 12 },
    { ECB_ENCRYPT, 1, 25, 12 }, { ECB_ENCRYPT, 4, 25, 12 }, { CBC_ENCRYPT, 1, 25, 12 },
    { CBC_DECRYPT, 1, 31, 16 }, { CBC_DECRYPT, 2, 31, 16 }, { CBC_DECRYPT, 3, 31, 16 },
    { ECB_DECRYPT, 1, 31, 16 }, { ECB_DECRYPT, 3, 31, 16 },
};
enum { ROUNDS = sizeof rounds / sizeof *rounds, SHARED = 5 };

START_TEST(vpaes_rounds_are_what_the_algorithm_needs)
{
    struct make_up m = two_rounds(rounds[_i].mode, rounds[_i].width);
    uint64_t passes = 2 * rounds[_i].width;
    ck_assert_uint_eq(m.vector, passes * rounds[_i].vector);
    ck_assert_uint_eq(m.tbl, passes * rounds[_i].tbl);
    ck_assert_uint_eq(m.moves, 0);
    ck_assert_uint_eq(m.stack, 0);
    ck_assert_uint_le(m.all, passes * rounds[_i].vector + 2 * SHARED);
}
END_TEST

/* -- stack and size -- */

START_TEST(vpaes_needs_little_stack)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("vpaes-armv8", p, TABLES_MIDDLE);
        for (int nk = 4; nk <= 8; nk += 2) {
            ck_assert_uint_eq(call_block(e, "vpaes_encrypt", nk).stack_bytes, 0);
            ck_assert_uint_eq(call_block(e, "vpaes_decrypt", nk).stack_bytes, 0);
            ck_assert_uint_le(call_schedule(e, "vpaes_set_encrypt_key", nk).stack_bytes, 48);
            ck_assert_uint_le(call_schedule(e, "vpaes_set_decrypt_key", nk).stack_bytes, 48);
            for (int mode = 0; mode < MODES; mode++)
                ck_assert_uint_le(call_mode(e, mode, nk, 7).stack_bytes, 64);
        }
        emulator_free(e);
    }
}
END_TEST

START_TEST(vpaes_has_at_most_8_kib_of_code)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("vpaes-armv8", p, TABLES_MIDDLE);
        const struct object_file *o = emulator_object(e);
        uint64_t bytes = 0;
        for (int i = 0; i < o->section_count; i++)
            bytes += o->sections[i].use == SECTION_CODE ? o->sections[i].size : 0;
        ck_assert_uint_gt(bytes, 0);
        ck_assert_msg(bytes <= 8192, "%s: %llu bytes", platforms[p], (unsigned long long)bytes);
        emulator_free(e);
    }
}
END_TEST

Suite *count_suite(void)
{
    Suite *suite = suite_create("count");
    TCase *bn = tcase_create("bn");
    tcase_add_loop_test(bn, bn_executes_at_most_195_instructions_for_64_limbs, 0, BN_FUNCTIONS);
    tcase_add_loop_test(bn, bn_main_loop_has_22_instructions_for_8_limbs, 0, BN_FUNCTIONS);
    tcase_add_loop_test(bn, bn_keeps_the_carry_in_the_flag, 0, BN_FUNCTIONS);
    suite_add_tcase(suite, bn);
    TCase *vpaes = tcase_create("vpaes");
    tcase_add_loop_test(vpaes, vpaes_executes_few_instructions_for_one_block, 0, BLOCK_LIMITS);
    tcase_add_loop_test(vpaes, vpaes_executes_few_instructions_for_many_blocks, 0, MODE_LIMITS);
    tcase_add_loop_test(vpaes, vpaes_rounds_are_what_the_algorithm_needs, 0, ROUNDS);
    tcase_add_test(vpaes, vpaes_needs_little_stack);
    tcase_add_test(vpaes, vpaes_has_at_most_8_kib_of_code);
    suite_add_tcase(suite, vpaes);
    return suite;
}
