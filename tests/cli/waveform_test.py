#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Inputs that follow what their sources did within the step: waveform_test.py BUILD.
Against the matrix exponential, and against the units' own method over all of them."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
MSD = os.path.join(EXAMPLES, "double-mass-spring-damper")
BALL = os.path.join(EXAMPLES, "bouncing-ball", "bouncing_ball-fmi3.fmu")
ME = ["--interface", "me", "--no-together"]
WAVE = ["--approximation", "waveform", "--iterate", "converged"]
# x1, v1, x2, v2 of the two masses: x' = A x
A = [[0, 1, 0, 0], [-6, -2, 1, 1], [0, 0, 0, 1], [1, 1, -1.1, -1]]
START = [1, 0, 0, 0]


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done


def rows(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.DictReader(f))


def text(path):
    with open(path, "rb") as f:
        return f.read()


def rate(x):
    return [sum(a * b for a, b in zip(row, x)) for row in A]


def exact(t):
    """exp(A t) START: the Taylor series over so short a time that 24 terms have all digits."""
    parts, x = 32, START
    for _ in range(parts):
        term, total = x, x
        for k in range(1, 25):
            term = [t / parts / k * d for d in rate(term)]
            total = [a + b for a, b in zip(total, term)]
        x = total
    return x


def euler(h):
    """What forward Euler over all four states gives at t."""
    at, x = 0, START

    def value(t):
        nonlocal at, x
        while at < round(t / h):
            x, at = [a + h * d for a, d in zip(x, rate(x))], at + 1
        return x
    return value


def error(path, reference):
    """The largest difference of a position."""
    worst = 0
    for r in rows(path):
        x = reference(float(r["time"]))
        worst = max(worst, abs(float(r["{msd1}.msd1.x1"]) - x[0]), abs(float(r["{msd2}.msd2.x2"]) - x[2]))
    return worst


def masses(step, *words, scenario="scenario.json"):
    return tutti("run", os.path.join(MSD, scenario), "--until", "8", "--step", str(step), "-v", "-o", "m.csv", *words)


def test_converged_it_is_the_whole_to_the_tolerance_of_the_integrator():
    for tolerance in (1e-4, 1e-6, 1e-8):
        for step in (0.5, 2, 8):
            masses(step, *ME, *WAVE, "--tolerance", str(tolerance))
            assert error("m.csv", exact) < tolerance, (tolerance, step, error("m.csv", exact))
    masses(2, *ME, "--approximation", "linear", "--iterate", "converged", "--tolerance", "1e-8")
    assert error("m.csv", exact) > 0.1  # a straight line is not


def order(*words):
    errors = []
    for step in (0.125, 0.0625):
        masses(step, *ME, "--until", "4", "--tolerance", "1e-11", *words)
        errors.append(error("m.csv", exact))
    return math.log2(errors[0] / errors[1])


def test_turns_raise_the_order_which_of_lines_they_do_not():
    """Picard's iteration: each time round, the integrals of the masses gain one. With Gauss-Seidel
    that is a turn; with Jacobi it is two, for the force follows from positions without one."""
    def near(expected, *words):
        got = order(*words)
        assert abs(got - expected) < 0.1, (words, got)

    for turns in (2, 3, 4):
        near(turns + 1, "--master", "gauss-seidel", "--approximation", "waveform", "--iterate", str(turns))
    for turns, expected in ((2, 2), (3, 3), (4, 3), (5, 4)):
        near(expected, "--approximation", "waveform", "--iterate", str(turns))
    for turns in (3, 5):
        near(2, "--master", "gauss-seidel", "--approximation", "linear", "--iterate", str(turns))
        near(1, "--master", "gauss-seidel", "--approximation", "hold", "--iterate", str(turns))


