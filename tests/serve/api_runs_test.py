# SPDX-License-Identifier: MIT
"""/api/v1: runs, led and left alone; what they leave."""
import concurrent.futures
import csv
import io
import json
import os
import time
import unittest

from api import BASE, ApiTest, quote
from rig import CRASH, SLEEP, TANK

LEVEL = "{x2}.tank.level"


def table(text):
    return list(csv.reader(io.StringIO(text)))


class Runs(ApiTest):
    def test_a_run_from_start_to_end(self):
        path = self.session()
        first = self.ask("POST", path + "/runs", {"name": "one"}, 201)
        self.assertEqual({k: first[k] for k in (
            "id", "session", "name", "state", "start", "end", "message", "unit",
            "place", "stepwise", "ended")}, {
            "id": 1, "session": path.rsplit("/", 1)[1], "name": "one",
            "state": "running", "start": 0, "end": 100, "message": None,
            "unit": None, "place": None, "stepwise": False, "ended": None})
        done = self.ended(path + "/runs/1")
        self.assertEqual(
            (done["state"], done["progress"], done["time"], done["message"]),
            ("finished", 1, 100, "completed: 1000 steps to t=100 s"))
        self.assertLessEqual(done["queued"], done["begun"])
        self.assertLessEqual(done["begun"], done["ended"])
        self.assertGreater(done["wall_seconds"], 0)
        self.assertEqual(self.ask("GET", path + "/runs"), [done])
        self.assertEqual(self.ask("GET", path)["runs"], [done])

    def test_what_it_leaves(self):
        path = self.session()
        run = self.finished(path, set={"endTime": 10})
        rows = table(self.ask("GET", run + "/results.csv"))
        self.assertEqual((len(rows), rows[0][0], rows[-1][0]),
                         (102, "time", "10.0"))
        summary = self.ask("GET", run + "/summary")
        self.assertEqual((summary["outcome"], summary["steps"]),
                         ("completed", 100))
        report = self.service.get(BASE + run + "/report.html")
        self.assertIn("sandbox", report.headers["Content-Security-Policy"])
        self.assertIn("<title>water-tank</title>", report.text)
        self.assertNotIn("tutti run", report.text)  # nobody typed that
        self.assertEqual(summary["scenario"], "water-tank")
        self.assertEqual(self.ask("GET", run + "/log"), "")
        self.assertEqual(self.ask("GET", run + "/steps"), {
            "time": [], "h": [], "accepted": [], "reason": [], "attempts": 0,
            "decimated": False})

    def test_reports_are_called_as_their_users_state(self):
        def title(path, **more):
            text = self.ask("GET", self.finished(
                path, set={"endTime": 1}, **more) + "/report.html")
            return text.partition("<title>")[2].partition("</title>")[0]
        path = self.session(name="-study")
        self.assertEqual(title(path, name="a < b"), "-study: a &lt; b")
        self.assertEqual(title(path), "-study")
        scenario = self.ask("GET", path + "/scenario")
        scenario["fmus"] = {k: f"file://{TANK}/{v}"
                            for k, v in scenario["fmus"].items()}
        path = self.scenario(scenario)
        self.assertEqual(title(path), "Run 1")
        self.assertEqual(title(path, name="two"), "two")

    def test_where_the_service_keeps_files_is_its_own_business(self):
        path = self.session("nested-water-tank")
        inner = json.loads(self.ask("GET", path + "/files/stage.json"))
        inner["fmus"]["{basin}"] = "basni.fmu"
        self.ask("PUT", path + "/files/stage.json", inner, 201)
        run = self.start(path)
        message = ("scenario.json:3:16: FMU '{stage}': stage.json:1:22: FMU "
                   "'{basin}': basni.fmu: no such file or folder; did you "
                   "mean 'basin.fmu'?")
        self.assertEqual(self.ended(run)["message"], message)
        self.assertEqual(self.ask("GET", run + "/log"), f"tutti: {message}\n")
        self.assertEqual(self.ask("GET", run + "/summary")["message"], message)
        answer = self.service.post(
            "/initialize/" + path.rsplit("/", 1)[1],
            self.ask("GET", path + "/scenario"))
        self.assertEqual((answer.status, answer.message()), (
            400, message.replace("scenario.json:3:16", "initialize.json:1:22")))

    def test_nor_do_reports_show_it(self):
        report = self.ask("GET", self.finished(
            self.session(), set={"endTime": 1}) + "/report.html")
        self.assertNotIn(self.service.folder.name, report)
        self.assertRegex(report, r">\s*watertank\.fmu\s*<")

    def test_fields_are_laid_over_the_scenario(self):
        path = self.session()
        stored = self.ask("GET", path + "/scenario")
        run = self.finished(path, set={
            "endTime": 2, "algorithm": {"size": 0.5},
            "parameters": {"{x1}.controller.maxLevel": 3.25}})
        ran = self.ask("GET", run + "/scenario")
        self.assertEqual(ran, {
            **stored, "endTime": 2,
            "algorithm": {**stored["algorithm"], "size": 0.5},
            "parameters": {**stored["parameters"],
                           "{x1}.controller.maxLevel": 3.25}})
        self.assertEqual(self.ask("GET", path + "/scenario"), stored)
        self.assertEqual(len(table(self.ask("GET", run + "/results.csv"))), 6)
        plain = self.finished(path)
        self.assertEqual(
            self.service.get(BASE + plain + "/scenario").text,
            self.service.get(BASE + path + "/scenario").text)

    def test_bad_starts(self):
        path = "/sessions/" + self.ask("POST", "/sessions", {}, 201)["id"]
        name = path.rsplit("/", 1)[1]
        self.bad("POST", path + "/runs", 409,
                 f"session '{name}' has no scenario", {})
        path = self.session()
        for body, message in (
                ({"set": 3}, "'set' must be an object"),
                ({"stepwise": "yes"}, "'stepwise' must be true or false"),
                ({"sets": {}}, "there is no 'sets' here; did you mean 'set'?")):
            self.bad("POST", path + "/runs", 400, message, body)
        self.assertEqual(self.ask("GET", path + "/runs"), [])

    def test_what_cannot_run_states_why(self):
        path = self.session()
        run = self.start(path, set={"endTime": -1})
        done = self.ended(run)
        self.assertEqual(done["state"], "failed")
        self.assertEqual(done["message"], "request:1:21: the end time -1 s is "
                         "not after the start time 0 s")
        self.bad("GET", run + "/results", 404,
                 f"run {done['id']} has no results yet (it is failed)")
        self.assertIn("the end time -1 s", self.ask("GET", run + "/log"))
        gone = self.start(path, set={"fmus": {"{x2}": "gone.fmu"}})
        message = self.ended(gone)["message"]
        self.assertIn("gone.fmu", message)
        self.assertNotIn(self.service.folder.name, message)

    def test_places_are_those_of_the_texts_that_were_sent(self):
        stored = (b'{"fmus": {"{t}": "watertank.fmu"},\n'
                  b' "instances": {"{t}": ["tank"]}, "algorithm":\n'
                  b'  {"type": "fixed-step", "size": 1},\n'
                  b' "startTime": 0, "endTime": %s}\n')
        path = self.session()
        for end, sent, message in (
                (b"true", b'{"set": {"startTime": 0.5}}',
                 "scenario.json:4:29: 'endTime' must be a number, not a "
                 "boolean"),
                (b"5", '{"name": "\u00e4",\n "set":\n  {"startTime": 1, '
                 '"conections": {}}, "stepwise": false}'.encode(),
                 "request:3:20: unknown field 'conections'; did you mean "
                 "'connections'?"),
                (b"5", '{"name": "\u00e4\u00e4", "set": {"endTime": "x"}}'
                 .encode(), "request:1:35: 'endTime' must be a number, not a "
                 "string")):
            self.ask("PUT", path + "/scenario", stored % end, 204)
            run = self.ask("POST", path + "/runs", sent, 201)["id"]
            self.assertEqual(
                self.ended(f"{path}/runs/{run}")["message"], message)

    def test_a_crash_is_named(self):
        path = self.misbehaving(CRASH)
        run = self.start(path)
        done = self.ended(run)
        self.assertEqual((done["state"], done["unit"]), ("failed", "{m}.one"))
        self.assertEqual(done["message"], "instance '{m}.one': crashed in step "
                         "(SIGSEGV) at t=0.4; results so far: outputs.csv "
                         "(5 rows to t=0.4)")
        self.assertEqual((done["time"], done["progress"]), (0.4, 0.4))
        rows = self.ask("GET", run + "/results")
        self.assertEqual(len(rows["time"]), 5)

    def test_deleted_runs_go(self):
        path = self.session()
        run = self.start(path, set={"endTime": 1e9})
        self.until(run, "running")
        self.ask("DELETE", run, None, 204)
        name = path.rsplit("/", 1)[1]
        self.bad("GET", run, 404, f"session '{name}' has no run '1'")
        self.assertEqual(self.finished(path), path + "/runs/2")
        hanging = self.start(self.misbehaving(SLEEP, amount=1000))
        self.until(hanging, "running")
        self.ask("DELETE", hanging, None, 204)

    def test_stopped(self):
        run = self.start(self.session(), set={"endTime": 1e9})
        while not self.ask("GET", run)["time"]:
            time.sleep(0.01)
        self.assertEqual(self.ask("POST", run + "/stop")["state"], "stopping")
        done = self.ended(run)
        self.assertEqual(done["state"], "stopped")
        self.assertGreater(done["time"], 0)
        self.assertRegex(done["message"], "^stopped: ")
        self.bad("POST", run + "/stop", 409,
                 "run 1 cannot stop: it is stopped")
        self.assertEqual(self.ask("GET", run + "/summary")["outcome"],
                         "stopped")


