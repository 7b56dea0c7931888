/* elab.h: what the parts of elaboration share. Private to gen/lang.
 *
 * Elaboration walks the syntax tree once for every use: an inline function's
 * body is walked at each call, a loop's body once for each width. `struct elab`
 * holds where it stands: the function that receives variables and objects, the
 * scope that gives names their meaning, and the list that statements go to.
 *
 *   program.c        modules, their entities, the order of everything
 *   outside.c symbols.c      names in files, headers and objects
 *   types.c layout.c types as written, structs
 *   elab_scope.c     names and what they are bound to
 *   elab_build.c     making nodes of the typed tree
 *   elab_func.c      exports, locals, signatures, clauses
 *   elab_stmt.c elab_assign.c elab_for.c     statements
 *   elab_expr.c elab_operator.c elab_memory.c elab_builtin.c elab_insn.c
 *   elab_call.c      inline expansion, calls of subroutines
 *   elab_test_block.c test blocks
 *   elab_prove.c     extents that fit, divisibility of a loop count
 */
#ifndef KGEN_LANG_ELAB_H
#define KGEN_LANG_ELAB_H

#include "lang/static.h"
#include "lang/tree.h"

/* -- entities: what a module declares -- */

enum entity_kind { ENTITY_STRUCT, ENTITY_TABLE, ENTITY_STATIC, ENTITY_FUNCTION };
enum progress { PROGRESS_NONE, PROGRESS_UNDER_WAY, PROGRESS_DONE, PROGRESS_FAILED };

struct entity {
    enum entity_kind kind;
    enum progress progress;     /* of value, layout, table or code */
    const char *name;
    struct loc loc;
    const struct node *node;
    struct unit *unit;

    struct entity *group;       /* a static let of several names: the first of them */
    int position;               /* and which name this is */
    struct constant group_value;    /* of the whole static let, in the first */
    bool group_value_known, group_failed;
    struct constant value;      /* static let; table: its contents as declared */
    struct struct_type *layout;
    struct object *table;
    uint64_t table_count;       /* entries; 0: one entry, used as a value */
    struct static_fn *code;
    struct func *func;          /* export or local */
    bool func_under_way;
    bool is_used;               /* a local function that is called */
};

struct name_map { struct entity **at; int cap, n; };

struct unit {                   /* a module being elaborated */
    struct module *module;
    VEC(struct entity *) entities;      /* declared order */
    VEC(const struct node *) tests;
    struct name_map map;
    long budget;                /* nodes that may still be visited */
    bool exhausted;             /* a limit was met: nothing more is elaborated */
    int func_depth;             /* local functions being elaborated for their callers */
    int check_errors;           /* of all errors so far, those that elaboration did not find */
};

struct entity *unit_find(const struct unit *u, const char *name);
/* Each makes the entity's meaning when it is not made yet, complains about
 * cycles at `use`, and is false or NULL after a message. */
bool entity_value(struct entity *e, struct loc use, struct constant *out);
struct struct_type *entity_layout(struct entity *e, struct loc use);
struct object *entity_table(struct entity *e, struct loc use);
struct static_fn *entity_code(struct entity *e);
struct func *entity_func(struct entity *e);

/* Of all modules of a program: outside.c, symbols.c. */
void check_outside(struct unit *const *units, int n);
void check_symbols(struct unit *const *units, int n);
bool is_export(const struct entity *e);

/* -- types as written: types.c, layout.c -- */

struct type_use {
    enum value_type value;              /* VOID when layout is set */
    struct struct_type *layout;
    const struct node *extent;          /* NULL: none written */
};

enum value_type value_type_named(const char *name);
/* False after a message. */
bool type_use_of(struct unit *u, const struct node *type, struct type_use *out);
/* usize is u64, a byte or halfword in a register is u32. */
enum value_type register_type(enum value_type t);
enum value_type canonical_type(enum value_type t);
bool make_layout(struct entity *e);
bool make_value_set(struct unit *u, const struct node *set, enum value_type type,
                    struct value_set *out);
uint64_t natural_align(enum value_type t);
bool check_align(struct loc where, uint64_t align, uint64_t least);
bool value_set_has(const struct value_set *s, uint64_t v);

/* -- scopes -- */

struct memory {                 /* an array or struct, whole or a field of one */
    struct object *object;
    struct expr *offset;        /* of its first byte in the object; NULL: 0 */
    enum value_type element;    /* VOID when layout is set */
    struct struct_type *layout;
    struct expr *extent;        /* bytes, u64 */
    bool is_array;              /* otherwise a table that is one entry, or a struct */
    bool is_writable;
    const struct field *field;  /* when it is a field of a struct */
    const char *name;
};

enum item_kind { ITEM_ERROR, ITEM_NOTHING, ITEM_CONSTANT, ITEM_VALUE, ITEM_LIST, ITEM_MEMORY };

