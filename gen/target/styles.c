/* styles.c: what wraps a file, one row for each library that takes it.
 *
 * `plain` stands alone. `boringssl` and `openssl` include the library's own
 * header, which has the macros for branch targets and signed return addresses
 * and writes the notes that tell the linker about them.
 *
 * Hints are spelled by number in the plain style: every assembler takes them
 * without an architecture that has the feature, and every core without the
 * feature executes them as no-operation (Arm ARM C6.2.120): 25 is paciasp,
 * 27 pacibsp, 29 autiasp, 31 autibsp, 34 `bti c`.
 *
 * Windows signs with the B key: that is what its unwinder undoes when it meets
 * the code of `.seh_pac_sign_lr` (Microsoft, ARM64 exception handling). There
 * and on Apple systems return addresses are signed only in files built for it;
 * __ARM_FEATURE_PAC_DEFAULT says so (ACLE, 5.5.7).
 */
#include <assert.h>
#include <string.h>

#include "target/row.h"

#define BTI_C      "\thint\t#34                             // bti c\n"
#define PACIASP    "\thint\t#25                             // paciasp\n"
#define AUTIASP    "\thint\t#29                             // autiasp\n"
#define PACIBSP    "\thint\t#27                             // pacibsp\n"
#define AUTIBSP    "\thint\t#31                             // autibsp\n"
#define IF_PAC     "#if defined(__ARM_FEATURE_PAC_DEFAULT)\n"
#define IF_BTI     "#if defined(__ARM_FEATURE_BTI_DEFAULT)\n"
#define ELSE_BTI   "#elif defined(__ARM_FEATURE_BTI_DEFAULT)\n"
#define END        "#endif\n"
#define NEGATE     "\t.cfi_negate_ra_state\n"
#define SEH_SIGN   "\t.seh_pac_sign_lr\n"
#define SEH_NOP    "\t.seh_nop\n"

/* The B key, when the library's macros chose it (bit 1, ACLE 5.5.7). */
#define CFI_B_KEY                                                       \
    "#if defined(__ARM_FEATURE_PAC_DEFAULT) && (__ARM_FEATURE_PAC_DEFAULT & 2)\n" \
    "\t.cfi_b_key_frame\n"                                              \
    END

/* AAELF64, "Program property": type GNU_PROPERTY_AARCH64_FEATURE_1_AND
 * (0xc0000000), bits BTI (1) and PAC (2). Both notes stand outside the guard:
 * one object without them takes the protection from the whole program. */
#define ELF_STACK_NOTE                                                  \
    "#if defined(__ELF__)\n"                                            \
    "\t.section\t.note.GNU-stack,\"\",%progbits\n"                      \
    END
#define ELF_NOTES                                                       \
    "#if defined(__ELF__)\n"                                            \
    "\t.section\t.note.GNU-stack,\"\",%progbits\n"                      \
    "#if defined(__aarch64__) || defined(__AARCH64EL__)\n"              \
    "\t.section\t.note.gnu.property,\"a\"\n"                            \
    "\t.p2align\t3\n"                                                   \
    "\t.long\t4                       // bytes of the owner's name\n"   \
    "\t.long\t16                      // bytes of the property\n"       \
    "\t.long\t5                       // NT_GNU_PROPERTY_TYPE_0\n"      \
    "\t.byte\t0x47, 0x4e, 0x55, 0x00  // \"GNU\"\n"                     \
    "\t.long\t0xc0000000              // AArch64 features used by all code here\n" \
    "\t.long\t4                       // bytes of the value\n"          \
    "\t.long\t3                       // BTI and PAC\n"                 \
    "\t.long\t0                       // padding\n"                     \
    END                                                                 \
    END

/* ARM64EC code is for x86-64 to the preprocessor; here it meets a refusal. */
#define ARM64_WINDOWS                                                   \
    "(defined(__aarch64__) || defined(_M_ARM64) || defined(_M_ARM64EC)) && defined(_WIN32)"

/* The macros' names and the way the library's header expands them: signing is
 * also a branch target, and both expand to nothing when not asked for. */
#define LIBRARY_CFI                                                     \
    {                                                                   \
        .entry = "\tAARCH64_VALID_CALL_TARGET\n",                       \
        .entry_framed = "\tAARCH64_VALID_CALL_TARGET\n",                \
        .sign = "\tAARCH64_SIGN_LINK_REGISTER\n",                       \
        .sign_local = "\tAARCH64_SIGN_LINK_REGISTER\n",                 \
        .authenticate = "\tAARCH64_VALIDATE_LINK_REGISTER\n",           \
        .toggled = IF_PAC NEGATE END,                                   \
        .proc = CFI_B_KEY,                                              \
    }
