/* timed.c: runs a command with its output thrown away, and prints the milliseconds of
 * processor time that it took, and the KiB of memory at most.
 *
 * Processor time, of the command and of the system for it, because that hardly depends
 * on what else runs: with --best-of N it is run N times, and the least counts; of memory
 * the most.
 */
#define _DEFAULT_SOURCE         /* wait4 */
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

struct taken { long microseconds, kib; };

static void run(char **command)
{
    int nowhere = open("/dev/null", O_WRONLY);

    if (nowhere < 0 || dup2(nowhere, 1) < 0 || dup2(nowhere, 2) < 0)
        _exit(126);
    execvp(command[0], command);
    _exit(127);
}

static long microseconds(struct timeval t) { return t.tv_sec * 1000000L + t.tv_usec; }

/* False when the command fails. */
static bool measure(char **command, struct taken *taken)
{
    const pid_t child = fork();
    struct rusage usage;
    int status;

    if (child == 0)
        run(command);
    if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
        return false;
    *taken = (struct taken){microseconds(usage.ru_utime) + microseconds(usage.ru_stime),
                            usage.ru_maxrss};
    return true;
}

int main(int argc, char **argv)
{
    const bool repeats = argc > 3 && strcmp(argv[1], "--best-of") == 0;
    char **command = argv + (repeats ? 3 : 1);
    struct taken all = {LONG_MAX, 0}, taken;

    for (int runs = repeats ? atoi(argv[2]) : 1; runs > 0; runs--) {
        if (*command == NULL || !measure(command, &taken)) {
            fprintf(stderr, "timed: the command failed\n");
            return 1;
        }
        if (taken.microseconds < all.microseconds)
            all.microseconds = taken.microseconds;
        if (taken.kib > all.kib)
            all.kib = taken.kib;
    }
    return printf("%ld.%ld %ld\n", all.microseconds / 1000, all.microseconds / 100 % 10,
                  all.kib) < 0;
}
