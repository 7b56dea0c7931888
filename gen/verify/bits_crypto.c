/* bits_crypto.c: the cryptographic functions of domain.h on known bits.
 *
 * AES from its field (FIPS 197), SHA-1, SHA-256 and SHA-512 from FIPS 180-4 as
 * the Arm instructions cut them up (Arm ARM, shared/functions/crypto). Lane 0
 * is the low one. The S-box is computed at first use, not listed.
 */
#include "verify/bits.h"

#include <assert.h>

/* -- AES, FIPS 197 -- */

static uint8_t sbox[256], inverse_sbox[256];

/* 4.2.1: multiplication by x modulo x^8 + x^4 + x^3 + x + 1 */
static uint8_t times_x(uint8_t a)
{
    return (uint8_t)(a << 1 ^ (a >> 7) * 0x1b);
}

static uint8_t multiply(uint8_t a, uint8_t b)
{
    uint8_t r = 0;
    for (; b != 0; b >>= 1, a = times_x(a))
        if ((b & 1) != 0)
            r ^= a;
    return r;
}

/* 5.1.1: the affine map of the inverse; a^254 is the inverse, and 0 for 0. */
static uint8_t substitute(uint8_t a)
{
    uint8_t power = 1;
    for (int i = 0; i < 254; i++)
        power = multiply(power, a);
    uint8_t r = 0x63;
    for (int i = 0; i < 5; i++)
        r ^= (uint8_t)(power << i | power >> (8 - i));
    return r;
}

static void make_sboxes(void)
{
    if (sbox[0] != 0)
        return;
    for (int i = 0; i < 256; i++) {
        sbox[i] = substitute((uint8_t)i);
        inverse_sbox[sbox[i]] = (uint8_t)i;
    }
}

static uint8_t byte_of(struct bits a, int i)
{
    return (uint8_t)(a.v[i / 8] >> 8 * (i % 8));
}

static void add_byte(struct bits *a, int i, uint8_t byte)
{
    a->v[i / 8] |= (uint64_t)byte << 8 * (i % 8);
}

/* Row r of the state is bytes r, r+4, …; ShiftRows turns it left by r (5.1.2). */
static struct bits sub_shift(struct bits a, const uint8_t *box, int direction)
{
    struct bits r = { { 0, 0 } };
    make_sboxes();
    for (int i = 0; i < 16; i++)
        add_byte(&r, i, box[byte_of(a, (i + direction * 4 * (i % 4) + 64) % 16)]);
    return r;
}

/* 5.1.3, 5.3.3: each column times a fixed polynomial, FACTORS its first row. */
static struct bits mix(struct bits a, const uint8_t factors[4])
{
    struct bits r = { { 0, 0 } };
    for (int i = 0; i < 16; i++) {
        uint8_t sum = 0;
        for (int k = 0; k < 4; k++)
            sum ^= multiply(byte_of(a, i / 4 * 4 + (i + k) % 4), factors[k]);
        add_byte(&r, i, sum);
    }
    return r;
}

/* -- words -- */

static void get_words(struct bits a, uint32_t w[4])
{
    for (int i = 0; i < 4; i++)
        w[i] = (uint32_t)(a.v[i / 2] >> 32 * (i % 2));
}

static struct bits from_words(const uint32_t w[4])
{
    return (struct bits){ { w[0] | (uint64_t)w[1] << 32, w[2] | (uint64_t)w[3] << 32 } };
}

static uint32_t rotate_left(uint32_t a, int n) { return a << n | a >> (32 - n); }
static uint32_t rotate_right(uint32_t a, int n) { return a >> n | a << (32 - n); }
static uint64_t rotate_right_64(uint64_t a, int n) { return a >> n | a << (64 - n); }

/* FIPS 180-4, 4.1 */
static uint32_t choose(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (~x & z); }
static uint32_t parity(uint32_t x, uint32_t y, uint32_t z) { return x ^ y ^ z; }
static uint32_t majority(uint32_t x, uint32_t y, uint32_t z) { return (x & y) ^ (x & z) ^ (y & z); }