class Results(ApiTest):
    def setUp(self):
        super().setUp()
        self.run_path = self.finished(self.session())
        self.rows = table(self.ask("GET", self.run_path + "/results.csv"))

    def results(self, **query):
        return self.ask("GET", self.run_path + "/results?" + "&".join(
            f"{k.rstrip('_')}={quote(str(v))}" for k, v in query.items()))

    def test_a_part_of_it(self):
        at = self.rows[0].index(LEVEL)
        found = self.results(variables=LEVEL, from_=10, to=20)
        wanted = [(float(r[0]), float(r[at])) for r in self.rows[1:]
                  if 10 <= float(r[0]) <= 20]
        self.assertEqual(found["columns"], [LEVEL])
        self.assertEqual(list(zip(found["time"], found["values"][0])), wanted)
        self.assertEqual((found["rows_total"], found["decimated"]),
                         (len(wanted), False))
        text = self.results(variables="level", to=1, format="csv")
        self.assertEqual(table(text), [["time", LEVEL]] + [
            [r[0], r[at]] for r in self.rows[1:12]])

    def test_fewer_rows_keep_the_extremes(self):
        at = self.rows[0].index(LEVEL)
        found = self.results(points=20)
        level = found["values"][found["columns"].index(LEVEL)]
        values = [float(r[at]) for r in self.rows[1:]]
        self.assertLessEqual(len(found["time"]), 20)
        self.assertEqual((found["rows_total"], found["decimated"]),
                         (1001, True))
        self.assertEqual((min(level), max(level), level[0], level[-1]),
                         (min(values), max(values), values[0], values[-1]))

    def test_what_is_refused(self):
        for query, message in (
                ("point=3", "there is no parameter 'point' here; did you mean "
                 "'points'?"),
                ("points=1", "'points' must be a whole number from 2 to "
                 "1000000000, not '1'"),
                ("points=x", "'points' must be a whole number from 2 to "
                 "1000000000, not 'x'"),
                ("from=a", "'from' must be a number, not 'a'"),
                ("to=", "'to' must be a number, not ''"),
                ("from=2&to=1", "'from' is after 'to'"),
                ("to=nan", "'to' must be a number, not 'nan'"),
                ("format=xml", "'format' must be json or csv, not 'xml'"),
                ("from=1&from=2", "the parameter 'from' is there twice")):
            self.bad("GET", f"{self.run_path}/results?{query}", 400, message)
        answer = self.service.get(
            f"{BASE}{self.run_path}/results?variables=levl")
        self.assertEqual(answer.status, 400)
        self.assertIn("'levl'", answer.json()["error"]["message"])


