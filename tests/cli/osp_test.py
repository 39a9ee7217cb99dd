#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""System structures of OSP as users run them, beside the same as scenarios."""
import csv
import json
import os
import unittest

from beside import Beside

FILE = "OspSystemStructure.xml"
HEAD = """<?xml version="1.0"?>
<OspSystemStructure version="0.1"
 xmlns="http://opensimulationplatform.com/MSMI/OSPSystemStructure">
"""
TAIL = "</OspSystemStructure>\n"
TIMES = "<EndTime>10</EndTime><BaseStepSize>0.2</BaseStepSize>\n"
ONE = '<Simulator name="msd1" source="msd1.fmu"/>\n'
TWO = '<Simulator name="msd2" source="msd2.fmu"/>\n'


def variable(ref):
    return '<Variable simulator="{}" name="{}"/>'.format(*ref.split("."))


def signal(ref):
    return '<Signal function="{}" name="{}"/>'.format(*ref.split("."))


def link(a, b, bond=""):
    more = f' powerBond="{bond}"' if bond else ""
    return f"<VariableConnection{more}>{variable(a)}{variable(b)}" \
        "</VariableConnection>\n"


def wire(a, b):
    """From a variable to a signal of a function, or back."""
    return f"<SignalConnection>{variable(a)}{signal(b)}</SignalConnection>\n"


def structure(links, simulators=ONE + TWO, functions="", times=TIMES, more=""):
    return f"{HEAD}{times}<Simulators>\n{simulators}</Simulators>\n" \
        f"<Functions>\n{functions}</Functions>\n" \
        f"<Connections>\n{links}</Connections>\n{more}{TAIL}"


POSITION = link("msd1.x1", "msd2.x1")
ALL = POSITION + link("msd2.v1", "msd1.v1") + link("msd1.F", "msd2.F")
GROUPS = """<OspModelDescription version="1.0"
 xmlns="https://open-simulation-platform.com/OspModelDescription/1.0.0">
<VariableGroups><LinearMechanicalPort name="port">
<Force name="force"><Variable ref="F"/></Force>
<LinearVelocity name="velocity"><Variable ref="v1"/></LinearVelocity>
</LinearMechanicalPort><Generic name="place"><Variable ref="x1"/></Generic>
</VariableGroups></OspModelDescription>
"""


