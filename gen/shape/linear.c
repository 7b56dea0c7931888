/* linear.c: is an offset linear in the index of a loop?
 *
 * Takes an offset in bytes and a loop; gives factor * index + rest + constant,
 * where the rest does not change while the loop runs. Looks through
 * definitions made inside the body (`let at = 32*i`) and through the widening
 * of 32-bit arithmetic where that cannot wrap. Everything wraps modulo 2^64,
 * as addresses do.
 */
#include <assert.h>

#include "shape/pass.h"

enum { DEPTH_LIMIT = 8 };

struct expansion {
    const struct shape *sh;
    const struct stmt *loop;
    const struct var_set *varying;
    uint64_t factor, constant;
    struct expr *rest;
    bool holds;
};

static void add_terms(struct expansion *x, const struct expr *e, uint64_t factor, int depth);

static void add_invariant(struct expansion *x, struct expr *atom, uint64_t factor)
{
    struct expr *wide = build_convert(TYPE_U64, atom);
    struct expr *term = build_binary(BIN_MUL, wide, build_const(TYPE_U64, factor, atom->loc));
    x->rest = x->rest ? build_binary(BIN_ADD, x->rest, term) : term;
}

/* 32-bit arithmetic that is used at 64 bits: the two agree unless it wraps. */
static bool cannot_wrap(const struct expansion *x, const struct expr *e)
{
    bool exact;

    (void)range_of(x->sh, e, &exact);
    if (exact)
        return true;
    return e->kind == E_BINARY && e->op == BIN_SUB && e->b->kind == E_VAR &&
           e->b->var == x->loop->index && known_at_most(x->sh, x->loop->hi, e->a);
}

static struct expr *definition_in_body(const struct expansion *x, const struct expr *atom)
{
    if (atom->kind != E_VAR || atom->var->id >= x->sh->original->vars.n ||
        !var_set_has(x->varying, atom->var))
        return NULL;
    return x->sh->only_value[atom->var->id];
}

static void add_atom(struct expansion *x, struct expr *atom, uint64_t factor, int depth)
{
    struct expr *inner;

    if (depth > DEPTH_LIMIT) {
        x->holds = false;
    } else if (!expr_mentions_any(atom, x->varying) && !reads_changing_memory(x->sh, atom)) {
        add_invariant(x, atom, factor);
    } else if (atom->kind == E_VAR && atom->var == x->loop->index) {
        x->factor += factor;
    } else if ((inner = definition_in_body(x, atom)) != NULL) {
        if (value_types[atom->type].bits < 64 && !cannot_wrap(x, inner))
            x->holds = false;
        else
            add_terms(x, inner, factor, depth + 1);
    } else if (atom->kind == E_CONVERT && type_is_scalar(atom->a->type) &&
               value_types[atom->a->type].bits <= value_types[atom->type].bits) {
        if (cannot_wrap(x, atom->a))
            add_terms(x, atom->a, factor, depth + 1);
        else
            x->holds = false;
    } else {
        x->holds = false;
    }
}

static void add_terms(struct expansion *x, const struct expr *e, uint64_t factor, int depth)
{
    struct affine f = affine_of(e);
    int64_t constant = f.constant;

    /* A 32-bit form is known only modulo 2^32: a negative constant may stand
     * for a large one. cannot_wrap() has shown that the small one is meant. */
    if (value_types[e->type].bits == 32)
        constant = (int32_t)constant;
    x->constant += factor * (uint64_t)constant;
    for (int i = 0; i < f.n; i++) {
        int64_t own = f.terms[i].factor;
        if (value_types[e->type].bits == 32)
            own = (int32_t)own;
        add_atom(x, f.terms[i].atom, factor * (uint64_t)own, depth + 1);
    }
}

bool linear_in(const struct shape *sh, struct expr *offset, const struct stmt *loop,
               const struct var_set *varying, struct linear *out)
{
    struct expansion x = { .sh = sh, .loop = loop, .varying = varying, .holds = true };

    if (!offset)
        return false;
    add_terms(&x, offset, 1, 0);
    if (!x.holds)
        return false;
    out->factor = (int64_t)x.factor;
    out->constant = (int64_t)x.constant;
    out->rest = x.rest;
    out->terms = (struct affine){ 0 };
    if (x.rest) {
        out->terms = affine_of(x.rest);
        out->constant += out->terms.constant;
    }
    return true;
}
