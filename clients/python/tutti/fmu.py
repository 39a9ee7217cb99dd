# SPDX-License-Identifier: MIT
"""An FMU of a class of Python."""
import ast
import hashlib
import inspect
import json
import os
import sys
import tempfile
import textwrap
import weakref
import zipfile
from xml.sax.saxutils import quoteattr

from . import program
from .errors import TuttiError
from .unit import Unit, variables

HERE = os.path.dirname(os.path.abspath(__file__))
BINARY = "tutti-python-fmi2.so"
IDENTIFIER = "tutti_python"
# outputs are right as soon as inputs are set, without a step
EVALUATES = ('  <VendorAnnotations><Tool name="org.tutti"><Unit '
             'evaluates="always"/></Tool></VendorAnnotations>\n')
EPOCH = (1980, 1, 1, 0, 0, 0)
# of what stands at the top of a module: what a class may need
NEEDED = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
TYPES = ((bool, "Boolean"), (int, "Integer"), (float, "Real"),
         (str, "String"))


def binary():
    """Beside the program, or where an installed program has its parts."""
    beside = os.path.dirname(os.path.realpath(program.path()))
    for folder in (beside, os.path.join(beside, "..", "lib", "tutti")):
        path = os.path.join(folder, BINARY)
        if os.path.isfile(path):
            return path
    raise TuttiError(f"'{BINARY}' is not found beside {beside}/tutti")


def is_constant(node):
    if not isinstance(node, ast.Assign):
        return False
    try:
        ast.literal_eval(node.value)
    except ValueError:
        return False
    return True


def source(cls):
    """What the class needs of its module: imports, functions, classes and
    constants, but nothing that runs. Of a notebook, the class alone."""
    try:
        whole = inspect.getsource(sys.modules[cls.__module__])
    except (OSError, TypeError):
        return "import tutti\n" + textwrap.dedent(inspect.getsource(cls))
    lines = whole.splitlines(keepends=True)
    taken = []
    for node in ast.parse(whole).body:
        if isinstance(node, NEEDED) or is_constant(node):
            first = min([node.lineno, *(d.lineno for d in getattr(
                node, "decorator_list", []))])
            # where it stood, so that messages name the right line
            taken += ["\n"] * (first - 1 - len(taken))
            taken += lines[first - 1:node.end_lineno]
    if not any(isinstance(n, ast.ClassDef) and n.name == cls.__name__
               for n in ast.parse(whole).body):
        raise TuttiError(f"class '{cls.__name__}' is not at the top of its "
                         "module, so that it cannot be taken into an FMU")
    return "".join(taken)


def type_of(cls, name, start):
    for python, fmi in TYPES:
        if isinstance(start, python):
            return fmi
    raise TuttiError(f"variable '{name}' of class '{cls.__name__}' starts as "
                     f"{type(start).__name__}: it must be float, int, bool or "
                     "str")


def check_names(cls, names):
    for name in names:
        if names.count(name) > 1:
            raise TuttiError(f"class '{cls.__name__}' has two variables "
                             f"'{name}'")
        if not name.isidentifier():
            raise TuttiError(f"variable '{name}' of class '{cls.__name__}' is "
                             "no name that an attribute can have")
    for name in cls.units:
        if name not in names:
            raise TuttiError(f"class '{cls.__name__}' has no variable "
                             f"'{name}', whose unit it states")


def spelled(start):
    return str(start).lower() if isinstance(start, bool) else str(start)


def initial(cls):
    """Of outputs, in the standard's words."""
    if hasattr(cls, "evaluate"):
        return "calculated"
    return "exact" if cls.start is Unit.start else "approx"


