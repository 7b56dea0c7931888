/* ast_build.c: makes the nodes of the syntax tree.
 *
 * Takes what the grammar's actions have at hand, gives nodes with their spans
 * and with the height of the tree below them. Names are interned here, so that
 * the rest of kgen compares them as pointers.
 *
 * Holds: no tree is higher than AST_DEPTH_LIMIT; the parser stops where one
 * would be. Does not: judge what the nodes mean.
 */
#include <assert.h>
#include <string.h>

#include "lang/parse.h"

const char *const op_text[] = {
    [BIN_ADD] = "+",  [BIN_SUB] = "-",  [BIN_MUL] = "*",   [BIN_DIV] = "/",   [BIN_MOD] = "%",
    [BIN_AND] = "&",  [BIN_OR] = "|",   [BIN_XOR] = "^",   [BIN_SHL] = "<<",  [BIN_SHR] = ">>",
    [BIN_ROL] = "<<<", [BIN_ROR] = ">>>", [BIN_EQ] = "==", [BIN_NE] = "!=",   [BIN_LT] = "<",
    [BIN_LE] = "<=",  [BIN_GT] = ">",   [BIN_GE] = ">=",   [BIN_LOGIC_AND] = "&&",
    [BIN_LOGIC_OR] = "||", [UN_NOT] = "~", [UN_NEG] = "-", [UN_LOGIC_NOT] = "!",
};
_Static_assert(sizeof op_text / sizeof *op_text == UN_LOGIC_NOT + 1, "one spelling per operator");

/* -- names: an open hash table that doubles when it is half full. Elaboration
 * adds names as well, so they live as long as the run. -- */

enum { FIRST_NAME_SLOTS = 1024 };

static struct {
    unsigned generation;
    struct arena *arena;
    const char **slots;
    size_t n, count;
} names;

/* FNV-1a, 64 bits. */
static uint64_t hash_of(const char *s, size_t n)
{
    uint64_t h = 0xcbf29ce484222325u;

    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 0x100000001b3u;
    return h;
}

static const char **slot_of(const char *s, size_t n)
{
    size_t i = (size_t)hash_of(s, n) & (names.n - 1);

    while (names.slots[i] != NULL &&
           (strncmp(names.slots[i], s, n) != 0 || names.slots[i][n] != '\0'))
        i = (i + 1) & (names.n - 1);
    return &names.slots[i];
}

static void grow_names(void)
{
    const char **old = names.slots;
    const size_t old_n = names.n;

    names.n = old_n == 0 ? FIRST_NAME_SLOTS : old_n * 2;
    names.slots = arena_alloc(names.arena, sizeof *names.slots * names.n);
    for (size_t i = 0; i < old_n; i++)
        if (old[i] != NULL)
            *slot_of(old[i], strlen(old[i])) = old[i];
}

const char *intern(const char *s, size_t n)
{
    const char **slot;
    char *name;

    assert(memchr(s, '\0', n) == NULL);
    if (names.arena == NULL || names.generation != mem_generation()) {
        memset(&names, 0, sizeof names);
        names.generation = mem_generation();
        names.arena = mem_arena();
    }
    if (names.count * 2 >= names.n)
        grow_names();
    slot = slot_of(s, n);
    if (*slot == NULL) {
        *slot = name = arena_alloc(names.arena, n + 1);
        memcpy(name, s, n);
        names.count++;
    }
    return *slot;
}

/* -- spans -- */

struct loc span_between(struct loc first, struct loc last)
{
    const uint32_t lines = last.line + last.end_line_delta - first.line;

    first.end_line_delta = (uint16_t)(lines < UINT16_MAX ? lines : UINT16_MAX);
    first.end_col = last.end_col;
    return first;
}

static bool is_empty(const struct loc *l)
{
    return l->col == l->end_col && l->end_line_delta == 0;
}

/* The span of a rule's parts; what was left out at either end does not count. */
struct loc span_of(const struct loc *parts, int n)
{
    int first = 0;

    while (first + 1 < n && is_empty(&parts[first]))
        first++;
    while (n > first + 1 && is_empty(&parts[n - 1]))
        n--;
    return span_between(parts[first], parts[n - 1]);
}

/* The empty span just after `last`. */
struct loc span_after(struct loc last)
{
    last.line += last.end_line_delta;
    last.end_line_delta = 0;
    last.col = last.end_col;
    return last;
}

/* -- nodes -- */

struct node *new_node(enum node_kind kind, struct loc loc)
{
    struct node *n = NEW(struct node);

    n->kind = kind;
    n->loc = loc;
    return n;
}

struct node *new_statement(struct parser *p, enum node_kind kind, struct loc loc)
{
    struct node *n = new_node(kind, loc);

    vec_push(&p->statements, n);
    return n;
}

struct node *adopt(struct parser *p, struct node *parent, struct node *child)
{
    for (const struct node *n = child; n != NULL; n = n->next) {
        if (n->depth < parent->depth)
            continue;
        if (n->depth >= AST_DEPTH_LIMIT) {
            report_too_deep(p, parent->loc);
            return child;
        }
        parent->depth = (uint16_t)(n->depth + 1);
    }
    return child;
}

struct node_list list_of(struct node *n)
{
    return (struct node_list){n, n};
}