/* -- SHA-1 -- */

/* Four rounds: hash is a b c d, e apart, words with the constant added. */
static struct bits sha1_rounds(uint32_t (*f)(uint32_t, uint32_t, uint32_t), struct bits hash,
                               struct bits e_value, struct bits words)
{
    uint32_t h[4], w[4], e = (uint32_t)e_value.v[0];
    get_words(hash, h);
    get_words(words, w);
    for (int i = 0; i < 4; i++) {
        uint32_t next = e + f(h[1], h[2], h[3]) + rotate_left(h[0], 5) + w[i];
        e = h[3];
        h[3] = h[2];
        h[2] = rotate_left(h[1], 30);
        h[1] = h[0];
        h[0] = next;
    }
    return from_words(h);
}

static struct bits sha1_schedule_0(struct bits d, struct bits n, struct bits m)
{
    return (struct bits){ { d.v[1] ^ d.v[0] ^ m.v[0], n.v[0] ^ d.v[1] ^ m.v[1] } };
}

static struct bits sha1_schedule_1(struct bits d, struct bits n)
{
    uint32_t x[4], y[4];
    get_words(d, x);
    get_words(n, y);
    for (int i = 0; i < 4; i++)
        x[i] = rotate_left(x[i] ^ (i < 3 ? y[i + 1] : 0), 1);
    x[3] ^= rotate_left(x[0], 1);
    return from_words(x);
}

/* -- SHA-256 -- */

/* Four rounds on a..d (abcd) and e..h (efgh); gives the half asked for. */
static struct bits sha256_rounds(struct bits abcd, struct bits efgh, struct bits words, bool first_half)
{
    uint32_t x[4], y[4], w[4];
    get_words(abcd, x);
    get_words(efgh, y);
    get_words(words, w);
    for (int i = 0; i < 4; i++) {
        uint32_t sum_1 = rotate_right(y[0], 6) ^ rotate_right(y[0], 11) ^ rotate_right(y[0], 25);
        uint32_t sum_0 = rotate_right(x[0], 2) ^ rotate_right(x[0], 13) ^ rotate_right(x[0], 22);
        uint32_t t1 = y[3] + sum_1 + choose(y[0], y[1], y[2]) + w[i];
        uint32_t t2 = sum_0 + majority(x[0], x[1], x[2]);
        uint32_t e = x[3] + t1;
        for (int k = 3; k > 0; k--) {
            x[k] = x[k - 1];
            y[k] = y[k - 1];
        }
        x[0] = t1 + t2;
        y[0] = e;
    }
    return from_words(first_half ? x : y);
}

static struct bits sha256_schedule_0(struct bits d, struct bits n)
{
    uint32_t x[4], y[4];
    get_words(d, x);
    get_words(n, y);
    for (int i = 0; i < 4; i++) {
        uint32_t t = i < 3 ? x[i + 1] : y[0];
        x[i] += rotate_right(t, 7) ^ rotate_right(t, 18) ^ t >> 3;
    }
    return from_words(x);
}

static struct bits sha256_schedule_1(struct bits d, struct bits n, struct bits m)
{
    uint32_t x[4], y[4], z[4], r[4];
    get_words(d, x);
    get_words(n, y);
    get_words(m, z);
    for (int i = 0; i < 4; i++) {
        uint32_t t = i < 2 ? z[i + 2] : r[i - 2];
        uint32_t sigma_1 = rotate_right(t, 17) ^ rotate_right(t, 19) ^ t >> 10;
        r[i] = x[i] + sigma_1 + (i < 3 ? y[i + 1] : z[0]);
    }
    return from_words(r);
}

/* -- SHA-512 -- */

static uint64_t choose_64(uint64_t x, uint64_t y, uint64_t z) { return (x & y) ^ (~x & z); }

static uint64_t majority_64(uint64_t x, uint64_t y, uint64_t z)
{
    return (x & y) ^ (x & z) ^ (y & z);
}

static uint64_t sum_1_512(uint64_t a)
{
    return rotate_right_64(a, 14) ^ rotate_right_64(a, 18) ^ rotate_right_64(a, 41);
}

