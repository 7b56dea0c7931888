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

#include "verify/term_second.h"

/* ENOUGH: code that needs so many instructions, EACH more for every statement and
 * expression of the source (kernels need less than 2), and as many as its stack arrays
 * have bytes to wipe them, does not end; its terms would grow until they fill the memory.
 * PREFIX_STORES: more than PREFIX_STEPS instructions can make, and less than fill
 * the window of a huge array. */
enum { STEP_LIMIT = 400000, ENOUGH = 500, EACH = 8, PREFIX_STEPS = 600, PREFIX_STORES = 4 * PREFIX_STEPS,
       PREFIX_STATEMENTS = 16 * PREFIX_STEPS, SHOWN_DEPTH = 4 };

/* Both sides, after they ran. */
struct comparison {
    const struct expectation *expected;
    const struct scene *scene;          /* of the code */
    struct term_domain domain;          /* of the code */
    struct machine machine, entry;
    struct finding *found;
};

static char *shown(val v)
{
    struct text t = { 0 };
    if (v)
        term_print(&t, v, SHOWN_DEPTH);
    return t.at;
}

static void describe_way(struct text *out, const struct ways *w)
{
    for (int i = 0; i < w->decisions.n; i++) {
        text_add(out, i ? ", " : ", where ");
        term_print(out, w->decisions.at[i].bit, SHOWN_DEPTH);
        text_format(out, " is %d", w->decisions.at[i].outcome);
    }
}

static void report(struct finding *f, const struct expectation *e, const char *what, val expected,
                   val found)
{
    struct text way = { 0 };
    if (f->difference)
        return;
    describe_way(&way, e->ways);
    f->difference = mem_format("%s, with %s%s", what, scene_describe(e->scene), way.n ? way.at : "");
    f->is_doubtful = expected && found && term_same_samples(expected, found);
    if (expected && found)
        term_narrow(&expected, &found);
    f->source = shown(expected);
    f->emitted = shown(found);
}

static void differ(struct comparison *c, const char *what, val expected, val found)
{
    report(c->found, c->expected, what, expected, found);
}

/* -- comparing -- */

static void compare_page(struct comparison *c, const struct region *in, uint64_t number,
                         const struct page *expected, const struct page *found)
{
    uint64_t first = number * PAGE_CELLS;
    for (uint64_t i = 0; i < PAGE_CELLS && first + i < in->window && !c->found->difference; i++) {
        const struct cell *a = &expected->at[i], *b = &found->at[i];
        if (a->term == b->term && a->byte == b->byte)
            continue;
        val x = cell_value(a), y = cell_value(b);
        if (x != y && !term_second_look(&x, &y))
            differ(c, mem_format("byte %llu of %s", (unsigned long long)(first + i), in->name), x, y);
    }
}

static void compare_region(struct comparison *c, const struct region *expected, const struct region *found)
{
    for (uint64_t i = 0; i < cells_pages(expected) && !c->found->difference; i++) {
        const struct page *a = expected->own[i], *b = found->own[i];
        if (a || b)
            compare_page(c, expected, i, cells_page(expected, i), cells_page(found, i));
    }
}

static bool is_stack(const struct scene *s, const struct region *r)
{
    return r->base == s->stack_top - s->stack_size;
}

/* Scenes of one case have the same regions, in the same order. */
static void compare_memory(struct comparison *c)
{
    const struct cells *expected = c->expected->domain.memory, *found = c->domain.memory;
    assert(expected->regions.n == found->regions.n);
    for (int i = 0; i < expected->regions.n; i++)
        if (!is_stack(c->scene, &found->regions.at[i]))
            compare_region(c, &expected->regions.at[i], &found->regions.at[i]);
}

static val low(val v, int bits)
{
    return term_cat(bits, &(struct piece){ v, 0, (uint16_t)bits }, 1);
}

static void compare_result(struct comparison *c)
{
    const struct func *f = c->scene->cases->func;
    if (f->result_count == 0)
        return;
    val expected = c->expected->reference.results[0];
    val found = low(c->machine.x[0], term_get(expected)->width);
    if (expected != found && !term_second_look(&expected, &found))
        differ(c, "the result", expected, found);
}

/* AAPCS64 6.1.1, 6.1.2: x19-x29, sp, the low halves of v8-v15. */
static void compare_saved(struct comparison *c)
{
    for (int i = 19; i <= 29; i++)
        if (c->machine.x[i] != c->entry.x[i])
            differ(c, mem_format("x%d is not restored", i), c->entry.x[i], c->machine.x[i]);
    if (c->machine.sp != c->entry.sp)
        differ(c, "sp is not restored", c->entry.sp, c->machine.sp);
    for (int i = 8; i <= 15; i++)
        if (low(c->machine.v[i], 64) != low(c->entry.v[i], 64))
            differ(c, mem_format("d%d is not restored", i), low(c->entry.v[i], 64),
                   low(c->machine.v[i], 64));
}

