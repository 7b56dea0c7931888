/* tree.h: the typed tree, what a kernel means.
 *
 * Made from the syntax tree by elaboration (lang/elab*.c): names are resolved,
 * every value has one type, static code is done (static for/if/let/fn are
 * gone, register arrays are split into single variables, `if` expressions on
 * run-time conditions became statements), inline functions are expanded at
 * each call with fresh variables, addresses are byte offsets into objects.
 *
 * What remains is small enough to be read as a definition: the reference that
 * `verify` compares against is a direct walk of this tree, and shares no code
 * with shape/, ir/ and code/, which compile it.
 *
 * Evaluation is sequential. Variables are assigned, not SSA. All integer
 * arithmetic wraps. Memory is little-endian bytes.
 */
#ifndef KGEN_LANG_TREE_H
#define KGEN_LANG_TREE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"
#include "base/mem.h"
#include "isa/isa.h"
#include "lang/ast.h"

/* -- types of values -- */

/* id, spelling, bits in all, bits of a lane, lanes, C spelling */
#define VALUE_TYPES(T)                             \
    T(VOID,   "nothing", 0,   0,  0, "void")       \
    T(U8,     "u8",      8,   8,  1, "uint8_t")    \
    T(U16,    "u16",     16,  16, 1, "uint16_t")   \
    T(U32,    "u32",     32,  32, 1, "unsigned")   \
    T(I32,    "i32",     32,  32, 1, "int")        \
    T(U64,    "u64",     64,  64, 1, "uint64_t")   \
    T(USIZE,  "usize",   64,  64, 1, "size_t")     \
    T(BOOL,   "condition", 1, 1,  1, "int")        \
    T(CARRY,  "carry",   1,   1,  1, "int")        \
    T(BORROW, "borrow",  1,   1,  1, "int")        \
    T(ADDR,   "address", 64,  64, 1, "void *")     \
    T(U8X16,  "u8x16",   128, 8,  16, "uint8_t")   \
    T(U16X8,  "u16x8",   128, 16, 8, "uint8_t")    \
    T(U32X4,  "u32x4",   128, 32, 4, "uint8_t")    \
    T(U64X2,  "u64x2",   128, 64, 2, "uint8_t")    \
    T(U8X8,   "u8x8",    64,  8,  8, "uint8_t")    \
    T(U16X4,  "u16x4",   64,  16, 4, "uint8_t")    \
    T(U32X2,  "u32x2",   64,  32, 2, "uint8_t")    \
    T(U64X1,  "u64x1",   64,  64, 1, "uint8_t")
/* U8 and U16 exist in memory only: loading one gives a U32, storing one keeps
 * the low bits of a U32. BOOL exists only inside conditions. ADDR is made by
 * shape/, never by a program. */

enum value_type {
#define TYPE_ENUM(id, ...) TYPE_##id,
    VALUE_TYPES(TYPE_ENUM)
#undef TYPE_ENUM
    TYPE_COUNT
};

struct value_type_row { const char *name; uint8_t bits, lane_bits, lanes; const char *c_name; };
extern const struct value_type_row value_types[TYPE_COUNT];

static inline bool type_is_vector(enum value_type t) { return t >= TYPE_U8X16; }
static inline bool type_is_flag(enum value_type t) { return t == TYPE_CARRY || t == TYPE_BORROW; }
static inline bool type_is_scalar(enum value_type t) { return (t >= TYPE_U8 && t <= TYPE_USIZE); }
static inline int type_bytes(enum value_type t) { return value_types[t].bits / 8; }

/* -- memory -- */

enum object_kind { OBJECT_PARAM, OBJECT_STACK, OBJECT_TABLE };

struct value_range { uint64_t lo, hi; };                    /* inclusive */
struct value_set { struct value_range *at; int n; };        /* sorted, disjoint; n == 0: no set */

struct field {
    const char *name;
    struct loc loc;
    enum value_type element;
    uint64_t count;             /* elements; 1 for a scalar */
    uint64_t offset;            /* bytes */
    bool secret, is_array;
    struct value_set set;
};

struct struct_type {
    const char *name, *doc;
    struct loc loc;
    bool is_extern;
    uint64_t size, align;
    struct field *fields;
    int field_count;
};

struct object {
    enum object_kind kind;
    const char *name;
    struct loc loc;
    int id;                     /* index in func.objects; for a table in module.tables */
    enum value_type element;    /* VOID when layout is set */
    struct struct_type *layout; /* a struct parameter, or NULL */
    struct expr *extent;        /* bytes, an expression over public parameters */
    enum direction direction;   /* parameters */
    int param;                  /* index in func.params */
    uint64_t align;             /* guaranteed alignment in bytes, at least the element's (1 for vectors) */
    bool secret;                /* what it holds, where no field says otherwise */
    uint8_t *bytes;             /* tables: the contents */
    uint64_t size;              /* tables: bytes */
    uint64_t table_offset;      /* tables: position in the module's table object */
    const char *doc;
};

