/* bytes.h: the byte domain: values are known bits, memory is real bytes.
 *
 * With it the executor is a simulator. Memory consists of named regions at
 * chosen addresses; whatever no region covers is a guard zone, so an access
 * that is not wholly inside one region is a fault that says where it was.
 */
#ifndef KGEN_VERIFY_BYTES_H
#define KGEN_VERIFY_BYTES_H

#include "base/mem.h"
#include "verify/bits.h"
#include "verify/domain.h"

enum byte_access { BYTES_READ_ONLY, BYTES_READ_WRITE };

struct byte_region {
    const char *name;
    uint64_t base, size;
    enum byte_access access;
    uint8_t *bytes;
    uint8_t *defined;           /* one per byte: may it be read? NULL: all may */
};

struct byte_value { struct bits bits; int width; };

struct byte_domain {
    struct domain domain;
    VEC(struct byte_value) values;      /* [0] is no value */
    VEC(struct byte_region) regions;
    int last_hit;                       /* the region of the last access */
};

void byte_domain_init(struct byte_domain *d);
/* A region of bytes that the caller owns, or of zeros when BYTES is NULL. */
struct byte_region *byte_domain_add(struct byte_domain *d, const char *name, uint64_t base,
                                    uint64_t size, enum byte_access access, uint8_t *bytes);
/* From now on a byte of the region must be stored before it is loaded. The
 * pointer of byte_domain_add() is valid until the next region is added. */
void byte_region_undefine(struct byte_region *region);

val byte_value(struct byte_domain *d, int width, struct bits bits);
struct bits byte_bits(const struct byte_domain *d, val v);
/* All values become invalid; regions stay. */
void byte_domain_drop_values(struct byte_domain *d);

#endif
