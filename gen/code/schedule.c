/* schedule.c: list scheduling inside blocks.
 *
 * Takes code in two-address form over virtual registers. A block is cut at
 * instructions that name a physical register or move sp, at calls and at its
 * branches; each stretch is ordered cycle by cycle on the core's model: of
 * what is ready, the instruction with the longest way to the end goes first,
 * and when registers run short, one that frees some. That is done several
 * times, with fewer registers and looking less far ahead. Of the orders that fit
 * the registers the quickest is kept, or one as good as it (core.h, order_slack)
 * that is nearer to the order of selection; where none fits, that order itself.
 * Straight code should not need callee-saved registers, loops may.
 *
 * Pairs that the core fuses stay adjacent: a comparison stays in front of its
 * branch, aesmc follows its aese. Ties are broken by program order, so the
 * result is the same on every machine. Does not: overlap iterations of a loop.
 */
#include "code/pressure.h"

#include <assert.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* Registers left to allocation's constraints. */
enum { HEADROOM = 2 };
/* So many are left free at most (schedule_again); then only registers count. */
enum { MOST_SPARE = 4 };

/* How to choose among what is ready. */
struct strategy {
    int window;                 /* only so far ahead of the first that is not placed; 0: any */
    int fewer;                  /* registers count as short so much earlier */
};

/* The one to prefer comes last: near to the order of selection, but not so near that
 * an out-of-order core loses (AEGIS on Neoverse N1: 1 to 7 % at 16, nothing at 32). */
static const struct strategy usual[] = {
    { 0, 0 }, { 128, 0 }, { 96, 0 }, { 80, 0 }, { 64, 0 }, { 48, 0 }, { 32, 0 },
};
/* When none of those fits the registers. */
static const struct strategy thrifty[] = {
    { 0, 4 }, { 0, 8 }, { 64, 4 }, { 32, 4 }, { 24, 0 }, { 16, 0 }, { 8, 0 }, { 0, 24 },
};

struct scheduler {
    struct mach_func *f;
    struct depend d;
    int *waits;                 /* by node: predecessors not yet placed */
    int *earliest;              /* by node: cycle of operands */
    int *ready;                 /* nodes that wait for nothing and are not placed */
    int ready_count;
    int *order;
    int count;
    int cycle, slots;
    int port_free[CORE_MAX_PORTS];      /* the cycle from which it is */
    uint32_t free_ports;        /* those that are in this cycle */
    const struct timing **timing;       /* by node */
    struct lives lives;
    struct pressure pressure;
    int limit[CLASS_COUNT];
    int most[CLASS_COUNT], cycles;      /* an order of a higher peak, or of so many cycles, is
                                           given up as soon as that shows */
    int window, first;          /* nodes below `first` are placed */
    bool *placed;               /* by node */
};

/* -- pressure -- */

static bool is_tight(const struct scheduler *s)
{
    return s->pressure.now[CLASS_GENERAL] >= s->limit[CLASS_GENERAL]
           || s->pressure.now[CLASS_VECTOR] >= s->limit[CLASS_VECTOR];
}

/* How many registers it takes of the classes that are short; 0 when it frees some. */
static int demand(const struct scheduler *s, int node)
{
    int sum = 0;
    for (int class = 0; class < CLASS_FLAGS; class++)
        if (s->pressure.now[class] >= s->limit[class])
            sum += pressure_change(&s->pressure, node, (enum reg_class)class);
    return sum > 0 ? sum : 0;
}

/* -- one cycle -- */

static_assert(CORE_MAX_PORTS <= 32, "a bit for each port");

static void find_free_ports(struct scheduler *s)
{
    s->free_ports = 0;
    for (int p = 0; p < s->f->core->port_count; p++)
        if (s->port_free[p] <= s->cycle)
            s->free_ports |= 1u << p;
}

/* An instruction of several micro-operations needs as many slots, or a whole cycle. */
static bool can_issue(const struct scheduler *s, int node)
{
    const struct timing *t = s->timing[node];
    return s->earliest[node] <= s->cycle && (t->ports == 0 || (t->ports & s->free_ports) != 0)
           && (t->uops <= s->slots || s->slots == s->f->core->issue_width);
}

static bool comes_too_early(const struct scheduler *s, const struct mach_insn *i)
{
    return s->count > 0
           && meets_erratum(s->f->core, s->d.node[s->order[s->count - 1]].insn, i);
}

/* What is ready stands in this order: the longest way to the end first. */
static bool stands_before(const struct scheduler *s, int a, int b)
{
    const int x = s->d.node[a].height, y = s->d.node[b].height;
    return x != y ? x > y : a < b;
}

static void add_ready(struct scheduler *s, int node)
{
    int at = s->ready_count++;
    for (; at > 0 && stands_before(s, node, s->ready[at - 1]); at--)
        s->ready[at] = s->ready[at - 1];
    s->ready[at] = node;
}

static void remove_ready(struct scheduler *s, int r)
{
    memmove(&s->ready[r], &s->ready[r + 1], sizeof *s->ready * (size_t)(--s->ready_count - r));
}

