/* random_test.c: random kernels mean the same in source and in code.
 *
 * KGEN_RANDOM is how many programs are made (10000), KGEN_RANDOM_SEED the first
 * seed (1). Programs are compiled, run by the walk of the source and by the
 * executor on the text of one of the platforms; a batch of them is then run as
 * machine code in Unicorn. Two processes share the work.
 */
#include <check.h>
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "random/run.h"
#include "suites.h"

/* Under a sanitizer a program costs ten times as much. */
#if defined(__SANITIZE_ADDRESS__)
enum { DEFAULT_PROGRAMS = 500 };
#else
enum { DEFAULT_PROGRAMS = 10000 };
#endif
enum { BATCH = 250, WORKERS = 2, SHOWN = 3, MINUTES = 20 };

static uint64_t from_environment(const char *name, uint64_t otherwise)
{
    const char *value = getenv(name);

    return value != NULL ? strtoull(value, NULL, 0) : otherwise;
}

static const char *directory(void)
{
    const char *build = getenv("BUILD");

    return build != NULL ? build : "build";
}

/* A program on which the compiler itself fails must be known by its seed. */
static volatile sig_atomic_t seed_at_work;

static void tell_seed(int number)
{
    char line[64];
    const int n = snprintf(line, sizeof line, "seed %ld: the compiler fails\n", (long)seed_at_work);

    if (write(STDERR_FILENO, line, (size_t)n) == n)
        (void)signal(number, SIG_DFL);
    (void)raise(number);
}

struct tally {
    int equal, registers, wrong;
};

static void add_outcome(struct tally *t, enum random_outcome outcome)
{
    t->equal += outcome == RANDOM_EQUAL;
    t->registers += outcome == RANDOM_TOO_MANY_REGISTERS;
    t->wrong += outcome == RANDOM_REFUSED || outcome == RANDOM_DIFFERENT;
}

static void run_batch(struct tally *t, uint64_t seed, int count, int worker)
{
    char path[200];
    struct batch b;

    snprintf(path, sizeof path, "%s/random-%d", directory(), worker);
    batch_begin(&b, path);
    for (int i = 0; i < count && t->wrong < SHOWN; i++) {
        seed_at_work = (sig_atomic_t)(seed + (uint64_t)i);
        add_outcome(t, random_run(seed + (uint64_t)i, i, &b, stderr));
        fflush(stderr);
    }
    if (t->wrong < SHOWN)
        t->wrong += batch_run(&b, path, stderr);
    batch_free(&b);
    mem_release();
}

/* Every second batch of the seeds. */
static int work(uint64_t first, uint64_t count, int worker)
{
    struct tally t = { 0 };

    /* Whole reports, not lines of two workers in turn. */
    if (signal(SIGABRT, tell_seed) == SIG_ERR || setvbuf(stderr, NULL, _IOFBF, 1 << 16) != 0)
        return 1;
    for (uint64_t at = (uint64_t)worker * BATCH; at < count && t.wrong < SHOWN;
         at += WORKERS * BATCH)
        run_batch(&t, first + at, count - at < BATCH ? (int)(count - at) : BATCH, worker);
    /* A generator that is refused too often would test nothing. */
    if (t.registers * 20 > t.equal + 20) {
        fprintf(stderr, "%d programs of %d needed too many registers\n", t.registers,
                t.equal + t.registers);
        t.wrong++;
    }
    return t.wrong;
}

START_TEST(random_programs_are_compiled_right)
{
    const uint64_t first = from_environment("KGEN_RANDOM_SEED", 1);
    const uint64_t count = from_environment("KGEN_RANDOM", DEFAULT_PROGRAMS);
    pid_t workers[WORKERS];

    for (int i = 0; i < WORKERS; i++) {
        workers[i] = fork();
        ck_assert_int_ge(workers[i], 0);
        if (workers[i] == 0)
            _exit(work(first, count, i) != 0);
    }
    for (int i = 0; i < WORKERS; i++) {
        int status = -1;

        ck_assert_int_eq(waitpid(workers[i], &status, 0), workers[i]);
        ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 0,
                      "see above; worker %d ended with 0x%x", i, (unsigned)status);
    }
}
END_TEST

START_TEST(a_seed_is_a_program)
{
    for (uint64_t seed = 1; seed < 20; seed++) {
        char *a = random_source(seed, 7), *b = random_source(seed, 7),
             *c = random_source(seed + 1, 7);

        ck_assert_str_eq(a, b);
        ck_assert_str_ne(a, c);
        free(a);
        free(b);
        free(c);
    }
}
END_TEST

Suite *random_suite(void)
{
    Suite *s = suite_create("random");
    TCase *t = tcase_create("programs");

    tcase_set_timeout(t, 60 * MINUTES);
    tcase_add_test(t, a_seed_is_a_program);
    tcase_add_test(t, random_programs_are_compiled_right);
    suite_add_tcase(s, t);
    return s;
}