struct item {                   /* what an expression or a name means */
    enum item_kind kind;
    struct loc loc;
    struct constant constant;
    enum value_type type;       /* ITEM_CONSTANT: stated by `as`, or VOID */
    struct expr *expr;
    struct item *at;            /* ITEM_LIST */
    int n;
    bool is_tuple;
    struct memory memory;
};

struct binding {
    const char *name;
    struct loc loc;
    struct item item;           /* variables: E_VAR expressions */
    bool is_variable;           /* may be assigned */
    const char *why_not;        /* "a parameter", "bound by 'let'": when it may not */
    bool is_used;
};

struct scope {
    struct scope *outer;
    VEC(struct binding) names;
};

/* -- the walk -- */

enum flow { FLOW_OPEN, FLOW_CLOSED };   /* may control reach what follows? */

struct frame {                  /* an inline expansion */
    struct frame *outer;
    struct entity *fn;
    struct item results;        /* temporaries: one value, a list, or a tuple; NOTHING */
    int returns;                /* return statements met so far */
    int loops;                  /* run-time loops around the statement at hand */
};

struct shape_of {               /* a parameter's or result's declared type, resolved */
    enum value_type type;
    int64_t count;              /* registers of an array; -1: one value */
};

struct elab {
    struct unit *unit;
    struct func *func;
    struct scope *scope;
    struct frame *frame;        /* NULL in the function itself */
    struct stmt **end;          /* where the next statement goes */
    VEC(struct expr *) facts;   /* conditions that hold here, of values that cannot change */
    VEC(struct expr *) bound;   /* by number of variable: what a let is, if that cannot change */
    struct shape_of *results;   /* of the function itself */
    int result_count;
    int param_objects;          /* how many objects are parameters: until the end, func.may_be_same
                                   is a matrix over these */
    int depth;                  /* syntax nodes around this one, through expansions */
    long budget;                /* nodes that may still be visited */
    bool exhausted;             /* the message about it was given */
};

/* -- elab_scope.c -- */

void scope_push(struct elab *e);
void scope_pop(struct elab *e);
struct binding *scope_find(struct elab *e, const char *name);
struct binding *scope_bind(struct elab *e, const char *name, struct loc loc, struct item item);
/* After "is not declared": a note with the nearest name, if one is near. */
void unknown_name(struct elab *e, struct loc where, const char *name, const char *what);
void unknown_entity(struct unit *u, struct loc where, const char *name, const char *what);
void unknown_function(struct elab *e, struct loc where, const char *name);
int edit_distance(const char *a, const char *b);

/* -- elab_build.c -- */

struct item item_error(struct loc loc);
struct item item_integer(uint64_t n, struct loc loc);
struct item item_constant(struct constant c, struct loc loc);
struct item item_value(struct expr *x);
const char *item_text(const struct item *it);   /* "u8x16", "the array 'r'": for messages */

struct expr *make_expr(enum expr_kind kind, enum value_type type, struct loc loc);
struct expr *make_const(enum value_type type, uint64_t n, struct loc loc);      /* splatted */
struct expr *make_var_expr(struct var *v, struct loc loc);
struct expr *make_binary(enum op op, struct expr *a, struct expr *b, struct loc loc);
struct expr *make_convert(struct expr *a, enum value_type type, struct loc loc);
struct expr *make_not(struct expr *condition);
struct expr *scale(struct expr *a, uint64_t k);         /* u64 a * k, folded */
struct expr *add_u64(struct expr *a, struct expr *b);   /* either may be NULL: 0 */
bool is_constant_expr(const struct expr *x);
/* May not change while the function runs: constants, parameters, lets. */
bool is_stable(const struct expr *x);

struct var *make_var(struct elab *e, const char *name, enum value_type type, struct loc loc);
struct object *make_object(struct elab *e, enum object_kind kind, const char *name, struct loc loc);
struct stmt *emit(struct elab *e, enum stmt_kind kind, struct loc loc);
void emit_assign(struct elab *e, struct var *v, struct expr *value, struct loc loc);
/* Assigns at `mark`, before what was emitted since, and gives the variable's value. */
struct expr *save_at(struct elab *e, struct stmt **mark, struct expr *value);
/* Evaluates before what follows `mark`: saved when statements came after it. */
void settle(struct elab *e, struct stmt **mark, struct item *it);
struct stmt **list_end(struct stmt **list);
/* Counts a visited node; false once there are too many or they nest too deeply. */
bool enter(struct elab *e, struct loc where);
void leave(struct elab *e);

/* -- expressions -- */

/* `want` is the type that the context would take, VOID when it takes any. */
struct item elab_expr(struct elab *e, const struct node *n, enum value_type want);
/* One run-time value of that type (any type when VOID); NULL after a message. */
struct expr *elab_value(struct elab *e, const struct node *n, enum value_type type);
struct expr *coerce(struct elab *e, struct item it, enum value_type type);
/* Can the integer be a value of that type (its lanes, for a vector)? */
bool number_fits(uint64_t n, enum value_type t);
/* An integer known now; false after a message that says what needs it. */
bool elab_static(struct elab *e, const struct node *n, const char *what, uint64_t *out);
/* A condition: BOOL, or known already (then *known and NULL). */
struct expr *elab_condition(struct elab *e, const struct node *n, bool *known, bool *is_true);

