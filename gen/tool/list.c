/* list.c: the listing of a kernel, for a person who reviews it.
 *
 * Takes compiled code that still has its names. Each instruction is a line: its
 * offset, the instruction, what it computes and where the source says so, the cycle
 * and port it issues on by the model of a core, what it waited for, and the
 * registers that are alive behind it. A loop is run until it repeats itself and its
 * cycles are those of one turn; any other block is run alone, from cycle 0.
 *
 * The text depends on the source and the core only, so that two listings can be
 * compared with diff: offsets, cycles and what is waited for are counted from the
 * beginning of the block or loop, labels are those of the output.
 */
#include <assert.h>
#include <string.h>

#include "code/build.h"
#include "tool/alive.h"
#include "tool/loops.h"
#include "tool/options.h"

enum { COLUMN_CODE = 8, COLUMN_NAME = 52, COLUMN_LINE = 82, COLUMN_CYCLE = 87, COLUMN_WAIT = 103,
       COLUMN_LIVE = 121, COMPUTES_WIDTH = COLUMN_LINE - COLUMN_NAME - 2, TURNS = 40 };

struct listing {
    struct text *out;
    const struct mach_func *f;
    const struct core *core;
    struct pipeline *pipeline;
    const int *labels;          /* as in the output, by block */
    uint64_t *live;             /* by instruction, in layout order: registers alive behind it */
    int first;                  /* the first instruction of the block or loop that is printed */
    int at;                     /* the instruction that is next */
    int kinds[16];
};

/* -- what an instruction computes -- */

static void add_name(struct text *t, const char *name)
{
    if (name == NULL || name[0] == '\0')
        return;
    text_format(t, "%s%s", t->n > 0 ? ", " : "", name);
}

static void add_memory(struct text *t, const struct mach_insn *i)
{
    if (i->mem_count == 0 || i->mem.object == NULL || i->mem.object->name == NULL)
        return;
    text_format(t, "%s%s", t->n > 0 ? " = " : "", i->mem.object->name);
    if (i->mem.disp != 0)
        text_format(t, "%+lld", (long long)i->mem.disp);
}

/* Of what is in no statement. */
static const char *without_statement(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    if ((row->flags & IS_STORE) != 0)
        return "(wipe)";
    return row->timing_class == TIME_MOVE_IMM ? "(constant)" : NULL;
}

/* Names and algebra; where there are none, the statement. */
static const char *meaning_of(const struct mach_insn *i)
{
    const struct insn_row *row = row_of(i);
    struct text t = { 0 };
    if (i->part != PART_BODY)
        return i->part == PART_PROLOGUE ? "(prologue)" : "(epilogue)";
    if ((row->flags & IS_STORE) != 0) {
        add_memory(&t, i);
        for (int k = 0; k < row->operand_count && k < 2; k++)
            if (row->op[k].role == ROLE_USE && i->op[k].reg != NULL
                && i->op[k].reg->name != NULL && i->op[k].reg->name[0] != '\0'
                && k != insn_base_operand(i))
                text_format(&t, "%s%s", k == 0 ? " = " : ", ", i->op[k].reg->name);
        return t.n > 0 || i->loc.file != 0 ? t.at : without_statement(i);
    }
    for (int k = 0; k < row->operand_count; k++)
        if ((row->op[k].role == ROLE_DEF || row->op[k].role == ROLE_TIED) && i->op[k].reg != NULL
            && k != insn_base_operand(i))
            add_name(&t, i->op[k].reg->name);
    add_memory(&t, i);
    if (i->algebra != NULL)
        text_format(&t, "%s%s", t.n > 0 ? "  " : "", i->algebra);
    if (t.n == 0)
        return i->loc.file != 0 ? statement_text(i, COMPUTES_WIDTH) : without_statement(i);
    if (t.n > COMPUTES_WIDTH)
        strcpy(t.at + COMPUTES_WIDTH - 3, "...");
    return t.at;
}

