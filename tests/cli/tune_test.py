#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tutti tune: tune_test.py BUILD. Chosen settings against finer runs, reasons, crashes, budgets."""
import csv
import json
import math
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from xml.etree import ElementTree

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
MSD = os.path.join(BUILD, "examples", "double-mass-spring-damper", "scenario.json")
MISBEHAVE = os.path.join(BUILD, "tests", "units", "misbehave.fmu")

os.environ["ASAN_OPTIONS"] = "handle_segv=0"  # crashes stay crashes


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def tune(*words, code=0):
    return json.loads(tutti("tune", *words, "--json", code=code).stdout)


def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        return {float(r.pop("time")): {k: float(v) for k, v in r.items()} for r in csv.DictReader(f)}


def bare():
    """The example without its settings."""
    with open(MSD, encoding="utf-8") as f:
        scenario = json.load(f)
    del scenario["algorithm"]
    scenario["fmus"] = {k: os.path.join(os.path.dirname(MSD), v) for k, v in scenario["fmus"].items()}
    with open("bare.json", "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    return "bare.json"


def results_are_within_the_tolerance():
    for words in [], ["--set", "dc=10"]:
        found = tune(bare(), *words, "-o", "tuned.json", "--tolerance", "1e-2")
        assert found["best"]["within"] and found["best"]["confirmed"]
        assert found["best"]["error"] <= 1e-2
        assert set(found) == {"best", "tried", "reasons", "runs"}
        run = tutti("run", "tuned.json", "-q", "-o", "tuned.csv")
        assert run.stderr == "", run.stderr  # unchanged, and without warnings
        tutti("run", "bare.json", *words, "--step", "0.001", "--sample", "0.2", "--master", "gauss-seidel",
              "--approximation", "linear", "-q", "-o", "fine.csv")
        ours, fine = table("tuned.csv"), table("fine.csv")
        for name in next(iter(fine.values())):
            column = [row[name] for row in fine.values()]
            reach = max(column) - min(column)
            worst = max(abs(ours[min(ours, key=lambda s: abs(s - t))][name] - row[name])
                        for t, row in fine.items())
            assert worst <= 1.1e-2 * reach, (name, worst / reach)
        with open("tuned.json", encoding="utf-8") as f:
            tuned = json.load(f)
        assert tuned["best"]["variant"] == found["best"]["variant"]
        assert tuned["reasons"] == found["reasons"] and len(tuned["tried"]) == len(found["tried"])


def what_is_unstable_is_not_run():
    found = tune(bare(), "--set", "dc=10")
    jacobi = next(t for t in found["tried"] if t["variant"] == "Jacobi, hold" and t["step"] == 0.2)
    assert jacobi["state"] == "unstable" and jacobi["why"] == "unstable: rho 1.832 per step"
    assert found["best"]["confirmed"] and found["best"]["variant"] != "Jacobi, hold"
    assert any(r.startswith("Jacobi, hold is out; ") and r.endswith("; at 0.2 s: unstable: rho 1.832 per step.")
               for r in found["reasons"]), found["reasons"]


def what_converges_may_be_wrong():
    """A stiff spring: held inputs converge in each step, and the error grows all the same; linear ones are good."""
    found = tune(bare(), "--set", "cc=20", "--set", "dc=0.1")
    last = {t["variant"]: t for t in found["tried"] if t["role"] == "candidate"}
    assert last["converged by Newton, hold"]["why"] and last["converged by Newton, linear"]["why"] is None
    assert any(t["variant"] == "converged by Newton, hold" and t["state"] == "unstable" for t in found["tried"])
    assert found["best"]["confirmed"] and "hold" not in found["best"]["variant"], found["best"]


def no_iterations_are_wasted():
    """With weak coupling and a wide tolerance a step made once is the cheapest."""
    best = tune(bare(), "--set", "dc=1", "--tolerance", "5e-2")["best"]
    assert "twice" not in best["variant"] and "converged" not in best["variant"], best


def the_same_budget_leads_to_the_same_choice():
    words = [bare(), "--budget", "40runs"]
    one = tune(*words, "-j", "1")
    assert one == tune(*words, "-j", "3") == tune(*words)
    assert one["runs"] <= 40
    small = tune("bare.json", "--budget", "4runs", "--tolerance", "1e-9", code=1)
    assert small["runs"] <= 4 and not (small["best"] or {}).get("confirmed")
    assert "The budget ended the search after 4 runs." in small["reasons"], small["reasons"]


def example(name, scenario="scenario.json"):
    return tune(os.path.join(BUILD, "examples", name, scenario), "--tolerance", "1e-2", "-o", "tuned.json")


def references_are_found_everywhere():
    """Values that are absent between ticks; one master only, whose residual is no result; a signal that leaps."""
    best = example("two-clocks")["best"]
    assert best["confirmed"] and best["step"] == 0.24 and best["error"] < 1e-9, best
    found = example("rigid-link", "scenario-rates.json")
    assert found["best"]["confirmed"] and found["best"]["cost"] <= 600, found["best"]
    assert found["reasons"][0].startswith("Only Gauss-Seidel, linear could be run at small steps"), found["reasons"]
    found = example("water-tank")
    assert {t["variant"] for t in found["tried"] if t["role"] == "reference"} == {
        "Gauss-Seidel, linear", "Jacobi, linear", "Jacobi, hold"}, found["tried"]
    assert found["best"]["confirmed"] and found["best"]["variant"] == "Jacobi, linear", found["best"]
    assert ("Jacobi, hold is not run at smaller steps: it gives the same results as Jacobi, linear, at the same cost."
            in found["reasons"]), found["reasons"]


def settings_are_changed_one_by_one():
    """From the best of the rounds on: courses of higher order, rates, and variable steps."""
    found = example("van-der-pol")
    best = found["best"]
    assert best["variant"] == "Gauss-Seidel, opposite order, hermite" and best["confirmed"], best
    more = {t["variant"].removeprefix("Gauss-Seidel, opposite order, ") for t in found["tried"]}
    assert more >= {"quadratic", "linear, 2 x swing", "linear, 2 x load", "linear, variable 0.03",
                    "linear, variable 0.01", "linear, variable 0.003"}, more
    best = tune(bare(), "--tolerance", "1e-2", "-o", "tuned.json")["best"]
    assert best["variant"] == "Gauss-Seidel, linear, variable 0.03" and best["cost"] <= 180, best
    with open("tuned.json", encoding="utf-8") as f:
        algorithm = json.load(f)["algorithm"]
    assert algorithm["type"] == "var-step" and algorithm["size"] == [2e-6, 0.2], algorithm
    assert algorithm["constraints"] == {
        "accuracy": {"type": "error", "method": "milne", "abstol": 0.03, "reltol": 0.03},
        "instants": {"type": "samplingrate", "base": -9, "rate": 200000000, "startTime": 0}}, algorithm


def crossings_are_kept():
    """What the scenario makes of its words is not written twice."""
    found = example("relaxed-ball")
    assert found["best"]["confirmed"]
    assert tutti("run", "tuned.json", "-q", "-o", "out.csv").stderr == ""


def a_crash_loses_its_variants_only():
    """It dies of steps longer than 0.03."""
    with open("crash.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{m}": MISBEHAVE}, "instances": {"{m}": ["a"]},
                   "parameters": {"{m}.a.u": 1, "{m}.a.what": 12, "{m}.a.amount": 0.03},
                   "startTime": 0, "endTime": 2}, f)
    found = tune("crash.json")
    states = {t["step"]: t["state"] for t in found["tried"] if t["role"] == "candidate"}
    assert states[0.04] == "crashed" and states[0.02] == "done", states
    assert found["best"]["step"] == 0.02


