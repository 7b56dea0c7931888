/* prove_test.c: where a false proof could come from, one row each.
 *
 * A row is a kernel, code for it written by hand that the proof must accept, and
 * code that is wrong in a way that is easy to overlook: the proof must refuse it,
 * and say what it is about. What every single instruction contributes is
 * mutate_test.c's.
 */
#include <check.h>
#include <string.h>

#include "lang/ast.h"
#include "suites.h"
#include "tool/compile.h"
#include "verify/module.h"
#include "verify/case_walk.h"
#include "verify/prove.h"

struct row {
    const char *claim;          /* what the proof must notice */
    const char *source;         /* function f */
    const char *right, *wrong;  /* code; labels stand alone on their lines */
    const char *says;           /* part of the message */
};

#define FILL "export fn f(r: out u64[n], n: u64) { for i in 0..n { r[i] = i; } }"
#define COPY "export fn f(r: out u64[2], a: in u64[2]) { let x = a[0]; let y = a[1]; r[0] = x; r[1] = y; }"
#define FIRST "export fn f(a: in u64[2]) -> u64 { return a[0]; }"
#define KEEP "export fn f(r: inout u64[1]) { stack t: u64[2]; t[0] = r[0]; t[1] = 1; r[0] = t[0] + t[1]; }"
#define DECIDE "export fn f(x: secret u64, a: in u64[1]) -> u64 {\n"                      \
               "    if declassify(x) == 1000003 { return a[0]; }\n    return 0;\n}"
#define PICK "export fn f(p: in public u32[1], a: in u64[4]) -> u64 { return a[p[0] & 3]; }"
#define MODE "struct s { mode: public u32; pad: u32; v: u64; }\n"                          \
             "export fn f(p: in s) -> u64 { if p.mode == 77 { return p.v; } return 0; }"
#define WIDE "export fn f(r: inout u64[1], n: u32) { r[0] = r[0] + (n as u64); }"
#define ASK "export fn f(r: out u64[1], a: in u64[1]) -> u64 {\n"                          \
            "    let x = a[0];\n    r[0] = x;\n    if same(r, a) { return 1; }\n    return 0;\n}"

#define WIPE "export fn f(a: in u64[2]) -> u64 wipe { return a[0] + a[1]; }"

