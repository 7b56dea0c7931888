/* loops.h: the loops of finished code, as sequences of instructions.
 *
 * A loop is an innermost one: the blocks from its header to the jump back, in
 * their layout, as if nothing in it branched away. A function without loops is
 * one sequence, run once.
 */
#ifndef KGEN_TOOL_LOOPS_H
#define KGEN_TOOL_LOOPS_H

#include "code/pipeline.h"

struct loop {
    const struct mach_func *f;
    const struct mach_block *header;    /* NULL: the whole of a function without loops */
    struct mach_insn **insn;
    int n;
    struct loc loc;                     /* the loop in the source */
    int steps;                          /* turns of the source's loops that one turn makes */
    int bytes;                          /* of array parameters that it writes, or else reads */
    bool calls, branches;               /* what the sequence does not show */
    const char *name;                   /* "bn_add_words:30x8": unique in a module */
};
struct loop_list { VEC(struct loop) at; };

/* Appends those of F in layout order; names differ from those that are there. */
void loops_find(struct loop_list *out, const struct mach_func *f);
/* Appends one instruction as an assembler reads it; labels are numbered as in the output
 * (number_labels): what is ".Lf_3" there is ".L3" here. */
void loop_print_insn(struct text *out, const struct mach_insn *i, const int *labels);

/* What a turn takes on a core: hundredths of a cycle. */
struct loop_cost {
    int cycles;
    int bound;                          /* and what sets it: */
    const char *set_by;                 /* "VEC0-1", "issue slots", "recurrence" */
    int write_back;                     /* the least because results are written in order; 0: no more */
};
struct loop_cost loop_cost(struct pipeline *p, const struct core *core, const struct loop *l);
/* The bound, in-order write-back included, and what sets it. */
int loop_least(const struct loop_cost *c, const char **set_by);
const char *loop_ports_name(const struct core *core, uint32_t ports);

#endif
