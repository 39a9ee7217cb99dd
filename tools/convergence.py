#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How fast the error falls with the step, for every way to couple.

Runs the double mass-spring-damper over master x approximation x iteration x H,
compares x1 with the exact solution of the whole system (a matrix exponential of
its own) and computes observed orders; then couples it more stiffly, to see which
way survives. Prints tables, writes docs/convergence.md, and exits 1 if anything is
not what theory predicts.

    tools/convergence.py [BUILD] [-o FILE] [--check]

--check writes nothing and says whether the file is up to date.
"""
import argparse
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SCENARIO = "examples/double-mass-spring-damper/scenario.json"
STEPS = [0.2, 0.1, 0.05, 0.025, 0.0125]
END = 10
TOLERANCE = 0.05  # of the order observed between the two smallest steps

MASTERS = [
    ("Jacobi", ["--master", "jacobi"]),
    ("Gauss-Seidel, msd1 first",
     ["--master", "gauss-seidel", "--order", "msd1,msd2"]),
    ("Gauss-Seidel, msd2 first",
     ["--master", "gauss-seidel", "--order", "msd2,msd1"]),
]
ITERATIONS = [
    ("once", []),
    ("2 turns", ["--iterate", "2"]),
    ("converged", ["--iterate", "converged", "--acceleration", "anderson"]),
]
ORDERS = [("hold", 1), ("linear", 2)]

# More ways to approximate inputs: name, options, order once and converged.
# Units take all these courses themselves; these numbers of sub-steps forbid
# it.
SUBSTEPS = {"SUBSTEPS": 10, "TWO": 2}
OTHERS = [
    ("linear, by 10 sub-steps", ["SUBSTEPS", "--approximation", "linear"], (2, 2)),
    ("linear, by 2 sub-steps", ["TWO", "--approximation", "linear"], (2, 2)),
    ("quadratic", ["--approximation", "quadratic"], (2, 3)),
    ("hermite", ["--approximation", "hermite"], (2, 2)),
    ("extrapolated-interpolation",
     ["--approximation", "extrapolated-interpolation"], (1, 2)),
    ("linear-extrapolated-interpolation",
     ["--approximation", "linear-extrapolated-interpolation"], (2, 2)),
]

# Spring cc and damper dc of the coupling.
COUPLINGS = [("soft", 1, 1), ("stiff damper", 1, 10), ("stiff spring", 20, 0.1)]
STIFF_STEP = 0.2
WAYS = [(0, "once", []), (2, "once", []), (0, "2 turns", ["--iterate", "2"]),
        (2, "2 turns", ["--iterate", "2"])]
WAYS += [(m, "converged, " + a, ["--iterate", "converged", "--acceleration", a])
         for m in (0, 2) for a in ("none", "aitken", "anderson", "newton")]


# --- the exact solution ------------------------------------------------------

def coupled(cc, dc):
    """States x1, v1, x2, v2; m1 = m2 = d1 = 1, c1 = 5, c2 = 0.1, d2 = 0."""
    return [[0, 1, 0, 0],
            [-5 - cc, -1 - dc, cc, dc],
            [0, 0, 0, 1],
            [cc, dc, -0.1 - cc, -dc]]


START = [1, 0, 0, 0]
# With cc = dc = 1, from an independent exact solver.
PUBLISHED = {1: -0.117240501142, 2: -0.242769681500, 5: 0.043071622117,
             10: 0.001577000616}


def product(a, b):
    return [[sum(x * y for x, y in zip(row, col)) for col in zip(*b)]
            for row in a]


def exponential(a, t):
    """exp(a t): Taylor series of a t / 2^s, squared s times."""
    n = len(a)
    norm = max(sum(abs(x) for x in row) for row in a) * t
    squarings = max(0, math.ceil(math.log2(norm)) + 3) if norm > 0 else 0
    small = [[x * t / 2**squarings for x in row] for row in a]
    one = [[float(i == k) for k in range(n)] for i in range(n)]
    total, term = one, one
    for k in range(1, 19):
        term = [[x / k for x in row] for row in product(term, small)]
        total = [[x + y for x, y in zip(r, s)] for r, s in zip(total, term)]
    for _ in range(squarings):
        total = product(total, total)
    return total


def exact(t, cc=1, dc=1):
    first = exponential(coupled(cc, dc), t)[0]
    return sum(x * y for x, y in zip(first, START))


def check_reference():
    for t, x1 in PUBLISHED.items():
        if abs(exact(t) - x1) > 6e-13:
            sys.exit(f"convergence: x1({t}) is {exact(t)!r}, expected {x1!r}")


# --- the runs ----------------------------------------------------------------

class Bench:
    def __init__(self, build, folder):
        self.program = os.path.join(build, "tutti")
        self.scenario = os.path.join(build, SCENARIO)
        self.output = os.path.join(folder, "outputs.csv")
        self.reference = {}
        self.substeps = {}
        for name, n in SUBSTEPS.items():
            self.substeps[name] = os.path.join(folder, f"substeps{n}.json")
            with open(self.substeps[name], "w", encoding="utf-8") as f:
                json.dump({"substeps": {"msd1": n, "msd2": n}}, f)
        self.substeps["START"] = os.path.join(folder, "start.json")
        with open(self.substeps["START"], "w", encoding="utf-8") as f:
            json.dump({"start": "iterate"}, f)
        for path in (self.program, self.scenario):
            if not os.path.exists(path):
                sys.exit(f"convergence: there is no {path}; make build first")

    def exact_at(self, times, cc, dc):
        for t in times:
            if (t, cc, dc) not in self.reference:
                self.reference[t, cc, dc] = exact(t, cc, dc)
        return [self.reference[t, cc, dc] for t in times]

    def run(self, options, step, cc=1, dc=1):
        """Largest error of x1, and how often the first unit steps per H; None
        if the units did not come to agree."""
        options = [self.substeps.get(o, o) for o in options]
        argv = [self.program, "run", self.scenario, "--json", "--step",
                repr(step), "--until", str(END), "-o", self.output,
                "--set", f"msd2.cc={cc}", "--set", f"msd2.dc={dc}"] + options
        done = subprocess.run(argv, capture_output=True, text=True)
        if done.returncode == 1 and "did not converge" in done.stderr + done.stdout:
            return None
        if done.returncode:
            sys.exit(f"convergence: {' '.join(argv)}: {done.stderr.strip()}")
        with open(self.output, newline="", encoding="utf-8") as f:
            rows = list(csv.reader(f))
        at = rows[0].index("{msd1}.msd1.x1")
        times = [float(r[0]) for r in rows[1:]]
        error = max(abs(float(r[at]) - x) for r, x in
                    zip(rows[1:], self.exact_at(times, cc, dc)))
        said = json.loads(done.stdout)
        return error, said["units"][0]["steps"] / said["steps"]


def measure(bench):
    """A list of (approximation, theory, master, iteration, errors, turns)."""
    found = []
    for approximation, theory in ORDERS:
        for iteration, turns in ITERATIONS:
            for master, how in MASTERS:
                options = how + turns + ["--approximation", approximation]
                runs = [bench.run(options, h) for h in STEPS]
                found.append((approximation, theory, master, iteration,
                              [e for e, _ in runs], runs[0][1]))
    return found


def measure_others(bench):
    """A list of (name, theory, master, iteration, errors, turns), as measure."""
    found = []
    for name, way, theory in OTHERS:
        for k, order in ((0, theory[0]), (2, theory[1])):
            iteration, turns = ITERATIONS[k]
            for master, how in (MASTERS[0], MASTERS[2]):
                runs = [bench.run(how + turns + way, h) for h in STEPS]
                found.append((name, order, master, iteration,
                              [e for e, _ in runs], runs[0][1]))
    for master, how in (MASTERS[0], MASTERS[2]):
        options = how + ["START", "--approximation", "quadratic"]
        runs = [bench.run(options, h) for h in STEPS]
        found.append(("quadratic", 3, master, "first step converged",
                      [e for e, _ in runs], runs[0][1]))
    return found


def measure_stiff(bench):
    """A list of (approximation, master, iteration, [run of each coupling])."""
    found = []
    for approximation, _ in ORDERS:
        for master, iteration, turns in WAYS:
            name, how = MASTERS[master]
            options = how + turns + ["--approximation", approximation]
            found.append((approximation, name, iteration,
                          [bench.run(options, STIFF_STEP, cc, dc)
                           for _, cc, dc in COUPLINGS]))
    return found


def orders(errors):
    """Between neighbours: p in error = const H^p."""
    return [math.log(a / b) / math.log(g / h) for a, b, g, h in
            zip(errors, errors[1:], STEPS, STEPS[1:])]


# --- the words ---------------------------------------------------------------

HEAD = """<!-- SPDX-License-Identifier: MIT -->
<!-- Written by tools/convergence.py; do not edit. -->
# Convergence

