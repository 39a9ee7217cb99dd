#!/bin/sh
# SPDX-License-Identifier: MIT
# Says whether web/dist, which is checked in, is what the sources of the page
# build. Needs node, npm and the npm registry: tools/check_page.sh
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

cp -r "$root/web/src" "$root/web/build.mjs" "$root/web/package.json" \
    "$root/web/package-lock.json" "$work"
cd "$work"
npm ci --no-audit --no-fund >npm.log 2>&1 || { cat npm.log >&2; exit 1; }
node build.mjs "$work/dist"
diff -rq "$work/dist" "$root/web/dist" || {
    echo "web/dist is not what web/src builds: cd web && npm ci && npm run build" >&2
    exit 1
}
