/* parser_test.c: the scanner, the grammar, and what they say (grammar/, gen/lang/parse*.c). */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/mem.h"
#include "lang/ast.h"
#include "suites.h"

static void end_run(void)
{
    mem_release();
    diag_reset();
}

static struct node *parse(const char *text)
{
    return parse_text("k.def", text, strlen(text));
}

/* Parses what must be correct. */
static struct node *parse_well(const char *text)
{
    struct node *n = parse(text);

    if (error_count() != 0)
        ck_abort_msg("%s", diag_messages()->at);
    return n;
}

static void check_printed(const char *text, const char *expected)
{
    struct text printed = {0};

    ast_print(&printed, parse_well(text));
    ck_assert_str_eq(printed.at, expected);
}

/* An expression, by its S-expression. */
static void check_expression(const char *expression, const char *expected)
{
    check_printed(mem_format("static let x = %s;", expression),
                  mem_format("(static-let x (= %s))\n", expected));
}

/* Statements of a function without parameters. */
static void check_statements(const char *statements, const char *expected)
{
    check_printed(mem_format("export fn f() { %s }", statements),
                  mem_format("(fn export f%s)\n", expected));
}

static bool says(const char *message)
{
    return strstr(diag_messages()->at, message) != NULL;
}

/* One error, its place and message, up to the end of the line. */
static void check_error(const char *text, const char *expected)
{
    end_run();
    parse(text);
    ck_assert_int_eq(error_count(), 1);
    ck_assert_msg(says(mem_format("%s [syntax]\n", expected)), "wanted: %s\ngot: %s", expected,
                  diag_messages()->at);
}

/* -- expressions -- */

START_TEST(as_binds_tighter_than_operators)
{
    check_expression("a + b as u32", "(+ a (as u32 b))");
    check_expression("~a as u64", "(~ (as u64 a))");
    check_expression("a as u8x16 as u32x4", "(as u32x4 (as u8x16 a))");
    check_expression("(a + b) as u32", "(as u32 (+ a b))");
}
END_TEST

START_TEST(operators_bind_by_the_table)
{
    check_expression("a * b + c << d & e ^ f | g == h && i || j",
                     "(|| (&& (== (| (^ (& (<< (+ (* a b) c) d) e) f) g) h) i) j)");
    check_expression("a || b && c != d | e ^ f & g >>> h - i % j",
                     "(|| a (&& b (!= c (| d (^ e (& f (>>> g (- h (% i j)))))))))");
}
END_TEST

START_TEST(binary_operators_group_to_the_left)
{
    static const char *const operators[] = {"+", "-", "*", "/", "%", "&", "|", "^", "<<", ">>",
                                            "<<<", ">>>", "&&", "||"};

    for (int i = 0; i < COUNT(operators); i++) {
        const char *o = operators[i];

        check_expression(mem_format("a %s b %s c", o, o), mem_format("(%s (%s a b) c)", o, o));
    }
}
END_TEST

START_TEST(comparisons_are_looser_than_bit_operators)
{
    check_expression("x & 1 == 1", "(== (& x 1) 1)");
    check_expression("first + count <= 1 << 32", "(<= (+ first count) (<< 1 32))");
}
END_TEST

START_TEST(prefix_operators_bind_tighter_than_binary_ones)
{
    check_expression("-a * ~b", "(* (- a) (~ b))");
    check_expression("!a && -b < c", "(&& (! a) (< (- b) c))");
}
END_TEST

START_TEST(indices_and_fields_apply_to_what_is_before_them)
{
    check_expression("key.rd_key[r + 1]", "(index (field key rd_key) (+ r 1))");
    check_expression("(aese(d, 0) as u32x4)[0]", "(index (as u32x4 (call aese d 0)) 0)");
    check_expression("a[i][j].b", "(field (index (index a i) j) b)");
}
END_TEST

