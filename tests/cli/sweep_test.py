#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""tutti sweep: sweep_test.py BUILD. Tables against single runs and closed forms, points that
fail, crash and hang, and sweeps that are killed."""
import csv
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
TUTTI = os.path.join(BUILD, "tutti")
UNITS = os.path.join(BUILD, "tests", "units")
MSD = os.path.join(BUILD, "examples", "double-mass-spring-damper", "scenario.json")
TUNED = os.path.join(UNITS, "tuned.fmu")
MISBEHAVE = os.path.join(UNITS, "misbehave.fmu")

os.environ["ASAN_OPTIONS"] = "handle_segv=0"  # crashes stay crashes


def tutti(*words, code=0):
    done = subprocess.run([TUTTI, *words], capture_output=True, text=True, check=False)
    assert done.returncode == code, (words, done.returncode, done.stdout, done.stderr)
    return done


def table(path):
    with open(path, newline="", encoding="utf-8") as f:
        return list(csv.DictReader(f))


def content(path):
    with open(path, "rb") as f:
        return f.read()


def a_table_has_what_single_runs_give(at):
    tutti("sweep", MSD, "--vary", "dc=0:2:3", "--vary", "cc=1,2", "-o", "t.csv")
    rows = table("t.csv")
    assert [(r["point"], r["dc"], r["cc"], r["state"]) for r in rows] == [
        (str(i), dc, cc, "done") for i, (dc, cc) in enumerate(
            (dc, cc) for dc in ("0", "1", "2") for cc in ("1", "2"))]
    for r in rows[1], rows[4]:
        tutti("run", MSD, "--set", f"dc={r['dc']}", "--set", f"cc={r['cc']}", "-q", "-o", "one.csv")
        one = [float(x["{msd1}.msd1.x1"]) for x in table("one.csv")]
        name = "{msd1}.msd1.x1."
        assert float(r[name + "final"]) == one[-1]
        assert float(r[name + "min"]) == min(one) and float(r[name + "max"]) == max(one)
        mean = sum((a + b) / 2 for a, b in zip(one, one[1:])) / (len(one) - 1)
        assert math.isclose(float(r[name + "mean"]), mean, rel_tol=1e-9, abs_tol=1e-12)
    assert not os.path.exists("t.csv.journal")
    tutti("results", "t.csv")  # it is a table as others are


def columns_are_chosen(at):
    tutti("sweep", MSD, "--vary", "dc=1", "--columns", "x*", "--take", "final,max", "-o", "t.csv")
    assert list(table("t.csv")[0]) == [
        "point", "dc", "{msd1}.msd1.x1.final", "{msd1}.msd1.x1.max", "{msd2}.msd2.x2.final",
        "{msd2}.msd2.x2.max", "state", "problem"]


def jobs_and_seeds_do_not_change_a_table(at):
    words = ["--vary", "dc=normal:1:0.1", "--vary", "cc=1:2", "--points", "lhs:40", "--seed", "3"]
    tutti("sweep", MSD, *words, "-j", "1", "-o", "a.csv", "--bands", "a1.csv")
    tutti("sweep", MSD, *words, "-j", "3", "-o", "b.csv", "--bands", "b1.csv")
    assert content("a.csv") == content("b.csv") and content("a1.csv") == content("b1.csv")
    tutti("sweep", MSD, *words[:-1], "4", "-o", "b.csv")
    assert content("a.csv") != content("b.csv")


def points_come_from_a_table(at):
    with open("points.csv", "w", encoding="utf-8") as f:
        f.write("point,{msd2}.msd2.dc,cc\n0,1,2\n1,0.5,1\n")
    tutti("sweep", MSD, "--points", "points.csv", "-o", "t.csv")
    assert [(r["{msd2}.msd2.dc"], r["cc"]) for r in table("t.csv")] == [("1", "2"), ("0.5", "1")]


def bands_are_quantiles(at):
    """y = u t with u evenly spread: quantiles of u times t."""
    tutti("sweep", MISBEHAVE, "--vary", "u=0:10:11", "--until", "2", "--step", "0.1", "-o", "t.csv",
          "--bands", "bands.csv", "--quantiles", "0.1,0.5,1", "--instants", "9")
    rows = table("bands.csv")
    assert [float(r["time"]) for r in rows] == [0.25 * k for k in range(9)]
    for r in rows:
        for q in ("0.1", "0.5", "1"):
            name = next(n for n in r if n.endswith(f"y.q{q}"))
            assert abs(float(r[name]) - 10 * float(q) * float(r["time"])) < 1e-9


def sensitivities_are_derivatives(at):
    """Of y(2) = u 2 by u, and by something that does nothing."""
    tutti("sweep", MISBEHAVE, "--sensitivity", "--vary", "u=3", "--vary", "amount=0.05:0.01",
          "--until", "2", "--step", "0.1", "--take", "final", "-o", "t.csv")
    first, second = table("t.csv")
    name = next(n for n in first if n.endswith("y.final"))
    assert first["parameter"] == "u" and abs(float(first[name]) - 2) < 1e-9
    assert second["difference"] == "0.01" and float(second[name]) == 0


def what_fails_is_named_and_the_others_go_on(at):
    """what: 1 fails, 6 crashes, 7 exits, 8 sleeps."""
    done = tutti("sweep", MISBEHAVE, "--vary", "what=0,1,6,7,8,0", "--set", "amount=60", "--patience",
                 "5", "--until", "2", "--step", "0.5", "-j", "2", "-o", "t.csv", "--json", code=1)
    states = [r["state"] for r in table("t.csv")]
    assert states == ["done", "failed", "crashed", "crashed", "late", "done"], states
    answer = json.loads(done.stdout)
    assert (answer["points"], answer["done"], answer["failed"]) == (6, 2, 4)
    problems = {p["point"]: p["problem"] for p in answer["problems"]}
    assert "crashed in step (SIGSEGV) at t=0.5" in problems[2], problems
    assert problems[4] == "not done within 5.0 s"
    assert answer["problems"][1]["values"] == {"what": "6"}
    plain = tutti("sweep", MISBEHAVE, "--vary", "what=0,6", "--until", "2", "--step", "0.5", "-o", "t.csv",
                  code=1).stdout
    assert plain.startswith("2 points: 1 done, 1 failed;") and "point 1 (what=6): " in plain


def killed_and_resumed_the_table_is_the_same(at):
    """Each point sleeps; after some are done all is killed."""
    words = ["sweep", MISBEHAVE, "--vary", "u=0:19:20", "--set", "what=8", "--set", "amount=0.1",
             "--until", "2", "--step", "0.5", "-j", "2", "--bands", "bands.csv", "-o", "t.csv"]
    tutti(*words)
    whole, bands = content("t.csv"), content("bands.csv")
    os.remove("t.csv")
    os.remove("bands.csv")
    for _ in range(2):
        run = subprocess.Popen([TUTTI, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        begun = os.path.getsize("t.csv.journal") if os.path.exists("t.csv.journal") else 0
        limit = time.monotonic() + 60
        while run.poll() is None and time.monotonic() < limit:
            if os.path.exists("t.csv.journal") and os.path.getsize("t.csv.journal") > begun + 8000:
                break
            time.sleep(0.01)
        run.send_signal(signal.SIGKILL)
        run.wait()
        assert not os.path.exists("t.csv")
    with open("t.csv.journal", "ab") as f:
        f.write(b"half of a record")
    answer = json.loads(tutti(*words, "--json").stdout)
    assert 0 < answer["before"] < 20, answer
    assert content("t.csv") == whole and content("bands.csv") == bands
    assert not os.path.exists("t.csv.journal")
    with open("t.csv.journal", "wb") as f:
        f.write(b"another journal\n")
    assert json.loads(tutti(*words, "--json").stdout)["before"] == 0
    assert content("t.csv") == whole


def interrupted_it_goes_on(at):
    words = ["sweep", MISBEHAVE, "--vary", "u=0:19:20", "--set", "what=8", "--set", "amount=0.2",
             "--until", "2", "--step", "0.5", "-j", "2", "-o", "t.csv"]
    with subprocess.Popen([TUTTI, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
        while not os.path.exists("t.csv.journal") or os.path.getsize("t.csv.journal") < 1000:
            time.sleep(0.01)
        run.send_signal(signal.SIGINT)
        out, why = run.communicate(timeout=60)
    assert run.returncode == 130, (run.returncode, out, why)
    assert why.endswith("of 20 points; the same command goes on\n"), why
    assert sum(r["state"] == "open" for r in table("t.csv")) > 0
    tutti(*words)
    assert all(r["state"] == "done" for r in table("t.csv"))


def warm(path="warm.json", **more):
    """x' = -k x, where k may change."""
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{t}": TUNED}, "instances": {"{t}": ["a"]}, "parameters": {"{t}.a.k": 0.5},
                   "record": ["{t}.a.x"], "algorithm": {"type": "fixed-step", "size": 0.25},
                   "startTime": 0, "endTime": 2, **more}, f)
    return path


