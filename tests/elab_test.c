/* elab_test.c: claims about elaboration: what a program means as a typed tree.
 *
 * Each source is parsed and elaborated whole; a claim looks for lines of the
 * printed tree, or for values of the structures behind it. tests/rules has the
 * exact messages of what is refused.
 */
#include <stdlib.h>
#include <string.h>

#include "base/diag.h"
#include "lang/static.h"
#include "suites.h"

static struct program *program_of(const char *body)
{
    const char *text = mem_format("module \"m\";\n%s", body);
    struct node *decls;

    diag_reset();
    decls = parse_text("test.def", text, strlen(text));
    ck_assert_msg(error_count() == 0, "%s", diag_messages()->at);
    return check_program(decls);
}

static struct module *module_of(const char *body)
{
    struct program *p = program_of(body);

    ck_assert_msg(p != NULL, "%s\n%s", body, diag_messages()->at);
    return p->modules.at[0];
}

static const char *tree_of(const char *body)
{
    const struct module *m = module_of(body);
    struct text t = {0};

    for (int i = 0; i < m->funcs.n; i++)
        tree_print_func(&t, m->funcs.at[i]);
    return t.at != NULL ? t.at : "";
}

static void has(const char *tree, const char *line)
{
    ck_assert_msg(strstr(tree, line) != NULL, "no '%s' in\n%s", line, tree);
}

static void lacks(const char *tree, const char *line)
{
    ck_assert_msg(strstr(tree, line) == NULL, "'%s' in\n%s", line, tree);
}

static int times(const char *tree, const char *part)
{
    int n = 0;

    for (; (tree = strstr(tree, part)) != NULL; tree += strlen(part))
        n++;
    return n;
}

static void refused(enum rule rule, const char *body)
{
    ck_assert_msg(program_of(body) == NULL, "accepted:\n%s", body);
    ck_assert_msg(strstr(diag_messages()->at, mem_format("[%s]\n", rules[rule].name)) != NULL,
                  "%s\n%s", body, diag_messages()->at);
}

/* -- whole functions -- */

START_TEST(the_whole_kernel_of_the_design_is_four_statements)
{
    const char *t = tree_of("export fn bn_add_words(r: out u64[n], a: in u64[n], b: in u64[n], n: u64) -> u64 {\n"
                            "    var c: carry = 0;\n"
                            "    for i in 0..n unroll 8, 4, 1 { r[i], c = a[i] + b[i] + c; }\n"
                            "    return c as u64;\n}\n");

    has(t, "r: out u64, (n.0 * 8) bytes, align 8");
    has(t, "c.1 = carry:0\n");
    has(t, "for i.2 in 0 .. n.0 unroll width 8 {");
    has(t, "%.3, c.1 = a[(i.2 * 8) : u64] + b[(i.2 * 8) : u64] + c.1\n");
    has(t, "r[(i.2 * 8) : u64] = %.3\n");
    has(t, "} width 4 {");
    has(t, "} width 1 {");
    has(t, "return number(c.1)\n");
}
END_TEST

START_TEST(a_borrow_is_subtracted_and_u32_sums_have_carries_too)
{
    const char *t = tree_of("export fn f(r: out u32[2], x: secret u32, y: secret u32) {\n"
                            "    let d, b = x - y;\n    r[0] = d - x - b;\n"
                            "    let s, c = x + 5;\n    r[1] = s + c;\n}\n");

    has(t, "d.2, b.3 = x.0 - y.1\n");
    has(t, "r[0 : u32] = sbc(d.2, x.0, b.3)\n");
    has(t, "s.4, c.5 = x.0 + u32:5\n");
    has(t, "r[4 : u32] = adc(s.4, u32:0, c.5)\n");
}
END_TEST

START_TEST(a_double_width_product_gives_the_low_half_first)
{
    const char *t = tree_of("export fn f(r: out u64[2], x: secret u64) { r[0], r[1] = x * 3; }\n");

    has(t, "%.1, %.2 = x.0 * 3\n");
    has(t, "r[0 : u64] = %.1\n");
    has(t, "r[8 : u64] = %.2\n");
}
END_TEST

START_TEST(algebra_belongs_to_the_last_statement_of_its_line)
{
    const char *t = tree_of("export fn f(r: out u64[1], x: u64) {\n"
                            "    r[0] = x + 1;   //= x + 1\n}\n");

    has(t, "r[0 : u64] = (x.0 + 1)  //= x + 1\n");
}
END_TEST

/* -- literals and conversions -- */

