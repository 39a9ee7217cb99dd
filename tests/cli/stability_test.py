#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Verdicts of tutti stability: stability_test.py BUILD. Radii are computed here from the
physics, by series and by repeated squaring, and compared with what the program finds by
playing."""
import csv
import functools
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
UNITS = os.path.join(BUILD, "tests", "units")
MSD = os.path.join(EXAMPLES, "double-mass-spring-damper")
SCENARIO = os.path.join(MSD, "scenario.json")
STIFF = ["--set", "msd2.dc=10"]

os.environ["ASAN_OPTIONS"] = "handle_segv=0"  # crashes stay crashes


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


@functools.lru_cache
def stability(*words, brief=True):
    return json.loads(tutti("stability", "--json", *(["--brief"] if brief else []), *words).stdout)


def near(a, b, tolerance):
    assert a is not None and abs(a - b) <= tolerance, (a, b)


# --- matrices as lists of rows

def product(a, b):
    return [[sum(x * b[k][j] for k, x in enumerate(row)) for j in range(len(b[0]))] for row in a]


def add(a, b, factor=1.0):
    return [[x + factor * y for x, y in zip(p, q)] for p, q in zip(a, b)]


def unit(n):
    return [[float(i == j) for j in range(n)] for i in range(n)]


def exponential(a):
    """Taylor series of a / 2^s, squared s times."""
    size = max(sum(map(abs, row)) for row in a)
    halvings = max(0, math.ceil(math.log2(size)) + 3) if size > 0 else 0
    a = [[x / 2**halvings for x in row] for row in a]
    total = term = unit(len(a))
    for k in range(1, 20):
        term = [[x / k for x in row] for row in product(term, a)]
        total = add(total, term)
    for _ in range(halvings):
        total = product(total, total)
    return total


def radius(a):
    """|a^(2^k)|^(1/2^k), by squaring."""
    log, times = 0.0, 1.0
    for _ in range(60):
        size = max(max(map(abs, row)) for row in a)
        if size == 0:
            return 0.0
        log += math.log(size) / times
        a = [[x / size for x in row] for row in a]
        a = product(a, a)
        times *= 2
    return math.exp(log)


class Masses:
    """The two masses: of each x' = A x + B u, and what they put out."""

    def __init__(self, dc=1.0, cc=1.0, d1=1.0):
        self.a1, self.b1 = [[0, 1], [-5, -d1]], [[0], [1]]
        self.a2, self.b2 = [[0, 1], [-(0.1 + cc), -dc]], [[0, 0], [cc, dc]]
        self.c, self.d = [[cc, dc]], [[-cc, -dc]]  # F = c x2 + d x1

    @staticmethod
    def augmented(a, b):
        n, m = len(a), len(b[0])
        return [list(a[i]) + list(b[i]) for i in range(n)] + [[0.0] * (n + m) for _ in range(m)]

    def step(self, which, h, euler=0):
        """x and u at the start to x at the end, inputs held."""
        a, b = (self.a1, self.b1) if which == 1 else (self.a2, self.b2)
        m = self.augmented(a, b)
        if not euler:
            full = exponential([[h * x for x in row] for row in m])
        else:
            full, one = unit(len(m)), add(unit(len(m)), m, h / euler)
            for _ in range(euler):
                full = product(one, full)
        return full[:2]

    def jacobi(self, h, euler=0):
        one, two = self.step(1, h, euler), self.step(2, h, euler)
        columns = []
        for k in range(4):
            x = [[float(i == k)] for i in range(4)]
            x1, x2 = x[:2], x[2:]
            f = add(product(self.c, x2), product(self.d, x1))
            columns.append([r[0] for r in product(one, x1 + f) + product(two, x2 + x1)])
        return [list(row) for row in zip(*columns)]

    def seidel(self, h):
        """The first mass first: the second one is given where that has got to."""
        one, two = self.step(1, h), self.step(2, h)
        columns = []
        for k in range(4):
            x = [[float(i == k)] for i in range(4)]
            f = add(product(self.c, x[2:]), product(self.d, x[:2]))
            x1 = product(one, x[:2] + f)
            columns.append([r[0] for r in x1 + product(two, x[2:] + x1)])
        return [list(row) for row in zip(*columns)]

    def line(self, which, h):
        """x, u and the slope of u at the start to x at the end."""
        a, b = (self.a1, self.b1) if which == 1 else (self.a2, self.b2)
        n, m = 2, len(b[0])
        full = [[0.0] * (n + 2 * m) for _ in range(n + 2 * m)]
        for i in range(n):
            full[i][:n] = a[i]
            full[i][n:n + m] = b[i]
        for i in range(m):
            full[n + i][n + m + i] = 1.0
        return exponential([[h * x for x in row] for row in full])[:n]

    def jacobi_linear(self, h):
        """Inputs go on along the line through their last two values, which are states, too."""
        one, two = self.line(1, h), self.line(2, h)
        columns = []
        for k in range(7):  # x1, v1, x2, v2; and of the instant before F, x1, v1
            z = [[float(i == k)] for i in range(7)]
            x1, x2, old_f, old_x = z[:2], z[2:4], z[4:5], z[5:]
            f = add(product(self.c, x2), product(self.d, x1))
            slope_f = [[(f[0][0] - old_f[0][0]) / h]]
            slope_x = [[(x1[i][0] - old_x[i][0]) / h] for i in range(2)]
            new = product(one, x1 + f + slope_f) + product(two, x2 + x1 + slope_x)
            columns.append([r[0] for r in new + f + x1])
        return [list(row) for row in zip(*columns)]


