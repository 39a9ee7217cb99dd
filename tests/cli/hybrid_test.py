#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hybrid systems whose results are derived by hand: constants, integrators,
samplers, loops without delay, events at one instant, at the start, at the end
and on the grid, two crossings in one step. One list of cases, each played in
several ways that must not make a difference.

The continuous unit is `affine`: x' = a x + b u + r, y = g u + s + x, with exact
steps for an input that is held. So an integrator of a constant (r = 1) is
x = x0 + t, and its crossing of c is at t = c - x0."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
AFFINE = os.path.join(BUILD, "tests", "units", "affine.fmu")
ROOM = os.path.join(BUILD, "examples", "thermostat", "room.fmu")
WAYS = [(), ("--threads", "2"), ("--isolate",), ("--no-child",)]
LATE = 1e-9  # a located crossing is behind its instant by no more


def scenario(end, step=1.0, **more):
    return {"algorithm": {"type": "fixed-step", "size": step}, "endTime": end,
            **more}


def unit(key, **values):
    return {f"{{{key}}}.{key}.{name}": v for name, v in values.items()}


def ticks(key, period):
    """A source of events at period, 2 period, ...; their values are these."""
    return unit(key, distribution="constant", mean=period)


def scope_of(*keys):
    return {f"{{{k}}}": "tutti:counter" for k in keys}


CASES = {}


def case(f):
    CASES[f.__name__] = f
    return f


# --- constants ---------------------------------------------------------------


@case
def a_constant_crosses_nothing():
    # y = s = 1 at all times: y - 2 has one sign.
    return {"scenario": scenario(
        3, fmus={"{c}": AFFINE, **scope_of("k")}, parameters=unit("c", s=1),
        events={"locate": [{"when": "{c}.c.y - 2",
                            "emit": {"{k}.k.in": "{c}.c.y"}}]}),
        "events": []}


@case
def a_constant_on_zero_has_not_crossed_it():
    # The step (t0, t1] is open on its left: what starts on zero is no crossing.
    return {"scenario": scenario(
        3, fmus={"{c}": AFFINE, **scope_of("k")},
        events={"locate": [{"when": "{c}.c.y",
                            "emit": {"{k}.k.in": "{c}.c.y"}}]}),
        "events": []}


# --- integrators -------------------------------------------------------------


@case
def an_integrator_crosses_where_the_line_does():
    # x = t crosses 2.3 at 2.3; the value put out is x there.
    return {"scenario": scenario(
        4, fmus={"{i}": AFFINE, **scope_of("k")}, parameters=unit("i", r=1),
        events={"locate": [{"name": "at", "when": "{i}.i.x - 2.3",
                            "emit": {"{k}.k.in": "10*{i}.i.x"}}]}),
        "events": [(2.3, 1, "{at}.locate", "y1", 23.0),
                   (2.3, 1, "{k}.k", "out", 1)]}


@case
def a_crossing_on_the_grid_is_one():
    # x = t crosses 2 at 2, the end of the second step and the begin of the
    # third: it is of the second, once.
    return {"scenario": scenario(
        4, fmus={"{i}": AFFINE, **scope_of("k")}, parameters=unit("i", r=1),
        events={"locate": [{"name": "at", "when": "{i}.i.x - 2",
                            "emit": {"{k}.k.in": "{i}.i.x"}}]}),
        "events": [(2, 1, "{at}.locate", "y1", 2.0),
                   (2, 1, "{k}.k", "out", 1)]}


@case
def a_crossing_at_the_end_is_played():
    # x = t crosses 3 at 3 = endTime.
    return {"scenario": scenario(
        3, fmus={"{i}": AFFINE, **scope_of("k")}, parameters=unit("i", r=1),
        events={"locate": [{"name": "at", "when": "{i}.i.x - 3",
                            "emit": {"{k}.k.in": "{i}.i.x"}}]}),
        "events": [(3, 1, "{at}.locate", "y1", 3.0),
                   (3, 1, "{k}.k", "out", 1)]}


@case
def two_crossings_in_one_step_come_in_their_order():
    # x = t crosses 0.75 and 0.25 in the first step of 1, listed the other way
    # round.
    return {"scenario": scenario(
        2, fmus={"{i}": AFFINE, **scope_of("k", "l")},
        parameters=unit("i", r=1),
        events={"locate": [
            {"name": "b", "when": "{i}.i.x - 0.75",
             "emit": {"{k}.k.in": "1"}},
            {"name": "a", "when": "{i}.i.x - 0.25",
             "emit": {"{l}.l.in": "2"}}]}),
        "events": [(0.25, 1, "{a}.locate", "y1", 2.0),
                   (0.25, 1, "{l}.l", "out", 1),
                   (0.75, 1, "{b}.locate", "y1", 1.0),
                   (0.75, 1, "{k}.k", "out", 1)]}


