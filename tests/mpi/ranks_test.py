# SPDX-License-Identifier: MIT
"""Scenarios over several ranks: the bytes of one, and every end is named."""
import glob
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

BUILD, MPIRUN = os.path.abspath(sys.argv[1]), sys.argv[2]
del sys.argv[1:3]
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
MISBEHAVE = os.path.join(BUILD, "tests", "units", "misbehave.fmu")
AFFINE = os.path.join(BUILD, "tests", "units", "affine.fmu")
SLIDER = os.path.join(BUILD, "tests", "units", "slider.fmu")
RAW = os.path.join(BUILD, "tests", "units", "raw2.fmu")
ERROR, CRASH, EXIT = 1, 6, 7
STRANGE_LOG, LATE_CRASH = 4, 11  # modes of RAW

ENV = {**os.environ,
       "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
       "OMPI_MCA_rmaps_base_oversubscribe": "1",
       "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
       # MPI keeps memory until the end; crashes stay crashes
       "ASAN_OPTIONS": "detect_leaks=0:handle_segv=0"}


def run(words, **more):
    return subprocess.run(words, env=ENV, text=True, capture_output=True,
                          timeout=600, **more)


def ranks(n, *words, **more):
    return run([MPIRUN, "-n", str(n), TUTTI, "run", *words], **more)


