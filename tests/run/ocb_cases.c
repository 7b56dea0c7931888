/* ocb_cases.c: see ocb_cases.h. */
#include "run/ocb_cases.h"

enum { SIZES = 3 };

int ocb_case_count(void) { return SIZES * (OCB_MAX_BLOCKS + 1); }

static void fill(uint8_t *at, size_t n, uint64_t *state)
{
    for (size_t i = 0; i < n; i++) {
        *state = *state * 6364136223846793005u + 1442695040888963407u;  /* Knuth's MMIX generator */
        at[i] = (uint8_t)(*state >> 56);
    }
}

void ocb_case_at(int i, struct ocb_case *c)
{
    uint64_t state = (uint64_t)i;
    c->bits = 128 + 64 * (i % SIZES);
    c->blocks = (size_t)(i / SIZES);
    fill(c->key, sizeof c->key, &state);
    fill(c->nonce, sizeof c->nonce, &state);
    fill(c->m, sizeof c->m, &state);
}
