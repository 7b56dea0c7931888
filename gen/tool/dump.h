/* dump.h: the result of one stage as stable text, for --dump=STAGE. */
#ifndef KGEN_TOOL_DUMP_H
#define KGEN_TOOL_DUMP_H

#include "tool/compile.h"

/* NULL when there is no such stage. */
const struct dump *dump_find(const char *stage);
/* "ast, tree, …" */
void dump_names(struct text *out);
/* Runs the pipeline as far as that stage. False when errors were reported. */
bool dump_stage(struct text *out, const struct dump *stage, struct node *decls,
                const struct compile_options *o);

#endif
