/* aead_test.c: the modules aegis-armv8 and ocb-armv8 of all three object formats,
 * run in Unicorn between missing pages.
 *
 * AEGIS is compared with harness/aegis.c for every length, both variants, cut into
 * calls at random; OCB with the steps of RFC 7253 in plain C. run/ does the same
 * for the ELF output in more ways per case; here the point is that Mach-O and
 * COFF objects do what the ELF ones do, and that secrets change no address.
 */
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "harness/aegis.h"
#include "harness/fips197.h"
#include "harness/objects.h"
#include "harness/vpaes_schedule.h"
#include "suites.h"

/* Knuth's MMIX generator. */
static uint64_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void fill(uint8_t *at, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++)
        at[i] = (uint8_t)next_random(state);
}

static void load_all(struct emulator *e[PLATFORM_COUNT], const char *module)
{
    for (int p = 0; p < PLATFORM_COUNT; p++)
        e[p] = load_module(module, p, TABLES_PAGE_END);
}

static void free_all(struct emulator *e[PLATFORM_COUNT])
{
    for (int p = 0; p < PLATFORM_COUNT; p++)
        emulator_free(e[p]);
}

static struct call_report sound(struct call_report r, const char *what)
{
    ck_assert_msg(r.fault[0] == 0, "%s: %s", what, r.fault);
    return r;
}

/* -- AEGIS -- */

enum { STATE_BYTES = 128, VARIANTS = 2 };
static const char *const variants[VARIANTS] = { "", "_sha3" };

/* Where a message runs, and how: buffers, cuts and the order of things follow SEED. */
struct session {
    struct emulator *e;
    enum aegis_kind kind;
    int variant;
    uint64_t seed;
    uint64_t state;             /* its address */
    uint64_t pc_trace, access_trace;
};

static uint64_t place(struct session *s, const void *bytes, size_t n, enum buffer_access access)
{
    uint64_t r = next_random(&s->seed);
    return emulator_buffer(s->e, bytes, n, access, r & 1 ? EDGE_START : EDGE_END, r >> 1 & 15);
}

static void call_aegis(struct session *s, const char *step, const uint64_t *arguments, int count)
{
    char name[64];
    snprintf(name, sizeof name, "aegis%s_%s%s", s->kind == AEGIS_KIND_128L ? "128l" : "256", step,
             variants[s->variant]);
    struct call_report r = sound(emulator_call(s->e, name, arguments, count), name);
    s->pc_trace = 31 * s->pc_trace + r.pc_trace;
    s->access_trace = 31 * s->access_trace + r.access_trace;
}

/* Bytes for the next call: whole blocks, and at the end all that is left. */
static size_t next_cut(struct session *s, size_t left)
{
    size_t blocks = left / aegis_block(s->kind);
    size_t n = aegis_block(s->kind) * (size_t)(next_random(&s->seed) % (blocks + 1));
    return n == 0 ? left : n;
}

static void start(struct session *s, const struct aegis_case *c)
{
    emulator_reset(s->e);
    uint64_t key = place(s, c->key, aegis_key_bytes(c->kind), BUFFER_READ_ONLY);
    uint64_t nonce = place(s, c->nonce, aegis_key_bytes(c->kind), BUFFER_READ_ONLY);
    size_t words = c->kind == AEGIS_KIND_128L ? 8 : 6;
    s->state = place(s, NULL, 16 * words, BUFFER_READ_WRITE);
    call_aegis(s, "init", (uint64_t[]){ s->state, key, nonce }, 3);
    uint64_t ad = place(s, c->ad, c->ad_length, BUFFER_READ_ONLY);
    for (size_t at = 0, n; at < c->ad_length; at += n) {
        n = next_cut(s, c->ad_length - at);
        call_aegis(s, "absorb", (uint64_t[]){ s->state, ad + at, n }, 3);
    }
}

