/* ocb_mode.c: see ocb_mode.h. Names and numbers of sections are RFC 7253's. */
#include "run/ocb_mode.h"

#include <string.h>

#include "run/call.h"

void ocb_add(uint8_t to[16], const uint8_t x[16])
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

/* 4.1 */
void ocb_set_key(struct ocb_key *k, const uint8_t *user_key, int bits)
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

/* 4.2, "Nonce-dependent and per-encryption variables". */
struct running ocb_start(const struct ocb_key *k, const uint8_t nonce[OCB_NONCE_BYTES])
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

void ocb_finish(const struct ocb_key *k, const struct running *r, uint8_t tag[16])
{
    memcpy(tag, r->checksum, 16);
    ocb_add(tag, r->offset);
    ocb_add(tag, k->dollar);
    aes_hw_encrypt(tag, tag, &k->encrypt);
}

/* N bytes, a 1 and zeros. */
static void pad(uint8_t block[16], const uint8_t *from, size_t n)
{
    memset(block, 0, 16);
    memcpy(block, from, n);
    block[n] = 0x80;
}

/* 4.1, HASH: added to SUM. */
static void hash(const struct ocb_key *k, const uint8_t *ad, size_t n, uint8_t sum[16])
{
    uint8_t offset[16] = { 0 }, block[16];
    size_t at = 0;
    for (uint64_t i = 1; at + 16 <= n; i++, at += 16) {
        ocb_add(offset, k->mask[__builtin_ctzll(i)]);
        memcpy(block, ad + at, 16);
        ocb_add(block, offset);
        aes_hw_encrypt(block, block, &k->encrypt);
        ocb_add(sum, block);
    }
    if (at == n)
        return;
    ocb_add(offset, k->star);
    pad(block, ad + at, n - at);
    ocb_add(block, offset);
    aes_hw_encrypt(block, block, &k->encrypt);
    ocb_add(sum, block);
}

/* 4.2, "Process any final partial block". */
static void last_block(const struct ocb_key *k, struct running *r, const uint8_t *m, size_t n,
                       uint8_t *out)
{
    uint8_t stream[16], block[16];
    ocb_add(r->offset, k->star);
    aes_hw_encrypt(r->offset, stream, &k->encrypt);
    for (size_t i = 0; i < n; i++)
        out[i] = m[i] ^ stream[i];
    pad(block, m, n);
    ocb_add(r->checksum, block);
}

void ocb_seal(const struct ocb_key *k, const uint8_t nonce[OCB_NONCE_BYTES], const uint8_t *ad,
              size_t ad_length, const uint8_t *m, size_t length, uint8_t *out)
{
    const size_t blocks = length / 16;
    struct running r = ocb_start(k, nonce);
    ocb_aes_hw_encrypt(m, out, blocks, 1, &k->encrypt, &k->mask[0][0], r.offset, r.checksum);
    if (length % 16 != 0)
        last_block(k, &r, m + 16 * blocks, length % 16, out + 16 * blocks);
    ocb_finish(k, &r, out + length);
    hash(k, ad, ad_length, out + length);
}