Does the error fall as fast as theory predicts? This page is made by

```sh
make convergence
```

which runs the [double mass-spring-damper](../examples/double-mass-spring-damper/README.md)
over ten seconds with every master, approximation and iteration, and compares the left
mass's position with the exact solution of the whole system. It fails if an order
differs from theory by more than {tolerance}. The instances solve their own equations exactly,
so all of the error is the coupling's.

A scheme has *order* p if its error falls like H^p: halving the step H divides the error
by 2^p. Theory gives 1 for held inputs and 2 for linear ones, iterated or not. Iterating
does not raise the order; it lowers the error or makes a coupling
[stable](concepts/iteration.md). Why *converged* is the same for all masters: it is the
same equation, solved in different ways.
"""

SECTION = """
## {name}: order {theory}

Largest error of x1 in m, and the order observed from one step to its half.

"""


def table(found, approximation):
    lines = ["| master | iteration | steps per H | "
             + " | ".join(f"H = {h:g} s" for h in STEPS)
             + " | orders | ",
             "| --- | --- | --- |" + " --- |" * (len(STEPS) + 1)]
    lines[0] = lines[0].rstrip()
    for a, _, master, iteration, errors, turns in found:
        if a == approximation:
            cells = [master, iteration, f"{turns:.3g}"]
            cells += [f"{e:.3e}" for e in errors]
            cells.append(", ".join(f"{p:.2f}" for p in orders(errors)))
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


OTHER = """
## Other approximations

