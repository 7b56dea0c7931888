/* tree_print.c: the typed tree as text, for --dump=tree and tests.
 *
 * One statement a line, indented by blocks; variables as name.number, so that
 * expansions of one function differ; memory as object[byte offset : type]. The
 * text depends on the tree only.
 */
#include "lang/tree.h"

#include <assert.h>
#include <inttypes.h>

static const char *const direction_names[] = {
    [DIR_VALUE] = "", [DIR_IN] = "in", [DIR_OUT] = "out", [DIR_INOUT] = "inout",
};
static const char *const shape_names[] = {
    [LOOP_PLAIN] = "", [LOOP_UNROLL] = " unroll", [LOOP_WEAVE] = " weave",
};

static void print_var(struct text *out, const struct var *v)
{
    if (v == NULL)
        text_add(out, "_");
    else
        text_format(out, "%s.%d", v->name[0] != '\0' ? v->name : "%", v->id);
}

static void print_number(struct text *out, uint64_t n)
{
    text_format(out, n < 1024 ? "%" PRIu64 : "0x%" PRIx64, n);
}

static void print_const(struct text *out, const struct expr *e)
{
    if (value_types[e->type].bits == 128) {
        text_format(out, "%s:0x%016" PRIx64 "%016" PRIx64, value_types[e->type].name, e->value[1],
                    e->value[0]);
        return;
    }
    if (e->type != TYPE_U64)
        text_format(out, "%s:", value_types[e->type].name);
    print_number(out, e->value[0]);
}

static void print_access(struct text *out, const struct access *a, enum value_type mem)
{
    text_format(out, "%s[", a->object != NULL ? a->object->name : "?");
    if (a->pointer != NULL) {
        text_add(out, "*");
        print_var(out, a->pointer);
        text_add(out, " + ");
    }
    if (a->offset != NULL)
        tree_print_expr(out, a->offset);
    text_format(out, " : %s", value_types[mem].name);
    if (a->key != 0)
        text_format(out, " #%d+%" PRIu64, a->key, a->disp);
    text_add(out, "]");
}

static void print_list(struct text *out, const char *name, struct expr *const *args, int n)
{
    text_format(out, "%s(", name);
    for (int i = 0; i < n; i++) {
        text_add(out, i > 0 ? ", " : "");
        tree_print_expr(out, args[i]);
    }
    text_add(out, ")");
}

/* name(a, b, c), the ones that exist. */
static void print_operands(struct text *out, const char *name, const struct expr *e)
{
    struct expr *all[3] = {e->a, e->b, e->c};
    int n = 0;

    while (n < 3 && all[n] != NULL)
        n++;
    print_list(out, name, all, n);
}

static void print_infix(struct text *out, const struct expr *e)
{
    text_add(out, "(");
    tree_print_expr(out, e->a);
    text_format(out, " %s ", op_text[e->op]);
    tree_print_expr(out, e->b);
    text_add(out, ")");
}

static void print_prefix(struct text *out, const struct expr *e)
{
    text_add(out, op_text[e->op]);
    tree_print_expr(out, e->a);
}

/* What is printed as name(a, b, c); NULL: something else. */
static const char *function_name(const struct expr *e)
{
    switch (e->kind) {
    case E_SPLAT:
    case E_TO_FLAG:
        return value_types[e->type].name;
    case E_SELECT:
        return "select";
    case E_FROM_FLAG:
        return e->type == TYPE_U64 ? "number" : "number32";
    case E_MASK:
        return e->type == TYPE_U64 ? "mask" : "mask32";
    case E_ADC:
        return "adc";
    case E_SBC:
        return "sbc";
    case E_DECLASSIFY:
        return "declassify";
    default:
        return NULL;
    }
}

static void print_other(struct text *out, const struct expr *e)
{
    switch (e->kind) {
    case E_CONST:
        print_const(out, e);
        break;
    case E_VAR:
        print_var(out, e->var);
        break;
    case E_ADDRESS:
        text_add(out, "&");
        print_access(out, &e->access, e->mem);
        break;
    case E_LOAD:
        print_access(out, &e->access, e->mem);
        break;
    case E_SAME:
        text_format(out, "same(%s, %s)", e->object_a->name, e->object_b->name);
        break;
    case E_CONVERT:
        text_add(out, "(");
        tree_print_expr(out, e->a);
        text_format(out, " as %s)", value_types[e->type].name);
        break;
    case E_INSN:
        print_list(out, insns[e->insn].name, e->args, e->arg_count);
        break;
    case E_BUILD:
        print_list(out, value_types[e->type].name, e->args, e->arg_count);
        break;
    case E_LANE:
        tree_print_expr(out, e->a);
        text_format(out, ".lane%d", e->lane);
        break;
    default:
        assert(0 && "an operator");
        break;
    }
}

