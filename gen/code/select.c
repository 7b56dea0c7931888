/* select.c: IR to machine instructions.
 *
 * Takes SSA in which every flag that lives is the only one. Gives machine code
 * over virtual registers: block parameters became copies on the edges (edges
 * that need copies and have no block of their own get one), tied operands still
 * name two registers. What each operation becomes is in the other select_*.c.
 *
 * Holds: a use is emitted after all definitions that reach it; while a flag
 * lives no instruction that writes flags is chosen. Does not: order, combine
 * memory accesses, or assign registers.
 */
#include "code/select.h"

#include <assert.h>

/* -- values -- */

bool sel_const(const struct ir_value *v, uint64_t *value)
{
    if (v->def == NULL || v->def->op != IR_const || type_is_vector(v->type))
        return false;
    *value = v->def->value[0];
    return true;
}

struct ir_value *sel_zext_of(const struct ir_value *v)
{
    return v->def != NULL && v->def->op == IR_zext ? v->def->args[0] : NULL;
}

/* What the only edge into V's block passes for V. */
static struct ir_value *only_argument(const struct ir_value *v)
{
    const struct ir_block *from = v->block->preds.at[0];
    int k = from->edge[0].to == v->block ? 0 : 1;
    assert(from->edge[k].to == v->block);
    return from->edge[k].args[v->index];
}

struct ir_value *sel_resolve(const struct selector *s, struct ir_value *v)
{
    for (;;) {
        const struct ir_inst *d = v->def;
        if (d == NULL && s->edges_in[v->block->id] == 1)
            v = only_argument(v);
        else if (d != NULL && (d->op == IR_trunc || d->op == IR_bits))
            v = d->args[0];
        else if (d != NULL && d->op == IR_zext && s->clean[d->args[0]->id])
            v = d->args[0];
        else
            return v;
    }
}

static int web_of(const struct selector *s, int id)
{
    while (s->web[id] != id)
        id = s->web[id];
    return id;
}

static struct vreg *register_for(struct selector *s, const struct ir_value *v)
{
    int id = type_is_flag(v->type) ? web_of(s, v->id) : v->id;
    if (s->reg[id] == NULL) {
        struct vreg *r = vreg_new(s->f, class_of_type(v->type));
        r->name = v->name;
        r->loc = v->loc;
        r->secret = v->secret;
        r->value = s->ir->values.at[v->id];
        s->reg[id] = r;
    }
    return s->reg[id];
}

struct vreg *sel_use(struct selector *s, struct ir_value *v)
{
    struct vreg *r = register_for(s, sel_resolve(s, v));
    r->secret |= v->secret;
    if ((r->name == NULL || r->name[0] == '\0') && v->name != NULL)
        r->name = v->name;
    return r;
}

struct vreg *sel_use_or_zero(struct selector *s, struct ir_value *v)
{
    uint64_t value;
    if (sel_const(sel_resolve(s, v), &value) && value == 0)
        return vreg_zero(s->f);
    return sel_use(s, v);
}

struct vreg *sel_wanted(const struct selector *s, const struct ir_value *v)
{
    if (v == NULL)
        return NULL;
    return s->reg[type_is_flag(v->type) ? web_of(s, v->id) : v->id];
}

struct vreg *sel_temp(struct selector *s, enum reg_class class, const struct ir_value *like)
{
    struct vreg *r = vreg_new(s->f, class);
    r->loc = s->loc;
    r->secret = like != NULL && like->secret;
    return r;
}

struct ir_inst *sel_match(const struct selector *s, const struct ir_value *v, enum ir_op op)
{
    struct ir_inst *d = v->def;
    if (d == NULL || d->op != op || s->uses[v->id] != 1 || d->block != s->here)
        return NULL;
    return d;
}

/* -- emitting -- */

struct mach_insn *put_ops(struct selector *s, enum insn insn, const struct mach_operand *op, int n)
{
    struct mach_insn *i = insn_new(insn, op, n);
    i->loc = s->loc;
    i->algebra = s->algebra;
    i->prev = s->last;
    if (s->last != NULL)
        s->last->next = i;
    else
        s->first = i;
    s->last = i;
    return i;
}

