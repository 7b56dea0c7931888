/* core.h: what a processor core does with each timing class.
 *
 * One file per core (cortex-a53.c …) holds one struct core: a table with a row
 * for each timing class of isa/isa.h, the instructions that differ from their
 * class, and the facts that no row can hold (forwarding, fused pairs, errata).
 * Data only; what runs it is code/pipeline*.c. Each file names its sources; a
 * row that rests on something else says so.
 */
#ifndef KGEN_CORE_CORE_H
#define KGEN_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "isa/isa.h"

enum { CORE_MAX_PORTS = 32, CORE_MAX_USES = 4 };

/* Takes any one of PORTS for BUSY cycles. */
struct port_use { uint32_t ports; uint8_t busy; };

enum timing_flags {
    RETIRES_EARLY = 1 << 0,     /* in order: may be written before what is older */
    FIRST_IN_CYCLE = 1 << 1,    /* in order: issues only as the first of a cycle */
};

struct timing {
    uint8_t latency;            /* cycles from issue until the result is written */
    uint8_t uops;               /* issue slots taken */
    uint32_t ports;             /* any one of these ports, for `busy` cycles: what limits it most; */
    uint8_t busy;               /* 1 when fully pipelined */
    struct port_use also[CORE_MAX_USES - 1];    /* … and each of these */
    uint8_t second_latency;     /* the second register of a pair; 0: as the first */
    /* What updating the base register takes where core.writeback does not say it;
     * NOTHING is 0. */
    uint8_t writeback_latency, writeback_uops, writeback_busy;
    uint8_t network;            /* forwarding that its results take part in; 0: none */
    uint8_t flags;              /* enum timing_flags */
};

enum { NOTHING = 255 };

/* An instruction that is not as its class. */
struct timing_exception { enum insn insn; struct timing timing; };

/* An access that updates its base takes this beside it. */
struct writeback { uint8_t latency, uops, busy; uint32_t ports; };

/* The k-th register that an instruction of class CONSUMER reads need not be
 * written: it is there early[k] cycles before, when it comes from NETWORK. */
enum { FORWARDED_READS = 4 };
struct forwarding {
    uint8_t network, consumer;
    uint8_t early[FORWARDED_READS];
    bool only_tied;             /* an accumulator that is also written */
};

/* Instructions that need one of PORTS wait in a buffer of SIZE. */
struct buffer { uint32_t ports; uint8_t size; };

struct core {
    const char *name;           /* "cortex-a53": as written in `tune` */
    const char *mca_cpu;        /* its name for llvm-mca; NULL: not a single core */
    bool in_order;
    /* Percent that a schedule may take longer, counted in order, when it is nearer to
     * the source. A core that reorders by itself loses nothing by it, and gains where
     * woven iterations then end one after the other instead of all at once (AES-CTR by
     * llvm-mca 22: Neoverse N1 19.5 to 19.0 cycles a block, V2 6.2 to 6.0). */
    uint8_t order_slack;
    /* Of the orders of a loop that take about as long in order, the one that is best for
     * this core is taken; NULL: for itself. */
    const struct core *tie_breaker;
    uint8_t issue_width;        /* micro-operations a cycle: issued in order, or dispatched */
    uint16_t window;            /* micro-operations an out-of-order core looks ahead */
    uint8_t port_count;
    const char *port_names[CORE_MAX_PORTS];
    struct writeback writeback;
    const struct timing *timing;                    /* by timing class */
    /* NULL, or a list that ends in a row of zeros. */
    const struct timing_exception *exceptions;
    const struct forwarding *forwarding;
    const struct buffer *buffers;                   /* out of order, beside the window */
    uint8_t aes_pair_latency;   /* aese to the aesmc's result, where they fuse */
    uint8_t free_shift;         /* add and sub shift left by up to as many bits at no cost */
    const struct core *const *judges;   /* an order is judged on the sum of these, the quickest
                                   to simulate first; NULL: on the core itself */
    bool overlaps_iterations;   /* a loop is worth a prologue and an epilogue */
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

/* The row of an instruction: its own or that of its class. */
const struct timing *core_timing(const struct core *core, enum insn insn);
/* By how many cycles the READ-th register that CONSUMER reads is there before it is
 * written, when it comes from NETWORK. */
int core_early(const struct core *core, int network, enum insn consumer, int read);
/* What updating the base register takes. */
struct writeback core_writeback(const struct core *core, const struct timing *t);

#endif
