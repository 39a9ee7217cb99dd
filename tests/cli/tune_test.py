#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tutti tune: tune_test.py BUILD. Chosen settings against finer runs, reasons, crashes, budgets."""
import csv
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

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
    assert any(r.startswith("Jacobi, hold is ") for r in found["reasons"]), found["reasons"]


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


def mistakes_are_named():
    why = tutti("tune", bare(), "--budget", "soon", code=2).stderr
    assert why == ("tutti: --budget 'soon': enter a number of runs such as 40runs, or of seconds such as "
                   "60s\n"), why
    why = tutti("tune", "bare.json", "--set", "nix=1", code=2).stderr
    assert why == "tutti: command line: no instance has a variable 'nix'\n", why


def main():
    for test in (results_are_within_the_tolerance, what_is_unstable_is_not_run, no_iterations_are_wasted,
                 the_same_budget_leads_to_the_same_choice, a_crash_loses_its_variants_only,
                 no_variant_is_left, interrupted_the_best_is_kept, mistakes_are_named):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test()
            os.chdir("/")
        print("ok", test.__name__)


main()
