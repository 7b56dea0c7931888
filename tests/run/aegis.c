/* aegis.c: the module aegis-armv8 on its own ELF code, both variants.
 *
 * Takes the file that aegis_oracle.c wrote. For every length from 0 to 300, in
 * place and apart, each buffer at the end and at the start of its pages: the
 * message in one call and in several, both tags, and back; AEGISMAC; and that
 * what the draft's vectors 6 to 9 change changes the tag.
 */
#include <stdio.h>
#include <string.h>

#include "harness/aegis.h"
#include "run/call.h"
#include "aegis-armv8.h"

#define FUNCTION(f) ((any_function)(f))
#define FUNCTIONS(kind, name, variant)                                                     \
    { kind, #name #variant, FUNCTION(name##_init##variant), FUNCTION(name##_absorb##variant), \
      FUNCTION(name##_encrypt##variant), FUNCTION(name##_decrypt##variant),                \
      FUNCTION(name##_finalize##variant), FUNCTION(name##_mac##variant) }

static const struct functions {
    enum aegis_kind kind;
    const char *name;
    any_function init, absorb, encrypt, decrypt, finalize, mac;
} all[] = {
    FUNCTIONS(AEGIS_KIND_128L, aegis128l, ),
    FUNCTIONS(AEGIS_KIND_128L, aegis128l, _sha3),
    FUNCTIONS(AEGIS_KIND_256, aegis256, ),
    FUNCTIONS(AEGIS_KIND_256, aegis256, _sha3),
};
enum { ALL = sizeof all / sizeof *all, STATE_MOST = sizeof(AEGIS_128L) };

static struct guarded state_pages, src_pages, dst_pages, ad_pages, tag_pages, key_pages,
                      nonce_pages;

static size_t state_bytes(enum aegis_kind kind)
{
    return kind == AEGIS_KIND_128L ? sizeof(AEGIS_128L) : sizeof(AEGIS_256);
}

static void call(const struct functions *f, any_function function, const uint64_t *arguments,
                 int count, const char *what)
{
    struct call_result r = call_watched(function, arguments, count);
    check(r.fault[0] == 0, "%s, %s: %s", f->name, what, r.fault);
}

/* How a case is run: where its buffers stand, and how its data is cut. */
struct way { bool in_place; enum guard_edge edge; unsigned skew; size_t cut; };

static uint8_t *start(const struct functions *f, const struct aegis_case *c, const struct way *w)
{
    size_t key_bytes = aegis_key_bytes(c->kind);
    uint8_t *state = guarded_place(&state_pages, state_bytes(c->kind), w->edge, w->skew % 16);
    uint8_t *key = guarded_place(&key_pages, key_bytes, w->edge, (w->skew + 3) % 16);
    uint8_t *nonce = guarded_place(&nonce_pages, key_bytes, w->edge, (w->skew + 6) % 16);
    memcpy(key, c->key, key_bytes);
    memcpy(nonce, c->nonce, key_bytes);
    uint64_t arguments[3] = { (uint64_t)state, (uint64_t)key, (uint64_t)nonce };
    call(f, f->init, arguments, 3, "init");
    return state;
}

/* A call for the first whole blocks, as many as the cut says, and one for the rest. */
static void absorb(const struct functions *f, uint8_t *state, const uint8_t *ad, size_t n,
                   const struct way *w)
{
    size_t first = n / aegis_block(f->kind) ? w->cut % (n / aegis_block(f->kind) + 1) : 0;
    first *= aegis_block(f->kind);
    uint64_t whole[3] = { (uint64_t)state, (uint64_t)ad, first };
    uint64_t rest[3] = { (uint64_t)state, (uint64_t)(ad + first), n - first };
    if (first > 0)
        call(f, f->absorb, whole, 3, "absorb");
    call(f, f->absorb, rest, 3, "absorb");
}

static void crypt(const struct functions *f, any_function function, uint8_t *state,
                  const uint8_t *src, uint8_t *dst, size_t n, const struct way *w)
{
    size_t first = n / aegis_block(f->kind) ? w->cut % (n / aegis_block(f->kind) + 1) : 0;
    first *= aegis_block(f->kind);
    uint64_t whole[4] = { (uint64_t)state, (uint64_t)src, (uint64_t)dst, first };
    uint64_t rest[4] = { (uint64_t)state, (uint64_t)(src + first), (uint64_t)(dst + first),
                         n - first };
    if (first > 0)
        call(f, function, whole, 4, "encrypt or decrypt");
    call(f, function, rest, 4, "encrypt or decrypt");
}

static void check_tag(const struct functions *f, const uint8_t *state, size_t bytes, size_t ad,
                      size_t m, const uint8_t *expected, const struct way *w)
{
    uint8_t *tag = guarded_place(&tag_pages, bytes, w->edge, w->skew % 16);
    uint64_t arguments[5] = { (uint64_t)state, (uint64_t)tag, bytes, ad, m };
    call(f, f->finalize, arguments, 5, "finalize");
    check(memcmp(tag, expected, bytes) == 0 && guarded_intact(&tag_pages, tag, bytes),
          "%s: the tag of %zu bytes, message of %zu", f->name, bytes, m);
}

/* One direction of a message: from IN to what must be OUT, and the tags. */
static void check_message(const struct functions *f, const struct aegis_case *c, bool is_back,
                          const struct aegis_expected *e, const struct way *w)
{
    const uint8_t *in = is_back ? e->c : c->m, *out = is_back ? c->m : e->c;
    uint8_t *state = start(f, c, w);
    uint8_t *ad = guarded_place(&ad_pages, c->ad_length, w->edge, w->skew / 2 % 16);
    uint8_t *src = guarded_place(&src_pages, c->length, w->edge, w->skew % 16);
    uint8_t *dst =
        w->in_place ? src : guarded_place(&dst_pages, c->length, w->edge, w->skew / 16 % 16);
    memcpy(ad, c->ad, c->ad_length);
    memcpy(src, in, c->length);
    absorb(f, state, ad, c->ad_length, w);
    crypt(f, is_back ? f->decrypt : f->encrypt, state, src, dst, c->length, w);
    bool right = memcmp(dst, out, c->length) == 0 && guarded_intact(&src_pages, src, c->length) &&
                 guarded_intact(&ad_pages, ad, c->ad_length) &&
                 guarded_intact(&state_pages, state, state_bytes(c->kind)) &&
                 memcmp(ad, c->ad, c->ad_length) == 0;
    if (!w->in_place)
        right = right && memcmp(src, in, c->length) == 0 &&
                guarded_intact(&dst_pages, dst, c->length);
    check(right, "%s, %zu bytes, back %d, in place %d, edge %d, skew %u, cut %zu: wrong", f->name,
          c->length, is_back, w->in_place, w->edge, w->skew, w->cut);
    check_tag(f, state, 16, c->ad_length, c->length, e->tag[0], w);
    check_tag(f, state, 32, c->ad_length, c->length, e->tag[1], w);
}

static void check_mac(const struct functions *f, const struct aegis_case *c,
                      const struct aegis_expected *e, const struct way *w)
{
    for (int k = 0; k < 2; k++) {
        size_t bytes = k == 0 ? 16 : 32, key_bytes = aegis_key_bytes(c->kind);
        uint8_t *tag = guarded_place(&tag_pages, bytes, w->edge, w->skew % 16);
        uint8_t *src = guarded_place(&src_pages, c->length, w->edge, w->skew / 16 % 16);
        uint8_t *key = guarded_place(&key_pages, key_bytes, w->edge, 0);
        uint8_t *nonce = guarded_place(&nonce_pages, key_bytes, w->edge, 0);
        memcpy(src, c->m, c->length);
        memcpy(key, c->key, key_bytes);
        memcpy(nonce, c->nonce, key_bytes);
        uint64_t arguments[6] = { (uint64_t)tag, bytes, (uint64_t)src, c->length, (uint64_t)key,
                                  (uint64_t)nonce };
        call(f, f->mac, arguments, 6, "mac");
        check(memcmp(tag, e->mac[k], bytes) == 0 && guarded_intact(&tag_pages, tag, bytes),
              "%s: the MAC of %zu bytes over %zu", f->name, bytes, c->length);
    }
}

static void check_case(int index, const struct aegis_case *c, const struct aegis_expected *e)
{
    for (int k = 0; k < ALL; k++) {
        if (all[k].kind != c->kind)
            continue;
        for (int n = 0; n < 4; n++) {
            struct way w = { n & 1, n & 2 ? GUARD_START : GUARD_END,
                             n < 2 ? 0 : (unsigned)(11 * index + n), (size_t)(n + index) };
            check_message(&all[k], c, false, e, &w);
            check_message(&all[k], c, true, e, &w);
        }
        check_mac(&all[k], c, e, &(struct way){ .edge = GUARD_END });
        check_mac(&all[k], c, e, &(struct way){ .edge = GUARD_START, .skew = (unsigned)index });
    }
}

/* -- decryption failures: test vectors 6 to 9 -- */

static const uint8_t ciphertexts[AEGIS_KINDS][14] = {
    { 0x79, 0xd9, 0x45, 0x93, 0xd8, 0xc2, 0x11, 0x9d, 0x7e, 0x8f, 0xd9, 0xb8, 0xfc, 0x77 },
    { 0xf3, 0x73, 0x07, 0x9e, 0xd8, 0x4b, 0x27, 0x09, 0xfa, 0xee, 0x37, 0x35, 0x84, 0x58 }
};
static const uint8_t tags[AEGIS_KINDS][16] = {
    { 0x5c, 0x04, 0xb3, 0xdb, 0xa8, 0x49, 0xb2, 0x70, 0x1e, 0xff, 0xbe, 0x32, 0xc7, 0xf0,
      0xfa, 0xb7 },
    { 0xc6, 0x0b, 0x9c, 0x2d, 0x33, 0xce, 0xb0, 0x58, 0xf9, 0x6e, 0x6d, 0xd0, 0x3c, 0x21,
      0x56, 0x52 }
};

enum fault { FAULT_NONE, FAULT_KEY, FAULT_CIPHERTEXT, FAULT_AD, FAULT_TAG, FAULTS };

static bool is_accepted(const struct functions *f, enum fault fault)
{
    struct aegis_case c = { .kind = f->kind, .key = { 0x10, 0x01 }, .nonce = { 0x10, 0x00, 0x02 } };
    const struct way w = { .edge = GUARD_END };
    uint8_t text[14], tag[16], received[16];
    memcpy(text, ciphertexts[f->kind], sizeof text);
    memcpy(received, tags[f->kind], sizeof received);
    for (int k = 0; k < 8; k++)
        c.ad[k] = (uint8_t)k;
    if (fault == FAULT_KEY) {
        c.key[1] = 0;
        c.key[2] = 0x02;
        c.nonce[1] = 0x01;
        c.nonce[2] = 0;
    }
    text[13] ^= fault == FAULT_CIPHERTEXT;
    c.ad[7] ^= fault == FAULT_AD;
    received[15] ^= fault == FAULT_TAG;
    uint8_t *state = start(f, &c, &w);
    absorb(f, state, c.ad, 8, &w);
    crypt(f, f->decrypt, state, text, text, sizeof text, &w);
    uint64_t arguments[5] = { (uint64_t)state, (uint64_t)tag, sizeof tag, 8, sizeof text };
    call(f, f->finalize, arguments, 5, "finalize");
    return memcmp(tag, received, sizeof tag) == 0;
}

int main(int argc, char **argv)
{
    static struct aegis_case c;
    static struct aegis_expected e;
    if (argc != 2) {
        fputs("usage: aegis EXPECTED\n", stderr);
        return 2;
    }
    expected_open(argv[1]);
    state_pages = guarded_new(STATE_MOST);
    src_pages = guarded_new(AEGIS_MOST);
    dst_pages = guarded_new(AEGIS_MOST);
    ad_pages = guarded_new(AEGIS_MOST_AD);
    tag_pages = guarded_new(32);
    key_pages = guarded_new(32);
    nonce_pages = guarded_new(32);
    for (int k = 0; k < ALL; k++)
        for (int fault = 0; fault < FAULTS; fault++)
            check(is_accepted(&all[k], (enum fault)fault) == (fault == FAULT_NONE),
                  "%s: fault %d", all[k].name, fault);
    for (int i = 0; i < aegis_case_count(); i++) {
        aegis_case_at(i, &c);
        expected_read(e.tag, sizeof e.tag);
        expected_read(e.mac, sizeof e.mac);
        expected_read(e.c, c.length);
        check_case(i, &c, &e);
    }
    expected_end();
    printf("%lu\n", checks_passed());
    return 0;
}
