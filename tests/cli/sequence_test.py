#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Orders chosen anew after each step: sequence_test.py BUILD. What is played is compared with an
independent computation of both orders, estimates with what follows from recorded rows."""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

from linear import Network, flow, left, network, right

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
FOLDER = os.path.join(BUILD, "examples", "sequence")
SCENARIO = os.path.join(FOLDER, "scenario.json")
ALTERNATE = os.path.join(FOLDER, "alternate.json")
# m1 c1 d1, m2 c2 d2, cc dc: sets A and B of the paper
SET_A = (1, 1, 1, 1, 1, 1, 1, 1)
SET_B = (100, 1, 1, 1, 1, 1, 100, 1)
NAMES = [("msd1", n) for n in ("m1", "c1", "d1")] + [
    ("msd2", n) for n in ("m2", "c2", "d2", "cc", "dc")]
COLUMNS = ["{msd1}.msd1.x1", "{msd1}.msd1.v1", "{msd2}.msd2.x2", "{msd2}.msd2.v2", "{msd2}.msd2.F"]
H = 0.01


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def put(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
    return path


def rows(path):
    with open(path, encoding="utf-8", newline="") as f:
        return [(float(r["time"]), *(float(r[c]) for c in COLUMNS)) for r in csv.DictReader(f)]


def settings(values):
    words = []
    for (unit, name), v in zip(NAMES, values):
        words += ["--set", f"{unit}.{name}={v}"]
    return words


def run(path, values, *words, until=5):
    got = tutti("run", SCENARIO, *words, *settings(values), "--until", str(until), "-o", path, "--json")
    return json.loads(got.stdout), rows(path)


class Masses:
    """Both units, exact, and one step in either order."""

    def __init__(self, values):
        m1, c1, d1, m2, c2, d2, cc, dc = values
        self.a1, self.b1 = [[0, 1], [-c1 / m1, -d1 / m1]], [[0], [1 / m1]]
        self.a2 = [[0, 1], [-(c2 + cc) / m2, -(d2 + dc) / m2]]
        self.b2 = [[0, 0], [cc / m2, dc / m2]]
        self.cc, self.dc = cc, dc
        self.x1, self.x2 = [1.0, 0.0], [0.0, 0.0]
        self.past = []  # exchanged values, newest last: (F, x1, v1)
        self.keep()

    def force(self, x1):
        return self.cc * (self.x2[0] - x1[0]) + self.dc * (self.x2[1] - x1[1])

    def keep(self):
        self.past.append((self.force(self.x1), *self.x1))

    def lead(self):
        """Where the past leads one step on: held in the first one."""
        if len(self.past) < 2:
            return self.past[-1]
        return tuple(2 * p - q for p, q in zip(self.past[-1], self.past[-2]))

    def step(self, first):
        now, to = self.past[-1], self.lead()
        if first == 1:
            end = flow(self.a1, self.b1, self.x1, now[:1], to[:1], H)
            self.x2 = flow(self.a2, self.b2, self.x2, now[1:], end, H)
        else:
            self.x2 = flow(self.a2, self.b2, self.x2, now[1:], to[1:], H)
            end = flow(self.a1, self.b1, self.x1, now[:1], (self.force(to[1:]),), H)
        self.x1 = end
        self.keep()


def close(a, b, what, tolerance=1e-12):
    assert abs(a - b) <= tolerance * max(1, abs(a), abs(b)), (what, a, b)


def alternates():
    """Histories stay exact over a switch."""
    for values in (SET_A, SET_B):
        got, played = run("alternate.csv", values, ALTERNATE)
        m = Masses(values)
        for n, row in enumerate(played):
            for a, b in zip(row[1:], (*m.x1, *m.x2, m.force(m.x1))):
                close(a, b, (n, row))
            m.step(1 + n % 2)
        assert got["sequence"]["switches"] == len(played) - 2, got["sequence"]
        close(got["sequence"]["orders"][0]["share"], 0.5, "share")


def missed(played, n):
    """Eq. 3 at row n: F, x1, v1 less where the rows before led."""
    value = [[r[5], r[1], r[2]] for r in (played[n], played[n - 1], played[n - 2])]
    return [a - (2 * b - c) for a, b, c in zip(*value)]


def errors(played, values, indicator):
    """Per row from 2 on: the estimate of either order, of recorded rows alone."""
    m1, _, _, m2, _, _, cc, dc = values
    e = [0.0, 0.0, 0.0]
    reach = [1 / m1, cc / m2, dc / m2]
    for n in range(2, len(played)):
        eps = missed(played, n)
        e = [H * p + q * H * j for p, q, j in zip(eps, e, reach)]
        f, x, v = e if indicator == "global" else eps
        yield abs(f), abs(cc * x + dc * v)


def indicators():
    """Estimates are those of Eq. 3 and 4; decisions are what follows from them."""
    for values in (SET_A, SET_B):
        for indicator in ("local", "global"):
            never = put("never.json", {"sequence": {"hold": 1000000}})
            got, played = run("static.csv", values, never, "--sequence", indicator)
            assert got["sequence"]["switches"] == 0, got["sequence"]
            both = list(errors(played, values, indicator))
            for i, o in enumerate(got["sequence"]["orders"]):
                close(o["estimate"], math.fsum(H * e[i] for e in both), (indicator, i))
            close(got["sequence"]["estimate"], got["sequence"]["orders"][0]["estimate"], indicator)

            got, played = run("adapted.csv", values, "--sequence", indicator)
            order, m, own, word = 1, Masses(values), 0, [1, 1]
            for e in errors(played, values, indicator):
                own += H * e[order - 1]
                if e[2 - order] < e[order - 1]:
                    order = 3 - order
                word.append(order)
            for n, row in enumerate(played):
                for a, b in zip(row[1:], (*m.x1, *m.x2, m.force(m.x1))):
                    close(a, b, (indicator, n), 1e-9)
                m.step(word[n])
            close(got["sequence"]["estimate"], own, indicator, 1e-9)
            switches = sum(a != b for a, b in zip(word[:-1], word[1:-1]))
            assert got["sequence"]["switches"] == switches > 0, (got["sequence"], switches)
            best = got["sequence"]["orders"][got["sequence"]["best"] - 1]["estimate"]
            assert best == min(o["estimate"] for o in got["sequence"]["orders"])


def traced(*words):
    _, played = run("c.csv", SET_A, *words, "--trace", "trace.csv")
    with open("trace.csv", newline="", encoding="utf-8") as f:
        return played, list(csv.DictReader(f))


def curves():
    """The trace has what each order was estimated to miss: Eq. 3. The one with the least makes the step."""
    played, trace = traced("--sequence", "local")
    assert len(trace) == len(played) - 1 and "sequence.error[3]" not in trace[0], trace[0]
    assert all(r["sequence.error[1]"] == "NaN" for r in trace[:2])
    for r, expected in zip(trace[2:], errors(played, SET_A, "local")):
        error = [float(r["sequence.error[1]"]), float(r["sequence.error[2]"])]
        for got, want in zip(error, expected):
            close(got, want, r, 1e-9)
        order = int(r["order"])
        assert error[order - 1] <= error[2 - order], r
    assert {r["order"] for r in trace} == {"1", "2"}
    assert "order" not in traced("--sequence", "off")[1][0]


def exact(values):
    """Both masses as one system: x1, v1, x2, v2 at every row."""
    m1, c1, d1, m2, c2, d2, cc, dc = values
    a = [[0, 1, 0, 0], [-(c1 + cc) / m1, -(d1 + dc) / m1, cc / m1, dc / m1],
         [0, 0, 0, 1], [cc / m2, dc / m2, -(c2 + cc) / m2, -(d2 + dc) / m2]]
    x = [1.0, 0.0, 0.0, 0.0]
    while True:
        yield x
        x = flow(a, [[0]] * 4, x, [0], [0], H)


def off_by(played, values):
    """What is connected, compared with the exact solution: the integral of all errors."""
    cc, dc = values[6:]
    total = 0
    for p, x in zip(played, exact(values)):
        force = cc * (x[2] - x[0]) + dc * (x[3] - x[1])
        total += H * (abs(p[5] - force) + abs(p[1] - x[0]) + abs(p[2] - x[1]))
    return total


ORDERS = ("msd1,msd2", "msd2,msd1")


def signed():
    """What it estimates is the error there is, of the run and of either order had it been kept."""
    for values in (SET_A, SET_B, (0.3, 0.5, 0.2, 0.8, 0.1, 0.9, 0.6, 0.4)):
        got, played = run("signed.csv", values, "--sequence", "signed")
        close(got["sequence"]["estimate"] / off_by(played, values), 1, values, 0.01)
        for order, o in zip(ORDERS, got["sequence"]["orders"]):
            _, played = run("fixed.csv", values, "--sequence", "off", "--order", order)
            close(o["estimate"] / off_by(played, values), 1, (values, order), 0.01)


def study():
    """Draws as those of paper 004: the error of v1, by that of the better order of each case."""
    draw, ratios = random.Random(18), []
    for case in range(12):
        values = (SET_A, SET_B)[case] if case < 2 else [
            draw.uniform(0.1 * (name[0] == "m"), 1) for _, name in NAMES]
        error = []
        for words in (("--sequence", "signed"), *(("--sequence", "off", "--order", o) for o in ORDERS)):
            _, played = run("study.csv", values, *words)
            error.append(math.sqrt(math.fsum((p[2] - x[1]) ** 2 for p, x in zip(played, exact(values)))))
        ratios.append(error[0] / min(error[1:]))
    mean = math.fsum(ratios) / len(ratios)
    assert mean <= 0.95 and max(ratios) < 1.05, ratios


def ring():
    """Four instances, each fed by the one before: eight orders, and the same bits on two threads."""
    fmu = os.path.join(FOLDER, "..", "double-mass-spring-damper")
    scenario = {
        "fmus": {"{a}": os.path.join(fmu, "msd1.fmu"), "{b}": os.path.join(fmu, "msd2.fmu")},
        "connections": {}, "master": "gauss-seidel", "approximation": "linear", "sequence": "local",
        "endTime": 5, "algorithm": {"type": "fixed-step", "size": 0.05}}
    for here, there in (("p", "q"), ("q", "p")):
        for v in ("x1", "v1"):
            scenario["connections"]["{a}.%s1.%s" % (here, v)] = ["{b}.%s2.%s" % (here, v)]
        scenario["connections"]["{b}.%s2.F" % here] = ["{a}.%s1.F" % there]
    put("ring.json", scenario)
    for words in ((), ("--threads", "2"), ("--sequence", "signed"), ("--sequence", "global")):
        got = json.loads(tutti("run", "ring.json", "-o", "ring%u.csv" % len(words), "--json", *words).stdout)
        assert len(got["sequence"]["orders"]) == 8, got["sequence"]
        close(sum(o["share"] for o in got["sequence"]["orders"]), 1, "share")
        if words[:1] == ("--threads",):
            with open("ring0.csv", "rb") as a, open("ring2.csv", "rb") as b:
                assert a.read() == b.read()


CHAIN = (["{msd1}.a", "{msd2}.b", "{msd1}.c"],
         [(0, "x1", 1, "x1"), (2, "v1", 1, "v1"), (1, "F", 0, "F"), (1, "F", 2, "F")], 6,
         lambda: Network([left(), right(), left()], [[(1, 0)], [(0, 0), (2, 1)], [(1, 0)]]))
RING = (["{msd1}.a", "{msd1}.b", "{msd1}.c"], [(i, "v1", (i + 1) % 3, "F") for i in range(3)], 6,
        lambda: Network([left()] * 3, [[((i + 2) % 3, 1)] for i in range(3)]))


def sequenced(version, names, feeds):
    return {**network(BUILD, version, names, feeds), "master": "gauss-seidel", "sequence": "signed", "endTime": 5,
            "approximation": "hold" if version else "linear", "algorithm": {"type": "fixed-step", "size": 0.05}}


def played(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def of_three():
    """A chain and a ring of three: every row is what an independent computation of the orders that were played gives,
    with steps of one and of several lengths; the same bits on two threads, and with FMI 3."""
    for names, feeds, orders, exact_network in CHAIN, RING:
        path = put("net.json", sequenced("", names, feeds))
        for words in ((), ("--error-control", "milne", "--step-tolerance", "1e-5")):
            got = json.loads(tutti("run", path, *words, "-o", "net.csv", "--trace", "trace.csv", "--json").stdout)
            known = [[names.index(n) for n in o["order"].split(" -> ")] for o in got["sequence"]["orders"]]
            assert len(known) == orders and got["sequence"]["switches"] > 0, got["sequence"]
            steps = [t for t in played("trace.csv") if t["outcome"] == "accepted"]
            table = played("net.csv")
            assert len({t["order"] for t in steps}) > 2 and len(table) == len(steps) + 1, (len(table), len(steps))
            m = exact_network()
            for n, row in enumerate(table):
                for u, name in enumerate(names):
                    for k, v in enumerate(("x2", "v2") if "msd2" in name else ("x1", "v1")):
                        close(float(row[f"{name}.{v}"]), m.x[u][k], (words, n, name, v), 1e-11)
                if n < len(steps):
                    h = float(table[n + 1]["time"]) - float(row["time"])
                    m.step(known[int(steps[n]["order"]) - 1], h)
            tutti("run", path, *words, "-o", "threads.csv", "--threads", "2", "-q")
            assert played("threads.csv") == table
        tutti("run", path, "--approximation", "hold", "-o", "two.csv", "-q")
        tutti("run", put("three.json", sequenced("-fmi3", names, feeds)), "-o", "three.csv", "-q")
        assert played("three.csv") == played("two.csv")


def damped():
    """Hysteresis: less often with a margin, and with decisions held."""
    free = run("a.csv", SET_B, "--sequence", "signed")[0]["sequence"]["switches"]
    margin = run("a.csv", SET_B, put("over.json", {"sequence": {"margin": 1.01}}))[0]["sequence"]["switches"]
    hold = run("a.csv", SET_B, put("over.json", {"sequence": {"hold": 20}}))[0]["sequence"]["switches"]
    assert margin < free and 0 < hold < free, (free, margin, hold)
    off, _ = run("off.csv", SET_B, "--sequence", "off")
    assert "sequence" not in off, off
    for first, order in ((1, "msd1,msd2"), (2, "msd2,msd1")):
        _, played = run("fixed.csv", SET_B, "--sequence", "off", "--order", order)
        m = Masses(SET_B)
        for n, row in enumerate(played):
            close(row[2], m.x1[1], (order, n))
            m.step(first)


def same_bits():
    """FMI 2 and 3, threads, processes of their own, a checkpoint on the way."""
    three = {"fmus": {"{%s}" % u: os.path.join(FOLDER, "..", "double-mass-spring-damper", u + "-fmi3.fmu")
                      for u in ("msd1", "msd2")}}
    _, want = run("want.csv", SET_B)
    for words in (("--threads", "2"), ("--isolate",)):
        _, got = run("got.csv", SET_B, *words)
        assert got == want, words
    _, two = run("two.csv", SET_B, "--approximation", "hold")
    _, got = run("got.csv", SET_B, put("three.json", three), "--approximation", "hold")
    assert got == two
    tutti("run", SCENARIO, *settings(SET_B), "-o", "half.csv", "--checkpoint", "half.ckpt",
          "--every", "sim:3")
    tutti("run", "--resume", "half.ckpt")
    assert rows("half.csv") == want


def varied():
    """With steps of other lengths, as error control makes them."""
    got, played = run("milne.csv", SET_B, "--error-control", "milne", "--step-tolerance", "1e-5")
    steps = [b[0] - a[0] for a, b in zip(played, played[1:])]
    assert max(steps) > 1.5 * min(steps[:-1]), steps
    close(sum(o["share"] for o in got["sequence"]["orders"]), 1, "share")
    assert got["sequence"]["switches"] > 0, got["sequence"]


def allowed():
    """Inputs held over 0.3 s: either order alone grows, both in turn do not. A sequence that obeys
    what tutti stability leaves plays them in turn, whatever it goes by; what it leaves is checked with
    an independent computation of both steps."""
    words = ["--approximation", "hold", "--step", "0.3", "--until", "300"]
    both = put("both.json", {"sequence": {"adapt": "local", "orders": [["msd1", "msd2"], ["msd2", "msd1"]]}})
    tutti("stability", SCENARIO, both, *words, "--adaptive", "--lift", "1", "-q", "-o", "turn.json")
    with open("turn.json", encoding="utf-8") as f:
        found = json.load(f)
    assert sorted(found["allowed"]) == [[0, 2, 1], [1, 1, 0]], found["allowed"]
    assert [p["name"] for p in found["policies"]] == [
        "{msd1}.msd1 -> {msd2}.msd2", "{msd2}.msd2 -> {msd1}.msd1"], found["policies"]

    def size(path):
        return [max(map(abs, r[1:5])) for r in rows(path)]

    for name, over in (("free", {}), ("first", {"adapt": "off", "pattern": [1]}),
                       ("second", {"adapt": "off", "pattern": [2]})):
        tutti("run", SCENARIO, both, put("over.json", {"sequence": over}), *words, "-o", "grow.csv")
        grown = size("grow.csv")
        assert name == "free" or grown[-1] > 1e4 * grown[0], (name, grown[-1])
    guarded = put("guarded.json", {"allowed": "turn.json"})
    for over in ({}, {"adapt": "off", "pattern": [1]}, {"adapt": "off", "pattern": [2]}):
        got = json.loads(tutti("run", SCENARIO, both, put("over.json", {"sequence": over}), guarded, *words,
                               "-o", "turn.csv", "--trace", "turn-trace.csv", "--json").stdout)["sequence"]
        assert got["guarded"] and got["refused"] > 100 and got["cut"] == 0, got
        with open("turn-trace.csv", newline="", encoding="utf-8") as f:
            order = [int(r["order"]) for r in csv.DictReader(f)]
        assert len(order) == 1000 and all(a != b for a, b in zip(order, order[1:])), order
        rest = size("turn.csv")
        assert rest[-1] < 1e-2 * rest[0], rest[-1]
        matrix = [p["matrix"] for p in found["policies"]]
        table = rows("turn.csv")
        for k, (x, y) in enumerate(zip(table, table[1:])):
            a = matrix[order[k] - 1]
            z = [sum(a[4 * j + i] * x[1 + j] for j in range(4)) for i in range(4)]
            assert max(abs(p - q) for p, q in zip(y[1:5], z)) < 1e-9, (k, y, z)
    for more, message in (
            (["--step", "0.2"], "turn.json is about another scenario, or this one has changed since: "
             "make it anew with 'tutti stability --adaptive'"),
            (["--error-control", "milne"], "'allowed' does not go with a sequence of steps that vary")):
        got = tutti("run", SCENARIO, both, guarded, *words, *more, "-o", "x.csv", code=2).stderr
        assert message in got, got
    got = tutti("run", SCENARIO, both, guarded, *words, "--sequence", "off", "-o", "x.csv", "--json").stdout
    assert "sequence" not in json.loads(got)
    # the file goes along where a scenario is written elsewhere
    os.mkdir("there")
    tutti("convert", SCENARIO, both, guarded, "-o", "there/moved.json")
    with open("there/moved.json", encoding="utf-8") as f:
        assert os.path.basename(json.load(f)["allowed"]) == "turn.json"


def refused(sequence, message, *words):
    with open(SCENARIO, encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"] = {k: os.path.join(FOLDER, v) for k, v in scenario["fmus"].items()}
    scenario["sequence"] = sequence
    got = tutti("run", put("bad.json", scenario), "-o", "x.csv", *words, code=2).stderr
    assert message in got, (message, got)


def refusals():
    both = [["msd1", "msd2"], ["msd2", "msd1"]]
    refused("local", "'sequence' goes with the master gauss-seidel: with jacobi no instance waits "
            "for another one", "--master", "jacobi")
    for sequence, message in (
            ("best", "'adapt' must be 'off', 'local', 'global' or 'signed', not 'best'"),
            ({"hold": 0}, "'hold' must be a number of steps from 1 to 1000000, not 0"),
            ({"margin": 0.5}, "'margin' must be a factor from 1 on, not 0.5"),
            ({"orders": both, "pattern": [3]}, "'pattern' has numbers of 'orders', from 1 to 2"),
            ({"orders": both, "pattern": [1], "adapt": "local"},
             "'sequence' takes either 'adapt' or 'pattern'"),
            ({"orders": both[:1]}, "'orders' must be 2 to 8 orders, not 1"),
            ({"orders": [["msd1"], ["msd2"]]}, "the order does not name '{msd2}.msd2'"),
            ({"orders": [both[0], []]}, "an order in 'orders' is empty"),
            ({"orders": [both[0], both[0]], "adapt": "local"},
             "'orders' has two orders that step alike"),
            (3, "'sequence' must be a string or an object")):
        refused(sequence, message)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        alternates()
        indicators()
        curves()
        signed()
        study()
        ring()
        of_three()
        damped()
        same_bits()
        varied()
        allowed()
        refusals()


main()
