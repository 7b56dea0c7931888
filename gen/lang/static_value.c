/* static_value.c: values of the static language, and its arithmetic.
 *
 * A value is an integer of 64 bits or a list. Lists are values: a list with
 * more than one holder is marked shared and is copied before one of its
 * holders is written to, so that passing an array of 256 costs nothing.
 */
#include "lang/static.h"

#include <assert.h>
#include <string.h>

struct constant constant_integer(uint64_t n)
{
    return (struct constant){CONSTANT_INTEGER, {.number = n}};
}

struct constant constant_list(int n)
{
    struct list *l = NEW(struct list);

    assert(n >= 0 && n <= STATIC_LIST_LIMIT);
    l->n = n;
    l->at = NEW_ARRAY(struct constant, n > 0 ? n : 1);
    return (struct constant){CONSTANT_LIST, {.list = l}};
}

struct constant constant_share(struct constant c)
{
    if (c.kind == CONSTANT_LIST)
        c.u.list->shared = true;
    return c;
}

struct list *list_for_writing(struct constant *holder)
{
    struct list *old = holder->u.list;

    assert(holder->kind == CONSTANT_LIST);
    if (old->shared) {
        *holder = constant_list(old->n);
        for (int i = 0; i < old->n; i++)
            holder->u.list->at[i] = constant_share(old->at[i]);
        holder->u.list->is_bytes = old->is_bytes;
        holder->u.list->is_tuple = old->is_tuple;
    }
    return holder->u.list;
}

int constant_flat_count(const struct constant *c)
{
    int n = 0;

    if (c->kind == CONSTANT_INTEGER)
        return 1;
    for (int i = 0; i < c->u.list->n; i++) {
        n += constant_flat_count(&c->u.list->at[i]);
        if (n > STATIC_LIST_LIMIT)
            return STATIC_LIST_LIMIT + 1;
    }
    return n;
}

void constant_flatten(const struct constant *c, uint64_t *numbers, int *n)
{
    if (c->kind == CONSTANT_INTEGER) {
        numbers[(*n)++] = c->u.number;
        return;
    }
    for (int i = 0; i < c->u.list->n; i++)
        constant_flatten(&c->u.list->at[i], numbers, n);
}

static int hex_digit(char c)
{
    const char *digits = "0123456789abcdef", *upper = "0123456789ABCDEF";
    const char *at = c == '\0' ? NULL : strchr(digits, c);

    if (at != NULL)
        return (int)(at - digits);
    at = c == '\0' ? NULL : strchr(upper, c);
    return at != NULL ? (int)(at - upper) : -1;
}

bool constant_from_hex(const char *text, struct constant *out)
{
    const size_t n = strlen(text);
    int digits = 0, high = 0;

    if (n > 4 * STATIC_LIST_LIMIT)
        return false;
    *out = constant_list((int)(n / 2 < STATIC_LIST_LIMIT ? n / 2 : STATIC_LIST_LIMIT));
    for (size_t i = 0; i < n; i++) {
        const int digit = hex_digit(text[i]);

        if (text[i] == ' ' && digits % 2 == 0)
            continue;
        if (digit < 0 || digits / 2 >= out->u.list->n)
            return false;
        if (digits % 2 == 1)
            out->u.list->at[digits / 2] = constant_integer((uint64_t)(high << 4 | digit));
        high = digit;
        digits++;
    }
    out->u.list->n = digits / 2;
    out->u.list->is_bytes = true;
    return digits % 2 == 0;
}

const char *constant_text(const struct constant *c)
{
    if (c->kind == CONSTANT_LIST)
        return mem_format(c->u.list->is_tuple ? "a tuple of %d" : "a list of %d", c->u.list->n);
    if (c->u.number >= UINT64_MAX - 0xffff)
        return mem_format("-%llu", (unsigned long long)(0 - c->u.number));
    return mem_format(c->u.number < 4096 ? "%llu" : "0x%llx", (unsigned long long)c->u.number);
}

/* -- arithmetic -- */

static uint64_t rotate_left(uint64_t a, uint64_t n)
{
    n &= 63;
    return n == 0 ? a : a << n | a >> (64 - n);
}

