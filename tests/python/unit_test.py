# SPDX-License-Identifier: MIT
"""Models written in Python, as FMUs, beside what they compute by hand."""
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1)) if len(sys.argv) > 1 else ""
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "clients", "python"))
os.environ["TUTTI"] = os.path.join(BUILD, "tutti")
import tutti  # noqa: E402

TANK = os.path.join(BUILD, "examples", "water-tank")
HALF = 0.5


def half_of(x):
    return HALF * x


class Controller(tutti.Unit):
    """As watertankcontroller.fmu: it decides at once, and a step keeps it."""
    inputs = {"level": 3.0}
    outputs = {"valve": False}
    parameters = {"high": 8.0, "low": 2.0}
    units = {"level": "m", "high": "m", "low": "m"}

    def start(self):
        self.open = False

    def evaluate(self):
        self.valve = self.level >= self.high or (
            self.level > self.low and self.open)

    def step(self, t, h):
        self.open = self.valve


class Decay(tutti.Unit):
    """x' = u - x, exactly for u that is held."""
    inputs = {"u": 0.0}
    outputs = {"x": 1.0, "steps": 0, "name": "none"}

    def start(self):
        self.name = f"starts at {self.x!r}"

    def step(self, t, h):
        self.x = self.u + (self.x - self.u) * math.exp(-h)
        self.steps += 1


class Gain(tutti.Unit):
    inputs = {"u": 0.0, "text": ""}
    outputs = {"y": 0.0, "copy": ""}

    def evaluate(self):
        self.y = half_of(self.u)
        self.copy = self.text.upper()


class Fails(tutti.Unit):
    outputs = {"y": 0.0}

    def step(self, t, h):
        if t > 0.45:
            raise ValueError("that was too long")


class Exits(tutti.Unit):
    outputs = {"y": 0.0}

    def step(self, t, h):
        os._exit(7)


class Short(tutti.Unit):
    """Never goes further than 0.03 s."""
    outputs = {"t": 0.0}

    def step(self, t, h):
        self.t = t + min(h, 0.03)
        return self.t


class Sums(tutti.Unit):
    """Has a state that no variable shows."""
    outputs = {"y": 0.0}

    def start(self):
        self.random = random.Random(1)
        self.sum = []

    def step(self, t, h):
        self.sum.append(self.random.random())
        self.y = sum(self.sum)


def refusal(what, *arguments, **more):
    try:
        what(*arguments, **more)
    except tutti.TuttiError as e:
        return e
    raise AssertionError("it was not refused")


def alone(cls, **more):
    s = tutti.Scenario(step=0.1, end=1, **more)
    made = s.add("m", cls)
    s.record(*(made[name] for name in cls.outputs))
    return s


