#!/bin/sh
# tool_test.sh: the kgen command as a user meets it.
#
# Exit statuses, what is written and what is left alone, what is printed and
# where, and that the outputs depend on nothing but the source. Needs KGEN.
set -eu
cd "$(dirname "$0")/.."
kgen=$(realpath "${KGEN:-build/kgen}")
kernels=$(realpath kernels.def)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

failures=0
fail() {
    echo "tool_test.sh: $*" >&2
    failures=$((failures + 1))
}

# claim STATUS COMMAND...: runs it into ./stdout and ./stderr.
claim() {
    wanted=$1
    shift
    status=0
    "$@" >stdout 2>stderr || status=$?
    [ "$status" = "$wanted" ] || {
        fail "status $status instead of $wanted: $*"
        cat stderr >&2
    }
}
silent() { if [ -s stdout ] || [ -s stderr ]; then fail "not silent: $*"; fi; }
says() { grep -q -- "$1" "$2" || fail "no '$1' in $2: $3"; }
empty_directory() { [ -z "$(ls "$1")" ] || fail "files were written: $2"; }

cat >small.def <<'END'
module "small";

/// Adds two numbers.
export fn small_add(a: u64, b: u64) -> u64 {
    return a + b;
}
END
cat >two.def <<'END'
include "small.def";
module "other";

/// Takes b from a.
export fn other_subtract(a: u64, b: u64) -> u64 {
    return a - b;
}
END
printf 'module "bad";\nexport fn f(a: u64) -> u64 { return a + ; }\n' >bad.def

# -- the command line --
claim 0 "$kgen" --help
says 'kgen gen FILE.def' stdout --help
claim 0 "$kgen" --version
says '^kgen [0-9]' stdout --version
for arguments in '' '--nonsense small.def' 'gen' 'gen small.def extra' '-t atari small.def' \
    '--style none small.def' '--tune pdp11 small.def' '-o' '--check=1 small.def' \
    '--dump none small.def' 'header --dump ast small.def' '--check -MD small.def' 'linux64'; do
    # shellcheck disable=SC2086 # words on purpose
    claim 2 "$kgen" $arguments
    says '^kgen: ' stderr "$arguments"
    [ ! -s stdout ] || fail "a wrong command line printed to stdout: $arguments"
done

# -- wrong input: a message, status 1, nothing written --
mkdir none
claim 1 "$kgen" gen absent.def -o none
says 'absent.def' stderr 'a file that does not exist'
claim 1 "$kgen" gen bad.def -o none
says '^bad.def:2:[0-9]*: error: .* \[syntax\]$' stderr 'a syntax error'
claim 1 "$kgen" gen small.def -o none --module absent
says "no module 'absent'" stderr --module
claim 1 "$kgen" gen . -o none
claim 1 "$kgen" gen /dev/null -o none
empty_directory none 'from wrong input'

# -- writing --
mkdir out
claim 0 "$kgen" gen small.def -o out
printf 'wrote out/%s\n' small-linux.S small-apple.S small-win.S small.h >expected
diff expected stdout >&2 || fail 'what was written is not what was said'
for f in small-linux.S small-apple.S small-win.S small.h; do
    [ -s "out/$f" ] || fail "out/$f was not written"
