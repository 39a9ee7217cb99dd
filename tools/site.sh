#!/bin/sh
# SPDX-License-Identifier: MIT
# The documents as a site that can be searched: tools/site.sh [BUILD-DIR]
# writes BUILD-DIR/site/index.html and the rest. A link that leads nowhere
# is an error.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
missing=
for p in python3-sphinx python3-myst-parser furo; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q "ok installed" ||
        missing="$missing $p"
done
if [ -n "$missing" ]; then
    [ "$(id -u)" -eq 0 ] || { echo "site: please install$missing" >&2; exit 1; }
    echo "installing:$missing"
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq \
        --no-install-recommends $missing >/dev/null
fi
from=$build/site-sources
rm -rf "$from" "$build/site"
mkdir -p "$from"
# All that documents link to, where they look for it.
git ls-files -z docs examples include kit clients bench tests tools src web \
    '*.md' LICENSE Containerfile | tar --null -T - -cf - | tar -xf - -C "$from"
# The side bar lists every page below the one it is listed on.
python3 tools/site_tree.py "$from"
sphinx-build -q -W --keep-going -c docs/site -b html "$from" "$build/site"
rm -rf "$from"
# What a server shows of a folder, and what people open first.
printf '%s\n' '<!doctype html><meta charset="utf-8"><title>Tutti</title>' \
    '<meta http-equiv="refresh" content="0; url=docs/README.html">' \
    '<a href="docs/README.html">Tutti: documentation</a>' >"$build/site/index.html"
echo "site     $build/site/index.html"
