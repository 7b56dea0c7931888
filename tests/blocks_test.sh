#!/bin/sh
# blocks_test.sh: `kgen test` runs the test blocks of every kernel and of
# tests/language (one construct a file); its status and summary tell what
# happened.
set -eu
cd "$(dirname "$0")/.."

work=${BUILD:-build}/blocks
kgen=${KGEN:-build/kgen}
mkdir -p "$work"

fail() {
    echo "blocks_test.sh: $*" >&2
    exit 1
}

"$kgen" test kernels.def

for source in tests/language/*.def; do
    "$kgen" test "$source" >"$work/language.out" || fail "$source"
    grep -q ' passed on linux, apple, windows' "$work/language.out" || fail "$source has no test"
done

cat >"$work/one.def" <<'END'
module "one";
export fn next(x: u64) -> u64 { return x + 1; }
test "a next number" { expect next(1) == 2; }
module "two";
export fn previous(x: u64) -> u64 { return x - 1; }
END
"$kgen" test "$work/one.def" >"$work/one.out"
printf '%s\n' 'one: 1 test passed on linux, apple, windows (48 calls)' 'two: no tests' |
    cmp - "$work/one.out" || fail "another summary than expected"

"$kgen" test -t apple --module one "$work/one.def" >"$work/one.out"
echo 'one: 1 test passed on apple (16 calls)' | cmp - "$work/one.out" || fail "-t or --module"

sed 's/== 2/== 3/' "$work/one.def" >"$work/wrong.def"
status=0
"$kgen" test "$work/wrong.def" >"$work/wrong.out" 2>"$work/wrong.err" || status=$?
[ "$status" = 1 ] || fail "status $status for a test that fails"
grep -q "wrong.def:3:24: error: 'next' returns 2, expected 3 \[expect\]" "$work/wrong.err" ||
    fail "the failing line is not shown"
echo 'two: no tests' | cmp - "$work/wrong.out" || fail "a summary of a module that failed"
