#!/bin/sh
# unwind_build.sh: the objects that unwind_test.c steps through.
#
# tests/kernels/frames.def in each way in which an assembler may be told to harden
# it, and every module of the product in those that differ in code, in each style,
# and ordered for a core whose loops overlap their iterations (code/modulo.c):
# $BUILD/unwind/VARIANT/MODULE.o. What the newer clang is needed for is left out
# where there is none. `broken` has copies of one file with a line of its unwind
# description dropped.
set -eu
cd "$(dirname "$0")/.."

work=${BUILD:-build}/unwind
kgen=${KGEN:-build/kgen}
# What unwind_test.c wrote before: random/N.def.
find "$work" -mindepth 1 -maxdepth 1 ! -name random -exec rm -rf {} +
have_new=$(command -v clang-22 || true)

elf='-target aarch64-linux-gnu'
macho='-target arm64-apple-macos11'
coff='-target aarch64-pc-windows-msvc'

# generate SOURCE DIRECTORY OPTIONS…: frames_test.sh and `make` verify them.
generate() {
    source=$1 directory=$2
    shift 2
    mkdir -p "$work/$directory"
    "$kgen" gen "$source" --no-verify -o "$work/$directory" "$@" >/dev/null
}

# variant NAME STYLE PLATFORM COMPILER…: frames of one platform.
variant() {
    name=$1 style=$2 platform=$3
    shift 3
    mkdir -p "$work/$name"
    "$@" -Itests/library -c "$work/$style/frames-$platform.S" -o "$work/$name/frames.o"
    echo "$name" >>"$work/variants"
}

