/* alive.h: registers that are alive between the instructions of finished code. */
#ifndef KGEN_TOOL_ALIVE_H
#define KGEN_TOOL_ALIVE_H

#include "code/mach.h"

/* Behind each instruction, in layout order: bit n is xn, bit 32 + n is vn, bit 31 the flags. */
uint64_t *alive_behind(struct mach_func *f);
/* "x0-3,9 v0 flags"; out ends in a blank or gets one. */
void alive_print(struct text *out, uint64_t alive);

#endif
