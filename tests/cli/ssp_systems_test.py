#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Systems in systems, kept or flattened; elements of arrays at their borders."""
import json
import os
import unittest

from structures import (HEAD_2, BUILD, FLAT, NESTED, ONE, TWO, Structures, component,
                        link, pins, system, values)

BORDER = {"x": "input", "v": "input", "F": "output"}
LINE = '<c:LinearTransformation factor="%s" offset="%s"/>'
DEEP = system("root", ONE + system("outer", system(
    "right", TWO, link("x", "msd2.x1") + link("v", "msd2.v1") +
    link("msd2.F", "F", LINE % (0.9, 0)),
    pins(**BORDER) + values(None, **{"msd2.dc": 3})),
    link("x", "right.x", LINE % (2, 0.1)) + link("v", "right.v") +
    link("right.F", "F", LINE % (1.01, 0)), pins(**BORDER)),
    link("msd1.x1", "outer.x", LINE % (0.37, 0)) +
    link("outer.v", "msd1.v1") + link("outer.F", "msd1.F"),
    values(None, **{"outer.right.msd2.cc": 0.7, "msd1.m1": 1.25}))


class Systems(Structures):
    def column(self, rows, name):
        return [row[rows[0].index(name)] for row in rows[1:]]

    def check_nested(self, text, pairs, *options):
        """Column by column what the flattened one gives."""
        path = self.pack(text)
        flat = self.rows(path, "--step", "0.2", *options)
        nested = self.rows(path, "--step", "0.2", "--nested", "--record",
                           "all", *options)
        for a, b in pairs.items():
            self.assertEqual(self.column(flat, a), self.column(nested, b), a)

    def test_nested_systems_give_what_flattened_ones_give(self):
        force = "{msd2}.outer/right/msd2.F"
        self.check_nested(DEEP, {
            "{msd1}.msd1.x1": "{msd1}.msd1.x1",
            "{msd1}.msd1.v1": "{msd1}.msd1.v1",
            force: "{outer}.outer.right/msd2.F"})
        self.check_nested(DEEP, {force: "{outer}.outer.right/msd2.F"},
                          "--error-control", "richardson")
        self.check_nested(NESTED, {
            "{msd1}.msd1.v1": "{msd1}.msd1.v1",
            "{msd2}.right/msd2.F": "{right}.right.F"})

    def test_what_becomes_of_systems_is_reported(self):
        path = self.pack(DEEP)

        def reported(*options):
            p = self.tutti("run", path, "--step", "0.2", "-o", "o.csv",
                           *options)
            return [line for line in p.stdout.splitlines()
                    if line.startswith("  structure ")]
        self.assertEqual(reported(), ["  structure      2 systems within it: "
                                  "flattened; --nested makes scenarios of "
                                  "them"])
        self.assertEqual(reported("--nested"), [
            "  structure      2 systems within it: scenarios inside"])
        path = self.pack(FLAT)
        self.assertEqual(reported(), [])

    def test_nested_ones_become_a_scenario(self):
        path = self.pack(DEEP)
        rows = self.rows(path, "--step", "0.2", "--nested")
        self.tutti("convert", path, "--nested", "-o", "deep.json")
        self.assertEqual(self.rows("deep.json", "--step", "0.2"), rows)
        with open(os.path.join(self.folder, "deep.json"),
                  encoding="utf-8") as f:
            made = json.load(f)
        outer = made["fmus"]["{outer}"]
        self.assertEqual(outer["ports"], {
            "inputs": {"right/msd2.x1": ["{right}.right.x"],
                       "v": ["{right}.right.v"]},
            "outputs": {"right/msd2.F": ["{right}.right.msd2.F"]}})
        self.assertEqual(made["transformations"], {
            "{outer}.outer.right/msd2.x1": {
                "keepUnit": False, "factor": 2 * 0.37, "offset": 0.1},
            "{msd1}.msd1.F": {"keepUnit": False, "factor": 1.01 * 0.9}})
        self.assertEqual(outer["fmus"]["{right}"]["parameters"], {
            "{msd2}.msd2.dc": {"value": 3.0, "optional": True},
            "{msd2}.msd2.cc": {"value": 0.7, "optional": True}})

    def test_connectors_that_nothing_outside_uses_are_ports(self):
        path = self.pack(NESTED.replace(link("msd1.x1", "right.x"), "")
                         .replace(link("right.F", "msd1.F"), ""))
        self.tutti("convert", path, "--nested", "-o", "n.json")
        with open(os.path.join(self.folder, "n.json"), encoding="utf-8") as f:
            made = json.load(f)
        self.assertEqual(made["fmus"]["{right}"]["ports"], {
            "inputs": {"v": ["{msd2}.msd2.v1"], "x": ["{msd2}.msd2.x1"]},
            "outputs": {"F": ["{msd2}.msd2.F"]}})

    def test_nested_is_of_structures(self):
        self.reference()
        p = self.tutti("run", "masses.json", "--nested", code=2)
        self.assertEqual(p.stderr, "tutti: --nested keeps systems of a system "
                         "structure (SSP): there is none\n")


