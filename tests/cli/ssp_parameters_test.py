#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Values of parameter sets, type by type, on a unit whose outputs repeat its
inputs; who wins, and where files are found."""
import json
import os
import unittest
import zipfile

from structures import (BUILD, HEAD_2, SSP, Structures, component, pins,
                        system)

UNITS = os.path.join(BUILD, "tests", "units")
TAIL = '<d:DefaultExperiment startTime="0" stopTime="0.2"/>' \
    "</d:SystemStructureDescription>"
START = {"f64": "0.5", "f32": "0.25", "i8": "-8", "u8": "8", "i16": "-16",
         "u16": "16", "i32": "-32", "u32": "32", "i64": "-64", "u64": "64",
         "bool": "true", "text": "start", "mode": "2",
         "vector": ["1.0", "2.0", "3.0"], "matrix": list("123456")}


def value(name, kind, given, dims=(), inner="", of=""):
    more = f' name="{of}"' if of else ""
    if given is not None:
        more += f' value="{given}"'
    return f'<v:Parameter name="{name}"><v:{kind}{more}>{inner}</v:{kind}>' + \
        "".join(f'<c:Dimension size="{d}"/>' for d in dims) + "</v:Parameter>"


def bound(values, mapping="", attrs="", enums=""):
    if mapping:
        mapping = "<d:ParameterMapping><m:ParameterMapping version=\"2.0\" " \
            f'xmlns:m="{SSP}ParameterMapping">{mapping}' \
            "</m:ParameterMapping></d:ParameterMapping>"
    return f"<d:ParameterBinding{attrs}><d:ParameterValues>" \
        '<v:ParameterSet version="2.0" name="s"><v:Parameters>' \
        f"{values}</v:Parameters>{enums}</v:ParameterSet>" \
        f"</d:ParameterValues>{mapping}</d:ParameterBinding>"


def bindings(*each):
    return f'<d:ParameterBindings>{"".join(each)}</d:ParameterBindings>'


def entry(source, target, by=""):
    return f'<m:MappingEntry source="{source}" target="{target}">{by}' \
        "</m:MappingEntry>"


def table(kind, *pairs):
    return f"<c:{kind}MappingTransformation>" + "".join(
        f'<c:MapEntry source="{a}" target="{b}"/>' for a, b in pairs) + \
        f"</c:{kind}MappingTransformation>"


MODE = "<v:Enumerations><c:Enumeration name=\"M\">" \
    '<c:Item name="idle" value="7"/><c:Item name="on" value="8"/>' \
    "</c:Enumeration></v:Enumerations>"


class Parameters(Structures):
    fmu = "alltypes-fmi3.fmu"

    def write(self, before, inner="", name="s.ssd"):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(HEAD_2 + system("r", f'<d:Component name="a" source='
                                    f'"{UNITS}/{self.fmu}">{inner}'
                                    "</d:Component>", "", before) + TAIL)
        return name

    def outputs(self, name="s.ssd", *options):
        """What the outputs repeat at the start, where it is not what the unit
        itself starts with."""
        rows = self.rows(name, "--step", "0.1", "--record", "all", *options)
        found = {}
        for n, x in zip(rows[0], rows[1]):
            n = n.rpartition(".")[2]
            if "_out" not in n:
                continue
            n, _, index = n.partition("_out")
            if index:
                found.setdefault(n, []).append(x)
            else:
                found[n] = x
        return {n: x for n, x in found.items() if x != START[n]}

    def given(self, *each, **more):
        return self.outputs(self.write(bindings(bound(*each, **more))))

    def refused(self, values, says):
        name = self.write(bindings(bound(values)))
        p = self.tutti("check", name, "--step", "0.1", code=2)
        self.assertEqual(p.stderr, f"tutti: s.ssd:4:1: {says}\n")

    def test_every_type(self):
        wide = {"f32": ("Float32", "0.125"), "i8": ("Int8", "-128"),
                "u8": ("UInt8", "255"), "i16": ("Int16", "-32768"),
                "u16": ("UInt16", "65535"), "u32": ("UInt32", "4294967295"),
                "i64": ("Int64", "-9007199254740993"),
                "u64": ("UInt64", "18446744073709551615")}
        every = {"f64": ("Float64", "1.5"), "i32": ("Int32", "-70000"),
                 "bool": ("Boolean", "false"), "text": ("String", "x y")}
        values = "".join(value(f"a.{n}_in", k, x)
                         for n, (k, x) in {**wide, **every}.items())
        self.assertEqual(self.given(values), {
            n: x for n, (_, x) in {**wide, **every}.items()})
        old = {"f64": ("Real", "1.5"), "i32": ("Integer", "7"),
               "bool": ("Boolean", "0"), "text": ("String", "")}
        values = "".join(value(f"a.{n}_in", k, x)
                         for n, (k, x) in old.items())
        for self.fmu in "alltypes.fmu", "alltypes-fmi3.fmu":
            self.assertEqual(self.given(values), {
                "f64": "1.5", "i32": "7", "bool": "false", "text": ""})

    def test_lists_row_by_row(self):
        values = value("a.vector_in", "Float64", "4 5 6", [3]) + \
            value("a.matrix_in", "Int32", "10 20 30 40 50 60", [2, 3])
        self.assertEqual(self.given(values), {
            "vector": ["4.0", "5.0", "6.0"],
            "matrix": ["10", "20", "30", "40", "50", "60"]})

    def test_types_that_differ(self):
        # nothing is lost: taken
        self.assertEqual(self.given(value("a.f64_in", "Int32", 3) +
                                    value("a.i8_in", "Float64", 3)),
                         {"f64": "3.0", "i8": "3"})
        for values, says in (
                (value("a.i8_in", "Int32", 128),
                 "'{alltypes-fmi3}.a.i8_in' is Int8 and cannot be set to 128"),
                (value("a.i8_in", "Float64", 3.5),
                 "'{alltypes-fmi3}.a.i8_in' is Int8 and cannot be set to 3.5"),
                (value("a.vector_in", "Float64", "4 5", [2]),
                 "'{alltypes-fmi3}.a.vector_in' has 3 elements, 2 values were "
                 "given"),
                (value("a.bool_in", "Boolean", 2),
                 "'2' is not a value of type Boolean"),
                (value("a.f64_out", "Float64", 2),
                 "'{alltypes-fmi3}.a.f64_out' cannot be set: it is output, "
                 "continuous, calculated")):
            self.refused(values, says)

    def test_items_are_names(self):
        """The FMU's off, idle, on are 1, 2, 3."""
        on = value("a.mode_in", "Enumeration", "on")
        for self.fmu in ("alltypes-fmi1.fmu", "alltypes.fmu",
                         "alltypes-fmi3.fmu"):
            self.assertEqual(self.given(on), {"mode": "3"})
        # ... whatever numbers the file has for them
        named = value("a.mode_in", "Enumeration", "on", of="M")
        self.assertEqual(self.given(named, enums=MODE), {"mode": "3"})
        self.assertEqual(self.outputs("s.ssd", "--nested"), {"mode": "3"})
        self.tutti("convert", "s.ssd", "-o", "s.json")
        self.assertEqual(self.outputs("s.json"), {"mode": "3"})
        with open(os.path.join(self.folder, "s.json"), encoding="utf-8") as f:
            self.assertEqual(json.load(f)["parameters"],
                             {"{alltypes-fmi3}.a.mode_in": {
                                 "value": "on", "optional": True}})
        # a variable that is none has the number of the file
        named = value("a.i8_in", "Enumeration", "on", of="M")
        self.assertEqual(self.given(named, enums=MODE), {"i8": "8"})
        # numbers and the command line
        self.assertEqual(self.given(value("a.mode_in", "Int32", 1)),
                         {"mode": "1"})
        self.assertEqual(self.outputs("s.ssd", "--set",
                                      "{alltypes-fmi3}.a.mode_in=on"),
                         {"mode": "3"})
        self.refused(value("a.mode_in", "Enumeration", "gone"),
                     "'{alltypes-fmi3}.a.mode_in' is Enumeration and cannot be "
                     "set to \"gone\"; its items are 'off', 'idle', 'on'")

    def test_items_are_written_as_such(self):
        for given in 3, "on":
            with open(os.path.join(self.folder, "n.json"), "w",
                      encoding="utf-8") as f:
                json.dump({"fmus": {"{u}": os.path.join(UNITS, self.fmu)},
                           "instances": ["{u}.a"], "endTime": 0.2,
                           "parameters": {"{u}.a.mode_in": given},
                           "algorithm": {"type": "fixed-step", "size": 0.1}},
                          f)
            for version in "1.0", "2.0":
                self.tutti("export", "n.json", "-f", "-o", "n.ssp", "--ssp",
                           version)
                with zipfile.ZipFile(os.path.join(self.folder, "n.ssp")) as z:
                    self.assertIn(b'<ssv:Enumeration value="on"/>',
                                  z.read("resources/parameters.ssv"))
                self.assertEqual(self.outputs("n.ssp"), {"mode": "3"})
            # formats without names of items have its number
            for path, says in (("n.xml", b'<Integer value="3"/>'),
                               ("n.msim", b"a.mode_in 3")):
                self.tutti("convert", "n.json", "-f", "-o", path)
                with open(os.path.join(self.folder, path), "rb") as f:
                    self.assertIn(says, f.read())
                self.assertEqual(self.outputs(path), {"mode": "3"})

    def test_tables(self):
        values = value("b", "Boolean", "true") + value("n", "Int32", 4) + \
            value("e", "Enumeration", "hot") + value("k", "Int32", 5)
        flip = table("Boolean", ("true", "false"), ("false", "true"))
        whole = table("Integer", (4, -40))
        items = table("Enumeration", ("cold", "off"), ("hot", "on"))
        self.assertEqual(
            self.given(values, entry("b", "a.bool_in", flip) +
                       entry("n", "a.i32_in", whole) +
                       entry("k", "a.i16_in", whole) +
                       entry("e", "a.mode_in", items)),
            {"bool": "false", "i32": "-40", "i16": "5", "mode": "3"})

    def test_two_ways_to_give_a_text(self):
        one = '<v:Value value="z"/>'
        self.assertEqual(self.given(value("a.text_in", "String", None, (),
                                          one)), {"text": "z"})
        self.assertEqual(self.given(value("a.text_in", "String", "w", (),
                                          one)), {"text": "w"})
        p = self.tutti("check", "s.ssd", "--step", "0.1")
        self.assertEqual(p.stderr, "tutti: warning: s.ssd:4:1: the parameter "
                         "'a.text_in' has a 'value' and <Value> in it, which "
                         "the standard forbids; the first counts\n")

    def test_who_wins(self):
        """1 at the component, 2 in the inner structure, 3 at the component
        that is this structure, 4 in the system around; each level also has the
        first of two bindings, which loses."""
        def level(n, prefix):
            return [bound("".join(value(f"{prefix}{name}", "Float64", x)
                                  for name in names))
                    for x, names in ((90 + n, ALL[n - 1:]),
                                     (n, ALL[n - 1:]))]
        ALL = ["f64_in", "f32_in", "vector_in[1]", "vector_in[2]"]
        self.write(bindings(*level(2, "a.")), bindings(*level(1, "")),
                   "in.ssd")
        with open(os.path.join(self.folder, "s.ssd"), "w",
                  encoding="utf-8") as f:
            f.write(HEAD_2 + system(
                "r", '<d:Component name="sub" source="in.ssd" type='
                '"application/x-ssp-definition">' +
                bindings(*level(3, "a.")) + "</d:Component>", "",
                bindings(*level(4, "sub.a."))) + TAIL)
        want = {"f64": "1.0", "f32": "2.0", "vector": ["3.0", "4.0", "3.0"]}
        self.assertEqual(self.outputs(), want)
        self.assertEqual(self.outputs("s.ssd", "--nested"), want)

    def test_connectors_of_systems(self):
        """A value for a connector is one for all that it feeds, transformed on
        the way: 2 * 3 + 1."""
        def feed(start, end, by=""):
            return f'<d:Connection startConnector="{start}" endElement=' \
                f'"{end[0]}" endConnector="{end[1]}">{by}</d:Connection>'
        line = '<c:LinearTransformation factor="2" offset="1"/>'
        for kind in "parameter", "input":
            inner = system("in", f'<d:Component name="a" source="{UNITS}/'
                           f'{self.fmu}">' + pins(f64_in="input",
                                                  f32_in="input") +
                           "</d:Component>",
                           feed("p", ("a", "f64_in"), line) +
                           feed("p", ("a", "f32_in")), pins(p=kind))
            with open(os.path.join(self.folder, "s.ssd"), "w",
                      encoding="utf-8") as f:
                f.write(HEAD_2 + system(
                    "r", inner, feed("q", ("in", "p")), pins(q=kind) +
                    bindings(bound(value("q", "Float64", 3)))) + TAIL)
            want = {"f64": "7.0", "f32": "3.0"}
            self.assertEqual(self.outputs(), want)
            self.assertEqual(self.outputs("s.ssd", "--nested"), want)

    def test_files_within_a_component(self):
        """Set and mapping are in the FMU; both are taken from there."""
        files = {"resources/v.ssv": '<v:ParameterSet version="2.0" name="s" '
                 f'xmlns:v="{SSP}ParameterValues"><v:Parameters>' +
                 value("gain", "Float64", 2.5) +
                 "</v:Parameters></v:ParameterSet>",
                 "resources/m.ssm": '<m:ParameterMapping version="2.0" '
                 f'xmlns:m="{SSP}ParameterMapping" xmlns:c="{SSP}Common">' +
                 entry("gain", "f64_in", '<c:LinearTransformation factor="4"/>')
                 + "</m:ParameterMapping>"}
        path = os.path.join(self.folder, "resources", "own.fmu")
        os.mkdir(os.path.dirname(path))
        with zipfile.ZipFile(os.path.join(UNITS, self.fmu)) as old, \
                zipfile.ZipFile(path, "w") as new:
            for name in old.namelist():
                new.writestr(name, old.read(name))
            for name, text in files.items():
                new.writestr(name, text)
        with open(os.path.join(self.folder, "s.ssd"), "w",
                  encoding="utf-8") as f:
            f.write(HEAD_2 + system("r", component(
                "a", "own", bindings(
                    '<d:ParameterBinding source="resources/v.ssv" sourceBase='
                    '"component"><d:ParameterMapping source="resources/m.ssm" '
                    'sourceBase="component"/></d:ParameterBinding>'),
                f64_in="input"), "") + TAIL)
        self.assertEqual(self.outputs(), {"f64": "10.0"})


if __name__ == "__main__":
    unittest.main()
