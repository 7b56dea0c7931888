/* object_formats.h: what the readers of the three formats share.
 *
 * A reader takes the bytes of a file and fills a struct object_file. Reading
 * outside the file sets `failed` and gives zeros, so that a reader checks once
 * in the end and not at every field.
 */
#ifndef KGEN_TESTS_HARNESS_OBJECT_FORMATS_H
#define KGEN_TESTS_HARNESS_OBJECT_FORMATS_H

#include "harness/object.h"

struct object_bytes {
    const uint8_t *at;
    size_t n;
    bool failed;
    const char *failure;        /* the first one */
};

uint8_t read_8(struct object_bytes *b, uint64_t offset);
uint16_t read_16(struct object_bytes *b, uint64_t offset);
uint32_t read_32(struct object_bytes *b, uint64_t offset);
uint64_t read_64(struct object_bytes *b, uint64_t offset);
/* A NUL-terminated name, or one that fills its `limit` bytes. */
void read_name(struct object_bytes *b, uint64_t offset, size_t limit, char *name, size_t size);
void read_fail(struct object_bytes *b, const char *failure);

struct object_section *add_section(struct object_file *o);
struct object_symbol *add_symbol(struct object_file *o);
struct object_relocation *add_relocation(struct object_file *o);
/* Is it a section of unwind tables, whose references are read? */
bool is_unwind_section(const struct object_section *s);
void add_reference(struct object_bytes *b, struct object_file *o, struct object_reference r);
/* Copies the section's bytes out of the file. */
void take_section_bytes(struct object_bytes *b, struct object_section *s, uint64_t offset);

void read_elf(struct object_bytes *b, struct object_file *o);
void read_macho(struct object_bytes *b, struct object_file *o);
void read_coff(struct object_bytes *b, struct object_file *o);

#endif
