#!/bin/sh
# bench_test.sh: bench/RESULTS.md is what `make bench` would write now, but for the
# figures of a machine; and kgen's model agrees with llvm-mca within 5 % on every loop
# and variant on every core. A machine without llvm-mca-22 fails: nothing would be known.
set -eu
cd "$(dirname "$0")/.."
bench/bench.sh --check