/* The best of what is ready and within the window, as an index into s->ready: the
 * first that meets no erratum, or else the first. -1 when all must wait, and
 * *SOONEST is the first cycle in which that may change. */
static int choose(const struct scheduler *s, int end, int *soonest)
{
    int first = -1;
    *soonest = INT_MAX;
    for (int r = 0; r < s->ready_count; r++) {
        int k = s->ready[r], earliest = s->earliest[k];
        if (k >= end)
            continue;
        if (earliest > s->cycle) {
            *soonest = earliest < *soonest ? earliest : *soonest;
            continue;
        }
        if (!can_issue(s, k)) {
            *soonest = s->cycle + 1;
            continue;
        }
        if (!comes_too_early(s, s->d.node[k].insn))
            return r;
        first = first < 0 ? r : first;
    }
    return first;
}

/* What decides with registers short, first to last; what would have to wait counts
 * as well. */
struct merit { int demand, node; bool waits, comes_too_early; };

static bool is_better(const struct merit *x, const struct merit *y)
{
    if (x->demand != y->demand)
        return x->demand < y->demand;
    if (x->demand > 0)
        return x->node < y->node;
    if (x->waits != y->waits)
        return y->waits;
    return !x->comes_too_early && y->comes_too_early;
}

static int choose_tight(const struct scheduler *s, int end)
{
    struct merit most = { 0 };
    int best = -1;
    for (int r = 0; r < s->ready_count; r++) {
        int k = s->ready[r];
        if (k >= end)
            continue;
        const struct merit m = { demand(s, k), k, !can_issue(s, k),
                                 comes_too_early(s, s->d.node[k].insn) };
        if (best < 0 || is_better(&m, &most)) {
            best = r;
            most = m;
        }
    }
    return best;
}

static void start_cycle(struct scheduler *s, int cycle)
{
    s->cycle = cycle;
    s->slots = s->f->core->issue_width;
    find_free_ports(s);
}

/* Places the R-th of what is ready. */
static void place(struct scheduler *s, int r)
{
    int node = s->ready[r];
    struct depend_node *n = &s->d.node[node];
    const struct timing *t = s->timing[node];
    while (!can_issue(s, node))
        start_cycle(s, s->cycle + 1);
    uint32_t ports = t->ports & s->free_ports;
    if (ports != 0) {
        s->port_free[__builtin_ctz(ports)] = s->cycle + (t->busy > 0 ? t->busy : 1);
        s->free_ports &= ~(ports & -ports);
    }
    s->slots -= t->uops > 0 ? t->uops : 1;
    remove_ready(s, r);
    s->order[s->count++] = node;
    s->placed[node] = true;
    while (s->first < s->d.n && s->placed[s->first])
        s->first++;
    pressure_place(&s->pressure, node);
    for (int e = 0; e < n->out.n; e++) {
        const struct depend_edge *edge = &n->out.at[e];
        if (--s->waits[edge->to] == 0)
            add_ready(s, edge->to);
        if (s->cycle + edge->latency > s->earliest[edge->to])
            s->earliest[edge->to] = s->cycle + edge->latency;
    }
}

/* aesmc goes right behind the aese it was waiting for, where they fuse. */
static void place_fused(struct scheduler *s, int node)
{
    const struct depend_node *n = &s->d.node[node];
    for (int e = 0; e < n->out.n; e++) {
        int to = n->out.at[e].to, r = 0;
        if (s->waits[to] != 0 || !are_fused(s->f->core, n->insn, s->d.node[to].insn))
            continue;
        while (s->ready[r] != to)
            r++;
        place(s, r);
        return;
    }
}

static bool is_promising(const struct scheduler *s)
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        if (s->pressure.peak[class] > s->most[class])
            return false;
    return s->cycle < s->cycles;
}

/* True when the order is complete, and one to keep. */
static bool place_all(struct scheduler *s)
{
    s->count = s->ready_count = s->cycle = s->first = 0;
    pressure_restart(&s->pressure);
    s->slots = s->f->core->issue_width;
    for (int p = 0; p < CORE_MAX_PORTS; p++)
        s->port_free[p] = 0;
    find_free_ports(s);
    for (int k = 0; k < s->d.n; k++) {
        s->waits[k] = s->d.node[k].in;
        s->earliest[k] = 0;
        s->placed[k] = false;
        if (s->waits[k] == 0)
            add_ready(s, k);
    }
    while (s->count < s->d.n && is_promising(s)) {
        const int end = s->window > 0 ? s->first + s->window : s->d.n;
        int soonest = s->cycle + 1, r = -1;
        if (s->slots > 0)
            r = is_tight(s) ? choose_tight(s, end) : choose(s, end, &soonest);
        if (r < 0) {
            start_cycle(s, soonest);
            continue;
        }
        int node = s->ready[r];
        place(s, r);
        place_fused(s, node);
    }
    return s->count == s->d.n && is_promising(s);
}

/* -- one stretch -- */