class Steps(ApiTest):
    def test_attempts_of_variable_steps(self):
        run = self.finished(self.session(
            "water-tank", scenario="scenario-variable.json"))
        steps = self.ask("GET", run + "/steps")
        self.assertEqual({len(steps[k]) for k in (
            "time", "h", "accepted", "reason")}, {steps["attempts"]})
        self.assertEqual(steps["time"], sorted(steps["time"]))
        self.assertEqual((steps["time"][0], steps["reason"][0]),
                         (0, "first step"))
        self.assertAlmostEqual(
            sum(h for h, a in zip(steps["h"], steps["accepted"]) if a), 100)
        few = self.ask("GET", run + "/steps?points=20")
        self.assertLessEqual(len(few["h"]), 20)
        self.assertEqual((few["attempts"], few["decimated"]),
                         (steps["attempts"], True))
        self.assertEqual((min(few["h"]), max(few["h"])),
                         (min(steps["h"]), max(steps["h"])))

    def test_the_rejected_are_reported(self):
        run = self.finished(self.session(), set={
            "algorithm": {"type": "var-step", "size": [1e-6, 10],
                          "initsize": 1, "constraints": {"e": {
                              "type": "error", "method": "richardson",
                              "absoluteTolerance": 1e-9}}}})
        steps = self.ask("GET", run + "/steps?points=1000000")
        rejected = [r for r, a in zip(steps["reason"], steps["accepted"])
                    if not a]
        summary = self.ask("GET", run + "/summary")
        self.assertGreater(len(rejected), 0)
        self.assertEqual(len(rejected), summary["rejected"])
        self.assertTrue(all(rejected))