@case
def crossings_at_one_instant_are_one_microstep():
    # x = t and z = 3 t cross 0.5 and 1.5 at 0.5, both by exact steps.
    return {"scenario": scenario(
        2, fmus={"{i}": AFFINE, "{j}": AFFINE, **scope_of("k", "l")},
        parameters={**unit("i", r=1), **unit("j", r=3)},
        events={"locate": [
            {"name": "a", "when": "{i}.i.x - 0.5", "emit": {"{k}.k.in": "1"}},
            {"name": "b", "when": "{j}.j.x - 1.5",
             "emit": {"{l}.l.in": "2"}}]}),
        "events": {(0.5, 1, "{a}.locate", "y1", 1.0),
                   (0.5, 1, "{b}.locate", "y1", 2.0),
                   (0.5, 1, "{k}.k", "out", 1), (0.5, 1, "{l}.l", "out", 1)}}


@case
def there_and_back_in_one_step_is_not_seen():
    # u = 1 - |t - 1| in one step from 0 to 2: both its ends are below 0.5.
    return {"table": "time,u\n0,0\n1,1\n2,0\n4,0\n",
            "scenario": scenario(
                4, 2, fmus={"{s}": "table.csv", **scope_of("k")},
                events={"locate": [{"when": "{s}.s.u - 0.5",
                                    "emit": {"{k}.k.in": "1"}}]}),
            "events": []}


@case
def there_and_back_in_two_steps_is_two_crossings():
    # The same in steps of 1: up at 0.5, down at 1.5.
    return {"table": "time,u\n0,0\n1,1\n2,0\n4,0\n",
            "scenario": scenario(
                4, 1, fmus={"{s}": "table.csv", **scope_of("k")},
                events={"locate": [{"name": "at", "when": "{s}.s.u - 0.5",
                                    "emit": {"{k}.k.in": "{s}.s.u"}}]}),
            "events": [(0.5, 1, "{at}.locate", "y1", 0.5),
                       (0.5, 1, "{k}.k", "out", 1),
                       (1.5, 1, "{at}.locate", "y1", 0.5),
                       (1.5, 1, "{k}.k", "out", 2)]}


@case
def a_rate_crosses_where_it_does():
    # T' = -0.001 (T - 30), T(0) = 15: T' = 0.015 exp(-0.001 t) is 0.01 at
    # 1000 ln 1.5, where T = 30 - 10.
    return {"scenario": scenario(
        500, 50, fmus={"{room}": ROOM, **scope_of("k")},
        parameters=unit("room", on=True),
        events={"locate": [{"name": "slow", "direction": "down",
                            "when": "der({room}.room.T) - 0.01[K/s]",
                            "emit": {"{k}.k.in": "{room}.room.T"}}]}),
        "only": ("{slow}.locate",),
        "events": [(1000 * math.log(1.5), 1, "{slow}.locate", "y1", 20.0)]}


# --- samplers ----------------------------------------------------------------


@case
def a_sampler_publishes_what_was_when_it_sampled():
    # x = t, sampled at 0, 2, 4, published half a second later.
    return {"scenario": scenario(
        5, 3, fmus={"{i}": AFFINE, **scope_of("k")}, parameters=unit("i", r=1),
        events={"sample": {"{i}.i.x": {"period": 2, "delay": 0.5,
                                       "to": "{k}.k.in"}}}),
        "events": [e for n, t in enumerate((0.5, 2.5, 4.5)) for e in (
            (t, 1, "{sample 1}.sample", "event", t - 0.5),
            (t, 1, "{k}.k", "out", n + 1))]}


@case
def a_sampler_without_delay_has_events_at_the_start_and_at_the_end():
    # At 0, 1, 2 = endTime. The first microstep at the start is that of
    # initialisation.
    return {"scenario": scenario(
        2, fmus={"{i}": AFFINE, **scope_of("k")},
        parameters=unit("i", r=1, x=5),
        events={"sample": {"{i}.i.x": {"period": 1, "to": "{k}.k.in"}}}),
        "events": [e for t in (0, 1, 2) for e in (
            (t, 1, "{sample 1}.sample", "event", t + 5.0),
            (t, 1, "{k}.k", "out", t + 1))]}


