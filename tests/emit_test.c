/* emit_test.c: the emitter on code built by hand, one object format at a time.
 *
 * The module has an export that is a leaf with a loop, an export that saves
 * registers of both kinds, calls a subroutine and returns early, and tables of
 * two element sizes. Its text must assemble everywhere without a warning; the
 * objects are read back with the tools that a reviewer would use.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/build.h"
#include "suites.h"
#include "target/row.h"

/* -- code by hand -- */

struct hand {
    struct code_module code;
    struct mach_func *f;
    struct mach_block *block;
    enum mach_part part;
    struct loc loc;
};

static struct vreg *reg(enum reg_class class, int number)
{
    struct vreg *r = NEW(struct vreg);

    *r = (struct vreg){.class = class, .assigned = (reg_number)number, .is_assigned = true};
    return r;
}

static struct mach_operand x(int n) { return (struct mach_operand){.reg = reg(CLASS_GENERAL, n)}; }
static struct mach_operand v(int n) { return (struct mach_operand){.reg = reg(CLASS_VECTOR, n)}; }
static struct mach_operand imm(int64_t n) { return (struct mach_operand){.imm = n}; }
static struct mach_operand to(struct mach_block *b) { return (struct mach_operand){.label = b}; }
static struct mach_operand sp(void) { return x(REG_SP); }

static struct mach_block *new_block(struct mach_func *f)
{
    struct mach_block *b = NEW(struct mach_block);

    b->id = f->blocks.n;
    vec_push(&f->blocks, b);
    return b;
}

static struct mach_insn *append(struct hand *h, enum insn insn, const struct mach_operand *op, int n)
{
    struct mach_insn *i = insn_new(insn, op, n);

    i->part = h->part;
    i->loc = h->part == PART_BODY ? h->loc : (struct loc){0};
    insn_append(h->block, i);
    for (int k = 0; k < n; k++)
        if (op[k].label)
            vec_push(&h->block->succs, op[k].label);
    return i;
}

#define ADD(h, insn, ...)                                                              \
    append(h, INSN_##insn, (const struct mach_operand[]){__VA_ARGS__},                 \
           COUNT(((const struct mach_operand[]){__VA_ARGS__})))
#define ADD_BARE(h, insn) append(h, INSN_##insn, NULL, 0)

static void unwind(struct mach_insn *i, enum unwind_kind kind, int number, int amount)
{
    i->unwind.kind = kind;
    i->unwind.reg = (uint8_t)number;
    i->unwind.n = amount;
}

static struct variant base_variant = {.name = ""};

static struct func *new_func(struct module *m, const char *name, enum function_kind kind)
{
    struct func *f = NEW(struct func);

    f->name = name;
    f->kind = kind;
    f->module = m;
    f->variants = &base_variant;
    f->variant_count = 1;
    return f;
}

static void begin_func(struct hand *h, struct func *func)
{
    h->f = NEW(struct mach_func);
    h->f->func = func;
    h->f->variant = &base_variant;
    h->f->name = func->name;
    h->f->features = 1 << FEAT_BASE;
    vec_push(&h->code.funcs, h->f);
    h->block = new_block(h->f);
    h->part = PART_BODY;
}

static struct expr *constant(uint64_t n)
{
    struct expr *e = NEW(struct expr);

    *e = (struct expr){.kind = E_CONST, .type = TYPE_U64, .value = {n}};
    return e;
}

static struct expr *times(struct expr *a, struct expr *b)
{
    struct expr *e = NEW(struct expr);

    *e = (struct expr){.kind = E_BINARY, .op = BIN_MUL, .type = TYPE_U64, .a = a, .b = b};
    return e;
}

static struct expr *var_expr(struct var *var)
{
    struct expr *e = NEW(struct expr);

    *e = (struct expr){.kind = E_VAR, .type = TYPE_U64, .var = var};
    return e;
}

