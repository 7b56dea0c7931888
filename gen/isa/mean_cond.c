/* mean_cond.c: conditions, and everything that decides by them or by a register.
 *
 * A condition is a one-bit value made from the flags (Arm ARM C1.2.4). Selects
 * choose between values; branches need the number of the condition, so it must
 * be public.
 */
#include "isa/mean.h"

static val not(struct machine *m, val c)
{
    return complement(m, 1, c);
}

/* Arm ARM, ConditionHolds: even conditions from the flags, odd ones inverted. */
static val condition(struct machine *m, enum cond c)
{
    val n = m->flag[FLAG_N], z = m->flag[FLAG_Z], carry = m->flag[FLAG_C], v = m->flag[FLAG_V];
    val holds;
    switch ((int)c & ~1) {
    case COND_EQ: holds = z; break;
    case COND_HS: holds = carry; break;
    case COND_MI: holds = n; break;
    case COND_VS: holds = v; break;
    case COND_HI: holds = lanes(m, LANE_AND, 1, 1, carry, not(m, z)); break;
    case COND_GE: holds = not(m, lanes(m, LANE_XOR, 1, 1, n, v)); break;
    case COND_GT:
        holds = lanes(m, LANE_AND, 1, 1, not(m, z), not(m, lanes(m, LANE_XOR, 1, 1, n, v)));
        break;
    default:
        return constant(m, 1, 1);
    }
    return ((int)c & 1) != 0 ? not(m, holds) : holds;
}

static val condition_of(struct machine *m, const struct decoded *d, int n)
{
    return condition(m, (enum cond)operand_imm(d, n));
}

/* -- selects -- */

static val plus_one(struct machine *m, int width, val a)
{
    return add(m, width, a, constant(m, width, 1));
}

static val negative(struct machine *m, int width, val a)
{
    return lanes(m, LANE_NEG, width, width, a, 0);
}

static void select(struct machine *m, const struct decoded *d, val c, val a, val b)
{
    write(m, d, 0, choose(m, bits_of(d, 0), c, a, b));
}

MEANING(csel)
{
    select(m, d, condition_of(m, d, 3), read(m, d, 1), read(m, d, 2));
}

MEANING(csinc)
{
    select(m, d, condition_of(m, d, 3), read(m, d, 1), plus_one(m, bits_of(d, 0), read(m, d, 2)));
}

MEANING(csinv)
{
    select(m, d, condition_of(m, d, 3), read(m, d, 1), complement(m, bits_of(d, 0), read(m, d, 2)));
}

MEANING(csneg)
{
    select(m, d, condition_of(m, d, 3), read(m, d, 1), negative(m, bits_of(d, 0), read(m, d, 2)));
}

MEANING(cset)
{
    write(m, d, 0, field(m, bits_of(d, 0), condition_of(m, d, 1), 0, 1));
}

MEANING(csetm)
{
    write(m, d, 0, field_signed(m, bits_of(d, 0), condition_of(m, d, 1), 0, 1));
}

MEANING(cinc)
{
    val a = read(m, d, 1);
    select(m, d, condition_of(m, d, 2), plus_one(m, bits_of(d, 0), a), a);
}

MEANING(cinv)
{
    val a = read(m, d, 1);
    select(m, d, condition_of(m, d, 2), complement(m, bits_of(d, 0), a), a);
}

MEANING(cneg)
{
    val a = read(m, d, 1);
    select(m, d, condition_of(m, d, 2), negative(m, bits_of(d, 0), a), a);
}

/* -- conditional compare: the flags of a comparison, or the given ones -- */

