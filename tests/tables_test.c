/* tables_test.c: the derived tables of kernels/vpaes.def are AES.
 *
 * Takes the tables as the compiler elaborated them, checks that the object
 * files of all platforms hold exactly these bytes, and shows with nothing but
 * table look-ups and XOR that they reproduce the S-box for all 256 bytes,
 * ShiftRows, and MixColumns, against FIPS 197 written out byte by byte.
 */
#include <check.h>
#include <string.h>

#include "base/mem.h"
#include "harness/fips197.h"
#include "harness/objects.h"
#include "lang/tree.h"
#include "suites.h"

/* -- the tables -- */

static const struct module *vpaes;

static void read_module(void)
{
    diag_reset();
    struct program *program = check_program(parse_file("kernels.def"));
    ck_assert_msg(program != NULL, "%s", diag_messages()->at);
    vpaes = NULL;
    for (int i = 0; i < program->modules.n; i++) {
        if (strcmp(program->modules.at[i]->name, "vpaes-armv8") == 0)
            vpaes = program->modules.at[i];
    }
    ck_assert_ptr_nonnull(vpaes);
}

static void forget_module(void)
{
    mem_release();
}

/* Entry n of a table. */
static const uint8_t *entry(const char *table, unsigned n)
{
    for (int i = 0; i < vpaes->tables.n; i++) {
        const struct object *t = vpaes->tables.at[i];
        if (strcmp(t->name, table) == 0) {
            ck_assert_uint_lt(16 * n, t->size);
            return t->bytes + 16 * n;
        }
    }
    ck_abort_msg("there is no table %s", table);
    return NULL;
}

/* tbl of one byte (Arm ARM C7.2.391): 0 outside the table. */
static uint8_t look_up(const uint8_t *table, uint8_t index)
{
    return index < 16 ? table[index] : 0;
}

/* -- the S-box -- */

struct inverse { uint8_t io, jo; };

/* As `invert` of the module has it. */
static struct inverse invert(uint8_t x)
{
    const uint8_t *reciprocal = entry("reciprocal", 0), *a_over = entry("reciprocal", 1);
    uint8_t k = x & 15, i = x >> 4, j = i ^ k;
    uint8_t a_k = look_up(a_over, k);
    uint8_t iak = look_up(reciprocal, i) ^ a_k;
    uint8_t jak = look_up(reciprocal, j) ^ a_k;
    return (struct inverse){ look_up(reciprocal, iak) ^ j, look_up(reciprocal, jak) ^ i };
}

static uint8_t linear(const char *table, uint8_t low, uint8_t high)
{
    return look_up(entry(table, 0), low) ^ look_up(entry(table, 1), high);
}

static uint8_t to_pair(uint8_t x)
{
    return linear("to_pairs", x & 15, x >> 4);
}

START_TEST(the_standard_oracle_is_right)
{
    /* FIPS 197 figure 7, and appendices B and C.3 */
    static const struct {
        uint8_t x, s;
    } box[] = { { 0x00, 0x63 }, { 0x53, 0xed }, { 0xff, 0x16 } };
    static const uint8_t key_b[16] = { 0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                       0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c };
    static const uint8_t in_b[16] = { 0x32, 0x43, 0xf6, 0xa8, 0x88, 0x5a, 0x30, 0x8d,
                                      0x31, 0x31, 0x98, 0xa2, 0xe0, 0x37, 0x07, 0x34 };
    static const uint8_t out_b[16] = { 0x39, 0x25, 0x84, 0x1d, 0x02, 0xdc, 0x09, 0xfb,
                                       0xdc, 0x11, 0x85, 0x97, 0x19, 0x6a, 0x0b, 0x32 };
    static const uint8_t out_c3[16] = { 0x8e, 0xa2, 0xb7, 0xca, 0x51, 0x67, 0x45, 0xbf,
                                        0xea, 0xfc, 0x49, 0x90, 0x4b, 0x49, 0x60, 0x89 };
    uint8_t key[32], in[16], out[16];
    for (size_t i = 0; i < sizeof box / sizeof *box; i++)
        ck_assert_uint_eq(fips197_sub_byte(box[i].x), box[i].s);
    fips197_encrypt(key_b, 4, in_b, out);
    ck_assert_mem_eq(out, out_b, 16);
    for (unsigned i = 0; i < 32; i++)
        key[i] = (uint8_t)i;
    for (unsigned i = 0; i < 16; i++)
        in[i] = (uint8_t)(0x11 * i);
    fips197_encrypt(key, 8, in, out);
    ck_assert_mem_eq(out, out_c3, 16);
}
END_TEST

