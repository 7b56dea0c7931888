/* vpaes_schedule.h: the key schedule of vpaes_encrypt, in plain C.
 *
 * Written from FIPS 197 and the description in kernels/vpaes.def ("The
 * schedules"): what the module's own must equal.
 */
#ifndef KGEN_TESTS_HARNESS_VPAES_SCHEDULE_H
#define KGEN_TESTS_HARNESS_VPAES_SCHEDULE_H

#include <stdint.h>

/* The C side's AES_KEY: bytes, so that tests may place it at any multiple of 4. */
enum { AES_KEY_SIZE = 244, AES_KEY_ROUNDS = 240 };

/* The byte whose pair of nibbles is `pair`, and the reverse. */
uint8_t vpaes_from_pair(uint8_t pair);
uint8_t vpaes_to_pair(uint8_t byte);

void vpaes_schedule(const uint8_t *key, int nk, uint8_t schedule[AES_KEY_SIZE]);

#endif
