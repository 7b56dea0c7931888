/* colour.h: one attempt at colouring one class. */
#ifndef KGEN_CODE_COLOUR_H
#define KGEN_CODE_COLOUR_H

#include "code/liveness.h"
#include "code/passes.h"

enum colour_order {
    ORDER_SIMPLIFY,             /* Chaitin-Briggs: low degree first off, last on */
    ORDER_PROGRAM,              /* by first definition: exact for straight code */
    ORDER_SMALLEST_LAST,        /* least degree first off, even when it is not low: crowded loops */
    ORDER_COUNT
};

struct copies { struct mach_insn **at; int n, cap; };

/* A register as a node of the graph of one class. */
struct graph_node {
    bool is_node;               /* of the class, to be coloured */
    int degree;                 /* neighbours that are to be coloured as well */
    uint32_t fixed;             /* physical registers among its neighbours */
};

struct colouring {
    const struct mach_func *f;
    const struct interference *graph;
    const struct runs *runs;
    enum reg_class class;
    uint32_t allowed;           /* physical registers that may be used */
    struct copies *copies;      /* by vreg id: the copies it takes part in */
    bool *exists;               /* by vreg id: occurs in the code */
    int *position;              /* by vreg id: of its first definition, in layout order */
    struct graph_node *node;          /* by vreg id, of this class */
    int8_t *colour;             /* by vreg id: what was found, or -1 */
};

/* For another class: fills c->node. */
void find_nodes(struct colouring *c);
/* True when every register of the class got a colour. */
bool colour_class(struct colouring *c, enum colour_order order);

#endif
