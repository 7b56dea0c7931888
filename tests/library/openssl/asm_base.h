/* asm_base.h: stands in tests for the header of that name in BoringSSL.
 *
 * Defines what `kgen --style boringssl` relies on: the name of the processor,
 * and three macros that expand to hints as the compiler was asked to harden,
 * with key A or B (ACLE, 5.5.7). With a prefix, names as the build makes them.
 */
#ifndef KGEN_TESTS_ASM_BASE_H
#define KGEN_TESTS_ASM_BASE_H

#define OPENSSL_AARCH64 1
#include "../arm_arch.h"

#if defined(BORINGSSL_PREFIX)
/* Without the last word, so that the name is not itself expanded again. */
#define PREFIX_PASTE(before, prefix, name) before##prefix##_##name##_words
#define PREFIX_EXPAND(before, prefix, name) PREFIX_PASTE(before, prefix, name)
#define bn_add_words PREFIX_EXPAND(, BORINGSSL_PREFIX, bn_add)
#define _bn_add_words PREFIX_EXPAND(_, BORINGSSL_PREFIX, bn_add)
#endif

#endif
