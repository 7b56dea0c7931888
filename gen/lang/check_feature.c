/* check_feature.c: every instruction a kernel names must be one it requires.
 *
 * Takes a finished function; reports `feature` at each call of an instruction
 * whose row needs a CPU feature that the base of the function does not name.
 * Operators compile to baseline instructions, and variants only add features,
 * so the base (variant 0) decides.
 */
#include "lang/check.h"

static void expr_features(const struct func *f, const struct expr *e)
{
    struct expr *child;

    for each_child(child, e)
        expr_features(f, child);
    if (e->kind != E_INSN)
        return;
    const int needed = insns[e->insn].feature;
    const uint32_t have = f->variants[0].features | UINT32_C(1) << FEAT_BASE;

    if (have >> needed & 1)
        return;
    error_at(e->loc, RULE_FEATURE, "'%s' needs the CPU feature %s, which '%s' does not require",
             insns[e->insn].mnemonic, features[needed].name, f->name);
    note_at(f->loc, "add 'requires %s' here", features[needed].name);
}

static void list_features(const struct func *f, const struct stmt *s)
{
    struct expr *x;
    struct stmt *body;

    for (; s != NULL; s = s->next) {
        for each_expr(x, s)
            expr_features(f, x);
        for each_body(body, s)
            list_features(f, body);
    }
}

void check_features(struct func *f)
{
    list_features(f, f->body);
}
