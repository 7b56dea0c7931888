/* read.c: one instruction from its text.
 *
 * Takes a line as insn_print() writes it, surrounded and its mnemonic followed
 * by any blanks, and finds the row whose template it matches. Gives the
 * instruction, or what is wrong.
 *
 * Holds: what is read prints back to the same mnemonic and operands, so an
 * alias, a superfluous "#0", an upper-case letter or a leading zero is refused.
 * Does not: know any single instruction; everything comes from the templates.
 */
#include "isa/isa.h"
#include "isa/spell.h"

#include <assert.h>
#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { MAX_LINE = 200 };

static char message[2 * MAX_LINE + 100];

static bool is_name_char(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == '$';
}

/* -- operands; each gives the place behind what it read, or NULL -- */

static const char *read_number(const char *p, bool hex, uint64_t *out)
{
    uint64_t n = 0;
    const char *start = p;
    for (; hex ? isxdigit((unsigned char)*p) : isdigit((unsigned char)*p); p++) {
        uint64_t digit = (uint64_t)(isdigit((unsigned char)*p) ? *p - '0'
                                                               : tolower((unsigned char)*p) - 'a' + 10);
        uint64_t base = hex ? 16 : 10;
        if (n > (UINT64_MAX - digit) / base)
            return NULL;
        n = n * base + digit;
    }
    *out = n;
    return p == start ? NULL : p;
}

static const char *read_imm(const char *p, enum imm_range range, int64_t *out)
{
    uint64_t n;
    if (imm_is_pattern(range)) {
        if (p[0] != '0' || p[1] != 'x')
            return NULL;
        p = read_number(p + 2, true, &n);
        *out = (int64_t)n;
        return p;
    }
    bool negative = *p == '-';
    p = read_number(p + negative, false, &n);
    if (p == NULL || n > (uint64_t)1 << 32)
        return NULL;
    *out = (int64_t)(n << imm_printed_shift(range)) * (negative ? -1 : 1);
    return p;
}

static const char *read_register(const char *p, enum operand_kind kind, reg_number *out)
{
    const struct register_spelling *spelling = &register_spellings[kind];
    if (spelling->number_31 != NULL) {
        size_t n = strlen(spelling->number_31);
        if (strncmp(p, spelling->number_31, n) == 0 && !is_name_char(p[n])) {
            *out = 31;
            return p + n;
        }
    }
    uint64_t number;
    if (*p != spelling->prefix[0] || (p = read_number(p + 1, false, &number)) == NULL)
        return NULL;
    size_t n = strlen(spelling->suffix);
    if (number > 31 || (number == 31 && spelling->number_31 != NULL)
        || strncmp(p, spelling->suffix, n) != 0 || is_name_char(p[n]))
        return NULL;
    *out = (reg_number)number;
    return p + n;
}

static const char *read_condition(const char *p, int64_t *out)
{
    for (int c = 0; c < COUNT(cond_names); c++) {
        if (strncmp(p, cond_names[c], 2) == 0 && !is_name_char(p[2])) {
            *out = c;
            return p + 2;
        }
    }
    return NULL;
}

/* A word that an assembler may take for a register is not a name: sp, lr, x31. */
static bool is_register_name(const char *p)
{
    static const char *const names[] = { "sp", "wsp", "xzr", "wzr", "fp", "lr", "ip0", "ip1" };
    for (int i = 0; i < COUNT(names); i++)
        if (strncmp(p, names[i], strlen(names[i])) == 0 && !is_name_char(p[strlen(names[i])]))
            return true;
    size_t digits = isalpha((unsigned char)p[0]) ? strspn(p + 1, "0123456789") : 0;
    return digits != 0 && (!is_name_char(p[1 + digits]) || p[1 + digits] == '.');
}

/* A label; a symbol may carry ':' in front (":lo12:t") and '@' ("t@PAGE"). */
static const char *read_name(const char *p, enum operand_kind kind, const char **out)
{
    const char *start = p;
    if (isdigit((unsigned char)*p) || is_register_name(p))
        return NULL;
    while (is_name_char(*p) || (kind == OP_SYMBOL && (*p == ':' || *p == '@')))
        p++;
    if (p == start)
        return NULL;
    *out = mem_string_n(start, (size_t)(p - start));
    return p;
}

