/* pressure.c: how many pointers may a loop have?
 *
 * Every pointer that reduce.c makes lives through the whole loop, and through
 * the loops inside; the bases, counts and bounds of the nest live there too. So
 * a nest has a limit. Inner loops come first, as they run most often; an outer
 * loop gets what they leave, and keeps address arithmetic for the rest.
 *
 * Takes the arms of a loop in shape and the pointers of the loop's own groups;
 * gives the groups that fit. A pointer that stands elsewhere in each iteration
 * of a woven loop around counts once per copy.
 */
#include "shape/pass.h"

/* Of about 27 general registers: the rest is for bases, counts, bounds and values. */
enum { POINTER_LIMIT = 10 };

/* -- pointers of the loops inside -- */

struct holding { const struct shape *sh; int copies; };

static int cost_of(const struct holding *h, const struct var *pointer)
{
    return var_set_has(&h->sh->moving_pointers, pointer) ? h->copies : 1;
}

/* What LIST, the body of a loop or one pass of it, advances itself. */
static int advanced_in(const struct holding *h, struct stmt *list)
{
    int n = 0;

    for (struct stmt *s = list; s; s = s->next)
        if (s->kind == S_ASSIGN && s->var->type == TYPE_ADDR && expr_mentions(s->value, s->var))
            n += cost_of(h, s->var);
    return n;
}

static int held_in(const struct holding *h, struct stmt *list)
{
    int most = 0;

    for (struct stmt *s = list; s; s = s->next) {
        int body = held_in(h, s->body) + advanced_in(h, s->body);
        int other = held_in(h, s->other) + advanced_in(h, s->other);
        most = body > most ? body : most;
        most = other > most ? other : most;
    }
    return most;
}

/* -- the loop's own -- */

static bool moves_with_copies(const struct shape *sh, const struct address_group *g)
{
    return g->form.rest && expr_mentions_any(g->form.rest, &sh->woven);
}

void limit_pointers(struct shape *sh, const struct stmt *loop, const struct for_arm *arms,
                    struct address_plan *plan)
{
    struct holding h = { .sh = sh, .copies = sh->copies };
    bool *keep = NEW_ARRAY(bool, plan->groups.n + 1);
    int room = POINTER_LIMIT, kept = 0, inside = 0;

    if (loop->shape == LOOP_WEAVE)
        h.copies *= arms[0].width;
    for (int i = 0; i < loop->arm_count; i++) {
        int held = held_in(&h, arms[i].body);
        inside = held > inside ? held : inside;
    }
    room -= inside;
    /* Pointers that loads and stores go through come before those that only
     * say where an inner loop's pointer starts. */
    for (int only_starts = 0; only_starts < 2; only_starts++)
        for (int i = 0; i < plan->groups.n; i++) {
            const struct address_group *g = &plan->groups.at[i];
            int cost = moves_with_copies(sh, g) ? sh->copies : 1;
            if (g->only_starts != (only_starts != 0) || cost > room)
                continue;
            keep[i] = true;
            room -= cost;
        }
    for (int i = 0; i < plan->groups.n; i++)
        if (keep[i])
            plan->groups.at[kept++] = plan->groups.at[i];
    plan->groups.n = kept;
}

void note_moving_pointers(struct shape *sh, const struct address_plan *plan)
{
    for (int i = 0; i < plan->groups.n; i++)
        if (moves_with_copies(sh, &plan->groups.at[i]))
            var_set_add(&sh->moving_pointers, plan->groups.at[i].pointer);
}
