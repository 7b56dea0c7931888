/* build.c: registers, instructions and blocks of machine code (build.h).
 *
 * Holds: an instruction is in at most one block; fixed registers exist once
 * per function. Does not: decide anything.
 */
#include "code/build.h"

#include <assert.h>
#include <string.h>

struct vreg *vreg_new(struct mach_func *f, enum reg_class class)
{
    struct vreg *v = NEW(struct vreg);
    v->id = f->vregs.n;
    v->class = class;
    vec_push(&f->vregs, v);
    return v;
}

struct vreg *vreg_like(struct mach_func *f, const struct vreg *v)
{
    struct vreg *new = vreg_new(f, v->class);
    new->name = v->name;
    new->loc = v->loc;
    new->secret = v->secret;
    new->value = v->value;
    return new;
}

static struct vreg *physical(struct mach_func *f, enum reg_class class, reg_number number)
{
    struct vreg *v = vreg_new(f, class);
    v->assigned = number;
    v->is_assigned = v->is_fixed = true;
    return v;
}

struct vreg *vreg_fixed(struct mach_func *f, enum reg_class class, reg_number number)
{
    assert(class < CLASS_FLAGS && number < 32);
    assert(class != CLASS_GENERAL || number != REG_PLATFORM);
    struct vreg **v = &f->fixed[class][number];
    if (*v == NULL)
        *v = physical(f, class, number);
    return *v;
}

struct vreg *vreg_zero(struct mach_func *f)
{
    return vreg_fixed(f, CLASS_GENERAL, REG_ZERO);
}

struct vreg *vreg_sp(struct mach_func *f)
{
    if (f->stack_pointer == NULL)
        f->stack_pointer = physical(f, CLASS_GENERAL, REG_SP);
    return f->stack_pointer;
}

/* -- instructions and blocks -- */

/* The roles of a row's operands in the form that is asked for most: a bit for each. */
struct operand_roles { uint8_t uses, defs; };
static struct operand_roles roles[INSN_COUNT];
static bool has_roles;

static_assert(MAX_OPERANDS <= 8, "a bit for each operand");

static void find_roles(void)
{
    for (int n = 0; n < INSN_COUNT; n++)
        for (int k = 0; k < insns[n].operand_count; k++) {
            const uint8_t role = insns[n].op[k].role, bit = (uint8_t)(1u << k);
            if (role == ROLE_USE || role == ROLE_TIED)
                roles[n].uses |= bit;
            if (role == ROLE_DEF || role == ROLE_TIED)
                roles[n].defs |= bit;
        }
    has_roles = true;
}

struct mach_block *block_new(struct mach_func *f)
{
    struct mach_block *b = NEW(struct mach_block);
    b->id = f->blocks.n;
    vec_push(&f->blocks, b);
    return b;
}

struct mach_insn *insn_new(enum insn insn, const struct mach_operand *op, int n)
{
    assert(n == insns[insn].operand_count);
    if (!has_roles)
        find_roles();
    struct mach_insn *i = mem_alloc(sizeof *i + sizeof *i->op * (size_t)n);
    i->insn = insn;
    if (n > 0)
        memcpy(i->op, op, sizeof *op * (size_t)n);
    return i;
}

void insn_append(struct mach_block *b, struct mach_insn *i)
{
    i->block = b;
    i->prev = b->last;
    i->next = NULL;
    if (b->last != NULL)
        b->last->next = i;
    else
        b->first = i;
    b->last = i;
}

void insn_prepend(struct mach_block *b, struct mach_insn *i)
{
    if (b->first == NULL)
        insn_append(b, i);
    else
        insn_before(b->first, i);
}

void insn_before(struct mach_insn *at, struct mach_insn *i)
{
    i->block = at->block;
    i->prev = at->prev;
    i->next = at;
    if (at->prev != NULL)
        at->prev->next = i;
    else
        at->block->first = i;
    at->prev = i;
}

void insn_after(struct mach_insn *at, struct mach_insn *i)
{
    if (at->next == NULL)
        insn_append(at->block, i);
    else
        insn_before(at->next, i);
}

