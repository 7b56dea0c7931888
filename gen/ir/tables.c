/* tables.c: one base address for all tables of a function.
 *
 * Takes IR with an IR_table per table; gives one IR_table of offset 0 where it
 * dominates every use, and the others as base + constant, which loads fold into
 * their offset. An address is formed once by adrp and add without an addend: an
 * addend may be out of range on some object formats.
 */
#include <assert.h>

#include "ir/pass.h"

struct table_uses { VEC(struct ir_inst *) at; struct ir_block *top; };

static struct table_uses find_tables(struct ir_func *f, const struct flow *w)
{
    struct table_uses t = { 0 };

    for (int k = 0; k < f->blocks.n; k++) {
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            if (i->op != IR_table)
                continue;
            vec_push(&t.at, i);
            t.top = t.top ? ir_common_dominator(w, t.top, i->block) : i->block;
        }
    }
    return t;
}

static struct ir_value *place_base(struct ir_func *f, const struct table_uses *t)
{
    struct ir_inst *base = ir_new_inst(f, IR_table, TYPE_ADDR, 0, t->at.at[0]->loc);
    struct ir_inst *first = t->top->first;

    base->result[0]->name = "tables";
    while (first && first->op != IR_table)
        first = first->next;
    if (first)
        ir_insert_before(first, base);
    else
        ir_append(t->top, base);
    return base->result[0];
}

static void use_base(struct ir_func *f, struct ir_inst *table, struct ir_value *base)
{
    struct ir_inst *offset, *sum;

    if (table->imm == 0) {
        table->result[0]->name = "";
        ir_replace(table->result[0], base);
        return;
    }
    offset = ir_new_inst(f, IR_const, TYPE_U64, 0, table->loc);
    offset->value[0] = (uint64_t)table->imm;
    ir_insert_before(table, offset);
    sum = ir_new_inst(f, IR_add, TYPE_ADDR, 2, table->loc);
    sum->args[0] = base;
    sum->args[1] = offset->result[0];
    ir_insert_before(table, sum);
    ir_replace(table->result[0], sum->result[0]);
}

/* Is V base + *c? */
static bool is_table_address(const struct ir_value *v, const struct ir_value *base, uint64_t *c)
{
    return v->def && v->def->op == IR_add && v->def->args[0] == base && ir_const_of(v->def->args[1], c);
}

static void add_to_constant(struct ir_func *f, struct ir_inst *sum, uint64_t c)
{
    struct ir_inst *offset = ir_new_inst(f, IR_const, TYPE_U64, 0, sum->loc);
    offset->value[0] = sum->args[1]->def->value[0] + c;
    ir_insert_before(sum, offset);
    sum->args[1] = offset->result[0];
}

/* Loads of fixed entries, and sums with a constant, start from the base. */
static void use_offsets(struct ir_func *f, struct ir_value *base)
{
    uint64_t c, d;

    for (int k = 0; k < f->blocks.n; k++) {
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            if (i->arg_count == 0 || !is_table_address(i->args[0], base, &c))
                continue;
            if (i->op == IR_load)
                i->imm += (int64_t)c;
            else if (i->op == IR_add && ir_const_of(i->args[1], &d))
                add_to_constant(f, i, c);
            else
                continue;
            i->args[0] = base;
        }
    }
}

void ir_place_tables(struct ir_func *f)
{
    struct flow w = ir_flow(f);
    struct table_uses t = find_tables(f, &w);
    struct ir_value *base;

    if (t.at.n == 0)
        return;
    base = place_base(f, &t);
    for (int k = 0; k < t.at.n; k++)
        use_base(f, t.at.at[k], base);
    ir_settle(f);
    use_offsets(f, base);
    (void)ir_remove_dead(f);
}
