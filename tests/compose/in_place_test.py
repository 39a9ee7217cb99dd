# SPDX-License-Identifier: MIT
"""A scenario written in place of its file: the same bytes from every command,
messages at its place in the outer file, the same limits."""
import copy
import json
import os
import subprocess

import rig

BASINS = os.path.join(rig.BUILD, "examples", "nested-water-tank")


def tutti(*words):
    p = subprocess.run([rig.TUTTI, *words], stdout=subprocess.PIPE,
                       stderr=subprocess.PIPE, text=True, check=False,
                       cwd=rig.FOLDER)
    return p.returncode, p.stdout, p.stderr


def read(path):
    with open(os.path.join(rig.FOLDER, path), "rb") as f:
        return f.read()


def both(name, outer, inner):
    """The same scenario twice: (naming a file, in place)."""
    far = copy.deepcopy(outer)
    far["fmus"]["{stage}"] = "stage.json"
    near = copy.deepcopy(outer)
    near["fmus"]["{stage}"] = inner
    rig.write(f"file/{name}/stage.json", inner)
    return (rig.write(f"file/{name}/plant.json", far),
            rig.write(f"place/{name}/plant.json", near))


stage = rig.load(os.path.join(BASINS, "stage.json"))
with open(os.path.join(BASINS, "scenario.json"), encoding="utf-8") as file:
    plant = json.load(file)

# --- the same -----------------------------------------------------------------

for fields in ({}, {"master": "gauss-seidel", "approximation": "linear"},
               {"iterate": "converged"}, {"isolate": True},
               {"rates": {"{stage}.upper": 2}}):
    paths = both("run", {**plant, **fields}, stage)
    said = [rig.run(p) for p in paths]
    rig.claim(said[0][0] == 0 and said[0][2:] == said[1][2:],
              f"the same rows, {fields} {said[1][1] if said[1][0] else ''}")
    scores = [tutti("score", p)[:2] for p in paths]
    rig.claim(scores[0] == scores[1] and scores[0][0] == 0, "the same score")

paths = both("all", plant, stage)
checks = [tutti("check", p) for p in paths]
rig.claim(checks[0][0] == 0 and checks[0][1].split(":")[1:] ==
          checks[1][1].split(":")[1:], "the same check")

# Ports are those of the file.
infos = [json.loads(tutti("info", "--json", p)[1])["fmus"][0] for p in paths]
ports = [sorted(v["name"] for v in i["info"]["variables"]) for i in infos]
rig.claim(ports[0] == ports[1] and "inflow" in ports[0], "the same ports")
rig.claim(infos[1]["location"] == "" and infos[1]["error"] is None,
          "it has no location")

# As an FMU, of FMI 2 and 3.
for version in ("2", "3"):
    rows = []
    for p in paths:
        out = os.path.join(os.path.dirname(p), "plant.fmu")
        code, _, err = tutti("export", p, "-o", out, "--fmi", version,
                             "--force")
        rig.claim(code == 0, f"exported as FMI {version} {err}")
        rows.append(rig.run(out, "--end", "50", "--step", "0.5"))
    rig.claim(rows[0][0] == 0 and rows[0][2:] == rows[1][2:]
              and len(rows[0][3]) > 50, f"the same FMU of FMI {version}")

# A second file reaches into it.
over = rig.write("over.json", {"fmus": {"{stage}": {"algorithm":
                                                    {"size": 0.025}}}})
finer = both("finer", plant, {**stage, "algorithm":
                              {"type": "fixed-step", "size": 0.025}})[0]
rig.claim(rig.run(finer)[3] == rig.run(paths[1], over)[3],
          "a second file changes what is in place")
rig.claim(rig.run(finer)[3] != rig.run(paths[0])[3], "... and that shows")

# --- in each other -------------------------------------------------------------

spring = rig.example("double-mass-spring-damper/scenario.json")
plain = rig.run(rig.write("plain.json", spring))
deep, prefix = spring, ""
for i in range(1, 4):
    deep = {"fmus": {f"{{d{i}}}": deep}, "instances": {f"{{d{i}}}": ["u"]}}
    prefix = f"{{d{i}}}.u." + prefix
deep.update({k: spring[k] for k in rig.EXPERIMENT if k in spring})
deep["record"] = [prefix + c for c in plain[2] if c != "time"]
words = rig.same(plain, rig.run(rig.write("deep.json", deep)),
                 lambda h: prefix + h)
rig.claim(words == "", f"three deep in place {words}")

inside = copy.deepcopy(plant)
inside["fmus"]["{stage}"] = stage
twice = {"fmus": {"{plant}": inside}, "instances": {"{plant}": ["p"]},
         "record": ["{plant}.p.{stage}.upper.level"],
         **{k: plant[k] for k in rig.EXPERIMENT if k in plant}}
