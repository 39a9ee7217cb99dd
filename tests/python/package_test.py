# SPDX-License-Identifier: MIT
"""The functions of the package, on real FMUs."""
import json
import math
import os
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "clients", "python"))
os.environ["TUTTI"] = os.path.join(BUILD, "tutti")
os.environ.setdefault("ASAN_OPTIONS", "handle_segv=0")
import tutti  # noqa: E402
from tutti import results  # noqa: E402

TANK = os.path.join(BUILD, "examples", "water-tank")
MISBEHAVE = os.path.join(BUILD, "tests", "units", "misbehave.fmu")
MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper")
CRASH = 6  # of misbehave.c
SCENARIO = os.path.join(TANK, "scenario.json")
# the tank fills with 0.45 m3/s from 1 m, on 1 m2
LEVEL = "{x2}.tank.level"


def refusal(what, *arguments, **more):
    try:
        what(*arguments, **more)
    except tutti.TuttiError as e:
        return e
    raise AssertionError("it was not refused")


def that_crashes():
    """With SIGSEGV, in the step that ends at 0.6 s."""
    s = tutti.Scenario(step=0.1, end=1)
    s.record(s.add("m", MISBEHAVE, what=CRASH, when=0.55).y)
    return s


def tank_in_code():
    s = tutti.Scenario(step=0.1, end=20)
    control = s.add("control", os.path.join(TANK, "watertankcontroller.fmu"),
                    maxLevel=8, minLevel=2)
    tank = s.add("tank", os.path.join(TANK, "watertank.fmu"))
    s.connect(control.valve, tank.valve)
    s.connect(tank.level, control.level)
    s.record(tank.outflow)
    return s


class Simulate(unittest.TestCase):
    def test_a_file(self):
        r = tutti.simulate(SCENARIO, until=10)
        self.assertEqual((len(r), r.time[0], r.time[-1]), (101, 0, 10))
        self.assertTrue(math.isclose(r[LEVEL][-1], 5.5, rel_tol=1e-12))
        self.assertEqual(r.summary["outcome"], "completed")
        self.assertEqual(
            repr(r), "<tutti.Result: 101 rows of 5 variables; "
            "completed: 100 steps to t=10 s>")

    def test_settings_and_options(self):
        r = tutti.simulate(SCENARIO, set={"{x2}.tank.area": 2.0}, until=10,
                           step=0.5, master="gauss-seidel")
        self.assertTrue(math.isclose(r[LEVEL][-1], 3.25, rel_tol=1e-12))
        self.assertEqual((len(r), r.summary["master"]), (21, "gauss-seidel"))

    def test_settings_by_short_names(self):
        """A variable alone, if one instance only has such a one."""
        for name in ("area", "tank.area", "{x2}.tank.area"):
            r = tutti.simulate(SCENARIO, set={name: 2}, until=10)
            self.assertTrue(math.isclose(r[LEVEL][-1], 3.25, rel_tol=1e-12))
        e = refusal(tutti.simulate, SCENARIO, set={"level": 2})
        self.assertEqual(
            str(e), "tutti: command line: '{x1}.controller' and '{x2}.tank' "
            "have a variable 'level'; write '{x1}.controller.level' for one "
            "of them")
        e = refusal(tutti.simulate, SCENARIO, set={"aera": 2})
        self.assertEqual(
            str(e), "tutti: command line: no instance has a variable 'aera', "
            "did you mean 'area' of '{x2}.tank'?")
        e = refusal(tutti.simulate, SCENARIO, set={"qqqqqqqqq": 2})
        self.assertEqual(str(e), "tutti: command line: no instance has a "
                         "variable 'qqqqqqqqq'")

    def test_a_table_to_keep(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "kept.csv")
            r = tutti.simulate(SCENARIO, output=path, until=1)
            del r
            self.assertTrue(os.path.isfile(path))

    def test_a_table_that_is_not_kept_goes_with_its_result(self):
        r = tutti.simulate(SCENARIO, until=1)
        folder = os.path.dirname(r.path)
        self.assertTrue(os.path.isfile(r.path))
        del r
        self.assertFalse(os.path.exists(folder))

    def test_a_dictionary(self):
        with open(SCENARIO, encoding="utf-8") as f:
            content = json.load(f)
        r = tutti.simulate(content, base=TANK, until=10)
        self.assertTrue(math.isclose(r[LEVEL][-1], 5.5, rel_tol=1e-12))

    def test_names_may_be_short(self):
        r = tutti.simulate(SCENARIO, until=1)
        self.assertEqual(list(r["level"]), list(r[LEVEL]))
        self.assertEqual(r.find("tank.level"), LEVEL)
        self.assertIn("valve", r)
        self.assertNotIn("lvel", r)
        with self.assertRaises(KeyError) as e:
            r.find("lvel")
        self.assertEqual(e.exception.args[0], "there is no column 'lvel'; "
                         "did you mean 'tank.level'?")

    def test_a_name_that_is_ambiguous(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "t.csv")
            with open(path, "w", encoding="utf-8") as f:
                f.write("time,{a}.p.x,{b}.q.x\n0,1,2\n")
            with self.assertRaises(KeyError) as e:
                results.Result(path)["x"]
        self.assertEqual(e.exception.args[0],
                         "'x' may be {a}.p.x or {b}.q.x")

    def test_without_numpy(self):
        had, results.numpy = results.numpy, None
        try:
            r = tutti.simulate(SCENARIO, until=1)
        finally:
            results.numpy = had
        self.assertIsInstance(r["level"], list)

    def test_a_picture(self):
        r = tutti.simulate(SCENARIO, until=30)
        self.assertTrue(r.svg("level", title="Tank").lstrip()
                        .startswith("<svg"))
        page = r._repr_html_()
        self.assertIn("<svg", page)
        self.assertIn("completed: 300 steps", page)

    def test_what_is_refused(self):
        e = refusal(tutti.simulate, SCENARIO, stp=1)
        self.assertEqual((e.code, str(e)), (
            2, "tutti: 'tutti run' has no option '--stp'; "
            "did you mean '--step'?"))
        e = refusal(tutti.simulate, SCENARIO, set={"{x2}.tank.aera": 1})
        self.assertEqual(
            str(e), "tutti: command line: instance '{x2}.tank' has no "
            "variable 'aera', did you mean 'area'?")
        self.assertIsNone(e.result)

    def test_a_crash_keeps_what_was_computed(self):
        e = refusal(tutti.simulate, that_crashes())
        self.assertEqual(e.code, 1)
        self.assertIn("SIGSEGV", str(e))
        self.assertEqual(len(e.result), 6)

    def test_without_the_program(self):
        here, os.environ["TUTTI"] = os.environ.pop("TUTTI"), ""
        path, os.environ["PATH"] = os.environ["PATH"], ""
        try:
            e = refusal(tutti.simulate, SCENARIO)
        finally:
            os.environ["TUTTI"], os.environ["PATH"] = here, path
        self.assertEqual(str(e), "the program 'tutti' is not found: put it on "
                         "PATH, or its path into the environment variable "
                         "TUTTI")


