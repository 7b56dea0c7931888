/* bn_cases.c: see bn_cases.h. */
#include "run/bn_cases.h"

enum { EXHAUSTIVE_LIMBS = 3, RANDOM_CASES = 60, RIPPLES = 4 };

static const uint64_t edges[4] = { 0, 1, (uint64_t)1 << 63, ~(uint64_t)0 };

static uint64_t case_count(size_t n)
{
    return n <= EXHAUSTIVE_LIMBS ? (uint64_t)1 << (4 * n) : RIPPLES + RANDOM_CASES;
}

/* splitmix64 (Steele, Lea, Flood 2014). */
static uint64_t mixed(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* All ones + 1, 0 - 1, the same the other way round, all ones + all ones. */
static void fill_ripple(struct bn_case *c, size_t i)
{
    uint64_t first = i == 0 ? 1 : 0;
    c->a[i] = c->index == 0 || c->index == 3 ? edges[3] : c->index == 1 ? 0 : first;
    c->b[i] = c->index == 2 || c->index == 3 ? edges[3] : first;
}

static void fill(struct bn_case *c)
{
    for (size_t i = 0; i < c->n; i++) {
        if (c->n <= EXHAUSTIVE_LIMBS) {
            c->a[i] = edges[c->index >> (4 * i) & 3];
            c->b[i] = edges[c->index >> (4 * i + 2) & 3];
        } else if (c->index < RIPPLES) {
            fill_ripple(c, i);
        } else {
            uint64_t r = mixed(c->n << 40 ^ c->index << 20 ^ i);
            c->a[i] = edges[r & 3];
            c->b[i] = edges[r >> 2 & 3];
        }
    }
}

bool bn_first_case(struct bn_case *c)
{
    c->n = 0;
    c->index = 0;
    fill(c);
    return true;
}

bool bn_next_case(struct bn_case *c)
{
    if (++c->index == case_count(c->n)) {
        c->index = 0;
        if (++c->n > BN_MAX_LIMBS)
            return false;
    }
    fill(c);
    return true;
}