def no_variant_is_left():
    with open("dead.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{m}": MISBEHAVE}, "instances": {"{m}": ["a"]},
                   "parameters": {"{m}.a.what": 6}, "startTime": 0, "endTime": 2}, f)
    found = tune("dead.json", code=1)
    assert found["best"] is None and "No variant was run to its end." in found["reasons"], found
    assert any("crashed in step (SIGSEGV)" in (t["why"] or "") for t in found["tried"])


def interrupted_the_best_is_kept():
    with open("slow.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{m}": MISBEHAVE}, "instances": {"{m}": ["a"]},
                   "parameters": {"{m}.a.u": 1, "{m}.a.what": 8, "{m}.a.amount": 1},
                   "startTime": 0, "endTime": 2}, f)
    with subprocess.Popen([TUTTI, "tune", "slow.json", "-j", "1"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as run:
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        out, why = run.communicate(timeout=60)
    assert run.returncode == 130, (run.returncode, out, why)
    assert why.startswith("tutti: stopped after ") and why.endswith("what is best so far is kept\n"), why


def hints(*entries):
    with open("hints.json", "w", encoding="utf-8") as f:
        json.dump({"hints": entries}, f)
    return ["--hints", "hints.json"]


def variants_that_violate_a_hint_are_out():
    words = [bare(), "--tolerance", "5e-2", "-o", "tuned.json"]
    assert tune(*words)["best"]["variant"] == "Gauss-Seidel, linear, variable 0.15"
    found = tune(*words, *hints({"name": "deep", "eventually": "{msd1}.msd1.x1 < -0.333"}))
    assert found["best"]["variant"] == "Gauss-Seidel twice, linear" and found["best"]["confirmed"], found["best"]
    out = next(t for t in found["tried"] if t["variant"] == "Gauss-Seidel, linear" and t["step"] == 0.1)
    assert re.fullmatch(r"violates hint 'deep' at t=10: '\{msd1\}\.msd1\.x1 < -0\.333' never held, with "
                        r"\{msd1\}\.msd1\.x1 = [-.0-9e]+", out["why"]), out
    assert found["reasons"][0] == "Hint 'deep' (hints.json:1:12): eventually '{msd1}.msd1.x1 < -0.333'."
    run = tutti("run", "tuned.json", "-o", "tuned.csv")
    assert run.stderr == "" and "'deep' held first at t=" in run.stdout, (run.stderr, run.stdout)


def the_drive_becomes_smooth():
    """Steps at the rate of the software violate hints; tuned ones hold at a fifth of what a tenth of the step costs."""
    folder = os.path.join(BUILD, "examples", "hinted-drive")
    both = [os.path.join(folder, "scenario.json"), os.path.join(folder, "hints.json")]

    def violated(*words):
        done = json.loads(tutti("run", *both, *words, "-o", "out.csv", "--json").stdout)
        cost = sum(u["steps"] for u in done["units"])
        return [e["name"] for e in done["expect"] if e["result"] == "violated"], cost

    assert violated()[0] == ["smooth", "shaft", "no overshoot", "speed is reached"]
    assert violated("--master", "gauss-seidel")[0] == ["smooth", "shaft"]
    assert violated("--rates", "rotor=10,load=10") == (["smooth"], 10500)
    assert violated("--step", "1e-4")[0] == ["shaft"]
    fine, dear = violated("--step", "1e-4", "--master", "gauss-seidel")
    assert fine == [] and dear == 15000
    found = tune(both[0], "--hints", both[1], "--tolerance", "5e-2", "-o", "tuned.json")
    assert found["best"]["confirmed"] and found["best"]["cost"] <= dear / 5, found["best"]
    run = tutti("run", "tuned.json", "-o", "out.csv")
    assert run.stderr == "" and run.stdout.count("' held\n") == 3, (run.stdout, run.stderr)
    exact = table("out.csv")  # what the shaft passes on is what the inertias and friction take
    rows = sorted(exact.items())
    passed = sum((b[0] - a[0]) * (a[1]["{load}.load.f"] + b[1]["{load}.load.f"]) / 2 for a, b in zip(rows, rows[1:]))
    taken = sum((b[0] - a[0]) * 5e-3 * (a[1]["{load}.load.w"] + b[1]["{load}.load.w"]) / 2
                for a, b in zip(rows, rows[1:])) + 1e-2 * rows[-1][1]["{load}.load.w"]
    assert abs(passed - taken) < 1e-2 * taken, (passed, taken)


def a_contradictory_hint_is_named():
    found = tune(bare(), "--tolerance", "5e-2", *hints({"name": "fine", "always": "{msd1}.msd1.x1 > -1"},
                                                       {"name": "up", "always": "{msd1}.msd1.x1 > 0"}), code=1)
    named = [r for r in found["reasons"] if "contradicts" in r]
    assert len(named) == 1 and re.fullmatch(
        r"The hint 'up' contradicts the model: Gauss-Seidel, linear at 0\.002 s violates it at t=0\.\d+: "
        r"'\{msd1\}\.msd1\.x1 > 0' does not hold, with \{msd1\}\.msd1\.x1 = -[.0-9e-]+\. "
        r"It is set aside; look at it, or at the model\.", named[0]), named
    assert found["best"]["within"] and found["best"]["confirmed"]  # all the same


def declares(bound):
    """The example, with a range of the force."""
    path = os.path.abspath("msd2")
    with zipfile.ZipFile(os.path.join(os.path.dirname(MSD), "msd2.fmu")) as fmu:
        fmu.extractall(path)
    description = os.path.join(path, "modelDescription.xml")
    with open(description, encoding="utf-8") as f:
        text = f.read()
    text, n = re.subn(r'(<ScalarVariable name="F".*?<Real |<Float64 name="F" )', r"\1" + bound + " ", text,
                      count=1, flags=re.S)
    assert n == 1, text
    with open(description, "w", encoding="utf-8") as f:
        f.write(text)
    with open(bare(), encoding="utf-8") as f:
        scenario = json.load(f)
    scenario["fmus"]["{msd2}"] = path
    with open("declared.json", "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    return "declared.json"


def declared_ranges_are_facts():
    found = tune(declares('max="0.9"'), "--tolerance", "5e-2")
    source = os.path.abspath("msd2")
    assert f"{{msd2}}.msd2.F is at most 0.9, as its FMU declares ('{source}')." in found["reasons"], found["reasons"]
    out = next(t for t in found["tried"] if t["variant"] == "Gauss-Seidel twice, linear" and t["step"] == 0.2)
    assert re.fullmatch(r"violates range '\{msd2\}\.msd2\.F': it is up to 0\.916\d*, more than the declared max 0\.9",
                        out["why"]), out
    assert found["best"]["confirmed"]
    found = tune(declares('min="-0.5" max="0.9"'), "--tolerance", "5e-2")
    named = [r for r in found["reasons"] if "contradicts" in r]
    assert len(named) == 1 and named[0].startswith(
        "The declared range of '{msd2}.msd2.F' contradicts the model: Gauss-Seidel, linear at 0.002 s violates it: "
        "it is down to -1, less than the declared min -0.5. It is set aside"), named
    assert found["best"]["confirmed"]


def wrong_hints_are_refused():
    why = tutti("tune", bare(), "--hints", "nix.json", code=2).stderr
    assert why == "tutti: cannot read nix.json: No such file or directory\n", why
    why = tutti("tune", "bare.json", "--hints", "bare.json", code=2).stderr
    assert why == ('tutti: bare.json has no hints: write {"hints": [{"always": "{key}.instance.variable > 0"}]}\n'), why
    why = tutti("tune", "bare.json", *hints({"always": "{msd1}.msd1.x9 > 0"}), code=2).stderr
    assert why == ("tutti: hints.json:1:24: instance '{msd1}.msd1' has no variable 'x9', did you mean 'x1'?\n"), why


def what_instances_declare_is_listed():
    drive = os.path.join(BUILD, "examples", "hinted-drive", "scenario.json")
    reasons = tune(drive, "--budget", "2runs", code=1)["reasons"]
    assert reasons[0] == ("{ctl}.ctl puts out 'u' in leaps, as its FMU declares ('speedctl.fmu'): "
                          "no course goes over a leap."), reasons
    clocked = os.path.join(BUILD, "examples", "two-clocks", "scenario.json")
    reasons = tune(clocked, "--budget", "2runs", code=1)["reasons"]
    assert [r for r in reasons if "clock" in r] == [
        f"{{{name}}}.{name} has values every {period} s, by its clock 'tick', as its FMU declares "
        f"('{name}-fmi3.fmu'): steps end there besides." for name, period in (("position", 0.3), ("speed", 0.2))], reasons


SOFTWARE = {"name": "ctl", "software": "{ctl}.ctl", "rate": "1 kHz"}
BOND = {"name": "shaft power", "powerBond": ["{plant}.rotor.v", "{load}.load.f"]}


def drive_hints(*more):
    with open(os.path.join(BUILD, "examples", "hinted-drive", "hints.json"), encoding="utf-8") as f:
        return hints(*more, *[h for h in json.load(f)["hints"] if "software" not in h and "powerBond" not in h])


def hints_of_instances_lead_the_search():
    """Steps divide the period of software, which is not seen from the future; a power bond is corrected."""
    drive = os.path.join(BUILD, "examples", "hinted-drive", "scenario.json")
    plain = tune(drive, "--tolerance", "5e-2", *drive_hints(SOFTWARE))
    found = tune(drive, "--tolerance", "5e-2", *drive_hints(SOFTWARE, BOND), "-o", "tuned.json")
    assert found["reasons"][:2] == [
        "Hint 'ctl' (hints.json:1:12): {ctl}.ctl is software and runs at 1000 Hz: it and what it feeds take values from "
        "before the step, what it puts out is held, and steps divide 0.001 s.",
        "Hint 'shaft power' (hints.json:1:71): {plant}.rotor and {load}.load exchange power by 'v' and 'f': what held "
        "inputs miss of it is repaid."], found["reasons"][:2]
    steps = {t["step"] for t in found["tried"] if t["step"]}
    assert all(abs(1e-3 / h - round(1e-3 / h)) < 1e-6 for h in steps) and max(steps) == 1e-3, steps
    assert found["best"]["confirmed"] and found["runs"] < 30, found["best"]

    def held(result):
        return next(t for t in result["tried"] if t["variant"] == "Jacobi, hold" and t["step"] == 5e-4)

    assert held(plain)["why"].startswith("violates hint 'shaft' at t=0.0025: "), held(plain)
    assert held(plain)["error"] > 0.5 and held(found)["error"] < 0.05 and held(found)["why"] is None
    with open("tuned.json", encoding="utf-8") as f:
        tuned = json.load(f)
    assert tuned["reactivity"] == {"{ctl}.ctl.w": "delayed", "{plant}.rotor.u": "delayed"}
    assert tuned["approximation"] == {"default": "linear", "{plant}.rotor.u": "hold"}
    assert tuned["powerBonds"]["shaft power"] == {
        "a": {"input": "{plant}.rotor.f", "output": "{plant}.rotor.v"},
        "b": {"input": "{load}.load.v", "output": "{load}.load.f"}, "correction": True}
    assert tutti("run", "tuned.json", "-q", "-o", "out.csv").stderr == ""


def drive_with_environment():
    with open(os.path.join(BUILD, "examples", "hinted-drive", "scenario.json"), encoding="utf-8") as f:
        scenario = json.load(f)
    folder = os.path.join(BUILD, "examples", "hinted-drive")
    scenario["fmus"] = {k: os.path.join(folder, v) for k, v in scenario["fmus"].items()}
    scenario["fmus"]["{env}"] = os.path.join(BUILD, "tests", "units", "affine.fmu")
    scenario["instances"] = {"{env}": ["env"]}
    with open("environment.json", "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    return "environment.json"


def variants_are_those_of_the_rules():
    """Examples 26 to 28 of the thesis, from the hints of its Fig. 8.6."""
    with open("hints.txt", "w", encoding="utf-8") as f:
        f.write("""Hint ExecRate{
  description "Controller FMU is software."
  statements {
    Property ExecRate :=
      FMUProperty {ctl}.ctl.exec_rate == val 1.0e+6 hz
  }
  scope Globally
  pattern Universality:always-the-case-that ExecRate holds
}
Hint PowerBond{
  description "Plant/Load FMUs share a power connection."
  statements {
    Property PowerBond :=
      {plant}.rotor.f == PowerBondSuggestions with {load}.load.v
  }
  scope Globally
  pattern Universality:always-the-case-that PowerBond holds
}
""")
    listed = tune(drive_with_environment(), "--hints", "hints.txt", "--list")["variants"]
    assert [v["variant"] for v in listed] == [
        "step 1e-7 s, {env}.env at rate 100", "step 1e-7 s, {env}.env at rate 10",
        "step 1e-6 s, {env}.env at rate 100", "step 1e-6 s, {env}.env at rate 10"], listed
    words = tutti("tune", "environment.json", "--hints", "hints.txt", "--list").stdout.splitlines()
    assert words[3:] == ["    4  step 1e-6 s, {env}.env at rate 10", "",
                         "Hint 'ExecRate' (hints.txt:1:12): {ctl}.ctl is software and runs at 1000000 Hz: it and what it "
                         "feeds take values from before the step, what it puts out is held, and steps divide 1e-6 s.",
                         "Hint 'PowerBond' (hints.txt:10:1): {plant}.rotor and {load}.load exchange power by 'v' and "
                         "'f': what held inputs miss of it is repaid.", words[-1]], words
    with open("variant.json", "w", encoding="utf-8") as f:  # each runs by hand
        json.dump(listed[3]["settings"], f)
    run = json.loads(tutti("run", "environment.json", "variant.json", "--until", "1e-5", "-o", "o.csv", "--json").stdout)
    assert {u["name"]: u["steps"] for u in run["units"]}["{env}.env"] == 100
    two = tune("environment.json", "--list", *hints(SOFTWARE, {"software": "{load}.load", "rate": 500}))["variants"]
    assert [v["variant"] for v in two][1] == "step 0.002 s, {env}.env at rate 100, {plant}.rotor at rate 10", two[1]
    assert len(two) == 4 and two[1]["settings"]["rates"] == {
        "{env}.env": 100, "{plant}.rotor": 10, "{ctl}.ctl": 2, "{load}.load": 1}, two[1]
    free = tune("environment.json", "--list", *hints({"software": "{ctl}.ctl"}))["variants"]
    assert len(free) == 4 * 2 * 2 * 2 * 2 * 2 and free[-1]["variant"] == (
        "step 0.005 s, {env}.env at rate 10, {plant}.rotor at rate 10 extrapolated, {load}.load at rate 10 extrapolated"
    ), free[-1]
    assert free[-1]["settings"]["reactivity"] == {
        "{ctl}.ctl.w": "delayed", "{plant}.rotor.u": "delayed", "{plant}.rotor.f": "delayed", "{load}.load.v": "delayed"}
    assert free[0]["settings"]["reactivity"]["{load}.load.v"] == "reactive"


def wrong_hints_of_instances_are_refused():
    drive = os.path.join(BUILD, "examples", "hinted-drive", "scenario.json")
    why = tutti("tune", drive, *hints({"powerBond": ["{plant}.rotor.v", "{ctl}.ctl.u"]}), code=2).stderr
    assert why == ("tutti: hints.json:1:12: power bond '{plant}.rotor.v': '{plant}.rotor.v' and '{ctl}.ctl.u' are not "
                   "what two instances give each other\n"), why
    why = tutti("tune", bare(), *hints({"name": "x", "powerBond": ["{msd1}.msd1.x1", "{msd2}.msd2.F"]}), code=2).stderr
    assert "hints.json:1:12: 'x': " in why and "is not a power" in why, why


def what_is_declared_bounds_the_step():
    for word, value, sentence in (("propagationDelay", "0.05", "takes what comes in through within 0.05 s"),
                                  ("shortestReaction", "0.05", "reacts within 0.05 s"),
                                  ("outputFrequency", "20", "puts out new values every 0.05 s")):
        declares("")
        description = os.path.join("msd2", "modelDescription.xml")
        with open(description, encoding="utf-8") as f:
            text = f.read()
        with open(description, "w", encoding="utf-8") as f:
            f.write(text.replace("<Unit evaluates", f'<Unit {word}="{value}" evaluates'))
        found = tune("declared.json", "--tolerance", "5e-2")
        source = os.path.abspath("msd2")
        assert f"{{msd2}}.msd2 {sentence}, as its FMU declares ('{source}'): no step is longer." in found["reasons"]
        steps = {t["step"] for t in found["tried"] if t["role"] == "candidate" and t["step"]}
        assert max(steps) <= 0.05 and found["best"]["confirmed"], (word, steps)


def a_report_shows_the_choice():
    """Well-formed, with a mark in the picture for each variant that has error and cost, and every sentence."""
    found = tune(bare(), "--tolerance", "1e-2", "--report", "report.html")
    with open("report.html", encoding="utf-8") as f:
        text = f.read()
    page = ElementTree.fromstring(text.split("\n", 1)[1])
    h = "{http://www.w3.org/1999/xhtml}"
    assert [i.text for i in page.iter(h + "li")] == found["reasons"]
    rows = [["".join(c.itertext()) for c in r] for r in page.iter(h + "tr")][1:]
    assert [r[0] for r in rows] == [t["variant"] for t in found["tried"]]
    assert [b.text for r in page.iter(h + "tr") for b in r.iter(h + "b")] == [found["best"]["variant"]]
    shown = [(math.log10(t["cost"]), -math.log10(t["error"])) for t in found["tried"]
             if t["role"] == "candidate" and t["cost"] and t["error"] is not None and t["error"] < 1e3]
    marks = [tuple(map(float, point)) for path in re.findall(r'class="s s\d mark" d="([^"]*)"', text)
             for point in re.findall(r"M([\d.]+) ([\d.]+)h0", path) if point[1] != "18"]  # but for the legend

    def within(points):
        """From 0 to 1 between the least and the greatest; marks of one place are drawn once."""
        low, high = [min(c) for c in zip(*points)], [max(c) for c in zip(*points)]
        return [tuple((v - a) / (b - a) for v, a, b in zip(p, low, high)) for p in points]

    ours, drawn = within(shown), within(marks)
    for one, others in [(p, drawn) for p in ours] + [(p, ours) for p in drawn]:
        assert min(math.dist(one, other) for other in others) < 0.02, (one, others)


def whole(found):
    return sum(t["cost"] or 0 for t in found["tried"]) + found.get("warm", {"cost": 0})["cost"]


def runs_begin_where_one_led_to():
    """At 2 s: errors and costs are of what follows, which is told wherever they are shown."""
    words = [MSD, "--tolerance", "1e-2", "--warm", "2"]
    found = tune(*words, "-o", "tuned.json", "--report", "report.html")
    assert found["warm"] == {"time": 2, "cost": 20, "by": "the scenario's own settings"}, found["warm"]
    assert found["reasons"][:2] == [
        "Every run begins at 2 s, with what one run from 0 s by the scenario's own settings led to: errors, ranges, "
        "costs and hints are those of 2 s to 10 s, and nothing is compared before.",
        "Inputs have no past at 2 s, as none have at the start."], found["reasons"][:2]
    assert found["best"]["confirmed"] and found["best"]["error"] <= 1e-2
    jacobi = [t for t in found["tried"] if t["variant"] == "Jacobi, hold"]
    assert (jacobi[0]["step"], jacobi[0]["cost"]) == (0.16, 100), jacobi[0]
    assert found == tune(*words, "-j", "1") == tune(*words, "-j", "3")
    told = "Errors and costs are those of 2 s to 10 s."
    assert tutti("tune", *words).stdout.startswith(told + "\n\n  variant ")
    with open("report.html", encoding="utf-8") as f:
        page = ElementTree.fromstring(f.read().split("\n", 1)[1])
    assert [p.text for p in page.iter("{http://www.w3.org/1999/xhtml}p")][:2] == ["The choice is confirmed.", told]
    run = json.loads(tutti("run", "tuned.json", "-o", "tuned.csv", "--json").stdout)
    assert run["warnings"] == [] and min(table("tuned.csv")) == 0, run["warnings"]  # it is still the whole experiment
    found = tune(bare(), "--tolerance", "1e-2", "--warm", "2")  # has no settings of its own
    assert found["warm"] == {"time": 2, "cost": 400, "by": "Gauss-Seidel, linear at 0.01 s"}, found["warm"]


def what_is_before_does_not_count():
    """An oscillator swings up for long: seen whole, its phase is off at any step; on its cycle coarse ones do."""
    words = [os.path.join(BUILD, "examples", "van-der-pol", "scenario.json"), "--until", "200"]
    seen_whole, on_cycle = tune(*words, code=1), tune(*words, "--warm", "180")
    assert not seen_whole["best"]["confirmed"] and on_cycle["best"]["confirmed"]
    assert on_cycle["best"]["error"] <= 1e-3 and on_cycle["best"]["step"] >= 0.05, on_cycle["best"]
    assert 5 * whole(on_cycle) < whole(seen_whole), (whole(on_cycle), whole(seen_whole))


def events_and_other_interfaces_begin_there():
    """With clocks, instances that find their own events in some variants, a network of events, and rates."""
    for name, scenario, at in (("two-clocks", "scenario.json", "4.45"), ("queue", "scenario.json", "15000"),
                               ("traffic-light", "scenario-fmi3.json", "300"),
                               ("bouncing-ball", "scenario-variable.json", "1.1"),
                               ("double-mass-spring-damper", "scenario-waveform.json", "7.5")):
        found = tune(os.path.join(BUILD, "examples", name, scenario), "--tolerance", "1e-2", "--warm", at)
        failed = [t for t in found["tried"] if t["state"] in ("failed", "crashed")]
        assert found["best"]["confirmed"] and not failed, (name, found["best"], failed)


def events_stay_where_they_are():
    """By settings of its own an instance has its events inside: those do not lead there, and such a way is out."""
    with open("rates.json", "w", encoding="utf-8") as f:
        json.dump({"rates": {"{speed}.speed": 2}}, f)
    clocks = os.path.join(BUILD, "examples", "two-clocks", "scenario.json")
    found = tune(clocks, "rates.json", "--tolerance", "1e-2", "--warm", "4.45")
    assert found["warm"]["by"] == "Gauss-Seidel, linear at 0.012 s" and found["best"]["confirmed"], found["warm"]
    assert ("Gauss-Seidel, linear could not go on from what the scenario's own settings lead to: instance "
            "'{speed}.speed' has its events inside its steps there, and in event mode here." in found["reasons"]), (
                found["reasons"])
    with open("bell.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{c}": os.path.join(BUILD, "tests", "units", "alarm-fmi3.fmu")},
                   "instances": {"{c}": ["bell"]}, "record": ["{c}.bell.beats"]}, f)
    found = tune(MSD, "bell.json", "--warm", "2")
    twice = [t for t in found["tried"] if t["variant"].endswith("2 x bell")]
    assert [(t["state"], t["why"]) for t in twice] == [("cut", (
        "beginning: the saved state does not go with these settings: instance '{c}.bell' has its events in event mode "
        "there, and inside its steps here"))], twice
    assert found["best"]["confirmed"] and found["warm"]["by"] == "the scenario's own settings", found["best"]


def rigid(step=0.2):
    """The masses, of which one takes steps of one length only."""
    source = os.path.join(os.path.dirname(MSD), "msd1.fmu")
    with zipfile.ZipFile(source) as old, zipfile.ZipFile("rigid.fmu", "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "modelDescription.xml":
                was, data = data, data.replace(b'canHandleVariableCommunicationStepSize="true"', b"")
                assert was != data
            new.writestr(name, data)
    with open("rigid.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{msd1}": os.path.abspath("rigid.fmu")},
                   "algorithm": {"type": "fixed-step", "size": step}}, f)
    return [MSD, "rigid.json", "--tolerance", "1e-2"]


def steps_divide_the_whole_where_they_must():
    """The tuned scenario is of the whole experiment: what cannot vary its step would miss the last one."""
    for at, steps, left in ("2", {100}, 8), ("2.2", {975, 1950}, 7.8):
        found = tune(*rigid(), "--warm", at, "-o", "tuned.json")
        assert {round(left / t["step"]) for t in found["tried"] if t["role"] == "candidate" and t["step"]} == steps, (
            at, found["tried"])
        assert (f"'{{msd1}}.msd1' cannot vary its step: only steps that divide the time before {at} s, too, are "
                "chosen from." in found["reasons"]), found["reasons"]
        run = json.loads(tutti("run", "tuned.json", "-o", "tuned.csv", "--json").stdout)
        assert run["warnings"] == [] and max(table("tuned.csv")) == 10, run["warnings"]
    found = tune(*rigid())  # from the start 50 steps do
    assert any(t["step"] == 0.2 and t["role"] == "candidate" for t in found["tried"]), found["tried"]
    why = tutti("tune", *rigid(0.0001), "--warm", "2.2001", code=2).stderr
    assert why == (
        "tutti: --warm (without it every run begins at the start): instance '{msd1}.msd1' cannot vary its step, and of "
        "50 to 50000 steps from 2.2001 s to 10 s none divides the time before, too; another time would help\n"), why


def what_ends_the_simulation_is_no_interruption():
    with open("over.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{l}": os.path.join(BUILD, "tests", "units", "liar-fmi3.fmu")}, "instances": {"{l}": ["a"]},
                   "interface": "me", "parameters": {"{l}.a.what": 5}, "startTime": 0.3, "endTime": 2}, f)
    why = tutti("tune", "over.json", "--warm", "1", code=1).stderr
    assert why == ("tutti: --warm (without it every run begins at the start): instance '{l}.a' (fmi3me): exit_init: it "
                   "wants the simulation to end before its first step\n"), why


