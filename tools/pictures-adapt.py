#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of docs/adaptations: one run as it is, one with a clause,
both in a plot. tools/pictures-adapt.py [BUILD]"""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

os.chdir(os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
BUILD = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "build")
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
MASSES = os.path.join(EXAMPLES, "double-mass-spring-damper")
A, B, X1 = "{msd1}.msd1", "{msd2}.msd2", "{msd1}.msd1.x1"


def masses(step=0.2, end=10, **more):
    """Two masses, each an instance."""
    return {"fmus": {"{msd1}": MASSES + "/msd1.fmu",
                     "{msd2}": MASSES + "/msd2.fmu"},
            "connections": {A + ".x1": [B + ".x1"], A + ".v1": [B + ".v1"],
                            B + ".F": [A + ".F"]},
            "algorithm": {"type": "fixed-step", "size": step},
            "endTime": end, **more}


def whole(closed):
    """Both in one instance whose force goes out and in."""
    inside = masses()
    del inside["algorithm"], inside["endTime"]
    del inside["connections"][B + ".F"]
    inside.update(parameters={B + ".cc": 1, B + ".dc": 2},
                  ports={"inputs": {"F": A + ".F"},
                         "outputs": {"force": B + ".F", "x1": A + ".x1"}})
    s = {"fmus": {"{two}": inside}, "instances": {"{two}": ["two"]},
         "connections": {}, "algorithm": {"type": "fixed-step", "size": 0.25},
         "logVariables": {"{two}.two": ["x1"]}, "endTime": 10}
    if closed:
        s["connections"]["{two}.two.force"] = ["{two}.two.F"]
    return s


def pushed(table, step=0.1):
    """The first mass alone, with a force from a table."""
    return {"fmus": {"{msd1}": MASSES + "/msd1.fmu", "{push}": table},
            "connections": {"{push}.push.F": [A + ".F"]},
            "logVariables": {A: ["x1"], "{push}.push": ["F"]},
            "algorithm": {"type": "fixed-step", "size": step}, "endTime": 10}


def thermostat():
    with open(os.path.join(EXAMPLES, "thermostat", "scenario.json"),
              encoding="utf-8") as f:
        s = json.load(f)
    place = os.path.join(EXAMPLES, "thermostat")
    s["fmus"] = {k: os.path.join(place, v) for k, v in s["fmus"].items()}
    s.update(algorithm={"type": "fixed-step", "size": 20}, endTime=900)
    return s


class Drawing:
    def __init__(self, work):
        self.work = work

    def path(self, name):
        return os.path.join(self.work, name)

    def run(self, scenario, column):
        with open(self.path("s.json"), "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        subprocess.run([TUTTI, "run", "-q", self.path("s.json"), "-o",
                        self.path("out.csv")], check=True)
        with open(self.path("out.csv"), encoding="utf-8") as f:
            return {float(r["time"]): float(r[column])
                    for r in csv.DictReader(f)}

    def table(self, text):
        with open(self.path("push.csv"), "w", encoding="utf-8") as f:
            f.write(text)
        return "push.csv"

    def draw(self, name, title, column, before, after, exact=None):
        """Times that only one run has are on lines between those of the
        other."""
        runs = {"before": self.run(before, column),
                "after": self.run(after, column)}
        if exact:
            runs["exact"] = self.run(exact, column)
        times = sorted(set(runs["before"]) | set(runs["after"]))
        with open(self.path("both.csv"), "w", encoding="utf-8") as f:
            f.write("time," + ",".join(runs) + "\n")
            for t in times:
                f.write(",".join([repr(t)] + [repr(at(r, t))
                                              for r in runs.values()]) + "\n")
        subprocess.run([TUTTI, "plot", self.path("both.csv"), "-o",
                        "docs/pictures/adapt-" + name + ".svg", "--title",
                        title], check=True)


def at(run, t):
    if t in run:
        return run[t]
    a = max(k for k in run if k < t)
    b = min(k for k in run if k > t)
    return run[a] + (run[b] - run[a]) * (t - a) / (b - a)


def adapted(scenario, **clauses):
    names = {"a": A, "b": B, "two": "{two}.two", "push": "{push}.push",
             "ctl": "{thermostat}.thermostat"}
    return {**scenario, "adapt": {names[k]: v for k, v in clauses.items()}}


def main(work):
    d = Drawing(work)
    frame = "frame x1 v1 matrix -1 0 0 -1 offset 0.5 0"
    fine = masses(step=0.005)
    jump = "time,F\n0,0\n3,0\n3,1\n20,1\n"
    d.draw("units", "x1 in m: as it is, and seen from the other side", X1,
           masses(), adapted(masses(), a=frame, b=frame))
    wave = d.table("time,F\n" + "".join(
        f"{k / 20},{math.sin(k / 10)}\n" for k in range(220)))
    d.draw("interpolation", "x1 in m, H = 1 s, F a sine", X1,
           pushed(wave, 1),
           adapted(pushed(wave, 1), a="interpolate F in 20 steps"),
           pushed(wave, 0.01))
    d.draw("iteration", "x1 in m, H = 0.25 s", "{two}.two.x1", whole(True),
           adapted(whole(False), two="iterate F from force newton"))
    inside = whole(True)
    d.draw("multi-rate", "x1 in m, H = 0.25 s", "{two}.two.x1", inside,
           adapted(whole(False),
                   two=["iterate F from force newton", "multiply rate 10"]))
    hermite = masses(step=0.5, approximation="hermite", iterate=3)
    d.draw("derivatives", "x1 in m, H = 0.5 s, hermite", X1,
           adapted(hermite, a="multiply rate 1"),
           adapted(hermite, a="derivatives by differences"), fine)
    d.draw("crossing", "Temperature in degC, H = 20 s", "{room}.room.T",
           thermostat(),
           adapted(thermostat(), ctl=["locate T crosses 21 up",
                                      "locate T crosses 19 down"]))
    table = d.table(jump)
    d.draw("reinitialisation", "x1 in m: begun anew at 3 s, at rest", X1,
           pushed(table), adapted(pushed(table),
                                  a="reinitialise on F jump > 0.5 keep x1"))
    d.draw("quantization", "x1 in m, in steps of 0.2 m", X1, masses(),
           adapted(masses(), a="quantize x1 step 0.2"))
    d.draw("hold", "F in N, held for five steps", B + ".F", masses(),
           adapted(masses(), b="divide rate 5 with hold"))
    d.draw("triggered", "F in N, computed while x1 > 0", B + ".F", masses(),
           adapted(masses(), b="run when x1 > 0"))
    table = d.table("time,F\n0,0\n2,0.4\n2,1\n5,0.6\n5,0.1\n8,0.3\n8,0.7\n"
                    "10,0.5\n")
    d.draw("timed", "A table, and what it is at its jumps", "{push}.push.F",
           pushed(table), adapted(pushed(table), push="run at next event"))


with tempfile.TemporaryDirectory() as folder:
    main(folder)
