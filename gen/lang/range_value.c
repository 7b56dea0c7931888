/* range_value.c: expressions of a kernel as exact linear forms.
 *
 * Takes an integer expression and the state in which it is evaluated; gives a
 * form that equals its value as an unsigned number of its type. Arithmetic that
 * may wrap is not an obstacle: x mod 2^w is x - 2^w * floor(x / 2^w), where the
 * quotient is a symbol, 0 as soon as the facts show that x fits. Division,
 * remainder, right shift and masks by constants use the same quotients, so that
 * n / k * k <= n and n / k * k + n % k = n need no rule of their own.
 *
 * Holds: equal expressions in equal states give equal forms; loads are equal
 * while nothing may have written their memory.
 * Does not: handle vectors, or signed order beyond numbers that are not negative.
 */
#include "lang/bounds.h"

#include <assert.h>

/* Operations of derived symbols, beside enum op. */
enum { DERIVED_LOAD = 100, DERIVED_LEADING_ZEROS, DERIVED_TRAILING_ZEROS,
       DERIVED_WRAPPED };

enum { ALTERNATIVES = 8 };      /* of one disjunction */

wide type_limit(enum value_type t)
{
    const int bits = value_types[t].bits > 64 ? 64 : value_types[t].bits;

    return ((wide)1 << bits) - 1;
}

const char *source_text(const struct expr *e)
{
    size_t n;

    if (e->loc.file == 0 || e->loc.end_line_delta != 0 || e->loc.end_col <= e->loc.col)
        return "a value";
    const char *line = source_line(e->loc.file, e->loc.line, &n);
    if (e->loc.end_col - 1 > n)
        return "a value";
    return mem_string_n(line + e->loc.col - 1, e->loc.end_col - e->loc.col);
}

int new_version(struct bounds *b)
{
    vec_push(&b->version_birth, b->r.symbols.n);
    return b->version_birth.n - 1;
}

static struct form opaque(struct bounds *b, const struct expr *e, wide lo, wide hi)
{
    return form_symbol(range_symbol(&b->r, SYMBOL_BASE, source_text(e), lo, hi));
}

static struct form unknown_of_type(struct bounds *b, const struct expr *e)
{
    return opaque(b, e, 0, type_limit(e->type));
}

/* -- quotients -- */

/* f = k * *whole + *rest, *rest holding what is not a multiple of k. */
static void split_multiple(struct form f, wide k, struct form *whole, struct form *rest)
{
    *whole = form_constant(0);
    *rest = f;
    for (int i = 0; i < f.n; i++)
        if (f.terms[i].factor % k == 0) {
            const struct form term = form_symbol(f.terms[i].symbol);
            *whole = form_add(*whole, form_scale(term, f.terms[i].factor / k));
            *rest = form_sub(*rest, form_scale(term, f.terms[i].factor));
        }
    if (f.constant % k == 0) {
        *whole = form_plus(*whole, f.constant / k);
        *rest = form_plus(*rest, -f.constant);
    }
}

struct form quotient(struct bounds *b, struct form f, wide k)
{
    struct form whole, rest;
    wide lo, hi;
    bool fresh;

    f = range_normal(&b->r, f);
    if (form_is_unknown(&f))
        return f;
    split_multiple(f, k, &whole, &rest);
    range_interval(&b->r, rest, &lo, &hi);
    if (lo >= 0 && hi < k)
        return whole;
    const int q = range_derived(&b->r, BIN_DIV, 0, rest, form_constant(k), 0, &fresh);
    if (fresh) {
        struct symbol *s = &b->r.symbols.at[q];
        const struct form left = form_sub(rest, form_scale(form_symbol(q), k));

        s->lo = lo <= -WIDE_MAX ? -WIDE_MAX : lo / k - (lo % k < 0);
        s->hi = hi >= WIDE_MAX ? WIDE_MAX : hi / k - (hi % k < 0);
        s->text = mem_format(rest.n + (rest.constant != 0) > 1 ? "(%s) / %s" : "%s / %s",
                             range_text(&b->r, rest), range_text(&b->r, form_constant(k)));
        range_always(&b->r, left);
        range_always(&b->r, form_plus(form_scale(left, -1), k - 1));
    }
    return form_add(whole, form_symbol(q));
}

static struct form remainder_of(struct bounds *b, struct form f, wide k)
{
    return form_sub(f, form_scale(quotient(b, f, k), k));
}

