/* code_test.c: gen/code/ from IR to the last instruction.
 *
 * Sources are small kernels; each is compiled to machine code, whose rows,
 * registers and frame are compared with what they must be. mach_check() runs
 * after every stage of all of them. That the code computes what its source
 * says is for the executor's tests; here it is the choice of instructions.
 */
#include <stdlib.h>
#include <string.h>

#include "code/liveness.h"
#include "code/passes.h"
#include "lang/parse.h"
#include "suites.h"

static void end_run(void)
{
    mem_release();
    diag_reset();
}

/* -- compiling -- */

static struct module *check_text(const char *text)
{
    diag_reset();
    struct program *p = check_program(parse_text("k.def", text, strlen(text)));
    if (error_count() != 0)
        ck_abort_msg("%s", diag_messages()->at);
    return p->modules.at[0];
}

/* The code of the last function, compiled after those before it; NULL when refused. */
static struct mach_func *compile_for(const char *text, const char *core)
{
    struct module *m = check_text(text);
    struct mach_func *code = NULL;
    for (int k = 0; k < m->funcs.n; k++) {
        struct func *f = m->funcs.at[k];
        const struct variant *v = &f->variants[f->variant_count - 1];
        code = code_from_ir(ir_from_func(f, v), core_find(core));
    }
    return code;
}

static struct mach_func *compile(const char *text) { return compile_for(text, "generic"); }

static char *printed(const struct mach_func *f)
{
    struct text t = { 0 };
    mach_print(&t, f);
    return t.at;
}

/* The instructions without labels, heading and indentation, one a line, single spaces. */
static char *instructions(const struct mach_func *f)
{
    struct text t = { 0 };
    for (char *line = strtok(mem_string(printed(f)), "\n"); line != NULL; line = strtok(NULL, "\n")) {
        if (strncmp(line, "    ", 4) != 0)
            continue;
        bool space = false;
        for (char *p = line + 4; *p != '\0'; p++) {
            if (strncmp(p, " uses ", 6) == 0 || strncmp(p, " [c", 3) == 0)
                break;
            if (*p != ' ' || !space)
                text_add_n(&t, p, 1);
            space = *p == ' ';
        }
        text_add(&t, "\n");
    }
    return t.at;
}

static int count_row(const struct mach_func *f, enum insn insn, int least_depth)
{
    int n = 0;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            n += i->insn == insn && f->blocks.at[k]->loop_depth >= least_depth;
    return n;
}

/* The longest block inside a loop. */
static const struct mach_block *main_loop(const struct mach_func *f, int *length)
{
    const struct mach_block *best = NULL;
    *length = 0;
    for (int k = 0; k < f->blocks.n; k++) {
        int n = 0;
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            n++;
        if (f->blocks.at[k]->loop_depth > 0 && n > *length) {
            best = f->blocks.at[k];
            *length = n;
        }
    }
    return best;
}

static int count_in(const struct mach_block *b, const char *mnemonic)
{
    int n = 0;
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next)
        n += strcmp(insns[i->insn].mnemonic, mnemonic) == 0;
    return n;
}

/* -- the loop of bn_add_words -- */

static const char add_words[] =
    "module \"t\";\n"
    "export fn add(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) -> u64 {\n"
    "    var c: carry = 0;\n"
    "    for i in 0..n unroll 8, 4, 1 { r[i], c = a[i] + b[i] + c; }\n"
    "    return c as u64;\n"
    "}\n";

START_TEST(eight_limbs_take_22_instructions)
{
    int length;
    const struct mach_func *f = compile(add_words);
    const struct mach_block *loop = main_loop(f, &length);
    ck_assert_int_eq(length, 22);
    ck_assert_int_eq(count_in(loop, "ldp"), 8);
    ck_assert_int_eq(count_in(loop, "adcs"), 8);
    ck_assert_int_eq(count_in(loop, "stp"), 4);
    ck_assert_int_eq(count_in(loop, "sub"), 1);
    ck_assert_int_eq(count_in(loop, "cbnz"), 1);
    ck_assert_int_eq(f->frame.size, 0);
    end_run();
}
END_TEST

START_TEST(nothing_writes_flags_between_carries)
{
    for (int k = 0; k < core_count(); k++) {
        const struct mach_func *f = compile_for(add_words, core_at(k)->name);
        const struct mach_func *bad = NULL;
        for (int b = 0; b < f->blocks.n; b++)
            for (const struct mach_insn *i = f->blocks.at[b]->first; i != NULL; i = i->next)
                if (f->blocks.at[b]->loop_depth > 0 && insn_writes_flags(i)
                    && i->insn != INSN_adcs_x)
                    bad = f;
        ck_assert_ptr_null(bad);
        end_run();
    }
}
END_TEST

