#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Scenarios written in other formats give the same results, byte for byte."""
import glob
import hashlib
import json
import os
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
import zipfile

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
MASSES = os.path.join(EXAMPLES, "double-mass-spring-damper")
SSP = "http://ssp-standard.org/SSP1/SystemStructure"
STRUCTURE = f"""<?xml version="1.0"?>
<d:SystemStructureDescription version="1.0" name="masses"
  xmlns:d="{SSP}Description" xmlns:c="{SSP}Common" xmlns:v="{SSP}ParameterValues">
<d:System name="root">
<d:ParameterBindings><d:ParameterBinding><d:ParameterValues>
<v:ParameterSet version="1.0" name="s"><v:Parameters>
<v:Parameter name="msd2.c2"><v:Real value="2"/></v:Parameter>
<v:Parameter name="msd2.absent"><v:Real value="2" unit="mm"/></v:Parameter>
</v:Parameters><v:Units><c:Unit name="mm"><c:BaseUnit m="1" factor="0.001"/>
</c:Unit></v:Units></v:ParameterSet>
</d:ParameterValues></d:ParameterBinding></d:ParameterBindings>
<d:Elements>
<d:Component name="msd2" source="resources/msd2.fmu"><d:Connectors>
<d:Connector name="x1" kind="input"><c:Real/></d:Connector>
<d:Connector name="v1" kind="input"><c:Real/></d:Connector>
<d:Connector name="F" kind="output"><c:Real/></d:Connector></d:Connectors>
</d:Component>
<d:Component name="msd1" source="resources/msd1.fmu"><d:Connectors>
<d:Connector name="x1" kind="output"><c:Real/></d:Connector>
<d:Connector name="v1" kind="output"><c:Real/></d:Connector>
<d:Connector name="F" kind="input"><c:Real/></d:Connector></d:Connectors>
</d:Component>
</d:Elements><d:Connections>
<d:Connection startElement="msd1" startConnector="x1" endElement="msd2"
  endConnector="x1"><c:LinearTransformation factor="0.5" offset="0.1"/>
</d:Connection>
<d:Connection startElement="msd1" startConnector="v1" endElement="msd2"
  endConnector="v1"/>
<d:Connection startElement="msd2" startConnector="F" endElement="msd1"
  endConnector="F"/>
</d:Connections></d:System>
<d:DefaultExperiment startTime="0" stopTime="5"/>
</d:SystemStructureDescription>
"""


D, C, V = (f"{{{SSP}{w}}}" for w in ("Description", "Common",
                                     "ParameterValues"))
TYPES = {"1.0": {"Real", "Integer", "Boolean", "String", "Binary"},
         "2.0": {"Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16",
                 "Int32", "UInt32", "Int64", "UInt64", "Boolean", "String",
                 "Binary", "Dimension"}}
# Children in the order of the standard's schemas.
ORDER = {"SystemStructureDescription": ["System", "Enumerations", "Units",
                                        "DefaultExperiment", "Annotations"],
         "System": ["Connectors", "ParameterBindings", "Elements",
                    "Connections"],
         "Component": ["Connectors", "Annotations"]}


