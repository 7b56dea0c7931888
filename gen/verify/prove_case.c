/* prove_case.c: runs both sides of one case and compares; see prove_case.h.
 *
 * Takes a scene and the text read back. The reference walks the typed tree, the
 * executor runs the text, over terms and from the same memory. Gives the first
 * difference: a byte, a result, a register not restored, a secret left behind,
 * an access or a branch that the term domain refused.
 *
 * Does not: compare order, registers or time; nothing but what a caller sees.
 */
#include "verify/prove_case.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>


/* ENOUGH: code that needs so many instructions, and as many again for each statement
 * of the source, does not end; its terms would grow until they fill the memory.
 * PREFIX_STORES: more than PREFIX_STEPS instructions can make, and less than fill
 * the window of a huge array. */
enum { STEP_LIMIT = 400000, ENOUGH = 500, PREFIX_STEPS = 600, PREFIX_STORES = 4 * PREFIX_STEPS,
       PREFIX_STATEMENTS = 16 * PREFIX_STEPS, SHOWN_DEPTH = 4 };

static char *shown(val v)
{
    struct text t = { 0 };
    if (v)
        term_print(&t, v, SHOWN_DEPTH);
    return t.at;
}

static void differ(struct run *r, const char *what, val expected, val found)
{
    if (r->difference)
        return;
    r->difference = mem_format("%s, with %s", what, scene_describe(r->scene));
    if (expected && found)
        term_narrow(&expected, &found);
    r->source = shown(expected);
    r->emitted = shown(found);
}

/* -- comparing -- */

static void compare_region(struct run *r, const struct region *expected, const struct region *found)
{
    for (uint64_t i = 0; i < expected->window && !r->difference; i++) {
        const struct cell *a = &expected->cells[i], *b = &found->cells[i];
        if (a->term == b->term && a->byte == b->byte)
            continue;
        val x = cell_value(a), y = cell_value(b);
        if (x != y)
            differ(r, mem_format("byte %llu of %s", (unsigned long long)i, expected->name), x, y);
    }
}

static bool is_stack(const struct scene *s, const struct region *r)
{
    return r->base == s->stack_top - s->stack_size;
}

static void compare_memory(struct run *r)
{
    const struct cells *expected = r->reference_domain.memory, *found = r->code_domain.memory;
    for (int i = 0; i < expected->regions.n; i++)
        if (!is_stack(r->scene, &expected->regions.at[i]))
            compare_region(r, &expected->regions.at[i], &found->regions.at[i]);
}

static val low(val v, int bits)
{
    return term_cat(bits, &(struct piece){ v, 0, (uint16_t)bits }, 1);
}

static void compare_result(struct run *r)
{
    const struct func *f = r->scene->cases->func;
    if (f->result_count == 0)
        return;
    val expected = r->reference.results[0];
    val found = low(r->machine.x[0], term_get(expected)->width);
    if (expected != found)
        differ(r, "the result", expected, found);
}

/* AAPCS64 6.1.1, 6.1.2: x19-x29, sp, the low halves of v8-v15. */
static void compare_saved(struct run *r)
{
    for (int i = 19; i <= 29; i++)
        if (r->machine.x[i] != r->entry.x[i])
            differ(r, mem_format("x%d is not restored", i), r->entry.x[i], r->machine.x[i]);
    if (r->machine.sp != r->entry.sp)
        differ(r, "sp is not restored", r->entry.sp, r->machine.sp);
    for (int i = 8; i <= 15; i++)
        if (low(r->machine.v[i], 64) != low(r->entry.v[i], 64))
            differ(r, mem_format("d%d is not restored", i), low(r->entry.v[i], 64),
                   low(r->machine.v[i], 64));
}

static void check_stack_wiped(struct run *r)
{
    const struct cells *m = r->code_domain.memory;
    for (int i = 0; i < m->regions.n; i++) {
        const struct region *stack = &m->regions.at[i];
        for (uint64_t k = 0; is_stack(r->scene, stack) && k < stack->window; k++)
            if (stack->cells[k].term && term_is_secret(&r->code_domain, stack->cells[k].term))
                differ(r, mem_format("a secret is left on the stack, %llu bytes below sp",
                                     (unsigned long long)(stack->size - k)), 0, 0);
    }
}

static void check_registers_wiped(struct run *r)
{
    const struct func *f = r->scene->cases->func;
    for (int i = f->result_count; i < COUNT(r->machine.x); i++)
        if (term_is_secret(&r->code_domain, r->machine.x[i]) && r->machine.x[i] != r->entry.x[i])
            differ(r, mem_format("a secret is left in x%d", i), 0, 0);
    for (int i = 0; i < COUNT(r->machine.v); i++)
        if (term_is_secret(&r->code_domain, r->machine.v[i]))
            differ(r, mem_format("a secret is left in v%d", i), 0, 0);
}

/* -- running -- */

