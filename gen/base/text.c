/* text.c: texts in memory, and files that are written whole or not at all.
 *
 * A text grows in the arena. Writing goes to a new file beside the wanted one,
 * which then takes its name, so that a reader or a broken run never sees half
 * a file; a symbolic link is replaced, not followed. Something that is not a
 * regular file (a pipe, a device) cannot be replaced and is written in place.
 *
 * Does not: decide what to do about a failure. It prints the reason, leaves
 * nothing behind, and returns.
 */
#include "base/text.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

enum { FIRST_CAPACITY = 256, TAB_WIDTH = 8, TRIES_FOR_A_NAME = 100 };

/* -- building -- */

static void text_reserve(struct text *t, size_t more)
{
    size_t cap;

    if (more < t->cap - t->n)
        return;
    assert(more < SIZE_MAX / 4 && t->n < SIZE_MAX / 4);
    cap = t->cap == 0 ? FIRST_CAPACITY : t->cap * 2;
    if (cap < t->n + more + 1)
        cap = t->n + more + 1;
    t->at = mem_grow(t->at, t->cap, cap);
    t->cap = cap;
}

char *text_room(struct text *t, size_t n)
{
    text_reserve(t, n);
    return t->at + t->n;
}

void text_end(struct text *t, char *end)
{
    assert(end >= t->at + t->n && end < t->at + t->cap);
    *end = '\0';
    t->n = (size_t)(end - t->at);
}

void text_add_n(struct text *t, const char *s, size_t n)
{
    text_reserve(t, n);
    if (n != 0)
        memcpy(t->at + t->n, s, n);
    t->n += n;
    t->at[t->n] = '\0';
}

void text_add(struct text *t, const char *s)
{
    text_add_n(t, s, strlen(s));
}

void text_add_number(struct text *t, int64_t n)
{
    char digits[20];
    int at = sizeof digits;
    uint64_t rest = n < 0 ? -(uint64_t)n : (uint64_t)n;

    do
        digits[--at] = (char)('0' + rest % 10);
    while ((rest /= 10) != 0);
    if (n < 0)
        digits[--at] = '-';
    text_add_n(t, digits + at, sizeof digits - (size_t)at);
}

void text_add_hex(struct text *t, uint64_t n)
{
    char digits[18];
    int at = sizeof digits;

    do
        digits[--at] = "0123456789abcdef"[n % 16];
    while ((n /= 16) != 0);
    digits[--at] = 'x';
    digits[--at] = '0';
    text_add_n(t, digits + at, sizeof digits - (size_t)at);
}

void text_format(struct text *t, const char *fmt, ...)
{
    va_list args, again;
    size_t room;
    int n;

    assert(fmt != NULL);
    text_reserve(t, 0);
    room = t->cap - t->n;
    va_start(args, fmt);
    va_copy(again, args);
    n = vsnprintf(t->at + t->n, room, fmt, args);
    va_end(args);
    assert(n >= 0);
    if ((size_t)n >= room) {
        text_reserve(t, (size_t)n);
        vsnprintf(t->at + t->n, (size_t)n + 1, fmt, again);
    }
    va_end(again);
    t->n += (size_t)n;
}

void text_column(struct text *t, int column)
{
    size_t start = t->n;
    int at = 0, spaces;

    while (start > 0 && t->at[start - 1] != '\n')
        start--;
    for (size_t i = start; i < t->n; i++)
        at = t->at[i] == '\t' ? (at / TAB_WIDTH + 1) * TAB_WIDTH : at + 1;
    spaces = at < column ? column - at : 1;
    text_reserve(t, (size_t)spaces);
    memset(t->at + t->n, ' ', (size_t)spaces);
    t->n += (size_t)spaces;
    t->at[t->n] = '\0';
}

/* -- UTF-8 -- */

bool utf8_is_continuation(char c)
{
    return ((unsigned char)c & 0xC0) == 0x80;
}

