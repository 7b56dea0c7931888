/* cases.c: finds the public inputs to try; see cases.h.
 *
 * Takes a typed function before shaping. For a parameter that counts (it
 * reaches a loop bound or an extent) the values are 0 .. unit * (2 * width + 1)
 * where `unit` is what it is divided by and `width` the widest loop: every
 * remainder of every width is met at least twice, once with the main loop not
 * taken and once with it taken. Three rounds of the widest loop and a remainder
 * are met, too: a loop whose iterations overlap (code/modulo.c) repeats
 * its kernel only then. What is left of a unit is met in full without a
 * whole unit before it, and as nothing, 1 and all but 1 behind one and two.
 * What has a small set of values is tried with each. What only conditions and
 * addresses ask for is no choice: it stays a symbol, and runs decide about it
 * (term_domain.h), which proves it for every value.
 */
#include "verify/cases.h"

#include <assert.h>

enum { SMALL_SET = 40, MAX_PARTITIONS = 64 };

/* What the body does with one parameter, or one public field of one. */
struct use {
    const struct var *var;
    const struct field *field;
    uint64_t unit;                      /* largest constant divisor */
    bool counts;
    VEC(uint64_t) compared;
};

struct scan {
    struct use *uses;
    int n, widest, depth;
    bool has_middle_width;              /* some loop has more widths than its widest and 1 */
    bool asks_same;                     /* the body contains same(a, b) */
};

static struct use *use_of(struct scan *s, const struct expr *e)
{
    while (e && (e->kind == E_CONVERT || (e->kind == E_BINARY && e->b->kind == E_CONST)))
        e = e->a;
    for (int i = 0; e && i < s->n; i++)
        if ((e->kind == E_VAR && s->uses[i].var == e->var) ||
            (e->kind == E_LOAD && e->access.field && s->uses[i].field == e->access.field))
            return &s->uses[i];
    return NULL;
}

static void scan_expr(struct scan *s, const struct expr *e);

static void scan_binary(struct scan *s, const struct expr *e)
{
    struct use *u = use_of(s, e->a);
    if (!u || e->b->kind != E_CONST)
        return;
    uint64_t k = e->b->value[0];
    if (e->kind == E_COMPARE)
        vec_push(&u->compared, k);
    else if ((e->op == BIN_DIV || e->op == BIN_MOD) && k > u->unit && k <= 256)
        u->unit = k;
}

static void scan_expr(struct scan *s, const struct expr *e)
{
    if (!e)
        return;
    if (e->kind == E_BINARY || e->kind == E_COMPARE)
        scan_binary(s, e);
    s->asks_same |= e->kind == E_SAME;
    scan_expr(s, e->a);
    scan_expr(s, e->b);
    scan_expr(s, e->c);
    for (int i = 0; i < e->arg_count; i++)
        scan_expr(s, e->args[i]);
    if (e->kind == E_LOAD)
        scan_expr(s, e->access.offset);
}

/* Every parameter in e counts something. */
static void mark_counts(struct scan *s, const struct expr *e)
{
    if (!e)
        return;
    struct use *u = e->kind == E_VAR || e->kind == E_LOAD ? use_of(s, e) : NULL;
    if (u)
        u->counts = true;
    mark_counts(s, e->a);
    mark_counts(s, e->b);
    mark_counts(s, e->c);
}

static void scan_list(struct scan *s, const struct stmt *st);

static void scan_stmt(struct scan *s, const struct stmt *st)
{
    const struct expr *parts[] = { st->value, st->a, st->b, st->flag_in, st->lo, st->hi, st->cond,
                                   st->access.offset };
    for (int i = 0; i < COUNT(parts); i++)
        scan_expr(s, parts[i]);
    for (int i = 0; i < st->value_count; i++)
        scan_expr(s, st->values[i]);
    for (int i = 0; i < st->arg_count; i++)
        scan_expr(s, st->args[i].value);
    if (st->kind == S_FOR) {
        mark_counts(s, st->hi);
        mark_counts(s, st->lo);
        s->widest = st->arms[0].width > s->widest ? st->arms[0].width : s->widest;
        s->has_middle_width |= st->arm_count > 2;
        scan_list(s, st->arms[0].body);
    }
    scan_list(s, st->body);
    scan_list(s, st->other);
}

