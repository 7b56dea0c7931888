/* elab_scope.c: names, what they are bound to, and what to say when they are not.
 *
 * A scope is a list of bindings; a name is looked up from the innermost scope
 * outwards. What the module declares is not in a scope: callers ask unit_find()
 * after scope_find(). Shadowing is allowed in an inner scope only.
 */
#include "lang/elab.h"

#include <stdlib.h>
#include <string.h>

void scope_push(struct elab *e)
{
    struct scope *s = NEW(struct scope);

    s->outer = e->scope;
    e->scope = s;
}

void scope_pop(struct elab *e)
{
    e->scope = e->scope->outer;
}

struct binding *scope_find(struct elab *e, const char *name)
{
    for (struct scope *s = e->scope; s != NULL; s = s->outer)
        for (int i = s->names.n - 1; i >= 0; i--)
            if (s->names.at[i].name == name) {
                s->names.at[i].is_used = true;
                return &s->names.at[i];
            }
    return NULL;
}

struct binding *scope_bind(struct elab *e, const char *name, struct loc loc, struct item item)
{
    struct binding *b;

    for (int i = 0; i < e->scope->names.n; i++) {
        if (e->scope->names.at[i].name == name && strcmp(name, "_") != 0) {
            error_at(loc, RULE_NAME, "'%s' is declared twice in this block", name);
            note_at(e->scope->names.at[i].loc, "first declared here");
        }
    }
    b = vec_add(&e->scope->names);
    *b = (struct binding){.name = name, .loc = loc, .item = item};
    return b;
}

/* -- unknown names -- */

enum { LONGEST_COMPARED = 40 };

/* Insertions, deletions and replacements of one letter (Levenshtein). */
int edit_distance(const char *a, const char *b)
{
    const int n = (int)strnlen(a, LONGEST_COMPARED), m = (int)strnlen(b, LONGEST_COMPARED);
    int row[LONGEST_COMPARED + 1];

    for (int j = 0; j <= m; j++)
        row[j] = j;
    for (int i = 1; i <= n; i++) {
        int diagonal = row[0];

        row[0] = i;
        for (int j = 1; j <= m; j++) {
            const int replaced = diagonal + (a[i - 1] != b[j - 1]);
            int best = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;

            diagonal = row[j];
            row[j] = replaced < best ? replaced : best;
        }
    }
    return row[m];
}

struct nearest { const char *name; struct loc loc; int distance; };

static void consider(struct nearest *best, const char *wanted, const char *name, struct loc loc)
{
    const int distance = edit_distance(wanted, name);
    const int limit = (int)strlen(wanted) <= 5 ? 1 : 2;

    if (distance <= limit && distance < (int)strlen(wanted) && distance < best->distance &&
        strcmp(name, "_") != 0)
        *best = (struct nearest){name, loc, distance};
}

static void tell(struct loc where, const char *name, const char *what, const struct nearest *best)
{
    error_at(where, RULE_NAME, "there is no %s '%s'", what, name);
    if (best->name != NULL && best->loc.file != 0)
        note_at(best->loc, "did you mean '%s'?", best->name);
    else if (best->name != NULL)
        note_at(where, "did you mean '%s'?", best->name);
}

static void consider_entities(struct nearest *best, struct unit *u, const char *name)
{
    for (int i = 0; i < u->entities.n; i++)
        consider(best, name, u->entities.at[i]->name, u->entities.at[i]->loc);
}

void unknown_entity(struct unit *u, struct loc where, const char *name, const char *what)
{
    struct nearest best = {.distance = 99};

    consider_entities(&best, u, name);
    tell(where, name, what, &best);
}

void unknown_name(struct elab *e, struct loc where, const char *name, const char *what)
{
    struct nearest best = {.distance = 99};

    for (struct scope *s = e->scope; s != NULL; s = s->outer)
        for (int i = s->names.n - 1; i >= 0; i--)
            consider(&best, name, s->names.at[i].name, s->names.at[i].loc);
    consider_entities(&best, e->unit, name);
    tell(where, name, what, &best);
}

/* What can be called: functions, what the language has built in, instructions. */
void unknown_function(struct elab *e, struct loc where, const char *name)
{
    struct nearest best = {.distance = 99};
    const struct loc nowhere = {0};

    consider_entities(&best, e->unit, name);
    for (int i = 0; builtin_name(i) != NULL; i++)
        consider(&best, name, builtin_name(i), nowhere);
    for (int i = INSN_NONE + 1; i < INSN_COUNT; i++)
        if ((insns[i].flags & NOT_CALLABLE) == 0)
            consider(&best, name, insns[i].mnemonic, nowhere);
    tell(where, name, "function or instruction", &best);
}
