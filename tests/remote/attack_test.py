# SPDX-License-Identifier: MIT
"""An instance that attacks its neighbours: writes over all memory it shares, signals
them, reaches into them. The others do not notice."""
import csv
import io
import json
import os
import signal
import subprocess
import time
import unittest

from rig import BUILD, UNITS, Desk, descendants, read

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")
NOTHING, ONCE, FOREVER, HANG, SIGNAL, REACH = range(6)
RUNS = 100


def rows(data):
    """Rows by column, as far as they are whole."""
    lines = data.decode().split("\n")[:-1]
    return list(csv.DictReader(io.StringIO("\n".join(lines))))


def without(row, attacker="{s}."):
    return {k: v for k, v in row.items() if not k.startswith(attacker)}


def is_attacking(pid):
    """With a thread of its own."""
    try:
        return len(os.listdir(f"/proc/{pid}/task")) > 1
    except FileNotFoundError:
        return False


class Attack(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        with open(MASSES, encoding="utf-8") as f:
            self.scenario = json.load(f)
        folder = os.path.dirname(MASSES)
        self.scenario["fmus"] = {k: os.path.join(folder, v) for k, v
                                 in self.scenario["fmus"].items()}
        self.scenario["fmus"]["{s}"] = os.path.join(UNITS, "scribble.fmu")
        self.scenario["logVariables"]["{s}.s"] = ["y", "found"]
        self.scenario["algorithm"] = {"type": "fixed-step", "size": 0.05}
        self.scenario["endTime"] = 2

    def tearDown(self):
        self.desk.close()

    def attack(self, what, seed=0, isolate=True):
        self.scenario["parameters"] = {"{s}.s.what": what,
                                       "{s}.s.seed": seed,
                                       "{s}.s.when": 0.05 + seed % 7 * 0.2}
        self.scenario["isolate"] = isolate
        return self.desk.json("attack.json", self.scenario)

    def reference(self):
        done = self.desk.run([self.attack(NOTHING)], "-q", out="want.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        want = rows(read(self.desk.path("want.csv")))
        self.assertEqual(len(want), 41)
        self.assertGreater(len(without(want[0])), 3)
        return want

    def unharmed(self, done, want, found=None):
        """Only the attacker may have failed, with whatever code it claims;
        what was written of the others is what they do without it."""
        got = rows(read(self.desk.path("out.csv")))
        self.assertIn(done.returncode, (0, 1, 2), done.stderr)
        if done.returncode:
            self.assertRegex(done.stderr,
                             r"^tutti: instance '\{s\}\.s' \(fmi2, isolated\): ")
        else:
            self.assertEqual(len(got), len(want))
        self.assertGreater(len(got), 0)
        for a, b in zip(got, want):
            self.assertEqual(without(a), without(b))
        if found is not None and not done.returncode:
            self.assertEqual(got[-1]["{s}.s.found"], str(found))

    def test_memory_of_others_is_out_of_reach(self):
        want, ended = self.reference(), 0
        for seed in range(RUNS):
            done = self.desk.run([self.attack(ONCE, seed)], "-q",
                                 "--deadline", "30")
            self.unharmed(done, want, 1)  # its own channel, no more
            ended += done.returncode == 0
        self.assertGreater(ended, 0)

    def test_nor_while_they_play(self):
        want = self.reference()
        for seed in range(10):
            done = self.desk.run([self.attack(FOREVER, seed)], "-q",
                                 "--deadline", "30")
            self.unharmed(done, want)

    def test_also_if_the_attacker_alone_is_isolated(self):
        want = self.reference()
        for seed in range(5):
            done = self.desk.run([self.attack(ONCE, seed, ["{s}.s"])], "-q",
                                 "--deadline", "30")
            self.unharmed(done, want, 1)

    def test_in_a_sandbox_as_well(self):
        want = self.reference()
        for what in (ONCE, SIGNAL, REACH):
            done = self.desk.run([self.attack(what, 4)], "-q", "--sandbox",
                                 "--deadline", "30")
            if "Landlock" in done.stderr:
                self.skipTest(done.stderr)
            self.unharmed(done, want, int(what == ONCE))

    def test_neither_signals_nor_hands_reach_others(self):
        want = self.reference()
        for what in (SIGNAL, REACH):
            done = self.desk.run([self.attack(what)], "-q")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.unharmed(done, want, 0)

    def under_attack(self, what):
        """A run and its processes while one attacks; None: it was over first,
        since garbage in the attacker's own channel ends the run."""
        run = subprocess.Popen(
            self.desk.command([self.attack(what)], "-q", "--real-time", "1"),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while run.poll() is None:
            left = descendants(run.pid)  # a player and three units
            if len(left) == 4 and any(is_attacking(p) for p in left[1:]):
                return run, left
            time.sleep(0.001)
        self.assertIn(run.returncode, (0, 1))
        return None

    def end_with_master(self, what):
        """Its master is killed: nothing is left of it."""
        met = None
        for _ in range(100):
            met = met or self.under_attack(what)
        self.assertIsNotNone(met)
        run, left = met
        run.send_signal(signal.SIGKILL)
        run.wait(60)
        for _ in range(6000):
            left = [p for p in left if os.path.exists(f"/proc/{p}")]
            if not left:
                return
            time.sleep(0.01)
        self.fail(left)

    def test_an_orphan_ends_whatever_its_channel_states(self):
        for what in (FOREVER, HANG):
            self.end_with_master(what)


if __name__ == "__main__":
    unittest.main(verbosity=2)