START_TEST(in_place_words_are_still_loaded_before_they_are_stored)
{
    /* The loop loads limb k of a and b before it stores limb k, on every core; where
     * iterations overlap the next one's are loaded before as well as behind. */
    for (int c = 0; c < core_count(); c++) {
        int length;
        const struct mach_func *f = compile_for(add_words, core_at(c)->name);
        const struct mach_block *loop = main_loop(f, &length);
        bool overlaps = loop->ordered != NULL && loop->ordered->late > 0;
        for (const struct mach_insn *s = loop->first; s != NULL && !overlaps; s = s->next) {
            if ((insns[s->insn].flags & IS_STORE) == 0)
                continue;
            for (const struct mach_insn *l = s->next; l != NULL; l = l->next)
                if ((insns[l->insn].flags & IS_LOAD) != 0)
                    ck_assert_int_ne(l->mem.disp, s->mem.disp);
        }
        end_run();
    }
}
END_TEST

/* -- single expressions -- */

static const struct { const char *params, *body, *expected; } scalar_rows[] = {
    { "a: u64", "a + 5", "add x0, x0, #5\n" },
    { "a: u64", "a - 4096", "sub x0, x0, #1, lsl #12\n" },
    { "a: u64", "a - 0x123456", "sub x0, x0, #291, lsl #12\nsub x0, x0, #1110\n" },
    { "a: u64, b: u64", "a + (b << 3)", "add x0, x0, x1, lsl #3\n" },
    { "a: u64, b: u64", "(a >> 3) ^ b", "eor x0, x1, x0, lsr #3\n" },
    { "a: u64, b: u64", "a & ~b", "bic x0, x0, x1\n" },
    { "a: u64, b: u64", "a | ~b", "orn x0, x0, x1\n" },
    { "a: u64, b: u64", "a ^ ~(b >>> 7)", "eon x0, x0, x1, ror #7\n" },
    { "a: u64", "~a", "mvn x0, x0\n" },
    { "a: u64", "0 - a", "neg x0, x0\n" },
    { "a: u64", "(a >> 5) & 0xff", "ubfx x0, x0, #5, #8\n" },
    { "a: u64", "(a & 0xffff) << 8", "ubfiz x0, x0, #8, #16\n" },
    { "a: u64, b: u64", "(a << 13) | (b >> 51)", "extr x0, x0, x1, #51\n" },
    { "a: u64, b: u64, c: u64", "c + a * b", "madd x0, x0, x1, x2\n" },
    { "a: u64, b: u64, c: u64", "c - a * b", "msub x0, x0, x1, x2\n" },
    { "a: u64", "a & 0x00ff00ff00ff00ff", "and x0, x0, #0xff00ff00ff00ff\n" },
    { "", "0xffffffffffff1234", "movn x0, #60875\n" },
    { "", "0x0000123400005678", "movz x0, #22136\nmovk x0, #4660, lsl #32\n" },
    { "", "0xf0f0f0f0f0f0f0f0", "orr x0, xzr, #0xf0f0f0f0f0f0f0f0\n" },
    /* bits 63..32 of a 32-bit argument are garbage: AAPCS64 6.8.2 */
    { "w: u32", "w as u64", "mov w0, w0\n" },
    { "w: u32", "(w + 1) as u64", "add w0, w0, #1\n" },
    { "w: u32", "(w as u64) << 4", "ubfiz x0, x0, #4, #32\n" },
    { "a: u64, w: u32", "a + (w as u64)", "add x0, x0, w1, uxtw\n" },
    { "v: u32, w: u32", "(v as u64) * (w as u64)", "umull x0, w0, w1\n" },
};

START_TEST(expressions_use_the_shortest_form)
{
    char *text = mem_format("module \"t\";\nexport fn f(%s) -> u64 { return %s; }\n",
                            scalar_rows[_i].params, scalar_rows[_i].body);
    char *expected = mem_format("%sret\n", scalar_rows[_i].expected);
    ck_assert_str_eq(instructions(compile(text)), expected);
    end_run();
}
END_TEST

static const struct { const char *body, *expected; } branch_rows[] = {
    { "a == b", "cmp x0, x1\nb.ne b2\n" },
    { "a > b", "cmp x0, x1\nb.ls b2\n" },
    { "a == 0 && b == 0", NULL },
    { "a & 8 != 0 && b != 1", NULL },
};

START_TEST(conditions_take_one_branch)
{
    char *text = mem_format("module \"t\";\nexport fn f(a: u64, b: u64) -> u64 {\n"
                            "    if %s { return 1; }\n    return 7;\n}\n", branch_rows[_i].body);
    const char *code = instructions(compile(text));
    if (branch_rows[_i].expected != NULL)
        ck_assert_int_eq(strncmp(code, branch_rows[_i].expected, strlen(branch_rows[_i].expected)), 0);
    else
        ck_assert_ptr_null(strstr(code, "cset"));
    end_run();
}
END_TEST

