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

/* -- memory, an iteration of a loop later -- */

/* The second of a fused pair goes beside the first. */
enum { FUSED_LATENCY = 0 };

static bool is_written_back(const struct mach_insn *i, const struct vreg *v)
{
    int base = insn_base_operand(i);
    return (row_of(i)->flags & BASE_WRITEBACK) != 0 && base >= 0 && i->op[base].reg == v;
}

#define STEP_UNKNOWN INT64_MIN

/* What I adds to V, which it defines; STEP_UNKNOWN when it does something else. */
static int64_t step_by(const struct mach_insn *i, const struct vreg *v)
{
    int base = insn_base_operand(i);
    if (is_written_back(i, v))
        return row_of(i)->op[base + 1].kind == OP_IMM ? i->op[base + 1].imm : STEP_UNKNOWN;
    if ((i->insn != INSN_add_x_imm && i->insn != INSN_sub_x_imm) || i->op[1].reg != v
        || i->op[2].stack != NULL)
        return STEP_UNKNOWN;
    return i->insn == INSN_add_x_imm ? i->op[2].imm : -i->op[2].imm;
}

/* By vreg id: how far one iteration moves it. */
static int64_t *steps_of(const struct mach_func *f, const struct mach_insn *first,
                         const struct mach_insn *last)
{
    int64_t *step = NEW_ARRAY(int64_t, f->vregs.n);
    struct reg_list defs;
    for (const struct mach_insn *i = first; i != last->next; i = i->next) {
        insn_defs(i, &defs);
        for (int k = 0; k < defs.n; k++) {
            int64_t by = step_by(i, defs.at[k]), *sum = &step[defs.at[k]->id];
            *sum = by == STEP_UNKNOWN || *sum == STEP_UNKNOWN ? STEP_UNKNOWN : *sum + by;
        }
    }
    return step;
}

static int64_t step_of_address(const struct mach_insn *i, const int64_t *step)
{
    int base = insn_base_operand(i);
    if (base < 0 || base + 1 >= MAX_OPERANDS || i->op[base].reg->is_fixed)
        return STEP_UNKNOWN;
    for (int k = base + 1; k < row_of(i)->operand_count; k++)
        if (operand_is_general((enum operand_kind)row_of(i)->op[k].kind))
            return STEP_UNKNOWN;
    return step[i->op[base].reg->id];
}

/* A in one iteration, B in the next one. With one key their distance in one
 * iteration is known, and both addresses move on by the same step. */
static bool conflict_an_iteration_later(const struct mach_func *f, const struct mach_insn *a,
                                        const struct mach_insn *b, const int64_t *step)
{
    if (!touches_memory(a) || !touches_memory(b) || !(writes_memory(a) || writes_memory(b)))
        return false;
    if (((row_of(a)->flags | row_of(b)->flags) & IS_CALL) != 0 || a->mem_count == 0
        || b->mem_count == 0 || a->mem.object == NULL || b->mem.object == NULL)
        return true;
    if (!objects_may_be_same(f->func, a->mem.object, b->mem.object))
        return false;
    int64_t by = step_of_address(a, step);
    if (by == STEP_UNKNOWN || by != step_of_address(b, step))
        return true;
    struct mach_insn later = *b;
    later.mem.disp += by;
    return accesses_conflict(f, a, &later);
}

/* -- latencies -- */

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

bool meets_erratum(const struct core *core, const struct mach_insn *a, const struct mach_insn *b)
{
    enum timing_class t = (enum timing_class)row_of(b)->timing_class;
    return core->erratum_835769 && row_of(b)->operand_count == 4
           && (t == TIME_MUL_X || t == TIME_MUL_LONG) && touches_memory(a);
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
    int period;                 /* nodes from this on are the next iteration's; 0: straight code */
    const int64_t *step;        /* by vreg id, of a loop */
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

static bool nodes_conflict(const struct builder *b, int earlier, int later)
{
    const struct mach_insn *x = b->d.node[earlier].insn, *y = b->d.node[later].insn;
    if (b->period > 0 && earlier < b->period && later >= b->period)
        return conflict_an_iteration_later(b->f, x, y, b->step);
    return accesses_conflict(b->f, x, y);
}

static void follow_memory(struct builder *b, int node)
{
    const struct mach_insn *i = b->d.node[node].insn;
    if (!touches_memory(i) || is_broken(BROKEN_SCHEDULER))
        return;
    for (int k = 0; k < node; k++)
        if (nodes_conflict(b, k, node))
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

static int length(const struct mach_insn *first, const struct mach_insn *last)
{
    int n = 0;
    for (const struct mach_insn *i = first; i != last->next; i = i->next)
        n++;
    return n;
}

/* Of the instructions from FIRST to LAST, as often as they fit into b->d. */
static struct depend build(struct builder *b, struct mach_insn *first, struct mach_insn *last)
{
    struct mach_insn *i = first;
    b->d.node = NEW_ARRAY(struct depend_node, b->d.n);
    b->last_def = NEW_ARRAY(int, b->f->vregs.n);
    b->uses_since = mem_alloc(sizeof *b->uses_since * (size_t)b->f->vregs.n);
    for (int node = 0; node < b->d.n; node++) {
        b->d.node[node].insn = i;
        i = i == last ? first : i->next;
    }
    for (int node = 0; node < b->d.n; node++) {
        follow_registers(b, node);
        follow_flags(b, node);
        follow_memory(b, node);
    }
    find_heights(&b->d, b->f->core);
    return b->d;
}

struct depend depend_of(const struct mach_func *f, struct mach_insn *first, struct mach_insn *last)
{
    struct builder b = { .f = f, .d.n = length(first, last) };
    return build(&b, first, last);
}

struct depend depend_of_loop(const struct mach_func *f, struct mach_insn *first,
                             struct mach_insn *last)
{
    int n = length(first, last);
    struct builder b = { .f = f, .d.n = 2 * n, .period = n };
    b.step = steps_of(f, first, last);
    return build(&b, first, last);
}
