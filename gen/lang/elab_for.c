/* elab_for.c: loops, those that run and those that are expanded here.
 *
 * A run-time loop becomes one S_FOR with an arm for each width of its list; the
 * body is elaborated once for each, with `width` a constant, so that a body may
 * differ (`static if width == 4`). Both bounds are evaluated once, before the
 * loop. `lo..=hi` becomes hi + 1 where that cannot wrap.
 *
 * A static loop is gone afterwards: its body is elaborated for each value.
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

enum { WIDTH_LIMIT = 64 };

/* -- bounds -- */

static bool bound_item(struct elab *e, const struct node *n, struct item *out)
{
    *out = elab_expr(e, n, TYPE_VOID);
    if (out->kind == ITEM_CONSTANT && out->constant.kind == CONSTANT_INTEGER)
        return true;
    if (out->kind == ITEM_VALUE && (out->expr->type == TYPE_U32 || out->expr->type == TYPE_U64))
        return true;
    if (out->kind != ITEM_ERROR)
        error_at(n->loc, RULE_TYPE, "a loop's bounds are u32 or u64, this is %s", item_text(out));
    return false;
}

static enum value_type bound_type(const struct item *it)
{
    if (it->kind == ITEM_VALUE)
        return it->expr->type;
    return register_type(it->type);
}

/* hi + 1 of an inclusive range. */
static struct expr *end_after(struct elab *e, struct expr *hi)
{
    struct expr *one = make_const(hi->type, 1, hi->loc);

    if (!proved_below_max(e, hi)) {
        error_at(hi->loc, RULE_RANGE,
                 "the last value may be the largest %s, so the loop might not end",
                 value_types[hi->type].name);
        return NULL;
    }
    if (is_constant_expr(hi))
        return make_const(hi->type, hi->value[0] + 1, hi->loc);
    return make_binary(BIN_ADD, hi, one, hi->loc);
}

static bool elab_bounds(struct elab *e, const struct node *range, struct stmt *s)
{
    struct item lo, hi;
    struct stmt **mark;
    enum value_type type;

    if (!bound_item(e, range->a, &lo))
        return false;
    mark = e->end;
    if (!bound_item(e, range->b, &hi))
        return false;
    settle(e, mark, &lo);
    type = bound_type(&hi) != TYPE_VOID ? bound_type(&hi) : bound_type(&lo);
    if (type == TYPE_VOID)
        type = TYPE_U64;
    if (bound_type(&lo) != TYPE_VOID && bound_type(&lo) != type) {
        error_at(range->loc, RULE_TYPE, "the bounds of a loop have one type, these are %s and %s",
                 item_text(&lo), item_text(&hi));
        return false;
    }
    s->lo = coerce(e, lo, type);
    s->hi = coerce(e, hi, type);
    if (s->lo != NULL && s->hi != NULL && range->is_inclusive)
        s->hi = end_after(e, s->hi);
    return s->lo != NULL && s->hi != NULL;
}

static bool elab_step(struct elab *e, const struct node *n, struct stmt *s)
{
    s->step = 1;
    if (n->step == NULL)
        return true;
    if (!elab_static(e, n->step, "the step of a loop", &s->step))
        return false;
    if (s->step == 0 || !number_fits(s->step, s->lo->type) || s->step > UINT32_MAX) {
        error_at(n->step->loc, RULE_RANGE, "a step of %llu", (unsigned long long)s->step);
        return false;
    }
    return true;
}

static bool elab_widths(struct elab *e, const struct node *n, struct stmt *s)
{
    int count = 0;

    for (const struct node *w = n->widths; w != NULL; w = w->next)
        count++;
    s->shape = n->shape;
    s->arms = NEW_ARRAY(struct for_arm, count + 1);
    if (n->shape == LOOP_PLAIN) {
        s->arms[0].width = 1;
        s->arm_count = 1;
        return true;
    }
    for (const struct node *w = n->widths; w != NULL; w = w->next) {
        uint64_t width;

        if (!elab_static(e, w, "a width", &width))
            return false;
        if (width == 0 || width > WIDTH_LIMIT) {
            error_at(w->loc, RULE_EXTENT, "a width of %llu: it is from 1 to %d",
                     (unsigned long long)width, (int)WIDTH_LIMIT);
            return false;
        }
        if (s->arm_count > 0 && (int)width >= s->arms[s->arm_count - 1].width) {
            error_at(w->loc, RULE_EXTENT, "widths descend: %llu does not come after %d",
                     (unsigned long long)width, s->arms[s->arm_count - 1].width);
            return false;
        }
        s->arms[s->arm_count++].width = (int)width;
    }
    return true;
}