START_TEST(zero_and_single_bits_need_no_compare)
{
    const struct mach_func *f = compile("module \"t\";\nexport fn f(a: u64, b: u64) -> u64 {\n"
                                        "    if a & 8 != 0 { return 1; }\n"
                                        "    if b == 0 { return 2; }\n    return 7;\n}\n");
    ck_assert_int_eq(count_row(f, INSN_cmp_x_imm, 0) + count_row(f, INSN_cmp_x, 0), 0);
    ck_assert_int_eq(count_row(f, INSN_tbz_x, 0) + count_row(f, INSN_tbnz_x, 0), 1);
    ck_assert_int_eq(count_row(f, INSN_cbz_x, 0) + count_row(f, INSN_cbnz_x, 0), 1);
    end_run();
}
END_TEST

START_TEST(a_comparison_while_a_carry_lives_leaves_the_flags)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(r: out u64[n], a: in u64[n], n: u64, k: u64) -> u64 where k < n {\n"
        "    var c: carry = 0;\n"
        "    for i in 0..n { if i == k { r[i], c = a[i] + a[i] + c; } else { r[i], c = a[i] + 1 + c; } }\n"
        "    return c as u64;\n}\n");
    ck_assert_int_eq(count_row(f, INSN_cmp_x, 0), 0);
    ck_assert_int_ge(count_row(f, INSN_eor_x, 1), 1);
    end_run();
}
END_TEST

static const struct { const char *body, *expected; } vector_rows[] = {
    { "r[0] = (r[0] ^ r[1]) & ~r[2];", "bic " },
    { "r[0] = r[0] | ~r[1];", "orn " },
    { "r[0] = ~r[0];", "not " },
    { "r[0] = (r[0] as u32x4 >>> 16) as u8x16;", "rev32 " },
    { "r[0] = (r[0] as u64x2 >>> 32) as u8x16;", "rev64 " },
    { "r[0] = (r[0] as u16x8 >>> 8) as u8x16;", "rev16 " },
    { "r[0] = (r[0] as u32x4 >>> 7) as u8x16;", "sri " },
    { "r[0] = ((r[0] as u32x4) + (r[1] as u32x4 >> 3)) as u8x16;", "usra " },
    { "r[0] = ((r[0] as u32x4) + (r[1] as u32x4) * (r[2] as u32x4)) as u8x16;", "mla " },
    { "r[0] = 0x0f;", "movi v0.16b, #15" },
    { "r[0] = u32x4(0x1200) as u8x16;", "movi v0.4s, #18, lsl #8" },
    { "r[0] = u32x4(0xffffff12) as u8x16;", "mvni v0.4s, #237" },
    { "r[0] = u32x4(0x12ff) as u8x16;", "movi v0.4s, #18, msl #8" },
    { "r[0] = u64x2(0xff00ff, 0xff00ff) as u8x16;", "movi v0.2d, #0xff00ff" },
    { "r[0] = u32x4((r[1] as u32x4)[2]) as u8x16;", "dup v0.4s, v0.s[2]" },
};

START_TEST(vectors_use_the_instruction_that_fits)
{
    char *text = mem_format("module \"t\";\nexport fn f(r: inout u8x16[3]) { %s }\n",
                            vector_rows[_i].body);
    const char *code = instructions(compile(text));
    ck_assert_msg(strstr(code, vector_rows[_i].expected) != NULL, "%s\n%s", vector_rows[_i].body, code);
    end_run();
}
END_TEST

START_TEST(eor3_is_chosen_only_where_the_variant_says)
{
    const char *text = "module \"t\";\nexport fn f(r: inout u8x16[5])\n"
                       "    variant fused { requires sha3; fuse eor3, bcax; }\n"
                       "{ r[0] = (r[0] ^ r[1] ^ r[2]) ^ (r[3] & ~r[4]); }\n";
    struct module *m = check_text(text);
    struct func *f = m->funcs.at[0];
    const struct core *core = core_default();
    const struct mach_func *base = code_from_ir(ir_from_func(f, &f->variants[0]), core);
    const struct mach_func *fused = code_from_ir(ir_from_func(f, &f->variants[1]), core);
    ck_assert_int_eq(count_row(base, INSN_eor3_16b, 0) + count_row(base, INSN_bcax_16b, 0), 0);
    ck_assert_int_ge(count_row(fused, INSN_eor3_16b, 0) + count_row(fused, INSN_bcax_16b, 0), 1);
    ck_assert_str_eq(fused->name, "f_fused");
    ck_assert_uint_eq(base->features, 1u << FEAT_BASE);
    ck_assert_uint_eq(fused->features, 1u << FEAT_BASE | 1u << FEAT_SHA3);
    end_run();
}
END_TEST

