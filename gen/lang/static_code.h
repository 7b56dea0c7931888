/* static_code.h: the tree that the interpreter of the static language runs.
 * Private to static_code.c, which makes it, and static_run.c. */
#ifndef KGEN_LANG_STATIC_CODE_H
#define KGEN_LANG_STATIC_CODE_H

#include "lang/elab.h"

enum code_kind {
    /* expressions */
    CODE_CONSTANT,      /* constant */
    CODE_SLOT,          /* slot of the frame */
    CODE_ENTITY,        /* a static let or a table: entity */
    CODE_INDEX,         /* a[b] */
    CODE_UNARY, CODE_BINARY,    /* op, a, b */
    CODE_AS,            /* a as type */
    CODE_LIST,          /* args */
    CODE_COMPREHENSION, /* slot takes each value of a (.. b), c is the element */
    CODE_CHOICE,        /* a ? b : c */
    CODE_CALL,          /* entity(args) */
    CODE_FAIL,          /* text */
    /* statements, chained by next */
    CODE_SET,           /* targets = a */
    CODE_FOR,           /* slot in a (.. b, step c): body */
    CODE_WHILE,         /* a: body */
    CODE_IF,            /* a: body, other */
    CODE_RETURN,        /* a */
    CODE_DO,            /* a, for its failure */
};

/* Something that holds a value: a slot, or an element inside one. */
struct target {
    int slot;                   /* -1: ignored */
    struct static_type type;    /* what the slot or, when indexed, its elements are declared as */
    struct code *count;         /* declared extent that is known only when it runs */
    struct code **index;
    int index_count;
    struct loc loc;
};

struct code {
    enum code_kind kind;
    struct loc loc;
    enum op op;
    int slot;
    bool is_range, is_inclusive, is_declaration, is_tuple;
    struct constant constant;
    struct static_type type;
    struct entity *entity;
    const char *text;
    struct code *a, *b, *c;
    struct code **args;
    int arg_count;
    struct target *targets;
    int target_count;
    struct code *body, *other, *next;
};

struct memo { uint64_t *keys; struct constant *values; bool *used; int cap, n; };

struct static_fn {
    struct entity *entity;
    int slots;                  /* parameters come first */
    struct target *params;
    int param_count;
    struct static_type *results;
    struct code **result_counts;
    int result_count;
    struct code *body;
    struct memo memo;
};

struct code *translate_alone(struct unit *u, const struct node *n, int *slots);

#endif
