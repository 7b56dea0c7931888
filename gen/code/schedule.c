/* schedule.c: the order of instructions inside blocks.
 *
 * Takes code in two-address form over virtual registers. A block is cut at
 * instructions that name a physical register or move sp, at calls and at its
 * branches. For each stretch several orders are made (list.h), which look more or
 * less far ahead and use more or fewer registers. Of those that fit the registers
 * the quickest is kept, or one as good as it (core.h, order_slack) that is nearer to
 * the order of selection; in a loop of one block the one that takes the least in the
 * steady state (steady.h). Where none fits, the order stays. Straight code should not
 * need callee-saved registers, loops may.
 *
 * A comparison stays in front of its branch, and an aesmc behind its aese where the
 * core fuses them. Does not: overlap iterations of a loop.
 */
#include "code/list.h"
#include "code/steady.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* So many registers are left free at most (schedule_again); then only registers count. */
enum { MOST_SPARE = 4 };
/* Percent that one pass of a loop may take longer than the quickest and still be tried. */
enum { LOOP_SLACK = 15 };

#define LOOKING(ahead, thrift) { ahead, thrift, false, LONGEST_BEHIND }

/* The one to prefer comes last: near to the order of selection, but not so near that
 * an out-of-order core loses (AEGIS on Neoverse N1: 1 to 7 % at 16, nothing at 32). */
static const struct strategy usual[] = {
    LOOKING(0, 0), LOOKING(128, 0), LOOKING(96, 0), LOOKING(80, 0), LOOKING(64, 0),
    LOOKING(48, 0), LOOKING(32, 0),
};
/* When none of those fits the registers. */
static const struct strategy thrifty[] = {
    LOOKING(0, 4), LOOKING(0, 8), LOOKING(64, 4), LOOKING(32, 4), LOOKING(24, 0),
    LOOKING(16, 0), LOOKING(8, 0), LOOKING(0, 24),
};

/* A stretch, and the best of its orders so far. */
struct stretch {
    struct list list;
    int registers[CLASS_COUNT]; /* that it may use */
    int slack;                  /* percent, of one pass */
    struct steady *steady;      /* NULL: no loop */
    int *best;
    int quickest[2];            /* one pass, by any_write_back: they cannot be compared */
    int interval;               /* as a loop */
};

static bool is_loop_of_one_block(const struct mach_block *b)
{
    for (int k = 0; k < b->succs.n; k++)
        if (b->succs.at[k] == b)
            return true;
    return false;
}

static void count_registers(int registers[CLASS_COUNT], const struct mach_block *b)
{
    for (int class = 0; class < CLASS_FLAGS; class++) {
        uint32_t mask = allocatable((enum reg_class)class);
        if (b->loop_depth == 0)
            mask &= ~callee_saved((enum reg_class)class);
        registers[class] = __builtin_popcount(mask);
    }
}

/* The peaks that an order may have: those of the one that the code has already,
 * or one register fewer than there are: one more may be needed inside an
 * instruction than between two. */
static void limit_peaks(struct stretch *s)
{
    struct list *l = &s->list;
    pressure_restart(&l->pressure);
    for (int k = 0; k < l->d.n; k++)
        pressure_place(&l->pressure, k);
    for (int class = 0; class < CLASS_FLAGS; class++) {
        int peak = l->pressure.peak[class];
        int exist = s->registers[class] - l->f->spare_registers - 1;
        l->most[class] = peak > exist ? peak : exist;
    }
}

static void keep(struct stretch *s)
{
    memcpy(s->best, s->list.order, sizeof *s->best * (size_t)s->list.d.n);
}

static void try_strategy(struct stretch *s, const struct strategy *how)
{
    struct list *l = &s->list;
    int *quickest = &s->quickest[how->any_write_back];
    l->cycles = *quickest == INT_MAX ? INT_MAX : *quickest + *quickest * s->slack / 100 + 1;
    /* A window as wide as the stretch is none. */
    if (how->window >= l->d.n || !list_try(l, how, s->registers))
        return;
    if (l->cycle < *quickest)
        *quickest = l->cycle;
    const int interval = s->steady != NULL ? steady_interval(s->steady, l->order, l->d.n) : 0;
    if (interval > s->interval)
        return;
    s->interval = interval;
    keep(s);
}

/* All kinds of orders, for a loop that a core runs as it is written. */
static void try_patiently(struct stretch *s)
{
    static const int windows[] = { 0, 160, 128, 112, 96, 80, 72, 64, 56, 48, 40, 32, 24 };
    for (int p = PRIORITY_COUNT - 1; p >= 0; p--)
        for (int w = 0; w < COUNT(windows); w++)
            for (int fewer = -1; fewer <= 4; fewer++)
                for (int any = 0; any < 2; any++)
                    try_strategy(s, &(struct strategy){ windows[w], fewer, any,
                                                        (enum list_priority)p });
}