@case
def a_sampled_loop_is_a_recurrence():
    # x' = -x_k / 2 from k to k + 1: x_(k+1) = x_k / 2, so x(3) = 8 / 8.
    return {"scenario": scenario(
        3, 0.25, fmus={"{i}": AFFINE}, parameters=unit("i", x=8, b=-0.5),
        events={"sample": {"{i}.i.x": {"period": 1, "to": "{i}.i.u"}}},
        logVariables={"{i}.i": ["x"]}),
        "last": {"{i}.i.x": 1.0}}


@case
def a_late_controller_is_a_recurrence_of_second_order():
    # The sample of k counts from k + 1/2 on: x' = -x_(k-1)/2, then -x_k/2, half
    # a second each: x_(k+1) = x_k - x_(k-1)/4 - x_k/4. Before 1/2 it is x_0.
    x = [8.0, 8 - 8 / 4 - 8 / 4]
    for _ in range(2):
        x.append(x[-1] - x[-2] / 4 - x[-1] / 4)
    return {"scenario": scenario(
        3, 0.25, fmus={"{i}": AFFINE}, parameters=unit("i", x=8, b=-0.5),
        events={"sample": {"{i}.i.x": {"period": 1, "delay": 0.5,
                                       "to": "{i}.i.u"}}},
        logVariables={"{i}.i": ["x"]}),
        "last": {"{i}.i.x": x[3]}}


# --- from events to values ---------------------------------------------------


@case
def what_is_held_is_integrated():
    # Events 1, 2, 3 at these times; before the first -1 is held:
    # x(4) = -1 + 1 + 2 + 3.
    return {"scenario": scenario(
        4, 3, fmus={"{g}": "tutti:generator", "{i}": AFFINE},
        parameters={**ticks("g", 1), **unit("i", b=1)},
        events={"hold": {"{g}.g.out": {"start": -1, "to": "{i}.i.u"}}},
        logVariables={"{i}.i": ["x"]}),
        "last": {"{i}.i.x": 5.0}}


@case
def events_are_delayed():
    # Events at 1, 2, 3 with these values, a quarter later; that of 4 is not
    # before the end.
    return {"scenario": scenario(
        4, 3, fmus={"{g}": "tutti:generator", **scope_of("k")},
        parameters=ticks("g", 1),
        events={"delay": {"{g}.g.out": {"time": 0.25, "to": "{k}.k.in"}}}),
        "only": ("{delay 1}.delay",),
        "events": [(t + 0.25, 1, "{delay 1}.delay", "out", float(t))
                   for t in (1, 2, 3)]}


@case
def a_value_is_delayed():
    # x = t, a second later: t - 1, and before that x(0) = 0.
    return {"scenario": scenario(
        4, 0.5, fmus={"{i}": AFFINE, "{j}": AFFINE},
        parameters={**unit("i", r=1), **unit("j", g=1)},
        events={"dead-time": {"{i}.i.x": {"time": 1, "to": "{j}.j.u"}}},
        logVariables={"{j}.j": ["y"]}),
        "last": {"{j}.j.y": 3.0}}


# --- quantizers --------------------------------------------------------------


@case
def levels_are_left_beyond_half_a_step_and_the_hysteresis():
    # x = t, levels 0, 1, 2, ...: from k to k + 1 at k + 1/2 + 1/10.
    return {"scenario": scenario(
        3, fmus={"{i}": AFFINE, **scope_of("k")}, parameters=unit("i", r=1),
        events={"quantize": {"{i}.i.x": {"step": 1, "hysteresis": 0.1,
                                         "to": "{k}.k.in"}}}),
        "events": [e for k in range(3) for e in (
            (k + 0.6, 1, "{quantize 1}.quantize", "y1", k + 1.0),
            (k + 0.6, 1, "{k}.k", "out", k + 1))]}


@case
def a_quantized_loop_runs_along_lines():
    # x' = -q(x), x(0) = 2: with slope -2 to 1.5 at 0.25, with slope -1 to 0.5
    # at 1.25, and there it stays.
    return {"scenario": scenario(
        3, fmus={"{i}": AFFINE}, parameters=unit("i", x=2, b=-1),
        events={"quantize": {"{i}.i.x": {"step": 1, "to": "{i}.i.u"}}},
        logVariables={"{i}.i": ["x"]}),
        "events": [(0.25, 1, "{quantize 1}.quantize", "y1", 1.0),
                   (1.25, 1, "{quantize 1}.quantize", "y1", 0.0)],
        "last": {"{i}.i.x": 0.5}}


