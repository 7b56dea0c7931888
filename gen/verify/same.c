/* same.c: are two texts the same code? For the platforms beside the one that is
 * proved.
 *
 * Takes two texts read back. Whole files are compared line by line; when they
 * differ, a function can still be the same: the lines that control reaches from
 * its label are paired, the two first ones, what follows each, and what each
 * branches to or calls.
 *
 * Does not: say what a difference means; the caller proves such a function.
 */
#include "verify/same.h"

#include <string.h>

static bool same_operand(const struct operand_spec *spec, const struct phys_operand *a,
                         const struct phys_operand *b)
{
    return spec->kind == OP_LABEL || spec->kind == OP_SYMBOL ||
           (a->reg == b->reg && a->imm == b->imm);
}

/* Windows signs return addresses with the B key, the others with A. */
static enum insn without_key(enum insn insn)
{
    return insn == INSN_pacibsp ? INSN_paciasp : insn == INSN_autibsp ? INSN_autiasp : insn;
}

/* But for where it branches to. */
static bool same_insn(const struct decoded *x, const struct decoded *y)
{
    if (without_key(x->insn.insn) != without_key(y->insn.insn))
        return false;
    for (int n = 0; n < insns[x->insn.insn].operand_count; n++)
        if (!same_operand(&insns[x->insn.insn].op[n], &x->insn.op[n], &y->insn.op[n]))
            return false;
    return true;
}

bool same_tables(const struct emitted *a, const struct emitted *b)
{
    return a->bytes.n == b->bytes.n &&
           (a->bytes.n == 0 || memcmp(a->bytes.at, b->bytes.at, (size_t)a->bytes.n) == 0);
}

bool same_code(const struct emitted *a, const struct emitted *b)
{
    if (a->code.lines.n != b->code.lines.n)
        return false;
    for (int i = 0; i < a->code.lines.n; i++) {
        const struct decoded *x = &a->code.lines.at[i], *y = &b->code.lines.at[i];
        if (!same_insn(x, y) || x->target != y->target)
            return false;
    }
    return true;
}

/* -- one function -- */

struct pairing {
    const struct code *a, *b;
    int *other;                 /* of each line of a: the line of b, or -1 */
    VEC(int) todo;              /* lines of a, paired and not compared yet */
};

static bool pair(struct pairing *p, int i, int k)
{
    if (i >= p->a->lines.n || k >= p->b->lines.n)
        return i >= p->a->lines.n && k >= p->b->lines.n;
    if (p->other[i] >= 0)
        return p->other[i] == k;
    p->other[i] = k;
    vec_push(&p->todo, i);
    return true;
}

static bool falls_through(const struct decoded *d)
{
    return d->insn.insn != INSN_b && (row_of(d)->flags & IS_RETURN) == 0;
}

static bool pair_successors(struct pairing *p, int i, int k)
{
    const struct decoded *x = &p->a->lines.at[i], *y = &p->b->lines.at[k];
    if ((x->target < 0) != (y->target < 0) || (falls_through(x) && !pair(p, i + 1, k + 1)))
        return false;
    if (x->target >= 0)
        return pair(p, x->target, y->target);
    /* A call of something outside: it must be the same thing. */
    return (row_of(x)->flags & IS_CALL) == 0 || strcmp(x->insn.op[0].name, y->insn.op[0].name) == 0;
}

bool same_function(const struct emitted *a, const char *label_a, const struct emitted *b,
                   const char *label_b)
{
    struct pairing p = { .a = &a->code, .b = &b->code };
    int i = code_find(p.a, label_a), k = code_find(p.b, label_b);
    if (i < 0 || k < 0)
        return false;
    p.other = NEW_ARRAY(int, p.a->lines.n + 1);
    for (int n = 0; n < p.a->lines.n; n++)
        p.other[n] = -1;
    bool same = pair(&p, i, k);
    while (same && p.todo.n > 0) {
        i = p.todo.at[--p.todo.n];
        k = p.other[i];
        same = same_insn(&p.a->lines.at[i], &p.b->lines.at[k]) && pair_successors(&p, i, k);
    }
    return same;
}