def points_go_on_from_what_they_have_in_common(at):
    for jobs in "1", "2":
        tutti("sweep", warm(), "--vary", "{t}.a.k=0:2:5", "--warm", "1", "-j", jobs, "-o", "w.csv", "--bands", "b.csv")
        rows = table("w.csv")
        assert len(rows) == 5
        for i, row in enumerate(rows):
            k, name = 0.5 * i, "{t}.a.x."
            euler = (1 - 0.25 * 0.5) ** 4 * (1 - 0.25 * k) ** 4  # as the unit steps
            assert math.isclose(float(row[name + "final"]), euler, rel_tol=1e-14), row
            assert float(row[name + "max"]) == 1  # what was before counts, too
            tutti("run", warm("one.json", script=[{"at": 1, "do": {"set": {"{t}.a.k": k}}}]), "-q", "-o", "one.csv")
            one = [(float(x["time"]), float(x["{t}.a.x"])) for x in table("one.csv")]
            assert float(row[name + "final"]) == one[-1][1], (row, one)
            assert float(row[name + "min"]) == min(x for _, x in one)
            mean = sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in zip(one, one[1:])) / 2
            assert math.isclose(float(row[name + "mean"]), mean, rel_tol=1e-12)
        half = next(b for b in table("b.csv") if float(b["time"]) == 1)
        assert len({v for k, v in half.items() if k != "time"}) == 1, half  # no point differs yet


