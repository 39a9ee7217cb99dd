#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`--dialect`: the rows of a Maestro, to the byte.

What Maestro does is computed here once more, from its rules and not from ours:
time that is added up, steps that are discarded, stabilisation, constraints.
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
TALLY = os.path.join(BUILD, "tests", "units", "tally.fmu")
RIGID = os.path.join(BUILD, "tests", "units", "raw2.fmu")


# --- numbers as Java writes them ---------------------------------------------

def java(x):
    if x == 0 or 1e-3 <= abs(x) < 1e7:
        text = repr(float(x))
        if "e" in text:  # Python changes over at 1e-4 and 1e16
            text = format(float(x), ".20f").rstrip("0")
        return text
    mantissa, exponent = format(float(x), ".17e").split("e")
    for digits in range(1, 18):
        text = format(float(x), f".{digits}e")
        if float(text) == x:
            mantissa, exponent = text.split("e")
            break
    mantissa = mantissa.rstrip("0")
    return f"{mantissa}0E{int(exponent)}" if mantissa.endswith(".") \
        else f"{mantissa}E{int(exponent)}"


# --- the units ------------------------------------------------------------------

class Tally:
    """tests/units/tally.c"""

    def __init__(self, c=0.0, k=0.0, every=0.0, y0=0.0):
        self.c, self.k, self.every, self.y = c, k, every, y0
        self.u = 0.0

    def stop(self, t):
        return self.every * (math.floor((t + 1e-9) / self.every) + 1)

    def step(self, t, h):
        """Where it came to, or None, and where it could have."""
        to = t + h
        if self.every > 0 and to > self.stop(t) + 1e-9:
            return None, self.stop(t)
        self.y = self.y + (self.c + self.k * self.u) * (to - t)
        return to, to


def close(a, b, atol, rtol):
    return abs(a - b) <= atol + rtol * abs(b)


# --- Maestro's loops ----------------------------------------------------------------

class Ring:
    """Each instance hears the other one."""

    def __init__(self, a, b):
        self.units = [a, b]

    def outputs(self):
        return [u.y for u in self.units]

    def restore(self, state):
        for u, y in zip(self.units, state):
            u.y = y

    def step(self, heard, t, h):
        """All step; where the slowest of those that discard could come to."""
        a, b = self.units
        a.u, b.u = heard[1], heard[0]
        ends = [u.step(t, h) for u in self.units]
        if any(end is None for end, _ in ends):
            return min(point for _, point in ends)
        return None

    def stabilise(self, t, h, rules):
        """Evaluations until nothing changes; the last stands."""
        state, old = self.outputs(), self.outputs()
        turns = rules["attempts"] + (1 if rules["version"] == 1 else 0)
        for n in range(turns):
            self.restore(state)
            assert self.step(old, t, h) is None
            new = self.outputs()
            near = all(close(o, w, rules["atol"], rules["rtol"])
                       for o, w in zip(old, new))
            if near and (rules["version"] == 2 or n > 0):
                return
            old = new

    def make(self, t, h, rules):
        """One accepted step: its length."""
        if rules.get("attempts"):
            self.stabilise(t, h, rules)
            return h
        state = self.outputs()
        while True:
            point = self.step(state, t, h)
            if point is None:
                return h
            self.restore(state)
            h = point - t


def fixed(ring, h, end, rules):
    t, rows = 0.0, [(0.0, 0.0, *ring.outputs())]
    while t + h <= end or (rules["version"] == 1 and len(rows) == 1):
        made = ring.make(t, h if t + h <= end else end - t, rules)
        t = t + made
        rows.append((t, made, *ring.outputs()))
    return rows


# --- Maestro's variable step -----------------------------------------------------------

def round14(x):
    """Half up to 14 decimals, of the exact value."""
    from decimal import ROUND_HALF_UP, Decimal, localcontext
    with localcontext() as c:
        c.prec = 60
        return float(Decimal(x).quantize(Decimal(1).scaleb(-14),
                                         rounding=ROUND_HALF_UP))


class Watched:
    """The past of one output, its derivatives and its extrapolation error."""

    def __init__(self):
        self.x, self.h = [], []
        self.d = self.dd = 0.0
        self.error = {1: 0.0, 2: 0.0}

    def advance(self, x, h):
        if self.x:
            for order in (1, 2):
                foretold = self.x[-1] + self.d * h
                if order == 2:
                    foretold += 0.5 * self.dd * h * h
                e = abs((x - foretold) / max(abs(x), 5e-324))
                was = self.error[order]
                self.error[order] = e if e >= was \
                    else 0.7 * was + (1 - 0.7) * e
            self.h.append(h)
        self.x.append(x)
        if len(self.x) == 2:
            self.d, self.dd = (x - self.x[0]) / h, 0.0
        elif len(self.x) > 2:
            h1, h2 = self.h[-1], self.h[-2]
            r1 = (x - self.x[-2]) / h1
            r2 = (self.x[-3] - self.x[-2]) / h2
            a = (r1 + r2) / (h1 + h2)
            b = -r2 - a * h2
            self.dd = 2 * a
            self.d = self.dd * (h1 + h2) + b