START_TEST(numbers_have_three_bases_and_underscores)
{
    check_expression("0", "0");
    check_expression("1_000_000", "1000000");
    check_expression("0xffff_ffff_FFFF_FFFF", "18446744073709551615");
    check_expression("18446744073709551615", "18446744073709551615");
    check_expression("0b1010_0101", "165");
}
END_TEST

START_TEST(types_are_arguments_and_builders)
{
    check_expression("load(u8x16, p, 32*i + 16)", "(call load u8x16 p (+ (* 32 i) 16))");
    check_expression("u32x4(0, 0, 0, i as u32)", "(build u32x4 0 0 0 (as u32 i))");
    check_expression("carry(x)", "(build carry x)");
}
END_TEST

START_TEST(lists_nest_and_may_be_empty)
{
    check_expression("[]", "(list)");
    check_expression("[[1, 2], [~0]]", "(list (list 1 2) (list (~ 0)))");
    check_expression("[static for c in [9, 13]: [static for j in 0..16: c*j]]",
                     "(static-for c (list 9 13) (static-for j (.. 0 16) (* c j)))");
}
END_TEST

START_TEST(if_is_an_expression)
{
    check_expression("x ^ if c { a } else { b }", "(^ x (if c a b))");
    check_expression("if c { a } else if d { b } else { e }", "(if c a (if d b e))");
}
END_TEST

START_TEST(parentheses_with_a_comma_make_a_tuple)
{
    check_expression("(a)", "a");
    check_expression("(a, b + 1, c)", "(tuple a (+ b 1) c)");
}
END_TEST

START_TEST(strings_resolve_their_escapes)
{
    const struct node *n = parse_well("test \"a \\\"b\\\" \\\\ \\n\\t \xc3\xa9\" { }");

    ck_assert_str_eq(n->text, "a \"b\" \\ \n\t \xc3\xa9");
}
END_TEST

/* -- statements -- */

START_TEST(several_places_take_one_value)
{
    check_statements("r[i], c = a[i] + b[i] + c;",
                     "\n  (set (index r i) c (= (+ (+ (index a i) (index b i)) c)))");
    check_statements("let io, _ = invert(s); var hi: u64, lo: u64 = a * b; let r: u64[3];",
                     "\n  (let io _ (= (call invert s)))"
                     "\n  (var (hi u64) (lo u64) (= (* a b)))"
                     "\n  (let (r (u64 3)))");
    check_statements("static let A: u32, THETA: u8 = f();",
                     "\n  (static-let (A u32) (THETA u8) (= (call f)))");
}
END_TEST

START_TEST(loops_have_ranges_steps_and_widths)
{
    check_statements("for i in 0..n unroll 8, 4, 1 { }", "\n  (for i (.. 0 n) (unroll 8 4 1))");
    check_statements("for i in lo..=hi step 2 weave 4, 2, 1 { }",
                     "\n  (for i (..= lo hi) (step 2) (weave 4 2 1))");
    check_statements("static for R in [10, 12] { f(R); }",
                     "\n  (static-for R (list 10 12)\n    (do (call f R)))");
    check_statements("while i < n { i = i + 1; }",
                     "\n  (while (< i n)\n    (set i (= (+ i 1))))");
}
END_TEST

START_TEST(static_if_marks_the_whole_chain)
{
    check_statements("static if width == 4 { } else if width == 2 { } else { return; }",
                     "\n  (static-if (== width 4)\n    (else"
                     "\n      (static-if (== width 2)\n        (else\n          (return)))))");
    check_statements("if a { }", "\n  (if a)");
}
END_TEST

START_TEST(return_and_expect_take_what_they_are_given)
{
    check_statements("return; return a, b; expect f(x) == 1; expect same(a, b);"
                     " stack t: u64[n + 2] align 16; fail(\"no root\");",
                     "\n  (return)\n  (return a b)\n  (expect (call f x) 1)"
                     "\n  (expect (call same a b))\n  (stack t (u64 (+ n 2)) (align 16))"
                     "\n  (do (call fail \"no root\"))");
}
END_TEST

