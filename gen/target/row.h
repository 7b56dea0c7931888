/* row.h: the fields of a platform row and of a style row.
 *
 * Private to target/. In every template `$` stands for the symbol, spelled as
 * the platform spells it. An empty string means that the platform has no such
 * directive; a template ends with its newline, so that an empty one leaves no
 * empty line. The emitter writes templates in a fixed order and never asks
 * which platform or style it is writing for.
 */
#ifndef KGEN_TARGET_ROW_H
#define KGEN_TARGET_ROW_H

#include "target/target.h"

/* What the columns of a style are indexed by. */
enum object_format { FORMAT_ELF, FORMAT_MACHO, FORMAT_COFF, FORMAT_COUNT };

/* The least .arch that has all of `features`; rows from small to large, the
 * last has everything. */
struct arch_row { uint32_t features; const char *directive; };

/* -- describing a frame to the unwinder (unwind_dwarf.c, unwind_seh.c) -- */

struct unwinder;                /* the state of one function */

struct unwind_format {
    /* Must anything be described? Otherwise nothing at all is written. */
    bool (*is_needed)(const struct mach_func *f);
    /* `signs`: the function signs its link register where it starts and
     * authenticates it before each return; `toggled` is written where that
     * changes what the unwinder must know. */
    struct unwinder *(*begin)(const struct mach_func *f, bool signs, const char *toggled);
    const char *before_label, *after_label, *end;       /* templates */
    /* Each writes what the unwinder must know at this point of the text. */
    void (*signing)(struct text *out, struct unwinder *u);
    void (*block)(struct text *out, struct unwinder *u, const struct mach_block *b);
    void (*before)(struct text *out, struct unwinder *u, const struct mach_insn *i);
    void (*after)(struct text *out, struct unwinder *u, const struct mach_insn *i);
};

extern const struct unwind_format describe_dwarf, describe_seh;

/* -- platforms -- */

struct target {
    const char *name;           /* "linux": for -t */
    const char *title;          /* for people: "Linux and other ELF systems" */
    const char *file_suffix;    /* "win": NAME-win.S */
    const char *flavour;        /* "win64": the perlasm command line's word */
    enum object_format format;

    const char *symbol;         /* prefix of a symbol */
    const char *label;          /* prefix of a label that stays out of the symbol table */

    const struct arch_row *arch;

    const char *text;           /* the section of the code */
    const char *exported;       /* an export, before its alignment and label */
    const char *local;          /* a subroutine of the module */
    const char *function_end;

    const char *rodata;         /* the section of the tables */
    const char *table;          /* before the table object's label … */
    const char *table_end;

    const char *page;           /* how `adrp` spells it … */
    const char *page_offset;    /* … and `add` */

    bool packs_arguments;       /* those on the stack: no slots of eight bytes */
    bool probes_stack;          /* frames of a page and more call __chkstk */

    const char *file_end;       /* before the guard closes */
    const struct unwind_format *unwind;
};

/* -- styles -- */

/* How a function is entered and left under BTI and PAC, on one format. */
struct hardening {
    const char *entry;          /* an export that keeps its link register in x30 */
    const char *entry_framed;   /* the same, when a prologue follows */
    const char *sign;           /* an export that saves x30 */
    const char *sign_local;     /* a subroutine that saves x30; it is reached by `bl` only */
    const char *authenticate;   /* before the return of either */
    const char *toggled;        /* DWARF: x30 is from here signed, or no longer */
    const char *proc;           /* DWARF: once a function */
};

struct style {
    const char *name;
    const char *includes;
    const char *guard[FORMAT_COUNT];        /* the condition after #if */
    struct hardening hardening[FORMAT_COUNT];
    const char *notes[FORMAT_COUNT];        /* after the guard's #endif */
};

/* Appends `template` with `$` replaced. */
void add_template(struct text *out, const char *template, const char *symbol);

/* -- text from the user (sanitise.c) -- */

/* One line of ASCII that closes no comment and continues on no other line. */
char *one_line(const char *s, size_t n);
/* `s`, line by line, each after `prefix`; a NULL writes nothing. */
void add_comment(struct text *out, const char *prefix, const char *s);

/* -- names (names.c) -- */

/* "f", "f_sha3", or "vpaes_armv8_f" for a subroutine; without the platform's prefix. */
const char *function_symbol(const struct mach_func *f);
const char *tables_symbol(const struct module *m);

/* -- expressions over parameters, as C writes them (formula.c) -- */

void add_formula(struct text *out, const struct expr *e);
/* "{128, 192, 256}" or "2 to 256". */
void add_value_set(struct text *out, const struct value_set *set);

/* -- what the reader of a kernel must know (contract.c) -- */

/* The C prototype without its semicolon: "uint64_t f(const uint64_t *a)". */
void add_prototype(struct text *out, const struct mach_func *f, const char *symbol);
/* Documentation and contract, each line after `prefix`. */
void add_contract(struct text *out, const struct mach_func *f, const char *prefix);
/* Of a subroutine: which registers it takes, gives and changes. */
void add_convention(struct text *out, const struct mach_func *f, const char *prefix);

/* -- read-only data (tables.c) -- */

void emit_tables(struct text *out, const struct module *m, const struct target *t);

#endif
