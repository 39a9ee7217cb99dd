# SPDX-License-Identifier: MIT
"""Two hosts, each with a network of its own, and a cable between them."""
import os
import shutil
import subprocess
import sys
import time
import unittest

from rig import BUILD, UNITS, Desk, Worker, read

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")
NEAR, FAR = f"tt{os.getpid()}a", f"tt{os.getpid()}b"
SKIP = 77


def ip(*words):
    return subprocess.run(["ip", *words], capture_output=True, text=True,
                          check=False)


def within(host):
    return ["ip", "netns", "exec", host]


def lay_cable():
    """None, or why it cannot be laid."""
    for words in (
            ["netns", "add", NEAR], ["netns", "add", FAR],
            ["link", "add", NEAR, "netns", NEAR, "type", "veth", "peer",
             "name", FAR, "netns", FAR],
            ["-n", NEAR, "addr", "add", "10.99.0.1/24", "dev", NEAR],
            ["-n", FAR, "addr", "add", "10.99.0.2/24", "dev", FAR],
            ["-n", NEAR, "link", "set", NEAR, "up"],
            ["-n", FAR, "link", "set", FAR, "up"]):
        done = ip(*words)
        if done.returncode:
            return f"ip {' '.join(words)}: {done.stderr.strip()}"
    return None


class Hosts(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.worker = Worker(self.desk, "--dir", UNITS,
                             address="10.99.0.2:0", within=within(FAR))
        self.hosts = self.desk.hosts(MASSES, self.worker.address)

    def tearDown(self):
        ip("-n", FAR, "link", "set", FAR, "up")
        self.worker.close()
        self.desk.close()

    def test_a_run_over_the_cable_is_a_run(self):
        self.desk.run([MASSES], "-q", out="want.csv")
        done = self.desk.run([MASSES, self.hosts], "-q", within=within(NEAR))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(read(self.desk.path("out.csv")),
                         read(self.desk.path("want.csv")))

    def test_a_cut_cable_is_reported_by_the_deadline(self):
        run = subprocess.Popen(
            [*within(NEAR), *self.desk.command(
                [MASSES, self.hosts], "-q", "--deadline", "3", "--until",
                "1e6")],
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        out = self.desk.path("out.csv")
        while not (os.path.exists(out) and os.path.getsize(out) > 5000):
            self.assertIsNone(run.poll(), "it ended before the cable was cut")
            time.sleep(0.01)
        ip("-n", FAR, "link", "set", FAR, "down")
        _, words = run.communicate(timeout=60)
        self.assertEqual(run.returncode, 1, words)
        self.assertRegex(
            words, r"^tutti: instance '\{msd[12]\}\.msd[12]' \(fmi2, remote\): "
            r"\w+ at t=[0-9.e+-]+: ('.*: )?it did not answer within 3 s; "
            r"starting it again failed: .*; results so far: ")


if __name__ == "__main__":
    if not shutil.which("ip"):
        print("skipped: there is no 'ip' program to lay a cable with")
        sys.exit(SKIP)
    WHY = lay_cable()
    try:
        if WHY:
            print(f"skipped: no second network: {WHY}")
            sys.exit(SKIP)  # only an administrator may lay cables
        unittest.main()
    finally:
        for name in (NEAR, FAR):
            ip("netns", "del", name)
