/* check_weave.c: can the iterations of a woven loop run side by side?
 *
 * Takes a finished function. In every arm of a `weave` wider than 1, variables
 * are varying (they depend on the iteration) or uniform. Control inside the
 * body is shared by all copies, so a varying condition or loop bound is
 * `varying-control`.
 *
 * The body is cut into segments: straight statements, and each inner loop or
 * condition by itself. Copies run a straight segment one after the other, in
 * order, and pass through control together. A value carried to the next
 * iteration therefore threads through the copies when everything that sets it,
 * and every read of the previous iteration's value, is in one straight segment
 * (a previous ciphertext block, a checksum); otherwise it is `loop-carried`. A
 * value set before it is read in each iteration is not carried. The same holds
 * for memory: an access may not move over another iteration's store to the same
 * bytes. A flag may not live from one segment to another: there is one NZCV.
 */
#include "lang/check.h"

#include <assert.h>

/* An access, and the segment it is in. */
struct touch {
    const struct access *access;
    int bytes, segment;
    bool is_store;
    struct loc loc;
};

struct weave {
    struct func *f;
    const struct stmt *loop;
    int width;
    struct stmt *body;
    struct bits varying;        /* variables */
    struct bits assigned;       /* in the body */
    VEC(const struct object *) stored;
    VEC(struct touch) touches;
    int segment;                /* even: straight, odd: control */
};

static bool is_control(const struct stmt *s)
{
    return s->kind == S_FOR || s->kind == S_WHILE || s->kind == S_IF;
}

/* -- what is set, what is read first -- */

static void assigned_stmt(const struct stmt *s, struct bits *set)
{
    struct stmt *body;
    struct var *v;

    for each_result(v, s)
        if (v != NULL)
            bits_set(set, v->id);
    if (s->kind == S_FOR)
        bits_set(set, s->index->id);
    for each_body(body, s)
        for (const struct stmt *t = body; t != NULL; t = t->next)
            assigned_stmt(t, set);
}

static void collect_stored(struct weave *w, const struct stmt *s)
{
    for (; s != NULL; s = s->next) {
        struct stmt *body;

        if (s->kind == S_STORE)
            vec_push(&w->stored, s->access.object);
        for (int i = 0; i < s->arg_count; i++)
            if (s->args[i].object != NULL && s->callee->params[i].object->direction != DIR_IN)
                vec_push(&w->stored, s->args[i].object);
        for each_body(body, s)
            collect_stored(w, body);
    }
}

static void exposed_expr(const struct expr *e, const struct bits *set, struct bits *exposed)
{
    struct expr *child;

    for each_child(child, e)
        exposed_expr(child, set, exposed);
    if (e->kind == E_VAR && !bits_has(set, e->var->id))
        bits_set(exposed, e->var->id);
}

/* Adds to EXPOSED what the list reads that is not certainly in SET, and to SET
 * what it certainly assigns. */
static void exposed_list(const struct stmt *s, struct bits *set, struct bits *exposed)
{
    for (; s != NULL; s = s->next) {
        struct bits all = { NULL, 0 };
        struct stmt *body;
        struct expr *x;
        struct var *v;

        for each_expr(x, s)
            exposed_expr(x, set, exposed);
        for each_body(body, s) {
            struct bits inner = bits_copy(set);
            if (s->kind == S_FOR)
                bits_set(&inner, s->index->id);
            exposed_list(body, &inner, exposed);
            if (all.word == NULL)
                all = inner;
            bits_intersect(&all, &inner);
        }
        if (s->kind == S_IF && all.word != NULL)
            *set = all;
        for each_result(v, s)
            if (v != NULL)
                bits_set(set, v->id);
    }
}

/* The same for one variable and one statement: does S read V when it is not SET? */
static bool reads(const struct expr *e, const struct var *v)
{
    const struct expr *child;

    for each_child(child, e)
        if (reads(child, v))
            return true;
    return e->kind == E_VAR && e->var == v;
}

