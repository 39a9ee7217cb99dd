#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which words of policies are stable: adaptive_test.py BUILD. The inverted pendulum with its
eight policies; matrices, growth and proofs are computed here once more."""
import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

import switching_test as switching

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
PENDULUM = os.path.join(BUILD, "examples", "adaptive-pendulum", "scenario.json")
MSD = os.path.join(BUILD, "examples", "double-mass-spring-damper", "scenario.json")
LONG = "224533542245335422453354224523254"  # an unstable cycle of 33, as published
KNOWN = {0: 5.0, 1: 7.2568898, 2: 7.7083039}  # growth of words


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def product(a, b):
    return [[sum(x * b[k][j] for k, x in enumerate(row)) for j in range(len(b[0]))] for row in a]


def matrix(step, micro, midpoint):
    """x to x a step later: u = d x is held, and the cart integrated by micro-steps."""
    big, m, b, i, g, l = 0.5, 0.2, 0.1, 0.006, 9.8, 0.3
    p, j = i * (big + m) + big * m * l * l, i + m * l * l
    f = [[0, 1, 0, 0, 0], [0, -j * b / p, m * m * g * l * l / p, 0, j / p], [0, 0, 0, 1, 0],
         [0, -m * l * b / p, m * g * l * (big + m) / p, 0, m * l / p], [0] * 5]
    d = [1.0, 1.6567, -18.6854, -3.4594]
    h = step / micro
    square = product(f, f)
    one = [[(r == c) + h * f[r][c] + (h * h / 2 * square[r][c] if midpoint else 0)
            for c in range(5)] for r in range(5)]
    full = [[float(r == c) for c in range(5)] for r in range(5)]
    for _ in range(micro):
        full = product(one, full)
    return [[full[r][c] + full[r][4] * d[c] for c in range(4)] for r in range(4)]


OWN = [matrix(step, micro, midpoint) for step in (0.2, 0.1) for micro in (1, 10)
       for midpoint in (False, True)]


def positive(s):
    """By Cholesky's factorisation."""
    n = len(s)
    low = [[0.0] * n for _ in range(n)]
    for j in range(n):
        d = s[j][j] - sum(x * x for x in low[j][:j])
        if d <= 1e-12 * abs(s[j][j]):
            return False
        low[j][j] = math.sqrt(d)
        for i in range(j + 1, n):
            low[i][j] = (s[i][j] - sum(x * y for x, y in zip(low[i][:j], low[j][:j]))) / low[j][j]
    return True


def growth(edges, n, times=3000):
    x = [1.0] * n
    top = 1.0
    for _ in range(times):
        y = list(x)
        for start, _, end in edges:
            y[start] += x[end]
        top = max(y)
        x = [v / top for v in y]
    return top - 1


def spelled(edges, nodes, word):
    """Does a path from some node spell it?"""
    at = set(range(nodes))
    for symbol in word:
        at = {end for start, s, end in edges if start in at and s == int(symbol)}
    return bool(at)