def radii():
    for dc, known in ((1.0, 0.9326520653), (10.0, 1.8323909765)):
        m = Masses(dc)
        own = radius(m.jacobi(0.2))
        near(own, known, 1e-9)
        for name in ("scenario.json", "scenario-fmi3.json"):
            got = stability(os.path.join(MSD, name), "--set", f"msd2.dc={dc}")
            near(got["rho"], own, 1e-9)
            assert got["verdict"] == ("stable" if dc == 1 else "unstable"), got
            assert got["way"]["from"] == "states" and got["way"]["affine"], got
            assert got["way"]["order"] == 4, got
        for n in (1, 10):
            euler = ["--set", f"msd1.microsteps={n}", "--set", f"msd2.microsteps={n}"]
            got = stability(SCENARIO, "--set", f"msd2.dc={dc}", *euler)
            near(got["rho"], radius(m.jacobi(0.2, n)), 1e-9)
        got = stability(SCENARIO, "--set", f"msd2.dc={dc}", "--master", "gauss-seidel",
                        "--order", "msd1,msd2")
        near(got["rho"], radius(m.seidel(0.2)), 1e-9)
        got = stability(SCENARIO, "--set", f"msd2.dc={dc}", "--approximation", "linear")
        near(got["rho"], radius(m.jacobi_linear(0.2)), 1e-9)
        assert got["way"]["order"] == 7, got


def published():
    """Example 16 of C. Gomes, Property Preservation in Co-simulation, 2019: a damper of 1, and of
    6e6, whose boundary layer is a thousandth of the step's thousandth."""
    for dc, known in ((1.0, 0.999232964001), (6e6, 5997.001)):
        m = Masses(dc)
        m.a1, m.a2 = [[0, 1], [-1, -1]], [[0, 1], [-2, -2 - dc]]
        own = radius(m.jacobi(1e-3))
        near(own, known, 1e-6 * known if dc > 1 else 1e-11)
        got = stability(SCENARIO, "--step", "1e-3", *(w for s in (
            "msd1.c1=1", "msd1.d1=1", "msd2.c2=1", "msd2.d2=2", "msd2.cc=1", f"msd2.dc={dc}")
            for w in ("--set", s)))
        near(got["rho"], own, max(1e-11, got["error"]))
        near(got["rho"], own, 1e-5 * own)
        assert got["verdict"] == ("stable" if dc == 1 else "unstable"), got


def stiff_case():
    """The verdict names what carries it, and its first advice holds when it is run."""
    got = stability(SCENARIO, *STIFF, brief=False)
    assert got["verdict"] == "unstable" and got["mode"]["alternates"], got
    near(got["rho"], 1.8323909765, 1e-9)
    names = [i["name"] for i in got["mode"]["instances"]]
    assert sorted(names) == ["{msd1}.msd1", "{msd2}.msd2"], names
    near(sum(i["part"] for i in got["mode"]["instances"]), 1, 1e-9)
    held = {c["name"]: c["heldVerdict"] for c in got["mode"]["connections"]}
    assert held == {"{msd1}.msd1.x1 -> {msd2}.msd2.x1": "unstable",
                    "{msd1}.msd1.v1 -> {msd2}.msd2.v1": "stable",
                    "{msd2}.msd2.F -> {msd1}.msd1.F": "stable"}, held
    assert got["model"]["unstable"] is False, got["model"]
    best = got["alternatives"][0]
    smaller = [a for a in got["alternatives"] if a["options"].startswith("--step")]
    assert best["verdict"] == "stable" and len(smaller) == 1, got["alternatives"]
    assert best["cost"] < smaller[0]["cost"], (best, smaller)
    for advice in (best, smaller[0]):
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "r.csv")
            ran = json.loads(tutti("run", SCENARIO, *STIFF, *advice["options"].split(), "--until",
                                   "60", "--json", "-o", out).stdout)
            assert ran["growth"] is None, ran["growth"]
            with open(out, encoding="utf-8") as f:
                last = list(csv.DictReader(f))[-1]
            assert abs(float(last["{msd1}.msd1.x1"])) < 1e-2, last
    ranks = ["stable", "marginal", "unstable", "unknown"]
    order = [(ranks.index(a["verdict"]), a["cost"] or 0) for a in got["alternatives"]]
    assert order == sorted(order), order