/* -- when it issues -- */

static const char *const wait_words[WAIT_COUNT] = {
    [WAIT_NOTHING] = NULL, [WAIT_SLOT] = "slot", [WAIT_OPERAND] = "operand", [WAIT_PORT] = "port",
    [WAIT_WRITE_BACK] = "write-back", [WAIT_WINDOW] = "window",
};

/* For how many cycles an operand was waited for says nothing out of order: the window
 * is as far ahead as it has room. */
static void print_wait(struct listing *l, const struct pipeline_event *e)
{
    if (e->wait == WAIT_NOTHING || e->waited == 0)
        return;
    text_column(l->out, COLUMN_WAIT);
    if (l->core->in_order || e->wait != WAIT_OPERAND)
        text_format(l->out, "%d ", e->waited);
    if (e->wait == WAIT_OPERAND && e->on >= 0)
        text_format(l->out, "for %04x", 4 * e->on);
    else
        text_format(l->out, "for %s", wait_words[e->wait]);
}

static void print_event(struct listing *l, const struct pipeline_event *e)
{
    text_column(l->out, COLUMN_CYCLE);
    text_format(l->out, "%5d", e->cycle);
    if (e->port >= 0)
        text_format(l->out, " %s", l->core->port_names[e->port]);
    print_wait(l, e);
}

enum { LOADS, STORES, INTEGERS, MULTIPLIES, MOVES, BRANCHES, CALLS, VECTORS, TABLES, AES };
static const char *const kinds[] = {
    [LOADS] = "load", [STORES] = "store", [INTEGERS] = "integer", [MULTIPLIES] = "multiply",
    [MOVES] = "move", [BRANCHES] = "branch", [CALLS] = "call", [VECTORS] = "vector",
    [TABLES] = "table look-up", [AES] = "AES",
};

static int kind_of(const struct mach_insn *i)
{
    const enum timing_class t = (enum timing_class)row_of(i)->timing_class;
    const uint32_t flags = row_of(i)->flags;
    if ((flags & IS_LOAD) != 0)
        return LOADS;
    if ((flags & IS_STORE) != 0)
        return STORES;
    if (t == TIME_BRANCH)
        return BRANCHES;
    if (t == TIME_CALL)
        return CALLS;
    if (t == TIME_MOVE || t == TIME_V_MOVE)
        return MOVES;
    if ((t >= TIME_MUL_W && t <= TIME_DIV) || t == TIME_V_MUL || t == TIME_V_MUL_LONG
        || t == TIME_PMULL)
        return MULTIPLIES;
    if (t >= TIME_V_TABLE_1 && t <= TIME_V_TABLE_4)
        return TABLES;
    if (t == TIME_AES || t == TIME_AES_MIX)
        return AES;
    return t >= TIME_V_LOGIC ? VECTORS : INTEGERS;
}

static void print_kinds(struct text *out, const int *count)
{
    bool any = false;
    for (int k = 0; k < COUNT(kinds); k++) {
        if (count[k] == 0)
            continue;
        text_format(out, "%s%d %s", any ? ", " : "", count[k], kinds[k]);
        any = true;
    }
}

/* -- lines -- */

static void print_line(struct listing *l, const struct mach_insn *i, const struct pipeline_event *e)
{
    const char *meaning = meaning_of(i);
    struct text code = { 0 };
    loop_print_insn(&code, i, l->labels);
    text_format(l->out, "  %04x%s", 4 * (l->at - l->first), i->is_late ? "'" : "");
    text_column(l->out, COLUMN_CODE);
    for (const char *c = code.at; *c != '\0'; c++)
        if (*c == '\t')
            text_column(l->out, COLUMN_CODE + 8);
        else
            text_add_n(l->out, c, 1);
    if (meaning != NULL) {
        text_column(l->out, COLUMN_NAME);
        text_add(l->out, meaning);
    }
    if (i->loc.file != 0) {
        text_column(l->out, COLUMN_LINE);
        text_format(l->out, "%4u", i->loc.line);
    }
    print_event(l, e);
    text_column(l->out, COLUMN_LIVE);
    alive_print(l->out, l->live[l->at]);
    while (l->out->n > 0 && l->out->at[l->out->n - 1] == ' ')
        l->out->at[--l->out->n] = '\0';
    text_add(l->out, "\n");
    l->kinds[kind_of(i)]++;
    l->at++;
}

