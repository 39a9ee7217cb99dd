#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Clauses of "adapt" in a scenario, against closed forms. A source of 1 feeds
two integrators of one FMU, of which p is adapted and q is not."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
UNITS = os.path.join(BUILD, "tests", "units")


def scenario(clauses, **more):
    affine = os.path.join(UNITS, "affine.fmu")
    s = {"fmus": {"{s}": affine, "{p}": affine},
         "connections": {"{s}.s.y": ["{p}.p.u", "{p}.q.u"]},
         "parameters": {"{s}.s.s": 1, "{p}.p.b": 1, "{p}.q.b": 1},
         "logVariables": {"{p}.p": ["x"], "{p}.q": ["x"]},
         "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 2,
         "adapt": {"{p}.p": clauses}}
    s.update(more)
    return s


class Clauses(unittest.TestCase):
    def setUp(self):
        self.dir = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.dir)

    def path(self, name):
        return os.path.join(self.dir, name)

    def tutti(self, *args, code=0):
        p = subprocess.run([TUTTI, *args], cwd=self.dir, text=True,
                           capture_output=True, check=False, timeout=120)
        self.assertEqual(p.returncode, code, p.stderr)
        return p

    def put(self, s, name="s.json"):
        with open(self.path(name), "w", encoding="utf-8") as f:
            json.dump(s, f, indent=1)
        return name

    def run_it(self, s, *args):
        self.tutti("run", self.put(s), "-o", "out.csv", *args)
        return self.rows()

    def column(self, name, variable):
        with open(self.path(name), encoding="utf-8") as f:
            return [float(r[variable]) for r in csv.DictReader(f)]

    def rows(self):
        with open(self.path("out.csv"), encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        return [(float(r["time"]), float(r["{p}.p.x"]), float(r["{p}.q.x"]))
                for r in rows]

    def follows(self, clauses, wanted):
        """x of p is wanted(k) after k steps; that of q is t."""
        rows = self.run_it(scenario(clauses))
        self.assertEqual(len(rows), 21)
        for k, (t, p, q) in enumerate(rows):
            self.assertAlmostEqual(q, t, delta=1e-12)
            self.assertAlmostEqual(p, wanted(k), delta=1e-12)

    def test_each_clause(self):
        self.follows("negate u", lambda k: -0.1 * k)
        self.follows("convert u cm m", lambda k: 10 * k)
        self.follows("frame x gain 2 offset 3", lambda k: 3 + 0.2 * k)
        self.follows("frame u offset 3", lambda k: -0.2 * k)
        self.follows("delay x start 5",
                     lambda k: 0.1 * (k - 1) if k else 5)
        self.follows("multiply rate 10", lambda k: 0.1 * k)
        self.follows(["interpolate u", "multiply rate 10"],
                     lambda k: 0.1 * k)
        self.follows("quantize x step 0.5 hysteresis 0",
                     lambda k: 0.5 * ((k + 2) // 5))
        self.follows("delay x by 0.3", lambda k: 0.1 * max(k - 3, 0))
        self.follows("divide rate 4 with hold", lambda k: 0.4 * (k // 4))
        self.follows("run when t > 0.95",
                     lambda k: 0.1 * k if k > 10 else 0)
        self.follows([], lambda k: 0.1 * k)

    def test_order_is_nesting(self):
        self.follows(["negate x", "frame x offset 1"],
                     lambda k: 1 - 0.1 * k)
        self.follows(["frame x offset 1", "negate x"],
                     lambda k: -1 - 0.1 * k)

    def test_that_two_are_one_is_noted(self):
        self.put(scenario(["interpolate u", "multiply rate 10"]))
        p = self.tutti("run", "-v", "s.json", "-o", "out.csv")
        self.assertIn("tutti: note: s.json:32:5: 'interpolate u', 'multiply "
                      "rate 10' are one adaptation\n", p.stderr)

    def test_every_way_to_play_gives_the_same(self):
        s = scenario(["negate x", "multiply rate 3",
                      "divide rate 4 with hold"])
        once = self.run_it(s)
        for more in ({"threads": 2}, {"isolate": True},
                     {"isolate": ["{p}.p"]}):
            self.assertEqual(self.run_it({**s, **more}), once)
        self.assertEqual(once[8][1], -once[8][0])

    def test_a_checkpoint_is_of_its_clauses(self):
        s = scenario("divide rate 4 with hold")
        whole = self.run_it(s)
        self.tutti("run", self.put(s), "-o", "out.csv", "--checkpoint", "c",
                   "--every", "sim:0.7")
        self.tutti("run", "--resume", "c")
        self.assertEqual(self.rows(), whole)
        self.put(scenario("divide rate 5 with hold"))
        p = self.tutti("run", "--resume", "c", code=2)
        self.assertEqual(p.stderr, "tutti: resuming: the saved state is of "
                         "another scenario\n")

    def test_around_a_scenario_in_place_and_a_program(self):
        affine = os.path.join(UNITS, "affine.fmu")
        with open(self.path("p.sa"), "w", encoding="utf-8") as f:
            f.write('semantic adaptation A a for inner fmu B b at "%s"'
                    % affine)
        inside = {"fmus": {"{a}": affine}, "instances": {"{a}": ["a"]},
                  "ports": {"inputs": {"u": "{a}.a.u"},
                            "outputs": {"x": "{a}.a.x"},
                            "parameters": {"b": "{a}.a.b"}}}
        for place in (inside, "p.sa"):
            s = scenario(["negate x", "divide rate 4 with hold"],
                         connections={"{s}.s.y": ["{p}.p.u"]},
                         parameters={"{s}.s.s": 1, "{p}.p.b": 1},
                         logVariables={"{p}.p": ["x"]})
            s["fmus"]["{p}"] = place
            self.tutti("run", self.put(s), "-o", "out.csv")
            rows = self.column("out.csv", "{p}.p.x")
            for k, x in enumerate(rows):
                self.assertAlmostEqual(x, -0.4 * (k // 4), delta=1e-12)

    def test_around_model_exchange(self):
        """What is negated on both sides is as it was, and the integrator
        that the scenario chooses is the one that is used."""
        place = os.path.join(BUILD, "examples")
        s = {"fmus": {"{w}": place + "/van-der-pol/swing.fmu",
                      "{l}": place + "/double-mass-spring-damper/msd2.fmu"},
             "connections": {"{w}.w.x": ["{l}.l.x1"], "{w}.w.v": ["{l}.l.v1"],
                             "{l}.l.F": ["{w}.w.F"]},
             "parameters": {"{l}.l.cc": 1, "{l}.l.dc": 0.2},
             "algorithm": {"type": "fixed-step", "size": 0.05}, "endTime": 5,
             "interface": {"{w}.w": "me"}}
        last = []
        for method in ({"method": "euler", "step": 0.05}, "rk4"):
            both = []
            s["integrator"] = {"{w}.w": method}
            for adapt in ({}, {"{w}.w": "negate F", "{l}.l": "negate F"}):
                self.tutti("run", self.put({**s, "adapt": adapt}), "-o",
                           "out.csv")
                both.append(self.column("out.csv", "{w}.w.x"))
            for one, other in zip(*both):
                self.assertAlmostEqual(one, other, delta=1e-11)
            last.append(both[1][-1])
        self.assertGreater(abs(last[0] - last[1]), 1e-4)

    def test_it_goes_along_into_an_fmu(self):
        s = scenario(["negate x", "divide rate 4 with hold"],
                     ports={"outputs": {"x": "{p}.p.x"}})
        self.tutti("export", self.put(s), "-o", "whole.fmu")
        self.put({"fmus": {"{w}": "whole.fmu"},
                  "logVariables": {"{w}.w": ["x"]},
                  "algorithm": {"type": "fixed-step", "size": 0.1},
                  "endTime": 2}, "w.json")
        self.tutti("run", "w.json", "-o", "w.csv")
        self.assertEqual(self.column("w.csv", "{w}.w.x"), [p for _, p, _ in self.run_it(s)])

    def test_they_are_shown_as_programs(self):
        self.put(scenario(["negate x", "interpolate u", "multiply rate 2"]))
        text = self.tutti("adapt", "--explicit", "s.json").stdout
        one, two = text.split("\n// ")
        self.assertEqual(one.split("\n")[0], "// {p}.p: negate x")
        self.assertEqual(two.split("\n")[0],
                         "{p}.p: interpolate u, multiply rate 2")
        self.assertIn("        outside.x := (-1.0) * stored_inside_x;", one)
        with open(self.path("one.sa"), "w", encoding="utf-8") as f:
            f.write(one)
        s = scenario([])
        s["fmus"]["{p}"] = "one.sa"
        for t, p, q in self.run_it(s):
            self.assertAlmostEqual(p, -t, delta=1e-12)
            self.assertAlmostEqual(q, -t, delta=1e-12)

    def test_what_cannot_be_shown(self):
        self.wrong(scenario([]), "s.json: no instance has clauses in 'adapt'",
                   "adapt")
        self.wrong(scenario("negate u"),
                   "s.json: 'tutti export' makes an FMU of a scenario",
                   "adapt", "-o", "x.fmu")

    def wrong(self, s, message, *args):
        p = self.tutti(*(args or ("run",)), self.put(s), code=2)
        self.assertEqual(p.stderr.split("; there are")[0].strip(),
                         "tutti: " + message)

    def test_wrong_ones_are_named_with_their_place(self):
        self.wrong(scenario("negat u"), "s.json:31:13: there is no clause "
                   "'negat'; did you mean 'negate'?")
        self.wrong(scenario("negat u"), "s.json:31:13: there is no clause "
                   "'negat'; did you mean 'negate'?", "check")
        self.wrong(scenario(["negate u", "frame z gain 2"]),
                   "s.json:33:11: there is no input or output 'z'")
        self.wrong(scenario(["negate u", "locate u crosses 2"]),
                   "s.json:33:5: there is no clause 'locate'")
        self.wrong(scenario("convert u m) x m"), "s.json:31:28: a clause "
                   "'convert' is 'convert VARIABLE [UNIT] UNIT'")
        self.wrong(scenario("run when " + "(" * 300), "s.json:31:22: nested "
                   "too deeply: at most 128 levels")
        self.wrong(scenario(["negate u"] * 40), "s.json:4:10: FMU '{p}': " +
                   os.path.join(UNITS, "affine.fmu") + ": adaptations are "
                   "more than 32 deep in each other")
        self.wrong(scenario(3), "s.json:31:12: '{p}.p' must be an array of "
                   "strings, not an integer")
        self.wrong(scenario([3]), "s.json:32:4: each element of '{p}.p' must "
                   "be a string, not an integer")
        self.wrong(scenario("negate u", adapt=["negate u"]),
                   "s.json:30:11: 'adapt' must be an object, not an array")
        self.wrong(scenario("negate u", adapt={"{p}.r": "negate u"}),
                   "s.json:31:3: there is no instance '{p}.r'; did you mean "
                   "'{p}.p'?")
        self.wrong(scenario("negate u", hosts={"{p}": "lab:7117"}),
                   "s.json:4:10: FMU '{p}': it is on another host, and "
                   "instances are adapted here; export the adaptation as an "
                   "FMU, and send that")


if __name__ == "__main__":
    unittest.main()