void put_copy(struct selector *s, struct vreg *to, struct vreg *from)
{
    if (to == from)
        return;
    assert(to->class == from->class);
    put(s, to->class == CLASS_GENERAL ? INSN_mov_x : INSN_mov_16b, op_reg(to), op_reg(from));
}

/* Places what was collected in front of B. */
static void flush(struct selector *s, struct mach_block *b)
{
    for (struct mach_insn *i = s->last; i != NULL;) {
        struct mach_insn *before = i->prev;
        insn_prepend(b, i);
        i = before;
    }
    s->first = s->last = NULL;
}

static bool is_awaited(const struct parallel_copy *c, int n, const struct vreg *v, int self)
{
    for (int i = 0; i < n; i++)
        if (i != self && c[i].from_reg == v)
            return true;
    return false;
}

/* Emits one copy whose target nobody reads any more; otherwise breaks a cycle. */
static int put_one_copy(struct selector *s, struct parallel_copy *c, int n)
{
    for (int i = 0; i < n; i++) {
        if (is_awaited(c, n, c[i].to, i))
            continue;
        put_copy(s, c[i].to, c[i].from_reg);
        c[i] = c[n - 1];
        return n - 1;
    }
    struct vreg *kept = vreg_like(s->f, c[0].to);
    put_copy(s, kept, c[0].to);
    for (int i = 0; i < n; i++)
        if (c[i].from_reg == c[0].to)
            c[i].from_reg = kept;
    return n;
}

void put_parallel(struct selector *s, struct parallel_copy *copies, int n)
{
    struct parallel_copy *moves = NEW_ARRAY(struct parallel_copy, n);
    int count = 0;
    for (int i = 0; i < n; i++) {
        struct ir_value *v = sel_resolve(s, copies[i].from);
        copies[i].from = v;
        if (v->def != NULL && v->def->op == IR_const)
            continue;
        copies[i].from_reg = sel_use(s, v);
        if (copies[i].from_reg != copies[i].to)
            moves[count++] = copies[i];
    }
    while (count > 0)
        count = put_one_copy(s, moves, count);
    for (int i = 0; i < n; i++)
        if (copies[i].from_reg == NULL)
            put_const(s, copies[i].to, copies[i].from->def);
}

/* -- preparation -- */

static void count_use(struct selector *s, const struct ir_value *v)
{
    if (v != NULL)
        s->uses[v->id]++;
}

static void count_uses(struct selector *s)
{
    for (int k = 0; k < s->ir->blocks.n; k++) {
        const struct ir_block *b = s->ir->blocks.at[k];
        for (const struct ir_inst *i = b->first; i != NULL; i = i->next)
            for (int a = 0; a < i->arg_count; a++)
                count_use(s, i->args[a]);
        if (b->term == IR_BRANCH) {
            count_use(s, b->a);
            count_use(s, b->b);
        }
        for (int r = 0; b->term == IR_RETURN && r < b->result_count; r++)
            count_use(s, b->results[r]);
        int edges = b->term == IR_BRANCH ? 2 : b->term == IR_JUMP ? 1 : 0;
        for (int e = 0; e < edges; e++) {
            s->edges_in[b->edge[e].to->id]++;
            for (int p = 0; p < b->edge[e].to->param_count; p++)
                count_use(s, b->edge[e].args[p]);
        }
    }
}

static void join_flags(struct selector *s, const struct ir_edge *e)
{
    for (int p = 0; p < e->to->param_count; p++)
        if (type_is_flag(e->to->params[p]->type)) {
            int a = web_of(s, e->args[p]->id), b = web_of(s, e->to->params[p]->id);
            s->web[a > b ? a : b] = a > b ? b : a;
        }
}

/* A block is selected from its end, and a flag is written when somebody wants
 * it: around a loop the reader may stand above the writer, or be it. */
