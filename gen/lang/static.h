/* static.h: the static language, what the compiler itself runs.
 *
 * A static function is translated once into a tree of struct code in which
 * every name is a slot or an entity (static_code.c), and that tree is run by a
 * small interpreter (static_run.c). Integers have 64 bits and wrap; storing
 * into something with a narrower declared type keeps the low bits. Arrays are
 * values: they are shared until one of their holders is assigned to
 * (static_value.c).
 *
 * Static functions have no effects, so a call with integer arguments is
 * remembered and never run twice.
 */
#ifndef KGEN_LANG_STATIC_H
#define KGEN_LANG_STATIC_H

#include "lang/tree.h"

struct entity;
struct unit;
struct list;

/* -- values -- */

enum constant_kind { CONSTANT_INTEGER, CONSTANT_LIST };

struct constant {
    enum constant_kind kind;
    union {
        uint64_t number;
        struct list *list;
    } u;
};

struct list {
    int n;
    bool shared;                /* has more than one holder: copy before writing */
    bool is_bytes;              /* came from hex("…") */
    bool is_tuple;
    struct constant *at;
};

enum { STATIC_LIST_LIMIT = 1 << 16 };

struct constant constant_integer(uint64_t n);
struct constant constant_list(int n);           /* n zeros */
struct constant constant_share(struct constant c);
struct list *list_for_writing(struct constant *holder);
/* All numbers in it, in order, nested lists opened. */
int constant_flat_count(const struct constant *c);
void constant_flatten(const struct constant *c, uint64_t *numbers, int *n);
/* hex("00ff"): false when the text is not pairs of hex digits. */
bool constant_from_hex(const char *text, struct constant *out);
/* "5", "a list of 16": for messages. */
const char *constant_text(const struct constant *c);

/* -- arithmetic shared by the interpreter and the folding of run-time code -- */

/* NULL, or why there is no result ("division by zero"). */
const char *static_binary(enum op op, uint64_t a, uint64_t b, uint64_t *out);
uint64_t static_unary(enum op op, uint64_t a);
static inline uint64_t low_bits(uint64_t n, int bits)
{
    return bits >= 64 ? n : n & ((UINT64_C(1) << bits) - 1);
}

/* -- types in static code -- */

struct static_type {
    uint8_t bits;               /* of an element; 0: undeclared, anything fits */
    uint8_t lanes;              /* of a vector type; 0: a scalar */
    bool is_array;
    bool any_count;             /* is_array with an extent known only when it runs */
    uint64_t count;
};

/* The value as something of that type holds it; false after a message. */
bool static_convert(const struct static_type *t, struct constant *value, struct loc where);
/* Zeros of that type. */
struct constant static_zero(const struct static_type *t);

/* -- programs -- */

struct static_fn;

/* Translates the body of a static function; NULL after a message. */
struct static_fn *static_translate(struct entity *fn);
/* Evaluates an expression that may name only what the module declares. */
bool static_evaluate(struct unit *unit, const struct node *expr, struct constant *out);
/* The same, and it must be an integer. */
bool static_number(struct unit *unit, const struct node *expr, uint64_t *out);
bool static_type_of(struct unit *unit, const struct node *type, struct static_type *out);
/* Calls a static function. `where` is the place of the call. */
bool static_call(struct entity *fn, const struct constant *args, int n, struct loc where,
                 struct constant *out);
/* Forgets steps and call stack of the last run of the command. */
void static_reset(void);

#endif
