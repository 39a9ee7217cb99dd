# SPDX-License-Identifier: MIT
"""Scenarios three deep: the same results; and who is named when something goes
wrong inside."""
import copy
import os
import rig

UNITS = os.path.join(rig.BUILD, "tests", "units")
LAST = ': last message: "asked to fail"'
FIXED = {"type": "fixed-step", "size": 0.1}


def nest(scenario, depth):
    """The scenario, so deep inside others: (path of the outermost, prefix)."""
    inside = copy.deepcopy(scenario)
    prefix = ""
    rig.write("deep0.json", inside)
    for i in range(1, depth + 1):
        outside = {k: scenario[k] for k in rig.EXPERIMENT if k in scenario}
        outside["fmus"] = {f"{{d{i}}}": f"deep{i - 1}.json"}
        outside["instances"] = {f"{{d{i}}}": ["u"]}
        if i < depth:  # only the outermost says how far and how
            outside = {k: outside[k] for k in ("fmus", "instances")}
        prefix = f"{{d{i}}}.u." + prefix
        rig.write(f"deep{i}.json", outside)
    return outside, prefix


# --- the same ---------------------------------------------------------------

for name, fields in (("double-mass-spring-damper/scenario.json", {}),
                     ("double-mass-spring-damper/scenario.json",
                      {"iterate": "converged", "rollback": True}),
                     ("line-follower/scenario.json",
                      {"master": "gauss-seidel", "approximation": "linear"})):
    s = rig.example(name)
    s.update(fields)
    plain = rig.run(rig.write("plain.json", s))
    outside, prefix = nest(s, 3)
    outside["record"] = [prefix + c for c in plain[2] if c != "time"]
    words = rig.same(plain, rig.run(rig.write("deep3.json", outside)),
                     lambda h, p=prefix: p + h)
    rig.claim(words == "", f"{name} {fields}, three deep {words}")

# Both halves of a loop, each two deep, repeated by the outermost: they are
# rolled back with all that is in them.
s = rig.example("double-mass-spring-damper/scenario.json")
s["iterate"] = "converged"
s["acceleration"] = "anderson"
s.pop("logVariables")
plain = rig.run(rig.write("plain.json", s))
for i in ("1", "2"):
    rig.write(f"one{i}.json", {"fmus": {f"{{msd{i}}}": s["fmus"][f"{{msd{i}}}"]},
                               "instances": {f"{{msd{i}}}": [f"msd{i}"]}})
    ports = {"1": {"inputs": {"F": "{one}.o.{msd1}.msd1.F"},
                   "outputs": {"x1": "{one}.o.{msd1}.msd1.x1",
                               "v1": "{one}.o.{msd1}.msd1.v1"}},
             "2": {"inputs": {"x1": "{one}.o.{msd2}.msd2.x1",
                              "v1": "{one}.o.{msd2}.msd2.v1"},
                   "outputs": {"F": "{one}.o.{msd2}.msd2.F"}}}
    rig.write(f"two{i}.json", {"fmus": {"{one}": f"one{i}.json"},
                               "instances": {"{one}": ["o"]},
                               "ports": ports[i]})
s["fmus"] = {"{msd1}": "two1.json", "{msd2}": "two2.json"}
deep = rig.run(rig.write("outer.json", s))
words = rig.same(plain, deep, lambda h: h)
rig.claim(words == "", f"two halves, each two deep, repeated together {words}")
threads = rig.run(os.path.join(rig.FOLDER, "outer.json"), "--threads", "2")
words = rig.same(plain, threads, lambda h: h)
rig.claim(words == "", f"the same with two threads {words}")

# --- what goes wrong --------------------------------------------------------


def told(name, options, code, words, rows=10):
    got = rig.run(os.path.join(rig.FOLDER, "deep2.json"), *options)
    said = got[1].strip().split("\n")[-1].replace(rig.FOLDER + "/", "")
    ok = got[0] == code and said == words and len(got[3]) == rows
    rig.claim(ok, f"{name} {'' if ok else (got[0], said, len(got[3]))}")