START_TEST(a_literal_is_splatted_in_a_vector_and_typed_by_its_neighbour)
{
    const char *t = tree_of("export fn f(r: out u16x8[1], x: in u16x8[1], y: u32) -> u32 {\n"
                            "    r[0] = x[0] & 0x0f;\n    return y + 7;\n}\n");

    has(t, "u16x8:0x000f000f000f000f000f000f000f000f");
    has(t, "return (y.0 + u32:7)\n");
}
END_TEST

START_TEST(negative_literals_keep_the_low_bits_of_their_type)
{
    const char *t = tree_of("export fn f(r: out u8[2]) -> i32 { r[0] = ~0; r[1] = -2; return -3; }\n");

    has(t, "r[0 : u8] = u32:255\n");
    has(t, "r[1 : u8] = u32:254\n");
    has(t, "return i32:0xfffffffd\n");
}
END_TEST

START_TEST(usize_is_u64_inside_and_usize_in_the_header)
{
    const struct module *m = module_of("export fn f(n: usize, k: u64) -> usize { return n + k; }\n");
    const struct func *f = m->funcs.at[0];

    ck_assert_int_eq(f->params[0].type, TYPE_USIZE);
    ck_assert_int_eq(f->params[0].var->type, TYPE_U64);
    ck_assert_int_eq(f->results[0], TYPE_USIZE);
}
END_TEST

START_TEST(as_converts_scalars_and_rereads_vectors)
{
    const char *t = tree_of("export fn f(r: out u32x4[1], x: in u8x16[1], y: u64) -> u32 {\n"
                            "    r[0] = x[0] as u32x4;\n    return y as u32 + 1;\n}\n");

    has(t, "r[0 : u32x4] = (x[0 : u8x16] as u32x4)\n");
    has(t, "return ((y.0 as u32) + u32:1)\n");
}
END_TEST

START_TEST(a_vector_is_built_of_scalars_splatted_from_one_or_constant)
{
    const char *t = tree_of("export fn f(r: out u32x4[3], x: u32) {\n"
                            "    r[0] = u32x4(1, 2, 3, x);\n    r[1] = u32x4(x);\n"
                            "    r[2] = u32x4(1, 2, 3, 4);\n}\n");

    has(t, "r[0 : u32x4] = u32x4(u32:1, u32:2, u32:3, x.0)\n");
    has(t, "r[16 : u32x4] = u32x4(x.0)\n");
    has(t, "r[32 : u32x4] = u32x4:0x00000004000000030000000200000001\n");
}
END_TEST

START_TEST(a_list_of_numbers_or_hex_is_a_vector_where_one_is_needed)
{
    const char *t = tree_of("export fn f(r: out u8x16[1], s: out u32x4[1]) {\n"
                            "    r[0] = [static for i in 0..16: i];\n"
                            "    s[0] = hex(\"01000000 02000000 03000000 04000000\");\n}\n");

    has(t, "u8x16:0x0f0e0d0c0b0a09080706050403020100");
    has(t, "u32x4:0x00000004000000030000000200000001");
}
END_TEST

/* -- instructions -- */

START_TEST(the_types_of_the_operands_choose_the_form_of_an_instruction)
{
    const char *t = tree_of("export fn f(r: out u8x16[6], v: in u32x4[1], x: u32) {\n"
                            "    r[0] = rev64(v[0]) as u8x16;\n"
                            "    r[1] = rev64(v[0] as u8x16);\n"
                            "    r[2] = dup(v[0], 3) as u8x16;\n"
                            "    let d: u16x8 = dup(x);\n    r[3] = d as u8x16;\n"
                            "    r[4] = ins(v[0], 2, x) as u8x16;\n"
                            "    r[5] = ins(v[0], 1, v[0], 3) as u8x16;\n}\n");

    has(t, "rev64_4s(");
    has(t, "rev64_16b(");
    has(t, "dup_4s_lane(v[0 : u32x4], 3)");
    has(t, "d.1 = dup_8h(x.0)\n");
    has(t, "ins_s(v[0 : u32x4], 2, x.0)");
    has(t, "ins_s_lane(v[0 : u32x4], 1, v[0 : u32x4], 3)");
}
END_TEST

START_TEST(arrays_of_registers_and_tables_are_the_operands_of_tbl)
{
    const char *t = tree_of("table t: u8x16[2] = [static for i in 0..32: i];\n"
                            "table one: u8x16 = [static for i in 0..16: i];\n"
                            "export fn f(r: out u8x16[4], x: in u8x16[3]) {\n"
                            "    let s = [x[0], x[1], x[2]];\n"
                            "    r[0] = tbl(t, x[0]);\n    r[1] = tbl(s, x[0]);\n    r[2] = tbl(one, x[1]);\n}\n");

    has(t, "tblx2_16b(t[0 : u8x16], t[16 : u8x16], x[0 : u8x16])");
    has(t, "tblx3_16b(s[0].0, s[1].1, s[2].2, x[0 : u8x16])");
    has(t, "tbl_16b(one[0 : u8x16], x[16 : u8x16])");
}
END_TEST

