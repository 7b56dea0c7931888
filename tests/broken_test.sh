#!/bin/sh
# broken_test.sh: a pass that is wrong is caught by verification.
#
# Builds kgen with breakable passes (gen/base/broken.h), sees that it works when
# none is broken, and that with each of them broken `gen` reports not-equal,
# exits with 1 and writes nothing. Every kernel that differs is reported once, with
# its place, in all modules.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=${BUILD:-build}
broken=$build/broken
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

fail() { echo "broken_test.sh: $*" >&2; exit 1; }

make --no-print-directory -s -C "$here/.." BUILD="$broken" CFLAGS="-O1 -DKGEN_BREAKABLE" \
    "$broken/kgen" >/dev/null
kgen=$broken/kgen

$kgen gen "$here/broken/kernels.def" -o "$out" >/dev/null || fail "refuses sound code"
[ -s "$out/broken-linux.S" ] || fail "wrote nothing"
checks=1
passes=$(sed -n 's/^ *B([A-Z]*, *"\([a-z]*\)".*/\1/p' "$here/../gen/base/broken.h")
[ "$(echo "$passes" | wc -l)" -ge 6 ] || fail "six passes were expected: $passes"
for pass in $passes; do
    rm -f "$out"/*
    status=0
    KGEN_BREAK=$pass $kgen gen "$here/broken/kernels.def" -o "$out" >/dev/null 2>"$out/said" || status=$?
    [ $status -eq 1 ] || fail "a broken $pass: status $status"
    grep -q '\[not-equal\]' "$out/said" || fail "a broken $pass: $(cat "$out/said")"
    [ "$(ls "$out")" = said ] || fail "a broken $pass: files were written"
    checks=$((checks + 1))
done

# Emission spoils kernels of both modules.
KGEN_BREAK=emission $kgen gen "$here/broken/kernels.def" -o "$out" >/dev/null 2>"$out/said" || true
sed -n "s/.*kernels.def:[0-9]*:[0-9]*: error: \(broken[a-z-]*\)-linux.S: '\([a-z]*\)' is not what.*/\1 \2/p" \
    "$out/said" >"$out/kernels"
[ -z "$(sort "$out/kernels" | uniq -d)" ] || fail "a kernel is reported twice: $(cat "$out/said")"
for kernel in 'broken sum' 'broken reread' 'broken-too difference'; do
    grep -q "^$kernel\$" "$out/kernels" || fail "emission: nothing of '$kernel': $(cat "$out/said")"
done
checks=$((checks + 1))

echo "broken: $checks checks passed"
