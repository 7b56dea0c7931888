/* dump.c: stops the pipeline after one stage and prints what it made.
 *
 * One row a stage: how its result is printed for the whole source, for one
 * function, or out of machine code at some point of its path. The stages run
 * in the order in which compile.c runs them.
 */
#include "tool/dump.h"

#include <assert.h>
#include <string.h>

#include "lang/tree.h"
#include "shape/shape.h"

enum code_stage { CODE_NONE, CODE_SELECT, CODE_PAIR, CODE_SCHEDULE, CODE_ALLOCATE, CODE_FRAME };

struct dump {
    const char *name;
    /* Exactly one of: */
    void (*source)(struct text *out, const struct node *decls);
    void (*function)(struct text *out, struct func *f, const struct variant *v);
    enum code_stage code;
    bool is_assembly;
};

static void dump_tree(struct text *out, struct func *f, const struct variant *v)
{
    if (v == &f->variants[0])               /* variants differ later */
        tree_print_func(out, f);
}

static void dump_shape(struct text *out, struct func *f, const struct variant *v)
{
    (void)v;                    /* shapes do not depend on it: widths are in the source */
    tree_print_func(out, shape_func(f));
}

static void dump_ir(struct text *out, struct func *f, const struct variant *v)
{
    struct ir_func *ir = ir_from_func(f, v);

    if (ir)
        ir_print(out, ir);
}

static const struct dump dumps[] = {
    {.name = "ast", .source = ast_print},
    {.name = "tree", .function = dump_tree},
    {.name = "shape", .function = dump_shape},
    {.name = "ir", .function = dump_ir},
    {.name = "select", .code = CODE_SELECT},
    {.name = "pair", .code = CODE_PAIR},
    {.name = "schedule", .code = CODE_SCHEDULE},
    {.name = "allocate", .code = CODE_ALLOCATE},
    {.name = "frame", .code = CODE_FRAME},
    {.name = "asm", .is_assembly = true},
};

const struct dump *dump_find(const char *stage)
{
    for (int i = 0; i < COUNT(dumps); i++)
        if (strcmp(dumps[i].name, stage) == 0)
            return &dumps[i];
    return NULL;
}

void dump_names(struct text *out)
{
    for (int i = 0; i < COUNT(dumps); i++)
        text_format(out, "%s%s", i == 0 ? "" : ", ", dumps[i].name);
}

/* A stage after the wanted one runs only where callers need what it gives. */
static void dump_code(struct text *out, struct func *f, const struct variant *v,
                      enum code_stage wanted, const struct core *core)
{
    struct ir_func *ir = ir_from_func(f, v);
    struct mach_func *code = ir ? select_func(ir, core) : NULL;

    if (!code)
        return;
    if (wanted == CODE_SELECT)
        mach_print(out, code);
    pair_accesses(code);
    if (wanted == CODE_PAIR)
        mach_print(out, code);
    schedule_func(code);
    if (wanted == CODE_SCHEDULE)
        mach_print(out, code);
    if (!allocate_registers(code))
        return;
    if (wanted == CODE_ALLOCATE)
        mach_print(out, code);
    build_frame(code);
    if (wanted == CODE_FRAME)
        mach_print(out, code);
}

static void dump_module(struct text *out, const struct dump *d, const struct module *m,
                        const struct compile_options *o)
{
    struct func_list order = {0};

    functions_callees_first(&order, m);
    schedule_start(o->effort);
    for (int i = 0; i < order.at.n; i++)
        for (int k = 0; k < order.at.at[i]->variant_count; k++) {
            struct func *f = order.at.at[i];
            const struct variant *v = &f->variants[k];

            if (d->function)
                d->function(out, f, v);
            else
                dump_code(out, f, v, d->code, core_of(v, o));
        }
}

static bool dump_assembly(struct text *out, struct node *decls, const struct compile_options *o)
{
    struct compilation c = {0};

    if (!compile_program(&c, decls, o))
        return false;
    for (int i = 0; i < c.modules.n; i++)
        for (int k = 0; k < o->targets.n; k++)
            emit_module(out, c.modules.at[i], o->targets.at[k], o->style);
    return true;
}

bool dump_stage(struct text *out, const struct dump *d, struct node *decls,
                const struct compile_options *o)
{
    const struct program *program;

    if (d->source) {
        d->source(out, decls);
        return error_count() == 0;
    }
    if (d->is_assembly)
        return dump_assembly(out, decls, o);
    program = compile_check(decls);
    for (int i = 0; program && i < program->modules.n; i++)
        if (!o->module || strcmp(o->module, program->modules.at[i]->name) == 0)
            dump_module(out, d, program->modules.at[i], o);
    return error_count() == 0;
}