void insn_remove(struct mach_insn *i)
{
    struct mach_block *b = i->block;
    if (i->prev != NULL)
        i->prev->next = i->next;
    else
        b->first = i->next;
    if (i->next != NULL)
        i->next->prev = i->prev;
    else
        b->last = i->prev;
    i->prev = i->next = NULL;
    i->block = NULL;
}

bool insn_is_copy(const struct mach_insn *i)
{
    if (i->insn != INSN_mov_x && i->insn != INSN_mov_16b)
        return false;
    return !vreg_is_constant(i->op[0].reg) && !vreg_is_constant(i->op[1].reg);
}

struct mach_insn *copy_new(struct mach_func *f, struct vreg *to, struct vreg *from)
{
    (void)f;
    assert(to->class == from->class && to->class != CLASS_FLAGS);
    return MAKE(to->class == CLASS_GENERAL ? INSN_mov_x : INSN_mov_16b, op_reg(to), op_reg(from));
}

/* -- what an instruction reads and writes -- */

static struct vreg *use_of(const struct mach_operand *op)
{
    return op->tied != NULL ? op->tied : op->reg;
}

static void list_add(struct reg_list *l, struct vreg *v)
{
    if (v == NULL || vreg_is_constant(v))
        return;
    for (int i = 0; i < l->n; i++)
        if (l->at[i] == v)
            return;
    assert(l->n < REG_LIST_MAX);
    l->at[l->n++] = v;
}

void insn_uses(const struct mach_insn *i, struct reg_list *out)
{
    out->n = 0;
    for (unsigned m = roles[i->insn].uses; m != 0; m &= m - 1)
        list_add(out, use_of(&i->op[__builtin_ctz(m)]));
    for (int k = 0; k < i->use_count; k++)
        list_add(out, i->uses[k]);
}

void insn_defs(const struct mach_insn *i, struct reg_list *out)
{
    out->n = 0;
    for (unsigned m = roles[i->insn].defs; m != 0; m &= m - 1)
        list_add(out, i->op[__builtin_ctz(m)].reg);
    for (int k = 0; k < i->def_count; k++)
        list_add(out, i->defs[k]);
}

bool insn_reads(const struct mach_insn *i, const struct vreg *v)
{
    bool found = false;
    for (unsigned m = roles[i->insn].uses; m != 0; m &= m - 1)
        found |= use_of(&i->op[__builtin_ctz(m)]) == v;
    for (int k = 0; k < i->use_count; k++)
        found |= i->uses[k] == v;
    return found && !vreg_is_constant(v);
}

bool insn_writes(const struct mach_insn *i, const struct vreg *v)
{
    bool found = false;
    for (unsigned m = roles[i->insn].defs; m != 0; m &= m - 1)
        found |= i->op[__builtin_ctz(m)].reg == v;
    for (int k = 0; k < i->def_count; k++)
        found |= i->defs[k] == v;
    return found && !vreg_is_constant(v);
}

static void add_to(struct bitset *s, const struct vreg *v)
{
    if (v != NULL && !vreg_is_constant(v))
        bitset_add(s, v->id);
}

static void drop_from(struct bitset *s, const struct vreg *v)
{
    if (v != NULL && !vreg_is_constant(v))
        bitset_drop(s, v->id);
}

void insn_add_uses(const struct mach_insn *i, struct bitset *s)
{
    for (unsigned m = roles[i->insn].uses; m != 0; m &= m - 1)
        add_to(s, use_of(&i->op[__builtin_ctz(m)]));
    for (int k = 0; k < i->use_count; k++)
        add_to(s, i->uses[k]);
}

void insn_add_defs(const struct mach_insn *i, struct bitset *s)
{
    for (unsigned m = roles[i->insn].defs; m != 0; m &= m - 1)
        add_to(s, i->op[__builtin_ctz(m)].reg);
    for (int k = 0; k < i->def_count; k++)
        add_to(s, i->defs[k]);
}

void insn_drop_defs(const struct mach_insn *i, struct bitset *s)
{
    for (unsigned m = roles[i->insn].defs; m != 0; m &= m - 1)
        drop_from(s, i->op[__builtin_ctz(m)].reg);
    for (int k = 0; k < i->def_count; k++)
        drop_from(s, i->defs[k]);
}

