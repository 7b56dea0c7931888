/* isa_test.c: the instruction table, its printer, its reader and its immediates. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"
#include "isa_examples.h"
#include "suites.h"

enum { EXAMPLES_PER_ROW = 64 };

static const char *printed(const struct phys_insn *insn)
{
    struct text t = { 0 };
    insn_print(&t, insn);
    return t.at;
}

static bool same_insn(const struct phys_insn *a, const struct phys_insn *b)
{
    if (a->insn != b->insn)
        return false;
    for (int i = 0; i < insns[a->insn].operand_count; i++) {
        const struct phys_operand *x = &a->op[i], *y = &b->op[i];
        if (x->reg != y->reg || x->imm != y->imm || (x->name == NULL) != (y->name == NULL)
            || (x->name != NULL && strcmp(x->name, y->name) != 0))
            return false;
    }
    return true;
}

START_TEST(every_row_prints_and_reads_back)
{
    struct dice dice = { 1 };
    for (int row = 1; row < INSN_COUNT; row++) {
        for (int i = 0; i < EXAMPLES_PER_ROW; i++) {
            struct phys_insn insn = roll_insn(&dice, (enum insn)row), again;
            const char *text = printed(&insn);
            const char *wrong = insn_read(text, &again);
            ck_assert_msg(wrong == NULL, "%s: '%s': %s", insns[row].name, text, wrong);
            ck_assert_msg(same_insn(&insn, &again), "%s: '%s' reads as %s", insns[row].name, text,
                          insns[again.insn].name);
        }
    }
}
END_TEST

/* Each template names every operand once, immediates where their kind is one,
 * and starts with the mnemonic. */
START_TEST(templates_agree_with_operands)
{
    for (int n = 1; n < INSN_COUNT; n++) {
        const struct insn_row *row = &insns[n];
        int seen[MAX_OPERANDS] = { 0 };
        for (const char *p = row->print; *p != '\0'; p++)
            if (*p == '%')
                seen[p[1] - '0']++;
        for (int i = 0; i < MAX_OPERANDS; i++)
            ck_assert_msg(seen[i] == (i < row->operand_count), "%s: operand %d", row->name, i);
        size_t length = strcspn(row->print, "\t");
        if (n != INSN_b_cond)
            ck_assert_msg(strlen(row->mnemonic) == length
                          && strncmp(row->print, row->mnemonic, length) == 0, "%s", row->name);
    }
}
END_TEST

static int moved_registers(const struct insn_row *row)
{
    int n = 0;
    for (int i = 0; i < row->operand_count; i++) {
        enum operand_kind kind = row->op[i].kind;
        if (kind == OP_X_SP)
            break;
        n += operand_is_general(kind) || operand_is_vector(kind);
    }
    return n;
}

START_TEST(flags_agree_with_operands)
{
    for (int n = 1; n < INSN_COUNT; n++) {
        const struct insn_row *row = &insns[n];
        bool tied_base = false, condition = false;
        for (int i = 0; i < row->operand_count; i++) {
            tied_base |= row->op[i].kind == OP_X_SP && row->op[i].role == ROLE_TIED;
            condition |= row->op[i].kind == OP_COND;
            ck_assert_msg((row->op[i].range != RANGE_NONE) == (row->op[i].kind == OP_IMM),
                          "%s: operand %d", row->name, i);
        }
        ck_assert_msg(tied_base == ((row->flags & BASE_WRITEBACK) != 0), "%s", row->name);
        ck_assert_msg(condition == ((row->flags & READS_NZCV) != 0), "%s", row->name);
        bool memory = (row->flags & (IS_LOAD | IS_STORE)) != 0;
        ck_assert_msg(memory == (row->access != 0), "%s", row->name);
        ck_assert_msg(!memory || row->access % moved_registers(row) == 0, "%s", row->name);
        ck_assert_msg((row->run_length != 0) == ((row->flags & REGISTER_RUN) != 0), "%s", row->name);
    }
}
END_TEST

