#!/bin/sh
# porting_doc_test.sh: what docs/porting.md shows works.
#
# Takes its module and its makefile out of the page: the module is tested and
# verified, the makefile builds it, leaves it alone, and builds it again after a
# change of the source or of an included file. With cmake, the same with that.
set -eu
cd "$(dirname "$0")/.."

kgen=$(cd "$(dirname "${KGEN:-build/kgen}")" && pwd)/kgen
work=${BUILD:-build}/porting
page=$PWD/docs/porting.md
rm -rf "$work"
mkdir -p "$work/make" "$work/cmake"
fail() { echo "porting_doc: $*" >&2; exit 1; }

# block LANGUAGE: the one block of that language.
block() {
    awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; n++; next }
                             $0 == "```" { inside = 0 }
                             inside { print }
                             END { if (n != 1) exit 1 }' "$page" || fail "no single block of $1"
}

for way in make cmake; do
    echo 'include "bn.def";' >"$work/$way/kernels.def"
    block kgen >"$work/$way/bn.def"
done
"$kgen" test "$work/make/kernels.def" >"$work/said" || fail 'its tests fail'
grep -q '2 tests passed' "$work/said" || fail "$(cat "$work/said")"
"$kgen" verify "$work/make/kernels.def" >/dev/null || fail 'its module does not verify'

# The page's module is the product's.
"$kgen" gen "$work/make/kernels.def" -o "$work" >/dev/null
instructions() { sed -n "/^bn_add_words:/,/^	ret/p" "$1" | sed 's|//.*||'; }
instructions "$work/bn-armv8-linux.S" >"$work/page"
"$kgen" gen kernels.def --module bn-armv8 --no-verify -o "$work" >/dev/null
instructions "$work/bn-armv8-linux.S" | diff "$work/page" - >&2 || fail 'not the kernel of kernels/bn.def'

# changes BUILD…: builds, does nothing, builds again what a change touches.
changes() {
    object=$1
    shift
    "$@" >/dev/null || fail "failed: $*"
    [ -s "$object" ] || fail "no $object after: $*"
    touch -d '2001-01-01' "$work/before"
    cp -p "$object" "$work/before"
    sleep 1
    sed -i 's/unroll 8, 4, 1/unroll 2, 1/' bn.def
    "$@" >/dev/null || fail "failed after a change: $*"
    ! cmp -s "$object" "$work/before" || fail "a changed include does not reach $object"
    cp -p "$object" "$work/before"
    "$@" >/dev/null
    [ ! "$object" -nt "$work/before" ] || fail "$object was built for nothing"
}

work=$PWD/$work
block make >"$work/make/Makefile"
cd "$work/make"
changes bn-armv8.o make -s KGEN="$kgen" CC=aarch64-linux-gnu-gcc

command -v cmake >/dev/null || { echo 'porting_doc: all claims hold (without cmake)'; exit 0; }
block cmake >"$work/cmake/CMakeLists.txt"
cd "$work/cmake"
cmake -B build -DKGEN="$kgen" -DCMAKE_SYSTEM_NAME=Generic -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_ASM_COMPILER=aarch64-linux-gnu-gcc >/dev/null
changes build/libkernels.a cmake --build build
echo 'porting_doc: all claims hold'
