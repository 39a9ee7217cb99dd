# SPDX-License-Identifier: MIT
"""For tests of scenarios inside scenarios: writes them, runs them with the
program, compares their results cell by cell, as text."""
import copy
import csv
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

BUILD = sys.argv[1]
TUTTI = os.path.join(BUILD, "tutti")
FOLDER = tempfile.mkdtemp(prefix="tutti-compose-")
failed = []
ran = {}
# a crash is a crash, also where a sanitizer would make an exit of it
os.environ["ASAN_OPTIONS"] = "handle_segv=0:" + os.environ.get(
    "ASAN_OPTIONS", "")


def claim(ok, words):
    print(("ok    " if ok else "FAILED ") + words)
    if not ok:
        failed.append(words)


def end():
    shutil.rmtree(FOLDER, ignore_errors=True)
    sys.exit(1 if failed else 0)


def load(path):
    """A scenario, its FMUs by absolute paths."""
    with open(path, encoding="utf-8") as f:
        s = json.load(f)
    for key, where in s["fmus"].items():
        if not where.startswith("tutti:"):
            s["fmus"][key] = os.path.join(os.path.dirname(path), where)
    return s


# What a master may do in addition, field by field.
VARIATIONS = ({"master": "gauss-seidel", "approximation": "linear"},
              {"approximation": "hermite"},
              {"iterate": 3},
              {"iterate": "converged", "acceleration": "anderson",
               "iteration": {"unconverged": "accept", "maximum": 20}},
              {"rollback": True})


def varied(scenario, more=()):
    """The scenario with each of the variations: (fields, scenario)."""
    for fields in VARIATIONS + tuple(more):
        s = copy.deepcopy(scenario)
        s.update(fields)
        yield fields, s


def is_variable(s):
    return s.get("algorithm", {}).get("type") == "var-step"


def example(name):
    return load(os.path.join(BUILD, "examples", name))


# A step is rejected inside and taken back there: where its first piece ends
# there is no row outside.
REJECTS = ("power-window/scenario-adapted.json",)


def examples():
    """All scenarios of the examples, but those that are nested already, the one
    with events that accumulate, where steps inside end that outside are one
    (whole_test.py has it), the one that records what a crossing has put out,
    which is not seen from outside, and those that choose their order while
    running, which is refused inside an instance."""
    found = sorted(glob.glob(os.path.join(BUILD, "examples", "*",
                                          "scenario*.json")))
    loaded = {os.path.relpath(f, os.path.join(BUILD, "examples")): load(f)
              for f in found if not any(part in f for part in (
                  "nested", "-zeno", "relaxed-ball"))}
    return {name: s for name, s in loaded.items() if "sequence" not in s}


def write(name, scenario):
    path = os.path.join(FOLDER, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        json.dump(scenario, f, indent=1)
    return path


def run(path, *options):
    """(exit code, what was said, header, rows)"""
    out = os.path.join(FOLDER, "out.csv")
    if os.path.exists(out):
        os.remove(out)
    p = subprocess.run([TUTTI, "run", path, "-o", out, *options],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    if not os.path.exists(out):
        return p.returncode, p.stdout, [], []
    with open(out, encoding="utf-8", newline="") as f:
        rows = list(csv.reader(f))
    return p.returncode, p.stdout, rows[0], rows[1:]


def run_once(scenario):
    """What a scenario gives; of the same one what it gave."""
    text = json.dumps(scenario)
    if text not in ran:
        ran.clear()
        ran[text] = run(write("plain.json", scenario))
    return ran[text]


EXPERIMENT = ("startTime", "endTime", "tolerance", "algorithm")


def wrap(scenario, inner, prefix="{sub}.s.", follow=False):
    """The scenario as one instance: (inner, outer). With follow the steps come
    from outside."""
    inside = copy.deepcopy(scenario)
    outside = {k: copy.deepcopy(scenario[k]) for k in EXPERIMENT
               if k in scenario}
    if follow:
        del inside["algorithm"]
    outside["fmus"] = {"{sub}": inner}
    outside["instances"] = {"{sub}": ["s"]}
    for c in outside.get("algorithm", {}).get("constraints", {}).values():
        if "ports" in c:
            c["ports"] = [prefix + p for p in c["ports"]]
    return inside, outside


def same(plain, other, rename, rows=None):
    """Nothing, or what differs: every cell of `plain`, whose columns are found
    in `other` by rename(name). What belongs to a clock has a value at its ticks
    only, and seen from outside is held between them."""
    _, _, head, cells = plain
    code, said, head2, cells2 = other
    if code != 0:
        return f"exit code {code}: {said}"
    if rows:
        cells = [r for r in cells if rows(r)]
    if len(cells) != len(cells2):
        return f"{len(cells)} rows and {len(cells2)}"
    at = {h: i for i, h in enumerate(head2)}
    for i, h in enumerate(head):
        to = h if h in ("time", "step-size") else rename(h)
        if to not in at:
            return f"no column '{to}' in {head2}"
        for a, b in zip(cells, cells2):
            if a[i] not in ("", b[at[to]]):
                return f"'{h}' at t={a[0]}: {a[i]} and {b[at[to]]}"
    return ""
