# SPDX-License-Identifier: MIT
"""Work is never lost: where sessions are kept, and what is said when they
cannot be."""
import json
import os
import signal
import socket
import stat
import subprocess
import tempfile
import time
import unittest

from rig import SANITIZED, TANK, TUTTI, Service

API = "/api/v1/sessions"


def named(service):
    return {s["name"] for s in service.get(API).json()}


def fill(service, name):
    """A session of the water tank; its id."""
    answer = service.post(API, {"name": name, "example": "water-tank"})
    assert answer.status == 201, answer.text
    return answer.json()["id"]


def age(folder, seconds):
    """All that is in there was last touched so long ago."""
    for at, folders, files in os.walk(folder):
        for path in (os.path.join(at, name) for name in files + folders):
            then = os.stat(path, follow_symlinks=False).st_mtime - seconds
            os.utime(path, (then, then), follow_symlinks=False)


class Home(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.sessions = os.path.join(self.folder.name, "tutti", "sessions")

    def service(self, *options, **more):
        return Service(*options, data=self.folder.name, **more)

    def run_to_end(self, service, session):
        run = service.post(f"{API}/{session}/runs", {}).json()["id"]
        while True:
            told = service.get(f"{API}/{session}/runs/{run}").json()
            if told["state"] not in ("queued", "running"):
                return told
            time.sleep(0.01)

    def test_sessions_stay_without_any_option(self):
        first = self.service()
        self.assertEqual(first.place, f"sessions: {self.sessions}\n")
        self.assertEqual(stat.S_IMODE(os.stat(self.sessions).st_mode), 0o700)
        storage = first.get("/api/v1").json()["storage"]
        self.assertEqual((storage["folder"], storage["kept"]),
                         (self.sessions, True))
        self.assertGreater(storage["free"], 0)
        session = fill(first, "mine")
        self.assertEqual(self.run_to_end(first, session)["state"], "finished")
        rows = first.get(f"{API}/{session}/runs/1/results.csv").text
        first.kill()
        second = self.service()
        self.assertEqual(named(second), {"mine"})
        self.assertEqual(
            second.get(f"{API}/{session}/runs/1/results.csv").text, rows)
        self.assertEqual(second.end(), (0, "", "", []))

    def test_signals_end_it_and_keep_the_sessions(self):
        for sig, code in ((signal.SIGINT, 130), (signal.SIGHUP, 0),
                          (signal.SIGTERM, 0)):
            service = self.service()
            fill(service, sig.name)
            self.assertEqual(service.end(sig), (code, "", "", []))
        service = self.service()
        self.assertEqual(named(service), {"SIGINT", "SIGHUP", "SIGTERM"})
        service.end()

    def test_two_services_keep_their_sessions_apart_and_then_together(self):
        first = self.service()
        second = self.service()
        self.assertEqual(
            second.place, f"sessions: {self.sessions}-2; those in "
            f"{self.sessions} belong to the service at "
            f"http://127.0.0.1:{first.port}/ (process {first.process.pid})\n")
        fill(first, "one")
        two = fill(second, "two")
        self.run_to_end(second, two)
        self.assertEqual((named(first), named(second)), ({"one"}, {"two"}))
        first.end()
        second.end()
        both = self.service()
        self.assertEqual(both.place, f"sessions: {self.sessions}; 1 of them "
                         "kept by a service beside an earlier one\n")
        self.assertEqual(named(both), {"one", "two"})
        self.assertEqual(both.get(f"{API}/{two}/runs/1").json()["state"],
                         "finished")
        both.end()

    def test_the_port_is_taken_by_the_one_that_has_the_sessions(self):
        first = self.service()
        done = subprocess.run(
            [TUTTI, "serve", "--port", str(first.port)], text=True, timeout=60,
            capture_output=True,
            env={**os.environ, "XDG_DATA_HOME": self.folder.name})
        self.assertEqual((done.returncode, done.stderr), (
            2, f"tutti: cannot listen on 127.0.0.1 port {first.port}: is the "
            "address of this machine, and the port free? Sessions: those in "
            f"{self.sessions} belong to the service at "
            f"http://127.0.0.1:{first.port}/ (process {first.process.pid})\n"))
        first.end()

    def test_without_a_place_it_is_reported_that_nothing_is_kept(self):
        service = self.service(env={"XDG_DATA_HOME": "/proc/nowhere"})
        self.assertRegex(
            service.place, f"sessions: {service.temp}/tutti-run-\\w+; they go "
            "with the service: cannot make folder /proc/nowhere: No such file "
            "or directory; --dir FOLDER keeps them\n")
        self.assertIs(service.get("/api/v1").json()["storage"]["kept"], False)
        fill(service, "gone")
        self.assertEqual(service.end(), (0, "", "", []))

    def test_other_machines_do_not_see_the_folder(self):
        service = self.service("--bind", "0.0.0.0", "--token", "t")
        about = service.get("/api/v1", headers={"Authorization": "Bearer t"})
        self.assertIsNone(about.json()["storage"]["folder"])
        service.end()

    def expired(self, service, **more):
        """Named and nameless sessions, until all that can go has gone."""
        service.post(API, {"name": "named"}, **more)
        service.post(API, {}, **more)
        while None in {s["name"] for s in service.get(API, **more).json()}:
            time.sleep(0.05)
        return [s["name"] for s in service.get(API, **more).json()]

    def test_what_has_a_name_does_not_expire_on_loopback(self):
        service = self.service("--expire", "0.5")
        self.assertEqual(self.expired(service), ["named"])
        service.end()

    def test_where_others_are_let_in_all_expire(self):
        service = self.service("--expire", "0.5", "--bind", "0.0.0.0",
                               "--token", "t")
        more = {"headers": {"Authorization": "Bearer t"}}
        self.expired(service, **more)
        while service.get(API, **more).json():
            time.sleep(0.05)
        service.end()

    def test_what_has_a_name_survives_a_weekend(self):
        """Three days without a service, and the usual --expire of one."""
        first = self.service()
        kept = fill(first, "friday")
        lost = first.post(API, {}).json()["id"]
        self.assertEqual(self.run_to_end(first, kept)["state"], "finished")
        rows = first.get(f"{API}/{kept}/runs/1/results.csv").text
        scenario = first.get(f"{API}/{kept}/scenario").text
        first.end()
        age(self.sessions, 3 * 86400)
        second = self.service()
        self.assertEqual(named(second), {"friday"})
        self.assertEqual(second.get(f"{API}/{lost}").status, 404)
        self.assertFalse(os.path.exists(os.path.join(self.sessions, lost)))
        self.assertEqual(second.get(f"{API}/{kept}/scenario").text, scenario)
        self.assertEqual(
            second.get(f"{API}/{kept}/runs/1/results.csv").text, rows)
        self.assertEqual(self.run_to_end(second, kept)["state"], "finished")
        second.end()

    def test_nameless_sessions_of_short_services_do_not_pile_up(self):
        service = self.service()
        ids = [service.post(API, body).json()["id"]
               for body in ({}, {}, {"name": "named"})]
        service.end()
        for name in ids[1:]:
            os.utime(os.path.join(self.sessions, name), (1e9, 1e9))
        service = self.service()
        self.assertEqual({s["id"] for s in service.get(API).json()},
                         {ids[0], ids[2]})
        service.end()


SIZE = 4 << 20
SMALL = ["unshare", "-rm", "sh", "-c",
         f"mount -t tmpfs -o size={SIZE} none $XDG_DATA_HOME && exec \"$0\" "
         "\"$@\""]
FULL = ("the folder of the sessions is full (%s: No space left on device); "
        "what was saved before is still there: remove runs or sessions, or "
        "make room on the disk")


def can_mount():
    with tempfile.TemporaryDirectory() as folder:
        return subprocess.run(
            [*SMALL, "true"], env={**os.environ, "XDG_DATA_HOME": folder},
            stderr=subprocess.DEVNULL, check=False).returncode == 0


@unittest.skipUnless(can_mount(), "skipped: no small disk can be mounted here")
@unittest.skipIf(SANITIZED, "skipped: its search for leaks needs more rights")
class Full(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.service = Service("--no-sandbox", data=self.folder.name,
                               lead=SMALL)
        self.id = fill(self.service, "mine")
        self.at = f"{API}/{self.id}"

    def tearDown(self):
        self.service.end()

    def put(self, name, size):
        return self.service.ask("PUT", f"{self.at}/files/{name}", b"x" * size)

    def fill_up(self):
        """Until not even a byte more is taken."""
        refused = []
        for size in (1 << 18, 1 << 14, 1 << 12):
            n = 0
            while (answer := self.put(f"f{size}-{n}.csv", size)).status == 201:
                n += 1
            refused.append((answer.status, answer.json()["error"]["message"]))
        self.assertEqual(set(refused),
                         {(507, FULL % "cannot write what comes in")})

    def test_a_full_folder_reports_it_and_loses_nothing(self):
        ask = self.service
        scenario = ask.get(self.at + "/scenario").text
        self.fill_up()
        before = ask.get(self.at).json()
        self.assertEqual(ask.get("/api/v1").json()["storage"]["free"], 0)
        big = {**json.loads(scenario), "more": "y" * 9000}
        for method, path, body in (
                ("PUT", self.at + "/scenario", big),
                ("POST", API, {"name": "other"}),
                ("POST", self.at + "/check", big),
                ("POST", self.at + "/runs", {})):
            answer = ask.ask(method, path, body)
            self.assertEqual(answer.status, 507, (path, answer.text))
            self.assertIn("the folder of the sessions is full (",
                          answer.json()["error"]["message"])
        self.assertEqual(ask.get(self.at + "/scenario").text, scenario)
        self.assertEqual(ask.get(API).json(), [before])
        # with room again all goes on
        ask.ask("DELETE", self.at + "/files/f262144-0.csv")
        self.assertEqual(ask.ask("PUT", self.at + "/scenario", big).status, 204)
        self.assertEqual(ask.post(self.at + "/runs", {}).status, 201)

    def test_a_run_that_fills_it_keeps_its_rows(self):
        ask = self.service
        run = ask.post(self.at + "/runs", {"set": {"algorithm": {
            "type": "fixed-step", "size": 1e-4}, "endTime": 100}}).json()
        while run["state"] in ("queued", "running"):
            run = ask.get(f"{self.at}/runs/{run['id']}").json()
        self.assertEqual(run["state"], "failed")
        self.assertIn("No space left on device", run["message"])
        rows = ask.get(f"{self.at}/runs/1/results.csv").text
        self.assertGreater(rows.count("\n"), 1000)
        self.assertEqual(named(ask), {"mine"})


if __name__ == "__main__":
    unittest.main()
