#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`--checkpoint`, `--every`, `--resume`: whenever a run is interrupted, its
results are in the end, byte for byte, those of one that was not."""
import glob
import json
import os
import re
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
import zipfile

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
UNITS = os.path.join(BUILD, "tests", "units")
# FMI 1 has no states to save.
SCENARIOS = sorted(s for s in glob.glob(os.path.join(EXAMPLES, "*",
                                                     "scenario*.json"))
                   if "-fmi1" not in s)
KILLS = int(os.environ.get("TUTTI_KILLS", "100"))
SEED = int(os.environ.get("TUTTI_SEED", str(random.randrange(10**6))))


def example(name):
    return os.path.join(EXAMPLES, *name.split("/"))


class Checkpoint(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, name):
        return os.path.join(self.folder, name)

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def write(self, name, data):
        with open(self.path(name), "wb") as f:
            f.write(data)

    def run_(self, *words, cwd=None):
        return subprocess.run([TUTTI, "run", *words], cwd=cwd or self.folder,
                              text=True, capture_output=True, timeout=300)

    def good(self, *words, **more):
        r = self.run_(*words, **more)
        self.assertEqual(r.returncode, 0, f"{words}: {r.stderr}")
        return r

    def refused(self, message, *words, code=None, **more):
        r = self.run_(*words, **more)
        self.assertNotEqual(r.returncode, 0)
        self.assertEqual(r.stderr, "tutti: " + message + "\n")

    # --- from every checkpoint to the end -------------------------------------

    def resumed(self, scenario, *options, every):
        """A run with checkpoints, gone on from the last but never ended."""
        self.good(scenario, "-q", "-o", "full.csv", *options)
        self.good(scenario, "-q", "-o", "part.csv", *options, "--checkpoint",
                  "c", "--every", every)
        name = f"{scenario} {options}"
        self.assertEqual(self.read("part.csv"), self.read("full.csv"), name)
        with open(self.path("part.csv"), "ab") as f:
            f.write(b"half a row")
        self.good("--resume", "c")
        self.assertEqual(self.read("part.csv"), self.read("full.csv"), name)

    def test_every_example(self):
        for scenario in SCENARIOS:
            with open(scenario) as f:
                end = json.load(f).get("endTime") or 0
            with self.subTest(scenario):  # a long one takes no more of them
                self.resumed(scenario, every=f"sim:{max(0.37, end / 730)}")

    def test_fmi_1_is_named(self):
        self.refused(
            "no checkpoint can be made of this scenario: '{ball}.ball' (fmi1) "
            "cannot save its state; an FMU must offer canGetAndSetFMUstate and "
            "canSerializeFMUstate for that, which many tools can export",
            example("bouncing-ball/scenario-fmi1.json"), "--checkpoint", "c",
            "--every", "sim:1")

    def test_isolated(self):
        for name in ("line-follower/scenario.json",
                     "bouncing-ball/scenario-variable.json",
                     "nested-water-tank/scenario.json"):
            self.resumed(example(name), "--isolate", every="sim:0.7")

    def changed(self, name, change):
        """A copy of an example's scenario whose FMUs are described anew."""
        with open(example(name), encoding="utf-8") as f:
            scenario = json.load(f)
        for key, fmu in scenario["fmus"].items():
            if not fmu.endswith(".fmu"):
                continue
            scenario["fmus"][key] = key.strip("{}") + ".fmu"
            old = os.path.join(os.path.dirname(example(name)), fmu)
            with zipfile.ZipFile(old) as old, zipfile.ZipFile(
                    self.path(key.strip("{}") + ".fmu"), "w") as new:
                for item in old.infolist():
                    data = old.read(item)
                    if item.filename == "modelDescription.xml":
                        data = change(data)
                    new.writestr(item, data)
        self.write("changed.json", json.dumps(scenario).encode())
        return "changed.json"

    def test_model_exchange_without_bytes(self):
        """States that are saved and cannot be packed are set instead."""
        def change(data):
            self.assertIn(b'canSerializeFMUstate="true"', data)
            return data.replace(b'canSerializeFMUstate="true"', b"")

        s = self.changed("pendulum/scenario.json", change)
        self.resumed(s, "--interface", "me", "--until", "1", every="sim:0.13")

    def test_masters(self):
        tank = example("double-mass-spring-damper/scenario.json")
        for options in (("--master", "gauss-seidel"),
                        ("--iterate", "3"),
                        ("--iterate", "converged", "--acceleration", "newton"),
                        ("--iterate", "converged", "--acceleration",
                         "anderson", "--master", "gauss-seidel"),
                        ("--approximation", "linear"),
                        ("--approximation", "quadratic", "--iterate", "2"),
                        ("--rollback",), ("--threads", "2"),
                        ("--sample", "0.5")):
            with self.subTest(options):
                self.resumed(tank, *options, every="sim:1.3")

    def test_rates_and_error_control(self):
        with open(example("double-mass-spring-damper/scenario.json"),
                  encoding="utf-8") as f:
            base = json.load(f)
        for k, v in base["fmus"].items():
            base["fmus"][k] = os.path.join(
                EXAMPLES, "double-mass-spring-damper", v)
        unit = sorted({c.rsplit(".", 1)[0] for c in base["connections"]})
        rates = {**base, "rates": {unit[0]: 5}}
        self.write("rates.json", json.dumps(rates).encode())
        self.resumed("rates.json", every="sim:1.1")
        self.write("quanta.json",
                   json.dumps({**base, "quanta": 0.05}).encode())
        self.resumed("quanta.json", every="sim:1.1")
        self.resumed("quanta.json", "--isolate", every="sim:0.7")
        for method in ("richardson", "orders", "milne"):
            controlled = {**base, "algorithm": {
                "type": "var-step", "size": [1e-4, 0.5], "initsize": 0.01,
                "constraints": {"e": {"type": "error", "method": method,
                                      "abstol": 1e-3, "reltol": 1e-3}}}}
            self.write("var.json", json.dumps(controlled).encode())
            with self.subTest(method):
                self.resumed("var.json", every="sim:1.1")

    def test_several_files_and_the_trace(self):
        tank = example("water-tank/scenario-variable.json")
        formats = ["csv", "mat"] + (["h5"] if self.has_hdf5() else [])
        files = [w for f in formats for w in ("-o", f"part.{f}")]
        self.good(tank, "-q", *[w.replace("part", "full") for w in files],
                  "--trace", "full-trace.csv")
        self.good(tank, "-q", *files, "--trace", "part-trace.csv",
                  "--checkpoint", "c", "--every", "sim:7")
        self.good("--resume", "c")
        for name in ("csv", "mat", "-trace.csv"):
            dot = "" if name.startswith("-") else "."
            self.assertEqual(self.read("part" + dot + name),
                             self.read("full" + dot + name), name)
        if self.has_hdf5():
            r = subprocess.run([TUTTI, "compare", "part.h5", "full.h5"],
                               cwd=self.folder, capture_output=True, text=True)
            self.assertEqual(r.returncode, 0, r.stdout + r.stderr)

    def test_the_picture_of_the_steps_goes_on(self):
        tank = example("water-tank/scenario-variable.json")

        def pictures(name):
            return re.findall("<svg.*?</svg>", self.read(name).decode(), re.S)

        self.good(tank, "-q", "-o", "full.csv", "--report", "full.html")
        self.good(tank, "-q", "-o", "part.csv", "--report", "part.html",
                  "--checkpoint", "c", "--every", "sim:7")
        self.good("--resume", "c")
        self.assertGreater(len(pictures("full.html")), 1)
        self.assertEqual(pictures("part.html"), pictures("full.html"))

    def has_hdf5(self):
        r = self.run_(example("water-tank/scenario.json"), "-q", "--until",
                      "0.1", "-o", "probe.h5")
        return r.returncode == 0

    # --- interrupted ----------------------------------------------------------

    def long_run(self, steps):
        """About a second or more of small steps, and its words."""
        return [example("water-tank/scenario.json"), "--step", str(30 / steps),
                "--until", "30", "--record", "tank.level"]

    def test_killed_again_and_again(self):
        """kill -9 at random times, of all its processes at once."""
        rng = random.Random(SEED)
        print(f"seed {SEED}", flush=True)
        words = self.long_run(100_000)
        self.good(*words, "-q", "-o", "full.csv")
        began = time.monotonic()
        self.good(*words, "-q", "-o", "whole.csv", "--checkpoint", "w",
                  "--every", "sim:0.5")
        whole = time.monotonic() - began
        kills, ends, resumes = 0, 0, 0
        while kills < KILLS:
            for name in ("part.csv", "c", "c.new"):
                if os.path.exists(self.path(name)):
                    os.remove(self.path(name))
            first = [*words, "-q", "-o", "part.csv", "--checkpoint", "c",
                     "--every", "sim:0.5"]
            while kills < KILLS:
                again = os.path.exists(self.path("c"))
                resumes += again
                p = subprocess.Popen(
                    [TUTTI, "run", *(["--resume", "c"] if again else first)],
                    cwd=self.folder, start_new_session=True,
                    stderr=subprocess.PIPE)
                try:
                    p.wait(rng.uniform(0, 0.8 * whole))
                except subprocess.TimeoutExpired:
                    os.killpg(p.pid, signal.SIGKILL)
                    kills += 1
                said = p.communicate()[1].decode()
                if p.returncode == 0:
                    ends += 1
                    self.assertEqual(self.read("part.csv"),
                                     self.read("full.csv"), f"seed {SEED}")
                    break
                self.assertEqual(p.returncode, -signal.SIGKILL, said)
        if os.path.exists(self.path("c")):
            self.good("--resume", "c")
            self.assertEqual(self.read("part.csv"), self.read("full.csv"),
                             f"seed {SEED}")
        print(f"{kills} kills, {resumes} resumed, {ends + 1} ends")
        self.assertGreater(resumes, 0)

    def test_sigterm_leaves_a_checkpoint(self):
        words = self.long_run(2_000_000)
        p = subprocess.Popen(
            [TUTTI, "run", *words, "-q", "-o", "part.csv", "--checkpoint", "c"],
            cwd=self.folder, stderr=subprocess.PIPE, text=True)
        while not (os.path.exists(self.path("part.csv"))
                   and os.path.getsize(self.path("part.csv")) > 10_000):
            self.assertIsNone(p.poll())
            time.sleep(0.01)
        p.terminate()
        said = p.communicate()[1]
        self.assertRegex(
            said, r"^tutti: stopped at t=[0-9.E-]+; results so far: part.csv "
            r"\(\d+ rows to t=[0-9.E-]+\); checkpoint c is of t=[0-9.E-]+: "
            r"'tutti run --resume c' goes on from there\n$")
        rows = self.read("part.csv").count(b"\n") - 1
        self.assertIn(f"({rows} rows", said)
        self.good("--resume", "c", "--checkpoint", "d")
        self.good(*words, "-q", "-o", "full.csv")
        self.assertEqual(self.read("part.csv"), self.read("full.csv"))

    def test_a_crash_reports_what_is_lost(self):
        scenario = {
            "fmus": {"{m}": os.path.join(UNITS, "misbehave.fmu")},
            "connections": {}, "logVariables": {"{m}.bad": ["y"]},
            "parameters": {"{m}.bad.what": 6, "{m}.bad.when": 0.75},
            "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1}
        self.write("s.json", json.dumps(scenario).encode())
        r = self.run_("s.json", "-q", "-o", "part.csv", "--checkpoint", "c",
                      "--every", "sim:0.3")
        if "no checkpoint can be made" in r.stderr:
            self.skipTest(r.stderr)
        self.assertIn("checkpoint c is of t=0.6, 1 step is lost: 'tutti run "
                      "--resume c' goes on from there", r.stderr)

    def test_by_the_wall_clock(self):
        words = self.long_run(1_000_000)
        self.good(*words, "-q", "-o", "part.csv", "--checkpoint", "c",
                  "--every", "20ms")
        self.good(*words, "-q", "-o", "full.csv")
        self.assertTrue(os.path.exists(self.path("c")))
        self.good("--resume", "c")
        self.assertEqual(self.read("part.csv"), self.read("full.csv"))

    def test_counts_go_on(self):
        tank = example("water-tank/scenario-variable.json")
        whole = json.loads(self.good(tank, "-o", "a.csv", "--json",
                                     "--checkpoint", "c", "--every",
                                     "sim:30").stdout)
        rest = json.loads(self.good("--resume", "c").stdout)
        for field in ("steps", "rows"):
            self.assertEqual(rest[field], whole[field], field)
        self.assertEqual([u["steps"] for u in rest["units"]],
                         [u["steps"] for u in whole["units"]])

    def test_from_another_folder(self):
        self.good(example("water-tank/scenario.json"), "-q", "-o", "part.csv",
                  "--checkpoint", "c", "--every", "sim:7")
        whole = self.read("part.csv")
        self.good("--resume", self.path("c"), cwd="/")
        self.assertEqual(self.read("part.csv"), whole)

    # --- bad input --------------------------------------------------------------

    def made(self, *options):
        self.good(example("water-tank/scenario.json"), "-q", "-o", "part.csv",
                  "--checkpoint", "c", "--every", "sim:7", *options)
        return self.read("c")

    def test_files_that_are_none(self):
        whole = self.made()
        self.refused("cannot read nothing: No such file or directory",
                     "--resume", "nothing")
        self.write("x", b"")
        self.refused("cannot resume from x: it is no checkpoint",
                     "--resume", "x")
        self.refused("cannot resume from part.csv: it is no checkpoint",
                     "--resume", "part.csv")
        self.write("x", whole[:8] + bytes([9]) + whole[9:])
        self.refused("cannot resume from x: it is a checkpoint of format 9, "
                     "and this version reads format 2", "--resume", "x")
        rng = random.Random(1)
        for _ in range(20):
            self.write("x", whole[:rng.randrange(80, len(whole))])
            self.refused("cannot resume from x: it is not complete",
                         "--resume", "x")
            at = rng.randrange(80, len(whole))
            self.write("x", whole[:at] + bytes([whole[at] ^ 1])
                       + whole[at + 1:])
            self.refused("cannot resume from x: it is damaged",
                         "--resume", "x")

    def test_other_runs(self):
        self.made()
        rows = self.read("part.csv")
        tank = example("water-tank/scenario.json")
        other = [("--until", "20"), ("--step", "0.05"),
                 ("--set", "{x2}.tank.level=2")]
        for words in other:
            r = self.run_(tank, "-o", "part.csv", *words, "--resume", "c")
            self.assertEqual(r.returncode, 2, r.stderr)
            self.assertIn("resuming: the saved state is of another scenario",
                          r.stderr)
            self.assertEqual(self.read("part.csv"), rows)
        r = self.run_(tank, "-o", "part.csv", "--master", "gauss-seidel",
                      "--iterate", "2", "--resume", "c")
        self.assertIn("resuming: the saved state is of another master or step "
                      "control", r.stderr)

    def test_options(self):
        tank = example("water-tank/scenario.json")
        for bad in ("soon", "-1s", "0", "5 parsecs", "sim:", "sim:-2"):
            self.refused(
                "--every takes a time like '10s', '500ms', '2min' or '1h', or "
                f"simulated seconds like 'sim:2', not '{bad}'", tank,
                "--checkpoint", "c", f"--every={bad}")
        self.refused("--every goes with --checkpoint FILE, which is missing",
                     tank, "--every", "2s")
        self.refused(
            f"cannot write the checkpoint {self.folder}: it is a folder", tank,
            "-o", "part.csv", "--checkpoint", self.folder)

    def test_a_unit_that_cannot_is_named_first(self):
        raw = os.path.join(UNITS, "raw2.fmu")
        r = self.run_(raw, "-o", "part.csv", "--checkpoint", "c", "--until",
                      "1", "--step", "0.1")
        self.assertNotEqual(r.returncode, 0)
        self.assertIn("no checkpoint can be made of this scenario: ", r.stderr)
        self.assertIn("canSerializeFMUstate", r.stderr)
        self.assertFalse(os.path.exists(self.path("c")))


if __name__ == "__main__":
    unittest.main(verbosity=1)
