/* ocb_cases.h: the messages that ocb.c encrypts and decrypts; the program under
 * test and the oracle walk the same list: every key size with every count of
 * blocks to OCB_MAX_BLOCKS, without associated data. */
#ifndef KGEN_TESTS_RUN_OCB_CASES_H
#define KGEN_TESTS_RUN_OCB_CASES_H

#include <stddef.h>
#include <stdint.h>

enum { OCB_MAX_BLOCKS = 40, OCB_NONCE_BYTES = 12 };

struct ocb_case {
    int bits;                   /* of the key: 128, 192, 256 */
    size_t blocks;
    uint8_t key[32], nonce[OCB_NONCE_BYTES], m[16 * OCB_MAX_BLOCKS];
};

int ocb_case_count(void);
void ocb_case_at(int i, struct ocb_case *c);

#endif
