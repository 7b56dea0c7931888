#!/bin/sh
# strange_test.sh: inputs and outputs that nobody means and everybody has once.
#
# Texts as editors of other systems write them, files that are empty or no texts,
# outputs in places where nothing can be written or something would be lost,
# modules with nothing or very much in them. Each either works or ends with one
# message at the right place, status 1 (input) or 3 (output), and nothing written.
set -eu
cd "$(dirname "$0")/.."
kgen=$(realpath "${KGEN:-build/kgen}")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
mkdir out

fail() { echo "strange_test.sh: $*" >&2; exit 1; }

# refuses STATUS MESSAGE ARGUMENTS…: kgen says the message, once, and writes nothing.
refuses() {
    wanted=$1 message=$2 status=0
    shift 2
    find . -type f ! -name said ! -name before ! -name after -exec cksum {} + | sort >before
    "$kgen" "$@" >said 2>&1 || status=$?
    find . -type f ! -name said ! -name before ! -name after -exec cksum {} + | sort >after
    [ $status = "$wanted" ] || { cat said >&2; fail "status $status: $*"; }
    grep -qF -- "$message" said || { cat said >&2; fail "no '$message': $*"; }
    [ "$(grep -c '^kgen:\|: error: ' said)" = 1 ] || { cat said >&2; fail "many messages: $*"; }
    cmp -s before after || fail "something was written: $*"
}

# -- texts --

small='module "small";\n\n/// Adds two numbers.\nexport fn add(a: u64, b: u64) -> u64 {\n\treturn a + b;\n}'
printf "$small\\n" >small.def
"$kgen" gen small.def -o out >/dev/null
same() {
    mkdir -p other
    "$kgen" gen "$1" -o other >/dev/null || fail "$1 is refused"
    diff -r out other >&2 || fail "$1 gives something else"
}
sed 's/$/\r/' small.def >crlf.def
same crlf.def
{ printf '\357\273\277'; cat crlf.def; } >mark.def
same mark.def
printf "$small" >no-newline.def
same no-newline.def
{ printf '// \303\274 \342\212\225 \346\274\242\n'; cat small.def; } >letters.def
same letters.def
cat small.def | same /dev/stdin

printf 'module "m";\n\texport fn f(a: u64) ->\tu64 { return a + ; }\n' >tabs.def
refuses 1 "tabs.def:2:42: error: expected an expression after '+', found ';' [syntax]" gen tabs.def
printf '    2 | \texport fn f(a: u64) ->\tu64 { return a + ; }\n      | \t                      \t                 ^\n' >expected
sed 1d said | cmp - expected || fail 'the caret is not under its token'
{ printf '\357\273\277'; sed 's/$/\r/' tabs.def; } >tabs-mark.def
refuses 1 'tabs-mark.def:2:42: error' gen tabs-mark.def
sed 1d said | cmp - expected || fail 'a carriage return in a message'
printf 'module "m"; /* \303\274 \346\274\242 */ fn\n' >wide.def
refuses 1 'wide.def:1:26: error' gen wide.def
printf 'module "m";\nexport fn f(a: u64) -> u64 { return a; }\000' >nul.def
refuses 1 'nul.def:2:41: error: a NUL byte' gen nul.def
printf 'module "m";\n// \377\n' >latin.def
refuses 1 'latin.def:2:4: error: byte 0xff is not valid UTF-8' gen latin.def
printf 'module "m"; // here\rexport fn f() {}\n' >lone.def
refuses 1 'lone.def:1:20: error: a carriage return without a line feed' gen lone.def
: >empty.def
refuses 1 'kgen: empty.def has no module' gen empty.def
echo '/// Only words.' >words.def
refuses 1 'words.def' gen words.def
printf 'module "m"' >cut.def
refuses 1 "cut.def:1:11: error: expected ';'" gen cut.def
printf '/* no end' >comment.def
refuses 1 'comment.def:1:1: error: this comment does not end' gen comment.def
refuses 1 "cannot read '.': Is a directory" gen .
refuses 1 "cannot read 'absent.def': No such file" gen absent.def
refuses 1 "cannot read '': No such file" gen ''

# -- places --

cp small.def kept.def
ln kept.def hard.def
ln -s kept.def soft.def
for path in kept.def ./kept.def hard.def soft.def; do
    refuses 3 "cannot write $path: it is a source" linux64 $path kept.def
