/* modulo_registers.h: the registers that an order of a kernel needs. */
#ifndef KGEN_CODE_MODULO_REGISTERS_H
#define KGEN_CODE_MODULO_REGISTERS_H

#include "code/modulo.h"

/* While an order is being made: how many registers are in use. */
struct kernel_pressure {
    const struct loop_graph *g;
    const struct kernel *k;     /* its stages */
    int now[CLASS_COUNT], peak[CLASS_COUNT];
    int *last_round, *this_round;       /* by life: uses left */
};

struct kernel_pressure kernel_pressure_new(const struct loop_graph *g);
void kernel_pressure_start(struct kernel_pressure *p, const struct kernel *k);
/* How many registers of CLASS more are in use behind NODE than before it. */
int kernel_pressure_change(const struct kernel_pressure *p, int node, enum reg_class class);
void kernel_pressure_place(struct kernel_pressure *p, int node);
bool kernel_pressure_fits(const struct kernel_pressure *p);

/* For a complete order: are there as many registers, and can they be given out? */
bool kernel_fits(struct kernel_pressure *p, const struct kernel *k);
bool kernel_colours(const struct loop_graph *g, const struct kernel *k);

#endif
