#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How large the product is: lines in src/ by room, without tests, mocks,
contract suites and what helps them; lengths of functions; passages that stand
twice. The layout is clang-format's, so a function ends with a brace in the
first column.

tools/lines.py [--base REV] [--at REV] [--twins]"""
import argparse
import collections
import io
import os
import re
import subprocess
import tarfile

from tree import ROOT, files

NO_PRODUCT = re.compile(r"(_test|_testlib|^test|^mock|^contract)")
HELPERS = re.compile(r"TEST_SOURCES((?:\s+\w+\.c)+)")
HEAD = re.compile(r"^[A-Za-z_].*\)$|^ .*\)$")
TWIN = 5  # lines alike, without blank ones, braces and digits (fmi2, fmi3)


def is_product(path):
    name = os.path.basename(path)
    return path.startswith("src/") and name.endswith((".c", ".h")) and \
        "num_table" not in name and not NO_PRODUCT.search(name)


def product(tree):
    """Of (path, text): what is shipped, by name and by the build files."""
    tree, helpers = list(tree), set()
    for path, text in tree:
        if path.endswith("CMakeLists.txt"):
            for names in HELPERS.findall(text):
                helpers.update(os.path.join(os.path.dirname(path), n[:-2])
                               for n in names.split())
    for path, text in tree:
        if is_product(path) and path[:-2] not in helpers:
            yield path, text.split("\n")[:-1]


def here():
    for path in files():
        if path.startswith("src/"):
            with open(os.path.join(ROOT, path), encoding="utf-8") as f:
                yield path, f.read()


def at(rev):
    tar = subprocess.run(["git", "archive", rev, "src"], cwd=ROOT, check=True,
                         stdout=subprocess.PIPE).stdout
    with tarfile.open(fileobj=io.BytesIO(tar)) as t:
        for m in t:
            if m.isfile():
                yield m.name, t.extractfile(m).read().decode()


def functions(lines):
    """(name, lines of the body) of each."""
    for i, line in enumerate(lines):
        if line != "{" or i == 0 or not HEAD.match(lines[i - 1]):
            continue
        first = i - 1
        while first > 0 and lines[first].startswith(" "):
            first -= 1
        name = re.search(r"(\w+)\(", " ".join(lines[first:i]))
        yield name.group(1) if name else "?", lines.index("}", i) - i - 1


def quantile(sorted_values, q):
    return sorted_values[int(q * (len(sorted_values) - 1))]


class Count:
    def __init__(self, tree):
        self.rooms, self.fns = collections.Counter(), []
        for path, lines in tree:
            self.rooms[path.split("/")[1]] += len(lines)
            self.fns += [(n, f"{path}: {f}") for f, n in functions(lines)]
        self.fns.sort()
        self.total = sum(self.rooms.values())

    def by_name(self):
        """Lines of each function, None where several have its name."""
        found = {}
        for n, where in self.fns:
            name = where.split(": ")[1]
            found[name] = None if name in found else n
        return found

    def lengths(self):
        n = [n for n, _ in self.fns]
        return f"{len(n)} functions: median {quantile(n, .5)}, " \
            f"p90 {quantile(n, .9)}, p99 {quantile(n, .99)}, " \
            f"longest {n[-1]} ({self.fns[-1][1]})"


def of_both(now, base):
    """What grew besides what was added: functions that were there already."""
    now, base = now.by_name(), base.by_name()
    both = [f for f, n in now.items() if n is not None and base.get(f)]
    gone = [n for f, n in base.items() if n is not None and f not in now]
    return f"{len(both)} functions of both: " \
        f"{sum(base[f] for f in both)} lines then, " \
        f"{sum(now[f] for f in both)} now; {len(gone)} are gone, " \
        f"with {sum(gone)}"


def meaningful(lines):
    """(number, text) of lines that say something, without indentation."""
    for i, line in enumerate(lines, 1):
        text = re.sub(r"[0-9]", "N", line.strip())
        if len(text) > 2 and not text.startswith(("/*", "*", "#include")):
            yield i, text


def twins(tree):
    """Passages of TWIN lines or more that stand in two places."""
    seen, found, until = {}, [], {}
    for path, lines in tree:
        rows = list(meaningful(lines))
        for i in range(len(rows) - TWIN + 1):
            key = "\n".join(text for _, text in rows[i:i + TWIN])
            other = seen.setdefault(key, (path, i, rows[i][0]))
            if other == (path, i, rows[i][0]):
                continue
            chain = (path, other[0], i - other[1])
            if until.get(chain, -1) < i:
                found.append([path, rows[i][0], other[0], other[2], TWIN])
            else:
                found[-1][4] += 1
            until[chain] = i + 1
    return found


def main():
    p = argparse.ArgumentParser(description=__doc__)
    p.add_argument("--base", metavar="REV", help="compare with this commit")
    p.add_argument("--at", metavar="REV", help="this commit, not the files")
    p.add_argument("--twins", action="store_true",
                   help=f"list passages of {TWIN} lines that stand twice")
    o = p.parse_args()
    tree = list(product(at(o.at) if o.at else here()))
    if o.twins:
        found = twins(tree)
        for path, line, other, where, n in found:
            print(f"{path}:{line}: {n} lines as in {other}:{where}")
        print(f"{len(found)} passages, {sum(f[4] for f in found)} lines")
        return
    now, base = Count(tree), Count(product(at(o.base))) if o.base else None
    for room in sorted(set(now.rooms) | set(base.rooms if base else ())):
        was = f"{now.rooms[room] - base.rooms[room]:+8d}" if base else ""
        print(f"{room:10}{now.rooms[room]:8d}{was}")
    was = f"{now.total - base.total:+8d}" if base else ""
    print(f"{'product':10}{now.total:8d}{was}")
    print(now.lengths())
    if base:
        print(f"at {o.base}: {base.lengths()}")
        print(of_both(now, base))


if __name__ == "__main__":
    main()