/* Where an expression reads or a statement writes: `size` bytes at `offset`
 * into `object`. shape/ may replace the base: then address = *pointer + offset
 * with a constant offset, and `key` names the part of the offset that is not
 * constant: two accesses with one key (not 0) overlap exactly when their
 * constant parts do, whatever object each is in, if the objects are the same. */
struct access {
    struct object *object;
    struct expr *offset;        /* u64 */
    struct var *pointer;        /* set by shape/ only */
    int key;
    uint64_t disp;              /* set by shape/: the constant part, as offset from the key */
    const struct field *field;  /* the field it was written as (key.rd_key[r]): bounds, secrecy and
                                   value set are the field's; NULL: the whole object (load, store) */
};

/* -- values -- */

struct var {
    const char *name;           /* as written; "" for a temporary */
    struct loc loc;
    int id;                     /* index in func.vars */
    enum value_type type;
    bool secret;                /* set by check/: may hold a secret */
    bool is_mutable;            /* `var`, or a loop index */
    bool ignored;               /* bound to `_` */
};

enum expr_kind {
    E_CONST,            /* value[0..1], little-endian; any type (a CARRY is 0 or 1) */
    E_VAR,              /* var */
    E_LOAD,             /* access; mem = type in memory (U8/U16 widen to U32) */
    E_UNARY,            /* op BIN_NOT… : UN_NOT, UN_NEG; lane-wise */
    E_BINARY,           /* op, a, b of one type; lane-wise. Shifts and rotates: b is a U64/U32
                           scalar amount (a constant for vectors). DIV, MOD: b is a constant power of two */
    E_COMPARE,          /* op EQ..GE on scalars a, b: BOOL. Unsigned, but for I32 */
    E_LOGIC,            /* op LOGIC_AND/OR/NOT on BOOLs (short-circuit has no effect: no side effects) */
    E_SAME,             /* object_a and object_b are the same array: BOOL */
    E_CONVERT,          /* a as type: scalars zero-extend or truncate; vectors of one size re-read bits */
    E_INSN,             /* insn applied to args (registers) and immediates in operand order */
    E_SELECT,           /* a ? b : c, where a is a flag or an all-ones/zero mask of the result's size */
    E_FROM_FLAG,        /* flag a as 0 or 1 */
    E_MASK,             /* flag a as 0 or all ones */
    E_TO_FLAG,          /* carry(a): 1 when a != 0; a is 0, 1 or all ones */
    E_ADC, E_SBC,       /* a + b + flag c; a - b - flag c; flags not written */
    E_BUILD,            /* vector of scalars args[0..lanes-1] */
    E_SPLAT,            /* scalar a in every lane */
    E_LANE,             /* lane `lane` of vector a, zero-extended to U32 or U64 */
    E_DECLASSIFY,       /* a, public from here */
    E_ADDRESS,          /* the address that access means: ADDR; made by shape/ only */
};

struct expr {
    enum expr_kind kind;
    enum value_type type;
    struct loc loc;
    bool secret;                /* set by check/ */
    enum op op;
    uint64_t value[2];
    struct var *var;
    struct expr *a, *b, *c;
    struct access access;
    enum value_type mem;
    enum insn insn;
    struct expr **args;         /* E_INSN, E_BUILD: in operand order, without the definition */
    int arg_count;
    int lane;
    struct object *object_a, *object_b;
};

/* -- statements -- */

enum stmt_kind {
    S_ASSIGN,           /* var = value */
    S_CARRY,            /* var (or NULL), flag (or NULL) = a +/- b +/- flag_in (or NULL); is_subtract */
    S_MUL,              /* var = low half, high = high half of a * b (U64) */
    S_STORE,            /* access = value; mem = type in memory */
    S_FOR,              /* index from lo to hi (exclusive, both evaluated once, before) by step; arms */
    S_REPEAT,           /* body, `count` times, count >= 1; or, without a count, body and again while
                           `cond` holds (tested after it); made by shape/ */
    S_WHILE,            /* cond, body */
    S_IF,               /* cond, body, other (may be NULL) */
    S_RETURN,           /* values */
    S_CALL,             /* results = callee(args): a local function */
};

struct for_arm { int width; struct stmt *body; };   /* the body elaborated with `width` known */

struct call_arg { struct expr *value; struct object *object; };     /* one of them */

struct stmt {
    enum stmt_kind kind;
    struct loc loc;
    struct stmt *next;
    const char *algebra;        /* the `//=` text */

    struct var *var, *flag, *high;
    struct expr *value, *a, *b, *flag_in;
    bool is_subtract;
    struct access access;
    enum value_type mem;

    struct var *index;
    struct expr *lo, *hi;
    uint64_t step;
    enum loop_shape shape;
    struct for_arm *arms;       /* widths descending; LOOP_PLAIN: one arm of width 1 */
    int arm_count;
    struct var *count;          /* S_REPEAT; is assigned: counts down to 0 */
    int steps;                  /* S_REPEAT: of the source's loop, that one turn makes */

