#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where instances are drawn: from structures, into them, and unharmed by both."""
import json
import os
import unittest
import zipfile

from structures import (FLAT, Structures, component, link, pins, system)


def box(kind, x1, y1, x2, y2, more=""):
    return f'<d:{kind}Geometry x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}"{more}/>'


def drawn(name, fmu, place, **kinds):
    return component(name, fmu, place, **kinds)


ONE = {"x1": "output", "v1": "output", "F": "input"}
TWO = {"x1": "input", "v1": "input", "F": "output"}
LINKS = link("msd1.x1", "msd2.x1") + link("msd1.v1", "msd2.v1") + \
    link("msd1.F", "msd2.F")


def deep(canvas="", place=""):
    """msd2 in a system whose canvas is 0..100 x 0..50, drawn in 40..60 x
    10..30."""
    inner = system("right", drawn("msd2", "msd2", box(
        "Element", 20, 10, 40, 40), **TWO), link("x", "msd2.x1") +
        link("v", "msd2.v1") + link("msd2.F", "F"),
        pins(x="input", v="input", F="output") + place)
    inner = inner.replace("</d:System>", canvas + "</d:System>")
    return system("root", drawn("msd1", "msd1", box(
        "Element", 0, 0, 10, 5), **ONE) + inner, link("msd1.x1", "right.x") +
        link("msd1.v1", "right.v") + link("right.F", "msd1.F"))


