/* aegis_oracle.c: writes what aegis.c must find, computed by harness/aegis.c,
 * after comparing that with vectors of draft-irtf-cfrg-aegis-aead. Runs on the
 * machine that builds.
 */
#include <stdio.h>
#include <string.h>

#include "harness/aegis.h"

/* Test vectors 4 of both algorithms: a part of a block, and associated data. */
static const struct vector {
    enum aegis_kind kind;
    uint8_t c[14], tag[2][32];
} vectors[] = {
    { AEGIS_KIND_128L,
      { 0x79, 0xd9, 0x45, 0x93, 0xd8, 0xc2, 0x11, 0x9d, 0x7e, 0x8f, 0xd9, 0xb8, 0xfc, 0x77 },
      { { 0x5c, 0x04, 0xb3, 0xdb, 0xa8, 0x49, 0xb2, 0x70, 0x1e, 0xff, 0xbe, 0x32, 0xc7, 0xf0,
          0xfa, 0xb7 },
        { 0x86, 0xf1, 0xb8, 0x0b, 0xfb, 0x46, 0x3a, 0xba, 0x71, 0x1d, 0x15, 0x40, 0x5d, 0x09,
          0x4b, 0xaf, 0x4a, 0x55, 0xa1, 0x5d, 0xbf, 0xec, 0x81, 0xa7, 0x6f, 0x35, 0xed, 0x0b,
          0x9c, 0x8b, 0x04, 0xac } } },
    { AEGIS_KIND_256,
      { 0xf3, 0x73, 0x07, 0x9e, 0xd8, 0x4b, 0x27, 0x09, 0xfa, 0xee, 0x37, 0x35, 0x84, 0x58 },
      { { 0xc6, 0x0b, 0x9c, 0x2d, 0x33, 0xce, 0xb0, 0x58, 0xf9, 0x6e, 0x6d, 0xd0, 0x3c, 0x21,
          0x56, 0x52 },
        { 0x8c, 0x1c, 0xc7, 0x03, 0xc8, 0x12, 0x81, 0xbe, 0xe3, 0xf6, 0xd9, 0x96, 0x6e, 0x14,
          0x94, 0x8b, 0x4a, 0x17, 0x5b, 0x2e, 0xfb, 0xdc, 0x31, 0xe6, 0x1a, 0x98, 0xb4, 0x46,
          0x52, 0x35, 0xc2, 0xd9 } } },
};

static bool is_right(const struct vector *v)
{
    static const uint8_t key[32] = { 0x10, 0x01 }, nonce[32] = { 0x10, 0x00, 0x02 };
    uint8_t count[14], c[14], m[14], tag[32];
    bool right = true;
    for (int k = 0; k < 14; k++)
        count[k] = (uint8_t)k;
    for (int k = 0; k < 2; k++) {
        struct aegis a;
        aegis_init(&a, v->kind, key, nonce);
        aegis_absorb(&a, count, 8);
        aegis_encrypt(&a, count, c, 14);
        aegis_finalize(&a, tag, k == 0 ? 16 : 32, 8, 14);
        right = right && memcmp(c, v->c, 14) == 0 && memcmp(tag, v->tag[k], k == 0 ? 16 : 32) == 0;
        aegis_init(&a, v->kind, key, nonce);
        aegis_absorb(&a, count, 8);
        aegis_decrypt(&a, c, m, 14);
        aegis_finalize(&a, tag, k == 0 ? 16 : 32, 8, 14);
        right = right && memcmp(m, count, 14) == 0 && memcmp(tag, v->tag[k], k == 0 ? 16 : 32) == 0;
    }
    return right;
}

static void expect(const struct aegis_case *c, struct aegis_expected *e)
{
    memset(e, 0, sizeof *e);
    for (int k = 0; k < 2; k++) {
        struct aegis a;
        size_t tag_bytes = k == 0 ? 16 : 32;
        aegis_init(&a, c->kind, c->key, c->nonce);
        aegis_absorb(&a, c->ad, c->ad_length);
        aegis_encrypt(&a, c->m, e->c, c->length);
        aegis_finalize(&a, e->tag[k], tag_bytes, c->ad_length, c->length);
        aegis_init(&a, c->kind, c->key, c->nonce);
        aegis_absorb(&a, c->m, c->length);
        aegis_finalize(&a, e->mac[k], tag_bytes, c->length, tag_bytes);
    }
}

int main(void)
{
    static struct aegis_case c;
    static struct aegis_expected e;
    bool written = true;
    for (size_t k = 0; k < sizeof vectors / sizeof *vectors; k++) {
        if (!is_right(&vectors[k])) {
            fputs("aegis_oracle: the plain C differs from the draft\n", stderr);
            return 1;
        }
    }
    for (int i = 0; i < aegis_case_count(); i++) {
        aegis_case_at(i, &c);
        expect(&c, &e);
        written = written && fwrite(e.tag, sizeof e.tag, 1, stdout) == 1 &&
                  fwrite(e.mac, sizeof e.mac, 1, stdout) == 1 &&
                  fwrite(e.c, 1, c.length, stdout) == c.length;
    }
    if (!written || fflush(stdout) != 0) {
        perror("aegis_oracle");
        return 1;
    }
    return 0;
}