/* count(r: out u64[n], a: in u64[n], n: u64) -> u64 */
static void add_count_params(struct func *f)
{
    static const char *const names[] = {"r", "a", "n"};
    struct var *n = NEW(struct var);

    n->name = "n";
    f->params = NEW_ARRAY(struct param, 3);
    f->param_count = 3;
    f->may_be_same = NEW_ARRAY(bool, 4);
    f->may_be_same[1] = f->may_be_same[2] = true;
    for (int i = 0; i < 3; i++) {
        f->params[i].name = names[i];
        f->params[i].type = TYPE_U64;
    }
    f->params[2].var = n;
    f->params[2].set = (struct value_set){.at = NEW(struct value_range), .n = 1};
    f->params[2].set.at[0] = (struct value_range){1, 1024};
    for (int i = 0; i < 2; i++) {
        struct object *o = NEW(struct object);

        *o = (struct object){.kind = OBJECT_PARAM, .name = names[i], .id = i, .element = TYPE_U64,
                             .direction = i == 0 ? DIR_OUT : DIR_IN, .secret = true, .align = 8};
        o->extent = times(var_expr(n), constant(8));
        f->params[i].object = o;
        vec_push(&f->objects, o);
    }
    f->results = NEW_ARRAY(enum value_type, 1);
    f->results[0] = TYPE_U64;
    f->result_count = 1;
}

static void build_leaf(struct hand *h)
{
    struct func *f = new_func(h->code.module, "count", FN_EXPORT);
    struct mach_block *loop;

    f->doc = "Counts.\nTwo lines; */ closes nothing, nor does a backslash at the end \\";
    add_count_params(f);
    begin_func(h, f);
    h->loc.line = 3;
    ADD(h, mov_x, x(3), x(REG_ZERO));
    loop = new_block(h->f);
    vec_push(&h->block->succs, loop);
    h->block = loop;
    h->loc.line = 4;
    ADD(h, ldr_x, x(4), x(1), imm(0));
    ADD(h, add_x, x(3), x(3), x(4));
    h->loc.line = 5;
    ADD(h, str_x, x(3), x(0), imm(8))->algebra = "s + a_i";
    ADD(h, add_x, x(5), x(3), x(4));
    h->loc.line = 7;
    ADD(h, mov_x, x(6), x(5));
    ADD(h, sub_x_imm, x(2), x(2), imm(1));
    ADD(h, cbnz_x, x(2), to(loop));
    h->block = new_block(h->f);
    vec_push(&loop->succs, h->block);
    h->loc.line = 6;
    ADD(h, mov_x, x(0), x(3));
    ADD_BARE(h, ret);
}

static void build_epilogue(struct hand *h)
{
    h->part = PART_EPILOGUE;
    unwind(ADD(h, ldp_d, v(8), v(9), sp(), imm(32)), UNWIND_SAVE_FREG_PAIR, 8, 32);
    unwind(ADD(h, ldp_x, x(19), x(20), sp(), imm(16)), UNWIND_SAVE_REG_PAIR, 19, 16);
    unwind(ADD(h, ldp_x_post, x(29), x(30), sp(), imm(48)), UNWIND_SAVE_FPLR_X, 29, 48);
    ADD_BARE(h, ret);
    h->part = PART_BODY;
}

