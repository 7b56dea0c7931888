/* version.c: one name for every value of a uniform variable in a woven body.
 *
 * A uniform statement runs once, before the copies of the varying statements
 * around it. That is possible when it does not change what a varying statement
 * that stands before it reads. So a uniform variable that is set again in a
 * straight segment of the body gets a new name from there on:
 *
 *     t = 7; y = t * i; t = a; z = t ^ y   is   t = 7; y = t * i; t' = a; z = t' ^ y
 *
 * Takes the body of one iteration in shape, and what varies in it; gives a copy
 * of the body and the last name of each variable. Only assignments in the
 * outermost list get a new name: they certainly run, so the name is known at
 * every place below. Variables that vary keep their names: they have one per
 * copy.
 */
#include "shape/pass.h"

struct versioning {
    struct shape *sh;
    const struct variance *variance;
    struct versions names;
    struct var_set touched;     /* read or set so far in the segment, by the original's id */
    bool outermost;
};

struct var *latest_version(const struct versions *names, struct var *v)
{
    return v->id < names->n && names->latest[v->id] ? names->latest[v->id] : v;
}

static struct expr *read_latest(struct copier *c, const struct expr *e)
{
    struct versioning *x = c->self;
    struct var *now = latest_version(&x->names, e->var);

    if (now == e->var)
        return NULL;
    struct expr *own = NEW(struct expr);
    *own = *e;
    own->var = now;
    return own;
}

static void access_latest(struct copier *c, struct access *a)
{
    struct versioning *x = c->self;
    if (a->pointer)
        a->pointer = latest_version(&x->names, a->pointer);
}

static struct var *assign_latest(struct copier *c, struct var *v)
{
    struct versioning *x = c->self;

    if (x->outermost && !var_set_has(&x->variance->varying, v) && var_set_has(&x->touched, v)) {
        struct var *next = new_var(x->sh, v->name, v->type, v->loc);
        next->secret = v->secret;
        x->names.latest[v->id] = next;
    }
    return latest_version(&x->names, v);
}

static void touch(struct walker *w, struct var *v)
{
    var_set_add(w->self, v);
}

struct stmt *version_uniforms(struct shape *sh, const struct variance *variance, struct stmt *body,
                              struct versions *names)
{
    struct versioning x = { .sh = sh, .variance = variance };
    struct copier c = { .sh = sh, .read = read_latest, .assigned = assign_latest,
                       .access = access_latest, .self = &x };
    struct walker touches = { .read = touch, .assigned = touch, .self = &x.touched };
    struct stmt_chain out;

    x.names = (struct versions){ NEW_ARRAY(struct var *, sh->f->vars.n + 1), sh->f->vars.n };
    chain_start(&out);
    for (struct stmt *s = body; s; s = s->next) {
        x.outermost = !is_control(s);
        chain_add(&out, copy_stmt(&c, s));
        if (x.outermost)
            visit_stmt(&touches, s);
        else
            x.touched = (struct var_set){ 0 };
    }
    *names = x.names;
    return out.first;
}