for ending in ("", "-fmi3"):
    s = {"fmus": {"{m}": os.path.join(UNITS, f"misbehave{ending}.fmu")},
         "connections": {"{m}.a.y": ["{m}.b.u"]},
         "algorithm": FIXED, "startTime": 0, "endTime": 2}
    outside, prefix = nest(s, 2)
    what = "{d2}.u.{d1}.u.{m}.b.what="
    unit = "{d2}.u/{d1}.u/{m}.b"
    kind, call = ("fmi3", "fmi3DoStep") if ending else ("fmi2", "fmi2DoStep")
    rest = "; results so far: out.csv (10 rows to t=0.9)"
    told("a crash names the instance inside" + ending, ["--set", what + "6"], 1,
         f"tutti: instance '{unit}': crashed in step (SIGSEGV) at t=0.9{rest}")
    told("an exit, too" + ending, ["--set", what + "7"], 1,
         f"tutti: instance '{unit}': ended the process in step (exit code 0) at "
         f"t=0.9{rest}")
    told("a failure has the whole path" + ending, ["--set", what + "1"], 1,
         "tutti: instance '{d2}.u' (composite): step at t=0.9: instance "
         "'{d2}.u/{d1}.u' (composite): step at t=0.9: instance "
         f"'{unit}' ({kind}): step at t=0.9: {call} returned "
         f"{kind}Error{'' if ending else LAST}{rest}")

# A step that is rejected inside is taken back by the outermost, which tries
# shorter ones, just as it would plainly, until none will do.
s = {"fmus": {"{m}": os.path.join(UNITS, "misbehave.fmu")},
     "connections": {"{m}.a.y": ["{m}.b.u"]}, "algorithm": FIXED,
     "startTime": 0, "endTime": 2, "parameters": {"{m}.b.what": 3,
                                                  "{m}.a.u": 1}}
plain = copy.deepcopy(s)
plain["rollback"] = True
plain = rig.run(rig.write("plain.json", plain))
outside, prefix = nest(s, 2)
outside["rollback"] = True
taken_back = rig.run(rig.write("deep2.json", outside))
column = taken_back[2].index(prefix + "{m}.a.y")
rig.claim(plain[0] == taken_back[0] == 1 and len(plain[3]) > 11 and
          [(r[0], r[plain[2].index("{m}.a.y")]) for r in plain[3]] ==
          [(r[0], r[column]) for r in taken_back[3]],
          f"a step rejected inside is taken back outside: {len(plain[3])} and "
          f"{len(taken_back[3])} rows")

# --- the example ------------------------------------------------------------

folder = os.path.join(rig.BUILD, "examples", "nested-water-tank")
flat = rig.run(os.path.join(folder, "scenario-flat.json"))
fine = rig.run(os.path.join(folder, "scenario.json"), "--step", "0.05")
coarse = rig.run(os.path.join(folder, "scenario.json"))


def column(results, name):
    return [r[results[2].index(name)] for r in results[3]]


for stage in ("upper", "lower"):
    for variable in ("level", "valve"):
        a = column(flat, "{basin}." + f"{stage}.{variable}")
        b = column(fine, "{stage}." + f"{stage}.{variable}")
        c = column(coarse, "{stage}." + f"{stage}.{variable}")
        rig.claim(a == b and len(b) == 2001,
                  f"the cascade is as the flat one: {stage}.{variable}")
        rig.claim((a[::10] == c) == (stage == "upper"),
                  f"so is the upper stage with any step: {stage}.{variable}")
    inside = "{stage}." + stage + ".{basin}.basin."
    level, into, out = (
        [float(v) for v in column(coarse, n)] for n in
        ("{stage}." + stage + ".level", inside + "volumeIn",
         inside + "volumeOut"))
    lost = max(abs(l - level[0] - i + o) for l, i, o in zip(level, into, out))
    rig.claim(lost < 1e-11, f"the {stage} stage keeps its water: {lost}")
late = (float(column(coarse, "{stage}.upper.{basin}.basin.volumeOut")[-1]) -
        float(column(coarse, "{stage}.lower.{basin}.basin.volumeIn")[-1]))
rig.claim(0.3 < late < 0.4, f"{late} m3 have not arrived")

rig.end()
