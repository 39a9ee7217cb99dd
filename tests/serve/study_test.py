# SPDX-License-Identifier: MIT
"""/api/v1: stability, settings and sweeps as runs; what else is made of a session."""
import csv
import io
import json
import os
import subprocess
import tempfile
import unittest
import zipfile

from api import BASE, ApiTest
from rig import BUILD, TUTTI, Service

MASSES = "double-mass-spring-damper"


def bare(argument):
    return subprocess.run([TUTTI, *argument], text=True, capture_output=True,
                          check=True).stdout


class Studies(ApiTest):
    def study(self, path, kind, state="finished", **more):
        run = self.start(path, kind=kind, **more)
        now = self.ended(run)
        self.assertEqual((now["state"], now["kind"], now["time"]),
                         (state, kind, None), now)
        return run, now

    def test_stability_is_what_the_command_prints(self):
        path = self.session(MASSES)
        run, now = self.study(path, "stability")
        self.assertEqual(now["message"], "stable")
        got = self.ask("GET", run + "/summary")
        alone = json.loads(bare(["stability", "--json", os.path.join(
            BUILD, "examples", MASSES, "scenario.json")]))
        self.assertEqual({**got, "scenario": None}, {**alone, "scenario": None})
        self.bad("GET", run + "/results", 404,
                 "run 1 has no rows over time: it is a stability")
        self.bad("POST", run + "/pause", 409,
                 "run 1 cannot pause: it is finished")

    def test_fields_are_laid_over_the_scenario(self):
        path = self.session(MASSES)
        run, now = self.study(path, "stability", options={"brief": True}, set={
            "algorithm": {"type": "fixed-step", "size": 1.2}})
        self.assertEqual(now["message"], "unstable")
        self.assertEqual(self.ask("GET", run + "/summary")["step"], 1.2)

    def test_settings_are_found_and_can_be_laid_over(self):
        path = self.session(MASSES)
        run, now = self.study(path, "tune", options={
            "tolerance": 0.01, "budget": "60runs"})
        found = self.ask("GET", run + "/summary")
        best = found["best"]
        self.assertTrue(best["within"] and best["confirmed"], best)
        self.assertRegex(now["message"], ", confirmed$")
        for tried in found["tried"]:
            self.assertEqual("settings" in tried, tried["step"] is not None)
        again = self.finished(path, set=best["settings"])
        self.assertEqual(self.ask("GET", again + "/scenario")["algorithm"],
                         best["settings"]["algorithm"])
        self.assertIn(f"{found['runs']} of 60 runs",
                      self.ask("GET", run + "/log"))

    def test_runs_begin_where_one_led_to(self):
        path = self.session(MASSES)
        run, now = self.study(path, "tune", options={
            "tolerance": 0.01, "warm": 2})
        found = self.ask("GET", run + "/summary")
        self.assertRegex(now["message"], ", confirmed$")
        self.assertEqual(found["warm"]["time"], 2)
        run, now = self.study(path, "sweep", "failed", options={
            "vary": ["msd1.m1=1"], "warm": 1})
        self.assertIn("--warm: '{msd1}.msd1.m1' cannot change while it is "
                      "running: it is not tunable", now["message"])

    def test_a_sweep_leaves_a_table(self):
        path = self.session(MASSES)
        run, now = self.study(path, "sweep", options={
            "vary": ["msd1.m1=0.5:2:4", "msd1.d1=1,2"], "take": "final"})
        self.assertEqual(now["message"], "8 of 8 points, 0 failed")
        rows = list(csv.DictReader(io.StringIO(
            self.ask("GET", run + "/results.csv"))))
        self.assertEqual([(float(r["msd1.m1"]), float(r["msd1.d1"]))
                          for r in rows],
                         [(m, d) for m in (0.5, 1, 1.5, 2) for d in (1, 2)])
        self.assertEqual({r["state"] for r in rows}, {"done"})

    def test_one_that_takes_long_is_stopped_and_keeps_what_it_has(self):
        path = self.session(MASSES)
        run = self.start(path, kind="sweep", options={
            "vary": ["msd1.m1=0.5:2:20000"]}, set={"endTime": 200})
        while not self.ask("GET", run)["progress"] > 0:
            pass
        self.assertRegex(self.ask("GET", run)["message"],
                         r"^\d+ of 20000 points, 0 failed$")
        self.ask("POST", run + "/stop")
        now = self.until(run, "stopped")
        self.assertRegex(now["message"], r"^\d+ of 20000 points, 0 failed$")

    def test_what_cannot_be_is_told(self):
        path = self.session(MASSES)
        for body, message in (
                ({"kind": "swep"}, "'kind' must be run, stability, tune or "
                 "sweep, not 'swep'"),
                ({"options": {}}, "'options' are of a 'kind': stability, tune "
                 "or sweep"),
                ({"kind": "sweep", "options": {"varry": "x"}},
                 "'sweep' has no option 'varry'; did you mean 'vary'?"),
                ({"kind": "tune", "options": {"output": "/tmp/x"}},
                 "'tune' has no option 'output'"),
                ({"kind": "sweep", "options": {"draw": "/etc/passwd"}},
                 "'draw' must be lhs:N or random:N, not '/etc/passwd'"),
                ({"kind": "tune", "options": {"budget": {"a": 1}}},
                 "'budget' must be a text, a number or true, or a list of "
                 "texts"),
                ({"kind": "sweep", "options": {"vary": ["a=1"] * 60}},
                 "'options' are more than 48")):
            self.bad("POST", path + "/runs", 400, message, body)
        self.assertEqual(self.ask("GET", path + "/runs"), [])
        _, now = self.study(path, "sweep", "failed",
                            options={"vary": ["msd1.mm=1,2"]})
        self.assertIn("did you mean", now["message"])

    def test_it_is_there_after_a_restart(self):
        usual = self.service
        with tempfile.TemporaryDirectory() as folder:
            self.service = Service("--dir", folder)
            path = self.session(MASSES)
            run, now = self.study(path, "stability", options={"brief": True})
            self.start(path, kind="sweep", set={"endTime": 200}, options={
                "vary": ["msd1.m1=0.5:2:20000"]})
            self.service.end()
            self.service = Service("--dir", folder)
            again = self.ask("GET", run)
            other = self.ask("GET", path + "/runs/2")
            verdict = self.ask("GET", run + "/summary")["verdict"]
            self.service.end()
        self.service = usual
        self.assertEqual((again["kind"], again["state"], again["message"]),
                         ("stability", "finished", now["message"]))
        self.assertEqual(verdict, "stable")
        self.assertEqual((other["kind"], other["state"], other["message"]), (
            "sweep", "interrupted",
            "interrupted: the service ended while it ran"))


