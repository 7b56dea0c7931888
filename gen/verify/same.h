/* same.h: are two texts the same code, but for the spelling of symbols? */
#ifndef KGEN_VERIFY_SAME_H
#define KGEN_VERIFY_SAME_H

#include "verify/text_read.h"

bool same_tables(const struct emitted *a, const struct emitted *b);
bool same_code(const struct emitted *a, const struct emitted *b);
/* The same from these labels on, whatever else the files hold. */
bool same_function(const struct emitted *a, const char *label_a, const struct emitted *b,
                   const char *label_b);

#endif