def what_cannot_change_is_refused(at):
    for vary, why in (("dc=1", "it is not tunable"), ("{msd1}.msd1.x1=1", "it is neither a tunable parameter nor an input")):
        done = tutti("sweep", MSD, "--vary", vary, "--warm", "1", code=2).stderr
        assert done.startswith("tutti: --warm: '{msd") and done.endswith(f" cannot change while it is running: {why}\n"), done
    done = tutti("sweep", warm(), "--vary", "{t}.a.k=1", "--warm", "2", code=2).stderr
    assert done == "tutti: --warm 2: the experiment is from 0 to 2 s\n", done


def tables_are_hdf5_and_mat_too(at):
    tutti("sweep", MSD, "--vary", "dc=0:2:3", "-o", "t.csv")
    for name in "t.h5", "t.mat":
        tutti("sweep", MSD, "--vary", "dc=0:2:3", "-o", name)
        tutti("results", name, "-o", name + ".csv")
        ours, text = table(name + ".csv"), table("t.csv")
        assert len(ours) == 3
        for a, b in zip(ours, text):
            assert float(a["dc"]) == float(b["dc"])
            assert float(a["{msd1}.msd1.x1.final"]) == float(b["{msd1}.msd1.x1.final"])
    assert not [f for f in os.listdir(at) if "part" in f]


def mistakes_are_named(at):
    def refused(message, *words):
        why = tutti("sweep", *words, code=2).stderr
        assert why == f"tutti: {message}\n", why

    refused("nothing is varied: give --vary NAME=a:b:n, or --points FILE.csv", MSD)
    refused("command line: no instance has a variable 'nix'", MSD, "--vary", "nix=1")
    refused("--take 'mode' is not one of final, min, max, mean", MSD, "--vary", "dc=1", "--take", "mode")
    refused("--quantiles '2': numbers from 0 to 1, at most 32", MSD, "--vary", "dc=1", "--quantiles", "2")
    refused("--vary names 'dc' twice", MSD, "--vary", "dc=1", "--vary", "dc=2")
    refused("--bands does not go with --sensitivity", MSD, "--vary", "dc=1", "--sensitivity", "--bands", "b.csv")
    refused("no column is recorded and chosen that could be tabled", MSD, "--vary", "dc=1", "-c", "nix")
    refused("--sensitivity goes with --vary NAME=value, or NAME=value:difference", MSD, "--sensitivity")
    refused("--vary 'dc=x': --sensitivity takes a value, or value:difference", MSD, "--sensitivity",
            "--vary", "dc=x")
    assert not os.path.exists("sweep.csv")


def main():
    for test in (a_table_has_what_single_runs_give, columns_are_chosen,
                 jobs_and_seeds_do_not_change_a_table, points_come_from_a_table, bands_are_quantiles,
                 sensitivities_are_derivatives, what_fails_is_named_and_the_others_go_on,
                 killed_and_resumed_the_table_is_the_same, interrupted_it_goes_on, points_go_on_from_what_they_have_in_common,
                 what_cannot_change_is_refused, tables_are_hdf5_and_mat_too, mistakes_are_named):
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            test(folder)
            os.chdir("/")
        print("ok", test.__name__)


main()
