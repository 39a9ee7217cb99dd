#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What scenarios expect of runs: expect_test.py BUILD. Violations against the recorded rows,
whole messages, exit codes, steps that are taken back, checkpoints."""
import csv
import json
import os
import re
import subprocess
import sys
import tempfile

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
MSD = os.path.join(BUILD, "examples", "double-mass-spring-damper", "scenario.json")
X1, X2 = "{msd1}.msd1.x1", "{msd2}.msd2.x2"


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def put(expect, path="expect.json"):
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"expect": expect}, f)
    return path


def run(expect, *words, code=0):
    return tutti("run", MSD, put(expect), "-o", "out.csv", *words, code=code)


def judged(expect, *words, code=0):
    return json.loads(run(expect, "--json", *words, code=code).stdout)["expect"]


def rows():
    with open("out.csv", newline="", encoding="utf-8") as f:
        return [{k: v == "true" or v != "false" and float(v) for k, v in r.items()} for r in csv.DictReader(f)]


def first(holds):
    return next((r for r in rows() if holds(r)), None)


def violations_are_those_of_the_rows(*words):
    found = judged([{"name": "range", "range": X1, "min": -0.2, "max": 2},
                    {"name": "always", "always": X1 + " > -0.2"},
                    {"name": "never", "never": X2 + " > 0.1", "after": "t > 1"},
                    {"name": "late", "eventually": X2 + " > 0.1", "within": 1},
                    {"name": "once", "eventually": X1 + " < 0"},
                    {"name": "final", "final": f"{X1} - {X2}", "to": 0, "tolerance": 1e-4},
                    {"name": "settles", "settles": X1, "to": 0, "tolerance": 0.1},
                    {"name": "soon", "settles": X1, "to": 0, "tolerance": 0.01, "within": 1},
                    {"name": "holds", "range": X1, "max": 1}], *words)
    by = {f["name"]: f for f in found}
    low = first(lambda r: r[X1] < -0.2)
    assert low and all(by[n]["t"] == low["time"] and by[n]["result"] == "violated" for n in ("range", "always"))
    assert by["range"]["value"] == low[X1] and abs(by["range"]["margin"] - (low[X1] + 0.2)) < 1e-12
    high = first(lambda r: r["time"] > 1 and r[X2] > 0.1)
    assert by["never"]["t"] == high["time"], (by["never"], high)
    after = first(lambda r: r["time"] > 1 + 1e-9)
    assert by["late"]["result"] == "violated" and by["late"]["t"] == after["time"]
    assert by["once"]["result"] == "held" and by["once"]["t"] == first(lambda r: r[X1] < 0)["time"]
    end = rows()[-1]
    assert by["final"]["value"] == end[X1] - end[X2] and by["final"]["t"] == end["time"]
    outside = max(r["time"] for r in rows() if abs(r[X1]) > 0.1)
    assert by["settles"]["t"] == first(lambda r: r["time"] > outside)["time"]
    assert by["soon"]["t"] == first(lambda r: r["time"] > 1 + 1e-9 and abs(r[X1]) > 0.01)["time"]
    assert by["holds"]["result"] == "held" and abs(by["holds"]["margin"] - (1 - max(r[X1] for r in rows()))) < 1e-12
    assert not any(f["fails"] for f in found)


def families_of_time_are_those_of_the_rows():
    """The left mass rings: how often, how long and after what it is below zero, by its rows."""
    low, high = X1 + " < 0", X1 + " > 0"
    fine = ("--step", "0.01", "--approximation", "linear")
    by = {f["name"]: f for f in judged([
        {"name": "most", "occurs": low, "most": 1}, {"name": "least", "occurs": low, "least": 2},
        {"name": "lasts", "lasts": low, "min": 0.1}, {"name": "short", "lasts": low, "max": 0.1},
        {"name": "follows", "follows": [high, low], "when": low}, {"name": "late", "follows": high, "when": low, "within": 0.1},
        {"name": "recurs", "recurs": high, "within": 100}, {"name": "seldom", "recurs": low, "within": 1e-3},
        {"name": "stays", "stays": X1 + " < 0.01", "when": low, "for": 0.5},
        {"name": "falls", "falls": X1, "until": low}, {"name": "rises", "rises": X1, "tolerance": 0.1},
        {"name": "smooth", "smooth": X1}, {"name": "precedes", "never": low, "until": "t > 0.05"},
        {"name": "between", "never": low, "after": "t > 0.1", "before": "t > 5"},
        {"name": "unborn", "never": high, "before": "t > 1000"}], *fine)}
    below = [r["time"] for r in rows() if r[X1] < 0]
    begins = [r["time"] for a, r in zip(rows(), rows()[1:]) if r[X1] < 0 <= a[X1]]
    ends = [r["time"] for a, r in zip(rows(), rows()[1:]) if a[X1] < 0 <= r[X1]]
    assert len(begins) > 1 and by["most"]["t"] == begins[1] and by["most"]["value"] == 2, (by["most"], begins)
    assert by["least"]["result"] == "held" and by["least"]["degree"] >= 0
    assert by["lasts"]["result"] == "held" and abs(by["lasts"]["margin"] - (ends[0] - begins[0] - 0.1)) < 0.02, by["lasts"]
    assert by["short"]["result"] == "violated" and abs(by["short"]["t"] - begins[0] - 0.1) < 0.011
    assert by["late"]["t"] == next(r["time"] for r in rows() if r["time"] > begins[0] + 0.1 + 1e-6)
    assert by["recurs"]["result"] == "held" and by["seldom"]["result"] == "violated"
    assert by["stays"]["result"] == by["falls"]["result"] == by["smooth"]["result"] == by["precedes"]["result"] == "held", by
    lowest = min(r[X1] for r in rows())
    assert by["rises"]["result"] == "violated" and by["rises"]["value"] > 0.1 and lowest < -0.1
    assert by["between"]["t"] == below[0] and by["unborn"]["result"] == "open"
    assert by["follows"]["result"] == ("violated" if len(ends) < len(begins) or begins[-1] > ends[-1] else "held")


def messages_of_time_are_whole():
    low = X1 + " < 0"
    done = run([{"name": "most", "occurs": low, "most": 1}, {"name": "short", "lasts": low, "max": 0.1},
                {"name": "late", "follows": X1 + " > 0", "when": low, "within": 0.1},
                {"name": "once", "recurs": low, "within": 0.5}, {"name": "falls", "falls": X1},
                {"name": "rest", "stays": X1 + " > -0.01", "when": low, "for": 0.5}])
    told = done.stderr.splitlines()
    for words in ("expectation 'once' is violated at t=0.6: '{msd1}.msd1.x1 < 0' did not hold for 0.6 s, more than 0.5 s, "
                  "with {msd1}.msd1.x1 = ",
                  "'late' is violated at t=1.2: '{msd1}.msd1.x1 > 0' did not follow within 0.1 s after '{msd1}.msd1.x1 < 0', "
                  "which began to hold at t=1, ",
                  "'rest' is violated at t=1: '{msd1}.msd1.x1 > -0.01' does not hold for 0.5 s after '{msd1}.msd1.x1 < 0', "
                  "which began to hold at t=1, ",
                  "'falls' is violated at t=", "'{msd1}.msd1.x1' rose by ",
                  "'short' is violated at t=1: '{msd1}.msd1.x1 < 0' held for 0.13486", " s, not at most 0.1 s, ",
                  "'{msd1}.msd1.x1 < 0' began to hold 2 times, not at most 1 times, "):
        assert any(words in line for line in told), (words, done.stderr)


def messages_are_whole():
    done = run([{"name": "low", "range": X1, "min": -0.2}, {"never": X2 + " > 0.1", "after": "t > 1"},
                {"name": "soon", "eventually": X2 + " > 0.1", "within": 1},
                {"name": "apart", "final": f"{X1} - {X2}", "to": 0, "tolerance": 0.001},
                {"name": "rest", "settles": X1, "to": 0, "tolerance": 0.1}])
    assert done.stderr == """\