class Events(ApiTest):
    def test_events_are_listed_and_searched(self):
        run = self.finished(self.session("traffic-light"))
        got = self.ask("GET", run + "/events")
        self.assertEqual(list(zip(got["time"], got["microstep"],
                                  got["instance"], got["port"],
                                  got["value"])), [
            (60, 1, "{light}.light", "colour", "green"),
            (100, 1, "{police}.police", "order", "toWork"),
            (300, 1, "{police}.police", "order", "toIdle"),
            (360, 1, "{light}.light", "colour", "green"),
            (400, 1, "{police}.police", "order", "toWork"),
            (600, 1, "{police}.police", "order", "toIdle")])
        self.assertEqual((got["matching"], got["total"]), (6, 6))
        for query, times, matching in (
                ("search=police%20TOWORK", [100, 400], 2),
                ("search=light.colour", [60, 360], 2),
                ("search=nothing", [], 0),
                ("points=2&search=order", [100, 300], 4),
                ("from=300&to=400", [300, 360, 400], 3)):
            with self.subTest(query):
                got = self.ask("GET", f"{run}/events?{query}")
                self.assertEqual((got["time"], got["matching"], got["total"]),
                                 (times, matching, 6))

    def test_a_run_may_have_none(self):
        got = self.ask("GET", self.finished(self.session()) + "/events")
        self.assertEqual((got["time"], got["total"]), ([], 0))

    def test_bad_queries(self):
        run = self.finished(self.session("traffic-light"))
        for query, message in (
                ("points=1", "'points' must be a whole number from 2 to "
                 "1000000000, not '1'"),
                ("from=soon", "'from' must be a number, not 'soon'"),
                ("from=2&to=1", "'from' is after 'to'")):
            with self.subTest(query):
                self.bad("GET", f"{run}/events?{query}", 400, message)


