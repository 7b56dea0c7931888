/* list.h: one order of a stretch of straight code, by list scheduling.
 *
 * Cycle by cycle on the core's table: of what is ready, the instruction with the
 * best priority goes first; when registers run short, one that frees some. A strategy
 * says what the priority is, how far ahead is looked, and when registers are short.
 */
#ifndef KGEN_CODE_LIST_H
#define KGEN_CODE_LIST_H

#include "code/pressure.h"

/* What goes first. */
enum list_priority {
    LONGEST_BEHIND,             /* the critical path */
    SHORTEST_BEFORE,            /* what could go first of all */
    SOONEST_WRITTEN,            /* in order, a short operation waits for a long one before it */
    NOTHING_DELAYED,            /* what keeps nothing else waiting until it is written */
    PRIORITY_COUNT
};

struct strategy {
    int window;                 /* only so far ahead of the first that is not placed; 0: any */
    int fewer;                  /* registers count as short so much earlier */
    bool any_write_back;        /* as if results could be written in any order */
    enum list_priority priority;
};

struct list {
    struct mach_func *f;
    struct depend d;
    const struct timing **timing;       /* by node */
    struct timing second;       /* of the second of a fused pair */
    struct lives lives;
    struct pressure pressure;
    /* What is asked of an order: given up as soon as it has a higher peak, or takes so
     * many cycles. */
    int most[CLASS_COUNT], cycles;
    /* The order, as nodes, and the cycle of its last issue. */
    int *order, count, cycle;
    /* Inside. */
    int *waits;                 /* by node: predecessors not yet placed */
    int *earliest;              /* by node: cycle of operands */
    int *ready, ready_count;    /* nodes that wait for nothing and are not placed */
    bool *placed;               /* by node */
    int window, first;          /* nodes below `first` are placed */
    int limit[CLASS_COUNT];     /* from so many on, registers are short */
    int slots;                  /* of this cycle, not used */
    int *depth;                 /* by node: the longest way to it from the start */
    enum list_priority priority;
    bool in_order;              /* results are written in that of the instructions … */
    int written;                /* … so far until then */
    int port_free[CORE_MAX_PORTS];      /* the cycle from which it is */
    uint32_t free_ports;        /* those that are in this cycle */
};

/* The instructions FIRST to LAST; BEFORE and AFTER: what is live around them. Nothing is
 * asked yet. */
void list_init(struct list *l, struct mach_func *f, struct mach_insn *first,
               struct mach_insn *last, const struct bitset *before, const struct bitset *after);
/* Makes an order for so many REGISTERS; true when it is complete, and all that is asked. */
bool list_try(struct list *l, const struct strategy *how, const int registers[CLASS_COUNT]);

#endif
