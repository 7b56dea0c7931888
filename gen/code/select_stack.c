/* select_stack.c: stack arrays whose extent is known only at run time.
 *
 * The entry block computes each extent from the parameters, rounds it up to 16
 * bytes (sp stays aligned, AAPCS64 6.4.5.1), moves sp down and keeps the address. Arrays of
 * fixed size are addressed from sp before it moves. frame.c sets x29 before all
 * this, and restores sp from it. Frames that may have a page and more are made
 * in the same way, whatever their extents are: Windows commits stack pages one
 * at a time, and has __chkstk touch them in order ("Prolog and epilog": x15 is
 * the size / 16, and is kept; x16, x17 and the flags are not).
 */
#include "code/select.h"

#include "code/passes.h"

#include <assert.h>

/* SMALL_STACK leaves room in a page for all saved registers: x19 to x30, d8 to
 * d15. STACK_LIMIT / 16 fits a movz. */
enum { SMALL_STACK = 4096 - 8 * (12 + 8) - 16, STACK_LIMIT = 65535 * 16 };

/* -- what an extent can be at most -- */

static uint64_t upper_sum(uint64_t a, uint64_t b) { return a + b < a ? UINT64_MAX : a + b; }

static uint64_t upper_product(uint64_t a, uint64_t b)
{
    return b != 0 && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static const struct param *param_of(const struct selector *s, const struct var *v, int *k)
{
    for (*k = 0; *k < s->ir->func->param_count; ++*k)
        if (s->ir->func->params[*k].var == v)
            return &s->ir->func->params[*k];
    return NULL;
}

static uint64_t upper_bound(const struct selector *s, const struct expr *e)
{
    int k;
    switch (e->kind) {
    case E_CONST: return e->value[0];
    case E_CONVERT: return upper_bound(s, e->a);
    case E_VAR: {
        const struct param *p = param_of(s, e->var, &k);
        return p == NULL || p->set.n == 0 ? UINT64_MAX : p->set.at[p->set.n - 1].hi;
    }
    case E_BINARY: {
        uint64_t a = upper_bound(s, e->a), b = upper_bound(s, e->b);
        bool by_constant = e->b->kind == E_CONST && b != 0;
        switch (e->op) {
        case BIN_ADD: return upper_sum(a, b);
        case BIN_MUL: return upper_product(a, b);
        case BIN_DIV: return by_constant ? a / b : a;
        case BIN_MOD: return by_constant ? b - 1 : a;
        case BIN_SUB:
            return e->b->kind == E_CONST && a >= b && a != UINT64_MAX ? a - b : UINT64_MAX;
        case BIN_SHL: return b < 32 ? upper_product(a, 1ull << b) : UINT64_MAX;
        case BIN_SHR: return by_constant && b < 64 ? a >> b : a;
        case BIN_AND: return a < b ? a : b;
        default: return UINT64_MAX;
        }
    }
    default: return UINT64_MAX;
    }
}

/* -- the extent as code -- */

static struct vreg *put_extent(struct selector *s, const struct expr *e);

static struct vreg *put_extent_binary(struct selector *s, const struct expr *e)
{
    struct vreg *a = put_extent(s, e->a), *to = sel_temp(s, CLASS_GENERAL, NULL);
    bool constant = e->b->kind == E_CONST;
    uint64_t n = e->b->value[0];
    bool power = constant && n != 0 && (n & (n - 1)) == 0;
    int64_t log2 = power ? __builtin_ctzll(n) : 0;
    if (constant && (e->op == BIN_ADD || e->op == BIN_SUB))
        put_add_imm(s, to, a, e->op == BIN_ADD ? (int64_t)n : -(int64_t)n);
    else if (power && (e->op == BIN_MUL || e->op == BIN_DIV))
        put(s, e->op == BIN_MUL ? INSN_lsl_x_imm : INSN_lsr_x_imm, op_reg(to), op_reg(a),
            op_imm(log2));
    else if (power && e->op == BIN_MOD && n > 1)
        put(s, INSN_and_x_imm, op_reg(to), op_reg(a), op_imm((int64_t)(n - 1)));
    else {
        static const struct { enum op op; enum insn insn; } rows[] = {
            { BIN_ADD, INSN_add_x }, { BIN_SUB, INSN_sub_x }, { BIN_MUL, INSN_mul_x },
            { BIN_DIV, INSN_udiv_x }, { BIN_AND, INSN_and_x }, { BIN_SHL, INSN_lsl_x },
            { BIN_SHR, INSN_lsr_x },
        };
        struct vreg *b = put_extent(s, e->b);
        for (int k = 0; k < COUNT(rows); k++)
            if (rows[k].op == e->op)
                put(s, rows[k].insn, op_reg(to), op_reg(a), op_reg(b));
    }
    return to;
}

static struct vreg *put_extent(struct selector *s, const struct expr *e)
{
    int k;
    struct vreg *to;
    switch (e->kind) {
    case E_CONST:
        to = sel_temp(s, CLASS_GENERAL, NULL);
        put_const_general(s, to, e->value[0], false);
        return to;
    case E_VAR:
        param_of(s, e->var, &k);
        assert(s->param[k] != NULL);
        return s->param[k];
    case E_CONVERT:
        to = sel_temp(s, CLASS_GENERAL, NULL);
        if (!type_is_w(e->a->type))
            return put_extent(s, e->a);
        put(s, INSN_mov_w, op_reg(to), op_reg(put_extent(s, e->a)));
        return to;
    default:
        assert(e->kind == E_BINARY);
        return put_extent_binary(s, e);
    }
}

/* -- the frame -- */

struct mach_insn *probe_stack(struct mach_func *f, struct mach_insn *call)
{
    struct vreg **x15 = NEW_ARRAY(struct vreg *, 1);
    call->op[0].symbol = "__chkstk";
    x15[0] = vreg_fixed(f, CLASS_GENERAL, 15);
    call->uses = call->defs = x15;
    call->use_count = call->def_count = 1;
    call->clobbers[CLASS_GENERAL] = 1u << 16 | 1u << 17 | 1u << REG_LINK;
    call->probes_stack = true;
    return call;
}

bool stack_is_supported(struct selector *s)
{
    struct frame *frame = &s->f->frame;
    uint64_t all = 0;
    for (int k = 0; k < s->ir->func->objects.n; k++) {
        const struct object *o = s->ir->func->objects.at[k];
        if (o->kind != OBJECT_STACK)
            continue;
        all = upper_sum(all, upper_sum(upper_bound(s, o->extent), 15));
        frame->is_large = all > SMALL_STACK;
        frame->is_variable |= frame->is_large || o->extent->kind != E_CONST;
        /* A subroutine's parameters may be in what __chkstk changes. */
        int limit = s->ir->func->kind == FN_LOCAL ? SMALL_STACK : STACK_LIMIT;
        if (all > (uint64_t)limit) {
            error_at(o->loc, RULE_UNSUPPORTED,
                     "stack arrays that may have more than %d bytes together%s", limit,
                     s->ir->func->kind == FN_LOCAL ? " in a 'local fn'" : "");
            return false;
        }
    }
    return true;
}

static void put_variable_object(struct selector *s, struct object *o, struct vreg *to)
{
    struct vreg *sp = vreg_sp(s->f), *bytes = put_extent(s, o->extent);
    struct vreg *rounded = sel_temp(s, CLASS_GENERAL, NULL);
    struct vreg *x15 = vreg_fixed(s->f, CLASS_GENERAL, 15);
    put(s, INSN_add_x_imm, op_reg(rounded), op_reg(bytes), op_imm(15));
    if (s->f->frame.is_large) {
        put(s, INSN_lsr_x_imm, op_reg(x15), op_reg(rounded), op_imm(4));
        probe_stack(s->f, put(s, INSN_bl, op_label(NULL)));
        put(s, INSN_sub_x_uxtx, op_reg(sp), op_reg(sp), op_reg(x15), op_imm(4));
    } else {
        put(s, INSN_and_x_imm, op_reg(rounded), op_reg(rounded), op_imm(-16));
        put(s, INSN_sub_x_uxtx, op_reg(sp), op_reg(sp), op_reg(rounded), op_imm(0));
    }
    put(s, INSN_mov_x_sp, op_reg(to), op_reg(sp));
}

/* Values of IR_stack for object K, wherever they stand, share its address. */
static void put_object_addresses(struct selector *s, int k, bool variable, int64_t offset)
{
    struct object *o = s->ir->func->objects.at[k];
    struct vreg *address = NULL;
    if (o->kind != OBJECT_STACK || (o->extent->kind != E_CONST) != variable)
        return;
    for (int b = 0; b < s->ir->blocks.n; b++)
        for (const struct ir_inst *i = s->ir->blocks.at[b]->first; i != NULL; i = i->next) {
            struct vreg *to = i->op == IR_stack && i->imm == k ? sel_wanted(s, i->result[0]) : NULL;
            if (to == NULL)
                continue;
            if (address != NULL)
                put_copy(s, to, address);
            else if (variable)
                put_variable_object(s, o, to);
            else
                put_add_imm(s, to, vreg_sp(s->f), offset);
            address = address != NULL ? address : to;
        }
}

void put_variable_stack(struct selector *s)
{
    if (!s->f->frame.is_variable)
        return;
    int n = s->ir->func->objects.n;
    int64_t *offset = NEW_ARRAY(int64_t, n + 1);
    lay_out_fixed_arrays(s->ir->func, offset);
    for (int k = 0; k < n; k++)
        put_object_addresses(s, k, false, offset[k]);
    for (int k = 0; k < n; k++)
        put_object_addresses(s, k, true, 0);
}
