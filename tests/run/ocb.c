/* ocb.c: the module ocb-armv8 on its own ELF code, with the schedules of aesv8-armv8.
 *
 * Takes the file that ocb_oracle.c wrote (libcrypto). What stands around the
 * loops in RFC 7253 is here in plain C: masks, first offset, tag. Every message
 * is encrypted and decrypted in place and apart, between missing pages, in one
 * call and in two, cut at each block. Blocks with high numbers, to the last
 * that is allowed, are compared with the RFC's steps taken one by one.
 */
#include <stdio.h>
#include <string.h>

#include "harness/vpaes_schedule.h"
#include "run/call.h"
#include "run/ocb_cases.h"

/* The C side's type, which the headers of the modules ask for. */
typedef struct { uint32_t rd_key[60]; uint32_t rounds; } AES_KEY;
_Static_assert(sizeof(AES_KEY) == AES_KEY_SIZE, "AES_KEY as the modules have it");
#include "aesv8-armv8.h"
#include "ocb-armv8.h"

enum { MASKS = 32, MAX_BYTES = 16 * OCB_MAX_BLOCKS };

/* A key of RFC 7253 4.1: both schedules, L_*, L_$ and L_i. */
struct ocb_key {
    AES_KEY encrypt, decrypt;
    uint8_t star[16], dollar[16], mask[MASKS][16];
};

struct running { uint8_t offset[16], checksum[16]; };

static struct guarded src_pages, dst_pages, key_pages, mask_pages, offset_pages, checksum_pages;

/* -- RFC 7253 around the loops -- */

static void add(uint8_t to[16], const uint8_t x[16])
{
    for (int k = 0; k < 16; k++)
        to[k] ^= x[k];
}

static void twice(uint8_t to[16], const uint8_t x[16])
{
    for (int k = 0; k < 16; k++)
        to[k] = (uint8_t)(x[k] << 1 | (k < 15 ? x[k + 1] >> 7 : 0));
    to[15] ^= (uint8_t)(x[0] >> 7) * 0x87;
}

static void set_key(struct ocb_key *k, const uint8_t *user_key, int bits)
{
    static const uint8_t zeros[16];
    check(aes_hw_set_encrypt_key(user_key, bits, &k->encrypt) == 0 &&
              aes_hw_set_decrypt_key(user_key, bits, &k->decrypt) == 0, "a key of %d bits", bits);
    aes_hw_encrypt(zeros, k->star, &k->encrypt);
    twice(k->dollar, k->star);
    twice(k->mask[0], k->dollar);
    for (int i = 1; i < MASKS; i++)
        twice(k->mask[i], k->mask[i - 1]);
}

/* 4.2, "Nonce-dependent and per-encryption variables", for a tag of 128 bits. */
static struct running start(const struct ocb_key *k, const uint8_t nonce[OCB_NONCE_BYTES])
{
    struct running r = { { 0 }, { 0 } };
    uint8_t block[16] = { 0, 0, 0, 1 }, stretch[25] = { 0 };
    memcpy(block + 4, nonce, OCB_NONCE_BYTES);
    unsigned bottom = block[15] & 63;
    block[15] &= 0xc0;
    aes_hw_encrypt(block, stretch, &k->encrypt);
    for (int i = 0; i < 8; i++)
        stretch[16 + i] = stretch[i] ^ stretch[i + 1];
    for (unsigned i = 0; i < 16; i++)
        r.offset[i] = (uint8_t)(stretch[bottom / 8 + i] << bottom % 8 |
                                stretch[bottom / 8 + i + 1] >> (8 - bottom % 8));
    return r;
}

static void finish(const struct ocb_key *k, const struct running *r, uint8_t tag[16])
{
    memcpy(tag, r->checksum, 16);
    add(tag, r->offset);
    add(tag, k->dollar);
    aes_hw_encrypt(tag, tag, &k->encrypt);
}

/* -- calls -- */

struct way { bool in_place, is_back; enum guard_edge edge; unsigned skew; };

