/* ir_eval.c: run IR on bytes (ir_eval.h).
 *
 * Little-endian hosts only, as every machine that runs these tests is. */
#include <assert.h>
#include <string.h>

#include <check.h>

#include "harness/ir_eval.h"
#include "ir/pass.h"

struct evaluation {
    const struct ir_func *f;
    const struct ir_word *args;
    const uint8_t *tables;
    struct ir_word *values;     /* by value id */
    uint8_t **stack;            /* by object id */
    struct ir_run run;
};

static uint64_t mask_of(int bits) { return bits >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << bits) - 1; }

static struct ir_word value_of(const struct evaluation *x, const struct ir_value *v)
{
    return x->values[v->id];
}

static uint64_t low(const struct evaluation *x, const struct ir_inst *i, int k)
{
    return value_of(x, i->args[k]).at[0];
}

static struct ir_word word(uint64_t lo) { return (struct ir_word){ { lo, 0 } }; }

static uint64_t get_lane(struct ir_word v, int bits, int lane)
{
    return v.at[bits * lane / 64] >> (bits * lane % 64) & mask_of(bits);
}

static void set_lane(struct ir_word *v, int bits, int lane, uint64_t x)
{
    int at = bits * lane;
    v->at[at / 64] &= ~(mask_of(bits) << (at % 64));
    v->at[at / 64] |= (x & mask_of(bits)) << (at % 64);
}

/* -- arithmetic -- */

static uint64_t scalar(enum ir_op op, int bits, uint64_t a, uint64_t b)
{
    uint64_t m = mask_of(bits);
    unsigned __int128 product = (unsigned __int128)a * b;

    switch (op) {
    case IR_add: return a + b;
    case IR_sub: return a - b;
    case IR_mul: return a * b;
    case IR_mulhigh: return (uint64_t)(product >> 64);
    case IR_udiv: return b ? a / b : 0;
    case IR_and: return a & b;
    case IR_or:  return a | b;
    case IR_xor: return a ^ b;
    case IR_not: return ~a;
    case IR_neg: return 0 - a;
    case IR_shl: ck_assert_uint_lt(b, (unsigned)bits); return a << b;
    case IR_shr: ck_assert_uint_lt(b, (unsigned)bits); return (a & m) >> b;
    case IR_ror:
        b %= (uint64_t)bits;
        return b ? (a & m) >> b | a << ((uint64_t)bits - b) : a;
    default:
        ck_abort_msg("no lane-wise operation: %s", ir_ops[op].name);
    }
    return 0;
}

static struct ir_word lane_wise(const struct evaluation *x, const struct ir_inst *i)
{
    const struct value_type_row *t = &value_types[i->type];
    bool by_scalar = i->arg_count > 1 && !type_is_vector(i->args[1]->type);
    struct ir_word out = { { 0, 0 } };

    for (int k = 0; k < t->lanes; k++) {
        uint64_t a = get_lane(value_of(x, i->args[0]), t->lane_bits, k), b = 0;
        if (i->arg_count > 1)
            b = by_scalar && type_is_vector(i->type) ? low(x, i, 1)

                                                         : get_lane(value_of(x, i->args[1]), t->lane_bits, k);
        set_lane(&out, t->lane_bits, k, scalar(i->op, t->lane_bits, a, b));
    }
    return out;
}

/* -- flags -- */

static struct ir_word with_carry(struct evaluation *x, const struct ir_inst *i)
{
    int bits = value_types[i->type].bits;
    uint64_t m = mask_of(bits), a = low(x, i, 0) & m, b = low(x, i, 1) & m;
    bool subtract = i->op == IR_subs || i->op == IR_sbcs || i->op == IR_sbc;
    uint64_t c = i->arg_count == 3 ? low(x, i, 2) : subtract;

    if (subtract)
        b = ~b & m;
    unsigned __int128 sum = (unsigned __int128)a + b + c;
    if (i->result[1])
        x->values[i->result[1]->id] = word((uint64_t)(sum >> bits) & 1);
    return word((uint64_t)sum & m);
}

