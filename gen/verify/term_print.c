/* term_print.c: terms as text, for messages: operators infix, shared parts
 * written out down to a depth; what lies deeper, and operands after the first
 * few, as "...". */
#include <inttypes.h>

#include "verify/term_store.h"

static const char *const lane_names[] = {
    [LANE_NOT] = "not", [LANE_NEG] = "neg", [LANE_ABS] = "abs", [LANE_CLZ] = "clz",
    [LANE_CLS] = "cls", [LANE_CNT] = "cnt", [LANE_RBIT] = "rbit", [LANE_ADD] = "add",
    [LANE_SUB] = "sub", [LANE_MUL] = "mul", [LANE_AND] = "and", [LANE_OR] = "or",
    [LANE_XOR] = "xor", [LANE_UMAX] = "umax", [LANE_UMIN] = "umin", [LANE_SMAX] = "smax",
    [LANE_SMIN] = "smin", [LANE_EQ] = "eq", [LANE_GT_S] = "gt", [LANE_GE_S] = "ge",
    [LANE_GT_U] = "hi", [LANE_GE_U] = "hs", [LANE_TEST] = "tst", [LANE_PMUL] = "pmul",
    [LANE_UDIV] = "udiv", [LANE_SDIV] = "sdiv", [LANE_USHL] = "ushl", [LANE_SSHL] = "sshl",
    [LANE_LSLV] = "lsl", [LANE_LSRV] = "lsr", [LANE_ASRV] = "asr", [LANE_RORV] = "ror",
};

static const char *const crypto_names[] = {
    [CRYPTO_AES_SUB_SHIFT] = "SubBytes.ShiftRows", [CRYPTO_AES_INV_SUB_SHIFT] = "InvSubBytes.InvShiftRows",
    [CRYPTO_AES_MIX] = "MixColumns", [CRYPTO_AES_INV_MIX] = "InvMixColumns",
    [CRYPTO_SHA1C] = "sha1c", [CRYPTO_SHA1P] = "sha1p", [CRYPTO_SHA1M] = "sha1m",
    [CRYPTO_SHA1H] = "sha1h", [CRYPTO_SHA1SU0] = "sha1su0", [CRYPTO_SHA1SU1] = "sha1su1",
    [CRYPTO_SHA256H] = "sha256h", [CRYPTO_SHA256H2] = "sha256h2", [CRYPTO_SHA256SU0] = "sha256su0",
    [CRYPTO_SHA256SU1] = "sha256su1", [CRYPTO_SHA512H] = "sha512h", [CRYPTO_SHA512H2] = "sha512h2",
    [CRYPTO_SHA512SU0] = "sha512su0", [CRYPTO_SHA512SU1] = "sha512su1",
};

static void print_bits(struct text *out, struct bits v)
{
    if (v.v[1])
        text_format(out, "0x%" PRIx64 "%016" PRIx64, v.v[1], v.v[0]);
    else if (v.v[0] < 10)
        text_format(out, "%" PRIu64, v.v[0]);
    else
        text_format(out, "0x%" PRIx64, v.v[0]);
}

static void print_input(struct text *out, const struct term *t)
{
    text_add(out, t->name);
    if (t->index != NO_INDEX)
        text_format(out, "[%" PRId64 "]", t->index);
}

enum { SHOWN_OPERANDS = 8 };

/* Starts operand i with its separator; false when enough were shown. */
static bool next_operand(struct text *out, int i, const char *separator)
{
    if (i > 0)
        text_add(out, separator);
    if (i == SHOWN_OPERANDS)
        text_add(out, "...");
    return i < SHOWN_OPERANDS;
}

static void print_joined(struct text *out, const struct term *t, const char *operator, int depth)
{
    text_add(out, "(");
    for (int i = 0; i < t->count && next_operand(out, i, operator); i++)
        term_print(out, t->of.arg[i], depth - 1);
    if (t->op == TERM_XOR && !bits_is_zero(t->constant)) {
        text_add(out, operator);
        print_bits(out, t->constant);
    }
    text_add(out, ")");
}

