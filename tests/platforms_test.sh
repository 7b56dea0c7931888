#!/bin/sh
# platforms_test.sh: what assemblers and linkers make of every emitted file.
#
# Every out/*.S goes through GNU as and clang (ELF) or clang (Mach-O, COFF), in
# each version that this machine has, without a word on stderr. The objects are
# read back: sections and their rights, symbols and their visibility, the
# relocations, the instructions. Then they are linked as a shared library, a
# dylib and a DLL. Then the same for the order of each core. FIELD notes of
# docs/abi.md say what each check is for.
set -eu
cd "$(dirname "$0")/.."

# Another directory, or fewer platforms: for platforms_faults_test.sh.
out=${OUT:-out}
platforms=${PLATFORMS:-linux apple win}
work=${BUILD:-build}/platforms
rm -rf "$work"
mkdir -p "$work"

checks=0
fail() {
    echo "platforms: $*" >&2
    exit 1
}
passed() { checks=$((checks + 1)); }

# Debian 12 calls its version 14 without the number, but not for every tool.
all_versions() {
    if command -v "$1" >/dev/null; then echo "$1"
    elif command -v "$1-14" >/dev/null; then echo "$1-14"
    fi
    if command -v "$1-22" >/dev/null; then echo "$1-22"; fi
}
# The newest llvm here reads objects; all versions assemble and link.
newest() {
    all_versions "$1" | tail -n 1
}
readobj=$(newest llvm-readobj)
readelf=$(newest llvm-readelf)
objdump=$(newest llvm-objdump)

# -- assembling --

