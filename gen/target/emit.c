/* emit.c: writes a module's machine code as assembly text.
 *
 * Takes allocated code with its frames built, a platform row and a style row;
 * gives the whole file. The text is laid out for a reader: documentation and
 * contract above each kernel, and beside the first instruction of a statement
 * in each block the statement itself, or its algebra when the author gave it.
 *
 * Holds: one statement a line, `//` comments only, lower case; text from the
 * source is sanitised; nothing depends on the clock, a path, or the order of
 * a hash. An instruction is printed by its row of the instruction table.
 * Does not: choose or change instructions. The two that it adds, branch target
 * and signing of the return address, come from the style's row.
 */
#include <assert.h>
#include <string.h>

#include "base/broken.h"
#include "target/row.h"

enum { COMMENT_COLUMN = 48, COMMENT_WIDTH = 72, FUNCTION_ALIGN_LOG2 = 4 };

struct emitter {
    struct text *out;
    const struct code_module *module;
    const struct target *target;
    const struct style *style;
    /* of the function at hand */
    const struct mach_func *func;
    const char *symbol;                         /* without the platform's prefix */
    int *label_number;                          /* by block id; 0: none */
    bool signs;
    struct unwinder *unwinder;                  /* NULL: nothing to describe */
    VEC(uint64_t) shown;                        /* statements that this block has shown */
};

/* -- operands -- */

static const struct hardening *hardening(const struct emitter *e)
{
    return &e->style->hardening[e->target->format];
}

static char *label_name(const struct emitter *e, const struct mach_block *b)
{
    struct text name = {0};

    assert(e->label_number[b->id] != 0);
    text_add(&name, e->target->label);
    text_add(&name, e->symbol);
    text_add(&name, "_");
    text_add_number(&name, e->label_number[b->id]);
    return name.at;
}

/* The subroutine that this function's own variant calls, or else the base one. */
static const struct mach_func *compiled(const struct emitter *e, const struct func *callee)
{
    const struct mach_func *base = NULL;

    for (int i = 0; i < e->module->funcs.n; i++) {
        const struct mach_func *f = e->module->funcs.at[i];

        /* f->func is the copy that shape/ made; names are unique in a module. */
        if (strcmp(f->func->name, callee->name) != 0)
            continue;
        if (strcmp(f->variant->name, e->func->variant->name) == 0)
            return f;
        if (f->variant->name[0] == '\0')
            base = f;
    }
    assert(base);
    return base;
}

static const char *symbol_operand(const struct emitter *e, enum insn insn,
                                  const struct mach_operand *op)
{
    const char *name = op->callee   ? function_symbol(compiled(e, op->callee))
                       : op->tables ? tables_symbol(op->tables)
                                    : op->symbol;
    const char *template = insn == INSN_adrp       ? e->target->page
                           : insn == INSN_add_x_lo12 ? e->target->page_offset
                                                     : "$";
    struct text spelled = {0};

    assert(name);
    add_template(&spelled, template, mem_format("%s%s", e->target->symbol, name));
    return spelled.at;
}

static void print_insn(const struct emitter *e, const struct mach_insn *i)
{
    const struct insn_row *row = &insns[i->insn];
    struct phys_insn phys = {.insn = i->insn};

    for (int k = 0; k < row->operand_count; k++) {
        const struct mach_operand *op = &i->op[k];
        struct phys_operand *to = &phys.op[k];

        switch (row->op[k].kind) {
        case OP_LABEL:
            to->name = label_name(e, op->label);
            break;
        case OP_SYMBOL:
            to->name = symbol_operand(e, i->insn, op);
            break;
        case OP_IMM:
        case OP_COND:
            to->imm = op->imm + (e->target->packs_arguments ? op->packed : 0);
            break;
        default:
            assert(op->reg && op->reg->is_assigned);
            to->reg = op->reg->assigned;
            if (is_broken(BROKEN_EMISSION) && k == 2 && to->reg < 8)
                to->reg ^= 1;
            break;
        }
    }
    text_add(e->out, "\t");
    insn_print(e->out, &phys);
}

/* -- the statement beside its instruction -- */

/* A statement is known by its line. */
static uint64_t statement_of(const struct mach_insn *i)
{
    return (uint64_t)i->loc.file << 32 | i->loc.line;
}

/* What stands after `//=` on a line of the source, or the line. */
static const char *algebra_or_line(const char *line, size_t *n)
{
    for (size_t k = 0; k + 3 <= *n; k++)
        if (memcmp(line + k, "//=", 3) == 0) {
            *n -= k + 3;
            return line + k + 3;
        }
    return line;
}