class Scenarios(unittest.TestCase):
    def test_in_code_is_as_from_a_file(self):
        made, file = tank_in_code().simulate(), tutti.simulate(SCENARIO,
                                                               until=20)
        self.assertEqual(list(made["level"]), list(file["level"]))
        self.assertEqual(made.names, [
            "{control}.control.valve", "{tank}.tank.level",
            "{tank}.tank.outflow"])

    def test_two_instances_of_one_fmu(self):
        s = tutti.Scenario(step=0.1, end=1)
        fmu = os.path.join(TANK, "watertank.fmu")
        s.add("one", fmu, area=1)
        two = s.add("two", fmu, area=2)
        s.record(two.level)
        self.assertEqual(s.dict()["instances"], {"{one}": ["one", "two"]})
        self.assertEqual(str(two.level), "{one}.two.level")
        self.assertEqual(len(s.simulate()["two.level"]), 11)
        with self.assertRaises(ValueError):
            s.add("two", fmu)

    def test_names_of_any_kind(self):
        s = tutti.Scenario()
        arm = s.add("arm", "arm.fmu")
        self.assertEqual(str(arm.joint.angle[2, 1]),
                         "{arm}.arm.joint.angle[2,1]")
        self.assertEqual(str(arm["der(x)"]), "{arm}.arm.der(x)")

    def test_saved_it_runs_elsewhere(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "tank.json")
            tank_in_code().save(path)
            r = tutti.simulate(path)
        self.assertEqual(len(r), 201)

    def test_check(self):
        s = tank_in_code()
        self.assertEqual(tutti.check(s), [])
        s.connect("{tank}.tank.levl", "{control}.control.level")
        self.assertIn("did you mean 'level'?", "\n".join(tutti.check(s)))

    def test_stability(self):
        path = os.path.join(MASSES, "scenario.json")
        self.assertEqual(tutti.stability(path, brief=True)["verdict"],
                         "stable")
        verdict = tutti.stability(path, set={"{msd2}.msd2.dc": 10},
                                  brief=True)
        self.assertEqual(verdict["verdict"], "unstable")
        self.assertTrue(math.isclose(verdict["rho"], 1.8323909765,
                                     rel_tol=1e-9))


