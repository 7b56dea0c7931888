#!/bin/sh
# instructions.sh CORE: a column of bench/llvm22-instructions.tsv: micro-operations, latency
# and reciprocal throughput of each row's example on a core, by llvm-mca-22.
set -eu
cd "$(dirname "$0")/.."
awk -F '\t' '!/^#/ && $1 != "row" { print $2 }' bench/llvm22-instructions.tsv |
    llvm-mca-22 -mtriple=aarch64 -mattr=+aes,+sha2,+sha3 -mcpu="$1" -instruction-tables=full |
    awk '/^\[1\] .*\[2\] .*Instructions:/ { on = 1; next }
         on && /^Resources:/ { exit }
         on && $1 ~ /^[0-9]+$/ { print $1 "/" $2 "/" $3 }'