static void print_pieces(struct text *out, const struct term *t, int depth)
{
    text_add(out, t->count > 1 ? "{" : "");
    for (int i = 0; i < t->count && next_operand(out, i, ", "); i++) {
        const struct piece *p = &t->of.piece[i];
        term_print(out, p->term, depth - 1);
        if (p->n == 1)
            text_format(out, "<%d>", p->lo);
        else if (p->n != term_get(p->term)->width)
            text_format(out, "<%d:%d>", p->lo + p->n - 1, p->lo);
    }
    text_add(out, t->count > 1 ? "}" : "");
}

static void print_sum(struct text *out, const struct term *t, int depth)
{
    text_add(out, "(");
    for (int i = 0; i < t->count && next_operand(out, i, " + "); i++) {
        uint64_t factor = t->of.addend[i].factor;
        bool minus = factor == (t->lane == 64 ? ~0ull : (1ull << t->lane) - 1);
        text_add(out, minus ? "-" : "");
        if (factor != 1 && !minus)
            text_format(out, "%" PRIu64 " ", factor);
        term_print(out, t->of.addend[i].term, depth - 1);
    }
    if (!bits_is_zero(t->constant)) {
        text_add(out, " + ");
        print_bits(out, t->constant);
    }
    text_format(out, t->lane == t->width ? ")" : ").%d", t->lane);
}

static void print_call(struct text *out, const char *name, const struct term *t, int depth)
{
    text_format(out, "%s(", name);
    for (int i = 0; i < t->count && next_operand(out, i, ", "); i++)
        term_print(out, t->of.arg[i], depth - 1);
    text_add(out, ")");
}

void term_print(struct text *out, val v, int depth)
{
    static const char *const wide_names[] = { "umull", "smull", "pmull" };
    const struct term *t = term_get(v);
    if (depth == 0 && t->op != TERM_CONST && t->op != TERM_INPUT) {
        text_add(out, "...");
        return;
    }
    switch ((enum term_op)t->op) {
    case TERM_CONST:    print_bits(out, t->constant); break;
    case TERM_INPUT:    print_input(out, t); break;
    case TERM_CAT:      print_pieces(out, t, depth); break;
    case TERM_XOR:      print_joined(out, t, " ^ ", depth); break;
    case TERM_AND:      print_joined(out, t, " & ", depth); break;
    case TERM_OR:       print_joined(out, t, " | ", depth); break;
    case TERM_SUM:      print_sum(out, t, depth); break;
    case TERM_LANES:    print_call(out, lane_names[t->sub], t, depth); break;
    case TERM_WIDE:     print_call(out, wide_names[t->sub], t, depth); break;
    case TERM_TABLE:    print_call(out, "tbl", t, depth); break;
    case TERM_CARRY:    print_call(out, "carry", t, depth); break;
    case TERM_OVERFLOW: print_call(out, "overflow", t, depth); break;
    case TERM_IS_ZERO:  print_call(out, "is_zero", t, depth); break;
    case TERM_HIGH:     print_call(out, t->sub ? "smulh" : "umulh", t, depth); break;
    case TERM_CHOOSE:   print_call(out, "choose", t, depth); break;
    case TERM_CRYPTO:   print_call(out, crypto_names[t->sub], t, depth); break;
    }
}

/* The only operand in which they differ, or -1. */
static int differing_operand(const struct term *a, const struct term *b)
{
    int found = -1;
    if (a->op != b->op || a->sub != b->sub || a->width != b->width || a->lane != b->lane ||
        a->count != b->count || a->imm != b->imm || !bits_equal(a->constant, b->constant))
        return -1;
    for (int i = 0; i < a->count; i++) {
        if (term_operand(a, i) == term_operand(b, i))
            continue;
        if (found >= 0)
            return -1;
        found = i;
    }
    return found;
}

void term_narrow(val *a, val *b)
{
    for (;;) {
        const struct term *x = term_get(*a), *y = term_get(*b);
        int i = differing_operand(x, y);
        if (i < 0)
            return;
        *a = term_operand(x, i);
        *b = term_operand(y, i);
    }
}
