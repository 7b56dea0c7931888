/* number.c: value numbering over the dominator tree.
 *
 * Takes any IR; a computation that a dominating block has made already is
 * replaced by its result. Loads take part: of memory that is never written
 * (tables, inputs) like any computation; of other memory within a block, as
 * long as no store may have touched it, and a load gets what a store left.
 *
 * Writers of flags are left alone: merging two would let a flag live across
 * another. Calls end what is known about memory that can be written.
 */
#include <assert.h>
#include <string.h>

#include "ir/pass.h"

struct entry { struct ir_inst *inst; struct entry *next; uint32_t hash; };

/* What memory is known to hold, within one block. */
struct known_memory { struct ir_value *address; int64_t imm; struct mem_ref mem; struct ir_value *value; };

struct numbering {
    struct ir_func *f;
    struct flow flow;
    struct constant_memory constant;
    struct entry **buckets;
    int bucket_count;
    VEC(struct entry) entries;          /* never more than its capacity: at most one a value */
    VEC(struct known_memory) memory;
    bool changed;
};

static bool is_constant_memory(const struct numbering *n, const struct ir_inst *i)
{
    return i->op == IR_load && i->mem.object && ir_is_constant(&n->constant, i->mem.object);
}

static bool takes_part(const struct numbering *n, const struct ir_inst *i)
{
    if (i->op == IR_load)
        return is_constant_memory(n, i);
    return ir_ops[i->op].effect == EFFECT_PURE && !ir_writes_flags(i->op);
}

static int ordered_arg(const struct ir_inst *i, int k)
{
    if (k < 2 && ir_commutes(i->op)) {
        int a = i->args[0]->id, b = i->args[1]->id;
        return (a < b) == (k == 0) ? a : b;
    }
    return i->args[k]->id;
}

static uint32_t hash(const struct ir_inst *i)
{
    uint64_t h = (uint64_t)i->op * 31 + i->type;

    h = h * 0x9e3779b97f4a7c15U + (uint64_t)i->imm;
    h = h * 0x9e3779b97f4a7c15U + i->value[0] + i->value[1] * 3 + i->insn;
    for (int k = 0; k < i->arg_count; k++)
        h = h * 0x9e3779b97f4a7c15U + (uint64_t)ordered_arg(i, k) + 1;
    return (uint32_t)(h * 0x9e3779b97f4a7c15U >> 32);
}

static bool same_computation(const struct ir_inst *a, const struct ir_inst *b)
{
    if (a->op != b->op || a->type != b->type || a->imm != b->imm || a->insn != b->insn ||
        a->value[0] != b->value[0] || a->value[1] != b->value[1] || a->arg_count != b->arg_count)
        return false;
    if (a->op == IR_load && (a->mem.type != b->mem.type || a->mem.object != b->mem.object))
        return false;
    for (int k = 0; k < a->arg_count; k++)
        if (ordered_arg(a, k) != ordered_arg(b, k))
            return false;
    return true;
}

/* The same computation in a dominating place, or NULL after I was entered. */
static struct ir_inst *find(struct numbering *n, struct ir_inst *i)
{
    const uint32_t h = hash(i);
    struct entry **bucket = &n->buckets[h % (uint32_t)n->bucket_count];

    for (struct entry *e = *bucket; e; e = e->next)
        if (e->hash == h && same_computation(e->inst, i) &&
            ir_dominates(&n->flow, e->inst->block, i->block))
            return e->inst;
    assert(n->entries.n < n->entries.cap);
    struct entry *e = vec_add(&n->entries);
    *e = (struct entry){ i, *bucket, h };
    *bucket = e;
    return NULL;
}

/* -- memory within a block -- */

static bool fills_value(const struct ir_inst *i)
{
    return type_bytes(i->mem.type) == type_bytes(i->type);
}

static void forget(struct numbering *n, const struct ir_inst *store)
{
    int kept = 0;

    for (int k = 0; k < n->memory.n; k++) {
        const struct known_memory *m = &n->memory.at[k];
        bool dies = store->op == IR_call ? m->mem.object->kind != OBJECT_TABLE
                                         : ir_may_alias(n->f->func, &m->mem, &store->mem);
        if (!dies)
            n->memory.at[kept++] = *m;
    }
    n->memory.n = kept;
}

static void remember(struct numbering *n, const struct ir_inst *i, struct ir_value *value)
{
    if (fills_value(i))
        *vec_add(&n->memory) = (struct known_memory){ i->args[0], i->imm, i->mem, value };
}

static bool recall(struct numbering *n, struct ir_inst *load)
{
    for (int k = 0; k < n->memory.n; k++) {
        const struct known_memory *m = &n->memory.at[k];
        if (m->address == load->args[0] && m->imm == load->imm && m->mem.object == load->mem.object &&
            m->mem.type == load->mem.type && m->value->type == load->type) {
            ir_replace(load->result[0], m->value);
            return true;
        }
    }
    return false;
}

static void number_inst(struct numbering *n, struct ir_inst *i)
{
    struct ir_inst *same;

    for (int k = 0; k < i->arg_count; k++)
        i->args[k] = ir_resolve(i->args[k]);
    if (takes_part(n, i)) {
        if ((same = find(n, i)) != NULL) {
            ir_replace(i->result[0], same->result[0]);
            n->changed = true;
        }
    } else if (i->op == IR_load) {
        if (recall(n, i))
            n->changed = true;
        else
            remember(n, i, i->result[0]);
    } else if (i->op == IR_store) {
        forget(n, i);
        remember(n, i, i->args[1]);
    } else if (i->op == IR_call) {
        forget(n, i);
    }
}

bool ir_number(struct ir_func *f)
{
    struct numbering n = { .f = f, .flow = ir_flow(f), .bucket_count = f->values.n + 1 };

    n.constant = ir_constant_memory(f);
    n.buckets = NEW_ARRAY(struct entry *, n.bucket_count);
    n.entries.cap = f->values.n + 1;
    n.entries.at = NEW_ARRAY(struct entry, n.entries.cap);
    /* Reverse post-order visits a dominator before what it dominates. */
    for (int k = 0; k < n.flow.n; k++) {
        n.memory.n = 0;
        for (struct ir_inst *i = n.flow.order[k]->first; i; i = i->next)
            if (!i->result[0] || !i->result[0]->stands_for)
                number_inst(&n, i);
    }
    if (n.changed)
        ir_settle(f);
    return n.changed;
}
