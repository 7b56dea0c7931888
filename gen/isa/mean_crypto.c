/* mean_crypto.c: AES, SHA-1, SHA-2 and SHA-3 instructions.
 *
 * Written from Arm ARM C7.2. AESE and AESD are functions of state XOR key; the
 * rest of an AES or SHA-1/2 instruction is one function of the domain. The
 * SHA-3 instructions are ordinary logic. pmull is in mean_vec.c.
 */
#include "isa/mean.h"

static val crypto(struct machine *m, enum crypto_op op, val a, val b, val c)
{
    return m->domain->crypto(m->domain, op, a, b, c);
}

static val eor(struct machine *m, val a, val b)
{
    return lanes(m, LANE_XOR, 128, 64, a, b);
}

/* -- AES -- */

MEANING(aese)
{
    write(m, d, 0, crypto(m, CRYPTO_AES_SUB_SHIFT, eor(m, read(m, d, 0), read(m, d, 1)), 0, 0));
}

MEANING(aesd)
{
    write(m, d, 0, crypto(m, CRYPTO_AES_INV_SUB_SHIFT, eor(m, read(m, d, 0), read(m, d, 1)), 0, 0));
}

MEANING(aesmc)  { write(m, d, 0, crypto(m, CRYPTO_AES_MIX, read(m, d, 1), 0, 0)); }
MEANING(aesimc) { write(m, d, 0, crypto(m, CRYPTO_AES_INV_MIX, read(m, d, 1), 0, 0)); }

/* -- SHA-1 and SHA-2: the tied operand and one or two more -- */

static void hash_of_two(struct machine *m, const struct decoded *d, enum crypto_op op)
{
    write(m, d, 0, crypto(m, op, read(m, d, 0), read(m, d, 1), 0));
}

static void hash_of_three(struct machine *m, const struct decoded *d, enum crypto_op op)
{
    write(m, d, 0, crypto(m, op, read(m, d, 0), read(m, d, 1), read(m, d, 2)));
}

MEANING(sha1h) { write(m, d, 0, crypto(m, CRYPTO_SHA1H, read(m, d, 1), 0, 0)); }
MEANING(sha1c)     { hash_of_three(m, d, CRYPTO_SHA1C); }
MEANING(sha1p)     { hash_of_three(m, d, CRYPTO_SHA1P); }
MEANING(sha1m)     { hash_of_three(m, d, CRYPTO_SHA1M); }
MEANING(sha1su0)   { hash_of_three(m, d, CRYPTO_SHA1SU0); }
MEANING(sha1su1)   { hash_of_two(m, d, CRYPTO_SHA1SU1); }
MEANING(sha256h)   { hash_of_three(m, d, CRYPTO_SHA256H); }
MEANING(sha256h2)  { hash_of_three(m, d, CRYPTO_SHA256H2); }
MEANING(sha256su0) { hash_of_two(m, d, CRYPTO_SHA256SU0); }
MEANING(sha256su1) { hash_of_three(m, d, CRYPTO_SHA256SU1); }
MEANING(sha512h)   { hash_of_three(m, d, CRYPTO_SHA512H); }
MEANING(sha512h2)  { hash_of_three(m, d, CRYPTO_SHA512H2); }
MEANING(sha512su0) { hash_of_two(m, d, CRYPTO_SHA512SU0); }
MEANING(sha512su1) { hash_of_three(m, d, CRYPTO_SHA512SU1); }

/* -- SHA-3 -- */

MEANING(eor3)
{
    write(m, d, 0, eor(m, eor(m, read(m, d, 1), read(m, d, 2)), read(m, d, 3)));
}

MEANING(bcax)
{
    val clear = lanes(m, LANE_NOT, 128, 64, read(m, d, 3), 0);
    write(m, d, 0, eor(m, read(m, d, 1), lanes(m, LANE_AND, 128, 64, read(m, d, 2), clear)));
}

MEANING(rax1)
{
    write(m, d, 0, eor(m, read(m, d, 1), shift(m, SHIFT_ROR, 128, 64, read(m, d, 2), 63)));
}

MEANING(xar)
{
    write(m, d, 0, shift(m, SHIFT_ROR, 128, 64, eor(m, read(m, d, 1), read(m, d, 2)), imm(d, 3)));
}
