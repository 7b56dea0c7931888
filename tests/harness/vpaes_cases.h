/* vpaes_cases.h: the calls of the vpaes functions that tests make, under qemu
 * (run/vpaes.c) and in Unicorn (vpaes_test.c).
 *
 * In this order: single blocks under many keys; every mode, direction and key
 * size with every count to VPAES_MAX_BLOCKS, which meets each remainder of each
 * loop at least four times; and counters that wrap at each place of a call.
 */
#ifndef KGEN_TESTS_HARNESS_VPAES_CASES_H
#define KGEN_TESTS_HARNESS_VPAES_CASES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Widths of the loops: 4, 2, 1 for encryption and 3, 2, 1 for decryption. */
enum { VPAES_WIDEST = 4, VPAES_MAX_BLOCKS = 5 * VPAES_WIDEST };

enum vpaes_mode {
    VPAES_ECB_ENCRYPT, VPAES_ECB_DECRYPT, VPAES_CBC_ENCRYPT, VPAES_CBC_DECRYPT, VPAES_CTR,
    VPAES_MODES
};

struct vpaes_case {
    enum vpaes_mode mode;
    int bits;                   /* of the key: 128, 192, 256 */
    size_t blocks;
    uint8_t key[32], ivec[16], in[16 * VPAES_MAX_BLOCKS];
};

int vpaes_case_count(void);
void vpaes_case_at(int i, struct vpaes_case *c);

bool vpaes_decrypts(enum vpaes_mode mode);
const char *vpaes_mode_name(enum vpaes_mode mode);

/* The big-endian 32-bit counter in bytes 12 to 15, n further on. */
void vpaes_advance(uint8_t ivec[16], uint32_t n);

#endif
