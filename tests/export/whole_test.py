# SPDX-License-Identifier: MIT
"""A scenario exported as an FMU, as the only unit of another one, gives what it
gives alone, bit for bit: every example, as FMI 2 and as FMI 3, and with every
master, iteration, rollback, rates and steps that vary inside."""
import copy
import os
import subprocess
import rig


def export(name, scenario, fmi):
    """The path of the FMU, or what was said instead."""
    path = os.path.join(rig.FOLDER, name)
    p = subprocess.run([rig.TUTTI, "export", scenario, "-o", path, "--force",
                        "--fmi", str(fmi)], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, check=False)
    return path, p.stdout if p.returncode else ""


def at_points(plain, wrapped):
    """FMI 2 has no event mode, but of discrete events alone: rows of `plain` where the FMU is asked, up to the
    end, the last of each instant."""
    last = {r[0]: r for r in plain[3]}
    asked = {r[0] for r in wrapped[3]} | {plain[3][-1][0]}
    return *plain[:3], [r for t, r in last.items() if t in asked]


def at_events(plain, wrapped):
    """Of an FMU it is not known that only events matter: rows of `wrapped` on
    the grid between those of `plain` are left out."""
    met = {r[0] for r in plain[3]}
    return *wrapped[:3], [r for r in wrapped[3] if r[0] in met]


def check(name, scenario, follow=False, fmis=(2, 3), **fields):
    plain = rig.run(rig.write("plain.json", scenario))
    if plain[0] != 0:
        return rig.claim(False, f"{name} runs plainly: {plain[1]}")
    columns = [h for h in plain[2] if h != "time"]
    for fmi in fmis:
        inside, outside = rig.wrap(scenario, "inner.fmu", follow=follow)
        outside["record"] = ["{sub}.s." + c for c in columns]
        outside.update(fields)
        fmu, words = export("inner.fmu", rig.write("inner.json", inside), fmi)
        if words == "":
            wrapped = rig.run(rig.write("outer.json", outside))
            # an FMU does not state that its steps end at crossings
            driven = fmi == 3 or "algorithm" not in scenario
            ends = driven and name not in rig.REJECTS and (
                "locate" not in scenario.get("events", {})
                or "rollback" in fields)
            want = plain if ends else at_points(plain, wrapped)
            if "algorithm" not in scenario:
                wrapped = at_events(plain, wrapped)
            words = rig.same(want, wrapped, lambda h: "{sub}.s." + h)
        rows = len(plain[3])
        rig.claim(words == "" and rows > 1,
                  f"FMI {fmi}: {name} ({rows} rows, {len(columns)} columns) "
                  f"{words}")
    return None


# Versions in turn; both with TUTTI_LONG.
BOTH = "TUTTI_LONG" in os.environ

for k, (where, s) in enumerate(rig.examples().items()):
    # conditions of a script are met within a step of the FMU, by steps inside
    # that differ in the last bit: below
    if "-faults" in where:
        continue
    # the outside has the policy, and the inside follows it
    # FMI 2 has neither arrays nor clocks
    only_3 = "harmonics" in where or "two-clocks" in where
    both = BOTH or "algorithm" not in s
    fmis = (3,) if only_3 else (2, 3) if both else (2 + k % 2,)
    check(where, s, follow=rig.is_variable(s), fmis=fmis)

for where in ("water-tank", "double-mass-spring-damper", "thermostat"):
    base = rig.example(where + "/scenario.json")
    for fields, s in rig.varied(base):
        check(f"{where} {fields}", s)

# where steps are rolled back outside, they end at crossings inside
check("crossings", rig.example("thermostat/scenario-located.json"), fmis=(3,),
      rollback=True)

def check_script(fmi, **fields):
    """A switch and a stop inside: the same level, and the same end."""
    scenario = rig.example("water-tank/scenario-faults.json")
    _, _, head, rows = rig.run(rig.write("plain.json", scenario))
    level = head.index("{x2}.tank.level")
    plain = {r[0]: float(r[level]) for r in rows}
    inside, outside = rig.wrap(scenario, "inner.fmu")
    outside["record"] = ["{sub}.s.{x2}.tank.level"]
    outside.update(fields)
    export("inner.fmu", rig.write("inner.json", inside), fmi)
    _, said, head, got = rig.run(rig.write("outer.json", outside))
    level = head.index("{sub}.s.{x2}.tank.level")
    met = [r for r in got if r[0] in plain]
    rig.claim("ended by instance 's' at t=27.1" in said
              and len(met) > 270
              and all(abs(float(r[level]) - plain[r[0]]) < 1e-9 for r in met),
              f"FMI {fmi}: a script inside, {fields} ({len(met)} rows) {said}")


check_script(2)
check_script(3)
check_script(3, rollback=True)

s = rig.example("double-mass-spring-damper/scenario.json")
s["rates"] = {sorted({c.rsplit(".", 1)[0] for c in s["connections"]})[0]: 5}
check("rates", s)
s["endTime"] = 3.33
check("a shorter last step", s)

# steps that vary inside, seen from a grid outside, as in a plain run that is
# made to meet the same instants
s = rig.example("double-mass-spring-damper/scenario.json")
s["endTime"] = 5
s["algorithm"] = {
    "type": "var-step", "size": [1e-4, 0.5], "initsize": 0.01,
    "constraints": {"e": {"type": "error", "method": "milne",
                          "abstol": 1e-3, "reltol": 1e-3}}}
plain = copy.deepcopy(s)
plain["algorithm"]["constraints"]["grid"] = {
    "type": "samplingrate", "base": -1, "rate": 5, "startTime": 0}
plain = rig.run(rig.write("plain.json", plain))
for fmi in (2, 3):
    inside, outside = rig.wrap(s, "inner.fmu")
    outside["algorithm"] = {"type": "fixed-step", "size": 0.5}
    outside["record"] = ["{sub}.s." + c for c in plain[2] if c != "time"]
    export("inner.fmu", rig.write("inner.json", inside), fmi)
    wrapped = rig.run(rig.write("outer.json", outside))
    words = rig.same(plain, wrapped, lambda h: "{sub}.s." + h,
                     lambda r: float(r[0]) * 2 == int(float(r[0]) * 2))
    rig.claim(words == "" and len(plain[3]) > 2 * len(wrapped[3]),
              f"FMI {fmi}: error control inside: {len(plain[3])} steps inside, "
              f"{len(wrapped[3])} rows outside {words}")

rig.end()