START_TEST(words_of_clauses_are_names_elsewhere)
{
    check_statements("out = size; let size = step; align[0] = tune(fuse) + wipe;",
                     "\n  (set out (= size))\n  (let size (= step))"
                     "\n  (set (index align 0) (= (+ (call tune fuse) wipe)))");
}
END_TEST

/* -- declarations -- */

START_TEST(parameters_have_direction_secrecy_set_and_alignment)
{
    check_printed("local fn f(static R: u32, m: in public u8[n] align 16, n: u64 in 2..=256,"
                  " bits: secret u32 in {128, 192}, k: inout AES_KEY) -> (u8x16, u8x16[4]) { }",
                  "(fn local f\n  (param static R u32)\n  (param m in public (u8 n) (align 16))"
                  "\n  (param n u64 (in (..= 2 256)))\n  (param bits secret u32 (in (set 128 192)))"
                  "\n  (param k inout AES_KEY)\n  (results u8x16 (u8x16 4)))\n");
}
END_TEST

START_TEST(clauses_follow_the_signature_in_any_order)
{
    check_printed("export fn f() -> i32 requires aes, sha3 wipe where n % 16 == 0 noalias(r, m)\n"
                  "variant sha3 { requires sha3; fuse eor3, bcax; tune \"neoverse-v2\"; }\n"
                  "tune \"cortex-a53\" { }",
                  "(fn export f\n  (results i32)\n  (requires aes sha3)\n  (wipe)"
                  "\n  (where (== (% n 16) 0))\n  (noalias r m)\n  (variant sha3"
                  "\n    (requires sha3)\n    (fuse eor3 bcax)\n    (tune \"neoverse-v2\"))"
                  "\n  (tune \"cortex-a53\"))\n");
}
END_TEST

START_TEST(structs_and_tables_state_their_layout)
{
    check_printed("extern struct K size 244 align 4 { a: u8x16[15]; b: public u32 in {9, 11..13}; }"
                  "table t: u8x16[4] align 64 = [0];",
                  "(struct extern K (size 244) (align 4)\n  (field a (u8x16 15))"
                  "\n  (field b public u32 (in (set 9 (.. 11 13)))))\n"
                  "(table t (u8x16 4) (align 64)\n  (list 0))\n");
}
END_TEST

START_TEST(doc_comments_reach_the_function)
{
    const struct node *n = parse_well("/// Adds.\n///   More. \n// not this\n//// nor this\n"
                                      "export fn f() { }\n\nlocal fn g() { }");

    ck_assert_str_eq(n->doc, "Adds.\n  More.");
    ck_assert_ptr_null(n->next->doc);
}
END_TEST

START_TEST(doc_comments_reach_every_declaration)
{
    const struct node *n = parse_well("/// 0\nmodule \"m\";\n/// 1\nstruct S { }\n"
                                      "/// 2\nextern struct T { }\n/// 3\ntable t: u8 = 0;\n"
                                      "/// 4\nstatic let x = 1;\n/// 5\nstatic fn f() { }\n"
                                      "/// 6\ntest \"t\" { }\n/// 7\ninline fn g() { }");

    for (int i = 0; i < 8; i++, n = n->next)
        ck_assert_str_eq(n->doc, mem_format("%d", i));
    ck_assert_ptr_null(n);
}
END_TEST

START_TEST(algebra_goes_to_the_statement_that_ends_last_on_its_line)
{
    const struct node *f = parse_well("inline fn f() {\n"
                                      "  let a = b; let c = d;   //= c\n"
                                      "  let e =\n     g;          //=   two lines  \n"
                                      "  for i in 0..1 { x = y; }   //= loop\n"
                                      "  //== a rule, not algebra\n"
                                      "}\n");
    const struct node *n = f->function->body->list;

    ck_assert_ptr_null(n->algebra);
    ck_assert_str_eq(n->next->algebra, "c");
    ck_assert_str_eq(n->next->next->algebra, "two lines");
    ck_assert_str_eq(n->next->next->next->algebra, "loop");
    ck_assert_ptr_null(n->next->next->next->body->list->algebra);
}
END_TEST