static void compare_if(struct machine *m, const struct decoded *d, val b, val carry_in)
{
    int width = bits_of(d, 0);
    val c = condition_of(m, d, 3), a = read(m, d, 0);
    val sum = m->domain->add_carry(m->domain, width, a, b, carry_in);
    const val compared[FLAG_COUNT] = {
        [FLAG_N] = field(m, 1, sum, width - 1, 1),
        [FLAG_Z] = m->domain->is_zero(m->domain, width, sum),
        [FLAG_C] = m->domain->carry(m->domain, width, a, b, carry_in),
        [FLAG_V] = m->domain->overflow(m->domain, width, a, b, carry_in),
    };
    for (int i = 0; i < FLAG_COUNT; i++)        /* N is the highest bit of #nzcv */
        m->flag[i] = choose(m, 1, c, compared[i],
                            constant(m, 1, (uint64_t)operand_imm(d, 2) >> (3 - i) & 1));
}

static val five_bits(struct machine *m, const struct decoded *d)
{
    return constant(m, bits_of(d, 0), (uint64_t)operand_imm(d, 1));
}

static void compare_difference_if(struct machine *m, const struct decoded *d, val b)
{
    compare_if(m, d, complement(m, bits_of(d, 0), b), constant(m, 1, 1));
}

MEANING(ccmp)     { compare_difference_if(m, d, read(m, d, 1)); }
MEANING(ccmp_imm) { compare_difference_if(m, d, five_bits(m, d)); }
MEANING(ccmn)     { compare_if(m, d, read(m, d, 1), constant(m, 1, 0)); }
MEANING(ccmn_imm) { compare_if(m, d, five_bits(m, d), constant(m, 1, 0)); }

/* -- branches -- */

/* Branches when the one-bit value is WANTED; it must be public. */
static void branch_if(struct machine *m, const struct decoded *d, val c, uint64_t wanted)
{
    uint64_t holds;
    if (!m->domain->number(m->domain, c, &holds))
        machine_fault(m, "%s", m->domain->fault != NULL ? m->domain->fault
                                                        : "a branch on a value that is not public");
    else if (holds == wanted)
        exec_branch(m, d);
}

MEANING(b)      { exec_branch(m, d); }
MEANING(b_cond) { branch_if(m, d, condition_of(m, d, 0), 1); }

static val is_zero(struct machine *m, const struct decoded *d)
{
    return m->domain->is_zero(m->domain, bits_of(d, 0), read(m, d, 0));
}

MEANING(cbz)  { branch_if(m, d, is_zero(m, d), 1); }
MEANING(cbnz) { branch_if(m, d, is_zero(m, d), 0); }

static val one_bit(struct machine *m, const struct decoded *d)
{
    return field(m, 1, read(m, d, 0), imm(d, 1), 1);
}

MEANING(tbz)  { branch_if(m, d, one_bit(m, d), 0); }
MEANING(tbnz) { branch_if(m, d, one_bit(m, d), 1); }

MEANING(bl)  { exec_call(m, d); }
MEANING(ret) { (void)d; exec_return(m); }

/* -- hints -- */

MEANING(nop)
{
    (void)m;
    (void)d;
}

/* A signature in the upper half of the return address that depends on sp and
 * the key (Arm ARM D8.10: the real one fills the unused top bits). */
static val signature(struct machine *m, uint64_t key)
{
    uint64_t sp;
    if (!m->domain->number(m->domain, m->sp, &sp)) {
        machine_fault(m, "the stack pointer is not known");
        sp = 0;
    }
    uint64_t mixed = (sp ^ key) * 0x9e3779b97f4a7c15u;
    return constant(m, 64, (mixed >> 48 | 1) << 48);
}

static void sign(struct machine *m, uint64_t key)
{
    val signed_link = lanes(m, LANE_XOR, 64, 64, machine_read_x(m, REG_LINK), signature(m, key));
    machine_write_x(m, REG_LINK, signed_link);
}

enum { KEY_A = 1, KEY_B = 2 };

MEANING(paciasp) { (void)d; sign(m, KEY_A); }
MEANING(autiasp) { (void)d; sign(m, KEY_A); }
MEANING(pacibsp) { (void)d; sign(m, KEY_B); }
MEANING(autibsp) { (void)d; sign(m, KEY_B); }