class ManyRuns(unittest.TestCase):
    def test_a_sweep(self):
        path = os.path.join(MASSES, "scenario.json")
        rows = tutti.sweep(path, vary={"dc": [0.5, 1], "cc": "1:2:2"},
                           take="final")
        self.assertEqual([(r["point"], r["dc"], r["cc"], r["state"])
                          for r in rows],
                         [(0, 0.5, 1, "done"), (1, 0.5, 2, "done"),
                          (2, 1, 1, "done"), (3, 1, 2, "done")])
        one = tutti.simulate(path, set={"dc": 0.5, "cc": 2})
        self.assertEqual(rows[1]["{msd1}.msd1.x1.final"],
                         one["{msd1}.msd1.x1"][-1])

    def test_points_that_fail_are_in_the_list(self):
        rows = tutti.sweep(that_crashes(), vary={"what": [0, CRASH]})
        self.assertEqual([r["state"] for r in rows], ["done", "crashed"])
        self.assertIn("SIGSEGV", rows[1]["problem"])

    def test_a_sweep_of_nothing(self):
        e = refusal(tutti.sweep, that_crashes())
        self.assertEqual(str(e), "tutti: nothing is varied: give --vary "
                         "NAME=a:b:n, or --points FILE.csv")

    def test_settings_are_found(self):
        with tempfile.TemporaryDirectory() as folder:
            tuned = os.path.join(folder, "tuned.json")
            found = tutti.tune(os.path.join(MASSES, "scenario.json"),
                               tolerance=1e-2, output=tuned)
            self.assertTrue(found["best"]["confirmed"])
            self.assertLessEqual(found["best"]["error"], 1e-2)
            r = tutti.simulate(tuned)
            steps = [b - a for a, b in zip(r.time, r.time[1:])]
            self.assertLessEqual(max(steps), found["best"]["step"] + 1e-12)
            # two instances; attempts that were taken back cost, too
            self.assertLessEqual(2 * len(steps), found["best"]["cost"])


class StepByStep(unittest.TestCase):
    def test_is_as_left_alone(self):
        with tutti.Run(SCENARIO, until=10) as run:
            self.assertEqual((run.time, run.state), (0, "paused"))
            got = run.step(to=8, get=[LEVEL])
            self.assertTrue(math.isclose(got[LEVEL], 4.6, rel_tol=1e-12))
            self.assertEqual(run.get(LEVEL), got)
            result = run.finish()
        alone = tutti.simulate(SCENARIO, until=10)
        self.assertEqual(list(result["level"]), list(alone["level"]))

    def test_values_are_set(self):
        fmu = os.path.join(TANK, "watertank.fmu")
        s = tutti.Scenario(step=0.1, end=1)
        tank = s.add("tank", fmu)
        s.record(tank.level)
        with tutti.Run(s) as run:
            run.step(to=0.5)
            run.set({"{tank}.tank.valve": True})
            run.step(set={"{tank}.tank.valve": False})
            early = run.stop()
        self.assertEqual(len(early), 7)

    def test_what_is_refused_changes_nothing(self):
        with tutti.Run(SCENARIO, until=1) as run:
            e = refusal(run.get, "{x2}.tank.levl")
            self.assertEqual(str(e), "instance '{x2}.tank' has no variable "
                             "'levl'; did you mean 'level'?")
            self.assertEqual(len(run.finish()), 11)

    def test_a_scenario_that_does_not_open(self):
        e = refusal(tutti.Run, SCENARIO, set={"{x2}.tank.aera": 1})
        self.assertIn("did you mean 'area'?", str(e))
        self.assertEqual(e.code, 2)

    def test_a_crash_keeps_what_was_computed(self):
        with tutti.Run(that_crashes()) as run:
            e = refusal(run.finish)
        self.assertIn("SIGSEGV", str(e))
        self.assertEqual(len(e.result), 6)

    def test_left_by_an_error_of_the_user(self):
        with self.assertRaises(ZeroDivisionError):
            with tutti.Run(SCENARIO) as run:
                run.step()
                1 / 0
        self.assertIsNotNone(run._process.returncode)


if __name__ == "__main__":
    unittest.main()
