# SPDX-License-Identifier: MIT
"""Connections of one worker: what each has is its own."""
import glob
import hashlib
import os
import re
import unittest

from rig import (HELLO, MAKE, OPEN, UNITS, Caller, Desk, Worker, counted, hello,
                 message, read, write)

WRITE, BEHAVE = 4, 11
EIO = 3


class Neighbours(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        for name in ("cache", "tmp"):
            os.mkdir(self.desk.path(name))
        self.cache = self.desk.path("cache")

    def tearDown(self):
        self.desk.close()

    def worker(self, *options):
        worker = Worker(self.desk, "--dir", UNITS, "--cache", self.cache,
                        *options, within=("env", "TMPDIR=" +
                                          self.desk.path("tmp")))
        self.addCleanup(worker.close)
        return worker

    def trespass(self, worker, what, path):
        """A run with an instance that was uploaded and does that."""
        scenario = self.desk.json("trespass.json", {
            "fmus": {"{m}": os.path.join(UNITS, "trespass.fmu")},
            "hosts": {"{m}": worker.address}, "tokenFile": "token",
            "instances": {"{m}": ["m"]}, "connections": {},
            "logVariables": {"{m}.m": ["y"]},
            "parameters": {"{m}.m.what": what, "{m}.m.path": path},
            "algorithm": {"type": "fixed-step", "size": 0.5}, "endTime": 1})
        return self.desk.run([scenario], "-q")

    def sandboxed(self):
        worker = self.worker("--sandbox")
        done = self.trespass(worker, BEHAVE, "/etc/passwd")
        if "Landlock" in worker.said():
            self.skipTest(worker.said())
        self.assertEqual(done.returncode, 0, done.stderr)
        return worker

    def refused(self, done, words):
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, re.escape(words + ": Permission denied"))

    def test_the_cache_is_out_of_reach_of_units(self):
        worker = self.sandboxed()
        (name,) = os.listdir(self.cache)
        before = read(os.path.join(self.cache, name))
        for path in (os.path.join(self.cache, name),
                     os.path.join(self.cache, "new")):
            self.refused(self.trespass(worker, WRITE, path),
                         f"cannot write {path}")
        self.refused(self.trespass(worker, BEHAVE,
                                   os.path.join(self.cache, name)),
                     f"cannot read {os.path.join(self.cache, name)}")
        self.assertEqual(os.listdir(self.cache), [name])
        self.assertEqual(read(os.path.join(self.cache, name)), before)

    def test_the_folder_of_another_connection_is_out_of_sight(self):
        worker = self.sandboxed()
        other = Caller(worker)
        other.send(message(
            hello() + bytes([OPEN, 0]) + counted(b"misbehave.fmu") +
            bytes([0]) +
            bytes([MAKE]) + counted(b"{k}.u") + counted(b"u") +
            bytes([0] * 6 + [0] * 5 + [0] * 18 + [3, 0, 0, 0, 0])))
        self.assertEqual([r[:2] for r in other.answer()],
                         [(HELLO, 0), (OPEN, 0), (MAKE, 0)])
        there = [p for p in glob.glob(self.desk.path("tmp/**"), recursive=True)
                 if os.path.isfile(p) and p.endswith("misbehave.so")]
        self.assertEqual(len(there), 1)
        self.refused(self.trespass(worker, BEHAVE, there[0]),
                     f"cannot read {there[0]}")
        self.refused(self.trespass(worker, WRITE, there[0]),
                     f"cannot write {there[0]}")
        other.close()

    def test_folders_go_with_their_connections(self):
        worker = self.worker()
        for _ in range(3):
            done = self.trespass(worker, BEHAVE, "/etc/passwd")
            self.assertEqual(done.returncode, 0, done.stderr)
        caller = Caller(worker)  # all who came before have been seen off
        caller.send(message(hello()))
        caller.answer()
        self.assertLessEqual(
            len(glob.glob(self.desk.path("tmp/*/tutti-*"))),
            1 + len(worker.children()))
        caller.close()

    def test_what_was_changed_in_the_cache_is_not_used(self):
        worker = self.worker()
        done = self.trespass(worker, BEHAVE, "/etc/passwd")
        self.assertEqual(done.returncode, 0, done.stderr)
        (name,) = os.listdir(self.cache)
        path = os.path.join(self.cache, name)
        write(path, "not an FMU, and not what was uploaded")
        caller = Caller(worker)
        caller.send(message(hello() + bytes([OPEN, 1]) +
                            counted(name.encode()) + bytes([0])))
        self.assertEqual(caller.answer()[1], (OPEN, EIO, counted(
            f"'{name}' in the worker's cache is not what was "
            "uploaded".encode())))
        caller.close()
        done = self.trespass(worker, BEHAVE, "/etc/passwd")
        self.assertEqual(done.returncode, 0, done.stderr)  # uploaded again
        self.assertEqual(name,
                         hashlib.sha256(read(path)).hexdigest() + ".fmu")

    def test_a_client_without_a_token_takes_no_place(self):
        worker = self.worker("--most", "2")
        silent = [Caller(worker) for _ in range(50)]
        done = self.trespass(worker, BEHAVE, "/etc/passwd")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertLessEqual(len(worker.children()), 18)
        self.assertIn("refused: it sent no token, and others wait\n",
                      worker.said())
        for caller in silent:
            caller.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