/* -- blocks and loops -- */

/* Only here stands an offset in the function: an instruction more changes the block that
 * it is in, and the labels behind it. */
static void print_label(struct listing *l, const struct mach_block *b)
{
    if (l->labels[b->id] > 0)
        text_format(l->out, ".L%d:", l->labels[b->id]);
    else
        text_add(l->out, l->at > 0 ? "behind it:" : "entry:");
    text_column(l->out, COLUMN_CODE + 4);
    text_format(l->out, "at %04x\n", 4 * l->at);
}

static void print_blocks(struct listing *l, int from, int to, struct mach_insn *const *insn, int n,
                         int turns)
{
    struct pipeline_event *events = NEW_ARRAY(struct pipeline_event, n + 1);
    int k = 0;
    l->first = l->at;
    pipeline_load(l->pipeline, insn, n);
    pipeline_run(l->pipeline, NULL, n, turns, events);
    for (int b = from; b <= to; b++) {
        print_label(l, l->f->blocks.at[b]);
        for (const struct mach_insn *i = l->f->blocks.at[b]->first; i != NULL; i = i->next, k++)
            print_line(l, i, &events[k]);
    }
}

static void print_straight(struct listing *l, int b)
{
    const struct mach_block *block = l->f->blocks.at[b];
    int n = 0;
    for (struct mach_insn *i = block->first; i != NULL; i = i->next)
        n++;
    struct mach_insn **insn = NEW_ARRAY(struct mach_insn *, n + 1);
    n = 0;
    for (struct mach_insn *i = block->first; i != NULL; i = i->next)
        insn[n++] = i;
    print_blocks(l, b, b, insn, n, 1);
}

static void print_hundredths(struct text *out, int n) { text_format(out, "%d.%02d", n / 100, n % 100); }

static void print_stages(struct text *out, const struct loop *loop)
{
    const struct loop_order *o = loop->header->ordered;
    const struct core *const *judges = loop->f->core->judges;
    if (o == NULL)
        return;
    text_add(out, "modulo scheduled for an interval of ");
    print_hundredths(out, o->interval);
    for (int k = 0; judges != NULL && judges[k] != NULL; k++)
        text_format(out, "%s%s", k == 0 ? ", summed over " : " + ", judges[k]->name);
    if (o->late > 0)
        text_format(out, " in two stages; ' is the second one, of the iteration before (%d of %d)",
                    o->late, loop->n);
    else
        text_add(out, " in one stage");
    text_add(out, "\n");
}

static void print_loop(struct listing *l, const struct loop *loop, int from, int to)
{
    const struct loop_cost c = loop_cost(l->pipeline, l->core, loop);
    const char *set_by;
    const int least = loop_least(&c, &set_by);
    int before[COUNT(kinds)], count[COUNT(kinds)];
    text_format(l->out, "\nloop of line %u, %d step%s a turn: ", loop->loc.line, loop->steps,
                loop->steps == 1 ? "" : "s");
    print_hundredths(l->out, c.cycles);
    text_add(l->out, " cycles a turn, at least ");
    print_hundredths(l->out, least);
    text_format(l->out, " by %s\n", set_by);
    print_stages(l->out, loop);
    memcpy(before, l->kinds, sizeof before);
    print_blocks(l, from, to, loop->insn, loop->n, TURNS);
    for (int k = 0; k < COUNT(kinds); k++)
        count[k] = l->kinds[k] - before[k];
    text_format(l->out, "end of the loop: %d instructions: ", loop->n);
    print_kinds(l->out, count);
    text_add(l->out, "\n\n");
}

