# SPDX-License-Identifier: MIT
"""Instances that want out of their run: by links, by what they leave running, by
what they leave lying about."""
import glob
import os
import resource
import tempfile
import threading
import time
import unittest

from api import BASE, ApiTest
from rig import BUILD

TRESPASS = os.path.join(BUILD, "tests", "units", "trespass.fmu")
COMMAND = 12


def letting(command, when=0.5):
    return {"fmus": {"{t}": "file://" + TRESPASS}, "connections": {},
            "logVariables": {"{t}.one": ["y"]},
            "parameters": {"{t}.one.what": COMMAND, "{t}.one.when": when,
                           "{t}.one.path": command},
            "algorithm": {"type": "fixed-step", "size": 0.1},
            "startTime": 0, "endTime": 1}


def is_alive(pid):
    return os.path.exists(f"/proc/{pid}")


class Attack(ApiTest):
    BOXED = True

    def setUp(self):
        super().setUp()
        self.addCleanup(self.outside.cleanup)
        if "no writes outside" not in self.service.guards:
            self.service.end()
            self.skipTest("this system has no sandbox: " + self.service.guards)

    @property
    def outside(self):
        """A folder of somebody else, with something in it."""
        if not hasattr(self, "_outside"):
            self._outside = tempfile.TemporaryDirectory()
            with open(self._outside.name + "/precious", "w",
                      encoding="utf-8") as f:
                f.write("precious")
        return self._outside

    def unharmed(self):
        self.assertEqual(os.listdir(self.outside.name), ["precious"])
        with open(self.outside.name + "/precious", encoding="utf-8") as f:
            self.assertEqual(f.read(), "precious")

    def maestro(self, command, end=1):
        name = self.service.session(letting(command))
        return name, self.service.post("/simulate/" + name, {"endTime": end})

    def again(self, name):
        return self.service.post("/simulate/" + name, {"endTime": 0.3})


class Links(Attack):
    """Each link leads out; the service opens, empties and removes by itself,
    without a sandbox."""
    FILES = ("outputs.csv", "summary.json", "run.log", "run.json",
             "initialize.json", "simulate.json", "trace.csv", "report.html",
             "scenario.json", "session.json", "temp")

    def plant(self):
        to = self.outside.name
        return ";".join(f"rm -rf {f}; ln -s {to}/precious {f}"
                        for f in self.FILES) + f"; ln -s {to} temp/x || :"

    def test_in_place_of_the_services_files(self):
        name, _ = self.maestro(self.plant())
        self.unharmed()
        for path in ("plain", "zip"):
            self.assertNotIn(b"precious", self.service.get(
                f"/result/{name}/{path}").data)
        self.assertEqual(self.again(name).status, 200)
        self.unharmed()
        self.service.get("/destroy/" + name)
        self.unharmed()

    def test_in_place_of_the_files_of_a_run(self):
        at = self.scenario(letting(self.plant()))
        run = self.start(at)
        self.ended(run)
        self.unharmed()
        for what in ("log", "summary", "report", "scenario", "results.csv"):
            answer = self.service.get(f"{BASE}{run}/{what}")
            self.assertNotEqual(answer.data, b"precious", what)
        self.ask("DELETE", run, None, 204)
        self.unharmed()
        self.ask("DELETE", at, None, 204)
        self.unharmed()

    def test_in_place_of_folders_of_the_session(self):
        """A run that could write in the session's folder would lead the next
        run, with its rights to write, wherever it likes."""
        to = self.outside.name
        name, answer = self.maestro(
            f"mv ../runs ../old; ln -s {to} ../runs; ln -s {to} ../link; "
            f"mv ../simulation ../gone; touch ../made; test ! -e ../made")
        self.assertEqual(answer.status, 200, answer.text)
        at = "/sessions/" + name
        self.ask("PUT", at + "/scenario", letting("echo mine >mine"), 204)
        self.assertEqual(self.finished(at), at + "/runs/1")
        self.unharmed()

    def test_a_folder_where_a_file_is_wanted(self):
        name, answer = self.maestro(
            "mkdir -p run.json/a/b summary.json.d; rm -f run.log; "
            "mkdir run.log; chmod 0 run.log 2>/dev/null; mkdir -m 0 locked")
        self.assertEqual(self.service.state(name), "Finished", answer.text)
        self.assertEqual(self.again(name).status, 200)


