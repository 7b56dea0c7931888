/* abi.c: where a caller leaves each argument of an export.
 *
 * AAPCS64 6.8.2: the first eight in x0 to x7 (C.9), each other one in the next
 * eight bytes of the stack (C.14, C.16). Apple's platforms pack the latter
 * ("Writing ARM64 code for Apple platforms": each at its natural alignment,
 * without padding). Written for the proofs, apart from what the compiler
 * itself believes (code/select_call.c).
 */
#include "verify/abi.h"

enum { REGISTERS = 8, SLOT = 8 };

static int bytes_of(const struct param *p)
{
    return p->object ? SLOT : type_bytes(p->type);
}

struct abi_place abi_place(const struct func *f, int k, bool packed)
{
    struct abi_place place = { .bytes = bytes_of(&f->params[k]) };
    if (k < REGISTERS) {
        place.reg = k;
        return place;
    }
    uint64_t end = 0;
    for (int i = REGISTERS; i <= k; i++) {
        uint64_t size = packed ? (uint64_t)bytes_of(&f->params[i]) : SLOT;
        place.offset = (end + size - 1) / size * size;
        end = place.offset + size;
    }
    place.on_stack = true;
    return place;
}

uint64_t abi_stack_bytes(const struct func *f, bool packed)
{
    if (f->param_count <= REGISTERS)
        return 0;
    struct abi_place last = abi_place(f, f->param_count - 1, packed);
    return (last.offset + (uint64_t)last.bytes + SLOT - 1) / SLOT * SLOT;
}
