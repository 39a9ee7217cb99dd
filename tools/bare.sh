#!/bin/sh
# SPDX-License-Identifier: MIT
# Tutti on a machine that has nothing else: tools/bare.sh [BUILD-DIR] [PART ...],
# as root. A Debian without anything is made in a folder of its own, which goes
# when all is done; TUTTI_BARE=FOLDER keeps and reuses it. Parts:
#   debs   the packages of 'make deb' are installed and used (the default)
#   demo   'make demo' from the sources of the present commit, with what it cost
#   test   'make test' from there
#   wheel  'make build', 'pip install ./clients/python', the cells of the notebook
#   container  the image of Containerfile is built, and its service asked
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
[ $# -eq 0 ] || shift
[ $# -gt 0 ] || set -- debs
[ "$(id -u)" -eq 0 ] || { echo "bare: this needs root" >&2; exit 1; }
command -v debootstrap >/dev/null || {
    apt-get install -y -qq --no-install-recommends debootstrap >/dev/null
}
root=${TUTTI_BARE:-$(mktemp -d)}
finish() {
    umount "$root/dev/pts" "$root/dev/shm" "$root/proc" 2>/dev/null || true
    [ -n "${TUTTI_BARE:-}" ] || rm -rf "$root"
}
trap finish EXIT
mkdir -p "$build"
[ -d "$root/usr/bin" ] ||
    debootstrap --variant=minbase bookworm "$root" >"$build/bare.log" 2>&1
mount -t proc proc "$root/proc"
mkdir -p "$root/dev/shm"
mount -t tmpfs tmpfs "$root/dev/shm"
mkdir -p "$root/dev/pts" # terminals, as every Debian that was started has them
mount -t devpts -o newinstance,ptmxmode=0666 devpts "$root/dev/pts"
ln -sf pts/ptmx "$root/dev/ptmx"

# In the chroot, in the sources of the present commit: what is on standard input.
in_sources() {
    [ -d "$root/tutti" ] || {
        mkdir "$root/tutti"
        git archive HEAD | tar -x -C "$root/tutti"
    }
    { cat <<'EOF'; cat; } >"$root/tutti.sh"
set -eu
export DEBIAN_FRONTEND=noninteractive LC_ALL=C
apt-get update -qq
command -v make >/dev/null || apt-get install -y -qq --no-install-recommends make >/dev/null
cd /tutti
EOF
    chroot "$root" sh /tutti.sh
}

on_disk() { du -smx "$root" | cut -f1; }

demo() {
    before=$(on_disk)
    echo 'bash -c "time make demo"' | in_sources
    echo "bare: 'make demo' works; $(($(on_disk) - before)) MB more on disk"
}

tests() {
    echo 'make test' | in_sources
    echo "bare: 'make test' passes"
}

wheel() {
    in_sources <<'EOF'
make build
apt-get install -y -qq --no-install-recommends python3-pip python3-venv >/dev/null
python3 -m venv /venv
/venv/bin/pip install --no-index ./clients/python
(cd / && /venv/bin/python -c '
import tutti
assert tutti.__file__.startswith("/venv/"), tutti.__file__
r = tutti.simulate("/tutti/build/examples/water-tank/scenario.json", until=10)
assert abs(r["level"][-1] - 5.5) < 1e-9, r["level"][-1]')
/venv/bin/python tests/python/notebook_test.py build
EOF
    echo "bare: the wheel installs, and the notebook runs"
}

debs() {
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
}

# buildah, without a registry: what is asked of Debian's image is made of this
# Debian, and processes of the image run in a chroot.
container() {
    apt-get install -y -qq --no-install-recommends buildah crun curl >/dev/null
    images=$(mktemp -d)
    ( # its own shell, so that the images go whatever comes
        trap 'rm -rf "$images"' EXIT
        export STORAGE_DRIVER=vfs BUILDAH_ISOLATION=chroot
        image() { buildah --root "$images/store" --runroot "$images/run" "$@"; }
        mkdir "$images/tutti"
        git archive HEAD | tar -x -C "$images/tutti"
        echo '{"default": [{"type": "insecureAcceptAnything"}]}' >"$images/policy.json"
        tar -C "$root" --one-file-system --exclude=./tutti --exclude=./proc/* -cf "$images/base.tar" .
        c=$(image from scratch)
        image add -q "$c" "$images/base.tar" / >/dev/null
        rm "$images/base.tar"
        image commit -q "$c" docker.io/library/debian:bookworm-slim >/dev/null
        image bud --pull-never --signature-policy "$images/policy.json" -t tutti "$images/tutti"
        c=$(image from --pull-never localhost/tutti)
        image run "$c" -- sh -c 'cd && id -un && tutti run /usr/share/tutti/examples/queue/scenario.json -q'
        echo a-token-of-this-check >"$images/token"
        chmod 755 "$images"
        chmod 644 "$images/token"
        image run -v "$images/token:/run/tutti-token:ro" "$c" -- timeout 60 \
            tutti serve --bind 0.0.0.0 --token-file /run/tutti-token &
        ask() { curl -s -o /dev/null -w '%{http_code}' "$@" localhost:8082/api/v1/sessions; }
        for i in 1 2 3 4 5 6 7 8 9 10; do
            sleep 1
            [ "$(ask)" != 401 ] || break
        done
        [ "$(ask)" = 401 ]
        [ "$(ask -H 'Authorization: Bearer a-token-of-this-check')" = 200 ]
        wait || true
    )
    echo "bare: the image is built, and its service answers"
}

for part; do
    case $part in
    container | debs | demo | wheel) "$part" ;;
    test) tests ;;
    *) echo "bare: no part '$part'; container, debs, demo, test, wheel" >&2; exit 2 ;;
    esac
done
