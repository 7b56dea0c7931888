/* range.c: forms, symbols and facts (see range.h).
 *
 * Takes forms and facts; gives sums, intervals and texts. An equality on the
 * path that determines a symbol (a factor of 1 or -1) becomes a substitution,
 * applied to every later question; any other becomes two inequalities.
 *
 * Holds: substitutions are in order: the value of one mentions no symbol that
 * an earlier one replaces.
 * Does not: search; range_prove.c does.
 */
#include "lang/range.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

/* -- forms -- */

static const struct form unknown = { 0, -1, NULL };

bool form_is_unknown(const struct form *a)
{
    return a->n < 0;
}

static bool too_large(wide x)
{
    return x > WIDE_MAX || x < -WIDE_MAX;
}

static bool product_is_small(wide a, wide b)
{
    const wide x = a < 0 ? -a : a, y = b < 0 ? -b : b;

    return (x >> 58 == 0 && y >> 58 == 0) || x == 0 || y <= WIDE_MAX / x;
}

struct form form_constant(wide c)
{
    return too_large(c) ? unknown : (struct form){ c, 0, NULL };
}

struct form form_symbol(int symbol)
{
    struct term *t = NEW(struct term);

    *t = (struct term){ symbol, 1 };
    return (struct form){ 0, 1, t };
}

/* a + by * b */
static struct form add_scaled(struct form a, struct form b, wide by)
{
    struct form sum = { 0, 0, NULL };
    int i = 0, k = 0;

    if (a.n < 0 || b.n < 0 || !product_is_small(b.constant, by))
        return unknown;
    sum.constant = a.constant + b.constant * by;
    if (too_large(sum.constant))
        return unknown;
    if (b.n == 0) {
        sum.n = a.n;
        sum.terms = a.terms;
        return sum;
    }
    sum.terms = NEW_ARRAY(struct term, a.n + b.n);
    while (i < a.n || k < b.n) {
        struct term t;

        if (k < b.n && !product_is_small(b.terms[k].factor, by))
            return unknown;
        if (k == b.n || (i < a.n && a.terms[i].symbol < b.terms[k].symbol)) {
            t = a.terms[i++];
        } else {
            t = (struct term){ b.terms[k].symbol, b.terms[k].factor * by };
            if (i < a.n && a.terms[i].symbol == t.symbol)
                t.factor += a.terms[i++].factor;
            k++;
        }
        if (too_large(t.factor))
            return unknown;
        if (t.factor != 0)
            sum.terms[sum.n++] = t;
    }
    return sum;
}

struct form form_add(struct form a, struct form b)
{
    return add_scaled(a, b, 1);
}

struct form form_sub(struct form a, struct form b)
{
    return add_scaled(a, b, -1);
}

struct form form_scale(struct form a, wide by)
{
    return by == 0 ? form_constant(0) : add_scaled(form_constant(0), a, by);
}

struct form form_plus(struct form a, wide c)
{
    return form_add(a, form_constant(c));
}

bool form_equal(const struct form *a, const struct form *b)
{
    if (a->n < 0 || a->n != b->n || a->constant != b->constant)
        return false;
    for (int i = 0; i < a->n; i++)
        if (a->terms[i].symbol != b->terms[i].symbol || a->terms[i].factor != b->terms[i].factor)
            return false;
    return true;
}

/* -- symbols -- */

int range_symbol(struct range *r, enum symbol_kind kind, const char *text, wide lo, wide hi)
{
    vec_push(&r->symbols, ((struct symbol){ .kind = kind, .text = text, .lo = lo, .hi = hi }));
    return r->symbols.n - 1;
}

int range_derived(struct range *r, int op, int key, struct form a, struct form b, int version,
                  bool *fresh)
{
    *fresh = false;
    for (int i = 0; i < r->derived.n; i++) {
        const struct symbol *s = &r->symbols.at[r->derived.at[i]];

        if (s->op == op && s->key == key && s->version == version && form_equal(&s->a, &a) &&
            form_equal(&s->b, &b))
            return r->derived.at[i];
    }
    *fresh = true;
    const int i = range_symbol(r, SYMBOL_DERIVED, "", -WIDE_MAX, WIDE_MAX);
    struct symbol *s = &r->symbols.at[i];

    vec_push(&r->derived, i);
    s->op = op;
    s->key = key;
    s->a = a;
    s->b = b;
    s->version = version;
    return i;
}

void range_restrict(struct range *r, int symbol, const struct value_set *set)
{
    struct symbol *s = &r->symbols.at[symbol];

    if (set->n == 0)
        return;
    s->set = set;
    s->lo = set->at[0].lo > s->lo ? (wide)set->at[0].lo : s->lo;
    s->hi = set->at[set->n - 1].hi < s->hi ? (wide)set->at[set->n - 1].hi : s->hi;
    vec_push(&r->with_set, symbol);
}

