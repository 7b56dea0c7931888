/* compile.c: drives the stages over every module, function and variant.
 *
 * Takes a syntax tree; gives machine code and, from it, the texts of all
 * outputs. Subroutines are compiled before their callers, which read their
 * register conventions; the outputs keep the order of the source.
 *
 * Does not: write, print, or stop at the first function that has an error.
 */
#include "tool/compile.h"

#include <assert.h>
#include <string.h>

#include "lang/tree.h"

/* -- callees before callers -- */

struct ordering {
    struct func_list *list;
    VEC(const struct func *) seen;
};

static void order_func(struct ordering *o, struct func *f);

static void order_calls(struct ordering *o, const struct stmt *s)
{
    for (; s; s = s->next) {
        if (s->kind == S_CALL)
            order_func(o, s->callee);
        order_calls(o, s->body);
        order_calls(o, s->other);
        for (int i = 0; i < s->arm_count; i++)
            order_calls(o, s->arms[i].body);
    }
}

static void order_func(struct ordering *o, struct func *f)
{
    for (int i = 0; i < o->seen.n; i++)
        if (o->seen.at[i] == f)
            return;
    vec_push(&o->seen, f);
    order_calls(o, f->body);
    vec_push(&o->list->at, f);
}

void functions_callees_first(struct func_list *list, const struct module *m)
{
    struct ordering o = {.list = list};

    for (int i = 0; i < m->funcs.n; i++)
        order_func(&o, m->funcs.at[i]);
}

/* -- code -- */

const struct core *core_of(const struct variant *v, const struct compile_options *o)
{
    const struct core *core = o->core;

    if (!core && v->tune)
        core = core_find(v->tune);
    if (!core)
        core = core_default();
    return o->unfused ? core_unfused(core) : core;
}

struct compiled_func { const struct func *func; struct mach_func *code; };
struct compiled_list { VEC(struct compiled_func) at; };

static struct mach_func *compile_variant(struct arena *kept, struct ir_func *ir, struct func *f,
                                         const struct variant *v, const struct compile_options *o)
{
    struct mach_func *code;

    ir_finish(ir, f, v);
    code = code_from_ir(ir, core_of(v, o));
    return code && !o->whole ? code_keep(kept, code, f) : code;
}

/* What code was made of is released with it, but for a subroutine: its callers'
 * IR and code refer to that. */
static void release_after(const struct func *f, const struct compile_options *o, int complaints,
                          struct mem_mark mark)
{
    if (!o->whole && f->kind == FN_EXPORT && complaint_count() == complaints)
        mem_release_to(mark);
}

static void compile_func(struct compiled_list *done, struct arena *kept, struct func *f,
                         const struct compile_options *o)
{
    const int complaints = complaint_count(), n = f->variant_count;
    struct mach_func **code = arena_alloc(kept, sizeof *code * (size_t)n);
    const struct mem_mark all = mem_mark();
    struct ir_func *common = ir_for_variants(f);

    for (int i = 0; i < n; i++) {
        const struct mem_mark one = mem_mark();
        struct ir_func *ir = i + 1 < n ? ir_copy(common) : common;

        code[i] = compile_variant(kept, ir, f, &f->variants[i], o);
        release_after(f, o, complaints, one);
    }
    release_after(f, o, complaints, all);
    for (int i = 0; i < n; i++)
        if (code[i])
            vec_push(&done->at, ((struct compiled_func){f, code[i]}));
}

/* In the order of the source, whatever order they were compiled in. */
static void take_in_source_order(struct code_module *m, const struct compiled_list *done)
{
    for (int i = 0; i < m->module->funcs.n; i++)
        for (int k = 0; k < done->at.n; k++)
            if (done->at.at[k].func == m->module->funcs.at[i]) {
                vec_push(&m->funcs, done->at.at[k].code);
                m->features |= done->at.at[k].code->features;
            }
}

static struct code_module *compile_module(struct module *module, const struct compile_options *o)
{
    struct code_module *m = NEW(struct code_module);
    struct func_list order = {0};
    struct compiled_list done = {0};
    const int errors = error_count();

    module->prefix = o->prefix;
    m->module = module;
    m->arena = mem_arena();
    m->features = 1u << FEAT_BASE;
    functions_callees_first(&order, module);
    schedule_start(o->effort);
    for (int i = 0; i < order.at.n && error_count() == errors; i++)
        compile_func(&done, m->arena, order.at.at[i], o);
    take_in_source_order(m, &done);
    return m;
}

/* -- the pipeline -- */

struct program *compile_check(struct node *decls)
{
    return error_count() == 0 ? check_program(decls) : NULL;
}

bool compile_program(struct compilation *c, struct node *decls, const struct compile_options *o)
{
    c->program = compile_check(decls);
    if (!c->program || error_count() > 0)
        return false;
    for (int i = 0; i < c->program->modules.n; i++) {
        struct module *m = c->program->modules.at[i];

        if (!o->module || strcmp(o->module, m->name) == 0)
            vec_push(&c->modules, compile_module(m, o));
    }
    return error_count() == 0;
}

