/* modes.c: the functions of an AES module on its own ELF code.
 *
 * Takes the file that vpaes_oracle.c wrote (libcrypto), which is the same for all
 * modules. Every case of harness/vpaes_cases.h runs in place and apart with each
 * buffer at the end and at the start of its pages; cases with one pass of every
 * loop run at all 16 alignments of src and of dst; every call is also made as
 * two, split at each block. The schedules are computed by the module from keys
 * that end where their pages do, and the one for encryption is compared with
 * plain C.
 *
 * Arguments of 32 bits have garbage in their upper halves.
 */
#include "run/modes.h"

#include <string.h>

#include "harness/vpaes_cases.h"
#include "harness/vpaes_schedule.h"

enum { MAX_BYTES = 16 * VPAES_MAX_BLOCKS, ALIGNMENTS = 16 };

static const uint64_t poison = 0xbad0bad000000000;

static const struct aes_module *module;
static struct guarded src_pages, dst_pages, key_pages, ivec_pages, user_key_pages;

/* -- schedules -- */

static void make_schedule(const struct vpaes_case *c, enum guard_edge edge, unsigned skew,
                          uint8_t schedule[AES_KEY_SIZE])
{
    size_t bytes = (size_t)c->bits / 8;
    uint8_t *user_key = guarded_place(&user_key_pages, bytes, edge, skew % 16);
    uint8_t *key = guarded_place(&key_pages, AES_KEY_SIZE, edge, skew % 4 * 4);
    uint64_t arguments[3] = { (uint64_t)user_key, poison | (uint64_t)c->bits, (uint64_t)key };
    any_function f = vpaes_decrypts(c->mode) ? module->set_decrypt_key : module->set_encrypt_key;
    memcpy(user_key, c->key, bytes);
    struct call_result r = call_watched(f, arguments, 3);
    bool right = r.fault[0] == 0 && (uint32_t)r.value == 0 &&
                 guarded_intact(&key_pages, key, AES_KEY_SIZE) &&
                 guarded_intact(&user_key_pages, user_key, bytes) &&
                 memcmp(user_key, c->key, bytes) == 0 &&
                 key[AES_KEY_ROUNDS] == c->bits / 32 + module->more_rounds;
    check(right, "the schedule for %s, %d bits: %s", vpaes_mode_name(c->mode), c->bits,
          r.fault[0] ? r.fault : "wrong result");
    memcpy(schedule, key, AES_KEY_SIZE);
}

static void check_schedule(const struct vpaes_case *c, const uint8_t schedule[AES_KEY_SIZE])
{
    uint8_t expected[AES_KEY_SIZE];
    size_t used = 16 * ((size_t)c->bits / 32 + 7);
    if (vpaes_decrypts(c->mode))
        return;
    module->schedule(c->key, c->bits / 32, expected);
    check(memcmp(schedule, expected, used) == 0 &&
              memcmp(schedule + AES_KEY_ROUNDS, expected + AES_KEY_ROUNDS, 4) == 0,
          "the schedule for encryption, %d bits, differs from plain C", c->bits);
}

/* -- calls -- */

struct placement { bool in_place; enum guard_edge edge; unsigned src, dst, key, ivec; };

static struct call_result call_mode(enum vpaes_mode mode, uint8_t *src, uint8_t *dst, size_t blocks,
                                    uint8_t *key, uint8_t *ivec)
{
    uint64_t encrypt = poison | !vpaes_decrypts(mode), length = 16 * blocks;
    uint64_t ecb[] = { (uint64_t)src, (uint64_t)dst, length, (uint64_t)key, encrypt };
    uint64_t cbc[] = { (uint64_t)src, (uint64_t)dst,  length,
                       (uint64_t)key, (uint64_t)ivec, encrypt };
    uint64_t ctr[] = { (uint64_t)src, (uint64_t)dst, blocks, (uint64_t)key, (uint64_t)ivec };
    switch (mode) {
    case VPAES_ECB_ENCRYPT: case VPAES_ECB_DECRYPT:
        return call_watched(module->ecb_encrypt, ecb, 5);
    case VPAES_CBC_ENCRYPT: case VPAES_CBC_DECRYPT:
        return call_watched(module->cbc_encrypt, cbc, 6);
    default:
        return call_watched(module->ctr32_encrypt_blocks, ctr, 5);
    }
}