/* -- tied operands and runs -- */

START_TEST(the_aes_operand_that_dies_is_tied)
{
    /* The state is needed again, the key is not: no mov. */
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(r: inout u8x16[2]) requires aes {\n"
        "    let s = r[0];\n    let k = r[1];\n    r[1] = aese(s, k);\n    r[0] = s ^ 1;\n}\n");
    ck_assert_int_eq(count_row(f, INSN_mov_16b, 0), 0);
    end_run();
}
END_TEST

START_TEST(a_key_xored_into_the_state_needs_no_xor)
{
    const struct mach_func *f = compile("module \"t\";\nexport fn f(r: inout u8x16[2]) requires aes {\n"
                                        "    r[0] = aese(r[0] ^ r[1], 0);\n}\n");
    ck_assert_int_eq(count_row(f, INSN_eor_16b, 0), 0);
    ck_assert_int_eq(count_row(f, INSN_aese, 0), 1);
    end_run();
}
END_TEST

START_TEST(aesmc_follows_its_aese_on_one_register)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(r: inout u8x16[4]) requires aes {\n"
        "    let k = r[3];\n    static for i in 0..3 { r[i] = aesmc(aese(r[i], k)); }\n}\n");
    int pairs = 0;
    for (const struct mach_insn *i = f->blocks.at[0]->first; i != NULL; i = i->next)
        if (i->insn == INSN_aese) {
            ck_assert_int_eq(i->next->insn, INSN_aesmc);
            ck_assert_int_eq(i->next->op[0].reg->assigned, i->op[0].reg->assigned);
            ck_assert_int_eq(i->next->op[1].reg->assigned, i->op[0].reg->assigned);
            pairs++;
        }
    ck_assert_int_eq(pairs, 3);
    end_run();
}
END_TEST

static const char tables[] =
    "module \"t\";\n"
    "table k: u8x16[4] = [static for t in 0..4: [static for j in 0..16: 16 * t + j]];\n";

START_TEST(the_registers_of_a_table_are_consecutive)
{
    const struct mach_func *f = compile(mem_format(
        "%sexport fn f(d: inout u8x16[n], n: u64) {\n"
        "    for i in 0..n { d[i] = tbl([k[0], k[1], k[2], k[3]], d[i]) ^ tbl([k[2], k[3]], d[i]); }\n}\n",
        tables));
    ck_assert_int_eq(count_row(f, INSN_mov_16b, 0), 0);
    ck_assert_int_eq(count_row(f, INSN_tblx4_16b, 1), 1);
    ck_assert_int_eq(count_row(f, INSN_tblx2_16b, 1), 1);
    end_run();
}
END_TEST

START_TEST(a_register_wanted_in_two_places_is_copied)
{
    const struct mach_func *f = compile(mem_format(
        "%sexport fn f(d: inout u8x16[n], n: u64) {\n"
        "    for i in 0..n { d[i] = tbl([k[0], k[1]], d[i]) ^ tbl([k[1], k[0]], d[i]); }\n}\n", tables));
    ck_assert_int_ge(count_row(f, INSN_mov_16b, 0), 1);
    ck_assert_int_eq(count_row(f, INSN_tblx2_16b, 1), 2);
    end_run();
}
END_TEST

START_TEST(table_addresses_have_no_addend)
{
    const struct mach_func *f = compile(mem_format(
        "%sexport fn f(d: inout u8x16[1]) { d[0] = tbl(k[3], d[0]); }\n", tables));
    ck_assert_int_eq(count_row(f, INSN_adrp, 0), 1);
    ck_assert_int_eq(count_row(f, INSN_add_x_lo12, 0), 1);
    ck_assert_ptr_nonnull(strstr(instructions(f), "#48]"));
    end_run();
}
END_TEST

/* -- registers (FIELD.md: inputs worth a test, 1 and 3) -- */

static char *rotating(const char *type, int n, const char *indent)
{
    struct text t = { 0 };
    text_format(&t, "module \"t\";\nexport fn f(a: in %s[%d], r: out %s[%d], n: u64) {\n", type, n,
                type, n);
    for (int k = 0; k < n; k++)
        text_format(&t, "%svar v%d = a[%d];\n", indent, k, k);
    text_format(&t, "%sfor i in 0..n {\n", indent);
    for (int k = 0; k < n; k++)
        text_format(&t, "%s    v%d = v%d ^ v%d;\n", indent, k, k, (k + 1) % n);
    text_format(&t, "%s}\n", indent);
    for (int k = 0; k < n; k++)
        text_format(&t, "%sr[%d] = v%d;\n", indent, k, k);
    text_add(&t, "}\n");
    return t.at;
}