START_TEST(rows_are_found_by_mnemonic)
{
    const enum insn *first;
    ck_assert_int_eq(insns_by_mnemonic("no_such", &first), 0);
    ck_assert_int_eq(insns_by_mnemonic("", &first), 0);
    ck_assert_int_eq(insns_by_mnemonic("zzz", &first), 0);
    int all = 0;
    for (int n = 1; n < INSN_COUNT; n++) {
        int count = insns_by_mnemonic(insns[n].mnemonic, &first);
        bool found = false;
        for (int i = 0; i < count; i++) {
            ck_assert_str_eq(insns[first[i]].mnemonic, insns[n].mnemonic);
            ck_assert(i == 0 || first[i - 1] < first[i]);
            found |= first[i] == (enum insn)n;
        }
        ck_assert_msg(found, "%s", insns[n].name);
        all += count != 0;
    }
    ck_assert_int_eq(all, INSN_COUNT - 1);
}
END_TEST

/* -- spelling -- */

struct spelling { struct phys_insn insn; const char *text; };

static const struct spelling spellings[] = {
    { { INSN_add_x, { { .reg = 0 }, { .reg = 31 }, { .reg = 29 } } }, "add\tx0, xzr, x29" },
    { { INSN_add_x_imm, { { .reg = 31 }, { .reg = 31 }, { .imm = 16 } } }, "add\tsp, sp, #16" },
    { { INSN_sub_x_imm12, { { .reg = 31 }, { .reg = 31 }, { .imm = 8192 } } },
      "sub\tsp, sp, #2, lsl #12" },
    { { INSN_and_w_imm, { { .reg = 31 }, { .reg = 3 }, { .imm = 0xff } } }, "and\twsp, w3, #0xff" },
    { { INSN_ldr_x, { { .reg = 0 }, { .reg = 1 }, { .imm = 0 } } }, "ldr\tx0, [x1]" },
    { { INSN_ldr_x, { { .reg = 0 }, { .reg = 31 }, { .imm = 8 } } }, "ldr\tx0, [sp, #8]" },
    { { INSN_ldr_x_index, { { .reg = 0 }, { .reg = 1 }, { .reg = 2 }, { .imm = 3 } } },
      "ldr\tx0, [x1, x2, lsl #3]" },
    { { INSN_ldr_x_index, { { .reg = 0 }, { .reg = 1 }, { .reg = 31 }, { .imm = 0 } } },
      "ldr\tx0, [x1, xzr]" },
    { { INSN_stp_x_pre, { { .reg = 29 }, { .reg = 30 }, { .reg = 31 }, { .imm = -16 } } },
      "stp\tx29, x30, [sp, #-16]!" },
    { { INSN_ldp_q_post, { { .reg = 0 }, { .reg = 1 }, { .reg = 2 }, { .imm = 32 } } },
      "ldp\tq0, q1, [x2], #32" },
    { { INSN_ld1x4_16b_post,
        { { .reg = 30 }, { .reg = 31 }, { .reg = 0 }, { .reg = 1 }, { .reg = 1 }, { .imm = 64 } } },
      "ld1\t{v30.16b, v31.16b, v0.16b, v1.16b}, [x1], #64" },
    { { INSN_ld1_s_lane, { { .reg = 5 }, { .imm = 3 }, { .reg = 31 } } }, "ld1\t{v5.s}[3], [sp]" },
    { { INSN_tblx2_16b, { { .reg = 0 }, { .reg = 31 }, { .reg = 0 }, { .reg = 7 } } },
      "tbl\tv0.16b, {v31.16b, v0.16b}, v7.16b" },
    { { INSN_ins_d, { { .reg = 3 }, { .imm = 1 }, { .reg = 31 } } }, "ins\tv3.d[1], xzr" },
    { { INSN_movz_x, { { .reg = 3 }, { .imm = 0xbeef }, { .imm = 48 } } },
      "movz\tx3, #0xbeef, lsl #48" },
    { { INSN_movk_w, { { .reg = 3 }, { .imm = 1 }, { .imm = 0 } } }, "movk\tw3, #0x1" },
    { { INSN_b_cond, { { .imm = COND_HS }, { .name = ".Lloop" } } }, "b.hs\t.Lloop" },
    { { INSN_adrp, { { .reg = 9 }, { .name = "_table@PAGE" } } }, "adrp\tx9, _table@PAGE" },
    { { INSN_add_x_lo12, { { .reg = 9 }, { .reg = 9 }, { .name = ":lo12:table" } } },
      "add\tx9, x9, :lo12:table" },
    { { INSN_ret, { { 0 } } }, "ret" },
    { { INSN_bti_c, { { 0 } } }, "bti\tc" },
    { { INSN_pmull2_1q, { { .reg = 1 }, { .reg = 2 }, { .reg = 3 } } },
      "pmull2\tv1.1q, v2.2d, v3.2d" },
    { { INSN_sha256h, { { .reg = 1 }, { .reg = 2 }, { .reg = 3 } } }, "sha256h\tq1, q2, v3.4s" },
    { { INSN_xar_2d, { { .reg = 1 }, { .reg = 2 }, { .reg = 3 }, { .imm = 63 } } },
      "xar\tv1.2d, v2.2d, v3.2d, #63" },
    { { INSN_movi_2d, { { .reg = 1 }, { .imm = (int64_t)0xff00ff0000ffff00 } } },
      "movi\tv1.2d, #0xff00ff0000ffff00" },
    { { INSN_add_x_uxtw, { { .reg = 1 }, { .reg = 31 }, { .reg = 2 }, { .imm = 0 } } },
      "add\tx1, sp, w2, uxtw" },
};

