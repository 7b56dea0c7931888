/* pass.h: what the passes over the IR share.
 *
 * Passes replace a value by setting `stands_for` and go on; ir_settle() then
 * rewrites every use at once. An instruction is never shared between blocks.
 */
#ifndef KGEN_IR_PASS_H
#define KGEN_IR_PASS_H

#include "ir/ir.h"

/* -- building: ir/build.c -- */

enum value_type ir_type(enum value_type t);     /* the IR's type of a value of the tree */
static inline bool is_wide(enum value_type t) { return t == TYPE_U64 || t == TYPE_ADDR; }
static inline bool is_scalar_ir(enum value_type t) { return t == TYPE_U32 || is_wide(t); }

struct ir_block *ir_new_block(struct ir_func *f);               /* not yet in the layout */
void ir_place_block(struct ir_func *f, struct ir_block *b);     /* last in the layout */
struct ir_value *ir_add_param(struct ir_func *f, struct ir_block *b, enum value_type type);
/* An instruction that is in no block yet, with its results. */
struct ir_inst *ir_new_inst(struct ir_func *f, enum ir_op op, enum value_type type, int arg_count,
                            struct loc loc);
struct ir_value *ir_new_result(struct ir_func *f, struct ir_inst *i, int index, enum value_type type);
void ir_append(struct ir_block *b, struct ir_inst *i);
void ir_insert_before(struct ir_inst *where, struct ir_inst *i);
void ir_insert_after(struct ir_inst *where, struct ir_inst *i);
void ir_unlink(struct ir_inst *i);
struct ir_value *ir_resolve(struct ir_value *v);
void ir_replace(struct ir_value *v, struct ir_value *by);
void ir_settle(struct ir_func *f);
int ir_result_count(const struct ir_inst *i);
struct ir_value *ir_result(const struct ir_inst *i, int k);
int ir_edge_count(const struct ir_block *b);
bool ir_const_of(const struct ir_value *v, uint64_t *value);    /* a scalar constant */
int *ir_use_counts(const struct ir_func *f);                    /* by value id */
void ir_count_block_uses(const struct ir_block *b, int *n);     /* adds to n[], by value id */
bool ir_writes_flags(enum ir_op op);
bool ir_commutes(enum ir_op op);
bool ir_is_aes_step(const struct ir_inst *i);                   /* aese or aesd */
bool ir_is_zeros(const struct ir_value *v);                     /* a constant, of any type */

/* -- control flow: ir/flow.c -- */

struct flow {
    int n;
    struct ir_block **order;            /* reverse post-order of reachable blocks */
    int *position;                      /* in `order`, by block id */
    struct ir_block **idom;             /* by block id; the entry has none */
    struct ir_block **outer;            /* by id of a loop header: the header of the loop around it */
};
/* Removes what cannot be reached, numbers blocks by layout, sets preds, loop
 * and loop_depth, and gives the order and the dominator tree. */
struct flow ir_flow(struct ir_func *f);
bool ir_dominates(const struct flow *w, const struct ir_block *a, const struct ir_block *b);
bool ir_in_loop(const struct flow *w, const struct ir_block *b, const struct ir_block *header);
/* The block that dominates both. */
struct ir_block *ir_common_dominator(const struct flow *w, struct ir_block *a, struct ir_block *b);

/* -- liveness: ir/live.c -- */

struct liveness { int words; uint64_t **in, **out; };   /* by block id; a bit per value id */
struct liveness ir_liveness(const struct ir_func *f);
static inline bool is_live(const uint64_t *set, const struct ir_value *v)
{
    return set[v->id / 64] >> (v->id % 64) & 1;
}
/* Walks a block backwards: SET is what is live after I and becomes what is live
 * before it. ir_live_before_end starts at the terminator. */
void ir_live_before_end(const struct liveness *l, const struct ir_block *b, uint64_t *set);
void ir_live_step(uint64_t *set, const struct ir_inst *i);

/* The most values of each class that live at one place. Values marked in
 * IGNORED (by id) do not count, nor do scalar constants and flags. */
struct pressure { int vectors, general; };
void ir_peak_pressure(const struct ir_func *f, const struct liveness *l, const struct ir_block *b,
                      const uint8_t *ignored, struct pressure *peak);

/* -- passes -- */

bool ir_fold(struct ir_func *f);            /* fold.c, with fold_*.c: local rewriting */
bool ir_number(struct ir_func *f);          /* number.c: value numbering, loads included */
bool ir_trim_params(struct ir_func *f);     /* params.c: block parameters that are not needed */
bool ir_use_known_conditions(struct ir_func *f);    /* known.c */
bool ir_clean_blocks(struct ir_func *f);    /* blocks.c: known branches, empty and single-entry blocks */
bool ir_remove_dead(struct ir_func *f);     /* dead.c */
void ir_reassociate(struct ir_func *f);     /* reassoc.c: balance chains of XOR */
void ir_share(struct ir_func *f);           /* share.c: one computation for several branches */
void ir_place_tables(struct ir_func *f);    /* tables.c: one base for all tables */
void ir_find_keys(struct ir_func *f);       /* alias.c: keys of accesses that shape/ left alone */
void ir_find_secrets(struct ir_func *f);    /* secrets.c */
void ir_lift(struct ir_func *f);            /* lift.c */
void ir_carry_aes(struct ir_func *f);       /* carry_aes.c: state and key apart round loops */

/* -- memory: ir/alias.c -- */

/* Which objects does nothing in the function, and nothing it calls, write? */
struct constant_memory { const struct func *f; bool *constant; };      /* by object id */
struct constant_memory ir_constant_memory(const struct ir_func *f);
bool ir_is_constant(const struct constant_memory *m, const struct object *o);

/* -- one rewriting step, shared by fold*.c -- */

struct folder {
    struct ir_func *f;
    struct ir_inst *at;         /* new instructions go before it */
    int *uses;                  /* by value id; new values count as used once */
    int use_limit;              /* ids from here have no entry */
    uint8_t *on_edge;           /* by value id: is an argument of an edge */
    bool changed;
};
/* Each gives what the result of I is instead, or NULL. */
struct ir_value *fold_constant(struct folder *w, struct ir_inst *i);
struct ir_value *fold_scalar(struct folder *w, struct ir_inst *i);
struct ir_value *fold_vector(struct folder *w, struct ir_inst *i);
struct ir_value *fold_flags(struct folder *w, struct ir_inst *i);

struct ir_value *fold_new(struct folder *w, enum ir_op op, enum value_type type,
                          struct ir_value *a, struct ir_value *b);
struct ir_value *fold_const(struct folder *w, enum value_type type, uint64_t lo, uint64_t hi);
bool fold_used_once(const struct folder *w, const struct ir_value *v);

#endif
