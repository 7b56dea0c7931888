/* lemma_test.c: each form that selection may choose is the term that its source is.
 *
 * A row is a source and the instruction that must be chosen for it: that it is
 * there shows that the rule applies, and that the kernel is proved at the first look
 * shows that both sides build the same term. Every term carries values under sample
 * inputs, and asserts that an operation keeps them (verify/term.h), so the sides
 * agree on those as well. A rule without its row is a false alarm waiting.
 */
#include <check.h>
#include <string.h>

#include "lang/ast.h"
#include "suites.h"
#include "target/row.h"
#include "tool/compile.h"
#include "verify/module.h"
#include "verify/prove.h"
#include "verify/term_second.h"

struct lemma { const char *chosen; const char *body; };

/* With scalars a, b, c, d: secret u64, w, v: secret u32, n: u64. */
static const struct lemma scalars[] = {
    { "add\tx0, x1, x0, lsl #3", "return b + (a << 3);" },
    { "sub\tx0, x1, x0, lsr #5", "return b - (a >> 5);" },
    { "eor\tx0, x1, x0, ror #9", "return b ^ (a >>> 9);" },
    { "and\tx0, x1, x0, lsl #7", "return b & (a << 7);" },
    { "orr\tx0, x1, x0, lsl #7", "return b | (a << 7);" },
    { "bic", "return a & ~b;" },
    { "orn", "return a | ~b;" },
    { "eon", "return a ^ ~b;" },
    { "mvn", "return ~a;" },
    { "neg", "return 0 - a;" },
    { "madd", "return c + a * b;" },
    { "msub", "return c - a * b;" },
    { "umull", "return (w as u64) * (v as u64);" },
    { "umaddl", "return a + (w as u64) * (v as u64);" },
    { "umsubl", "return a - (w as u64) * (v as u64);" },
    { "umulh", "let lo, hi = a * b;\n    return lo ^ hi;" },
    { "uxtw", "return a + (w as u64);" },
    { "uxtw #3", "return a + ((w as u64) << 3);" },
    { "sub\tx0, x0, #5", "return a + (0 - 5);" },
    { "lsl #12", "return a + 0x5000;" },
    { "ubfx", "return (a >> 7) & 0x1ff;" },
    { "ubfiz", "return (a & 0x1ff) << 7;" },
    { "ror", "return a >>> 11;" },
    { "ror", "return a <<< 11;" },
    { "extr", "return (a << 20) | (b >> 44);" },
    { "and\tx0, x0, #0x", "return a & 0xff00ff00ff00ff00;" },
    { "lsl\tx0, x0, x", "return a << (n % 64);" },
    { "adds", "let s, k = a + b;\n    return s + (k as u64);" },
    { "subs", "let s, k = a - b;\n    return s + (k as u64);" },
    { "adc", "let s, k = a + b;\n    return (c + d + k) ^ s;" },
    { "csel", "let s, k = a + b;\n    return select(k, c, d) ^ s;" },
    { "csetm", "let s, k = a + b;\n    return mask(k) ^ s;" },
    { "cset", "let s, k = a + b;\n    return (k as u64) ^ s;" },
    { "tbnz", "if n & 8 == 0 { return a; }\n    return b;" },
    { "cbnz", "if n == 0 { return a; }\n    return b;" },
    { "cmp", "if n > 77 { return a; }\n    return b;" },
};

/* With vectors p, q, s, t: u8x16 that are loaded, stored to r[0]. */
static const struct lemma vectors[] = {
    { "bic", "r[0] = p & ~q;" },
    { "orn", "r[0] = p | ~q;" },
    { "not", "r[0] = ~p;" },
    { "eor3", "r[0] = p ^ q ^ s;" },
    { "bcax", "r[0] = p ^ (q & ~s);" },
    { "bsl", "r[0] = select(p, q, s);" },
    { "rev32", "r[0] = ((p as u32x4) <<< 16) as u8x16;" },
    { "rev16", "r[0] = ((p as u16x8) <<< 8) as u8x16;" },
    { "shl", "r[0] = ((p as u32x4) << 9) as u8x16;" },
    { "ushr", "r[0] = ((p as u32x4) >> 9) as u8x16;" },
    { "sub", "r[0] = ((p as u32x4) - (q as u32x4)) as u8x16;" },
    { "mul", "r[0] = ((p as u16x8) * (q as u16x8)) as u8x16;" },
    { "movi", "r[0] = p ^ 0x0f;" },
    { "dup", "r[0] = p ^ (u32x4((p as u32x4)[2], (p as u32x4)[2], (p as u32x4)[2], (p as u32x4)[2]) as u8x16);" },
    { "ins", "r[0] = u64x2((p as u64x2)[1], (q as u64x2)[0]) as u8x16;" },
    { "aese", "r[0] = aese(p ^ q, 0);" },
    { "aesd", "r[0] = aesd(p ^ q, 0);" },
    { "ext", "r[0] = ext(p, q, 5);" },
    { "tbl", "r[0] = tbl(p, q);" },
    { "ldp\tq", "r[0] = p ^ q;" },
};

