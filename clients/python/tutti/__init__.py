# SPDX-License-Identifier: MIT
"""Co-simulation of FMUs from Python, without a server.

    import tutti

    result = tutti.simulate("scenario.json", set={"tank.area": 2}, until=60)
    result.time, result["tank.level"]

What is asked of the program and cannot be done is a TuttiError with its
message; of a run that failed it has the results so far.
"""
from .control import Run
from .errors import TuttiError
from .fmu import export
from .results import Result
from .runs import check, simulate, stability, sweep, tune
from .scenario import Instance, Port, Scenario
from .unit import Unit

__version__ = "0.1.0"
__all__ = ["simulate", "check", "stability", "sweep", "tune", "Run",
           "Result", "Scenario", "Instance", "Port", "Unit", "export", "TuttiError"]