/* -- facts -- */

void range_always(struct range *r, struct form ge)
{
    if (form_is_unknown(&ge))
        return;
    for (int i = 0; i < ge.n; i++)
        vec_push(&r->symbols.at[ge.terms[i].symbol].always, r->always.n);
    vec_push(&r->always, ge);
    vec_push(&r->always_stamp, 0);
}

/* A symbol with factor 1 or -1, the youngest: it is the least used elsewhere. */
static int solvable_term(const struct form *f)
{
    for (int i = f->n; i-- > 0;)
        if (f->terms[i].factor == 1 || f->terms[i].factor == -1)
            return i;
    return -1;
}

static void solve(struct range *r, int symbol, struct form value)
{
    vec_push(&r->solved, ((struct substitution){ symbol, value }));
    r->symbols.at[symbol].solved = r->solved.n;
}

static void assume_equal(struct range *r, struct form f)
{
    const struct form normal = range_normal(r, f);
    const int i = normal.n < 0 ? -1 : solvable_term(&normal);

    if (normal.n == 0 && normal.constant == 0)
        return;
    if (normal.n == 1 && normal.constant % normal.terms[0].factor == 0) {
        solve(r, normal.terms[0].symbol, form_constant(-normal.constant / normal.terms[0].factor));
        return;
    }
    if (i >= 0) {
        const struct term t = normal.terms[i];
        const struct form rest = form_sub(normal, form_scale(form_symbol(t.symbol), t.factor));

        solve(r, t.symbol, form_scale(rest, -t.factor));
        return;
    }
    vec_push(&r->path, ((struct fact){ .kind = FACT_GE, .form = f }));
    vec_push(&r->path, ((struct fact){ .kind = FACT_GE, .form = form_scale(f, -1) }));
}

bool range_guards_hold(const struct range *r, const struct fact *when, int *open)
{
    *open = -1;
    for (int i = 0; i < when->guard_count; i++) {
        const struct form s = range_normal(r, form_symbol(when->guards[i].selector));

        if (s.n == 0 && s.constant != when->guards[i].value) {
            *open = -1;
            return false;
        }
        if (s.n != 0 && *open < 0)
            *open = when->guards[i].selector;
    }
    return *open < 0;
}

/* Equalities whose guards hold by now; one may decide another. */
static void assume_selected(struct range *r)
{
    int before;

    do {
        before = r->solved.n;
        for (int i = 0; i < r->path.n; i++) {
            const struct fact when = r->path.at[i];

            int open;

            if (when.kind == FACT_WHEN && range_guards_hold(r, &when, &open))
                assume_equal(r, when.form);
        }
    } while (r->solved.n > before);
}

void range_assume(struct range *r, enum fact_kind kind, struct form f)
{
    if (form_is_unknown(&f))
        return;
    assert(kind <= FACT_NE);
    vec_push(&r->path, ((struct fact){ .kind = kind, .form = f }));
    if (kind == FACT_EQ) {
        assume_equal(r, f);
        assume_selected(r);
    }
}

void range_assume_any(struct range *r, struct fact *any, int n)
{
    vec_push(&r->path, ((struct fact){ .kind = FACT_ANY, .any = any, .any_count = n }));
}

void range_assume_when(struct range *r, const struct guard *guards, int n, struct form zero)
{
    struct guard *kept = NEW_ARRAY(struct guard, n);

    if (form_is_unknown(&zero))
        return;
    for (int i = 0; i < n; i++)
        kept[i] = guards[i];
    vec_push(&r->path, ((struct fact){ .kind = FACT_WHEN, .form = zero, .guards = kept,
                                       .guard_count = n }));
}

struct range_marks range_mark(const struct range *r)
{
    return (struct range_marks){ r->path.n, r->solved.n };
}

void range_release(struct range *r, struct range_marks m)
{
    r->path.n = m.path;
    while (r->solved.n > m.solved)
        r->symbols.at[r->solved.at[--r->solved.n].symbol].solved = 0;
}

struct form range_normal(const struct range *r, struct form f)
{
    for (int i = 0; i < f.n; i++) {
        const struct symbol *s = &r->symbols.at[f.terms[i].symbol];
        const wide factor = f.terms[i].factor;

        if (s->solved == 0)
            continue;
        f = form_sub(f, form_scale(form_symbol(f.terms[i].symbol), factor));
        f = form_add(f, form_scale(r->solved.at[s->solved - 1].value, factor));
        i = -1;                 /* what replaced it may be replaced too */
    }
    return f;
}

/* -- intervals -- */

