#!/bin/sh
# SPDX-License-Identifier: MIT
# Installs the Debian packages Tutti needs, only those that are missing.
# tools/install-deps.sh [bench|ci]: with "bench" also what counts instructions,
# with "ci" also what the slower gates need.
set -eu

packages="build-essential cmake ninja-build pkg-config libxml2-dev libzip-dev
libjansson-dev libcmocka-dev libhdf5-dev hdf5-tools libwebsockets-dev libssl-dev openssl curl liblapack-dev
locales python3"
[ -n "${1:-}" ] && packages="$packages valgrind"
[ "${1:-}" = ci ] && packages="$packages libopenmpi-dev openmpi-bin libsundials-dev clang-14 clang-format-14 clang-tidy-14
libclang-rt-14-dev chromium iproute2 fish zsh"
if [ "${1:-}" = ci ]; then # any Node from 18 on; Debian's where there is none
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
echo "installing:$missing"
export DEBIAN_FRONTEND=noninteractive
log=$(mktemp)
{ apt-get update -qq && apt-get install -y -qq --no-install-recommends $missing
} >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
rm -f "$log"
