# SPDX-License-Identifier: MIT
"""Files made to mislead, to crash or to take all there is; and results of runs
that were killed."""
import json
import os
import random
import re
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import unittest
import zipfile
import zlib

BUILD = os.path.abspath(sys.argv.pop(1))
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TUTTI = os.path.join(BUILD, "tutti")
TANK = os.path.join(BUILD, "examples", "water-tank", "watertank.fmu")
HOSTILE = os.path.join(BUILD, "tests", "hostile_open.so")
READ_MAT = os.path.join(SOURCE, "results", "read_mat.py")


class Hostile(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.dir = folder.name

    def at(self, name):
        return os.path.join(self.dir, name)

    def tutti(self, *words, **env):
        return subprocess.run([TUTTI, *words], cwd=self.dir, text=True,
                              capture_output=True, timeout=300,
                              env={**os.environ, **env})

    def refused(self, done, message, code=2):
        self.assertEqual((done.returncode, done.stderr),
                         (code, f"tutti: {message}\n"))


class Encodings(Hostile):
    """A description in UTF-16 is read by all commands, or by none."""
    ASKED = (("info",), ("check",),
             ("run", "--until", "1", "--quiet", "-o", "x.csv"),
             ("new", "--force", "-o", "new.json"))

    def fmu(self, name, encode, declared):
        with zipfile.ZipFile(TANK) as old, \
                zipfile.ZipFile(self.at(name), "w") as new:
            for entry in old.namelist():
                data = old.read(entry)
                if entry == "modelDescription.xml":
                    text = re.sub(r"<\?xml[^>]*\?>", '<?xml version="1.0"'
                                  f"{declared}?>", data.decode())
                    data = encode(text)
                new.writestr(entry, data)

    def test_utf_16_is_read_everywhere(self):
        said = ' encoding="UTF-16"'
        self.tutti(*self.ASKED[2], TANK)
        with open(self.at("x.csv"), encoding="ascii") as f:
            wanted = f.read().replace("{watertank}", "{a}")
        for encode, declared in (
                (lambda t: b"\xff\xfe" + t.encode("utf-16-le"), said),
                (lambda t: b"\xfe\xff" + t.encode("utf-16-be"), said),
                (lambda t: b"\xff\xfe" + t.encode("utf-16-le"), ""),
                (lambda t: t.encode("utf-16-le"), said)):
            self.fmu("a.fmu", encode, declared)
            for words in self.ASKED:
                done = self.tutti(*words, "a.fmu")
                self.assertEqual(done.returncode, 0, (words, done.stderr))
            with open(self.at("x.csv"), encoding="ascii") as f:
                self.assertEqual(f.read().split("\n", 1)[1],
                                 wanted.split("\n", 1)[1])
            with open(self.at("one.json"), "w", encoding="ascii") as f:
                json.dump({"fmus": {"{a}": "a.fmu"}, "connections": {},
                           "logVariables": {"{a}.i": ["level"]},
                           "algorithm": {"type": "fixed-step", "size": 0.1},
                           "endTime": 1}, f)
            for words in (("export", "one.json", "--force", "-o", "e.fmu"),
                          ("run", "e.fmu", "--quiet", "-o", "e.csv")):
                done = self.tutti(*words)
                self.assertEqual(done.returncode, 0, (words, done.stderr))

    def test_what_is_none_is_refused_everywhere(self):
        self.fmu("a.fmu", lambda t: b"\xff\xfe\0\0" + t.encode("utf-32-le"),
                 ' encoding="UTF-32"')
        for words in self.ASKED:
            done = self.tutti(*words, "a.fmu")
            self.assertEqual(done.returncode, 2, words)
            self.assertIn("a.fmu: modelDescription.xml:1:1: not well-formed "
                          "XML", done.stderr)


class Zips(Hostile):
    def test_what_an_entry_really_makes_counts(self):
        """70 MB that claim to be ten bytes: refused at the eleventh."""
        claim, real = 10, 0x4321432
        shutil.copy(TANK, self.at("a.fmu"))
        with zipfile.ZipFile(self.at("a.fmu"), "a",
                             zipfile.ZIP_DEFLATED) as z:
            z.writestr("resources/big", bytes(real))
        with open(self.at("a.fmu"), "rb") as f:
            data = f.read()
        true = struct.pack("<I", real)
        self.assertEqual(data.count(true), 2)  # in both of its headers
        with open(self.at("a.fmu"), "wb") as f:
            f.write(data.replace(true, struct.pack("<I", claim)))
        self.refused(self.tutti("run", "a.fmu"), (
            f"instance '{{a}}.a' (fmi2): unpacking {self.at('a.fmu')}: "
            f"{self.at('a.fmu')}: entry "
            "'resources/big' inflates to more than the 10 bytes it claims"))

    def test_entries_that_lie_in_each_other(self):
        """Hundreds of entries, and one piece of data for all."""
        body = zlib.compress(bytes(8 << 20), 9)[2:-4]
        crc = zlib.crc32(bytes(8 << 20))
        local = struct.pack("<IHHHHHIIIHH", 0x04034b50, 20, 0, 8, 0, 0, crc,
                            len(body), 8 << 20, 4, 0) + b"0000" + body
        central = b"".join(
            struct.pack("<IHHHHHHIIIHHHHHII", 0x02014b50, 20, 20, 0, 8, 0, 0,
                        crc, len(body), 8 << 20, 4, 0, 0, 0, 0, 0, 0) +
            b"%04d" % i for i in range(500))
        end = struct.pack("<IHHHHIIH", 0x06054b50, 0, 0, 500, 500,
                          len(central), len(local), 0)
        with open(self.at("a.fmu"), "wb") as f:
            f.write(local + central + end)
        size = os.path.getsize(self.at("a.fmu"))
        for command in ("info", "check"):
            self.refused(self.tutti(command, "a.fmu"), (
                "a.fmu: its entries overlap, or claim more bytes than the "
                f"{size} of the file"))


class Composites(Hostile):
    """Few lines that mean more instances than there are atoms."""

    def put(self, name, keys, instances, of):
        names = [f"{{k{k}}}.i{i}" for k in range(keys)
                 for i in range(instances)]
        with open(self.at(name), "w", encoding="ascii") as f:
            json.dump({
                "fmus": {f"{{k{k}}}": of for k in range(keys)},
                "connections": {},
                "logVariables": {n: ["level"] for n in names},
                "ports": {"inputs": {}, "parameters": {},
                          "outputs": {"level": names[0] + ".level"}},
                "algorithm": {"type": "fixed-step", "size": 0.1},
                "endTime": 1}, f)

    def nest(self, keys, instances, depth=20):
        self.put("0.json", 1, 1, TANK)
        for i in range(1, depth + 1):
            self.put(f"{i}.json", keys, instances, f"{i - 1}.json")
        return f"{depth}.json"

    def test_ten_times_ten_times_ten(self):
        top = self.nest(1, 10)
        for command in ("run", "check", "score"):
            done = self.tutti(command, top)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("scenario '6': with those in it these are 1000000 "
                          "instances; at most 100000", done.stderr)

    def test_the_same_under_two_keys(self):
        done = self.tutti("run", self.nest(2, 1))
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("with those in each other these are more than 2000 "
                      "scenarios; name each under one key only", done.stderr)

    def test_what_a_machine_holds_runs(self):
        done = self.tutti("run", self.nest(2, 2, depth=3), "--quiet", "-o",
                          "x.csv")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


@unittest.skipUnless(os.path.exists(HOSTILE), "built without HDF5")
class Hdf5(Hostile):
    """The library that reads the file is not to be trusted with us."""
    ASKED = (("results", "x.h5"), ("plot", "x.h5"),
             ("compare", "x.h5", "x.csv"), ("compare", "x.csv", "x.h5"))

    def setUp(self):
        super().setUp()
        done = self.tutti("run", TANK, "--until", "1", "--quiet", "-o", "x.h5",
                          "-o", "x.csv")
        self.assertEqual(done.returncode, 0, done.stderr)

    def ask(self, words, hostile):
        return self.tutti(
            *words, LD_PRELOAD=HOSTILE, HOSTILE=hostile,
            VICTIM=self.at("x.csv"),
            ASAN_OPTIONS="verify_asan_link_order=0:detect_leaks=0")

    def test_a_crash_is_reported(self):
        for words in self.ASKED:
            self.refused(self.ask(words, "crash"), (
                "cannot read x.h5: the process that read it was ended by "
                "SIGSEGV; the file is damaged, or made to do harm"))
            self.refused(self.ask(words, "exit"),
                         "reading x.h5: the answer is not whole", 1)

    def test_it_does_nothing_to_others(self):
        before = os.path.getsize(self.at("x.csv"))
        for words in self.ASKED:
            for hostile in ("write", "kill"):
                done = self.ask(words, hostile)
                self.assertEqual(done.returncode, 0, (words, done.stderr))
        self.assertEqual(os.path.getsize(self.at("x.csv")), before)


class Killed(Hostile):
    """A run that is killed leaves a file that can be read, whenever it was."""
    ROUNDS = 25

    def rows(self, path):
        """As the program reads them, and as an independent reader does."""
        done = self.tutti("results", path, "--csv", "--variables",
                          "*level")
        self.assertEqual(done.returncode, 0, done.stderr)
        ours = len(done.stdout.splitlines()) - 1
        done = subprocess.run([sys.executable, READ_MAT, path, "--killed"],
                              text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        theirs = len(done.stdout.splitlines()[0].split(" | ")[2].split())
        self.assertEqual(ours, theirs)
        return ours

    def test_mat_files(self):
        dice, path, most = random.Random(4), self.at("x.mat"), 0
        for _ in range(self.ROUNDS):
            if os.path.exists(path):
                os.remove(path)
            run = subprocess.Popen(
                [TUTTI, "run", TANK, "--step", "1e-5", "--until", "1000",
                 "--quiet", "-o", path], stderr=subprocess.DEVNULL)
            while not (os.path.exists(path) and os.path.getsize(path)):
                self.assertIsNone(run.poll())
            wanted = dice.randrange(1 << 22)  # bytes, somewhere in a write
            while os.path.getsize(path) < wanted:
                self.assertIsNone(run.poll())
            run.send_signal(signal.SIGKILL)
            run.wait()
            most = max(most, self.rows(path))
        self.assertGreater(most, 0)


if __name__ == "__main__":
    unittest.main()