static void build_caller(struct hand *h, struct func *callee)
{
    struct mach_block *first, *rest;

    begin_func(h, new_func(h->code.module, "caller", FN_EXPORT));
    first = h->block;
    h->part = PART_PROLOGUE;
    unwind(ADD(h, stp_x_pre, x(29), x(30), sp(), imm(-48)), UNWIND_SAVE_FPLR_X, 29, 48);
    unwind(ADD(h, stp_x, x(19), x(20), sp(), imm(16)), UNWIND_SAVE_REG_PAIR, 19, 16);
    unwind(ADD(h, stp_d, v(8), v(9), sp(), imm(32)), UNWIND_SAVE_FREG_PAIR, 8, 32);
    unwind(ADD(h, add_x_imm, x(29), sp(), imm(0)), UNWIND_SET_FP, 29, 0);
    h->part = PART_BODY;
    rest = NEW(struct mach_block);
    ADD(h, cbnz_x, x(0), to(rest));
    h->block = new_block(h->f);
    vec_push(&first->succs, h->block);
    build_epilogue(h);
    rest->id = h->f->blocks.n;
    vec_push(&h->f->blocks, rest);
    h->block = rest;
    ADD(h, adrp, x(19), {.tables = h->code.module});
    ADD(h, add_x_lo12, x(19), x(19), {.tables = h->code.module});
    ADD(h, ldr_q, v(8), x(19), imm(16));
    ADD(h, bl, {.callee = callee});
    build_epilogue(h);
}

static void add_table(struct module *m, const char *name, enum value_type element, uint64_t size,
                      uint64_t align)
{
    struct object *t = NEW(struct object);

    *t = (struct object){.kind = OBJECT_TABLE, .name = name, .id = m->tables.n, .element = element,
                         .size = size, .align = align, .bytes = NEW_ARRAY(uint8_t, size)};
    for (uint64_t i = 0; i < size; i++)
        t->bytes[i] = (uint8_t)(i * 7 + 1);
    t->table_offset = (m->tables_size + align - 1) / align * align;
    m->tables_size = t->table_offset + size;
    m->tables_align = m->tables_align > align ? m->tables_align : align;
    vec_push(&m->tables, t);
}

static const char source[] = "module \"hand-made\";\n\n\tvar s = 0;\n"
                             "for i in 0..n { s = s + a[i]; }  # /* odd \\\n"
                             "}\nreturn s;\nlet b = b * 2;   //=  2 b\n";

static struct code_module *hand_module(void)
{
    struct hand *h = NEW(struct hand);
    struct module *m = NEW(struct module);
    struct func *callee = new_func(m, "inner", FN_LOCAL);

    diag_reset();
    h->loc = (struct loc){.file = source_add("hand.def", source, sizeof source - 1), .line = 1,
                          .col = 1, .end_col = 2};
    m->name = "hand-made";
    h->code.module = m;
    h->code.features = 1 << FEAT_BASE;
    add_table(m, "words", TYPE_U32, 12, 4);
    add_table(m, "rows", TYPE_U8X16, 32, 16);
    begin_func(h, callee);
    ADD(h, add_x, x(0), x(0), x(1));
    ADD_BARE(h, ret);
    build_leaf(h);
    build_caller(h, callee);
    return &h->code;
}

static const char *emitted(const char *target, const char *style)
{
    struct text out = {0};

    emit_module(&out, hand_module(), target_find(target), style_find(style));
    return out.at;
}

static void assert_has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "missing:\n%s\nin:\n%.3000s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) == NULL, "unexpected:\n%s\nin:\n%.3000s", part, text);
}

/* -- what the text says -- */

START_TEST(every_statement_is_shown_once_a_block)
{
    const char *text = emitted("linux", "plain");

    assert_has(text, "ldr\tx4, [x1]                        // for i in 0..n { s = s + a[i]; }  # / * odd /\n");
    assert_has(text, "add\tx3, x3, x4\n");
    assert_has(text, "str\tx3, [x0, #8]                    // s + a_i\n");
    assert_has(text, "add\tx5, x3, x4\n");
    assert_has(text, "mov\tx6, x5                          // 2 b\n");
    assert_has(text, "mov\tx3, xzr                         // var s = 0;\n");
}
END_TEST

START_TEST(labels_carry_the_function_and_only_targets_have_one)
{
    assert_has(emitted("linux", "plain"), "\n.Lcount_1:\n");
    assert_has(emitted("linux", "plain"), "cbnz\tx2, .Lcount_1\n");
    assert_has(emitted("apple", "plain"), "\nLcount_1:\n");
    assert_has(emitted("windows", "plain"), "\n.Lcaller_1:\n");
    assert_has_not(emitted("linux", "plain"), "Lcount_2");
}
END_TEST

