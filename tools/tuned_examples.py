#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""`tutti tune` on every example whose settings were removed.

Of each example that has a step, the settings made by hand are run, and run
again at a hundredth of their step: the difference is the error they make. What is
asked for is that error, but at least a thousandth and at most two hundredths of
each range; settings made by hand that are farther off are run at smaller steps
until they are not. Then master, step, approximation, iteration and rates are
removed, and `tutti tune` is asked. What it chose is run and compared with
the same fine results. Cost is the number of steps of instances. Prints a table,
writes docs/tuned-examples.md, and exits 1 if fewer than --least examples are
within the tolerance at no more than twice the cost.

    tools/tuned_examples.py [BUILD] [-o FILE] [--only NAME,...] [--least N]
"""
import argparse
import bisect
import csv
import glob
import json
import os
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SETTINGS = ["algorithm", "master", "approximation", "iterate", "acceleration", "order", "rates", "sequence", "score",
            "iteration"]
INSTANTS, FINER, LEAST, MOST, BUDGET = 51, 100, 1e-3, 2e-2, "60runs"
SMALLER = [1, 2, 4, 10, 20]
OTHER = {"rigid-link": "scenario-rates.json"}  # the other one rings at any step, as its runs warn
APART = {"crashing-unit": "ends in a crash, on purpose",
         "look-ahead": "has a controller that looks once a second: its steps of 0.5 s end there, and few that the search tries do",
         "queue": "has no step: it goes from event to event",
         "traffic-light": "has no step: it goes from event to event"}


def tutti(build, *words, fine=(0,)):
    done = subprocess.run([os.path.join(build, "tutti"), *words], capture_output=True, text=True, check=False)
    if done.returncode not in fine:
        raise RuntimeError(f"{' '.join(words)}: {done.stderr}")
    return json.loads(done.stdout)


def run(build, scenario, *words):
    """Its columns at the instants, and what it cost."""
    done = tutti(build, "run", scenario, *words, "--json", "-o", "out.csv")
    with open("out.csv", newline="", encoding="utf-8") as f:
        rows = list(csv.reader(f))
    names, rows = rows[0][1:], rows[1:]
    times = [float(r[0]) for r in rows]
    columns = {}
    for i, name in enumerate(names):
        try:
            values = [float({"true": "1", "false": "0"}.get(r[i + 1], r[i + 1] or "nan")) for r in rows]
        except ValueError:
            continue  # a text
        columns[name] = values
    return times, columns, sum(u["steps"] for u in done["units"])


def at(times, values, t, discrete):
    i = bisect.bisect_right(times, t + 1e-9 * max(abs(times[-1]), 1)) - 1
    if discrete or i + 1 >= len(times) or times[i + 1] <= times[i]:
        return values[i]
    part = (t - times[i]) / (times[i + 1] - times[i])
    return values[i] + max(0, part) * (values[i + 1] - values[i])


def difference(one, fine):
    """The largest of all columns, by the range of each; of discrete ones the mean."""
    instants = [fine[0][0] + (fine[0][-1] - fine[0][0]) * k / (INSTANTS - 1) for k in range(INSTANTS)]
    worst = 0.0
    for name, column in fine[1].items():
        if name.endswith("esidual"):
            continue  # what a solver leaves over is no result
        discrete = len(set(column)) <= 12
        right, ours = ([at(x[0], x[1][name], t, discrete) for t in instants] for x in (fine, one))
        reach, size = max(right) - min(right), max(abs(v) for v in right)
        reach = reach if reach > 1e-12 * size else size or 1
        apart = [0 if a != a and b != b else abs(a - b) for a, b in zip(ours, right)]
        worst = max(worst, (sum(apart) / INSTANTS if discrete else max(apart)) / reach)
    return worst


def bare(path):
    with open(path, encoding="utf-8") as f:
        scenario = json.load(f)
    step = scenario["algorithm"]["size"]
    for key in SETTINGS:
        scenario.pop(key, None)
    with open("bare.json", "w", encoding="utf-8") as f:
        json.dump(scenario, f)
    return step


def words_of(found):
    return f"{found['variant']}, {found['step']:.3g} s" if found.get("step") else found["variant"]


def by_hand(build, path, step, fine):
    """At the step it has, or the largest smaller one that is within what may be asked."""
    for k in SMALLER:
        ours = run(build, path, "--step", repr(step / k))
        error = difference(ours, fine)
        if error <= MOST:
            break
    return k, error, ours[2]


def example(build, path):
    step = bare(path)
    fine = run(build, path, "--step", repr(step / FINER))
    smaller, error, cost = by_hand(build, path, step, fine)
    asked = min(max(error, LEAST), MOST)
    found = tutti(build, "tune", "bare.json", "--base", os.path.dirname(path), "--budget", BUDGET, "--tolerance",
                  repr(asked), "-o", "tuned.json", "--json", fine=(0, 1))
    row = {"smaller": smaller, "hand": error, "cost": cost, "asked": asked, "runs": found["runs"], "found": found}
    if found["best"]:
        tuned = run(build, "tuned.json")
        row.update(error=difference(tuned, fine), tuned=tuned[2], choice=words_of(found["best"]),
                   confirmed=found["best"]["confirmed"])
        row["ok"] = row["confirmed"] and row["error"] <= 1.1 * asked and tuned[2] <= 2 * cost
    return row


def number(v):
    return f"{v:.2g}" if v == v else ""


HEAD = """<!-- SPDX-License-Identifier: MIT -->
# Examples with their settings removed