char *statement_text(const struct mach_insn *i, int width)
{
    const char *s = i->algebra;
    size_t n = s ? strlen(s) : 0;
    char *clean;

    if (!s)
        s = algebra_or_line(source_line(i->loc.file, i->loc.line, &n), &n);
    while (n > 0 && (*s == ' ' || *s == '\t')) {
        s++;
        n--;
    }
    clean = one_line(s, n);
    if ((int)strlen(clean) > width)
        memcpy(clean + width - 3, "...", 4);
    return clean;
}

static void add_statement(struct emitter *e, const struct mach_insn *i)
{
    const uint64_t which = statement_of(i);
    const char *statement;

    if (i->part != PART_BODY || i->loc.file == 0)
        return;
    for (int k = e->shown.n; k-- > 0;)
        if (e->shown.at[k] == which)
            return;
    vec_push(&e->shown, which);
    statement = statement_text(i, COMMENT_WIDTH);
    if (!*statement)
        return;
    text_column(e->out, COMMENT_COLUMN);
    text_add(e->out, "// ");
    text_add(e->out, statement);
}

/* -- one function -- */

static bool saves_link_register(const struct mach_func *f)
{
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i; i = i->next) {
            const enum unwind_kind kind = i->unwind.kind;

            if (kind == UNWIND_SAVE_FPLR || kind == UNWIND_SAVE_FPLR_X ||
                (kind == UNWIND_SAVE_REG && i->unwind.reg == REG_LINK) ||
                (kind == UNWIND_SAVE_REG_PAIR && i->unwind.reg == REG_FRAME))
                return true;
        }
    return false;
}

int *number_labels(const struct mach_func *f)
{
    int ids = 0, next = 1;
    int *number;

    for (int k = 0; k < f->blocks.n; k++)
        if (f->blocks.at[k]->id >= ids)
            ids = f->blocks.at[k]->id + 1;
    number = NEW_ARRAY(int, ids);
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i; i = i->next)
            for (int n = 0; n < insns[i->insn].operand_count; n++)
                if (insns[i->insn].op[n].kind == OP_LABEL)
                    number[i->op[n].label->id] = -1;
    for (int k = 0; k < f->blocks.n; k++)
        if (number[f->blocks.at[k]->id] != 0)
            number[f->blocks.at[k]->id] = next++;
    return number;
}

static void emit_insn(struct emitter *e, const struct mach_insn *i)
{
    const struct unwind_format *unwind = e->target->unwind;
    const bool authenticates = e->signs && (insns[i->insn].flags & IS_RETURN);

    if (i->probes_stack && !e->target->probes_stack)
        return;
    if (authenticates) {
        text_add(e->out, hardening(e)->authenticate);
        if (e->unwinder)
            unwind->signing(e->out, e->unwinder);
    }
    if (e->unwinder)
        unwind->before(e->out, e->unwinder, i);
    print_insn(e, i);
    add_statement(e, i);
    text_add(e->out, "\n");
    if (e->unwinder)
        unwind->after(e->out, e->unwinder, i);
}

static void emit_block(struct emitter *e, const struct mach_block *b)
{
    if (e->unwinder)
        e->target->unwind->block(e->out, e->unwinder, b);
    if (e->label_number[b->id] != 0)
        text_format(e->out, "%s:\n", label_name(e, b));
    e->shown.n = 0;
    for (const struct mach_insn *i = b->first; i; i = i->next)
        emit_insn(e, i);
}

static void emit_entry(struct emitter *e, const char *symbol)
{
    const struct unwind_format *unwind = e->target->unwind;
    const bool is_export = e->func->func->kind == FN_EXPORT;

    text_format(e->out, "\t.p2align\t%d\n", FUNCTION_ALIGN_LOG2);
    if (e->unwinder)
        add_template(e->out, unwind->before_label, symbol);
    text_format(e->out, "%s:\n", symbol);
    if (e->unwinder) {
        add_template(e->out, unwind->after_label, symbol);
        text_add(e->out, hardening(e)->proc);
    }
    if (e->signs) {
        text_add(e->out, is_export ? hardening(e)->sign : hardening(e)->sign_local);
        if (e->unwinder)
            unwind->signing(e->out, e->unwinder);
    } else if (is_export) {
        const bool is_framed = e->unwinder && e->func->blocks.at[0]->first->part == PART_PROLOGUE;

        text_add(e->out, is_framed ? hardening(e)->entry_framed : hardening(e)->entry);
    }
}

