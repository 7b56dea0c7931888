/* aes_test.c: what the modules made of AES instructions execute.
 *
 * Counts in Unicorn, on the code of all three platforms: instructions of whole
 * calls of aesv8-armv8, against what is replaced, and what the main loops of
 * aegis-armv8 are made of, as the difference of two calls one pass of the loop
 * apart; what they would be made of with `eor3` alone. That the results are right is
 * tested elsewhere (vpaes_test.c, run/).
 */
#include <check.h>
#include <stddef.h>
#include <string.h>

#include "harness/objects.h"
#include "harness/vpaes_schedule.h"
#include "suites.h"
#include "tool/options.h"

enum { MAX_BYTES = 16 * 512 };
static uint8_t bytes[MAX_BYTES];

static struct call_report sound(struct call_report r, const char *function)
{
    ck_assert_msg(r.fault[0] == 0, "%s: %s", function, r.fault);
    return r;
}

static uint64_t readable(struct emulator *e, size_t n)
{
    return emulator_buffer(e, bytes, n, BUFFER_READ_ONLY, EDGE_END, 0);
}

static uint64_t writable(struct emulator *e, size_t n)
{
    return emulator_buffer(e, bytes, n, BUFFER_READ_WRITE, EDGE_END, 0);
}

/* -- aesv8 -- */

static uint64_t key_of(struct emulator *e, int rounds)
{
    uint8_t key[AES_KEY_SIZE] = { 1, 2, 3 };
    key[AES_KEY_ROUNDS] = (uint8_t)rounds;
    return emulator_buffer(e, key, sizeof key, BUFFER_READ_ONLY, EDGE_END, 0);
}

static uint64_t count_ctr(struct emulator *e, int rounds, size_t blocks)
{
    emulator_reset(e);
    uint64_t arguments[5] = { readable(e, 16 * blocks), writable(e, 16 * blocks), blocks,
                              key_of(e, rounds), readable(e, 16) };
    const char *function = "aes_hw_ctr32_encrypt_blocks";
    return sound(emulator_call(e, function, arguments, 5), function).instructions;
}

static uint64_t count_block(struct emulator *e, const char *function, int rounds)
{
    emulator_reset(e);
    uint64_t arguments[3] = { readable(e, 16), writable(e, 16), key_of(e, rounds) };
    return sound(emulator_call(e, function, arguments, 3), function).instructions;
}

/* In brackets what is replaced needs. */
static const struct { int rounds; size_t blocks; uint64_t most; } ctr_limits[] = {
    { 10, 512, 13000 },         /* 16,243 */
    { 12, 512, 15100 },         /* 18,975 */
    { 14, 512, 17200 },         /* 21,707 */
    { 10, 8, 283 },             /* 283 */
    { 10, 1, 82 },              /* 82 */
};
enum { CTR_LIMITS = sizeof ctr_limits / sizeof *ctr_limits };

START_TEST(ctr_executes_few_instructions)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("aesv8-armv8", p, TABLES_MIDDLE);
        uint64_t n = count_ctr(e, ctr_limits[_i].rounds, ctr_limits[_i].blocks);
        ck_assert_msg(n <= ctr_limits[_i].most, "%s, %d rounds, %zu blocks: %llu", platforms[p],
                      ctr_limits[_i].rounds, ctr_limits[_i].blocks, (unsigned long long)n);
        emulator_free(e);
    }
}
END_TEST

/* What is replaced needs 44, 52, 60. */
START_TEST(one_block_executes_few_instructions)
{
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("aesv8-armv8", p, TABLES_MIDDLE);
        for (int rounds = 10; rounds <= 14; rounds += 2) {
            uint64_t most = 4 * (uint64_t)rounds + 4;
            ck_assert_uint_le(count_block(e, "aes_hw_encrypt", rounds), most);
            ck_assert_uint_le(count_block(e, "aes_hw_decrypt", rounds), most);
        }
        emulator_free(e);
    }
}
END_TEST

/* -- aegis -- */

/* What a pass of a main loop may be made of. `orr` includes moves; `stack` is what a
 * spill would need. */
struct mix { int aese, aesmc, eor, eor3, and, bic, bcax, orr, other_vector, stack; };

/* Arm ARM C7.2: the forms of 16 bytes. */
static const struct { uint32_t mask, bits; size_t count; } kinds[] = {
    { 0xfffffc00, 0x4e284800, offsetof(struct mix, aese) },
    { 0xfffffc00, 0x4e286800, offsetof(struct mix, aesmc) },
    { 0xffe0fc00, 0x6e201c00, offsetof(struct mix, eor) },
    { 0xffe08000, 0xce000000, offsetof(struct mix, eor3) },
    { 0xffe0fc00, 0x4e201c00, offsetof(struct mix, and) },
    { 0xffe0fc00, 0x4e601c00, offsetof(struct mix, bic) },
    { 0xffe08000, 0xce200000, offsetof(struct mix, bcax) },
    { 0xffe0fc00, 0x4ea01c00, offsetof(struct mix, orr) },
    /* C4.1: op0 = x111; op0 = x1x0 are loads and stores, their base in bits 9..5. */
    { 0x0e000000, 0x0e000000, offsetof(struct mix, other_vector) },
    { 0x0a0003e0, 0x080003e0, offsetof(struct mix, stack) },
};

