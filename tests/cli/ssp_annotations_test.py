#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What other tools wrote into annotations goes through, or is listed."""
import json
import os
import unittest
import xml.etree.ElementTree as ET
import zipfile

from structures import (FLAT, NESTED, SSP, Structures, link)

TOOL = "urn:tool"


def note(word, tag="d:Annotations"):
    return f'<{tag}><c:Annotation type="com.tool"><t:Note xmlns:t="{TOOL}" ' \
        f't:id="7" word="{word}">a &lt; b<t:Deep/></t:Note></c:Annotation>' \
        f"</{tag}>"


def annotated(text):
    """At the outermost system, an instance, its connector, a connection."""
    text = text.replace('name="v1" kind="output"><c:Real/>',
                        'name="v1" kind="output"><c:Real/>' + note("pin"))
    text = text.replace("</d:Component>", note("msd1") + "</d:Component>", 1)
    text = text.replace(link("msd1.x1", "msd2.x1"),
                        link("msd1.x1", "msd2.x1", note("link")))
    end = text.rindex("</d:System>")
    return text[:end] + note("system") + text[end:]


class Annotations(Structures):
    def notes(self, path):
        """{"Component msd1": "word"} of what is in a package."""
        with zipfile.ZipFile(os.path.join(self.folder, path)) as z:
            root = ET.fromstring(z.read("SystemStructure.ssd"))
        found = {}
        for e in root.iter():
            for one in e.findall(f"{{{SSP}Description}}Annotations/"
                                 f"{{{SSP}Common}}Annotation/{{{TOOL}}}Note"):
                name = e.get("name") or e.get("startConnector")
                if e is root:
                    name = "root"
                found[f"{e.tag.rpartition('}')[2]} {name}"] = one.get("word")
                self.assertEqual(one.text, "a < b")
                self.assertEqual(one.get(f"{{{TOOL}}}id"), "7")
                self.assertEqual([c.tag for c in one], [f"{{{TOOL}}}Deep"])
        return found

    def test_they_go_through(self):
        path = self.pack(annotated(FLAT), tail=note("whole"))
        kept = {"SystemStructureDescription root": "whole",
                "System root": "system", "Component msd1": "msd1",
                "Connector v1": "pin", "Connection x1": "link"}
        rows = self.rows(path, "--step", "0.2")
        for number, (source, to) in enumerate((
                (path, "b.ssp"), ("b.ssp", "c.ssp"), (path, "d.json"),
                ("d.json", "e.ssp"))):
            p = self.tutti("convert", source, "-o", to)
            self.assertEqual(p.stdout.splitlines()[-1],
                             f"{to}: written, and nothing is lost", number)
        for package in "b.ssp", "c.ssp", "e.ssp":
            self.assertEqual(self.notes(package), kept)
            self.assertEqual(self.rows(package, "--step", "0.2"), rows)

    def test_those_of_elements_that_are_gone_are_listed(self):
        """Of a structure that is another one by now: systems are flattened."""
        text = NESTED.replace(link("x", "msd2.x1"),
                              link("x", "msd2.x1", note("inner")))
        at = text.index("</d:System>")
        path = self.pack(text[:at] + note("right") + text[at:])
        self.tutti("convert", path, "-o", "a.json")
        path = os.path.join(self.folder, "a.json")
        with open(path, encoding="utf-8") as f:
            scenario = json.load(f)
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**scenario, "endTime": 5}, f)
        p = self.tutti("convert", "a.json", "-o", "b.ssp")
        self.assertEqual(p.stderr.splitlines()[1:], [
            "tutti: warning: of the system structure these are not kept: "
            "systems within it"] + [
            "tutti: warning: other tools will not see the annotations of "
            f"'{of}': what is written has no such element"
            for of in ("right", "right.x -> {msd2}.right/msd2.x1")])
        self.assertEqual(p.stdout.splitlines()[-1],
                         "b.ssp: written; 3 things cannot be expressed, see "
                         "the warnings")
        self.assertEqual(self.notes("b.ssp"), {})
        self.tutti("convert", "b.ssp", "-o", "b.json")
        with open(os.path.join(self.folder, "b.json"), encoding="utf-8") as f:
            self.assertIn('word="right"', json.load(f)["annotations"]["right"])

    def test_those_that_are_added_to_an_export_go_through(self):
        self.tutti("convert", self.pack(FLAT), "-o", "b.ssp")
        path = os.path.join(self.folder, "b.ssp")
        with zipfile.ZipFile(path) as z:
            parts = {n: z.read(n) for n in z.namelist()}
        text = parts["SystemStructure.ssd"].decode()
        parts["SystemStructure.ssd"] = text.replace(
            "</d:System>", note("new") + "</d:System>")
        with zipfile.ZipFile(path, "w") as z:
            for name, data in parts.items():
                z.writestr(name, data)
        p = self.tutti("convert", "b.ssp", "-o", "c.ssp")
        self.assertEqual(p.stdout.splitlines()[-1],
                         "c.ssp: written, and nothing is lost")
        self.assertEqual(self.notes("c.ssp"), {"System root": "new"})

    def test_other_formats_list_them(self):
        p = self.tutti("convert", self.pack(annotated(FLAT)), "-o", "b.msim")
        self.assertIn("has no word for 'annotations'", p.stderr)

    def test_what_has_no_place_is_listed(self):
        text = FLAT.replace("<c:Real/>", '<c:Real/><d:ConnectorGeometry x="0" '
                            'y="1"/>', 1)
        for to in "b.msim", "OspSystemStructure.xml":
            p = self.tutti("convert", self.pack(text), "-o", to)
            self.assertIn("tutti: warning: of the system structure these "
                          "are not kept: geometry of connectors\n", p.stderr)

    def test_what_is_no_text_is_refused(self):
        self.reference(annotations={})
        path = os.path.join(self.folder, "masses.json")
        with open(path, encoding="utf-8") as f:
            scenario = json.load(f)
        for wrong, says in (({"system": 3}, "a text"), ([], "object")):
            with open(path, "w", encoding="utf-8") as f:
                json.dump({**scenario, "annotations": wrong}, f)
            p = self.tutti("check", "masses.json", code=2)
            self.assertRegex(p.stderr, r"^tutti: masses\.json:1:\d+: .*" + says)


if __name__ == "__main__":
    unittest.main()