def advice():
    """The command that is printed, typed as it stands: it is stable, and cheaper than the smaller
    step that is offered. Names and values that a shell would take apart are quoted."""
    with tempfile.TemporaryDirectory() as folder:
        odd = os.path.join(folder, "it's {a,b}.json")
        with open(SCENARIO, encoding="utf-8") as f:
            scenario = json.load(f)
        scenario["fmus"] = {k: os.path.join(MSD, v) for k, v in scenario["fmus"].items()}
        with open(odd, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        for file, words in ((SCENARIO, []), (odd, ["--approximation", "linear", "--record", "*"])):
            text = tutti("stability", file, *STIFF, *words).stdout
            lines = [x for x in text.splitlines() if x.startswith("try: tutti run ")]
            assert len(lines) == 1 and text.endswith(lines[0] + "\n"), text
            rows = [x.split() for x in text.splitlines() if x.startswith("  stable ")]
            smaller = [r for r in rows if r[4] == "--step"]
            assert len(smaller) == 1 and float(rows[0][2]) < float(smaller[0][2]), rows
            assert lines[0].split(" --set ")[1].startswith("msd2.dc=10 "), lines
            command = lines[0].removeprefix("try: tutti")
            out = os.path.join(folder, "r.csv")
            done = subprocess.run(f"'{TUTTI}'{command} --until 60 -o '{out}' --json", shell=True,
                                  capture_output=True, text=True, check=True)
            ran = json.loads(done.stdout)
            assert ran["growth"] is None and ran["stability"]["verdict"] == "stable", ran
            near(ran["stability"]["rho"], float(rows[0][1]), 1e-5)
            with open(out, encoding="utf-8") as f:
                last = list(csv.DictReader(f))[-1]
            assert abs(float(last["{msd1}.msd1.x1"])) < 1e-2, last
            assert ("{msd2}.msd2.dc" in last) == ("*" in words), last
    # what is stable needs none
    assert "\ntry: " not in tutti("stability", SCENARIO).stdout


def structures():
    """A system structure of others is looked at as the scenario it was made of; in a run, too."""
    with tempfile.TemporaryDirectory() as folder:
        ssp, out = os.path.join(folder, "s.ssp"), os.path.join(folder, "r.csv")
        tutti("convert", SCENARIO, "-o", ssp)
        of, own = stability(ssp, *STIFF, brief=False), stability(SCENARIO, *STIFF, brief=False)
        assert of["verdict"] == "unstable" and of["rho"] == own["rho"], of["rho"]
        assert of["alternatives"] == own["alternatives"], of["alternatives"]
        ran = json.loads(tutti("run", ssp, *STIFF, "--assess", "--json", "-o", out).stdout)
        assert ran["stability"]["rho"] == own["rho"], ran["stability"]
        assert ran["assessment"]["variables"], ran["assessment"]
        got = tutti("stability", ssp, "--variant", "nix", code=2).stderr
        assert got == f"tutti: {ssp}: it has no 'nix.ssd'; it has 'SystemStructure.ssd'\n", got


def rates():
    """Four steps of all instances within one are four steps: rho of a quarter, four times."""
    got = stability(SCENARIO, *STIFF, brief=False)
    found = {a["options"]: a for a in got["alternatives"] if a["options"].startswith("--rates")}
    both = found["--rates {msd1}.msd1=4,{msd2}.msd2=4"]
    near(both["rho"], radius(Masses(10.0).jacobi(0.05))**4, 1e-9)
    assert both["verdict"] == "stable" and both["cost"] == 40, both
    for name in ("{msd1}.msd1", "{msd2}.msd2"):  # solved exactly: one step or four are the same
        near(found[f"--rates {name}=4"]["rho"], 1.8323909765, 1e-9)
    ran = json.loads(tutti("run", SCENARIO, *STIFF, *both["options"].split(), "--json", "-o",
                           os.devnull).stdout)
    assert ran["growth"] is None, ran["growth"]


def largest_step():
    m = Masses(10.0)
    low, high = 0.05, 0.2
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if radius(m.jacobi(middle)) < 1 else (low, middle)
    got = stability(SCENARIO, *STIFF, brief=False)
    near(got["largestStep"], low, 1e-6 * low)
    for point in got["steps"][::8]:
        near(point["rho"], radius(m.jacobi(point["step"])), 1e-9 * max(1, point["rho"]))
    near(got["model"]["abscissa"], -0.1107, 5e-3)


def iterated():
    newton = ["--iterate", "converged", "--acceleration", "newton"]
    assert stability(SCENARIO, *STIFF, *newton)["verdict"] == "stable"
    got = stability(SCENARIO, *newton, "--set", "msd2.cc=20", "--set", "msd2.dc=0.1")
    assert got["verdict"] == "unstable" and got["rho"] > 1, got


def black_box():
    """FMI 1 declares no states: what inputs and outputs show agrees, and is called so."""
    for dc in (1.0, 10.0):
        got = stability(os.path.join(MSD, "scenario-fmi1.json"), "--set", f"msd2.dc={dc}")
        near(got["rho"], radius(Masses(dc).jacobi(0.2)), 1e-4)
        assert got["way"]["from"] == "identified", got
    words = tutti("stability", "--brief", os.path.join(MSD, "scenario-fmi1.json")).stdout
    assert "identified: not all states can be set" in words, words


def hide(folder, *names, source=MSD, n=2):
    """The two masses with states that cannot be set: their start is calculated, it is stated."""
    for name in names:
        with zipfile.ZipFile(os.path.join(source, name)) as a, \
                zipfile.ZipFile(os.path.join(folder, name), "w") as b:
            for member in a.infolist():
                data = a.read(member)
                if member.filename == "modelDescription.xml":
                    data, found = re.subn(
                        rb'(name="[xv][12]?" [^>]*)initial="exact"(><Real[^>]*) start="[^"]*"',
                        rb'\1initial="calculated"\2', data)
                    assert found == n, found
                b.writestr(member, data)
    shutil.copy(SCENARIO, folder)
    return os.path.join(folder, "scenario.json")


def derivatives():
    """States that cannot be set, of instances that give directional derivatives: those are solved
    exactly, if that is how the instances answer; else what inputs show is identified."""
    with tempfile.TemporaryDirectory() as folder:
        hidden = hide(folder, "msd1.fmu", "msd2.fmu")
        for dc in (1.0, 10.0):
            m = Masses(dc)
            for words, own, order in (([], m.jacobi(0.2), 4),
                                      (["--master", "gauss-seidel", "--order", "msd1,msd2"],
                                       m.seidel(0.2), 4),
                                      (["--approximation", "linear"], m.jacobi_linear(0.2), 7)):
                got = stability(hidden, "--set", f"msd2.dc={dc}", *words)
                near(got["rho"], radius(own), 1e-9)
                assert got["way"]["from"] == "derivatives" and got["way"]["order"] == order, got
                assert got["way"]["moved"] == 7 and not got["way"]["affine"], got["way"]
            euler = ["--set", "msd1.microsteps=1", "--set", "msd2.microsteps=1"]
            got = stability(hidden, "--set", f"msd2.dc={dc}", *euler)
            near(got["rho"], radius(m.jacobi(0.2, 1)), 1e-4)
            assert got["way"]["from"] == "identified", got
        text = tutti("stability", "--brief", hidden).stdout
        assert "; a matrix of order 4, from derivatives that instances give: not all states" in text
        assert "linearised at the start: farther away it may be otherwise" in text, text
        # one of them open, one of them closed
        shutil.copy(os.path.join(MSD, "msd1.fmu"), folder)
        stability.cache_clear()
        got = stability(hidden, *STIFF)
        near(got["rho"], 1.8323909765, 1e-9)
        assert got["way"]["from"] == "derivatives", got


def later_derivatives():
    """The same at other instants, where instances are linearised after they were carried there."""
    with tempfile.TemporaryDirectory() as folder:
        hidden = hide(folder, "msd1.fmu", "msd2.fmu")
        # what grows is large before long, and small changes drown in it
        for dc, at in ((1.0, 3.0), (1.0, 7.4), (10.0, 1.0)):
            got = stability(hidden, "--set", f"msd2.dc={dc}", "--at", str(at))
            near(got["rho"], radius(Masses(dc).jacobi(0.2)), 1e-9)
            near(got["way"]["time"], at, 1e-9)
            assert got["way"]["from"] == "derivatives" and got["way"]["order"] == 4, got["way"]
        got = json.loads(tutti("stability", "--along", "--points", "4", "--json", hidden).stdout)
        assert got["verdict"] == "stable" and len(got["points"]) == 4, got
        for point in got["points"]:
            near(point["rho"], 0.9326520653, 1e-9)


def hidden_and_curved():
    """Van der Pol's oscillator with states that cannot be set: derivatives, and what they change in
    a step is the error. Where there are none, one matrix does not describe all instants that are
    read together: no verdict."""
    source = os.path.join(EXAMPLES, "van-der-pol")
    with tempfile.TemporaryDirectory() as folder:
        hide(folder, "msd2.fmu")
        hide(folder, "swing.fmu", source=source, n=2)
        with open(os.path.join(source, "scenario.json"), encoding="utf-8") as f:
            scenario = json.load(f)
        scenario["fmus"]["{load}"] = "msd2.fmu"
        own, start = Swing(), [2.0, 0.0, 0.0, 0.0]
        path = os.path.join(folder, "scenario.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        for at, verdict in ((3.0, "stable"), (5.0, "unstable"), (8.0, None)):
            got = stability(path, "--at", str(at))
            near(got["rho"], radius(own.jacobian(own.play(start, round(at / 0.05)))), got["error"])
            near(got["way"]["time"], at, 1e-9)
            assert got["way"]["from"] == "derivatives" and got["error"] < 0.04, got
            assert verdict is None or got["verdict"] == verdict, got
        scenario["fmus"]["{swing}"] = os.path.join(source, "swing-fmi1.fmu")
        black = os.path.join(folder, "black.json")
        with open(black, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        for at in ("0", "3", "8"):
            got = stability(black, "--at", at)
            assert got["verdict"] == "unknown" and got["reason"] == (
                "states are hidden, and what follows from inputs changes in 28 steps, so that no "
                "matrix describes it"), got


def scenario_over(folder, change):
    """The two masses, with something laid over."""
    path = os.path.join(folder, "over.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(change, f)
    return [SCENARIO, path]


def estimated():
    """A crossing is looked for, and never found: no verdict, but what the run itself shows."""
    with tempfile.TemporaryDirectory() as folder:
        words = scenario_over(folder, {"events": {"locate": [
            {"name": "never", "when": "{msd1}.msd1.x1 - 1e30", "direction": "up"}]}})
        for dc in (1.0, 10.0):
            got = stability(*words, "--set", f"msd2.dc={dc}")
            assert got["verdict"] == "unknown" and got["rho"] is None, got
            near(got["estimate"]["rho"], radius(Masses(dc).jacobi(0.2)), 1e-4)
            assert got["estimate"]["rows"] == 48 and got["estimate"]["residual"] < 1e-6, got
        text = tutti("stability", "--brief", *words).stdout
        assert ("estimate:  0.93265 per step, fitted to how connected values changed in the last 48 "
                "steps of a run until t = 10 s, of which it leaves ") in text, text
        assert text.endswith(" % unexplained; this is no verdict\n"), text
    # steps that vary, and what follows no matrix: none
    for words in ([SCENARIO, "--error-control", "milne"],
                  [os.path.join(EXAMPLES, "thermostat", "scenario-variable.json")]):
        assert "estimate" not in stability(*words)
    assert "estimate" not in stability(SCENARIO)


def apart():
    """A force and a place that are added on the way change nothing of how deviations go on."""
    with tempfile.TemporaryDirectory() as folder:
        plain = stability(SCENARIO)
        for name in ("scenario.json", "scenario-fmi1.json"):
            over = scenario_over(folder, {"transformations": {
                "{msd1}.msd1.F": {"offset": 300}, "{msd2}.msd2.x1": {"offset": -7}}})[1]
            got = stability(os.path.join(MSD, name), over)
            near(got["rho"], plain["rho"], 1e-9 if name == "scenario.json" else 1e-4)
            assert got["verdict"] == "stable" and got["way"]["affine"], got
            if name == "scenario.json":
                affine_part(got["affinePart"], over)
        assert all(abs(s["rest"]) < 1e-9 for s in plain["affinePart"]["states"]), plain
        # what changes with time is no part of a step that is always the same
        with open(os.path.join(folder, "ramp.csv"), "w", encoding="utf-8") as f:
            f.write("time,F\n0,0\n100,50\n")
        ramp = os.path.join(folder, "ramp.json")
        with open(ramp, "w", encoding="utf-8") as f:
            json.dump({"fmus": {"{msd1}": os.path.join(MSD, "msd1.fmu"),
                                "{r}": os.path.join(folder, "ramp.csv")},
                       "connections": {"{r}.r.F": ["{msd1}.msd1.F"]},
                       "algorithm": {"type": "fixed-step", "size": 0.2}, "endTime": 10}, f)
        assert "affinePart" not in stability(ramp), stability(ramp)


def affine_part(found, over):
    """x' = A x + b: the rest by hand, and b from it."""
    f = -53 / 11.2  # the coupling force there
    rest = [(f + 300) / 5, 0.0, -10 * f, 0.0]
    names = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2"]
    assert [s["name"] for s in found["states"]] == names and found["residual"] < 1e-9, found
    led = product(Masses(1.0).jacobi(0.2), [[x] for x in rest])
    for s, x, y in zip(found["states"], rest, led):
        near(s["rest"], x, 1e-8 * 100)
        near(s["constant"], x - y[0], 1e-8 * 100)
    text = tutti("stability", "--brief", SCENARIO, over).stdout
    assert "\nrests at:  msd1.x1 = 59.054, msd2.x2 = 47.321\n" in text, text


def border():
    """An undamped mass alone, solved exactly: neither stable nor unstable."""
    fmu = os.path.join(MSD, "msd1.fmu")
    got = stability(fmu, "--set", "d1=0")
    assert got["verdict"] == "marginal", got
    near(got["rho"], 1, 1e-12)
    assert stability(fmu)["verdict"] == "stable"
    got = stability(fmu, "--set", "d1=-0.1", brief=False)
    near(got["rho"], math.exp(0.05 * 0.2), 1e-9)
    assert got["verdict"] == "unstable" and got["model"]["unstable"] is True, got
    assert got["largestStep"] is None, got


def curved():
    """Van der Pol, by steps of Euler's: at rest, and a few steps from x = 2."""
    pol = [os.path.join(UNITS, "vanderpol.fmu"), "--set", "mu=1", "--step", "0.1", "--until", "1"]
    got = stability(*pol, "--set", "x=0")
    assert got["verdict"] == "unstable" and not got["way"]["affine"], got
    near(got["rho"], math.sqrt(1.05**2 + 0.01 * 0.75), 1e-6)
    x, v = 2.0, 0.0
    for _ in range(3):
        x, v = x + 0.1 * v, v + 0.1 * ((1 - x * x) * v - x)
    near(stability(*pol)["rho"],
         radius([[1, 0.1], [0.1 * (-2 * x * v - 1), 1 + 0.1 * (1 - x * x)]]), 1e-6)
    words = tutti("stability", "--brief", *pol).stdout
    assert "linearised at the start: farther away it may be otherwise" in words, words


class Swing:
    """Van der Pol's oscillator with its load: a macro step by Jacobi's scheme, in numbers."""
    mu, m2, c2, d2, cc, dc, step = 1.0, 0.5, 0.5, 0.2, 1.0, 0.2, 0.05

    def play(self, z, n=1):
        for _ in range(n):
            z = self.one(z)
        return z

    def one(self, z):
        x, v, y, w = z
        force = self.cc * (y - x) + self.dc * (w - v)
        h = self.step / 10

        def rate(x, v):
            return v, self.mu * (1 - x * x) * v - x + force
        full = exponential([[self.step * e for e in row] for row in (
            [0, 1, 0, 0], [-(self.c2 + self.cc) / self.m2, -(self.d2 + self.dc) / self.m2,
                           self.cc / self.m2, self.dc / self.m2], [0] * 4, [0] * 4)])
        load = [sum(a * b for a, b in zip(row, (y, w, x, v))) for row in full[:2]]
        for _ in range(10):
            a = rate(x, v)
            b = rate(x + h / 2 * a[0], v + h / 2 * a[1])
            c = rate(x + h / 2 * b[0], v + h / 2 * b[1])
            d = rate(x + h * c[0], v + h * c[1])
            x, v = (x + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]),
                    v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]))
        return [x, v, *load]

    def jacobian(self, z, n=1, size=1e-5):
        columns = []
        for k in range(4):
            up, down = list(z), list(z)
            up[k] += size
            down[k] -= size
            columns.append([(a - b) / (2 * size)
                            for a, b in zip(self.play(up, n), self.play(down, n))])
        return [list(row) for row in zip(*columns)]