static struct mix mix_of_last_call(const struct emulator *e)
{
    struct mix m = { 0 };
    size_t count;
    const uint32_t *words = emulator_executed(e, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
            if ((words[i] & kinds[k].mask) == kinds[k].bits) {
                ++*(int *)((char *)&m + kinds[k].count);
                break;
            }
        }
    }
    return m;
}

enum form { ABSORB, CRYPT, MAC };

static struct mix mix_of_call(struct emulator *e, const char *function, enum form form,
                              size_t length)
{
    emulator_reset(e);
    uint64_t state = writable(e, 128), src = readable(e, length), dst = writable(e, length);
    uint64_t key = readable(e, 32), nonce = readable(e, 32), tag = writable(e, 16);
    const uint64_t arguments[][6] = {
        [ABSORB] = { state, src, length },
        [CRYPT] = { state, src, dst, length },
        [MAC] = { tag, 16, src, length, key, nonce },
    };
    static const int count[] = { [ABSORB] = 3, [CRYPT] = 4, [MAC] = 6 };
    sound(emulator_call(e, function, arguments[form], count[form]), function);
    return mix_of_last_call(e);
}

/* A pass takes 8 blocks of 32 bytes, or 6 of 16. The numbers are per block. */
static const struct loop {
    const char *function;
    enum form form;
    size_t block;
    int blocks;
    struct mix each;
} loops[] = {
    { "aegis128l_absorb", ABSORB, 32, 8, { .aese = 8, .aesmc = 8, .eor = 10 } },
    { "aegis128l_absorb_sha3", ABSORB, 32, 8, { .aese = 8, .aesmc = 8, .eor = 6, .eor3 = 2 } },
    { "aegis128l_mac", MAC, 32, 8, { .aese = 8, .aesmc = 8, .eor = 10 } },
    { "aegis128l_mac_sha3", MAC, 32, 8, { .aese = 8, .aesmc = 8, .eor = 6, .eor3 = 2 } },
    { "aegis128l_encrypt", CRYPT, 32, 8, { .aese = 8, .aesmc = 8, .eor = 16, .bic = 2 } },
    { "aegis128l_decrypt", CRYPT, 32, 8, { .aese = 8, .aesmc = 8, .eor = 16, .bic = 2 } },
    { "aegis128l_encrypt_sha3", CRYPT, 32, 8,
      { .aese = 8, .aesmc = 8, .eor = 6, .eor3 = 4, .bcax = 2 } },
    { "aegis128l_decrypt_sha3", CRYPT, 32, 8,
      { .aese = 8, .aesmc = 8, .eor = 6, .eor3 = 4, .bcax = 2 } },
    { "aegis256_absorb", ABSORB, 16, 6, { .aese = 6, .aesmc = 6, .eor = 7 } },
    { "aegis256_absorb_sha3", ABSORB, 16, 6, { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 1 } },
    { "aegis256_mac", MAC, 16, 6, { .aese = 6, .aesmc = 6, .eor = 7 } },
    { "aegis256_mac_sha3", MAC, 16, 6, { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 1 } },
    { "aegis256_encrypt", CRYPT, 16, 6, { .aese = 6, .aesmc = 6, .eor = 11, .and = 1 } },
    { "aegis256_decrypt", CRYPT, 16, 6, { .aese = 6, .aesmc = 6, .eor = 11, .and = 1 } },
    { "aegis256_encrypt_sha3", CRYPT, 16, 6,
      { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 3, .and = 1 } },
    { "aegis256_decrypt_sha3", CRYPT, 16, 6,
      { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 3, .and = 1 } },
};
enum { LOOPS = sizeof loops / sizeof *loops, MIX_COUNTS = sizeof(struct mix) / sizeof(int) };

START_TEST(aegis_has_no_move_and_few_operations)
{
    const struct loop *l = &loops[_i];
    for (int p = 0; p < PLATFORM_COUNT; p++) {
        struct emulator *e = load_module("aegis-armv8", p, TABLES_MIDDLE);
        size_t pass = l->block * (size_t)l->blocks;
        struct mix two = mix_of_call(e, l->function, l->form, 2 * pass);
        struct mix three = mix_of_call(e, l->function, l->form, 3 * pass);
        int a[MIX_COUNTS], b[MIX_COUNTS], each[MIX_COUNTS];
        memcpy(a, &two, sizeof a);
        memcpy(b, &three, sizeof b);
        memcpy(each, &l->each, sizeof each);
        for (int k = 0; k < MIX_COUNTS; k++)
            ck_assert_msg(b[k] - a[k] == l->blocks * each[k], "%s, %s: count %d is %d, not %d",
                          platforms[p], l->function, k, b[k] - a[k], l->blocks * each[k]);
        emulator_free(e);
    }
}
END_TEST

