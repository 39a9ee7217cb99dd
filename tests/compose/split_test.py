# SPDX-License-Identifier: MIT
"""Some instances of a scenario inside a composite, the others outside: where the
theory says so this changes nothing, to the bit. Then nesting and rolling back.
"""
import copy
import itertools
import os
import rig

HERE = os.path.dirname(os.path.abspath(__file__))


def unit_of(ref):
    return ".".join(ref.split(".")[:2])


def units(s):
    found = []
    for c, to in s["connections"].items():
        for ref in [c, *to]:
            if unit_of(ref) not in found:
                found.append(unit_of(ref))
    return found


def split(s, chosen, inner, prefix="{sub}.s.", follow=False):
    """(inside, outside): the chosen instances go inside."""
    def at(ref):
        return prefix + ref if unit_of(ref) in chosen else ref

    def part(field, whose):
        return {k: v for k, v in s.get(field, {}).items()
                if (unit_of(k) in chosen) == whose}

    inside = {k: copy.deepcopy(v) for k, v in s.items()
              if k not in ("connections", "parameters", "logVariables",
                           "instances", "evaluates", "reactivity")}
    outside = copy.deepcopy(inside)
    inside.get("algorithm", {}).pop("constraints", None)
    for c in outside["algorithm"].get("constraints", {}).values():
        if "ports" in c:
            c["ports"] = [at(p) for p in c["ports"]]
    if "evaluates" in s:
        inside["evaluates"] = part("evaluates", True)
        outside["evaluates"] = part("evaluates", False)
    if "reactivity" in s:  # of an input fed from outside
        outside["reactivity"] = {at(k): v for k, v in s["reactivity"].items()}
    if isinstance(s.get("approximation"), dict): # of inputs fed from outside
        del inside["approximation"]
        outside["approximation"] = {at(k): v for k, v
                                    in s["approximation"].items()}
    key = {u.split(".")[0] for u in chosen}
    rest = {u.split(".")[0] for u in units(s) if u not in chosen}
    inside["fmus"] = {k: v for k, v in s["fmus"].items() if k in key}
    outside["fmus"] = {k: v for k, v in s["fmus"].items() if k in rest}
    outside["fmus"]["{sub}"] = inner
    inside["instances"] = {}
    for u in chosen:
        k, i = u.split(".")
        inside["instances"].setdefault(k, []).append(i)
    # in the order of the plain scenario, which decides where all else is equal
    outside["instances"] = {}
    for u in units(s):
        k, i = ("{sub}", "s") if u in chosen else u.split(".")
        if i not in outside["instances"].setdefault(k, []):
            outside["instances"][k].append(i)
    inside["connections"], outside["connections"] = {}, {}
    for c, to in s["connections"].items():
        both = [t for t in to if unit_of(c) in chosen and unit_of(t) in chosen]
        others = [at(t) for t in to if t not in both]
        if both:
            inside["connections"][c] = both
        if others:
            outside["connections"][at(c)] = others
    inside["parameters"] = part("parameters", True)
    outside["parameters"] = part("parameters", False)
    if follow:
        del inside["algorithm"]
    return inside, outside


def check(name, s, chosen, follow=False):
    s = copy.deepcopy(s)
    s.pop("logVariables", None)
    s["instances"] = {}
    for u in units(s):
        k, i = u.split(".")
        s["instances"].setdefault(k, []).append(i)
    plain = rig.run_once(s)
    columns = [h for h in plain[2] if h != "time"]
    inside, outside = split(s, chosen, "inner.json", follow=follow)

    def rename(h):
        return "{sub}.s." + h if unit_of(h) in chosen else h

    outside["record"] = [rename(c) for c in columns]
    rig.write("inner.json", inside)
    words = rig.same(plain, rig.run(rig.write("outer.json", outside)), rename)
    rig.claim(words == "" and len(plain[3]) > 1,
              f"{name}, inside: {' '.join(chosen)} {words}")


# Jacobi, equal steps: every way to choose units, as there is nothing that
# could be at another time. Feed-through crosses the boundary both ways.
for where, most in (("water-tank/scenario.json", 1),
                    ("double-mass-spring-damper/scenario-fmi3.json", 1),
                    ("line-follower/scenario.json", 2),
                    ("line-follower/scenario-fmi3.json", 1)):
    s = rig.example(where)
    for n in range(1, most + 1):
        for chosen in itertools.combinations(units(s), n):
            check(where, s, chosen)

# Courses as well: those inside go through what inputs from outside lead to.
s = rig.example("line-follower/scenario.json")
s["approximation"] = "linear"
for chosen in (("{sensor}.left", "{map}.map"), ("{map}.map", "{ctl}.follower"),
               ("{body}.body", "{sensor}.left", "{sensor}.right")):
    check("line-follower, linear", s, chosen)

# One unit inside is that unit, whatever the master does with it: courses reach
# it, iteration and variable steps roll it back.
ALONE = ({"master": "gauss-seidel"},
         {"approximation": "linear"},
         {"approximation": "cubic"},
         {"approximation": "hermite"},
         {"approximation": "extrapolated-interpolation"},
         {"master": "gauss-seidel", "approximation": "quadratic"},
         {"iterate": 3},
         {"iterate": "converged", "acceleration": "anderson",
          "iteration": {"unconverged": "accept", "maximum": 20}},
         {"iterate": "converged", "acceleration": "newton",
          "approximation": "linear",
          "iteration": {"unconverged": "accept", "maximum": 20}})
for where in ("double-mass-spring-damper", "inverted-pendulum"):
    base = rig.example(where + "/scenario.json")
    for fields in ALONE:
        s = copy.deepcopy(base)
        s.update(fields)
        for u in units(s):
            check(f"{where} {fields}", s, [u])
    # set and not read again, as FMI 2 has it where a unit does not evaluate
    s = copy.deepcopy(base)
    s["evaluates"] = {u: "never" for u in units(s)}
    for u in units(s):
        check(f"{where}, standard exchange", s, [u])
for where in ("thermostat", "water-tank"):
    s = rig.example(where + "/scenario-variable.json")
    for u in units(s):
        check(where + ", variable", s, [u], follow=True)
# a table inside tells of its leaps outside
s = rig.load(os.path.join(HERE, "..", "physics", "pushed.json"))
s["fmus"] = {"{push}": os.path.join(HERE, "..", "physics", "push.csv"),
             "{msd1}": os.path.join(rig.BUILD, "tests", "units", "pushed.fmu"),
             "{msd2}": rig.example("double-mass-spring-damper/scenario.json")
             ["fmus"]["{msd2}"]}
for approximation in ("hold", "linear", "quadratic", "hermite"):
    s["approximation"] = approximation
    for u in units(s):
        check(f"pushed, {approximation}", s, [u])
s = rig.example("operating-point/scenario.json")
for u in units(s):
    check("operating-point, a loop at initialisation", s, [u])
s = rig.example("power-window/scenario.json")
for u in units(s):
    check("power-window", s, [u])

rig.end()
