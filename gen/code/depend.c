/* depend.c: what must stay in order, and how far apart.
 *
 * Registers: a use after its definition (the core's latency), a definition
 * after earlier uses (same cycle) and after an earlier definition. NZCV is one
 * register; an instruction that writes it without anyone asking still does. Memory:
 * two accesses keep their order only when they may touch the same bytes and one
 * writes (ir/alias.c has the rule). Calls keep their order with everything in memory.
 */
#include "base/broken.h"
#include "code/depend.h"

#include <assert.h>
#include <limits.h>

/* -- memory -- */

static bool touches_memory(const struct mach_insn *i)
{
    return (row_of(i)->flags & (IS_LOAD | IS_STORE | IS_CALL)) != 0;
}

static bool writes_memory(const struct mach_insn *i)
{
    return (row_of(i)->flags & (IS_STORE | IS_CALL)) != 0;
}

/* The K-th element that I accesses. */
static struct mem_ref element(const struct mach_insn *i, int k)
{
    struct mem_ref m = i->mem;
    m.disp += k * type_bytes(m.type);
    return m;
}

bool accesses_conflict(const struct mach_func *f, const struct mach_insn *a,
                       const struct mach_insn *b)
{
    if (!touches_memory(a) || !touches_memory(b) || !(writes_memory(a) || writes_memory(b)))
        return false;
    if (((row_of(a)->flags | row_of(b)->flags) & IS_CALL) != 0)
        return true;
    if (a->mem_count == 0 || b->mem_count == 0)
        return true;
    for (int j = 0; j < a->mem_count; j++)
        for (int k = 0; k < b->mem_count; k++) {
            struct mem_ref x = element(a, j), y = element(b, k);
            if (ir_may_alias(f->func, &x, &y))
                return true;
        }
    return false;
}

/* -- latencies -- */

/* The second of a fused pair follows in the next slot of its port. */
enum { FUSED_LATENCY = 1 };

static bool is_written_back(const struct mach_insn *i, const struct vreg *v)
{
    int base = insn_base_operand(i);
    return (row_of(i)->flags & BASE_WRITEBACK) != 0 && base >= 0 && i->op[base].reg == v;
}

/* By how many cycles B has V, made by a class in NETWORK, before it is written: what all
 * its reads of V have. */
static int early(const struct core *core, const struct mach_insn *b, const struct vreg *v,
                 int network)
{
    const struct insn_row *row = row_of(b);
    int least = INT_MAX, read = 0;
    for (int k = 0; k < row->operand_count; k++) {
        const struct mach_operand *op = &b->op[k];
        if (op->reg == NULL || row->op[k].role == ROLE_DEF)
            continue;
        if ((op->tied != NULL ? op->tied : op->reg) == v) {
            const int cycles = core_early(core, network, b->insn, read);
            least = cycles < least ? cycles : least;
        }
        read++;
    }
    return least == INT_MAX ? 0 : least;
}

bool are_fused(const struct core *core, const struct mach_insn *a, const struct mach_insn *b)
{
    return core->fuses_aes_pair
           && ((a->insn == INSN_aese && b->insn == INSN_aesmc)
               || (a->insn == INSN_aesd && b->insn == INSN_aesimc))
           && b->op[0].reg == a->op[0].reg && b->op[1].reg == a->op[0].reg;
}

int true_latency(const struct core *core, const struct mach_insn *a, const struct mach_insn *b,
                 const struct vreg *v)
{
    const struct timing *t = core_timing(core, a->insn);
    if (v != NULL && is_written_back(a, v))
        return core_writeback(core, t).latency;
    if (are_fused(core, a, b))
        return FUSED_LATENCY;
    const int latency = t->latency - (v == NULL ? 0 : early(core, b, v, t->network));
    return latency > 0 ? latency : 0;
}

/* -- building -- */

struct builder {
    const struct mach_func *f;
    struct depend d;
    int *last_def;              /* by vreg id: node + 1, 0 when none */
    VEC(int) *uses_since;       /* by vreg id: nodes that read it since */
    int flags_def;
    VEC(int) flags_uses;
};

