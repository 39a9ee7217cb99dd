# SPDX-License-Identifier: MIT
"""Arrays whose size follows structural parameters, connections of their
elements, and terminals: against closed forms, and to the bit the same wherever
the instances are and whatever becomes of the steps."""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import unittest
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "remote"))
from rig import BUILD, TUTTI, Desk, Worker, read

HARMONICS = os.path.join(BUILD, "examples", "harmonics")
PINS = os.path.join(BUILD, "examples", "pins")


def scenario(folder, name="scenario.json"):
    with open(os.path.join(folder, name), encoding="utf-8") as f:
        made = json.load(f)
    made["fmus"] = {k: os.path.join(folder, v) for k, v in made["fmus"].items()}
    return made


class Case(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)

    def play(self, made, *options, out="out.csv", files=()):
        path = self.desk.json("scenario.json", made)
        return self.desk.run([path, *files], "-q", *options, out=out)

    def good(self, made, *options, out="out.csv", files=()):
        done = self.play(made, *options, out=out, files=files)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def refused(self, made, words, *options):
        done = self.play(made, *options)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(words, done.stderr)

    def rows(self, out="out.csv"):
        with open(self.desk.path(out), encoding="utf-8", newline="") as f:
            return [{k: float(v) for k, v in row.items()}
                    for row in csv.DictReader(f)]

    def everywhere(self, made):
        """In processes of their own, on another host, with threads, iterated,
        and from a checkpoint."""
        self.good(made, out="plain.csv")
        worker = Worker(self.desk)
        self.addCleanup(worker.close)
        path = self.desk.json("scenario.json", made)
        hosts = self.desk.hosts(path, worker.address)
        for options, files in ((["--isolate"], []), (["--threads", "2"], []),
                               (["--checkpoint", self.desk.path("c"),
                                 "--every", "sim:0.2"], []),
                               ([], [hosts])):
            with self.subTest(options + files):
                self.good(made, *options, out="other.csv", files=files)
                self.assertEqual(read(self.desk.path("plain.csv")),
                                 read(self.desk.path("other.csv")))
        done = subprocess.run([TUTTI, "run", "--resume", self.desk.path("c")],
                              capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(self.desk.path("plain.csv")),
                         read(self.desk.path("other.csv")))


