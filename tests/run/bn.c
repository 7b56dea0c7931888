/* bn.c: bn_add_words and bn_sub_words on their own ELF code.
 *
 * Takes the file that bn_oracle.c wrote (libcrypto). Every case of bn_cases.h
 * runs in all five ways in which r, a and b may be the same, with each buffer
 * at the end and at the start of its pages. A second oracle, of a few lines
 * here, must agree with the first.
 */
#include <stdio.h>
#include <string.h>

#include "bn-armv8.h"
#include "run/bn_cases.h"
#include "run/call.h"

enum { BUFFERS = 3, BYTES = 8 * BN_MAX_LIMBS };

static struct guarded buffers[BUFFERS];

/* Which buffer r, a and b are. */
static const struct aliasing { const char *name; int r, a, b; } aliasings[] = {
    { "apart",     0, 1, 2 },
    { "r = a",     1, 1, 2 },
    { "r = b",     2, 1, 2 },
    { "a = b",     0, 1, 1 },
    { "r = a = b", 1, 1, 1 },
};
enum { ALIASINGS = sizeof aliasings / sizeof *aliasings };

struct number { uint64_t words[BN_MAX_LIMBS], carry; };

static void add(struct number *r, const uint64_t *a, const uint64_t *b, size_t n)
{
    r->carry = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned __int128 sum = (unsigned __int128)a[i] + b[i] + r->carry;
        r->words[i] = (uint64_t)sum;
        r->carry = (uint64_t)(sum >> 64);
    }
}

static void subtract(struct number *r, const uint64_t *a, const uint64_t *b, size_t n)
{
    r->carry = 0;
    for (size_t i = 0; i < n; i++) {
        uint64_t difference = a[i] - b[i];
        uint64_t borrow = a[i] < b[i] || difference < r->carry;
        r->words[i] = difference - r->carry;
        r->carry = borrow;
    }
}

/* Reads the oracle's results and compares ours with them. */
static void read_expected(const struct bn_case *c, struct number expected[BN_RESULTS])
{
    struct number own[BN_RESULTS];
    add(&own[BN_SUM], c->a, c->b, c->n);
    subtract(&own[BN_DIFFERENCE], c->a, c->b, c->n);
    add(&own[BN_DOUBLE], c->a, c->a, c->n);
    for (int i = 0; i < BN_RESULTS; i++) {
        expected_read(expected[i].words, 8 * c->n);
        expected_read(&expected[i].carry, 8);
        check(memcmp(expected[i].words, own[i].words, 8 * c->n) == 0 &&
                  expected[i].carry == own[i].carry,
              "%zu limbs, case %llu: the two oracles differ", c->n, (unsigned long long)c->index);
    }
}

static void check_call(const struct bn_case *c, const char *name, any_function f,
                       const struct aliasing *way, enum guard_edge edge, unsigned skew,
                       const struct number *expected)
{
    uint8_t *at[BUFFERS];
    size_t bytes = 8 * c->n;
    for (int i = 0; i < BUFFERS; i++)
        at[i] = guarded_place(&buffers[i], bytes, edge, skew);
    memcpy(at[1], c->a, bytes);
    memcpy(at[2], c->b, bytes);
    uint64_t arguments[4] = { (uint64_t)at[way->r], (uint64_t)at[way->a], (uint64_t)at[way->b],
                              c->n };
    struct call_result r = call_watched(f, arguments, 4);
    bool right = r.fault[0] == 0 && r.value == expected->carry &&
                 memcmp(at[way->r], expected->words, bytes) == 0;
    for (int i = 0; i < BUFFERS; i++)
        right = right && guarded_intact(&buffers[i], at[i], bytes);
    if (way->r != 1)
        right = right && memcmp(at[1], c->a, bytes) == 0;
    if (way->r != 2)
        right = right && memcmp(at[2], c->b, bytes) == 0;
    check(right, "%s, %zu limbs, case %llu, %s, edge %d, skew %u: %s", name, c->n,
          (unsigned long long)c->index, way->name, edge, skew,
          r.fault[0] ? r.fault : "wrong result");
}

static void check_case(const struct bn_case *c, const struct number expected[BN_RESULTS])
{
    static const struct number zero;
    for (int k = 0; k < ALIASINGS; k++) {
        const struct aliasing *way = &aliasings[k];
        bool same = way->a == way->b;
        /* Words of eight bytes may stand at any byte. */
        unsigned skew = (unsigned)((c->index + (uint64_t)k) % 16);
        for (enum guard_edge edge = 0; edge < GUARD_EDGES; edge++) {
            check_call(c, "bn_add_words", (any_function)bn_add_words, way, edge, 0,
                       &expected[same ? BN_DOUBLE : BN_SUM]);
            check_call(c, "bn_sub_words", (any_function)bn_sub_words, way, edge, skew,
                       same ? &zero : &expected[BN_DIFFERENCE]);
        }
    }
}

static void check_nothing(const char *name, any_function f)
{
    uint64_t arguments[4] = { 0, 0, 0, 0 };
    struct call_result r = call_watched(f, arguments, 4);
    check(r.fault[0] == 0 && r.value == 0, "%s, no limbs, null pointers: %s", name, r.fault);
}

int main(int argc, char **argv)
{
    static struct bn_case c;
    static struct number expected[BN_RESULTS];
    if (argc != 2) {
        fputs("usage: bn EXPECTED\n", stderr);
        return 2;
    }
    expected_open(argv[1]);
    for (int i = 0; i < BUFFERS; i++)
        buffers[i] = guarded_new(BYTES);
    check_nothing("bn_add_words", (any_function)bn_add_words);
    check_nothing("bn_sub_words", (any_function)bn_sub_words);
    for (bool more = bn_first_case(&c); more; more = bn_next_case(&c)) {
        read_expected(&c, expected);
        check_case(&c, expected);
    }
    expected_end();
    printf("%lu\n", checks_passed());
    return 0;
}
