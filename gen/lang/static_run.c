/* static_run.c: runs static code.
 *
 * Takes the trees of static_code.c; gives values. One stack of slots serves all
 * frames. Every evaluated node is a step, and a list costs a step an element,
 * so that time and memory of a run of kgen are bounded whatever the program
 * does. Calls with integer arguments are remembered.
 *
 * A failure is reported where it happens, with a note for each call on the way.
 */
#include "lang/static_code.h"

#include <assert.h>
#include <string.h>

enum {
    STEP_LIMIT = 20 * 1000 * 1000,
    SLOT_LIMIT = 1 << 15,
    CALL_LIMIT = 200,
    NESTING_LIMIT = 4000,       /* of expressions and blocks, through all calls */
    SHOWN_CALLS = 5,
    MEMO_ARGS = 4,
    MEMO_LIMIT = 1 << 15,
};

enum outcome { GOES_ON, RETURNS, FAILS };

static struct {
    unsigned generation;
    struct constant *slots;
    int used;                   /* slots of the frames in being */
    long steps;
    struct loc calls[CALL_LIMIT + 1];
    int depth;
    int nesting;
    struct constant result;     /* of the return statement just executed */
} run;

static bool evaluate(const struct code *c, struct constant *frame, struct constant *out);
static enum outcome execute(const struct code *c, struct constant *frame);

void static_reset(void)
{
    memset(&run, 0, sizeof run);
    run.generation = mem_generation();
    run.slots = NEW_ARRAY(struct constant, SLOT_LIMIT);
}

static void notice_release(void)
{
    if (run.slots == NULL || run.generation != mem_generation())
        static_reset();
}

/* -- failures -- */

static bool same_place(struct loc a, struct loc b)
{
    return a.file == b.file && a.line == b.line && a.col == b.col;
}

/* Expressions on their own are on the stack too, without a place. */
static void note_calls(void)
{
    for (int i = run.depth; i > 0 && i > run.depth - SHOWN_CALLS; i--)
        if (run.calls[i].file != 0 && (i == run.depth || !same_place(run.calls[i], run.calls[i + 1])))
            note_at(run.calls[i], "called here");
}

static bool failure(struct loc where, enum rule rule, const char *message)
{
    error_at(where, rule, "%s", message);
    note_calls();
    return false;
}

static bool take_steps(long n, struct loc where)
{
    run.steps += n;
    if (run.steps <= STEP_LIMIT)
        return true;
    if (run.steps - n <= STEP_LIMIT)
        failure(where, RULE_STATIC, "static code takes more than 20 million steps");
    return false;
}

/* -- expressions -- */

static bool evaluate_integer(const struct code *c, struct constant *frame, uint64_t *out)
{
    struct constant v;

    if (!evaluate(c, frame, &v))
        return false;
    if (v.kind != CONSTANT_INTEGER)
        return failure(c->loc, RULE_TYPE, mem_format("an integer is needed here, this is %s",
                                                     constant_text(&v)));
    *out = v.u.number;
    return true;
}

static bool index_out_of_bounds(const struct code *c, uint64_t i, int n)
{
    return failure(c->loc, RULE_OUT_OF_BOUNDS,
                   mem_format("index %llu of a list of %d", (unsigned long long)i, n));
}

/* Without copying, or marking as shared, the list that is looked into. */
static const struct constant *find_in_place(const struct code *c, struct constant *frame)
{
    if (c->kind == CODE_SLOT)
        return &frame[c->slot];
    if (c->kind == CODE_ENTITY && c->entity->progress == PROGRESS_DONE)
        return &c->entity->value;
    return NULL;
}

static bool evaluate_index(const struct code *c, struct constant *frame, struct constant *out)
{
    const struct constant *base = find_in_place(c->a, frame);
    struct constant made;
    uint64_t i;

    if (base == NULL) {
        if (!evaluate(c->a, frame, &made))
            return false;
        base = &made;
    }
    if (base->kind != CONSTANT_LIST)
        return failure(c->a->loc, RULE_TYPE, mem_format("%s has no elements", constant_text(base)));
    if (!evaluate_integer(c->b, frame, &i))
        return false;
    if (i >= (uint64_t)base->u.list->n)
        return index_out_of_bounds(c->b, i, base->u.list->n);
    *out = constant_share(base->u.list->at[i]);
    return true;
}

