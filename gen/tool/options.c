/* options.c: reads the command line by a table.
 *
 * One row an option: its names, its argument, its help, the commands that take
 * it, and where its value goes. `--name VALUE` and `--name=VALUE` are the same;
 * `--` ends the options. An unknown option, a missing or a wrong value is
 * refused with a reason: nothing is ignored.
 */
#include "tool/options.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum status usage_error(const char *fmt, ...)
{
    va_list args;

    fputs("kgen: ", stderr);
    va_start(args, fmt);
    vfprintf(stderr, fmt, args);
    va_end(args);
    fputs("\nkgen: 'kgen --help' shows how to use it\n", stderr);
    return STATUS_USAGE;
}

static bool refuse(const char *what, const char *value, const char *choices)
{
    usage_error("unknown %s '%s' (%s)", what, value, choices);
    return false;
}

/* -- where values go -- */

static void add_target(struct command_line *c, const struct target *t)
{
    for (int i = 0; i < c->compile.targets.n; i++)
        if (c->compile.targets.at[i] == t)
            return;
    vec_push(&c->compile.targets, t);
}

static bool set_targets(struct command_line *c, const char *value)
{
    struct text choices = {0};

    for (int i = 0; i < target_count(); i++)
        text_format(&choices, "%s%s", i == 0 ? "" : ", ", target_name(target_at(i)));
    c->compile.targets.n = 0;
    while (value) {
        const char *comma = strchr(value, ',');
        const char *name = comma ? mem_string_n(value, (size_t)(comma - value)) : value;
        const struct target *t = target_find(name);

        if (!t)
            return refuse("platform", name, choices.at);
        add_target(c, t);
        value = comma ? comma + 1 : NULL;
    }
    return true;
}

static bool set_directory(struct command_line *c, const char *value)
{
    if (!*value) {
        usage_error("'-o' needs the name of a directory");
        return false;
    }
    c->directory = value;
    return true;
}

static bool set_module(struct command_line *c, const char *value)
{
    c->compile.module = value;
    return true;
}

