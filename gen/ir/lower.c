/* lower.c: from the shaped tree to SSA, statements.
 *
 * Takes a function without S_FOR (shape/); gives blocks with parameters. The
 * tree's control is structured, so SSA needs no dominance frontiers: each path
 * carries the present value of every variable, a join makes a parameter for
 * every variable whose values differ, a loop header one for every variable that
 * its body assigns. Parameters that turn out to be the same on all edges go
 * away in params.c.
 *
 * Flags: the tree's borrow is the inverse of Arm's C; every flag value here is
 * C, so a borrow is stored inverted and its readers invert. Loops test at the
 * bottom; a `while` asks its condition once more in front.
 */
#include <assert.h>
#include <string.h>

#include "ir/lower.h"
#include "shape/pass.h"

static void lower_list(struct lowering *l, const struct stmt *s);

/* -- joins -- */

struct incoming { struct ir_block *block; struct ir_value **now; };

static struct ir_value **snapshot(const struct lowering *l)
{
    struct ir_value **copy = NEW_ARRAY(struct ir_value *, l->var_count + 1);
    memcpy(copy, l->now, sizeof *copy * (size_t)l->var_count);
    return copy;
}

static void set_jump(struct ir_block *from, struct ir_block *to, int args)
{
    from->term = IR_JUMP;
    from->edge[0].to = to;
    from->edge[0].args = args > 0 ? NEW_ARRAY(struct ir_value *, args) : NULL;
}

void lower_end(struct lowering *l, struct ir_block *to)
{
    if (l->block)
        set_jump(l->block, to, 0);
    l->block = NULL;
}

static void start(struct lowering *l, struct ir_block *b)
{
    ir_place_block(l->out, b);
    l->block = b;
}

static bool all_equal(const struct incoming *in, int n, int var, bool *defined)
{
    bool equal = true;

    *defined = true;
    for (int i = 0; i < n; i++) {
        *defined &= in[i].now[var] != NULL;
        equal &= in[i].now[var] == in[0].now[var];
    }
    return equal;
}

/* Goes on where the paths IN meet; paths that cannot be reached are left out. */
static void join(struct lowering *l, struct incoming *in, int n)
{
    int live = 0, count = 0;
    struct ir_block *b;

    for (int i = 0; i < n; i++)
        if (in[i].block)
            in[live++] = in[i];
    if (live == 0) {
        l->block = NULL;
        return;
    }
    if (live == 1) {
        l->block = in[0].block;
        l->now = in[0].now;
        return;
    }
    b = ir_new_block(l->out);
    for (int v = 0; v < l->var_count; v++) {
        bool defined;
        count += !all_equal(in, live, v, &defined) && defined;
    }
    for (int i = 0; i < live; i++)
        set_jump(in[i].block, b, count);
    count = 0;
    l->now = snapshot(l);
    for (int v = 0; v < l->var_count; v++) {
        bool defined;
        if (all_equal(in, live, v, &defined) || !defined) {
            l->now[v] = defined ? in[0].now[v] : NULL;
            continue;
        }
        for (int i = 0; i < live; i++)
            in[i].block->edge[0].args[count] = in[i].now[v];
        count++;
        l->now[v] = ir_add_param(l->out, b, in[0].now[v]->type);
        l->now[v]->name = l->f->vars.at[v]->name;
        l->now[v]->loc = l->f->vars.at[v]->loc;
    }
    start(l, b);
}

/* -- assignments -- */

static void set_var(struct lowering *l, struct var *var, struct ir_value *v)
{
    if (!var || !v)
        return;
    assert(v->type == ir_type(var->type) || (v->type == TYPE_ADDR && is_wide(ir_type(var->type))));
    if (*v->name == '\0' && !(v->def && (v->def->op == IR_const || v->def->op == IR_flag))) {
        v->name = var->name;
        if (var->loc.file)
            v->loc = var->loc;
    }
    l->now[var->id] = v;
}

static enum ir_op carry_op(bool subtract, bool flag_in, bool flag_out)
{
    static const enum ir_op ops[2][2][2] = {
        { { IR_add, IR_adds }, { IR_adc, IR_adcs } },
        { { IR_sub, IR_subs }, { IR_sbc, IR_sbcs } },
    };
    return ops[subtract][flag_in][flag_out];
}

static void lower_carry(struct lowering *l, const struct stmt *s)
{
    enum value_type type = ir_type(s->a->type);
    struct ir_value *a = lower_expr(l, s->a);
    struct ir_value *b = s->b ? lower_expr(l, s->b) : lower_const(l, type, 0, 0, s->loc);
    struct ir_value *flag = s->flag_in ? lower_expr(l, s->flag_in) : NULL;
    enum ir_op op = carry_op(s->is_subtract, flag != NULL, s->flag != NULL);
    struct ir_value *r = lower_op(l, op, type, s->loc, a, b, flag);

    set_var(l, s->var, r);
    if (s->flag)
        set_var(l, s->flag, r->def->result[1]);
}

