/* random_proof_test.c: random kernels are proved, and soon.
 *
 * The programs are those of random_test.c, which runs them; here the emitted code
 * is proved equal to its source, as `gen` does it. Of programs that mix everything
 * with everything a few cannot be proved, for want of a normal form; a difference
 * that some value shows is a wrong compiler. KGEN_PROOFS is how many programs are
 * made, KGEN_RANDOM_SEED the first seed; with KGEN_VERBOSE those that are slow or
 * not proved are told.
 */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "lang/ast.h"
#include "random/run.h"
#include "suites.h"
#include "target/row.h"
#include "tool/compile.h"
#include "verify/module.h"
#include "verify/prove.h"

/* Under a sanitizer a program costs ten times as much. */
#if defined(__SANITIZE_ADDRESS__)
enum { DEFAULT_PROOFS = 30 };
#else
enum { DEFAULT_PROOFS = 300 };
#endif
enum { MINUTES = 20, MOST_SECONDS = 10, MOST_UNPROVED_PERCENT = 10 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 0) : otherwise;
}

struct tally { int proved, sampled, unproved, wrong; double seconds; };

static void prove_program(struct tally *t, uint64_t seed)
{
    char *source = random_source(seed, 1);
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    struct text file = { 0 };
    const clock_t begin = clock();

    mem_release();
    diag_reset();
    vec_push(&o.targets, target_find("linux"));
    if (!compile_program(&c, parse_text("random.def", source, strlen(source)), &o)) {
        free(source);
        return;                 /* too many registers: random_test.c counts them */
    }
    emit_module(&file, c.modules.at[0], o.targets.at[0], o.style);
    const struct emitted text = text_read(file.at, file.n);
    ck_assert_ptr_null(text.complaint);
    for (int i = 0; i < c.modules.at[0]->funcs.n; i++) {
        const struct mach_func *f = c.modules.at[0]->funcs.at[i];

        if (f->func->kind != FN_EXPORT)
            continue;
        const struct proof p = prove_func(source_of(f), &text, function_symbol(f));
        const bool is_wrong = p.difference != NULL && p.source != NULL && !p.is_doubtful;

        t->proved += p.difference == NULL;
        t->sampled += p.is_sampled;
        t->wrong += is_wrong;
        t->unproved += p.difference != NULL && !is_wrong;
        if (is_wrong || (p.difference != NULL && getenv("KGEN_VERBOSE")))
            printf("seed %" PRIu64 ": %s\n  source %s\n  code   %s\n", seed, p.difference,
                   p.source ? p.source : "-", p.emitted ? p.emitted : "-");
    }
    const double seconds = (double)(clock() - begin) / CLOCKS_PER_SEC;
    if (getenv("KGEN_VERBOSE") && seconds > 0.2)
        printf("seed %" PRIu64 ": %.2f s\n", seed, seconds);
    if (seconds > t->seconds)
        t->seconds = seconds;
    free(source);
}

START_TEST(random_programs_are_proved)
{
    const uint64_t first = from_environment("KGEN_RANDOM_SEED", 1);
    const uint64_t count = from_environment("KGEN_PROOFS", DEFAULT_PROOFS);
    struct tally t = { 0 };

    for (uint64_t i = 0; i < count; i++)
        prove_program(&t, first + i);
    printf("random programs: %d proved, %d not; %d where values of many bits are declassified;"
           " the slowest took %.2f s\n", t.proved, t.unproved, t.sampled, t.seconds);
    ck_assert_int_eq(t.wrong, 0);
    ck_assert_int_le(t.unproved * 100, (t.proved + t.unproved) * MOST_UNPROVED_PERCENT);
    ck_assert(t.seconds < MOST_SECONDS);
}
END_TEST

Suite *random_proof_suite(void)
{
    Suite *s = suite_create("random proofs");
    TCase *t = tcase_create("programs");

    tcase_set_timeout(t, 60 * MINUTES);
    tcase_add_test(t, random_programs_are_proved);
    suite_add_tcase(s, t);
    return s;
}
