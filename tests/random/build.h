/* build.h: the state of one random program, shared by the parts that write it.
 *
 *   generate.c         the module: parameters, helpers, the export
 *   generate_stmt.c    statements
 *   generate_loop.c    loops and conditions
 *   generate_expr.c    expressions
 *   generate_memory.c  arrays and tables
 *   generate_insn.c    instructions called by their mnemonic
 *
 * How a program stays valid: names remember whether their value was used, and
 * a block ends by folding what was not into the accumulator `s`; a variable is
 * only changed to something that depends on its old value; arrays that may be
 * the same are read before one of them is written, at indices that no earlier
 * iteration wrote; while a flag lives, nothing is written that sets flags.
 */
#ifndef KGEN_TESTS_RANDOM_BUILD_H
#define KGEN_TESTS_RANDOM_BUILD_H

#include "lang/tree.h"
#include "random/generate.h"

enum { NAME_MAX_LENGTH = 12, MAX_NAMES = 128, MAX_ARRAYS = 10, MAX_TABLES = 3, MAX_HELPERS = 3,
       MAX_INDICES = 3, MAX_BUNDLES = 2 };

struct name {
    char text[NAME_MAX_LENGTH];
    enum value_type type;
    bool is_variable, used, changed;
    int level;
};

/* An array of factor * count + extra elements; factor 0: extra elements. */
struct array {
    char text[NAME_MAX_LENGTH];
    enum value_type element;
    enum direction direction;       /* DIR_VALUE: a stack array */
    int count;                      /* index of the count parameter */
    int factor, extra;
    int group;                      /* arrays that may be the same; -1: none */
    bool touched;
};

struct table { char text[NAME_MAX_LENGTH]; enum value_type element; int count; };

/* Several registers with one name. */
struct bundle { char text[NAME_MAX_LENGTH]; enum value_type type; int count; };

/* What the index of a loop goes over: 0..count/unit, or 0..constant. */
struct index {
    char text[NAME_MAX_LENGTH];
    int count, unit;                /* count: -1 when constant */
    int constant, first, step;
    bool is_narrow;                 /* a u32 */
};

struct helper {
    char text[NAME_MAX_LENGTH];
    bool is_local, is_straight;
    bool has_static;                /* its first argument is a constant 1 .. 7 */
    int param_count, result_count;
    enum value_type params[3], results[2];
    uint32_t features;              /* that its body needs */
};

enum write_state { NOT_WRITTEN = -1, WRITTEN_BY_SEVERAL = -2 };     /* else the array's number */

struct gen {
    struct text *out;
    uint64_t state;                 /* of the random numbers */
    int depth;                      /* indentation */
    int level;                      /* blocks around */
    int next;                       /* makes names different */

    struct name names[MAX_NAMES];
    int name_count;
    struct array arrays[MAX_ARRAYS];
    int array_count;
    struct table tables[MAX_TABLES];
    int table_count;
    struct bundle bundles[MAX_BUNDLES];
    int bundle_count;
    struct helper helpers[MAX_HELPERS];
    int helper_count;
    char counts[2][NAME_MAX_LENGTH];/* count parameters; the second is a u32 */
    int count_count;
    bool is_bounded;                /* the first has a value set */
    char condition_on[NAME_MAX_LENGTH]; /* a public i32, or empty */
    bool has_struct;                /* `key`, with key.rounds and key.k */

    struct index indices[MAX_INDICES];
    int index_count;
    int writer[MAX_ARRAYS];         /* by group */
    bool stored_here[MAX_ARRAYS];   /* by group: the loop at hand stores to it */
    bool noalias, vectors, straight_only, flags_live;
    enum value_type result;
    uint32_t features;
};

/* -- random numbers -- */

uint64_t random_next(struct gen *g);
int below(struct gen *g, int n);
bool chance(struct gen *g, int percent);

/* -- writing -- */

/* A line of the program at the current depth. */
void line(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void open_block(struct gen *g);     /* after the line that ends in '{' */
void close_block(struct gen *g);    /* uses what was not used; the '}' is the caller's */
void make_name(struct gen *g, char out[NAME_MAX_LENGTH], const char *stem);
struct name *add_name(struct gen *g, const char *text, enum value_type type, bool is_variable);
struct name *find_name(struct gen *g, const char *text);

/* -- types -- */

bool is_wide(enum value_type t);            /* 128 bits */
enum value_type random_type(struct gen *g);
enum value_type random_scalar(struct gen *g);
enum value_type random_vector(struct gen *g);
enum value_type in_register(enum value_type memory);
const char *type_name(enum value_type t);

/* -- expressions: appended to `t` -- */

void add_expr(struct gen *g, struct text *t, enum value_type type, int depth);
void add_leaf(struct gen *g, struct text *t, enum value_type type);
/* A name of that type, or false when there is none. */
bool add_name_of(struct gen *g, struct text *t, enum value_type type);
/* x as another type. */
void add_converted(struct text *t, const char *x, enum value_type from, enum value_type to);
void add_constant(struct gen *g, struct text *t, enum value_type type);
/* A public condition. */
void add_condition(struct gen *g, struct text *t);
char *expr(struct gen *g, enum value_type type, int depth);
char *operand(struct gen *g, enum value_type type);

/* -- memory -- */

enum access_kind { ACCESS_READ, ACCESS_WRITE };
/* An element, or bytes of it, of that type: false when there is none to be had. */
bool add_load(struct gen *g, struct text *t, enum value_type type);
bool add_table_entry(struct gen *g, struct text *t, enum value_type type);
bool add_index(struct gen *g, struct text *t, const struct array *a, enum access_kind kind,
               int bytes);
bool can_store(const struct gen *g, int array);
/* Writes a store statement of a fresh value. */
void store_statement(struct gen *g, int array);
void note_store(struct gen *g, int array);
void touch_array(struct gen *g, int array);
void touch_twins(struct gen *g, int array);
int random_array(struct gen *g, bool (*is_wanted)(const struct gen *, int));

/* -- statements -- */

void straight_statement(struct gen *g);
void body_statement(struct gen *g);         /* also loops and conditions */
void insn_statement(struct gen *g);
void aes_statement(struct gen *g);
void carry_statements(struct gen *g);
void loop_statement(struct gen *g);
void carry_loop(struct gen *g);
void multiply_loop(struct gen *g);
void while_statement(struct gen *g);
void if_statement(struct gen *g);
void struct_loop(struct gen *g);
void helper_call(struct gen *g);
void fold_into_s(struct gen *g, const char *text, enum value_type type);

#endif
