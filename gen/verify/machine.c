/* machine.c: reading and writing an instruction's operands by their kind.
 *
 * Takes a machine and a decoded instruction; gives values of exactly the width
 * of the operand. Holds: a register is always a value of its full width, and
 * x18 is never touched.
 * Does not: know any instruction.
 */
#include "verify/machine.h"

#include <assert.h>

void machine_fault(struct machine *m, const char *fmt, ...)
{
    if (m->fault != NULL)
        return;
    char message[300];
    va_list args;
    va_start(args, fmt);
    vsnprintf(message, sizeof message, fmt, args);
    va_end(args);
    m->fault = mem_string(message);
}

struct kind_row { uint8_t bits, lane; };

static const struct kind_row kinds[OP_KIND_COUNT] = {
    [OP_X] = { 64, 64 }, [OP_W] = { 32, 32 }, [OP_X_SP] = { 64, 64 }, [OP_W_SP] = { 32, 32 },
    [OP_8B] = { 64, 8 }, [OP_16B] = { 128, 8 }, [OP_4H] = { 64, 16 }, [OP_8H] = { 128, 16 },
    [OP_2S] = { 64, 32 }, [OP_4S] = { 128, 32 }, [OP_1D] = { 64, 64 }, [OP_2D] = { 128, 64 },
    [OP_1Q] = { 128, 128 },
    [OP_B] = { 8, 8 }, [OP_H] = { 16, 16 }, [OP_S] = { 32, 32 }, [OP_D] = { 64, 64 },
    [OP_Q] = { 128, 128 },
    [OP_B_LANE] = { 128, 8 }, [OP_H_LANE] = { 128, 16 }, [OP_S_LANE] = { 128, 32 },
    [OP_D_LANE] = { 128, 64 },
};

int operand_bits(enum operand_kind kind)
{
    assert(kinds[kind].bits != 0);
    return kinds[kind].bits;
}

int operand_lane(enum operand_kind kind)
{
    assert(kinds[kind].lane != 0);
    return kinds[kind].lane;
}

static val zero(struct machine *m, int bits)
{
    static const uint64_t none[2];
    return m->domain->constant(m->domain, bits, none);
}

val machine_read_x(struct machine *m, int reg)
{
    if (reg == REG_PLATFORM) {
        machine_fault(m, "x18 is read");
        return zero(m, 64);
    }
    return m->x[reg];
}

void machine_write_x(struct machine *m, int reg, val v)
{
    if (reg == REG_PLATFORM)
        machine_fault(m, "x18 is written");
    m->x[reg] = v;
}

/* The low BITS of a register of WHOLE bits. */
static val narrow(struct machine *m, val v, int whole, int bits)
{
    return bits == whole ? v : m->domain->field(m->domain, bits, v, 0, bits, false);
}

static val widen(struct machine *m, val v, int bits, int whole)
{
    return bits == whole ? v : m->domain->field(m->domain, whole, v, 0, bits, false);
}

val operand_read(struct machine *m, const struct decoded *d, int n)
{
    enum operand_kind kind = operand_kind_of(d, n);
    int reg = d->insn.op[n].reg, bits = operand_bits(kind);
    if (operand_is_vector(kind))
        return narrow(m, m->v[reg], 128, bits);
    if (reg != 31)
        return narrow(m, machine_read_x(m, reg), 64, bits);
    if (kind == OP_X_SP || kind == OP_W_SP)
        return narrow(m, m->sp, 64, bits);
    return zero(m, bits);
}

void operand_write(struct machine *m, const struct decoded *d, int n, val v)
{
    enum operand_kind kind = operand_kind_of(d, n);
    int reg = d->insn.op[n].reg, bits = operand_bits(kind);
    if (operand_is_vector(kind))
        m->v[reg] = widen(m, v, bits, 128);
    else if (reg != 31)
        machine_write_x(m, reg, widen(m, v, bits, 64));
    else if (kind == OP_X_SP || kind == OP_W_SP)
        m->sp = widen(m, v, bits, 64);
}
