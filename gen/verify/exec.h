/* exec.h: running code over a domain.
 *
 * Takes the lines of one text section: labels and instructions, read from the
 * emitted text or made by hand. exec_link() resolves branches and calls to
 * lines; exec_run() runs from a label until the return to the caller, a fault
 * or the step limit. Symbols that are no label are objects whose addresses the
 * caller put into machine.symbols.
 *
 * Code addresses are not memory: x30 holds CODE_BASE + 4 * line after a call,
 * signed by paciasp with sp so that a return through an unsigned or moved
 * address is a fault. The first caller's return address is EXEC_CALLER.
 */
#ifndef KGEN_VERIFY_EXEC_H
#define KGEN_VERIFY_EXEC_H

#include "verify/machine.h"

struct code_label { const char *name; int line; };

struct code {
    VEC(struct decoded) lines;
    VEC(struct code_label) labels;
};

#define CODE_BASE   0x0000400000000000u
#define EXEC_CALLER (CODE_BASE - 4)
enum { EXEC_RETURN = -1 };

/* A label stands before the next line added. */
void code_add_label(struct code *code, const char *name);
/* Room for so many lines, once, for code that is long. */
void code_expect(struct code *code, int lines);
void code_add(struct code *code, const struct phys_insn *insn, uint32_t line);
/* Finds every target. Returns NULL, or what is wrong: a label defined twice, or
 * a branch to a label that is not there. Calls of unknown symbols and page
 * offsets are left to the run. */
const char *code_link(struct code *code);
/* The line behind a label, or -1. */
int code_find(const struct code *code, const char *label);

/* Registers of the domain's choice: every x, v, sp and flag gets a value that
 * differs from all others and from run to run with SEED. */
void machine_poison(struct machine *m, uint64_t seed);
void machine_add_symbol(struct machine *m, const char *name, uint64_t address);

/* Runs from a label with x30 = EXEC_CALLER. True when it returned; otherwise
 * machine.fault says why, with the line of the text. */
bool exec_run(struct machine *m, const struct code *code, const char *label, uint64_t step_limit);
/* Runs one instruction that is no branch; false on a fault. */
bool exec_one(struct machine *m, const struct phys_insn *insn);

#endif
