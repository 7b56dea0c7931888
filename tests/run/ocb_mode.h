/* ocb_mode.h: what stands around the loops of ocb-armv8 in RFC 7253, in plain C with
 * the schedules and the single blocks of aesv8-armv8, for tags of 128 bits. */
#ifndef KGEN_TESTS_RUN_OCB_MODE_H
#define KGEN_TESTS_RUN_OCB_MODE_H

#include <stddef.h>
#include <stdint.h>

#include "harness/vpaes_schedule.h"
#include "run/ocb_cases.h"

/* The C side's type, which the headers of the modules ask for. */
typedef struct { uint32_t rd_key[60]; uint32_t rounds; } AES_KEY;
_Static_assert(sizeof(AES_KEY) == AES_KEY_SIZE, "AES_KEY as the modules have it");
#include "aesv8-armv8.h"
#include "ocb-armv8.h"

enum { MASKS = 32 };

/* A key of RFC 7253 4.1: both schedules, L_*, L_$ and L_i. */
struct ocb_key {
    AES_KEY encrypt, decrypt;
    uint8_t star[16], dollar[16], mask[MASKS][16];
};

struct running { uint8_t offset[16], checksum[16]; };

void ocb_add(uint8_t to[16], const uint8_t x[16]);
void ocb_set_key(struct ocb_key *k, const uint8_t *user_key, int bits);
struct running ocb_start(const struct ocb_key *k, const uint8_t nonce[OCB_NONCE_BYTES]);
void ocb_finish(const struct ocb_key *k, const struct running *r, uint8_t tag[16]);

/* OCB-ENCRYPT of the RFC, any lengths: writes LENGTH + 16 bytes. */
void ocb_seal(const struct ocb_key *k, const uint8_t nonce[OCB_NONCE_BYTES], const uint8_t *ad,
              size_t ad_length, const uint8_t *m, size_t length, uint8_t *out);

#endif
