#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of docs/concepts, docs/variable-step.md and the power window
# from runs of the examples: tools/pictures.sh [BUILD]
set -eu
cd "$(dirname "$0")/.."
BUILD=${1:-build}
PICTURES=docs/pictures
WORK=$(mktemp -d)
trap 'rm -rf "$WORK"' EXIT

MASSES=$BUILD/examples/double-mass-spring-damper/scenario.json
TANK=$BUILD/examples/water-tank/scenario-variable.json
BALL=$BUILD/examples/bouncing-ball/scenario-variable.json
WINDOW=$BUILD/examples/power-window/scenario.json

# x1 of the masses under a name of its own: NAME OPTIONS...
masses() {
    name=$1
    shift
    "$BUILD/tutti" run "$MASSES" -q -o "$WORK/$name.csv" "$@"
    # x1 is the second column
    cut -d, -f1,2 "$WORK/$name.csv" | sed "1s/.*/time,$name/" >"$WORK/$name.x1"
}

stiff() {
    masses "$@" --set msd2.dc=10 --until 2
}

stiff Jacobi
stiff Newton --iterate converged --acceleration newton --approximation linear
join -t, --header "$WORK/Jacobi.x1" "$WORK/Newton.x1" >"$WORK/stiff.csv"
"$BUILD/tutti" plot "$WORK/stiff.csv" -o "$PICTURES/stiff-coupling.svg" \
    --title 'x1 in m, dc = 10: Jacobi and Newton'

# How far x1 is off, for some approximations of inputs, with H = 1/4 s.
off() {
    masses "$1" --master gauss-seidel --order msd2,msd1 --step 0.25 \
        --approximation "$1"
}

masses exact --step 0.00390625 --sample 0.25 --iterate converged \
    --approximation quadratic
for way in hold linear hermite; do
    off $way
done
join -t, --header "$WORK/hold.x1" "$WORK/linear.x1" >"$WORK/two.csv"
join -t, --header "$WORK/two.csv" "$WORK/hermite.x1" >"$WORK/three.csv"
join -t, --header "$WORK/three.csv" "$WORK/exact.x1" |
    awk -F, 'NR == 1 { print "time,hold,linear,hermite"; next }
        { printf "%s,%.6f,%.6f,%.6f\n", $1, $2 - $5, $3 - $5, $4 - $5 }' \
        >"$WORK/off.csv"
"$BUILD/tutti" plot "$WORK/off.csv" -o "$PICTURES/approximation.svg" \
    --title 'Error of x1 in m, H = 0.25 s'

"$BUILD/tutti" run "$TANK" -q --dialect maestro1 -o "$WORK/tank.csv"
"$BUILD/tutti" plot "$WORK/tank.csv" -o "$PICTURES/tank-steps.svg" \
    --columns level,step-size --title 'Water tank: level and step size'

# its one warning is explained in docs/variable-step.md
"$BUILD/tutti" run "$BALL" -q --dialect maestro1 -o "$WORK/ball.csv" 2>/dev/null
"$BUILD/tutti" plot "$WORK/ball.csv" -o "$PICTURES/ball-steps.svg" \
    --columns h,step-size --title 'Bouncing ball: height and step size'

"$BUILD/tutti" run "$WINDOW" -q --step 0.001 --until 2.7 -o "$WORK/contact.csv"
awk -F, 'NR == 1 || $1 >= 2.55' "$WORK/contact.csv" >"$WORK/close.csv"
"$BUILD/tutti" plot "$WORK/close.csv" -o "$PICTURES/window-contact.svg" \
    --columns armatureCurrent,speed,compression,up,down \
    --title 'Power window: contact and retreat'

# height of a window nobody stops under a name of its own: NAME OPTIONS...
press() {
    name=$1
    shift
    "$BUILD/tutti" run "$WINDOW" -q --set controller.threshold=1e9 --step 0.02 \
        --until 4 -o "$WORK/$name.csv" "$@"
    # height is the eleventh column
    cut -d, -f1,11 "$WORK/$name.csv" | awk -F, 'NR == 1 || $1 >= 2.4' |
        sed "1s/.*/time,$name/" >"$WORK/$name.height"
}

press once --iterate 1 --approximation hold
press converged
join -t, --header "$WORK/once.height" "$WORK/converged.height" >"$WORK/press.csv"
"$BUILD/tutti" plot "$WORK/press.csv" -o "$PICTURES/window-loop.svg" \
    --title 'Height in cm, H = 0.02 s: steps made once and repeated'
