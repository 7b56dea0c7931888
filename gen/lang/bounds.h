/* bounds.h: what the files of the bounds proof share.
 *
 * check_bounds.c walks a function once, in order, with a state: the value of
 * each integer variable as a form, and for each object the version of its
 * contents. range_value.c turns expressions into forms in that state,
 * check_range.c proves one access, shift or store, check_inplace.c compares the
 * accesses that were seen.
 */
#ifndef KGEN_LANG_BOUNDS_H
#define KGEN_LANG_BOUNDS_H

#include "lang/check.h"
#include "lang/range.h"

struct state {
    struct form *value;         /* by slot; unknown: read for the first time later */
    int *version;               /* by object id */
};

/* One level of nesting around an access: an arm of a loop or a side of an `if`. */
struct frame {
    const struct frame *up;
    const struct stmt *stmt;
    int side;                   /* arm of a loop; 0 and 1 of an `if` */
    int depth;
    int first_symbol;           /* loops: symbols from here on belong to one iteration */
    struct form count;          /* loops: number of the iteration */
    struct form index;          /* S_FOR: the index */
};

/* An access to memory that may be the same as other memory. */
struct event {
    struct loc loc;
    const struct object *object;
    bool is_write;
    struct form offset, size;
    const struct frame *frame;
    struct fact *facts;         /* the path's, copied */
    int fact_count;
    int order;                  /* in which it was seen */
};

/* A field of an `out` struct: it has a value set, but no value on entry. Its slot
 * holds 1 where it was certainly set, and at most what is true elsewhere. */
struct set_field { const struct object *object; const struct field *field; int slot; };

enum wrap_mode { WRAP_EXACT, WRAP_IGNORED };    /* IGNORED: sums of contracts; guesses about loops */

struct question;                /* what expr_value_range() and trip_count_divides() ask */

struct bounds {
    struct func *f;
    struct range r;
    int *slot;                  /* by variable id; -1: not needed for any proof */
    VEC(struct set_field) fields;
    int slot_count;             /* variables and fields */
    struct form *extent;        /* bytes, by object id */
    struct state now;
    enum wrap_mode wrap;
    VEC(int) version_birth;     /* first symbol that may depend on a version of memory */
    const struct frame *frame;
    VEC(struct event) events;
    VEC(struct loc) refused;    /* places with a message: not looked at in other expansions */
    int guessing;               /* inside a pass whose assumptions are not shown yet */
    bool silent;                /* a question is asked about a function that was checked */
    struct question *question;
};

/* -- range_value.c -- */

/* The value of an integer expression, exactly. */
struct form value_of(struct bounds *b, const struct expr *e);
/* Adds what a condition says when it HOLDS or does not. */
void assume(struct bounds *b, const struct expr *cond, bool holds);
bool condition_holds(struct bounds *b, const struct expr *cond);
int new_version(struct bounds *b);
/* floor(f / k) */
struct form quotient(struct bounds *b, struct form f, wide k);
/* The text of an expression, or "a value" when it spans lines. */
const char *source_text(const struct expr *e);
wide type_limit(enum value_type t);     /* largest value */

/* -- check_range.c -- */

/* Everything inside one expression: loads, shifts, divisors. */
void check_ranges(struct bounds *b, const struct expr *e);
/* The place that a statement writes, and the value sets it must keep. */
void check_written(struct bounds *b, const struct stmt *s);
void check_called(struct bounds *b, const struct stmt *s);
bool may_report(const struct bounds *b);
/* A question about a place: false when it had its message already. */
bool may_refuse(struct bounds *b, struct loc loc);
void refuse(struct bounds *b, struct loc loc);      /* notes that it gets one now */

/* -- check_inplace.c -- */

void record_access(struct bounds *b, const struct object *o, struct form offset, struct form size,
                   bool is_write, struct loc loc);
void check_in_place(struct bounds *b);

#endif