START_TEST(twenty_four_vectors_save_nothing)
{
    const struct mach_func *f = compile(rotating("u8x16", 24, "    "));
    ck_assert_uint_eq(f->frame.saved_vector, 0);
    ck_assert_int_eq(f->frame.size, 0);
    end_run();
}
END_TEST

START_TEST(twenty_eight_vectors_save_exactly_four)
{
    const struct mach_func *f = compile(rotating("u8x16", 28, "    "));
    ck_assert_uint_eq(f->frame.saved_vector, 0xf00);
    ck_assert_int_eq(f->frame.size, 32);
    ck_assert_int_eq(f->blocks.at[0]->first->unwind.kind, UNWIND_SAVE_FREG_PAIR_X);
    end_run();
}
END_TEST

START_TEST(thirty_three_vectors_are_refused_by_name)
{
    ck_assert_ptr_null(compile(rotating("u8x16", 33, "    ")));
    const char *said = diag_messages()->at;
    ck_assert_ptr_nonnull(strstr(said, "33 vector values are live here, 32 registers exist [registers]"));
    ck_assert_ptr_nonnull(strstr(said, "k.def:36:5: error:"));
    ck_assert_ptr_nonnull(strstr(said, "k.def:3:9: note: 'v0' is defined here"));
    ck_assert_ptr_nonnull(strstr(said, "k.def:35:9: note: 'v32' is defined here"));
    end_run();
}
END_TEST

START_TEST(more_general_values_than_registers_are_refused)
{
    /* 26 values, r and the count use all 28; one more is too many. */
    const struct mach_func *f = compile(rotating("u64", 26, "    "));
    ck_assert_ptr_nonnull(f);
    ck_assert_uint_eq(f->written[CLASS_GENERAL] & 1u << REG_PLATFORM, 0);
    ck_assert_uint_eq(f->frame.saved_general, (uint32_t)CALLEE_SAVED_GENERAL);
    end_run();
    ck_assert_ptr_null(compile(rotating("u64", 27, "    ")));
    ck_assert_ptr_nonnull(strstr(diag_messages()->at,
                                 "29 general values are live here, 28 registers exist [registers]"));
    end_run();
}
END_TEST

START_TEST(constants_are_made_again_before_anything_is_refused)
{
    /* 31 vectors live through the loop, and two constants: one too many to keep. */
    struct text t = { 0 };
    text_add(&t, "module \"t\";\nexport fn f(a: in u8x16[31], r: out u8x16[31], n: u64) {\n");
    for (int k = 0; k < 31; k++)
        text_format(&t, "    var v%d = a[%d];\n", k, k);
    text_add(&t, "    for i in 0..n {\n        v0 = v0 ^ 0x0f;\n        v1 = v1 & 0xf0;\n");
    for (int k = 2; k < 31; k++)
        text_format(&t, "        v%d = v%d ^ v%d;\n", k, k, k - 1);
    text_add(&t, "    }\n");
    for (int k = 0; k < 31; k++)
        text_format(&t, "    r[%d] = v%d;\n", k, k);
    text_add(&t, "}\n");
    const struct mach_func *f = compile(t.at);
    ck_assert_msg(f != NULL, "%s", diag_messages()->at);
    ck_assert_int_ge(f->reload_count, 1);
    ck_assert_int_ge(count_row(f, INSN_movi_16b, 1), 1);
    end_run();
}
END_TEST

START_TEST(half_of_a_pair_is_loaded_again)
{
    /* 31 vectors live through the loop, and two tables that one ldp loads. */
    struct text t = { 0 };
    text_format(&t, "%sexport fn f(a: in u8x16[31], r: out u8x16[31], n: u64) {\n", tables);
    for (int k = 0; k < 31; k++)
        text_format(&t, "    var v%d = a[%d];\n", k, k);
    text_add(&t, "    for i in 0..n {\n        v0 = tbl(k[0], v0);\n        v1 = tbl(k[1], v1);\n");
    for (int k = 2; k < 31; k++)
        text_format(&t, "        v%d = v%d ^ v%d;\n", k, k, k - 1);
    text_add(&t, "    }\n");
    for (int k = 0; k < 31; k++)
        text_format(&t, "    r[%d] = v%d;\n", k, k);
    text_add(&t, "}\n");
    const struct mach_func *f = compile(t.at);
    ck_assert_msg(f != NULL, "%s", diag_messages()->at);
    ck_assert_int_ge(f->reload_count, 1);
    ck_assert_int_ge(count_row(f, INSN_ldr_q, 1), 1);
    ck_assert_int_eq(count_row(f, INSN_str_q, 1) + count_row(f, INSN_stp_q, 1), 0);
    end_run();
}
END_TEST