static void plain_interval(const struct range *r, struct form f, wide *lo, wide *hi)
{
    *lo = -WIDE_MAX;
    *hi = WIDE_MAX;
    if (f.n < 0)
        return;
    wide low = f.constant, high = f.constant;
    bool low_ok = true, high_ok = true;

    for (int i = 0; i < f.n; i++) {
        const struct symbol *s = &r->symbols.at[f.terms[i].symbol];
        const wide by = f.terms[i].factor;
        const wide at_lo = by > 0 ? s->lo : s->hi, at_hi = by > 0 ? s->hi : s->lo;

        low_ok = low_ok && at_lo < WIDE_MAX && at_lo > -WIDE_MAX && product_is_small(at_lo, by);
        high_ok = high_ok && at_hi < WIDE_MAX && at_hi > -WIDE_MAX && product_is_small(at_hi, by);
        if (low_ok)
            low += at_lo * by;
        if (high_ok)
            high += at_hi * by;
        low_ok = low_ok && !too_large(low);
        high_ok = high_ok && !too_large(high);
    }
    *lo = low_ok ? low : -WIDE_MAX;
    *hi = high_ok ? high : WIDE_MAX;
}

void range_interval(const struct range *r, struct form f, wide *lo, wide *hi)
{
    plain_interval(r, f, lo, hi);
    if (r->solved.n > 0) {
        wide low, high;

        plain_interval(r, range_normal(r, f), &low, &high);
        *lo = low > *lo ? low : *lo;
        *hi = high < *hi ? high : *hi;
    }
}

/* -- texts -- */

static void add_wide(struct text *t, wide x)
{
    char digits[48];
    int n = COUNT(digits);

    if (x < 0)
        text_add(t, "-");
    digits[--n] = '\0';
    do {
        const int digit = (int)(x % 10);
        digits[--n] = (char)('0' + (digit < 0 ? -digit : digit));
        x /= 10;
    } while (x != 0);
    text_add(t, digits + n);
}

const char *range_text(const struct range *r, struct form f)
{
    struct text t = { 0 };

    if (f.n < 0)
        return "an unknown number";
    for (int i = 0; i < f.n; i++) {
        const wide factor = f.terms[i].factor;
        const wide size = factor < 0 ? -factor : factor;

        if (t.n > 0)
            text_add(&t, factor < 0 ? " - " : " + ");
        else if (factor < 0)
            text_add(&t, "-");
        if (size != 1) {
            add_wide(&t, size);
            text_add(&t, "*");
        }
        text_add(&t, r->symbols.at[f.terms[i].symbol].text);
    }
    if (t.n == 0) {
        add_wide(&t, f.constant);
    } else if (f.constant != 0) {
        text_add(&t, f.constant < 0 ? " - " : " + ");
        add_wide(&t, f.constant < 0 ? -f.constant : f.constant);
    }
    return t.at;
}

bool range_may_wrap(const struct range *r, struct form f, struct form *whole)
{
    *whole = f;
    for (int i = 0; i < f.n; i++) {
        const struct symbol *s = &r->symbols.at[f.terms[i].symbol];

        if (s->kind == SYMBOL_DERIVED && s->b.n == 0 && s->b.constant >= (wide)1 << 32)
            *whole = form_sub(*whole, form_scale(form_symbol(f.terms[i].symbol),
                                                 f.terms[i].factor));
    }
    return whole->n != f.n;
}

/* Loop counters replaced by their first or last value. */
static struct form at_extreme(const struct range *r, struct form f, bool most)
{
    for (int i = 0; i < f.n; i++) {
        const struct symbol *s = &r->symbols.at[f.terms[i].symbol];
        const wide factor = f.terms[i].factor;

        if (s->kind != SYMBOL_COUNT || ((factor > 0) == most && !s->has_most))
            continue;
        f = form_sub(f, form_scale(form_symbol(f.terms[i].symbol), factor));
        if ((factor > 0) == most)
            f = form_add(f, form_scale(s->most, factor));
        i = -1;
    }
    return f;
}

static const char *extreme_text(struct range *r, struct form f, bool most)
{
    const struct form extreme = at_extreme(r, range_normal(r, f), most);
    wide lo, hi;

    range_bounds(r, f, &lo, &hi);
    const wide bound = most ? hi : lo;

    /* A number that is not merely the limit of a type says more than symbols. */
    if (extreme.n <= 0 || (bound >= -((wide)1 << 24) && bound <= (wide)1 << 24))
        return range_text(r, extreme.n == 0 ? extreme : form_constant(bound));
    return range_text(r, extreme);
}

const char *range_least(struct range *r, struct form f)
{
    return extreme_text(r, f, false);
}

const char *range_most(struct range *r, struct form f)
{
    return extreme_text(r, f, true);
}
