/* row_runner.c: single instructions under qemu-user; see row_runner.h.
 *
 * The program: a server that reads the number of an instruction from its
 * input, runs it on every record and answers with one byte; a page of slots
 * (the current record, the current instruction, how many records are left);
 * then four words for each instruction: itself, a jump to "not taken", a jump
 * to "taken" (its label, when it is a branch), and a filler.
 */
#include "row_runner.h"

#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* -- the program -- */

static void write_registers(struct text *out, const char *one, const char *two)
{
    for (int i = 0; i < 32; i += 2)
        text_format(out, "\t%s q%d, q%d, [x18, #%zu]\n", two, i, i + 1,
                    offsetof(struct record, v) + 16 * (size_t)i);
    for (int i = 0; i < 18; i += 2)
        text_format(out, "\t%s x%d, x%d, [x18, #%d]\n", two, i, i + 1, 8 * i);
    text_format(out, "\t%s x19, [x18, #152]\n", one);
    for (int i = 20; i < 30; i += 2)
        text_format(out, "\t%s x%d, x%d, [x18, #%d]\n", two, i, i + 1, 8 * i);
    text_format(out, "\t%s x30, [x18, #240]\n", one);
}

/* Linux system calls: openat 56, mmap 222, read 63, write 64, exit 93. */
static void write_server(struct text *out)
{
    text_format(out, "\t.arch armv8.2-a+crypto+sha3\n\t.text\n\t.globl _start\n"
                     "_start:\n\tldr x1, [sp, #16]\n\tmov x0, #-100\n\tmov x2, #2\n"
                     "\tmov x8, #56\n\tsvc #0\n"
                     "\tmov x4, x0\n\tldr x0, =%u\n\tldr x1, =%zu\n\tmov x2, #3\n"
                     "\tmov x3, #0x11\n\tmov x5, #0\n\tmov x8, #222\n\tsvc #0\n"
                     "serve:\n\tmov x0, #0\n\tadr x1, instruction\n\tmov x2, #8\n"
                     "\tmov x8, #63\n\tsvc #0\n\tcmp x0, #8\n\tb.eq run\n"
                     "\tmov x0, #0\n\tmov x8, #93\n\tsvc #0\n",
                SHARED_BASE, sizeof(struct shared));
    text_format(out, "run:\n\tadr x1, record\n\tldr x0, =%u\n\tstr x0, [x1]\n"
                     "\tldr x2, [x1, #8]\n\tldr x3, =instructions\n\tadd x2, x3, x2, lsl #4\n"
                     "\tstr x2, [x1, #8]\n\tmov x0, #%d\n\tstr x0, [x1, #16]\n\tb begin\n"
                     "end:\n\tmov x0, #1\n\tadr x1, record\n\tmov x2, #1\n\tmov x8, #64\n"
                     "\tsvc #0\n\tb serve\n\t.ltorg\n",
                SHARED_BASE, RECORDS);
}

static void write_stubs(struct text *out)
{
    text_format(out, "begin:\n\tldr x18, record\n"
                     "\tldr x0, [x18, #%zu]\n\tmsr nzcv, x0\n\tldr x0, [x18, #%zu]\n\tmov sp, x0\n",
                offsetof(struct record, nzcv), offsetof(struct record, sp));
    write_registers(out, "ldr", "ldp");
    text_format(out, "\tldr x18, instruction\n\tbr x18\n"
                     "taken:\n\tldr x18, record\n\tstr x18, [x18, #%zu]\n\tb done\n"
                     "not_taken:\n\tldr x18, record\n\tstr xzr, [x18, #%zu]\ndone:\n",
                offsetof(struct record, taken), offsetof(struct record, taken));
    write_registers(out, "str", "stp");
    text_format(out, "\tmrs x0, nzcv\n\tstr x0, [x18, #%zu]\n\tmov x0, sp\n\tstr x0, [x18, #%zu]\n"
                     "\tadd x18, x18, #%zu\n\tadr x0, record\n\tstr x18, [x0]\n"
                     "\tldr x1, [x0, #16]\n\tsub x1, x1, #1\n\tstr x1, [x0, #16]\n"
                     "\tcbnz x1, begin\n\tb end\n"
                     "\t.balign 4096\nrecord:\t.quad 0\ninstruction:\t.quad 0\nleft:\t.quad 0\n"
                     "\t.balign 4096\ninstructions:\n",
                offsetof(struct record, nzcv), offsetof(struct record, sp), sizeof(struct record));
}