/* -- texts -- */

static struct text *add_output(struct outputs *out, char *name)
{
    struct output *file = vec_add(&out->files);

    *file = (struct output){.name = name};
    return &file->text;
}

struct module_text *compile_texts(const struct code_module *m, const struct compile_options *o)
{
    struct module_text *texts = NEW_ARRAY(struct module_text, o->targets.n + 1);

    for (int i = 0; i < o->targets.n; i++) {
        struct text *text = NEW(struct text);

        emit_module(text, m, o->targets.at[i], o->style);
        texts[i] = (struct module_text){.target = o->targets.at[i], .text = text,
                                        .name = emit_file_name(m->module, o->targets.at[i], o->style)};
    }
    return texts;
}

void compile_headers(struct outputs *out, const struct compilation *c,
                     const struct compile_options *o)
{
    for (int i = 0; i < c->modules.n; i++) {
        const struct code_module *m = c->modules.at[i];

        emit_header(add_output(out, mem_format("%s.h", m->module->name)), m, o->style);
    }
}

void compile_outputs(struct outputs *out, const struct compilation *c,
                     const struct compile_options *o)
{
    for (int i = 0; i < c->modules.n; i++) {
        const struct code_module *m = c->modules.at[i];

        for (int k = 0; k < o->targets.n; k++) {
            const struct target *t = o->targets.at[k];

            emit_module(add_output(out, emit_file_name(m->module, t, o->style)), m, t, o->style);
        }
        emit_header(add_output(out, mem_format("%s.h", m->module->name)), m, o->style);
    }
}

/* Copies of what the memory of one module will not outlive. */
static struct output keep_output(struct arena *a, const char *name, const struct text *text)
{
    struct output kept = {.name = arena_alloc(a, strlen(name) + 1),
                          .text = {.at = arena_alloc(a, text->n + 1), .n = text->n,
                                   .cap = text->n + 1}};

    memcpy(kept.name, name, strlen(name));
    if (text->n > 0)
        memcpy(kept.text.at, text->at, text->n);
    return kept;
}

enum made { MADE, NOT_COMPILED, NOT_ACCEPTED };

/* Compiles one module, and fills `made` with its outputs. */
static enum made make_outputs(struct output *made, struct arena *kept, struct module *module,
                              const struct compile_options *o, module_test *accept)
{
    const int errors = error_count();
    const struct code_module *m = compile_module(module, o);
    const struct module_text *texts;
    struct text header = {0};

    if (error_count() > errors)
        return NOT_COMPILED;
    texts = compile_texts(m, o);
    if (accept && !accept(m, texts, o->targets.n))
        return NOT_ACCEPTED;
    for (int i = 0; i < o->targets.n; i++)
        made[i] = keep_output(kept, texts[i].name, texts[i].text);
    emit_header(&header, m, o->style);
    made[o->targets.n] = keep_output(kept, mem_format("%s.h", module->name), &header);
    return MADE;
}

bool compile_modules(struct outputs *out, struct node *decls, const struct compile_options *o,
                     module_test *accept, int *modules)
{
    struct units *units = error_count() == 0 ? declare_program(decls) : NULL;
    struct arena *kept = mem_arena();
    const int count = o->targets.n + 1;
    struct output *made = NEW_ARRAY(struct output, count);
    int refused = 0;            /* errors so far, when `accept` made them all */

    for (int i = 0; units && i < unit_count(units); i++) {
        const int complaints = complaint_count();
        const struct mem_mark mark = mem_mark();
        struct module *m = elaborate_module(units, i);
        const bool is_wanted = !o->module || strcmp(o->module, m->name) == 0;
        enum made result = NOT_COMPILED;

        if (is_wanted && error_count() == refused) {
            ++*modules;
            result = make_outputs(made, kept, m, o, accept);
            code_forget();
        }
        if (result == NOT_ACCEPTED)
            refused = error_count();
        if (complaint_count() == complaints)
            mem_release_to(mark);
        for (int k = 0; result == MADE && k < count; k++)
            vec_push(&out->files, made[k]);
    }
    return units && error_count() == 0;
}

bool compile_text(const char *name, const char *text, size_t n)
{
    struct compile_options o = {.style = style_find("plain")};
    struct compilation c = {0};
    struct outputs out = {0};

    for (int i = 0; i < target_count(); i++)
        vec_push(&o.targets, target_at(i));
    diag_reset();
    if (!compile_program(&c, parse_text(name, text, n), &o))
        return false;
    compile_outputs(&out, &c, &o);
    return error_count() == 0;
}

int compile_check_text(const char *name, const char *text, size_t n)
{
    diag_reset();
    compile_check(parse_text(name, text, n));
    return error_count();
}