static void run_reference(struct run *r, uint64_t step_limit, uint64_t store_limit)
{
    term_domain_init(&r->reference_domain, cells_copy(r->scene->memory));
    r->reference_domain.assignment = r->assignment;
    r->reference = (struct reference_run){
        .domain = &r->reference_domain.domain, .func = r->scene->cases->func,
        .args = r->scene->args, .tables = r->scene->tables, .stack = r->scene->stack_top,
        .step_limit = step_limit, .store_limit = store_limit };
    bool whole = reference_run(&r->reference);
    if (store_limit && r->reference_domain.memory->is_beyond) {
        r->reference.limited = true;
        return;
    }
    if (!whole)
        differ(r, mem_format("the source cannot be run: %s", r->reference.fault), 0, 0);
    else if (r->reference_domain.domain.fault)
        differ(r, mem_format("the source cannot be run: %s", r->reference_domain.domain.fault), 0, 0);
}

static bool run_code(struct run *r, const struct emitted *text, const char *label, uint64_t limit)
{
    term_domain_init(&r->code_domain, cells_copy(r->scene->memory));
    r->code_domain.declassified = r->reference_domain.declassified;
    r->code_domain.assignment = r->assignment;
    r->machine = (struct machine){ .domain = &r->code_domain.domain };
    scene_enter(r->scene, text, &r->machine);
    r->entry = r->machine;
    return exec_run(&r->machine, &text->code, label, limit);
}

/* One run of both sides, under one assignment. */
static void compare_runs(struct run *r, const struct emitted *text, const char *label)
{
    run_reference(r, STEP_LIMIT, 0);
    if (!r->difference && r->reference.limited)
        differ(r, "the source runs for too long", 0, 0);
    if (!r->difference && !run_code(r, text, label, ENOUGH + ENOUGH * r->reference.steps))
        differ(r, r->machine.fault, 0, 0);
    if (r->difference)
        return;
    compare_result(r);
    compare_memory(r);
    compare_saved(r);
    check_stack_wiped(r);
    if (r->scene->cases->func->wipe)
        check_registers_wiped(r);
}

void prove_case(struct run *r, const struct emitted *text, const char *label)
{
    compare_runs(r, text, label);
    while (!r->difference && r->reference_domain.declassified->at.n > 0 && ++r->assignment < SAMPLES)
        compare_runs(r, text, label);
}

/* What the source writes to one byte, first to last. */
struct written { val term; int byte; struct written *next; };
struct history { struct written *first, *last; };

static struct history *history_of(const struct cells *m, const struct region *r)
{
    struct history *h = NEW_ARRAY(struct history, r->window + 1);
    for (int i = 0; i < m->stores.n; i++) {
        const struct store_record *s = &m->stores.at[i];
        for (int k = 0; s->address - r->base < r->window && k < s->bytes; k++) {
            struct history *to = &h[s->address - r->base + (uint64_t)k];
            struct written *w = NEW(struct written);
            *w = (struct written){ s->value, k, NULL };
            if (to->last)
                to->last->next = w;
            else
                to->first = w;
            to->last = w;
        }
    }
    return h;
}

static val byte_of(val term, int byte)
{
    return term_cat(8, &(struct piece){ term, (uint16_t)(8 * byte), 8 }, 1);
}

/* Every store of the code writes what the source writes there next. */
static void compare_stores(struct run *r, const struct region *region)
{
    struct history *h = history_of(r->reference_domain.memory, region);
    const struct cells *m = r->code_domain.memory;
    for (int i = 0; i < m->stores.n && !r->difference; i++) {
        const struct store_record *s = &m->stores.at[i];
        uint64_t offset = s->address - region->base;
        for (int k = 0; offset < region->window && k < s->bytes && !r->difference; k++) {
            struct written **next = &h[offset + (uint64_t)k].first;
            val found = byte_of(s->value, k), expected = *next ? byte_of((*next)->term, (*next)->byte) : 0;
            if (found != expected)
                differ(r, mem_format("byte %llu of %s", (unsigned long long)offset + (unsigned)k,
                                     region->name), expected, found);
            else
                *next = (*next)->next;
        }
    }
}

static void compare_written(struct run *r)
{
    const struct cells *m = r->code_domain.memory;
    for (int i = 0; i < m->regions.n; i++)
        if (!is_stack(r->scene, &m->regions.at[i]))
            compare_stores(r, &m->regions.at[i]);
}

static void compare_prefix(struct run *r, const struct emitted *text, const char *label,
                           uint64_t part)
{
    run_reference(r, PREFIX_STATEMENTS / part, PREFIX_STORES / part);
    if (r->difference)
        return;
    if (!r->reference.limited)
        prove_case(r, text, label);
    else if (run_code(r, text, label, PREFIX_STEPS))
        differ(r, "returns early", 0, 0);
    else if (r->machine.steps < PREFIX_STEPS && !r->code_domain.memory->is_beyond)
        differ(r, r->machine.fault, 0, 0);
    else
        compare_written(r);
}

/* The first instructions with a huge count: where the source is far from its
 * end the code must not return, and each byte that it wrote must be what the
 * source writes there first. The source runs as far as that takes, mostly a
 * part of its limit: only a difference, which the rest may still resolve, makes
 * it run farther. */
void prove_prefix(struct run *r, const struct emitted *text, const char *label)
{
    static const uint64_t parts[] = { 16, 4, 1 };
    const struct run fresh = *r;
    for (int i = 0; i < COUNT(parts) && (i == 0 || r->difference); i++) {
        *r = fresh;
        compare_prefix(r, text, label, parts[i]);
    }
}