def along():
    """What is not linear: at one instant, and at many along the run."""
    pol = os.path.join(EXAMPLES, "van-der-pol", "scenario.json")
    own, start = Swing(), [2.0, 0.0, 0.0, 0.0]
    for at, verdict in ((3.0, "stable"), (8.0, "unstable"), (0.0, "unstable")):
        got = stability(pol, "--at", str(at))
        steps = max(3, round(at / 0.05))  # pasts of inputs are filled first
        near(got["way"]["time"], steps * 0.05, 1e-9)
        near(got["rho"], radius(own.jacobian(own.play(start, steps))), 1e-7)
        assert got["verdict"] == verdict and not got["way"]["affine"], got
    text = tutti("stability", "--brief", "--at", "3", pol).stdout
    assert "linearised at t = 3 s: farther away it may be otherwise" in text, text
    got = json.loads(tutti("stability", "--along", "--points", "10", "--json", pol).stdout)
    assert len(got["points"]) == 10 and got["verdict"] == "unknown", got
    assert got["reason"] == ("deviations fade at 4 of 10 instants and grow at 6; what that adds up "
                             "to single steps do not show"), got["reason"]
    for point in got["points"]:
        near(point["rho"], radius(own.jacobian(own.play(start, round(point["time"] / 0.05)))),
             1e-7)
    a = own.jacobian(start, 400)  # the largest singular value
    near(got["deviations"], math.sqrt(radius(product([list(c) for c in zip(*a)], a))), 1e-3)
    # driven hard by its load's damper, it is stable at all of them, and called so
    words = ["--set", "load.dc=4", "--set", "swing.mu=0.1", "--set", "load.d2=5"]
    got = json.loads(tutti("stability", "--along", "--json", pol, *words).stdout)
    assert got["verdict"] == "stable" and got["stable"] == 20 and got["rho"] < 1, got
    text = tutti("stability", "--along", pol, *words).stdout
    assert ("verdict:   stable along this trajectory at 20 instants: near each of them small "
            "deviations fade; farther away it may be otherwise\n") in text, text
    # hidden states are carried there
    got = stability(os.path.join(MSD, "scenario-fmi1.json"), "--at", "3")
    near(got["rho"], 0.9326520653, 1e-4)
    near(got["way"]["time"], 3, 1e-9)
    for words, message in ((["--at", "30"], "30 s is not between the start and the end of the run"),
                           (["--at", "3", "--along"], "--along and --at are two questions"),
                           (["--at", "3", "--delay"], "--delay and --at are two questions")):
        assert tutti("stability", pol, *words, code=2).stderr == f"tutti: {message}\n"
    got = stability(os.path.join(EXAMPLES, "two-clocks", "scenario.json"), "--at", "1")
    assert got["reason"] == "clocks tick, so that macro steps are not all alike", got