void tree_print_expr(struct text *out, const struct expr *e)
{
    const char *function = function_name(e);
    const bool is_operator = e->kind == E_UNARY || e->kind == E_BINARY || e->kind == E_COMPARE ||
                             e->kind == E_LOGIC;

    if (function != NULL)
        print_operands(out, function, e);
    else if (is_operator && e->b == NULL)
        print_prefix(out, e);
    else if (is_operator)
        print_infix(out, e);
    else
        print_other(out, e);
}

/* -- statements -- */

static void print_stmts(struct text *out, const struct stmt *s, int depth);

static void indent(struct text *out, int depth)
{
    for (int i = 0; i < depth; i++)
        text_add(out, "    ");
}

static void print_block(struct text *out, const struct stmt *body, int depth)
{
    text_add(out, " {\n");
    print_stmts(out, body, depth + 1);
    indent(out, depth);
    text_add(out, "}");
}

static void print_carry(struct text *out, const struct stmt *s)
{
    const char *op = s->is_subtract ? " - " : " + ";

    print_var(out, s->var);
    text_add(out, ", ");
    print_var(out, s->flag);
    text_add(out, " = ");
    tree_print_expr(out, s->a);
    text_add(out, op);
    tree_print_expr(out, s->b);
    if (s->flag_in != NULL) {
        text_add(out, op);
        tree_print_expr(out, s->flag_in);
    }
}

static void print_for(struct text *out, const struct stmt *s, int depth)
{
    text_add(out, "for ");
    print_var(out, s->index);
    text_add(out, " in ");
    tree_print_expr(out, s->lo);
    text_add(out, " .. ");
    tree_print_expr(out, s->hi);
    if (s->step != 1)
        text_format(out, " step %" PRIu64, s->step);
    text_add(out, shape_names[s->shape]);
    for (int i = 0; i < s->arm_count; i++) {
        if (s->shape != LOOP_PLAIN)
            text_format(out, " width %d", s->arms[i].width);
        print_block(out, s->arms[i].body, depth);
    }
}

static void print_repeat(struct text *out, const struct stmt *s, int depth)
{
    text_add(out, "repeat");
    if (s->count != NULL) {
        text_add(out, " ");
        print_var(out, s->count);
    }
    print_block(out, s->body, depth);
    if (s->count == NULL) {
        text_add(out, " while ");
        tree_print_expr(out, s->cond);
    }
}

static void print_call(struct text *out, const struct stmt *s)
{
    for (int i = 0; i < s->result_count; i++) {
        text_add(out, i > 0 ? ", " : "");
        print_var(out, s->results[i]);
    }
    text_format(out, "%s%s(", s->result_count > 0 ? " = " : "", s->callee->name);
    for (int i = 0; i < s->arg_count; i++) {
        text_add(out, i > 0 ? ", " : "");
        if (s->args[i].object != NULL)
            text_add(out, s->args[i].object->name);
        else
            tree_print_expr(out, s->args[i].value);
    }
    text_add(out, ")");
}

static void print_return(struct text *out, const struct stmt *s)
{
    text_add(out, "return");
    for (int i = 0; i < s->value_count; i++) {
        text_add(out, i > 0 ? ", " : " ");
        tree_print_expr(out, s->values[i]);
    }
}

static void print_stmt(struct text *out, const struct stmt *s, int depth)
{
    switch (s->kind) {
    case S_ASSIGN:
        print_var(out, s->var);
        text_add(out, " = ");
        tree_print_expr(out, s->value);
        break;
    case S_CARRY:
        print_carry(out, s);
        break;
    case S_MUL:
        print_var(out, s->var);
        text_add(out, ", ");
        print_var(out, s->high);
        text_add(out, " = ");
        tree_print_expr(out, s->a);
        text_add(out, " * ");
        tree_print_expr(out, s->b);
        break;
    case S_STORE:
        print_access(out, &s->access, s->mem);
        text_add(out, " = ");
        tree_print_expr(out, s->value);
        break;
    case S_FOR:
        print_for(out, s, depth);
        break;
    case S_REPEAT:
        print_repeat(out, s, depth);
        break;
    case S_WHILE:
        text_add(out, "while ");
        tree_print_expr(out, s->cond);
        print_block(out, s->body, depth);
        break;
    case S_IF:
        text_add(out, "if ");
        tree_print_expr(out, s->cond);
        print_block(out, s->body, depth);
        if (s->other != NULL) {
            text_add(out, " else");
            print_block(out, s->other, depth);
        }
        break;
    case S_RETURN:
        print_return(out, s);
        break;
    case S_CALL:
        print_call(out, s);
        break;
    }
}

