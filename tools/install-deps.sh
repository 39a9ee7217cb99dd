#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages Tutti needs, only those that are missing:
# tools/install-deps.sh [demo|build|deb|test|ci]. Each has what the one before has:
# the program; HDF5 files and the service; packages; tests; the slower gates.
set -eu

level=${1:-build}
packages="gcc libc6-dev make cmake ninja-build pkg-config libxml2-dev libzip-dev liblapack3"
[ "$level" = demo ] ||
    packages="$packages libhdf5-dev libwebsockets-dev libssl-dev libjansson-dev"
case $level in
deb | test | ci) packages="$packages dpkg-dev file" ;;
esac
case $level in
test | ci) packages="$packages g++ libcmocka-dev hdf5-tools openssl curl locales python3 python3-venv valgrind" ;;
esac
if [ "$level" = ci ]; then
    packages="$packages libopenmpi-dev openmpi-bin libsundials-dev clang-14 clang-format-14
clang-tidy-14 libclang-rt-14-dev chromium iproute2 fish zsh"
    # any Node from 18 on; Debian's where there is none
    command -v node >/dev/null || packages="$packages nodejs"
    command -v npm >/dev/null || packages="$packages npm"
fi

command -v dpkg-query >/dev/null || {
    echo "This is not Debian; please install the equivalents of:" $packages >&2
    exit 0 # the build will say what it misses
}
missing=
for p in $packages; do
    status=$(dpkg-query -W -f '${Status}' "$p" 2>/dev/null || true)
    [ "$status" = "install ok installed" ] || missing="$missing $p"
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" -ne 0 ]; then
    echo "Tutti needs these packages; please install them and try again:" >&2
    echo "    sudo apt-get install$missing" >&2
    exit 1
fi
# What apt-get prints, as a few words that change in place, or on a file one line
# for every tenth package.
progress() {
    all=0 got=0 ready=0
    [ -t 1 ] && every=1 || every=10
    while read -r word rest; do
        case "$word $rest" in
        *" newly installed,"*) all=${rest#*upgraded, } all=${all%% newly*} ;;
        "Need to get "*) echo "$all packages: ${word} ${rest%.}" ;;
        "After this operation, "*) echo "${rest#this operation, }" ;;
        Get:*) got=$((got + 1)) && show fetched "$got" ;;
        "Setting up "*) ready=$((ready + 1)) && show installed "$ready" ;;
        esac
    done
    [ "$every" -gt 1 ] || printf '\r\033[K'
}
show() {
    [ "$(($2 % every))" -eq 0 ] || return 0
    if [ "$every" -eq 1 ]; then
        printf '\r\033[K  %s %d of %d' "$1" "$2" "$all"
    else
        printf '  %s %d of %d\n' "$1" "$2" "$all"
    fi
}

echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
log=$(mktemp)
trap 'rm -f "$log" "$log.failed"' EXIT
{ apt-get update -qq && apt-get install -y -q --no-install-recommends $missing ||
    touch "$log.failed"; } 2>&1 | tee "$log" | progress
[ ! -f "$log.failed" ] || { cat "$log" >&2; exit 1; }