/* Factors that grow from one wrapping product to the next say nothing any more. */
static bool is_small(struct form f)
{
    const wide limit = (wide)1 << 72;

    for (int i = 0; i < f.n; i++)
        if (f.terms[i].factor > limit || f.terms[i].factor < -limit)
            return false;
    return true;
}

static struct form wrapped_symbol(struct bounds *b, struct form f, wide most)
{
    bool fresh;
    const int s = range_derived(&b->r, DERIVED_WRAPPED, 0, f, form_constant(most), 0, &fresh);

    if (fresh) {
        b->r.symbols.at[s].lo = 0;
        b->r.symbols.at[s].hi = most;
        b->r.symbols.at[s].text = "a value that wraps";
    }
    return form_symbol(s);
}

/* f modulo 2^bits of the type. */
static struct form wrapped(struct bounds *b, struct form f, enum value_type t)
{
    const wide most = type_limit(t);
    wide lo, hi;

    if (b->wrap == WRAP_IGNORED || form_is_unknown(&f))
        return f;
    range_interval(&b->r, f, &lo, &hi);
    if ((lo >= 0 || range_proves_simply(&b->r, f)) &&
        (hi <= most || range_proves_simply(&b->r, form_plus(form_scale(f, -1), most))))
        return f;
    return is_small(f) ? remainder_of(b, f, most + 1) : wrapped_symbol(b, f, most);
}

/* -- operators -- */

/* A function of a and b of which only bounds are known. */
static struct form derived(struct bounds *b, const struct expr *e, struct form x, struct form y,
                           wide lo, wide hi, bool *fresh)
{
    const int s = range_derived(&b->r, (int)e->op, (int)e->type, x, y, 0, fresh);

    if (*fresh) {
        b->r.symbols.at[s].text = source_text(e);
        b->r.symbols.at[s].lo = lo;
        b->r.symbols.at[s].hi = hi;
    }
    return form_symbol(s);
}

static bool is_number(const struct bounds *b, struct form f, wide *number)
{
    const struct form n = range_normal(&b->r, f);

    *number = n.constant;
    return n.n == 0;
}

static wide mask_above(wide x)          /* the smallest 2^k - 1 that is at least x */
{
    wide m = 0;

    while (m < x)
        m = 2 * m + 1;
    return m;
}

static struct form product(struct bounds *b, const struct expr *e, struct form x, struct form y)
{
    wide k, xlo, xhi, ylo, yhi;
    bool fresh;

    if (is_number(b, y, &k))
        return wrapped(b, form_scale(x, k), e->type);
    if (is_number(b, x, &k))
        return wrapped(b, form_scale(y, k), e->type);
    range_interval(&b->r, x, &xlo, &xhi);
    range_interval(&b->r, y, &ylo, &yhi);
    if (xlo < 0 || ylo < 0 || (xhi != 0 && yhi > type_limit(e->type) / xhi))
        return derived(b, e, x, y, 0, type_limit(e->type), &fresh);
    return derived(b, e, x, y, xlo * ylo, xhi * yhi, &fresh);
}

static struct form masked(struct bounds *b, const struct expr *e, struct form x, struct form y)
{
    wide mask, lo, hi;
    bool fresh;

    if (is_number(b, x, &mask) && !is_number(b, y, &mask))
        return masked(b, e, y, x);
    if (is_number(b, y, &mask)) {
        const wide most = type_limit(e->type);

        if (mask_above(mask) == mask)
            return remainder_of(b, x, mask + 1);
        if (mask <= most && mask_above(most - mask) == most - mask)     /* clears low bits */
            return form_sub(x, remainder_of(b, x, most - mask + 1));
    }
    range_interval(&b->r, x, &lo, &hi);
    const struct form s = derived(b, e, x, y, 0, type_limit(e->type), &fresh);
    if (fresh) {
        range_always(&b->r, form_sub(x, s));
        range_always(&b->r, form_sub(y, s));
    }
    return s;
}

static struct form either_bits(struct bounds *b, const struct expr *e, struct form x, struct form y)
{
    wide xlo, xhi, ylo, yhi;
    bool fresh;

    range_interval(&b->r, x, &xlo, &xhi);
    range_interval(&b->r, y, &ylo, &yhi);
    const wide most = type_limit(e->type), high = xhi > yhi ? xhi : yhi;
    return derived(b, e, x, y, 0, high < most ? mask_above(high) : most, &fresh);
}

static struct form shifted(struct bounds *b, const struct expr *e, struct form x, struct form y)
{
    const wide most = type_limit(e->type);
    wide by, lo, hi;
    bool fresh;

