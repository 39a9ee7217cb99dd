# SPDX-License-Identifier: MIT
"""Messages of megabytes between instances: nothing of them is lost, cut or
mixed up, whatever becomes of the steps and wherever the instances are. What
each instance got is known by the CRC-32 of it, which is computed here anew."""
import csv
import json
import math
import os
import subprocess
import sys
import unittest
import zlib

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                os.pardir, "remote"))
from rig import TUTTI, UNITS, Desk, Worker, read

FMI2, FMI3 = (os.path.join(UNITS, f"messages{v}.fmu") for v in (2, 3))
MPIRUN = os.environ.get("MPIRUN", "")
SIZES = {"{a}.a": 4 << 20, "{a}.b": 1500000, "{b}.c": 300000}
TEXTS = {"{a}.a.y": ["{a}.b.u"], "{a}.b.y": ["{a}.a.u"],
         "{a}.b.s": ["{a}.a.v", "{b}.c.v"], "{b}.c.s": ["{a}.b.v"]}
NUMBERS = {"{a}.a.z": ["{a}.b.x"], "{a}.b.z": ["{a}.a.x"]}


def message(size, t, total, letters):
    """As messages.h has it."""
    k = int(math.floor(t * 1000 + 0.5))
    n = size // 2 + (k * 7919 & 0xffffffff) % (size // 2 + 1)
    change = (lambda b: 97 + b % 26) if letters else lambda b: b
    block = bytes(change((total >> 8 * (j & 3) ^ j * 131 ^ k) & 255)
                  for j in range(256))
    text = bytearray(block * (n // 256 + 1))[:n]
    for i in range(65535, n, 65536):
        text[i] = change(i >> 16 & 255)
    return bytes(text)


def expected(times, given=None):
    """The rows of sums, if each step has what was exchanged at its start."""
    total = dict.fromkeys(SIZES, 0)
    rows = [dict(total)]
    for t in times[:-1]:
        def said(name, letters):
            return message(SIZES[name], t, total[name], letters)
        got = {"{a}.a": (said("{a}.b", 0), said("{a}.b", 1)),
               "{a}.b": (said("{a}.a", 0), said("{b}.c", 1)),
               "{b}.c": (said("{a}.b", 1),)}
        if given:
            got = given(said)
        for name, texts in got.items():
            for text in texts:
                total[name] = zlib.crc32(text, total[name])
        rows.append(dict(total))
    return rows


def scenario(connections, algorithm=None, **more):
    parameters = {f"{name}.size": size for name, size in SIZES.items()}
    parameters.update(more.pop("parameters", {}))
    return {"fmus": {"{a}": FMI3, "{b}": FMI2}, "connections": connections,
            "instances": {"{a}": ["a", "b"], "{b}": ["c"]},
            "parameters": parameters,
            "logVariables": {"{a}.a": ["sum", "got", "y"],
                             "{a}.b": ["sum", "got", "s"],
                             "{b}.c": ["sum", "got"]},
            "algorithm": algorithm or {"type": "fixed-step", "size": 0.1},
            "endTime": 0.5, **more}


class Messages(unittest.TestCase):
    def setUp(self):
        self.desk = Desk()
        self.addCleanup(self.desk.close)

    def good(self, made, *options, out="out.csv", files=()):
        path = self.desk.json("scenario.json", made)
        done = self.desk.run([path, *files], "-q", *options, out=out)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done

    def rows(self, out="out.csv"):
        with open(self.desk.path(out), encoding="utf-8", newline="") as f:
            return list(csv.DictReader(f))

    def check_sums(self, out="out.csv", **more):
        rows = self.rows(out)
        wanted = expected([float(r["time"]) for r in rows], **more)
        for row, sums in zip(rows, wanted):
            for name, total in sums.items():
                self.assertEqual(int(row[f"{name}.sum"]), total & 0x7fffffff,
                                 (name, row["time"]))
        return rows

    # --- values arrive ----------------------------------------------------------

    def test_every_byte_arrives(self):
        self.good(scenario(TEXTS))
        rows = self.check_sums()
        self.assertEqual(len(rows), 6)
        self.assertGreater(max(int(r["{a}.b.got"]) for r in rows), 3 << 20)

    def test_rejected_steps_leave_no_trace(self):
        made = scenario(TEXTS | NUMBERS, {
            "type": "var-step", "size": [1e-3, 0.1], "initsize": 0.05,
            "constraints": {"c": {"type": "fmumaxstepsize"}}},
            parameters={"{a}.b.picky": 1})
        done = self.good(made, "--json")
        self.assertGreater(json.loads(done.stdout)["rejected"], 0)
        self.check_sums()

    def test_steps_taken_back_after_the_exchange(self):
        made = scenario(TEXTS | NUMBERS, {
            "type": "var-step", "size": [1e-3, 0.2], "initsize": 0.2,
            "constraints": {"c": {"type": "error", "method": "milne",
                                  "abstol": 2e-3, "reltol": 0}}})
        done = self.good(made, "--json")
        self.assertGreater(json.loads(done.stdout)["rejected"], 0)
        self.check_sums()

    def test_iterated_steps(self):
        """What is iterated has the messages of the end of the step."""
        chain = {"{a}.a.y": ["{a}.b.u"], "{b}.c.s": ["{a}.b.v"]}
        self.good(scenario(chain | NUMBERS), "--iterate", "4")
        ends = iter([float(r["time"]) for r in self.rows()][1:])

        def given(_):
            t = next(ends)
            return {"{a}.b": (message(SIZES["{a}.a"], t, 0, False),
                              message(SIZES["{b}.c"], t, 0, True))}
        self.check_sums(given=given)

    # --- the same bytes everywhere ----------------------------------------------

    def same(self, *options, made=None, files=()):
        made = made or scenario(TEXTS | NUMBERS)
        self.good(made, out="plain.csv")
        self.good(made, *options, out="other.csv", files=files)
        self.assertEqual(read(self.desk.path("plain.csv")),
                         read(self.desk.path("other.csv")))

    def test_isolated(self):
        self.same("--isolate")

    def test_threads(self):
        self.same("--threads", "2")

    def test_remote(self):
        worker = Worker(self.desk)
        self.addCleanup(worker.close)
        path = self.desk.json("scenario.json", scenario(TEXTS))
        self.same(files=[self.desk.hosts(path, worker.address)])

    def test_isolated_and_rejected(self):
        made = scenario(TEXTS | NUMBERS, {
            "type": "var-step", "size": [1e-3, 0.1], "initsize": 0.05,
            "constraints": {"c": {"type": "fmumaxstepsize"}}},
            parameters={"{a}.b.picky": 1})
        self.same("--isolate", made=made)

    def test_checkpoints(self):
        for options in ([], ["--isolate"]):
            with self.subTest(options):
                self.good(scenario(TEXTS | NUMBERS), *options, out="full.csv")
                self.good(scenario(TEXTS | NUMBERS), *options, "--checkpoint",
                          self.desk.path("c"), "--every", "sim:0.35",
                          out="part.csv")
                with open(self.desk.path("part.csv"), "ab") as f:
                    f.write(b"half a row")
                done = subprocess.run([TUTTI, "run", "--resume",
                                       self.desk.path("c")],
                                      capture_output=True, text=True,
                                      timeout=120, check=False)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(read(self.desk.path("part.csv")),
                                 read(self.desk.path("full.csv")))

    def test_ranks(self):
        if not MPIRUN:
            print("skipped: there is no mpirun")
            return
        path = self.desk.json("scenario.json", scenario(TEXTS | NUMBERS))
        self.good(scenario(TEXTS | NUMBERS), out="plain.csv")
        env = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1",
               "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
               "OMPI_MCA_rmaps_base_oversubscribe": "1",
               "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
               "ASAN_OPTIONS": "detect_leaks=0"}
        done = subprocess.run([MPIRUN, "-n", "2", TUTTI, "run", path, "-q", "-o",
                               self.desk.path("other.csv")], env=env,
                              capture_output=True, text=True, timeout=300,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(read(self.desk.path("plain.csv")),
                         read(self.desk.path("other.csv")))

    # --- scenarios inside others, and as FMUs -----------------------------------

    def inner(self):
        """b and c, with ports where a was connected."""
        made = scenario({"{a}.b.s": ["{b}.c.v"], "{b}.c.s": ["{a}.b.v"]})
        made["instances"] = {"{a}": ["b"], "{b}": ["c"]}
        del made["parameters"]["{a}.a.size"], made["logVariables"]
        made["ports"] = {"inputs": {"u": "{a}.b.u"},
                         "outputs": {"y": "{a}.b.y", "s": "{a}.b.s",
                                     "sum": "{a}.b.sum", "csum": "{b}.c.sum"}}
        return made

    def outer(self, fmu, algorithm=None):
        return {"fmus": {"{a}": FMI3, "{i}": fmu},
                "instances": {"{a}": ["a"], "{i}": ["i"]},
                "connections": {"{a}.a.y": ["{i}.i.u"], "{i}.i.y": ["{a}.a.u"],
                                "{i}.i.s": ["{a}.a.v"]},
                "parameters": {"{a}.a.size": SIZES["{a}.a"]},
                "logVariables": {"{a}.a": ["sum"], "{i}.i": ["sum", "csum"]},
                "algorithm": algorithm or {"type": "fixed-step", "size": 0.1},
                "endTime": 0.5}

    def check_outer(self):
        rows = self.rows()
        wanted = expected([float(r["time"]) for r in rows])
        for row, sums in zip(rows, wanted):
            for column, name in (("{a}.a.sum", "{a}.a"), ("{i}.i.sum", "{a}.b"),
                                 ("{i}.i.csum", "{b}.c")):
                self.assertEqual(int(row[column]), sums[name] & 0x7fffffff,
                                 (column, row["time"]))

    def test_a_scenario_inside_another(self):
        self.desk.json("inner.json", self.inner())
        for options in ([], ["--isolate"], ["--threads", "2"]):
            with self.subTest(options):
                self.good(self.outer("inner.json"), *options)
                self.check_outer()

    def test_a_scenario_inside_another_is_rolled_back(self):
        inner = self.inner()
        del inner["algorithm"] # it steps as it is told
        self.desk.json("inner.json", inner)
        made = self.outer("inner.json", {
            "type": "var-step", "size": [1e-3, 0.1], "initsize": 0.05,
            "constraints": {"c": {"type": "fmumaxstepsize"}}})
        made["parameters"]["{a}.a.picky"] = 1
        done = self.good(made, "--json")
        self.assertGreater(json.loads(done.stdout)["rejected"], 0)
        self.check_outer()

    def test_a_scenario_inside_another_from_a_checkpoint(self):
        self.desk.json("inner.json", self.inner())
        self.good(self.outer("inner.json"), "--checkpoint", self.desk.path("c"),
                  "--every", "sim:0.35")
        done = subprocess.run([TUTTI, "run", "--resume", self.desk.path("c")],
                              capture_output=True, text=True, timeout=120,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_outer()

    def test_as_an_fmu(self):
        """FMI 2 has strings only, of which there is one each way."""
        made = scenario({"{b}.c.s": ["{b}.d.v"]})
        made.update(instances={"{b}": ["c", "d"]},
                    fmus={"{b}": FMI2},
                    parameters={"{b}.c.size": SIZES["{b}.c"],
                                "{b}.d.size": 2000000},
                    ports={"inputs": {"v": "{b}.c.v"},
                           "outputs": {"s": "{b}.d.s", "sum": "{b}.c.sum",
                                       "dsum": "{b}.d.sum"}})
        del made["logVariables"]
        path = self.desk.json("inside.json", made)
        outer = {"fmus": {"{a}": FMI2}, "instances": {"{a}": ["a"]},
                 "connections": {"{a}.a.s": ["{i}.i.v"], "{i}.i.s": ["{a}.a.v"]},
                 "parameters": {"{a}.a.size": 3000000},
                 "logVariables": {"{a}.a": ["sum"], "{i}.i": ["sum", "dsum"]},
                 "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 0.5}
        outer["instances"]["{i}"] = ["i"]
        outer["fmus"]["{i}"] = "inside.json"
        self.good(outer, out="plain.csv")
        for fmi in ("2", "3"):
            fmu = self.desk.path(f"inside{fmi}.fmu")
            done = subprocess.run([TUTTI, "export", path, "-o", fmu, "--fmi",
                                   fmi], capture_output=True, text=True,
                                  timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            outer["fmus"]["{i}"] = fmu
            self.good(outer, out="other.csv")
            self.assertEqual(read(self.desk.path("plain.csv")),
                             read(self.desk.path("other.csv")))
        self.assertGreater(int(self.rows("plain.csv")[-1]["{i}.i.dsum"]), 0)

    # --- start values, results --------------------------------------------------

    def test_long_start_values(self):
        made = scenario({}, endTime=0.1, parameters={
            "{a}.a.v": "x" * 5000, "{a}.a.u": "0a1b" * 3000,
            "{b}.c.v": "y" * 3000000})
        for options in ([], ["--isolate"]):
            self.good(made, *options)
            last = self.rows()[-1]
            total = zlib.crc32(b"x" * 5000, zlib.crc32(b"\x0a\x1b" * 3000))
            self.assertEqual(int(last["{a}.a.sum"]), total & 0x7fffffff)
            self.assertEqual(int(last["{b}.c.sum"]),
                             zlib.crc32(b"y" * 3000000) & 0x7fffffff)

    def test_results_name_what_they_cannot_hold(self):
        path = self.desk.json("scenario.json", scenario(TEXTS))
        for out in ("out.csv", "out.mat", "out.h5"):
            done = self.desk.run([path], out=out)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertIn("tutti: warning: '{a}.a.y' has 2097152 bytes at t=0: "
                          "of strings and binaries longer than 1019 bytes "
                          "results have length and SHA-256 (reported once)\n",
                          done.stderr)
        self.assertRegex(self.rows()[0]["{a}.b.s"], r"^750000:[0-9a-f]{64}$")
        for out in ("out.mat", "out.h5"): # texts are compared, too
            done = subprocess.run([TUTTI, "compare", self.desk.path("out.csv"),
                                   self.desk.path(out)], capture_output=True,
                                  text=True, timeout=120, check=False)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    # --- hostile sizes ----------------------------------------------------------

    def refused(self, message_, *options, parameters):
        path = self.desk.json("scenario.json",
                              scenario({"{a}.a.y": ["{a}.b.u"],
                                        "{a}.a.s": ["{a}.b.v"]},
                                       parameters=parameters))
        done = self.desk.run([path], "-q", *options)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr, "tutti: " + message_ + "\n")

    def test_a_message_beyond_the_limit_is_refused(self):
        for where, named, options in (("", "", []),
                                      (", isolated", "'{}': ", ["--isolate"])):
            self.refused(f"initialisation: instance '{{a}}.a' (fmi3{where}): "
                         f"get: 'y': {named.format('y')}the value of 'y': "
                         "2000000000000 bytes, at most 134217728 are taken",
                         *options, parameters={"{a}.a.claim": 2000000000})
            self.refused(f"initialisation: instance '{{a}}.a' (fmi3{where}): "
                         f"get: 's': {named.format('s')}the value of 's': "
                         "134217729 bytes, at most 134217728 are taken",
                         *options, parameters={"{a}.a.size": 300000000,
                                               "{a}.a.claim": 1})


if __name__ == "__main__":
    unittest.main()
