#!/bin/sh
# SPDX-License-Identifier: MIT
# The sources of the present commit in one file, and its checksum:
# tools/dist.sh [BUILD-DIR]. The same commit gives the same bytes.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
version=$(sed -n 's/^project(tutti VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
name=tutti-$version
mkdir -p "$build"
git archive --format=tar --prefix="$name/" HEAD | gzip -9n >"$build/$name.tar.gz"
cd "$build"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
cat "$name.tar.gz.sha256"