START_TEST(pmull_reads_lane_0_of_a_u64x2)
{
    const char *t = tree_of("export fn f(r: out u64x2[1], x: in u64x2[1]) requires aes {\n"
                            "    r[0] = pmull(x[0], x[0]) ^ pmull2(x[0], x[0]);\n}\n");

    has(t, "pmull_1q(x[0 : u64x2], x[0 : u64x2])");
    has(t, "pmull2_1q(");
}
END_TEST

START_TEST(a_literal_operand_takes_the_type_of_its_register)
{
    has(tree_of("export fn f(r: out u8x16[1]) requires aes { r[0] = aese(r[0], 0); }\n"),
        "aese(r[0 : u8x16], u8x16:0x00000000000000000000000000000000)");
}
END_TEST

/* -- memory -- */

START_TEST(fields_lie_where_c_puts_them_and_vectors_are_bytes_to_c)
{
    const struct module *m = module_of("struct S { a: u32; b: u8x16[2]; c: u64; d: u8; }\n"
                                       "extern struct AES_KEY size 244 align 4 { rd_key: u8x16[15]; rounds: public u32 in {9, 13, 11}; }\n");
    const struct struct_type *s = m->structs.at[0], *key = m->structs.at[1];

    ck_assert_uint_eq(s->fields[1].offset, 4);
    ck_assert_uint_eq(s->fields[2].offset, 40);
    ck_assert_uint_eq(s->fields[3].offset, 48);
    ck_assert_uint_eq(s->size, 56);
    ck_assert_uint_eq(s->align, 8);
    ck_assert_uint_eq(key->fields[1].offset, 240);
    ck_assert_uint_eq(key->size, 244);
    ck_assert(key->fields[0].secret && !key->fields[1].secret);
    ck_assert_int_eq(key->fields[1].set.n, 3);
    ck_assert_uint_eq(key->fields[1].set.at[1].lo, 11);
}
END_TEST

START_TEST(a_field_is_an_access_at_its_offset_that_knows_the_field)
{
    const struct module *m = module_of("extern struct K size 244 align 4 { rd: u8x16[15]; rounds: public u32 in {9, 11}; }\n"
                                       "export fn f(key: in K, r: out u8x16[1]) { r[0] = key.rd[key.rounds]; }\n");
    const struct stmt *s = m->funcs.at[0]->body;
    struct text t = {0};

    tree_print_expr(&t, s->value);
    ck_assert_str_eq(t.at, "key[((key[240 : u32] as u64) * 16) : u8x16]");
    ck_assert_ptr_eq(s->value->access.field, &m->structs.at[0]->fields[0]);
}
END_TEST

START_TEST(load_and_store_take_byte_offsets)
{
    const char *t = tree_of("export fn f(p: inout u8[64], i: u64 in 0..=2) {\n"
                            "    let v = load(u32x4, p, 16 * i + 4);\n    store(p, 32, v);\n"
                            "    store(p, 60, 7 as u32);\n    store(p, 1, 5 as u8);\n}\n");

    has(t, "v.1 = p[((i.0 * 16) + 4) : u32x4]\n");
    has(t, "p[32 : u32x4] = v.1\n");
    has(t, "p[60 : u32] = u32:7\n");
    has(t, "p[1 : u8] = u32:5\n");
}
END_TEST

START_TEST(the_tables_of_a_module_are_one_object_in_declared_order)
{
    const struct module *m = module_of("table a: u32[3] = [1, 2, 3];\n"
                                       "table b: u8x16[2] align 64 = [static for i in 0..2: [static for j in 0..16: 16 * i + j]];\n"
                                       "table c: u8[5] = hex(\"0001020304\");\n"
                                       "table d: u64x2 = [1, 2];\n");

    ck_assert_uint_eq(m->tables.at[0]->table_offset, 0);
    ck_assert_uint_eq(m->tables.at[1]->table_offset, 64);
    ck_assert_uint_eq(m->tables.at[2]->table_offset, 96);
    ck_assert_uint_eq(m->tables.at[3]->table_offset, 112);
    ck_assert_uint_eq(m->tables_size, 128);
    ck_assert_uint_eq(m->tables_align, 64);
    ck_assert_mem_eq(m->tables.at[0]->bytes, "\1\0\0\0\2\0\0\0\3\0\0\0", 12);
    ck_assert_uint_eq(m->tables.at[1]->bytes[31], 31);
    ck_assert_mem_eq(m->tables.at[3]->bytes, "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0", 16);
}
END_TEST

