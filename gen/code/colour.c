/* colour.c: simplify and select (Chaitin-Briggs, optimistic).
 *
 * Takes the interference graph of one class, the physical registers that may
 * be used, and runs of registers that must be consecutive. Registers with
 * fewer neighbours than colours are set aside first and coloured last; when
 * none is left, the most constraining one is set aside in the hope of a colour. Runs
 * are coloured before everything else, widest first.
 *
 * Among free colours the one that makes copies disappear is taken, then one
 * that no neighbour hopes for, then the first in order: registers that need
 * no saving come first. Holds: the same input gives the same colours.
 */
#include "code/colour.h"

#include <stdlib.h>

static bool is_node(const struct colouring *c, int v) { return c->node[v].is_node; }

void find_nodes(struct colouring *c)
{
    for (int v = 0; v < c->f->vregs.n; v++) {
        const struct vreg *r = c->f->vregs.at[v];
        c->node[v] = (struct graph_node){ .is_node = c->exists[v] && r->class == c->class && !r->is_fixed };
    }
    for (int v = 0; v < c->f->vregs.n; v++) {
        const struct neighbours *l = &c->graph->of[v];
        for (int k = 0; is_node(c, v) && k < l->n; k++) {
            const struct vreg *other = c->f->vregs.at[l->at[k]];
            if (other->is_fixed)
                c->node[v].fixed |= 1u << other->assigned;
            else
                c->node[v].degree += is_node(c, l->at[k]);
        }
    }
}

/* -- the order -- */

struct stack { int *at; int n; };

struct simplifier {
    const struct colouring *c;
    int colours;
    bool *gone;
    int *degree;
    struct stack nodes, low;    /* all of them; those below COLOURS that are still here */
};

/* When nothing has low degree: the one that constrains most, or least. */
static int most_constraining(const struct simplifier *s, enum colour_order order)
{
    int best = -1;
    for (int k = 0; k < s->nodes.n; k++) {
        int v = s->nodes.at[k];
        if (s->gone[v])
            continue;
        if (best < 0 || (order == ORDER_SIMPLIFY ? s->degree[v] > s->degree[best]
                                                 : s->degree[v] < s->degree[best]))
            best = v;
    }
    return best;
}

static void set_aside(struct simplifier *s, int v, struct stack *out)
{
    const struct neighbours *l = &s->c->graph->of[v];
    s->gone[v] = true;
    out->at[out->n++] = v;
    for (int k = 0; k < l->n; k++) {
        int other = l->at[k];
        if (s->degree[other]-- == s->colours && !s->gone[other] && is_node(s->c, other)
            && s->c->runs->run_of[other] < 0)
            s->low.at[s->low.n++] = other;
    }
}

static void simplify(const struct colouring *c, struct stack *out, enum colour_order order)
{
    int n = c->f->vregs.n;
    struct simplifier s = { .c = c, .colours = __builtin_popcount(c->allowed) };
    s.gone = NEW_ARRAY(bool, n);
    s.degree = NEW_ARRAY(int, n);
    s.nodes.at = NEW_ARRAY(int, n);
    s.low.at = NEW_ARRAY(int, n);
    for (int v = n - 1; v >= 0; v--) {
        if (!is_node(c, v))
            continue;
        s.degree[v] = c->node[v].degree + __builtin_popcount(c->node[v].fixed & c->allowed);
        if (c->runs->run_of[v] >= 0)
            continue;
        s.nodes.at[s.nodes.n++] = v;
        if (s.degree[v] < s.colours)
            s.low.at[s.low.n++] = v;
    }
    for (;;) {
        int v = s.low.n > 0 ? s.low.at[--s.low.n] : most_constraining(&s, order);
        if (v < 0)
            return;
        if (!s.gone[v])
            set_aside(&s, v, out);
    }
}

struct placed { int position, v; };

static int compare_placed(const void *a, const void *b)
{
    const struct placed *x = a, *y = b;
    return x->position != y->position ? y->position - x->position : x->v - y->v;
}

/* Last defined first on the stack: the first defined is coloured first. */
static void by_position(const struct colouring *c, struct stack *out)
{
    struct placed *all = NEW_ARRAY(struct placed, c->f->vregs.n);
    int n = 0;
    for (int v = 0; v < c->f->vregs.n; v++)
        if (is_node(c, v) && c->runs->run_of[v] < 0)
            all[n++] = (struct placed){ c->position[v], v };
    sort_array(all, n, sizeof *all, compare_placed);
    for (int k = 0; k < n; k++)
        out->at[out->n++] = all[k].v;
}

