#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`tutti run --control`: a run led over standard input and output."""
import json
import os
import random
import select
import signal
import subprocess
import sys
import tempfile
import time
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLES = os.path.join(BUILD, "examples")
UNITS = os.path.join(BUILD, "tests", "units")
TANK = os.path.join(EXAMPLES, "water-tank", "scenario.json")
MISBEHAVE = os.path.join(UNITS, "misbehave.fmu")
PATIENCE = 60  # s: longer than any answer takes, on any machine


class Led:
    """A run, and its two ends."""

    def __init__(self, folder, *args, control="--control=paused"):
        self.csv = os.path.join(folder, "led.csv")
        self.p = subprocess.Popen(
            [TUTTI, "run", control, "-o", self.csv, *args], cwd=folder,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={"ASAN_OPTIONS": "handle_segv=0",  # crashes stay crashes
                 **os.environ})
        self.rest = b""

    def send(self, *lines):
        for line in lines:
            if not isinstance(line, (bytes, str)):
                line = json.dumps(line)
            if isinstance(line, str):
                line = line.encode()
            self.p.stdin.write(line + b"\n")
        self.p.stdin.flush()

    def answer(self):
        while b"\n" not in self.rest:
            ready, _, _ = select.select([self.p.stdout], [], [], PATIENCE)
            if not ready:
                raise AssertionError("no answer")
            data = os.read(self.p.stdout.fileno(), 1 << 20)
            if not data:
                raise AssertionError(
                    "no answer, but: " + self.p.stderr.read().decode())
            self.rest += data
        line, self.rest = self.rest.split(b"\n", 1)
        return json.loads(line)

    def ask(self, **command):
        self.send(command)
        return self.answer()

    def end(self):
        """Its last line; then there is nothing more."""
        last = self.answer()
        while "type" not in last:
            last = self.answer()
        assert last["type"] == "end", last
        assert set(last) == {"type", "summary"}, last
        assert self.rest == b"" and self.p.stdout.read() == b""
        self.p.stdin.close()
        self.code = self.p.wait(PATIENCE)
        self.words = self.p.stderr.read().decode()
        self.p.stdout.close()
        self.p.stderr.close()
        return last["summary"]

    def rows(self):
        with open(self.csv, encoding="utf-8") as f:
            return f.read()


