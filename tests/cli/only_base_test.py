#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`--only-base`: what a scenario, and those inside it, may name."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
TANK = os.path.join(BUILD, "examples", "water-tank", "watertank.fmu")


def scenario(location, **more):
    return {"fmus": {"{a}": location}, "instances": {"{a}": ["x"]}, **more}


class Base(unittest.TestCase):
    """A session beside what it may not have: out/x.fmu, out/inner.json."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        self.session = os.path.join(self.folder, "s")
        os.makedirs(os.path.join(self.session, "sub"))
        os.mkdir(os.path.join(self.folder, "out"))
        for to in ("out/x.fmu", "s/x.fmu", "s/sub/own.fmu"):
            shutil.copy(TANK, os.path.join(self.folder, to))
        self.put("out/inner.json", scenario("x.fmu"))
        with open(os.path.join(self.folder, "out", "secret"), "w",
                  encoding="utf-8") as f:
            f.write("secret")

    def put(self, name, content):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as f:
            json.dump(content, f)
        return path

    def pack(self, name, files):
        path = os.path.join(self.session, name)
        with zipfile.ZipFile(path, "w") as z:
            for at, content in files.items():
                z.writestr(at, content if isinstance(content, bytes)
                           else json.dumps(content))
        with open(path, "rb") as f:
            return f.read()

    def tutti(self, command, content, option="--only-base"):
        """In words, without the folders' names: what was said of it."""
        path = self.put("runs/1/scenario.json", {
            **content, "startTime": 0, "endTime": 0.1,
            "algorithm": {"type": "fixed-step", "size": 0.1}})
        p = subprocess.run(
            [TUTTI, command, option, self.session, path,
             *(["-o", "out.csv"] if command == "run" else [])],
            cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, check=False, timeout=120)
        return p.returncode, p.stderr.replace(self.folder + "/", "")

    def refused(self, content, *words):
        """By all commands, with this message, place by place."""
        for command in ("run", "check", "score"):
            code, said = self.tutti(command, content)
            self.assertEqual((command, code), (command, 2), said)
            lines = [line for line in said.splitlines()
                     if not line.startswith("tutti: note:")]
            self.assertEqual(lines[:1], ["tutti: " + ": ".join(words)])

    def plays(self, content, option="--only-base"):
        for command in ("run", "check", "score"):
            code, said = self.tutti(command, content, option)
            self.assertEqual((command, code), (command, 0), said)


OUTER = "runs/1/scenario.json:1:18: FMU '{a}'"


def not_here(location):
    name = os.path.basename(location).replace("session:", "")
    return (f"FMU '{{a}}': '{location}' is not in the session: upload the "
            f"file, and name it 'session:{name}'")


