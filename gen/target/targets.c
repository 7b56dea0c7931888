/* targets.c: the platforms, one row each.
 *
 * Gives the table that the emitter reads; adding a platform is adding a row.
 * Which directive each assembler accepts was measured (docs/abi.md); three
 * facts shape the rows:
 *
 *  - `.type`, `.size` and `.hidden` exist for ELF only, `.private_extern` for
 *    Mach-O only, `.def` and `.scl` for COFF only.
 *  - `.section .rodata` would be writable on COFF: there it is `.rdata,"dr"`.
 *  - A Mach-O section must start with a symbol that is not local, and each
 *    such symbol starts an atom of its own: subroutines and tables are named
 *    by symbols without `.globl`, never by `L` labels.
 */
#include <assert.h>
#include <string.h>

#include "target/row.h"

enum {
    NEEDS_CRYPTO = 1 << FEAT_AES | 1 << FEAT_SHA2,
    NEEDS_SHA3 = 1 << FEAT_SHA512 | 1 << FEAT_SHA3,
    NEEDS_ALL = (1 << FEAT_COUNT) - 1,
};
static_assert(FEAT_COUNT == 5, "a new CPU feature needs its .arch spelling below");

/* GNU as takes `eor3` only from Armv8.2 on; `+crypto` is known to every
 * assembler, the finer `+aes` is not. */
static const struct arch_row gnu_arch[] = {
    {1 << FEAT_BASE, "\t.arch\tarmv8-a\n"},
    {1 << FEAT_BASE | NEEDS_CRYPTO, "\t.arch\tarmv8-a+crypto\n"},
    {NEEDS_ALL, "\t.arch\tarmv8.2-a+crypto+sha3\n"},
};

static const struct arch_row apple_arch[] = {
    {1 << FEAT_BASE, ""},
    {1 << FEAT_BASE | NEEDS_CRYPTO, "\t.arch_extension\tcrypto\n"},
    {1 << FEAT_BASE | NEEDS_SHA3, "\t.arch_extension\tsha3\n"},
    {NEEDS_ALL, "\t.arch_extension\tcrypto\n\t.arch_extension\tsha3\n"},
};

static const struct target targets[] = {
    {
        .name = "linux",
        .title = "Linux and other ELF systems",
        .file_suffix = "linux",
        .flavour = "linux64",
        .format = FORMAT_ELF,
        .symbol = "",
        .label = ".L",
        .arch = gnu_arch,
        .text = "\t.text\n",
        .exported = "\t.globl\t$\n"
                    "\t.hidden\t$\n"
                    "\t.type\t$, %function\n",
        .local = "\t.type\t$, %function\n",
        .function_end = "\t.size\t$, .-$\n",
        .rodata = "\t.section\t.rodata\n",
        .table = "\t.type\t$, %object\n",
        .table_end = "\t.size\t$, .-$\n",
        .page = "$",
        .page_offset = ":lo12:$",
        .file_end = "",
        .unwind = &describe_dwarf,
    },
    {
        .name = "apple",
        .title = "Apple systems",
        .file_suffix = "apple",
        .flavour = "ios64",
        .format = FORMAT_MACHO,
        .symbol = "_",
        .label = "L",
        .arch = apple_arch,
        .text = "\t.text\n",
        .exported = "\t.globl\t$\n"
                    "\t.private_extern\t$\n",
        .local = "",
        .function_end = "",
        .rodata = "\t.section\t__TEXT,__const\n",
        .table = "",
        .table_end = "",
        .page = "$@PAGE",
        .page_offset = "$@PAGEOFF",
        .packs_arguments = true,
        .file_end = "\t.subsections_via_symbols\n",
        .unwind = &describe_dwarf,
    },
    {
        .name = "windows",
        .title = "Windows",
        .file_suffix = "win",
        .flavour = "win64",
        .format = FORMAT_COFF,
        .symbol = "",
        .label = ".L",
        .arch = gnu_arch,
        .text = "\t.text\n",
        /* Storage classes 2 (external) and 3 (static), type 32 (a function):
         * PE format, "COFF Symbol Table". */
        .exported = "\t.globl\t$\n"
                    "\t.def\t$\n"
                    "\t.scl\t2\n"
                    "\t.type\t32\n"
                    "\t.endef\n",
        .local = "\t.def\t$\n"
                 "\t.scl\t3\n"
                 "\t.type\t32\n"
                 "\t.endef\n",
        .function_end = "",
        .rodata = "\t.section\t.rdata,\"dr\"\n",
        .table = "\t.def\t$\n"
                 "\t.scl\t3\n"
                 "\t.type\t0\n"
                 "\t.endef\n",
        .table_end = "",
        .page = "$",
        .page_offset = ":lo12:$",
        .probes_stack = true,
        .file_end = "",
        .unwind = &describe_seh,
    },
};

int target_count(void)
{
    return COUNT(targets);
}

const struct target *target_at(int i)
{
    assert(i >= 0 && i < COUNT(targets));
    return &targets[i];
}

const struct target *target_find(const char *name)
{
    for (int i = 0; i < COUNT(targets); i++)
        if (strcmp(targets[i].name, name) == 0)
            return &targets[i];
    return NULL;
}

const struct target *target_of_flavour(const char *flavour)
{
    for (int i = 0; i < COUNT(targets); i++)
        if (strcmp(targets[i].flavour, flavour) == 0)
            return &targets[i];
    return NULL;
}

const char *target_name(const struct target *t)
{
    return t->name;
}

bool target_packs_arguments(const struct target *t)
{
    return t->packs_arguments;
}
