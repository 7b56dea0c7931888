/* aegis.c: the module aegis-armv8 on its own ELF code, both variants.
 *
 * Takes the file that aegis_oracle.c wrote. For every length from 0 to 300, in
 * place and apart, each buffer at the end and at the start of its pages: the
 * message in one call and in several, both tags, and back; AEGISMAC; and that the
 * draft's test vectors 6 to 9 are refused.
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

/* -- what is received: the draft's test vectors 4 and 6 to 9 -- */

static bool is_accepted(const struct functions *f, const struct aegis_received *r, size_t tag_bytes)
{
    const struct way w = { .edge = GUARD_END };
    uint8_t text[AEGIS_MOST], tag[32];
    uint8_t *state = start(f, &r->c, &w);
    absorb(f, state, r->c.ad, r->c.ad_length, &w);
    crypt(f, f->decrypt, state, r->c.m, text, r->c.length, &w);
    uint64_t arguments[5] = { (uint64_t)state, (uint64_t)tag, tag_bytes, r->c.ad_length,
                              r->c.length };
    call(f, f->finalize, arguments, 5, "finalize");
    return memcmp(tag, r->tag[tag_bytes == 32], tag_bytes) == 0;
}

static void check_received(const struct functions *f)
{
    static struct aegis_received r;
    for (int i = 0; i < AEGIS_RECEIVED; i++) {
        aegis_received_at(i, &r);
        for (size_t tag_bytes = 16; tag_bytes <= 32 && r.c.kind == f->kind; tag_bytes += 16)
            check(is_accepted(f, &r, tag_bytes) == r.is_good, "%s: test vector %s, tag of %zu bytes",
                  f->name, r.name, tag_bytes);
    }
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
        check_received(&all[k]);
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