static bool sets(const struct stmt *s, const struct var *v)
{
    struct stmt *body;
    struct var *result;

    for each_result(result, s)
        if (result == v)
            return true;
    for each_body(body, s)
        for (const struct stmt *t = body; t != NULL; t = t->next)
            if (sets(t, v))
                return true;
    return false;
}

static bool reads_first(const struct stmt *s, const struct var *v, bool *set)
{
    bool exposed = false, all = s->kind == S_IF;
    struct stmt *body;
    struct expr *x;
    struct var *result;

    for each_expr(x, s)
        exposed = exposed || (!*set && reads(x, v));
    for each_body(body, s) {
        bool inner = *set;
        for (const struct stmt *t = body; t != NULL && !exposed; t = t->next)
            exposed = reads_first(t, v, &inner);
        all = all && inner;
    }
    *set = *set || all;
    for each_result(result, s)
        *set = *set || result == v;
    return exposed;
}

/* -- varying -- */

static bool is_stored(const struct weave *w, const struct object *o)
{
    for (int i = 0; i < w->stored.n; i++)
        if (objects_may_be_same(w->f, o, w->stored.at[i]))
            return true;
    return false;
}

static bool varies(const struct weave *w, const struct expr *e)
{
    const struct expr *child;

    if (e->kind == E_VAR)
        return bits_has(&w->varying, e->var->id);
    if (e->kind == E_LOAD && is_stored(w, e->access.object))
        return true;
    for each_child(child, e)
        if (varies(w, child))
            return true;
    return false;
}

static bool mark_varying(struct weave *w, const struct stmt *s)
{
    bool grew = false;

    for (; s != NULL; s = s->next) {
        bool value = false;
        struct stmt *body;
        struct expr *x;
        struct var *v;

        for each_expr(x, s)
            value = value || varies(w, x);
        for (int i = 0; i < s->arg_count; i++)
            value = value || (s->args[i].object != NULL && is_stored(w, s->args[i].object));
        for each_result(v, s)
            if (value && v != NULL && !bits_has(&w->varying, v->id)) {
                bits_set(&w->varying, v->id);
                grew = true;
            }
        for each_body(body, s)
            grew = mark_varying(w, body) || grew;
    }
    return grew;
}

/* -- varying-control -- */

static const struct expr *varying_leaf(const struct weave *w, const struct expr *e)
{
    const struct expr *child;

    for each_child(child, e)
        if (varies(w, child))
            return varying_leaf(w, child);
    return e;
}

static void refuse_varying(const struct weave *w, const struct expr *e, const char *what)
{
    if (e == NULL || !varies(w, e))
        return;
    const struct expr *leaf = varying_leaf(w, e);

    error_at(e->loc, RULE_VARYING_CONTROL, "%s differs between woven iterations", what);
    if (leaf->kind == E_VAR && leaf->var == w->loop->index)
        note_at(leaf->var->loc, "'%s' is the index of the woven loop", leaf->var->name);
    else if (leaf->kind == E_VAR)
        note_at(leaf->var->loc, "%s has a value of its own in each iteration",
                var_label(leaf->var));
    else
        note_at(w->loop->loc, "the loop writes what is read here");
}

static void check_control(const struct weave *w, const struct stmt *s)
{
    for (; s != NULL; s = s->next) {
        struct stmt *body;

        refuse_varying(w, s->cond, "this condition");
        if (s->kind == S_FOR) {
            refuse_varying(w, s->lo, "the start of this loop");
            refuse_varying(w, s->hi, "the end of this loop");
        }
        if (s->kind == S_RETURN) {
            error_at(s->loc, RULE_VARYING_CONTROL,
                     "a return inside a woven loop ends one iteration only");
            note_at(w->loop->loc, "the loop");
        }
        for each_body(body, s)
            check_control(w, body);
    }
}

/* -- loop-carried -- */

/* The way of one carried variable through the body. */
struct passage {
    int first, last;            /* segments */
    const struct stmt *read, *set;
    bool in_control;
};

static void pass_through(struct passage *p, int segment)
{
    if (p->first < 0)
        p->first = segment;
    p->first = segment < p->first ? segment : p->first;
    p->last = segment > p->last ? segment : p->last;
    p->in_control = p->in_control || segment % 2 == 1;
}