START_TEST(equal_names_are_equal_pointers)
{
    const struct node *n = parse_well("static let abc = abc; static let abcd = abc;");

    ck_assert_ptr_eq(n->list->name, n->a->name);
    ck_assert_ptr_eq(n->list->name, n->next->a->name);
    ck_assert_ptr_ne(n->list->name, n->next->list->name);
    ck_assert_ptr_eq(n->list->name, intern("abc", 3));
    for (int i = 0; i < 5000; i++)
        intern(mem_format("n%d", i), strlen(mem_format("n%d", i)));
    ck_assert_ptr_eq(n->list->name, intern("abcx", 3));
}
END_TEST

START_TEST(nodes_span_their_text)
{
    const struct node *f = parse_well("module \"m\";\nexport fn f() {\n  x = a +\n    b;\n}\n")->next;
    const struct node *sum = f->function->body->list->a;

    ck_assert_uint_eq(f->loc.line, 2);
    ck_assert_uint_eq(f->loc.col, 1);
    ck_assert_uint_eq(f->loc.end_line_delta, 3);
    ck_assert_uint_eq(f->loc.end_col, 2);
    ck_assert_uint_eq(f->name_loc.col, 11);
    ck_assert_uint_eq(f->name_loc.end_col, 12);
    ck_assert_uint_eq(sum->loc.line, 3);
    ck_assert_uint_eq(sum->loc.col, 7);
    ck_assert_uint_eq(sum->loc.end_line_delta, 1);
    ck_assert_uint_eq(sum->loc.end_col, 6);
}
END_TEST

START_TEST(comments_and_line_ends_separate_tokens)
{
    check_printed("static/**/let/* a\n * b **/x// c\r\n=\t1;\r\n", "(static-let x (= 1))\n");
    ck_assert_ptr_null(parse_well("// nothing\n"));
}
END_TEST

/* -- errors -- */

