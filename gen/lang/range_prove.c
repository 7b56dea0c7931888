/* range_prove.c: does an inequality follow from the facts?
 *
 * Takes a question to range.h's facts, gives an answer that is right when it is
 * yes. Fourier-Motzkin elimination over the rationals, on the facts connected
 * to the question, with one strengthening for integers: a row is divided by the
 * gcd of its factors and its constant rounded down. What the search leaves out
 * (rows or columns beyond the limits, numbers that grow too large) only makes
 * it fail more often.
 *
 * Case split: a symbol with a value set has one case a range of the set, a
 * disequality two, a disjunction one an alternative, a place where two sides of
 * an `if` met one a side; a question is proved when it is in every case.
 *
 * The effort of one question and of all of a function is limited, so that no
 * source takes long; a search that is given up is a search that failed.
 */
#include "lang/range.h"

#include <assert.h>
#include <string.h>

enum {
    COLUMNS = 20,               /* symbols in one question */
    ROWS = 160,                 /* inequalities alive at once */
    CASE_DEPTH = 2,             /* case splits inside each other */
    CASES_TRIED = 6,            /* candidates at each level */
    COMBINE_COST = 20,          /* of one pair of rows, in units of range.spent */
    QUESTION = -1,              /* the column of a form whose bounds are asked for */
};

/* constant + sum(factor * column) >= 0 */
struct row { wide constant; uint64_t hash; wide factor[COLUMNS]; };     /* hash: of the factors */

struct system {
    struct range *r;
    int symbol[COLUMNS];
    int columns;
    struct row *rows;
    int count;
    bool contradiction;
};

/* The rows of the search that is running; searches do not nest. */
static struct row scratch[ROWS];

/* -- rows -- */