static void print_stmts(struct text *out, const struct stmt *s, int depth)
{
    for (; s != NULL; s = s->next) {
        indent(out, depth);
        print_stmt(out, s, depth);
        if (s->algebra != NULL)
            text_format(out, "  //= %s", s->algebra);
        text_add(out, "\n");
    }
}

/* -- functions -- */

static void print_set(struct text *out, const struct value_set *s)
{
    for (int i = 0; i < s->n; i++) {
        text_add(out, i == 0 ? " in {" : ", ");
        print_number(out, s->at[i].lo);
        if (s->at[i].hi != s->at[i].lo) {
            text_add(out, "..=");
            print_number(out, s->at[i].hi);
        }
    }
    text_add(out, s->n > 0 ? "}" : "");
}

static void print_object(struct text *out, const struct object *o)
{
    if (o->kind == OBJECT_PARAM)
        text_format(out, "%s ", direction_names[o->direction]);
    text_format(out, "%s%s, ", o->secret ? "" : "public ",
                o->layout != NULL ? o->layout->name : value_types[o->element].name);
    if (o->extent != NULL)
        tree_print_expr(out, o->extent);
    text_format(out, " bytes, align %" PRIu64, o->align);
}

static void print_param(struct text *out, const struct param *p)
{
    text_format(out, "    %s", p->name);
    if (p->var != NULL) {
        text_add(out, " ");
        print_var(out, p->var);
        text_format(out, ": %s%s", p->secret ? "secret " : "", value_types[p->type].name);
        print_set(out, &p->set);
    } else if (p->object != NULL) {
        text_add(out, ": ");
        print_object(out, p->object);
    }
    text_add(out, "\n");
}

static void print_variants(struct text *out, const struct func *f)
{
    for (int i = 0; i < f->variant_count; i++) {
        const struct variant *v = &f->variants[i];
        bool plain = i == 0 && v->features == 1u << FEAT_BASE && v->fuse == 0 && v->tune == NULL;

        if (plain)
            continue;
        text_format(out, "    variant '%s'", v->name);
        for (int k = FEAT_BASE + 1; k < FEAT_COUNT; k++)
            if ((v->features >> k & 1) != 0)
                text_format(out, " %s", features[k].name);
        text_format(out, "%s%s", (v->fuse & FUSE_EOR3) != 0 ? " fuse eor3" : "",
                    (v->fuse & FUSE_BCAX) != 0 ? " fuse bcax" : "");
        if (v->tune != NULL)
            text_format(out, " tune %s", v->tune);
        text_add(out, "\n");
    }
}

static void print_same(struct text *out, const struct func *f)
{
    for (int i = 0; i < f->objects.n; i++)
        for (int j = i + 1; j < f->objects.n; j++)
            if (objects_may_be_same(f, f->objects.at[i], f->objects.at[j]))
                text_format(out, "    %s may be %s\n", f->objects.at[i]->name, f->objects.at[j]->name);
}

void tree_print_func(struct text *out, const struct func *f)
{
    text_format(out, "%s %s", f->kind == FN_EXPORT ? "export" : "local", f->name);
    for (int i = 0; i < f->result_count; i++)
        text_format(out, "%s%s", i == 0 ? " -> " : ", ", value_types[f->results[i]].name);
    text_add(out, f->wipe ? " wipe\n" : "\n");
    for (int i = 0; i < f->param_count; i++)
        print_param(out, &f->params[i]);
    for (int i = 0; i < f->objects.n; i++) {
        if (f->objects.at[i]->kind != OBJECT_STACK)
            continue;
        text_format(out, "    stack %s: ", f->objects.at[i]->name);
        print_object(out, f->objects.at[i]);
        text_add(out, "\n");
    }
    for (int i = 0; i < f->where_count; i++) {
        text_add(out, "    where ");
        tree_print_expr(out, f->where[i]);
        text_add(out, "\n");
    }
    print_variants(out, f);
    print_same(out, f);
    text_add(out, "{\n");
    print_stmts(out, f->body, 1);
    text_add(out, "}\n");
}