class Rules:
    """What a structure must keep, in the words of the standard."""

    def __init__(self, test, path):
        self.test = test
        with zipfile.ZipFile(path) as z:
            self.names = z.namelist()
            self.root = xml.fromstring(z.read("SystemStructure.ssd"))
            self.values = xml.fromstring(z.read("resources/parameters.ssv")) \
                if "resources/parameters.ssv" in self.names else None
        self.version = self.root.get("version")
        self.system = self.root.find(D + "System")

    def check(self):
        for e in self.root.iter():
            tags = [c.tag.split("}")[1] for c in e]
            order = ORDER.get(e.tag.split("}")[1])
            if order:
                self.test.assertEqual(tags, [t for t in order if t in tags])
        ends = {"": self.connectors(self.system)}
        for c in self.system.iter(D + "Component"):
            self.test.assertNotIn(c.get("name"), ends)
            self.test.assertIn(c.get("source"), self.names)
            ends[c.get("name")] = self.connectors(c)
        for c in self.system.iter(D + "Connection"):
            for end in "start", "end":
                self.test.assertIn(c.get(end + "Connector"),
                                   ends[c.get(end + "Element", "")])
        return self.check_values(ends)

    def units(self, root, prefix):
        names = [u.get("name") for u in root.iterfind(
            f"{prefix}Units/{C}Unit")]
        self.test.assertEqual(len(names), len(set(names)))
        for u in root.iter(C + "Unit"):
            self.test.assertEqual([c.tag for c in u], [C + "BaseUnit"])
        return names

    def connectors(self, element):
        units, names = self.units(self.root, D), set()
        for c in element.iterfind(f"{D}Connectors/{D}Connector"):
            self.test.assertNotIn(c.get("name"), names)
            names.add(c.get("name"))
            self.test.assertIn(c.get("kind"), ("input", "output", "parameter"))
            for t in c:
                self.test.assertIn(t.tag.removeprefix(C), TYPES[self.version])
                self.test.assertIn(t.get("unit"), [None, *units])
        return names

    def check_values(self, ends):
        if self.values is None:
            return
        self.test.assertEqual(self.values.get("version"), self.version)
        units, names = self.units(self.values, V), set()
        for p in self.values.iter(V + "Parameter"):
            self.test.assertNotIn(p.get("name"), names)
            names.add(p.get("name"))
            self.test.assertTrue(any(p.get("name").startswith(e + ".")
                                     for e in ends if e), p.get("name"))
            self.test.assertIn(p[0].get("unit"), [None, *units])


