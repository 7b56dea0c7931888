/* ast_print.c: a syntax tree as stable text, for --dump=ast and for tests.
 *
 * Takes a chain of declarations (or any node), gives S-expressions: one
 * declaration, parameter, clause or statement on a line, expressions inside
 * it. Numbers are decimal, positions are left out, so that only a change of
 * meaning changes the text.
 */
#include <assert.h>
#include <inttypes.h>

#include "base/text.h"
#include "lang/ast.h"

enum { INDENT = 2 };

static const char *const function_kinds[] = {
    [FN_EXPORT] = "export", [FN_INLINE] = "inline", [FN_LOCAL] = "local", [FN_STATIC] = "static",
};
static const char *const directions[] = {
    [DIR_VALUE] = "", [DIR_IN] = " in", [DIR_OUT] = " out", [DIR_INOUT] = " inout",
};
static const char *const secrecies[] = {
    [MARK_NONE] = "", [MARK_PUBLIC] = " public", [MARK_SECRET] = " secret",
};
static const char *const shapes[] = {
    [LOOP_PLAIN] = NULL, [LOOP_UNROLL] = "unroll", [LOOP_WEAVE] = "weave",
};
static const char *const clause_words[] = {
    [CLAUSE_REQUIRES] = "requires", [CLAUSE_TUNE] = "tune", [CLAUSE_FUSE] = "fuse",
    [CLAUSE_NOALIAS] = "noalias", [CLAUSE_WIPE] = "wipe", [CLAUSE_WHERE] = "where",
    [CLAUSE_VARIANT] = "variant",
};

static void new_line(struct text *out, int indent)
{
    text_format(out, "\n%*s", indent * INDENT, "");
}

static void add_quoted(struct text *out, const char *s)
{
    text_add(out, "\"");
    for (; *s != '\0'; s++) {
        if (*s == '\n')
            text_add(out, "\\n");
        else if (*s == '\t')
            text_add(out, "\\t");
        else
            text_format(out, *s == '"' || *s == '\\' ? "\\%c" : "%c", *s);
    }
    text_add(out, "\"");
}

/* -- expressions and types -- */

static void add_expression(struct text *out, const struct node *n);

static void add_each(struct text *out, const struct node *list)
{
    for (; list != NULL; list = list->next) {
        text_add(out, " ");
        add_expression(out, list);
    }
}

/* Nodes that print as (HEAD [name] type a b other list), leaving out what they
 * lack; the name of a field comes after what it is a field of. */
static const char *head_of(const struct node *n)
{
    switch (n->kind) {
    case N_INDEX:           return "index";
    case N_FIELD:           return "field";
    case N_CALL:            return "call";
    case N_BUILD:           return "build";
    case N_UNARY:
    case N_BINARY:          return op_text[n->op];
    case N_AS:              return "as";
    case N_LIST:            return "list";
    case N_COMPREHENSION:   return "static-for";
    case N_TUPLE:           return "tuple";
    case N_RANGE:           return n->is_inclusive ? "..=" : "..";
    case N_SET:             return "set";
    case N_IF_EXPR:         return "if";
    default:                return NULL;
    }
}

static void add_form(struct text *out, const struct node *n)
{
    const char *head = head_of(n);

    assert(head != NULL);
    text_format(out, "(%s", head);
    if (n->name != NULL && n->kind != N_FIELD)
        text_format(out, " %s", n->name);
    add_each(out, n->type);
    add_each(out, n->a);
    if (n->kind == N_FIELD)
        text_format(out, " %s", n->name);
    add_each(out, n->b);
    add_each(out, n->other);
    add_each(out, n->list);
    text_add(out, ")");
}

static void add_expression(struct text *out, const struct node *n)
{
    switch (n->kind) {
    case N_NUMBER:
        text_format(out, "%" PRIu64, n->number);
        break;
    case N_STRING:
        add_quoted(out, n->text);
        break;
    case N_NAME:
        text_add(out, n->name);
        break;
    case N_TYPE:
    case N_BINDING:
        text_format(out, n->a != NULL || n->type != NULL ? "(%s" : "%s", n->name);
        add_each(out, n->a);
        add_each(out, n->type);
        text_add(out, n->a != NULL || n->type != NULL ? ")" : "");
        break;
    default:
        add_form(out, n);
        break;
    }
}

static void add_optional(struct text *out, const char *head, const struct node *n)
{
    if (n == NULL)
        return;
    text_format(out, " (%s", head);
    add_each(out, n);
    text_add(out, ")");
}

/* -- statements -- */

static void add_statement(struct text *out, const struct node *n, int indent);

static void add_body(struct text *out, const struct node *block, int indent)
{
    for (const struct node *n = block->list; n != NULL; n = n->next)
        add_statement(out, n, indent);
}

static void add_condition(struct text *out, const struct node *n, int indent)
{
    add_each(out, n->a);
    add_body(out, n->body, indent + 1);
    if (n->other == NULL)
        return;
    new_line(out, indent + 1);
    text_add(out, "(else");
    if (n->other->kind == N_BLOCK)
        add_body(out, n->other, indent + 2);
    else
        add_statement(out, n->other, indent + 2);
    text_add(out, ")");
}

