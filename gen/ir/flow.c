/* flow.c: what the control flow of a function is.
 *
 * Takes blocks and their edges; removes unreachable blocks, numbers the rest
 * in layout order, and gives predecessors, reverse post-order, the dominator
 * tree (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm) and the
 * natural loops. Lowering makes structured control only, so every cycle has
 * one header that dominates it.
 */
#include <assert.h>

#include "ir/pass.h"

struct search { struct ir_block **post; int n; uint8_t *seen; };

static void visit(struct search *s, struct ir_block *b)
{
    s->seen[b->id] = 1;
    for (int e = ir_edge_count(b) - 1; e >= 0; e--)
        if (!s->seen[b->edge[e].to->id])
            visit(s, b->edge[e].to);
    s->post[s->n++] = b;
}

static void drop_unreachable(struct ir_func *f, const uint8_t *seen)
{
    int kept = 0;

    for (int i = 0; i < f->blocks.n; i++)
        if (seen[f->blocks.at[i]->id])
            f->blocks.at[kept++] = f->blocks.at[i];
    f->blocks.n = kept;
}

static void number_blocks(struct ir_func *f)
{
    for (int i = 0; i < f->blocks.n; i++)
        f->blocks.at[i]->id = i;
}

static void find_preds(struct ir_func *f)
{
    for (int i = 0; i < f->blocks.n; i++)
        f->blocks.at[i]->preds.n = 0;
    for (int i = 0; i < f->blocks.n; i++)
        for (int e = 0; e < ir_edge_count(f->blocks.at[i]); e++)
            vec_push(&f->blocks.at[i]->edge[e].to->preds, f->blocks.at[i]);
}

static struct ir_block *meet(const struct flow *w, struct ir_block *a, struct ir_block *b)
{
    while (a != b) {
        while (w->position[a->id] > w->position[b->id])
            a = w->idom[a->id];
        while (w->position[b->id] > w->position[a->id])
            b = w->idom[b->id];
    }
    return a;
}

static void find_dominators(struct flow *w)
{
    bool changed = true;

    w->idom[w->order[0]->id] = w->order[0];
    while (changed) {
        changed = false;
        for (int i = 1; i < w->n; i++) {
            struct ir_block *b = w->order[i], *dom = NULL;
            for (int p = 0; p < b->preds.n; p++) {
                if (!w->idom[b->preds.at[p]->id])
                    continue;
                dom = dom ? meet(w, dom, b->preds.at[p]) : b->preds.at[p];
            }
            changed |= w->idom[b->id] != dom;
            w->idom[b->id] = dom;
        }
    }
    w->idom[w->order[0]->id] = NULL;
}

bool ir_dominates(const struct flow *w, const struct ir_block *a, const struct ir_block *b)
{
    while (b && w->position[b->id] > w->position[a->id])
        b = w->idom[b->id];
    return a == b;
}

/* Adds to the loop of HEADER everything that reaches LATCH without passing it. */
static void mark_loop(struct ir_block *header, struct ir_block *latch, uint8_t *in_loop,
                      struct ir_block **stack)
{
    int n = 0;

    if (!in_loop[latch->id]) {
        in_loop[latch->id] = 1;
        stack[n++] = latch;
    }
    while (n > 0) {
        struct ir_block *b = stack[--n];
        for (int p = 0; b != header && p < b->preds.n; p++) {
            if (in_loop[b->preds.at[p]->id])
                continue;
            in_loop[b->preds.at[p]->id] = 1;
            stack[n++] = b->preds.at[p];
        }
    }
}

bool ir_in_loop(const struct flow *w, const struct ir_block *b, const struct ir_block *header)
{
    const struct ir_block *l = b->loop;

    while (l && l != header)
        l = w->outer[l->id];
    return l == header;
}

struct ir_block *ir_common_dominator(const struct flow *w, struct ir_block *a, struct ir_block *b)
{
    return meet(w, a, b);
}

static void find_loops(struct ir_func *f, const struct flow *w)
{
    struct ir_block **stack = NEW_ARRAY(struct ir_block *, w->n + 1);

    for (int i = 0; i < w->n; i++) {
        w->order[i]->loop = NULL;
        w->order[i]->loop_depth = 0;
    }
    /* Outer headers come first, so the innermost loop is written last. */
    for (int i = 0; i < w->n; i++) {
        struct ir_block *header = w->order[i];
        uint8_t *in_loop = NULL;
        for (int p = 0; p < header->preds.n; p++) {
            if (!ir_dominates(w, header, header->preds.at[p]))
                continue;
            if (!in_loop) {
                w->outer[header->id] = header->loop;
                in_loop = NEW_ARRAY(uint8_t, f->blocks.n);
                in_loop[header->id] = 1;
            }
            mark_loop(header, header->preds.at[p], in_loop, stack);
        }
        for (int k = 0; in_loop && k < f->blocks.n; k++) {
            if (in_loop[k]) {
                f->blocks.at[k]->loop = header;
                f->blocks.at[k]->loop_depth++;
            }
        }
    }
}

struct flow ir_flow(struct ir_func *f)
{
    struct flow w = { 0 };
    struct search s = { NEW_ARRAY(struct ir_block *, f->blocks.n), 0, NEW_ARRAY(uint8_t, f->blocks.n) };

    number_blocks(f);
    visit(&s, f->blocks.at[0]);
    drop_unreachable(f, s.seen);
    number_blocks(f);
    find_preds(f);
    w.n = s.n;
    w.order = NEW_ARRAY(struct ir_block *, w.n);
    w.position = NEW_ARRAY(int, w.n);
    w.idom = NEW_ARRAY(struct ir_block *, w.n);
    w.outer = NEW_ARRAY(struct ir_block *, w.n);
    for (int i = 0; i < w.n; i++)
        w.order[i] = s.post[w.n - 1 - i];
    for (int i = 0; i < w.n; i++)
        w.position[w.order[i]->id] = i;
    find_dominators(&w);
    find_loops(f, &w);
    return w;
}
