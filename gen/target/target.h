/* target.h: what a platform is, and writing machine code for it.
 *
 * A platform is one row of targets[]: strings and templates. The emitter never
 * asks which platform it is writing for. Styles (plain, boringssl, openssl)
 * are rows too: what wraps the file and how hardening is spelled.
 */
#ifndef KGEN_TARGET_TARGET_H
#define KGEN_TARGET_TARGET_H

#include "code/mach.h"

struct target;                  /* target/targets.c; fields in target/row.h */
struct style;

int target_count(void);
const struct target *target_at(int i);
const struct target *target_find(const char *name);         /* "linux", "apple", "windows" */
const struct target *target_of_flavour(const char *flavour); /* "linux64", "ios64", "win64" */
const char *target_name(const struct target *t);
/* Do arguments on the stack take their own size only? */
bool target_packs_arguments(const struct target *t);

int style_count(void);
const struct style *style_at(int i);
const struct style *style_find(const char *name);           /* "plain", "boringssl", "openssl" */
const char *style_name(const struct style *s);

/* One module's machine code: its exports, variants and local functions, in an
 * arena of their own. */
struct code_module {
    struct module *module;
    struct arena *arena;
    VEC(struct mach_func *) funcs;          /* emission order */
    uint32_t features;
};

/* A function's symbol as the platform spells it. */
char *target_symbol(const struct target *t, const struct mach_func *f);
/* The number in a block's label, by its id, in layout order from 1; 0: no branch names it. */
int *number_labels(const struct mach_func *f);
/* The statement that an instruction serves, or its algebra, cut at WIDTH characters. */
char *statement_text(const struct mach_insn *i, int width);
/* "bn-armv8-linux.S", "vpaes-armv8-win.S". */
char *emit_file_name(const struct module *m, const struct target *t, const struct style *s);
/* The whole assembly file. */
void emit_module(struct text *out, const struct code_module *m, const struct target *t,
                 const struct style *s);
/* The C header of a module: prototypes, contracts, required features, structs. */
void emit_header(struct text *out, const struct code_module *m, const struct style *s);

#endif