triple_of() {
    case $1 in
    linux) echo aarch64-linux-gnu ;;
    apple) echo arm64-apple-macos11 ;;
    win) echo aarch64-pc-windows-msvc ;;
    esac
}
files_of() { ls "$out"/*-"$1".S; }

# quiet COMMAND…: it must succeed without a word.
quiet() {
    "$@" >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "failed: $*"; }
    [ ! -s "$work/said" ] || { cat "$work/said" >&2; fail "not silent: $*"; }
    passed
}

gnu_as() { quiet aarch64-linux-gnu-gcc -Werror -Wa,--fatal-warnings -c "$@"; }

# assemble PLATFORM FILE [DIRECTORY]: objects NAME.gnu.o, NAME.clang.o, NAME.clang-22.o.
assemble() {
    base=${3:-$work}/$(basename "$2" .S)
    [ "$1" != linux ] || gnu_as "$2" -o "$base.gnu.o"
    for clang in $(all_versions clang); do
        quiet "$clang" -target "$(triple_of "$1")" -Werror -Wa,--fatal-warnings -c "$2" \
            -o "$base.$clang.o"
    done
}

# The bytes of the code, which every assembler must agree on.
code_of() { "$objdump" -s -j .text -j __text "$1" | sed '/file format/d; /^$/d'; }
same_text() {
    first=
    for object in "$@"; do
        code_of "$object" >"$object.text"
        [ "$(wc -l <"$object.text")" -gt 1 ] || fail "$object: no code"
        [ -z "$first" ] || cmp "$first" "$object.text" || fail "$object: other code than $first"
        first=$object.text
    done
    passed
}

# -- what the module says --

# Names of the exports of a module.
exports_of() {          # variants among them: what the header declares
    sed -nE 's/^(void|int|unsigned|uint64_t|size_t) ([a-z0-9_]+)\(.*/\2/p' "out/$1.h"
}
# … and of all functions that have a symbol, with "|" between them.
functions_of() {
    {
        exports_of "$1"
        grep -l "^module \"$1\";" kernels/*.def |
            xargs sed -nE "s/^local fn ([a-z0-9_]*).*/$(echo "$1" | tr - _)_\1/p"
    } | paste -sd '|' -
}
module_of() { basename "$1" | sed 's/-[a-z]*\.S$//; s/-[a-z]*\.[a-z0-9-]*\.o$//'; }
has_tables() { grep -l "^module \"$1\";" kernels/*.def | xargs grep -q '^table '; }

# one LINES MESSAGE: exactly one line.
one() {
    [ "$(printf '%s\n' "$1" | grep -c .)" = 1 ] || fail "$2: '$1'"
    passed
}

# -- instructions, in any format --

check_instructions() {
    "$objdump" -d --no-show-raw-insn "$1" >"$1.list"
    ! grep -E '<unknown>|\.(word|long|inst)|udf' "$1.list" || fail "$1: data among the instructions"
    ! grep -E '[^0-9a-z][xw]18([^0-9]|$)' "$1.list" || fail "$1: x18"
    passed
}

check_source() {
    ! sed 's|//.*||' "$1" | grep -E '(^|[^0-9a-z])[xw]18([^0-9]|$)' || fail "$1: x18"
    ! sed 's|//.*||' "$1" | grep ';' || fail "$1: two statements on a line"
    ! grep -E '^[ \t]*#' "$1" |
        grep -vE '^#(if|ifdef|ifndef|elif|else|endif|include|define|undef|error)' ||
        fail "$1: a line that the preprocessor would take"
    passed
}

# -- ELF --

elf_sections() {        # "NAME TYPE SIZE FLAGS" a line; no flags: "-"
    "$readelf" -S -W "$1" | sed -n 's/^ *\[ *[0-9]*\] \(\..*\)$/\1/p' |
        awk '{ print $1, $2, $5, ($7 ~ /^[A-Z]/ ? $7 : "-") }'
}

check_elf_sections() {
    elf_sections "$1" >"$1.sections"
    while read -r name type size flags; do
        case $name:$flags in
        .text:AX | .rodata:A | .eh_frame:A | .note.gnu.property:A | .note.GNU-stack:-) ;;
        .data:WA | .bss:WA) [ "$size" = 000000 ] || fail "$1: something in $name" ;;
        .rela.*) ;;
        *) case $type in
           SYMTAB | STRTAB | LLVM_ADDRSIG | NULL) ;;
           *) fail "$1: section $name $type $flags" ;;
           esac ;;
        esac
    done <"$1.sections"
    for note in .note.GNU-stack .note.gnu.property .text; do
        grep -q "^$note " "$1.sections" || fail "$1: no $note"
    done
    passed
}

# Branch targets and return addresses (ELF for the Arm 64-bit architecture,
# GNU_PROPERTY_AARCH64_FEATURE_1_AND).
check_elf_property() {
    "$readelf" -n "$1" 2>/dev/null | grep -q 'aarch64 feature: BTI, PAC' ||
        fail "$1: no BTI property"
    passed
}

# A pattern for the functions that only the module calls.
subroutines_of() { printf '%s_[a-z0-9_]+' "$(echo "$1" | tr - _)"; }

elf_symbols() {         # "TYPE BIND VISIBILITY SECTION SIZE NAME" a line
    "$readelf" -s -W "$1" | awk '$1 ~ /^[0-9]+:$/ { print $4, $5, $6, $7, $3, $8 }'
}

check_elf_symbols() {
    elf_symbols "$1" >"$1.symbols"
    ! grep ' UND [0-9]* .' "$1.symbols" || fail "$1: an undefined symbol"
    ! grep -E '^NOTYPE .* [^ ]+$' "$1.symbols" | grep -vE ' (\$[xd](\.[0-9]+)?|[0-9]+)$' ||
        fail "$1: a label is a symbol"
    ! grep ' GLOBAL ' "$1.symbols" | grep -v ' HIDDEN ' || fail "$1: a symbol that is not hidden"
    for function in $(exports_of "$(module_of "$1")"); do
        one "$(grep -E "^FUNC GLOBAL HIDDEN [0-9]+ [1-9][0-9]* $function\$" "$1.symbols")" \
            "$1: $function"
    done
    if has_tables "$(module_of "$1")"; then
        one "$(grep -E '^OBJECT (LOCAL DEFAULT|GLOBAL HIDDEN) [0-9]+ [1-9][0-9]* ' "$1.symbols")" \
            "$1: tables"
    fi
    passed
}

check_elf_relocations() {
    "$readelf" -r -W "$1" | awk '
        /^Relocation section/ { section = $3; gsub(/\047/, "", section) }
        $3 ~ /^R_/ { print section, $3 }' | sort -u >"$1.relocations"
    while read -r section kind; do
        case $section:$kind in
        .rela.text:R_AARCH64_ADR_PREL_PG_HI21 | .rela.text:R_AARCH64_ADD_ABS_LO12_NC) ;;
        .rela.eh_frame:R_AARCH64_PREL32) ;;
        *) fail "$1: $kind in $section" ;;
        esac
    done <"$1.relocations"
    passed
}

check_elf() {
    check_instructions "$1"
    check_elf_sections "$1"
    check_elf_property "$1"
    check_elf_symbols "$1"
    check_elf_relocations "$1"
}

# When its guard is false a file is empty, but must still say that it needs no
# executable stack and, on this processor, that all its code can be hardened.
check_false_guard() {
    gnu_as -U__aarch64__ "$1" -o "$work/guard.o"
    elf_sections "$work/guard.o" >"$work/guard.sections"
    grep -q '^.note.GNU-stack ' "$work/guard.sections" ||
        fail "$1: no .note.GNU-stack when the guard is false"
    check_elf_property "$work/guard.o"
    grep -q '^.text PROGBITS 000000 ' "$work/guard.sections" ||
        fail "$1: code although the guard is false"
    passed
}

# Where its code would be wrong a file says so: big-endian, pointers of 32 bits, and
# ARM64EC, which clang 14 does not know.
refused_for() {         # REASON COMPILER…
    reason=$1
    shift
    ! "$@" -E -o "$work/refused" >"$work/said" 2>&1 || fail "accepted: $*"
    grep -q "error.*$reason" "$work/said" || { cat "$work/said" >&2; fail "not refused: $*"; }
    passed
}
check_refusals() {      # PLATFORM FILE
    case $1 in
    linux)
        refused_for little-endian aarch64-linux-gnu-gcc -mbig-endian "$2"
        refused_for '64 bits' aarch64-linux-gnu-gcc -mabi=ilp32 "$2" ;;
    apple)
        refused_for '64 bits' clang -target arm64_32-apple-watchos "$2" ;;
    win)
        [ "$(newest clang)" = clang ] ||
            refused_for ARM64EC "$(newest clang)" -target arm64ec-pc-windows-msvc "$2" ;;
    esac
}

# -- Mach-O and COFF: llvm-readobj's blocks as lines --

# blocks OBJECT OPTION NAME: one line for each `NAME {…}`, its lines joined by "|".
blocks() {
    "$readobj" "$2" "$1" | awk -v name="$3" '
        $1 == name && $2 == "{" { inside = 1; line = ""; next }
        inside && /^  }$/ { print line; inside = 0; next }
        inside { sub(/^ +/, ""); line = line "|" $0 }
        END { if (inside) exit 1 }'
}

check_macho_sections() {
    blocks "$1" --sections Section >"$1.sections"
    while IFS= read -r section; do
        case $section in
        *'|Name: __text ('*'|Segment: __TEXT ('*) ;;
        *'|Name: __const ('*'|Segment: __TEXT ('*) ;;
        *'|Name: __compact_unwind ('* | *'|Name: __eh_frame ('*) ;;
        *) fail "$1: section $section" ;;
        esac
    done <"$1.sections"
    one "$(grep '|Name: __text (.*PureInstructions' "$1.sections")" "$1: __text"
    "$readobj" --file-headers "$1" | grep -q MH_SUBSECTIONS_VIA_SYMBOLS ||
        fail "$1: the linker may not strip its dead code"
    passed
}

check_macho_symbols() {
    blocks "$1" --symbols Symbol >"$1.symbols"
    functions=$(functions_of "$(module_of "$1")")
    subroutine=$(subroutines_of "$(module_of "$1")")
    ! grep '|Section: __text ' "$1.symbols" |
        grep -vE "\|Name: (ltmp[0-9]+|_($functions|$subroutine)) \(" ||
        fail "$1: a label is a symbol"
    ! grep -v '|Type: Section' "$1.symbols" || fail "$1: an undefined symbol"
    ! grep '|Extern' "$1.symbols" | grep -v '|PrivateExtern' ||
        fail "$1: a symbol that is not hidden"
    for function in $(exports_of "$(module_of "$1")"); do
        one "$(grep "|Name: _$function (.*|PrivateExtern|Extern|.*|Section: __text " \
            "$1.symbols")" "$1: $function"
    done
    passed
}

check_macho() {
    check_instructions "$1"
    check_macho_sections "$1"
    check_macho_symbols "$1"
    # Calls between the module's own functions stay relocations: each is an atom.
    ! "$readobj" --relocations "$1" |
        awk '/Section __text/ { on = 1 } /}/ { on = 0 } on && /ARM64_/' |
        grep -v -E "ARM64_RELOC_(PAGE(21|OFF12) |BRANCH26 0 _$(subroutines_of "$(module_of "$1")")\$)" || fail "$1: relocations"
    passed
}

check_coff_sections() {
    blocks "$1" --sections Section >"$1.sections"
    while IFS= read -r section; do
        case $section in
        *'|Name: .text ('*MEM_WRITE*) fail "$1: code that can be written" ;;
        *'|Name: .text ('*CNT_CODE*MEM_EXECUTE*) ;;
        *'|Name: .rdata ('*MEM_WRITE*) fail "$1: tables that can be written" ;;
        *'|Name: .rdata ('*MEM_EXECUTE*) fail "$1: tables that can be run" ;;
        *'|Name: .rdata ('*MEM_READ*) ;;
        *'|Name: .data ('*'|RawDataSize: 0|'* | *'|Name: .bss ('*'|RawDataSize: 0|'*) ;;
        *'|Name: .pdata ('* | *'|Name: .xdata ('* | *'|Name: .llvm_addrsig ('*) ;;
        *) fail "$1: section $section" ;;
        esac
    done <"$1.sections"
    passed
}

check_coff_symbols() {
    blocks "$1" --symbols Symbol >"$1.symbols"
    ! grep '|Section: .text ' "$1.symbols" | grep -vE '\|ComplexType: Function |\|Name: .text\|' ||
        fail "$1: a label is a symbol"
    ! grep 'Section: IMAGE_SYM_UNDEFINED' "$1.symbols" || fail "$1: an undefined symbol"
    external='|Section: .text .*|ComplexType: Function .*|StorageClass: External '
    for function in $(exports_of "$(module_of "$1")"); do
        one "$(grep "|Name: $function|.*$external" "$1.symbols")" "$1: $function"
    done
    passed
}

check_coff() {
    check_instructions "$1"
    check_coff_sections "$1"
    check_coff_symbols "$1"
    ! "$readobj" --relocations "$1" |
        awk '/) \.text {/ { on = 1 } /}/ { on = 0 } on && /IMAGE_/' |
        grep -v -E "PAGEBASE_REL21|PAGEOFFSET_12A|BRANCH26 $(subroutines_of "$(module_of "$1")") " ||
        fail "$1: relocations"
    passed
}

# -- linking --

# A library that refers to every export, so that the linker must keep them.
reference() {           # PLATFORM SECTION PREFIX
    printf '%s\n.globl %s\n.p2align 3\n%s:\n' "$2" "$3kept" "$3kept"
    for file in $(files_of "$1"); do
        for function in $(exports_of "$(module_of "$file")"); do echo ".quad $3$function"; done
    done
}

link_elf() {            # OBJECT…
    for linker in aarch64-linux-gnu-ld $(all_versions ld.lld); do
        quiet "$linker" -shared -z text -z force-bti --fatal-warnings -o "$work/all.so" "$@"
        ! "$readelf" -d "$work/all.so" | grep TEXTREL || fail "$linker: text relocations"
        ! "$readelf" --dyn-syms -W "$work/all.so" | grep -E '(FUNC|OBJECT|NOTYPE) +GLOBAL' ||
            fail "$linker: exported symbols"
        check_elf_property "$work/all.so"
        passed
    done
}

link_macho() {
    reference apple '.section __DATA,__data' _ >"$work/reference-apple.s"
    clang -target "$(triple_of apple)" -c "$work/reference-apple.s" -o "$work/reference-apple.o"
    for linker in $(all_versions ld64.lld); do
        quiet "$linker" -arch arm64 -platform_version macos 11.0 11.0 -dylib -dead_strip \
            -o "$work/all.dylib" "$work"/*-apple.clang.o "$work/reference-apple.o"
        "$readobj" --symbols "$work/all.dylib" >"$work/all.dylib.symbols"
        for file in $(files_of apple); do
            for function in $(exports_of "$(module_of "$file")"); do
                grep -q "Name: _$function " "$work/all.dylib.symbols" ||
                    fail "$linker: $function is gone"
            done
        done
        passed
    done
}

# Of what nothing refers to, nothing stays; what stays has its subroutines and tables.
strip_macho() {
    printf '.section __DATA,__data\n.globl _kept\n_kept:\n.quad _vpaes_encrypt\n' \
        >"$work/strip-apple.s"
    clang -target "$(triple_of apple)" -c "$work/strip-apple.s" -o "$work/strip-apple.o"
    for linker in $(all_versions ld64.lld); do
        quiet "$linker" -arch arm64 -platform_version macos 11.0 11.0 -dylib -dead_strip \
            -o "$work/strip.dylib" "$work"/*-apple.clang.o "$work/strip-apple.o"
        "$readobj" --symbols "$work/strip.dylib" >"$work/strip.dylib.symbols"
        grep -q 'Name: _vpaes_encrypt ' "$work/strip.dylib.symbols" ||
            fail "$linker: _vpaes_encrypt is gone"
        grep -q 'Name: _vpaes_armv8_tables ' "$work/strip.dylib.symbols" ||
            fail "$linker: the tables of _vpaes_encrypt are gone"
        ! grep 'Name: _bn_' "$work/strip.dylib.symbols" || fail "$linker: dead code stays"
        passed
    done
}

link_coff() {
    reference win .data '' >"$work/reference-win.s"
    clang -target "$(triple_of win)" -c "$work/reference-win.s" -o "$work/reference-win.o"
    for linker in $(all_versions lld-link); do
        quiet "$linker" /dll /noentry /nologo /machine:arm64 /wx /include:kept /nodefaultlib \
            "/out:$work/all.dll" "$work"/*-win.clang.o "$work/reference-win.o"
        blocks "$work/all.dll" --sections Section >"$work/all.dll.sections"
        for section in .rdata .text; do
            one "$(grep "|Name: $section (" "$work/all.dll.sections" | grep -v MEM_WRITE)" \
                "$linker: $section"
        done
    done
}

# -- headers --

# In C and C++, with nothing before them but the types that they say C defines.
check_header() {
    type='typedef struct { uint8_t bytes[\2]; } \1;'
    {
        echo '#include <stdint.h>'
        sed -n "s/^ \* \([A-Z_]*\): \([0-9]*\) bytes, aligned to .*; defined by C.*/$type/p" "$1"
        printf '#include "%s"\n#include "%s"\n' "$(basename "$1")" "$(basename "$1")"
    } >"$work/header.c"
    quiet clang -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$out" "$work/header.c"
    quiet clang -x c++ -Wall -Wextra -Wpedantic -Werror -fsyntax-only "-I$out" "$work/header.c"
}

