/* text_read.h: emitted assembly read back.
 *
 * What is proved is the text that is written, not what the compiler believed
 * it wrote: instructions through the table's own reader (isa/read.c), tables
 * from their data directives. Anything kgen never writes is refused.
 */
#ifndef KGEN_VERIFY_TEXT_READ_H
#define KGEN_VERIFY_TEXT_READ_H

#include "verify/exec.h"

/* A labelled object outside the text section. */
struct text_object {
    const char *name;
    uint64_t offset;            /* in the read-only data of the file */
};

struct emitted {
    struct code code;           /* linked */
    VEC(uint8_t) bytes;         /* the read-only data, sections in order */
    VEC(struct text_object) objects;
    uint64_t align;             /* of the read-only data */
    bool packs_arguments;       /* the platform's ABI: set by who knows it */
    const char *complaint;      /* why it could not be read, or NULL */
    uint32_t line;              /* where (from 1) */
};

/* Reads a whole file as `gen` writes it, for any platform and style. Lines
 * under a condition that guards an #error are skipped, all others read. */
struct emitted text_read(const char *text, size_t n);

#endif