class Inside(Base):
    def test_whatever_way_it_is_named(self):
        os.symlink("../out/x.fmu", os.path.join(self.session, "link.fmu"))
        os.symlink("../out", os.path.join(self.session, "way"))
        out = os.path.join(self.folder, "out", "x.fmu")
        for location in ("../out/x.fmu", out, "file://" + out, "link.fmu",
                         "session:link.fmu", "way/x.fmu", "sub/../way/x.fmu",
                         "../out/inner.json", "coe:../out/inner.json",
                         "/etc/passwd", "../out/nothing.fmu", "../s.fmu",
                         "../out/table.csv"):
            self.put("s/inner.json", scenario(location))
            shown = location.replace(self.folder + "/", "")
            self.refused(scenario("inner.json"), OUTER,
                         "s/inner.json:1:18", not_here(shown))
            self.refused(scenario("coe:inner.json"), OUTER,
                         "s/inner.json:1:18", not_here(shown))

    def test_twice(self):
        self.put("s/sub/inner.json", scenario("../../out/x.fmu"))
        self.put("s/middle.json", scenario("sub/inner.json"))
        self.refused(scenario("session:middle.json"), OUTER,
                     "s/middle.json:1:18: FMU '{a}'", "s/sub/inner.json:1:18",
                     not_here("../../out/x.fmu"))

    def test_what_is_in_the_session_plays(self):
        for location in ("sub/own.fmu", "session:x.fmu", "x.fmu",
                         os.path.join(self.session, "x.fmu")):
            self.put("s/inner.json", scenario(location))
            self.plays(scenario("inner.json"))
            self.plays(scenario("session:inner.json"))
        for location in ("own.fmu", "x.fmu", "../x.fmu", "session:x.fmu",
                         "session:sub/own.fmu"):
            self.put("s/sub/inner.json", scenario(location))
            self.put("s/middle.json", scenario("sub/inner.json"))
            self.plays(scenario("sub/inner.json"))
            self.plays(scenario("middle.json"))

    def test_in_place(self):
        for location in ("../out/x.fmu", "/etc/passwd", "../out/nothing.fmu"):
            self.refused(scenario(scenario(location)),
                         "runs/1/scenario.json:1:35", not_here(location))
            self.put("s/inner.json", scenario(scenario(location)))
            self.refused(scenario("inner.json"), OUTER, "s/inner.json:1:35",
                         not_here(location))
        for location in ("sub/own.fmu", "session:x.fmu", "x.fmu"):
            self.plays(scenario(scenario(scenario(location))))
        self.plays(scenario(scenario("../out/inner.json")), "--base")

    def test_without_the_word_only_everything_plays(self):
        for location in ("../out/x.fmu", "session:x.fmu",
                         "../out/inner.json"):
            self.put("s/inner.json", scenario(location))
            self.plays(scenario("inner.json"), "--base")


class Packed(Base):
    CONFIG = "resources/config.json"

    def test_folders(self):
        self.put("s/c/" + self.CONFIG, scenario("../../../out/x.fmu"))
        self.refused(scenario("coe:c"), OUTER, "s/c/" + self.CONFIG + ":1:18",
                     not_here("../../../out/x.fmu"))
        self.put("s/c/" + self.CONFIG, scenario("../../x.fmu"))
        self.plays(scenario("coe:c"))
        self.put("s/c/" + self.CONFIG, scenario("session:x.fmu"))
        self.plays(scenario("coe:c"))

    def test_a_folder_that_leads_out(self):
        os.makedirs(os.path.join(self.session, "c", "resources"))
        os.symlink("../../../out/inner.json",
                   os.path.join(self.session, "c", self.CONFIG))
        self.refused(scenario("coe:c"), OUTER,
                     "s/c/" + self.CONFIG, "it is not in the session")

    def test_archives_name_what_is_in_them(self):
        with open(TANK, "rb") as f:
            fmu = f.read()
        self.pack("c.zip", {self.CONFIG: scenario("deep/own.json"),
                            "resources/deep/own.json": scenario("../x.fmu"),
                            "resources/x.fmu": fmu})
        self.plays(scenario("coe:c.zip"))
        inner = self.pack("c.zip", {self.CONFIG: scenario("x.fmu"),
                                    "resources/x.fmu": fmu})
        self.pack("d.zip", {self.CONFIG: scenario("coe:c.zip"),
                            "resources/c.zip": inner})
        self.plays(scenario("coe:d.zip"))

    def test_and_nothing_else(self):
        out = os.path.join(self.folder, "out", "x.fmu")
        inner = self.pack("c.zip", {self.CONFIG: scenario(out)})
        self.pack("d.zip", {self.CONFIG: scenario("coe:c.zip"),
                            "resources/c.zip": inner})
        self.pack("e.zip", {self.CONFIG: scenario(
            "../" * 20 + out.lstrip("/"))})
        for name in ("c.zip", "d.zip", "e.zip"):
            for command in ("run", "check", "score"):
                code, said = self.tutti(command, scenario("coe:" + name))
                self.assertEqual(code, 2, said)
                self.assertRegex(said, r"^tutti: runs/1/scenario.json:1:18: "
                                 r"FMU '\{a\}': (.*: FMU '\{a\}': )?[^ ]*/"
                                 r"resources/config.json:1:18: FMU '\{a\}': "
                                 r"'[./\w]*out/x.fmu' is not in the session: "
                                 r"upload the file, and name it "
                                 r"'session:x.fmu'\n")