class Made(ApiTest):
    def bytes_of(self, path):
        answer = self.service.get(BASE + path)
        self.assertEqual(answer.status, 200, answer.data[:300])
        return answer.data

    def test_results_in_other_formats_are_the_same(self):
        path = self.session()
        run = self.finished(path, set={"endTime": 5})
        with tempfile.TemporaryDirectory() as folder:
            for end in ("csv", "mat", "h5"):
                with open(os.path.join(folder, "r." + end), "wb") as f:
                    f.write(self.bytes_of(f"{run}/results.{end}"))
            for end in ("mat", "h5"):
                bare(["compare", os.path.join(folder, "r." + end),
                      os.path.join(folder, "r.csv"), "--tol", "0,0"])

    def test_a_session_as_an_fmu(self):
        path = self.session()
        with tempfile.NamedTemporaryFile(suffix=".fmu") as f:
            f.write(self.bytes_of(path + "/export.fmu"))
            f.flush()
            self.assertIn("modelDescription.xml", zipfile.ZipFile(
                f.name).namelist())
            self.assertIn("tank.level", bare(["info", f.name]))

    def test_an_fmu_outside_is_not_handed_out(self):
        other = os.path.join(BUILD, "examples", "water-tank", "watertank.fmu")
        path = self.scenario({"fmus": {"{x}": other}, "connections": {},
                              "endTime": 1})
        answer = self.service.get(BASE + path + "/export.fmu")
        self.assertEqual(answer.status, 400, answer.text)

    def test_adaptations_are_written_out(self):
        path = self.session()
        scenario = self.ask("GET", path + "/scenario")
        scenario["adapt"] = {"{x2}.tank": ["negate level"]}
        answer = self.service.ask("POST", BASE + path + "/explicit", scenario)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertIn("{x2}.tank", answer.text)
        self.bad("POST", path + "/explicit", 400,
                 "scenario.json: no instance has clauses in 'adapt'")


if __name__ == "__main__":
    unittest.main()
