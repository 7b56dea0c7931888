/* broken.c: which pass is wrong on purpose; empty but in a breakable build. */
#include "base/broken.h"

#ifdef KGEN_BREAKABLE
#include <stdlib.h>
#include <string.h>

static const char *const names[BREAKABLE_COUNT] = {
#define BREAKABLE_NAME(id, name, how) name,
    BREAKABLE_PASSES(BREAKABLE_NAME)
#undef BREAKABLE_NAME
};

bool is_broken(enum breakable_pass pass)
{
    const char *chosen = getenv("KGEN_BREAK");

    return chosen != NULL && strcmp(chosen, names[pass]) == 0;
}
#endif
