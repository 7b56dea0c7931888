/* bn_oracle.c: writes what bn.c must find, computed by libcrypto.
 *
 * Runs on the machine that builds; prints for every case of bn_cases.h the
 * results in the order of enum bn_result.
 */
#include <openssl/bn.h>
#include <stdio.h>
#include <stdlib.h>

#include "run/bn_cases.h"

static void must(int ok)
{
    if (!ok) {
        fputs("bn_oracle: libcrypto or the output failed\n", stderr);
        exit(1);
    }
}

/* x modulo 2^(64 n), then 1 when that changed it. */
static void write_wrapped(BIGNUM *x, const BIGNUM *modulus, size_t n)
{
    unsigned char words[8 * BN_MAX_LIMBS], carry[8] = { 0 };
    carry[0] = BN_is_negative(x) || BN_cmp(x, modulus) >= 0;
    if (BN_is_negative(x))
        must(BN_add(x, x, modulus));
    else if (carry[0])
        must(BN_sub(x, x, modulus));
    must(BN_bn2lebinpad(x, words, (int)(8 * n)) == (int)(8 * n));
    must(fwrite(words, 8, n, stdout) == n && fwrite(carry, 8, 1, stdout) == 1);
}

int main(void)
{
    static struct bn_case c;
    BIGNUM *a = BN_new(), *b = BN_new(), *x = BN_new();
    must(a != NULL && b != NULL && x != NULL);
    for (bool more = bn_first_case(&c); more; more = bn_next_case(&c)) {
        BIGNUM *modulus = BN_new();
        must(modulus != NULL && BN_set_bit(modulus, (int)(64 * c.n)));
        must(BN_lebin2bn((const unsigned char *)c.a, (int)(8 * c.n), a) != NULL);
        must(BN_lebin2bn((const unsigned char *)c.b, (int)(8 * c.n), b) != NULL);
        must(BN_add(x, a, b));
        write_wrapped(x, modulus, c.n);
        must(BN_sub(x, a, b));
        write_wrapped(x, modulus, c.n);
        must(BN_add(x, a, a));
        write_wrapped(x, modulus, c.n);
        BN_free(modulus);
    }
    BN_free(a);
    BN_free(b);
    BN_free(x);
    must(fflush(stdout) == 0);
    return 0;
}
