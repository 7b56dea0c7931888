/* aegis.c: see aegis.h. Blocks are in memory order. */
#include "harness/aegis.h"

#include <string.h>

#include "harness/fips197.h"

static const uint8_t c0[16] = { 0x00, 0x01, 0x01, 0x02, 0x03, 0x05, 0x08, 0x0d,
                                0x15, 0x22, 0x37, 0x59, 0x90, 0xe9, 0x79, 0x62 };
static const uint8_t c1[16] = { 0xdb, 0x3d, 0x18, 0x55, 0x6d, 0xc2, 0x2f, 0xf1,
                                0x20, 0x11, 0x31, 0x42, 0x73, 0xb5, 0x28, 0xdd };

size_t aegis_block(enum aegis_kind kind) { return kind == AEGIS_KIND_128L ? 32 : 16; }
size_t aegis_key_bytes(enum aegis_kind kind) { return kind == AEGIS_KIND_128L ? 16 : 32; }
static int words_of(const struct aegis *a) { return a->kind == AEGIS_KIND_128L ? 8 : 6; }

static void add(uint8_t to[16], const uint8_t x[16])
{
    for (int k = 0; k < 16; k++)
        to[k] ^= x[k];
}

static void sum(uint8_t to[16], const uint8_t x[16], const uint8_t y[16])
{
    memmove(to, x, 16);
    add(to, y);
}

static void aes_round(uint8_t to[16], const uint8_t in[16], const uint8_t key[16])
{
    uint8_t state[16];
    for (int k = 0; k < 16; k++)
        state[k] = fips197_sub_byte(in[k]);
    fips197_shift_rows(state);
    fips197_mix_columns(state);
    sum(to, state, key);
}

/* Update(M0, M1), or Update(M): a block of messages. */
static void update(struct aegis *a, const uint8_t *m)
{
    const struct aegis before = *a;
    const int n = words_of(a);
    for (int k = 0; k < n; k++) {
        uint8_t key[16];
        memcpy(key, before.s[k], 16);
        if (k == 0)
            add(key, m);
        if (k == 4 && a->kind == AEGIS_KIND_128L)
            add(key, m + 16);
        aes_round(a->s[k], before.s[(k + n - 1) % n], key);
    }
}

static void init_128l(struct aegis *a, const uint8_t *key, const uint8_t *nonce)
{
    uint8_t both[32];
    sum(a->s[0], key, nonce);
    memcpy(a->s[1], c1, 16);
    memcpy(a->s[2], c0, 16);
    memcpy(a->s[3], c1, 16);
    sum(a->s[4], key, nonce);
    sum(a->s[5], key, c0);
    sum(a->s[6], key, c1);
    sum(a->s[7], key, c0);
    memcpy(both, nonce, 16);
    memcpy(both + 16, key, 16);
    for (int k = 0; k < 10; k++)
        update(a, both);
}

static void init_256(struct aegis *a, const uint8_t *key, const uint8_t *nonce)
{
    uint8_t mixed[2][16];
    sum(mixed[0], key, nonce);
    sum(mixed[1], key + 16, nonce + 16);
    memcpy(a->s[0], mixed[0], 16);
    memcpy(a->s[1], mixed[1], 16);
    memcpy(a->s[2], c1, 16);
    memcpy(a->s[3], c0, 16);
    sum(a->s[4], key, c0);
    sum(a->s[5], key + 16, c1);
    for (int k = 0; k < 4; k++) {
        update(a, key);
        update(a, key + 16);
        update(a, mixed[0]);
        update(a, mixed[1]);
    }
}

void aegis_init(struct aegis *a, enum aegis_kind kind, const uint8_t *key, const uint8_t *nonce)
{
    a->kind = kind;
    if (kind == AEGIS_KIND_128L)
        init_128l(a, key, nonce);
    else
        init_256(a, key, nonce);
}

/* The next block: all of it, or what is left with zeros behind; how many bytes. */
static size_t next_block(const struct aegis *a, uint8_t block[32], const uint8_t *from, size_t left)
{
    size_t n = left < aegis_block(a->kind) ? left : aegis_block(a->kind);
    memset(block, 0, 32);
    memcpy(block, from, n);
    return n;
}

void aegis_absorb(struct aegis *a, const uint8_t *ad, size_t n)
{
    uint8_t block[32];
    for (size_t at = 0; at < n; at += aegis_block(a->kind)) {
        next_block(a, block, ad + at, n - at);
        update(a, block);
    }
}

/* z0 and z1, or z. */
static void add_stream(const struct aegis *a, uint8_t block[32])
{
    const uint8_t (*s)[16] = a->s;
    for (int k = 0; k < 16; k++) {
        if (a->kind == AEGIS_KIND_128L) {
            block[k] ^= s[6][k] ^ s[1][k] ^ (s[2][k] & s[3][k]);
            block[16 + k] ^= s[2][k] ^ s[5][k] ^ (s[6][k] & s[7][k]);
        } else {
            block[k] ^= s[1][k] ^ s[4][k] ^ s[5][k] ^ (s[2][k] & s[3][k]);
        }
    }
}

void aegis_encrypt(struct aegis *a, const uint8_t *m, uint8_t *c, size_t n)
{
    for (size_t at = 0; at < n;) {
        uint8_t block[32], out[32];
        size_t taken = next_block(a, block, m + at, n - at);
        memcpy(out, block, 32);
        add_stream(a, out);
        memcpy(c + at, out, taken);
        update(a, block);
        at += taken;
    }
}

void aegis_decrypt(struct aegis *a, const uint8_t *c, uint8_t *m, size_t n)
{
    for (size_t at = 0; at < n;) {
        uint8_t block[32];
        size_t taken = next_block(a, block, c + at, n - at);
        add_stream(a, block);
        memcpy(m + at, block, taken);
        memset(block + taken, 0, 32 - taken);
        update(a, block);
        at += taken;
    }
}

void aegis_finalize(struct aegis *a, uint8_t *tag, size_t tag_bytes, uint64_t ad, uint64_t m)
{
    uint8_t t[32];
    const int n = words_of(a), half = n / 2;
    for (int k = 0; k < 8; k++) {
        t[k] = (uint8_t)(8 * ad >> (8 * k));
        t[8 + k] = (uint8_t)(8 * m >> (8 * k));
    }
    add(t, a->s[a->kind == AEGIS_KIND_128L ? 2 : 3]);
    memcpy(t + 16, t, 16);
    for (int k = 0; k < 7; k++)
        update(a, t);
    memset(tag, 0, tag_bytes);
    for (int k = 0; k < n; k++) {
        if (tag_bytes == 32)
            add(tag + (k < half ? 0 : 16), a->s[k]);
        else if (a->kind == AEGIS_KIND_256 || k < 7)
            add(tag, a->s[k]);
    }
}

/* -- cases -- */

int aegis_case_count(void) { return AEGIS_KINDS * (AEGIS_MOST + 1); }

static void fill(uint8_t *at, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;  /* Knuth's MMIX generator */
        at[i] = (uint8_t)(*state >> 56);
    }
}

void aegis_case_at(int i, struct aegis_case *c)
{
    uint64_t state = (uint64_t)i;
    c->kind = (enum aegis_kind)(i % AEGIS_KINDS);
    c->length = (size_t)(i / AEGIS_KINDS);
    c->ad_length = 7 * c->length % (AEGIS_MOST_AD + 1);
    fill(c->key, sizeof c->key, &state);
    fill(c->nonce, sizeof c->nonce, &state);
    fill(c->ad, sizeof c->ad, &state);
    fill(c->m, sizeof c->m, &state);
}