done
echo 'include "kept.def"; module "more";' >more.def
refuses 3 'cannot write kept.def: it is a source' linux64 kept.def more.def --module small
refuses 3 'cannot write small.d: two outputs have this name' linux64 small.d small.def -MD
refuses 3 'cannot write to absent: No such file or directory' gen small.def -o absent
refuses 3 'cannot write to small.def: Not a directory' gen small.def -o small.def
refuses 3 'cannot write absent/x.S: No such file or directory' linux64 absent/x.S small.def
refuses 3 'cannot write out: Is a directory' linux64 out small.def
refuses 3 'cannot write /dev/full: No space left on device' linux64 /dev/full small.def
mkdir -p taken/small-win.S
refuses 3 'cannot write taken/small-win.S: Is a directory' gen small.def -o taken
"$kgen" gen small.def -t windows,windows -o other >/dev/null || fail 'a platform that is named twice'
mkdir closed
chmod a-w closed
[ -w closed ] || refuses 3 'cannot write to closed: Permission denied' gen small.def -o closed
[ -w closed ] || refuses 3 'cannot write closed/x.S: Permission denied' linux64 closed/x.S small.def
ln -s /proc/self/fd/1 stream    # what /dev/stdout is, which root could replace
"$kgen" linux64 stream small.def | cmp - out/small-linux.S || fail 'an output that is a pipe'
"$kgen" linux64 stream small.def >written
cmp written out/small-linux.S || fail 'an output that is the standard output'
"$kgen" linux64 written small.def >>written
[ "$(wc -l <written)" = $((2 * $(wc -l <out/small-linux.S))) ] || fail 'an output that is open already'

# Names that make must be told about; sources in other directories.
mkdir -p 'a b/in # c' 'a b/$out'
cp small.def 'a b/in # c/in.def'
echo 'include "in # c/in.def"; module "more"; export fn g(x: u64) -> u64 { return x; }' >'a b/all.def'
"$kgen" gen 'a b/all.def' -o 'a b/$out' -MD >/dev/null
{ echo 'a\ b/$$out/more.h: ; @echo made'; cat 'a b/$out/all.d'; } >makefile
[ "$(make -s -f makefile 'a b/$out/more.h')" = '' ] || fail 'make finds an output older than its source'
touch -d '2001-01-01' 'a b/$out'/*
[ "$(make -s -f makefile 'a b/$out/more.h')" = made ] || fail 'an include does not reach make'
touch -d '2000-01-01' 'a b/all.def' 'a b/in # c/in.def'
[ "$(make -s -f makefile 'a b/$out/more.h')" = '' ] || fail 'make finds an old source newer'
rm 'a b/in # c/in.def'
[ "$(make -s -f makefile 'a b/$out/more.h')" = made ] || fail 'make stops where a source is gone'

# -- modules --

assembles() {
    "$kgen" gen "$1.def" -o out >said 2>&1 || { cat said >&2; fail "$1"; }
    aarch64-linux-gnu-gcc -Wa,--fatal-warnings -c "out/$1-linux.S" -o linux.o
    clang -Werror -target aarch64-linux-gnu -c "out/$1-linux.S" -o clang.o
    clang -Werror -target arm64-apple-macos11 -c "out/$1-apple.S" -o apple.o
    clang -Werror -target aarch64-pc-windows-msvc -c "out/$1-win.S" -o win.o
    clang -x c++ -Wall -Wextra -Wpedantic -Werror -fsyntax-only "out/$1.h"
}
echo 'module "nothing";' >nothing.def
assembles nothing
echo 'module "tables"; table t: u8x16 = [static for i in 0..16: i]; table u: u32[300] = [static for i in 0..300: i];' >tables.def
assembles tables
awk 'BEGIN { print "module \"many\";"
             for (i = 0; i < 1000; i++)
                 print "export fn many_" i "(a: u64) -> u64 { return a + " i "; }" }' >many.def
assembles many
[ "$(aarch64-linux-gnu-nm linux.o | grep -c ' T many_')" = 1000 ] || fail 'not all exports'
awk 'BEGIN { for (i = 0; i < 5000; i++) name = name "n"
             print "module \"names\"; local fn s(a: u64) -> u64 { return a + 1; }"
             print "export fn " name "(" name "_: u64) -> u64 {"
             print "    return s(" name "_) + s(3);\n}" }' >names.def
assembles names
# What assemblers might take for something else: registers, instructions, labels.
{
    echo 'module "words"; local fn x0(a: u64) -> u64 { return a + 1; }'
    for name in x0 sp w18 v7 xzr nzcv add ret b bl eq lsl uxtw LBB0 Lfoo ltmp0 L0 text globl; do
        echo "export fn $name(a: u64) -> u64 { return x0(a) + x0(2); }"
    done | sed 's/fn x0(/fn x1(/'
} >words.def
assembles words

for name in '' . .. ../x a/b 'a b' -x ü "$(printf '%065d' 0)"; do
    echo "module \"$name\";" >module.def
    refuses 1 "module.def:1:1: error: a module's name" gen module.def -o out
done
printf 'module "a-b";\nmodule "A_b";\n' >case.def
refuses 1 'case.def:2:1: error: modules "a-b" and "A_b" have the same header guard' gen case.def -o out

echo 'strange_test.sh: all claims hold'
