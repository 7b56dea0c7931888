/* elab_insn.c: instructions called by their mnemonic.
 *
 * A mnemonic has several rows in the instruction table (`ext` for 8 and 16
 * bytes, `dup` from a lane or a register). The arguments choose: the operand
 * kinds of the row must be their types, the immediates must be constants that
 * the row can encode. A literal in a register's place takes the type the row
 * has there. Among rows that fit, the result's type decides: what the context
 * wants, or else a result as wide as the first vector.
 *
 * An array of registers, or a table, given as one argument stands for its
 * elements (`tbl(t, i)` with up to four registers).
 *
 * Does not: check CPU features (check_feature.c); lanes of u64x2 stand for u64x1
 * where an instruction reads only that (`pmull`).
 */
#include "lang/elab.h"

#include <assert.h>
#include <string.h>

enum { ARGUMENT_LIMIT = 8, SHOWN_SIGNATURES = 8 };

/* -- which types an operand kind takes; the first one is its own -- */

static const enum value_type kind_types[OP_KIND_COUNT][5] = {
    [OP_X] = {TYPE_U64}, [OP_X_SP] = {TYPE_U64}, [OP_W] = {TYPE_U32}, [OP_W_SP] = {TYPE_U32},
    [OP_8B] = {TYPE_U8X8}, [OP_16B] = {TYPE_U8X16}, [OP_4H] = {TYPE_U16X4}, [OP_8H] = {TYPE_U16X8},
    [OP_2S] = {TYPE_U32X2}, [OP_4S] = {TYPE_U32X4}, [OP_2D] = {TYPE_U64X2},
    [OP_1D] = {TYPE_U64X1, TYPE_U64X2}, [OP_1Q] = {TYPE_U64X2},
    /* a scalar in a vector register is its lane 0 */
    [OP_B] = {TYPE_U8X16}, [OP_H] = {TYPE_U16X8}, [OP_S] = {TYPE_U32X4, TYPE_U32X2},
    [OP_D] = {TYPE_U64X1},
    [OP_Q] = {TYPE_U32X4, TYPE_U64X2, TYPE_U8X16, TYPE_U16X8},
    [OP_B_LANE] = {TYPE_U8X16, TYPE_U8X8}, [OP_H_LANE] = {TYPE_U16X8, TYPE_U16X4},
    [OP_S_LANE] = {TYPE_U32X4, TYPE_U32X2}, [OP_D_LANE] = {TYPE_U64X2, TYPE_U64X1},
};

static bool kind_takes(int kind, enum value_type t)
{
    for (int i = 0; i < 5 && kind_types[kind][i] != TYPE_VOID; i++)
        if (kind_types[kind][i] == t)
            return true;
    return false;
}

static bool is_lane(int kind)
{
    return kind >= OP_B_LANE && kind <= OP_D_LANE;
}

/* -- rows -- */

static bool is_input(const struct operand_spec *op)
{
    return op->kind == OP_IMM || op->role == ROLE_USE || op->role == ROLE_TIED;
}

static bool is_callable(const struct insn_row *row)
{
    if ((row->flags & (NOT_CALLABLE | READS_C | READS_NZCV | WRITES_NZCV | IS_LOAD | IS_STORE |
                       IS_BRANCH | IS_CALL | IS_RETURN)) != 0 || row->operand_count == 0)
        return false;
    for (int i = 0; i < row->operand_count; i++)
        if (row->op[i].kind == OP_COND || row->op[i].kind == OP_LABEL || row->op[i].kind == OP_SYMBOL)
            return false;
    return row->op[0].role == ROLE_DEF || row->op[0].role == ROLE_TIED;
}

static void not_callable(const struct node *n, uint32_t flags)
{
    if ((flags & (WRITES_NZCV | READS_C)) != 0)
        error_at(n->loc, RULE_TYPE, "'%s' works on the flags: 'r, c = a + b + c' does it", n->name);
    else if ((flags & READS_NZCV) != 0)
        error_at(n->loc, RULE_TYPE, "'%s' works on the flags: 'select(c, a, b)' does it", n->name);
    else if ((flags & (IS_LOAD | IS_STORE)) != 0)
        error_at(n->loc, RULE_TYPE, "'%s' accesses memory: arrays, load and store do it", n->name);
    else if ((flags & (IS_BRANCH | IS_CALL | IS_RETURN)) != 0)
        error_at(n->loc, RULE_TYPE, "'%s' is control flow: if, for, while and return do it", n->name);
    else
        error_at(n->loc, RULE_TYPE, "'%s' is not available as a function", n->name);
}

