#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How late switching may be: delay_test.py BUILD. The bouncing ball on a soft floor, against
an orbit that is closed here by steps of another method, and against runs."""
import json
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
BALL = os.path.join(EXAMPLES, "relaxed-ball", "scenario.json")
R, M, DC, DA, G = 0.25, 0.65, 10.0, 0.0136, 9.81


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def near(a, b, tolerance):
    assert abs(a - b) <= tolerance, (a, b)


class Ball:
    """By Runge and Kutta's steps of order 4; affine: with drag d_a v."""

    def __init__(self, c, affine=False):
        self.c, self.affine = c, affine

    def rate(self, floor, x, v):
        force = -1e-6 * v if self.affine else -DA * v * abs(v)
        if floor:
            force += self.c * (R - x) - DC * v
        return v, force / M - G

    def step(self, floor, x, v, h):
        a = self.rate(floor, x, v)
        b = self.rate(floor, x + h / 2 * a[0], v + h / 2 * a[1])
        c = self.rate(floor, x + h / 2 * b[0], v + h / 2 * b[1])
        d = self.rate(floor, x + h * c[0], v + h * c[1])
        return (x + h / 6 * (a[0] + 2 * b[0] + 2 * c[0] + d[0]),
                v + h / 6 * (a[1] + 2 * b[1] + 2 * c[1] + d[1]))

    def until(self, floor, x, v, h, sign):
        """To where sign(x, v) is true, by halving the last step."""
        while True:
            y = self.step(floor, x, v, h)
            if sign(*y):
                break
            x, v = y
        lo, hi = 0.0, h
        for _ in range(60):
            middle = (lo + hi) / 2
            lo, hi = (lo, middle) if sign(*self.step(floor, x, v, middle)) else (middle, hi)
        return self.step(floor, x, v, hi)

    def late(self, turn):
        """How late into contact closes the orbit that turns here."""
        fine = 2e-5
        x, v = self.until(True, turn, 0.0, fine, lambda x, v: x >= R)
        # the flight, by steps that are as long as it allows
        x, v = self.until(False, x, v, 2e-4, lambda x, v: x < R and v < 0)
        border = (x, v)

        def misses(h2):
            x, v = border
            n = 60
            for _ in range(n):
                x, v = self.step(False, x, v, h2 / n)
            return self.until(True, x, v, fine, lambda x, v: v >= 0)[0] - turn
        lo, hi = 5e-4, 4e-3
        assert misses(lo) > 0 > misses(hi)
        for _ in range(45):
            middle = (lo + hi) / 2
            lo, hi = (middle, hi) if misses(middle) > 0 else (lo, middle)
        return (lo + hi) / 2


def planar(folder, c, drag="d_a*v*abs(v)", da=DA, **changes):
    air = f"-({drag})/m - g"
    system = {"states": {"x": 0.25, "v": 0},
              "parameters": {"r": R, "m": M, "c": c, "d_c": DC, "d_a": da, "g": G},
              "mode1": {"x": "v", "v": f"{air} + (c*(r - x) - d_c*v)/m"},
              "mode2": {"x": "v", "v": air}, "switch": "x - r"}
    system.update(changes)
    path = os.path.join(folder, "ball.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump({k: v for k, v in system.items() if v is not None}, f)
    return path


def numbers():
    with tempfile.TemporaryDirectory() as folder:
        for c, known in ((50000.0, 0.0014128697), (40000.0, 0.00166774448)):
            got = json.loads(tutti("stability", "--delay", "--json", planar(folder, c)).stdout)
            near(got["delay"], known, 1.5e-9)
            near(got["h1"], 0, 0)
            ball = Ball(c)
            near(ball.late(got["turn"][0]), got["delay"], 1e-9)
            for factor in (0.8, 1.25):  # no orbit farther in or out closes with less
                turn = got["rest"][0] + factor * (got["turn"][0] - got["rest"][0])
                assert ball.late(turn) > got["delay"], factor
        near(got["rest"][0], 0.2498405875, 1e-12)
        got = json.loads(tutti("stability", "--delay", "--json",
                               planar(folder, 40000.0, "d_a*v", 1e-6)).stdout)
        near(got["delay"], 0.001623205, 1e-9)
        near(Ball(40000.0, True).late(-0.45), got["delay"], 2e-8)


def example():
    """The instance itself gives the same, and runs a little below and above agree."""
    if not os.path.exists(BALL):
        print("no relaxed-ball")
        return
    for c, delay in ((40000, 0.00166774448), (50000, 0.0014128689)):
        got = json.loads(tutti("stability", "--delay", "--json", BALL, "--set",
                               f"ball.c={c}").stdout)
        near(got["delay"], delay, 1e-9)
        near(got["late"], 0.0016, 1e-9)
        assert got["verdict"] == ("stable" if delay > 0.0016 else "unstable"), got
        assert got["master"] == {"seen": 1e-9, "answered": 0}, got["master"]
    text = tutti("stability", "--delay", BALL).stdout
    assert "may be late: by less than 0.00166774448 s" in text, text
    assert ("the master:  sees a crossing up to 1e-9 s late, and what answers to it arrives up to 0 s "
            "later\n") in text, text


def by_steps():
    """Instances of FMI 2 have no event mode: the sensor answers at the end of its next step. The
    score states as much, and what is seen while it plays is no later."""
    with open(BALL, encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"] = {"{ball}": os.path.join(EXAMPLES, "relaxed-ball", "ball.fmu"),
                        "{contact}": os.path.join(EXAMPLES, "relaxed-ball", "contact.fmu")}
    scenario["parameters"]["{contact}.contact.delay"] = 0
    scenario["endTime"] = 0.2
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "steps.json")
        for step, verdict in ((0.0002, "stable"), (0.001, "stable"), (0.004, "unknown")):
            scenario["algorithm"]["size"] = step
            with open(path, "w", encoding="utf-8") as f:
                json.dump(scenario, f)
            got = json.loads(tutti("stability", "--delay", "--json", path).stdout)
            near(got["delay"], 0.00166774448, 1e-9)
            assert got["master"]["answered"] == step, got
            assert got["late"] <= got["master"]["seen"] + got["master"]["answered"] + 1e-9, got
            assert got["verdict"] == verdict, got
        text = tutti("stability", "--delay", path).stdout
        assert text.endswith("verdict:     unknown: the master may be later than that\n"), text


