/* abi.h: where a caller leaves each argument of an export. */
#ifndef KGEN_VERIFY_ABI_H
#define KGEN_VERIFY_ABI_H

#include "lang/tree.h"

enum { MAX_ARGUMENTS = 16 };

struct abi_place {
    bool on_stack;
    int reg;                    /* x(reg), or else */
    uint64_t offset;            /* from sp */
    int bytes;                  /* of the argument itself */
};

/* PACKED: arguments on the stack take their own size and no more. */
struct abi_place abi_place(const struct func *f, int k, bool packed);
/* Bytes of the arguments on the stack, a multiple of 8. */
uint64_t abi_stack_bytes(const struct func *f, bool packed);

#endif