/* The last immediates may be left out where the text may leave them out. */
static int optional_count(const struct insn_row *row)
{
    int n = 0;

    if (strchr(row->print, '<') == NULL)
        return 0;
    for (int i = row->operand_count - 1; i >= 0 && row->op[i].kind == OP_IMM &&
         imm_fits(row->op[i].range, 0); i--)
        n++;
    return n > 1 ? 1 : n;
}

/* -- fitting arguments to a row -- */

enum misfit { FITS, WRONG_COUNT, WRONG_TYPE, WRONG_IMMEDIATE };

struct fit {
    enum insn insn;
    enum misfit misfit;
    int at;                     /* the argument that does not fit, or how many did */
    int operand;                /* the row's operand for it */
    int literals, omitted;
};

static enum misfit fit_operand(const struct operand_spec *op, const struct item *arg, struct fit *f)
{
    if (op->kind == OP_IMM) {
        if (arg->kind != ITEM_CONSTANT || arg->constant.kind != CONSTANT_INTEGER)
            return WRONG_TYPE;
        return imm_fits(op->range, (int64_t)arg->constant.u.number) ? FITS : WRONG_IMMEDIATE;
    }
    if (arg->kind == ITEM_VALUE)
        return kind_takes(op->kind, arg->expr->type) ? FITS : WRONG_TYPE;
    if (arg->kind != ITEM_CONSTANT || kind_types[op->kind][0] == TYPE_VOID)
        return WRONG_TYPE;
    f->literals++;
    if (arg->constant.kind == CONSTANT_LIST)
        return type_is_vector(kind_types[op->kind][0]) ? FITS : WRONG_TYPE;
    if (arg->type != TYPE_VOID && !kind_takes(op->kind, register_type(arg->type)))
        return WRONG_TYPE;
    return number_fits(arg->constant.u.number, kind_types[op->kind][0]) ? FITS : WRONG_TYPE;
}

static struct fit fit_row(enum insn insn, const struct item *args, int n)
{
    const struct insn_row *row = &insns[insn];
    struct fit f = {.insn = insn};
    int inputs = 0, at = 0;

    for (int i = 0; i < row->operand_count; i++)
        inputs += is_input(&row->op[i]);
    f.omitted = inputs - n;
    if (f.omitted < 0 || f.omitted > optional_count(row)) {
        f.misfit = WRONG_COUNT;
        return f;
    }
    for (int i = 0; i < row->operand_count && at < n; i++) {
        if (!is_input(&row->op[i]))
            continue;
        f.misfit = fit_operand(&row->op[i], &args[at], &f);
        f.operand = i;
        f.at = at;
        if (f.misfit != FITS)
            return f;
        at++;
    }
    return f;
}

static enum value_type result_type(const struct fit *f, const struct item *args)
{
    const struct operand_spec *op = &insns[f->insn].op[0];

    if (op->role == ROLE_TIED && args[0].kind == ITEM_VALUE)
        return args[0].expr->type;
    return kind_types[op->kind][0];
}

/* -- choosing -- */

struct fits { struct fit *at; int n; };

static void keep_least(struct fits *f, int (*cost)(const struct fit *))
{
    int least = INT32_MAX, kept = 0;

    for (int i = 0; i < f->n; i++)
        if (cost(&f->at[i]) < least)
            least = cost(&f->at[i]);
    for (int i = 0; i < f->n; i++)
        if (cost(&f->at[i]) == least)
            f->at[kept++] = f->at[i];
    f->n = kept;
}

static int cost_of_form(const struct fit *f)
{
    return f->omitted * 100 + f->literals;
}

static void keep_result(struct fits *f, const struct item *args, enum value_type type, int bits)
{
    int kept = 0;

    for (int i = 0; i < f->n; i++) {
        const enum value_type t = result_type(&f->at[i], args);

        if (type != TYPE_VOID ? t == type : value_types[t].bits == bits)
            f->at[kept++] = f->at[i];
    }
    if (kept > 0)
        f->n = kept;
}

static int first_vector_bits(const struct item *args, int n)
{
    for (int i = 0; i < n; i++)
        if (args[i].kind == ITEM_VALUE && type_is_vector(args[i].expr->type))
            return value_types[args[i].expr->type].bits;
    return 0;
}

static bool ambiguous(const struct node *n, const struct fits *f, const struct item *args)
{
    const enum value_type first = result_type(&f->at[0], args);
    struct text types = {0};
    bool differ = false;

    if (f->n == 1)
        return false;
    for (int i = 0; i < f->n; i++) {
        const enum value_type t = result_type(&f->at[i], args);

        differ = differ || t != first;
        text_format(&types, "%s%s", i > 0 ? ", " : "", value_types[t].name);
    }
    if (differ)
        error_at(n->loc, RULE_TYPE,
                 "'%s' can give %s here: declare which, as in 'let x: %s = %s(…)'",
                 n->name, types.at, value_types[first].name, n->name);
    else
        error_at(n->loc, RULE_TYPE,
                 "several forms of '%s' take these operands: shift or extend with operators",
                 n->name);
    return true;
}