static void lower_mul(struct lowering *l, const struct stmt *s)
{
    struct ir_value *a = lower_expr(l, s->a), *b = lower_expr(l, s->b);

    if (s->var)
        set_var(l, s->var, lower_op(l, IR_mul, ir_type(s->var->type), s->loc, a, b, NULL));
    if (s->high)
        set_var(l, s->high, lower_op(l, IR_mulhigh, ir_type(s->high->type), s->loc, a, b, NULL));
}

static void lower_store(struct lowering *l, const struct stmt *s)
{
    struct ir_value *value = lower_expr(l, s->value);
    int64_t offset;
    struct ir_value *base = lower_address(l, &s->access, &offset, s->loc);
    struct ir_inst *i = ir_new_inst(l->out, IR_store, value->type, 2, s->loc);

    i->args[0] = base;
    i->args[1] = value;
    i->imm = offset;
    i->mem = lower_mem_ref(&s->access, offset, s->mem);
    i->algebra = l->algebra;
    ir_append(l->block, i);
}

/* What a callee wants in a register: a table's entry or a constant. */
static struct ir_value *lower_lifted(struct lowering *l, const struct ir_inst *wanted)
{
    struct ir_value *v;

    if (wanted->op == IR_const)
        return lower_const(l, wanted->type, wanted->value[0], wanted->value[1], wanted->loc);
    v = lower_op(l, IR_load, wanted->type, wanted->loc,
                 lower_object(l, wanted->mem.object, wanted->loc),
                 NULL, NULL);
    v->def->imm = wanted->imm;
    v->def->mem = wanted->mem;
    v->name = wanted->result[0]->name;
    return v;
}

static void lower_call(struct lowering *l, const struct stmt *s)
{
    int lifted = s->callee->ir ? s->callee->ir->lifted.n : 0;
    struct ir_inst *i = ir_new_inst(l->out, IR_call, TYPE_VOID, s->arg_count + lifted, s->loc);

    i->callee = s->callee;
    i->algebra = l->algebra;
    for (int k = 0; k < s->arg_count; k++)
        i->args[k] = s->args[k].object ? lower_object(l, s->args[k].object, s->loc)
                                       : lower_expr(l, s->args[k].value);
    for (int k = 0; k < lifted; k++)
        i->args[s->arg_count + k] = lower_lifted(l, s->callee->ir->lifted.at[k]);
    i->result_count = s->callee->result_count;
    i->results = NEW_ARRAY(struct ir_value *, i->result_count);
    for (int k = 0; k < i->result_count; k++)
        i->results[k] = ir_new_result(l->out, i, k, ir_type(s->callee->results[k]));
    ir_append(l->block, i);
    for (int k = 0; k < s->result_count; k++)
        set_var(l, s->results[k], i->results[k]);
}

static void lower_return(struct lowering *l, const struct stmt *s)
{
    struct ir_value **values = NEW_ARRAY(struct ir_value *, s ? s->value_count : 0);

    for (int k = 0; s && k < s->value_count; k++)
        values[k] = lower_expr(l, s->values[k]);
    l->block->term = IR_RETURN;
    l->block->results = values;
    l->block->result_count = s ? s->value_count : 0;
    if (s)
        l->block->loc = s->loc;
    l->block = NULL;
}

/* -- control -- */

static void lower_if(struct lowering *l, const struct stmt *s)
{
    struct ir_block *yes = ir_new_block(l->out), *no = ir_new_block(l->out);
    struct incoming ends[2];
    struct ir_value **before;

    l->block->loc = s->loc;
    lower_condition(l, s->cond, yes, no);
    before = snapshot(l);
    start(l, yes);
    lower_list(l, s->body);
    ends[0] = (struct incoming){ l->block, l->now };
    l->now = before;
    start(l, no);
    lower_list(l, s->other);
    ends[1] = (struct incoming){ l->block, l->now };
    join(l, ends, 2);
}

/* The header of a loop: a parameter for every variable that BODY assigns and
 * that has a value already. CARRIED[k] is the variable of parameter k. */
struct header { struct ir_block *block; struct var **carried; int n; };

static struct header open_loop(struct lowering *l, const struct stmt *s)
{
    struct header h = { ir_new_block(l->out), NULL, 0 };
    struct var_set assigned = assigned_in(l->var_count, s->body);
    struct ir_block *preheader = ir_new_block(l->out);

    if (s->count)
        var_set_add(&assigned, s->count);
    lower_end(l, preheader);
    start(l, preheader);
    h.carried = NEW_ARRAY(struct var *, l->var_count + 1);
    for (int v = 0; v < l->var_count; v++)
        if (l->now[v] && var_set_has(&assigned, l->f->vars.at[v]))
            h.carried[h.n++] = l->f->vars.at[v];
    set_jump(preheader, h.block, h.n);
    l->now = snapshot(l);
    for (int k = 0; k < h.n; k++) {
        struct var *v = h.carried[k];
        preheader->edge[0].args[k] = l->now[v->id];
        struct ir_value *p = ir_add_param(l->out, h.block, l->now[v->id]->type);
        p->name = v->name;
        p->loc = v->loc;
        l->now[v->id] = p;
    }
    h.block->steps = s->steps > 0 ? s->steps : 1;
    h.block->loop_loc = s->loc;
    start(l, h.block);
    return h;
}

