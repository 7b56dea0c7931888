/* unroll.c: from one source loop to the chain of loops that runs.
 *
 * Takes an S_FOR whose arms (one per width, descending) are in shape already;
 * gives statements without S_FOR. With `trips` the number of iterations:
 *
 *   unroll 8, 4, 1                       weave 3, 2, 1
 *   count = trips >> 3                   left = trips
 *   if count != 0 { repeat count … }     if left >= 3 { left -= 3; do … while … }
 *   if (trips & 4) != 0 { … }            if left >= 2 { … left -= 2 }
 *   count = trips & 3                    if left != 0 { … }
 *   if count != 0 { repeat count … }
 *
 * A loop counts down to zero and tests at its bottom, which writes no flags
 * (`sub`, `cbnz`), so a carry lives through it; tests of one bit need none
 * either. A remainder that can run only once is an `if`. Guards that the
 * ranges of the bounds make redundant are left out. Where the index has other
 * uses than addresses, it is kept and a plain loop ends by comparing it.
 *
 * Holds: iterations in order, bounds evaluated once, before the loop.
 * Does not: order instructions, or run iterations side by side (weave.c).
 */
#include <assert.h>

#include "base/broken.h"
#include "shape/pass.h"

/* A plain loop this short is written out: statements times iterations. */
enum { WRITE_OUT_TRIPS = 4, WRITE_OUT_SIZE = 24 };

struct chain {
    struct shape *sh;
    const struct stmt *loop;
    struct for_arm *arms;
    struct address_plan plan;
    struct expr *trips;         /* number of iterations, U32 or U64 */
    struct expr *guard;         /* the number is right only when this holds; NULL: always */
    struct span range;          /* of trips */
    bool index_lives;
};

/* -- flags -- */

struct flag_uses { const struct shape *sh; int *here; };

static void count_flag(struct walker *w, struct var *v)
{
    struct flag_uses *u = w->self;
    if (type_is_flag(v->type))
        u->here[v->id]++;
}

/* May a flag that was set before the loop be read in or after it? Yes when any
 * flag is mentioned outside: a loop that then avoids flags is never wrong. */
static bool flag_may_live_through(const struct chain *c)
{
    const struct shape *sh = c->sh;
    struct flag_uses u = { sh, NEW_ARRAY(int, sh->original->vars.n + 1) };
    struct walker w = { .read = count_flag, .assigned = count_flag, .self = &u };

    visit_stmt(&w, (struct stmt *)c->loop);
    for (int i = 0; i < sh->original->vars.n; i++)
        if (type_is_flag(sh->original->vars.at[i]->type) && sh->mentions[i] > u.here[i])
            return true;
    return false;
}

/* LO < HI by arithmetic that leaves the flags alone: the borrow of LO - HI, or,
 * when LO is 2^k - 1, what is left of HI without its low k bits. */
static struct expr *below_without_flags(struct expr *lo, struct expr *hi)
{
    const uint64_t sign = (uint64_t)1 << 63;
    struct expr *borrow;
    uint64_t known;

    if (is_const(lo, &known) && known <= INT32_MAX && (known & (known + 1)) == 0) {
        const uint64_t bits = (uint64_t)__builtin_popcountll(known);
        return build_compare(BIN_NE, build_constant_op(BIN_SHR, hi, bits),
                             build_const(hi->type, 0, hi->loc));
    }
    if (value_types[lo->type].bits < 64) {
        borrow = build_binary(BIN_SUB, build_convert(TYPE_U64, lo), build_convert(TYPE_U64, hi));
    } else {
        struct expr *above = build_constant_op(BIN_XOR, lo, UINT64_MAX);
        struct expr *differ = build_binary(BIN_AND, above, hi);
        struct expr *equal = build_binary(BIN_AND, build_binary(BIN_OR, above, hi),
                                          build_binary(BIN_SUB, lo, hi));
        borrow = build_binary(BIN_OR, differ, equal);
    }
    return build_compare(BIN_NE, build_constant_op(BIN_AND, borrow, sign),
                         build_const(borrow->type, 0, lo->loc));
}

/* -- how often -- */

static struct span trip_range(const struct chain *c, struct expr *distance, uint64_t step)
{
    struct span r;
    bool exact;

    r = range_of(c->sh, distance, &exact);
    if (!exact)
        r = (struct span){ 0, UINT64_MAX };
    return (struct span){ r.lo / step + (r.lo % step != 0), r.hi / step + (r.hi % step != 0) };
}

