#!/bin/sh
# limits_test.sh: the time and the memory that README.md claims.
#
# A row of its table: a kgen command line, milliseconds of processor time, MiB at most.
# Each is run five times and the best time counts; a machine may be twice as slow as the
# one of the table. Builds with sanitizers are left out: they take many times as much.
# Needs KGEN and BUILD.
set -eu
cd "$(dirname "$0")/.."
kgen=${KGEN:-build/kgen}
timed=${BUILD:-build}/bench/timed
slower=2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

if grep -q __asan_init "$kgen"; then
    exit 0
fi
mkdir "$scratch/out"
sed -n 's/^| `kgen \(.*\)` | \([0-9]*\) | \([0-9]*\) |$/\2 \3 \1/p' README.md >"$scratch/rows"
[ "$(wc -l <"$scratch/rows")" -ge 4 ] || {
    echo 'limits_test.sh: README.md has no table of time and memory' >&2
    exit 1
}

status=0
while read -r milliseconds mib arguments; do
    # shellcheck disable=SC2086 # a list of words
    "$timed" --best-of 5 "$kgen" $arguments -o "$scratch/out" >"$scratch/taken"
    read -r took kib <"$scratch/taken"
    if [ "${took%.*}" -ge $((milliseconds * slower)) ] || [ "$kib" -ge $((mib * 1024)) ]; then
        echo "limits_test.sh: kgen $arguments: $took ms, $kib KiB;" \
            "README.md says $milliseconds ms, $mib MiB" >&2
        status=1
    fi
done <"$scratch/rows"
exit $status
