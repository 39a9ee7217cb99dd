#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scripts: every action in every way to play it, against closed forms. A plant
integrates its input u, which a source with the output s feeds: x is a polygon,
and where its corners are follows from the script."""
import csv
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
UNITS = os.path.join(BUILD, "tests", "units")
HEADER = "time,microstep,instance,port,value"


def scenario(script, fmu="affine.fmu", **more):
    affine = os.path.join(UNITS, fmu)
    s = {"fmus": {"{s}": affine, "{p}": affine},
         "instances": {"{s}": ["s", "other"], "{p}": ["q"]},
         "connections": {"{s}.s.y": ["{p}.p.u"]},
         "parameters": {"{s}.s.s": 1, "{s}.other.s": -1, "{p}.p.b": 1,
                        "{p}.q.b": 2, "{p}.q.x": 100},
         "logVariables": {"{p}.p": ["x"], "{p}.q": ["x"]},
         "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 10,
         "script": script}
    s.update(more)
    return s


# All actions one after the other. u and x of the plant, worked out by hand:
#   0     1    x = t
#   1.05  3    x = 1.05 + 3 (t - 1.05)       override, to 2.05: x = 4.05
#   2.05  1    ... to 3: x = 5
#   3     1.5  bias, for 1 s: x = 6.5 at 4
#   4     1    x = 7.75 at 5.25
#   5.25  2    s is set: x = 10.25 at 6.5
#   6.5   2    disconnected: s = 7 at 6.75 changes nothing; x = 11.25 at 7
#   7    -1    connected to the other source: x = 10.25 at 8
#   8          switched to q, which begins with that and has b = 2: -2 per s
ALL = [
    {"name": "stuck", "at": 1.05,
     "do": {"override": {"{p}.p.u": 3}, "until": 2.05}},
    {"name": "drift", "at": 3, "do": {"bias": {"{s}.s.y": 0.5}, "for": 1}},
    {"name": "more", "at": 5.25, "do": [{"set": {"{s}.s.s": "1 + {s}.s.y"}}]},
    {"name": "loose", "at": 6.5, "do": {"disconnect": "{p}.p.u"}},
    {"name": "unseen", "at": 6.75, "do": {"set": {"{s}.s.s": 7}}},
    {"name": "other", "at": 7, "do": {"connect": {"{s}.other.y": "{p}.p.u"}}},
    {"name": "spare", "at": 8,
     "do": {"switch": {"{p}.p": "{p}.q"},
            "carry": {"{p}.q.x": "{p}.p.x"}}},
]
CORNERS = [(0, 0), (1.05, 1.05), (2.05, 4.05), (3, 5), (4, 6.5), (5.25, 7.75),
           (6.5, 10.25), (7, 11.25), (8, 10.25)]
EVENTS = [
    ("1.05", "stuck", "override {p}.p.u with 3"),
    ("2.05", "stuck", "release {p}.p.u"),
    ("3.0", "drift", "bias {s}.s.y by 0.5"),
    ("4.0", "drift", "release {s}.s.y"),
    ("5.25", "more", "set {s}.s.s to 1 + {s}.s.y"),
    ("6.5", "loose", "disconnect {p}.p.u"),
    ("6.75", "unseen", "set {s}.s.s to 7"),
    ("7.0", "other", "connect {s}.other.y to {p}.p.u"),
    ("8.0", "spare", "switch {p}.p to {p}.q"),
    ("8.0", "spare", "no more steps of {p}.p"),
    ("8.0", "spare", "carry {p}.p.x to {p}.q.x"),
]


def polygon(t):
    for (a, x), (b, y) in zip(CORNERS, CORNERS[1:]):
        if t <= b:
            return x + (y - x) * (t - a) / (b - a)
    return CORNERS[-1][1]


def variable(size):
    return {"type": "var-step", "size": [1e-6, size], "initsize": size}


class Case(unittest.TestCase):
    maxDiff = None
    decides = "{script}.script"

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.n = 0

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, content):
        self.n += 1
        with open(self.path(f"s{self.n}.json"), "w") as f:
            json.dump(content, f, indent=1)
        return self.path(f"s{self.n}.json")

    def tutti(self, *args):
        return subprocess.run([TUTTI, *args], capture_output=True, text=True)

    def run_it(self, content, *options, code=0):
        r = self.tutti("run", self.write(content), "--events",
                       self.path("events.csv"), "-o", self.path("out.csv"),
                       *options)
        self.assertEqual(r.returncode, code, r.stderr)
        return r

    def read(self, name):
        with open(self.path(name)) as f:
            return f.read()

    def events(self):
        with open(self.path("events.csv"), newline="") as f:
            rows = list(csv.reader(f))
        self.assertEqual(",".join(rows[0]), HEADER)
        for row in rows[1:]:
            self.assertEqual(row[2], self.decides)
        return [(t, port, value) for t, _, _, port, value in rows[1:]]

    def column(self, name):
        with open(self.path("out.csv"), newline="") as f:
            return [(float(r["time"]), float(r[name]))
                    for r in csv.DictReader(f)]


class Everything(Case):
    WAYS = [(), ("--isolate",), ("--threads", "2"), ("--rollback",),
            ("--no-child",), ("--master", "gauss-seidel"),
            ("--master", "gauss-seidel", "--order", "p,q,s,other"),
            ("--iterate", "3"), ("--iterate", "converged"),
            ("--iterate", "converged", "--acceleration", "newton"),
            ("--approximation", "linear"), ("--step", "0.25"),
            ("--error-control", "richardson")]

    def check(self):
        self.assertEqual(self.events(), EVENTS)
        for t, x in self.column("{p}.p.x"):
            self.assertAlmostEqual(x, polygon(t), delta=1e-12 * max(1, x))
        last = self.column("{p}.q.x")[-1]
        self.assertEqual(last[0], 10)
        self.assertAlmostEqual(last[1], 6.25, delta=1e-11)

    def test_ways(self):
        for fmu in "affine.fmu", "affine-fmi3.fmu":
            for way in self.WAYS:
                with self.subTest(fmu=fmu, way=way):
                    self.run_it(scenario(ALL, fmu), *way)
                    self.check()

    def test_rejected_steps(self):
        """A crossing that is located takes steps back on the way."""
        more = {"algorithm": variable(0.7), "events": {"locate": [
            {"when": "{p}.p.x - 3.3"}, {"when": "{p}.p.x - 9.1"}]}}
        r = self.run_it(scenario(ALL, **more), "--json")
        self.assertGreater(json.loads(r.stdout)["rejected"], 2)
        self.check()

    @unittest.skipUnless(shutil.which("mpirun"), "no mpirun")
    def test_two_ranks(self):
        r = subprocess.run(
            ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", "2",
             TUTTI, "run", self.write(scenario(ALL)), "-q", "-o",
             self.path("ranks.csv")], capture_output=True, text=True)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.run_it(scenario(ALL))
        self.assertEqual(self.read("ranks.csv"), self.read("out.csv"))

    def test_checkpoints(self):
        file = self.write(scenario(ALL))
        for every in "1", "1.1", "2.1", "3.5", "5.3", "6.6", "7.5", "8", "8.5":
            with self.subTest(every=every):
                end = min(10, 1.9 * float(every))
                both = ("--until", str(end), "-q")
                r = self.tutti("run", file, *both, "-o", self.path("a.csv"),
                               "--events", self.path("ae.csv"))
                self.assertEqual(r.returncode, 0, r.stderr)
                r = self.tutti("run", file, *both, "-o", self.path("b.csv"),
                               "--events", self.path("be.csv"), "--checkpoint",
                               self.path("c"), "--every", "sim:" + every)
                self.assertEqual(r.returncode, 0, r.stderr)
                r = self.tutti("run", "--resume", self.path("c"), "-q")
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertEqual(self.read("b.csv"), self.read("a.csv"))
                self.assertEqual(self.read("be.csv"), self.read("ae.csv"))

    def test_without_event_mode(self):
        """It acts at communication points, and holds nothing."""
        plain = [e for e in ALL if e["name"] not in ("loose", "unseen")]
        plain[2] = {"at": 5.25, "do": {"set": {"{s}.s.s": 2}}}
        self.run_it(scenario(plain), "--no-event-mode", "--step", "0.05")
        self.assertAlmostEqual(dict(self.column("{p}.p.x"))[8], 10.25,
                               delta=1e-9)
        r = self.run_it(scenario(ALL), "--no-event-mode", code=2)
        self.assertIn("FMU '{script}': 'disconnect {p}.p.u' needs event mode, "
                      "which is not to be used", r.stderr)


class Conditions(Case):
    def times(self, condition, *options, **more):
        self.run_it(scenario([{"name": "c", "when": condition, "do": {
            "override": {"{s}.other.u": 1}}, **more}]), *options)
        return [float(t) for t, _, _ in self.events()]

    def test_at_the_start(self):
        self.assertEqual(self.times("{p}.p.x >= 0"), [0])
        self.assertEqual(self.times("{p}.p.x < 1"), [0])

    def test_on_the_grid(self):
        got = self.times("{p}.p.x >= 3 - 1e-9")
        self.assertEqual(len(got), 1)
        self.assertAlmostEqual(got[0], 3, delta=3e-9)

    def test_between(self):
        got = self.times("{p}.p.x > 3.14159 and t > 2")
        self.assertEqual(len(got), 1)
        self.assertAlmostEqual(got[0], 3.14159, delta=2e-9)

    def test_at_the_end(self):
        got = self.times("{p}.p.x > 10 - 1e-7")
        self.assertEqual(len(got), 1)
        self.assertAlmostEqual(got[0], 10, delta=2e-7)

    def test_never(self):
        self.assertEqual(self.times("{p}.p.x > 11"), [])

    def test_once_and_again(self):
        """u is 1 up to where x is 1, then -1 down to 0, and so on."""
        script = [
            {"name": "up", "when": "{p}.p.x >= 1", "repeat": True,
             "do": {"override": {"{p}.p.u": -1}}},
            {"name": "down", "when": "{p}.p.x <= 0 and t > 1",
             "repeat": True, "do": {"release": "{p}.p.u"}}]
        self.run_it(scenario(script))
        got = [(round(float(t), 6), n) for t, n, _ in self.events()]
        self.assertEqual(got, [(float(i), "up" if i % 2 else "down")
                               for i in range(1, 10)])
        for e in script:
            del e["repeat"]
        self.run_it(scenario(script))
        self.assertEqual([n for _, n, _ in self.events()], ["up", "down"])

    def test_late_without_a_way_back(self):
        """An instance that can only take whole steps."""
        r = self.tutti("info", os.path.join(UNITS, "affine-fmi1.fmu"))
        self.assertEqual(r.returncode, 0)
        self.run_it(scenario([{"when": "{p}.p.x > 3.14159", "do": {
            "stop": "pass"}}], "affine-fmi1.fmu"))
        self.assertGreaterEqual(float(self.events()[0][0]), 3.14159)


class Order(Case):
    def last(self, *values):
        script = [{"at": 2, "do": {"set": {"{s}.s.s": v}}} for v in values]
        self.run_it(scenario(script, endTime=3))
        return self.column("{p}.p.x")[-1][1]

    def test_of_appearance(self):
        self.assertAlmostEqual(self.last(3, 4), 6, delta=1e-12)
        self.assertAlmostEqual(self.last(4, 3), 5, delta=1e-12)

    def test_the_last_override_counts(self):
        self.run_it(scenario([
            {"at": 1, "do": [{"override": {"{p}.p.u": 5}, "until": 3}]},
            {"at": 2, "do": [{"override": {"{p}.p.u": 7}, "for": 2}]}],
            endTime=5))
        # the first one has ended when the second does: 1 + 5 + 14 + 1
        self.assertAlmostEqual(self.column("{p}.p.x")[-1][1], 21, delta=1e-12)
        self.assertEqual([e[0] for e in self.events()], ["1.0", "2.0", "4.0"])


class Verdicts(Case):
    def stop(self, how, code, at=2.5):
        s = scenario([{"name": "e", "at": at, "do": {"stop": how, "because":
                                                     "of that"}}])
        return json.loads(self.run_it(s, "--json", code=code).stdout)

    def test_words_and_exit_status(self):
        for how, code in ("pass", 0), ("fail", 1), ("end", 0):
            got = self.stop(how, code)
            self.assertEqual(got["outcome"], "terminated")
            self.assertEqual(got["message"], "stopped by the script ('e') at "
                             f"t=2.5 s: {how}, of that")
            self.assertEqual(got["script"]["verdict"], {
                "result": how, "because": "of that", "entry": "e", "t": 2.5})
            self.assertEqual(got["script"]["entries"], [
                {"name": "e", "ends": False, "count": 1, "last": 2.5}])
            self.assertEqual(got["t"], 2.5)

    def test_at_the_start_and_the_end(self):
        self.assertEqual(self.stop("fail", 1, at=0)["t"], 0)
        self.assertEqual(self.stop("fail", 1, at=10)["t"], 10)

    def test_none(self):
        s = scenario([{"at": 11, "do": {"stop": "fail"}}])
        got = json.loads(self.run_it(s, "--json").stdout)
        self.assertIsNone(got["script"]["verdict"])
        self.assertEqual(got["script"]["entries"], [
            {"name": "entry 1", "ends": False, "count": 0, "last": None}])


class Maestro(Case):
    """Its swaps and its fault injection, by its rules of time and by ours."""
    WAYS = [(), ("--dialect", "maestro2"), ("--isolate",), ("--rollback",)]

    def swap(self, **changes):
        s = scenario(None)
        s["connections"] = {"{s}.s.y": ["{p}.p.u", "{p}.q.u"],
                            "{p}.p.x": ["{s}.other.u"]}
        s["modelSwaps"] = {"p": {
            "swapInstance": "q", "stepCondition": "(p.x >= 1.0)",
            "swapCondition": "(p.x >= 3.0 && q.x > 100 && true == true)",
            "swapConnections": {"{p}.q.x": ["{s}.other.u"]}, **changes}}
        return s

    def test_swaps(self):
        """q steps from 1 s on, 2 per s, and p no more from 3 s on."""
        for way in self.WAYS:
            with self.subTest(way=way):
                self.run_it(self.swap(), "--step", "0.25", *way)
                for t, x in self.column("{p}.p.x"):
                    self.assertAlmostEqual(x, min(t, 3), delta=1e-8)
                for t, x in self.column("{p}.q.x"):
                    self.assertAlmostEqual(x, 100 + 2 * max(0, t - 1),
                                           delta=1e-8)
                for t, y in self.column("{gate1}.gate.y"):
                    if abs(t - 3) > 0.1:
                        self.assertAlmostEqual(
                            y, t if t < 3 else 98 + 2 * t, delta=1e-8)

    def test_conditions_without_variables(self):
        self.run_it(self.swap(stepCondition="(true)"), "--step", "0.25")
        self.assertAlmostEqual(self.column("{p}.q.x")[-1][1], 120, delta=1e-8)
        self.run_it(self.swap(stepCondition="false"), "--step", "0.25")
        self.assertEqual(self.column("{p}.q.x")[-1][1], 100)

    def test_wrong_swaps(self):
        for changes, message in (
                ({"swapInstance": "qq"}, "there is no instance 'qq'; did you "
                 "mean 'q'?"),
                ({"swapInstance": "p"}, "'p' cannot take its own place"),
                ({"swapCondition": "pp.x > 1"}, "there is no instance 'pp'; "
                 "did you mean 'p'?"),
                ({"swapCondition": "p.x"}, "'swapCondition' is a condition, "
                 "as 'x > 1' is, not a number"),
                ({"swapCondition": 1}, "'swapCondition' must be a string, not "
                 "an integer"),
                ({"swapCondtion": "p.x > 1"}, "unknown field 'swapCondtion'; "
                 "did you mean 'swapCondition'?"),
                ({"swapConnections": []}, "'swapConnections' must be an "
                 "object, not an array")):
            with self.subTest(changes=changes):
                r = self.run_it(self.swap(**changes), code=2)
                self.assertTrue(r.stderr.strip().endswith(": " + message),
                                r.stderr)

    def test_swaps_beside_a_script(self):
        """As above; from 6 s on the input of both is 2."""
        s = self.swap()
        s["script"] = [{"name": "more", "at": 6,
                        "do": {"set": {"{s}.s.s": 2}}}]
        for way in self.WAYS:
            with self.subTest(way=way):
                self.run_it(s, "--step", "0.25", *way)
                for t, x in self.column("{p}.p.x"):
                    self.assertAlmostEqual(x, min(t, 3), delta=1e-8)
                for t, x in self.column("{p}.q.x"):
                    self.assertAlmostEqual(
                        x, 100 + 2 * max(0, t - 1) + 2 * max(0, t - 6),
                        delta=1e-8)
                self.assertEqual(
                    [(round(float(t), 6), port) for t, port, _ in
                     self.events()],
                    [(1, "p: step"), (3, "p: swap"), (3, "p: swap"),
                     (6, "more")])

    def test_faults_beside_a_script(self):
        """As below up to 8 s, where 11.75 is reached; the override of the
        script replaces the fault: 2 for 1 s, then u, which is 1."""
        s = self.faults(self.EVENTS)
        s["script"] = [{"at": 8, "do": {"override": {"{p}.p.u": 2},
                                        "for": 1}}]
        self.run_it(s, "--step", "0.25")
        x = dict(self.column("{p}.p.x"))
        for t, expected in (8, 11.75), (9, 13.75), (10, 14.75):
            self.assertAlmostEqual(x[t], expected, delta=1e-9)

    def faults(self, events):
        with open(self.path("faults.xml"), "w") as f:
            f.write("<events>" + events + "</events>")
        s = scenario(None)
        s["faultInjectConfigurationPath"] = "faults.xml"
        s["faultInjectInstances"] = {"p": "plant"}
        return s

    # u of the plant is 1; the second window is over the first, and the
    # third waits for x: 2 + 5*1 + 3*1 + 2*0 + one step of 7
    EVENTS = """
