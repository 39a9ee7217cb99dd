# SPDX-License-Identifier: MIT
"""Every example gives the same rows and events to the last bit wherever its instances are."""
import os
import subprocess
import unittest

from rig import SCENARIOS, BUILD, TUTTI, UNITS, Desk, Worker, read

MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper",
                      "scenario.json")
MASSES3 = MASSES.replace("scenario.json", "scenario-fmi3.json")
BALL = os.path.join(BUILD, "examples", "bouncing-ball",
                    "scenario-variable.json")
WAYS = [
    (MASSES, ["--master", "gauss-seidel"]),
    (MASSES, ["--iterate", "3"]),
    (MASSES, ["--iterate", "converged", "--acceleration", "anderson"]),
    (MASSES, ["--iterate", "converged", "--acceleration", "newton"]),
    (MASSES, ["--error-control", "richardson"]),
    (MASSES, ["--error-control", "milne", "--approximation", "linear"]),
    (MASSES, ["--approximation", "hermite", "--threads", "2"]),
    (MASSES, ["--rollback"]),
    (BALL, ["--rollback"]),
    (BALL, ["--interface", "me", "--step", "0.5", "--record-intermediate"]),
    (MASSES3, ["--set", "{msd1}.msd1.microsteps=4", "--record-intermediate"]),
    (MASSES3, ["--set", "{msd1}.msd1.microsteps=4", "--set",
               "{msd2}.msd2.microsteps=6", "--approximation", "waveform",
               "--iterate", "converged", "--record-intermediate"]),
]


class Examples(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.desk = Desk()
        cls.worker = Worker(cls.desk)

    @classmethod
    def tearDownClass(cls):
        cls.worker.close()
        cls.desk.close()

    def same(self, scenario, options, files, elsewhere):
        here = self.desk.run([scenario], "-q", *options, "--events",
                             self.desk.path("here-events.csv"), out="here.csv")
        self.assertEqual(here.returncode, 0, here.stderr)
        there = self.desk.run([scenario, *files], "-q", *options, *elsewhere,
                              "--events", self.desk.path("there-events.csv"),
                              out="there.csv")
        self.assertEqual(there.returncode, 0, there.stderr)
        self.assertGreater(len(read(self.desk.path("here.csv"))), 100)
        self.assertEqual(read(self.desk.path("here.csv")),
                         read(self.desk.path("there.csv")))
        self.assertEqual(read(self.desk.path("here-events.csv")),
                         read(self.desk.path("there-events.csv")))

    def each(self):
        self.assertGreater(len(SCENARIOS), 20)
        for scenario in SCENARIOS:
            yield scenario, []
        yield from WAYS

    def test_isolated(self):
        for scenario, options in self.each():
            with self.subTest(scenario=scenario, options=options):
                self.same(scenario, options, [], ["--isolate"])

    def test_remote(self):
        for scenario, options in self.each():
            with self.subTest(scenario=scenario, options=options):
                hosts = self.desk.hosts(scenario, self.worker.address)
                self.same(scenario, options, [hosts], [])

    def test_events_of_every_form_of_unit(self):
        """Discrete events, some where two are due at once."""
        lists = set()
        for form in ("", "-fmi2", "-fmi3"):
            scenario = os.path.join(BUILD, "examples", "traffic-light",
                                    f"scenario{form}.json")
            hosts = self.desk.hosts(scenario, self.worker.address)
            for files in ([scenario], [scenario, hosts]):
                r = self.desk.run(files, "--set", "{police}.police.idle=60",
                                  "--events", self.desk.path("events.csv"))
                self.assertEqual(r.returncode, 0, r.stderr)
                lists.add(read(self.desk.path("events.csv")))
        self.assertEqual(len(lists), 1)
        self.assertEqual(lists.pop().count(b"\n"), 9)

    def test_every_action_of_a_script(self):
        affine = os.path.join(UNITS, "affine-fmi3.fmu")
        scenario = self.desk.json("script.json", {
            "fmus": {"{s}": affine, "{p}": affine},
            "instances": {"{s}": ["s", "other"], "{p}": ["p", "q"]},
            "connections": {"{s}.s.y": ["{p}.p.u"]},
            "parameters": {"{s}.s.s": 1, "{s}.other.s": -1, "{p}.p.b": 1,
                           "{p}.q.b": 2},
            "logVariables": {"{p}.p": ["x"], "{p}.q": ["x"]},
            "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 12,
            "script": [
                {"at": 1.05, "do": {"override": {"{p}.p.u": 3},
                                    "until": "{p}.p.x > 4.321"}},
                {"at": 3, "do": {"bias": {"{s}.s.y": 0.5}, "for": 1}},
                {"at": 5.25, "do": {"set": {"{s}.s.s": "1 + {s}.s.y"}}},
                {"at": 6.5, "do": {"disconnect": "{p}.p.u"}},
                {"at": 7, "do": {"connect": {"{s}.other.y": "{p}.p.u"}}},
                {"when": "{p}.p.x < 10 and t > 7",
                 "do": {"switch": {"{p}.p": "{p}.q"},
                        "carry": {"{p}.q.x": "{p}.p.x"}}},
                {"at": 11, "do": {"stop": "end"}}]})
        hosts = self.desk.hosts(scenario, self.worker.address)
        for options in [], ["--iterate", "3"], ["--rollback"]:
            with self.subTest(options=options):
                self.same(scenario, options, [hosts], [])
                # until, bias and its end, ..., three of the switch, the end
                events = read(self.desk.path("there-events.csv"))
                self.assertEqual(events.count(b"{script}.script,"), 11)

    def test_checkpoints(self):
        """Resumed by the same worker, the rows are those of a run here."""
        for scenario, every, options in (
                (MASSES, "sim:0.37", ["--iterate", "3"]),
                (BALL, "sim:0.7", [])):
            with self.subTest(scenario=scenario):
                hosts = self.desk.hosts(scenario, self.worker.address)
                check = self.desk.path("check")
                self.same(scenario, options, [hosts],
                          ["--checkpoint", check, "--every", every])
                with open(self.desk.path("there.csv"), "ab") as f:
                    f.write(b"half a row")
                done = subprocess.run([TUTTI, "run", "--resume", check, "-q"],
                                      capture_output=True, text=True,
                                      timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(read(self.desk.path("here.csv")),
                                 read(self.desk.path("there.csv")))

    def test_decisions_state_where_units_live(self):
        done = self.desk.run([MASSES], "--isolate", "-v")
        self.assertIn("2 of 2 instances in processes of their own", done.stderr +
                      done.stdout)
        hosts = self.desk.hosts(MASSES, self.worker.address)
        done = self.desk.run([MASSES, hosts], "-v")
        self.assertIn("2 of 2 instances on other hosts", done.stderr + done.stdout)


if __name__ == "__main__":
    unittest.main()