static void add_edge(struct builder *b, int from, int to, int latency, enum dependence kind)
{
    struct depend_node *n = &b->d.node[from];
    for (int k = 0; k < n->out.n; k++)
        if (n->out.at[k].to == to) {
            if (latency > n->out.at[k].latency)
                n->out.at[k].latency = latency;
            if (kind < n->out.at[k].kind)
                n->out.at[k].kind = kind;
            return;
        }
    struct depend_edge e = { to, latency, kind };
    vec_push(&n->out, e);
    b->d.node[to].in++;
}

static void read_register(struct builder *b, int node, const struct vreg *v)
{
    int def = b->last_def[v->id];
    if (def != 0)
        add_edge(b, def - 1, node, true_latency(b->f->core, b->d.node[def - 1].insn,
                                                b->d.node[node].insn, v), DEPEND_TRUE);
    vec_push(&b->uses_since[v->id], node);
}

static void write_register(struct builder *b, int node, const struct vreg *v)
{
    int def = b->last_def[v->id];
    if (def != 0 && def - 1 != node)
        add_edge(b, def - 1, node, 1, DEPEND_OUTPUT);
    for (int k = 0; k < b->uses_since[v->id].n; k++)
        if (b->uses_since[v->id].at[k] != node)
            add_edge(b, b->uses_since[v->id].at[k], node, 0, DEPEND_ANTI);
    b->uses_since[v->id].n = 0;
    b->last_def[v->id] = node + 1;
}

static void follow_registers(struct builder *b, int node)
{
    struct reg_list l;
    const struct mach_insn *i = b->d.node[node].insn;
    insn_uses(i, &l);
    for (int k = 0; k < l.n; k++)
        read_register(b, node, l.at[k]);
    insn_defs(i, &l);
    for (int k = 0; k < l.n; k++)
        write_register(b, node, l.at[k]);
}

static void follow_flags(struct builder *b, int node)
{
    const struct mach_insn *i = b->d.node[node].insn;
    if (insn_reads_flags(i)) {
        if (b->flags_def != 0)
            add_edge(b, b->flags_def - 1, node,
                     true_latency(b->f->core, b->d.node[b->flags_def - 1].insn, i, NULL),
                     DEPEND_TRUE);
        vec_push(&b->flags_uses, node);
    }
    if (!insn_writes_flags(i))
        return;
    if (b->flags_def != 0)
        add_edge(b, b->flags_def - 1, node, 0, DEPEND_OUTPUT);
    for (int k = 0; k < b->flags_uses.n; k++)
        if (b->flags_uses.at[k] != node)
            add_edge(b, b->flags_uses.at[k], node, 0, DEPEND_ANTI);
    b->flags_uses.n = 0;
    b->flags_def = node + 1;
}

static void follow_memory(struct builder *b, int node)
{
    const struct mach_insn *i = b->d.node[node].insn;
    if (!touches_memory(i) || is_broken(BROKEN_SCHEDULER))
        return;
    for (int k = 0; k < node; k++)
        if (accesses_conflict(b->f, b->d.node[k].insn, i))
            add_edge(b, k, node, writes_memory(b->d.node[k].insn) ? 1 : 0, DEPEND_MEMORY);
}

static void find_heights(struct depend *d, const struct core *core)
{
    for (int k = d->n - 1; k >= 0; k--) {
        struct depend_node *n = &d->node[k];
        n->height = core_timing(core, n->insn->insn)->latency;
        for (int e = 0; e < n->out.n; e++) {
            int through = n->out.at[e].latency + d->node[n->out.at[e].to].height;
            if (through > n->height)
                n->height = through;
        }
    }
}

struct depend depend_of(const struct mach_func *f, struct mach_insn *first, struct mach_insn *last)
{
    struct builder b = { .f = f };
    for (struct mach_insn *i = first; i != last->next; i = i->next)
        b.d.n++;
    b.d.node = NEW_ARRAY(struct depend_node, b.d.n);
    b.last_def = NEW_ARRAY(int, f->vregs.n);
    b.uses_since = mem_alloc(sizeof *b.uses_since * (size_t)f->vregs.n);
    int node = 0;
    for (struct mach_insn *i = first; i != last->next; i = i->next)
        b.d.node[node++].insn = i;
    for (node = 0; node < b.d.n; node++) {
        follow_registers(&b, node);
        follow_flags(&b, node);
        follow_memory(&b, node);
    }
    find_heights(&b.d, f->core);
    return b.d;
}
