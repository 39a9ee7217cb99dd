#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Results of other tools as inputs and as references: MAT as Modelica tools
write it."""
import unittest

from beside import Beside

FORCE = {"{msd2}.msd2.F": ["{msd1}.msd1.F"]}


class Tables(Beside):
    def results(self, file):
        """Both masses, recorded in a format."""
        self.scenario()
        self.tutti("run", "same.json", "-q", "-o", file)

    def driven(self, table):
        """The left mass alone, pushed by what was recorded."""
        return self.scenario(
            {"{table}.table.{msd2}.msd2.F": ["{msd1}.msd1.F"]},
            {"{table}": table}, instances={"{msd1}": ["msd1"]})

    def test_mat_drives_an_instance_as_csv_does(self):
        self.results("r.csv")
        self.results("r.mat")
        self.check_same(self.driven("r.mat"), self.driven("r.csv"))

    def test_mat_drives_an_fmu_alone(self):
        self.put("push.csv", "T [s],F\n0,0\n10,5\n")
        csv = self.rows("msd1.fmu", "--input", "push.csv")
        self.put("play.json", '{"fmus": {"{p}": "push.csv"}, "instances": '
                 '{"{p}": ["p"]}, "algorithm": {"type": "fixed-step", "size": '
                 '1}, "logVariables": {"{p}.p": ["F"]}, "endTime": 10}')
        self.tutti("run", "play.json", "-q", "-o", "push.mat")
        self.put("drive.json", '{"fmus": {"{p}": "push.mat", "{msd1}": '
                 '"msd1.fmu"}, "connections": {"{p}.p.{p}.p.F": '
                 '["{msd1}.msd1.F"]}, "algorithm": {"type": "fixed-step", '
                 '"size": 0.2}, "approximation": "linear", "reactivity": '
                 '{"{msd1}.msd1.F": "reactive"}, "startTime": 0, "endTime": 10,'
                 ' "logVariables": {"{msd1}.msd1": ["x1", "v1"]}}')
        mat = self.rows("drive.json")
        x = csv[0].index("{msd1}.msd1.x1"), mat[0].index("{msd1}.msd1.x1")
        self.assertEqual(len(csv), len(mat))
        for a, b in zip(csv[1:], mat[1:]):
            self.assertAlmostEqual(float(a[x[0]]), float(b[x[1]]), places=12)

    def test_mat_is_a_reference(self):
        self.results("r.csv")
        self.results("r.mat")
        self.tutti("compare", "r.csv", "r.mat")

    def test_a_damaged_table_is_refused(self):
        self.put("r.mat", "no matrices")
        self.put("d.json", '{"fmus": {"{t}": "r.mat"}, "instances": '
                 '{"{t}": ["t"]}, "algorithm": {"type": "fixed-step", "size": '
                 '1}, "endTime": 1}')
        told = self.tutti("run", "d.json", code=2)
        self.assertEqual(told, f"tutti: d.json:1:18: FMU '{{t}}': {self.folder}/r.mat: "
                         "byte 0: no matrix of a MAT v4 file (little-endian, "
                         "real)\n")


if __name__ == "__main__":
    unittest.main()