class Crossing:
    discrete = False

    def __init__(self, port, order, abstol, safety, limits):
        self.port, self.order, self.abstol = port, order, abstol
        self.safety, self.limits, self.state = safety, limits, None

    def clip(self, h):
        return min(self.limits[1], max(self.limits[0], h))

    def steps_ahead(self, w, last):
        if self.order == 1 or w.dd == 0:
            return abs(w.x[-1]) / max(5e-324, abs(w.x[-1] - w.x[-2]))
        p, q = 2 * w.d / w.dd, 2 * w.x[-1] / w.dd
        disc = p * p / 4 - q
        if disc < 0:
            return sys.float_info.max
        for root in (-p / 2 - math.sqrt(disc), -p / 2 + math.sqrt(disc)):
            if root > 0:
                return root / last
        return sys.float_info.max

    def propose(self, watched, last, _prev, _t):
        w = watched[self.port]
        size = abs(w.x[-1])
        well, inside = size < 0.5 * self.abstol, size < self.abstol
        if self.state == "distancing":
            return self.clip(last * 3.0)
        if self.state == "crossed":
            if len(w.x) > 2 and w.x[-1] * w.x[-2] < 0 <= w.x[-1] * w.x[-3] \
                    and abs(w.x[-3]) < abs(w.x[-2]) < abs(w.x[-1]):
                return last if well else self.clip(last * 0.5) if inside \
                    else self.limits[0]
            return self.clip(last * 1.2) if well else last if inside \
                else self.clip(last * 0.5)
        if well:
            return self.clip(last * 1.2)
        if inside:
            return last
        n = self.steps_ahead(w, last) / (1 + w.error[self.order] + self.safety)
        if n <= 1:
            return self.clip(last * n)
        if n > 30:
            return self.clip(last * 3.0)
        if n > 3:
            return self.clip(last * 1.2)
        return last if n > 1.5 * 1.2 else self.clip(last * 0.5)

    def valid(self, now, new):
        f, g = now[self.port], new[self.port]
        self.state = "crossed" if f * g <= 0 else \
            "approaching" if abs(g) < abs(f) else "distancing"
        return not (f * g <= 0 and min(abs(f), abs(g)) > self.abstol)


class Difference:
    discrete = False

    def __init__(self, port, abstol, reltol, limits):
        self.port, self.abstol, self.reltol = port, abstol, reltol
        self.limits, self.skipped, self.factor = limits, False, None

    @staticmethod
    def bin(d, tol):
        for share, factor in ((0.2, 3.0), (0.4, 1.2), (0.6, 1.0)):
            if abs(d) <= tol * share * 1.0:
                return factor
        return 0.5 if abs(d) <= tol else 0.01

    def length(self, factor, h):
        if factor == 1.0:
            return h
        return min(self.limits[1], max(self.limits[0], h * factor))

    def propose(self, watched, last, prev, _t):
        x, xp = watched[self.port].x[-1], watched[self.port].x[-2]
        scale = max(abs(x), abs(xp), 5e-324)
        again = None if self.factor is None else min(self.factor, 1.0)
        self.factor = min(self.bin(x - xp, self.abstol),
                          self.bin((x - xp) / scale, self.reltol))
        h = self.length(self.factor, prev)
        if self.skipped and again is not None:
            longer = self.length(again, last)
            if longer > h:
                self.factor, h = again, longer
        return h

    def valid(self, now, new):
        x, y = now[self.port], new[self.port]
        scale = max(abs(x), abs(y), 5e-324)
        return abs(y - x) <= self.abstol and \
            abs((y - x) / scale) <= self.reltol


class Sampling:
    discrete = True

    def __init__(self, base, rate, start, limits):
        self.first, self.period = 10.0 ** base * start, 10.0 ** base * rate
        self.limits = limits

    def propose(self, _watched, _last, _prev, t):
        if t < self.first:
            return min(self.first - t, self.limits[1])
        since = round14(t - self.first)
        n = math.floor(round14(since / self.period)) + 1
        return min(round14(round14(self.period * n) - since), self.limits[1])

    def valid(self, _now, _new):
        return True


