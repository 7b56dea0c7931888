#!/bin/sh
# need.sh: what `make` (need.sh build) and `make check` (need.sh check) need.
#
# Each row is a set, a command or file that shows the package is there, and
# the Debian package. What is missing is installed when this user may do that;
# otherwise the line to run is printed, and the status is 1.
set -eu

rows='
build cc                                      gcc
build /usr/include/stdio.h                    libc6-dev
build flex                                    flex
build bison                                   bison
build make                                    make
check pkg-config                              pkg-config
check /usr/include/check.h                    check
check /usr/include/unicorn/unicorn.h          libunicorn-dev
check /usr/include/capstone/capstone.h        libcapstone-dev
check /usr/include/openssl/evp.h              libssl-dev
check aarch64-linux-gnu-gcc                   gcc-aarch64-linux-gnu
check /usr/aarch64-linux-gnu/include/stdio.h  libc6-dev-arm64-cross
check qemu-aarch64                            qemu-user
check clang                                   clang
check ld.lld                                  lld
check llvm-readobj                            llvm
newer clang-22                                clang-22
newer ld.lld-22                               lld-22
newer llvm-readobj-22                         llvm-22
newer llvm-mca-22                             llvm-22
newer /usr/lib/llvm-22/lib/clang/22/lib/linux libclang-rt-22-dev
'

is_there() {
    case $1 in
    /*) [ -e "$1" ] ;;
    *) command -v "$1" >/dev/null 2>&1 ;;
    esac
}

# Packages of set $1 that are missing, on one line.
missing() {
    echo "$rows" | while read -r set shows package; do
        [ "$set" = "$1" ] || continue
        is_there "$shows" || printf '%s ' "$package"
    done
}

as_root=
may_install() {
    command -v apt-get >/dev/null 2>&1 || return 1
    [ "$(id -u)" = 0 ] && return 0
    sudo -n true 2>/dev/null && as_root='sudo -n'
}

# Those of the given packages that this machine's package lists have.
available() {
    for package in "$@"; do
        [ -z "$(apt-cache madison "$package" 2>/dev/null)" ] || printf '%s ' "$package"
    done
}

install_packages() {
    DEBIAN_FRONTEND=noninteractive
    export DEBIAN_FRONTEND
    [ -z "$wanted" ] || $as_root apt-get -q update >/dev/null
    # shellcheck disable=SC2046,SC2086 # lists of packages
    set -- $wanted $(available $newer)
    [ $# = 0 ] || $as_root apt-get -q -y --no-install-recommends install "$@"
}

wanted=$(missing "$1")
# The newer toolchain is used where the distribution has it.
newer=
[ "$1" = build ] || newer=$(missing newer)
[ -n "$wanted$newer" ] || exit 0

if may_install && install_packages && [ -z "$(missing "$1")" ]; then
    exit 0
fi
[ -n "$wanted" ] || exit 0
echo "make: these packages are missing; run:" >&2
echo "    apt-get install $wanted" >&2
exit 1