static void want_read_flags(struct selector *s)
{
    for (int k = 0; k < s->ir->blocks.n; k++)
        for (const struct ir_inst *i = s->ir->blocks.at[k]->first; i != NULL; i = i->next)
            for (int a = 0; a < i->arg_count; a++)
                if (type_is_flag(i->args[a]->type))
                    (void)sel_use(s, i->args[a]);
}

/* Does the instruction that defines V clear bits 63..32? Every W form does
 * (Arm ARM C6.1: a write to Wd clears the upper half of Xd). */
static bool def_is_clean(const struct ir_inst *d)
{
    return d->op != IR_param && d->op != IR_trunc && d->op != IR_call;
}

static bool params_stay_clean(struct selector *s, const struct ir_block *b)
{
    bool changed = false;
    int edges = b->term == IR_BRANCH ? 2 : b->term == IR_JUMP ? 1 : 0;
    for (int e = 0; e < edges; e++)
        for (int p = 0; p < b->edge[e].to->param_count; p++) {
            int to = b->edge[e].to->params[p]->id;
            if (s->clean[to] && !s->clean[b->edge[e].args[p]->id]) {
                s->clean[to] = false;
                changed = true;
            }
        }
    return changed;
}

static void find_clean(struct selector *s)
{
    for (int k = 0; k < s->ir->values.n; k++) {
        const struct ir_value *v = s->ir->values.at[k];
        if (type_is_scalar(v->type) && type_is_w(v->type))
            s->clean[v->id] = v->def == NULL || def_is_clean(v->def);
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (int k = 0; k < s->ir->blocks.n; k++)
            changed |= params_stay_clean(s, s->ir->blocks.at[k]);
    }
}

static void prepare(struct selector *s)
{
    int values = s->ir->values.n, blocks = s->ir->blocks.n;
    s->reg = NEW_ARRAY(struct vreg *, values);
    s->uses = NEW_ARRAY(int, values);
    s->clean = NEW_ARRAY(bool, values);
    s->web = NEW_ARRAY(int, values);
    s->edges_in = NEW_ARRAY(int, blocks);
    s->flag_live_out = NEW_ARRAY(bool, blocks);
    s->block = NEW_ARRAY(struct mach_block *, blocks);
    s->param_count = s->ir->func->param_count + s->ir->lifted.n;
    s->param = NEW_ARRAY(struct vreg *, s->param_count + 1);
    s->result = NEW_ARRAY(struct vreg *, s->ir->func->result_count + 1);
    for (int k = 0; k < values; k++)
        s->web[k] = k;
    count_uses(s);
    for (int k = 0; k < blocks; k++) {
        const struct ir_block *b = s->ir->blocks.at[k];
        assert(b->id == k);
        int edges = b->term == IR_BRANCH ? 2 : b->term == IR_JUMP ? 1 : 0;
        for (int e = 0; e < edges; e++)
            join_flags(s, &b->edge[e]);
    }
    want_read_flags(s);
    find_clean(s);
    find_live_flags(s);
}

/* -- one instruction -- */

static bool is_flag_op(const struct ir_inst *i)
{
    if (i->result[0] != NULL && type_is_flag(i->result[0]->type))
        return true;
    for (int a = 0; a < i->arg_count; a++)
        if (type_is_flag(i->args[a]->type))
            return true;
    return i->op == IR_adds || i->op == IR_subs;
}

static void select_value(struct selector *s, struct ir_inst *i, struct vreg *to)
{
    switch (i->op) {
    case IR_const: put_const(s, to, i); break;
    case IR_table:
    case IR_stack: select_address(s, i, to); break;
    case IR_load: select_load(s, i, to); break;
    case IR_lane: select_lane(s, i, to); break;
    case IR_build: select_build(s, i, to); break;
    case IR_splat: select_splat(s, i, to); break;
    case IR_insn: select_insn(s, i, to); break;
    default:
        if (type_is_vector(i->result[0]->type))
            select_vector(s, i, to);
        else
            select_scalar(s, i, to);
    }
}

