#!/bin/sh
# run.sh TARGET SECONDS: runs a fuzz target from the seeds in tests/fuzz/corpus,
# the kernels and the rule tests. Inputs that are found go to a directory beside
# the target; a finding is left there too, and ends this with an error.
set -eu
target=$1
seconds=$2
here=$(dirname "$0")
found=$target-corpus

mkdir -p "$found"
for seeds in "$here/corpus" "$here/../../kernels" "$here/../rules" "$here/../lang"; do
    [ -d "$seeds" ] && set -- "$@" "$seeds"
done
shift 2
exec "$target" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=8192 \
    -dict="$here/kernel.dict" -artifact_prefix="$target-" -print_final_stats=1 -verbosity=0 \
    "$found" "$@"
