/* code.c: the path from IR to final machine code.
 *
 * Runs the stages in order and checks the invariants after each. Keeps what
 * compiled local functions promise their callers: by module, name and variant (a
 * caller's IR names the function as written, the code belongs to a shaped copy),
 * until code_forget(), or for the current run
 * (mem_generation()).
 */
#include "code/passes.h"

#include <string.h>

struct promise {
    const struct func *func;
    const char *variant;
    const struct convention *convention;
};

static struct {
    unsigned generation;
    VEC(struct promise) at;
} promises;

static const char *variant_name(const struct variant *v)
{
    return v != NULL && v->name != NULL ? v->name : "";
}

static void start_run(void)
{
    if (promises.generation != mem_generation()) {
        memset(&promises, 0, sizeof promises);
        promises.generation = mem_generation();
    }
}

/* The variant's own, or the base's for a callee without variants. */
const struct convention *convention_of(const struct func *callee, const struct variant *v)
{
    const struct convention *base = NULL;
    start_run();
    for (int k = promises.at.n - 1; k >= 0; k--) {
        const struct promise *p = &promises.at.at[k];
        /* The compiled function is a copy (shape/); names are unique in a module. */
        if (p->func->module != callee->module || strcmp(p->func->name, callee->name) != 0)
            continue;
        if (strcmp(p->variant, variant_name(v)) == 0)
            return p->convention;
        if (p->variant[0] == '\0' && base == NULL)
            base = p->convention;
    }
    return base;
}

void convention_register(struct mach_func *f)
{
    if (f->func->kind != FN_LOCAL)
        return;
    start_run();
    for (int class = 0; class < CLASS_FLAGS; class++)
        f->convention.clobbers[class] |= f->written[class];
    struct promise p = { f->func, variant_name(f->variant), &f->convention };
    vec_push(&promises.at, p);
}

void code_forget(void)
{
    memset(&promises, 0, sizeof promises);
    modulo_forget();
}

static struct mach_func *code_before_allocation(struct ir_func *ir, const struct core *core,
                                                bool keeps_iterations)
{
    struct mach_func *f = select_func(ir, core);
    if (f == NULL)
        return NULL;
    f->keeps_iterations = keeps_iterations;
    mach_check(f);
    pair_accesses(f);
    mach_check(f);
    schedule_func(f);
    mach_check(f);
    return f;
}

struct mach_func *code_from_ir(struct ir_func *ir, const struct core *core)
{
    struct mach_func *f = code_before_allocation(ir, core, false);
    if (f == NULL)
        return NULL;
    if (!allocate_registers(f)) {
        if (!f->overlaps_iterations)
            return NULL;
        f = code_before_allocation(ir, core, true);
        if (!allocate_registers(f))
            return NULL;
    }
    mach_check(f);
    if (!build_frame(f))
        return NULL;
    mach_check(f);
    return f;
}
