# SPDX-License-Identifier: MIT
"""A service with a folder: what was finished is there for the next one."""
import os
import subprocess
import tempfile
import time
import unittest

from rig import CRASH, TUTTI, Service, misbehave, tank

SLOW = {**tank(), "simulationProgramDelay": True}


def running(name):
    """Processes that work in the folder of a session."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if name in os.readlink(f"/proc/{pid}/cwd"):
                found.append(pid)
        except OSError:
            pass
    return found


class Restart(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.options = ("--dir", self.folder.name, "--max-runs", "1")

    def service(self):
        return Service(*self.options)

    def fill(self, ask):
        """Sessions in every state, by its name."""
        made = {state: ask.session(scenario) for state, scenario in (
            ("finished", tank()), ("failed", misbehave(CRASH)),
            ("running", SLOW), ("queued", tank()), ("fresh", None))}
        ask.post("/simulate/" + made["finished"], {"endTime": 10})
        ask.post("/simulate/" + made["failed"], {"endTime": 1})
        ask.post("/simulateasync/" + made["running"], {"endTime": 1000})
        ask.post("/simulateasync/" + made["queued"], {"endTime": 10})
        self.before = {name: ask.get("/status/" + made[name]).json()
                       for name in ("finished", "failed", "fresh")}
        self.rows = ask.get(f"/result/{made['finished']}/plain").text
        while ask.get(f"/result/{made['running']}/plain").text.count("\n") < 3:
            pass
        return made

    def check(self, ask, made):
        for state, status in self.before.items():
            self.assertEqual(ask.get("/status/" + made[state]).json(), status)
        self.assertEqual([s["sessionId"] for s in ask.get("/status").json()],
                         list(reversed(made.values())))
        self.assertEqual(ask.get(f"/result/{made['finished']}/plain").text,
                         self.rows)
        for state, words in (("running", "while it ran"),
                             ("queued", "before its turn came")):
            status = ask.get("/status/" + made[state]).json()
            self.assertEqual((status["status"], status["message"]), (
                "Error", f"interrupted: the service ended {words}"))
        rows = ask.get(f"/result/{made['running']}/plain").text
        self.assertGreater(rows.count("\n"), 2)
        self.assertFalse(os.path.exists(os.path.join(
            self.folder.name, made["running"], "simulation", "temp")))
        self.assertEqual(sorted(os.listdir(self.folder.name)),
                         [".service", *sorted(made.values())])
        # and all of them can go on
        for name in (made["queued"], made["failed"], made["running"]):
            ask.post("/initialize/" + name, tank())
            self.assertEqual(ask.post("/simulate/" + name,
                                      {"endTime": 10}).status, 200)
            self.assertEqual(ask.get(f"/result/{name}/plain").text, self.rows)

    def test_killed_and_started_again(self):
        ask = self.service()
        made = self.fill(ask)
        os.makedirs(os.path.join(self.folder.name, ".jobs", "7"))
        ask.kill()
        while running(made["running"]):
            time.sleep(0.01)
        ask = self.service()
        self.check(ask, made)
        self.assertEqual(ask.end(), (0, "", "", []))

    def test_asked_to_end_and_started_again(self):
        ask = self.service()
        made = self.fill(ask)
        self.assertEqual(ask.end(), (0, "", "", []))
        ask = self.service()
        self.check(ask, made)
        gone = made["finished"]
        ask.get("/destroy/" + gone)
        self.assertEqual(ask.end(), (0, "", "", []))
        ask = self.service()
        self.assertNotIn(gone, ask.get("/status").text)
        self.assertEqual(ask.end(), (0, "", "", []))

    def test_a_folder_has_one_service(self):
        ask = self.service()
        done = subprocess.run([TUTTI, "serve", "--port", "0", *self.options],
                              text=True, capture_output=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (
            1, "", f"tutti: --dir: {self.folder.name} belongs to the service "
            f"at http://127.0.0.1:{ask.port}/ (process {ask.process.pid}); "
            "open that, or give this one a folder of its own\n"))
        ask.end()
        self.assertEqual(os.listdir(self.folder.name), [])

    def test_what_others_left_does_no_harm(self):
        ask = self.service()
        names = [ask.session(tank()) for _ in range(5)]
        ask.post("/simulate/" + names[0], {"endTime": 1})
        ask.end()

        def at(*path):
            return os.path.join(self.folder.name, *path)

        def spoil(path, text):
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)

        spoil(at(names[0], "simulation", "run.json"), '{"record": "run", "state": "party", '
              '"exec_ms": -3, "id": "x", "message": 5, "end": []}')
        spoil(at(names[1], "session.json"), "{" * 1000)
        os.remove(at(names[2], "session.json"))
        os.mkfifo(at(names[2], "session.json"))  # reading it would wait
        os.remove(at(names[3], "session.json"))
        os.symlink(at(names[4], "session.json"), at(names[3], "session.json"))
        os.mkdir(at(names[4], "runs"))
        for name in ("x", "0", "-1", "99999999999999999999"):
            os.mkdir(at(names[4], "runs", name))
        os.mkdir(at("photos"))
        ask = self.service()
        self.assertEqual({s["sessionId"] for s in ask.get("/status").json()},
                         {names[0], names[4]})
        self.assertEqual(ask.state(names[0]), "Initialized")
        ask.end()
        self.assertEqual(sorted(os.listdir(self.folder.name)),
                         sorted([*names, "photos"]))

    def test_a_pipe_in_the_way_of_results_is_not_waited_for(self):
        ask = self.service()
        name = ask.session(tank())
        ask.post("/simulate/" + name, {"endTime": 1})
        path = os.path.join(self.folder.name, name, "simulation", "outputs.csv")
        os.remove(path)
        os.mkfifo(path)
        self.assertEqual(ask.get(f"/result/{name}/plain").status, 404)
        self.assertEqual(ask.state(name), "Finished")
        os.remove(path)
        self.assertEqual(ask.end(), (0, "", "", []))


if __name__ == "__main__":
    unittest.main()
