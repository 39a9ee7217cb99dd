# SPDX-License-Identifier: MIT
"""A link that is cut in the middle of a run: closed, or silent."""
import os
import socket
import threading
import time
import unittest

from rig import BUILD, UNITS, Desk, Worker, read

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")


STEP = ("--step", "0.02")  # so that there is something to cut


class Cable:
    """Between a master and a worker; passes on `most` bytes of answers per
    connection of those it is to fail, then hangs up or falls silent."""

    def __init__(self, worker, most, silent=False, broken=(), new=True):
        self.worker, self.most = worker, most
        self.silent, self.broken, self.new = silent, set(broken), new
        self.count = 0
        self.open = []
        self.cut = False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            self.count += 1
            if self.cut and not self.new:
                if not self.silent:
                    near.close()
                else:
                    self.open.append(near)
                continue
            far = socket.create_connection((self.worker.host,
                                            self.worker.port))
            self.open += [near, far]
            most = self.most if self.count in self.broken else None
            for pair in ((near, far, None), (far, near, most)):
                threading.Thread(target=self.pump, args=pair,
                                 daemon=True).start()

    def pump(self, source, sink, most):
        try:
            while True:
                data = source.recv(65536)
                if not data:
                    break
                if most is not None:
                    data = data[:most]
                    most -= len(data)
                sink.sendall(data)
                if most == 0:
                    self.cut = True
                    if self.silent:
                        while source.recv(65536):
                            pass
                    break
        except OSError:
            pass
        if not (self.silent and most == 0):
            for end in (source, sink):
                try:
                    end.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def close(self):
        self.listener.close()
        for end in self.open:
            end.close()


class Links(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.worker = Worker(self.desk, "--dir", UNITS)

    def tearDown(self):
        self.worker.close()
        self.desk.close()

    def run_through(self, cable, *options):
        hosts = self.desk.hosts(MASSES, cable.address)
        done = self.desk.run([MASSES, hosts], *STEP, *options)
        cable.close()
        return done

    # Connections 1 and 2 bring descriptions, 3 and 4 are the units.

    def test_a_link_that_breaks_is_mended(self):
        self.desk.run([MASSES], "-q", *STEP, out="want.csv")
        for most in (3500, 5000, 9001, 20000):
            for silent in (False, True):
                cable = Cable(self.worker, most, silent, broken=(3, 4))
                done = self.run_through(cable, "--deadline", "3")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(cable.cut)
                self.assertIn("it was started again", done.stderr)
                self.assertEqual(read(self.desk.path("out.csv")),
                                 read(self.desk.path("want.csv")))

    def test_a_host_that_is_gone_is_named(self):
        cable = Cable(self.worker, 9000, broken=(3,), new=False)
        done = self.run_through(cable, "-q")
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stderr,
            r"^tutti: instance '\{msd1\}\.msd1' \(fmi2, remote\): \w+ at "
            r"t=[0-9.e-]+: the link to 127\.0\.0\.1:\d+ is lost \(.*\); "
            r"starting it again failed: .*; results so far: ")

    def test_silence_is_answered_by_the_deadline(self):
        cable = Cable(self.worker, 9000, silent=True, broken=(3,), new=False)
        began = time.monotonic()
        done = self.run_through(cable, "-q", "--deadline", "3")
        took = time.monotonic() - began
        self.assertEqual(done.returncode, 1)
        self.assertRegex(
            done.stderr,
            r"^tutti: instance '\{msd1\}\.msd1' \(fmi2, remote\): \w+ at "
            r"t=[0-9.e-]+: it did not answer within 3 s; starting it again "
            r"failed: the worker at 127\.0\.0\.1:\d+ does not answer; results "
            r"so far: ")
        # once for the call, once for a new link; the rest is a slow machine
        self.assertGreater(took, 5.9)
        self.assertLess(took, 60)

    def test_a_missing_worker_is_named(self):
        with socket.create_server(("127.0.0.1", 0)) as s:
            address = f"127.0.0.1:{s.getsockname()[1]}"
        hosts = self.desk.hosts(MASSES, address)
        done = self.desk.run([MASSES, hosts], "-q")
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"cannot connect to {address}: Connection refused",
                      done.stderr)


if __name__ == "__main__":
    unittest.main()