START_TEST(spelling_is_canonical)
{
    for (int i = 0; i < COUNT(spellings); i++)
        ck_assert_str_eq(printed(&spellings[i].insn), spellings[i].text);
}
END_TEST

START_TEST(blanks_around_are_ignored)
{
    struct phys_insn insn;
    ck_assert_ptr_null(insn_read("  add \t x0, x1, x2\t ", &insn));
    ck_assert_int_eq(insn.insn, INSN_add_x);
    ck_assert_ptr_null(insn_read("\tret", &insn));
    ck_assert_int_eq(insn.insn, INSN_ret);
}
END_TEST

/* -- refusals -- */

struct refusal { const char *text, *message; };

static const struct refusal refusals[] = {
    { "", "no instruction ''" },
    { "frobnicate x0", "no instruction 'frobnicate'" },
    { "b.", "no form of 'b.cond' has the operands ''" },
    { "b.xx .L1", "no form of 'b.cond' has the operands '.L1'" },
    { "b.al .L1", "operand 1 of 'b.cond' must be a condition that can be false" },
    { "add x0, x1", "no form of 'add' has the operands 'x0, x1'" },
    { "add x0, x1, x2, x3", "no form of 'add' has the operands 'x0, x1, x2, x3'" },
    { "add x0, x1, w2", "no form of 'add' has the operands 'x0, x1, w2'" },
    { "add x0,x1,x2", "no form of 'add' has the operands 'x0,x1,x2'" },
    { "add X0, x1, x2", "no form of 'add' has the operands 'X0, x1, x2'" },
    { "ADD x0, x1, x2", "no instruction 'ADD'" },
    { "add x0, x1, x31", "no form of 'add' has the operands 'x0, x1, x31'" },
    { "add x0, x1, x32", "no form of 'add' has the operands 'x0, x1, x32'" },
    { "add x01, x1, x2", "not the canonical spelling" },
    { "add x0, fp, x2", "no form of 'add' has the operands 'x0, fp, x2'" },
    { "add x0, x1, lr", "no form of 'add' has the operands 'x0, x1, lr'" },
    { "add x0, x1, v2.16b", "no form of 'add' has the operands 'x0, x1, v2.16b'" },
    { "add x18, x1, x2", "operand 1 of 'add' is x18, which belongs to the platform" },
    { "ldr x0, [x18]", "operand 2 of 'ldr' is x18, which belongs to the platform" },
    { "add x0, x1, #4096", "operand 3 of 'add' must be between 0 and 4095, not 4096" },
    { "add x0, x1, #0x10", "no form of 'add' has the operands 'x0, x1, #0x10'" },
    { "add x0, x1, #010", "not the canonical spelling" },
    { "add x0, x1, #-0", "not the canonical spelling" },
    { "add x0, x1, 16", "no form of 'add' has the operands 'x0, x1, 16'" },
    { "add x0, x1, x2, lsl #0", "operand 4 of 'add' must be between 1 and 63, not 0" },
    { "add w0, w1, w2, lsl #32", "operand 4 of 'add' must be between 1 and 31, not 32" },
    { "add x0, x1, #99999999999999999999", "no form of 'add' has the operands 'x0, x1, #99999999999999999999'" },
    { "and x0, x1, #0x5", "operand 3 of 'and' must be a 64-bit bitmask: a rotated run of ones, repeated, not 5" },
    { "and x0, x1, #0xFF", "not the canonical spelling" },
    { "ldr x0, [x1, #0]", "not the canonical spelling" },
    { "ldr x0, [x1, #4]", "operand 3 of 'ldr' must be a multiple of 8 between 0 and 32760, not 4" },
    { "ldr x0, [xzr]", "no form of 'ldr' has the operands 'x0, [xzr]'" },
    { "ldr x0, =1", "no form of 'ldr' has the operands 'x0, =1'" },
    { "ldp x0, x0, [x1]", "'ldp' loads twice into one register" },
    { "ldp x0, x1, [x0], #16", "'ldp' writes its base back and moves it, too" },
    { "str x1, [x1, #8]!", "'str' writes its base back and moves it, too" },
    { "ld1 {v0.16b, v2.16b}, [x0]", "the registers in the list of 'ld1' must be consecutive" },
    { "ld1 {v0.16b, v1.8b}, [x0]", "no form of 'ld1' has the operands '{v0.16b, v1.8b}, [x0]'" },
    { "ld1 {v0.16b}, [x0], #8", "operand 3 of 'ld1' must be 16, not 8" },
    { "ubfx x0, x1, #60, #5", "the field of 'ubfx' ends at bit 65, beyond the 64 of the register" },
    { "bfi w0, w1, #31, #2", "the field of 'bfi' ends at bit 33, beyond the 32 of the register" },
    { "uxtb x0, w1", "no form of 'uxtb' has the operands 'x0, w1'" },
    { "cset x0, al", "operand 2 of 'cset' must be a condition that can be false" },
    { "cset x0, cs", "no form of 'cset' has the operands 'x0, cs'" },
    { "b x0", "no form of 'b' has the operands 'x0'" },
    { "bl 8", "no form of 'bl' has the operands '8'" },
    { "b .L1+4", "no form of 'b' has the operands '.L1+4'" },
    { "ret x30", "no form of 'ret' has the operands 'x30'" },
    { "add x0, x1, x2; ret", "no form of 'add' has the operands 'x0, x1, x2; ret'" },
    { "tbl v0.8b, {v1.8b}, v2.8b", "no form of 'tbl' has the operands 'v0.8b, {v1.8b}, v2.8b'" },
    { "ext v0.8b, v1.8b, v2.8b, #8", "operand 4 of 'ext' must be between 0 and 7, not 8" },
    { "ushr v0.16b, v1.16b, #0", "operand 3 of 'ushr' must be between 1 and 8, not 0" },
    { "movi v0.2d, #0x1", "operand 2 of 'movi' must be eight bytes of 0x00 or 0xff, not 1" },
};

