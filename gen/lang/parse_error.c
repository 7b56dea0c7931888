/* parse_error.c: says what was expected, after what, and what was found.
 *
 * Takes the terminals that the automaton would have accepted; gives one
 * message. Twenty operators and five starts of an expression are one thing to
 * a reader, so terminals are first gathered into classes.
 *
 * Holds: the place is that of the token found, except for a forgotten `;`
 * or an early end of the file, where something is missing behind the token before.
 */
#include <ctype.h>
#include <string.h>

#include "lang/parse.h"

enum { MARKS = 3, HIDDEN = 40, SHOWN_FOUND = 40 };

/* A class is meant when all its marks are expected; then its other members are
 * not told either. In order: an earlier class takes members from later ones. */
struct terminal_class {
    const char *name;           /* NULL: not worth telling */
    const char *marks[MARKS];
    const char *members[HIDDEN];
};

#define SOFT_WORDS "align", "fuse", "out", "size", "step", "tune", "wipe"

static const struct terminal_class classes[] = {
    {"a declaration", {"module", "export"},
     {"include", "struct", "extern", "table", "static", "inline", "local", "test",
      "the end of the file"}},
    {"a statement", {"let", "return"},
     {"var", "static", "stack", "for", "while", "if", "expect", "a name", SOFT_WORDS}},
    {"an expression", {"a number", "("},
     {"a name", "a string", "a type name", "[", "if", "-", "~", "!", "static", SOFT_WORDS}},
    {"a type", {"a name", "a type name"}, {"in", "out", "inout", "public", "secret"}},
    {"a name", {"a name", "align"}, {SOFT_WORDS, "static"}},
    {"a clause", {"requires", "where"}, {"tune", "fuse", "noalias", "wipe", "variant"}},
    {NULL, {"+", "*"},
     {"-", "/", "%", "&", "|", "^", "<<", ">>", "<<<", ">>>", "==", "!=", "<", "<=", ">", ">=",
      "&&", "||", "as", "[", ".", "("}},
};

static bool contains(const char *const *names, int n, const char *name)
{
    for (int i = 0; i < n && names[i] != NULL; i++)
        if (strcmp(names[i], name) == 0)
            return true;
    return false;
}

/* Takes what belongs to the class away from expected[]; false when it is not meant. */
static bool gather(const struct terminal_class *class, const char **expected, int *n)
{
    int kept = 0;

    for (int i = 0; i < MARKS && class->marks[i] != NULL; i++)
        if (!contains(expected, *n, class->marks[i]))
            return false;
    for (int i = 0; i < *n; i++)
        if (!contains(class->marks, MARKS, expected[i]) &&
            !contains(class->members, HIDDEN, expected[i]))
            expected[kept++] = expected[i];
    *n = kept;
    return true;
}

/* Words that stand for many texts are told as they are, others are quoted. */
static void add_terminal(struct text *t, const char *name)
{
    const bool describes = strncmp(name, "a ", 2) == 0 || strncmp(name, "an ", 3) == 0 ||
                           strncmp(name, "the ", 4) == 0;

    text_format(t, describes ? "%s" : "'%s'", name);
}

static void add_source(struct text *t, struct loc loc)
{
    size_t n;
    const char *line = source_line(loc.file, loc.line, &n);
    const size_t length = loc.end_col - loc.col;

    text_add(t, "'");
    text_add_n(t, line + (loc.col - 1), length < SHOWN_FOUND ? length : SHOWN_FOUND);
    text_add(t, length < SHOWN_FOUND ? "'" : "...'");
}

static void add_expected(struct text *t, const char **expected, int n)
{
    const char *told[COUNT(classes)];
    int told_count = 0, all;

    for (int i = 0; i < COUNT(classes); i++)
        if (gather(&classes[i], expected, &n) && classes[i].name != NULL)
            told[told_count++] = classes[i].name;
    all = told_count + n;
    if (all == 0)
        text_add(t, "an operator");
    for (int i = 0; i < all; i++) {
        text_add(t, i == 0 ? "" : i + 1 < all ? ", " : " or ");
        add_terminal(t, i < n ? expected[i] : told[i - n]);
    }
}

static void add_found(struct text *t, const struct parser *p, const char *found)
{
    text_add(t, ", found ");
    if (strncmp(found, "the ", 4) == 0) {
        text_add(t, found);
        return;
    }
    if (isalpha((unsigned char)found[0]) && strncmp(found, "a ", 2) != 0)
        text_add(t, "the keyword ");
    add_source(t, p->token);
}

static const char *const comparisons[] = {"==", "!=", "<", "<=", ">", ">="};

void report_syntax_error(struct parser *p, const char *const *expected, int n, const char *found)
{
    const bool at_end = strncmp(found, "the ", 4) == 0;
    const bool is_missing = at_end || contains(expected, n, ";");
    const struct loc before = span_after(p->previous);
    struct loc where = p->token;
    struct text t = {0};
    const char **names = NEW_ARRAY(const char *, n);

    p->had_errors = true;
    if (p->stopped)
        return;
    if (contains(comparisons, COUNT(comparisons), found) && contains(expected, n, "+")) {
        error_at(where, RULE_SYNTAX,
                 "comparisons do not chain: join them by '&&', or use parentheses");
        return;
    }
    if (n != 0)
        memcpy(names, expected, sizeof *names * (size_t)n);
    text_add(&t, "expected ");
    add_expected(&t, names, n);
    if (p->previous.file != 0) {
        text_add(&t, " after ");
        add_source(&t, p->previous);
    }
    add_found(&t, p, found);
    if (is_missing && p->previous.file != 0 && before.line < where.line)
        where = before;
    error_at(where, RULE_SYNTAX, "%s", t.at);
    p->stopped = too_many_errors();
}

void report_too_deep(struct parser *p, struct loc where)
{
    p->had_errors = true;
    if (!p->stopped)
        error_at(where, RULE_SYNTAX, "this is nested too deeply (more than %d levels)",
                 AST_DEPTH_LIMIT);
    p->stopped = true;
}
