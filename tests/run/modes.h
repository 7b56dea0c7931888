/* modes.h: the tests that an AES module passes, whichever way it computes. */
#ifndef KGEN_TESTS_RUN_MODES_H
#define KGEN_TESTS_RUN_MODES_H

#include "harness/vpaes_schedule.h"
#include "run/call.h"

/* The C side's type, which the headers of the modules ask for. */
typedef struct { uint32_t rd_key[60]; uint32_t rounds; } AES_KEY;
_Static_assert(sizeof(AES_KEY) == AES_KEY_SIZE && _Alignof(AES_KEY) == 4,
               "AES_KEY as the modules have it");

struct aes_module {
    any_function set_encrypt_key, set_decrypt_key, encrypt, decrypt;
    any_function cbc_encrypt, ctr32_encrypt_blocks, ecb_encrypt;
    int more_rounds;            /* AES_KEY.rounds is the words of the key and this */
    size_t all_passes;          /* blocks: one pass of the loops of every width */
    /* The schedule for encryption of a key of nk words, in plain C. */
    void (*schedule)(const uint8_t *key, int nk, uint8_t schedule[AES_KEY_SIZE]);
};

/* Walks the cases of harness/vpaes_cases.h. */
void check_modes(const char *expected_path, const struct aes_module *m);

#endif
