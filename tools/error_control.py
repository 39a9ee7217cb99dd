#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Tolerance asked against error reached, and what it cost.

Runs the double mass-spring-damper to T = 100, free and with a force that steps
in at t = 30, under error control, and compares all states with the exact
solution; then with the fixed step that makes the same error. Does the same for
the energy residual of the power bond. Prints tables, writes
docs/error-control.md, and exits 1 if an error does not follow its tolerance or
a fixed step is not twice as dear.

    tools/error_control.py [BUILD] [-o FILE]
"""
import argparse
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

from convergence import ROOT, coupled, exponential

FREE = "examples/double-mass-spring-damper/scenario.json"
PUSHED = "tests/physics/pushed.json"
BONDS = os.path.join(ROOT, "tests/physics/bonds.json")
REPAID = os.path.join(ROOT, "tests/physics/bonds-corrected.json")
END, LEAP = 100, 30
STATES = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2"]
CASES = [  # scenario, its name, method, inputs, tolerances
    (FREE, "free", method, inputs, tolerances)
    for method in ("richardson", "milne", "orders", "embedded")
    for inputs, tolerances in (("hold", [1e-2, 1e-3]),
                               ("linear", [1e-2, 1e-3, 1e-4, 1e-5]),
                               ("quadratic", [1e-2, 1e-3, 1e-4, 1e-5]))
] + [(PUSHED, "pushed", method, "linear", [1e-2, 1e-3, 1e-4, 1e-5])
     for method in ("richardson", "milne", "orders", "embedded")]

# x1, v1, x2, v2 and the force, which is constant but for the leap.
SYSTEM = [row + [float(i == 1)] for i, row in enumerate(coupled(1, 1))] + [[0] * 5]


def move(x, dt, known):
    """exp(SYSTEM dt) x; matrices of lengths that come again are kept."""
    if dt not in known:
        if len(known) > 1000:
            known.clear()
        known[dt] = exponential(SYSTEM, dt)
    return [sum(a * b for a, b in zip(row, x)) for row in known[dt]]


def largest_error(path, pushed, step):
    """Over all rows; `step` is the length of all of them, or None."""
    x, t, worst, known = [1, 0, 0, 0, 0], 0.0, 0.0, {}
    with open(path, newline="", encoding="utf-8") as f:
        rows = csv.reader(f)
        head = next(rows)
        at = [head.index(name) for name in STATES]
        for row in rows:
            now = float(row[0])
            if now > t and pushed and t < LEAP < now - 1e-9:
                x = move(x, LEAP - t, known)
                t = LEAP
            if now > t:
                x[4] = float(pushed and t >= LEAP - 1e-9)
                x = move(x, step or now - t, known)
                t = now
            worst = max(worst, max(abs(float(row[i]) - y)
                                   for i, y in zip(at, x)))
    return worst


class Bench:
    def __init__(self, build, folder):
        self.build = build
        self.output = os.path.join(folder, "outputs.csv")
        self.fixed = {}

    def run(self, scenario, options, step=None):
        """Largest error, unit steps and the summary."""
        argv = [os.path.join(self.build, "tutti"), "run",
                os.path.join(self.build, scenario), "--json", "--until",
                str(END), "-o", self.output] + options
        done = subprocess.run(argv, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"error_control: {' '.join(argv)}: {done.stderr.strip()}")
        said = json.loads(done.stdout)
        return (largest_error(self.output, scenario == PUSHED, step),
                sum(u["steps"] for u in said["units"]), said)

    def dearest(self, scenario, inputs, error):
        """Unit steps of the fixed step with this error: steps are halved, and
        the two around it give the one between. The leap is on every grid."""
        before, step = None, 0.25
        while True:
            key = scenario, inputs, step
            if key not in self.fixed:
                self.fixed[key] = self.run(
                    scenario, ["--step", repr(step), "--approximation", inputs],
                    step)[:2]
            e, n = self.fixed[key]
            if e <= error:
                break
            before, step = (e, n), step / 2
        if not before:
            return n
        share = math.log(before[0] / error) / math.log(before[0] / e)
        return before[1] * (n / before[1]) ** share


def slope(points):
    """Of the line of least squares through the logarithms."""
    x = [math.log(a) for a, _ in points]
    y = [math.log(b) for _, b in points]
    mx, my = sum(x) / len(x), sum(y) / len(y)
    return (sum((a - mx) * (b - my) for a, b in zip(x, y))
            / sum((a - mx) ** 2 for a in x))


def measure(bench):
    """A list of (case, [(tolerance, error, unit steps, summary, fixed)])."""
    found = []
    for case in CASES:
        scenario, _, method, inputs, tolerances = case
        runs = []
        for tolerance in tolerances:
            error, n, said = bench.run(scenario, [
                "--error-control", method, "--step-tolerance", repr(tolerance),
                "--approximation", inputs])
            runs.append((tolerance, error, n, said,
                         bench.dearest(scenario, inputs, error)))
        found.append((case, runs))
    return found


def residual(said):
    text = next(n["text"] for n in said["decisions"]
                if re.match(r"bond '\w+': residual", n["text"]))
    return re.search(r"residual (\S+) J, (\S+) J", text).groups()


def measure_energy(bench):
    """A list of (steps, [(error, net, gross)] as it is and repaid)."""
    found = []
    ways = [(f"fixed, {h:g} s", ["--step", repr(h)]) for h in (0.1, 0.05, 0.025)]
    ways += [(f"energy, {tol:.0e}", ["--error-control", "energy",
                                     "--step-tolerance", repr(tol)])
             for tol in (1e-2, 1e-3, 1e-4)]
    for name, options in ways:
        pair = []
        for bonds in (BONDS, REPAID):
            error, _, said = bench.run(FREE, [bonds] + options)
            pair.append((error,) + residual(said))
        found.append((name, pair))
    return found


def disagreements(found):
    for (_, name, method, inputs, _), runs in found:
        who = f"{name}, {method}, {inputs}"
        if not 0.8 <= slope([r[:2] for r in runs]) <= 1.2:
            yield f"{who}: slope {slope([r[:2] for r in runs]):.2f}"
        for tolerance, error, n, _, fixed in runs:
            if not tolerance / 10 < error < tolerance * 10:
                yield f"{who}: asked {tolerance:g}, reached {error:.2e}"
            if fixed < 2 * n:
                yield f"{who}: {n} unit steps, a fixed step takes {fixed:.0f}"


HEAD = """<!-- SPDX-License-Identifier: MIT -->
<!-- Written by tools/error_control.py; do not edit. -->
# Error control, measured

