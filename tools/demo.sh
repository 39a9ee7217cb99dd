#!/bin/sh
# SPDX-License-Identifier: MIT
# A real co-simulation of real FMUs, shown: tools/demo.sh [BUILD-DIR]
set -eu
cd "$(dirname "$0")/.."
build=${1:-build}
out=$build/demo
mkdir -p "$out"
echo
echo "Two masses, two springs, two dampers: two FMUs that feed each other."
echo
"$build/tutti" run "$build/examples/double-mass-spring-damper/scenario.json" \
    --output "$out/outputs.csv" --report "$out/report.html" --plot
echo
echo "report   $PWD/$out/report.html"
echo "try      $build/tutti run $build/examples/water-tank/scenario.json --plot"
