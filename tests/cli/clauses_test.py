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
        self.follows("interpolate u in 10 steps", lambda k: 0.1 * k)
        self.follows("quantize x at 0 0.55 1.05",
                     lambda k: 0 if k < 6 else 0.55 if k < 11 else 1.05)
        self.follows("derivatives by differences", lambda k: 0.1 * k)
        self.follows([], lambda k: 0.1 * k)

    def alone(self, clauses, columns, parameters, **more):
        """One FMU, whose input is a table if one is given; its columns."""
        affine = os.path.join(UNITS, "affine.fmu")
        s = {"fmus": {"{p}": affine}, "connections": {},
             "instances": {"{p}": ["p"]},
             "parameters": {"{p}.p." + k: v for k, v in parameters.items()},
             "logVariables": {"{p}.p": columns},
             "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 2,
             "adapt": {"{p}.p": clauses}}
        if "table" in more:
            with open(self.path("in.csv"), "w", encoding="utf-8") as f:
                f.write(more.pop("table"))
            s["fmus"]["{t}"] = "in.csv"
            s["connections"]["{t}.t.u"] = ["{p}.p.u"]
        s.update(more)
        self.tutti("run", self.put(s), "-o", "out.csv")
        return [self.column("out.csv", "time")] + [
            self.column("out.csv", "{p}.p." + c) for c in columns]

    def test_a_circle_is_solved(self):
        """u = y = g u + s + x, x' = b u, with u of the end of the step."""
        g, s, b, h = -0.5, 1, -0.3, 0.1
        for way in ("", " aitken", " newton"):
            _, x, y = self.alone("iterate u from y absolute 1e-13 relative 0 "
                                 "turns 100" + way, ["x", "y"],
                                 {"g": g, "s": s, "b": b})
            wanted = 0
            for k in range(1, 21):
                wanted = (wanted + h * b * s / (1 - g)) / (1 - h * b / (1 - g))
                self.assertAlmostEqual(x[k], wanted, delta=1e-12)
                self.assertAlmostEqual(y[k], (wanted + s) / (1 - g), delta=1e-12)

    def test_turns_at_each_step_of_a_rate_are_one(self):
        """Where substitution diverges, g = 3, Newton settles."""
        g, s, b, h = 3, 1, -0.3, 0.01
        clauses = ["iterate u from y newton absolute 1e-12", "multiply rate 10"]
        _, x = self.alone(clauses, ["x"], {"g": g, "s": s, "b": b})
        wanted = 0
        for k in range(1, 21):
            for _ in range(10):
                wanted = (wanted + h * b * s / (1 - g)) / (1 - h * b / (1 - g))
            self.assertAlmostEqual(x[k], wanted, delta=1e-10)
        p = self.tutti("run", "-v", "s.json", "-o", "out.csv")
        self.assertIn("'iterate u from y newton absolute 1e-12', 'multiply "
                      "rate 10' are one adaptation\n", p.stderr)

    def test_what_does_not_settle_is_an_error(self):
        s = scenario("iterate u from y turns 7",
                     parameters={"{s}.s.s": 1, "{p}.p.g": 3, "{p}.p.s": 1},
                     connections={"{s}.s.y": ["{p}.q.u"]})
        p = self.tutti("run", self.put(s), code=1)
        self.assertIn("'u' and 'y' do not settle in 7 turns", p.stderr)

    def test_an_output_is_located(self):
        """x' = 1 from 0 and a level of 0.4321: a row is there."""
        t, x = self.alone("locate x crosses 0.4321 tolerance 1e-10", ["x"],
                          {"b": 1}, table="time,u\n0,1\n9,1\n")
        near = min(range(len(t)), key=lambda i: abs(t[i] - 0.4321))
        self.assertAlmostEqual(t[near], 0.4321, delta=1e-9)
        self.assertAlmostEqual(x[near], 0.4321, delta=1e-9)
        self.assertEqual(t[-1], 2)

    def test_an_input_is_located(self):
        """u = t^2 crosses 0.5 at sqrt(1/2): the line of each trial lands
        nearer."""
        rows = "".join("%.4f,%.10f\n" % (k / 1000, (k / 1000) ** 2)
                       for k in range(3000))
        t, y = self.alone("locate u crosses 0.5 up tolerance 1e-8", ["y"],
                          {"g": 1}, table="time,u\n" + rows)
        near = min(range(len(t)), key=lambda i: abs(t[i] - 0.5 ** 0.5))
        self.assertAlmostEqual(t[near], 0.5 ** 0.5, delta=2e-7)
        self.assertEqual(t[-1], 2)

    def test_it_begins_anew_at_a_jump(self):
        """With its state back nothing is different; with x of the one before
        as its start neither, r and all else begin as they did."""
        table = "time,u\n0,1\n0.65,1\n0.65,3\n9,3\n"
        plain = self.alone("locate u crosses 9", ["x"], {"b": 1, "a": -1},
                           table=table)
        for clause in ("reinitialise on u jump > 1",
                       "reinitialise on u jump > 1 keep x"):
            anew = self.alone(clause, ["x"], {"b": 1, "a": -1}, table=table)
            self.assertEqual(anew[0], plain[0])
            for one, other in zip(anew[1], plain[1]):
                self.assertAlmostEqual(one, other, delta=1e-13)
        none = self.alone("reinitialise on u jump > 1 keep y as x", ["x"],
                          {"b": 1, "a": -1, "s": -0.25}, table=table)
        before = 1 - 2.718281828459045 ** -0.6 - 0.25
        self.assertAlmostEqual(none[1][7], 3 - (3 - before) *
                               2.718281828459045 ** -0.1, delta=1e-12)

    def test_a_jump_is_found_in_time(self):
        table = "time,u\n0,1\n0.6543,1\n0.6543,3\n9,3\n"
        t, x = self.alone("reinitialise on u jump > 1 within 1e-6", ["x"],
                          {"b": 1}, table=table)
        self.assertAlmostEqual(x[-1], 0.6543 + 3 * (2 - 0.6543), delta=3e-6)
        self.assertTrue(any(abs(v - 0.6543) < 1e-6 for v in t))

    def test_it_runs_at_its_events(self):
        """A table that is stairs has its rows as events: it runs at these
        alone, and its values are held."""
        with open(self.path("stairs.csv"), "w", encoding="utf-8") as f:
            f.write("time,u\n0,1\n0.45,1\n0.45,2\n1.2,2\n1.2,3\n5,3\n")
        s = {"fmus": {"{t}": "stairs.csv"}, "connections": {},
             "instances": {"{t}": ["t"]}, "logVariables": {"{t}.t": ["u"]},
             "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 2,
             "adapt": {"{t}.t": "run at next event"}}
        self.tutti("run", self.put(s), "-o", "out.csv")
        for t, u in zip(self.column("out.csv", "time"),
                        self.column("out.csv", "{t}.t.u")):
            self.assertEqual(u, 1 if t < 0.44 else 2 if t < 1.15 else 3, t)

    def test_derivatives_by_differences_are_those_of_the_unit(self):
        """A cubic through values and rates, of the FMUs (through two signs)
        and by differences; without rates it is off by far more."""
        place = os.path.join(BUILD, "examples", "double-mass-spring-damper")
        s = {"fmus": {"{a}": place + "/msd1.fmu", "{b}": place + "/msd2.fmu"},
             "connections": {"{a}.a.x1": ["{b}.b.x1"], "{a}.a.v1": ["{b}.b.v1"],
                             "{b}.b.F": ["{a}.a.F"]},
             "logVariables": {"{a}.a": ["x1"]}, "approximation": "hermite",
             "algorithm": {"type": "fixed-step", "size": 0.05}, "endTime": 2}
        column = {}
        for name, clause in (("own", ["negate F", "negate F"]),
                             ("none", "multiply rate 1"),
                             ("by", "derivatives by differences")):
            self.tutti("run", self.put({**s, "adapt": {"{a}.a": clause,
                                                       "{b}.b": clause}}),
                       "-o", "out.csv")
            column[name] = self.column("out.csv", "{a}.a.x1")
        off = {name: max(abs(x - y) for x, y in
                         zip(column["own"], column[name]))
               for name in ("by", "none")}
        self.assertLess(off["by"], 1e-6)
        self.assertGreater(off["none"], 1e-4)

    def test_a_frame_is_turned(self):
        """Inputs and outputs by one matrix: as it was. By a matrix of the
        outputs alone: turned by 90 degrees."""
        tank = os.path.join(BUILD, "examples", "double-mass-spring-damper")
        s = {"fmus": {"{a}": tank + "/msd1.fmu", "{b}": tank + "/msd2.fmu"},
             "connections": {"{a}.a.x1": ["{b}.b.x1"], "{a}.a.v1": ["{b}.b.v1"],
                             "{b}.b.F": ["{a}.a.F"]},
             "logVariables": {"{a}.a": ["x1", "v1"]},
             "algorithm": {"type": "fixed-step", "size": 0.01}, "endTime": 1}

        def both(adapt):
            self.tutti("run", self.put({**s, "adapt": adapt}), "-o", "out.csv")
            return (self.column("out.csv", "{a}.a.x1"),
                    self.column("out.csv", "{a}.a.v1"))
        plain = both({})
        matrix = "frame x1 v1 matrix 1 2 3 -1 offset 4 5"
        turned = both({"{a}.a": matrix, "{b}.b": matrix})
        for k in range(101):
            x, v = plain[0][k], plain[1][k]
            self.assertAlmostEqual(turned[0][k], x + 2 * v + 4, delta=1e-11)
            self.assertAlmostEqual(turned[1][k], 3 * x - v + 5, delta=1e-11)
        p = self.tutti("run", self.put({**s, "adapt": {
            "{a}.a": "frame x1 v1 matrix 1 2 2 4"}}), code=2)
        self.assertIn("the matrix has no inverse, so that there is no way "
                      "back", p.stderr)

    def test_values_of_several_variables_are_one(self):
        self.put(scenario(["negate x", "frame y gain 2", "convert u cm m",
                           "negate x"]))
        p = self.tutti("run", "-v", "s.json", "-o", "out.csv")
        self.assertIn("'frame y gain 2', 'convert u cm m', 'negate x' are one "
                      "adaptation\n", p.stderr)
        for k, (_, x, _) in enumerate(self.rows()):
            self.assertAlmostEqual(x, 10 * k, delta=1e-9)

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
        self.assertAlmostEqual(once[8][1], -once[8][0], delta=1e-14)

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
        self.wrong(scenario(["negate u", "find u crosses 2"]),
                   "s.json:33:5: there is no clause 'find'")
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


if __name__ == "__main__":
    unittest.main()
