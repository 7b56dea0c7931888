/* core.c: the list of cores, and finding one by name.
 *
 * One file per core beside this one holds its data. The first row is what a
 * kernel without `tune` gets.
 */
#include "core/core.h"

#include <stddef.h>
#include <string.h>

#include "core/cores.h"

static const struct core *const cores[] = {
    &core_generic, &core_cortex_a53, &core_cortex_a55, &core_cortex_a72,
    &core_neoverse_n1, &core_neoverse_v2, &core_apple_m1,
};

/* Names that mean a core listed under another name. */
static const struct { const char *name; const struct core *core; } aliases[] = {
    { "cortex-a76", &core_neoverse_n1 },    /* the same pipeline, Neoverse N1 guide 1 */
};

const struct core *core_find(const char *name)
{
    for (int i = 0; i < COUNT(cores); i++)
        if (strcmp(cores[i]->name, name) == 0)
            return cores[i];
    for (int i = 0; i < COUNT(aliases); i++)
        if (strcmp(aliases[i].name, name) == 0)
            return aliases[i].core;
    return NULL;
}

const struct core *core_unfused(const struct core *core)
{
    static struct core unfused[COUNT(cores)];
    for (int i = 0; i < COUNT(cores); i++)
        if (cores[i] == core) {
            unfused[i] = *core;
            unfused[i].fuses_aes_pair = unfused[i].fuses_compare_branch = false;
            return &unfused[i];
        }
    return core;
}

const struct core *core_default(void) { return cores[0]; }
int core_count(void) { return COUNT(cores); }
const struct core *core_at(int i) { return cores[i]; }
