#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tutti tune on systems that nobody has tuned: tune_random_test.py BUILD. Random pairs, chains and rings of masses:
what is chosen is within the tolerance of the exact solution, at no more than twice the cost of the cheapest of all
masters, orders, courses and steps, each run. Twenty of them with TUTTI_LONG."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

from linear import Network, left, network, right

BUILD = os.path.abspath(sys.argv[1])
INSTANTS = 50
COURSES = "linear", "hold", "quadratic", "hermite"
STEPS = (50, 100, 200, 500, 1000, 2000, 5000, 10000)
APPROACHES = ({"master": "gauss-seidel"}, {"master": "jacobi"}, {"master": "gauss-seidel", "order": "opposite"},
              {"master": "gauss-seidel", "iterate": 2},
              {"master": "gauss-seidel", "iterate": "converged", "acceleration": "newton"})
# instances, what feeds what, and the same by numbers
PAIR = ("{msd1}.a", "{msd2}.b"), [(0, "x1", 1, "x1"), (0, "v1", 1, "v1"), (1, "F", 0, "F")]
CHAIN = ("{msd1}.a", "{msd2}.b", "{msd1}.c"), [(0, "x1", 1, "x1"), (2, "v1", 1, "v1"), (1, "F", 0, "F"),
                                               (1, "F", 2, "F")]
RING = ("{msd1}.a", "{msd1}.b", "{msd1}.c"), [(i, "v1", (i + 1) % 3, "F") for i in range(3)]
SQUARE = ("{msd1}.a", "{msd2}.b", "{msd1}.c", "{msd2}.d"), [
    *((u, v, u + 1, v) for u in (0, 2) for v in ("x1", "v1")), (1, "F", 2, "F"), (3, "F", 0, "F")]
INPUTS, OUTPUTS = {"msd1": ["F"], "msd2": ["x1", "v1"]}, {"msd1": ["x1", "v1"], "msd2": ["F"]}


def tutti(*words):
    done = subprocess.run([os.path.join(BUILD, "tutti"), *words], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (words, done.returncode, done.stdout, done.stderr)
    return json.loads(done.stdout)


def put(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
    return path


def kind(name):
    return name[1:5]


class System:
    """One of them: as a scenario, and its exact solution."""

    def __init__(self, draw, shape, tolerance):
        self.names, feeds = shape
        self.tolerance, self.end = tolerance, draw.choice([5, 10, 20])
        parts, parameters = [], {}
        for name in self.names:
            drawn = [draw.uniform(0.5, 3), draw.uniform(0.5, 5), draw.uniform(0.3, 2)]
            drawn += [draw.uniform(0.1, 3), draw.uniform(0.05, 1)] if kind(name) == "msd2" else []
            words = ("m2", "c2", "d2", "cc", "dc") if kind(name) == "msd2" else ("m1", "c1", "d1")
            parameters.update({f"{name}.{w}": v for w, v in zip(words, drawn)})
            parts.append((right if kind(name) == "msd2" else left)(*drawn))
        by = {(t, i): (h, OUTPUTS[kind(self.names[h])].index(o)) for h, o, t, i in feeds}
        whole = Network(parts, [[by[u, i] for i in INPUTS[kind(n)]] for u, n in enumerate(self.names)])
        self.path = put("scenario.json", {**network(BUILD, "", self.names, feeds), "parameters": parameters,
                                          "startTime": 0, "endTime": self.end})
        self.exact = {}
        for x, y in whole.exact(self.end, INSTANTS):
            for u, n in enumerate(self.names):
                state = ("x2", "v2") if kind(n) == "msd2" else ("x1", "v1")
                for v, value in {**dict(zip(state, x[u])), **dict(zip(OUTPUTS[kind(n)], y[u]))}.items():
                    self.exact.setdefault(f"{n}.{v}", []).append(value)

    def run(self, *paths):
        """Error, by ranges, and cost."""
        done = tutti("run", *paths, "--json", "-o", "out.csv")
        with open("out.csv", newline="", encoding="utf-8") as f:
            rows = {round(float(r["time"]) * INSTANTS / self.end, 6): r for r in csv.DictReader(f)}
        worst = max(max(abs(float(rows[k][name]) - v) for k, v in enumerate(values)) / (max(values) - min(values))
                    for name, values in self.exact.items())
        return worst, sum(u["steps"] for u in done["units"])

    def cheapest(self):
        """Of everything."""
        best = None
        for approach in APPROACHES:
            for course in COURSES:
                settings = {**approach, "approximation": course}
                if "order" in settings:
                    settings["order"] = list(reversed(self.names))
                for n in STEPS:
                    if best and n * len(self.names) > best:
                        break
                    error, cost = self.run(self.path, put("over.json", {
                        **settings, "algorithm": {"type": "fixed-step", "size": self.end / n}}))
                    if error <= self.tolerance:
                        best = min(cost, best or cost)
                        break
        return best


def main():
    draw = random.Random(8)
    total = 20 if "TUTTI_LONG" in os.environ else 4
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for k in range(total):
            s = System(draw, (PAIR, CHAIN, RING, SQUARE)[k % 4], draw.choice([1e-2, 3e-3, 1e-3]))
            best = tutti("tune", s.path, "--tolerance", repr(s.tolerance), "-o", "tuned.json", "--json")["best"]
            error, cost = s.run("tuned.json")
            least = s.cheapest()
            print(f"{k + 1}: {s.end} s, tolerance {s.tolerance}: {best['variant']} at {best['step']:.3g} s, error "
                  f"{error:.2g}, cost {cost}, {cost / least:.2f} of {least}", flush=True)
            assert best["confirmed"] and best["within"], best
            assert error <= 1.1 * s.tolerance, (error, s.tolerance)
            assert cost <= 2 * least, (cost, least)
        os.chdir("/")


main()
