/* reassoc.c: shorten chains of XOR.
 *
 * Takes simplified IR; a tree of XORs whose inner results are used only by the
 * tree is built again from its leaves, always joining the two that are ready
 * first, when the last result is then ready earlier; into one chain where two
 * XORs are one eor3. Equal leaves cancel. The
 * number of operations never grows. Carry arithmetic is never touched, and of
 * the other operations that the language lets us re-associate only XOR occurs
 * in chains that matter.
 *
 * When a value is ready is a rough count of cycles from the start of its
 * block, the same for every core: it only has to tell early from late.
 */
#include <assert.h>

#include "ir/pass.h"

enum { LEAF_LIMIT = 64 };
enum { CYCLES_LOGIC = 1, CYCLES_LOAD = 4, CYCLES_MACHINE = 2, CYCLES_MUL = 4, CYCLES_LAST = 8 };

struct balancing {
    struct ir_func *f;
    int *uses;                  /* by value id, as the pass began */
    int *ready;                 /* by value id */
    uint8_t *inner;             /* by value id: an XOR that another one of its tree reads */
    uint8_t *whole;             /* by value id: an XOR that stays what it is */
    int known;                  /* values that have entries */
};

struct leaf { struct ir_value *value; int ready; };
struct leaves { struct leaf at[LEAF_LIMIT]; int n; bool overflow; };

static int cycles(const struct ir_inst *i)
{
    switch (i->op) {
    case IR_load: return CYCLES_LOAD;
    case IR_mul: case IR_mulhigh: return CYCLES_MUL;
    case IR_insn: return CYCLES_MACHINE;
    case IR_const: case IR_param: case IR_table: case IR_stack: case IR_bits: return 0;
    default: return CYCLES_LOGIC;
    }
}

static int ready_of(const struct balancing *w, const struct ir_value *v, const struct ir_block *b)
{
    const struct ir_block *home = v->def ? v->def->block : v->block;
    return home == b && v->id < w->known ? w->ready[v->id] : 0;
}

static void find_ready(struct balancing *w, const struct ir_inst *i)
{
    int latest = 0;

    for (int k = 0; k < i->arg_count; k++) {
        int r = ready_of(w, i->args[k], i->block);
        latest = r > latest ? r : latest;
    }
    for (int k = 0; k < ir_result_count(i); k++)
        if (ir_result(i, k)->id < w->known)
            w->ready[ir_result(i, k)->id] = latest + cycles(i);
}

/* An operand that belongs to the tree of I rather than being a leaf. */
static bool is_inner(const struct balancing *w, const struct ir_value *v, const struct ir_inst *i)
{
    return v->def && v->def->op == IR_xor && v->def->block == i->block && v->type == i->type &&
           v->id < w->known && w->uses[v->id] == 1 && !w->whole[v->id];
}

/* x ^ k beside aese(x, k) stays, and stays in front of it: later, x or k would
 * have to be kept from the instruction, by a copy. */
static void keep_whole(struct balancing *w, const struct ir_block *b)
{
    for (const struct ir_inst *i = b->first; i; i = i->next) {
        if (!ir_is_aes_step(i))
            continue;
        for (const struct ir_inst *x = b->first; x != i; x = x->next)
            if (x->op == IR_xor && ((x->args[0] == i->args[0] && x->args[1] == i->args[1]) ||
                                    (x->args[0] == i->args[1] && x->args[1] == i->args[0])))
                w->whole[x->result[0]->id] = 1;
    }
}

static void add_leaf(struct leaves *l, struct ir_value *v, int ready)
{
    for (int k = 0; k < l->n; k++) {
        if (l->at[k].value != v)
            continue;
        l->at[k] = l->at[--l->n];       /* x ^ x */
        return;
    }
    if (l->n == LEAF_LIMIT)
        l->overflow = true;
    else
        l->at[l->n++] = (struct leaf){ v, ready };
}

/* x & ~y is one bcax together with the XOR of all else. */
static bool joins_last(const struct balancing *w, const struct ir_value *v)
{
    const struct variant *variant = w->f->variant;
    if (!variant || !(variant->fuse & FUSE_BCAX) || !v->def || v->def->op != IR_and)
        return false;
    const struct ir_inst *x = v->def->args[0]->def, *y = v->def->args[1]->def;
    return (x && x->op == IR_not) || (y && y->op == IR_not);
}