/* -- messages about near misses -- */

static const char *signature(const struct insn_row *row)
{
    struct text t = {0};
    bool first = true;

    text_format(&t, "%s(", row->mnemonic);
    for (int i = 0; i < row->operand_count; i++) {
        if (!is_input(&row->op[i]))
            continue;
        text_format(&t, "%s%s", first ? "" : ", ", row->op[i].kind == OP_IMM
                        ? imm_describe(row->op[i].range)
                            : value_types[kind_types[row->op[i].kind][0]].name);
        first = false;
    }
    text_format(&t, ") gives %s", value_types[kind_types[row->op[0].kind][0]].name);
    return t.at;
}

static void list_signatures(const struct node *n, const struct fits *rows)
{
    const char *shown[SHOWN_SIGNATURES];
    int count = 0;

    for (int i = 0; i < rows->n; i++) {
        const char *s = signature(&insns[rows->at[i].insn]);
        bool repeated = false;

        for (int k = 0; k < count; k++)
            repeated = repeated || strcmp(shown[k], s) == 0;
        if (repeated)
            continue;
        if (count == SHOWN_SIGNATURES) {
            note_at(n->loc, "and others");
            return;
        }
        shown[count++] = s;
        note_at(n->loc, "%s", s);
    }
}

/* The row that came furthest says what is wrong. */
static const struct fit *nearest_miss(const struct fits *rows, enum misfit kind)
{
    const struct fit *best = NULL;

    for (int i = 0; i < rows->n; i++) {
        const struct fit *f = &rows->at[i];

        if (f->misfit == kind && (best == NULL || f->at > best->at))
            best = f;
    }
    return best;
}

static void explain_misfit(const struct node *n, const struct fits *rows, const struct item *args,
                           int count)
{
    const struct fit *type = nearest_miss(rows, WRONG_TYPE);
    const struct fit *immediate = nearest_miss(rows, WRONG_IMMEDIATE);

    if (immediate != NULL && (type == NULL || immediate->at >= type->at)) {
        const enum imm_range range =
            (enum imm_range)insns[immediate->insn].op[immediate->operand].range;

        error_at(args[immediate->at].loc, RULE_IMMEDIATE, "operand %d of '%s' must be %s, this is %s",
                 immediate->at + 1, n->name, imm_describe(range),
                 constant_text(&args[immediate->at].constant));
        return;
    }
    if (type != NULL) {
        const struct item *arg = &args[type->at];

        error_at(arg->loc, RULE_TYPE, "operand %d of '%s' cannot be %s%s", type->at + 1, n->name,
                 item_text(arg), insns[type->insn].op[type->operand].kind == OP_IMM &&
                                 arg->kind == ITEM_VALUE ? ": it is a constant" : "");
        list_signatures(n, rows);
        return;
    }
    error_at(n->loc, RULE_TYPE, "'%s' does not take %d operand%s", n->name, count,
             count == 1 ? "" : "s");
    list_signatures(n, rows);
}

/* -- building the expression -- */

static bool lane_in_range(const struct insn_row *row, int operand, const struct expr *vector,
                          const struct item *index)
{
    const uint64_t lanes = value_types[vector->type].lanes;

    if (!is_lane(row->op[operand].kind) || index->constant.u.number < lanes)
        return true;
    error_at(index->loc, RULE_IMMEDIATE, "%s has lanes 0 to %llu", value_types[vector->type].name,
             (unsigned long long)(lanes - 1));
    return false;
}

/* What the row alone cannot say of its immediates: a field that leaves the register. */
static bool encodable(const struct node *n, const struct fit *f, const struct expr *x)
{
    const struct insn_row *row = &insns[f->insn];
    struct phys_insn p = {.insn = f->insn};
    const char *complaint;
    int at = 0;

    for (int i = 0; i < row->operand_count; i++) {
        const bool in_run = i >= row->run_first && i < row->run_first + row->run_length;

        p.op[i].reg = (reg_number)(in_run ? i - row->run_first : 8 + i);
        if (is_input(&row->op[i])) {
            if (row->op[i].kind == OP_IMM)
                p.op[i].imm = (int64_t)x->args[at]->value[0];
            at++;
        }
    }
    complaint = insn_complaint(&p);
    if (complaint != NULL)
        error_at(n->loc, RULE_IMMEDIATE, "%s", complaint);
    return complaint == NULL;
}

static struct item build_call(struct elab *e, const struct node *n, const struct fit *f,
                              struct item *args, int count)
{
    const struct insn_row *row = &insns[f->insn];
    struct expr *x = make_expr(E_INSN, result_type(f, args), n->loc);
    int at = 0;