/* From IN to OUT, in place or apart, then the tag. */
static void run_message(struct session *s, const struct aegis_case *c, bool is_back,
                        const uint8_t *in, uint8_t *out, size_t tag_bytes, uint8_t *tag)
{
    start(s, c);
    bool in_place = next_random(&s->seed) & 1;
    uint64_t src = place(s, in, c->length, in_place ? BUFFER_READ_WRITE : BUFFER_READ_ONLY);
    uint64_t dst = in_place ? src : place(s, NULL, c->length, BUFFER_READ_WRITE);
    size_t at = 0;
    do {
        size_t n = next_cut(s, c->length - at);
        call_aegis(s, is_back ? "decrypt" : "encrypt",
                   (uint64_t[]){ s->state, src + at, dst + at, n }, 4);
        at += n;
    } while (at < c->length);
    emulator_read(s->e, dst, out, c->length);
    uint64_t to = place(s, NULL, tag_bytes, BUFFER_READ_WRITE);
    call_aegis(s, "finalize", (uint64_t[]){ s->state, to, tag_bytes, c->ad_length, c->length }, 5);
    emulator_read(s->e, to, tag, tag_bytes);
}

static void check_message(struct session *s, const struct aegis_case *c)
{
    uint8_t expected[AEGIS_MOST], tag[32], got[AEGIS_MOST], got_tag[32];
    size_t tag_bytes = c->length & 1 ? 16 : 32;
    struct aegis a;
    aegis_init(&a, c->kind, c->key, c->nonce);
    aegis_absorb(&a, c->ad, c->ad_length);
    aegis_encrypt(&a, c->m, expected, c->length);
    aegis_finalize(&a, tag, tag_bytes, c->ad_length, c->length);
    run_message(s, c, false, c->m, got, tag_bytes, got_tag);
    ck_assert_msg(memcmp(got, expected, c->length) == 0 && memcmp(got_tag, tag, tag_bytes) == 0,
                  "%zu bytes, variant %d: wrong", c->length, s->variant);
    run_message(s, c, true, expected, got, tag_bytes, got_tag);
    ck_assert_msg(memcmp(got, c->m, c->length) == 0 && memcmp(got_tag, tag, tag_bytes) == 0,
                  "%zu bytes, variant %d, back: wrong", c->length, s->variant);
}

static void check_mac(struct session *s, const struct aegis_case *c)
{
    uint8_t tag[32], got[32];
    size_t tag_bytes = c->length & 1 ? 32 : 16;
    struct aegis a;
    aegis_init(&a, c->kind, c->key, c->nonce);
    aegis_absorb(&a, c->m, c->length);
    aegis_finalize(&a, tag, tag_bytes, c->length, tag_bytes);
    emulator_reset(s->e);
    uint64_t to = place(s, NULL, tag_bytes, BUFFER_READ_WRITE);
    uint64_t src = place(s, c->m, c->length, BUFFER_READ_ONLY);
    uint64_t key = place(s, c->key, aegis_key_bytes(c->kind), BUFFER_READ_ONLY);
    uint64_t nonce = place(s, c->nonce, aegis_key_bytes(c->kind), BUFFER_READ_ONLY);
    call_aegis(s, "mac", (uint64_t[]){ to, tag_bytes, src, c->length, key, nonce }, 6);
    emulator_read(s->e, to, got, tag_bytes);
    ck_assert_msg(memcmp(got, tag, tag_bytes) == 0, "the MAC of %zu bytes", c->length);
}

START_TEST(aegis_equals_plain_c_at_every_length)
{
    static struct aegis_case c;
    struct emulator *e[PLATFORM_COUNT];
    load_all(e, "aegis-armv8");
    for (int i = 0; i < aegis_case_count(); i++) {
        aegis_case_at(i, &c);
        for (int p = 0; p < PLATFORM_COUNT; p++) {
            struct session s = { .e = e[p], .kind = c.kind, .variant = _i, .seed = (uint64_t)i };
            check_message(&s, &c);
            check_mac(&s, &c);
        }
    }
    free_all(e);
}
END_TEST

START_TEST(aegis_refuses_what_the_draft_refuses)
{
    static struct aegis_received r;
    struct emulator *e[PLATFORM_COUNT];
    load_all(e, "aegis-armv8");
    for (int i = 0; i < AEGIS_RECEIVED * PLATFORM_COUNT; i++) {
        aegis_received_at(i / PLATFORM_COUNT, &r);
        for (size_t tag_bytes = 16; tag_bytes <= 32; tag_bytes += 16) {
            struct session s = { .e = e[i % PLATFORM_COUNT], .kind = r.c.kind, .variant = _i,
                                 .seed = (uint64_t)i };
            uint8_t m[AEGIS_MOST], tag[32];
            run_message(&s, &r.c, true, r.c.m, m, tag_bytes, tag);
            bool is_accepted = memcmp(tag, r.tag[tag_bytes == 32], tag_bytes) == 0;
            ck_assert_msg(is_accepted == r.is_good, "%s on %s, tag of %zu bytes", r.name,
                          platforms[i % PLATFORM_COUNT], tag_bytes);
        }
    }
    free_all(e);
}
END_TEST

