#!/bin/sh
# measure.sh SCRATCH: every loop by llvm-mca and by kgen's own model.
#
# Writes SCRATCH/loops.tsv, a line for each loop, core and way of scheduling:
#
#     way module loop core instructions steps bytes model bound set-by write-back llvm-mca
#
# Cycles are those of a turn, over 100 turns. `way` is "default" (the source's tune),
# "tuned" (for that core) or "unfused" (for that core, as if it joined no pairs of AES
# instructions: llvm-mca does not). SCRATCH/pairs.tsv has what the model says when pairs
# are counted as what they are: module loop core model bound set-by write-back.
set -eu
kgen=${KGEN:-build/kgen}
scratch=$1
in_order='cortex-a53 cortex-a55'
cores="$in_order cortex-a72 neoverse-n1 neoverse-v2 apple-m1"

command -v llvm-mca-22 >/dev/null || {
    echo "measure.sh: llvm-mca-22 is missing; run: apt-get install llvm-22" >&2
    exit 1
}

# Name and cycles of each region of FILE on CORE.
mca() {
    llvm-mca-22 -mtriple=aarch64 -mattr=+aes,+sha2,+sha3 -mcpu="$2" -iterations=100 \
        -instruction-info=0 -resource-pressure=0 "$1" 2>"$scratch/mca.err" |
        awk '/Code Region - / { sub(/.*Code Region - /, ""); name = $0 }
             /^Total Cycles:/ { printf "%s\t%.2f\n", name, $3 / 100 }' >"$scratch/mca.tsv"
    if [ -s "$scratch/mca.err" ]; then
        head -3 "$scratch/mca.err" >&2
        exit 1
    fi
}

# measure WAY CORES OPTIONS…
measure() {
    way=$1 on=$2
    shift 2
    $kgen cost kernels.def --mca "$@" >"$scratch/loops.s"
    for core in $on; do
        mca "$scratch/loops.s" "$core"
        $kgen cost kernels.def --lines --core "$core" "$@" |
            awk -F '\t' -v OFS='\t' -v way="$way" '
                NR == FNR { cycles[$1] = $2; next }
                ($1 "/" $2) in cycles { print way, $0, cycles[$1 "/" $2]; known++ }
                END { for (name in cycles) all++; exit known != all }' \
                "$scratch/mca.tsv" - >>"$scratch/loops.tsv"
    done
}

: >"$scratch/loops.tsv"
: >"$scratch/pairs.tsv"
measure default "$cores"
for core in $cores; do
    measure tuned "$core" --tune "$core"
done
for core in $in_order; do
    measure unfused "$core" --tune "$core" --unfused
    $kgen cost kernels.def --lines --pairs --core "$core" --tune "$core" |
        cut -f 1-3,7-10 >>"$scratch/pairs.tsv"
done