static void scan_list(struct scan *s, const struct stmt *st)
{
    for (; st; st = st->next)
        scan_stmt(s, st);
}

/* -- what counts -- */

/* Variables and fields whose value reaches a loop bound or an extent, through any
 * assignments: their number must be known. */
struct counting { bool *var; VEC(const struct field *) fields; bool changed; };

static bool is_field_counting(const struct counting *c, const struct field *f)
{
    for (int i = 0; i < c->fields.n; i++)
        if (c->fields.at[i] == f)
            return true;
    return false;
}

static void count_field(struct counting *c, const struct field *f)
{
    if (!is_field_counting(c, f)) {
        vec_push(&c->fields, f);
        c->changed = true;
    }
}

/* A load that names no field may read any. */
static void count_fields(struct counting *c, const struct object *o, const struct field *one)
{
    const struct struct_type *t = o ? o->layout : NULL;
    for (int i = 0; t && i < t->field_count; i++)
        if (!one || one == &t->fields[i])
            count_field(c, &t->fields[i]);
}

static void count(struct counting *c, const struct expr *e)
{
    if (!e)
        return;
    if (e->kind == E_VAR && !c->var[e->var->id])
        c->var[e->var->id] = c->changed = true;
    if (e->kind == E_LOAD)
        count_fields(c, e->access.object, e->access.field);
    count(c, e->a);
    count(c, e->b);
    count(c, e->c);
    for (int i = 0; i < e->arg_count; i++)
        count(c, e->args[i]);
}

static bool is_counting(const struct counting *c, const struct var *v)
{
    return v && c->var[v->id];
}

static void count_list(struct counting *c, const struct stmt *s);

static void count_stmt(struct counting *c, const struct stmt *s)
{
    const struct expr *values[] = { s->value, s->a, s->b, s->flag_in };
    bool is_result_counting = is_counting(c, s->var) || is_counting(c, s->flag) || is_counting(c, s->high);
    for (int i = 0; i < COUNT(values) && is_result_counting; i++)
        count(c, values[i]);
    count(c, s->lo);
    count(c, s->hi);
    if (s->kind == S_WHILE)
        count(c, s->cond);
    for (int i = 0; i < s->arg_count; i++) {        /* whatever the callee does with it */
        count(c, s->args[i].value);
        count_fields(c, s->args[i].object, NULL);
    }
    for (int i = 0; i < s->arm_count; i++)
        count_list(c, s->arms[i].body);
    count_list(c, s->body);
    count_list(c, s->other);
}

static void count_list(struct counting *c, const struct stmt *s)
{
    for (; s; s = s->next)
        count_stmt(c, s);
}

static struct counting counting_of(const struct func *f)
{
    struct counting c = { .var = NEW_ARRAY(bool, f->vars.n + 1) };
    for (int i = 0; i < f->objects.n; i++)
        count(&c, f->objects.at[i]->extent);
    do {
        c.changed = false;
        count_list(&c, f->body);
    } while (c.changed);
    return c;
}

/* -- values -- */

static void add_value(struct choice *c, uint64_t v)
{
    int at = 0;
    while (at < c->values.n && c->values.at[at] < v)
        at++;
    if (at < c->values.n && c->values.at[at] == v)
        return;
    vec_push(&c->values, v);
    for (int i = c->values.n - 1; i > at; i--)
        c->values.at[i] = c->values.at[i - 1];
    c->values.at[at] = v;
}

static bool in_set(const struct value_set *set, uint64_t v)
{
    for (int i = 0; i < set->n; i++)
        if (v >= set->at[i].lo && v <= set->at[i].hi)
            return true;
    return set->n == 0;
}

static void add_in_set(struct choice *c, const struct value_set *set, uint64_t v, uint64_t limit)
{
    if (v <= limit && in_set(set, v))
        add_value(c, v);
}

/* All of a small set; false when it is large or there is none. */
static bool add_whole_set(struct choice *c, const struct value_set *set)
{
    uint64_t total = 0;
    for (int i = 0; i < set->n; i++) {
        if (set->at[i].hi - set->at[i].lo >= SMALL_SET)
            return false;
        total += set->at[i].hi - set->at[i].lo + 1;
    }
    if (set->n == 0 || total > SMALL_SET)
        return false;
    for (int i = 0; i < set->n; i++)
        for (uint64_t v = set->at[i].lo; v <= set->at[i].hi; v++)
            add_value(c, v);
    return c->is_complete = true;
}

