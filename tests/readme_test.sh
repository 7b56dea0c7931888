#!/bin/sh
# readme_test.sh: README.md shows the kernel, the code and the speed that really exist.
#
# The block that defines bn_add_words must stand in kernels/bn.def as it is; the
# block of assembly must be the main loop of out/bn-armv8-linux.S, but for
# spaces; the ratios must be those of bench/RESULTS.md. With --update, the loop and
# the ratios are put into README.md.
set -eu
cd "$(dirname "$0")/.."
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The fenced block of README.md that has a line beginning with $1.
block() {
    awk -v key="$1" '
        /^```/ { if (inside && found) { printf "%s", text; exit }
                 inside = !inside; text = ""; found = 0; next }
        inside { text = text $0 "\n"; if (index($0, key) == 1) found = 1 }' README.md
}

# The loop, spaced for a page: names at column 4, operands at 12, comments at 40.
main_loop() {
    sed -n '/^\.Lbn_add_words_1:/,/cbnz.*\.Lbn_add_words_1$/p' out/bn-armv8-linux.S |
        awk '/:$/ { print; next }
             { sub(/^\t/, ""); name = $1; rest = substr($0, length(name) + 2); comment = ""
               if ((at = index(rest, "//")) > 0) { comment = substr(rest, at); rest = substr(rest, 1, at - 1) }
               sub(/[ \t]+$/, "", rest)
               line = sprintf("    %-7s %s", name, rest)
               print comment == "" ? line : sprintf("%-39s %s", line, comment) }'
}

main_loop >"$scratch/loop"
awk -f bench/readme.awk bench/RESULTS.md >"$scratch/ratios"
if [ "${1:-}" = --update ]; then
    awk -v loop="$scratch/loop" -v ratios="$scratch/ratios" '
        /^\.Lbn_add_words_1:/ { while ((getline line < loop) > 0) print line; skip = 1 }
        /^[|] [|] cortex-a53 [|]/ { while ((getline line < ratios) > 0) print line; skip = 1 }
        /^(```|$)/ { skip = 0 }
        !skip' README.md >"$scratch/README.md"
    cat "$scratch/README.md" >README.md
fi

status=0
block '.Lbn_add_words_1:' | diff - "$scratch/loop" >&2 || {
    echo 'readme_test.sh: README.md shows another loop; tests/readme_test.sh --update' >&2
    status=1
}
sed -n '/^| | cortex-a53 |/,/^$/p' README.md | sed '/^$/d' | diff - "$scratch/ratios" >&2 || {
    echo 'readme_test.sh: README.md has other ratios; tests/readme_test.sh --update' >&2
    status=1
}
block 'export fn bn_add_words' >"$scratch/kernel"
[ -s "$scratch/kernel" ] || status=1
sed -n '/^\/\/\/ Adds two n-limb/,/^}/p' kernels/bn.def | diff "$scratch/kernel" - >&2 || {
    echo 'readme_test.sh: README.md shows another kernel than kernels/bn.def' >&2
    status=1
}
exit $status
