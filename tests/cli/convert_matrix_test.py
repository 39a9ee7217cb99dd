#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""From each format into each: the same results, or a list of what is lost."""
import csv
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
MASSES = os.path.join(EXAMPLES, "double-mass-spring-damper")
ENDINGS = ("json", "ssp", "xml", "msim")
# What all formats can express.
PLAIN = {
    "fmus": {"{msd1}": os.path.join(MASSES, "msd1.fmu"),
             "{msd2}": os.path.join(MASSES, "msd2.fmu")},
    "connections": {"{msd1}.msd1.x1": ["{msd2}.msd2.x1"],
                    "{msd1}.msd1.v1": ["{msd2}.msd2.v1"],
                    "{msd2}.msd2.F": ["{msd1}.msd1.F"]},
    "parameters": {"{msd1}.msd1.m1": 1.25, "{msd2}.msd2.cc": 0.75},
    "algorithm": {"type": "fixed-step", "size": 0.125},
    "startTime": 1, "endTime": 6}


class Matrix(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def tutti(self, *words, code=0):
        p = subprocess.run([TUTTI, *words], capture_output=True, text=True,
                           cwd=self.folder, check=False)
        self.assertEqual(p.returncode, code, (words, p.stderr))
        return p

    def write(self, name, **fields):
        with open(os.path.join(self.folder, name), "w",
                  encoding="utf-8") as f:
            json.dump({**PLAIN, **fields}, f)
        return name

    def results(self, path, *options):
        """Columns by name."""
        self.tutti("run", path, "-q", "-o", "out.csv", *options)
        with open(os.path.join(self.folder, "out.csv"),
                  encoding="utf-8") as f:
            return {c[0]: c[1:] for c in zip(*csv.reader(f))}

    def convert(self, a, b, *options, lost=()):
        """... with these warnings, and no others."""
        p = self.tutti("convert", a, "-f", "-o", b, *options)
        said = [re.sub(r"^tutti: warning: ([^ ]+:\d+:\d+: )?", "", line)
                for line in p.stderr.splitlines()
                if not line.startswith("note: ")]
        self.assertEqual(said, list(lost), (a, b))
        n = len(lost)
        self.assertEqual(p.stdout, f"{b}: written, and nothing is lost\n"
                         if not n else
                         f"{b}: written; {n} thing{'s' if n > 1 else ''} "
                         "cannot be expressed, see the warnings\n")

    TOLERANCE = {"msim": ["MasterSim gives FMUs its relative tolerance; here "
                          "they are given none"],
                 "xml": ["OSP has no word for 'tolerance'"]}

    def test_from_each_into_each(self):
        self.write("first.json")
        want = self.results("first.json")
        for a in ENDINGS:
            self.convert("first.json", f"a.{a}",
                         lost=self.TOLERANCE["msim"] if a == "msim" else ())
            self.assertEqual(self.results(f"a.{a}"), want, a)
            for b in ENDINGS:
                if a == "msim":  # its projects have a tolerance
                    lost = self.TOLERANCE["xml"] if b == "xml" else ()
                else:
                    lost = self.TOLERANCE["msim"] if b == "msim" else ()
                self.convert(f"a.{a}", f"b.{b}", lost=lost)
                self.assertEqual(self.results(f"b.{b}"), want, (a, b))

    def test_factors_and_offsets(self):
        self.write("first.json", tolerance=1e-5, transformations={
            "{msd2}.msd2.x1": {"factor": 0.5, "offset": 0.25}})
        want = self.results("first.json")
        self.convert("first.json", "a.msim")
        self.assertEqual(self.results("a.msim"), want)
        self.convert("first.json", "a.xml", lost=self.TOLERANCE["xml"])
        got = self.results("a.xml")
        del got["{linear 1}.linear 1.y"]  # a function, and recorded as it
        self.assertEqual(got, want)

    def test_an_order(self):
        self.write("first.json", tolerance=1e-5, master="gauss-seidel",
                   order=["{msd2}.msd2", "{msd1}.msd1"])
        self.convert("first.json", "a.msim")
        self.assertEqual(self.results("a.msim"), self.results("first.json"))
        self.convert("first.json", "a.xml", lost=[
            "OSP has no word for 'tolerance'", "OSP has no word for 'master'",
            "OSP has no word for 'order'"])
        self.write("first.json", tolerance=1e-5, master="gauss-seidel")
        self.convert("first.json", "a.msim", lost=[
            "MasterSim steps in the order of lines, and not in one that "
            "follows from the connections"])

    def test_iterations(self):
        for master, more in (
                ("gauss-seidel", {"order": ["{msd2}.msd2", "{msd1}.msd1"]}),
                ("jacobi", {"acceleration": "newton"})):
            self.write("first.json", tolerance=1e-7, master=master,
                       iterate="converged", iteration={
                           "absoluteTolerance": 1e-8, "maximum": 40,
                           "relativeTolerance": 1e-7}, **more)
            self.convert("first.json", "a.msim")
            self.assertEqual(self.results("a.msim"),
                             self.results("first.json"), master)
        self.write("first.json", tolerance=1e-7, iterate=3)
        self.convert("first.json", "a.msim", lost=[
            "MasterSim has no word for 'iterate'"])

    def test_step_doubling(self):
        def constraint(**more):
            return {"type": "error", "method": "richardson", "abstol": 1e-4,
                    "reltol": 1e-3, "perUnitTime": 0, **more}
        steps = {"type": "var-step", "size": [1e-4, 0.5], "initsize": 0.01}
        self.write("first.json", tolerance=1e-3, algorithm={
            **steps, "constraints": {"error": constraint()}})
        self.convert("first.json", "a.msim")
        self.assertEqual(self.results("a.msim"), self.results("first.json"))
        self.convert("first.json", "a.xml", lost=[
            "OSP has no variable steps but those of ecco: they are fixed to "
            "the first", "OSP has no word for the constraint 'error'",
            "OSP has no word for 'tolerance'"])
        self.write("first.json", tolerance=1e-2, algorithm={
            **steps, "constraints": {"error": constraint(), "max": {
                "type": "fmumaxstepsize"}}})
        self.convert("first.json", "a.msim", lost=[
            "MasterSim has no word for the constraint 'max'",
            "MasterSim gives FMUs its relative tolerance, and not "
            "'tolerance'"])

    def test_rates_and_own_processes(self):
        self.write("first.json", rates={"{msd2}.msd2": 5},
                   isolate=["{msd1}.msd1"])
        self.convert("first.json", "a.xml")
        self.assertEqual(self.results("a.xml"), self.results("first.json"))
        with open(os.path.join(self.folder, "a.xml"), encoding="utf-8") as f:
            text = f.read()
        self.assertIn('stepSize="0.025"', text)
        self.assertIn('source="proxyfmu://localhost?file=', text)
        self.convert("first.json", "a.msim", lost=[
            *self.TOLERANCE["msim"], "MasterSim has no word for 'rates'",
            "MasterSim has no word for 'isolate'"])
        self.write("first.json", rates={"{msd1}.msd1": 2, "{msd2}.msd2": 4})
        self.convert("first.json", "a.xml", lost=[
            "OSP exchanges values once in the longest step of a simulator: "
            "all instances step more than once here"])

    def test_energy(self):
        self.write("first.json", powerBonds={"link": {
            "a": {"input": "{msd2}.msd2.v1", "output": "{msd2}.msd2.F"},
            "b": {"input": "{msd1}.msd1.F", "output": "{msd1}.msd1.v1"}}},
            algorithm={"type": "var-step", "size": [1e-4, 0.1],
                       "initsize": 0.001, "constraints": {"ecco": {
                           "type": "error", "method": "energy",
                           "abstol": 1e-4, "reltol": 1e-4, "safety": 0.8,
                           "shrink": 0.3, "grow": 1.25, "perUnitTime": 0}}})
        self.convert("first.json", "a.xml", lost=[
            "ecco does not repeat steps that were too long, and has gains of "
            "its own"])
        self.assertEqual(self.results("a.xml"), self.results("first.json"))
        self.convert("first.json", "a.msim", lost=[
            "MasterSim has no word for the constraint 'ecco'",
            *self.TOLERANCE["msim"],
            "MasterSim has no word for 'powerBonds'"])

    def test_values_and_what_is_no_fmu(self):
        self.write("first.json", tolerance=1e-5, fmus={
            **PLAIN["fmus"], "{c}": "tutti:expression"}, instances={
                "{c}": ["c"]})
        p = self.tutti("convert", "first.json", "-o", "a.msim")
        self.assertIn("'{c}.c' is no FMU as it is; MasterSim knows no others, "
                      "and what it is connected to goes with it\n", p.stderr)
        self.write("first.json", tolerance=1e-5, parameters={
            "{msd1}.msd1.m1": {"value": 1250, "unit": {
                "name": "g", "kg": 1, "factor": 0.001}}})
        p = self.tutti("convert", "first.json", "-f", "-o", "a.xml")
        self.assertIn("the value of '{msd1}.msd1.m1' cannot be written: it has "
                      "a unit of its own\n", p.stderr)

    def test_strict_writes_nothing(self):
        self.write("first.json", record=["x2"])
        p = self.tutti("convert", "first.json", "--strict", "-o", "a.xml",
                       code=2)
        self.assertEqual(p.stderr.splitlines()[-1], "tutti: a.xml: not "
                         "written, because --strict is given and 1 thing "
                         "cannot be expressed")
        self.assertFalse(os.path.exists(os.path.join(self.folder, "a.xml")))

    def test_every_example(self):
        """No format refuses one; what is written whole gives the same, but
        that instances are of FMUs with other keys."""
        def plain(columns):
            return {re.sub(r"^\{[^}]*\}\.", "", k): v
                    for k, v in columns.items()}
        whole = 0
        for path in sorted(glob.glob(EXAMPLES + "/*/scenario.json")):
            for ending in "xml", "msim":
                p = self.tutti("convert", path, "-f", "-o", "it." + ending)
                lost = [line for line in p.stderr.splitlines()
                        if line.startswith("tutti: warning: ")]
                self.assertEqual("nothing is lost" in p.stdout, not lost, path)
                if lost:
                    continue
                whole += 1
                self.assertEqual(plain(self.results("it." + ending)),
                                 plain(self.results(path)), path)
        self.assertGreater(whole, 0)


if __name__ == "__main__":
    unittest.main()