    if (is_number(b, y, &by) && by >= 0 && by < value_types[e->type].bits) {
        const wide power = (wide)1 << (int)by;
        return e->op == BIN_SHR ? quotient(b, x, power)
                                : wrapped(b, form_scale(x, power), e->type);
    }
    range_interval(&b->r, x, &lo, &hi);
    if (e->op == BIN_SHR) {
        const struct form s = derived(b, e, x, y, 0, hi < most ? hi : most, &fresh);
        if (fresh)
            range_always(&b->r, form_sub(x, s));
        return s;
    }
    return derived(b, e, x, y, 0, most, &fresh);
}

static struct form binary_value(struct bounds *b, const struct expr *e)
{
    /* Normal, so that the bounds of what is derived from them hold always. */
    const struct form x = range_normal(&b->r, value_of(b, e->a));
    const struct form y = range_normal(&b->r, value_of(b, e->b));
    wide k;
    bool fresh;

    switch (e->op) {
    case BIN_ADD:
        return wrapped(b, form_add(x, y), e->type);
    case BIN_SUB:
        return wrapped(b, form_sub(x, y), e->type);
    case BIN_MUL:
        return product(b, e, x, y);
    case BIN_DIV:
        if (is_number(b, y, &k) && k > 0)
            return quotient(b, x, k);
        break;
    case BIN_MOD:
        if (is_number(b, y, &k) && k > 0)
            return remainder_of(b, x, k);
        break;
    case BIN_AND:
        return masked(b, e, x, y);
    case BIN_OR:
    case BIN_XOR:
        return either_bits(b, e, x, y);
    case BIN_SHL:
    case BIN_SHR:
        return shifted(b, e, x, y);
    default:
        break;
    }
    return derived(b, e, x, y, 0, type_limit(e->type), &fresh);
}

/* -- memory -- */

static void table_limits(const struct object *table, enum value_type mem, wide *lo, wide *hi)
{
    const uint64_t size = (uint64_t)type_bytes(mem);

    if (table->bytes == NULL || table->size < size)
        return;
    *lo = WIDE_MAX;
    *hi = 0;
    /* Any offset may be read: every position counts, aligned or not. */
    for (uint64_t at = 0; at + size <= table->size; at++) {
        uint64_t v = 0;

        for (uint64_t i = size; i-- > 0;)
            v = v << 8 | table->bytes[at + i];
        *lo = v < *lo ? (wide)v : *lo;
        *hi = v > *hi ? (wide)v : *hi;
    }
}

static struct form load_value(struct bounds *b, const struct expr *e)
{
    const struct object *o = e->access.object;
    const struct field *fd = access_field(&e->access, type_bytes(e->mem));
    const int version = o->kind == OBJECT_TABLE ? 0 : b->now.version[o->id];
    const int key = (o->kind == OBJECT_TABLE ? -1 - o->id : o->id) * TYPE_COUNT + (int)e->mem;
    bool fresh;

    const struct form offset = range_normal(&b->r, value_of(b, e->access.offset));
    const int s = range_derived(&b->r, DERIVED_LOAD, key, offset, form_constant(0), version,
                                &fresh);
    if (fresh) {
        wide lo = 0, hi = type_limit(e->mem);

        if (o->kind == OBJECT_TABLE)
            table_limits(o, e->mem, &lo, &hi);
        b->r.symbols.at[s].text = source_text(e);
        b->r.symbols.at[s].lo = lo;
        b->r.symbols.at[s].hi = hi;
        if (fd != NULL && fd->element == e->mem)
            range_restrict(&b->r, s, &fd->set);
    }
    return form_symbol(s);
}

/* -- bit counts -- */

static int bit_length(wide x)
{
    int n = 0;

    for (; x > 0; x >>= 1)
        n++;
    return n;
}

static bool is_reverse(const struct expr *e)
{
    return e->kind == E_INSN && (e->insn == INSN_rbit_x || e->insn == INSN_rbit_w);
}

/* clz(x) lies between width - length(largest x) and width - length(smallest);
 * clz(rbit(x)), the number of trailing zeros, below length(largest x). */
static struct form zeros_value(struct bounds *b, const struct expr *e)
{
    const bool trailing = is_reverse(e->args[0]);
    const struct form x = value_of(b, trailing ? e->args[0]->args[0] : e->args[0]);
    const int width = value_types[e->type].bits;
    const int op = trailing ? DERIVED_TRAILING_ZEROS : DERIVED_LEADING_ZEROS;
    wide lo, hi;
    bool fresh;

