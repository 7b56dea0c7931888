#!/bin/sh
# language_doc_test.sh: every block marked `kgen` in docs/language.md compiles,
# in silence, and its test blocks pass. KGEN and BUILD are set by `make check`.
set -eu

KGEN=${KGEN:-build/kgen}
BUILD=${BUILD:-build}
WORK=$BUILD/tests/language_doc
rm -rf "$WORK"
mkdir -p "$WORK/out"

awk -v work="$WORK" '
    /^```kgen$/ { n++; file = sprintf("%s/block%02d.def", work, n); inside = 1; next }
    /^```$/     { if (inside) close(file); inside = 0; next }
    inside      { print > file }
' docs/language.md

count=0
for block in "$WORK"/block*.def; do
    count=$((count + 1))
    messages=$("$KGEN" gen "$block" -o "$WORK/out" 2>&1 >/dev/null) || {
        echo "language_doc_test: $block does not compile:"; echo "$messages"; exit 1
    }
    [ -z "$messages" ] || { echo "language_doc_test: $block: $messages"; exit 1; }
    "$KGEN" test "$block" >"$WORK/test.txt" 2>&1 || {
        echo "language_doc_test: the tests of $block fail:"; cat "$WORK/test.txt"; exit 1
    }
done
[ "$count" -ge 7 ] || { echo "language_doc_test: only $count blocks found"; exit 1; }
echo "language_doc_test: $count blocks compile and pass"