static bool evaluate_binary(const struct code *c, struct constant *frame, struct constant *out)
{
    uint64_t a, b, n = 0;
    const char *complaint;

    if (!evaluate_integer(c->a, frame, &a))
        return false;
    if ((c->op == BIN_LOGIC_AND && a == 0) || (c->op == BIN_LOGIC_OR && a != 0)) {
        *out = constant_integer(c->op == BIN_LOGIC_OR);
        return true;
    }
    if (!evaluate_integer(c->b, frame, &b))
        return false;
    complaint = static_binary(c->op, a, b, &n);
    *out = constant_integer(n);
    return complaint == NULL || failure(c->loc, RULE_STATIC, complaint);
}

static bool evaluate_list(const struct code *c, struct constant *frame, struct constant *out)
{
    if (c->arg_count > STATIC_LIST_LIMIT)
        return failure(c->loc, RULE_STATIC, "a list of more than 65536 elements");
    *out = constant_list(c->arg_count);
    out->u.list->is_tuple = c->is_tuple;
    for (int i = 0; i < c->arg_count; i++)
        if (!evaluate(c->args[i], frame, &out->u.list->at[i]))
            return false;
    return true;
}

/* What a loop goes over: lo .. hi by step, or the elements of a list. */
struct domain { uint64_t lo, count, step; const struct list *list; };

static bool evaluate_domain(const struct code *c, struct constant *frame, const struct code *step,
                            struct domain *out)
{
    uint64_t hi;
    struct constant list;

    *out = (struct domain){.step = 1};
    if (!c->is_range) {
        if (!evaluate(c->a, frame, &list))
            return false;
        if (list.kind != CONSTANT_LIST)
            return failure(c->a->loc, RULE_TYPE, "a loop goes over a range or a list");
        out->list = constant_share(list).u.list;
        out->count = (uint64_t)out->list->n;
        return true;
    }
    if (!evaluate_integer(c->a, frame, &out->lo) || !evaluate_integer(c->b, frame, &hi) ||
        (step != NULL && !evaluate_integer(step, frame, &out->step)))
        return false;
    if (out->step == 0)
        return failure(step->loc, RULE_STATIC, "a step of 0");
    if (c->is_inclusive && hi == UINT64_MAX)
        return failure(c->b->loc, RULE_RANGE, "this range ends at the largest number");
    hi += c->is_inclusive;
    out->count = hi <= out->lo ? 0 : (hi - out->lo - 1) / out->step + 1;
    return true;
}

static struct constant domain_element(const struct domain *d, uint64_t i)
{
    return d->list != NULL ? constant_share(d->list->at[i]) : constant_integer(d->lo + i * d->step);
}

static bool evaluate_comprehension(const struct code *c, struct constant *frame, struct constant *out)
{
    struct domain d;

    if (!evaluate_domain(c, frame, NULL, &d))
        return false;
    if (d.count > STATIC_LIST_LIMIT)
        return failure(c->loc, RULE_STATIC, "a list of more than 65536 elements");
    *out = constant_list((int)d.count);
    for (uint64_t i = 0; i < d.count; i++) {
        frame[c->slot] = domain_element(&d, i);
        if (!take_steps(2, c->loc) || !evaluate(c->c, frame, &out->u.list->at[i]))
            return false;
    }
    return true;
}

static bool evaluate_as(const struct code *c, struct constant *frame, struct constant *out)
{
    return evaluate(c->a, frame, out) && static_convert(&c->type, out, c->loc);
}

/* -- calls -- */

static uint64_t memo_hash(const uint64_t *key, int n)
{
    uint64_t h = UINT64_C(0x9e3779b97f4a7c15);

    for (int i = 0; i < n; i++)
        h = (h ^ key[i] ^ h >> 29) * UINT64_C(0xbf58476d1ce4e5b9);
    return h ^ h >> 32;
}

static int memo_find(const struct memo *m, const uint64_t *key, int n)
{
    int i = (int)(memo_hash(key, n) & (uint64_t)(m->cap - 1));

    while (m->used[i] && memcmp(&m->keys[i * MEMO_ARGS], key, sizeof *key * (size_t)n) != 0)
        i = (i + 1) & (m->cap - 1);
    return i;
}

static void memo_grow(struct memo *m, int n)
{
    const struct memo old = *m;

    m->cap = old.cap == 0 ? 64 : old.cap * 4;
    m->keys = NEW_ARRAY(uint64_t, m->cap * MEMO_ARGS);
    m->values = NEW_ARRAY(struct constant, m->cap);
    m->used = NEW_ARRAY(bool, m->cap);
    for (int i = 0; i < old.cap; i++) {
        if (old.used[i]) {
            const int at = memo_find(m, &old.keys[i * MEMO_ARGS], n);

            memcpy(&m->keys[at * MEMO_ARGS], &old.keys[i * MEMO_ARGS], sizeof *m->keys * MEMO_ARGS);
            m->values[at] = old.values[i];
            m->used[at] = true;
        }
    }
}

