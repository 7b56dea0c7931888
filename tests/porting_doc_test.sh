#!/bin/sh
# porting_doc_test.sh: what docs/porting.md shows works.
#
# Takes everything out of the page: its script's assembly and its module do the same,
# each command runs, in a new directory; the makefile builds the module, leaves it
# alone, and builds it again after a change of the source or of an included file.
# With cmake, the same with that.
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

# blocks LANGUAGE: all of them.
blocks() {
    awk -v begin="\`\`\`$1" '$0 == begin { inside = 1; next }
                             $0 == "```" { inside = 0 }
                             inside { print }' "$page"
}

for way in make cmake; do
    echo 'include "bn.def";' >"$work/$way/kernels.def"
    block kgen >"$work/$way/bn.def"
done

# -- the commands, one after the other --

mkdir "$work/commands"
cp "$work/make/bn.def" "$work/commands/kernels.def"
blocks c | sed -n '/^#include/,$p' >"$work/commands/compare.c"
blocks perl | sed -n '/<<___;/,/^___/p' | sed '1d; $d; s/\$rp/x0/g; s/\$ap/x1/g; s/\$bp/x2/g; s/\$num/x3/g
    s/AARCH64_VALID_CALL_TARGET/hint #34/' >"$work/commands/old.S"
blocks sh >"$work/commands.sh"
[ "$(grep -c '^kgen' "$work/commands.sh")" = 7 ] || fail 'a command is lost'
(cd "$work/commands" && PATH=$(dirname "$kgen"):$PATH sh -eu ../commands.sh) >"$work/said" 2>&1 ||
    { cat "$work/said" >&2; fail 'a command'; }
grep -q '2 tests passed' "$work/said" || fail "its tests: $(cat "$work/said")"
cmp "$work/commands/bn-armv8.S" "$work/commands/out/bn-armv8-linux.S" || fail 'flavour and gen differ'
# It would notice a carry that is lost.
sed 's/adcs\([[:space:]]*x4\)/adds\1/' "$work/commands/old.S" >"$work/commands/lost.S"
(cd "$work/commands" && aarch64-linux-gnu-gcc -c -o old.o lost.S &&
    aarch64-linux-gnu-objcopy --redefine-sym bn_add_words=old_bn_add_words old.o &&
    aarch64-linux-gnu-gcc -static -o compare compare.c old.o new.S &&
    ! qemu-aarch64 ./compare >/dev/null) || fail 'a difference is not seen'

# The page's module is the product's.
instructions() { sed -n "/^bn_add_words:/,/^	ret/p" "$1" | sed 's|//.*||'; }
instructions "$work/commands/bn-armv8.S" >"$work/page"
"$kgen" gen kernels.def --module bn-armv8 --no-verify -o "$work" >/dev/null
instructions "$work/bn-armv8-linux.S" | diff "$work/page" - >&2 || fail 'not the kernel of kernels/bn.def'

# changes BUILD…: builds, does nothing, builds again what a change touches.
changes() {
    object=$1
    shift
    "$@" >/dev/null || fail "failed: $*"
    [ -s "$object" ] || fail "no $object after: $*"
    cp -p "$object" "$work/before"
    sleep 1
    sed -i 's/unroll 8, 4, 1/unroll 2, 1/' bn.def
    "$@" >/dev/null || fail "failed after a change: $*"
    ! cmp -s "$object" "$work/before" || fail "a changed include does not reach $object"
    cp -p "$object" "$work/before"
    "$@" >/dev/null
    [ -z "$(find "$object" -newer "$work/before")" ] || fail "$object was built for nothing"
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