static bool find_order(struct stretch *s)
{
    const struct core *core = s->list.f->core;
    if (s->steady != NULL && core->in_order && core->judges == NULL)
        try_patiently(s);
    for (int k = 0; k < COUNT(usual); k++)
        try_strategy(s, &usual[k]);
    for (int k = 0; k < COUNT(thrifty) && s->interval == INT_MAX; k++)
        try_strategy(s, &thrifty[k]);
    return s->interval < INT_MAX;
}

/* The order of the lowest peak; false when the code has it already. */
static bool find_thriftiest(struct stretch *s)
{
    struct list *l = &s->list;
    bool found = false;
    for (int k = 0; k < COUNT(thrifty); k++) {
        if (!list_try(l, &thrifty[k], s->registers))
            continue;
        keep(s);
        for (int class = 0; class < CLASS_FLAGS; class++)
            l->most[class] = l->pressure.peak[class];
        l->most[CLASS_VECTOR]--;
        found = true;
    }
    return found;
}

static void reorder(struct stretch *s, struct mach_insn *behind)
{
    const struct depend *d = &s->list.d;
    struct mach_block *b = d->node[0].insn->block;
    for (int k = 0; k < d->n; k++)
        insn_remove(d->node[k].insn);
    for (int k = 0; k < d->n; k++) {
        if (behind != NULL)
            insn_before(behind, d->node[s->best[k]].insn);
        else
            insn_append(b, d->node[s->best[k]].insn);
    }
}

static void schedule_stretch(struct mach_func *f, struct mach_insn *first, struct mach_insn *last,
                             const struct bitset *before, const struct bitset *after)
{
    struct stretch s = { .slack = f->core->order_slack, .quickest = { INT_MAX, INT_MAX },
                         .interval = INT_MAX };
    struct steady steady;
    list_init(&s.list, f, first, last, before, after);
    count_registers(s.registers, first->block);
    s.best = NEW_ARRAY(int, s.list.d.n);
    limit_peaks(&s);
    if (is_loop_of_one_block(first->block)) {
        steady = steady_new(f->core->tie_breaker != NULL ? f->core->tie_breaker : f->core, first);
        s.steady = &steady;
        s.slack = s.slack < LOOP_SLACK ? LOOP_SLACK : s.slack;
    }
    if (f->spare_registers > MOST_SPARE ? find_thriftiest(&s) : find_order(&s))
        reorder(&s, last->next);
}

/* -- blocks -- */

static bool is_physical(const struct vreg *v)
{
    return v != NULL && v->is_fixed && !vreg_is_constant(v);
}

static bool names_physical(const struct mach_insn *i)
{
    bool physical = false;
    for (int k = 0; k < row_of(i)->operand_count; k++)
        physical |= is_physical(i->op[k].reg) || is_physical(i->op[k].tied);
    for (int k = 0; k < i->use_count; k++)
        physical |= is_physical(i->uses[k]);
    for (int k = 0; k < i->def_count; k++)
        physical |= is_physical(i->defs[k]);
    return physical;
}

static bool moves_sp(const struct mach_func *f, const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    return row->operand_count > 0 && row->op[0].role == ROLE_DEF && f->stack_pointer != NULL
           && i->op[0].reg == f->stack_pointer;
}

static bool is_compare_of_branch(const struct mach_insn *i)
{
    return i->flags_out != NULL && i->next != NULL && i->next->insn == INSN_b_cond
           && i->next->flags_in == i->flags_out;
}

static bool is_fence(const struct mach_func *f, const struct mach_insn *i)
{
    return i->insn == INSN_NONE || (row_of(i)->flags & (IS_CALL | IS_BRANCH)) != 0
           || names_physical(i) || moves_sp(f, i) || is_compare_of_branch(i);
}

/* What is live in front of FIRST, given what is live behind LAST. */
static struct bitset live_before(const struct bitset *after, const struct mach_insn *first,
                                 const struct mach_insn *last)
{
    struct bitset live = bitset_new(after->words * 64);
    bitset_copy(&live, after);
    for (const struct mach_insn *i = last; i != first->prev; i = i->prev)
        liveness_step(&live, i);
    return live;
}

