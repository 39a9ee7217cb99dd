# SPDX-License-Identifier: MIT
"""A scenario written in code."""
import json
import os

from . import runs
from .fmu import temporary
from .unit import Unit


class Port:
    """A variable of an instance, to connect and to record."""

    def __init__(self, instance, name):
        self.instance = instance
        self.name = name

    def __str__(self):
        return f"{self.instance}.{self.name}"

    def __getitem__(self, index):
        """An element of an array: from 1, as FMI counts."""
        index = index if isinstance(index, tuple) else (index,)
        return Port(self.instance,
                    f"{self.name}[{','.join(str(i) for i in index)}]")

    def __getattr__(self, name):
        """A variable of a structure: arm.joint.angle"""
        if name.startswith("_"):
            raise AttributeError(name)
        return Port(self.instance, f"{self.name}.{name}")


class Instance:
    """One simulator. Its variables are its attributes: tank.level; of names
    that are no Python names, its items: tank['body.x[1]']."""

    def __init__(self, key, name):
        self._name = f"{key}.{name}"

    def __str__(self):
        return self._name

    def __getitem__(self, name):
        return Port(self, name)

    def __getattr__(self, name):
        if name.startswith("_"):
            raise AttributeError(name)
        return Port(self, name)


class Scenario:
    """Instances, connections, parameters, and how it is run.

        s = Scenario(step=0.1, end=60)
        control = s.add("control", "controller.fmu", maxLevel=8)
        tank = s.add("tank", "watertank.fmu")
        s.connect(control.valve, tank.valve)
        s.connect(tank.level, control.level)
        s.record(tank.outflow)
        result = s.simulate()

    Further fields of a scenario are keywords, or items of `fields`.
    """

    def __init__(self, step=None, end=None, start=0, **fields):
        self.fields = dict(fields)
        self._fmus, self._instances, self._classes = {}, {}, {}
        self._connections, self._parameters, self._record = {}, {}, {}
        if step is not None:
            self.fields.setdefault("algorithm",
                                   {"type": "fixed-step", "size": step})
        self.fields["startTime"] = start
        if end is not None:
            self.fields["endTime"] = end

    def add(self, name, fmu, **parameters):
        """An instance of an FMU, of anything a scenario takes as one, or of a
        class of Unit."""
        if isinstance(fmu, type) and issubclass(fmu, Unit):
            fmu = self._of_class(fmu)
        fmu = os.fspath(fmu)
        key = next((k for k, f in self._fmus.items() if f == fmu), None)
        if key is None:
            key = "{" + name + "}"
            if key in self._fmus:
                raise ValueError(f"there is an instance '{name}' already")
            self._fmus[key] = fmu
        names = self._instances.setdefault(key, [])
        if name in names:
            raise ValueError(f"there is an instance '{name}' already")
        names.append(name)
        made = Instance(key, name)
        for variable, value in parameters.items():
            self.set(made[variable], value)
        return made

    def _of_class(self, cls):
        if cls not in self._classes:
            self._classes[cls] = temporary(cls, self)
        return self._classes[cls]

    def connect(self, source, *targets):
        """An output to inputs; several of them may have one source."""
        listed = self._connections.setdefault(str(source), [])
        listed += [str(t) for t in targets]

    def set(self, port, value):
        """A parameter or start value."""
        self._parameters[str(port)] = value

    def record(self, *ports):
        """Variables that are recorded besides connected outputs."""
        for port in ports:
            self._record.setdefault(str(port.instance), []).append(port.name)

    def dict(self):
        """As the scenario file has it."""
        return {"fmus": dict(self._fmus),
                "instances": {k: list(v) for k, v in self._instances.items()},
                "connections": self._connections,
                "parameters": self._parameters,
                "logVariables": self._record, **self.fields}

    def save(self, path):
        """A file that 'tutti run' takes; FMUs relative to it."""
        content = self.dict()
        base = os.path.dirname(os.path.abspath(path))
        content["fmus"] = {
            k: os.path.relpath(f, base) if os.path.exists(f) else f
            for k, f in self._fmus.items()}
        with open(path, "w", encoding="utf-8") as f:
            json.dump(content, f, indent=2)
            f.write("\n")

    def simulate(self, **options):
        return runs.simulate(self, **options)
