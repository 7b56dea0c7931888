/* select.h: what the files of instruction selection share.
 *
 * Selection walks every block backwards, blocks in reverse of reverse post
 * order, so that all uses of a value are seen before its definition. A use
 * asks for a register (sel_use) or looks through the value and swallows its
 * definition (sel_match); a definition that nobody asked for is not emitted.
 * What one IR instruction becomes is collected forwards (put) and then placed
 * in front of what the block holds already.
 */
#ifndef KGEN_CODE_SELECT_H
#define KGEN_CODE_SELECT_H

#include "code/build.h"

struct selector {
    struct mach_func *f;
    const struct ir_func *ir;
    struct vreg **reg;          /* by value id: the register asked for, or NULL */
    int *uses;                  /* by value id */
    bool *clean;                /* by value id, 32-bit values: bits 63..32 of the register are 0 */
    int *web;                   /* by value id, flags: union-find of parameters and arguments */
    int *edges_in;              /* by block position: edges that arrive */
    bool *flag_live_out;        /* by block position: a flag is alive when the block ends */
    struct mach_block **block;  /* by block position */
    struct vreg **param;        /* by parameter index: its register at entry, or NULL */
    struct vreg **result;       /* by result index, local functions: where every return puts it */
    struct vreg *tables;        /* the address of the module's tables, once somebody needs it */
    int param_count;
    /* what is being selected */
    const struct ir_block *here;
    struct mach_insn *first, *last;
    struct loc loc;
    const char *algebra;
};

enum { REG_RESERVE_ARGUMENTS = 8 };         /* AAPCS64 6.8.2: x0..x7, v0..v7 */

static inline bool type_is_w(enum value_type t)
{
    return value_types[t].lanes == 1 && value_types[t].bits <= 32;
}
static inline enum reg_class class_of_type(enum value_type t)
{
    return type_is_flag(t) ? CLASS_FLAGS : type_is_vector(t) ? CLASS_VECTOR : CLASS_GENERAL;
}

/* -- values (select.c) -- */

/* The value whose register V shares: through trunc, bits, a free zext and
 * parameters of blocks with one way in. */
struct ir_value *sel_resolve(const struct selector *s, struct ir_value *v);
struct vreg *sel_use(struct selector *s, struct ir_value *v);
/* The same, but xzr for the constant 0: for operands that number 31 means zero in. */
struct vreg *sel_use_or_zero(struct selector *s, struct ir_value *v);
/* The register asked for, or NULL: nobody needs the value. */
struct vreg *sel_wanted(const struct selector *s, const struct ir_value *v);
struct vreg *sel_temp(struct selector *s, enum reg_class class, const struct ir_value *like);
bool sel_const(const struct ir_value *v, uint64_t *value);
/* V's definition, when it is OP, in this block, of V's type, and used once. */
struct ir_inst *sel_match(const struct selector *s, const struct ir_value *v, enum ir_op op);
/* The 32-bit value that V zero-extends, whatever its other uses; or NULL. */
struct ir_value *sel_zext_of(const struct ir_value *v);

/* -- emitting (select.c) -- */

struct mach_insn *put_ops(struct selector *s, enum insn insn, const struct mach_operand *op, int n);
#define put(s, insn, ...)                                                         \
    put_ops(s, insn, (struct mach_operand[]){ __VA_ARGS__ },                      \
            (int)(sizeof((struct mach_operand[]){ __VA_ARGS__ }) / sizeof(struct mach_operand)))
#define WX(is_w, stem) ((is_w) ? INSN_##stem##_w : INSN_##stem##_x)
#define WX_(is_w, stem, tail) ((is_w) ? INSN_##stem##_w_##tail : INSN_##stem##_x_##tail)

void put_copy(struct selector *s, struct vreg *to, struct vreg *from);

/* Copies that happen at once; constants are made in place. */
struct parallel_copy { struct vreg *to; struct ir_value *from; struct vreg *from_reg; };
void put_parallel(struct selector *s, struct parallel_copy *copies, int n);

/* -- the parts -- */

/* select_const.c */
void put_const_general(struct selector *s, struct vreg *to, uint64_t value, bool is_w);
void put_const_vector(struct selector *s, struct vreg *to, enum value_type type,
                      const uint64_t value[2]);
bool const_vector_is_cheap(enum value_type type, const uint64_t value[2]);
void put_const(struct selector *s, struct vreg *to, const struct ir_inst *i);

/* select_int.c: i->type is a scalar; select_flag.c: results or arguments are flags */
void select_scalar(struct selector *s, struct ir_inst *i, struct vreg *to);
void select_flags(struct selector *s, struct ir_inst *i);
void put_add_imm(struct selector *s, struct vreg *to, struct vreg *from, int64_t n);
void put_sum(struct selector *s, bool subtract, bool is_w, struct vreg *to, struct ir_value *a,
             struct ir_value *b);
/* a + b or a - b with flags; TO is NULL when only the flag is wanted. */
struct mach_insn *put_flags_sum(struct selector *s, bool subtract, bool is_w, struct vreg *to,
                                struct ir_value *a, struct ir_value *b);

/* select_vec.c, select_lane.c: vectors */
void select_vector(struct selector *s, struct ir_inst *i, struct vreg *to);
void select_lane(struct selector *s, struct ir_inst *i, struct vreg *to);
void select_build(struct selector *s, struct ir_inst *i, struct vreg *to);
void select_splat(struct selector *s, struct ir_inst *i, struct vreg *to);
void select_insn(struct selector *s, struct ir_inst *i, struct vreg *to);

/* select_mem.c */
void select_load(struct selector *s, struct ir_inst *i, struct vreg *to);
void select_store(struct selector *s, struct ir_inst *i);
void select_address(struct selector *s, struct ir_inst *i, struct vreg *to);
struct vreg *sel_tables(struct selector *s);

/* select_call.c: calls, parameters, results, the frame of a variable size */
void select_call(struct selector *s, struct ir_inst *i);
void select_return(struct selector *s, const struct ir_block *b);
void select_entry(struct selector *s);

/* select_stack.c */
/* Parameter K, although no value of the IR is it. */
struct vreg *sel_param(struct selector *s, int k);
void choose_frame(struct selector *s);
void put_variable_stack(struct selector *s);

/* select_branch.c */
void select_terminator(struct selector *s, const struct ir_block *b);
void find_live_flags(struct selector *s);

#endif