START_TEST(symbols_and_addresses_are_spelled_by_the_platform)
{
    const char *linux_text = emitted("linux", "plain");
    const char *apple_text = emitted("apple", "plain");

    assert_has(linux_text, "adrp\tx19, hand_made_tables ");
    assert_has(linux_text, "add\tx19, x19, :lo12:hand_made_tables\n");
    assert_has(linux_text, "bl\thand_made_inner\n");
    assert_has(linux_text, "\t.hidden\tcount\n");
    assert_has(apple_text, "adrp\tx19, _hand_made_tables@PAGE ");
    assert_has(apple_text, "add\tx19, x19, _hand_made_tables@PAGEOFF\n");
    assert_has(apple_text, "bl\t_hand_made_inner\n");
    assert_has(apple_text, "\t.private_extern\t_count\n");
}
END_TEST

START_TEST(cfi_follows_every_instruction)
{
    const char *text = emitted("linux", "plain");

    assert_has(text, "\thint\t#25                             // paciasp\n\t.cfi_negate_ra_state\n"
                     "\tstp\tx29, x30, [sp, #-48]!\n\t.cfi_def_cfa_offset\t48\n"
                     "\t.cfi_offset\tx29, -48\n\t.cfi_offset\tx30, -40\n"
                     "\tstp\tx19, x20, [sp, #16]\n\t.cfi_offset\tx19, -32\n\t.cfi_offset\tx20, -24\n"
                     "\tstp\td8, d9, [sp, #32]\n\t.cfi_offset\td8, -16\n\t.cfi_offset\td9, -8\n");
    assert_has(text, "\tldp\tx29, x30, [sp], #48\n\t.cfi_def_cfa_offset\t0\n"
                     "\t.cfi_restore\tx29\n\t.cfi_restore\tx30\n"
                     "\thint\t#29                             // autiasp\n\t.cfi_negate_ra_state\n"
                     "\tret\n");
    /* Code after the early return has the frame again. */
    assert_has(text, "\tret\n\t.cfi_def_cfa_offset\t48\n\t.cfi_offset\tx19, -32\n");
}
END_TEST

START_TEST(seh_describes_prologue_and_every_epilogue)
{
    const char *text = emitted("windows", "plain");
    const char *epilogue = strstr(text, "\t.seh_startepilogue\n");

    assert_has(text, "\t.seh_proc\tcaller\ncaller:\n\thint\t#34                             // bti c\n"
                     "\t.seh_nop\n");
    assert_has(text, "\tstp\tx29, x30, [sp, #-48]!\n\t.seh_save_fplr_x\t48\n"
                     "\tstp\tx19, x20, [sp, #16]\n\t.seh_save_regp\tx19, 16\n"
                     "\tstp\td8, d9, [sp, #32]\n\t.seh_save_fregp\td8, 32\n"
                     "\tadd\tx29, sp, #0\n\t.seh_set_fp\n\t.seh_endprologue\n");
    ck_assert_ptr_nonnull(epilogue);
    assert_has(epilogue + 1, "\t.seh_startepilogue\n");     /* the second one */
    assert_has(epilogue, "#endif\n\t.seh_endepilogue\n\tret\n");
    assert_has_not(text, "\t.seh_proc\tcount\n");           /* a leaf needs none */
    assert_has_not(text, ".cfi_");
}
END_TEST

START_TEST(the_contract_stands_above_the_label)
{
    const char *text = emitted("linux", "plain");

    assert_has(text, "// uint64_t count(uint64_t *r, const uint64_t *a, uint64_t n)\n//\n// Counts.\n"
                     "// Two lines; * / closes nothing, nor does a backslash at the end /\n//\n"
                     "//   r  out, n * 8 bytes\n"
                     "//   a  in, n * 8 bytes\n"
                     "//   n  uint64_t, 1 to 1024\n"
                     "// r may be the same array as a.\n"
                     "// Arrays do not overlap otherwise.\n"
                     "// Needs Armv8.0 with Advanced SIMD.\n"
                     "\t.globl\tcount\n");
}
END_TEST