    const int s = range_derived(&b->r, op, (int)e->type, x, form_constant(0), 0, &fresh);
    if (fresh) {
        b->r.symbols.at[s].text = source_text(e);
        b->r.symbols.at[s].lo = 0;
        b->r.symbols.at[s].hi = width;
    }
    /* The bounds of x may hold on this path only, so the result's do too. */
    range_bounds(&b->r, x, &lo, &hi);
    const int longest = hi > type_limit(e->type) ? width : bit_length(hi);
    const int shortest = lo < 0 ? 0 : bit_length(lo);
    if (!trailing)
        range_assume(&b->r, FACT_GE, form_plus(form_symbol(s), longest - width));
    if (!trailing)
        range_assume(&b->r, FACT_GE, form_plus(form_scale(form_symbol(s), -1), width - shortest));
    else if (lo >= 1)
        range_assume(&b->r, FACT_GE, form_plus(form_scale(form_symbol(s), -1), longest - 1));
    return form_symbol(s);
}

static struct form insn_value(struct bounds *b, const struct expr *e)
{
    wide k;

    if (e->insn == INSN_clz_x || e->insn == INSN_clz_w)
        return zeros_value(b, e);
    if (e->insn == INSN_udiv_x || e->insn == INSN_udiv_w) {
        const struct form x = value_of(b, e->args[0]);
        if (is_number(b, value_of(b, e->args[1]), &k) && k > 0)
            return quotient(b, x, k);
    }
    return unknown_of_type(b, e);
}

/* -- all kinds -- */

static struct form var_value(struct bounds *b, const struct expr *e)
{
    const int slot = b->slot[e->var->id];

    if (slot < 0)
        return unknown_of_type(b, e);
    if (form_is_unknown(&b->now.value[slot])) {
        const int s = range_symbol(&b->r, SYMBOL_BASE, e->var->name, 0, type_limit(e->var->type));
        b->now.value[slot] = form_symbol(s);
    }
    return b->now.value[slot];
}

static struct form choice_value(struct bounds *b, const struct expr *e)
{
    wide lo, hi, other_lo, other_hi;

    range_interval(&b->r, value_of(b, e->b), &lo, &hi);
    range_interval(&b->r, value_of(b, e->c), &other_lo, &other_hi);
    return opaque(b, e, lo < other_lo ? lo : other_lo, hi > other_hi ? hi : other_hi);
}

struct form value_of(struct bounds *b, const struct expr *e)
{
    const enum value_type t = e->type;

    if (!type_is_scalar(t))
        return unknown_of_type(b, e);
    switch (e->kind) {
    case E_CONST:
        return form_constant((wide)e->value[0] & type_limit(t));
    case E_VAR:
        return var_value(b, e);
    case E_LOAD:
        return load_value(b, e);
    case E_UNARY:
        return e->op == UN_NOT ? form_sub(form_constant(type_limit(t)), value_of(b, e->a))
                               : wrapped(b, form_scale(value_of(b, e->a), -1), t);
    case E_BINARY:
        return binary_value(b, e);
    case E_CONVERT:
        if (!type_is_scalar(e->a->type))
            return unknown_of_type(b, e);
        if (type_limit(e->a->type) <= type_limit(t))
            return value_of(b, e->a);
        return wrapped(b, value_of(b, e->a), t);
    case E_SELECT:
        return type_is_flag(e->a->type) ? choice_value(b, e) : unknown_of_type(b, e);
    case E_FROM_FLAG:
        return opaque(b, e, 0, 1);
    case E_LANE:
        return opaque(b, e, 0, ((wide)1 << value_types[e->a->type].lane_bits) - 1);
    case E_INSN:
        return insn_value(b, e);
    case E_DECLASSIFY:
        return value_of(b, e->a);
    default:
        return unknown_of_type(b, e);
    }
}

/* -- conditions -- */

/* Signed and unsigned order agree on numbers that are not negative as i32. */
static bool order_is_unsigned(struct bounds *b, const struct expr *e, struct form x, struct form y)
{
    const wide most = INT32_MAX;

    return e->a->type != TYPE_I32 || (range_proves(&b->r, form_plus(form_scale(x, -1), most)) &&
                                      range_proves(&b->r, form_plus(form_scale(y, -1), most)));
}