static uint64_t type_limit(enum value_type t)
{
    return value_types[t].bits >= 64 ? ~0ull : (1ull << value_types[t].bits) - 1;
}

/* Every count that fills one unit at most, so that each remainder is met; with no
 * widths in between, 0, 1, 2 and all but one rounds of the narrow loop behind none
 * and one of the wide one; and a few counts whose units are not whole. */
static bool is_count_wanted(const struct scan *s, uint64_t v, uint64_t unit)
{
    const uint64_t units = v / unit, wide = (uint64_t)s->widest, rounds = (uint64_t)s->depth;
    bool is_whole = v % unit == 0, is_next_to_one = v % unit == 1 || v % unit == unit - 1;
    bool is_wanted_whole = s->has_middle_width || units <= 2 || (units + 1) % wide <= 2;
    if (units > (2 * wide + 1) * rounds)
        return is_whole && units > 3 * wide * rounds;
    return v <= unit || (is_whole && is_wanted_whole) || (v < 3 * unit && is_next_to_one);
}

/* Does a precondition ask for it? */
static bool is_in(const struct expr *e, const struct var *v)
{
    if (!e || (e->kind == E_VAR && e->var == v))
        return e != NULL;
    return is_in(e->a, v) || is_in(e->b, v) || is_in(e->c, v);
}

static bool is_restricted(const struct func *f, const struct var *v)
{
    for (int i = 0; i < f->where_count; i++)
        if (is_in(f->where[i], v))
            return true;
    return false;
}

/* IS_COUNTING: somewhere its value becomes a loop bound; u->counts: it is one. */
static void choose_values(struct choice *c, const struct scan *s, const struct value_set *set,
                          enum value_type type, const struct use *u, bool is_counting)
{
    uint64_t limit = type_limit(type), first = set->n ? set->at[0].lo : 0;
    if (add_whole_set(c, set))
        return;
    if (u->counts || is_counting)
        for (uint64_t v = 0; v <= u->unit * (uint64_t)(3 * s->widest * s->depth + 1); v++)
            if (is_count_wanted(s, v, u->unit))
                add_in_set(c, set, first + v, limit);
    for (int i = 0; i < u->compared.n; i++)
        for (uint64_t d = 0; d < 3; d++)
            add_in_set(c, set, u->compared.at[i] + d - 1, u->counts ? u->unit * 64 : limit);
    if (!u->counts && !is_counting) {
        add_in_set(c, set, first, limit);
        add_in_set(c, set, first + 1, limit);
        add_in_set(c, set, set->n ? set->at[set->n - 1].hi : limit, limit);
    }
}

static void add_fields(struct case_set *cs, const struct scan *s, const struct counting *counting,
                       const struct param *p)
{
    const struct struct_type *layout = p->object ? p->object->layout : NULL;
    for (int i = 0; layout && i < layout->field_count; i++) {
        const struct field *f = &layout->fields[i];
        struct choice c = { .param = p, .field = f };
        const struct use none = { .unit = 1 }, *u = &none;
        for (int k = 0; k < s->n; k++)
            if (s->uses[k].field == f)
                u = &s->uses[k];
        if (f->secret || f->is_array || (f->set.n == 0 && !is_field_counting(counting, f)))
            continue;
        choose_values(&c, s, &f->set, f->element, u, is_field_counting(counting, f));
        vec_push(&cs->choices, c);
    }
}

static void add_param(struct case_set *cs, const struct scan *s, const struct counting *counting,
                      const struct param *p)
{
    struct choice c = { .param = p };
    if (!p->var || p->secret ||
        (p->set.n == 0 && !is_counting(counting, p->var) && !is_restricted(cs->func, p->var)))
        return;
    for (int k = 0; k < s->n; k++)
        if (s->uses[k].var == p->var)
            choose_values(&c, s, &p->set, p->type, &s->uses[k], is_counting(counting, p->var));
    vec_push(&cs->choices, c);
}

/* -- which arrays are the same -- */

