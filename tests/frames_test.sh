#!/bin/sh
# frames_test.sh: every shape of frame, through every assembler.
#
# The kernels in out/ need few frames; frames.def has one of each: pairs and
# single registers of both kinds, calls, stack arrays of fixed and of variable
# size, early returns, large frames. Each file is assembled as it is and for
# signed return addresses, which change prologues and epilogues, to the same code by
# all. Newer versions of clang also refuse SEH lines that do not match the
# instructions.
set -eu
cd "$(dirname "$0")/.."
kgen=${KGEN:-build/kgen}
work=${BUILD:-build}/frames
rm -rf "$work"
mkdir -p "$work/out"

"$kgen" test tests/kernels/frames.def >/dev/null
"$kgen" gen tests/kernels/frames.def -o "$work/out" >/dev/null
for directive in save_fplr_x save_regp save_reg save_fregp save_freg stackalloc set_fp; do
    grep -q "\.seh_$directive	" "$work/out/frames-win.S" ||
        grep -q "\.seh_$directive\$" "$work/out/frames-win.S" || {
        echo "frames_test.sh: no frame needs .seh_$directive: frames.def lost a shape" >&2
        exit 1
    }
done

objdump=$(command -v llvm-objdump-22 || command -v llvm-objdump)

# assemble PLATFORM COMPILER…: silently, to the code that was made before for it.
assemble() {
    platform=$1
    shift
    "$@" -Werror -c "$work/out/frames-$platform.S" -o "$work/frames.o" >"$work/said" 2>&1 &&
        [ ! -s "$work/said" ] || { cat "$work/said" >&2; exit 1; }
    "$objdump" -s -j .text -j __text "$work/frames.o" | sed '/file format/d; /^$/d' >"$work/code"
    grep -q '^ 0000' "$work/code" || { echo "frames_test.sh: no code from $*" >&2; exit 1; }
    [ -e "$work/$platform-$protection" ] || cp "$work/code" "$work/$platform-$protection"
    cmp "$work/code" "$work/$platform-$protection" >&2 ||
        { echo "frames_test.sh: other code from $*" >&2; exit 1; }
}
for protection in none standard; do
    hardening=-mbranch-protection=$protection
    assemble linux aarch64-linux-gnu-gcc $hardening
    aarch64-linux-gnu-ld -shared -z text -z defs "$work/frames.o" -o "$work/frames.so"
    for clang in clang clang-22; do
        command -v $clang >/dev/null || continue
        assemble linux $clang --target=aarch64-linux-gnu $hardening
        assemble apple $clang --target=arm64-apple-macos11 $hardening
        # The directive for signed addresses is younger than clang 14.
        [ $clang$protection = clangstandard ] ||
            assemble win $clang --target=aarch64-windows-msvc $hardening
    done
done
