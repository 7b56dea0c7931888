/* text.h: build a text in memory, then write it to a file in one step.
 *
 * Every output of kgen is composed in a struct text first, so that a file is
 * either written whole (to a temporary beside it, then renamed) or not at all,
 * and is left alone when its content would not change.
 */
#ifndef KGEN_BASE_TEXT_H
#define KGEN_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct text {
    char *at;       /* NUL-terminated once anything was added */
    size_t n, cap;
};

void text_add(struct text *t, const char *s);
void text_add_n(struct text *t, const char *s, size_t n);
/* For what is written a character at a time: where up to N of them may go behind the
 * text, and then where they end. */
char *text_room(struct text *t, size_t n);
void text_end(struct text *t, char *end);
void text_format(struct text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "-12", "0x1f": what an instruction is mostly made of, without a format. */
void text_add_number(struct text *t, int64_t n);
void text_add_hex(struct text *t, uint64_t n);
/* Spaces up to the given column (counted from 0 after the last newline; a tab
 * advances to the next multiple of 8); at least one space. */
void text_column(struct text *t, int column);

/* Bytes of the UTF-8 character that s begins with; 0 when it is none. n >= 1. */
size_t utf8_length(const char *s, size_t n);
bool utf8_is_continuation(char c);

enum write_result { WRITE_UNCHANGED, WRITE_DONE, WRITE_FAILED };

/* Makes FILE hold exactly the text. Failure prints one message with the reason. */
enum write_result text_write_file(const struct text *t, const char *path);
/* Compares without writing: true when FILE holds exactly the text. */
bool text_equals_file(const struct text *t, const char *path);
/* Reads a whole file; false (and errno) when it cannot. NUL bytes are kept. */
bool text_read_file(struct text *t, const char *path);

#endif
