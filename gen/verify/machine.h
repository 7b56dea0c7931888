/* machine.h: the state that an instruction acts on, over any domain.
 *
 * Meanings (isa/mean_*.c) read and write operands by their kind: a w register
 * is the low half and clears the upper half when written, number 31 is zero or
 * sp, a vector operand of 64 bits clears the upper half of its register. The
 * executor (exec.h) decides what runs next.
 */
#ifndef KGEN_VERIFY_MACHINE_H
#define KGEN_VERIFY_MACHINE_H

#include "isa/isa.h"
#include "verify/domain.h"

enum flag { FLAG_N, FLAG_Z, FLAG_C, FLAG_V, FLAG_COUNT };

/* An address that a symbol of the text stands for. */
struct symbol { const char *name; uint64_t address; };

struct machine {
    struct domain *domain;
    val x[31];                      /* 64 bits each */
    val sp;
    val v[32];                      /* 128 bits each */
    val flag[FLAG_COUNT];           /* 1 bit each */

    VEC(struct symbol) symbols;     /* read-only objects, spelled as in the text */
    const struct code *code;        /* what runs: exec.h */
    int at;                         /* the line that runs */
    int next;                       /* the line to run after it, or EXEC_RETURN */
    uint64_t steps;                 /* instructions executed */
    uint8_t *covered;               /* by line, set when it is executed; NULL: not wanted */
    const char *fault;              /* why it stopped, or NULL */
};

/* An instruction ready to run. */
struct decoded {
    struct phys_insn insn;
    int target;                     /* the line of its label or callee, -1 when it has none */
    uint32_t line;                  /* of the source text, for messages */
};

/* The first fault stays. Kept in the arena. */
void machine_fault(struct machine *m, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* -- what an operand kind is -- */

int operand_bits(enum operand_kind kind);   /* of the value it reads or writes */
int operand_lane(enum operand_kind kind);   /* of one element */

/* -- operands; N counts as in the row -- */

val operand_read(struct machine *m, const struct decoded *d, int n);
void operand_write(struct machine *m, const struct decoded *d, int n, val v);
static inline int64_t operand_imm(const struct decoded *d, int n) { return d->insn.op[n].imm; }
static inline enum operand_kind operand_kind_of(const struct decoded *d, int n)
{
    return (enum operand_kind)insns[d->insn.insn].op[n].kind;
}
static inline const struct insn_row *row_of(const struct decoded *d) { return &insns[d->insn.insn]; }

/* The whole registers behind an operand. */
val machine_read_x(struct machine *m, int reg);
void machine_write_x(struct machine *m, int reg, val v);

/* -- control; used by the meanings of branches, defined in exec.c -- */

void exec_branch(struct machine *m, const struct decoded *d);
void exec_call(struct machine *m, const struct decoded *d);
void exec_return(struct machine *m);
/* The address that an operand's symbol stands for; a fault when it is unknown. */
uint64_t exec_symbol(struct machine *m, const struct decoded *d, int n);

#endif