def array(name, kind):
    return f'<d:Connector name="{name}" kind="{kind}"><c:Float64/>' \
        '<c:Dimension size="3"/></d:Connector>'


def picked(start, end, a="", b=""):
    at = (f'startIndices="{a}" ' if a else "") + \
        (f'endIndices="{b}" ' if b else "")
    return link(start, end).replace("<d:Connection ", f"<d:Connection {at}")


def sizes(**n):
    return "<d:ParameterBindings><d:ParameterBinding><d:ParameterValues>" \
        '<v:ParameterSet version="2.0" name="s"><v:Parameters>' + "".join(
            f'<v:Parameter name="{name}.n"><v:UInt64 value="{value}"/>'
            "</v:Parameter>" for name, value in n.items()) + \
        '<v:Parameter name="s.mix.w"><v:Float64 value="10 -1"/>' \
        '<c:Dimension size="2"/></v:Parameter>' \
        "</v:Parameters></v:ParameterSet></d:ParameterValues>" \
        "</d:ParameterBinding></d:ParameterBindings>"


TONE = component("tone", "harmonics-fmi3").replace(
    "<d:Connectors>", "<d:Connectors>" + array("y", "output"))
MIX = component("mix", "mixer-fmi3", s="output").replace(
    "<d:Connectors>", "<d:Connectors>" + array("u", "input"))


class Elements(Structures):
    """A mixer in a system gets the first and third of three harmonics."""
    head = HEAD_2
    fmus = [os.path.join(BUILD, "examples", "harmonics", name)
            for name in ("harmonics-fmi3.fmu", "mixer-fmi3.fmu")]

    def structure(self, outside, inside):
        return system("root", TONE + system(
            "s", MIX, inside + link("mix.s", "s"),
            f"<d:Connectors>{array('u', 'input')}"
            '<d:Connector name="s" kind="output"/></d:Connectors>'),
            outside, sizes(tone=3, **{"s.mix": 2}))

    def sums(self, outside, inside, *options):
        rows = self.rows(self.pack(self.structure(outside, inside)),
                         "--step", "0.25", "--record", "all", *options)
        at = next(i for i, name in enumerate(rows[0]) if name.endswith(".s"))
        return [row[at] for row in rows[1:]]

    def test_elements_at_a_border(self):
        expected = self.sums(
            picked("tone.y", "s.u", "1", "1") +
            picked("tone.y", "s.u", "3", "2"),
            picked("u", "mix.u", "1", "1") + picked("u", "mix.u", "2", "2"))
        self.assertGreater(len(set(expected)), 30)
        # fed whole, read by elements
        whole = link("tone.y", "s.u"), \
            picked("u", "mix.u", "1", "1") + picked("u", "mix.u", "3", "2")
        # ... and the other way round
        parts = picked("tone.y", "s.u", "1", "1") + \
            picked("tone.y", "s.u", "3", "2"), link("u", "mix.u")
        for way in (whole, parts):
            self.assertEqual(self.sums(*way), expected)
            self.assertEqual(self.sums(*way, "--nested"), expected)

    def test_an_array_at_a_border_is_given_a_value(self):
        """10 * 0.25 - 7, of the first and the third."""
        path = self.pack(self.structure(
            "", picked("u", "mix.u", "1", "1") +
            picked("u", "mix.u", "3", "2")).replace(
            "</v:Parameters>", '<v:Parameter name="s.u"><v:Float64 '
            'value="0.25 5 7"/><c:Dimension size="3"/></v:Parameter>'
            "</v:Parameters>"))
        for options in [], ["--nested"]:
            rows = self.rows(path, "--step", "0.25", "--record", "*.s",
                             *options)
            self.assertEqual(rows[1][-1], "-4.5")

    def test_whole_and_by_elements_is_refused(self):
        path = self.pack(self.structure(
            link("tone.y", "s.u") + picked("tone.y", "s.u", "1", "2"),
            link("u", "mix.u")))
        p = self.tutti("run", path, code=2)
        self.assertEqual(p.stderr, f"tutti: {path}/SystemStructure.ssd:10:1: "
                         "the connector 'u' of 's' is fed whole and by "
                         "elements\n")


if __name__ == "__main__":
    unittest.main()