class Led(ApiTest):
    def step(self, run, **body):
        return self.ask("POST", run + "/step", body)

    def test_step_by_step(self):
        run = self.start(self.session(), stepwise=True, set={"endTime": 1})
        self.assertEqual(self.ask("GET", run)["state"], "paused")
        self.assertEqual(self.step(run), {
            "time": 0.1, "state": "paused", "values": {}})
        got = self.step(run, steps=3, get=[LEVEL])
        self.assertEqual((got["time"], list(got["values"])), (0.4, [LEVEL]))
        self.assertAlmostEqual(got["values"][LEVEL], 1 + 4 * 0.045)
        self.assertEqual(self.step(run, to=0.8)["time"], 0.8)
        self.assertEqual(self.ask("GET", run)["time"], 0.8)
        last = self.step(run, steps=100)
        self.assertEqual((last["time"], last["state"]), (1, "finished"))
        self.assertEqual(self.ended(run)["state"], "finished")
        rows = table(self.ask("GET", run + "/results.csv"))
        self.assertEqual(len(rows), 12)
        whole = self.finished(run.rsplit("/runs", 1)[0], set={"endTime": 1})
        self.assertEqual(self.ask("GET", whole + "/results.csv"),
                         self.ask("GET", run + "/results.csv"))

    def test_inputs_are_set(self):
        path = self.scenario({
            "fmus": {"{t}": "watertank.fmu"}, "connections": {},
            "instances": {"{t}": ["tank"]}, "endTime": 10,
            "algorithm": {"type": "fixed-step", "size": 0.1}})
        with open(os.path.join(TANK, "watertank.fmu"),
                  "rb") as f:
            self.ask("PUT", path + "/files/watertank.fmu", f.read(), 201)
        run = self.start(path, stepwise=True)
        level = "{t}.tank.level"
        shut = self.step(run, set={"{t}.tank.valve": False}, steps=5,
                         get=[level])["values"][level]
        open_ = self.step(run, set={"{t}.tank.valve": True}, steps=5,
                          get=[level])["values"][level]
        self.assertAlmostEqual(shut, 1 + 5 * 0.045)
        self.assertLess(open_ - shut, (shut - 1) / 2)
        self.bad("POST", run + "/step", 400, "instance '{t}.tank' has no variable "
                 "'valv'; did you mean 'valve'?", {"set": {"{t}.tank.valv": 1}})
        self.assertEqual(self.ask("GET", run)["time"], 1)

    def test_bad_steps(self):
        run = self.start(self.session(), stepwise=True)
        for body, message in (
                ({"steps": 0}, "'steps' must be a whole number, 1 or more"),
                ({"steps": 1.5}, "'steps' must be a whole number"),
                ({"steps": 1, "to": 2}, "'steps' and 'to' exclude each other"),
                ({"get": LEVEL}, "'get' must be an array"),
                ({"get": [1]}, "'get' must be an array of strings"),
                ({"set": []}, "'set' must be an object"),
                ({"stepp": 1}, "there is no 'stepp' here; did you mean "
                 "'steps'?"),
                ("{", "the body, line 1, column 1: string or '}' expected near "
                 "end of file")):
            self.bad("POST", run + "/step", 400, message, body)
        self.bad("POST", run + "/step", 400,
                 "a command of 1100031 bytes; at most 1048575",
                 {"get": ["x" * 1100000]})
        self.assertEqual(self.step(run)["time"], 0.1)

    def test_pause_and_resume(self):
        path = self.session()
        run = self.start(path, set={"endTime": 1e9})
        while not self.ask("GET", run)["time"]:
            time.sleep(0.005)
        paused = self.ask("POST", run + "/pause")
        self.assertEqual(paused["state"], "paused")
        self.assertEqual(self.ask("GET", run)["time"], paused["time"])
        self.bad("POST", run + "/pause", 409,
                 "run 1 cannot pause: it is paused")
        self.assertAlmostEqual(self.step(run)["time"], paused["time"] + 0.1)
        self.assertEqual(self.ask("POST", run + "/resume")["state"], "running")
        self.bad("POST", run + "/resume", 409,
                 "run 1 cannot resume: it is running")
        self.bad("POST", run + "/step", 409, "run 1 cannot step: it is running")
        self.ask("POST", run + "/stop")
        run = self.start(path, stepwise=True, set={"endTime": 10})
        self.assertEqual(self.step(run)["time"], 0.1)
        self.ask("POST", run + "/resume")
        self.assertEqual(self.ended(run)["state"], "finished")
        for what in ("pause", "resume", "step"):
            self.bad("POST", f"{run}/{what}", 409,
                     f"run 2 cannot {what}: it is finished")

    def test_at_the_end_it_is_no_longer_paused(self):
        run = self.start(self.session(), stepwise=True)
        self.assertEqual(self.step(run, to=1e9), {
            "time": 100, "state": "finished", "values": {}})
        self.assertIn(self.ask("GET", run)["state"], ("running", "finished"))
        self.assertEqual(self.ended(run)["time"], 100)

    def test_clients_that_wait_when_it_ends_are_answered(self):
        path = self.misbehaving(CRASH)
        run = self.start(path, stepwise=True)
        self.bad("POST", run + "/step", 500, "run 1 has ended: instance '{m}.one': "
                 "crashed in step (SIGSEGV) at t=0.4; results so far: "
                 "outputs.csv (5 rows to t=0.4)", {"steps": 100})
        hanging = self.misbehaving(SLEEP, amount=1000)
        for how, status, message in (
                ("run", 404, "the run is no longer there"),
                ("session", 404, "the run is no longer there")):
            run = self.start(hanging, stepwise=True)
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                step = pool.submit(self.service.post, BASE + run + "/step",
                                   {"steps": 10})
                while self.ask("GET", run)["time"] != 0.4:
                    time.sleep(0.01)
                self.ask("DELETE", run if how == "run" else hanging, None, 204)
                self.refused(step.result(), status, message)

    def test_who_waits_for_long_is_answered(self):
        run = self.start(self.misbehaving(SLEEP, amount=3), stepwise=True)
        self.assertEqual(self.step(run, steps=5)["time"], 0.5)

    def test_paused_runs_let_others_go_first(self):
        path = self.session()
        led = [self.start(path, stepwise=True) for _ in range(4)]
        self.finished(path)
        for run in led:
            self.assertEqual(self.step(run)["time"], 0.1)


