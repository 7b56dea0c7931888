/* colour.h: one attempt at colouring one class. */
#ifndef KGEN_CODE_COLOUR_H
#define KGEN_CODE_COLOUR_H

#include "code/liveness.h"
#include "code/passes.h"

enum colour_order {
    ORDER_SIMPLIFY,             /* Chaitin-Briggs: low degree first off, last on */
    ORDER_PROGRAM,              /* by first definition: exact for straight code */
    ORDER_COUNT
};

struct copies { struct mach_insn **at; int n, cap; };

struct colouring {
    const struct mach_func *f;
    const struct interference *graph;
    const struct runs *runs;
    enum reg_class class;
    uint32_t allowed;           /* physical registers that may be used */
    struct copies *copies;      /* by vreg id: the copies it takes part in */
    bool *exists;               /* by vreg id: occurs in the code */
    int *position;              /* by vreg id: of its first definition, in layout order */
    int8_t *colour;             /* by vreg id: what was found, or -1 */
};

/* True when every register of the class got a colour. */
bool colour_class(struct colouring *c, enum colour_order order);

#endif