done
touch -d '2001-01-01' out/*
claim 0 "$kgen" small.def -o out
silent 'nothing changed'
[ -z "$(find out -newermt '2002-01-01' -type f)" ] || fail 'an unchanged file was written again'
[ -z "$(find out -name '*.tmp')" ] || fail 'a temporary was left'
echo '// edited' >>out/small-win.S
claim 0 "$kgen" small.def -o out
echo 'wrote out/small-win.S' >expected
diff expected stdout >&2 || fail 'only the edited file was to be written'

# -- choosing --
mkdir chosen
claim 0 "$kgen" two.def -t linux --module other -o chosen
[ "$(ls chosen)" = 'other-linux.S
other.h' ] || fail "-t linux --module other wrote: $(ls chosen)"
claim 0 "$kgen" two.def --target=windows,apple --module=other -o chosen
cmp -s chosen/other-win.S chosen/other-apple.S && fail 'two platforms, one text'
[ -s chosen/other-win.S ] || fail '-t windows,apple wrote nothing for windows'
claim 0 "$kgen" header small.def
cmp -s stdout out/small.h || fail 'header prints something else than gen writes'

# -- the perlasm command line --
claim 0 "$kgen" linux64 flat.S small.def
cmp -s flat.S out/small-linux.S || fail 'linux64 differs from gen -t linux'
claim 0 "$kgen" ios64 flat.S --module small two.def
cmp -s flat.S out/small-apple.S || fail 'ios64 differs from gen -t apple'
claim 0 "$kgen" win64 flat.S --module small two.def
cmp -s flat.S out/small-win.S || fail 'win64 differs from gen -t windows'
claim 2 "$kgen" win64 flat.S two.def
says '--module' stderr 'two modules in one file'

# -- --check --
claim 0 "$kgen" --check small.def -o out
silent --check
touch -d '2001-01-01' out/*
echo '// edited' >>out/small-linux.S
rm out/small.h
claim 1 "$kgen" --check small.def -o out
says 'out/small-linux.S is stale' stderr --check
says 'out/small.h is missing' stderr --check
[ ! -e out/small.h ] || fail '--check wrote a file'
claim 0 "$kgen" small.def -o out

# -- -MD --
claim 0 "$kgen" -MD two.def -o out
says 'out/small-linux.S' out/two.d -MD
says 'two.def' out/two.d -MD
says 'small.def' out/two.d -MD
echo 'out/other.h: ; @echo made' >makefile
cat out/two.d >>makefile
[ "$(make -s -f makefile out/other.h)" = '' ] || fail 'make finds an output older than its source'
touch -d '2001-01-01' out/other.h
[ "$(make -s -f makefile out/other.h)" = made ] || fail 'a changed source does not reach make'

# -- verify: what was proved, and what a reviewer must look at --
cat >open.def <<'END'
module "open";

/// One of two, and says which.
export fn pick(x: secret u64, a: in u64[2]) -> u64 {
    if declassify(x) == 3 { return a[0]; }
    return a[1];
}
END
claim 0 "$kgen" verify open.def
says '^pick: equal to its source.* 1 more ways through public values' stdout 'what was proved'
says 'declassifies, open.def:5:8: if declassify(x) == 3' stdout 'what is made public'

# -- failures of the system --
claim 3 "$kgen" small.def -o absent-directory
says absent-directory stderr 'a directory that does not exist'
claim 3 "$kgen" small.def -o small.def
claim 3 "$kgen" linux64 absent-directory/x.S small.def
for command in --help --version 'header small.def' '--dump ast small.def'; do
    status=0
    # shellcheck disable=SC2086 # words on purpose
    "$kgen" $command >/dev/full 2>stderr || status=$?
    [ $status = 3 ] || fail "status $status on a full device: $command"
done

# -- --dump --
mkdir dumped
for stage in ast tree shape ir select pair schedule allocate frame asm; do
    (cd dumped && "$kgen" --dump=$stage ../small.def) >first 2>stderr || fail "--dump=$stage"
    "$kgen" --dump $stage small.def >second 2>stderr || fail "--dump=$stage"
    [ -s first ] || fail "--dump=$stage printed nothing"
    cmp -s first second || fail "--dump=$stage depends on the directory"
done
empty_directory dumped --dump

# -- nothing but the source decides the bytes --
mkdir -p far/away/out away-out copy
cp "$kgen" copy/another-name
claim 0 "$kgen" gen "$kernels" -o far/away/out
(cd far && ../copy/another-name gen "$kernels" -o ../away-out >/dev/null) || fail 'from a copy of kgen'
diff -r far/away/out away-out >&2 || fail 'the outputs depend on a path'
! grep -rq "$scratch" far away-out || fail 'an output contains a path'
for style in plain boringssl openssl; do
    claim 0 "$kgen" --style $style "$kernels" -o away-out
done

# -- tune: a choice of order, not of meaning --
for core in cortex-a53 neoverse-v2; do
    claim 0 "$kgen" --tune $core "$kernels" -o away-out
    claim 0 "$kgen" --tune $core --unfused "$kernels" -o away-out
done

[ $failures = 0 ] || exit 1
echo 'tool_test.sh: all claims hold'
