#!/bin/sh
# SPDX-License-Identifier: MIT
# Draws the pictures of docs/concepts, docs/adaptations, docs/variable-step.md and of the examples
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
POINT=$BUILD/examples/operating-point/scenario.json

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

masses plain

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

# the step size in ms, so that it gets a panel of its own: NAME
in_ms() {
    awk -F, -v OFS=, 'NR == 1 {
            for (i = 1; i <= NF; i++) if ($i == "step-size") c = i
            $c = "step size (ms)"
        }
        NR > 1 { $c *= 1000 }
        { print }' "$WORK/$1.csv" >"$WORK/$1-ms.csv"
}

"$BUILD/tutti" run "$TANK" -q --dialect maestro1 -o "$WORK/tank.csv"
in_ms tank
"$BUILD/tutti" plot "$WORK/tank-ms.csv" -o "$PICTURES/tank-steps.svg" \
    --columns 'level,step size (ms)' --title 'Water tank: level and step size'

# its one warning is explained in docs/variable-step.md
"$BUILD/tutti" run "$BALL" -q --dialect maestro1 -o "$WORK/ball.csv" \
    --trace "$WORK/attempts.csv" 2>/dev/null
in_ms ball
"$BUILD/tutti" plot "$WORK/ball-ms.csv" -o "$PICTURES/ball-steps.svg" \
    --columns 'h,step size (ms)' --title 'Bouncing ball: height and step size'

# Attempts around the first bounce; what was taken back has a line of its own.
awk -F, 'NR == 1 { print "time,accepted,rejected"; next }
    $1 < 0.35 { next }
    $1 > 0.55 { exit }
    $4 == "accepted" { last = log($3) / log(10); printf "%s,%.4f,\n", $1, last }
    $4 == "rejected" {
        printf "%s,%.4f,%.4f\n", $1, last, log($3) / log(10)
    }' "$WORK/attempts.csv" >"$WORK/rollback.csv"
"$BUILD/tutti" plot "$WORK/rollback.csv" -o "$PICTURES/rollback.svg" \
    --title 'Bouncing ball: log10 of the length of attempts, in s'

"$BUILD/tutti" score "$POINT" --svg "$PICTURES/initialisation.svg" >"$WORK/score"

# Power of both sides of the coupling with held inputs: what one side gives,
# with the input it had over the step, is not what the other side takes.
awk -F, 'NR == 1 { print "time,left,right"; next }
    $1 > 4 { exit }
    NR > 2 { printf "%s,%.6f,%.6f\n", $1, force * $3, speed * $4 }
    { speed = $3; force = $4 }' "$WORK/plain.csv" >"$WORK/power.csv"
"$BUILD/tutti" plot "$WORK/power.csv" -o "$PICTURES/energy.svg" \
    --title 'Power F v1 as either mass sees it, in W, H = 0.2 s'

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

# The same made once, with a rate of 16 for the circle.
echo '{"rates": {"{power}.power": 16, "{window}.window": 16,
    "{obstacle}.obstacle": 16}}' >"$WORK/rates.json"
press sixteen "$WORK/rates.json" --iterate 1 --approximation hold
sed '1s/once/rate 1/' "$WORK/once.height" >"$WORK/slow.height"
sed '1s/sixteen/rate 16/' "$WORK/sixteen.height" >"$WORK/fast.height"
join -t, --header "$WORK/slow.height" "$WORK/fast.height" >"$WORK/rate.csv"
"$BUILD/tutti" plot "$WORK/rate.csv" -o "$PICTURES/multi-rate.svg" \
    --title 'Height in cm, H = 0.02 s: rates 1 and 16'

# rows of a paced run, stamped with the wall clock as they arrive
"$BUILD/tutti" run "$MASSES" -q --real-time 5 -o - | python3 -c '
import sys, time
print("time,simulated,due")
begin = time.monotonic()
print("0,0,0")
for line in sys.stdin:
    now = time.monotonic() - begin
    if line[0] != "t":
        print(f"{now:.4f},{line.split(chr(44))[0]},{5 * now:.4f}")
' >"$WORK/paced.csv"
"$BUILD/tutti" plot "$WORK/paced.csv" -o "$PICTURES/real-time.svg" \
    --columns simulated,due --title 'Simulated seconds over seconds of the wall clock, factor 5'

tools/pictures-adapt.py "$BUILD"

# Those of the examples, from the commands of their pages: the first run, with the options that the
# page adds for the picture, or all of them where it takes the results of the last line.
ln -s "$(realpath "$BUILD")" "$WORK/build"
for page in examples/*/README.md; do
    sed -e ':a' -e '/\\$/N; s/\\\n *//; ta' "$page" >"$WORK/page"
    plot=$(grep -- '-o picture.svg' "$WORK/page") || continue
    more=$(sed -n 's/.*first line with `\(--until [0-9]*\)`.*/\1/p' "$WORK/page")
    if grep -q 'from the results of the last line' "$WORK/page"; then
        run=$(grep -E '^build/tutti (run|tune)' "$WORK/page")
    else
        run="$(grep '^build/tutti run' "$WORK/page" | head -1) $more"
    fi
    (
        cd "$WORK"
        printf '%s\n' "$run" | while read -r line; do eval "$line -q" </dev/null || [ $? = 1 ]; done
        eval "$plot" >/dev/null
    )
    cp "$WORK/picture.svg" "$(dirname "$page")/picture.svg"
done