static int next_segment(int segment, const struct stmt *s)
{
    if (is_control(s))
        return segment % 2 == 1 ? segment + 2 : segment + 1;
    return segment % 2 == 1 ? segment + 1 : segment;
}

static struct passage passage_of(const struct weave *w, const struct var *v)
{
    struct passage p = { -1, -1, NULL, NULL, false };
    bool set = false;
    int segment = 0;

    for (const struct stmt *s = w->body; s != NULL; s = s->next) {
        segment = next_segment(segment, s);
        if (reads_first(s, v, &set)) {
            pass_through(&p, segment);
            p.read = p.read == NULL ? s : p.read;
        }
        if (sets(s, v)) {
            pass_through(&p, segment);
            p.set = s;
        }
    }
    return p;
}

/* The control statement that the value passes: in the span of segments. */
static const struct stmt *control_between(const struct weave *w, int first, int last)
{
    int segment = 0;

    for (const struct stmt *s = w->body; s != NULL; s = s->next) {
        segment = next_segment(segment, s);
        if (segment >= first && segment <= last && segment % 2 == 1)
            return s;
    }
    return w->loop;
}

static void check_carried(const struct weave *w, const struct bits *exposed)
{
    for (int i = 0; i < w->f->vars.n; i++) {
        const struct var *v = w->f->vars.at[i];

        if (!bits_has(exposed, i) || !bits_has(&w->assigned, i))
            continue;
        const struct passage p = passage_of(w, v);
        if (p.first == p.last && !p.in_control)
            continue;
        const struct stmt *control = control_between(w, p.first, p.last);
        error_at(control->loc, RULE_LOOP_CARRIED,
                 "%s is carried from one woven iteration to the next through this %s", var_label(v),
                 control->kind == S_IF ? "condition" : "loop");
        note_at(v->loc, "%s is declared here", var_label(v));
        if (p.read != NULL && p.read != control)
            note_at(p.read->loc, "the previous iteration's value is read here");
        if (p.set != NULL && p.set != control)
            note_at(p.set->loc, "and set for the next one here");
    }
}

/* A flag that is read in another segment of LIST than it is set in. The copies
 * share control, so what holds for the body holds for every list inside. */
static void check_flag_stays(const struct weave *w, const struct stmt *list, const struct var *v)
{
    const struct stmt *at = NULL;
    int segment = 0, home = -1;

    for (const struct stmt *s = list; s != NULL; s = s->next) {
        struct stmt *body;
        bool set = false;

        segment = next_segment(segment, s);
        if (home >= 0 && segment != home && reads_first(s, v, &set)) {
            error_at(s->loc, RULE_CARRY_LOST,
                     "each of %d woven iterations has its own %s of %s here", w->width,
                     v->type == TYPE_BORROW ? "borrow" : "carry", var_label(v));
            note_at(at->loc, "%s is set here", var_label(v));
            return;
        }
        if (sets(s, v)) {
            home = segment;
            at = s;
        }
        for each_body(body, s)
            check_flag_stays(w, body, v);
    }
}

static void check_flags_stay(const struct weave *w)
{
    for (int i = 0; i < w->f->vars.n; i++)
        if (type_is_flag(w->f->vars.at[i]->type) && bits_has(&w->assigned, i))
            check_flag_stays(w, w->body, w->f->vars.at[i]);
}

/* -- memory -- */

static void touch_expr(struct weave *w, const struct expr *e)
{
    struct expr *child;

    for each_child(child, e)
        touch_expr(w, child);
    if (e->kind == E_LOAD)
        vec_push(&w->touches, ((struct touch){ &e->access, type_bytes(e->mem), w->segment, false,
                                               e->loc }));
}

static void touch_list(struct weave *w, const struct stmt *s, bool outermost)
{
    for (; s != NULL; s = s->next) {
        struct stmt *body;
        struct expr *x;

        if (outermost)
            w->segment = next_segment(w->segment, s);
        for each_expr(x, s)
            touch_expr(w, x);
        if (s->kind == S_STORE)
            vec_push(&w->touches, ((struct touch){ &s->access, type_bytes(s->mem), w->segment,
                                                   true, s->loc }));
        for each_body(body, s)
            touch_list(w, body, false);
    }
}