/* What each comparison says: kind, (a or b first), and a constant to add. */
struct order_row { enum fact_kind kind; int sign, plus; };
static const struct order_row orders[] = {
    [BIN_EQ - BIN_EQ] = { FACT_EQ, 1, 0 },      /* a - b == 0 */
    [BIN_NE - BIN_EQ] = { FACT_NE, 1, 0 },
    [BIN_LT - BIN_EQ] = { FACT_GE, -1, -1 },    /* b - a - 1 >= 0 */
    [BIN_LE - BIN_EQ] = { FACT_GE, -1, 0 },
    [BIN_GT - BIN_EQ] = { FACT_GE, 1, -1 },
    [BIN_GE - BIN_EQ] = { FACT_GE, 1, 0 },
};
static const enum op opposite[] = { BIN_NE, BIN_EQ, BIN_GE, BIN_GT, BIN_LE, BIN_LT };

/* x != 0 becomes an inequality when the sign of x is known. */
static void assume_unequal(struct bounds *b, struct form d)
{
    range_assume(&b->r, FACT_NE, d);
    if (range_proves(&b->r, d))
        range_assume(&b->r, FACT_GE, form_plus(d, -1));
    else if (range_proves(&b->r, form_scale(d, -1)))
        range_assume(&b->r, FACT_GE, form_plus(form_scale(d, -1), -1));
}

/* What a comparison says as one fact; false: nothing that is linear. */
static bool compare_fact(struct bounds *b, const struct expr *e, bool holds, struct fact *out)
{
    const enum op op = holds ? e->op : opposite[e->op - BIN_EQ];
    const struct order_row *row = &orders[op - BIN_EQ];
    const struct form x = value_of(b, e->a), y = value_of(b, e->b);

    out->kind = row->kind;
    out->form = form_plus(form_scale(form_sub(x, y), row->sign), row->plus);
    return !form_is_unknown(&out->form) &&
           (row->kind != FACT_GE || order_is_unsigned(b, e, x, y));
}

static void assume_compare(struct bounds *b, const struct expr *e, bool holds)
{
    struct fact f = { .kind = FACT_GE };

    if (!compare_fact(b, e, holds, &f))
        return;
    if (f.kind == FACT_NE)
        assume_unequal(b, f.form);
    else
        range_assume(&b->r, f.kind, f.form);
}

/* a || b || c as its alternatives; false when one of them is no comparison. */
static bool alternatives(struct bounds *b, const struct expr *e, bool holds, struct fact *out,
                         int *n)
{
    if (e->kind == E_LOGIC && e->op == UN_LOGIC_NOT)
        return alternatives(b, e->a, !holds, out, n);
    if (e->kind == E_LOGIC && (e->op == BIN_LOGIC_OR) == holds)
        return alternatives(b, e->a, holds, out, n) && alternatives(b, e->b, holds, out, n);
    return e->kind == E_COMPARE && *n < ALTERNATIVES && compare_fact(b, e, holds, &out[(*n)++]);
}

static bool is_contradictory(struct bounds *b, const struct expr *cond, bool holds)
{
    const struct range_marks m = range_mark(&b->r);

    assume(b, cond, holds);
    const bool never = range_proves(&b->r, form_constant(-1));
    range_release(&b->r, m);
    return never;
}

void assume(struct bounds *b, const struct expr *cond, bool holds)
{
    if (cond->kind == E_DECLASSIFY) {
        assume(b, cond->a, holds);
    } else if (cond->kind == E_COMPARE) {
        assume_compare(b, cond, holds);
    } else if (cond->kind == E_LOGIC && cond->op == UN_LOGIC_NOT) {
        assume(b, cond->a, !holds);
    } else if (cond->kind == E_LOGIC && (cond->op == BIN_LOGIC_AND) == holds) {
        assume(b, cond->a, holds);
        assume(b, cond->b, holds);
    } else if (cond->kind == E_LOGIC) {
        /* One of the two; when one cannot be, the other is. */
        struct fact *any = NEW_ARRAY(struct fact, ALTERNATIVES);
        int n = 0;

        if (is_contradictory(b, cond->a, holds))
            assume(b, cond->b, holds);
        else if (is_contradictory(b, cond->b, holds))
            assume(b, cond->a, holds);
        else if (alternatives(b, cond, holds, any, &n))
            range_assume_any(&b->r, any, n);
    }
}

bool condition_holds(struct bounds *b, const struct expr *cond)
{
    if (cond->kind == E_LOGIC && cond->op == BIN_LOGIC_AND)
        return condition_holds(b, cond->a) && condition_holds(b, cond->b);
    if (cond->kind == E_LOGIC && cond->op == BIN_LOGIC_OR)
        return condition_holds(b, cond->a) || condition_holds(b, cond->b);
    return is_contradictory(b, cond, false);
}