static const char *read_operand(const char *p, const struct operand_spec *spec,
                                struct phys_operand *op)
{
    switch (spec->kind) {
    case OP_IMM:
        return read_imm(p, spec->range, &op->imm);
    case OP_COND:
        return read_condition(p, &op->imm);
    case OP_LABEL:
    case OP_SYMBOL:
        return read_name(p, spec->kind, &op->name);
    default:
        return read_register(p, spec->kind, &op->reg);
    }
}

/* -- templates -- */

/* Matches template characters up to END against P; NULL when they differ. */
static const char *match_until(const struct insn_row *row, const char **template, char end,
                               const char *p, struct phys_insn *insn)
{
    const char *t = *template;
    for (; *t != end; t++) {
        if (*t == '%') {
            int n = *++t - '0';
            p = read_operand(p, &row->op[n], &insn->op[n]);
            if (p == NULL)
                return NULL;
        } else if (*t == '<') {
            const char *inside = t + 1;
            const char *behind = match_until(row, &inside, '>', p, insn);
            if (behind != NULL)
                p = behind;
            while (*t != '>')
                t++;
        } else if (*p == *t) {
            p++;
        } else {
            return NULL;
        }
    }
    *template = t;
    return p;
}

static bool match(const struct insn_row *row, const char *line, struct phys_insn *insn)
{
    const char *template = row->print;
    const char *end = match_until(row, &template, '\0', line, insn);
    return end != NULL && *end == '\0';
}

/* -- the line -- */

/* Copies TEXT to LINE with one tab behind the mnemonic and no blanks around. */
static bool normalise(const char *text, char *line)
{
    while (isblank((unsigned char)*text))
        text++;
    size_t n = strlen(text);
    while (n > 0 && isblank((unsigned char)text[n - 1]))
        n--;
    if (n >= MAX_LINE)
        return false;
    size_t mnemonic = 0;
    while (mnemonic < n && !isblank((unsigned char)text[mnemonic]))
        mnemonic++;
    size_t operands = mnemonic;
    while (operands < n && isblank((unsigned char)text[operands]))
        operands++;
    memcpy(line, text, mnemonic);
    if (operands < n)
        line[mnemonic++] = '\t';
    memcpy(line + mnemonic, text + operands, n - operands);
    line[mnemonic + n - operands] = '\0';
    return true;
}

static int candidates(const char *line, const enum insn **first)
{
    char mnemonic[MAX_LINE];
    size_t n = strcspn(line, "\t");
    memcpy(mnemonic, line, n);
    mnemonic[n] = '\0';
    if (strncmp(mnemonic, "b.", 2) == 0)
        return insns_by_mnemonic("b.cond", first);
    return insns_by_mnemonic(mnemonic, first);
}

static bool prints_as(const struct phys_insn *insn, const char *line)
{
    const struct mem_mark mark = mem_mark();
    struct text printed = { 0 };
    insn_print(&printed, insn);
    const bool same = strcmp(printed.at, line) == 0;
    mem_release_to(mark);
    return same;
}

const char *insn_read(const char *text, struct phys_insn *insn)
{
    char line[MAX_LINE];
    if (!normalise(text, line))
        return "too long for an instruction";
    const enum insn *row;
    int n = candidates(line, &row);
    if (n == 0) {
        snprintf(message, sizeof message, "no instruction '%.*s'", (int)strcspn(line, "\t"), line);
        return message;
    }
    const char *wrong = NULL;
    for (int i = 0; i < n; i++) {
        struct phys_insn candidate = { .insn = row[i] };
        if (!match(&insns[row[i]], line, &candidate))
            continue;
        const char *complaint = insn_complaint(&candidate);
        if (complaint != NULL) {
            wrong = complaint;
        } else if (!prints_as(&candidate, line)) {
            wrong = "not the canonical spelling";
        } else {
            *insn = candidate;
            return NULL;
        }
    }
    if (wrong == NULL) {
        snprintf(message, sizeof message, "no form of '%s' has the operands '%s'",
                 insns[row[0]].mnemonic, line + strcspn(line, "\t") + (strchr(line, '\t') != NULL));
        wrong = message;
    }
    return wrong;
}
