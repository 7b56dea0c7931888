/* check_flags.c: one flag value lives in NZCV at a time.
 *
 * Takes a finished function; a variable of type carry or borrow means the
 * processor's flags, so nothing between its definition and its last use may
 * write them. Backward liveness over the statements, in the reverse of the
 * order in which they evaluate, loops included; at everything that writes
 * flags, any other flag that is live is `carry-lost`.
 *
 * Writes flags: an addition or subtraction with a flag result, a comparison
 * for order (== and != compile to a branch on zero), carry(x), a constant
 * flag, a call. Does not: loop control of `for`, select, mask, `c as u64`,
 * addition of a flag without a flag result. A copy `d = c` with both live
 * afterwards is refused too: the compiler never saves flags silently.
 */
#include "lang/check.h"

/* The flags whose value is needed later, each with its nearest use. A flag that
 * exists inside one expression only, as in select(carry(x), a, b), has no
 * variable: it is `nameless` while its consumer's other operands are computed. */
struct live_flag { const struct var *var; struct loc use; };
struct live { VEC(struct live_flag) at; };

/* A flag lost: by what, and what it was needed for. */
struct conflict {
    struct loc at;
    const char *what;           /* "this comparison"; NULL: a copy to `copy` */
    const struct var *var, *copy;
    struct loc use;
    const struct stmt *stmt;
};

struct flags {
    struct func *f;
    const struct stmt *now;     /* the statement being looked at */
    bool reporting;
    VEC(struct conflict) conflicts;     /* last in the text first */
};

static void flags_list(struct flags *c, const struct stmt *s, struct live *live);

/* -- sets -- */

static int find(const struct live *live, const struct var *v)
{
    for (int i = 0; i < live->at.n; i++)
        if (live->at.at[i].var == v)
            return i;
    return -1;
}

static void need(struct live *live, const struct var *v, struct loc use)
{
    const int i = find(live, v);

    if (i >= 0)
        live->at.at[i].use = use;
    else
        vec_push(&live->at, ((struct live_flag){ v, use }));
}

static void forget(struct live *live, const struct var *v)
{
    const int i = find(live, v);

    if (i < 0)
        return;
    for (int k = i; k + 1 < live->at.n; k++)
        live->at.at[k] = live->at.at[k + 1];
    live->at.n--;
}

static struct live copy(const struct live *from)
{
    struct live to = { 0 };

    for (int i = 0; i < from->at.n; i++)
        vec_push(&to.at, from->at.at[i]);
    return to;
}

/* What was needed already keeps its use: it is the nearer one. */
static void merge(struct live *into, const struct live *from)
{
    for (int i = 0; i < from->at.n; i++)
        if (find(into, from->at.at[i].var) < 0)
            vec_push(&into->at, from->at.at[i]);
}

/* -- where a flag was set: the last definition above, in a loop maybe below -- */

struct definition {
    const struct var *var;
    const struct stmt *before;
    struct loc at;
    bool any, passed, done;
};

static void find_definition(struct definition *d, const struct stmt *s)
{
    for (; s != NULL && !d->done; s = s->next) {
        struct stmt *body;
        struct var *v;

        if (s == d->before) {
            d->passed = true;
            d->done = d->any;
        }
        for each_body(body, s)
            find_definition(d, body);
        for each_result(v, s)
            if (v == d->var && !d->done) {
                d->at = s->loc;
                d->any = true;
                d->done = d->passed;
            }
    }
}

/* Something at LOC writes the flags while LIVE is needed. */
static void writes_flags(struct flags *c, const struct live *live, struct loc loc,
                         const char *what)
{
    for (int i = 0; i < live->at.n && c->reporting; i++)
        vec_push(&c->conflicts, ((struct conflict){ loc, what, live->at.at[i].var, NULL,
                                                    live->at.at[i].use, c->now }));
}

/* -- expressions, last evaluated first -- */

static const struct expr *consumed_flag(const struct expr *e)
{
    switch (e->kind) {
    case E_SELECT: return type_is_flag(e->a->type) ? e->a : NULL;
    case E_FROM_FLAG:
    case E_MASK: return e->a;
    case E_ADC:
    case E_SBC: return e->c;
    default: return NULL;
    }
}

static const char *written_by(const struct expr *e)
{
    if (e->kind == E_COMPARE && e->op != BIN_EQ && e->op != BIN_NE)
        return "this comparison";
    if (e->kind == E_TO_FLAG)
        return "this conversion to a flag";
    if (e->kind == E_CONST && type_is_flag(e->type))
        return "this constant flag";
    if (e->kind == E_INSN && (insns[e->insn].flags & WRITES_NZCV) != 0)
        return "this instruction";
    return NULL;
}

/* A flag operand is consumed by the operation that USE points at: a variable is
 * read then; anything else was made before the other operands. */
static void flag_operand(struct live *live, const struct expr *flag, struct loc use)
{
    need(live, flag->kind == E_VAR ? flag->var : NULL, use);
}

