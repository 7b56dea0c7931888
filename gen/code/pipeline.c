/* pipeline.c: makes steps of instructions, and runs them.
 *
 * Before allocation a register is its vreg, afterwards what it was assigned: two
 * values in one register are then one, as the core sees them.
 */
#include "code/pipeline_steps.h"

#include <assert.h>
#include <string.h>

#include "code/build.h"

enum { PHYSICAL = 32 * CLASS_FLAGS };   /* keys below this are assigned registers */

struct pipeline *pipeline_new(const struct core *core, bool fused)
{
    struct pipeline *p = NEW(struct pipeline);
    p->core = core;
    p->fused = fused && core->fuses_aes_pair;
    if (!core->in_order)
        p->window = window_new(core);
    return p;
}

/* -- registers -- */

static int key_of(const struct vreg *v)
{
    return v->is_assigned || v->is_fixed ? (int)v->class * 32 + v->assigned : PHYSICAL + v->id;
}

/* xzr; sp is one as well, because no kernel's time depends on it. */
static bool is_constant(const struct vreg *v)
{
    return v == NULL || (v->class == CLASS_GENERAL && (v->is_assigned || v->is_fixed)
                         && v->assigned == REG_ZERO);
}

static int slot_for(struct pipeline *p, const struct vreg *v)
{
    const int key = key_of(v);
    if (key >= p->keys) {
        const int more = key * 2 + PHYSICAL;
        p->slot_of = mem_grow(p->slot_of, sizeof(int) * (size_t)p->keys,
                              sizeof(int) * (size_t)more);
        p->keys = more;
    }
    if (p->slot_of[key] == 0)
        p->slot_of[key] = p->slots++;
    return p->slot_of[key];
}

/* -- one step -- */

static void add_read(const struct pipeline *p, struct step *s, int slot, const struct mach_insn *i,
                     int read)
{
    assert(s->reads < STEP_READS);
    struct step_read *r = &s->read[s->reads++];
    *r = (struct step_read){ .slot = slot };
    for (int net = 1; net < NETWORKS; net++)
        r->early[net] = (uint8_t)core_early(p->core, net, i->insn, read);
}

static void add_write(struct step *s, int slot, int latency, int network)
{
    assert(s->writes < STEP_WRITES);
    s->write[s->writes++] = (struct step_write){ slot, (uint8_t)latency, (uint8_t)network };
    if (latency > s->latency)
        s->latency = latency;
    if (latency < s->first_write)
        s->first_write = latency;
}

static bool is_register(const struct operand_spec *o)
{
    return operand_is_general((enum operand_kind)o->kind)
           || operand_is_vector((enum operand_kind)o->kind);
}

static void add_operands(struct pipeline *p, struct step *s, const struct mach_insn *i,
                         const struct timing *t)
{
    const struct insn_row *row = row_of(i);
    const int base = (row->flags & BASE_WRITEBACK) != 0 ? insn_base_operand(i) : -1;
    int read = 0, written = 0;
    for (int k = 0; k < row->operand_count; k++) {
        const struct operand_spec *o = &row->op[k];
        const struct mach_operand *op = &i->op[k];
        if (!is_register(o))
            continue;
        if (o->role != ROLE_DEF) {
            const struct vreg *v = op->tied != NULL ? op->tied : op->reg;
            if (!is_constant(v)) {
                add_read(p, s, slot_for(p, v), i, read);
                s->read[s->reads - 1].destroys = o->role == ROLE_TIED && k != base;
            }
            read++;
        }
        if (o->role == ROLE_USE || is_constant(op->reg))
            continue;
        if (k == base)
            add_write(s, slot_for(p, op->reg), core_writeback(p->core, t).latency, 0);
        else
            add_write(s, slot_for(p, op->reg),
                      written++ == 1 && t->second_latency != 0 ? t->second_latency : t->latency,
                      t->network);
    }
}

static void add_use(struct step *s, uint32_t ports, int busy)
{
    if (ports == 0 || busy == 0)
        return;
    assert(s->uses < STEP_USES);
    s->use[s->uses++] = (struct port_use){ ports, (uint8_t)busy };
}

static void add_uses(const struct pipeline *p, struct step *s, const struct mach_insn *i,
                     const struct timing *t)
{
    s->uops = t->uops;
    add_use(s, t->ports, t->busy);
    for (int k = 0; k < CORE_MAX_USES - 1; k++)
        add_use(s, t->also[k].ports, t->also[k].busy);
    if ((row_of(i)->flags & BASE_WRITEBACK) != 0) {
        const struct writeback w = core_writeback(p->core, t);
        s->uops += w.uops;
        add_use(s, w.ports, w.busy);
    }
    if (p->core->buffers != NULL)
        for (int b = 0; p->core->buffers[b].size != 0; b++)
            for (int k = 0; k < s->uses; k++)
                if ((s->use[k].ports & ~p->core->buffers[b].ports) == 0)
                    s->buffers |= 1u << b;
}

static const struct timing *timing_of(const struct core *core, const struct mach_insn *i)
{
    const enum insn insn = i->insn;
    const bool shifts = insn == INSN_add_x_lsl || insn == INSN_sub_x_lsl || insn == INSN_add_w_lsl
                        || insn == INSN_sub_w_lsl;
    if (shifts && i->op[3].imm <= core->free_shift)
        return &core->timing[TIME_ALU];
    return core_timing(core, insn);
}

