/* review.h: what a reviewer of a kernel must be told beside that it is proved. */
#ifndef KGEN_VERIFY_REVIEW_H
#define KGEN_VERIFY_REVIEW_H

#include "base/text.h"
#include "lang/tree.h"

/* A line for every place where f, or what it calls, makes a secret public. */
void review_declassified(struct text *out, const struct func *f);

#endif
