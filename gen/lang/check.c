/* check.c: runs the analyses, and what they share.
 *
 * Takes a finished function of the typed tree; gives messages. The order
 * matters in one way only: check_secrets() marks what the later ones read.
 * A function with an uninitialised value is still given to the others: each of
 * them treats such a value as unknown.
 *
 * Does not: resolve, type or fold anything (elaboration), or change code.
 */
#include "lang/check.h"

#include <assert.h>
#include <string.h>

void check_func(struct func *f)
{
    check_secrets(f);
    check_assignments(f);
    check_features(f);
    check_flags(f);
    check_weaves(f);
    check_bounds(f);
    check_stack(f);
}

/* -- walking -- */

struct expr *expr_child(const struct expr *e, int i)
{
    if (e->access.offset != NULL && i-- == 0)
        return e->access.offset;
    if (e->a != NULL && i-- == 0)
        return e->a;
    if (e->b != NULL && i-- == 0)
        return e->b;
    if (e->c != NULL && i-- == 0)
        return e->c;
    return i < e->arg_count ? e->args[i] : NULL;
}

struct expr *stmt_expr(const struct stmt *s, int i)
{
    struct expr *const fixed[] = { s->access.offset, s->value, s->a, s->b, s->flag_in,
                                   s->lo, s->hi, s->cond };

    for (int k = 0; k < COUNT(fixed); k++)
        if (fixed[k] != NULL && i-- == 0)
            return fixed[k];
    if (i < s->value_count)
        return s->values[i];
    i -= s->value_count;
    for (int k = 0; k < s->arg_count; k++)
        if (s->args[k].value != NULL && i-- == 0)
            return s->args[k].value;
    return NULL;
}

struct var *stmt_result(const struct stmt *s, int i, bool *done)
{
    struct var *const fixed[] = { s->var, s->flag, s->high };

    if (i < COUNT(fixed))
        return fixed[i];
    i -= COUNT(fixed);
    if (i < s->result_count)
        return s->results[i];
    *done = true;
    return NULL;
}

struct stmt *stmt_body(const struct stmt *s, int i, bool *done)
{
    if (s->kind == S_FOR && i < s->arm_count)
        return s->arms[i].body;
    if ((s->kind == S_IF || s->kind == S_WHILE || s->kind == S_REPEAT) && i == 0)
        return s->body;
    if (s->kind == S_IF && i == 1)
        return s->other;
    *done = true;
    return NULL;
}

const char *var_label(const struct var *v)
{
    return v->name == NULL || v->name[0] == '\0' ? "this value" : mem_format("'%s'", v->name);
}

const struct field *access_field(const struct access *a, int bytes)
{
    const struct struct_type *layout = a->object->layout;

    if (a->field != NULL || layout == NULL)
        return a->field;
    if (a->offset->kind != E_CONST)
        return NULL;
    for (int i = 0; i < layout->field_count; i++) {
        const struct field *fd = &layout->fields[i];
        const uint64_t size = fd->count * (uint64_t)type_bytes(fd->element);
        const uint64_t at = a->offset->value[0];

        if (at >= fd->offset && at - fd->offset < size &&
            (uint64_t)bytes <= size - (at - fd->offset))
            return fd;
    }
    return NULL;
}

/* -- sets -- */

static int word_count(int n)
{
    return (n + 63) / 64;
}

struct bits bits_new(int n)
{
    return (struct bits){ NEW_ARRAY(uint64_t, word_count(n) + 1), n };
}

struct bits bits_copy(const struct bits *b)
{
    struct bits c = bits_new(b->n);

    memcpy(c.word, b->word, sizeof *c.word * (size_t)word_count(b->n));
    return c;
}

void bits_set(struct bits *b, int i)
{
    assert(i >= 0 && i < b->n);
    b->word[i / 64] |= UINT64_C(1) << (i % 64);
}

void bits_clear(struct bits *b, int i)
{
    assert(i >= 0 && i < b->n);
    b->word[i / 64] &= ~(UINT64_C(1) << (i % 64));
}

bool bits_has(const struct bits *b, int i)
{
    assert(i >= 0 && i < b->n);
    return b->word[i / 64] >> (i % 64) & 1;
}

void bits_fill(struct bits *b)
{
    for (int i = 0; i < word_count(b->n); i++)
        b->word[i] = UINT64_MAX;
}

void bits_empty(struct bits *b)
{
    for (int i = 0; i < word_count(b->n); i++)
        b->word[i] = 0;
}

bool bits_union(struct bits *into, const struct bits *from)
{
    bool grew = false;

    for (int i = 0; i < word_count(into->n); i++) {
        grew = grew || (from->word[i] & ~into->word[i]) != 0;
        into->word[i] |= from->word[i];
    }
    return grew;
}

void bits_intersect(struct bits *into, const struct bits *from)
{
    for (int i = 0; i < word_count(into->n); i++)
        into->word[i] &= from->word[i];
}