static const struct { const char *text, *message; } syntax_errors[] = {
    {"table t: = 3;", "k.def:1:10: error: expected a type after ':', found '='"},
    {"static let x = 1 +;", "k.def:1:19: error: expected an expression after '+', found ';'"},
    {"static let x = y\nstatic let z = 2;",
     "k.def:1:17: error: expected ';' after 'y', found the keyword 'static'"},
    {"static let x = y z;", "k.def:1:18: error: expected ';' after 'y', found 'z'"},
    {"static let in = 1;",
     "k.def:1:12: error: expected a name after 'let', found the keyword 'in'"},
    {"foo;", "k.def:1:1: error: expected a declaration, found 'foo'"},
    {"module \"m\"; 7;", "k.def:1:13: error: expected a declaration after ';', found '7'"},
    {"export f() { }", "k.def:1:8: error: expected 'fn' after 'export', found 'f'"},
    {"export fn f(n u64) { }", "k.def:1:15: error: expected ':' after 'n', found 'u64'"},
    {"export fn f() aes { }",
     "k.def:1:15: error: expected '->', '{' or a clause after ')', found 'aes'"},
    {"export fn f() {",
     "k.def:1:16: error: expected '}' or a statement after '{', found the end of the file"},
    {"export fn f() { a b; }",
     "k.def:1:19: error: expected ',', '=', '.', '(' or '[' after 'a', found 'b'"},
    {"export fn f() { for i 0..n { } }", "k.def:1:23: error: expected 'in' after 'i', found '0'"},
    {"export fn f() { return x }", "k.def:1:26: error: expected ';' or ',' after 'x', found '}'"},
    {"static let x = a < b < c;",
     "k.def:1:22: error: comparisons do not chain: join them by '&&', or use parentheses"},
    {"static let x = a == b != c;",
     "k.def:1:23: error: comparisons do not chain: join them by '&&', or use parentheses"},
    {"\xef\xbb\xbfmodule \"m\"", "k.def:1:11: error: expected ';' after '\"m\"', found the end of the file"},
    {"module \"m\";\r", "k.def:1:12: error: a carriage return without a line feed: for some programs a "
     "line ends here"},
    {"static let x = 09;",
     "k.def:1:16: error: a decimal number does not begin with 0 (write octal ones in hexadecimal)"},
    {"static let x = 0x;", "k.def:1:16: error: a hexadecimal number needs a digit after '0x'"},
    {"static let x = 0xfg;", "k.def:1:19: error: 'g' is not a hexadecimal digit"},
    {"static let x = 0b102;", "k.def:1:20: error: '2' is not a binary digit"},
    {"static let x = 1u;", "k.def:1:17: error: 'u' is not a decimal digit"},
    {"static let x = 18446744073709551616;",
     "k.def:1:16: error: this number needs more than 64 bits"},
    {"static let x = 0x1_0000_0000_0000_0000;",
     "k.def:1:16: error: this number needs more than 64 bits"},
    {"test \"a\\q\" { }", "k.def:1:8: error: a string knows the escapes \\\\ \\\" \\n \\t only"},
    {"module \"m\"; /* *", "k.def:1:13: error: this comment does not end"},
    {"/// lost\n",
     "k.def:1:1: error: '///' documents a declaration, and none follows"
     " (a plain comment is '//')"},
    {"export fn f() {\n  /// x\n  static let a = 1; }",
     "k.def:2:3: error: '///' documents a declaration, and none follows (a plain comment is '//')"},
    {"module \"m\";\n  //= x + y\n",
     "k.def:2:3: error: '//=' belongs behind a statement, and none ends on this line"},
    {"module \"m\";\n a\xff", "k.def:2:3: error: byte 0xff is not valid UTF-8"},
};

START_TEST(syntax_errors_say_what_was_expected_and_where)
{
    check_error(syntax_errors[_i].text, syntax_errors[_i].message);
}
END_TEST

START_TEST(a_bad_character_is_one_error_in_its_statement)
{
    check_error("static let x = 3 $ 4 + ;", "k.def:1:18: error: '$' is not part of the language");
    check_error("static let x = \xc3\xa9 3;",
                "k.def:1:16: error: '\xc3\xa9' is not part of the language");
    check_error("static let x = 3\x01;",
                "k.def:1:17: error: the control character 0x01 is not part of the language");
}
END_TEST

START_TEST(an_open_string_ends_with_its_line)
{
    parse("test \"abc\n{ x = ; }\n");
    ck_assert_int_eq(error_count(), 2);
    ck_assert(says("k.def:1:6: error: this string does not end on its line [syntax]\n"));
    ck_assert(says("k.def:2:7: error: expected an expression after '=', found ';' [syntax]\n"));
}
END_TEST

START_TEST(a_nul_byte_is_refused)
{
    ck_assert_ptr_null(parse_text("k.def", "module\n \0;", 10));
    ck_assert(says("k.def:2:2: error: a NUL byte: this is not a text [syntax]\n"));
}
END_TEST

START_TEST(include_needs_a_file)
{
    parse("include \"x.def\";");
    ck_assert(says("k.def:1:9: error: 'include' works in files only [input]\n"));
}
END_TEST

START_TEST(recovery_reports_both_errors)
{
    parse("export fn f() {\n  x = ;\n  y = ;\n}\nexport fn g(n u64) { z = ; }\n");
    ck_assert_int_eq(error_count(), 4);
    ck_assert(says("k.def:2:7: "));
    ck_assert(says("k.def:3:7: "));
    ck_assert(says("k.def:5:15: "));
    ck_assert(says("k.def:5:26: "));
}
END_TEST