START_TEST(refuses_what_is_not_canonical)
{
    for (int i = 0; i < COUNT(refusals); i++) {
        struct phys_insn insn;
        const char *wrong = insn_read(refusals[i].text, &insn);
        ck_assert_msg(wrong != NULL, "'%s' was accepted", refusals[i].text);
        ck_assert_msg(strcmp(wrong, refusals[i].message) == 0, "'%s': %s\nexpected: %s",
                      refusals[i].text, wrong, refusals[i].message);
    }
}
END_TEST

START_TEST(long_lines_are_refused)
{
    char line[1000];
    memset(line, 'x', sizeof line - 1);
    line[sizeof line - 1] = '\0';
    struct phys_insn insn;
    ck_assert_ptr_nonnull(insn_read(line, &insn));
    line[100] = ' ';
    line[190] = '\0';
    ck_assert_ptr_nonnull(insn_read(line, &insn));
}
END_TEST

/* -- immediates -- */

struct edge { enum imm_range range; int64_t fits[4], refused[4]; };

static const struct edge edges[] = {
    { RANGE_U12, { 0, 1, 4095, 4095 }, { -1, 4096, 1 << 24, -4096 } },
    { RANGE_U12_SHIFT12, { 0, 4096, 8192, 4095 << 12 }, { 1, 4095, 4096 << 12, -4096 } },
    { RANGE_U16, { 0, 1, 65535, 65535 }, { -1, 65536, 1 << 20, -65536 } },
    { RANGE_SHIFT16_X, { 0, 16, 32, 48 }, { 8, 64, -16, 1 } },
    { RANGE_SHIFT16_W, { 0, 16, 0, 16 }, { 32, 48, 8, -16 } },
    { RANGE_LSL_8, { 0, 1, 7, 7 }, { 8, -1, 64, 9 } },
    { RANGE_LSR_8, { 1, 2, 8, 8 }, { 0, 9, -1, 16 } },
    { RANGE_LSL_64, { 0, 1, 63, 32 }, { 64, -1, 65, 128 } },
    { RANGE_LSR_64, { 1, 2, 64, 63 }, { 0, 65, -1, 128 } },
    { RANGE_SHIFT_32, { 1, 2, 31, 16 }, { 0, 32, -1, 64 } },
    { RANGE_SHIFT_64, { 1, 2, 63, 32 }, { 0, 64, -1, 65 } },
    { RANGE_LSL_EXT, { 0, 1, 3, 4 }, { 5, -1, 8, 64 } },
    { RANGE_OFF_B, { 0, 1, 4095, 7 }, { -1, 4096, 8190, -8 } },
    { RANGE_OFF_X, { 0, 8, 32760, 16 }, { 4, 32768, -8, 32761 } },
    { RANGE_OFF_Q, { 0, 16, 65520, 32 }, { 8, 65536, -16, 65521 } },
    { RANGE_S9, { -256, 0, 255, -1 }, { -257, 256, 512, -512 } },
    { RANGE_PAIR_W, { -256, 0, 252, 4 }, { -260, 256, 2, -2 } },
    { RANGE_PAIR_X, { -512, 0, 504, 8 }, { -520, 512, 4, -4 } },
    { RANGE_PAIR_Q, { -1024, 0, 1008, 16 }, { -1040, 1024, 8, -8 } },
    { RANGE_INDEX_SHIFT_3, { 0, 3, 0, 3 }, { 1, 2, 4, -3 } },
    { RANGE_INDEX_SHIFT_0, { 0, 0, 0, 0 }, { 1, 2, 3, -1 } },
    { RANGE_EXACT_24, { 24, 24, 24, 24 }, { 0, 8, 16, 32 } },
    { RANGE_SHIFT8_S, { 0, 8, 16, 24 }, { 32, 4, -8, 1 } },
    { RANGE_MSL, { 8, 16, 8, 16 }, { 0, 24, 12, -8 } },
    { RANGE_NZCV, { 0, 15, 8, 1 }, { 16, -1, 32, 255 } },
    { RANGE_BYTE_MASK_64, { 0, -1, 0xff, 0xff00ff00 }, { 1, 0x80, 0xfe, 0x0ff0 } },
    { RANGE_LOGICAL_X, { 1, 0xff, 0x5555555555555555, INT64_MIN }, { 0, -1, 5, 0x1234 } },
    { RANGE_LOGICAL_W, { 1, 0x55555555, 0x80000001, 0xfffffffe },
      { 0, 0xffffffff, 0x100000001, -2 } },
};