START_TEST(features_choose_the_least_arch)
{
    static const struct { uint32_t features; const char *linux_arch, *apple_arch; } cases[] = {
        {1 << FEAT_BASE, "\t.arch\tarmv8-a\n", "\t.text\n"},
        {1 << FEAT_AES, "\t.arch\tarmv8-a+crypto\n", "\t.arch_extension\tcrypto\n"},
        {1 << FEAT_SHA3, "\t.arch\tarmv8.2-a+crypto+sha3\n", "\t.arch_extension\tsha3\n"},
        {1 << FEAT_AES | 1 << FEAT_SHA3, "\t.arch\tarmv8.2-a+crypto+sha3\n",
         "\t.arch_extension\tcrypto\n\t.arch_extension\tsha3\n"},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        struct code_module *m = hand_module();
        struct text linux_text = {0}, apple_text = {0};

        m->features = cases[i].features;
        emit_module(&linux_text, m, target_find("linux"), style_find("plain"));
        emit_module(&apple_text, m, target_find("apple"), style_find("plain"));
        assert_has(linux_text.at, cases[i].linux_arch);
        assert_has(apple_text.at, cases[i].apple_arch);
    }
}
END_TEST

START_TEST(words_from_the_source_are_made_harmless)
{
    static const struct { const char *in, *out; } cases[] = {
        {"plain", "plain"},
        {"a */ b /* c", "a * / b / * c"},
        {"ends in \\", "ends in /"},
        {"what?" "?/", "what? ?/"},
        {"x \xe2\x8a\x95 y", "x ^ y"},
        {"x\xc2\xb2", "x^2"},
        {"\xe6\xbc\xa2", "?"},
        {"\xff\xfe", "? ?"},
        {"tab\tbell\a", "tab bell?"},
        {"trailing   ", "trailing"},
    };

    for (int i = 0; i < COUNT(cases); i++)
        ck_assert_str_eq(one_line(cases[i].in, strlen(cases[i].in)), cases[i].out);
}
END_TEST

START_TEST(the_library_styles_use_their_macros)
{
    const char *text = emitted("linux", "boringssl");

    assert_has(text, "#include <openssl/asm_base.h>\n");
    assert_has(text, "#if !defined(OPENSSL_NO_ASM) && defined(OPENSSL_AARCH64) && defined(__ELF__)\n");
    assert_has(text, "count:\n\t.cfi_startproc\n");
    assert_has(text, "\tAARCH64_VALID_CALL_TARGET\n\tmov\tx3, xzr");
    assert_has(text, "\tAARCH64_SIGN_LINK_REGISTER\n");
    assert_has(text, "\tAARCH64_VALIDATE_LINK_REGISTER\n");
    assert_has_not(text, "hint");
    assert_has_not(text, ".note");              /* asm_base.h writes them */
    assert_has(emitted("linux", "openssl"), "#include \"arm_arch.h\"\n");
    assert_has(emitted("linux", "openssl"), ".note.GNU-stack");
}
END_TEST

START_TEST(the_same_code_gives_the_same_bytes)
{
    for (int i = 0; i < target_count(); i++)
        ck_assert_str_eq(emitted(target_name(target_at(i)), "plain"),
                         emitted(target_name(target_at(i)), "plain"));
}
END_TEST

START_TEST(file_names_are_those_of_the_libraries)
{
    const struct module m = {.name = "bn-armv8"};

    ck_assert_str_eq(emit_file_name(&m, target_find("linux"), style_find("plain")), "bn-armv8-linux.S");
    ck_assert_str_eq(emit_file_name(&m, target_find("apple"), style_find("plain")), "bn-armv8-apple.S");
    ck_assert_str_eq(emit_file_name(&m, target_find("windows"), style_find("plain")), "bn-armv8-win.S");
}
END_TEST