/* Stretches from the back, so that liveness is known behind each. */
static void schedule_block(struct mach_func *f, struct mach_block *b, const struct bitset *out)
{
    struct bitset live = bitset_new(out->words * 64);
    bitset_copy(&live, out);
    for (struct mach_insn *last = b->last; last != NULL;) {
        if (is_fence(f, last)) {
            liveness_step(&live, last);
            last = last->prev;
            continue;
        }
        struct mach_insn *first = last;
        while (first->prev != NULL && !is_fence(f, first->prev))
            first = first->prev;
        struct mach_insn *before_it = first->prev;
        struct bitset before = live_before(&live, first, last);
        const struct mem_mark mark = mem_mark();
        if (first != last)
            schedule_stretch(f, first, last, &before, &live);
        mem_release_to(mark);           /* only the order changed */
        bitset_copy(&live, &before);
        last = before_it;
    }
}

/* -- registers for loops -- */

static struct mach_insn *last_in_stretch(const struct mach_func *f, const struct mach_block *b)
{
    struct mach_insn *i = b->last;
    while (i != NULL && is_fence(f, i))
        i = i->prev;
    return i;
}

/* How many vector registers the body would use if there were any number. */
static int wanted_registers(struct mach_func *f, struct mach_block *b, const struct bitset *out)
{
    struct mach_insn *last = last_in_stretch(f, b), *first = last;
    if (last == NULL)
        return 0;
    const struct mem_mark mark = mem_mark();
    while (first->prev != NULL && !is_fence(f, first->prev))
        first = first->prev;
    struct bitset before = live_before(out, first, last);
    struct list l;
    int any[CLASS_COUNT];
    list_init(&l, f, first, last, &before, out);
    for (int class = 0; class < CLASS_COUNT; class++)
        any[class] = l.d.n + f->vregs.n;
    (void)list_try(&l, &usual[0], any);
    mem_release_to(mark);
    return l.pressure.peak[CLASS_VECTOR];
}

/* An in-order core needs woven chains apart, so all of them alive: what only
 * passes through such a loop makes room for them. */
static void make_room(struct mach_func *f)
{
    int exist = __builtin_popcount(allocatable(CLASS_VECTOR));
    const struct liveness *l = NULL;
    for (int k = 0; k < f->blocks.n; k++) {
        struct mach_block *b = f->blocks.at[k];
        if (!is_loop_of_one_block(b))
            continue;
        if (l == NULL)
            l = liveness_of(f);
        int over = wanted_registers(f, b, &l->out[k]) - (exist - 1);
        while (over-- > 0 && reload_around(f, CLASS_VECTOR, b))
            l = NULL;           /* no longer true */
    }
}

static void schedule_blocks(struct mach_func *f)
{
    /* Only the order changes. */
    const struct mem_mark mark = mem_mark();
    const struct liveness *l = liveness_of(f);
    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->ordered == NULL)
            schedule_block(f, f->blocks.at[k], &l->out[k]);
    mem_release_to(mark);
}

void schedule_func(struct mach_func *f)
{
    int place = 0;
    if (f->core->in_order)
        make_room(f);
    for (int k = 0; k < f->blocks.n; k++)
        for (struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            i->place = ++place;
    schedule_blocks(f);
    if (!pipeline_loops(f))
        return;
    /* Prologues and epilogues join what is around them, and are ordered with it. */
    blocks_clean(f);
    schedule_blocks(f);
}

/* -- again -- */

static int compare_places(const void *a, const void *b)
{
    const struct mach_insn *const *x = a, *const *y = b;
    return ((*x)->place > (*y)->place) - ((*x)->place < (*y)->place);
}

void restore_order(struct mach_block *b)
{
    VEC(struct mach_insn *) all = { 0 };
    for (struct mach_insn *i = b->first; i != NULL; i = i->next)
        vec_push(&all, i);
    qsort(all.at, (size_t)all.n, sizeof *all.at, compare_places);
    for (int k = 0; k < all.n; k++) {
        insn_remove(all.at[k]);
        insn_append(b, all.at[k]);
    }
}

/* Overlapped iterations are one order only; others go when what is around them
 * was not to blame. */
static bool keeps_order(const struct mach_func *f, const struct mach_block *b)
{
    return b->ordered != NULL && (b->ordered->late > 0 || f->spare_registers == 0);
}

bool schedule_again(struct mach_func *f)
{
    if (f->spare_registers > MOST_SPARE)
        return false;
    for (int k = 0; k < f->blocks.n; k++) {
        struct mach_block *b = f->blocks.at[k];
        if (keeps_order(f, b))
            continue;
        restore_order(b);
        b->ordered = NULL;
    }
    f->spare_registers += 2;
    schedule_blocks(f);
    return true;
}