class Queue(ApiTest):
    OPTIONS = ("--max-runs", "2")

    def test_many_at_once_all_finish_and_agree(self):
        path, ask = self.session(), self.service
        before = ask.descriptors()
        with concurrent.futures.ThreadPoolExecutor(20) as pool:
            runs = list(pool.map(lambda _: self.start(
                path, set={"endTime": 10}), range(100)))
        self.assertEqual(len(set(runs)), 100)
        for run in runs:
            while (now := self.ask("GET", run))["state"] != "finished":
                self.assertIn(now["state"], ("queued", "running"), now)
                time.sleep(0.01)
        results = {self.ask("GET", run + "/results.csv") for run in runs}
        self.assertEqual(len(results), 1)
        self.assertEqual(len(table(results.pop())), 102)
        while ask.descriptors() > before:
            time.sleep(0.05)

    def test_places_and_leaving_the_queue(self):
        path = self.session()
        slow = {"simulationProgramDelay": True, "endTime": 1000}
        runs = [self.start(path, set=slow) for _ in range(5)]
        states = [self.ask("GET", r) for r in runs]
        self.assertEqual([(s["state"], s["place"]) for s in states], [
            ("running", None), ("running", None), ("queued", 1),
            ("queued", 2), ("queued", 3)])
        self.assertIsNone(states[2]["begun"])
        self.assertEqual(self.ask("POST", runs[2] + "/stop")["state"],
                         "stopped")
        self.assertEqual(self.ask("GET", runs[3])["place"], 1)
        self.ask("DELETE", runs[0], None, 204)
        self.until(runs[3], "running")


if __name__ == "__main__":
    unittest.main()
