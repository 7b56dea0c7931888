/* aegis_received.c: messages as they are received, the draft's test vectors 4 (which
 * must be accepted) and 6 to 9 (which must be refused), of both algorithms. */
#include <assert.h>
#include <string.h>

#include "harness/aegis.h"

static const struct vector {
    const char *name;
    enum aegis_kind kind;
    const char *key, *nonce, *ad, *c, *tag128, *tag256;      /* keys and nonces end in zeros */
} vectors[AEGIS_RECEIVED] = {
    { "AEGIS-128L 4", AEGIS_KIND_128L, "1001", "100002", "0001020304050607",
      "79d94593d8c2119d7e8fd9b8fc77", "5c04b3dba849b2701effbe32c7f0fab7",
      "86f1b80bfb463aba711d15405d094baf4a55a15dbfec81a76f35ed0b9c8b04ac" },
    { "AEGIS-128L 6", AEGIS_KIND_128L, "100002", "1001", "0001020304050607",
      "79d94593d8c2119d7e8fd9b8fc77", "5c04b3dba849b2701effbe32c7f0fab7",
      "86f1b80bfb463aba711d15405d094baf4a55a15dbfec81a76f35ed0b9c8b04ac" },
    { "AEGIS-128L 7", AEGIS_KIND_128L, "1001", "100002", "0001020304050607",
      "79d94593d8c2119d7e8fd9b8fc78", "5c04b3dba849b2701effbe32c7f0fab7",
      "86f1b80bfb463aba711d15405d094baf4a55a15dbfec81a76f35ed0b9c8b04ac" },
    { "AEGIS-128L 8", AEGIS_KIND_128L, "1001", "100002", "0001020304050608",
      "79d94593d8c2119d7e8fd9b8fc77", "5c04b3dba849b2701effbe32c7f0fab7",
      "86f1b80bfb463aba711d15405d094baf4a55a15dbfec81a76f35ed0b9c8b04ac" },
    { "AEGIS-128L 9", AEGIS_KIND_128L, "1001", "100002", "0001020304050607",
      "79d94593d8c2119d7e8fd9b8fc77", "6c04b3dba849b2701effbe32c7f0fab8",
      "86f1b80bfb463aba711d15405d094baf4a55a15dbfec81a76f35ed0b9c8b04ad" },
    { "AEGIS-256 4", AEGIS_KIND_256, "1001", "100002", "0001020304050607",
      "f373079ed84b2709faee37358458", "c60b9c2d33ceb058f96e6dd03c215652",
      "8c1cc703c81281bee3f6d9966e14948b4a175b2efbdc31e61a98b4465235c2d9" },
    { "AEGIS-256 6", AEGIS_KIND_256, "100002", "1001", "0001020304050607",
      "f373079ed84b2709faee37358458", "c60b9c2d33ceb058f96e6dd03c215652",
      "8c1cc703c81281bee3f6d9966e14948b4a175b2efbdc31e61a98b4465235c2d9" },
    { "AEGIS-256 7", AEGIS_KIND_256, "1001", "100002", "0001020304050607",
      "f373079ed84b2709faee37358459", "c60b9c2d33ceb058f96e6dd03c215652",
      "8c1cc703c81281bee3f6d9966e14948b4a175b2efbdc31e61a98b4465235c2d9" },
    { "AEGIS-256 8", AEGIS_KIND_256, "1001", "100002", "0001020304050608",
      "f373079ed84b2709faee37358458", "c60b9c2d33ceb058f96e6dd03c215652",
      "8c1cc703c81281bee3f6d9966e14948b4a175b2efbdc31e61a98b4465235c2d9" },
    { "AEGIS-256 9", AEGIS_KIND_256, "1001", "100002", "0001020304050607",
      "f373079ed84b2709faee37358458", "c60b9c2d33ceb058f96e6dd03c215653",
      "8c1cc703c81281bee3f6d9966e14948b4a175b2efbdc31e61a98b4465235c2da" },
};

static uint8_t digit(char c) { return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10); }

/* How many bytes. */
static size_t read_hex(uint8_t *to, size_t room, const char *hex)
{
    const size_t n = strlen(hex) / 2;
    assert(n <= room);
    memset(to, 0, room);
    for (size_t k = 0; k < n; k++)
        to[k] = (uint8_t)(digit(hex[2 * k]) << 4 | digit(hex[2 * k + 1]));
    return n;
}

void aegis_received_at(int i, struct aegis_received *r)
{
    const struct vector *v = &vectors[i];
    r->name = v->name;
    r->is_good = v->name[strlen(v->name) - 1] == '4';
    r->c.kind = v->kind;
    read_hex(r->c.key, sizeof r->c.key, v->key);
    read_hex(r->c.nonce, sizeof r->c.nonce, v->nonce);
    r->c.ad_length = read_hex(r->c.ad, sizeof r->c.ad, v->ad);
    r->c.length = read_hex(r->c.m, sizeof r->c.m, v->c);
    read_hex(r->tag[0], sizeof r->tag[0], v->tag128);
    read_hex(r->tag[1], sizeof r->tag[1], v->tag256);
}