static struct ir_word by_flag(const struct evaluation *x, const struct ir_inst *i)
{
    bool c = (low(x, i, 0) != 0) != (i->imm != 0);

    switch (i->op) {
    case IR_cset:   return word(c);
    case IR_cmask:  return word(c ? mask_of(value_types[i->type].bits) : 0);
    case IR_toflag: return word(c);
    default:        return value_of(x, i->args[c ? 1 : 2]);
    }
}

/* -- vectors -- */

static struct ir_word build(const struct evaluation *x, const struct ir_inst *i)
{
    const struct value_type_row *t = &value_types[i->type];
    struct ir_word out = { { 0, 0 } };

    for (int k = 0; k < t->lanes; k++)
        set_lane(&out, t->lane_bits, k, low(x, i, i->op == IR_splat ? 0 : k));
    return out;
}

static struct ir_word table_look_up(const struct evaluation *x, const struct ir_inst *i)
{
    struct ir_word table = value_of(x, i->args[0]), index = value_of(x, i->args[1]), out = { { 0, 0 } };

    ck_assert_str_eq(insns[i->insn].mnemonic, "tbl");
    ck_assert_int_eq(i->arg_count, 2);
    for (int k = 0; k < 16; k++) {
        uint64_t n = get_lane(index, 8, k);
        set_lane(&out, 8, k, n < 16 ? get_lane(table, 8, (int)n) : 0);
    }
    return out;
}

static struct ir_word choose_bits(const struct evaluation *x, const struct ir_inst *i)
{
    struct ir_word m = value_of(x, i->args[0]), b = value_of(x, i->args[1]),
        c = value_of(x, i->args[2]);
    struct ir_word out;

    for (int k = 0; k < 2; k++)
        out.at[k] = (b.at[k] & m.at[k]) | (c.at[k] & ~m.at[k]);
    return out;
}

/* -- memory -- */

static uint8_t *address(const struct evaluation *x, const struct ir_inst *i)
{
    return (uint8_t *)(uintptr_t)(low(x, i, 0) + (uint64_t)i->imm);
}

static struct ir_word load(const struct evaluation *x, const struct ir_inst *i)
{
    struct ir_word out = { { 0, 0 } };
    memcpy(&out, address(x, i), (size_t)type_bytes(i->mem.type));
    return out;
}

static void store(const struct evaluation *x, const struct ir_inst *i)
{
    struct ir_word v = value_of(x, i->args[1]);
    memcpy(address(x, i), &v, (size_t)type_bytes(i->mem.type));
}

static uint64_t stack_address(struct evaluation *x, int64_t object)
{
    if (!x->stack[object])
        x->stack[object] = NEW_ARRAY(uint8_t, 1 << 16);
    return (uint64_t)(uintptr_t)x->stack[object];
}

/* -- control -- */

static void call(struct evaluation *x, const struct ir_inst *i)
{
    struct ir_word *args = NEW_ARRAY(struct ir_word, i->arg_count);

    for (int k = 0; k < i->arg_count; k++)
        args[k] = value_of(x, i->args[k]);
    ck_assert_ptr_nonnull(i->callee->ir);
    struct ir_run run = ir_eval(i->callee->ir, args, x->tables);
    if (i->result_count > 0)
        x->values[i->results[0]->id] = run.whole;
}