static void reorder(struct scheduler *s, const int *order, struct mach_insn *behind)
{
    struct mach_block *b = s->d.node[0].insn->block;
    for (int k = 0; k < s->d.n; k++)
        insn_remove(s->d.node[k].insn);
    for (int k = 0; k < s->d.n; k++) {
        if (behind != NULL)
            insn_before(behind, s->d.node[order[k]].insn);
        else
            insn_append(b, s->d.node[order[k]].insn);
    }
}

/* How many registers of a class the stretch may use. */
static int registers_for(const struct mach_block *b, enum reg_class class)
{
    uint32_t mask = allocatable(class);
    if (b->loop_depth == 0)
        mask &= ~callee_saved(class);
    return __builtin_popcount(mask);
}

/* The peaks that an order may have: those of the one that the code has already,
 * or one register fewer than there are: one more may be needed inside an
 * instruction than between two. */
static void limit_peaks(struct scheduler *s, const struct mach_block *b)
{
    pressure_restart(&s->pressure);
    for (int k = 0; k < s->d.n; k++)
        pressure_place(&s->pressure, k);
    for (int class = 0; class < CLASS_FLAGS; class++) {
        int peak = s->pressure.peak[class];
        int exist = registers_for(b, (enum reg_class)class) - s->f->spare_registers - 1;
        s->most[class] = peak > exist ? peak : exist;
    }
}

static struct scheduler scheduler_for(struct mach_func *f, struct mach_insn *first,
                                      struct mach_insn *last, const struct bitset *before,
                                      const struct bitset *after)
{
    struct scheduler s = { .f = f, .d = depend_of(f, first, last), .cycles = INT_MAX };
    s.lives = lives_of(f, &s.d, before, after);
    s.waits = NEW_ARRAY(int, s.d.n);
    s.earliest = NEW_ARRAY(int, s.d.n);
    s.ready = NEW_ARRAY(int, s.d.n);
    s.order = NEW_ARRAY(int, s.d.n);
    s.placed = NEW_ARRAY(bool, s.d.n);
    s.timing = NEW_ARRAY(const struct timing *, s.d.n);
    for (int k = 0; k < s.d.n; k++)
        s.timing[k] = core_timing(f->core, s.d.node[k].insn->insn);
    return s;
}

static bool try_strategy(struct scheduler *s, const struct mach_block *b,
                         const struct strategy *how)
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        s->limit[class] = registers_for(b, (enum reg_class)class) - HEADROOM - how->fewer;
    s->window = how->window;
    return place_all(s);
}

/* Leaves the best order of those that fit in BEST; false when none does. */
static bool try_strategies(struct scheduler *s, const struct mach_block *b,
                           const struct strategy *list, int n, int *best)
{
    int quickest = INT_MAX;
    for (int k = 0; k < n; k++) {
        /* A window as wide as the stretch is none. */
        if (list[k].window >= s->d.n || !try_strategy(s, b, &list[k]))
            continue;
        memcpy(best, s->order, sizeof *best * (size_t)s->d.n);
        if (s->cycle < quickest)
            quickest = s->cycle;
        s->cycles = quickest + quickest * s->f->core->order_slack / 100 + 1;
    }
    return quickest < INT_MAX;
}

/* Leaves the order of the lowest peak in BEST; false when the code has it already. */
static bool try_for_registers(struct scheduler *s, const struct mach_block *b, int *best)
{
    bool found = false;
    for (int k = 0; k < COUNT(thrifty); k++) {
        if (!try_strategy(s, b, &thrifty[k]))
            continue;
        memcpy(best, s->order, sizeof *best * (size_t)s->d.n);
        for (int class = 0; class < CLASS_FLAGS; class++)
            s->most[class] = s->pressure.peak[class];
        s->most[CLASS_VECTOR]--;
        found = true;
    }
    return found;
}

static void schedule_stretch(struct mach_func *f, struct mach_insn *first, struct mach_insn *last,
                             const struct bitset *before, const struct bitset *after)
{
    struct scheduler s = scheduler_for(f, first, last, before, after);
    int *best = NEW_ARRAY(int, s.d.n);
    s.pressure = pressure_new(&s.lives);
    limit_peaks(&s, first->block);
    if (f->spare_registers > MOST_SPARE) {
        if (try_for_registers(&s, first->block, best))
            reorder(&s, best, last->next);
        return;
    }
    if (try_strategies(&s, first->block, usual, COUNT(usual), best)
        || try_strategies(&s, first->block, thrifty, COUNT(thrifty), best))
        reorder(&s, best, last->next);
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

static bool is_loop_of_one_block(const struct mach_block *b)
{
    for (int k = 0; k < b->succs.n; k++)
        if (b->succs.at[k] == b)
            return true;
    return false;
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
    struct scheduler s = scheduler_for(f, first, last, &before, out);
    s.pressure = pressure_new(&s.lives);
    for (int class = 0; class < CLASS_FLAGS; class++)
        s.limit[class] = s.most[class] = s.d.n + f->vregs.n;
    (void)place_all(&s);
    mem_release_to(mark);
    return s.pressure.peak[CLASS_VECTOR];
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

/* Back to how selection left the block. */
static void restore_order(struct mach_block *b)
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
