/* check_assign.c: values are set before they are read, and read once set.
 *
 * Takes a finished function. Forward, the set of variables certainly assigned
 * reports `uninitialised` at the first read of any other. Backward, liveness
 * finds what is set and never read: `unused`.
 *
 * One statement of the source may stand in the tree many times (a width of a
 * loop, an inline function, static for). It is useless only when every copy is,
 * so uses are gathered by place in the source before anything is said. For the
 * same reason an array of registers is unused only when no element is read.
 *
 * Temporaries, loop indices and `_` are exempt from `unused`. Elements of stack
 * arrays are not tracked; fields of `out` structs are, by the bounds proof.
 */
#include "lang/check.h"

#include <assert.h>
#include <string.h>

/* A thing that the source declares or sets at one place, over all its copies. */
struct mention {
    struct loc at;              /* the statement; no place: the declaration */
    const struct var *var;      /* the first copy */
    bool used;
};

struct assign {
    struct func *f;
    struct bits read;           /* variables read anywhere */
    struct bits given;          /* parameters and loop indices: not set by a statement */
    struct bits objects_used;   /* by id */
    VEC(struct mention) settings;
    int *slots;                 /* hash of settings, -1: empty */
    int slot_count;
    bool collecting;            /* the last, exact walk over a list */
};

/* -- uninitialised -- */

static bool assigned_list(const struct stmt *s, struct bits *have);

static void expr_reads(const struct expr *e, struct bits *have)
{
    struct expr *child;

    for each_child(child, e)
        expr_reads(child, have);
    if (e->kind == E_VAR && !bits_has(have, e->var->id)) {
        error_at(e->loc, RULE_UNINITIALISED, "%s is read before it is set", var_label(e->var));
        note_at(e->var->loc, "declared here without a value on every way to that read");
        bits_set(have, e->var->id);     /* once is enough */
    }
}

static void assigned_if(const struct stmt *s, struct bits *have, bool *falls)
{
    struct bits other = bits_copy(have);
    const bool body = assigned_list(s->body, have);
    const bool rest = assigned_list(s->other, &other);

    if (!body)
        bits_fill(have);
    if (!rest)
        bits_fill(&other);
    bits_intersect(have, &other);
    *falls = body || rest;
}

/* Some arm's body runs when there is an iteration at all. */
static void assigned_for(const struct stmt *s, struct bits *have)
{
    const bool runs = s->lo->kind == E_CONST && s->hi->kind == E_CONST &&
                      s->lo->value[0] < s->hi->value[0];
    struct bits after = bits_copy(have);

    bits_fill(&after);
    for (int i = 0; i < s->arm_count; i++) {
        struct bits body = bits_copy(have);

        bits_set(&body, s->index->id);
        if (assigned_list(s->arms[i].body, &body))
            bits_intersect(&after, &body);
    }
    if (runs)
        *have = after;
}

static void assigned_results(const struct stmt *s, struct bits *have)
{
    struct var *v;

    for each_result(v, s)
        if (v != NULL)
            bits_set(have, v->id);
}

/* False: control does not reach the end of the list. */
static bool assigned_list(const struct stmt *s, struct bits *have)
{
    bool falls = true;

    for (; s != NULL && falls; s = s->next) {
        struct expr *x;

        for each_expr(x, s)
            expr_reads(x, have);
        assigned_results(s, have);
        if (s->kind == S_IF) {
            assigned_if(s, have, &falls);
        } else if (s->kind == S_FOR) {
            assigned_for(s, have);
        } else if (s->kind == S_WHILE) {
            struct bits body = bits_copy(have);
            assigned_list(s->body, &body);
        } else if (s->kind == S_RETURN) {
            falls = false;
        }
    }
    return falls;
}

static void check_assigned(const struct func *f)
{
    struct bits have = bits_new(f->vars.n);

    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var != NULL)
            bits_set(&have, f->params[i].var->id);
    if (assigned_list(f->body, &have) && f->result_count > 0)
        error_at(f->loc, RULE_UNINITIALISED, "the end of '%s' can be reached without a return",
                 f->name);
}

/* -- unused: what each statement sets, over all copies of the statement -- */