    struct expr *cond;
    struct stmt *body, *other;

    struct expr **values;       /* S_RETURN */
    int value_count;

    struct func *callee;
    struct call_arg *args;
    struct var **results;       /* entries may be NULL: ignored */
    int arg_count, result_count;
};

/* -- functions, modules -- */

struct param {
    const char *name;
    struct loc loc;
    struct var *var;            /* a value */
    struct object *object;      /* or memory */
    enum value_type type;       /* values: as declared */
    bool secret;
    struct value_set set;
};

enum fuse { FUSE_EOR3 = 1, FUSE_BCAX = 2 };

struct variant {                /* variant 0 is the base */
    const char *name;           /* "" for the base */
    struct loc loc;
    uint32_t features;          /* 1 << enum feature, what it may use beyond FEAT_BASE */
    uint32_t fuse;
    const char *tune;           /* core name or NULL */
};

struct func {
    const char *name, *doc;
    struct loc loc;
    enum function_kind kind;    /* FN_EXPORT or FN_LOCAL */
    struct module *module;
    struct param *params;
    int param_count;
    enum value_type *results;
    int result_count;
    struct stmt *body;
    VEC(struct var *) vars;
    VEC(struct object *) objects;       /* parameters and stack arrays */
    uint64_t stack_bytes, stack_depth;  /* of stack arrays at most, without and with callees' */
    struct expr **where;                /* preconditions */
    int where_count;
    struct variant *variants;
    int variant_count;
    bool wipe;
    struct ir_func *ir;                 /* local functions: set by ir/ once compiled, read for calls */
    /* May parameters i and j be the same array? n*n over objects, symmetric. */
    bool *may_be_same;
};

static inline bool objects_may_be_same(const struct func *f, const struct object *a,
                                       const struct object *b)
{
    return a == b || (a->kind == OBJECT_PARAM && b->kind == OBJECT_PARAM &&
                      f->may_be_same[a->id * f->objects.n + b->id]);
}

/* test blocks: what to run, in order; expectations carry both sides */
enum test_step_kind { TEST_BUFFER, TEST_CALL, TEST_EXPECT_BUFFER };

struct test_value {             /* an argument, or an expected result */
    struct object *buffer;      /* a named buffer of the test (declared by TEST_BUFFER) */
    uint8_t *bytes;             /* or literal memory */
    uint64_t size;
    uint64_t number;            /* or a scalar */
    bool is_memory;
    enum value_type element;
};

struct test_step {
    enum test_step_kind kind;
    struct loc loc;
    struct object *buffer;      /* TEST_BUFFER, TEST_EXPECT_BUFFER */
    struct test_value *args;    /* TEST_CALL */
    int arg_count;
    struct func *callee;
    bool expects_result;
    struct test_value expected; /* TEST_BUFFER: initial contents (bytes NULL: unset); others: what must be */
    uint64_t offset;            /* TEST_EXPECT_BUFFER: first byte compared */
    struct test_step *next;
};

struct test { const char *name; struct loc loc; struct test_step *steps; struct test *next; };

/* Of the stack arrays of a function and its callees, in bytes. */
enum { STACK_LIMIT = 1 << 15 };

struct module {
    const char *name, *doc;
    const char *prefix;                 /* of its symbols in the output; NULL: none */
    struct loc loc;
    VEC(struct struct_type *) structs;
    VEC(struct object *) tables;        /* declared order; one read-only object */
    uint64_t tables_size, tables_align;
    VEC(struct func *) funcs;           /* exports and locals that are used, declared order */
    struct test *tests;
};

/* "vpaes_armv8": a module's name as part of an identifier. */
char *module_identifier(const struct module *m);

struct program { VEC(struct module *) modules; };

/* Elaborates and runs every check. NULL when there were errors. */
struct program *check_program(struct node *decls);
/* The same a module at a time, so that one can be released before the next is
 * made: the names of all modules (NULL when that is of no use), then each
 * module's trees, in order and once. */
struct units *declare_program(struct node *decls);
int unit_count(const struct units *units);
struct module *elaborate_module(struct units *units, int i);

/* Stable text, for --dump=tree and tests. */
void tree_print_func(struct text *out, const struct func *f);
void tree_print_expr(struct text *out, const struct expr *e);

/* -- expressions as linear forms: lang/affine.c, used by bounds/ and shape/ -- */

struct affine_term { struct expr *atom; int64_t factor; };  /* atom: a variable or an expression it does not see through */
struct affine { int64_t constant; struct affine_term *terms; int n; };
/* e = constant + sum(factor * atom), wrapping; terms sorted by a stable order. */
struct affine affine_of(const struct expr *e);
bool affine_equal_terms(const struct affine *a, const struct affine *b);
/* Structural equality (same variables, same constants). */
bool expr_equal(const struct expr *a, const struct expr *b);

#endif
