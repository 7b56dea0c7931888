/* fips197.c: see fips197.h. The state is in memory order: byte 4 c + r is row r
 * of column c (FIPS 197, 3.4).
 */
#include "harness/fips197.h"

#include <string.h>

uint8_t fips197_multiply(uint8_t a, uint8_t b)
{
    unsigned product = 0;
    for (unsigned i = 0; i < 8; i++)
        product ^= (b >> i & 1) * ((unsigned)a << i);
    for (unsigned i = 14; i >= 8; i--)
        product ^= (product >> i & 1) * (0x11bu << (i - 8));    /* modulo m(x), (4.1) */
    return (uint8_t)product;
}

static uint8_t inverse(uint8_t x)
{
    for (unsigned y = 1; y < 256; y++) {
        if (fips197_multiply(x, (uint8_t)y) == 1)
            return (uint8_t)y;
    }
    return 0;
}

/* (5.1): b'(i) = b(i) + b(i+4) + b(i+5) + b(i+6) + b(i+7) + c(i), c = {63}. */
uint8_t fips197_sub_byte(uint8_t x)
{
    static uint8_t box[256];
    static int ready;
    for (unsigned v = 0; v < 256 && !ready; v++) {
        unsigned b = inverse((uint8_t)v), result = 0;
        for (unsigned i = 0; i < 8; i++) {
            unsigned bit = b >> i ^ b >> (i + 4) % 8 ^ b >> (i + 5) % 8 ^ b >> (i + 6) % 8 ^
                           b >> (i + 7) % 8 ^ 0x63u >> i;
            result |= (bit & 1) << i;
        }
        box[v] = (uint8_t)result;
    }
    ready = 1;
    return box[x];
}

void fips197_shift_rows(uint8_t state[AES_BLOCK])
{
    uint8_t old[AES_BLOCK];
    memcpy(old, state, sizeof old);
    for (int r = 0; r < 4; r++) {
        for (int c = 0; c < 4; c++)
            state[4 * c + r] = old[4 * ((c + r) % 4) + r];
    }
}

void fips197_mix_columns(uint8_t state[AES_BLOCK])
{
    for (int c = 0; c < 4; c++) {
        uint8_t old[4];
        memcpy(old, state + 4 * c, sizeof old);
        for (int r = 0; r < 4; r++)
            state[4 * c + r] = (uint8_t)(fips197_multiply(2, old[r]) ^
                                         fips197_multiply(3, old[(r + 1) % 4]) ^
                                         old[(r + 2) % 4] ^ old[(r + 3) % 4]);
    }
}

/* Figure 11. */
void fips197_expand_key(const uint8_t *key, int nk, uint8_t w[4 * AES_MAX_WORDS])
{
    uint8_t constant = 1;
    memcpy(w, key, (size_t)(4 * nk));
    for (int i = nk; i < 4 * (nk + 7); i++) {
        uint8_t t[4], *previous = w + 4 * (i - 1);
        for (int n = 0; n < 4; n++) {
            if (i % nk == 0)
                t[n] = fips197_sub_byte(previous[(n + 1) % 4]);
            else if (nk > 6 && i % nk == 4)
                t[n] = fips197_sub_byte(previous[n]);
            else
                t[n] = previous[n];
        }
        if (i % nk == 0) {
            t[0] ^= constant;
            constant = fips197_multiply(2, constant);
        }
        for (int n = 0; n < 4; n++)
            w[4 * i + n] = w[4 * (i - nk) + n] ^ t[n];
    }
}

/* MixColumns is of order 4, so three of it undo one. */
void fips197_expand_inverse_key(const uint8_t *key, int nk, uint8_t w[4 * AES_MAX_WORDS])
{
    uint8_t forward[4 * AES_MAX_WORDS];
    int rounds = nk + 6;
    fips197_expand_key(key, nk, forward);
    for (int r = 0; r <= rounds; r++) {
        memcpy(w + AES_BLOCK * r, forward + AES_BLOCK * (rounds - r), AES_BLOCK);
        for (int k = 0; k < 3 && r > 0 && r < rounds; k++)
            fips197_mix_columns(w + AES_BLOCK * r);
    }
}

static void add_round_key(uint8_t state[AES_BLOCK], const uint8_t *w)
{
    for (int i = 0; i < AES_BLOCK; i++)
        state[i] ^= w[i];
}

/* Figure 5. */
void fips197_encrypt(const uint8_t *key, int nk, const uint8_t in[AES_BLOCK],
                     uint8_t out[AES_BLOCK])
{
    uint8_t w[4 * AES_MAX_WORDS], state[AES_BLOCK];
    int rounds = nk + 6;
    fips197_expand_key(key, nk, w);
    memcpy(state, in, sizeof state);
    add_round_key(state, w);
    for (int r = 1; r <= rounds; r++) {
        for (int i = 0; i < AES_BLOCK; i++)
            state[i] = fips197_sub_byte(state[i]);
        fips197_shift_rows(state);
        if (r < rounds)
            fips197_mix_columns(state);
        add_round_key(state, w + AES_BLOCK * r);
    }
    memcpy(out, state, sizeof state);
}
