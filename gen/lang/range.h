/* range.h: integer unknowns, linear facts about them, and what follows.
 *
 * A form is constant + sum(factor * symbol) over the mathematical integers,
 * never wrapping; range_value.c turns the wrapping arithmetic of a kernel into
 * forms exactly. A symbol is one unknown number that does not change: a
 * parameter, an iteration's number, a quotient, a value read from memory.
 *
 * Facts are of two sorts. What defines a symbol (q = x / 8 means 0 <= x - 8q
 * <= 7) holds always. What is known on the path to a statement (the condition
 * of an `if`, the bounds of a loop) is scoped: range_mark(), range_release().
 *
 * range_proves() is sound and incomplete: true means that the inequality holds
 * for all integers that satisfy the facts. It tries, in order: intervals, one
 * fact that is enough by itself, Fourier-Motzkin elimination with integer
 * rounding, and that once more in each case of a value set or a disequality.
 */
#ifndef KGEN_LANG_RANGE_H
#define KGEN_LANG_RANGE_H

#include "base/mem.h"
#include "lang/tree.h"

/* 2^64 - 1 and its products with element sizes must fit. */
typedef __int128 wide;
#define WIDE_MAX ((wide)1 << 120)       /* beyond it: unknown */

struct term { int symbol; wide factor; };
struct form { wide constant; int n; struct term *terms; };      /* sorted by symbol, no zero factor */

enum symbol_kind {
    SYMBOL_BASE,        /* an unknown of its own */
    SYMBOL_COUNT,       /* the number of an iteration, from 0 */
    SYMBOL_DERIVED,     /* a function of the forms a and b, and of memory at `version` */
};

struct symbol {
    enum symbol_kind kind;
    const char *text;           /* for messages */
    wide lo, hi;                /* always true */
    const struct value_set *set;/* always true; NULL: none */
    int op, key;                /* SYMBOL_DERIVED: with the forms, its identity */
    struct form a, b;
    int version;                /* of the memory it was read from */
    int solved;                 /* 1 + its index in `solved`; 0: not there */
    VEC(int) always;            /* the facts of range.always that mention it */
    int near_stamp;             /* scratch of a search */
    struct form most;           /* SYMBOL_COUNT: its last value, when has_most; for messages */
    bool has_most;
};

enum fact_kind {
    FACT_GE, FACT_EQ, FACT_NE,  /* form >= 0, == 0, != 0 */
    FACT_ANY,                   /* at least one of a list */
    FACT_WHEN,                  /* form == 0 if every guard's selector has its value */
};
struct guard { int selector, value; };
struct fact {
    enum fact_kind kind;
    struct form form;
    struct fact *any;           /* FACT_ANY */
    int any_count;
    struct guard *guards;       /* FACT_WHEN, outermost first */
    int guard_count;
};
struct substitution { int symbol; struct form value; };

struct range {
    VEC(struct symbol) symbols;
    VEC(struct form) always;            /* >= 0 */
    VEC(int) always_stamp;              /* scratch of a search, for each of them */
    VEC(int) near;                      /* those connected to the question */
    int stamp;
    VEC(struct fact) path;
    VEC(struct substitution) solved;    /* from the path's equalities, in order */
    VEC(int) derived;                   /* symbols that are SYMBOL_DERIVED */
    VEC(int) with_set;                  /* symbols that have a value set */
    VEC(int) connected;                 /* symbols of the last search that failed */
    long spent;                         /* by searches: facts looked at, rows compared */
    long allowed;                       /* where the search that runs gives up */
};

/* What one question may cost, and all of a function's (about 1 s) before each
 * may cost only little. */
enum { QUESTION_EFFORT = 400 * 1000, RANGE_EFFORT = 60 * 1000 * 1000, LAST_EFFORT = 4000 };

/* -- forms -- */
struct form form_constant(wide c);
struct form form_symbol(int symbol);
struct form form_add(struct form a, struct form b);
struct form form_sub(struct form a, struct form b);
struct form form_scale(struct form a, wide by);
struct form form_plus(struct form a, wide c);
bool form_equal(const struct form *a, const struct form *b);
/* A form that some term or constant was too large for: nothing is known. */
bool form_is_unknown(const struct form *a);

/* -- symbols and facts -- */
int range_symbol(struct range *r, enum symbol_kind kind, const char *text, wide lo, wide hi);
/* The symbol for op(a, b) at a memory version, made on first use (*fresh). */
int range_derived(struct range *r, int op, int key, struct form a, struct form b, int version,
                  bool *fresh);
void range_always(struct range *r, struct form ge);
void range_restrict(struct range *r, int symbol, const struct value_set *set);  /* always in SET */
void range_assume(struct range *r, enum fact_kind kind, struct form f);
void range_assume_any(struct range *r, struct fact *any, int n);
void range_assume_when(struct range *r, const struct guard *guards, int n, struct form zero);
/* Do all guards hold? *open is the first selector that is not decided, -1 when
 * all are or one of them does not hold. */
bool range_guards_hold(const struct range *r, const struct fact *when, int *open);

struct range_marks { int path, solved; };
struct range_marks range_mark(const struct range *r);
void range_release(struct range *r, struct range_marks m);

/* -- questions -- */
struct form range_normal(const struct range *r, struct form f);         /* equalities applied */
/* Bounds from the intervals of symbols alone. */
void range_interval(const struct range *r, struct form f, wide *lo, wide *hi);
/* The best bounds that the facts give, by search. */
void range_bounds(struct range *r, struct form f, wide *lo, wide *hi);
bool range_proves(struct range *r, struct form ge);                     /* ge >= 0 */
static inline bool range_is_exhausted(const struct range *r) { return r->spent > RANGE_EFFORT; }
bool range_proves_simply(struct range *r, struct form ge);              /* without cases */
bool range_proves_equal(struct range *r, struct form a, struct form b);
bool range_proves_in(struct range *r, struct form v, const struct value_set *set);
bool range_proves_multiple(struct range *r, struct form f, wide k);

/* -- messages -- */
const char *range_text(const struct range *r, struct form f);
/* F without what wrapping takes off it (multiples of 2^32 and more); true when
 * there is any. */
bool range_may_wrap(const struct range *r, struct form f, struct form *whole);
/* The smallest and largest value of F as text: over all iterations of the loops
 * around, otherwise in terms of the symbols in it. */
const char *range_least(struct range *r, struct form f);
const char *range_most(struct range *r, struct form f);

#endif
