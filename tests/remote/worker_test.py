# SPDX-License-Identifier: MIT
"""A worker and those who come: friends, others, and noise."""
import hashlib
import os
import random
import struct
import subprocess
import time
import unittest

from rig import (BUILD, BYE, HAVE, HELLO, MAKE, OPEN, PUT, TOKEN, TUTTI, UNITS,
                 VERSION, Caller, Desk, Worker, counted, head, hello, message,
                 read, write)

EINPUT, EUNSUPPORTED = 2, 5
MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")
CRASH, EXIT, SLEEP = 6, 7, 8


def opening(name, by_hash=0):
    return bytes([OPEN, by_hash]) + counted(name.encode()) + bytes([0])


def making(name="{k}.u"):
    return bytes([MAKE]) + counted(name.encode()) + counted(b"u") + bytes(
        [0] * 6) + struct.pack("<IBBddBBI", 0, 0, 0, 0, 0, 0, 3, 0)


class Visitors(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.desk = Desk()
        os.mkdir(cls.desk.path("cache"))
        cls.worker = Worker(cls.desk, "--dir", UNITS, "--cache",
                            cls.desk.path("cache"))
        cls.usual = cls.worker.descriptors()

    @classmethod
    def tearDownClass(cls):
        cls.worker.close()
        cls.desk.close()

    def tearDown(self):
        """Whatever happened: it still works, nobody is left, nothing leaks."""
        caller = Caller(self.worker)  # all who came before have been let in
        caller.send(message(hello()))
        self.assertEqual([r[:2] for r in caller.answer()], [(HELLO, 0)])
        caller.close()
        for _ in range(6000):  # a process is seen off first, then its link
            left = self.worker.children(), self.worker.descriptors()
            if left == ([], self.usual):
                return
            time.sleep(0.01)
        self.assertEqual(left, ([], self.usual))

    def refused(self, data, words, answer=None):
        """What is sent first thing is refused, with these words in the log."""
        before = len(self.worker.said())
        caller = Caller(self.worker)
        caller.send(data)
        if answer:
            self.assertEqual(caller.answer(), answer)
        self.assertTrue(caller.is_hung_up())
        caller.close()
        for _ in range(1000):
            if words in self.worker.said()[before:]:
                return
            time.sleep(0.01)
        self.fail(self.worker.said()[before:])

    # --- who may come in

    def test_a_wrong_token_is_refused(self):
        for token in ("", "wrong", TOKEN + "x", TOKEN[:-1]):
            self.refused(message(hello(token)), "refused: wrong token\n",
                         [(HELLO, EINPUT, counted(b"wrong token"))])
        write(self.desk.path("other"), "quite another token\n")
        scenario = self.desk.json("far.json", {
            "fmus": {"{m}": f"tutti://{self.worker.address}/misbehave.fmu"},
            "instances": {"{m}": ["m"]}, "connections": {},
            "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1})
        done = self.desk.run([scenario], "-q", "--token-file",
                             self.desk.path("other"))
        self.assertEqual(
            done.stderr,
            f"tutti: {scenario}:1:18: FMU '{{m}}': worker at "
            f"{self.worker.address}: wrong token\n")

    def test_another_version_is_refused(self):
        self.refused(
            message(hello(version=1)),
            "refused: version 1 of the protocol, this worker knows "
            f"{VERSION}\n",
            [(HELLO, EUNSUPPORTED, counted(
                b"version 1 of the protocol, this worker knows %d" % VERSION))])

    def test_nothing_goes_before_hello(self):
        self.refused(message(opening("misbehave.fmu")),
                     "refused: a message that makes no sense\n")
        self.refused(message(bytes([BYE])),
                     "refused: a message that makes no sense\n")

    # --- noise

    def test_what_is_no_message_is_refused(self):
        self.refused(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
                     "refused: this is no message of Tutti\n")
        self.refused(head(0, rest=1), "refused: this is no message of Tutti\n")
        self.refused(head(0, kind=9), "refused: this is no message of Tutti\n")
        self.refused(head(0, kind=2),
                     "refused: an answer to no request\n")

    def test_what_is_too_large_is_refused(self):
        self.refused(head(0xffffffff),
                     "refused: a message of 4294967295 bytes, at most 4096 are "
                     "taken\n")
        caller = Caller(self.worker)
        caller.send(message(hello()))
        caller.answer()
        caller.send(head((256 << 20) + 1))
        self.assertTrue(caller.is_hung_up())
        caller.close()
        self.assertIn("refused: a message of 268435457 bytes, at most "
                      "268435456 are taken\n", self.worker.said())

    def test_what_is_cut_short_is_refused(self):
        whole = message(hello())
        for n in (1, 15, 16, 17, len(whole) - 1):
            caller = Caller(self.worker)
            caller.send(whole[:n])
            caller.close()
        for _ in range(1000):
            if self.worker.said().count("the connection ended in the middle "
                                        "of a message") >= 3:
                return
            time.sleep(0.01)
        self.fail(self.worker.said())

    def test_counts_that_cannot_be_true_are_refused(self):
        for body in (hello() + bytes([OPEN, 0]) + struct.pack("<I", 1 << 30),
                     hello() + bytes([OPEN, 7]) + counted(b"x"),
                     hello() + bytes([200]), hello() + hello(),
                     hello() + opening("a\0b")):
            self.refused(message(body),
                         "refused: a message that makes no sense\n")

    def test_noise_of_all_kinds_leaves_it_alive(self):
        """Conversations with bytes changed, left out, repeated."""
        dice = random.Random(8)
        good = [hello(), opening("misbehave.fmu"), making(), bytes([6]),
                bytes([7]) + struct.pack("<ddd", 0, 1, 0), bytes([8]),
                bytes([9]) + struct.pack("<I", 1),
                bytes([12]) + struct.pack("<II", 1, 0),
                bytes([13]) + struct.pack("<IId", 1, 0, 1.5),
                bytes([17]) + struct.pack("<ddB", 0.1, 0.1, 1),
                bytes([19]) + struct.pack("<I", 0),
                bytes([21]) + struct.pack("<I", 0),
                bytes([26]) + struct.pack("<IBIII", 0, 12, 0, 1, 1),
                bytes([27]), bytes([14]) + struct.pack(
                    "<IIdIdIdId", 1, 0, 0, 0, 1, 1, 0.05, 0, 2),
                bytes([34, 1]),
                bytes([16]) + struct.pack("<IIIId", 1, 1, 1, 0, 1)]
        for _ in range(150):
            some = good[:dice.randrange(1, len(good) + 1)]
            body = bytearray(b"".join(some))
            for _ in range(dice.randrange(4)):
                at = dice.randrange(len(body))
                choice = dice.randrange(3)
                if choice == 0:
                    body[at] = dice.randrange(256)
                elif choice == 1:
                    del body[at:at + dice.randrange(1, 9)]
                else:
                    body[at:at] = bytes(dice.randrange(256)
                                        for _ in range(dice.randrange(1, 9)))
                body = body or bytearray(b"\0")
            caller = Caller(self.worker)
            try:
                caller.send(message(bytes(body)))
                if dice.random() < 0.5:
                    caller.answer()
            except (EOFError, ConnectionError):
                pass
            caller.close()
        self.assertIsNone(self.worker.process.poll())

    # --- files

    def test_names_do_not_lead_out_of_the_folder(self):
        for name in ("../units/raw2.fmu", "/etc/passwd", "a/../../x", ".."):
            caller = Caller(self.worker)
            caller.send(message(hello() + opening(name)))
            (_, (command, code, words)) = caller.answer()
            self.assertEqual((command, code), (OPEN, EINPUT))
            self.assertIn(b"leads out of the worker's folder", words)
            caller.close()

    def test_what_is_not_there_is_reported(self):
        caller = Caller(self.worker)
        caller.send(message(hello() + opening("nothing.fmu")))
        self.assertEqual(
            caller.answer()[1],
            (OPEN, EINPUT, counted(b"there is no 'nothing.fmu' on this "
                                   b"worker")))
        caller.close()

    def test_an_upload_that_is_something_else_is_refused(self):
        data = b"not what was announced"
        digest = hashlib.sha256(b"this was").digest()
        caller = Caller(self.worker)
        caller.send(message(hello() + bytes([HAVE]) + digest + bytes([PUT]) +
                            digest + struct.pack("<Q", len(data)) +
                            counted(data)))
        results = caller.answer()
        self.assertEqual(results[1], (HAVE, 0, b"\0"))
        self.assertEqual(results[2], (PUT, EINPUT, counted(
            b"what was uploaded is not what was announced")))
        caller.close()

    def test_an_upload_is_kept_by_content(self):
        cache = self.desk.path("cache")
        hosts = self.desk.hosts(MASSES, self.worker.address)
        names = set()
        for _ in range(2):
            done = self.desk.run([MASSES, hosts], "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            names |= {(n, os.stat(os.path.join(cache, n)).st_mtime_ns)
                      for n in os.listdir(cache)}
        self.assertEqual(len(names), 2)  # the second run uploaded nothing
        for name, _ in names:
            digest = hashlib.sha256(read(os.path.join(cache, name)))
            self.assertEqual(name, digest.hexdigest() + ".fmu")

    # --- runs

    def far(self, what, *options, amount=0.05):
        scenario = self.desk.misbehave(what, amount=amount)
        far = self.desk.json("at.json", {"fmus": {
            "{m}": f"tutti://{self.worker.address}/misbehave.fmu"}})
        return self.desk.run([scenario, far], "-q", "--token-file",
                             self.desk.token, *options)

    def test_an_fmu_that_is_there_is_used(self):
        done = self.far(0)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(len(read(self.desk.path("out.csv")).splitlines()), 12)

    def test_a_crash_and_a_hang_there_are_named_here(self):
        head_ = "tutti: instance '{m}.m' (fmi2, remote): step at t=0.4: "
        done = self.far(CRASH)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith(
            head_ + f"the link to {self.worker.address} is lost (its process "
            "there died of SIGSEGV), again and again"), done.stderr)
        self.assertIn("died of SIGSEGV\n", self.worker.said())
        done = self.far(EXIT)
        self.assertTrue(done.stderr.startswith(
            head_ + f"the link to {self.worker.address} is lost ("),
            done.stderr)
        # longer than a busy machine keeps a process waiting
        done = self.far(SLEEP, "--deadline", "3", amount=8)
        self.assertTrue(done.stderr.startswith(
            head_ + "it did not answer within 3 s"), done.stderr)

    def test_several_masters_do_not_disturb_each_other(self):
        hosts = self.desk.hosts(MASSES, self.worker.address)
        self.desk.run([MASSES], "-q", out="want.csv")
        runs = [subprocess.Popen(self.desk.command([MASSES, hosts], "-q",
                                                   out=f"{i}.csv"))
                for i in range(4)]
        for i, run in enumerate(runs):
            self.assertEqual(run.wait(timeout=120), 0)
            self.assertEqual(read(self.desk.path(f"{i}.csv")),
                             read(self.desk.path("want.csv")))


class Starting(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()

    def tearDown(self):
        self.desk.close()

    def fails(self, words, *options):
        done = subprocess.run([TUTTI, "worker", *options], text=True,
                              capture_output=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr, f"tutti: {words}\n")

    def test_what_it_wants_is_reported(self):
        token = self.desk.token
        self.fails("'tutti worker' needs a --token-file: a client that "
                   "reaches it runs programs here")
        self.fails("'nowhere' is no address: enter HOST:PORT",
                   "--listen", "nowhere", "--token-file", token)
        short = write(self.desk.path("short"), "abc\n")
        self.fails(f"{short}: a token has 16 to 1023 characters, this has 3",
                   "--token-file", short)
        self.fails("--most needs a whole number from 1 to 1024",
                   "--token-file", token, "--most", "0")
        self.fails("--dir: there is no folder '/nowhere'",
                   "--token-file", token, "--dir", "/nowhere")
        self.fails("'tutti worker' takes no files: 'a.fmu'", "a.fmu",
                   "--token-file", token)

    def test_units_in_a_sandbox_give_the_same(self):
        worker = Worker(self.desk, "--sandbox")
        hosts = self.desk.hosts(MASSES, worker.address)
        self.desk.run([MASSES], "-q", out="want.csv")
        done = self.desk.run([MASSES, hosts], "-q")
        said = worker.said()
        worker.close()
        if "Landlock" in said:
            self.skipTest(said)
        self.assertEqual(done.returncode, 0, done.stderr + said)
        self.assertEqual(read(self.desk.path("out.csv")),
                         read(self.desk.path("want.csv")))

    def test_only_so_many_are_let_in(self):
        worker = Worker(self.desk, "--most", "1")
        first = Caller(worker)
        first.send(message(hello()))
        first.answer()
        second = Caller(worker)
        self.assertTrue(second.is_hung_up())
        self.assertIn("refused: 1 are here already\n", worker.said())
        first.close()
        second.close()
        worker.close()


if __name__ == "__main__":
    unittest.main(verbosity=2)
