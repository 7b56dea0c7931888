/* base_test.c: memory, texts and files, messages (gen/base). */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/diag.h"
#include "base/mem.h"
#include "base/text.h"
#include "suites.h"

static void end_run(void)
{
    mem_release();
    diag_reset();
}

/* -- memory -- */

static void check_filled(const char *at, char with, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (at[i] != with)
            ck_abort_msg("byte %zu of %zu is %d, not %d", i, n, at[i], with);
}

START_TEST(memory_is_zeroed_and_aligned)
{
    for (size_t size = 1; size < 70000; size = size * 3 + 1) {
        const char *at = mem_alloc(size);

        ck_assert_uint_eq((uintptr_t)at % sizeof(void *), 0);
        check_filled(at, 0, size);
    }
}
END_TEST

START_TEST(growing_keeps_the_contents_and_zeroes_the_rest)
{
    char *at = NULL;
    size_t size = 0;

    for (size_t next = 1; next < 2000000; next = next * 2 + 5) {
        at = mem_grow(at, size, next);
        check_filled(at + size, 0, next - size);
        memset(at, 'x', next);
        size = next;
        if (next % 3 == 0)
            mem_alloc(1);       /* the next growth cannot be in place */
        check_filled(at, 'x', size);
    }
}
END_TEST

START_TEST(arrays_grow_by_pushing)
{
    VEC(int) squares = {0};

    for (int i = 0; i < 1000; i++)
        vec_push(&squares, i * i);
    *vec_add(&squares) = 7;
    ck_assert_int_eq(squares.n, 1001);
    ck_assert_int_eq(squares.at[999], 999 * 999);
    ck_assert_int_eq(vec_last(&squares), 7);
}
END_TEST

START_TEST(release_returns_everything_and_starts_a_generation)
{
    const unsigned before = mem_generation();

    mem_alloc(1000);
    ck_assert_uint_ge(mem_in_use(), 1000);
    mem_release();
    ck_assert_uint_eq(mem_in_use(), 0);
    ck_assert_uint_eq(mem_generation(), before + 1);
}
END_TEST

/* Sizes below, at and beyond that of a block, each twice. */
START_TEST(what_a_mark_gives_back_is_zeroed_when_it_is_handed_out_again)
{
    static const size_t sizes[] = {1, 40, 5000, 200000, 262144, 262145, 900000};
    const size_t before = mem_in_use();

    for (int round = 0; round < 2 * COUNT(sizes); round++) {
        const struct mem_mark mark = mem_mark();

        for (int i = 0; i < COUNT(sizes); i++) {
            const size_t size = sizes[(i * 3 + round) % COUNT(sizes)];
            char *at = mem_alloc(size);

            check_filled(at, 0, size);
            memset(at, 'x', size);
            at = mem_grow(at, size, size + 100);
            check_filled(at, 'x', size);
            check_filled(at + size, 0, 100);
        }
        mem_release_to(mark);
        ck_assert_uint_eq(mem_in_use(), before);
    }
}
END_TEST

START_TEST(an_arena_outlives_the_marks_made_after_it)
{
    const struct mem_mark around = mem_mark();
    struct arena *a = mem_arena();
    const struct mem_mark inner = mem_mark();
    char *kept = arena_alloc(a, 1000);

    memset(mem_alloc(1000), 'y', 1000);
    memset(kept, 'x', 1000);
    mem_release_to(inner);
    memset(mem_alloc(1000), 'y', 1000);
    check_filled(kept, 'x', 1000);
    check_filled(arena_alloc(a, 1000), 0, 1000);
    mem_release_to(around);
    check_filled(arena_alloc(mem_arena(), 5000), 0, 5000);
}
END_TEST

/* -- texts -- */

START_TEST(columns_count_tabs_and_leave_a_space)
{
    struct text t = {0};

    text_add(&t, "line one\n\tab");     /* stands at column 10 */
    text_column(&t, 12);
    text_add(&t, "|");
    text_column(&t, 5);
    text_add(&t, "|");
    ck_assert_str_eq(t.at, "line one\n\tab  | |");
}
END_TEST

