/* commands.c: what each command does.
 *
 * One row a command, and the functions of those that have no file of their
 * own. Every command compiles into memory first: when anything is wrong with
 * the input, nothing is written at all.
 */
#include <stdio.h>
#include <string.h>

#include "tool/options.h"

enum { OPTIONS_OF_CORE = OPTION_TUNE | OPTION_UNFUSED | OPTION_EFFORT };
enum { ANY_OPTION_OF_GEN = OPTION_TARGET | OPTION_OUTPUT | OPTION_MODULE | OPTION_STYLE |
                           OPTIONS_OF_CORE | OPTION_CHECK | OPTION_DEPENDENCIES | OPTION_DUMP |
                           OPTION_VERIFY | OPTION_PREFIX };

/* -- compiling for a command -- */

static bool has_module(int modules, const char *path, const char *name)
{
    if (modules > 0)
        return true;
    if (name)
        fprintf(stderr, "kgen: %s has no module '%s'\n", path, name);
    else
        fprintf(stderr, "kgen: %s has no module\n", path);
    return false;
}

enum status compile_source(struct compilation *c, const struct command_line *line,
                           const char *path)
{
    struct node *decls = parse_file(path);

    if (!compile_program(c, decls, &line->compile))
        return STATUS_INPUT;
    return has_module(c->modules.n, path, line->compile.module) ? STATUS_DONE : STATUS_INPUT;
}

static const char default_source[] = "kernels.def";

void take_kernel(const struct command_line *line, const char **file, const char **kernel)
{
    const int n = line->operands.n;
    const char *first = n > 0 ? line->operands.at[0] : NULL;
    const size_t length = first ? strlen(first) : 0;
    const bool names_file = n > 1 || (length > 4 && strcmp(first + length - 4, ".def") == 0);

    *file = names_file ? first : default_source;
    *kernel = n > 1 ? line->operands.at[1] : names_file ? NULL : first;
}

static enum status finish(const struct outputs *out, const struct command_line *line)
{
    return line->check ? outputs_check(out, line->directory) : outputs_write(out, line->directory);
}

/* "kernels/bn.def" with ".d" gives "bn.d". */
static char *beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    const size_t n = dot && dot > base ? (size_t)(dot - base) : strlen(base);

    return mem_format("%s%s", mem_string_n(base, n), ending);
}

/* -- the commands -- */

static enum status run_dump(const struct command_line *line)
{
    struct text out = {0};
    struct node *decls = parse_file(line->operands.at[0]);
    const bool ok = dump_stage(&out, line->dump, decls, &line->compile);
    const enum status status = print_text(&out);

    return ok ? status : STATUS_INPUT;
}

static bool is_proved(const struct code_module *m, const struct module_text *texts, int count)
{
    return verify_module(m, texts, count, NULL);
}

static enum status write_outputs(const struct command_line *line)
{
    struct outputs out = {0};
    struct node *decls = parse_file(line->operands.at[0]);
    int modules = 0;

    if (!compile_modules(&out, decls, &line->compile, line->unverified ? NULL : is_proved, &modules) ||
        !has_module(modules, line->operands.at[0], line->compile.module))
        return STATUS_INPUT;
    if (line->dependencies)
        add_dependency_file(&out, line->directory, beside(line->operands.at[0], ".d"));
    return finish(&out, line);
}

static enum status run_gen(struct command_line *line)
{
    return line->dump ? run_dump(line) : write_outputs(line);
}

static enum status run_header(struct command_line *line)
{
    struct compilation c = {0};
    struct outputs out = {0};
    const enum status status = compile_source(&c, line, line->operands.at[0]);

    if (status != STATUS_DONE)
        return status;
    compile_headers(&out, &c, &line->compile);
    if (!line->directory && !line->check)
        return outputs_print(&out);
    return finish(&out, line);
}

/* The perlasm command line: a flavour, and the file to write. */
static enum status run_flavour(struct command_line *line)
{
    struct compilation c = {0};
    struct outputs out = {0};
    const char *path = line->operands.at[0];
    const char *source = line->operands.n > 1 ? line->operands.at[1] : default_source;
    struct output file = {.name = mem_string(path)};
    enum status status;

    line->compile.targets.n = 0;
    vec_push(&line->compile.targets, target_of_flavour(line->command->name));
    status = compile_source(&c, line, source);
    if (status != STATUS_DONE)
        return status;
    if (c.modules.n > 1)
        return usage_error("'kgen %s' writes one module: name it with '--module'",
                           line->command->name);
    if (!line->unverified && !verify_compilation(&c, &line->compile, NULL))
        return STATUS_INPUT;
    emit_module(&file.text, c.modules.at[0], line->compile.targets.at[0], line->compile.style);
    vec_push(&out.files, file);
    if (line->dependencies) {
        const char *slash = strrchr(path, '/');

        add_dependency_file(&out, NULL,
                            mem_format("%.*s%s", slash ? (int)(slash + 1 - path) : 0, path,
                                       beside(path, ".d")));
    }
    return finish(&out, line);
}

#define FLAVOUR(name, platform)                                                        \
    {name, "OUT.S [FILE.def]", "one module for " platform " (--module M)", 1, 2,       \
     OPTION_MODULE | OPTION_STYLE | OPTIONS_OF_CORE | OPTION_CHECK | OPTION_DEPENDENCIES | \
         OPTION_VERIFY | OPTION_PREFIX,                                                \
     run_flavour}

const struct command commands[] = {
    {"gen", "FILE.def", "write the assembly and the headers", 1, 1, ANY_OPTION_OF_GEN, run_gen},
    {"test", "FILE.def", "run the test blocks on the code of every platform", 1, 1,
     OPTION_TARGET | OPTION_MODULE | OPTION_STYLE | OPTIONS_OF_CORE, run_test},
    {"verify", "FILE.def", "prove the code equal to its source, and say what was proved", 1, 1,
     OPTION_TARGET | OPTION_MODULE | OPTION_STYLE | OPTIONS_OF_CORE | OPTION_TEXT | OPTION_PREFIX,
     run_verify},
    {"header", "FILE.def", "the headers only; without -o, print them", 1, 1,
     OPTION_OUTPUT | OPTION_MODULE | OPTION_STYLE | OPTIONS_OF_CORE | OPTION_CHECK | OPTION_PREFIX,
     run_header},
    {"cost", "[FILE.def] [KERNEL]", "cycles of every loop on every core, by the model", 0, 2,
     OPTION_MODULE | OPTIONS_OF_CORE | OPTION_CORE | OPTION_PAIRS | OPTION_FORM, run_cost},
    {"list", "[FILE.def] KERNEL", "the listing of a kernel: what it computes, and when", 1, 2,
     OPTION_MODULE | OPTIONS_OF_CORE | OPTION_CORE | OPTION_PAIRS, run_list},
    FLAVOUR("linux64", "Linux"),
    FLAVOUR("ios64", "Apple"),
    FLAVOUR("win64", "Windows"),
};
const int command_count = COUNT(commands);
