#!/bin/sh
# SPDX-License-Identifier: MIT
# clang-tidy over the sources of a build: tools/tidy.sh [BUILD-DIR [quick]]
# "quick" leaves out the static analyzer, which takes minutes; all else takes
# seconds.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
checks=
[ "${2:-}" = quick ] && checks=--checks=-clang-analyzer-*
tool=$(command -v clang-tidy-14 || command -v clang-tidy) || {
    echo "tidy: clang-tidy 14 is not installed" >&2
    exit 1
}
# Tests are left out: cmocka's macros are not ours to judge. The kit is one
# translation unit that every example compiles again: once is enough.
git ls-files --cached --others --exclude-standard 'src/**/*.c' |
    grep -v -e '_test\.c$' -e 'lib_testlib\.c$' |
    xargs -P "$(nproc)" -n 4 "$tool" -p "$build" --quiet $checks 2>/dev/null
for version in 2 3; do
    "$tool" --quiet $checks kit/tutti_kit.c -- -std=c17 -D_POSIX_C_SOURCE=200809L \
        -Ikit -DTUTTI_KIT_FMI=$version 2>/dev/null
done
echo "tidy: clean"