START_TEST(aegis_secrets_do_not_show_in_the_trace)
{
    static struct aegis_case c;
    struct emulator *e[PLATFORM_COUNT];
    load_all(e, "aegis-armv8");
    for (int k = 0; k < AEGIS_KINDS * PLATFORM_COUNT; k++) {
        uint64_t pc_trace = 0, access_trace = 0;
        for (uint64_t i = 0; i < 4; i++) {
            struct session s = { .e = e[k % PLATFORM_COUNT], .variant = _i, .seed = 1 };
            uint8_t out[AEGIS_MOST], tag[32];
            uint64_t random = i;
            s.kind = c.kind = (enum aegis_kind)(k / PLATFORM_COUNT);
            c.length = 291;
            c.ad_length = 77;
            fill(c.key, sizeof c.key, &random);
            fill(c.nonce, sizeof c.nonce, &random);
            fill(c.ad, sizeof c.ad, &random);
            fill(c.m, sizeof c.m, &random);
            run_message(&s, &c, i & 2, c.m, out, 32, tag);
            if (!(i & 1)) {
                pc_trace = s.pc_trace;
                access_trace = s.access_trace;
            }
            ck_assert_uint_eq(s.pc_trace, pc_trace);
            ck_assert_uint_eq(s.access_trace, access_trace);
        }
    }
    free_all(e);
}
END_TEST

/* -- OCB -- */

enum { MASKS = 32, OCB_MOST = 13 };     /* three passes of four, and one of one */

struct ocb {
    uint8_t key[32], mask[16 * MASKS], offset[16], checksum[16], m[16 * OCB_MOST];
    int nk;
    uint64_t first;
    size_t blocks;
};

static void add(uint8_t to[16], const uint8_t x[16])
{
    for (int k = 0; k < 16; k++)
        to[k] ^= x[k];
}

/* RFC 7253 4.2, block by block; leaves offset and checksum in O. */
static void encrypt_blocks(struct ocb *o, uint8_t *out)
{
    for (size_t k = 0; k < o->blocks; k++) {
        uint8_t block[16];
        add(o->offset, o->mask + 16 * __builtin_ctzll(o->first + k));
        memcpy(block, o->m + 16 * k, 16);
        add(o->checksum, block);
        add(block, o->offset);
        fips197_encrypt(o->key, o->nk, block, out + 16 * k);
        add(out + 16 * k, o->offset);
    }
}

/* One direction; gives the traces. */
static struct call_report run_ocb(struct emulator *e, const struct ocb *before, bool is_back,
                                  const uint8_t *in, uint8_t *out, uint64_t seed, struct ocb *after)
{
    uint8_t schedule[AES_KEY_SIZE] = { 0 };
    struct session s = { .e = e, .seed = seed };
    size_t bytes = 16 * before->blocks;
    bool in_place = seed & 1;
    (is_back ? fips197_expand_inverse_key : fips197_expand_key)(before->key, before->nk, schedule);
    schedule[AES_KEY_ROUNDS] = (uint8_t)(before->nk + 6);
    emulator_reset(e);
    uint64_t src = place(&s, in, bytes, in_place ? BUFFER_READ_WRITE : BUFFER_READ_ONLY);
    uint64_t dst = in_place ? src : place(&s, NULL, bytes, BUFFER_READ_WRITE);
    uint64_t key = emulator_buffer(e, schedule, sizeof schedule, BUFFER_READ_ONLY, EDGE_END, 0);
    uint64_t mask = place(&s, before->mask, sizeof before->mask, BUFFER_READ_ONLY);
    uint64_t offset = place(&s, before->offset, 16, BUFFER_READ_WRITE);
    uint64_t checksum = place(&s, before->checksum, 16, BUFFER_READ_WRITE);
    const char *function = is_back ? "ocb_aes_hw_decrypt" : "ocb_aes_hw_encrypt";
    uint64_t arguments[8] = { src, dst, before->blocks, before->first, key, mask, offset, checksum };
    struct call_report r = sound(emulator_call(e, function, arguments, 8), function);
    emulator_read(e, dst, out, bytes);
    emulator_read(e, offset, after->offset, 16);
    emulator_read(e, checksum, after->checksum, 16);
    return r;
}