def experiment():
    """By runs alone, from several starts: what the analysis gives, to half a percent; and one
    that is late by less comes to rest."""
    starts = ["--from", "ball.x=0.251:0.3:4"]
    for c, known in ((40000, 0.00166774448), (50000, 0.0014128689)):
        late = ["--delay", "--late", f"contact.delay={0.98 * known}:{1.02 * known}"]
        got = json.loads(tutti("stability", "--json", *late, *starts, BALL, "--set",
                               f"ball.c={c}").stdout)
        near(got["delay"], known, 0.005 * known)
        assert 0 < got["experiment"]["grows"] - got["delay"] < 0.001 * known, got
        assert got["verdict"] == ("stable" if known > 0.0016 else "unstable"), got
        assert got["experiment"]["starts"] == 4 and got["experiment"]["time"] == 8, got
    text = tutti("stability", "--delay", "--late", "contact.delay=0.0015:0.002", BALL).stdout
    assert text.startswith("relaxed-ball: an experiment with contact.delay\nmay be late: by 0.001"), text
    assert ("runs of 8 s, by bisection; no proof: other starts may end otherwise\n"
            "as it is:    comes to rest\n") in text, text
    for words, message in (
            (["--delay", "--late", "contact.delay=0.002:0.003", BALL],
             "with contact.delay=0.002 a run does not come to rest; try less"),
            (["--delay", "--late", "contact.delay=0.001:0.0011", BALL],
             "with contact.delay=0.0011 all runs still come to rest; try more"),
            (["--delay", "--late", "contact.delay=2", BALL],
             "--late wants PARAMETER=A:B, A less than B, not 'contact.delay=2'"),
            (["--delay", "--late", "contact.delay=2:1", BALL],
             "--late wants PARAMETER=A:B, A less than B, not 'contact.delay=2:1'"),
            (["--delay", "--late", "contact.delay=0:1", "--from", "ball.x=0:1:51", BALL],
             "--from wants PARAMETER=FIRST:LAST:N, FIRST less than LAST and N from 2 to 50, not "
             "'ball.x=0:1:51'"),
            (["--late", "contact.delay=0:1", BALL], "--late goes with --delay"),
            (["--delay", "--from", "ball.x=0:1:2", BALL], "--from goes with --late"),
            (["--delay", "--late", "contact.delay=0:1", "--svg", "x.svg", BALL],
             "--svg does not go with --late")):
        done = subprocess.run([TUTTI, "stability", *words], capture_output=True, text=True,
                              check=False)
        assert done.returncode in (1, 2) and done.stderr == f"tutti: {message}\n", done.stderr


def picture():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "orbit.svg")
        tutti("stability", "-q", "--delay", "--svg", path, BALL)
        with open(path, encoding="utf-8") as f:
            svg = f.read()
        assert "The orbit that closes" in svg and "equilibrium" in svg


def refusals():
    with tempfile.TemporaryDirectory() as folder:
        for changes, message in (
                ({"switch": None}, "1:1: 'switch' must be a string"),
                ({"switch": "x - q"}, "there is no variable 'q'"),
                ({"states": {"x": 1}}, "two states are wanted"),
                ({"mode1": {"x": "v"}}, "an expression of each state is wanted"),
                ({"mode1": {"x": "v", "v": "-g"}}, "mode 1 has no equilibrium where it holds"),
                ({"parameters": {"x": 1}}, "there are two of this name"),
                ({"mode2": {"x": "v", "v": "sqrt(-1)"}}, "no orbit closes")):
            path = planar(folder, 40000.0, **changes)
            done = subprocess.run([TUTTI, "stability", "--delay", path], capture_output=True,
                                  text=True, check=False)
            assert done.returncode in (1, 2) and message in done.stderr, done.stderr
        refused = tutti("stability", "--delay", os.path.join(
            EXAMPLES, "double-mass-spring-damper", "scenario.json"), code=2)
        assert refused.stderr == (
            "tutti: --delay is for one located crossing that switches one instance with two "
            "states: the scenario does not have one \"locate\"\n"), refused.stderr


def main():
    for test in (numbers, example, by_steps, experiment, picture, refusals):
        test()
        print("ok", test.__name__)


if __name__ == "__main__":
    main()
