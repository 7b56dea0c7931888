/* rules_test.c: every rule fires where it should, and only there.
 *
 * Compiles each tests/rules/NAME.def through the whole pipeline and compares
 * the messages with NAME.expect beside it; a NAME without one must compile in
 * silence. Every rule that a source can break has both kinds of file: one that
 * names it in brackets, and RULE-ok.def or RULE-ok-*.def.
 *
 * A changed message is accepted by looking at it and copying what the failure
 * prints: `cd tests/rules && ../../build/kgen NAME.def 2>NAME.expect`.
 */
#include <glob.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "suites.h"
#include "tool/compile.h"

enum { NAME_LENGTH = 256 };

/* Rules that no source text breaks, and where they are tested instead. */
static const struct { enum rule rule; const char *tested_by; } elsewhere[] = {
    {RULE_INPUT, "parser_test.c: files that cannot be read"},
    {RULE_NOT_EQUAL, "broken passes and mutated outputs"},
    {RULE_EXPECT, "trial_test.c: expectations that do not hold"},
};

static glob_t sources;

static void find_sources(void)
{
    const int result = glob("tests/rules/*.def", 0, NULL, &sources);

    if (result != 0)
        sources.gl_pathc = 0;
}

static const char *expectation_of(const char *source)
{
    return mem_format("%.*s.expect", (int)(strlen(source) - strlen(".def")), source);
}

/* The expected messages; none is a text that expects silence. */
static struct text read_expectation(const char *source)
{
    struct text t = {0};

    if (!text_read_file(&t, expectation_of(source)))
        text_add(&t, "");
    return t;
}

static const char *base_name(const char *path)
{
    return strrchr(path, '/') + 1;
}

START_TEST(messages_are_as_expected)
{
    char path[NAME_LENGTH];
    struct text source = {0};
    const char *expected, *said;
    bool accepted;

    ck_assert_uint_lt(strlen(sources.gl_pathv[_i]), sizeof path);
    strcpy(path, sources.gl_pathv[_i]);
    ck_assert_msg(text_read_file(&source, path), "%s cannot be read", path);
    accepted = compile_text(base_name(path), source.at, source.n);
    said = diag_messages()->n != 0 ? diag_messages()->at : "";
    expected = read_expectation(path).at;
    ck_assert_msg(strcmp(said, expected) == 0, "%s\n-- expected:\n%s-- said:\n%s--", path, expected,
                  said);
    ck_assert_msg(accepted == (*expected == '\0'), "%s: %s", path,
                  accepted ? "accepted with messages" : "refused in silence");
}
END_TEST

static bool is_tested_elsewhere(enum rule rule)
{
    for (int i = 0; i < COUNT(elsewhere); i++)
        if (elsewhere[i].rule == rule)
            return true;
    return false;
}

START_TEST(every_rule_fires_somewhere)
{
    const char *shown = mem_format("[%s]\n", rules[_i].name);
    bool fires = is_tested_elsewhere((enum rule)_i);

    for (size_t i = 0; i < sources.gl_pathc && !fires; i++)
        fires = strstr(read_expectation(sources.gl_pathv[i]).at, shown) != NULL;
    ck_assert_msg(fires, "no file in tests/rules fires [%s]", rules[_i].name);
}
END_TEST

START_TEST(every_rule_stays_silent_somewhere)
{
    const char *start = mem_format("%s-ok", rules[_i].name);
    bool is_silent = is_tested_elsewhere((enum rule)_i);

    for (size_t i = 0; i < sources.gl_pathc && !is_silent; i++)
        is_silent = strncmp(base_name(sources.gl_pathv[i]), start, strlen(start)) == 0 &&
                    read_expectation(sources.gl_pathv[i]).n == 0;
    ck_assert_msg(is_silent, "no tests/rules/%s*.def", start);
}
END_TEST

START_TEST(no_expectation_is_left_without_its_source)
{
    glob_t expectations;

    ck_assert_int_eq(glob("tests/rules/*.expect", 0, NULL, &expectations), 0);
    for (size_t i = 0; i < expectations.gl_pathc; i++) {
        const char *path = expectations.gl_pathv[i];
        const int stem = (int)(strlen(path) - strlen(".expect"));
        struct text t = {0};

        ck_assert_msg(text_read_file(&t, mem_format("%.*s.def", stem, path)),
                      "%s has no .def beside it", path);
    }
    globfree(&expectations);
}
END_TEST

static void end_run(void)
{
    mem_release();
    diag_reset();
}

Suite *rules_suite(void)
{
    Suite *s = suite_create("rules");
    TCase *t = tcase_create("rules");

    find_sources();
    tcase_add_checked_fixture(t, end_run, end_run);
    tcase_add_loop_test(t, messages_are_as_expected, 0, (int)sources.gl_pathc);
    tcase_add_loop_test(t, every_rule_fires_somewhere, 0, RULE_COUNT);
    tcase_add_loop_test(t, every_rule_stays_silent_somewhere, 0, RULE_COUNT);
    tcase_add_test(t, no_expectation_is_left_without_its_source);
    suite_add_tcase(s, t);
    return s;
}
