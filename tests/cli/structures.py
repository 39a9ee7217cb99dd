#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""System structures (SSP) as texts, and what tests of them share."""
import csv
import json
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
MASSES = os.path.join(BUILD, "examples", "double-mass-spring-damper")
SSP = "http://ssp-standard.org/SSP1/SystemStructure"
HEAD = f"""<?xml version="1.0"?>
<d:SystemStructureDescription version="1.0" name="masses"
  xmlns:d="{SSP}Description" xmlns:c="{SSP}Common" xmlns:v="{SSP}ParameterValues">
"""
HEAD_2 = HEAD.replace('version="1.0" name', 'version="2.0" name')
TAIL = """<d:DefaultExperiment startTime="0" stopTime="10"/>
</d:SystemStructureDescription>
"""


def pins(**kinds):
    return "<d:Connectors>" + "".join(
        f'<d:Connector name="{n}" kind="{k}"><c:Real/></d:Connector>'
        for n, k in kinds.items()) + "</d:Connectors>"


def component(name, fmu, inner="", **kinds):
    return (f'<d:Component name="{name}" source="resources/{fmu}.fmu">'
            f"{pins(**kinds)}{inner}</d:Component>\n")


def link(start, end, more=""):
    def at(which, ref):
        element, _, pin = ref.rpartition(".")
        return (f'{which}Element="{element}" ' if element else "") + \
            f'{which}Connector="{pin}"'
    return f"<d:Connection {at('start', start)} {at('end', end)}>{more}" \
        "</d:Connection>\n"


def system(name, elements, links, before=""):
    def within(tag, inside):
        return f"<d:{tag}>{inside}</d:{tag}>" if inside else ""
    return f'<d:System name="{name}">{before}{within("Elements", elements)}' \
        f'{within("Connections", links)}</d:System>\n'


def values(source, **real):
    inside = "".join(
        f'<v:Parameter name="{n}"><v:Real value="{x}"/></v:Parameter>'
        for n, x in real.items())
    return ("<d:ParameterBindings><d:ParameterBinding" +
            (f' source="{source}"/>' if source else
             '><d:ParameterValues><v:ParameterSet version="1.0" name="s">'
             f"<v:Parameters>{inside}</v:Parameters></v:ParameterSet>"
             "</d:ParameterValues></d:ParameterBinding>") +
            "</d:ParameterBindings>")


ONE = component("msd1", "msd1", x1="output", v1="output", F="input")
TWO = component("msd2", "msd2", x1="input", v1="input", F="output")
FLAT = system("root", ONE + TWO, link("msd1.x1", "msd2.x1") +
              link("msd1.v1", "msd2.v1") + link("msd1.F", "msd2.F"))
NESTED = system("root", ONE + system(
    "right", TWO, link("x", "msd2.x1") + link("v", "msd2.v1") +
    link("msd2.F", "F"), pins(x="input", v="input", F="output")),
    link("msd1.x1", "right.x") + link("right.v", "msd1.v1") +
    link("right.F", "msd1.F"))


class Structures(unittest.TestCase):
    fmus = [os.path.join(MASSES, name) for name in ("msd1.fmu", "msd2.fmu")]
    head = HEAD

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def pack(self, text, tail="", **more):
        """A package with the FMUs, and other descriptions."""
        end = TAIL.replace("</d:Sys", tail + "</d:Sys")
        path = os.path.join(self.folder, "masses.ssp")
        with zipfile.ZipFile(path, "w") as z:
            z.writestr("SystemStructure.ssd", self.head + text + end)
            for name, other in more.items():
                z.writestr(name + ".ssd", self.head + other + TAIL)
            for fmu in self.fmus:
                z.write(fmu, "resources/" + os.path.basename(fmu))
        return path

    def tutti(self, *words, code=0):
        p = subprocess.run([TUTTI, *words], capture_output=True, text=True,
                           cwd=self.folder, check=False)
        self.assertEqual(p.returncode, code, p.stderr)
        return p

    def rows(self, path, *options):
        self.tutti("run", path, "-q", "-o", "out.csv", *options)
        with open(os.path.join(self.folder, "out.csv"), encoding="utf-8") as f:
            return list(csv.reader(f))

    def reference(self, **more):
        """The same masses as a scenario: columns x1, v1, F."""
        path = os.path.join(self.folder, "masses.json")
        with open(os.path.join(MASSES, "scenario.json"), encoding="utf-8") as f:
            scenario = json.load(f)
        scenario.pop("logVariables")
        scenario["fmus"] = {k: os.path.join(MASSES, v)
                            for k, v in scenario["fmus"].items()}
        with open(path, "w", encoding="utf-8") as f:
            json.dump({**scenario, **more}, f)
        return self.rows(path)
