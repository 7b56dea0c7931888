/* mean.h: what every instruction does, once, for every domain.
 *
 * Every function that the meaning column of insns.def names is declared here
 * and defined in one of mean_*.c. A meaning reads its operands, applies
 * operations of the domain (verify/domain.h) and writes its results; it never
 * looks inside a value and never decides on one except through number().
 *
 * The rest of this file is shorthand for those files: operations on the
 * machine's domain with the machine in front.
 */
#ifndef KGEN_ISA_MEAN_H
#define KGEN_ISA_MEAN_H

#include "verify/machine.h"

#define INSN(row, mnem, text, ops, flag_set, bytes, run, feat, rule, class, fn) meaning_fn fn;
#include "isa/insns.def"
#undef INSN

#define MEANING(name) void mean_##name(struct machine *m, const struct decoded *d)

static inline val constant(struct machine *m, int width, uint64_t v)
{
    const uint64_t words[2] = { v, 0 };
    return m->domain->constant(m->domain, width, words);
}

static inline val lanes(struct machine *m, enum lane_op op, int width, int lane, val a, val b)
{
    return m->domain->lanes(m->domain, op, width, lane, a, b);
}

static inline val shift(struct machine *m, enum shift_op op, int width, int lane, val a, int n)
{
    return n == 0 ? a : m->domain->shift(m->domain, op, width, lane, a, n);
}

static inline val field(struct machine *m, int width, val a, int lo, int n)
{
    return m->domain->field(m->domain, width, a, lo, n, false);
}

static inline val field_signed(struct machine *m, int width, val a, int lo, int n)
{
    return m->domain->field(m->domain, width, a, lo, n, true);
}

static inline val insert(struct machine *m, int width, val a, val b, int lo, int n)
{
    return m->domain->insert(m->domain, width, a, b, lo, n);
}

static inline val choose(struct machine *m, int width, val c, val a, val b)
{
    return m->domain->choose(m->domain, width, c, a, b);
}

/* Operations on whole general registers: one lane. */
static inline val add(struct machine *m, int width, val a, val b)
{
    return lanes(m, LANE_ADD, width, width, a, b);
}

static inline val complement(struct machine *m, int width, val a)
{
    return lanes(m, LANE_NOT, width, width, a, 0);
}

static inline int bits_of(const struct decoded *d, int n)
{
    return operand_bits(operand_kind_of(d, n));
}

static inline int lane_of(const struct decoded *d, int n)
{
    return operand_lane(operand_kind_of(d, n));
}

static inline val read(struct machine *m, const struct decoded *d, int n)
{
    return operand_read(m, d, n);
}

static inline void write(struct machine *m, const struct decoded *d, int n, val v)
{
    operand_write(m, d, n, v);
}

static inline int imm(const struct decoded *d, int n) { return (int)operand_imm(d, n); }

#endif
