#!/bin/sh
# bench.sh: writes bench/RESULTS.md. `bench.sh --check` compares what does not
# depend on the machine with the committed file instead, and says what became worse.
#
# Both fail when a loop became slower and bench/slower.tsv does not say why, when one is
# slower than what it replaces with the default tune, when kgen's model is more than 5 %
# off llvm-mca on any loop, or a main loop of AEGIS more than 10 % above its bound on an
# in-order core.
set -eu
cd "$(dirname "$0")/.."
build=${BUILD:-build}
export KGEN="${KGEN:-$build/kgen}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
rest='## Not compared'

bench/measure.sh "$scratch"

awk -F '\t' '
    { off = 100 * ($8 - $12) / $12; if (off < 0) off = -off
      if (off > 5) { print $1 ": " $3 " on " $4 ": model " $8 ", llvm-mca " $12; bad = 1 } }
    END { if (!NR) { print "nothing was measured"; bad = 1 } exit bad }' \
    "$scratch/loops.tsv" >"$scratch/off" || {
    echo "bench.sh: the model is more than 5 % off:" >&2
    cat "$scratch/off" >&2
    exit 1
}

# The main loops of AEGIS, whose widths are the state's, in order.
in_order() {
    awk -F '\t' -v OFS='\t' '$1 == "unfused" { print $3, $4, $6, $12, $9, $11 }' "$scratch/loops.tsv"
    awk -F '\t' -v OFS='\t' '{ print $2, $3, 0 + substr($2, match($2, /x[0-9]+/) + 1), $4, $5, $7 }' \
        "$scratch/pairs.tsv"
}
in_order | awk -F '\t' '
    $1 ~ /^aegis/ && $3 >= 6 {
        seen++
        bound = $5 > $6 ? $5 : $6
        if ($4 > bound * 1.1) { print $1 " on " $2 ": " $4 ", bound " bound; bad = 1 } }
    END { if (!seen) { print "no loop of AEGIS was measured"; bad = 1 } exit bad }' \
    >"$scratch/above" || {
    echo "bench.sh: a loop of AEGIS is more than 10 % above its bound:" >&2
    cat "$scratch/above" >&2
    exit 1
}

# From the project's plan, with the figure of what is replaced.
most_for_ctr=13000

executed() {
    echo '## Executed instructions'
    echo
    echo "The goal for aes_hw_ctr32_encrypt_blocks is $most_for_ctr; what it replaces executes 16243."
    echo
    echo '| function | given | instructions |'
    echo '|---|---|--:|'
    for file in out/*-linux.S; do
        aarch64-linux-gnu-gcc -c -o "$scratch/$(basename "$file" .S).o" "$file"
    done
    "$build/bench/executed" "$scratch" | sed 's/\t/ | /g; s/^/| /; s/$/ |/'
    echo
}

# Four bytes an instruction; local functions and cold parts belong to the one before.
code() {
    echo '## Code bytes'
    echo
    echo '| function | bytes |'
    echo '|---|--:|'
    for file in out/*-linux.S; do
        awk '/^\t\.type\t.*%function/ { name = $2; sub(/,.*/, "", name) }
             /^\t[a-z]/ && $1 !~ /^\./ && name != "" { bytes[name] += 4
                 if (!(name in seen)) { seen[name] = 1; order[++n] = name } }
             END { for (i = 1; i <= n; i++) print "| " order[i] " | " bytes[order[i]] " |" }' "$file"
    done
    echo
}

# Of this machine.
time_and_memory() {
    echo "$rest"
    echo
    echo 'Of the machine that wrote this file: `kgen gen kernels.def`, all platforms, proofs included,'
    echo 'and without them.'
    echo
    echo '| | ms of processor time | peak MiB |'
    echo '|---|--:|--:|'
    for option in '' --no-verify; do
        # shellcheck disable=SC2086 # no option is no word
        "$build/bench/timed" --best-of 5 "$KGEN" gen kernels.def -o "$scratch/out" $option |
            awk -v what="${option:-proved}" '{ printf "| %s | %d | %d |\n", what, $1, $2 / 1024 }'
    done
}

compare() { awk -v what="$1" -f bench/slower.awk bench/slower.tsv bench/RESULTS.md "$scratch/loops.md"; }

slower() {
    echo '## Slower than before'
    echo
    if [ -s "$scratch/held" ]; then
        echo 'Loops that a change made slower, cycles a step, and why (bench/slower.tsv).'
        echo
        echo '| loop | core | tune | was | is | why |'
        echo '|---|---|---|--:|--:|---|'
        sed 's/\t/ | /g; s/^/| /; s/$/ |/' "$scratch/held"
    else
        echo 'No loop that a change made slower is in bench/slower.tsv.'
    fi
    echo
}

awk -f bench/table.awk bench/replaced.tsv bench/goals.tsv "$scratch/pairs.tsv" \
    "$scratch/loops.tsv" >"$scratch/loops.md"
grep '| slower |$' "$scratch/loops.md" >"$scratch/slow" && {
    echo 'bench.sh: with the default tune slower than what it replaces:' >&2
    cat "$scratch/slow" >&2
    exit 1
}
compare held >"$scratch/held"
compare unexplained >"$scratch/unexplained"
{
    sed '/^## AEGIS on in-order/,$d' "$scratch/loops.md"
    slower
    sed -n '/^## AEGIS on in-order/,$p' "$scratch/loops.md"
    executed
    code
} >"$scratch/results"

awk -F ' *[|] *' -v most=$most_for_ctr '$2 == "aes_hw_ctr32_encrypt_blocks" && $4 != "" {
        seen = 1; if ($4 > most) exit 1 } END { exit !seen }' "$scratch/results" || {
    echo "bench.sh: aes_hw_ctr32_encrypt_blocks executes more than $most_for_ctr instructions" >&2
    exit 1
}
if [ -s "$scratch/unexplained" ]; then
    echo 'bench.sh: slower than in bench/RESULTS.md; find out why, or say why in bench/slower.tsv:' >&2
    cat "$scratch/unexplained" >&2
    [ "${1:-}" = --check ] || exit 1
fi
if [ "${1:-}" != --check ]; then
    mkdir -p "$scratch/out"
    time_and_memory >>"$scratch/results"
    cp "$scratch/results" bench/RESULTS.md
    sed -n '/^#/p; /^loop\t/p' bench/slower.tsv | cat - "$scratch/held" >"$scratch/slower.tsv"
    cp "$scratch/slower.tsv" bench/slower.tsv
    tests/readme_test.sh --update
    exit 0
fi

sed "/^$rest/,\$d" bench/RESULTS.md >"$scratch/committed"
cmp -s "$scratch/committed" "$scratch/results" && exit 0
echo 'bench.sh: bench/RESULTS.md is not what is measured now; look, then run make bench:' >&2
diff "$scratch/committed" "$scratch/results" | head -20 >&2
exit 1
