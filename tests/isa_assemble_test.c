/* isa_assemble_test.c: every row of the instruction table against assemblers.
 *
 * Writes several examples of every row, as insn_print() spells them, to one
 * assembly file; GNU as and clang, and a newer clang where there is one, must
 * accept it without a warning and produce the same bytes. What objdump calls each instruction must
 * be our mnemonic, or one that the Arm ARM lists as its alias.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "isa/isa.h"
#include "isa_examples.h"
#include "suites.h"

enum { EXAMPLES_PER_ROW = 8 };

static char directory[] = "/tmp/kgen-isa-XXXXXX";

static const char *path(const char *name)
{
    return mem_format("%s/%s", directory, name);
}

static void run(const char *command)
{
    ck_assert_msg(system(command) == 0, "%s", command);
}

static void setup(void)
{
    strcpy(directory + strlen(directory) - 6, "XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void teardown(void)
{
    run(mem_format("rm -r %s", directory));
}

/* One label before every example, so that branches reach theirs. */
static void write_examples(struct text *out)
{
    struct dice dice = { 3 };
    text_add(out, "\t.arch armv8.2-a+crypto+sha3\n\t.text\n");
    for (int row = 1; row < INSN_COUNT; row++) {
        for (int i = 0; i < EXAMPLES_PER_ROW; i++) {
            struct phys_insn insn = roll_insn(&dice, (enum insn)row);
            const char *label = mem_format(".L%d_%d", row, i);
            for (int k = 0; k < insns[row].operand_count; k++)
                if (insns[row].op[k].kind == OP_LABEL)
                    insn.op[k].name = label;
            text_format(out, "%s:\n\t", label);
            insn_print(out, &insn);
            text_add(out, "\n");
        }
    }
}

enum presence { REQUIRED, OPTIONAL };
struct assembler { const char *name, *command; enum presence presence; };

static const struct assembler assemblers[] = {
    { "gas", "aarch64-linux-gnu-as --fatal-warnings -o", REQUIRED },
    { "clang", "clang --target=aarch64-linux-gnu -Werror -c -o", REQUIRED },
    { "clang-22", "clang-22 --target=aarch64-linux-gnu -Werror -c -o", OPTIONAL },
};

static bool is_here(const struct assembler *as)
{
    return as->presence == REQUIRED
        || system(mem_format("command -v %s >/dev/null", as->name)) == 0;
}

static const char *binary_of(const char *name)
{
    return path(mem_format("%s.bin", name));
}

static void assemble(const struct assembler *as)
{
    const char *object = path(mem_format("%s.o", as->name));
    run(mem_format("%s %s %s > %s 2>&1 || { head -n 20 %s; false; }", as->command, object,
                   path("rows.s"), path("messages"), path("messages")));
    run(mem_format("test ! -s %s || { head -n 20 %s; false; }", path("messages"), path("messages")));
    run(mem_format("aarch64-linux-gnu-objcopy -O binary -j .text %s %s", object,
                   binary_of(as->name)));
}

START_TEST(assemblers_agree_on_every_row)
{
    struct text rows = { 0 };
    write_examples(&rows);
    ck_assert_int_eq(text_write_file(&rows, path("rows.s")), WRITE_DONE);
    for (int i = 0; i < COUNT(assemblers); i++)
        if (is_here(&assemblers[i]))
            assemble(&assemblers[i]);
    struct text first = { 0 };
    ck_assert(text_read_file(&first, binary_of(assemblers[0].name)));
    ck_assert_uint_eq(first.n, 4ul * EXAMPLES_PER_ROW * (INSN_COUNT - 1));
    for (int i = 1; i < COUNT(assemblers); i++) {
        struct text other = { 0 };
        if (!is_here(&assemblers[i]))
            continue;
        ck_assert(text_read_file(&other, binary_of(assemblers[i].name)));
        ck_assert_uint_eq(first.n, other.n);
        for (size_t at = 0; at < first.n; at += 4)
            ck_assert_msg(memcmp(first.at + at, other.at + at, 4) == 0, "%s: %s differs from %s",
                          insns[1 + at / 4 / EXAMPLES_PER_ROW].name, assemblers[i].name,
                          assemblers[0].name);
    }
}
END_TEST

/* Different rows are different instructions: no two share the fixed bits, or
 * one is an alias of the other. Checked through the names objdump gives. */
struct alias { const char *ours, *objdump; };

