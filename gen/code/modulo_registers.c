/* modulo_registers.c: the registers that an order of a kernel needs.
 *
 * A life goes from a definition to its last use, perhaps in the next round, so
 * lives are arcs of a circle and may need more colours than there are lives at
 * any place. An order fits when as many are alive at once as registers exist at
 * most, and when the graph of its arcs is coloured by the same simple means as
 * allocation has (Briggs, "Register Allocation via Graph Coloring", 1992).
 */
#include "code/modulo_registers.h"

/* -- how many are alive -- */

struct kernel_pressure kernel_pressure_new(const struct loop_graph *g)
{
    struct kernel_pressure p = { .g = g };
    p.last_round = NEW_ARRAY(int, g->life.n);
    p.this_round = NEW_ARRAY(int, g->life.n);
    return p;
}

static void count_uses(const struct loop_graph *g, const struct kernel *k,
                       const struct loop_life *l, int *here, int *later)
{
    *here = *later = 0;
    for (int e = 0; e < l->edges.n; e++) {
        int distance = kernel_distance(k, &g->edge.at[l->edges.at[e]]);
        *here += distance == 0;
        *later += distance > 0;
    }
}

void kernel_pressure_start(struct kernel_pressure *p, const struct kernel *k)
{
    p->k = k;
    for (int class = 0; class < CLASS_COUNT; class++)
        p->now[class] = p->g->held[class];
    for (int l = 0; l < p->g->life.n; l++) {
        const struct loop_life *life = &p->g->life.at[l];
        int here;
        count_uses(p->g, k, life, &here, &p->last_round[l]);
        bool stays = p->last_round[l] > 0 || (life->leaves && !k->late[life->node]);
        p->this_round[l] = here + stays;
        p->now[life->reg->class] += p->last_round[l] > 0;
    }
    for (int class = 0; class < CLASS_COUNT; class++)
        p->peak[class] = p->now[class];
}

static int *uses_left(const struct kernel_pressure *p, const struct loop_use *use)
{
    bool before = kernel_distance(p->k, &p->g->edge.at[use->edge]) > 0;
    return &(before ? p->last_round : p->this_round)[use->life];
}

int kernel_pressure_change(const struct kernel_pressure *p, int node, enum reg_class class)
{
    const struct loop_node *n = &p->g->node[node];
    int change = 0;
    for (int k = 0; k < n->made.n; k++)
        change += p->g->life.at[n->made.at[k]].reg->class == class;
    for (int k = 0; k < n->used.n; k++)
        change -= p->g->life.at[n->used.at[k].life].reg->class == class
                  && *uses_left(p, &n->used.at[k]) == 1;
    return change;
}

void kernel_pressure_place(struct kernel_pressure *p, int node)
{
    const struct loop_node *n = &p->g->node[node];
    for (int k = 0; k < n->used.n; k++)
        if (--*uses_left(p, &n->used.at[k]) == 0)
            p->now[p->g->life.at[n->used.at[k].life].reg->class]--;
    for (int k = 0; k < n->made.n; k++) {
        enum reg_class class = p->g->life.at[n->made.at[k]].reg->class;
        p->now[class]++;
        if (p->now[class] > p->peak[class])
            p->peak[class] = p->now[class];
    }
    for (int k = 0; k < n->made.n; k++)
        p->now[p->g->life.at[n->made.at[k]].reg->class] -= p->this_round[n->made.at[k]] == 0;
}

/* One more may be needed inside an instruction than between two. */
bool kernel_pressure_fits(const struct kernel_pressure *p)
{
    for (int class = 0; class < CLASS_FLAGS; class++)
        if (p->peak[class] >= __builtin_popcount(allocatable((enum reg_class)class)))
            return false;
    return true;
}

bool kernel_fits(struct kernel_pressure *p, const struct kernel *k)
{
    kernel_pressure_start(p, k);
    for (int at = 0; at < p->g->n; at++)
        kernel_pressure_place(p, k->at[at]);
    return kernel_pressure_fits(p);
}

/* -- colours -- */

/* The places of a round behind which a register is alive. */
struct arcs { const struct vreg *reg; uint64_t *alive; };

struct arc_graph {
    struct arcs *at;
    int n, words;
    bool *meets;                /* n * n */
    int *degree;
};

