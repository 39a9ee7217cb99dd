# SPDX-License-Identifier: MIT
"""Isolated instances step at the same time: two whose steps end only when the
other's has begun, by the two ends of a pipe."""
import os
import unittest

from rig import UNITS, Desk, read

DEADLINE = 20  # s; one that waits alone waits for ever


class Together(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.pipe = self.desk.path("pipe")
        os.mkfifo(self.pipe)

    def tearDown(self):
        self.desk.close()

    def scenario(self, **more):
        units = {f"{{m}}.{name}.{k}": v
                 for who, name in enumerate("ab")
                 for k, v in (("who", who), ("path", self.pipe))}
        return self.desk.json("meet.json", {
            "fmus": {"{m}": os.path.join(UNITS, "meet.fmu")},
            "connections": {"{m}.a.y": ["{m}.b.u"], "{m}.b.y": ["{m}.a.u"]},
            "logVariables": {"{m}.a": ["y"], "{m}.b": ["y"]},
            "isolate": True, "deadline": DEADLINE, "parameters": units,
            "algorithm": {"type": "fixed-step", "size": 0.1},
            "endTime": 1, **more})

    def meet(self, *options, **more):
        done = self.desk.run([self.scenario(**more)], "-q", *options)
        self.assertEqual(done.returncode, 0, done.stderr)
        last = read(self.desk.path("out.csv")).decode().split()[-1]
        self.assertEqual(last.split(",")[-2:], ["10.0", "10.0"])

    def test_in_every_step(self):
        self.meet()

    def test_whatever_the_number_of_threads(self):
        self.meet("--threads", "2")

    def test_with_variable_steps(self):
        self.meet(algorithm={"type": "var-step", "size": [0.05, 0.1],
                             "initsize": 0.1, "constraints": {}})

    def test_when_inputs_follow_courses(self):
        self.meet("--approximation", "linear")

    def test_in_every_turn_of_an_iteration(self):
        self.meet("--iterate", "3")

    def test_in_real_time(self):
        self.meet("--real-time", "100")

    def test_not_when_one_waits_for_the_other(self):
        done = self.desk.run([self.scenario(deadline=1)], "-q", "--master",
                             "gauss-seidel")
        self.assertEqual(done.returncode, 1)
        self.assertIn("it did not answer within 1 s", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