static struct proof prove_lemma(const char *source, const char *chosen)
{
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    struct text file = { 0 };
    struct emitted *emitted = NEW(struct emitted);
    vec_push(&o.targets, target_find("linux"));
    diag_reset();
    if (!compile_program(&c, parse_text("lemma.def", source, strlen(source)), &o))
        ck_abort_msg("%.600s", diag_messages()->at);
    emit_module(&file, c.modules.at[0], o.targets.at[0], o.style);
    const char *code = strstr(file.at, "\nf:\n");
    ck_assert_ptr_nonnull(code);
    if (!strstr(code, mem_format("\t%s", chosen)) && !strstr(code, mem_format(", %s", chosen))) {
        printf("%s\n", code);
        ck_abort_msg("no '%s'", chosen);
    }
    *emitted = text_read(file.at, file.n);
    return prove_func(source_of(c.modules.at[0]->funcs.at[0]), emitted, "f");
}

static void expect_lemma(const char *source, const char *chosen)
{
    int looks = term_second_looks();
    struct proof p = prove_lemma(source, chosen);
    ck_assert_msg(!p.difference, "%s: %s", chosen, p.difference);
    ck_assert_msg(term_second_looks() == looks, "%s: the terms are not one at the first look", chosen);
}

START_TEST(scalar_forms)
{
    const struct lemma *l = &scalars[_i];
    char params[200] = "";
    static const struct { const char *name, *declared; } all[] = {
        { "a", "a: secret u64" }, { "b", "b: secret u64" }, { "c", "c: secret u64" },
        { "d", "d: secret u64" }, { "w", "w: secret u32" }, { "v", "v: secret u32" }, { "n", "n: u64" } };
    for (int i = 0; i < COUNT(all); i++) {
        bool is_used = false;                           /* as a word of its own */
        for (const char *at = strstr(l->body, all[i].name); at; at = strstr(at + 1, all[i].name)) {
            bool begins = at == l->body || !strchr("abcdefghijklmnopqrstuvwxyz0123456789", at[-1]);
            is_used |= begins && !strchr("abcdefghijklmnopqrstuvwxyz0123456789", at[1]);
        }
        if (is_used)
            strcat(strcat(params, params[0] ? ", " : ""), all[i].declared);
    }
    expect_lemma(mem_format("module \"m\";\nexport fn f(%s) -> u64 {\n    %s\n}\n", params, l->body), l->chosen);
}
END_TEST

START_TEST(vector_forms)
{
    const struct lemma *l = &vectors[_i];
    struct text loads = { 0 };
    static const char *const names[] = { "p", "q", "s" };
    int count = 0;
    for (int i = 0; i < COUNT(names); i++) {
        bool is_used = strstr(l->body, mem_format("(%s", names[i])) || strstr(l->body, mem_format(" %s", names[i])) ||
                       strstr(l->body, mem_format("~%s", names[i]));
        if (is_used)
            text_format(&loads, "    let %s = a[%d];\n", names[i], count++);
    }
    expect_lemma(mem_format("module \"m\";\nexport fn f(r: out u8x16[1], a: in u8x16[%d]) noalias(r, a)\n"
                            "    requires aes, sha3 fuse eor3, bcax\n{\n%s    %s\n}\n", count, loads.at, l->body),
                 l->chosen);
}
END_TEST

Suite *lemma_suite(void)
{
    Suite *s = suite_create("lemmas");
    TCase *t = tcase_create("selection");
    tcase_add_loop_test(t, scalar_forms, 0, COUNT(scalars));
    tcase_add_loop_test(t, vector_forms, 0, COUNT(vectors));
    suite_add_tcase(s, t);
    return s;
}