/* What a static loop goes over. */
struct domain_items { struct item list; uint64_t lo, step; int count; };
bool elab_domain(struct elab *e, const struct node *n, const struct node *step,
                 struct domain_items *out);
struct item domain_item(const struct domain_items *d, int i, struct loc where);

struct item elab_unary(struct elab *e, const struct node *n, enum value_type want);
struct item elab_binary(struct elab *e, const struct node *n, enum value_type want);
struct item elab_as(struct elab *e, const struct node *n);
struct item elab_if_expr(struct elab *e, const struct node *n, enum value_type want);

struct item elab_index(struct elab *e, const struct node *n);
struct item elab_field(struct elab *e, const struct node *n);
struct item elab_load(struct elab *e, const struct node *call);
bool elab_store(struct elab *e, const struct node *call);
struct item load_whole(struct elab *e, const struct item *memory);  /* a table used as a value */
struct memory whole_object(struct object *o);
struct memory whole_table(struct entity *t, struct object *o);

struct item elab_call(struct elab *e, const struct node *n, enum value_type want);
bool is_builtin(const char *name);
const char *builtin_name(int i);         /* NULL past the last */
struct item elab_builtin(struct elab *e, const struct node *n, enum value_type want);
struct item elab_flag_builtin(struct elab *e, const struct node *n, enum value_type flag);
struct item elab_build(struct elab *e, const struct node *n);
struct item elab_insn(struct elab *e, const struct node *n, enum value_type want);
/* The arguments, in order; each is settled before the next one's statements. */
struct item *elab_arguments(struct elab *e, const struct node *list, enum value_type want, int *n);

struct item call_inline(struct elab *e, struct entity *fn, const struct node *call);
struct item call_local(struct elab *e, struct entity *fn, const struct node *call);

/* -- statements -- */

enum flow elab_block(struct elab *e, const struct node *block);
enum flow elab_statements(struct elab *e, const struct node *first);
enum flow elab_return(struct elab *e, const struct node *n);
void elab_static_let(struct elab *e, const struct node *n);
void elab_declare(struct elab *e, const struct node *n);        /* let, var */
void elab_assign(struct elab *e, const struct node *n);
enum flow elab_for(struct elab *e, const struct node *n);
enum flow elab_static_for(struct elab *e, const struct node *n);

enum place_kind { PLACE_ERROR, PLACE_IGNORED, PLACE_VAR, PLACE_MEMORY, PLACE_LIST, PLACE_NEW };

struct place {
    enum place_kind kind;
    struct loc loc;
    enum value_type type;       /* of the value it takes */
    struct var *var;
    struct access access;
    enum value_type mem;
    struct place *at;
    int n;
    const struct node *binding; /* PLACE_NEW: declared by this let or var … */
    bool is_variable;
};

struct place elab_place(struct elab *e, const struct node *n);
struct place place_of_item(struct elab *e, const struct item *it);
/* Puts items into places of the same shape, all read before any is written. */
void assign_items(struct elab *e, struct place *places, int n, struct item *items, int item_count,
                  struct loc where);
/* Part I of a list that must have N: an array of registers, a constant, a table. */
bool list_part(struct elab *e, const struct item *list, int64_t n, int64_t i, struct item *out);
/* r, c = a + b …: false when the value is not of such a form (nothing was done). */
bool elab_carry_form(struct elab *e, struct place *places, int n, const struct node *value,
                     struct loc where);

/* -- functions -- */

/* Resolves value types with static extents (results, parameters by value). */
bool value_shape(struct elab *e, const struct node *type, struct shape_of *out);
struct item make_results(struct elab *e, const struct entity *fn);
/* Memory parameters: the bytes that the declared type covers, in e's scope. */
struct expr *declared_extent(struct elab *e, const struct type_use *t);
void start_elab(struct elab *e, struct unit *u, struct func *f);
/* Elaborates an inline function on its own, for its messages. */
void check_inline_alone(struct entity *fn);
void elab_test_block(struct unit *u, const struct node *test, struct test *out);

/* The contents of an object of that size; false after a message. */
bool constant_to_bytes(const struct constant *c, enum value_type element, uint64_t size,
                       const struct node *where, struct object *o);

/* -- elab_prove.c -- */

/* Is need <= have for all values, given what holds here? */
bool proved_at_most(struct elab *e, struct expr *need, struct expr *have);
/* hi of lo..=hi: can hi + 1 wrap? */
bool proved_below_max(struct elab *e, const struct expr *x);
void add_fact(struct elab *e, struct expr *condition);
/* Lets replaced by what they are, so that only parameters and memory remain. */
struct expr *resolve(const struct elab *e, struct expr *x);
/* May these be one array, for any caller of the function at hand? */
bool may_be_same_here(const struct elab *e, const struct object *a, const struct object *b);

#endif