static void memo_store(struct memo *m, const uint64_t *key, int n, struct constant value)
{
    int at;

    if (m->n >= MEMO_LIMIT)
        return;
    if ((m->n + 1) * 2 > m->cap)
        memo_grow(m, n);
    at = memo_find(m, key, n);
    memcpy(&m->keys[at * MEMO_ARGS], key, sizeof *key * (size_t)n);
    m->values[at] = constant_share(value);
    m->used[at] = true;
    m->n++;
}

/* The declared type of a parameter or variable, its extent evaluated. */
static bool complete_type(const struct static_type *t, const struct code *count,
                          struct constant *frame, struct static_type *out)
{
    *out = *t;
    if (count == NULL)
        return true;
    if (!evaluate_integer(count, frame, &out->count))
        return false;
    return out->count <= STATIC_LIST_LIMIT ||
           failure(count->loc, RULE_STATIC, "an array of more than 65536 elements");
}

static bool convert_result(const struct static_fn *f, struct constant *frame, struct constant *value)
{
    struct static_type t;

    if (f->result_count == 1)
        return complete_type(&f->results[0], f->result_counts[0], frame, &t) &&
               static_convert(&t, value, f->entity->loc);
    if (value->kind != CONSTANT_LIST || value->u.list->n != f->result_count)
        return failure(f->entity->loc, RULE_TYPE, "not as many values as results");
    for (int i = 0; i < f->result_count; i++) {
        struct constant v = constant_share(value->u.list->at[i]);

        if (!complete_type(&f->results[i], f->result_counts[i], frame, &t) ||
            !static_convert(&t, &v, f->entity->loc))
            return false;
        list_for_writing(value)->at[i] = v;
    }
    return true;
}

static bool run_body(const struct static_fn *f, struct constant *frame, struct constant *out)
{
    for (int i = 0; i < f->param_count; i++) {
        struct static_type t;

        if (!complete_type(&f->params[i].type, f->params[i].count, frame, &t) ||
            !static_convert(&t, &frame[i], f->params[i].loc))
            return false;
    }
    switch (execute(f->body, frame)) {
    case RETURNS:
        *out = run.result;
        return f->result_count == 0 || convert_result(f, frame, out);
    case GOES_ON:
        *out = constant_integer(0);
        return f->result_count == 0 ||
               failure(f->entity->loc, RULE_STATIC,
                       mem_format("'%s' ended without returning a value", f->entity->name));
    default:
        return false;
    }
}

/* Runs F on what frame[0..] already holds: its arguments. */
static bool run_function(struct static_fn *f, struct constant *frame, struct constant *out)
{
    uint64_t key[MEMO_ARGS];
    bool remembered = f->param_count <= MEMO_ARGS;
    int at;

    for (int i = 0; i < f->param_count && remembered; i++) {
        remembered = frame[i].kind == CONSTANT_INTEGER;
        key[i] = frame[i].u.number;
    }
    if (remembered && f->memo.cap > 0) {
        at = memo_find(&f->memo, key, f->param_count);
        if (f->memo.used[at]) {
            *out = f->memo.values[at];
            return true;
        }
    }
    if (!run_body(f, frame, out))
        return false;
    if (remembered)
        memo_store(&f->memo, key, f->param_count, *out);
    return true;
}

static bool enter_call(struct loc where, int slots)
{
    if (run.depth >= CALL_LIMIT || run.used + slots > SLOT_LIMIT)
        return failure(where, RULE_STATIC, "static functions call each other more than 200 deep");
    run.calls[++run.depth] = where;
    return true;
}

static bool check_count(const struct static_fn *f, int given, struct loc where)
{
    if (given == f->param_count)
        return true;
    failure(where, RULE_TYPE, mem_format("'%s' takes %d argument%s, not %d", f->entity->name,
                                         f->param_count, f->param_count == 1 ? "" : "s", given));
    note_at(f->entity->loc, "'%s' is declared here", f->entity->name);
    return false;
}

