# SPDX-License-Identifier: MIT
"""Adaptations around units of each kind, three deep, in every way to play:
what comes out is what closed forms give, and the same bytes each time."""
import csv
import json
import os
import unittest

from rig import BUILD, UNITS, Desk, Worker, read, write

AFFINE = os.path.join(UNITS, "affine.fmu")
SWING = os.path.join(BUILD, "examples", "van-der-pol", "swing.fmu")
POWER = os.path.join(BUILD, "examples", "power-window", "power.fmu")
# Puts out twice its input, a quarter of a second later.
LATE = {"inputs": {"u": "number"}, "outputs": {"y": "number"},
        "variables": {"n": 0}, "start": "idle",
        "states": {
            "idle": {"on": {"u": {"set": {"n": "u"}, "next": "busy"}}},
            "busy": {"after": 0.25, "output": {"y": "2 * n"},
                     "then": "idle",
                     "on": {"u": {"set": {"n": "u"}, "next": "busy"}}}}}
BEAT = {"outputs": {"y": "number"}, "variables": {"n": 0},
        "states": {"on": {"after": 0.3, "output": {"y": "n + 1"},
                          "then": {"set": {"n": "n + 1"}, "next": "on"}}}}
STAIRS = "time,u\n0,1\n0.45,1\n0.45,3\n1.15,3\n1.15,5\n9,5\n"


