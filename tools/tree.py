# SPDX-License-Identifier: MIT
"""The files of this source tree, for the checks beside this one."""
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _by_git():
    try:
        out = subprocess.run(
            ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT, capture_output=True, text=True)
    except FileNotFoundError:
        return []
    return out.stdout.split("\n") if out.returncode == 0 else []


def _by_walking():
    """Where there is no git, or no checkout: all but what builds leave."""
    for folder, inside, names in os.walk(ROOT):
        inside[:] = [d for d in inside
                     if not d.startswith(("build", ".git", "__pycache__",
                                           "node_modules"))]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), ROOT)


def files():
    """Paths from the root, sorted; only what is there."""
    names = [f for f in _by_git() if f] or list(_by_walking())
    return sorted(f for f in names if os.path.isfile(os.path.join(ROOT, f)))