#define LIBRARY_SEH_SIGN                                                \
    "\tAARCH64_SIGN_LINK_REGISTER\n" IF_PAC SEH_SIGN ELSE_BTI SEH_NOP END
#define LIBRARY_SEH                                                     \
    {                                                                   \
        .entry = "\tAARCH64_VALID_CALL_TARGET\n",                       \
        .entry_framed = "\tAARCH64_VALID_CALL_TARGET\n" IF_BTI SEH_NOP END, \
        .sign = LIBRARY_SEH_SIGN,                                       \
        .sign_local = LIBRARY_SEH_SIGN,                                 \
        .authenticate = "\tAARCH64_VALIDATE_LINK_REGISTER\n" IF_PAC SEH_SIGN END, \
        .toggled = "",                                                  \
        .proc = "",                                                     \
    }
#define LIBRARY_HARDENING                                               \
    {                                                                   \
        [FORMAT_ELF] = LIBRARY_CFI,                                     \
        [FORMAT_MACHO] = LIBRARY_CFI,                                   \
        [FORMAT_COFF] = LIBRARY_SEH,                                    \
    }

static const struct style styles[] = {
    {
        .name = "plain",
        .includes = "",
        .guard = {
            [FORMAT_ELF] = "defined(__aarch64__) && defined(__ELF__)",
            [FORMAT_MACHO] = "defined(__aarch64__) && defined(__APPLE__)",
            [FORMAT_COFF] = ARM64_WINDOWS,
        },
        .hardening = {
            [FORMAT_ELF] = {
                .entry = BTI_C,
                .entry_framed = BTI_C,
                .sign = BTI_C PACIASP,
                .sign_local = PACIASP,
                .authenticate = AUTIASP,
                .toggled = NEGATE,
                .proc = "",
            },
            [FORMAT_MACHO] = {
                .entry = BTI_C,
                .entry_framed = BTI_C,
                .sign = BTI_C IF_PAC PACIASP END,
                .sign_local = IF_PAC PACIASP END,
                .authenticate = IF_PAC AUTIASP END,
                .toggled = IF_PAC NEGATE END,
                .proc = "",
            },
            [FORMAT_COFF] = {
                .entry = BTI_C,
                .entry_framed = BTI_C SEH_NOP,
                .sign = BTI_C SEH_NOP IF_PAC PACIBSP SEH_SIGN END,
                .sign_local = IF_PAC PACIBSP SEH_SIGN END,
                .authenticate = IF_PAC AUTIBSP SEH_SIGN END,
                .toggled = "",
                .proc = "",
            },
        },
        .notes = {[FORMAT_ELF] = ELF_NOTES, [FORMAT_MACHO] = "", [FORMAT_COFF] = ""},
    },
    {
        .name = "boringssl",
        .includes = "#include <openssl/asm_base.h>\n",
        .guard = {
            [FORMAT_ELF] = "!defined(OPENSSL_NO_ASM) && defined(OPENSSL_AARCH64) && defined(__ELF__)",
            [FORMAT_MACHO] = "!defined(OPENSSL_NO_ASM) && defined(OPENSSL_AARCH64) && defined(__APPLE__)",
            [FORMAT_COFF] = "!defined(OPENSSL_NO_ASM) && defined(OPENSSL_AARCH64) && defined(_WIN32)",
        },
        .hardening = LIBRARY_HARDENING,
        /* asm_base.h writes both notes. */
        .notes = {[FORMAT_ELF] = "", [FORMAT_MACHO] = "", [FORMAT_COFF] = ""},
    },
    {
        .name = "openssl",
        .includes = "#include \"arm_arch.h\"\n",
        .guard = {
            [FORMAT_ELF] = "defined(__aarch64__) && defined(__ELF__)",
            [FORMAT_MACHO] = "defined(__aarch64__) && defined(__APPLE__)",
            [FORMAT_COFF] = ARM64_WINDOWS,
        },
        .hardening = LIBRARY_HARDENING,
        /* arm_arch.h writes the property note only. */
        .notes = {[FORMAT_ELF] = ELF_STACK_NOTE, [FORMAT_MACHO] = "", [FORMAT_COFF] = ""},
    },
};

int style_count(void)
{
    return COUNT(styles);
}

const struct style *style_at(int i)
{
    assert(i >= 0 && i < COUNT(styles));
    return &styles[i];
}

const char *style_name(const struct style *s)
{
    return s->name;
}

const struct style *style_find(const char *name)
{
    for (int i = 0; i < COUNT(styles); i++)
        if (strcmp(styles[i].name, name) == 0)
            return &styles[i];
    return NULL;
}