class Control(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.led = []
        self.addCleanup(self.kill)

    def kill(self):
        for led in self.led:
            if led.p.poll() is None:
                led.p.kill()
                led.p.wait()
            for pipe in (led.p.stdin, led.p.stdout, led.p.stderr):
                try:
                    pipe.close()
                except BrokenPipeError:
                    pass

    def lead(self, *args, **how):
        self.led.append(Led(self.folder.name, *args, **how))
        return self.led[-1]

    def misbehave(self, *args, **how):
        return self.lead(MISBEHAVE, "--step", "0.5", "--until", "4", *args,
                         **how)

    # --- leading ------------------------------------------------------------

    def test_pausing_and_stepping_at_random_changes_nothing(self):
        cases = [
            (TANK,),  # fixed
            (os.path.join(EXAMPLES, "water-tank", "scenario-variable.json"),),
            (os.path.join(EXAMPLES, "power-window", "scenario.json"),
             "--until", "2"),  # iterated
            (os.path.join(EXAMPLES, "power-window",
                          "scenario-variable.json"), "--until", "2"),
            (TANK, "--threads", "2", "--until", "20"),
            (os.path.join(EXAMPLES, "double-mass-spring-damper",
                          "scenario.json"), "--master", "gauss-seidel",
             "--approximation", "quadratic"),
        ]
        for seed, case in enumerate(cases):
            with self.subTest(case=case):
                self.same_as_alone(random.Random(seed), case)

    def same_as_alone(self, dice, case):
        alone = os.path.join(self.folder.name, "alone.csv")
        subprocess.run([TUTTI, "run", *case, "-qo", alone], check=True)
        with open(alone, encoding="utf-8") as f:
            expected = f.read()
        names = expected.split("\n", 1)[0].split(",")[1:]
        led = self.lead(*case)
        state, n = "paused", 0
        while state != "finished":
            n += 1
            if n > 60:
                led.send({"do": "resume"})
                break
            what = dice.choice(["step", "step", "to", "go", "get"])
            get = dice.sample(names, 1)
            if what == "step":
                a = led.ask(do="step", steps=dice.randint(1, 9), get=get)
            elif what == "to":
                now = led.ask(do="get", get=[])["time"]
                a = led.ask(do="step", to=now + dice.random(), get=get)
            elif what == "go":
                led.send({"do": "resume"}, {"do": "pause"})
                a = led.answer()
                if "error" not in a:  # else it is at its end already
                    self.assertEqual(a["state"], "running")
                    a = led.answer()
                if "error" in a or "type" in a:
                    break
            else:
                a = led.ask(do="get", get=get)
            self.assertNotIn("error", a)
            state = a["state"]
        if "type" not in a:
            summary = led.end()
            self.assertEqual(summary["outcome"], "completed", led.words)
        self.assertEqual(led.rows(), expected)

    def test_the_pace_can_be_changed(self):
        """At factor 1e-3 the run would take most of an hour."""
        led = self.lead(TANK, "--real-time", "1e-3")
        self.assertEqual(led.ask(do="pace", factor=1e6),
                         {"state": "paused", "time": 0})
        self.assertEqual(led.ask(do="resume")["state"], "running")
        summary = led.end()
        self.assertEqual(summary["outcome"], "completed", led.words)
        self.assertEqual(summary["real_time"]["factor"], 1e6)

    def test_answers_have_the_id_of_their_command(self):
        led = self.misbehave()
        led.ask(do="get", get=[])  # a stop does not wait long for a start
        led.send({"id": 1, "do": "get", "get": ["{misbehave}.misbehave.y"]},
                 {"do": "step", "id": 2.5}, {"do": "pause"},
                 {"id": -3, "do": "resume"}, {"id": 10**15, "do": "stop"})
        self.assertEqual(led.answer(), {
            "id": 1, "state": "paused", "time": 0,
            "values": {"{misbehave}.misbehave.y": 0}})
        self.assertEqual(led.answer(),
                         {"id": 2.5, "state": "paused", "time": 0.5})
        self.assertEqual(led.answer(), {"state": "paused", "time": 0.5})
        self.assertEqual(led.answer(),
                         {"id": -3, "state": "running", "time": 0.5})
        self.assertEqual(led.end()["steps"] < 9, True)

    def test_what_is_set_is_simulated(self):
        """y is the integral of u: exact for what is held between steps."""
        led = self.misbehave("--record", "all")
        u, y = "{misbehave}.misbehave.u", "{misbehave}.misbehave.y"
        expected = 0
        for k, value in enumerate([2, -1.5, 0.25, 8]):
            a = led.ask(do="step", set={u: value}, get=[y, u])
            expected += 0.5 * value
            self.assertEqual(a, {"state": "paused", "time": 0.5 * (k + 1),
                                 "values": {y: expected, u: value}})
        led.ask(do="set", set={u: 0})
        a = led.ask(do="step", to=4, get=[y])
        self.assertEqual(a, {"state": "finished", "time": 4,
                             "values": {y: expected}})
        self.assertEqual(led.end()["outcome"], "completed")
        column = led.rows().split("\n")[0].split(",").index(y)
        self.assertEqual([float(r.split(",")[column])
                          for r in led.rows().split()[1:]],
                         [0, 1, 0.25, 0.375] + 5 * [4.375])

    def test_every_type_is_set_and_read(self):
        led = self.lead(os.path.join(UNITS, "alltypes-fmi3.fmu"),
                        "--step", "1", "--until", "2")
        v = "{alltypes-fmi3}.alltypes-fmi3."
        values = {"f64": 1e-300, "f32": 0.5, "i8": -128, "u8": 255,
                  "i32": -7, "i64": -2**63, "bool": False,
                  "text": "\u00e4 \"b\"\\", "mode": 1}
        a = led.ask(do="step", set={v + k + "_in": x
                                    for k, x in values.items()},
                    get=[v + k + "_out" for k in values])
        self.assertEqual(a["values"],
                         {v + k + "_out": x for k, x in values.items()})
        for name, value, words in [
                ("i8_in", 128, "(Int8) cannot hold 128"),
                ("i32_in", 1.5, "(Int32) cannot hold 1.5"),
                ("f64_in", "1", "(Float64) cannot hold \"1\""),
                ("f64_in", True, "(Float64) cannot hold true"),
                ("text_in", 1, "(String) cannot hold 1"),
                ("bool_in", "true", "(Boolean) cannot hold \"true\"")]:
            self.assertEqual(
                led.ask(id=1, do="set", set={v + name: value}),
                {"id": 1, "error": f"'{v}{name}' {words}"})
        self.assertEqual(
            led.ask(do="set", set={v + "vector_in[2]": 7}).get("error"), None)
        self.assertEqual(
            led.ask(do="get", get=[v + "vector_in[1]", v + "vector_in[2]"])
            ["values"], {v + "vector_in[1]": 1, v + "vector_in[2]": 7})
        self.assertEqual(
            led.ask(do="get", get=[v + "vector_in"])["error"],
            f"'{v}vector_in' names no element: 'vector_in' is an array of "
            "size [3]")
        led.send({"do": "resume"})
        led.end()

    def test_rows_can_be_read_while_it_is_paused(self):
        led = self.lead(TANK)
        for n in (1, 7, 200):
            a = led.ask(do="step", steps=n)
            last = led.rows().split("\n")
            self.assertEqual(last.pop(), "")
            self.assertEqual(float(last[-1].split(",")[0]), a["time"])
        self.assertEqual(len(last), 2 + 208)
        led.p.stdin.close()
        led.p.wait(PATIENCE)

    def test_a_pause_ends_a_long_step(self):
        led = self.misbehave("--until", "1e9")
        led.send({"id": 1, "do": "step", "to": 9e8})
        led.send({"id": 2, "do": "pause"})
        a, b = led.answer(), led.answer()
        self.assertEqual((a["id"], a["state"]), (1, "paused"))
        self.assertEqual(b, {"id": 2, "state": "paused", "time": a["time"]})
        self.assertLess(a["time"], 9e8)
        led.send({"id": 3, "do": "step", "to": 9e8}, {"id": 4, "do": "stop"})
        self.assertEqual(led.answer()["id"], 3)
        self.assertEqual(led.answer()["id"], 4)
        summary = led.end()
        self.assertEqual(summary["outcome"], "stopped")
        self.assertEqual(led.code, 1)

    def test_commands_reach_a_run_that_plays(self):
        led = self.misbehave("--until", "1e9", control="--control")
        u, y = "{misbehave}.misbehave.u", "{misbehave}.misbehave.y"
        a = led.ask(id=1, do="set", set={u: 1})
        self.assertEqual(a["state"], "running")
        b = led.ask(id=2, do="get", get=[u, y])
        self.assertEqual(b["values"][u], 1)
        self.assertEqual(b["values"][y], b["time"] - a["time"])
        self.assertEqual(
            led.ask(id=3, do="step"),
            {"id": 3, "error":
             "the run is not paused; \"pause\" it before a \"step\""})
        led.ask(do="stop")
        self.assertEqual(led.end()["outcome"], "stopped")

    # --- what is refused ----------------------------------------------------

    def test_bad_lines_are_answered_and_change_nothing(self):
        led = self.misbehave()
        u, w = "{misbehave}.misbehave.u", "{misbehave}.misbehave.what"
        y = "{misbehave}.misbehave.y"
        lacks = ("a command lacks \"do\": \"pause\", \"resume\", \"stop\", "
                 "\"step\", \"set\", \"get\" or \"pace\"")
        for line, words in [
                ("x", "command:1:1: not valid JSON: invalid token near 'x'"),
                ("{", "command:1:2: JSON ends too early: string or '}' "
                      "expected near end of file"),
                (b"\"\xff\"", None), (b"{\"a\": \0}", None),
                ("[" * 100000, None), ("{\"do\":" * 100000, None),
                ("[]", "a command is an object, not an array"),
                ("{}", lacks),
                ('{"do": 1}', "'do' must be a string, not an integer"),
                ('{"do": "Step"}',
                 "there is no command 'Step'; did you mean 'step'?"),
                ('{"do": "fly"}', "there is no command 'fly'"),
                ('{"do": "step", "sets": {}}',
                 "there is no field 'sets'; did you mean 'set'?"),
                ('{"do": "pause", "to": 1}', "'pause' takes no 'to'"),
                ('{"do": "pause", "factor": 1}', "'pause' takes no 'factor'"),
                ('{"do": "pace"}', "'pace' needs a 'factor' greater than 0"),
                ('{"do": "pace", "factor": 0}',
                 "'pace' needs a 'factor' greater than 0"),
                ('{"do": "pace", "factor": "2"}',
                 "'pace' needs a 'factor' greater than 0"),
                ('{"do": "pace", "factor": 2}',
                 "the run is not paced: it begins with --real-time"),
                ('{"do": "set"}', "'set' lacks what to set"),
                ('{"do": "get"}', "'get' lacks what to get"),
                ('{"do": "set", "set": []}', "'set' must be an object of "
                 "variables and their values, not an array"),
                ('{"do": "get", "get": [1]}',
                 "'get' must be an array of strings"),
                ('{"do": "step", "steps": 0}',
                 "'steps' must be a whole number, 1 or more"),
                ('{"do": "step", "steps": 1.5}',
                 "'steps' must be a whole number, 1 or more"),
                ('{"do": "step", "to": "end"}',
                 "'to' must be a number, not a string"),
                ('{"do": "step", "to": 0}',
                 "'to' is not after the time reached"),
                ('{"do": "step", "to": 1, "steps": 1}',
                 "'steps' and 'to' exclude each other"),
                ({"do": "get", "get": ["{misbehave}.misbehave.z"]},
                 "instance '{misbehave}.misbehave' has no variable 'z'"),
                ({"do": "step", "get": ["{misbehav}.misbehave.y"]},
                 "'{misbehav}.misbehave.y' is a variable of no instance; did you "
                 "mean '{misbehave}.misbehave.y'?"),
                ({"do": "step", "set": {u: 1, w: 6}},
                 f"'{w}' is a parameter that is fixed when the run starts; "
                 "set it when the scenario is loaded"),
                ({"do": "set", "set": {u: 1, y: 6}},
                 f"'{y}' (output) cannot be set; inputs and tunable "
                 "parameters can"),
                ({"do": "set", "set": {u: None}},
                 f"'{u}' must be a number, a boolean or a string, not null")]:
            with self.subTest(line=str(line)[:80]):
                led.send(line)
                a = led.answer()
                self.assertEqual(set(a), {"error"})
                if words is not None:
                    self.assertEqual(a["error"], words)
        self.assertEqual(led.ask(id="x", do="pause"),
                         {"error": "'id' must be a number, not a string"})
        self.assertEqual(led.ask(id=7, do="nap"),
                         {"id": 7, "error": "there is no command 'nap'"})
        self.assertEqual(led.ask(do="get", get=[u, y])["values"],
                         {u: 0, y: 0})
        self.assertEqual(led.ask(do="pause"), {"state": "paused", "time": 0})
        led.send("", "  \r", {"do": "resume"})  # empty lines are nothing
        self.assertEqual(led.answer(), {"state": "running", "time": 0})
        self.assertEqual(led.end()["steps"], 8)

    def test_connected_inputs_are_not_set(self):
        led = self.lead(TANK)
        self.assertEqual(
            led.ask(do="set", set={"{x2}.tank.valve": True}),
            {"error": "'{x2}.tank.valve' cannot be set: it is connected, and "
                      "follows '{x1}.controller.valve'"})
        led.send({"do": "stop"})
        led.end()

    def test_lines_have_a_limit(self):
        led = self.misbehave()
        room = 2**20 - len(json.dumps({"do": "pause", "id": 1}))
        led.send(json.dumps({"do": "pause", "id": 1}) + " " * room)
        self.assertEqual(led.answer()["id"], 1)
        led.send(json.dumps({"do": "resume", "id": 1}) + " " * room)
        self.assertEqual(led.answer(), {
            "error": "this line has more than 1048576 bytes"})
        for _ in range(40):  # more than fits in between
            led.send(json.dumps({"do": "get", "get": []}) + " " * 500000)
        for _ in range(40):
            self.assertEqual(led.answer()["state"], "paused")
        led.send(b"x" * (10 * 2**20), {"do": "resume"})
        self.assertIn("error", led.answer())
        self.assertEqual(led.answer()["state"], "running")
        led.end()

    def test_options_that_do_not_go_together(self):
        for args, words in [
                (["--control", "-o", "-"],
                 "--control and --output - both need standard output"),
                (["--control", "--no-child"],
                 "--control listens beside the playing process, and "
                 "--no-child has none"),
                (["--control=stopped"],
                 "--control takes 'paused', not 'stopped'")]:
            p = subprocess.run([TUTTI, "run", TANK, *args], text=True,
                               capture_output=True, stdin=subprocess.DEVNULL,
                               cwd=self.folder.name)
            self.assertEqual((p.returncode, p.stderr, p.stdout),
                             (2, f"tutti: {words}\n", ""))

    # --- ends ---------------------------------------------------------------

    def test_the_end_of_the_input_stops_it(self):
        for control in ("--control", "--control=paused"):
            led = self.misbehave("--until", "1e9", control=control)
            led.ask(do="get", get=[])
            led.p.stdin.close()
            last = led.answer()
            self.assertEqual(last["summary"]["outcome"], "stopped")
            self.assertEqual(led.p.wait(PATIENCE), 1)

    def test_signals_work_as_ever(self):
        for sig, code in ((signal.SIGINT, 130), (signal.SIGTERM, 1),
                          (signal.SIGHUP, 1)):
            led = self.misbehave("--until", "1e9")
            led.ask(do="step")
            led.p.send_signal(sig)
            summary = led.end()
            self.assertEqual(summary["outcome"], "stopped")
            self.assertEqual(led.code, code)
            self.assertEqual(led.words, "tutti: stopped at t=0.5; results so "
                             f"far: {led.csv} (2 rows to t=0.5)\n")

    def test_a_crash_is_named_in_the_last_line(self):
        led = self.misbehave("--set", "what=6")
        self.assertEqual(led.ask(do="step")["time"], 0.5)
        led.send({"id": 5, "do": "step"})
        summary = led.end()
        self.assertEqual(summary["outcome"], "failed")
        self.assertEqual(
            summary["message"],
            "instance '{misbehave}.misbehave': crashed in step (SIGSEGV) at "
            f"t=0.5; results so far: {led.csv} (2 rows to t=0.5)")
        self.assertEqual(led.code, 1)

    def test_a_failing_step_is_answered(self):
        led = self.misbehave("--set", "what=1")
        led.ask(do="step")
        a = led.ask(id=1, do="step")
        self.assertEqual(a["id"], 1)
        self.assertIn("instance '{misbehave}.misbehave' (fmi2): step at t=0.5: ",
                      a["error"])
        self.assertEqual(led.end()["outcome"], "failed")

    def test_stop_ends_a_unit_that_hangs(self):
        led = self.misbehave("--set", "what=8", "--set", "amount=300")
        led.ask(do="get", get=[])  # a stop does not wait long for a start
        led.send({"do": "step", "to": 4}, {"do": "get", "get": []},
                 {"id": 9, "do": "stop"})
        summary = led.end()
        self.assertEqual(
            summary["message"].split(";")[0],
            "asked to stop, the run was ended because instance "
            "'{misbehave}.misbehave' did not return from step at t=0.5 for "
            "10 s")

    def test_what_cannot_be_loaded_has_a_last_line(self):
        led = self.lead("nowhere.json")
        summary = led.end()
        self.assertEqual(summary["outcome"], "failed")
        self.assertEqual(summary["message"],
                         "cannot read nowhere.json: No such file or directory")
        self.assertEqual(led.code, 2)
        led = self.lead(MISBEHAVE, "--set", "wat=1", "--step", "1",
                        "--until", "1")
        self.assertIn("did you mean 'what'?", led.end()["message"])

    def test_paused_time_does_not_count(self):
        led = self.misbehave("--until", "0.5", "--real-time")
        led.ask(do="get", get=[])
        time.sleep(3)
        led.send({"do": "resume"})
        summary = led.end()
        self.assertLess(summary["real_time"]["worst_lateness"], 3)
        self.assertGreaterEqual(summary["wall_seconds"], 0.5)


if __name__ == "__main__":
    unittest.main(verbosity=1)