class Calculator:
    def __init__(self, constraints, limits, init, end):
        self.constraints, self.limits = constraints, limits
        self.init, self.end = init, end
        self.size = self.last = None
        self.discrete = False
        self.watched = None

    def ask(self, t, values):
        if self.watched is None:
            self.watched = [Watched() for _ in values]
        for w, x in zip(self.watched, values):
            w.advance(x, self.size)
        if not self.discrete:
            self.last = self.size
        for c in self.constraints:
            c.skipped = self.discrete
        self.discrete = False
        rest = self.end - t
        if self.size is None:
            self.size = self.init
            return min(self.size, rest)
        said = [c.propose(self.watched, self.last, self.size, t)
                for c in self.constraints]
        self.size = min(said + [self.limits[1]])
        if self.size > rest:
            return rest
        if self.size < self.limits[1]:
            self.discrete = all(c.discrete for c, h
                                in zip(self.constraints, said)
                                if h == self.size)
        return self.size

    def judge(self, now, new):
        """None, or a shorter length."""
        if all([c.valid(now, new) for c in self.constraints]):
            return None
        was, self.size = self.size, max(self.size * 0.25, self.limits[0])
        return self.size if self.size < was else None


def variable(ring, calculator, init, end):
    t, asked, rows = 0.0, init, [(0.0, 0.0, *ring.outputs())]
    rejected = 0
    while t + asked <= end:
        state = ring.outputs()
        h = asked = calculator.ask(t, state)
        while True:
            point = ring.step(state, t, h)
            if point is not None:
                h = point - t
            else:
                shorter = calculator.judge(state, ring.outputs())
                if shorter is None:
                    break
                h = shorter
            rejected += 1
            ring.restore(state)
        t = t + h
        rows.append((t, h, *ring.outputs()))
    return rows, rejected


# --- the test ---------------------------------------------------------------------------

def text_of(rows, version):
    head = "time" + (",step-size" if version == 1 else "")
    lines = [head + ",{k}.a.y,{k}.b.y"]
    for t, h, *values in rows:
        cells = [t] + ([h] if version == 1 else []) + values
        lines.append(",".join(java(x) for x in cells))
    return "\n".join(lines) + "\n"