static struct step step_of(struct pipeline *p, const struct mach_insn *i)
{
    const struct timing *t = timing_of(p->core, i);
    struct step s = { .first_write = t->latency, .latency = t->latency };
    const uint32_t flags = row_of(i)->flags;
    add_operands(p, &s, i, t);
    if ((flags & (READS_C | READS_NZCV)) != 0)
        add_read(p, &s, 0, i, FORWARDED_READS);
    if ((flags & WRITES_NZCV) != 0)
        add_write(&s, 0, t->latency, 0);
    add_uses(p, &s, i, t);
    s.loads = (flags & IS_LOAD) != 0;
    s.stores = (flags & IS_STORE) != 0;
    s.retires_early = (t->flags & RETIRES_EARLY) != 0;
    s.first_in_cycle = (t->flags & FIRST_IN_CYCLE) != 0;
    return s;
}

/* The second of a pair takes no port and is there with the pair. In order it takes
 * the slot beside the first, out of order the two are one micro-operation. */
static struct step paired_step(const struct pipeline *p, struct step s)
{
    s.uses = 0;
    s.buffers = 0;
    s.first_in_cycle = false;
    s.uops = p->core->in_order ? 1 : 0;
    s.latency = s.first_write = s.write[0].latency = p->core->aes_pair_latency;
    memset(s.read[0].early, NOTHING, sizeof s.read[0].early);
    return s;
}

static bool same_uses(const struct step *a, const struct step *b)
{
    if (a->uses != b->uses)
        return false;
    for (int k = 0; k < a->uses; k++)
        if (a->use[k].ports != b->use[k].ports || a->use[k].busy != b->use[k].busy)
            return false;
    return true;
}

static void number_patterns(struct pipeline *p)
{
    p->patterns = 0;
    for (int k = 0; k < 2 * p->n; k++) {
        int pattern = 0;
        while (pattern < p->patterns && !same_uses(p->like[pattern], &p->step[k]))
            pattern++;
        if (pattern == p->patterns)
            p->like[p->patterns++] = &p->step[k];
        p->step[k].pattern = pattern;
    }
}

/* -- loading -- */

static void make_room(struct pipeline *p, int n)
{
    if (n <= p->cap)
        return;
    p->cap = p->cap == 0 ? n : n * 2;
    p->insn = NEW_ARRAY(struct mach_insn *, p->cap);
    p->step = NEW_ARRAY(struct step, 2 * p->cap);
    p->identity = NEW_ARRAY(int, p->cap);
    p->sequence = NEW_ARRAY(const struct step *, p->cap);
    p->like = NEW_ARRAY(const struct step *, 2 * p->cap);
    for (int k = 0; k < p->cap; k++)
        p->identity[k] = k;
}

static void prepare_scratch(struct pipeline *p)
{
    if (p->slots <= p->slot_cap)
        return;
    p->slot_cap = p->slots * 2;
    p->state = mem_alloc(state_size_for(p->slot_cap));
    p->origin = NEW_ARRAY(int, p->slot_cap);
    p->time = NEW_ARRAY(int, p->slot_cap);
    p->network = NEW_ARRAY(int, p->slot_cap);
}

void pipeline_load(struct pipeline *p, struct mach_insn *const *code, int n)
{
    make_room(p, n);
    if (p->keys > 0)
        memset(p->slot_of, 0, sizeof(int) * (size_t)p->keys);
    p->n = n;
    p->slots = 1;
    for (int k = 0; k < n; k++) {
        p->insn[k] = code[k];
        p->step[k] = step_of(p, code[k]);
    }
    for (int k = 0; k < n; k++)
        p->step[n + k] = code[k]->insn == INSN_aesmc || code[k]->insn == INSN_aesimc
                             ? paired_step(p, p->step[k]) : p->step[k];
    number_patterns(p);
    if (p->window != NULL)
        find_port_groups(p);
    prepare_scratch(p);
}

void pipeline_load_range(struct pipeline *p, struct mach_insn *first, struct mach_insn *last)
{
    int n = 0;
    for (struct mach_insn *i = first; i != last->next; i = i->next)
        n++;
    struct mach_insn **code = NEW_ARRAY(struct mach_insn *, n);
    n = 0;
    for (struct mach_insn *i = first; i != last->next; i = i->next)
        code[n++] = i;
    pipeline_load(p, code, n);
}

/* -- running -- */

int pipeline_run(struct pipeline *p, const int *order, int n, int iterations,
                 struct pipeline_event *events)
{
    if (order == NULL)
        order = p->identity;
    if (n == 0)
        return 0;
    assert(n <= p->cap);
    return p->core->in_order ? run_in_order(p, order, n, iterations, events)
                             : run_out_of_order(p, order, n, iterations, events);
}

int pipeline_interval(struct pipeline *p, const int *order, int n, int iterations)
{
    const int all = pipeline_run(p, order, n, iterations, NULL);
    const int later = iterations - iterations / 2;
    return ((all - p->half) * 100 + later / 2) / later;
}