class Osp(Beside):
    def osp(self, text, *more):
        self.put("OspSystemStructure.xml", text)
        self.check_converted("OspSystemStructure.xml", *more)
        return self.rows("OspSystemStructure.xml", *more)

    def test_the_example_gives_what_the_scenario_gives(self):
        self.example(FILE, "osp-push.json")
        same = self.scenario()
        self.check_same(self.rows("OspSystemStructure.xml"), same)
        self.check_same(self.rows("."), same)

    def test_events_of_cosim_are_a_script(self):
        self.example(FILE, "osp-push.json")
        ref = "{msd1}.msd1.F"
        same = self.scenario(script=[
            {"at": 2, "do": {"bias": {ref: 0.5}}},
            {"at": 4, "do": {"release": [ref]}},
            {"at": 6, "do": {"release": [ref]}}])
        pushed = self.rows("OspSystemStructure.xml", "osp-push.json")
        self.check_same(pushed, same)
        self.check_converted(".", "osp-push.json")
        self.assertNotEqual(pushed[-1], self.rows("OspSystemStructure.xml")[-1])

    def test_events_count_from_the_start_and_end_a_step_behind_the_last(self):
        self.put("events.json", json.dumps({"events": [
            {"time": 1, "model": "msd2", "variable": "F", "action": "override",
             "value": 2}]}))
        times = "<StartTime>1</StartTime>" + TIMES
        ref = "{msd2}.msd2.F"
        same = self.scenario(startTime=1, script=[
            {"at": 2, "do": {"override": {ref: 2}}},
            {"at": 2.2, "do": {"release": [ref]}}])
        self.check_same(self.osp(structure(ALL, times=times), "events.json"),
                        same)

    def test_functions_are_formulas(self):
        functions = '<LinearTransformation name="gain" factor="2" ' \
            'offset="-0.5"/><Sum name="both" inputCount="2"/>'
        rows = self.osp(structure(
            POSITION + wire("msd1.v1", "both.in[0]") +
            wire("msd1.x1", "both.in[1]") + wire("msd2.v1", "both.out") +
            wire("msd2.F", "gain.in") + wire("msd1.F", "gain.out"),
            functions=functions))
        self.check_same(rows, self.scenario(
            {"{msd1}.msd1.x1": ["{msd2}.msd2.x1", "{both}.both.in1"],
             "{msd1}.msd1.v1": ["{both}.both.in0"],
             "{both}.both.y": ["{msd2}.msd2.v1"],
             "{msd2}.msd2.F": ["{gain}.gain.in"],
             "{gain}.gain.y": ["{msd1}.msd1.F"]},
            {"{both}": "tutti:formula: in0 + in1",
             "{gain}": "tutti:formula: 2 * in + -0.5"}))
        y, x, v = (rows[0].index(c) for c in (
            "{both}.both.y", "{msd1}.msd1.x1", "{msd1}.msd1.v1"))
        for row in rows[1:]:
            self.assertEqual(float(row[y]), float(row[v]) + float(row[x]))

    def test_groups_are_connected_by_their_order(self):
        for model in ("msd1", "msd2"):
            self.put(f"{model}_OspModelDescription.xml", GROUPS)
        links = "".join(
            "<VariableGroupConnection>" + "".join(
                f'<VariableGroup simulator="{s}" name="{group}"/>'
                for s in ("msd1", "msd2")) + "</VariableGroupConnection>"
            for group in ("port", "place"))
        self.check_same(self.osp(structure(links)), self.scenario())

    def test_vectors_are_summed_by_dimension(self):
        self.put("msd1_OspModelDescription.xml", GROUPS.replace(
            '<Variable ref="x1"/>', '<Variable ref="x1"/><Variable ref="v1"/>'))
        self.put("msd2_OspModelDescription.xml", GROUPS.replace(
            '<Variable ref="x1"/>', '<Variable ref="x1"/><Variable ref="v1"/>'))
        links = "".join(
            f'<SignalGroupConnection><SignalGroup function="sum" name="{name}"/>'
            f'<VariableGroup simulator="{s}" name="place"/>'
            "</SignalGroupConnection>"
            for s, name in (("msd1", "in[0]"), ("msd1", "in[1]"),
                            ("msd2", "out")))
        rows = self.osp(structure(
            links + link("msd1.F", "msd2.F"),
            functions='<VectorSum name="sum" inputCount="2" dimension="2"/>'))
        self.check_same(rows, self.scenario(
            {"{msd1}.msd1.x1": ["{sum}.sum0.in0", "{sum}.sum0.in1"],
             "{msd1}.msd1.v1": ["{sum}.sum1.in0", "{sum}.sum1.in1"],
             "{sum}.sum0.y": ["{msd2}.msd2.x1"],
             "{sum}.sum1.y": ["{msd2}.msd2.v1"],
             "{msd2}.msd2.F": ["{msd1}.msd1.F"]},
            {"{sum}": "tutti:formula: in0 + in1"}))

    def test_steps_of_simulators_are_rates(self):
        fast = ONE.replace("/>", ' stepSize="0.1"/>')
        slow = TWO.replace("/>", ' stepSize="0.2"/>')
        times = TIMES.replace("0.2", "0.1")
        self.check_same(
            self.osp(structure(ALL, simulators=fast + slow, times=times)),
            self.scenario(rates={"{msd1}.msd1": 2}))

    def test_initial_values_and_own_processes(self):
        value = '<InitialValues><InitialValue variable="{}"><Real value="{}"/>' \
            "</InitialValue></InitialValues>"
        one = '<Simulator name="msd1" ' \
            'source="proxyfmu://localhost?file=msd1.fmu">' + \
            value.format("m1", 0.25) + "</Simulator>"
        self.check_same(
            self.osp(structure(ALL, simulators=one + TWO)),
            self.scenario(parameters={"{msd1}.msd1.m1": 0.25}))

    ECCO = "<EccoConfiguration>" + "".join(
        f"<{name}>{value}</{name}>" for name, value in (
            ("SafetyFactor", 0.8), ("StepSize", 0.01),
            ("MinimumStepSize", 0.001), ("MaximumStepSize", 0.1),
            ("MinimumChangeRate", 0.2), ("MaximumChangeRate", 1.5),
            ("ProportionalGain", 0.2), ("IntegralGain", 0.15),
            ("RelativeTolerance", 1e-3), ("AbsoluteTolerance", 1e-4))) + \
        "</EccoConfiguration>"
    BONDED = POSITION + link("msd2.v1", "msd1.v1", "b") + \
        link("msd1.F", "msd2.F", "b")

    def test_ecco_is_error_control_by_energy(self):
        self.put("OspSystemStructure.xml", structure(
            self.BONDED, times=TIMES + "<Algorithm>ecco</Algorithm>\n",
            more=self.ECCO))
        told = self.tutti("run", "OspSystemStructure.xml", "-o", "out.csv")
        self.assertIn(
            "OspSystemStructure.xml:17:1: steps are chosen by the energy of "
            "power bonds, as ecco does; <ProportionalGain> and <IntegralGain> "
            "are not used\n", told)
        p = self.run_tutti("convert", FILE, "-o", "it.json")
        self.assertEqual(p.stdout, "it.json: written as it was read, with 1 "
                         "warning\n")
        with open(os.path.join(self.folder, "out.csv"), encoding="utf-8") as f:
            rows = list(csv.reader(f))
        self.check_same(rows, self.scenario(
            algorithm={"type": "var-step", "size": [0.001, 0.1],
                       "initsize": 0.01, "constraints": {"e": {
                           "type": "error", "method": "energy",
                           "abstol": 1e-4, "reltol": 1e-3, "safety": 0.8,
                           "shrink": 0.2, "grow": 1.5, "perUnitTime": 0}}},
            powerBonds={"b": {
                "a": {"input": "{msd2}.msd2.v1", "output": "{msd2}.msd2.F"},
                "b": {"input": "{msd1}.msd1.F", "output": "{msd1}.msd1.v1"}}}))

    def test_what_is_taken_differently_is_warned_of(self):
        odd = ONE.replace("/>", ' stepSize="0.25"/>')
        self.warned(FILE, structure(ALL, simulators=odd + TWO, times=TIMES.replace(
            "0.2", "0.1")),
            "6:1: the step of 'msd1', 0.25 s, is no multiple of the base "
            "step, 0.1 s: it makes steps of 0.2 s")
        self.warned(FILE, structure(ALL, times=TIMES + "<Algorithm>ecco</Algorithm>",
                              more=self.ECCO),
                    "16:1: there is no power bond, which ecco looks at: the "
                    "step stays as it is")

    def test_bad_structures_are_refused_with_their_line(self):
        at = "OspSystemStructure.xml:"
        cases = (
            (HEAD + TAIL, "2:1: the structure has no <Simulators>"),
            (structure("", ONE + ONE), "7:1: 'msd1' is there twice"),
            (structure("", '<Simulator name="a"/>'),
             "6:1: <Simulator> has no 'source'"),
            (structure("", '<Simulator name="a" source="proxyfmu://h:1"/>'),
             "6:1: 'proxyfmu://h:1' names no file ('?file=...') and cannot be "
             "reached"),
            (structure(link("msd1.x1", "msd3.x1")),
             "12:1: there is no simulator or function 'msd3'; did you mean "
             "'msd1'?"),
            (structure(link("msd1.x1", "msd2.F")),
             "12:1: '{msd1}.msd1.x1' and '{msd2}.msd2.F' both give a value: "
             "they cannot be connected"),
            (structure(link("msd1.F", "msd2.x1")),
             "12:1: '{msd1}.msd1.F' and '{msd2}.msd2.x1' both take a value: "
             "they cannot be connected"),
            (structure(wire("msd1.x1", "msd2.x1")),
             "12:1: 'msd2' is a simulator, not a function"),
            (structure(wire("msd1.x1", "s.in[2]"),
                       functions='<Sum name="s" inputCount="2"/>\n'),
             "13:1: 's' has no signal 'in[2]'"),
            (structure("", functions='<Sum name="s" inputCount="0"/>'),
             "10:1: 'inputCount' of 's' is '0', not a whole number from 1 to "
             "1000"),
            (structure("", functions='<Product name="s"/>'),
             "10:1: <Product> is no function that is known"),
            (structure("<VariableConnection>" + variable("msd1.x1") +
                       "</VariableConnection>"),
             "12:1: <VariableConnection> joins two ends, and has 1"),
            (structure('<VariableGroupConnection><VariableGroup '
                       'simulator="msd1" name="g"/></VariableGroupConnection>'),
             "12:1: 'msd1' has no groups: there is no "
             "MODEL_OspModelDescription.xml beside its FMU or this file, where "
             "MODEL is its model's name"),
            (structure(link("msd1.x1", "msd2.x1", "b")),
             "12:1: the power bond 'b' has 1 connection; it is two, one each "
             "way between two simulators"),
            (structure(ALL, times="<BaseStepSize>x</BaseStepSize>"),
             "4:1: <BaseStepSize> is 'x', not a number"),
            (structure(ALL, times="<BaseStepSize>0</BaseStepSize>"),
             "4:1: <BaseStepSize> must be greater than 0"),
            (structure(ALL, times="<Algorithm>magic</Algorithm>"),
             "4:1: the algorithm is 'magic', and not fixedStep or ecco"),
            (structure(ALL, times="<Algorithm>ecco</Algorithm>"),
             "2:1: the algorithm is ecco, and there is no <EccoConfiguration>"),
            (structure(ALL, times="<Algorithm>ecco</Algorithm>",
                       more="<EccoConfiguration/>"),
             "15:1: <EccoConfiguration> has no <StepSize>"),
            (structure(ALL, ONE.replace("/>", ' stepSize="1e9"/>') + TWO),
             "2:1: the steps of the simulators have no common multiple of at "
             "most 10000 base steps"),
            (structure(ALL, ONE + '<Simulator name="msd2" source="msd2.fmu">'
                       '<InitialValues><InitialValue variable="c">'
                       '<Real value="big"/></InitialValue></InitialValues>'
                       "</Simulator>"),
             "7:1: the value of 'c' is 'big', not a Real"),
            (structure(ALL, ONE + '<Simulator name="msd2" source="msd2.fmu">'
                       '<InitialValues><InitialValue variable="c"/>'
                       "</InitialValues></Simulator>"),
             "7:1: 'c' is given no value"),
        )
        for text, message in cases:
            with self.subTest(message):
                self.refused(FILE, text, at + message)

    def test_groups_that_do_not_fit_are_refused(self):
        self.put("msd1_OspModelDescription.xml", GROUPS)
        self.put("msd2_OspModelDescription.xml", GROUPS)
        links = '<VariableGroupConnection>' \
            '<VariableGroup simulator="msd1" name="{}"/>' \
            '<VariableGroup simulator="msd2" name="{}"/>' \
            "</VariableGroupConnection>"
        self.refused(FILE, structure(links.format("place", "port")),
                     "OspSystemStructure.xml:12:1: 'place' of 'msd1' has 1 "
                     "variables, 'port' of 'msd2' has 2")
        self.refused(FILE, structure(links.format("plaice", "port")),
                     "OspSystemStructure.xml:12:1: 'msd1' has no group of "
                     "variables 'plaice'")

    def test_bad_events_are_refused(self):
        event = {"time": 1, "model": "msd1", "variable": "F",
                 "action": "override", "value": 1}
        cases = (
            ({}, {"time": None}, "1:22: 'time' must be a number"),
            ({}, {"model": "x"},
             "1:13: there is no simulator or function 'x'"),
            ({}, {"model": 3}, "1:34: 'model' must be a string"),
            ({}, {"action": "bend"},
             "1:13: the action is 'bend', and not override, bias or reset"),
            ({}, {"value": "three"},
             "1:90: 'value' must be a number or a Boolean; others are not "
             "supported"),
            ({"defaults": 1}, {}, "1:107: 'defaults' must be an object"),
            ({"events": 1}, {}, "1:12: 'events' must be an array"),
        )
        for more, change, message in cases:
            with self.subTest(message):
                self.put("e.json", json.dumps(
                    {"events": [{**event, **change}], **more}))
                self.refused(FILE, structure(ALL), f"e.json:{message}", "e.json")
        self.put("e.json", json.dumps({"events": [
            {k: v for k, v in event.items() if k != "model"}]}))
        self.refused(FILE, structure(ALL), "e.json:1:13: the event has no 'model', "
                     "and there is no default", "e.json")

    def test_other_files_are_not_laid_over_it(self):
        self.scenario()
        self.refused(FILE, structure(ALL), "'OspSystemStructure.xml' is a system "
                     "structure (OSP) and is read alone; settings can be given "
                     "by options", "same.json")


if __name__ == "__main__":
    unittest.main()
