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

/* -- reading the tables -- */

/* Lists are constant: the one that was asked for last is kept by row. */
static const struct timing_exception *exception_for(const struct timing_exception *list,
                                                    enum insn insn)
{
    static const struct timing_exception *kept, *by_row[INSN_COUNT];
    if (kept != list) {
        memset(by_row, 0, sizeof by_row);
        for (const struct timing_exception *e = list; e->insn != INSN_NONE; e++)
            if (by_row[e->insn] == NULL)
                by_row[e->insn] = e;
        kept = list;
    }
    return by_row[insn];
}

const struct timing *core_timing(const struct core *core, enum insn insn)
{
    const struct timing_exception *e =
        core->exceptions != NULL ? exception_for(core->exceptions, insn) : NULL;
    return e != NULL ? &e->timing : &core->timing[insns[insn].timing_class];
}

struct writeback core_writeback(const struct core *core, const struct timing *t)
{
    struct writeback w = core->writeback;
    if (t->writeback_latency != 0)
        w.latency = t->writeback_latency;
    if (t->writeback_uops != 0)
        w.uops = t->writeback_uops == NOTHING ? 0 : t->writeback_uops;
    if (t->writeback_busy != 0)
        w.busy = t->writeback_busy == NOTHING ? 0 : t->writeback_busy;
    return w;
}

/* Is the READ-th register that an instruction reads also written? */
static bool read_is_tied(const struct insn_row *row, int read)
{
    for (int k = 0; k < row->operand_count; k++) {
        const struct operand_spec *o = &row->op[k];
        bool is_register = operand_is_general((enum operand_kind)o->kind)
                           || operand_is_vector((enum operand_kind)o->kind);
        if (is_register && (o->role == ROLE_USE || o->role == ROLE_TIED) && read-- == 0)
            return o->role == ROLE_TIED;
    }
    return false;
}

int core_early(const struct core *core, int network, enum insn consumer, int read)
{
    if (network == 0 || core->forwarding == NULL || read >= FORWARDED_READS)
        return 0;
    for (const struct forwarding *f = core->forwarding; f->network != 0; f++)
        if (f->network == network && f->consumer == insns[consumer].timing_class
            && (!f->only_tied || read_is_tied(&insns[consumer], read)))
            return f->early[read];
    return 0;
}