@case
def a_leap_over_levels_is_one_event():
    # 0 is held until an event at 2 with the value 2: from level 0 to level 4
    # of a half, in the microstep after it.
    return {"scenario": scenario(
        3, 1.5, fmus={"{g}": "tutti:generator", "{j}": AFFINE,
                      **scope_of("k")},
        parameters={**ticks("g", 2), **unit("j", g=1)},
        events={"hold": {"{g}.g.out": "{j}.j.u"},
                "quantize": {"{j}.j.y": {"step": 0.5, "to": "{k}.k.in"}}}),
        "only": ("{quantize 1}.quantize",),
        "events": [(2, None, "{quantize 1}.quantize", "y1", 2.0)]}


# --- events at one instant ---------------------------------------------------


@case
def a_crossing_comes_before_a_planned_event_of_its_instant():
    # x = t crosses 2 at 2, where the generator is due: first what is no
    # discrete-event instance, then these in the order of Select.
    return {"scenario": scenario(
        2.5, 0.8, fmus={"{i}": AFFINE, "{g}": "tutti:generator",
                        **scope_of("k", "l")},
        parameters={**unit("i", r=1), **ticks("g", 2)},
        connections={"{g}.g.out": ["{l}.l.in"]},
        events={"locate": [{"name": "at", "when": "{i}.i.x - 2",
                            "emit": {"{k}.k.in": "{i}.i.x"}}]}),
        "events": [(2, 1, "{at}.locate", "y1", 2.0),
                   (2, 1, "{k}.k", "out", 1),
                   (2, 2, "{g}.g", "out", 2.0), (2, 2, "{l}.l", "out", 1)]}


@case
def a_condition_over_events_fires_in_the_microstep_after_them():
    # Events 1, 2, 3, 4 at these times are counted: the count is above 2 from 3
    # on; it is even, and there, at 2 and 4; it is another one each time.
    return {"scenario": scenario(
        4, 3, fmus={"{g}": "tutti:generator", "{c}": "tutti:counter",
                    **scope_of("k", "l", "m")},
        parameters=ticks("g", 1),
        connections={"{g}.g.out": ["{c}.c.in"]},
        events={"locate": [
            {"name": "many", "when": "{c}.c.out > 2", "direction": "up",
             "emit": {"{k}.k.in": "{c}.c.out"}},
            {"name": "even", "direction": "up",
             "when": "present({c}.c.out) and mod({c}.c.out, 2) == 0",
             "emit": {"{l}.l.in": "{c}.c.out"}},
            {"name": "other", "direction": "up",
             "when": "{c}.c.out != pre({c}.c.out)",
             "emit": {"{m}.m.in": "{c}.c.out"}}]}),
        "only": ("{many}.locate", "{even}.locate", "{other}.locate"),
        "events": {(3, 2, "{many}.locate", "y1", 3.0),
                   (2, 2, "{even}.locate", "y1", 2.0),
                   (4, 2, "{even}.locate", "y1", 4.0),
                   *((t, 2, "{other}.locate", "y1", float(t))
                     for t in (1, 2, 3, 4))}}


@case
def an_event_at_the_start_is_behind_initialisation():
    # The first state lasts 0 s. Microstep 1 is that of initialisation.
    return {"devs": {"outputs": {"out": "number"}, "states": {
        "a": {"after": 0, "output": {"out": 7}, "then": "b"}, "b": {}}},
        "scenario": scenario(
            2, fmus={"{d}": "table.devs.json", "{i}": AFFINE},
            parameters=unit("i", b=1), connections={"{d}.d.out": ["{i}.i.u"]},
            logVariables={"{i}.i": ["x"]}),
        "events": [(0, 2, "{d}.d", "out", 7.0)], "last": {"{i}.i.x": 14.0}}


# --- both directions ---------------------------------------------------------


