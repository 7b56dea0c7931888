/* mach.h: machine code over virtual, then physical registers.
 *
 * Made by code/select*.c from the IR: every instruction is a row of the
 * instruction table. Until allocation a register is a struct vreg that may be
 * assigned many times (block parameters became copies); allocation sets
 * vreg.assigned and removes copies; frame.c adds prologue and epilogue. The
 * emitter reads the result. The code is the same for every platform; what
 * differs is how target/ writes it.
 *
 * Until frame.c removes it, the entry block starts with an instruction of row
 * INSN_NONE whose .defs are the registers that hold the parameters. Up to then
 * every block also ends with an explicit jump, return or branch and jump.
 */
#ifndef KGEN_CODE_MACH_H
#define KGEN_CODE_MACH_H

#include "core/core.h"
#include "ir/ir.h"

enum reg_class { CLASS_GENERAL, CLASS_VECTOR, CLASS_FLAGS, CLASS_COUNT };

struct vreg {
    int id;                     /* index in mach_func.vregs */
    enum reg_class class;
    reg_number assigned;        /* valid when is_assigned */
    bool is_assigned;
    bool is_fixed;              /* a physical register from the start (ABI, sp, xzr) */
    bool secret;
    const char *name;           /* the source's name, for messages and listings */
    struct loc loc;             /* where the value is defined */
    struct ir_value *value;     /* its origin, or NULL */
    struct ir_inst *reload;     /* a load that may be repeated instead of kept, or NULL */
};

struct mach_operand {
    struct vreg *reg;           /* register operands; for ROLE_TIED the definition */
    struct vreg *tied;          /* ROLE_TIED: the use. NULL once both are one register */
    int64_t imm;                /* OP_IMM, OP_COND */
    struct mach_block *label;   /* OP_LABEL */
    struct func *callee;        /* OP_SYMBOL: a local function … */
    struct module *tables;      /* … or the module's table object */
    const char *symbol;         /* … or a named symbol (__chkstk) */
    struct object *stack;       /* OP_IMM: frame.c adds this object's offset from sp */
    bool is_incoming;           /* OP_IMM: an argument on the stack; frame.c adds the frame */
    int packed;                 /* … and this much where stack arguments are packed */
};

/* What the unwinder must know after this instruction (frame.c only). The order
 * and forms are those that Windows can describe (Microsoft, ARM64 exception
 * handling); DWARF is derived from the same. */
enum unwind_kind {
    UNWIND_NONE,
    UNWIND_ALLOC,               /* sp -= n */
    UNWIND_SAVE_FPLR,           /* x29, x30 at sp + n */
    UNWIND_SAVE_FPLR_X,         /* the same, pre-indexed: sp -= n first */
    UNWIND_SAVE_REG,            /* x(reg) at sp + n */
    UNWIND_SAVE_REG_PAIR,       /* x(reg), x(reg+1) at sp + n */
    UNWIND_SAVE_REG_PAIR_X,
    UNWIND_SAVE_FREG,           /* d(reg) */
    UNWIND_SAVE_FREG_PAIR,
    UNWIND_SAVE_FREG_PAIR_X,
    UNWIND_SET_FP,              /* mov x29, sp */
    UNWIND_ADD_FP,              /* add x29, sp, #n */
    UNWIND_NOP,                 /* in the prologue, changes nothing */
    UNWIND_SIGN_LR,             /* paciasp / autiasp */
    UNWIND_RESTORE_SP           /* mov sp, x29 */
};

enum mach_part { PART_BODY, PART_PROLOGUE, PART_EPILOGUE };

struct mach_insn {
    enum insn insn;
    struct vreg *flags_in, *flags_out;      /* CLASS_FLAGS values; NULL: not of interest */
    /* calls and returns: registers read and written beside the operands */
    struct vreg **uses, **defs;
    int use_count, def_count;
    uint32_t clobbers[CLASS_COUNT];         /* physical registers a call destroys */
    struct mem_ref mem;
    int mem_count;                          /* pairs: two consecutive of mem.type */
    struct loc loc;
    const char *algebra;
    enum mach_part part;
    bool probes_stack;                      /* left out where nothing must be probed */
    bool is_late;                           /* in a pipelined loop: of the iteration before */
    struct { enum unwind_kind kind; uint8_t reg; int32_t n; } unwind;
    int place;                              /* in the order that selection left */
    struct mach_insn *prev, *next;
    struct mach_block *block;
    struct mach_operand op[];               /* as many as its row has */
};

