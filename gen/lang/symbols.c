/* symbols.c: no two things of a program have one symbol.
 *
 * Takes what all modules declare, before elaboration. An export is called as it
 * is written, and each of its variants NAME_VARIANT; a subroutine and the object
 * of all tables carry their module's name: MODULE_NAME, MODULE_tables. Those are
 * the symbols that target/ writes; a prefix stands before all of them.
 */
#include <string.h>

#include "lang/elab.h"

struct made { const char *name; const struct entity *by; };
struct made_list { VEC(struct made) at; };

char *module_identifier(const struct module *m)
{
    const bool starts_with_digit = m->name[0] >= '0' && m->name[0] <= '9';
    char *s = mem_format("%s%s", starts_with_digit ? "m" : "", m->name);

    for (char *c = s; *c; c++)
        if (!((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9')))
            *c = '_';
    return s;
}

bool is_export(const struct entity *e)
{
    return e->kind == ENTITY_FUNCTION && e->node->function->kind == FN_EXPORT;
}

/* Of one function, elaboration finds a variant that is there twice. */
static void make(struct made_list *list, const char *name, const struct entity *by, struct loc loc)
{
    for (int i = 0; i < list->at.n; i++) {
        const struct made *other = &list->at.at[i];

        if (strcmp(other->name, name) != 0 || other->by == by)
            continue;
        if (is_export(by) && is_export(other->by) && by->name == other->by->name)
            error_at(loc, RULE_NAME, "two modules export '%s'", name);
        else
            error_at(loc, RULE_NAME, "the symbol '%s' is made twice", name);
        note_at(other->by->loc, is_export(other->by) ? "first exported here" : "first made here");
        return;
    }
    vec_push(&list->at, ((struct made){name, by}));
}

static void make_function(struct made_list *list, const char *module, const struct entity *e)
{
    const struct function_node *f = e->node->function;

    if (f->kind == FN_LOCAL)
        make(list, mem_format("%s_%s", module, e->name), e, e->loc);
    if (f->kind != FN_EXPORT)
        return;
    make(list, e->name, e, e->loc);
    for (const struct clause_node *c = f->clauses; c != NULL; c = c->next)
        if (c->kind == CLAUSE_VARIANT)
            make(list, mem_format("%s_%s", e->name, c->name), e, c->loc);
}

void check_symbols(struct unit *const *units, int n)
{
    struct made_list list = {0};

    for (int i = 0; i < n; i++) {
        const struct unit *u = units[i];
        const char *module = module_identifier(u->module);
        bool has_tables = false;

        for (int k = 0; k < u->entities.n; k++) {
            const struct entity *e = u->entities.at[k];

            if (e->kind == ENTITY_FUNCTION)
                make_function(&list, module, e);
            if (e->kind == ENTITY_TABLE && !has_tables) {
                make(&list, mem_format("%s_tables", module), e, e->loc);
                has_tables = true;
            }
        }
    }
}
