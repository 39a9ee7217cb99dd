# SPDX-License-Identifier: MIT
"""`tutti compile`: sources become a library that runs at once; what is wrong or
hostile in them is named, and does nothing."""
import glob
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "remote"))
from rig import BUILD, TUTTI, Desk, Worker, read

BALL = os.path.join(BUILD, "examples", "bouncing-ball", "bouncing_ball")


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


def kit():
    """The kit below sources/kit, the unit, and a file that includes the kit."""
    files = {"sources/kit/" + os.path.basename(p): text(p)
             for p in glob.glob(os.path.join(ROOT, "kit", "tutti_kit*.[ch]"))}
    files["sources/tutti_kit.h"] = '#include "kit/tutti_kit.h"\n'
    files["sources/bouncing_ball.c"] = text(os.path.join(
        ROOT, "examples", "bouncing-ball", "bouncing_ball.c"))
    return files


def description(fmi):
    name = BALL + {1: "-fmi1", 2: "", 3: "-fmi3"}[fmi] + ".fmu"
    with zipfile.ZipFile(name) as z:
        return z.read("modelDescription.xml").decode()


def listed(xml, *names):
    """A description of FMI 2 that names sources."""
    files = "".join(f'<File name="{n}"/>' for n in names)
    head, tail = xml.split("<CoSimulation", 1)
    flags, rest = tail.split("/>", 1)
    return (f"{head}<CoSimulation{flags}><SourceFiles>{files}</SourceFiles>"
            f"</CoSimulation>{rest}")


def build(inside):
    return ('<?xml version="1.0"?>\n<fmiBuildDescription fmiVersion="3.0">\n'
            '<BuildConfiguration modelIdentifier="other"/>\n'
            '<BuildConfiguration modelIdentifier="bouncing_ball">\n'
            f"{inside}\n</BuildConfiguration></fmiBuildDescription>")


FMI3_SET = ('<SourceFileSet language="C17" compilerOptions="-fplugin=x">\n'
            '<SourceFile name="bouncing_ball.c"/>\n'
            '<SourceFile name="kit/tutti_kit.c"/>\n'
            '<PreprocessorDefinition name="TUTTI_KIT_FMI" value="3"/>\n'
            '<IncludeDirectory name="kit"/></SourceFileSet>\n'
            '<Library name="m" external="true"/>')