/* -- bodies -- */

static struct expr *comparison(enum op op, struct expr *a, struct expr *b)
{
    struct expr *x = make_expr(E_COMPARE, TYPE_BOOL, a->loc);

    x->op = op;
    x->a = a;
    x->b = b;
    return x;
}

static void elab_arm(struct elab *e, const struct node *n, struct stmt *s, struct for_arm *arm)
{
    const int facts = e->facts.n;
    struct expr *index = make_var_expr(s->index, n->name_loc);

    e->end = &arm->body;
    scope_push(e);
    scope_bind(e, intern("width", 5), n->loc, item_integer((uint64_t)arm->width, n->loc))->why_not =
        "the width of the loop";
    scope_push(e);
    if (strcmp(n->name, "_") != 0)
        scope_bind(e, n->name, n->name_loc, item_value(index))->why_not = "the index of a loop";
    add_fact(e, comparison(BIN_GE, index, s->lo));
    add_fact(e, comparison(BIN_LT, index, s->hi));
    (void)elab_block(e, n->body);
    scope_pop(e);
    scope_pop(e);
    e->facts.n = facts;
}

enum flow elab_for(struct elab *e, const struct node *n)
{
    struct stmt *s = NEW(struct stmt);

    s->kind = S_FOR;
    s->loc = n->loc;
    if (n->a->kind != N_RANGE) {
        error_at(n->a->loc, RULE_TYPE,
                 "a loop that runs goes over a range; 'static for' goes over lists");
        return FLOW_OPEN;
    }
    if (!elab_bounds(e, n->a, s) || !elab_step(e, n, s) || !elab_widths(e, n, s))
        return FLOW_OPEN;
    s->index = make_var(e, n->name, s->lo->type, n->name_loc);
    s->index->ignored = strcmp(n->name, "_") == 0;
    *e->end = s;
    if (e->frame != NULL)
        e->frame->loops++;
    for (int i = 0; i < s->arm_count; i++) {
        if (s->shape != LOOP_PLAIN)
            diag_push_expansion(n->loc, mem_format("width %d", s->arms[i].width));
        elab_arm(e, n, s, &s->arms[i]);
        if (s->shape != LOOP_PLAIN)
            diag_pop_expansion();
    }
    if (e->frame != NULL)
        e->frame->loops--;
    /* Within the body nothing changes the index; now the loop is complete. */
    s->index->is_mutable = true;
    e->end = &s->next;
    return FLOW_OPEN;
}

enum flow elab_static_for(struct elab *e, const struct node *n)
{
    struct domain_items d;
    enum flow flow = FLOW_OPEN;

    if (n->shape != LOOP_PLAIN) {
        error_at(n->loc, RULE_TYPE, "a static loop is expanded already: it has no widths");
        return FLOW_OPEN;
    }
    if (!elab_domain(e, n->a, n->step, &d))
        return FLOW_OPEN;
    for (int i = 0; i < d.count && flow == FLOW_OPEN && !e->exhausted; i++) {
        const struct item it = domain_item(&d, i, n->a->loc);

        diag_push_expansion(n->loc, it.kind == ITEM_CONSTANT
                                        ? mem_format("%s = %s", n->name, constant_text(&it.constant))
                                        : NULL);
        scope_push(e);
        scope_bind(e, n->name, n->name_loc, it)->why_not = "the index of a loop";
        flow = elab_block(e, n->body);
        scope_pop(e);
        diag_pop_expansion();
    }
    return flow;
}