def late_values_are_waited_for():
    """While a search runs nothing is predicted, so that an instance that is late in other runs leads there, too."""
    with open("late.json", "w", encoding="utf-8") as f:
        json.dump({"isolate": ["{msd2}.msd2"], "late": {"{msd2}.msd2": {"after": 0}}}, f)
    found = tune(MSD, "late.json", "--tolerance", "1e-2", "--warm", "2", "--budget", "8runs", code=1)
    assert found["warm"] == {"time": 2, "cost": 20, "by": "the scenario's own settings"}, found["warm"]


def wrong_beginnings_are_refused():
    def refused(*words, code=2):
        why = tutti("tune", *words, code=code).stderr
        assert why.startswith("tutti: "), why
        return why[len("tutti: "):-1]

    without = "--warm (without it every run begins at the start): "
    for at in "0", "-1", "10", "11":
        assert refused(MSD, "--warm=" + at) == f"--warm {at}: the experiment is from 0 to 10 s"
    assert refused(MSD, "--until", "5", "--warm=6") == "--warm 6: the experiment is from 0 to 5 s"
    for at in "x", "nan", "2s":
        assert refused(MSD, "--warm", at) == f"--warm needs a number, not '{at}'"
    assert refused(MSD, "--warm", "9.99") == (
        without + "the first step that ends at 9.99 s or later is the last one")
    lacking = MSD.replace("scenario.json", "scenario-fmi1.json")
    assert refused(lacking, "--warm", "2") == (
        without + "no checkpoint can be made of this scenario: '{msd1}.msd1' (fmi1) cannot save its state, '{msd2}.msd2' "
        "(fmi1) cannot save its state; an FMU must offer canGetAndSetFMUstate and canSerializeFMUstate for that, which "
        "many tools can export")
    dead = {"fmus": {"{m}": MISBEHAVE}, "instances": {"{m}": ["a"]}, "parameters": {"{m}.a.what": 6},
            "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 2}
    with open("dead.json", "w", encoding="utf-8") as f:
        json.dump(dead, f)
    why = refused("dead.json", "--warm", "1", code=1)
    assert why == without + "instance '{m}.a': crashed in step (SIGSEGV) at t=0.9", why
    drive = os.path.join(BUILD, "examples", "hinted-drive", "scenario.json")
    assert refused(drive, "--warm", "0.0105", *hints(SOFTWARE, {"software": "{load}.load", "rate": 500})) == (
        without + "0.011 s is in the middle of a period of '{load}.load', 0.002 s")
    with open("old.csv", "w", encoding="utf-8") as f:
        f.write("time,x\n0,1\n")
    assert refused(MSD, "--warm", "2", "-o", "old.csv") == (
        "old.csv: a table (CSV), which would be written over; give another name")
    assert refused("old.csv", "--warm", "2").startswith("old.csv: a table (CSV), not a scenario; ")


def interrupted_while_it_leads_there():
    with open("slow.json", "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{m}": MISBEHAVE}, "instances": {"{m}": ["a"]},
                   "parameters": {"{m}.a.u": 1, "{m}.a.what": 8, "{m}.a.amount": 1},
                   "algorithm": {"type": "fixed-step", "size": 0.01}, "endTime": 2}, f)
    with subprocess.Popen([TUTTI, "tune", "slow.json", "--warm", "1"], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as run:
        time.sleep(0.5)
        run.send_signal(signal.SIGINT)
        out, why = run.communicate(timeout=60)
    assert run.returncode == 130, (run.returncode, out, why)
    assert why == "tutti: stopped after 0 runs; what is best so far is kept\n", why
    assert "No variant was run to its end." in out, out


def mistakes_are_named():
    why = tutti("tune", bare(), "--budget", "soon", code=2).stderr
    assert why == ("tutti: --budget 'soon': enter a number of runs such as 40runs, or of seconds such as "
                   "60s\n"), why
    why = tutti("tune", "bare.json", "--set", "nix=1", code=2).stderr
    assert why == "tutti: command line: no instance has a variable 'nix'\n", why


def main():
    for test in (results_are_within_the_tolerance, what_is_unstable_is_not_run, what_converges_may_be_wrong, no_iterations_are_wasted,
                 the_same_budget_leads_to_the_same_choice, references_are_found_everywhere,
                 settings_are_changed_one_by_one, crossings_are_kept, a_crash_loses_its_variants_only,
                 no_variant_is_left, interrupted_the_best_is_kept, variants_that_violate_a_hint_are_out,
                 the_drive_becomes_smooth,
                 a_contradictory_hint_is_named, declared_ranges_are_facts, wrong_hints_are_refused,
                 what_instances_declare_is_listed, hints_of_instances_lead_the_search, variants_are_those_of_the_rules,
                 wrong_hints_of_instances_are_refused, what_is_declared_bounds_the_step, a_report_shows_the_choice,
                 runs_begin_where_one_led_to, what_is_before_does_not_count, events_and_other_interfaces_begin_there,
                 events_stay_where_they_are, steps_divide_the_whole_where_they_must,
                 what_ends_the_simulation_is_no_interruption, late_values_are_waited_for,
                 wrong_beginnings_are_refused, interrupted_while_it_leads_there, mistakes_are_named):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test()
            os.chdir("/")
        print("ok", test.__name__)


main()
