#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Rows within steps: intermediate_test.py BUILD. Against closed forms, and against
the same run without them; in processes of their own, rolled back, resumed."""
import csv
import json
import math
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
MSD = os.path.join(EXAMPLES, "double-mass-spring-damper")
BALL = os.path.join(EXAMPLES, "bouncing-ball", "bouncing_ball-fmi3.fmu")
SOLVER = ["--set", "{msd1}.msd1.microsteps=4", "--set", "{msd2}.msd2.microsteps=2"]
WITHIN = "--record-intermediate"
G, E = 9.81, 0.7


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stderr)
    return done


def rows(path):
    with open(path, encoding="utf-8") as f:
        return list(csv.reader(f))


def text(path):
    with open(path, "rb") as f:
        return f.read()


def at_points(path):
    """The rows at communication points, without the column that marks them."""
    table = rows(path)
    assert table[0][-1] == "intermediate"
    return [r[:-1] for r in table if r[-1] != "true"]


def flight(t):
    """Height and speed of the ball, and the times of its bounces up to t."""
    fall = math.sqrt(2 / G)
    if t <= fall:
        return 1 - G * t * t / 2, -G * t
    n, begin, speed = 1, fall, E * G * fall
    while t > begin + 2 * speed / G:
        begin, speed, n = begin + 2 * speed / G, speed * E, n + 1
    return speed * (t - begin) - G * (t - begin) ** 2 / 2, speed - G * (t - begin)


def test_model_exchange_follows_the_closed_form():
    tutti("run", BALL, "--interface", "me", "--step", "0.5", "--until", "1.5", "--tolerance", "1e-9",
          "--record", "h,v", WITHIN, "-q", "-o", "me.csv")
    table = rows("me.csv")
    t, h, v = (table[0].index(n) for n in ("time", "{bouncing_ball-fmi3}.bouncing_ball-fmi3.h", "{bouncing_ball-fmi3}.bouncing_ball-fmi3.v"))
    within = [r for r in table[1:] if r[-1] == "true"]
    assert len(within) > 6, len(within)
    times = [float(r[t]) for r in table[1:]]
    assert times == sorted(times)
    twice = [i for i in range(1, len(table) - 1) if table[i][t] == table[i + 1][t]]
    bounces = [math.sqrt(2 / G), math.sqrt(2 / G) * (1 + 2 * E)]
    assert len(twice) == 2, twice
    for i, bounce in zip(twice, bounces):
        left, right = float(table[i][v]), float(table[i + 1][v])
        assert abs(float(table[i][t]) - bounce) < 1e-9 and left < 0 < right, table[i]
        assert abs(right + E * left) < 1e-9, (left, right)
    for i, r in enumerate(table[1:], 1):
        if i in twice or i - 1 in twice:
            continue
        high, speed = flight(float(r[t]))
        assert abs(float(r[h]) - high) < 1e-6 and abs(float(r[v]) - speed) < 1e-6, r


TWO = """time,{msd1}.msd1.x1,{msd1}.msd1.v1,{msd2}.msd2.F,{msd2}.msd2.x2,{msd2}.msd2.v2,intermediate
0.0,1.0,0.0,-1.0,0.0,0.0,false
0.05,1.0,-0.30000000000000004,,,,true
0.1,0.985,-0.5850000000000001,-0.9,0.0,0.1,true
0.15000000000000002,0.95575,-0.8520000000000001,,,,true
0.2,0.91315,-1.0983375,0.3851874999999999,0.010000000000000002,0.19,false
"""


def euler():
    """The first mass by hand: four steps of forward Euler, its force held."""
    x, v, at = 1.0, 0.0, []
    for k in range(4):
        at.append((0.05 * k, x, v))
        x, v = x + 0.05 * v, v + 0.05 * (-5 * x - v - 1)
    return at


def test_instances_are_merged_in_time():
    msd = os.path.join(MSD, "scenario-fmi3.json")
    done = tutti("run", msd, *SOLVER, "--until", "0.2", WITHIN, "-o", "two.csv")
    assert text("two.csv").decode() == TWO
    assert "  record         msd1: 2 outputs also within steps\n" in done.stdout, done.stdout
    for (t, x, v), r in zip(euler()[1:], rows("two.csv")[2:]):
        assert abs(float(r[0]) - t) < 1e-15 and abs(float(r[1]) - x) < 1e-15 and abs(float(r[2]) - v) < 1e-15, (r, x, v)


def test_the_run_is_the_same_without():
    msd = os.path.join(MSD, "scenario-fmi3.json")
    for more in ([], ["--error-control", "richardson", "--step-tolerance", "1e-2"],
                 ["--iterate", "3"], ["--master", "gauss-seidel", "--approximation", "linear"]):
        words = ["run", msd, *SOLVER, "--until", "2", *more, "-q", "-o"]
        tutti(*words, "plain.csv")
        tutti(*words, "within.csv", WITHIN)
        assert rows("plain.csv") == at_points("within.csv"), more
        times = [float(r[0]) for r in rows("within.csv")[1:]]
        assert all(a < b for a, b in zip(times, times[1:])), more
        assert len(times) > len(rows("plain.csv")), more


def test_wherever_instances_live_rows_are_the_same():
    msd = os.path.join(MSD, "scenario-fmi3.json")
    words = ["run", msd, *SOLVER, "--until", "2", WITHIN, "-q", "-o"]
    tutti(*words, "here.csv")
    tutti(*words, "apart.csv", "--isolate")
    tutti(*words, "threads.csv", "--threads", "2")
    assert text("here.csv") == text("apart.csv") == text("threads.csv")
    words = ["run", BALL, "--interface", "me", "--step", "0.5", "--until", "2", WITHIN, "-q", "-o"]
    tutti(*words, "here.csv")
    tutti(*words, "apart.csv", "--isolate")
    assert text("here.csv") == text("apart.csv")
    assert b",true\n" in text("here.csv")


def nested(step, **fields):
    """The masses as one instance, which steps by 0.2 s inside; rows of x1, x2 and F."""
    with open(os.path.join(MSD, "scenario-fmi3.json"), encoding="utf-8") as f:
        inner = json.load(f)
    inner["fmus"] = {key: os.path.join(MSD, name) for key, name in inner["fmus"].items()}
    inner["parameters"] = {"{msd1}.msd1.microsteps": 4, "{msd2}.msd2.microsteps": 2}
    inner["ports"] = {"outputs": {"x1": "{msd1}.msd1.x1", "F": "{msd2}.msd2.F", "x2": "{msd2}.msd2.x2"}}
    outer = {"fmus": {"{sub}": "inner.json"}, "instances": {"{sub}": ["s"]}, "endTime": 2,
             "algorithm": {"type": "fixed-step", "size": step}, **fields}
    for name, scenario in (("inner.json", inner), ("outer.json", outer)):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
    done = tutti("run", "outer.json", WITHIN, "-o", "nested.csv", "-v")
    assert "note: record: {sub}.s: 3 outputs also within steps\n" in done.stderr, done.stderr
    table = rows("nested.csv")
    at = [table[0].index(n) for n in ("time", "{sub}.s.x1", "{sub}.s.x2", "{sub}.s.F", "intermediate")]
    return [[r[k] for k in at] for r in table[1:]]


def test_what_is_noted_inside_a_composite_is_its_own():
    tutti("run", os.path.join(MSD, "scenario-fmi3.json"), *SOLVER, "--until", "2", WITHIN, "-q", "-o", "flat.csv")
    table = rows("flat.csv")
    at = [table[0].index(n) for n in ("time", "{msd1}.msd1.x1", "{msd2}.msd2.x2", "{msd2}.msd2.F", "intermediate")]
    flat = [[r[k] for k in at] for r in table[1:]]
    assert nested(0.2) == flat
    seldom = nested(1)  # steps inside end within those outside
    assert [r[:4] for r in seldom] == [r[:4] for r in flat]
    assert [r[0] for r in seldom if r[4] == "false"] == ["0.0", "1.0", "2.0"]
    again = nested(1, iterate=3)  # what is taken back takes its rows along
    assert again == seldom


def test_a_composite_is_followed_within_steps():
    """A mass pulled by two that are one instance: as if all three were apart."""
    with open(os.path.join(MSD, "scenario-fmi3.json"), encoding="utf-8") as f:
        inner = json.load(f)
    msd2 = os.path.join(MSD, "msd2-fmi3.fmu")
    inner["fmus"] = {key: os.path.join(MSD, name) for key, name in inner["fmus"].items()}
    inner["interface"] = "me"
    inner["ports"] = {"outputs": {"x": "{msd2}.msd2.x2", "v": "{msd2}.msd2.v2"}}
    pulled = {"fmus": {"{sub}": "inner.json", "{m}": msd2}, "instances": {"{sub}": ["s"], "{m}": ["m"]},
              "connections": {"{sub}.s.x": ["{m}.m.x1"], "{sub}.s.v": ["{m}.m.v1"]}, "interface": {"{m}.m": "me"},
              "master": "gauss-seidel", "approximation": "waveform", "tolerance": 1e-9, "endTime": 4,
              "logVariables": {"{m}.m": ["x2"]}, "algorithm": {"type": "fixed-step", "size": 1}}
    whole = {"fmus": {**inner["fmus"], "{m}": msd2}, "instances": {"{msd1}": ["msd1"], "{msd2}": ["msd2"], "{m}": ["m"]},
             "connections": {**inner["connections"], "{msd2}.msd2.x2": ["{m}.m.x1"], "{msd2}.msd2.v2": ["{m}.m.v1"]},
             "interface": "me", "tolerance": 1e-11, "endTime": 4, "logVariables": {"{m}.m": ["x2"]},
             "algorithm": {"type": "fixed-step", "size": 1}}
    for name, scenario in (("inner.json", inner), ("pulled.json", pulled), ("whole.json", whole)):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
    tutti("run", "pulled.json", "-q", "-o", "pulled.csv")
    tutti("run", "whole.json", "-q", "-o", "whole.csv")
    tutti("compare", "pulled.csv", "whole.csv", "--tol", "1e-7", "--columns", "{m}.m.x2")
    pulled["approximation"] = "linear"
    with open("pulled.json", "w", encoding="utf-8") as f:
        json.dump(pulled, f)
    tutti("run", "pulled.json", "-q", "-o", "pulled.csv")
    tutti("compare", "pulled.csv", "whole.csv", "--tol", "1e-2", "--columns", "{m}.m.x2", code=1)


def test_what_is_absent_is_absent_in_all_formats():
    msd = os.path.join(MSD, "scenario-fmi3.json")
    tutti("run", msd, *SOLVER, "--until", "2", WITHIN, "-q", "-o", "f.csv", "-o", "f.mat", "-o", "f.h5")
    for other in ("f.mat", "f.h5"):
        done = tutti("compare", other, "f.csv")
        assert "same: 6 columns agree in 41 rows to the last bit\n" in done.stdout, done.stdout
        empty = tutti("results", other, "--json", "--variables", "F").stdout
        assert empty == tutti("results", "f.csv", "--json", "--variables", "F").stdout
        assert empty.count("null") == 20, empty


def test_lines_go_over_what_is_not_known():
    msd = os.path.join(MSD, "scenario-fmi3.json")
    tutti("run", msd, *SOLVER, "--until", "2", WITHIN, "-q", "-o", "p.csv", "--report", "p.html")
    tutti("plot", "p.csv", "-o", "p.svg")
    for picture in ("p.svg", "p.html"):
        with open(picture, encoding="utf-8") as f:
            paths = re.findall(r'd="(M[^"]*)"><title>([^<]*)<', f.read())
        assert len(paths) == 5, paths
        for path, name in paths:
            assert path.count("M") == 1, (picture, name, path)
            assert "intermediate" not in name
    tutti("run", msd, *SOLVER, "--until", "2", "-q", "-o", "q.csv")
    done = tutti("compare", "p.csv", "q.csv", "--interpolate")
    assert "same: 5 columns agree in 11 rows to the last bit\n" in done.stdout, done.stdout
    tutti("compare", "q.csv", "p.csv", "--interpolate", "--tol", "1", "--columns", "x2,F")


def test_a_run_that_is_resumed_has_the_same_rows():
    msd = os.path.join(MSD, "scenario-fmi3.json")
    words = ["run", msd, *SOLVER, WITHIN, "-q"]
    tutti(*words, "--until", "2", "-o", "whole.csv")
    tutti(*words, "--until", "2", "-o", "parts.csv", "--checkpoint", "c.ckp", "--every", "sim:1.3")
    tutti("run", "--resume", "c.ckp", "-q")
    assert text("whole.csv") == text("parts.csv")


def test_a_scenario_states_it():
    with open(os.path.join(MSD, "scenario-fmi3.json"), encoding="utf-8") as f:
        scenario = f.read().replace('"startTime"', '"recordIntermediate": true, "startTime"')
    with open("s.json", "w", encoding="utf-8") as f:
        f.write(scenario)
    tutti("run", "s.json", "--base", MSD, *SOLVER, "--until", "0.2", "-q", "-o", "s.csv")
    assert text("s.csv").decode() == TWO
    with open("s.json", "w", encoding="utf-8") as f:
        f.write(scenario.replace("true", '"yes"'))
    done = tutti("run", "s.json", "--base", MSD, "-q", code=2)
    assert "'recordIntermediate' must be true or false" in done.stderr, done.stderr


def crossing(fmu, port, end, more):
    """A run whose largest step is longer than what lies between two crossings."""
    scenario = {"fmus": {"{u}": fmu}, "instances": {"{u}": ["u"]}, "startTime": 0, "endTime": end,
                "algorithm": {"type": "var-step", "size": [1e-9, 3], "initsize": 3, "constraints": {
                    "zero": {"type": "zerocrossing", "ports": ["{u}.u." + port], "abstol": 1e-6}}}, **more}
    with open("z.json", "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    done = tutti("run", "z.json", "-o", "z.csv", "-v")
    assert ("steps: zero crossings of 1 watched value are looked for within steps, too\n" in done.stderr), done.stderr
    table = rows("z.csv")
    at = table[0].index("{u}.u." + port)
    return [(float(r[0]), float(r[at])) for r in table[1:]]


def test_crossings_are_located_within_steps():
    rest = crossing(BALL, "v", 1.5, {"interface": "me"})
    fall = math.sqrt(2 / G)
    tops = [t for t, v in rest if abs(v) <= 1e-6 and t > 0]
    assert len(tops) == 2 and abs(tops[0] - fall * (1 + E)) < 1e-6, rest
    assert abs(tops[1] - fall * (1 + 2 * E + E * E)) < 1e-6, rest
    assert len(rest) == 8, rest
    damped = crossing(os.path.join(MSD, "msd1-fmi3.fmu"), "x1", 6, {"parameters": {"{u}.u.microsteps": 4000}})
    omega = math.sqrt(5 - 0.25)
    first = (math.atan2(-2 * omega, 1) % math.pi) / omega
    zeros = [t for t, x in damped if abs(x) <= 1e-6]
    assert len(zeros) == 4 and len(damped) < 20, damped
    for k, t in enumerate(zeros):
        assert abs(t - first - k * math.pi / omega) < 2e-3, damped  # Euler's error


def test_crossings_are_the_same_elsewhere():
    here = crossing(BALL, "v", 1.5, {"interface": "me"})
    assert here == crossing(BALL, "v", 1.5, {"interface": "me", "isolate": True})


def test_nothing_to_note_is_reported():
    done = tutti("run", os.path.join(MSD, "scenario.json"), "--until", "0.4", WITHIN, "-o", "none.csv")
    assert done.stderr == ("tutti: warning: values within steps are to be recorded, but no recorded "
                           "variable has any\n"), done.stderr
    assert "intermediate" not in rows("none.csv")[0]


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for name, test in sorted(globals().items()):
            if name.startswith("test_"):
                print(name[5:].replace("_", " "), flush=True)
                test()


main()
