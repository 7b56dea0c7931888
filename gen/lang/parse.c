/* parse.c: reads a file and what it includes.
 *
 * Takes a path or a text, gives the chain of declarations of all files in the
 * order in which they would stand if each `include` were the file it names.
 * A file is read once, however often it is included; two names of one file
 * are one file.
 *
 * Holds: the scanner sees UTF-8 without NUL, lone carriage returns and a byte
 * order mark. Does not: stop at the first error; what could be read is returned.
 */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "lang/parse.h"

enum { INCLUDE_DEPTH_LIMIT = 64, FILE_SIZE_LIMIT = 16 * 1024 * 1024 };

struct read_file { const char *path; dev_t device; ino_t inode; };

static struct {
    unsigned generation;
    VEC(struct read_file) files;
} reading;

static void start_reading(void)
{
    memset(&reading, 0, sizeof reading);
    reading.generation = mem_generation();
}

int parsed_file_count(void)
{
    return reading.generation == mem_generation() ? reading.files.n : 0;
}

const char *parsed_file(int i)
{
    return reading.files.at[i].path;
}

/* -- one text -- */

static struct loc loc_of_byte(uint16_t file, const char *text, size_t at)
{
    struct loc loc = {.file = file, .line = 1, .col = 1};

    for (size_t i = 0; i < at; i++) {
        loc.col++;
        if (text[i] == '\n') {
            loc.line++;
            loc.col = 1;
        }
    }
    loc.end_col = loc.col + 1;
    return loc;
}

/* What is wrong with the character of so many bytes at i, or NULL. */
static const char *fault_of(const char *text, size_t n, size_t i, size_t length)
{
    if (length == 0)
        return mem_format("byte 0x%02x is not valid UTF-8", (unsigned char)text[i]);
    if (text[i] == '\0')
        return "a NUL byte: this is not a text";
    if (text[i] == '\r' && (i + 1 == n || text[i + 1] != '\n'))
        return "a carriage return without a line feed: for some programs a line ends here";
    return NULL;
}

static bool is_clean(uint16_t file, const char *text, size_t n)
{
    for (size_t i = 0, length; i < n; i += length) {
        length = utf8_length(text + i, n - i);
        const char *fault = fault_of(text, n, i, length);

        if (fault != NULL) {
            error_at(loc_of_byte(file, text, i), RULE_SYNTAX, "%s", fault);
            return false;
        }
    }
    return true;
}

/* Editors on Windows begin a file with it (Unicode, 23.8: byte order mark). */
static void skip_mark(const char **text, size_t *n)
{
    static const char mark[] = "\xef\xbb\xbf";

    if (*n >= strlen(mark) && memcmp(*text, mark, strlen(mark)) == 0) {
        *text += strlen(mark);
        *n -= strlen(mark);
    }
}

static void parse_one(struct parser *p, const char *name, const char *text, size_t n)
{
    skip_mark(&text, &n);
    p->file = source_add(name, text, n);
    p->line = p->col = 1;
    if (n > FILE_SIZE_LIMIT) {
        error_at((struct loc){.file = p->file, .line = 1, .col = 1, .end_col = 1}, RULE_INPUT,
                 "this is too large to be a source file (more than 16 MiB)");
        return;
    }
    if (!is_clean(p->file, text, n))
        return;
    parse_with_grammar(p, text, n);
    attach_algebra(p);
}

void add_declaration(struct parser *p, struct node *declaration)
{
    if (!p->stopped)
        p->declarations = list_add(p->declarations, declaration);
}

struct node *parse_text(const char *name, const char *text, size_t n)
{
    struct parser p = {0};

    start_reading();
    parse_one(&p, name, text, n);
    return p.declarations.first;
}

/* -- files -- */

static void cannot_read(struct loc where, const char *path, const char *reason)
{
    error_at(where, RULE_INPUT, "cannot read '%s': %s", path, reason);
}

/* The index of the file among those read, or -1. */
static int find_read_file(const struct stat *st)
{
    for (int i = 0; i < reading.files.n; i++)
        if (reading.files.at[i].device == st->st_dev && reading.files.at[i].inode == st->st_ino)
            return i;
    return -1;
}

static bool is_being_read(const struct parser *p, int read_file)
{
    for (; p != NULL; p = p->includer)
        if (p->read_file == read_file)
            return true;
    return false;
}

static void note_includers(const struct parser *p)
{
    for (; p != NULL && p->includer != NULL; p = p->includer)
        note_at(p->included_at, "'%s' is included here", p->path);
}

static int include_depth(const struct parser *p)
{
    int depth = 0;

    for (; p != NULL; p = p->includer)
        depth++;
    return depth;
}

/* Reads `path` for `includer` (NULL: from the command line) and gives its declarations. */
static struct node_list read_path(const struct parser *includer, struct loc where, const char *path)
{
    struct parser p = {.path = path, .includer = includer, .included_at = where};
    struct text text = {0};
    struct stat st;
    int seen;

    if (stat(path, &st) != 0) {
        cannot_read(where, path, strerror(errno));
        return p.declarations;
    }
    if (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode)) {
        cannot_read(where, path, S_ISDIR(st.st_mode) ? strerror(EISDIR) : "it is not a file");
        return p.declarations;
    }
    seen = find_read_file(&st);
    if (seen >= 0) {
        if (is_being_read(includer, seen)) {
            error_at(where, RULE_INPUT, "'%s' includes itself", path);
            note_includers(includer);
        }
        return p.declarations;
    }
    if (include_depth(includer) >= INCLUDE_DEPTH_LIMIT) {
        error_at(where, RULE_INPUT, "more than %d files include one another", INCLUDE_DEPTH_LIMIT);
        return p.declarations;
    }
    if (!text_read_file(&text, path)) {
        cannot_read(where, path, strerror(errno));
        return p.declarations;
    }
    vec_push(&reading.files, ((struct read_file){path, st.st_dev, st.st_ino}));
    p.read_file = reading.files.n - 1;
    parse_one(&p, path, text.at, text.n);
    return p.declarations;
}

/* A relative name is relative to the file that includes it. */
static const char *path_beside(const char *path, const char *name)
{
    const char *slash = strrchr(path, '/');

    if (slash == NULL || name[0] == '/')
        return name;
    return mem_format("%.*s/%s", (int)(slash - path), path, name);
}

void parse_include(struct parser *p, struct loc where, const char *name)
{
    struct node_list included;

    if (p->stopped)
        return;
    if (p->path == NULL) {
        error_at(where, RULE_INPUT, "'include' works in files only");
        return;
    }
    included = read_path(p, where, path_beside(p->path, name));
    if (included.first == NULL)
        return;
    if (p->declarations.first == NULL)
        p->declarations.first = included.first;
    else
        p->declarations.last->next = included.first;
    p->declarations.last = included.last;
}

struct node *parse_file(const char *path)
{
    start_reading();
    return read_path(NULL, (struct loc){0}, mem_string(path)).first;
}
