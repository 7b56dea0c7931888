/* main.c: runs every suite that suites.h declares (Check).
 *
 * The order is that of suites.h (the Makefile makes suites.inc from it). The
 * summary is Check's, and so are the variables CK_RUN_SUITE, CK_RUN_CASE and
 * CK_VERBOSITY; anything but success ends with status 1.
 */
#include <stdio.h>
#include <stdlib.h>

#include "suites.h"

static Suite *(*const suites[])(void) = {
#include "suites.inc"
};

int main(void)
{
    SRunner *runner = srunner_create(NULL);

    for (size_t i = 0; i < sizeof suites / sizeof *suites; i++)
        srunner_add_suite(runner, suites[i]());
    srunner_run_all(runner, CK_ENV);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
