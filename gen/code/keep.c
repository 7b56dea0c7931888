/* keep.c: finished code without all that it was made of.
 *
 * Takes code with its frame built. Gives a copy in an arena of the caller's, of
 * what the emitter and the proof read: instructions with their own operands
 * only, one register for each physical one, edges forward. So the memory of a
 * function (shaped tree, IR, unfinished code) can be released before the next
 * function is compiled, and a module takes as much as its largest function.
 *
 * Holds: the copy points to itself, to the checked tree and to texts of the
 * source, to nothing else.
 */
#include "code/passes.h"

#include <assert.h>
#include <string.h>

struct keeper {
    struct arena *arena;
    struct mach_func *f;
    struct mach_block **block;              /* the copy, by block id */
    const struct vreg *original_sp;
};

static void *copy_of(const struct keeper *k, const void *from, size_t size)
{
    void *to = arena_alloc(k->arena, size);
    if (size > 0)
        memcpy(to, from, size);
    return to;
}

static struct vreg *kept_register(struct keeper *k, const struct vreg *v)
{
    assert(v->is_assigned && v->class < CLASS_FLAGS);
    struct vreg **at = v == k->original_sp ? &k->f->stack_pointer
                                           : &k->f->fixed[v->class][v->assigned];
    if (*at == NULL) {
        const struct vreg physical = { .class = v->class, .assigned = v->assigned,
                                       .is_assigned = true, .is_fixed = true };
        *at = copy_of(k, &physical, sizeof physical);
    }
    return *at;
}

static struct mach_insn *kept_insn(struct keeper *k, const struct mach_insn *i)
{
    const int operands = row_of(i)->operand_count;
    struct mach_insn *to = copy_of(k, i, sizeof *i + sizeof *i->op * (size_t)operands);
    to->flags_in = to->flags_out = NULL;
    to->uses = to->defs = NULL;
    to->use_count = to->def_count = 0;
    to->mem = (struct mem_ref){ 0 };
    to->mem_count = 0;
    for (int n = 0; n < operands; n++) {
        struct mach_operand *op = &to->op[n];
        assert(op->tied == NULL && op->stack == NULL);
        if (op->reg != NULL)
            op->reg = kept_register(k, op->reg);
        if (op->label != NULL)
            op->label = k->block[op->label->id];
    }
    return to;
}

static void keep_block(struct keeper *k, const struct mach_block *b)
{
    struct mach_block *to = k->block[b->id];
    *to = (struct mach_block){ .id = b->id, .is_target = b->is_target };
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next)
        insn_append(to, kept_insn(k, i));
    to->succs.n = to->succs.cap = b->succs.n;
    to->succs.at = copy_of(k, b->succs.at, sizeof *b->succs.at * (size_t)b->succs.n);
    for (int s = 0; s < b->succs.n; s++)
        to->succs.at[s] = k->block[b->succs.at[s]->id];
}

static void keep_blocks(struct keeper *k, const struct mach_func *from)
{
    const int n = from->blocks.n;
    k->f->blocks.n = k->f->blocks.cap = n;
    k->f->blocks.at = k->block = arena_alloc(k->arena, sizeof *k->block * (size_t)n);
    for (int b = 0; b < n; b++) {
        assert(from->blocks.at[b]->id == b);
        k->block[b] = arena_alloc(k->arena, sizeof **k->block);
    }
    for (int b = 0; b < n; b++)
        keep_block(k, from->blocks.at[b]);
}

static void keep_convention(struct keeper *k, const struct convention *from)
{
    struct convention *to = &k->f->convention;
    const size_t params = (size_t)from->param_count, results = (size_t)from->result_count;
    to->params = copy_of(k, from->params, sizeof *from->params * params);
    to->param_classes = copy_of(k, from->param_classes, sizeof *from->param_classes * params);
    to->results = copy_of(k, from->results, sizeof *from->results * results);
    to->result_classes = copy_of(k, from->result_classes, sizeof *from->result_classes * results);
}

struct mach_func *code_keep(struct arena *a, const struct mach_func *f, struct func *source)
{
    struct keeper k = { .arena = a, .original_sp = f->stack_pointer };
    k.f = copy_of(&k, f, sizeof *f);
    k.f->func = source;
    k.f->name = copy_of(&k, f->name, strlen(f->name) + 1);
    k.f->frame.object_offset = NULL;
    k.f->vregs.at = NULL;
    k.f->vregs.n = k.f->vregs.cap = 0;
    memset(k.f->fixed, 0, sizeof k.f->fixed);
    k.f->stack_pointer = NULL;
    keep_blocks(&k, f);
    keep_convention(&k, &f->convention);
    return k.f;
}