static void select_inst(struct selector *s, struct ir_inst *i)
{
    s->loc = i->loc;
    s->algebra = i->algebra;
    if (i->op == IR_store)
        select_store(s, i);
    else if (i->op == IR_call)
        select_call(s, i);
    else if (i->op != IR_bits && i->op != IR_trunc && is_flag_op(i))
        select_flags(s, i);
    else if (i->op != IR_param && sel_wanted(s, i->result[0]) != NULL)
        select_value(s, i, sel_wanted(s, i->result[0]));
}

static void select_block(struct selector *s, const struct ir_block *b)
{
    struct mach_block *to = s->block[b->id];
    s->here = b;
    s->loc = b->loc;
    s->algebra = NULL;
    select_terminator(s, b);
    flush(s, to);
    for (struct ir_inst *i = b->last; i != NULL; i = i->prev) {
        select_inst(s, i);
        flush(s, to);
    }
}

/* -- the order of blocks -- */

struct order { bool *seen; const struct ir_block **at; int n; };

static void post_order(struct order *o, const struct ir_block *b)
{
    if (o->seen[b->id])
        return;
    o->seen[b->id] = true;
    int edges = b->term == IR_BRANCH ? 2 : b->term == IR_JUMP ? 1 : 0;
    for (int e = 0; e < edges; e++)
        post_order(o, b->edge[e].to);
    o->at[o->n++] = b;
}

/* Reverse of reverse post order: every use before its definition. */
static void select_blocks(struct selector *s)
{
    int n = s->ir->blocks.n;
    struct order o = { NEW_ARRAY(bool, n), NEW_ARRAY(const struct ir_block *, n), 0 };
    post_order(&o, s->ir->blocks.at[0]);
    for (int k = 0; k < o.n; k++)
        select_block(s, o.at[k]);
    /* The layout keeps the IR's order; blocks that nothing reaches are dropped. */
    int kept = 0;
    for (int k = 0; k < s->f->blocks.n; k++) {
        struct mach_block *b = s->f->blocks.at[k];
        if (b->first != NULL)
            s->f->blocks.at[kept++] = b;
    }
    s->f->blocks.n = kept;
}

/* An entry block of its own, when the IR's is the target of a jump. */
static void add_first_block(struct selector *s)
{
    struct mach_func *f = s->f;
    struct mach_block *entry = block_new(f), *target = f->blocks.at[0];
    for (int k = f->blocks.n - 1; k > 0; k--)
        f->blocks.at[k] = f->blocks.at[k - 1];
    f->blocks.at[0] = entry;
    insn_append(entry, MAKE(INSN_b, op_label(target)));
}

struct mach_func *select_func(struct ir_func *ir, const struct core *core)
{
    struct mach_func *f = NEW(struct mach_func);
    f->func = ir->func;
    f->variant = ir->variant;
    f->core = core;
    f->name = ir->variant == NULL || ir->variant->name == NULL || ir->variant->name[0] == '\0'
                  ? ir->func->name
                  : mem_format("%s_%s", ir->func->name, ir->variant->name);
    struct selector s = { .f = f, .ir = ir };
    choose_frame(&s);
    prepare(&s);
    for (int k = 0; k < ir->blocks.n; k++) {
        s.block[k] = block_new(f);
        s.block[k]->loop_depth = ir->blocks.at[k]->loop_depth;
        s.block[k]->steps = ir->blocks.at[k]->steps;
        s.block[k]->loop_loc = ir->blocks.at[k]->loop_loc;
    }
    for (int k = 0; k < ir->blocks.n; k++)
        if (ir->blocks.at[k]->loop != NULL)
            s.block[k]->loop = s.block[ir->blocks.at[k]->loop->id];
    select_blocks(&s);
    select_entry(&s);
    blocks_link(f);
    if (f->blocks.at[0]->preds.n > 0)
        add_first_block(&s);
    flush(&s, f->blocks.at[0]);
    blocks_link(f);
    return f;
}