/* A loop that was ordered as something that repeats (modulo.c); of several cores, sums. */
struct loop_order {
    int interval, bound;                    /* hundredths of a cycle a round, and at least */
    int late;                               /* instructions of stage 1, behind its iteration's rest
                                               by a round; 0: one stage */
};

struct mach_block {
    int id;                                 /* layout order */
    struct mach_insn *first, *last;         /* terminators are the last one or two */
    VEC(struct mach_block *) succs;
    VEC(struct mach_block *) preds;
    int loop_depth;
    struct mach_block *loop;                /* header of the innermost loop, or NULL */
    int steps;                              /* a loop's header: of the source's loop, in one turn … */
    struct loc loop_loc;                    /* … and where that is */
    const struct loop_order *ordered;       /* modulo scheduling gave it its order; else NULL */
    bool is_target;                         /* some branch names it: it needs a label */
};

/* What a local function promises its callers, fixed when it is allocated. */
struct convention {
    reg_number *params, *results;
    enum reg_class *param_classes, *result_classes;
    int param_count, result_count;
    uint32_t clobbers[CLASS_COUNT];         /* includes x30 */
    uint32_t features;                      /* as in mach_func */
};

struct frame {
    bool is_leaf;                           /* x30 untouched, no frame record */
    uint32_t saved_general, saved_vector;   /* callee-saved registers written (bit per number) */
    int64_t size;                           /* fixed part in bytes, 16-byte multiple; 0: no frame */
    int64_t *object_offset;                 /* by object id, from sp; -1 not on the stack */
    bool is_variable;                       /* sp moves behind the prologue, x29 is where it was:
                                               an array's extent is a parameter, or is_large */
    bool is_large;                          /* Windows wants its pages probed */
};

struct mach_func {
    struct func *func;
    const struct variant *variant;
    const char *name;                       /* symbol without platform prefix: "f" or "f_sha3" */
    const struct core *core;
    VEC(struct vreg *) vregs;
    VEC(struct mach_block *) blocks;        /* layout order; [0] is the entry */
    struct frame frame;
    struct convention convention;           /* local functions */
    uint32_t features;                      /* what its instructions need, and those of what
                                               it calls: 1 << enum feature */
    uint32_t written[CLASS_COUNT];          /* physical registers written anywhere */
    int insn_count;
    bool overlaps_iterations;               /* of some loop; not when … */
    bool keeps_iterations;                  /* … none may */
    int spare_registers;                    /* scheduling leaves as many free in each class */
    int reload_count;                       /* loads and constants repeated instead of kept */
    /* One vreg per physical register, made on demand (build.c); [..][31] of the
     * general class is xzr, sp stands apart. */
    struct vreg *fixed[CLASS_FLAGS][32];
    struct vreg *stack_pointer;
};

/* The whole path. Reports `registers` and `immediate` through diag; NULL then.
 * Callees must have been compiled before (their convention is read). */
struct mach_func *code_from_ir(struct ir_func *f, const struct core *core);
/* Forgets every callee: before memory that their code is in is released. */
void code_forget(void);
/* Before a module: how many TIMES the usual to search for quick orders; 0: once. */
void schedule_start(int times);
/* keep.c: a copy, in an arena of the caller's, that outlives what F was made of.
 * Enough for target/ and verify/; SOURCE is the function of the checked tree. */
struct mach_func *code_keep(struct arena *a, const struct mach_func *f, struct func *source);

/* Single stages, in order. */
struct mach_func *select_func(struct ir_func *f, const struct core *core);
void pair_accesses(struct mach_func *f);        /* ldp, stp, post-index */
void schedule_func(struct mach_func *f);
/* After colouring failed: another order that uses fewer registers, at last the
 * fewest, whatever time it takes. False when that has been tried. */
bool schedule_again(struct mach_func *f);
/* False: `registers` was reported, or not, but iterations overlap and should not. */
bool allocate_registers(struct mach_func *f);
bool build_frame(struct mach_func *f);          /* false: `unsupported` was reported */

/* What a local function promises, known once build_frame() made its code; else NULL. */
const struct convention *convention_of(const struct func *callee, const struct variant *v);

void mach_print(struct text *out, const struct mach_func *f);
void mach_check(const struct mach_func *f);     /* asserts the invariants of its stage */

#endif
