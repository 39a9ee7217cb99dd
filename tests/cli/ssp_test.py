#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""System structures (SSP) as users run them, beside the same as scenarios."""
import json
import os
import shutil
import unittest
import zipfile

from structures import (FLAT, HEAD, HEAD_2, MASSES, NESTED, ONE, SSP, TAIL,
                        Structures, link, system, values)


class Ssp(Structures):
    def test_a_package_gives_what_the_scenario_gives(self):
        self.assertEqual(self.rows(self.pack(FLAT), "--step", "0.2"),
                         self.reference())

    def test_systems_in_systems_give_the_same(self):
        rows = self.rows(self.pack(NESTED), "--step", "0.2")
        self.assertEqual(rows[0][3], "{msd2}.right/msd2.F")
        self.assertEqual(rows[1:], self.reference()[1:])

    def test_an_unpacked_package_gives_the_same(self):
        with zipfile.ZipFile(self.pack(NESTED)) as z:
            z.extractall(os.path.join(self.folder, "m"))
        rows = self.rows("masses.ssp", "--step", "0.2")
        self.assertEqual(self.rows("m", "--step", "0.2"), rows)
        self.assertEqual(self.rows("m/SystemStructure.ssd", "--step", "0.2"),
                         rows)

    def test_a_variant_is_chosen_by_name(self):
        path = self.pack(FLAT, Stiff=FLAT.replace(
            '<d:System name="root">', '<d:System name="root">' +
            values(None, **{"msd2.dc": 3})))
        rows = self.rows(path, "--step", "0.2", "--variant", "Stiff")
        self.assertEqual(rows, self.reference(
            parameters={"{msd2}.msd2.dc": 3}))
        p = self.tutti("run", path, "--variant", "Stif", code=2)
        self.assertEqual(p.stderr, f"tutti: {path}: it has no 'Stif.ssd'; did "
                         "you mean 'Stiff.ssd'?\n")

    def test_a_transformation_is_played(self):
        """Twice on the way in and half within: as without."""
        factor = '<c:LinearTransformation factor="%s" offset="%s"/>'
        text = NESTED.replace(
            link("msd1.x1", "right.x"),
            link("msd1.x1", "right.x", factor % (2, 1))).replace(
            link("x", "msd2.x1"),
            link("x", "msd2.x1", factor % (0.5, -0.5)))
        self.assertEqual(self.rows(self.pack(text), "--step", "0.2")[1:],
                         self.reference()[1:])

    def test_the_step_that_was_taken_is_reported(self):
        p = self.tutti("run", self.pack(FLAT), "-o", "out.csv")
        self.assertIn("step           0.2 s (the smallest default of the "
                      "instances)", p.stdout)

    def test_names_that_a_component_does_not_have_are_left_out(self):
        text = FLAT.replace('<d:System name="root">', '<d:System name="root">' +
                            values(None, **{"msd2.nothing": 3, "no.x": 1}))
        self.assertEqual(self.rows(self.pack(text), "--step", "0.2"),
                         self.reference())

    def test_what_is_wrong_has_a_place_in_the_package(self):
        path = self.pack(FLAT.replace('endConnector="F"', 'endConnector="G"'))
        p = self.tutti("run", path, "--step", "0.2", code=2)
        self.assertIn(f"{path}/SystemStructure.ssd:8:1: 'msd2' has no "
                      "connector 'G'; it is taken to have one", p.stderr)
        self.assertIn(f"{path}/SystemStructure.ssd:8:1: instance "
                      "'{msd2}.msd2' has no variable 'G'", p.stderr)

    def test_files_outside_of_the_package_are_refused(self):
        shutil.copy(os.path.join(MASSES, "msd1.fmu"), self.folder)
        path = self.pack(FLAT.replace("resources/msd1.fmu",
                                      self.folder + "/msd1.fmu"))
        self.rows(path, "--step", "0.2")
        p = self.tutti("run", path, "--step", "0.2", "--only-base",
                       self.folder, code=2)
        self.assertIn(f"{path}/SystemStructure.ssd:4:1: FMU '{{msd1}}'",
                      p.stderr)

    def bound(self, binding, system_of=FLAT):
        """What one binding of the outermost system gives: {"msd2.m2": 1}."""
        path = self.pack(system_of.replace(
            "<d:Elements>", f"<d:ParameterBindings>{binding}"
            "</d:ParameterBindings><d:Elements>", 1))
        p = self.tutti("run", path, "--step", "0.2", "--json", "-o", "o.csv")
        return {v["instance"].split("}.")[1] + "." + v["variable"]: v["value"]
                for v in json.loads(p.stdout)["parameters"]}

    def mapped(self, parameters, entries, attributes="", **more):
        return self.bound(
            f'<d:ParameterBinding {attributes}><d:ParameterValues>'
            '<v:ParameterSet version="1.0" name="s"><v:Parameters>' +
            "".join(f'<v:Parameter name="{n}">{v}</v:Parameter>'
                    for n, v in parameters.items()) +
            '</v:Parameters><v:Units><c:Unit name="g"><c:BaseUnit kg="1" '
            'factor="0.001"/></c:Unit></v:Units></v:ParameterSet>'
            "</d:ParameterValues><d:ParameterMapping>"
            f'<m:ParameterMapping version="1.0" xmlns:m="{SSP}'
            f'ParameterMapping">{entries}</m:ParameterMapping>'
            "</d:ParameterMapping></d:ParameterBinding>", **more)

    def test_rules_of_parameter_mappings(self):
        grams = {"mass": '<v:Real value="500" unit="g"/>'}
        line = '<c:LinearTransformation factor="2" offset="0.1"/>'

        def entry(source, target, by="", more=""):
            return f'<m:MappingEntry source="{source}" target="{target}" ' \
                f"{more}>{by}</m:MappingEntry>"
        # 500 g are 0.5 kg
        self.assertEqual(self.mapped(grams, entry("mass", "msd2.m2")),
                         {"msd2.m2": 0.5})
        # ... which is transformed: 2 * 0.5 + 0.1
        self.assertEqual(self.mapped(grams, entry("mass", "msd2.m2", line)),
                         {"msd2.m2": 1.1})
        # ... or without the unit: 2 * 500 + 0.1
        self.assertEqual(
            self.mapped(grams, entry("mass", "msd2.m2", line,
                                     'suppressUnitConversion="true"')),
            {"msd2.m2": 1000.1})
        # one goes to several; what is not mapped is not applied
        self.assertEqual(
            self.mapped({"a": '<v:Real value="3"/>',
                         "msd2.dc": '<v:Real value="9"/>'},
                        entry("a", "msd2.m2") + entry("a", "msd1.m1")),
            {"msd2.m2": 3, "msd1.m1": 3})
        # the prefix stands before names of the set, not before targets
        self.assertEqual(
            self.mapped({"a": '<v:Real value="3"/>'},
                        entry("k.a", "msd2.m2") + entry("a", "msd2.dc"),
                        'prefix="k."'), {"msd2.m2": 3})
        # whole numbers by a table; one that it does not have stays
        table = "<c:IntegerMappingTransformation>" \
            '<c:MapEntry source="1" target="7"/>' \
            "</c:IntegerMappingTransformation>"
        self.assertEqual(
            self.mapped({"n": '<v:Integer value="1"/>',
                         "k": '<v:Integer value="2"/>'},
                        entry("n", "msd1.microsteps", table) +
                        entry("k", "msd2.microsteps", table)),
            {"msd1.microsteps": 7, "msd2.microsteps": 2})
        # into a system, and a source that the set does not have
        self.assertEqual(
            self.mapped(grams, entry("mass", "right.msd2.m2") +
                        entry("none", "msd1.m1"), system_of=NESTED),
            {"right/msd2.m2": 0.5})

    def test_findings_of_parameters(self):
        """What the standard forbids is a warning with its line, of which the
        meaning is stated, and an error with --strict."""
        def found(message, values, mapping="", attributes="", line=4):
            inside = "" if values is None else \
                '<d:ParameterValues><v:ParameterSet version="1.0" name="s">' \
                f"<v:Parameters>{values}</v:Parameters></v:ParameterSet>" \
                "</d:ParameterValues>"
            if mapping:
                inside += "<d:ParameterMapping><m:ParameterMapping " \
                    f'version="1.0" xmlns:m="{SSP}ParameterMapping">{mapping}' \
                    "</m:ParameterMapping></d:ParameterMapping>"
            binding = f"<d:ParameterBinding {attributes}>{inside}" \
                "</d:ParameterBinding>"
            given = self.bound(binding)
            path = os.path.join(self.folder, "masses.ssp")
            p = self.tutti("check", path, "--step", "0.2")
            self.assertEqual(p.stderr, "tutti: warning: "
                             f"{path}/SystemStructure.ssd:{line}:1: {message}\n")
            self.tutti("check", path, "--step", "0.2", "--strict", code=2)
            return given

        def real(name, value, unit=""):
            return f'<v:Parameter name="{name}"><v:Real value="{value}"' \
                f'{unit}/></v:Parameter>'

        def entry(source, target, by=""):
            return f'<m:MappingEntry source="{source}" target="{target}">' \
                f"{by}</m:MappingEntry>"
        self.assertEqual(found(
            "two parameters are mapped to 'msd2.m2', which the standard "
            "forbids; the last counts", real("a", 3) + real("b", 4),
            entry("b", "msd2.m2") + entry("a", "msd2.m2")), {"msd2.m2": 3})
        for name, mapping in (("msd2.m2", ""), ("a", entry("a", "msd2.m2"))):
            self.assertEqual(found(
                f"the set has two parameters '{name}', which the standard "
                "forbids; the last counts", real(name, 3) + real(name, 4),
                mapping), {"msd2.m2": 4})
        table = "<c:IntegerMappingTransformation>" \
            '<c:MapEntry source="1" target="7"/>' \
            '<c:MapEntry source="1" target="8"/>' \
            "</c:IntegerMappingTransformation>"
        self.assertEqual(found(
            "<IntegerMappingTransformation> maps '1' twice, which the "
            "standard forbids; the first counts",
            '<v:Parameter name="n"><v:Integer value="1"/></v:Parameter>',
            entry("n", "msd1.microsteps", table)), {"msd1.microsteps": 7})
        self.assertEqual(found(
            "<ParameterBinding> has a 'source' and a <ParameterSet> in it, "
            "which the standard forbids; the latter counts",
            real("msd2.m2", 3), attributes='source="none.ssv"'),
            {"msd2.m2": 3})
        self.assertEqual(found(
            "the unit 'u' is not defined in this file",
            real("msd2.m2", 3, ' unit="u"') + real("msd1.m1", 4, ' unit="u"')),
            {"msd1.m1": 4, "msd2.m2": 3})
        path = self.pack(FLAT.replace(
            "<d:Elements>", "<d:ParameterBindings>\n<d:ParameterBinding "
            'type="text/csv" source="resources/v.csv"/></d:ParameterBindings>'
            "<d:Elements>"))
        p = self.tutti("run", path, "--step", "0.2", code=2)
        self.assertEqual(p.stderr, f"tutti: {path}/SystemStructure.ssd:5:1: "
                         "'resources/v.csv' is of type 'text/csv', which is "
                         "none of SSP\n")

    def test_rules_of_names(self):
        one = '<d:ParameterBinding%s><d:ParameterValues><v:ParameterSet ' \
            'version="1.0" name="s"><v:Parameters><v:Parameter name="%s">' \
            '<v:Real value="%s"/></v:Parameter></v:Parameters>' \
            "</v:ParameterSet></d:ParameterValues></d:ParameterBinding>"
        # a set for a component, applied to one by its name as a prefix
        self.assertEqual(self.bound(one % (' prefix="msd2."', "m2", 3)),
                         {"msd2.m2": 3})
        self.assertEqual(self.bound(one % (' prefix=""', "msd2.m2", 3)),
                         {"msd2.m2": 3})
        # without a prefix the bare name is that of no element
        self.assertEqual(self.bound(one % ("", "m2", 3)), {})
        # of two bindings at one level the later counts
        self.assertEqual(self.bound(one % ("", "msd2.m2", 3) +
                                    one % ("", "msd2.m2", 4)), {"msd2.m2": 4})
        # at a component names are its own, and one further out wins
        inner = FLAT.replace("</d:Component>", "<d:ParameterBindings>" +
                             one % ("", "m1", 5) + one % ("", "msd1.c1", 6) +
                             "</d:ParameterBindings></d:Component>", 1)
        self.assertEqual(self.bound(one % ("", "msd2.m2", 3), inner),
                         {"msd1.m1": 5, "msd2.m2": 3})
        self.assertEqual(self.bound(one % ("", "msd1.m1", 3), inner),
                         {"msd1.m1": 3})
        # a name that two have is the name of both
        two = NESTED.replace("<d:Elements>", "<d:Elements>" + ONE.replace(
            "msd1", "right.msd2", 1).replace("msd1", "msd2"), 1)
        self.assertEqual(self.bound(one % ("", "right.msd2.m2", 3), two),
                         {"right_msd2.m2": 3, "right/msd2.m2": 3})

    def test_info_lists_what_is_in_it(self):
        path = self.pack(NESTED + '<c:MetaData kind="quality" '
                         'type="application/x-srmd-meta-data" '
                         'source="extra/q.srmd"/>\n<c:MetaData/>\n',
                         Winter=FLAT)
        p = self.tutti("info", path)
        at = f"{path}/SystemStructure.ssd"
        self.assertEqual(p.stdout, f"""{path}: a system structure (SSP), 'masses'
  FMUs           2
    {{msd1}}  resources/msd1.fmu
    {{msd2}}  resources/msd2.fmu
  instances      2
  connections    3
  start values   0
  experiment     0.0 s to 10.0 s
  variants       SystemStructure, Winter
  metadata       quality, application/x-srmd-meta-data: extra/q.srmd ({at}:14)
  metadata       general: in place ({at}:15)
""")
        # ... also where a scenario of ours in an annotation counts, and in files
        # that nothing refers to
        note = '<c:MetaData kind="general" type="x/y"><c:Content/></c:MetaData>'
        self.head, head = HEAD_2, self.head
        path = self.pack(FLAT)
        with zipfile.ZipFile(path, "a") as z:
            z.writestr("extra/org.tool/task.stmd", "<any/>")
            z.writestr("resources/v.ssv", '<v:ParameterSet version="2.0" '
                       f'name="s" xmlns:v="{SSP}ParameterValues" '
                       f'xmlns:c="{SSP}Common"><v:Parameters/>\n{note}'
                       "</v:ParameterSet>")
        self.tutti("convert", path, "-o", "b.ssp")
        for name, n in ("masses.ssp", 1), ("b.ssp", 1), ("b-files", 0):
            if name == "b-files":
                self.tutti("convert", "b.ssp", "-o", "b.json")
                name = "b-files/SystemStructure.ssd"
            p = self.tutti("info", name)
            self.assertEqual(p.stdout.splitlines()[8:], [
                "  variants       SystemStructure",
                f"  metadata       general, x/y: in place ({name}/resources/"
                "v.ssv:2)",
                "  extra          extra/org.tool/task.stmd"] * n)
        path = os.path.join(self.folder, "b-files", "SystemStructure.ssd")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        with open(path, "w", encoding="utf-8") as f:
            f.write(text.replace("<d:Annotations>", f"{note}<d:Annotations>"))
        p = self.tutti("info", path)
        self.assertIn(f"  metadata       general, x/y: in place ({path}:",
                      p.stdout)
        self.head = head
        p = self.tutti("info", self.pack("<d:Sistem/>"), code=2)
        self.assertIn("the description has no <System>", p.stderr)

    def test_a_structure_without_components(self):
        path = self.pack(system("root", system("inner", "", ""), ""))
        p = self.tutti("check", path, "--step", "0.2", code=2)
        self.assertEqual(p.stderr, f"tutti: {path}/SystemStructure.ssd: there "
                         "is nothing to simulate: the structure has no "
                         "component\n")

    def test_a_package_in_itself_is_refused(self):
        path = os.path.join(self.folder, "masses.ssp")
        self.pack(system("root", '\n<d:Component name="a" '
                         f'source="{path}"/>', ""))
        p = self.tutti("run", path, "--step", "0.2", code=2)
        self.assertEqual(p.stderr, f"tutti: {path}/SystemStructure.ssd:5:1: "
                         "'masses.ssp' contains itself: it is the source of "
                         "'a'\n")

    def test_a_structure_outside_of_the_package_is_refused(self):
        with open(os.path.join(self.folder, "other.ssd"), "w",
                  encoding="utf-8") as f:
            f.write(HEAD + system("root", "", "") + TAIL)
        path = self.pack(system(
            "root", ONE + f'<d:Component name="a" '
            f'source="{self.folder}/other.ssd"/>', ""))
        self.rows(path, "--step", "0.2")
        p = self.tutti("run", path, "--step", "0.2", "--only-base",
                       self.folder, code=2)
        self.assertEqual(p.stderr, f"tutti: {self.folder}/other.ssd: it is "
                         "outside of the package\n")
        self.assertEqual(self.tutti("info", path, "--only-base", self.folder,
                                    code=2).stderr, p.stderr)

    def test_a_prefix_without_a_namespace_is_taken(self):
        whole = self.rows(self.pack(FLAT), "--step", "0.2")
        path = self.pack(FLAT.replace("</d:System>", "<d:Annotations>"
                                      '<c:Annotation type="x"><osp:Algorithm/>'
                                      "</c:Annotation></d:Annotations>"
                                      "</d:System>"))
        p = self.tutti("check", path, "--step", "0.2")
        self.assertRegex(p.stderr, r"^tutti: warning: .*SystemStructure\.ssd:"
                         r"\d+:1: a prefix is used here that no namespace is "
                         r"declared for; it is taken as one of SSP\n$")
        self.assertEqual(self.rows(path, "--step", "0.2"), whole)

    def test_a_proxy_is_a_process_of_its_own(self):
        whole = self.rows(self.pack(FLAT), "--step", "0.2")
        path = self.pack(FLAT.replace("resources/msd1.fmu", "proxyfmu://"
                                      "localhost?file=resources/msd1.fmu"))
        self.assertEqual(self.rows(path, "--step", "0.2"), whole)
        self.tutti("convert", path, "-o", "it.json")
        with open(os.path.join(self.folder, "it.json"), encoding="utf-8") as f:
            self.assertEqual(json.load(f)["isolate"], ["{msd1}.msd1"])
        path = self.pack(NESTED.replace("resources/", "proxyfmu://localhost"
                                        "?file=resources/"))
        nested = self.rows(path, "--step", "0.2", "--nested")
        self.assertEqual([r[:-1] for r in nested[1:]],
                         [r[:-1] for r in whole[1:]])
        p = self.tutti("check", path, "--step", "0.2", "--nested")
        self.assertEqual(p.stderr, f"tutti: warning: {path}/SystemStructure."
                         "ssd:5:1: 'right/msd2' has no process of its own: it "
                         "is in a system that is nested\n")
        path = self.pack(FLAT.replace("resources/msd1.fmu", "proxyfmu://x"))
        p = self.tutti("check", path, "--step", "0.2", code=2)
        self.assertIn("'proxyfmu://x' names no file ('?file=...') and cannot "
                      "be reached", p.stderr)

    def test_two_are_too_many(self):
        path = self.pack(FLAT)
        p = self.tutti("run", path, path, code=2)
        self.assertEqual(p.stderr, f"tutti: '{path}' is a system structure "
                         "(SSP) and is read alone; settings can be given by "
                         "options\n")


if __name__ == "__main__":
    unittest.main()
