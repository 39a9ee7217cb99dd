#!/bin/sh
# SPDX-License-Identifier: MIT
# Lays out the sources with clang-format 14; with --check only says which
# files differ. Pinned, because the layout changes between releases.
set -eu
cd "$(dirname "$0")/.."
tool=$(command -v clang-format-14 || command -v clang-format) || {
    echo "format: clang-format 14 is not installed" >&2
    exit 1
}
"$tool" --version | grep -q 'version 14\.' || {
    echo "format: want clang-format 14, have $("$tool" --version)" >&2
    exit 1
}
files=$(git ls-files --cached --others --exclude-standard '*.c' '*.h')
if [ "${1:-}" = --check ]; then
    # shellcheck disable=SC2086
    "$tool" --dry-run -Werror $files
else
    # shellcheck disable=SC2086
    "$tool" -i $files
fi