START_TEST(formatted_text_of_any_length_is_kept)
{
    struct text t = {0};

    for (int i = 0; i < 3000; i++)
        text_format(&t, "%d,", i);
    ck_assert_uint_eq(t.n, strlen(t.at));
    ck_assert_str_eq(t.at + t.n - 10, "2998,2999,");
}
END_TEST

START_TEST(characters_are_told_from_stray_bytes)
{
    static const struct { const char *bytes; size_t length; } rows[] = {
        {"a", 1}, {"\xc3\xa9", 2}, {"\xe2\x80\xa6", 3}, {"\xf0\x9f\x99\x82", 4},
        {"\x80", 0}, {"\xc0\xaf", 0}, {"\xc3", 0}, {"\xe0\x80\xaf", 0}, {"\xed\xa0\x80", 0},
        {"\xf4\x90\x80\x80", 0}, {"\xf0\x80\x80\x80", 0}, {"\xff", 0},
    };

    for (int i = 0; i < COUNT(rows); i++)
        ck_assert_uint_eq(utf8_length(rows[i].bytes, strlen(rows[i].bytes)), rows[i].length);
}
END_TEST

/* -- files -- */

static char directory[64];

static const char *path_of(const char *name)
{
    return mem_format("%s/%s", directory, name);
}

