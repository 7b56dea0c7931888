/* print.c: the IR as stable text, for --dump=ir and tests.
 *
 *   func bn_add_words
 *   b0:
 *       v0:address = param 0                    // r
 *       ...
 *       branch ne v5, v6 -> b1, b2(v7)
 *   b1(v8:address r, v9:carry c):               // loop, depth 1
 */
#include <inttypes.h>

#include "ir/pass.h"

static const char *const cond_names_ir[] = {
    [IR_EQ] = "eq", [IR_NE] = "ne", [IR_ULT] = "ult", [IR_ULE] = "ule", [IR_UGT] = "ugt",
    [IR_UGE] = "uge", [IR_SLT] = "slt", [IR_SLE] = "sle", [IR_SGT] = "sgt", [IR_SGE] = "sge",
    [IR_BIT_SET] = "bit-set", [IR_BIT_CLEAR] = "bit-clear",
};

static void print_values(struct text *t, struct ir_value *const *v, int n)
{
    for (int k = 0; k < n; k++)
        text_format(t, "%sv%d", k ? ", " : "", v[k]->id);
}

static void print_const(struct text *t, const struct ir_inst *i)
{
    if (value_types[i->type].bits == 128)
        text_format(t, " 0x%016" PRIx64 "%016" PRIx64, i->value[1], i->value[0]);
    else
        text_format(t, " 0x%" PRIx64, i->value[0]);
}

static void print_memory(struct text *t, const struct ir_inst *i)
{
    text_format(t, " [v%d + %" PRId64 "] %s %s", i->args[0]->id, i->imm, value_types[i->mem.type].name,
                i->mem.object ? i->mem.object->name : "?");
    if (i->mem.key)
        text_format(t, " key %d%+" PRId64, i->mem.key, i->mem.disp);
    if (i->op == IR_store)
        text_format(t, " = v%d", i->args[1]->id);
}

static void print_operands(struct text *t, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_const:
        print_const(t, i);
        return;
    case IR_param: case IR_table: case IR_stack: case IR_flag:
        text_format(t, " %" PRId64, i->imm);
        return;
    case IR_load: case IR_store:
        print_memory(t, i);
        return;
    case IR_insn:
        text_format(t, " %s ", insns[i->insn].name);
        break;
    case IR_call:
        text_format(t, " %s ", i->callee->name);
        break;
    default:
        text_add(t, " ");
    }
    print_values(t, i->args, i->arg_count);
    if (i->op == IR_lane || i->imm != 0)
        text_format(t, " #%" PRId64, i->imm);
}

static void print_inst(struct text *t, const struct ir_inst *i)
{
    const char *name = ir_result_count(i) > 0 ? ir_result(i, 0)->name : "";

    text_add(t, "    ");
    for (int k = 0; k < ir_result_count(i); k++)
        text_format(t, "%sv%d:%s", k ? ", " : "", ir_result(i, k)->id,
                    value_types[ir_result(i, k)->type].name);
    text_format(t, "%s%s", ir_result_count(i) > 0 ? " = " : "", ir_ops[i->op].name);
    print_operands(t, i);
    if (*name) {
        text_column(t, 56);
        text_format(t, "// %s", name);
    }
    text_add(t, "\n");
}

static void print_edge(struct text *t, const struct ir_edge *e)
{
    text_format(t, "b%d", e->to->id);
    if (e->to->param_count > 0) {
        text_add(t, "(");
        print_values(t, e->args, e->to->param_count);
        text_add(t, ")");
    }
}

static void print_end(struct text *t, const struct ir_block *b)
{
    switch (b->term) {
    case IR_JUMP:
        text_add(t, "    jump ");
        print_edge(t, &b->edge[0]);
        break;
    case IR_BRANCH:
        text_format(t, "    branch %s v%d, v%d -> ", cond_names_ir[b->cond], b->a->id, b->b->id);
        print_edge(t, &b->edge[0]);
        text_add(t, ", ");
        print_edge(t, &b->edge[1]);
        break;
    case IR_RETURN:
        text_add(t, b->result_count > 0 ? "    return " : "    return");
        print_values(t, b->results, b->result_count);
        break;
    }
    text_add(t, "\n");
}

void ir_print(struct text *out, const struct ir_func *f)
{
    text_format(out, "func %s%s%s\n", f->func->name, f->variant && *f->variant->name ? " variant " : "",
                f->variant ? f->variant->name : "");
    for (int k = 0; k < f->blocks.n; k++) {
        const struct ir_block *b = f->blocks.at[k];
        text_format(out, "b%d", b->id);
        for (int p = 0; p < b->param_count; p++)
            text_format(out, "%sv%d:%s%s%s", p ? ", " : "(", b->params[p]->id,
                        value_types[b->params[p]->type].name, *b->params[p]->name ? " " : "",
                        b->params[p]->name);
        text_add(out, b->param_count > 0 ? "):" : ":");
        if (b->loop_depth > 0) {
            text_column(out, 56);
            text_format(out, "// %s depth %d", b->loop == b ? "loop," : "in loop,", b->loop_depth);
        }
        text_add(out, "\n");
        for (const struct ir_inst *i = b->first; i; i = i->next)
            print_inst(out, i);
        print_end(out, b);
    }
}