static void add_heading(struct emitter *e)
{
    struct text prototype = {0};

    if (e->func->func->kind == FN_EXPORT) {
        add_prototype(&prototype, e->func, e->symbol);
        add_comment(e->out, "//", prototype.at);
        text_add(e->out, "//\n");
        add_contract(e->out, e->func, "//");
        return;
    }
    text_format(e->out, "// %s: a subroutine of this file\n//\n", e->symbol);
    if (e->func->func->doc) {
        add_comment(e->out, "//", e->func->func->doc);
        text_add(e->out, "//\n");
    }
    add_convention(e->out, e->func, "//");
}

static void emit_func(struct emitter *e, const struct mach_func *f)
{
    const struct unwind_format *unwind = e->target->unwind;
    const bool is_export = f->func->kind == FN_EXPORT;
    const char *symbol;

    e->func = f;
    e->symbol = function_symbol(f);
    e->label_number = number_labels(f);
    e->signs = saves_link_register(f);
    e->unwinder = unwind->is_needed(f) ? unwind->begin(f, e->signs, hardening(e)->toggled) : NULL;
    symbol = mem_format("%s%s", e->target->symbol, e->symbol);

    text_add(e->out, "\n");
    add_heading(e);
    add_template(e->out, is_export ? e->target->exported : e->target->local, symbol);
    emit_entry(e, symbol);
    for (int k = 0; k < f->blocks.n; k++)
        emit_block(e, f->blocks.at[k]);
    if (e->unwinder)
        add_template(e->out, unwind->end, symbol);
    add_template(e->out, e->target->function_end, symbol);
}

/* -- the file -- */

static const char *arch_directive(const struct target *t, uint32_t needed)
{
    const struct arch_row *row = t->arch;

    while ((needed & ~row->features) != 0)
        row++;
    return row->directive;
}

static void emit_file_comment(const struct emitter *e)
{
    const struct module *m = e->module->module;
    const char *name = one_line(m->name, strlen(m->name));

    text_format(e->out, "// %s for %s: AArch64 assembly, little-endian.\n", name,
                e->target->title);
    text_format(e->out, "// Generated by kgen from module \"%s\". Do not edit: change the module.\n",
                name);
    if (m->doc) {
        text_add(e->out, "//\n");
        add_comment(e->out, "//", m->doc);
    }
    text_add(e->out, "\n");
}

/* Systems on which the guard holds and the code would not. */
static void emit_refusals(struct text *out)
{
    static const struct { const char *condition, *reason; } refused[] = {
        {"defined(__AARCH64EB__)", "this file is for little-endian systems"},
        {"defined(__ILP32__)", "this file is for systems whose pointers and size_t have 64 bits"},
        {"defined(_M_ARM64EC) || defined(__arm64ec__)",
         "this file uses registers that ARM64EC forbids"},
    };

    for (int i = 0; i < COUNT(refused); i++)
        text_format(out, "#if %s\n#error \"%s\"\n#endif\n", refused[i].condition,
                    refused[i].reason);
    text_add(out, "\n");
}

/* Room for about all that will be written, so that the text is not copied as it grows. */
static void make_room(struct text *out, const struct code_module *m)
{
    enum { A_FILE = 16384, AN_INSTRUCTION = 36, A_TABLE_BYTE = 7 };
    size_t n = A_FILE + (size_t)m->module->tables_size * A_TABLE_BYTE;

    for (int i = 0; i < m->funcs.n; i++)
        n += (size_t)m->funcs.at[i]->insn_count * AN_INSTRUCTION;
    (void)text_room(out, n);
}

void emit_module(struct text *out, const struct code_module *m, const struct target *t,
                 const struct style *s)
{
    struct emitter e = {.out = out, .module = m, .target = t, .style = s};
    const char *guard = s->guard[t->format];

    make_room(out, m);
    emit_file_comment(&e);
    if (*s->includes)
        text_format(out, "%s\n", s->includes);
    text_format(out, "#if %s\n\n", guard);
    emit_refusals(out);
    text_add(out, arch_directive(t, m->features));
    text_add(out, t->text);
    for (int i = 0; i < m->funcs.n; i++)
        emit_func(&e, m->funcs.at[i]);
    emit_tables(out, m->module, t);
    text_add(out, t->file_end);
    text_format(out, "\n#endif  // %s\n", guard);
    if (*s->notes[t->format])
        text_format(out, "\n%s", s->notes[t->format]);
}
