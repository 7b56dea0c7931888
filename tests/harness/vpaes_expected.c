/* vpaes_expected.c: see vpaes_expected.h.
 *
 * CTR is built here from single blocks, because libcrypto's own counter has 128
 * bits and carries out of the last 32.
 */
#include "harness/vpaes_expected.h"

#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void must(int ok)
{
    if (!ok) {
        fputs("vpaes_expected: libcrypto failed\n", stderr);
        exit(1);
    }
}

static const EVP_CIPHER *cipher_of(const struct vpaes_case *c)
{
    bool is_cbc = c->mode == VPAES_CBC_ENCRYPT || c->mode == VPAES_CBC_DECRYPT;
    switch (c->bits) {
    case 128: return is_cbc ? EVP_aes_128_cbc() : EVP_aes_128_ecb();
    case 192: return is_cbc ? EVP_aes_192_cbc() : EVP_aes_192_ecb();
    default:  return is_cbc ? EVP_aes_256_cbc() : EVP_aes_256_ecb();
    }
}

static void run(const struct vpaes_case *c, const uint8_t *in, uint8_t *out)
{
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0, size = (int)(16 * c->blocks);
    must(context != NULL);
    must(EVP_CipherInit_ex(context, cipher_of(c), NULL, c->key, c->ivec, !vpaes_decrypts(c->mode)));
    must(EVP_CIPHER_CTX_set_padding(context, 0));
    must(size == 0 || (EVP_CipherUpdate(context, out, &n, in, size) && n == size));
    EVP_CIPHER_CTX_free(context);
}

static void run_ctr(const struct vpaes_case *c, uint8_t *out)
{
    uint8_t counters[16 * VPAES_MAX_BLOCKS], now[16];
    memcpy(now, c->ivec, 16);
    for (size_t i = 0; i < c->blocks; i++) {
        memcpy(counters + 16 * i, now, 16);
        vpaes_advance(now, 1);
    }
    run(c, counters, out);
    for (size_t i = 0; i < 16 * c->blocks; i++)
        out[i] ^= c->in[i];
}

void vpaes_expect(const struct vpaes_case *c, uint8_t out[16 * VPAES_MAX_BLOCKS], uint8_t left[16])
{
    const uint8_t *chain = c->ivec;
    if (c->mode == VPAES_CTR)
        run_ctr(c, out);
    else
        run(c, c->in, out);
    if (c->blocks > 0 && c->mode == VPAES_CBC_ENCRYPT)
        chain = out + 16 * (c->blocks - 1);
    if (c->blocks > 0 && c->mode == VPAES_CBC_DECRYPT)
        chain = c->in + 16 * (c->blocks - 1);
    memcpy(left, chain, 16);
}
