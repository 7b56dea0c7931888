/* select_call.c: parameters, calls and returns.
 *
 * Exports follow AAPCS64 6.8.2: the n-th general argument in x(n), a vector in
 * v(n), and from the ninth on each in eight bytes of the stack, which Apple's
 * systems pack. The upper half of a 32-bit argument is whatever the caller left
 * there. A local function's registers are decided when
 * it is allocated: its parameters are the registers that the entry instruction
 * defines, its results those that every return uses; a caller finds both in
 * the callee's struct convention.
 */
#include "code/select.h"

#include <assert.h>

static bool is_local(const struct ir_func *ir) { return ir->func->kind == FN_LOCAL; }

/* Class of parameter K: declared ones first, then what was lifted. */
static enum reg_class param_class(const struct ir_func *ir, int k)
{
    if (k >= ir->func->param_count)
        return class_of_type(ir->lifted.at[k - ir->func->param_count]->type);
    const struct param *p = &ir->func->params[k];
    return p->object != NULL ? CLASS_GENERAL : class_of_type(p->type);
}

/* How many parameters of its class stand before parameter K. */
static int rank_of(const struct ir_func *ir, int k)
{
    int n = 0;
    for (int j = 0; j < k; j++)
        n += param_class(ir, j) == param_class(ir, k);
    return n;
}

static bool is_on_stack(const struct ir_func *ir, int k)
{
    return rank_of(ir, k) >= REG_RESERVE_ARGUMENTS;
}

/* The physical register that AAPCS64 gives parameter K. */
static struct vreg *abi_param(struct selector *s, int k)
{
    return vreg_fixed(s->f, param_class(s->ir, k), (reg_number)rank_of(s->ir, k));
}

/* -- arguments on the stack -- */

static int bytes_of(const struct param *p)
{
    return p->object != NULL ? 8 : type_bytes(p->type);
}

/* Where parameter K is, from the caller's sp. */
static int stack_offset(const struct ir_func *ir, int k, bool packed)
{
    int at = 0, end = 0;
    for (int j = 0; j <= k; j++)
        if (is_on_stack(ir, j)) {
            int size = packed ? bytes_of(&ir->func->params[j]) : 8;
            at = (end + size - 1) / size * size;
            end = at + size;
        }
    return at;
}

static void put_stack_param(struct selector *s, int k, struct vreg *to)
{
    bool is_w = bytes_of(&s->ir->func->params[k]) == 4;
    int slot = stack_offset(s->ir, k, false);
    struct mach_operand offset = { .imm = slot, .is_incoming = true,
                                   .packed = stack_offset(s->ir, k, true) - slot };
    struct vreg *base = s->f->frame.is_variable ? vreg_fixed(s->f, CLASS_GENERAL, REG_FRAME)
                                                : vreg_sp(s->f);
    assert(param_class(s->ir, k) == CLASS_GENERAL && "no export has so many vectors");
    put(s, WX(is_w, ldr), op_reg(to), op_reg(base), offset);
}

/* -- entry -- */

static struct vreg **list_of(struct vreg *const *from, int n)
{
    struct vreg **list = NEW_ARRAY(struct vreg *, n > 0 ? n : 1);
    for (int k = 0; k < n; k++)
        list[k] = from[k];
    return list;
}

/* The register of a local function's parameter, wanted or not: it has a place. */
static struct vreg *local_param(struct selector *s, int k)
{
    if (s->param[k] == NULL) {
        s->param[k] = vreg_new(s->f, param_class(s->ir, k));
        s->param[k]->loc = s->ir->func->loc;
    }
    return s->param[k];
}

/* Parameter K comes to a register of its own. */
static void put_param(struct selector *s, int k, struct vreg *to)
{
    if (is_on_stack(s->ir, k)) {
        put_stack_param(s, k, to);
        return;
    }
    struct vreg *from = abi_param(s, k);
    from->secret |= to->secret;
    put_copy(s, to, from);
}

struct vreg *sel_param(struct selector *s, int k)
{
    if (s->param[k] == NULL && is_local(s->ir))
        return local_param(s, k);
    if (s->param[k] == NULL) {
        s->param[k] = sel_temp(s, param_class(s->ir, k), NULL);
        put_param(s, k, s->param[k]);
    }
    return s->param[k];
}

static void put_params(struct selector *s)
{
    for (const struct ir_inst *i = s->ir->blocks.at[0]->first; i != NULL; i = i->next) {
        struct vreg *to = i->op == IR_param ? sel_wanted(s, i->result[0]) : NULL;
        if (to == NULL)
            continue;
        assert(i->imm < s->param_count);
        struct vreg **at = &s->param[i->imm];
        if (*at != NULL)
            put_copy(s, to, *at);
        else if (!is_local(s->ir))
            put_param(s, (int)i->imm, to);
        *at = to;
    }
}

