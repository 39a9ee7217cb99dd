#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""One file for a colleague: packages as .zip, what is in them, and their hashes."""
import hashlib
import json
import os
import re
import shutil
import unittest
import zipfile
from xml.etree import ElementTree

from structures import BUILD, FLAT, MASSES, NESTED, Structures

DRIVE = os.path.join(BUILD, "examples", "hinted-drive")
TABLE = "time,u\n0,0\n1,1\n10,1\n"


class Bundles(Structures):
    def put(self, name, value):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(value if isinstance(value, str) else json.dumps(value))

    def scenario(self):
        """A scenario with FMUs, a table, a scenario inside, and settings."""
        for name in "msd1.fmu", "msd2.fmu":
            shutil.copy(os.path.join(MASSES, name), self.folder)
        self.put("force.csv", TABLE)
        self.put("inner.json", {
            "fmus": {"{m}": "msd2.fmu"},
            "ports": {"inputs": {"x": "{m}.m.x1", "v": "{m}.m.v1"},
                      "outputs": {"F": "{m}.m.F"}}})
        self.put("s.json", {
            "fmus": {"{a}": "msd1.fmu", "{b}": "inner.json",
                     "{t}": "force.csv"},
            "connections": {"{a}.a.x1": ["{b}.b.x"], "{t}.t.u": ["{b}.b.v"],
                            "{b}.b.F": ["{a}.a.F"]},
            "algorithm": {"type": "fixed-step", "size": 0.05}, "endTime": 5,
            "masterAlgorithm": "gauss-seidel", "record": ["{a}.a.x1"]})
        return "s.json"

    def test_a_bundle_gives_the_same_elsewhere(self):
        rows = self.rows(self.scenario())
        p = self.tutti("export", "s.json", "-o", "s.zip")
        # the table and the scenario inside are none
        self.assertEqual(p.stdout, "s.zip: SSP 1.0, 2 FMUs inside\n")
        for name in os.listdir(self.folder):
            if name != "s.zip":
                os.remove(os.path.join(self.folder, name))
        self.assertEqual(self.rows("s.zip"), rows)

    def test_its_hashes_are_those_of_its_parts(self):
        self.scenario()
        self.tutti("export", "s.json", "-o", "s.zip")
        with zipfile.ZipFile(os.path.join(self.folder, "s.zip")) as z:
            ssd = ElementTree.fromstring(z.read("SystemStructure.ssd"))
            parts = {e.get("name"): e.get("sha256") for e in ssd.iter()
                     if e.tag.endswith("}Part")}
            self.assertEqual(sorted(parts), sorted(
                name for name in z.namelist() if name.startswith("resources/")))
            for name, given in parts.items():
                self.assertEqual(hashlib.sha256(z.read(name)).hexdigest(),
                                 given, name)
        p = self.tutti("run", "s.zip", "--json", "-o", "o.csv", "--report",
                       "r.html")
        with open(os.path.join(self.folder, "s.zip"), "rb") as f:
            whole = hashlib.sha256(f.read()).hexdigest()
        with open(os.path.join(self.folder, "r.html"), encoding="utf-8") as f:
            report = f.read()
        for text in p.stdout, report:
            self.assertIn(whole, text)
            self.assertIn(parts["resources/msd1.fmu"], text)

    def test_hints_and_settings_go_along(self):
        p = self.tutti("export", os.path.join(DRIVE, "scenario.json"),
                       os.path.join(DRIVE, "hints.json"), "-o", "d.zip")
        self.assertEqual(p.stdout, "d.zip: SSP 1.0, 3 FMUs inside\n")

        def judged(*files):
            p = self.tutti("run", *files, "--json", "-o", "o.csv")
            return json.loads(p.stdout)["expect"]
        own = judged(os.path.join(DRIVE, "scenario.json"),
                     os.path.join(DRIVE, "hints.json"))
        self.assertTrue(own)
        self.assertEqual(judged("d.zip"), own)

    def test_a_zip_that_is_none(self):
        with zipfile.ZipFile(os.path.join(self.folder, "x.zip"), "w") as z:
            z.writestr("readme.txt", "no structure")
        p = self.tutti("run", "x.zip", code=2)
        self.assertEqual(p.stderr, "tutti: x.zip: a zip archive without "
                         "modelDescription.xml, not a scenario or an FMU; "
                         "if FMUs are in it, unpack it\n")

    def test_an_fmu_is_made_of_a_structure(self):
        path = self.pack(NESTED)
        p = self.tutti("export", path, "-o", "both.fmu")
        self.assertEqual(p.stdout, "both.fmu: FMI 2, 26 variables, 2 FMUs "
                         "inside\n")
        rows = self.rows(path, "--step", "0.2", "--record",
                         "{msd2}.right/msd2.F")
        inside = self.rows("both.fmu", "--step", "0.2", "--record",
                           "*right/msd2.F")
        self.assertEqual([r[rows[0].index("{msd2}.right/msd2.F")]
                          for r in rows[1:]], [r[-1] for r in inside[1:]])

    def test_several_files_make_no_fmu(self):
        self.scenario()
        p = self.tutti("export", "s.json", "inner.json", "-o", "s.fmu", code=2)
        self.assertEqual(p.stderr, "tutti: an FMU is made of one scenario; "
                         "several files become one with 'tutti convert', or "
                         "one package: -o FILE.ssp\n")

    def test_info_as_json(self):
        path = self.pack(NESTED + '<c:MetaData kind="quality" '
                         'type="application/x-srmd-meta-data" '
                         'source="extra/q.srmd"/>\n', Winter=FLAT)
        shown = json.loads(self.tutti("info", "--json", path).stdout)
        scenario = shown.pop("scenario")
        self.assertEqual(shown, {
            "format": "SSP", "file": path, "name": "masses",
            "decision": "1 system within it: flattened; --nested makes "
                        "scenarios of them",
            "variants": ["SystemStructure", "Winter"],
            "metadata": [{"kind": "quality",
                          "type": "application/x-srmd-meta-data",
                          "source": "extra/q.srmd",
                          "file": path + "/SystemStructure.ssd",
                          "line": 14}],
            "extra": []})
        self.assertEqual(scenario["connections"], {
            "{msd2}.right/msd2.F": ["{msd1}.msd1.F"],
            "{msd1}.msd1.x1": ["{msd2}.right/msd2.x1"],
            "{msd1}.msd1.v1": ["{msd2}.right/msd2.v1"]})
        winter = json.loads(self.tutti("info", "--json", path, "--variant",
                                       "Winter").stdout)
        self.assertIsNone(winter["decision"])
        p = self.tutti("info", "--variant", "W", os.path.join(
            MASSES, "msd1.fmu"), code=2)
        self.assertTrue(re.search("there is none$", p.stderr))


if __name__ == "__main__":
    unittest.main()