/* The loop whose first block is B; it ends with TO. */
static const struct loop *loop_at(const struct loop_list *loops, const struct mach_func *f, int b,
                                  int *to)
{
    const struct mach_insn *first = f->blocks.at[b]->first;
    for (int k = 0; k < loops->at.n; k++) {
        const struct loop *l = &loops->at.at[k];
        if (l->header == NULL || l->insn[0] != first)
            continue;
        *to = l->insn[l->n - 1]->block->id;
        return l;
    }
    return NULL;
}

static bool has_aes(const struct mach_func *f)
{
    for (int b = 0; b < f->blocks.n; b++)
        for (const struct mach_insn *i = f->blocks.at[b]->first; i != NULL; i = i->next)
            if (row_of(i)->timing_class == TIME_AES_MIX)
                return true;
    return false;
}

static const struct { int at; const char *title; } columns[] = {
    { 0, "offset" }, { COLUMN_CODE, "instruction" }, { COLUMN_NAME, "computes" },
    { COLUMN_LINE, "line" }, { COLUMN_CYCLE, "cycle port" }, { COLUMN_WAIT, "waited" },
    { COLUMN_LIVE, "alive behind it" },
};

static void print_heading(struct listing *l, bool pairs)
{
    text_format(l->out, "%s, %s:%u, scheduled for %s, issued on %s\n", l->f->name,
                source_name(l->f->func->loc.file), l->f->func->loc.line, l->f->core->name,
                l->core->name);
    if (l->core->fuses_aes_pair && has_aes(l->f))
        text_format(l->out, "aese and aesmc that stand together count as %s\n",
                    pairs ? "one, as the core joins them"
                          : "two, as for llvm-mca (--pairs: as one, as the core joins them)");
    for (int k = 0; k < COUNT(columns); k++) {
        if (columns[k].at > 0)
            text_column(l->out, columns[k].at);
        text_add(l->out, columns[k].title);
    }
    text_add(l->out, "\n");
}

static void print_listing(struct text *out, struct mach_func *f, const struct command_line *line)
{
    struct listing l = { .out = out, .f = f, .labels = number_labels(f), .live = alive_behind(f) };
    struct loop_list loops = { 0 };
    l.core = line->core != NULL ? line->core : f->core;
    l.pipeline = pipeline_new(l.core, line->pairs);
    loops_find(&loops, f);
    print_heading(&l, line->pairs);
    for (int b = 0; b < f->blocks.n; b++) {
        int to = b;
        const struct loop *loop = loop_at(&loops, f, b, &to);
        if (loop != NULL)
            print_loop(&l, loop, b, to);
        else if (f->blocks.at[b]->first != NULL)
            print_straight(&l, b);
        b = to;
    }
    text_format(out, "\n%d bytes, %d instructions: ", 4 * l.at, l.at);
    print_kinds(out, l.kinds);
    text_format(out, "; %d loads or constants repeated\n", f->reload_count);
}

/* -- the command -- */

enum status run_list(struct command_line *line)
{
    struct compilation c = { 0 };
    struct text out = { 0 };
    const char *file, *kernel;

    take_kernel(line, &file, &kernel);
    if (kernel == NULL)
        return usage_error("'kgen list' takes %s", line->command->operands);
    line->compile.whole = true;
    const enum status status = compile_source(&c, line, file);
    if (status != STATUS_DONE)
        return status;
    for (int m = 0; m < c.modules.n; m++)
        for (int k = 0; k < c.modules.at[m]->funcs.n; k++)
            if (strcmp(c.modules.at[m]->funcs.at[k]->name, kernel) == 0)
                print_listing(&out, c.modules.at[m]->funcs.at[k], line);
    if (out.n == 0)
        return usage_error("there is no kernel '%s'", kernel);
    return print_text(&out);
}