static const struct row rows[] = {
    { "a count read in 32 bits", FILL,
      "mov x2, xzr\ncbz x1, .Lend\n.Lnext:\nstr x2, [x0], #8\nadd x2, x2, #1\ncmp x2, x1\nb.ne .Lnext\n.Lend:\nret\n",
      "mov x2, xzr\ncbz x1, .Lend\n.Lnext:\nstr x2, [x0], #8\nadd x2, x2, #1\ncmp w2, w1\nb.ne .Lnext\n.Lend:\nret\n",
      "returns early" },
    { "a count asked in 32 bits whether it is zero", FILL,
      "mov x2, xzr\ncbz x1, .Lend\n.Lnext:\nstr x2, [x0], #8\nadd x2, x2, #1\ncmp x2, x1\nb.ne .Lnext\n.Lend:\nret\n",
      "mov x2, xzr\ncbz w1, .Lend\n.Lnext:\nstr x2, [x0], #8\nadd x2, x2, #1\ncmp x2, x1\nb.ne .Lnext\n.Lend:\nret\n",
      "returns early" },
    { "a signed comparison of counts", FILL,
      "mov x2, xzr\ncbz x1, .Lend\n.Lnext:\nstr x2, [x0], #8\nadd x2, x2, #1\ncmp x2, x1\nb.lo .Lnext\n.Lend:\nret\n",
      "mov x2, xzr\ncbz x1, .Lend\n.Lnext:\nstr x2, [x0], #8\nadd x2, x2, #1\ncmp w2, w1\nb.lt .Lnext\n.Lend:\nret\n",
      "returns early" },
    { "the upper half of a 32-bit argument", WIDE,
      "ldr x2, [x0]\nmov w1, w1\nadd x2, x2, x1\nstr x2, [x0]\nret\n",
      "ldr x2, [x0]\nadd x2, x2, x1\nstr x2, [x0]\nret\n", "of r" },
    { "two arrays that are one", COPY,
      "ldp x2, x3, [x1]\nstp x2, x3, [x0]\nret\n",
      "ldr x2, [x1]\nstr x2, [x0, #8]\nldr x3, [x1, #8]\nstr x3, [x0, #8]\nstr x2, [x0]\nret\n", "a is r" },
    { "a register that the caller did not set", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x0, [x0]\neor x0, x0, x9\nret\n", "the result" },
    { "flags that the caller did not set", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x1, [x0]\nldr x2, [x0, #8]\ncsel x0, x1, x2, eq\nret\n", "the result" },
    { "a load past the end", FIRST,
      "ldr x0, [x0]\nret\n", "ldp q0, q1, [x0]\nldr x0, [x0]\nret\n", "outside every object" },
    { "a load before the beginning", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x1, [x0, #-8]!\nldr x0, [x0, #8]\nret\n", "before a" },
    { "a store to what is only read", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x1, [x0]\nstr x1, [x0]\nmov x0, x1\nret\n", "does not permit" },
    { "the low bits of an address", FIRST,
      "ldr x0, [x0]\nret\n", "and x1, x0, #0xfffffffffffffff0\nldr x0, [x1]\nret\n", "" },
    { "an address in the result", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x1, [x0]\nubfx x0, x0, #16, #1\nadd x0, x0, x1\nret\n", "the result" },
    { "stack that nothing was stored to", KEEP,
      "ldr x1, [x0]\nadd x1, x1, #1\nstr x1, [x0]\nret\n",
      "sub sp, sp, #16\nldr x1, [x0]\nldr x2, [sp]\nadd x1, x1, #1\nstr x1, [x0]\nadd sp, sp, #16\nret\n",
      "never written" },
    { "values below sp", KEEP,
      "ldr x1, [x0]\nadd x1, x1, #1\nstr x1, [x0]\nret\n",
      "ldr x1, [x0]\nstr x1, [sp, #-16]!\nadd sp, sp, #16\nldr x1, [sp, #-16]!\nstr xzr, [sp], #16\n"
      "add x1, x1, #1\nstr x1, [x0]\nsub x9, sp, #32\nstr xzr, [x9]\nret\n", "below sp" },
    { "a secret left on the stack", KEEP,
      "ldr x1, [x0]\nadd x1, x1, #1\nstr x1, [x0]\nret\n",
      "ldr x1, [x0]\nstr x1, [sp, #-16]!\nadd x1, x1, #1\nstr x1, [x0]\nadd sp, sp, #16\nret\n",
      "left on the stack" },
    { "a secret left in a register", WIPE,
      "ldp x0, x1, [x0]\nadd x0, x0, x1\nmov x1, xzr\nret\n", "ldp x0, x1, [x0]\nadd x0, x0, x1\nret\n",
      "left in x1" },
    { "a secret left in a vector register", WIPE,
      "ldp x0, x1, [x0]\nadd x0, x0, x1\nmov x1, xzr\nret\n",
      "ldr q3, [x0]\nldp x0, x1, [x0]\nadd x0, x0, x1\nmov x1, xzr\nret\n", "left in v3" },
    { "a saved register", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x19, [x0]\nmov x0, x19\nret\n", "x19 is not restored" },
    { "the saved half of a vector register", FIRST,
      "ldr x0, [x0]\nret\n", "ldr d8, [x0]\nldr x0, [x0]\nret\n", "d8 is not restored" },
    { "sp", FIRST, "ldr x0, [x0]\nret\n", "ldr x0, [x0]\nsub sp, sp, #16\nret\n", "sp is not restored" },
    { "x18", FIRST, "ldr x0, [x0]\nret\n", "ldr x18, [x0]\nmov x0, x18\nret\n", "x18" },
    { "a return to elsewhere", FIRST, "ldr x0, [x0]\nret\n", "ldr x0, [x0]\nadd x30, x30, #4\nret\n", "return" },
    { "a branch on a secret", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x0, [x0]\ncbz x0, .Lend\n.Lend:\nret\n", "depends on a secret" },
    { "an address from a secret", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x1, [x0]\nand x2, x1, #0x8\nldr x2, [x0, x2]\nmov x0, x1\nret\n",
      "depends on a secret" },
    { "the time of a division", FIRST,
      "ldr x0, [x0]\nret\n", "ldr x1, [x0]\nudiv x2, x1, x1\nmov x0, x1\nret\n", "secret" },
    { "code that does not end", FIRST, "ldr x0, [x0]\nret\n", ".Lnext:\nb .Lnext\nret\n", "instructions" },
    { "the rare outcome of a declassified condition", DECIDE,
      "movz w2, #0x4243\nmovk w2, #0xf, lsl #16\nldr x1, [x1]\ncmp x0, x2\nb.ne .Lzero\nmov x0, x1\nret\n"
      ".Lzero:\nmov x0, xzr\nret\n",
      "mov x0, xzr\nret\n", "the result" },
    { "the other bits of a declassified condition", DECIDE,
      "movz w2, #0x4243\nmovk w2, #0xf, lsl #16\nldr x1, [x1]\ncmp x0, x2\nb.ne .Lzero\nmov x0, x1\nret\n"
      ".Lzero:\nmov x0, xzr\nret\n",
      "movz w2, #0x4243\nmovk w2, #0xf, lsl #16\nldr x1, [x1]\ncmp w0, w2\nb.ne .Lzero\nmov x0, x1\nret\n"
      ".Lzero:\nmov x0, xzr\nret\n", "the result" },
    { "what public memory may hold", PICK,
      "ldr w2, [x0]\nand x2, x2, #0x3\nldr x0, [x1, x2, lsl #3]\nret\n",
      "ldr w2, [x0]\nand x2, x2, #0x1\nldr x0, [x1, x2, lsl #3]\nret\n", "the result" },
    { "a public field that only one value of matters", MODE,
      "ldr w1, [x0]\ncmp w1, #77\nb.ne .Lzero\nldr x0, [x0, #8]\nret\n.Lzero:\nmov x0, xzr\nret\n",
      "mov x0, xzr\nret\n", "the result" },
    { "a field read too wide", MODE,
      "ldr w1, [x0]\ncmp w1, #77\nb.ne .Lzero\nldr x0, [x0, #8]\nret\n.Lzero:\nmov x0, xzr\nret\n",
      "ldr x1, [x0]\ncmp x1, #77\nb.ne .Lzero\nldr x0, [x0, #8]\nret\n.Lzero:\nmov x0, xzr\nret\n", "secret" },
    { "whether arrays are the same", ASK,
      "ldr x2, [x1]\nstr x2, [x0]\ncmp x0, x1\ncset x0, eq\nret\n",
      "ldr x2, [x1]\nstr x2, [x0]\nmov x0, xzr\nret\n", "a is r" },
};

static const struct func *function_of(const char *source)
{
    char *text = mem_format("module \"m\";\n%s\n", source);
    diag_reset();
    struct program *p = compile_check(parse_text("row.def", text, strlen(text)));
    ck_assert_ptr_nonnull(p);
    return p->modules.at[0]->funcs.at[p->modules.at[0]->funcs.n - 1];
}

static struct proof prove_code(const char *source, const char *code)
{
    const struct func *f = function_of(source);
    char *text = mem_format("f:\n%s", code);
    struct emitted *emitted = NEW(struct emitted);
    *emitted = text_read(text, strlen(text));
    if (emitted->complaint)         /* text that is not even read cannot be proved */
        return (struct proof){ .difference = mem_string(emitted->complaint) };
    return prove_func(f, emitted, "f");
}

START_TEST(wrong_code_is_refused_and_right_code_is_not)
{
    const struct row *r = &rows[_i];
    struct proof p = prove_code(r->source, r->right);
    ck_assert_msg(!p.difference, "%s: right code is refused: %s", r->claim, p.difference);
    ck_assert(!p.is_sampled);
    p = prove_code(r->source, r->wrong);
    ck_assert_msg(p.difference != NULL, "%s: nobody notices", r->claim);
    ck_assert_msg(strstr(p.difference, r->says) != NULL, "%s: %s", r->claim, p.difference);
}
END_TEST

/* -- ways through public values -- */

struct decided { const char *source; int more_ways /* at least */; bool is_sampled; };

static const struct decided decided[] = {
    { "export fn f(a: in u64[64], x: secret u64) -> u64 { return a[declassify(x >> 7) & 63]; }", 63, false },
    { "export fn f(a: in u64[64], x: secret u64) -> u64 {\n"
      "    var s: u64 = 0;\n    for i in 0..declassify(x) & 15 { s = s + a[i]; }\n    return s;\n}", 15, false },
    { "export fn f(a: in u32[8], x: secret i32) -> u32 {\n"
      "    if declassify(x) < 0 { return a[1]; }\n    if declassify(x) > 77 { return a[2]; }\n"
      "    return a[3];\n}", 2, false },
    { "export fn f(a: in u64[8], x: u64, y: u64) -> u64 {\n"
      "    if x < y { return a[1]; }\n    if x == y { return a[2]; }\n    return a[3];\n}", 2, false },
    { "export fn f(x: secret u64) -> u64 {\n"
      "    var n: u64 = 0;\n    var s = x;\n    while declassify(s) > 5 { s = s >> 1; n = n + 1; }\n"
      "    return n;\n}", 0, true },
};

static struct proof prove_compiled(const char *source)
{
    char *text = mem_format("module \"m\";\n%s\n", source);
    struct compile_options o = { .style = style_find("plain") };
    struct compilation c = { 0 };
    struct text file = { 0 };
    struct emitted *emitted = NEW(struct emitted);
    vec_push(&o.targets, target_find("linux"));
    diag_reset();
    ck_assert(compile_program(&c, parse_text("row.def", text, strlen(text)), &o));
    emit_module(&file, c.modules.at[0], o.targets.at[0], o.style);
    *emitted = text_read(file.at, file.n);
    return prove_func(source_of(c.modules.at[0]->funcs.at[0]), emitted, "f");
}

/* What is emitted, too, is proved on each way; and it is said when that was not possible. */
START_TEST(all_ways_through_public_values_are_met)
{
    const struct decided *d = &decided[_i];
    struct proof p = prove_compiled(d->source);
    ck_assert_msg(!p.difference, "%d: %s", _i, p.difference);
    ck_assert_int_eq(p.is_sampled, d->is_sampled);
    if (!d->is_sampled)
        ck_assert_msg(p.ways >= d->more_ways, "%d: %d more ways", _i, p.ways);
}
END_TEST

/* Apart, all one, and each two of three; of arrays that are only read it makes no
 * difference, unless the source asks. */
START_TEST(every_way_to_share_arrays_is_met)
{
    static const struct { const char *source; int partitions; } shared[] = {
        { "export fn f(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) {\n"
          "    for i in 0..n unroll 4, 1 { r[i] = a[i] + b[i]; }\n}", 5 },
        { "export fn f(a: in u64[2], b: in u64[2]) -> u64 { return a[0] + b[1]; }", 1 },
        { "export fn f(a: in u64[2], b: in u64[2]) -> u64 {\n"
          "    if same(a, b) { return 1; }\n    return a[0] + b[1];\n}", 2 },
    };
    for (int i = 0; i < COUNT(shared); i++) {
        struct proof p = prove_compiled(shared[i].source);
        ck_assert_msg(!p.difference, "%s", p.difference);
        ck_assert_int_eq(p.partitions, shared[i].partitions);
    }
}
END_TEST

/* Of iterations that overlap, the kernel is repeated from the third on. */
START_TEST(loops_go_round_three_times)
{
    struct proof p = prove_compiled("export fn f(r: out u64[n], a: in u64[n], n: u64) {\n"
                                    "    for i in 0..n unroll 4, 2, 1 { r[i] = a[i] + 1; }\n}");
    ck_assert_msg(!p.difference, "%s", p.difference);
    ck_assert_int_eq((int)p.longest, 3 * 4 + 1);
    p = prove_compiled("export fn f(r: out u64[n], a: in u64[n], n: u64) {\n"
                       "    for i in 0..n { r[i] = a[i] + 1; }\n}");
    ck_assert_msg(!p.difference, "%s", p.difference);
    ck_assert_int_eq((int)p.longest, 3 + 1);
}
END_TEST

Suite *prove_suite(void)
{
    Suite *s = suite_create("prove");
    TCase *cases = tcase_create("cases");
    tcase_add_loop_test(cases, all_ways_through_public_values_are_met, 0, COUNT(decided));
    tcase_add_test(cases, every_way_to_share_arrays_is_met);
    tcase_add_test(cases, loops_go_round_three_times);
    suite_add_tcase(s, cases);
    TCase *t = tcase_create("false proofs");
    tcase_add_loop_test(t, wrong_code_is_refused_and_right_code_is_not, 0, COUNT(rows));
    suite_add_tcase(s, t);
    return s;
}
