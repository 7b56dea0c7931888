/* vpaes_schedule.c: see vpaes_schedule.h.
 *
 * The field GF(2^4) inside GF(2^8) has the basis 1, w, w^2, w^3 with the least
 * w for which w^4 = w + 1; the byte is k + i theta with the least theta outside
 * the subfield whose trace and norm are equal.
 */
#include "harness/vpaes_schedule.h"

#include <assert.h>
#include <string.h>

#include "harness/fips197.h"

static uint8_t power(uint8_t x, int n)
{
    uint8_t product = 1;
    for (int i = 0; i < n; i++)
        product = fips197_multiply(product, x);
    return product;
}

static uint8_t find_w(void)
{
    for (unsigned x = 2; x < 256; x++) {
        if ((power((uint8_t)x, 4) ^ x ^ 1) == 0)
            return (uint8_t)x;
    }
    assert(0);
    return 0;
}

static uint8_t find_theta(void)
{
    for (unsigned x = 2; x < 256; x++) {
        unsigned conjugate = power((uint8_t)x, 16);
        if (conjugate != x && (x ^ conjugate) == fips197_multiply((uint8_t)x, (uint8_t)conjugate))
            return (uint8_t)x;
    }
    assert(0);
    return 0;
}

static uint8_t subfield(uint8_t w, unsigned nibble)
{
    uint8_t x = 0;
    for (int i = 0; i < 4; i++) {
        if (nibble >> i & 1)
            x ^= power(w, i);
    }
    return x;
}

uint8_t vpaes_from_pair(uint8_t pair)
{
    static uint8_t map[256];
    static int ready;
    if (!ready) {
        uint8_t w = find_w(), theta = find_theta();
        for (unsigned p = 0; p < 256; p++)
            map[p] = subfield(w, p & 15) ^ fips197_multiply(theta, subfield(w, p >> 4));
        ready = 1;
    }
    return map[pair];
}

uint8_t vpaes_to_pair(uint8_t byte)
{
    for (unsigned p = 0; p < 256; p++) {
        if (vpaes_from_pair((uint8_t)p) == byte)
            return (uint8_t)p;
    }
    assert(0);
    return 0;
}

/* ShiftRows^-n, that is ShiftRows^(4 - n mod 4). */
static void unshift_rows(uint8_t state[AES_BLOCK], int n)
{
    for (int i = 0; i < (4 - n % 4) % 4; i++)
        fips197_shift_rows(state);
}

/* MixColumns without its factor 2 on the diagonal: 0 1 1 1 in each column. */
static void sum_of_others(uint8_t state[AES_BLOCK])
{
    for (int c = 0; c < 4; c++) {
        uint8_t *s = state + 4 * c, sum = s[0] ^ s[1] ^ s[2] ^ s[3];
        for (int r = 0; r < 4; r++)
            s[r] ^= sum;
    }
}

void vpaes_schedule(const uint8_t *key, int nk, uint8_t schedule[AES_KEY_SIZE])
{
    uint8_t w[4 * AES_MAX_WORDS];
    int last = nk + 6;
    memset(schedule, 0, AES_KEY_SIZE);
    fips197_expand_key(key, nk, w);
    for (int r = 0; r <= last; r++) {
        uint8_t *k = schedule + AES_BLOCK * r;
        memcpy(k, w + AES_BLOCK * r, AES_BLOCK);
        for (int i = 0; i < AES_BLOCK && r > 0; i++)
            k[i] ^= 0x63;
        if (r > 0 && r < last)
            sum_of_others(k);
        unshift_rows(k, r);
        for (int i = 0; i < AES_BLOCK && r < last; i++)
            k[i] = vpaes_to_pair(k[i]);
    }
    schedule[AES_KEY_ROUNDS] = (uint8_t)(last - 1);
}