class Compile(unittest.TestCase):
    def setUp(self):
        self.folder = os.path.realpath(tempfile.mkdtemp())

    def tearDown(self):
        shutil.rmtree(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)

    def fmu(self, xml, files, name="x.fmu"):
        with zipfile.ZipFile(self.path(name), "w") as z:
            z.writestr("modelDescription.xml", xml)
            for n, content in files.items():
                z.writestr(n, content)
        return self.path(name)

    def tutti(self, *words, **env):
        return subprocess.run([TUTTI, *words], cwd=self.folder, text=True,
                              capture_output=True, timeout=300,
                              env={**os.environ, **env})

    def compile(self, *words, **env):
        return self.tutti("compile", "x.fmu", "-o", "y.fmu", *words, **env)

    def refused(self, message, **env):
        done = self.compile(**env)
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (2, "", f"tutti: {message}\n"))
        self.assertFalse(os.path.exists(self.path("y.fmu")))

    def runs_as(self, original, sources, note=""):
        done = self.compile()
        self.assertEqual((done.returncode, done.stderr), (0, note))
        self.assertRegex(done.stdout,
                         rf"^y.fmu: {sources} built for .*linux.* with /")
        for name, fmu in (("a.csv", original), ("b.csv", "y.fmu")):
            run = self.tutti("run", fmu, "-q", "--end", "3", "--step", "0.01",
                             "-o", name)
            self.assertEqual((run.returncode, run.stderr), (0, ""))
        rows = [text(self.path(n)).split("\n", 1)[1] for n in ("a.csv", "b.csv")]
        self.assertEqual(rows[0], rows[1])
        self.assertGreater(len(rows[0]), 5000)

    def runs_elsewhere(self):
        """y.fmu, in a process of its own and on another host."""
        desk = Desk()
        self.addCleanup(desk.close)
        worker = Worker(desk)
        self.addCleanup(worker.close)
        path = desk.json("scenario.json", {
            "fmus": {"{y}": self.path("y.fmu")}, "instances": {"{y}": ["y"]},
            "connections": {}, "record": ["{y}.y.h", "{y}.y.bounces"],
            "algorithm": {"type": "fixed-step", "size": 0.01}, "endTime": 3})
        for out, options, files in (
                ("here.csv", [], []), ("isolated.csv", ["--isolate"], []),
                ("remote.csv", [], [desk.hosts(path, worker.address)])):
            done = desk.run([path, *files], "-q", *options, out=out)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        here = read(desk.path("here.csv"))
        self.assertEqual(here, read(desk.path("isolated.csv")))
        self.assertEqual(here, read(desk.path("remote.csv")))
        self.assertEqual(here.count(b"\n"), 302)

    # --- what is built ------------------------------------------------------

    def test_fmi_2_builds_what_the_description_names(self):
        files = kit()
        files["sources/unit.c"] = '#include "kit/tutti_kit.c"\n'
        files["sources/broken.c"] = "this is not named\n"
        files["documentation/a.txt"] = "kept"
        self.fmu(listed(description(2), "bouncing_ball.c", "unit.c"), files)
        run = self.tutti("run", "x.fmu")
        self.assertEqual(
            (run.returncode, run.stderr),
            (2, f"tutti: instance '{{x}}.x' (fmi2): {self.path('x.fmu')}: it has "
             "no library for this platform (linux64); it has: no binaries at all; 'tutti "
             "compile' builds its sources\n"))
        self.runs_as(BALL + ".fmu", "2 sources")
        with zipfile.ZipFile(self.path("y.fmu")) as z:
            self.assertEqual(z.read("documentation/a.txt"), b"kept")
            self.assertIn("binaries/linux64/bouncing_ball.so", z.namelist())
            self.assertIn("sources/broken.c", z.namelist())

    def test_fmi_3_builds_by_its_description(self):
        files = kit()
        del files["sources/tutti_kit.h"]
        files["sources/buildDescription.xml"] = build(FMI3_SET)
        self.fmu(description(3), files)
        self.runs_as(BALL + "-fmi3.fmu", "2 sources",
                     'note: compilerOptions "-fplugin=x" are not used\n')
        self.runs_elsewhere()

    def test_the_only_configuration_is_meant(self):
        files = kit()
        only = build(FMI3_SET.replace(' compilerOptions="-fplugin=x"', ""))
        files["sources/buildDescription.xml"] = only.replace(
            '<BuildConfiguration modelIdentifier="other"/>\n', "").replace(
                '"bouncing_ball">', '"ball">')
        self.fmu(description(3), files)
        self.runs_as(BALL + "-fmi3.fmu", "2 sources",
                     "tutti: warning: buildDescription.xml:3: it is of 'ball', "
                     "not of 'bouncing_ball'; the only configuration is used\n")

    def test_fmi_1_builds_all_there_is(self):
        files = kit()
        files["sources/unit.c"] = ("#define TUTTI_KIT_FMI 1\n"
                                   "#define TUTTI_KIT_ID bouncing_ball\n"
                                   '#include "kit/tutti_kit.c"\n')
        self.fmu(description(1), files)
        self.runs_as(BALL + "-fmi1.fmu", "2 sources")

    def test_headers_of_fmi_are_supplied(self):
        names = {1: ("fmiFunctions", "fmiModelFunctions"), 2: ("fmi2Functions",),
                 3: ("fmi3Functions",)}
        for fmi, headers in names.items():
            files = {f"sources/{h}_.c": f'#include "{h}.h"\n#include "{h}.h"\n'
                     f"#define MODEL_IDENTIFIER bouncing_ball\n"
                     for h in headers}
            files["sources/buildDescription.xml"] = build(
                '<SourceFileSet><SourceFile name="fmi3Functions_.c"/>'
                "</SourceFileSet>")
            self.fmu(description(fmi), files)
            done = self.compile("--force")
            self.assertEqual((fmi, done.returncode, done.stderr), (fmi, 0, ""))

    def test_a_folder_is_taken_too(self):
        files = kit()
        files["sources/unit.c"] = '#include "kit/tutti_kit.c"\n'
        with zipfile.ZipFile(self.fmu(description(2), files)) as z:
            z.extractall(self.path("f"))
        shutil.move(self.path("f"), self.path("g.fmu"))
        done = self.tutti("compile", "g.fmu", "-o", "y.fmu", "-q")
        self.assertEqual((done.returncode, done.stdout, done.stderr),
                         (0, "", ""))
        self.assertFalse(os.path.exists(self.path("g.fmu/binaries")))

    def test_a_compiler_cache_is_passed_over(self):
        """It would write in a folder of its own, and may not."""
        self.fmu(listed(description(2), "a.c"), {"sources/a.c": "int x;\n"})
        os.mkdir(self.path("first"))
        with open(self.path("first/ccache"), "w", encoding="utf-8") as f:
            f.write("#!/bin/sh\necho no place to write >&2\nexit 7\n")
        os.chmod(self.path("first/ccache"), 0o755)
        os.symlink("ccache", self.path("first/cc"))
        done = self.compile(PATH=self.path("first") + ":" + os.environ["PATH"])
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertNotIn("first/cc", done.stdout)

    # --- what fails -----------------------------------------------------------

    def test_errors_of_the_compiler_are_shown(self):
        self.fmu(listed(description(2), "a.c"),
                 {"sources/a.c": "int x;\nint f(void) { return y; }\n"})
        done = self.compile()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^tutti: x.fmu: sources/a.c does not "
                         r"compile: sources/a.c:2:\d+: error: .*y")

    def test_what_is_undefined_does_not_link(self):
        self.fmu(listed(description(2), "a.c"),
                 {"sources/a.c": "int g(void);\nint f(void) { return g(); }\n"})
        done = self.compile()
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^tutti: x.fmu: it does not link: .*"
                         r"undefined (reference to|symbol: ).{0,2}g")

    def test_a_file_that_includes_itself_ends(self):
        self.fmu(listed(description(2), "a.c"),
                 {"sources/a.c": "#include __FILE__\n"})
        done = self.compile()
        self.assertEqual(done.returncode, 2)
        self.assertIn("sources/a.c does not compile", done.stderr)

    def test_there_must_be_sources(self):
        self.fmu(description(2), {"resources/a": ""})
        self.refused("x.fmu: it has no sources")
        self.fmu(description(3), {"sources/a.c": ""})
        self.refused("x.fmu: it has no sources/buildDescription.xml")

    def test_there_must_be_a_compiler(self):
        self.fmu(description(2), {"sources/a.c": ""})
        self.refused("there is no compiler 'cc' here; install one, or give "
                     "--compiler", PATH="/nowhere")

    def test_words(self):
        self.fmu(description(2), {"sources/a.c": ""})
        for words, message in (
                (["x.fmu"], "missing -o FILE.fmu"),
                (["x.fmu", "-o", "y.zip"], "y.zip: an FMU's name ends in .fmu"),
                (["x.fmu", "-o", "x.fmu", "-f"],
                 "x.fmu: that is the FMU to compile"),
                (["x.fmu", "-o", "y.fmu", "--compiler", "/no/cc"],
                 "no compiler /no/cc")):
            done = self.tutti("compile", *words)
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"tutti: {message}\n"))

    # --- what is hostile ----------------------------------------------------

    def test_names_that_lead_outside_are_refused(self):
        for name in ("../a.c", "/etc/passwd", "a/../../b.c", "", "a//b.c",
                     "a\\b.c"):
            self.fmu(listed(description(2), name), {"sources/a.c": ""})
            self.refused(f"x.fmu: source file '{name}' does not lie below "
                         "sources/")
        self.fmu(listed(description(2), "b.c"), {"sources/a.c": ""})
        self.refused("x.fmu: source file 'sources/b.c' is missing")
        xml = description(2).replace('modelIdentifier="bouncing_ball"',
                                     'modelIdentifier="../x"')
        self.fmu(xml, {"sources/a.c": ""})
        self.refused('x.fmu: modelIdentifier "../x" is not a C identifier')

    def test_a_build_description_is_not_trusted(self):
        a = '<SourceFile name="a.c"/>'
        for inside, message in (
                (f'<SourceFileSet>{a}<IncludeDirectory name="../x"/>'
                 "</SourceFileSet>",
                 "buildDescription.xml:5: include directory '../x' does not "
                 "lie below sources/"),
                (f'<SourceFileSet>{a}<PreprocessorDefinition name="A B"/>'
                 "</SourceFileSet>",
                 "buildDescription.xml:5: definition 'A B' is not an "
                 "identifier"),
                ('<SourceFileSet>\n<SourceFile name="/a.c"/></SourceFileSet>',
                 "buildDescription.xml:6: source file '/a.c' does not lie "
                 "below sources/"),
                (f'<SourceFileSet>{a}</SourceFileSet><Library name="x y"/>',
                 "buildDescription.xml:5: library 'x y' is not a name"),
                (f'<SourceFileSet>{a}</SourceFileSet><Library name="x"/>',
                 "buildDescription.xml:5: library 'x' is to come with the "
                 "FMU, which is not supported"),
                ("", "buildDescription.xml:4: it names no sources")):
            self.fmu(description(3), {
                "sources/a.c": "", "sources/buildDescription.xml":
                build(inside)})
            self.refused("x.fmu: " + message)
        self.fmu(description(3), {"sources/buildDescription.xml":
                                  build("").replace("bouncing_ball", "x")})
        self.refused("x.fmu: buildDescription.xml has no configuration of "
                     "'bouncing_ball' for x86_64-linux")
        self.fmu(description(3), {"sources/buildDescription.xml": "<a>"})
        self.assertEqual(self.compile().returncode, 2)

    def test_the_home_folder_is_out_of_sight(self):
        os.mkdir(self.path("home"))
        with open(self.path("home/secret.h"), "w", encoding="utf-8") as f:
            f.write("int secret;\n")
        include = f'#include "{self.path("home/secret.h")}"\n'
        self.fmu(listed(description(2), "a.c"), {"sources/a.c": include})
        free = self.compile("--force", HOME="/nonexistent")
        self.assertEqual((free.returncode, free.stderr), (0, ""))
        kept = self.compile("--force", HOME=self.path("home"))
        if "not wholly confined" in kept.stderr:
            self.skipTest("no guard of files here")
        self.assertEqual(kept.returncode, 2)
        self.assertIn("Permission denied", kept.stderr)


if __name__ == "__main__":
    unittest.main()