    x->insn = f->insn;
    x->args = NEW_ARRAY(struct expr *, MAX_OPERANDS);
    for (int i = 0; i < row->operand_count; i++) {
        struct expr *value;

        if (!is_input(&row->op[i]))
            continue;
        if (row->op[i].kind == OP_IMM)
            value = make_const(TYPE_U64, at < count ? args[at].constant.u.number : 0,
                               at < count ? args[at].loc : n->loc);
        else
            value = args[at].kind == ITEM_VALUE ? args[at].expr
                                                : coerce(e, args[at], kind_types[row->op[i].kind][0]);
        if (value == NULL || (at > 0 && row->op[i].kind == OP_IMM && at < count && i > 0 &&
                              !lane_in_range(row, i - 1, x->args[at - 1], &args[at])))
            return item_error(n->loc);
        x->args[x->arg_count++] = value;
        at++;
    }
    return encodable(n, f, x) ? item_value(x) : item_error(n->loc);
}

/* -- arguments -- */

static bool add_argument(const struct node *n, struct item *args, int *count, struct item it)
{
    if (*count == ARGUMENT_LIMIT) {
        error_at(n->loc, RULE_TYPE, "no instruction takes so many operands");
        return false;
    }
    args[(*count)++] = it;
    return true;
}

/* An array stands for its registers, a table for its entries. */
static bool open_argument(struct elab *e, const struct node *n, struct item *it, struct item *args,
                          int *count)
{
    const struct memory *m = &it->memory;
    int64_t parts;

    if (it->kind == ITEM_MEMORY && m->layout == NULL && !m->is_array)
        return add_argument(n, args, count, load_whole(e, it));
    if (it->kind == ITEM_MEMORY && m->layout == NULL && m->object->kind == OBJECT_TABLE &&
        type_is_vector(m->element))
        parts = (int64_t)(m->extent->value[0] / (uint64_t)type_bytes(m->element));
    else if (it->kind == ITEM_LIST)
        parts = it->n;
    else if (it->kind == ITEM_VALUE || it->kind == ITEM_CONSTANT)
        return add_argument(n, args, count, *it);
    else {
        if (it->kind != ITEM_ERROR)
            error_at(it->loc, RULE_TYPE, "an operand cannot be %s", item_text(it));
        return false;
    }
    for (int64_t i = 0; i < parts; i++) {
        struct item part;

        if (!list_part(e, it, parts, i, &part) || !add_argument(n, args, count, part))
            return false;
    }
    return true;
}

/* A shift count beyond the width is no count in a register either: the
 * instruction would take it modulo the width. */
static bool shifts_too_far(const struct fits *rows, const struct fits *good)
{
    for (int i = 0; i < good->n; i++)
        if (good->at[i].literals == 0)
            return false;
    for (int i = 0; i < rows->n; i++) {
        const struct fit *f = &rows->at[i];
        const int range = insns[f->insn].op[f->operand].range;

        if (f->misfit == WRONG_IMMEDIATE && range >= RANGE_LSL_8 && range <= RANGE_LSR_64)
            return true;
    }
    return false;
}

struct item elab_insn(struct elab *e, const struct node *n, enum value_type want)
{
    const enum insn *rows;
    const int row_count = insns_by_mnemonic(n->name, &rows);
    struct item *args = NEW_ARRAY(struct item, ARGUMENT_LIMIT), *items;
    struct fits all = {NEW_ARRAY(struct fit, row_count),
                       0}, good = {NEW_ARRAY(struct fit, row_count), 0};
    uint32_t flags = 0;
    int written, count = 0;

    items = elab_arguments(e, n->list, TYPE_VOID, &written);
    for (int i = 0; i < written; i++)
        if (!open_argument(e, n, &items[i], args, &count))
            return item_error(n->loc);
    for (int i = 0; i < row_count; i++) {
        flags |= insns[rows[i]].flags;
        if (is_callable(&insns[rows[i]]))
            all.at[all.n++] = fit_row(rows[i], args, count);
    }
    if (all.n == 0) {
        not_callable(n, flags);
        return item_error(n->loc);
    }
    for (int i = 0; i < all.n; i++)
        if (all.at[i].misfit == FITS)
            good.at[good.n++] = all.at[i];
    if (good.n == 0 || shifts_too_far(&all, &good)) {
        explain_misfit(n, &all, args, count);
        return item_error(n->loc);
    }
    keep_least(&good, cost_of_form);
    if (want != TYPE_VOID && want != TYPE_BOOL)
        keep_result(&good, args, canonical_type(want), 0);
    keep_result(&good, args, TYPE_VOID, first_vector_bits(args, count));
    if (ambiguous(n, &good, args))
        return item_error(n->loc);
    return build_call(e, n, &good.at[0], args, count);
}
