/* build.c: make expressions and statements.
 *
 * Gives expressions with constants folded, so that a loop whose count is known
 * comes out without tests, and an `if` with a known condition as its body or
 * as nothing.
 */
#include <assert.h>

#include "shape/pass.h"

static uint64_t type_mask(enum value_type t)
{
    int bits = value_types[t].bits;
    return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1;
}

bool is_const(const struct expr *e, uint64_t *value)
{
    if (e->kind != E_CONST || type_is_vector(e->type))
        return false;
    *value = e->value[0];
    return true;
}

static struct expr *make(enum expr_kind kind, enum value_type type, struct loc loc)
{
    struct expr *e = NEW(struct expr);
    e->kind = kind;
    e->type = type;
    e->loc = loc;
    return e;
}

struct expr *build_const(enum value_type type, uint64_t v, struct loc loc)
{
    struct expr *e = make(E_CONST, type, loc);
    e->value[0] = v & type_mask(type);
    return e;
}

struct expr *build_read(struct var *v)
{
    struct expr *e = make(E_VAR, v->type, v->loc);
    e->var = v;
    e->secret = v->secret;
    return e;
}

static bool fold_binary(enum op op, uint64_t x, uint64_t y, uint64_t *out)
{
    switch (op) {
    case BIN_ADD: *out = x + y; return true;
    case BIN_SUB: *out = x - y; return true;
    case BIN_MUL: *out = x * y; return true;
    case BIN_AND: *out = x & y; return true;
    case BIN_OR:  *out = x | y; return true;
    case BIN_XOR: *out = x ^ y; return true;
    case BIN_DIV: *out = y ? x / y : 0; return y != 0;
    case BIN_MOD: *out = y ? x % y : 0; return y != 0;
    case BIN_SHL: *out = y < 64 ? x << y : 0; return y < 64;
    case BIN_SHR: *out = y < 64 ? x >> y : 0; return y < 64;
    default: return false;
    }
}

static bool changes_nothing(enum op op, uint64_t right)
{
    switch (op) {
    case BIN_ADD: case BIN_SUB: case BIN_SHL: case BIN_SHR: case BIN_OR: case BIN_XOR:
        return right == 0;
    case BIN_MUL: case BIN_DIV:
        return right == 1;
    default:
        return false;
    }
}

struct expr *build_binary(enum op op, struct expr *a, struct expr *b)
{
    uint64_t x, y, folded;

    if (is_const(a, &x) && is_const(b, &y) && fold_binary(op, x, y, &folded))
        return build_const(a->type, folded, a->loc);
    if (is_const(b, &y) && changes_nothing(op, y))
        return a;
    if (op == BIN_SUB && expr_equal(a, b))
        return build_const(a->type, 0, a->loc);
    struct expr *e = make(E_BINARY, a->type, a->loc);
    e->op = op;
    e->a = a;
    e->b = b;
    e->secret = a->secret || b->secret;
    return e;
}

struct expr *build_constant_op(enum op op, struct expr *a, uint64_t b)
{
    return build_binary(op, a, build_const(a->type == TYPE_ADDR ? TYPE_U64 : a->type, b, a->loc));
}

static bool compare(enum op op, uint64_t x, uint64_t y)
{
    switch (op) {
    case BIN_EQ: return x == y;
    case BIN_NE: return x != y;
    case BIN_LT: return x < y;
    case BIN_LE: return x <= y;
    case BIN_GT: return x > y;
    default: assert(op == BIN_GE); return x >= y;
    }
}

struct expr *build_compare(enum op op, struct expr *a, struct expr *b)
{
    uint64_t x, y;

    assert(a->type != TYPE_I32);
    if (is_const(a, &x) && is_const(b, &y))
        return build_const(TYPE_BOOL, compare(op, x, y), a->loc);
    struct expr *e = make(E_COMPARE, TYPE_BOOL, a->loc);
    e->op = op;
    e->a = a;
    e->b = b;
    e->secret = a->secret || b->secret;
    return e;
}

struct expr *build_convert(enum value_type type, struct expr *a)
{
    uint64_t x;

    if (a->type == type)
        return a;
    if (is_const(a, &x))
        return build_const(type, x, a->loc);
    struct expr *e = make(E_CONVERT, type, a->loc);
    e->a = a;
    e->secret = a->secret;
    return e;
}

struct expr *build_address(const struct access *at, struct loc loc)
{
    struct expr *e = make(E_ADDRESS, TYPE_ADDR, loc);
    e->access = *at;
    return e;
}

/* -- statements -- */

void chain_start(struct stmt_chain *l)
{
    l->first = NULL;
    l->end = &l->first;
}

void chain_add(struct stmt_chain *l, struct stmt *chain)
{
    *l->end = chain;
    while (*l->end)
        l->end = &(*l->end)->next;
}

static struct stmt *make_stmt(enum stmt_kind kind, struct loc loc)
{
    struct stmt *s = NEW(struct stmt);
    s->kind = kind;
    s->loc = loc;
    return s;
}

struct stmt *build_assign(struct var *v, struct expr *e, struct loc loc)
{
    struct stmt *s = make_stmt(S_ASSIGN, loc);
    s->var = v;
    s->value = e;
    return s;
}

struct stmt *build_if(struct expr *cond, struct stmt *body, struct loc loc)
{
    uint64_t known;

    if (!body)
        return NULL;
    if (is_const(cond, &known))
        return known ? body : NULL;
    struct stmt *s = make_stmt(S_IF, loc);
    s->cond = cond;
    s->body = body;
    return s;
}

struct stmt *build_repeat(struct var *count, struct stmt *body, int steps, struct loc loc)
{
    struct stmt *s = make_stmt(S_REPEAT, loc);
    s->steps = steps;
    s->count = count;
    s->body = body;
    return s;
}

struct stmt *build_until(struct expr *again, struct stmt *body, int steps, struct loc loc)
{
    struct stmt *s = make_stmt(S_REPEAT, loc);
    s->steps = steps;
    s->cond = again;
    s->body = body;
    return s;
}