`tools/tuned_examples.py` removes master, step, approximation, iteration and rates from the examples, asks `tutti tune`
for the error that the settings made by hand have, but at least for a thousandth and at most for two hundredths of each range, and holds
both against the settings made by hand at a hundredth of their step. Where these are farther off than two hundredths, their step is
divided as shown. Error is relative to ranges, cost the number of steps of instances, the budget 60 runs. See
[finding settings](concepts/tuning.md).

| example | by hand: error | cost | asked | tuned: error | cost | times | settings found | |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def line(name, row):
    divided = f" (step / {row['smaller']})" if row["smaller"] > 1 else ""
    if "tuned" not in row:
        return f"| {name}{divided} | {number(row['hand'])} | {row['cost']} | {number(row['asked'])} | | | | | none found |"
    verdict = "ok" if row["ok"] else "not confirmed" if not row["confirmed"] else "not within" \
        if row["error"] > 1.1 * row["asked"] else "dear"
    return (f"| {name}{divided} | {number(row['hand'])} | {row['cost']} | {number(row['asked'])} | {number(row['error'])} | "
            f"{row['tuned']} | {number(row['tuned'] / row['cost'])} | {row['choice']} | {verdict} |")


def main():
    p = argparse.ArgumentParser()
    p.add_argument("build", nargs="?", default=os.path.join(ROOT, "build"))
    p.add_argument("-o", default=os.path.join(ROOT, "docs", "tuned-examples.md"))
    p.add_argument("--only", default="")
    p.add_argument("--least", type=int, default=0)
    p.add_argument("--why", action="store_true")
    a = p.parse_args()
    build, out = os.path.abspath(a.build), os.path.abspath(a.o)
    only = [n for n in a.only.split(",") if n]
    lines, n_ok = [], 0
    for path in sorted(glob.glob(os.path.join(build, "examples", "*", "scenario.json"))):
        name = os.path.basename(os.path.dirname(path))
        path = os.path.join(os.path.dirname(path), OTHER.get(name, "scenario.json"))
        if name in APART or (only and name not in only):
            continue
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            try:
                row = example(build, path)
            except RuntimeError as e:
                print(name, e, file=sys.stderr)
                continue
            finally:
                os.chdir("/")
        n_ok += row.get("ok", False)
        lines.append(line(name, row))
        print(lines[-1], row["runs"], "runs", flush=True)
        if a.why:
            for t in row["found"]["tried"]:
                print("   ", t["variant"], t["step"], t["role"][:3], t["state"], t["error"], t["cost"], t["why"])
            print("\n".join("  > " + r for r in row["found"]["reasons"]))
    if not only:
        text = HEAD + "\n".join(lines) + f"\n\n{n_ok} of {len(lines)} are within what was asked, confirmed, and at no " \
            "more than twice the cost.\n\nNot in the table:\n\n" + \
            "".join(f"- `{k}` {v}.\n" for k, v in APART.items())
        with open(out, "w", encoding="utf-8") as f:
            f.write(text)
    print(n_ok, "of", len(lines))
    sys.exit(n_ok < a.least)


if __name__ == "__main__":
    main()
