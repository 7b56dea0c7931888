/* output.c: writes, compares or prints texts.
 *
 * Takes texts that are complete; each file is replaced whole or left alone
 * (base/text.c). Every failure of the system is a message and STATUS_OUTPUT.
 */
#include "tool/output.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

char *output_path(const char *dir, const char *name)
{
    if (!dir)
        return mem_string(name);
    return mem_format("%s%s%s", dir, dir[strlen(dir) - 1] == '/' ? "" : "/", name);
}

static enum status cannot(const char *verb, const char *what, int reason)
{
    fprintf(stderr, "kgen: cannot %s %s: %s\n", verb, what, strerror(reason));
    return STATUS_OUTPUT;
}

/* Found out before the first file is written, not after half of them. */
static enum status check_directory(const char *dir)
{
    struct stat st;

    if (stat(dir, &st) != 0)
        return cannot("write to", dir, errno);
    if (!S_ISDIR(st.st_mode))
        return cannot("write to", dir, ENOTDIR);
    if (access(dir, W_OK | X_OK) != 0)
        return cannot("write to", dir, errno);
    return STATUS_DONE;
}

static enum status flush_stdout(void)
{
    errno = 0;
    if (fflush(stdout) != 0 || ferror(stdout))
        return cannot("write to", "standard output", errno ? errno : EIO);
    return STATUS_DONE;
}

enum status outputs_write(const struct outputs *out, const char *dir)
{
    if (dir && check_directory(dir) != STATUS_DONE)
        return STATUS_OUTPUT;
    for (int i = 0; i < out->files.n; i++) {
        const char *path = output_path(dir, out->files.at[i].name);

        switch (text_write_file(&out->files.at[i].text, path)) {
        case WRITE_FAILED:
            flush_stdout();
            return STATUS_OUTPUT;
        case WRITE_DONE:
            printf("wrote %s\n", path);
            break;
        case WRITE_UNCHANGED:
            break;
        }
    }
    return flush_stdout();
}

enum status outputs_check(const struct outputs *out, const char *dir)
{
    enum status status = STATUS_DONE;

    for (int i = 0; i < out->files.n; i++) {
        const char *path = output_path(dir, out->files.at[i].name);

        if (text_equals_file(&out->files.at[i].text, path))
            continue;
        fprintf(stderr, "kgen: %s is %s\n", path,
                access(path, F_OK) == 0 ? "stale" : "missing");
        status = STATUS_INPUT;
    }
    return status;
}

enum status print_text(const struct text *t)
{
    if (t->n > 0)
        fwrite(t->at, 1, t->n, stdout);
    return flush_stdout();
}

enum status outputs_print(const struct outputs *out)
{
    enum status status = STATUS_DONE;

    for (int i = 0; i < out->files.n && status == STATUS_DONE; i++)
        status = print_text(&out->files.at[i].text);
    return status;
}

/* A path as make reads it back (GNU make manual, 4.2 and 6.1). */
static void add_make_name(struct text *t, const char *path)
{
    for (const char *c = path; *c; c++) {
        if (*c == ' ' || *c == '#' || *c == '\\' || *c == ':')
            text_add(t, "\\");
        else if (*c == '$')
            text_add(t, "$");
        text_add_n(t, c, 1);
    }
}

void add_dependency_file(struct outputs *out, const char *dir, char *name)
{
    struct text t = {0};

    for (int i = 0; i < out->files.n; i++) {
        text_add(&t, i == 0 ? "" : " \\\n ");
        add_make_name(&t, output_path(dir, out->files.at[i].name));
    }
    text_add(&t, ":");
    for (int i = 0; i < parsed_file_count(); i++) {
        text_add(&t, " \\\n ");
        add_make_name(&t, parsed_file(i));
    }
    text_add(&t, "\n");
    /* A source that was removed is no reason to stop. */
    for (int i = 0; i < parsed_file_count(); i++) {
        text_add(&t, "\n");
        add_make_name(&t, parsed_file(i));
        text_add(&t, ":\n");
    }
    vec_push(&out->files, ((struct output){.name = name, .text = t}));
}
