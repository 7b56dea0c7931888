/* text_read.c: see text_read.h.
 *
 * Takes the characters of one assembly file. A line is a preprocessor line, a
 * label, a directive, a macro of the style's header, or an instruction; a
 * comment runs from // to the end. Gives linked code and the read-only bytes.
 *
 * Does not: know platforms. Directives of all of them are one table, which
 * says which carry data and which only describe.
 */
#include "verify/text_read.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_NESTING = 16 };

struct reader {
    struct emitted *out;
    bool in_text, in_note;      /* what the section that is open holds; else read-only data */
    bool skipped[MAX_NESTING];  /* conditions that are open: is their text skipped? */
    int depth;
    const char *next_line;      /* the text after this line: a condition looks at it */
};

static void complain(struct reader *r, const char *what, const char *line)
{
    if (!r->out->complaint)
        r->out->complaint = mem_format("%s: '%s'", what, line);
}

/* -- directives -- */

typedef void directive_fn(struct reader *r, const char *operands);

static void add_value(struct reader *r, uint64_t v, int bytes)
{
    if (r->in_text)
        complain(r, "data in the text section", "");
    for (int i = 0; i < bytes && !r->in_note; i++)
        vec_push(&r->out->bytes, (uint8_t)(v >> (8 * i)));
}

static void add_values(struct reader *r, const char *operands, int bytes)
{
    while (*operands) {
        char *end;
        uint64_t v = strtoull(operands, &end, 0);
        if (end == operands || (bytes < 8 && v >> (8 * bytes)))
            complain(r, "not a list of numbers", operands);
        if (end == operands)
            return;
        add_value(r, v, bytes);
        operands = end + strspn(end, ", \t");
    }
}

static void on_byte(struct reader *r, const char *operands) { add_values(r, operands, 1); }
static void on_hword(struct reader *r, const char *operands) { add_values(r, operands, 2); }
static void on_long(struct reader *r, const char *operands) { add_values(r, operands, 4); }
static void on_quad(struct reader *r, const char *operands) { add_values(r, operands, 8); }

static void on_zero(struct reader *r, const char *operands)
{
    for (unsigned long n = strtoul(operands, NULL, 0); n > 0; n--)
        add_value(r, 0, 1);
}

static void align_to(struct reader *r, uint64_t align)
{
    if (r->in_text || r->in_note || align == 0)
        return;
    while ((uint64_t)r->out->bytes.n % align)
        add_value(r, 0, 1);
    if (align > r->out->align)
        r->out->align = align;
}

static void on_p2align(struct reader *r, const char *operands)
{
    align_to(r, 1ull << (strtoul(operands, NULL, 0) & 15));
}

static void on_balign(struct reader *r, const char *operands)
{
    align_to(r, strtoull(operands, NULL, 0));
}

static void on_text(struct reader *r, const char *operands)
{
    (void)operands;
    r->in_text = true;
    r->in_note = false;
}

static void on_section(struct reader *r, const char *operands)
{
    r->in_text = strncmp(operands, ".text", 5) == 0 || strncmp(operands, "__TEXT,__text", 13) == 0;
    r->in_note = strncmp(operands, ".note.", 6) == 0;
}

static void on_description(struct reader *r, const char *operands) { (void)r, (void)operands; }

static const struct directive { const char *name; directive_fn *read; } directives[] = {
    { ".byte", on_byte },       { ".hword", on_hword },   { ".long", on_long },
    { ".word", on_long },       { ".quad", on_quad },     { ".xword", on_quad },
    { ".zero", on_zero },       { ".space", on_zero },    { ".p2align", on_p2align },
    { ".balign", on_balign },   { ".align", on_p2align }, { ".text", on_text },
    { ".section", on_section },
    { ".arch", on_description },          { ".arch_extension", on_description },
    { ".globl", on_description },         { ".hidden", on_description },
    { ".private_extern", on_description },{ ".type", on_description },
    { ".size", on_description },          { ".def", on_description },
    { ".scl", on_description },           { ".endef", on_description },
    { ".alt_entry", on_description },     { ".subsections_via_symbols", on_description },
    { ".build_version", on_description },
};