struct node_list list_add(struct node_list list, struct node *n)
{
    if (n == NULL)
        return list;
    if (list.first == NULL)
        return list_of(n);
    list.last->next = n;
    list.last = n;
    return list;
}

struct node *named(enum node_kind kind, struct loc loc, struct name_token name)
{
    struct node *n = new_node(kind, loc);

    n->name = name.name;
    n->name_loc = name.loc;
    return n;
}

struct node *string_node(struct loc loc, const char *text)
{
    struct node *n = new_node(N_STRING, loc);

    n->text = text;
    return n;
}

struct node *type_node(struct parser *p, struct loc loc, struct name_token name, struct node *extent)
{
    struct node *n = named(N_TYPE, loc, name);

    n->a = adopt(p, n, extent);
    return n;
}

struct node *with_a_b(struct parser *p, enum node_kind kind, struct loc loc, struct node *a,
                      struct node *b)
{
    struct node *n = new_node(kind, loc);

    n->a = adopt(p, n, a);
    n->b = adopt(p, n, b);
    return n;
}

struct node *with_a(struct parser *p, enum node_kind kind, struct loc loc, struct node *a)
{
    return with_a_b(p, kind, loc, a, NULL);
}

struct node *unary(struct parser *p, struct loc loc, enum op op, struct node *a)
{
    struct node *n = with_a(p, N_UNARY, loc, a);

    n->op = op;
    return n;
}

struct node *binary(struct parser *p, struct loc loc, enum op op, struct node *a, struct node *b)
{
    struct node *n = with_a_b(p, N_BINARY, loc, a, b);

    n->op = op;
    return n;
}

struct node *with_list(struct parser *p, enum node_kind kind, struct loc loc, struct node *list)
{
    struct node *n = new_node(kind, loc);

    n->list = adopt(p, n, list);
    return n;
}

struct node *range_node(struct parser *p, struct loc loc, struct node *lo, struct node *hi,
                        bool is_inclusive)
{
    struct node *n = with_a_b(p, N_RANGE, loc, lo, hi);

    n->is_inclusive = is_inclusive;
    return n;
}

struct node *field_of(struct parser *p, struct loc loc, struct node *whole, struct name_token name)
{
    struct node *n = named(N_FIELD, loc, name);

    n->a = adopt(p, n, whole);
    return n;
}

struct node *bind(struct parser *p, enum node_kind kind, struct loc loc, struct node_list list,
                  struct node *value)
{
    struct node *n = new_statement(p, kind, loc);

    n->list = adopt(p, n, list.first);
    n->a = adopt(p, n, value);
    return n;
}

/* `expect a == b` keeps both sides, so that a failing test can show them. */
struct node *expect_node(struct parser *p, struct loc loc, struct node *claim)
{
    struct node *n = new_statement(p, N_EXPECT, loc);

    if (claim->kind == N_BINARY && claim->op == BIN_EQ) {
        n->a = adopt(p, n, claim->a);
        n->b = adopt(p, n, claim->b);
    } else {
        n->a = adopt(p, n, claim);
    }
    return n;
}

struct node *if_node(struct parser *p, enum node_kind kind, struct loc loc, struct node *condition,
                     struct node *then, struct node *otherwise)
{
    struct node *n = kind == N_IF ? new_statement(p, kind, loc) : new_node(kind, loc);

    n->a = adopt(p, n, condition);
    if (kind == N_IF)
        n->body = adopt(p, n, then);
    else
        n->b = adopt(p, n, then);
    n->other = adopt(p, n, otherwise);
    return n;
}

/* `static if … else if …`: every condition of the chain is static. */
void mark_static(struct node *n)
{
    for (; n != NULL && n->kind == N_IF; n = n->other)
        n->is_static = true;
}

struct node *chain(struct node *first, struct node_list rest)
{
    first->next = rest.first;
    return first;
}

/* -- declarations, clauses, parameters -- */

struct node *documented(struct node *n, struct loc loc, const char *doc)
{
    if (n == NULL)
        return NULL;
    n->loc = loc;
    n->doc = doc;
    return n;
}

struct node *function_of(struct node *n, enum function_kind kind, struct loc loc, const char *doc)
{
    if (n != NULL)
        n->function->kind = kind;
    return documented(n, loc, doc);
}

struct function_node *new_function(struct param_list params, struct node_list results,
                                   struct clause_list clauses, struct node *body)
{
    struct function_node *f = NEW(struct function_node);

    f->params = params.first;
    f->results = results.first;
    f->clauses = clauses.first;
    f->body = body;
    return f;
}

struct clause_node *new_clause(enum clause_kind kind, struct loc loc, struct node *clause_names)
{
    struct clause_node *c = NEW(struct clause_node);

    c->kind = kind;
    c->loc = loc;
    c->names = clause_names;
    return c;
}

struct clause_list clause_add(struct clause_list list, struct clause_node *c)
{
    if (c == NULL)
        return list;
    if (list.first == NULL)
        return (struct clause_list){c, c};
    list.last->next = c;
    list.last = c;
    return list;
}

struct param_list param_add(struct param_list list, struct param_node *p)
{
    if (list.first == NULL)
        return (struct param_list){p, p};
    list.last->next = p;
    list.last = p;
    return list;
}
