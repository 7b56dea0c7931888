/* exec.c: runs code over a domain.
 *
 * Takes linked code and a machine whose registers and memory are set up; runs
 * each instruction's meaning. Gives the machine as the code leaves it, or a
 * fault: an access that the domain refused, a value that had to be public and
 * known, a return to nowhere, too many steps, x18.
 *
 * Holds: the only thing that decides what runs next is domain.number().
 * Does not: know what an instruction does (isa/mean_*.c), or what a value is.
 */
#include "verify/exec.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

/* -- code -- */

void code_add_label(struct code *code, const char *name)
{
    vec_push(&code->labels, ((struct code_label){ name, code->lines.n }));
}

void code_expect(struct code *code, int lines)
{
    code->lines.at = NEW_ARRAY(struct decoded, lines);
    code->lines.cap = lines;
}

void code_add(struct code *code, const struct phys_insn *insn, uint32_t line)
{
    vec_push(&code->lines, ((struct decoded){ *insn, -1, line }));
}

int code_find(const struct code *code, const char *label)
{
    for (int i = 0; i < code->labels.n; i++)
        if (strcmp(code->labels.at[i].name, label) == 0)
            return code->labels.at[i].line;
    return -1;
}

static const char *check_labels(const struct code *code)
{
    for (int i = 0; i < code->labels.n; i++)
        for (int k = i + 1; k < code->labels.n; k++)
            if (strcmp(code->labels.at[i].name, code->labels.at[k].name) == 0)
                return mem_format("label '%s' is defined twice", code->labels.at[i].name);
    return NULL;
}

const char *code_link(struct code *code)
{
    for (int i = 0; i < code->lines.n; i++) {
        struct decoded *d = &code->lines.at[i];
        const struct insn_row *row = row_of(d);
        for (int n = 0; n < row->operand_count; n++) {
            bool is_label = row->op[n].kind == OP_LABEL;
            if (!is_label && (row->flags & IS_CALL) == 0)
                continue;
            d->target = code_find(code, d->insn.op[n].name);
            if (d->target < 0 && is_label)
                return mem_format("line %" PRIu32 ": no label '%s'", d->line, d->insn.op[n].name);
        }
    }
    return check_labels(code);
}

/* -- registers -- */

