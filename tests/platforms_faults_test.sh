#!/bin/sh
# platforms_faults_test.sh: platforms_test.sh refuses what it must refuse.
#
# Each row changes one line of one emitted file, and names the complaint that
# must come of it. A check that lets such a file pass would be no check.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-out}
work=${BUILD:-build}/platforms_faults
found=0

# refuses FILE SED-SCRIPT COMPLAINT
refuses() {
    platform=${1##*-}
    platform=${platform%.S}
    module=${1%-*}
    rm -rf "$work"
    mkdir -p "$work/out"
    cp "$out/$module-$platform.S" "$out/$module.h" "$work/out/"
    sed "$2" "$out/$1" >"$work/out/$1"
    ! cmp -s "$work/out/$1" "$out/$1" ||
        { echo "platforms_faults: '$2' changes nothing in $1" >&2; exit 1; }
    ! PLATFORMS=$platform OUT=$work/out BUILD=$work tests/platforms_test.sh >"$work/log" 2>&1 ||
        { echo "platforms_faults: $1 passed after '$2'" >&2; exit 1; }
    grep -q "$3" "$work/log" ||
        { cat "$work/log" >&2; echo "platforms_faults: no '$3' after '$2' in $1" >&2; exit 1; }
    found=$((found + 1))
}

# ELF
refuses bn-armv8-linux.S '/\.hidden\tbn_add_words/d' 'not hidden'
refuses bn-armv8-linux.S '/\.type\tbn_add_words/d' 'a label is a symbol'
refuses bn-armv8-linux.S '/\.size\tbn_add_words/d' 'bn_add_words:'
refuses bn-armv8-linux.S '/GNU-stack/d' 'GNU-stack'
refuses bn-armv8-linux.S 's/\.long\t3  /.long\t2  /' 'no BTI property'
refuses bn-armv8-linux.S 's/^\tret$/\tmov\tx18, x1\n\tret/' 'x18'
refuses bn-armv8-linux.S 's/^\tret$/\tret\n\t.long\t0x12345678/' 'data among the instructions'
refuses bn-armv8-linux.S 's/^\tret$/\tb\telsewhere/' 'an undefined symbol'
refuses bn-armv8-linux.S '0,/^\tret$/s//visible:\n\tret/' 'a label is a symbol'
refuses bn-armv8-linux.S 's/^\tret$/\tsxtw\tx0, x2\n\tret/' 'failed: aarch64-linux-gnu-gcc'
refuses bn-armv8-linux.S 's/^\tret$/\tnop; ret/' 'two statements'
refuses bn-armv8-linux.S '/^#if defined(__aarch64__) &&/d; /^#endif  /d' 'although the guard is false'
refuses bn-armv8-linux.S '/^#endif  /d; $a #endif' 'GNU-stack when the guard is false'
refuses vpaes-armv8-linux.S 's/\.section\t\.rodata/.data/' 'something in .data'
refuses vpaes-armv8-linux.S 's/\.section\t\.rodata/.text/' 'data among the instructions'
refuses vpaes-armv8-linux.S 's/adrp\t\(x[0-9]*\),/ldr\t\1,/' 'R_AARCH64_LD_PREL_LO19'
refuses bn-armv8-linux.S 's/__AARCH64EB__/__NOBODY__/' 'accepted: .*big-endian'
refuses bn-armv8-linux.S 's/__ILP32__/__NOBODY__/' 'accepted: .*ilp32'

# Mach-O
refuses bn-armv8-apple.S '/\.private_extern\t_bn_sub_words/d' 'not hidden'
refuses bn-armv8-apple.S '/\.subsections_via_symbols/d' 'may not strip'
refuses bn-armv8-apple.S '0,/^\tret$/s//visible:\n\tret/' 'a label is a symbol'
refuses vpaes-armv8-apple.S 's/\.section\t__TEXT,__const/.data/' ': section'
refuses bn-armv8-apple.S 's/__ILP32__/__NOBODY__/' 'accepted: .*arm64_32'

# COFF
refuses bn-armv8-win.S 's/\.type\t32/.type\t0/' 'a label is a symbol'
refuses bn-armv8-win.S 's/\.scl\t2/.scl\t3/' 'bn_add_words:'
refuses vpaes-armv8-win.S 's/\.section\t\.rdata,"dr"/.section\t.rodata/' ': section'
refuses vpaes-armv8-win.S 's/\.section\t\.rdata,"dr"/.data/' ': section'
if command -v clang-22 >/dev/null; then
    refuses bn-armv8-win.S '0,/ || defined(_M_ARM64EC))/s//)/' 'accepted: .*arm64ec'
fi

echo "platforms_faults: $found checks passed"