static void read_directive(struct reader *r, char *line)
{
    size_t n = strcspn(line, " \t");
    const char *operands = line + n + strspn(line + n, " \t");
    bool describes = strncmp(line, ".cfi_", 5) == 0 || strncmp(line, ".seh_", 5) == 0;
    for (int i = 0; i < COUNT(directives); i++)
        if (strlen(directives[i].name) == n && strncmp(directives[i].name, line, n) == 0) {
            directives[i].read(r, operands);
            return;
        }
    if (!describes)
        complain(r, "a directive that kgen does not write", line);
}

/* -- conditions -- */

static bool is_skipped(const struct reader *r)
{
    for (int i = 0; i < r->depth; i++)
        if (r->skipped[i])
            return true;
    return false;
}

/* Hardening has other spellings than its mnemonics: hints by number (Arm ARM
 * C6.2.120), and the macros of the libraries' headers. */
static const struct { const char *spelled, *insn; } hardening[] = {
    { "hint\t#34", "bti\tc" },
    { "hint\t#25", "paciasp" },
    { "hint\t#27", "pacibsp" },
    { "hint\t#29", "autiasp" },
    { "hint\t#31", "autibsp" },
    { "AARCH64_VALID_CALL_TARGET", "bti\tc" },
    { "AARCH64_SIGN_LINK_REGISTER", "paciasp" },
    { "AARCH64_VALIDATE_LINK_REGISTER", "autiasp" },
};

static void read_condition(struct reader *r, const char *line)
{
    const char *word = line + 1 + strspn(line + 1, " \t");
    if (strncmp(word, "if", 2) == 0) {
        const char *next = r->next_line + strspn(r->next_line, " \t");
        if (r->depth == MAX_NESTING)
            complain(r, "conditions nested too deeply", line);
        else
            r->skipped[r->depth++] = next[0] == '#' && strncmp(next + 1 + strspn(next + 1, " \t"), "error", 5) == 0;
    } else if (strncmp(word, "el", 2) == 0 && r->depth > 0) {
        r->skipped[r->depth - 1] = !r->skipped[r->depth - 1];
    } else if (strncmp(word, "endif", 5) == 0 && r->depth > 0) {
        r->depth--;
    }
}

/* -- lines -- */

static void add_label(struct reader *r, const char *name)
{
    if (r->in_text)
        code_add_label(&r->out->code, name);
    else if (!r->in_note)
        vec_push(&r->out->objects, ((struct text_object){ name, (uint64_t)r->out->bytes.n }));
}

static void read_insn(struct reader *r, const char *line)
{
    struct phys_insn insn;
    const char *wrong = insn_read(line, &insn);
    if (wrong)
        complain(r, wrong, line);
    else if (!r->in_text)
        complain(r, "an instruction outside the text section", line);
    else
        code_add(&r->out->code, &insn, r->out->line);
}

static void read_statement(struct reader *r, char *line)
{
    size_t n = strlen(line);
    for (int i = 0; i < COUNT(hardening); i++)
        if (strcmp(line, hardening[i].spelled) == 0) {
            read_insn(r, hardening[i].insn);
            return;
        }
    if (line[n - 1] == ':' && !strpbrk(line, " \t"))
        add_label(r, mem_string_n(line, n - 1));
    else if (line[0] == '.')
        read_directive(r, line);
    else
        read_insn(r, line);
}

/* The line without its comment and the space around it. */
static char *strip(const char *line, size_t n)
{
    char *s = mem_string_n(line, n), *comment = strstr(s, "//");
    if (comment)
        *comment = '\0';
    s += strspn(s, " \t");
    for (n = strlen(s); n > 0 && isspace((unsigned char)s[n - 1]); n--)
        s[n - 1] = '\0';
    return s;
}

static int count_lines(const char *text, size_t n)
{
    int lines = 1;
    for (size_t i = 0; i < n; i++)
        lines += text[i] == '\n';
    return lines;
}

struct emitted text_read(const char *text, size_t n)
{
    struct emitted out = { .align = 1 };
    code_expect(&out.code, count_lines(text, n));
    struct reader r = { .out = &out, .in_text = true };
    const char *end = text + n;
    while (text < end && !out.complaint) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = newline ? (size_t)(newline - text) : (size_t)(end - text);
        char *line = strip(text, length);
        text += length + (newline != NULL);
        r.next_line = text < end ? text : "";
        out.line++;
        if (line[0] == '#')
            read_condition(&r, line);
        else if (line[0] && !is_skipped(&r))
            read_statement(&r, line);
    }
    if (!out.complaint)
        out.complaint = code_link(&out.code);
    return out;
}
