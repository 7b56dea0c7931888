/* diag.h: source files, positions, and every message a user sees.
 *
 * A message is `file:line:col: error: what is wrong [rule]`, the source line,
 * a caret under the span, and one `note:` for each other place involved. At
 * most 20 errors are printed a run; the same message at the same place is
 * printed once (a body may be checked several times). Messages go to a
 * struct text so that tests can read them; diag_flush() prints them.
 *
 * The state is one per process (as in a run of the command); diag_reset()
 * starts a new run. Impossible states are asserts, never diagnostics.
 */
#ifndef KGEN_BASE_DIAG_H
#define KGEN_BASE_DIAG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"

/* A span inside one file; file 0 is "no place". Lines and columns from 1, a
 * column is a byte, a tab is one column. end_col is one past the last byte
 * when the span ends on the same line, otherwise the caret line stops at the
 * end of the first line. */
struct loc {
    uint16_t file;
    uint16_t end_line_delta;
    uint32_t line;
    uint32_t col;
    uint32_t end_col;
};

/* Every rule by name: the identifier, the name printed in [brackets], and what
 * it refuses. tests/rules has a file that fires it and one that does not. */
#define RULES(R)                                                                     \
    R(SYNTAX,         "syntax",          "text that the grammar does not accept")      \
    R(NAME,           "name",            "an unknown name, or one declared twice")     \
    R(TYPE,           "type",            "types that do not fit together")             \
    R(EXTENT,         "extent",          "lengths, counts or layouts that do not fit") \
    R(IMMEDIATE,      "immediate",       "a constant that no instruction can encode")  \
    R(STATIC,         "static",          "static code that fails or does not end")     \
    R(CARRY_LOST,     "carry-lost",      "a flag overwritten or dead before its use, or two live at once") \
    R(SECRET_BRANCH,  "secret-branch",   "a secret that decides control flow")         \
    R(SECRET_ADDRESS, "secret-address",  "a secret that reaches an address")           \
    R(SECRET_TIME,    "secret-time",     "a secret in an instruction whose time depends on data") \
    R(OUT_OF_BOUNDS,  "out-of-bounds",   "an access not provably inside its extent")   \
    R(VALUE_SET,      "value-set",       "a value not provably in its declared set")   \
    R(RANGE,          "range",           "a shift or divisor outside its range")       \
    R(IN_PLACE,       "in-place",        "a read after a write that in-place use would change") \
    R(UNINITIALISED,  "uninitialised",   "a value read before it is set")              \
    R(UNUSED,         "unused",          "a value that is never used")                 \
    R(VARYING_CONTROL,"varying-control", "control that differs between woven iterations") \
    R(LOOP_CARRIED,   "loop-carried",    "a carried value that passes through inner control of a weave") \
    R(REGISTERS,      "registers",       "more live values than registers")            \
    R(FEATURE,        "feature",         "an instruction the function does not require") \
    R(NOT_EQUAL,      "not-equal",       "emitted code that differs from its source")  \
    R(UNSUPPORTED,    "unsupported",     "a form the language has and kgen does not compile yet") \
    R(INPUT,          "input",           "a file that cannot be read")                  \
    R(EXPECT,         "expect",          "a test whose expectation does not hold")

enum rule {
#define RULE_ENUM(id, name, what) RULE_##id,
    RULES(RULE_ENUM)
#undef RULE_ENUM
    RULE_COUNT
};

struct rule_row { const char *name, *refuses; };
extern const struct rule_row rules[RULE_COUNT];

/* -- source files -- */

/* Registers a file's text and gives its number (from 1). The text is kept. */
uint16_t source_add(const char *name, const char *text, size_t n);
const char *source_name(uint16_t file);
int source_count(void);
/* Line `line` (from 1) without its newline; sets *n to its length. */
const char *source_line(uint16_t file, uint32_t line, size_t *n);

/* -- messages -- */

void error_at(struct loc where, enum rule rule, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* Belongs to the error before it (and disappears with it when that was a repeat). */
void note_at(struct loc where, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
int error_count(void);
/* Counts repeats and what is beyond the limit too: did anything since go wrong? */
int complaint_count(void);
bool too_many_errors(void);

/* While a body is expanded for a caller (inline fn, static for, one width of a
 * loop) errors carry "note: expanded here" for each entry of this stack. */
void diag_push_expansion(struct loc where, const char *what);
void diag_pop_expansion(void);

void diag_reset(void);
const struct text *diag_messages(void);
void diag_flush(void);          /* prints what was collected to stderr */

#endif