START_TEST(parameters_may_be_the_same_array_only_with_one_extent)
{
    const struct module *m = module_of("export fn f(r: out u64[n], a: in u64[n], b: in u64[n + 1], c: in u8[8 * n], n: u64) noalias(r, b) { if n != 0 { r[0] = a[0] ^ b[0] ^ (c[0] as u64); } }\n"
                                       "export fn g(r: out u64[n], a: in u64[n], n: u64) noalias(r, a) { if n != 0 { r[0] = a[0]; } }\n");
    const struct func *f = m->funcs.at[0], *g = m->funcs.at[1];

    ck_assert(objects_may_be_same(f, f->objects.at[0], f->objects.at[1]));
    ck_assert(!objects_may_be_same(f, f->objects.at[0], f->objects.at[2]));
    ck_assert(!objects_may_be_same(f, f->objects.at[0], f->objects.at[3]));
    ck_assert(!objects_may_be_same(g, g->objects.at[0], g->objects.at[1]));
}
END_TEST

/* -- order of evaluation -- */

START_TEST(a_value_is_read_before_a_later_operand_changes_memory)
{
    const char *t = tree_of("inline fn bump(p: inout u64[1]) -> u64 { p[0] = p[0] + 1; return p[0]; }\n"
                            "export fn f(p: inout u64[1], r: out u64[1]) noalias(p, r) { r[0] = p[0] + bump(p); }\n");
    const char *first = strstr(t, "= p[0 : u64]\n"), *store = strstr(t, "p[0 : u64] = (");

    ck_assert_msg(first != NULL && store != NULL && first < store, "%s", t);
}
END_TEST

START_TEST(values_that_change_places_are_all_read_first)
{
    const char *t = tree_of("export fn f(r: out u8x16[2]) {\n"
                            "    var s: u8x16[2] = [r[0], r[1]];\n    s = [s[1], s[0]];\n"
                            "    r[0] = s[0]; r[1] = s[1];\n}\n");

    has(t, "%.2 = s[0].0\n");
    has(t, "s[0].0 = s[1].1\n");
    has(t, "s[1].1 = %.2\n");
}
END_TEST

/* -- expansion -- */

START_TEST(an_inline_function_is_expanded_with_fresh_variables)
{
    const char *t = tree_of("inline fn twice(x: u64) -> u64 { let y = x * 2; return y + y; }\n"
                            "export fn f(a: u64) -> u64 { return twice(a) + twice(a + 1); }\n");

    ck_assert_int_eq(times(t, "y."), 2 * 3);
    has(t, "y.2 = (a.0 * 2)\n");
    has(t, "= (a.0 + 1)\n");
    lacks(t, "twice");
}
END_TEST

START_TEST(early_returns_become_an_if_else_chain)
{
    const char *t = tree_of("inline fn pick(x: u64) -> u64 {\n"
                            "    if x == 1 { return 10; }\n    let y = x + 1;\n"
                            "    if y == 5 { return y; }\n    return 0;\n}\n"
                            "export fn f(a: u64) -> u64 { let z = pick(a); return z + 1; }\n");

    has(t, "if (a.0 == 1) {\n        %.1 = 10\n    } else {\n        y.2 = (a.0 + 1)\n"
           "        if (y.2 == 5) {\n            %.1 = y.2\n        } else {\n            %.1 = 0\n");
    has(t, "z.3 = %.1\n");
}
END_TEST

START_TEST(static_parameters_specialise)
{
    const char *t = tree_of("inline fn power(x: u64, static n: u32) -> u64 {\n"
                            "    var y: u64 = 1;\n    static for i in 0..n { y = y * x; }\n"
                            "    static if n == 3 { y = y + 1000; }\n    return y;\n}\n"
                            "export fn f(a: u64) -> u64 { return power(a, 2) + power(a, 3); }\n");

    ck_assert_int_eq(times(t, " * a.0)\n"), 5);
    ck_assert_int_eq(times(t, "+ 1000)"), 1);
}
END_TEST

