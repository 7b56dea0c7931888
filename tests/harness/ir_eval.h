/* ir_eval.h: run IR on bytes, for tests of shape/ and ir/.
 *
 * A plain interpreter over the host's memory: a memory parameter is a pointer.
 * It counts the operations that it executes, so that tests can say how often a
 * loop's body runs. Of machine instructions it knows `tbl` of one register.
 */
#ifndef KGEN_TESTS_IR_EVAL_H
#define KGEN_TESTS_IR_EVAL_H

#include "ir/ir.h"

struct ir_word { uint64_t at[2]; };

struct ir_run {
    uint64_t result;            /* the first result of the function, its low half … */
    struct ir_word whole;       /* … and all of it */
    int executed[IR_OP_COUNT];  /* how often each operation ran */
    int branches;
};

/* ARGS: one per declared parameter, values or pointers. TABLES: the module's
 * tables as one object, aligned as the module says. */
struct ir_run ir_eval(const struct ir_func *f, const struct ir_word *args, const uint8_t *tables);

/* The module's tables, as one object. */
uint8_t *ir_eval_tables(const struct module *m);

#endif