static uint32_t place_hash(struct loc at, struct loc declared)
{
    const uint32_t parts[] = { at.file, at.line, at.col, declared.line, declared.col };
    uint32_t h = 2166136261u;

    for (int i = 0; i < COUNT(parts); i++)
        h = (h ^ parts[i]) * 16777619u;
    return h;
}

static bool same_place(struct loc a, struct loc b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

static struct mention *setting_at(struct assign *a, struct loc at, const struct var *v)
{
    uint32_t i = place_hash(at, v->loc) & (uint32_t)(a->slot_count - 1);

    for (; a->slots[i] >= 0; i = (i + 1) & (uint32_t)(a->slot_count - 1)) {
        struct mention *m = &a->settings.at[a->slots[i]];
        if (same_place(m->at, at) && same_place(m->var->loc, v->loc))
            return m;
    }
    a->slots[i] = a->settings.n;
    vec_push(&a->settings, ((struct mention){ at, v, false }));
    assert(a->settings.n < a->slot_count);
    return &vec_last(&a->settings);
}

static void live_list(struct assign *a, const struct stmt *s, struct bits *live);

static void expr_lives(struct assign *a, const struct expr *e, struct bits *live)
{
    struct expr *child;

    for each_child(child, e)
        expr_lives(a, child, live);
    if (e->kind == E_VAR) {
        bits_set(live, e->var->id);
        bits_set(&a->read, e->var->id);
    }
    if (e->kind == E_LOAD && e->access.object->kind != OBJECT_TABLE)
        bits_set(&a->objects_used, e->access.object->id);
    if (e->kind == E_SAME) {
        bits_set(&a->objects_used, e->object_a->id);
        bits_set(&a->objects_used, e->object_b->id);
    }
}

/* What is live before a loop. A body adds what it reads first and removes what
 * it sets first, whatever is live after it; so one walk from the loop's end
 * gives all that another iteration needs, and only then is anything recorded. */
static void live_loop(struct assign *a, const struct stmt *body, const struct var *index,
                      const struct expr *cond, struct bits *live)
{
    const bool collecting = a->collecting;

    if (cond != NULL)
        expr_lives(a, cond, live);
    struct bits again = bits_copy(live);
    a->collecting = false;
    live_list(a, body, &again);
    a->collecting = collecting;
    if (index != NULL)
        bits_clear(&again, index->id);
    bits_union(live, &again);
    if (collecting) {
        struct bits last = bits_copy(live);
        live_list(a, body, &last);
    }
}

static void live_results(struct assign *a, const struct stmt *s, struct bits *live)
{
    struct var *v;

    for each_result(v, s)
        if (v != NULL && a->collecting) {
            struct mention *m = setting_at(a, s->loc, v);
            m->used = m->used || bits_has(live, v->id);
        }
    for each_result(v, s)
        if (v != NULL)
            bits_clear(live, v->id);
}

static void live_stmt(struct assign *a, const struct stmt *s, struct bits *live)
{
    struct expr *x;

    live_results(a, s, live);
    switch (s->kind) {
    case S_RETURN:
        bits_empty(live);
        break;
    case S_IF: {
        struct bits other = bits_copy(live);
        live_list(a, s->body, live);
        live_list(a, s->other, &other);
        bits_union(live, &other);
        break;
    }
    case S_FOR:
        bits_set(&a->given, s->index->id);
        for (int i = s->arm_count; i-- > 0;)
            live_loop(a, s->arms[i].body, s->index, NULL, live);
        break;
    case S_WHILE:
        live_loop(a, s->body, NULL, s->cond, live);
        break;
    default:
        break;
    }
    if (s->kind == S_STORE)
        bits_set(&a->objects_used, s->access.object->id);
    for (int i = 0; i < s->arg_count; i++)
        if (s->args[i].object != NULL && s->args[i].object->kind != OBJECT_TABLE)
            bits_set(&a->objects_used, s->args[i].object->id);
    for each_expr(x, s)
        expr_lives(a, x, live);
}

static void live_list(struct assign *a, const struct stmt *s, struct bits *live)
{
    VEC(const struct stmt *) list = { 0 };

    for (; s != NULL; s = s->next)
        vec_push(&list, s);
    for (int i = list.n; i-- > 0;)
        live_stmt(a, list.at[i], live);
}

static int count_statements(const struct stmt *s)
{
    struct stmt *body;
    int n = 0;

    for (; s != NULL; s = s->next) {
        n += 3 + s->result_count;
        for each_body(body, s)
            n += count_statements(body);
    }
    return n;
}

/* -- unused: messages -- */

static bool is_exempt(const struct var *v)
{
    return v->ignored || v->name == NULL || v->name[0] == '\0' || strcmp(v->name, "_") == 0;
}

/* Extents and preconditions use parameters too. */
static void contract_uses(struct assign *a)
{
    struct func *f = a->f;
    struct bits ignored = bits_new(f->vars.n);

    for (int i = 0; i < f->objects.n; i++)
        if (f->objects.at[i]->extent != NULL)
            expr_lives(a, f->objects.at[i]->extent, &ignored);
    for (int i = 0; i < f->where_count; i++)
        expr_lives(a, f->where[i], &ignored);
}

static void report_params(const struct assign *a)
{
    for (int i = 0; i < a->f->param_count; i++) {
        const struct param *p = &a->f->params[i];
        const bool used = p->var != NULL ? bits_has(&a->read, p->var->id)
                                         : bits_has(&a->objects_used, p->object->id);
        if (!used && strcmp(p->name, "_") != 0)
            error_at(p->loc, RULE_UNUSED, "parameter '%s' is never used", p->name);
    }
    for (int i = 0; i < a->f->objects.n; i++) {
        const struct object *o = a->f->objects.at[i];
        if (o->kind == OBJECT_STACK && !bits_has(&a->objects_used, o->id))
            error_at(o->loc, RULE_UNUSED, "'%s' is never used", o->name);
    }
}

/* Marks every variable declared where a read one is (copies, array elements). */
static struct bits spread_reads(struct assign *a)
{
    const struct loc declaration = { 0 };
    struct bits read = bits_new(a->f->vars.n);

    for (int i = 0; i < a->f->vars.n; i++)
        if (bits_has(&a->read, i))
            setting_at(a, declaration, a->f->vars.at[i])->used = true;
    for (int i = 0; i < a->f->vars.n; i++)
        if (setting_at(a, declaration, a->f->vars.at[i])->used)
            bits_set(&read, i);
    return read;
}

static void report_unused(struct assign *a)
{
    const int settings = a->settings.n;
    const struct bits read = spread_reads(a);

    for (int i = 0; i < a->f->vars.n; i++) {
        const struct var *v = a->f->vars.at[i];

        if (!is_exempt(v) && !bits_has(&a->given, i) && !bits_has(&read, i))
            error_at(v->loc, RULE_UNUSED, "'%s' is never used", v->name);
    }
    for (int i = 0; i < settings; i++) {
        const struct mention *m = &a->settings.at[i];

        if (is_exempt(m->var) || m->used || !bits_has(&read, m->var->id))
            continue;
        error_at(m->at, RULE_UNUSED, "the value that '%s' gets here is never used", m->var->name);
        note_at(m->var->loc, "'%s' is declared here", m->var->name);
    }
}

static void check_used(struct assign *a)
{
    struct func *f = a->f;
    struct bits live = bits_new(f->vars.n);

    a->read = bits_new(f->vars.n);
    a->given = bits_new(f->vars.n);
    for (int i = 0; i < f->param_count; i++)
        if (f->params[i].var != NULL)
            bits_set(&a->given, f->params[i].var->id);
    a->objects_used = bits_new(f->objects.n);
    a->slot_count = 64;
    while (a->slot_count < 2 * (count_statements(f->body) + f->vars.n))
        a->slot_count *= 2;
    a->slots = NEW_ARRAY(int, a->slot_count);
    memset(a->slots, -1, sizeof *a->slots * (size_t)a->slot_count);

    a->collecting = true;
    live_list(a, f->body, &live);
    contract_uses(a);
    report_params(a);
    report_unused(a);
}

void check_assignments(struct func *f)
{
    struct assign a = { .f = f };

    check_assigned(f);
    check_used(&a);
}
