# SPDX-License-Identifier: MIT
"""What a simulation and a client may take, and what happens beyond."""
import json
import os
import shutil
import unittest

from rig import SLEEP, TANK, ServiceTest, misbehave, tank
from upload_test import FMUS, fmu, form, uploaded

SLOW = {**tank(), "simulationProgramDelay": True}


class Time(ServiceTest):
    OPTIONS = ("--max-time", "10", "--max-runs", "3")

    def test_what_takes_too_long_is_ended_and_named(self):
        ask = self.service
        slow, hang = ask.session(SLOW), ask.session(misbehave(SLEEP,
                                                              amount=1000))
        ask.post("/simulateasync/" + slow, {"endTime": 1000})
        words = "the run was ended: it may take 10 s (--max-time)"
        self.refused(ask.post("/simulate/" + hang, {"endTime": 1}), 500, words)
        ask.await_state(slow, "Error")
        self.assertEqual(ask.get("/status/" + slow).json()["message"], words)
        # its rows are there, and whole
        rows = ask.get(f"/result/{slow}/plain").text
        self.assertGreater(rows.count("\n"), 2)
        self.assertTrue(rows.endswith("\n"))
        good = ask.session(tank())
        self.assertEqual(ask.post("/simulate/" + good,
                                  {"endTime": 0.1}).status, 200)


class Disk(ServiceTest):
    OPTIONS = ("--max-disk", "1M")

    def test_who_fills_the_disk_is_ended(self):
        ask = self.service
        full = ask.session({**tank(), "algorithm": {"type": "fixed-step",
                                                    "size": 1e-5}})
        self.refused(ask.post("/simulate/" + full, {"endTime": 1000}), 500,
                     "the run was ended: the files of a session may take "
                     "1048576 bytes (--max-disk)")
        self.assertEqual(ask.post("/simulate/" + ask.session(tank()),
                                  {"endTime": 10}).status, 200)


class Crowd(ServiceTest):
    """The service has no room, and says when to come again."""
    OPTIONS = ("--max-runs", "1", "--max-queue", "1", "--max-sessions", "3")

    def test_the_queue_and_the_sessions_are_counted(self):
        ask = self.service
        one, two, three = (ask.session(SLOW) for _ in range(3))
        for name in (one, two):
            ask.post("/simulateasync/" + name, {"endTime": 1000})
        for what in ("simulate", "simulateasync"):
            self.later(ask.post(f"/{what}/{three}", {"endTime": 1}),
                       "no more than 1 may wait for their turn (--max-queue)")
        self.later(ask.get("/createSession"), "there are 3 sessions already "
                   "(--max-sessions); destroy some")
        ask.get("/destroy/" + two)
        self.assertEqual(ask.post("/simulateasync/" + three,
                                  {"endTime": 1}).status, 200)


class NoQueue(ServiceTest):
    OPTIONS = ("--max-runs", "1", "--max-queue", "0")

    def test_what_can_run_at_once_does(self):
        ask = self.service
        one, two = (ask.session(SLOW) for _ in range(2))
        ask.post("/simulateasync/" + one, {"endTime": 1000})
        self.later(ask.post("/simulateasync/" + two, {"endTime": 1}),
                   "no more than 1 may run, and none may wait for its turn "
                   "(--max-runs, --max-queue)")
        ask.get("/destroy/" + one)
        self.assertEqual(ask.post("/simulateasync/" + two,
                                  {"endTime": 1}).status, 200)


