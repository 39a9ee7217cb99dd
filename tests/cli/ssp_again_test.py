#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a system structure says survives reading and writing, or is listed; rules
of the standard's schemas that a file breaks are named with their lines."""
import json
import os
import unittest
import xml.etree.ElementTree as ET
import zipfile

from structures import (FLAT, HEAD, NESTED, SSP, Structures, link, system,
                        values)

OURS = "urn:tutti:ssp"
NOTE = '<c:Annotation type="com.tool"><t:Note xmlns:t="urn:tool">x</t:Note>' \
    "</c:Annotation>"
FILE = f'xmlns:v="{SSP}ParameterValues" xmlns:m="{SSP}ParameterMapping" ' \
    f'xmlns:c="{SSP}Common" author="Ann" fileversion="7"'
SSV = f"""<v:ParameterSet version="1.0" name="set" {FILE}><!-- kept -->
<v:Parameters><v:Parameter name="mass" description="of the second">
<v:Real value="500" unit="g"/><c:Annotations>{NOTE}</c:Annotations>
</v:Parameter></v:Parameters>
<v:Units><c:Unit name="g" description="gram"><c:BaseUnit kg="1" factor="0.001"/>
</c:Unit></v:Units></v:ParameterSet>""".replace(
    "c:Annotations", "v:Annotations")
SSM = f"""<m:ParameterMapping version="1.0" {FILE}>
<m:MappingEntry source="mass" target="right.msd2.m2" description="renamed">
<c:LinearTransformation factor="2" offset="0.5"/>
<m:Annotations>{NOTE}</m:Annotations></m:MappingEntry>
</m:ParameterMapping>"""
FULL = NESTED.replace(
    '<d:System name="root">', '<d:System name="root" description="all" '
    'id="r"><d:ParameterBindings><d:ParameterBinding description="b" '
    'source="resources/v.ssv"><d:ParameterMapping source="resources/m.ssm"/>'
    f"<d:Annotations>{NOTE}</d:Annotations></d:ParameterBinding>"
    "</d:ParameterBindings>").replace(
    '<d:Component name="msd1"', '<d:Component name="msd1" description="one"'
).replace("<c:Real/></d:Connector>", '<c:Real/><d:ConnectorGeometry x="0" '
          'y="1"/></d:Connector>', 1).replace(
    link("right.v", "msd1.v1"),
    link("right.v", "msd1.v1", '<d:ConnectionGeometry pointsX="1 2" '
         'pointsY="3 4"/>')).replace(
    "</d:System>\n</d:Elements>", '<d:GraphicalElements><d:Note x1="0" y1="0" '
    'x2="1" y2="1" text="look"/></d:GraphicalElements></d:System>'
    "</d:Elements>") + \
    '<d:Enumerations><c:Enumeration name="Colour"><c:Item name="red" ' \
    'value="1"/></c:Enumeration></d:Enumerations><d:Units><c:Unit name="N">' \
    '<c:BaseUnit kg="1" m="1" s="-2"/></c:Unit></d:Units>'


