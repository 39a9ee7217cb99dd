#!/bin/sh
# SPDX-License-Identifier: MIT
# Builds the fuzzers (tests/fuzz/fuzz_*.c) with clang and runs each for some
# seconds from its seeds: tools/fuzz.sh [BUILD-DIR [SECONDS [START]]]
# START is the start of the random numbers; 0, which is also the default, takes
# another one every time.
set -eu
cd "$(dirname "$0")/.."
build=${1:-build-fuzz}
seconds=${2:-60}
start=${3:-0}
CC=clang-14 cmake -S . -B "$build" -G Ninja -DTUTTI_FUZZ=ON -DTUTTI_TESTS=OFF \
    -DTUTTI_EXAMPLES=OFF -DCMAKE_BUILD_TYPE=RelWithDebInfo >/dev/null
cmake --build "$build" --target fuzzers
for f in "$build"/fuzz/fuzz_*; do
    name=$(basename "$f")
    seeds="tests/fuzz/corpus/${name#fuzz_}"
    words="tests/fuzz/${name#fuzz_}.dict"
    work=$(mktemp -d)
    echo "fuzzing ${name#fuzz_} for $seconds s"
    "$f" -seed="$start" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=2048 \
        -artifact_prefix="$build/" -verbosity=0 -print_final_stats=0 \
        $([ -f "$words" ] && echo "-dict=$words") \
        "$work" $([ -d "$seeds" ] && echo "$seeds") >"$build/$name.log" 2>&1 || {
        tail -40 "$build/$name.log"
        echo "fuzz: $name found something, see $build" >&2
        exit 1
    }
    rm -rf "$work"
done
echo "fuzz: nothing found"
