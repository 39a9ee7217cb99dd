# SPDX-License-Identifier: MIT
"""DEVStone (Glinsky and Wainer 2005): networks of discrete events of a given
width and depth, flat. A level has width - 1 atoms; below the last stands one.
Every second all of them get an event, and put one out at once.

    LI   nothing else is connected
    HI   an atom's event goes to the next atom of its level
    HO   ... and those of the first level to what is outside, too

All that are due go at once. How many transitions that makes is known:
`transitions`."""
import json
import os

SHAPES = "LI", "HI", "HO"
SOURCE = {"outputs": {"y": "number"},
          "states": {"on": {"after": 1, "output": {"y": 1}, "then": "on"}}}
ATOM = {"inputs": {"u": "number"}, "outputs": {"y": "number"},
        "variables": {"n": 0},
        "states": {
            "passive": {"on": {"u": {"set": {"n": "n + 1"},
                                     "next": "active"}}},
            "active": {"after": 0, "output": {"y": "n"}, "then": "passive",
                       "on": {"u": {"set": {"n": "n + 1"}}}}}}
OUTSIDE = {"inputs": {"u": "number"}, "variables": {"n": 0},
           "states": {"on": {"on": {"u": {"set": {"n": "n + 1"}}}}}}
# what an atom is made of, and what its ports are called
PORTS = {"delay": ("in", "out")}


def connections(shape, width, depth):
    """Pairs of units: 0 is the source, then the atoms."""
    n = (width - 1) * (depth - 1) + 1
    yield from ((0, i + 1) for i in range(n))
    for level in range(depth - 1 if shape != "LI" else 0):
        first = 1 + level * (width - 1)
        yield from ((i, i + 1) for i in range(first, first + width - 2))
    if shape == "HO":
        yield from ((i, n + 1) for i in range(1, width))


def size(shape, width, depth):
    return (width - 1) * (depth - 1) + 2 + (shape == "HO")


def transitions(shape, width, depth):
    """Internal and external ones of a second. In HI the k-th atom of a level
    puts out k events; what is outside in HO gets all of the first level."""
    level = width - 1 if shape == "LI" else width * (width - 1) // 2
    atoms = level * (depth - 1) + 1
    return 1 + atoms, atoms + (level if shape == "HO" else 0)


def write_net(path, shape, width, depth):
    with open(path, "w", encoding="utf-8") as f:
        f.write(f"{size(shape, width, depth)} {int(shape == 'HO')}\n")
        for pair in connections(shape, width, depth):
            f.write("%d %d\n" % pair)


def write_scenario(path, unit, shape, width, depth, end):
    """`unit`: "table", a unit of the library, or an FMU."""
    folder = os.path.dirname(path)
    for name, content in (("source", SOURCE), ("atom", ATOM),
                          ("outside", OUTSIDE)):
        with open(os.path.join(folder, f"{name}.devs.json"), "w",
                  encoding="utf-8") as f:
            json.dump(content, f)
    source = {"table": "atom.devs.json", "delay": "tutti:delay"}.get(unit, unit)
    u, y = PORTS.get(unit, ("u", "y"))
    n = (width - 1) * (depth - 1) + 1
    made = {}
    for a, b in connections(shape, width, depth):
        of = f"{{a}}.a{a}.{y}" if a else "{s}.s.y"
        made.setdefault(of, []).append(f"{{a}}.a{b}.{u}" if b <= n
                                       else "{o}.o.u")
    outside = shape == "HO"
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{s}": "source.devs.json", "{a}": source,
                            **({"{o}": "outside.devs.json"} if outside else {})},
                   "instances": {"{s}": ["s"],
                                 "{a}": [f"a{i + 1}" for i in range(n)],
                                 **({"{o}": ["o"]} if outside else {})},
                   "parameters": {f"{{a}}.a{i + 1}.delay": 0
                                  for i in range(n if unit == "delay" else 0)},
                   "connections": made, "events": {"ties": "parallel"},
                   "record": ["{o}.o.n" if outside else "{s}.s.state"],
                   "endTime": end}, f)


def write_lines(path, atom, n, effort, end):
    """Not DEVStone: n sources, each with an atom behind it, in no other
    connection. Their events are half a second apart, at times of their own."""
    name = [str(i) for i in range(n)]
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{s}": "tutti:generator", "{a}": atom},
                   "instances": {"{s}": name, "{a}": name},
                   "connections": {f"{{s}}.{i}.out": [f"{{a}}.{i}.u"]
                                   for i in name},
                   "parameters": {
                       **{f"{{s}}.{i}.distribution": "constant" for i in name},
                       **{f"{{s}}.{i}.mean": 1 + int(i) / 100 for i in name},
                       **{f"{{a}}.{i}.rest": 0.5 for i in name},
                       **{f"{{a}}.{i}.effort": effort for i in name}},
                   "record": ["{s}.0.count"], "endTime": end}, f)


def write_alone(path, n, end):
    """Not DEVStone: n units of the library that are not connected, and have an
    event about every second, each at times of its own."""
    with open(path, "w", encoding="utf-8") as f:
        json.dump({"fmus": {"{g}": "tutti:generator"},
                   "instances": {"{g}": [f"g{i}" for i in range(n)]},
                   "record": ["{g}.g0.count"], "endTime": end}, f)
