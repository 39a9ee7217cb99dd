# SPDX-License-Identifier: MIT
"""The power window with six adaptations: contact and detection are where the
plain scenario has them, to one step, also from processes of their own and from
a checkpoint."""
import os
import subprocess
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

apart = rig.run(path, "--isolate")
rig.claim(rig.same(adapted, apart, lambda h: h) == "",
          "the same from processes of their own")

# Exported, with programs and inner FMUs in it, it gives the same bytes.
for fmi in ("2", "3"):
    fmu = os.path.join(rig.FOLDER, f"pw{fmi}.fmu")
    p = subprocess.run([rig.TUTTI, "export", path, "-o", fmu, "--fmi", fmi],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    rig.claim(p.returncode == 0, "export: " + p.stdout)
    out = rig.run(fmu, "--step", str(H), "--until", "6")
    at = [next(k for k, h in enumerate(out[2]) if h.endswith(c))
          for c in adapted[2]]
    rig.claim([[row[k] for k in at] for row in out[3]] == adapted[3],
              f"FMI {fmi}: the same bytes")

for name in ("window_sa", "loop_sa", "rate_sa", "power_sa", "lazy_sa",
             "controller_sa"):
    p = subprocess.run([rig.TUTTI, "adapt", "--explicit",
                        os.path.join(WHERE, name + ".sa")],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    rig.claim(p.returncode == 0 and "control rules {" in p.stdout,
              f"{name} has an explicit form " +
              ("" if not p.returncode else p.stdout))

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
    p = subprocess.run([rig.TUTTI, "check", "--walk", fmu],
                       stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                       text=True, check=False)
    rig.claim(p.returncode == 0, "check: " + p.stdout[-300:])

rig.end()