/* Arm ARM C6.2 and C7.2, "Alias conditions". */
static const struct alias aliases[] = {
    { "adds", "cmn" }, { "subs", "cmp" }, { "subs", "negs" }, { "negs", "cmp" }, { "sub", "neg" }, { "ands", "tst" },
    { "orr", "mov" }, { "orn", "mvn" }, { "sbc", "ngc" }, { "sbcs", "ngcs" },
    { "movz", "mov" }, { "movn", "mov" }, { "mvn", "mov" }, { "add", "mov" },
    { "madd", "mul" }, { "msub", "mneg" }, { "umaddl", "umull" }, { "umsubl", "umnegl" },
    { "smaddl", "smull" }, { "smsubl", "smnegl" },
    { "extr", "ror" }, { "ubfx", "lsr" }, { "ubfx", "uxtb" }, { "ubfx", "uxth" }, { "ubfx", "lsl" },
    { "sbfx", "asr" }, { "sbfx", "sxtb" }, { "sbfx", "sxth" }, { "sbfx", "sxtw" },
    { "ubfiz", "lsl" }, { "ubfiz", "ubfx" }, { "ubfiz", "lsr" }, { "ubfiz", "uxtb" },
    { "ubfiz", "uxth" }, { "sbfiz", "sbfx" }, { "sbfiz", "asr" }, { "sbfiz", "sxtb" },
    { "sbfiz", "sxth" }, { "sbfiz", "sxtw" }, { "bfi", "bfxil" }, { "bfi", "bfc" },
    { "lsl", "ubfx" }, { "lsl", "lsr" }, { "lsl", "uxtb" }, { "lsr", "uxth" },
    { "csinc", "cinc" }, { "csinc", "cset" }, { "csinv", "cinv" }, { "csinv", "csetm" },
    { "csneg", "cneg" }, { "cinc", "cset" }, { "cinv", "csetm" },
    { "not", "mvn" }, { "ins", "mov" }, { "umov", "mov" }, { "dup", "mov" },
    { "ushll", "uxtl" }, { "ushll2", "uxtl2" }, { "sshll", "sxtl" }, { "sshll2", "sxtl2" },
};

static bool is_alias(const char *ours, const char *objdump)
{
    for (int i = 0; i < COUNT(aliases); i++)
        if (strcmp(aliases[i].ours, ours) == 0 && strcmp(aliases[i].objdump, objdump) == 0)
            return true;
    return false;
}

/* "add\tx0, …" of line N of rows.s without labels and directives. */
static void first_word(const char *line, char *word, size_t size)
{
    size_t n = strcspn(line, " \t\n");
    ck_assert_uint_lt(n, size);
    memcpy(word, line, n);
    word[n] = '\0';
}

START_TEST(objdump_names_every_row)
{
    struct text rows = { 0 };
    write_examples(&rows);
    ck_assert_int_eq(text_write_file(&rows, path("rows.s")), WRITE_DONE);
    assemble(&assemblers[0]);
    run(mem_format("aarch64-linux-gnu-objdump -d --no-addresses --no-show-raw-insn %s/gas.o"
                   " | grep -P '^\\t' > %s/dump", directory, directory));
    run(mem_format("grep -P '^\\t[^.]' %s/rows.s > %s/ours", directory, directory));
    FILE *dump = fopen(path("dump"), "r"), *ours = fopen(path("ours"), "r");
    ck_assert(dump != NULL && ours != NULL);
    char theirs_line[300], our_line[300], their_word[40], our_word[40];
    int lines = 0;
    while (fgets(our_line, sizeof our_line, ours) != NULL) {
        ck_assert_ptr_nonnull(fgets(theirs_line, sizeof theirs_line, dump));
        first_word(our_line + 1, our_word, sizeof our_word);
        first_word(theirs_line + 1, their_word, sizeof their_word);
        if (strcmp(our_word, "b.hs") == 0)
            strcpy(our_word, "b.cs");
        if (strcmp(our_word, "b.lo") == 0)
            strcpy(our_word, "b.cc");
        ck_assert_msg(strcmp(our_word, their_word) == 0 || is_alias(our_word, their_word),
                      "ours: %sobjdump: %s", our_line + 1, theirs_line + 1);
        lines++;
    }
    fclose(dump);
    fclose(ours);
    ck_assert_int_eq(lines, EXAMPLES_PER_ROW * (INSN_COUNT - 1));
}
END_TEST

Suite *isa_assemble_suite(void)
{
    Suite *suite = suite_create("isa against assemblers");
    TCase *rows = tcase_create("rows");
    tcase_add_checked_fixture(rows, setup, teardown);
    tcase_set_timeout(rows, 60);
    tcase_add_test(rows, assemblers_agree_on_every_row);
    tcase_add_test(rows, objdump_names_every_row);
    suite_add_tcase(suite, rows);
    return suite;
}
