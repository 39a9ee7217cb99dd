#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Components of all interfaces and versions of FMI, and connectors of SSP 2.0
that are binary or clocks, beside the same as scenarios."""
import json
import os
import unittest
import zipfile

from structures import BUILD, HEAD_2, Structures, link, system

EXAMPLES = os.path.join(BUILD, "examples")


def part(name, fmu, pins="", implementation=None):
    how = f' implementation="{implementation}"' if implementation else ""
    return f'<d:Component name="{name}" source="{EXAMPLES}/{fmu}"{how}>' \
        f"<d:Connectors>{pins}</d:Connectors></d:Component>"


def pin(name, kind, kind_of="Real"):
    return f'<d:Connector name="{name}" kind="{kind}"><c:{kind_of}/>' \
        "</d:Connector>"


class Kinds(Structures):
    def write(self, text, end):
        with open(os.path.join(self.folder, "s.ssd"), "w",
                  encoding="utf-8") as f:
            f.write(f'{HEAD_2}{text}<d:DefaultExperiment startTime="0" '
                    f'stopTime="{end}"/></d:SystemStructureDescription>')
        return "s.ssd"

    def scenario(self, fmus, connections, end, **more):
        with open(os.path.join(self.folder, "s.json"), "w",
                  encoding="utf-8") as f:
            json.dump({"fmus": {k: f"{EXAMPLES}/{v}" for k, v in fmus.items()},
                       "connections": connections, "startTime": 0,
                       "endTime": end, **more}, f)
        return "s.json"

    def test_the_implementation_chooses_the_interface(self):
        """The ball falls 1 m from rest; both interfaces are in each FMU."""
        for fmu in "bouncing_ball-fmi1", "bouncing_ball", "bouncing_ball-fmi3":
            for word, short in (("CoSimulation", "cs"),
                                ("ModelExchange", "me")):
                with self.subTest(fmu=fmu, word=word):
                    path = f"bouncing-ball/{fmu}.fmu"
                    ssd = self.write(system("root", part(
                        "ball", path, pin("h", "output"), word), ""), 1)
                    rows = self.rows(ssd, "--step", "0.01")
                    key = "{" + fmu + "}"
                    same = self.scenario({key: path}, {}, 1, instances=[
                        key + ".ball"], interface={key + ".ball": short})
                    self.assertEqual(rows, self.rows(same, "--step", "0.01"))
                    p = self.tutti("convert", ssd, "-o", "o.json", "--force")
                    self.assertIn("nothing is lost", p.stdout)
                    with open(os.path.join(self.folder, "o.json"),
                              encoding="utf-8") as f:
                        self.assertEqual(json.load(f)["interface"],
                                         {key + ".ball": short})

    def scheduled(self, word):
        return self.write(system(
            "root",
            part("motor", "scheduled-controller/motor.fmu",
                 pin("w", "output") + pin("phi", "output") + pin("u", "input"),
                 "CoSimulation") +
            part("c", "scheduled-controller/controller-fmi3.fmu",
                 pin("w", "input") + pin("phi", "input") + pin("u", "output") +
                 pin("target", "input") + pin("arrived", "output", "Clock"),
                 word) +
            part("s", "scheduled-controller/sequencer-fmi3.fmu",
                 pin("next", "input", "Clock") + pin("target", "output"),
                 word),
            link("motor.w", "c.w") + link("motor.phi", "c.phi") +
            link("c.u", "motor.u") + link("c.arrived", "s.next") +
            link("s.target", "c.target")), 4)

    def test_scheduled_execution_and_clocks(self):
        rows = self.rows(self.scheduled("ScheduledExecution"), "--step", "0.05")
        same = self.scenario(
            {"{motor}": "scheduled-controller/motor.fmu",
             "{controller-fmi3}": "scheduled-controller/controller-fmi3.fmu",
             "{sequencer-fmi3}": "scheduled-controller/sequencer-fmi3.fmu"},
            {"{motor}.motor.w": ["{controller-fmi3}.c.w"],
             "{motor}.motor.phi": ["{controller-fmi3}.c.phi"],
             "{controller-fmi3}.c.u": ["{motor}.motor.u"],
             "{controller-fmi3}.c.arrived": ["{sequencer-fmi3}.s.next"],
             "{sequencer-fmi3}.s.target": ["{controller-fmi3}.c.target"]},
            4, interface={"{controller-fmi3}.c": "se",
                          "{sequencer-fmi3}.s": "se",
                          "{motor}.motor": "cs"})
        self.assertEqual(rows, self.rows(same, "--step", "0.05"))
        target = rows[0].index("{sequencer-fmi3}.s.target")
        self.assertGreater(len({r[target] for r in rows[1:]}), 1)
        self.tutti("convert", "s.ssd", "-o", "b.ssp", "--ssp", "2.0")
        self.assertEqual(self.rows("b.ssp", "--step", "0.05"), rows)
        with zipfile.ZipFile(os.path.join(self.folder, "b.ssp")) as z:
            self.assertEqual(z.read("SystemStructure.ssd").count(
                b'implementation="ScheduledExecution"'), 2)

    def test_binary_connectors(self):
        """Messages of one instance arrive at the other."""
        fmu = "../tests/units/messages3.fmu"
        ssd = self.write(system(
            "root", part("a", fmu, pin("y", "output", "Binary")) +
            part("b", fmu, pin("u", "input", "Binary") +
                 pin("got", "output", "Integer")), link("a.y", "b.u")), 1)
        options = ("--step", "0.1", "--record", "{messages3}.b.got")
        rows = self.rows(ssd, *options)
        same = self.scenario({"{messages3}": fmu}, {
            "{messages3}.a.y": ["{messages3}.b.u"]}, 1)
        self.assertEqual(rows, self.rows(same, *options))
        got = rows[0].index("{messages3}.b.got")
        self.assertGreater(int(rows[-1][got]), 0)
        self.tutti("convert", ssd, "-o", "b.ssp", "--ssp", "2.0")
        self.assertEqual(self.rows("b.ssp", *options), rows)
        with zipfile.ZipFile(os.path.join(self.folder, "b.ssp")) as z:
            self.assertIn(b"<ssc:Binary", z.read("SystemStructure.ssd"))

    def test_an_example_is_the_same_as_its_scenario(self):
        folder = os.path.join(EXAMPLES, "double-mass-spring-damper")
        want = self.rows(os.path.join(folder, "scenario.json"))
        ssd = os.path.join(folder, "SystemStructure.ssd")
        self.tutti("convert", ssd, "-o", "masses.ssp")
        for path in ssd, "masses.ssp":
            rows = self.rows(path, "--step", "0.2")
            # the scenario records two more
            at = [want[0].index(name) for name in rows[0]]
            self.assertEqual(len(at), 4)
            self.assertEqual(rows, [[r[i] for i in at] for r in want])

    def test_an_interface_that_an_fmu_does_not_have(self):
        path = self.write(system("root", part(
            "ball", "bouncing-ball/bouncing_ball.fmu", pin("h", "output"),
            "ScheduledExecution"), ""), 1)
        p = self.tutti("run", path, "--step", "0.01", code=2)
        self.assertEqual(p.stderr, "tutti: s.ssd:4:1: FMU '{bouncing_ball}': "
                         f"{EXAMPLES}/bouncing-ball/bouncing_ball.fmu: FMI 2 "
                         "for scheduled execution is not supported\n")


if __name__ == "__main__":
    unittest.main()
