/* ir.h: SSA over virtual registers, basic blocks with parameters.
 *
 * Made from the typed tree after shape/ (ir/lower*.c), improved by the
 * passes in ir/, consumed by code/select*.c. Every value is defined once, by an
 * instruction or as a block parameter; a use is dominated by its definition.
 * A flag is a value like any other (type TYPE_CARRY, always Arm's C): that
 * only one lives at a time is what the rule carry-lost has already checked,
 * and passes keep it so (they never move a flag-writer across a live flag).
 */
#ifndef KGEN_IR_IR_H
#define KGEN_IR_IR_H

#include "lang/tree.h"

enum ir_op {
#define OP(name, ...) IR_##name,
#include "ir/ops.def"
#undef OP
    IR_OP_COUNT
};
enum ir_effect { EFFECT_PURE, EFFECT_READS, EFFECT_WRITES, EFFECT_CALL };
struct ir_op_row { const char *name; int8_t args, results; uint8_t effect; };
extern const struct ir_op_row ir_ops[IR_OP_COUNT];

struct ir_inst;
struct ir_block;

struct ir_value {
    int id;                     /* dense, stable: index in func.values */
    enum value_type type;       /* TYPE_U32, U64, ADDR, CARRY, or a vector */
    struct ir_inst *def;        /* or NULL: */
    struct ir_block *block;     /* a parameter of this block */
    int index;                  /* which result, or which parameter */
    const char *name;           /* the variable it carries, for dumps and listings */
    struct loc loc;
    bool secret;
    struct ir_value *stands_for;    /* inside a pass: what replaces this value; NULL otherwise */
};

/* What a load or store touches, for dependence and pairing. */
struct mem_ref {
    struct object *object;      /* NULL: none */
    int key;                    /* struct access: 0 when unknown */
    int64_t disp;               /* constant part relative to the key */
    enum value_type type;       /* type in memory: bytes moved */
    int64_t align;
};

struct ir_inst {
    enum ir_op op;
    enum value_type type;       /* of the first result, or of what is stored */
    struct ir_value **args;
    int arg_count;
    struct ir_value *result[2];
    struct ir_value **results;  /* calls only */
    int result_count;           /* calls only */
    int64_t imm;
    uint64_t value[2];          /* const */
    struct mem_ref mem;
    enum insn insn;
    struct func *callee;
    struct loc loc;
    const char *algebra;
    struct ir_block *block;
    struct ir_inst *prev, *next;
};

enum ir_cond { IR_EQ, IR_NE, IR_ULT, IR_ULE, IR_UGT, IR_UGE, IR_SLT, IR_SLE, IR_SGT, IR_SGE,
               IR_BIT_SET, IR_BIT_CLEAR /* bit b (a constant) of a */ };

struct ir_edge { struct ir_block *to; struct ir_value **args; };    /* args: one per parameter of `to` */

enum ir_term { IR_JUMP, IR_BRANCH, IR_RETURN };

struct ir_block {
    int id;                     /* layout order */
    struct ir_value **params;
    int param_count;
    struct ir_inst *first, *last;
    enum ir_term term;
    enum ir_cond cond;          /* IR_BRANCH: cond(a, b) ? edge[0] : edge[1] */
    struct ir_value *a, *b;
    struct ir_edge edge[2];
    struct ir_value **results;  /* IR_RETURN */
    int result_count;
    struct loc loc;             /* of the terminator */
    int loop_depth;
    struct ir_block *loop;      /* header of the innermost loop, or NULL */
    int steps;                  /* a loop's header: of the source's loop, in one turn … */
    struct loc loop_loc;        /* … and where that is */
    VEC(struct ir_block *) preds;
};

struct ir_func {
    struct func *func;
    const struct variant *variant;
    VEC(struct ir_block *) blocks;      /* layout order; blocks.at[0] is the entry */
    VEC(struct ir_value *) values;
    /* Local functions: table entries and constants that were lifted to
     * parameters, so that callers keep them in registers. Parameter
     * func.param_count + k (IR_param, and the argument of IR_call) is lifted[k]:
     * an IR_const, or an IR_load with imm relative to mem.object. */
    VEC(struct ir_inst *) lifted;
};

/* Edges. A branch may carry arguments on either edge, also on the back edge of
 * a loop (which its bottom test is): the copies belong to the edge. A loop is
 * entered through a block that only jumps to its header (the preheader).
 *
 * Addresses. IR_table has imm 0 in the result: one base a function; every table
 * is that base plus a constant. */

/* The whole path from the tree to optimised SSA for one function and variant. */
struct ir_func *ir_from_func(struct func *f, const struct variant *v);
/* The same in two parts: what all variants have in common, and the rest, which
 * takes IR over. A copy serves another variant. */
struct ir_func *ir_for_variants(struct func *f);
struct ir_func *ir_copy(const struct ir_func *f);
void ir_finish(struct ir_func *ir, struct func *f, const struct variant *v);

/* Single passes (each documented in its file), run by ir_from_func in order. */
struct ir_func *ir_lower(struct func *f);
void ir_simplify(struct ir_func *f);        /* folding, identities, value numbering, dead code */
void ir_hoist(struct ir_func *f);           /* loop invariants */

/* May these two touch a common byte? Exact by docs/design.md 1.6 for accesses that
 * stand in one block, or in one iteration of one loop. */
bool ir_may_alias(const struct func *f, const struct mem_ref *a, const struct mem_ref *b);

void ir_print(struct text *out, const struct ir_func *f);
/* Asserts every invariant above; called between passes in test builds. */
void ir_check(const struct ir_func *f);

#endif
