# SPDX-License-Identifier: MIT
"""Processes of instances that die while a run plays."""
import os
import random
import re
import signal
import subprocess
import time
import unittest

from rig import BUILD, UNITS, Desk, children, read

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")
CRASH, EXIT, SLEEP = 6, 7, 8


def workers(pid):
    """Processes of instances: children of the playing child."""
    return [w for player in children(pid) for w in children(player)]


class Deaths(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()

    def tearDown(self):
        self.desk.close()

    def start(self, *command):
        return subprocess.Popen(command, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, text=True)

    def kill_one(self, run, dice):
        """One of the instances' processes, some time after they are there."""
        while not workers(run.pid) and run.poll() is None:
            time.sleep(0.0005)
        time.sleep(dice.random() * 0.04)
        alive = workers(run.pid)
        if not alive:
            return False
        try:
            os.kill(dice.choice(alive), signal.SIGKILL)
        except ProcessLookupError:
            return False
        return True

    def test_runs_go_on_the_same(self):
        dice, hit, runs = random.Random(6), 0, 0
        options = ("--step", "0.0005", "--sample", "0.02", "--until", "2")
        self.desk.run([MASSES], "-q", *options, out="want.csv")
        want = read(self.desk.path("want.csv"))
        self.assertGreater(len(want), 1000)
        while runs < 100 or hit < 20:  # others died after the last step
            runs += 1
            run = self.start(*self.desk.command([MASSES], "--isolate",
                                                *options))
            self.kill_one(run, dice)
            out, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 0, err)
            self.assertEqual(read(self.desk.path("out.csv")), want)
            if "goes on" in out + err:
                hit += 1
                self.assertRegex(
                    out + err,
                    r"instance '\{\w+\}\.\w+': its process was killed \(SIGKILL\) "
                    r"at t=[-0-9.e]+; it was started again( from its state at "
                    r"t=[-0-9.e]+)? and goes on")

    def test_a_unit_without_states_ends_its_run_named(self):
        dice = random.Random(7)
        scenario = self.desk.json("raw.json", {
            "fmus": {"{r}": os.path.join(UNITS, "raw2.fmu")},
            "instances": {"{r}": ["r"]}, "connections": {},
            "algorithm": {"type": "fixed-step", "size": 1e-5},
            "startTime": 0, "endTime": 20, "isolate": True})
        for _ in range(10):
            run = self.start(*self.desk.command([scenario], "-q"))
            while run.poll() is None:  # one that has not begun begins again
                self.kill_one(run, dice)
            _, err = run.communicate(timeout=120)
            self.assertEqual(run.returncode, 1)
            self.assertRegex(
                err, r"^tutti: (initialisation: )?instance '\{r\}\.r' "
                r"\(fmi2, isolated\): \w+( at "
                r"t=[-0-9.e]+)?: ('\w+': )?its process was killed \(SIGKILL\); its "
                r"state cannot be serialised, so it cannot go on elsewhere")

    def test_the_example_goes_on_however_often_it_crashes(self):
        scenario = os.path.join(BUILD, "examples", "crashing-unit",
                                "scenario.json")
        self.desk.run([scenario], "-q", "--set", "{flaky}.flaky.chance=0",
                      out="want.csv")
        crashes = 0
        while crashes < 5:  # more than one in a run, on average
            done = self.desk.run([scenario])
            self.assertEqual(done.returncode, 0, done.stderr)
            crashes += done.stderr.count("its process crashed (SIGSEGV)")
            self.assertEqual(read(self.desk.path("out.csv")),
                             read(self.desk.path("want.csv")))

    def test_a_sandbox_does_not_hinder_a_fresh_start(self):
        scenario = os.path.join(BUILD, "examples", "crashing-unit",
                                "scenario.json")
        self.desk.run([scenario], "-q", "--set", "{flaky}.flaky.chance=0",
                      out="want.csv")
        crashes = 0
        while not crashes:  # four in a run, on average
            done = self.desk.run([scenario], "--sandbox", "--isolate", "--set",
                                 "{flaky}.flaky.chance=0.008")
            if "Landlock" in done.stderr:
                self.skipTest(done.stderr)
            self.assertEqual(done.returncode, 0, done.stderr)
            crashes = done.stderr.count("its process crashed (SIGSEGV)")
            self.assertEqual(read(self.desk.path("out.csv")),
                             read(self.desk.path("want.csv")))

    def check(self, what, words, *options, amount=0.05):
        scenario = self.desk.misbehave(what, amount=amount)
        done = self.desk.run([scenario], "--isolate", "-q", *options)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(
            done.stderr,
            "tutti: instance '{m}.m' (fmi2, isolated): step at t=0.4: " + words +
            f"; results so far: {self.desk.path('out.csv')} "
            "(5 rows to t=0.4)\n")
        self.assertEqual(len(read(self.desk.path("out.csv")).splitlines()), 6)

    def test_crash_exit_and_hang_are_named(self):
        again = ", again and again since it was started again"
        self.check(CRASH, "its process crashed (SIGSEGV)" + again)
        self.check(EXIT, "it ended its process (exit code 0)" + again)
        # longer than a busy machine keeps a process waiting
        self.check(SLEEP, "it did not answer within 3 s; an instance that hangs "
                   "is not started again", "--deadline", "3", amount=60)

    def test_once_per_process_is_isolated_by_itself(self):
        scenario = self.desk.json("once.json", {
            "fmus": {"{r}": os.path.join(UNITS, "raw2-once.fmu")},
            "instances": {"{r}": ["a", "b"]}, "connections": {},
            "algorithm": {"type": "fixed-step", "size": 0.1},
            "startTime": 0, "endTime": 1})
        done = self.desk.run([scenario], "-v")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the 2 instances of '{r}' live in processes of their own, "
                      "because it allows one instance per process",
                      re.sub(r"\s+", " ", done.stdout + done.stderr))

    def test_a_deadline_holds_without_isolation(self):
        done = self.desk.run([self.desk.misbehave(0)], "--deadline", "60")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        done = self.desk.run([self.desk.misbehave(SLEEP, amount=600)],
                             "--deadline", "1")
        self.assertEqual(done.returncode, 1)
        self.assertIn("'{m}.m'", done.stderr)
        self.assertIn("(5 rows to t=0.4)", done.stderr)

    def test_nothing_is_left_running(self):
        run = self.start(*self.desk.command(
            [self.desk.misbehave(SLEEP, amount=60)], "--isolate", "-q"))
        while not workers(run.pid):
            time.sleep(0.001)
        left = workers(run.pid)
        run.send_signal(signal.SIGKILL)
        run.communicate(timeout=60)
        for _ in range(3000):
            if not any(os.path.exists(f"/proc/{pid}") for pid in left):
                break
            time.sleep(0.01)
        self.assertFalse([p for p in left if os.path.exists(f"/proc/{p}")])


if __name__ == "__main__":
    unittest.main(verbosity=2)