/* splitmix64, Steele et al. 2014 */
static uint64_t next_poison(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static val poison(struct machine *m, uint64_t *state, int bits)
{
    uint64_t v[2] = { next_poison(state), next_poison(state) };
    if (bits == 1)
        v[0] &= 1;
    if (bits <= 64)
        v[1] = 0;
    return m->domain->constant(m->domain, bits, v);
}

void machine_poison(struct machine *m, uint64_t seed)
{
    for (int i = 0; i < COUNT(m->x); i++)
        m->x[i] = poison(m, &seed, 64);
    for (int i = 0; i < COUNT(m->v); i++)
        m->v[i] = poison(m, &seed, 128);
    for (int i = 0; i < FLAG_COUNT; i++)
        m->flag[i] = poison(m, &seed, 1);
    m->sp = poison(m, &seed, 64);
}

void machine_add_symbol(struct machine *m, const char *name, uint64_t address)
{
    vec_push(&m->symbols, ((struct symbol){ name, address }));
}

/* -- addresses -- */

/* A symbol as the emitter decorates it, without ":lo12:", "@PAGE", "@PAGEOFF". */
static size_t bare_symbol(const char **name)
{
    if (strncmp(*name, ":lo12:", 6) == 0)
        *name += 6;
    return strcspn(*name, "@");
}

uint64_t exec_symbol(struct machine *m, const struct decoded *d, int n)
{
    const char *name = d->insn.op[n].name;
    size_t length = bare_symbol(&name);
    for (int i = 0; i < m->symbols.n; i++)
        if (strlen(m->symbols.at[i].name) == length
            && memcmp(m->symbols.at[i].name, name, length) == 0)
            return m->symbols.at[i].address;
    machine_fault(m, "no object '%.*s'", (int)length, name);
    return 0;
}

/* -- control -- */

void exec_branch(struct machine *m, const struct decoded *d)
{
    assert(d->target >= 0);
    m->next = d->target;
}

static val code_address(struct machine *m, uint64_t address)
{
    const uint64_t v[2] = { address, 0 };
    return m->domain->constant(m->domain, 64, v);
}

/* Windows: touches the stack down to sp - 16 * x15 and changes x16, x17 and the
 * flags (Microsoft, "ARM64 ABI conventions", integer registers). */
static void call_chkstk(struct machine *m)
{
    for (int i = 0; i < FLAG_COUNT; i++)
        m->flag[i] = m->domain->constant(m->domain, 1, (const uint64_t[2]){ (uint64_t)i & 1, 0 });
    for (int i = 16; i <= 17; i++)
        machine_write_x(m, i, code_address(m, CODE_BASE - 4096 * (uint64_t)i));
    machine_write_x(m, REG_LINK, code_address(m, CODE_BASE + 4 * (uint64_t)m->next));
}

void exec_call(struct machine *m, const struct decoded *d)
{
    if (d->target < 0 && strcmp(d->insn.op[0].name, "__chkstk") == 0) {
        call_chkstk(m);
        return;
    }
    if (d->target < 0) {
        machine_fault(m, "a call of '%s', which is not in this text", d->insn.op[0].name);
        return;
    }
    machine_write_x(m, REG_LINK, code_address(m, CODE_BASE + 4 * (uint64_t)m->next));
    m->next = d->target;
}

void exec_return(struct machine *m)
{
    uint64_t address;
    if (!m->domain->number(m->domain, machine_read_x(m, REG_LINK), &address)) {
        machine_fault(m, "the return address is not known");
        return;
    }
    uint64_t line = (address - CODE_BASE) / 4;
    if (address == EXEC_CALLER)
        m->next = EXEC_RETURN;
    else if (address % 4 == 0 && address > CODE_BASE && line <= (uint64_t)m->code->lines.n)
        m->next = (int)line;
    else
        machine_fault(m, "a return to 0x%" PRIx64 ", which no call left in x30", address);
}

/* -- running -- */

enum { STEPS_BETWEEN_RECYCLING = 1024 };

static void recycle(struct machine *m)
{
    val *live[31 + 1 + 32 + FLAG_COUNT];
    int n = 0;
    for (int i = 0; i < COUNT(m->x); i++)
        live[n++] = &m->x[i];
    for (int i = 0; i < COUNT(m->v); i++)
        live[n++] = &m->v[i];
    for (int i = 0; i < FLAG_COUNT; i++)
        live[n++] = &m->flag[i];
    live[n++] = &m->sp;
    assert(n == COUNT(live));
    m->domain->recycle(m->domain, live, n);
}

/* What is not on Arm's DIT list may read public values only. Branches ask for
 * their condition themselves. */
static void check_time(struct machine *m, const struct decoded *d)
{
    const struct insn_row *row = row_of(d);
    if (row->timing_rule == DIT || (row->flags & IS_BRANCH) != 0 || !m->domain->is_secret)
        return;
    for (int n = 0; n < row->operand_count; n++) {
        bool is_register = operand_is_general(row->op[n].kind) || operand_is_vector(row->op[n].kind);
        if (is_register && row->op[n].role != ROLE_DEF
            && m->domain->is_secret(m->domain, operand_read(m, d, n)))
            machine_fault(m, "the time of '%s' may depend on a secret", row->mnemonic);
    }
}

/* An access below sp, which a signal handler may overwrite (AAPCS64 6.4.5.1). A push
 * is made at the new sp and a pop at the old one. */
static void check_stack(struct machine *m, val before)
{
    struct domain *domain = m->domain;
    uint64_t old, new;
    if (domain->stack_high == 0 || domain->lowest == NO_ADDRESS)
        return;
    if (!domain->number(domain, before, &old) || !domain->number(domain, m->sp, &new))
        machine_fault(m, "the stack pointer is not known");
    else if (domain->lowest < (old < new ? old : new))
        machine_fault(m, "an access %" PRIu64 " bytes below sp", (old < new ? old : new) - domain->lowest);
    domain->lowest = NO_ADDRESS;
}

static void run_line(struct machine *m, const struct decoded *d)
{
    val sp = m->sp;
    check_time(m, d);
    row_of(d)->meaning(m, d);
    check_stack(m, sp);
    m->steps++;
    if (m->fault == NULL && m->domain->fault != NULL)
        m->fault = m->domain->fault;
    if (m->domain->recycle != NULL && m->steps % STEPS_BETWEEN_RECYCLING == 0)
        recycle(m);
}

bool exec_one(struct machine *m, const struct phys_insn *insn)
{
    const struct decoded d = { *insn, -1, 0 };
    assert((row_of(&d)->flags & (IS_BRANCH | IS_CALL)) == 0);
    run_line(m, &d);
    return m->fault == NULL;
}

/* "line 12: ldr x0, [x1]: …" */
static void place_fault(struct machine *m, const struct decoded *d)
{
    struct text where = { 0 };
    if (insn_complaint(&d->insn) == NULL)
        insn_print(&where, &d->insn);
    else
        text_add(&where, row_of(d)->name);
    for (size_t i = 0; i < where.n; i++)
        if (where.at[i] == '\t')
            where.at[i] = ' ';
    m->fault = mem_format("line %" PRIu32 ": '%s': %s", d->line, where.at, m->fault);
}

bool exec_run(struct machine *m, const struct code *code, const char *label, uint64_t step_limit)
{
    m->code = code;
    m->next = code_find(code, label);
    m->steps = 0;
    m->fault = NULL;
    if (m->next < 0) {
        machine_fault(m, "no label '%s'", label);
        return false;
    }
    m->x[REG_LINK] = code_address(m, EXEC_CALLER);
    while (m->next != EXEC_RETURN) {
        m->at = m->next++;
        if (m->at >= code->lines.n) {
            machine_fault(m, "runs past the last instruction");
            return false;
        }
        const struct decoded *d = &code->lines.at[m->at];
        if (m->covered)
            m->covered[m->at] = 1;
        if (m->steps >= step_limit)
            machine_fault(m, "more than %" PRIu64 " instructions", step_limit);
        else
            run_line(m, d);
        if (m->fault != NULL) {
            place_fault(m, d);
            return false;
        }
    }
    return true;
}