<event id="plant.1" when="(t&gt;=2.0)&amp;(t&lt;4)" other="" vars="">
 <variable valRef="1" type="real" newVal="5" vars=""/></event>
<event id="plant.2" when="(t&gt;=3)&amp;(t&lt;4)" vars="var_1,">
 <variable valRef="1" type="real" newVal="2*var_1 + 1" vars="var_1,"/></event>
<event id="pump.3" when="t&gt;=0">
 <variable valRef="1" type="real" newVal="100"/></event>
<event id="plant.4" when="t &gt;= 0" other="var_2 &gt; 9.99 &amp; ~(var_2 &gt; 20)">
 <variable valRef="1" type="real" newVal="0"/></event>
<event id="plant.5" when="t=6.0">
 <variable valRef="1" type="int" newVal="7.2"/></event>"""

    def test_faults(self):
        for way in self.WAYS:
            with self.subTest(way=way):
                self.run_it(self.faults(self.EVENTS), "--step", "0.25", *way)
                x = dict(self.column("{p}.p.x"))
                for t, expected in ((2, 2), (3, 7), (4, 10), (6, 10),
                                    (6.25, 11.75), (10, 11.75)):
                    self.assertAlmostEqual(x[t], expected, delta=1e-9)

    def test_wrong_faults(self):
        one = '<event id="plant" when="t&gt;1"><variable %s/></event>'
        for events, message in (
                (one % 'valRef="77" newVal="1"', "faults.xml:1: the FMU has "
                 "no variable with valRef '77'"),
                (one % 'valRef="1"', "faults.xml:1: a variable lacks 'newVal'"),
                (one % 'valRef="1" newVal="1" type="string"', "faults.xml:1: "
                 "a script changes no strings: valRef '1'"),
                (one % 'valRef="1" newVal="var_99"', "faults.xml:1: the FMU "
                 "has no variable 'var_99'"),
                (one % 'valRef="1" newVal="1 +"', "expected a value, found "
                 "')'"),
                ('<event id="plant"><variable valRef="1" newVal="1"/></event>',
                 "faults.xml:1: an event lacks 'when'")):
            with self.subTest(events=events):
                r = self.run_it(self.faults(events), code=2)
                self.assertTrue(r.stderr.strip().endswith(message), r.stderr)
        s = self.faults("")
        s["faultInjectConfigurationPath"] = "none.xml"
        r = self.run_it(s, code=2)
        self.assertIn("none.xml: No such file or directory", r.stderr)


class Example(Case):
    """Water tank: 1 + 0.45 t until the valve opens, then towards 1.8 with a
    time constant of 4 s."""

    def test_a_stuck_sensor(self):
        file = os.path.join(BUILD, "examples", "water-tank",
                            "scenario-faults.json")
        over = 8 / 0.45
        safe = over + 4 * math.log(72 / 7)
        for way in (), ("--isolate",), ("--threads", "2"), ("--step", "0.03"):
            r = self.tutti("run", file, "--json", "-o", self.path("out.csv"),
                           "--events", self.path("events.csv"), *way)
            self.assertEqual(r.returncode, 0, r.stderr)
            got = json.loads(r.stdout)["script"]
            self.assertEqual(got["verdict"]["entry"], "it is safe again")
            self.assertAlmostEqual(got["verdict"]["t"], safe, delta=3e-9)
            self.assertEqual([e["count"] for e in got["entries"]],
                             [1, 1, 0, 1])
            self.assertAlmostEqual(got["entries"][1]["last"], over, delta=2e-9)
            for t, level in self.column("{x2}.tank.level"):
                self.assertAlmostEqual(
                    level, 1 + 0.45 * t if t <= over else
                    1.8 + 7.2 * math.exp(-(t - over) / 4), delta=5e-9)


class Nested(Case):
    def test_at_a_time(self):
        inner = scenario([{"at": 2.05, "do": {"override": {"{p}.p.u": 3}}}])
        outer = {"fmus": {"{in}": inner}, "instances": {"{in}": ["in"]},
                 "connections": {}, "endTime": 4,
                 "algorithm": {"type": "fixed-step", "size": 0.1},
                 "logVariables": {"{in}.in": ["{p}.p.x"]}}
        del inner["endTime"], inner["algorithm"]
        self.run_it(outer)
        last = self.column("{in}.in.{p}.p.x")[-1][1]
        self.assertAlmostEqual(last, 2.05 + 3 * 1.95, delta=1e-12)


class Refused(Case):
    def refused(self, script, message, code=2, **more):
        with self.subTest(script=script):
            r = self.run_it(scenario(script, **more), code=code)
            text = re.sub(r"^tutti: \S+\.json:\d+:\d+: ", "",
                          r.stderr.strip())
            self.assertEqual(text, message)

    def action(self, action, message, **more):
        self.refused([{"at": 1, "do": action}], message, **more)

    def test_entries(self):
        self.refused({}, "'script' must be an array of entries, not an object")
        self.refused([1], "each element of 'script' must be an object, not an "
                     "integer")
        self.refused([{"at": 1}], "an entry of 'script' lacks 'do', a list of "
                     "actions")
        self.refused([{"at": 1, "do": []}], "an entry of 'script' lacks 'do', "
                     "a list of actions")
        one = {"stop": "pass"}
        self.refused([{"do": one}],
                     "an entry of 'script' has either 'at' or 'when'")
        self.refused([{"at": 1, "when": "{p}.p.x > 1", "do": one}],
                     "an entry of 'script' has either 'at' or 'when'")
        self.refused([{"at": "1", "do": one}],
                     "'at' must be a number, not a string")
        self.refused([{"att": 1, "do": one}],
                     "unknown field 'att'; did you mean 'at'?")
        self.refused([{"at": 1, "repeat": True, "do": one}],
                     "'repeat' does not go with 'at'")
        self.refused([{"at": 1, "name": 3, "do": one}],
                     "'name' must be a string, not an integer")

    def test_conditions(self):
        def when(text, message, **more):
            self.refused([{"when": text, "do": {"stop": "pass"}}], message,
                         **more)

        when(3, "'when' must be a string, not an integer")
        when("{p}.p.x", "'when' is a condition, as 'x > 1' is, not a number")
        when("t > 1", "'when' names no variable")
        when("{p}.p.x > ", "'when': expected a value, found the end")
        when("{p}.p.xx > 1", "instance '{p}.p' has no variable 'xx', did you "
             "mean 'x'?")
        when("{q}.p.x > 1", "there is no FMU '{q}', named by '{q}.p.x'; did "
             "you mean '{s}'?")

    def test_actions(self):
        verbs = ("an action is one of 'set', 'override', 'bias', 'release', "
                 "'connect', 'disconnect', 'switch', 'stop'")
        self.action({}, verbs)
        self.action([{"until": 3}], verbs)
        self.action({"stop": "pass", "set": {}},
                    "an action does one thing, not 'set' and 'stop'")
        self.action({"sett": {}}, "unknown field 'sett'; did you mean 'set'?")
        self.action({"set": {}}, "'set' names nothing")
        self.action({"set": 3}, "'set' must be an object, not an integer")
        self.action({"set": {"{s}.s.s": []}}, "'{s}.s.s' must be a number, a "
                    "boolean or an expression, not an array")
        self.action({"set": {"{s}.s.s": "1 +"}}, "'{s}.s.s': expected a "
                    "value, found the end")
        self.action({"set": {"{s}.t.s": 1}}, "there is no instance '{s}.t', "
                    "named by '{s}.t.s'; did you mean '{s}.s'?")
        self.action({"set": {"{s}.s.sss": 1}}, "instance '{s}.s' has no "
                    "variable 'sss'")
        self.action({"set": {"{s}.s.g": 1}}, "'{s}.s.g' cannot be set by a "
                    "script: it is parameter, fixed; inputs and tunable "
                    "parameters can")
        self.action({"set": {"{p}.p.u": 1}}, "'{p}.p.u' is connected: "
                    "'override' it, and it is not set")
        self.action({"set": {"{s}.s.s": 1}, "until": 3},
                    "'until' does not go with 'set'")
        self.action({"override": {"{p}.p.u": 1}, "until": 3, "for": 1},
                    "'for' does not go with 'until'")
        self.action({"override": {"{p}.p.u": 1}, "for": 0},
                    "'for' must be greater than 0, not 0")
        self.action({"override": {"{p}.p.u": 1}, "until": True},
                    "'until' must be a number, not a boolean")
        self.action({"bias": {"{p}.p.u": 1}, "because": "x"},
                    "'because' does not go with 'bias'")
        self.action({"release": "{p}.p.u"}, "nothing overrides '{p}.p.u', so "
                    "that there is nothing to release")
        self.action({"release": []}, "'release' names nothing")
        self.action({"disconnect": "{s}.s.u"}, "'{s}.s.u' is not connected")
        self.action({"disconnect": "{s}.s.y"}, "'disconnect' names inputs, and "
                    "connections begin at '{s}.s.y'")
        self.action({"connect": {"{s}.other.y": ["{s}.s.y"]}}, "'{s}.s.y' is "
                    "the beginning of a connection, and cannot be the end of "
                    "one")
        self.action({"connect": {"{s}.other.z": ["{p}.p.u"]}}, "instance "
                    "'{s}.other' has no variable 'z'")
        self.action({"stop": "passed"}, "'stop' must be 'pass', 'fail' or "
                    "'end', not 'passed'; did you mean 'pass'?")
        self.action({"stop": "pass", "because": 1},
                    "'because' must be a string, not an integer")

    def test_switches(self):
        self.action({"switch": {"{p}.p": "{p}.r"}},
                    "there is no instance '{p}.r'; did you mean '{p}.q'?")
        self.action({"switch": {"{p}.p": "{p}.p"}},
                    "'{p}.p' cannot take its own place")
        self.action({"switch": {"{p}.p": "{p}.q"}, "rename": {"u": 1}},
                    "'u' must be a string, not an integer")
        self.action({"switch": {"{p}.p": "{p}.q"}, "rename": {"u": "uu"}},
                    "instance '{p}.q' has no variable 'uu', did you mean 'u'?")
        self.action({"switch": {"{p}.p": "{p}.q"}, "carry": {"{p}.p.x": 1}},
                    "'carry' names variables of an instance that is switched "
                    "to, and '{p}.p.x' is none")
        self.action({"switch": {"{p}.p": "{p}.q"}, "carry": {"{p}.q.y": 1}},
                    "'{p}.q.y' has no start value, a number or Boolean, that "
                    "could be carried over: it is Float64, output, continuous")

    def test_names_of_its_own(self):
        s = scenario([{"at": 1, "do": {"stop": "pass"}}])
        s["fmus"]["{script}"] = s["fmus"]["{p}"]
        r = self.run_it(s, code=2)
        self.assertIn("'script' needs the key '{script}' for itself: give "
                      "that FMU another one", r.stderr)
        for fmu, words in (
                ("tutti:script", "tutti:script: it is made by 'script', where "
                 "there is one"),
                ("tutti:gate:1", "tutti:gate:1: gates are made by 'script', "
                 "where they are needed")):
            r = self.run_it({"fmus": {"{x}": fmu}, "instances": {"{x}": ["x"]},
                             "connections": {}, "endTime": 1}, code=2)
            self.assertIn(words, r.stderr)


def nested(inner, follow=False, **more):
    """The scenario as one instance of another; with follow its steps come from
    outside."""
    outer = {"fmus": {"{in}": inner}, "instances": {"{in}": ["in"]},
             "connections": {}, "endTime": inner["endTime"],
             "algorithm": inner["algorithm"],
             "record": ["{in}.in.{p}.p.x", "{in}.in.{p}.q.x"], **more}
    if follow:
        outer["fmus"]["{in}"] = {k: v for k, v in inner.items()
                                 if k != "algorithm"}
    return outer


class Inside(Case):
    """A script of a scenario inside another one acts as it does alone, and is
    listed with those outside."""
    decides = "{in}.in.{script}.script"
    # up to where x is 2.345, down to 1.111, and so on
    UP_DOWN = [{"name": "over", "when": "{p}.p.x > 2.345", "repeat": True,
                "do": {"override": {"{p}.p.u": -1},
                       "until": "{p}.p.x < 1.111"}}]
    WAYS = [(), ("--isolate",), ("--threads", "2"), ("--rollback",),
            ("--iterate", "3")]

    def check_polygon(self, corners):
        column = self.column("{in}.in.{p}.p.x")
        for (a, x), (b, y) in zip(corners, corners[1:]):
            for t, is_ in column:
                if a <= t <= b:
                    self.assertAlmostEqual(
                        is_, x + (y - x) * (t - a) / (b - a), delta=1e-8)
        return column

    def test_conditions(self):
        corners = [(0, 0)] + [(2.345 + 1.234 * i, 1.111 if i % 2 else 2.345)
                              for i in range(7)]
        for follow in False, True:
            for way in self.WAYS:
                with self.subTest(follow=follow, way=way):
                    self.run_it(nested(scenario(self.UP_DOWN), follow), *way)
                    column = self.check_polygon(corners)
                    self.assertEqual(column[-1][0], 10)
                    for t, _ in corners[1:]: # both limits are there
                        self.assertEqual(
                            sum(abs(at - t) < 1e-8 for at, _ in column), 2)
        self.run_it(scenario(self.UP_DOWN))
        alone = self.column("{p}.p.x"), self.read("events.csv")
        self.run_it(nested(scenario(self.UP_DOWN)))
        self.assertEqual(self.column("{in}.in.{p}.p.x"), alone[0])
        self.assertEqual(self.read("events.csv"),
                         alone[1].replace("{script}", "{in}.in.{script}"))

    def test_every_action(self):
        for follow in False, True:
            for way in self.WAYS:
                with self.subTest(follow=follow, way=way):
                    self.run_it(nested(scenario(ALL), follow), *way)
                    self.check_polygon(CORNERS)
                    self.assertAlmostEqual(
                        self.column("{in}.in.{p}.q.x")[-1][1], 6.25,
                        delta=1e-11)
                    self.assertEqual(self.events(), EVENTS)

    def test_deeper(self):
        inner = nested(scenario(ALL))
        del inner["record"]
        outer = {"fmus": {"{out}": inner}, "instances": {"{out}": ["out"]},
                 "connections": {}, "endTime": 10,
                 "algorithm": inner["algorithm"], "script": [
                     {"name": "last", "at": 9, "do": {"stop": "pass"}}]}
        r = self.run_it(outer, "--json")
        with open(self.path("events.csv"), newline="") as f:
            rows = list(csv.reader(f))[1:]
        self.assertEqual(
            [(t, port, value) for t, _, _, port, value in rows],
            EVENTS + [("9.0", "last", "stop: pass")])
        self.assertEqual({row[2] for row in rows}, {
            "{out}.out.{in}.in.{script}.script", "{script}.script"})
        self.assertEqual([(e["name"], e["count"]) for e in
                          json.loads(r.stdout)["script"]["entries"]],
                         [("stuck", 1), ("stuck", 1), ("drift", 1),
                          ("drift", 1), ("more", 1), ("loose", 1),
                          ("unseen", 1), ("other", 1), ("spare", 1),
                          ("last", 1)])

    def test_verdicts(self):
        for how, code in ("pass", 0), ("fail", 1), ("end", 0):
            inner = scenario([{"name": "e", "when": "{p}.p.x > 2.345",
                               "do": {"stop": how, "because": "of that"}}])
            for way in (), ("--isolate",), ("--threads", "2"):
                r = self.run_it(nested(inner), "--json", *way, code=code)
                got = json.loads(r.stdout)
                t = got["script"]["verdict"]["t"]
                self.assertAlmostEqual(t, 2.345, delta=2e-9)
                self.assertEqual(got["t"], t)
                self.assertEqual(got["outcome"], "terminated")
                self.assertEqual(got["script"]["verdict"], {
                    "result": how, "because": "of that", "entry": "e", "t": t})
                self.assertEqual([e[2] for e in self.events()],
                                 [f"stop: {how}, of that"])

    def test_checkpoints(self):
        file = self.write(nested(scenario(self.UP_DOWN)))
        for every in "1", "2.1", "3.5", "5.3":
            with self.subTest(every=every):
                both = ("--until", str(1.9 * float(every)), "-q")
                r = self.tutti("run", file, *both, "-o", self.path("a.csv"),
                               "--events", self.path("ae.csv"))
                self.assertEqual(r.returncode, 0, r.stderr)
                r = self.tutti("run", file, *both, "-o", self.path("b.csv"),
                               "--events", self.path("be.csv"), "--checkpoint",
                               self.path("c"), "--every", "sim:" + every)
                self.assertEqual(r.returncode, 0, r.stderr)
                r = self.tutti("run", "--resume", self.path("c"), "-q")
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertEqual(self.read("b.csv"), self.read("a.csv"))
                self.assertEqual(self.read("be.csv"), self.read("ae.csv"))


if __name__ == "__main__":
    unittest.main()
