# SPDX-License-Identifier: MIT
"""The power window with six adaptations: contact and detection are where the
plain scenario has them, to one step, also from processes of their own and from
a checkpoint."""
import math
import os
import re
import shutil
import subprocess
import zipfile
import rig

WHERE = os.path.join(rig.BUILD, "examples", "power-window")
H = 0.01


def column(result, end):
    i = next(k for k, h in enumerate(result[2]) if h.endswith(end))
    return [row[i] for row in result[3]]


def first(result, end, holds, after=0.0):
    """The first instant at which a variable is so."""
    times = [float(row[0]) for row in result[3]]
    return next(t for t, v in zip(times, column(result, end))
                if t > after and holds(v))


def over(limit):
    return lambda v: float(v) > limit


def peak(result):
    """The largest current from contact to retreat."""
    times = [float(row[0]) for row in result[3]]
    return max(float(v) for t, v in
               zip(times, column(result, "power.armatureCurrent"))
               if 2.5 < t < 3.2)


def without_states(fmu, to):
    """The FMU as one that cannot save its state."""
    with zipfile.ZipFile(fmu) as old, zipfile.ZipFile(to, "w") as new:
        for item in old.infolist():
            data = old.read(item)
            if item.filename == "modelDescription.xml":
                assert b'canGetAndSetFMUstate="true"' in data
                data = re.sub(rb'can(GetAndSet|Serialize)FMUstate="true"',
                              rb'can\1FMUstate="false"', data)
            new.writestr(item, data)