static void find_trips(struct chain *c)
{
    const struct stmt *s = c->loop;
    struct expr *distance;
    uint64_t multiple;
    bool ordered = known_at_most(c->sh, s->lo, s->hi);

    if (!ordered)
        c->guard = flag_may_live_through(c) ? below_without_flags(s->lo, s->hi)
                                            : build_compare(BIN_LT, s->lo, s->hi);
    if (is_rounded_down(c->sh, s->lo, s->hi, &multiple))
        distance = build_constant_op(BIN_AND, s->hi, multiple - 1);
    else
        distance = build_binary(BIN_SUB, s->hi, s->lo);
    c->range = trip_range(c, distance, s->step);
    if (s->step == 1) {
        c->trips = distance;
        c->range.lo += c->guard && c->range.lo == 0;
        return;
    }
    /* ceil(distance / step) without overflow, for a distance that is not 0 */
    if (ordered && c->range.lo == 0) {
        uint64_t known;
        if (is_const(distance, &known)) {
            c->trips = distance;
            return;
        }
        c->guard = build_compare(BIN_NE, distance, build_const(distance->type, 0, s->loc));
    }
    c->trips = build_constant_op(BIN_ADD,
                                build_constant_op(BIN_DIV, build_constant_op(BIN_SUB, distance, 1),
                                                  s->step), 1);
    if (c->guard && c->range.lo == 0)
        c->range.lo = 1;
}

/* -- bodies -- */

struct iteration {
    const struct stmt *loop;
    const struct address_plan *plan;
    struct expr *at;
    uint64_t ahead;
    struct key_map keys;        /* of inner chains */
};

static struct expr *index_of_iteration(struct copier *c, const struct expr *e)
{
    struct iteration *t = c->self;

    if (e->var != t->loop->index)
        return NULL;
    if (!t->at && t->ahead == 0)
        return NULL;
    return build_constant_op(BIN_ADD, t->at ? t->at : build_read(e->var), t->ahead * t->loop->step);
}

static void access_of_iteration(struct copier *c, struct access *a)
{
    struct iteration *t = c->self;

    for (int i = 0; a->pointer && i < t->plan->groups.n; i++) {
        const struct address_group *g = &t->plan->groups.at[i];
        if (a->pointer != g->pointer)
            continue;
        uint64_t by = t->ahead * t->loop->step * (uint64_t)g->form.factor;
        a->offset = build_constant_op(BIN_ADD, a->offset, by);
        a->disp += by;
        a->key = g->key + t->plan->arm;
        return;
    }
    a->key = key_in_copy(c->sh, &t->keys, a->key);
}

struct stmt *copy_iteration(struct shape *sh, const struct stmt *loop, struct stmt *body,
                            const struct address_plan *p, struct expr *at, uint64_t ahead)
{
    struct iteration t = { .loop = loop, .plan = p, .at = at,
                           .ahead = is_broken(BROKEN_UNROLLING) ? 0 : ahead };
    struct copier c = { .sh = sh, .read = index_of_iteration, .access = access_of_iteration,
                       .self = &t };
    return copy_list(&c, body);
}

/* WIDTH iterations of an arm from the place where index and pointers stand. */
static struct stmt *iterations(struct chain *c, const struct for_arm *arm, struct expr *at)
{
    struct stmt_chain out;

    if (c->loop->shape == LOOP_WEAVE && arm->width > 1)
        return weave_iterations(c->sh, c->loop, arm->body, &c->plan, at, arm->width);
    chain_start(&out);
    for (int k = 0; k < arm->width; k++)
        chain_add(&out, copy_iteration(c->sh, c->loop, arm->body, &c->plan, at, (uint64_t)k));
    return out.first;
}

/* The same, and index and pointers moved on. */
static struct stmt *pass(struct chain *c, const struct for_arm *arm)
{
    uint64_t by = (uint64_t)arm->width * c->loop->step;
    struct var *index = c->loop->index;
    struct stmt_chain out;

    c->plan.arm = (int)(arm - c->arms);
    chain_start(&out);
    chain_add(&out, iterations(c, arm, NULL));
    chain_add(&out, reduce_advance(&c->plan, by, c->loop->loc));
    if (c->index_lives)
        chain_add(&out, build_assign(index, build_constant_op(BIN_ADD, build_read(index), by),
                                     c->loop->loc));
    return out.first;
}

/* -- a known number of iterations, all written out -- */

static bool writes_out(const struct chain *c, uint64_t trips)
{
    uint64_t left = trips;

    if (trips == 0)
        return true;
    if (c->loop->shape == LOOP_PLAIN)
        return trips == 1 || (trips <= WRITE_OUT_TRIPS &&
                              trips * (uint64_t)list_size(c->arms[0].body) <= WRITE_OUT_SIZE);
    for (int i = 0; i < c->loop->arm_count; i++) {
        uint64_t width = (uint64_t)c->arms[i].width;
        if (left / width > 1)
            return false;
        left %= width;
    }
    return true;
}

static struct stmt *write_out(struct chain *c, uint64_t trips)
{
    uint64_t done = 0;
    struct stmt_chain out;