static wide gcd(wide a, wide b)
{
    a = a < 0 ? -a : a;
    b = b < 0 ? -b : b;
    while (b != 0) {
        const wide rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static wide floor_div(wide a, wide b)
{
    return a / b - (a % b < 0);
}

static uint64_t hash_factors(const struct system *s, const struct row *row)
{
    uint64_t h = 0;

    for (int i = 0; i < s->columns; i++)
        h = (h ^ (uint64_t)row->factor[i]) * 0x9e3779b97f4a7c15u;
    return h;
}

static bool same_factors(const struct system *s, const struct row *a, const struct row *b)
{
    return a->hash == b->hash &&
           memcmp(a->factor, b->factor, sizeof a->factor[0] * (size_t)s->columns) == 0;
}

static void add_row(struct system *s, struct row row)
{
    wide common = 0;

    for (int i = 0; i < s->columns; i++)
        common = row.factor[i] == 0 || common == 1 ? common : gcd(common, row.factor[i]);
    if (common == 0) {
        s->contradiction = s->contradiction || row.constant < 0;
        return;
    }
    if (common > 1) {
        for (int i = 0; i < s->columns; i++)
            row.factor[i] /= common;
        row.constant = floor_div(row.constant, common);
    }
    row.hash = hash_factors(s, &row);
    s->r->spent += s->count + 1;
    for (int i = 0; i < s->count; i++)
        if (same_factors(s, &s->rows[i], &row)) {
            if (row.constant < s->rows[i].constant)
                s->rows[i].constant = row.constant;
            return;
        }
    if (s->count < ROWS)
        s->rows[s->count++] = row;
}

/* up * a + down * b, which has a zero in the column they were chosen for; false
 * when a number grows too large. */
static bool combine(const struct system *s, const struct row *a, wide up, const struct row *b,
                    wide down, struct row *out)
{
    const wide limit = WIDE_MAX >> 60;
    const wide larger = up > down ? up : down;

    if (larger > limit)
        return false;
    const wide bound = larger >> 30 == 0 ? WIDE_MAX >> 31 : (WIDE_MAX / 2) / larger;
    *out = (struct row){ .constant = 0 };
    for (int i = -1; i < s->columns; i++) {
        const wide x = i < 0 ? a->constant : a->factor[i], y = i < 0 ? b->constant : b->factor[i];

        if (x > bound || x < -bound || y > bound || y < -bound)
            return false;
        *(i < 0 ? &out->constant : &out->factor[i]) = up * x + down * y;
    }
    return true;
}

/* -- elimination -- */

static void begin_question(struct range *r)
{
    r->allowed = r->spent + (range_is_exhausted(r) ? LAST_EFFORT : QUESTION_EFFORT);
}

/* The column whose elimination makes the fewest rows; -1: none is left. */
static int cheapest_column(const struct system *s, int keep)
{
    long best_cost = 0;
    int best = -1;

    for (int c = 0; c < s->columns; c++) {
        long above = 0, below = 0;

        if (c == keep)
            continue;
        for (int i = 0; i < s->count; i++) {
            above += s->rows[i].factor[c] > 0;
            below += s->rows[i].factor[c] < 0;
        }
        const long cost = above * below - above - below;
        if (above + below > 0 && (best < 0 || cost < best_cost)) {
            best = c;
            best_cost = cost;
        }
    }
    return best;
}

static void eliminate_column(struct system *s, int c)
{
    static struct row old[ROWS];
    const int n = s->count;

    memcpy(old, s->rows, sizeof *old * (size_t)n);
    s->count = 0;
    for (int i = 0; i < n; i++)
        if (old[i].factor[c] == 0)
            add_row(s, old[i]);
    for (int i = 0; i < n && !s->contradiction; i++)
        for (int k = 0; k < n && old[i].factor[c] > 0; k++) {
            struct row sum;

            if (old[k].factor[c] >= 0)
                continue;
            s->r->spent += COMBINE_COST;
            const wide common = gcd(old[i].factor[c], old[k].factor[c]);
            if (combine(s, &old[i], -old[k].factor[c] / common, &old[k], old[i].factor[c] / common,
                        &sum))
                add_row(s, sum);
        }
}

static bool may_look_at(struct range *r, int facts)
{
    r->spent += facts;
    return r->spent < r->allowed;
}

static void eliminate(struct system *s, int keep)
{
    int c;

    while (!s->contradiction && s->r->spent < s->r->allowed && (c = cheapest_column(s, keep)) >= 0)
        eliminate_column(s, c);
}

/* -- the facts that are connected to a question -- */

static int column_of(const struct system *s, int symbol)
{
    for (int i = 0; i < s->columns; i++)
        if (s->symbol[i] == symbol)
            return i;
    return -1;
}

static void add_columns(struct system *s, const struct form *f)
{
    for (int i = 0; i < f->n; i++)
        if (column_of(s, f->terms[i].symbol) < 0 && s->columns < COLUMNS)
            s->symbol[s->columns++] = f->terms[i].symbol;
}

static void add_form(struct system *s, struct form f)
{
    struct row row = { .constant = f.constant };

    if (f.n < 0)
        return;
    for (int i = 0; i < f.n; i++) {
        const int c = column_of(s, f.terms[i].symbol);
        if (c < 0)
            return;
        row.factor[c] = f.terms[i].factor;
    }
    add_row(s, row);
}

static bool touches(const struct system *s, const struct form *f)
{
    for (int i = 0; i < f->n; i++)
        if (column_of(s, f->terms[i].symbol) >= 0)
            return true;
    return false;
}

/* The definitions that mention a symbol, or one that an equality replaces by a
 * form in which the symbol is. */
static void start_near(struct range *r)
{
    r->near.n = 0;
    r->stamp++;
}

static void near_symbol(struct range *r, struct symbol *s)
{
    for (int i = 0; i < s->always.n; i++)
        if (r->always_stamp.at[s->always.at[i]] != r->stamp) {
            r->always_stamp.at[s->always.at[i]] = r->stamp;
            vec_push(&r->near, s->always.at[i]);
        }
}

static void look_near(struct range *r, int symbol)
{
    struct symbol *s = &r->symbols.at[symbol];

    if (s->near_stamp == r->stamp)
        return;
    s->near_stamp = r->stamp;
    near_symbol(r, s);
    for (int i = 0; i < r->solved.n; i++)
        for (int k = 0; k < r->solved.at[i].value.n; k++)
            if (r->solved.at[i].value.terms[k].symbol == symbol)
                near_symbol(r, &r->symbols.at[r->solved.at[i].symbol]);
    r->spent += r->solved.n;
}

typedef void form_visitor(struct system *s, struct form f);

/* Every inequality known, equalities applied. */
static void each_fact(struct system *s, form_visitor *visit)
{
    const struct range *r = s->r;

    s->r->spent += r->path.n + r->near.n + r->solved.n;
    for (int i = 0; i < r->path.n; i++)
        if (r->path.at[i].kind == FACT_GE)
            visit(s, range_normal(r, r->path.at[i].form));
    for (int i = 0; i < r->near.n; i++)
        visit(s, range_normal(r, r->always.at[r->near.at[i]]));
    for (int i = 0; i < r->solved.n; i++) {
        const struct symbol *sym = &r->symbols.at[r->solved.at[i].symbol];
        const struct form value = range_normal(r, r->solved.at[i].value);

        if (sym->lo > -WIDE_MAX)
            visit(s, form_plus(value, -sym->lo));
        if (sym->hi < WIDE_MAX)
            visit(s, form_plus(form_scale(value, -1), sym->hi));
    }
}

static void connect(struct system *s, struct form f)
{
    if (f.n > 0 && touches(s, &f))
        add_columns(s, &f);
}

/* A question without symbols: do the facts contradict each other? */
static void start_anywhere(struct system *s, struct form f)
{
    add_columns(s, &f);
}

static void gather(struct system *s)
{
    int before;

    start_near(s->r);
    do {
        before = s->columns;
        for (int i = 0; i < s->columns; i++)
            if (s->symbol[i] != QUESTION)
                look_near(s->r, s->symbol[i]);
        each_fact(s, connect);
    } while (s->columns > before);
    each_fact(s, add_form);
    for (int i = 0; i < s->columns; i++) {
        if (s->symbol[i] == QUESTION)
            continue;
        const struct symbol *sym = &s->r->symbols.at[s->symbol[i]];
        struct row least = { .constant = -sym->lo }, most = { .constant = sym->hi };

        least.factor[i] = 1;
        most.factor[i] = -1;
        if (sym->lo > -WIDE_MAX)
            add_row(s, least);
        if (sym->hi < WIDE_MAX)
            add_row(s, most);
    }
}

/* Is there no integer solution of the facts with f < 0? */
static bool refutes(struct range *r, struct form ge)
{
    struct system s = { .r = r, .rows = scratch };
    const struct form f = range_normal(r, ge);

    if (f.n < 0 || !may_look_at(r, r->path.n))
        return false;
    add_columns(&s, &f);
    if (f.n == 0)
        each_fact(&s, start_anywhere);
    add_form(&s, form_plus(form_scale(f, -1), -1));
    gather(&s);
    r->connected.n = 0;
    for (int i = 0; i < s.columns; i++)
        vec_push(&r->connected, s.symbol[i]);
    eliminate(&s, -1);
    return s.contradiction;
}

static bool is_about(const struct system *s, const struct row *row, int column)
{
    for (int c = 0; c < s->columns; c++)
        if (c != column && row->factor[c] != 0)
            return false;
    return true;
}

void range_bounds(struct range *r, struct form f, wide *lo, wide *hi)
{
    struct system s = { .r = r, .rows = scratch };

    range_interval(r, f, lo, hi);
    f = range_normal(r, f);
    if (f.n <= 0)
        return;
    begin_question(r);
    if (!may_look_at(r, r->path.n))
        return;
    /* One more column, equal to f, is what remains. */
    s.symbol[s.columns++] = QUESTION;
    add_columns(&s, &f);
    for (int sign = -1; sign <= 1; sign += 2) {
        struct row row = { .constant = -f.constant * sign };
        bool complete = true;

        row.factor[0] = sign;
        for (int i = 0; i < f.n; i++) {
            const int c = column_of(&s, f.terms[i].symbol);
            complete = complete && c >= 0;
            if (c >= 0)
                row.factor[c] = -f.terms[i].factor * sign;
        }
        if (complete)
            add_row(&s, row);
    }
    gather(&s);
    eliminate(&s, 0);
    for (int i = 0; i < s.count && !s.contradiction; i++) {
        if (!is_about(&s, &s.rows[i], 0))
            continue;           /* the search was given up before */
        if (s.rows[i].factor[0] == 1 && -s.rows[i].constant > *lo)
            *lo = -s.rows[i].constant;
        if (s.rows[i].factor[0] == -1 && s.rows[i].constant < *hi)
            *hi = s.rows[i].constant;
    }
}

/* -- quick answers -- */

/* One fact, times a number, is enough: a form proportional to it. */
static bool one_fact_proves(const struct form *goal, const struct form *fact)
{
    if (goal->n != fact->n || goal->n == 0)
        return false;
    if (fact->terms[0].factor == 0 || goal->terms[0].factor % fact->terms[0].factor != 0)
        return false;
    const wide by = goal->terms[0].factor / fact->terms[0].factor;

    if (by <= 0 || by > (wide)1 << 40)
        return false;
    for (int i = 0; i < goal->n; i++)
        if (goal->terms[i].symbol != fact->terms[i].symbol ||
            goal->terms[i].factor != fact->terms[i].factor * by)
            return false;
    /* goal = by * fact + (goal.constant - by * fact.constant) */
    return fact->constant < WIDE_MAX >> 42 && fact->constant > -(WIDE_MAX >> 42) &&
           goal->constant >= by * fact->constant;
}

/* The I-th fact that is an inequality, or an unknown form. */
static struct form fact_at(const struct range *r, int i)
{
    const struct form none = { 0, 0, NULL };

    if (i >= r->path.n)
        return range_normal(r, r->always.at[r->near.at[i - r->path.n]]);
    return r->path.at[i].kind == FACT_GE ? range_normal(r, r->path.at[i].form) : none;
}

static wide factor_of(const struct form *f, int symbol)
{
    for (int i = 0; i < f->n; i++)
        if (f->terms[i].symbol == symbol)
            return f->terms[i].factor;
    return 0;
}

static bool interval_or_fact_proves(struct range *r, struct form goal)
{
    const int n = r->path.n + r->near.n;
    wide lo, hi;

    range_interval(r, goal, &lo, &hi);
    if (lo >= 0)
        return true;
    if (goal.n <= 0 || !may_look_at(r, n))
        return false;
    for (int i = 0; i < n; i++) {
        const struct form fact = fact_at(r, i);
        if (one_fact_proves(&goal, &fact))
            return true;
    }
    return false;
}

/* A multiple of one fact leaves what an interval or another fact proves: an index
 * below n, and n below a bound. */
static bool quickly(struct range *r, struct form ge)
{
    const struct form goal = range_normal(r, ge);

    start_near(r);
    for (int i = 0; i < goal.n; i++)
        look_near(r, goal.terms[i].symbol);
    const int n = r->path.n + r->near.n;
    if (interval_or_fact_proves(r, ge) || interval_or_fact_proves(r, goal))
        return true;
    for (int i = 0; i < n && r->spent < r->allowed; i++) {
        const struct form fact = fact_at(r, i);

        for (int k = 0; k < goal.n; k++) {
            const wide g = goal.terms[k].factor, f = factor_of(&fact, goal.terms[k].symbol);

            if (f == 0 || g % f != 0 || g / f <= 0)
                continue;
            if (interval_or_fact_proves(r, form_sub(goal, form_scale(fact, g / f))))
                return true;
        }
    }
    return false;
}

/* -- cases -- */

/* A question asked in each case. */
typedef bool question(struct range *r, const void *q);

static bool in_cases(struct range *r, question *ask, const void *q, int depth);

static bool in_each_range(struct range *r, int symbol, question *ask, const void *q, int depth)
{
    const struct value_set *set = r->symbols.at[symbol].set;

    for (int i = 0; i < set->n; i++) {
        const struct range_marks m = range_mark(r);
        const struct form s = form_symbol(symbol);

        if (set->at[i].lo == set->at[i].hi) {
            range_assume(r, FACT_EQ, form_plus(s, -(wide)set->at[i].lo));
        } else {
            range_assume(r, FACT_GE, form_plus(s, -(wide)set->at[i].lo));
            range_assume(r, FACT_GE, form_plus(form_scale(s, -1), (wide)set->at[i].hi));
        }
        const bool yes = in_cases(r, ask, q, depth - 1);
        range_release(r, m);
        if (!yes)
            return false;
    }
    return true;
}

static bool on_each_side(struct range *r, struct form unequal, question *ask, const void *q,
                         int depth)
{
    for (int sign = -1; sign <= 1; sign += 2) {
        const struct range_marks m = range_mark(r);

        range_assume(r, FACT_GE, form_plus(form_scale(unequal, sign), -1));
        const bool yes = in_cases(r, ask, q, depth - 1);
        range_release(r, m);
        if (!yes)
            return false;
    }
    return true;
}

static bool in_each_alternative(struct range *r, struct fact any, question *ask, const void *q,
                                int depth)
{
    for (int i = 0; i < any.any_count; i++) {
        const struct range_marks m = range_mark(r);

        range_assume(r, any.any[i].kind, any.any[i].form);
        const bool yes = in_cases(r, ask, q, depth - 1);
        range_release(r, m);
        if (!yes)
            return false;
    }
    return true;
}

/* Is it about symbols that the question is about? Other cases cannot help. */
static bool is_connected(const struct range *r, const struct form *f)
{
    for (int i = 0; i < f->n; i++)
        for (int k = 0; k < r->connected.n; k++)
            if (r->connected.at[k] == f->terms[i].symbol)
                return true;
    return false;
}

static bool fact_is_connected(const struct range *r, const struct fact *fact)
{
    struct form f = range_normal(r, fact->form);
    bool connected = fact->kind == FACT_NE && is_connected(r, &f);

    for (int i = 0; fact->kind == FACT_ANY && i < fact->any_count && !connected; i++) {
        f = range_normal(r, fact->any[i].form);
        connected = is_connected(r, &f);
    }
    return connected;
}

/* Which side of an `if` was taken: open, and it decides a connected equality. */
static void choose_selector(const struct range *r, const struct fact *when, int *symbols, int *n)
{
    const struct form f = range_normal(r, when->form);
    int open;

    if (*n >= CASES_TRIED || !is_connected(r, &f) || range_guards_hold(r, when, &open) || open < 0)
        return;
    for (int i = 0; i < *n; i++)
        if (symbols[i] == open)
            return;
    symbols[(*n)++] = open;
}

/* The cases worth a try, chosen by the search that just failed. */
static void choose_cases(const struct range *r, int *symbols, int *symbol_count, int *facts,
                         int *fact_count)
{
    *symbol_count = *fact_count = 0;
    for (int i = 0; i < r->with_set.n && *symbol_count < CASES_TRIED; i++) {
        const int symbol = r->with_set.at[i];
        const struct form f = range_normal(r, form_symbol(symbol));

        if (r->symbols.at[symbol].set->n >= 2 && is_connected(r, &f))
            symbols[(*symbol_count)++] = symbol;
    }
    for (int i = r->path.n; i-- > 0;) {
        const struct fact *fact = &r->path.at[i];

        if (fact->kind == FACT_WHEN)
            choose_selector(r, fact, symbols, symbol_count);
        else if (*fact_count < CASES_TRIED && fact_is_connected(r, fact))
            facts[(*fact_count)++] = i;
    }
}

static bool in_cases(struct range *r, question *ask, const void *q, int depth)
{
    int symbols[CASES_TRIED], facts[CASES_TRIED], symbol_count, fact_count;

    r->connected.n = 0;
    if (ask(r, q))
        return true;
    if (depth == 0 || !may_look_at(r, r->path.n))
        return false;
    choose_cases(r, symbols, &symbol_count, facts, &fact_count);
    for (int i = 0; i < symbol_count; i++)
        if (in_each_range(r, symbols[i], ask, q, depth))
            return true;
    for (int i = 0; i < fact_count; i++) {
        const struct fact fact = r->path.at[facts[i]];

        if (fact.kind == FACT_NE ? on_each_side(r, fact.form, ask, q, depth)
                                 : in_each_alternative(r, fact, ask, q, depth))
            return true;
    }
    return false;
}

static bool ask_ge(struct range *r, const void *q)
{
    const struct form *ge = q;

    return quickly(r, *ge) || refutes(r, *ge);
}

bool range_proves(struct range *r, struct form ge)
{
    begin_question(r);
    return !form_is_unknown(&ge) && in_cases(r, ask_ge, &ge, CASE_DEPTH);
}

bool range_proves_simply(struct range *r, struct form ge)
{
    begin_question(r);
    return !form_is_unknown(&ge) && ask_ge(r, &ge);
}

bool range_proves_equal(struct range *r, struct form a, struct form b)
{
    const struct form d = range_normal(r, form_sub(a, b));

    return (d.n == 0 && d.constant == 0) ||
           (range_proves(r, form_sub(a, b)) && range_proves(r, form_sub(b, a)));
}

struct membership { struct form v; const struct value_set *set; };

static bool ask_member(struct range *r, const void *q)
{
    const struct membership *m = q;

    for (int i = 0; i < m->set->n; i++) {
        const struct form low = form_plus(m->v, -(wide)m->set->at[i].lo);
        const struct form high = form_plus(form_scale(m->v, -1), (wide)m->set->at[i].hi);
        if (ask_ge(r, &low) && ask_ge(r, &high))
            return true;
    }
    return false;
}

bool range_proves_in(struct range *r, struct form v, const struct value_set *set)
{
    const struct membership m = { v, set };

    begin_question(r);
    return !form_is_unknown(&v) && in_cases(r, ask_member, &m, CASE_DEPTH);
}

bool range_proves_multiple(struct range *r, struct form f, wide k)
{
    f = range_normal(r, f);
    if (f.n < 0 || f.constant % k != 0)
        return false;
    for (int i = 0; i < f.n; i++)
        if (f.terms[i].factor % k != 0)
            return false;
    return true;
}