/* Makes LATCH (an empty block) jump back with the present values. */
static void close_loop(struct lowering *l, const struct header *h, struct ir_block *latch)
{
    start(l, latch);
    set_jump(latch, h->block, h->n);
    for (int k = 0; k < h->n; k++)
        latch->edge[0].args[k] = l->now[h->carried[k]->id];
    l->block = NULL;
}

static void lower_repeat(struct lowering *l, const struct stmt *s)
{
    struct header h = open_loop(l, s);
    struct ir_block *latch = ir_new_block(l->out), *out = ir_new_block(l->out);

    lower_list(l, s->body);
    if (!l->block)
        return;
    l->block->loc = s->loc;
    if (s->count) {
        enum value_type type = ir_type(s->count->type);
        struct ir_value *one = lower_const(l, type, 1, 0, s->loc);
        struct ir_value *left = lower_op(l, IR_sub, type, s->loc, l->now[s->count->id], one, NULL);
        set_var(l, s->count, left);
        l->block->term = IR_BRANCH;
        l->block->cond = IR_NE;
        l->block->a = left;
        l->block->b = lower_const(l, type, 0, 0, s->loc);
        l->block->edge[0].to = latch;
        l->block->edge[1].to = out;
    } else {
        lower_condition(l, s->cond, latch, out);
    }
    close_loop(l, &h, latch);
    start(l, out);
}

static void lower_while(struct lowering *l, const struct stmt *s)
{
    struct ir_block *enter = ir_new_block(l->out), *skip = ir_new_block(l->out);
    struct ir_block *latch = ir_new_block(l->out), *done = ir_new_block(l->out);
    struct incoming ends[2];
    struct ir_value **before;
    struct header h;

    l->block->loc = s->loc;
    lower_condition(l, s->cond, enter, skip);
    before = snapshot(l);
    start(l, enter);
    h = open_loop(l, s);
    lower_list(l, s->body);
    if (l->block) {
        l->block->loc = s->loc;
        lower_condition(l, s->cond, latch, done);
        close_loop(l, &h, latch);
        start(l, done);
    }
    ends[0] = (struct incoming){ l->block, l->now };
    l->now = before;
    start(l, skip);
    ends[1] = (struct incoming){ l->block, l->now };
    join(l, ends, 2);
}

static void lower_stmt(struct lowering *l, const struct stmt *s)
{
    switch (s->kind) {
    case S_ASSIGN: set_var(l, s->var, lower_expr(l, s->value)); break;
    case S_CARRY:  lower_carry(l, s); break;
    case S_MUL:    lower_mul(l, s); break;
    case S_STORE:  lower_store(l, s); break;
    case S_REPEAT: lower_repeat(l, s); break;
    case S_WHILE:  lower_while(l, s); break;
    case S_IF:     lower_if(l, s); break;
    case S_RETURN: lower_return(l, s); break;
    case S_CALL:   lower_call(l, s); break;
    case S_FOR:    assert(false && "shape/ leaves no S_FOR"); break;
    }
}

static void lower_list(struct lowering *l, const struct stmt *s)
{
    for (; s && l->block; s = s->next) {
        l->algebra = s->algebra;
        lower_stmt(l, s);
    }
    l->algebra = NULL;
}

/* -- functions -- */

static void lower_params(struct lowering *l)
{
    l->param = NEW_ARRAY(struct ir_value *, l->f->param_count + 1);
    for (int k = 0; k < l->f->param_count; k++) {
        const struct param *p = &l->f->params[k];
        enum value_type type = p->object ? TYPE_ADDR : ir_type(p->type);
        struct ir_inst *i = ir_new_inst(l->out, IR_param, type, 0, p->loc);
        i->imm = k;
        i->result[0]->name = p->name;
        ir_append(l->block, i);
        l->param[k] = i->result[0];
        if (p->var)
            l->now[p->var->id] = i->result[0];
    }
}

struct ir_func *ir_lower(struct func *f)
{
    struct lowering l = { .out = NEW(struct ir_func), .f = f, .var_count = f->vars.n };

    l.out->func = f;
    l.now = NEW_ARRAY(struct ir_value *, f->vars.n + 1);
    start(&l, ir_new_block(l.out));
    lower_params(&l);
    lower_list(&l, f->body);
    if (l.block)
        lower_return(&l, NULL);
    /* A variable of a loop's body that an earlier copy of the body has set got a
     * parameter too; nobody reads it, but a flag would seem to live. */
    (void)ir_remove_dead(l.out);
    return l.out;
}
