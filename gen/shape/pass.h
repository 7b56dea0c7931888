/* pass.h: what the files of shape/ share.
 *
 * A pass never changes an expression or statement in place: it copies with a
 * struct copier, whose hooks say what is different in the copy. So a body may
 * be copied once per width while the first copy stays a template.
 */
#ifndef KGEN_SHAPE_PASS_H
#define KGEN_SHAPE_PASS_H

#include "shape/shape.h"

/* -- one run over one function -- */

struct span { uint64_t lo, hi; };       /* inclusive */
struct var_set { uint8_t *at; int n; };  /* variables by id */

struct shape {
    const struct func *original;
    struct func *f;             /* the copy that is being built */
    int next_key;
    /* Per variable of the original, by id: its only definition when it is
     * assigned exactly once, how often it is mentioned, the range of an index. */
    struct expr **only_value;
    int *assignments, *mentions;
    struct span *index_range;   /* hi < lo: not an index that is in scope */
    /* Woven loops around: how many copies side by side in all, what they set. */
    int copies;
    struct var_set woven;
    struct var_set moving_pointers;     /* start elsewhere in each of these copies */
};

struct var *new_var(struct shape *sh, const char *name, enum value_type type, struct loc loc);

/* -- walking: shape/walk.c -- */

struct walker {
    void (*expr)(struct walker *, struct expr *);           /* every expression, parents first */
    void (*stmt)(struct walker *, struct stmt *);           /* every statement */
    void (*read)(struct walker *, struct var *);            /* every use of a variable */
    void (*assigned)(struct walker *, struct var *);        /* every definition */
    void (*access)(struct walker *, struct access *, bool is_store);
    void *self;
};
void visit_expr(struct walker *w, struct expr *e);
void visit_list(struct walker *w, struct stmt *s);
void visit_stmt(struct walker *w, struct stmt *s);           /* without its `next` */

/* Sets of variables. */
struct var_set assigned_in(int var_count, struct stmt *list);
bool var_set_has(const struct var_set *s, const struct var *v);
void var_set_add(struct var_set *s, const struct var *v);
bool expr_mentions(struct expr *e, const struct var *v);
bool expr_mentions_any(struct expr *e, const struct var_set *s);
bool list_mentions(struct stmt *list, const struct var *v);
int list_size(struct stmt *list);                           /* statements, nested ones included */

/* -- copying: shape/copy.c -- */

struct copier {
    struct shape *sh;
    struct expr *(*read)(struct copier *, const struct expr *e);        /* for E_VAR; NULL: as it is */
    struct var *(*assigned)(struct copier *, struct var *v);            /* NULL hook: as it is */
    void (*access)(struct copier *, struct access *a);                  /* after its offset was copied */
    void *self;
};
struct expr *copy_expr(struct copier *c, const struct expr *e);
struct stmt *copy_stmt(struct copier *c, const struct stmt *s);         /* without `next` */
struct stmt *copy_list(struct copier *c, const struct stmt *s);

/* -- building, with constants folded: shape/build.c -- */

struct expr *build_const(enum value_type type, uint64_t v, struct loc loc);
struct expr *build_read(struct var *v);
struct expr *build_binary(enum op op, struct expr *a, struct expr *b);
struct expr *build_constant_op(enum op op, struct expr *a, uint64_t b);
struct expr *build_compare(enum op op, struct expr *a, struct expr *b);
struct expr *build_convert(enum value_type type, struct expr *a);
struct expr *build_address(const struct access *at, struct loc loc);
bool is_const(const struct expr *e, uint64_t *value);

struct stmt_chain { struct stmt *first, **end; };
void chain_start(struct stmt_chain *l);
void chain_add(struct stmt_chain *l, struct stmt *chain);     /* a statement or a chain of them */
struct stmt *build_assign(struct var *v, struct expr *e, struct loc loc);
/* NULL, BODY or an S_IF, as the condition is known or not. */
struct stmt *build_if(struct expr *cond, struct stmt *body, struct loc loc);
struct stmt *build_repeat(struct var *count, struct stmt *body, int steps, struct loc loc);
struct stmt *build_until(struct expr *again, struct stmt *body, int steps, struct loc loc);

/* -- ranges: shape/range.c -- */

/* The values E may have. *exact: no operation in it wraps, so the range is also
 * that of the expression over unbounded integers. */
struct span range_of(const struct shape *sh, const struct expr *e, bool *exact);
bool known_at_most(const struct shape *sh, const struct expr *a, const struct expr *b);
/* Is A rounded down to a multiple of *MULTIPLE (a power of two) what B is? */
bool is_rounded_down(const struct shape *sh, const struct expr *a, const struct expr *b,
                     uint64_t *multiple);

