#!/bin/sh
# stale_test.sh: out/ holds what its sources make, and nothing else.
#
# Three claims: kgen finds nothing to change; no file is left over from a
# module that is gone; and a commit does not hold outputs that its own sources
# would not make. The last one is for the state that would be committed: it
# holds its tongue while sources are being changed. Needs KGEN.
set -eu
cd "$(dirname "$0")/.."
kgen=${KGEN:-build/kgen}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$kgen" gen --check kernels.def -o out

"$kgen" gen kernels.def -o "$scratch" >/dev/null
ls "$scratch" >"$scratch.made"
ls out | diff "$scratch.made" - || {
    rm -f "$scratch.made"
    echo 'stale_test.sh: out/ holds other files than kernels.def makes (">": too many)' >&2
    exit 1
}
rm -f "$scratch.made"

git() { command git -c safe.directory='*' "$@"; }
if git rev-parse --verify -q HEAD >/dev/null 2>&1; then
    changed=$(git status --porcelain --untracked-files=all)
    sources=$(echo "$changed" | grep -v '^.. out/' || true)
    outputs=$(echo "$changed" | grep '^.. out/' || true)
    if [ -z "$sources" ] && [ -n "$outputs" ]; then
        echo 'stale_test.sh: the commit holds stale outputs; its sources make others:' >&2
        echo "$outputs" >&2
        exit 1
    fi
fi
