/* loops.c: finds the loops of finished code, names them and measures them.
 *
 * What a turn makes is known from where the loop came from: shape/ marks each loop
 * with the turns of the source's loops that it unrolls or weaves, its own and those
 * around it; the bytes are those that its instructions move between registers and
 * array parameters (a struct or a table is no data).
 */
#include "tool/loops.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "code/build.h"

/* -- which blocks -- */

/* The last block that jumps back to block K, or -1. */
static int latch_of(const struct mach_func *f, int k)
{
    for (int b = f->blocks.n - 1; b >= k; b--)
        for (const struct mach_insn *i = f->blocks.at[b]->first; i != NULL; i = i->next)
            for (int o = 0; o < row_of(i)->operand_count; o++)
                if (row_of(i)->op[o].kind == OP_LABEL && i->op[o].label == f->blocks.at[k])
                    return b;
    return -1;
}

static bool is_innermost(const struct mach_func *f, int header, int latch)
{
    for (int k = header + 1; k <= latch; k++)
        if (latch_of(f, k) >= k)
            return false;
    return true;
}

/* Copies of the jump back may stand in front of the header. */
static int header_of(const struct mach_func *f, int first, int latch)
{
    int k = first;
    while (k < latch && f->blocks.at[k]->steps == 0)
        k++;
    assert(f->blocks.at[k]->steps > 0);
    return k;
}

/* -- what they hold -- */

static bool is_array(const struct mem_ref *m)
{
    return m->object != NULL && m->object->kind == OBJECT_PARAM && m->object->layout == NULL;
}

static void count_bytes(struct loop *l)
{
    int written = 0, read = 0;
    for (int k = 0; k < l->n; k++) {
        const struct mach_insn *i = l->insn[k];
        const uint32_t flags = row_of(i)->flags;
        if (i->mem_count == 0 || !is_array(&i->mem))
            continue;
        written += (flags & IS_STORE) != 0 ? row_of(i)->access : 0;
        read += (flags & IS_LOAD) != 0 ? row_of(i)->access : 0;
    }
    l->bytes = written > 0 ? written : read;
}

static void take_blocks(struct loop *l, int first, int last)
{
    for (int b = first; b <= last; b++)
        for (struct mach_insn *i = l->f->blocks.at[b]->first; i != NULL; i = i->next)
            l->n++;
    l->insn = NEW_ARRAY(struct mach_insn *, l->n);
    l->n = 0;
    for (int b = first; b <= last; b++)
        for (struct mach_insn *i = l->f->blocks.at[b]->first; i != NULL; i = i->next) {
            l->insn[l->n++] = i;
            l->calls |= (row_of(i)->flags & IS_CALL) != 0;
            l->branches |= (row_of(i)->flags & IS_BRANCH) != 0
                           && (b < last || i->next != NULL);
        }
    count_bytes(l);
}

static const char *name_of(const struct loop_list *list, const struct loop *l)
{
    char *name = l->header == NULL ? mem_string(l->f->name)
                                   : mem_format("%s:%dx%d", l->f->name, l->loc.line, l->steps);
    int same = 0;
    for (int k = 0; k < list->at.n; k++) {
        const char *other = list->at.at[k].name;
        same += strncmp(other, name, strlen(name)) == 0
                && (other[strlen(name)] == '\0' || other[strlen(name)] == '.');
    }
    return same == 0 ? name : mem_format("%s.%d", name, same + 1);
}

void loops_find(struct loop_list *out, const struct mach_func *f)
{
    bool any = false;
    for (int k = 0; k < f->blocks.n; k++) {
        const int latch = latch_of(f, k);
        if (latch < k)
            continue;
        any = true;
        if (!is_innermost(f, k, latch))
            continue;
        const struct mach_block *header = f->blocks.at[header_of(f, k, latch)];
        struct loop l = { .f = f, .header = header, .loc = header->loop_loc,
                          .steps = header->steps };
        take_blocks(&l, k, latch);
        l.name = name_of(out, &l);
        vec_push(&out->at, l);
    }
    if (any)
        return;
    struct loop all = { .f = f, .loc = f->func->loc, .steps = 1 };
    take_blocks(&all, 0, f->blocks.n - 1);
    all.name = name_of(out, &all);
    vec_push(&out->at, all);
}

/* -- as text -- */

void loop_print_insn(struct text *out, const struct mach_insn *i, const int *labels)
{
    const struct insn_row *row = row_of(i);
    struct phys_insn phys = { .insn = i->insn };
    for (int k = 0; k < row->operand_count; k++) {
        const struct mach_operand *op = &i->op[k];
        struct phys_operand *to = &phys.op[k];
        switch (row->op[k].kind) {
        case OP_LABEL:
            to->name = mem_format(".L%d", labels[op->label->id]);
            break;
        case OP_SYMBOL:
            to->name = op->callee != NULL ? op->callee->name
                       : op->symbol != NULL ? op->symbol
                       : i->insn == INSN_add_x_lo12 ? ":lo12:tables" : "tables";
            break;
        case OP_IMM:
        case OP_COND:
            to->imm = op->imm;
            break;
        default:
            to->reg = op->reg->assigned;
        }
    }
    insn_print(out, &phys);
}

/* -- what it takes -- */

/* "VEC0-3", "VEC1,3", "DATA0-1+LOAD0-1": ports that differ in their number stand
 * together. */
const char *loop_ports_name(const struct core *core, uint32_t ports)
{
    struct text t = { 0 };
    while (ports != 0) {
        const char *name = core->port_names[__builtin_ctz(ports)];
        const size_t stem = strcspn(name, "0123456789");
        text_format(&t, "%s%.*s", t.n > 0 ? "+" : "", (int)stem, name);
        int first = -1, last = -1;
        for (uint32_t left = ports; left != 0; left &= left - 1) {
            const char *other = core->port_names[__builtin_ctz(left)];
            if (strncmp(other, name, stem) != 0 || strcspn(other, "0123456789") != stem)
                continue;
            ports &= ~(left & -left);
            if (other[stem] == '\0')
                continue;
            const int number = atoi(other + stem);
            if (last >= 0 && number != last + 1) {
                text_format(&t, last > first ? "%d-%d," : "%d,", first, last);
                first = number;
            } else if (first < 0)
                first = number;
            last = number;
        }
        if (last >= 0)
            text_format(&t, last > first ? "%d-%d" : "%d", first, last);
    }
    return t.at;
}

struct loop_cost loop_cost(struct pipeline *p, const struct core *core, const struct loop *l)
{
    struct loop_cost c = { .set_by = "issue slots" };
    pipeline_load(p, l->insn, l->n);
    c.cycles = pipeline_run(p, NULL, l->n, l->header != NULL ? 100 : 1, NULL);
    if (l->header == NULL)
        c.cycles *= 100;
    const struct pipeline_bound b = pipeline_bound(p, NULL, l->n);
    c.bound = b.slots;
    if (b.recurrence > c.bound && l->header != NULL) {
        c.bound = b.recurrence;
        c.set_by = "recurrence";
    }
    if (b.ports >= c.bound) {
        c.bound = b.ports;
        c.set_by = loop_ports_name(core, b.of_ports);
    }
    if (l->header != NULL)
        c.write_back = b.write_back;
    return c;
}

int loop_least(const struct loop_cost *c, const char **set_by)
{
    const bool by_write_back = c->write_back > c->bound;
    *set_by = by_write_back ? "write-back" : c->set_by;
    return by_write_back ? c->write_back : c->bound;
}