static struct ocb ocb_case(int nk, size_t blocks, uint64_t first, uint64_t seed)
{
    struct ocb o = { .nk = nk, .blocks = blocks, .first = first };
    fill(o.key, sizeof o.key, &seed);
    fill(o.mask, sizeof o.mask, &seed);
    fill(o.offset, sizeof o.offset, &seed);
    fill(o.checksum, sizeof o.checksum, &seed);
    fill(o.m, sizeof o.m, &seed);
    return o;
}

static void check_ocb(struct emulator *e, const struct ocb *before, uint64_t seed)
{
    uint8_t expected[16 * OCB_MOST], got[16 * OCB_MOST];
    size_t bytes = 16 * before->blocks;
    struct ocb after = *before, left;
    encrypt_blocks(&after, expected);
    for (int is_back = 0; is_back < 2; is_back++) {
        run_ocb(e, before, is_back, is_back ? expected : before->m, got, seed + (uint64_t)is_back,
                &left);
        ck_assert_msg(memcmp(got, is_back ? before->m : expected, bytes) == 0 &&
                          memcmp(left.offset, after.offset, 16) == 0 &&
                          memcmp(left.checksum, after.checksum, 16) == 0,
                      "%d words, %zu blocks from %llu, back %d: wrong", before->nk, before->blocks,
                      (unsigned long long)before->first, is_back);
    }
}

START_TEST(ocb_equals_the_rfc_step_by_step)
{
    struct emulator *e[PLATFORM_COUNT];
    load_all(e, "ocb-armv8");
    for (size_t blocks = 0; blocks <= OCB_MOST; blocks++)
        for (int nk = 4; nk <= 8; nk += 2)
            for (int p = 0; p < PLATFORM_COUNT; p++) {
                const uint64_t firsts[] = { 1, 6, 0x7fffffff, ((uint64_t)1 << 32) - blocks - 1 };
                for (uint64_t k = 0; k < 4; k++) {
                    struct ocb o = ocb_case(nk, blocks, firsts[k], 4 * blocks + k);
                    check_ocb(e[p], &o, 3 * blocks + k);
                }
            }
    free_all(e);
}
END_TEST

START_TEST(ocb_secrets_do_not_show_in_the_trace)
{
    struct emulator *e[PLATFORM_COUNT];
    load_all(e, "ocb-armv8");
    for (int k = 0; k < 2 * PLATFORM_COUNT; k++) {
        struct call_report first = { .fault = "" };
        for (uint64_t i = 0; i < 3; i++) {
            struct ocb o = ocb_case(4, 7, 5, i), after;
            uint8_t out[16 * OCB_MOST];
            struct call_report r = run_ocb(e[k % PLATFORM_COUNT], &o, k / PLATFORM_COUNT, o.m, out,
                                           2, &after);
            first = i == 0 ? r : first;
            ck_assert_uint_eq(r.pc_trace, first.pc_trace);
            ck_assert_uint_eq(r.access_trace, first.access_trace);
        }
    }
    free_all(e);
}
END_TEST

Suite *aead_suite(void)
{
    Suite *suite = suite_create("aead");
    TCase *results = tcase_create("results");
    tcase_add_loop_test(results, aegis_equals_plain_c_at_every_length, 0, VARIANTS);
    tcase_add_loop_test(results, aegis_refuses_what_the_draft_refuses, 0, VARIANTS);
    tcase_add_loop_test(results, aegis_secrets_do_not_show_in_the_trace, 0, VARIANTS);
    tcase_add_test(results, ocb_equals_the_rfc_step_by_step);
    tcase_add_test(results, ocb_secrets_do_not_show_in_the_trace);
    tcase_set_timeout(results, 240);
    suite_add_tcase(suite, results);
    return suite;
}
