#!/bin/sh
# kernels_test.sh: run the emitted ELF code under qemu-user against libcrypto.
#
# Each program of tests/run is linked with out/*-linux.S by the cross compiler.
# What it must compute is written before by its oracle, a program of this
# machine with libcrypto that walks the same cases. faults.c shows first that
# the programs would notice a faulty kernel.
set -eu
cd "$(dirname "$0")/.."

build=${BUILD:-build}/run
cross=aarch64-linux-gnu-gcc
flags='-std=c11 -D_POSIX_C_SOURCE=200809L -O2 -g -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror'
out=${OUT:-out}
mkdir -p "$build"

hardening=                      # how a library asks for it
# kernel FILE.S: assembled into a section of its own, whose pages run/call.c guards
# so that calls must meet branch targets (BTI). Prints the object's name.
kernel() {
    object=$build/$(basename "$1" .S).o
    # shellcheck disable=SC2086
    $cross $hardening -c "$1" -o "$object"
    aarch64-linux-gnu-objcopy --rename-section .text=kernels \
        --set-section-alignment .text=4096 "$object"
    echo "$object"
}

# program NAME SOURCES…: an AArch64 program.
program() {
    name=$1 sources=
    shift
    for source in "$@"; do
        case $source in
        "$out"/*.S) sources="$sources $(kernel "$source")" ;;
        *) sources="$sources $source" ;;
        esac
    done
    # shellcheck disable=SC2086
    $cross $flags -static -Itests -I"$out" -o "$build/$name" "tests/run/$name.c" \
        tests/run/call.c tests/run/call.S $sources
}

# oracle NAME SOURCES…: writes NAME.expected, by a program of this machine.
oracle() {
    name=$1
    shift
    # shellcheck disable=SC2086
    ${CC:-cc} $flags -Itests -o "$build/${name}_oracle" "tests/run/${name}_oracle.c" "$@" -lcrypto
    "$build/${name}_oracle" >"$build/$name.expected"
}

# run NAME ARGUMENTS…: adds the number of checks that it prints.
total=0
run() {
    name=$1
    shift
    passed=$(qemu-aarch64 -cpu max "$build/$name" "$@") || { echo "kernels: $name failed" >&2; exit 1; }
    total=$((total + passed))
}

program faults tests/harness/faults.S tests/run/pads.S
run faults

oracle bn tests/run/bn_cases.c
program bn tests/run/bn_cases.c "$out/bn-armv8-linux.S"
run bn "$build/bn.expected"

oracle vpaes tests/harness/vpaes_cases.c tests/harness/vpaes_expected.c
modes='tests/run/modes.c tests/harness/vpaes_cases.c tests/harness/fips197.c'
# shellcheck disable=SC2086
program vpaes $modes tests/harness/vpaes_schedule.c "$out/vpaes-armv8-linux.S"
run vpaes "$build/vpaes.expected"
# shellcheck disable=SC2086
program aesv8 $modes "$out/aesv8-armv8-linux.S"
run aesv8 "$build/vpaes.expected"

aegis='tests/harness/aegis.c tests/harness/aegis_received.c tests/harness/fips197.c'
# shellcheck disable=SC2086
oracle aegis $aegis
# shellcheck disable=SC2086
program aegis $aegis "$out/aegis-armv8-linux.S"
run aegis "$build/aegis.expected"

oracle ocb tests/run/ocb_cases.c
program ocb tests/run/ocb_mode.c tests/run/ocb_cases.c "$out/ocb-armv8-linux.S" "$out/aesv8-armv8-linux.S"
run ocb "$build/ocb.expected"

# By the macros of a library, which signs with key B.
out=$build/library
hardening='-Itests/library -mbranch-protection=bti+pac-ret+b-key'
mkdir -p "$out"
"${KGEN:-build/kgen}" gen kernels.def --no-verify --style boringssl --module vpaes-armv8 -o "$out" \
    >/dev/null
# shellcheck disable=SC2086
program vpaes $modes tests/harness/vpaes_schedule.c "$out/vpaes-armv8-linux.S"
aarch64-linux-gnu-objdump -d "$build/vpaes-armv8-linux.o" | grep -q pacibsp ||
    { echo 'kernels: key B signs nothing' >&2; exit 1; }
run vpaes "$build/vpaes.expected"

echo "kernels: $total checks passed"