/* May something that is written be this array too? */
static bool may_be_written(const struct func *f, const struct object *o)
{
    for (int i = 0; i < f->objects.n; i++) {
        const struct object *other = f->objects.at[i];
        if (other->kind == OBJECT_PARAM && other->direction != DIR_IN
            && (other == o || objects_may_be_same(f, other, o)))
            return true;
    }
    return false;
}

/* Two arrays that nothing writes to are not tried as one, unless the source asks
 * whether they are: any contents of two include equal ones. */
static bool may_join(const struct case_set *cs, const struct scan *s, const uint8_t *class_of,
                     int object, int class)
{
    const struct func *f = cs->func;
    for (int i = 0; i < object; i++) {
        if (class_of[i] != class)
            continue;
        const struct object *a = f->objects.at[i], *b = f->objects.at[object];
        if (!objects_may_be_same(f, a, b)
            || !(s->asks_same || may_be_written(f, a) || may_be_written(f, b)))
            return false;
    }
    return true;
}

static void partitions_from(struct case_set *cs, const struct scan *s, uint8_t *class_of, int object,
                            int classes)
{
    const struct func *f = cs->func;
    if (cs->partition_count >= MAX_PARTITIONS)
        return;
    if (object == f->objects.n) {
        for (int i = 0; i < object; i++)
            vec_push(&cs->partitions, class_of[i]);
        cs->partition_count++;
        return;
    }
    bool is_param = f->objects.at[object]->kind == OBJECT_PARAM;
    for (int class = 0; class < classes && is_param; class++) {
        if (!may_join(cs, s, class_of, object, class))
            continue;
        class_of[object] = (uint8_t)class;
        partitions_from(cs, s, class_of, object + 1, classes);
    }
    class_of[object] = (uint8_t)classes;
    partitions_from(cs, s, class_of, object + 1, classes + 1);
}

static void add_uses(struct scan *s, const struct param *p)
{
    const struct struct_type *layout = p->object ? p->object->layout : NULL;
    if (p->var)
        s->uses[s->n++] = (struct use){ .var = p->var, .unit = 1 };
    for (int i = 0; layout && i < layout->field_count; i++)
        s->uses[s->n++] = (struct use){ .field = &layout->fields[i], .unit = 1 };
}

static struct scan scan_func(const struct func *f, int depth)
{
    int most = 0;
    for (int i = 0; i < f->param_count; i++)
        most += f->params[i].object && f->params[i].object->layout
                    ? f->params[i].object->layout->field_count : 1;
    struct scan s = { .uses = NEW_ARRAY(struct use, most + 1), .widest = 1, .depth = depth };
    for (int i = 0; i < f->param_count; i++)
        add_uses(&s, &f->params[i]);
    scan_list(&s, f->body);
    for (int i = 0; i < f->objects.n; i++) {
        mark_counts(&s, f->objects.at[i]->extent);
        scan_expr(&s, f->objects.at[i]->extent);
    }
    return s;
}

struct case_set cases_of(const struct func *f, int depth)
{
    struct case_set cs = { .func = f };
    struct counting counting = counting_of(f);
    struct scan s = scan_func(f, depth);
    for (int i = 0; i < f->param_count; i++) {
        add_fields(&cs, &s, &counting, &f->params[i]);
        add_param(&cs, &s, &counting, &f->params[i]);
    }
    uint8_t class_of[64] = { 0 };
    assert(f->objects.n <= COUNT(class_of));
    partitions_from(&cs, &s, class_of, 0, 0);
    return cs;
}

/* Huge counts that wrap when they are read at the wrong width, and the largest
 * that is legal. */
void cases_large(const struct choice *c, uint64_t out[4], int *n)
{
    static const uint64_t huge[] = { 1ull << 31, (1ull << 32) + 5, (1ull << 32) + 3 * (1ull << 8) };
    const struct value_set *set = &c->param->set;
    *n = 0;
    if (!c->param->var || c->is_complete || c->field || value_types[c->param->type].bits < 64)
        return;
    for (int i = 0; i < COUNT(huge); i++)
        if (in_set(set, huge[i]))
            out[(*n)++] = huge[i];
    out[(*n)++] = set->n ? set->at[set->n - 1].hi : 1ull << 54;
}
