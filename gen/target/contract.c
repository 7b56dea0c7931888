/* contract.c: what a caller of a kernel must know, in words.
 *
 * The same lines stand above the kernel's label and above its prototype in
 * the C header: the author's documentation, every parameter with direction,
 * extent in bytes and allowed values, preconditions, which arrays may be the
 * same, and the CPU features that its instructions need.
 */
#include <assert.h>
#include <string.h>

#include "target/row.h"

static_assert(FEAT_COUNT == 5, "a new CPU feature needs its name for readers below");
static const char *const feature_titles[FEAT_COUNT] = {
    [FEAT_BASE] = "Armv8.0 with Advanced SIMD",
    [FEAT_AES] = "the AES and PMULL instructions (FEAT_AES, FEAT_PMULL)",
    [FEAT_SHA2] = "the SHA-1 and SHA-256 instructions (FEAT_SHA1, FEAT_SHA256)",
    [FEAT_SHA512] = "the SHA-512 instructions (FEAT_SHA512)",
    [FEAT_SHA3] = "the SHA-3 instructions (FEAT_SHA3)",
};

static const char *const direction_names[] = {
    [DIR_VALUE] = "", [DIR_IN] = "in", [DIR_OUT] = "out", [DIR_INOUT] = "inout",
};

/* -- the prototype -- */

static void add_c_parameter(struct text *out, const struct param *p)
{
    const struct object *o = p->object;

    if (!o) {
        text_format(out, "%s %s", value_types[p->type].c_name, p->name);
        return;
    }
    if (o->direction == DIR_IN)
        text_add(out, "const ");
    text_format(out, "%s *%s", o->layout ? o->layout->name : value_types[o->element].c_name,
                p->name);
}

void add_prototype(struct text *out, const struct mach_func *f, const char *symbol)
{
    const struct func *func = f->func;
    const enum value_type result = func->result_count > 0 ? func->results[0] : TYPE_VOID;
    const size_t start = out->n;

    text_format(out, "%s %s(", value_types[result].c_name, symbol);
    for (int i = 0; i < func->param_count; i++) {
        struct text one = {0};

        add_c_parameter(&one, &func->params[i]);
        if (i > 0)
            text_add(out, ",");
        if (i > 0 && out->n - start + one.n > 90 && !memchr(out->at + start, '\n', out->n - start))
            text_add(out, "\n        ");
        else if (i > 0)
            text_add(out, " ");
        text_add(out, one.at);
    }
    text_add(out, func->param_count > 0 ? ")" : "void)");
}

/* -- the contract -- */

static void add_memory(struct text *out, const struct object *o)
{
    text_add(out, direction_names[o->direction]);
    if (o->layout)
        text_format(out, ", %s", o->layout->name);
    else {
        text_add(out, ", ");
        add_formula(out, o->extent);
        text_add(out, " bytes");
    }
    if (o->align > 1 && !o->layout && o->element != TYPE_VOID &&
        o->align > (uint64_t)(type_is_vector(o->element) ? 1 : type_bytes(o->element)))
        text_format(out, ", aligned to %u bytes", (unsigned)o->align);
    if (!o->layout && !o->secret)
        text_add(out, ", public");
}

static void add_parameters(struct text *out, const struct func *f, const char *prefix)
{
    int width = 0;

    for (int i = 0; i < f->param_count; i++)
        if ((int)strlen(f->params[i].name) > width)
            width = (int)strlen(f->params[i].name);
    for (int i = 0; i < f->param_count; i++) {
        const struct param *p = &f->params[i];

        text_format(out, "%s   %-*s  ", prefix, width, p->name);
        if (p->object)
            add_memory(out, p->object);
        else {
            text_add(out, value_types[p->type].c_name);
            if (p->set.n > 0) {
                text_add(out, ", ");
                add_value_set(out, &p->set);
            }
            if (p->secret)
                text_add(out, ", secret");
        }
        text_add(out, "\n");
    }
}

static void add_where(struct text *out, const struct func *f, const char *prefix)
{
    for (int i = 0; i < f->where_count; i++) {
        text_format(out, "%s   where ", prefix);
        add_formula(out, f->where[i]);
        text_add(out, "\n");
    }
}

/* "r may be the same array as a or b." */
static void add_aliases(struct text *out, const struct func *f, const char *prefix)
{
    int memory = 0;
    bool any = false;

    for (int i = 0; i < f->param_count; i++) {
        const struct object *a = f->params[i].object;
        int others = 0;

        memory += a != NULL;
        for (int j = 0; a && j < f->param_count; j++) {
            const struct object *b = f->params[j].object;

            if (!b || a == b || a->direction == DIR_IN || !objects_may_be_same(f, a, b) ||
                (j < i && b->direction != DIR_IN))
                continue;
            if (others++ == 0)
                text_format(out, "%s %s may be the same array as %s", prefix, a->name, b->name);
            else
                text_format(out, " or %s", b->name);
        }
        if (others > 0)
            text_add(out, ".\n");
        any |= others > 0;
    }
    if (memory > 1)
        text_format(out, "%s Arrays do not overlap%s.\n", prefix, any ? " otherwise" : "");
}

static void add_features(struct text *out, const struct mach_func *f, const char *prefix)
{
    const uint32_t needed = f->features;

    text_format(out, "%s Needs %s", prefix, feature_titles[FEAT_BASE]);
    for (int i = FEAT_BASE + 1; i < FEAT_COUNT; i++)
        if (needed >> i & 1)
            text_format(out, ",\n%s   %s", prefix, feature_titles[i]);
    text_add(out, ".\n");
}

void add_contract(struct text *out, const struct mach_func *f, const char *prefix)
{
    const struct func *func = f->func;

    if (func->doc) {
        add_comment(out, prefix, func->doc);
        text_format(out, "%s\n", prefix);
    }
    add_parameters(out, func, prefix);
    add_where(out, func, prefix);
    add_aliases(out, func, prefix);
    add_features(out, f, prefix);
}

/* -- the convention of a subroutine -- */

static const char register_prefix[CLASS_COUNT] = {[CLASS_GENERAL] = 'x', [CLASS_VECTOR] = 'v'};

static void add_registers(struct text *out, enum reg_class class, uint32_t set, const char **before)
{
    for (int first = 0; first < 32; first++) {
        int last = first;

        if (!(set >> first & 1))
            continue;
        while (last < 31 && (set >> (last + 1) & 1))
            last++;
        text_format(out, "%s %c%d", *before, register_prefix[class], first);
        if (last > first)
            text_format(out, " to %c%d", register_prefix[class], last);
        *before = ",";
        first = last;
    }
}

void add_convention(struct text *out, const struct mach_func *f, const char *prefix)
{
    const struct convention *c = &f->convention;
    const char *before = "Changes";

    for (int i = 0; i < c->param_count; i++)
        text_format(out, "%s   %c%d  %s\n", prefix, register_prefix[c->param_classes[i]],
                    c->params[i], i < f->func->param_count ? f->func->params[i].name : "a constant");
    for (int i = 0; i < c->result_count; i++)
        text_format(out, "%s   %c%d  result\n", prefix,
                    register_prefix[c->result_classes[i]], c->results[i]);
    text_format(out, "%s ", prefix);
    add_registers(out, CLASS_GENERAL, c->clobbers[CLASS_GENERAL], &before);
    add_registers(out, CLASS_VECTOR, c->clobbers[CLASS_VECTOR], &before);
    text_add(out, ".\n");
}
