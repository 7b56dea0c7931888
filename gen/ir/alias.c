/* alias.c: which accesses may touch the same bytes.
 *
 * By docs/design.md 1.6 distinct array parameters do not overlap, but an `out` may
 * be exactly the same array as an `in`. So two accesses conflict only when
 * their objects may be the same and their offsets meet: with one key, exactly
 * when their constant parts meet; otherwise they may.
 *
 * Also gives keys to the accesses that shape/ left alone: by the value that is
 * added to the base, so that t[n] and t[n + 1] are told apart.
 */
#include <assert.h>

#include "ir/pass.h"
#include "shape/shape.h"

bool ir_may_alias(const struct func *f, const struct mem_ref *a, const struct mem_ref *b)
{
    if (!a->object || !b->object)
        return true;
    if (!objects_may_be_same(f, a->object, b->object))
        return false;
    if (a->key == KEY_UNKNOWN || a->key != b->key)
        return true;
    return a->disp < b->disp + type_bytes(b->type) && b->disp < a->disp + type_bytes(a->type);
}

/* -- memory that nothing writes -- */

static bool may_be_out(const struct func *f, const struct object *o)
{
    for (int k = 0; k < f->objects.n; k++) {
        const struct object *other = f->objects.at[k];
        if (other->kind == OBJECT_PARAM && other->direction != DIR_IN &&
            objects_may_be_same(f, o, other))
            return true;
    }
    return false;
}

static void forget_stored(struct constant_memory *m, const struct object *stored)
{
    for (int k = 0; k < m->f->objects.n; k++)
        if (objects_may_be_same(m->f, m->f->objects.at[k], stored))
            m->constant[k] = false;
}

struct constant_memory ir_constant_memory(const struct ir_func *f)
{
    struct constant_memory m = { f->func, NEW_ARRAY(bool, f->func->objects.n + 1) };
    bool calls = false;

    for (int k = 0; k < f->func->objects.n; k++)
        m.constant[k] = f->func->objects.at[k]->kind == OBJECT_PARAM;
    for (int k = 0; k < f->blocks.n; k++) {
        for (const struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            if (i->op == IR_store)
                forget_stored(&m, i->mem.object);
            calls |= i->op == IR_call;
        }
    }
    /* A callee writes only arrays that were passed to it as `out`. */
    for (int k = 0; calls && k < f->func->objects.n; k++)
        if (may_be_out(f->func, f->func->objects.at[k]))
            m.constant[k] = false;
    return m;
}

bool ir_is_constant(const struct constant_memory *m, const struct object *o)
{
    return o->kind == OBJECT_TABLE || m->constant[o->id];
}

/* -- keys -- */

struct key_row { const struct ir_value *variable; int key; };
struct key_table { VEC(struct key_row) rows; int next; };

static int key_of(struct key_table *t, const struct ir_value *variable)
{
    for (int k = 0; k < t->rows.n; k++)
        if (t->rows.at[k].variable == variable)
            return t->rows.at[k].key;
    struct key_row *row = vec_add(&t->rows);
    *row = (struct key_row){ variable, t->next++ };
    return row->key;
}

static bool is_base(const struct ir_value *v)
{
    return v->def && (v->def->op == IR_param || v->def->op == IR_stack || v->def->op == IR_table);
}

/* The address without its object's base: NULL for the base itself. */
static bool variable_part(const struct ir_value *address, const struct ir_value **variable)
{
    *variable = NULL;
    if (is_base(address))
        return true;
    if (!address->def || address->def->op != IR_add)
        return false;
    for (int k = 0; k < 2; k++) {
        if (is_base(address->def->args[k]) && address->def->args[k]->type == TYPE_ADDR) {
            *variable = address->def->args[!k];
            return true;
        }
    }
    return false;
}

void ir_find_keys(struct ir_func *f)
{
    struct key_table t = { .next = KEY_CONSTANT + 1 };

    for (int k = 0; k < f->blocks.n; k++)
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next)
            if ((i->op == IR_load || i->op == IR_store) && i->mem.key >= t.next)
                t.next = i->mem.key + 1;
    for (int k = 0; k < f->blocks.n; k++) {
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            const struct ir_value *variable;
            if ((i->op != IR_load && i->op != IR_store) || i->mem.key != KEY_UNKNOWN ||
                !variable_part(i->args[0], &variable))
                continue;
            i->mem.key = variable ? key_of(&t, variable) : KEY_CONSTANT;
            i->mem.disp = i->imm;
        }
    }
}
