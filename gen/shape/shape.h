/* shape.h: the loops of a function as the machine will run them.
 *
 * Takes a typed tree as elaboration left it; gives a copy in which S_FOR is
 * gone: loops are S_REPEAT, remainders S_IF or S_REPEAT, `unroll` and `weave`
 * lists are expanded, and accesses that advance with an index go through
 * pointers (struct access: pointer, key, disp). The original stays as it is:
 * it is the reference of `verify`.
 */
#ifndef KGEN_SHAPE_SHAPE_H
#define KGEN_SHAPE_SHAPE_H

#include "lang/tree.h"

struct func *shape_func(struct func *f);

/* struct access.key of an offset that is a constant alone. Other keys are
 * numbered from KEY_CONSTANT + 1 within a function. */
enum { KEY_UNKNOWN = 0, KEY_CONSTANT = 1 };

#endif