START_TEST(an_in_order_core_gets_room_for_woven_chains)
{
    /* Twenty-two vectors only pass through the inner loop, twelve chains live in it. */
    struct text t = { 0 };
    text_format(&t, "module \"t\";\ntable k: u8x16[22] = "
                "[static for t in 0..22: [static for j in 0..16: 16 * (t & 7) + j]];\n"
                "export fn f(d: inout u8x16[n], n: u64, m: u64) {\n    for i in 0..n {\n");
    text_add(&t, "        var x = d[i];\n");
    for (int k = 0; k < 22; k++)
        text_format(&t, "        x = tbl(k[%d], x);\n", k);
    text_add(&t, "        var s = [static for c in 0..12: x ^ (c + 1)];\n        for j in 0..m {\n");
    text_add(&t, "            static for c in 0..12 { s[c] = s[c] ^ (s[c] >> 1) ^ (s[c] << 3); }\n        }\n");
    text_add(&t, "        x = s[0];\n        static for c in 1..12 { x = x ^ s[c]; }\n");
    text_add(&t, "        d[i] = x;\n    }\n}\n");
    const struct mach_func *f = compile_for(t.at, "cortex-a53");
    ck_assert_msg(f != NULL, "%s", diag_messages()->at);
    ck_assert_int_ge(f->reload_count, 1);
    /* nothing was loaded in the inner loop for it */
    ck_assert_int_eq(count_row(f, INSN_ldr_q, 2) + count_row(f, INSN_ldp_q, 2), 0);
    end_run();
}
END_TEST

/* -- frames -- */

START_TEST(a_frame_has_one_epilogue_in_reverse_order)
{
    const struct mach_func *f = compile(rotating("u64", 22, "    "));
    ck_assert_int_eq(count_row(f, INSN_ret, 0), 1);
    int saves[16], n = 0;
    for (const struct mach_insn *i = f->blocks.at[0]->first; i->part == PART_PROLOGUE; i = i->next)
        saves[n++] = i->unwind.n;
    const struct mach_insn *i = f->blocks.at[f->blocks.n - 1]->last;
    ck_assert_int_eq(i->insn, INSN_ret);
    for (int k = 0; k < n; k++) {
        i = i->prev;
        ck_assert_int_eq(i->part, PART_EPILOGUE);
        ck_assert_int_eq(i->unwind.n, saves[k]);
    }
    end_run();
}
END_TEST

START_TEST(a_stack_array_of_variable_size_hangs_on_x29)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(a: inout u64[n], n: u64 in 1..=100) {\n"
        "    stack t: u64[n];\n"
        "    for i in 0..n { t[i] = a[i] + 1; }\n"
        "    for i in 0..n { a[i] = t[i] ^ a[i]; }\n}\n");
    ck_assert(f->frame.is_variable && !f->frame.is_leaf);
    ck_assert_int_eq(f->blocks.at[0]->first->unwind.kind, UNWIND_SAVE_FPLR_X);
    bool restored = false;
    const struct mach_block *last = f->blocks.at[f->blocks.n - 1];
    for (const struct mach_insn *i = last->first; i != NULL; i = i->next)
        restored |= i->unwind.kind == UNWIND_RESTORE_SP;
    ck_assert(restored);
    end_run();
}
END_TEST

START_TEST(stack_arrays_beyond_a_page_are_probed)
{
    const struct mach_func *f = compile("module \"t\";\nexport fn f(a: inout u64[n], n: u64 in 1..=1000) {\n"
                               "    stack t: u64[n];\n    for i in 0..n { t[i] = a[i] + 1; }\n"
                               "    for i in 0..n { a[i] = t[i] ^ a[i]; }\n}\n");
    ck_assert_ptr_nonnull(f);
    ck_assert(f->frame.is_large);
    end_run();
}
END_TEST

START_TEST(wipe_clears_secret_registers_but_not_the_result)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(a: in u64[2], v: inout u8x16[1]) -> u64 wipe {\n"
        "    v[0] = v[0] ^ 1;\n    return a[0] ^ a[1];\n}\n");
    const struct mach_block *b = f->blocks.at[0];
    int general = 0, vectors = 0;
    for (const struct mach_insn *i = b->first; i != NULL; i = i->next) {
        bool zeroes = i->insn == INSN_mov_x && vreg_is_constant(i->op[1].reg);
        ck_assert(!zeroes || i->op[0].reg->assigned != 0);
        general += zeroes;
        vectors += i->insn == INSN_movi_16b && i->op[1].imm == 0;
    }
    ck_assert_int_ge(general, 1);
    ck_assert_int_ge(vectors, 1);
    end_run();
}
END_TEST

START_TEST(secret_stack_arrays_are_cleared_without_being_asked)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(a: inout u64[4], k: u64 in 0..4) {\n"
        "    stack t: u64[4];\n    for i in 0..4 { t[i] = a[i]; }\n    a[k] = t[3 - k];\n}\n");
    int cleared = 0;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            if (i->insn == INSN_stp_x && vreg_is_constant(i->op[0].reg))
                cleared += 16;
    ck_assert_int_eq(cleared, 32);
    end_run();
}
END_TEST