/* Makes the call of a case as two, the first of which has FIRST blocks. */
static void check_call(int index, const struct vpaes_case *c, const uint8_t schedule[AES_KEY_SIZE],
                       const uint8_t *expected, const uint8_t left[16], size_t first,
                       const struct placement *p)
{
    size_t bytes = 16 * c->blocks;
    uint8_t *src = guarded_place(&src_pages, bytes, p->edge, p->src);
    uint8_t *dst = p->in_place ? src : guarded_place(&dst_pages, bytes, p->edge, p->dst);
    uint8_t *key = guarded_place(&key_pages, AES_KEY_SIZE, p->edge, p->key);
    uint8_t *ivec = guarded_place(&ivec_pages, 16, p->edge, p->ivec);
    struct call_result r = { 0 };
    memcpy(src, c->in, bytes);
    memcpy(key, schedule, AES_KEY_SIZE);
    memcpy(ivec, c->ivec, 16);
    if (first > 0) {
        r = call_mode(c->mode, src, dst, first, key, ivec);
        if (c->mode == VPAES_CTR)
            vpaes_advance(ivec, (uint32_t)first);
    }
    if (r.fault[0] == 0)
        r = call_mode(c->mode, src + 16 * first, dst + 16 * first, c->blocks - first, key, ivec);
    if (c->mode == VPAES_CTR)
        vpaes_advance(ivec, (uint32_t)0 - (uint32_t)first);
    bool right = r.fault[0] == 0 && memcmp(dst, expected, bytes) == 0 &&
                 memcmp(ivec, left, 16) == 0 &&
                 guarded_intact(&src_pages, src, bytes) && guarded_intact(&ivec_pages, ivec, 16) &&
                 guarded_intact(&key_pages, key, AES_KEY_SIZE) &&
                 memcmp(key, schedule, AES_KEY_SIZE) == 0;
    if (!p->in_place)
        right = right && memcmp(src, c->in, bytes) == 0 && guarded_intact(&dst_pages, dst, bytes);
    check(right, "case %d: %s, %d bits, %zu + %zu blocks, %s, edge %d, skews %u %u %u %u: %s",
          index, vpaes_mode_name(c->mode), c->bits, first, c->blocks - first,
          p->in_place ? "in place" : "apart", p->edge, p->src, p->dst, p->key, p->ivec,
          r.fault[0] ? r.fault : "wrong result");
}

/* encrypt and decrypt. */
static void check_block(int index, const struct vpaes_case *c, const uint8_t schedule[AES_KEY_SIZE],
                        const uint8_t expected[16], const struct placement *p)
{
    uint8_t *src = guarded_place(&src_pages, 16, p->edge, p->src);
    uint8_t *dst = p->in_place ? src : guarded_place(&dst_pages, 16, p->edge, p->dst);
    uint8_t *key = guarded_place(&key_pages, AES_KEY_SIZE, p->edge, p->key);
    uint64_t arguments[3] = { (uint64_t)src, (uint64_t)dst, (uint64_t)key };
    any_function f = vpaes_decrypts(c->mode) ? module->decrypt : module->encrypt;
    memcpy(src, c->in, 16);
    memcpy(key, schedule, AES_KEY_SIZE);
    struct call_result r = call_watched(f, arguments, 3);
    bool right = r.fault[0] == 0 && memcmp(dst, expected, 16) == 0 &&
                 guarded_intact(&src_pages, src, 16) &&
                 guarded_intact(&key_pages, key, AES_KEY_SIZE) &&
                 memcmp(key, schedule, AES_KEY_SIZE) == 0;
    if (!p->in_place)
        right = right && memcmp(src, c->in, 16) == 0 && guarded_intact(&dst_pages, dst, 16);
    check(right, "case %d: one block, %d bits, %s, edge %d, skews %u %u %u: %s", index, c->bits,
          p->in_place ? "in place" : "apart", p->edge, p->src, p->dst, p->key,
          r.fault[0] ? r.fault : "wrong result");
}