START_TEST(a_broken_header_does_not_hide_its_body)
{
    parse("export fn f() {\n  for i of 0..n { a = ; }\n  if x y { b = ; }\n"
          "  while { c = ; }\n d = ; }");
    ck_assert_int_eq(error_count(), 7);
}
END_TEST

START_TEST(a_missing_semicolon_before_a_brace_is_one_error)
{
    check_error("export fn f() { if a { x = 1 } y = 2; }\ntable t: u8 = 1;",
                "k.def:1:30: error: expected ';' after '1', found '}'");
}
END_TEST

START_TEST(what_is_correct_survives_an_error)
{
    struct text printed = {0};

    ast_print(&printed, parse("static let a = 1;\ntable t: = 3;\nstatic let b = 2;\n"
                              "export fn f() { x = ; y = 3; }"));
    ck_assert_int_eq(error_count(), 2);
    ck_assert_str_eq(printed.at, "(static-let a (= 1))\n(static-let b (= 2))\n"
                                 "(fn export f\n  (set y (= 3)))\n");
}
END_TEST

START_TEST(reading_stops_at_twenty_errors)
{
    struct text source = {0};

    for (int i = 0; i < 100; i++)
        text_add(&source, "static let x = ;\n");
    parse(source.at);
    ck_assert_int_eq(error_count(), 20);
    ck_assert(says("k.def:20:16: "));
    ck_assert(!says("k.def:21:16: "));
}
END_TEST

/* A text with `n` copies of `open`, `middle`, and `n` copies of `close`. */
static const char *nested(const char *before, const char *open, int n, const char *middle,
                          const char *close, const char *after)
{
    struct text t = {0};

    text_add(&t, before);
    for (int i = 0; i < n; i++)
        text_add(&t, open);
    text_add(&t, middle);
    for (int i = 0; i < n; i++)
        text_add(&t, close);
    text_add(&t, after);
    return t.at;
}

static const struct { const char *before, *open, *middle, *close, *after; } deep[] = {
    {"static let x = ", "(", "1", ")", ";"},
    {"static let x = ", "~", "1", "", ";"},
    {"static let x = ", "[", "1", "]", ";"},
    {"static let x = ", "f(", "1", ")", ";"},
    {"static let x = ", "a[", "1", "]", ";"},
    {"static let x = ", "", "1", " + 1", ";"},
    {"static let x = ", "", "a", "[0]", ";"},
    {"static let x = ", "", "a", " as u32", ";"},
    {"static let x = ", "if a { 1 } else ", "if a { 1 } else { 2 }", "", ";"},
    {"export fn f() {", "if a {", "", "}", "}"},
    {"export fn f() {", "for i in 0..1 {", "", "}", "}"},
    {"export fn f() {", "if a { } else ", "if a { }", "", "}"},
};

START_TEST(deep_nesting_is_refused_not_a_crash)
{
    static const int depths[] = {450, 5000, 100000};

    for (int i = 0; i < COUNT(depths); i++) {
        const bool is_flat = strcmp(deep[_i].open, "(") == 0 && depths[i] < 10000;

        end_run();
        parse(nested(deep[_i].before, deep[_i].open, depths[i], deep[_i].middle, deep[_i].close,
                     deep[_i].after));
        if (is_flat)
            continue;           /* parentheses alone leave no nodes */
        ck_assert_int_eq(error_count(), 1);
        ck_assert(says("this is nested too deeply (more than 400 levels) [syntax]\n"));
    }
}
END_TEST

START_TEST(reasonable_nesting_is_accepted)
{
    parse_well(nested(deep[_i].before, deep[_i].open, 150, deep[_i].middle, deep[_i].close,
                      deep[_i].after));
}
END_TEST

/* -- files -- */

static char directory[64];

static const char *path_of(const char *name)
{
    return mem_format("%s/%s", directory, name);
}