/* The factor of the loop's index; false when another part may change. */
static bool linear_in_index(const struct weave *w, const struct affine *a, int64_t *factor)
{
    *factor = 0;
    for (int i = 0; i < a->n; i++) {
        const struct expr *atom = a->terms[i].atom;

        if (atom->kind == E_VAR && atom->var == w->loop->index)
            *factor = a->terms[i].factor;
        else if (varies(w, atom) || (atom->kind == E_VAR && bits_has(&w->assigned, atom->var->id)))
            return false;
    }
    return true;
}

/* May LATE, d iterations after EARLY's, be to the same bytes? */
static bool may_meet(const struct weave *w, const struct touch *early, const struct touch *late)
{
    const struct affine a = affine_of(early->access->offset), b = affine_of(late->access->offset);
    int64_t factor, other;

    if (!linear_in_index(w, &a, &factor) || !linear_in_index(w, &b, &other) ||
        !affine_equal_terms(&a, &b))
        return true;
    for (int64_t d = 1; d < w->width; d++) {
        const int64_t apart = (int64_t)((uint64_t)b.constant - (uint64_t)a.constant +
                                        (uint64_t)factor * (uint64_t)d * w->loop->step);
        if (apart < early->bytes && apart > -(int64_t)late->bytes)
            return true;
    }
    return false;
}

/* Copies of a later iteration move over what is left of this one: segments
 * after theirs, and control that is shared. */
static void check_memory(struct weave *w)
{
    touch_list(w, w->body, true);
    if (w->segment == 0)
        return;                 /* straight: copies run in order */
    for (int i = 0; i < w->touches.n; i++)
        for (int k = 0; k < w->touches.n; k++) {
            const struct touch *early = &w->touches.at[i], *late = &w->touches.at[k];
            const bool moves = late->segment < early->segment ||
                               (late->segment == early->segment && late->segment % 2 == 1);

            if (!moves || (!early->is_store && !late->is_store) ||
                !objects_may_be_same(w->f, early->access->object, late->access->object) ||
                !may_meet(w, early, late))
                continue;
            error_at(late->loc, RULE_LOOP_CARRIED,
                     "woven, this would happen before a previous iteration's access to '%s'",
                     early->access->object->name);
            note_at(early->loc, "that access, which may be to the same bytes");
            return;
        }
}

/* -- all woven loops -- */

static void check_arm(struct func *f, const struct stmt *loop, const struct for_arm *arm)
{
    struct weave w = { .f = f, .loop = loop, .width = arm->width, .body = arm->body };
    struct bits exposed = bits_new(f->vars.n), set = bits_new(f->vars.n);

    w.varying = bits_new(f->vars.n);
    w.assigned = bits_new(f->vars.n);
    collect_stored(&w, arm->body);
    for (const struct stmt *s = arm->body; s != NULL; s = s->next)
        assigned_stmt(s, &w.assigned);
    exposed_list(arm->body, &set, &exposed);
    bits_set(&w.varying, loop->index->id);
    for (int i = 0; i < f->vars.n; i++)
        if (bits_has(&exposed, i) && bits_has(&w.assigned, i))
            bits_set(&w.varying, i);
    while (mark_varying(&w, arm->body))
        continue;
    check_control(&w, arm->body);
    check_carried(&w, &exposed);
    check_flags_stay(&w);
    check_memory(&w);
}

static void weaves_in(struct func *f, const struct stmt *s)
{
    for (; s != NULL; s = s->next) {
        struct stmt *body;

        if (s->kind == S_FOR && s->shape == LOOP_WEAVE)
            for (int i = 0; i < s->arm_count; i++)
                if (s->arms[i].width > 1)
                    check_arm(f, s, &s->arms[i]);
        for each_body(body, s)
            weaves_in(f, body);
    }
}

void check_weaves(struct func *f)
{
    weaves_in(f, f->body);
}
