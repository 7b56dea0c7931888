/* vpaes.c: the module vpaes-armv8 on its own ELF code, by modes.c. */
#include <stdio.h>

#include "run/modes.h"
#include "vpaes-armv8.h"

static const struct aes_module vpaes = {
    .set_encrypt_key = (any_function)vpaes_set_encrypt_key,
    .set_decrypt_key = (any_function)vpaes_set_decrypt_key,
    .encrypt = (any_function)vpaes_encrypt,
    .decrypt = (any_function)vpaes_decrypt,
    .cbc_encrypt = (any_function)vpaes_cbc_encrypt,
    .ctr32_encrypt_blocks = (any_function)vpaes_ctr32_encrypt_blocks,
    .ecb_encrypt = (any_function)vpaes_ecb_encrypt,
    .more_rounds = 5,
    .all_passes = 4 + 2 + 1,
    .schedule = vpaes_schedule
};

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: vpaes EXPECTED\n", stderr);
        return 2;
    }
    check_modes(argv[1], &vpaes);
    printf("%lu\n", checks_passed());
    return 0;
}