The same, for the other ways to [approximate inputs](concepts/approximation.md). In a
converged step every course ends at the new value, so extrapolation no longer counts:
a quadratic course is of order 3 then, and continuous courses are plain lines. The force's
Hermite course is a line too, because the force depends on inputs directly.

What keeps quadratic courses at order 2 is the first step, where there is no past and inputs are
held. With `"start": "iterate"` that step alone is repeated until converged, and the order is 3.

"""


def other_table(others):
    lines = ["| inputs | master | iteration | "
             + " | ".join(f"H = {h:g} s" for h in STEPS)
             + " | orders | theory |",
             "| --- | --- | --- |" + " --- |" * (len(STEPS) + 2)]
    for name, theory, master, iteration, errors, _ in others:
        cells = [name, master, iteration] + [f"{e:.3e}" for e in errors]
        cells += [", ".join(f"{p:.2f}" for p in orders(errors)), str(theory)]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


STIFF = """
## Stiff couplings

The same masses, with the coupling's damper ten times as strong (dc = 10 N s/m), and with
a stiff spring instead (cc = 20 N/m, dc = 0.1 N s/m). H = {step:g} s throughout. Each cell
has the largest error of x1 in m, and how often an instance steps per H.

"""


def stiff_cell(run):
    if run is None:
        return "does not agree"
    error, turns = run
    if error > 1:  # more than the masses were ever displaced
        return f"diverges; {turns:.3g}"
    return f"{error:.2e}; {turns:.3g}"


def stiff_table(stiff):
    lines = ["| inputs | master | iteration | "
             + " | ".join(f"{name}" for name, _, _ in COUPLINGS) + " |",
             "| --- | --- | --- |" + " --- |" * len(COUPLINGS)]
    for approximation, master, iteration, runs in stiff:
        cells = [approximation, master, iteration] + [stiff_cell(r) for r in runs]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def stiff_disagreements(stiff):
    """What an independent linear solver says of these couplings."""
    by = {(a, m, i): runs for a, m, i, runs in stiff}
    jacobi, seidel = MASTERS[0][0], MASTERS[2][0]
    expected = [  # approximation, master, iteration, coupling: works?
        ("hold", jacobi, "once", 1, False),
        ("hold", jacobi, "converged, none", 1, False),
        ("hold", jacobi, "converged, anderson", 1, True),
        ("hold", jacobi, "converged, newton", 1, True),
        ("hold", seidel, "converged, none", 1, True),
        ("hold", seidel, "converged, newton", 2, False),
        ("linear", seidel, "converged, newton", 1, True),
        ("linear", seidel, "converged, newton", 2, True),
    ]
    for a, m, i, coupling, works in expected:
        run = by[a, m, i][coupling]
        if (run is not None and run[0] <= 1) != works:
            yield (f"{COUPLINGS[coupling][0]}, {a}, {m}, {i}: expected that it "
                   f"{'works' if works else 'fails'}, got {stiff_cell(run)}")


def page(found, others, stiff):
    text = HEAD.format(tolerance=TOLERANCE)
    for approximation, theory in ORDERS:
        text += SECTION.format(name=approximation.capitalize(), theory=theory)
        text += table(found, approximation)
    text += """
