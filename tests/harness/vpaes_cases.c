/* vpaes_cases.c: see vpaes_cases.h. The first single blocks of each mode and key
 * size have all bytes equal (0x00, 0xff); all others are pseudo-random.
 */
#include "harness/vpaes_cases.h"

#include <string.h>

enum { SIZES = 3, SINGLES = 64, COUNTS = VPAES_MAX_BLOCKS + 1,
       WRAPS = 2 * VPAES_WIDEST + 1, WRAP_COUNTS = 2 * VPAES_WIDEST + 2 };
enum { SINGLE_CASES = SINGLES * SIZES * 2, COUNT_CASES = VPAES_MODES * SIZES * COUNTS,
       WRAP_CASES = SIZES * WRAPS * WRAP_COUNTS };

static const char *const names[VPAES_MODES] = {
    "ECB encryption", "ECB decryption", "CBC encryption", "CBC decryption", "CTR"
};

const char *vpaes_mode_name(enum vpaes_mode mode) { return names[mode]; }

bool vpaes_decrypts(enum vpaes_mode mode)
{
    return mode == VPAES_ECB_DECRYPT || mode == VPAES_CBC_DECRYPT;
}

int vpaes_case_count(void) { return SINGLE_CASES + COUNT_CASES + WRAP_CASES; }

static void fill(uint8_t *at, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;  /* Knuth's MMIX generator */
        at[i] = (uint8_t)(*state >> 56);
    }
}

static uint32_t counter_of(const uint8_t ivec[16])
{
    return (uint32_t)ivec[12] << 24 | (uint32_t)ivec[13] << 16 | (uint32_t)ivec[14] << 8 | ivec[15];
}

void vpaes_advance(uint8_t ivec[16], uint32_t n)
{
    uint32_t counter = counter_of(ivec) + n;
    for (int i = 0; i < 4; i++)
        ivec[12 + i] = (uint8_t)(counter >> (24 - 8 * i));
}

static void single(int i, struct vpaes_case *c)
{
    int index = i / (2 * SIZES);
    c->mode = i % 2 == 0 ? VPAES_ECB_ENCRYPT : VPAES_ECB_DECRYPT;
    c->bits = 128 + 64 * (i / 2 % SIZES);
    c->blocks = 1;
    if (index < 4) {
        memset(c->key, index & 1 ? 0xff : 0x00, sizeof c->key);
        memset(c->in, index & 2 ? 0xff : 0x00, 16);
    }
}

static void counted(int i, struct vpaes_case *c)
{
    c->mode = (enum vpaes_mode)(i % VPAES_MODES);
    c->bits = 128 + 64 * (i / VPAES_MODES % SIZES);
    c->blocks = (size_t)(i / VPAES_MODES / SIZES);
}

/* The counter wraps after k blocks; the bytes before it would show a carry. */
static void wrapping(int i, struct vpaes_case *c)
{
    uint32_t k = (uint32_t)(i / SIZES % WRAPS);
    c->mode = VPAES_CTR;
    c->bits = 128 + 64 * (i % SIZES);
    c->blocks = (size_t)(i / SIZES / WRAPS);
    memset(c->ivec, 0xff, 12);
    memset(c->ivec + 12, 0, 4);
    vpaes_advance(c->ivec, (uint32_t)0 - k);
}

void vpaes_case_at(int i, struct vpaes_case *c)
{
    uint64_t state = (uint64_t)i;
    fill(c->key, sizeof c->key, &state);
    fill(c->ivec, sizeof c->ivec, &state);
    fill(c->in, sizeof c->in, &state);
    if (i < SINGLE_CASES)
        single(i, c);
    else if (i < SINGLE_CASES + COUNT_CASES)
        counted(i - SINGLE_CASES, c);
    else
        wrapping(i - SINGLE_CASES - COUNT_CASES, c);
}
