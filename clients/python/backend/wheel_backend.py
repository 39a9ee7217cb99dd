# SPDX-License-Identifier: MIT
"""Makes the wheel (PEP 517, 660) with the standard library alone, so that
'pip install ./clients/python' needs no registry. The program and what it needs
beside it go in where they have been built: in $TUTTI_BUILD, or build/ of the
tree. Without them the wheel is for every machine, and the program is looked for
on PATH."""
import base64
import hashlib
import os
import re
import sysconfig
import tarfile
import zipfile

HERE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROOT = os.path.dirname(os.path.dirname(HERE))
BUILD = os.environ.get("TUTTI_BUILD", os.path.join(ROOT, "build"))
PARTS = ("tutti", "libtutti.so.0", "tutti-engine-fmi2.so",
         "tutti-engine-fmi3.so", "tutti-python-fmi2.so")
EPOCH = (1980, 1, 1, 0, 0, 0)  # the same tree, the same bytes


def version():
    with open(os.path.join(HERE, "tutti", "__init__.py"),
              encoding="utf-8") as f:
        return re.search(r'__version__ = "(.*)"', f.read()).group(1)


def metadata():
    with open(os.path.join(HERE, "README.md"), encoding="utf-8") as f:
        readme = f.read()
    return ("Metadata-Version: 2.1\nName: tutti\n"
            f"Version: {version()}\n"
            "Summary: Co-simulation of FMUs from Python\n"
            "License: MIT\nRequires-Python: >=3.8\n"
            "Provides-Extra: arrays\n"
            "Requires-Dist: numpy; extra == 'arrays'\n"
            "Description-Content-Type: text/markdown\n\n" + readme)


def modules():
    """(name in the wheel, path) of every module, in order."""
    folder = os.path.join(HERE, "tutti")
    for name in sorted(os.listdir(folder)):
        if name.endswith(".py"):
            yield f"tutti/{name}", os.path.join(folder, name)


def parts():
    """The program and what it looks for beside itself."""
    for name in PARTS:
        path = os.path.join(BUILD, name)
        if os.path.isfile(path):
            yield f"tutti/bin/{name}", path


def tag():
    if not any(True for _ in parts()):
        return "py3-none-any"
    machine = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    return f"py3-none-{machine}"


class Wheel:
    """A wheel being written: files, and the record of them."""

    def __init__(self, folder, kind):
        self.name = f"tutti-{version()}-{kind}.whl"
        self.info = f"tutti-{version()}.dist-info"
        self.zip = zipfile.ZipFile(os.path.join(folder, self.name), "w",
                                   zipfile.ZIP_DEFLATED)
        self.lines = []
        self.kind = kind

    def add(self, name, data, mode=0o644):
        if isinstance(data, str):
            data = data.encode()
        entry = zipfile.ZipInfo(name, EPOCH)
        entry.external_attr = (0o100000 | mode) << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        self.zip.writestr(entry, data)
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
        self.lines.append(
            f"{name},sha256={digest.rstrip(b'=').decode()},{len(data)}")

    def close(self):
        pure = "true" if self.kind.endswith("any") else "false"
        self.add(f"{self.info}/METADATA", metadata())
        self.add(f"{self.info}/WHEEL",
                 "Wheel-Version: 1.0\nGenerator: tutti\n"
                 f"Root-Is-Purelib: {pure}\nTag: {self.kind}\n")
        self.add(f"{self.info}/entry_points.txt",
                 "[console_scripts]\ntutti = tutti.program:main\n")
        record = f"{self.info}/RECORD"
        text = "\n".join(self.lines + [f"{record},,", ""])
        self.add(record, text)
        self.zip.close()
        return self.name


def read(path):
    with open(path, "rb") as f:
        return f.read()


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    del config_settings, metadata_directory
    wheel = Wheel(wheel_directory, tag())
    for name, path in modules():
        wheel.add(name, read(path))
    for name, path in parts():
        wheel.add(name, read(path), 0o755)
    return wheel.close()


def build_editable(wheel_directory, config_settings=None,
                   metadata_directory=None):
    del config_settings, metadata_directory
    wheel = Wheel(wheel_directory, "py3-none-any")
    wheel.add("tutti.pth", HERE + "\n")
    return wheel.close()


def build_sdist(sdist_directory, config_settings=None):
    del config_settings
    base = f"tutti-{version()}"
    name = f"{base}.tar.gz"
    with tarfile.open(os.path.join(sdist_directory, name), "w:gz") as tar:
        for inside in ("pyproject.toml", "README.md", "backend", "tutti"):
            tar.add(os.path.join(HERE, inside), f"{base}/{inside}",
                    filter=lambda t: None if "__pycache__" in t.name else t)
    return name
