#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of docs/concepts and docs/variable-step.md from runs of
# the examples: tools/pictures.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
BUILD=${1:-build}
PICTURES=docs/pictures
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

MASSES=$BUILD/examples/double-mass-spring-damper/scenario.json
TANK=$BUILD/examples/water-tank/scenario-variable.json
BALL=$BUILD/examples/bouncing-ball/scenario-variable.json

# x1 of a stiff coupling under a name of its own: NAME OPTIONS...
stiff() {
    name=$1
    shift
    "$BUILD/tutti" run "$MASSES" -q --set msd2.dc=10 --until 2 \
        -o "$WORK/$name.csv" "$@"
    # x1 is the second column
    cut -d, -f1,2 "$WORK/$name.csv" | sed "1s/.*/time,$name/" >"$WORK/$name.x1"
}

stiff Jacobi
stiff Newton --iterate converged --acceleration newton --approximation linear
join -t, --header "$WORK/Jacobi.x1" "$WORK/Newton.x1" >"$WORK/stiff.csv"
"$BUILD/tutti" plot "$WORK/stiff.csv" -o "$PICTURES/stiff-coupling.svg" \
    --title 'x1 in m, dc = 10: Jacobi and Newton'

"$BUILD/tutti" run "$TANK" -q --dialect maestro1 -o "$WORK/tank.csv"
"$BUILD/tutti" plot "$WORK/tank.csv" -o "$PICTURES/tank-steps.svg" \
    --columns level,step-size --title 'Water tank: level and step size'

# its one warning is explained in docs/variable-step.md
"$BUILD/tutti" run "$BALL" -q --dialect maestro1 -o "$WORK/ball.csv" 2>/dev/null
"$BUILD/tutti" plot "$WORK/ball.csv" -o "$PICTURES/ball-steps.svg" \
    --columns h,step-size --title 'Bouncing ball: height and step size'
