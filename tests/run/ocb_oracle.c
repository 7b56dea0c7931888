/* ocb_oracle.c: writes what ocb.c must find, computed by libcrypto: for every
 * case of ocb_cases.h its ciphertext and the tag of 16 bytes. Runs on the machine
 * that builds.
 */
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/ocb_cases.h"

static void must(int ok)
{
    if (!ok) {
        fputs("ocb_oracle: libcrypto or the output failed\n", stderr);
        exit(1);
    }
}

static const EVP_CIPHER *cipher_of(const struct ocb_case *c)
{
    return c->bits == 128   ? EVP_aes_128_ocb()
           : c->bits == 192 ? EVP_aes_192_ocb()
                            : EVP_aes_256_ocb();
}

static void encrypt(const struct ocb_case *c, uint8_t *out, uint8_t tag[16])
{
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    int n = 0, more = 0, size = (int)(16 * c->blocks);
    must(context != NULL && EVP_EncryptInit_ex(context, cipher_of(c), NULL, NULL, NULL));
    must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, OCB_NONCE_BYTES, NULL));
    must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, NULL));
    must(EVP_EncryptInit_ex(context, NULL, NULL, c->key, c->nonce));
    must(size == 0 || EVP_EncryptUpdate(context, out, &n, c->m, size));
    must(EVP_EncryptFinal_ex(context, out + n, &more) && n + more == size);
    must(EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag));
    EVP_CIPHER_CTX_free(context);
}

int main(void)
{
    static struct ocb_case c;
    for (int i = 0; i < ocb_case_count(); i++) {
        uint8_t out[16 * OCB_MAX_BLOCKS + 16], tag[16];
        ocb_case_at(i, &c);
        encrypt(&c, out, tag);
        must(fwrite(out, 16, c.blocks, stdout) == c.blocks && fwrite(tag, 16, 1, stdout) == 1);
    }
    must(fflush(stdout) == 0);
    return 0;
}
