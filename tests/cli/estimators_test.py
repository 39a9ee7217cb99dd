#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Error control by what instances state themselves, by a pair of courses, and corrected in the
step or in the next one: estimators_test.py BUILD."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
MSD = os.path.join(BUILD, "examples", "double-mass-spring-damper")
TANK = os.path.join(BUILD, "examples", "water-tank")
BUSY = os.path.join(BUILD, "tests", "units", "busy.fmu")
HUMBLE = os.path.join(BUILD, "tests", "units", "humble.fmu")


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def put(path, value):
    with open(path, "w", encoding="utf-8") as f:
        json.dump(value, f)
    return path


def varied(**error):
    return {"type": "var-step", "size": [1e-6, 1], "initsize": 0.5,
            "constraints": {"accuracy": {"type": "error", **error}}}


def run(*files):
    got = json.loads(tutti("run", *files, "-o", "o.csv", "--json").stdout)
    with open("o.csv", encoding="utf-8", newline="") as f:
        return got, list(csv.DictReader(f))


def notes(got, topic):
    return [d["text"] for d in got["decisions"] if d["topic"] == topic]


def own():
    """The error that an instance states of its own step is held to the tolerance, and shorter
    steps bring the solution nearer in proportion."""
    scenario = {"fmus": {"{h}": HUMBLE}, "connections": {}, "endTime": 3,
                "logVariables": {"{h}.h": ["x", "error"]}}
    off = []
    for tolerance in (1e-2, 1e-3, 1e-4):
        scenario["algorithm"] = varied(method="own", ports=["{h}.h.error"], abstol=tolerance)
        got, rows = run(put("own.json", scenario))
        stated = [float(r["{h}.h.error"]) for r in rows]
        assert max(stated) <= tolerance and max(stated) > 0.2 * tolerance, max(stated)
        assert got["rejected"] >= 1, got["rejected"]
        x = 1.0  # every row by hand
        for r, s in zip(rows, rows[1:]):
            x -= (float(s["time"]) - float(r["time"])) * x
            assert abs(x - float(s["{h}.h.x"])) < 1e-12, s
        off.append(max(abs(float(r["{h}.h.x"]) - math.exp(-float(r["time"]))) for r in rows))
    for a, b in zip(off, off[1:]):  # steps are as the root of the tolerance, and so is the error
        assert 2 < a / b < 5, off
    scenario["algorithm"] = varied(method="own")
    got = tutti("run", put("own.json", scenario), "-o", "o.csv", code=2).stderr
    assert ("'accuracy' takes the error that instances state: 'ports' must name the outputs that "
            "have it\n") in got, got
    got = tutti("run", os.path.join(MSD, "scenario.json"), "--error-control", "own", "-o", "o.csv",
                code=2).stderr
    assert got == ("tutti: command line: --error-control must be 'richardson', 'orders', 'milne', "
                   "'energy' or 'embedded', not 'own'\n"), got


def correction():
    """'next' lets a step stand and shortens the one behind it: nothing is taken back, so that it
    needs no instance that can be."""
    base = os.path.join(MSD, "scenario.json")
    retry, next_ = (put(f"{word}.json", {"algorithm": varied(
        method="milne", abstol=1e-4, reltol=1e-4, correction=word)}) for word in ("retry", "next"))
    kept, _ = run(base, retry)
    got, rows = run(base, next_)
    assert kept["rejected"] > 0 and got["rejected"] == 0, (kept["rejected"], got["rejected"])
    assert notes(got, "rollback") == ["no step is taken back: errors shorten the next one"], got
    above = [n for n in notes(got, "steps") if "accuracy" in n]
    assert len(above) == 1 and above[0].endswith(" above the tolerance stand"), above
    first = [float(rows[k + 1]["time"]) - float(rows[k]["time"]) for k in range(3)]
    assert abs(first[0] - 0.5) < 1e-12 and first[1] <= 0.2 * first[0] * (1 + 1e-9), first
    # FMI 1 cannot go back: that is no loss now, and there is no warning
    base = os.path.join(MSD, "scenario-fmi1.json")
    said = tutti("run", base, next_, "-o", "o.csv").stderr
    assert said == "", said
    said = tutti("run", base, retry, "-o", "o.csv").stderr
    assert said.endswith("; kept, for not all instances can roll back (reported once; the report "
                         "counts)\n"), said
    # rolled back all the same where that is asked for, and by what repeats steps
    got, _ = run(os.path.join(MSD, "scenario.json"), next_, put("back.json", {"rollback": True}))
    assert notes(got, "rollback") == [], notes(got, "rollback")
    pair = put("pair.json", {"algorithm": varied(method="embedded", correction="next")})
    got, _ = run(os.path.join(MSD, "scenario.json"), pair)
    assert got["rejected"] == 0 and got["doubled"] == got["steps"], got["doubled"]
    wrong = put("wrong.json", {"algorithm": varied(method="milne", correction="later")})
    got = tutti("run", os.path.join(MSD, "scenario.json"), wrong, "-o", "o.csv", code=2).stderr
    assert "'correction' of a constraint" in got and "'later'" in got, got