@case
def a_thermostat_of_events():
    # T' = -0.001 (T - 30 q), T(0) = 15: to 21 in 1000 ln(15/9), then down to 19
    # in 1000 ln(21/19) and up to 21 in 1000 ln(11/9).
    down, up = 1000 * math.log(21 / 19), 1000 * math.log(11 / 9)
    off = [1000 * math.log(15 / 9) + k * (down + up) for k in range(5)]
    on = [t + down for t in off]
    times = sorted([(t, "false") for t in off] + [(t, "true") for t in on])
    return {"devs": {
        "inputs": {"hot": "number", "cold": "number"},
        "outputs": {"heat": "boolean"},
        "states": {
            "on": {"on": {"hot": "turns off"}},
            "turns off": {"after": 0, "output": {"heat": False},
                          "then": "off"},
            "off": {"on": {"cold": "turns on"}},
            "turns on": {"after": 0, "output": {"heat": True},
                         "then": "on"}}},
        "scenario": scenario(
            1750, 50, fmus={"{d}": "table.devs.json", "{room}": ROOM},
            events={
                "hold": {"{d}.d.heat": {"start": True,
                                        "to": "{room}.room.on"}},
                "locate": [{
                    "when": "{room}.room.T - 294.15[K]", "direction": "up",
                    "emit": {"{d}.d.hot": "{room}.room.T"}}, {
                    "when": "{room}.room.T < 19[degC]", "direction": "up",
                    "emit": {"{d}.d.cold": "{room}.room.T"}}]}),
        "only": ("{d}.d",), "late": 1e-8,
        "events": [(t, 2, "{d}.d", "heat", v) for t, v in times
                   if t <= 1750]}


# -----------------------------------------------------------------------------


class Case(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, text):
        with open(self.path(name), "w") as f:
            f.write(text)
        return self.path(name)

    def tutti(self, *args):
        return subprocess.run([TUTTI, *args], capture_output=True, text=True)

    def prepare(self, c):
        if "table" in c:
            self.write("table.csv", c["table"])
        if "devs" in c:
            self.write("table.devs.json", json.dumps(c["devs"]))
        return self.write("s.json", json.dumps(c["scenario"], indent=1))

    def play(self, c, *options):
        r = self.tutti("run", self.prepare(c), "--events",
                       self.path("events.csv"), "-o", self.path("out.csv"),
                       *options)
        self.assertEqual((r.returncode, r.stderr), (0, ""))

    def rows(self, name):
        with open(self.path(name)) as f:
            return list(csv.DictReader(f))


class Conformance(Case):
    def matches(self, got, want, late):
        t, n, instance, port, value = want
        same = got["value"] == value if isinstance(value, str) else \
            abs(float(got["value"]) - value) <= 100 * late
        return (0 <= float(got["time"]) - t + 1e-12 * max(1, t) <= 2 * late
                and (n is None or int(got["microstep"]) == n)
                and (got["instance"], got["port"]) == (instance, port)
                and same)

    def check_events(self, c):
        want, late = c["events"], c.get("late", LATE)
        got = [e for e in self.rows("events.csv")
               if "only" not in c or e["instance"] in c["only"]]
        self.assertEqual(len(got), len(want), got)
        rest = list(want)
        for e in got:
            # in the order given; of a set in any
            n = next((i for i, w in enumerate(rest)
                      if self.matches(e, w, late)), None)
            self.assertIsNotNone(n, (e, rest))
            self.assertTrue(isinstance(want, set) or n == 0, (e, rest))
            rest.pop(n)

    def check_last(self, c):
        last = self.rows("out.csv")[-1]
        self.assertEqual(float(last["time"]), c["scenario"]["endTime"])
        for name, value in c["last"].items():
            self.assertAlmostEqual(float(last[name]), value,
                                   delta=1e-8 * max(1, abs(value)))

    def test_all(self):
        for name, make in CASES.items():
            for way in WAYS:
                with self.subTest(case=name, way=way):
                    c = make()
                    self.play(c, *way)
                    if "events" in c:
                        self.check_events(c)
                    if "last" in c:
                        self.check_last(c)