static void check_page_wiped(struct comparison *c, const struct region *stack, uint64_t number)
{
    const struct page *page = stack->own[number];
    for (uint64_t i = 0; page && i < PAGE_CELLS && !c->found->difference; i++)
        if (page->at[i].term && term_is_secret(&c->domain, page->at[i].term))
            differ(c, mem_format("a secret is left on the stack, %llu bytes below sp",
                                 (unsigned long long)(stack->size - number * PAGE_CELLS - i)), 0, 0);
}

/* Nothing is on the stack in the beginning. */
static void check_stack_wiped(struct comparison *c)
{
    const struct cells *m = c->domain.memory;
    for (int i = 0; i < m->regions.n; i++) {
        const struct region *stack = &m->regions.at[i];
        for (uint64_t k = 0; is_stack(c->scene, stack) && k < cells_pages(stack); k++)
            check_page_wiped(c, stack, k);
    }
}

static void check_registers_wiped(struct comparison *c)
{
    const struct func *f = c->scene->cases->func;
    for (int i = f->result_count; i < COUNT(c->machine.x); i++)
        if (term_is_secret(&c->domain, c->machine.x[i]) && c->machine.x[i] != c->entry.x[i])
            differ(c, mem_format("a secret is left in x%d", i), 0, 0);
    for (int i = 0; i < COUNT(c->machine.v); i++)
        if (term_is_secret(&c->domain, c->machine.v[i]))
            differ(c, mem_format("a secret is left in v%d", i), 0, 0);
}

/* -- running -- */

static void run_reference(struct expectation *e, uint64_t step_limit, uint64_t store_limit)
{
    const struct scene *s = e->scene;
    term_domain_init(&e->domain, cells_copy(s->memory), e->ways);
    e->reference = (struct reference_run){
        .domain = &e->domain.domain, .func = s->cases->func, .args = s->args, .tables = s->tables,
        .stack = s->stack_top, .step_limit = step_limit, .store_limit = store_limit };
    reference_run(&e->reference);
    if (store_limit && e->domain.memory->is_beyond)
        e->reference.limited = true;
}

static void report_reference(const struct expectation *e, struct finding *f)
{
    const char *fault = e->reference.fault ? e->reference.fault : e->domain.domain.fault;
    if (fault && !(e->prefix_part && e->reference.limited))
        report(f, e, mem_format("the source cannot be run: %s", fault), 0, 0);
    else if (!e->prefix_part && e->reference.limited)
        report(f, e, "the source runs for too long", 0, 0);
}

bool expect_case(struct expectation *e, struct finding *f)
{
    uint64_t part = e->prefix_part;
    run_reference(e, part ? PREFIX_STATEMENTS / part : STEP_LIMIT, part ? PREFIX_STORES / part : 0);
    if (e->ways->begins_again)
        return false;
    report_reference(e, f);
    return !f->difference;
}

/* The expectation's domain stays as it is; the code runs in one of its own. */
static bool run_code(struct comparison *c, const struct emitted *text, const char *label,
                     uint64_t limit, uint8_t *covered)
{
    term_domain_init(&c->domain, cells_copy(c->scene->memory), c->expected->ways);
    domain_set_stack(&c->domain.domain, c->scene->stack_top - c->scene->stack_size, c->scene->stack_top);
    c->machine = (struct machine){ .domain = &c->domain.domain, .covered = covered };
    scene_enter(c->scene, text, &c->machine);
    c->entry = c->machine;
    bool returned = exec_run(&c->machine, &text->code, label, limit);
    c->found->steps += c->machine.steps;
    return returned;
}

void check_case(const struct expectation *e, const struct scene *scene, const struct emitted *text,
                const char *label, uint8_t *covered, struct finding *f)
{
    struct comparison c = { .expected = e, .scene = scene, .found = f };
    uint64_t work = e->reference.steps + e->reference.expressions;
    bool returned = run_code(&c, text, label, ENOUGH + EACH * work + e->reference.stacked, covered);
    if (e->ways->begins_again)
        return;
    if (!returned) {
        differ(&c, c.machine.fault, 0, 0);
        return;
    }
    compare_result(&c);
    compare_memory(&c);
    compare_saved(&c);
    check_stack_wiped(&c);
    if (scene->cases->func->wipe)
        check_registers_wiped(&c);
}

/* -- prefixes -- */

/* What the source writes to one byte, first to last. */
struct written { val term; int byte; struct written *next; };
struct byte_history { struct written *first, *last; };

/* Of the bytes from `from` up to `to`, the first and the last that are written: a
 * beginning writes little of a region that may be huge. */
