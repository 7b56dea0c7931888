/* pipeline_steps.h: what the parts of the pipeline model share.
 *
 * pipeline.c makes a step of each instruction: everything that a run asks, in
 * small integers. pipeline_in_order.c and pipeline_out_of_order.c run steps.
 */
#ifndef KGEN_CODE_PIPELINE_STEPS_H
#define KGEN_CODE_PIPELINE_STEPS_H

#include "code/pipeline.h"

enum { STEP_READS = 8, STEP_WRITES = 5, STEP_USES = CORE_MAX_USES + 1, NETWORKS = 4 };

/* Registers are numbered densely over what is loaded; NZCV is 0. */
struct step_read {
    int slot;
    uint8_t early[NETWORKS];
    bool destroys;              /* the instruction must write over it: others read it before */
};
struct step_write { int slot; uint8_t latency, network; };

struct step {
    struct step_read read[STEP_READS];
    struct step_write write[STEP_WRITES];
    struct port_use use[STEP_USES];
    int reads, writes, uses;
    int uops;
    int latency;                /* until everything is written … */
    int first_write;            /* … and until anything is */
    uint32_t buffers;           /* of core.buffers, a bit each */
    int pattern;                /* steps that use the same ports have the same number */
    bool retires_early, first_in_cycle, loads, stores;
};

struct window;                  /* pipeline_out_of_order.c */

struct pipeline {
    const struct core *core;
    bool fused;
    struct mach_insn **insn;
    struct step *step;          /* [n + i]: instruction i as the second of a fused pair */
    int n, cap;
    int slots, slot_cap;
    int *slot_of, keys;         /* by register (key_of); 0: not seen */
    int *identity;              /* 0, 1, 2 … */
    const struct step **sequence;       /* that a run goes through; the first begins it */
    const struct step **like;   /* by pattern: the first of it */
    int patterns;
    int half;                   /* cycles until the first half of the last run was done */
    struct pipeline_state *state;
    /* By slot: who wrote it last, or -1; when it is there, and from which network. */
    int *origin, *time, *network;
    struct window *window;
};

/* Are A and B, one behind the other, one operation? */
static inline bool are_pair(const struct pipeline *p, int a, int b)
{
    if (!p->fused || a < 0)
        return false;
    const enum insn first = p->insn[a]->insn, second = p->insn[b]->insn;
    return ((first == INSN_aese && second == INSN_aesmc)
            || (first == INSN_aesd && second == INSN_aesimc))
           && p->step[a].write[0].slot == p->step[b].read[0].slot
           && (p->step[b].write[0].slot == p->step[b].read[0].slot
               || !p->insn[b]->op[0].reg->is_assigned);
}

static inline const struct step *step_after(const struct pipeline *p, int last, int index)
{
    return &p->step[are_pair(p, last, index) ? p->n + index : index];
}

static inline void find_sequence(struct pipeline *p, const int *order, int n)
{
    for (int k = 0; k < n; k++)
        p->sequence[k] = step_after(p, k > 0 ? order[k - 1] : -1, order[k]);
}

int run_in_order(struct pipeline *p, const int *order, int n, int iterations,
                 struct pipeline_event *events);
int run_out_of_order(struct pipeline *p, const int *order, int n, int iterations,
                     struct pipeline_event *events);
int bound_write_back(struct pipeline *p, const int *order, int n);
struct window *window_new(const struct core *core);
void find_port_groups(struct pipeline *p);      /* of what is loaded */
size_t state_size_for(int slots);      /* pipeline_in_order.c */

#endif