static void cover(struct arcs *a, int from, int to)
{
    for (int p = from; p < to; p++)
        a->alive[p / 64] |= 1ull << p % 64;
}

/* The life's place in the round, up to its last use here and in the next round. */
static void add_arc(const struct loop_graph *g, const struct kernel *k, const int *place,
                    const struct loop_life *l, struct arcs *a)
{
    int from = place[l->node];
    cover(a, from, from + 1);
    if (l->leaves && !k->late[l->node])
        cover(a, from, g->n);
    for (int e = 0; e < l->edges.n; e++) {
        const struct loop_edge *edge = &g->edge.at[l->edges.at[e]];
        if (kernel_distance(k, edge) == 0) {
            cover(a, from, place[edge->to]);
        } else {
            cover(a, from, g->n);
            cover(a, 0, place[edge->to]);
        }
    }
}

static struct arcs *arcs_of(struct arc_graph *a, const struct vreg *v)
{
    for (int k = 0; k < a->n; k++)
        if (a->at[k].reg == v)
            return &a->at[k];
    a->at[a->n] = (struct arcs){ v, NEW_ARRAY(uint64_t, a->words) };
    return &a->at[a->n++];
}

static bool overlap(const struct arc_graph *a, int x, int y)
{
    for (int w = 0; w < a->words; w++)
        if ((a->at[x].alive[w] & a->at[y].alive[w]) != 0)
            return true;
    return false;
}

static struct arc_graph arc_graph_of(const struct loop_graph *g, const struct kernel *k,
                                     enum reg_class class)
{
    struct arc_graph a = { .words = g->n / 64 + 1 };
    int *place = NEW_ARRAY(int, g->n);
    a.at = NEW_ARRAY(struct arcs, g->life.n + 1);
    for (int p = 0; p < g->n; p++)
        place[k->at[p]] = p;
    for (int l = 0; l < g->life.n; l++)
        if (g->life.at[l].reg->class == class)
            add_arc(g, k, place, &g->life.at[l], arcs_of(&a, g->life.at[l].reg));
    a.meets = NEW_ARRAY(bool, a.n * a.n);
    a.degree = NEW_ARRAY(int, a.n);
    for (int x = 0; x < a.n; x++)
        for (int y = 0; y < a.n; y++) {
            a.meets[x * a.n + y] = x != y && overlap(&a, x, y);
            a.degree[x] += a.meets[x * a.n + y];
        }
    return a;
}

/* Least degree first; coloured in the opposite order. */
static void simplify(struct arc_graph *a, int *order)
{
    bool *gone = NEW_ARRAY(bool, a->n);
    for (int turn = 0; turn < a->n; turn++) {
        int least = -1;
        for (int x = 0; x < a->n; x++)
            if (!gone[x] && (least < 0 || a->degree[x] < a->degree[least]))
                least = x;
        gone[least] = true;
        order[a->n - 1 - turn] = least;
        for (int x = 0; x < a->n; x++)
            a->degree[x] -= a->meets[least * a->n + x];
    }
}

static bool colour(struct arc_graph *a, int colours)
{
    int *order = NEW_ARRAY(int, a->n), *given = NEW_ARRAY(int, a->n);
    simplify(a, order);
    for (int x = 0; x < a->n; x++)
        given[x] = -1;
    for (int turn = 0; turn < a->n; turn++) {
        int x = order[turn];
        uint64_t taken = 0;
        for (int y = 0; y < a->n; y++)
            if (given[y] >= 0 && a->meets[x * a->n + y])
                taken |= 1ull << given[y];
        given[x] = __builtin_ctzll(~taken);
        if (given[x] >= colours)
            return false;
    }
    return true;
}

bool kernel_colours(const struct loop_graph *g, const struct kernel *k)
{
    const struct mem_mark mark = mem_mark();
    bool all = true;
    for (int class = 0; class < CLASS_FLAGS && all; class++) {
        int exist = __builtin_popcount(allocatable((enum reg_class)class));
        struct arc_graph a = arc_graph_of(g, k, (enum reg_class)class);
        all = colour(&a, exist - g->held[class]);
    }
    mem_release_to(mark);
    return all;
}