    chain_start(&out);
    for (int i = 0; i < c->loop->arm_count; i++)
        for (; trips - done >= (uint64_t)c->arms[i].width; done += (uint64_t)c->arms[i].width)
            chain_add(&out, iterations(c, &c->arms[i],
                                      build_constant_op(BIN_ADD, c->loop->lo, done * c->loop->step)));
    return out.first;
}

/* -- loops -- */

static struct stmt *if_not_zero(struct expr *e, bool known, struct stmt *body, struct loc loc)
{
    return known ? body : build_if(build_compare(BIN_NE, e, build_const(e->type, 0, loc)), body, loc);
}

/* How many turns of the source's loops one turn of an arm's loop makes: its own, in
 * each of the iterations that are woven around it. */
static int steps_of(const struct chain *c, const struct for_arm *arm)
{
    return c->sh->copies * arm->width;
}

/* Runs an arm COUNT times; SURELY: at least once. */
static struct stmt *counted(struct chain *c, const struct for_arm *arm, struct expr *count, bool surely)
{
    struct loc loc = c->loop->loc;
    struct var *v = new_var(c->sh, "count", count->type, loc);
    struct stmt *loop = build_repeat(v, pass(c, arm), steps_of(c, arm), loc);
    struct stmt_chain out;
    uint64_t known;

    chain_start(&out);
    chain_add(&out, build_assign(v, count, loc));
    chain_add(&out, if_not_zero(is_const(count, &known) ? count : build_read(v), surely, loop, loc));
    return out.first;
}

static int log2_of(int width)
{
    int k = 0;
    while (1 << k < width)
        k++;
    return k;
}

static bool is_power_of_two(int w) { return (w & (w - 1)) == 0; }

/* Widths that are powers of two: the bits of the trip count say everything. */
static void emit_by_bits(struct chain *c, struct stmt_chain *out)
{
    for (int i = 0; i < c->loop->arm_count; i++) {
        const struct for_arm *arm = &c->arms[i];
        uint64_t width = (uint64_t)arm->width;
        struct expr *rest = c->trips;
        uint64_t most = c->range.hi, known;
        bool surely = i == 0 && c->range.lo >= width;

        if (i > 0) {
            most = (uint64_t)c->arms[i - 1].width - 1;
            rest = build_constant_op(BIN_AND, rest, most);
        }
        if (most / width == 0 || (is_const(rest, &known) && known < width))
            continue;
        if (i > 0 && most / width == 1)
            chain_add(out, if_not_zero(build_constant_op(BIN_AND, c->trips, width), false,
                                      pass(c, arm), c->loop->loc));
        else
            chain_add(out, counted(c, arm,
                                   build_constant_op(BIN_SHR, rest, (uint64_t)log2_of(arm->width)),
                                  surely));
    }
}

/* Any widths, no flag alive: compare and subtract. The loop keeps the count
 * that is left after the pass it is about to make: what says that there is
 * another one is its sign, when counts are small enough to have one. */
static bool has_sign(const struct var *left, uint64_t most)
{
    return most >> (value_types[left->type].bits - 1) == 0;
}

static struct expr *not_negative(struct var *left, struct loc loc)
{
    uint64_t sign = 1ull << (value_types[left->type].bits - 1);
    return build_compare(BIN_EQ, build_constant_op(BIN_AND, build_read(left), sign),
                         build_const(left->type, 0, loc));
}

static struct stmt *take(struct var *left, uint64_t width, struct loc loc)
{
    return build_assign(left, build_constant_op(BIN_SUB, build_read(left), width), loc);
}

/* Runs an arm while there are enough iterations, of which there are MOST. */
static struct stmt *while_enough(struct chain *c, const struct for_arm *arm, struct var *left,
                                 uint64_t most)
{
    struct loc loc = c->loop->loc;
    uint64_t width = (uint64_t)arm->width;
    struct expr *least = build_const(left->type, width, loc);
    struct expr *enough = build_compare(BIN_GE, build_read(left), least), *again;
    struct stmt_chain out, body;

    chain_start(&out);
    chain_start(&body);
    chain_add(&body, pass(c, arm));
    if (most / width == 1) {
        chain_add(&body, take(left, width, loc));
        return build_if(enough, body.first, loc);
    }
    if (has_sign(left, most)) {
        again = not_negative(left, loc);
    } else {
        struct var *before = new_var(c->sh, "before", left->type, loc);
        chain_add(&body, build_assign(before, build_read(left), loc));
        again = build_compare(BIN_GE, build_read(before), least);
    }
    chain_add(&body, take(left, width, loc));
    chain_add(&out, take(left, width, loc));
    chain_add(&out, build_until(again, body.first, steps_of(c, arm), loc));
    chain_add(&out, build_assign(left, build_constant_op(BIN_ADD, build_read(left), width), loc));
    return build_if(enough, out.first, loc);
}