class Others(Base):
    """Machines, and the files that lead to them."""

    def test_machines(self):
        far = "tutti://localhost:1/x.fmu"
        words = (f"FMU '{{a}}': '{far}' is on another machine: upload the "
                 "file, and name it 'session:x.fmu'")
        self.refused(scenario(far), OUTER[:-11], words)
        self.put("s/inner.json", scenario(far))
        self.refused(scenario("inner.json"), OUTER, "s/inner.json:1:18", words)

    def test_hosts(self):
        words = ("FMU '{a}': its instances may not go to 'localhost:1': those of "
                 "a session stay on its machine")
        hosts = {"hosts": {"{a}": "localhost:1"}}
        self.refused(scenario("x.fmu", **hosts),
                     "runs/1/scenario.json:1:74", words)
        self.put("s/inner.json", scenario("x.fmu", **hosts))
        self.refused(scenario("inner.json"), OUTER, "s/inner.json:1:74", words)

    def test_files_that_are_shown_to_others(self):
        os.symlink("../out/secret", os.path.join(self.session, "link"))
        secret = os.path.join(self.folder, "out", "secret")
        for field, where in (("tokenFile", 70), ("tlsCa", 66)):
            for path in (secret, "../out/secret", "link"):
                shown = path.replace(self.folder + "/", "")
                words = f"'{field}': '{shown}' is not in the session"
                self.put("s/inner.json", scenario("x.fmu", **{field: path}))
                self.refused(scenario("inner.json"), OUTER,
                             f"s/inner.json:1:{where}", words)
            words = f"'{field}': 'out/secret' is not in the session"
            self.refused(scenario("x.fmu", **{field: secret}),
                         f"runs/1/scenario.json:1:{where}", words)


class Info(Base):
    def test_links_are_not_looked_at(self):
        os.symlink("../out/x.fmu", os.path.join(self.session, "link.fmu"))
        p = subprocess.run([TUTTI, "info", "--json", "--only-base",
                            self.session, "link.fmu", "x.fmu"],
                           stdout=subprocess.PIPE, check=True)
        link, own = json.loads(p.stdout)["fmus"]
        self.assertEqual((link["info"], link["error"]),
                         (None, "it is not in the session"))
        self.assertEqual((own["info"]["modelName"], own["error"]),
                         ("watertank", None))

    def program(self, place):
        with open(os.path.join(self.session, "p.sa"), "w",
                  encoding="utf-8") as f:
            f.write(f'semantic adaptation A a for inner fmu B b at "{place}"')

    def test_a_program_names_what_is_in_the_folder(self):
        self.program("x.fmu")
        self.plays(scenario("session:p.sa"))
        for place in ("../out/x.fmu", "sub/../../out/x.fmu", "../out/none.fmu",
                      os.path.join(self.folder, "out", "x.fmu")):
            self.program(place)
            self.refused(scenario("session:p.sa"), "runs/1/scenario.json:1:18",
                         "FMU '{a}'", "s/p.sa:1:39", "inner unit 'b'",
                         "'" + place.replace(self.folder + "/", "") +
                         "' is not in the folder of the scenario")
        os.symlink(os.path.join(self.folder, "out", "x.fmu"),
                   os.path.join(self.session, "link.fmu"))
        self.program("link.fmu")
        self.refused(scenario("session:p.sa"), "runs/1/scenario.json:1:18",
                     "FMU '{a}'", "s/p.sa:1:39", "inner unit 'b'",
                     "'link.fmu' is not in the folder of the scenario")
        self.program("tutti://lab:7117/x.fmu")
        self.refused(scenario("session:p.sa"), "runs/1/scenario.json:1:18",
                     "FMU '{a}'", "s/p.sa:1:39", "inner unit 'b'",
                     "'tutti://lab:7117/x.fmu' is on another machine")


if __name__ == "__main__":
    unittest.main()
