#!/bin/sh
# bench_test.sh: bench/RESULTS.md is what `make bench` would write now, but for the
# figures of a machine; the figures that the core tables are compared with are llvm-mca's;
# no loop is slower than before without a reason; and kgen's model
# agrees with llvm-mca within 5 % on every loop and variant on every core. A machine
# without llvm-mca-22 fails: nothing would be known.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "bench_test.sh: $1" >&2; exit 1; }

# A loop that is slower must have a row, and one that is slower than its row another.
figures() {
    printf '## k-armv8\n\n| loop | core | insns | default | model | tuned | model |\n'
    printf '| f:%sx4 | apple-m1 | 9 | %s | 1 | 2.00 | 1 |\n' "$1" "$2"
}
heading='loop\tcore\tway\twas\tnow\twhy\n'
row='f x4\tapple-m1\tdefault\t3.00\t%s\tno other way\n'
figures 7 3.00 >"$scratch/old"
# expect WHAT WAS-SLOWER-ROW NOW OUTPUT
expect() {
    # shellcheck disable=SC2059 # the formats are rows
    { printf "$heading"; printf "$2"; } >"$scratch/slower.tsv"
    figures 9 "$3" >"$scratch/new"
    awk -v what="$1" -f bench/slower.awk "$scratch/slower.tsv" "$scratch/old" "$scratch/new" >"$scratch/said"
    # shellcheck disable=SC2059
    printf "$4" | cmp -s - "$scratch/said" || { cat "$scratch/said"; fail "$1 at $3"; }
}
four=$(printf '%s' "$row" | sed 's/%s/4.00/')
expect unexplained '' 3.01 ''
expect unexplained '' 4.00 'f x4\tapple-m1\tdefault\t3.00\t4.00\t\n'
expect unexplained "$four" 4.00 ''
expect unexplained "$four" 5.00 'f x4\tapple-m1\tdefault\t3.00\t5.00\t\n'
expect held "$four" 4.00 "$four"
expect held "$four" 2.90 ''

# The figures of single instructions are what llvm-mca says now (of calls it also warns).
column=3
for core in cortex-a53 cortex-a55 cortex-a72 neoverse-n1 neoverse-v2 apple-m1; do
    awk -F '\t' -v c=$column '!/^#/ && $1 != "row" { print $c }' bench/llvm22-instructions.tsv >"$scratch/there"
    bench/instructions.sh $core 2>/dev/null | cmp -s - "$scratch/there" ||
        fail "bench/llvm22-instructions.tsv is not what bench/instructions.sh $core says"
    column=$((column + 1))
done

bench/bench.sh --check
