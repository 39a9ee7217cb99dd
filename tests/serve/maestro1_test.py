# SPDX-License-Identifier: MIT
"""The same service for clients of Maestro 1: other words, other shapes."""
import concurrent.futures
import csv
import io
import json
import re
import unittest
import zipfile

from rig import CRASH, ServiceTest, messages, misbehave, tank
from upload_test import FMUS, fmu, form, uploaded

LIVE = {"livestream": {"{x2}.tank": ["level"], "{x1}.controller": ["valve"]}}
NOBODY = "00000000-0000-4000-8000-000000000000"
NORMAL, UNSUPPORTED_DATA = 1000, 1003


class Maestro1(ServiceTest):
    OPTIONS = ("--dialect", "maestro1")

    def refused(self, answer, status, message):
        self.assertEqual((answer.status, answer.headers["Content-Type"],
                          answer.text), (status, "text/plain", message))

    def test_greetings(self):
        answer = self.service.get("/version")
        self.assertEqual(answer.headers["Content-Type"], "text/plain")
        version = answer.json()
        self.assertEqual(sorted(version), ["artifactId", "groupId", "version"])
        first = re.search(r"[\d.]+", version["version"]).group(0)
        self.assertEqual(first, "1.0.10")
        self.assertIn("/initialize/{session}\n", self.service.get("/api").text)

    def test_the_flow_of_the_water_tank(self):
        ask = self.service
        answer = ask.get("/createSession")
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        name = answer.json()["sessionId"]
        self.assertEqual(answer.json(), {"sessionId": name})
        answer = ask.post("/upload/" + name,
                          **form(*((n, fmu(n)) for n in FMUS)))
        self.assertEqual((answer.status, answer.text),
                         (200, "Files uploaded.."))
        answer = ask.post("/initialize/" + name, {**uploaded(), **LIVE})
        (first,) = answer.json()
        levels = first.pop("avaliableLogLevels")
        self.assertEqual(first, {"status": "Initialized", "sessionId": name,
                                 "lastExecTime": 0})
        self.assertEqual(sorted(levels), ["{x1}.controller", "{x2}.tank"])
        self.assertIn({"name": "logAll", "description": None},
                      levels["{x1}.controller"])
        socket = ask.attach("/attachSession/" + name)
        answer = ask.post("/simulate/" + name, {"startTime": 0, "endTime": 10})
        done = answer.json()
        self.assertIsInstance(done.pop("lastExecTime"), int)
        self.assertEqual(done, {"status": "Finished", "sessionId": name})
        answer = ask.get("/status/" + name)
        self.assertEqual(answer.headers["Content-Type"], "application/json")
        self.assertEqual(answer.json()["status"], "Finished")
        plain = ask.get("/result/" + name)
        self.assertEqual(plain.headers["Content-Type"], "text/plain")
        self.assertEqual(plain.text, ask.get(f"/result/{name}/plain").text)
        self.check_rows(plain.text)
        self.check_stream(plain.text, socket)
        packed = zipfile.ZipFile(io.BytesIO(
            ask.get(f"/result/{name}/zip").data))
        self.assertEqual(packed.read("outputs.csv").decode(), plain.text)
        self.refused(ask.get("/destroy/" + name), 200,
                     f"Session {name} destroyed")
        self.assertEqual(ask.get("/status").json(), [])

    def check_rows(self, text):
        lines = text.split("\n")
        names = lines[0].split(",")
        self.assertEqual(names[:2], ["time", "step-size"])
        self.assertEqual(names[2:], sorted(names[2:]))
        self.assertEqual(lines[1].split(",")[:2], ["0.0", "0.0"])
        self.assertEqual(lines[2].split(",")[:2], ["0.1", "0.1"])
        self.assertEqual(len(lines), 1 + 101 + 1)

    def check_stream(self, text, socket):
        """Texts only, data before time."""
        *frames, code = messages(socket)
        rows = list(csv.DictReader(io.StringIO(text)))
        self.assertEqual(code, NORMAL)
        self.assertEqual(frames, [{"data": {
            "{x1}": {"controller": {"valve": r["{x1}.controller.valve"]}},
            "{x2}": {"tank": {"level": r["{x2}.tank.level"]}}},
            "time": float(r["time"])} for r in rows])
        self.assertEqual({tuple(f) for f in frames}, {("data", "time")})

    def test_names_are_split_in_three(self):
        ask, name = self.service, self.service.session()
        ask.post("/upload/" + name, **form((
            "heat.csv", b"time,heater.T,x\n0,1.5,3\n1,2.5,3\n")))
        ask.post("/initialize/" + name, {
            "fmus": {"{s}": "session:heat.csv"}, "connections": {},
            "livestream": {"{s}.one": ["heater.T", "x"]},
            "algorithm": {"type": "fixed-step", "size": 1}})
        socket = ask.attach("/attachSession/" + name)
        ask.post("/simulate/" + name, {"endTime": 1})
        self.assertEqual([f["data"] for f in list(messages(socket))[:-1]], [
            {"{s}": {"one": {"heater.T": "1.5", "x": "3.0"}}},
            {"{s}": {"one": {"heater.T": "2.5", "x": "3.0"}}}])

    def test_verbs_do_not_matter(self):
        ask = self.service
        for verb in ("GET", "POST", "PUT"):
            self.assertEqual(ask.ask(verb, "/ping").text, "OK")
            name = ask.ask(verb, "/createSession").json()["sessionId"]
            self.assertEqual(ask.ask(verb, "/status/" + name).status, 200)
            self.assertEqual(ask.ask(verb, "/destroy/" + name).status, 200)
        name = ask.session()
        answer = ask.ask("PUT", "/initialize/" + name, json.dumps(tank()))
        self.assertEqual(answer.status, 200)
        self.assertEqual(ask.ask("PUT", "/simulate/" + name,
                                 '{"endTime": 1}').status, 200)
        self.refused(ask.ask("DELETE", "/ping"), 405,
                     "'/ping' takes GET and POST and PUT only")

    def test_errors_are_plain_words(self):
        ask, name = self.service, self.service.session()
        self.refused(ask.get("/status/" + NOBODY), 400,
                     f"Missing session: no session '{NOBODY}'")
        self.refused(ask.post("/simulate/" + name, {}), 400,
                     f"session '{name}' is not initialized")
        self.refused(ask.post("/initialize/" + name, '{"fmus":3}'), 500,
                     "initialize.json:1:9: 'fmus' must be an object, not an "
                     "integer")
        self.refused(ask.get("/result/" + name), 400,
                     f"session '{name}' has no results yet (it is "
                     "Unitialized)")
        self.refused(ask.get("/pingg"), 501,
                     "no '/pingg' here; did you mean '/ping'?")
        name = ask.session(misbehave(CRASH))
        answer = ask.post("/simulate/" + name, {"endTime": 1})
        self.refused(answer, 400, "instance '{m}.one': crashed in step (SIGSEGV) "
                     "at t=0.4; results so far: outputs.csv (5 rows to "
                     "t=0.4)")

    def test_a_stopped_run_ends_well(self):
        ask = self.service
        name = ask.session({**tank(), "simulationProgramDelay": True})
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            run = pool.submit(ask.post, "/simulate/" + name, {"endTime": 1000})
            while ask.get("/result/" + name).text.count("\n") < 3:
                pass
            self.refused(ask.get("/stopsimulation/" + name), 200,
                         f"Stopping simulation with session id: {name}")
            self.assertEqual(run.result().json()["status"], "Finished")

    def test_who_has_no_session_is_shown_out(self):
        for path in ("x", NOBODY):
            socket = self.service.attach("/attachSession/" + path)
            self.assertEqual(list(messages(socket)), [UNSUPPORTED_DATA])


if __name__ == "__main__":
    unittest.main()
