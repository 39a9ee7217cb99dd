#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Discrete events: traces worked out by hand, flat and nested, in every way to
play them. The light is red 60 s, green 50 s, yellow 10 s, and off between
toWork and toIdle of the police officer, who is idle I and works W seconds."""
import csv
import itertools
import json
import math
import os
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                "..", "..", "bench"))
import devstone

BUILD = os.path.abspath(sys.argv.pop(1))
TUTTI = os.path.join(BUILD, "tutti")
EXAMPLE = os.path.join(BUILD, "examples", "traffic-light")
HEADER = "time,microstep,instance,port,value"

# (I, W): time, microstep, event. By the corrected Algorithm 2 of classic DEVS,
# the light first.
TRACES = {
    (100, 200): [(60, 1, "green"), (100, 1, "toWork"), (300, 1, "toIdle"),
                 (360, 1, "green"), (400, 1, "toWork"), (600, 1, "toIdle")],
    (60, 200): [(60, 1, "green"), (60, 2, "toWork"), (260, 1, "toIdle"),
                (320, 1, "green"), (320, 2, "toWork"), (520, 1, "toIdle"),
                (580, 1, "green"), (580, 2, "toWork")],
    (100, 0): [(t + s, n, e) for t in range(0, 600, 100)
               for s, n, e in ((60, 1, "green"), (100, 1, "toWork"),
                               (100, 2, "toIdle"))],
    (130, 200): [(60, 1, "green"), (110, 1, "yellow"), (120, 1, "red"),
                 (130, 1, "toWork"), (330, 1, "toIdle"), (390, 1, "green"),
                 (440, 1, "yellow"), (450, 1, "red"), (460, 1, "toWork")],
}
# The officer first: the light's own event at 60 is lost.
OFFICER_FIRST = [(60, 1, "toWork"), (260, 1, "toIdle"), (320, 1, "toWork"),
                 (520, 1, "toIdle"), (580, 1, "toWork")]
# Both at once: it turns green and is switched off in one microstep.
AT_ONCE = [(60, 1, "green"), (60, 1, "toWork"), (260, 1, "toIdle"),
           (320, 1, "green"), (320, 1, "toWork"), (520, 1, "toIdle"),
           (580, 1, "green"), (580, 1, "toWork")]
ORDERS = ("toWork", "toIdle")


# The same units in other forms, in place of the files.
FILES = {}
FMI2 = {"light.devs.json": "signal.fmu", "police.devs.json": "police.fmu"}
FMI3 = {"light.devs.json": "signal-fmi3.fmu",
        "police.devs.json": "police-fmi3.fmu"}
MIXED = {"light.devs.json": "signal.fmu", "police.devs.json": "police-fmi3.fmu"}
ONE = {"light.devs.json": "signal-fmi3.fmu"}


def example(name, form):
    with open(os.path.join(EXAMPLE, name)) as f:
        scenario = json.load(f)

    def find(fmus):
        for key, v in fmus.items():
            if isinstance(v, dict):
                find(v["fmus"])
            else:
                fmus[key] = os.path.join(EXAMPLE, form.get(v, v))

    find(scenario["fmus"])
    return scenario


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.n = 0

    def tearDown(self):
        self.folder.cleanup()

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        with open(self.path(name), "w") as f:
            json.dump(content, f)
        return self.path(name)

    def tutti(self, *args):
        return subprocess.run([TUTTI, *args], capture_output=True, text=True)

    def run_it(self, scenario, *options):
        self.n += 1
        file = self.write(f"s{self.n}.json", scenario)
        return self.tutti("run", file, "--events", self.path("events.csv"),
                          "-o", self.path("out.csv"), *options)

    def events(self):
        with open(self.path("events.csv")) as f:
            lines = f.read().splitlines()
        self.assertEqual(lines[0], HEADER)
        return [tuple(line.split(",")) for line in lines[1:]]

    def trace(self, scenario, *options):
        r = self.run_it(scenario, *options)
        self.assertEqual(r.returncode, 0, r.stderr)
        return [(float(t), int(n), v) for t, n, _, _, v in self.events()]


class Traces(Case):
    FORM = FILES
    WAYS = [(), ("--threads", "2"), ("--rollback",), ("--no-child",),
            ("--isolate",)]

    def example(self, name):
        return example(name, self.FORM)

    def test_flat(self):
        for (idle, working), expected in TRACES.items():
            for way in self.WAYS:
                with self.subTest(idle=idle, working=working, way=way):
                    got = self.trace(
                        self.example("scenario.json"), *way,
                        "--set", f"{{police}}.police.idle={idle}",
                        "--set", f"{{police}}.police.working={working}")
                    self.assertEqual(got, expected)

    def test_names_of_instances_and_ports(self):
        self.trace(self.example("scenario.json"))
        self.assertEqual({(i, p) for _, _, i, p, _ in self.events()},
                         {("{light}.light", "colour"),
                          ("{police}.police", "order")})

    def test_nested(self):
        for (idle, working), expected in TRACES.items():
            for way in self.WAYS:
                with self.subTest(idle=idle, working=working, way=way):
                    got = self.trace(
                        self.example("scenario-nested.json"), *way,
                        "--set", f"{{town}}.town.idle={idle}",
                        "--set", f"{{town}}.town.working={working}")
                    self.assertEqual(got, expected)

    def exported(self, fmi, *path):
        """The nested scenario with what is inside at this path as an FMU."""
        s = self.example("scenario-nested.json")
        fmus = s["fmus"]
        for key in path[:-1]:
            fmus = fmus[key]["fmus"]
        fmu = self.path("inside.fmu")
        r = self.tutti("export", self.write("inside.json", fmus[path[-1]]),
                       "-o", fmu, "--fmi", str(fmi), "--force")
        self.assertEqual(r.returncode, 0, r.stderr)
        fmus[path[-1]] = fmu
        return s

    def test_exported(self):
        """All of it, then the light alone, which then is given commands."""
        paths = (("{town}",), ("{town}", "{crossing}"))
        for fmi, path in ((f, p) for f in (2, 3) for p in paths):
            s = self.exported(fmi, *path)
            for (idle, working), expected in TRACES.items():
                with self.subTest(fmi=fmi, path=path, idle=idle,
                                  working=working):
                    got = self.trace(
                        s, "--set", f"{{town}}.town.idle={idle}",
                        "--set", f"{{town}}.town.working={working}")
                    self.assertEqual(got, expected)

    def test_exported_and_not_driven(self):
        """Where events stay inside its steps an FMU of FMI 2 counts them and
        keeps their last values."""
        s = self.example("scenario-nested.json")
        fmu = self.path("town.fmu")
        r = self.tutti("export", self.write("inside.json",
                                            s["fmus"]["{town}"]),
                       "-o", fmu, "--fmi", "2", "--force")
        self.assertEqual(r.returncode, 0, r.stderr)
        r = self.tutti("run", fmu, "--no-event-mode", "--step", "110",
                       "--until", "440", "-o", self.path("kept.csv"))
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.path("kept.csv"), encoding="utf-8") as f:
            head, *rows = [line.rstrip("\n").split(",") for line in f]
        at = {h.rsplit(".", 1)[-1]: i for i, h in enumerate(head)}
        got = [tuple(r[at[k]] for k in ("time", "colour", "colour_clock",
                                        "order", "order_clock"))
               for r in rows]
        self.assertEqual(got, [("0.0", "", "0", "", "0"),
                               ("110.0", "green", "1", "toWork", "1"),
                               ("220.0", "green", "1", "toWork", "1"),
                               ("330.0", "green", "1", "toIdle", "2"),
                               ("440.0", "green", "2", "toWork", "3")])

    def test_fmus_pass_a_walk(self):
        for fmu in self.FORM.values():
            r = self.tutti("check", "--walk", os.path.join(EXAMPLE, fmu))
            self.assertEqual(r.returncode, 0, r.stdout + r.stderr)
            self.assertIn(", 0 problems)", r.stdout)

    def test_the_officer_first(self):
        s = self.example("scenario.json")
        s["events"]["select"].reverse()
        s["parameters"] = {"{police}.police.idle": 60}
        self.assertEqual(self.trace(s), OFFICER_FIRST)
        s = self.example("scenario-nested.json")
        s["fmus"]["{town}"]["events"]["select"].reverse()
        s["parameters"] = {"{town}.town.idle": 60}
        self.assertEqual(self.trace(s), OFFICER_FIRST)

    def test_at_once(self):
        s = self.example("scenario.json")
        s["events"]["ties"] = "parallel"
        s["parameters"] = {"{police}.police.idle": 60}
        # in one microstep they are listed instance by instance
        self.assertEqual(sorted(self.trace(s)), sorted(AT_ONCE))

    def test_every_format_has_the_same_list(self):
        self.trace(self.example("scenario.json"))
        for ending in ("h5", "mat"):
            other = self.path(f"other.{ending}")
            r = self.tutti("run", self.path("s1.json"), "--events", other,
                           "-o", self.path(f"out.{ending}"))
            if "built without HDF5" in r.stderr:
                continue
            self.assertEqual(r.returncode, 0, r.stderr)
            r = self.tutti("compare", other, self.path("events.csv"))
            self.assertEqual((r.returncode, r.stdout), (
                0, "same: 6 of 6 events agree to the last bit, their times "
                "to 0 s\n"), r.stderr)
            # each event is a value of its own column, too
            r = self.tutti("results", self.path(f"out.{ending}"), "--csv",
                           "--variables", "{light}.light.colour")
            self.assertIn("\n60.0,green\n100.0,\n", r.stdout)

    def test_lists_are_compared(self):
        self.trace(self.example("scenario.json"))
        os.rename(self.path("events.csv"), self.path("first.csv"))
        self.trace(self.example("scenario.json"), "--set",
                   "{police}.police.idle=130")
        r = self.tutti("compare", self.path("events.csv"),
                       self.path("first.csv"))
        self.assertEqual((r.returncode, r.stdout), (
            1, "the first 1 events agree, then\n"
            f"  {self.path('events.csv')}  event 2: t=110 s, microstep 1, "
            "light.colour = yellow\n"
            f"  {self.path('first.csv')}  event 2: t=100 s, microstep 1, "
            "police.order = toWork\n"
            "different: 9 and 6 events, not the same to the last bit\n"))
        r = self.tutti("compare", self.path("events.csv"),
                       self.path("out.csv"))
        self.assertEqual((r.returncode, r.stderr), (
            2, f"tutti: {self.path('events.csv')} is a list of events, and "
            f"{self.path('out.csv')} is none: they cannot be compared\n"))

    def test_checkpoint(self):
        s = self.write("s.json", self.example("scenario.json"))
        whole = ("run", s, "--events", self.path("whole.csv"), "-o",
                 self.path("o.csv"))
        part = ("run", s, "--events", self.path("part.csv"), "-o",
                self.path("p.csv"), "--checkpoint", self.path("c"), "--every",
                "sim:250")
        self.assertEqual(self.tutti(*whole).returncode, 0)
        self.assertEqual(self.tutti(*part).returncode, 0)
        r = self.tutti("run", "--resume", self.path("c"))
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.path("whole.csv")) as a, open(self.path("part.csv")) as b:
            self.assertEqual(a.read(), b.read())

    def test_events_that_do_not_end(self):
        s = self.example("scenario.json")
        s["parameters"] = {"{police}.police.idle": 0,
                           "{police}.police.working": 0}
        s["events"]["limit"] = 7
        r = self.run_it(s)
        self.assertEqual(r.returncode, 1)
        self.assertIn("events at t=0 do not come to an end: after 9 microsteps "
                      "instance '{police}.police' has another event", r.stderr)
        s = self.example("scenario-nested.json")
        s["parameters"] = {"{town}.town.idle": 0, "{town}.town.working": 0}
        s["events"] = {"limit": 7}
        r = self.run_it(s)
        self.assertEqual(r.returncode, 1)
        self.assertIn("events at t=0 do not come to an end: after 8 microsteps "
                      "instance '{town}.town' has another event", r.stderr)


class TracesFmi2(Traces):
    FORM = FMI2


class TracesFmi3(Traces):
    FORM = FMI3


class TracesMixed(Traces):
    FORM = MIXED


class TracesOne(Traces):
    FORM = ONE


class Confluence(Case):
    FORM = FILES
    example = Traces.example
    BOTH = ("at t=60 it makes a difference which goes first; {light}.light, "
            "{police}.police: {light}.light.colour = green, "
            "{police}.police.order = toWork; {police}.police, {light}.light: "
            "{police}.police.order = toWork")

    def tie(self, how):
        s = self.example("scenario.json")
        s["parameters"] = {"{police}.police.idle": 60}
        s["events"]["confluence"] = how
        return s

    def test_both_traces_are_reported(self):
        r = self.run_it(self.tie("warn"))
        self.assertEqual(r.returncode, 0)
        self.assertEqual(r.stderr,
                         f"tutti: warning: {self.BOTH} (reported once)\n")
        self.assertEqual([(float(e[0]), int(e[1]), e[4])
                          for e in self.events()], TRACES[60, 200])

    def test_it_may_be_an_error(self):
        r = self.run_it(self.tie("error"))
        self.assertEqual(r.returncode, 1)
        self.assertIn(self.BOTH, r.stderr)
        self.assertEqual(self.events(), [])

    def test_off_is_the_default(self):
        s = self.tie("off")
        self.assertEqual(self.run_it(s).stderr, "")
        del s["events"]["confluence"]
        self.assertEqual(self.run_it(s).stderr, "")

    def test_there_may_be_no_tie(self):
        s = self.example("scenario.json")
        s["events"]["confluence"] = "error"
        self.assertEqual(self.trace(s), TRACES[100, 200])


class ConfluenceFmi2(Confluence):
    FORM = FMI2


class ConfluenceFmi3(Confluence):
    FORM = FMI3


class Units(Case):
    def devs(self, name, **content):
        return self.write(name + ".devs.json", content)

    def clock(self, name, *after):
        """States that last so long, one after the other, then for ever."""
        states = {f"s{i}": {"after": a, "output": {"y": str(i)},
                            "then": f"s{i + 1}"} for i, a in enumerate(after)}
        states[f"s{len(after)}"] = {}
        return self.devs(name, outputs={"y": "text"}, states=states)

    def scenario(self, units, **more):
        return {"fmus": {f"{{{u}}}": p for u, p in units.items()},
                "instances": {f"{{{u}}}": [u] for u in units}, **more}

    def test_passive_networks_end(self):
        s = self.scenario({"a": self.clock("a", 1, 2)}, endTime=None)
        r = self.run_it(s)
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertIn("no further events: 2 steps to t=3 s", r.stdout)
        self.assertEqual([e[0] for e in self.events()], ["1.0", "3.0"])

    def test_planned_times_that_are_equal_are_one(self):
        for sums, whole in (((60, 40), 100), ((0.1, 0.2), 0.3)):
            s = self.scenario({"a": self.clock("a", *sums),
                               "b": self.clock("b", whole)}, endTime=None)
            got = self.trace(s)
            self.assertEqual(got[1:], [(whole, 1, "1"), (whole, 2, "0")])

    def test_events_at_the_end_are_played_and_later_ones_not(self):
        s = self.scenario({"a": self.clock("a", 1, 0, 1e-9)}, endTime=1)
        self.assertEqual(self.trace(s), [(1, 1, "0"), (1, 2, "1")])

    def test_the_order_of_select(self):
        """All three are due at once, and the first silences the others."""
        names = ("a", "b", "c")
        units = {}
        for n in names:
            others = [m for m in names if m != n]
            units[n] = self.devs(
                n, inputs={m: "number" for m in others},
                outputs={"y": "number"},
                states={"waits": {"after": 1, "output": {"y": 1},
                                  "then": "done",
                                  "on": {m: "done" for m in others}},
                        "done": {}})
        connections = {f"{{{n}}}.{n}.y": [f"{{{m}}}.{m}.{n}" for m in names
                                          if m != n] for n in names}
        for order in itertools.permutations(names):
            with self.subTest(order=order):
                s = self.scenario(units, connections=connections, endTime=5,
                                  events={"select": list(order)})
                self.assertEqual(self.run_it(s).returncode, 0)
                self.assertEqual([e[2] for e in self.events()],
                                 [f"{{{order[0]}}}.{order[0]}"])

    def test_default_select_is_the_order_of_appearance(self):
        s = self.scenario({"b": self.clock("b", 1), "a": self.clock("a", 1)},
                          endTime=5)
        self.trace(s)
        self.assertEqual([e[2] for e in self.events()], ["{b}.b", "{a}.a"])
        r = self.tutti("score", self.path(f"s{self.n}.json"))
        self.assertIn("of events due together the first of: b, a (the "
                      "order of appearance)", r.stdout)

    def sum_of(self, n, operation):
        """n units that are due at once, and one that takes all of them."""
        units = {f"u{i}": self.devs(
            f"u{i}", outputs={"y": "number"},
            states={"a": {"after": 1, "output": {"y": i + 1}, "then": "b"},
                    "b": {}}) for i in range(n)}
        units["sum"] = self.devs(
            "sum", inputs={f"u{i}": "number" for i in range(n)},
            variables={"x": 0}, states={"a": {"on": {
                f"u{i}": {"set": {"x": operation.format(u=f"u{i}")},
                          "next": "a"} for i in range(n)}}})
        return self.scenario(
            units, endTime=2, events={"confluence": "error"},
            connections={f"{{u{i}}}.u{i}.y": [f"{{sum}}.sum.u{i}"]
                         for i in range(n)})

    def test_an_event_arrives_once(self):
        """... also at an instance that takes others in later microsteps."""
        s = self.sum_of(3, "x + {u}")
        s["record"] = ["{sum}.sum.x"]
        self.assertEqual(self.run_it(s, "--microsteps").returncode, 0)
        with open(self.path("out.csv")) as f:
            rows = [line.split(",") for line in f.read().splitlines()]
        x = rows[0].index("{sum}.sum.x")
        self.assertEqual([(float(r[0]), float(r[x])) for r in rows[1:]],
                         [(0, 0), (1, 0), (1, 1), (1, 3), (1, 6)])

    def test_more_ports_than_lie_together(self):
        """Events at the last of many inputs, from the last of many outputs,
        in states whose names are long and short."""
        n, long = 21, "a state with a name that is longer than most"
        ports = [f"p{i}" for i in range(n)]
        s = self.scenario(
            {"src": self.devs("src", outputs=dict.fromkeys(ports, "number"),
                              states={"a": {"after": 1, "then": "a",
                                            "output": {p: {"is": f"{i + 1}",
                                                           "when": f"t == {i + 1}"}
                                                       for i, p in
                                                       enumerate(ports)}}}),
             "dst": self.devs("dst", inputs=dict.fromkeys(ports, "number"),
                              variables={"sum": 0},
                              states={a: {"on": {p: {"set": {"sum": f"sum + {p}"},
                                                     "next": b} for p in ports}}
                                      for a, b in ((long, "b"), ("b", long))},
                              start=long)},
            endTime=n + 3, connections={f"{{src}}.src.{p}": [f"{{dst}}.dst.{p}"]
                                        for p in ports},
            record=["{dst}.dst.sum", "{dst}.dst.state"])
        for way in ((), ("--rollback",), ("--threads", "2"), ("--isolate",)):
            self.assertEqual(self.run_it(s, *way).returncode, 0)
            with open(self.path("out.csv")) as f:
                after = {float(r["time"]): (float(r["{dst}.dst.sum"]),
                                            r["{dst}.dst.state"])
                         for r in csv.DictReader(f)}
            self.assertEqual(after, {
                k: (min(k, n) * (min(k, n) + 1) / 2,
                    "b" if min(k, n) % 2 else long) for k in range(n + 4)})

    FED = [("a", 1, 2), ("b", 2, 2)]  # who, first event, then every so often

    def fed(self, form, **events):
        """Two that feed one input; it puts out what it got, 1/4 s later."""
        units = {n: self.devs(
            n, outputs={"y": "number"},
            states={"first": {"after": first, "output": {"y": first},
                              "then": "on"},
                    "on": {"after": every, "output": {"y": 10 * first},
                           "then": "on"}}) for n, first, every in self.FED}
        units["sink"] = os.path.join(EXAMPLE, form) if form else self.devs(
            "sink", inputs={"u": "number"}, outputs={"y": "number"},
            variables={"sum": 0}, states={
                "waits": {"on": {"u": {"set": {"sum": "sum + u"},
                                       "next": "has"}}},
                "has": {"after": 0.25, "output": {"y": "sum"}, "then": "waits",
                        "on": {"u": {"set": {"sum": "sum + u"}}}}})
        return self.scenario(
            units, endTime=5.5, events=events,
            connections={"{a}.a.y": ["{sink}.sink.u"],
                         "{b}.b.y": ["{sink}.sink.u"]})

    def sums(self, scenario, *options):
        self.trace(scenario, *options)
        return [(float(t), float(v)) for t, _, i, _, v in self.events()
                if i == "{sink}.sink"]

    def test_several_feed_one_input(self):
        # 1 at 1, 2 at 2, 10 at 3 and 5, 20 at 4
        for way in ((), ("--threads", "2"), ("--rollback",), ("--isolate",)):
            self.assertEqual(self.sums(self.fed(None), *way),
                             [(1.25, 1), (2.25, 3), (3.25, 13), (4.25, 33),
                              (5.25, 43)])

    def test_several_at_once(self):
        """... one after the other, or in one microstep: none is lost."""
        self.FED = [("a", 1, 1), ("b", 1, 2)]
        expected = [(1.25, 2), (2.25, 12), (3.25, 32), (4.25, 42), (5.25, 62)]
        for ties in ("sequential", "parallel"):
            got = self.sums(self.fed(None, ties=ties))
            self.assertEqual(got, expected, ties)

    def test_orders_that_come_to_the_same_are_not_reported(self):
        for n in (2, 4, 6):  # all orders, all orders, all swaps
            with self.subTest(n=n):
                r = self.run_it(self.sum_of(n, "x + {u}"))
                self.assertEqual((r.returncode, r.stderr), (0, ""))

    def test_states_count_as_well_as_events(self):
        for n in (2, 4, 6):
            with self.subTest(n=n):
                r = self.run_it(self.sum_of(n, "2*x + {u}"))
                self.assertEqual(r.returncode, 1)
                self.assertIn("at t=1 it makes a difference which goes first",
                              r.stderr)
                self.assertIn("(and other states)", r.stderr)

    def test_units_that_do_not_meet_may_go_in_any_order(self):
        s = self.scenario({"a": self.clock("a", 1), "b": self.clock("b", 1)},
                          endTime=2, events={"confluence": "error"})
        self.assertEqual(self.trace(s), [(1, 1, "0"), (1, 2, "0")])

    def refuse(self, scenario, message):
        r = self.run_it(scenario)
        self.assertEqual(r.returncode, 2, r.stderr)
        self.assertIn(message, r.stderr)

    def test_refused(self):
        echo = self.devs("echo", inputs={"u": "text"}, outputs={"y": "text"},
                         states={"a": {}})
        s = self.scenario({"e": echo}, endTime=1,
                          connections={"{e}.e.y": ["{e}.e.u"]})
        self.refuse(s, "'{e}.e.y' is an event and leads to its own instance: "
                       "put a delay in between")
        table = self.path("t.csv")
        with open(table, "w") as f:
            f.write("time,x\n0,1\n1,2\n")
        number = self.devs("n", inputs={"u": "number"}, states={"a": {}})
        s = self.scenario({"n": number, "t": table}, endTime=1,
                          algorithm={"type": "fixed-step", "size": 0.1},
                          connections={"{t}.t.x": ["{n}.n.u"]})
        self.refuse(s, "'{n}.n.u' takes events, and '{t}.t.x' has a value all "
                       "the time")
        s = self.scenario({"n": number, "t": table}, endTime=1,
                          algorithm={"type": "fixed-step", "size": 0.1},
                          events={"select": ["t"]})
        self.refuse(s, "'{t}.t' is no discrete-event instance, so there is "
                       "nothing to select")
        s = self.scenario({"e": echo}, endTime=1)
        r = self.run_it(s, "--no-event-mode")
        self.assertIn("instance '{e}.e' has discrete events, which take event "
                      "mode", r.stderr)

    def test_what_passes_on_at_once_has_one_source(self):
        """... at a time, from inside or from outside."""
        inner = self.scenario({"c": "tutti:counter", "g": "tutti:generator"},
                              connections={"{g}.g.out": ["{c}.c.in"]},
                              events={"ties": "parallel"},
                              ports={"inputs": {"in": "{c}.c.in"}})
        s = self.scenario({"x": inner}, endTime=1)
        self.refuse(s, "several events may come to '{c}.c.in' at once "
                       "(\"ties\" is \"parallel\"), which passes them on at "
                       "once: put a delay in between")
        inner["events"]["ties"] = "sequential"
        r = self.run_it(s)
        self.assertEqual(r.returncode, 0, r.stderr)

    def report(self, scenario, *options):
        path = self.path("report.html")
        r = self.run_it(scenario, "--report", path, *options)
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(path) as f:
            return f.read()

    def test_a_report_lists_and_marks_events(self):
        table = self.path("t.csv")
        with open(table, "w") as f:
            f.write("time,x\n0,0\n10,10\n")
        s = self.scenario({"t": table, "a": self.clock("a", 1.25, 0, 1)},
                          endTime=3, record=["{t}.t.x"],
                          algorithm={"type": "fixed-step", "size": 1})
        page = self.report(s)
        rows = [f'<tr><td class="n">{t} s</td><td class="n dim">{n}</td>'
                f'<td>{{a}}.a</td><td>y</td><td class="text">{v}</td></tr>'
                for t, n, v in ((1.25, 1, 0), (1.25, 2, 1), (2.25, 1, 2))]
        self.assertIn("\n".join(rows), page)
        marks = re.findall('class="instant" d="([^"]*)"', page)
        self.assertEqual([m.count("M") for m in marks], [2])
        # many: the first are listed, and none is marked
        s["fmus"]["{a}"] = self.devs(
            "many", outputs={"y": "text"},
            states={"s": {"after": 0.001, "output": {"y": "1"}, "then": "s"}})
        page = self.report(s)
        self.assertEqual(page.count('<td class="text">1</td>'), 1000)
        self.assertIn("More followed, which are neither listed nor", page)
        self.assertNotIn('class="instant"', page)
        self.assertEqual(len(self.events()), 3000)

    def test_optimistic_execution_is_refused_by_name(self):
        why = ("is refused: an event that comes late would take back every "
               "instance that has gone on, and many cannot; events are played "
               "in the order of time, on any number of threads\n")
        s = self.scenario({"a": self.clock("a", 1)}, endTime=1)
        r = self.run_it(s, "--optimistic")
        self.assertEqual((r.returncode, r.stderr),
                         (2, "tutti: --optimistic " + why))
        s["events"] = {"optimistic": True}
        r = self.run_it(s)
        self.assertEqual(r.returncode, 2)
        self.assertIn("'optimistic' " + why, r.stderr)

    def test_beside_others_a_step_ends_at_the_event(self):
        table = self.path("t.csv")
        with open(table, "w") as f:
            f.write("time,x\n0,0\n10,10\n")
        s = self.scenario({"t": table, "a": self.clock("a", 1.25)}, endTime=3,
                          algorithm={"type": "fixed-step", "size": 1},
                          record=["{t}.t.x", "{a}.a.y"])
        self.assertEqual(self.trace(s), [(1.25, 1, "0")])
        with open(self.path("out.csv")) as f:
            self.assertIn("\n1.25,1.25,\n1.25,1.25,0\n", f.read())


class Borders(Case):
    """An input that takes events from inside and from outside: two officers
    for one light, of which one may stand beyond the border."""
    FORM = FILES
    MAP = {"toWork": "toOff", "toIdle": "toAuto"}

    def file(self, name):
        return os.path.join(EXAMPLE, self.FORM.get(name, name))

    def part(self, names, feeds, **more):
        """Instances of these names; feeds: from officers to places."""
        police, light = (self.file(f + ".devs.json")
                         for f in ("police", "light"))
        fmus = {f"{{{n}}}": light if n == "light" else police for n in names}
        return {"fmus": fmus, "instances": {k: [k[1:-1]] for k in fmus},
                "connections": {f"{{{n}}}.{n}.order": [to] for n, to in feeds},
                **more}, {f"{{{n}}}.{n}.order->{to}": self.MAP
                          for n, to in feeds}

    def flat(self, ties):
        s, maps = self.part(["light", "a", "b"],
                            [("b", "{light}.light.command"),
                             ("a", "{light}.light.command")], endTime=600)
        s["events"] = {"map": maps, "ties": ties}
        return s, "{a}.a", "{b}.b"

    def nested(self, ties):
        inner, maps = self.part(["light", "a"],
                                [("a", "{light}.light.command")])
        inner["events"] = {"map": maps, "ties": ties}
        inner["ports"] = {
            "inputs": {"command": "{light}.light.command"},
            "outputs": {"colour": "{light}.light.colour",
                        "order": "{a}.a.order"},
            "parameters": {"idle": "{a}.a.idle", "working": "{a}.a.working"}}
        s, maps = self.part(["b"], [("b", "{in}.in.command")], endTime=600)
        s["fmus"] = {"{in}": inner, **s["fmus"]}
        s["instances"] = {"{in}": ["in"], **s["instances"]}
        s["events"] = {"map": maps, "ties": ties}
        return s, "{in}.in", "{b}.b"

    def traced(self, made, times):
        s, a, b = made
        got = self.trace(s, *(x for name, v in
                              zip((f"{a}.idle", f"{a}.working", f"{b}.idle",
                                   f"{b}.working"), times)
                              for x in ("--set", f"{name}={v}")))
        return got

    def test_by_hand(self):
        """a works from 100 to 300, b from 130 to 170: the light is red from
        170 on, since it takes toAuto from either, and green after 60 s; a's
        toIdle at 300 finds it on. From 300 on likewise: b works 300 to 340."""
        expected = [(60, 1, "green"), (100, 1, "toWork"), (130, 1, "toWork"),
                    (170, 1, "toIdle"), (230, 1, "green"), (280, 1, "yellow"),
                    (290, 1, "red")]
        for made in (self.flat, self.nested):
            got = self.traced(made("sequential"), (100, 200, 130, 40))
            self.assertEqual(got[:7], expected)

    def test_flat_and_nested(self):
        for ties in ("sequential", "parallel"):
            for times in ((100, 200, 130, 45), (60, 40, 60, 40),
                          (60, 200, 100, 160), (50, 10, 110, 10),
                          (100, 0, 100, 0), (30, 30, 60, 60)):
                with self.subTest(ties=ties, times=times):
                    one = self.traced(self.flat(ties), times)
                    self.assertGreater(len(one), 5)
                    self.assertEqual(self.traced(self.nested(ties), times),
                                     one)


class BordersFmi2(Borders):
    FORM = FMI2


class BordersFmi3(Borders):
    FORM = FMI3


class Devstone(Case):
    """Networks of a known number of events (bench/devstone.py), whatever atoms
    are made of."""
    SECONDS = 3

    def atoms(self):
        for unit in ("table", "delay", "atom.fmu", "atom-fmi3.fmu"):
            yield os.path.join(BUILD, "bench", "units", unit) \
                if unit.endswith("fmu") else unit

    def test_transitions(self):
        path = self.path("s.json")
        for shape in devstone.SHAPES:
            for unit in self.atoms():
                with self.subTest(shape=shape, unit=unit):
                    devstone.write_scenario(path, unit, shape, 6, 4,
                                            self.SECONDS)
                    r = self.tutti("run", path, "--events",
                                   self.path("events.csv"), "-o",
                                   self.path("out.csv"))
                    self.assertEqual(r.returncode, 0, r.stderr)
                    internal, external = devstone.transitions(shape, 6, 4)
                    # each puts out an event, and all but the source's go
                    # through an atom
                    self.assertEqual(len(self.events()),
                                     internal * self.SECONDS)
                    if shape != "HO":
                        continue
                    with open(self.path("out.csv")) as f:
                        last = f.read().splitlines()[-1].split(",")
                    self.assertEqual(float(last[-1]), (
                        external - internal + 1) * self.SECONDS)


class Library(Case):
    def scenario(self, units, connections, **more):
        return {"fmus": {f"{{{u}}}": f"tutti:{s}" for u, s in units.items()},
                "instances": {f"{{{u}}}": [u] for u in units},
                "connections": {f"{{{a.split('.')[0]}}}.{a}":
                                [f"{{{b.split('.')[0]}}}.{b}" for b in to]
                                for a, to in connections.items()}, **more}

    def of(self, instance):
        return [(float(t), float(v)) for t, _, i, _, v in self.events()
                if i == f"{{{instance}}}.{instance}"]

    def constant(self, name, mean):
        return {f"{{{name}}}.{name}.distribution": "constant",
                f"{{{name}}}.{name}.mean": mean}

    def test_mm1(self):
        """Mean waiting time of M/M/1: rho/(mu - lambda), by batch means."""
        with open(os.path.join(BUILD, "examples", "queue",
                               "scenario.json")) as f:
            s = json.load(f)
        self.trace(s)
        waits = [float(t) - float(v) for t, _, i, _, v in self.events()
                 if i == "{queue}.line"]
        self.assertGreater(len(waits), 19000)
        size = len(waits) // 20
        means = [sum(waits[i * size:(i + 1) * size]) / size for i in range(20)]
        mean = sum(means) / 20
        error = (sum((m - mean) ** 2 for m in means) / 19 / 20) ** 0.5
        # Student's t with 19 degrees: 99 % are within 2.861
        self.assertLess(abs(mean - 1), 2.861 * error)
        self.assertLess(error, 0.1)
        with open(self.path("out.csv")) as f:
            rows = f.read().splitlines()
        age = float(rows[-1].split(",")[
            rows[0].split(",").index("{scope}.waiting.age")])
        self.assertAlmostEqual(age, sum(waits) / len(waits), 9)

    def test_seeds_repeat_and_streams_differ(self):
        s = self.scenario({"a": "generator", "b": "generator"}, {}, endTime=50)
        self.trace(s)
        first, other = self.of("a"), self.of("b")
        self.assertNotEqual([t for t, _ in first], [t for t, _ in other])
        self.trace(s, "--rollback")
        self.assertEqual(self.of("a"), first)
        s["parameters"] = {"{a}.a.seed": 2}
        self.trace(s)
        self.assertEqual(self.of("b"), other)
        self.assertNotEqual(self.of("a"), first)

    def test_distributions(self):
        """Mean and deviation of intervals, within 3.3 standard errors."""
        for how, spread, deviation in (("exponential", 0, 2),
                                       ("uniform", 1.5, 1.5 / 3 ** 0.5),
                                       ("normal", 0.25, 0.25)):
            with self.subTest(how=how):
                s = self.scenario({"a": "generator"}, {}, endTime=10000,
                                  parameters={"{a}.a.mean": 2,
                                              "{a}.a.spread": spread,
                                              "{a}.a.distribution": how})
                self.trace(s)
                t = [0] + [t for t, _ in self.of("a")]
                d = [b - a for a, b in zip(t, t[1:])]
                n = len(d)
                mean = sum(d) / n
                got = (sum((x - mean) ** 2 for x in d) / (n - 1)) ** 0.5
                self.assertLess(abs(mean - 2), 3.3 * deviation / n ** 0.5)
                self.assertLess(abs(got - deviation), 0.06 * deviation)

    def test_a_desk_that_is_too_slow(self):
        """Customers at 1, 2, 3, ...; each is served for 2.5 s, in turn."""
        s = self.scenario(
            {"g": "generator", "q": "queue: 2", "s": "server"},
            {"g.out": ["q.in"], "q.out": ["s.in"], "s.out": ["q.ready"]},
            endTime=9.75, parameters={**self.constant("g", 1),
                                      **self.constant("s", 2.5)},
            record=["{q}.q.lost", "{q}.q.length", "{s}.s.served"])
        self.trace(s)
        # There is room for two in line. 1 is served to 3.5, 2 to 6, 3 to 8.5.
        # 5 finds 3 and 4 in line and is lost; so is 6, who comes before 3
        # leaves it at the same time (generator first), and 8, who finds 4 and 7
        self.assertEqual(self.of("s"), [(3.5, 1), (6, 2), (8.5, 3)])
        self.assertEqual(self.of("q"), [(1, 1), (3.5, 2), (6, 3), (8.5, 4)])
        with open(self.path("out.csv")) as f:
            rows = [line.split(",") for line in f.read().splitlines()]
        at = [rows[0].index(n) for n in ("{q}.q.lost", "{q}.q.length",
                                         "{s}.s.served")]
        self.assertEqual([float(rows[-1][i]) for i in at], [3, 2, 3])

    def test_delay_switch_and_counter(self):
        s = self.scenario(
            {"g": "generator", "d": "delay", "n": "counter", "w": "switch",
             "m": "delay"},
            {"g.out": ["d.in", "n.in"], "n.out": ["w.in"], "w.b": ["m.in"],
             "d.out": ["w.select"]},
            endTime=4, parameters={**self.constant("g", 1), "{d}.d.delay": 2.5,
                                   "{m}.m.delay": 0.25})
        self.trace(s)
        self.assertEqual(self.of("d"), [(3.5, 1)])
        self.assertEqual(self.of("n"), [(1, 1), (2, 2), (3, 3), (4, 4)])
        # 1, 2, 3 leave by a; what comes behind the first select by b
        self.assertEqual([(float(t), p, float(v)) for t, _, i, p, v
                          in self.events() if i == "{w}.w"],
                         [(1, "a", 1), (2, "a", 2), (3, "a", 3), (4, "b", 4)])

    def test_scope(self):
        s = self.scenario({"g": "generator", "o": "scope"},
                          {"g.out": ["o.in"]}, endTime=4.5,
                          parameters=self.constant("g", 1),
                          record=["{o}.o.*"])
        self.trace(s)
        with open(self.path("out.csv")) as f:
            rows = [line.split(",") for line in f.read().splitlines()]
        got = {n.rsplit(".", 1)[-1]: v for n, v in zip(rows[0], rows[-1])}
        self.assertEqual([float(got[k]) for k in ("count", "mean", "least",
                                                  "most", "age")],
                         [4, 2.5, 1, 4, 0])
        self.assertAlmostEqual(float(got["deviation"]), (5 / 3) ** 0.5, 14)

    def test_refused(self):
        for source, message in (
                ("queue: 0", "tutti:queue: 0: the room of a 'queue' is a whole "
                             "number from 1 to 1000000, not '0'"),
                ("server: 3", "tutti:server: 3: 'server' takes nothing behind "
                              "its name"),
                ("kueue", "tutti:kueue: there is no such instance built in")):
            r = self.run_it(self.scenario({"a": source}, {}, endTime=1))
            self.assertEqual(r.returncode, 2)
            self.assertIn(message, r.stderr)
        s = self.scenario({"a": "generator"}, {}, endTime=1,
                          parameters={"{a}.a.distribution": "weird"})
        self.assertIn("'distribution' is 'constant', 'uniform', 'exponential' "
                      "or 'normal', not 'weird'", self.run_it(s).stderr)
        s = self.scenario({"a": "generator"}, {}, endTime=1,
                          parameters={**self.constant("a", -1)})
        self.assertIn("its state is to last -1 s", self.run_it(s).stderr)


class Ahead(Case):
    """Lines that are not connected: two threads play events of one before those
    of the others."""
    LINES = 4
    NOTE = ("tutti: note: threads: events of %u instances are played ahead, side "
            "by side, where no other event can reach the instance before\n")

    def lines(self, *steps, means=(0.1, 0.3), **more):
        """Of units of these types one behind the other; where means are given
        those between events are the same every time."""
        made = {"fmus": {f"{{{i}}}": f for i, f in enumerate(steps)},
                "instances": {f"{{{i}}}": [f"n{k}" for k in range(self.LINES)]
                              for i in range(len(steps))},
                "connections": {}, "parameters": {}, "endTime": 60, **more}
        for k in range(self.LINES):
            for i in range(len(steps) - 1):
                out, into = (devstone.PORTS.get(f, ("in", "out"))[way]
                             for f, way in ((steps[i], 1), (steps[i + 1], 0)))
                made["connections"][f"{{{i}}}.n{k}.{out}"] = [
                    f"{{{i + 1}}}.n{k}.{into}"]
            if k < len(means):
                made["parameters"].update({
                    f"{{0}}.n{k}.distribution": "constant",
                    f"{{0}}.n{k}.mean": means[k]})
        return made

    def play(self, scenario, *words):
        """All that it writes, and how many events were played ahead."""
        s = self.write("s.json", scenario)
        files = [self.path(f) for f in ("out.csv", "events.csv")]
        r = self.tutti("run", s, "-o", files[0], "--events", files[1],
                       "--microsteps", "--json", *words)
        self.assertEqual(r.returncode, 0, r.stderr)
        written = []
        for name in files:
            with open(name, "rb") as f:
                written.append(f.read())
        return written, json.loads(r.stdout)["threads"]["ahead"]

    def same(self, scenario, *words):
        alone, none = self.play(scenario, *words)
        self.assertEqual(none, 0)
        for n in "2", "3":
            with self.subTest(threads=n):
                shared, ahead = self.play(scenario, "--threads", n, *words)
                self.assertEqual(shared, alone)
                self.assertGreater(ahead, 50)

    def test_the_same_bytes(self):
        for ties in "sequential", "parallel":
            with self.subTest(ties=ties):
                self.same(self.lines(
                    "tutti:generator", "tutti:server", "tutti:delay",
                    "tutti:scope", events={"ties": ties}))

    def test_fmus(self):
        atom = os.path.join(BUILD, "bench", "units", "atom-fmi3.fmu")
        devstone.PORTS[atom] = ("u", "y")
        scenario = self.lines("tutti:generator", atom, atom,
                              means=(0.7, 0.9, 1, 1.1))
        for k in range(self.LINES):
            scenario["parameters"][f"{{1}}.n{k}.rest"] = 0.5
            scenario["parameters"][f"{{2}}.n{k}.rest"] = 0.4
        self.same(scenario)

    def test_what_feeds_another_may_not_be_passed(self):
        """In a circle only the first may, and there is nothing beside it."""
        ring = self.lines("tutti:generator", "tutti:queue", "tutti:server",
                          means=())
        for k in range(self.LINES):
            ring["connections"][f"{{2}}.n{k}.out"] = [f"{{1}}.n{k}.ready"]
            ring["connections"][f"{{0}}.n{k}.out"].append(
                f"{{1}}.n{(k + 1) % self.LINES}.in")
        self.same(ring)

    def test_a_checkpoint_has_what_one_thread_has(self):
        s = self.write("s.json", self.lines("tutti:generator", "tutti:server"))
        for words in ((), ("--threads", "2")):
            r = self.tutti("run", s, "--events", self.path("events.csv"),
                           "-o", self.path("o.csv"), "--checkpoint",
                           self.path("c"), "--every", "sim:25", *words)
            self.assertEqual(r.returncode, 0, r.stderr)
            r = self.tutti("run", "--resume", self.path("c"))
            self.assertEqual(r.returncode, 0, r.stderr)
            got = self.events()
            expected = got if not words else expected
            self.assertEqual(got, expected)
        self.assertGreater(len(got), 500)

    def test_what_fails_does_in_its_time(self):
        self.write("bad.devs.json", {
            "outputs": {"out": "number"}, "variables": {"n": 0},
            "states": {"on": {"after": "5 - n", "output": {"out": "n"},
                              "then": {"set": {"n": "n + 1"}, "next": "on"}}}})
        s = self.write("s.json", self.lines("tutti:generator", **{
            "fmus": {"{0}": "tutti:generator",
                     "{bad}": self.path("bad.devs.json")},
            "instances": {"{0}": ["n0", "n1"], "{bad}": ["b"]}}))
        said = []
        for words in ((), ("--threads", "2")):
            r = self.tutti("run", s, "-o", self.path("o.csv"), *words)
            self.assertEqual(r.returncode, 1, r.stderr)
            with open(self.path("o.csv")) as f:
                said.append((r.stderr, f.read()))
        self.assertEqual(
            said[0][0].split(";")[0],
            "tutti: instance '{bad}.b' (devs): event_update at t=15: state "
            "'on' is to last -1 s")
        self.assertEqual(*said)

    def test_what_is_decided_is_told(self):
        lines = self.lines("tutti:generator", "tutti:server")
        why = "tutti: note: threads: events are played in their time: "
        for more, words, expected in (
                ({}, ("2",), self.NOTE % 8),
                ({}, ("auto",), (self.NOTE % 8).replace(
                    "\n", ", if they take long enough\n")),
                ({"events": {"confluence": "warn"}}, ("2",),
                 why + "'confluence' tries the order of events\n"),
                ({"fmus": {"{0}": "tutti:generator", "{1}": "tutti:counter"}},
                 ("2",), why + "something passes them on at once, or no two "
                 "instances can be called by any thread\n"),
                ({}, ("1",), None)):
            with self.subTest(more=more, words=words):
                r = self.run_it({**lines, **more}, "-v", "--threads", *words)
                self.assertEqual(r.returncode, 0, r.stderr)
                self.assertEqual([line for line in r.stderr.splitlines(True)
                                  if "note: threads: events" in line],
                                 [expected] if expected else [])


class Items(Case):
    """Conditions name the items of an enumeration: of a signal whose events
    happen inside its steps."""

    def play(self, condition, *words, **more):
        return self.run_it({
            "fmus": {"{s}": os.path.join(EXAMPLE, "signal-fmi3.fmu")},
            "instances": {"{s}": ["s"]},
            "algorithm": {"type": "fixed-step", "size": 7},
            "events": {"locate": [{"name": "it is", "when": condition}]},
            "endTime": 119, **more}, "--no-event-mode", *words)

    def test_a_condition(self):
        """It is yellow from 110 s on, between two steps."""
        for condition in ('{s}.s.colour == "yellow"',
                          '"green" != {s}.s.colour and t > 100'):
            for way in (), ("--isolate",), ("--threads", "2"):
                with self.subTest(condition=condition, way=way):
                    r = self.play(condition, *way)
                    self.assertEqual(r.returncode, 0, r.stderr)
                    with open(self.path("out.csv")) as f:
                        times = {float(row["time"])
                                 for row in csv.DictReader(f)}
                    between = [t for t in times if t % 7]
                    self.assertEqual(len(between), 1)
                    self.assertAlmostEqual(between[0], 110, delta=1e-8)

    def test_an_expectation(self):
        for item, violated in (("yellow", True), ("red", False)):
            r = self.play("{s}.s.colour > 9", expect=[
                {"never": f'{{s}}.s.colour == "{item}" and t > 110',
                 "fail": True}])
            self.assertEqual(r.returncode, int(violated), r.stderr)

    def test_refused(self):
        r = self.play('{s}.s.colour == "yelow"')
        self.assertEqual(r.returncode, 2)
        self.assertRegex(r.stderr, "^tutti: .*s1.json:1:[0-9]+: 'when': "
                         "'yelow' is none of the items: 'red', 'yellow', "
                         "'green'\n$")


class Alone(Case):
    """A unit in a file, without a scenario."""
    POLICE = os.path.join(EXAMPLE, "police.devs.json")

    def test_it_runs(self):
        r = self.tutti("run", self.POLICE, "--until", "300", "--events",
                       self.path("events.csv"), "-o", self.path("out.csv"))
        self.assertEqual(r.returncode, 0, r.stderr)
        self.assertEqual(self.events(), [
            ("100.0", "1", "{police}.police", "order", "toWork"),
            ("300.0", "1", "{police}.police", "order", "toIdle")])

    def test_its_report_has_no_step_to_halve(self):
        r = self.tutti("run", self.POLICE, "--until", "300", "-q", "--report",
                       self.path("r.html"), "-o", self.path("out.csv"))
        self.assertEqual(r.returncode, 0, r.stderr)
        with open(self.path("r.html")) as f:
            page = f.read()
        self.assertIn("Time went from event to event: there was no step that "
                      "could be too long.", page)
        self.assertNotIn("half the step", page)

    def test_it_is_described(self):
        r = self.tutti("info", self.POLICE)
        self.assertEqual((r.returncode, r.stdout), (0, f"""\
