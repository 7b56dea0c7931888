/* vary.c: uniform and varying values of a woven body.
 *
 * Takes the body of one iteration, in shape; gives the variables that depend
 * on the iteration: the index, what is loaded through the loop's own pointers
 * or from memory that the body writes, the variables carried from iteration to
 * iteration, and everything computed from those. All others are uniform: they
 * have one value for all iterations that run side by side. A statement that
 * has to do with a flag counts as varying whatever its operands are: there is
 * one NZCV, so a flag cannot wait while copies use others, and each copy makes
 * its own.
 *
 * Does not: judge. That control is uniform, and that a carried value passes
 * through no inner control, was checked on the source (lang/check_weave.c).
 */
#include <assert.h>

#include "shape/pass.h"

bool is_control(const struct stmt *s)
{
    return s->kind == S_IF || s->kind == S_REPEAT || s->kind == S_WHILE || s->kind == S_FOR;
}

/* -- variables read before they are set -- */

struct exposure { struct var_set set, exposed; };

static void note_exposed(struct walker *w, struct var *v)
{
    struct exposure *x = w->self;
    if (!var_set_has(&x->set, v))
        var_set_add(&x->exposed, v);
}

static struct var_set copy_set(const struct var_set *s)
{
    struct var_set c = { NEW_ARRAY(uint8_t, s->n + 1), s->n };
    for (int i = 0; i < s->n; i++)
        c.at[i] = s->at[i];
    return c;
}

static void keep_common(struct var_set *a, const struct var_set *b)
{
    for (int i = 0; i < a->n; i++)
        a->at[i] &= i < b->n ? b->at[i] : 0;
}

static void expose_list(struct exposure *x, struct stmt *list);

static void note_set(struct walker *w, struct var *v)
{
    var_set_add(&((struct exposure *)w->self)->set, v);
}

/* One statement without what is nested in it. */
static void expose_flat(struct exposure *x, struct stmt *s)
{
    struct stmt flat = *s;
    struct walker reads = { .read = note_exposed, .self = x };
    struct walker sets = { .assigned = note_set, .self = x };

    flat.body = flat.other = NULL;
    flat.arm_count = 0;
    flat.next = NULL;
    visit_stmt(&reads, &flat);
    visit_stmt(&sets, &flat);
}

static void expose_stmt(struct exposure *x, struct stmt *s)
{
    struct var_set before;

    if (s->kind == S_REPEAT && !s->count) {
        /* the condition is read after the body */
        struct walker reads = { .read = note_exposed, .self = x };
        expose_list(x, s->body);
        visit_expr(&reads, s->cond);
        return;
    }
    expose_flat(x, s);
    if (s->kind == S_REPEAT) {
        expose_list(x, s->body);
    } else if (s->kind == S_WHILE) {
        before = copy_set(&x->set);
        expose_list(x, s->body);
        x->set = before;
    } else if (s->kind == S_IF) {
        before = copy_set(&x->set);
        expose_list(x, s->body);
        struct var_set after = x->set;
        x->set = before;
        expose_list(x, s->other);
        keep_common(&x->set, &after);
    }
}

static void expose_list(struct exposure *x, struct stmt *list)
{
    for (; list; list = list->next)
        expose_stmt(x, list);
}

/* -- what varies -- */

static bool load_varies(const struct variance *v, const struct access *a)
{
    const struct func *f = v->sh->f;

    if (a->pointer && var_set_has(&v->pointers, a->pointer))
        return true;
    for (int i = 0; i < f->objects.n; i++)
        if (i < v->stored.n && v->stored.at[i] && a->object->kind != OBJECT_TABLE &&
            objects_may_be_same(f, f->objects.at[i], a->object))
            return true;
    return false;
}

struct inspection { const struct variance *v; bool varies, with_targets; };

static void inspect_read(struct walker *w, struct var *var)
{
    struct inspection *i = w->self;
    i->varies |= var_set_has(&i->v->varying, var);
}

static void inspect_assigned(struct walker *w, struct var *var)
{
    struct inspection *i = w->self;
    i->varies |= type_is_flag(var->type) || (i->with_targets && var_set_has(&i->v->varying, var));
}

static void inspect_expr(struct walker *w, struct expr *e)
{
    struct inspection *i = w->self;
    i->varies |= type_is_flag(e->type);
}

static void inspect_access(struct walker *w, struct access *a, bool is_store)
{
    struct inspection *i = w->self;
    i->varies |= is_store || load_varies(i->v, a);
}

static bool flat_varies(const struct variance *v, struct stmt *s, bool with_targets)
{
    struct inspection i = { v, s->kind == S_STORE || s->kind == S_CALL || s->kind == S_RETURN,
                           with_targets };
    struct walker w = { .expr = inspect_expr, .read = inspect_read, .assigned = inspect_assigned,
                       .access = inspect_access, .self = &i };
    struct stmt flat = *s;

    flat.body = flat.other = NULL;
    flat.arm_count = 0;
    visit_stmt(&w, &flat);
    return i.varies;
}

bool stmt_varies(const struct variance *v, struct stmt *s)
{
    return flat_varies(v, s, true);
}

struct marking { struct variance *v; bool changed, varies; };

static void mark_assigned(struct walker *w, struct var *var)
{
    struct marking *m = w->self;
    if (m->varies && !var_set_has(&m->v->varying, var)) {
        var_set_add(&m->v->varying, var);
        m->changed = true;
    }
}

static void mark_list(struct marking *m, struct stmt *list)
{
    for (struct stmt *s = list; s; s = s->next) {
        if (!is_control(s)) {
            struct walker w = { .assigned = mark_assigned, .self = m };
            m->varies = flat_varies(m->v, s, false);
            visit_stmt(&w, s);
        }
        mark_list(m, s->body);
        mark_list(m, s->other);
    }
}

static void note_store(struct walker *w, struct stmt *s)
{
    struct variance *v = w->self;
    if (s->kind == S_STORE) {
        struct var by_id = { .id = s->access.object->id };
        var_set_add(&v->stored, &by_id);
    }
    for (int i = 0; s->kind == S_CALL && i < s->arg_count; i++) {
        struct object *o = s->args[i].object;
        if (o && o->kind != OBJECT_TABLE) {
            struct var by_id = { .id = o->id };
            var_set_add(&v->stored, &by_id);
        }
    }
}

struct variance find_variance(const struct shape *sh, const struct stmt *loop, struct stmt *body,
                              const struct address_plan *p)
{
    struct variance v = { .sh = sh, .plan = p };
    struct exposure x = { { 0 }, { 0 } };
    struct marking m = { &v, true, false };
    struct walker stores = { .stmt = note_store, .self = &v };

    visit_list(&stores, body);
    for (int i = 0; i < p->groups.n; i++)
        var_set_add(&v.pointers, p->groups.at[i].pointer);
    expose_list(&x, body);
    struct var_set assigned = assigned_in(sh->f->vars.n, body);
    var_set_add(&v.varying, loop->index);
    for (int i = 0; i < assigned.n && i < x.exposed.n; i++) {
        if (!assigned.at[i] || !x.exposed.at[i])
            continue;
        var_set_add(&v.carried, sh->f->vars.at[i]);
        var_set_add(&v.varying, sh->f->vars.at[i]);
    }
    while (m.changed) {
        m.changed = false;
        mark_list(&m, body);
    }
    return v;
}
