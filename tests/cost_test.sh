#!/bin/sh
# cost_test.sh: what kgen cost and kgen list print.
set -eu
cd "$(dirname "$0")/.."
kgen=${KGEN:-build/kgen}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
fail() { echo "cost_test.sh: $1" >&2; exit 1; }

cat >"$scratch/k.def" <<'KERNEL'
module "k";

/// Inverts.
export fn invert(r: out u8x16[n], a: in u8x16[n], n: u64) tune "cortex-a72" {
    for i in 0..n unroll 4, 1 {
        r[i] = ~a[i];
    }
}

/// Rounds inside a woven loop.
export fn rounds(r: out u8x16[n], a: in u8x16[n], n: u64, k: in u8x16[m], m: u64)
    requires aes
{
    for i in 0..n weave 4, 1 {
        var x = a[i];
        for j in 0..m {
            x = aese(x, k[j]);
        }
        r[i] = x;
    }
}
KERNEL

lines() { "$kgen" cost "$scratch/k.def" --lines --core cortex-a72 "$@" | cut -f 2,5,6; }

# Steps are those of the source: 4 of its own; 4 iterations around 1 of its own. Bytes
# are of arrays.
lines invert >"$scratch/lines"
printf 'invert:5x4\t4\t64\ninvert:5x1\t1\t16\n' | cmp -s - "$scratch/lines" || {
    cat "$scratch/lines"; fail 'steps or bytes of an unrolled loop'; }
lines rounds | grep -q "^rounds:16x4	4	" || fail 'steps of a loop inside a woven one'

# The bound of four inversions on two vector ports is the loads' and stores' port.
"$kgen" cost "$scratch/k.def" invert --core cortex-a72 >"$scratch/table"
grep -q '^invert, .*k.def:5: 4 steps of 16 bytes$' "$scratch/table" || fail 'heading'
grep -q 'a step   a byte    bound  set by$' "$scratch/table" || fail 'columns'
grep -q '^  cortex-a72 .*  STORE$' "$scratch/table" || fail 'what sets the bound'

"$kgen" cost "$scratch/k.def" nothing 2>"$scratch/error" && fail 'an unknown kernel'
grep -q "no kernel 'nothing'" "$scratch/error" || fail 'the message of an unknown kernel'
"$kgen" list "$scratch/k.def" nothing 2>/dev/null && fail 'a listing of an unknown kernel'

"$kgen" list "$scratch/k.def" 2>"$scratch/error" && fail 'a listing without a kernel'
grep -q "takes .FILE.def. KERNEL" "$scratch/error" || fail 'the message without a kernel'

# Without a file it is kernels.def.
"$kgen" list bn_add_words --core cortex-a53 >"$scratch/short"
"$kgen" list kernels.def bn_add_words --core cortex-a53 | cmp -s - "$scratch/short" ||
    fail 'a listing without a file'
"$kgen" cost bn_add_words >"$scratch/short"
"$kgen" cost kernels.def bn_add_words | cmp -s - "$scratch/short" || fail 'a cost without a file'

# A listing has every instruction that is emitted, in order, but for what a platform
# puts in front (bti); and it is the same again.
for kernel in invert rounds; do
    "$kgen" list "$scratch/k.def" $kernel >"$scratch/one"
    "$kgen" list "$scratch/k.def" $kernel >"$scratch/two"
    cmp -s "$scratch/one" "$scratch/two" || fail "two listings of $kernel differ"
    sed -n "s/^  [0-9a-f]*'* *\([a-z][a-z0-9.]*\) .*/\1/p; s/^  [0-9a-f]*'* *\([a-z]*\)\$/\1/p" \
        "$scratch/one" >"$scratch/listed"
    "$kgen" "$scratch/k.def" -o "$scratch" -t linux --no-verify >/dev/null
    awk -v f="$kernel:" '$0 == f { on = 1; next } on && /^\t\.size/ { exit }
        on && /^\t[a-z]/ && $1 != "hint" { print $1 }' "$scratch/k-linux.S" >"$scratch/emitted"
    cmp -s "$scratch/listed" "$scratch/emitted" || {
        diff "$scratch/listed" "$scratch/emitted" | head -5
        fail "the listing of $kernel is not what is emitted"; }
done

# Two versions can be compared. Of a kernel that has a condition more in front of its loop
# the loop says nothing but that it is elsewhere: its line, the lines (which are cut off),
# its label and where that is.
sed 's/^    for i in 0..n unroll.*/    if n == 7 { return; }\n&/' "$scratch/k.def" >"$scratch/other.def"
"$kgen" list "$scratch/k.def" invert | cut -c -82,87- >"$scratch/one"
"$kgen" list "$scratch/other.def" invert | cut -c -82,87- >"$scratch/two"
changed() { diff "$scratch/one" "$scratch/two" | grep "^[<>]   [0-9a-f]*  $1 " | wc -l; }
[ "$(changed not)" -eq 0 ] && [ "$(changed ldp)" -eq 0 ] && [ "$(changed stp)" -eq 0 ] ||
    fail 'listings of a loop that did not change differ'
[ "$(changed cmp)" -eq 1 ] && [ "$(changed ret)" -eq 1 ] || fail 'the change is not seen'

"$kgen" list "$scratch/k.def" rounds >"$scratch/one"
grep -q 'loop of line 16, 4 steps a turn' "$scratch/one" || fail 'the loop of a listing'
grep -q ' aese .* x  *17 ' "$scratch/one" || fail 'names and lines'
# Pairs make no difference where there are none; every kernel of the modules has a listing.
for kernel in bn_add_words vpaes_cbc_encrypt aegis128l_decrypt_sha3 ocb_aes_hw_encrypt; do
    "$kgen" list kernels.def $kernel --core neoverse-v2 | tail -1 | grep -q 'bytes.*instructions' ||
        fail "no listing of $kernel"
done

# Variants stand side by side, and the header says what each needs.
"$kgen" cost kernels.def aegis256_encrypt --core neoverse-v2 >"$scratch/table"
grep -q '^  *base: [0-9]* instructions, 96 bytes  *sha3: [0-9]* instructions, 96 bytes$' \
    "$scratch/table" || fail 'variants side by side'
for module in aegis aesv8 ocb; do
    "$kgen" header kernels.def --module $module-armv8 | awk '
        /^ \* Needs / { is_need = 1 }
        /^ \*\/$/ { is_need = 0 }
        is_need { needs = needs $0 }
        /^[a-z].*\(/ {
            functions++
            sha3 = $0 ~ /_sha3\(/
            if (needs !~ /FEAT_AES/ || (needs ~ /FEAT_SHA3/) != sha3) { print; bad = 1 }
            needs = "" }
        END { exit bad || !functions }' >"$scratch/wrong" || {
        cat "$scratch/wrong"; fail "what the functions of $module-armv8 need"; }
done
# Of arrays that may be the same somewhere the rest may not; where there are none, none may.
"$kgen" header "$scratch/k.def" >"$scratch/k.h"
[ "$(grep -c 'may be the same array as' "$scratch/k.h")" -eq \
    "$(grep -c 'Arrays do not overlap otherwise' "$scratch/k.h")" ] || fail 'what may overlap'
"$kgen" header kernels.def --module aegis-armv8 | grep -A9 'Starts with a key' |
    grep -q 'Arrays do not overlap\.$' || fail 'nothing may overlap'