def fragile():
    """x' = u - sqrt(x): where x is moved by 1 there is no root, and no value; less is moved then."""
    got = stability(os.path.join(UNITS, "rooted.fmu"), "--step", "0.1", "--until", "2")
    assert got["verdict"] == "stable" and not got["way"]["affine"], got
    near(got["rho"], math.exp(-0.1), 1e-6)  # -1 / (2 sqrt(1/4)) = -1
    # no change is small enough for what has no value itself
    got = stability(os.path.join(UNITS, "rooted.fmu"), "--step", "0.1", "--until", "2", "--set",
                    "x=-1")
    assert got["verdict"] == "unknown" and got["rho"] is None, got
    assert got["reason"] == "'x' of instance '{rooted}.rooted' is not a finite number", got


def gain():
    """An error of 1 in an input, in one step, and all that follows added up."""
    m, h = Masses(), 0.2
    one, two, a = m.step(1, h), m.step(2, h), m.jacobi(h)
    into = {"{msd2}.msd2.F -> {msd1}.msd1.F": [[one[0][2]], [one[1][2]], [0], [0]],
            "{msd1}.msd1.x1 -> {msd2}.msd2.x1": [[0], [0], [two[0][2]], [two[1][2]]],
            "{msd1}.msd1.v1 -> {msd2}.msd2.v1": [[0], [0], [two[0][3]], [two[1][3]]]}
    read = {"{msd1}.msd1.x1": [[1, 0, 0, 0]], "{msd1}.msd1.v1": [[0, 1, 0, 0]],
            "{msd2}.msd2.F": [m.d[0] + m.c[0]]}
    got = stability(SCENARIO, "--gain")
    assert len(got["gain"]) == 9, got["gain"]
    for row in got["gain"]:
        x, worst, squares = into[row["connection"]], 0.0, 0.0
        for _ in range(2000):
            y = product(read[row["output"]], x)[0][0]
            worst, squares = worst + abs(y), squares + y * y
            x = product(a, x)
        near(row["worst"], worst, 1e-7 * worst)
        near(row["noise"], math.sqrt(squares), 1e-7 * worst)
    assert stability(SCENARIO, *STIFF, "--gain")["gain"] == []
    text = tutti("stability", "--brief", "--gain", SCENARIO, *STIFF).stdout
    assert "  none: it is not stable, or nothing is connected\n" in text, text
    assert "gain" not in stability(SCENARIO)