def check(lift):
    got = json.loads(tutti("stability", "--adaptive", "--lift", str(lift), "--json",
                           PENDULUM).stdout)
    for policy, own in zip(got["policies"], OWN):
        for k, x in enumerate(policy["matrix"]):  # by columns
            assert abs(x - own[k % 4][k // 4]) < 1e-9, (policy["name"], k)
    edges, nodes = got["allowed"], got["nodes"]
    assert nodes == 8**lift and got["edges"] == 8**(lift + 1), got["nodes"]
    for start, symbol, end in edges:  # the oldest choice has the largest weight, as in Fig. 5.6
        assert end == (8 * start + symbol - 1) % nodes, (start, symbol, end)
    assert abs(got["growth"] - KNOWN[lift]) < 1e-6, got["growth"]
    assert abs(got["entropy"] - math.log2(KNOWN[lift])) < 1e-6, got["entropy"]
    assert abs(growth(edges, nodes) - got["growth"]) < 1e-6
    rate, p = got["certificate"]["rate"], got["certificate"]["p"]
    assert rate < 1, rate
    of = [[[p[16 * v + r + 4 * c] for c in range(4)] for r in range(4)] for v in range(nodes)]
    for v in {e[0] for e in edges}:
        assert positive(of[v]), v
    for start, symbol, end in edges:
        a = OWN[symbol - 1]
        under = product([list(c) for c in zip(*a)], product(of[end], a))
        # our own matrices differ by rounding: a little more is allowed
        assert positive([[(rate + 1e-7)**2 * of[start][r][c] - under[r][c] for c in range(4)]
                         for r in range(4)]), (start, symbol)
    assert not spelled(edges, nodes, "542245332" * 3), lift
    assert not spelled(edges, nodes, LONG * 2), lift
    assert got["optimal"] is (None if lift == 2 else True), got["optimal"]
    return edges, nodes


def unstable_cycles():
    """Of one to four policies, as sets of edges (from, to) with the last policy known."""
    found = []
    for n in range(1, 5):
        for word in itertools.product(range(1, 5) if n == 4 else range(8), repeat=n):
            edges = frozenset(zip(word, word[1:] + word[:1]))
            if any(c <= edges for c in found):
                continue
            turn = [[float(r == c) for c in range(4)] for r in range(4)]
            for symbol in word:
                turn = product(OWN[symbol], turn)
            if radius(turn) >= 1:
                found.append(edges)
    return found


def most_words(known):
    """Every way to end these cycles that leaves more words than `known`: by choosing, of a
    cycle that is not ended yet, the edge to remove."""
    cycles, better, ways = unstable_cycles(), [], 0

    def look(removed, kept):
        nonlocal ways
        ways += 1
        left = growth([(a, 0, b) for a in range(8) for b in range(8) if (a, b) not in removed],
                      8, 100)
        if left <= known + 1e-7:
            return
        living = [c for c in cycles if not c & removed]
        if not living:
            better.append((left, removed))
            return
        least = min(living, key=lambda c: len(c - kept))
        for edge in sorted(least - kept):
            look(removed | {edge}, kept)
            kept = kept | {edge}
    look(frozenset(), frozenset())
    assert ways > 20
    return better


def words():
    assert not spelled(*check(0), "32645")
    check(1)
    assert most_words(KNOWN[1]) == []  # 5.9: nothing that is stable has more
    assert spelled(*check(2), "32645")


def published():
    """Three words of 5.10, repeated: the printed ones."""
    for word, known in (("542245332", 1.3449), (LONG, 1.6335), ("32645", 0.5180)):
        turn = [[float(r == c) for c in range(4)] for r in range(4)]
        for symbol in word:
            turn = product(OWN[int(symbol) - 1], turn)
        assert abs(radius(turn) - known) < 5e-5, (word, radius(turn))


def single():
    got = json.loads(tutti("stability", "--adaptive", "--json", PENDULUM).stdout)
    assert abs(got["policies"][0]["rho"] - 0.846649523455) < 1e-9
    assert abs(got["policies"][7]["rho"] - 0.920476511739) < 1e-9
    assert [e[1] for e in got["allowed"]] == [1, 5, 6, 7, 8], got["allowed"]
    text = tutti("stability", "--adaptive", PENDULUM).stdout
    assert "allowed:   5 of 8 edges, entropy 2.3219281 (log2 5), the most that edges can leave\n" in text
    assert "\ntook:      " in text, text


def masses(first, second):
    """Two masses by Jacobi's scheme, each by (midpoint, micro-steps): x to x a step later."""
    def steps(f, midpoint, micro):
        n, h, square = len(f), 0.1 / micro, product(f, f)
        one = [[(r == c) + h * f[r][c] + (h * h / 2 * square[r][c] if midpoint else 0)
                for c in range(n)] for r in range(n)]
        full = [[float(r == c) for c in range(n)] for r in range(n)]
        for _ in range(micro):
            full = product(one, full)
        return full
    left = steps([[0, 1, 0], [-1, -0.1, 1], [0, 0, 0]], *first)
    right = steps([[0, 1, 0, 0], [-2, -0.1, 1, 0.1], [0] * 4, [0] * 4], *second)
    force = [-1, -0.1, 1, 0.1]
    top = [[(left[r][c] if c < 2 else 0) + left[r][2] * force[c] for c in range(4)]
           for r in range(2)]
    return top + [[right[r][(c + 2) % 4] for c in range(4)] for r in range(2)]


def radius(a):
    """|a^(2^k)|^(1/2^k), by squaring."""
    log, times = 0.0, 1.0
    for _ in range(50):
        size = max(max(map(abs, row)) for row in a)
        log += math.log(size) / times
        a = [[x / size for x in row] for row in a]
        a = product(a, a)
        times *= 2
    return math.exp(log)


def sixteen():
    """Each mass by Euler's rule or the midpoint rule, in one step or ten: 16 policies."""
    ways = [(False, 1), (False, 10), (True, 1), (True, 10)]
    pairs = [(a, b) for a in ways for b in ways]
    with open(MSD, encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"] = {k: os.path.join(os.path.dirname(MSD), v)
                        for k, v in scenario["fmus"].items()}
    scenario["parameters"] = {
        "{msd1}.msd1.c1": 1, "{msd1}.msd1.d1": 0.1, "{msd2}.msd2.c2": 1, "{msd2}.msd2.cc": 1,
        "{msd2}.msd2.dc": 0.1}
    scenario["policies"] = [{"name": f"{a} {b}", "step": 0.1, "parameters": {
        "{msd1}.msd1.method": 2 if a[0] else 1, "{msd1}.msd1.microsteps": a[1],
        "{msd2}.msd2.method": 2 if b[0] else 1, "{msd2}.msd2.microsteps": b[1]}}
        for a, b in pairs]
    own = [radius(masses(a, b)) for a, b in pairs]
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.json")

        def bounds():
            with open(path, "w", encoding="utf-8") as f:
                json.dump(scenario, f)
            return json.loads(tutti("stability", "--adaptive", "--bounds", "--json", path).stdout)
        got = bounds()
        for policy, pair, rho in zip(got["policies"], pairs, own):
            assert abs(policy["rho"] - rho) < 1e-9, (policy["name"], rho)
            for k, x in enumerate(policy["matrix"]):
                assert abs(x - masses(*pair)[k % 4][k // 4]) < 1e-9, (policy["name"], k)
        assert abs(own[0] - 1.002506218539) < 1e-11 and abs(own[5] - 0.996880317721) < 1e-11, own
        found = got["bounds"]
        assert found["verdict"] == "unstable" and found["lower"] > 1.0025, found
        turn = [[float(r == c) for c in range(4)] for r in range(4)]
        for symbol in found["word"]:
            turn = product(masses(*pairs[symbol - 1]), turn)
        assert abs(radius(turn)**(1 / len(found["word"])) - found["lower"]) < 1e-9, found
        scenario["policies"] = [p for p, rho in zip(scenario["policies"], own) if rho < 1]
        assert len(scenario["policies"]) == 12
        got = bounds()
        found = got["bounds"]
        assert found["verdict"] == "stable" and found["degree"] == 2, found
        assert abs(found["lower"] - 0.999118974633) < 1e-9, found
        assert 0 <= found["upper"] - found["lower"] < 1e-6, found
        assert found["words"] == 0, found
        p = [[found["p"][r + 4 * c] for c in range(4)] for r in range(4)]
        assert positive(p)
        for policy in got["policies"]:
            a = [[policy["matrix"][r + 4 * c] for c in range(4)] for r in range(4)]
            under = product([list(c) for c in zip(*a)], product(p, a))
            assert positive([[(found["upper"] + 1e-9)**2 * p[r][c] - under[r][c]
                              for c in range(4)] for r in range(4)]), policy["name"]
        assert len(got["allowed"]) == 12 and abs(got["growth"] - 12) < 1e-9, got["growth"]
        text = tutti("stability", "--adaptive", "--bounds", path).stdout
        assert "any word:  grows by 0.9991189746 to 0.99911" in text, text
        assert " again and again, the most by a form of degree 2: stable\n" in text, text


def border():
    """An undamped mass, solved exactly: no policy shrinks it, nor is any of them called stable;
    with a damper that rounding hides neither."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "s.json")
        for damper in (0, 1e-12):
            with open(path, "w", encoding="utf-8") as f:
                json.dump({"fmus": {"{m}": os.path.join(os.path.dirname(MSD), "msd1.fmu")},
                           "connections": {}, "parameters": {"{m}.m.d1": damper},
                           "policies": [{"name": "a", "step": 0.2}, {"name": "b", "step": 0.1}],
                           "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 2}, f)
            got = json.loads(tutti("stability", "--adaptive", "--bounds", "--json", path).stdout)
            assert got["allowed"] == [] and got["certificate"] is None, got
            assert got["bounds"]["verdict"] == "marginal", got["bounds"]
            text = tutti("stability", "--adaptive", path).stdout
            assert text.endswith("verdict:   nothing is left that is stable\n"), text


def eased():
    """Policies of which what is left has no unstable cycle that is met, and no proof: cycles that are
    nearly unstable go, until there is one."""
    scenario, own = switching.rated(8.0)
    with tempfile.TemporaryDirectory() as folder:
        over = os.path.join(folder, "rates.json")
        with open(over, "w", encoding="utf-8") as f:
            json.dump(scenario, f)
        got = json.loads(tutti("stability", "--adaptive", "--lift", "1", "--json", MSD,
                               over).stdout)
        text = tutti("stability", "--adaptive", "--lift", "1", MSD, over).stdout
    assert got["verdict"] == "stable" and got["eased"] and got["optimal"] is None, got["verdict"]
    assert "); with nearly unstable cycles nothing was proved\n" in text, text
    edges, rate, p = got["allowed"], got["certificate"]["rate"], got["certificate"]["p"]
    assert len(edges) >= 4 and rate < 1 and abs(growth(edges, 4) - got["growth"]) < 1e-6, edges
    of = [[[p[16 * v + r + 4 * c] for c in range(4)] for r in range(4)] for v in range(4)]
    for start, symbol, end in edges:
        # in nominals, which are 1 here
        a = own[symbol - 1]
        under = product([list(c) for c in zip(*a)], product(of[end], a))
        assert positive(of[start])
        assert positive([[(rate + 1e-7)**2 * of[start][r][c] - under[r][c] for c in range(4)]
                         for r in range(4)]), (start, symbol)


def unknown():
    """What hinders is a reason, and no file is written that proves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        out, over = (os.path.join(folder, n) for n in ("allowed.json", "over.json"))
        pol = os.path.join(BUILD, "examples", "van-der-pol", "scenario.json")
        for scenario, policies, reason in (
                (pol, [{"name": "a"}],
                 "policy 'a': instances do not answer in proportion to changes"),
                (MSD, [{"name": "a", "approximation": "linear"}, {"name": "b", "step": 0.4}],
                 "policy 'b': courses of inputs go through instants of the steps before, and so "
                 "what a step does depends on how long those were: such policies must have one "
                 "step"),
                (MSD, [{"name": "a", "parameters": {"{msd1}.msd1.m1": 0}}], "policy 'a': ")):
            with open(over, "w", encoding="utf-8") as f:
                json.dump({"policies": policies}, f)
            got = json.loads(tutti("stability", "--adaptive", "--json", scenario, over).stdout)
            assert got["verdict"] == "unknown" and got["reason"].startswith(reason), got["reason"]
            assert got["allowed"] == [] and got["certificate"] is None, got
            text = tutti("stability", "--adaptive", scenario, over).stdout
            short = got["reason"].replace("{msd1}.", "")  # the key states nothing more
            assert text.endswith(f"verdict:   unknown: {short}\n"), text
            done = tutti("stability", "--adaptive", scenario, over, "-o", out, code=2)
            assert done.stderr == f"tutti: {out} is not written: {got['reason']}\n", done.stderr
            assert not os.path.exists(out)


def switched():
    """A run that switches is not one macro step again and again: no verdict of the scenario alone."""
    with tempfile.TemporaryDirectory() as folder:
        over, out = (os.path.join(folder, n) for n in ("over.json", "r.csv"))
        with open(over, "w", encoding="utf-8") as f:
            json.dump({"policies": [{"name": "a"}, {"name": "b", "master": "gauss-seidel"}],
                       "switching": {"pattern": [1, 2]}}, f)
        reason = ("policies switch, so that macro steps are not all alike: 'tutti stability --adaptive' "
                  "finds which words of them are stable")
        got = json.loads(tutti("stability", "--json", MSD, over).stdout)
        assert got["verdict"] == "unknown" and got["reason"] == reason, got
        assert got["rho"] is None and got["alternatives"] == [], got
        got = json.loads(tutti("run", "--stability", "--json", MSD, over, "-o", out).stdout)
        assert got["stability"]["verdict"] == "unknown", got["stability"]
        assert got["stability"]["reason"] == reason, got["stability"]


def files():
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "allowed.json")
        tutti("stability", "--adaptive", "--lift", "1", "-q", "-o", path, PENDULUM)
        with open(path, encoding="utf-8") as f:
            assert json.load(f)["lift"] == 1
        for args, message in (
                (["--adaptive", MSD], "--adaptive needs 1 to 32 \"policies\" in the scenario, "
                                      "which has 0, or a \"sequence\""),
                (["--lift", "1", PENDULUM], "--lift goes with --adaptive"),
                (["--adaptive", "--lift", "1.5", PENDULUM],
                 "--lift needs a whole number from 0 to 8"),
                (["--adaptive", "--lift", "-1", PENDULUM],
                 "--lift needs a whole number from 0 to 8"),
                (["--bounds", PENDULUM], "--bounds goes with --adaptive"),
                (["-o", path, PENDULUM], "--output goes with --adaptive"),
                (["--adaptive", "--delay", PENDULUM], "--delay and --adaptive are two questions")):
            done = subprocess.run([TUTTI, "stability", *args], capture_output=True, text=True,
                                  check=False)
            assert done.returncode in (1, 2) and done.stderr == f"tutti: {message}\n", done.stderr
        path = os.path.join(folder, "s.json")
        with open(PENDULUM, encoding="utf-8") as f:
            scenario = json.load(f)
        scenario["fmus"] = {k: os.path.join(os.path.dirname(PENDULUM), v)
                            for k, v in scenario["fmus"].items()}
        for policies, message in (
                ({}, "'policies' must be an array, not an object"),
                ([{"step": 1}], "lacks 'name'"),
                ([{"name": "a", "step": -1}], "'step' must be greater than 0"),
                ([{"name": "a", "master": "jacoby"}], "did you mean 'jacobi'?"),
                ([{"name": "a", "parameters": {"{lqr}.lqr.kx": "x"}}], "must be a number")):
            scenario["policies"] = policies
            with open(path, "w", encoding="utf-8") as f:
                json.dump(scenario, f)
            done = tutti("stability", "--adaptive", path, code=2)
            assert message in done.stderr, done.stderr


def main():
    for test in (single, published, words, sixteen, border, eased, unknown, switched, files):
        test()
        print("ok", test.__name__)


if __name__ == "__main__":
    main()
