# SPDX-License-Identifier: MIT
"""Instances that trespass: the others and the machine do not notice."""
import concurrent.futures
import os
import socket
import tempfile
import unittest

from rig import BUILD, CRASH, SANITIZED, SLEEP, ServiceTest, misbehave, tank

TRESPASS = os.path.join(BUILD, "tests", "units", "trespass.fmu")
ALLOCATE, WRITE, CONNECT, BEHAVE = 1, 4, 6, 11


def trespass(what, path="", port=0):
    return {"fmus": {"{t}": "file://" + TRESPASS}, "connections": {},
            "logVariables": {"{t}.one": ["y"]},
            "parameters": {"{t}.one.what": what, "{t}.one.when": 0.5,
                           "{t}.one.path": path, "{t}.one.port": port},
            "algorithm": {"type": "fixed-step", "size": 0.1}}


class Sandbox(ServiceTest):
    # a sanitized program holds more than any limit from its start
    OPTIONS = ("--max-runs", "4",
               *(() if SANITIZED else ("--max-memory", "256M")))
    BOXED = True

    def setUp(self):
        super().setUp()
        if "no writes outside, no network" not in self.service.guards:
            self.service.end()
            self.skipTest("this system has no sandbox: " + self.service.guards)

    def run_one(self, scenario):
        name = self.service.session(scenario)
        return name, self.service.post("/simulate/" + name, {"endTime": 1})

    def test_the_start_states_what_is_in_force(self):
        self.assertRegex(self.service.guards,
                         "^sandbox: no writes outside, no network")

    def test_writes_stay_inside(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "mine")
            _, answer = self.run_one(trespass(WRITE, path))
            self.assertEqual(answer.status, 500)
            self.assertIn("instance '{t}.one'", answer.message())
            self.assertEqual(os.listdir(folder), [])
        name, answer = self.run_one(trespass(WRITE, "mine"))
        self.assertEqual(answer.status, 200, answer.text)

    def test_no_unit_calls_out(self):
        with socket.create_server(("127.0.0.1", 0)) as door:
            _, answer = self.run_one(trespass(CONNECT,
                                              port=door.getsockname()[1]))
        self.assertEqual(answer.status, 500)
        self.assertIn("instance '{t}.one'", answer.message())

    def test_what_is_allowed_works(self):
        _, answer = self.run_one(trespass(BEHAVE, TRESPASS))
        self.assertEqual(answer.status, 200, answer.text)

    def test_crash_hang_and_allocation_beside_good_runs(self):
        ask = self.service
        good = [ask.session(tank()) for _ in range(4)]
        hang = ask.session(misbehave(SLEEP, amount=1000))
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            stuck = pool.submit(ask.post, "/simulate/" + hang, {"endTime": 1})
            bad = [pool.submit(self.run_one, s) for s in (
                misbehave(CRASH),
                *(() if SANITIZED else (trespass(ALLOCATE),)))]
            runs = [pool.submit(ask.post, "/simulate/" + n, {"endTime": 10})
                    for n in good]
            self.assertEqual([r.result().status for r in runs], [200] * 4)
            words = [b.result()[1].message() for b in bad]
            self.assertEqual(ask.state(hang), "Simulating")
            ask.get("/destroy/" + hang)
            self.assertEqual(stuck.result().status, 500)
        self.assertIn("instance '{m}.one': crashed in step (SIGSEGV)", words[0])
        for word in words[1:]:
            self.assertIn("instance '{t}.one'", word)
            self.assertIn("256 MB", word)
        rows = {ask.get(f"/result/{n}/plain").text for n in good}
        self.assertEqual(len(rows), 1)


class Switches(ServiceTest):
    def check(self, *options, **parts):
        from rig import Service
        service = Service(*options, boxed=True)
        try:
            name = service.session(trespass(**parts))
            return service.post("/simulate/" + name, {"endTime": 1}).status
        finally:
            self.assertEqual(service.end(), (0, "", "", []))

    def test_each_opens_what_it_states(self):
        with tempfile.TemporaryDirectory() as folder, \
                socket.create_server(("127.0.0.1", 0)) as door:
            path = os.path.join(folder, "mine")
            port = door.getsockname()[1]
            self.assertEqual(self.check("--allow-write", folder, what=WRITE,
                                        path=path), 200)
            self.assertEqual(os.listdir(folder), ["mine"])
            self.assertEqual(self.check("--allow-network", what=CONNECT,
                                        port=port), 200)
            self.assertEqual(self.check("--no-sandbox", what=WRITE,
                                        path=path + "2"), 200)


if __name__ == "__main__":
    unittest.main(verbosity=2)