static bool set_prefix(struct command_line *c, const char *value)
{
    bool is_name = *value && !(value[0] >= '0' && value[0] <= '9');

    for (const char *p = value; *p; p++)
        is_name &= (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') ||
                   *p == '_';
    if (!is_name)
        usage_error("'%s' cannot begin a symbol", value);
    c->compile.prefix = value;
    return is_name;
}

static bool set_style(struct command_line *c, const char *value)
{
    struct text choices = {0};

    for (int i = 0; i < style_count(); i++)
        text_format(&choices, "%s%s", i == 0 ? "" : ", ", style_name(style_at(i)));
    c->compile.style = style_find(value);
    return c->compile.style || refuse("style", value, choices.at);
}

static const struct core *named_core(const char *value)
{
    struct text choices = {0};
    const struct core *core = core_find(value);

    for (int i = 0; i < core_count(); i++)
        text_format(&choices, "%s%s", i == 0 ? "" : ", ", core_at(i)->name);
    if (!core)
        refuse("core", value, choices.at);
    return core;
}

static bool set_tune(struct command_line *c, const char *value)
{
    c->compile.core = named_core(value);
    return c->compile.core;
}

static bool set_core(struct command_line *c, const char *value)
{
    c->core = named_core(value);
    return c->core;
}

static bool set_pairs(struct command_line *c, const char *value)
{
    (void)value;
    c->pairs = true;
    return true;
}

static bool set_lines(struct command_line *c, const char *value)
{
    (void)value;
    c->form = FORM_LINES;
    return true;
}

static bool set_mca(struct command_line *c, const char *value)
{
    (void)value;
    c->form = FORM_MCA;
    return true;
}

enum { MOST_EFFORT = 10000 };

static bool set_effort(struct command_line *c, const char *value)
{
    int n = 0;

    for (const char *p = value; *p >= '0' && *p <= '9' && n <= MOST_EFFORT; p++)
        n = value[0] == '0' ? MOST_EFFORT + 1 : n * 10 + (*p - '0');
    if (n == 0 || n > MOST_EFFORT || value[strspn(value, "0123456789")] != '\0') {
        usage_error("'%s' is no effort (1 to %d)", value, MOST_EFFORT);
        return false;
    }
    c->compile.effort = n;
    return true;
}

static bool set_unfused(struct command_line *c, const char *value)
{
    (void)value;
    c->compile.unfused = true;
    return true;
}

static bool set_dump(struct command_line *c, const char *value)
{
    struct text choices = {0};

    dump_names(&choices);
    c->dump = dump_find(value);
    return c->dump || refuse("stage", value, choices.at);
}

static bool set_check(struct command_line *c, const char *value)
{
    (void)value;
    c->check = true;
    return true;
}

static bool set_dependencies(struct command_line *c, const char *value)
{
    (void)value;
    c->dependencies = true;
    return true;
}

static bool set_unverified(struct command_line *c, const char *value)
{
    (void)value;
    c->unverified = true;
    return true;
}

static bool set_text(struct command_line *c, const char *value)
{
    c->text = value;
    return true;
}

/* -- the table -- */

struct option {
    const char *name, *other_name;
    const char *argument;           /* NULL: takes none */
    const char *help;
    enum option_bit bit;
    bool (*set)(struct command_line *, const char *value);
};

static const struct option options[] = {
    {"-t", "--target", "linux,apple,windows", "the platforms to write for (all)",
     OPTION_TARGET, set_targets},
    {"-o", "--output", "DIR", "the directory to write to (the current one)",
     OPTION_OUTPUT, set_directory},
    {"--module", NULL, "M", "only the module M", OPTION_MODULE, set_module},
    {"--style", NULL, "S", "plain, boringssl or openssl: what wraps the file (plain)",
     OPTION_STYLE, set_style},
    {"--prefix", NULL, "P", "every symbol begins with P, in the headers as well",
     OPTION_PREFIX, set_prefix},
    {"--tune", NULL, "CORE", "schedule every kernel for CORE, whatever the source says",
     OPTION_TUNE, set_tune},
    {"--effort", NULL, "N", "search N times as long for quick orders (1)",
     OPTION_EFFORT, set_effort},
    {"--unfused", NULL, NULL, "schedule as if no core joined pairs of instructions",
     OPTION_UNFUSED, set_unfused},
    {"--core", NULL, "CORE", "run the model of CORE (cost: of every core; list: of the tune)",
     OPTION_CORE, set_core},
    {"--pairs", NULL, NULL, "count aese and aesmc as one where the core joins them",
     OPTION_PAIRS, set_pairs},
    {"--lines", NULL, NULL, "a line a loop and core, separated by tabs", OPTION_FORM, set_lines},
    {"--mca", NULL, NULL, "the loops as regions for llvm-mca", OPTION_FORM, set_mca},
    {"--check", NULL, NULL, "write nothing; exit 1 when a file is not up to date",
     OPTION_CHECK, set_check},
    {"-MD", NULL, NULL, "write a dependency file for make as well",
     OPTION_DEPENDENCIES, set_dependencies},
    {"--dump", NULL, "STAGE", "write nothing; print what STAGE made",
     OPTION_DUMP, set_dump},
    {"--no-verify", NULL, NULL, "write what was not proved equal to its source",
     OPTION_VERIFY, set_unverified},
    {"--text", NULL, "OUT.S", "prove this file, and compare it with what gen writes",
     OPTION_TEXT, set_text},
};

static const struct option *option_find(const char *name, size_t n)
{
    for (int i = 0; i < COUNT(options); i++) {
        const struct option *o = &options[i];

        if ((strlen(o->name) == n && memcmp(o->name, name, n) == 0) ||
            (o->other_name && strlen(o->other_name) == n && memcmp(o->other_name, name, n) == 0))
            return o;
    }
    return NULL;
}

/* Reads argv[*at] and perhaps the value after it. */
static bool read_option(struct command_line *c, uint32_t *given, char **argv, int argc, int *at)
{
    const char *word = argv[*at];
    const char *equals = strchr(word, '=');
    const size_t n = equals ? (size_t)(equals - word) : strlen(word);
    const struct option *o = option_find(word, n);
    const char *value = equals ? equals + 1 : NULL;

    if (!o) {
        usage_error("unknown option '%s'", word);
        return false;
    }
    if (!o->argument && value) {
        usage_error("'%s' takes no value", o->name);
        return false;
    }
    if (o->argument && !value && ++*at == argc) {
        usage_error("'%s' needs a value: %s", o->name, o->argument);
        return false;
    }
    *given |= o->bit;
    return o->set(c, o->argument && !value ? argv[*at] : value);
}

static bool check_options(const struct command_line *c, uint32_t given)
{
    for (int i = 0; i < COUNT(options); i++)
        if ((given & options[i].bit) && !(c->command->options & options[i].bit)) {
            usage_error("'kgen %s' does not take '%s'", c->command->name, options[i].name);
            return false;
        }
    if (c->operands.n < c->command->operand_min || c->operands.n > c->command->operand_max) {
        usage_error("'kgen %s' takes %s", c->command->name, c->command->operands);
        return false;
    }
    if (c->check && (c->dump || c->dependencies)) {
        usage_error("'--check' writes nothing: '%s' has no meaning beside it",
                    c->dump ? "--dump" : "-MD");
        return false;
    }
    return true;
}

static void find_command(struct command_line *c)
{
    c->command = &commands[0];
    for (int i = 0; i < command_count && c->operands.n > 0; i++)
        if (strcmp(commands[i].name, c->operands.at[0]) == 0) {
            c->command = &commands[i];
            c->operands.n--;
            memmove(c->operands.at, c->operands.at + 1,
                    sizeof *c->operands.at * (size_t)c->operands.n);
            return;
        }
}

static void set_defaults(struct command_line *c)
{
    c->compile.style = style_find("plain");
    for (int i = 0; i < target_count(); i++)
        vec_push(&c->compile.targets, target_at(i));
}

bool read_command_line(struct command_line *c, int argc, char **argv)
{
    uint32_t given = 0;
    bool options_end = false;

    set_defaults(c);
    for (int i = 1; i < argc; i++) {
        const char *word = argv[i];

        if (options_end || word[0] != '-' || !word[1])
            vec_push(&c->operands, word);
        else if (strcmp(word, "--") == 0)
            options_end = true;
        else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
            c->ask = ASK_HELP;
        else if (strcmp(word, "--version") == 0)
            c->ask = ASK_VERSION;
        else if (!read_option(c, &given, argv, argc, &i))
            return false;
        if (c->ask != ASK_NOTHING)
            return true;
    }
    find_command(c);
    return check_options(c, given);
}

void add_help(struct text *out)
{
    text_add(out, "kgen compiles kernel descriptions to AArch64 assembly.\n\n");
    for (int i = 0; i < command_count; i++) {
        text_format(out, "  kgen %s %s", commands[i].name, commands[i].operands);
        text_column(out, 36);
        text_format(out, "%s\n", commands[i].help);
    }
    text_format(out, "\n'kgen FILE.def' is 'kgen %s FILE.def'.\n\n", commands[0].name);
    for (int i = 0; i < COUNT(options); i++) {
        text_format(out, "  %s%s%s", options[i].name, options[i].argument ? " " : "",
                    options[i].argument ? options[i].argument : "");
        text_column(out, 28);
        text_format(out, "%s\n", options[i].help);
    }
    text_add(out, "  --help, --version\n\nStages for --dump: ");
    dump_names(out);
    text_add(out, "\n\nExit status: 0 done, 1 the input is wrong or a file stale,\n"
                  "2 the command line is wrong, 3 an output could not be written.\n");
}