/* -- what assemblers make of it -- */

static char directory[] = "/tmp/kgen-emit-XXXXXX";

static void setup(void)
{
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void run(const char *command)
{
    ck_assert_msg(system(command) == 0, "%s", command);
}

static void teardown(void)
{
    run(mem_format("rm -r %s", directory));
}

static const char *path(const char *name)
{
    return mem_format("%s/%s", directory, name);
}

static void write_text(const char *name, const char *s)
{
    struct text t = {0};

    text_add(&t, s);
    ck_assert_int_eq(text_write_file(&t, path(name)), WRITE_DONE);
}

static const char *output_of(const char *command)
{
    struct text t = {0};

    run(mem_format("%s >%s 2>&1 || { cat %s; false; }", command, path("output"), path("output")));
    ck_assert(text_read_file(&t, path("output")));
    return t.at;
}

/* An assembler, and flags with which the guards and conditions are all true. */
struct assembler { const char *target, *command; };

static const struct assembler assemblers[] = {
    {"linux", "aarch64-linux-gnu-gcc"},
    {"linux", "aarch64-linux-gnu-gcc -mbranch-protection=standard"},
    {"linux", "clang --target=aarch64-linux-gnu"},
    {"linux", "clang-22 --target=aarch64-linux-gnu"},
    {"apple", "clang --target=arm64-apple-macos11"},
    {"apple", "clang-22 --target=arm64-apple-macos11"},
    {"apple", "clang-22 --target=arm64-apple-macos11 -mbranch-protection=standard"},
    {"apple", "clang --target=arm64-apple-ios12"},
    {"windows", "clang --target=aarch64-windows-msvc"},
    {"windows", "clang-22 --target=aarch64-windows-msvc"},
    {"windows", "clang-22 --target=aarch64-windows-msvc -mbranch-protection=standard"},
};

START_TEST(every_assembler_takes_it_without_a_warning)
{
    const struct assembler *a = &assemblers[_i];
    const char *messages;

    write_text("hand.S", emitted(a->target, "plain"));
    messages = output_of(mem_format("%s -Wall -c %s -o %s", a->command, path("hand.S"), path("hand.o")));
    ck_assert_str_eq(messages, "");
}
END_TEST

/* Stands for the library's header: the macros with and without hardening. */
static const char library_header[] =
    "#define OPENSSL_AARCH64 1\n"
    "#if defined(__ARM_FEATURE_PAC_DEFAULT)\n"
    "#define AARCH64_SIGN_LINK_REGISTER hint #25\n"
    "#define AARCH64_VALIDATE_LINK_REGISTER hint #29\n"
    "#elif defined(__ARM_FEATURE_BTI_DEFAULT)\n"
    "#define AARCH64_SIGN_LINK_REGISTER hint #34\n"
    "#define AARCH64_VALIDATE_LINK_REGISTER\n"
    "#else\n"
    "#define AARCH64_SIGN_LINK_REGISTER\n"
    "#define AARCH64_VALIDATE_LINK_REGISTER\n"
    "#endif\n"
    "#if defined(__ARM_FEATURE_BTI_DEFAULT)\n"
    "#define AARCH64_VALID_CALL_TARGET hint #34\n"
    "#else\n"
    "#define AARCH64_VALID_CALL_TARGET\n"
    "#endif\n";

START_TEST(the_library_styles_assemble_too)
{
    const struct assembler *a = &assemblers[_i];

    run(mem_format("mkdir %s", path("openssl")));
    write_text("openssl/asm_base.h", library_header);
    write_text("arm_arch.h", library_header);
    for (int i = 0; i < style_count(); i++) {
        write_text("hand.S", emitted(a->target, style_name(style_at(i))));
        ck_assert_str_eq(output_of(mem_format("%s -I%s -Wall -c %s -o %s", a->command, directory,
                                              path("hand.S"), path("hand.o"))), "");
        run(mem_format("rm %s", path("hand.S")));
    }
}
END_TEST

static void assemble(const char *target)
{
    write_text("hand.S", emitted(target, "plain"));
    for (int i = 0; i < COUNT(assemblers); i++)
        if (strcmp(assemblers[i].target, target) == 0) {
            run(mem_format("%s -c %s -o %s", assemblers[i].command, path("hand.S"), path("hand.o")));
            return;
        }
}

START_TEST(elf_notes_and_symbols)
{
    const char *symbols;

    assemble("linux");
    assert_has(output_of(mem_format("aarch64-linux-gnu-readelf -n %s", path("hand.o"))), "BTI, PAC");
    assert_has(output_of(mem_format("aarch64-linux-gnu-readelf -SW %s", path("hand.o"))),
               ".note.GNU-stack");
    symbols = output_of(mem_format("aarch64-linux-gnu-readelf -sW %s | tr -s ' '", path("hand.o")));
    assert_has(symbols, " FUNC GLOBAL HIDDEN 1 count\n");
    assert_has(symbols, " FUNC LOCAL DEFAULT 1 hand_made_inner\n");
    assert_has(symbols, " 48 OBJECT LOCAL DEFAULT");
    assert_has_not(symbols, ".L");
    assert_has_not(symbols, " UND count");
}
END_TEST

START_TEST(a_file_whose_guard_is_false_keeps_its_stack_note)
{
    write_text("hand.S", emitted("linux", "plain"));
    run(mem_format("cc -Wall -Werror -c %s -o %s", path("hand.S"), path("hand.o")));
    assert_has(output_of(mem_format("readelf -SW %s", path("hand.o"))), ".note.GNU-stack");
}
END_TEST

START_TEST(mach_o_tables_are_const_and_labels_stay_out)
{
    const char *symbols, *sections;

    assemble("apple");
    symbols = output_of(mem_format("llvm-nm %s", path("hand.o")));
    sections = output_of(mem_format("llvm-objdump -h %s", path("hand.o")));
    assert_has(sections, "__const");
    assert_has(symbols, " T _count\n");
    assert_has(symbols, " t _hand_made_inner\n");
    assert_has(symbols, " s _hand_made_tables\n");
    assert_has_not(symbols, " L");
    assert_has(output_of(mem_format("llvm-readobj --file-header %s", path("hand.o"))),
               "MH_SUBSECTIONS_VIA_SYMBOLS");
}
END_TEST

START_TEST(coff_unwind_codes_are_those_of_the_frame)
{
    const char *unwind, *sections;

    assemble("windows");
    sections = output_of(mem_format("llvm-readobj --sections %s", path("hand.o")));
    assert_has(sections, ".rdata");
    assert_has_not(sections, ".rodata");
    unwind = output_of(mem_format("llvm-readobj --unwind %s", path("hand.o")));
    assert_has(unwind, "Function: caller");
    assert_has(unwind, "stp x29, x30, [sp, #-48]!");
    assert_has(unwind, "stp x19, x20, [sp, #16]");
    assert_has(unwind, "stp d8, d9, [sp, #32]");
    assert_has(unwind, "EpilogueScopes");
    assert_has_not(unwind, "Function: count");
}
END_TEST

START_TEST(elf_frames_decode_at_every_instruction)
{
    const char *rows;

    assemble("linux");
    rows = output_of(mem_format("aarch64-linux-gnu-readelf --debug-dump=frames-interp %s | tr -s ' '",
                                path("hand.o")));
    assert_has(rows, "sp+48 c-32 c-24 c-48 c-40 c-16 c-8");
    assert_has(rows, "sp+0 u u");
}
END_TEST

START_TEST(tables_have_their_bytes_at_their_offsets)
{
    const char *bytes;

    assemble("linux");
    bytes = output_of(mem_format("aarch64-linux-gnu-objdump -s -j .rodata %s", path("hand.o")));
    /* words: 12 bytes, then 4 of padding; rows start again at 01 08 0f 16. */
    assert_has(bytes, " 0000 01080f16 1d242b32 3940474e 00000000");
    assert_has(bytes, " 0010 01080f16 1d242b32 3940474e 555c636a");
}
END_TEST

START_TEST(a_relocatable_file_links_into_a_shared_object)
{
    assemble("linux");
    run(mem_format("aarch64-linux-gnu-gcc -shared -nostdlib -Wl,-z,text,-z,defs %s -o %s",
                   path("hand.o"), path("hand.so")));
    run(mem_format("ld.lld -shared -z text -z defs %s -o %s", path("hand.o"), path("hand2.so")));
}
END_TEST

static const char *header_text(void)
{
    struct text out = {0};

    emit_header(&out, hand_module(), style_find("plain"));
    return out.at;
}

START_TEST(the_header_is_c_and_cxx)
{
    const char *text = header_text();

    assert_has(text, "#ifndef HAND_MADE_H\n#define HAND_MADE_H\n");
    assert_has(text, "\nuint64_t count(uint64_t *r, const uint64_t *a, uint64_t n);\n");
    assert_has(text, "\nvoid caller(void);\n");
    assert_has_not(text, "inner");
    write_text("hand.h", text);
    write_text("use.c", "#include \"hand.h\"\n#include \"hand.h\"\n"
                        "uint64_t f(uint64_t *r) { return count(r, r, 1); }\n");
    ck_assert_str_eq(output_of(mem_format("cc -std=c99 -pedantic -Wall -Wextra -Wstrict-prototypes "
                                          "-c %s -o %s", path("use.c"), path("use.o"))), "");
    ck_assert_str_eq(output_of(mem_format("clang -x c++ -Wall -Wextra -fsyntax-only %s",
                                          path("use.c"))), "");
}
END_TEST

Suite *emit_suite(void)
{
    Suite *s = suite_create("emit");
    TCase *text = tcase_create("text");
    TCase *objects = tcase_create("objects");

    tcase_add_test(text, every_statement_is_shown_once_a_block);
    tcase_add_test(text, labels_carry_the_function_and_only_targets_have_one);
    tcase_add_test(text, symbols_and_addresses_are_spelled_by_the_platform);
    tcase_add_test(text, cfi_follows_every_instruction);
    tcase_add_test(text, seh_describes_prologue_and_every_epilogue);
    tcase_add_test(text, the_contract_stands_above_the_label);
    tcase_add_test(text, features_choose_the_least_arch);
    tcase_add_test(text, words_from_the_source_are_made_harmless);
    tcase_add_test(text, the_library_styles_use_their_macros);
    tcase_add_test(text, the_same_code_gives_the_same_bytes);
    tcase_add_test(text, file_names_are_those_of_the_libraries);
    suite_add_tcase(s, text);

    tcase_set_timeout(objects, 60);
    tcase_add_checked_fixture(objects, setup, teardown);
    tcase_add_loop_test(objects, every_assembler_takes_it_without_a_warning, 0, COUNT(assemblers));
    tcase_add_loop_test(objects, the_library_styles_assemble_too, 0, COUNT(assemblers));
    tcase_add_test(objects, elf_notes_and_symbols);
    tcase_add_test(objects, a_file_whose_guard_is_false_keeps_its_stack_note);
    tcase_add_test(objects, mach_o_tables_are_const_and_labels_stay_out);
    tcase_add_test(objects, coff_unwind_codes_are_those_of_the_frame);
    tcase_add_test(objects, elf_frames_decode_at_every_instruction);
    tcase_add_test(objects, tables_have_their_bytes_at_their_offsets);
    tcase_add_test(objects, a_relocatable_file_links_into_a_shared_object);
    tcase_add_test(objects, the_header_is_c_and_cxx);
    suite_add_tcase(s, objects);
    return s;
}
