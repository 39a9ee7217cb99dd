#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Two masses in a format of others, beside the same as a scenario: what tests
of formats share."""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper")


class Beside(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        for name in ("msd1.fmu", "msd2.fmu"):
            shutil.copy(os.path.join(MASSES, name), self.folder)

    def put(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)

    def run_tutti(self, *words):
        return subprocess.run([TUTTI, *words], capture_output=True, text=True,
                              cwd=self.folder, check=False)

    def tutti(self, *words, code=0):
        p = self.run_tutti(*words)
        self.assertEqual(p.returncode, code, p.stderr)
        return p.stderr

    def rows(self, *words):
        told = self.tutti("run", *words, "-q", "-o", "out.csv")
        self.assertEqual(told, "")
        with open(os.path.join(self.folder, "out.csv"), encoding="utf-8") as f:
            return list(csv.reader(f))

    def check_converted(self, *words):
        """As JSON elsewhere and as a package it gives the same bytes, and the
        package needs nothing beside it."""
        kept = os.path.join(self.folder, "out.csv")
        self.rows(*words)
        with open(kept, "rb") as f:
            whole = f.read()
        os.makedirs(os.path.join(self.folder, "other"), exist_ok=True)
        for name in ("other/it.json", "it.ssp"):
            self.tutti("convert", *words, "-o", name, "-f", "-q")
            self.rows(name)
            with open(kept, "rb") as f:
                self.assertEqual(f.read(), whole, name)

    def example(self, *names):
        for name in names:
            shutil.copy(os.path.join(MASSES, name), self.folder)

    def warned(self, file, text, message):
        self.put(file, text)
        told = self.tutti("run", file, "-o", "out.csv")
        self.assertIn(f"warning: {file}:{message}\n", told)

    def refused(self, file, text, message, *more):
        self.put(file, text)
        told = self.tutti("run", file, *more, code=2)
        self.assertEqual(told.split("\n")[0], f"tutti: {message}")

    def scenario(self, connections=None, fmus=None, **more):
        self.put("same.json", json.dumps({
            "fmus": {"{msd1}": "msd1.fmu", "{msd2}": "msd2.fmu", **(fmus or {})},
            "connections": connections or {
                "{msd1}.msd1.x1": ["{msd2}.msd2.x1"],
                "{msd1}.msd1.v1": ["{msd2}.msd2.v1"],
                "{msd2}.msd2.F": ["{msd1}.msd1.F"]},
            "algorithm": {"type": "fixed-step", "size": 0.2},
            "startTime": 0, "endTime": 10, **more}))
        return self.rows("same.json")

    def check_same(self, a, b):
        """The columns of both are the same bits, in whatever order."""
        order = [a[0].index(name) for name in b[0]]
        self.assertEqual(sorted(a[0]), sorted(b[0]))
        self.assertEqual([[row[i] for i in order] for row in a], b)
