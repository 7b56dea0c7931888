/* check_loop.c: what holds in every iteration of a loop.
 *
 * Takes a loop and the state before it; walks its body with values that are
 * right in every iteration t, and leaves the state after it. The index of a
 * `for` is lo + step * t, below hi. A variable set before the loop and changed
 * in it is guessed, from one optimistic walk that ignores wrapping, to be
 * start + step * t; failing that, to stay at or above its start, at or below it,
 * and inside the interval of its start. Guesses are then tested together:
 * assuming all of them at the head, each must hold again at the end of every
 * arm's body. Those that do not are dropped and the rest is tested again, so
 * what remains is an invariant by induction.
 *
 * The walks are limited in number and in depth; a loop beyond the limits is
 * walked without guesses.
 *
 * Holds: nothing is reported and no access recorded before the guesses are
 * shown. Memory that the body may write is new in every iteration.
 */
#include "lang/bounds_walk.h"

#include <assert.h>

enum {
    GUESS_DEPTH = 2,            /* loops inside each other whose guesses are tested together */
    GUESS_WALKS = 8,            /* then all that is left is dropped */
};

enum guess_kind { GUESS_STEPS, GUESS_MONOTONE };

struct guess {
    int slot;
    const struct var *var;
    enum guess_kind kind;
    wide step;                  /* GUESS_STEPS */
    bool has_step;              /* an arm was seen, and all agree */
    bool up, down;              /* GUESS_MONOTONE: never below, never above its start */
    bool above_lo, below_hi;    /* and inside lo .. hi, the interval of its start */
    wide lo, hi;
    struct form start, head;
};

struct loop {
    const struct stmt *s;
    struct form lo, hi;         /* S_FOR */
    struct state before;
    VEC(struct guess) guesses;
    struct bits lost;           /* slots that are set in it and unknown before it */
    VEC(const struct object *) written;
};

/* -- what the body changes -- */

static void changes_var(struct bounds *b, struct loop *l, const struct var *v)
{
    const int slot = v == NULL ? -1 : b->slot[v->id];

    if (slot < 0 || !type_is_scalar(v->type))
        return;
    if (form_is_unknown(&l->before.value[slot])) {
        bits_set(&l->lost, slot);
        return;
    }
    for (int i = 0; i < l->guesses.n; i++)
        if (l->guesses.at[i].slot == slot)
            return;
    struct guess *g = vec_add(&l->guesses);
    *g = (struct guess){ .slot = slot, .var = v, .kind = GUESS_STEPS,
                         .start = l->before.value[slot] };
    /* Now, by what holds before the loop: inside, more is known. */
    range_bounds(&b->r, g->start, &g->lo, &g->hi);
}

static void changes_list(struct bounds *b, struct loop *l, const struct stmt *s)
{
    for (; s != NULL; s = s->next) {
        struct stmt *body;
        struct var *v;

        for each_result(v, s)
            changes_var(b, l, v);
        if (s->kind == S_STORE)
            vec_push(&l->written, s->access.object);
        for (int i = 0; i < s->arg_count; i++)
            if (s->args[i].object != NULL && s->callee->params[i].object->direction != DIR_IN)
                vec_push(&l->written, s->args[i].object);
        for each_body(body, s)
            changes_list(b, l, body);
    }
}

/* A written object has one new version, however many stores there are. */
static void forget_memory(struct bounds *b, const struct loop *l)
{
    struct bits done = bits_new(b->f->objects.n);

    for (int i = 0; i < l->written.n; i++)
        if (!bits_has(&done, l->written.at[i]->id)) {
            memory_changes(b, l->written.at[i]);
            bits_set(&done, l->written.at[i]->id);
        }
}

/* -- one iteration -- */

static int count_symbol(struct bounds *b, const struct loop *l)
{
    const struct stmt *s = l->s;
    const wide step = (wide)s->step;
    wide lo, hi;

    if (s->kind == S_WHILE)
        return range_symbol(&b->r, SYMBOL_COUNT, "(the iteration)", 0, UINT64_MAX);
    const struct form last = form_plus(form_sub(l->hi, l->lo), -1);
    const bool plain = step == 1 && l->lo.n == 0 && l->lo.constant == 0;
    range_bounds(&b->r, last, &lo, &hi);
    const int t = range_symbol(&b->r, SYMBOL_COUNT,
                               plain ? s->index->name : mem_format("(the iteration of %s)",
                                                                   s->index->name),
                               0, hi >= WIDE_MAX ? UINT64_MAX : hi < 0 ? 0 : hi / step);
    struct symbol *sym = &b->r.symbols.at[t];
    sym->has_most = step == 1 || last.n == 0;
    if (sym->has_most)
        sym->most = step == 1 ? last : form_constant(last.constant / step);
    return t;
}

