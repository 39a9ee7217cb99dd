# SPDX-License-Identifier: MIT
"""A model written in Python."""


class Unit:
    """A model that Tutti and other importers of FMI run as an FMU.

        class Controller(tutti.Unit):
            inputs = {"level": 0.0}
            outputs = {"valve": False}
            parameters = {"high": 8.0, "low": 2.0}
            units = {"level": "m", "high": "m", "low": "m"}

            def step(self, t, h):
                if self.level > self.high:
                    self.valve = True
                elif self.level < self.low:
                    self.valve = False

    Start values state the types: float, int, bool or str. Variables are
    attributes; so is everything else that belongs to its state, which is
    saved and restored as a whole (by pickle). A step may return the time it has
    reached, if that is before t + h.
    """
    inputs, outputs, parameters, units = {}, {}, {}, {}

    def start(self):
        """When parameters and first inputs are known; again, if they change
        before the first step."""

    def step(self, t, h):
        """From t to t + h, with what the inputs were at t."""

    # evaluate(self): outputs from inputs of the same instant. Where a class has
    # it, its outputs depend on its inputs directly.


KINDS = (("inputs", "input"), ("outputs", "output"),
         ("parameters", "parameter"))


def variables(cls):
    """(name, causality, start) of each, in the order of value references."""
    return [(name, causality, start) for attribute, causality in KINDS
            for name, start in getattr(cls, attribute).items()]