def misbehave(folder, what, when=0.5):
    """Two instances on two ranks; the second does it."""
    path = os.path.join(folder, "misbehave.json")
    scenario = {
        "fmus": {"{m}": MISBEHAVE}, "connections": {},
        "logVariables": {"{m}.good": ["y"], "{m}.bad": ["y"]},
        "parameters": {"{m}.bad.what": what, "{m}.bad.when": when},
        "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    return path


def raw(folder, of_bad, **fields):
    """Two instances on two ranks, the second of this mode."""
    path = os.path.join(folder, "raw.json")
    scenario = {
        "fmus": {"{r}": RAW}, "connections": {},
        "logVariables": {"{r}.good": ["y"], "{r}.bad": ["y"]},
        "parameters": {"{r}.bad.mode": of_bad},
        "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 0.3,
        **fields}
    with open(path, "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    return path


class Ranks(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def content(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def same(self, scenario, n, *options):
        """Over n ranks every byte is what one process writes."""
        words = [os.path.basename(scenario), "--quiet", *options]
        where = os.path.dirname(scenario)

        def to(name):
            return ["--output", self.path(f"{name}.csv"), "--events",
                    self.path(f"{name}-events.csv")]

        alone = run([TUTTI, "run", *words, *to("one")], cwd=where)
        many = ranks(n, *words, *to("many"), cwd=where)
        self.assertEqual(alone.returncode, 0, alone.stderr)
        self.assertEqual(many.returncode, 0, many.stderr)
        self.assertEqual(self.content("one.csv"), self.content("many.csv"),
                         scenario)
        self.assertEqual(self.content("one-events.csv"),
                         self.content("many-events.csv"), scenario)

    def test_a_loop_of_feed_through_is_solved_over_ranks(self):
        """ya = 2 yb + s, yb = ya + 0.5, s = 1.84 - t."""
        path = self.path("loop.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({
                "fmus": {"{a}": AFFINE, "{b}": AFFINE},
                "connections": {"{a}.a.y": ["{b}.b.u"],
                                "{b}.b.y": ["{a}.a.u"]},
                "parameters": {"{a}.a.g": 2, "{a}.a.s": 1.84, "{a}.a.r": -1,
                               "{b}.b.g": 1, "{b}.b.s": 0.5},
                "algorithm": {"type": "fixed-step", "size": 0.1},
                "endTime": 1}, f)
        for options in ((), ("--iterate", "2"), ("--master", "gauss-seidel")):
            with self.subTest(options):
                self.same(path, 2, *options)
                row = self.content("many.csv").split()[-1].split(b",")
                self.assertAlmostEqual(float(row[1]), -1.84, delta=1e-9)

    def test_every_example_over_two_and_four_ranks(self):
        scenarios = sorted(glob.glob(EXAMPLES + "/*/scenario*.json"))
        self.assertGreater(len(scenarios), 12)
        for scenario in scenarios:
            with open(scenario, encoding="utf-8") as f:
                fields = json.load(f)
            if fields.get("together"):
                continue  # one rank has all of them
            if "sequence" in fields or fields.get("approximation") == "waveform":
                continue  # refused, see below
            with self.subTest(scenario):
                self.same(scenario, 2)
                self.same(scenario, 4)

    def test_events_of_every_form_of_unit(self):
        """Discrete events, some where two are due at once: every microstep is
        a row."""
        for form in ("", "-fmi2", "-fmi3", "-nested"):
            police = "town}.town" if form == "-nested" else "police}.police"
            with self.subTest(form):
                self.same(os.path.join(EXAMPLES, "traffic-light",
                                       f"scenario{form}.json"), 2,
                          "--microsteps", "--set", f"{{{police}.idle=60")
                self.assertEqual(self.content("many.csv").count(b"toWork"), 3)

    def test_rows_within_steps_of_all_ranks(self):
        within = "--record-intermediate"
        masses = f"{EXAMPLES}/double-mass-spring-damper/scenario-fmi3.json"
        solver = ("--set", "{msd1}.msd1.microsteps=4",
                  "--set", "{msd2}.msd2.microsteps=2", within)
        for more in ((), ("--iterate", "3"), ("--sample", "0.5"),
                     ("--error-control", "richardson", "--until", "2")):
            with self.subTest(more):
                self.same(masses, 2, *solver, *more)
                self.assertIn(b",true\n", self.content("many.csv"))
        self.resumed(masses, "sim:1.3", *solver)
        self.same(f"{EXAMPLES}/circuit/scenario-cosimulation.json", 3,
                  "--interface", "me", "--no-together", within,
                  "--until", "0.02")
        self.assertIn(b",true\n", self.content("many.csv"))
        balls = self.path("balls.json")
        ball = f"{EXAMPLES}/bouncing-ball/bouncing_ball-fmi3.fmu"
        with open(balls, "w", encoding="utf-8") as f:
            json.dump({
                "fmus": {"{b}": ball, "{a}": AFFINE}, "connections": {},
                "instances": {"{b}": ["b"], "{a}": ["a"]},
                "interface": {"{b}.b": "me"}, "endTime": 2,
                "algorithm": {"type": "fixed-step", "size": 0.5}}, f)
        self.same(balls, 2, within)
        self.assertIn(b",true\n", self.content("many.csv"))

    def test_what_is_followed_within_steps_stays_on_one_rank(self):
        path = f"{EXAMPLES}/double-mass-spring-damper/scenario-waveform.json"
        refused = ranks(2, path, "-q", "-o", self.path("x.csv"))
        # that of the rank that ended first, and only one of them speaks
        self.assertIn(refused.returncode, (ERROR, 2), refused.stderr)
        self.assertEqual([line for line in refused.stderr.splitlines()
                          if line.startswith("tutti:")], [
            "tutti: input '{msd1}.msd1.F' is to follow what its source does "
            "within steps (approximation 'waveform'), which several ranks "
            "cannot"], refused.stderr)

    def test_checkpoints(self):
        """Resumed on as many ranks, from the last one before the end."""
        for name, every, *options in (
                ("water-tank/scenario-variable.json", "sim:7"),
                ("line-follower/scenario.json", "sim:0.7"),
                ("double-mass-spring-damper/scenario.json", "sim:0.37",
                 "--iterate", "3")):
            with self.subTest(name):
                self.resumed(f"{EXAMPLES}/{name}", every, *options)

    def resumed(self, scenario, every, *options):
        self.same(scenario, 2, *options)
        part, check = self.path("part.csv"), self.path("check")
        made = ranks(2, scenario, "-q", "-o", part, "--checkpoint", check,
                     "--every", every, *options)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertEqual(self.content("part.csv"), self.content("many.csv"))
        with open(part, "ab") as f:
            f.write(b"half a row")
        resumed = ranks(2, "--resume", check, "-q")
        self.assertEqual(resumed.returncode, 0, resumed.stderr)
        self.assertEqual(self.content("part.csv"), self.content("many.csv"))
        alone = run([TUTTI, "run", "--resume", check])
        self.assertEqual(
            (alone.returncode, alone.stderr),
            (2, "tutti: resuming: the checkpoint is of a run of 2 ranks, and "
                "this is one of 1\n"))
        self.assertEqual(self.content("part.csv"), self.content("many.csv"))

    def test_iteration_rollback_and_variable_steps(self):
        spring = f"{EXAMPLES}/double-mass-spring-damper/scenario.json"
        for options in (
                ["--iterate", "converged", "--acceleration", "anderson"],
                ["--iterate", "3", "--approximation", "linear"],
                ["--master", "gauss-seidel", "--approximation", "hermite"],
                ["--error-control", "richardson", "--until", "5"],
                ["--error-control", "milne", "--approximation", "linear",
                 "--until", "5"]):
            with self.subTest(options):
                self.same(spring, 2, *options)
        self.same(f"{EXAMPLES}/water-tank/scenario-variable.json", 3)
        self.same(f"{EXAMPLES}/bouncing-ball/scenario.json", 2, "--rollback")

    def test_a_coupling_by_directional_derivatives(self):
        for brittle in (0, 1):  # given, and refused by one rank
            path = self.path("link.json")
            with open(path, "w", encoding="utf-8") as f:
                json.dump({
                    "fmus": {"{m}": SLIDER, "{l}": "tutti:coupling"},
                    "connections": {
                        "{m}.a.x": ["{l}.l.left"], "{m}.b.x": ["{l}.l.right"],
                        "{m}.a.v": ["{l}.l.leftRate"],
                        "{m}.b.v": ["{l}.l.rightRate"],
                        "{l}.l.action": ["{m}.a.F"],
                        "{l}.l.reaction": ["{m}.b.F"]},
                    "parameters": {"{m}.b.m": 2, "{m}.b.x": 1.1,
                                   "{m}.a.brittle": brittle},
                    "algorithm": {"type": "fixed-step", "size": 0.1},
                    "endTime": 1}, f)
            self.same(path, 2)
            self.same(path, 3)
        self.same(f"{EXAMPLES}/pendulum/scenario.json", 2, "--until", "2")

    def test_a_loop_at_the_start_by_directional_derivatives(self):
        path = self.path("loop.json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({
                "fmus": {"{a}": AFFINE},
                "connections": {"{a}.p.y": ["{a}.q.u"],
                                "{a}.q.y": ["{a}.p.u"]},
                "parameters": {"{a}.p.g": 2.3, "{a}.q.g": 3.1,
                               "{a}.p.s": 0.7, "{a}.q.s": 1.3,
                               "{a}.p.x": 0.1},
                "algorithm": {"type": "fixed-step", "size": 0.1},
                "endTime": 0.2}, f)
        self.same(path, 2)

    def test_a_crash_is_named_and_no_rank_waits(self):
        scenario = misbehave(self.folder.name, CRASH)
        done = ranks(2, scenario, "--output", self.path("out.csv"))
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"rank 1: instance '\{m\}\.bad': crashed in "
                         r"step \(SIGSEGV\) at t=0\.4")

    def test_who_fails_is_named_once(self):
        scenario = misbehave(self.folder.name, ERROR)
        words = [scenario, "--output", self.path("out.csv")]
        alone = run([TUTTI, "run", *words])
        rows = self.content("out.csv")
        many = ranks(2, *words)
        self.assertEqual((alone.returncode, many.returncode), (1, 1))
        sentence = re.search(r"tutti: .*", alone.stderr).group(0)
        self.assertEqual(many.stderr.count(sentence), 1, many.stderr)
        self.assertEqual(self.content("out.csv"), rows)

    def refused(self, path, *options):
        """With --strict: one process and two ranks, in the same words."""
        words = [path, "-q", "--strict", "-o", self.path("out.csv"), *options]
        alone = run([TUTTI, "run", *words])
        many = ranks(2, *words)
        self.assertEqual((alone.returncode, many.returncode), (2, 2))
        sentence = re.search(r"tutti: .*", alone.stderr).group(0)
        self.assertEqual([line for line in many.stderr.splitlines()
                          if line.startswith("tutti: ")], [sentence])
        return sentence

    def test_a_warning_of_any_rank_is_an_error_with_strict(self):
        sentence = self.refused(raw(self.folder.name, STRANGE_LOG))
        self.assertIn("--strict: the run has 2 warnings; its results are kept",
                      sentence)
        self.assertEqual(self.content("out.csv").count(b"\n"), 5)
        sentence = self.refused(raw(self.folder.name, STRANGE_LOG, quux=1))
        self.assertIn("--strict: the run has 1 warning; it was not begun",
                      sentence)

    def test_with_strict_a_full_disk_is_reported_all_the_same(self):
        """One rank fails at the end, and has warnings to gather."""
        done = ranks(2, raw(self.folder.name, STRANGE_LOG), "-q", "--strict",
                     "-o", "/dev/full")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot write /dev/full: No space left on device",
                      done.stderr)

    def test_warnings_of_all_ranks_are_in_the_summary(self):
        """What all reported is there once."""
        words = [raw(self.folder.name, STRANGE_LOG, quux=1), "-q", "--json",
                 "-o", self.path("out.csv")]
        alone = json.loads(run([TUTTI, "run", *words]).stdout)
        many = json.loads(ranks(2, *words).stdout)
        self.assertEqual(len(alone["warnings"]), 3)
        self.assertEqual(alone["warnings"], many["warnings"])

    def test_a_crash_after_the_end_harms_no_rank(self):
        words = [raw(self.folder.name, LATE_CRASH), "-q", "-o",
                 self.path("out.csv")]
        alone, many = run([TUTTI, "run", *words]), ranks(2, *words)
        self.assertEqual((alone.returncode, many.returncode), (0, 0),
                         many.stderr)
        self.assertIn("instance '{r}.bad': crashed in free (SIGSEGV) after "
                      "the run; the results are complete", many.stderr)
        self.assertEqual(alone.stderr, many.stderr)

    def test_in_a_sandbox_over_every_way_to_talk(self):
        """Connections and shared memory are there before it is entered."""
        scenario = f"{EXAMPLES}/line-follower/scenario.json"
        words = ["run", scenario, "--quiet", "--until", "1", "--output"]
        alone = run([TUTTI, *words, self.path("one.csv"), "--sandbox"])
        if "--sandbox" in alone.stderr:
            self.skipTest(alone.stderr)
        env = {k: v for k, v in ENV.items() if "single_copy" not in k}
        for way in ({"OMPI_MCA_btl": "tcp,self"},
                    {"OMPI_MCA_btl": "vader,self",
                     "OMPI_MCA_btl_vader_eager_limit": "200"}):
            with self.subTest(way):
                many = subprocess.run(
                    [MPIRUN, "-n", "3", TUTTI, *words, self.path("many.csv"),
                     "--sandbox"], env={**env, **way}, text=True,
                    capture_output=True, timeout=120, check=False)
                self.assertEqual((many.returncode, many.stderr), (0, ""))
                self.assertEqual(self.content("one.csv"),
                                 self.content("many.csv"))

    def test_a_full_disk_ends_all(self):
        done = ranks(2, f"{EXAMPLES}/water-tank/scenario.json",
                     "--output", "/dev/full")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("cannot write /dev/full: No space left on device",
                      done.stderr)

    def test_costs_deal_units_out(self):
        scenario = f"{EXAMPLES}/line-follower/scenario.json"
        summary = run([TUTTI, "run", scenario, "--json", "--output",
                       self.path("out.csv")])
        costs = json.loads(summary.stdout)
        units = costs["units"]
        for unit in units:
            unit["time_share"] = 0.01
        units[0]["time_share"] = 0.9
        with open(self.path("costs.json"), "w", encoding="utf-8") as f:
            json.dump(costs, f)
        score = json.loads(run(
            [TUTTI, "score", scenario, "--ranks", "2", "--json", "--costs",
             self.path("costs.json")]).stdout)
        heavy = score["owner"].pop(units[0]["name"])
        self.assertEqual(score["ranks"], 2)
        self.assertEqual(set(score["owner"].values()), {1 - heavy})
        self.same(scenario, 2, "--costs", self.path("costs.json"))

    def test_points_and_pilots_are_dealt_over_ranks(self):
        """A sweep's table and a search's report are those of one process."""
        folder = f"{EXAMPLES}/double-mass-spring-damper"
        vary = ["--vary", "dc=0:2:67", "--vary", "cc=0.5,x", "-j", "1", "-q"]
        for n in "1", "3":
            done = run([MPIRUN, "-n", n, TUTTI, "sweep", "scenario.json", *vary,
                        "-o", self.path(f"{n}.csv")], cwd=folder)
            self.assertEqual(done.returncode, 1, done.stderr)  # 'x' is no number
        self.assertEqual(self.content("1.csv"), self.content("3.csv"))
        self.assertEqual(self.content("3.csv").count(b"done"), 67)
        self.assertEqual(self.content("3.csv").count(b"failed"), 67)
        for more in [], ["--warm", "2"]:
            told = [run([MPIRUN, "-n", n, TUTTI, "tune", "scenario.json", *more,
                         "--budget", "16runs", "--json", "-o",
                         self.path(f"{n}.json")], cwd=folder).stdout
                    for n in "12"]
            self.assertIn("warm" if more else "best", told[0])
            self.assertEqual(told[0], told[1])
            self.assertEqual(self.content("1.json"), self.content("2.json"))
        done = run([MPIRUN, "-n", "2", TUTTI, "tune", "scenario-fmi1.json",
                    "--warm", "2"], cwd=folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("no checkpoint can be made of this scenario", done.stderr)

    def test_a_sweep_over_ranks_goes_on_and_fails_as_one(self):
        folder = f"{EXAMPLES}/double-mass-spring-damper"
        words = ["sweep", "scenario.json", "--vary", "dc=0:2:9", "-q", "-o"]
        run([TUTTI, *words, self.path("whole.csv")], cwd=folder)
        done = run([MPIRUN, "-n", "2", TUTTI, "sweep", "scenario.json", "--vary",
                    "no=0:2:9", "-o", self.path("no.csv")], cwd=folder)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("tutti: "), 1, done.stderr)
        self.assertEqual(run([MPIRUN, "-n", "2", TUTTI, *words,
                              self.path("many.csv")], cwd=folder).returncode, 0)
        self.assertEqual(self.content("whole.csv"), self.content("many.csv"))

    def test_bad_words(self):
        scenario = f"{EXAMPLES}/water-tank/scenario.json"
        for words, message in (
                (["--ranks", "0"],
                 "--ranks needs a whole number from 1 to 65536"),
                (["--ranks", "2", "--costs", scenario],
                 f"{scenario}: no time shares of this scenario's instances; costs "
                 "come from 'tutti run --json'"),
                (["--ranks", "2", "--costs", "/nowhere.json"],
                 "cannot read /nowhere.json: No such file or directory"),
                (["--ranks", "2", "--costs", __file__],
                 f"{__file__}:1:1: not valid JSON: invalid token near '#'")):
            done = run([TUTTI, "score", scenario, *words])
            self.assertEqual((done.returncode, done.stderr),
                             (2, f"tutti: {message}\n"))


if __name__ == "__main__":
    unittest.main()
