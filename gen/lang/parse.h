/* parse.h: what the scanner, the grammar and the file reader share.
 *
 * Private to grammar/, gen/lang/parse*.c and gen/lang/ast_build.c. One struct
 * parser exists for each file being read; nothing here is global.
 */
#ifndef KGEN_LANG_PARSE_H
#define KGEN_LANG_PARSE_H

#include "base/mem.h"
#include "lang/ast.h"

struct node_list { struct node *first, *last; };
struct param_list { struct param_node *first, *last; };
struct clause_list { struct clause_node *first, *last; };
struct name_token { const char *name; struct loc loc; };

struct algebra_comment { struct loc loc; const char *text; };

struct parser {
    uint16_t file;
    uint32_t line, col;         /* where the scanner stands */
    struct loc token, previous; /* the last two tokens; file 0: there was none */

    int open_braces;
    struct text doc;            /* `///` lines not yet given to a declaration */
    struct loc doc_loc;
    VEC(struct algebra_comment) algebra;
    VEC(struct node *) statements;

    struct node_list declarations;
    bool had_errors;            /* of syntax: then some of what follows may be missing */
    bool stopped;               /* nothing more is read from this file */

    int read_file;              /* its index among the files read */
    const char *path;           /* NULL: a text in memory, which cannot include */
    const struct parser *includer;
    struct loc included_at;
};

/* -- kernel.l -- */

/* Reads the whole text; declarations are added to the parser's. */
void parse_with_grammar(struct parser *p, const char *text, size_t n);

/* -- parse.c -- */

void parse_include(struct parser *p, struct loc where, const char *name);
void add_declaration(struct parser *p, struct node *declaration);

/* -- parse_token.c: what a token means -- */

/* Contents of a quoted string with its escapes resolved. */
const char *string_contents(struct loc loc, const char *s, size_t n);
/* Sets value and is_wide of an N_NUMBER. */
struct node *number_node(struct loc loc, const char *s, size_t n);
void doc_line(struct parser *p, struct loc loc, const char *s, size_t n);
/* The doc comment before the token at hand, or NULL. */
const char *take_doc(struct parser *p);
/* Complains about a doc comment before a token that cannot have one. */
void refuse_doc(struct parser *p);
void algebra_line(struct parser *p, struct loc loc, const char *s, size_t n);
/* Gives each `//=` to the statement that ends last on its line. */
void attach_algebra(struct parser *p);

/* -- parse_error.c -- */

/* expected[0..n-1] and found are names of terminals as kernel.y declares them. */
void report_syntax_error(struct parser *p, const char *const *expected, int n, const char *found);
void report_too_deep(struct parser *p, struct loc where);

/* -- ast_build.c -- */

struct loc span_between(struct loc first, struct loc last);
struct loc span_of(const struct loc *parts, int n);
struct loc span_after(struct loc last);

struct node *new_node(enum node_kind kind, struct loc loc);
struct node *new_statement(struct parser *p, enum node_kind kind, struct loc loc);
/* Makes child, a node or a chain, part of parent: keeps parent->depth right. */
struct node *adopt(struct parser *p, struct node *parent, struct node *child);

struct node_list list_of(struct node *n);
struct node_list list_add(struct node_list list, struct node *n);

struct node *named(enum node_kind kind, struct loc loc, struct name_token name);
struct node *string_node(struct loc loc, const char *text);
struct node *type_node(struct parser *p, struct loc loc, struct name_token name,
                       struct node *extent);
struct node *unary(struct parser *p, struct loc loc, enum op op, struct node *a);
struct node *binary(struct parser *p, struct loc loc, enum op op, struct node *a, struct node *b);
struct node *with_a(struct parser *p, enum node_kind kind, struct loc loc, struct node *a);
struct node *with_a_b(struct parser *p, enum node_kind kind, struct loc loc, struct node *a,
                      struct node *b);
struct node *with_list(struct parser *p, enum node_kind kind, struct loc loc, struct node *list);
struct node *range_node(struct parser *p, struct loc loc, struct node *lo, struct node *hi,
                        bool is_inclusive);
struct node *field_of(struct parser *p, struct loc loc, struct node *whole, struct name_token name);
/* N_LET, N_VAR, N_STATIC_LET, N_ASSIGN: list = value. */
struct node *bind(struct parser *p, enum node_kind kind, struct loc loc, struct node_list list,
                  struct node *value);
struct node *expect_node(struct parser *p, struct loc loc, struct node *claim);
struct node *if_node(struct parser *p, enum node_kind kind, struct loc loc, struct node *condition,
                     struct node *then, struct node *otherwise);
void mark_static(struct node *n);
struct node *chain(struct node *first, struct node_list rest);
/* Both accept NULL, which stands for a declaration that had errors. */
struct node *documented(struct node *n, struct loc loc, const char *doc);
struct node *function_of(struct node *n, enum function_kind kind, struct loc loc, const char *doc);
struct function_node *new_function(struct param_list params, struct node_list results,
                                   struct clause_list clauses, struct node *body);

struct clause_node *new_clause(enum clause_kind kind, struct loc loc, struct node *names);
struct clause_list clause_add(struct clause_list list, struct clause_node *c);
struct param_list param_add(struct param_list list, struct param_node *p);

#endif
