# SPDX-License-Identifier: MIT
"""What goes wrong."""


class TuttiError(Exception):
    """What the program refused, or how a run failed. `code` is its exit code:
    1 the simulation failed, 2 bad usage or input. `result` has what was
    computed up to there, or is None."""

    def __init__(self, message, code=None, result=None):
        super().__init__(message)
        self.code = code
        self.result = result
