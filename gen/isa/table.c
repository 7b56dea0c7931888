/* table.c: the instruction table as data.
 *
 * Takes insns.def and gives insns[], the names of features, conditions and
 * timing classes, and the rows of one mnemonic. Holds: the enum and the table
 * come from the same rows in the same order, no row has more operands than
 * MAX_OPERANDS. tests/isa_test.c checks what a static assert cannot see (that
 * templates use every operand, that run and access agree with the operands).
 * Does not: know any single instruction.
 */
#include "isa/isa.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "isa/mean.h"

const struct feature_row features[FEAT_COUNT] = {
    [FEAT_BASE] = { "base" },
    [FEAT_AES] = { "aes" },
    [FEAT_SHA2] = { "sha2" },
    [FEAT_SHA512] = { "sha512" },
    [FEAT_SHA3] = { "sha3" },
};

const char *const cond_names[16] = {
    "eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc",
    "hi", "ls", "ge", "lt", "gt", "le", "al", "nv",
};

const char *const timing_class_names[TIME_COUNT] = {
#define TIMING_NAME(name) [TIME_##name] = #name,
    TIMING_CLASSES(TIMING_NAME)
#undef TIMING_NAME
};

#define UNPARENTHESISE(...) __VA_ARGS__
#define FIRST_OF(first, n) first
#define SECOND_OF(first, n) n
/* The sentinel makes the empty list legal C. */
#define OPERANDS_IN(...)                                                               \
    (sizeof((struct operand_spec[]){ __VA_ARGS__ { OP_NONE, ROLE_NONE, RANGE_NONE } }) \
         / sizeof(struct operand_spec) - 1)

const struct insn_row insns[INSN_COUNT] = {
#define INSN(row, mnem, text, ops, flag_set, bytes, run, feat, rule, class, fn)        \
    [INSN_##row] = {                                                                   \
        .name = #row,                                                                  \
        .mnemonic = mnem,                                                              \
        .print = text,                                                                 \
        .op = { UNPARENTHESISE ops { OP_NONE, ROLE_NONE, RANGE_NONE } },               \
        .flags = (flag_set),                                                           \
        .operand_count = OPERANDS_IN ops,                                              \
        .run_first = FIRST_OF run,                                                     \
        .run_length = SECOND_OF run,                                                   \
        .access = bytes,                                                               \
        .feature = feat,                                                               \
        .timing_rule = rule,                                                           \
        .timing_class = TIME_##class,                                                  \
        .meaning = fn,                                                     \
    },
#include "isa/insns.def"
#undef INSN
};

#define INSN(row, mnem, text, ops, flag_set, bytes, run, feat, rule, class, fn)        \
    static_assert(OPERANDS_IN ops < MAX_OPERANDS, #row ": too many operands");         \
    static_assert(SECOND_OF run == 0 || ((flag_set) & REGISTER_RUN) != 0,              \
                  #row ": a run without REGISTER_RUN");                                \
    static_assert((bytes) == 0 || ((flag_set) & (IS_LOAD | IS_STORE)) != 0,            \
                  #row ": bytes moved by neither a load nor a store");                 \
    static_assert(((flag_set) & (READS_C | READS_NZCV | WRITES_NZCV | IS_LOAD          \
                                 | IS_STORE | IS_BRANCH | IS_CALL)) == 0               \
                      || ((flag_set) & NOT_CALLABLE) != 0,                             \
                  #row ": memory, flags and control are not callable");
#include "isa/insns.def"
#undef INSN

static_assert(REG_ZERO == 31 && REG_SP == 31, "one number, told apart by the operand kind");
static_assert(COND_NV == 15 && (COND_EQ ^ 1) == COND_NE, "conditions in encoding order");

/* -- rows by mnemonic -- */

static enum insn by_mnemonic[INSN_COUNT - 1];
static int by_mnemonic_count;

static int compare_rows(const void *a, const void *b)
{
    enum insn x = *(const enum insn *)a, y = *(const enum insn *)b;
    int order = strcmp(insns[x].mnemonic, insns[y].mnemonic);
    return order != 0 ? order : (int)x - (int)y;
}

static void sort_rows(void)
{
    for (int i = 0; i < INSN_COUNT - 1; i++)
        by_mnemonic[i] = (enum insn)(i + 1);
    qsort(by_mnemonic, INSN_COUNT - 1, sizeof by_mnemonic[0], compare_rows);
    by_mnemonic_count = INSN_COUNT - 1;
}

/* The first place whose mnemonic is not below S (not above S when AFTER is 1). */
static int place(const char *s, int after)
{
    int lo = 0, hi = by_mnemonic_count;
    while (lo < hi) {
        int mid = lo + (hi - lo) / 2;
        if (strcmp(insns[by_mnemonic[mid]].mnemonic, s) < after)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

int insns_by_mnemonic(const char *mnemonic, const enum insn **first)
{
    if (by_mnemonic_count == 0)
        sort_rows();
    int lo = place(mnemonic, 0), hi = place(mnemonic, 1);
    *first = &by_mnemonic[lo < by_mnemonic_count ? lo : 0];
    return hi - lo;
}
