/* passes.h: what the passes after selection ask of each other. */
#ifndef KGEN_CODE_PASSES_H
#define KGEN_CODE_PASSES_H

#include "code/liveness.h"

/* depend.c: do two accesses touch the same bytes, one of them writing? Not
 * both stores or loads of anything: instructions that access no memory never do. */
bool accesses_conflict(const struct mach_func *f, const struct mach_insn *a,
                       const struct mach_insn *b);

/* post_index.c */
void fold_pointer_updates(struct mach_func *f);

/* schedule.c: back to how selection left the block. */
void restore_order(struct mach_block *b);

/* modulo.c: better orders for loops of one block, with iterations that overlap where
 * that pays. True when it made blocks. */
bool pipeline_loops(struct mach_func *f);
/* modulo_memo.c */
void modulo_forget(void);

/* runs.c: operands that must be consecutive registers. Each register is in at
 * most one run; where the code wants it in two, copies are inserted first. */
struct run { struct vreg *at[4]; int n; };
struct runs { VEC(struct run) of; int *run_of; /* by vreg id: index or -1 */ };
struct runs *find_runs(struct mach_func *f);

/* reload.c: forgets one value that can be made again near its uses, of those
 * alive at WHERE; false when there is none. */
bool reload_one(struct mach_func *f, enum reg_class class, struct mach_insn *where);
/* The same for one that only passes through a loop of one block. */
bool reload_around(struct mach_func *f, enum reg_class class, const struct mach_block *loop);

/* report.c: the error `registers`, at the place where most values live. */
void report_registers(struct mach_func *f, enum reg_class class, int available);

/* frame.c: where the arrays of fixed size lie, by object id from the lowest one
 * (-1: no such array); gives the bytes of all. */
int64_t lay_out_fixed_arrays(const struct func *f, int64_t *offset);

/* wipe.c: clears what may hold secrets in front of the only return. */
bool needs_wiping(const struct mach_func *f);
void wipe_secrets(struct mach_func *f, struct mach_insn *ret);
/* code.c: callers may ask for F's convention from now on. */
void convention_register(struct mach_func *f);
/* relax.c: branches that cannot reach their target go through a jump. */
void relax_branches(struct mach_func *f);
/* cfg.c: the opposite condition; false for what has none. */
bool branch_invert(struct mach_insn *i);
void mark_targets(struct mach_func *f);

/* Registers that allocation may give out, and those a callee keeps (AAPCS64
 * 6.1: x19..x28 and the low halves of v8..v15; x18 belongs to the platform). */
enum {
    ALLOCATABLE_GENERAL = 0x1ffbffff,       /* x0..x28 but x18 */
    CALLEE_SAVED_GENERAL = 0x1ff80000,      /* x19..x28 */
    CALLEE_SAVED_VECTOR = 0x0000ff00
};
static inline uint32_t allocatable(enum reg_class class)
{
    return class == CLASS_GENERAL ? (uint32_t)ALLOCATABLE_GENERAL : 0xffffffffu;
}
static inline uint32_t callee_saved(enum reg_class class)
{
    return class == CLASS_GENERAL ? (uint32_t)CALLEE_SAVED_GENERAL : (uint32_t)CALLEE_SAVED_VECTOR;
}

#endif
