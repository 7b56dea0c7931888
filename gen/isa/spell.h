/* spell.h: how operands are written; shared by print.c and read.c only. */
#ifndef KGEN_ISA_SPELL_H
#define KGEN_ISA_SPELL_H

#include "isa/isa.h"

/* A register is prefix, number, suffix; number 31 of a general register is
 * spelled by its kind. Kinds that are no register have no prefix. */
struct register_spelling { const char *prefix, *suffix, *number_31; };
extern const struct register_spelling register_spellings[OP_KIND_COUNT];

/* Bit patterns are printed in hexadecimal, amounts in decimal. */
bool imm_is_pattern(enum imm_range range);
/* Printed shifted right by this, the template has the ", lsl #12". */
int imm_printed_shift(enum imm_range range);

#endif