class Refused(Case):
    """Whole messages, as `tutti check` has them."""

    def check(self, s, *lines, code=2):
        r = self.tutti("check", self.prepare({"scenario": s}))
        self.assertEqual((r.returncode, r.stderr.replace(
            self.folder.name + "/", "").splitlines()), (code, list(lines)))
        return r.stdout

    def refused(self, when, message):
        s = {"events": {"locate": [{"when": when}]}, **scenario(
            1, fmus={"{i}": AFFINE, "{room}": ROOM},
            instances={"{i}": ["i"], "{room}": ["room"]})}
        self.check(s, f"tutti: s.json:5:{message}")

    def test_units_that_do_not_fit(self):
        self.refused("{room}.room.T + t", "28: 'when': '+' takes values of "
                     "one unit, not 'degC' and 's'")
        self.refused("{room}.room.T < 2[m]", "28: 'when': '<' takes values of "
                     "one unit, not 'degC' and 'm'")

    def test_units_of_a_coupling(self):
        self.check(
            {"fmus": {"{c}": "tutti:coupling: T + t = 3", "{room}": ROOM},
             "connections": {"{room}.room.T": ["{c}.c.T"]}, **scenario(1)},
            "tutti: s.json:3:29: instance '{c}.c': '+' takes values of one "
            "unit, not 'degC' and 's'")

    def test_types_that_do_not_fit(self):
        self.refused("not {room}.room.T", "18: 'when': 'not' takes Booleans, "
                     "and this is a number")
        self.refused("{i}.i.y > 1 and {i}.i.y == \"on\"",
                     "38: 'when': '==' compares a number with a String")

    def test_forms_that_are_not_there(self):
        self.refused("1 - der({i}.i.y)", "22: '{i}.i.y' has no variable that "
                     "is declared to be its derivative")
        self.refused("present({i}.i.y)", "22: '{i}.i.y' is no event: it is "
                     "there all the time")
        self.refused("1 - {i}.i.Y", "18: instance '{i}.i' has no variable "
                     "'Y', did you mean 'y'?")

    def test_a_value_where_events_are_taken(self):
        self.check(
            {"connections": {"{i}.i.x": ["{k}.k.in"]},
             **scenario(1, fmus={"{i}": AFFINE, **scope_of("k")})},
            "tutti: s.json:4:4: '{k}.k.in' takes events, and '{i}.i.x' has a "
            "value all the time: instead of the connection write in 'events' "
            "\"quantize\": {\"{i}.i.x\": {\"step\": 0.1, \"to\": "
            "\"{k}.k.in\"}}, or 'sample' or 'locate'")

    def test_a_tick_where_values_are_taken(self):
        self.check(
            {"events": {"locate": [{"name": "a", "emit": "{k}.k.in",
                                    "when": "{i}.i.x - 1"}]},
             **scenario(1, fmus={"{i}": AFFINE, **scope_of("k")})},
            "tutti: s.json:6:13: '{k}.k.in' takes events with a value, and "
            "'{a}.locate.crossed' only ticks: state the value, as in "
            "\"emit\": {\"{k}.k.in\": \"1\"} of a crossing")

    def test_an_event_where_a_value_is_taken(self):
        out = self.check(scenario(
            1, fmus={"{g}": "tutti:generator", "{i}": AFFINE},
            connections={"{g}.g.out": ["{i}.i.u"]}), code=0)
        self.assertIn(
            "events         g.out is an event, and i.u holds the last "
            "one; what it holds before the first is 'start' in \"hold\": "
            "{\"{g}.g.out\": {\"start\": 0, \"to\": \"{i}.i.u\"}}\n", out)

    def test_a_loop_without_delay(self):
        self.check(
            scenario(1, fmus=scope_of("k", "l"), connections={
                "{k}.k.out": ["{l}.l.in"], "{l}.l.out": ["{k}.k.in"]}),
            "tutti: clocks tick each other in a circle: '{l}.l.in (clock)' -> "
            "'{l}.l.out (clock)' -> '{k}.k.in (clock)' -> '{k}.k.out (clock)' "
            "-> '{l}.l.in (clock)'")

    def test_a_loop_of_states_that_last_no_time(self):
        # Each answers the other at once, from the first event at 1 on.
        answer = {"inputs": {"in": "number"}, "outputs": {"out": "number"},
                  "states": {"waits": {"on": {"in": "answers"}},
                             "answers": {"after": 0, "output": {"out": 1},
                                         "then": "waits"}}}
        begin = {**answer, "start": "begins", "states": {
            "begins": {"after": 1, "output": {"out": 1}, "then": "waits"},
            **answer["states"]}}
        self.write("a.devs.json", json.dumps(begin))
        self.write("b.devs.json", json.dumps(answer))
        r = self.tutti("run", self.prepare({"scenario": {
            "fmus": {"{a}": "a.devs.json", "{b}": "b.devs.json"},
            "connections": {"{a}.a.out": ["{b}.b.in"],
                            "{b}.b.out": ["{a}.a.in"]},
            "endTime": 2, "events": {"limit": 50}}}),
            "-o", self.path("out.csv"))
        # the limit and one for each; a's are the odd ones
        self.assertEqual((r.returncode, r.stderr.partition(";")[0]), (
            1, "tutti: events at t=1 do not come to an end: after 52 "
            "microsteps instance '{a}.a' has another event"))


if __name__ == "__main__":
    unittest.main()
