/* output.h: what happens to the texts that a run made.
 *
 * Either all of them are written, or compared with what is there, or printed.
 */
#ifndef KGEN_TOOL_OUTPUT_H
#define KGEN_TOOL_OUTPUT_H

#include "tool/compile.h"

/* The command's exit status. */
enum status { STATUS_DONE, STATUS_INPUT, STATUS_USAGE, STATUS_OUTPUT };

/* "out/bn-armv8.h"; the name alone when dir is NULL. */
char *output_path(const char *dir, const char *name);

/* Writes each under `dir`, says "wrote PATH" for those that changed. When one
 * cannot be written, those that follow are not tried. */
enum status outputs_write(const struct outputs *out, const char *dir);
/* Says which are stale; STATUS_INPUT when any is. */
enum status outputs_check(const struct outputs *out, const char *dir);
/* Prints all of them, one after the other. */
enum status outputs_print(const struct outputs *out);
enum status print_text(const struct text *t);

/* A make rule: the outputs depend on all files that the parser read. */
void add_dependency_file(struct outputs *out, const char *dir, char *name);

#endif