/* -- ways to make one call -- */

static void check_case(int index, const struct vpaes_case *c, const uint8_t *expected,
                       const uint8_t left[16])
{
    unsigned skew = (unsigned)index;
    uint8_t schedule[AES_KEY_SIZE];
    make_schedule(c, index & 1 ? GUARD_START : GUARD_END, skew / 2, schedule);
    check_schedule(c, schedule);
    for (int way = 0; way < 4; way++) {
        struct placement p = { way & 1, way & 2 ? GUARD_START : GUARD_END, skew % 16,
                               skew / 16 % 16, skew % 4 * 4, skew / 4 % 16 };
        check_call(index, c, schedule, expected, left, 0, &p);
        if (c->blocks == 1 && (c->mode == VPAES_ECB_ENCRYPT || c->mode == VPAES_ECB_DECRYPT))
            check_block(index, c, schedule, expected, &p);
        /* Both ends exactly at a missing page. */
        p.src = p.dst = p.key = p.ivec = 0;
        check_call(index, c, schedule, expected, left, 0, &p);
    }
    for (size_t first = 1; first < c->blocks; first++)
        check_call(index, c, schedule, expected, left, first,
                   &(struct placement){ .in_place = first & 1, .edge = GUARD_END });
    for (unsigned k = 0; c->blocks == module->all_passes && k < ALIGNMENTS * ALIGNMENTS; k++) {
        struct placement p = { false, GUARD_START, k % 16, k / 16, k % 4 * 4, (k + k / 16) % 16 };
        check_call(index, c, schedule, expected, left, 0, &p);
        p.in_place = true;
        if (k / 16 == 0)
            check_call(index, c, schedule, expected, left, 0, &p);
    }
}

/* No blocks: src and dst are not looked at, and CBC leaves ivec alone. */
static void check_nothing(void)
{
    for (int mode = 0; mode < VPAES_MODES; mode++) {
        uint8_t *key = guarded_place(&key_pages, AES_KEY_SIZE, GUARD_END, 0);
        uint8_t *ivec = guarded_place(&ivec_pages, 16, GUARD_END, 0), before[16];
        uint8_t *missing = src_pages.pages - 64;
        memset(key, 0, AES_KEY_SIZE);
        key[AES_KEY_ROUNDS] = (uint8_t)(4 + module->more_rounds);
        memcpy(before, ivec, 16);
        struct call_result r = call_mode((enum vpaes_mode)mode, missing, missing, 0, key, ivec);
        check(r.fault[0] == 0 && memcmp(ivec, before, 16) == 0, "%s of nothing: %s",
              vpaes_mode_name((enum vpaes_mode)mode), r.fault[0] ? r.fault : "ivec was changed");
    }
}

void check_modes(const char *expected_path, const struct aes_module *m)
{
    static struct vpaes_case c;
    module = m;
    expected_open(expected_path);
    src_pages = guarded_new(MAX_BYTES);
    dst_pages = guarded_new(MAX_BYTES);
    key_pages = guarded_new(AES_KEY_SIZE);
    ivec_pages = guarded_new(16);
    user_key_pages = guarded_new(32);
    check_nothing();
    for (int i = 0; i < vpaes_case_count(); i++) {
        uint8_t expected[MAX_BYTES], left[16];
        vpaes_case_at(i, &c);
        expected_read(expected, 16 * c.blocks);
        expected_read(left, 16);
        check_case(i, &c, expected, left);
    }
    expected_end();
}