class Drawing(Structures):
    def diagram(self, path, *options):
        self.tutti("convert", path, "-f", "-o", "made.json", *options)
        with open(os.path.join(self.folder, "made.json"),
                  encoding="utf-8") as f:
            return json.load(f).get("diagram")

    def test_four_pixels_are_a_millimetre_and_down_is_up(self):
        text = system("root", drawn("msd1", "msd1", box(
            "Element", -10, 2.5, 10, 12.5), **ONE) + drawn(
            "msd2", "msd2", box("Element", 60, 20, 40, 0), **TWO), LINKS)
        self.assertEqual(self.diagram(self.pack(text)), {
            "{msd1}.msd1": [-40, -50, 40, -10],
            "{msd2}.msd2": [160, -80, 240, 0]})

    def test_one_that_lies_on_its_side(self):
        text = system("root", drawn("msd1", "msd1", box(
            "Element", 0, 0, 10, 2, ' rotation="90"'), **ONE) + drawn(
            "msd2", "msd2", box("Element", 0, 0, 10, 2, ' rotation="180"'),
            **TWO), LINKS)
        self.assertEqual(self.diagram(self.pack(text)), {
            "{msd1}.msd1": [16, -24, 24, 16],
            "{msd2}.msd2": [0, -8, 40, 0]})

    def test_what_is_not_drawn_has_no_place(self):
        self.assertIsNone(self.diagram(self.pack(FLAT)))
        text = system("root", drawn("msd1", "msd1", box(
            "Element", 0, 0, 10, 2), **ONE) + drawn("msd2", "msd2", "", **TWO),
            LINKS)
        self.assertEqual(self.diagram(self.pack(text)),
                         {"{msd1}.msd1": [0, -8, 40, 0]})

    def test_a_system_shows_its_canvas_in_its_place(self):
        # x: 40 + 20/100 (20..40), y: 10 + 20/50 (10..40), in millimetres
        text = deep(box("System", 0, 0, 100, 50), box(
            "Element", 40, 10, 60, 30))
        self.assertEqual(self.diagram(self.pack(text)), {
            "{msd1}.msd1": [0, -20, 40, 0],
            "{msd2}.right/msd2": [176, -104, 192, -56]})
        # without one it is what is drawn in it, here the only component
        text = deep("", box("Element", 40, 10, 60, 30))
        self.assertEqual(self.diagram(self.pack(text)), {
            "{msd1}.msd1": [0, -20, 40, 0],
            "{msd2}.right/msd2": [160, -120, 240, -40]})
        # and without a place of its own nothing of it is
        self.assertEqual(self.diagram(self.pack(deep())),
                         {"{msd1}.msd1": [0, -20, 40, 0]})

    def test_nested_ones_have_diagrams_of_their_own(self):
        text = deep("", box("Element", 40, 10, 60, 30))
        self.assertEqual(self.diagram(self.pack(text), "--nested"), {
            "{msd1}.msd1": [0, -20, 40, 0],
            "{right}.right": [160, -120, 240, -40]})
        with open(os.path.join(self.folder, "made.json"),
                  encoding="utf-8") as f:
            inner = json.load(f)["fmus"]["{right}"]
        self.assertEqual(inner["diagram"], {"{msd2}.msd2": [80, -160, 160,
                                                            -40]})

    def edit(self, change):
        """it.ssp with another description, as other.ssp."""
        with zipfile.ZipFile(os.path.join(self.folder, "it.ssp")) as old, \
                zipfile.ZipFile(os.path.join(self.folder, "other.ssp"),
                                "w") as new:
            for n in old.namelist():
                text = old.read(n)
                new.writestr(n, change(text.decode()) if n.endswith(".ssd")
                             else text)
        return "other.ssp"

    def test_an_export_has_them_and_comes_back(self):
        places = {"{msd1}.msd1": [24.5, 30, 204.5, 130],
                  "{msd2}.msd2": [300, -30, 480, 70]}
        rows = self.reference(diagram=places)
        for version in "1.0", "2.0":
            self.tutti("export", "masses.json", "-f", "-o", "it.ssp", "--ssp",
                       version)
            with zipfile.ZipFile(os.path.join(self.folder, "it.ssp")) as z:
                text = z.read("SystemStructure.ssd").decode()
            for place in (
                    '<ssd:ElementGeometry x1="6.125" y1="-32.5" x2="51.125" '
                    'y2="-7.5"/>',
                    '<ssd:ElementGeometry x1="75.0" y1="-17.5" x2="120.0" '
                    'y2="7.5"/>',
                    '<ssd:SystemGeometry x1="6.125" y1="-32.5" x2="120.0" '
                    'y2="7.5"/>'):
                self.assertIn(place, text)
            self.assertEqual(self.diagram("it.ssp"), places)
            self.assertEqual(self.rows("it.ssp"), rows)
        # another tool moves one: it is where that has put it, and the rest
        # of the scenario counts as it was written
        self.edit(lambda t: t.replace('x1="75.0"', 'x1="70.0"'))
        self.assertEqual(self.diagram("other.ssp"), {
            **places, "{msd2}.msd2": [280, -30, 480, 70]})
        self.assertEqual(self.rows("other.ssp"), rows)

    def test_settings_are_taken_of_a_structure_that_was_changed(self):
        self.reference(algorithm={"type": "fixed-step", "size": 0.05},
                       master="gauss-seidel", rates={"{msd1}.msd1": 2})
        self.tutti("export", "masses.json", "-o", "it.ssp")
        self.edit(lambda t: t.replace('<ssd:System name="system"',
                                      '<ssd:System name="plant"'))
        p = self.tutti("run", "other.ssp", "-o", "o.csv")
        self.assertIn("the structure was changed after Tutti wrote it: it "
                      "counts; of the scenario in its annotation only these "
                      "do: 'algorithm', 'master'\n", p.stdout + p.stderr)
        self.assertIn("gauss-seidel", p.stdout)
        self.assertIn("0.05 s", p.stdout)

    def test_a_place_that_is_none(self):
        self.reference(diagram={"{msd1}.msd1": [1, 2, 3, 4], "{x9}.gone":
                                [1, 2, 3, 4]})
        p = self.tutti("check", "masses.json")
        self.assertRegex(p.stderr, r"^tutti: warning: masses\.json:1:\d+: "
                         r"'diagram' has a place for '\{x9\}\.gone', which is "
                         r"no instance\n$")
        for wrong in [1, 2, 3], [1, 2, 3, "4"], 5, [1, 2, 3, 1e999]:
            self.write(diagram={"{msd1}.msd1": wrong})
            p = self.tutti("check", "masses.json", code=2)
            self.assertRegex(p.stderr, r"^tutti: masses\.json:1:\d+: ")

    def write(self, **more):
        path = os.path.join(self.folder, "masses.json")
        with open(path, encoding="utf-8") as f:
            scenario = json.load(f)
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**scenario, **more}, f)


if __name__ == "__main__":
    unittest.main()