class Convert(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def tutti(self, *words, code=0):
        p = subprocess.run([TUTTI, *words], capture_output=True, text=True,
                           cwd=self.folder, check=False)
        self.assertEqual(p.returncode, code, p.stderr)
        return p

    def results(self, path, *options):
        out = os.path.join(self.folder, "out.csv")
        p = subprocess.run([TUTTI, "run", path, "-q", "-o", out, *options],
                           capture_output=True, text=True, cwd=self.folder,
                           check=False)
        with open(out, "rb") as f:
            return p.returncode, f.read()

    def package(self):
        path = os.path.join(self.folder, "masses.ssp")
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("SystemStructure.ssd", STRUCTURE)
            for fmu in ("msd1.fmu", "msd2.fmu"):
                z.write(os.path.join(MASSES, fmu), "resources/" + fmu)
        return path

    def test_a_structure_as_a_scenario(self):
        p = self.tutti("convert", self.package(), "-o", "sub.json")
        self.assertIn("sub.json: written, and nothing is lost", p.stdout)
        with open(os.path.join(self.folder, "sub.json"),
                  encoding="utf-8") as f:
            s = json.load(f)
        self.assertEqual(s["fmus"], {
            "{msd2}": "sub-files/resources/msd2.fmu",
            "{msd1}": "sub-files/resources/msd1.fmu"})
        self.assertEqual(s["instances"], ["{msd2}.msd2", "{msd1}.msd1"])
        self.assertEqual(s["transformations"], {"{msd2}.msd2.x1": {
            "keepUnit": False, "factor": 0.5, "offset": 0.1}})
        self.assertEqual(s["algorithm"],
                         {"type": "fixed-step", "size": "default"})
        self.assertEqual(s["parameters"]["{msd2}.msd2.c2"],
                         {"value": 2, "optional": True})
        one = self.results("masses.ssp")
        os.remove(os.path.join(self.folder, "masses.ssp"))
        self.assertEqual(self.results("sub.json"), one)
        self.assertEqual(one[0], 0)
        self.tutti("check", "sub.json")

    def test_a_structure_as_a_package(self):
        self.tutti("convert", self.package(), "-o", "it.ssp", "--ssp", "2.0")
        self.assertEqual(self.results("it.ssp"), self.results("masses.ssp"))

    def test_scenarios_laid_over_each_other_become_one(self):
        path = os.path.join(MASSES, "scenario.json")
        os.mkdir(os.path.join(self.folder, "d"))
        over = os.path.join(self.folder, "d", "over.json")
        with open(over, "w", encoding="utf-8") as f:
            json.dump({"endTime": 3, "parameters": {"{msd2}.msd2.m2": 4}}, f)
        whole = self.results(path, over)
        self.assertNotEqual(whole, self.results(path))
        for name in "it.json", "it.ssp":
            self.tutti("convert", path, over, "-o", name)
            self.assertEqual(self.results(name), whole)

    def test_an_fmu_alone(self):
        fmu = os.path.join(MASSES, "msd1.fmu")
        self.tutti("convert", fmu, "-o", "one.json")
        self.assertEqual(self.results("one.json"), self.results(fmu))

    def test_every_example_elsewhere(self):
        found = sorted(glob.glob(os.path.join(EXAMPLES, "*",
                                              "scenario*.json")))
        self.assertGreater(len(found), 20)
        for path in found:
            with self.subTest(os.path.relpath(path, EXAMPLES)):
                self.tutti("convert", path, "-o", "it.json", "-f", "-q")
                self.assertEqual(self.results("it.json"), self.results(path))

    def test_every_example_as_a_package(self):
        found = sorted(glob.glob(os.path.join(EXAMPLES, "*",
                                              "scenario*.json")))
        for i, path in enumerate(found):
            with self.subTest(os.path.relpath(path, EXAMPLES)):
                self.tutti("export", path, "-o", "it.ssp", "-f", "-q",
                           "--ssp", ("1.0", "2.0")[i % 2])
                Rules(self, os.path.join(self.folder, "it.ssp")).check()
                self.assertEqual(self.results("it.ssp"), self.results(path))

    def test_connectors_have_types_and_units(self):
        path = os.path.join(MASSES, "scenario.json")
        for version, real in (("1.0", "Real"), ("2.0", "Float64")):
            self.tutti("export", path, "-o", "it.ssp", "-f", "--ssp", version)
            r = Rules(self, os.path.join(self.folder, "it.ssp"))
            r.check()
            self.assertEqual(
                {(c.get("name"), *(t.tag.removeprefix(C) for t in c),
                  *(t.get("unit") for t in c))
                 for c in r.system.iter(D + "Connector")},
                {("x1", real, "m"), ("v1", real, "m/s"), ("F", real, "N")})
            self.assertEqual(
                {u.get("name"): {k: float(v) for k, v in u[0].items()
                                 if k not in ("factor", "offset")}
                 for u in r.root.iter(C + "Unit")},
                {"m": {"m": 1}, "m/s": {"m": 1, "s": -1},
                 "N": {"kg": 1, "m": 1, "s": -2}})

    def test_adaptations_go_along_with_their_inner_units(self):
        window = os.path.join(EXAMPLES, "power-window")
        path = os.path.join(window, "scenario-adapted.json")
        whole = self.results(path)
        self.assertEqual(whole[0], 0)
        self.tutti("export", path, "-o", "it.ssp")
        with zipfile.ZipFile(os.path.join(self.folder, "it.ssp")) as z:
            names = sorted(z.namelist())
            lazy = z.read("resources/lazy_sa.sa").decode()
        self.assertEqual(names, ["SystemStructure.ssd"] + [
            "resources/" + n for n in (
                "controller_sa.sa", "environment.fmu", "lazy_sa.sa",
                "loop_sa.sa", "obstacle.fmu", "power.fmu", "power_sa.sa",
                "rate_sa.sa", "window.fmu", "window_sa.sa",
                "windowcontroller.fmu")])
        self.assertIn('at "windowcontroller.fmu"', lazy)
        # ... and out of the package again, which may then be gone
        self.tutti("convert", "it.ssp", "-o", "sub.json")
        self.tutti("convert", "it.ssp", "-o", "again.ssp", "--ssp", "2.0")
        self.assertEqual(self.results("it.ssp"), whole)
        os.remove(os.path.join(self.folder, "it.ssp"))
        self.assertEqual(self.results("sub.json"), whole)
        self.assertEqual(self.results("again.ssp"), whole)

    def parts(self, path, *words):
        """Of the summary: role, key around it, name, and whether the sum is
        the file's; and the report has each sum."""
        line = ("run", path, "--json", "-o", "o.csv", "--report", "o.html",
                *words)
        summary = json.loads(self.tutti(*line).stdout)
        self.assertEqual(summary["command"], " ".join(("tutti", *line)))
        with open(os.path.join(self.folder, "o.html"), encoding="utf-8") as f:
            page = f.read()
        for part in summary["parts"]:
            self.assertEqual(page.count(part["sha256"]), 1, part)
        return summary["parts"], page

    @staticmethod
    def sums(folder, names):
        sums = []
        for name in names:
            with open(os.path.join(folder, name), "rb") as f:
                sums.append(hashlib.sha256(f.read()).hexdigest())
        return sums

    def test_a_result_states_what_produced_it(self):
        window = os.path.join(EXAMPLES, "power-window")
        path = os.path.join(window, "scenario-adapted.json")
        parts, page = self.parts(path)
        names = ["scenario-adapted.json", "lazy_sa.sa", "windowcontroller.fmu",
                 "power.fmu", "loop_sa.sa", "window_sa.sa", "window.fmu",
                 "obstacle.fmu"]
        self.assertEqual([os.path.basename(p["path"]) for p in parts], names)
        self.assertEqual([p["sha256"] for p in parts], self.sums(window, names))
        self.assertEqual([p["role"] for p in parts],
                         ["scenario"] + 7 * ["inner"])
        self.assertEqual([p["of"] for p in parts],
                         [None] + 2 * ["{controller}"] + ["{power}"] +
                         4 * ["{window}"])
        self.assertIn("<b>inner</b> of {power}<br/>", page)
        # a package
        self.package()
        parts, page = self.parts("masses.ssp")
        self.assertEqual([p["role"] for p in parts], ["package", "scenario"])
        self.assertEqual(parts[0]["sha256"],
                         self.sums(self.folder, ["masses.ssp"])[0])
        self.assertEqual(parts[1]["sha256"],
                         hashlib.sha256(STRUCTURE.encode()).hexdigest())

    def test_adaptations_that_name_each_other(self):
        os.mkdir(os.path.join(self.folder, "d"))
        with open(os.path.join(self.folder, "d", "a.sa"), "w",
                  encoding="utf-8") as f:
            f.write('semantic adaptation reactive moore A a at "A.fmu"\n'
                    'for inner fmu B b at "../d/a.sa"\n')
        with open(os.path.join(self.folder, "s.json"), "w",
                  encoding="utf-8") as f:
            json.dump({"fmus": {"{a}": "d/a.sa"}, "instances": ["{a}.a"],
                       "connections": {}, "endTime": 1, "algorithm": {
                           "type": "fixed-step", "size": 0.1}}, f)
        self.tutti("convert", "s.json", "-o", "it.ssp", "-q")
        p = self.tutti("run", "it.ssp", code=2)
        self.assertIn("a.sa", p.stderr)

    def edited(self, name, edit):
        """The package it.ssp with one file changed, as other.ssp."""
        with zipfile.ZipFile(os.path.join(self.folder, "it.ssp")) as old, \
                zipfile.ZipFile(os.path.join(self.folder, "other.ssp"),
                                "w") as new:
            for n in old.namelist():
                text = old.read(n)
                new.writestr(n, edit(text) if n == name else text)
        return "other.ssp"

    def test_a_structure_that_was_changed_counts(self):
        note = "the structure was changed after Tutti wrote it"
        path = os.path.join(EXAMPLES, "water-tank", "scenario.json")
        self.tutti("export", path, "-o", "it.ssp")
        whole = self.results(path)
        with zipfile.ZipFile(os.path.join(self.folder, "it.ssp")) as z:
            self.assertIn("resources/parameters.ssv", z.namelist())
            text = z.read("SystemStructure.ssd").decode()
        self.assertEqual(text.count("sha256="), len(z.namelist()) - 1)
        # another name of the system, by another tool: the structure counts
        self.edited("SystemStructure.ssd", lambda t: t.replace(
            b'<ssd:System name="system"', b'<ssd:System name="plant"'))
        p = self.tutti("run", "other.ssp", "-o", "o.csv", "--step", "0.1")
        self.assertIn(note, p.stdout + p.stderr)
        # ... and gives the same, where steps are the same
        step = self.results(path, "--step", "0.1", "--record", "all")
        self.assertEqual(
            self.results("other.ssp", "--step", "0.1", "--record", "all"),
            step)
        # positions are no structure
        self.edited("SystemStructure.ssd", lambda t: t.replace(
            b"        <ssd:Annotations><ssc:Annotation",
            b'<ssd:ElementGeometry x1="0" y1="0" x2="1" y2="1"/>'
            b"<ssd:Annotations><ssc:Annotation"))
        self.assertEqual(self.results("other.ssp"), whole)
        # nor are lines; values are
        self.edited("resources/parameters.ssv", lambda t: t + b"\n")
        self.assertEqual(self.results("other.ssp"), whole)
        self.edited("resources/parameters.ssv", lambda t: t.replace(
            b'value="8"', b'value="9"'))
        p = self.tutti("run", "other.ssp", "-o", "o.csv", "--step", "0.1")
        self.assertIn(note, p.stdout + p.stderr)

    def test_what_is_refused(self):
        fmu = os.path.join(MASSES, "msd1.fmu")
        for words, message in (
                ((fmu,), "missing -o FILE"),
                ((fmu, "-o", fmu), f"{fmu}: that is the file to convert"),
                ((fmu, "-o", "a.txt"), "a.txt: the ending states the format, "
                 "and is one of .ssp, .ssd, .zip, .xml, .msim, .json"),
                ((fmu, "-o", "a.ssp", "--ssp", "3"),
                 "--ssp is 1.0 or 2.0, not '3'"),
                ((fmu, "-o", "a.ssd"),
                 "a.ssd: a package's name ends in .ssp"),
                ((fmu, "-o", "no/a.json"), "no/a.json: there is no folder "
                 "'no'")):
            p = self.tutti("convert", *words, code=2)
            self.assertIn(message, p.stderr)
        self.tutti("convert", fmu, "-o", "a.json")
        p = self.tutti("convert", fmu, "-o", "a.json", code=2)
        self.assertIn("a.json exists; --force overwrites it", p.stderr)

    def test_transformations_and_values_are_checked(self):
        base = {"fmus": {"{a}": os.path.join(MASSES, "msd1.fmu"),
                         "{b}": os.path.join(MASSES, "msd2.fmu")},
                "connections": {"{a}.a.x1": ["{b}.b.x1"]}, "endTime": 1,
                "algorithm": {"type": "fixed-step", "size": 0.1}}
        for more, message in (
                ({"transformations": {"{b}.b.v1": {}}},
                 "'{b}.b.v1' is transformed, and no connection ends there"),
                ({"transformations": {"{b}.b.x1": {"map": [1]}}},
                 "each element of 'map' must be two numbers: what is mapped, "
                 "and to what"),
                ({"transformations": {"{b}.b.x1": {"map": 1}}},
                 "'map' must be an array of pairs, not an integer"),
                ({"parameters": {"{b}.b.c2": {"value": 1, "unit": {
                    "name": "x", "m": 0.5}}}},
                 "exponents of a unit are whole numbers"),
                ({"parameters": {"{b}.b.c2": {"unit": {"name": "x"}}}},
                 "'{b}.b.c2' lacks 'value'"),
                ({"instances": ["{a}.a", "{a}.a"]},
                 "the instance '{a}.a' is listed twice")):
            path = os.path.join(self.folder, "bad.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump({**base, **more}, f)
            p = self.tutti("check", path, code=2)
            self.assertIn(message, p.stderr + p.stdout)


if __name__ == "__main__":
    unittest.main()