class Elsewhere(ServiceTest):
    """Bound to all addresses: files of the machine are not for clients."""
    OPTIONS = ("--token", "t", "--bind", "0.0.0.0")
    MORE = {"headers": {"Authorization": "Bearer t"}}

    def initialize(self, uri, name=None):
        ask = self.service
        name = name or ask.get("/createSession", **self.MORE).json()[
            "sessionId"]
        return ask.post("/initialize/" + name, {
            "fmus": {"{a}": uri}, "connections": {},
            "instances": {"{a}": ["x"]}}, **self.MORE)

    def test_only_files_of_the_session(self):
        whole = os.path.join(TANK, FMUS[0])
        for uri in ("file://" + whole, whole, "file:///etc/passwd",
                    "file:../../../../../../../etc/passwd", "../x.fmu",
                    os.path.relpath(whole)):
            answer = self.initialize(uri)
            self.assertEqual(answer.status, 400)
            base = os.path.basename(uri)
            self.assertRegex(answer.message(), rf"'{uri}' is not in the "
                             "session: upload the file, and name it "
                             f"'session:{base}'$")

    def test_links_do_not_help(self):
        ask = self.service
        name = ask.get("/createSession", **self.MORE).json()["sessionId"]
        (place,) = [at for at, dirs, _ in os.walk(ask.folder.name)
                    if at.endswith(name)]
        os.symlink(os.path.join(TANK, FMUS[0]), os.path.join(place, "a.fmu"))
        os.symlink(TANK, os.path.join(place, "b"))
        for uri in ("session:a.fmu", "a.fmu", "b/" + FMUS[0],
                    "session:b/" + FMUS[0]):
            answer = self.initialize(uri, name)
            self.assertEqual(answer.status, 400)
            self.assertIn("is not in the session", answer.message())
        shutil.copy(os.path.join(TANK, FMUS[0]), os.path.join(place, "c.fmu"))
        self.assertEqual(self.initialize("session:c.fmu", name).status, 200)

    def test_nor_through_scenarios_that_were_uploaded(self):
        ask = self.service
        name = ask.get("/createSession", **self.MORE).json()["sessionId"]
        whole = os.path.join(TANK, FMUS[0])
        inner = json.dumps({"fmus": {"{b}": whole},
                            "instances": {"{b}": ["y"]}})
        sent = form(("inner.json", inner.encode()))
        sent["headers"].update(self.MORE["headers"])
        self.assertEqual(ask.post("/upload/" + name, **sent).status, 200)
        message = (":1:18: FMU '{a}': inner.json:1:18: FMU '{b}': "
                   f"'{whole}' is not in the session: upload the file, and "
                   f"name it 'session:{FMUS[0]}'")
        self.refused(self.initialize("session:inner.json", name), 400,
                     "initialize.json" + message)
        # one that is changed later does not help either
        sent = form(("inner.json", json.dumps({
            "fmus": {"{b}": "session:" + FMUS[0]},
            "instances": {"{b}": ["y"]}}).encode()), (FMUS[0], fmu(FMUS[0])))
        sent["headers"].update(self.MORE["headers"])
        ask.post("/upload/" + name, **sent)
        self.assertEqual(self.initialize("session:inner.json", name).status,
                         200)
        sent = form(("inner.json", inner.encode()))
        sent["headers"].update(self.MORE["headers"])
        ask.post("/upload/" + name, **sent)
        self.refused(ask.post("/simulate/" + name, {"endTime": 1},
                              **self.MORE), 400, "initialize.json" + message)

    def test_nor_other_machines(self):
        answer = self.initialize("tutti://localhost:1/x.fmu")
        self.assertEqual(answer.status, 400)
        self.assertRegex(answer.message(), "'tutti://localhost:1/x.fmu' is on "
                         "another machine: upload the file, and name it "
                         "'session:x.fmu'$")

    def test_what_was_uploaded_runs(self):
        ask = self.service
        name = ask.get("/createSession", **self.MORE).json()["sessionId"]
        sent = form(*((n, fmu(n)) for n in FMUS))
        sent["headers"].update(self.MORE["headers"])
        ask.post("/upload/" + name, **sent)
        self.assertEqual(ask.post("/initialize/" + name, uploaded(),
                                  **self.MORE).status, 200)
        # nor does the body of simulate bring others in
        answer = ask.post("/simulate/" + name, {
            "endTime": 1, "fmus": tank()["fmus"]}, **self.MORE)
        self.assertEqual(answer.status, 400)
        self.assertIn("is not in the session", answer.message())
        self.assertEqual(ask.post("/simulate/" + name, {"endTime": 1},
                                  **self.MORE).status, 200)


class Switched(ServiceTest):
    OPTIONS = (*Elsewhere.OPTIONS, "--local-files")

    def test_the_switch(self):
        ask, more = self.service, Elsewhere.MORE
        name = ask.get("/createSession", **more).json()["sessionId"]
        self.assertEqual(ask.post("/initialize/" + name, tank(), **more).status,
                         200)
        self.assertEqual(ask.post("/simulate/" + name, {"endTime": 1},
                                  **more).status, 200)


if __name__ == "__main__":
    unittest.main()
