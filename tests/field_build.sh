#!/bin/sh
# field_build.sh: the objects that field_test.c runs, and the files that it reads:
# $BUILD/field/MODULE-PLATFORM.o and .S, from tests/kernels.
set -eu
cd "$(dirname "$0")/.."

work=${BUILD:-build}/field
rm -rf "$work"
mkdir -p "$work"
for source in field frames; do
    "${KGEN:-build/kgen}" gen "tests/kernels/$source.def" -o "$work" >/dev/null
    aarch64-linux-gnu-gcc -c "$work/$source-linux.S" -o "$work/$source-linux.o"
    clang -target arm64-apple-macos11 -c "$work/$source-apple.S" -o "$work/$source-apple.o"
    clang -target aarch64-pc-windows-msvc -c "$work/$source-win.S" -o "$work/$source-win.o"
done