START_TEST(immediates_fit_to_the_edge)
{
    for (int i = 0; i < COUNT(edges); i++) {
        for (int k = 0; k < 4; k++) {
            ck_assert_msg(imm_fits(edges[i].range, edges[i].fits[k]), "range %d: %ld",
                          edges[i].range, (long)edges[i].fits[k]);
            ck_assert_msg(!imm_fits(edges[i].range, edges[i].refused[k]), "range %d: %ld",
                          edges[i].range, (long)edges[i].refused[k]);
        }
    }
    for (int range = 0; range < RANGE_COUNT; range++)
        ck_assert_ptr_nonnull(imm_describe((enum imm_range)range));
}
END_TEST

/* Arm ARM, DecodeBitMasks: every element size, count of ones and rotation. */
enum { BITMASKS = 2 * 1 + 4 * 3 + 8 * 7 + 16 * 15 + 32 * 31 + 64 * 63 };

static int list_bitmasks(uint64_t *list)
{
    int count = 0;
    for (int size = 2; size <= 64; size *= 2) {
        for (int i = 0; i < size * (size - 1); i++) {
            int ones = 1 + i / size, turn = i % size;
            uint64_t mask = ~0ull >> (64 - size), run = ~0ull >> (64 - ones);
            uint64_t value = turn == 0 ? run : (run >> turn | run << (size - turn)) & mask;
            for (int n = size; n < 64; n *= 2)
                value |= value << n;
            list[count++] = value;
        }
    }
    return count;
}

