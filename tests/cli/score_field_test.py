#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The field "score" of a scenario, and of one inside another, plays the master
of that file as --score does; an exported FMU has it with it."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
TALLY = os.path.join(BUILD, "tests", "units", "tally.fmu")
STEP = {"algorithm": {"type": "fixed-step", "size": 0.125}, "endTime": 2}


def ring(**more):
    return {"fmus": {"{t}": TALLY},
            "connections": {"{t}.a.y": ["{t}.b.u"], "{t}.b.y": ["{t}.a.u"]},
            "parameters": {"{t}.a.c": 1, "{t}.a.k": 0.3, "{t}.b.k": -0.5,
                           "{t}.b.y0": 2}, **STEP, **more}


class ScoreField(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.put("masters/gs.json", None)

    def at(self, name):
        return os.path.join(self.folder, name)

    def put(self, name, content):
        os.makedirs(os.path.dirname(self.at(name)), exist_ok=True)
        with open(self.at(name), "w", encoding="utf-8") as f:
            json.dump(content, f)
        return self.at(name)

    def tutti(self, *words):
        return subprocess.run([TUTTI, *words], capture_output=True, text=True,
                              timeout=300, cwd="/")

    def rows(self, scenario, *options):
        r = self.tutti("run", scenario, "-q", "-o", self.at("out.csv"),
                       *options)
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.at("out.csv"), "rb") as f:
            return f.read()

    def master(self, scenario, name):
        """Gauss-Seidel's score of this scenario, in a file."""
        r = self.tutti("score", scenario, "--json", "--master", "gauss-seidel")
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.at(name), "w", encoding="utf-8") as f:
            f.write(r.stdout)

    def test_a_scenario(self):
        plain = self.put("s.json", ring())
        self.master(plain, "masters/gs.json")
        jacobi = self.rows(plain)
        want = self.rows(plain, "--master", "gauss-seidel")
        self.assertNotEqual(jacobi, want)
        named = self.put("named.json", ring(score="masters/gs.json"))
        self.assertEqual(self.rows(named), want)
        other = self.tutti("score", plain, "--json").stdout
        with open(self.at("jacobi.json"), "w", encoding="utf-8") as f:
            f.write(other)
        self.assertEqual(self.rows(named, "--score", self.at("jacobi.json")),
                         jacobi)

    def inside(self, place, **more):
        inner = ring(ports={"outputs": {"y": "{t}.a.y", "z": "{t}.b.y"}},
                     **more)
        if not place:
            inner = self.put("inner.json", inner)
        return self.put("outer.json", {
            "fmus": {"{s}": inner}, "instances": {"{s}": ["s"]},
            "algorithm": {"type": "fixed-step", "size": 0.25}, "endTime": 2})

    def test_one_inside(self):
        self.master(self.put("s.json", ring()), "masters/gs.json")
        for place in (0, 1):
            plain = self.rows(self.inside(place))
            want = self.rows(self.inside(place, master="gauss-seidel"))
            self.assertNotEqual(plain, want)
            path = self.inside(place, score="masters/gs.json")
            self.assertEqual(self.rows(path), want)
            self.exported(path, want)

    def exported(self, path, want):
        fmu = self.at("out.fmu")
        r = self.tutti("export", path, "-o", fmu, "--force")
        self.assertEqual(r.returncode, 0, r.stderr)
        os.rename(self.at("masters"), self.at("gone"))
        r = self.tutti("run", fmu, "-q", "--step", "0.25", "--until", "2",
                       "-o", self.at("fmu.csv"))
        os.rename(self.at("gone"), self.at("masters"))
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.at("fmu.csv"), "rb") as f:
            self.assertEqual(f.read().split(b"\n", 1)[1],
                             want.split(b"\n", 1)[1])

    def test_mistakes_are_named(self):
        for field, code, words in (
                ("none.json", 2, "none.json"), (7, 2, "score"),
                ("s.json", 2, "s.json:1:")):
            path = self.put("s.json", ring(score=field))
            r = self.tutti("run", path, "-q", "-o", self.at("x.csv"))
            self.assertEqual(r.returncode, code, r.stderr)
            self.assertIn(words, r.stderr)
        self.master(self.put("s.json", ring()), "masters/gs.json")
        path = self.put("s.json", ring(score="masters/gs.json"))
        r = self.tutti("run", path, "--master", "jacobi")
        self.assertEqual(r.returncode, 2)
        self.assertIn('--master has no effect with "score": the file decides '
                      "how instances step", r.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=1)