def region():
    """Over the step and the damper: borders by bisection here."""
    with tempfile.TemporaryDirectory() as folder:
        svg = os.path.join(folder, "r.svg")
        got = json.loads(tutti("stability", "--json", "--region", "msd2.dc=4:10:3", SCENARIO,
                               "--svg", svg).stdout)
        with open(svg, encoding="utf-8") as f:
            assert "largest stable step" in f.read()
    assert [r["value"] for r in got["region"]] == [4, 7, 10], got["region"]
    for row in got["region"]:
        m = Masses(row["value"])
        near(row["rho"], radius(m.jacobi(0.2)), 1e-9)
        assert row["verdict"] == ("stable" if row["rho"] < 1 else "unstable"), row
        low, high = 0.01, 0.8
        for _ in range(50):
            middle = (low + high) / 2
            low, high = (middle, high) if radius(m.jacobi(middle)) < 1 else (low, middle)
        near(row["largestStep"], low, 1e-6 * low)
    text = tutti("stability", "--region", "msd2.dc=4:10:2", SCENARIO).stdout
    assert text.startswith("stability over msd2.dc (rho and verdict at a step of 0.2 s; "), text
    for words, message in (
            ("msd2.dc", None), ("=1:2:3", None), ("msd2.dc=1:2", None), ("msd2.dc=2:1:3", None),
            ("msd2.dc=1:2:1", None), ("msd2.dc=1:2:201", None), ("msd2.dc=a:2:3", None),
            ("msd2.nix=1:2:3", "nix")):
        refused = tutti("stability", "--region", words, SCENARIO, code=2).stderr
        assert message or refused == (
            "tutti: --region wants PARAMETER=FIRST:LAST:N, FIRST less than LAST and N from 2 to "
            f"200, not '{words}'\n"), refused
        assert not message or message in refused, refused
    refused = tutti("stability", "--region", "msd2.dc=1:2:3", "--gain", SCENARIO, code=2).stderr
    assert refused == "tutti: --region and --gain are two questions\n", refused


