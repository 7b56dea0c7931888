/* diag.c: keeps the source files and composes every message.
 *
 * Takes spans and formats; gives one text, in the order of the calls, with at
 * most 20 errors. A message about a place shows its line and a caret; notes
 * name their place only, so that an error stays short.
 *
 * Holds: what is printed is valid UTF-8 without control characters, whatever
 * bytes the source has; the caret stands under the first byte of the span also
 * after tabs and letters of several bytes; a long line is shown in part.
 * Does not: print before diag_flush(), or end the process.
 */
#include "base/diag.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

enum {
    ERROR_LIMIT = 20,
    SHOWN_EXPANSIONS = 8,
    SHOWN_WIDTH = 120,          /* bytes of a source line that are shown … */
    SHOWN_BEFORE = 60,          /* … of which before the caret, when it is cut */
};

const struct rule_row rules[RULE_COUNT] = {
#define RULE_ROW(id, name, what) [RULE_##id] = {name, what},
    RULES(RULE_ROW)
#undef RULE_ROW
};

struct source {
    const char *name;
    const char *text;
    size_t n;
    VEC(size_t) line_starts;
};

struct printed { struct loc where; const char *message; };
struct expansion { struct loc where; const char *what; };

static struct {
    unsigned generation;
    VEC(struct source) sources;
    VEC(struct printed) printed;
    VEC(struct expansion) expansions;
    struct text messages;
    struct text expanded;       /* notes that follow those of the last error */
    int errors;
    int complaints;             /* errors, repeats and those beyond the limit among them */
    bool quiet;                 /* the last error was a repeat, or one too many */
    bool limit_told;
} state;

void diag_reset(void)
{
    memset(&state, 0, sizeof state);
    state.generation = mem_generation();
}

/* The state points into the arena: when that was released, it is void. */
static void notice_release(void)
{
    if (state.generation != mem_generation())
        diag_reset();
}

/* -- source files -- */

uint16_t source_add(const char *name, const char *text, size_t n)
{
    struct source *s;

    notice_release();
    assert(state.sources.n < UINT16_MAX);
    s = vec_add(&state.sources);
    s->name = mem_string(name);
    s->text = mem_string_n(text, n);
    s->n = n;
    vec_push(&s->line_starts, 0);
    for (size_t i = 0; i < n; i++)
        if (text[i] == '\n')
            vec_push(&s->line_starts, i + 1);
    return (uint16_t)state.sources.n;
}

static const struct source *source_of(uint16_t file)
{
    notice_release();
    assert(file >= 1 && file <= state.sources.n);
    return &state.sources.at[file - 1];
}

const char *source_name(uint16_t file)
{
    return source_of(file)->name;
}

int source_count(void)
{
    notice_release();
    return state.sources.n;
}

const char *source_line(uint16_t file, uint32_t line, size_t *n)
{
    const struct source *s = source_of(file);
    size_t start, end;

    *n = 0;
    if (line == 0 || line > (uint32_t)s->line_starts.n)
        return "";
    start = s->line_starts.at[line - 1];
    end = line < (uint32_t)s->line_starts.n ? s->line_starts.at[line] - 1 : s->n;
    if (end > start && s->text[end - 1] == '\r')
        end--;
    *n = end - start;
    return s->text + start;
}

/* -- printable text -- */

/* Every byte that is not part of a printable character becomes '?'. */
static void add_printable(struct text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t length = utf8_length(s + i, n - i);
        const unsigned char c = (unsigned char)s[i];
        const bool control = (c < 0x20 && c != '\t') || c == 0x7f;

        if (length == 0 || control)
            text_add_n(t, "?", 1);
        else
            text_add_n(t, s + i, length);
        i += length == 0 ? 1 : length;
    }
}

/* One column for each character, tabs kept, so that what follows lines up. */
static void add_blank(struct text *t, const char *s, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t length = utf8_length(s + i, n - i);

        text_add_n(t, s[i] == '\t' ? "\t" : " ", 1);
        i += length == 0 ? 1 : length;
    }
}

static size_t columns_of(const char *s, size_t n)
{
    size_t columns = 0;

    for (size_t i = 0; i < n; columns++) {
        const size_t length = utf8_length(s + i, n - i);

        i += length == 0 ? 1 : length;
    }
    return columns;
}

/* -- messages -- */

