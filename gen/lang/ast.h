/* ast.h: the syntax tree, exactly what was written.
 *
 * Made by grammar/kernel.y, read by lang/ only. No types are resolved, no name
 * is looked up, nothing static is computed: an `N_CALL` may turn out to be an
 * instruction, an inline function or a static one. Every node has the span of
 * its text. Lists are chained by `next`, in source order.
 */
#ifndef KGEN_LANG_AST_H
#define KGEN_LANG_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "base/diag.h"

enum node_kind {
    /* declarations */
    N_MODULE,           /* text */
    N_STRUCT,           /* name, a = size or NULL, b = align or NULL, list = N_FIELD_DECL;
                           is_extern, doc */
    N_FIELD_DECL,       /* name, type, a = value set or NULL; secrecy */
    N_TABLE,            /* name, type, a = align or NULL, b = value; doc */
    N_STATIC_LET,       /* list = N_BINDING, a = value (also a statement) */
    N_FUNCTION,         /* name, function; doc */
    N_TEST,             /* text, body */

    /* types: as written */
    N_TYPE,             /* name = "u8x16", "carry", a struct …; a = extent or NULL */

    /* statements */
    N_BLOCK,            /* list = statements */
    N_LET, N_VAR,       /* list = N_BINDING, a = value or NULL, */
    N_STACK,            /* name, type, b = align or NULL */
    N_ASSIGN,           /* list = places (N_NAME, N_INDEX, N_FIELD …), a = value; algebra */
    N_FOR,              /* name, a = N_RANGE or list value, step, shape + widths, body; is_static */
    N_WHILE,            /* a = condition, body */
    N_IF,               /* a = condition, body, other (N_BLOCK, N_IF or NULL); is_static */
    N_RETURN,           /* list = values, may be empty */
    N_EXPECT,           /* a = left, b = right (test blocks); or b = NULL: a is a condition */
    N_CALL_STMT,        /* a = N_CALL */
    N_BINDING,          /* name, type or NULL: one bound name */

    /* expressions */
    N_NUMBER,           /* number; is_wide when over 64 bits were written (reported) */
    N_STRING,           /* text */
    N_NAME,             /* name */
    N_INDEX,            /* a[b] */
    N_FIELD,            /* a.name */
    N_CALL,             /* name, list = arguments (may be N_TYPE) */
    N_BUILD,            /* type(list): u32x4(0, 0, 0, x), carry(x) */
    N_UNARY,            /* op, a */
    N_BINARY,           /* op, a, b */
    N_AS,               /* a as type */
    N_LIST,             /* [list] */
    N_COMPREHENSION,    /* [static for name in a: b] */
    N_TUPLE,            /* (list), two or more */
    N_RANGE,            /* a..b or a..=b (is_inclusive) */
    N_SET,              /* {list}: a value set; also N_RANGE serves as one */
    N_IF_EXPR,          /* if a { b } else { other } */
};

enum op {
    BIN_ADD, BIN_SUB, BIN_MUL, BIN_DIV, BIN_MOD, BIN_AND, BIN_OR, BIN_XOR,
    BIN_SHL, BIN_SHR, BIN_ROL, BIN_ROR,
    BIN_EQ, BIN_NE, BIN_LT, BIN_LE, BIN_GT, BIN_GE, BIN_LOGIC_AND, BIN_LOGIC_OR,
    UN_NOT,             /* ~a */
    UN_NEG,             /* -a */
    UN_LOGIC_NOT,       /* !a */
};
extern const char *const op_text[];     /* "+", "<<<" …, in that order */

enum loop_shape { LOOP_PLAIN, LOOP_UNROLL, LOOP_WEAVE };
enum direction { DIR_VALUE, DIR_IN, DIR_OUT, DIR_INOUT };
enum secrecy_mark { MARK_NONE, MARK_PUBLIC, MARK_SECRET };
enum function_kind { FN_EXPORT, FN_INLINE, FN_LOCAL, FN_STATIC };

/* No tree is higher, so that walks may recurse. */
enum { AST_DEPTH_LIMIT = 400 };

struct node;

struct param_node {
    const char *name;
    struct loc loc;
    enum direction direction;
    enum secrecy_mark secrecy;
    bool is_static;
    struct node *type;          /* N_TYPE */
    struct node *set;           /* N_SET, N_RANGE or NULL */
    struct node *align;
    struct param_node *next;
};

enum clause_kind { CLAUSE_REQUIRES, CLAUSE_TUNE, CLAUSE_FUSE, CLAUSE_NOALIAS, CLAUSE_WIPE,
                   CLAUSE_WHERE, CLAUSE_VARIANT };

struct clause_node {
    enum clause_kind kind;
    struct loc loc;
    struct node *names;         /* requires, fuse, noalias: N_NAME list; tune: N_STRING */
    struct node *condition;     /* where */
    const char *name;           /* variant */
    struct clause_node *inner;  /* variant */
    struct clause_node *next;
};

struct function_node {
    enum function_kind kind;
    struct param_node *params;
    struct node *results;       /* N_TYPE list, NULL: nothing */
    struct clause_node *clauses;
    struct node *body;          /* N_BLOCK */
};

struct node {
    enum node_kind kind;
    struct loc loc;
    struct loc name_loc;        /* where `name` stands, when there is one */
    struct node *next;

    const char *name;           /* interned: equal names are equal pointers */
    const char *text;           /* contents of a string, escapes resolved */
    const char *doc;            /* `///` lines before it, joined by newlines, or NULL */
    const char *algebra;        /* `//=` on its last line, or NULL */
    uint64_t number;
    enum op op;
    enum loop_shape shape;
    enum secrecy_mark secrecy;
    bool is_extern, is_static, is_inclusive, is_wide;
    uint16_t depth;             /* of the tree below: at most AST_DEPTH_LIMIT */

    struct node *a, *b, *list;
    struct node *type;
    struct node *step, *widths; /* N_FOR: widths is a list of expressions */
    struct node *body, *other;
    struct function_node *function;
};

/* Parses FILE and everything it includes. Reports through diag; what could be
 * read is returned even when there were errors (the caller checks
 * error_count()). The result is the chain of declarations, N_MODULE among them. */
struct node *parse_file(const char *path);
/* The same for a text in memory (tests, fuzzing); `include` is refused. */
struct node *parse_text(const char *name, const char *text, size_t n);
/* Files read by the last parse, in order, for -MD. */
int parsed_file_count(void);
const char *parsed_file(int i);

const char *intern(const char *s, size_t n);

/* S-expression-like stable text, for --dump=ast and the parser's tests. */
void ast_print(struct text *out, const struct node *n);

#endif
