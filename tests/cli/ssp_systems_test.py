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


UNITS = os.path.join(BUILD, "tests", "units")

T = '<d:Enumerations><c:Enumeration name="T"><c:Item name="cold" ' \
    'value="2"/><c:Item name="warm" value="5"/></c:Enumeration></d:Enumerations>'


def table(kind, **pairs):
    return f"<c:{kind}MappingTransformation>" + "".join(
        f'<c:MapEntry source="{a}" target="{b}"/>'
        for a, b in pairs.items()) + f"</c:{kind}MappingTransformation>"


def whole(*pairs):
    return table("Integer", **{str(a): b for a, b in pairs})


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


class Transformed(Structures):
    """Tables through connectors of systems, to a unit whose outputs repeat its
    inputs: a gives what it is set to, b in the system `in` gets it."""
    head = HEAD_2

    def structure(self, *ways, before="", more=""):
        """Each way: from, to, what is on it to the border and behind; types
        of the first connector and of the border's."""
        def unit(name, kinds):
            return f'<d:Component name="{name}" source="{UNITS}/' \
                f'alltypes-fmi3.fmu">{bare(kinds)}</d:Component>'

        def bare(kinds):
            return "<d:Connectors>" + "".join(
                f'<d:Connector name="{n}" kind="{k}">{t}</d:Connector>'
                for n, k, t in kinds) + "</d:Connectors>"
        inner = system(
            "in", unit("b", [(w[1], "input", "") for w in ways]),
            "".join(link(f"p{i}", f"b.{w[1]}", w[3])
                    for i, w in enumerate(ways)),
            bare([(f"p{i}", "input", w[5] if len(w) > 5 else "")
                  for i, w in enumerate(ways)]))
        text = system(
            "r", unit("a", [(w[0], "output", w[4] if len(w) > 4 else "")
                            for w in ways]) + inner,
            "".join(link(f"a.{w[0]}", f"in.p{i}", w[2])
                    for i, w in enumerate(ways)), before)
        with open(os.path.join(self.folder, "s.ssd"), "w",
                  encoding="utf-8") as f:
            f.write(HEAD_2 + text + more +
                    '<d:DefaultExperiment startTime="0" stopTime="0.2"/>'
                    "</d:SystemStructureDescription>")

    def received(self, path, *options):
        """What b has in the end."""
        rows = self.rows(path, "--step", "0.1", "--record", "all", *options)
        return {n.rpartition(".")[2][:-4]: x
                for n, x in zip(rows[0], rows[-1])
                if "b." in n and n.endswith("_out")}

    def check(self, **want):
        """Flat, nested, converted, exported and read again."""
        def is_it(*words):
            got = self.received(*words)
            self.assertEqual({n: got[n] for n in want}, want)
            self.assertEqual(got, flat)
        flat = self.received("s.ssd")
        is_it("s.ssd")
        is_it("s.ssd", "--nested")
        self.tutti("convert", "s.ssd", "-f", "-o", "s.json")
        is_it("s.json")
        self.tutti("export", "s.json", "-f", "-o", "s.ssp")
        is_it("s.ssp")
        self.tutti("export", "s.ssd", "-f", "-o", "t.ssp")
        is_it("t.ssp")
        is_it("t.ssp", "--nested")

    def test_items_are_those_of_the_fmus(self):
        """off, idle, on are 1, 2, 3; a starts with idle."""
        self.structure(("mode_out", "mode_in", "",
                        table("Enumeration", idle="on", on="off")))
        self.check(mode="3")
        self.structure(("mode_out", "mode_in",
                        table("Enumeration", idle="off"), ""))
        self.check(mode="1")
        # one side is named in the file: cold is 2 there
        self.structure(("mode_out", "mode_in", "",
                        table("Enumeration", cold="on"),
                        '<c:Enumeration name="T"/>'), more=T)
        self.check(mode="3")
        self.tutti("check", "s.ssd", "--step", "0.1", "--only-base", UNITS)
        for more, says in (
                ((), f"s.ssd:4:1: FMU '{{alltypes-fmi3}}': '{UNITS}/alltypes-"
                 "fmi3.fmu' is not in the session: upload the file, and name "
                 "it 'session:alltypes-fmi3.fmu'"),
                (("--nested",), f"{UNITS}/alltypes-fmi3.fmu: it is outside of "
                 "the package")):
            p = self.tutti("run", "s.ssd", "--step", "0.1", "--only-base",
                           self.folder, *more, code=2)
            self.assertEqual(p.stderr, f"tutti: {says}\n")

    def test_items_that_are_not_there(self):
        def refused(message, *way):
            self.structure(way)
            p = self.tutti("check", "s.ssd", "--step", "0.1", code=2)
            self.assertEqual(p.stderr.splitlines()[0],
                             "tutti: s.ssd:" + message)
        refused("6:1: the enumeration of 'mode_out' has no item 'gone'",
                "mode_out", "mode_in", table("Enumeration", gone="on"), "")
        refused("6:1: the enumeration of 'p0' has no item 'gone'",
                "mode_out", "mode_in", table("Enumeration", on="gone"), "")
        # numbers have none, nor is there a variable of this name
        for name in "i32_out", "i99_out":
            refused(f"6:1: the connector '{name}' has no enumeration that the "
                    "file or an FMU defines: 'on' is no number; map numbers "
                    "with <IntegerMappingTransformation>",
                    name, "mode_in", table("Enumeration", on="on"), "")
        # between two tables nothing says what the names are
        refused("6:1: the connector 'p0' has no enumeration that the file or "
                "an FMU defines: 'off' is no number; map numbers with "
                "<IntegerMappingTransformation>",
                "mode_out", "mode_in", table("Enumeration", on="off"),
                table("Enumeration", off="on"))

    def test_one_behind_the_other(self):
        """a starts with true, -32, 32, 2 and -8."""
        ways = (("bool_out", "i8_in", table("Boolean", true="false"),
                 whole((0, 5), (1, 6))),
                ("i32_out", "f64_in", whole((-32, 3)), LINE % (0.5, 0.25)),
                ("u32_out", "f32_in", whole((1, 3)), LINE % (0.5, 0.25)),
                ("mode_out", "mode_in", table("Enumeration", idle="warm"),
                 whole((5, 3)), "", '<c:Enumeration name="T"/>'),
                ("i8_out", "i16_in", LINE % (2, 1), whole((-15, 7))))
        self.structure(*ways, more=T)
        # 3/2 + 1/4, 32/2 + 1/4; 2 * -8 + 1 = -15
        self.check(i8="5", f64="1.75", f32="16.25", mode="3", i16="7")
        p = self.tutti("export", "s.json", "-f", "-o", "s.ssp")
        self.assertEqual(
            [x for x in p.stderr.splitlines() if "table" in x],
            ["note: other tools will not see the table of "
             f"'{{alltypes-fmi3}}.in/b.{n}': it has a factor or an offset, too"
             for n in ("f64_in", "f32_in", "i16_in")])
        # ... and what they see breaks no rule
        p = self.tutti("check", "s.ssp", "--strict", "--step", "0.1")
        self.assertEqual(p.stderr, "")

    def test_floats_have_no_table(self):
        for way in (("", whole((1, 2))), (LINE % (2, 1), whole((1, 2)))):
            self.structure(("f64_out", "f64_in", *way))
            p = self.tutti("check", "s.ssd", "--step", "0.1", code=2)
            self.assertEqual(
                p.stderr, "tutti: s.ssd:4:1: values of '{alltypes-fmi3}.a."
                "f64_out' are no whole numbers or Booleans and cannot be "
                "mapped by a table for '{alltypes-fmi3}.in/b.f64_in'\n")

    def test_values_of_connectors(self):
        """4 becomes 10 and then 10/4 + 1; 5 becomes 5/4 + 1."""
        for given, want in ((4, "3.5"), (5, "2.25")):
            inner = system(
                "in", f'<d:Component name="b" source="{UNITS}/'
                'alltypes-fmi3.fmu">' + pins(f64_in="input") +
                "</d:Component>", link("p", "b.f64_in", LINE % (0.25, 1)),
                pins(p="input"))
            with open(os.path.join(self.folder, "s.ssd"), "w",
                      encoding="utf-8") as f:
                f.write(HEAD_2 + system(
                    "r", inner, link("q", "in.p", whole((4, 10))),
                    pins(q="input") +
                    values(None, q=given).replace("Real", "Int32")) +
                    '<d:DefaultExperiment startTime="0" stopTime="0.2"/>'
                    "</d:SystemStructureDescription>")
            self.check(f64=want)


if __name__ == "__main__":
    unittest.main()
