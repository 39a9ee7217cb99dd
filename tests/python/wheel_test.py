# SPDX-License-Identifier: MIT
"""The wheel: built without a registry, installed, and used from there."""
import hashlib
import base64
import os
import subprocess
import sys
import tempfile
import unittest
import venv
import zipfile

BUILD = os.path.abspath(sys.argv.pop(1))
PACKAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..",
                       "clients", "python")
SCENARIO = os.path.join(BUILD, "examples", "water-tank", "scenario.json")
os.environ["TUTTI_BUILD"] = BUILD
sys.path.insert(0, os.path.join(PACKAGE, "backend"))
import wheel_backend  # noqa: E402

USE = """import tutti, os
r = tutti.simulate(os.environ["SCENARIO"], until=10)
print(len(r), round(r["level"][-1], 9), tutti.program.path())
"""


def run(*command, **more):
    """Away from the tree, and without what points to it."""
    plain = {k: v for k, v in os.environ.items()
             if k not in ("TUTTI", "PYTHONPATH")}
    done = subprocess.run(command, capture_output=True, text=True, check=False,
                          env={**plain, "SCENARIO": SCENARIO}, **more)
    assert done.returncode == 0, done.stderr
    return done.stdout


class Wheel(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_what_is_in_it(self):
        name = wheel_backend.build_wheel(self.folder.name)
        with zipfile.ZipFile(self.path(name)) as z:
            record = [n for n in z.namelist() if n.endswith("/RECORD")][0]
            lines = z.read(record).decode().splitlines()
            self.assertEqual(len(lines), len(z.namelist()))
            for line in lines:
                inside, digest, size = line.rsplit(",", 2)
                if inside == record:
                    continue
                data = z.read(inside)
                whole = base64.urlsafe_b64encode(
                    hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size),
                                 (f"sha256={whole}", str(len(data))))
            self.assertIn("tutti/bin/tutti", z.namelist())

    def test_the_same_tree_gives_the_same_bytes(self):
        os.mkdir(self.path("a"))
        os.mkdir(self.path("b"))
        name = wheel_backend.build_wheel(self.path("a"))
        wheel_backend.build_wheel(self.path("b"))
        with open(self.path("a/" + name), "rb") as a, \
                open(self.path("b/" + name), "rb") as b:
            self.assertEqual(a.read(), b.read())

    def test_installed_it_simulates(self):
        """Program and library are those of the wheel."""
        try:
            venv.create(self.path("venv"), with_pip=True)
        except (subprocess.CalledProcessError, SystemExit):
            print("skipped: there is no pip")
            return
        python = self.path("venv/bin/python")
        run(python, "-m", "pip", "install", "--no-index", "-q", PACKAGE)
        rows, level, program = run(python, "-c", USE,
                                   cwd=self.folder.name).split()
        self.assertEqual((rows, level), ("101", "5.5"))
        self.assertTrue(program.startswith(os.path.realpath(self.path("venv")))
                        or program.startswith(self.path("venv")), program)
        self.assertIn("tutti 0.1.0",
                      run(self.path("venv/bin/tutti"), "version"))


if __name__ == "__main__":
    unittest.main()
