#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What is handed out: packages_test.py BUILD SOURCE. Debian packages are made,
unpacked below a folder, and used from there; the file of sources holds what git
has. tools/bare.sh installs them on a machine that has nothing else."""
import glob
import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

BUILD, SOURCE = (os.path.abspath(p) for p in sys.argv[1:3])
NAMES = ["libtutti-dev", "libtutti0", "python3-tutti", "tutti", "tutti-doc"]


def run(*command, **more):
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          **more)
    assert done.returncode == 0, (command, done.stdout, done.stderr)
    return done.stdout


def sanitized():
    with open(os.path.join(BUILD, "CMakeCache.txt"), encoding="utf-8") as f:
        return "TUTTI_SANITIZE:BOOL=ON" in f.read()


@unittest.skipIf(sanitized(), "packages are not made of a build with sanitizers")
@unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not installed")
class Debs(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.root = os.path.join(cls.folder.name, "root")
        run("cpack", "-G", "DEB", "-B", cls.folder.name, cwd=BUILD)
        cls.debs = {os.path.basename(p).split("_")[0]: p for p in
                    glob.glob(os.path.join(cls.folder.name, "*.deb"))}
        for path in cls.debs.values():
            run("dpkg-deb", "-x", path, cls.root)
        cls.env = {"PATH": os.path.join(cls.root, "usr/bin") + ":/usr/bin:/bin",
                   "PYTHONPATH":
                       os.path.join(cls.root, "usr/lib/python3/dist-packages")}
        cls.tank = os.path.join(cls.root, "usr/share/tutti/examples/water-tank",
                                "scenario.json")

    def field(self, package, name):
        return run("dpkg-deb", "-f", self.debs[package], name).strip()

    def test_one_for_each_purpose(self):
        self.assertEqual(sorted(set(self.debs) - {"tutti-mpi"}), NAMES)
        version = self.field("tutti", "Version")
        self.assertIn(f"libtutti0 (= {version})",
                      self.field("libtutti-dev", "Depends"))
        self.assertIn(f"tutti (= {version})",
                      self.field("python3-tutti", "Depends"))
        self.assertNotIn("mpi", self.field("tutti", "Depends"))
        self.assertIn("libc6", self.field("tutti", "Depends"))

    def test_the_program_runs_from_there(self):
        out = os.path.join(self.folder.name, "tank.csv")
        text = run("tutti", "run", self.tank, "-o", out, env=self.env)
        self.assertIn("completed: 1000 steps to t=100 s", text)
        fmu = os.path.join(self.folder.name, "tank.fmu")
        text = run("tutti", "export", self.tank, "-o", fmu, env=self.env)
        self.assertIn("2 FMUs inside", text)

    def test_python_finds_it(self):
        text = run("python3", "-c",
                   "import sys, tutti; print(len(tutti.simulate(sys.argv[1], "
                   "until=1)), tutti.program.path())", self.tank, env=self.env)
        self.assertEqual(text.split(), ["11", os.path.join(self.root,
                                                           "usr/bin/tutti")])

    def test_documents_come_along(self):
        doc = os.path.join(self.root, "usr/share/doc/tutti-doc")
        for name in ("README.md", "tutorial.md", "concepts/stability.md"):
            self.assertTrue(os.path.exists(os.path.join(doc, name)), name)


@unittest.skipUnless(os.path.isdir(os.path.join(SOURCE, ".git")),
                     "sources without git")
class Dist(unittest.TestCase):
    def test_the_sources_in_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in ("a", "b"):
                run(os.path.join(SOURCE, "tools", "dist.sh"),
                    os.path.join(folder, name))
            path, twin = (glob.glob(os.path.join(folder, d, "*.tar.gz"))[0]
                          for d in ("a", "b"))
            with open(path, "rb") as f, open(twin, "rb") as g:
                data = f.read()
                self.assertEqual(data, g.read())
            with open(path + ".sha256", encoding="utf-8") as f:
                self.assertEqual(f.read(), "%s  %s\n" % (
                    hashlib.sha256(data).hexdigest(), os.path.basename(path)))
            with tarfile.open(path) as t:
                names = {n.split("/", 1)[1] for n in t.getnames() if "/" in n}
            listed = set(run("git", "ls-tree", "-r", "--name-only", "HEAD",
                             cwd=SOURCE).splitlines())
            self.assertEqual(listed - names, set())


class Make(unittest.TestCase):
    """What 'make' would do, with a list of packages older or newer than the
    build."""

    def commands(self, target, packages, *more):
        with tempfile.TemporaryDirectory() as folder:
            status = os.path.join(folder, "status")
            for path, time in ((os.path.join(folder, "build.ninja"), 2000),
                               (os.path.join(folder, "CMakeCache.txt"), 2000),
                               (status, packages)):
                with open(path, "w", encoding="utf-8") as f:
                    f.writelines(more)
                os.utime(path, (time, time))
            return run("make", "-n", "BUILD=" + folder, "PACKAGES=" + status,
                       target, cwd=SOURCE)

    def test_packages_that_came_are_looked_for(self):
        for target in ("demo", "build", "test"):
            self.assertNotIn("cmake -S", self.commands(target, 1000), target)
            self.assertIn("cmake -S", self.commands(target, 3000), target)

    def test_each_installs_what_it_needs(self):
        for target in ("demo", "build", "test"):
            self.assertIn(f"tools/install-deps.sh {target}\n",
                          self.commands(target, 1000))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
