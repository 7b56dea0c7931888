/* check_stack.c: how much stack a function may need for its arrays.
 *
 * Gives func.stack_bytes, what its own arrays may have together, each rounded up
 * to 16 bytes, and func.stack_depth, the same with the subroutines that it calls
 * in turn. The limit is what a proof keeps apart in memory (REGION_WINDOW), with
 * room for saved registers; no kernel known needs a tenth of it.
 */
#include "lang/check.h"

static bool is_parameter(const struct func *f, const struct var *v)
{
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var == v)
            return true;
    return false;
}

/* What code/select_stack.c makes code of. */
static bool is_plain(const struct func *f, const struct expr *e)
{
    static const enum op plain[] = { BIN_ADD, BIN_SUB, BIN_MUL, BIN_DIV, BIN_MOD,
                                     BIN_AND, BIN_OR, BIN_XOR, BIN_SHL, BIN_SHR };

    switch (e->kind) {
    case E_CONST:
        return true;
    case E_VAR:
        return is_parameter(f, e->var);
    case E_CONVERT:
        return is_plain(f, e->a);
    case E_BINARY:
        for (int i = 0; i < COUNT(plain); i++)
            if (e->op == plain[i])
                return is_plain(f, e->a) && is_plain(f, e->b);
        return false;
    default:
        return false;
    }
}

static uint64_t most_bytes(struct func *f, const struct object *o)
{
    struct value_range bytes = { 0, o->extent->value[0] };

    if (o->extent->kind != E_CONST)
        expr_value_range(f, NULL, o->extent, &bytes);
    return bytes.hi < STACK_LIMIT ? (bytes.hi + 15) / 16 * 16 : STACK_LIMIT + 1;
}

static void own_arrays(struct func *f)
{
    for (int i = 0; i < f->objects.n; i++) {
        const struct object *o = f->objects.at[i];

        if (o->kind != OBJECT_STACK || f->stack_bytes > STACK_LIMIT)
            continue;
        if (!is_plain(f, o->extent)) {
            error_at(o->loc, RULE_UNSUPPORTED,
                     "the length of a stack array is made of parameters by + - * / %% & | ^ << >>");
            continue;
        }
        f->stack_bytes += most_bytes(f, o);
        if (f->stack_bytes > STACK_LIMIT)
            error_at(o->loc, RULE_UNSUPPORTED,
                     "stack arrays that may have more than %d bytes together", STACK_LIMIT);
    }
}

static void calls(struct func *f, const struct stmt *list)
{
    struct stmt *body;

    for (; list != NULL; list = list->next) {
        if (list->kind == S_CALL && f->stack_bytes + list->callee->stack_depth > f->stack_depth)
            f->stack_depth = f->stack_bytes + list->callee->stack_depth;
        if (f->stack_depth > STACK_LIMIT) {
            error_at(list->loc, RULE_UNSUPPORTED,
                     "with those of '%s', stack arrays that may have more than %d bytes together",
                     list->callee->name, STACK_LIMIT);
            return;
        }
        for each_body(body, list)
            calls(f, body);
    }
}

void check_stack(struct func *f)
{
    own_arrays(f);
    f->stack_depth = f->stack_bytes;
    if (f->stack_bytes <= STACK_LIMIT)
        calls(f, f->body);
}