static void collect_leaves(const struct balancing *w, const struct ir_inst *i, struct leaves *l)
{
    for (int k = 0; k < 2; k++) {
        struct ir_value *v = i->args[k];
        if (is_inner(w, v, i))
            collect_leaves(w, v->def, l);
        else
            add_leaf(l, v, ready_of(w, v, i->block) + (joins_last(w, v) ? CYCLES_LAST : 0));
    }
}

/* Takes the leaf that is ready first; of equals the one defined first. */
static struct leaf take_first(struct leaves *l)
{
    int first = 0;

    for (int k = 1; k < l->n; k++)
        if (l->at[k].ready < l->at[first].ready ||
            (l->at[k].ready == l->at[first].ready && l->at[k].value->id < l->at[first].value->id))
            first = k;
    struct leaf taken = l->at[first];
    l->at[first] = l->at[--l->n];
    return taken;
}

static int best_ready(struct leaves l)
{
    while (l.n > 1) {
        struct leaf a = take_first(&l), b = take_first(&l);
        l.at[l.n++] = (struct leaf){ b.value, b.ready + CYCLES_LOGIC };
        (void)a;
    }
    return l.n == 1 ? l.at[0].ready : 0;
}

static struct ir_value *build(struct balancing *w, struct ir_inst *root, struct leaves *l)
{
    while (l->n > 1) {
        struct leaf a = take_first(l), b = take_first(l);
        struct ir_inst *x = ir_new_inst(w->f, IR_xor, root->type, 2, root->loc);
        x->args[0] = a.value;
        x->args[1] = b.value;
        if (l->n == 0)
            x->algebra = root->algebra;
        ir_insert_before(root, x);
        l->at[l->n++] = (struct leaf){ x->result[0], b.ready + CYCLES_LOGIC };
    }
    return l->at[0].value;
}

/* One after the other, so that pairs of XORs are eor3 whatever their number. */
static struct ir_value *build_chain(struct balancing *w, struct ir_inst *root, struct leaves *l)
{
    struct ir_value *sum = take_first(l).value;

    while (l->n > 0) {
        struct ir_inst *x = ir_new_inst(w->f, IR_xor, root->type, 2, root->loc);
        x->args[0] = sum;
        x->args[1] = take_first(l).value;
        if (l->n == 0)
            x->algebra = root->algebra;
        ir_insert_before(root, x);
        sum = x->result[0];
    }
    return sum;
}

static void balance(struct balancing *w, struct ir_inst *root)
{
    struct leaves l = { .n = 0 };
    const struct variant *variant = w->f->variant;

    collect_leaves(w, root, &l);
    if (l.overflow || l.n < 3)
        return;
    if (variant && (variant->fuse & FUSE_EOR3))
        ir_replace(root->result[0], build_chain(w, root, &l));
    else if (best_ready(l) < w->ready[root->result[0]->id])
        ir_replace(root->result[0], build(w, root, &l));
}

void ir_reassociate(struct ir_func *f)
{
    struct balancing w = { .f = f, .uses = ir_use_counts(f), .known = f->values.n };

    w.ready = NEW_ARRAY(int, w.known + 1);
    w.inner = NEW_ARRAY(uint8_t, w.known + 1);
    w.whole = NEW_ARRAY(uint8_t, w.known + 1);
    for (int k = 0; k < f->blocks.n; k++) {
        keep_whole(&w, f->blocks.at[k]);
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next) {
            find_ready(&w, i);
            for (int a = 0; i->op == IR_xor && a < 2; a++)
                w.inner[i->args[a]->id] |= is_inner(&w, i->args[a], i);
        }
        for (struct ir_inst *i = f->blocks.at[k]->first; i; i = i->next)
            if (i->op == IR_xor && i->result[0]->id < w.known && !w.inner[i->result[0]->id])
                balance(&w, i);
    }
    ir_settle(f);
    (void)ir_remove_dead(f);
}
