/* compile.h: the compiler as a library, from a source to texts in memory.
 *
 * Nothing here writes a file or prints: messages stay in diag, results are
 * texts. The command (main.c) and the tests decide what to do with them.
 */
#ifndef KGEN_TOOL_COMPILE_H
#define KGEN_TOOL_COMPILE_H

#include <stdbool.h>
#include <stddef.h>

#include "target/target.h"
#include "verify/module.h"

struct compile_options {
    const char *module;             /* only this one; NULL: all */
    const char *prefix;             /* of every symbol; NULL: none */
    const struct style *style;
    const struct core *core;        /* schedule everything for it; NULL: as the source says */
    int effort;                     /* how many times the usual to search for orders; 0: once */
    bool unfused;                   /* for a core that joins no pairs of instructions */
    bool whole;                     /* the code keeps the names and places that it was made of */
    VEC(const struct target *) targets;
};

/* Checked source, and machine code for each module that was asked for. */
struct compilation {
    struct program *program;
    VEC(struct code_module *) modules;
};

/* From a syntax tree. False when errors were reported; `c` is then of no use. */
bool compile_program(struct compilation *c, struct node *decls, const struct compile_options *o);
/* Only the first half: parsed and checked, or NULL. */
struct program *compile_check(struct node *decls);

/* One thing that a compilation gives: where it belongs, and what it says. */
struct output {
    char *name;                     /* "bn-armv8-linux.S" */
    struct text text;
};
struct outputs { VEC(struct output) files; };

/* Checks, compiles, asks `accept` (NULL: all are good) and keeps the outputs, a
 * module at a time, so that only one module's trees and code are in memory. Each
 * module is asked about, whatever was said of others; but once the source is in
 * error the rest is only checked. False when anything was reported: the outputs
 * are then of no use. `modules` counts what was compiled. */
typedef bool module_test(const struct code_module *m, const struct module_text *texts, int count);
bool compile_modules(struct outputs *out, struct node *decls, const struct compile_options *o,
                     module_test *accept, int *modules);

/* Appends every assembly file and header, in the order of the modules. */
void compile_outputs(struct outputs *out, const struct compilation *c,
                     const struct compile_options *o);
/* One module's text for each platform that was asked for. */
struct module_text *compile_texts(const struct code_module *m, const struct compile_options *o);
void compile_headers(struct outputs *out, const struct compilation *c,
                     const struct compile_options *o);

/* The functions of a module in an order in which every callee stands before
 * its callers. */
struct func_list { VEC(struct func *) at; };
void functions_callees_first(struct func_list *list, const struct module *m);
const struct core *core_of(const struct variant *v, const struct compile_options *o);

/* The whole pipeline on a text, for every platform; writes nothing. True when
 * there was nothing to complain about. Begins with diag_reset(). */
bool compile_text(const char *name, const char *text, size_t n);
/* Parses and checks a text; gives the number of errors. Begins with diag_reset(). */
int compile_check_text(const char *name, const char *text, size_t n);

#endif