static void emit_by_subtraction(struct chain *c, struct stmt_chain *out)
{
    struct var *left = new_var(c->sh, "left", c->trips->type, c->loop->loc);
    uint64_t most = c->range.hi;

    chain_add(out, build_assign(left, c->trips, c->loop->loc));
    for (int i = 0; i < c->loop->arm_count; i++) {
        const struct for_arm *arm = &c->arms[i];
        uint64_t width = (uint64_t)arm->width;
        bool last = i + 1 == c->loop->arm_count;

        if (last && width == 1 && most > 1)
            chain_add(out, counted(c, arm, build_read(left), false));
        else if (most >= width)
            chain_add(out, while_enough(c, arm, left, most));
        if (most >= width)
            most = width - 1;
    }
}

/* Any widths with a flag alive: the counts are divided out beforehand. */
static void emit_by_division(struct chain *c, struct stmt_chain *out)
{
    struct loc loc = c->loop->loc;
    enum value_type type = c->trips->type;
    int n = c->loop->arm_count;
    struct var **counts = NEW_ARRAY(struct var *, n);
    struct expr *rest = c->trips;

    for (int i = 0; i < n; i++) {
        uint64_t width = (uint64_t)c->arms[i].width;
        counts[i] = new_var(c->sh, "count", type, loc);
        chain_add(out, build_assign(counts[i], build_constant_op(BIN_DIV, rest, width), loc));
        if (width == 1)
            continue;
        struct var *left = new_var(c->sh, "left", type, loc);
        struct expr *done = build_constant_op(BIN_MUL, build_read(counts[i]), width);
        chain_add(out, build_assign(left, build_binary(BIN_SUB, rest, done), loc));
        rest = build_read(left);
    }
    for (int i = 0; i < n; i++)
        chain_add(out, if_not_zero(build_read(counts[i]), false,
                                  build_repeat(counts[i], pass(c, &c->arms[i]),
                                               steps_of(c, &c->arms[i]), loc), loc));
}

/* A plain loop whose index lives anyway: the index itself ends it. */
static void emit_by_index(struct chain *c, struct stmt_chain *out)
{
    struct loc loc = c->loop->loc;
    struct var *index = c->loop->index;
    struct var *end = new_var(c->sh, "end", index->type, loc);
    struct expr *again = build_compare(BIN_NE, build_read(index), build_read(end));
    struct stmt *loop = build_until(again, pass(c, &c->arms[0]), steps_of(c, &c->arms[0]), loc);

    chain_add(out, build_assign(end, c->loop->hi, loc));
    if (c->range.lo > 0 || c->guard)
        chain_add(out, loop);
    else
        chain_add(out, build_if(build_compare(BIN_NE, c->loop->lo, build_read(end)), loop, loc));
}

/* -- which form -- */

static void emit_loops(struct chain *c, struct stmt_chain *out)
{
    bool powers = true, flags = flag_may_live_through(c);
    int n = c->loop->arm_count;

    for (int i = 0; i < n; i++)
        powers &= is_power_of_two(c->arms[i].width);
    if (n == 1 && c->arms[0].width == 1 && c->loop->step == 1 && c->index_lives && !flags)
        emit_by_index(c, out);
    else if (powers)
        emit_by_bits(c, out);
    else if (flags)
        emit_by_division(c, out);
    else
        emit_by_subtraction(c, out);
}

struct stmt *expand_loop(struct shape *sh, const struct stmt *loop, struct for_arm *arms)
{
    struct chain c = { .sh = sh, .loop = loop, .arms = arms };
    struct stmt_chain out;
    uint64_t known;

    find_trips(&c);
    if (c.guard && is_const(c.guard, &known) && !known)
        return NULL;
    if (is_const(c.trips, &known) && !c.guard && writes_out(&c, known))
        return write_out(&c, known);

    c.plan = reduce_arms(sh, loop, arms);
    for (int i = 0; i < loop->arm_count; i++)
        c.index_lives |= list_mentions(arms[i].body, loop->index);

    chain_start(&out);
    if (!is_const(c.trips, &known) && c.trips->kind != E_VAR) {
        struct var *trips = new_var(sh, "trips", c.trips->type, loop->loc);
        chain_add(&out, build_assign(trips, c.trips, loop->loc));
        c.trips = build_read(trips);
    }
    if (c.index_lives)
        chain_add(&out, build_assign(loop->index, loop->lo, loop->loc));
    chain_add(&out, reduce_start(&c.plan, loop->lo, loop->loc));
    emit_loops(&c, &out);
    return c.guard ? build_if(c.guard, out.first, loop->loc) : out.first;
}