plain = rig.run(paths[0])
words = rig.same((0, "", ["time", "{stage}.upper.level"],
                  [[r[0], r[plain[2].index("{stage}.upper.level")]]
                   for r in plain[3]]),
                 rig.run(rig.write("twice.json", twice)),
                 lambda h: "{plant}.p." + h)
rig.claim(words == "", f"nested twice, with ports {words}")


# --- refused ---------------------------------------------------------------------

def refused(text, message, *options):
    with open(os.path.join(rig.FOLDER, "bad.json"), "w",
              encoding="utf-8") as f:
        f.write(text.replace("@", rig.BUILD + "/examples/"))
    code, _, err = tutti("run", "bad.json", *options)
    message = "tutti: " + message.replace("@", rig.BUILD + "/examples/") + "\n"
    rig.claim(code == 2 and err == message, f"{message.strip()}"
              + ("" if err == message else f" <> {code} {err}"))


MASS = '"@double-mass-spring-damper/msd1.fmu"'
REST = '"instances": {"{s}": ["u"]}, "endTime": 1}'

refused('{"fmus": {"{s}": 3},\n' + REST,
        "bad.json:1:18: '{s}' must be a string or an object, not an integer")
refused('{"fmus": {"{s}": {}},\n' + REST,
        "bad.json:1:18: the scenario lacks 'fmus'")
refused('{"fmus": {"{s}": {"fmus": {"{m}": ' + MASS + '}}},\n' + REST,
        "bad.json:1:18: there is nothing to simulate: no instance is named in "
        "'connections', 'logVariables', 'parameters' or 'instances'")
refused('{"fmus": {"{s}": {"fmus": {"{m}": ' + MASS + '},\n'
        '  "instances": {"{n}": ["a"]}}},\n' + REST,
        "bad.json:2:17: there is no FMU '{n}'; did you mean '{m}'?")
refused('{"fmus": {"{s}": {"fmus": {"{m}": ' + MASS + '},\n'
        '  "instances": {"{m}": ["a"]}, "instance": {}}},\n' + REST,
        "bad.json:2:32: unknown field 'instance'; did you mean 'instances'?")
refused('{"fmus": {"{s}": {"fmus": {"{m}": ' + MASS + '},\n'
        '  "instances": {"{m}": ["a"]},\n'
        '  "ports": {"outputs": {"x": "{m}.a.x11"}}}},\n' + REST,
        "bad.json:1:18: FMU '{s}': bad.json:3:30: instance '{m}.a' has no variable "
        "'x11', did you mean 'x1'?")
refused('{"fmus": {"{s}": {"fmus": {"{m}": "no.fmu"}, "instances": {"{m}": '
        '["a"]}}},\n' + REST,
        "bad.json:1:18: FMU '{s}': bad.json:1:35: FMU '{m}': "
        f"{rig.FOLDER}/no.fmu: no such file or folder")
refused('{"fmus": {"{s}": {"fmus": {"{m}": "bad.json"}, "instances": {"{m}": '
        '["a"]}}},\n' + REST,
        "bad.json:1:18: FMU '{s}': bad.json:1:35: FMU '{m}': "
        f"{rig.FOLDER}/bad.json:1:18: FMU '{{s}}': "
        f"{rig.FOLDER}/bad.json:1:35: FMU '{{m}}': a scenario contains "
        f"itself: {rig.FOLDER}/bad.json -> {rig.FOLDER}/bad.json#{{s}} -> "
        f"{rig.FOLDER}/bad.json")
text = MASS
for i in range(40):
    text = '{"fmus": {"{s}": ' + text + '}, "instances": {"{s}": ["u"]}}'
refused(text, "bad.json:1:562: scenarios are more than 32 deep in each other")
refused('{"fmus": {"{s}": {"fmus": {"{m}": ' + MASS + '}, "instances": '
        '{"{m}": ["a"]}}}, "hosts": {"{s}": "localhost:1"},\n' + REST,
        "bad.json:1:18: FMU '{s}': a scenario in place stays here; send the "
        "FMUs in it, or write it to a file")

# Ten of ten of ten of ... are counted as those of files are.
many = {"fmus": {"{m}": os.path.join(
    rig.BUILD, "examples", "double-mass-spring-damper", "msd1.fmu")},
        "instances": {"{m}": [f"a{i}" for i in range(100)]}}
for i in range(2):
    many = {"fmus": {"{s}": many}, "instances": {"{s}": [f"b{k}" for k in
                                                         range(100)]}}
code, _, err = tutti("run", rig.write("many.json", {**many, "endTime": 1}))
rig.claim(code == 2 and "with those in it these are 1000000 instances; at most "
          "100000" in err, "a million instances in a few lines are refused")
rig.end()