class Models(unittest.TestCase):
    def test_is_as_the_same_in_c(self):
        s = tutti.Scenario(step=0.1, end=60)
        control = s.add("control", Controller)
        tank = s.add("tank", os.path.join(TANK, "watertank.fmu"))
        s.connect(control.valve, tank.valve)
        s.connect(tank.level, control.level)
        r = s.simulate()
        c = tutti.simulate(os.path.join(TANK, "scenario.json"), until=60)
        self.assertEqual(list(r["level"]), list(c["level"]))
        self.assertEqual(list(r["valve"]), list(c["valve"]))

    def test_types_and_start(self):
        r = alone(Decay).simulate()
        self.assertEqual(list(r["steps"]), list(range(11)))
        self.assertEqual(set(r["name"]), {"starts at 1.0"})
        self.assertTrue(math.isclose(r["x"][-1], math.exp(-1),
                                     rel_tol=1e-12))

    def test_outputs_that_follow_inputs_at_once(self):
        s = tutti.Scenario(step=0.1, end=1)
        decay, gain = s.add("decay", Decay), s.add("gain", Gain)
        s.connect(decay.x, gain.u)
        s.connect(decay.name, gain.text)
        s.record(gain.y, gain["copy"])
        r = s.simulate()
        self.assertEqual([x / 2 for x in r["decay.x"]], list(r["gain.y"]))
        self.assertEqual(r["gain.copy"][-1], "STARTS AT 1.0")

    def test_two_coupled_and_iterated(self):
        """Rolled back and repeated, it is what the closed form is."""
        s = tutti.Scenario(step=0.1, end=1)
        one, two = s.add("one", Decay), s.add("two", Decay, x=0.5)
        s.connect(one.x, two.u)
        s.connect(two.x, one.u)
        r = s.simulate(iterate="converged", approximation="hold")
        x, y, q = 1.0, 0.5, math.exp(-0.1)
        for _ in range(10):  # both inputs are those of the step's end
            u, v = x, y
            for _ in range(200):
                u, v = v + (x - v) * q, u + (y - u) * q
            x, y = u, v
        self.assertTrue(math.isclose(r["one.x"][-1], x, rel_tol=1e-7))
        self.assertTrue(math.isclose(r["two.x"][-1], y, rel_tol=1e-7))

    def test_the_same_isolated_and_from_a_checkpoint(self):
        whole = alone(Sums).simulate()
        apart = alone(Sums).simulate(isolate=True)
        self.assertEqual(list(whole["y"]), list(apart["y"]))
        with tempfile.TemporaryDirectory() as folder:
            check = os.path.join(folder, "c")
            part = os.path.join(folder, "part.csv")
            s, path = alone(Sums), os.path.join(folder, "s.json")
            s.save(path)
            tutti.simulate(path, output=part, checkpoint=check,
                           every="sim:0.4")
            subprocess.run([os.environ["TUTTI"], "run", "--resume", check, "-q"],
                           check=True, capture_output=True)
            resumed = tutti.Result(part)
        self.assertEqual(list(whole["y"]), list(resumed["y"]))

    def test_steps_that_end_early(self):
        r = alone(Short).simulate(rollback=True)
        self.assertTrue(math.isclose(r["t"][-1], 1, rel_tol=1e-12))
        self.assertGreater(r.summary["steps"], 30)

    def test_what_is_printed_is_no_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "prints.py")
            with open(path, "w", encoding="utf-8") as f:
                f.write("import tutti\n\n\nclass Prints(tutti.Unit):\n"
                        "    outputs = {'y': 0.0}\n\n"
                        "    def step(self, t, h):\n"
                        "        print('at', t)\n\n\n"
                        "print('not when it is loaded')\n"
                        "if __name__ == '__main__':\n"
                        f"    tutti.export(Prints, {path + '.fmu'!r})\n")
            env = {**os.environ, "PYTHONPATH": sys.path[0]}
            subprocess.run([sys.executable, path], check=True, env=env,
                           capture_output=True)
            done = subprocess.run(
                [os.environ["TUTTI"], "run", path + ".fmu", "--until", "0.2",
                 "--step", "0.1", "-o", "-", "-v"], check=True,
                capture_output=True, text=True)
        self.assertEqual(len(done.stdout.splitlines()), 4)
        self.assertIn("at 0.1", done.stderr)
        self.assertNotIn("not when it is loaded", done.stderr)


class Wrong(unittest.TestCase):
    def test_an_exception(self):
        e = refusal(alone(Fails).simulate)
        with open(__file__, encoding="utf-8") as f:
            line = f.read().splitlines().index(
                '            raise ValueError("that was too long")') + 1
        self.assertIn("instance '{m}.m' (fmi2): step at t=0.5: fmi2DoStep "
                      "returned fmi2Error: last message: \"ValueError: that "
                      f"was too long (line {line}, in step)\"", str(e))
        self.assertEqual(len(e.result), 6)

    def test_a_process_that_ends(self):
        e = refusal(alone(Exits).simulate)
        self.assertIn("fmi2DoStep returned fmi2Fatal: last message: \"its "
                      "Python process ended (exit code 7)\"", str(e))

    def test_without_python(self):
        os.environ["TUTTI_PYTHON"] = "/nowhere/python3"
        try:
            e = refusal(alone(Decay).simulate)
        finally:
            del os.environ["TUTTI_PYTHON"]
        self.assertIn("cannot start '/nowhere/python3': No such file or "
                      "directory", str(e))

    def test_classes_that_make_no_fmu(self):
        class Inside(tutti.Unit):
            outputs = {"y": 0.0}

        def message(**attributes):
            cls = type("Decay", (tutti.Unit,),
                       {**attributes, "__module__": __name__})
            return str(refusal(tutti.export, cls, "/nowhere.fmu"))

        self.assertEqual(str(refusal(tutti.export, Inside, "/nowhere.fmu")),
                         "class 'Inside' is not at the top of its module, so "
                         "that it cannot be taken into an FMU")
        self.assertEqual(message(outputs={"y": None}),
                         "variable 'y' of class 'Decay' starts as NoneType: it "
                         "must be float, int, bool or str")
        self.assertEqual(message(outputs={"y": 0.0}, inputs={"y": 0.0}),
                         "class 'Decay' has two variables 'y'")
        self.assertEqual(message(outputs={"y z": 0.0}),
                         "variable 'y z' of class 'Decay' is no name that an "
                         "attribute can have")
        self.assertEqual(message(units={"z": "m"}),
                         "class 'Decay' has no variable 'z', whose unit it "
                         "states")

    def test_check_finds_nothing(self):
        """Of the standard's rules, on every model here."""
        with tempfile.TemporaryDirectory() as folder:
            for cls in (Controller, Decay, Gain, Short, Sums):
                path = tutti.export(cls, os.path.join(folder, "m.fmu"))
                self.assertEqual(tutti.check(path), [], cls)


if __name__ == "__main__":
    unittest.main()
