#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs that switch among policies: switching_test.py BUILD. What is played is compared with
products of the matrices that tutti stability --adaptive found, and with the words it allows."""
import csv
import json
import os
import subprocess
import sys
import tempfile

import stability_test as physics

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
SCENARIO = os.path.join(BUILD, "examples", "adaptive-pendulum", "scenario.json")
CYCLE = [5, 4, 2, 2, 4, 5, 3, 3, 2]  # unstable, as published
MSD = os.path.join(BUILD, "examples", "double-mass-spring-damper", "scenario.json")
STATES = ["{pendulum}.pendulum." + v for v in ("x", "v", "phi", "omega")]


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def put(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
    return path


def rows(path):
    with open(path, encoding="utf-8", newline="") as f:
        return [(float(r["time"]), [float(r[s]) for s in STATES]) for r in csv.DictReader(f)]


def refused(folder, switching, message, *words):
    over = put("over.json", switching)
    got = tutti("run", SCENARIO, over, "-o", os.path.join(folder, "x.csv"), *words, code=2).stderr
    assert message in got, (message, got)


def played(path, policies):
    """Which policy made each step: the one whose matrix leads there."""
    word, all_rows = [], rows(path)
    for (t0, x), (t1, y) in zip(all_rows, all_rows[1:]):
        fits = []
        for i, p in enumerate(policies):
            a = p["matrix"]  # by columns
            z = [sum(a[j * 4 + k] * x[j] for j in range(4)) for k in range(4)]
            off = max(abs(b - c) for b, c in zip(y, z))
            if abs(t1 - t0 - p["step"]) < 1e-9 and off < 1e-9 * max(map(abs, x + y)):
                fits.append(i + 1)
        assert len(fits) == 1, (t0, t1, fits)
        word += fits
    return word


def euler():
    """5.2.2 of the thesis: two masses by Euler's rule, ten times and once in each step. Seven
    steps of the first and three of the second come to rest, three and seven do not."""
    with open(MSD, encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"] = {k: os.path.join(os.path.dirname(MSD), v)
                        for k, v in scenario["fmus"].items()}
    scenario["parameters"] = {
        "{msd1}.msd1.c1": 1, "{msd1}.msd1.d1": 0.1, "{msd2}.msd2.c2": 1, "{msd2}.msd2.cc": 1,
        "{msd2}.msd2.dc": 0.1}
    scenario["policies"] = [
        {"name": name, "step": 0.1,
         "parameters": {"{msd1}.msd1.microsteps": n, "{msd2}.msd2.microsteps": n}}
        for name, n in (("fer10", 10), ("fer1", 1))]
    scenario["algorithm"]["size"] = 0.1
    scenario["endTime"] = 100
    for often, evaluations, rests in (((7, 3), 14600, True), ((3, 7), 7400, False),
                                      ((10, 0), 20000, True), ((0, 10), 2000, False)):
        scenario["switching"] = {"pattern": ["fer10"] * often[0] + ["fer1"] * often[1]}
        got = json.loads(tutti("run", put("euler.json", scenario), "-o", "e.csv", "--json").stdout)
        steps = got["switching"]["steps"]
        assert steps == {"fer10": 100 * often[0], "fer1": 100 * often[1]}, steps
        assert 2 * (10 * steps["fer10"] + steps["fer1"]) == evaluations
        with open("e.csv", encoding="utf-8", newline="") as f:
            x1 = [abs(float(r["{msd1}.msd1.x1"])) for r in csv.DictReader(f)]
        early, late = max(x1[-500:-250]), max(x1[-250:])
        assert (late < early) == rests, (often, early, late)


def masters(folder):
    """Policies of other masters and orders: what is played is the product of their matrices, and
    what is allowed holds."""
    names = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2"]
    either = [["{msd1}.msd1", "{msd2}.msd2"], ["{msd2}.msd2", "{msd1}.msd1"]]
    over = put("masters.json", {"policies": [
        {"name": "both", "master": "jacobi"},
        {"name": "left", "master": "gauss-seidel", "order": either[0]},
        {"name": "right", "master": "gauss-seidel", "order": either[1]}]})
    stiff = ["--set", "msd2.dc=10"]
    tutti("stability", MSD, over, *stiff, "--adaptive", "--lift", "1", "-q", "-o", "masters-ok.json")
    with open("masters-ok.json", encoding="utf-8") as f:
        found = json.load(f)
    assert abs(found["policies"][0]["rho"] - 1.8323909765) < 1e-9, found["policies"][0]
    matrix = [p["matrix"] for p in found["policies"]]

    def follow(word, out):
        with open(out, encoding="utf-8", newline="") as f:
            table = [[float(r[n]) for n in names] for r in csv.DictReader(f)]
        for x, y, s in zip(table, table[1:], word):
            z = [sum(matrix[s - 1][4 * j + k] * x[j] for j in range(4)) for k in range(4)]
            assert max(abs(a - b) for a, b in zip(y, z)) < 1e-9, (s, x, y, z)
        return table
    word = [1, 2, 3, 3, 2, 1, 1] * 8
    for more in ([], ["--threads", "2"]):
        free = put("m.json", {"switching": {"pattern": word[:7]}})
        got = json.loads(tutti("run", MSD, over, free, *stiff, *more, "--json", "-o", "m.csv").stdout)
        follow(word[:50], "m.csv")
        assert "sequence" not in got or got["sequence"] is None, got["sequence"]
    # Jacobi's steps alone grow; obeying the file nothing does.
    guarded = put("m.json", {"switching": {"pattern": ["both"]}, "allowed": "masters-ok.json"})
    got = json.loads(tutti("run", MSD, over, guarded, *stiff, "--until", "60", "--json", "-o",
                           "m.csv").stdout)
    assert got["switching"]["refused"] > 0 and got["growth"] is None, got["switching"]
    assert sum(got["switching"]["steps"].values()) == 300, got["switching"]
    stale = put("other.json", {"policies": [
        {"name": "both", "master": "jacobi"},
        {"name": "left", "master": "gauss-seidel", "order": either[1]},
        {"name": "right", "master": "gauss-seidel", "order": either[0]}]})
    got = tutti("run", MSD, stale, guarded, *stiff, "-o", os.path.join(folder, "x.csv"), code=2).stderr
    assert "is about another scenario, or this one has changed since" in got, got
    for policy, message in (
            ({"approximation": "hermite"},
             "policy 'a' has the approximation 'hermite': a run switches among hold, linear, "
             "quadratic and cubic"),
            ({"order": ["{msd1}.nix"]}, "nix"), ({"order": 3}, "'order' must be an array")):
        wrong = put("wrong.json", {"policies": [{"name": "a", **policy}],
                                   "switching": {"pattern": [1]}})
        got = tutti("run", MSD, wrong, "-o", "x.csv", code=2).stderr
        assert message in got, got


def rated(dc):
    """Policies of other rates, by Euler's rule once in each step: one instance makes four of them in a
    macro step, or both do and exchange at each; and their matrices, from the physics."""
    m, step = physics.Masses(dc), physics.Masses.step
    once = m.jacobi(0.2, 1)
    m.step = lambda which, h, euler=0: step(m, which, h, 4 if which == 1 else 1)
    left = m.jacobi(0.2, 1)
    seidel = m.seidel(0.2)
    del m.step
    quarter = m.jacobi(0.05, 1)
    half = physics.product(quarter, quarter)
    both = {"{msd1}.msd1": 4, "{msd2}.msd2": 4}
    return {"parameters": {"{msd1}.msd1.microsteps": 1, "{msd2}.msd2.microsteps": 1,
                           "{msd2}.msd2.dc": dc},
            "policies": [{"name": "one"}, {"name": "left", "rates": {"{msd1}.msd1": 4}},
                         {"name": "both", "rates": both},
                         {"name": "left first", "master": "gauss-seidel",
                          "order": ["{msd1}.msd1", "{msd2}.msd2"], "rates": {"{msd1}.msd1": 4}}]
            }, [once, left, physics.product(half, half), seidel]


def rates(folder):
    """What is played are products of these matrices, and what is allowed holds."""
    names = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2"]
    scenario, own = rated(8.0)
    over = put("rates.json", scenario)
    tutti("stability", MSD, over, "--adaptive", "--lift", "1", "-q", "-o", "rates-ok.json")
    with open("rates-ok.json", encoding="utf-8") as f:
        found = json.load(f)
    for p, a in zip(found["policies"], own):
        assert abs(p["rho"] - physics.radius(a)) < 1e-9, (p["name"], p["rho"], physics.radius(a))
    pattern = [1, 3, 2, 4, 3, 3, 1, 4]
    for more in ([], ["--threads", "2"]):
        got = json.loads(tutti("run", MSD, over, put("r.json", {"switching": {"pattern": pattern}}),
                               *more, "--json", "-o", "r.csv").stdout)
        with open("r.csv", encoding="utf-8", newline="") as f:
            table = [[float(r[n]) for n in names] for r in csv.DictReader(f)]
        assert got["switching"]["switches"] > 40 and len(table) == 51, got["switching"]
        for k, (x, y) in enumerate(zip(table, table[1:])):
            z = physics.product(own[pattern[k % 8] - 1], [[v] for v in x])
            assert max(abs(a - b[0]) for a, b in zip(y, z)) < 1e-9 * max(1, *map(abs, x)), (k, y, z)
    guarded = put("g.json", {"switching": {"pattern": ["one"]}, "allowed": "rates-ok.json"})
    got = json.loads(tutti("run", MSD, over, guarded, "--until", "60", "--json", "-o",
                           "r.csv").stdout)
    assert got["switching"]["refused"] > 0 and got["growth"] is None, got["switching"]
    scenario["policies"][2]["rates"]["{msd2}.msd2"] = 5
    got = tutti("run", MSD, put("stale.json", scenario), guarded, "-o", "x.csv", code=2).stderr
    assert "is about another scenario, or this one has changed since" in got, got
    for policy, message in (
            ({"{msd1}.msd1": 0}, "a rate must be a number of steps from 1 to 1000000, not 0"),
            ({"{msd1}.msd1": "x"}, "'{msd1}.msd1' must be"), ({"{msd1}.nix": 2}, "nix"),
            ([], "'rates' must be an object, not an array")):
        wrong = put("wrong.json", {"policies": [{"name": "a", "rates": policy}],
                                   "switching": {"pattern": [1]}})
        got = tutti("run", MSD, wrong, "-o", "x.csv", code=2).stderr
        assert message in got, got


def rules(folder):
    """An expression over the time and variables, as these are where a step stands, is the number."""
    names = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2"]
    scenario, own = rated(4.0)
    over = put("rules.json", scenario)
    for rule, chosen in (
            ("if {msd1}.msd1.x1 > 0 then 1 else 3", lambda t, x: 1 if x[0] > 0 else 3),
            ("{msd2}.msd2.v2 > {msd1}.msd1.v1 and t < 6 ? 2 : 4",
             lambda t, x: 2 if x[3] > x[1] and t < 6 else 4),
            ("t < 5 ? 1 : 3", lambda t, x: 1 if t < 5 else 3)):
        tutti("run", MSD, over, put("r.json", {"switching": {"rule": rule}}), "-o", "r.csv")
        with open("r.csv", encoding="utf-8", newline="") as f:
            table = [(float(r["time"]), [float(r[n]) for n in names]) for r in csv.DictReader(f)]
        met = set()
        for (t, x), (_, y) in zip(table, table[1:]):
            s = chosen(t, x)
            met.add(s)
            z = physics.product(own[s - 1], [[v] for v in x])
            assert max(abs(a - b[0]) for a, b in zip(y, z)) < 1e-9, (t, s, y, z)
        assert len(met) == 2, (rule, met)
    # what is read by a rule is no other scenario: what was analysed without it is obeyed
    tutti("stability", MSD, over, "--adaptive", "-q", "-o", "rules-ok.json")
    got = json.loads(tutti("run", MSD, over, put("r.json", {
        "switching": {"rule": "if {msd1}.msd1.x1 > 0 then 1 else 3"},
        "allowed": "rules-ok.json"}), "-o", "r.csv", "--json").stdout)
    assert got["switching"]["guarded"] and got["switching"]["refused"] == 0, got["switching"]
    where = os.path.join(folder, "over.json:1:24: ")
    for rule, message, code in (
            ("4 + t", "'rule' of 'switching' is 4.2: there are policies 1 to 4", 2),
            ("sqrt(-1)", "'rule' of 'switching' is nan: there are policies 1 to 4", 2),
            ("t > 1", "'rule' is a number, not a Boolean", 2),
            ("{msd1}.msd1.nix", "instance '{msd1}.msd1' has no 'nix'", 2),
            ("{nix}.n.x", "nix", 2), ("1 +", "'rule'", 2), ("h", "'rule'", 2),
            ("pre({msd1}.msd1.x1)", "'rule'", 2), (1, "'rule' must be a string", 2)):
        put("over.json", {"switching": {"rule": rule}})
        got = tutti("run", MSD, over, os.path.join(folder, "over.json"), "-o", "x.csv",
                    code=code).stderr
        assert message in got and where.split(":")[0] in got, (rule, got)


def fixed_rates(folder):
    """Where more than the score hangs on a rate, it is refused."""
    clocks = os.path.join(BUILD, "examples", "two-clocks", "scenario.json")
    for words, unit, why in (
            ([MSD, "--interface", "me"], "{msd1}.msd1", "it is integrated together with others"),
            ([MSD, "--interface", "me", "--no-together", "--approximation", "waveform",
              "--iterate", "converged"], "{msd1}.msd1", "inputs follow waveforms"),
            ([clocks], "{speed}.speed", "its events are the run's")):
        over = put("over.json", {"policies": [{"name": "a"}, {"name": "b", "rates": {unit: 2}}],
                                 "switching": {"pattern": ["a"]}})
        got = tutti("run", words[0], over, *words[1:], "-o", os.path.join(folder, "x.csv"),
                    code=2).stderr
        assert got.startswith("tutti: policy 'b': "), got
        assert got.endswith(f": '{unit}' cannot change its rate: {why}\n"), got


def limited(folder):
    """Steps of policies are what was proved: none is divided because an instance wants that. One
    of 0.05 s is accepted, two or more of them in a macro step are none of its matter."""
    scenario = {"fmus": {"{a}": os.path.join(os.path.dirname(MSD), "msd1.fmu"),
                         "{m}": os.path.join(BUILD, "tests", "units", "misbehave.fmu")},
                "connections": {"{a}.a.x1": ["{m}.m.u"], "{m}.m.y": ["{a}.a.F"]},
                "parameters": {"{m}.m.what": 11, "{m}.m.when": 0},
                "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1,
                "policies": [{"name": "a"}, {"name": "b", "rates": {"{m}.m": 4}}],
                "switching": {"pattern": [1, 2]}}
    out = os.path.join(folder, "x.csv")
    got = tutti("run", put("limited.json", scenario), "-o", out, code=1).stderr
    assert got.startswith("tutti: policy 'a' makes steps of 0.1 s, and instance '{m}.m' accepts them "
                          "up to 0.05 s now"), got
    scenario["switching"]["pattern"] = ["b"]
    got = json.loads(tutti("run", put("limited.json", scenario), "-o", out, "--json").stdout)
    assert got["steps"] == 10 and got["units"][1]["steps"] == 40, got["units"]
    scenario["switching"]["pattern"], scenario["parameters"]["{m}.m.what"] = [1, 2], 0
    got = json.loads(tutti("run", put("limited.json", scenario), "-o", out, "--json").stdout)
    assert got["steps"] == 10 and got["units"][1]["steps"] == 25, got["units"]


def courses(folder):
    """Policies whose inputs are held or go on along lines: what is played are products of matrices
    from the physics, over states and the inputs of the instant before."""
    names = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2"]
    both = [{"name": "hold", "approximation": "hold"}, {"name": "line", "approximation": "linear"}]
    over = put("courses.json", {"policies": both})
    masses = physics.Masses(1.0)
    line = masses.jacobi_linear(0.2)
    hold = [row + [0.0] * 3 for row in masses.jacobi(0.2)] + line[4:]
    tutti("stability", MSD, over, "--adaptive", "--lift", "1", "-q", "-o", "courses-ok.json")
    with open("courses-ok.json", encoding="utf-8") as f:
        found = json.load(f)
    for policy, own in zip(found["policies"], (hold, line)):
        assert abs(policy["rho"] - physics.radius(own)) < 1e-9, policy["name"]
        assert len(policy["matrix"]) == 49, policy["name"]
    assert found["certificate"]["rate"] < 1 and len(found["allowed"]) == 4, found["allowed"]
    pattern = [2, 1, 2, 2, 2, 1, 1]
    free = put("c.json", {"switching": {"pattern": pattern}, "allowed": "courses-ok.json"})
    for more in ([], ["--threads", "2"]):
        tutti("run", MSD, over, free, *more, "-o", "c.csv")
        with open("c.csv", encoding="utf-8", newline="") as f:
            table = [[float(r[n]) for n in names] for r in csv.DictReader(f)]
        z = [[x] for x in table[0]] + [[0.0]] * 3
        for k, y in enumerate(table[1:]):
            # the first step has no past: it is held
            z = physics.product(line if k and pattern[k % 7] == 2 else hold, z)
            assert max(abs(a - b[0]) for a, b in zip(y, z)) < 1e-9, (k, y, z)
    # an input of which the approximation is stated keeps it, whatever the policy is
    stated = put("s.json", {"approximation": {"{msd1}.msd1.F": "linear", "{msd2}.msd2.x1": "linear",
                                              "{msd2}.msd2.v1": "linear"},
                            "switching": {"pattern": [1]}})
    tutti("run", MSD, over, stated, "-o", "s.csv")
    tutti("run", MSD, "--approximation", "linear", "-o", "l.csv")
    with open("s.csv", "rb") as a, open("l.csv", "rb") as b:
        assert a.read() == b.read()
    both[0]["approximation"] = "quadratic"
    stale = put("stale.json", {"policies": both})
    got = tutti("run", MSD, stale, free, "-o", os.path.join(folder, "x.csv"), code=2).stderr
    assert "is about another scenario, or this one has changed since" in got, got


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        tutti("stability", SCENARIO, "--adaptive", "--lift", "1", "-o", "allowed.json", "-q")
        with open("allowed.json", encoding="utf-8") as f:
            allowed = json.load(f)
        policies = allowed["policies"]
        edges = {(a, s): b for a, s, b in allowed["allowed"]}

        free = put("free.json", {"switching": {"pattern": CYCLE}})
        got = json.loads(tutti("run", SCENARIO, free, "-o", "free.csv", "--json").stdout)
        word = played("free.csv", policies)
        assert word == (CYCLE * 5)[:len(word)] and len(word) == 45, word
        assert got["steps"] == 45 and got["switching"]["refused"] == 0, got["switching"]
        assert not got["switching"]["guarded"] and got["switching"]["cut"] == 0, got["switching"]
        assert max(map(abs, rows("free.csv")[-1][1])) > 1

        guarded = put("guarded.json", {"switching": {"pattern": CYCLE}, "allowed": "allowed.json"})
        got = json.loads(tutti("run", SCENARIO, guarded, "-o", "g.csv", "--json").stdout)
        word = played("g.csv", policies)
        nodes = set(range(allowed["nodes"]))
        for s in word:  # some path spells it
            nodes = {edges[n, s] for n in nodes if (n, s) in edges}
        assert nodes, word
        asked = (CYCLE * 5)[:len(word)]
        assert got["switching"]["refused"] == sum(a != b for a, b in zip(asked, word)) > 0
        assert max(map(abs, rows("g.csv")[-1][1])) < 1e-2
        for i, p in enumerate(policies):
            assert got["switching"]["steps"][p["name"]] == word.count(i + 1)
        again = put("fine.json", {"switching": {"pattern": ["H 0.2, h 0.2, Euler", 5]},
                                  "allowed": "allowed.json"})
        got = json.loads(tutti("run", SCENARIO, again, "-o", "h.csv", "--json",
                               "--threads", "2", "--until", "8.05").stdout)
        assert got["switching"]["refused"] == 0 and got["switching"]["cut"] == 1, got["switching"]
        assert got["t"] == 8.05, got["t"]

        # The last step is cut short, and said to be outside the proof.
        text = tutti("run", SCENARIO, again, "-o", "h.csv", "--until", "8.05").stdout
        assert ", 1 steps cut short, for which nothing is proved\n" in text, text

        # The number of the policy is an output.
        with open("which.csv", "w", encoding="utf-8") as f:
            f.write("time,policy\n0,5\n100,5\n")
        by = put("by.json", {"fmus": {"{which}": os.path.join(folder, "which.csv")},
                             "logVariables": {"{which}.w": ["policy"]},
                             "switching": {"by": "{which}.w.policy"}})
        tutti("run", SCENARIO, by, "-o", "by.csv")
        assert played("by.csv", policies) == [5] * 80
        with open("which.csv", "w", encoding="utf-8") as f:
            f.write("time,policy\n0,9\n100,9\n")
        got = tutti("run", SCENARIO, by, "-o", "by.csv", code=1).stderr
        assert "'policy' of instance '{which}.w' is 9: there are policies 1 to 8" in got, got

        stale = "is about another scenario, or this one has changed since: make it anew with"
        refused(folder, {"switching": {"pattern": CYCLE}, "allowed": "allowed.json"}, stale,
                "--set", "pendulum.m=0.3")
        refused(folder, {"switching": {"pattern": [9]}},
                "'pattern' names policies, or their numbers from 1 to 8")
        refused(folder, {"switching": {}}, "'switching' takes one of 'pattern', 'by' and 'rule'")
        refused(folder, {"allowed": "allowed.json"}, "'allowed' goes with 'switching' or 'sequence'")
        refused(folder, {"switching": {"pattern": [1]}, "policies": [{"step": 0.15}]},
                "policy 'H 0.2, h 0.2, Euler': its step of 0.15 s is no multiple of the scenario's, 0.1 s")
        put("broken.json", {"stamp": 1})
        refused(folder, {"switching": {"pattern": [1]}, "allowed": "broken.json"},
                "broken.json is not what 'tutti stability --adaptive -o' writes")
        got = dict(allowed, allowed=[[0, 1, 99]])
        put("broken.json", got)
        refused(folder, {"switching": {"pattern": [1]}, "allowed": "broken.json"},
                "broken.json is not what 'tutti stability --adaptive -o' writes")
        euler()
        masters(folder)
        rates(folder)
        rules(folder)
        fixed_rates(folder)
        courses(folder)
        limited(folder)
    print("ok")


if __name__ == "__main__":
    main()