struct history { uint64_t from, to; struct byte_history *at; };

static bool is_in(const struct region *r, const struct store_record *s)
{
    return s->address - r->base < r->window;
}

static struct history empty_history(const struct cells *m, const struct region *r)
{
    struct history h = { .from = UINT64_MAX };
    for (int i = 0; i < m->stores.n; i++) {
        const struct store_record *s = &m->stores.at[i];
        const uint64_t offset = s->address - r->base, end = offset + (uint64_t)s->bytes;
        if (!is_in(r, s))
            continue;
        h.from = offset < h.from ? offset : h.from;
        h.to = end > h.to ? end : h.to;
    }
    if (h.from < h.to)
        h.at = NEW_ARRAY(struct byte_history, h.to - h.from);
    return h;
}

static struct history history_of(const struct cells *m, const struct region *r)
{
    struct history h = empty_history(m, r);
    for (int i = 0; i < m->stores.n; i++) {
        const struct store_record *s = &m->stores.at[i];
        for (int k = 0; is_in(r, s) && k < s->bytes; k++) {
            struct byte_history *to = &h.at[s->address - r->base + (uint64_t)k - h.from];
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

/* Takes what the source writes next to the byte at OFFSET; NULL when it writes no more. */
static const struct written *next_written(struct history *h, uint64_t offset)
{
    if (offset < h->from || offset >= h->to)
        return NULL;
    struct byte_history *of = &h->at[offset - h->from];
    const struct written *w = of->first;
    if (w)
        of->first = w->next;
    return w;
}

static val byte_of(val term, int byte)
{
    return term_cat(8, &(struct piece){ term, (uint16_t)(8 * byte), 8 }, 1);
}

static void compare_byte(struct comparison *c, struct history *h, const struct region *region,
                         const struct store_record *s, int k)
{
    const uint64_t offset = s->address - region->base + (uint64_t)k;
    const struct written *w = next_written(h, offset);
    val found = byte_of(s->value, k), expected = w ? byte_of(w->term, w->byte) : 0;
    if (found != expected && !(expected && term_second_look(&expected, &found)))
        differ(c, mem_format("byte %llu of %s", (unsigned long long)offset, region->name), expected,
               found);
}

/* Every store of the code writes what the source writes there next. */
static void compare_stores(struct comparison *c, const struct region *region)
{
    struct history h = history_of(c->expected->domain.memory, region);
    const struct cells *m = c->domain.memory;
    for (int i = 0; i < m->stores.n; i++)
        for (int k = 0; is_in(region, &m->stores.at[i]) && k < m->stores.at[i].bytes; k++)
            if (!c->found->difference)
                compare_byte(c, &h, region, &m->stores.at[i], k);
}

static void compare_written(struct comparison *c)
{
    const struct cells *m = c->domain.memory;
    for (int i = 0; i < m->regions.n; i++) {
        const struct mem_mark mark = mem_mark();
        if (!is_stack(c->scene, &m->regions.at[i]))
            compare_stores(c, &m->regions.at[i]);
        if (!c->found->difference)
            mem_release_to(mark);
    }
}

static void check_beginning(const struct expectation *e, const struct emitted *text, const char *label,
                            uint8_t *covered, struct finding *f)
{
    struct comparison c = { .expected = e, .scene = e->scene, .found = f };
    if (run_code(&c, text, label, PREFIX_STEPS, covered))
        differ(&c, "returns early", 0, 0);
    else if (e->ways->begins_again)
        return;
    else if (c.machine.steps < PREFIX_STEPS && !c.domain.memory->is_beyond)
        differ(&c, c.machine.fault, 0, 0);
    else
        compare_written(&c);
}

static void check_part(struct expectation *e, const struct emitted *text, const char *label,
                       uint8_t *covered, struct finding *f)
{
    do {
        if (!expect_case(e, f))
            continue;
        if (e->reference.limited)
            check_beginning(e, text, label, covered, f);
        else
            check_case(e, e->scene, text, label, covered, f);
    } while (!f->difference && ways_next(e->ways));
}

/* The first instructions with a huge count: where the source is far from its
 * end the code must not return, and each byte that it wrote must be what the
 * source writes there first. The source runs as far as that takes, mostly a
 * part of its limit: only a difference, which the rest may still resolve, makes
 * it run farther. */
void check_prefix(const struct scene *scene, const struct emitted *text, const char *label,
                  uint8_t *covered, struct finding *f)
{
    static const uint64_t parts[] = { 16, 4, 1 };
    const struct finding fresh = *f;
    for (int i = 0; i < COUNT(parts) && (i == 0 || f->difference); i++) {
        struct expectation e = { .scene = scene, .ways = NEW(struct ways), .prefix_part = parts[i] };
        *f = fresh;
        check_part(&e, text, label, covered, f);
    }
}