/* -- aegis with `fuse eor3` alone -- */

static const struct {
    const char *function;
    int blocks;
    struct mix each;
} eor3_loops[] = {
    { "aegis128l_absorb_sha3", 8, { .aese = 8, .aesmc = 8, .eor = 6, .eor3 = 2 } },
    { "aegis128l_encrypt_sha3", 8, { .aese = 8, .aesmc = 8, .eor = 8, .eor3 = 4, .bic = 2 } },
    { "aegis128l_decrypt_sha3", 8, { .aese = 8, .aesmc = 8, .eor = 8, .eor3 = 4, .bic = 2 } },
    { "aegis128l_mac_sha3", 8, { .aese = 8, .aesmc = 8, .eor = 6, .eor3 = 2 } },
    { "aegis256_absorb_sha3", 6, { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 1 } },
    { "aegis256_encrypt_sha3", 6, { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 3, .and = 1 } },
    { "aegis256_decrypt_sha3", 6, { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 3, .and = 1 } },
    { "aegis256_mac_sha3", 6, { .aese = 6, .aesmc = 6, .eor = 5, .eor3 = 1 } },
};
enum { EOR3_LOOPS = sizeof eor3_loops / sizeof *eor3_loops };

static bool is_loop(const struct mach_block *b)
{
    for (int k = 0; k < b->succs.n; k++)
        if (b->succs.at[k] == b)
            return true;
    return false;
}

/* Of the longest loop. */
static struct mix mix_of_main_loop(const struct mach_func *f)
{
    struct mix best = { 0 };
    int longest = 0;
    for (int k = 0; k < f->blocks.n; k++) {
        const struct mach_block *b = f->blocks.at[k];
        struct mix m = { 0 };
        int n = 0;
        for (const struct mach_insn *i = b->first; i != NULL; i = i->next, n++) {
            m.aese += i->insn == INSN_aese;
            m.aesmc += i->insn == INSN_aesmc;
            m.eor += i->insn == INSN_eor_16b;
            m.eor3 += i->insn == INSN_eor3_16b;
            m.and += i->insn == INSN_and_16b;
            m.bic += i->insn == INSN_bic_16b;
            m.bcax += i->insn == INSN_bcax_16b;
            m.orr += i->insn == INSN_orr_16b || i->insn == INSN_mov_16b;
        }
        if (is_loop(b) && n > longest) {
            longest = n;
            best = m;
        }
    }
    return best;
}

/* kernels/aegis.def with spaces for every WORD. */
static struct text source_without(const char *word)
{
    struct text source = { 0 };
    ck_assert(text_read_file(&source, "kernels/aegis.def"));
    for (char *at = source.at; (at = strstr(at, word)) != NULL;)
        memset(at, ' ', strlen(word));
    return source;
}

static const struct mach_func *find_code(const struct code_module *m, const char *function)
{
    for (int k = 0; k < m->funcs.n; k++)
        if (strcmp(m->funcs.at[k]->name, function) == 0)
            return m->funcs.at[k];
    ck_abort_msg("no %s", function);
    return NULL;
}

/* No module is emitted so; it is the same source, compiled and proved. */
START_TEST(aegis_with_eor3_alone_has_14_operations)
{
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    vec_push(&o.targets, target_at(0));
    diag_reset();
    struct text source = source_without(", bcax");
    ck_assert(compile_program(&c, parse_text("aegis.def", source.at, source.n), &o));
    for (int k = 0; k < EOR3_LOOPS; k++) {
        struct mix got = mix_of_main_loop(find_code(c.modules.at[0], eor3_loops[k].function));
        int a[MIX_COUNTS], each[MIX_COUNTS];
        memcpy(a, &got, sizeof a);
        memcpy(each, &eor3_loops[k].each, sizeof each);
        for (int i = 0; i < MIX_COUNTS; i++)
            ck_assert_msg(a[i] == eor3_loops[k].blocks * each[i], "%s: count %d is %d",
                          eor3_loops[k].function, i, a[i]);
    }
    ck_assert(verify_compilation(&c, &o, NULL));
    mem_release();
    diag_reset();
}
END_TEST

Suite *aes_suite(void)
{
    Suite *suite = suite_create("aes");
    TCase *counts = tcase_create("counts");
    tcase_add_loop_test(counts, ctr_executes_few_instructions, 0, CTR_LIMITS);
    tcase_add_test(counts, one_block_executes_few_instructions);
    tcase_add_loop_test(counts, aegis_has_no_move_and_few_operations, 0, LOOPS);
    tcase_add_test(counts, aegis_with_eor3_alone_has_14_operations);
    tcase_set_timeout(counts, 120);
    suite_add_tcase(suite, counts);
    return suite;
}