def unknown():
    for words, reason in (
            ([os.path.join(EXAMPLES, "thermostat", "scenario-variable.json")],
             "the step varies, so that macro steps are not all alike; give one with --step and "
             "leave error control out"),
            ([os.path.join(EXAMPLES, "two-clocks", "scenario.json")],
             "clocks tick, so that macro steps are not all alike"),
            ([os.path.join(EXAMPLES, "traffic-light", "scenario.json")],
             "time goes from event to event, and there is no macro step"),
            ([os.path.join(EXAMPLES, "bouncing-ball", "scenario.json")],
             "state 'h' of instance '{ball}.ball' cannot be moved: it does not follow its start "
             "value, nor any input"),
            ([SCENARIO, "--set", "msd1.m1=0"],
             "instance '{msd1}.msd1'")):
        got = stability(*words)
        assert got["verdict"] == "unknown" and got["rho"] is None, got
        assert got["reason"].startswith(reason), got["reason"]
        text = tutti("stability", "--brief", *words).stdout
        brief = reason.replace("{ball}.ball", "ball").replace("{msd1}.msd1", "msd1")
        assert f"verdict:   unknown: {brief}" in text, text


def misbehaving(folder, what):
    path = os.path.join(folder, "s.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{a}": os.path.join(MSD, "msd1.fmu"),
                            "{m}": os.path.join(UNITS, "misbehave.fmu")},
                   "connections": {"{a}.a.x1": ["{m}.m.u"], "{m}.m.y": ["{a}.a.F"]},
                   "parameters": {"{m}.m.what": what, "{m}.m.when": 0.3},
                   "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1}, f)
    return path


