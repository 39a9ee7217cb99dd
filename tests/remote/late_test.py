# SPDX-License-Identifier: MIT
"""Instances elsewhere whose answers do not come in time: they are predicted."""
import csv
import json
import os
import shutil
import unittest

from rig import UNITS, Desk, Worker
from tls_test import certificate

FMU = os.path.join(UNITS, "misbehave.fmu")
TERMINATE, SLEEP, SLEEP_AND_CRASH = 4, 8, 13
AFTER, ASLEEP = 0.2, 0.8  # s: every other answer comes far sooner


def rows(path):
    with open(path, newline="", encoding="utf-8") as f:
        return [list(map(float, r)) for r in list(csv.reader(f))[1:]]


class Late(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()

    def tearDown(self):
        self.desk.close()

    def scenario(self, late, what=SLEEP, amount=ASLEEP, **more):
        """m.a integrates 2, m.b what comes out of that; a sleeps in steps that
        end at 0.8 and later."""
        return self.desk.json("s.json", {
            "fmus": {"{m}": FMU, "{n}": FMU},
            "connections": {"{m}.a.y": ["{n}.b.u"]},
            "parameters": {"{m}.a.u": 2, "{m}.a.what": what,
                           "{m}.a.when": 0.8, "{m}.a.amount": amount},
            "logVariables": {"{m}.a": ["y"], "{n}.b": ["y"]},
            "algorithm": {"type": "fixed-step", "size": 0.1},
            "endTime": 1, **({"late": late} if late is not None else {}),
            **more})

    def play(self, path, *options, out="out.csv"):
        done = self.desk.run([path], "--json", *options, out=out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)

    def refused(self, words, at, late, **more):
        """... at what stands there in the scenario."""
        path = self.scenario(late, **more)
        with open(path, encoding="utf-8") as f:
            column = f.read().index(at) + 1 if at else 0
        done = self.desk.tutti("run", path)
        self.assertEqual(done.returncode, 2)
        place = f"{path}:1:{column}: " if at else ""
        self.assertEqual(done.stderr.splitlines()[0],
                         f"tutti: {place}{words}")

    def check_predicted(self, *options, **more):
        """Those of t=0.8 and 0.9 are predicted, and at the end all is true."""
        want = rows(self.want())
        path = self.scenario({"{m}.a": {"after": AFTER}}, **more)
        result = self.play(path, *options)
        late = result["residuals"]["late"]
        got = rows(self.desk.path("out.csv"))
        self.assertEqual(got[:8], want[:8])
        self.assertEqual(got[10][1], want[10][1])
        for a, b in zip(got, want):
            for x, y in zip(a, b):
                self.assertAlmostEqual(x, y, delta=1e-12)
        self.assertEqual({k: late[k] for k in late if k != "worst"},
                         {"instances": 1, "steps": 10, "predicted": 2,
                          "waits": 0})
        worst = late["worst"]
        self.assertEqual((worst["instance"], worst["variable"],
                          worst["element"]), ("{m}.a", "y", 1))
        self.assertLess(worst["error"], 1e-12)
        return result

    def want(self):
        path = self.scenario(None, what=0)
        self.play(path, "--isolate", out="want.csv")
        return self.desk.path("want.csv")

    def test_in_a_process_of_its_own(self):
        result = self.check_predicted(isolate=["{m}.a"])
        told = [d["text"] for d in result["decisions"] if d["topic"] == "late"]
        self.assertEqual(
            told[0], "{m}.a: values that are not there after 0.2 s are "
            "predicted, for 3 steps at most: results depend on when answers "
            "come")
        self.assertRegex(
            told[1], r"^\{m\}\.a: 2 of 10 steps were predicted, 2 of them at "
            r"one time; y was off by \S+ at most, at t=0\.[89]$")
        self.assertEqual(len(told), 2)

    def test_what_is_owed_at_the_end_is_told(self):
        """m.b ends the run while the step to 0.8 is owed."""
        path = self.scenario(
            {"{m}.a": {"after": AFTER}}, isolate=["{m}.a"],
            parameters={"{m}.a.u": 2, "{m}.a.what": SLEEP, "{m}.a.when": 0.8,
                        "{m}.a.amount": ASLEEP, "{n}.b.what": TERMINATE,
                        "{n}.b.when": 0.8})
        result = self.play(path)
        late = result["residuals"]["late"]
        self.assertEqual(late["predicted"], 1)
        self.assertAlmostEqual(late["worst"]["time"], 0.8)
        told = [d["text"] for d in result["decisions"] if d["topic"] == "late"]
        self.assertRegex(
            told[1], r"^\{m\}\.a: 1 of 8 steps were predicted, 1 of them at "
            r"one time; y was off by \S+ at most, at t=0\.8$")

    def test_on_another_host(self):
        worker = Worker(self.desk)
        self.check_predicted(hosts={"{m}": worker.address}, tokenFile="token")
        worker.close()

    @unittest.skipUnless(shutil.which("openssl"), "no openssl")
    def test_over_tls(self):
        certificate(self.desk, "right", "IP:127.0.0.1")
        worker = Worker(self.desk, "--tls-cert", self.desk.path("right.pem"),
                        "--tls-key", self.desk.path("right.key"))
        self.check_predicted("--tls-ca", self.desk.path("right.pem"),
                             hosts={"{m}": worker.address}, tokenFile="token")
        worker.close()

    def test_where_it_knows_of_no_end(self):
        self.check_predicted(isolate=["{m}.a"], noStopTime=True)

    def test_with_threads(self):
        self.check_predicted("--threads", "2", "--isolate")

    def test_too_many_are_waited_for(self):
        path = self.scenario({"{m}.a": {"after": AFTER, "most": 1}},
                             isolate=["{m}.a"])
        late = self.play(path)["residuals"]["late"]
        self.assertEqual((late["predicted"], late["waits"]), (2, 1))

    def test_with_a_deadline_all_that_comes_in_time_is_waited_for(self):
        """Four answers in one call, each within the deadline: it sleeps once
        or twice in a step."""
        path = self.scenario(
            {"{m}.a": {"after": 0.05}}, isolate=["{m}.a"], deadline=1.8,
            parameters={"{m}.a.u": 2, "{m}.a.what": SLEEP,
                        "{m}.a.when": 0.7, "{m}.a.amount": 0.6})
        late = self.play(path)["residuals"]["late"]
        self.assertEqual(late["predicted"], 3)
        self.assertAlmostEqual(rows(self.desk.path("out.csv"))[-1][1], 2)

    def test_what_is_waited_for_may_take_longer_than_the_deadline(self):
        path = self.scenario({"{m}.a": {"after": 10}}, amount=2,
                             isolate=["{m}.a"], deadline=0.5, endTime=0.8)
        late = self.play(path)["residuals"]["late"]
        self.assertEqual(late["predicted"], 0)

    def test_what_is_due_is_predicted(self):
        path = self.scenario({"{m}.a": {}}, isolate=["{m}.a"], realTime={})
        result = self.play(path)
        late = result["residuals"]["late"]
        self.assertGreaterEqual(late["predicted"], 2)
        self.assertLess(late["worst"]["error"], 1e-12)
        self.assertEqual(
            [d["text"] for d in result["decisions"] if d["topic"] == "late"][0],
            "{m}.a: values that are not there when they are due are predicted, "
            "for 3 steps at most: results depend on when answers come")

    def test_it_is_given_up_early_enough_for_the_rest_of_the_step(self):
        """All but the last step, which waits for everything, can be in time;
        the machine may do something else now and then."""
        path = self.scenario(
            {"{m}.a": {"most": 20}}, isolate=["{m}.a"], realTime={},
            parameters={"{m}.a.u": 2, "{m}.a.what": SLEEP,
                        "{m}.a.when": 0.2, "{m}.a.amount": 0.25})
        residuals = self.play(path)["residuals"]
        self.assertGreaterEqual(residuals["late"]["predicted"], 6)
        self.assertLess(residuals["lateness"]["overruns"],
                        residuals["late"]["predicted"])

    def test_without_one_that_is_late_nothing_is_told(self):
        path = self.scenario(None, what=0)
        self.assertIsNone(self.play(path)["residuals"]["late"])

    def test_in_time_it_is_the_same_run(self):
        want = rows(self.want())
        path = self.scenario({"{m}.a": {"after": 60}}, what=0)
        late = self.play(path, "--isolate")["residuals"]["late"]
        self.assertEqual(rows(self.desk.path("out.csv")), want)
        self.assertEqual(late, {"instances": 1, "steps": 10, "predicted": 0,
                                "waits": 0, "worst": None})

    def test_one_that_dies_while_it_is_owed_is_named(self):
        path = self.scenario({"{m}.a": {"after": AFTER}}, SLEEP_AND_CRASH,
                             isolate=["{m}.a"])
        done = self.desk.run([path])
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stderr, r"instance '\{m\}\.a' \(late values\): step at "
            r"t=0\.9\d*: instance '\{m\}\.a' \(fmi2, isolated\): step at "
            r"t=0\.7\d*: its process crashed \(SIGSEGV\)")
        self.assertEqual(len(rows(self.desk.path("out.csv"))), 10)

    def test_at_leisure_nothing_is_predicted(self):
        path = self.scenario({"{m}.a": {"after": 0}}, what=0,
                             isolate=["{m}.a"])
        out = self.desk.path("points.csv")
        done = self.desk.tutti("sweep", path, "--vary", "{m}.a.u=1:2:2", "-o",
                               out)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out, newline="", encoding="utf-8") as f:
            table = list(csv.DictReader(f))
        self.assertEqual(len(table), 2)
        for point in table:
            y = [v for k, v in point.items() if k.startswith("{m}.a.y")]
            self.assertAlmostEqual(float(y[0]), float(point["{m}.a.u"]))

    def test_where_it_cannot_be(self):
        cannot = "instance '{m}.a': late values cannot be predicted: "
        late = {"{m}.a": {"after": 1}}
        self.refused(
            cannot + "it lives in the process of the run, which does what it "
            "does: isolate it ('isolate', --isolate), or run it on another "
            "host", '{"after"', late)
        self.refused(
            cannot + "without 'after' they are late when they are due, which "
            "nothing is in a run without \"realTime\"", '{"most"',
            {"{m}.a": {"most": 1}}, isolate=True)
        self.refused(
            "a step cannot be repeated: instance '{m}.a' (fmi2, late values) "
            "cannot save and restore its state", None, late, isolate=True,
            iterate="converged")

    def test_one_that_a_script_switches_cannot_be(self):
        path = self.scenario(
            {"{m}.a": {"after": 1}}, isolate=True,
            instances={"{m}": ["a", "spare"]},
            script=[{"name": "spare", "at": 0.5,
                     "do": {"switch": {"{m}.a": "{m}.spare"}}}])
        done = self.desk.tutti("run", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("instance '{m}.a': late values cannot be predicted: it "
                      "is switched by the script", done.stderr)

    def test_with_variable_steps_it_steps_when_the_step_stands(self):
        path = self.scenario(
            {"{m}.a": {"after": 0.1}}, isolate=["{m}.a"], amount=0.3,
            algorithm={"type": "var-step", "size": [0.05, 0.1],
                       "initsize": 0.1, "constraints": {"d": {
                           "type": "boundeddifference",
                           "ports": ["{n}.b.y"], "abstol": 0.1,
                           "skipDiscrete": False}}})
        result = self.play(path)
        self.assertIn("instance '{m}.a' (fmi2, late values) cannot save its "
                      "state, so it steps last, once the others have shown "
                      "that the step may stand; what it finds itself is "
                      "accepted with a warning",
                      [d["text"] for d in result["decisions"]])
        late = result["residuals"]["late"]
        self.assertGreater(result["rejected"], 0)
        self.assertGreater(late["predicted"], 0)
        self.assertLess(late["worst"]["error"], 1e-12)
        self.assertAlmostEqual(rows(self.desk.path("out.csv"))[-1][1], 2)

    def test_inside_another_scenario_it_cannot_be(self):
        inner = self.scenario({"{m}.a": {"after": 1}}, isolate=True)
        outer = self.desk.json("outer.json", {
            "fmus": {"{in}": inner}, "instances": {"{in}": ["i"]},
            "connections": {}, "logVariables": {},
            "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1})
        done = self.desk.tutti("run", outer)
        self.assertEqual(done.returncode, 2)
        self.assertIn("instance '{m}.a': late values cannot be predicted: this "
                      "scenario is an instance of another one", done.stderr)

    def test_bad_input(self):
        self.refused("'after' must not be negative, not -1", "-1",
                     {"{m}.a": {"after": -1}}, isolate=True)
        self.refused("'most' must be a number of steps from 1 to 1000, not 0",
                     "0}", {"{m}.a": {"most": 0}}, isolate=True)
        self.refused("unknown field 'afte'; did you mean 'after'?", '"afte"',
                     {"{m}.a": {"afte": 1}}, isolate=True)
        self.refused("there is no instance '{m}.c'; did you mean '{m}.a'?",
                     '"{m}.c"',
                     {"{m}.c": {"after": 1}}, isolate=True)
        self.refused("'late' must be an object, not a number", "0.005", 0.005, isolate=True)


if __name__ == "__main__":
    unittest.main(verbosity=2)
