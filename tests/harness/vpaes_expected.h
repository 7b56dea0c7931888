/* vpaes_expected.h: what a call of vpaes_cases.h must give, by libcrypto. */
#ifndef KGEN_TESTS_HARNESS_VPAES_EXPECTED_H
#define KGEN_TESTS_HARNESS_VPAES_EXPECTED_H

#include "harness/vpaes_cases.h"

/* The blocks in out[], and in left[] the ivec that is left. Ends the program
 * when libcrypto fails. */
void vpaes_expect(const struct vpaes_case *c, uint8_t out[16 * VPAES_MAX_BLOCKS], uint8_t left[16]);

#endif
