/* output.c: writes, compares or prints texts.
 *
 * Takes texts that are complete; each file is replaced whole or left alone
 * (base/text.c), but what is the standard output is printed. No source is overwritten.
 * Every failure of the system is a message and STATUS_OUTPUT.
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

static bool is_source(const struct stat *st)
{
    for (int i = 0; i < parsed_file_count(); i++) {
        struct stat source;

        if (stat(parsed_file(i), &source) == 0 && source.st_dev == st->st_dev &&
            source.st_ino == st->st_ino)
            return true;
    }
    return false;
}

/* No file that was read, none twice (`kgen linux64 m.d m.def -MD`), no directory:
 * what can be known is found out before the first is written. */
static enum status check_path(const struct outputs *out, const char *dir, int n)
{
    const char *path = output_path(dir, out->files.at[n].name);
    struct stat st;

    for (int i = 0; i < n; i++)
        if (strcmp(path, output_path(dir, out->files.at[i].name)) == 0) {
            fprintf(stderr, "kgen: cannot write %s: two outputs have this name\n", path);
            return STATUS_OUTPUT;
        }
    if (stat(path, &st) != 0)
        return STATUS_DONE;
    if (S_ISDIR(st.st_mode))
        return cannot("write", path, EISDIR);
    if (S_ISREG(st.st_mode) && is_source(&st)) {
        fprintf(stderr, "kgen: cannot write %s: it is a source of what is written\n", path);
        return STATUS_OUTPUT;
    }
    return STATUS_DONE;
}

static enum status flush(FILE *stream)
{
    errno = 0;
    if (fflush(stream) != 0 || ferror(stream))
        return cannot("write to", stream == stdout ? "standard output" : "standard error",
                      errno ? errno : EIO);
    return STATUS_DONE;
}

static enum status print_to(FILE *stream, const struct text *t)
{
    if (t->n > 0)
        fwrite(t->at, 1, t->n, stream);
    return flush(stream);
}

/* `/dev/stdout`, or whatever leads to the same file: it goes there, behind what is
 * in it. A new file in its place would be one that nobody has open. */
static FILE *standard_stream(const char *path)
{
    FILE *const streams[] = {stdout, stderr};
    struct stat st, open;

    for (int i = 0; stat(path, &st) == 0 && i < COUNT(streams); i++)
        if (fstat(fileno(streams[i]), &open) == 0 && open.st_dev == st.st_dev &&
            open.st_ino == st.st_ino)
            return streams[i];
    return NULL;
}

static enum status write_output(const struct text *t, const char *path)
{
    FILE *const stream = standard_stream(path);
    enum write_result result;

    if (stream)
        return print_to(stream, t);
    result = text_write_file(t, path);
    if (result == WRITE_DONE)
        printf("wrote %s\n", path);
    return result == WRITE_FAILED ? STATUS_OUTPUT : STATUS_DONE;
}

enum status outputs_write(const struct outputs *out, const char *dir)
{
    if (dir && check_directory(dir) != STATUS_DONE)
        return STATUS_OUTPUT;
    for (int i = 0; i < out->files.n; i++)
        if (check_path(out, dir, i) != STATUS_DONE)
            return STATUS_OUTPUT;
    for (int i = 0; i < out->files.n; i++)
        if (write_output(&out->files.at[i].text, output_path(dir, out->files.at[i].name)) !=
            STATUS_DONE) {
            flush(stdout);
            return STATUS_OUTPUT;
        }
    return flush(stdout);
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
    return print_to(stdout, t);
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
