#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What playing costs beside the units: measures, prints a table, draws curves,
checks the gates. `make bench` calls it; bench.py BUILD [--quick].

Everything is a ratio to the floor, the bare loop that makes the same calls
(floor.h). Times move with the machine, so both take turns in one process and
the best of many rounds counts. Instructions hardly move: they are the gate
that a busy machine cannot fail, and all that --quick looks at."""
import concurrent.futures
import json
import math
import os
import re
import resource
import shutil
import subprocess
import sys
import time
import zipfile

import curves
import devstone
import peers

HERE = os.path.dirname(os.path.abspath(__file__))
STEP = 0.01
UNITS = [("FMI 2", "checked2"), ("FMI 3", "checked3"),
         ("FMI 2 raw", "trivial2"), ("FMI 3 raw", "trivial3")]

# name and n -> largest ratio; raw units are for instructions only, because
# nothing is beside nothing.
RATIO = {("chain FMI 2", 2): 1.3, ("chain FMI 3", 2): 1.3,
         ("chain FMI 2", 10000): 1.25, ("chain FMI 3", 10000): 1.25}
for n in 10, 100, 1000:
    RATIO["chain FMI 2", n] = 1.15
    RATIO["chain FMI 3", n] = 1.20
    RATIO["csv FMI 2", n] = 1.25
ABOVE = {"FMI 2": 40, "FMI 3": 60, "FMI 2 raw": 40, "FMI 3 raw": 60}
FLOOR_MOST = 650    # instructions of the checked FMI 2 unit: no slow units
LOAD_MOST = 1.5
DOUBLE_MOST = 2.3
RUN_MOST = 1.4
BYTES_MOST = 2048
HEAVY_MOST = 0.54  # of the time on one thread, for two or more units: 1/1.85
LIGHT_MOST = 1.05
# Ways to step, and what they may cost beside a plain step: two turns are two
# steps, a save, a restore and a solver; a unit that takes no course follows a
# line by two sub-steps, and is set once more at their end.
WAYS = {"plain": {}, "iterate 2": {"iterate": 2},
        "linear": {"approximation": "linear"}}
WAY_MOST = {"checked2": {"iterate 2": 2.9}, "checked3": {"iterate 2": 2.9},
            "held2": {"linear": 6}}
# An adaptation that changes nothing, to the unit alone; "multiply rate 10" with
# "interpolate u", to the same by hand (units/byhand.c), around a unit that takes
# a microsecond and, ungated, around one that does nothing.
IDENTITY_MOST = 1.1
BYHAND_MOST = {"sprung": 1.3, "checked": None}
# crowd: a step of one of more isolated units than cores, to processes that wake
# each other
ELSEWHERE_MOST = {"isolated": 2.0, "crowd": 2.0, "remote": 1.5}
# A unit in model exchange, to a bare loop around the same integrator; an event
# instant, to the calls it makes.
INTEGRATORS = "explicit", "stiff", "cvode"
EXCHANGE_MOST = 1.10
EVENT_MOST = 3.0
# Discrete events: units that Tutti plays itself beside a hand-written event
# loop, FMUs beside one that makes the same calls.
DEVSTONE = (20, 5), (100, 10)
ALONE = 30, 300, 3000    # units that have each event at a time of their own
# Points of a sweep beside runs of the engine without set-up.
SWEEP_MOST = 1.1
DEVSTONE_MOST = {"table": 2.0, "delay": 2.0, "atom3": 1.5}


class Bench:
    def __init__(self, build):
        self.out = os.path.join(build, "bench")
        self.program = os.path.join(self.out, "bench")
        self.units = os.path.join(self.out, "units")
        self.tutti = os.path.join(build, "tutti")
        self.others = peers.load((HERE, self.out))
        self.rows = []
        self.missed = []
        self.failed = []    # peers

    # --- cases ----------------------------------------------------------

    def folder(self, unit):
        return os.path.join(self.units, unit)

    def scenario(self, name, unit, connections, end=1e7, size=STEP, **more):
        path = os.path.join(self.out, name + ".json")
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"fmus": {"{x}": self.folder(unit)},
                       "connections": connections,
                       "algorithm": {"type": "fixed-step", "size": size},
                       "startTime": 0, "endTime": end, **more}, f)
        return path

    def run(self, *args):
        done = subprocess.run([self.program, *map(str, args)], cwd=self.out,
                              capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"bench: {' '.join(map(str, args))}:\n{done.stderr}")
        return json.loads(done.stdout)

    def add(self, name, n, record, tutti, floor, unit, most=None, **more):
        row = {"name": name, "n": n, "record": record, "tutti": tutti,
               "floor": floor, "ratio": tutti / floor if floor else None,
               "unit": unit, **more}
        if most is not None:
            row["most"] = most
            if row["ratio"] > most:
                self.missed.append(f"{name}, n = {n}: {row['ratio']:.3f} times "
                                   f"the floor, at most {most}")
        self.rows.append(row)
        return row

    # --- instructions ---------------------------------------------------

    def instructions(self, who, unit, n, steps, way=None):
        """Per unit and step, of the play alone: the same in every run."""
        s = self.scenario(f"count-{unit}-{way or who}", unit,
                          ring(n) if way else chain(n), **WAYS.get(way, {}))
        return self.counted(who, "steps", s, unit, n, steps)

    def counted(self, who, floor, s, unit, n, steps):
        done = subprocess.run(
            ["valgrind", "--tool=callgrind",
             f"--toggle-collect=rig_play_{who}",
             "--callgrind-out-file=/dev/null", self.program, "count", who, floor,
             s, self.folder(unit), str(n), str(steps)],
            cwd=self.out, capture_output=True, text=True)
        found = re.search(r"Collected : (\d+)$", done.stderr, re.M)
        if done.returncode or not found:
            sys.exit(f"bench: valgrind failed:\n{done.stderr}")
        return int(found.group(1)) / (n * steps)

    def ways(self):
        """What other ways to step cost beside a plain one, in instructions:
        the same units, in a ring so that all of them are concerned."""
        n, steps = 10, 256
        self.without("checked2", "held2", "canInterpolateInputs")
        jobs = [(unit, way) for unit, ways in WAY_MOST.items()
                for way in ("plain", *ways)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = dict(zip(jobs, pool.map(
                lambda job: self.instructions("tutti", job[0], n, steps,
                                              job[1]), jobs)))
        for unit, ways in WAY_MOST.items():
            for way, most in ways.items():
                self.add(f"{way}, {unit}", n, False, counts[unit, way],
                         counts[unit, "plain"],
                         "instructions per unit and step, to a plain one",
                         most)

    def adapted(self):
        """Adaptations beside what they save from being written."""
        n, steps = 10, 256
        path = os.path.join(self.out, "identity.sa")
        with open(path, "w", encoding="utf-8") as f:
            f.write("semantic adaptation Same same for inner fmu Inside inside"
                    f' at "{self.folder("checked2")}"\n')
        rate = {f"{{x}}.u{i}": ["multiply rate 10", "interpolate u"]
                for i in range(n)}
        jobs = [(path, ring(n), {}), ("checked2", ring(n), {})]
        for unit in BYHAND_MOST:
            jobs += [(unit + "2", chain(n), {"adapt": rate}),
                     (f"byhand_{unit}2", chain(n), {})]
        cases = [self.scenario(f"adapted-{i}", unit, connections, **more)
                 for i, (unit, connections, more) in enumerate(jobs)]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = list(pool.map(
                lambda s: self.counted("tutti", "steps", s, "checked2", n,
                                       steps), cases))
        self.add("adaptation without rules", n, False, *counts[:2],
                 "instructions per unit and step, to the unit alone",
                 IDENTITY_MOST)
        for i, (unit, most) in enumerate(BYHAND_MOST.items()):
            self.add(f"rate and line, {unit}", n, False,
                     *counts[2 * i + 2:2 * i + 4],
                     "instructions per unit and step, to the same by hand",
                     most)

    def without(self, unit, name, *attributes):
        """The same unit, which does not declare these."""
        shutil.copytree(self.folder(unit), self.folder(name),
                        dirs_exist_ok=True)
        path = os.path.join(self.folder(name), "modelDescription.xml")
        with open(path, encoding="utf-8") as f:
            text = f.read()
        for a in attributes:
            text = text.replace(f'{a}="true"', "")
        with open(path, "w", encoding="utf-8") as f:
            f.write(text)

    # --- model exchange and events --------------------------------------

    def exchange_cases(self):
        """The oscillator by each integrator. It declares no derivatives by
        direction, so that both sides make differences, and that of FMI 2 is to
        be told of every step of the integrator, which is what FMI 2 has by
        default."""
        for version in "2", "3":
            unit = f"swings{version}"
            self.without(f"oscillator{version}", unit,
                         "providesDirectionalDerivative",
                         "providesDirectionalDerivatives",
                         "completedIntegratorStepNotNeeded")
            for method in INTEGRATORS:
                if not self.run("there", method):
                    continue    # built without SUNDIALS
                s = self.scenario(f"exchange-{method}{version}", unit, {},
                                  interface="me", integrator=method,
                                  logVariables={"{x}.u0": ["x"]})
                yield f"{method}, FMI {version}", method, s, unit

    def event_case(self, unit):
        return self.scenario(unit, unit + "3", chain(2)), unit + "3"

    def count_exchange(self):
        """Instructions of a macro step, which is one of the integrator."""
        steps = 256
        cases = list(self.exchange_cases())
        jobs = [(who, method, s, unit, 1) for _, method, s, unit in cases
                for who in ("tutti", "floor")]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = list(pool.map(lambda job: self.counted(*job, steps),
                                   jobs))
        for name, *_ in cases:
            self.add(f"instructions {name}", 1, False, counts.pop(0),
                     counts.pop(0), "instructions per macro step",
                     EXCHANGE_MOST)

    def count_event(self):
        ours, ours_calm, floor, floor_calm = (
            2 * self.counted(who, "events", *self.event_case(unit), 2, 256)
            for who in ("tutti", "floor") for unit in ("ticking", "calm"))
        self.add("instructions of an event", 2, False, ours - ours_calm,
                 floor - floor_calm, "instructions per instant", EVENT_MOST)

    def count_alone(self):
        """Instructions of an event among units that all have times of their
        own, beside the same among few: they may grow with log N."""
        def cost(n):
            path = os.path.join(self.out, f"alone{n}.json")
            devstone.write_alone(path, n, 1e6)
            runs = [k * self.counted("tutti", "none", path, "none", 1, k)
                    for k in (100, 1100)]
            return (runs[1] - runs[0]) / 1000

        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            costs = list(pool.map(cost, ALONE))
        for n, ours in zip(ALONE[1:], costs[1:]):
            self.add(f"instructions of an event among {n} units, to {ALONE[0]}",
                     n, False, ours, costs[0], "instructions per event",
                     math.log(n, ALONE[0]))

    def middle(self, floor, s, unit, n):
        """What Tutti and the floor take per macro step, in the middle of
        many short rounds, so that both see the same neighbours."""
        r = self.run("play", floor, s, self.folder(unit), n, 100, 5000)
        return n * r["tutti_middle"], n * r["floor_middle"]

    def exchange(self):
        for name, method, s, unit in self.exchange_cases():
            ours, floor = self.nearest(
                lambda: self.middle(method, s, unit, 1), EXCHANGE_MOST)
            self.add(f"model exchange {name}", 1, False, ours, floor,
                     "ns per macro step", EXCHANGE_MOST)

    def nearest(self, measure, most):
        """The least ratio, over more processes when the gate is missed."""
        best = measure()
        for _ in range(4):
            if best[0] <= most * best[1]:
                break
            best = min(best, measure(), key=lambda r: r[0] / r[1])
        return best

    def event(self):
        """What an event adds to a step of two units that have event mode:
        those that have one at the end of every step, without those that have
        none."""
        with_, calm = (self.middle("events", *self.event_case(unit), 2)
                       for unit in ("ticking", "calm"))
        return with_[0] - calm[0], with_[1] - calm[1]

    def events(self):
        ours, floor = self.nearest(self.event, EVENT_MOST)
        self.add("event of two units, to its calls", 2, False, ours, floor,
                 "ns per instant", EVENT_MOST)

    def devstone_floor(self, net, unit, i, e):
        """ns per transition of the loop, which must make that many."""
        seconds = max(20, 2000000 // (i + e))
        fmu = unit.startswith("atom")
        r = subprocess.run([os.path.join(self.out, "devstone"),
                            {"delay": "delays", "table": "loop"}.get(
                                unit, "fmi3"), net, str(seconds),
                            *([self.folder(unit)] if fmu else [])],
                           check=True, capture_output=True, text=True)
        internal, external, cpu = r.stdout.split()
        if [int(internal), int(external)] != [i * seconds, e * seconds]:
            self.missed.append(f"{net}: {internal} and {external} transitions")
        return 1e9 * float(cpu) / (seconds * (i + e))

    def devstone_ours(self, shape, unit, width, depth, n):
        """... and of Tutti, without what a run costs that is short, and with
        few rows: the loop writes none."""
        path = os.path.join(self.out, "devstone.json")
        source = self.folder(unit) if unit.startswith("atom") else unit
        seconds = max(10, 200000 // n)
        cost = []
        for end in (seconds, 3 * seconds):
            devstone.write_scenario(path, source, shape, width, depth, end)
            cost.append(least_cpu([self.tutti, "run", path, "--sample", "1000",
                                   "-o", os.path.join(self.out,
                                                      "devstone.csv")], 3))
        return 1e9 * (cost[1] - cost[0]) / (2 * seconds * n)

    def devstone(self):
        net = os.path.join(self.out, "devstone.net")
        for width, depth in DEVSTONE:
            for shape in devstone.SHAPES:
                i, e = devstone.transitions(shape, width, depth)
                devstone.write_net(net, shape, width, depth)
                for unit, most in DEVSTONE_MOST.items():
                    ours = self.devstone_ours(shape, unit, width, depth, i + e)
                    self.add(f"DEVStone {shape} {width}x{depth} {unit}",
                             devstone.size(shape, width, depth), False, ours,
                             self.devstone_floor(net, unit, i, e),
                             "ns per transition, "
                             f"{1e3 / ours:.2f} million per second", most)

    def count(self):
        """Over as many steps as there are from one that is timed to the
        next."""
        n, steps = 100, 256
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            counts = list(pool.map(
                lambda job: self.instructions(*job, n, steps),
                [(who, unit) for _, unit in UNITS
                 for who in ("tutti", "floor")]))
        for i, (what, _) in enumerate(UNITS):
            tutti, floor = counts[2 * i:2 * i + 2]
            above = tutti - floor
            self.add(f"instructions {what}", n, False, tutti, floor,
                     "instructions per unit and step", above=above,
                     most_above=ABOVE[what])
            if above > ABOVE[what]:
                self.missed.append(f"{what}: {above:.1f} instructions above "
                                   f"the floor, at most {ABOVE[what]}")
            if what == "FMI 2" and floor > FLOOR_MOST:
                self.missed.append(f"the floor takes {floor:.0f} instructions, "
                                   f"at most {FLOOR_MOST}")

    # --- times ----------------------------------------------------------

    def chains(self):
        for what, unit in UNITS:
            for n in 2, 10, 100, 1000, 10000:
                s = self.scenario("chain", unit, chain(n))
                name = f"chain {what}"
                r = self.best(["play", "steps"], s, unit, n, max(1, 20000 // n), 600,
                              RATIO.get((name, n)))
                self.add(name, n, False, r["tutti"], r["floor"],
                         "ns per unit and step", RATIO.get((name, n)))

    def best(self, mode, scenario, unit, n, chunk, rounds, most):
        """The best of each, over more processes when the gate is missed: a
        neighbour that keeps the core's cache busy spoils a whole one."""
        best = {}
        for _ in range(4):
            r = self.run(*mode, scenario, self.folder(unit), n, chunk, rounds)
            best = {k: min(v, best.get(k, v)) for k, v in r.items()}
            if most is None or best["tutti"] / best["floor"] <= most:
                break
        return best

    def csv(self):
        for n in 2, 10, 100, 1000, 10000:
            s = self.scenario("csv", "checked2", chain(n))
            most = RATIO.get(("csv FMI 2", n))
            r = self.best(["record", "tutti.csv"], s, "checked2", n,
                          max(2, 200000 // n), 5, most)
            self.recorded("csv FMI 2", n, r, most)
        self.hdf5()
        os.remove(os.path.join(self.out, "floor.csv"))

    def recorded(self, name, n, r, most):
        os.remove(os.path.join(self.out, "tutti." + name.split()[0]))
        return self.add(name, n, True, r["tutti"], r["floor"],
                        "ns per unit and step", most,
                        tutti_wall=r["tutti_wall"],
                        floor_wall=r["floor_wall"])

    def hdf5(self):
        """Long results: a file of columns beside one of lines."""
        n, rows = 10, {}
        s = self.scenario("csv", "checked2", chain(n))
        for kind in "csv", "h5":
            r = self.best(["record", "tutti." + kind], s, "checked2", n,
                          200000, 3, None)
            rows[kind] = self.recorded(f"{kind} FMI 2, long", n, r, None)
        if rows["h5"]["tutti"] >= rows["csv"]["tutti"]:
            self.missed.append("HDF5 is not faster than CSV")

    def fan_out(self):
        for k in 1, 10, 100, 1000:
            s = self.scenario("fan", "checked2", {
                "{x}.u0.y": [f"{{x}}.u{i}.u" for i in range(1, k + 1)]})
            r = self.run("play", "steps", s, self.folder("checked2"), k + 1,
                         max(1, 20000 // (k + 1)), 300)
            per = (k + 1) / k
            self.add("fan-out", k, False, r["tutti"] * per, r["floor"] * per,
                     "ns per connection and step, with the step of its unit")

    # --- loading --------------------------------------------------------

    def load(self):
        small = None
        for n in 5000, 10000:
            s = self.scenario("wide", "wide2", wide(n))
            r = {}
            for _ in range(4):   # more processes when a gate is missed
                again = self.run("load", s, self.folder("wide2"), n, 3)
                r = {k: min(v, r.get(k, v)) for k, v in again.items()}
                tutti = r["parse"] + r["plan"] + r["start"]
                floor = r["json"] + r["make"] + r["init"]
                if not small or (tutti <= LOAD_MOST * floor
                                 and tutti <= DOUBLE_MOST * small):
                    break
            self.add("load, 10 connections per unit", n, False, tutti, floor,
                     "s", LOAD_MOST if n == 10000 else None, parts=r)
            if small:
                self.add("load, twice the connections", n, False, tutti, small,
                         "s", DOUBLE_MOST)
            small = tutti
        self.memory()

    def structure(self, units, ports):
        """An SSP: a ring of components, `ports` connections from each to the
        next, and as many connectors of the system as there are components."""
        path = os.path.join(self.out, "SystemStructure.ssd")
        space = "http://ssp-standard.org/SSP1/SystemStructure"
        pins = "".join(f'<d:Connector name="y{p}" kind="output"/>'
                       f'<d:Connector name="u{p}" kind="input"/>\n'
                       for p in range(1, ports + 1))
        with open(path, "w", encoding="utf-8") as f:
            f.write('<d:SystemStructureDescription version="1.0" name="ring" '
                    f'xmlns:d="{space}Description"><d:System name="s">'
                    "<d:Connectors>")
            for i in range(units):
                f.write(f'<d:Connector name="out{i}" kind="output"/>\n')
            f.write("</d:Connectors><d:Elements>\n")
            for i in range(units):
                f.write(f'<d:Component name="u{i}" source="wide.fmu">'
                        f"<d:Connectors>{pins}</d:Connectors></d:Component>\n")
            f.write("</d:Elements><d:Connections>\n")
            for i in range(units):
                for p in range(1, ports):
                    f.write(f'<d:Connection startElement="u{i}" startConnector='
                            f'"y{p}" endElement="u{(i + 1) % units}" '
                            f'endConnector="u{p}"/>\n')
                f.write(f'<d:Connection startElement="u{i}" startConnector='
                        f'"y{ports}" endConnector="out{i}"/>\n')
            f.write("</d:Connections></d:System>"
                    "</d:SystemStructureDescription>\n")
        return path

    def structures(self):
        """Reading an SSP, and writing it as JSON, without the FMUs: a second
        per 10,000 connections is the most, and twice as many take twice as
        long."""
        for units, ports in (1000, 10), (2000, 5):
            cost = []
            for more in 1, 2:
                s = self.structure(units * more, ports)
                cost.append(least_cpu(
                    [self.tutti, "convert", s, "-q", "-f", "-o",
                     os.path.join(self.out, "structure.json")], 5))
            n = units * ports
            self.add(f"SSP, {units} components", n, False, cost[0], n / 1e4,
                     "s", 1.0)
            self.add("SSP, twice the connections", 2 * n, False, cost[1],
                     cost[0], "s", DOUBLE_MOST)

    def start(self):
        """What comes before the first step: loading ourselves, and an FMU of
        many variables that nobody asks for."""
        empty = least_cpu(["true"])
        self.add("start beside an empty process", 1, False,
                 least_cpu([self.tutti, "--version"]), empty, "s")
        fmu = self.many_variables(100000)
        info = least_cpu([self.tutti, "info", fmu])
        run = least_cpu([self.tutti, "run", fmu, "--step", "0.1", "--until",
                         "1", "-q", "-o", os.path.join(self.out, "many.csv")])
        self.add("run beside info, many variables", 100000, False, run, info,
                 "s", RUN_MOST)

    def many_variables(self, n):
        path = os.path.join(self.out, "many.fmu")
        root = self.folder("trivial2")
        more = "".join(
            f'<ScalarVariable name="sub{i // 1000}.v{i}" valueReference='
            f'"{100000 + i}"><Real/></ScalarVariable>\n' for i in range(n))
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
            for folder, _, files in os.walk(root):
                for name in files:
                    with open(os.path.join(folder, name), "rb") as f:
                        data = f.read()
                    if name == "modelDescription.xml":
                        data = data.replace(b"</ModelVariables>", more.encode()
                                            + b"</ModelVariables>")
                    z.writestr(os.path.relpath(os.path.join(folder, name),
                                               root), data)
        return path

    def memory(self):
        used = {}
        for n in 100, 10000:
            s = self.scenario("memory", "trivial2", chain(n))
            used[n] = self.run("load", s, self.folder("trivial2"), n, 1)
        ours, floor = ((used[10000][k] - used[100][k]) / 9900
                       for k in ("tutti_heap", "floor_heap"))
        row = self.add("memory per trivial unit", 10000, False, ours, floor,
                       "bytes", above=ours - floor, most_above=BYTES_MOST,
                       peak_rss=used[10000]["peak_rss"])
        if row["above"] > BYTES_MOST:
            self.missed.append(f"memory: {row['above']:.0f} bytes per unit, at "
                               f"most {BYTES_MOST}")

    # --- threads and peers ----------------------------------------------

    def threads(self):
        text = subprocess.run([self.tutti, "run", "--help"],
                              capture_output=True, text=True).stdout
        if "--threads" not in text:
            self.rows.append({"name": "threads, 1 ms per step", "n": 2,
                              "record": False, "tutti": None, "floor": None,
                              "ratio": None, "unit": "not available"})
            return
        cores = os.cpu_count()
        for n in 2, 8:
            one, all_ = self.per_step("heavy", "heavy3", ring(n), (50, 450),
                                      (1, cores), 3)
            self.add("threads, 1 ms per step", n, False, all_, one,
                     "s per step", most=HEAVY_MOST if cores > 1 else None,
                     threads=cores, speed_up=one / all_)
        self.heavy_events(cores)
        one, auto = self.per_step("light", "checked2", chain(100),
                                  (1000, 51000), (1, "auto"), 12)
        self.add("light units, --threads auto", 100, False, auto, one,
                 "s per step", most=LIGHT_MOST)

    def heavy_events(self, cores):
        """Discrete events that are played ahead. Wall clock of two lengths,
        their difference: loading is not counted."""
        path = os.path.join(self.out, "lines.json")
        least = {}
        for _ in range(3):
            for end in 1, 201:
                devstone.write_lines(path, self.folder("atom3"), 8, 1e5, end)
                for t in 1, cores:
                    took = wall([self.tutti, "run", "-q", "--threads", str(t),
                                 "-o", os.devnull, path])
                    least[end, t] = min(took, least.get((end, t), took))
        one, all_ = ((least[201, t] - least[1, t]) / 200 for t in (1, cores))
        self.add("threads, heavy discrete events", 8, False, all_, one,
                 "s per second of eight lines", threads=cores,
                 speed_up=one / all_)

    def per_step(self, name, unit, connections, lengths, threads, rounds):
        """On each number of threads, taking turns. Wall clock of two lengths,
        their difference: loading is not counted."""
        least = {}
        for _ in range(rounds):
            for n in lengths:
                s = self.scenario(f"{name}{n}", unit, connections,
                                  end=n * STEP)
                for t in threads:
                    took = wall([self.tutti, "run", "-q", "--threads", str(t),
                                 "-o", os.devnull, s])
                    least[n, t] = min(took, least.get((n, t), took))
        return [(least[lengths[1], t] - least[lengths[0], t])
                / (lengths[1] - lengths[0]) for t in threads]

    def sweep(self):
        """Points beside one run that is as long as all of them together, less
        what comes before its first step."""
        n, steps, points = 100, 10000, 20
        s = self.scenario("sweep", "checked2", chain(n), end=steps * STEP)
        words = [self.tutti, "sweep", s, "--vary", f"{{x}}.u0.u=0:1:{points}", "-q", "-o",
                 os.path.join(self.out, "sweep.csv"), "-c", f"u{n - 2}.y", "-j"]
        one = least_cpu([*words, "1"], 5)
        run = [self.tutti, "run", s, "-q", "--sample", "1e9", "-o", os.devnull, "--until"]
        bare = least_cpu([*run, str(STEP * steps * points)], 5) - least_cpu([*run, str(STEP)], 5)
        self.add("sweep beside bare runs", n, False, one, bare, "s", SWEEP_MOST, points=points)
        cores = os.cpu_count()
        if cores > 1:
            alone, all_ = least_wall([*words, "1"]), least_wall([*words, str(cores)])
            self.add("sweep, all processors", n, False, all_, alone, "s",
                     processes=cores, speed_up=alone / all_)

    def ranks(self):
        """As many units as a small cluster job has, over one rank and over
        two; starting and meeting is not counted: two lengths, their
        difference."""
        mpirun, n = shutil.which("mpirun"), 1000
        name = "ranks, 20 us per step"
        if not mpirun or not os.path.exists(
                os.path.join(os.path.dirname(self.tutti), "tutti-mpi.so")):
            self.rows.append({"name": name, "n": n, "record": False,
                              "tutti": None, "floor": None, "ratio": None,
                              "unit": "not available"})
            return
        os.environ.update({"OMPI_ALLOW_RUN_AS_ROOT": "1",
                           "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"})
        took = {}
        for k in 1, 2:
            command = [mpirun, "-n", str(k), self.tutti, "run", "-q", "-o",
                       os.devnull]
            short, long = (least_wall(command + [self.scenario(
                f"busy{steps}", "busy3", ring(n), end=steps * STEP)])
                for steps in (10, 60))
            took[k] = (long - short) / 50
        self.add(name, n, False, took[2], took[1], "s per step", most=1.0,
                 ranks=2)

    def elsewhere(self):
        """A step of a unit in another process, to messages alone; over more
        processes when a gate is missed: some share a core."""
        best = {}
        for _ in range(4):
            done = subprocess.run(
                [os.path.join(self.out, "elsewhere"),
                 self.folder("trivial2"), "101", "1000"],
                cwd=self.out, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(f"bench: elsewhere:\n{done.stderr}")
            for name, (step, ping) in json.loads(done.stdout).items():
                best[name] = min(best.get(name, (step, ping)), (step, ping),
                                 key=lambda r: r[0] / r[1])
            if all(s / p <= ELSEWHERE_MOST[k] for k, (s, p) in best.items()):
                break
        for name, (step, ping) in best.items():
            self.add(f"{name} step, to a ping-pong", 1, False, step, ping,
                     "ns per step", most=ELSEWHERE_MOST[name])

    def peers(self):
        """CPU time of two lengths, their difference. A peer that fails is
        told, and the others are measured all the same."""
        for peer in self.others:
            try:
                self.peer(peer)
            except subprocess.CalledProcessError as e:
                said = e.stderr.decode(errors="replace").strip()
                self.failed.append(f"peer {peer['name']}: {' '.join(e.cmd)} "
                                   f"ended with {e.returncode}"
                                   + (f": {said[-500:]}" if said else ""))

    def peer(self, peer):
        floor = {r["n"]: r["floor"] for r in self.rows
                 if r["name"] == "chain FMI 2"}
        for n in 10, 100, 1000:
            steps = 200000 // n
            cost = []
            for k in 1, 3:
                end = k * steps * STEP
                s = self.scenario("peer", "checked2", chain(n), end=end)
                fill = {"scenario": s, "folder": self.folder("checked2"),
                        "fmu": self.folder("checked") + ".fmu", "n": n,
                        "step": STEP, "end": end}
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run(peers.words(peer, fill), check=True,
                               cwd=self.out, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                cost.append(after.ru_utime - before.ru_utime +
                            after.ru_stime - before.ru_stime)
            ns = 1e9 * (cost[1] - cost[0]) / (2 * steps * n)
            self.add(f"peer {peer['name']}", n, False, ns, floor[n],
                     "ns per unit and step")

    # --- results ---------------------------------------------------------

    def write(self):
        with open(os.path.join(self.out, "results.json"), "w",
                  encoding="utf-8") as f:
            json.dump(self.rows, f, indent=1)
            f.write("\n")
        with open(os.path.join(self.out, "performance.svg"), "w",
                  encoding="utf-8") as f:
            f.write(curves.draw(self.rows))

    def show(self):
        print(f"{'':34}{'n':>6}{'Tutti':>11}{'floor':>11}{'ratio':>8}"
              f"{'above':>9}  gate")
        for r in self.rows:
            gate = f"<= {r['most']}" if "most" in r else ""
            above = ""
            if "above" in r:
                above = f"+{r['above']:.1f}"
                gate = f"+ <= {r['most_above']}"
            if r["tutti"] is None:
                print(f"{r['name']:34}{r['n']:>6}  {r['unit']}")
                continue
            print(f"{r['name']:34}{r['n']:>6}{r['tutti']:11.4g}"
                  f"{r['floor']:11.4g}{r['ratio']:8.3f}{above:>9}  {gate:8} "
                  f"{r['unit']}")


def wall(command):
    began = time.monotonic()
    subprocess.run(command, check=True)
    return time.monotonic() - began


def least_wall(command):
    return min(wall(command) for _ in range(3))


def least_cpu(command, rounds=9):
    def cpu():
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return (after.ru_utime + after.ru_stime - before.ru_utime
                - before.ru_stime)
    return min(cpu() for _ in range(rounds))


def chain(n):
    return {f"{{x}}.u{i}.y": [f"{{x}}.u{i + 1}.u"] for i in range(n - 1)}


def ring(n):
    return {f"{{x}}.u{i}.y": [f"{{x}}.u{(i + 1) % n}.u"] for i in range(n)}


def wide(n):
    return {f"{{x}}.u{i}.y{p}": [f"{{x}}.u{(i + 1) % n}.u{p}"]
            for i in range(n) for p in range(1, 11)}


def main():
    if len(sys.argv) not in (2, 3) or sys.argv[2:] not in ([], ["--quick"]):
        sys.exit("usage: bench.py BUILD [--quick]")
    try:
        bench = Bench(os.path.abspath(sys.argv[1]))
    except peers.Bad as e:
        sys.exit(str(e))
    bench.count()
    bench.ways()
    bench.count_exchange()
    bench.count_event()
    bench.adapted()
    if not sys.argv[2:]:
        for part in (bench.chains, bench.csv, bench.fan_out, bench.exchange,
                     bench.events, bench.devstone, bench.count_alone,
                     bench.load, bench.structures,
                     bench.start, bench.threads, bench.sweep,
                     bench.ranks, bench.elsewhere, bench.peers):
            part()
        bench.write()
    bench.show()
    for words in bench.missed:
        print(f"missed: {words}")
    for words in bench.failed:
        print(words)
    return 1 if bench.missed or bench.failed else 0


if __name__ == "__main__":
    sys.exit(main())