START_TEST(register_arrays_are_passed_and_returned_as_a_whole)
{
    const char *t = tree_of("inline fn rotate(s: u8x16[3]) -> (u8x16[3], u8x16) { return [s[1], s[2], s[0]], s[0]; }\n"
                            "export fn f(r: out u8x16[4]) {\n"
                            "    let s, first = rotate([r[0], r[1], r[2]]);\n"
                            "    static for i in 0..3 { r[i] = s[i]; }\n    r[3] = first;\n}\n");

    ck_assert_int_eq(times(t, "= r["), 3);
    ck_assert_int_eq(times(t, "    r["), 4);
}
END_TEST

START_TEST(memory_parameters_are_bound_to_the_callers_object)
{
    const char *t = tree_of("extern struct K size 32 align 4 { a: u8x16[2]; }\n"
                            "inline fn last(p: in u8x16[n], n: u64) -> u8x16 { return p[n - 1]; }\n"
                            "inline fn both(k: in K) -> u8x16 { return last(k.a, 2) ^ k.a[0]; }\n"
                            "export fn f(key: in K, r: out u8x16[1]) { r[0] = both(key); }\n");

    has(t, "key[16 : u8x16]");
    has(t, "key[0 : u8x16]");
}
END_TEST

START_TEST(an_export_called_by_an_export_is_expanded)
{
    const char *t = tree_of("export fn g(x: u64) -> u64 { if x == 0 { return 5; } return x; }\n"
                            "export fn f(x: u64) -> u64 { return g(x + 1); }\n");

    lacks(t, "g(");
    ck_assert_int_eq(times(t, "if ("), 2);
}
END_TEST

START_TEST(local_functions_are_called_with_every_register_an_argument)
{
    const char *t = tree_of("local fn swap(s: u8x16[2], x: u64) -> (u8x16[2], u64) { return [s[1], s[0]], x + 1; }\n"
                            "local fn unused_one(x: u64) -> u64 { return x; }\n"
                            "export fn f(r: out u8x16[2], x: u64) -> u64 {\n"
                            "    let s, y = swap([r[0], r[1]], x);\n    r[0] = s[0]; r[1] = s[1];\n    return y;\n}\n");

    has(t, "local swap -> u8x16, u8x16, u64\n");
    has(t, " = swap(r[0 : u8x16], r[16 : u8x16], x.0)\n");
    lacks(t, "unused_one");
}
END_TEST

START_TEST(a_loop_body_knows_the_width_of_each_arm)
{
    const char *t = tree_of("export fn f(r: out u64[n], n: u64) {\n"
                            "    for i in 0..n unroll 4, 1 {\n"
                            "        static if width == 4 { r[i] = 44; } else { r[i] = 11; }\n    }\n}\n");

    has(t, "width 4 {\n        r[(i.1 * 8) : u64] = 44\n    } width 1 {\n        r[(i.1 * 8) : u64] = 11\n");
}
END_TEST

START_TEST(inclusive_ranges_end_after_their_last_value)
{
    const char *t = tree_of("export fn f(r: out u64[10], n: u64 in 0..=9) {\n"
                            "    for i in 0..=n { r[i] = 0; }\n    for i in 0..=9 step 3 { r[i] = 1; }\n}\n");

    has(t, "for i.1 in 0 .. (n.0 + 1) {");
    has(t, "for i.2 in 0 .. 10 step 3 {");
}
END_TEST

START_TEST(a_choice_between_run_time_values_is_an_if_statement)
{
    const char *t = tree_of("export fn f(x: u64, y: u64) -> u64 { return (if x < y && y != 3 { x } else { 7 }) + 1; }\n");

    has(t, "if ((x.0 < y.1) && (y.1 != 3)) {\n        %.2 = x.0\n    } else {\n        %.2 = 7\n    }\n");
    has(t, "return (%.2 + 1)\n");
}
END_TEST

START_TEST(same_is_decided_where_it_can_be)
{
    const char *t = tree_of("inline fn g(a: in u64[1], b: in u64[1]) -> u64 { if same(a, b) { return 1; } return 2; }\n"
                            "export fn f(a: in u64[1], b: in u64[1], c: out u64[2]) -> u64 {\n"
                            "    c[0] = 0;\n    return g(a, a) + g(a, b);\n}\n");

    ck_assert_int_eq(times(t, "same("), 1);
    has(t, "if same(a, b) {");
}
END_TEST

/* -- clauses -- */