void insn_rename_uses(struct mach_insn *i, const struct vreg *from, struct vreg *to)
{
    const struct insn_row *row = row_of(i);
    for (int k = 0; k < row->operand_count; k++) {
        if (row->op[k].role == ROLE_USE && i->op[k].reg == from)
            i->op[k].reg = to;
        if (row->op[k].role == ROLE_TIED) {
            if (i->op[k].tied == from || (i->op[k].tied == NULL && i->op[k].reg == from))
                i->op[k].tied = to;
            if (i->op[k].tied == i->op[k].reg)
                i->op[k].tied = NULL;
        }
    }
    for (int k = 0; k < i->use_count; k++)
        if (i->uses[k] == from)
            i->uses[k] = to;
}

void insn_rename_all(struct mach_insn *i, struct vreg *const *into)
{
    for (int k = 0; k < row_of(i)->operand_count; k++) {
        struct mach_operand *op = &i->op[k];
        op->reg = op->reg != NULL ? into[op->reg->id] : NULL;
        op->tied = op->tied != NULL ? into[op->tied->id] : NULL;
        if (op->tied == op->reg)
            op->tied = NULL;
    }
    for (int k = 0; k < i->use_count; k++)
        i->uses[k] = into[i->uses[k]->id];
    for (int k = 0; k < i->def_count; k++)
        i->defs[k] = into[i->defs[k]->id];
}

int insn_base_operand(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    if (row->access == 0)
        return -1;
    for (int k = 0; k < row->operand_count; k++)
        if (row->op[k].kind == OP_X_SP)
            return k;
    return -1;
}

/* -- control flow -- */

static void edge_add(struct mach_block *from, struct mach_block *to)
{
    for (int i = 0; i < from->succs.n; i++)
        if (from->succs.at[i] == to)
            return;
    vec_push(&from->succs, to);
    vec_push(&to->preds, from);
}

void blocks_link(struct mach_func *f)
{
    for (int i = 0; i < f->blocks.n; i++) {
        struct mach_block *b = f->blocks.at[i];
        b->id = i;
        b->succs.n = b->preds.n = 0;
    }
    for (int i = 0; i < f->blocks.n; i++) {
        struct mach_block *b = f->blocks.at[i];
        for (struct mach_insn *t = b->first; t != NULL; t = t->next) {
            const struct insn_row *row = row_of(t);
            if ((row->flags & IS_BRANCH) == 0)
                continue;
            for (int k = 0; k < row->operand_count; k++)
                if (row->op[k].kind == OP_LABEL)
                    edge_add(b, t->op[k].label);
        }
        bool falls = b->last == NULL
                     || (b->last->insn != INSN_b && (row_of(b->last)->flags & IS_RETURN) == 0);
        if (falls) {
            assert(i + 1 < f->blocks.n);
            edge_add(b, f->blocks.at[i + 1]);
        }
    }
}

/* -- bit sets -- */

struct bitset bitset_new(int bits)
{
    int words = (bits + 63) / 64;
    return (struct bitset){ NEW_ARRAY(uint64_t, words > 0 ? words : 1), words };
}

void bitset_copy(struct bitset *to, const struct bitset *from)
{
    assert(to->words == from->words);
    memcpy(to->word, from->word, sizeof *to->word * (size_t)to->words);
}

bool bitset_union(struct bitset *to, const struct bitset *from)
{
    bool grew = false;
    assert(to->words == from->words);
    for (int i = 0; i < to->words; i++) {
        uint64_t all = to->word[i] | from->word[i];
        grew |= all != to->word[i];
        to->word[i] = all;
    }
    return grew;
}

int bitset_next(const struct bitset *s, int i)
{
    int w = i >> 6;
    if (w >= s->words)
        return -1;
    uint64_t rest = s->word[w] & (~0ull << (i & 63));
    while (rest == 0) {
        if (++w >= s->words)
            return -1;
        rest = s->word[w];
    }
    return w * 64 + __builtin_ctzll(rest);
}