def embedded():
    """What stands is what the master plays without it, whatever was tried beside: the same steps
    given by a pattern of instants lead to the same bytes."""
    base = os.path.join(MSD, "scenario.json")
    for inputs in ("hold", "linear", "quadratic"):
        for master in ("jacobi", "gauss-seidel"):
            fixed = {"algorithm": {"type": "var-step", "size": [0.1, 0.1], "initsize": 0.1}}
            pair = {"algorithm": dict(fixed["algorithm"], constraints={"accuracy": {
                "type": "error", "method": "embedded", "abstol": 1e9}})}
            words = ["--approximation", inputs, "--master", master]
            tutti("run", base, put("f.json", fixed), *words, "-o", "f.csv")
            tutti("run", base, put("p.json", pair), *words, "-o", "p.csv")
            with open("f.csv", "rb") as a, open("p.csv", "rb") as b:
                assert a.read() == b.read(), (inputs, master)
            # each of the two is dealt out among threads; what is tried decides the same
            words += ["--error-control", "embedded", "--step-tolerance", "1e-2"]
            tutti("run", base, *words, "-o", "f.csv")
            got = json.loads(tutti("run", base, *words, "-o", "p.csv", "--threads", "2",
                                   "--json").stdout)
            assert got["threads"]["used"] == (2 if master == "jacobi" else 1)
            assert got["doubled"] == got["steps"] + got["rejected"], got
            with open("f.csv", "rb") as a, open("p.csv", "rb") as b:
                assert a.read() == b.read(), (inputs, master)
    for words, message in (
            (["--approximation", "cubic"],
             "method 'embedded' compares courses of inputs with those of one order more, and no "
             "input can take one: they are at most cubic, and of the kinds hold, linear and "
             "quadratic\n"),
            ([os.path.join(MSD, "scenario-fmi1.json")],
             "methods 'milne', 'orders' and 'energy' do without\n")):
        files = [words.pop()] if words[0].startswith("/") else [base]
        got = tutti("run", *files, *words, "--error-control", "embedded", "-o", "o.csv",
                    code=2).stderr
        assert got.endswith(message), got
    both = {"algorithm": varied(method="embedded")}
    both["algorithm"]["constraints"]["halves"] = {"type": "error", "method": "richardson"}
    got = tutti("run", base, put("b.json", both), "-o", "o.csv", code=2).stderr
    assert "'richardson' and 'embedded' exclude each other" in got, got
    text = tutti("score", base, "--error-control", "embedded").stdout
    assert "step (trial), exchange (trial), undo, step, exchange, judge" in text, text


def twins():
    """With two threads both methods are played at the same time, by instances made twice: results,
    attempts and counts are those of one thread, also across events, and of a run that is resumed."""
    busy = {"fmus": {"{b}": BUSY}, "connections": {"{b}.a.y": ["{b}.b.u"]},
            "parameters": {"{b}.a.work": 200000, "{b}.b.work": 100000}, "endTime": 1,
            "algorithm": dict(varied(method="embedded", abstol=0.9), size=[1e-3, 0.1])}
    together = ["both methods at the same time, by instances made twice, if a step takes longer than "
                "to pack states"]
    for base in (put("busy.json", busy), os.path.join(TANK, "scenario.json"),
                 os.path.join(TANK, "scenario-fmi3.json")):
        words = [base, "--master", "gauss-seidel", "--approximation", "linear"]
        if base != "busy.json":
            words += ["--error-control", "embedded", "--step-tolerance", "1e-3"]
        got = []
        for threads in ("1", "2"):
            got.append(json.loads(tutti("run", *words, "-o", f"{threads}.csv", "--trace",
                                        f"t{threads}.csv", "--threads", threads, "--json").stdout))
        for a, b in (("1.csv", "2.csv"), ("t1.csv", "t2.csv")):
            with open(a, "rb") as f, open(b, "rb") as g:
                assert f.read() == g.read(), (base, a)
        one, two = ({k: v for k, v in g.items() if k in (
            "steps", "rejected", "doubled", "end_time", "summary")} for g in got)
        assert one == two and got[0]["rejected"] > 0, (base, one, two)
        one, two = ([u["steps"] for u in g["units"]] for g in got)
        assert one == two, (base, one, two)
        assert notes(got[0], "embedded") == [], got[0]
        assert notes(got[1], "embedded") == together, got[1]
    words = [*words, "-q", "--threads", "2"]
    tutti("run", *words, "-o", "2.csv", "--checkpoint", "c", "--every", "sim:30")
    tutti("run", "--resume", "c")
    with open("1.csv", "rb") as f, open("2.csv", "rb") as g:
        assert f.read() == g.read(), "resumed"


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for test in (own, correction, embedded, twins):
            test()
            print("ok", test.__name__)


if __name__ == "__main__":
    main()