/* RFC 3629, section 4; overlong forms and surrogates show in the first two bytes. */
size_t utf8_length(const char *s, size_t n)
{
    const unsigned char c = (unsigned char)s[0];
    const unsigned char second = n > 1 ? (unsigned char)s[1] : 0;
    size_t length;

    if (c < 0x80)
        return 1;
    length = c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
    if (c < 0xC2 || c > 0xF4 || length > n)
        return 0;
    for (size_t i = 1; i < length; i++)
        if (!utf8_is_continuation(s[i]))
            return 0;
    if ((c == 0xE0 && second < 0xA0) || (c == 0xED && second > 0x9F) ||
        (c == 0xF0 && second < 0x90) || (c == 0xF4 && second > 0x8F))
        return 0;
    return length;
}

/* -- reading -- */

static ssize_t read_some(int fd, char *buffer, size_t n)
{
    ssize_t got;

    do
        got = read(fd, buffer, n);
    while (got < 0 && errno == EINTR);
    return got;
}

bool text_read_file(struct text *t, const char *path)
{
    const int fd = open(path, O_RDONLY);
    char buffer[16384];
    ssize_t got;
    int reason;

    if (fd < 0)
        return false;
    while ((got = read_some(fd, buffer, sizeof buffer)) > 0)
        text_add_n(t, buffer, (size_t)got);
    reason = errno;
    close(fd);
    errno = reason;
    if (got == 0)
        text_add_n(t, "", 0);       /* an empty file still gives a NUL-terminated text */
    return got == 0;
}

bool text_equals_file(const struct text *t, const char *path)
{
    const int fd = open(path, O_RDONLY);
    char buffer[16384];
    struct stat st;
    size_t seen = 0;
    ssize_t got = -1;

    if (fd < 0)
        return false;
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && (uintmax_t)st.st_size == t->n) {
        while ((got = read_some(fd, buffer, sizeof buffer)) > 0) {
            const size_t n = (size_t)got;

            if (n > t->n - seen || memcmp(buffer, t->at + seen, n) != 0)
                break;
            seen += n;
        }
    }
    close(fd);
    return got == 0 && seen == t->n;
}

/* -- writing -- */

static bool write_all(int fd, const struct text *t)
{
    size_t done = 0;

    while (done < t->n) {
        const ssize_t n = write(fd, t->at + done, t->n - done);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

/* Writes and closes, whatever happens; false and errno when either failed. */
static bool write_and_close(int fd, const struct text *t)
{
    const bool written = write_all(fd, t);
    const int reason = errno;
    const bool closed = close(fd) == 0;

    if (!written)
        errno = reason;
    return written && closed;
}

static enum write_result failed(const char *path, int reason)
{
    fprintf(stderr, "kgen: cannot write %s: %s\n", path, strerror(reason));
    return WRITE_FAILED;
}

/* A new file beside `path`, which nobody else has open. */
static int open_beside(const char *path, const char **name)
{
    int fd = -1;

    for (int i = 0; i < TRIES_FOR_A_NAME; i++) {
        *name = mem_format("%s.%ld-%d.tmp", path, (long)getpid(), i);
        fd = open(*name, O_WRONLY | O_CREAT | O_EXCL, 0666);
        if (fd >= 0 || errno != EEXIST)
            break;
    }
    return fd;
}

enum write_result text_write_file(const struct text *t, const char *path)
{
    struct stat st;
    const bool exists = stat(path, &st) == 0;
    const char *beside;
    int fd;

    if (exists && !S_ISREG(st.st_mode)) {
        fd = open(path, O_WRONLY);
        return fd >= 0 && write_and_close(fd, t) ? WRITE_DONE : failed(path, errno);
    }
    if (text_equals_file(t, path))
        return WRITE_UNCHANGED;

    fd = open_beside(path, &beside);
    if (fd < 0)
        return failed(path, errno);
    /* The file keeps the permissions that it has. */
    if ((exists && fchmod(fd, st.st_mode & 07777) != 0) || !write_and_close(fd, t) ||
        rename(beside, path) != 0) {
        const int reason = errno;

        unlink(beside);
        return failed(path, reason);
    }
    return WRITE_DONE;
}