static void set_heads(struct bounds *b, struct loop *l, struct form t, bool optimistic)
{
    for (int i = 0; i < l->lost.n; i++)
        if (bits_has(&l->lost, i))
            b->now.value[i].n = -1;
    for (int i = 0; i < l->guesses.n; i++) {
        struct guess *g = &l->guesses.at[i];

        if (g->kind == GUESS_STEPS && !optimistic) {
            g->head = form_add(g->start, form_scale(t, g->step));
        } else {
            g->head = form_symbol(range_symbol(&b->r, SYMBOL_BASE, g->var->name, 0,
                                               type_limit(g->var->type)));
            if (g->kind == GUESS_MONOTONE && g->up)
                range_assume(&b->r, FACT_GE, form_sub(g->head, g->start));
            if (g->kind == GUESS_MONOTONE && g->down)
                range_assume(&b->r, FACT_GE, form_sub(g->start, g->head));
            if (g->kind == GUESS_MONOTONE && g->above_lo)
                range_assume(&b->r, FACT_GE, form_plus(g->head, -g->lo));
            if (g->kind == GUESS_MONOTONE && g->below_hi)
                range_assume(&b->r, FACT_GE, form_plus(form_scale(g->head, -1), g->hi));
        }
        b->now.value[g->slot] = g->head;
    }
}

/* Walks one arm's body from the head; b->now is then the state at its end. */
static void walk_body(struct bounds *b, struct loop *l, int arm, bool optimistic)
{
    const struct stmt *s = l->s;
    struct frame *frame = NEW(struct frame);

    *frame = (struct frame){ b->frame, s, arm, b->frame == NULL ? 1 : b->frame->depth + 1,
                             b->r.symbols.n, form_constant(0), form_constant(0) };
    b->now = state_copy(b, &l->before);
    frame->count = form_symbol(count_symbol(b, l));
    b->frame = frame;
    set_heads(b, l, frame->count, optimistic);
    forget_memory(b, l);
    if (s->kind == S_FOR) {
        frame->index = form_add(l->lo, form_scale(frame->count, (wide)s->step));
        set_var(b, s->index, frame->index);
        range_assume(&b->r, FACT_GE, form_plus(form_sub(l->hi, frame->index), -1));
        bounds_list(b, s->arms[arm].body);
    } else {
        check_condition(b, s->cond);
        assume(b, s->cond, true);
        bounds_list(b, s->body);
    }
    b->frame = frame->up;
}

static int arm_count(const struct loop *l)
{
    return l->s->kind == S_FOR ? l->s->arm_count : 1;
}

/* -- guesses -- */

/* No step: all that is left to be guessed about it. */
static void only_bounded(struct guess *g)
{
    g->kind = GUESS_MONOTONE;
    g->up = g->down = true;
    g->above_lo = g->lo > 0;
    g->below_hi = g->hi < type_limit(g->var->type);
}

/* Is the bound still claimed, and not shown to hold of F? Then it is dropped. */
static bool drop_bound(struct bounds *b, bool *claimed, struct form f)
{
    if (!*claimed || range_proves(&b->r, f))
        return false;
    *claimed = false;
    return true;
}

static void read_steps(struct bounds *b, struct loop *l)
{
    for (int i = 0; i < l->guesses.n; i++) {
        struct guess *g = &l->guesses.at[i];
        const struct form d = form_sub(b->now.value[g->slot], g->head);
        const bool constant = d.n == 0;

        if (g->kind != GUESS_STEPS)
            continue;
        if (!constant || (g->has_step && g->step != d.constant)) {
            only_bounded(g);
        } else {
            g->step = d.constant;
            g->has_step = true;
        }
    }
}