/* -- colours -- */

static uint32_t taken(const struct colouring *c, int v)
{
    uint32_t mask = c->node[v].fixed;
    const struct neighbours *l = &c->graph->of[v];
    for (int k = 0; k < l->n; k++)
        if (c->colour[l->at[k]] >= 0)
            mask |= 1u << c->colour[l->at[k]];
    return mask;
}

static int weight(const struct mach_insn *copy)
{
    int w = 1;
    for (int d = 0; d < copy->block->loop_depth && d < 4; d++)
        w *= 8;
    return w;
}

static int colour_of(const struct colouring *c, const struct vreg *v)
{
    return v->is_fixed ? v->assigned : c->colour[v->id];
}

/* For V: how much each colour saves in copies. */
static void wishes(const struct colouring *c, int v, int wish[32])
{
    const struct copies *l = &c->copies[v];
    for (int k = 0; k < l->n; k++) {
        const struct mach_insn *i = l->at[k];
        const struct vreg *partner = i->op[0].reg->id == v ? i->op[1].reg : i->op[0].reg;
        int colour = colour_of(c, partner);
        if (colour >= 0)
            wish[colour] += 2 * weight(i);
    }
}

static void score(const struct colouring *c, int v, int wish[32])
{
    for (int r = 0; r < 32; r++)
        wish[r] = 0;
    wishes(c, v, wish);
    /* Leave alone what a neighbour without a colour would like. */
    const struct neighbours *l = &c->graph->of[v];
    for (int k = 0; k < l->n; k++) {
        int other = l->at[k];
        if (c->colour[other] >= 0 || c->copies[other].n == 0 || !is_node(c, other))
            continue;
        int theirs[32] = { 0 };
        wishes(c, other, theirs);
        for (int r = 0; r < 32; r++)
            wish[r] -= theirs[r] / 2;
    }
}

/* Order of preference among equals: no saving needed first, then by number. */
static int rank(const struct colouring *c, int r)
{
    return (callee_saved(c->class) >> r & 1) != 0 ? 32 + r : r;
}

static bool colour_one(struct colouring *c, int v)
{
    uint32_t free = c->allowed & ~taken(c, v);
    if (free == 0)
        return false;
    int wish[32], best = -1;
    score(c, v, wish);
    for (int r = 0; r < 32; r++) {
        if ((free >> r & 1) == 0)
            continue;
        if (best < 0 || wish[r] > wish[best]
            || (wish[r] == wish[best] && rank(c, r) < rank(c, best)))
            best = r;
    }
    c->colour[v] = (int8_t)best;
    return true;
}

/* -- runs -- */

static bool colour_run(struct colouring *c, const struct run *run)
{
    uint32_t free[4];
    int wish[4][32], best = -1, best_score = 0;
    for (int k = 0; k < run->n; k++) {
        free[k] = c->allowed & ~taken(c, run->at[k]->id);
        score(c, run->at[k]->id, wish[k]);
    }
    for (int base = 0; base < 32; base++) {
        bool fits = true;
        int sum = 0, saved = 0;
        for (int k = 0; k < run->n; k++) {
            int r = (base + k) % 32;
            fits &= (free[k] >> r & 1) != 0;
            sum += wish[k][r];
            saved += rank(c, r) >= 32;
        }
        /* Registers to save weigh less than a copy in a loop, more than one outside. */
        sum -= 3 * saved;
        if (fits && (best < 0 || sum > best_score)) {
            best = base;
            best_score = sum;
        }
    }
    if (best < 0)
        return false;
    for (int k = 0; k < run->n; k++)
        c->colour[run->at[k]->id] = (int8_t)((best + k) % 32);
    return true;
}

static bool colour_runs(struct colouring *c)
{
    for (int width = 4; width >= 2; width--)
        for (int k = 0; k < c->runs->of.n; k++)
            if (c->runs->of.at[k].n == width && c->runs->of.at[k].at[0]->class == c->class
                && !colour_run(c, &c->runs->of.at[k]))
                return false;
    return true;
}

bool colour_class(struct colouring *c, enum colour_order order)
{
    int n = c->f->vregs.n;
    struct stack s = { NEW_ARRAY(int, n), 0 };
    for (int v = 0; v < n; v++)
        c->colour[v] = -1;
    if (order == ORDER_PROGRAM)
        by_position(c, &s);
    else
        simplify(c, &s, order);
    if (!colour_runs(c))
        return false;
    while (s.n > 0)
        if (!colour_one(c, s.at[--s.n]))
            return false;
    return true;
}
