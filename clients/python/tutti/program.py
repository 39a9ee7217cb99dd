# SPDX-License-Identifier: MIT
"""The program behind the functions: where it is, and how it is called."""
import json
import os
import shutil
import subprocess
import sys

from .errors import TuttiError

BESIDE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "bin",
                      "tutti")


def path():
    """$TUTTI, the program of this package, or the one on PATH."""
    found = (os.environ.get("TUTTI")
             or (BESIDE if os.path.isfile(BESIDE) else None)
             or shutil.which("tutti"))
    if not found:
        raise TuttiError("the program 'tutti' is not found: put it on PATH, or "
                         "its path into the environment variable TUTTI")
    return found


def options(given):
    """Keywords as options of the program: error_control="milne" is
    --error-control milne, rollback=True is --rollback, a list is given once for
    each of its values, and None or False not at all."""
    out = []
    for name, value in given.items():
        option = "--" + name.replace("_", "-")
        values = value if isinstance(value, (list, tuple)) else [value]
        for one in values:
            if one is True:
                out.append(option)
            elif one is not None and one is not False:
                out += [option, text(one)]
    return out


def text(value):
    """As the program reads it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return repr(value) if isinstance(value, float) else str(value)


def settings(values):
    """--set for each of a dictionary."""
    out = []
    for name, value in (values or {}).items():
        out += ["--set", f"{name}={text(value)}"]
    return out


def reason(stderr):
    """The program's message, without the prefix that repeats for people."""
    lines = [line for line in stderr.strip().splitlines() if line.strip()]
    return "\n".join(lines) or "the program gave no reason"


def call(*arguments):
    """(exit code, standard output, standard error)"""
    done = subprocess.run([path(), *arguments], capture_output=True,
                          encoding="utf-8", errors="replace", check=False)
    return done.returncode, done.stdout, done.stderr


def ask(*arguments, fine=(0,)):
    """What a command answers as JSON."""
    code, out, why = call(*arguments)
    if code not in fine:
        raise TuttiError(reason(why), code)
    try:
        return json.loads(out)
    except ValueError as e:
        raise TuttiError(f"the program's answer is no JSON: {e}", code) from e


def main():
    """The command 'tutti' of the installed package."""
    program = path()
    os.execv(program, [program, *sys.argv[1:]])