tutti: warning: expectation 'low' is violated at t=1.2: '{msd1}.msd1.x1' is -0.245163445988, not at least -0.2
tutti: warning: expectation 'soon' is violated at t=1.2: '{msd2}.msd2.x2 > 0.1' did not hold within 1 s of t=0, with {msd2}.msd2.x2 = -0.146411222304
tutti: warning: expectation '{msd2}.msd2.x2 > 0.1' is violated at t=4.8: it holds, with {msd2}.msd2.x2 = 0.102318683143
tutti: warning: expectation 'apart' is violated at t=10: '{msd1}.msd1.x1 - {msd2}.msd2.x2' ends at 0.0216252060611, not from -0.001 to 0.001, with {msd1}.msd1.x1 = -0.0020924024531, {msd2}.msd2.x2 = -0.0237176085143
""", done.stderr
    told = [line for line in done.stdout.splitlines() if line.startswith("  expect ")]
    assert told[0] == ("  expect         'low' is violated at t=1.2: 'msd1.x1' is -0.245163445988, not at least -0.2"), told
    assert told[3] == "  expect         and 2 more (--verbose lists all)", told
    done = run([{"name": "rest", "settles": X1, "to": 0, "tolerance": 0.1}])
    assert "  expect         'rest' settled at t=2.4\n" in done.stdout and done.stderr == ""


def exit_codes_follow():
    low = {"name": "low", "range": X1, "min": -0.2}
    run([low])
    found = judged([{**low, "fail": True}], code=1)
    assert found[0]["fails"] and found[0]["result"] == "violated"
    assert "--strict: the run has 1 warning" in run([low], "--strict", code=2).stderr
    run([{**low, "min": -1, "fail": True}], "--strict")
    run([low], "--report", "report.html")
    with open("report.html", encoding="utf-8") as f:
        assert "is -0.245163445988, not at least -0.2" in f.read()


def wrong_ones_are_refused():
    for expect, message in (
            ({"range": "{msd1}.msd1.x3", "min": 0},
             "expect.json:1:24: instance '{msd1}.msd1' has no variable 'x3', did you mean 'x1'?"),
            ({"always": X1}, "expect.json:1:24: 'always' is a condition, not a number"),
            ({"range": X1 + " > 0", "min": 0}, "expect.json:1:23: 'range' is a number, not a Boolean"),
            ({"always": X1 + " > 0", "after": X1},
             "expect.json:1:55: 'after' is a condition, not a number")):
        done = run([expect], code=2)
        assert done.stderr == f"tutti: {message}\n", (done.stderr, message)
        assert message in tutti("check", MSD, "expect.json", code=2).stderr


def declared_ranges_are_watched():
    """The heater declares T >= 0; it begins below, and warms up."""
    heater = os.path.join(BUILD, "examples", "crashing-unit", "heater.fmu")
    words = [heater, "--until", "2", "--step", "0.5", "-o", "out.csv"]
    done = tutti("run", *words, "--set", "T=-3", "--set", "P=10")
    below = [r for r in rows()[1:] if r["{heater}.heater.T"] < 0]
    line = next(x for x in done.stdout.splitlines() if x.startswith("  range "))
    value, count = re.search(r"was (-[0-9.]+), less than the min 0 that it declares, first at t=0.5, after (\d) of 4 steps", line).groups()
    assert abs(float(value) - below[0]["{heater}.heater.T"]) < 1e-5 and int(count) == len(below), (line, below)
    assert "  range " not in tutti("run", *words).stdout


def hints_may_be_a_text():
    """Fig. 8.6 of the thesis; what is wrong is reported on its line."""
    text = """Hint Low {
  description "The left mass does not swing far."
  statements {
    Event Late := t > 1.1
    Property Near := %s > -0.2
  }
  scope After Late
  pattern Universality:always-the-case-that Near holds
}
"""
    def write(x):
        with open("hints.txt", "w", encoding="utf-8") as f:
            f.write(text % x)
    write(X1)
    done = tutti("tune", MSD, "--hints", "hints.txt", "--budget", "12runs", "--json", "-o", "tuned.json", code=1)
    assert any("Hint 'Low' (hints.txt:1:12): always '{msd1}.msd1.x1 > -0.2'" in r for r in json.loads(done.stdout)["reasons"]), done.stdout
    with open("tuned.json", encoding="utf-8") as f:
        assert json.load(f)["hints"] == [{"name": "Low", "after": "t > 1.1", "always": X1 + " > -0.2"}]
    write("{msd1}.msd1.x3")
    done = tutti("tune", MSD, "--hints", "hints.txt", code=2)
    assert re.fullmatch(r"tutti: hints.txt:5:\d+: instance '{msd1}.msd1' has no variable 'x3', did you mean 'x1'\?\n", done.stderr), done.stderr


def results_are_the_same():
    run([{"never": X1 + " < -5"}])
    with open("out.csv", "rb") as f:
        watched = f.read()
    tutti("run", MSD, "-q", "-o", "out.csv")
    with open("out.csv", "rb") as f:
        assert f.read() == watched


def checkpoints_remember():
    expect = [{"name": "low", "range": X1, "min": -0.2}, {"name": "rest", "settles": X1, "to": 0, "tolerance": 0.1}]
    whole = judged(expect)
    run(expect, "--checkpoint", "state.ckp", "--every", "sim:4", "-q")
    done = tutti("run", "--resume", "state.ckp", "--json")
    assert json.loads(done.stdout)["expect"] == whole
    assert done.stderr == "", done.stderr  # it was warned of before


def before_and_after_events_count():
    """A ball at rest: its last bounce is an event, and the height is never below 0."""
    folder = os.path.join(BUILD, "examples", "bouncing-ball")
    path = put([{"name": "floor", "range": "{ball}.ball.h", "min": -1e-3},
                {"name": "bounces", "eventually": "{ball}.ball.bounces >= 3"}])
    for scenario in sorted(os.listdir(folder)):
        if not re.fullmatch(r"scenario(-fmi3|-variable)?\.json", scenario):
            continue
        done = tutti("run", os.path.join(folder, scenario), path, "-o", "out.csv", "--json")
        floor, bounces = json.loads(done.stdout)["expect"]
        assert floor["result"] == bounces["result"] == "held", (scenario, floor, bounces)
        third = first(lambda r: r["{ball}.ball.bounces"] >= 3)
        assert bounces["t"] == third["time"], (scenario, bounces, third)


def scenarios_inside_others_warn_in_the_end():
    folder = os.path.join(BUILD, "examples", "nested-water-tank")
    with open(os.path.join(folder, "stage.json"), encoding="utf-8") as f:
        stage = json.load(f)
    stage["fmus"] = {k: os.path.join(folder, v) for k, v in stage["fmus"].items()}
    stage["expect"] = [{"name": "low", "range": "{basin}.basin.level", "max": 1.5, "fail": True}]
    with open(os.path.join(folder, "scenario.json"), encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"] = {"{stage}": "stage.json"}
    for name, value in ("stage.json", stage), ("nested.json", scenario):
        with open(name, "w", encoding="utf-8") as f:
            json.dump(value, f)
    done = tutti("run", "nested.json", "-o", "out.csv")
    assert done.stderr == """\
tutti: warning: inside '{stage}.upper', expectation 'low' is violated at t=1.15: '{basin}.basin.level' is 1.5175, not at most 1.5
tutti: warning: inside '{stage}.lower', expectation 'low' is violated at t=16.3: '{basin}.basin.level' is 1.55710665551, not at most 1.5
""", done.stderr


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        for words in ([], ["--iterate", "converged"], ["--master", "gauss-seidel"],
                      ["--error-control", "richardson", "--step-tolerance", "1e-3"]):
            violations_are_those_of_the_rows(*words)
        families_of_time_are_those_of_the_rows()
        messages_of_time_are_whole()
        messages_are_whole()
        exit_codes_follow()
        wrong_ones_are_refused()
        declared_ranges_are_watched()
        hints_may_be_a_text()
        results_are_the_same()
        checkpoints_remember()
        before_and_after_events_count()
        scenarios_inside_others_warn_in_the_end()


main()