static bool evaluate_call(const struct code *c, struct constant *frame, struct constant *out)
{
    struct static_fn *f = entity_code(c->entity);
    struct constant *callee = run.slots + run.used;
    bool ok = true;

    if (f == NULL || !check_count(f, c->arg_count, c->loc) || !enter_call(c->loc, f->slots))
        return false;
    run.depth--;                /* the arguments belong to the caller */
    run.used += f->slots;
    for (int i = 0; i < c->arg_count && ok; i++)
        ok = evaluate(c->args[i], frame, &callee[i]);
    run.calls[++run.depth] = c->loc;
    ok = ok && run_function(f, callee, out);
    run.used -= f->slots;
    run.depth--;
    return ok;
}

bool static_call(struct entity *fn, const struct constant *args, int n, struct loc where,
                 struct constant *out)
{
    struct static_fn *f = entity_code(fn);
    struct constant *callee;
    bool ok;

    notice_release();
    callee = run.slots + run.used;
    if (f == NULL || !check_count(f, n, where) || !enter_call(where, f->slots))
        return false;
    for (int i = 0; i < n; i++)
        callee[i] = constant_share(args[i]);
    run.used += f->slots;
    ok = run_function(f, callee, out);
    run.used -= f->slots;
    run.depth--;
    return ok;
}

static bool nest(struct loc where)
{
    if (++run.nesting <= NESTING_LIMIT)
        return true;
    run.nesting--;
    return failure(where, RULE_STATIC, "static code is nested too deeply");
}

static bool evaluate_node(const struct code *c, struct constant *frame, struct constant *out)
{
    uint64_t n;

    switch (c->kind) {
    case CODE_CONSTANT:
        *out = constant_share(c->constant);
        return true;
    case CODE_SLOT:
        *out = constant_share(frame[c->slot]);
        return true;
    case CODE_ENTITY:
        if (!entity_value(c->entity, c->loc, out))
            return false;
        constant_share(*out);
        return true;
    case CODE_INDEX:
        return evaluate_index(c, frame, out);
    case CODE_UNARY:
        if (!evaluate_integer(c->a, frame, &n))
            return false;
        *out = constant_integer(static_unary(c->op, n));
        return true;
    case CODE_BINARY:
        return evaluate_binary(c, frame, out);
    case CODE_AS:
        return evaluate_as(c, frame, out);
    case CODE_LIST:
        return evaluate_list(c, frame, out);
    case CODE_COMPREHENSION:
        return evaluate_comprehension(c, frame, out);
    case CODE_CHOICE:
        return evaluate_integer(c->a, frame, &n) && evaluate(n != 0 ? c->b : c->c, frame, out);
    case CODE_CALL:
        return evaluate_call(c, frame, out);
    case CODE_FAIL:
        return failure(c->loc, RULE_STATIC, c->text);
    default:
        assert(0 && "a statement");
        return false;
    }
}

static bool evaluate(const struct code *c, struct constant *frame, struct constant *out)
{
    bool ok;

    if (!take_steps(1, c->loc) || !nest(c->loc))
        return false;
    ok = evaluate_node(c, frame, out);
    run.nesting--;
    return ok;
}

/* -- statements -- */

static bool assign_element(const struct target *t, struct constant *frame, struct constant value)
{
    struct constant *holder = &frame[t->slot];

    for (int k = 0; k < t->index_count; k++) {
        struct list *l;
        uint64_t i;

        if (holder->kind != CONSTANT_LIST)
            return failure(t->loc, RULE_TYPE, mem_format("%s has no elements", constant_text(holder)));
        if (!evaluate_integer(t->index[k], frame, &i))
            return false;
        if (i >= (uint64_t)holder->u.list->n)
            return index_out_of_bounds(t->index[k], i, holder->u.list->n);
        if (holder->u.list->shared && !take_steps(holder->u.list->n, t->loc))
            return false;
        l = list_for_writing(holder);
        holder = &l->at[i];
    }
    if (t->type.bits != 0 && value.kind == CONSTANT_INTEGER && holder->kind == CONSTANT_INTEGER)
        value.u.number = low_bits(value.u.number, t->type.bits);
    else if (value.kind != holder->kind)
        return failure(t->loc, RULE_TYPE, mem_format("%s does not fit this element",
                                                     constant_text(&value)));
    *holder = value;
    return true;
}

static bool assign_target(const struct target *t, struct constant *frame, struct constant value)
{
    struct static_type type;

    if (t->slot < 0)
        return true;
    if (t->index_count > 0)
        return assign_element(t, frame, value);
    if (!complete_type(&t->type, t->count, frame, &type))
        return false;
    if (type.is_array && !take_steps((long)type.count, t->loc))
        return false;
    if (!static_convert(&type, &value, t->loc)) {
        note_calls();
        return false;
    }
    frame[t->slot] = value;
    return true;
}