static int compare_values(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

START_TEST(bitmask_immediates_are_those_of_the_manual)
{
    static uint64_t list[BITMASKS];
    ck_assert_int_eq(list_bitmasks(list), BITMASKS);
    qsort(list, BITMASKS, sizeof list[0], compare_values);
    for (int i = 0; i < BITMASKS; i++) {
        ck_assert(imm_is_logical(list[i], 64));
        for (int bit = 0; bit < 64; bit++) {        /* its neighbours: some fit, most do not */
            uint64_t near = list[i] ^ 1ull << bit;
            bool listed = bsearch(&near, list, BITMASKS, sizeof near, compare_values) != NULL;
            ck_assert(imm_is_logical(near, 64) == listed);
            uint64_t twice = near << 32 | (near & 0xffffffff);
            listed = bsearch(&twice, list, BITMASKS, sizeof twice, compare_values) != NULL;
            ck_assert(imm_is_logical(near & 0xffffffff, 32) == listed);
        }
    }
}
END_TEST

Suite *isa_suite(void)
{
    Suite *suite = suite_create("isa");
    TCase *table = tcase_create("table");
    tcase_add_test(table, templates_agree_with_operands);
    tcase_add_test(table, flags_agree_with_operands);
    tcase_add_test(table, rows_are_found_by_mnemonic);
    suite_add_tcase(suite, table);
    TCase *text = tcase_create("text");
    tcase_add_test(text, every_row_prints_and_reads_back);
    tcase_add_test(text, spelling_is_canonical);
    tcase_add_test(text, blanks_around_are_ignored);
    tcase_add_test(text, refuses_what_is_not_canonical);
    tcase_add_test(text, long_lines_are_refused);
    suite_add_tcase(suite, text);
    TCase *immediates = tcase_create("immediates");
    tcase_add_test(immediates, immediates_fit_to_the_edge);
    tcase_add_test(immediates, bitmask_immediates_are_those_of_the_manual);
    suite_add_tcase(suite, immediates);
    return suite;
}
