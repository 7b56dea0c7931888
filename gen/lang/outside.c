/* outside.c: names that others must be able to read.
 *
 * Takes what all modules declare, before elaboration. A module's name is the
 * beginning of its files' names, also on systems that take `a` and `A` for one,
 * and makes the guard of its header. Exports, their parameters, structs and
 * fields are names in that header, for C and for C++; exports are also symbols
 * in a text that the C preprocessor reads.
 */
#include <string.h>

#include "lang/elab.h"

enum { MODULE_NAME_LIMIT = 64 };

/* ISO C11 6.4.1; ISO C++20 5.11, with the alternative tokens; what <stddef.h> and
 * <stdint.h> define (C11 7.19, 7.20), which the header includes; and what
 * preprocessors define without underscores (GCC manual, 3.7.3). */
static const char *const words_of_c[] = {
    "auto", "break", "case", "char", "const", "continue", "default", "do", "double", "else",
    "enum", "extern", "float", "for", "goto", "if", "inline", "int", "long", "register",
    "restrict", "return", "short", "signed", "sizeof", "static", "struct", "switch", "typedef",
    "union", "unsigned", "void", "volatile", "while",

    "alignas", "alignof", "and", "and_eq", "asm", "bitand", "bitor", "bool", "catch", "char8_t",
    "char16_t", "char32_t", "class", "co_await", "co_return", "co_yield", "compl", "concept",
    "consteval", "constexpr", "constinit", "const_cast", "decltype", "delete", "dynamic_cast",
    "explicit", "export", "false", "friend", "mutable", "namespace", "new", "noexcept", "not",
    "not_eq", "nullptr", "operator", "or", "or_eq", "private", "protected", "public",
    "reinterpret_cast", "requires", "static_assert", "static_cast", "template", "this",
    "thread_local", "throw", "true", "try", "typeid", "typename", "using", "virtual", "wchar_t",
    "xor", "xor_eq",

    "NULL", "offsetof", "max_align_t", "ptrdiff_t", "size_t", "intmax_t", "intptr_t", "uintmax_t",
    "uintptr_t", "int8_t", "int16_t", "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t",
    "uint64_t", "SIZE_MAX", "PTRDIFF_MAX", "WCHAR_MAX", "WCHAR_MIN",

    "linux", "unix",
};

static bool is_word_of_c(const char *name)
{
    for (int i = 0; i < COUNT(words_of_c); i++)
        if (strcmp(words_of_c[i], name) == 0)
            return true;
    return false;
}

/* C11 7.1.3: `__` and `_A` begin names of compilers and systems. */
static bool is_reserved(const char *name)
{
    return name[0] == '_' && (name[1] == '_' || (name[1] >= 'A' && name[1] <= 'Z'));
}

static void check_name(const char *name, struct loc loc)
{
    if (is_word_of_c(name))
        error_at(loc, RULE_NAME, "'%s' has a meaning in C or C++, and is to be a name in the header",
                 name);
    else if (is_reserved(name))
        error_at(loc, RULE_NAME, "C reserves '%s' for compilers and systems", name);
}

static void check_entity(const struct entity *e)
{
    if (e->kind == ENTITY_STRUCT) {
        check_name(e->name, e->loc);
        for (const struct node *f = e->node->list; f != NULL && !e->node->is_extern; f = f->next)
            check_name(f->name, f->loc);
    }
    if (!is_export(e))
        return;
    check_name(e->name, e->loc);
    for (const struct param_node *p = e->node->function->params; p != NULL; p = p->next)
        check_name(p->name, p->loc);
}

/* -- modules -- */

static bool is_letter_or_digit(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool begins_file_names(const char *name)
{
    for (const char *c = name; *c; c++)
        if (!is_letter_or_digit(*c) && (c == name || strchr("-_.", *c) == NULL))
            return false;
    return name[0] != '\0' && strlen(name) <= MODULE_NAME_LIMIT;
}

static bool are_one_name(const char *a, const char *b)
{
    for (; *a && (*a | 0x20) == (*b | 0x20); a++, b++)
        ;
    return *a == *b;
}

static void check_module(struct unit *const *units, int n)
{
    const struct module *m = units[n]->module;

    if (!begins_file_names(m->name))
        error_at(m->loc, RULE_NAME,
                 "a module's name begins names of files: %d letters, digits, '-', '_' and '.' at "
                 "most, a letter or digit first", MODULE_NAME_LIMIT);
    for (int i = 0; i < n; i++) {
        const struct module *other = units[i]->module;

        if (!are_one_name(module_identifier(m), module_identifier(other)))
            continue;
        if (strcmp(m->name, other->name) == 0)
            error_at(m->loc, RULE_NAME, "module \"%s\" is declared twice", m->name);
        else
            error_at(m->loc, RULE_NAME, "modules \"%s\" and \"%s\" have the same header guard",
                     other->name, m->name);
        note_at(other->loc, "first declared here");
        return;
    }
}

void check_outside(struct unit *const *units, int n)
{
    for (int i = 0; i < n; i++) {
        check_module(units, i);
        for (int k = 0; k < units[i]->entities.n; k++)
            check_entity(units[i]->entities.at[k]);
    }
}
