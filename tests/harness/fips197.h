/* fips197.h: AES as FIPS 197 defines it, byte by byte and slowly.
 *
 * An oracle that shares nothing with the kernels: inverses are searched for,
 * the affine map is the standard's sum of bits, ShiftRows and MixColumns move
 * and multiply single bytes. Checked itself against the standard's vectors.
 */
#ifndef KGEN_TESTS_HARNESS_FIPS197_H
#define KGEN_TESTS_HARNESS_FIPS197_H

#include <stdint.h>

enum { AES_BLOCK = 16, AES_MAX_WORDS = 60 };

uint8_t fips197_multiply(uint8_t a, uint8_t b);             /* 4.2 */
uint8_t fips197_sub_byte(uint8_t x);                        /* 5.1.1 */
void fips197_shift_rows(uint8_t state[AES_BLOCK]);          /* 5.1.2 */
void fips197_mix_columns(uint8_t state[AES_BLOCK]);         /* 5.1.3 */
/* 5.2: the key has nk words (4, 6, 8); w receives 16 (nk + 7) bytes. */
void fips197_expand_key(const uint8_t *key, int nk, uint8_t w[4 * AES_MAX_WORDS]);
/* 5.3.5: the same for the equivalent inverse cipher, in the order it uses them. */
void fips197_expand_inverse_key(const uint8_t *key, int nk, uint8_t w[4 * AES_MAX_WORDS]);
void fips197_encrypt(const uint8_t *key, int nk, const uint8_t in[AES_BLOCK],
                     uint8_t out[AES_BLOCK]);

#endif