/* Does E load from memory that something in the function may write? */
bool reads_changing_memory(const struct shape *sh, struct expr *e);

/* -- linear in one index: shape/linear.c -- */

struct linear {
    int64_t factor;             /* of the index */
    struct expr *rest;          /* invariant part without its constant, U64, or NULL: none */
    struct affine terms;        /* the same, in normal form */
    int64_t constant;
};
/* OFFSET (U64) as factor * index of LOOP + rest + constant, where rest mentions
 * nothing of VARYING (which holds the index too). */
bool linear_in(const struct shape *sh, struct expr *offset, const struct stmt *loop,
               const struct var_set *varying, struct linear *out);

/* -- loops -- */

/* One pointer of a chain of loops made from one source loop. */
struct address_group {
    struct object *object;
    struct linear form;         /* of the first access found; constant is not used */
    int64_t lowest, highest;    /* constants of its accesses */
    int key;                    /* in the first arm; one more for each arm that follows */
    struct var *pointer;
    uint64_t cycle;             /* bytes after which it starts again (cycle.c); 0: never */
    bool only_starts;           /* no load or store: only where pointers of inner loops start */
};
struct address_plan {
    VEC(struct address_group) groups;
    int arm;                    /* whose copies are being made: passes of different arms may end up
                                   in one block, where equal constants would mean different indices */
};

/* reduce.c: finds the groups in all arms, and gives the arms' bodies with the
 * accesses rewritten for the iteration at the index itself. */
struct address_plan reduce_arms(struct shape *sh, const struct stmt *loop, struct for_arm *arms);
/* pressure.c: leaves out groups for which registers would be short. */
void limit_pointers(struct shape *sh, const struct stmt *loop, const struct for_arm *arms,
                    struct address_plan *plan);
void note_moving_pointers(struct shape *sh, const struct address_plan *plan);
/* cycle.c: the same for tables that are indexed modulo a power of two. */
void reduce_cycles(struct shape *sh, const struct stmt *loop, struct for_arm *arms,
                   struct address_plan *plan);
struct expr *cycle_start(const struct address_group *g, struct expr *lo);
struct expr *cycle_advance(const struct address_group *g);
/* Pointer initialisations for an index that starts at LO, and their advance. */
struct stmt *reduce_start(const struct address_plan *p, struct expr *lo, struct loc loc);
struct stmt *reduce_advance(const struct address_plan *p, uint64_t by, struct loc loc);

/* The pointers of an inner chain stand elsewhere in every copy of the body
 * around it: each copy gets keys of its own. Constant and unknown keys stay. */
struct key_row { int from, to; };
struct key_map { VEC(struct key_row) rows; };
int key_in_copy(struct shape *sh, struct key_map *m, int key);

/* unroll.c: one S_FOR whose arms' bodies are in shape already. */
struct stmt *expand_loop(struct shape *sh, const struct stmt *loop, struct for_arm *arms);
/* A copy of BODY for the iteration AHEAD of the one that index and pointers
 * stand at; AT replaces the index when it is not NULL. */
struct stmt *copy_iteration(struct shape *sh, const struct stmt *loop, struct stmt *body,
                            const struct address_plan *p, struct expr *at, uint64_t ahead);

/* weave.c: WIDTH iterations of BODY side by side. */
struct stmt *weave_iterations(struct shape *sh, const struct stmt *loop, struct stmt *body,
                              const struct address_plan *p, struct expr *at, int width);

/* vary.c: which variables of BODY depend on the iteration; which carry a value
 * from one iteration to the next. */
struct variance {
    const struct shape *sh;
    const struct address_plan *plan;
    struct var_set varying;     /* has a value per iteration; the index is one */
    struct var_set carried;     /* is read before it is set, and set; varying too */
    struct var_set pointers;    /* of the loop's own address groups */
    struct var_set stored;      /* objects stored to in the body, by id */
};
struct variance find_variance(const struct shape *sh, const struct stmt *loop, struct stmt *body,
                              const struct address_plan *p);
/* Does the statement, without what is nested in it, differ per iteration? */
bool stmt_varies(const struct variance *v, struct stmt *s);
bool is_control(const struct stmt *s);

/* version.c: the last name of each variable, by id; NULL: its own. */
struct versions { struct var **latest; int n; };
struct stmt *version_uniforms(struct shape *sh, const struct variance *variance, struct stmt *body,
                              struct versions *names);
struct var *latest_version(const struct versions *names, struct var *v);

#endif