class Adapted(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.desk = Desk()
        cls.worker = Worker(cls.desk, "--dir", UNITS)

    @classmethod
    def tearDownClass(cls):
        cls.worker.close()
        cls.desk.close()

    def path(self, name):
        return self.desk.path(name)

    def far(self):
        return f"tutti://{self.worker.address}/affine.fmu"

    def run_it(self, s, *options):
        done = self.desk.run([self.desk.json("s.json", s)], *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return read(self.path("out.csv"))

    def refused(self, s, words):
        done = self.desk.run([self.desk.json("s.json", s)])
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn(words, done.stderr)

    def column(self, name):
        with open(self.path("out.csv"), encoding="utf-8") as f:
            return [float(r[name]) for r in csv.DictReader(f)]

    def texts(self):
        with open(self.path("out.csv"), encoding="utf-8") as f:
            rows = list(csv.DictReader(f))
        return {name: [r[name] for r in rows] for name in rows[0]}

    def integrator(self, place, clauses):
        """x of p, of which 1 comes in."""
        return {"fmus": {"{s}": AFFINE, "{p}": place},
                "connections": {"{s}.s.y": ["{p}.p.u"]},
                "parameters": {"{s}.s.s": 1, "{p}.p.b": 1},
                "logVariables": {"{p}.p": ["x"]}, "tokenFile": "token",
                "algorithm": {"type": "fixed-step", "size": 0.1},
                "endTime": 2, "adapt": {"{p}.p": clauses}}

    def late(self, place, clauses):
        write(self.path("stairs.csv"), STAIRS)
        self.desk.json("late.devs.json", LATE)
        self.desk.json("inside.json", {
            "fmus": {"{l}": "late.devs.json"}, "instances": {"{l}": ["l"]},
            "ports": {"inputs": {"u": "{l}.l.u"},
                      "outputs": {"y": "{l}.l.y"}}})
        return {"fmus": {"{t}": "stairs.csv", "{p}": place},
                "connections": {"{t}.t.u": ["{p}.p.u"]},
                "logVariables": {"{p}.p": ["y"]},
                "algorithm": {"type": "fixed-step", "size": 0.1},
                "endTime": 2, "adapt": {"{p}.p": clauses}}

    def inside(self):
        return {"fmus": {"{a}": AFFINE}, "instances": {"{a}": ["a"]},
                "ports": {"inputs": {"u": "{a}.a.u"},
                          "outputs": {"x": "{a}.a.x"},
                          "parameters": {"b": "{a}.a.b"}}}

    def every_way(self, s, packs=True):
        """The same bytes, however it is played."""
        once = self.run_it(s)
        for more in ({"threads": 2}, {"isolate": True},
                     {"isolate": ["{p}.p"]}):
            self.assertEqual(self.run_it({**s, **more}), once, more)
        if os.path.exists(os.path.join(BUILD, "tutti-mpi.so")):
            done = self.desk.run(
                [self.desk.json("s.json", s)],
                within=["mpirun", "--allow-run-as-root", "--oversubscribe",
                        "-n", "2"])
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(read(self.path("out.csv")), once, "ranks")
        if not packs:
            return
        self.run_it(s, "--checkpoint", self.path("c"), "--every", "sim:0.7")
        done = self.desk.tutti("run", "--resume", self.path("c"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(self.path("out.csv")), once, "resumed")

    def program(self, name, place):
        write(self.path(name), 'semantic adaptation A a for inner fmu B b at '
              f'"{place}"')
        return name

    # --- on another host -------------------------------------------------

    def test_what_is_on_another_host(self):
        clauses = ["negate x", "frame x offset 1", "divide rate 4 with hold"]
        near = self.run_it(self.integrator(AFFINE, clauses))
        self.assertEqual(self.run_it(self.integrator(self.far(), clauses)),
                         near)
        for k, x in enumerate(self.column("{p}.p.x")):
            self.assertAlmostEqual(x, 1 - 0.4 * (k // 4), delta=1e-12)
        sent = self.integrator(AFFINE, clauses)
        sent["hosts"] = {"{p}": self.worker.address}
        self.assertEqual(self.run_it(sent), near)
        self.every_way(self.integrator(self.far(), clauses))

    def test_a_program_names_it(self):
        deep = self.program("one.sa", self.far())
        for name in ("two.sa", "three.sa"):
            deep = self.program(name, deep)
        s = self.integrator(deep, "negate x")
        self.run_it(s)
        for k, x in enumerate(self.column("{p}.p.x")):
            self.assertAlmostEqual(x, -0.1 * k, delta=1e-12)

    def test_it_goes_back_there(self):
        """u = y = g u + s + x, x' = b u: turns are taken back there."""
        g, b, h = 0.5, -0.3, 0.1
        s = self.integrator(self.far(), "iterate u from y absolute 1e-13 "
                            "relative 0 turns 100")
        s["parameters"] = {"{p}.p.g": g, "{p}.p.s": 1, "{p}.p.b": b}
        s["connections"] = {}
        s["fmus"].pop("{s}")
        s["instances"] = {"{p}": ["p"]}
        self.run_it(s)
        want = 0
        for x in self.column("{p}.p.x")[1:]:
            want = (want + h * b / (1 - g)) / (1 - h * b / (1 - g))
            self.assertAlmostEqual(x, want, delta=1e-12)

    def test_what_cannot_be_there(self):
        s = self.integrator("p.sa", "negate x")
        self.program("p.sa", AFFINE)
        s["hosts"] = {"{p}": self.worker.address}
        self.refused(s, "p.sa: only an FMU of this host can be uploaded to '" +
                     self.worker.address + "'")
        s = self.integrator(self.inside(), "negate x")
        s["hosts"] = {"{p}": self.worker.address}
        self.refused(s, "a scenario in place stays here; send the FMUs in it, "
                     "or write it to a file")

    # --- events -----------------------------------------------------------

    def is_late(self, value):
        """What comes in at 0.45 and 1.15 counts from 0.5 and 1.2, and is put
        out a quarter of a second later."""
        for k, y in enumerate(self.column("{p}.p.y")):
            n = 0 if k < 8 else 3 if k < 15 else 5
            self.assertAlmostEqual(y, value(2 * n), delta=1e-12, msg=k)

    def test_discrete_events(self):
        clauses = ["negate y", "frame y offset 1", "multiply rate 4"]
        for place in ("late.devs.json", "inside.json"):
            s = self.late(place, [])
            s["adapt"] = {"{p}.p": clauses}
            self.every_way(s)
            self.is_late(lambda y: 1 - y)

    def test_its_own_events(self):
        """Every 0.3 s, at once where it runs at these alone."""
        self.desk.json("beat.devs.json", BEAT)
        s = {"fmus": {"{p}": "beat.devs.json"}, "instances": {"{p}": ["p"]},
             "connections": {}, "logVariables": {"{p}.p": ["y"]},
             "algorithm": {"type": "fixed-step", "size": 0.5}, "endTime": 6}
        for clauses in ("run at next event", ["negate y", "negate y"],
                        ["frame y offset 1", "frame y offset -1",
                         "run at next event"]):
            s["adapt"] = {"{p}.p": clauses}
            self.every_way(s)
            self.assertEqual(self.column("{p}.p.y"),
                             [(5 * k * 2 + 1e-9) // 6 for k in range(13)])

    def test_its_events_are_taken_back(self):
        """A step of twice the length is tried first, and undone."""
        write(self.path("try.sa"), """
semantic adaptation Tried tried for inner fmu L l at "late.devs.json"
control rules {
  save_state(l); do_step(l, t, 2 * H); rollback(l);
  return do_step(l, t, H);
}
""")
        s = self.late("try.sa", [])
        del s["adapt"]
        self.every_way(s)
        self.is_late(lambda y: y)

    def test_beside_another_unit(self):
        """x of an integrator is an event of every step, or whenever it has
        risen by a half; it is put out a quarter of a second later."""
        self.desk.json("late.devs.json", LATE)
        head = ("semantic adaptation Two two for inner fmu I i at "
                f'"{AFFINE}" for inner fmu L l at "late.devs.json" ')
        ports = "output ports y <- l.y, x <- i.x "
        for text, value in (
                (head + "with i.x -> l.u " + ports, lambda k: k / 2),
                (head + ports + "control rules { do_step(i, t, H); "
                 "l.u := i.x; return do_step(l, t, H); }", lambda k: k / 2),
                (head + ports + "out var q := 0.0; out rules { true -> "
                 "{ q := floor(i.x * 2) / 2; } --> { }; } in rules { true -> "
                 "{ } --> { l.u := q; }; }", lambda k: k // 2)):
            write(self.path("two.sa"), text)
            self.every_way({
                "fmus": {"{p}": "two.sa"}, "instances": {"{p}": ["p"]},
                "connections": {}, "parameters": {"{p}.p.b": 1, "{p}.p.u": 1},
                "logVariables": {"{p}.p": ["x", "y"]}, "endTime": 2,
                "algorithm": {"type": "fixed-step", "size": 0.25}})
            self.assertEqual(self.column("{p}.p.y"),
                             [value(k) for k in range(9)])

    def test_as_an_fmu(self):
        """What is adapted in it, and the FMU of a program, give the same."""
        s = self.late("try.sa", "negate y")
        self.program("try.sa", "late.devs.json")
        once = self.run_it(s)
        self.is_late(lambda y: -y)
        for fmi in "23":
            for words in (["check", self.path("s.json")],
                          ["adapt", self.path("try.sa"), "-o",
                           self.path("try.fmu"), "--force", "--fmi", fmi],
                          ["check", "--walk", self.path("try.fmu")]):
                done = self.desk.tutti(*words)
                self.assertEqual(done.returncode, 0, done.stderr)
            s["fmus"]["{p}"] = "try.fmu"
            self.assertEqual(self.run_it(s), once)
        far = self.integrator(self.far(), "negate x")
        done = self.desk.tutti("check", self.desk.json("s.json", far))
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.desk.tutti("export", self.path("s.json"), "-o",
                               self.path("x.fmu"))
        self.assertIn("it is on another host; an exported FMU holds all its "
                      "instances", done.stderr)
        self.assertEqual(done.returncode, 2)

    def test_what_has_events_does_not_begin_anew(self):
        self.refused(self.late("late.devs.json", "reinitialise on u jump > 1"),
                     "'inside' changes at events only, and does not begin "
                     "anew")

    def test_events_without_end(self):
        self.desk.json("zeno.devs.json", {"states": {"on": {
            "after": 0, "then": "on"}}, "outputs": {"y": "number"}})
        s = self.late("zeno.devs.json", "multiply rate 2")
        s["connections"] = {}
        s["instances"] = {"{p}": ["p"]}
        done = self.desk.run([self.desk.json("s.json", s)])
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("tutti: instance '{p}.p' (adapted): prepare at t=0: the "
                      "events of '{p}.p/inside' at t=0 do not come to an "
                      "end\n", done.stderr)

    # --- what clauses are not about -----------------------------------------

    def test_the_rest_is_as_it_is(self):
        """Texts, arrays, local variables, in and out."""
        outputs = ["text_out", "vector_out", "matrix_out", "mode_out",
                   "bool_out", "i64_out", "f64_out"]
        s = {"fmus": {"{p}": os.path.join(UNITS, "alltypes-fmi3.fmu"),
                      "{m}": POWER},
             "instances": {"{p}": ["p", "q"], "{m}": ["m"]},
             "connections": {"{p}.q.text_out": ["{p}.p.text_in"],
                             "{p}.q.vector_out": ["{p}.p.vector_in"]},
             "parameters": {"{p}.q.text_in": "hello", "{m}.m.up": True,
                            "{p}.q.vector_in": [3, 1, 2],
                            "{p}.p.matrix_in": [6, 5, 4, 3, 2, 1]},
             "logVariables": {"{p}.p": outputs,
                              "{m}.m": ["dCurrent", "armatureCurrent"]},
             "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 2}
        self.run_it(s)
        want = self.texts()
        self.assertEqual(want["{p}.p.text_out"][3], "hello")
        self.assertEqual(want["{p}.p.f64_out"][3], "0.5")
        s["adapt"] = {"{p}.p": ["negate f64_in",
                                "frame f64_in f32_in matrix 0 2 4 0",
                                "frame f64_in gain 4 offset 3"],
                      "{p}.q": "multiply rate 2", "{m}.m": "negate speed"}
        self.every_way(s)
        self.assertEqual(self.texts(), want)
        s["approximation"] = "hermite"
        s["adapt"]["{p}.q"] = "negate f64_in"
        self.run_it(s)
        self.assertEqual(self.texts(), want)

    def test_states_begin_as_stated(self):
        s = self.integrator(AFFINE, ["negate u", "multiply rate 2"])
        s["parameters"] = {"{s}.s.s": 1, "{p}.p.b": 1, "{p}.p.r": 3,
                           "{p}.p.x": 5}
        self.every_way(s)
        for k, x in enumerate(self.column("{p}.p.x")):
            self.assertAlmostEqual(x, 5 + 0.2 * k, delta=1e-12)
        s["adapt"] = {"{p}.p": "negate x"}
        self.refused(s, "'{p}.p.x' cannot be set: it is output, continuous, "
                     "calculated")

    # --- made of units, and integrated here ---------------------------------

    def test_a_scenario_in_place(self):
        s = self.integrator(self.inside(), ["negate x", "frame x offset 1",
                                            "divide rate 4 with hold"])
        self.every_way(s)
        for k, x in enumerate(self.column("{p}.p.x")):
            self.assertAlmostEqual(x, 1 - 0.4 * (k // 4), delta=1e-12)

    def test_model_exchange(self):
        """What is negated twice is as it was."""
        s = {"fmus": {"{p}": SWING}, "instances": {"{p}": ["p"]},
             "connections": {}, "interface": {"{p}.p": "me"},
             "logVariables": {"{p}.p": ["x", "v"]},
             "algorithm": {"type": "fixed-step", "size": 0.05}, "endTime": 2}
        plain = self.run_it(s)
        s["adapt"] = {"{p}.p": ["negate x", "negate v", "frame x offset 1",
                                "frame x offset -1", "negate v", "negate x"]}
        self.every_way(s)
        for mine in ("{p}.p.x", "{p}.p.v"):
            got = self.column(mine)
            with open(self.path("plain.csv"), "wb") as f:
                f.write(plain)
            with open(self.path("plain.csv"), encoding="utf-8") as f:
                want = [float(r[mine]) for r in csv.DictReader(f)]
            self.assertGreater(max(want) - min(want), 0.01)
            for a, b in zip(got, want):
                self.assertAlmostEqual(a, b, delta=1e-12)


if __name__ == "__main__":
    unittest.main()