static void make_directory(void)
{
    strcpy(directory, "/tmp/kgen-base-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void remove_directory(void)
{
    ck_assert_int_eq(system(mem_format("rm -rf %s", directory)), 0);
    end_run();
}

static struct text text_of(const char *s)
{
    struct text t = {0};

    text_add(&t, s);
    return t;
}

static void check_contents(const char *path, const char *contents)
{
    struct text t = {0};

    ck_assert(text_read_file(&t, path));
    ck_assert_str_eq(t.at, contents);
}

/* Runs text_write_file with stderr in a file; gives what was said. */
static const char *complaint_of_writing(const struct text *t, const char *path)
{
    const char *said = path_of("stderr");
    const int old = dup(STDERR_FILENO);
    const int fd = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    struct text complaint = {0};
    enum write_result result;

    ck_assert_int_ge(fd, 0);
    dup2(fd, STDERR_FILENO);
    result = text_write_file(t, path);
    fflush(stderr);
    dup2(old, STDERR_FILENO);
    close(fd);
    close(old);
    ck_assert_int_eq(result, WRITE_FAILED);
    ck_assert(text_read_file(&complaint, said));
    ck_assert_int_eq(unlink(said), 0);
    return complaint.at;
}

static void check_directory_is_empty(void)
{
    ck_assert_int_eq(rmdir(directory), 0);
    ck_assert_int_eq(mkdir(directory, 0700), 0);
}

START_TEST(a_file_is_written_and_replaced_whole)
{
    const char *path = path_of("out.S");
    const struct text first = text_of("first, and longer\n"), second = text_of("second\n");

    ck_assert_int_eq(text_write_file(&first, path), WRITE_DONE);
    check_contents(path, "first, and longer\n");
    ck_assert_int_eq(text_write_file(&second, path), WRITE_DONE);
    check_contents(path, "second\n");
    ck_assert_int_eq(unlink(path), 0);
    check_directory_is_empty();
}
END_TEST

START_TEST(an_unchanged_file_is_left_alone)
{
    const char *path = path_of("out.S");
    const struct text t = text_of("same\n");
    const struct timespec long_ago[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    struct stat before, after;

    ck_assert_int_eq(text_write_file(&t, path), WRITE_DONE);
    ck_assert_int_eq(utimensat(AT_FDCWD, path, long_ago, 0), 0);
    ck_assert_int_eq(stat(path, &before), 0);
    ck_assert_int_eq(text_write_file(&t, path), WRITE_UNCHANGED);
    ck_assert_int_eq(stat(path, &after), 0);
    ck_assert_int_eq(after.st_mtime, 1000);
    ck_assert_uint_eq(after.st_ino, before.st_ino);
}
END_TEST

START_TEST(a_replaced_file_keeps_its_permissions)
{
    const char *path = path_of("out.S");
    const struct text t = text_of("new\n");
    struct stat st;

    ck_assert_int_eq(close(open(path, O_CREAT | O_WRONLY, 0600)), 0);
    ck_assert_int_eq(chmod(path, 0640), 0);
    ck_assert_int_eq(text_write_file(&t, path), WRITE_DONE);
    ck_assert_int_eq(stat(path, &st), 0);
    ck_assert_uint_eq(st.st_mode & 0777, 0640);
}
END_TEST

START_TEST(a_comparison_sees_every_difference)
{
    const char *path = path_of("out.S");
    const struct text t = text_of("abc\n"), shorter = text_of("abc"), longer = text_of("abc\nd"),
                      other = text_of("abd\n");

    ck_assert_int_eq(text_write_file(&t, path), WRITE_DONE);
    ck_assert(text_equals_file(&t, path));
    ck_assert(!text_equals_file(&shorter, path));
    ck_assert(!text_equals_file(&longer, path));
    ck_assert(!text_equals_file(&other, path));
    ck_assert(!text_equals_file(&t, path_of("absent")));
    ck_assert(!text_equals_file(&t, directory));
}
END_TEST

START_TEST(a_missing_directory_is_told)
{
    const struct text t = text_of("x");
    const char *path = path_of("absent/out.S");

    ck_assert_str_eq(complaint_of_writing(&t, path),
                     mem_format("kgen: cannot write %s: No such file or directory\n", path));
}
END_TEST

START_TEST(a_file_for_a_directory_is_told)
{
    const struct text t = text_of("x");

    ck_assert_int_eq(text_write_file(&t, path_of("file")), WRITE_DONE);
    ck_assert_ptr_nonnull(strstr(complaint_of_writing(&t, path_of("file/out.S")), "Not a directory"));
    ck_assert_ptr_nonnull(strstr(complaint_of_writing(&t, directory), "Is a directory"));
}
END_TEST

START_TEST(an_unwritable_directory_is_told)
{
    const struct text t = text_of("x");
    const char *complaint;

    if (geteuid() == 0) {       /* permissions do not bind root; procfs does */
        complaint = complaint_of_writing(&t, "/proc/kgen-out.S");
        ck_assert_ptr_nonnull(strstr(complaint, "kgen: cannot write /proc/kgen-out.S: "));
        return;
    }
    ck_assert_int_eq(mkdir(path_of("closed"), 0500), 0);
    complaint = complaint_of_writing(&t, path_of("closed/out.S"));
    ck_assert_ptr_nonnull(strstr(complaint, "Permission denied"));
}
END_TEST

START_TEST(a_full_device_is_told)
{
    const struct text t = text_of("x");

    ck_assert_str_eq(complaint_of_writing(&t, "/dev/full"),
                     "kgen: cannot write /dev/full: No space left on device\n");
}
END_TEST

START_TEST(a_failed_write_leaves_the_old_file_and_nothing_else)
{
    const char *path = path_of("out.S");
    const struct text old = text_of("old\n");
    const struct rlimit small = {4096, RLIM_INFINITY};
    struct rlimit before;
    struct text large = {0};
    const char *complaint;

    for (int i = 0; i < 2000; i++)
        text_add(&large, "0123456789");
    ck_assert_int_eq(text_write_file(&old, path), WRITE_DONE);
    signal(SIGXFSZ, SIG_IGN);
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
    complaint = complaint_of_writing(&large, path);
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &before), 0);
    ck_assert_ptr_nonnull(strstr(complaint, "File too large"));
    check_contents(path, "old\n");
    ck_assert_int_eq(unlink(path), 0);
    check_directory_is_empty();
}
END_TEST

START_TEST(reading_keeps_nul_bytes_and_tells_why_it_fails)
{
    const char *path = path_of("zeros");
    struct text t = {0}, back = {0};

    text_add_n(&t, "a\0b\0", 4);
    ck_assert_int_eq(text_write_file(&t, path), WRITE_DONE);
    ck_assert(text_read_file(&back, path));
    ck_assert_uint_eq(back.n, 4);
    ck_assert_mem_eq(back.at, "a\0b\0", 4);
    ck_assert(!text_read_file(&back, path_of("absent")));
    ck_assert_int_eq(errno, ENOENT);
    ck_assert(!text_read_file(&back, directory));
    ck_assert_int_eq(errno, EISDIR);
}
END_TEST

/* -- messages -- */

static struct loc span(uint32_t line, uint32_t col, uint32_t end_col)
{
    return (struct loc){.file = 1, .line = line, .col = col, .end_col = end_col};
}

static void add_source_text(const char *text)
{
    ck_assert_uint_eq(source_add("k.def", text, strlen(text)), 1);
}

static void check_messages(const char *expected)
{
    ck_assert_str_eq(diag_messages()->at, expected);
}

START_TEST(the_caret_stands_under_the_span)
{
    add_source_text("first\nlet x = y;\n");
    error_at(span(2, 9, 10), RULE_NAME, "nothing is called '%s'", "y");
    check_messages("k.def:2:9: error: nothing is called 'y' [name]\n"
                   "    2 | let x = y;\n"
                   "      |         ^\n");
    ck_assert_int_eq(error_count(), 1);
}
END_TEST

START_TEST(the_caret_line_repeats_tabs)
{
    add_source_text("\tx\t= abc;");
    error_at(span(1, 6, 9), RULE_TYPE, "no");
    check_messages("k.def:1:6: error: no [type]\n"
                   "    1 | \tx\t= abc;\n"
                   "      | \t \t  ^~~\n");
}
END_TEST

START_TEST(the_caret_counts_characters_not_bytes)
{
    add_source_text("/* \xe2\x88\x9e */ \"\xc3\xa9\xc3\xa9\"");     /* the string is bytes 11 to 16 */
    error_at(span(1, 11, 17), RULE_SYNTAX, "no");
    check_messages("k.def:1:11: error: no [syntax]\n"
                   "    1 | /* \xe2\x88\x9e */ \"\xc3\xa9\xc3\xa9\"\n"
                   "      |         ^~~~\n");
}
END_TEST

START_TEST(a_span_of_many_lines_is_shown_on_its_first)
{
    add_source_text("if a {\n}\n");
    error_at((struct loc){.file = 1, .line = 1, .col = 4, .end_line_delta = 1, .end_col = 2},
             RULE_TYPE, "no");
    check_messages("k.def:1:4: error: no [type]\n"
                   "    1 | if a {\n"
                   "      |    ^~~\n");
}
END_TEST

START_TEST(a_span_behind_the_line_has_one_caret)
{
    add_source_text("x = 1\r\ny");
    error_at(span(1, 6, 6), RULE_SYNTAX, "no");
    error_at(span(3, 1, 1), RULE_SYNTAX, "end");
    check_messages("k.def:1:6: error: no [syntax]\n"
                   "    1 | x = 1\n"
                   "      |      ^\n"
                   "k.def:3:1: error: end [syntax]\n"
                   "    3 | \n"
                   "      | ^\n");
}
END_TEST

START_TEST(a_long_line_is_cut_around_the_caret)
{
    struct text line = {0};
    const char *shown, *caret;

    for (int i = 0; i < 5000; i++)
        text_add(&line, i == 2500 ? "X" : "-");
    add_source_text(line.at);
    error_at(span(1, 2501, 2502), RULE_TYPE, "no");
    shown = strchr(diag_messages()->at, '\n') + 1;
    caret = strchr(shown, '\n') + 1;
    ck_assert_int_lt((int)(caret - shown), 150);
    ck_assert_ptr_nonnull(strchr(shown, 'X'));
    ck_assert_int_eq((int)(strchr(shown, 'X') - shown), (int)(strchr(caret, '^') - caret));
    ck_assert_ptr_nonnull(strstr(shown, "| ...-"));
    ck_assert_ptr_nonnull(strstr(shown, "-...\n"));
}
END_TEST

START_TEST(notes_name_other_places)
{
    add_source_text("a\nb\n");
    error_at(span(2, 1, 2), RULE_NAME, "'a' again");
    note_at(span(1, 1, 2), "'a' is first declared here");
    note_at((struct loc){0}, "no place");
    check_messages("k.def:2:1: error: 'a' again [name]\n"
                   "    2 | b\n"
                   "      | ^\n"
                   "k.def:1:1: note: 'a' is first declared here\n"
                   "note: no place\n");
}
END_TEST

START_TEST(an_error_without_a_place_names_the_command)
{
    error_at((struct loc){0}, RULE_INPUT, "cannot read '%s'", "x");
    check_messages("kgen: error: cannot read 'x' [input]\n");
}
END_TEST

START_TEST(a_repeat_is_printed_once_with_its_notes)
{
    add_source_text("a\nb\n");
    for (int i = 0; i < 3; i++) {
        error_at(span(2, 1, 2), RULE_NAME, "twice");
        note_at(span(1, 1, 2), "first");
    }
    error_at(span(1, 1, 2), RULE_NAME, "twice");
    ck_assert_int_eq(error_count(), 2);
    check_messages("k.def:2:1: error: twice [name]\n"
                   "    2 | b\n"
                   "      | ^\n"
                   "k.def:1:1: note: first\n"
                   "k.def:1:1: error: twice [name]\n"
                   "    1 | a\n"
                   "      | ^\n");
}
END_TEST

static int occurrences(const char *text, const char *what)
{
    int n = 0;

    for (const char *at = text; (at = strstr(at, what)) != NULL; at++)
        n++;
    return n;
}

START_TEST(twenty_errors_are_printed_and_the_rest_is_mentioned_once)
{
    for (int i = 0; i < 50; i++) {
        ck_assert_int_eq(too_many_errors(), i >= 20);
        error_at((struct loc){0}, RULE_TYPE, "error %d", i);
        note_at((struct loc){0}, "note %d", i);
    }
    ck_assert_int_eq(error_count(), 20);
    ck_assert_int_eq(occurrences(diag_messages()->at, "error: "), 20);
    ck_assert_int_eq(occurrences(diag_messages()->at, "note: "), 20);
    ck_assert_int_eq(occurrences(diag_messages()->at, "only the first 20 errors are shown\n"), 1);
}
END_TEST

START_TEST(expansions_are_noted_innermost_first_behind_other_notes)
{
    add_source_text("a\nb\nc\n");
    diag_push_expansion(span(1, 1, 2), "inline fn 'f'");
    diag_push_expansion(span(2, 1, 2), NULL);
    error_at(span(3, 1, 2), RULE_TYPE, "no");
    diag_pop_expansion();
    note_at(span(1, 1, 2), "see");
    diag_pop_expansion();
    check_messages("k.def:3:1: error: no [type]\n"
                   "    3 | c\n"
                   "      | ^\n"
                   "k.def:1:1: note: see\n"
                   "k.def:2:1: note: expanded here\n"
                   "k.def:1:1: note: expanded here: inline fn 'f'\n");
}
END_TEST

START_TEST(hostile_bytes_are_not_printed)
{
    add_source_text("a\x1b[31m\xff");
    error_at(span(1, 2, 3), RULE_SYNTAX, "control \x07 and \xfe");
    check_messages("k.def:1:2: error: control ? and ? [syntax]\n"
                   "    1 | a?[31m?\n"
                   "      |  ^\n");
}
END_TEST

START_TEST(every_rule_has_a_name_of_its_own)
{
    for (int i = 0; i < RULE_COUNT; i++) {
        ck_assert_int_gt((int)strlen(rules[i].name), 0);
        ck_assert_int_gt((int)strlen(rules[i].refuses), 0);
        for (int j = 0; j < i; j++)
            ck_assert_str_ne(rules[i].name, rules[j].name);
    }
}
END_TEST

START_TEST(a_new_run_starts_without_messages_and_files)
{
    add_source_text("a\n");
    error_at(span(1, 1, 2), RULE_TYPE, "no");
    mem_release();
    ck_assert_int_eq(error_count(), 0);
    ck_assert_int_eq(source_count(), 0);
    ck_assert_uint_eq(diag_messages()->n, 0);
    add_source_text("b\n");
    error_at(span(1, 1, 2), RULE_TYPE, "no");
    ck_assert_int_eq(error_count(), 1);
}
END_TEST

Suite *base_suite(void)
{
    Suite *s = suite_create("base");
    TCase *memory = tcase_create("memory and texts");
    TCase *files = tcase_create("files");
    TCase *messages = tcase_create("messages");

    tcase_add_checked_fixture(memory, NULL, end_run);
    tcase_add_test(memory, memory_is_zeroed_and_aligned);
    tcase_add_test(memory, growing_keeps_the_contents_and_zeroes_the_rest);
    tcase_add_test(memory, arrays_grow_by_pushing);
    tcase_add_test(memory, release_returns_everything_and_starts_a_generation);
    tcase_add_test(memory, what_a_mark_gives_back_is_zeroed_when_it_is_handed_out_again);
    tcase_add_test(memory, an_arena_outlives_the_marks_made_after_it);
    tcase_add_test(memory, columns_count_tabs_and_leave_a_space);
    tcase_add_test(memory, formatted_text_of_any_length_is_kept);
    tcase_add_test(memory, characters_are_told_from_stray_bytes);
    suite_add_tcase(s, memory);

    tcase_add_checked_fixture(files, make_directory, remove_directory);
    tcase_add_test(files, a_file_is_written_and_replaced_whole);
    tcase_add_test(files, an_unchanged_file_is_left_alone);
    tcase_add_test(files, a_replaced_file_keeps_its_permissions);
    tcase_add_test(files, a_comparison_sees_every_difference);
    tcase_add_test(files, a_missing_directory_is_told);
    tcase_add_test(files, a_file_for_a_directory_is_told);
    tcase_add_test(files, an_unwritable_directory_is_told);
    tcase_add_test(files, a_full_device_is_told);
    tcase_add_test(files, a_failed_write_leaves_the_old_file_and_nothing_else);
    tcase_add_test(files, reading_keeps_nul_bytes_and_tells_why_it_fails);
    suite_add_tcase(s, files);

    tcase_add_checked_fixture(messages, end_run, end_run);
    tcase_add_test(messages, the_caret_stands_under_the_span);
    tcase_add_test(messages, the_caret_line_repeats_tabs);
    tcase_add_test(messages, the_caret_counts_characters_not_bytes);
    tcase_add_test(messages, a_span_of_many_lines_is_shown_on_its_first);
    tcase_add_test(messages, a_span_behind_the_line_has_one_caret);
    tcase_add_test(messages, a_long_line_is_cut_around_the_caret);
    tcase_add_test(messages, notes_name_other_places);
    tcase_add_test(messages, an_error_without_a_place_names_the_command);
    tcase_add_test(messages, a_repeat_is_printed_once_with_its_notes);
    tcase_add_test(messages, twenty_errors_are_printed_and_the_rest_is_mentioned_once);
    tcase_add_test(messages, expansions_are_noted_innermost_first_behind_other_notes);
    tcase_add_test(messages, hostile_bytes_are_not_printed);
    tcase_add_test(messages, every_rule_has_a_name_of_its_own);
    tcase_add_test(messages, a_new_run_starts_without_messages_and_files);
    suite_add_tcase(s, messages);
    return s;
}