/* What holds at the end of the body no longer: dropped; true when any was. */
static bool drop_refuted(struct bounds *b, struct loop *l)
{
    bool dropped = false;

    for (int i = 0; i < l->guesses.n; i++) {
        struct guess *g = &l->guesses.at[i];
        const struct form end = b->now.value[g->slot];

        if (g->kind == GUESS_STEPS) {
            if (range_proves_equal(&b->r, end, form_plus(g->head, g->step)))
                continue;
            only_bounded(g);
            dropped = true;
            continue;
        }
        dropped = drop_bound(b, &g->up, form_sub(end, g->start)) || dropped;
        dropped = drop_bound(b, &g->down, form_sub(g->start, end)) || dropped;
        dropped = drop_bound(b, &g->above_lo, form_plus(end, -g->lo)) || dropped;
        dropped = drop_bound(b, &g->below_hi, form_plus(form_scale(end, -1), g->hi)) || dropped;
    }
    return dropped;
}

static void guess_steps(struct bounds *b, struct loop *l)
{
    const enum wrap_mode wrap = b->wrap;

    b->wrap = WRAP_IGNORED;
    for (int arm = 0; arm < arm_count(l); arm++) {
        const struct range_marks m = range_mark(&b->r);
        walk_body(b, l, arm, true);
        read_steps(b, l);
        range_release(&b->r, m);
    }
    b->wrap = wrap;
}

static void drop_all(struct loop *l)
{
    for (int i = 0; i < l->guesses.n; i++) {
        struct guess *g = &l->guesses.at[i];

        g->kind = GUESS_MONOTONE;
        g->up = g->down = g->above_lo = g->below_hi = false;
    }
}

static void find_invariants(struct bounds *b, struct loop *l)
{
    bool dropped = b->guessing < GUESS_DEPTH;

    if (!dropped) {
        drop_all(l);
        return;
    }
    b->guessing++;
    guess_steps(b, l);
    for (int walks = 0; dropped; walks++) {
        if (walks == GUESS_WALKS) {
            drop_all(l);
            break;
        }
        dropped = false;
        for (int arm = 0; arm < arm_count(l) && !dropped; arm++) {
            const struct range_marks m = range_mark(&b->r);
            walk_body(b, l, arm, false);
            dropped = drop_refuted(b, l);
            range_release(&b->r, m);
        }
    }
    b->guessing--;
}

/* -- after the loop -- */

static struct form iterations(struct bounds *b, const struct loop *l)
{
    const wide step = (wide)l->s->step;
    const struct form count = form_sub(l->hi, l->lo);

    if (l->s->kind == S_FOR && step == 1 && range_proves(&b->r, count))
        return count;
    const struct form n = form_symbol(range_symbol(&b->r, SYMBOL_BASE, "the iterations", 0,
                                                   UINT64_MAX));
    if (l->s->kind == S_FOR && range_proves(&b->r, count)) {
        range_assume(&b->r, FACT_GE, form_sub(form_scale(n, step), count));
        range_assume(&b->r, FACT_GE, form_sub(form_plus(count, step - 1), form_scale(n, step)));
    }
    return n;
}

static void leave(struct bounds *b, struct loop *l)
{
    b->now = state_copy(b, &l->before);
    if (l->guesses.n > 0 || l->s->kind == S_WHILE)
        set_heads(b, l, iterations(b, l), false);
    else
        set_heads(b, l, form_constant(0), false);
    forget_memory(b, l);
    if (l->s->kind == S_WHILE)
        assume(b, l->s->cond, false);
}

static void check_widths(struct bounds *b, const struct loop *l)
{
    const struct stmt *s = l->s;
    const int width = s->arms[s->arm_count - 1].width;

    if (width <= 1 || !may_report(b) ||
        range_proves_multiple(&b->r, form_sub(l->hi, l->lo), (wide)width * (wide)s->step))
        return;
    error_at(s->loc, RULE_EXTENT,
             "the widths must end in 1: the number of iterations is not provably a multiple of %d",
             width);
}

void bounds_loop(struct bounds *b, const struct stmt *s)
{
    struct loop l = { .s = s, .lost = bits_new(b->slot_count) };
    struct stmt *body;

    if (s->kind == S_FOR) {
        check_ranges(b, s->lo);
        check_ranges(b, s->hi);
        l.lo = value_of(b, s->lo);
        l.hi = value_of(b, s->hi);
        check_widths(b, &l);
    }
    l.before = state_copy(b, &b->now);
    for each_body(body, s)
        changes_list(b, &l, body);
    if (l.guesses.n > 0)
        find_invariants(b, &l);
    for (int arm = 0; arm < arm_count(&l); arm++) {
        const struct range_marks m = range_mark(&b->r);
        walk_body(b, &l, arm, false);
        range_release(&b->r, m);
    }
    leave(b, &l);
}