*Steps per H* are what an iterated step costs, here at H = 0.2 s: how often the
left instance steps per macro step, Anderson's acceleration solving to 1e-10.
"""
    text += OTHER + other_table(others)
    text += STIFF.format(step=STIFF_STEP) + stiff_table(stiff)
    return text + """
*Diverges*: the error grows beyond the 1 m of the start. *Does not agree*: the run stops
after 100 evaluations of a step and names the loop. What to make of it is in
[which master](concepts/which-master.md).
"""


def show_stiff(stiff):
    print(f"{'inputs':7} {'master':25} {'iteration':20}"
          + "".join(f" {name:>16}" for name, _, _ in COUPLINGS))
    for approximation, master, iteration, runs in stiff:
        print(f"{approximation:7} {master:25} {iteration:20}"
              + "".join(f" {stiff_cell(r):>16}" for r in runs))


def show(found):
    width = max(7, *(len(a) for a, *_ in found))
    print(f"{'inputs':{width}} {'iteration':10} {'master':25}"
          + "".join(f" {f'H={h:g}':>10}" for h in STEPS) + "  orders")
    for approximation, _, master, iteration, errors, _ in found:
        print(f"{approximation:{width}} {iteration:10} {master:25}"
              + "".join(f" {e:10.3e}" for e in errors) + "  "
              + " ".join(f"{p:.2f}" for p in orders(errors)))


def disagreements(found):
    for approximation, theory, master, iteration, errors, _ in found:
        seen = orders(errors)[-1]
        if not abs(seen - theory) <= TOLERANCE:
            yield (f"{approximation}, {iteration}, {master}: order {seen:.3f}, "
                   f"theory predicts {theory}")
    for approximation, _ in ORDERS:
        same = [e for a, _, _, i, e, _ in found
                if a == approximation and i == "converged"]
        for errors in same[1:]:
            if any(abs(x / y - 1) > 1e-6 for x, y in zip(errors, same[0])):
                yield f"{approximation}, converged: masters disagree"


def write_or_check(path, text, check):
    if not check:
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)
        return 0
    with open(path, encoding="utf-8") as f:
        if f.read() == text:
            return 0
    print(f"convergence: {path} is not up to date", file=sys.stderr)
    return 1


def main():
    p = argparse.ArgumentParser(description="Orders of convergence, measured.")
    p.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    p.add_argument("-o", "--output",
                   default=os.path.join(ROOT, "docs", "convergence.md"))
    p.add_argument("--check", action="store_true",
                   help="write nothing, compare with the file")
    o = p.parse_args()
    check_reference()
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(o.build, folder)
        found, stiff = measure(bench), measure_stiff(bench)
        others = measure_others(bench)
    show(found)
    show(others)
    show_stiff(stiff)
    wrong = list(disagreements(found)) + list(disagreements(others))
    wrong += list(stiff_disagreements(stiff))
    for words in wrong:
        print(f"convergence: {words}", file=sys.stderr)
    if wrong:
        return 1
    print(f"orders are as theory predicts, within {TOLERANCE}")
    return write_or_check(o.output, page(found, others, stiff), o.check)


if __name__ == "__main__":
    sys.exit(main())