# -- everything --

together() {            # the outputs of all modules in one file: no name is used twice
    mkdir -p "$work/together"
    # shellcheck disable=SC2046
    cat $(files_of "$1") >"$work/together/all-$1.S"
    assemble "$1" "$work/together/all-$1.S" "$work/together"
    same_text "$work/together/all-$1".*.o
}

# Each core gets another order, and some code of another shape: proved, then all
# modules as one file.
for_core() {
    dir=$work/$1
    mkdir -p "$dir"
    "${KGEN:-build/kgen}" gen kernels.def --tune "$1" -o "$dir" >/dev/null || fail "--tune $1"
    for platform in $platforms; do
        cat "$dir"/*-"$platform".S >"$dir/all-$platform.S"
        check_source "$dir/all-$platform.S"
        assemble "$platform" "$dir/all-$platform.S" "$dir"
        same_text "$dir/all-$platform".*.o
        for object in "$dir/all-$platform".*.o; do check_instructions "$object"; done
    done
    check_elf_relocations "$dir/all-linux.gnu.o"
    link_elf "$dir/all-linux.gnu.o"
}
cores() { ls gen/core/*.c | sed 's|.*/||; s|\.c$||' | grep -vx core; }

check_linux() {
    check_false_guard "$1"
    base=$work/$(basename "$1" .S)
    same_text "$base".*.o
    for object in "$base".*.o; do check_elf "$object"; done
    cp "$base.gnu.o" "$base.gnu.linked.o"
}
check_apple() {
    base=$work/$(basename "$1" .S)
    same_text "$base".*.o
    for object in "$base".*.o; do check_macho "$object"; done
}
check_win() {
    base=$work/$(basename "$1" .S)
    same_text "$base".*.o
    for object in "$base".*.o; do check_coff "$object"; done
}
link_linux() { link_elf "$work"/*-linux.*.linked.o; }
link_apple() {
    [ -z "$(all_versions ld64.lld)" ] || { link_macho && strip_macho; }
}
link_win() { [ -z "$(all_versions lld-link)" ] || link_coff; }

for platform in $platforms; do
    for file in $(files_of "$platform"); do
        check_source "$file"
        check_refusals "$platform" "$file"
        assemble "$platform" "$file"
        "check_$platform" "$file"
    done
    together "$platform"
    "link_$platform"
done
for header in "$out"/*.h; do check_header "$header"; done
[ -n "${OUT:-}" ] || for core in $(cores); do for_core "$core"; done

echo "platforms: $checks checks passed"