static uint64_t sum_0_512(uint64_t a)
{
    return rotate_right_64(a, 28) ^ rotate_right_64(a, 34) ^ rotate_right_64(a, 39);
}

/* Arm ARM C7.2, SHA512H: two rounds' additions on e..h. */
static struct bits sha512_rounds_1(struct bits d, struct bits n, struct bits m)
{
    struct bits r;
    r.v[1] = choose_64(m.v[1], n.v[0], n.v[1]) + sum_1_512(m.v[1]) + d.v[1];
    uint64_t t = r.v[1] + m.v[0];
    r.v[0] = choose_64(t, m.v[1], n.v[0]) + sum_1_512(t) + d.v[0];
    return r;
}

/* Arm ARM C7.2, SHA512H2: two rounds' additions on a..d. */
static struct bits sha512_rounds_2(struct bits d, struct bits n, struct bits m)
{
    struct bits r;
    r.v[1] = majority_64(n.v[0], m.v[1], m.v[0]) + sum_0_512(m.v[0]) + d.v[1];
    r.v[0] = majority_64(r.v[1], m.v[0], m.v[1]) + sum_0_512(r.v[1]) + d.v[0];
    return r;
}

static uint64_t sigma_0_512(uint64_t a)
{
    return rotate_right_64(a, 1) ^ rotate_right_64(a, 8) ^ a >> 7;
}

static uint64_t sigma_1_512(uint64_t a)
{
    return rotate_right_64(a, 19) ^ rotate_right_64(a, 61) ^ a >> 6;
}

static struct bits sha512_schedule_0(struct bits d, struct bits n)
{
    return (struct bits){ { d.v[0] + sigma_0_512(d.v[1]), d.v[1] + sigma_0_512(n.v[0]) } };
}

static struct bits sha512_schedule_1(struct bits d, struct bits n, struct bits m)
{
    return (struct bits){ { d.v[0] + sigma_1_512(n.v[0]) + m.v[0],
                            d.v[1] + sigma_1_512(n.v[1]) + m.v[1] } };
}

struct bits bits_crypto(enum crypto_op op, struct bits a, struct bits b, struct bits c)
{
    static const uint8_t forward[4] = { 2, 3, 1, 1 }, backward[4] = { 14, 11, 13, 9 };
    switch (op) {
    case CRYPTO_AES_SUB_SHIFT:     return sub_shift(a, sbox, 1);
    case CRYPTO_AES_INV_SUB_SHIFT: return sub_shift(a, inverse_sbox, -1);
    case CRYPTO_AES_MIX:           return mix(a, forward);
    case CRYPTO_AES_INV_MIX:       return mix(a, backward);
    case CRYPTO_SHA1C:      return sha1_rounds(choose, a, b, c);
    case CRYPTO_SHA1P:      return sha1_rounds(parity, a, b, c);
    case CRYPTO_SHA1M:      return sha1_rounds(majority, a, b, c);
    case CRYPTO_SHA1H:      return (struct bits){ { rotate_left((uint32_t)a.v[0], 30), 0 } };
    case CRYPTO_SHA1SU0:    return sha1_schedule_0(a, b, c);
    case CRYPTO_SHA1SU1:    return sha1_schedule_1(a, b);
    case CRYPTO_SHA256H:    return sha256_rounds(a, b, c, true);
    case CRYPTO_SHA256H2:   return sha256_rounds(b, a, c, false);
    case CRYPTO_SHA256SU0:  return sha256_schedule_0(a, b);
    case CRYPTO_SHA256SU1:  return sha256_schedule_1(a, b, c);
    case CRYPTO_SHA512H:    return sha512_rounds_1(a, b, c);
    case CRYPTO_SHA512H2:   return sha512_rounds_2(a, b, c);
    case CRYPTO_SHA512SU0:  return sha512_schedule_0(a, b);
    case CRYPTO_SHA512SU1:  return sha512_schedule_1(a, b, c);
    }
    assert(0 && "not a cryptographic function");
    return a;
}