const char *static_binary(enum op op, uint64_t a, uint64_t b, uint64_t *out)
{
    *out = 0;
    if ((op == BIN_DIV || op == BIN_MOD) && b == 0)
        return "division by zero";
    if ((op == BIN_SHL || op == BIN_SHR || op == BIN_ROL || op == BIN_ROR) && b > 63)
        return "a shift by more than 63";
    switch (op) {
    case BIN_ADD: *out = a + b; break;
    case BIN_SUB: *out = a - b; break;
    case BIN_MUL: *out = a * b; break;
    case BIN_DIV: *out = a / b; break;
    case BIN_MOD: *out = a % b; break;
    case BIN_AND: *out = a & b; break;
    case BIN_OR:  *out = a | b; break;
    case BIN_XOR: *out = a ^ b; break;
    case BIN_SHL: *out = a << b; break;
    case BIN_SHR: *out = a >> b; break;
    case BIN_ROL: *out = rotate_left(a, b); break;
    case BIN_ROR: *out = rotate_left(a, 64 - b); break;
    case BIN_EQ:  *out = a == b; break;
    case BIN_NE:  *out = a != b; break;
    case BIN_LT:  *out = a < b; break;
    case BIN_LE:  *out = a <= b; break;
    case BIN_GT:  *out = a > b; break;
    case BIN_GE:  *out = a >= b; break;
    case BIN_LOGIC_AND: *out = a != 0 && b != 0; break;
    case BIN_LOGIC_OR:  *out = a != 0 || b != 0; break;
    default: assert(0 && "a unary operator"); break;
    }
    return NULL;
}

uint64_t static_unary(enum op op, uint64_t a)
{
    return op == UN_NOT ? ~a : op == UN_NEG ? 0 - a : a == 0;
}

/* -- declared types -- */

static struct constant zero_element(const struct static_type *t)
{
    return t->lanes > 0 ? constant_list(t->lanes) : constant_integer(0);
}

struct constant static_zero(const struct static_type *t)
{
    struct constant c;

    if (!t->is_array)
        return zero_element(t);
    c = constant_list((int)t->count);
    for (int i = 0; t->lanes > 0 && i < c.u.list->n; i++)
        c.u.list->at[i] = zero_element(t);
    return c;
}

/* One element: an integer, or the lanes of a vector (an integer is splatted). */
static bool convert_element(const struct static_type *t, struct constant *c, struct loc where)
{
    if (t->lanes == 0) {
        if (c->kind != CONSTANT_INTEGER) {
            error_at(where, RULE_TYPE, "an integer is needed here, this is %s", constant_text(c));
            return false;
        }
        c->u.number = low_bits(c->u.number, t->bits);
        return true;
    }
    if (c->kind == CONSTANT_INTEGER) {
        const uint64_t n = low_bits(c->u.number, t->bits);

        *c = constant_list(t->lanes);
        for (int i = 0; i < t->lanes; i++)
            c->u.list->at[i] = constant_integer(n);
        return true;
    }
    if (c->u.list->n != t->lanes) {
        error_at(where, RULE_TYPE, "a vector of %d lanes is needed here, this is %s", t->lanes,
                 constant_text(c));
        return false;
    }
    for (int i = 0; i < t->lanes; i++) {
        const struct constant *lane = &c->u.list->at[i];

        if (lane->kind != CONSTANT_INTEGER) {
            error_at(where, RULE_TYPE, "lane %d is %s", i, constant_text(lane));
            return false;
        }
        if (low_bits(lane->u.number, t->bits) != lane->u.number)
            list_for_writing(c)->at[i] = constant_integer(low_bits(lane->u.number, t->bits));
    }
    return true;
}

bool static_convert(const struct static_type *t, struct constant *value, struct loc where)
{
    if (t->bits == 0)
        return true;
    if (!t->is_array)
        return convert_element(t, value, where);
    if (value->kind != CONSTANT_LIST) {
        error_at(where, RULE_TYPE, "an array is needed here, this is %s", constant_text(value));
        return false;
    }
    if (!t->any_count && (uint64_t)value->u.list->n != t->count) {
        error_at(where, RULE_TYPE, "an array of %llu is needed here, this is %s",
                 (unsigned long long)t->count, constant_text(value));
        return false;
    }
    for (int i = 0; i < value->u.list->n; i++) {
        struct constant element = value->u.list->at[i];

        if (t->lanes == 0 && element.kind == CONSTANT_INTEGER &&
            low_bits(element.u.number, t->bits) == element.u.number)
            continue;
        if (t->lanes > 0 && element.kind == CONSTANT_LIST)
            element = constant_share(element);
        if (!convert_element(t, &element, where))
            return false;
        list_for_writing(value)->at[i] = element;
    }
    return true;
}
