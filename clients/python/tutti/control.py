# SPDX-License-Identifier: MIT
"""A run that is led step by step."""
import json
import os
import subprocess
import tempfile

from . import program, runs
from .errors import TuttiError


class Run:
    """Initialised and paused; then as its user wants.

        with tutti.Run("scenario.json", until=10) as run:
            while run.state != "finished":
                level = run.step(get=["tank.level"])["tank.level"]
                run.set({"pump.speed": 4 - level})
        result = run.result

    Names are whole: '{key}.instance.variable'. Looking changes nothing: results
    are the same as of a run that is left alone.
    """

    def __init__(self, scenario, set=None, output=None, **options):
        self.time, self.state, self.result = None, "paused", None
        self._errors = tempfile.TemporaryFile(mode="w+", encoding="utf-8",
                                            errors="replace")
        with runs.kept(output) as (self._folder, self._results):
            arguments = runs.command(scenario, self._folder, set, options)
            self._process = subprocess.Popen(
                [program.path(), "run", *arguments, "--control=paused",
                 "-q", "-o", self._results],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=self._errors, encoding="utf-8")
        try:
            self._do("get", get=[])
        except TuttiError:
            self._errors.close()
            raise

    def _do(self, what, **more):
        """A command and its answer."""
        if self._process.poll() is None:
            try:
                json.dump({"do": what, **more}, self._process.stdin)
                self._process.stdin.write("\n")
                self._process.stdin.flush()
            except BrokenPipeError:
                pass  # its last line states why
        line = self._process.stdout.readline()
        answer = json.loads(line) if line else {}
        if not line or answer.get("type") == "end":
            self._end(answer.get("summary", {}))
            raise TuttiError(self._reason(), self._process.returncode,
                             self.result)
        if "error" in answer:
            raise TuttiError(answer["error"])
        self.time, self.state = answer["time"], answer["state"]
        return answer.get("values", {})

    def step(self, steps=None, to=None, set=None, get=None):
        """So many steps (1), or on to a time; what was asked for, by name."""
        asked = {"steps": steps, "to": to, "set": set, "get": get}
        return self._do("step", **{k: v for k, v in asked.items()
                                   if v is not None})

    def set(self, values):
        """Inputs that are not connected, and tunable parameters."""
        self._do("set", set=values)

    def get(self, *names):
        """Variables of any causality, by name."""
        return self._do("get", get=list(names))

    def finish(self):
        """On to the end; the result."""
        if self.state == "paused":
            self._do("resume")
        return self._wait()

    def stop(self):
        """Ends here; results are complete up to now."""
        if self.state == "paused":
            self._do("stop")
        return self._wait(stopped=True)

    def _wait(self, stopped=False):
        if self.result is None:
            summary = {}
            for line in self._process.stdout:
                answer = json.loads(line)
                summary = answer.get("summary", summary)
            self._end(summary)
            asked = stopped and summary.get("outcome") == "stopped"
            if self._process.returncode != 0 and not asked:
                raise TuttiError(self._reason(), self._process.returncode,
                                 self.result)
        return self.result

    def _reason(self):
        self._errors.seek(0)
        return program.reason(self._errors.read())

    def _end(self, summary):
        self._close()
        self.state = "finished"
        if os.path.isfile(self._results) and os.path.getsize(self._results):
            self.result = runs.bring(self._results, summary, self._folder)

    def _close(self):
        self._process.stdin.close()
        self._process.wait()
        self._process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self._process.poll() is None:
            if kind is None:
                self.stop()
            else:
                self._process.terminate()
        self._close()
        self._errors.close()
