#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What shells complete: completion_test.py BUILD. Each shell reads its script
and is asked as the tabulator key would ask it."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")


def tutti(*words):
    return subprocess.run([TUTTI, *words], capture_output=True, text=True,
                          check=False)


def script(shell):
    done = tutti("completion", shell)
    assert done.returncode == 0, done.stderr
    return done.stdout


def options(command):
    text = tutti(command, "--help").stdout
    return set(re.findall(r"^  (?:-\w, |    )--([a-z-]+)", text, re.M))


class Bash(unittest.TestCase):
    def ask(self, *line):
        words = " ".join(f"'{w}'" for w in ("tutti", *line))
        ask = (f"COMP_WORDS=({words})\nCOMP_CWORD={len(line)}\n_tutti\n"
               "printf '%s\\n' \"${COMPREPLY[@]}\"\n")
        done = subprocess.run(["bash"], input=script("bash") + ask, text=True,
                              capture_output=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.split()

    def test_commands(self):
        self.assertEqual(self.ask("sc"), ["score"])
        self.assertIn("run", self.ask(""))

    def test_options(self):
        self.assertEqual(self.ask("run", "x.json", "--mas"), ["--master"])
        for command in ("run", "check", "serve"):
            got = {w[2:] for w in self.ask(command, "--")}
            self.assertEqual(got, options(command))

    def test_words_after_an_option(self):
        self.assertEqual(self.ask("run", "--master", ""),
                         ["jacobi", "gauss-seidel"])
        self.assertEqual(self.ask("run", "--threads", "a"), ["auto"])

    def test_files_are_left_to_the_shell(self):
        self.assertEqual(self.ask("run", "--report", ""), [])
        self.assertEqual(self.ask("run", ""), [])


@unittest.skipUnless(shutil.which("zsh"), "zsh is not installed")
class Zsh(unittest.TestCase):
    def ask(self, *line):
        """What is passed to zsh's own function for arguments."""
        words = " ".join(f"'{w}'" for w in ("tutti", *line))
        text = ("compdef() { }\n_arguments() { print -rl -- \"$@\" }\n"
                "_describe() { print -rl -- $commands }\n" + script("zsh") +
                f"f() {{ words=({words}); CURRENT={len(line) + 1}; _tutti }}\n"
                "f\n")
        with tempfile.NamedTemporaryFile("w", suffix=".zsh") as f:
            f.write(text)
            f.flush()
            done = subprocess.run(["zsh", "-f", f.name], text=True,
                                  capture_output=True, check=True)
        self.assertEqual(done.stderr, "")
        return done.stdout.splitlines()

    def test_commands(self):
        self.assertIn("check:find problems before running", self.ask(""))

    def test_options(self):
        got = self.ask("run", "--")
        self.assertIn("--master=[how instances take turns]:jacobi|gauss-seidel:"
                      "(jacobi gauss-seidel)", got)
        self.assertIn("--report=[a report to read and keep]:FILE.html:_files",
                      got)
        names = {re.match(r"\*?--([a-z-]+)", w).group(1) for w in got
                 if re.match(r"\*?--", w)}
        self.assertEqual(names | {"help"}, options("run"))


@unittest.skipUnless(shutil.which("fish"), "fish is not installed")
class Fish(unittest.TestCase):
    def ask(self, line):
        with tempfile.TemporaryDirectory() as home:
            env = dict(os.environ, HOME=home, XDG_CONFIG_HOME=home,
                       XDG_DATA_HOME=home)
            done = subprocess.run(
                ["fish", "--no-config"], env=env, text=True, check=True,
                input=script("fish") + f"complete -C '{line}'\n",
                capture_output=True)
        return [w.split("\t")[0] for w in done.stdout.splitlines()]

    def test_commands(self):
        self.assertEqual(self.ask("tutti stabil"), ["stability"])

    def test_options(self):
        self.assertEqual(self.ask("tutti run --mas"), ["--master"])
        got = {w[2:] for w in self.ask("tutti run --")}
        self.assertEqual(got - {"help"}, options("run") - {"help"})

    def test_words_after_an_option(self):
        self.assertEqual(self.ask("tutti run --master "),
                         ["gauss-seidel", "jacobi"])


class Refused(unittest.TestCase):
    def test_other_shells(self):
        done = tutti("completion", "csh")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "tutti: there is no completion for 'csh': bash, "
                          "zsh or fish\n"))
        done = tutti("completion")
        self.assertEqual((done.returncode, done.stderr),
                         (2, "tutti: 'tutti completion' needs one of bash, "
                          "zsh, fish: tutti completion bash | zsh | fish\n"))


class Help(unittest.TestCase):
    def test_options_are_grouped(self):
        """Each option of `run` has its theme."""
        for command in ("run", "check", "score", "stability"):
            text = tutti(command, "--help").stdout
            self.assertIn("\nwhat to simulate\n      --set ", text)
        self.assertRegex(tutti("run", "--help").stdout,
                         r"\noptions\n  -h, --help +this text\n")
        self.assertNotIn("\nwhat to simulate\n", tutti("plot", "--help").stdout)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
