# SPDX-License-Identifier: MIT
"""An exported FMU stands alone: it needs nothing but the C library, names no
place outside, passes 'tutti check', works where it is put, several at a time
and inside another one; and what cannot be exported, or was damaged, is told."""
import json
import os
import re
import shutil
import subprocess
import zipfile
import rig

EXAMPLES = os.path.join(rig.BUILD, "examples")
UNITS = os.path.join(rig.BUILD, "tests", "units")


def path(*parts):
    return os.path.join(rig.FOLDER, *parts)


def tutti(*words):
    p = subprocess.run([rig.TUTTI, *words], stdout=subprocess.PIPE,
                       stderr=subprocess.STDOUT, text=True, check=False)
    return p.returncode, p.stdout


def export(scenario, name, fmi=2):
    code, said = tutti("export", scenario, "-o", path(name), "-f", "--fmi",
                       str(fmi))
    if code != 0:
        rig.claim(False, f"{scenario} is exported: {said}")
    return path(name)


def tool(*words):
    return subprocess.run(words, stdout=subprocess.PIPE, check=True,
                          text=True).stdout


def functions_of_fmi3():
    """Every name in the list of the standard's header."""
    headers = os.path.join(os.path.dirname(__file__), "..", "..", "src",
                           "export", "headers")
    p = subprocess.run(["cc", "-E", "-P", "-I", headers, "-"],
                       input='#include "fmi3FunctionTypes.h"\n'
                             "#define NAME(returns, name, arguments) =name=\n"
                             "FMI3_FUNCTIONS(NAME)\n",
                       stdout=subprocess.PIPE, check=True, text=True)
    return set(re.findall(r"=\s*(fmi3\w+)\s*=", p.stdout))


def only(scenario, **more):
    """Two instances of instances without connections, for a short run."""
    return {"fmus": scenario, "algorithm": {"type": "fixed-step", "size": 0.1},
            "startTime": 0, "endTime": 2, **more}


# --- what is in it ----------------------------------------------------------