class Again(Structures):
    head = HEAD.replace('name="masses"', 'name="masses" author="Ann" '
                        'fileversion="7" copyright="(c)" license="any" '
                        'description="whole" generationTool="Drawer" '
                        'generationDateAndTime="2020-01-01T00:00:00Z"')

    def full(self, text=FULL):
        path = self.pack(text, tail=f"<d:Annotations>{NOTE}</d:Annotations>",
                         Winter=FLAT)
        with zipfile.ZipFile(path, "a") as z:
            z.writestr("resources/v.ssv", SSV)
            z.writestr("resources/m.ssm", SSM)
            z.writestr("extra/com.tool/data.bin", b"\0\1")
            z.writestr("documentation/index.html", "<p>read me</p>")
        return path

    def parts(self, path):
        """All but our annotation."""
        with zipfile.ZipFile(os.path.join(self.folder, path)) as z:
            found = {n: z.read(n) for n in z.namelist()}
        root = ET.fromstring(found["SystemStructure.ssd"])
        for a in root.findall(f"{{{SSP}Description}}Annotations"):
            for one in list(a):
                if one.get("type") == OURS:
                    a.remove(one)
            if not len(a):
                root.remove(a)
        found["SystemStructure.ssd"] = ET.canonicalize(
            ET.tostring(root), strip_text=True)
        return found

    def converted(self, source, to):
        p = self.tutti("convert", source, "-o", to)
        return p.stdout.splitlines()[-1], "".join(
            line for line in p.stderr.splitlines()
            if not line.startswith("note: the files of"))

    def change(self, path, **fields):
        path = os.path.join(self.folder, path)
        with open(path, encoding="utf-8") as f:
            scenario = json.load(f)
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**scenario, **fields}, f)

    def test_all_is_written_as_it_was(self):
        path = self.full()
        rows = self.rows(path, "--step", "0.2")
        # 2 * 0.5 kg + 0.5 kg
        self.assertEqual(rows[1:], self.reference(
            parameters={"{msd2}.msd2.m2": 1.5})[1:])
        was = self.parts(path)
        for source, to in ((path, "b.ssp"), ("b.ssp", "c.ssp"),
                           (path, "d.json"), ("d.json", "e.ssp"),
                           ("b.ssp", "f.json"), ("f.json", "g.ssp")):
            self.assertEqual(self.converted(source, to),
                             (f"{to}: written, and nothing is lost", ""))
            if to.endswith(".ssp"):
                self.assertEqual(self.parts(to), was)
            self.assertEqual(self.rows(to, "--step", "0.2"), rows)
        self.tutti("convert", path, "--nested", "-o", "h.ssp")
        self.assertEqual(self.parts("h.ssp"), was)
        self.assertEqual(self.rows("h.ssp", "--step", "0.2")[1:], rows[1:])

    def test_settings_of_ours_go_along(self):
        self.converted(self.full(), "d.json")
        self.change("d.json", algorithm={"type": "fixed-step", "size": 0.1})
        self.converted("d.json", "e.ssp")
        self.assertEqual(self.parts("e.ssp"), self.parts(self.full()))
        self.assertEqual(len(self.rows("e.ssp")), 102)

    def test_values_that_another_tool_changed_count(self):
        self.converted(self.full(), "b.ssp")
        path = os.path.join(self.folder, "b.ssp")
        with zipfile.ZipFile(path) as z:
            parts = {n: z.read(n) for n in z.namelist()}
        parts["resources/v.ssv"] = parts["resources/v.ssv"].replace(
            b"500", b"250")
        with zipfile.ZipFile(path, "w") as z:
            for name, data in parts.items():
                z.writestr(name, data)
        self.assertEqual(self.rows("b.ssp", "--step", "0.2")[1:],
                         self.reference(parameters={"{msd2}.msd2.m2": 1})[1:])

    def resaved(self, path):
        """... by a tool that orders attributes and indents in its own way, says
        who it is, and describes and draws."""
        def text_of(name, data):
            root = ET.fromstring(data)
            for node in root.iter():
                if node.tag.startswith(f"{{{SSP}") and node.tag.endswith(
                        ("Component", "Connector", "Parameter")):
                    node.set("description", "of a tool")
                node.attrib.update(dict(sorted(
                    node.attrib.items(), reverse=True)))
            if name.endswith(".ssd"):
                del root.attrib["generationTool"]
                root.set("author", "Ann")
                root.set("generationTool", "Drawer")
                root.find("d:System", {"d": f"{SSP}Description"}).append(
                    ET.fromstring(f'<d:GraphicalElements xmlns:d="{SSP}'
                                  'Description"><d:Note x1="0" y1="0" x2="1" '
                                  'y2="1" text="look"/></d:GraphicalElements>'))
            else:
                ET.indent(root, "        ")
            return ET.tostring(root)
        path = os.path.join(self.folder, path)
        with zipfile.ZipFile(path) as z:
            parts = {n: z.read(n) for n in z.namelist()}
        for name in parts:
            if name.endswith((".ssd", ".ssv")):
                was, parts[name] = parts[name], text_of(name, parts[name])
                self.assertNotEqual(parts[name], was)
        with zipfile.ZipFile(path, "w") as z:
            for name, data in parts.items():
                z.writestr(name, data)

    def test_another_tool_saves_an_export_of_ours(self):
        rows = self.reference(
            logVariables={"{msd2}.msd2": ["x2"]}, master="gauss-seidel",
            order=["{msd2}.msd2", "{msd1}.msd1"],
            parameters={"{msd2}.msd2.m2": 1.5}, startTime=0,
            expect=[{"name": "slow", "always": "{msd2}.msd2.v2 < 100"}])
        for version in "1.0", "2.0":
            self.tutti("export", "masses.json", "-f", "-o", "b.ssp", "--ssp",
                       version)
            self.resaved("b.ssp")
            was = self.parts("b.ssp")
            p = self.tutti("run", "b.ssp", "-o", "o.csv")
            self.assertEqual(p.stderr, "")
            self.assertIn("  expect         'slow' held\n", p.stdout)
            self.assertEqual(self.rows("b.ssp"), rows)
            for source, to in (("b.ssp", "c.ssp"), ("b.ssp", "d.json"),
                               ("d.json", "e.ssp")):
                p = self.tutti("export" if to == "c.ssp" else "convert",
                               source, "-f", "-o", to)
                if to.endswith("p"):
                    self.assertEqual(p.stderr, "")
                    self.assertEqual(self.parts(to), was)
                if to == "c.ssp":
                    self.assertEqual(p.stdout, f"c.ssp: SSP {version}, 2 FMUs "
                                     "inside\n")
                self.assertEqual(self.rows(to), rows)
        # a value that is another one counts
        path = os.path.join(self.folder, "b.ssp")
        with zipfile.ZipFile(path) as z:
            parts = {n: z.read(n) for n in z.namelist()}
        parts["resources/parameters.ssv"] = parts[
            "resources/parameters.ssv"].replace(b'"1.5"', b'"2.5"')
        with zipfile.ZipFile(path, "w") as z:
            for name, data in parts.items():
                z.writestr(name, data)
        p = self.tutti("run", "b.ssp", "-o", "o.csv")
        self.assertIn("the structure was changed after Tutti wrote it: it "
                      "counts; of the scenario in its annotation only these "
                      "do: 'algorithm', 'master'\n", p.stdout + p.stderr)

    def test_lines_and_tabs_stay(self):
        self.reference()
        self.change("masses.json", description="a\n\tb",
                    parameters={"{msd2}.msd2.note": "a\n\tb\rc"})
        self.tutti("export", "masses.json", "-o", "b.ssp")
        parts = self.parts("b.ssp")
        values = ET.fromstring(parts["resources/parameters.ssv"])
        self.assertEqual([n.get("value") for n in values.iter()
                          if n.tag.endswith("String")], ["a\n\tb\rc"])
        with zipfile.ZipFile(os.path.join(self.folder, "b.ssp")) as z:
            root = ET.fromstring(z.read("SystemStructure.ssd"))
        text = next(n for n in root.iter() if n.get("json")).get("json")
        self.assertEqual(text.splitlines()[:2], ["{", '  "fmus": {'])

    def test_a_variant_takes_the_place_of_the_main_one(self):
        p = self.tutti("convert", self.full(), "--variant", "Winter", "-o",
                       "b.ssp")
        self.assertEqual(p.stderr, "tutti: warning: the variant "
                         "'SystemStructure.ssd' is not kept: 'Winter.ssd' "
                         "takes its place\n")
        with zipfile.ZipFile(os.path.join(self.folder, "b.ssp")) as z:
            self.assertNotIn("Winter.ssd", z.namelist())
        self.assertEqual(self.rows("b.ssp", "--step", "0.2"),
                         self.rows("masses.ssp", "--step", "0.2", "--variant",
                                   "Winter"))

    def test_the_version_stays_or_is_the_wanted_one(self):
        path = self.full()
        for options, version in ([], "1.0"), (["--ssp", "2.0"], "2.0"):
            self.tutti("convert", path, "-o", "b.ssp", "--force", *options)
            root = ET.fromstring(self.parts("b.ssp")["SystemStructure.ssd"])
            self.assertEqual(root.get("version"), version)
            self.assertEqual(root.get("author"), "Ann")

    def test_what_is_of_others_is_listed(self):
        text = FLAT.replace("<d:Elements>", '<d:Elements>\n<t:Box '
                            'xmlns:t="urn:tool"><t:In/></t:Box>', 1).replace(
            '<d:System name="root"', '<d:System name="root" '
            'xmlns:u="urn:u" u:colour="red"')
        path = self.pack(text)
        at = f"{path}/SystemStructure.ssd"
        p = self.tutti("convert", path, "-o", "b.ssp")
        self.assertEqual(p.stderr, f"""\
tutti: warning: {at}:4:1: the attribute 'u:colour' is of another namespace; the standard allows that in annotations only
tutti: warning: {at}:5:1: <t:Box> is of another namespace; the standard allows that in annotations only
tutti: warning: the attribute 'u:colour' (SystemStructure.ssd:4) is not kept: the standard allows it in annotations only
tutti: warning: <t:Box> (SystemStructure.ssd:5) is not kept: the standard allows it in annotations only
""")
        self.assertEqual(p.stdout.splitlines()[-1], "b.ssp: written; 2 things "
                         "cannot be expressed, see the warnings")
        self.assertEqual(self.parts("b.ssp")["SystemStructure.ssd"],
                         self.parts(self.pack(FLAT))["SystemStructure.ssd"])

    def test_another_system_is_written_anew(self):
        self.converted(self.full(), "d.json")
        self.change("d.json", parameters={"{msd2}.right/msd2.m2": 3.5})
        p = self.tutti("convert", "d.json", "-o", "e.ssp")
        self.assertIn("the structure 'SystemStructure.ssd' is another system "
                      "by now: it is written anew", p.stdout + p.stderr)
        root = ET.fromstring(self.parts("e.ssp")["SystemStructure.ssd"])
        for name, value in (("author", "Ann"), ("fileversion", "7"),
                            ("copyright", "(c)"), ("license", "any"),
                            ("description", "whole"),
                            ("generationTool", "Tutti")):
            self.assertEqual(root.get(name), value)
        whole = root.find(f"{{{SSP}Description}}System")
        self.assertEqual((whole.get("name"), whole.get("description")),
                         ("root", "all"))
        self.assertEqual([c.get("description") for c in whole.iter(
            f"{{{SSP}Description}}Component")], ["one", None])
        self.assertEqual([e.get("name") for e in root.iter(
            f"{{{SSP}Common}}Enumeration")], ["Colour"])
        self.assertIn("tutti: warning: of the system structure these are not "
                      "kept: geometry of connectors, geometry of connections, "
                      "graphical elements, systems within it, mappings of "
                      "parameters\n", p.stderr)

    def test_files_elsewhere_are_taken_in(self):
        text = FLAT.replace("resources/msd1.fmu",
                            os.path.join(self.fmus[0]))
        p = self.tutti("convert", self.pack(text), "-o", "b.ssp")
        self.assertIn("the structure 'SystemStructure.ssd' has files "
                      "elsewhere, or ones that break rules of the standard: "
                      "it is written anew", p.stdout + p.stderr)
        with zipfile.ZipFile(os.path.join(self.folder, "b.ssp")) as z:
            self.assertIn("resources/msd1.fmu", z.namelist())

    def test_rules_of_the_schemas(self):
        def broken(text, *rules):
            path = self.pack(text)
            p = self.tutti("check", path, "--step", "0.2")
            self.assertEqual(p.stderr, "".join(
                f"tutti: warning: {path}/SystemStructure.ssd:{line}:1: {rule}\n"
                for line, rule in rules))
            self.tutti("check", path, "--step", "0.2", "--strict", code=2)
        x1 = '<d:Connector name="x1" kind="output"><c:Real/>'
        broken(FLAT.replace('name="x1" kind="output"', 'name="x1" kind="out"'),
               (4, "'out' is nothing that 'kind' of <Connector> can be"))
        broken(FLAT.replace(' name="x1" kind="output"', ' name="x1"'),
               (4, "<Connector> needs 'kind'"))
        broken(FLAT.replace('name="x1" kind="output"',
                            'name="x1" kind="output" unit="m"'),
               (4, "<Connector> has no attribute 'unit'"))
        broken(FLAT.replace(x1, x1 + "<c:Real/>"),
               (4, "<Real> is not allowed here, in <Connector>"))
        broken(FLAT.replace(x1, x1.replace("Real", "Float64")),
               (4, "<Float64> is of SSP 2.0, and the file states version 1.0"))
        broken(FLAT.replace('kind="input"', 'kind="local"', 1).replace(
            link("msd1.F", "msd2.F"), ""),
               (4, "'local' for 'kind' of <Connector> is of SSP 2.0, and the "
                "file states version 1.0"))
        broken(FLAT.replace(link("msd1.x1", "msd2.x1"), link(
            "msd1.x1", "msd2.x1").replace(
                "<d:Connection ",
                '<d:Connection suppressUnitConversion="no" ')),
               (6, "'suppressUnitConversion' of <Connection> is 'no', not "
                "true or false"))
        broken(FLAT.replace(' name="x1"', ' name="x1" id="1st"', 1).replace(
            ' name="v1"', ' name="v1" id="b"'),
               (4, "'id' of <Connector> is '1st', not a name"),
               (5, "'id' of <Connector> is 'b', as that of another one is"))
        broken(FLAT.replace("></d:Connection>", '><d:ConnectionGeometry '
                            'pointsX="1 2.5" pointsY="3 four"/></d:Connection>',
                            1),
               (6, "'pointsY' of <ConnectionGeometry> is '3 four', not "
                "numbers"))
        broken(FLAT.replace("<c:Real/>", "<v:Real/>", 1).replace(
            "<d:Elements>", "<v:Elements>").replace("</d:Elements>",
                                                    "</v:Elements>"),
               (4, "<Elements> is of the namespace 'SystemStructureParameter"
                "Values', not 'SystemStructureDescription'"),
               (4, "<Real> is of the namespace 'SystemStructureParameterValues"
                "', not 'SystemStructureCommon'"))
        broken(FLAT.replace("</d:System>", "<d:ParameterBindings>"
                            "<d:ParameterBinding><d:ParameterValues>"
                            "<v:ParameterSet><v:Parameters/>"
                            "</v:ParameterSet></d:ParameterValues>"
                            "</d:ParameterBinding></d:ParameterBindings>"
                            "</d:System>"),
               (9, "<ParameterBindings> is not allowed here, in <System>"))
        broken(FLAT.replace("<d:Elements>", values(None, **{"msd2.m2": 1})
                            .replace(' version="1.0" name="s"', "") +
                            "<d:Elements>"),
               (4, "<ParameterSet> needs 'version'"),
               (4, "<ParameterSet> needs 'name'"))

    def test_what_is_written_follows_the_rules(self):
        """Anew, in both versions: read again without a warning."""
        self.converted(self.full(), "d.json")
        self.change("d.json", parameters={"{msd2}.right/msd2.m2": 3.5})
        for version in "1.0", "2.0":
            self.tutti("export", "d.json", "-o", version + ".ssp", "--ssp",
                       version)
            p = self.tutti("check", version + ".ssp", "--strict")
            self.assertEqual(p.stderr, "")


if __name__ == "__main__":
    unittest.main()
