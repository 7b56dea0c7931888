/* core.h: what a processor core does with each timing class.
 *
 * One file per core (cortex-a53.c …) holds one struct core: a table with a row
 * for each timing class of isa/isa.h, and the facts that no row can hold
 * (issue rules, fused pairs, errata). Data only; code that reads the tables is
 * in code/schedule*.c and tool/cost.c. Each file names its sources; a row that
 * rests on something else says so.
 */
#ifndef KGEN_CORE_CORE_H
#define KGEN_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum { CORE_MAX_PORTS = 16 };

struct timing {
    uint8_t latency;            /* cycles from issue until a dependent can issue */
    uint8_t uops;               /* issue slots taken */
    uint16_t ports;             /* any one of these ports, for `busy` cycles */
    uint8_t busy;               /* cycles the port is taken: 1 when fully pipelined */
    uint8_t writeback_latency;  /* the updated base register; 0: as the class ALU */
};

/* A producer's result reaches this kind of use earlier or later than .latency. */
struct forwarding { uint8_t producer, consumer; uint8_t operand; uint8_t latency; };

struct core {
    const char *name;           /* "cortex-a53": as written in `tune` and for llvm-mca */
    const char *mca_cpu;
    bool in_order;
    /* Percent that a schedule may take longer, counted in order, when it is nearer to
     * the source. A core that reorders by itself loses nothing by it, and gains where
     * woven iterations then end one after the other instead of all at once (AES-CTR by
     * llvm-mca 22: Neoverse N1 19.5 to 19.0 cycles a block, V2 6.2 to 6.0). */
    uint8_t order_slack;
    uint8_t issue_width;
    uint16_t window;            /* instructions an out-of-order core looks ahead */
    uint8_t port_count;
    const char *port_names[CORE_MAX_PORTS];
    struct timing timing[TIME_COUNT];
    const struct forwarding *forwarding;
    int forwarding_count;
    bool fuses_aes_pair;        /* aese+aesmc, aesd+aesimc adjacent on one register */
    bool fuses_compare_branch;  /* cmp/cmn/tst/subs + b.cond adjacent */
    bool prefers_post_index;    /* else one pointer update an iteration */
    bool load_pair_q_is_slow;   /* ldp q costs more than two ldr q */
    bool erratum_835769;        /* keep multiply-accumulate away from a preceding memory access */
};

/* By name; NULL when unknown. core_default() is what a kernel without `tune` gets. */
const struct core *core_find(const char *name);
const struct core *core_default(void);
/* The same core as if it fused no pairs. */
const struct core *core_unfused(const struct core *core);
int core_count(void);
const struct core *core_at(int i);

#endif
