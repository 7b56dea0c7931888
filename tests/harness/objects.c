/* objects.c: see objects.h. */
#include "harness/objects.h"

#include <check.h>
#include <stdio.h>
#include <stdlib.h>

const char *const platforms[PLATFORM_COUNT] = { "linux", "apple", "win" };

struct emulator *load_module(const char *module, int platform, enum table_place place)
{
    const char *build = getenv("BUILD");
    char path[512], why[256];

    snprintf(path, sizeof path, "%s/objects/%s-%s.o", build ? build : "build", module,
             platforms[platform]);
    struct emulator *e = emulator_new(path, place, why, sizeof why);
    ck_assert_msg(e != NULL, "%s", why);
    return e;
}
