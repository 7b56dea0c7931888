#!/bin/sh
# field_build.sh: the objects that field_test.c runs, and the files that it reads:
# $BUILD/field/MODULE-PLATFORM.o and .S, from tests/kernels, with signed return
# addresses where an assembler knows how to describe them; and what C compilers make
# of kernels/arguments.c.
set -eu
cd "$(dirname "$0")/.."

work=${BUILD:-build}/field
rm -rf "$work"
mkdir -p "$work"
for source in field frames; do
    "${KGEN:-build/kgen}" gen "tests/kernels/$source.def" -o "$work" >/dev/null
    aarch64-linux-gnu-gcc -c "$work/$source-linux.S" -o "$work/$source-linux.o"
    clang -target arm64-apple-macos11 -mbranch-protection=standard -c "$work/$source-apple.S" \
        -o "$work/$source-apple.o"
    # The directive is younger than clang 14.
    case $(command -v clang-22 || true) in
    '') clang -target aarch64-pc-windows-msvc -c "$work/$source-win.S" -o "$work/$source-win.o" ;;
    *) clang-22 -target aarch64-pc-windows-msvc -mbranch-protection=standard \
           -c "$work/$source-win.S" -o "$work/$source-win.o" ;;
    esac
done

# compile PLATFORM COMPILER…: one function, one section, nothing outside it.
compile() {
    platform=$1
    shift
    "$@" -O1 -ffreestanding -fno-stack-protector -fno-vectorize -fno-slp-vectorize \
        -c tests/kernels/arguments.c -o "$work/arguments-$platform.o"
}
compile linux clang -target aarch64-linux-gnu
compile apple clang -target arm64-apple-macos11
compile win clang -target aarch64-pc-windows-msvc
