#!/bin/sh
# styles_test.sh: outputs take the place of a perlasm script's.
#
# A build rule changes by one word: `kgen linux64 OUT.S --module M` writes what
# `gen` writes, for each platform and style, and verifies it. In a library's
# style the code is the plain one when the library asks for hardening, whatever
# its macros expand to (tests/library stands for its headers), and says so in the
# same notes. Symbols take a prefix, by the library's header or by --prefix.
set -eu
cd "$(dirname "$0")/.."

kgen=${KGEN:-build/kgen}
work=${BUILD:-build}/styles
rm -rf "$work"
mkdir -p "$work"
checks=0
fail() { echo "styles: $*" >&2; exit 1; }
passed() { checks=$((checks + 1)); }
quiet() {
    "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "failed: $*"; }
    [ ! -s "$work/said" ] || { cat "$work/said" >&2; fail "not silent: $*"; }
    passed
}

readelf=aarch64-linux-gnu-readelf
mkdir "$work/gen"
"$kgen" gen kernels.def -o "$work/gen" >/dev/null
modules=$(cd "$work/gen" && ls ./*-linux.S | sed 's|^\./||; s|-linux\.S||')
new=$(command -v clang-22 || echo clang)
compiler_of() {
    case $1 in
    linux) echo aarch64-linux-gnu-gcc ;;
    apple) echo clang -target arm64-apple-macos11 ;;
    win) echo "$new" -target aarch64-pc-windows-msvc ;;
    esac
}

# instructions OBJECT: without addresses, and without the branch target before a
# signature, which is one itself (Arm ARM C6.2.243).
instructions() {
    aarch64-linux-gnu-objdump -d --no-show-raw-insn "$1" |
        sed -n 's/^ *[0-9a-f]*:\t//p' | sed 's/[0-9a-f]* <.*//' |
        awk '/^nop/ { next }               # between functions
             { if ($0 ~ /^paciasp/ && last ~ /^bti/) last = ""
               if (last != "") print last
               last = $0 }
             END { print last }'
}

# -- the perlasm command line --

for row in linux64:linux ios64:apple win64:win; do
    for module in $modules; do
        for style in plain boringssl openssl; do
            mkdir -p "$work/$style"
            "$kgen" "${row%:*}" "$work/flat.S" kernels.def --module "$module" --style $style \
                >/dev/null || fail "${row%:*} $module"
            mv "$work/flat.S" "$work/$style/$module-${row#*:}.S"
        done
        cmp "$work/plain/$module-${row#*:}.S" "$work/gen/$module-${row#*:}.S" ||
            fail "${row%:*} is not what gen writes"
        passed
    done
done
"$kgen" gen kernels.def --style boringssl -o "$work" >/dev/null
for file in "$work"/*.S; do
    cmp "$file" "$work/boringssl/$(basename "$file")" || fail "$file: gen and its flavour differ"
    passed
done

# -- the same code --

# The directive for signed addresses on Windows is younger than clang 14.
protections_of() {
    if [ "$1" = win ] && [ "$new" = clang ]; then echo none bti
    else echo none bti standard pac-ret+b-key
    fi
}

for platform in linux apple win; do
    compiler=$(compiler_of $platform)
    for module in $modules; do
        # shellcheck disable=SC2086
        quiet $compiler -c "$work/plain/$module-$platform.S" -o "$work/plain-$platform.o"
        for style in boringssl openssl; do
            for protection in $(protections_of $platform); do
                # shellcheck disable=SC2086
                quiet $compiler -Werror -Itests/library -mbranch-protection=$protection \
                    -c "$work/$style/$module-$platform.S" -o "$work/$style-$platform.o"
                [ $platform = linux ] || continue
                $readelf -SW "$work/$style-linux.o" >"$work/sections"
                [ $style = boringssl ] || grep -q '\.note\.GNU-stack' "$work/sections" ||
                    fail "$module: no stack note in the style $style"
            done
            [ $platform = linux ] || continue
            # shellcheck disable=SC2086
            quiet $compiler -Itests/library -mbranch-protection=standard \
                -c "$work/$style/$module-linux.S" -o "$work/$style-linux.o"
            instructions "$work/plain-linux.o" >"$work/plain.list"
            instructions "$work/$style-linux.o" >"$work/$style.list"
            diff "$work/plain.list" "$work/$style.list" >&2 ||
                fail "$module: other code in the style $style"
            $readelf -n "$work/$style-linux.o" | grep -q 'BTI, PAC' ||
                fail "$module: no property note in the style $style"
            passed
        done
    done
done

# -- guards: without assembly the file is empty --

for protection in none standard; do
    quiet aarch64-linux-gnu-gcc -DOPENSSL_NO_ASM -Itests/library -mbranch-protection=$protection \
        -c "$work/boringssl/bn-armv8-linux.S" -o "$work/none.o"
    ! $readelf -sW "$work/none.o" | grep bn_ || fail 'code under OPENSSL_NO_ASM'
done

# -- prefixes --

# symbols OBJECT: the names of its global functions.
symbols() { llvm-nm --extern-only --defined-only --just-symbol-name "$1" | sort; }
aarch64-linux-gnu-gcc -c "$work/gen/bn-armv8-linux.S" -o "$work/bn.o"
plain_names=$(symbols "$work/bn.o")
[ -n "$plain_names" ] || fail 'no symbols'

mkdir "$work/prefix"
"$kgen" gen kernels.def --module bn-armv8 --prefix lib3_ -o "$work/prefix" >/dev/null
for platform in linux apple win; do
    compiler=$(compiler_of $platform)
    underscore=$([ $platform != apple ] || echo _)
    # shellcheck disable=SC2086
    quiet $compiler -c "$work/prefix/bn-armv8-$platform.S" -o "$work/prefix.o"
    for name in $plain_names; do
        symbols "$work/prefix.o" | grep -qx "${underscore}lib3_$name" || fail "no lib3_$name"
        passed
    done
    ! symbols "$work/prefix.o" | grep -v "^${underscore}lib3_" || fail 'a symbol without its prefix'
    # By BoringSSL's header, which knows bn_add_words here.
    # shellcheck disable=SC2086
    quiet $compiler -DBORINGSSL_PREFIX=mine -Itests/library \
        -c "$work/boringssl/bn-armv8-$platform.S" -o "$work/prefix.o"
    symbols "$work/prefix.o" | grep -qx "${underscore}mine_bn_add_words" ||
        fail "$platform: BORINGSSL_PREFIX changes nothing"
    passed
done
grep -q 'lib3_bn_add_words(' "$work/prefix/bn-armv8.h" || fail 'no prefix in the header'
! "$kgen" gen kernels/bn.def --prefix 3x -o "$work/prefix" 2>/dev/null ||
    fail 'a prefix that begins 3x'

echo "styles: $checks checks passed"
