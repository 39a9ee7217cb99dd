#!/bin/sh
# SPDX-License-Identifier: MIT
# The packages on a machine that has nothing else: tools/bare.sh [BUILD-DIR],
# as root. A Debian without anything is made in a folder of its own, which goes
# when all is done; TUTTI_BARE=FOLDER keeps and reuses it.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ "$(id -u)" -eq 0 ] || { echo "bare: this needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || {
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
}
root=${TUTTI_BARE:-$(mktemp -d)}
finish() {
    umount "$root/proc" 2>/dev/null || true
    [ -n "${TUTTI_BARE:-}" ] || rm -rf "$root"
}
trap finish EXIT
[ -d "$root/usr/bin" ] ||
    debootstrap --variant=minbase bookworm "$root" >"$build/bare.log" 2>&1
mount -t proc proc "$root/proc"
rm -rf "$root/debs"
mkdir "$root/debs"
cp "$build"/*.deb "$root/debs"
cat >"$root/debs/use.sh" <<'EOF'
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
apt-get update -qq
apt-get install -y -qq --no-install-recommends /debs/*.deb >/debs/apt.log 2>&1 ||
    { cat /debs/apt.log; exit 1; }
cd /debs
examples=/usr/share/tutti/examples
tutti version
tutti run $examples/water-tank/scenario.json -q -o tank.csv
tutti results tank.csv
tutti export $examples/water-tank/scenario.json -o tank.fmu
tutti check --walk tank.fmu
python3 -c '
import tutti
r = tutti.simulate("/usr/share/tutti/examples/water-tank/scenario.json", until=10)
assert abs(r["level"][-1] - 5.5) < 1e-9, r["level"][-1]
print("python", r)'
cat >gain.c <<'C'
#include <stdio.h>
#include <tutti/tutti.h>
int main(void) { puts(tutti_version()); return 0; }
C
gcc gain.c -ltutti -o gain
./gain
EOF
chroot "$root" sh /debs/use.sh
echo "bare: all packages install and run"
