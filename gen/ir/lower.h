/* lower.h: the state of lowering one function, shared by lower.c (statements)
 * and lower_expr.c (expressions). */
#ifndef KGEN_IR_LOWER_H
#define KGEN_IR_LOWER_H

#include "ir/pass.h"

struct lowering {
    struct ir_func *out;
    struct func *f;
    struct ir_block *block;     /* where code goes; NULL: cannot be reached */
    struct ir_value **now;      /* the value of each variable, by id; NULL: not set */
    int var_count;
    struct ir_value **param;    /* by parameter */
    const char *algebra;        /* of the statement being lowered */
};

struct ir_value *lower_expr(struct lowering *l, const struct expr *e);
/* Base and constant offset of an access. */
struct ir_value *lower_address(struct lowering *l, const struct access *a, int64_t *offset,
                               struct loc loc);
struct mem_ref lower_mem_ref(const struct access *a, int64_t offset, enum value_type mem);
/* Ends the current block by a branch on a condition. */
void lower_condition(struct lowering *l, const struct expr *cond, struct ir_block *yes,
                     struct ir_block *no);
struct ir_value *lower_op(struct lowering *l, enum ir_op op, enum value_type type, struct loc loc,
                          struct ir_value *a, struct ir_value *b, struct ir_value *c);
struct ir_value *lower_const(struct lowering *l, enum value_type type, uint64_t lo, uint64_t hi,
                             struct loc loc);
struct ir_value *lower_object(struct lowering *l, const struct object *o, struct loc loc);
void lower_end(struct lowering *l, struct ir_block *to);        /* by a jump without arguments */

#endif
