/* aesv8.c: the module aesv8-armv8 on its own ELF code: modes.c, both schedules
 * against FIPS 197 in plain C, and what its contract says beyond that of
 * vpaes-armv8: other numbers of bits, and lengths that do not fill a block.
 */
#include <stdio.h>
#include <string.h>

#include "harness/fips197.h"
#include "run/modes.h"
#include "aesv8-armv8.h"

static const uint64_t poison = 0xbad0bad000000000;

/* FIPS 197 5.2, in memory order. */
static void schedule(const uint8_t *key, int nk, uint8_t expected[AES_KEY_SIZE])
{
    memset(expected, 0, AES_KEY_SIZE);
    fips197_expand_key(key, nk, expected);
    expected[AES_KEY_ROUNDS] = (uint8_t)(nk + 6);
}

static const struct aes_module aesv8 = {
    .set_encrypt_key = (any_function)aes_hw_set_encrypt_key,
    .set_decrypt_key = (any_function)aes_hw_set_decrypt_key,
    .encrypt = (any_function)aes_hw_encrypt,
    .decrypt = (any_function)aes_hw_decrypt,
    .cbc_encrypt = (any_function)aes_hw_cbc_encrypt,
    .ctr32_encrypt_blocks = (any_function)aes_hw_ctr32_encrypt_blocks,
    .ecb_encrypt = (any_function)aes_hw_ecb_encrypt,
    .more_rounds = 6,
    .all_passes = 8 + 4 + 1,
    .schedule = schedule
};

/* FIPS 197 5.3.5. */
static void inverse_schedule(const uint8_t *key, int nk, uint8_t expected[AES_KEY_SIZE])
{
    memset(expected, 0, AES_KEY_SIZE);
    fips197_expand_inverse_key(key, nk, expected);
    expected[AES_KEY_ROUNDS] = (uint8_t)(nk + 6);
}

/* The schedule of that many bits, into a key that is filled before. */
static struct call_result set_key(any_function f, const uint8_t *user_key, uint64_t bits,
                                  uint8_t *key)
{
    uint64_t arguments[3] = { (uint64_t)user_key, bits, (uint64_t)key };
    memset(key, 0x5a, AES_KEY_SIZE);
    return call_watched(f, arguments, 3);
}

static void check_schedules(const struct guarded *user_pages, const struct guarded *key_pages)
{
    for (int n = 0; n < 3 * 64; n++) {
        int nk = 4 + 2 * (n % 3);
        size_t bytes = 4 * (size_t)nk;
        uint8_t *user_key = guarded_place(user_pages, bytes, GUARD_END, (unsigned)n % 16);
        uint8_t *key = guarded_place(key_pages, AES_KEY_SIZE, GUARD_END, (unsigned)n % 4 * 4);
        uint8_t expected[AES_KEY_SIZE];
        for (size_t k = 0; k < bytes; k++)
            user_key[k] = n < 3 ? 0 : (uint8_t)(37 * n + (int)k * (2 * n + 1));
        for (int inverse = 0; inverse < 2; inverse++) {
            struct call_result r = set_key(inverse ? aesv8.set_decrypt_key : aesv8.set_encrypt_key,
                                           user_key, poison | 32 * (uint64_t)nk, key);
            (inverse ? inverse_schedule : schedule)(user_key, nk, expected);
            check(r.fault[0] == 0 && (uint32_t)r.value == 0 &&
                      memcmp(key, expected, 16 * ((size_t)nk + 7)) == 0 &&
                      memcmp(key + AES_KEY_ROUNDS, expected + AES_KEY_ROUNDS, 4) == 0 &&
                      guarded_intact(key_pages, key, AES_KEY_SIZE),
                  "schedule %d, inverse %d: %s", n, inverse, r.fault[0] ? r.fault : "wrong");
        }
    }
}

/* Any other number of bits gives -2, and neither array is looked at. */
static void check_other_bits(const struct guarded *key_pages)
{
    static const uint32_t wrong[] = { 0, 1, 64, 127, 129, 160, 191, 193, 255, 257, 512, 0x7fffffff,
                                      0x80000080, 0xffffff80, 0xffffffff };
    for (size_t n = 0; n < sizeof wrong / sizeof *wrong; n++) {
        for (int inverse = 0; inverse < 2; inverse++) {
            uint8_t *missing = key_pages->pages - 64;
            uint64_t arguments[3] = { (uint64_t)missing, poison | wrong[n], (uint64_t)missing };
            struct call_result r = call_watched(
                inverse ? aesv8.set_decrypt_key : aesv8.set_encrypt_key, arguments, 3);
            check(r.fault[0] == 0 && (uint32_t)r.value == (uint32_t)-2, "%u bits: %s", wrong[n],
                  r.fault[0] ? r.fault : "not -2");
        }
    }
}

/* CBC of LENGTH bytes does what it does of the whole blocks in them; the rest is
 * beyond the end of the pages. */
static void check_partial(const struct guarded *src_pages, const struct guarded *dst_pages,
                          size_t length, uint64_t enc)
{
    size_t whole = length / 16 * 16;
    uint8_t key[AES_KEY_SIZE], ivec[2][16] = { { 1, 2, 3 }, { 1, 2, 3 } };
    uint8_t expected[16 * 16] = { 0 };
    uint8_t *src = guarded_place(src_pages, whole, GUARD_END, 0);
    uint8_t *dst = guarded_place(dst_pages, whole, GUARD_END, 0);
    static const uint8_t user_key[16] = { 9, 8, 7 };
    set_key(enc ? aesv8.set_encrypt_key : aesv8.set_decrypt_key, user_key, 128, key);
    for (int k = 0; k < 2; k++) {
        uint64_t arguments[6] = { (uint64_t)src, (uint64_t)dst, k ? length : whole, (uint64_t)key,
                                  (uint64_t)ivec[k], poison | enc };
        struct call_result r = call_watched(aesv8.cbc_encrypt, arguments, 6);
        bool is_same = memcmp(dst, expected, whole) == 0 && memcmp(ivec[0], ivec[1], 16) == 0;
        check(r.fault[0] == 0 && guarded_intact(dst_pages, dst, whole) && (k == 0 || is_same),
              "CBC of %zu bytes: %s", length, r.fault[0] ? r.fault : "not that of its blocks");
        memcpy(expected, dst, whole);
    }
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("usage: aesv8 EXPECTED\n", stderr);
        return 2;
    }
    struct guarded user_pages = guarded_new(32), key_pages = guarded_new(AES_KEY_SIZE);
    struct guarded src_pages = guarded_new(256), dst_pages = guarded_new(256);
    check_schedules(&user_pages, &key_pages);
    check_other_bits(&key_pages);
    for (size_t length = 0; length <= 160; length++)
        for (uint64_t enc = 0; enc < 2; enc++)
            check_partial(&src_pages, &dst_pages, length, enc);
    check_modes(argv[1], &aesv8);
    printf("%lu\n", checks_passed());
    return 0;
}
