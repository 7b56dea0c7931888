/* ir.c: the whole path from the tree to finished IR.
 *
 * What the order rests on: hoisting wants loops whose bodies are simplified;
 * balancing XOR chains wants each computed once; a local function gives its
 * table entries to its callers, which must therefore come later; tables keep one address each
 * until their loads have been hoisted, and get their common base after that.
 */
#include "ir/pass.h"
#include "shape/shape.h"

static void checked(const struct ir_func *f)
{
#ifdef NDEBUG
    (void)f;
#else
    ir_check(f);
#endif
}

struct ir_func *ir_for_variants(struct func *f)
{
    struct ir_func *ir = ir_lower(shape_func(f));

    checked(ir);
    ir_simplify(ir);
    checked(ir);
    ir_hoist(ir);
    ir_share(ir);
    ir_carry_aes(ir);
    checked(ir);
    ir_simplify(ir);
    return ir;
}

void ir_finish(struct ir_func *ir, struct func *f, const struct variant *v)
{
    ir->variant = v;
    ir_reassociate(ir);
    checked(ir);
    if (f->kind == FN_LOCAL) {
        ir_lift(ir);
        f->ir = ir;
    }
    ir_place_tables(ir);
    ir_find_keys(ir);
    ir_find_secrets(ir);
    checked(ir);
}

struct ir_func *ir_from_func(struct func *f, const struct variant *v)
{
    struct ir_func *ir = ir_for_variants(f);

    ir_finish(ir, f, v);
    return ir;
}