TANK = os.path.join(EXAMPLES, "water-tank", "scenario.json")
for fmi in (2, 3):
    fmu = export(TANK, f"tank{fmi}.fmu", fmi)
    folder = path(f"tank{fmi}")
    with zipfile.ZipFile(fmu) as z:
        z.extractall(folder)
        names = z.namelist()
        said = b"".join(z.read(n) for n in names if "/fmus/" not in n)
    library = [n for n in names if n.startswith("binaries/")]
    rig.claim(len(library) == 1 and library[0].endswith("/water_tank.so"),
              f"FMI {fmi}: one library: {library}")
    library = os.path.join(folder, library[0])
    needed = re.findall(r"NEEDED.*\[(.*)\]", tool("readelf", "-d", library))
    if not any("san" in n for n in needed): # a sanitizer needs more
        family = {"libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2",
                  "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
        rig.claim(set(needed) <= family and "libc.so.6" in needed,
                  f"FMI {fmi}: it needs only {needed}")
        rig.claim(b"/src/" not in said and rig.BUILD.encode() not in said
                  and rig.FOLDER.encode() not in said,
                  f"FMI {fmi}: no place of ours is in it")
    symbols = [line.split()[-1] for line in
               tool("nm", "-D", "--defined-only", library).splitlines()]
    others = [s for s in symbols if not s.startswith(f"fmi{fmi}")]
    rig.claim(len(symbols) > 30 and others == [],
              f"FMI {fmi}: {len(symbols)} functions of FMI, else {others}")
    if fmi == 3: # importers may look for all of them
        missing = sorted(functions_of_fmi3() - set(symbols))
        rig.claim(len(functions_of_fmi3()) == 75 and missing == [],
                  f"FMI 3: of {len(functions_of_fmi3())} functions no one is "
                  f"missing: {missing}")
    again = export(TANK, "again.fmu", fmi)
    with open(fmu, "rb") as a, open(again, "rb") as b:
        rig.claim(a.read() == b.read(), f"FMI {fmi}: it is the same each time")

for k, where in enumerate(sorted(rig.examples())):
    # versions in turn, both with TUTTI_LONG; FMI 2 has no arrays
    both = (2, 3) if "TUTTI_LONG" in os.environ else (2 + k % 2,)
    for fmi in (3,) if "harmonics" in where else both:
        fmu = export(os.path.join(EXAMPLES, where), "walked.fmu", fmi)
        code, said = tutti("check", fmu, "--walk")
        rig.claim(code == 0 and ", 0 problems)" in said
                  and "warning" not in said,
                  f"FMI {fmi}: {where} passes a check" + said * (code != 0))

# --- where it is put --------------------------------------------------------

os.makedirs(path("from"))
for f in ("watertank.fmu", "watertankcontroller.fmu", "scenario.json"):
    shutil.copy(os.path.join(EXAMPLES, "water-tank", f), path("from"))
plain = rig.run(path("from", "scenario.json"))
for fmi in (2, 3):
    os.makedirs(path(f"an other's place {fmi} ü%"))
    fmu = export(path("from", "scenario.json"), "moving.fmu", fmi)
    os.rename(path("from"), path("gone"))
    os.rename(fmu, path(f"an other's place {fmi} ü%", "it.fmu"))
    s = only({"{s}": path(f"an other's place {fmi} ü%", "it.fmu")},
             instances={"{s}": ["s"]}, endTime=100,
             record=["{s}.s." + c for c in plain[2] if c != "time"])
    words = rig.same(plain, rig.run(rig.write("moved.json", s)),
                     lambda h: "{s}.s." + h)
    rig.claim(words == "", f"FMI {fmi}: it runs elsewhere, alone {words}")
    os.rename(path("gone"), path("from"))

# --- several at a time, and inside each other -------------------------------

NESTED = os.path.join(EXAMPLES, "nested-water-tank", "scenario.json")
nested = rig.run(NESTED)
for fmi in (2, 3):
    fmu = export(NESTED, "nested.fmu", fmi)
    with open(NESTED, encoding="utf-8") as f:
        plan = json.load(f)
    outer = {k: plan[k] for k in rig.EXPERIMENT if k in plan}
    outer.update(fmus={"{n}": "nested.fmu", "{t}": f"tank{fmi}.fmu"},
                 instances={"{n}": ["a", "b"], "{t}": ["t"]},
                 record=[p + c for p in ("{n}.a.", "{n}.b.")
                         for c in nested[2] if c != "time"]
                 + ["{t}.t.{x2}.tank.level"])
    both = rig.run(rig.write("both.json", outer))
    words = [rig.same(nested, both, lambda h, p=p: p + h)
             for p in ("{n}.a.", "{n}.b.")]
    rig.claim(words == ["", ""],
              f"FMI {fmi}: two of one and one of another in one run {words}")
    outer.update(fmus={"{n}": "nested.fmu"}, instances={"{n}": ["a"]})
    del outer["record"]
    for top in (2, 3):
        export(rig.write("wrapped.json", outer), "deep.fmu", top)
        deep = {k: plan[k] for k in rig.EXPERIMENT if k in plan}
        deep.update(fmus={"{d}": "deep.fmu"}, instances={"{d}": ["d"]},
                    record=["{d}.d.{n}.a." + c for c in nested[2]
                            if c != "time"])
        words = rig.same(nested, rig.run(rig.write("top.json", deep)),
                         lambda h: "{d}.d.{n}.a." + h)
        rig.claim(words == "",
                  f"an exported FMU (FMI {fmi}) in an exported FMU (FMI {top}) "
                  f"{words}")

# signals from a table, and names that JSON must escape
with open(path("push.csv"), "w", encoding="utf-8") as f:
    f.write("time,u\n0,1\n1,3\n2,-2\n")
odd = only({"{s}": "push.csv"}, instances={"{s}": ['ä "q" \\']})
rig.write("odd.json", odd)
plain = rig.run(path("odd.json"))
export(path("odd.json"), "odd.fmu")
s = only({"{o}": "odd.fmu"}, instances={"{o}": ["o"]})
words = rig.same(plain, rig.run(rig.write("odd-outer.json", s)),
                 lambda h: "{o}.o." + h)
rig.claim(words == "" and len(plain[2]) == 2, f"tables and odd names {words}")

# --- what goes wrong inside -------------------------------------------------

fails = only({"{m}": os.path.join(UNITS, "misbehave.fmu")},
             connections={"{m}.a.y": ["{m}.b.u"]},
             parameters={"{m}.b.what": 1, "{m}.b.when": 0.55})
rig.write("fails.json", fails)
for fmi in (2, 3):
    export(path("fails.json"), "fails.fmu", fmi)
    s = only({"{f}": "fails.fmu"}, instances={"{f}": ["f"]})
    code, said, _, _ = rig.run(rig.write("fails-outer.json", s))
    words = (f"fmi{fmi}DoStep: instance 'f' (composite): step at t=0.5: instance "
             "'f/{m}.b' (fmi2): step at t=0.5: fmi2DoStep returned fmi2Error")
    rig.claim(code == 1 and words in said,
              f"FMI {fmi}: a failure names instance and time: {said}")

# --- what cuts a step short inside ------------------------------------------

def instants(name, scenario):
    code, said, _, rows = rig.run(rig.write(name, scenario))
    rig.claim(code == 0, f"{name}: {said}")
    return [row[0] for row in rows]


hasty = only({"{m}": os.path.join(UNITS, "misbehave-fmi3.fmu")},
             connections={"{m}.a.y": ["{m}.b.u"]}, rollback=True,
             parameters={"{m}.b.what": 5, "{m}.b.when": 0.55},
             algorithm={"type": "fixed-step", "size": 0.4})
plain = instants("hasty.json", hasty)
rig.claim(len(plain) == 7 and plain[2].startswith("0.6"),
          f"an instance returns early: {plain}")
for fmi in (2, 3):
    export(path("hasty.json"), "hasty.fmu", fmi)
    outer = dict(hasty, fmus={"{h}": "hasty.fmu"}, instances={"{h}": ["h"]})
    del outer["connections"], outer["parameters"]
    seen = instants("hasty-outer.json", outer)
    rig.claim(seen == plain, f"FMI {fmi}: and so does what it is in: {seen}")

# --- what was damaged -------------------------------------------------------

def damaged(words, name, change):
    folder = path("damaged")
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(path("tank2"), folder)
    with open(os.path.join(folder, "resources", name), "r+",
              encoding="utf-8") as f:
        text = change(f.read())
        f.seek(0)
        f.truncate()
        f.write(text)
    s = only({"{d}": "damaged"}, instances={"{d}": ["d"]})
    code, said, _, _ = rig.run(rig.write("damaged.json", s))
    said = said.replace(os.path.realpath(rig.FOLDER), "@").replace(
        rig.FOLDER, "@")
    rig.claim(code in (1, 2) and words in said, f"{words!r}: {said}")


R = "@/damaged/resources/"
damaged("fmi2Instantiate: the token '{", "tutti.json",
        lambda t: t.replace('"token": "{', '"token": "{x'))
damaged(f"fmi2Instantiate: {R}tutti.json: its version is 7, this engine reads "
        "1", "tutti.json", lambda t: t.replace('"version": 1', '"version": 7'))
damaged(f"fmi2Instantiate: {R}tutti.json: it is not that of an exported scenario", "tutti.json", lambda t: "{}")
damaged(f"fmi2Instantiate: {R}tutti.json:1:94: JSON ends too early: premature "
        "end of input near '\"water-tank.jso'", "tutti.json",
        lambda t: t[:-4])
damaged(f"fmi2Instantiate: {R}water-tank.json:30:15: JSON ends too early: '}}' "
        "expected near end of file", "water-tank.json", lambda t: t[:-4])
damaged("modelDescription.xml:1: not plain XML: a name is missing",
        "fmus/watertank/modelDescription.plain.xml",
        lambda t: "<?xml fmiVersion='2.0'?>")

# --- what cannot be exported ------------------------------------------------

def refused(words, *arguments):
    code, said = tutti("export", *arguments)
    said = said.replace(os.path.realpath(rig.FOLDER), "@").replace(
        rig.FOLDER, "@")
    rig.claim(code in (1, 2) and said == "tutti: " + words + "\n",
              f"refused: {said.strip()}")


out = path("out.fmu")
refused("'tutti export' needs a scenario: tutti export SCENARIO.json -o "
        "FILE.fmu|FILE.ssp",
        "-o", out)
refused("an FMU is made of one scenario; several files become one with 'tutti "
        "convert', or one package: -o FILE.ssp", TANK, TANK, "-o", out)
refused("missing -o FILE.fmu", TANK)
refused("--fmi is 2 or 3, not '1'", TANK, "-o", out, "--fmi", "1")
refused("@/out.tar: an FMU's name ends in .fmu", TANK, "-o", path("out.tar"))
refused("@/tank2.fmu: an FMU, not a scenario; 'tutti info @/tank2.fmu' shows what "
        "is in it, 'tutti run @/tank2.fmu' simulates it", path("tank2.fmu"),
        "-o", out)
rig.write("tank2.txt", only({"{m}": "tank2.fmu"}))
refused("@/tank2.txt: a scenario's name ends in .json", path("tank2.txt"),
        "-o", out)
refused("@/tank2.fmu exists; --force overwrites it", TANK, "-o",
        path("tank2.fmu"))
refused("@/none/out.fmu: cannot be written: Failure to create temporary file: "
        "No such file or directory", TANK, "-o", path("none", "out.fmu"))
rig.write("missing.json", only({"{m}": "missing.fmu"},
                               instances={"{m}": ["m"]}))
code, said = tutti("export", path("missing.json"), "-o", out)
rig.claim(code == 2 and "missing.fmu: no such file or folder" in said,
          f"a missing FMU: {said}")
rig.claim(not os.path.exists(out), "and nothing is written")
rig.write("arrays.json", only(
    {"{t}": os.path.join(UNITS, "alltypes-fmi3.fmu")},
    instances={"{t}": ["t"]}))
refused("input '{t}.t.vector_in' is an array of Float64, which an exported FMU "
        "cannot have in FMI 2; use --fmi 3", path("arrays.json"), "-o", out)

# units on other hosts: nobody is asked, there is not even a token
HERE = ("it is on another host; an exported FMU holds all its instances")
FAR = {"{t}": "tutti://nowhere.invalid:7117/tank.fmu"}
HOSTS = {"{t}": "nowhere.invalid:7117"}
AT = {"{t}": os.path.join(EXAMPLES, "water-tank", "watertank.fmu")}
for scenario in (only(FAR, instances={"{t}": ["t"]}),
                 only(AT, instances={"{t}": ["t"]}, hosts=HOSTS),
                 only({**odd["fmus"], **FAR}, instances={"{s}": ["s"]})):
    rig.write("far.json", scenario)
    code, said = tutti("export", path("far.json"), "-o", out)
    rig.claim(code == 2 and re.search(
        r"/far\.json:\d+:\d+: FMU '\{t\}': " + HERE + "\n$", said),
        f"an instance elsewhere: {said}")
rig.write("around.json", only({"{f}": "far.json"}, instances={"{f}": ["f"]}))
rig.write("far.json", only(FAR, instances={"{t}": ["t"]}))
code, said = tutti("export", path("around.json"), "-o", out)
rig.claim(code == 2 and re.search(
    r"around\.json:\d+:\d+: FMU '\{f\}': .*far\.json:\d+:\d+: "
    r"FMU '\{t\}': " + HERE + "\n$", said), f"an instance elsewhere: {said}")
rig.claim(not os.path.exists(out), "and nothing is written")

rig.end()