static void run(const struct ocb_key *k, struct running *r, const uint8_t *in, uint8_t *out,
                size_t blocks, uint64_t first, const struct way *w)
{
    uint8_t *src = guarded_place(&src_pages, 16 * blocks, w->edge, w->skew % 16);
    uint8_t *dst =
        w->in_place ? src : guarded_place(&dst_pages, 16 * blocks, w->edge, w->skew / 2 % 16);
    uint8_t *key = guarded_place(&key_pages, AES_KEY_SIZE, w->edge, w->skew % 4 * 4);
    uint8_t *mask = guarded_place(&mask_pages, sizeof k->mask, w->edge, w->skew / 3 % 16);
    uint8_t *offset = guarded_place(&offset_pages, 16, w->edge, w->skew % 16);
    uint8_t *checksum = guarded_place(&checksum_pages, 16, w->edge, w->skew % 16);
    memcpy(src, in, 16 * blocks);
    memcpy(key, w->is_back ? &k->decrypt : &k->encrypt, AES_KEY_SIZE);
    memcpy(mask, k->mask, sizeof k->mask);
    memcpy(offset, r->offset, 16);
    memcpy(checksum, r->checksum, 16);
    uint64_t arguments[8] = { (uint64_t)src, (uint64_t)dst, blocks, first, (uint64_t)key,
                              (uint64_t)mask, (uint64_t)offset, (uint64_t)checksum };
    struct call_result result = call_watched(
        w->is_back ? (any_function)ocb_aes_hw_decrypt : (any_function)ocb_aes_hw_encrypt,
        arguments, 8);
    check(result.fault[0] == 0 &&
              (w->in_place || guarded_intact(&dst_pages, dst, 16 * blocks)) &&
              guarded_intact(&src_pages, src, 16 * blocks) &&
              guarded_intact(&offset_pages, offset, 16) &&
              guarded_intact(&checksum_pages, checksum, 16) &&
              (w->in_place || memcmp(src, in, 16 * blocks) == 0) &&
              memcmp(mask, k->mask, sizeof k->mask) == 0,
          "%zu blocks from %llu: %s", blocks, (unsigned long long)first,
          result.fault[0] ? result.fault : "something else was written");
    memcpy(out, dst, 16 * blocks);
    memcpy(r->offset, offset, 16);
    memcpy(r->checksum, checksum, 16);
}

static void check_message(const struct ocb_key *k, const struct ocb_case *c,
                          const uint8_t *expected, const uint8_t tag[16], size_t cut,
                          const struct way *w)
{
    const uint8_t *in = w->is_back ? expected : c->m, *right = w->is_back ? c->m : expected;
    uint8_t out[MAX_BYTES], got[16];
    struct running r = start(k, c->nonce);
    if (cut > 0)
        run(k, &r, in, out, cut, 1, w);
    run(k, &r, in + 16 * cut, out + 16 * cut, c->blocks - cut, 1 + cut, w);
    finish(k, &r, got);
    check(memcmp(out, right, 16 * c->blocks) == 0 && memcmp(got, tag, 16) == 0,
          "%d bits, %zu + %zu blocks, back %d, in place %d", c->bits, cut, c->blocks - cut,
          w->is_back, w->in_place);
}

static void check_case(const struct ocb_case *c, const uint8_t *expected, const uint8_t tag[16])
{
    struct ocb_key k;
    set_key(&k, c->key, c->bits);
    for (size_t cut = 0; cut == 0 || cut < c->blocks; cut++) {
        for (int n = 0; n < 8; n++) {
            struct way w = { n & 1, n & 2, n & 4 ? GUARD_START : GUARD_END, (unsigned)(cut * 5) };
            check_message(&k, c, expected, tag, cut, &w);
        }
    }
}

/* -- high numbers -- */

static unsigned trailing_zeros(uint64_t n)
{
    unsigned zeros = 0;
    while ((n >> zeros & 1) == 0)
        zeros++;
    return zeros;
}

static void step(const struct ocb_key *k, struct running *r, const uint8_t *in, uint8_t *out,
                 uint64_t number)
{
    add(r->offset, k->mask[trailing_zeros(number)]);
    add(r->checksum, in);
    memcpy(out, in, 16);
    add(out, r->offset);
    aes_hw_encrypt(out, out, &k->encrypt);
    add(out, r->offset);
}

static void check_numbers(const struct ocb_case *c, uint64_t first, size_t blocks)
{
    struct ocb_key k;
    uint8_t expected[MAX_BYTES], out[MAX_BYTES];
    struct running r, q;
    set_key(&k, c->key, c->bits);
    r = q = start(&k, c->nonce);
    for (size_t i = 0; i < blocks; i++)
        step(&k, &q, c->m + 16 * i, expected + 16 * i, first + i);
    run(&k, &r, c->m, out, blocks, first, &(struct way){ .edge = GUARD_END });
    check(memcmp(out, expected, 16 * blocks) == 0 && memcmp(&r, &q, sizeof r) == 0,
          "%zu blocks from %llu on", blocks, (unsigned long long)first);
}

int main(int argc, char **argv)
{
    static struct ocb_case c;
    if (argc != 2) {
        fputs("usage: ocb EXPECTED\n", stderr);
        return 2;
    }
    expected_open(argv[1]);
    src_pages = guarded_new(MAX_BYTES);
    dst_pages = guarded_new(MAX_BYTES);
    key_pages = guarded_new(AES_KEY_SIZE);
    mask_pages = guarded_new(16 * MASKS);
    offset_pages = guarded_new(16);
    checksum_pages = guarded_new(16);
    for (int i = 0; i < ocb_case_count(); i++) {
        uint8_t expected[MAX_BYTES], tag[16];
        ocb_case_at(i, &c);
        expected_read(expected, 16 * c.blocks);
        expected_read(tag, 16);
        check_case(&c, expected, tag);
    }
    expected_end();
    for (int bit = 1; bit < MASKS; bit++)
        for (size_t blocks = 1; blocks < 12; blocks++)
            check_numbers(&c, (1ull << bit) - (bit > 3 ? 6 : 1), blocks);
    for (size_t blocks = 1; blocks < 12; blocks++)
        check_numbers(&c, (1ull << 32) - blocks, blocks);
    printf("%lu\n", checks_passed());
    return 0;
}