def variable_xml(cls, index, name, causality, start):
    kind = type_of(cls, name, start)
    variability = {"parameter": "tunable"}.get(
        causality, "continuous" if kind == "Real" else "discrete")
    unit = cls.units.get(name)
    how = initial(cls) if causality == "output" else None
    begins = "" if how == "calculated" else (
        f" start={quoteattr(spelled(start))}")
    return (f"    <ScalarVariable name={quoteattr(name)} "
            f'valueReference="{index}" causality="{causality}" '
            f'variability="{variability}"'
            + (f' initial="{how}"' if how else "") + f">\n      <{kind}{begins}"
            + (f" unit={quoteattr(unit)}" if unit and kind == "Real" else "")
            + "/>\n    </ScalarVariable>\n")


def unknowns_xml(cls, all_of_them):
    inputs = [str(i + 1) for i, (_, c, _) in enumerate(all_of_them)
              if c == "input"]
    depends = " ".join(inputs) if hasattr(cls, "evaluate") else ""
    return "".join(f'      <Unknown index="{i + 1}" dependencies="{depends}"/>\n'
                   for i, (_, c, _) in enumerate(all_of_them) if c == "output")


def description(cls, token):
    """modelDescription.xml"""
    all_of_them = variables(cls)
    check_names(cls, [name for name, _, _ in all_of_them])
    units = "".join(f"    <Unit name={quoteattr(u)}/>\n"
                    for u in sorted(set(cls.units.values())))
    outputs = unknowns_xml(cls, all_of_them)
    first = (f"    <Outputs>\n{outputs}    </Outputs>\n"
             f"    <InitialUnknowns>\n{outputs}    </InitialUnknowns>\n"
             if outputs and initial(cls) != "exact" else
             f"    <Outputs>\n{outputs}    </Outputs>\n" if outputs else "")
    name = quoteattr(cls.__name__)
    return ('<?xml version="1.0" encoding="UTF-8"?>\n'
            f'<fmiModelDescription fmiVersion="2.0" modelName={name} '
            f'guid="{token}" generationTool="Tutti for Python">\n'
            f"  <CoSimulation modelIdentifier=\"{IDENTIFIER}\" "
            'needsExecutionTool="true" '
            'canHandleVariableCommunicationStepSize="true" '
            'canGetAndSetFMUstate="true" canSerializeFMUstate="true"/>\n'
            + (f"  <UnitDefinitions>\n{units}  </UnitDefinitions>\n"
               if units else "")
            + EVALUATES + "  <ModelVariables>\n"
            + "".join(variable_xml(cls, i, *v)
                      for i, v in enumerate(all_of_them))
            + f"  </ModelVariables>\n  <ModelStructure>\n{first}"
            "  </ModelStructure>\n</fmiModelDescription>\n")


def read(path):
    with open(path, "rb") as f:
        return f.read()


def export(cls, path):
    """Writes the FMU (FMI 2, co-simulation) of a class of tutti.Unit. It runs
    wherever there is a 'python3', or the one that the environment variable
    TUTTI_PYTHON names, and what the model imports."""
    text = source(cls)
    token = hashlib.sha256((description(cls, "") + text).encode()).hexdigest()
    about = {"class": cls.__name__, "token": token,
             "names": [name for name, _, _ in variables(cls)], "path": []}
    write(path, cls, text, about)
    return path


def write(path, cls, text, about):
    parts = {"modelDescription.xml": description(cls, about["token"]).encode(),
             f"binaries/linux64/{IDENTIFIER}.so": read(binary()),
             "resources/main.py": read(os.path.join(HERE, "fmu_main.py")),
             "resources/unit.py": read(os.path.join(HERE, "unit.py")),
             "resources/model.py": text.encode(),
             "resources/unit.json": json.dumps(about, indent=1).encode()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as z:
        for name, data in parts.items():
            entry = zipfile.ZipInfo(name, EPOCH)
            entry.external_attr = 0o100755 << 16
            z.writestr(entry, data, zipfile.ZIP_DEFLATED)


def temporary(cls, owner):
    """The FMU of a class, as long as its owner is there."""
    folder = tempfile.TemporaryDirectory(prefix="tutti-")
    weakref.finalize(owner, folder.cleanup)
    return export(cls, os.path.join(folder.name, f"{cls.__name__}.fmu"))