static void add_loop(struct text *out, const struct node *n, int indent)
{
    text_format(out, " %s", n->name);
    add_each(out, n->a);
    add_optional(out, "step", n->step);
    add_optional(out, shapes[n->shape], n->widths);
    add_body(out, n->body, indent + 1);
}

static const char *statement_word(const struct node *n)
{
    switch (n->kind) {
    case N_LET:         return "let";
    case N_VAR:         return "var";
    case N_STATIC_LET:  return "static-let";
    case N_STACK:       return "stack";
    case N_ASSIGN:      return "set";
    case N_FOR:         return n->is_static ? "static-for" : "for";
    case N_WHILE:       return "while";
    case N_IF:          return n->is_static ? "static-if" : "if";
    case N_RETURN:      return "return";
    case N_EXPECT:      return "expect";
    case N_CALL_STMT:   return "do";
    default:            return "block";
    }
}

static void add_statement(struct text *out, const struct node *n, int indent)
{
    new_line(out, indent);
    text_format(out, "(%s", statement_word(n));
    switch (n->kind) {
    case N_FOR:
        add_loop(out, n, indent);
        break;
    case N_IF:
        add_condition(out, n, indent);
        break;
    case N_WHILE:
        add_each(out, n->a);
        add_body(out, n->body, indent + 1);
        break;
    case N_STACK:
        text_format(out, " %s", n->name);
        add_each(out, n->type);
        add_optional(out, "align", n->b);
        break;
    case N_BLOCK:
        add_body(out, n, indent + 1);
        break;
    default:
        add_each(out, n->list);
        add_optional(out, "=", n->kind == N_EXPECT || n->kind == N_CALL_STMT ? NULL : n->a);
        if (n->kind == N_EXPECT || n->kind == N_CALL_STMT)
            add_each(out, n->a);
        add_each(out, n->b);
        break;
    }
    if (n->algebra != NULL) {
        text_add(out, " (algebra ");
        add_quoted(out, n->algebra);
        text_add(out, ")");
    }
    text_add(out, ")");
}

/* -- declarations -- */

static void add_doc(struct text *out, const struct node *n, int indent)
{
    if (n->doc == NULL)
        return;
    new_line(out, indent);
    text_add(out, "(doc ");
    add_quoted(out, n->doc);
    text_add(out, ")");
}

static void add_clauses(struct text *out, const struct clause_node *c, int indent)
{
    for (; c != NULL; c = c->next) {
        new_line(out, indent);
        text_format(out, "(%s", clause_words[c->kind]);
        if (c->name != NULL)
            text_format(out, " %s", c->name);
        add_each(out, c->names);
        add_each(out, c->condition);
        add_clauses(out, c->inner, indent + 1);
        text_add(out, ")");
    }
}

static void add_function(struct text *out, const struct node *n)
{
    const struct function_node *f = n->function;

    text_format(out, "(fn %s %s", function_kinds[f->kind], n->name);
    add_doc(out, n, 1);
    for (const struct param_node *p = f->params; p != NULL; p = p->next) {
        new_line(out, 1);
        text_format(out, "(param%s %s%s%s", p->is_static ? " static" : "", p->name,
                    directions[p->direction], secrecies[p->secrecy]);
        add_each(out, p->type);
        add_optional(out, "in", p->set);
        add_optional(out, "align", p->align);
        text_add(out, ")");
    }
    if (f->results != NULL) {
        new_line(out, 1);
        text_add(out, "(results");
        add_each(out, f->results);
        text_add(out, ")");
    }
    add_clauses(out, f->clauses, 1);
    add_body(out, f->body, 1);
    text_add(out, ")");
}

static void add_struct(struct text *out, const struct node *n)
{
    text_format(out, "(struct%s %s", n->is_extern ? " extern" : "", n->name);
    add_optional(out, "size", n->a);
    add_optional(out, "align", n->b);
    add_doc(out, n, 1);
    for (const struct node *f = n->list; f != NULL; f = f->next) {
        new_line(out, 1);
        text_format(out, "(field %s%s", f->name, secrecies[f->secrecy]);
        add_each(out, f->type);
        add_optional(out, "in", f->a);
        text_add(out, ")");
    }
    text_add(out, ")");
}

static void add_declaration_text(struct text *out, const struct node *n)
{
    switch (n->kind) {
    case N_STRUCT:
        add_struct(out, n);
        break;
    case N_FUNCTION:
        add_function(out, n);
        break;
    case N_TABLE:
        text_format(out, "(table %s", n->name);
        add_each(out, n->type);
        add_optional(out, "align", n->a);
        add_doc(out, n, 1);
        new_line(out, 1);
        add_expression(out, n->b);
        text_add(out, ")");
        break;
    case N_STATIC_LET:
        text_add(out, "(static-let");
        add_each(out, n->list);
        add_optional(out, "=", n->a);
        add_doc(out, n, 1);
        text_add(out, ")");
        break;
    case N_MODULE:
    case N_TEST:
        text_add(out, n->kind == N_MODULE ? "(module " : "(test ");
        add_quoted(out, n->text);
        add_doc(out, n, 1);
        if (n->kind == N_TEST)
            add_body(out, n->body, 1);
        text_add(out, ")");
        break;
    default:
        add_expression(out, n);
        break;
    }
}

void ast_print(struct text *out, const struct node *n)
{
    for (; n != NULL; n = n->next) {
        add_declaration_text(out, n);
        text_add(out, "\n");
    }
}