/* -- local functions -- */

START_TEST(tables_stay_in_registers_across_calls)
{
    const struct mach_func *f = compile(mem_format(
        "%slocal fn step(x: u8x16, y: u8x16) -> (u8x16, u8x16) {\n"
        "    return tbl(k[0], x) ^ y, tbl(k[1], y) ^ x;\n}\n"
        "export fn f(d: inout u8x16[2], n: u64) {\n"
        "    var a = d[0];\n    var b = d[1];\n"
        "    for i in 0..n { a, b = step(a, b); }\n    d[0] = a;\n    d[1] = b;\n}\n", tables));
    ck_assert_int_eq(count_row(f, INSN_bl, 1), 1);
    ck_assert_int_le(count_row(f, INSN_mov_16b, 1), 2);     /* of results, not of tables */
    ck_assert_int_eq(count_row(f, INSN_ldr_q, 1) + count_row(f, INSN_ldp_q, 1), 0);
    ck_assert(!f->frame.is_leaf);
    ck_assert_int_eq(f->blocks.at[0]->first->unwind.kind, UNWIND_SAVE_FPLR_X);
    end_run();
}
END_TEST

/* -- far branches, copies, order -- */

/* Bytes between the only conditional branch and its target; the size in *size. */
static int64_t conditional_distance(const struct mach_func *f, int64_t *size)
{
    int64_t at = 0, branch = -1, target = -1;
    const struct mach_block *to = NULL;
    for (int k = 0; k < f->blocks.n; k++)
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next, at += 4)
            if (insn_is_branch(i) && i->insn != INSN_b && i->insn != INSN_ret) {
                ck_assert_int_eq(branch, -1);
                branch = at;
                to = i->op[row_of(i)->operand_count - 1].label;
            }
    ck_assert(to != NULL && to->is_target);
    *size = at;
    at = 0;
    for (int k = 0; k < f->blocks.n; k++) {
        if (f->blocks.at[k] == to)
            target = at;
        for (const struct mach_insn *i = f->blocks.at[k]->first; i != NULL; i = i->next)
            at += 4;
    }
    return llabs(target - branch);
}

START_TEST(a_branch_over_32_kib_reaches)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(r: inout u64[1], s: u64, k: u64) {\n"
        "    var a = r[0];\n"
        "    if s & 4 != 0 { static for i in 0..9000 { a = (a ^ k) + s; } }\n"
        "    r[0] = a;\n}\n");
    int64_t size;
    ck_assert_int_lt(conditional_distance(f, &size), 32768);
    ck_assert_int_gt(size, 65536);
    end_run();
}
END_TEST

/* cbz and b.cond reach 1 MiB; what lies between is made longer by hand. */
START_TEST(a_branch_over_1_mib_reaches)
{
    static const char *const conditions[] = { "s != 0", "s > 5" };
    for (int c = 0; c < COUNT(conditions); c++) {
        struct mach_func *f = compile(mem_format(
            "module \"t\";\nexport fn f(r: inout u64[1], s: u64) {\n"
            "    if %s { r[0] = r[0] + s; }\n}\n", conditions[c]));
        int64_t size, near = conditional_distance(f, &size);
        struct mach_insn *inside = f->blocks.at[1]->first;
        for (int i = 0; i < 1 << 18; i++)
            insn_before(inside, insn_new(INSN_nop, NULL, 0));
        ck_assert_int_gt(conditional_distance(f, &size), near + (1 << 20) - 1);
        relax_branches(f);
        ck_assert_int_lt(conditional_distance(f, &size), 64);
        end_run();
    }
}
END_TEST

START_TEST(exchanged_variables_need_two_copies_or_less)
{
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(d: inout u64[2], n: u64) {\n"
        "    var a = d[0];\n    var b = d[1];\n"
        "    for i in 0..n { let t = a; a = b; b = t + 1; }\n    d[0] = a;\n    d[1] = b;\n}\n");
    ck_assert_int_le(count_row(f, INSN_mov_x, 1), 2);
    ck_assert_int_eq(count_row(f, INSN_b, 1), 0);
    end_run();
}
END_TEST

START_TEST(overlapping_accesses_keep_their_order)
{
    /* A 16-byte load of two words just stored must stay behind both stores. */
    const struct mach_func *f = compile(
        "module \"t\";\nexport fn f(a: inout u8[32], x: u64, y: u64) {\n"
        "    store(a, 0, x);\n    store(a, 8, y);\n    let v = load(u8x16, a, 4);\n"
        "    store(a, 16, v);\n}\n");
    bool stored = false;
    for (const struct mach_insn *i = f->blocks.at[0]->first; i != NULL; i = i->next) {
        if (i->insn == INSN_stp_x)
            stored = true;
        ck_assert(i->insn != INSN_ldur_q || stored);
    }
    ck_assert(stored);
    end_run();
}
END_TEST