static bool declare_zeros(const struct code *c, struct constant *frame)
{
    for (int i = 0; i < c->target_count; i++) {
        const struct target *t = &c->targets[i];
        struct static_type type;

        if (!complete_type(&t->type, t->count, frame, &type))
            return false;
        if (!take_steps((long)type.count * (1 + type.lanes), t->loc))
            return false;
        frame[t->slot] = static_zero(&type);
    }
    return true;
}

static bool execute_set(const struct code *c, struct constant *frame)
{
    struct constant value;

    if (c->a == NULL)
        return declare_zeros(c, frame);
    if (!evaluate(c->a, frame, &value))
        return false;
    if (c->target_count == 1)
        return assign_target(&c->targets[0], frame, value);
    if (value.kind != CONSTANT_LIST || value.u.list->n != c->target_count)
        return failure(c->loc, RULE_TYPE, mem_format("%d names need as many values, this is %s",
                                                     c->target_count,
                                                     constant_text(&value)));
    constant_share(value);
    for (int i = 0; i < c->target_count; i++)
        if (!assign_target(&c->targets[i], frame, constant_share(value.u.list->at[i])))
            return false;
    return true;
}

static enum outcome execute_for(const struct code *c, struct constant *frame)
{
    struct domain d;

    if (!evaluate_domain(c, frame, c->c, &d))
        return FAILS;
    for (uint64_t i = 0; i < d.count; i++) {
        enum outcome o;

        if (!take_steps(1, c->loc))
            return FAILS;
        frame[c->slot] = domain_element(&d, i);
        o = execute(c->body, frame);
        if (o != GOES_ON)
            return o;
    }
    return GOES_ON;
}

static enum outcome execute_while(const struct code *c, struct constant *frame)
{
    uint64_t holds;

    for (;;) {
        enum outcome o;

        if (!evaluate_integer(c->a, frame, &holds))
            return FAILS;
        if (holds == 0)
            return GOES_ON;
        o = execute(c->body, frame);
        if (o != GOES_ON)
            return o;
    }
}

static enum outcome execute_one(const struct code *c, struct constant *frame)
{
    struct constant ignored;
    uint64_t holds;

    switch (c->kind) {
    case CODE_SET:
        return execute_set(c, frame) ? GOES_ON : FAILS;
    case CODE_FOR:
        return execute_for(c, frame);
    case CODE_WHILE:
        return execute_while(c, frame);
    case CODE_IF:
        if (!evaluate_integer(c->a, frame, &holds))
            return FAILS;
        return execute(holds != 0 ? c->body : c->other, frame);
    case CODE_RETURN:
        run.result = constant_integer(0);
        return c->a == NULL || evaluate(c->a, frame, &run.result) ? RETURNS : FAILS;
    case CODE_DO:
        return evaluate(c->a, frame, &ignored) ? GOES_ON : FAILS;
    default:
        assert(0 && "an expression");
        return FAILS;
    }
}

static enum outcome execute(const struct code *c, struct constant *frame)
{
    for (; c != NULL; c = c->next) {
        enum outcome o;

        if (!take_steps(1, c->loc) || !nest(c->loc))
            return FAILS;
        o = execute_one(c, frame);
        run.nesting--;
        if (o != GOES_ON)
            return o;
    }
    return GOES_ON;
}

/* -- expressions on their own -- */

bool static_evaluate(struct unit *unit, const struct node *expr, struct constant *out)
{
    struct constant *frame;
    struct code *c;
    int slots;
    bool ok;

    notice_release();
    frame = run.slots + run.used;
    c = translate_alone(unit, expr, &slots);
    if (c == NULL || !enter_call(expr->loc, slots))
        return false;
    run.calls[run.depth] = (struct loc){0};
    run.used += slots;
    ok = evaluate(c, frame, out);
    run.used -= slots;
    run.depth--;
    return ok;
}

bool static_number(struct unit *unit, const struct node *expr, uint64_t *out)
{
    struct constant c;

    if (!static_evaluate(unit, expr, &c))
        return false;
    if (c.kind != CONSTANT_INTEGER) {
        error_at(expr->loc, RULE_TYPE, "an integer is needed here, this is %s", constant_text(&c));
        return false;
    }
    *out = c.u.number;
    return true;
}
