#!/bin/sh
# weave_test.sh: the width of a woven loop is one number, and changes no result.
#
# kernels/vpaes.def is compiled with other widths of its woven loops; each time
# the emitted code is proved equal to the sequential loop, and runs the standards'
# examples of the module. Widths that do not fit the registers may be refused
# with the list of live values, never with another message.
set -eu
cd "$(dirname "$0")/.."

kgen=${KGEN:-build/kgen}
dir=${BUILD:-build}/weave
mkdir -p "$dir"

# module OLD NEW: the module with other widths.
module() {
    sed "s/weave $1 {/weave $2 {/" kernels/vpaes.def >"$dir/vpaes.def"
    if cmp -s kernels/vpaes.def "$dir/vpaes.def"; then
        echo "weave: no loop is woven '$1' any more" >&2
        exit 1
    fi
}

tried=0
# same OLD NEW: a width that must work.
same() {
    module "$1" "$2"
    if ! { "$kgen" verify "$dir/vpaes.def" && "$kgen" test "$dir/vpaes.def"; } >"$dir/report"; then
        echo "weave: '$2' instead of '$1' is not the same" >&2
        exit 1
    fi
    tried=$((tried + 1))
}

# same_or_refused OLD NEW: a width that may be too wide.
same_or_refused() {
    module "$1" "$2"
    if "$kgen" verify "$dir/vpaes.def" >"$dir/report" 2>"$dir/messages"; then
        "$kgen" test "$dir/vpaes.def" >"$dir/report"
    elif [ "$(grep -c ': error: ' "$dir/messages")" != "$(grep -c '\[registers\]$' "$dir/messages")" ]; then
        cat "$dir/messages" >&2
        echo "weave: '$2' instead of '$1' is refused for another reason than its registers" >&2
        exit 1
    fi
    tried=$((tried + 1))
}

# CTR
same '4, 2, 1' '1'
same '4, 2, 1' '2, 1'
same '4, 2, 1' '3, 1'
same '4, 2, 1' '4, 1'
same '4, 2, 1' '4, 3, 2, 1'
same_or_refused '4, 2, 1' '5, 1'
same_or_refused '4, 2, 1' '6, 3, 1'
same_or_refused '4, 2, 1' '8, 4, 1'

# CBC decryption
same '3, 2, 1' '1'
same '3, 2, 1' '2, 1'
same '3, 2, 1' '3, 1'
same_or_refused '3, 2, 1' '4, 1'
same_or_refused '3, 2, 1' '6, 2, 1'

# ECB, encryption and decryption
same '4, 1' '1'
same '4, 1' '2, 1'
same '4, 1' '3, 1'
same '3, 1' '1'
same '3, 1' '2, 1'

echo "weave: $tried widths, all the same"