police  discrete events
  file           {self.POLICE}

variables
  name     type     causality  variability  start  description
  state    String   local      discrete            the state it is in
  idle     Float64  parameter  fixed        100.0  time between work, s
  working  Float64  parameter  fixed        200.0  time at work, s
  order    String   output     event
"""), r.stderr)
        r = self.tutti("info", "--json", self.POLICE)
        order = json.loads(r.stdout)["variables"][-1]
        self.assertEqual((order["name"], order["event"]), ("order", True))

    def refuse(self, message, *args):
        r = self.tutti(*args)
        self.assertEqual((r.returncode, r.stderr), (2, f"tutti: {message}\n"))

    def test_refused(self):
        self.refuse(f"'{self.POLICE}' is a discrete-event unit and can only "
                    "run alone; couple several in a scenario (tutti new "
                    "writes one)", "run", self.POLICE, self.POLICE)
        self.refuse('no end time: set "endTime" in the scenario or --until on '
                    "the command line", "run", self.POLICE)
        bad = self.write("bad.devs.json", {"states": {"a": {"aftr": 1}}})
        for command in "info", "run", "check":
            self.refuse(f"{bad}:1:19: unknown field 'aftr'; did you mean "
                        "'after'?", command, bad)


class Protocol(Case):
    """The alternating bit: what is sent every 2 s arrives once, in order,
    though the channel loses some; the tanks follow their closed forms."""
    X0, K, TAU, DELAY, TIMEOUT = 3, 0.02, 4, 0.3, 1.5

    def example(self):
        folder = os.path.join(BUILD, "examples", "alternating-bit")
        with open(os.path.join(folder, "scenario.json")) as f:
            s = json.load(f)
        s["fmus"] = {k: v if v.startswith("tutti:") else
                     os.path.join(folder, v) for k, v in s["fmus"].items()}
        return s

    def of(self, instance, port):
        return [(float(t), float(v)) for t, _, i, p, v in self.events()
                if i == instance and p == port]

    def level(self, t):
        return self.X0 * math.exp(-self.K * t)

    def rows(self):
        with open(self.path("out.csv"), newline="") as f:
            return list(csv.DictReader(f))

    def test_every_message_arrives_once_and_in_order(self):
        for seed in (1, 2, 3):
            with self.subTest(seed=seed):
                self.trace(self.example(), "--set",
                           f"{{noise}}.there.seed={seed}", "--set",
                           f"{{noise}}.back.seed={seed}")
                got = self.of("{receiver}.receiver", "out")
                self.assertGreater(len(got), 40)
                for n, (_, value) in enumerate(got):
                    self.assertAlmostEqual(value, self.level(2 * n), 12)
                last = self.rows()[-1]
                lost = [float(last["{channel}.%s.lost" % way])
                        for way in ("there", "back")]
                self.assertTrue(min(lost) > 5, lost)

    def test_each_comes_so_many_timeouts_after_it_was_taken(self):
        self.trace(self.example())
        taken = self.of("{queue}.line", "out")
        for (t0, sent), (t1, got) in zip(taken,
                                         self.of("{receiver}.receiver", "out")):
            tries = (t1 - t0 - self.DELAY) / self.TIMEOUT
            self.assertAlmostEqual(tries, round(tries), 9)
            self.assertEqual(sent, got)

    def test_what_was_sent_is_lost_or_arrives(self):
        self.trace(self.example())
        last = self.rows()[-1]
        sent = len(self.of("{sender}.sender", "mark"))
        came = len(self.of("{channel}.there", "outmark"))
        answered = len(self.of("{channel}.back", "outmark"))
        self.assertEqual(sent, float(last["{sender}.sender.tries"]))
        self.assertIn(sent - came - float(last["{channel}.there.lost"]), (0, 1))
        self.assertIn(came - answered - float(last["{channel}.back.lost"]),
                      (0, 1))

    def test_the_tanks(self):
        self.trace(self.example())
        t0, u, y = 0, 0, 0
        got = iter(self.of("{receiver}.receiver", "out") + [(math.inf, 0)])
        ahead = next(got)
        for row in self.rows():
            t = float(row["time"])
            self.assertAlmostEqual(float(row["{upper}.upper.x"]),
                                   self.level(t), 12)
            while ahead[0] < t:
                y = u + (y - u) * math.exp(-(ahead[0] - t0) / self.TAU)
                (t0, u), ahead = ahead, next(got)
            self.assertAlmostEqual(
                float(row["{lower}.lower.y"]),
                u + (y - u) * math.exp(-(t - t0) / self.TAU), 12)

    def test_the_same_bytes_in_every_way(self):
        self.trace(self.example())
        with open(self.path("events.csv")) as f:
            expected = f.read()
        for way in (("--threads", "2"), ("--no-child",), ("--isolate",),
                    ("--rollback",), ("--isolate", "--rollback")):
            with self.subTest(way=way):
                self.trace(self.example(), *way)
                with open(self.path("events.csv")) as f:
                    self.assertEqual(f.read(), expected)


if __name__ == "__main__":
    unittest.main()
