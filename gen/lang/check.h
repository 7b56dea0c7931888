/* check.h: every rule that a finished typed tree must obey.
 *
 * check_func() runs the analyses below, in this order, on one function whose
 * tree is complete (elaboration reported nothing for it). Each reports through
 * diag and leaves the tree as it was, but for the `secret` marks of variables,
 * expressions and stack arrays, which check_secrets() sets, and the sizes that
 * check_stack() does.
 *
 * A callee (local fn) must be checked before its callers.
 */
#ifndef KGEN_LANG_CHECK_H
#define KGEN_LANG_CHECK_H

#include "lang/tree.h"

void check_func(struct func *f);

/* One analysis a file: check_NAME.c. */
void check_assignments(struct func *f);     /* uninitialised, unused */
void check_secrets(struct func *f);         /* secret-branch, secret-address, secret-time */
void check_features(struct func *f);        /* feature */
void check_flags(struct func *f);           /* carry-lost */
void check_bounds(struct func *f);          /* out-of-bounds, value-set, range, in-place, extent */
void check_stack(struct func *f);           /* unsupported: too large */
void check_weaves(struct func *f);          /* varying-control, loop-carried */

/* -- for later stages, on a tree that check_func() accepted -- */

/* The values E (an integer over public values) may have when control is at the
 * statement AT, or on entry to F when AT is NULL. False: nothing but its type
 * is known, and *out is the range of the type. Walks the whole function. */
bool expr_value_range(struct func *f, const struct stmt *at, const struct expr *e,
                      struct value_range *out);
/* Is the number of iterations of LOOP always a multiple of K? */
bool trip_count_divides(struct func *f, const struct stmt *loop, uint64_t k);

/* -- walking the tree: check.c -- */

/* The I-th operand of E (address offset, a, b, c, then args), NULL after the last.
 * That is the order of evaluation. */
struct expr *expr_child(const struct expr *e, int i);
/* The I-th expression that S itself evaluates, in order; not those of its bodies. */
struct expr *stmt_expr(const struct stmt *s, int i);
/* The I-th variable that S sets when it is done (not a loop index). *done is set
 * past the last one; a result that nobody takes is NULL. */
struct var *stmt_result(const struct stmt *s, int i, bool *done);
/* The I-th list of statements inside S; *done as above, an empty list is NULL. */
struct stmt *stmt_body(const struct stmt *s, int i, bool *done);

#define each_child(c, e) (int i_##c = 0; ((c) = expr_child((e), i_##c)) != NULL; i_##c++)
#define each_expr(x, s) (int i_##x = 0; ((x) = stmt_expr((s), i_##x)) != NULL; i_##x++)
#define each_result(v, s) \
    (struct { int i; bool done; } at_##v = { 0, false }; \
     ((v) = stmt_result((s), at_##v.i, &at_##v.done), !at_##v.done); at_##v.i++)
#define each_body(b, s) \
    (struct { int i; bool done; } at_##b = { 0, false }; \
     ((b) = stmt_body((s), at_##b.i, &at_##b.done), !at_##b.done); at_##b.i++)

/* How to name a variable in a message: its name, or what it is. */
const char *var_label(const struct var *v);

/* The field of a struct that an access certainly lies in: the one it was
 * written as, or the one at a constant offset; NULL when neither is known. */
const struct field *access_field(const struct access *a, int bytes);

/* Sets of variables (or anything numbered). */
struct bits { uint64_t *word; int n; };
struct bits bits_new(int n);
struct bits bits_copy(const struct bits *b);
void bits_set(struct bits *b, int i);
void bits_clear(struct bits *b, int i);
bool bits_has(const struct bits *b, int i);
void bits_fill(struct bits *b);
void bits_empty(struct bits *b);
bool bits_union(struct bits *into, const struct bits *from);        /* true: INTO grew */
void bits_intersect(struct bits *into, const struct bits *from);

#endif
