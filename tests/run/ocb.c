/* ocb.c: the module ocb-armv8 on its own ELF code, with the schedules of aesv8-armv8.
 *
 * Takes the file that ocb_oracle.c wrote (libcrypto). What stands around the
 * loops in RFC 7253 is in ocb_mode.c: masks, first offset, tag. Every message is
 * encrypted and decrypted in place and apart, between missing pages, in one call and
 * in two, cut at each block. Blocks with high numbers, to the last that is allowed,
 * are compared with the RFC's steps taken one by one. The RFC's own check of every
 * length of message and associated data ends it.
 */
#include <stdio.h>
#include <string.h>

#include "run/call.h"
#include "run/ocb_mode.h"

enum { MAX_BYTES = 16 * OCB_MAX_BLOCKS };

static struct guarded src_pages, dst_pages, key_pages, mask_pages, offset_pages, checksum_pages;

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
    struct running r = ocb_start(k, c->nonce);
    if (cut > 0)
        run(k, &r, in, out, cut, 1, w);
    run(k, &r, in + 16 * cut, out + 16 * cut, c->blocks - cut, 1 + cut, w);
    ocb_finish(k, &r, got);
    check(memcmp(out, right, 16 * c->blocks) == 0 && memcmp(got, tag, 16) == 0,
          "%d bits, %zu + %zu blocks, back %d, in place %d", c->bits, cut, c->blocks - cut,
          w->is_back, w->in_place);
}

static void check_case(const struct ocb_case *c, const uint8_t *expected, const uint8_t tag[16])
{
    struct ocb_key k;
    ocb_set_key(&k, c->key, c->bits);
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
    ocb_add(r->offset, k->mask[trailing_zeros(number)]);
    ocb_add(r->checksum, in);
    memcpy(out, in, 16);
    ocb_add(out, r->offset);
    aes_hw_encrypt(out, out, &k->encrypt);
    ocb_add(out, r->offset);
}

static void check_numbers(const struct ocb_case *c, uint64_t first, size_t blocks)
{
    struct ocb_key k;
    uint8_t expected[MAX_BYTES], out[MAX_BYTES];
    struct running r, q;
    ocb_set_key(&k, c->key, c->bits);
    r = q = ocb_start(&k, c->nonce);
    for (size_t i = 0; i < blocks; i++)
        step(&k, &q, c->m + 16 * i, expected + 16 * i, first + i);
    run(&k, &r, c->m, out, blocks, first, &(struct way){ .edge = GUARD_END });
    check(memcmp(out, expected, 16 * blocks) == 0 && memcmp(&r, &q, sizeof r) == 0,
          "%zu blocks from %llu on", blocks, (unsigned long long)first);
}

/* -- appendix A: all lengths from 0 to 127, for each key size -- */

static const struct { int bits; uint8_t output[16]; } iterated[] = {
    { 128, { 0x67, 0xe9, 0x44, 0xd2, 0x32, 0x56, 0xc5, 0xe0, 0xb6, 0xc6, 0x1f, 0xa2, 0x2f, 0xdf,
             0x1e, 0xa2 } },
    { 192, { 0xf6, 0x73, 0xf2, 0xc3, 0xe7, 0x17, 0x4a, 0xae, 0x7b, 0xae, 0x98, 0x6c, 0xa9, 0xf2,
             0x9e, 0x17 } },
    { 256, { 0xd9, 0x0e, 0xb8, 0xe9, 0xc9, 0x77, 0xc8, 0x8b, 0x79, 0xdd, 0x79, 0x3d, 0x7f, 0xfa,
             0x16, 0x1c } },
};
enum { ITERATIONS = 128 };

/* All outputs, one behind the other, are the associated data of a last one. */
static void check_iterated(int bits, const uint8_t expected[16])
{
    static uint8_t all[ITERATIONS * (2 * ITERATIONS + 3 * 16)];
    static const uint8_t zeros[ITERATIONS];
    uint8_t user_key[32] = { 0 }, nonce[OCB_NONCE_BYTES] = { 0 }, tag[16];
    struct ocb_key k;
    size_t n = 0;
    user_key[bits / 8 - 1] = 128;           /* the tag's bits */
    ocb_set_key(&k, user_key, bits);
    for (unsigned i = 0; i < ITERATIONS; i++)
        for (unsigned which = 1; which <= 3; which++) {
            const size_t ad_length = which == 2 ? 0 : i, length = which == 3 ? 0 : i;
            nonce[10] = (uint8_t)((3 * i + which) >> 8);
            nonce[11] = (uint8_t)(3 * i + which);
            ocb_seal(&k, nonce, zeros, ad_length, zeros, length, all + n);
            n += length + 16;
        }
    nonce[10] = 385 >> 8;
    nonce[11] = 385 & 255;
    ocb_seal(&k, nonce, all, n, NULL, 0, tag);
    check(memcmp(tag, expected, 16) == 0, "appendix A with %d bits: wrong", bits);
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
    for (size_t k = 0; k < sizeof iterated / sizeof *iterated; k++)
        check_iterated(iterated[k].bits, iterated[k].output);
    printf("%lu\n", checks_passed());
    return 0;
}