START_TEST(a_variant_has_the_features_of_the_base_and_its_own)
{
    const struct module *m = module_of("export fn f(r: out u8x16[1]) requires aes tune \"cortex-a53\" wipe\n"
                                       "    variant sha3 { requires sha3; fuse eor3, bcax; tune \"neoverse-v2\"; } { r[0] = 0; }\n");
    const struct func *f = m->funcs.at[0];

    ck_assert_int_eq(f->variant_count, 2);
    ck_assert_str_eq(f->variants[0].name, "");
    ck_assert_str_eq(f->variants[0].tune, "cortex-a53");
    ck_assert_uint_eq(f->variants[0].features, 1u << FEAT_BASE | 1u << FEAT_AES);
    ck_assert_uint_eq(f->variants[1].features, 1u << FEAT_BASE | 1u << FEAT_AES | 1u << FEAT_SHA3);
    ck_assert_uint_eq(f->variants[1].fuse, FUSE_EOR3 | FUSE_BCAX);
    ck_assert_str_eq(f->variants[1].tune, "neoverse-v2");
    ck_assert(f->wipe);
}
END_TEST

START_TEST(preconditions_are_conditions_over_parameters)
{
    has(tree_of("export fn f(first: u64, count: u64) where first + count <= 1 << 32 where count % 16 == 0 {}\n"),
        "where ((first.0 + count.1) <= 0x100000000)\n    where ((count.1 % 16) == 0)\n");
}
END_TEST

/* -- static code -- */

static const struct { const char *declarations, *claim; } static_claims[] = {
    {"static fn f(x: u8) -> u8 { return x + 1; }", "f(255) == 0"},
    {"static fn f(x: u8) -> u64 { return x; }", "f(0x1ff) == 255"},
    {"static fn f() -> u64 { var x: u8 = 250; x = x + 10; return x; }", "f() == 4"},
    {"static fn f(n: u64) -> u64 { for i in 0..n { if i * i >= n { return i; } } return n; }", "f(50) == 8"},
    {"static fn f() -> u64 { var t: u8[4] = [1, 2, 3, 4]; let u = t; t[1] = 9; return u[1] * 10 + t[1]; }", "f() == 29"},
    {"static fn g(t: u8[4]) -> u64 { return t[3]; } static fn f() -> u64 { return g([1, 2, 3, 300]); }", "f() == 44"},
    {"static fn f() -> (u64, u64) { return 3, 4; } static let A, B = f();", "A * 10 + B == 34"},
    {"static let A: u32, B: u8 = (0x1_0000_0001, 0x1ff);", "A == 1"},
    {"static let A: u32, B: u8 = (0x1_0000_0001, 0x1ff);", "B == 255"},
    {"static fn f() -> u64 { var s: u64 = 0; for i in 10..=0 { s = 1; } for i in 0..=10 step 5 { s = s + i; } return s; }", "f() == 15"},
    {"static fn f() -> u64 { var s: u64 = 0; for c in [9, 13, 11, 14] { s = s * 16 + c; } return s; }", "f() == 0x9dbe"},
    {"static fn f(n: u64) -> u64 { if n == 0 { return 0; } else if n == 1 { return 1; } return f(n - 1) + f(n - 2); }", "f(60) == 1548008755920"},
    {"static let T = [static for i in 0..3: [static for j in 0..2: i * 10 + j]];", "T[2][1] == 21"},
    {"", "(if 3 > 4 || 5 != 6 { 1 } else { 2 }) == 1"},
    {"", "0 - 1 == 0xffff_ffff_ffff_ffff"},
    {"", "(0 - 3) % 4 == 1"},
    {"", "~0 >> 60 == 15"},
    {"", "1 <<< 63 >>> 62 == 2"},
    {"static let T: u8x16 = 7;", "T[15] == 7"},
    {"static fn f(i: u64) -> u64 { return [5, 6][i] + (if i < 1 { 0 } else { [1][i - 1] }); }", "f(1) == 7"},
};

START_TEST(static_code_computes)
{
    const char *body = mem_format("%s\ntest \"t\" { expect %s; }\n", static_claims[_i].declarations,
                                  static_claims[_i].claim);

    (void)module_of(body);
}
END_TEST

START_TEST(a_claim_about_static_code_can_fail)
{
    refused(RULE_STATIC, "test \"t\" { expect 1 + 1 == 3; }\n");
    refused(RULE_STATIC, "table t: u8[2] = [1, 2];\ntest \"t\" { expect t == [1, 3]; }\n");
}
END_TEST

/* mul() is called 254 times for each inverse: 16.6 million calls without memory
 * of their results, which the limit of steps does not allow. */
