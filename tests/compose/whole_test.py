# SPDX-License-Identifier: MIT
"""A scenario wrapped whole into a composite gives what it gives alone, bit for
bit: every example, and with every master, iteration, rollback and variable
steps."""
import copy
import rig


def check(name, scenario, follow=False):
    plain = rig.run(rig.write("plain.json", scenario))
    if plain[0] != 0:
        return rig.claim(False, f"{name} runs plainly: {plain[1]}")
    columns = [h for h in plain[2] if h != "time"]
    inside, outside = rig.wrap(scenario, "inner.json", follow=follow)
    outside["record"] = ["{sub}.s." + c for c in columns]
    rig.write("inner.json", inside)
    wrapped = rig.run(rig.write("outer.json", outside))
    times = {row[0] for row in wrapped[3]}
    words = rig.same(plain, wrapped, lambda h: "{sub}.s." + h,
                     (lambda r: r[0] in times) if name in rig.REJECTS else None)
    rows = len(wrapped[3])
    return rig.claim(words == "" and rows > 1
                     and len(plain[3]) - rows == (name in rig.REJECTS),
                     f"{name} ({rows} rows, {len(columns)} columns) {words}")


for where, s in rig.examples().items():
    # the outside has the policy, and the inside follows it
    check(where, s, follow=rig.is_variable(s))

FIXED = ("water-tank", "double-mass-spring-damper", "line-follower")
for where in FIXED:
    base = rig.example(where + "/scenario.json")
    check(where + ", following", base, follow=True)
    for fields, s in rig.varied(base, ({"master": "gauss-seidel"},
                                       {"approximation": "quadratic"})):
        check(f"{where} {fields}", s)

# crossings are located inside, wherever its steps come from
check("crossings, following",
      rig.example("thermostat/scenario-located.json"), follow=True)


def alike(a, b, tolerance):
    """Rows whose numbers differ by no more, and words not at all."""
    return all(x == y or abs(float(x) - float(y)) <= tolerance
               for x, y in zip(a, b))


def check_accumulating(treated, follow, words):
    """Events that accumulate inside are found there, and treated as asked: each
    row outside is one of the plain run, up to the last; but for rounding where
    the steps come from outside."""
    s = rig.example("bouncing-ball/scenario-zeno.json")
    s["events"]["zeno"] = treated
    _, _, head, rows = rig.run(rig.write("plain.json", s))
    inside, outside = rig.wrap(s, "inner.json", follow=follow)
    columns = [h for h in head if h != "time"]
    outside["record"] = ["{sub}.s." + c for c in columns]
    rig.write("inner.json", inside)
    code, said, head2, got = rig.run(rig.write("outer.json", outside))
    at = [head2.index("{sub}.s." + c if c != "time" else c) for c in head]
    got = [[r[i] for i in at] for r in got]
    rig.claim(code == 0 and len(got) > 80
              and (follow or all(r in rows for r in got))
              and alike(got[-1], rows[-1], 1e-9 if follow else 0)
              and "events of '{sub}.s/{floor}.locate' accumulate at "
              "t=2.5586339" in said and words in said,
              f"events accumulate inside, {treated}, following: {follow} "
              f"({len(got)} rows) {got[-1]} {rows[-1]} {said}")


for following in (False, True):
    check_accumulating("stop", following,
                       "ended by instance 's' at t=2.55863")
    check_accumulating("regularise", following, "to t=3 s")

# rates inside, and a step that does not divide the span
s = rig.example("double-mass-spring-damper/scenario.json")
unit = sorted({c.rsplit(".", 1)[0] for c in s["connections"]})
s["rates"] = {unit[0]: 5}
check("rates", s)
s["endTime"] = 3.33
check("a shorter last step", s)

# variable steps inside, seen from a grid outside: up to its first point as a
# plain run that ends there; then as one that is made to meet the same instants,
# unless it matters whether an instant is an end, which is met without a sliver
def controlled(method):
    s = rig.example("double-mass-spring-damper/scenario.json")
    s["endTime"] = 5
    s["algorithm"] = {
        "type": "var-step", "size": [1e-4, 0.5], "initsize": 0.01,
        "constraints": {"e": {"type": "error", "method": method,
                              "abstol": 1e-3, "reltol": 1e-3},
                        "f": {"type": "fmumaxstepsize"}}}
    return s


for method in ("richardson", "orders", "milne"):
    s = controlled(method)
    plain = copy.deepcopy(s)
    if method == "richardson":
        plain["endTime"] = 0.5
    else:
        plain["algorithm"]["constraints"]["grid"] = {
            "type": "samplingrate", "base": -1, "rate": 5, "startTime": 0}
    plain = rig.run(rig.write("plain.json", plain))
    inside, outside = rig.wrap(s, "inner.json")
    outside["algorithm"] = {"type": "fixed-step", "size": 0.5}
    outside["record"] = ["{sub}.s." + c for c in plain[2] if c != "time"]
    if method == "richardson":
        outside["endTime"] = 0.5
    rig.write("inner.json", inside)
    wrapped = rig.run(rig.write("outer.json", outside))
    words = rig.same(plain, wrapped, lambda h: "{sub}.s." + h,
                     lambda r: float(r[0]) * 2 == int(float(r[0]) * 2))
    rig.claim(words == "" and len(plain[3]) > 2 * len(wrapped[3]),
              f"error control inside, {method}: {len(plain[3])} steps inside, "
              f"{len(wrapped[3])} rows outside {words}")

rig.end()
