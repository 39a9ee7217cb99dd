#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What 'tutti new' proposes to connect, and why."""
import subprocess
import unittest

from beside import TUTTI, Beside


class Propose(Beside):
    def new(self, header):
        """The left mass, with a table of this header beside it."""
        self.put("push.csv", header + "\n0" + ",1" * header.count(",") + "\n")
        p = subprocess.run([TUTTI, "new", "msd1.fmu", "push.csv", "-o", "-"],
                           capture_output=True, text=True, cwd=self.folder,
                           check=True)
        return p.stderr

    def check_proposed(self, header, column, why):
        self.assertIn(
            "standard output: 2 instances, 1 connection proposed\n\n"
            f"connections\n  push.{column} -> msd1.F: {why}"
            "\n\nnext\n", self.new(header))

    def test_each_rule_gives_its_reason(self):
        self.check_proposed("time,F,f", "F", "equal names")
        self.check_proposed("time,_f", "_f",
                            "names that differ in case or signs")
        self.check_proposed(
            "time,push [N],way [m]", "push",
            "the only output and the only open input of this unit")

    def test_what_is_not_clear_is_left_open(self):
        for header in ("time,a [N],b [N]", "time,f,_F", "time,a,b",
                       "time,a [m]"):
            with self.subTest(header):
                told = self.new(header)
                self.assertIn("2 instances, 0 connections proposed\n", told)
                self.assertIn("inputs that are not connected\n"
                              "  msd1.F (Float64, N) <- ", told)


if __name__ == "__main__":
    unittest.main()