START_TEST(static_calls_are_remembered)
{
    (void)module_of("static fn mul(a: u8, b: u8) -> u8 {\n"
                    "    var r: u8 = 0; var x: u8 = a;\n"
                    "    for i in 0..8 {\n        if (b >> i) & 1 == 1 { r = r ^ x; }\n"
                    "        x = (x << 1) ^ (if x & 0x80 != 0 { 0x1b } else { 0 });\n    }\n    return r;\n}\n"
                    "static fn inv(a: u8) -> u8 { var r: u8 = 1; for i in 0..254 { r = mul(r, a); } return r; }\n"
                    "static fn all() -> u64 { var s: u64 = 0; for x in 0..256 { for y in 0..256 { s = s + inv(y); } } return s; }\n"
                    "test \"t\" { expect all() == 256 * 32640; expect inv(0x53) == 0xca; }\n");
}
END_TEST

START_TEST(static_code_always_ends)
{
    refused(RULE_STATIC, "static fn f() -> u64 { while 1 == 1 { } return 0; }\nstatic let A = f();\n");
    refused(RULE_STATIC, "static fn f(x: u64) -> u64 { return f(x + 1); }\nstatic let A = f(0);\n");
    refused(RULE_STATIC, "static let A = [static for i in 0..1 << 40: i];\n");
    refused(RULE_STATIC, "static let A = B;\nstatic let B = A;\n");
    refused(RULE_STATIC, "export fn f() { static for i in 0..1 << 40 { } }\n");
}
END_TEST

START_TEST(expansion_always_ends)
{
    refused(RULE_UNSUPPORTED, "inline fn f(x: u64) -> u64 { return f(x); }\n");
    refused(RULE_UNSUPPORTED, "inline fn f(x: u64) -> u64 { return g(x); }\ninline fn g(x: u64) -> u64 { return f(x); }\n");
    refused(RULE_UNSUPPORTED, "export fn f(r: out u64[1]) {\n"
                              "    static for i in 0..1000 { static for j in 0..1000 { r[0] = i + j; } }\n}\n");
}
END_TEST

/* -- tests as data -- */

START_TEST(a_test_block_becomes_steps_with_bytes)
{
    const struct module *m = module_of("extern struct K size 20 align 4 { k: u8x16[1]; n: public u32; }\n"
                                       "export fn f(key: out K, p: in u8x16[n], n: u64) -> i32 {\n"
                                       "    if n != 0 { key.k[0] = p[0]; }\n    key.n = 1;\n    return -1;\n}\n"
                                       "test \"steps\" {\n    let key: K;\n"
                                       "    static for n in 1..3 { expect f(key, [static for i in 0..16 * n: i], n) == -1; }\n"
                                       "    expect key.n == 1;\n    expect key.k[0] == hex(\"000102030405060708090a0b0c0d0e0f\");\n}\n");
    const struct test_step *s = m->tests->steps;

    ck_assert_str_eq(m->tests->name, "steps");
    ck_assert_int_eq(s->kind, TEST_BUFFER);
    ck_assert_uint_eq(s->expected.size, 20);
    s = s->next;
    ck_assert_int_eq(s->kind, TEST_CALL);
    ck_assert_ptr_eq(s->callee, m->funcs.at[0]);
    ck_assert_uint_eq(s->expected.number, 0xffffffff);
    ck_assert_uint_eq(s->args[1].size, 16);
    ck_assert_uint_eq(s->next->args[1].size, 32);
    ck_assert_uint_eq(s->next->args[1].bytes[31], 31);
    s = s->next->next;
    ck_assert_int_eq(s->kind, TEST_EXPECT_BUFFER);
    ck_assert_uint_eq(s->offset, 16);
    ck_assert_uint_eq(s->expected.size, 4);
    ck_assert_uint_eq(s->next->offset, 0);
    ck_assert_uint_eq(s->next->expected.bytes[15], 15);
}
END_TEST

/* -- linear forms -- */

static struct affine form_of(const char *index)
{
    const struct module *m = module_of(mem_format("export fn f(r: inout u8[1 << 40], n: u64 in 0..1000, k: u64 in 0..1000, w: u32 in 0..9) {\n"
                                                  "    r[%s] = n as u32 + k as u32 + w;\n}\n", index));

    return affine_of(m->funcs.at[0]->body->access.offset);
}

START_TEST(linear_forms_are_sums_with_constants)
{
    const struct affine a = form_of("4 * (n + 3) + k * 2 + (n << 1) + 5");

    ck_assert_int_eq(a.constant, 17);
    ck_assert_int_eq(a.n, 2);
    ck_assert_int_eq(a.terms[0].factor, 6);
    ck_assert_int_eq(a.terms[1].factor, 2);
    ck_assert_str_eq(a.terms[0].atom->var->name, "n");
}
END_TEST