START_TEST(the_same_source_gives_the_same_code)
{
    for (int c = 0; c < core_count(); c++) {
        char *first = strdup(printed(compile_for(rotating("u8x16", 30, "    "), core_at(c)->name)));
        end_run();
        ck_assert_str_eq(printed(compile_for(rotating("u8x16", 30, "    "), core_at(c)->name)), first);
        end_run();
        free(first);
    }
}
END_TEST

/* -- core models -- */

START_TEST(every_core_has_a_row_for_every_class)
{
    for (int c = 0; c < core_count(); c++) {
        const struct core *core = core_at(c);
        ck_assert_ptr_eq(core_find(core->name), core);
        ck_assert_int_ge(core->issue_width, 2);
        for (int t = 0; t < TIME_COUNT; t++) {
            ck_assert_msg(core->timing[t].uops > 0, "%s %s",
                          core->name, timing_class_names[t]);
            ck_assert_int_eq(core->timing[t].ports >> core->port_count, 0);
        }
    }
    ck_assert_ptr_eq(core_find("cortex-a76"), core_find("neoverse-n1"));
    ck_assert_ptr_null(core_find("pentium"));
}
END_TEST

static void add_choice_tests(TCase *t)
{
    tcase_add_test(t, eight_limbs_take_22_instructions);
    tcase_add_test(t, nothing_writes_flags_between_carries);
    tcase_add_test(t, in_place_words_are_still_loaded_before_they_are_stored);
    tcase_add_loop_test(t, expressions_use_the_shortest_form, 0, COUNT(scalar_rows));
    tcase_add_loop_test(t, conditions_take_one_branch, 0, COUNT(branch_rows));
    tcase_add_test(t, zero_and_single_bits_need_no_compare);
    tcase_add_test(t, a_comparison_while_a_carry_lives_leaves_the_flags);
    tcase_add_loop_test(t, vectors_use_the_instruction_that_fits, 0, COUNT(vector_rows));
    tcase_add_test(t, eor3_is_chosen_only_where_the_variant_says);
    tcase_add_test(t, the_aes_operand_that_dies_is_tied);
    tcase_add_test(t, a_key_xored_into_the_state_needs_no_xor);
    tcase_add_test(t, aesmc_follows_its_aese_on_one_register);
    tcase_add_test(t, table_addresses_have_no_addend);
}

static void add_register_tests(TCase *t)
{
    tcase_add_test(t, the_registers_of_a_table_are_consecutive);
    tcase_add_test(t, a_register_wanted_in_two_places_is_copied);
    tcase_add_test(t, twenty_four_vectors_save_nothing);
    tcase_add_test(t, twenty_eight_vectors_save_exactly_four);
    tcase_add_test(t, thirty_three_vectors_are_refused_by_name);
    tcase_add_test(t, more_general_values_than_registers_are_refused);
    tcase_add_test(t, constants_are_made_again_before_anything_is_refused);
    tcase_add_test(t, half_of_a_pair_is_loaded_again);
    tcase_add_test(t, an_in_order_core_gets_room_for_woven_chains);
    tcase_add_test(t, tables_stay_in_registers_across_calls);
    tcase_add_test(t, exchanged_variables_need_two_copies_or_less);
}

static void add_frame_tests(TCase *t)
{
    tcase_add_test(t, a_frame_has_one_epilogue_in_reverse_order);
    tcase_add_test(t, a_stack_array_of_variable_size_hangs_on_x29);
    tcase_add_test(t, stack_arrays_beyond_a_page_are_probed);
    tcase_add_test(t, wipe_clears_secret_registers_but_not_the_result);
    tcase_add_test(t, secret_stack_arrays_are_cleared_without_being_asked);
    tcase_add_test(t, a_branch_over_32_kib_reaches);
    tcase_add_test(t, a_branch_over_1_mib_reaches);
    tcase_add_test(t, overlapping_accesses_keep_their_order);
    tcase_add_test(t, the_same_source_gives_the_same_code);
    tcase_add_test(t, every_core_has_a_row_for_every_class);
}

Suite *code_suite(void)
{
    Suite *s = suite_create("code");
    TCase *choice = tcase_create("choice"), *registers = tcase_create("registers");
    TCase *frames = tcase_create("frames");
    add_choice_tests(choice);
    add_register_tests(registers);
    add_frame_tests(frames);
    tcase_set_timeout(frames, 30);
    suite_add_tcase(s, choice);
    suite_add_tcase(s, registers);
    suite_add_tcase(s, frames);
    return s;
}