def died():
    """An instance that fails, ends the run, gives NaN or crashes: no verdict, and why."""
    with tempfile.TemporaryDirectory() as folder:
        for what, reason in ((0, None),
                             (1, "instance '{m}.m' (fmi2)"),
                             (4, "an instance ended the simulation"),
                             (10, "instance '{m}.m' (fmi2) gave NaN for its output '{m}.m.y'")):
            got = stability(misbehaving(folder, what))
            stability.cache_clear()
            assert (got["verdict"] == "unknown") == (reason is not None), got
            assert reason is None or got["reason"].startswith(reason), got["reason"]
        done = tutti("stability", "--json", misbehaving(folder, 6), code=1)
        got = json.loads(done.stdout)
        assert got["verdict"] == "unknown", got
        assert got["reason"].startswith("instance '{m}.m': crashed in step"), got
        assert done.stderr.startswith("tutti: unknown whether it is stable: instance "
                                      "'{m}.m': crashed in step"), done.stderr


def pictures():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.svg")
        tutti("stability", "-q", SCENARIO, "--svg", path)
        with open(path, encoding="utf-8") as f:
            svg = f.read()
        for word in ("Eigenvalues of one macro step", "Spectral radius over the step",
                     "unit circle"):
            assert word in svg, word
        other = os.path.join(folder, "t.csv")
        with open(other, "w", encoding="utf-8") as f:
            f.write("time,x\n0,1\n")
        refused = tutti("stability", SCENARIO, "--svg", other, code=2)
        assert other in refused.stderr, refused.stderr


def beside():
    """A run that was asked for both: the same results, and what is known of them."""
    with tempfile.TemporaryDirectory() as folder:
        plain, full, page = (os.path.join(folder, n) for n in ("a.csv", "b.csv", "r.html"))
        tutti("run", SCENARIO, "-q", "-o", plain)
        got = json.loads(tutti("run", SCENARIO, "--json", "--stability", "--assess", "-o", full,
                               "--report", page).stdout)
        with open(plain, "rb") as a, open(full, "rb") as b:
            assert a.read() == b.read()
        near(got["stability"]["rho"], 0.9326520653, 1e-9)
        assert got["stability"]["verdict"] == "stable", got["stability"]
        x1 = [v for v in got["assessment"]["variables"] if v["name"] == "{msd1}.msd1.x1"][0]
        near(x1["order"], 1, 0.1)
        near(x1["error"], 6.2034e-02, 2e-3)  # what it is against the matrix exponential
        assert got["assessment"]["other"] == "gauss-seidel", got["assessment"]
        with open(page, encoding="utf-8") as f:
            text = f.read()
        assert "deviations fade by a factor of 0.93265 per step" in text
        assert "half the step changes results by up to " in text
        got = json.loads(tutti("run", SCENARIO, "--json", "--stability=off", "-o", full).stdout)
        assert "stability" not in got and "assessment" not in got, got
        got = json.loads(tutti("run", misbehaving(folder, 6), "--json", "--stability", "-o", full,
                               code=1).stdout)
        for words, message in (
                (["--stability", "--sandbox"],
                 "tutti: --stability plays instances in processes of their own, which --sandbox "
                 "does not reach\n"),
                (["--stability=on"], "tutti: --stability takes 'off', not 'on'\n"),
                (["--assess", "--control"], "tutti: --assess does not go with --control\n"),
                (["--assess", "--error-control", "milne"],
                 "tutti: --assess halves a fixed step, and this run has none; give --step H\n")):
            refused = tutti("run", SCENARIO, *words, "-o", full, code=2)
            assert refused.stderr == message, refused.stderr


def unasked():
    """A run states what is cheap to know, without being asked; results are the same bytes."""
    with tempfile.TemporaryDirectory() as folder:
        plain, full, page = (os.path.join(folder, n) for n in ("a.csv", "b.csv", "r.html"))
        tutti("run", SCENARIO, *STIFF, "--stability=off", "-q", "-o", plain)
        done = tutti("run", SCENARIO, *STIFF, "-o", full, "--report", page)
        line = "unstable: deviations grow by a factor of 1.8324 per step, changing sign from step to step"
        assert f"  stability      {line}\n" in done.stdout, done.stdout
        assert "grows by a factor of 1.83 per step since t=0.2" in done.stderr, done.stderr
        with open(page, encoding="utf-8") as f:
            assert line in f.read()
        with open(plain, "rb") as a, open(full, "rb") as b:
            assert a.read() == b.read()
        got = json.loads(tutti("run", SCENARIO, *STIFF, "--json", "-o", full).stdout)
        near(got["stability"]["rho"], 1.8323909765, 1e-9)
        # Not linear, of hidden states, of steps that vary, or nothing that goes round: not looked at.
        for words in ((os.path.join(EXAMPLES, "van-der-pol", "scenario.json"),),
                      (os.path.join(MSD, "scenario-fmi1.json"),),
                      (os.path.join(EXAMPLES, "water-tank", "scenario-variable.json"),),
                      (SCENARIO, "--sandbox"), (SCENARIO, "--isolate")):
            got = json.loads(tutti("run", *words, "--json", "-o", full).stdout)
            assert "stability" not in got, (words, got["stability"])


def main():
    for test in (radii, published, stiff_case, advice, structures, rates, largest_step, iterated, black_box, derivatives,
                 later_derivatives, hidden_and_curved, estimated, apart, border,
                 curved, along, fragile, gain, region, unknown, died, pictures, beside, unasked):
        test()
        print("ok", test.__name__)


if __name__ == "__main__":
    main()