static void flags_expr(struct flags *c, const struct expr *e, struct live *live)
{
    const struct expr *flag = consumed_flag(e);
    const char *write = written_by(e);
    int n = 0;

    if (e->kind == E_VAR && type_is_flag(e->type))
        need(live, e->var, e->loc);
    if (write != NULL)
        writes_flags(c, live, e->loc, write);
    if (flag != NULL)
        flag_operand(live, flag, flag->loc);
    while (expr_child(e, n) != NULL)
        n++;
    while (n-- > 0)
        if (expr_child(e, n) != flag)
            flags_expr(c, expr_child(e, n), live);
    if (flag != NULL && flag->kind != E_VAR) {
        forget(live, NULL);
        flags_expr(c, flag, live);
    }
}

/* -- statements, last first -- */

static void flags_carry(struct flags *c, const struct stmt *s, struct live *live)
{
    const char *what = s->is_subtract ? "this subtraction" : "this addition";
    /* A constant 0 carried in is no flag yet: adds, not adcs. */
    const bool chained = s->flag_in != NULL && s->flag_in->kind != E_CONST;

    if (s->flag != NULL) {
        forget(live, s->flag);
        writes_flags(c, live, s->loc, what);
    }
    if (chained)
        flag_operand(live, s->flag_in, s->flag_in->loc);
    flags_expr(c, s->b, live);
    flags_expr(c, s->a, live);
    if (chained && s->flag_in->kind != E_VAR) {
        forget(live, NULL);
        flags_expr(c, s->flag_in, live);
    }
}

/* d = c: a new name for the same flags, unless c is needed again. */
static void flags_copy(struct flags *c, const struct stmt *s, struct live *live)
{
    const struct var *from = s->value->var;
    const int kept = find(live, from);

    forget(live, s->var);
    if (c->reporting && kept >= 0 && from != s->var)
        vec_push(&c->conflicts, ((struct conflict){ s->loc, NULL, from, s->var,
                                                    live->at.at[find(live, from)].use, s }));
    need(live, from, s->value->loc);
}

/* One walk from the loop's end gives all that another iteration needs (a body
 * adds and removes the same, whatever is live after it); then it is reported. */
static void flags_loop(struct flags *c, const struct stmt *body, const struct expr *cond,
                       struct live *live)
{
    const bool reporting = c->reporting;
    const struct stmt *loop = c->now;
    struct live head = copy(live);

    c->reporting = false;
    if (cond != NULL)
        flags_expr(c, cond, &head);
    flags_list(c, body, &head);
    c->reporting = reporting;
    merge(live, &head);
    if (cond != NULL) {
        c->now = loop;
        flags_expr(c, cond, live);
    }
    if (reporting) {
        head = copy(live);
        flags_list(c, body, &head);
    }
}

static void flags_stmt(struct flags *c, const struct stmt *s, struct live *live)
{
    struct var *v;
    int n = 0;

    c->now = s;
    if (s->kind == S_CARRY) {
        flags_carry(c, s, live);
        return;
    }
    if (s->kind == S_ASSIGN && type_is_flag(s->var->type) && s->value->kind == E_VAR) {
        flags_copy(c, s, live);
        return;
    }
    for each_result(v, s)
        if (v != NULL && type_is_flag(v->type))
            forget(live, v);
    if (s->kind == S_CALL)
        writes_flags(c, live, s->loc, "this call");
    if (s->kind == S_RETURN)
        live->at.n = 0;
    if (s->kind == S_IF) {
        struct live other = copy(live);
        flags_list(c, s->other, &other);
        flags_list(c, s->body, live);
        merge(live, &other);
    }
    if (s->kind == S_FOR)
        for (int i = s->arm_count; i-- > 0;)
            flags_loop(c, s->arms[i].body, NULL, live);
    if (s->kind == S_WHILE) {
        flags_loop(c, s->body, s->cond, live);
        return;
    }
    c->now = s;
    while (stmt_expr(s, n) != NULL)
        n++;
    while (n-- > 0)
        flags_expr(c, stmt_expr(s, n), live);
}

static void flags_list(struct flags *c, const struct stmt *s, struct live *live)
{
    VEC(const struct stmt *) list = { 0 };

    for (; s != NULL; s = s->next)
        vec_push(&list, s);
    for (int i = list.n; i-- > 0;)
        flags_stmt(c, list.at[i], live);
}

/* -- messages, in the order of the text -- */

static const char *flag_noun(const struct var *v)
{
    return v->type == TYPE_BORROW ? "borrow" : "carry";
}

static void report(const struct func *f, const struct conflict *c)
{
    struct definition d = { .var = c->var, .before = c->stmt };

    if (c->var == NULL) {
        error_at(c->at, RULE_CARRY_LOST, "%s overwrites a flag made in the same expression",
                 c->what);
        note_at(c->use, "the flag is needed here");
        return;
    }
    if (c->what != NULL)
        error_at(c->at, RULE_CARRY_LOST, "%s overwrites the %s of %s", c->what, flag_noun(c->var),
                 var_label(c->var));
    else
        error_at(c->at, RULE_CARRY_LOST,
                 "%s copies %s, which is still needed: the flags hold one value",
                 var_label(c->copy), var_label(c->var));
    find_definition(&d, f->body);
    if (d.any)
        note_at(d.at, "%s is set here", var_label(c->var));
    note_at(c->use, "and still needed here");
}

void check_flags(struct func *f)
{
    struct flags c = { .f = f, .reporting = true };
    struct live live = { 0 };

    flags_list(&c, f->body, &live);
    for (int i = c.conflicts.n; i-- > 0 && !too_many_errors();)
        report(f, &c.conflicts.at[i]);
}
