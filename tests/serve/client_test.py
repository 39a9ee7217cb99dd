# SPDX-License-Identifier: MIT
"""The Python client, as its users have it, against a live service."""
import concurrent.futures
import json
import math
import os
import sys
import tempfile
import unittest

from rig import CRASH, MISBEHAVE, TANK, ServiceTest

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..",
                                "clients", "python"))
from tutti.client import Session, Tutti, TuttiError  # noqa: E402


class Client(ServiceTest):
    def setUp(self):
        super().setUp()
        self.tutti = Tutti(f"http://127.0.0.1:{self.service.port}")

    def tank(self):
        session = self.tutti.session(name="tank study")
        session.upload(os.path.join(TANK, "watertank.fmu"),
                       os.path.join(TANK, "watertankcontroller.fmu"))
        session.scenario = os.path.join(TANK, "scenario.json")
        return session

    def test_what_the_first_lines_of_the_module_show(self):
        session = self.tank()
        self.assertEqual(session.about()["name"], "tank study")
        run = session.run(endTime=30).wait()
        time, level = run.series("{x2}.tank.level")
        self.assertEqual((run.state, time[0], time[-1]), ("finished", 0, 30))
        # the tank fills with 0.45 m3/s from 1 m, on 1 m2
        self.assertTrue(math.isclose(level[time.index(10)], 5.5,
                                     rel_tol=1e-12), level)
        self.assertEqual(run.summary()["outcome"], "completed")
        self.assertIn("<title>tank study", run.report())
        self.assertEqual(run.steps()["attempts"], 0)
        self.assertEqual(run.events(search="level")["total"], 0)
        self.assertTrue(run.csv().startswith("time,"))
        self.assertEqual([r.id for r in session.runs()], [1])
        self.assertEqual(len(self.tutti.sessions()), 1)
        session.delete()
        self.assertEqual(self.tutti.sessions(), [])

    def test_examples_check_and_units(self):
        names = [e["name"] for e in self.tutti.examples()]
        self.assertIn("water-tank", names)
        session = self.tutti.session(example="water-tank")
        self.assertTrue(session.check()["ok"])
        self.assertEqual([u["key"] for u in session.units()],
                         ["{x1}", "{x2}"])
        broken = session.scenario
        wires = broken["connections"]
        wires["{x2}.tank.levl"] = wires.pop("{x2}.tank.level")
        session.scenario = broken
        problems = session.check()["problems"]
        self.assertEqual({p["unit"] for p in problems}, {"{x2}.tank"})

    def test_a_run_step_by_step(self):
        run = self.tank().stepwise()
        first = run.step(get=["{x2}.tank.level"])
        self.assertEqual(first["state"], "paused")
        self.assertTrue(math.isclose(first["time"], 0.1))
        later = run.step(to=1, get=["{x2}.tank.level"])
        self.assertTrue(math.isclose(later["values"]["{x2}.tank.level"], 1.45))
        with self.assertRaises(TuttiError) as refused:
            run.step(get=["{x2}.tank.levl"])
        self.assertEqual(str(refused.exception), "instance '{x2}.tank' has no "
                         "variable 'levl'; did you mean 'level'?")
        run.stop()
        self.assertEqual(run.wait().about["state"], "stopped")

    def test_a_run_watched(self):
        run = self.tank().run(endTime=100)
        kinds, rows = [], 0
        for message in run.live(variables=["{x2}.tank.level"]):
            kinds.append(message["type"])
            if message["type"] == "rows":
                rows += len(message["time"])
                last = message["time"][-1]
        self.assertLess(kinds.index("columns"), kinds.index("rows"))
        self.assertEqual(kinds[-1], "end")
        self.assertEqual(last, 100)
        self.assertGreater(rows, 1)

    def test_what_is_refused_and_what_fails(self):
        session = self.tutti.session()
        with self.assertRaises(TuttiError) as refused:
            session.download("nothing.fmu")
        self.assertEqual(refused.exception.status, 404)
        session.upload(MISBEHAVE)
        session.scenario = {
            "fmus": {"{m}": "misbehave.fmu"}, "connections": {},
            "logVariables": {"{m}.one": ["y"]}, "endTime": 1,
            "parameters": {"{m}.one.what": CRASH, "{m}.one.when": 0.5},
            "algorithm": {"type": "fixed-step", "size": 0.1}}
        with self.assertRaises(TuttiError) as failed:
            session.run().wait()
        self.assertIn("instance '{m}.one': crashed in step (SIGSEGV) at t=0.4",
                      str(failed.exception))
        self.assertEqual(failed.exception.run.about["unit"], "{m}.one")
        with self.assertRaises(ValueError):
            Tutti("ftp://somewhere")

    def test_a_scenario_file_that_is_no_json(self):
        session = self.tutti.session()
        with tempfile.NamedTemporaryFile("w", suffix=".json") as f:
            f.write("{\n  \"fmus\": oops\n}\n")
            f.flush()
            with self.assertRaises(TuttiError) as refused:
                session.scenario = f.name
        self.assertEqual(refused.exception.status, 400)
        self.assertIn(":2:", str(refused.exception))


class Full(ServiceTest):
    OPTIONS = ("--max-runs", "1", "--max-queue", "0")

    def test_who_is_patient_gets_a_turn(self):
        url = f"http://127.0.0.1:{self.service.port}"
        session = Tutti(url).session(example="water-tank")
        first = session.run(endTime=1e7)
        with self.assertRaises(TuttiError) as refused:
            session.run(endTime=1)
        self.assertEqual((refused.exception.status,
                          refused.exception.retry_after), (503, 5))
        patient = Session(Tutti(url, patience=3600), session.id)
        with concurrent.futures.ThreadPoolExecutor() as pool:
            second = pool.submit(patient.run, endTime=1)
            with self.assertRaises(concurrent.futures.TimeoutError):
                second.result(timeout=0.5)
            first.stop()
            self.assertEqual(second.result().wait().about["time"], 1)


class WithToken(ServiceTest):
    OPTIONS = ("--token", "secret")

    def test_the_token_is_brought(self):
        url = f"http://127.0.0.1:{self.service.port}"
        with self.assertRaises(TuttiError) as refused:
            Tutti(url).sessions()
        self.assertEqual(refused.exception.status, 401)
        tutti = Tutti(url, token="secret")
        run = tutti.session(example="water-tank").run(endTime=1)
        self.assertEqual(list(run.live())[-1]["type"], "end")
        self.assertEqual(json.loads(json.dumps(run.wait().about))["state"],
                         "finished")


if __name__ == "__main__":
    unittest.main()
