#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs a test of the page: tests/web/run.sh TEST.mjs BUILD. Exit 77 means
# skipped, with the reason; with TUTTI_NO_SKIP set that is a failure.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
web=$here/../../web
build=$(cd "$2" && pwd)

skip() {
    echo "skipped: $1" >&2
    [ -z "${TUTTI_NO_SKIP:-}" ] || exit 1
    exit 77
}

command -v node >/dev/null || skip "node is not installed (tools/install-deps.sh ci)"
if [ "$1" != model_test.mjs ]; then
    command -v npm >/dev/null || skip "npm is not installed (tools/install-deps.sh ci)"
    command -v chromium >/dev/null || skip "chromium is not installed (tools/install-deps.sh ci)"
    mkdir -p "$build/web"
    exec 9>"$build/web/lock" # tests that run at the same time fetch once
    flock 9
    if ! cmp -s "$web/package-lock.json" "$build/web/package-lock.json" ||
        [ ! -d "$build/web/node_modules/axe-core" ]; then
        cp "$web/package.json" "$build/web/"
        (cd "$build/web" && cp "$web/package-lock.json" . &&
            npm ci --no-audit --no-fund >npm.log 2>&1) || {
            rm -f "$build/web/package-lock.json"
            tail -5 "$build/web/npm.log" >&2
            skip "npm ci could not fetch playwright-core and axe-core"
        }
    fi
    exec 9>&-
fi
exec node "$here/$1" "$build"
