/* pipeline.h: a sequence of instructions run on a core's model.
 *
 * Takes instructions in an order, over virtual or physical registers, as straight
 * code or as the body of a loop; gives cycles, and what each instruction waited
 * for. In integers only, so that every machine finds the same. What it models is
 * what llvm-mca models, as its documentation and source describe it, because that is
 * what figures are compared with; what differs is in docs/performance.md.
 *
 * pipeline_load() allocates (from the arena), a run does not.
 */
#ifndef KGEN_CODE_PIPELINE_H
#define KGEN_CODE_PIPELINE_H

#include "code/mach.h"

enum pipeline_wait {
    WAIT_NOTHING,
    WAIT_SLOT,                  /* the cycle's issue slots were taken */
    WAIT_OPERAND,               /* a register was not there yet */
    WAIT_PORT,                  /* all ports that it can use were busy */
    WAIT_WRITE_BACK,            /* it would have been written before something older */
    WAIT_WINDOW,                /* out of order: the window or a buffer was full */
    WAIT_COUNT
};

/* What happened to one instruction. */
struct pipeline_event {
    int cycle;                  /* of issue; from the start of the iteration that is recorded */
    int8_t port;                /* of its first use; -1: none */
    enum pipeline_wait wait;    /* the last that held it up */
    int waited;                 /* for so many cycles */
    int on;                     /* WAIT_OPERAND: the instruction that makes it; else -1 */
};

struct pipeline;

/* FUSED: aese and aesmc that stand together on one register are one operation,
 * where the core fuses them. llvm-mca knows no such pairs. */
struct pipeline *pipeline_new(const struct core *core, bool fused);

/* The instructions that runs are made of. Constant registers are no operands;
 * memory is no dependence. */
void pipeline_load(struct pipeline *p, struct mach_insn *const *code, int n);
/* The instructions from FIRST to LAST, both included. */
void pipeline_load_range(struct pipeline *p, struct mach_insn *first, struct mach_insn *last);

/* Runs them in ORDER (indices of what was loaded; NULL: as loaded), all N of ORDER,
 * ITERATIONS times. Gives the cycles until all is done, as llvm-mca counts them.
 * EVENTS (N of them, or NULL) tells of the iteration in the middle. */
int pipeline_run(struct pipeline *p, const int *order, int n, int iterations,
                 struct pipeline_event *events);
/* Hundredths of a cycle that an iteration takes in the steady state: the mean of
 * the later half of ITERATIONS, an even number. */
int pipeline_interval(struct pipeline *p, const int *order, int n, int iterations);

/* -- in order, one instruction after the other -- */

/* Where an in-order core stands. Copied by assignment of its bytes:
 * pipeline_state_size() of them, for what is loaded now. */
struct pipeline_state;
size_t pipeline_state_size(const struct pipeline *p);
void pipeline_start(const struct pipeline *p, struct pipeline_state *s);
/* The cycle in which instruction INDEX would issue now. */
int pipeline_earliest(const struct pipeline *p, const struct pipeline_state *s, int index);
/* Issues it; gives that cycle. */
int pipeline_issue(const struct pipeline *p, struct pipeline_state *s, int index);

/* -- lower bounds -- */

/* Hundredths of a cycle that an iteration takes at least, whatever the order of what
 * does not depend on each other. */
struct pipeline_bound {
    int ports;                  /* for the ports … */
    uint32_t of_ports;          /* … these */
    int slots;                  /* for the issue slots */
    int recurrence;             /* for what depends on the iteration before */
    int write_back;             /* because results are written in order; 0: nothing more */
};
struct pipeline_bound pipeline_bound(struct pipeline *p, const int *order, int n);

#endif