static void write_source(const char *name, const char *source)
{
    struct text t = {0};

    text_add(&t, source);
    ck_assert_int_eq(text_write_file(&t, path_of(name)), WRITE_DONE);
}

static void make_directory(void)
{
    strcpy(directory, "/tmp/kgen-parser-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
    ck_assert_int_eq(mkdir(path_of("sub"), 0700), 0);
}

static void remove_directory(void)
{
    ck_assert_int_eq(system(mem_format("rm -rf %s", directory)), 0);
    end_run();
}

START_TEST(includes_are_relative_in_place_and_read_once)
{
    struct text printed = {0};

    write_source("all.def", "static let a = 1; include \"sub/b.def\"; include \"sub/../sub/b.def\";"
                            " static let d = 4;");
    write_source("sub/b.def", "static let b = 2; include \"c.def\";");
    write_source("sub/c.def", "static let c = 3;");
    ast_print(&printed, parse_file(path_of("all.def")));
    ck_assert_int_eq(error_count(), 0);
    ck_assert_str_eq(printed.at, "(static-let a (= 1))\n(static-let b (= 2))\n"
                                 "(static-let c (= 3))\n(static-let d (= 4))\n");
    ck_assert_int_eq(parsed_file_count(), 3);
    ck_assert_str_eq(parsed_file(0), path_of("all.def"));
    ck_assert_str_eq(parsed_file(1), path_of("sub/b.def"));
    ck_assert_str_eq(parsed_file(2), path_of("sub/c.def"));
}
END_TEST

START_TEST(a_cycle_of_includes_is_an_error_with_its_way)
{
    write_source("a.def", "include \"b.def\";");
    write_source("b.def", "\ninclude \"a.def\";");
    parse_file(path_of("a.def"));
    ck_assert_int_eq(error_count(), 1);
    ck_assert(says(mem_format("%s:2:9: error: '%s' includes itself [input]\n", path_of("b.def"),
                              path_of("a.def"))));
    ck_assert(says(mem_format("%s:1:9: note: '%s' is included here\n", path_of("a.def"),
                              path_of("b.def"))));
}
END_TEST

START_TEST(errors_name_the_included_file)
{
    write_source("a.def", "include \"sub/b.def\";\nstatic let = 1;");
    write_source("sub/b.def", "\n\nfoo;");
    parse_file(path_of("a.def"));
    ck_assert_int_eq(error_count(), 2);
    ck_assert(says(mem_format("%s:3:1: error: expected a declaration", path_of("sub/b.def"))));
    ck_assert(says(mem_format("%s:2:12: error: expected a name", path_of("a.def"))));
}
END_TEST

START_TEST(a_file_that_cannot_be_read_is_told)
{
    write_source("a.def", "include \"absent.def\";\ninclude \"sub\";\ninclude \"/dev/null\";");
    parse_file(path_of("a.def"));
    ck_assert_int_eq(error_count(), 3);
    ck_assert(says(mem_format("a.def:1:9: error: cannot read '%s': No such file or directory [input]",
                              path_of("absent.def"))));
    ck_assert(says("a.def:2:9: error: cannot read"));
    ck_assert(says("Is a directory [input]"));
    ck_assert(says("a.def:3:9: error: cannot read '/dev/null': it is not a file [input]"));
    end_run();
    ck_assert_ptr_null(parse_file(path_of("absent.def")));
    ck_assert(says("kgen: error: cannot read"));
}
END_TEST

START_TEST(a_long_chain_of_includes_ends)
{
    for (int i = 0; i < 80; i++)
        write_source(mem_format("%d.def", i), mem_format("include \"%d.def\";", i + 1));
    parse_file(path_of("0.def"));
    ck_assert_int_eq(error_count(), 1);
    ck_assert(says("more than 64 files include one another"));
}
END_TEST

static TCase *expression_tests(void)
{
    TCase *t = tcase_create("expressions");

    tcase_add_checked_fixture(t, end_run, end_run);
    tcase_add_test(t, as_binds_tighter_than_operators);
    tcase_add_test(t, operators_bind_by_the_table);
    tcase_add_test(t, binary_operators_group_to_the_left);
    tcase_add_test(t, comparisons_are_looser_than_bit_operators);
    tcase_add_test(t, prefix_operators_bind_tighter_than_binary_ones);
    tcase_add_test(t, indices_and_fields_apply_to_what_is_before_them);
    tcase_add_test(t, numbers_have_three_bases_and_underscores);
    tcase_add_test(t, types_are_arguments_and_builders);
    tcase_add_test(t, lists_nest_and_may_be_empty);
    tcase_add_test(t, if_is_an_expression);
    tcase_add_test(t, parentheses_with_a_comma_make_a_tuple);
    tcase_add_test(t, strings_resolve_their_escapes);
    return t;
}

static TCase *statement_tests(void)
{
    TCase *t = tcase_create("statements and declarations");

    tcase_add_checked_fixture(t, end_run, end_run);
    tcase_add_test(t, several_places_take_one_value);
    tcase_add_test(t, loops_have_ranges_steps_and_widths);
    tcase_add_test(t, static_if_marks_the_whole_chain);
    tcase_add_test(t, return_and_expect_take_what_they_are_given);
    tcase_add_test(t, words_of_clauses_are_names_elsewhere);
    tcase_add_test(t, parameters_have_direction_secrecy_set_and_alignment);
    tcase_add_test(t, clauses_follow_the_signature_in_any_order);
    tcase_add_test(t, structs_and_tables_state_their_layout);
    tcase_add_test(t, doc_comments_reach_the_function);
    tcase_add_test(t, doc_comments_reach_every_declaration);
    tcase_add_test(t, algebra_goes_to_the_statement_that_ends_last_on_its_line);
    tcase_add_test(t, equal_names_are_equal_pointers);
    tcase_add_test(t, nodes_span_their_text);
    tcase_add_test(t, comments_and_line_ends_separate_tokens);
    return t;
}

static TCase *error_tests(void)
{
    TCase *t = tcase_create("errors");

    tcase_add_checked_fixture(t, end_run, end_run);
    tcase_add_loop_test(t, syntax_errors_say_what_was_expected_and_where, 0, COUNT(syntax_errors));
    tcase_add_test(t, a_bad_character_is_one_error_in_its_statement);
    tcase_add_test(t, an_open_string_ends_with_its_line);
    tcase_add_test(t, a_nul_byte_is_refused);
    tcase_add_test(t, include_needs_a_file);
    tcase_add_test(t, recovery_reports_both_errors);
    tcase_add_test(t, a_broken_header_does_not_hide_its_body);
    tcase_add_test(t, a_missing_semicolon_before_a_brace_is_one_error);
    tcase_add_test(t, what_is_correct_survives_an_error);
    tcase_add_test(t, reading_stops_at_twenty_errors);
    tcase_add_loop_test(t, deep_nesting_is_refused_not_a_crash, 0, COUNT(deep));
    tcase_add_loop_test(t, reasonable_nesting_is_accepted, 0, COUNT(deep));
    return t;
}

static TCase *file_tests(void)
{
    TCase *t = tcase_create("files");

    tcase_add_checked_fixture(t, make_directory, remove_directory);
    tcase_add_test(t, includes_are_relative_in_place_and_read_once);
    tcase_add_test(t, a_cycle_of_includes_is_an_error_with_its_way);
    tcase_add_test(t, errors_name_the_included_file);
    tcase_add_test(t, a_file_that_cannot_be_read_is_told);
    tcase_add_test(t, a_long_chain_of_includes_ends);
    return t;
}

Suite *parser_suite(void)
{
    Suite *s = suite_create("parser");

    suite_add_tcase(s, expression_tests());
    suite_add_tcase(s, statement_tests());
    suite_add_tcase(s, error_tests());
    suite_add_tcase(s, file_tests());
    return s;
}
