/* arm_arch.h: stands in tests for the header of that name in OpenSSL. */
#ifndef KGEN_TESTS_ARM_ARCH_H
#define KGEN_TESTS_ARM_ARCH_H

#if defined(__ARM_FEATURE_PAC_DEFAULT) && (__ARM_FEATURE_PAC_DEFAULT & 2)
#define AARCH64_SIGN_LINK_REGISTER hint #27
#define AARCH64_VALIDATE_LINK_REGISTER hint #31
#elif defined(__ARM_FEATURE_PAC_DEFAULT)
#define AARCH64_SIGN_LINK_REGISTER hint #25
#define AARCH64_VALIDATE_LINK_REGISTER hint #29
#elif defined(__ARM_FEATURE_BTI_DEFAULT)
#define AARCH64_SIGN_LINK_REGISTER hint #34
#define AARCH64_VALIDATE_LINK_REGISTER
#else
#define AARCH64_SIGN_LINK_REGISTER
#define AARCH64_VALIDATE_LINK_REGISTER
#endif

#if defined(__ARM_FEATURE_BTI_DEFAULT)
#define AARCH64_VALID_CALL_TARGET hint #34
#else
#define AARCH64_VALID_CALL_TARGET
#endif

#if defined(__ELF__) && (defined(__ARM_FEATURE_PAC_DEFAULT) || defined(__ARM_FEATURE_BTI_DEFAULT))
    .pushsection .note.gnu.property, "a"
    .p2align 3
    .long 4, 16, 5
    .byte 0x47, 0x4e, 0x55, 0
    .long 0xc0000000, 4, 3, 0
    .popsection
#endif

#endif
