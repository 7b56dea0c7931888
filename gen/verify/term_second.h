/* term_second.h: a second look at two terms that are not one. */
#ifndef KGEN_VERIFY_TERM_SECOND_H
#define KGEN_VERIFY_TERM_SECOND_H

#include "verify/term.h"

/* Have they the same value under each assignment that is tried? */
bool term_same_samples(val a, val b);

/* Are they equal after all? If not, but for all that the samples say, they are
 * replaced by what was compared. Only for what seems to be a difference: it costs
 * more than everything before it. */
bool term_second_look(val *a, val *b);

/* What is compared. */
val term_canonical(val t);
/* How often that was asked for. */
int term_second_looks(void);

#endif
