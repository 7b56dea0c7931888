/* minimise.c: makes a program that is compiled wrongly shorter.
 *
 * Takes a source for which random_check() finds a difference. Leaves out one
 * line, or one block with all its lines, at a time and keeps what still differs;
 * what kgen refuses is put back. Calls are drawn from the seed, so a change of
 * the parameters changes them, too.
 */
#include <string.h>

#include "random/run.h"

enum { MAX_LINES = 400, MAX_TRIES = 600 };

struct lines {
    const char *at[MAX_LINES];
    size_t length[MAX_LINES];
    bool gone[MAX_LINES];
    int n;
};

static struct lines split(const char *source)
{
    struct lines l = { .n = 0 };

    while (*source && l.n < MAX_LINES) {
        const char *end = strchr(source, '\n');
        const size_t length = end != NULL ? (size_t)(end - source) + 1 : strlen(source);

        l.at[l.n] = source;
        l.length[l.n++] = length;
        source += length;
    }
    return l;
}

static void join(const struct lines *l, char *to)
{
    for (int i = 0; i < l->n; i++)
        if (!l->gone[i]) {
            memcpy(to, l->at[i], l->length[i]);
            to += l->length[i];
        }
    *to = '\0';
}

static size_t indent(const struct lines *l, int i) { return strspn(l->at[i], " "); }

/* The last line of the block that begins here, or the line itself. */
static int block_end(const struct lines *l, int i)
{
    if (l->at[i][l->length[i] - 2] != '{')
        return i;
    for (int k = i + 1; k < l->n; k++)
        if (indent(l, k) == indent(l, i) && l->at[k][indent(l, k)] == '}' &&
            l->at[k][l->length[k] - 2] != '{')
            return k;
    return i;
}

static bool still_differs(const struct lines *l, char *scratch, uint64_t seed)
{
    join(l, scratch);
    return random_check(scratch, seed, NULL, NULL) == RANDOM_DIFFERENT;
}

void random_minimise(char *source, uint64_t seed)
{
    const size_t size = strlen(source) + 1;
    char *original = malloc(size), *scratch = malloc(size);
    bool shorter = true;
    int tries = 0;

    require(original != NULL && scratch != NULL, "out of memory");
    memcpy(original, source, size);
    struct lines l = split(original);
    while (shorter && l.n < MAX_LINES) {
        shorter = false;
        for (int i = l.n; i-- > 0 && tries < MAX_TRIES; tries++) {
            const struct lines before = l;
            const int end = block_end(&l, i);

            /* k7 = k7 - 1 ends a `while`. */
            if (l.gone[i] || l.at[i][indent(&l, i)] == 'k')
                continue;
            for (int k = i; k <= end; k++)
                l.gone[k] = true;
            if (still_differs(&l, scratch, seed))
                shorter = true;
            else
                l = before;
        }
    }
    join(&l, source);
    free(original);
    free(scratch);
}
