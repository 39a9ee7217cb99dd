#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""House rules a compiler does not know: layers, private headers, banned calls,
file length, licence lines, words, left results. Prints file:line: rule: what; exits 1 if any."""
import os
import re
import sys

from tree import ROOT, files

# A module includes its own and lower layers only.
LAYER = {
    "base": 0,
    "sys": 1,
    "text": 2, "fmi": 2, "approx": 2, "expr": 2, "step": 2, "solve": 2,
    "table": 2, "ode": 2,
    "formats": 4, "scenario": 3, "unit": 3,
    "plan": 4, "kinds": 4,
    "score": 5, "results": 5, "remote": 5,
    "player": 6,
    "run": 7,
    "api": 8, "analysis": 8, "compose": 8, "adapt": 8, "tune": 8,
    "explore": 8, "serve": 8, "mpi": 8, "export": 8,
    "cli": 9,
}
# Same layer, and still one may use the other: each with its reason.
SIDEWAYS = {
    ("fmi", "text"),  # a model description is XML, in an archive
    # which way values go, where a format leaves it to the FMUs
    ("formats", "kinds"),
    ("ode", "solve"),  # small dense algebra
    ("scenario", "unit"),  # the words of a unit's contract (enums of desc.h)
    # the front doors pass the kinds on to a run, and this is one of them
    ("api", "compose"),
    ("serve", "compose"),
    ("tune", "analysis"),  # what is unstable is not run
    ("export", "compose"),  # an exported scenario is a composite
    ("export", "adapt"),  # ... and takes its programs along
    ("compose", "adapt"),  # which lists all kinds, those made of units too
}
# score and player see unit/unit.h and never an FMU.
FMI_ROOMS = {"fmi", "kinds", "run", "compose", "api", "cli", "serve",
             "export"}

BANNED = {
    f: "unsafe or stateful; see docs/decisions"
    for f in """strcpy strcat strncpy strncat sprintf vsprintf gets strtok
    atoi atof atol system tmpnam mktemp localtime gmtime asctime ctime
    alloca""".split()
}
LOCALE = {"strtod", "strtof", "strtold"}  # follow the locale: only in base
# Words of people for things: a unit declares, a file gives, a run reports, a
# worker logs. Also as parts of names. Users read "instance" and "rollback".
PEOPLE = set("""say says said saying unsaid told tell tells telling untold hear
hears heard speak speaks spoke spoken speaking nobody somebody whoever stranger
strangers reins squeeze crumb crumbs""".split())
PROSE = ("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
OURS = ("src/", "include/", "kit/", "examples/", "clients/", "web/src/")
WORD = re.compile(r"[a-z]+", re.I)
# Where one of them must stand: path, word.
PEOPLE_MAY = {
    ("src/results/csv_test.c", "say"),  # a text to be quoted
    ("src/table/table_test.c", "say"),
}
MAX_LINES = 1000
SOURCES = (".c", ".h", ".py", ".sh", ".cmake", ".js", ".jsx", ".mjs", ".css")
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"')
CALL = re.compile(r"\b([a-z_]+)\s*\(")
FLOAT_FORMAT = re.compile(r'"[^"]*%[-+ #0-9.*]*l?[aefgAEFG][^"]*"')


def strip(text):
    """Comments and strings out, line structure kept."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group(0))
    text = re.sub(r"/\*.*?\*/", blank, text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\\n])*"', '""', text)


def check_include(path, module, line, target):
    parts = target.split("/")
    if target.endswith("_impl.h") and len(parts) > 1 and parts[0] != module:
        yield line, "private", f"{target} belongs to {parts[0]}"
    if len(parts) < 2 or parts[0] not in LAYER or module not in LAYER:
        return
    other = parts[0]
    if other == module:
        return
    if LAYER[other] > LAYER[module] or (
            LAYER[other] == LAYER[module] and (module, other) not in SIDEWAYS):
        yield (line, "layer", f"{module} (layer {LAYER[module]}) includes "
               f"{target} (layer {LAYER[other]})")
    if other == "fmi" and module not in FMI_ROOMS:
        yield line, "layer", f"{module} must not know FMI: {target}"


def check_c(path, text):
    parts = path.split("/")
    module = parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]
    lines = text.split("\n")
    if len(lines) - 1 > MAX_LINES and "num_table" not in path:
        yield 1, "length", f"{len(lines) - 1} lines, at most {MAX_LINES}"
    for i, line in enumerate(lines, 1):
        m = INCLUDE.match(line)
        if m:
            yield from check_include(path, module, i, m.group(1))
        if m and m.group(1).startswith("../"):
            yield i, "include", "no ../ in includes"
        if module in LAYER and module != "base" and \
                "_test.c" not in path and FLOAT_FORMAT.search(line):
            yield i, "locale", "printf of a double follows the locale: " \
                "use tt_num_print"
    for i, line in enumerate(strip(text).split("\n"), 1):
        if "//" in line:
            yield i, "comment", "block comments only"
        for m in CALL.finditer(line):
            if m.group(1) in BANNED:
                yield i, "banned", m.group(1)
            if m.group(1) in LOCALE and module in LAYER and \
                    module != "base" and \
                    "_test.c" not in path:
                yield i, "locale", m.group(1)


def check_words(path, text):
    for i, line in enumerate(text.split("\n"), 1):
        for word in sorted({w.lower() for w in WORD.findall(line)} & PEOPLE):
            if (path, word) not in PEOPLE_MAY:
                yield i, "word", f"'{word}' is for people: declares, gives, " \
                    "reports, logs, ..."


def check_licence(path, text):
    head = "\n".join(text.split("\n")[:3])
    if "SPDX-License-Identifier: MIT" not in head:
        yield 1, "licence", "no SPDX line"


# What a run that was tried here left behind; results have folders of their own.
LEFT = re.compile(r"[^/]+\.(csv|h5|mat|svg|html|fmu|ssp)")


def main():
    bad = 0
    for path in files():
        name = os.path.basename(path)
        if LEFT.fullmatch(path):
            print(f"{path}:1: left: a result at the top of the tree")
            bad += 1
        prose = path in PROSE or path.startswith("docs/") and \
            path.endswith((".md", ".1"))
        source = path.endswith(SOURCES) or name in ("CMakeLists.txt", "Makefile")
        if not (source or prose) or path.startswith("web/dist/"):  # from web/src
            continue
        with open(os.path.join(ROOT, path), encoding="utf-8") as f:
            text = f.read()
        found = list(check_licence(path, text)) if source else []
        if prose or path.startswith(OURS):
            found += list(check_words(path, text))
        if path.endswith((".c", ".h")):
            found += list(check_c(path, text))
        for line, rule, what in found:
            print(f"{path}:{line}: {rule}: {what}")
            bad += 1
    if bad:
        print(f"lint: {bad} finding{'s' if bad > 1 else ''}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