static struct ir_word result_of(struct evaluation *x, const struct ir_inst *i)
{
    switch (i->op) {
    case IR_const:  return (struct ir_word){ { i->value[0], i->value[1] } };
    case IR_param:  return x->args[i->imm];
    case IR_table:  return word((uint64_t)(uintptr_t)x->tables + (uint64_t)i->imm);
    case IR_stack:  return word(stack_address(x, i->imm));
    case IR_flag:   return word(i->imm != 0);
    case IR_zext: case IR_bits: return value_of(x, i->args[0]);
    case IR_trunc:  return word((uint32_t)low(x, i, 0));
    case IR_lane:   return word(get_lane(value_of(x, i->args[0]),
                                         value_types[i->args[0]->type].lane_bits, (int)i->imm));
    case IR_build: case IR_splat: return build(x, i);
    case IR_adds: case IR_adcs: case IR_adc: case IR_subs: case IR_sbcs: case IR_sbc: return with_carry(x, i);
    case IR_cset: case IR_cmask: case IR_toflag: case IR_csel: return by_flag(x, i);
    case IR_bsel:   return choose_bits(x, i);
    case IR_load:   return load(x, i);
    case IR_insn:   return table_look_up(x, i);
    default:        return lane_wise(x, i);
    }
}

static void execute(struct evaluation *x, const struct ir_inst *i)
{
    x->run.executed[i->op]++;
    if (i->op == IR_store)
        store(x, i);
    else if (i->op == IR_call)
        call(x, i);
    else
        x->values[i->result[0]->id] = result_of(x, i);
}

static bool holds(const struct evaluation *x, const struct ir_block *b)
{
    uint64_t m = mask_of(value_types[b->a->type].bits);
    uint64_t p = value_of(x, b->a).at[0] & m, q = value_of(x, b->b).at[0] & m;
    int64_t s = m == UINT32_MAX ? (int32_t)p : (int64_t)p, t = m == UINT32_MAX ? (int32_t)q
        : (int64_t)q;

    switch (b->cond) {
    case IR_EQ:  return p == q;
    case IR_NE:  return p != q;
    case IR_ULT: return p < q;
    case IR_ULE: return p <= q;
    case IR_UGT: return p > q;
    case IR_UGE: return p >= q;
    case IR_SLT: return s < t;
    case IR_SLE: return s <= t;
    case IR_SGT: return s > t;
    case IR_SGE: return s >= t;
    case IR_BIT_SET: return p >> q & 1;
    default: return !(p >> q & 1);
    }
}

/* Arguments are read before any parameter is written. */
static const struct ir_block *follow(struct evaluation *x, const struct ir_edge *e)
{
    int n = e->to->param_count;
    struct ir_word *args = NEW_ARRAY(struct ir_word, n + 1);

    for (int k = 0; k < n; k++)
        args[k] = value_of(x, e->args[k]);
    for (int k = 0; k < n; k++)
        x->values[e->to->params[k]->id] = args[k];
    return e->to;
}

struct ir_run ir_eval(const struct ir_func *f, const struct ir_word *args, const uint8_t *tables)
{
    struct evaluation x = { .f = f, .args = args, .tables = tables };
    const struct ir_block *b = f->blocks.at[0];

    x.values = NEW_ARRAY(struct ir_word, f->values.n + 1);
    x.stack = NEW_ARRAY(uint8_t *, f->func->objects.n + 1);
    for (;;) {
        for (const struct ir_inst *i = b->first; i; i = i->next)
            execute(&x, i);
        if (b->term == IR_RETURN)
            break;
        x.run.branches += b->term == IR_BRANCH;
        b = follow(&x, &b->edge[b->term == IR_BRANCH && !holds(&x, b)]);
    }
    if (b->result_count > 0)
        x.run.whole = value_of(&x, b->results[0]);
    x.run.result = x.run.whole.at[0];
    return x.run;
}

uint8_t *ir_eval_tables(const struct module *m)
{
    uint64_t align = m->tables_align > 16 ? m->tables_align : 16;
    uint8_t *bytes = NEW_ARRAY(uint8_t, m->tables_size + align);

    bytes += (align - (uintptr_t)bytes % align) % align;
    for (int k = 0; k < m->tables.n; k++)
        memcpy(bytes + m->tables.at[k]->table_offset, m->tables.at[k]->bytes, m->tables.at[k]->size);
    return bytes;
}