START_TEST(pairs_are_a_basis)
{
    bool seen[256] = { false };
    for (unsigned x = 0; x < 256; x++) {
        ck_assert(!seen[to_pair((uint8_t)x)]);
        seen[to_pair((uint8_t)x)] = true;
    }
}
END_TEST

START_TEST(tables_give_the_s_box_of_every_byte)
{
    for (unsigned x = 0; x < 256; x++) {
        struct inverse v = invert(to_pair((uint8_t)x));
        uint8_t s = fips197_sub_byte((uint8_t)x) ^ 0x63;
        ck_assert_uint_eq(linear("sub_output", v.io, v.jo), s);
        ck_assert_uint_eq(linear("sub", v.io, v.jo), to_pair(s));
        ck_assert_uint_eq(linear("sub_doubled", v.io, v.jo), to_pair(fips197_multiply(2, s)));
    }
}
END_TEST

/* -- decryption and schedules -- */

/* 1/x, and 0 for 0: FIPS 197 5.1.1. */
static uint8_t inverse_of(uint8_t x)
{
    unsigned y = 0;
    while (x != 0 && fips197_multiply(x, (uint8_t)y) != 1)
        y++;
    return (uint8_t)y;
}

static uint8_t to_undone(uint8_t x)
{
    return linear("to_undone", x & 15, x >> 4);
}

/* FIPS 197 5.3.3, in the order in which the module multiplies. */
static const uint8_t unmix_by[4] = { 9, 13, 11, 14 };

static uint8_t linear_of_8(const char *table, int m, uint8_t low, uint8_t high)
{
    return look_up(entry(table, 2 * (unsigned)m), low) ^
           look_up(entry(table, 2 * (unsigned)m + 1), high);
}

START_TEST(tables_undo_the_s_box_of_every_byte)
{
    for (unsigned x = 0; x < 256; x++) {
        uint8_t state = to_undone(fips197_sub_byte((uint8_t)x) ^ 0x63);
        ck_assert_uint_eq(state, to_pair(inverse_of((uint8_t)x)));
        struct inverse v = invert(state);
        ck_assert_uint_eq(linear("unsub_output", v.io, v.jo), x);
        for (int m = 0; m < 4; m++)
            ck_assert_uint_eq(linear_of_8("unsub", m, v.io, v.jo),
                              to_undone(fips197_multiply(unmix_by[m], (uint8_t)x)));
    }
}
END_TEST

START_TEST(tables_of_schedules_are_of_pairs)
{
    for (unsigned x = 0; x < 256; x++) {
        uint8_t pair = to_pair((uint8_t)x), low = pair & 15, high = pair >> 4;
        ck_assert_uint_eq(linear("from_pairs", low, high), x);
        ck_assert_uint_eq(linear("doubled", low, high), to_pair(fips197_multiply(2, (uint8_t)x)));
        ck_assert_uint_eq(linear("undone_key", low, high), to_undone((uint8_t)x));
        for (int m = 0; m < 4; m++)
            ck_assert_uint_eq(linear_of_8("unmixed_key", m, low, high),
                              to_undone(fips197_multiply(unmix_by[m], (uint8_t)x)));
    }
}
END_TEST

/* -- rows and columns -- */

static void permute(const uint8_t *table, const uint8_t in[16], uint8_t out[16])
{
    for (int i = 0; i < 16; i++)
        out[i] = look_up(in, table[i]);
}

static void shift_rows_n(uint8_t state[16], unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        fips197_shift_rows(state);
}

START_TEST(shift_rows_is_that_of_the_standard)
{
    for (unsigned r = 0; r < 4; r++) {
        uint8_t in[16], expected[16], got[16];
        for (unsigned i = 0; i < 16; i++)
            in[i] = expected[i] = (uint8_t)(17 * i + 3);
        shift_rows_n(expected, r);
        permute(entry("shift_rows", r), in, got);
        ck_assert_mem_eq(got, expected, 16);
    }
}
END_TEST

