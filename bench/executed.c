/* executed.c: how many instructions some calls execute, counted in Unicorn.
 *
 * Prints a line a call: function, what it is given, instructions. The calls are
 * those that BENCH compares from version to version; what a count may be at most is
 * in tests/count_test.c.
 */
#include <stdio.h>
#include <string.h>

#include "harness/emulator.h"

enum { MOST_ARGUMENTS = 8, KEY_BYTES = 244, KEY_ROUNDS_AT = 240 };

/* An argument: a number, or so many bytes of memory; a key says its rounds. */
struct argument { enum { END, NUMBER, BYTES, KEY } kind; uint64_t n; };

#define N(n) { NUMBER, n }
#define B(n) { BYTES, n }
#define K(rounds) { KEY, rounds }

static const struct call {
    const char *module, *function, *given;
    struct argument with[MOST_ARGUMENTS + 1];
} calls[] = {
    { "bn-armv8", "bn_add_words", "64 limbs", { B(512), B(512), B(512), N(64) } },
    { "bn-armv8", "bn_sub_words", "64 limbs", { B(512), B(512), B(512), N(64) } },
    { "vpaes-armv8", "vpaes_encrypt", "1 block, AES-128", { B(16), B(16), K(9) } },
    { "vpaes-armv8", "vpaes_ctr32_encrypt_blocks", "512 blocks, AES-128",
      { B(8192), B(8192), N(512), K(9), B(16) } },
    { "vpaes-armv8", "vpaes_cbc_encrypt", "512 blocks, AES-128, encrypting",
      { B(8192), B(8192), N(8192), K(9), B(16), N(1) } },
    { "vpaes-armv8", "vpaes_cbc_encrypt", "512 blocks, AES-128, decrypting",
      { B(8192), B(8192), N(8192), K(9), B(16), N(0) } },
    { "aesv8-armv8", "aes_hw_ctr32_encrypt_blocks", "512 blocks, AES-128",
      { B(8192), B(8192), N(512), K(10), B(16) } },
    { "aesv8-armv8", "aes_hw_cbc_encrypt", "512 blocks, AES-128, decrypting",
      { B(8192), B(8192), N(8192), K(10), B(16), N(0) } },
    { "aesv8-armv8", "aes_hw_ecb_encrypt", "512 blocks, AES-128, encrypting",
      { B(8192), B(8192), N(8192), K(10), N(1) } },
    { "aegis-armv8", "aegis128l_encrypt", "4096 bytes", { B(128), B(4096), B(4096), N(4096) } },
    { "aegis-armv8", "aegis128l_absorb", "4096 bytes", { B(128), B(4096), N(4096) } },
    { "aegis-armv8", "aegis256_encrypt", "4096 bytes", { B(96), B(4096), B(4096), N(4096) } },
    { "ocb-armv8", "ocb_aes_hw_encrypt", "512 blocks, AES-128",
      { B(8192), B(8192), N(512), N(1), K(10), B(512), B(16), B(16) } },
};

static uint64_t make_argument(struct emulator *e, const struct argument *a)
{
    uint8_t key[KEY_BYTES] = { 1, 2, 3 };

    if (a->kind == NUMBER)
        return a->n;
    if (a->kind == BYTES)
        return emulator_buffer(e, NULL, a->n, BUFFER_READ_WRITE, EDGE_END, 0);
    key[KEY_ROUNDS_AT] = (uint8_t)a->n;
    return emulator_buffer(e, key, sizeof key, BUFFER_READ_ONLY, EDGE_END, 0);
}

static int count(struct emulator *e, const struct call *c)
{
    uint64_t arguments[MOST_ARGUMENTS];
    int n = 0;

    for (; n < MOST_ARGUMENTS && c->with[n].kind != END; n++)
        arguments[n] = make_argument(e, &c->with[n]);
    const struct call_report r = emulator_call(e, c->function, arguments, n);
    if (r.fault[0] != '\0') {
        fprintf(stderr, "executed: %s: %s\n", c->function, r.fault);
        return 1;
    }
    return printf("%s\t%s\t%llu\n", c->function, c->given, (unsigned long long)r.instructions) < 0;
}

/* executed DIR: the directory of MODULE-linux.o. */
int main(int argc, char **argv)
{
    int status = 0;

    for (size_t k = 0; k < sizeof calls / sizeof *calls && status == 0; k++) {
        char path[512], why[256];
        snprintf(path, sizeof path, "%s/%s-linux.o", argc > 1 ? argv[1] : ".", calls[k].module);
        struct emulator *e = emulator_new(path, TABLES_MIDDLE, why, sizeof why);
        if (e == NULL) {
            fprintf(stderr, "executed: %s\n", why);
            return 1;
        }
        status = count(e, &calls[k]);
        emulator_free(e);
    }
    return status;
}