class Arrays(Case):
    def check_sums(self, rows, n):
        for row in rows:
            t = row["time"]
            tone = [math.sin((2 * k + 1) * t) for k in range(n)]
            square = sum(4 / math.pi / (2 * k + 1) * y
                         for k, y in enumerate(tone))
            for k, y in enumerate(tone):
                self.assertAlmostEqual(row[f"{{tone}}.tone.y[{k + 1}]"], y,
                                       delta=1e-14)
            self.assertAlmostEqual(row["{mixer}.square.s"], square, delta=1e-12)
            self.assertAlmostEqual(row["{mixer}.first.s"],
                                   10 * tone[0] - tone[2], delta=1e-12)
            self.assertEqual(row["{mixer}.first.u[2]"],
                             row["{tone}.tone.y[3]"])

    def sized(self, n):
        made = scenario(HARMONICS)
        made["parameters"].update({
            "{tone}.tone.n": n, "{mixer}.square.n": n,
            "{mixer}.square.w": [4 / math.pi / (2 * k + 1) for k in range(n)]})
        return made

    def test_sums_are_those_of_the_series(self):
        for n in (3, 5, 64):
            self.good(self.sized(n))
            self.check_sums(self.rows(), n)

    def test_everywhere(self):
        made = scenario(HARMONICS)
        made["endTime"] = 0.5
        self.everywhere(made)
        self.check_sums(self.rows("other.csv"), 5)

    def test_steps_that_are_repeated(self):
        """A wrapper's memory goes back with its unit."""
        self.good(scenario(HARMONICS), out="plain.csv")
        for options in (["--iterate", "3"], ["--iterate", "2", "--isolate"]):
            self.good(scenario(HARMONICS), *options, out="other.csv")
            self.assertEqual(read(self.desk.path("plain.csv")),
                             read(self.desk.path("other.csv")))

    def test_inside_another_scenario(self):
        inner = scenario(HARMONICS)
        inner["ports"] = {"outputs": {"s": "{mixer}.square.s",
                                      "third": "{tone}.tone.y[3]",
                                      "all": "{tone}.tone.y"},
                          "parameters": {"weight": "{mixer}.first.w[1]"}}
        self.desk.json("inner.json", inner)
        made = {"fmus": {"{i}": "inner.json",
                         "{mixer}": inner["fmus"]["{mixer}"]},
                "connections": {"{i}.i.all": ["{mixer}.m.u"],
                                "{i}.i.third": ["{mixer}.n.u[1]"]},
                "parameters": {"{mixer}.m.n": 5, "{i}.i.weight": 3,
                               "{mixer}.n.w[1]": 2},
                "logVariables": {"{i}.i": ["s", "{mixer}.first.s"],
                                 "{mixer}.m": ["s"], "{mixer}.n": ["s"]},
                "endTime": 0.5,
                "algorithm": {"type": "fixed-step", "size": 0.015625}}
        self.good(made)
        for row in self.rows():
            tone = [math.sin((2 * k + 1) * row["time"]) for k in range(5)]
            self.assertAlmostEqual(row["{mixer}.m.s"], sum(tone), delta=1e-12)
            self.assertAlmostEqual(row["{mixer}.n.s"], 2 * tone[2], delta=1e-12)
            self.assertAlmostEqual(row["{i}.i.{mixer}.first.s"],
                                   3 * tone[0] - tone[2], delta=1e-12)

    def test_as_an_fmu(self):
        made = scenario(HARMONICS)
        made["ports"] = {"outputs": {"s": "{mixer}.square.s",
                                     "y": "{tone}.tone.y"}}
        path = self.desk.json("inside.json", made)
        fmu = self.desk.path("inside.fmu")
        done = subprocess.run([TUTTI, "export", path, "-o", fmu, "--fmi", "3"],
                              capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.desk.run([fmu], "-q", "--end", "1", "--step", "0.015625",
                             out="out.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        for row in self.rows():
            self.assertAlmostEqual(row["{inside}.inside.y[5]"],
                                   math.sin(9 * row["time"]), delta=1e-14)

    def test_sizes_that_do_not_fit(self):
        made = scenario(HARMONICS)
        self.refused(made, "'{tone}.tone.y' is an array of 4 and cannot drive "
                     "'{mixer}.square.u', which is an array of 5",
                     "--set", "{tone}.tone.n=4")
        self.refused(made, "'{tone}.tone.n' gives a size and cannot be 65: its "
                     "range is 1 .. 64", "--set", "{tone}.tone.n=65")
        self.refused(made, "'{tone}.tone.n' gives a size and cannot be 0",
                     "--set", "{tone}.tone.n=0")
        self.refused(made, "'{tone}.tone.n' gives a size and cannot be "
                     "18446744073709551615",
                     "--set", "{tone}.tone.n=18446744073709551615")
        self.refused(made, "instance '{mixer}.first' has no element 'w[3]': 'w' "
                     "is an array of 2, counted from 1",
                     "--set", "{mixer}.first.w[3]=1")
        del made["parameters"]["{mixer}.first.w[1]"]
        self.refused(made, "of '{mixer}.first.w' 1 of 2 elements are given")


class Terminals(Case):
    def check_charge(self, rows, h):
        """The current is held over a step, so that what is left to charge
        shrinks by the same factor in each."""
        left = 10.0
        for row in rows:
            self.assertAlmostEqual(row["{capacitor}.c.u"], 10 - left,
                                   delta=1e-12)
            self.assertAlmostEqual(row["{source}.s.i"], -left / 100,
                                   delta=1e-13)
            left *= 1 - h / 0.1

    def test_currents_sum_to_zero(self):
        for name in ("scenario.json", "scenario-fmi3.json"):
            for h in (0.001, 0.01):
                made = scenario(PINS, name)
                made["algorithm"]["size"] = h
                made["logVariables"] = {"{capacitor}.c": ["i"]}
                self.good(made)
                rows = self.rows()
                self.check_charge(rows, h)
                for row in rows:
                    self.assertEqual(row["{source}.s.i"],
                                     -row["{capacitor}.c.i"])

    def test_everywhere(self):
        for name in ("scenario.json", "scenario-fmi3.json"):
            self.everywhere(scenario(PINS, name))

    def test_they_are_a_power_bond(self):
        """Its residual is the energy the source and the capacitor disagree
        about: over a step u is held for the one and i for the other."""
        done = self.good(scenario(PINS), "--json")
        notes = json.loads(done.stdout)["decisions"]
        text = " ".join(n["text"] for n in notes if n["topic"] == "energy")
        self.assertIn("bond '{capacitor}.c.pin': residual ", text)
        residual = float(text.split("residual ")[1].split(" J")[0])
        h, left, energy = 0.001, 10.0, 0.0
        for _ in range(500):
            after = left * (1 - h / 0.1)
            # power as the capacitor sees it, and as the source does, as lines
            for u, i, v, j in ((10 - left, left / 100, 10 - left, left / 100),
                               (10 - after, left / 100, 10 - left,
                                after / 100)):
                energy += 0.5 * h * (-i * u + j * v)
            left = after
        self.assertAlmostEqual(residual, energy, delta=1e-8)

    def test_a_bond_is_corrected_with_its_sign(self):
        """As if the connections and the bond were written one by one, with a
        source that counts its current the other way."""
        made = scenario(PINS)
        made["powerBonds"] = {"own": {
            "a": {"input": "{capacitor}.c.i", "output": "{capacitor}.c.u"},
            "b": {"input": "{source}.s.u", "output": "{source}.s.i"},
            "correction": True}}
        self.good(made)
        corrected = abs(self.rows()[100]["{capacitor}.c.u"]
                        - 10 * (1 - math.exp(-1)))
        self.good(scenario(PINS))
        plain = abs(self.rows()[100]["{capacitor}.c.u"]
                    - 10 * (1 - math.exp(-1)))
        self.assertLess(corrected, plain)

    def node(self, second=None):
        """Three sources at one capacitor, and the conductance and current of
        C du/dt = current - conductance u."""
        made = scenario(PINS)
        made["fmus"]["{second}"] = second or made["fmus"]["{source}"]
        made["terminals"] = {"{source}.s1.pin": [
            "{second}.s2.pin", "{capacitor}.c.pin", "{source}.s3.pin"]}
        made["parameters"] = {"{second}.s2.u0": 5, "{second}.s2.R": 50,
                              "{source}.s3.u0": -2, "{source}.s3.R": 25}
        made["endTime"] = 0.1
        sign = -1 if second else 1
        return (made, 1 / 100 + sign / 50 + 1 / 25,
                10 / 100 + sign * 5 / 50 - 2 / 25)

    def test_flows_of_several_sum_to_zero(self):
        """As Euler's method, which is what held currents make of it."""
        made, g, i = self.node()
        for options in ([], ["--isolate"], ["--threads", "2"]):
            self.good(made, *options)
            for n, row in enumerate(self.rows()):
                self.assertAlmostEqual(row["{capacitor}.c.u"],
                                       i / g * (1 - (1 - g) ** n), delta=1e-12)
                self.assertAlmostEqual(
                    row["{node1}.flows.y"], -row["{source}.s1.i"]
                    - row["{second}.s2.i"] - row["{source}.s3.i"], delta=1e-15)

    def test_flows_of_several_count_in_or_out(self):
        made, g, i = self.node(self.changed(
            "<fmiTerminalsAndIcons><Terminals><Terminal name='pin' "
            "matchingRule='plug'><TerminalMemberVariable variableName='u' "
            "memberName='u' variableKind='signal'/><TerminalMemberVariable "
            "variableName='i' memberName='i' variableKind='outflow'/>"
            "</Terminal></Terminals></fmiTerminalsAndIcons>"))
        self.good(made)
        self.assertAlmostEqual(self.rows()[-1]["{capacitor}.c.u"],
                               i / g * (1 - (1 - g) ** 100), delta=1e-12)

    def test_flows_of_several_are_integrated_together(self):
        """As one system they are the exponential, by any method."""
        made, g, i = self.node()
        made["tolerance"] = 1e-9
        for method in ("explicit", "stiff"):
            made["integrator"] = method
            self.good(made, "--interface", "me")
            for row in self.rows():
                self.assertAlmostEqual(
                    row["{capacitor}.c.u"],
                    i / g * (1 - math.exp(-1e3 * g * row["time"])), delta=1e-8)

    def test_as_an_fmu(self):
        """The engine in there reads terminals as plain XML."""
        made = scenario(PINS)
        made["ports"] = {"outputs": {"u": "{capacitor}.c.u"}}
        path = self.desk.json("inside.json", made)
        fmu = self.desk.path("inside.fmu")
        done = subprocess.run([TUTTI, "export", path, "-o", fmu],
                              capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.desk.run([fmu], "-q", "--end", "0.1", "--step", "0.001",
                             out="out.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(self.rows()[-1]["{inside}.inside.u"],
                               10 - 10 * 0.99 ** 100, delta=1e-12)

    def changed(self, xml=None, files=None):
        """The source, with other terminals, or more files."""
        fmu = self.desk.path("changed.fmu")
        shutil.copy(os.path.join(PINS, "pin_source.fmu"), fmu)
        name = "terminalsAndIcons/terminalsAndIcons.xml"
        if xml is not None:
            with zipfile.ZipFile(fmu) as old:
                kept = {n: old.read(n) for n in old.namelist() if n != name}
            with zipfile.ZipFile(fmu, "w") as new:
                for n, data in (kept | {name: xml}).items():
                    new.writestr(n, data)
        with zipfile.ZipFile(fmu, "a") as more:
            for n, data in (files or {}).items():
                more.writestr(n, data)
        return fmu

    def info(self, fmu, *options):
        done = subprocess.run([TUTTI, "info", fmu, *options],
                              capture_output=True, text=True, timeout=60,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def test_new_connects_them(self):
        fmus = [os.path.join(PINS, f"pin_{n}.fmu")
                for n in ("source", "capacitor")]
        made = self.desk.path("new.json")
        done = subprocess.run([TUTTI, "new", *fmus, "-o", made, "--step",
                               "0.001", "--until", "0.5"], capture_output=True,
                              text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("0 connections and 1 pair of terminals proposed\n",
                      done.stdout)
        self.assertIn("pin_source.pin -- pin_capacitor.pin: terminals of equal "
                      "names\n", done.stdout)
        self.assertNotIn("not connected", done.stdout)
        with open(made, encoding="utf-8") as f:
            new = json.load(f)
        self.assertEqual(new["connections"], {})
        self.assertEqual(new["terminals"], {
            "{pin_source}.pin_source.pin":
                ["{pin_capacitor}.pin_capacitor.pin"]})
        done = self.desk.run([made], "-q", out="out.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertAlmostEqual(
            self.rows()[-1]["{pin_capacitor}.pin_capacitor.u"],
            10 - 10 * 0.99 ** 500, delta=1e-12)

    def test_info_shows_them(self):
        fmu = os.path.join(PINS, "pin_source.fmu")
        self.assertIn("terminals\n  pin  plug, org.tutti.pin\n"
                      "    u  signal  u (input)\n"
                      "    i  inflow  i (output)\n", self.info(fmu))
        self.assertEqual(json.loads(self.info(fmu, "--json"))["terminals"], [
            {"name": "pin", "matchingRule": "plug",
             "terminalKind": "org.tutti.pin", "members": [
                 {"name": "u", "kind": "signal", "variable": "u"},
                 {"name": "i", "kind": "inflow", "variable": "i"}]}])

    def test_a_file_that_lies_is_no_reason_not_to_run(self):
        for xml, rule in (
                ("<fmiTerminalsAndIcons><Terminals><Terminal name='pin' "
                 "matchingRule='plug'><TerminalMemberVariable "
                 "variableName='nothing' memberName='u' "
                 "variableKind='signal'/></Terminal></Terminals>"
                 "</fmiTerminalsAndIcons>", "FMI3-TERMINAL-VARIABLE"),
                ("<no", "FMI3-TERMINAL-FILE")):
            fmu = self.changed(xml)
            done = self.desk.run([fmu], "-q", "--end", "1", "--step", "0.1",
                                 out="out.csv")
            self.assertEqual(done.returncode, 0, done.stderr)
            done = subprocess.run([TUTTI, "check", fmu], capture_output=True,
                                  text=True, timeout=60, check=False)
            self.assertIn(rule, done.stdout)
            made = scenario(PINS)
            made["fmus"]["{source}"] = fmu
            self.refused(made, "'{source}.s")

    def test_info_lists_layered_standards(self):
        fmu = self.changed(files={
            "extra/org.example.one/fmi-ls-manifest.xml":
                '<m xmlns:x="http://fmi-standard.org/fmi-ls-manifest" '
                'x:fmi-ls-name="org.example.one" x:fmi-ls-version="1.2" '
                'x:fmi-ls-description="One &amp; all" other="no"/>',
            "extra/org.example.two/fmi-ls-manifest.xml": "<not",
            "extra/org.example.three/readme.txt": "no manifest"})
        self.assertIn("standards      org.example.one 1.2: One & all; "
                      "org.example.two\n", self.info(fmu))
        self.assertEqual(
            json.loads(self.info(fmu, "--json"))["layeredStandards"], [
                {"folder": "org.example.one", "name": "org.example.one",
                 "version": "1.2", "description": "One & all"},
                {"folder": "org.example.two", "name": "", "version": "",
                 "description": ""}])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
