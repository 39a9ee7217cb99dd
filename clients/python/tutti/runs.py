# SPDX-License-Identifier: MIT
"""One call of the program each."""
import contextlib
import csv
import json
import os
import shutil
import tempfile
import weakref

from . import program
from .errors import TuttiError
from .results import Result


def file_of(scenario, folder):
    """(path, options) of a scenario: a path as it is; a dictionary or a
    Scenario as a file in folder, whose FMUs are relative to where we are."""
    if isinstance(scenario, (str, os.PathLike)):
        return os.fspath(scenario), []
    content = scenario if isinstance(scenario, dict) else scenario.dict()
    path = os.path.join(folder, "scenario.json")
    with open(path, "w", encoding="utf-8") as f:
        json.dump(content, f, indent=2)
    return path, ["--base", os.getcwd()]


def command(scenario, folder, values, given):
    """The arguments that every command about a scenario takes."""
    path, more = file_of(scenario, folder)
    if "base" in given or "only_base" in given:
        more = []
    return [path, *more, *program.settings(values), *program.options(given)]


@contextlib.contextmanager
def kept(output):
    """(folder, results): a folder that goes, unless results were asked for
    elsewhere."""
    folder = tempfile.mkdtemp(prefix="tutti-")
    try:
        yield folder, output or os.path.join(folder, "results.csv")
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def bring(results, summary, folder):
    """The results; the folder goes when they do."""
    result = Result(results, summary)
    weakref.finalize(result, shutil.rmtree, folder, True)
    return result


def last_json(text):
    try:
        return json.loads(text)
    except ValueError:
        return {}


def simulate(scenario, set=None, output=None, **options):
    """Runs a scenario (a path, a dictionary, or a Scenario) or one FMU alone.

    set      parameters and start values, by name
    output   a .csv file to keep; else the table goes with the result
    options  those of 'tutti run': step=0.1, until=10, master="gauss-seidel",
             rollback=True, record=["tank.*"], ...
    """
    with kept(output) as (folder, results):
        arguments = command(scenario, folder, set, options)
        code, out, why = program.call("run", *arguments, "--json", "-q", "-o",
                                      results)
        summary = last_json(out)
        there = os.path.isfile(results) and os.path.getsize(results) > 0
        result = bring(results, summary, folder) if there else None
        if code != 0:
            if not there:
                shutil.rmtree(folder, ignore_errors=True)
            raise TuttiError(program.reason(why), code, result)
        return result


def check(scenario, set=None, **options):
    """The problems that 'tutti check' finds, a list of its lines; [] if it
    finds none."""
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        code, out, why = program.call(
            "check", *command(scenario, folder, set, options))
        return [] if code == 0 else program.reason(why or out).splitlines()


def stability(scenario, set=None, **options):
    """The verdict of 'tutti stability', as its --json has it: 'verdict', 'rho',
    'largestStep', 'alternatives', ..."""
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        return program.ask("stability",
                           *command(scenario, folder, set, options), "--json",
                           fine=(0, 1))


def values(given):
    """Of what is varied: a text as the program reads it, else all of a list."""
    if isinstance(given, str) or not hasattr(given, "__iter__"):
        return program.text(given)
    return ",".join(program.text(one) for one in given)


def number(cell):
    """A cell of a table: a number, or the text; None without one."""
    try:
        return float(cell) if cell else None
    except ValueError:
        return cell


def sweep(scenario, vary=None, set=None, output=None, **options):
    """Runs a scenario at many points; a list with a dictionary per point, as the
    table of 'tutti sweep' has it. Those that failed have it in 'state' and
    'problem', and None for their results.

    vary     what is varied: {"area": [1, 2, 5], "mass": "800:1600:9"}
    output   a .csv file to keep; with it a sweep that was killed goes on
    options  those of 'tutti sweep': points="lhs:100", jobs=2, columns="level"
    """
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        table = output or os.path.join(folder, "sweep.csv")
        varied = [word for name, given in (vary or {}).items()
                  for word in ("--vary", f"{name}={values(given)}")]
        program.ask("sweep", *command(scenario, folder, set, options), *varied,
                    "--json", "-o", table, fine=(0, 1))
        with open(table, newline="", encoding="utf-8") as f:
            return [{name: number(cell) for name, cell in row.items()}
                    for row in csv.DictReader(f)]


def tune(scenario, set=None, output=None, **options):
    """What 'tutti tune' finds, as its --json has it: 'best' (None without one),
    'tried', 'reasons'.

    output   a .json file for the scenario with the best settings
    options  those of 'tutti tune': tolerance=1e-2, budget="40runs"
    """
    with tempfile.TemporaryDirectory(prefix="tutti-") as folder:
        to = ["-o", output] if output else []
        return program.ask("tune", *command(scenario, folder, set, options),
                           *to, "--json", fine=(0, 1))