START_TEST(terms_that_cancel_are_gone)
{
    const struct affine a = form_of("8 + n - n + k - 8");

    ck_assert_int_eq(a.constant, 0);
    ck_assert_int_eq(a.n, 1);
    ck_assert_int_eq(a.terms[0].factor, 1);
}
END_TEST

START_TEST(quotients_and_widened_sums_are_atoms)
{
    const struct affine a = form_of("n / 4 * 4"), b = form_of("n / 4 * 4"), c = form_of("w + 1");

    ck_assert_int_eq(a.n, 1);
    ck_assert_int_eq(a.terms[0].factor, 4);
    ck_assert_int_eq(a.terms[0].atom->kind, E_BINARY);
    ck_assert(expr_equal(a.terms[0].atom->b, b.terms[0].atom->b));
    ck_assert_int_eq(c.n, 1);
    ck_assert_int_eq(c.constant, 0);
    ck_assert_int_eq(c.terms[0].atom->kind, E_CONVERT);
}
END_TEST

Suite *elab_suite(void)
{
    Suite *s = suite_create("elab");
    TCase *t = tcase_create("elab");

    tcase_add_test(t, the_whole_kernel_of_the_design_is_four_statements);
    tcase_add_test(t, a_borrow_is_subtracted_and_u32_sums_have_carries_too);
    tcase_add_test(t, a_double_width_product_gives_the_low_half_first);
    tcase_add_test(t, algebra_belongs_to_the_last_statement_of_its_line);
    tcase_add_test(t, a_literal_is_splatted_in_a_vector_and_typed_by_its_neighbour);
    tcase_add_test(t, negative_literals_keep_the_low_bits_of_their_type);
    tcase_add_test(t, usize_is_u64_inside_and_usize_in_the_header);
    tcase_add_test(t, as_converts_scalars_and_rereads_vectors);
    tcase_add_test(t, a_vector_is_built_of_scalars_splatted_from_one_or_constant);
    tcase_add_test(t, a_list_of_numbers_or_hex_is_a_vector_where_one_is_needed);
    tcase_add_test(t, the_types_of_the_operands_choose_the_form_of_an_instruction);
    tcase_add_test(t, arrays_of_registers_and_tables_are_the_operands_of_tbl);
    tcase_add_test(t, pmull_reads_lane_0_of_a_u64x2);
    tcase_add_test(t, a_literal_operand_takes_the_type_of_its_register);
    tcase_add_test(t, fields_lie_where_c_puts_them_and_vectors_are_bytes_to_c);
    tcase_add_test(t, a_field_is_an_access_at_its_offset_that_knows_the_field);
    tcase_add_test(t, load_and_store_take_byte_offsets);
    tcase_add_test(t, the_tables_of_a_module_are_one_object_in_declared_order);
    tcase_add_test(t, parameters_may_be_the_same_array_only_with_one_extent);
    tcase_add_test(t, a_value_is_read_before_a_later_operand_changes_memory);
    tcase_add_test(t, values_that_change_places_are_all_read_first);
    tcase_add_test(t, an_inline_function_is_expanded_with_fresh_variables);
    tcase_add_test(t, early_returns_become_an_if_else_chain);
    tcase_add_test(t, static_parameters_specialise);
    tcase_add_test(t, register_arrays_are_passed_and_returned_as_a_whole);
    tcase_add_test(t, memory_parameters_are_bound_to_the_callers_object);
    tcase_add_test(t, an_export_called_by_an_export_is_expanded);
    tcase_add_test(t, local_functions_are_called_with_every_register_an_argument);
    tcase_add_test(t, a_loop_body_knows_the_width_of_each_arm);
    tcase_add_test(t, inclusive_ranges_end_after_their_last_value);
    tcase_add_test(t, a_choice_between_run_time_values_is_an_if_statement);
    tcase_add_test(t, same_is_decided_where_it_can_be);
    tcase_add_test(t, a_variant_has_the_features_of_the_base_and_its_own);
    tcase_add_test(t, preconditions_are_conditions_over_parameters);
    tcase_add_loop_test(t, static_code_computes, 0, COUNT(static_claims));
    tcase_add_test(t, a_claim_about_static_code_can_fail);
    tcase_add_test(t, static_calls_are_remembered);
    tcase_add_test(t, static_code_always_ends);
    tcase_add_test(t, expansion_always_ends);
    tcase_add_test(t, a_test_block_becomes_steps_with_bytes);
    tcase_add_test(t, linear_forms_are_sums_with_constants);
    tcase_add_test(t, terms_that_cancel_are_gone);
    tcase_add_test(t, quotients_and_widened_sums_are_atoms);
    suite_add_tcase(s, t);
    return s;
}