class Exchanged(Attack):
    """Results that become a link, and themselves again, all the time: what was
    found to be no link is what is read."""

    def swap(self, path, over):
        secret = os.path.join(self.outside.name, "precious")
        with open(secret, "w", encoding="utf-8") as f:
            f.write("time,precious\n" + "0.0,1.0\n" * 3)
        aside = path + ".aside"
        os.link(path, aside)
        link = path + ".link"
        while not over.is_set():
            os.symlink(secret, link)
            os.rename(link, path)
            os.link(aside, link)
            os.rename(link, path)

    def test_while_they_are_read(self):
        run = self.finished(self.session())
        path, = glob.glob(self.service.data + "/**/outputs.csv",
                          recursive=True) or glob.glob(
                              self.service.temp + "/**/outputs.csv",
                              recursive=True)
        over = threading.Event()
        swapping = threading.Thread(target=self.swap, args=(path, over))
        swapping.start()
        try:
            seen = [self.service.get(f"{BASE}{run}/results?points=10")
                    for _ in range(60)]
            live = []
            for _ in range(20):
                socket = self.watch(run)
                live += socket.all()
                socket.close()
        finally:
            over.set()
            swapping.join()
        self.assertIn(200, {a.status for a in seen})
        for answer in seen:
            self.assertNotIn(b"precious", answer.data)
        self.assertNotIn("precious", str(live))


class Folders(Attack):
    """More of them in each other than a process may open at once, and further
    down than a path may be long."""
    DEEP = ("exec python3 -c 'import os\nfor i in range(2500):"
            "\n  os.mkdir(\"d\"); os.chdir(\"d\")\nopen(\"f\", \"w\")'")

    def test_to_any_depth_are_removed(self):
        name, answer = self.maestro(self.DEEP)
        self.assertEqual(answer.status, 200, answer.text)
        self.assertEqual(self.again(name).status, 200)
        self.service.get("/destroy/" + name)
        self.assertEqual(self.sessions(), [])

    def test_in_the_temporary_folder_too(self):
        name, answer = self.maestro('cd "$TMPDIR"; ' + self.DEEP)
        self.assertEqual(answer.status, 200, answer.text)
        self.service.get("/destroy/" + name)
        self.assertEqual(self.sessions(), [])

    def sessions(self):
        return glob.glob(os.path.join(self.service.folder.name, "**",
                                      "session.json"), recursive=True)


class LeftBehind(Attack):
    """Forked twice, in a session of its own: neither parent nor group."""
    PAIR = ("(setsid sh -c 'echo $$ >{0}; trap : TERM INT HUP; "
            "while :; do sleep 100; done' >/dev/null 2>&1 </dev/null &) ; "
            "until test -s {0}; do :; done")

    def left(self, place):
        with open(place, encoding="ascii") as f:
            return int(f.read())

    def place(self, session, *below):
        (found,) = glob.glob(os.path.join(self.service.folder.name, "**",
                                          session), recursive=True)
        return os.path.join(found, *below)

    def test_it_ends_with_its_run(self):
        name, answer = self.maestro(self.PAIR.format("pid"))
        self.assertEqual(answer.status, 200, answer.text)
        self.assertFalse(is_alive(self.left(
            self.place(name, "simulation", "pid"))))

    def test_also_when_the_run_is_killed_by_it(self):
        """Who ends the run's own processes first is not spared."""
        name, answer = self.maestro(
            self.PAIR.format("pid") + "; kill -9 $(cut -d' ' -f4 "
            "/proc/$PPID/stat); sleep 100")
        self.assertEqual(answer.status, 500)
        self.assertFalse(is_alive(self.left(
            self.place(name, "simulation", "pid"))))

    def test_also_when_the_session_is_destroyed(self):
        ask = self.service
        name = ask.session(letting(self.PAIR.format("pid") + "; sleep 1000"))
        ask.post("/simulateasync/" + name, {"endTime": 1})
        place = self.place(name, "simulation", "pid")
        while not (os.path.exists(place) and os.path.getsize(place)):
            time.sleep(0.01)
        pid = self.left(place)
        self.assertTrue(is_alive(pid))
        ask.get("/destroy/" + name)
        self.assertFalse(is_alive(pid))


if __name__ == "__main__":
    # as systems have it by default
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (1024, most))
    unittest.main()