class Dialect(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def tutti(self, scenario, *options, code=0):
        path = os.path.join(self.folder, "s.json")
        out = os.path.join(self.folder, "o.csv")
        with open(path, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        p = subprocess.run([TUTTI, "run", path, "-o", out, *options],
                           stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                           text=True, check=False)
        self.assertEqual(p.returncode, code, p.stderr)
        self.said = p.stderr
        if code:
            return ""
        with open(out, encoding="utf-8") as f:
            return f.read()

    @staticmethod
    def ring(a, b, algorithm, **more):
        parameters = {f"{{k}}.{u}.{name}": value for u, which
                      in (("a", a), ("b", b))
                      for name, value in which.items()}
        return {"fmus": {"{k}": TALLY},
                "connections": {"{k}.b.y": ["{k}.a.u"],
                                "{k}.a.y": ["{k}.b.u"]},
                "parameters": parameters, "algorithm": algorithm,
                "startTime": 0, **more}

    A = {"k": -1.3, "y0": 1.0}
    B = {"k": 1.1, "c": 0.01}

    def check_fixed(self, version, h, end, a=None, b=None, **rules):
        """Against the loop above, by option and by field."""
        a, b = a or self.A, b or self.B
        rules["version"] = version
        more = {}
        if "attempts" in rules:
            more = {"stabalizationEnabled": True,
                    "convergenceAttempts": rules["attempts"],
                    "global_absolute_tolerance": rules["atol"],
                    "global_relative_tolerance": rules["rtol"]}
        scenario = self.ring(a, b, {"type": "fixed-step", "size": h},
                             endTime=end, **more)
        expected = text_of(fixed(Ring(Tally(**a), Tally(**b)), h, end, rules),
                           version)
        self.assertEqual(
            self.tutti(scenario, "--dialect", f"maestro{version}"), expected)
        scenario["dialect"] = f"maestro{version}"
        self.assertEqual(self.tutti(scenario), expected)
        return expected

    def test_time_is_added_up(self):
        for version in (1, 2):
            text = self.check_fixed(version, 0.1, 1.0)
            self.assertIn("\n0.7999999999999999,", text)
            self.assertTrue(text.splitlines()[-1].startswith(
                "0.9999999999999999,"))

    def test_the_option_wins_over_the_field_and_maestro_is_the_second(self):
        scenario = self.ring(self.A, self.B,
                             {"type": "fixed-step", "size": 0.1}, endTime=1,
                             dialect="maestro1")
        expected = self.check_fixed(2, 0.1, 1.0)
        self.assertEqual(self.tutti(scenario, "--dialect", "maestro"),
                         expected)
        scenario["dialect"] = "maestro"
        self.assertEqual(self.tutti(scenario), expected)

    def test_no_step_is_made_only_to_reach_the_end(self):
        for version in (1, 2):
            text = self.check_fixed(version, 0.3, 1.0)
            self.assertTrue(text.splitlines()[-1].startswith(
                "0.8999999999999999,"))

    def test_a_step_longer_than_the_run(self):
        """Maestro 2 makes none, Maestro 1 one; ours ends where it should."""
        self.assertEqual(len(self.check_fixed(2, 3.0, 1.0).splitlines()), 2)
        last = self.check_fixed(1, 3.0, 1.0).splitlines()
        self.assertEqual(len(last), 3)
        self.assertTrue(last[2].startswith("1.0,1.0,"))

    def test_our_own_rules_without_it(self):
        scenario = self.ring(self.A, self.B,
                             {"type": "fixed-step", "size": 0.3}, endTime=1)
        for more in ({}, {"csv": {"dialect": "maestro1"}}):
            text = self.tutti({**scenario, **more})
            self.assertTrue(text.splitlines()[-1].startswith("1.0,"), text)

    def test_a_discarded_step_goes_on_from_where_it_came_to(self):
        for version in (1, 2):
            text = self.check_fixed(version, 0.1, 1.0,
                                    a={**self.A, "every": 0.15})
            times = [line.split(",")[0] for line in text.splitlines()[1:]]
            self.assertEqual(times[:5], ["0.0", "0.1", "0.15000000000000002"
                                         if "0.15000000000000002" in times
                                         else "0.15", "0.25", "0.3"])

    def test_the_least_of_several_discards_counts(self):
        for version in (1, 2):
            self.check_fixed(version, 0.4, 4.0, a={**self.A, "every": 0.25},
                             b={**self.B, "every": 0.35})

    def test_beside_a_unit_that_cannot_be_rolled_back_none_is(self):
        """What Maestro 1 gives up and Maestro 2 repeats for ever."""
        scenario = self.ring({**self.A, "every": 0.15}, self.B,
                             {"type": "fixed-step", "size": 0.1}, endTime=1)
        scenario["fmus"]["{r}"] = RIGID
        scenario["instances"] = {"{r}": ["r"]}
        self.tutti(scenario, "--dialect", "maestro2", code=1)
        self.assertIn("instance '{k}.a' (fmi2) rejected the step to t=0.2: it "
                      "could reach t=0.15 only, and the step cannot be rolled back", self.said)

    def test_stabilisation_counts_as_each_maestro_does(self):
        tight = {"atol": 1e-12, "rtol": 0.0}
        loose = {"atol": 0.0, "rtol": 0.02}
        seen = set()
        for version in (1, 2):
            for attempts in (1, 2, 3, 5):
                for tolerance in (tight, loose):
                    seen.add(self.check_fixed(
                        version, 0.25, 2.0, attempts=attempts, **tolerance)
                        .replace("step-size,", ""))
        self.assertGreater(len(seen), 6)

    def test_maestro_2_has_no_relative_tolerance_unless_reported(self):
        scenario = self.ring(self.A, self.B,
                             {"type": "fixed-step", "size": 0.25}, endTime=2,
                             stabalizationEnabled=True)
        for version, rtol in ((1, 0.01), (2, 0.0)):
            rules = {"version": version, "attempts": 5, "atol": 0.0,
                     "rtol": rtol}
            rows = fixed(Ring(Tally(**self.A), Tally(**self.B)), 0.25, 2.0,
                         rules)
            self.assertEqual(
                self.tutti(scenario, "--dialect", f"maestro{version}"),
                text_of(rows, version))

    def check_variable(self, constraints, make, a=None, b=None, end=8.0):
        limits, init = (1e-4, 0.5), 0.03
        a, b = a or self.A, b or self.B
        scenario = self.ring(
            a, b, {"type": "var-step", "size": list(limits), "initsize": init,
                   "constraints": constraints}, endTime=end)
        counts = []
        for version in (1, 2):
            calculator = Calculator(make(limits), limits, init, end)
            rows, rejected = variable(Ring(Tally(**a), Tally(**b)),
                                      calculator, init, end)
            self.assertGreater(len(rows), 20)
            self.assertEqual(
                self.tutti(scenario, "--dialect", f"maestro{version}"),
                text_of(rows, version))
            counts.append(rejected)
        return counts[0]

    def test_zero_crossings(self):
        for order in (1, 2):
            self.check_variable(
                {"z": {"type": "zerocrossing", "ports": ["{k}.a.y"],
                       "order": order, "abstol": 1e-3, "safety": 0.25}},
                lambda limits, o=order: [Crossing(0, o, 1e-3, 0.25, limits)])

    def test_bounded_differences_take_steps_back(self):
        rejected = self.check_variable(
            {"d": {"type": "boundeddifference", "ports": ["{k}.b.y"],
                   "abstol": 0.08, "reltol": 0.6}},
            lambda limits: [Difference(1, 0.08, 0.6, limits)])
        self.assertGreater(rejected, 0)

    def test_sampling_beside_others(self):
        self.check_variable(
            {"s": {"type": "samplingrate", "base": -2, "rate": 25,
                   "startTime": 30},
             "d": {"type": "boundeddifference", "ports": ["{k}.a.y"],
                   "abstol": 0.2, "reltol": 5}},
            lambda limits: [Sampling(-2, 25, 30, limits),
                            Difference(0, 0.2, 5, limits)])

    def test_a_discard_in_a_variable_step(self):
        self.check_variable(
            {"d": {"type": "boundeddifference", "ports": ["{k}.a.y"],
                   "abstol": 0.2, "reltol": 5}},
            lambda limits: [Difference(0, 0.2, 5, limits)],
            a={**self.A, "every": 0.7})

    def test_an_unknown_parameter_is_a_warning(self):
        scenario = self.ring({**self.A, "yO": 3}, self.B,
                             {"type": "fixed-step", "size": 0.1}, endTime=1)
        self.tutti(scenario, code=2)
        expected = self.said.replace("tutti: ", "tutti: warning: ", 1)
        self.tutti(scenario, "--dialect", "maestro1")
        self.assertEqual(self.said.splitlines()[0], expected.splitlines()[0])
        self.assertIn("has no variable 'yO', did you mean 'y'?", self.said)
        self.tutti(scenario, "--dialect", "maestro2")
        self.assertEqual(self.said.splitlines()[0], expected.splitlines()[0])
        self.tutti(scenario, "--dialect", "maestro2", "--set", "a.yO=3",
                   code=2)  # the command line is ours

    def test_maestro_2_finds_parameters_by_instance(self):
        scenario = self.ring(self.A, self.B,
                             {"type": "fixed-step", "size": 0.1}, endTime=1)
        expected = self.tutti(scenario, "--dialect", "maestro2")
        scenario["parameters"] = {key.replace("{k}", "{other}"): value for
                                  key, value in scenario["parameters"].items()}
        self.assertEqual(self.tutti(scenario, "--dialect", "maestro2"),
                         expected)
        self.assertIn("parameter '{other}.a.k' is taken for '{k}.a', by the "
                      "name of the instance, as Maestro 2 does", self.said)
        self.assertNotEqual(self.tutti(scenario, "--dialect", "maestro1"),
                            self.tutti({**scenario, "parameters": {}},
                                       "--dialect", "maestro2"))

    def test_columns(self):
        scenario = {
            "fmus": {"{z}": TALLY, "{a}": TALLY},
            "connections": {"{z}.m.z": ["{a}.n.u"], "{z}.m.y": ["{a}.b.u"],
                            "{a}.n.y": ["{z}.m.u"]},
            "logVariables": {"{a}.b": ["z", "y"]},
            "algorithm": {"type": "fixed-step", "size": 0.5}, "endTime": 1}
        self.assertEqual(
            self.tutti(scenario, "--dialect", "maestro2").splitlines()[0],
            "time,{a}.b.y,{a}.b.z,{z}.m.y,{z}.m.z,{a}.n.y")
        self.assertEqual(
            self.tutti(scenario, "--dialect", "maestro1").splitlines()[0],
            "time,step-size,{a}.b.y,{a}.b.z,{a}.n.y,{z}.m.y,{z}.m.z")

    def test_a_wrong_word(self):
        scenario = self.ring(self.A, self.B,
                             {"type": "fixed-step", "size": 0.1}, endTime=1)
        self.tutti(scenario, "--dialect", "maestro3", code=2)
        self.assertEqual(self.said, "tutti: command line: --dialect must be "
                         "'maestro2', 'maestro1' or 'maestro', not 'maestro3'"
                         "; did you mean 'maestro2'?\n")


if __name__ == "__main__":
    unittest.main()