static void write_instruction(struct text *out, struct phys_insn insn, int number)
{
    const char *label = mem_format(".Ltaken_%d", number);
    for (int i = 0; i < insns[insn.insn].operand_count; i++)
        if (insns[insn.insn].op[i].kind == OP_LABEL)
            insn.op[i].name = label;
    text_add(out, "\t");
    insn_print(out, &insn);
    text_format(out, "\n\tb not_taken\n%s:\n\tb taken\n\tnop\n", label);
}

static void run_command(const char *command)
{
    ck_assert_msg(system(command) == 0, "%s", command);
}

/* Writable text (-N): the slots lie between code. */
static void build(const struct row_runner *r, const char *directory)
{
    struct text source = { 0 };
    write_server(&source);
    write_stubs(&source);
    for (int i = 0; i < r->insns.n; i++)
        write_instruction(&source, r->insns.at[i], i);
    ck_assert_int_eq(text_write_file(&source, mem_format("%s/rows.s", directory)), WRITE_DONE);
    run_command(mem_format("cd %s && aarch64-linux-gnu-as --fatal-warnings -o rows.o rows.s"
                           " && aarch64-linux-gnu-ld -N --no-warn-rwx-segments -o rows rows.o",
                           directory));
}

/* -- the process -- */

static struct shared *share(const char *path)
{
    int file = open(path, O_RDWR | O_CREAT, 0600);
    ck_assert_int_ge(file, 0);
    ck_assert_int_eq(ftruncate(file, sizeof(struct shared)), 0);
    void *at = mmap(NULL, sizeof(struct shared), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    ck_assert_ptr_ne(at, MAP_FAILED);
    close(file);
    return at;
}

static void start(struct row_runner *r, const char *directory)
{
    int to[2], from[2];
    ck_assert_int_eq(pipe(to), 0);
    ck_assert_int_eq(pipe(from), 0);
    const char *program = mem_format("%s/rows", directory), *path = mem_format("%s/shared", directory);
    r->shared = share(path);
    r->process = fork();
    ck_assert_int_ge(r->process, 0);
    if (r->process == 0) {
        dup2(to[0], 0);
        dup2(from[1], 1);
        close(to[1]);
        close(from[0]);
        execlp("qemu-aarch64", "qemu-aarch64", "-cpu", "max", program, path, (char *)NULL);
        _exit(127);
    }
    close(to[0]);
    close(from[1]);
    r->requests = to[1];
    r->answers = from[0];
}

struct row_runner *row_runner_new(const struct phys_insn *list, int n)
{
    char directory[] = "/tmp/kgen-rows-XXXXXX";
    ck_assert_ptr_nonnull(mkdtemp(directory));
    struct row_runner *r = NEW(struct row_runner);
    for (int i = 0; i < n; i++)
        vec_push(&r->insns, list[i]);
    build(r, directory);
    start(r, directory);
    signal(SIGPIPE, SIG_IGN);           /* a program that died is seen by its missing answer */
    row_runner_run(r, 0);               /* it has opened its files now */
    run_command(mem_format("rm -r %s", directory));
    return r;
}

void row_runner_run(struct row_runner *r, int n)
{
    uint64_t number = (uint64_t)n;
    char answer;
    struct text shown = { 0 };
    bool answered = write(r->requests, &number, sizeof number) == sizeof number
                 && read(r->answers, &answer, 1) == 1;
    if (!answered)
        insn_print(&shown, &r->insns.at[n]);
    ck_assert_msg(answered, "the emulator ended in '%s'", shown.at);
}

void row_runner_free(struct row_runner *r)
{
    int status;
    close(r->requests);
    close(r->answers);
    ck_assert_int_eq(waitpid(r->process, &status, 0), r->process);
    ck_assert_int_eq(status, 0);
    munmap(r->shared, sizeof *r->shared);
}