# product NAME DIRECTORY PLATFORM COMPILER…: every module, as generated there.
product() {
    name=$1 directory=$2 platform=$3
    shift 3
    mkdir -p "$work/$name"
    for file in "$work/product/$directory"/*-"$platform".S; do
        "$@" -Itests/library -c "$file" -o "$work/$name/$(basename "$file" "-$platform.S").o"
    done
    echo "$name" >>"$work/variants"
}

# broken NAME PLATFORM SED-SCRIPT COMPILER…: `frames` with its unwind lines changed.
broken() {
    name=$1 platform=$2 script=$3
    shift 3
    mkdir -p "$work/broken"
    sed "$script" "$work/plain/frames-$platform.S" >"$work/broken/$name.S"
    ! cmp -s "$work/broken/$name.S" "$work/plain/frames-$platform.S" ||
        { echo "unwind_build: '$script' changes nothing" >&2; exit 1; }
    "$@" -c "$work/broken/$name.S" -o "$work/broken/$name.o"
    echo "$name" >>"$work/broken/list"
}

generate kernels.def product/a53 --tune cortex-a53
for style in plain boringssl openssl; do
    generate kernels.def product/$style --style $style
    generate tests/kernels/frames.def $style --style $style
done

# shellcheck disable=SC2086
{
    variant elf plain linux aarch64-linux-gnu-gcc
    variant elf-clang plain linux clang $elf
    variant macho plain apple clang $macho
    variant macho-pac plain apple clang $macho -mbranch-protection=standard
    variant coff plain win clang $coff
    variant elf-library boringssl linux aarch64-linux-gnu-gcc
    variant elf-library-pac boringssl linux aarch64-linux-gnu-gcc -mbranch-protection=standard
    variant elf-library-bti openssl linux aarch64-linux-gnu-gcc -mbranch-protection=bti
    variant elf-library-key-b openssl linux aarch64-linux-gnu-gcc \
        -mbranch-protection=pac-ret+b-key
    variant macho-library openssl apple clang $macho
    variant macho-library-pac boringssl apple clang $macho -mbranch-protection=standard
    variant coff-library boringssl win clang $coff
    variant coff-library-bti openssl win clang $coff -mbranch-protection=bti
    product elf-product plain linux aarch64-linux-gnu-gcc
    product macho-product plain apple clang $macho
    product macho-product-pac plain apple clang $macho -mbranch-protection=standard
    product coff-product plain win clang $coff
    product elf-product-library boringssl linux clang $elf -mbranch-protection=pac-ret+b-key
    product macho-product-library openssl apple clang $macho -mbranch-protection=standard
    product coff-product-library openssl win clang $coff -mbranch-protection=bti
    product elf-product-a53 a53 linux aarch64-linux-gnu-gcc
    product macho-product-a53 a53 apple clang $macho -mbranch-protection=standard
    product coff-product-a53 a53 win clang $coff
    if [ -n "$have_new" ]; then
        variant elf-new plain linux clang-22 $elf
        variant macho-new plain apple clang-22 $macho
        variant coff-new plain win clang-22 $coff
        variant coff-pac plain win clang-22 $coff -mbranch-protection=standard
        variant coff-library-pac boringssl win clang-22 $coff -mbranch-protection=pac-ret+b-key
        product coff-product-pac boringssl win clang-22 $coff -mbranch-protection=pac-ret+b-key
        product macho-product-new boringssl apple clang-22 $macho -mbranch-protection=standard
    fi
}

# Random programs, in every style and order, each platform's in one object.
number=0
for file in "$work"/random/*.def; do
    number=$((number + 1))
    style=$(echo plain boringssl openssl | cut -d' ' -f$((number % 3 + 1)))
    core=$(echo generic cortex-a53 apple-m1 neoverse-v2 | cut -d' ' -f$((number % 4 + 1)))
    "$kgen" gen "$file" --no-verify --style "$style" --tune "$core" -o "$work/random" \
        >/dev/null 2>&1 || continue             # too few registers
    basename "$file" >>"$work/random/modules"
done
for platform in linux apple win; do
    cat "$work"/random/*-$platform.S >"$work/random/$platform.S"
done
# shellcheck disable=SC2086
{
    aarch64-linux-gnu-gcc -Itests/library -mbranch-protection=standard -c "$work/random/linux.S" \
        -o "$work/random/linux.o"
    clang $macho -Itests/library -mbranch-protection=standard -c "$work/random/apple.S" \
        -o "$work/random/apple.o"
    ${have_new:-clang} $coff -Itests/library ${have_new:+-mbranch-protection=standard} \
        -c "$work/random/win.S" -o "$work/random/win.o"
}
printf '%s\n' linux.o apple.o win.o >"$work/random/objects"

# What the decoder of compact unwind must read.
# shellcheck disable=SC2086
for clang in clang ${have_new:+clang-22}; do
    $clang $macho -c tests/harness/compact.S -o "$work/compact-$clang.o"
    echo "compact-$clang.o" >>"$work/compact"
done

# dropped FUNCTION PATTERN NAME: the first such line from that function on is
# dropped, for $format on $platform with $compiler.
dropped() {
    # shellcheck disable=SC2086
    broken "$format-$3" "$platform" "/$1:/,/$2/{/$2/d}" $compiler
}

first=frames_leaf
for format in elf macho; do
    case $format in
    elf) platform=linux compiler=aarch64-linux-gnu-gcc ;;
    macho) platform=apple compiler="clang $macho -mbranch-protection=standard" ;;
    esac
    dropped $first 'cfi_def_cfa_offset' cfa
    dropped $first 'cfi_def_cfa_offset\t0$' cfa-end
    dropped $first 'cfi_def_cfa\tx29' cfa-x29
    dropped $first 'cfi_def_cfa\tsp' cfa-sp
    dropped $first 'cfi_offset\tx19' x19
    dropped $first 'cfi_offset\tx25' x25
    # What a subroutine forgets, its caller may restore.
    dropped frames_call 'cfi_offset\tx29' x29
    dropped frames_call 'cfi_offset\tx30' x30
    dropped frames_call 'cfi_restore\tx30' x30-end
    dropped $first 'cfi_offset\td8' d8
    dropped $first 'cfi_offset\td11' d11
    dropped $first 'cfi_restore\tx19' x19-end
    dropped $first 'cfi_restore\td8' d8-end
    dropped $first 'cfi_negate_ra_state' signed
done
compiler="clang $macho"
dropped frames_stack 'cfi_same_value' compact

format=coff platform=win compiler="clang $coff"
dropped $first 'seh_nop' nop
dropped $first 'seh_save_regp_x' x19
dropped $first 'seh_save_regp\tx21' x21
dropped $first 'seh_save_reg\t' reg
dropped $first 'seh_save_fplr_x' x29
dropped frames_variable 'seh_set_fp' x29-set
dropped $first 'seh_save_fregp_x\td8' d8
dropped $first 'seh_save_fregp\td10' d10
dropped $first 'seh_save_freg\t' freg
dropped $first 'seh_stackalloc' alloc
# shellcheck disable=SC2086
{
    broken coff-offset win '0,/seh_save_regp\tx21, 16/s//seh_save_regp\tx21, 32/' $compiler
    broken coff-epilogue win '/seh_startepilogue/{n;n;d}' $compiler
    # The newer one refuses a prologue with a line too few.
    [ -z "$have_new" ] || broken coff-signed win '0,/seh_pac_sign_lr/s//seh_nop/' clang-22 $coff \
        -mbranch-protection=standard
}