static void put_entry(struct selector *s)
{
    struct mach_insn *entry = put_ops(s, INSN_NONE, NULL, 0);
    struct vreg **defs = NEW_ARRAY(struct vreg *, s->param_count + 1);
    entry->defs = defs;
    put_params(s);
    for (int k = 0; k < s->param_count; k++)
        if (is_local(s->ir))
            defs[entry->def_count++] = local_param(s, k);
        else if (!is_on_stack(s->ir, k))
            defs[entry->def_count++] = abi_param(s, k);
}

/* What was lifted stays where it is until a local function returns, so that its
 * callers need not bring it again. */
static void keep_lifted(struct selector *s)
{
    int declared = s->ir->func->param_count, lifted = s->param_count - declared;
    if (!is_local(s->ir) || lifted == 0)
        return;
    for (int k = 0; k < s->f->blocks.n; k++) {
        struct mach_insn *ret = s->f->blocks.at[k]->last;
        if (ret == NULL || (row_of(ret)->flags & IS_RETURN) == 0)
            continue;
        struct vreg **uses = NEW_ARRAY(struct vreg *, ret->use_count + lifted);
        for (int j = 0; j < ret->use_count; j++)
            uses[j] = ret->uses[j];
        for (int j = 0; j < lifted; j++)
            uses[ret->use_count + j] = local_param(s, declared + j);
        ret->uses = uses;
        ret->use_count += lifted;
    }
}

static void put_table_address(struct selector *s)
{
    if (s->tables == NULL)
        return;
    struct mach_operand symbol = { .tables = s->ir->func->module };
    put(s, INSN_adrp, op_reg(s->tables), symbol);
    put(s, INSN_add_x_lo12, op_reg(s->tables), op_reg(s->tables), symbol);
}

void select_entry(struct selector *s)
{
    s->loc = s->ir->func->loc;
    s->algebra = NULL;
    put_entry(s);
    put_variable_stack(s);
    put_table_address(s);
    keep_lifted(s);
    s->f->convention.result_count = s->ir->func->result_count;
}

/* -- return -- */

static struct vreg *result_register(struct selector *s, int k)
{
    enum value_type type = s->ir->func->results[k];
    if (!is_local(s->ir))
        return vreg_fixed(s->f, class_of_type(type), (reg_number)k);
    if (s->result[k] == NULL) {
        s->result[k] = vreg_new(s->f, class_of_type(type));
        s->result[k]->loc = s->ir->func->loc;
    }
    return s->result[k];
}

void select_return(struct selector *s, const struct ir_block *b)
{
    int n = b->result_count;
    struct parallel_copy *copies = NEW_ARRAY(struct parallel_copy, n + 1);
    struct vreg **uses = NEW_ARRAY(struct vreg *, n + 1);
    for (int k = 0; k < n; k++) {
        uses[k] = result_register(s, k);
        uses[k]->secret |= is_local(s->ir) && b->results[k]->secret;
        copies[k] = (struct parallel_copy){ .to = uses[k], .from = b->results[k] };
    }
    put_parallel(s, copies, n);
    struct mach_insn *ret = put_ops(s, INSN_ret, NULL, 0);
    ret->uses = uses;
    ret->use_count = n;
}

/* -- call -- */

void select_call(struct selector *s, struct ir_inst *i)
{
    const struct convention *c = convention_of(i->callee, s->ir->variant);
    assert(c != NULL && "a callee is compiled before its callers");
    assert(c->param_count == i->arg_count);
    struct parallel_copy *copies = NEW_ARRAY(struct parallel_copy, i->arg_count + 1);
    struct vreg **uses = NEW_ARRAY(struct vreg *, i->arg_count + 1);
    struct vreg **defs = NEW_ARRAY(struct vreg *, i->result_count + 1);
    for (int k = 0; k < i->arg_count; k++) {
        uses[k] = vreg_fixed(s->f, c->param_classes[k], c->params[k]);
        uses[k]->secret |= i->args[k]->secret;
        copies[k] = (struct parallel_copy){ .to = uses[k], .from = i->args[k] };
    }
    put_parallel(s, copies, i->arg_count);
    struct mach_operand callee = { .callee = i->callee };
    struct mach_insn *call = put(s, INSN_bl, callee);
    for (int k = 0; k < i->result_count; k++)
        defs[k] = vreg_fixed(s->f, c->result_classes[k], c->results[k]);
    call->uses = list_of(uses, i->arg_count);
    call->use_count = i->arg_count;
    call->defs = list_of(defs, i->result_count);
    call->def_count = i->result_count;
    for (int class = 0; class < CLASS_COUNT; class++)
        call->clobbers[class] = c->clobbers[class];
    for (int k = 0; k < i->result_count; k++)
        if (i->results[k] != NULL && sel_wanted(s, i->results[k]) != NULL)
            put_copy(s, sel_wanted(s, i->results[k]), defs[k]);
}
