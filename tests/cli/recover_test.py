#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A fixed step that an instance discards rolls the run back, without having
been asked to prepare for that, where its FMU is known to be able to: the rows
are those of --rollback, to the byte, and no row is written twice."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
TALLY = os.path.join(BUILD, "tests", "units", "tally.fmu")
MISBEHAVE = os.path.join(BUILD, "tests", "units", "misbehave.fmu")
MAX_STEP = 11  # what it does: state its largest step
RIGID = os.path.join(BUILD, "tests", "units", "raw2.fmu")


def ring(every, step, end, **more):
    """Two that feed each other; the first stops at multiples of `every`."""
    return {"fmus": {"{t}": TALLY},
            "connections": {"{t}.a.y": ["{t}.b.u"], "{t}.b.y": ["{t}.a.u"]},
            "parameters": {"{t}.a.c": 1, "{t}.a.k": 0.3, "{t}.a.every": every,
                           "{t}.b.k": -0.5, "{t}.b.y0": 2},
            "algorithm": {"type": "fixed-step", "size": step},
            "endTime": end, **more}


class Runs(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.env = {**os.environ, "XDG_CACHE_HOME": folder.name,
                    "OMPI_ALLOW_RUN_AS_ROOT": "1",
                    "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                    "OMPI_MCA_rmaps_base_oversubscribe": "1"}

    def know(self):
        """From now on it is remembered that the FMU can be rolled back."""
        self.play(ring(0.37, 0.1, 1), "know.csv", "--rollback")

    def play(self, scenario, name, *options, launch=()):
        path = os.path.join(self.folder, "s.json")
        out = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        r = subprocess.run([*launch, TUTTI, "run", path, "-q", "-o", out,
                            *options], capture_output=True, text=True,
                           timeout=300, env=self.env)
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(out, "rb") as f:
            return f.read()


class Recover(Runs):
    def same(self, scenario, *options):
        asked = self.play(scenario, "asked.csv", *options, "--rollback")
        self.assertEqual(self.play(scenario, "own.csv", *options), asked)
        return asked.decode().splitlines()

    def test_like_rollback(self):
        for every, step, end in ((0.37, 0.1, 20), (13.37, 0.01, 40),
                                 (0.05, 0.1, 2), (7.0, 0.001, 9)):
            with self.subTest(every=every):
                rows = self.same(ring(every, step, end))
                times = [float(r.split(",")[0]) for r in rows[1:]]
                self.assertEqual(times, sorted(set(times)))
                self.assertEqual(times[-1], end)
                self.assertTrue(any(abs(t - every) < 1e-9 for t in times))

    def test_masters(self):
        for options in (("--master", "gauss-seidel"), ("--iterate", "3"),
                        ("--approximation", "linear"), ("--isolate",),
                        ("--threads", "2"), ("--sample", "0.5")):
            with self.subTest(options):
                self.same(ring(3.37, 0.01, 8), *options)

    def inside(self, depth, every, **more):
        """The ring with the first of the two in scenarios inside."""
        inner = {"fmus": {"{t}": TALLY},
                 "instances": {"{t}": ["a"]},
                 "parameters": {"{t}.a.c": 1, "{t}.a.k": 0.3,
                                "{t}.a.every": every},
                 "ports": {"inputs": {"u": "{t}.a.u"},
                           "outputs": {"y": "{t}.a.y"}}, **more}
        for i in range(depth):
            path = os.path.join(self.folder, "inner%d.json" % i)
            with open(path, "w", encoding="utf-8") as f:
                json.dump(inner, f)
            inner = {"fmus": {"{s}": path}, "instances": {"{s}": ["s"]},
                     "ports": {"inputs": {"u": "{s}.s.u"},
                               "outputs": {"y": "{s}.s.y"}}}
        return {"fmus": {"{s}": path, "{t}": TALLY},
                "connections": {"{s}.s.y": ["{t}.b.u"],
                                "{t}.b.y": ["{s}.s.u"]},
                "parameters": {"{t}.b.k": -0.5, "{t}.b.y0": 2},
                "algorithm": {"type": "fixed-step", "size": 0.01},
                "endTime": 8}

    def test_inside_composites(self):
        step = {"algorithm": {"type": "fixed-step", "size": 0.005}}
        for depth, more in ((1, {}), (1, step), (2, step)):
            for options in ((), ("--isolate",), ("--iterate", "2")):
                with self.subTest(depth=depth, more=more, options=options):
                    rows = self.same(self.inside(depth, 3.37, **more),
                                     *options)
                    self.assertTrue(any(r.startswith("3.37,") for r in rows))

    def test_inside_it_must_be_known_too(self):
        self.fails(self.inside(1, 0.375),
                   "instance '{s}.s' (composite): step at t=0.37: "
                   "instance '{s}.s/{t}.a' (fmi2) rejected the step to "
                   "t=0.38: it could reach t=0.375")

    def test_checkpoints_before_and_after(self):
        self.know()
        plain = self.play(ring(3.37, 0.01, 8), "plain.csv")
        check = os.path.join(self.folder, "c")
        for every in ("sim:3", "sim:5"):
            self.assertEqual(self.play(ring(3.37, 0.01, 8), "kept.csv",
                                       "--checkpoint", check, "--every",
                                       every), plain)
            r = subprocess.run([TUTTI, "run", "--resume", check],
                               capture_output=True, text=True, env=self.env)
            self.assertEqual(r.returncode, 0, r.stderr)
            with open(os.path.join(self.folder, "kept.csv"), "rb") as f:
                self.assertEqual(f.read(), plain)

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_ranks(self):
        self.know()
        alone = self.play(ring(3.37, 0.01, 8), "alone.csv")
        both = self.play(ring(3.37, 0.01, 8), "both.csv",
                         launch=("mpirun", "-n", "2"))
        self.assertEqual(both, alone)

    def fails(self, scenario,
              what="instance '{t}.a' (fmi2) rejected the step to t=0.4: it "
                   "could reach t=0.37"):
        path = os.path.join(self.folder, "s.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        r = subprocess.run([TUTTI, "run", path, "-o",
                            os.path.join(self.folder, "x.csv")],
                           capture_output=True, text=True, env=self.env)
        self.assertEqual(r.returncode, 1, r.stderr)
        self.assertIn(
            f"tutti: {what} only, and the step cannot be rolled back; a "
            "smaller step may help, or --rollback; results so far: ",
            r.stderr)

    def test_what_was_never_tried_is_not_relied_on(self):
        self.fails(ring(0.37, 0.1, 2))

    def test_one_that_cannot_save_keeps_all_from_it(self):
        self.know()
        scenario = ring(0.37, 0.1, 2)
        scenario["fmus"]["{r}"] = RIGID
        scenario["connections"]["{t}.a.z"] = ["{r}.r.u"]
        self.fails(scenario)


class LargestStep(Runs):
    """An instance states the longest step it accepts: a fixed one is divided
    there, with or without the ability to roll back."""

    def short(self, **more):
        return {"fmus": {"{m}": MISBEHAVE, "{t}": TALLY},
                "connections": {"{t}.b.y": ["{m}.m.u"], "{m}.m.y": ["{t}.b.u"]},
                "parameters": {"{m}.m.what": MAX_STEP, "{m}.m.amount": 0.04,
                               "{t}.b.k": -0.5, "{t}.b.y0": 2, "{t}.b.c": 1},
                "algorithm": {"type": "fixed-step", "size": 0.1},
                "endTime": 1, **more}

    def test_divided(self):
        plain = self.play(self.short(), "plain.csv")
        rows = plain.decode().splitlines()[1:]
        times = [float(r.split(",")[0]) for r in rows]
        self.assertEqual(len(times), 31)
        for i, t in enumerate(times):
            self.assertAlmostEqual(t, i // 3 / 10 + i % 3 * 0.04, places=12)
        for options in (("--isolate",), ("--threads", "2"), ("--rollback",)):
            self.assertEqual(self.play(self.short(), "x.csv", *options), plain)
        check = os.path.join(self.folder, "c")
        self.assertEqual(self.play(self.short(), "kept.csv", "--checkpoint",
                                   check, "--every", "sim:0.35"), plain)
        r = subprocess.run([TUTTI, "run", "--resume", check],
                           capture_output=True, text=True, env=self.env)
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(os.path.join(self.folder, "kept.csv"), "rb") as f:
            self.assertEqual(f.read(), plain)

    def test_said(self):
        path = os.path.join(self.folder, "s.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(self.short(), f)
        r = subprocess.run([TUTTI, "run", path, "-v", "-o",
                            os.path.join(self.folder, "x.csv")],
                           capture_output=True, text=True, env=self.env)
        self.assertEqual(r.returncode, 0, r.stderr)
        said = r.stdout + r.stderr
        self.assertIn("divided where it is longer than '{m}.m' accepts", said)
        self.assertIn("maximum step: limited 20", said)

    def test_and_rolled_back(self):
        """A division before a step that another one discards."""
        scenario = self.short()
        scenario["parameters"]["{t}.b.every"] = 0.37
        self.play(scenario, "know.csv", "--rollback")
        asked = self.play(scenario, "asked.csv", "--rollback")
        self.assertIn(b"\n0.37,", asked)
        self.assertEqual(self.play(scenario, "own.csv"), asked)

    @unittest.skipUnless(shutil.which("mpirun"), "there is no mpirun")
    def test_divided_on_ranks(self):
        plain = self.play(self.short(), "plain.csv")
        self.assertEqual(self.play(self.short(), "both.csv",
                                   launch=("mpirun", "-n", "2")), plain)


if __name__ == "__main__":
    unittest.main(verbosity=1)