/* The round's sum of A and 2A after r rounds, where byte positions are those
 * of ShiftRows^-r: between the two shifts it must be MixColumns. Linear, so
 * that the 128 states of one bit show all. */
START_TEST(mix_is_mix_columns_of_the_standard)
{
    for (unsigned bit = 0; bit < 128; bit++) {
        unsigned r = (unsigned)_i;
        uint8_t a[16] = { 0 }, expected[16], ahead[16], behind[16], b[16], b_ahead[16];
        a[bit / 8] = (uint8_t)(1 << bit % 8);
        memcpy(expected, a, 16);
        shift_rows_n(expected, r);
        fips197_mix_columns(expected);
        shift_rows_n(expected, 4 - r);
        permute(entry("mix", 2 * r), a, ahead);
        permute(entry("mix", 2 * r + 1), a, behind);
        for (unsigned i = 0; i < 16; i++)
            b[i] = ahead[i] ^ fips197_multiply(2, a[i]);
        permute(entry("mix", 2 * r), b, b_ahead);
        for (unsigned i = 0; i < 16; i++)
            ck_assert_uint_eq(behind[i] ^ b[i] ^ b_ahead[i], expected[i]);
    }
}
END_TEST

/* The same for decryption, whose positions are those of ShiftRows^r. MixColumns
 * is its own inverse when done four times less one: its polynomial is a fourth
 * root of 1 (FIPS 197 5.1.3). */
START_TEST(unmix_is_the_inverse_of_mix_columns)
{
    for (unsigned bit = 0; bit < 128; bit++) {
        unsigned r = (unsigned)_i;
        uint8_t a[16] = { 0 }, expected[16], sum[16] = { 0 }, moved[16];
        a[bit / 8] = (uint8_t)(1 << bit % 8);
        memcpy(expected, a, 16);
        shift_rows_n(expected, 4 - r);
        for (int i = 0; i < 3; i++)
            fips197_mix_columns(expected);
        shift_rows_n(expected, r);
        for (int m = 0; m < 4; m++) {
            permute(entry("unmix", r), sum, moved);
            for (unsigned i = 0; i < 16; i++)
                sum[i] = moved[i] ^ fips197_multiply(unmix_by[m], a[i]);
        }
        ck_assert_mem_eq(sum, expected, 16);
    }
}
END_TEST

/* -- the objects -- */

START_TEST(objects_hold_these_tables_and_nothing_else)
{
    struct emulator *e = load_module("vpaes-armv8", _i, TABLES_MIDDLE);
    const struct object_file *o = emulator_object(e);
    const struct object_section *tables = NULL;
    for (int i = 0; i < o->section_count; i++) {
        if (o->sections[i].use == SECTION_TABLES && o->sections[i].size != 0) {
            ck_assert_ptr_null(tables);
            tables = &o->sections[i];
        }
    }
    ck_assert_ptr_nonnull(tables);
    ck_assert_uint_eq(tables->align, vpaes->tables_align);
    ck_assert_uint_eq(tables->size, vpaes->tables_size);
    for (int i = 0; i < vpaes->tables.n; i++) {
        const struct object *t = vpaes->tables.at[i];
        ck_assert_mem_eq(tables->bytes + t->table_offset, t->bytes, t->size);
    }
    emulator_free(e);
}
END_TEST

Suite *tables_suite(void)
{
    Suite *suite = suite_create("tables");
    TCase *tests = tcase_create("vpaes");
    tcase_add_checked_fixture(tests, read_module, forget_module);
    tcase_add_test(tests, the_standard_oracle_is_right);
    tcase_add_test(tests, pairs_are_a_basis);
    tcase_add_test(tests, tables_give_the_s_box_of_every_byte);
    tcase_add_test(tests, tables_undo_the_s_box_of_every_byte);
    tcase_add_test(tests, tables_of_schedules_are_of_pairs);
    tcase_add_test(tests, shift_rows_is_that_of_the_standard);
    tcase_add_loop_test(tests, mix_is_mix_columns_of_the_standard, 0, 4);
    tcase_add_loop_test(tests, unmix_is_the_inverse_of_mix_columns, 0, 4);
    tcase_add_loop_test(tests, objects_hold_these_tables_and_nothing_else, 0, PLATFORM_COUNT);
    suite_add_tcase(suite, tests);
    return suite;
}