def check(fmu):
    p = subprocess.run([rig.TUTTI, "check", "--walk", fmu],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    if p.returncode:
        print(p.stdout[-300:])
    return p.returncode == 0 and " 0 problems" in p.stdout


plain = rig.run(os.path.join(WHERE, "scenario.json"))
path = os.path.join(WHERE, "scenario-adapted.json")
adapted = rig.run(path)
rig.claim(adapted[0] == 0, "it runs " + ("" if not adapted[0] else adapted[1]))
for words, end, other, holds, after in (
        ("contact", "power.displacement", "power.displacement",
         over(0.45 / 0.11), 0),
        ("5 A", "armatureCurrent", "armatureCurrent", over(5), 2.5),
        ("the motor is turned round", "controller.d", "controller.down",
         lambda v: v in ("true", "1"), 1)):
    a = first(adapted, end, holds, after)
    b = first(plain, other, holds, after)
    rig.claim(abs(a - b) <= H * 1.001, f"{words}: {a} and {b}")

# The 5 A are located: the peak is that of the scenario with located steps, and
# 5 A but for the tolerance of the controller, 1e-4.
located = rig.run(os.path.join(WHERE, "scenario-variable.json"))
rig.claim(abs(peak(adapted) - 5) < 5e-4 and
          abs(peak(adapted) - peak(located)) < 0.01,
          f"the peak is {peak(adapted)}, and {peak(located)} with variable "
          "steps")

# With a motor that cannot roll back it is not, and a warning states why.
stuck = os.path.join(rig.FOLDER, "stuck")
shutil.copytree(WHERE, stuck, ignore=lambda _, names: [
    n for n in names if not n.endswith((".fmu", ".sa", ".json"))])
without_states(os.path.join(WHERE, "power.fmu"),
               os.path.join(stuck, "power.fmu"))
late = rig.run(os.path.join(stuck, "scenario-adapted.json"))
rig.claim(late[0] == 0 and "the current crosses its threshold inside a step, "
          "which is not taken back: there are instances that cannot restore a "
          "state; its peak is higher" in late[1], "it is warned of " +
          late[1][-300:])
rig.claim(abs(peak(late) / peak(plain) - 1) < 0.02,
          f"and the peak is {peak(late)}, as {peak(plain)} of the plain one")

apart = rig.run(path, "--isolate")
rig.claim(rig.same(adapted, apart, lambda h: h) == "",
          "the same from processes of their own")

# Exported, with programs and inner FMUs in it, it gives the same bytes. The
# instant at which the 5 A are located lies within a step then.
for fmi in ("2", "3"):
    fmu = os.path.join(rig.FOLDER, f"pw{fmi}.fmu")
    p = subprocess.run([rig.TUTTI, "export", path, "-o", fmu, "--fmi", fmi],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    rig.claim(p.returncode == 0, "export: " + p.stdout)
    out = rig.run(fmu, "--step", str(H), "--until", "6")
    at = [next(k for k, h in enumerate(out[2]) if h.endswith(c))
          for c in adapted[2]]
    whole = [[row[k] for k in at] for row in out[3]]
    on_grid = [row for row in adapted[3] if row in whole]
    rig.claim(len(adapted[3]) == 602 and on_grid == whole and
              len(on_grid) == 601, f"FMI {fmi}: the same bytes")
    rig.claim(check(fmu), f"check: FMI {fmi} of the whole")

p = subprocess.run([rig.TUTTI, "check", path], stdout=subprocess.PIPE,
                   stderr=subprocess.STDOUT, text=True, check=False)
rig.claim(p.returncode == 0 and "ok (4 instances" in p.stdout,
          "check of the scenario: " + p.stdout[:300])
broken = os.path.join(rig.FOLDER, "broken")
shutil.copytree(WHERE, broken, ignore=lambda _, names: [
    n for n in names if not n.endswith((".fmu", ".sa", ".json"))])
with zipfile.ZipFile(os.path.join(WHERE, "window.fmu")) as old, \
        zipfile.ZipFile(os.path.join(broken, "window.fmu"), "w") as new:
    for item in old.infolist():
        if not item.filename.startswith("binaries/"):
            new.writestr(item, old.read(item))
p = subprocess.run([rig.TUTTI, "check",
                    os.path.join(broken, "scenario-adapted.json")],
                   stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                   text=True, check=False)
rig.claim(p.returncode == 2 and "FMU '{window}': " in p.stdout and
          "window.fmu" in p.stdout,
          "check finds what is missing in a program's FMU: " + p.stdout)

for name in ("window_sa", "loop_sa", "rate_sa", "power_sa", "lazy_sa",
             "controller_sa"):
    p = subprocess.run([rig.TUTTI, "adapt", "--explicit",
                        os.path.join(WHERE, name + ".sa")],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    rig.claim(p.returncode == 0 and "control rules {" in p.stdout,
              f"{name} has an explicit form " +
              ("" if not p.returncode else p.stdout))

# Each as an FMU, with inputs that move and switch, gives the same bytes.
DRIVEN = {
    "window_sa": (["displacement", "speed", "reactionForce"], [],
                  ["tau", "disp", "closed"]),
    "loop_sa": (["displacement", "speed"], [], ["tau", "disp"]),
    "rate_sa": (["displacement", "speed"], [], ["tau", "disp"]),
    "power_sa": (["tau"], ["u", "d"],
                 ["displacement", "speed", "armatureCurrent"]),
    "lazy_sa": (["armatureCurrent"],
                ["closed", "open", "driverUp", "driverDown", "passengerUp",
                 "passengerDown"], ["up", "down"]),
    "controller_sa": (["armature_current"],
                      ["closed", "open", "driverUp", "driverDown",
                       "passengerUp", "passengerDown"], ["u", "d"]),
}


def drive(numbers, flags):
    with open(os.path.join(rig.FOLDER, "drive.csv"), "w",
              encoding="utf-8") as f:
        f.write(",".join(["time"] + numbers + flags) + "\n")
        for k in range(401):
            t = k / 100
            f.write(",".join(
                [repr(t)] +
                [repr(4.3 * math.sin(t * (1 + 0.3 * n)) + 0.5 * n * t)
                 for n in range(len(numbers))] +
                ["true" if math.sin(2 * (n + 2) * t + n) > 0.6 else "false"
                 for n in range(len(flags))]) + "\n")


for name, (numbers, flags, outputs) in DRIVEN.items():
    drive(numbers, flags)
    gave = []
    for fmi in ("", "2", "3"):
        place = os.path.join(WHERE, name + ".sa")
        if fmi:
            fmu = os.path.join(rig.FOLDER, f"{name}{fmi}.fmu")
            subprocess.run([rig.TUTTI, "adapt", place, "-o", fmu, "--fmi",
                            fmi], stdout=subprocess.DEVNULL, check=True)
            place = fmu
            rig.claim(check(fmu), f"check: {name} as FMI {fmi}")
        gave.append(rig.run(rig.write("driven.json", {
            "fmus": {"{a}": place, "{in}": "drive.csv"},
            "instances": {"{a}": ["a"]},
            "connections": {"{in}.in." + i: ["{a}.a." + i]
                            for i in numbers + flags},
            "logVariables": {"{a}.a": outputs},
            "algorithm": {"type": "fixed-step", "size": 0.01},
            "endTime": 3})))
    rig.claim(gave[0][0] == 0 and len(gave[0][3]) >= 301 and
              any(len(set(column(gave[0], "a." + o))) > 1 for o in outputs),
              f"{name} runs, and does something " + gave[0][1][-200:])
    for fmi, other in zip("23", gave[1:]):
        rig.claim(all(column(other, "a." + o) == column(gave[0], "a." + o)
                      for o in outputs), f"{name} as FMI {fmi}: same bytes")

# One adaptation as an FMU: torque 0.11 (7 + 10*0.11*2), with the other sign.
for fmi in ("2", "3"):
    fmu = os.path.join(rig.FOLDER, f"WindowSA{fmi}.fmu")
    p = subprocess.run([rig.TUTTI, "adapt", os.path.join(WHERE, "window_sa.sa"),
                        "-o", fmu, "--fmi", fmi],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    rig.claim(p.returncode == 0, "adapt -o: " + p.stdout)
    out = rig.run(rig.write("one.json", {
        "fmus": {"{w}": fmu}, "instances": {"{w}": ["w"]},
        "parameters": {"{w}.w.speed": 2, "{w}.w.reactionForce": 7,
                       "{w}.w.displacement": 3},
        "algorithm": {"type": "fixed-step", "size": 0.1}, "endTime": 1}))
    rig.claim(out[0] == 0 and
              abs(float(column(out, "w.tau")[-1]) + 0.11 * 9.2) < 1e-12 and
              abs(float(column(out, "w.disp")[-1]) - 0.33) < 1e-12,
              f"WindowSA as FMI {fmi} " + ("" if not out[0] else out[1]))

rig.end()