def test_of_co_simulation_units_it_is_their_method_over_all():
    """Each takes n steps of forward Euler and reports in intermediate update: what comes out
    is forward Euler over both, whatever the macro step."""
    for step in (0.5, 2):
        words = []
        for unit in ("{msd1}.msd1", "{msd2}.msd2"):
            words += ["--set", f"{unit}.microsteps={int(40 * step)}"]
        masses(step, *WAVE, *words, scenario="scenario-fmi3.json")
        assert error("m.csv", euler(1 / 40)) < 1e-9, error("m.csv", euler(1 / 40))
        masses(step, "--approximation", "linear", "--iterate", "converged", *words, scenario="scenario-fmi3.json")
        assert error("m.csv", euler(1 / 40)) > 1e-2


def test_wherever_and_however_it_is_played_it_is_the_same():
    words = [*ME, *WAVE, "--tolerance", "1e-6"]
    masses(1, *words)
    here = text("m.csv")
    for more in (["--threads", "2"], ["--isolate"]):
        masses(1, *words, *more)
        assert text("m.csv") == here, more
    masses(1, *words, "--checkpoint", "c.ckp", "--every", "sim:3")
    assert text("m.csv") == here
    tutti("run", "--resume", "c.ckp", "-q")
    assert text("m.csv") == here
    masses(1, *words, "--master", "gauss-seidel")
    assert error("m.csv", exact) < 1e-6


def test_every_integrator_is_followed():
    for method in ("explicit", "stiff", "cvode"):
        words = [*ME, *WAVE, "--tolerance", "1e-7", "--integrator", method]
        probe = subprocess.run([TUTTI, "run", os.path.join(MSD, "scenario.json"), *words, "--until", "8", "--step", "2",
                                "-q", "-o", "m.csv"], capture_output=True, text=True, check=False)
        if "was built without it" in probe.stderr:
            continue
        assert probe.returncode == 0, (method, probe.stderr)
        assert error("m.csv", exact) < 1e-5, (method, error("m.csv", exact))


def test_variable_steps_and_rows_within_them():
    words = [*ME, *WAVE, "--tolerance", "1e-8"]
    masses(1, *words)
    plain = rows("m.csv")
    masses(1, *words, "--record-intermediate")
    within = rows("m.csv")
    marks = [r.pop("intermediate") for r in within]
    assert [r for r, mark in zip(within, marks) if mark == "false"] == plain
    for r, mark in zip(within, marks):
        x = exact(float(r["time"]))
        for name, k in (("{msd1}.msd1.x1", 0), ("{msd2}.msd2.x2", 2)):
            if r[name]:
                assert abs(float(r[name]) - x[k]) < 1e-6, (r, mark)
    assert marks.count("true") > 100
    masses(0.5, *words, "--error-control", "richardson", "--step-tolerance", "1e-4")
    assert error("m.csv", exact) < 1e-7, error("m.csv", exact)


G, FALL = 9.81, math.sqrt(2 / 9.81)


def ball(t):
    """Height and speed of a ball that falls from 1 m and bounces once; from the right."""
    if t < FALL:
        return 1 - G * t * t / 2, -G * t
    return 0.7 * G * FALL * (t - FALL) - G * (t - FALL) ** 2 / 2, 0.7 * G * FALL - G * (t - FALL)


def pulled(end):
    """The mass that the ball pulls, at the end: Heun's rule, with the leap on its grid."""
    def pull(t, x, v):
        high, speed = ball(t)
        return high - x + speed - v - 0.1 * x

    x, v, n = 0.0, 0.0, 20000
    for begin, stop in ((0.0, min(FALL, end)), (FALL, end)):
        h = max(stop - begin, 0) / n
        for k in range(n if h else 0):
            t = begin + k * h
            a = pull(t, x, v)
            b = pull(t + h * (1 - 1e-9), x + h * v, v + h * a)
            x, v = x + h * (v + h * a / 2), v + h * (a + b) / 2
    return x


