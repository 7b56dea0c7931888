/* sanitise.c: the user's words inside comments of the output.
 *
 * Takes any bytes; gives lines of printable ASCII that are safe after `//` in
 * a file that the C preprocessor reads, and inside a C comment: nothing that
 * opens or closes a comment, no backslash (at a line's end it would swallow
 * the next line), no trigraph. Signs that kernels' algebra uses become their
 * nearest ASCII spelling; any other letter outside ASCII becomes one `?`.
 */
#include <string.h>

#include "target/row.h"

struct spelling { const char *utf8, *ascii; };

static const struct spelling spellings[] = {
    {"\u00b7", "*"},    /* middle dot */
    {"\u00d7", "*"},    /* multiplication sign */
    {"\u2022", "*"},    /* bullet */
    {"\u2295", "^"},    /* circled plus */
    {"\u2297", "*"},    /* circled times */
    {"\u2212", "-"},    /* minus sign */
    {"\u2013", "-"},    /* en dash */
    {"\u2014", "-"},    /* em dash */
    {"\u2026", "..."},  /* ellipsis */
    {"\u2264", "<="},
    {"\u2265", ">="},
    {"\u2260", "!="},
    {"\u2261", "=="},   /* identical to */
    {"\u00ac", "~"},    /* not sign */
    {"\u00b1", "+-"},
    {"\u00b2", "^2"},
    {"\u00b3", "^3"},
    {"\u2080", "0"}, {"\u2081", "1"}, {"\u2082", "2"}, {"\u2083", "3"}, {"\u2084", "4"},
    {"\u207b", "^-"},   /* superscript minus; its digits follow as they are */
    {"\u00b9", "1"}, {"\u2070", "0"}, {"\u2074", "4"}, {"\u2078", "8"},
    {"\u2192", "->"},
    {"\u21a6", "->"},
    {"\u2018", "'"}, {"\u2019", "'"}, {"\u201c", "\""}, {"\u201d", "\""},
    {"\u03b1", "alpha"}, {"\u03b2", "beta"}, {"\u03bb", "lambda"}, {"\u03b8", "theta"},
};

static const struct spelling *spelling_of(const char *s, size_t n)
{
    for (int i = 0; i < COUNT(spellings); i++) {
        const size_t length = strlen(spellings[i].utf8);

        if (length <= n && memcmp(s, spellings[i].utf8, length) == 0)
            return &spellings[i];
    }
    return NULL;
}

/* May `c` follow `before` inside a comment? */
static bool may_follow(char before, char c)
{
    return !(before == '*' && c == '/') && !(before == '/' && c == '*') &&
           !(before == '?' && c == '?');
}

static void add_char(struct text *t, char c)
{
    const char before = t->n > 0 ? t->at[t->n - 1] : '\0';

    if (!may_follow(before, c))
        text_add(t, " ");
    text_add_n(t, &c, 1);
}

/* How many characters stand for themselves whatever is around them. */
static size_t plain_length(const char *s, size_t n)
{
    size_t i = 0;

    while (i < n && s[i] >= ' ' && s[i] <= '~' && s[i] != '\\' && s[i] != '*' && s[i] != '/' &&
           s[i] != '?')
        i++;
    return i;
}

char *one_line(const char *s, size_t n)
{
    struct text t = {0};

    text_add(&t, "");
    for (size_t i = 0; i < n; i++) {
        const size_t plain = plain_length(s + i, n - i);
        const unsigned char c = (unsigned char)s[i];
        const struct spelling *spelling = c >= 0x80 ? spelling_of(s + i, n - i) : NULL;

        if (plain > 0) {
            text_add_n(&t, s + i, plain);
            i += plain - 1;
        } else if (spelling) {
            for (const char *a = spelling->ascii; *a; a++)
                add_char(&t, *a);
            i += strlen(spelling->utf8) - 1;
        } else if (c == '\t' || c == '\r' || c == '\v' || c == '\f')
            text_add(&t, " ");
        else if (c == '\\')
            add_char(&t, '/');
        else if (c >= 0xc0 || c < 0x20 || c == 0x7f)
            add_char(&t, '?');
        else if (c < 0x80)
            add_char(&t, (char)c);
        /* else: a continuation byte of a letter that was written already */
    }
    while (t.n > 0 && t.at[t.n - 1] == ' ')
        t.at[--t.n] = '\0';
    return t.at;
}

void add_comment(struct text *out, const char *prefix, const char *s)
{
    while (s) {
        const char *end = strchr(s, '\n');
        const char *line = one_line(s, end ? (size_t)(end - s) : strlen(s));

        text_format(out, *line ? "%s %s\n" : "%s%s\n", prefix, line);
        s = end ? end + 1 : NULL;
    }
}
