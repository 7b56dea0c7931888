/* apply.h: one data-processing instruction as a function of its operands.
 *
 * How the reference walk evaluates a call by mnemonic: the row's meaning runs
 * on a scratch machine whose registers hold the arguments.
 */
#ifndef KGEN_VERIFY_APPLY_H
#define KGEN_VERIFY_APPLY_H

#include "verify/machine.h"

/* The value that the row's first written operand gets. `args` are what it
 * reads, in operand order: registers (the input of a tied operand among them)
 * and immediates, which must be known numbers. */
val apply_insn(struct domain *d, enum insn insn, const val *args, int count);

#endif
