/* aegis_oracle.c: writes what aegis.c must find, computed by harness/aegis.c,
 * after comparing that with vectors of draft-irtf-cfrg-aegis-aead. Runs on the
 * machine that builds.
 */
#include <stdio.h>
#include <string.h>

#include "harness/aegis.h"

/* Does it tell test vectors 4 from 6 to 9? */
static bool is_right(const struct aegis_received *r)
{
    bool right = true;
    for (int k = 0; k < 2; k++) {
        uint8_t m[AEGIS_MOST], tag[32];
        struct aegis a;
        aegis_init(&a, r->c.kind, r->c.key, r->c.nonce);
        aegis_absorb(&a, r->c.ad, r->c.ad_length);
        aegis_decrypt(&a, r->c.m, m, r->c.length);
        aegis_finalize(&a, tag, k == 0 ? 16 : 32, r->c.ad_length, r->c.length);
        right &= (memcmp(tag, r->tag[k], k == 0 ? 16 : 32) == 0) == r->is_good;
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
    static struct aegis_received received;
    for (int k = 0; k < AEGIS_RECEIVED; k++) {
        aegis_received_at(k, &received);
        if (!is_right(&received)) {
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
