#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Projects of MasterSim as users run them, beside the same as scenarios."""
import os
import unittest

from beside import Beside

FILE = "t.msim"
TIMES = "tEnd 10 s\nhStart 0.2 s\nhOutputMin 0 s\n"
TWO = 'simulator 0 0 msd1 #ff8c00 "msd1.fmu"\n' \
    'simulator 1 0 msd2 #008000 "msd2.fmu"\n'
GRAPH = "graph msd1.x1 msd2.x1\ngraph msd1.v1 msd2.v1\ngraph msd2.F msd1.F\n"
SEIDEL = {"master": "gauss-seidel", "order": ["{msd1}.msd1", "{msd2}.msd2"],
          "tolerance": 1e-5}


class Msim(Beside):
    def msim(self, text):
        self.put(FILE, text)
        self.check_converted(FILE)
        return self.rows(FILE)

    def test_the_example_gives_what_the_scenario_gives(self):
        self.example("masses.msim")
        self.check_same(self.rows("masses.msim"), self.scenario(
            **{**SEIDEL, "order": ["{msd2}.msd2", "{msd1}.msd1"]}))

    def test_jacobi_and_units_of_time(self):
        self.check_same(
            self.msim("tStart 500 ms\ntEnd 0.1 min\nhStart 200 ms\n"
                      "hOutputMin 0 d\nMasterMode GAUSS_JACOBI\n" +
                      TWO + GRAPH),
            self.scenario(startTime=0.5, endTime=6))

    def test_parameters_offsets_and_names_in_quotes(self):
        rows = self.msim(
            TIMES + TWO + 'graph "msd1.x1" "msd2.x1" 0.5 2\n'
            "graph msd1.v1 msd2.v1 0 1 0.8 #000000\ngraph msd2.F msd1.F\n"
            "parameter msd1.m1   2.5\nparameter msd1.microsteps 4\n")
        same = self.scenario(
            {"{msd1}.msd1.x1": ["{f}.f.in"], "{f}.f.y": ["{msd2}.msd2.x1"],
             "{msd1}.msd1.v1": ["{msd2}.msd2.v1"],
             "{msd2}.msd2.F": ["{msd1}.msd1.F"]},
            {"{f}": "tutti:formula: 2 * in + 0.5"},
            parameters={"{msd1}.msd1.m1": 2.5, "{msd1}.msd1.microsteps": 4},
            **{**SEIDEL, "order": ["msd1", "f", "msd2"]})
        f = same[0].index("{f}.f.y")
        self.check_same(rows, [row[:f] + row[f + 1:] for row in same])

    def test_iterations_until_converged(self):
        text = "absTol 1e-8\nrelTol 1e-7\nmaxIterations 50\n" + TIMES + TWO + \
            GRAPH
        iteration = {"absoluteTolerance": 1e-8, "relativeTolerance": 1e-7,
                     "maximum": 50, "scope": "all", "unconverged": "stop"}
        self.check_same(self.msim(text), self.scenario(
            iterate="converged", iteration=iteration,
            **{**SEIDEL, "tolerance": 1e-7}))
        self.check_same(
            self.msim("MasterMode NEWTON\n" + text), self.scenario(
                iterate="converged", acceleration="newton", tolerance=1e-7,
                iteration=iteration))

    def test_step_doubling(self):
        self.check_same(
            self.msim("hMin 1e-4 s\nhMax 1 s\nadjustStepSize yes\n"
                      "absTol 1e-4\nrelTol 1e-3\n"
                      "ErrorControlMode STEP_DOUBLING\n" + TIMES + TWO + GRAPH),
            self.scenario(
                algorithm={"type": "var-step", "size": [1e-4, 1],
                           "initsize": 0.2, "constraints": {"e": {
                               "type": "error", "method": "richardson",
                               "abstol": 1e-4, "reltol": 1e-3,
                               "perUnitTime": 0}}},
                **{**SEIDEL, "tolerance": 1e-3}))

    def test_tables_are_simulators(self):
        self.put("push.csv", "Time [s]\tforce [N]\n0\t0\n10\t5\n")
        rows = self.msim(TIMES + 'simulator 0 0 push #fff "push.csv"\n'
                         'simulator 1 0 msd1 #fff "msd1.fmu"\n'
                         "graph push.force msd1.F\n")
        self.check_same(rows, self.scenario(
            {"{push}.push.force": ["{msd1}.msd1.F"]}, {"{push}": "push.csv"},
            master="gauss-seidel", tolerance=1e-5,
            **{"instances": {"{msd1}": ["msd1"]}}))

    def test_what_is_taken_differently_is_warned_of(self):
        self.warned(FILE, TIMES + "ErrorControlMode CHECK\n" + TWO + GRAPH,
                    "4:1: the error is not checked without being controlled; "
                    "STEP_DOUBLING controls it")
        self.warned(FILE, TIMES + "hMax 0.5 s\nadjustStepSize yes\n" + TWO +
                    GRAPH, "4:1: without error control steps are as long as "
                    "'hMax' unless they fail, and do not grow by 2 from "
                    "'hStart'")
        self.warned(FILE, TIMES + "colour blue\n" + TWO + GRAPH,
                    "4:1: 'colour' is not known and is left out")

    def test_bad_lines_are_refused(self):
        cases = (
            ("tEnd 10\n", "1:1: '10' is not a number and a unit of time: ms, "
             "s, min, h, d or a"),
            ("hMax x s\n", "1:1: 'x s' is not a number and a unit of time: "
             "ms, s, min, h, d or a"),
            ("MasterMode EULER\n", "1:1: the master is 'EULER', and not "
             "GAUSS_JACOBI, GAUSS_SEIDEL or NEWTON"),
            ("ErrorControlMode ALL\n", "1:1: the error control is 'ALL', and "
             "not NONE, CHECK or STEP_DOUBLING"),
            ("ErrorControlMode STEP_DOUBLING\n",
             "1:1: STEP_DOUBLING needs 'adjustStepSize yes'"),
            ("absTol -1\n",
             "1:1: 'absTol' is '-1', not a number of at least 0"),
            ("maxIterations 0\n", "1:1: 'maxIterations' is '0', not a whole "
             "number from 1 to 1000000"),
            ("simulator 0 msd1 msd1.fmu\n", "1:1: the form is 'simulator "
             "NUMBER CYCLE NAME COLOUR \"FILE\"'"),
            (TWO + TWO, "3:1: there are two simulators 'msd1'"),
            (TWO + "graph msd1.x1\n", "3:1: the form is 'graph OUTPUT INPUT "
             "[OFFSET FACTOR [WIDTH COLOUR]]'"),
            (TWO + "graph msd1.x1 msd3.x1\n",
             "3:1: there is no simulator 'msd3'; did you mean 'msd1'?"),
            (TWO + "graph msd1 msd2.x1\n",
             "3:1: 'msd1' is not SIMULATOR.VARIABLE"),
            (TWO + "parameter msd1.m1\n",
             "3:1: the form is 'parameter SIMULATOR.NAME VALUE'"),
            (TWO + "graph msd1.x1 msd2.nix\n",
             "3:1: instance '{msd2}.msd2' has no variable 'nix'"),
        )
        for text, message in cases:
            with self.subTest(message):
                self.refused(FILE, text, f"{FILE}:{message}")

    def test_no_text_is_refused(self):
        with open(os.path.join(self.folder, FILE), "wb") as f:
            f.write(b"tEnd 1 s\n\0\n")
        told = self.tutti("run", FILE, code=2)
        self.assertEqual(told, f"tutti: {FILE}: it is no text\n")


if __name__ == "__main__":
    unittest.main()