def test_a_leap_is_passed_on_where_it_happens():
    """A ball pulls a mass by a spring and a damper, and bounces within the first step: also just
    before its end."""
    scenario = {"fmus": {"{ball}": BALL, "{msd2}": os.path.join(MSD, "msd2-fmi3.fmu")},
                "connections": {"{ball}.b.h": ["{msd2}.m.x1"], "{ball}.b.v": ["{msd2}.m.v1"]},
                "logVariables": {"{msd2}.m": ["x2"]}, "interface": "me", "together": False, "tolerance": 1e-9,
                "master": "gauss-seidel"}
    for end in (1, FALL * 1.001, FALL * (1 + 1e-9)):
        got = {}
        for approximation in ("waveform", "linear"):
            scenario.update(approximation=approximation, endTime=end, algorithm={"type": "fixed-step", "size": end})
            with open("leap.json", "w", encoding="utf-8") as f:
                json.dump(scenario, f)
            tutti("run", "leap.json", "-q", "-o", "leap.csv")
            got[approximation] = abs(float(rows("leap.csv")[-1]["{msd2}.m.x2"]) - pulled(end))
        assert got["waveform"] < 1e-7 < 1e-2 < got["linear"], (end, got)


def notes(*words, scenario="scenario.json"):
    done = masses(1, *words, scenario=scenario)
    return [line[len("tutti: note: "):] for line in done.stderr.splitlines()
            if line.startswith(("tutti: note: approximation", "tutti: note: iteration: ag", "tutti: note: iteration: acc"))]


def test_what_becomes_of_it_is_stated():
    assert notes(*ME, *WAVE) == [
        "approximation: {msd1}.msd1.F: waveform, taken exactly by its instance",
        "approximation: {msd2}.msd2.x1: waveform, taken exactly by its instance",
        "approximation: {msd2}.msd2.v1: waveform, taken exactly by its instance",
        "iteration: agreed to 1e-7, a tenth of what states are integrated to"]
    assert notes(*WAVE)[0] == (
        "approximation: {msd1}.msd1.F: linear, taken exactly by its instance; not waveform, because "
        "{msd2}.msd2.F has no values within steps")
    assert notes(*ME, "--approximation", "waveform")[0] == (
        "approximation: {msd1}.msd1.F: linear, taken exactly by its instance; not waveform, because "
        "{msd2}.msd2.F is not known before its step, and that is not iterated")
    assert notes(*ME, *WAVE, "--acceleration", "newton")[-2] == (
        "iteration: acceleration newton is not used: what is followed within steps converges by substitution")
    with open(os.path.join(MSD, "scenario.json"), encoding="utf-8") as f:
        mixed = json.load(f)
    mixed.update(interface={"{msd1}.msd1": "me", "{msd2}.msd2": "cs"}, approximation="waveform", iterate="converged")
    with open("mixed.json", "w", encoding="utf-8") as f:
        json.dump(mixed, f)
    done = tutti("run", "mixed.json", "--base", MSD, "--until", "1", "-v", "-o", "x.csv")
    assert ("{msd2}.msd2.x1: linear, taken exactly by its instance; not waveform, because {msd1}.msd1.x1 feeds "
            "an instance that takes one polynomial for a step\n") in done.stderr, done.stderr


def test_what_there_is_no_room_for_is_stated():
    done = masses(8, *ME, *WAVE, "--integrator", "explicit", "--tolerance", "1e-9")
    assert ("tutti: warning: courses follow 512 points within a step at most: of " in done.stderr
            and " steps some were left out, first of instance '{msd1}.msd1' in the step to t=8\n" in done.stderr), done.stderr
    assert error("m.csv", exact) < 1e-8
    done = masses(1, *WAVE, scenario="scenario-fmi3.json")
    assert ("tutti: warning: instance '{msd1}.msd1' notes nothing within steps, so that what follows it goes in "
            "straight lines\n") in done.stderr, done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, test in sorted(globals().items()):
            if name.startswith("test_"):
                print(name[5:].replace("_", " "), flush=True)
                test()


main()
