# SPDX-License-Identifier: MIT
"""Tables of results."""
import csv
import difflib
import html
import os
import subprocess
import tempfile

from . import program
from .errors import TuttiError

try:
    import numpy
except ImportError:  # plain lists do
    numpy = None


def number(text):
    """A cell: a number, or the text it is."""
    try:
        return float(text)
    except ValueError:
        return {"true": 1.0, "false": 0.0}.get(text, text)


def column(cells):
    values = [number(c) for c in cells]
    if numpy and all(isinstance(v, float) for v in values):
        return numpy.array(values)
    return values


def short(name):
    """'{key}.instance.variable' without its key."""
    return name[name.index("}.") + 2:] if name.startswith("{") else name


def read_table(path):
    """{name: cells} of a CSV file, in the order of its columns."""
    with open(path, newline="", encoding="utf-8") as f:
        rows = csv.reader(f)
        names = next(rows, [])
        cells = list(zip(*rows))
    return {n: cells[i] if cells else () for i, n in enumerate(names)}


class Result:
    """What a run computed: columns by name. A name may be as short as it is
    unambiguous: '{x2}.tank.level', 'tank.level' or 'level'."""

    def __init__(self, path, summary=None):
        self.path = path
        self.summary = summary or {}
        self._columns = {name: column(cells)
                         for name, cells in read_table(path).items()}

    @property
    def names(self):
        return [n for n in self._columns if n != "time"]

    @property
    def time(self):
        return self._columns.get("time", column(()))

    @property
    def warnings(self):
        return self.summary.get("warnings", [])

    def find(self, name):
        """The full name of a column."""
        if name in self._columns:
            return name
        found = [n for n in self.names if short(n) == name]
        found = found or [n for n in self.names
                          if short(n).endswith("." + name)]
        if len(found) == 1:
            return found[0]
        if found:
            raise KeyError(f"'{name}' may be {' or '.join(found)}")
        near = difflib.get_close_matches(
            name, [*self.names, *map(short, self.names)], 1, 0.5)
        hint = f"; did you mean '{near[0]}'?" if near else ""
        raise KeyError(f"there is no column '{name}'{hint}")

    def __getitem__(self, name):
        return self._columns[self.find(name)]

    def __contains__(self, name):
        try:
            self.find(name)
        except KeyError:
            return False
        return True

    def __len__(self):
        return len(self.time)

    def __repr__(self):
        message = self.summary.get("message", "")
        return (f"<tutti.Result: {len(self)} rows of {len(self.names)} "
                f"variables{'; ' if message else ''}{message}>")

    def frame(self):
        """A pandas DataFrame, indexed by time."""
        import pandas  # only here is it needed
        return pandas.DataFrame({n: self._columns[n] for n in self.names},
                                index=pandas.Index(self.time, name="time"))

    def svg(self, *names, title=None):
        """A picture of these columns, or of all."""
        wanted = [self.find(n) for n in names]
        with tempfile.TemporaryDirectory() as folder:
            out = os.path.join(folder, "plot.svg")
            code, _, why = program.call(
                "plot", self.path, "-o", out,
                *(["--columns", ",".join(wanted)] if wanted else []),
                *(["--title", title] if title else []))
            if code != 0:
                raise TuttiError(program.reason(why), code)
            with open(out, encoding="utf-8") as f:
                return f.read()

    def _repr_html_(self):
        """For notebooks: the picture, the outcome, the warnings."""
        notes = [self.summary.get("message", "")] + [
            f"warning: {w}" for w in self.warnings]
        text = "".join(f"<p>{html.escape(n)}</p>" for n in notes if n)
        try:
            return f"<div>{self.svg()}{text}</div>"
        except (TuttiError, OSError, subprocess.SubprocessError) as e:
            return f"<div>{text}<p>{html.escape(str(e))}</p></div>"
