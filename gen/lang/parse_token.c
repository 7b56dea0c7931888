/* parse_token.c: what single tokens and comments mean.
 *
 * Takes the text of a number, a string or a comment from the scanner; gives
 * values. Doc comments are joined until a declaration takes them; algebra
 * comments are kept to the end of the file and then given to the statement
 * that ends on their line, so that the grammar need not know of them.
 *
 * Holds: every complaint is at the very character it is about.
 */
#include <string.h>

#include "lang/parse.h"

static struct loc part_of(struct loc loc, size_t at, size_t n)
{
    loc.col += (uint32_t)at;
    loc.end_col = loc.col + (uint32_t)n;
    return loc;
}

/* -- numbers -- */

static int digit_of(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return 16;
}

struct base { char letter; const char *name; int radix; };

static const struct base decimal = {0, "decimal", 10};
static const struct base prefixed[] = {{'x', "hexadecimal", 16}, {'b', "binary", 2}};

static const struct base *base_of(const char *s, size_t n)
{
    for (int i = 0; i < COUNT(prefixed); i++)
        if (n >= 2 && s[0] == '0' && s[1] == prefixed[i].letter)
            return &prefixed[i];
    return &decimal;
}

struct node *number_node(struct loc loc, const char *s, size_t n)
{
    struct node *number = new_node(N_NUMBER, loc);
    const struct base *base = base_of(s, n);
    const uint64_t radix = (uint64_t)base->radix;
    int digits = 0;

    for (size_t i = base->letter != 0 ? 2 : 0; i < n; i++) {
        const int digit = digit_of(s[i]);

        if (s[i] == '_')
            continue;
        if (digit >= base->radix) {
            error_at(part_of(loc, i, 1), RULE_SYNTAX, "'%c' is not a %s digit", s[i], base->name);
            return number;
        }
        digits++;
        if (number->number > (UINT64_MAX - (uint64_t)digit) / radix)
            number->is_wide = true;
        number->number = number->number * radix + (uint64_t)digit;
    }
    if (digits == 0)
        error_at(loc, RULE_SYNTAX, "a %s number needs a digit after '%.2s'", base->name, s);
    else if (number->is_wide)
        error_at(loc, RULE_SYNTAX, "this number needs more than 64 bits");
    else if (base == &decimal && digits > 1 && s[0] == '0')
        error_at(loc, RULE_SYNTAX,
                 "a decimal number does not begin with 0 (write octal ones in hexadecimal)");
    return number;
}

/* -- strings -- */

static const struct { char written, meant; } escapes[] = {
    {'\\', '\\'}, {'"', '"'}, {'n', '\n'}, {'t', '\t'},
};

static char escaped(char written)
{
    for (int i = 0; i < COUNT(escapes); i++)
        if (escapes[i].written == written)
            return escapes[i].meant;
    return '\0';
}

const char *string_contents(struct loc loc, const char *s, size_t n)
{
    char *contents = NEW_ARRAY(char, n);
    size_t length = 0;

    for (size_t i = 1; i + 1 < n; i++) {
        char c = s[i];

        if (c == '\\') {
            c = escaped(s[++i]);
            if (c == '\0')
                error_at(part_of(loc, i - 1, 2), RULE_SYNTAX,
                         "a string knows the escapes \\\\ \\\" \\n \\t only");
        }
        contents[length++] = c;
    }
    return contents;
}

/* -- comments -- */

static void trim(const char **s, size_t *n)
{
    while (*n > 0 && strchr(" \t\r", (*s)[*n - 1]) != NULL)
        --*n;
    if (*n > 0 && **s == ' ') {
        ++*s;
        --*n;
    }
}

void doc_line(struct parser *p, struct loc loc, const char *s, size_t n)
{
    trim(&s, &n);
    if (p->doc.n == 0)
        p->doc_loc = loc;
    text_add_n(&p->doc, s, n);
    text_add(&p->doc, "\n");
}

const char *take_doc(struct parser *p)
{
    const char *doc = NULL;

    if (p->doc.n != 0)
        doc = mem_string_n(p->doc.at, p->doc.n - 1);
    p->doc.n = 0;
    return doc;
}

void refuse_doc(struct parser *p)
{
    error_at(p->doc_loc, RULE_SYNTAX,
             "'///' documents a declaration, and none follows (a plain comment is '//')");
    p->doc.n = 0;
}

void algebra_line(struct parser *p, struct loc loc, const char *s, size_t n)
{
    trim(&s, &n);
    while (n > 0 && *s == ' ') {
        s++;
        n--;
    }
    vec_push(&p->algebra, ((struct algebra_comment){loc, mem_string_n(s, n)}));
}

/* Both are in the order of lines. */
static struct algebra_comment *algebra_on_line(struct parser *p, uint32_t line)
{
    int lo = 0, hi = p->algebra.n - 1;

    while (lo <= hi) {
        const int mid = (lo + hi) / 2;

        if (p->algebra.at[mid].loc.line == line)
            return &p->algebra.at[mid];
        if (p->algebra.at[mid].loc.line < line)
            lo = mid + 1;
        else
            hi = mid - 1;
    }
    return NULL;
}

void attach_algebra(struct parser *p)
{
    struct node **owner = NEW_ARRAY(struct node *, p->algebra.n);

    for (int i = 0; i < p->statements.n; i++) {
        struct node *n = p->statements.at[i];
        struct algebra_comment *c = algebra_on_line(p, n->loc.line + n->loc.end_line_delta);
        struct node **best;

        if (c == NULL || n->loc.end_col > c->loc.col)
            continue;
        best = &owner[c - p->algebra.at];
        if (*best == NULL || n->loc.end_col >= (*best)->loc.end_col)
            *best = n;
    }
    for (int i = 0; i < p->algebra.n; i++) {
        if (owner[i] != NULL)
            owner[i]->algebra = p->algebra.at[i].text;
        else if (!p->had_errors)
            error_at(p->algebra.at[i].loc, RULE_SYNTAX,
                     "'//=' belongs behind a statement, and none ends on this line");
    }
}