/* The source line and the caret under the span, cut around the caret when long. */
static void add_excerpt(struct text *t, struct loc where)
{
    size_t n, caret = where.col - 1, end = where.end_col - 1, from = 0, to;
    const char *line = source_line(where.file, where.line, &n);

    if (caret > n)
        caret = n;
    if (where.end_line_delta != 0 || end > n)
        end = n;
    to = n;
    if (n > SHOWN_WIDTH) {
        from = caret > SHOWN_BEFORE ? caret - SHOWN_BEFORE : 0;
        while (from > 0 && utf8_is_continuation(line[from]))
            from--;
        to = from + SHOWN_WIDTH < n ? from + SHOWN_WIDTH : n;
        while (to < n && utf8_is_continuation(line[to]))
            to++;
    }
    if (end > to)
        end = to;

    text_format(t, "%5u | %s", where.line, from > 0 ? "..." : "");
    add_printable(t, line + from, to - from);
    text_format(t, "%s\n      | %s", to < n ? "..." : "", from > 0 ? "   " : "");
    add_blank(t, line + from, caret - from);
    text_add(t, "^");
    for (size_t i = 1; end > caret && i < columns_of(line + caret, end - caret); i++)
        text_add(t, "~");
    text_add(t, "\n");
}

static void add_place(struct text *t, struct loc where)
{
    if (where.file != 0) {
        const char *name = source_name(where.file);

        add_printable(t, name, strlen(name));
        text_format(t, ":%u:%u: ", where.line, where.col);
    }
}

static void add_note(struct text *t, struct loc where, const char *message)
{
    add_place(t, where);
    text_add(t, "note: ");
    add_printable(t, message, strlen(message));
    text_add(t, "\n");
}

static bool was_printed(struct loc where, const char *message)
{
    for (int i = 0; i < state.printed.n; i++) {
        const struct printed *p = &state.printed.at[i];

        if (p->where.file == where.file && p->where.line == where.line &&
            p->where.col == where.col && strcmp(p->message, message) == 0)
            return true;
    }
    return false;
}

static void end_last_error(void)
{
    text_add_n(&state.messages, state.expanded.at, state.expanded.n);
    state.expanded.n = 0;
}

/* The stack is copied now: it has changed when the next message comes. */
static void remember_expansions(void)
{
    const int n = state.expansions.n;

    for (int i = n - 1; i >= 0 && i >= n - SHOWN_EXPANSIONS; i--) {
        const struct expansion *e = &state.expansions.at[i];

        add_note(&state.expanded, e->where,
                 e->what != NULL ? mem_format("expanded here: %s", e->what) : "expanded here");
    }
    if (n > SHOWN_EXPANSIONS)
        text_format(&state.expanded, "note: and %d more levels of expansion\n", n - SHOWN_EXPANSIONS);
}

void error_at(struct loc where, enum rule rule, const char *fmt, ...)
{
    const char *message;
    va_list args;

    notice_release();
    end_last_error();
    va_start(args, fmt);
    message = mem_format_list(fmt, args);
    va_end(args);

    state.complaints++;
    state.quiet = was_printed(where, message) || state.errors >= ERROR_LIMIT;
    if (state.quiet) {
        if (!state.limit_told && !was_printed(where, message)) {
            text_format(&state.messages, "kgen: only the first %d errors are shown\n", ERROR_LIMIT);
            state.limit_told = true;
        }
        return;
    }
    vec_push(&state.printed, ((struct printed){where, message}));
    state.errors++;
    if (where.file == 0)
        text_add(&state.messages, "kgen: ");
    add_place(&state.messages, where);
    text_add(&state.messages, "error: ");
    add_printable(&state.messages, message, strlen(message));
    text_format(&state.messages, " [%s]\n", rules[rule].name);
    if (where.file != 0)
        add_excerpt(&state.messages, where);
    remember_expansions();
}

void note_at(struct loc where, const char *fmt, ...)
{
    va_list args;

    notice_release();
    if (state.quiet)
        return;
    va_start(args, fmt);
    add_note(&state.messages, where, mem_format_list(fmt, args));
    va_end(args);
}

int error_count(void)
{
    notice_release();
    return state.errors;
}

int complaint_count(void)
{
    notice_release();
    return state.complaints;
}

bool too_many_errors(void)
{
    return error_count() >= ERROR_LIMIT;
}

void diag_push_expansion(struct loc where, const char *what)
{
    notice_release();
    vec_push(&state.expansions, ((struct expansion){where, what}));
}

/* An empty stack holds no memory: what was made since a mark may be released. */
void diag_pop_expansion(void)
{
    assert(state.expansions.n > 0);
    if (--state.expansions.n == 0)
        memset(&state.expansions, 0, sizeof state.expansions);
}

const struct text *diag_messages(void)
{
    notice_release();
    end_last_error();
    return &state.messages;
}

void diag_flush(void)
{
    const struct text *t = diag_messages();

    if (t->n != 0)
        fwrite(t->at, 1, t->n, stderr);
    fflush(stderr);
    state.messages.n = 0;
}