Does the error follow the tolerance, and what does it cost? This page is made by

<!-- not run: it measures for minutes -->
```sh
make error-control
```

which runs the [double mass-spring-damper](../examples/double-mass-spring-damper/README.md)
to T = 100 s, a transient and a long tail; and *pushed*, with a force of 1 N on the left
mass from t = 30 s on. *Reached* is the largest error of x1, v1, x2 and v2 against the exact
solution, over all rows. *Instance steps* counts every step of every instance, rejected and doubled
ones too; *fixed* is what the fixed step with the same error takes. It fails if the slope
of *reached* over *asked* is not between 0.8 and 1.2 in logarithms, if the two differ by
more than a factor 10, or if a fixed step takes less than twice the instance steps.
How it works is in [steps](concepts/steps.md#error-control).

| run | method | inputs | asked | reached | steps | rejected | instance steps | fixed | saved | slope |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""

ENERGY = """
## Energy

The same masses, joined by a [power bond](concepts/energy.md) F v1, with held inputs: the
residual energy of the bond over 100 s, net and as the sum of amounts, as it is and with
what was missed repaid (`correction`).

| steps | error | net, J | amounts, J | error, repaid | net, J | amounts, J |
| --- | --- | --- | --- | --- | --- | --- |
"""


def page(found, energy):
    text = HEAD
    for (_, name, method, inputs, _), runs in found:
        for i, (tolerance, error, n, said, fixed) in enumerate(runs):
            cells = [name, method, inputs] if i == 0 else ["", "", ""]
            cells += [f"{tolerance:.0e}", f"{error:.1e}", str(said["steps"]),
                      str(said["rejected"]), str(n), f"{fixed:.0f}",
                      f"{fixed / n:.0f} x",
                      f"{slope([r[:2] for r in runs]):.2f}" if i == 0 else ""]
            text += "| " + " | ".join(cells) + " |\n"
    text += ENERGY
    for name, pair in energy:
        cells = [name]
        for error, net, gross in pair:
            cells += [f"{error:.1e}", f"{float(net):.1e}", f"{float(gross):.1e}"]
        text += "| " + " | ".join(cells) + " |\n"
    return text


def main():
    a = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    a.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    a.add_argument("-o", default=os.path.join(ROOT, "docs/error-control.md"))
    args = a.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(os.path.abspath(args.build), folder)
        found, energy = measure(bench), measure_energy(bench)
    text = page(found, energy)
    print("\n".join(line for line in text.splitlines() if line.startswith("|")))
    with open(args.o, "w", encoding="utf-8") as f:
        f.write(text)
    wrong = list(disagreements(found))
    for line in wrong:
        print(f"error_control: {line}", file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
