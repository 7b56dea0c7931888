/* lift.c: let the callers of a local function hold its constants.
 *
 * Takes finished IR of a local function; entries of tables and vector constants
 * that it reads become parameters (ir_func.lifted), so that a caller that calls
 * it in a loop keeps them in registers all the time. Only as many as leave the
 * function itself, and its callers, room: the most used ones first.
 */
#include <stdlib.h>

#include "ir/pass.h"

/* LIFTED: so many that a caller still has registers of its own. RESERVE: of
 * the 32, what stays free at the worst place of the function. */
enum { LIFTED_LIMIT = 16, VECTOR_REGISTERS = 32, RESERVE = 6 };

struct wanted { struct ir_inst *inst; int uses, order; };

static bool can_be_lifted(const struct ir_inst *i)
{
    if (!type_is_vector(i->type))
        return false;
    if (i->op == IR_const)
        return true;
    return i->op == IR_load && i->mem.object && i->mem.object->kind == OBJECT_TABLE &&
           i->args[0]->def && i->args[0]->def->op == IR_table;
}

static int more_used_first(const void *x, const void *y)
{
    const struct wanted *a = x, *b = y;
    return a->uses != b->uses ? b->uses - a->uses : a->order - b->order;
}

static int room_for(const struct ir_func *f, const uint8_t *candidates)
{
    struct liveness l = ir_liveness(f);
    struct pressure peak = { 0, 0 };

    for (int k = 0; k < f->blocks.n; k++)
        ir_peak_pressure(f, &l, f->blocks.at[k], candidates, &peak);
    int room = VECTOR_REGISTERS - RESERVE - peak.vectors;
    return room < LIFTED_LIMIT ? room : LIFTED_LIMIT;
}

static bool same_wish(const struct ir_inst *a, const struct ir_inst *b)
{
    return a->op == b->op && a->type == b->type && a->imm == b->imm && a->mem.object == b->mem.object &&
           a->value[0] == b->value[0] && a->value[1] == b->value[1];
}

/* What a caller shall pass for I. */
static struct ir_inst *wish_for(const struct ir_inst *i)
{
    struct ir_inst *w = NEW(struct ir_inst);

    *w = *i;
    if (i->op == IR_load)
        w->imm += i->args[0]->def->imm - (int64_t)i->mem.object->table_offset;
    return w;
}

/* The IR_param that takes the place of I. */
static void make_param(struct ir_func *f, struct ir_inst *i, struct ir_value **params)
{
    struct ir_inst *wanted = wish_for(i), *first = f->blocks.at[0]->first, *p;

    for (int k = 0; k < f->lifted.n; k++) {
        if (same_wish(f->lifted.at[k], wanted)) {
            ir_replace(i->result[0], params[k]);
            return;
        }
    }
    p = ir_new_inst(f, IR_param, i->type, 0, i->loc);
    params[f->lifted.n] = p->result[0];
    p->imm = f->func->param_count + f->lifted.n;
    p->result[0]->name = i->result[0]->name;
    vec_push(&f->lifted, wanted);
    while (first && first->op == IR_param)
        first = first->next;
    if (first)
        ir_insert_before(first, p);
    else
        ir_append(f->blocks.at[0], p);
    ir_replace(i->result[0], p->result[0]);
}

void ir_lift(struct ir_func *f)
{
    VEC(struct wanted) found = { 0 };
    uint8_t *candidates = NEW_ARRAY(uint8_t, f->values.n + 1);
    int *uses = ir_use_counts(f), room;
    struct ir_value **params;

    for (int k = 0; k < f->blocks.n; k++) {
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            if (!can_be_lifted(i))
                continue;
            candidates[i->result[0]->id] = 1;
            *vec_add(&found) = (struct wanted){ i, uses[i->result[0]->id], found.n };
        }
    }
    if (found.n == 0)
        return;
    room = room_for(f, candidates);
    sort_array(found.at, found.n, sizeof *found.at, more_used_first);
    params = NEW_ARRAY(struct ir_value *, found.n);
    for (int k = 0; k < found.n && f->lifted.n < room; k++)
        make_param(f, found.at[k].inst, params);
    ir_settle(f);
    (void)ir_remove_dead(f);
}
