/* term_domain.h: the domain whose values are terms, over a memory of cells.
 *
 * A branch, an address or a count needs a number: number() gives it for
 * constants, and refuses what depends on a secret. What the source declassified,
 * and what public memory holds, is public and still unknown. Both outcomes are
 * possible then, and a run takes one: it decides the unknown bits, or the unknown
 * condition, one way, and notes that as a decision. Who runs the case again for
 * each other way (ways_next) has proved it for all secrets.
 *
 * Deciding works for conditions and for values of a few unknown bits. A value of
 * many (a declassified count) is followed for SAMPLES assignments of the secrets
 * only, and `is_sampled` says so.
 */
#ifndef KGEN_VERIFY_TERM_DOMAIN_H
#define KGEN_VERIFY_TERM_DOMAIN_H

#include "verify/cells.h"

struct decision { val bit; bool outcome; };

/* What the two runs of a case share: what the source declassified, and which way
 * through it they are on. */
struct ways {
    VEC(struct piece) declassified;
    VEC(struct decision) decisions;
    bool is_sampled;            /* some value has too many bits: the assignment gives all numbers */
    bool begins_again;          /* that turned out in this run, which is of no use then */
    int assignment;
};

struct term_domain {
    struct domain domain;
    struct cells *memory;
    struct ways *ways;
};
void term_domain_init(struct term_domain *d, struct cells *memory, struct ways *ways);
/* Does the term depend on a secret that was not declassified? */
bool term_is_secret(const struct term_domain *d, val t);

/* The way after this one; false when there is none. Begins with a zeroed struct. */
bool ways_next(struct ways *ways);

void ways_declassify(struct ways *ways, val t);
/* term_ways.c: number() of a term that is no constant. */
bool ways_number(struct term_domain *d, val a, uint64_t *out);

#endif
