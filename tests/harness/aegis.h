/* aegis.h: AEGIS-128L and AEGIS-256 in plain C, and the calls that tests make.
 *
 * Written from draft-irtf-cfrg-aegis-aead with its names, on fips197.h: the
 * oracle for the module aegis-armv8, as libcrypto has neither. Checked itself
 * against the draft's vectors (run/aegis_oracle.c).
 */
#ifndef KGEN_TESTS_HARNESS_AEGIS_H
#define KGEN_TESTS_HARNESS_AEGIS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum aegis_kind { AEGIS_KIND_128L, AEGIS_KIND_256, AEGIS_KINDS };

struct aegis { enum aegis_kind kind; uint8_t s[8][16]; };

size_t aegis_block(enum aegis_kind kind);       /* bytes that an update takes: 32 or 16 */
size_t aegis_key_bytes(enum aegis_kind kind);   /* of the key, and of the nonce */

void aegis_init(struct aegis *a, enum aegis_kind kind, const uint8_t *key, const uint8_t *nonce);
void aegis_absorb(struct aegis *a, const uint8_t *ad, size_t n);
void aegis_encrypt(struct aegis *a, const uint8_t *m, uint8_t *c, size_t n);
void aegis_decrypt(struct aegis *a, const uint8_t *c, uint8_t *m, size_t n);
/* tag_bytes is 16 or 32; the lengths are in bytes. */
void aegis_finalize(struct aegis *a, uint8_t *tag, size_t tag_bytes, uint64_t ad, uint64_t m);

/* -- cases: every length, each with associated data of some other one -- */

enum { AEGIS_MOST = 300, AEGIS_MOST_AD = 80 };

struct aegis_case {
    enum aegis_kind kind;
    size_t length, ad_length;
    uint8_t key[32], nonce[32], ad[AEGIS_MOST_AD], m[AEGIS_MOST];
};

/* What the oracle writes of it, in this order; of c only `length` bytes. */
struct aegis_expected { uint8_t tag[2][32], mac[2][32], c[AEGIS_MOST]; };

int aegis_case_count(void);
void aegis_case_at(int i, struct aegis_case *c);

/* -- messages as received: the draft's test vectors 4 and 6 to 9 (aegis_received.c) -- */

enum { AEGIS_RECEIVED = 10 };

/* c.m is the ciphertext; tags of 16 and of 32 bytes. */
struct aegis_received {
    struct aegis_case c;
    uint8_t tag[2][32];
    bool is_good;
    const char *name;
};

void aegis_received_at(int i, struct aegis_received *r);

#endif
