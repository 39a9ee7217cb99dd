#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the commands that pages show: run_docs.py BUILD [PAGE ...]. The blocks of
a page in 'sh', and lines after '$ ' in blocks without a language, are one script
that stops at what fails; blocks in 'python' are another. Each page has a folder
of its own, with build/tutti on PATH and the examples it names. A comment on the
line before a block states what it needs:
    <!-- with: NAME -->        that example's files are here
    <!-- first: COMMAND -->    which is run before it
    <!-- exit: N -->           its last command ends with N
    <!-- not run: REASON -->"""
import os
import re
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import tree
from check_docs import FENCE

MARK = re.compile(r"<!-- (with|first|exit|not run): (.*?) -->")
TEXTS = (".json", ".xml", ".csv", ".msim", ".sa")
LIMIT = 500  # seconds, for what hangs


def blocks(text):
    """(line, language, lines, marks) of each block."""
    marks, found, fence = {}, None, None
    for i, line in enumerate(text.split("\n"), 1):
        m = FENCE.match(line)
        if found and m and m.group(1).startswith(fence) and not m.group(2):
            yield found
            found, marks = None, {}
        elif found:
            found[2].append(line)
        elif m:
            fence = m.group(1)[:3]
            found = (i, m.group(2), [], marks)
        elif MARK.fullmatch(line.strip()):
            mark = MARK.fullmatch(line.strip())
            marks[mark.group(1)] = mark.group(2)
        elif line.strip():
            marks = {}


def prompts(lines):
    """What follows '$ ', with the lines it goes on for."""
    out, more = [], False
    for line in lines:
        if more or line.startswith("$ "):
            out.append(line if more else line[2:])
            more = line.endswith("\\")
    return out


def copy_example(source, folder):
    """Large files, and what a build left besides, are linked."""
    os.makedirs(folder, exist_ok=True)
    for file in os.listdir(source):
        path = os.path.join(source, file)
        if file.endswith(TEXTS):
            shutil.copy(path, folder)
        elif os.path.isfile(path) and not os.path.exists(os.path.join(folder, file)):
            os.symlink(path, os.path.join(folder, file))


def script(page, build, folder):
    """The page's commands in sh and in Python, and how many blocks are left out."""
    with open(os.path.join(tree.ROOT, page), encoding="utf-8") as f:
        text = f.read()
    shell, python, left = ["set -e"], [], 0
    for line, language, lines, marks in blocks(text):
        if language not in ("sh", "python", ""):
            continue
        code = prompts(lines) if language == "" else lines
        if not code:
            continue
        if "not run" in marks:
            left += 1
            continue
        if "with" in marks:
            copy_example(os.path.join(build, "examples", marks["with"]), folder)
        if language == "python":
            python += [f"# {page}:{line}", *code]
            continue
        shell += [f"echo '== {page}:{line}'", marks.get("first", ":")]
        if "exit" in marks:
            *code, last = code
            shell += [*code, f"{{ {last}\n}} && code=0 || code=$?",
                      f"[ $code = {marks['exit']} ]"]
        else:
            shell += code
    return shell, python, left


def prepare(build, folder):
    os.makedirs(os.path.join(folder, "build"))
    source = os.path.join(build, "examples")
    for name in os.listdir(source):
        if os.path.isdir(os.path.join(source, name)):
            copy_example(os.path.join(source, name),
                         os.path.join(folder, "examples", name))
    os.symlink(os.path.join(build, "tutti"), os.path.join(folder, "build/tutti"))
    os.symlink("../examples", os.path.join(folder, "build/examples"))
    os.symlink(os.path.join(tree.ROOT, "kit"), os.path.join(folder, "kit"))


def play(page, build):
    """Runs one page: (page, blocks left out, output or None if all went well)."""
    env = dict(os.environ, TUTTI=os.path.join(build, "tutti"),
               PATH=build + os.pathsep + os.environ["PATH"], TUTTI_LIBRARY=build,
               PYTHONPATH=os.path.join(tree.ROOT, "clients/python"))
    with tempfile.TemporaryDirectory() as folder:
        prepare(build, folder)
        shell, python, left = script(page, build, folder)
        for command, code in (("sh", shell[1:] and shell), ("python3", python)):
            if not code:
                continue
            with open(os.path.join(folder, "page"), "w", encoding="utf-8") as f:
                f.write("\n".join(code))
            try:
                done = subprocess.run([command, "page"], cwd=folder,
                                      env=env, timeout=LIMIT, text=True,
                                      stdin=subprocess.DEVNULL, check=False,
                                      stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            except subprocess.TimeoutExpired as e:
                return page, left, f"{e}"
            if done.returncode != 0:
                return page, left, f"{command}: {done.returncode}\n{done.stdout}"
    return page, left, None


def pages():
    return [f for f in tree.files() if f.endswith(".md") and
            f.startswith(("README", "docs/", "examples/", "clients/", "kit/"))]


def main():
    build, chosen = os.path.abspath(sys.argv[1]), sys.argv[2:] or pages()
    bad, left = 0, 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for page, out, failed in pool.map(lambda p: play(p, build), chosen):
            left += out
            if failed:
                bad += 1
                print(f"{page}: {failed[-3000:]}\n")
    print(f"run_docs: {len(chosen)} pages, {bad} with commands that fail, "
          f"{left} blocks not run")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
